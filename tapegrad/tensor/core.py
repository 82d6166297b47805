"""The Tensor: a place on a tape, or an array; and how operations are recorded.

A tensor that was computed from something that requires grad is *interior*: it has a tape and an index, and no array of its
own (`_own` is None). Any other tensor, leaves that require grad included, has an array; on the tape that uses it, it has an
entry, and of a leaf `_tape` and `_index` say where, as long as that tape is open and no other thread records.
"""
import functools
from weakref import ref

import numpy as np

from ..kernels import arrays as functions_of_arrays
from ..ops import ARRAY, INPUT, rebind
from ..tape import NOWHERE, Link, Tape, alone, guarded, open_tape, settle, state
from . import taken
from .plans import Plan, plain_plan

float64, float32 = np.dtype(np.float64), np.dtype(np.float32)
int64, int32, bool_ = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.bool_)
uint8, int8, int16, float16 = np.dtype(np.uint8), np.dtype(np.int8), np.dtype(np.int16), np.dtype(np.float16)
FLOATS = (float64, float32)
FEW = 4                                      # views of a record that are known one by one
WRITTEN = -1                                 # what a view has seen that was written itself, and is to be made anew


class Storage:
    """Memory that tensors share which don't hold each other: a tensor, what was detached from it, its ``.data``.

    `home` is the memory, where an interior tensor has part in it; `exported` says that NumPy code can write it. What ``.data``
    gives has a storage of its own, with a `parent`, where its writes count as `silent` ones: views see them, backward doesn't.
    """
    __slots__ = ("version", "home", "exported", "parent", "silent")

    def __init__(self, version=0, home=None, exported=False, parent=None):
        self.version, self.home, self.exported, self.parent, self.silent = version, home, exported, parent, 0


class _Callable(type):
    """``Tensor(data)`` works as in old tutorials, while the library makes tensors without any call to ``__init__``."""

    def __call__(cls, *arguments, **keywords):
        from .creation import legacy_tensor
        return legacy_tensor(cls, *arguments, **keywords)


class Tensor(metaclass=_Callable):
    """An array of numbers that remembers how it was computed. Make one with :func:`tapegrad.tensor`."""

    # `_own`, and not `_data`, which NumPy's masked arrays would read of any operand.
    # What few tensors have is found on the class, or in __dict__. A __getattr__ for it would make every attribute slow.
    __slots__ = ("_tape", "_index", "_shape", "_own", "_storage", "_edits", "_base", "_grad", "_requires",
                 "__dict__", "__weakref__")
    _recipe, _seen = (), 0                   # of views
    _views: "list | None" = None             # weak references to views of its present record; None where there may be others
    _home = None                             # of an interior tensor that has part in memory, where it isn't its storage's home
    _hooks = _post_hooks = None
    _inference = False
    _is_number = False                       # made of a Python number, to go along with other tensors
    __array_priority__ = 1000
    __hash__ = object.__hash__

    # State --------------------------------------------------------------------------------------------------------

    @property
    def shape(self):
        """The lengths of the axes, a tuple."""
        return self._shape

    @property
    def dtype(self):
        """The NumPy dtype of the elements."""
        data = self._own
        return self._tape.dtype if data is None else data.dtype

    @property
    def requires_grad(self):
        """Whether operations on this tensor are recorded."""
        refresh(self)
        return self._own is None or self._requires

    @requires_grad.setter
    def requires_grad(self, value):
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Sets in place whether operations on this tensor are recorded; returns it.

        Raises RuntimeError for a dtype that is not floating, and for False on a tensor that is computed from others.
        """
        requires_grad = bool(requires_grad)
        if self._own is None:
            refresh(self)
            if not requires_grad:
                raise RuntimeError("requires_grad can only be switched off on a leaf; this tensor was computed from others "
                                   "that require grad: use y = x.detach() for a tensor without history")
            return self
        if requires_grad:
            check_floating(self._own.dtype)
            if self._inference:
                raise RuntimeError("this tensor was made in inference_mode and can't require grad; use clone() outside of it")
        if requires_grad != self._requires:
            settle()                         # it has an entry of the other kind
            if requires_grad:
                note_leaf(self)
        self._requires = requires_grad
        return self

    @property
    def is_leaf(self):
        """True for a tensor that was not computed from others that require grad."""
        refresh(self)
        return self._own is not None

    @property
    def _version(self):
        """How often this tensor's memory was written, through it, its views or what was detached from it."""
        return version(self)

    # Values -------------------------------------------------------------------------------------------------------

    def _array(self):
        """The value as an array, not copied."""
        refresh(self)
        data = self._own
        if data is not None:
            return data
        home = home_of(self)
        if home is not None:
            return home
        tape = self._tape
        value = tape.value(self._index).reshape(self._shape)
        if tape.is_open:
            tape.was_read()
        return value


