"""Sums, means and extrema, of all elements or over axes."""
import math

import numpy as np

from ...ops import BY_NAME
from ..core import Tensor, float32, float64, record_planned, wrap
from ..plans import reduction_plan, rows_plan
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, normalize_axes, normalize_axis, recording
from .indexing import take_along
from .views import permute, reshape, squeeze


def _floating(x, dtype):
    if dtype is not None:
        from ..conversion import to
        x = to(x, dtype)
    return x


@public()
def sum(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The sum of all elements, or over `axis` (an axis, or several). Integers and bools give int64."""
    x = _floating(as_tensor_operand(x, "sum"), dtype)
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        return wrap(np.asarray(x._array().sum(axis=axes, keepdims=keep)))
    return record_planned(BY_NAME["sum"], x, reduction_plan(x._shape, axes, keep, "Sum"))


@public()
def mean(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The mean of all elements, or over `axis`; nan of no elements. RuntimeError for integers."""
    x = _floating(as_tensor_operand(x, "mean"), dtype)
    if x.dtype not in (float64, float32):
        raise RuntimeError(f"mean takes floating point numbers, and this tensor is {x.dtype}; convert it with .double()")
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        total = x._array().sum(axis=axes, keepdims=keep)
        with np.errstate(all="ignore"):
            return wrap(np.asarray(total / x.dtype.type(math.prod(x._shape[a] for a in axes))))
    return record_planned(BY_NAME["mean"], x, reduction_plan(x._shape, axes, keep, "Mean"))


@public()
def amax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    return _extremum("amax", x, axis_argument(axis, dim), keepdims or keepdim, "Amax")


@public()
def amin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The smallest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    return _extremum("amin", x, axis_argument(axis, dim), keepdims or keepdim, "Amin")


def _extremum(name, x, axis, keep, label):
    x = as_tensor_operand(x, name)
    axes = normalize_axes(axis, len(x._shape))
    if math.prod(x._shape[a] for a in axes) == 0:
        raise ValueError(f"{name} of no elements: the shape is {x._shape} and the axes are {axes}")
    if not recording(x):
        return wrap(np.asarray(getattr(np, name)(x._array(), axis=axes, keepdims=bool(keep))))
    kept = tuple(a for a in range(len(x._shape)) if a not in axes)
    order = kept + axes
    rows = x if order == tuple(range(len(order))) else permute(x, order)
    if keep:
        shape = tuple(1 if a in axes else n for a, n in enumerate(x._shape))
    else:
        shape = tuple(x._shape[a] for a in kept)
    length = math.prod(x._shape[a] for a in axes)
    plan = rows_plan(math.prod(shape), length, shape, label)
    return record_planned(BY_NAME[name], rows, plan)


class _ValuesIndices(tuple):
    """A pair with names, as PyTorch gives it."""
    __slots__ = ()
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    def __repr__(self):
        return f"(values={self[0]!r}, indices={self[1]!r})"


@public()
def max(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest element; ``max(x, dim)`` its values and indices along an axis, ``max(x, y)`` elementwise."""
    return _max_or_min("amax", "maximum", x, axis, dim, keepdims or keepdim)


@public()
def min(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The smallest element; ``min(x, dim)`` its values and indices along an axis, ``min(x, y)`` elementwise."""
    return _max_or_min("amin", "minimum", x, axis, dim, keepdims or keepdim)


def _max_or_min(name, pairwise, x, axis, dim, keep):
    if isinstance(axis, Tensor):
        from ..elementwise import apply
        return apply(BY_NAME[pairwise], x, axis)
    x = as_tensor_operand(x, name)
    axis = axis_argument(axis, dim)
    if axis is None or isinstance(axis, (tuple, list)):
        return _extremum(name, x, axis, keep, "Max" if name == "amax" else "Min")
    axis = normalize_axis(axis, len(x._shape))
    if not x._shape:
        return _ValuesIndices((clone_view(x), wrap(np.zeros((), np.int64))))
    if x._shape[axis] == 0:
        raise IndexError(f"{name} along axis {axis}, which has no elements: the shape is {x._shape}")
    array = x._array()
    find = np.argmax if name == "amax" else np.argmin
    indices = np.asarray(find(array, axis=axis, keepdims=True))
    values = take_along(x, indices, axis)
    if not keep:
        values, indices = squeeze(values, axis), np.squeeze(indices, axis)
    return _ValuesIndices((values, wrap(indices)))


def clone_view(x):
    return reshape(x, x._shape)


@public()
def argmax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The index of the first largest element, in the flat tensor or along `axis`."""
    x, keep = as_tensor_operand(x, "argmax"), bool(keepdims or keepdim)
    return wrap(np.asarray(np.argmax(x._array(), axis=axis_argument(axis, dim), keepdims=keep)))


@public()
def argmin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The index of the first smallest element, in the flat tensor or along `axis`."""
    x, keep = as_tensor_operand(x, "argmin"), bool(keepdims or keepdim)
    return wrap(np.asarray(np.argmin(x._array(), axis=axis_argument(axis, dim), keepdims=keep)))
