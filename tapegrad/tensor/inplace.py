"""Writing into a tensor: in-place operations, assignment, and what views and detached tensors see of it.

Where a derivative is wanted, nothing is overwritten: the tensor moves to a new record, its base (if it is a view) to a
record of the base with that part replaced, and other views are made anew when they are next used. The record that it
left counts as overwritten, and a backward that would need its value is refused, as in PyTorch. Without a derivative the
memory is written.
"""
import functools

import numpy as np

from ..ops import BY_NAME
from ..sweeps import IN_PLACE
from ..tape import REPLACED, settle, state
from . import core, structure, taken
from .core import (
    FLOATS,
    WRITTEN,
    Tensor,
    bump,
    compute,
    float64,
    has_other_views,
    home_of,
    mark_aliased,
    move,
    refresh,
    root_of,
    tracked,
    version,
    wrap,
    writes,
)
from .elementwise import apply, broadcast, in_place, operand, plain_arrays, size_of
from .structure import (
    ASSIGN,
    as_tensor_operand,
    assignment,
    assignment_at,
    broadcast_to,
    is_at,
    is_contiguous,
    laid_out,
    normal_index,
)


def check_writable(x, name):
    """RuntimeError for a leaf that requires grad while operations are recorded, or a view of one."""
    root, here = root_of(x), state()
    if here.enabled and root._own is not None and root._requires:
        which = "a leaf" if root is x else "a view of a leaf"
        advice = "do it under no_grad(), or on a copy: x = x.clone()"
        if here.tracing:                     # what a transform differentiates by; under no_grad(), the write would be left out
            advice = "write into a copy: x = x.clone(), or x = x * 1.0 if it may be an array"
        raise RuntimeError(f"{name} writes into {which} that requires grad, whose gradient would be lost; {advice}")
    if core.inference_used and root._inference and not here.inference:
        raise RuntimeError(f"{name} writes into a tensor that was made in inference_mode, and this is outside of it; "
                           "clone() it first")


def check_distinct(x, name):
    """RuntimeError for an expanded tensor, or windows that overlap, where what an element becomes would depend on the order."""
    if not is_contiguous(x) and _overlaps(x):
        raise RuntimeError(f"{name} writes into an expanded tensor, or into windows that overlap, of whose elements several are "
                           "one place in memory; clone() it first")


def _overlaps(x):
    memory = laid_out(x)
    if any(n > 1 and stride == 0 for n, stride in zip(x._shape, memory.strides)):
        return True
    if all(step.label != "Unfold" for step in x._recipe):
        return False
    offsets = sum(stride * i for stride, i in zip(memory.strides, np.indices(memory.shape, sparse=True)))
    return np.unique(offsets).size < memory.size


def check_cast(given, dtype, name):
    """TypeError where a value of one dtype would lose more than digits in a tensor of another."""
    if not np.can_cast(given, dtype, "same_kind"):
        raise TypeError(f"{name} gives {given}, which can't be written into a tensor of {dtype}; convert the tensor first, with "
                        ".double() or .to()")


def recorded(x, *others):
    """Whether writing into `x` something that is made of others is part of a graph."""
    return state().enabled and x.dtype in FLOATS and any([tracked(y) for y in (x, *others) if isinstance(y, Tensor)])


