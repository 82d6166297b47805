"""Arguments that structural operations share: axes, shapes, operands.

Axes are called `dim` as in PyTorch or `axis` as in NumPy; both work everywhere.
"""
import operator

import numpy as np

from ...tape import state
from ..core import Tensor, tracked, wrap
from ..elementwise import describe, operand


def as_tensor_operand(x, name):
    """A tensor; numbers become tensors without axes."""
    if type(x) is Tensor:
        return x
    x = operand(x, name)
    return x if isinstance(x, Tensor) else wrap(np.asarray(x))


def recording(*tensors):
    """Whether an operation of these tensors is recorded."""
    for x in tensors:
        if x._tape.words:                    # on an open tape that records
            return True
    return state().enabled and any([tracked(x) for x in tensors])


def axis_argument(axis, dim):
    """`axis` and `dim` mean the same; None where neither is given."""
    if dim is not None:
        if axis is not None:
            raise TypeError(f"axis={axis} and dim={dim} are two names of one argument; give one of them")
        return dim
    return axis


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