make = functools.partial(object.__new__, Tensor)         # without going through the metaclass
inference_used = False                       # whether any thread was ever in inference_mode; until then nobody looks


def refuse_inference(op, operands):
    """RuntimeError where the derivative of an operation would need the value of a tensor that was made in inference_mode."""
    made = {"xyw"[k] for k, x in enumerate(operands[:3]) if isinstance(x, Tensor) and x._inference}
    if made and state().enabled:
        for k, x in enumerate(operands[:op.arity]):
            if isinstance(x, Tensor) and tracked(x) and made & op.partial_needs(k):
                raise RuntimeError(f"the derivative of {op.name} needs the value of a tensor that was made in inference_mode, "
                                   "where none is kept for that; clone() it outside of it, or make it under no_grad()")


def wrap(array, requires_grad=False) -> Tensor:
    """A tensor around an array, which is not copied."""
    x = make()
    x._tape = NOWHERE
    x._own = array
    x._shape = array.shape
    x._requires = requires_grad
    x._edits = 0
    x._storage = x._base = x._grad = None
    if inference_used and state().inference:
        x._inference = True
    if requires_grad:
        note_leaf(x)
    return x


class Mask(Tensor):
    """The outcome of a comparison that is recorded for a replay. `where` takes it from the tape, as a record; whoever else looks
    at it binds the recording to this outcome."""
    __slots__ = ("_outcome", "_observe", "_record")
    dtype = property(lambda self: bool_)

    @property
    def _own(self):
        self._observe()
        return self._outcome

    def on_tape(self, others, inside=False):
        """The record, as a tensor, where that gives what this would; otherwise this, as any other tensor. `inside`: also where
        all that is chosen from is constant, when the result would be without history, and nobody sees the difference."""
        tensors = [x for x in others if isinstance(x, Tensor)]
        usable = inside or any([type(x) is not Mask and tracked(x) for x in tensors])
        if usable and state().enabled and ({x.dtype for x in tensors} or {float64}) == {self._record.dtype}:
            return self._record
        return wrap(self._own)


def make_mask(outcome, observe, record):
    z = object.__new__(Mask)
    z._tape = NOWHERE
    z._outcome, z._observe, z._record = outcome, observe, record
    z._shape = outcome.shape
    z._storage = z._base = z._grad = None
    z._edits = 0
    z._requires = False
    return z


def note_leaf(x):
    """Lets a recording know of a leaf that is made meanwhile: no graph outside can want its gradient."""
    recorder = state().recorder
    if recorder is not None:
        recorder.made.append(x)


def decided(function, *operands, **options):
    """What a function of NumPy gives for the values of tensors, where that decides how to go on: indices, a mask, a truth. A
    program that is recorded holds for all values with the same outcome, while any other read of a value binds it to that."""
    recorder = state().recorder
    if recorder is not None:
        return recorder.decide(function, operands, options)
    return function(*[x._array() if isinstance(x, Tensor) else x for x in operands], **options)


def interior(tape, index, shape) -> Tensor:
    """The tensor of a record."""
    z = make()
    z._tape = tape
    z._index = index
    z._shape = shape
    z._own = z._storage = z._base = z._grad = None
    z._edits = 0
    z._requires = False
    return z


def constant(tape, index, shape) -> Tensor:
    """The tensor of a record without derivative; where that is memory which entered the tape, one that sees later writes."""
    _, entered, seen = tape.entered_by_record()[1].get(index, (index, None, 0))
    if entered is not None and tape.entered.get(index) is entered._own and version(entered) == seen:
        from .structure import reshape
        entered = entered.detach() if entered._requires else entered
        return entered if entered._shape == shape else reshape(entered, shape)
    return wrap(tape.value(index).reshape(shape))


def check_floating(dtype):
    if dtype not in FLOATS:
        raise RuntimeError(f"only tensors of floating point dtype can require gradients, and this one is {dtype}; make it "
                           "with dtype=float64 or float32, or convert it with .double()")


# Versions and views ---------------------------------------------------------------------------------------------------

def root_of(x):
    """The tensor that `x` is a view of, or `x`."""
    base = x._base
    return x if base is None else base


def version(x):
    root = root_of(x)
    storage = root._storage
    return root._edits if storage is None else storage.version


def bump(root):
    """Counts a write."""
    storage = root._storage
    if storage is None:
        root._edits = root._edits + 1
    else:
        storage.version += 1
        while storage.parent is not None:
            storage = storage.parent
            storage.silent += 1


def writes(root):
    """What changes with every write, also with those through ``.data``."""
    storage = root._storage
    return root._edits if storage is None else storage.version + storage.silent


