"""Tensors taken apart along an axis: everything here gives views."""

import numpy as np

from ..core import Tensor
from ..registry import public
from .arguments import as_tensor_operand, index_array, integer, normalize_axis
from .indexing import unbind
from .views import sliced


def _shaped(x, axis, name):
    x = as_tensor_operand(x, name)
    if not x._shape:
        raise ValueError(f"{name} takes a tensor with axes, and this one has none")
    return x, normalize_axis(axis, len(x._shape))


def _at(x, axis, places):
    """The parts between places, which count and overlap as in slices."""
    size = x._shape[axis]
    parts, start = [], 0
    for stop in (*places, size):
        first, last, _ = slice(start, stop).indices(size)
        parts.append(sliced(x, axis, first, max(first, last)))
        start = stop
    return tuple(parts)


def _evenly(x, axis, count, name):
    """So many parts, of which the first ones may be one longer."""
    if count < 1:
        raise ValueError(f"{name} makes at least one part, not {count}")
    length, longer = divmod(x._shape[axis], count)
    return _at(x, axis, [k * length + min(k, longer) for k in range(1, count)])


@public()
def split(x, split_size_or_sections, dim=0, *, axis=None):
    """Parts of one length along an axis, the last perhaps shorter, or of the lengths in a list: a tuple of views. As PyTorch;
    ``np.split(x, ...)`` takes a number of parts, or places."""
    x, axis = _shaped(x, dim if axis is None else axis, "split")
    size = x._shape[axis]
    if isinstance(split_size_or_sections, (tuple, list)):
        lengths = [integer(n, "split") for n in split_size_or_sections]
        if sum(lengths) != size or any(n < 0 for n in lengths):
            raise ValueError(f"split into lengths {lengths}: they must add up to {size}, the length of axis {axis}")
        return _at(x, axis, np.cumsum(lengths, dtype=np.int64).tolist()[:-1]) if lengths else ()
    length = integer(split_size_or_sections, "split")
    if length < 1 and not length == size == 0:
        raise ValueError(f"split into parts of {length} elements; give at least 1")
    return _at(x, axis, range(length, size, length)) if size else (x,)


@public()
def chunk(x, chunks, dim=0):
    """At most so many parts of one length along an axis, the last perhaps shorter; a tuple of views."""
    x, axis = _shaped(x, dim, "chunk")
    count = integer(chunks, "chunk")
    if count < 1:
        raise ValueError(f"chunk makes at least one part, not {count}")
    if not x._shape[axis]:
        return (x,) * count
    return split(x, -(-x._shape[axis] // count), axis)


def _places(indices_or_sections, name):
    """A number of parts, or a list of places."""
    if isinstance(indices_or_sections, (tuple, list, np.ndarray, Tensor)):
        array = index_array(indices_or_sections, name)
        return array.tolist()
    return integer(indices_or_sections, name)


@public("array_split")
def tensor_split(x, indices_or_sections, dim=0, *, axis=None):
    """So many parts along an axis, the first ones perhaps longer by one, or the parts between places; a tuple of views."""
    x, axis = _shaped(x, dim if axis is None else axis, "tensor_split")
    places = _places(indices_or_sections, "tensor_split")
    return _at(x, axis, places) if isinstance(places, list) else _evenly(x, axis, places, "tensor_split")


@public(function=False, method=False, numpy=np.split)
def numpy_split(ary, indices_or_sections, axis=0):
    """As ``np.split``: so many parts of one length, or the parts between places; a list of views."""
    x, axis = _shaped(ary, axis, "np.split")
    places = _places(indices_or_sections, "np.split")
    if isinstance(places, int) and (places < 1 or x._shape[axis] % places):
        raise ValueError(f"np.split of axis {axis} with {x._shape[axis]} elements into {places} parts of one length; use "
                         "np.array_split for parts that differ")
    return list(tensor_split(x, places, axis))


@public(function=False, method=False, numpy=np.array_split)
def numpy_array_split(ary, indices_or_sections, axis=0):
    """As ``np.array_split``."""
    return list(tensor_split(ary, indices_or_sections, axis))


def _along(name, axis_of, least):
    def function(x, indices_or_sections):
        x = as_tensor_operand(x, name)
        if len(x._shape) < least:
            raise ValueError(f"{name} takes tensors of at least {least} axes, and this one's shape is {x._shape}")
        return tuple(numpy_split(x, indices_or_sections, axis_of(len(x._shape))))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As ``np.{name}``: so many parts of one length, or the parts between places; a tuple of views."
    return public()(function)


hsplit = _along("hsplit", lambda ndim: 0 if ndim == 1 else 1, 1)
vsplit = _along("vsplit", lambda ndim: 0, 2)
dsplit = _along("dsplit", lambda ndim: 2, 3)


@public(method=False)
def unstack(x, axis=0, *, dim=None):
    """The slices along an axis, a tuple of views; as unbind."""
    return unbind(x, axis if dim is None else dim)
