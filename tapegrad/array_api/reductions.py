"""Functions over axes: sums and other statistics, running sums, tests, places, order, sets."""
import operator
from typing import NamedTuple

import numpy as np

from ..tensor.conversion import to
from ..tensor.core import Tensor, wrap
from ..tensor.structure import recording
from .dtypes import ANY, FLOATING, INTEGER, NUMERIC, check, check_dtype, common, normal_axes, normal_axis
from .manipulation import concat, ours


def _computed(function, x, axis, **keywords):
    """What NumPy says over axes, when no derivative is wanted."""
    with np.errstate(all="ignore"):
        return wrap(np.asarray(function(x._array(), axis=normal_axes(axis, x.ndim), **keywords)))


def _accumulated(x, dtype):
    """The tensor in the dtype that it is added in: as given, or int64 or uint64 for smaller integers."""
    check_dtype(dtype)
    if dtype is None and x.dtype.kind in "iu":
        dtype = np.dtype(np.int64 if x.dtype.kind == "i" else np.uint64)
    return x if dtype is None else to(x, dtype)


# Statistics -------------------------------------------------------------------------------------------------------------

def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum of all elements, or over axes; integers are added in 64 bits."""
    check("sum", NUMERIC, x)
    x = _accumulated(x, dtype)
    if recording(x):
        return ours.sum(x, normal_axes(axis, x.ndim), keepdims)
    return _computed(np.sum, x, axis, keepdims=keepdims, dtype=x.dtype)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product of all elements, or over axes; integers are multiplied in 64 bits."""
    check("prod", NUMERIC, x)
    x = _accumulated(x, dtype)
    if recording(x):
        return ours.prod(x, normal_axes(axis, x.ndim), keepdims)
    return _computed(np.prod, x, axis, keepdims=keepdims, dtype=x.dtype)


def mean(x, /, *, axis=None, keepdims=False):
    """The mean of all elements, or over axes; nan of none."""
    check("mean", FLOATING, x)
    return ours.mean(x, normal_axes(axis, x.ndim), keepdims)


def max(x, /, *, axis=None, keepdims=False):
    """The largest element, of all or over axes."""
    check("max", NUMERIC, x)
    return ours.amax(x, normal_axes(axis, x.ndim), keepdims)


