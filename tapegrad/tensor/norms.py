"""Norms of vectors and matrices."""
import math

import numpy as np

from ..ops import BY_NAME
from .algebra import _floating, _matrices, svdvals
from .conversion import to
from .core import Tensor, record_planned, wrap
from .elementwise import apply
from .plans import rows_plan
from .registry import public
from .structure import (
    amax,
    amin,
    axis_argument,
    getitem,
    normalize_axes,
    normalize_axis,
    permute,
    recording,
    reshape,
    sum,
    unsqueeze,
)

_abs, _power, _subtract = BY_NAME["abs"], BY_NAME["power"], BY_NAME["subtract"]


def _euclidean(x, axes, keep):
    """The length of the vectors along `axes`, a sorted tuple."""
    shape = x._shape
    if not recording(x):
        return wrap(_length(x._array(), axes, keep))
    count = len(shape)
    if axes != tuple(range(count - len(axes), count)):
        kept = tuple(a for a in range(count) if a not in axes)
        rows = permute(x, kept + axes)
    else:
        rows = x
    out = tuple([1 if a in axes else n for a, n in enumerate(shape)]) if keep else tuple(
        [n for a, n in enumerate(shape) if a not in axes])
    size = math.prod(out)
    return record_planned(BY_NAME["norm"], rows, rows_plan(size, math.prod(shape[a] for a in axes), out, "LinalgVectorNorm"))


def _length(array, axes, keep):
    if len(axes) == array.ndim and array.dtype == np.float64:
        row = array.reshape(-1)
        square = row.dot(row)
        if 1e-280 < square < math.inf:
            return np.asarray(math.sqrt(square)).reshape((1,) * array.ndim if keep else ())
    with np.errstate(all="ignore"):
        squares = np.square(array.astype(np.float64, copy=False)).sum(axes, keepdims=True)
        if np.all((squares > 1e-280) & (squares < np.inf)):
            value = np.sqrt(squares)
        else:
            largest = np.abs(array).max(axes, keepdims=True, initial=0).astype(np.float64)
            scale = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
            value = scale * np.sqrt(np.square(array / scale).sum(axes, keepdims=True))
    return np.asarray(value if keep else value.reshape([n for a, n in enumerate(array.shape) if a not in axes]), array.dtype)


