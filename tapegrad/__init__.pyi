# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from typing_extensions import TypeIs

from . import array_api, autograd, fft, linalg, nn, optim, optimize, plot, special, stats, testing
from . import numpy as numpy
from . import scipy as scipy
from ._types import (
    AminmaxResult,
    Array,
    Index,
    Number,
    SlogdetResult,
    SVDFactors,
    Tape,
    Tensor,
    TensorLike,
    ValuesIndices,
)
from ._types import Device as device
from .autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from .progress import set_progress

__all__ = ["DoubleTensor", "FloatTensor", "LongTensor", "Tape", "Tensor", "absolute", "acos", "acosh", "add", "addbmm",
           "addcdiv", "addcmul", "addmm", "addmv", "addr", "allclose", "amax", "amin", "aminmax", "append", "arange",
           "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argpartition",
           "argsort", "argwhere", "around", "array_api", "array_equal", "array_split", "as_tensor", "asarray", "asin",
           "asinh", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "autograd", "average",
           "baddbmm", "bernoulli", "bernoulli_loss", "beta", "betainc", "betainc_by_a", "betainc_by_b", "betaln",
           "bilinear", "binary_cross_entropy_with_logits", "bincount", "bitwise_and", "bitwise_invert",
           "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "block",
           "block_diag", "bmm", "bool_", "broadcast_arrays", "broadcast_shapes", "broadcast_tensors", "broadcast_to",
           "bucketize", "call", "can_cast", "cartesian_prod", "cat", "cbrt", "cdist", "ceil", "celu", "chain_matmul",
           "checkpoint", "cholesky", "cholesky_inverse", "cholesky_solve", "choose", "chunk", "clamp", "clamp_max",
           "clamp_min", "clip", "clone", "column_stack", "combinations", "compress", "concat", "concatenate",
           "convolve", "copysign", "corrcoef", "correlate", "cos", "cosh", "cosine_embedding_loss", "cosine_similarity",
           "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "deg2rad",
           "degrees", "delete", "det", "detach", "device", "diag", "diag_embed", "diagflat", "diagonal",
           "diagonal_scatter", "diff", "digamma", "digitize", "dist", "div", "divide", "dot", "double", "dropout",
           "dsplit", "dstack", "e", "einsum", "elementwise_grad", "elu", "empty", "empty_like", "enable_grad", "entr",
           "eq", "equal", "equal_to", "erf", "erfc", "erfcinv", "erfcx", "erfcx_derivative", "erfinv", "exp", "exp2",
           "expand", "expand_dims", "expit", "explain", "expm", "expm1", "extract", "eye", "fabs", "fft", "fix",
           "fixed_point", "flatnonzero", "flatten", "flip", "fliplr", "flipud", "float16", "float32", "float64",
           "float_power", "floor", "floor_divide", "fma", "fmax", "fmin", "fmod", "frac", "from_dlpack", "from_numpy",
           "full", "full_like", "gamma", "gamma_density", "gammainc", "gammainc_derivative", "gammaincc", "gammaln",
           "gather", "ge", "gelu", "geomspace", "ger", "get_default_dtype", "grad", "gradient", "greater",
           "greater_equal", "group_norm", "gt", "half", "hardshrink", "hardtanh", "heaviside", "hessian",
           "hessian_vector_product", "hinge_embedding_loss", "histc", "histogram", "hsplit", "hstack", "hvp", "hypot",
           "i0", "i0e", "i1", "i1e", "identity", "igamma", "igammac", "implicit_root", "index_add", "index_copy",
           "index_fill", "index_put", "index_select", "inf", "inference_mode", "inner", "insert", "int16", "int32",
           "int64", "int8", "interp", "inv", "inverse", "invert", "is_complex", "is_floating_point", "is_grad_enabled",
           "is_inference_mode_enabled", "is_nonzero", "is_same_size", "is_signed", "is_tensor", "isclose", "isfinite",
           "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "iv", "ive", "j0", "j1", "jacfwd", "jacobian",
           "jacrev", "jv", "jvp", "kl_div", "kron", "kthvalue", "layer_norm", "ldexp", "le", "leaky_relu", "left_shift",
           "lerp", "less", "less_equal", "lgamma", "linalg", "linearize", "linspace", "log", "log10", "log1p", "log2",
           "log_expit", "log_ndtr", "log_sigmoid", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet",
           "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid", "logspace", "logsumexp",
           "long", "lt", "make_jvp", "make_vjp", "manual_seed", "margin_ranking_loss", "masked_fill", "masked_scatter",
           "masked_select", "matmul", "matrix_exp", "matrix_power", "matrix_transpose", "matvec", "maximum", "mean",
           "median", "meshgrid", "minimum", "mm", "mod", "mode", "moveaxis", "movedim", "msort", "mul", "multi_dot",
           "multinomial", "multiply", "mv", "nan", "nan_to_num", "nanmax", "nanmean", "nanmedian", "nanmin",
           "nanpercentile", "nanprod", "nanquantile", "nansum", "narrow", "ndtr", "ndtri", "ne", "neg", "negative",
           "newaxis", "njit_grad", "njit_jacobian", "njit_jvp", "njit_value_and_grad", "nn", "no_grad", "nonzero",
           "norm", "normal", "not_equal", "numel", "odeint", "ones", "ones_like", "optim", "optimize", "outer", "pad",
           "pairwise_distance", "partition", "pdist", "percentile", "permute", "permute_dims", "pi", "pinv", "pinverse",
           "plot", "poisson", "poisson_nll_loss", "polygamma", "positive", "power", "prelu", "primitive", "prod",
           "promote_types", "psi", "ptp", "put", "put_along_axis", "quantile", "rad2deg", "radians", "rand",
           "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "ravel", "reciprocal", "record",
           "rel_entr", "relu", "remainder", "renorm", "repeat", "repeat_interleave", "reshape", "result_type", "rgamma",
           "right_shift", "rint", "rms_norm", "roll", "rot90", "row_stack", "rsqrt", "scatter", "scatter_add",
           "scatter_reduce", "searchsorted", "select", "select_scatter", "selu", "set_default_dtype",
           "set_grad_enabled", "set_progress", "sgn", "sigmoid", "sign", "signbit", "silu", "sin", "sinc",
           "sinc_derivative", "sinh", "slice_scatter", "sliding_window_view", "slogdet", "softmax", "softplus",
           "softplus_below", "sort", "sparse_hessian", "sparse_jacobian", "special", "split", "sqrt", "square",
           "squeeze", "stack", "stats", "std", "std_mean", "stdtr", "stdtr_by_df", "sub", "subtract", "svd", "swapaxes",
           "swapdims", "t", "take", "take_along_axis", "take_along_dim", "tan", "tanh", "tensor", "tensor_split",
           "tensordot", "testing", "threshold", "tile", "to_dot", "topk", "trace", "transpose", "trapezoid", "trapz",
           "tri", "tril", "tril_indices", "triplet_margin_loss", "triu", "triu_indices", "true_divide", "trunc",
           "uint8", "unbind", "unflatten", "unfold", "unique", "unique_all", "unique_consecutive", "unique_counts",
           "unique_inverse", "unique_values", "unravel_index", "unsqueeze", "unstack", "value_and_grad", "vander",
           "var", "var_mean", "vdot", "vecdot", "vecmat", "vjp", "vmap", "vsplit", "vstack", "where", "xlog1py",
           "xlogy", "y0", "y1", "yv", "zeros", "zeros_like", "zeta"]

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
def add(x: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """x + alpha * other."""
def addbmm(x: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * the sum of batch1 @ batch2 over the batch."""
def addcdiv(x: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
    """x + value * tensor1 / tensor2."""
def addcmul(x: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
    """x + value * tensor1 * tensor2."""
def addmm(x: TensorLike, mat1: TensorLike, mat2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * (mat1 @ mat2), of matrices."""
def addmv(x: TensorLike, mat: TensorLike, vec: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * (mat @ vec)."""
def addr(x: TensorLike, vec1: TensorLike, vec2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * outer(vec1, vec2)."""
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
def aminmax(x: TensorLike, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> AminmaxResult:
    """The smallest and the largest element, of all or over `dim`, a pair (min, max); as `amin` and `amax` give them."""
def any(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """Whether any element, of all or over `axis` (an axis, or several), is not 0."""
def append(x: TensorLike, values: TensorLike, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """`values` behind a tensor, both flat, or along an axis."""
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
    """arctan2(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at the origin, and where an operand
    is infinite."""
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
def argpartition(
    x: TensorLike, kth: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = -1
) -> Tensor:
    """The indices of ``partition``."""
def argsort(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, descending: _bool = False, stable: _bool = True, *,
    dim: _int | Sequence[_int] | None = None
) -> Tensor:
    """The indices that sort along an axis, by default the last."""
def argwhere(x: TensorLike) -> Tensor:
    """The indices of elements that are not 0, a matrix with a row for each."""
def array_equal(x: TensorLike, other: TensorLike, equal_nan: _bool = False) -> _bool:
    """Whether two tensors have one shape and equal elements, a bool; with `equal_nan`, nan is equal to nan."""
def as_tensor(data: TensorLike | ArrayLike, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """`data` as a tensor; a tensor as it is, and an array without a copy: it shares its memory."""
def atleast_1d(*tensors: Tensor | Sequence[TensorLike]) -> Tensor | tuple[Tensor, ...]:
    """Each tensor with at least 1 axis, new ones as NumPy places them; of several a tuple. Views."""
def atleast_2d(*tensors: Tensor | Sequence[TensorLike]) -> Tensor | tuple[Tensor, ...]:
    """Each tensor with at least 2 axes, new ones as NumPy places them; of several a tuple. Views."""
def atleast_3d(*tensors: Tensor | Sequence[TensorLike]) -> Tensor | tuple[Tensor, ...]:
    """Each tensor with at least 3 axes, new ones as NumPy places them; of several a tuple. Views."""
def average(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, weights: TensorLike | None = None,
    returned: _bool = False, keepdims: _bool = False, *, dim: _int | Sequence[_int] | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """The mean of all elements, or over `axis`, each with its weight; with ``returned=True`` also the sum of the
    weights."""
def baddbmm(x: TensorLike, batch1: TensorLike, batch2: TensorLike, *, beta: _float = 1, alpha: Number = 1) -> Tensor:
    """beta * x + alpha * (batch1 @ batch2), of batches of matrices."""
def bernoulli(x: TensorLike, p: TensorLike | None = None) -> Tensor:
    """1 with the probability that stands in the tensor, or with `p`, and else 0; in the shape and dtype of the
    tensor."""
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
def bilinear(input1: TensorLike, input2: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """For each output o: input1 @ weight[o] @ input2 + bias[o]."""
def binary_cross_entropy_with_logits(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: str = 'mean',
    pos_weight: TensorLike | None = None
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), right in both tails; `pos_weight` is the weight of targets of 1."""
def bincount(x: TensorLike, weights: TensorLike | None = None, minlength: _int = 0) -> Tensor:
    """How often each integer from 0 occurs in a vector; or the sums of the weights there, which are differentiable."""
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
def block(arrays: Sequence[Any] | Tensor) -> Tensor:
    """A tensor from nested lists of blocks: the innermost joined along the last axis, the next along the one before
    it."""
def block_diag(*tensors: Tensor | Sequence[TensorLike]) -> Tensor:
    """Matrices along a diagonal, zeros elsewhere; vectors and numbers count as rows."""
def bmm(x: TensorLike, y: TensorLike) -> Tensor:
    """The products of two batches of matrices, (b, m, k) and (b, k, n)."""
def broadcast_shapes(*shapes: _int | Sequence[_int]) -> tuple[_int, ...]:
    """The shape that shapes, tuples or single lengths, give together. ValueError where they don't match."""
def broadcast_tensors(*tensors: Tensor | Sequence[TensorLike]) -> tuple[Tensor, ...]:
    """Tensors broadcast to one shape, a tuple of views."""
def broadcast_to(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
def bucketize(x: TensorLike, boundaries: TensorLike, *, out_int32: _bool = False, right: _bool = False) -> Tensor:
    """The number of the bucket between sorted boundaries that each element is in; on a boundary that below it, or
    above."""
def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function that ``numba.njit`` compiled with Tensors, as one operation of their graph."""
def can_cast(from_: DTypeLike, to: DTypeLike) -> _bool:
    """Whether tensors of a dtype can be written into those of another: not floats into integers, nor numbers into
    bools."""
def cartesian_prod(*tensors: Tensor | Sequence[TensorLike]) -> Tensor:
    """All combinations of an element of each vector, one in each row, the last vector's changing fastest."""
def cbrt(x: TensorLike) -> Tensor:
    """cbrt(x), element by element, shapes broadcast as NumPy's."""
def cdist(x: TensorLike, y: TensorLike, p: _float = 2.0, compute_mode: str | None = None) -> Tensor:
    """The distances, in the p-norm, of each vector of x, (..., m, k), from each of y, (..., n, k): (..., m, n). Where
    two are equal the derivative is 0. They are made from differences, whatever the `compute_mode`, which PyTorch
    has."""
def ceil(x: TensorLike) -> Tensor:
    """ceil(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def celu(input: TensorLike, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""
def checkpoint(function: _F, *arguments: Any) -> _F:
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
def choose(x: TensorLike, choices: Sequence[TensorLike], mode: str = 'raise') -> Tensor:
    """``choices[x[i]][i]`` at each place, choices and indices broadcast; as ``np.choose``."""
def chunk(x: TensorLike, chunks: _int, dim: _int | Sequence[_int] | None = 0) -> tuple[Tensor, ...]:
    """At most so many parts of one length along an axis, the last perhaps shorter; a tuple of views."""
def clamp(
    x: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None, *, a_min: TensorLike | None = None,
    a_max: TensorLike | None = None
) -> Tensor:
    """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
def clamp_max(x: TensorLike, max: TensorLike) -> Tensor:
    """Each element, or `max` where that is smaller."""
def clamp_min(x: TensorLike, min: TensorLike) -> Tensor:
    """Each element, or `min` where that is larger."""
def clone(x: TensorLike, *, memory_format: Any = None) -> Tensor:
    """A copy, through which gradients flow. `memory_format` is PyTorch's; it may be given, and changes nothing."""
def column_stack(tensors: Tensor | Sequence[TensorLike]) -> Tensor:
    """Vectors as columns, and matrices, joined along the second axis."""
def combinations(x: TensorLike, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All combinations of r elements of a vector, one in each row."""
@overload
def compile(function: _F, *, paths: _int = 16, tier: str | None = None) -> _F:
    """The same function, recorded once for each signature and way that it takes, and then replayed in compiled code."""
@overload
def compile(function: None = None, *, paths: _int = 16, tier: str | None = None) -> Callable[[_F], _F]: ...
def compress(condition: TensorLike, x: TensorLike, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """The elements, or slices along an axis, where a vector of conditions is true."""
def concatenate(tensors: Tensor | Sequence[TensorLike], axis: _int = 0, *, dim: _int | None = None) -> Tensor:
    """Tensors joined along an axis; with ``axis=None``, all of their elements along one."""
def convolve(x: TensorLike, y: TensorLike, mode: str = 'full') -> Tensor:
    """The convolution of two vectors, as ``np.convolve``: "full", "same" (of the longer one's length) or "valid"."""
def copysign(x: TensorLike, other: TensorLike) -> Tensor:
    """copysign(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 at x = 0, 0 in y."""
def corrcoef(x: TensorLike) -> Tensor:
    """The correlation coefficients of variables, which are rows, as PyTorch's ``corrcoef``. ``np.corrcoef`` is
    NumPy's."""
def correlate(x: TensorLike, y: TensorLike, mode: str = 'valid') -> Tensor:
    """The correlation of two vectors, as ``np.correlate``: the convolution with the second one reversed."""
def cos(x: TensorLike) -> Tensor:
    """cos(x), element by element, shapes broadcast as NumPy's."""
def cosh(x: TensorLike) -> Tensor:
    """cosh(x), element by element, shapes broadcast as NumPy's."""
def cosine_embedding_loss(
    input1: TensorLike, input2: TensorLike, target: TensorLike, margin: _float = 0.0, reduction: str = 'mean'
) -> Tensor:
    """1 - cosine where the target is 1, and max(0, cosine - margin) where it is -1, of the angle between two
    vectors."""
def cosine_similarity(
    x1: TensorLike, x2: TensorLike, dim: _int | Sequence[_int] | None = 1, eps: _float = 1e-08
) -> Tensor:
    """The cosine of the angle between vectors along `dim`; lengths count as at least `eps`."""
def count_nonzero(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """How many elements, of all or along `axis`, are not 0; int64."""
def cov(
    x: TensorLike, *, correction: _int = 1, fweights: TensorLike | None = None, aweights: TensorLike | None = None
) -> Tensor:
    """The covariance matrix of variables, which are rows; of a vector its variance, as PyTorch's ``cov``. ``np.cov`` is
    NumPy's."""
def cross(
    x: TensorLike, y: TensorLike, axisa: _int = -1, axisb: _int = -1, axisc: _int = -1,
    axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None
) -> Tensor:
    """The vector products of vectors of three elements along an axis, or of two, whose product is a number; the other
    axes broadcast."""
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
def cumulative_trapezoid(
    y: TensorLike, x: TensorLike | None = None, *, dx: TensorLike | _float | None = None, dim: _int = -1
) -> Tensor:
    """The areas under samples `y` from the first to each of the others, by the trapezoidal rule: one less than there
    are samples."""
def deg2rad(x: TensorLike) -> Tensor:
    """deg2rad(x), element by element, shapes broadcast as NumPy's."""
def delete(x: TensorLike, obj: Any, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Without the elements, or slices along an axis, at indices, a slice, or where a mask is true."""
def det(a: TensorLike) -> Tensor:
    """The determinants of matrices. The derivative is the matrix of cofactors, of singular matrices, too, in any
    order."""
def detach(x: Tensor) -> Tensor:
    """The same memory without history: a leaf that requires no grad. Writing into either is seen by both."""
def diag(x: TensorLike, diagonal: _int = 0, *, k: _int | None = None) -> Tensor:
    """Of a vector, the matrix that has it on a diagonal; of a matrix, a copy of its diagonal."""
def diag_embed(x: TensorLike, offset: _int = 0, dim1: _int | None = -2, dim2: _int = -1) -> Tensor:
    """Matrices in two new axes of the result that have the last axis on a diagonal."""
def diagflat(x: TensorLike, offset: _int = 0, *, k: _int | None = None) -> Tensor:
    """The matrix that has all elements on a diagonal."""
def diagonal(
    x: TensorLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1, *, dim1: _int | None = None,
    dim2: _int | None = None
) -> Tensor:
    """The elements on a diagonal of two axes. A view."""
def diagonal_scatter(x: TensorLike, src: TensorLike, offset: _int = 0, dim1: _int | None = 0, dim2: _int = 1) -> Tensor:
    """`x` with a diagonal taken from `src`."""
def diff(
    x: TensorLike, n: _int = 1, axis: _int = -1, prepend: TensorLike | None = None, append: TensorLike | None = None, *,
    dim: _int | None = None
) -> Tensor:
    """Differences of neighbours along an axis, `n` times; what is prepended or appended first is a number, or fits
    beside `x`."""
def digamma(x: TensorLike) -> Tensor:
    """digamma(x), element by element, shapes broadcast as NumPy's."""
def digitize(x: TensorLike, bins: TensorLike, right: _bool = False) -> Tensor:
    """The number of the bin that each element is in, as ``np.digitize``."""
def dist(x: TensorLike, y: TensorLike, p: _float = 2) -> Tensor:
    """The p-norm of x - y, which broadcast."""
def divide(x: TensorLike, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
    """x / other; `rounding_mode` "trunc" or "floor" rounds the quotient to a whole number, and then the derivative is
    0."""
def divmod(x: TensorLike, other: TensorLike) -> tuple[Tensor, Tensor]:
    """The floored quotient and the remainder, a pair; the remainder has the sign of the divisor."""
def dot(x: TensorLike, y: TensorLike) -> Tensor:
    """As ``np.dot``: the product of two vectors or matrices; of more axes, over the last axis of `x` and the second to
    last of `y`."""
def dropout(input: TensorLike, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, each element is set to 0 with probability `p`, and the others are divided by 1 - p."""
def dsplit(x: TensorLike, indices_or_sections: _int | Sequence[_int] | Tensor | Array) -> tuple[Tensor, ...]:
    """As ``np.dsplit``: so many parts of one length, or the parts between places; a tuple of views."""
def dstack(tensors: Tensor | Sequence[TensorLike]) -> Tensor:
    """Tensors joined along the third axis, which those of fewer axes get."""
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
def erfcx_derivative(x: TensorLike, other: TensorLike) -> Tensor:
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
    """With new axes of length 1 at `axis`, one place or several in the result. A view."""
def explain(function: Callable[..., Any] | Tape) -> None:
    """Prints what a compiled function, or the one that a transform was made of, has recorded: for each signature its
    paths, their records, guards and use; or the table of a tape."""
def expm(a: TensorLike) -> Tensor:
    """The exponentials of matrices."""
def expm1(x: TensorLike) -> Tensor:
    """expm1(x), element by element, shapes broadcast as NumPy's."""
def extract(condition: TensorLike, x: TensorLike) -> Tensor:
    """The elements where a condition of the same size is true, a vector."""
def eye(
    n: _int, m: _int | None = None, *, dtype: DTypeLike | None = None, requires_grad: _bool = False,
    device: str | None = None
) -> Tensor:
    """The identity matrix, n by n or n by m."""
def fabs(x: TensorLike) -> Tensor:
    """The absolute value, as a float. Derivative: 0 at 0."""
def fixed_point(
    g: Callable[..., Any], x0: Any, theta: Any, *, tol: TensorLike | _float | None = 1e-12, maxiter: _int = 10000
) -> Any:
    """The solution `x` of ``x = g(x, theta)`` that repeated application from `x0` comes to, differentiable by
    `theta`."""
def flatnonzero(x: TensorLike) -> Tensor:
    """The indices of elements of the flat tensor that are not 0."""
def flatten(x: TensorLike, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """Axes from `start_dim` to `end_dim` as one. A view."""
def flip(
    x: TensorLike, *axes: _int | Sequence[_int] | None, dims: _int | Sequence[_int] | None = None,
    axis: _int | Sequence[_int] | None = None
) -> Tensor:
    """Axes backward: those given, or all. A copy, as in PyTorch, and not a view as in NumPy."""
def fliplr(x: TensorLike) -> Tensor:
    """The second axis backward."""
def flipud(x: TensorLike) -> Tensor:
    """The first axis backward."""
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
def frac(x: TensorLike) -> Tensor:
    """x - trunc(x): what is behind the point, with the sign of x. Derivative: 1 everywhere."""
def from_dlpack(x: object) -> Tensor:
    """A tensor that shares the memory of an array of another library, by the DLPack protocol; of read-only memory a
    copy."""
def from_numpy(array: Array) -> Tensor:
    """A tensor that shares the memory of a NumPy array."""
def full(
    size: _int | Sequence[_int], fill_value: Number | Tensor, *, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """A tensor of a shape with one number everywhere; with the number's dtype. It may be a tensor that requires
    grad."""
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
def gather(x: TensorLike, dim: _int | Sequence[_int] | None, index: Index) -> Tensor:
    """``z[i][j] = x[index[i][j]][j]`` for axis 0, and so on: elements picked along an axis, in the shape of the
    indices."""
def gelu(x: TensorLike) -> Tensor:
    """gelu(x), element by element, shapes broadcast as NumPy's."""
def geomspace(
    start: Number | Tensor, end: Number | Tensor, steps: _int = 50, *, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """`steps` numbers from start to end, both included, each the same multiple of the one before."""
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
def gradient(
    x: TensorLike, *, spacing: _float | Sequence[TensorLike] = 1.0, dim: _int | Sequence[_int] | None = None,
    edge_order: _int = 1
) -> tuple[Tensor, ...]:
    """Derivatives of samples along axes, by central differences, at the ends one-sided; a tuple, as PyTorch's
    ``gradient``."""
def greater(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.greater``, element by element, shapes broadcast; without derivative."""
def greater_equal(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.greater_equal``, element by element, shapes broadcast; without derivative."""
def group_norm(
    input: TensorLike, num_groups: _int, weight: TensorLike | None = None, bias: TensorLike | None = None,
    eps: _float = 1e-05
) -> Tensor:
    """(input - mean) / sqrt(variance + eps) over groups of channels, for each sample; then * weight + bias."""
def hardshrink(input: TensorLike, lambd: _float = 0.5) -> Tensor:
    """The input where it is outside of [-lambd, lambd], elsewhere 0. Derivative: 0 at both bounds."""
def hardtanh(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """hardtanh(x, y, w), element by element, shapes broadcast as NumPy's. Derivative: 0 in x at both bounds, as
    PyTorch."""
def heaviside(x: TensorLike, other: TensorLike) -> Tensor:
    """heaviside(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 in x; in y, 1 at x = 0."""
def hessian(
    function: Callable[..., Any], argnums: _int | Sequence[_int] = 0, *, argnum: _int | Sequence[_int] | None = None
) -> Callable[..., Any]:
    """A function that gives the Hessian of `function`, which gives one number: the Jacobian of its gradient."""
def hessian_vector_product(function: Callable[..., Any], argnum: _int = 0) -> Callable[..., Any]:
    """HIPS autograd's form of :func:`hvp`: a function of the arguments of `function` followed by the vector."""
def hinge_embedding_loss(
    input: TensorLike, target: TensorLike, margin: _float = 1.0, reduction: str = 'mean'
) -> Tensor:
    """The input where the target is 1, and max(0, margin - input) where it is -1."""
def histc(x: TensorLike, bins: _int | TensorLike = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """Counts of elements in equal bins from min to max; where those are equal, from the smallest element to the
    largest."""
def histogram(
    x: TensorLike, bins: _int | TensorLike = 10, range: tuple[_float, _float] | None = None,
    density: _bool | None = None, weights: TensorLike | None = None
) -> tuple[Tensor, Tensor]:
    """Counts of elements in bins, or sums of their weights, and the bins' edges, as ``np.histogram``."""
def hsplit(x: TensorLike, indices_or_sections: _int | Sequence[_int] | Tensor | Array) -> tuple[Tensor, ...]:
    """As ``np.hsplit``: so many parts of one length, or the parts between places; a tuple of views."""
def hstack(tensors: Tensor | Sequence[TensorLike]) -> Tensor:
    """Tensors joined along the second axis, vectors along their only one."""
def hvp(function: Callable[..., Any], x: Any, v: Any) -> Any:
    """The product of the Hessian of `function` at `x` with `v`, which has the form of `x`: an array for arrays, a
    Tensor for Tensors. The function gives one number. The Hessian is never made: the tangent of the gradient is its
    product with `v`."""
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
def identity(
    n: _int, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """The identity matrix, n by n."""
def implicit_root(
    f: Callable[..., Any], x0: Any, theta: Any, *, method: str = 'hybr', tol: TensorLike | _float | None = None,
    options: dict[str, Any] | None = None, solver: Callable[..., Any] | None = None
) -> Any:
    """The solution `x` of ``f(x, theta) = 0`` near `x0`, differentiable by `theta`."""
def index_add(
    x: TensorLike, dim: _int | Sequence[_int] | None, index: Index, source: TensorLike, *, alpha: Number = 1
) -> Tensor:
    """alpha times the slices of `source` added to those along an axis at the indices of a vector, all of repeated
    ones."""
def index_copy(x: TensorLike, dim: _int | Sequence[_int] | None, index: Index, source: TensorLike) -> Tensor:
    """The slices of `source` in place of those along an axis at the indices of a vector; of repeated ones the last
    counts."""
def index_fill(x: TensorLike, dim: _int | Sequence[_int] | None, index: Index, value: Number) -> Tensor:
    """`value` in the slices along an axis at the indices of a vector."""
def index_put(x: TensorLike, indices: Sequence[Any], values: TensorLike, accumulate: _bool = False) -> Tensor:
    """`values` at ``x[indices]``, a tuple of index arrays; with `accumulate`, added."""
def index_select(x: TensorLike, dim: _int | Sequence[_int] | None, index: Index) -> Tensor:
    """The slices along an axis at the indices of a vector. A copy."""
def inner(x: TensorLike, y: TensorLike) -> Tensor:
    """As ``np.inner``: over the last axes of both; of a number, the multiple."""
def insert(x: TensorLike, obj: Any, values: TensorLike, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """`values` before the elements, or slices along an axis, at indices; as ``np.insert``."""
def interp(
    x: TensorLike, xp: TensorLike, fp: TensorLike, left: Number | Tensor | None = None,
    right: Number | Tensor | None = None, period: _float | None = None
) -> Tensor:
    """Piecewise linear interpolation, as ``np.interp``: the value at `x` of a curve through points (xp, fp), xp
    increasing."""
def inv(a: TensorLike) -> Tensor:
    """The inverses of matrices. LinAlgError for a singular one."""
def is_complex(x: TensorLike) -> _bool:
    """Whether the elements are complex numbers: never, tensors are of real ones."""
def is_floating_point(x: TensorLike) -> _bool:
    """Whether the elements are floats."""
def is_nonzero(x: TensorLike) -> _bool:
    """Whether a tensor with one element is not 0. An error for several, as of ``bool(x)``, and for none."""
def is_same_size(x: TensorLike, other: TensorLike) -> _bool:
    """Whether the shapes are equal."""
def is_signed(x: TensorLike) -> _bool:
    """Whether the dtype has negative numbers."""
def is_tensor(x: object) -> TypeIs[Tensor]:
    """Whether `x` is a Tensor."""
def isclose(
    x: TensorLike, other: TensorLike, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> Tensor:
    """Which elements are equal within ``atol + rtol * |other|``."""
def isfinite(x: TensorLike) -> Tensor:
    """As ``np.isfinite``, element by element; without derivative."""
def isin(x: TensorLike, test_elements: TensorLike, *, assume_unique: _bool = False, invert: _bool = False) -> Tensor:
    """Which elements are among others."""
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
def iv(x: TensorLike, other: TensorLike) -> Tensor:
    """iv(x, y), element by element, shapes broadcast as NumPy's."""
def ive(x: TensorLike, other: TensorLike) -> Tensor:
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
def jv(x: TensorLike, other: TensorLike) -> Tensor:
    """jv(x, y), element by element, shapes broadcast as NumPy's."""
def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: _bool = False
) -> tuple[Any, ...]:
    """The value of ``function(*primals)`` and its derivative in the direction of `tangents`, which has the form of
    `primals`."""
def kl_div(input: TensorLike, target: TensorLike, reduction: str = 'mean', log_target: _bool = False) -> Tensor:
    """target * (log(target) - input), of log probabilities; "batchmean" divides the sum by the length of the first
    axis."""
def kron(x: TensorLike, y: TensorLike) -> Tensor:
    """The Kronecker product, as ``np.kron``: blocks of `y`, each multiplied by an element of `x`."""
def kthvalue(
    x: TensorLike, k: _int, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> ValuesIndices:
    """The k-th smallest value along an axis, by default the last, counted from 1, and its index."""
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
def linearize(function: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``function(*primals)``, and the function that takes tangents of the primals to that of the value."""
def linspace(
    start: Number | Tensor, end: Number | Tensor, steps: _int = 50, *, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """`steps` numbers from start to end, both included. Of tensors that require grad, it is part of their graph."""
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
def logdet(a: TensorLike) -> Tensor:
    """The logarithms of determinants: -inf of 0, nan of a negative one. The derivative is that of slogdet."""
def logical_and(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.logical_and``, element by element, shapes broadcast; without derivative."""
def logical_not(x: TensorLike) -> Tensor:
    """As ``np.logical_not``, element by element; without derivative."""
def logical_or(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.logical_or``, element by element, shapes broadcast; without derivative."""
def logical_xor(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.logical_xor``, element by element, shapes broadcast; without derivative."""
def logit(x: TensorLike, eps: _float | None = None) -> Tensor:
    """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
def logspace(
    start: Number | Tensor, end: Number | Tensor, steps: _int = 50, base: Number = 10.0, *,
    dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """`steps` numbers from base**start to base**end, both included, whose logarithms are evenly spaced."""
def logsumexp(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """log(sum(exp(x))) of all elements, or over `axis`, without overflow; -inf of no elements."""
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
def margin_ranking_loss(
    input1: TensorLike, input2: TensorLike, target: TensorLike, margin: _float = 0.0, reduction: str = 'mean'
) -> Tensor:
    """max(0, margin - target * (input1 - input2)): where the target is 1 the first should be larger, where it is -1 the
    second."""
def masked_fill(x: TensorLike, mask: TensorLike, value: Number) -> Tensor:
    """`value`, a number or a tensor without axes, where a mask is true, `x` elsewhere; shapes broadcast."""
def masked_scatter(x: TensorLike, mask: TensorLike, source: TensorLike) -> Tensor:
    """The elements of `source`, in their order, where a mask is true, `x` elsewhere."""
def masked_select(x: TensorLike, mask: TensorLike) -> Tensor:
    """The elements where a mask is true, after both are broadcast: a vector."""
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
def meshgrid(
    *tensors: Tensor | Sequence[TensorLike], indexing: str | None = None, sparse: _bool = False, copy: _bool = True
) -> tuple[Tensor, ...]:
    """Coordinates of a grid from vectors, a tuple. ``indexing='ij'``, the default as in PyTorch: an axis for each in
    order; 'xy': the first two exchanged, which is what ``np.meshgrid`` does by default."""
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
def mm(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of two matrices."""
def mode(x: TensorLike, dim: _int = -1, keepdim: _bool = False) -> ValuesIndices:
    """The value that occurs most often along an axis, of several the smallest, and the index of its last occurrence."""
def moveaxis(x: TensorLike, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor:
    """Axes moved to other places, the others in their order. A view."""
def msort(x: TensorLike) -> Tensor:
    """Values in order along the first axis."""
def multi_dot(arrays: Sequence[Any] | Tensor, *more: TensorLike) -> Tensor:
    """The product of two or more matrices (the first and last may be vectors), in the order that takes the fewest
    operations."""
def multinomial(x: TensorLike, num_samples: _int, replacement: _bool = False) -> Tensor:
    """Indices drawn by weights, int64: of a vector of weights `num_samples`, of a matrix so many for each row."""
def multiply(x: TensorLike, other: TensorLike) -> Tensor:
    """multiply(x, y), element by element, shapes broadcast as NumPy's."""
def mv(x: TensorLike, y: TensorLike) -> Tensor:
    """The product of a matrix and a vector."""
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
def nanmedian(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """As `median`, of the elements that are not nan; nan where there are none."""
def nanmin(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The smallest of the elements that are not nan, of all or over `axis`; nan of none."""
def nanpercentile(
    x: TensorLike, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
    interpolation: str | None = None
) -> Tensor:
    """As `nanquantile`, with `q` in percent."""
def nanprod(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The product of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
def nanquantile(
    x: TensorLike, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
    interpolation: str | None = None
) -> Tensor:
    """As `quantile`, of the elements that are not nan; nan where there are none."""
def nansum(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The sum of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
def narrow(x: TensorLike, dim: _int | Sequence[_int] | None, start: _int, length: _int) -> Tensor:
    """`length` elements along an axis, from `start`. A view."""
def ndtr(x: TensorLike) -> Tensor:
    """ndtr(x), element by element, shapes broadcast as NumPy's."""
def ndtri(x: TensorLike) -> Tensor:
    """ndtri(x), element by element, shapes broadcast as NumPy's."""
def negative(x: TensorLike) -> Tensor:
    """negative(x), element by element, shapes broadcast as NumPy's."""
def njit_grad(function: Callable[..., Any], argnums: _int | Sequence[_int] = 0) -> Callable[..., Any]:
    """The gradient of a function that ``numba.njit`` compiled, as such a function: it can be called from compiled
    code."""
def njit_jacobian(function: Callable[..., Any], argnums: _int | Sequence[_int] = 0) -> Callable[..., Any]:
    """As :func:`njit_grad`, of a function that gives a vector or a number: a pair, the value and the Jacobian by one
    argument, a matrix with a row for each element of the value. Forward, so for functions of few inputs."""
def njit_jvp(function: Callable[..., Any], argnums: _int | Sequence[_int] = 0) -> Callable[..., Any]:
    """The derivative of a function that ``numba.njit`` compiled in a direction, as such a function."""
def njit_value_and_grad(function: Callable[..., Any], argnums: _int | Sequence[_int] = 0) -> Callable[..., Any]:
    """As :func:`njit_grad`, of a pair: the value and the gradient."""
def nonzero(x: TensorLike, *, as_tuple: _bool = False) -> Tensor | tuple[Tensor, ...]:
    """The indices of elements that are not 0: a matrix with a row for each, as PyTorch; with `as_tuple`, and by
    ``np.nonzero(x)``, a tuple with a vector for each axis."""
def norm(
    x: TensorLike, p: _float | str | None = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False
) -> Tensor:
    """The p-norm of all elements, or over `dim`, as in PyTorch: "fro" and 2 are the Euclidean norm, "nuc" is that of a
    matrix. ``linalg.norm`` is NumPy's. At zero the derivative is 0."""
def normal(
    mean: TensorLike = 0.0, std: TensorLike = 1.0, size: _int | Sequence[_int] | None = None, *,
    dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Random numbers from normal distributions: of a shape, or with tensors of means and standard deviations, of
    theirs."""
def not_equal(x: TensorLike, other: TensorLike) -> Tensor:
    """As ``np.not_equal``, element by element, shapes broadcast; without derivative."""
def numel(x: TensorLike) -> _int:
    """The number of elements."""
def odeint(
    f: Callable[..., Any], y0: Any, t: Any, *params: Any, method: str = 'DOP853', rtol: _float = 1e-09,
    atol: _float = 1e-09, **options: Any
) -> Any:
    """The solution of ``dy/dt = f(y, t, *params)`` from `y0` at ``t[0]``, at the times `t`."""
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
def pad(
    array: TensorLike, pad_width: Any, mode: str = 'constant', *, constant_values: Any = 0, reflect_type: str = 'even'
) -> Tensor:
    """Elements before and after each axis, as ``np.pad``: constants, or those of the tensor by mode 'edge', 'reflect',
    'symmetric' or 'wrap'."""
def pairwise_distance(
    x1: TensorLike, x2: TensorLike, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last axis."""
def partition(
    x: TensorLike, kth: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = -1
) -> Tensor:
    """Values along an axis with those at places `kth` as if sorted, smaller ones before, larger ones behind; as
    NumPy."""
def pdist(x: TensorLike, p: _float = 2.0) -> Tensor:
    """The distances, in the p-norm, of the rows of a matrix from each other, a vector: of the first row from those
    after it, of the second, and so on. Where two are equal the derivative is 0. ValueError for other than two axes."""
def percentile(
    x: TensorLike, q: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, method: str = 'linear',
    interpolation: str | None = None
) -> Tensor:
    """As `quantile`, with `q` in percent."""
def permute(x: TensorLike, *axes: _int | Sequence[_int] | None, dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The axes in another order. A view."""
def pinv(
    a: TensorLike, rcond: TensorLike | _float | None = None, hermitian: _bool = False, *,
    rtol: TensorLike | _float | None = None
) -> Tensor:
    """The pseudoinverses (Moore and Penrose) of matrices; singular values below `rtol` (or `rcond`), relative to the
    largest one, count as 0. The derivative is that of matrices whose rank doesn't change."""
def poisson(x: TensorLike) -> Tensor:
    """Random numbers from Poisson distributions, whose means stand in the tensor; in its shape and dtype. No
    derivative."""
def poisson_nll_loss(
    input: TensorLike, target: TensorLike, log_input: _bool = True, full: _bool = False, eps: _float = 1e-08,
    reduction: str = 'mean'
) -> Tensor:
    """exp(input) - target * input, or without `log_input` input - target * log(input + eps)."""
def polygamma(x: TensorLike, other: TensorLike) -> Tensor:
    """polygamma(x, y), element by element, shapes broadcast as NumPy's."""
def positive(x: TensorLike) -> Tensor:
    """The tensor itself."""
def power(x: TensorLike, exponent: TensorLike) -> Tensor:
    """x to the power `exponent`, elementwise; x ** 2 is a square, as in NumPy. Integers to integers are integers."""
def prelu(input: TensorLike, weight: TensorLike) -> Tensor:
    """As leaky_relu, with a slope that is learned: one number, or one for each channel, the second axis of the
    input."""
def primitive(
    forward: Callable[..., Any], partials: Callable[..., Any] | Sequence[Callable[..., Any] | None],
    name: str | None = None
) -> Callable[..., Tensor]:
    """A new elementwise operation, as a function of tensors, arrays and numbers: compiled, differentiable, to any
    order."""
def prod(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The product of all elements, or over `axis`; 1 of no elements. Integers and bools give int64."""
def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """The dtype that an operation of tensors of two dtypes gives: a floating one wins over integers, the wider over the
    other."""
def ptp(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False
) -> Tensor:
    """The largest element minus the smallest one, of all or over `axis`; either's derivative is shared among equal
    ones."""
def put(x: TensorLike, index: Index, source: TensorLike, accumulate: _bool = False) -> Tensor:
    """The elements of `source` at places of the flat tensor; with `accumulate`, added. ``np.put`` writes into its
    tensor."""
def put_along_axis(
    x: TensorLike, indices: _int | Sequence[_int] | Tensor | Array, values: TensorLike,
    axis: _int | Sequence[_int] | None
) -> None:
    """As ``np.put_along_axis``, in place: values in the elements that take_along_axis picks."""
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
def randint_like(
    x: TensorLike, low: _int, high: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``randint``, with the shape and dtype of a tensor."""
def randn(
    *shape: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None,
    requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """Random numbers from the standard normal distribution."""
def randn_like(
    x: TensorLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """As ``randn``, with the shape and dtype of a tensor."""
def randperm(
    n: _int, *, dtype: DTypeLike | None = None, requires_grad: _bool = False, device: str | None = None
) -> Tensor:
    """The integers from 0 up to, without, n in random order."""
def ravel(x: TensorLike, order: str = 'C') -> Tensor:
    """All elements along one axis. A view, or a copy where they don't lie so in memory."""
def reciprocal(x: TensorLike) -> Tensor:
    """reciprocal(x), element by element, shapes broadcast as NumPy's."""
def record(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Tape:
    """Runs a function and gives the :class:`Tape` of what it computed."""
def rel_entr(x: TensorLike, other: TensorLike) -> Tensor:
    """rel_entr(x, y), element by element, shapes broadcast as NumPy's. Derivative: 0 where x or y is not above 0."""
def relu(x: TensorLike) -> Tensor:
    """relu(x), element by element, shapes broadcast as NumPy's. Derivative: 0 at 0."""
def remainder(x: TensorLike, other: TensorLike) -> Tensor:
    """remainder(x, y), element by element, shapes broadcast as NumPy's. Derivative: of its piece."""
def renorm(x: TensorLike, p: _float, dim: _int, maxnorm: _float) -> Tensor:
    """With the slices along an axis whose p-norm is above `maxnorm` shortened to it. The shape stays."""
def repeat(
    x: TensorLike, repeats: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = None
) -> Tensor:
    """Each element several times, as ``np.repeat``; the method ``x.repeat(2, 3)`` is PyTorch's, which is tile."""
def repeat_interleave(
    x: TensorLike, repeats: _int | Sequence[_int] | Tensor | Array, dim: _int | Sequence[_int] | None = None, *,
    axis: _int | Sequence[_int] | None = None, output_size: _int | None = None
) -> Tensor:
    """Each element several times, `repeats` the count or one for each, in the flat tensor or along an axis; as
    ``np.repeat``."""
def reshape(x: TensorLike, *shape: _int | Sequence[_int]) -> Tensor:
    """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so in
    memory."""
def result_type(x: TensorLike, y: TensorLike) -> np.dtype[Any]:
    """The dtype that arithmetic of two operands, tensors or numbers, gives."""
def rgamma(x: TensorLike) -> Tensor:
    """rgamma(x), element by element, shapes broadcast as NumPy's. Derivative: (-1)^n n! at -n."""
def rint(x: TensorLike) -> Tensor:
    """round(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def rms_norm(
    input: TensorLike, normalized_shape: _int | Sequence[_int], weight: TensorLike | None = None,
    eps: _float | None = None
) -> Tensor:
    """input / sqrt(mean of squares + eps) over the last axes, whose shape is `normalized_shape`; then * weight."""
def roll(
    x: TensorLike, shifts: _int | Sequence[_int] | None, dims: _int | Sequence[_int] | None = None, *,
    axis: _int | Sequence[_int] | None = None
) -> Tensor:
    """Elements moved along axes, those that leave at the end entering at the start; without an axis, along the flat
    tensor."""
def rot90(
    x: TensorLike, k: _int = 1, dims: _int | Sequence[_int] | None = (0, 1), *,
    axes: _int | Sequence[_int] | None = None
) -> Tensor:
    """Rotated by 90 degrees, k times, in the plane of two axes, from the first toward the second. A copy."""
def round(x: TensorLike, decimals: _int = 0) -> Tensor:
    """To the nearest number with so many decimals, a half to the even one, as NumPy. Derivative: 0 everywhere."""
def rsqrt(x: TensorLike) -> Tensor:
    """rsqrt(x), element by element, shapes broadcast as NumPy's."""
def scatter(
    x: TensorLike, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike | None = None, *,
    value: TensorLike | None = None, reduce: str | None = None
) -> Tensor:
    """``z[index[i][j]][j] = src[i][j]`` for axis 0, and so on: the opposite of gather. `src` may be a number."""
def scatter_add(x: TensorLike, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike) -> Tensor:
    """``z[index[i][j]][j] += src[i][j]`` for axis 0, and so on; repeated places all of them."""
def scatter_reduce(
    x: TensorLike, dim: _int | Sequence[_int] | None, index: Index, src: TensorLike, reduce: str, *,
    include_self: _bool = True
) -> Tensor:
    """What is at places along an axis together with what `src` has for them: reduced by 'sum', 'prod', 'mean', 'amax'
    or 'amin'."""
def searchsorted(
    sorted_sequence: TensorLike, values: TensorLike, side: str | None = None, sorter: TensorLike | None = None, *,
    right: _bool = False, out_int32: _bool = False
) -> Tensor:
    """Where values would be inserted to keep a sequence sorted: before equal ones, or with ``side='right'`` behind
    them."""
def select(
    x: TensorLike | Sequence[TensorLike], dim: _int | Sequence[TensorLike], index: _int | TensorLike | None = None, *,
    axis: _int | Sequence[_int] | None = None, default: Number = 0
) -> Tensor:
    """``select(x, dim, index)``: the slice of a tensor at an index along an axis, a view, as PyTorch.
    ``select(conditions, choices, default)``, lists: of each place's choices the one whose condition is the first to
    hold, as ``np.select``."""
def select_scatter(x: TensorLike, src: TensorLike, dim: _int | Sequence[_int] | None, index: Index) -> Tensor:
    """`x` with the slice at an index along an axis taken from `src`."""
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
def sinc_derivative(x: TensorLike, other: TensorLike) -> Tensor:
    """sinc_derivative(x, y), element by element, shapes broadcast as NumPy's."""
def sinh(x: TensorLike) -> Tensor:
    """sinh(x), element by element, shapes broadcast as NumPy's."""
def slice_scatter(
    x: TensorLike, src: TensorLike, dim: _int | Sequence[_int] | None = 0, start: _int | None = None,
    end: _int | None = None, step: Number | Tensor = 1
) -> Tensor:
    """`x` with ``x[start:end:step]`` along an axis taken from `src`."""
def sliding_window_view(
    x: TensorLike, window_shape: _int | Sequence[_int], axis: _int | Sequence[_int] | None = None
) -> Tensor:
    """All windows of a shape, in new last axes, as NumPy's. A view."""
def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its absolute value; a pair. The derivative is ``inv(a).T``, at a
    singular matrix, whose logarithm is -inf, ``pinv(a).T``."""
def softmax(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None,
    dtype: DTypeLike | None = None
) -> Tensor:
    """exp(x) / sum(exp(x)), along `axis` (an axis, or several; all by default), without overflow."""
def softplus(x: TensorLike) -> Tensor:
    """softplus(x), element by element, shapes broadcast as NumPy's."""
def softplus_below(x: TensorLike, y: TensorLike, w: TensorLike, /) -> Tensor:
    """softplus_below(x, y, w), element by element, shapes broadcast as NumPy's. Derivative: 1 above the threshold."""
def sort(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, descending: _bool = False, stable: _bool = True, *,
    dim: _int | Sequence[_int] | None = None
) -> ValuesIndices:
    """Values in order along an axis, by default the last, and their indices, as PyTorch; ``np.sort(x)`` gives values
    alone."""
def sparse_hessian(function: Callable[..., Any], argnum: _int = 0) -> Any:
    """A function that gives the Hessian of `function`, which gives one number, as a ``scipy.sparse.csr_array``."""
def sparse_jacobian(function: Callable[..., Any], argnum: _int = 0, mode: str | None = None) -> Any:
    """A function that gives the Jacobian of `function` as a ``scipy.sparse.csr_array``, in time that is linear in its
    entries."""
def split(
    x: TensorLike, split_size_or_sections: _int | Sequence[_int], dim: _int | Sequence[_int] | None = 0, *,
    axis: _int | Sequence[_int] | None = None
) -> tuple[Tensor, ...]:
    """Parts of one length along an axis, the last perhaps shorter, or of the lengths in a list: a tuple of views. As
    PyTorch; ``np.split(x, ...)`` takes a number of parts, or places."""
def sqrt(x: TensorLike) -> Tensor:
    """sqrt(x), element by element, shapes broadcast as NumPy's."""
def square(x: TensorLike) -> Tensor:
    """square(x), element by element, shapes broadcast as NumPy's."""
def squeeze(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, *, dim: _int | Sequence[_int] | None = None
) -> Tensor:
    """Without axes of length 1: all of them, or those in `axis` that are; in PyTorch's way, others stay. A view."""
def stack(tensors: Tensor | Sequence[TensorLike], axis: _int = 0, *, dim: _int | None = None) -> Tensor:
    """Tensors of one shape, or numbers, joined along a new axis."""
def std(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, ddof: _float | None = None,
    correction: _float | None = None, dtype: DTypeLike | None = None
) -> Tensor:
    """The standard deviation of all elements, or over `axis`: the root of `var`, with its arguments and its defaults:
    `correction` is 1 in ``x.std()`` and ``tg.std(x)``, and 0 in ``np.std(x)``."""
def std_mean(
    x: TensorLike, axis: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdims: _bool = False, *,
    dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, correction: _float | None = None
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean, a pair."""
def stdtr(x: TensorLike, other: TensorLike) -> Tensor:
    """stdtr(x, y), element by element, shapes broadcast as NumPy's."""
def stdtr_by_df(x: TensorLike, other: TensorLike) -> Tensor:
    """stdtr_by_df(x, y), element by element, shapes broadcast as NumPy's."""
def subtract(x: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """x - alpha * other."""
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
def take(
    x: TensorLike, indices: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = None, *,
    dim: _int | Sequence[_int] | None = None, mode: str = 'raise'
) -> Tensor:
    """The elements at indices of the flat tensor, or the slices along an axis, in the shape of the indices; as
    ``np.take``, with its modes 'raise', 'wrap' and 'clip' for indices outside."""
def take_along_axis(
    x: TensorLike, indices: _int | Sequence[_int] | Tensor | Array, axis: _int | Sequence[_int] | None = -1
) -> Tensor:
    """The elements that an array of indices picks along an axis, the other axes broadcast; None: in the flat tensor."""
def take_along_dim(
    x: TensorLike, indices: _int | Sequence[_int] | Tensor | Array, dim: _int | Sequence[_int] | None = None
) -> Tensor:
    """As take_along_axis; by default in the flat tensor."""
def tan(x: TensorLike) -> Tensor:
    """tan(x), element by element, shapes broadcast as NumPy's."""
def tanh(x: TensorLike) -> Tensor:
    """tanh(x), element by element, shapes broadcast as NumPy's."""
def tensor(
    data: TensorLike | ArrayLike, *, dtype: DTypeLike | None = None, requires_grad: _bool = False,
    device: str | None = None
) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists of numbers, a NumPy array, or a tensor."""
def tensor_split(
    x: TensorLike, indices_or_sections: _int | Sequence[_int] | Tensor | Array, dim: _int | Sequence[_int] | None = 0,
    *, axis: _int | Sequence[_int] | None = None
) -> tuple[Tensor, ...]:
    """So many parts along an axis, the first ones perhaps longer by one, or the parts between places; a tuple of
    views."""
def tensordot(
    x: TensorLike, y: TensorLike, axes: _int | Sequence[_int] | Sequence[Sequence[_int]] = 2, *,
    dims: _int | Sequence[_int] | Sequence[Sequence[_int]] | None = None
) -> Tensor:
    """Sums of products over axes of both: the last `axes` of `x` with the first of `y`, or those in a pair of lists."""
def threshold(input: TensorLike, threshold: _float, value: Number, inplace: _bool = False) -> Tensor:
    """The input where it is above the threshold, elsewhere `value`. Derivative: 0 at the threshold."""
def tile(x: TensorLike, *reps: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None) -> Tensor:
    """The whole tensor several times along each axis, as ``np.tile``."""
def to_dot(y: TensorLike) -> str:
    """The graph behind a Tensor, in the language of Graphviz: its gradient functions, down to the leaves. A notebook
    shows it as a picture; it is text, a str, all the same."""
def topk(
    x: TensorLike, k: _int, axis: _int | Sequence[_int] | None = None, largest: _bool = True, sorted: _bool = True, *,
    dim: _int | Sequence[_int] | None = None
) -> ValuesIndices:
    """The k largest values along an axis, by default the last, or the smallest, in order, and their indices."""
def trace(x: TensorLike, offset: _int = 0, axis1: _int = 0, axis2: _int = 1) -> Tensor:
    """The sum of the elements on a diagonal of two axes, the first two as in NumPy; ``linalg.trace`` takes the last
    two."""
def transpose(
    x: TensorLike, *axes: _int | Sequence[_int] | None, dim0: _int | None = None, dim1: _int | None = None
) -> Tensor:
    """Two axes exchanged, ``transpose(x, 0, 1)``, or as in NumPy all reversed or in the order given. A view."""
def trapezoid(
    y: TensorLike, x: TensorLike | None = None, dx: TensorLike | _float = 1.0, axis: _int = -1, *,
    dim: _int | None = None
) -> Tensor:
    """The area under samples `y`, by the trapezoidal rule, at places `x` (a vector, or of the shape of `y`) or `dx`
    apart."""
def tri(
    n: _int, m: _int | None = None, k: _int = 0, *, dtype: DTypeLike | None = None, requires_grad: _bool = False,
    device: str | None = None
) -> Tensor:
    """A matrix, n by n or n by m, of ones up to the k-th diagonal and zeros above it."""
def tril(x: TensorLike, diagonal: _int = 0, *, k: _int | None = None) -> Tensor:
    """The lower triangle of matrices, up to a diagonal, zeros above it."""
def tril_indices(row: _int, col: _int | None = None, offset: _int = 0, *, k: _int | None = None) -> Tensor:
    """The indices of the lower triangle of a matrix of `row` by `col`: a row of row indices, one of columns."""
def triplet_margin_loss(
    anchor: TensorLike, positive: TensorLike, negative: TensorLike, margin: _float = 1.0, p: _float = 2.0,
    eps: _float = 1e-06, swap: _bool = False, reduction: str = 'mean'
) -> Tensor:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), where d is `pairwise_distance` with `p` and `eps`."""
def triu(x: TensorLike, diagonal: _int = 0, *, k: _int | None = None) -> Tensor:
    """The upper triangle of matrices, from a diagonal, zeros below it."""
def triu_indices(row: _int, col: _int | None = None, offset: _int = 0, *, k: _int | None = None) -> Tensor:
    """The indices of the upper triangle of a matrix of `row` by `col`: a row of row indices, one of columns."""
def trunc(x: TensorLike) -> Tensor:
    """trunc(x), element by element, shapes broadcast as NumPy's. Derivative: 0 everywhere."""
def unbind(x: TensorLike, dim: _int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, a tuple of views."""
def unflatten(x: TensorLike, dim: _int, sizes: Sequence[_int]) -> Tensor:
    """An axis as several, of lengths `sizes`, of which one may be -1. A view."""
def unfold(x: TensorLike, dimension: _int, size: _int, step: _int = 1) -> Tensor:
    """Windows of `size` elements along an axis, every `step` elements one, in a new last axis. A view."""
def unique(
    x: TensorLike, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False,
    dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None, return_index: _bool = False,
    equal_nan: _bool = True
) -> Tensor | tuple[Tensor, ...]:
    """The different values in order, or slices along an axis, and as asked for in a tuple after them: the index of the
    first of each, where each element's value is among them, and how often each occurs. The derivative goes to the first
    of equals."""
def unique_all(x: TensorLike) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The different values in order, the index of the first of each, where each element's value is, and how often each
    occurs."""
def unique_consecutive(
    x: TensorLike, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Runs of equal values, or of equal slices along an axis, each shrunk to one; with where each element went, and
    counts."""
def unique_counts(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The different values in order, and how often each occurs."""
def unique_inverse(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The different values in order, and where each element's value is among them."""
def unique_values(x: TensorLike) -> Tensor:
    """The different values in order; every nan is one of its own, as the array API standard has it."""
def unravel_index(indices: _int | Sequence[_int] | Tensor | Array, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]:
    """The indices along each axis of places in the flat tensor, a tuple. IndexError for places outside."""
def unsqueeze(x: TensorLike, dim: _int) -> Tensor:
    """With a new axis of length 1 at `dim`. A view."""
def unstack(
    x: TensorLike, axis: _int | Sequence[_int] | None = 0, *, dim: _int | Sequence[_int] | None = None
) -> tuple[Tensor, ...]:
    """The slices along an axis, a tuple of views; as unbind."""
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
def vander(x: TensorLike, n: _int | None = None, increasing: _bool = False) -> Tensor:
    """The powers of the elements of a vector as columns: from n - 1 down to 0, or increasing; n is its length by
    default."""
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
def vmap(
    function: Callable[..., Any], in_axes: _int | Sequence[Any] | None = 0, out_axes: _int | Sequence[Any] | None = 0,
    *, progress: _bool | None = None
) -> Callable[..., Any]:
    """A function that calls `function` for each sample of a batch, and gives its results stacked."""
def vsplit(x: TensorLike, indices_or_sections: _int | Sequence[_int] | Tensor | Array) -> tuple[Tensor, ...]:
    """As ``np.vsplit``: so many parts of one length, or the parts between places; a tuple of views."""
def vstack(tensors: Tensor | Sequence[TensorLike]) -> Tensor:
    """Tensors joined along the first axis, vectors as rows."""
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
def yv(x: TensorLike, other: TensorLike) -> Tensor:
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
def zeta(x: TensorLike, other: TensorLike) -> Tensor:
    """zeta(x, y), element by element, shapes broadcast as NumPy's."""
absolute = abs
acos = arccos
acosh = arccosh
around = round
array_split = tensor_split
asarray = as_tensor
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
bitwise_invert = bitwise_not
broadcast_arrays = broadcast_tensors
cat = concatenate
chain_matmul = multi_dot
clip = clamp
concat = concatenate
degrees = rad2deg
div = divide
eq = equal_to
expit = sigmoid
fix = trunc
ge = greater_equal
ger = outer
gt = greater
igamma = gammainc
igammac = gammaincc
inverse = inv
invert = bitwise_not
le = less_equal
left_shift = bitwise_left_shift
lgamma = gammaln
log_expit = log_sigmoid
logsigmoid = log_sigmoid
lt = less
matrix_exp = expm
mod = remainder
movedim = moveaxis
mul = multiply
ne = not_equal
neg = negative
permute_dims = permute
pinverse = pinv
pow = power
psi = digamma
radians = deg2rad
right_shift = bitwise_right_shift
row_stack = vstack
sgn = sign
sub = subtract
swapdims = swapaxes
trapz = trapezoid
true_divide = divide