def min(x, /, *, axis=None, keepdims=False):
    """The smallest element, of all or over axes."""
    check("min", NUMERIC, x)
    return ours.amin(x, normal_axes(axis, x.ndim), keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The variance, of all or over axes: the sum of squared distances from the mean, by n - `correction`."""
    check("var", FLOATING, x)
    return ours.var(x, normal_axes(axis, x.ndim), keepdims=keepdims, correction=correction)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard deviation, of all or over axes: the root of `var`."""
    check("std", FLOATING, x)
    return ours.std(x, normal_axes(axis, x.ndim), keepdims=keepdims, correction=correction)


def _running(name, x, axis, dtype, include_initial):
    check(name, NUMERIC, x)
    if not x.shape:
        raise ValueError(f"{name} takes a tensor with at least one axis, and this one has none")
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name} needs an axis, unless the tensor is a vector; the shape is {x.shape}")
    x, axis = _accumulated(x, dtype), normal_axis(0 if axis is None else axis, x.ndim)
    function, first = (np.cumsum, 0) if name == "cumulative_sum" else (np.cumprod, 1)
    if recording(x):
        z = getattr(ours, function.__name__)(x, axis)
    else:
        with np.errstate(all="ignore"):
            z = wrap(function(x._array(), axis=axis, dtype=x.dtype))
    if not include_initial:
        return z
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1:])
    return concat([wrap(np.full(shape, first, z.dtype)), z], axis=axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """The sums of the elements up to each, along an axis; with `include_initial` a 0 before them."""
    return _running("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """The products of the elements up to each, along an axis; with `include_initial` a 1 before them."""
    return _running("cumulative_prod", x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Differences of neighbours along an axis, `n` times, of what is prepended, the tensor and what is appended."""
    check("diff", NUMERIC, x)
    around = [v for v in (prepend, append) if v is not None]
    check("diff", NUMERIC, *around)
    if not x.shape:
        raise ValueError("diff takes a tensor with at least one axis, and this one has none")
    axis, n = normal_axis(axis, x.ndim), operator.index(n)
    if n < 0:
        raise ValueError(f"diff is taken a number of times, not {n}")
    if n == 0:
        return x
    x = concat([v for v in (prepend, x, append) if v is not None], axis=axis) if around else x
    before = (slice(None),) * axis
    for _ in range(n):
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x


# Tests, places, order ---------------------------------------------------------------------------------------------------

def all(x, /, *, axis=None, keepdims=False):
    """Whether all elements, of all or over axes, are True or not 0."""
    check("all", ANY, x)
    return _computed(np.all, x, axis, keepdims=keepdims)


def any(x, /, *, axis=None, keepdims=False):
    """Whether any element, of all or over axes, is True or not 0."""
    check("any", ANY, x)
    return _computed(np.any, x, axis, keepdims=keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements, of all or over axes, are not 0."""
    check("count_nonzero", ANY, x)
    return _computed(np.sum, wrap(np.asarray(x._array() != 0)), axis, keepdims=keepdims, dtype=np.int64)


def _place(function, x, axis, keepdims):
    check(function.__name__, NUMERIC, x)
    axis = axis if axis is None else normal_axis(axis, x.ndim)
    return wrap(np.asarray(function(x._array(), axis=axis, keepdims=keepdims)))


def argmax(x, /, *, axis=None, keepdims=False):
    """The index of the first largest element, in the flat tensor or along an axis."""
    return _place(np.argmax, x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """The index of the first smallest element, in the flat tensor or along an axis."""
    return _place(np.argmin, x, axis, keepdims)


def nonzero(x, /):
    """The indices of elements that are not 0, a tuple with a vector for each axis."""
    check("nonzero", ANY, x)
    if not x.shape:
        raise ValueError("nonzero takes a tensor with axes, and this one has none")
    return tuple(map(wrap, np.nonzero(x._array())))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where elements of `x2` would be inserted into the sorted vector `x1`: before equal ones (side "left"), or behind them."""
    x1, x2 = common("searchsorted", NUMERIC, x1, x2)
    if x1.ndim != 1:
        raise ValueError(f"searchsorted looks in a vector, and the shape is {x1.shape}")
    if side not in ("left", "right"):
        raise ValueError(f"the side of searchsorted is 'left' or 'right', not {side!r}")
    if sorter is not None:
        check("searchsorted", INTEGER, sorter)
        sorter = sorter._array()
    return wrap(np.asarray(np.searchsorted(x1._array(), x2._array(), side, sorter)))


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The indices that sort along an axis; equal elements stay in their order."""
    check("argsort", NUMERIC, x)
    axis, array = normal_axis(axis, x.ndim), x._array()
    if not x.shape:
        return wrap(np.zeros((), np.int64))
    if not descending:
        return wrap(np.argsort(array, axis, kind="stable"))
    backward = np.flip(np.argsort(np.flip(array, axis), axis, kind="stable"), axis)
    return wrap(np.ascontiguousarray(x.shape[axis] - 1 - backward))


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in order along an axis."""
    check("sort", NUMERIC, x)
    return ours.take_along_axis(x, argsort(x, axis=axis, descending=descending), axis) if x.shape else ours.clone(x)


# Sets -------------------------------------------------------------------------------------------------------------------

class UniqueAll(NamedTuple):
    """What unique_all gives."""
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What unique_counts gives."""
    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What unique_inverse gives."""
    values: Tensor
    inverse_indices: Tensor


def unique_all(x, /):
    """The different values in order, every nan one of its own; the index of the first of each in the flat tensor; where each
    element's value is among them; how often each occurs."""
    check("unique_all", ANY, x)
    array = x._array()
    values, first, inverse, counts = np.unique(array, True, True, True, equal_nan=False)
    values = ours.take(ours.reshape(x, -1), wrap(first), 0) if recording(x) else wrap(values)
    return UniqueAll(values, wrap(first), wrap(inverse.reshape(array.shape)), wrap(counts))


def unique_counts(x, /):
    """The different values in order, every nan one of its own, and how often each occurs."""
    values, _, _, counts = unique_all(x)
    return UniqueCounts(values, counts)


def unique_inverse(x, /):
    """The different values in order, every nan one of its own, and where each element's value is among them."""
    values, _, inverse, _ = unique_all(x)
    return UniqueInverse(values, inverse)


def unique_values(x, /):
    """The different values in order; every nan is one of its own."""
    return unique_all(x).values


__all__ = ["all", "any", "argmax", "argmin", "argsort", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "max",
           "mean", "min", "nonzero", "prod", "searchsorted", "sort", "std", "sum", "unique_all", "unique_counts",
           "unique_inverse", "unique_values", "var"]
