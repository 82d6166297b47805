"""What NumPy's functions do with tensors where their arguments are not those of the façade's functions of the same name."""
import numpy as np

from ..core import Tensor
from ..registry import public
from .arguments import as_tensor_operand, normalize_axes
from .arranging import roll, tile, tril, triu
from .joining import concatenate, stack
from .selection import take
from .views import broadcast_to, moveaxis, permute, ravel, reshape, squeeze, swapaxes, transpose


def _numpy(theirs):
    return public(function=False, method=False, numpy=theirs)


def _in_order(x, order, name):
    if order not in ("C", "F", "A", None):
        raise ValueError(f"{name} takes the elements in order 'C', 'F' or 'A', not {order!r}")
    return order == "F"


@_numpy(np.reshape)
def numpy_reshape(a, shape=None, order="C", *, newshape=None, copy=None):
    """As ``np.reshape``."""
    x, shape = as_tensor_operand(a, "np.reshape"), newshape if shape is None else shape
    if not _in_order(x, order, "np.reshape"):
        return reshape(x, shape)
    shape = (shape,) if not isinstance(shape, (tuple, list)) else shape
    return transpose(reshape(transpose(x), *reversed(shape)))


@_numpy(np.ravel)
def numpy_ravel(a, order="C"):
    """As ``np.ravel``."""
    return ravel(a, "F" if _in_order(a, order, "np.ravel") else "C")


@_numpy(np.transpose)
def numpy_transpose(a, axes=None):
    """As ``np.transpose``."""
    return transpose(a) if axes is None else permute(a, axes)


@_numpy(np.swapaxes)
def numpy_swapaxes(a, axis1, axis2):
    """As ``np.swapaxes``."""
    return swapaxes(a, axis1, axis2)


@_numpy(np.moveaxis)
def numpy_moveaxis(a, source, destination):
    """As ``np.moveaxis``."""
    return moveaxis(a, source, destination)


@_numpy(np.rollaxis)
def numpy_rollaxis(a, axis, start=0):
    """As ``np.rollaxis``."""
    x = as_tensor_operand(a, "np.rollaxis")
    return permute(x, np.rollaxis(np.empty(tuple(range(len(x._shape)))), axis, start).shape)


@_numpy(np.squeeze)
def numpy_squeeze(a, axis=None):
    """As ``np.squeeze``: ValueError for an axis that is not of length 1."""
    x = as_tensor_operand(a, "np.squeeze")
    if axis is not None:
        for k in normalize_axes(axis, len(x._shape)):
            if x._shape[k] != 1:
                raise ValueError(f"np.squeeze of axis {k}, which has length {x._shape[k]} and not 1")
    return squeeze(x, axis)


@_numpy(np.broadcast_to)
def numpy_broadcast_to(array, shape, subok=False):
    """As ``np.broadcast_to``."""
    return broadcast_to(array, shape)


@_numpy(np.tile)
def numpy_tile(A, reps):
    """As ``np.tile``."""
    return tile(A, reps)


@_numpy(np.roll)
def numpy_roll(a, shift, axis=None):
    """As ``np.roll``."""
    return roll(a, shift, axis)


@_numpy(np.tril)
def numpy_tril(m, k=0):
    """As ``np.tril``."""
    return tril(m, k)


@_numpy(np.triu)
def numpy_triu(m, k=0):
    """As ``np.triu``."""
    return triu(m, k)


def _joined(name, join, arrays, axis, out, dtype, casting):
    if out is not None or casting != "same_kind":
        raise TypeError(f"{name} of tensors takes no out= and no casting=; assign the result, or convert it with .to()")
    x = join([as_tensor_operand(a, name) for a in arrays], axis)
    return x if dtype is None else x.to(dtype)


@_numpy(np.concatenate)
def numpy_concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """As ``np.concatenate``; among the arrays may be tensors."""
    return _joined("np.concatenate", concatenate, arrays, axis, out, dtype, casting)


@_numpy(np.stack)
def numpy_stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """As ``np.stack``; among the arrays may be tensors and numbers."""
    return _joined("np.stack", stack, arrays, axis, out, dtype, casting)


@_numpy(np.take)
def numpy_take(a, indices, axis=None, out=None, mode="raise"):
    """As ``np.take``."""
    if out is not None:
        raise TypeError("np.take of a tensor takes no out=; assign the result")
    return take(a, indices, axis, mode=mode)


@_numpy(np.ix_)
def numpy_ix(*args):
    """As ``np.ix_``."""
    return np.ix_(*[a._array() if isinstance(a, Tensor) else a for a in args])


def _indices_from(theirs):
    def function(arr, *arguments, **keywords):
        return theirs(np.empty(arr._shape, bool), *arguments, **keywords)
    function.__name__ = function.__qualname__ = f"numpy_{theirs.__name__}"
    function.__doc__ = f"As ``np.{theirs.__name__}``: it looks at the shape alone."
    return _numpy(theirs)(function)


for _theirs in (np.tril_indices_from, np.triu_indices_from, np.diag_indices_from):
    _indices_from(_theirs)
