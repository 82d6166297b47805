# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from os import PathLike
from types import EllipsisType, ModuleType
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

class Size(int):
    """The number of elements; called, the lengths of the axes, or of one."""
    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def __call__(self, dim: int) -> int: ...

class ProfileRow(NamedTuple):
    operation: str
    records: int
    elements: int
    forward: float
    backward: float
    bytes: int

class Profile:
    """Time and bytes by operation; it prints as a table."""
    rows: list[ProfileRow]
    total: ProfileRow
    sweeps: tuple[float, float]
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[ProfileRow]: ...

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

class AminmaxResult(NamedTuple):
    min: Tensor
    max: Tensor

class Complex(tuple[Tensor, Tensor]):
    """Complex numbers as a pair of tensors of one shape: ``z.real`` and ``z.imag``, or ``real, imag = z``."""
    def __new__(cls, real: TensorLike, imag: TensorLike = 0.0) -> Self: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any: ...
    def __getitem__(self, index: Index) -> Complex: ...  # type: ignore[override]
    def __len__(self) -> int: ...
    def __mul__(self, other: TensorLike | Complex | complex) -> Complex: ...  # type: ignore[override]
    def __neg__(self) -> Complex: ...
    def __radd__(self, other: TensorLike | Complex | complex) -> Complex: ...
    def __rmul__(self, other: TensorLike | Complex | complex) -> Complex: ...  # type: ignore[override]
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

