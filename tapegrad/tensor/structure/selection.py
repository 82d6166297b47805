"""Elements picked by index arrays and masks, and put, added or filled at such places.

Indices are checked by NumPy before anything is recorded: what a kernel is given are places inside of the tensor. The functions
leave their operands alone; their twins with an underscore, which write into the tensor, are in ``inplace``.
"""

import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, Tensor, record_planned, wrap
from ..elementwise import apply, broadcast, size_of
from ..plans import kept_places_plan, places_plan
from ..registry import public
from .arguments import as_tensor_operand, index_array, integer, normalize_axis, one_name, recording, within
from .indexing import MOST_PLACES, assigned, getitem
from .joining import concatenate, stack
from .reductions import amax, amin
from .views import broadcast_tensors, reshape


def _places(x):
    """The places of the elements of `x` in its flat memory."""
    return np.arange(size_of(x._shape)).reshape(x._shape)


def picked(x, places, label):
    """The elements at an array of places."""
    if not recording(x):
        return wrap(x._array().reshape(-1)[places])
    return record_planned(BY_NAME["take"], x, places_plan(places, x._shape, label))


def chosen(x, find, index, how, label):
    """The elements whose places ``find(places of x)`` gives; it depends on an index array, and on what `how` says."""
    if not recording(x):
        return wrap(x._array().reshape(-1)[find(_places(x))])
    return record_planned(BY_NAME["take"], x, _plan(x, find, index, how, label))


def _plan(x, find, index, how, label):
    """The plan of reading places that depend on an index array; that of a short one is kept."""
    if index.size > MOST_PLACES:
        return places_plan(find(_places(x)), x._shape, label)
    return kept_places_plan(x._shape, find, (how, index.shape, index.tobytes()), label)


def _read_by(plan):
    """The places that a plan reads."""
    return plan.params[1:].reshape(plan.shape)


def added(x, plan, source):
    """`x` with a source added at the places that a plan reads, of their shape."""
    places, source = _read_by(plan), fitting(source, x, plan.label)
    if not recording(x, source):
        out = x._array().copy(order="C")
        np.add.at(out.reshape(-1), places.reshape(-1), np.broadcast_to(source._array(), places.shape).reshape(-1))
        return wrap(out)
    if source._shape != places.shape:
        source = broadcast_tensors(source, wrap(places))[0]
    if not recording(source):
        out = np.zeros(x._shape, x.dtype)
        np.add.at(out.reshape(-1), places.reshape(-1), source._array().reshape(-1))
        return apply(BY_NAME["add"], x, wrap(out))
    return apply(BY_NAME["add"], x, record_planned(BY_NAME["add_at"], source, plan.adjoint()))


def fitting(source, x, name):
    """A source in the dtype of the tensor that it goes into. TypeError where that would lose something."""
    source = as_tensor_operand(source, name)
    if source.dtype != x.dtype:
        if not np.can_cast(source.dtype, x.dtype, "same_kind") and not (source.dtype.kind in "iu" and x.dtype.kind in "iu"):
            raise TypeError(f"{name}: values of {source.dtype} can't go into a tensor of {x.dtype}; convert the tensor first, "
                            "with .double() or .to()")
        source = source.to(x.dtype)
    return source


# Picking --------------------------------------------------------------------------------------------------------------

@public()
def take(x, indices, axis=None, *, dim=None, mode="raise"):
    """The elements at indices of the flat tensor, or the slices along an axis, in the shape of the indices; as ``np.take``, with
    its modes 'raise', 'wrap' and 'clip' for indices outside."""
    x = as_tensor_operand(x, "take")
    indices, axis = index_array(indices, "take"), one_name(axis, dim, ("axis", "dim"))
    axis = None if axis is None else normalize_axis(axis, len(x._shape))
    return chosen(x, lambda places: np.asarray(np.take(places, indices, axis, mode=mode)), indices, (axis, mode), "Take")


@public()
def index_select(x, dim, index):
    """The slices along an axis at the indices of a vector. A copy."""
    x = as_tensor_operand(x, "index_select")
    axis, index = normalize_axis(dim, len(x._shape)), _vector(index, "index_select")
    if not x._shape:
        return reshape(picked(reshape(x, 1), within(index, 1, 0, "index_select"), "IndexSelect"), ())
    size = x._shape[axis]

    def find(places):
        return np.take(places, within(index, size, axis, "index_select"), axis)
    return chosen(x, find, index, axis, "IndexSelect")