def replace(x: Tensor, rule, name):
    """Gives `x` the value ``rule(x)``, recorded."""
    check_writable(x, name)
    refresh(x)
    root = root_of(x)
    if root is not x:
        taken.warn_of_assignment(x)
    old = x
    if root is not x and x._own is None and x._tape.hooks and x._index in x._tape.hooks:
        old = structure.view_steps(root, x._recipe)      # the gradient of the write goes to the base, past the hooks on the view
    before = [(y._tape, y._index) for y in dict.fromkeys((old, x)) if y._own is None]
    storage = root._storage
    shared = (root is not x) if root._own is not None else has_other_views(root, x)
    if storage is not None:                  # the memory that the old value is read from will be written
        new = rule(apply(BY_NAME["clone"], old) if tracked(old) else wrap(old._array().copy()))
    elif tracked(old):
        new = rule(old)
    else:
        new = rule(wrap(old._array()))       # which stays at its version, while x goes on to the next one
    if new._shape != x._shape:
        raise ValueError(f"{name} would give shape {new._shape}, and the tensor that it writes has shape {x._shape}")
    if new.dtype != x.dtype:
        from .conversion import to
        if tracked(old):                     # what the operation reads is a copy of the old value in the other dtype
            new = rule(apply(BY_NAME["clone"], old))
        new = to(new, x.dtype)
    next_version = version(root) + 1
    for left in before:
        _overwrite(*left, new, next_version)
    if root is x:
        fresh = new
    else:
        places = np.arange(size_of(root._shape)).reshape(root._shape)
        for step in x._recipe:
            places = step.function(places)
        left = (root._tape, root._index) if root._own is None else None
        fresh = assignment(root, places, new)
        if left is not None:
            _overwrite(*left, fresh, next_version)
    memory = root._own
    move(root, fresh)
    bump(root)
    if storage is not None:
        settle()
        memory = home_of(root) if memory is None else memory
        memory[...] = fresh._tape.value(fresh._index).reshape(root._shape)
        mark_aliased(root)
        if storage.home is None:
            storage.home = memory
        elif storage.home is not memory:     # a part of it, or all of it as another array
            root._home = memory
    if shared or storage is not None:
        root._tape.close()                   # views of it go the slow way from here, and see that they are old
    if root is not x:
        x._seen = WRITTEN
        if root._tape.is_open:               # where a view that is old would not be seen to be
            refresh(x)
    return x


def _overwrite(tape, index, new, number):
    """Notes that a record was replaced by `new`, which alone may still read its value, at version `number`."""
    tape.suspect = REPLACED
    if new._tape is tape and tape.left[new._index] == index:
        tape.all_words[new._index] |= IN_PLACE
        return
    note_overwritten(tape, index, number)
    entry = new._tape.links.get((tape.serial, index)) if new._tape is not tape else None
    if entry and new._tape.left[new._index] == entry[-1][0]:
        new._tape.all_words[new._index] |= IN_PLACE
        new._tape.suspect = REPLACED


def note_overwritten(tape, index, number):
    if tape.overwritten is None:
        tape.overwritten = {}
    tape.overwritten[index] = number


def write(x: Tensor, put, name):
    """Lets ``put(memory)`` write into the memory of `x`, without recording."""
    check_writable(x, name)
    settle()
    root = root_of(x)
    memory = root._array()
    for step in x._recipe:
        memory = step.function(memory)
    if x._base is None and x._own is not None:
        memory = x._own
    put(memory)
    settle()                                 # what it reads may be a view of this memory, which was on no open tape
    bump(root)
    if root._own is None:
        note_overwritten(root._tape, root._index, version(root))
        root._tape.suspect = REPLACED
        if root._tape.recorder is not None:
            root._tape.recorder.refuse(f"{name} writes in place into what it computed, and is not recorded")
    return x


def update(op, x, *others):
    """``x = op(x, *others)`` in place, for an elementwise row."""
    arrays = plain_arrays(op, (x, *others))
    if arrays is not None and arrays[0] is x._own and x._storage is None and x._own.flags.writeable:
        settle()
        value = compute(op, *arrays)
        if value.dtype == float64:
            x._own[...] = value
            x._edits = x._edits + 1
            return x
    name = op.name + "_"
    others = [operand(y, name) for y in others]
    check_distinct(x, name)
    if recorded(x, *others):
        return replace(x, lambda old: apply(op, old, *others), name)
    arrays = [y._array() if isinstance(y, Tensor) else y for y in others]
    for a in arrays:
        if isinstance(a, np.ndarray) and broadcast(a.shape, x._shape) != x._shape:
            raise ValueError(f"{name} with a tensor of shape {a.shape} would change the shape {x._shape} of the tensor "
                             "that it writes")

    def put(memory):
        value = compute(op, memory, *arrays)
        check_cast(value.dtype, memory.dtype, name)
        memory[...] = value
    return write(x, put, name)


def writing(function):
    """The method that writes what a function of the tensor, and others, gives, into the tensor."""
    name = function.__name__ + "_"

    def method(x, *arguments, **keywords):
        check_distinct(x, name)
        if recorded(x, *arguments):
            return replace(x, lambda old: function(old, *arguments, **keywords), name)
        value = function(x, *arguments, **keywords)
        if value._shape != x._shape:
            raise ValueError(f"{name} would give shape {value._shape}, and the tensor that it writes has shape {x._shape}")
        return write(x, lambda memory: np.copyto(memory, value._array(), casting="same_kind"), name)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As {function.__name__}, written into the tensor."
    return method


