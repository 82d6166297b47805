"""Functions that arrange elements, join and pick them."""
import types

import numpy as np

from ..tensor.conversion import to
from ..tensor.core import Tensor, wrap
from ..tensor.elementwise import broadcast, describe
from ..tensor.methods import FUNCTIONS
from ..tensor.structure import recording
from .dtypes import ANY, INTEGER, check, normal_axes, normal_axis, result_type

ours = types.SimpleNamespace(**FUNCTIONS)


def broadcast_arrays(*arrays):
    """Tensors in the shape that they broadcast to together, a list."""
    check("broadcast_arrays", ANY, *arrays)
    shape = ()
    for x in arrays:
        shape = broadcast(shape, x.shape)
    return [ours.broadcast_to(x, shape) for x in arrays]


def broadcast_to(x, /, shape):
    """Repeated along new axes and those of length 1."""
    check("broadcast_to", ANY, x)
    return ours.broadcast_to(x, shape)


def _sequence(name, arrays):
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"{name} takes a tuple or list of tensors, not {describe(arrays)}")
    if not arrays:
        raise ValueError(f"{name} needs at least one tensor")
    check(name, ANY, *arrays)
    dtype = result_type(*arrays)
    return [to(x, dtype) for x in arrays]


def concat(arrays, /, *, axis=0):
    """Tensors joined along an axis; with None, all of them flat."""
    arrays = _sequence("concat", arrays)
    if axis is None:
        arrays, axis = [ours.reshape(x, -1) for x in arrays], 0
    shapes = [x.shape for x in arrays]
    if any([len(s) != len(shapes[0]) for s in shapes]):
        raise ValueError(f"concat takes tensors with as many axes, and the shapes are {', '.join(map(str, shapes))}")
    axis = normal_axis(axis, arrays[0].ndim)
    return ours.concatenate(arrays, axis) if recording(*arrays) else wrap(np.concatenate([x._array() for x in arrays], axis))


def stack(arrays, /, *, axis=0):
    """Tensors of one shape joined along a new axis."""
    arrays = _sequence("stack", arrays)
    return ours.stack(arrays, normal_axis(axis, arrays[0].ndim + 1))


def unstack(x, /, *, axis=0):
    """The slices along an axis, a tuple."""
    check("unstack", ANY, x)
    if not x.shape:
        raise ValueError("unstack takes a tensor with axes, and this one has none")
    return tuple(ours.unbind(x, normal_axis(axis, x.ndim)))


def expand_dims(x, /, axis=0):
    """With a new axis of length 1. A view."""
    check("expand_dims", ANY, x)
    return ours.unsqueeze(x, normal_axis(axis, x.ndim + 1))


def squeeze(x, /, axis):
    """Without axes of length 1. A view; ValueError for axes of another length."""
    check("squeeze", ANY, x)
    if axis is None:
        raise ValueError("squeeze needs the axes to take away")
    axis = normal_axes(axis, x.ndim)
    for a in axis:
        if x.shape[a] != 1:
            raise ValueError(f"squeeze takes away axes of length 1, and axis {a} of shape {x.shape} is not")
    return ours.reshape(x, tuple(n for a, n in enumerate(x.shape) if a not in axis))


def flip(x, /, *, axis=None):
    """Axes backward: those given, or all."""
    check("flip", ANY, x)
    axes = normal_axes(axis, x.ndim)
    return ours.flip(x, axes) if axes else ours.clone(x)


def moveaxis(x, source, destination, /):
    """Axes at other places. A view."""
    check("moveaxis", ANY, x)
    return ours.moveaxis(x, source, destination)


def permute_dims(x, /, axes):
    """The axes in another order. A view."""
    check("permute_dims", ANY, x)
    return ours.permute_dims(x, tuple(axes))


def matrix_transpose(x, /):
    """The last two axes exchanged. A view."""
    check("matrix_transpose", ANY, x)
    return ours.matrix_transpose(x)


def reshape(x, /, shape, *, copy=None):
    """The same elements in another shape, of which one length may be -1: a view where that is possible.

    With copy=True never a view; with copy=False always, and ValueError where it can't be one.
    """
    check("reshape", ANY, x)
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"the shape of reshape is a tuple, not {describe(shape)}")
    if copy is False:
        return x.view(tuple(shape))
    return ours.reshape(ours.clone(x) if copy else x, tuple(shape))


def roll(x, /, shift, *, axis=None):
    """Elements moved along axes, those that leave at the end entering at the start; without an axis, along the flat tensor."""
    check("roll", ANY, x)
    if isinstance(shift, tuple) and axis is None:
        raise ValueError("several shifts of roll need an axis each")
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    axis = axis if axis is None else tuple(normal_axis(a, x.ndim) for a in (axis if isinstance(axis, tuple) else (axis,)))
    return ours.roll(x, shift, axis) if x.shape else ours.clone(x)


def tile(x, repetitions, /):
    """The whole tensor several times along each axis."""
    check("tile", ANY, x)
    if not isinstance(repetitions, tuple):
        raise TypeError(f"the repetitions of tile are a tuple, not {describe(repetitions)}")
    return ours.tile(x, repetitions)


def repeat(x, repeats, /, *, axis=None):
    """Each element several times, in the flat tensor or along an axis; `repeats` is a number, or a tensor with one for each."""
    check("repeat", ANY, x)
    if isinstance(repeats, Tensor):
        check("repeat", INTEGER, repeats)
    elif not isinstance(repeats, int):
        raise TypeError(f"the repeats are an integer or a tensor of integers, not {describe(repeats)}")
    return ours.repeat(x, repeats, axis if axis is None else normal_axis(axis, x.ndim))


def take(x, indices, /, *, axis=None):
    """The slices along an axis at the indices of a vector."""
    check("take", ANY, x)
    check("take", INTEGER, indices)
    if axis is None and x.ndim != 1:
        raise ValueError(f"take needs an axis, unless the tensor is a vector; the shape is {x.shape}")
    if indices.ndim != 1:
        raise ValueError(f"take takes a vector of indices, and their shape is {indices.shape}")
    return ours.take(x, indices, normal_axis(0 if axis is None else axis, x.ndim))


def take_along_axis(x, indices, /, *, axis=-1):
    """The elements that indices pick along an axis."""
    check("take_along_axis", ANY, x)
    check("take_along_axis", INTEGER, indices)
    return ours.take_along_axis(x, indices, normal_axis(axis, x.ndim))


__all__ = ["broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "matrix_transpose", "moveaxis", "permute_dims",
           "repeat", "reshape", "roll", "squeeze", "stack", "take", "take_along_axis", "tile", "unstack"]
