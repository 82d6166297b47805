"""Products of vectors and matrices."""
import numpy as np

from ..tensor.core import wrap
from ..tensor.elementwise import broadcast, describe
from ..tensor.structure import recording
from .dtypes import NUMERIC, check, common
from .manipulation import ours


def _pair(name, x1, x2):
    """The operands in their common dtype; both have to be tensors."""
    check(name, NUMERIC, x1, x2)
    return common(name, NUMERIC, x1, x2)


def matmul(x1, x2, /):
    """The matrix product of vectors, matrices, and batches of matrices that broadcast."""
    x1, x2 = _pair("matmul", x1, x2)
    return ours.matmul(x1, x2) if recording(x1, x2) else wrap(np.asarray(np.matmul(x1._array(), x2._array())))


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over axes: the last `axes` of `x1` with the first of `x2`, or those in a pair of sequences."""
    x1, x2 = _pair("tensordot", x1, x2)
    if not isinstance(axes, (int, tuple)):
        raise TypeError(f"the axes of tensordot are a number or a pair of sequences, not {describe(axes)}")
    if recording(x1, x2):
        return ours.tensordot(x1, x2, axes)
    return wrap(np.asarray(np.tensordot(x1._array(), x2._array(), axes)))


def negative_axis(name, axis, x1, x2):
    """An axis counted from the end, which both tensors have: the others broadcast, so that only from there it is one axis."""
    if not -min(x1.ndim, x2.ndim) <= axis < 0:
        raise ValueError(f"the axis of {name} is negative and one of both tensors, not {axis}; the shapes are {x1.shape} and "
                         f"{x2.shape}")
    return axis


def vecdot(x1, x2, /, *, axis=-1):
    """The products of vectors along an axis, counted from the end; the other axes broadcast."""
    x1, x2 = _pair("vecdot", x1, x2)
    negative_axis("vecdot", axis, x1, x2)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot takes vectors of one length, and along axis {axis} they have {x1.shape[axis]} and "
                         f"{x2.shape[axis]} elements")
    if recording(x1, x2):
        return ours.vecdot(x1, x2, axis)
    a, b = (np.moveaxis(x._array(), axis, -1) for x in (x1, x2))
    broadcast(a.shape, b.shape)
    return wrap(np.asarray((a[..., None, :] @ b[..., None])[..., 0, 0]))


__all__ = ["matmul", "tensordot", "vecdot"]
