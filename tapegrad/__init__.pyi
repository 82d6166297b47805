# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import TypeIs

from . import autograd, nn
from ._types import Array, Number, Tensor, TensorLike, ValuesIndices
from ._types import Device as device
from .autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled

__all__ = ["DoubleTensor", "FloatTensor", "LongTensor", "Tensor", "absolute", "acos", "acosh", "add", "addcdiv",
           "addcmul", "allclose", "amax", "amin", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
           "arctan2", "arctanh", "argmax", "argmin", "around", "array_equal", "as_tensor", "asarray", "asin", "asinh",
           "atan", "atan2", "atanh", "autograd", "average", "bernoulli_loss", "beta", "betainc", "betainc_by_a",
           "betainc_by_b", "betaln", "binary_cross_entropy_with_logits", "bitwise_and", "bitwise_invert",
           "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bmm", "bool_",
           "broadcast_to", "cat", "cbrt", "ceil", "celu", "clamp", "clamp_max", "clamp_min", "clip", "clone", "concat",
           "concatenate", "copysign", "cos", "cosh", "cosine_similarity", "count_nonzero", "cummax", "cummin",
           "cumprod", "cumsum", "deg2rad", "degrees", "detach", "device", "diagonal", "diff", "digamma", "div",
           "divide", "dot", "double", "dropout", "e", "elu", "empty", "empty_like", "enable_grad", "entr", "eq",
           "equal", "equal_to", "erf", "erfc", "erfcinv", "erfcx", "erfcx_derivative", "erfinv", "exp", "exp2",
           "expand", "expand_dims", "expit", "expm1", "eye", "fabs", "fix", "flatten", "float16", "float32", "float64",
           "float_power", "floor", "floor_divide", "fma", "fmax", "fmin", "fmod", "from_numpy", "full", "full_like",
           "gamma", "gamma_density", "gammainc", "gammainc_derivative", "gammaincc", "gammaln", "ge", "gelu",
           "get_default_dtype", "grad", "greater", "greater_equal", "gt", "half", "hardtanh", "heaviside",
           "hinge_embedding_loss", "hypot", "i0", "i0e", "i1", "i1e", "igamma", "igammac", "inf", "inference_mode",
           "int16", "int32", "int64", "int8", "invert", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor",
           "isclose", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "iv", "ive", "j0", "j1",
           "jacobian", "jv", "kl_div", "layer_norm", "ldexp", "le", "leaky_relu", "left_shift", "lerp", "less",
           "less_equal", "lgamma", "linspace", "log", "log10", "log1p", "log2", "log_expit", "log_ndtr", "log_sigmoid",
           "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logical_and", "logical_not", "logical_or",
           "logical_xor", "logit", "logsigmoid", "logsumexp", "long", "lt", "manual_seed", "matmul", "matrix_transpose",
           "maximum", "mean", "median", "minimum", "mm", "mod", "mul", "multiply", "mv", "nan", "nan_to_num", "nanmax",
           "nanmean", "nanmin", "nanprod", "nansum", "ndtr", "ndtri", "ne", "neg", "negative", "newaxis", "nn",
           "no_grad", "not_equal", "ones", "ones_like", "pairwise_distance", "percentile", "permute", "permute_dims",
           "pi", "poisson_nll_loss", "polygamma", "positive", "power", "prelu", "prod", "psi", "ptp", "quantile",
           "rad2deg", "radians", "rand", "rand_like", "randint", "randn", "randn_like", "ravel", "reciprocal",
           "rel_entr", "relu", "remainder", "reshape", "right_shift", "rint", "rsqrt", "selu", "set_default_dtype",
           "set_grad_enabled", "sgn", "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinc_derivative", "sinh",
           "softmax", "softplus", "softplus_below", "sqrt", "square", "squeeze", "stack", "std", "std_mean", "sub",
           "subtract", "swapaxes", "t", "tan", "tanh", "tensor", "transpose", "trapezoid", "trapz", "true_divide",
           "trunc", "uint8", "unbind", "unsqueeze", "value_and_grad", "var", "var_mean", "where", "xlog1py", "xlogy",
           "y0", "y1", "yv", "zeros", "zeros_like", "zeta"]

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
def add(x: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """x + alpha * other."""
def addcdiv(x: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
    """x + value * tensor1 / tensor2."""
def addcmul(x: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
    """x + value * tensor1 * tensor2."""
def all(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """Whether all elements, of all or over `axis` (an axis, or several), are not 0."""
def allclose(
    x: TensorLike, other: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> _bool:
    """Whether all elements are equal within ``atol + rtol * |other|``, a bool."""
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
    """Whether any element, of all or over `axis` (an axis, or several), is not 0."""
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
def arctan2(x: TensorLike, other: TensorLike) -> Tensor:
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
def array_equal(x: TensorLike, other: TensorLike, equal_nan: _bool = False) -> _bool:
    """Whether two tensors have one shape and equal elements, a bool; with `equal_nan`, nan is equal to nan."""
def as_tensor(data: TensorLike | ArrayLike, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """`data` as a tensor; a tensor as it is, and an array without a copy: it shares its memory."""
def average(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, weights: TensorLike | None = None,
    returned: _bool = False, keepdims: _bool = False, *, dim: _int | Sequence[_int] | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """The mean of all elements, or over `axis`, each with its weight; with ``returned=True`` also the sum of the
    weights."""
def bernoulli_loss(x: TensorLike, other: TensorLike) -> Tensor:
    """bernoulli_loss(x, y), element by element, shapes broadcast as NumPy's. Derivative: at most 1e12 in size for y in
    [0, 1]."""
def beta(x: TensorLike, other: TensorLike) -> Tensor:
    """beta(x, y), element by element, shapes broadcast as NumPy's."""
def betainc(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc(x, y, w), element by element, shapes broadcast as NumPy's."""
def betainc_by_a(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc_by_a(x, y, w), element by element, shapes broadcast as NumPy's."""
def betainc_by_b(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """betainc_by_b(x, y, w), element by element, shapes broadcast as NumPy's."""
def betaln(x: TensorLike, other: TensorLike) -> Tensor:
    """betaln(x, y), element by element, shapes broadcast as NumPy's."""
def binary_cross_entropy_with_logits(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: str = 'mean',
    pos_weight: TensorLike | None = None
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), right in both tails; `pos_weight` is the weight of targets of 1."""
def bitwise_and(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.bitwise_and``, element by element, shapes broadcast; without derivative."""
def bitwise_left_shift(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.left_shift``, element by element, shapes broadcast; without derivative."""
def bitwise_not(x: TensorLike) -> Tensor:
    """As ``np.invert``, element by element; without derivative."""
def bitwise_or(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.bitwise_or``, element by element, shapes broadcast; without derivative."""
def bitwise_right_shift(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.right_shift``, element by element, shapes broadcast; without derivative."""
def bitwise_xor(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.bitwise_xor``, element by element, shapes broadcast; without derivative."""
def broadcast_to(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
def cbrt(x: TensorLike) -> Tensor:
    """cbrt(x), element by element, shapes broadcast as NumPy's."""
def ceil(x: TensorLike) -> Tensor:
    """ceil(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def celu(input: TensorLike, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""
def clamp(
    x: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None, *, a_min: TensorLike | None = None,
    a_max: TensorLike | None = None
) -> Tensor:
    """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
def clamp_max(x: TensorLike, max: TensorLike) -> Tensor:
    """Each element, or `max` where that is smaller."""
def clamp_min(x: TensorLike, min: TensorLike) -> Tensor:
    """Each element, or `min` where that is larger."""
def clone(x: TensorLike, **_: object) -> Tensor:
    """A copy, through which gradients flow."""
def concatenate(tensors: Tensor | Sequence[TensorLike], axis: _int = 0, *, dim: _int | None = None) -> Tensor:
    """Tensors joined along an axis."""
def copysign(x: TensorLike, other: TensorLike) -> Tensor:
    """copysign(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, 0 in y."""
def cos(x: TensorLike) -> Tensor:
    """cos(x), element by element, shapes broadcast as NumPy's."""
def cosh(x: TensorLike) -> Tensor:
    """cosh(x), element by element, shapes broadcast as NumPy's."""
def cosine_similarity(
    x1: TensorLike, x2: TensorLike, dim: _int | Sequence[_int] | None = 1, eps: _float = 1e-08
) -> Tensor:
    """The cosine of the angle between vectors along `dim`; lengths count as at least `eps`."""
def count_nonzero(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """How many elements, of all or along `axis`, are not 0; int64."""
def cummax(x: TensorLike, axis: _int | None = None, *, dim: _int | None = None) -> ValuesIndices:
    """The largest elements up to each, along `axis`, or of the flat tensor, and where they are: the last of equal
    ones."""
def cummin(x: TensorLike, axis: _int | None = None, *, dim: _int | None = None) -> ValuesIndices:
    """The smallest elements up to each, along `axis`, or of the flat tensor, and where they are: the last of equal
    ones."""
def cumprod(
    x: TensorLike, axis: _int | None = None, *, dim: _int | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """The products of the elements up to each, along `axis`, or of the flat tensor; the derivative is right at zeros,
    too."""
def cumsum(
    x: TensorLike, axis: _int | None = None, *, dim: _int | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """The sums of the elements up to each, along `axis`, or of the flat tensor. Integers and bools give int64."""
def deg2rad(x: TensorLike) -> Tensor:
    """deg2rad(x), element by element, shapes broadcast as NumPy's."""
def detach(x: Tensor) -> Tensor:
    """The same memory without history: a leaf that requires no grad. Writing into either is seen by both."""
def diagonal(x: TensorLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
    """The elements on a diagonal of two axes. A view."""
def diff(
    x: TensorLike, n: _int = 1, axis: _int = -1, prepend: TensorLike | None = None, append: TensorLike | None = None, *,
    dim: _int | None = None
) -> Tensor:
    """Differences of neighbours along an axis, `n` times; what is prepended or appended first is a number, or fits
    beside `x`."""
def digamma(x: TensorLike) -> Tensor:
    """digamma(x), element by element, shapes broadcast as NumPy's."""
def divide(x: TensorLike, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
    """x / other; `rounding_mode` "trunc" or "floor" rounds the quotient to a whole number, and then the derivative is
    0."""
def divmod(x: TensorLike, other: TensorLike) -> tuple[Tensor, Tensor]:
    """The floored quotient and the remainder, a pair; the remainder has the sign of the divisor."""
def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of two vectors, or as ``np.dot``."""
def dropout(input: TensorLike, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, each element is set to 0 with probability `p`, and the others are divided by 1 - p."""
def elu(x: TensorLike, other: TensorLike) -> Tensor:
    """elu(x, y), element by element, shapes broadcast as NumPy's. Derivative: y at 0."""
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
def equal(x: TensorLike, other: TensorLike) -> _bool:
    """Whether two tensors have one shape and equal elements, a bool."""
def equal_to(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.equal``, element by element, shapes broadcast; without derivative."""
def erf(x: TensorLike) -> Tensor:
    """erf(x), element by element, shapes broadcast as NumPy's."""
def erfc(x: TensorLike) -> Tensor:
    """erfc(x), element by element, shapes broadcast as NumPy's."""
def erfcinv(x: TensorLike) -> Tensor:
    """erfcinv(x), element by element, shapes broadcast as NumPy's."""
def erfcx(x: TensorLike) -> Tensor:
    """erfcx(x), element by element, shapes broadcast as NumPy's."""
def erfcx_derivative(x: TensorLike, y: TensorLike, /) -> Tensor:
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
def fabs(x: TensorLike) -> Tensor:
    """The absolute value, as a float. Derivative: 0 at 0."""
def flatten(x: TensorLike, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Axes from `start_dim` to `end_dim` as one. A view."""
def float_power(x: TensorLike, exponent: TensorLike) -> Tensor:
    """x to the power `exponent` in float64, whatever the dtypes are."""
def floor(x: TensorLike) -> Tensor:
    """floor(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def floor_divide(x: TensorLike, other: TensorLike) -> Tensor:
    """floor_divide(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def fma(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """fma(x, y, w), element by element, shapes broadcast as NumPy's."""
def fmax(x: TensorLike, other: TensorLike) -> Tensor:
    """fmax(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
    nothing to a nan beside a number."""
def fmin(x: TensorLike, other: TensorLike) -> Tensor:
    """fmin(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
    nothing to a nan beside a number."""
def fmod(x: TensorLike, other: TensorLike) -> Tensor:
    """fmod(x, y), element by element, shapes broadcast as NumPy's. Derivative: of its piece."""
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
def gammainc(x: TensorLike, other: TensorLike) -> Tensor:
    """gammainc(x, y), element by element, shapes broadcast as NumPy's."""
def gammainc_derivative(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """gammainc_derivative(x, y, w), element by element, shapes broadcast as NumPy's."""
def gammaincc(x: TensorLike, other: TensorLike) -> Tensor:
    """gammaincc(x, y), element by element, shapes broadcast as NumPy's."""
def gammaln(x: TensorLike) -> Tensor:
    """gammaln(x), element by element, shapes broadcast as NumPy's."""
def gelu(x: TensorLike) -> Tensor:
    """gelu(x), element by element, shapes broadcast as NumPy's."""
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
def greater(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.greater``, element by element, shapes broadcast; without derivative."""
def greater_equal(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.greater_equal``, element by element, shapes broadcast; without derivative."""
def hardtanh(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """hardtanh(x, y, w), element by element, shapes broadcast as NumPy's. Derivative: 0 in x at both bounds, as
    PyTorch."""
def heaviside(x: TensorLike, other: TensorLike) -> Tensor:
    """heaviside(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 in x; in y, 1 at x = 0."""
def hinge_embedding_loss(
    input: TensorLike, target: TensorLike, margin: _float = 1.0, reduction: str = 'mean'
) -> Tensor:
    """The input where the target is 1, and max(0, margin - input) where it is -1."""
def hypot(x: TensorLike, other: TensorLike) -> Tensor:
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
    x: TensorLike, other: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> Tensor:
    """Which elements are equal within ``atol + rtol * |other|``."""
def isfinite(x: TensorLike) -> Tensor:
    """As ``np.isfinite``, element by element; without derivative."""
def isinf(x: TensorLike) -> Tensor:
    """As ``np.isinf``, element by element; without derivative."""
def isnan(x: TensorLike) -> Tensor:
    """As ``np.isnan``, element by element; without derivative."""
def isneginf(x: TensorLike) -> Tensor:
    """As ``np.isneginf``, element by element; without derivative."""
def isposinf(x: TensorLike) -> Tensor:
    """As ``np.isposinf``, element by element; without derivative."""
def isreal(x: TensorLike) -> Tensor:
    """As ``np.isreal``, element by element; without derivative."""
def iv(x: TensorLike, y: TensorLike, /) -> Tensor:
    """iv(x, y), element by element, shapes broadcast as NumPy's."""
def ive(x: TensorLike, y: TensorLike, /) -> Tensor:
    """ive(x, y), element by element, shapes broadcast as NumPy's."""
def j0(x: TensorLike) -> Tensor:
    """j0(x), element by element, shapes broadcast as NumPy's."""
def j1(x: TensorLike) -> Tensor:
    """j1(x), element by element, shapes broadcast as NumPy's."""
def jacobian(function: Callable[..., Any], argnums: _int | Sequence[_int] = 0) -> Callable[..., Any]:
    """A function that gives the Jacobian of `function`: the output's shape followed by the argument's."""
def jv(x: TensorLike, y: TensorLike, /) -> Tensor:
    """jv(x, y), element by element, shapes broadcast as NumPy's."""
def kl_div(input: TensorLike, target: TensorLike, reduction: str = 'mean', log_target: _bool = False) -> Tensor:
    """target * (log(target) - input), of log probabilities; "batchmean" divides the sum by the length of the first
    axis."""
def layer_norm(
    input: TensorLike, normalized_shape: _int | Sequence[_int], weight: TensorLike | None = None,
    bias: TensorLike | None = None, eps: _float = 1e-05
) -> Tensor:
    """(input - mean) / sqrt(variance + eps) over the last axes, whose shape is `normalized_shape`; then * weight +
    bias."""
def ldexp(x: TensorLike, exponent: TensorLike) -> Tensor:
    """x * 2**exponent, exactly for whole exponents, also where 2**exponent alone would overflow."""
def leaky_relu(x: TensorLike, other: TensorLike) -> Tensor:
    """leaky_relu(x, y), element by element, shapes broadcast as NumPy's. Derivative: the slope y at 0."""
def lerp(x: TensorLike, end: Number | Tensor, weight: TensorLike) -> Tensor:
    """x + weight * (end - x): `x` at weight 0, `end` at weight 1."""
def less(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.less``, element by element, shapes broadcast; without derivative."""
def less_equal(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.less_equal``, element by element, shapes broadcast; without derivative."""
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
def log_softmax(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None,
    dtype: DTypeLike | None = None
) -> Tensor:
    """log(softmax(x)), along `axis` (an axis, or several; all by default), right where softmax is close to 0."""
def logaddexp(x: TensorLike, other: TensorLike) -> Tensor:
    """logaddexp(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
    infinities."""
def logaddexp2(x: TensorLike, other: TensorLike) -> Tensor:
    """logaddexp2(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each of equal
    infinities."""
def logcumsumexp(x: TensorLike, axis: _int | None = None, *, dim: _int | None = None) -> Tensor:
    """log(cumsum(exp(x))) along `axis`, or of the flat tensor, without overflow."""
def logical_and(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.logical_and``, element by element, shapes broadcast; without derivative."""
def logical_not(x: TensorLike) -> Tensor:
    """As ``np.logical_not``, element by element; without derivative."""
def logical_or(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.logical_or``, element by element, shapes broadcast; without derivative."""
def logical_xor(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.logical_xor``, element by element, shapes broadcast; without derivative."""
def logit(x: TensorLike) -> Tensor:
    """logit(x), element by element, shapes broadcast as NumPy's."""
def logsumexp(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """log(sum(exp(x))) of all elements, or over `axis`, without overflow; -inf of no elements."""
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
def maximum(x: TensorLike, other: TensorLike) -> Tensor:
    """maximum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
    all to each where one is nan."""
def mean(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The mean of all elements, or over `axis`; nan of no elements. RuntimeError for integers."""
def median(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The middle element in order, of all or over `axis`; of an even number the mean of the two in the middle, as
    NumPy's."""
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
def minimum(x: TensorLike, other: TensorLike) -> Tensor:
    """minimum(x, y), element by element, shapes broadcast as NumPy's. Derivative: half to each where they are equal,
    all to each where one is nan."""
def multiply(x: TensorLike, other: TensorLike) -> Tensor:
    """multiply(x, y), element by element, shapes broadcast as NumPy's."""
def nan_to_num(
    x: TensorLike, nan: _float | None = 0.0, posinf: _float | None = None, neginf: _float | None = None
) -> Tensor:
    """With `nan` for nan, and for inf and -inf what is given, or else the largest and smallest finite numbers."""
def nanmax(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The largest of the elements that are not nan, of all or over `axis`; nan of none."""
def nanmean(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The mean of the elements that are not nan, of all or over `axis`; the others have a derivative of 0. nan of
    none."""
def nanmin(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The smallest of the elements that are not nan, of all or over `axis`; nan of none."""
def nanprod(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The product of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
def nansum(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The sum of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
def ndtr(x: TensorLike) -> Tensor:
    """ndtr(x), element by element, shapes broadcast as NumPy's."""
def ndtri(x: TensorLike) -> Tensor:
    """ndtri(x), element by element, shapes broadcast as NumPy's."""
def negative(x: TensorLike) -> Tensor:
    """negative(x), element by element, shapes broadcast as NumPy's."""
def not_equal(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.not_equal``, element by element, shapes broadcast; without derivative."""
def ones(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Ones of a shape."""
def ones_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``ones``, with the shape and dtype of a tensor."""
def pairwise_distance(
    x1: TensorLike, x2: TensorLike, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last axis."""
def percentile(
    x: TensorLike, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
    interpolation: str | None = None
) -> Tensor:
    """As `quantile`, with `q` in percent."""
def permute(x: TensorLike, *axes: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The axes in another order. A view."""
def poisson_nll_loss(
    input: TensorLike, target: TensorLike, log_input: _bool = True, full: _bool = False, eps: _float = 1e-08,
    reduction: str = 'mean'
) -> Tensor:
    """exp(input) - target * input, or without `log_input` input - target * log(input + eps)."""
def polygamma(x: TensorLike, y: TensorLike, /) -> Tensor:
    """polygamma(x, y), element by element, shapes broadcast as NumPy's."""
def positive(x: TensorLike) -> Tensor:
    """The tensor itself."""
def power(x: TensorLike, exponent: TensorLike) -> Tensor:
    """x to the power `exponent`, elementwise; x ** 2 is a square, as in NumPy. Integers to integers are integers."""
def prelu(input: TensorLike, weight: TensorLike) -> Tensor:
    """As leaky_relu, with a slope that is learned: one number, or one for each channel, the second axis of the
    input."""
def prod(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The product of all elements, or over `axis`; 1 of no elements. Integers and bools give int64."""
def ptp(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The largest element minus the smallest one, of all or over `axis`; either's derivative is shared among equal
    ones."""
def quantile(
    x: TensorLike, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
    interpolation: str | None = None
) -> Tensor:
    """The value below which a part `q`, a number in [0, 1] or several, of the elements lies, of all or over `axis`."""
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
def ravel(x: TensorLike) -> Tensor:
    """The elements in one row, a view where they lie so in memory."""
def reciprocal(x: TensorLike) -> Tensor:
    """reciprocal(x), element by element, shapes broadcast as NumPy's."""
def rel_entr(x: TensorLike, other: TensorLike) -> Tensor:
    """rel_entr(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 where x or y is not above 0."""
def relu(x: TensorLike) -> Tensor:
    """relu(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
def remainder(x: TensorLike, other: TensorLike) -> Tensor:
    """remainder(x, y), element by element, shapes broadcast as NumPy's. Derivative: of its piece."""
def reshape(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so in
    memory."""
def rint(x: TensorLike) -> Tensor:
    """round(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def round(x: TensorLike, decimals: _int = 0) -> Tensor:
    """To the nearest number with so many decimals, a half to the even one, as NumPy. Derivative: 0 everywhere."""
def rsqrt(x: TensorLike) -> Tensor:
    """rsqrt(x), element by element, shapes broadcast as NumPy's."""
def selu(input: TensorLike, inplace: _bool = False) -> Tensor:
    """1.0507... times elu(input, 1.6732...), by which layers keep mean 0 and variance 1."""
def set_default_dtype(dtype: DTypeLike) -> None:
    """Sets the dtype of tensors made from Python floats; it has to be float64 or float32."""
def sigmoid(x: TensorLike) -> Tensor:
    """sigmoid(x), element by element, shapes broadcast as NumPy's."""
def sign(x: TensorLike) -> Tensor:
    """sign(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def signbit(x: TensorLike) -> Tensor:
    """Whether the sign is negative, that of -0.0 too; bools."""
def silu(x: TensorLike) -> Tensor:
    """silu(x), element by element, shapes broadcast as NumPy's."""
def sin(x: TensorLike) -> Tensor:
    """sin(x), element by element, shapes broadcast as NumPy's."""
def sinc(x: TensorLike) -> Tensor:
    """sinc(x), element by element, shapes broadcast as NumPy's."""
def sinc_derivative(x: TensorLike, y: TensorLike, /) -> Tensor:
    """sinc_derivative(x, y), element by element, shapes broadcast as NumPy's."""
def sinh(x: TensorLike) -> Tensor:
    """sinh(x), element by element, shapes broadcast as NumPy's."""
def softmax(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None,
    dtype: DTypeLike | None = None
) -> Tensor:
    """exp(x) / sum(exp(x)), along `axis` (an axis, or several; all by default), without overflow."""
def softplus(x: TensorLike) -> Tensor:
    """softplus(x), element by element, shapes broadcast as NumPy's."""
def softplus_below(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """softplus_below(x, y, w), element by element, shapes broadcast as NumPy's. Derivative: 1 above the threshold."""
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
def std(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, ddof: _float | None = None,
    correction: _float | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """The standard deviation of all elements, or over `axis`: the root of `var`, with its arguments."""
def std_mean(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, correction: _float | None = None
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean, a pair."""
def subtract(x: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """x - alpha * other."""
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
def trapezoid(
    y: TensorLike, x: TensorLike | None = None, dx: TensorLike | _float = 1.0, axis: _int = -1, *,
    dim: _int | None = None
) -> Tensor:
    """The area under samples `y`, by the trapezoidal rule, at places `x` (a vector, or of the shape of `y`) or `dx`
    apart."""
def trunc(x: TensorLike) -> Tensor:
    """trunc(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
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
def var(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, ddof: _float | None = None,
    correction: _float | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """The variance of all elements, or over `axis`: the sum of squared distances from the mean, by n - `correction`."""
def var_mean(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, correction: _float | None = None
) -> tuple[Tensor, Tensor]:
    """The variance and the mean, a pair."""
@overload
def where(condition: TensorLike, x: TensorLike, y: TensorLike) -> Tensor:
    """`x` where the condition holds, `y` elsewhere, shapes broadcast. With a condition alone, the indices where it
    holds."""
@overload
def where(condition: TensorLike) -> tuple[Tensor, ...]: ...
def xlog1py(x: TensorLike, other: TensorLike) -> Tensor:
    """xlog1py(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, y = -1."""
def xlogy(x: TensorLike, other: TensorLike) -> Tensor:
    """xlogy(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = y = 0."""
def y0(x: TensorLike) -> Tensor:
    """y0(x), element by element, shapes broadcast as NumPy's."""
def y1(x: TensorLike) -> Tensor:
    """y1(x), element by element, shapes broadcast as NumPy's."""
def yv(x: TensorLike, y: TensorLike, /) -> Tensor:
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
def zeta(x: TensorLike, y: TensorLike, /) -> Tensor:
    """zeta(x, y), element by element, shapes broadcast as NumPy's."""
absolute = abs
acos = arccos
acosh = arccosh
around = round
asarray = as_tensor
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
bitwise_invert = bitwise_not
bmm = matmul
cat = concatenate
clip = clamp
concat = concatenate
degrees = rad2deg
div = divide
eq = equal_to
expit = sigmoid
fix = trunc
ge = greater_equal
gt = greater
igamma = gammainc
igammac = gammaincc
invert = bitwise_not
le = less_equal
left_shift = bitwise_left_shift
lgamma = gammaln
log_expit = log_sigmoid
logsigmoid = log_sigmoid
lt = less
mm = matmul
mod = remainder
mul = multiply
mv = matmul
ne = not_equal
neg = negative
permute_dims = permute
pow = power
psi = digamma
radians = deg2rad
right_shift = bitwise_right_shift
sgn = sign
sub = subtract
trapz = trapezoid
true_divide = divide
