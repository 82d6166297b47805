"""Where elements are, how many there are, and values between given ones."""

import math

import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, Tensor, wrap
from ..elementwise import apply, operand
from ..plans import places_plan
from ..registry import public
from .arguments import as_tensor_operand, check_size, index_array, integer, recording, shape_argument, within
from .joining import concatenate
from .selection import added, picked
from .views import broadcast_to, reshape


def _array(x, name):
    return as_tensor_operand(x, name)._array()


def _floats(array):
    return array if array.dtype.kind == "f" else array.astype(np.float64)


# Places ---------------------------------------------------------------------------------------------------------------

@public()
def nonzero(x, *, as_tuple=False):
    """The indices of elements that are not 0: a matrix with a row for each, as PyTorch; with `as_tuple`, and by
    ``np.nonzero(x)``, a tuple with a vector for each axis."""
    array = _array(x, "nonzero")
    if as_tuple:
        return tuple(map(wrap, np.nonzero(np.atleast_1d(array))))
    return wrap(np.argwhere(array).astype(np.int64))


@public(function=False, method=False, numpy=np.nonzero)
def numpy_nonzero(a):
    """As ``np.nonzero``."""
    return nonzero(a, as_tuple=True)


@public()
def argwhere(x):
    """The indices of elements that are not 0, a matrix with a row for each."""
    return nonzero(x)


@public(method=False)
def flatnonzero(x):
    """The indices of elements of the flat tensor that are not 0."""
    return wrap(np.flatnonzero(_array(x, "flatnonzero")))


@public()
def isin(x, test_elements, *, assume_unique=False, invert=False):
    """Which elements are among others."""
    return wrap(np.asarray(np.isin(_array(x, "isin"), _array(test_elements, "isin"), assume_unique=assume_unique,
                                   invert=invert)))


@public()
def searchsorted(sorted_sequence, values, side=None, sorter=None, *, right=False, out_int32=False):
    """Where values would be inserted to keep a sequence sorted: before equal ones, or with ``side='right'`` behind them.

    A sequence of several axes is one for each row of values.
    """
    sequence, values = _array(sorted_sequence, "searchsorted"), _array(values, "searchsorted")
    if side not in (None, "left", "right") or (side == "left" and right):
        raise ValueError(f"searchsorted has side 'left' or 'right', not {side!r}{' with right=True' if right else ''}")
    side = "right" if right else side or "left"
    sorter = None if sorter is None else _array(sorter, "searchsorted")
    if sequence.ndim > 1:
        if values.ndim != sequence.ndim or values.shape[:-1] != sequence.shape[:-1]:
            raise ValueError(f"searchsorted in rows of shape {sequence.shape} takes values of the same rows, not of shape "
                             f"{values.shape}")
        if sorter is not None:
            sequence = np.take_along_axis(sequence, sorter, -1)
        found = np.empty(values.shape, np.int64)
        for row in np.ndindex(values.shape[:-1]):
            found[row] = np.searchsorted(sequence[row], values[row], side)
    else:
        found = np.asarray(np.searchsorted(np.atleast_1d(sequence), values, side, sorter), np.int64)
    return wrap(found.astype(np.int32) if out_int32 else found)


@public(method=False)
def bucketize(x, boundaries, *, out_int32=False, right=False):
    """The number of the bucket between sorted boundaries that each element is in; on a boundary that below it, or above."""
    return searchsorted(boundaries, x, right=right, out_int32=out_int32)


@public(method=False)
def digitize(x, bins, right=False):
    """The number of the bin that each element is in, as ``np.digitize``."""
    return wrap(np.asarray(np.digitize(_array(x, "digitize"), _array(bins, "digitize"), right), np.int64))


@public(method=False)
def unravel_index(indices, shape):
    """The indices along each axis of places in the flat tensor, a tuple. IndexError for places outside."""
    shape = shape_argument((shape,) if isinstance(shape, (tuple, list)) else ((shape,),), "unravel_index")
    places = within(index_array(indices, "unravel_index"), math.prod(shape), "of the flat tensor", "unravel_index")
    return tuple(wrap(np.asarray(i)) for i in np.unravel_index(places, shape))


# Counts ---------------------------------------------------------------------------------------------------------------

@public()
def bincount(x, weights=None, minlength=0):
    """How often each integer from 0 occurs in a vector; or the sums of the weights there, which are differentiable."""
    index = _array(x, "bincount")
    if index.ndim != 1 or index.dtype.kind not in "iu" or (index < 0).any():
        raise ValueError(f"bincount takes a vector of integers from 0, not {index.dtype} of shape {index.shape}")
    check_size(int(index.max(initial=0)) + 1, "bincount")
    if weights is None:
        return wrap(np.bincount(index, minlength=minlength))
    weights = as_tensor_operand(weights, "bincount")
    if weights._shape != index.shape:
        raise ValueError(f"bincount of shape {index.shape} takes weights of that shape, not {weights._shape}")
    if weights.dtype not in FLOATS:
        weights = weights.double()
    size = max(integer(minlength, "bincount"), int(index.max(initial=-1)) + 1)
    return added(wrap(np.zeros(size, weights.dtype)), places_plan(index.astype(np.int64), (size,), "Bincount"), weights)