@public(function=False, method=False, numpy=getattr(np.linalg, "vector_norm", None))
def vector_norm(x, ord=2, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The p-norms of vectors, ``sum(|x| ** ord) ** (1 / ord)``; for inf and -inf the largest and smallest absolute value, for 0
    how many elements are not 0. Over one axis, several, or all. No intermediate result overflows; at the zero vector the
    derivative is 0, and so it is for elements that are 0."""
    x = _floating(x, "vector_norm")
    if dtype is not None:
        x = to(x, dtype)
    axes = normalize_axes(axis_argument(axis, dim), len(x._shape))
    keep = bool(keepdims or keepdim)
    if isinstance(ord, Tensor) and recording(ord):
        raise NotImplementedError("the derivative of a norm by its order is not known here, and the order requires grad; detach "
                                  "it")
    if isinstance(ord, str) or ord is None:
        raise ValueError(f"the order of a vector's norm is a number, not {ord!r}")
    if ord == 2:
        return _euclidean(x, axes, keep)
    if ord == 1:
        return sum(apply(_abs, x), axes, keep)
    if ord == math.inf and math.prod(x._shape[a] for a in axes) == 0:
        return sum(x, axes, keep)
    if abs(ord) == math.inf:
        return (amax if ord > 0 else amin)(apply(_abs, x), axes, keep)
    if ord == 0:
        count = np.asarray((x._array() != 0).sum(axes, keepdims=keep), x.dtype)
        return wrap(count) + 0 * sum(x, axes, keep) if recording(x) else wrap(count)
    return _p_norm(apply(_abs, x), float(ord), axes, keep)


def _p_norm(x, p, axes, keep):
    """Of absolute values; scaled by the largest one, or for p < 0 the smallest one, which is a constant: the norm of a multiple
    is that multiple of the norm."""
    values = x._array()
    zero = values == 0
    with np.errstate(all="ignore"):
        if p > 0:
            scale = values.max(axes, keepdims=True, initial=0)
        else:
            scale = values.min(axes, keepdims=True, initial=np.inf)
        scale = np.where((scale > 0) & (scale < np.inf), scale, 1).astype(x.dtype)
    if zero.any():                           # any number will do
        x = x + wrap(zero * scale)
    powers = apply(_power, x / wrap(scale), p)
    if not zero.any():
        total = sum(powers, axes, True)
        none = np.asarray(total._array() == 0)
    elif p > 0:                              # its derivative is 0, not that of the 1 which stands there
        total = sum(powers * wrap(1 - zero.astype(x.dtype)), axes, True)
        none = zero.all(axes, keepdims=True)
    else:
        total = sum(powers, axes, True)
        none = zero.any(axes, keepdims=True)
    if none.any():
        none = none.astype(x.dtype)
        z = apply(_power, total + wrap(none), 1 / p) * wrap(scale * (1 - none))
    else:
        z = apply(_power, total, 1 / p) * wrap(scale)
    return z if keep else reshape(z, tuple(n for a, n in enumerate(x._shape) if a not in axes))


@public(function=False, method=False, numpy=getattr(np.linalg, "matrix_norm", None))
def matrix_norm(x, ord="fro", axis=(-2, -1), keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The norms of matrices, the last two axes or `axis`: "fro", "nuc" (the sum of the singular values), 2 and -2 (the largest
    and smallest one), 1 and -1 (the largest and smallest sum of a column's absolute values), inf and -inf (of a row's)."""
    x = _matrices(x, "matrix_norm")
    if dtype is not None:
        x = to(x, dtype)
    axes = axis if dim is None else dim
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise ValueError(f"the norm of matrices is over two axes, not {axes!r}")
    count = len(x._shape)
    row, column = (normalize_axis(a, count) for a in axes)
    keep = bool(keepdims or keepdim)
    if row == column:
        raise ValueError(f"the axes of matrices must be two different ones, not {tuple(axes)}")
    if ord in ("fro", "f", None):
        return _euclidean(x, (row, column) if row < column else (column, row), keep)
    if ord in (1, -1, math.inf, -math.inf):
        summed, other = (row, column) if abs(ord) == 1 else (column, row)
        sums = sum(apply(_abs, x), summed, True)
        z = (amax if ord > 0 else amin)(sums, other, True)
    elif ord in ("nuc", 2, -2):
        order = (*(a for a in range(count) if a not in (row, column)), row, column)
        values = apply(_abs, svdvals(x if order == tuple(range(count)) else permute(x, order)))
        z = sum(values, -1) if ord == "nuc" else (amax if ord == 2 else amin)(values, -1)
        z = reshape(z, tuple(1 if a in (row, column) else n for a, n in enumerate(x._shape)))
    else:
        raise ValueError(f"the order of a matrix norm is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")
    return z if keep else reshape(z, tuple(n for a, n in enumerate(x._shape) if a not in (row, column)))


def linalg_norm(x, ord=None, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The norm of a vector, or of matrices, as ``np.linalg.norm``: over one axis the vectors' norm of that order, over two the
    matrices'; without an axis that of the whole tensor, with `ord` a vector or a matrix. See vector_norm and matrix_norm."""
    x = _floating(x, "norm")
    axis = axis_argument(axis, dim)
    keep = bool(keepdims or keepdim)
    if isinstance(axis, (tuple, list)):
        axis = tuple(axis)
    if ord is None:
        return vector_norm(x, 2, axis, keep, dtype=dtype)
    if axis is None:
        if len(x._shape) > 2 or not x._shape:
            raise ValueError(f"the norm of order {ord!r} is that of a vector or a matrix, and the shape is {x._shape}; give "
                             "axis=, one or two axes")
        axis = tuple(range(len(x._shape)))
    elif not isinstance(axis, tuple):
        axis = (axis,)
    if len(axis) == 2:
        return matrix_norm(x, ord, axis, keep, dtype=dtype)
    if len(axis) != 1:
        raise ValueError(f"the norm of order {ord!r} is over one or two axes, not {axis}; use vector_norm for more")
    return vector_norm(x, ord, axis, keep, dtype=dtype)


linalg_norm.__name__ = linalg_norm.__qualname__ = "norm"
public(function=False, method=False, numpy=np.linalg.norm)(linalg_norm)


@public()
def norm(x, p="fro", dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
    """The p-norm of all elements, or over `dim`, as in PyTorch: "fro" and 2 are the Euclidean norm, "nuc" is that of a matrix.
    ``linalg.norm`` is NumPy's. At zero the derivative is 0."""
    if dim is None and axis is None and p in ("fro", 2, None) and type(x) is Tensor and x.dtype.kind == "f" and dtype is None:
        return _euclidean(x, tuple(range(len(x._shape))), keepdim or keepdims)
    dim = axis_argument(axis, dim)
    keep = bool(keepdim or keepdims)
    if p == "nuc":
        return matrix_norm(x, "nuc", (-2, -1) if dim is None else dim, keep, dtype=dtype)
    return vector_norm(x, 2 if p in ("fro", None) else p, dim, keep, dtype=dtype)


# Distances ------------------------------------------------------------------------------------------------------------

@public()
def renorm(x, p, dim, maxnorm):
    """With the slices along an axis whose p-norm is above `maxnorm` shortened to it. The shape stays.

    ValueError for fewer than two axes, p that is not above 0, or a negative `maxnorm`.

    >>> import tapegrad as tg
    >>> tg.renorm(tg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    x = _floating(x, "renorm")
    axis = normalize_axis(dim, len(x._shape))
    if len(x._shape) < 2 or not p > 0 or not maxnorm >= 0:
        raise ValueError(f"renorm takes at least two axes, p above 0 and maxnorm of at least 0, not shape {x._shape}, {p} and "
                         f"{maxnorm}")
    norms = vector_norm(x, p, tuple(a for a in range(len(x._shape)) if a != axis), True)
    scale = apply(BY_NAME["where"], norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)       # as in PyTorch, no more than maxnorm
    return x * scale


@public()
def dist(x, y, p=2):
    """The p-norm of x - y, which broadcast."""
    x, y = _floating(x, "dist"), _floating(y, "dist")
    return vector_norm(apply(_subtract, x, y), p)


@public(method=False)
def cdist(x, y, p=2.0, compute_mode=None):
    """The distances, in the p-norm, of each vector of x, (..., m, k), from each of y, (..., n, k): (..., m, n). Where two are
    equal the derivative is 0. They are made from differences, whatever the `compute_mode`, which PyTorch has."""
    x, y = _matrices(x, "cdist"), _matrices(y, "cdist")
    if x._shape[-1] != y._shape[-1]:
        raise ValueError(f"cdist of shapes {x._shape} and {y._shape}: the vectors, along the last axis, must be equally long")
    return vector_norm(apply(_subtract, unsqueeze(x, -2), unsqueeze(y, -3)), p, -1)


@public(method=False)
def pdist(x, p=2.0):
    """The distances, in the p-norm, of the rows of a matrix from each other, a vector: of the first row from those after it, of
    the second, and so on. Where two are equal the derivative is 0. ValueError for other than two axes.

    >>> import tapegrad as tg
    >>> tg.pdist(tg.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).round(4)
    tensor([5.0000, 1.0000, 4.2426])
    """
    x = _floating(x, "pdist")
    if len(x._shape) != 2:
        raise ValueError(f"pdist takes a matrix, whose rows are the vectors, and the shape is {x._shape}")
    first, second = np.triu_indices(x._shape[0], 1)
    return vector_norm(apply(_subtract, getitem(x, first), getitem(x, second)), p, -1)
