"""Indexing by integers, slices, arrays of integers and bools; and the record of an assignment."""
import operator

import numpy as np

from ...ops import BY_NAME
from ..core import Tensor, record_many, record_planned, wrap
from ..elementwise import broadcast, describe, size_of
from ..plans import assignment_plan, places_plan
from ..registry import public
from .arguments import as_tensor_operand, normalize_axis, recording
from .views import Step, view


def normal_index(index):
    """The index with tensors as arrays and lists as arrays, and whether it is basic: integers, slices, None, Ellipsis."""
    parts = index if type(index) is tuple else (index,)
    out, basic = [], True
    for part in parts:
        if type(part) is int or part is None or part is Ellipsis:
            pass
        elif type(part) is slice:
            if not all(v is None or type(v) is int for v in (part.start, part.stop, part.step)):
                part = slice(*(None if v is None else operator.index(v) for v in (part.start, part.stop, part.step)))
        elif isinstance(part, Tensor):
            if part.dtype.kind not in "iub":
                raise IndexError(f"tensors used as indices must be of integers or bools, not {part.dtype}")
            if part._shape or part.dtype == bool:
                part, basic = part._array(), False
            else:
                part = int(part._array())
        elif isinstance(part, (list, np.ndarray, bool, np.bool_)):
            part, basic = np.asarray(part), False
            if part.size == 0 and part.dtype == np.float64:
                part = part.astype(np.int64)
            if part.dtype.kind not in "iub":
                raise IndexError(f"arrays used as indices must be of integers or bools, not {part.dtype}")
        else:
            try:
                part = operator.index(part)
            except TypeError:
                raise IndexError(f"an index is made of integers, slices, None, ..., and arrays of integers or bools, not "
                                 f"{describe(part)}") from None
        out.append(part)
    return tuple(out), basic


def _key(index):
    """A slice is not hashable everywhere."""
    return tuple([(part.start, part.stop, part.step) if type(part) is slice else part for part in index])


def _index_step(index):
    key = _key(index)
    # Ellipsis keeps a single integer from giving a number instead of an array
    full = index if Ellipsis in key else (*index, Ellipsis)
    label = "Select" if any(type(part) is int for part in index) else "Slice"
    return Step(lambda a: a[full], key, label)


_steps: dict = {}                            # for single integers and slices


def getitem(x, index):
    """``x[index]``: a view for integers, slices, None and ...; for arrays of integers or bools a copy."""
    kind = type(index)
    if kind is int or kind is slice:
        key = index if kind is int else (index.start, index.stop, index.step)
        step = _steps.get((kind, key) if kind is slice else key)
        if step is None:
            parts, basic = normal_index(index)
            step = _index_step(parts)
            if len(_steps) < 4096:
                _steps[(kind, key) if kind is slice else key] = step
        return view(x, step)
    index, basic = normal_index(index)
    if basic:
        return view(x, _index_step(index))
    if not recording(x):
        return wrap(np.asarray(x._array()[index]))
    places = np.arange(size_of(x._shape)).reshape(x._shape)[index]
    return record_planned(BY_NAME["take"], x, places_plan(places, x._shape, "Index"))


def take_along(x, indices, axis):
    """The elements that an array of indices picks along an axis; as ``np.take_along_axis``."""
    if not recording(x):
        return wrap(np.take_along_axis(x._array(), indices, axis))
    places = np.take_along_axis(np.arange(size_of(x._shape)).reshape(x._shape), indices, axis)
    return record_planned(BY_NAME["take"], x, places_plan(places, x._shape, "Gather"))


def assignment(x, places, values, flags=0, label="CopySlices"):
    """Records `x` with its flat `places` (an array) taken from `values`; repeated places get the last one."""
    values = as_tensor_operand(values, "assignment")
    if values._shape != places.shape:
        shape = values._shape
        while len(shape) > places.ndim and shape[0] == 1:
            shape = shape[1:]
        if broadcast(shape, places.shape) != places.shape:
            raise ValueError(f"values of shape {values._shape} don't fit into a place of shape {places.shape}")
    source = np.full(size_of(x._shape), -1, np.int64)
    taken = np.arange(size_of(values._shape)).reshape(values._shape)
    if values._shape != places.shape:
        taken = np.broadcast_to(taken.reshape(shape), places.shape)
    source[places.reshape(-1)] = taken.reshape(-1)
    return record_many(BY_NAME["assign"], (x, values), assignment_plan(source, x._shape, label, values._shape),
                       x.dtype, flags)


def assigned(x, places, values, label):
    """`x` with its flat `places` (an array) taken from `values`, of its dtype: recorded or computed; `x` is left alone."""
    if recording(x, values):
        return assignment(x, places, values, label=label)
    out = x._array().copy(order="C")
    out.reshape(-1)[places] = values._array()
    return wrap(out)


@public()
def unbind(x, dim=0):
    """The slices along an axis, a tuple of views."""
    x = as_tensor_operand(x, "unbind")
    if not x._shape:
        raise TypeError("a 0-d tensor has no axis to iterate over or take apart; use item()")
    axis = normalize_axis(dim, len(x._shape))
    return tuple(getitem(x, (slice(None),) * axis + (i,)) for i in range(x._shape[axis]))