def storage_of(root):
    """The storage of a tensor that is no view, made when first asked for."""
    if root._storage is None:
        storage = Storage(root._edits)
        root._storage = storage
        if root._own is None:
            mark_aliased(root)
            storage.home = root._array()
            watch(root._tape, root._index, storage)
    return root._storage


def home_of(root):
    """The memory that an interior tensor has part in, None without."""
    storage = root._storage
    return None if storage is None else storage.home if root._home is None else root._home


def watch(tape, index, storage):
    """Lets a backward see whether the memory of a record's value was written after now."""
    if tape.watched is None:
        tape.watched = []
    tape.watched.append((index, storage, storage.version))


def mark_aliased(x):
    """Keeps the fast ways of writing in place away from a tensor whose memory others see."""
    if x._own is None:
        x._tape.mark_aliased(x._index)
        x._views = None


def note_view(base, x):
    """Notes that `x` is a view of the record that an interior tensor has at present, for who writes it."""
    view, known = ref(x), base._views
    if base._tape.mark_aliased(base._index):
        base._views = [view]
    elif known is not None:
        if len(known) == FEW and alone():
            known[:] = [one for one in known if one() is not None]
        if len(known) < FEW:
            known.append(view)
        else:
            base._views = None


def has_other_views(root, x):
    """Whether anything but `x` may see the memory of the record that an interior tensor has at present."""
    if not root._tape.is_aliased(root._index):
        return False
    known = root._views
    return known is None or any([one() is not None and one() is not x for one in known])


def refresh(x):
    """Makes a view new whose base was written since."""
    base = x._base
    if base is not None and x._seen != writes(base):
        seen, x._seen = x._seen, writes(base)
        if base._own is None or base._requires:
            before = taken.value(x) if seen != WRITTEN and taken.is_taken(x) else None
            regenerate(x, base)
            if before is not None:
                taken.warn_of_old(x, before)


def regenerate(x, base):
    """Makes a view of a base that requires grad anew."""
    from .structure import view_steps
    fresh = view_steps(base, x._recipe)
    if base._own is None:
        note_view(base, x)                   # the record that it moved to when it was written has a view again
    move(x, fresh)


def move(x, fresh):
    """Makes `x` the tensor of another record, and takes retain_grad along."""
    retained = x._tape.retained if x._own is None else None
    holder = retained.pop(x._index, None) if retained else None
    x._own, x._requires = None, False
    x._tape, x._index = fresh._tape, fresh._index
    if holder is not None:
        if x._tape.retained is None:
            x._tape.retained = {}
        x._tape.retained[x._index] = holder
        mark_aliased(x)


# Entering a tape ------------------------------------------------------------------------------------------------------

def tracked(x):
    if x._tape.words:                        # on an open tape that records: only what requires grad is
        return True
    if x._base is not None:
        refresh(x)
    return x._own is None or x._requires


def place(tape: Tape, x: Tensor) -> int:
    """The index of `x` on an open tape; what is not on it enters."""
    if x._tape is tape:
        return x._index
    if x._base is not None:
        refresh(x)
    data = x._own
    if data is None:
        return x._index if x._tape is tape else _link(tape, x)
    entered = tape.places.get(id(x))
    if entered is not None and entered[1] == version(x):
        return entered[0]
    storage = x._storage if x._base is None else x._base._storage
    own = (data.dtype == tape.dtype and data.flags.c_contiguous and not (storage is not None and storage.exported)
           and tape.recorder is None)
    # What NumPy code may write, what must be converted and what will be replayed enters as a copy, each time anew.
    array = data if own else np.array(data, tape.dtype, order="C")
    if x._requires:
        i = tape.enter(INPUT.code, array)
        tape.inputs.append((i, x, version(x)))
        if own:
            if alone():
                x._tape, x._index = tape, i              # the fast way takes it from here
            else:
                tape.places[id(x)] = i, version(x)
    else:
        i = tape.enter(ARRAY.code, array)
        tape.arrays.append((i, x, version(x)))
        if own or storage is None or not storage.exported:
            # Not by _tape: the fast way would take it for something to differentiate.
            tape.places[id(x)] = i, version(x)
    return i


def _link(tape, x):
    source, index = x._tape, x._index
    if source.is_open:
        source.close()                       # so that links only lead to tapes that are complete, and never in a circle
    # A derivative that is recorded begins from records, by tensors that are made for it
    now = version(x) if x._storage is not None or x._base is not None or x._edits else source.version(index)
    for i, seen in tape.links.get((source.serial, index), ()):
        if seen == now:
            return i
    storage = x._storage
    array = source.peek(index) if storage is None else home_of(x).reshape(-1)
    if source.dtype != tape.dtype or (storage is not None and storage.exported):
        array = np.array(array, tape.dtype)
    i = tape.enter(INPUT.code, array)
    tape.inputs.append((i, Link(source, index, x._shape), now))
    tape.depth = max(tape.depth, source.depth + 1)
    if storage is not None:
        watch(tape, i, storage)
    if storage is None or not storage.exported:
        tape.links.setdefault((source.serial, index), []).append((i, now))
    return i


