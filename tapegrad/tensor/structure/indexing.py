"""Indexing by integers, slices, arrays of integers and bools; and the record of an assignment."""
import operator

import numpy as np

from ...buffers import address_of
from ...ops import BY_NAME
from ..core import Tensor, record_many, record_planned, wrap, writes
from ..elementwise import apply, broadcast, describe, size_of
from ..plans import Plan, assignment_plan, places_plan
from ..registry import public
from .arguments import as_tensor_operand, normalize_axis, recording
from .views import Step, along, way_of

TAKE, ASSIGN, CLONE = BY_NAME["take"], BY_NAME["assign"], BY_NAME["clone"]


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
        elif isinstance(part, (list, tuple, np.ndarray, bool, np.bool_)):
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


# The fast way -----------------------------------------------------------------------------------------------------------

_rows: dict = {}                             # by shape, the ways of single integers
_ways: dict = {}                             # by shape and index: ways of basic ones, plans of arrays
MOST_ROWS, MOST_WAYS, MOST_PLACES = 1 << 14, 1 << 12, 128


class _Rows(dict):
    """Integer -> its way, for tensors of a shape; all plans are rows of one array."""
    __slots__ = ("shape", "params", "addresses")

    def __init__(self, shape):
        size = size_of(shape[1:])
        self.shape = shape
        self.params = np.array([1, size, 1, 0, 1]) + np.arange(shape[0])[:, None] * np.array([0, 0, 0, size, 0])
        self.addresses = address_of(self.params) + self.params.strides[0] * np.arange(shape[0])

    def __missing__(self, i):
        n = self.shape[0]
        k = i + n if i < 0 else i
        if not 0 <= k < n:
            raise IndexError(f"index {i} is out of bounds for axis 0 with size {n}")
        plan = Plan(self.params[k], self.shape[1:], "Select", self.shape, int(self.addresses[k]))
        way = self[i] = way_of(self.shape, _index_step((i,)), plan)
        return way


    def each(self, x):
        """All rows of a tensor, a tuple: records that are written at once, where they find room."""
        ways = [self[i] for i in range(self.shape[0])]
        tape, count = x._tape, len(ways)
        if not tape.words or tape.n + count + 8 > tape.capacity or tape.rows + 2 * count + 8 > tape.row_capacity:
            return tuple([along(x, way) for way in ways])
        rows, number = tape.buffers.rows, tape.size_id(size_of(self.shape[1:]))
        row = tape.rows
        tape.rows = stop = row + 2 * count
        rows[row:stop:2], rows[row + 1:stop:2] = number, self.addresses
        tape.plans.update(zip(range(row, stop, 2), [way[1] for way in ways]))
        return tuple([along(x, way, r) for r, way in zip(range(row, stop, 2), ways)])


def _rows_of(shape):
    rows = _rows.get(shape)
    if rows is None:
        if sum([r.shape[0] for r in _rows.values()]) + shape[0] > 4 * MOST_ROWS:
            _rows.clear()
        rows = _rows[shape] = _Rows(shape)
    return rows


def _index_key(shape, index):
    """What an index of slices, integers, None, ... and short arrays is found by; None for others."""
    kind = type(index)
    if kind is int:
        return shape, index
    array = index._own if kind is Tensor else index
    if type(array) is np.ndarray:
        return (shape, array.shape, array.dtype.char, array.tobytes()) if array.size <= MOST_PLACES else None
    if kind is not tuple:
        part = _part_key(index)
        return None if part is None else (shape, part)
    key = [shape]
    for part in index:
        if type(part) is int or part is None or part is Ellipsis:
            key.append(part)
        else:
            part = _part_key(part)
            if part is None:
                return None
            key.append(part)
    return tuple(key)


def _part_key(part):
    """The contents of a slice or a short array, with its type where equal contents could mean something else."""
    kind = type(part)
    if kind is slice:
        return _bounds(part)
    if kind is list:
        return (*part, "list") if len(part) <= MOST_PLACES and {*map(type, part)} == {int} else None
    array = part._own if kind is Tensor else part
    if type(array) is np.ndarray and array.size <= MOST_PLACES:
        return array.shape, array.dtype.char, array.tobytes()
    return None


def _bounds(part):
    """A slice as a tuple, which has a hash."""
    start, stop, step = part.start, part.stop, part.step
    if ((start is None or type(start) is int) and (stop is None or type(stop) is int)
            and (step is None or type(step) is int)):
        return start, stop, step
    return None


