"""Tensors joined along an axis."""
import numpy as np

from ...ops import BY_NAME
from ..core import Tensor, common_dtype, float32, float64, record_many, wrap
from ..elementwise import describe, operand
from ..plans import concatenate_plan, stack_plan
from ..registry import public
from .arguments import as_tensor_operand, normalize_axis, recording
from .indexing import unbind
from .views import atleast_1d, atleast_2d, atleast_3d, reshape

CONCATENATE = BY_NAME["concatenate"]
MOST_OPERANDS = 8192                         # of one record; more are joined in groups


@public("cat", "concat", method=False)
def concatenate(tensors, axis=0, *, dim=None):
    """Tensors joined along an axis."""
    tensors = _sequence(tensors, "concatenate")
    axis = axis if dim is None else dim
    # PyTorch lets an empty vector stand beside anything
    shaped = [x for x in tensors if x._shape != (0,)] or tensors[:1]
    shape = shaped[0]._shape
    if not shape:
        raise ValueError("tensors without axes can't be concatenated; use stack()")
    axis = normalize_axis(axis, len(shape))
    for x in shaped:
        if len(x._shape) != len(shape) or any(n != m for a, (n, m) in enumerate(zip(x._shape, shape)) if a != axis):
            raise ValueError(f"tensors to concatenate along axis {axis} must agree in all other axes, and the shapes are "
                             f"{shape} and {x._shape}")
    return _join(shaped, axis, "Cat")


@public(method=False)
def stack(tensors, axis=0, *, dim=None):
    """Tensors of one shape joined along a new axis."""
    tensors = _sequence(tensors, "stack")
    shape = tensors[0]._shape
    axis = normalize_axis(axis if dim is None else dim, len(shape) + 1)
    for x in tensors:
        if x._shape is not shape and x._shape != shape:
            raise ValueError(f"tensors to stack must have one shape, and these have {shape} and {x._shape}")
    return _join(tensors, axis, "Stack", shape)


def _sequence(tensors, name):
    if isinstance(tensors, Tensor):
        tensors = unbind(tensors)
    elif not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name} takes a list or tuple of tensors, not {describe(tensors)}")
    if not tensors:
        raise ValueError(f"{name} of an empty list; give at least one tensor")
    return [x if type(x) is Tensor else _tensor(x, name) for x in tensors]


def _tensor(x, name):
    x = operand(x, name)
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} takes tensors, not {describe(x)}; make one of it with tensor(...)")
    return x


def _join(tensors, axis, label, stacked=None):
    """Along `axis`, which each tensor has, or where `stacked` is their shape, doesn't have yet."""
    tape = tensors[0]._tape
    here = bool(tape.words) and len(tensors) <= MOST_OPERANDS and all([x._tape is tape for x in tensors])
    if not here and not recording(*tensors):
        dtype = common_dtype(tensors) if any(x.dtype in (float64, float32) for x in tensors) else None
        arrays = [x._array() if dtype is None else x._array().astype(dtype, copy=False) for x in tensors]
        return wrap((np.concatenate if stacked is None else np.stack)(arrays, axis))
    dtype = tape.dtype if here else common_dtype(tensors)
    if len(tensors) > MOST_OPERANDS:
        groups = [_join(tensors[k:k + MOST_OPERANDS], axis, label, stacked) for k in range(0, len(tensors), MOST_OPERANDS)]
        return _join(groups, axis, label)
    if stacked is None:
        plan = concatenate_plan(tuple([x._shape for x in tensors]), axis, label)
    else:
        plan = stack_plan(stacked, len(tensors), axis, label)
    return record_many(CONCATENATE, tensors, plan, dtype, same_tape=tape if here else None)


def _joined(name, extended, axis_of):
    """A function that joins tensors along an axis after it has given them the axes that they lack."""
    def function(tensors):
        parts = [extended(as_tensor_operand(x, name)) for x in (tensors if not isinstance(tensors, Tensor) else unbind(tensors))]
        if not parts:
            raise ValueError(f"{name} of an empty list; give at least one tensor")
        return concatenate(parts, axis_of(parts[0]))
    function.__name__ = function.__qualname__ = name
    return function


hstack = public(method=False)(_joined("hstack", atleast_1d, lambda x: 0 if len(x._shape) == 1 else 1))
hstack.__doc__ = "Tensors joined along the second axis, vectors along their only one."
vstack = public("row_stack", method=False)(_joined("vstack", atleast_2d, lambda x: 0))
vstack.__doc__ = "Tensors joined along the first axis, vectors as rows."
dstack = public(method=False)(_joined("dstack", atleast_3d, lambda x: 2))
dstack.__doc__ = "Tensors joined along the third axis, which those of fewer axes get."
column_stack = public(method=False)(_joined(
    "column_stack", lambda x: reshape(x, -1, 1) if len(x._shape) < 2 else x, lambda x: 1))
column_stack.__doc__ = "Vectors as columns, and matrices, joined along the second axis."