DEEP = 16                                    # tapes that a graph which is let go may leave behind


def tape_for(dtype, operands, row=0) -> Tape:
    """The open tape that a record of these operands belongs on, with room for it and for their entries."""
    for x in operands:
        if type(x) is Tensor and x._tape.is_open and x._tape.dtype is dtype:
            tape = x._tape
            if not tape.words and not guarded():
                tape.record_again()
            break
    else:
        tape = open_tape(dtype)
        if tape.depth > DEEP and tape.recorder is None:  # what begins anew would keep all of these, also where they are let go
            tape.close()
            tape = open_tape(dtype)
    # A link leads to a tape with a smaller number: in that order a backward runs
    while (tape.n + len(operands) + 4 > tape.capacity or tape.rows + row + 8 > tape.row_capacity
           or any([type(x) is Tensor and x._tape.serial > tape.serial for x in operands])):
        tape = open_tape(dtype, tape, row)
    return tape


# Recording ------------------------------------------------------------------------------------------------------------

def common_dtype(tensors):
    """The dtype that an operation of these tensors gives: a floating one wins over integers, and among floating ones the
    wider, whatever the shapes, as in NumPy and the array API standard. Numbers have a say only where there is nothing else."""
    dtypes = [x.dtype for x in tensors if not x._is_number] or [x.dtype for x in tensors]
    return float32 if float32 in dtypes and float64 not in dtypes else float64


def finish(tape, op, word, left, right, shape):
    """Adds a record, which there must be room for, and gives its tensor."""
    i = tape.n
    tape.all_words[i] = word
    tape.left[i] = left
    tape.right[i] = right
    tape.n = i + 1
    if not tape.words:
        _recorded_slowly(tape, i)
    z = make()
    z._tape = tape
    z._index = i
    z._shape = shape
    z._own = z._storage = z._base = z._grad = None
    z._edits = 0
    z._requires = False
    return z


def _recorded_slowly(tape, i):
    """After a record on a tape that the fast way finds closed: where anomalies are looked for, notes the line of user code; and
    where another thread closed the tape meanwhile, computes the record, as what it is computed from may change from now on."""
    if search := state().anomaly:
        search.note(tape, i)
    if not tape.is_open:
        tape.evaluate()


def record_planned(op, x: Tensor, plan: Plan, flags=0) -> Tensor:
    """Records a structural operation of one operand."""
    tape = x._tape
    if not tape.words or tape.n + 8 > tape.capacity or tape.rows + 8 > tape.row_capacity:
        tape = tape_for(x.dtype, (x,))
    left = x._index if x._tape is tape else place(tape, x)
    row = tape.planned.get(plan)
    if row is None:
        row = tape.plan_row(plan)
    return finish(tape, op, op.code | flags, left, row, plan.shape)


def record_many(op, operands, plan: Plan, dtype=None, flags=0, same_tape=None) -> Tensor:
    """Records an operation of several operands, tensors or numbers, that has a plan. `same_tape`: where all of them are
    tensors on one open tape, that."""
    if inference_used:
        refuse_inference(op, operands)
    tape = same_tape
    if tape is None and type(operands[0]) is Tensor and operands[0]._tape.words:
        tape = operands[0]._tape
    if tape is not None and tape.n + 4 <= tape.capacity and tape.rows + len(operands) + 8 <= tape.row_capacity:
        indices = [x._index if type(x) is Tensor and x._tape is tape else None for x in operands]
        if None not in indices:
            return finish(tape, op, op.code | flags, indices[0], tape.plan_row(plan, indices), plan.shape)
    dtype = dtype or common_dtype([x for x in operands if isinstance(x, Tensor)])
    tape = tape_for(dtype, operands, len(operands))
    indices = [place(tape, x) if isinstance(x, Tensor) else tape.constant(x) for x in operands]
    return finish(tape, op, op.code | flags, indices[0], tape.plan_row(plan, indices), plan.shape)


def elementwise_plan(op, shape):
    return plain_plan(shape, op.display)


# Values without recording ---------------------------------------------------------------------------------------------

_array_rules: dict = {}


def compute(op, *arrays):
    """The value of an elementwise operation on arrays and numbers, by NumPy and SciPy."""
    rule = _array_rules.get(op.code)
    if rule is None:
        rule = _array_rules[op.code] = rebind(op.value, np=functions_of_arrays, select=np.where)
    with np.errstate(all="ignore"):
        out = np.asarray(rule(*arrays))
    return out.copy() if out is arrays[0] else out           # a clone is a copy