def _vector(index, name):
    index = index_array(index, name)
    if index.ndim > 1:
        raise IndexError(f"{name} takes indices along one axis, a vector, not of shape {index.shape}")
    return index.reshape(-1)


@public()
def take_along_axis(x, indices, axis=-1):
    """The elements that an array of indices picks along an axis, the other axes broadcast; None: in the flat tensor."""
    x, indices = as_tensor_operand(x, "take_along_axis"), index_array(indices, "take_along_axis")
    if axis is None:
        return picked(x, np.take_along_axis(_places(x), indices.reshape(-1), None), "Gather")
    axis = normalize_axis(axis, len(x._shape))
    return chosen(x, lambda places: np.take_along_axis(places, indices, axis), indices, axis, "Gather")


@public()
def take_along_dim(x, indices, dim=None):
    """As take_along_axis; by default in the flat tensor."""
    return take_along_axis(x, indices, dim)


def _places_along(places, axis, index, name):
    """The places that an index array picks which but for that axis is no longer."""
    shape = places.shape or (1,)
    if not places.ndim and index.ndim < 2:
        index = index.reshape(-1)
    if index.ndim != len(shape) or any(n > m for a, (n, m) in enumerate(zip(index.shape, shape)) if a != axis):
        raise ValueError(f"{name} along axis {axis} of shape {places.shape} takes indices of as many axes, which but for that "
                         f"are no longer, not of shape {index.shape}")
    index = within(index, shape[axis], axis, name)
    mesh = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    mesh[axis] = index
    return places.reshape(shape)[tuple(mesh)]


@public()
def gather(x, dim, index):
    """``z[i][j] = x[index[i][j]][j]`` for axis 0, and so on: elements picked along an axis, in the shape of the indices."""
    x = as_tensor_operand(x, "gather")
    axis, index = normalize_axis(dim, len(x._shape)), index_array(index, "gather")
    return chosen(x, lambda places: _places_along(places, axis, index, "gather").reshape(index.shape), index, (axis, "each"),
                  "Gather")


@public()
def masked_select(x, mask):
    """The elements where a mask is true, after both are broadcast: a vector."""
    x, mask = broadcast_tensors(x, _mask(mask, "masked_select"))
    return picked(x, np.flatnonzero(mask._array()), "MaskedSelect")


def _mask(mask, name):
    mask = as_tensor_operand(mask, name)
    if mask.dtype != bool:
        raise TypeError(f"{name} takes a mask of bools, not of {mask.dtype}; compare with 0, or use .bool()")
    return mask


@public(method=False)
def compress(condition, x, axis=None):
    """The elements, or slices along an axis, where a vector of conditions is true."""
    x, condition = as_tensor_operand(x, "compress"), as_tensor_operand(condition, "compress")._array() != 0
    return picked(x, np.compress(condition, _places(x), axis if axis is None else normalize_axis(axis, len(x._shape))), "Index")


@public(method=False)
def extract(condition, x):
    """The elements where a condition of the same size is true, a vector."""
    x, condition = as_tensor_operand(x, "extract"), as_tensor_operand(condition, "extract")._array() != 0
    return picked(x, np.extract(condition, _places(x)), "Index")


@public()
def select(x, dim, index=None, *, axis=None, default=0):
    """``select(x, dim, index)``: the slice of a tensor at an index along an axis, a view, as PyTorch. ``select(conditions,
    choices, default)``, lists: of each place's choices the one whose condition is the first to hold, as ``np.select``."""
    if isinstance(x, (list, tuple)):
        return numpy_select(x, dim, default if index is None else index)
    x = as_tensor_operand(x, "select")
    axis = normalize_axis(dim, len(x._shape))
    if not x._shape:
        raise IndexError("select takes a tensor with axes, and this one has none")
    return getitem(x, (slice(None),) * axis + (integer(index, "select"),))