@functools.cache
def method(name):
    """The method that writes the result of an elementwise row into its first operand."""
    op = BY_NAME[name]
    if op.arity == 2:
        made = in_place(op, functools.partial(update, op))
    else:
        def made(x, *operands):
            if len(operands) != op.arity - 1:
                raise TypeError(f"{op.name}_ takes {op.arity - 1} operands besides the tensor, not {len(operands)}")
            return update(op, x, *operands)
        made.__name__ = made.__qualname__ = op.name + "_"
    made.__doc__ = f"As {op.name}, written into the tensor."
    return made


def map_(x, function, name, *others):
    """``x = function(x)`` in place, for what is made of several operations; `others` are what else the function takes."""
    check_distinct(x, name)
    if recorded(x, *others):
        return replace(x, function, name)

    def put(memory):
        value = function(wrap(memory.copy()))._array()
        check_cast(value.dtype, memory.dtype, name)
        memory[...] = value
    return write(x, put, name)


def copy_(x, source, non_blocking=False):
    """Writes the values of `source`, which is broadcast, into `x`; gradients go to `source`."""
    source = as_tensor_operand(source, "copy_")
    if broadcast(source._shape, x._shape) != x._shape:
        raise ValueError(f"copy_ from shape {source._shape} into shape {x._shape}: the source doesn't broadcast to it")
    if size_of(source._shape) != 1:
        check_distinct(x, "copy_")
    return overwrite(x, source, "copy_", "Copy")


def overwrite(x, source, name, label):
    """Writes the values of `source`, whose shape broadcasts, into `x`; `label` names the record, where there is one."""
    if recorded(x, source):
        return replace(x, lambda old: _copied(old, source, label), name)
    return write(x, lambda memory: np.copyto(memory, source._array(), casting="unsafe"), name)


def _copied(old, source, label):
    """`source`, as a new value for `old`: of that nothing is left, but it stays part of its graph, with zeros as
    gradient."""
    if tracked(old):
        return assignment(old, np.arange(size_of(old._shape)).reshape(old._shape), source, label=label)
    if source._shape != old._shape:
        source = broadcast_to(source, old._shape)
    return apply(BY_NAME["clone"], source)


def fill_(x, value):
    """Sets every element to `value`, a number or a tensor without axes."""
    value = operand(value, "fill_")
    if isinstance(value, Tensor) and value._shape:
        raise ValueError(f"fill_ takes a number or a tensor without axes, and this one's shape is {value._shape}")
    if isinstance(value, Tensor):
        return copy_(x, value)
    if recorded(x):
        return replace(x, lambda old: _copied(old, wrap(np.asarray(value)), "Fill"), "fill_")
    return write(x, lambda memory: memory.fill(value), "fill_")


def zero_(x):
    """Sets every element to 0."""
    return fill_(x, 0)


def setitem(x, index, values):
    """``x[index] = values``: values are broadcast; of repeated places in an array of indices the last one counts."""
    if x._base is not None and not is_contiguous(x) and _overlaps(x):
        part = structure.getitem(x, index)   # a part whose elements are apart may be written
        if part._base is not None:
            copy_(part, values)
            return
        if recorded(x, values):
            check_distinct(x, "assignment")
    if isinstance(values, Tensor) and values._base is x and is_at(values, index):
        check_writable(x, "assignment")      # of x[i] += 1, which has written there
        bump(x)
        values._seen = writes(x)
        return
    if type(values) is not float and type(values) is not int:
        values = as_tensor_operand(values, "assignment")
    if recorded(x, values):
        plan = assignment_at(x._shape, index, values._shape if isinstance(values, Tensor) else ())
        replace(x, lambda old: core.record_many(ASSIGN, (old, values), plan, old.dtype), "assignment")
        return
    index, _ = normal_index(index)

    def put(memory):
        array = values._array() if isinstance(values, Tensor) else np.asarray(values)
        try:
            memory[index] = array
        except ValueError:
            raise ValueError(f"values of shape {array.shape} don't fit into a place of shape "
                             f"{memory[index].shape}") from None
    write(x, put, "assignment")


