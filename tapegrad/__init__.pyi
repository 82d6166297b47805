# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import TypeIs

from . import autograd, special, stats
from ._types import Array, Number, Tensor, TensorLike, ValuesIndices
from ._types import Device as device
from .autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled

__all__ = ["DoubleTensor", "FloatTensor", "LongTensor", "Tensor", "absolute", "acos", "acosh", "add", "allclose",
           "amax", "amin", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax",
           "argmin", "as_tensor", "asarray", "asin", "asinh", "atan", "atan2", "atanh", "autograd", "beta", "betainc",
           "betainc_by_a", "betainc_by_b", "betaln", "bitwise_and", "bitwise_or", "bitwise_xor", "bmm", "bool_",
           "broadcast_to", "cat", "clamp", "clip", "clone", "concat", "concatenate", "cos", "cosh", "deg2rad",
           "degrees", "detach", "device", "diagonal", "digamma", "div", "divide", "dot", "double", "e", "empty",
           "empty_like", "enable_grad", "entr", "eq", "equal", "equal_to", "erf", "erfc", "erfcinv", "erfcx",
           "erfcx_derivative", "erfinv", "exp", "exp2", "expand", "expand_dims", "expit", "expm1", "eye", "flatten",
           "float16", "float32", "float64", "from_numpy", "full", "full_like", "gamma", "gamma_density", "gammainc",
           "gammainc_derivative", "gammaincc", "gammaln", "ge", "get_default_dtype", "grad", "greater", "greater_equal",
           "gt", "half", "hypot", "i0", "i0e", "i1", "i1e", "igamma", "igammac", "inf", "inference_mode", "int16",
           "int32", "int64", "int8", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor", "isclose", "isfinite",
           "isinf", "isnan", "iv", "ive", "j0", "j1", "jacobian", "jv", "le", "less", "less_equal", "lgamma",
           "linspace", "log", "log10", "log1p", "log2", "log_expit", "log_ndtr", "log_sigmoid", "logaddexp",
           "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid", "long", "lt",
           "manual_seed", "matmul", "matrix_transpose", "maximum", "mean", "minimum", "mm", "mul", "multiply", "mv",
           "nan", "ndtr", "ndtri", "ne", "neg", "negative", "newaxis", "no_grad", "not_equal", "ones", "ones_like",
           "permute", "permute_dims", "pi", "polygamma", "power", "psi", "rad2deg", "radians", "rand", "rand_like",
           "randint", "randn", "randn_like", "ravel", "reciprocal", "rel_entr", "relu", "reshape", "set_default_dtype",
           "set_grad_enabled", "sigmoid", "sign", "sin", "sinc", "sinc_derivative", "sinh", "softplus", "special",
           "sqrt", "square", "squeeze", "stack", "stats", "stdtr", "stdtr_by_df", "sub", "subtract", "swapaxes", "t",
           "tan", "tanh", "tensor", "transpose", "true_divide", "uint8", "unbind", "unsqueeze", "value_and_grad",
           "where", "xlog1py", "xlogy", "y0", "y1", "yv", "zeros", "zeros_like", "zeta"]

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
def broadcast_to(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
def clamp(x: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
def clone(x: TensorLike, **_: object) -> Tensor:
    """A copy, through which gradients flow."""
def concatenate(tensors: Tensor | Sequence[TensorLike], axis: _int = 0, *, dim: _int | None = None) -> Tensor:
    """Tensors joined along an axis."""
def cos(x: TensorLike) -> Tensor:
    """cos(x), element by element, shapes broadcast as NumPy's."""
def cosh(x: TensorLike) -> Tensor:
    """cosh(x), element by element, shapes broadcast as NumPy's."""
def deg2rad(x: TensorLike) -> Tensor:
    """deg2rad(x), element by element, shapes broadcast as NumPy's."""
def detach(x: Tensor) -> Tensor:
    """The same memory without history: a leaf that requires no grad. Writing into either is seen by both."""
def diagonal(x: TensorLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
    """The elements on a diagonal of two axes. A view."""
def digamma(x: TensorLike) -> Tensor:
    """digamma(x), element by element, shapes broadcast as NumPy's."""
def divide(x: TensorLike, y: TensorLike) -> Tensor:
    """divide(x, y), element by element, shapes broadcast as NumPy's."""
def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of two vectors, or as ``np.dot``."""
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
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: Literal[False] = False
) -> Callable[..., Any]:
    """A function that gives the gradient of `function`; see :func:`value_and_grad`."""
@overload
def grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, has_aux: Literal[True]
) -> Callable[..., tuple[Any, Any]]: ...
def greater(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.greater``, element by element."""
def greater_equal(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.greater_equal``, element by element."""
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
def jacobian(function: Callable[..., Any], argnums: _int | Sequence[_int] = 0) -> Callable[..., Any]:
    """A function that gives the Jacobian of `function`: the output's shape followed by the argument's."""
def jv(x: TensorLike, y: TensorLike) -> Tensor:
    """jv(x, y), element by element, shapes broadcast as NumPy's."""
def less(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.less``, element by element."""
def less_equal(x: TensorLike, y: TensorLike, /) -> Tensor:
    """As ``np.less_equal``, element by element."""
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
def manual_seed(seed: _int) -> np.random.Generator:
    """Starts the random numbers of rand, randn and randint anew."""
def matmul(x: TensorLike, y: TensorLike) -> Tensor:
    """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
def matrix_transpose(x: TensorLike) -> Tensor:
    """The last two axes exchanged. A view."""
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
def multiply(x: TensorLike, y: TensorLike) -> Tensor:
    """multiply(x, y), element by element, shapes broadcast as NumPy's."""
def ndtr(x: TensorLike) -> Tensor:
    """ndtr(x), element by element, shapes broadcast as NumPy's."""
def ndtri(x: TensorLike) -> Tensor:
    """ndtri(x), element by element, shapes broadcast as NumPy's."""
def negative(x: TensorLike) -> Tensor:
    """negative(x), element by element, shapes broadcast as NumPy's."""
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
def permute(x: TensorLike, *axes: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The axes in another order. A view."""
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
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, has_aux: Literal[False] = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that gives the value of `function` and its gradient with respect to the arguments `argnums`."""
@overload
def value_and_grad(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, has_aux: Literal[True]
) -> Callable[..., tuple[tuple[Any, Any], Any]]: ...
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
bmm = matmul
cat = concatenate
clip = clamp
concat = concatenate
degrees = rad2deg
div = divide
eq = equal_to
expit = sigmoid
ge = greater_equal
gt = greater
igamma = gammainc
igammac = gammaincc
le = less_equal
lgamma = gammaln
log_expit = log_sigmoid
logsigmoid = log_sigmoid
lt = less
mm = matmul
mul = multiply
mv = matmul
ne = not_equal
neg = negative
permute_dims = permute
pow = power
psi = digamma
radians = deg2rad
sub = subtract
true_divide = divide
