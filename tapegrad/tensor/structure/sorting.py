"""Sorting, and what is found by it. Values are picked from the tensor, and so have its derivatives; indices have none.

Sorts are stable: of equal elements the one that comes first stays first. Nans come last, and first in descending order.
"""

import numpy as np

from ..core import decided, wrap
from ..elementwise import size_of
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, integer, normalize_axis, one_name
from .indexing import take_along
from .reductions import ValuesIndices
from .selection import picked
from .views import reshape


def _order(array, axis, descending):
    """Indices that sort along an axis, stably."""
    if not array.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(array, axis, kind="stable")
    backward = np.flip(np.argsort(np.flip(array, axis), axis, kind="stable"), axis)
    return array.shape[axis] - 1 - backward


def _prepared(x, axis, dim, name):
    """The tensor and its axis, the last by default."""
    x, axis = as_tensor_operand(x, name), axis_argument(axis, dim)
    return x, normalize_axis(-1 if axis is None else axis, len(x._shape))


@public()
def sort(x, axis=None, descending=False, stable=True, *, dim=None):
    """Values in order along an axis, by default the last, and their indices, as PyTorch; ``np.sort(x)`` gives values alone."""
    x, axis = _prepared(x, axis, dim, "sort")
    indices = decided(_order, x, axis=axis, descending=descending)
    return ValuesIndices((take_along(x, indices, axis, "Sort"), wrap(indices)))


@public(function=False, method=False, numpy=np.sort)
def numpy_sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """As ``np.sort``: the values."""
    if order is not None:
        raise TypeError("np.sort of a tensor takes no order=: there are no fields")
    x = as_tensor_operand(a, "np.sort")
    return sort(reshape(x, -1) if axis is None else x, axis)[0]


@public()
def argsort(x, axis=None, descending=False, stable=True, *, dim=None):
    """The indices that sort along an axis, by default the last."""
    x, axis = _prepared(x, axis, dim, "argsort")
    return wrap(decided(_order, x, axis=axis, descending=descending))


@public(function=False, method=False, numpy=np.argsort)
def numpy_argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """As ``np.argsort``."""
    if order is not None:
        raise TypeError("np.argsort of a tensor takes no order=: there are no fields")
    x = as_tensor_operand(a, "np.argsort")
    return argsort(reshape(x, -1) if axis is None else x, axis)


@public()
def msort(x):
    """Values in order along the first axis."""
    return sort(x, 0)[0]


@public()
def topk(x, k, axis=None, largest=True, sorted=True, *, dim=None):
    """The k largest values along an axis, by default the last, or the smallest, in order, and their indices."""
    x, axis = _prepared(x, axis, dim, "topk")
    k = integer(k, "topk")
    size = x._shape[axis] if x._shape else 1
    if not 0 <= k <= size:
        raise ValueError(f"topk takes from 0 to {size} of the elements along axis {axis} of shape {x._shape}, not {k}")
    indices = decided(_order, x, axis=axis, descending=largest)
    if x._shape:
        indices = np.take(indices, range(k), axis)
    return ValuesIndices((take_along(x, indices, axis, "Topk"), wrap(indices)))