def getitem(x, index):
    """``x[index]``: a view for integers, slices, None and ...; for arrays of integers or bools a copy."""
    shape = x._shape
    if type(index) is int and shape and shape[0] <= MOST_ROWS:
        return along(x, _rows_of(shape)[index])
    key = _index_key(shape, index)
    found = None if key is None else _ways.get(key)
    if found is not None:
        if type(found) is tuple:
            return along(x, found)
        if x._tape.words or recording(x):
            return record_planned(TAKE, x, found)
    index, basic = normal_index(index)
    if basic:
        way = _basic_way(shape, index)
        if key is not None:
            _keep(key, way)
        return along(x, way)
    if not recording(x):
        return wrap(np.asarray(x._array()[index]))
    places = np.arange(size_of(shape)).reshape(shape)[index]
    plan = places_plan(places, shape, "Index")
    if key is not None and plan.size <= MOST_PLACES:
        _keep(key, plan)
    return record_planned(TAKE, x, plan)


def is_at(x, index):
    """Whether a view that is up to date was taken from its base by this index, as far as that can be told soon."""
    base = x._base
    if len(x._recipe) != 1 or x._seen != writes(base):
        return False
    shape = base._shape
    if type(index) is int and shape and shape[0] <= MOST_ROWS:
        way = _rows_of(shape)[index]
    else:
        key = _index_key(shape, index)
        way = None if key is None else _ways.get(key)
    return type(way) is tuple and way[0] is x._recipe[0]


def _basic_way(shape, index):
    step = _index_step(index)
    if len(index) == len(shape) and all([type(i) is int for i in index]):
        offset = 0
        for a, (i, n) in enumerate(zip(index, shape)):
            if not -n <= i < n:
                raise IndexError(f"index {i} is out of bounds for axis {a} with size {n}")
            offset = offset * n + i % n
        return way_of(shape, step, Plan([1, 1, 1, offset, 1], (), "Select", shape))
    return way_of(shape, step)


def _keep(key, found):
    if len(_ways) >= MOST_WAYS:
        _ways.clear()
    _ways[key] = found


def take_along(x, indices, axis, label="Gather", keep=True):
    """The elements that an array of indices picks along an axis; as ``np.take_along_axis``. Unless `keep`, without that axis,
    along which there is one index then. Of a number a copy."""
    if not x._shape:
        return apply(CLONE, x)
    if not recording(x):
        values = np.take_along_axis(x._array(), indices, axis)
        return wrap(values if keep else values.squeeze(axis))
    if len(x._shape) == 1:
        places = np.asarray(indices)
    else:
        places = np.take_along_axis(np.arange(size_of(x._shape)).reshape(x._shape), indices, axis)
    return record_planned(TAKE, x, places_plan(places if keep else places.squeeze(axis), x._shape, label))


def assignment(x, places, values, flags=0, label="CopySlices"):
    """Records `x` with its flat `places` (an array) taken from `values`; repeated places get the last one."""
    values = as_tensor_operand(values, "assignment")
    plan = _plan_of_assignment(x._shape, places, values._shape, label)
    return record_many(ASSIGN, (x, values), plan, x.dtype, flags)


def _plan_of_assignment(shape, places, given, label="CopySlices"):
    """Into places of a tensor of a shape, from values of the shape `given`."""
    taken = np.arange(size_of(given)).reshape(given)
    if given != places.shape:
        fitted = given
        while len(fitted) > places.ndim and fitted[0] == 1:
            fitted = fitted[1:]
        if broadcast(fitted, places.shape) != places.shape:
            raise ValueError(f"values of shape {given} don't fit into a place of shape {places.shape}")
        taken = np.broadcast_to(taken.reshape(fitted), places.shape)
    source = np.full(size_of(shape), -1, np.int64)
    source[places.reshape(-1)] = taken.reshape(-1)
    return assignment_plan(source, shape, label, given)


_assignments: dict = {}                      # by shape and index, and the shape of the values: plans
MOST_ASSIGNED = 1024                         # elements of tensors whose plans are kept


def assignment_at(shape, index, given):
    """The plan of ``x[index] = values`` for tensors of a shape and values of the shape `given`."""
    key = _index_key(shape, index)
    plan = None if key is None else _assignments.get((key, given))
    if plan is None:
        places = np.asarray(np.arange(size_of(shape)).reshape(shape)[normal_index(index)[0]])
        plan = _plan_of_assignment(shape, places, given)
        if key is not None and plan.size <= MOST_ASSIGNED:
            if len(_assignments) >= MOST_ASSIGNED:
                _assignments.clear()
            _assignments[key, given] = plan
    return plan


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
    if not axis and len(x) <= MOST_ROWS:
        return _rows_of(x._shape).each(x)
    return tuple([getitem(x, (slice(None),) * axis + (i,)) for i in range(x._shape[axis])])
