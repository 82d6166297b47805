"""Operations on the shape of a tensor: reductions, views, indexing, joining, matrix products.

Each computes with NumPy what needs no derivative, and otherwise records with a plan.
"""
from .arguments import (
    as_tensor_operand,
    axis_argument,
    normalize_axes,
    normalize_axis,
    recording,
    shape_argument,
)
from .indexing import assignment, getitem, normal_index, take_along, unbind
from .joining import concatenate, stack
from .products import dot, matmul
from .quantiles import median, percentile, quantile
from .reductions import amax, amin, argmax, argmin, clone_view, logsumexp, max, mean, min, prod, sum
from .scans import cumprod, cumsum, log_softmax, softmax
from .views import (
    Step,
    broadcast_to,
    complete_shape,
    diagonal,
    expand,
    flatten,
    is_contiguous,
    laid_out,
    matrix_transpose,
    permute,
    reshape,
    squeeze,
    swapaxes,
    t,
    transpose,
    unsqueeze,
    view,
    view_as_shape,
    view_steps,
)