@public()
def kthvalue(x, k, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The k-th smallest value along an axis, by default the last, counted from 1, and its index."""
    x, axis = _prepared(x, axis, dim, "kthvalue")
    k = integer(k, "kthvalue")
    size = x._shape[axis] if x._shape else 1
    if not 1 <= k <= size:
        raise ValueError(f"kthvalue counts from 1 to {size} along axis {axis} of shape {x._shape}, and k is {k}")
    indices = decided(_order, x, axis=axis, descending=False)
    keep = keepdims or keepdim
    if x._shape:
        indices = np.take(indices, [k - 1], axis)
    values = take_along(x, indices, axis, "Kthvalue", keep)
    return ValuesIndices((values, wrap(indices if keep or not x._shape else indices.squeeze(axis))))


@public()
def mode(x, dim=-1, keepdim=False):
    """The value that occurs most often along an axis, of several the smallest, and the index of its last occurrence.

    IndexError for an axis without elements. Every nan is a value of its own, smaller than all others, as in PyTorch.

    >>> import tapegrad as tg
    >>> tg.mode(tg.tensor([3.0, 1.0, 3.0, 2.0]))
    (values=tensor(3.), indices=tensor(2))
    """
    x, axis = _prepared(x, dim, None, "mode")
    if x._shape and not x._shape[axis]:
        raise IndexError(f"mode along axis {axis}, which has no elements: the shape is {x._shape}")
    indices = decided(_last_of_most, x, axis=axis)
    values = take_along(x, indices, axis, "Mode", keepdim)
    return ValuesIndices((values, wrap(indices if keepdim or not x._shape else indices.squeeze(axis))))


def _last_of_most(array, axis):
    """The index of the last of the elements that are most frequent along an axis, which is kept."""
    if not array.ndim:
        return np.zeros((), np.int64)
    array = np.moveaxis(array, axis, -1)
    missing = np.isnan(array)
    order = np.lexsort((np.where(missing, 0, array), ~missing), axis=-1)
    inorder = np.take_along_axis(array, order, -1)
    place = np.broadcast_to(np.arange(array.shape[-1]), array.shape)
    begins = np.concatenate((np.ones((*array.shape[:-1], 1), bool), inorder[..., 1:] != inorder[..., :-1]), -1)
    run = place - np.maximum.accumulate(np.where(begins, place, 0), -1)          # how many equal ones came before
    found = np.take_along_axis(order, run.argmax(-1, keepdims=True), -1)
    return np.moveaxis(found, -1, axis)


@public(method=False)
def partition(x, kth, axis=-1):
    """Values along an axis with those at places `kth` as if sorted, smaller ones before, larger ones behind; as NumPy."""
    x = as_tensor_operand(x, "partition")
    x, axis = (reshape(x, -1), 0) if axis is None else (x, normalize_axis(axis, len(x._shape)))
    return take_along(x, np.argpartition(x._array(), kth, axis), axis)


@public(method=False)
def argpartition(x, kth, axis=-1):
    """The indices of ``partition``."""
    return wrap(np.argpartition(as_tensor_operand(x, "argpartition")._array(), kth, axis))


# Unique values ----------------------------------------------------------------------------------------------------------

def _unique(x, axis, equal_nan=True):
    """Values, whose derivative goes to where each occurs first; the index of that, the inverse, and counts."""
    x = as_tensor_operand(x, "unique")
    _, index, inverse, counts = np.unique(x._array(), True, True, True, axis, equal_nan=equal_nan)
    if axis is None:
        values = picked(x, index, "Unique")
        inverse = inverse.reshape(x._shape)
    else:
        places = np.arange(size_of(x._shape)).reshape(x._shape)
        values = picked(x, np.take(places, index, axis), "Unique")
        inverse = inverse.reshape(-1)
    return values, wrap(index), wrap(inverse), wrap(counts)


@public()
def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None, *, axis=None, return_index=False,
           equal_nan=True):
    """The different values in order, or slices along an axis, and as asked for in a tuple after them: the index of the first of
    each, where each element's value is among them, and how often each occurs. The derivative goes to the first of equals."""
    axis = one_name(dim, axis, ("dim", "axis"))
    values, *others = _unique(x, axis, equal_nan)
    wanted = [y for y, wanted in zip(others, (return_index, return_inverse, return_counts)) if wanted]
    return (values, *wanted) if wanted else values


@public(function=False, method=False, numpy=np.unique)
def numpy_unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """As ``np.unique``."""
    return unique(ar, sorted, return_inverse, return_counts, axis, return_index=return_index, equal_nan=equal_nan)


@public(method=False)
def unique_values(x):
    """The different values in order; every nan is one of its own, as the array API standard has it."""
    return _unique(x, None, False)[0]


@public(method=False)
def unique_counts(x):
    """The different values in order, and how often each occurs."""
    values, _, _, counts = _unique(x, None, False)
    return values, counts


@public(method=False)
def unique_inverse(x):
    """The different values in order, and where each element's value is among them."""
    values, _, inverse, _ = _unique(x, None, False)
    return values, inverse


@public(method=False)
def unique_all(x):
    """The different values in order, the index of the first of each, where each element's value is, and how often each occurs."""
    return _unique(x, None, False)


@public()
def unique_consecutive(x, return_inverse=False, return_counts=False, dim=None):
    """Runs of equal values, or of equal slices along an axis, each shrunk to one; with where each element went, and counts."""
    x = as_tensor_operand(x, "unique_consecutive")
    flat = x if dim is not None else reshape(x, -1)
    axis = 0 if dim is None else normalize_axis(dim, len(x._shape))
    array = np.moveaxis(flat._array(), axis, 0)
    rows = array.reshape(len(array), size_of(array.shape[1:]))
    starts = np.concatenate((np.ones(min(1, len(rows)), bool), (rows[1:] != rows[:-1]).any(1)))
    index = np.flatnonzero(starts)
    places = np.take(np.arange(size_of(flat._shape)).reshape(flat._shape), index, axis)
    out = [picked(flat, places, "Unique")]
    if return_inverse:
        inverse = np.cumsum(starts) - 1
        out.append(wrap(inverse if dim is not None else inverse.reshape(x._shape)))
    if return_counts:
        out.append(wrap(np.diff(np.concatenate((index, [len(rows)])))))
    return tuple(out) if len(out) > 1 else out[0]