@public(function=False, method=False, numpy=np.select)
def numpy_select(condlist, choicelist, default=0):
    """As ``np.select``."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(f"select takes as many choices as conditions, at least one, not {len(choicelist)} and {len(condlist)}")
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = apply(BY_NAME["where"], _mask(condition, "select"), choice, result)
    return result


@public()
def choose(x, choices, mode="raise"):
    """``choices[x[i]][i]`` at each place, choices and indices broadcast; as ``np.choose``."""
    index, *choices = broadcast_tensors(wrap(index_array(x, "choose")), *choices)
    stacked, index = stack([c if c.dtype in FLOATS else c.double() for c in choices]
                           if any(c.dtype in FLOATS for c in choices) else choices), index._array()
    picks = np.take(np.arange(len(choices)), index, mode=mode)
    size = size_of(index.shape)
    return picked(stacked, picks * size + np.arange(size).reshape(index.shape), "Index")


# Filling and putting -----------------------------------------------------------------------------------------------------

@public()
def masked_fill(x, mask, value):
    """`value`, a number or a tensor without axes, where a mask is true, `x` elsewhere; shapes broadcast."""
    x, mask = as_tensor_operand(x, "masked_fill"), _mask(mask, "masked_fill")
    if type(value) not in (int, float) or x.dtype not in FLOATS:
        value = _scalar(value, x, "masked_fill")
    return apply(BY_NAME["where"], mask, value, x)


def _scalar(value, x, name):
    value = fitting(value, x, name)
    if size_of(value._shape) != 1:
        raise ValueError(f"{name} takes one value, a number or a tensor without axes, not one of shape {value._shape}")
    return reshape(value, ())


@public()
def masked_scatter(x, mask, source):
    """The elements of `source`, in their order, where a mask is true, `x` elsewhere."""
    x, mask = broadcast_tensors(x, _mask(mask, "masked_scatter"))
    places, source = np.flatnonzero(mask._array()), as_tensor_operand(source, "masked_scatter")
    if size_of(source._shape) < places.size:
        raise ValueError(f"masked_scatter: {places.size} elements are masked, and the source has {size_of(source._shape)}")
    return assigned(x, places, fitting(reshape(source, -1)[:places.size], x, "masked_scatter"), "MaskedScatter")


def _slices(x, dim, index, name, label):
    """The plan of reading the slices at the indices of a vector."""
    axis, index = normalize_axis(dim, len(x._shape)), _vector(index, name)

    def find(places):
        places = places.reshape(x._shape or (1,))
        return np.take(places, within(index, places.shape[axis], axis, name), axis)
    return _plan(x, find, index, (axis, "slices"), label)


def _source(source, places, x, name):
    source = fitting(source, x, name)
    if source._shape != places.shape and not (not x._shape and size_of(source._shape) == places.size):
        raise ValueError(f"{name} takes a source of shape {places.shape}, that of the places, not {source._shape}")
    return source if source._shape == places.shape else reshape(source, *places.shape)


@public()
def index_fill(x, dim, index, value):
    """`value` in the slices along an axis at the indices of a vector."""
    x = as_tensor_operand(x, "index_fill")
    places = _read_by(_slices(x, dim, index, "index_fill", "IndexFill"))
    return assigned(x, places, _scalar(value, x, "index_fill"), "IndexFill")


@public()
def index_copy(x, dim, index, source):
    """The slices of `source` in place of those along an axis at the indices of a vector; of repeated ones the last counts."""
    x = as_tensor_operand(x, "index_copy")
    places = _read_by(_slices(x, dim, index, "index_copy", "IndexCopy"))
    return assigned(x, places, _source(source, places, x, "index_copy"), "IndexCopy")


@public()
def index_add(x, dim, index, source, *, alpha=1):
    """alpha times the slices of `source` added to those along an axis at the indices of a vector, all of repeated ones."""
    x = as_tensor_operand(x, "index_add")
    plan = _slices(x, dim, index, "index_add", "IndexAdd")
    source = _source(source, _read_by(plan), x, "index_add")
    return added(x, plan, source if alpha == 1 else source * alpha)


@public()
def index_put(x, indices, values, accumulate=False):
    """`values` at ``x[indices]``, a tuple of index arrays; with `accumulate`, added."""
    x = as_tensor_operand(x, "index_put")
    places = _places(x)[tuple(i._array() if isinstance(i, Tensor) else i for i in indices)]
    values = fitting(values, x, "index_put")
    if broadcast(values._shape, places.shape) != places.shape:
        raise ValueError(f"values of shape {values._shape} don't fit into a place of shape {places.shape}")
    if accumulate:
        return added(x, places_plan(np.asarray(places), x._shape, "IndexPut"), values)
    return assigned(x, places, values, "IndexPut")


@public()
def put(x, index, source, accumulate=False):
    """The elements of `source` at places of the flat tensor; with `accumulate`, added. ``np.put`` writes into its tensor."""
    x, index = as_tensor_operand(x, "put"), index_array(index, "put")
    places, source = within(index, size_of(x._shape), "of the flat tensor", "put"), fitting(source, x, "put")
    if size_of(source._shape) != places.size:
        raise ValueError(f"put: {places.size} places and {size_of(source._shape)} values; give as many")
    source = reshape(source, *places.shape)
    return added(x, places_plan(places, x._shape, "Put"), source) if accumulate else assigned(x, places, source, "Put")


# Scattering --------------------------------------------------------------------------------------------------------------

def _scattered(x, dim, index, source, name, label="Scatter"):
    """The plan of reading the places of a scatter, and as much of the source."""
    axis, index = normalize_axis(dim, len(x._shape)), index_array(index, name)
    plan = _plan(x, lambda places: _places_along(places, axis, index, name), index, (axis, "each"), label)
    places, source = _read_by(plan), fitting(source, x, name)
    if source._shape:
        if len(source._shape) != places.ndim or any(n > m for n, m in zip(places.shape, source._shape)):
            raise ValueError(f"{name} takes a source of at least the shape of the indices, {places.shape}, not {source._shape}")
        if source._shape != places.shape:
            source = getitem(source, tuple(slice(n) for n in places.shape))
    return plan, source


@public()
def scatter(x, dim, index, src=None, *, value=None, reduce=None):
    """``z[index[i][j]][j] = src[i][j]`` for axis 0, and so on: the opposite of gather. `src` may be a number.

    Of repeated places the last one counts. `reduce`: 'add' or 'multiply' with what is there, repeated places all of them.
    """
    x, source = as_tensor_operand(x, "scatter"), one_name(src, value, ("src", "value"))
    if source is None:
        raise TypeError("scatter needs src, a tensor or number to put at the places")
    if reduce == "add":
        return scatter_add(x, dim, index, source)
    plan, source = _scattered(x, dim, index, source, "scatter")
    places = _read_by(plan)
    if reduce == "multiply":
        return _combined(x, places, source, lambda old, new: apply(BY_NAME["multiply"], old, new))
    if reduce is not None:
        raise ValueError(f"scatter reduces by 'add' or 'multiply', not {reduce!r}; scatter_reduce has more")
    return assigned(x, places, source, "Scatter")


@public()
def scatter_add(x, dim, index, src):
    """``z[index[i][j]][j] += src[i][j]`` for axis 0, and so on; repeated places all of them."""
    x = as_tensor_operand(x, "scatter_add")
    return added(x, *_scattered(x, dim, index, src, "scatter_add", "ScatterAdd"))


def _rounds(places):
    """Which of the flat places to take at a time, so that none are equal: a list of index arrays."""
    order = np.argsort(places, kind="stable")
    in_order = places[order]
    starts = np.flatnonzero(np.concatenate(([True], in_order[1:] != in_order[:-1])))
    turn = np.arange(places.size) - np.repeat(starts, np.diff(np.concatenate((starts, [places.size]))))
    return [order[turn == t] for t in range(turn.max() + 1)]


def _combined(x, places, source, rule):
    """`x` with ``rule(what is there, source)`` at places, of repeated ones one after the other."""
    source = reshape(broadcast_tensors(source, wrap(places))[0], -1)
    flat = places.reshape(-1)
    for turn in _rounds(flat) if flat.size else ():
        x = assigned(x, flat[turn], rule(picked(x, flat[turn], "Gather"), picked(source, turn, "Index")), "Scatter")
    return x


def _extremes(x, places, source, reduce, include_self):
    """`x` with the largest or smallest of the source's elements for each place, and with `include_self` of what is there.

    All candidates of a place are compared at once, so that equal ones share the derivative evenly: places with equally many
    make a matrix. Which go where depends on places alone, so that it can be replayed.
    """
    flat = places.reshape(-1)
    if not flat.size:
        return x
    source = reshape(broadcast_tensors(source, wrap(places))[0], -1)
    order = np.argsort(flat, kind="stable")
    targets, starts, counts = np.unique(flat[order], return_index=True, return_counts=True)
    found, at = [], []
    for count in np.unique(counts):
        chosen = counts == count
        candidates = picked(source, order[starts[chosen, None] + np.arange(count)], "Index")
        if include_self:
            candidates = concatenate((picked(x, targets[chosen, None], "Gather"), candidates), 1)
        found.append(reduce(candidates, 1))
        at.append(targets[chosen])
    return assigned(x, np.concatenate(at), concatenate(found), "Scatter")


_REDUCTIONS = ("sum", "prod", "amax", "amin", "mean")


@public()
def scatter_reduce(x, dim, index, src, reduce, *, include_self=True):
    """What is at places along an axis together with what `src` has for them: reduced by 'sum', 'prod', 'mean', 'amax' or 'amin'.

    Equal extrema share the derivative evenly. ``include_self=False`` leaves out what is there before.
    """
    x = as_tensor_operand(x, "scatter_reduce")
    if reduce not in _REDUCTIONS:
        raise ValueError(f"scatter_reduce reduces by {', '.join(_REDUCTIONS)}, not {reduce!r}")
    plan, source = _scattered(x, dim, index, src, "scatter_reduce", "ScatterReduce")
    places = _read_by(plan)
    if reduce in ("amax", "amin"):
        return _extremes(x, places, source, amax if reduce == "amax" else amin, include_self)
    if not include_self:
        x = assigned(x, places, wrap(np.asarray(reduce == "prod", x.dtype)), "Scatter")
    if reduce in ("sum", "mean"):
        z = added(x, plan, source)
    else:
        z = _combined(x, places, source, lambda old, new: apply(BY_NAME["multiply"], old, new))
    if reduce == "mean":
        counts = np.bincount(places.reshape(-1), minlength=size_of(x._shape)).reshape(x._shape)
        counts = np.maximum(counts + include_self, 1)
        if x.dtype not in FLOATS:
            return wrap(z._array() // counts)
        z = z / wrap(counts.astype(x.dtype))
    return z


@public()
def slice_scatter(x, src, dim=0, start=None, end=None, step=1):
    """`x` with ``x[start:end:step]`` along an axis taken from `src`."""
    x = as_tensor_operand(x, "slice_scatter")
    index = (slice(None),) * normalize_axis(dim, len(x._shape)) + (slice(start, end, step),)
    places = _places(x)[index]
    return assigned(x, places, _source(src, places, x, "slice_scatter"), "SliceScatter")


@public()
def select_scatter(x, src, dim, index):
    """`x` with the slice at an index along an axis taken from `src`."""
    x = as_tensor_operand(x, "select_scatter")
    places = np.asarray(_places(x)[(slice(None),) * normalize_axis(dim, len(x._shape)) + (integer(index, "select_scatter"),)])
    return assigned(x, places, _source(src, places, x, "select_scatter"), "SelectScatter")


@public()
def diagonal_scatter(x, src, offset=0, dim1=0, dim2=1):
    """`x` with a diagonal taken from `src`."""
    x = as_tensor_operand(x, "diagonal_scatter")
    places = np.diagonal(_places(x), offset, dim1, dim2)
    return assigned(x, places, _source(src, places, x, "diagonal_scatter"), "DiagonalScatter")


def diagonal_places(shape, wrap_around=False):
    """The places of the main diagonal of a matrix, or of the cube that all axes of one length are."""
    if len(shape) < 2 or (len(shape) > 2 and len({*shape}) > 1):
        raise ValueError(f"a diagonal is filled in a matrix, or where all axes have one length, and the shape is {shape}")
    places = np.arange(size_of(shape)).reshape(shape)
    step = sum(np.cumprod((1, *shape[:0:-1])).tolist())
    end = None if wrap_around or len(shape) > 2 or shape[0] <= shape[1] else shape[1] * shape[1]
    return places.reshape(-1)[:end:step]
