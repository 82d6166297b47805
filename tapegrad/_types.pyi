# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from types import EllipsisType
from typing import Any, NamedTuple, SupportsIndex, TypeAlias, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import Self

Array: TypeAlias = NDArray[Any]
Number: TypeAlias = float | Real | np.floating[Any] | np.integer[Any] | np.bool_
TensorLike: TypeAlias = Tensor | Number | Array | list[Any] | tuple[Any, ...]
_Part: TypeAlias = SupportsIndex | slice | EllipsisType | Tensor | Array | list[Any] | None
Index: TypeAlias = _Part | tuple[_Part, ...]

class Device(str):
    """Where a tensor is: always the CPU."""
    @property
    def type(self) -> str: ...
    index: None  # type: ignore[assignment]

class ValuesIndices(tuple[Tensor, Tensor]):
    """A pair with names, as PyTorch gives it."""
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class EigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class LstsqResult(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor

class SVDFactors(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class Complex(tuple[Tensor, Tensor]):
    """Complex numbers as a pair of tensors of one shape: ``z.real`` and ``z.imag``, or ``real, imag = z``."""
    def __new__(cls, real: TensorLike, imag: TensorLike = 0.0) -> Self: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any: ...
    def __getitem__(self, index: Index) -> Complex: ...
    def __len__(self) -> int: ...
    def __mul__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __neg__(self) -> Complex: ...
    def __radd__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __rmul__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __rsub__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __rtruediv__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __sub__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __truediv__(self, other: TensorLike | Complex | complex) -> Complex: ...
    @property
    def imag(self) -> Tensor:
        """The imaginary parts, a tensor."""
    @property
    def ndim(self) -> int:
        """The number of axes."""
    @property
    def real(self) -> Tensor:
        """The real parts, a tensor."""
    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
    def abs(self) -> Tensor:
        """The magnitudes; the derivative at 0 is 0."""
    def angle(self) -> Tensor:
        """The angles, in radians."""
    def conj(self) -> Complex:
        """The conjugate numbers."""
    def detach(self) -> Complex:
        """Without history."""
    def numpy(self) -> Array:
        """A complex array, where nothing requires grad."""

class Node:
    """A record as part of the graph. Its class is called after the operation, as in PyTorch: ``MulBackward0``."""
    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that the gradient goes to, each with the number of its output that was used; (None, 0) for a
        constant."""
    def name(self) -> str:
        """The name of the operation, as of the class."""

class RemovableHandle:
    """What registering a hook gives: ``remove()`` takes it away, as does the end of a ``with`` block."""
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def remove(self) -> None:
        """Takes the hook away; a second time does nothing."""

class Tensor:
    """An array of numbers that remembers how it was computed. Make one with :func:`tapegrad.tensor`."""
    def __hash__(self) -> _int: ...
    def __new__(
        cls, *arguments: Any, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
    ) -> Self: ...
    @property
    def T(self) -> Tensor:
        """All axes reversed."""
    def __abs__(self) -> Tensor: ...
    def __add__(self, y: TensorLike) -> Tensor: ...
    def __and__(self, y: TensorLike) -> Tensor: ...
    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, where: Any = True, **keywords: Any
    ) -> Any: ...
    def __bool__(self) -> _bool: ...
    def __contains__(self, value: TensorLike) -> _bool: ...
    def __dlpack__(self, **keywords: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[_int, _int]: ...
    def __eq__(self, y: TensorLike) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float: ...
    def __ge__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __getitem__(self, index: Index) -> Tensor: ...
    def __gt__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __iadd__(self, y: TensorLike) -> Self: ...
    def __imul__(self, y: TensorLike) -> Self: ...
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor: ...
    def __ipow__(self, y: TensorLike) -> Self: ...
    def __isub__(self, y: TensorLike) -> Self: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, y: TensorLike) -> Self: ...
    def __le__(self, y: TensorLike) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __lt__(self, y: TensorLike) -> Tensor: ...
    def __matmul__(self, y: TensorLike) -> Tensor: ...
    def __mul__(self, y: TensorLike) -> Tensor: ...
    def __ne__(self, y: TensorLike) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, y: TensorLike) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, y: TensorLike) -> Tensor: ...
    def __radd__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __rand__(self, y: TensorLike) -> Tensor: ...
    def __rmatmul__(self, y: TensorLike) -> Tensor: ...
    def __rmul__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __ror__(self, y: TensorLike) -> Tensor: ...
    def __rpow__(self, y: TensorLike) -> Tensor: ...
    def __rsub__(self, y: TensorLike) -> Tensor: ...
    def __rtruediv__(self, y: TensorLike) -> Tensor: ...
    def __rxor__(self, y: TensorLike) -> Tensor: ...
    def __setitem__(self, index: Index, values: TensorLike) -> None: ...
    def __sub__(self, y: TensorLike) -> Tensor: ...
    def __truediv__(self, y: TensorLike) -> Tensor: ...
    def __xor__(self, y: TensorLike) -> Tensor: ...
    @property
    def _version(self) -> _int:
        """How often this tensor's memory was written, through it, its views or what was detached from it."""
    @property
    def data(self) -> Tensor:
        """The same memory without history."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    @property
    def device(self) -> Device:
        """Where the tensor is: cpu."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements."""
    @property
    def grad(self) -> Tensor | None:
        """The gradient that was added up here, or None."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @grad.deleter
    def grad(self) -> None: ...
    @property
    def grad_fn(self) -> Node | None:
        """The node of the graph that computed this tensor, or None for a leaf."""
    @property
    def is_leaf(self) -> _bool:
        """True for a tensor that was not computed from others that require grad."""
    @property
    def itemsize(self) -> _int: ...
    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged."""
    @property
    def nbytes(self) -> _int: ...
    @property
    def ndim(self) -> _int:
        """The number of axes."""
    @property
    def requires_grad(self) -> _bool:
        """Whether operations on this tensor are recorded."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    @property
    def retains_grad(self) -> _bool:
        """Whether retain_grad() was called on this interior tensor."""
    @property
    def shape(self) -> tuple[_int, ...]:
        """The lengths of the axes, a tuple."""
    def abs(self) -> Tensor:
        """abs(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
    def abs_(self) -> Self:
        """As abs, written into the tensor."""
    def add(self, y: TensorLike, *, alpha: Number = 1) -> Tensor:
        """x + alpha * y."""
    def add_(self, y: TensorLike, *, alpha: Number = 1) -> Self: ...
    def addbmm(self, batch1: TensorLike, batch2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * the sum of batch1 @ batch2 over the batch."""
    def addbmm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addbmm, written into the tensor."""
    def addmm(self, mat1: TensorLike, mat2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * (mat1 @ mat2), of matrices."""
    def addmm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addmm, written into the tensor."""
    def addmv(self, mat: TensorLike, vec: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * (mat @ vec)."""
    def addmv_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addmv, written into the tensor."""
    def addr(self, vec1: TensorLike, vec2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * outer(vec1, vec2)."""
    def addr_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addr, written into the tensor."""
    def all(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """Whether all elements, of all or along an axis, are not 0."""
    def allclose(self, y: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether all elements are equal within ``atol + rtol * |y|``, a bool."""
    def amax(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The largest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    def amin(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The smallest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    def any(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """Whether any element, of all or along an axis, is not 0."""
    def arccos(self) -> Tensor:
        """arccos(x), element by element, shapes broadcast as NumPy's."""
    def arccos_(self) -> Self:
        """As arccos, written into the tensor."""
    def arccosh(self) -> Tensor:
        """arccosh(x), element by element, shapes broadcast as NumPy's."""
    def arccosh_(self) -> Self:
        """As arccosh, written into the tensor."""
    def arcsin(self) -> Tensor:
        """arcsin(x), element by element, shapes broadcast as NumPy's."""
    def arcsin_(self) -> Self:
        """As arcsin, written into the tensor."""
    def arcsinh(self) -> Tensor:
        """arcsinh(x), element by element, shapes broadcast as NumPy's."""
    def arcsinh_(self) -> Self:
        """As arcsinh, written into the tensor."""
    def arctan(self) -> Tensor:
        """arctan(x), element by element, shapes broadcast as NumPy's."""
    def arctan2(self, y: TensorLike) -> Tensor:
        """arctan2(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin."""
    def arctan2_(self, y: TensorLike) -> Self:
        """As arctan2, written into the tensor."""
    def arctan_(self) -> Self:
        """As arctan, written into the tensor."""
    def arctanh(self) -> Tensor:
        """arctanh(x), element by element, shapes broadcast as NumPy's."""
    def arctanh_(self) -> Self:
        """As arctanh, written into the tensor."""
    def argmax(
        self, axis: _int | None = None, keepdims: _bool = False, *, dim: _int | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The index of the first largest element, in the flat tensor or along `axis`."""
    def argmin(
        self, axis: _int | None = None, keepdims: _bool = False, *, dim: _int | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The index of the first smallest element, in the flat tensor or along `axis`."""
    def astype(self, dtype: DTypeLike) -> Tensor: ...
    def backward(
        self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None
    ) -> None:
        """Adds the gradients of `tensors` to the ``grad`` of the leaves that they were computed from."""
    def baddbmm(self, batch1: TensorLike, batch2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * (batch1 @ batch2), of batches of matrices."""
    def baddbmm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As baddbmm, written into the tensor."""
    def beta(self, y: TensorLike) -> Tensor:
        """beta(x, y), element by element, shapes broadcast as NumPy's."""
    def betainc(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """betainc(x, y, w), element by element, shapes broadcast as NumPy's."""
    def betainc_by_a(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """betainc_by_a(x, y, w), element by element, shapes broadcast as NumPy's."""
    def betainc_by_b(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """betainc_by_b(x, y, w), element by element, shapes broadcast as NumPy's."""
    def betaln(self, y: TensorLike) -> Tensor:
        """betaln(x, y), element by element, shapes broadcast as NumPy's."""
    def bitwise_and(self, y: TensorLike, /) -> Tensor:
        """As ``np.bitwise_and``, element by element."""
    def bitwise_or(self, y: TensorLike, /) -> Tensor:
        """As ``np.bitwise_or``, element by element."""
    def bitwise_xor(self, y: TensorLike, /) -> Tensor:
        """As ``np.bitwise_xor``, element by element."""
    def bmm(self, y: TensorLike) -> Tensor:
        """The products of two batches of matrices, (b, m, k) and (b, k, n)."""
    def bool(self) -> Tensor: ...
    def broadcast_to(self, *shape: _int | Sequence[_int]) -> Tensor:
        """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """The lower triangular L with L @ L.T = a, or the upper triangular L.T, of symmetric positive definite
        matrices, which are symmetrised. LinAlgError where one is not positive definite."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of the matrix that has this Cholesky factor, lower or upper."""
    def cholesky_solve(self, factor: TensorLike, upper: _bool = False) -> Tensor:
        """x with a @ x = b from the Cholesky factor of `a`, lower or upper. Both as in PyTorch; or the factor first, as
        SciPy's pair ``(c, lower)``."""
    def clamp(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
    def clamp_(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Self:
        """As clamp, written into the tensor."""
    def clone(self, **_: object) -> Tensor:
        """A copy, through which gradients flow."""
    def contiguous(self) -> Tensor:
        """The tensor itself where its memory is contiguous, otherwise a copy that is."""
    def copy_(self, source: TensorLike, non_blocking: _bool = False) -> Self:
        """Writes the values of `source`, which is broadcast, into `x`; gradients go to `source`."""
    def cos(self) -> Tensor:
        """cos(x), element by element, shapes broadcast as NumPy's."""
    def cos_(self) -> Self:
        """As cos, written into the tensor."""
    def cosh(self) -> Tensor:
        """cosh(x), element by element, shapes broadcast as NumPy's."""
    def cosh_(self) -> Self:
        """As cosh, written into the tensor."""
    def cpu(self) -> Tensor: ...
    def cross(
        self, y: TensorLike, axisa: _int = -1, axisb: _int = -1, axisc: _int = -1,
        axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """The vector products of vectors of three elements along an axis, or of two, whose product is a number; the
        other axes broadcast."""
    def deg2rad(self) -> Tensor:
        """deg2rad(x), element by element, shapes broadcast as NumPy's."""
    def deg2rad_(self) -> Self:
        """As deg2rad, written into the tensor."""
    def det(self) -> Tensor:
        """The determinants of matrices. The derivative is the matrix of cofactors, of singular matrices, too, in any
        order."""
    def detach(self) -> Tensor:
        """The same memory without history: a leaf that requires no grad. Writing into either is seen by both."""
    def detach_(self) -> Self:
        """Takes the tensor out of the graph, in place."""
    def diagonal(self, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
        """The elements on a diagonal of two axes. A view."""
    def digamma(self) -> Tensor:
        """digamma(x), element by element, shapes broadcast as NumPy's."""
    def digamma_(self) -> Self:
        """As digamma, written into the tensor."""
    def dim(self) -> _int: ...
    def dist(self, y: TensorLike, p: _float = 2) -> Tensor:
        """The p-norm of x - y, which broadcast."""
    def divide(self, y: TensorLike) -> Tensor:
        """divide(x, y), element by element, shapes broadcast as NumPy's."""
    def divide_(self, y: TensorLike) -> Self:
        """As divide, written into the tensor."""
    def dot(self, y: TensorLike) -> Tensor:
        """As ``np.dot``: the product of two vectors or matrices; of more axes, over the last axis of `x` and the second
        to last of `y`."""
    def double(self) -> Tensor: ...
    def element_size(self) -> _int: ...
    def entr(self) -> Tensor:
        """entr(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0 and below."""
    def equal(self, y: TensorLike) -> _bool:
        """Whether two tensors have one shape and equal elements, a bool."""
    def equal_to(self, y: TensorLike, /) -> Tensor:
        """As ``np.equal``, element by element."""
    def erf(self) -> Tensor:
        """erf(x), element by element, shapes broadcast as NumPy's."""
    def erf_(self) -> Self:
        """As erf, written into the tensor."""
    def erfc(self) -> Tensor:
        """erfc(x), element by element, shapes broadcast as NumPy's."""
    def erfc_(self) -> Self:
        """As erfc, written into the tensor."""
    def erfcinv(self) -> Tensor:
        """erfcinv(x), element by element, shapes broadcast as NumPy's."""
    def erfcx(self) -> Tensor:
        """erfcx(x), element by element, shapes broadcast as NumPy's."""
    def erfcx_derivative(self, y: TensorLike) -> Tensor:
        """erfcx_derivative(x, y), element by element, shapes broadcast as NumPy's."""
    def erfinv(self) -> Tensor:
        """erfinv(x), element by element, shapes broadcast as NumPy's."""
    def erfinv_(self) -> Self:
        """As erfinv, written into the tensor."""
    def exp(self) -> Tensor:
        """exp(x), element by element, shapes broadcast as NumPy's."""
    def exp2(self) -> Tensor:
        """exp2(x), element by element, shapes broadcast as NumPy's."""
    def exp2_(self) -> Self:
        """As exp2, written into the tensor."""
    def exp_(self) -> Self:
        """As exp, written into the tensor."""
    def expand(self, *shape: _int | Sequence[_int]) -> Tensor:
        """As broadcast_to; -1 keeps a length."""
    def expand_as(self, other: Tensor) -> Tensor: ...
    def expm(self) -> Tensor:
        """The exponentials of matrices."""
    def expm1(self) -> Tensor:
        """expm1(x), element by element, shapes broadcast as NumPy's."""
    def expm1_(self) -> Self:
        """As expm1, written into the tensor."""
    def fill_(self, value: Number | Tensor) -> Self:
        """Sets every element to `value`, a number or a tensor without axes."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Axes from `start_dim` to `end_dim` as one. A view."""
    def float(self) -> Tensor: ...
    def gamma(self) -> Tensor:
        """gamma(x), element by element, shapes broadcast as NumPy's."""
    def gamma_density(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """gamma_density(x, y, w), element by element, shapes broadcast as NumPy's."""
    def gammainc(self, y: TensorLike) -> Tensor:
        """gammainc(x, y), element by element, shapes broadcast as NumPy's."""
    def gammainc_(self, y: TensorLike) -> Self:
        """As gammainc, written into the tensor."""
    def gammainc_derivative(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """gammainc_derivative(x, y, w), element by element, shapes broadcast as NumPy's."""
    def gammaincc(self, y: TensorLike) -> Tensor:
        """gammaincc(x, y), element by element, shapes broadcast as NumPy's."""
    def gammaincc_(self, y: TensorLike) -> Self:
        """As gammaincc, written into the tensor."""
    def gammaln(self) -> Tensor:
        """gammaln(x), element by element, shapes broadcast as NumPy's."""
    def gammaln_(self) -> Self:
        """As gammaln, written into the tensor."""
    def greater(self, y: TensorLike, /) -> Tensor:
        """As ``np.greater``, element by element."""
    def greater_equal(self, y: TensorLike, /) -> Tensor:
        """As ``np.greater_equal``, element by element."""
    def hypot(self, y: TensorLike) -> Tensor:
        """hypot(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin."""
    def i0(self) -> Tensor:
        """i0(x), element by element, shapes broadcast as NumPy's."""
    def i0_(self) -> Self:
        """As i0, written into the tensor."""
    def i0e(self) -> Tensor:
        """i0e(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
    def i1(self) -> Tensor:
        """i1(x), element by element, shapes broadcast as NumPy's."""
    def i1e(self) -> Tensor:
        """i1e(x), element by element, shapes broadcast as NumPy's."""
    def inner(self, y: TensorLike) -> Tensor:
        """As ``np.inner``: over the last axes of both; of a number, the multiple."""
    def int(self) -> Tensor: ...
    def inv(self) -> Tensor:
        """The inverses of matrices. LinAlgError for a singular one."""
    def is_contiguous(self) -> _bool:
        """Whether the elements lie in memory in their order, without gaps."""
    def is_floating_point(self) -> _bool: ...
    def is_inference(self) -> _bool: ...
    def isclose(self, y: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
        """Which elements are equal within ``atol + rtol * |y|``."""
    def isfinite(self) -> Tensor:
        """As ``np.isfinite``, element by element."""
    def isinf(self) -> Tensor:
        """As ``np.isinf``, element by element."""
    def isnan(self) -> Tensor:
        """As ``np.isnan``, element by element."""
    def item(self) -> _int | _float:
        """The value of a tensor with one element, as a Python number. RuntimeError where there are more."""
    def iv(self, y: TensorLike) -> Tensor:
        """iv(x, y), element by element, shapes broadcast as NumPy's."""
    def ive(self, y: TensorLike) -> Tensor:
        """ive(x, y), element by element, shapes broadcast as NumPy's."""
    def j0(self) -> Tensor:
        """j0(x), element by element, shapes broadcast as NumPy's."""
    def j1(self) -> Tensor:
        """j1(x), element by element, shapes broadcast as NumPy's."""
    def jv(self, y: TensorLike) -> Tensor:
        """jv(x, y), element by element, shapes broadcast as NumPy's."""
    def kron(self, y: TensorLike) -> Tensor:
        """The Kronecker product, as ``np.kron``: blocks of `y`, each multiplied by an element of `x`."""
    def less(self, y: TensorLike, /) -> Tensor:
        """As ``np.less``, element by element."""
    def less_equal(self, y: TensorLike, /) -> Tensor:
        """As ``np.less_equal``, element by element."""
    def log(self) -> Tensor:
        """log(x), element by element, shapes broadcast as NumPy's."""
    def log10(self) -> Tensor:
        """log10(x), element by element, shapes broadcast as NumPy's."""
    def log10_(self) -> Self:
        """As log10, written into the tensor."""
    def log1p(self) -> Tensor:
        """log1p(x), element by element, shapes broadcast as NumPy's."""
    def log1p_(self) -> Self:
        """As log1p, written into the tensor."""
    def log2(self) -> Tensor:
        """log2(x), element by element, shapes broadcast as NumPy's."""
    def log2_(self) -> Self:
        """As log2, written into the tensor."""
    def log_(self) -> Self:
        """As log, written into the tensor."""
    def log_ndtr(self) -> Tensor:
        """log_ndtr(x), element by element, shapes broadcast as NumPy's."""
    def log_sigmoid(self) -> Tensor:
        """log_sigmoid(x), element by element, shapes broadcast as NumPy's."""
    def logaddexp(self, y: TensorLike) -> Tensor:
        """logaddexp(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
        infinities."""
    def logaddexp2(self, y: TensorLike) -> Tensor:
        """logaddexp2(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
        infinities."""
    def logdet(self) -> Tensor:
        """The logarithms of determinants: -inf of 0, nan of a negative one. The derivative is that of slogdet."""
    def logical_and(self, y: TensorLike, /) -> Tensor:
        """As ``np.logical_and``, element by element."""
    def logical_not(self) -> Tensor:
        """As ``np.logical_not``, element by element."""
    def logical_or(self, y: TensorLike, /) -> Tensor:
        """As ``np.logical_or``, element by element."""
    def logical_xor(self, y: TensorLike, /) -> Tensor:
        """As ``np.logical_xor``, element by element."""
    def logit(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
    def logit_(self) -> Self:
        """As logit, written into the tensor."""
    def long(self) -> Tensor: ...
    def matmul(self, y: TensorLike) -> Tensor:
        """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
    def matrix_power(self, n: _int) -> Tensor:
        """Matrices to an integer power, by repeated squaring; of the inverse for a negative one."""
    def matvec(self, y: TensorLike) -> Tensor:
        """The products of matrices (..., m, n) and vectors (..., n), which broadcast."""
    @overload
    def max(
        self, axis: Sequence[_int] | None = None, keepdims: _bool = False, *, dim: Sequence[_int] | None = None,
        keepdim: _bool = False
    ) -> Tensor:
        """The largest element; ``max(x, dim)`` its values and indices along an axis, ``max(x, y)`` elementwise."""
    @overload
    def max(self, axis: Tensor) -> Tensor: ...
    @overload
    def max(self, axis: _int, keepdims: _bool = False, *, keepdim: _bool = False) -> ValuesIndices: ...
    @overload
    def max(self, *, keepdims: _bool = False, dim: _int, keepdim: _bool = False) -> ValuesIndices: ...
    def maximum(self, y: TensorLike) -> Tensor:
        """maximum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are
        equal, all to each where one is nan."""
    def mean(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The mean of all elements, or over `axis`; nan of no elements. RuntimeError for integers."""
    @overload
    def min(
        self, axis: Sequence[_int] | None = None, keepdims: _bool = False, *, dim: Sequence[_int] | None = None,
        keepdim: _bool = False
    ) -> Tensor:
        """The smallest element; ``min(x, dim)`` its values and indices along an axis, ``min(x, y)`` elementwise."""
    @overload
    def min(self, axis: Tensor) -> Tensor: ...
    @overload
    def min(self, axis: _int, keepdims: _bool = False, *, keepdim: _bool = False) -> ValuesIndices: ...
    @overload
    def min(self, *, keepdims: _bool = False, dim: _int, keepdim: _bool = False) -> ValuesIndices: ...
    def minimum(self, y: TensorLike) -> Tensor:
        """minimum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are
        equal, all to each where one is nan."""
    def mm(self, y: TensorLike) -> Tensor:
        """The product of two matrices."""
    def multiply(self, y: TensorLike) -> Tensor:
        """multiply(x, y), element by element, shapes broadcast as NumPy's."""
    def multiply_(self, y: TensorLike) -> Self:
        """As multiply, written into the tensor."""
    def mv(self, y: TensorLike) -> Tensor:
        """The product of a matrix and a vector."""
    def ndtr(self) -> Tensor:
        """ndtr(x), element by element, shapes broadcast as NumPy's."""
    def ndtri(self) -> Tensor:
        """ndtri(x), element by element, shapes broadcast as NumPy's."""
    def negative(self) -> Tensor:
        """negative(x), element by element, shapes broadcast as NumPy's."""
    def negative_(self) -> Self:
        """As negative, written into the tensor."""
    def nelement(self) -> _int: ...
    def norm(
        self, p: _float | str | None = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False
    ) -> Tensor:
        """The p-norm of all elements, or over `dim`, as in PyTorch: "fro" and 2 are the Euclidean norm, "nuc" is that
        of a matrix. ``linalg.norm`` is NumPy's. At zero the derivative is 0."""
    def not_equal(self, y: TensorLike, /) -> Tensor:
        """As ``np.not_equal``, element by element."""
    def numpy(self, *, force: _bool = False) -> Array:
        """The value as a NumPy array that shares the tensor's memory. RuntimeError where it requires grad, unless
        forced."""
    def outer(self, y: TensorLike) -> Tensor:
        """The products of each element of `x` with each of `y`, (len(x), len(y)); tensors with more axes are taken
        flat."""
    def permute(self, *axes: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
        """The axes in another order. A view."""
    def pinv(
        self, rcond: TensorLike | _float | None = None, hermitian: _bool = False, *,
        rtol: TensorLike | _float | None = None
    ) -> Tensor:
        """The pseudoinverses (Moore and Penrose) of matrices; singular values below `rtol` (or `rcond`), relative to
        the largest one, count as 0. The derivative is that of matrices whose rank doesn't change."""
    def polygamma(self, n: _int) -> Tensor:
        """The n-th derivative of digamma."""
    def power(self, y: TensorLike) -> Tensor:
        """x to the power y, elementwise; x ** 2 is a square, as in NumPy."""
    def power_(self, y: TensorLike) -> Self:
        """As power, written into the tensor."""
    def rad2deg(self) -> Tensor:
        """rad2deg(x), element by element, shapes broadcast as NumPy's."""
    def rad2deg_(self) -> Self:
        """As rad2deg, written into the tensor."""
    def ravel(self) -> Tensor: ...
    def reciprocal(self) -> Tensor:
        """reciprocal(x), element by element, shapes broadcast as NumPy's."""
    def reciprocal_(self) -> Self:
        """As reciprocal, written into the tensor."""
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls ``hook(gradient)`` whenever a gradient with respect to this tensor is complete; what it gives replaces
        it."""
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], object]) -> RemovableHandle:
        """Calls ``hook(x)`` after a gradient was added to ``x.grad``; for leaves."""
    def rel_entr(self, y: TensorLike) -> Tensor:
        """rel_entr(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 where x or y is not above
        0."""
    def relu(self) -> Tensor:
        """relu(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
    def relu_(self) -> Self:
        """As relu, written into the tensor."""
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
        """Sets in place whether operations on this tensor are recorded; returns it."""
    def reshape(self, *shape: _int | Sequence[_int]) -> Tensor:
        """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so
        in memory."""
    def reshape_as(self, other: Tensor) -> Tensor: ...
    def retain_grad(self) -> None:
        """Keeps the gradient of an interior tensor in its ``grad``; a leaf keeps it anyway."""
    def sigmoid(self) -> Tensor:
        """sigmoid(x), element by element, shapes broadcast as NumPy's."""
    def sigmoid_(self) -> Self:
        """As sigmoid, written into the tensor."""
    def sign(self) -> Tensor:
        """sign(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def sign_(self) -> Self:
        """As sign, written into the tensor."""
    def sin(self) -> Tensor:
        """sin(x), element by element, shapes broadcast as NumPy's."""
    def sin_(self) -> Self:
        """As sin, written into the tensor."""
    def sinc(self) -> Tensor:
        """sinc(x), element by element, shapes broadcast as NumPy's."""
    def sinc_(self) -> Self:
        """As sinc, written into the tensor."""
    def sinc_derivative(self, y: TensorLike) -> Tensor:
        """sinc_derivative(x, y), element by element, shapes broadcast as NumPy's."""
    def sinh(self) -> Tensor:
        """sinh(x), element by element, shapes broadcast as NumPy's."""
    def sinh_(self) -> Self:
        """As sinh, written into the tensor."""
    @overload
    def size(self, dim: None = None) -> tuple[_int, ...]: ...
    @overload
    def size(self, dim: _int) -> _int: ...
    def slogdet(self) -> SlogdetResult:
        """The sign of the determinant and the logarithm of its absolute value; a pair. The derivative is ``inv(a).T``,
        at a singular matrix, whose logarithm is -inf, ``pinv(a).T``."""
    def softplus(self) -> Tensor:
        """softplus(x), element by element, shapes broadcast as NumPy's."""
    def sqrt(self) -> Tensor:
        """sqrt(x), element by element, shapes broadcast as NumPy's."""
    def sqrt_(self) -> Self:
        """As sqrt, written into the tensor."""
    def square(self) -> Tensor:
        """square(x), element by element, shapes broadcast as NumPy's."""
    def square_(self) -> Self:
        """As square, written into the tensor."""
    def squeeze(self, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Without axes of length 1: all of them, or those in `axis` that are. A view."""
    def stdtr(self, y: TensorLike) -> Tensor:
        """stdtr(x, y), element by element, shapes broadcast as NumPy's."""
    def stdtr_by_df(self, y: TensorLike) -> Tensor:
        """stdtr_by_df(x, y), element by element, shapes broadcast as NumPy's."""
    def subtract(self, y: TensorLike, *, alpha: Number = 1) -> Tensor:
        """x - alpha * y."""
    def subtract_(self, y: TensorLike, *, alpha: Number = 1) -> Self: ...
    def sum(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The sum of all elements, or over `axis` (an axis, or several). Integers and bools give int64."""
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> SVDFactors:
        """U, S, V with a = (U * S) @ V.mT, PyTorch's older function: V, not its transpose, and thin factors unless
        some=False. See linalg.svd, which is NumPy's."""
    def swapaxes(self, axis1: _int, axis2: _int) -> Tensor:
        """Two axes exchanged. A view."""
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or number as it is. A view."""
    def tan(self) -> Tensor:
        """tan(x), element by element, shapes broadcast as NumPy's."""
    def tan_(self) -> Self:
        """As tan, written into the tensor."""
    def tanh(self) -> Tensor:
        """tanh(x), element by element, shapes broadcast as NumPy's."""
    def tanh_(self) -> Self:
        """As tanh, written into the tensor."""
    def tensordot(
        self, y: TensorLike, axes: _int | Sequence[_int] | Sequence[Sequence[_int]] = 2, *,
        dims: _int | Sequence[_int] | Sequence[Sequence[_int]] | None = None
    ) -> Tensor:
        """Sums of products over axes of both: the last `axes` of `x` with the first of `y`, or those in a pair of
        lists."""
    def to(
        self, *arguments: Tensor | DTypeLike | _bool, dtype: DTypeLike | None = None, device: str | None = None,
        copy: _bool = False, non_blocking: _bool = False
    ) -> Tensor:
        """The tensor in another dtype, itself if it has it already. ``to("cpu")`` and ``to(other)`` work as in
        PyTorch."""
    def tolist(self) -> Any:
        """The values as nested lists of Python numbers, a number for a tensor without axes."""
    def trace(self, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
        """The sum of the elements on a diagonal of two axes, the first two as in NumPy; ``linalg.trace`` takes the last
        two."""
    def transpose(self, *axes: _int | Sequence[_int], dim0: _int | None = None, dim1: _int | None = None) -> Tensor:
        """Two axes exchanged, ``transpose(x, 0, 1)``, or as in NumPy all reversed or in the order given. A view."""
    def type_as(self, other: Tensor) -> Tensor: ...
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """The slices along an axis, a tuple of views."""
    def unflatten(self, dim: _int, sizes: Sequence[_int]) -> Tensor: ...
    def unsqueeze(self, dim: _int) -> Tensor:
        """With a new axis of length 1 at `dim`. A view."""
    def vdot(self, y: TensorLike) -> Tensor:
        """The sum of the products of all elements, both tensors taken flat."""
    def vecdot(self, y: TensorLike, axis: _int = -1, *, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """The products of vectors along an axis; the other axes broadcast."""
    def vecmat(self, y: TensorLike) -> Tensor:
        """The products of vectors (..., m) and matrices (..., m, n), which broadcast."""
    def view(self, *shape: _int | Sequence[_int]) -> Tensor:
        """As reshape, and always a view: ValueError where the elements don't lie so in memory."""
    def view_as(self, other: Tensor) -> Tensor: ...
    def where(self, condition: TensorLike, y: TensorLike) -> Tensor: ...
    def xlog1py(self, y: TensorLike) -> Tensor:
        """xlog1py(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, y = -1."""
    def xlogy(self, y: TensorLike) -> Tensor:
        """xlogy(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = y = 0."""
    def xlogy_(self, y: TensorLike) -> Self:
        """As xlogy, written into the tensor."""
    def y0(self) -> Tensor:
        """y0(x), element by element, shapes broadcast as NumPy's."""
    def y1(self) -> Tensor:
        """y1(x), element by element, shapes broadcast as NumPy's."""
    def yv(self, y: TensorLike) -> Tensor:
        """yv(x, y), element by element, shapes broadcast as NumPy's."""
    def zero_(self) -> Self:
        """Sets every element to 0."""
    def zeta(self, y: TensorLike) -> Tensor:
        """zeta(x, y), element by element, shapes broadcast as NumPy's."""
    absolute = abs
    absolute_ = abs_
    acos = arccos
    acos_ = arccos_
    acosh = arccosh
    acosh_ = arccosh_
    asin = arcsin
    asin_ = arcsin_
    asinh = arcsinh
    asinh_ = arcsinh_
    atan = arctan
    atan2 = arctan2
    atan2_ = arctan2_
    atan_ = arctan_
    atanh = arctanh
    atanh_ = arctanh_
    clip = clamp
    clip_ = clamp_
    degrees = rad2deg
    degrees_ = rad2deg_
    div = divide
    div_ = divide_
    eq = equal_to
    expit = sigmoid
    expit_ = sigmoid_
    ge = greater_equal
    ger = outer
    gt = greater
    igamma = gammainc
    igamma_ = gammainc_
    igammac = gammaincc
    igammac_ = gammaincc_
    inverse = inv
    le = less_equal
    lgamma = gammaln
    lgamma_ = gammaln_
    log_expit = log_sigmoid
    logsigmoid = log_sigmoid
    lt = less
    matrix_exp = expm
    mul = multiply
    mul_ = multiply_
    ndimension = dim
    ne = not_equal
    neg = negative
    neg_ = negative_
    numel = nelement
    permute_dims = permute
    pinverse = pinv
    pow = power
    pow_ = power_
    psi = digamma
    psi_ = digamma_
    radians = deg2rad
    radians_ = deg2rad_
    sub = subtract
    sub_ = subtract_
    true_divide = divide
    true_divide_ = divide_
