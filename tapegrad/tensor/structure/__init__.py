"""Operations on the shape of a tensor: reductions, views, indexing, joining, matrix products.

Each computes with NumPy what needs no derivative, and otherwise records with a plan.
"""
from . import arranging, numpy_forms, searching, sorting, splitting
from .arguments import (
    as_tensor_operand,
    axis_argument,
    index_array,
    normalize_axes,
    normalize_axis,
    recording,
    shape_argument,
    within,
)
from .arranging import pad_last_axes, repeat_method, tril, triu
from .einsum import einsum
from .indexing import ASSIGN, assigned, assignment, assignment_at, getitem, is_at, normal_index, take_along, unbind
from .joining import concatenate, holds_tensor, nested, stack
from .products import dot, matmul, multi_dot, outer, tensordot, trace
from .quantiles import median, percentile, quantile
from .reductions import amax, amin, argmax, argmin, logsumexp, max, mean, min, prod, sum
from .scans import cumprod, cumsum, log_softmax, softmax
from .selection import (
    diagonal_places,
    fitting,
    index_add,
    index_copy,
    index_fill,
    index_put,
    masked_fill,
    masked_scatter,
    put,
    scatter,
    scatter_add,
    scatter_reduce,
)
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
