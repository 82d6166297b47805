# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import TypeIs

from . import autograd, fft, linalg, optim, special, stats, testing
from ._types import Array, Number, SlogdetResult, SVDFactors, Tensor, TensorLike, ValuesIndices
from ._types import Device as device
from .autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled

__all__ = ["DoubleTensor", "FloatTensor", "LongTensor", "Tensor", "absolute", "acos", "acosh", "add", "addbmm", "addmm",
           "addmv", "addr", "allclose", "amax", "amin", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
           "arctan2", "arctanh", "argmax", "argmin", "as_tensor", "asarray", "asin", "asinh", "atan", "atan2", "atanh",
           "autograd", "baddbmm", "beta", "betainc", "betainc_by_a", "betainc_by_b", "betaln", "bitwise_and",
           "bitwise_or", "bitwise_xor", "bmm", "bool_", "broadcast_to", "cat", "cdist", "chain_matmul", "checkpoint",
           "cholesky", "cholesky_inverse", "cholesky_solve", "clamp", "clip", "clone", "concat", "concatenate",
           "convolve", "correlate", "cos", "cosh", "cross", "deg2rad", "degrees", "det", "detach", "device", "diagonal",
           "digamma", "dist", "div", "divide", "dot", "double", "e", "einsum", "elementwise_grad", "empty",
           "empty_like", "enable_grad", "entr", "eq", "equal", "equal_to", "erf", "erfc", "erfcinv", "erfcx",
           "erfcx_derivative", "erfinv", "exp", "exp2", "expand", "expand_dims", "expit", "expm", "expm1", "eye", "fft",
           "flatten", "float16", "float32", "float64", "from_numpy", "full", "full_like", "gamma", "gamma_density",
           "gammainc", "gammainc_derivative", "gammaincc", "gammaln", "ge", "ger", "get_default_dtype", "grad",
           "greater", "greater_equal", "gt", "half", "hessian", "hessian_vector_product", "hvp", "hypot", "i0", "i0e",
           "i1", "i1e", "igamma", "igammac", "inf", "inference_mode", "inner", "int16", "int32", "int64", "int8", "inv",
           "inverse", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor", "isclose", "isfinite", "isinf",
           "isnan", "iv", "ive", "j0", "j1", "jacfwd", "jacobian", "jacrev", "jv", "jvp", "kron", "le", "less",
           "less_equal", "lgamma", "linalg", "linearize", "linspace", "log", "log10", "log1p", "log2", "log_expit",
           "log_ndtr", "log_sigmoid", "logaddexp", "logaddexp2", "logdet", "logical_and", "logical_not", "logical_or",
           "logical_xor", "logit", "logsigmoid", "long", "lt", "make_jvp", "make_vjp", "manual_seed", "matmul",
           "matrix_exp", "matrix_power", "matrix_transpose", "matvec", "maximum", "mean", "minimum", "mm", "mul",
           "multi_dot", "multiply", "mv", "nan", "ndtr", "ndtri", "ne", "neg", "negative", "newaxis", "no_grad", "norm",
           "not_equal", "ones", "ones_like", "optim", "outer", "permute", "permute_dims", "pi", "pinv", "pinverse",
           "polygamma", "power", "psi", "rad2deg", "radians", "rand", "rand_like", "randint", "randn", "randn_like",
           "ravel", "reciprocal", "rel_entr", "relu", "reshape", "set_default_dtype", "set_grad_enabled", "sigmoid",
           "sign", "sin", "sinc", "sinc_derivative", "sinh", "slogdet", "softplus", "special", "sqrt", "square",
           "squeeze", "stack", "stats", "stdtr", "stdtr_by_df", "sub", "subtract", "svd", "swapaxes", "t", "tan",
           "tanh", "tensor", "tensordot", "testing", "trace", "transpose", "true_divide", "uint8", "unbind",
           "unsqueeze", "value_and_grad", "vdot", "vecdot", "vecmat", "vjp", "where", "xlog1py", "xlogy", "y0", "y1",
           "yv", "zeros", "zeros_like", "zeta"]

_F = TypeVar("_F", bound=Callable[..., Any])

__version__: str
bool: np.dtype[np.bool_]
bool_: np.dtype[np.bool_]
double: np.dtype[np.float64]
e: _float
float: np.dtype[np.float32]
float16: np.dtype[np.float16]
float32: np.dtype[np.float32]
float64: np.dtype[np.float64]
half: np.dtype[np.float16]
inf: _float
int: np.dtype[np.int32]
int16: np.dtype[np.int16]
int32: np.dtype[np.int32]
int64: np.dtype[np.int64]
int8: np.dtype[np.int8]
long: np.dtype[np.int64]
nan: _float
newaxis: None
pi: _float
uint8: np.dtype[np.uint8]