class Tape:
    """A recorded program: calls with other values of its inputs replay it, and so do its derivatives,
    ``tg.grad(tape)``."""
    def __call__(self, *arguments: Any, **keywords: Any) -> Any: ...
    def __len__(self) -> int: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Tape:
        """The tape in a file. No code is run, and every record is checked to stay inside its memory; ValueError for a
        file that is damaged or no tape."""
    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        """What the recorded function gives for other values of its inputs."""
    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """The value and its derivative in the direction of `tangents`; see :func:`tapegrad.jvp`."""
    def profile(self, *arguments: Any, repeats: int = 5) -> Profile:
        """Time and bytes by operation, for these arguments or those that the tape was recorded with: an object that
        prints as a table, and has ``rows``, ``total`` and the times of whole ``sweeps``."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the tape to a file, without any code, as a whole or not at all. ValueError for what a file can't hold,
        objects among the arguments; OSError where it can't be written, as on a full disk: what was there stays."""
    def stats(self) -> dict[str, Any]:
        """What the tape holds, a dict: numbers of records, by operation, inputs, outputs, constants and guards, and
        bytes."""
    def to_dot(self) -> str:
        """The graph in the language of Graphviz, text that a notebook shows as a picture; of a small one also without
        it."""
    def vjp(self, *primals: Any) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
        """The value, and a function that gives products of a vector with the Jacobian; see :func:`tapegrad.vjp`."""

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
    def __add__(self, other: TensorLike) -> Tensor: ...
    def __and__(self, y: TensorLike) -> Tensor: ...
    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType: ...
    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, where: Any = True, **keywords: Any
    ) -> Any: ...
    def __bool__(self) -> _bool: ...
    def __buffer__(self, flags: _int) -> memoryview: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, value: Number) -> _bool: ...
    def __divmod__(self, other: TensorLike) -> tuple[Tensor, Tensor]: ...
    def __dlpack__(
        self, *, stream: Any = None, max_version: tuple[_int, _int] | None = None,
        dl_device: tuple[_int, _int] | None = None, copy: _bool | None = None
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[_int, _int]: ...
    def __eq__(self, y: TensorLike) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: TensorLike) -> Tensor: ...
    def __ge__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __getitem__(self, index: Index) -> Tensor: ...
    def __gt__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __iadd__(self, y: TensorLike) -> Self: ...
    def __iand__(self, y: TensorLike) -> Self: ...
    def __ifloordiv__(self, y: TensorLike) -> Self: ...
    def __ilshift__(self, y: TensorLike) -> Self: ...
    def __imod__(self, y: TensorLike) -> Self: ...
    def __imul__(self, y: TensorLike) -> Self: ...
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, y: TensorLike) -> Self: ...
    def __ipow__(self, exponent: TensorLike) -> Self: ...
    def __irshift__(self, y: TensorLike) -> Self: ...
    def __isub__(self, y: TensorLike) -> Self: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, y: TensorLike) -> Self: ...
    def __ixor__(self, y: TensorLike) -> Self: ...
    def __le__(self, y: TensorLike) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __lshift__(self, y: TensorLike) -> Tensor: ...
    def __lt__(self, y: TensorLike) -> Tensor: ...
    def __matmul__(self, y: TensorLike) -> Tensor: ...
    def __mod__(self, other: TensorLike) -> Tensor: ...
    def __mul__(self, other: TensorLike) -> Tensor: ...
    def __ne__(self, y: TensorLike) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, y: TensorLike) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, exponent: TensorLike) -> Tensor: ...
    def __radd__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __rand__(self, y: TensorLike) -> Tensor: ...
    def __rdivmod__(self, other: TensorLike) -> tuple[Tensor, Tensor]: ...
    def __rfloordiv__(self, y: TensorLike) -> Tensor: ...
    def __rlshift__(self, y: TensorLike) -> Tensor: ...
    def __rmatmul__(self, y: TensorLike) -> Tensor: ...
    def __rmod__(self, y: TensorLike) -> Tensor: ...
    def __rmul__(self, y: TensorLike) -> Tensor: ...  # type: ignore[misc]
    def __ror__(self, y: TensorLike) -> Tensor: ...
    def __round__(self, ndigits: _int | None = None) -> Tensor: ...
    def __rpow__(self, y: TensorLike) -> Tensor: ...
    def __rrshift__(self, y: TensorLike) -> Tensor: ...
    def __rshift__(self, y: TensorLike) -> Tensor: ...
    def __rsub__(self, y: TensorLike) -> Tensor: ...
    def __rtruediv__(self, y: TensorLike) -> Tensor: ...
    def __rxor__(self, y: TensorLike) -> Tensor: ...
    def __setitem__(self, index: Index, values: TensorLike) -> None: ...
    def __sub__(self, other: TensorLike) -> Tensor: ...
    def __truediv__(self, other: TensorLike) -> Tensor: ...
    def __trunc__(self) -> _int: ...
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
    def itemsize(self) -> _int:
        """The bytes of an element."""
    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged."""
    @property
    def nbytes(self) -> _int:
        """The bytes of all elements."""
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
    @property
    def size(self) -> Size:
        """The number of elements; ``x.size()`` and ``x.size(dim)`` are the lengths of the axes, or of one."""
    def abs(self) -> Tensor:
        """abs(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
    def abs_(self) -> Self:
        """As abs, written into the tensor."""
    def add(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
        """x + alpha * other."""
    def add_(self, other: TensorLike, *, alpha: Number = 1) -> Self:
        """As add, written into the tensor."""
    def addbmm(self, batch1: TensorLike, batch2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * the sum of batch1 @ batch2 over the batch."""
    def addbmm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addbmm, written into the tensor."""
    def addcdiv(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
        """x + value * tensor1 / tensor2."""
    def addcdiv_(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Self:
        """As addcdiv, written into the tensor."""
    def addcmul(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
        """x + value * tensor1 * tensor2."""
    def addcmul_(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Self:
        """As addcmul, written into the tensor."""
    def addmm(self, mat1: TensorLike, mat2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * (mat1 @ mat2), of matrices."""
    def addmm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addmm, written into the tensor."""
    def addmv(self, mat: TensorLike, vec: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * (mat @ vec)."""
    def addmv_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addmv, written into the tensor."""
    def addr(self, vec1: TensorLike, vec2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * outer(vec1, vec2)."""
    def addr_(self, *arguments: Any, **keywords: Any) -> Self:
        """As addr, written into the tensor."""
    def all(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """Whether all elements, of all or over `axis` (an axis, or several), are not 0."""
    def allclose(
        self, other: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
    ) -> _bool:
        """Whether all elements are equal within ``atol + rtol * |other|``, a bool."""
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
    def aminmax(self, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> AminmaxResult:
        """The smallest and the largest element, of all or over `dim`, a pair (min, max); as `amin` and `amax` give
        them."""
    def any(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """Whether any element, of all or over `axis` (an axis, or several), is not 0."""
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
    def arctan2(self, other: TensorLike) -> Tensor:
        """arctan2(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin, and where an
        operand is infinite."""
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
    def argsort(
        self, axis: _int | Sequence[_int] | None = None, descending: _bool = False, stable: _bool = True, *,
        dim: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """The indices that sort along an axis, by default the last."""
    def argwhere(self) -> Tensor:
        """The indices of elements that are not 0, a matrix with a row for each."""
    def astype(self, dtype: DTypeLike, copy: _bool = True) -> Tensor:
        """In another dtype, as NumPy names it."""
    def backward(
        self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None
    ) -> None:
        """Adds the gradients of `tensors` to the ``grad`` of the leaves that they were computed from."""
    def baddbmm(self, batch1: TensorLike, batch2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
        """beta * x + alpha * (batch1 @ batch2), of batches of matrices."""
    def baddbmm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As baddbmm, written into the tensor."""
    def bernoulli(self, p: TensorLike | None = None) -> Tensor:
        """1 with the probability that stands in the tensor, or with `p`, and else 0; in the shape and dtype of the
        tensor."""
    def bernoulli_(self, p: TensorLike = 0.5) -> Self:
        """Fills the tensor, of any dtype, with 1 with probability `p`, a number or a tensor that broadcasts to it, and
        else with 0."""
    def bernoulli_loss(self, other: TensorLike) -> Tensor:
        """bernoulli_loss(x, y), element by element, shapes broadcast as NumPy's. Derivative: at most 1e12 in size for y
        in [0, 1]."""
    def beta(self, other: TensorLike) -> Tensor:
        """beta(x, y), element by element, shapes broadcast as NumPy's."""
    def betainc(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """betainc(x, y, w), element by element, shapes broadcast as NumPy's."""
    def betainc_by_a(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """betainc_by_a(x, y, w), element by element, shapes broadcast as NumPy's."""
    def betainc_by_b(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """betainc_by_b(x, y, w), element by element, shapes broadcast as NumPy's."""
    def betaln(self, other: TensorLike) -> Tensor:
        """betaln(x, y), element by element, shapes broadcast as NumPy's."""
    def bincount(self, weights: TensorLike | None = None, minlength: _int = 0) -> Tensor:
        """How often each integer from 0 occurs in a vector; or the sums of the weights there, which are
        differentiable."""
    def bitwise_and(self, other: TensorLike) -> Tensor:
        """As ``np.bitwise_and``, element by element, shapes broadcast; without derivative."""
    def bitwise_and_(self, other: TensorLike) -> Self:
        """As bitwise_and, written into the tensor."""
    def bitwise_left_shift(self, other: TensorLike) -> Tensor:
        """As ``np.left_shift``, element by element, shapes broadcast; without derivative."""
    def bitwise_left_shift_(self, other: TensorLike) -> Self:
        """As bitwise_left_shift, written into the tensor."""
    def bitwise_not(self) -> Tensor:
        """As ``np.invert``, element by element; without derivative."""
    def bitwise_not_(self) -> Self:
        """As bitwise_not, written into the tensor."""
    def bitwise_or(self, other: TensorLike) -> Tensor:
        """As ``np.bitwise_or``, element by element, shapes broadcast; without derivative."""
    def bitwise_or_(self, other: TensorLike) -> Self:
        """As bitwise_or, written into the tensor."""
    def bitwise_right_shift(self, other: TensorLike) -> Tensor:
        """As ``np.right_shift``, element by element, shapes broadcast; without derivative."""
    def bitwise_right_shift_(self, other: TensorLike) -> Self:
        """As bitwise_right_shift, written into the tensor."""
    def bitwise_xor(self, other: TensorLike) -> Tensor:
        """As ``np.bitwise_xor``, element by element, shapes broadcast; without derivative."""
    def bitwise_xor_(self, other: TensorLike) -> Self:
        """As bitwise_xor, written into the tensor."""
    def bmm(self, y: TensorLike) -> Tensor:
        """The products of two batches of matrices, (b, m, k) and (b, k, n)."""
    def bool(self) -> Tensor:
        """As bools: whether each element is not 0."""
    def broadcast_to(self, *shape: _int | Sequence[_int]) -> Tensor:
        """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
    def cbrt(self) -> Tensor:
        """cbrt(x), element by element, shapes broadcast as NumPy's."""
    def cbrt_(self) -> Self:
        """As cbrt, written into the tensor."""
    def ceil(self) -> Tensor:
        """ceil(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def ceil_(self) -> Self:
        """As ceil, written into the tensor."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """The lower triangular L with L @ L.T = a, or the upper triangular L.T, of symmetric positive definite
        matrices, which are symmetrised. LinAlgError where one is not positive definite."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """The inverse of the matrix that has this Cholesky factor, lower or upper."""
    def cholesky_solve(self, factor: TensorLike, upper: _bool = False) -> Tensor:
        """x with a @ x = b from the Cholesky factor of `a`, lower or upper. Both as in PyTorch; or the factor first, as
        SciPy's pair ``(c, lower)``."""
    def choose(self, choices: Sequence[TensorLike], mode: str = 'raise') -> Tensor:
        """``choices[x[i]][i]`` at each place, choices and indices broadcast; as ``np.choose``."""
    def chunk(self, chunks: _int, dim: _int | Sequence[_int] | None = 0) -> tuple[Tensor, ...]:
        """At most so many parts of one length along an axis, the last perhaps shorter; a tuple of views."""
    def clamp(
        self, min: TensorLike | None = None, max: TensorLike | None = None, *, a_min: TensorLike | None = None,
        a_max: TensorLike | None = None
    ) -> Tensor:
        """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
    def clamp_(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Self:
        """As clamp, written into the tensor."""
    def clamp_max(self, max: TensorLike) -> Tensor:
        """Each element, or `max` where that is smaller."""
    def clamp_max_(self, max: TensorLike) -> Self:
        """As clamp_max, written into the tensor."""
    def clamp_min(self, min: TensorLike) -> Tensor:
        """Each element, or `min` where that is larger."""
    def clamp_min_(self, min: TensorLike) -> Self:
        """As clamp_min, written into the tensor."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy, through which gradients flow. `memory_format` is PyTorch's; it may be given, and changes nothing."""
    def compress(self, condition: TensorLike, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """The slices along an axis, or the elements, for which a condition holds."""
    def contiguous(self) -> Tensor:
        """The tensor itself where its memory is contiguous, otherwise a copy that is."""
    def copy(self, order: str = 'C') -> Tensor:
        """A copy, through which gradients flow: NumPy's spelling of `clone`. `order` may be given, and changes
        nothing."""
    def copy_(self, source: TensorLike, non_blocking: _bool = False) -> Self:
        """Writes the values of `source`, which is broadcast, into `x`; gradients go to `source`."""
    def copysign(self, other: TensorLike) -> Tensor:
        """copysign(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, 0 in y."""
    def copysign_(self, y: TensorLike) -> Self:
        """As copysign, written into the tensor."""
    def corrcoef(self) -> Tensor:
        """The correlation coefficients of variables, which are rows, as PyTorch's ``corrcoef``. ``np.corrcoef`` is
        NumPy's."""
    def cos(self) -> Tensor:
        """cos(x), element by element, shapes broadcast as NumPy's."""
    def cos_(self) -> Self:
        """As cos, written into the tensor."""
    def cosh(self) -> Tensor:
        """cosh(x), element by element, shapes broadcast as NumPy's."""
    def cosh_(self) -> Self:
        """As cosh, written into the tensor."""
    def count_nonzero(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """How many elements, of all or along `axis`, are not 0; int64."""
    def cov(
        self, *, correction: _int = 1, fweights: TensorLike | None = None, aweights: TensorLike | None = None
    ) -> Tensor:
        """The covariance matrix of variables, which are rows; of a vector its variance, as PyTorch's ``cov``.
        ``np.cov`` is NumPy's."""
    def cpu(self) -> Tensor:
        """The tensor itself: tensors are nowhere else."""
    def cross(
        self, y: TensorLike, axisa: _int = -1, axisb: _int = -1, axisc: _int = -1,
        axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """The vector products of vectors of three elements along an axis, or of two, whose product is a number; the
        other axes broadcast."""
    def cummax(self, axis: _int | None = None, *, dim: _int | None = None) -> ValuesIndices:
        """The largest elements up to each, along `axis`, or of the flat tensor, and where they are: the last of equal
        ones."""
    def cummin(self, axis: _int | None = None, *, dim: _int | None = None) -> ValuesIndices:
        """The smallest elements up to each, along `axis`, or of the flat tensor, and where they are: the last of equal
        ones."""
    def cumprod(self, axis: _int | None = None, *, dim: _int | None = None, dtype: DTypeLike | None = None) -> Tensor:
        """The products of the elements up to each, along `axis`, or of the flat tensor; the derivative is right at
        zeros, too."""
    def cumsum(self, axis: _int | None = None, *, dim: _int | None = None, dtype: DTypeLike | None = None) -> Tensor:
        """The sums of the elements up to each, along `axis`, or of the flat tensor. Integers and bools give int64."""
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
    def diag(self, diagonal: _int = 0, *, k: _int | None = None) -> Tensor:
        """Of a vector, the matrix that has it on a diagonal; of a matrix, a copy of its diagonal."""
    def diag_embed(self, offset: _int = 0, dim1: _int | None = -2, dim2: _int = -1) -> Tensor:
        """Matrices in two new axes of the result that have the last axis on a diagonal."""
    def diagflat(self, offset: _int = 0, *, k: _int | None = None) -> Tensor:
        """The matrix that has all elements on a diagonal."""
    def diagonal(
        self, offset: _int = 0, axis1: _int = 0, axis2: _int = 1, *, dim1: _int | None = None, dim2: _int | None = None
    ) -> Tensor:
        """The elements on a diagonal of two axes. A view."""
    def diagonal_scatter(self, src: TensorLike, offset: _int = 0, dim1: _int | None = 0, dim2: _int = 1) -> Tensor:
        """`x` with a diagonal taken from `src`."""
    def diff(
        self, n: _int = 1, axis: _int = -1, prepend: TensorLike | None = None, append: TensorLike | None = None, *,
        dim: _int | None = None
    ) -> Tensor:
        """Differences of neighbours along an axis, `n` times; what is prepended or appended first is a number, or fits
        beside `x`."""
    def digamma(self) -> Tensor:
        """digamma(x), element by element, shapes broadcast as NumPy's."""
    def digamma_(self) -> Self:
        """As digamma, written into the tensor."""
    def dim(self) -> _int:
        """The number of axes."""
    def dist(self, y: TensorLike, p: _float = 2) -> Tensor:
        """The p-norm of x - y, which broadcast."""
    def divide(self, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
        """x / other; `rounding_mode` "trunc" or "floor" rounds the quotient to a whole number, and then the derivative
        is 0."""
    def divide_(self, y: TensorLike) -> Self:
        """As divide, written into the tensor."""
    def dot(self, y: TensorLike) -> Tensor:
        """As ``np.dot``: the product of two vectors or matrices; of more axes, over the last axis of `x` and the second
        to last of `y`."""
    def double(self) -> Tensor:
        """In float64."""
    def dsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor | Array) -> tuple[Tensor, ...]:
        """As ``np.dsplit``: so many parts of one length, or the parts between places; a tuple of views."""
    def element_size(self) -> _int:
        """The bytes of an element."""
    def elu(self, other: TensorLike) -> Tensor:
        """elu(x, y), element by element, shapes broadcast as NumPy's. Derivative: y at 0."""
    def elu_(self, y: TensorLike) -> Self:
        """As elu, written into the tensor."""
    def entr(self) -> Tensor:
        """entr(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0 and below."""
    def equal(self, other: TensorLike) -> _bool:
        """Whether two tensors have one shape and equal elements, a bool."""
    def equal_to(self, other: TensorLike) -> Tensor:
        """As ``np.equal``, element by element, shapes broadcast; without derivative."""
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
    def erfcx_derivative(self, other: TensorLike) -> Tensor:
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
    def expand_as(self, other: Tensor) -> Tensor:
        """Expanded to the shape of another tensor."""
    def expm(self) -> Tensor:
        """The exponentials of matrices."""
    def expm1(self) -> Tensor:
        """expm1(x), element by element, shapes broadcast as NumPy's."""
    def expm1_(self) -> Self:
        """As expm1, written into the tensor."""
    def exponential_(self, lambd: _float = 1.0) -> Self:
        """Fills the tensor with random numbers of density lambd * exp(-lambd * x). ValueError where `lambd` is not
        above 0."""
    def fill_(self, value: Number | Tensor) -> Self:
        """Sets every element to `value`, a number or a tensor without axes."""
    def fill_diagonal_(self, fill_value: Number | Tensor, wrap: _bool = False) -> Self:
        """`fill_value`, a number or tensor without axes, on the main diagonal; with `wrap`, in a tall matrix again and
        again."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """Axes from `start_dim` to `end_dim` as one. A view."""
    def flip(
        self, *axes: _int | Sequence[_int] | None, dims: _int | Sequence[_int] | None = None,
        axis: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Axes backward: those given, or all. A copy, as in PyTorch, and not a view as in NumPy."""
    def fliplr(self) -> Tensor:
        """The second axis backward."""
    def flipud(self) -> Tensor:
        """The first axis backward."""
    def float(self) -> Tensor:
        """In float32."""
    def float_power(self, exponent: TensorLike) -> Tensor:
        """x to the power `exponent` in float64, whatever the dtypes are."""
    def floor(self) -> Tensor:
        """floor(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def floor_(self) -> Self:
        """As floor, written into the tensor."""
    def floor_divide(self, other: TensorLike) -> Tensor:
        """floor_divide(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def floor_divide_(self, y: TensorLike) -> Self:
        """As floor_divide, written into the tensor."""
    def fma(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """fma(x, y, w), element by element, shapes broadcast as NumPy's."""
    def fmax(self, other: TensorLike) -> Tensor:
        """fmax(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
        nothing to a nan beside a number."""
    def fmin(self, other: TensorLike) -> Tensor:
        """fmin(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
        nothing to a nan beside a number."""
    def fmod(self, other: TensorLike) -> Tensor:
        """fmod(x, y), element by element, shapes broadcast as NumPy's. Derivative: of its piece."""
    def fmod_(self, y: TensorLike) -> Self:
        """As fmod, written into the tensor."""
    def frac(self) -> Tensor:
        """x - trunc(x): what is behind the point, with the sign of x. Derivative: 1 everywhere."""
    def frac_(self) -> Self:
        """As frac, written into the tensor."""
    def gamma(self) -> Tensor:
        """gamma(x), element by element, shapes broadcast as NumPy's."""
    def gamma_density(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """gamma_density(x, y, w), element by element, shapes broadcast as NumPy's."""
    def gammainc(self, other: TensorLike) -> Tensor:
        """gammainc(x, y), element by element, shapes broadcast as NumPy's."""
    def gammainc_(self, y: TensorLike) -> Self:
        """As gammainc, written into the tensor."""
    def gammainc_derivative(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """gammainc_derivative(x, y, w), element by element, shapes broadcast as NumPy's."""
    def gammaincc(self, other: TensorLike) -> Tensor:
        """gammaincc(x, y), element by element, shapes broadcast as NumPy's."""
    def gammaincc_(self, y: TensorLike) -> Self:
        """As gammaincc, written into the tensor."""
    def gammaln(self) -> Tensor:
        """gammaln(x), element by element, shapes broadcast as NumPy's."""
    def gammaln_(self) -> Self:
        """As gammaln, written into the tensor."""
    def gather(self, dim: _int | Sequence[_int] | None, index: Index) -> Tensor:
        """``z[i][j] = x[index[i][j]][j]`` for axis 0, and so on: elements picked along an axis, in the shape of the
        indices."""
    def gelu(self) -> Tensor:
        """gelu(x), element by element, shapes broadcast as NumPy's."""
    def greater(self, other: TensorLike) -> Tensor:
        """As ``np.greater``, element by element, shapes broadcast; without derivative."""
    def greater_equal(self, other: TensorLike) -> Tensor:
        """As ``np.greater_equal``, element by element, shapes broadcast; without derivative."""
    def hardtanh(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """hardtanh(x, y, w), element by element, shapes broadcast as NumPy's. Derivative: 0 in x at both bounds, as
        PyTorch."""
    def heaviside(self, other: TensorLike) -> Tensor:
        """heaviside(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 in x; in y, 1 at x = 0."""
    def heaviside_(self, y: TensorLike) -> Self:
        """As heaviside, written into the tensor."""
    def histc(self, bins: _int | TensorLike = 100, min: Number = 0, max: Number = 0) -> Tensor:
        """Counts of elements in equal bins from min to max; where those are equal, from the smallest element to the
        largest."""
    def hsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor | Array) -> tuple[Tensor, ...]:
        """As ``np.hsplit``: so many parts of one length, or the parts between places; a tuple of views."""
    def hypot(self, other: TensorLike) -> Tensor:
        """hypot(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin."""
    def hypot_(self, y: TensorLike) -> Self:
        """As hypot, written into the tensor."""
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
    def index_add(
        self, dim: _int | Sequence[_int] | None, index: Index, source: TensorLike, *, alpha: Number = 1
    ) -> Tensor:
        """alpha times the slices of `source` added to those along an axis at the indices of a vector, all of repeated
        ones."""
    def index_add_(
        self, dim: _int | Sequence[_int] | None, index: Index, source: TensorLike, *, alpha: Number = 1
    ) -> Self:
        """As index_add, written into the tensor."""
    def index_copy(self, dim: _int | Sequence[_int] | None, index: Index, source: TensorLike) -> Tensor:
        """The slices of `source` in place of those along an axis at the indices of a vector; of repeated ones the last
        counts."""
    def index_copy_(self, dim: _int | Sequence[_int] | None, index: Index, source: TensorLike) -> Self:
        """As index_copy, written into the tensor."""
    def index_fill(self, dim: _int | Sequence[_int] | None, index: Index, value: Number) -> Tensor:
        """`value` in the slices along an axis at the indices of a vector."""
    def index_fill_(self, dim: _int | Sequence[_int] | None, index: Index, value: Number) -> Self:
        """As index_fill, written into the tensor."""
    def index_put(self, indices: Sequence[Any], values: TensorLike, accumulate: _bool = False) -> Tensor:
        """`values` at ``x[indices]``, a tuple of index arrays; with `accumulate`, added."""
    def index_put_(self, indices: Sequence[Any], values: TensorLike, accumulate: _bool = False) -> Self:
        """As index_put, written into the tensor."""
    def index_select(self, dim: _int | Sequence[_int] | None, index: Index) -> Tensor:
        """The slices along an axis at the indices of a vector. A copy."""
    def inner(self, y: TensorLike) -> Tensor:
        """As ``np.inner``: over the last axes of both; of a number, the multiple."""
    def int(self) -> Tensor:
        """In int32."""
    def inv(self) -> Tensor:
        """The inverses of matrices. LinAlgError for a singular one."""
    def is_complex(self) -> _bool:
        """Whether the elements are complex numbers: never, tensors are of real ones."""
    def is_contiguous(self) -> _bool:
        """Whether the elements lie in memory in their order, without gaps."""
    def is_floating_point(self) -> _bool:
        """Whether the elements are floats."""
    def is_inference(self) -> _bool:
        """Whether the tensor was made in inference_mode."""
    def is_nonzero(self) -> _bool:
        """Whether a tensor with one element is not 0. An error for several, as of ``bool(x)``, and for none."""
    def is_same_size(self, other: TensorLike) -> _bool:
        """Whether the shapes are equal."""
    def is_signed(self) -> _bool:
        """Whether the dtype has negative numbers."""
    def isclose(
        self, other: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
    ) -> Tensor:
        """Which elements are equal within ``atol + rtol * |other|``."""
    def isfinite(self) -> Tensor:
        """As ``np.isfinite``, element by element; without derivative."""
    def isin(self, test_elements: TensorLike, *, assume_unique: _bool = False, invert: _bool = False) -> Tensor:
        """Which elements are among others."""
    def isinf(self) -> Tensor:
        """As ``np.isinf``, element by element; without derivative."""
    def isnan(self) -> Tensor:
        """As ``np.isnan``, element by element; without derivative."""
    def isneginf(self) -> Tensor:
        """As ``np.isneginf``, element by element; without derivative."""
    def isposinf(self) -> Tensor:
        """As ``np.isposinf``, element by element; without derivative."""
    def isreal(self) -> Tensor:
        """As ``np.isreal``, element by element; without derivative."""
    def item(self) -> _int | _float:
        """The value of a tensor with one element, as a Python number. RuntimeError where there are more."""
    def iv(self, other: TensorLike) -> Tensor:
        """iv(x, y), element by element, shapes broadcast as NumPy's."""
    def ive(self, other: TensorLike) -> Tensor:
        """ive(x, y), element by element, shapes broadcast as NumPy's."""
    def j0(self) -> Tensor:
        """j0(x), element by element, shapes broadcast as NumPy's."""
    def j1(self) -> Tensor:
        """j1(x), element by element, shapes broadcast as NumPy's."""
    def jv(self, other: TensorLike) -> Tensor:
        """jv(x, y), element by element, shapes broadcast as NumPy's."""
    def kron(self, y: TensorLike) -> Tensor:
        """The Kronecker product, as ``np.kron``: blocks of `y`, each multiplied by an element of `x`."""
    def kthvalue(
        self, k: _int, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> ValuesIndices:
        """The k-th smallest value along an axis, by default the last, counted from 1, and its index."""
    def ldexp(self, exponent: TensorLike) -> Tensor:
        """x * 2**exponent, exactly for whole exponents, also where 2**exponent alone would overflow."""
    def ldexp_(self, exponent: TensorLike) -> Self:
        """As ldexp, written into the tensor."""
    def leaky_relu(self, other: TensorLike) -> Tensor:
        """leaky_relu(x, y), element by element, shapes broadcast as NumPy's. Derivative: the slope y at 0."""
    def leaky_relu_(self, y: TensorLike) -> Self:
        """As leaky_relu, written into the tensor."""
    def lerp(self, end: Number | Tensor, weight: TensorLike) -> Tensor:
        """x + weight * (end - x): `x` at weight 0, `end` at weight 1."""
    def lerp_(self, y: TensorLike, w: TensorLike, /) -> Self:
        """As lerp, written into the tensor."""
    def less(self, other: TensorLike) -> Tensor:
        """As ``np.less``, element by element, shapes broadcast; without derivative."""
    def less_equal(self, other: TensorLike) -> Tensor:
        """As ``np.less_equal``, element by element, shapes broadcast; without derivative."""
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
    def log_softmax(
        self, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None,
        dtype: DTypeLike | None = None
    ) -> Tensor:
        """log(softmax(x)), along `axis` (an axis, or several; all by default), right where softmax is close to 0."""
    def logaddexp(self, other: TensorLike) -> Tensor:
        """logaddexp(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
        infinities."""
    def logaddexp2(self, other: TensorLike) -> Tensor:
        """logaddexp2(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
        infinities."""
    def logcumsumexp(self, axis: _int | None = None, *, dim: _int | None = None) -> Tensor:
        """log(cumsum(exp(x))) along `axis`, or of the flat tensor, without overflow."""
    def logdet(self) -> Tensor:
        """The logarithms of determinants: -inf of 0, nan of a negative one. The derivative is that of slogdet."""
    def logical_and(self, other: TensorLike) -> Tensor:
        """As ``np.logical_and``, element by element, shapes broadcast; without derivative."""
    def logical_and_(self, other: TensorLike) -> Self:
        """As logical_and, written into the tensor."""
    def logical_not(self) -> Tensor:
        """As ``np.logical_not``, element by element; without derivative."""
    def logical_not_(self) -> Self:
        """As logical_not, written into the tensor."""
    def logical_or(self, other: TensorLike) -> Tensor:
        """As ``np.logical_or``, element by element, shapes broadcast; without derivative."""
    def logical_or_(self, other: TensorLike) -> Self:
        """As logical_or, written into the tensor."""
    def logical_xor(self, other: TensorLike) -> Tensor:
        """As ``np.logical_xor``, element by element, shapes broadcast; without derivative."""
    def logical_xor_(self, other: TensorLike) -> Self:
        """As logical_xor, written into the tensor."""
    def logit(self, eps: _float | None = None) -> Tensor:
        """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
    def logit_(self) -> Self:
        """As logit, written into the tensor."""
    def logsumexp(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """log(sum(exp(x))) of all elements, or over `axis`, without overflow; -inf of no elements."""
    def long(self) -> Tensor:
        """In int64."""
    def masked_fill(self, mask: TensorLike, value: Number) -> Tensor:
        """`value`, a number or a tensor without axes, where a mask is true, `x` elsewhere; shapes broadcast."""
    def masked_fill_(self, mask: TensorLike, value: Number) -> Self:
        """As masked_fill, written into the tensor."""
    def masked_scatter(self, mask: TensorLike, source: TensorLike) -> Tensor:
        """The elements of `source`, in their order, where a mask is true, `x` elsewhere."""
    def masked_scatter_(self, mask: TensorLike, source: TensorLike) -> Self:
        """As masked_scatter, written into the tensor."""
    def masked_select(self, mask: TensorLike) -> Tensor:
        """The elements where a mask is true, after both are broadcast: a vector."""
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
    def maximum(self, other: TensorLike) -> Tensor:
        """maximum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are
        equal, all to each where one is nan."""
    def mean(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The mean of all elements, or over `axis`; nan of no elements. RuntimeError for integers."""
    def median(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The middle element in order, of all or over `axis`; of an even number the mean of the two in the middle, as
        NumPy's."""
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
    def minimum(self, other: TensorLike) -> Tensor:
        """minimum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are
        equal, all to each where one is nan."""
    def mm(self, y: TensorLike) -> Tensor:
        """The product of two matrices."""
    def mode(self, dim: _int = -1, keepdim: _bool = False) -> ValuesIndices:
        """The value that occurs most often along an axis, of several the smallest, and the index of its last
        occurrence."""
    def moveaxis(self, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
        """Axes moved to other places, the others in their order. A view."""
    def msort(self) -> Tensor:
        """Values in order along the first axis."""
    def multinomial(self, num_samples: _int, replacement: _bool = False) -> Tensor:
        """Indices drawn by weights, int64: of a vector of weights `num_samples`, of a matrix so many for each row."""
    def multiply(self, other: TensorLike) -> Tensor:
        """multiply(x, y), element by element, shapes broadcast as NumPy's."""
    def multiply_(self, y: TensorLike) -> Self:
        """As multiply, written into the tensor."""
    def mv(self, y: TensorLike) -> Tensor:
        """The product of a matrix and a vector."""
    def nan_to_num(
        self, nan: _float | None = 0.0, posinf: _float | None = None, neginf: _float | None = None
    ) -> Tensor:
        """With `nan` for nan, and for inf and -inf what is given, or else the largest and smallest finite numbers."""
    def nan_to_num_(self, nan: _float | None = 0.0, posinf: _float | None = None, neginf: _float | None = None) -> Self:
        """As nan_to_num, written into the tensor."""
    def nanmax(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The largest of the elements that are not nan, of all or over `axis`; nan of none."""
    def nanmean(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The mean of the elements that are not nan, of all or over `axis`; the others have a derivative of 0. nan of
        none."""
    def nanmedian(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """As `median`, of the elements that are not nan; nan where there are none."""
    def nanmin(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The smallest of the elements that are not nan, of all or over `axis`; nan of none."""
    def nanprod(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The product of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
    def nanquantile(
        self, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
        interpolation: str | None = None
    ) -> Tensor:
        """As `quantile`, of the elements that are not nan; nan where there are none."""
    def nansum(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The sum of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
    def narrow(self, dim: _int | Sequence[_int] | None, start: _int, length: _int) -> Tensor:
        """`length` elements along an axis, from `start`. A view."""
    def ndtr(self) -> Tensor:
        """ndtr(x), element by element, shapes broadcast as NumPy's."""
    def ndtri(self) -> Tensor:
        """ndtri(x), element by element, shapes broadcast as NumPy's."""
    def negative(self) -> Tensor:
        """negative(x), element by element, shapes broadcast as NumPy's."""
    def negative_(self) -> Self:
        """As negative, written into the tensor."""
    def new_empty(
        self, *arguments: Any, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None,
        **keywords: Any
    ) -> Tensor:
        """As ``tapegrad.empty``, with the dtype of this tensor."""
    def new_full(
        self, *arguments: Any, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None,
        **keywords: Any
    ) -> Tensor:
        """As ``tapegrad.full``, with the dtype of this tensor."""
    def new_ones(
        self, *arguments: Any, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None,
        **keywords: Any
    ) -> Tensor:
        """As ``tapegrad.ones``, with the dtype of this tensor."""
    def new_tensor(
        self, *arguments: Any, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None,
        **keywords: Any
    ) -> Tensor:
        """As ``tapegrad.tensor``, with the dtype of this tensor."""
    def new_zeros(
        self, *arguments: Any, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None,
        **keywords: Any
    ) -> Tensor:
        """As ``tapegrad.zeros``, with the dtype of this tensor."""
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor | tuple[Tensor, ...]:
        """The indices of elements that are not 0: a matrix with a row for each, as PyTorch; with `as_tuple`, and by
        ``np.nonzero(x)``, a tuple with a vector for each axis."""
    def norm(
        self, p: _float | str | None = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
        dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False
    ) -> Tensor:
        """The p-norm of all elements, or over `dim`, as in PyTorch: "fro" and 2 are the Euclidean norm, "nuc" is that
        of a matrix. ``linalg.norm`` is NumPy's. At zero the derivative is 0."""
    def normal_(self, mean: Number = 0.0, std: Number = 1.0) -> Self:
        """Fills the tensor with random numbers from a normal distribution. ValueError for a negative standard
        deviation."""
    def not_equal(self, other: TensorLike) -> Tensor:
        """As ``np.not_equal``, element by element, shapes broadcast; without derivative."""
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _bool = False) -> Array:
        """The value as a NumPy array that shares the tensor's memory. RuntimeError where it requires grad, unless
        forced or under no_grad."""
    def outer(self, y: TensorLike) -> Tensor:
        """The products of each element of `x` with each of `y`, (len(x), len(y)); tensors with more axes are taken
        flat."""
    def permute(self, *axes: _int | Sequence[_int] | None, dims: _int | Sequence[_int] | None = None) -> Tensor:
        """The axes in another order. A view."""
    def pinv(
        self, rcond: TensorLike | _float | None = None, hermitian: _bool = False, *,
        rtol: TensorLike | _float | None = None
    ) -> Tensor:
        """The pseudoinverses (Moore and Penrose) of matrices; singular values below `rtol` (or `rcond`), relative to
        the largest one, count as 0. The derivative is that of matrices whose rank doesn't change."""
    def polygamma(self, n: _int) -> Tensor:
        """The n-th derivative of digamma."""
    def positive(self) -> Tensor:
        """The tensor itself."""
    def pow_(self, exponent: TensorLike) -> Self:
        """As power, written into the tensor."""
    def power(self, exponent: TensorLike) -> Tensor:
        """x to the power `exponent`, elementwise; x ** 2 is a square, as in NumPy. Integers to integers are
        integers."""
    def prod(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The product of all elements, or over `axis`; 1 of no elements. Integers and bools give int64."""
    def ptp(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
    ) -> Tensor:
        """The largest element minus the smallest one, of all or over `axis`; either's derivative is shared among equal
        ones."""
    def put(self, index: Index, source: TensorLike, accumulate: _bool = False) -> Tensor:
        """The elements of `source` at places of the flat tensor; with `accumulate`, added. ``np.put`` writes into its
        tensor."""
    def put_(self, index: Index, source: TensorLike, accumulate: _bool = False) -> Self:
        """As put, written into the tensor."""
    def quantile(
        self, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
        interpolation: str | None = None
    ) -> Tensor:
        """The value below which a part `q`, a number in [0, 1] or several, of the elements lies, of all or over
        `axis`."""
    def rad2deg(self) -> Tensor:
        """rad2deg(x), element by element, shapes broadcast as NumPy's."""
    def rad2deg_(self) -> Self:
        """As rad2deg, written into the tensor."""
    def ravel(self, order: str = 'C') -> Tensor:
        """All elements along one axis. A view, or a copy where they don't lie so in memory."""
    def reciprocal(self) -> Tensor:
        """reciprocal(x), element by element, shapes broadcast as NumPy's."""
    def reciprocal_(self) -> Self:
        """As reciprocal, written into the tensor."""
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls ``hook(gradient)`` whenever a gradient with respect to this tensor is complete; what it gives replaces
        it."""
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Calls ``hook(x)`` after a gradient was added to ``x.grad``; for leaves."""
    def rel_entr(self, other: TensorLike) -> Tensor:
        """rel_entr(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 where x or y is not above
        0."""
    def relu(self) -> Tensor:
        """relu(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
    def relu_(self) -> Self:
        """As relu, written into the tensor."""
    def remainder(self, other: TensorLike) -> Tensor:
        """remainder(x, y), element by element, shapes broadcast as NumPy's. Derivative: of its piece."""
    def remainder_(self, y: TensorLike) -> Self:
        """As remainder, written into the tensor."""
    def renorm(self, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """With the slices along an axis whose p-norm is above `maxnorm` shortened to it. The shape stays."""
    def renorm_(self, *arguments: Any, **keywords: Any) -> Self:
        """As renorm, written into the tensor."""
    def repeat(
        self, *repeats: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """The whole tensor several times along each axis, as PyTorch: ``x.repeat(2, 3)`` is ``tile(x, (2, 3))``. With
        ``axis=``, each element several times along it, as NumPy."""
    def repeat_interleave(
        self, repeats: _int | Sequence[_int] | Tensor | Array, dim: _int | Sequence[_int] | None = None, *,
        axis: _int | Sequence[_int] | None = None, output_size: _int | None = None
    ) -> Tensor:
        """Each element several times, `repeats` the count or one for each, in the flat tensor or along an axis; as
        ``np.repeat``."""
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
        """Sets in place whether operations on this tensor are recorded; returns it."""
    def reshape(self, *shape: _int | Sequence[_int]) -> Tensor:
        """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so
        in memory."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """The same elements in the shape of another tensor."""
    def retain_grad(self) -> None:
        """Keeps the gradient of an interior tensor in its ``grad``; a leaf keeps it anyway."""
    def rgamma(self) -> Tensor:
        """rgamma(x), element by element, shapes broadcast as NumPy's. Derivative: (-1)^n n! at -n."""
    def rint(self) -> Tensor:
        """round(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def rint_(self) -> Self:
        """As round, written into the tensor."""
    def roll(
        self, shifts: _int | Sequence[_int] | None, dims: _int | Sequence[_int] | None = None, *,
        axis: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Elements moved along axes, those that leave at the end entering at the start; without an axis, along the flat
        tensor."""
    def rot90(
        self, k: _int = 1, dims: _int | Sequence[_int] | None = (0, 1), *, axes: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """Rotated by 90 degrees, k times, in the plane of two axes, from the first toward the second. A copy."""
    def round(self, decimals: _int = 0) -> Tensor:
        """To the nearest number with so many decimals, a half to the even one, as NumPy. Derivative: 0 everywhere."""
    def round_(self, decimals: _int = 0) -> Self:
        """As round, written into the tensor."""
    def rsqrt(self) -> Tensor:
        """rsqrt(x), element by element, shapes broadcast as NumPy's."""
    def rsqrt_(self) -> Self:
        """As rsqrt, written into the tensor."""
    def scatter(
        self, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike | None = None, *,
        value: TensorLike | None = None, reduce: str | None = None
    ) -> Tensor:
        """``z[index[i][j]][j] = src[i][j]`` for axis 0, and so on: the opposite of gather. `src` may be a number."""
    def scatter_(
        self, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike | None = None, *,
        value: TensorLike | None = None, reduce: str | None = None
    ) -> Self:
        """As scatter, written into the tensor."""
    def scatter_add(self, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike) -> Tensor:
        """``z[index[i][j]][j] += src[i][j]`` for axis 0, and so on; repeated places all of them."""
    def scatter_add_(self, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike) -> Self:
        """As scatter_add, written into the tensor."""
    def scatter_reduce(
        self, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike, reduce: str, *,
        include_self: _bool = True
    ) -> Tensor:
        """What is at places along an axis together with what `src` has for them: reduced by 'sum', 'prod', 'mean',
        'amax' or 'amin'."""
    def scatter_reduce_(
        self, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike, reduce: str, *,
        include_self: _bool = True
    ) -> Self:
        """As scatter_reduce, written into the tensor."""
    def searchsorted(
        self, values: TensorLike, side: str | None = None, sorter: TensorLike | None = None, *, right: _bool = False,
        out_int32: _bool = False
    ) -> Tensor:
        """Where values would be inserted to keep a sequence sorted: before equal ones, or with ``side='right'`` behind
        them."""
    def select(
        self, dim: _int | Sequence[TensorLike], index: _int | TensorLike | None = None, *,
        axis: _int | Sequence[_int] | None = None, default: Number = 0
    ) -> Tensor:
        """``select(x, dim, index)``: the slice of a tensor at an index along an axis, a view, as PyTorch.
        ``select(conditions, choices, default)``, lists: of each place's choices the one whose condition is the first to
        hold, as ``np.select``."""
    def select_scatter(self, src: TensorLike, dim: _int | Sequence[_int] | None, index: Index) -> Tensor:
        """`x` with the slice at an index along an axis taken from `src`."""
    def sigmoid(self) -> Tensor:
        """sigmoid(x), element by element, shapes broadcast as NumPy's."""
    def sigmoid_(self) -> Self:
        """As sigmoid, written into the tensor."""
    def sign(self) -> Tensor:
        """sign(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def sign_(self) -> Self:
        """As sign, written into the tensor."""
    def signbit(self) -> Tensor:
        """Whether the sign is negative, that of -0.0 too; bools."""
    def silu(self) -> Tensor:
        """silu(x), element by element, shapes broadcast as NumPy's."""
    def silu_(self) -> Self:
        """As silu, written into the tensor."""
    def sin(self) -> Tensor:
        """sin(x), element by element, shapes broadcast as NumPy's."""
    def sin_(self) -> Self:
        """As sin, written into the tensor."""
    def sinc(self) -> Tensor:
        """sinc(x), element by element, shapes broadcast as NumPy's."""
    def sinc_(self) -> Self:
        """As sinc, written into the tensor."""
    def sinc_derivative(self, other: TensorLike) -> Tensor:
        """sinc_derivative(x, y), element by element, shapes broadcast as NumPy's."""
    def sinh(self) -> Tensor:
        """sinh(x), element by element, shapes broadcast as NumPy's."""
    def sinh_(self) -> Self:
        """As sinh, written into the tensor."""
    def slice_scatter(
        self, src: TensorLike, dim: _int | Sequence[_int] | None = 0, start: _int | None = None,
        end: _int | None = None, step: Number | Tensor = 1
    ) -> Tensor:
        """`x` with ``x[start:end:step]`` along an axis taken from `src`."""
    def slogdet(self) -> SlogdetResult:
        """The sign of the determinant and the logarithm of its absolute value; a pair. The derivative is ``inv(a).T``,
        at a singular matrix, whose logarithm is -inf, ``pinv(a).T``."""
    def softmax(
        self, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None,
        dtype: DTypeLike | None = None
    ) -> Tensor:
        """exp(x) / sum(exp(x)), along `axis` (an axis, or several; all by default), without overflow."""
    def softplus(self) -> Tensor:
        """softplus(x), element by element, shapes broadcast as NumPy's."""
    def softplus_below(self, y: TensorLike, w: TensorLike, /) -> Tensor:
        """softplus_below(x, y, w), element by element, shapes broadcast as NumPy's. Derivative: 1 above the
        threshold."""
    def sort(
        self, axis: _int | Sequence[_int] | None = None, descending: _bool = False, stable: _bool = True, *,
        dim: _int | Sequence[_int] | None = None
    ) -> ValuesIndices:
        """Values in order along an axis, by default the last, and their indices, as PyTorch; ``np.sort(x)`` gives
        values alone."""
    def split(
        self, split_size_or_sections: _int | Sequence[_int], dim: _int | Sequence[_int] | None = 0, *,
        axis: _int | Sequence[_int] | None = None
    ) -> tuple[Tensor, ...]:
        """Parts of one length along an axis, the last perhaps shorter, or of the lengths in a list: a tuple of views.
        As PyTorch; ``np.split(x, ...)`` takes a number of parts, or places."""
    def sqrt(self) -> Tensor:
        """sqrt(x), element by element, shapes broadcast as NumPy's."""
    def sqrt_(self) -> Self:
        """As sqrt, written into the tensor."""
    def square(self) -> Tensor:
        """square(x), element by element, shapes broadcast as NumPy's."""
    def square_(self) -> Self:
        """As square, written into the tensor."""
    def squeeze(self, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Without axes of length 1: all of them, or those in `axis` that are; in PyTorch's way, others stay. A view."""
    def std(
        self, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, ddof: _float | None = None,
        correction: _float | None = None, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The standard deviation of all elements, or over `axis`: the root of `var`, with its arguments and its
        defaults: `correction` is 1 in ``x.std()`` and ``tg.std(x)``, and 0 in ``np.std(x)``."""
    def std_mean(
        self, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, correction: _float | None = None
    ) -> tuple[Tensor, Tensor]:
        """The standard deviation and the mean, a pair."""
    def stdtr(self, other: TensorLike) -> Tensor:
        """stdtr(x, y), element by element, shapes broadcast as NumPy's."""
    def stdtr_by_df(self, other: TensorLike) -> Tensor:
        """stdtr_by_df(x, y), element by element, shapes broadcast as NumPy's."""
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]:
        """How many elements lie in memory between neighbours along each axis, a tuple, or along one axis."""
    @overload
    def stride(self, dim: _int) -> _int: ...
    def sub_(self, other: TensorLike, *, alpha: Number = 1) -> Self:
        """As subtract, written into the tensor."""
    def subtract(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
        """x - alpha * other."""
    def sum(
        self, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The sum of all elements, or over `axis` (an axis, or several). Integers and bools give int64."""
    def sum_to_size(self, *size: _int | Sequence[_int] | None) -> Tensor:
        """Summed over axes, so that the shape is `size`, which broadcasts to the tensor's own. ValueError where it
        doesn't."""
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> SVDFactors:
        """U, S, V with a = (U * S) @ V.mT, PyTorch's older function: V, not its transpose, and thin factors unless
        some=False. See linalg.svd, which is NumPy's."""
    def swapaxes(self, axis1: _int, axis2: _int) -> Tensor:
        """Two axes exchanged. A view."""
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or number as it is. A view."""
    def take(
        self, indices: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = None, *,
        dim: _int | Sequence[_int] | None = None, mode: str = 'raise'
    ) -> Tensor:
        """The elements at indices of the flat tensor, or the slices along an axis, in the shape of the indices; as
        ``np.take``, with its modes 'raise', 'wrap' and 'clip' for indices outside."""
    def take_along_axis(
        self, indices: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = -1
    ) -> Tensor:
        """The elements that an array of indices picks along an axis, the other axes broadcast; None: in the flat
        tensor."""
    def take_along_dim(
        self, indices: _int | Sequence[_int] | Tensor | Array, dim: _int | Sequence[_int] | None = None
    ) -> Tensor:
        """As take_along_axis; by default in the flat tensor."""
    def tan(self) -> Tensor:
        """tan(x), element by element, shapes broadcast as NumPy's."""
    def tan_(self) -> Self:
        """As tan, written into the tensor."""
    def tanh(self) -> Tensor:
        """tanh(x), element by element, shapes broadcast as NumPy's."""
    def tanh_(self) -> Self:
        """As tanh, written into the tensor."""
    def tensor_split(
        self, indices_or_sections: _int | Sequence[_int] | Tensor | Array, dim: _int | Sequence[_int] | None = 0, *,
        axis: _int | Sequence[_int] | None = None
    ) -> tuple[Tensor, ...]:
        """So many parts along an axis, the first ones perhaps longer by one, or the parts between places; a tuple of
        views."""
    def tensordot(
        self, y: TensorLike, axes: _int | Sequence[_int] | Sequence[Sequence[_int]] = 2, *,
        dims: _int | Sequence[_int] | Sequence[Sequence[_int]] | None = None
    ) -> Tensor:
        """Sums of products over axes of both: the last `axes` of `x` with the first of `y`, or those in a pair of
        lists."""
    def tile(self, *reps: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
        """The whole tensor several times along each axis, as ``np.tile``."""
    def to(
        self, *arguments: Tensor | DTypeLike | _bool, dtype: DTypeLike | None = None, device: str | None = None,
        copy: _bool = False, non_blocking: _bool = False
    ) -> Tensor:
        """The tensor in another dtype, itself if it has it already. ``to("cpu")`` and ``to(other)`` work as in
        PyTorch."""
    def to_device(self, device: str | None, *, stream: Any = None) -> Tensor:
        """The tensor itself, for the CPU; ValueError for another device, or a stream, which the CPU hasn't."""
    def tolist(self) -> Any:
        """The values as nested lists of Python numbers, a number for a tensor without axes. In a function that is being
        differentiated it warns: no derivative goes through them."""
    def topk(
        self, k: _int, axis: _int | Sequence[_int] | None = None, largest: _bool = True, sorted: _bool = True, *,
        dim: _int | Sequence[_int] | None = None
    ) -> ValuesIndices:
        """The k largest values along an axis, by default the last, or the smallest, in order, and their indices."""
    def trace(self, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
        """The sum of the elements on a diagonal of two axes, the first two as in NumPy; ``linalg.trace`` takes the last
        two."""
    def transpose(
        self, *axes: _int | Sequence[_int] | None, dim0: _int | None = None, dim1: _int | None = None
    ) -> Tensor:
        """Two axes exchanged, ``transpose(x, 0, 1)``, or as in NumPy all reversed or in the order given. A view."""
    def tril(self, diagonal: _int = 0, *, k: _int | None = None) -> Tensor:
        """The lower triangle of matrices, up to a diagonal, zeros above it."""
    def tril_(self, diagonal: _int = 0, *, k: _int | None = None) -> Self:
        """As tril, written into the tensor."""
    def triu(self, diagonal: _int = 0, *, k: _int | None = None) -> Tensor:
        """The upper triangle of matrices, from a diagonal, zeros below it."""
    def triu_(self, diagonal: _int = 0, *, k: _int | None = None) -> Self:
        """As triu, written into the tensor."""
    def trunc(self) -> Tensor:
        """trunc(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
    def trunc_(self) -> Self:
        """As trunc, written into the tensor."""
    def type_as(self, other: Tensor) -> Tensor:
        """In the dtype of another tensor."""
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]:
        """The slices along an axis, a tuple of views."""
    def unflatten(self, dim: _int, sizes: Sequence[_int]) -> Tensor:
        """An axis as several, of lengths `sizes`, of which one may be -1. A view."""
    def unfold(self, dimension: _int, size: _int, step: _int = 1) -> Tensor:
        """Windows of `size` elements along an axis, every `step` elements one, in a new last axis. A view."""
    def uniform_(self, from_: Number = 0.0, to: Number = 1.0) -> Self:
        """Fills the tensor with random numbers from [from_, to). ValueError where `from_` is above `to`."""
    def unique(
        self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
        dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None,
        return_index: _bool = False, equal_nan: _bool = True
    ) -> Tensor | tuple[Tensor, ...]:
        """The different values in order, or slices along an axis, and as asked for in a tuple after them: the index of
        the first of each, where each element's value is among them, and how often each occurs. The derivative goes to
        the first of equals."""
    def unique_consecutive(
        self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None
    ) -> Tensor | tuple[Tensor, ...]:
        """Runs of equal values, or of equal slices along an axis, each shrunk to one; with where each element went, and
        counts."""
    def unsqueeze(self, dim: _int) -> Tensor:
        """With a new axis of length 1 at `dim`. A view."""
    def var(
        self, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, ddof: _float | None = None,
        correction: _float | None = None, dtype: DTypeLike | None = None
    ) -> Tensor:
        """The variance of all elements, or over `axis`: the sum of squared distances from the mean, by n -
        `correction`."""
    def var_mean(
        self, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
        dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, correction: _float | None = None
    ) -> tuple[Tensor, Tensor]:
        """The variance and the mean, a pair."""
    def vdot(self, y: TensorLike) -> Tensor:
        """The sum of the products of all elements, both tensors taken flat."""
    def vecdot(self, y: TensorLike, axis: _int = -1, *, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """The products of vectors along an axis; the other axes broadcast."""
    def vecmat(self, y: TensorLike) -> Tensor:
        """The products of vectors (..., m) and matrices (..., m, n), which broadcast."""
    def view(self, *shape: _int | Sequence[_int]) -> Tensor:
        """As reshape, and always a view: ValueError where the elements don't lie so in memory."""
    def view_as(self, other: Tensor) -> Tensor:
        """A view in the shape of another tensor."""
    def vsplit(self, indices_or_sections: _int | Sequence[_int] | Tensor | Array) -> tuple[Tensor, ...]:
        """As ``np.vsplit``: so many parts of one length, or the parts between places; a tuple of views."""
    def where(self, condition: TensorLike, y: TensorLike) -> Tensor:
        """The tensor's elements where the condition holds, those of `y` elsewhere."""
    def xlog1py(self, other: TensorLike) -> Tensor:
        """xlog1py(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, y = -1."""
    def xlogy(self, other: TensorLike) -> Tensor:
        """xlogy(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = y = 0."""
    def xlogy_(self, y: TensorLike) -> Self:
        """As xlogy, written into the tensor."""
    def y0(self) -> Tensor:
        """y0(x), element by element, shapes broadcast as NumPy's."""
    def y1(self) -> Tensor:
        """y1(x), element by element, shapes broadcast as NumPy's."""
    def yv(self, other: TensorLike) -> Tensor:
        """yv(x, y), element by element, shapes broadcast as NumPy's."""
    def zero_(self) -> Self:
        """Sets every element to 0."""
    def zeta(self, other: TensorLike) -> Tensor:
        """zeta(x, y), element by element, shapes broadcast as NumPy's."""
    absolute = abs
    absolute_ = abs_
    acos = arccos
    acos_ = arccos_
    acosh = arccosh
    acosh_ = arccosh_
    around = round
    array_split = tensor_split
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
    bitwise_invert = bitwise_not
    clip = clamp
    clip_ = clamp_
    degrees = rad2deg
    degrees_ = rad2deg_
    div = divide
    div_ = divide_
    eq = equal_to
    expit = sigmoid
    expit_ = sigmoid_
    fix = trunc
    fix_ = trunc_
    ge = greater_equal
    ger = outer
    gt = greater
    igamma = gammainc
    igamma_ = gammainc_
    igammac = gammaincc
    igammac_ = gammaincc_
    inverse = inv
    invert = bitwise_not
    le = less_equal
    left_shift = bitwise_left_shift
    lgamma = gammaln
    lgamma_ = gammaln_
    log_expit = log_sigmoid
    logsigmoid = log_sigmoid
    lt = less
    matrix_exp = expm
    mod = remainder
    mod_ = remainder_
    movedim = moveaxis
    mul = multiply
    mul_ = multiply_
    ndimension = dim
    ne = not_equal
    neg = negative
    neg_ = negative_
    nelement = numel
    permute_dims = permute
    pinverse = pinv
    pow = power
    power_ = pow_
    psi = digamma
    psi_ = digamma_
    radians = deg2rad
    radians_ = deg2rad_
    right_shift = bitwise_right_shift
    sgn = sign
    sgn_ = sign_
    sub = subtract
    subtract_ = sub_
    swapdims = swapaxes
    true_divide = divide
    true_divide_ = divide_