# Twins of functions that put elements in places --------------------------------------------------------------------------

def _twin(function):
    name = function.__name__ + "_"

    @functools.wraps(function)
    def method(x, *arguments, **keywords):
        check_distinct(x, name)
        given = [y for y in (*arguments, *keywords.values()) if isinstance(y, Tensor)]
        if recorded(x, *given):
            return replace(x, lambda old: function(old, *arguments, **keywords), name)
        check_writable(x, name)
        value = function(wrap(x._array()), *arguments, **keywords)._array()
        return write(x, lambda memory: np.copyto(memory, value), name)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As {function.__name__}, written into the tensor."
    return method


TWINS = {function.__name__ + "_": _twin(function) for function in (
    structure.masked_fill, structure.masked_scatter, structure.index_fill, structure.index_copy, structure.index_add,
    structure.index_put, structure.put, structure.scatter, structure.scatter_add, structure.scatter_reduce, structure.tril,
    structure.triu)}


def put_values(x, places, values, name):
    """``x.flat[places] = values`` in place; values are repeated until there is one for each place, as NumPy does."""
    values = structure.fitting(values, x, name)
    if not places.size:
        return x
    if size_of(values._shape) != 1:
        if not size_of(values._shape):
            raise ValueError(f"{name} of {places.size} places needs values, and there are none")
        flat = structure.reshape(values, -1)
        values = flat[np.arange(places.size) % flat._shape[0]]
    else:
        values = structure.reshape(values, ())
    check_distinct(x, name)
    if recorded(x, values):
        return replace(x, lambda old: assignment(old, places.reshape(-1), values), name)

    def put(memory):
        memory[np.unravel_index(places.reshape(-1), x._shape)] = values._array()
    return write(x, put, name)


def fill_diagonal_(x, fill_value, wrap=False):
    """`fill_value`, a number or tensor without axes, on the main diagonal; with `wrap`, in a tall matrix again and again."""
    return put_values(x, structure.diagonal_places(x._shape, wrap), fill_value, "fill_diagonal_")


def fill_diagonal(a, val, wrap=False):
    """As ``np.fill_diagonal``, in place."""
    put_values(a, structure.diagonal_places(a._shape, wrap), val, "np.fill_diagonal")


def numpy_put(a, ind, v, mode="raise"):
    """As ``np.put``, in place."""
    if not isinstance(a, Tensor):
        raise TypeError("np.put can't write a tensor into an array, where its history would be lost; write into a tensor")
    places = np.take(np.arange(size_of(a._shape)), structure.index_array(ind, "np.put"), mode=mode)
    put_values(a, places, v, "np.put")


def put_along_axis(x, indices, values, axis):
    """As ``np.put_along_axis``, in place: values in the elements that take_along_axis picks."""
    indices, places = structure.index_array(indices, "put_along_axis"), np.arange(size_of(x._shape)).reshape(x._shape)
    places = np.take_along_axis(places, indices if axis is not None else indices.reshape(-1), axis)
    values = structure.fitting(values, x, "put_along_axis")
    put_values(x, places, values if values._shape in ((), places.shape) else broadcast_to(values, places.shape), "put_along_axis")


def place(arr, mask, vals):
    """As ``np.place``, in place: values, again and again, where a mask holds."""
    put_values(arr, np.flatnonzero(as_tensor_operand(mask, "np.place")._array()), vals, "np.place")


def putmask(a, mask, values):
    """As ``np.putmask``, in place: values of the same places where a mask holds, again and again."""
    places = np.flatnonzero(as_tensor_operand(mask, "np.putmask")._array())
    values = structure.reshape(as_tensor_operand(values, "np.putmask"), -1)
    if places.size:
        put_values(a, places, values[places % values._shape[0]], "np.putmask")


def copyto(dst, src, casting="same_kind", where=True):
    """As ``np.copyto``, in place."""
    src = as_tensor_operand(src, "np.copyto")
    if not isinstance(dst, Tensor):
        raise TypeError("np.copyto can't write a tensor into an array, where its history would be lost; use x.detach()")
    if not np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"np.copyto from {src.dtype} to {dst.dtype} is no {casting} cast")
    if where is True:
        copy_(dst, src)
    else:
        values = apply(BY_NAME["where"], where, src, dst)
        copy_(dst, values)
