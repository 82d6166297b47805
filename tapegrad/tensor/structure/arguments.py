"""Arguments that structural operations share: axes, shapes, operands.

Axes are called `dim` as in PyTorch or `axis` as in NumPy; both work everywhere.
"""
import operator

import numpy as np

from ...tape import state
from ..core import Tensor, tracked, wrap
from ..elementwise import describe, operand, single_precision

MOST = np.iinfo(np.int64).max


def as_tensor_operand(x, name):
    """A tensor; numbers become tensors without axes, whose dtype doesn't widen that of others."""
    if type(x) is Tensor:
        return x
    single = single_precision((x,))
    x = operand(x, name)
    if isinstance(x, Tensor):
        return x
    x = wrap(np.asarray(x, np.float32 if single else None))
    x._is_number = True
    return x


def recording(*tensors):
    """Whether an operation of these tensors is recorded."""
    for x in tensors:
        if x._tape.words:                    # on an open tape that records
            return True
    return state().enabled and any([tracked(x) for x in tensors])


def axis_argument(axis, dim):
    """`axis` and `dim` mean the same; None where neither is given."""
    return one_name(axis, dim, ("axis", "dim"))


def one_name(first, second, names):
    """The value of an argument that has two names; None where neither is given."""
    if second is None:
        return first
    if first is not None:
        raise TypeError(f"{names[0]}={first} and {names[1]}={second} are two names of one argument; give one of them")
    return second


def integer(value, name):
    """A Python int, from whatever counts as one."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} takes an integer here, not {describe(value)}") from None


def index_array(index, name):
    """Integers that a user picks elements by, as an int64 array of its own; numbers, lists, arrays or a tensor."""
    array = index._array() if isinstance(index, Tensor) else np.asarray(index)
    if array.size == 0 and not hasattr(index, "dtype"):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} takes integers here, not an array of dtype {array.dtype}")
    if array.dtype.kind == "u" and (array > np.uint64(MOST)).any():
        raise IndexError(f"{name}: {array.max()} is out of bounds for anything")
    return array.astype(np.int64)


def check_size(size, name):
    """ValueError for more elements than an array can have, of which NumPy's repeat sees nothing: it counts in 64 bits."""
    if size > MOST // 8:
        raise ValueError(f"{name} would give {size} elements, and no array has so many")


def within(index, size, axis, name):
    """Indices counted from 0, where negative ones counted from the end. IndexError for those outside."""
    outside = index[(index < -size) | (index >= size)]
    if outside.size:
        raise IndexError(f"{name}: index {outside.flat[0]} is out of bounds for axis {axis} with size {size}")
    return np.where(index < 0, index + size, index)


def normalize_axis(axis, ndim):
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"an axis is an integer, not {describe(axis)}") from None
    if not -(ndim or 1) <= axis < (ndim or 1):
        raise IndexError(f"axis {axis} is out of range for a tensor with {ndim} axes")
    return axis % (ndim or 1)


def normalize_axes(axes, ndim):
    """All axes for None, otherwise a sorted tuple without repeats."""
    if axes is None:
        return tuple(range(ndim))
    if type(axes) is int and -ndim <= axes < ndim:
        return (axes % ndim,)
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    axes = tuple(normalize_axis(a, ndim) for a in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is given twice in {axes}")
    return tuple(sorted(axes)) if ndim else ()


def shape_argument(shape, name):
    """(2, 3) from f(2, 3), f((2, 3)) and f([2, 3])."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    try:
        return tuple(operator.index(n) for n in shape)
    except TypeError:
        raise TypeError(f"{name} takes integers, not {shape!r:.60}") from None


def reduced_shape(shape, axes, keep):
    """What is left of a shape when `axes` are reduced."""
    if keep:
        return tuple([1 if a in axes else n for a, n in enumerate(shape)])
    return tuple([n for a, n in enumerate(shape) if a not in axes])
