"""Tensors joined along an axis."""
import functools

import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, Tensor, common_dtype, record_many, wrap
from ..elementwise import describe
from ..plans import concatenate_plan, stack_plan
from ..registry import public
from .arguments import as_tensor_operand, integer, normalize_axis, recording
from .indexing import unbind
from .reductions import sum as sum_of
from .views import atleast_1d, atleast_2d, atleast_3d, reshape

CONCATENATE = BY_NAME["concatenate"]
MOST_OPERANDS = 8192                         # of one record; more are joined in groups


@public("cat", "concat", method=False)
def concatenate(tensors, axis=0, *, dim=None):
    """Tensors joined along an axis; with ``axis=None``, all of their elements along one."""
    tensors = _sequence(tensors, "concatenate")
    axis = axis if dim is None else dim
    if axis is None:
        tensors, axis = [reshape(x, -1) for x in tensors], 0
    axis, plan, shaped = _concatenation(tuple([x._shape for x in tensors]), integer(axis, "concatenate"))
    kept = tensors if shaped is None else [tensors[k] for k in shaped]
    if len(kept) > MOST_OPERANDS:
        groups = [concatenate(kept[k:k + MOST_OPERANDS], axis) for k in range(0, len(kept), MOST_OPERANDS)]
        return concatenate(groups, axis)
    joined = _join(kept, plan, np.concatenate, axis)
    if kept is not tensors and not joined.requires_grad:     # what was left out may; the sum of nothing is 0
        for x in tensors:
            joined = joined - sum_of(x) if x.requires_grad else joined
    return joined


@functools.lru_cache(maxsize=1024)
def _concatenation(shapes, axis):
    """The axis, the plan, and which of the tensors take part, where not all do."""
    # PyTorch lets an empty vector stand beside anything
    vectors = all([len(shape) == 1 for shape in shapes])
    shaped = [k for k, shape in enumerate(shapes) if vectors or shape != (0,)]
    kept = tuple([shapes[k] for k in shaped])
    first = kept[0]
    if not first:
        raise ValueError("tensors without axes can't be concatenated; use stack()")
    axis = normalize_axis(axis, len(first))
    for shape in kept:
        if len(shape) != len(first) or any([n != m for a, (n, m) in enumerate(zip(shape, first)) if a != axis]):
            raise ValueError(f"tensors to concatenate along axis {axis} must agree in all other axes, and the shapes are "
                             f"{first} and {shape}")
    return axis, concatenate_plan(kept, axis, "Cat"), shaped if len(shaped) < len(shapes) else None


@public(method=False)
def stack(tensors, axis=0, *, dim=None):
    """Tensors of one shape, or numbers, joined along a new axis."""
    tensors = _sequence(tensors, "stack", numbers=True)
    shape = tensors[0]._shape
    axis = normalize_axis(axis if dim is None else dim, len(shape) + 1)
    for x in tensors:
        if x._shape is not shape and x._shape != shape:
            raise ValueError(f"tensors to stack must have one shape, and these have {shape} and {x._shape}")
    if len(tensors) > MOST_OPERANDS:
        return concatenate([stack(tensors[k:k + MOST_OPERANDS], axis) for k in range(0, len(tensors), MOST_OPERANDS)], axis)
    return _join(tensors, stack_plan(shape, len(tensors), axis, "Stack"), np.stack, axis)


def _sequence(tensors, name, numbers=False):
    if isinstance(tensors, Tensor):
        tensors = unbind(tensors)
    elif not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name} takes a list or tuple of tensors, not {describe(tensors)}")
    if not tensors:
        raise ValueError(f"{name} of an empty list; give at least one tensor")
    tensors = [x if type(x) is Tensor else as_tensor_operand(x, name) for x in tensors]
    alone = next((x for x in tensors if x._is_number and not x._shape), None)
    if alone is not None and not numbers:
        raise TypeError(f"{name} takes tensors, not {describe(alone.item())}; make one of it with tensor(...), or use stack()")
    return tensors


def _join(tensors, plan, join, axis):
    """Recorded with a plan, or computed by NumPy's function."""
    tape = tensors[0]._tape
    here = bool(tape.words) and all([x._tape is tape for x in tensors])
    if here or recording(*tensors):
        return record_many(CONCATENATE, tensors, plan, tape.dtype if here else None, same_tape=tape if here else None)
    dtype = common_dtype(tensors) if any([x.dtype in FLOATS for x in tensors]) else None
    return wrap(join([x._array() if dtype is None else x._array().astype(dtype, copy=False) for x in tensors], axis))


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


# Nested lists ---------------------------------------------------------------------------------------------------------

def holds_tensor(value):
    """Whether nested lists hold a tensor."""
    return any([isinstance(part, Tensor) or (isinstance(part, (list, tuple)) and holds_tensor(part)) for part in value])


def nested(value, name):
    """A tensor from nested lists that hold tensors: these are stacked, and gradients flow to them."""
    return stack([as_tensor_operand(part, name) for part in value])