@public(method=False)
def histogram(x, bins=10, range=None, density=None, weights=None):
    """Counts of elements in bins, or sums of their weights, and the bins' edges, as ``np.histogram``.

    The sums are differentiable by the weights. Counts have no derivative, nor have edges that are found from the elements.
    """
    bins = _array(bins, "histogram") if isinstance(bins, (Tensor, list, tuple)) else bins
    array = _array(x, "histogram")
    array = array.astype(np.int64) if array.dtype == bool else array
    given = None if weights is None else _array(weights, "histogram")
    hist, edges = np.histogram(array, bins, range, density, given)
    if not (isinstance(weights, Tensor) and recording(weights)):
        return wrap(hist), wrap(edges)
    flat = array.reshape(-1)
    inside = np.flatnonzero((flat >= edges[0]) & (flat <= edges[-1]))
    bin_of = np.minimum(np.searchsorted(edges, flat[inside], "right") - 1, len(hist) - 1)
    plan = places_plan(bin_of.astype(np.int64), hist.shape, "Histogram")
    sums = added(wrap(np.zeros(hist.shape, weights.dtype)), plan, reshape(weights, -1)[inside])
    return sums / (sums.sum() * wrap(np.diff(edges))) if density else sums, wrap(edges)


@public()
def histc(x, bins=100, min=0, max=0):
    """Counts of elements in equal bins from min to max; where those are equal, from the smallest element to the largest."""
    array = _floats(_array(x, "histc"))
    span = (min, max) if min != max else (array.min(initial=np.inf), array.max(initial=-np.inf)) if array.size else (0, 1)
    return wrap(np.histogram(array, bins, span)[0].astype(array.dtype))


# Interpolation ----------------------------------------------------------------------------------------------------------

@public(method=False)
def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear interpolation, as ``np.interp``: the value at `x` of a curve through points (xp, fp), xp increasing.

    Differentiable by x, xp and fp. At a point the derivative by x is that of the piece to its right, at the last point that of
    the piece to its left; outside of the points it is 0, and so with `left` and `right`, the values there.

    >>> import tapegrad as tg
    >>> x = tg.tensor(1.5, requires_grad=True)
    >>> tg.interp(x, [0.0, 1.0, 2.0], [0.0, 10.0, 40.0])
    tensor(25., grad_fn=<WhereBackward0>)
    """
    x, xp, fp = (as_tensor_operand(v, "interp") for v in (x, xp, fp))
    x, xp, fp = (v if v.dtype in FLOATS else v.double() for v in (x, xp, fp))
    if len(xp._shape) != 1 or xp._shape != fp._shape or not xp._shape[0]:
        raise ValueError(f"interp takes points as two vectors of one length, not of shapes {xp._shape} and {fp._shape}")
    if period is not None:
        x, xp, fp, left, right = _periodic(x, xp, fp, period)
    points, at = xp._array(), x._array()
    n, where = len(points), BY_NAME["where"]
    low, high = at < points[0], at > points[-1]
    if (low | high).any():                   # what is computed there is not used, and must not overflow
        x = apply(where, wrap(low | high), float(points[0]), x)
    if n == 1:
        inside = broadcast_to(reshape(fp, ()), x._shape)
    else:
        piece = np.clip(np.searchsorted(points, x._array(), "right") - 1, 0, n - 2)
        x0, x1, f0, f1 = (picked(v, place, "Index") for v in (xp, fp) for place in (piece, piece + 1))
        inside = f0 + (f1 - f0) / (x1 - x0) * (x - x0)
    below = picked(fp, np.zeros((), np.int64), "Select") if left is None else operand(left, "interp")
    above = picked(fp, np.full((), n - 1), "Select") if right is None else operand(right, "interp")
    return apply(where, wrap(low), below, apply(where, wrap(high), above, inside))


def _periodic(x, xp, fp, period):
    """Points of one period, and one more on each side."""
    period = abs(float(period))
    if not period:
        raise ValueError("interp takes a period that is not 0")

    def inside(v):
        return v - wrap(np.floor(v._array() / period) * period)

    x, xp = inside(x), inside(xp)
    order = np.argsort(xp._array(), kind="stable")
    xp, fp = picked(xp, order, "Index"), picked(fp, order, "Index")
    xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, concatenate([fp[-1:], fp, fp[:1]]), None, None


# Indices ---------------------------------------------------------------------------------------------------------------

def _triangle_indices(name, find):
    def function(row, col=None, offset=0, *, k=None):
        offset = offset if k is None else k
        rows, columns = find(integer(row, function.__name__), offset, integer(row if col is None else col, function.__name__))
        return wrap(np.stack((rows, columns)).astype(np.int64))
    function.__name__ = function.__qualname__ = name
    return public(method=False)(function)


tril_indices = _triangle_indices("tril_indices", np.tril_indices)
tril_indices.__doc__ = "The indices of the lower triangle of a matrix of `row` by `col`: a row of row indices, one of columns."
triu_indices = _triangle_indices("triu_indices", np.triu_indices)
triu_indices.__doc__ = "The indices of the upper triangle of a matrix of `row` by `col`: a row of row indices, one of columns."


@public(method=False)
def combinations(x, r=2, with_replacement=False):
    """All combinations of r elements of a vector, one in each row."""
    import itertools
    x = as_tensor_operand(x, "combinations")
    if len(x._shape) != 1:
        raise ValueError(f"combinations takes a vector, and the shape is {x._shape}")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(x._shape[0]), integer(r, "combinations"))), np.int64).reshape(-1, r)
    return picked(x, places, "Index")