def DoubleTensor(*arguments: Any) -> Tensor:
    """Legacy: ``DoubleTensor(data)`` is a float64 tensor."""
def FloatTensor(*arguments: Any) -> Tensor:
    """Legacy: ``FloatTensor(data)`` is a float32 tensor."""
def LongTensor(*arguments: Any) -> Tensor:
    """Legacy: ``LongTensor(data)`` is an int64 tensor."""
def abs(x: TensorLike) -> Tensor:
    """abs(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
def add(x: TensorLike, y: TensorLike, *, alpha: Number = 1) -> Tensor:
    """x + alpha * y."""
def addbmm(x: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * the sum of batch1 @ batch2 over the batch."""
def addmm(x: TensorLike, mat1: TensorLike, mat2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * (mat1 @ mat2), of matrices."""
def addmv(x: TensorLike, mat: TensorLike, vec: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * (mat @ vec)."""
def addr(x: TensorLike, vec1: TensorLike, vec2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * outer(vec1, vec2)."""
def all(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """Whether all elements, of all or along an axis, are not 0."""
def allclose(
    x: TensorLike, y: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> _bool:
    """Whether all elements are equal within ``atol + rtol * |y|``, a bool."""
def amax(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The largest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
def amin(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The smallest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
def any(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """Whether any element, of all or along an axis, is not 0."""
def arange(
    start: Number | Tensor, end: Number | Tensor | None = None, step: Number | Tensor = 1, *,
    dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Numbers from start (0 if only an end is given) up to, without, end; int64 where all are integers."""
def arccos(x: TensorLike) -> Tensor:
    """arccos(x), element by element, shapes broadcast as NumPy's."""
def arccosh(x: TensorLike) -> Tensor:
    """arccosh(x), element by element, shapes broadcast as NumPy's."""
def arcsin(x: TensorLike) -> Tensor:
    """arcsin(x), element by element, shapes broadcast as NumPy's."""
def arcsinh(x: TensorLike) -> Tensor:
    """arcsinh(x), element by element, shapes broadcast as NumPy's."""
def arctan(x: TensorLike) -> Tensor:
    """arctan(x), element by element, shapes broadcast as NumPy's."""
def arctan2(x: TensorLike, y: TensorLike) -> Tensor:
    """arctan2(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin."""
def arctanh(x: TensorLike) -> Tensor:
    """arctanh(x), element by element, shapes broadcast as NumPy's."""
def argmax(
    x: TensorLike, axis: _int | None = None, keepdims: _bool = False, *, dim: _int | None = None, keepdim: _bool = False
) -> Tensor:
    """The index of the first largest element, in the flat tensor or along `axis`."""
def argmin(
    x: TensorLike, axis: _int | None = None, keepdims: _bool = False, *, dim: _int | None = None, keepdim: _bool = False
) -> Tensor:
    """The index of the first smallest element, in the flat tensor or along `axis`."""
def as_tensor(data: TensorLike | ArrayLike, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """`data` as a tensor; a tensor as it is, and an array without a copy: it shares its memory."""
def baddbmm(x: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * (batch1 @ batch2), of batches of matrices."""
def beta(x: TensorLike, y: TensorLike) -> Tensor:
    """beta(x, y), element by element, shapes broadcast as NumPy's."""
def betainc(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc(x, y, w), element by element, shapes broadcast as NumPy's."""
def betainc_by_a(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc_by_a(x, y, w), element by element, shapes broadcast as NumPy's."""
def betainc_by_b(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc_by_b(x, y, w), element by element, shapes broadcast as NumPy's."""
def betaln(x: TensorLike, y: TensorLike) -> Tensor:
    """betaln(x, y), element by element, shapes broadcast as NumPy's."""
def bitwise_and(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.bitwise_and``, element by element."""
def bitwise_or(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.bitwise_or``, element by element."""
def bitwise_xor(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.bitwise_xor``, element by element."""
def bmm(x: TensorLike, y: TensorLike) -> Tensor:
    """The products of two batches of matrices, (b, m, k) and (b, k, n)."""
def broadcast_to(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
def cdist(x: TensorLike, y: TensorLike, p: _float = 2.0, compute_mode: str | None = None) -> Tensor:
    """The distances, in the p-norm, of each vector of x, (..., m, k), from each of y, (..., n, k): (..., m, n). Where
    two are equal the derivative is 0. They are made from differences, whatever the `compute_mode`, which PyTorch
    has."""
def checkpoint(function: _F) -> _F:
    """The same function with less memory: what it computes inside is not kept for a backward, which runs it once
    more."""
def cholesky(a: TensorLike, upper: _bool = False) -> Tensor:
    """The lower triangular L with L @ L.T = a, or the upper triangular L.T, of symmetric positive definite matrices,
    which are symmetrised. LinAlgError where one is not positive definite."""
def cholesky_inverse(factor: TensorLike, upper: _bool = False) -> Tensor:
    """The inverse of the matrix that has this Cholesky factor, lower or upper."""
def cholesky_solve(b: TensorLike | tuple[TensorLike, _bool], factor: TensorLike, upper: _bool = False) -> Tensor:
    """x with a @ x = b from the Cholesky factor of `a`, lower or upper. Both as in PyTorch; or the factor first, as
    SciPy's pair ``(c, lower)``."""
def clamp(x: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
def clone(x: TensorLike, **_: object) -> Tensor:
    """A copy, through which gradients flow."""
def concatenate(tensors: Tensor | Sequence[TensorLike], axis: _int = 0, *, dim: _int | None = None) -> Tensor:
    """Tensors joined along an axis."""
def convolve(x: TensorLike, y: TensorLike, mode: str = 'full') -> Tensor:
    """The convolution of two vectors, as ``np.convolve``: "full", "same" (of the longer one's length) or "valid"."""
def correlate(x: TensorLike, y: TensorLike, mode: str = 'valid') -> Tensor:
    """The correlation of two vectors, as ``np.correlate``: the convolution with the second one reversed."""
def cos(x: TensorLike) -> Tensor:
    """cos(x), element by element, shapes broadcast as NumPy's."""
def cosh(x: TensorLike) -> Tensor:
    """cosh(x), element by element, shapes broadcast as NumPy's."""
def cross(
    x: TensorLike, y: TensorLike, axisa: _int = -1, axisb: _int = -1, axisc: _int = -1,
    axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None
) -> Tensor:
    """The vector products of vectors of three elements along an axis, or of two, whose product is a number; the other
    axes broadcast."""
def deg2rad(x: TensorLike) -> Tensor:
    """deg2rad(x), element by element, shapes broadcast as NumPy's."""
def det(a: TensorLike) -> Tensor:
    """The determinants of matrices. The derivative is the matrix of cofactors, of singular matrices, too, in any
    order."""
def detach(x: Tensor) -> Tensor:
    """The same memory without history: a leaf that requires no grad. Writing into either is seen by both."""
def diagonal(x: TensorLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
    """The elements on a diagonal of two axes. A view."""
def digamma(x: TensorLike) -> Tensor:
    """digamma(x), element by element, shapes broadcast as NumPy's."""
def dist(x: TensorLike, y: TensorLike, p: _float = 2) -> Tensor:
    """The p-norm of x - y, which broadcast."""
def divide(x: TensorLike, y: TensorLike) -> Tensor:
    """divide(x, y), element by element, shapes broadcast as NumPy's."""
def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """As ``np.dot``: the product of two vectors or matrices; of more axes, over the last axis of `x` and the second to
    last of `y`."""
def einsum(
    subscripts: str | TensorLike, *arrays: Any, out: Any = None, optimize: _bool | str | Sequence[Any] = True,
    dtype: DTypeLike | None = None, order: str = 'K', casting: str = 'safe'
) -> Tensor:
    """Sums of products, as ``np.einsum``: ``einsum("ij,jk->ik", x, y)``. Letters may repeat within an operand
    (diagonals), ``...`` stands for axes that broadcast, and without ``->`` the letters that occur once are kept, in
    alphabetical order. Operands may be a list, as in PyTorch, or each followed by a list of numbers for its axes, as in
    NumPy."""
def elementwise_grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, argnum: _int | Sequence[_int] | None = None
) -> Callable[..., Any]:
    """A function that gives the gradient of the sum of what `function` gives: of a function that works element by
    element, the derivative at each element."""
def empty(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """A tensor of a shape with undefined contents."""
def empty_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``empty``, with the shape and dtype of a tensor."""
def entr(x: TensorLike) -> Tensor:
    """entr(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0 and below."""
def equal(x: TensorLike, y: TensorLike) -> _bool:
    """Whether two tensors have one shape and equal elements, a bool."""
def equal_to(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.equal``, element by element."""
def erf(x: TensorLike) -> Tensor:
    """erf(x), element by element, shapes broadcast as NumPy's."""
def erfc(x: TensorLike) -> Tensor:
    """erfc(x), element by element, shapes broadcast as NumPy's."""
def erfcinv(x: TensorLike) -> Tensor:
    """erfcinv(x), element by element, shapes broadcast as NumPy's."""
def erfcx(x: TensorLike) -> Tensor:
    """erfcx(x), element by element, shapes broadcast as NumPy's."""
def erfcx_derivative(x: TensorLike, y: TensorLike) -> Tensor:
    """erfcx_derivative(x, y), element by element, shapes broadcast as NumPy's."""
def erfinv(x: TensorLike) -> Tensor:
    """erfinv(x), element by element, shapes broadcast as NumPy's."""
def exp(x: TensorLike) -> Tensor:
    """exp(x), element by element, shapes broadcast as NumPy's."""
def exp2(x: TensorLike) -> Tensor:
    """exp2(x), element by element, shapes broadcast as NumPy's."""
def expand(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """As broadcast_to; -1 keeps a length."""
def expand_dims(x: TensorLike, axis: _int = 0) -> Tensor:
    """With a new axis of length 1 at `axis`. A view."""
def expm(a: TensorLike) -> Tensor:
    """The exponentials of matrices."""
def expm1(x: TensorLike) -> Tensor:
    """expm1(x), element by element, shapes broadcast as NumPy's."""
def eye(
    n: _int, m: _int | None = None, *, dtype: DTypeLike | None = None, requires_grad: _bool = False,
    device: str | None = None
) -> Tensor:
    """The identity matrix, n by n or n by m."""
def flatten(x: TensorLike, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Axes from `start_dim` to `end_dim` as one. A view."""
def from_numpy(array: Array) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
def full(
    size: _int | Sequence[_int], fill_value: Number | Tensor, *, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """A tensor of a shape with one number everywhere; its dtype is the number's."""
def full_like(
    x: TensorLike, fill_value: Number | Tensor, *, dtype: DTypeLike | None = None, requires_grad: _bool = False,
    device: str | None = None
) -> Tensor:
    """As ``full``, with the shape and dtype of a tensor."""
def gamma(x: TensorLike) -> Tensor:
    """gamma(x), element by element, shapes broadcast as NumPy's."""
def gamma_density(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """gamma_density(x, y, w), element by element, shapes broadcast as NumPy's."""
def gammainc(x: TensorLike, y: TensorLike) -> Tensor:
    """gammainc(x, y), element by element, shapes broadcast as NumPy's."""
def gammainc_derivative(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """gammainc_derivative(x, y, w), element by element, shapes broadcast as NumPy's."""
def gammaincc(x: TensorLike, y: TensorLike) -> Tensor:
    """gammaincc(x, y), element by element, shapes broadcast as NumPy's."""
def gammaln(x: TensorLike) -> Tensor:
    """gammaln(x), element by element, shapes broadcast as NumPy's."""
def get_default_dtype() -> np.dtype[Any]:
    """The dtype of tensors made from Python floats: float64, unless it was set otherwise."""
@overload
def grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: Literal[False] = False, *,
    argnum: _int | Sequence[_int] | None = None
) -> Callable[..., Any]:
    """A function that gives the gradient of `function`; see :func:`value_and_grad`."""
@overload
def grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, has_aux: Literal[True],
    argnum: _int | Sequence[_int] | None = None
) -> Callable[..., tuple[Any, Any]]: ...
def greater(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.greater``, element by element."""
def greater_equal(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.greater_equal``, element by element."""
def hessian(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, argnum: _int | Sequence[_int] | None = None
) -> Callable[..., Any]:
    """A function that gives the Hessian of `function`, which gives one number: the Jacobian of its gradient."""
def hessian_vector_product(function: Callable[..., Any], argnum: _int = 0) -> Callable[..., Any]:
    """HIPS autograd's form of :func:`hvp`: a function of the arguments of `function` followed by the vector."""
def hvp(function: Callable[..., Any], x: Any, v: Any) -> Any:
    """The product of the Hessian of `function` at `x` with `v`, which has the form of `x`: an array for arrays, a
    Tensor for Tensors. The function gives one number. The Hessian is never made: the tangent of the gradient is its
    product with `v`."""
def hypot(x: TensorLike, y: TensorLike) -> Tensor:
    """hypot(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin."""
def i0(x: TensorLike) -> Tensor:
    """i0(x), element by element, shapes broadcast as NumPy's."""
def i0e(x: TensorLike) -> Tensor:
    """i0e(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
def i1(x: TensorLike) -> Tensor:
    """i1(x), element by element, shapes broadcast as NumPy's."""
def i1e(x: TensorLike) -> Tensor:
    """i1e(x), element by element, shapes broadcast as NumPy's."""
def inner(x: TensorLike, y: TensorLike) -> Tensor:
    """As ``np.inner``: over the last axes of both; of a number, the multiple."""
def inv(a: TensorLike) -> Tensor:
    """The inverses of matrices. LinAlgError for a singular one."""
def is_tensor(x: object) -> TypeIs[Tensor]:
    """Whether `x` is a Tensor."""
def isclose(
    x: TensorLike, y: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> Tensor:
    """Which elements are equal within ``atol + rtol * |y|``."""
def isfinite(x: TensorLike, /) -> Tensor:
    """As ``np.isfinite``, element by element."""
def isinf(x: TensorLike, /) -> Tensor:
    """As ``np.isinf``, element by element."""
def isnan(x: TensorLike, /) -> Tensor:
    """As ``np.isnan``, element by element."""
def iv(x: TensorLike, y: TensorLike) -> Tensor:
    """iv(x, y), element by element, shapes broadcast as NumPy's."""
def ive(x: TensorLike, y: TensorLike) -> Tensor:
    """ive(x, y), element by element, shapes broadcast as NumPy's."""
def j0(x: TensorLike) -> Tensor:
    """j0(x), element by element, shapes broadcast as NumPy's."""
def j1(x: TensorLike) -> Tensor:
    """j1(x), element by element, shapes broadcast as NumPy's."""
def jacfwd(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: _bool = False
) -> Callable[..., Any]:
    """As :func:`jacobian`, always forward: a sweep for each element of the inputs."""
def jacobian(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: _bool = False, *,
    argnum: _int | Sequence[_int] | None = None
) -> Callable[..., Any]:
    """A function that gives the Jacobian of `function`: the output's shape followed by the argument's."""
def jacrev(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: _bool = False
) -> Callable[..., Any]:
    """As :func:`jacobian`, always backward: a sweep for each element of the outputs."""
def jv(x: TensorLike, y: TensorLike) -> Tensor:
    """jv(x, y), element by element, shapes broadcast as NumPy's."""
def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: _bool = False
) -> tuple[Any, ...]:
    """The value of ``function(*primals)`` and its derivative in the direction of `tangents`, which has the form of
    `primals`."""
def kron(x: TensorLike, y: TensorLike) -> Tensor:
    """The Kronecker product, as ``np.kron``: blocks of `y`, each multiplied by an element of `x`."""
def less(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.less``, element by element."""
def less_equal(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.less_equal``, element by element."""
def linearize(function: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``function(*primals)``, and the function that takes tangents of the primals to that of the value."""
def linspace(
    start: Number | Tensor, end: Number | Tensor, steps: _int = 50, *, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """`steps` numbers from start to end, both included."""
def log(x: TensorLike) -> Tensor:
    """log(x), element by element, shapes broadcast as NumPy's."""
def log10(x: TensorLike) -> Tensor:
    """log10(x), element by element, shapes broadcast as NumPy's."""
def log1p(x: TensorLike) -> Tensor:
    """log1p(x), element by element, shapes broadcast as NumPy's."""
def log2(x: TensorLike) -> Tensor:
    """log2(x), element by element, shapes broadcast as NumPy's."""
def log_ndtr(x: TensorLike) -> Tensor:
    """log_ndtr(x), element by element, shapes broadcast as NumPy's."""
def log_sigmoid(x: TensorLike) -> Tensor:
    """log_sigmoid(x), element by element, shapes broadcast as NumPy's."""
def logaddexp(x: TensorLike, y: TensorLike) -> Tensor:
    """logaddexp(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
    infinities."""
def logaddexp2(x: TensorLike, y: TensorLike) -> Tensor:
    """logaddexp2(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
    infinities."""
def logdet(a: TensorLike) -> Tensor:
    """The logarithms of determinants: -inf of 0, nan of a negative one. The derivative is that of slogdet."""
def logical_and(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.logical_and``, element by element."""
def logical_not(x: TensorLike, /) -> Tensor:
    """As ``np.logical_not``, element by element."""
def logical_or(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.logical_or``, element by element."""
def logical_xor(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.logical_xor``, element by element."""
def logit(x: TensorLike, eps: _float | None = None) -> Tensor:
    """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
def make_jvp(
    function: Callable[..., Any], argnum: _int | Sequence[_int] = 0
) -> Callable[..., Callable[..., tuple[Any, Any]]]:
    """HIPS autograd's form of :func:`jvp`: a function of the arguments of `function`, which gives a function of a
    tangent of one of them that gives (the value, its tangent)."""
def make_vjp(
    function: Callable[..., Any], argnum: _int | Sequence[_int] = 0
) -> Callable[..., tuple[Callable[..., Any], Any]]:
    """HIPS autograd's form of :func:`vjp`: a function of the arguments of `function` that gives (the product, the
    value)."""
def manual_seed(seed: _int) -> np.random.Generator:
    """Starts the random numbers of rand, randn and randint anew."""
def matmul(x: TensorLike, y: TensorLike) -> Tensor:
    """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
def matrix_power(a: TensorLike, n: _int) -> Tensor:
    """Matrices to an integer power, by repeated squaring; of the inverse for a negative one."""
def matrix_transpose(x: TensorLike) -> Tensor:
    """The last two axes exchanged. A view."""
def matvec(x: TensorLike, y: TensorLike) -> Tensor:
    """The products of matrices (..., m, n) and vectors (..., n), which broadcast."""
@overload
def max(
    x: TensorLike, axis: Sequence[_int] | None = None, keepdims: _bool = False, *, dim: Sequence[_int] | None = None,
    keepdim: _bool = False
) -> Tensor:
    """The largest element; ``max(x, dim)`` its values and indices along an axis, ``max(x, y)`` elementwise."""
@overload
def max(x: TensorLike, axis: Tensor) -> Tensor: ...
@overload
def max(x: TensorLike, axis: _int, keepdims: _bool = False, *, keepdim: _bool = False) -> ValuesIndices: ...
@overload
def max(x: TensorLike, *, keepdims: _bool = False, dim: _int, keepdim: _bool = False) -> ValuesIndices: ...
def maximum(x: TensorLike, y: TensorLike) -> Tensor:
    """maximum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
    all to each where one is nan."""
def mean(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The mean of all elements, or over `axis`; nan of no elements. RuntimeError for integers."""
@overload
def min(
    x: TensorLike, axis: Sequence[_int] | None = None, keepdims: _bool = False, *, dim: Sequence[_int] | None = None,
    keepdim: _bool = False
) -> Tensor:
    """The smallest element; ``min(x, dim)`` its values and indices along an axis, ``min(x, y)`` elementwise."""
@overload
def min(x: TensorLike, axis: Tensor) -> Tensor: ...
@overload
def min(x: TensorLike, axis: _int, keepdims: _bool = False, *, keepdim: _bool = False) -> ValuesIndices: ...
@overload
def min(x: TensorLike, *, keepdims: _bool = False, dim: _int, keepdim: _bool = False) -> ValuesIndices: ...
def minimum(x: TensorLike, y: TensorLike) -> Tensor:
    """minimum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
    all to each where one is nan."""
def mm(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of two matrices."""
def multi_dot(arrays: TensorLike | Sequence[TensorLike], *more: TensorLike) -> Tensor:
    """The product of two or more matrices (the first and last may be vectors), in the order that takes the fewest
    operations."""
def multiply(x: TensorLike, y: TensorLike) -> Tensor:
    """multiply(x, y), element by element, shapes broadcast as NumPy's."""
def mv(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of a matrix and a vector."""
def ndtr(x: TensorLike) -> Tensor:
    """ndtr(x), element by element, shapes broadcast as NumPy's."""
def ndtri(x: TensorLike) -> Tensor:
    """ndtri(x), element by element, shapes broadcast as NumPy's."""
def negative(x: TensorLike) -> Tensor:
    """negative(x), element by element, shapes broadcast as NumPy's."""
def norm(
    x: TensorLike, p: _float | str | None = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False
) -> Tensor:
    """The p-norm of all elements, or over `dim`, as in PyTorch: "fro" and 2 are the Euclidean norm, "nuc" is that of a
    matrix. ``linalg.norm`` is NumPy's. At zero the derivative is 0."""
def not_equal(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.not_equal``, element by element."""
def ones(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Ones of a shape."""
def ones_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``ones``, with the shape and dtype of a tensor."""
def outer(x: TensorLike, y: TensorLike) -> Tensor:
    """The products of each element of `x` with each of `y`, (len(x), len(y)); tensors with more axes are taken flat."""
def permute(x: TensorLike, *axes: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The axes in another order. A view."""
def pinv(
    a: TensorLike, rcond: TensorLike | _float | None = None, hermitian: _bool = False, *,
    rtol: TensorLike | _float | None = None
) -> Tensor:
    """The pseudoinverses (Moore and Penrose) of matrices; singular values below `rtol` (or `rcond`), relative to the
    largest one, count as 0. The derivative is that of matrices whose rank doesn't change."""
def polygamma(x: TensorLike, y: TensorLike) -> Tensor:
    """polygamma(x, y), element by element, shapes broadcast as NumPy's."""
def power(x: TensorLike, y: TensorLike) -> Tensor:
    """x to the power y, elementwise; x ** 2 is a square, as in NumPy."""
def rad2deg(x: TensorLike) -> Tensor:
    """rad2deg(x), element by element, shapes broadcast as NumPy's."""
def rand(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Random numbers from [0, 1)."""
def rand_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``rand``, with the shape and dtype of a tensor."""
def randint(
    low: _int, high: _int | Sequence[_int] | None = None, size: _int | Sequence[_int] | None = None, *,
    dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Random integers from low (0 if only one bound is given) up to, without, high."""
def randn(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Random numbers from the standard normal distribution."""
def randn_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``randn``, with the shape and dtype of a tensor."""
def ravel(x: TensorLike) -> Tensor: ...
def reciprocal(x: TensorLike) -> Tensor:
    """reciprocal(x), element by element, shapes broadcast as NumPy's."""
def rel_entr(x: TensorLike, y: TensorLike) -> Tensor:
    """rel_entr(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 where x or y is not above 0."""
def relu(x: TensorLike) -> Tensor:
    """relu(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
def reshape(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so in
    memory."""
def set_default_dtype(dtype: DTypeLike) -> None:
    """Sets the dtype of tensors made from Python floats; it has to be float64 or float32."""
def sigmoid(x: TensorLike) -> Tensor:
    """sigmoid(x), element by element, shapes broadcast as NumPy's."""
def sign(x: TensorLike) -> Tensor:
    """sign(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def sin(x: TensorLike) -> Tensor:
    """sin(x), element by element, shapes broadcast as NumPy's."""
def sinc(x: TensorLike) -> Tensor:
    """sinc(x), element by element, shapes broadcast as NumPy's."""
def sinc_derivative(x: TensorLike, y: TensorLike) -> Tensor:
    """sinc_derivative(x, y), element by element, shapes broadcast as NumPy's."""
def sinh(x: TensorLike) -> Tensor:
    """sinh(x), element by element, shapes broadcast as NumPy's."""
def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its absolute value; a pair. The derivative is ``inv(a).T``, at a
    singular matrix, whose logarithm is -inf, ``pinv(a).T``."""
def softplus(x: TensorLike) -> Tensor:
    """softplus(x), element by element, shapes broadcast as NumPy's."""
def sqrt(x: TensorLike) -> Tensor:
    """sqrt(x), element by element, shapes broadcast as NumPy's."""
def square(x: TensorLike) -> Tensor:
    """square(x), element by element, shapes broadcast as NumPy's."""
def squeeze(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None
) -> Tensor:
    """Without axes of length 1: all of them, or those in `axis` that are. A view."""
def stack(tensors: Tensor | Sequence[TensorLike], axis: _int = 0, *, dim: _int | None = None) -> Tensor:
    """Tensors of one shape joined along a new axis."""
def stdtr(x: TensorLike, y: TensorLike) -> Tensor:
    """stdtr(x, y), element by element, shapes broadcast as NumPy's."""
def stdtr_by_df(x: TensorLike, y: TensorLike) -> Tensor:
    """stdtr_by_df(x, y), element by element, shapes broadcast as NumPy's."""
def subtract(x: TensorLike, y: TensorLike, *, alpha: Number = 1) -> Tensor:
    """x - alpha * y."""
def sum(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The sum of all elements, or over `axis` (an axis, or several). Integers and bools give int64."""
def svd(a: TensorLike, some: _bool = True, compute_uv: _bool = True) -> SVDFactors:
    """U, S, V with a = (U * S) @ V.mT, PyTorch's older function: V, not its transpose, and thin factors unless
    some=False. See linalg.svd, which is NumPy's."""
def swapaxes(x: TensorLike, axis1: _int, axis2: _int) -> Tensor:
    """Two axes exchanged. A view."""
def t(x: TensorLike) -> Tensor:
    """The transpose of a matrix; a vector or number as it is. A view."""
def tan(x: TensorLike) -> Tensor:
    """tan(x), element by element, shapes broadcast as NumPy's."""
def tanh(x: TensorLike) -> Tensor:
    """tanh(x), element by element, shapes broadcast as NumPy's."""
def tensor(
    data: TensorLike | ArrayLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False,
    device: str | None = None
) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists of numbers, a NumPy array, or a tensor."""
def tensordot(
    x: TensorLike, y: TensorLike, axes: _int | Sequence[_int] | Sequence[Sequence[_int]] = 2, *,
    dims: _int | Sequence[_int] | Sequence[Sequence[_int]] | None = None
) -> Tensor:
    """Sums of products over axes of both: the last `axes` of `x` with the first of `y`, or those in a pair of lists."""
def trace(x: TensorLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
    """The sum of the elements on a diagonal of two axes, the first two as in NumPy; ``linalg.trace`` takes the last
    two."""
def transpose(
    x: TensorLike, *axes: _int | Sequence[_int], dim0: _int | None = None, dim1: _int | None = None
) -> Tensor:
    """Two axes exchanged, ``transpose(x, 0, 1)``, or as in NumPy all reversed or in the order given. A view."""
def unbind(x: TensorLike, dim: _int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, a tuple of views."""
def unsqueeze(x: TensorLike, dim: _int) -> Tensor:
    """With a new axis of length 1 at `dim`. A view."""
@overload
def value_and_grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: Literal[False] = False, *,
    argnum: _int | Sequence[_int] | None = None
) -> Callable[..., tuple[Any, Any]]:
    """A function that gives the value of `function` and its gradient with respect to the arguments `argnums`."""
@overload
def value_and_grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, has_aux: Literal[True],
    argnum: _int | Sequence[_int] | None = None
) -> Callable[..., tuple[tuple[Any, Any], Any]]: ...
def vdot(x: TensorLike, y: TensorLike) -> Tensor:
    """The sum of the products of all elements, both tensors taken flat."""
def vecdot(x: TensorLike, y: TensorLike, axis: _int = -1, *, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The products of vectors along an axis; the other axes broadcast."""
def vecmat(x: TensorLike, y: TensorLike) -> Tensor:
    """The products of vectors (..., m) and matrices (..., m, n), which broadcast."""
@overload
def vjp(
    function: Callable[..., Any], *primals: Any, has_aux: Literal[False] = False
) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
    """The value of ``function(*primals)``, and a function that gives products of a vector with its Jacobian."""
@overload
def vjp(
    function: Callable[..., Any], *primals: Any, has_aux: Literal[True]
) -> tuple[Any, Callable[..., tuple[Any, ...]], Any]: ...
@overload
def where(condition: TensorLike, x: TensorLike, y: TensorLike) -> Tensor:
    """`x` where the condition holds, `y` elsewhere, shapes broadcast. With a condition alone, the indices where it
    holds."""
@overload
def where(condition: TensorLike) -> tuple[Tensor, ...]: ...
def xlog1py(x: TensorLike, y: TensorLike) -> Tensor:
    """xlog1py(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, y = -1."""
def xlogy(x: TensorLike, y: TensorLike) -> Tensor:
    """xlogy(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = y = 0."""
def y0(x: TensorLike) -> Tensor:
    """y0(x), element by element, shapes broadcast as NumPy's."""
def y1(x: TensorLike) -> Tensor:
    """y1(x), element by element, shapes broadcast as NumPy's."""
def yv(x: TensorLike, y: TensorLike) -> Tensor:
    """yv(x, y), element by element, shapes broadcast as NumPy's."""
def zeros(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Zeros of a shape."""
def zeros_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``zeros``, with the shape and dtype of a tensor."""
def zeta(x: TensorLike, y: TensorLike) -> Tensor:
    """zeta(x, y), element by element, shapes broadcast as NumPy's."""
absolute = abs
acos = arccos
acosh = arccosh
asarray = as_tensor
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
cat = concatenate
chain_matmul = multi_dot
clip = clamp
concat = concatenate
degrees = rad2deg
div = divide
eq = equal_to
expit = sigmoid
ge = greater_equal
ger = outer
gt = greater
igamma = gammainc
igammac = gammaincc
inverse = inv
le = less_equal
lgamma = gammaln
log_expit = log_sigmoid
logsigmoid = log_sigmoid
lt = less
matrix_exp = expm
mul = multiply
ne = not_equal
neg = negative
permute_dims = permute
pinverse = pinv
pow = power
psi = digamma
radians = deg2rad
sub = subtract
true_divide = divide
