"""The tape: a flat list of records in typed arrays, and its life.

A tape has a fixed capacity, so its arrays never move. Recording appends to it (the façade writes `words`, `left`, `right` and
`n` itself: that is the hot path); values are computed when somebody asks. A tape that is full or was run backward is closed:
nothing is appended any more, and tensors of it enter other tapes through links. It dies with the last tensor that holds it,
and its buffers serve the next one.

Each thread has tapes of its own, and yet two may append to one tape, where a thread goes on from what another one has just
computed. No lock guards that, which would cost more than the record. An append writes the whole record and then counts it,
in a piece of code without a call or a jump back, where the interpreter doesn't change threads; places in the other arrays are
taken in the same way before they are filled. So records that are counted are complete, whoever looks at them.
"""
import itertools
import os
import sys
import threading
from collections import deque
from typing import Any

import numpy as np

from . import kernels, sweeps
from ._jit.locks import lock
from .buffers import LEVELS, MANY, MAX_ELEMENTS, USUAL, address_of, pool
from .ops import CODE_MASK, CONSTANT, INPUT, VIEWS
from .sweeps import ALIASED, CODE, COLUMN, DONE, FINISHED, MEMORY, NEEDS_KERNEL
from .weak import WeakSet

ELEMENTS = 1 << 19                           # that a tape of vectors holds: more of them would only push each other out of cache
RECORDED = 1 << 12                           # elements of a result up to which a recording goes on on one tape
READ_CLOSES = 512                            # records after which a tape is closed when a value is read
PATIENCE = "patience"                        # among a thread's levels; see Tape.patience
SOUND, USED, REPLACED = range(3)             # of a tape: nothing; records may be used up; some may also be overwritten, by others
MOST_HELD = 64                               # hooks, and calls of Functions, on a tape: each may hold memory of the user's

if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
    raise ImportError("tapegrad records without locks of its own and needs the interpreter's, which this Python lacks; start "
                      "it with PYTHON_GIL=1, or use a Python that has it")

NOTHING = memoryview(np.zeros(0, np.uint16)) # what a tape that is not recording shows as its words: any index is too large

_serials = itertools.count(1)


class Constants(dict):
    """Number -> its record on an open tape; a number that is looked up for the first time gets one."""
    __slots__ = ("tape",)

    def __missing__(self, value):
        tape = self.tape
        if tape is None or not tape.words:
            raise KeyError(value)            # not recording, or not by the fast way
        return tape.constant(value)


class Tape:
    """One Wengert list. See the module's docstring.

    ``words, left, right, n`` are what the hot path writes. ``inputs`` and ``arrays`` list what entered it, as (record,
    tensor or link, version): with a derivative, leaves and links, and plain memory without.
    """
    __slots__ = ("words", "left", "right", "n", "constants", "all_words", "recording", "capacity", "row_capacity", "dtype",
                 "serial", "buffers", "head", "inputs", "arrays", "rows", "sizes", "size_ids", "planned", "entries", "is_open",
                 "home", "suspect", "overwritten", "watched", "hooks", "hosts", "retained", "origins", "links", "places", "plans",
                 "entered", "described", "targets", "incoming", "recorder", "lost", "shared", "depth", "__weakref__")

    def __init__(self, dtype, home, level=USUAL):
        self.home = home                     # its thread's open tapes, and the levels that it has come to
        self.buffers = buffers = pool.take_buffers(dtype, level)
        pool.lend(buffers, self, home[1])
        self.all_words = self.recording = self.words = buffers.see_words
        self.capacity = LEVELS[level][0]
        self.row_capacity = 4 * self.capacity
        self.left, self.right, self.head = buffers.see_left, buffers.see_right, buffers.see_head
        self.n = self.rows = self.entries = 0
        self.dtype, self.serial, self.is_open = dtype, next(_serials), True
        self.constants = constants = Constants()
        constants.tape = self                # until it is closed, or it would keep itself alive
        self.sizes, self.size_ids = 1, {1: 0}
        self.planned, self.plans = {}, {}
        self.links, self.places, self.entered = {}, {}, {}
        self.inputs, self.arrays = [], []
        self.lost = False                    # whether values could not be computed when it was closed
        self.suspect = SOUND                 # what a backward must look for first
        self.overwritten = self.watched = self.hooks = self.hosts = self.retained = self.origins = self.targets = None
        self.depth = 0                       # of the longest way over links
        self.incoming = None                 # the links that lead here, a WeakSet
        self.shared: Any = ()                # records whose memory others see since it was closed; see mark_aliased
        self.described = 0                   # records whose operations a backward knows
        self.recorder = None                 # who is told when a value leaves it; see replay

    # Recording ----------------------------------------------------------------------------------------------------

    def size_id(self, size):
        """The number that a size goes by on this tape."""
        number = self.size_ids.get(size)
        if number is None:
            if size > MAX_ELEMENTS:          # now, before what comes next stands behind it on this tape
                raise MemoryError(f"a result of {size} elements has no place on a tape, which holds at most {MAX_ELEMENTS}; use "
                                  "no_grad() or detach() for what needs no derivative")
            number = self.sizes
            self.sizes = number + 1
            self.buffers.see_sizes[number] = size
            self.size_ids[size] = number
            if size > 64:                    # results of that size will follow, but a loop over its elements may as well
                self._limit(size, max(ELEMENTS // size, self.home[1].get(PATIENCE, 512)))
        return number

    def _limit(self, size, more):
        """Lets the tape be full earlier, with so many more records; one of a recording, which keeps all its tapes, only where
        results are large."""
        records = self.n + more
        if records < self.capacity and (size > RECORDED or self.recorder is None):
            self.capacity, self.recording = records, self.all_words[:records]
            if self.words:
                self.record_again()

    def record_again(self):
        """Lets the fast way record here; called by the thread whose tape it is. Another one may close it at the same time, and
        what is closed must stay so."""
        self.words = self.recording
        if not self.is_open:
            self.words = NOTHING

    def patience(self):
        """How many records there may be at least on the next tape that a long vector enters, when this one is full: more, where
        most results were small, since programs that take a vector apart would have it enter ever new tapes otherwise."""
        before = self.home[1].get(PATIENCE, 512)
        if self.capacity == len(self.all_words):
            return before
        sizes = self.buffers.sizes[self.buffers.size_ids[:self.n]]
        results = int(sizes.sum()) - sum([array.size for array in self.entered.values()])
        return min(4 * before, LEVELS[-1][0]) if results < 64 * self.n else 512

    def enter(self, word, array):
        """Adds a record whose value is given, a contiguous array of the tape's dtype; gives its index."""
        size = array.size
        if size == 1:
            return self._enter_number(word, array.item())
        buffers, number, address = self.buffers, self.size_id(size), address_of(array)
        k = self.entries
        self.entries = k + 1
        buffers.see_entries[2 * k] = address
        i = self.n
        self.all_words[i] = word
        buffers.see_size_ids[i] = number
        buffers.see_offsets[i] = -1 - k
        self.entered[i] = array              # holds the memory
        self.n = i + 1
        return i

    def _enter_number(self, word, value):
        """As `enter`, for one element, which is copied."""
        buffers, k = self.buffers, self.entries
        self.entries = k + 1
        buffers.see_constants[k] = value
        buffers.see_entries[2 * k] = buffers.constants_address + k * buffers.constants.itemsize
        i = self.n
        self.all_words[i] = word
        buffers.see_size_ids[i] = 0
        buffers.see_offsets[i] = -1 - k
        self.n = i + 1
        return i

    def constant(self, value):
        """The index of a number; equal numbers share a record."""
        key = value if value else str(float(value))      # 0.0 == -0.0, but they are two numbers
        i = self.constants.get(key)
        if i is None:
            i = self.constants[key] = self._enter_number(CONSTANT.code, float(value))
        return i

    def plan_row(self, plan, operands=None):
        """The row of a planned record: size, address of the plan, and where there are several their indices."""
        if operands is None:
            row = self.planned.get(plan)
            if row is not None:
                return row
        if plan.size > 64:
            self._limit(plan.size, max(ELEMENTS // plan.size, 16))
        rows, number = self.buffers.see_rows, self.size_id(plan.size)
        if operands is None:
            row = self.rows
            self.rows = row + 2
            rows[row] = number
            rows[row + 1] = plan.address
            self.plans[row] = plan           # keeps its integers alive, too
            self.planned[plan] = row
            return row
        count = len(operands)
        row = self.rows
        self.rows = row + 4 + count
        rows[row] = number
        rows[row + 1] = plan.address
        rows[row + 2] = count
        rows[row + 3] = plan.block
        self.plans[row] = plan
        if count > 8:
            self.buffers.rows[row + 4:row + 4 + count] = operands
        else:
            for k, operand in enumerate(operands, row + 4):
                rows[k] = operand
        return row

    # Running ------------------------------------------------------------------------------------------------------

    def mark_aliased(self, i):
        """Notes that others see the memory of record `i`; whether that was not known. The flags of a closed tape belong to the
        passes that run on it, without the interpreter's lock."""
        if self.is_open:
            words = self.all_words
            word = words[i]
            words[i] = word | ALIASED
            return not word & ALIASED
        known = self.is_aliased(i)
        self.shared = {*self.shared, i}
        return not known

    def entered_by_record(self):
        """What entered, by the record: its `inputs`, and its `arrays`."""
        count, known = (len(self.inputs), len(self.arrays)), self.targets
        if known is None or known[0] != count:
            self.targets = known = count, {entry[0]: entry for entry in self.inputs}, {entry[0]: entry for entry in self.arrays}
        return known[1:]

    def is_view(self, i):
        """Whether record `i` shares the memory of its operand; a reshaped copy does not."""
        word = self.all_words[i]
        return bool(word & ALIASED) and word & CODE_MASK in VIEWS and self.plans[self.right[i]].label != "UnsafeView"

    def version(self, i):
        """The version at which record `i` saw its memory, where others have part in that."""
        while self.is_view(i):
            i = self.left[i]
        if self.all_words[i] & CODE_MASK == INPUT.code:
            return self.entered_by_record()[0][i][2]
        return max([seen for j, _, seen in self.watched or () if j == i], default=0)

    def is_aliased(self, i):
        """Whether others see the memory of record `i`."""
        return bool(self.all_words[i] & ALIASED) or i in self.shared

    def evaluate(self):
        """Computes the values of all records that have none yet."""
        if self.head[DONE] != self.n:
            if self.lost:
                raise MemoryError("there was no memory for this value, or one before it, when what it is computed from was about "
                                  "to change; compute less at once")
            self._compute()
        if self.origins is not None and self.origins.checked < self.n:
            self.origins.check(self)

    def _compute(self):
        forward = sweeps.compiled(sweeps.forward)
        buffers = self.buffers
        with buffers.lock:
            while True:
                status = forward(buffers.head_address, self.n)
                if status == FINISHED:
                    return
                if status == NEEDS_KERNEL:
                    kernels.need(self.head[CODE], self.head[COLUMN], self.dtype)
                    continue
                try:
                    buffers.grow(self.head[MEMORY])
                except MemoryError:          # what comes next is recorded elsewhere, not after a record that can't be computed
                    self._leave()
                    raise

    def _leave(self):
        """Lets nothing be recorded here any more."""
        release(self)
        for entry in self.inputs:
            leaf = entry[1]
            if not isinstance(leaf, Link) and leaf._tape is self:
                leaf._tape = NOWHERE

    def close(self):
        """Stops recording. Its values are computed, since what they are read from may change from now on."""
        if not self.is_open:
            return
        self._leave()
        try:
            self.evaluate()
        except MemoryError:                  # which is the concern of those alone who ask for these values
            self.lost = True
        if self.links:
            _prune(list({target.tape for _, target, _ in self.inputs if type(target) is Link}))

    def reached(self, start, seen, low=0):
        """The entries that a backward from the touched records up to `start` will reach or read, in ascending order. `seen`: a
        byte for each record, which may be set for further ones to begin from. `low`: below it none is touched or seen."""
        found, progress = np.empty(start + 1, np.int32), np.array([0, low], np.int64)
        run = sweeps.compiled(sweeps.reach)
        for i in (*sorted((i for i in self.hosts or () if i <= start), reverse=True), -1):
            run(self.buffers.head_address, start, i + 1, address_of(seen), address_of(found), address_of(progress))
            if i >= 0 and (seen[i] or self.all_words[i] & sweeps.TOUCHED):
                for j in self.hosts[i][0].operands:
                    seen[j] = seen[j] or 1
                    progress[1] = min(progress[1], j)
            start = i
        return np.sort(found[:progress[0]]).tolist()

    def was_read(self):
        """After a value was read by the user. In a loop that only reads, what was recorded is not needed any more; on a tape
        that is closed it lives no longer than the tensors that were computed on it."""
        if self.n > READ_CLOSES or 2 * self.n > self.capacity:
            self.close()

    def was_given(self):
        """After an object of the user's was hung on a record, which lives as long as the tape: a closed tape lives no longer than
        its tensors."""
        if len(self.hooks or ()) > MOST_HELD or len(self.hosts or ()) > MOST_HELD:
            self.close()

    def size(self, i):
        return self.buffers.sizes[self.buffers.size_ids[i]]

    def value(self, i):
        """The value of record `i`, as a flat view of the tape's memory, or of what entered it."""
        if self.recorder is not None:
            self.recorder.was_read(self, i)
        return self.peek(i)

    def peek(self, i):
        """As `value`, for what stays within the library."""
        self.evaluate()
        return self._memory(self.buffers.arenas, i)

    def number(self, i):
        """The value of a record of one element, as a float."""
        return float(self.value(i)[0])

    def adjoint(self, i):
        """The adjoint of record `i`, as a flat view."""
        return self.twin(self.buffers.adjoints, i)

    def twin(self, arrays, i):
        """What belongs to record `i` in twins of the arenas, as a flat view."""
        offset = self.buffers.see_offsets[i]
        if offset < 0:
            offset = self.buffers.see_entries[2 * (-1 - offset) + 1]
        return self._slice(arrays, offset, i)

    def _memory(self, arenas, i):
        offset = self.buffers.see_offsets[i]
        if offset < 0:
            array = self.entered.get(i)
            if array is not None:
                return array.reshape(-1)
            k = -1 - offset
            return self.buffers.constants[k:k + 1]
        return self._slice(arenas, offset, i)

    def _slice(self, arenas, offset, i):
        arena, starts = 0, self.buffers.starts
        while offset >= starts[arena + 1]:
            arena += 1
        offset -= int(starts[arena])
        return arenas[arena][offset:offset + int(self.size(i))]


class Link:
    """A record of an older tape that a newer one reads: what an entry of the newer one stands for."""
    __slots__ = ("tape", "index", "shape", "__weakref__")

    def __init__(self, tape, index, shape):
        self.tape, self.index, self.shape = tape, index, shape
        if tape.incoming is None:
            tape.incoming = WeakSet()
        tape.incoming.add(self)


def holders(alone):
    """How many references there are to the one thing in a list, besides the list's."""
    return sys.getrefcount(alone[0]) - _UNSEEN


_UNSEEN = 0                                  # what the list and the call itself add, which depends on the interpreter
_UNSEEN = holders([object()])


def _prune(tapes):
    """Of closed tapes that only links hold, lets go of the older tapes that nothing behind those links comes from. Without it a
    loop whose values nobody reads would keep all of its tapes, one behind the other."""
    while tapes:
        alone = [tapes.pop()]
        links = list(alone[0].incoming or ())
        if holders(alone) == len(links) and alone[0].links:              # no tensor holds it
            tape = alone[0]
            seen = np.zeros(tape.n, np.uint8)
            seen[[link.index for link in links]] = 1
            reached = set(tape.reached(tape.n - 1, seen))
            tape.inputs = [entry for entry in tape.inputs if entry[0] in reached]
            tape.targets = None
            del tape


class Nowhere:
    """The tape of tensors that are on none: nothing can be appended to it."""
    words, n, is_open, serial = NOTHING, 0, False, 0
    constants: dict = {}


NOWHERE = Nowhere()


# Threads --------------------------------------------------------------------------------------------------------------

class State:
    """What a thread has for itself: its mode, and its open tape for each dtype.

    When there is a second one, what the first has computed goes onto tapes that are complete, and from then on leaves don't
    remember the tape that they entered, which would be that of whichever thread came last; see `alone`.
    """

    def __init__(self):
        self.enabled, self.inference = True, False
        self.anomaly: Any = None             # a search for nan and infinity; see autograd/anomaly.py
        self.tapes, self.levels = {}, {}
        self.tracing = 0                     # transforms that are running a function
        self.recorder = None                 # what notes how values leave a function that is being recorded; see replay
        self.waiting, self.numbers = deque(), {}         # see autograd/spent.py
        _states.add(id(self))

    def __del__(self):
        if not sys.is_finalizing():
            _states.discard(id(self))
            for tape in list(self.tapes.values()):       # its tensors may live on in other threads
                tape.close()


class _Local(threading.local):
    def __init__(self):
        self.state = State()
        if len(_states) > 1:
            settle()


_states: "set[int]" = set()                  # of the threads that are alive and have come here
_open: "set[Tape]" = set()                   # the open tapes of all threads
_local = _Local()
_guards = 0                                  # how many things ask that recording goes the slow way
_guard_lock = lock()
MODES = np.zeros(1, np.int64)                # how many recorders and searches for anomalies there are in all threads


def _in_child():
    """A forked process has one thread."""
    _states.clear()
    _states.add(id(_local.state))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def state() -> State:
    return _local.state


def alone() -> bool:
    """Whether no other thread records, so that a leaf may remember its place on a tape, where the fast way finds it."""
    return len(_states) < 2


def open_tape(dtype, full=None, row=0) -> Tape:
    """This thread's open tape; in place of a full one, a new one that is larger, with room for a row of so many integers."""
    current = _local.state
    tape = current.tapes.get(dtype)
    if tape is not None and not tape.is_open:            # an interrupt came while it was released
        release(tape)
        tape = None
    if tape is not None and not tape.words and not _guards:
        tape.record_again()
    if full is not None:
        full.close()
        current.levels[PATIENCE] = full.patience()
        if 2 * full.n > LEVELS[full.buffers.level][0]:
            current.levels[dtype] = max(current.levels.get(dtype, USUAL), min(full.buffers.level + 1, len(LEVELS) - 1))
        tape = current.tapes.get(dtype)
    if tape is None:
        pool.collect()
        if full is None:
            current.levels.pop(PATIENCE, None)
        level = current.levels.get(dtype, USUAL)
        if level == USUAL and full is None and pool.taken.get((dtype, USUAL), 0) >= MANY:
            level = 0                        # one that gets full is followed by a usual one
        while row + 8 > LEVELS[level][0] and level < len(LEVELS) - 1:
            level += 1
        tape = Tape(dtype, (current.tapes, current.levels), level)
        tape.recorder = current.recorder
        if tape.recorder is not None:
            tape.recorder.tapes.append(tape)
        _open.add(tape)                      # before anything is recorded, also where an interrupt comes between
        current.tapes[dtype] = tape
        if _guards:
            tape.words = NOTHING
    return tape


def begin_tapes() -> int:
    """Closes this thread's open tapes; gives a number that those of all later records are above."""
    for tape in list(_local.state.tapes.values()):
        tape.close()
    return next(_serials)


def release(tape) -> None:
    """Stops a tape from recording; the first half of closing it."""
    tapes = tape.home[0]
    if tapes.get(tape.dtype) is tape:
        tapes.pop(tape.dtype, None)          # another thread may close it at the same time
    tape.is_open, tape.words = False, NOTHING
    tape.constants.tape = None
    _open.discard(tape)


def settle() -> None:
    """Closes every open tape: before memory is written that pending records may read."""
    for tape in list(_open):
        tape.close()


def count_modes(change) -> None:
    """Notes that a mode began (1) or ended (-1) in which a thread doesn't replay compiled functions."""
    with _guard_lock:
        MODES[0] += change


def guard() -> None:
    """Makes every recording go the slow way, which looks at the mode of its thread. The fast way looks at nothing. A thread that
    comes to its tape afterwards, when nobody asks for that any more, goes on in the fast way."""
    global _guards
    with _guard_lock:
        _guards += 1
        for tape in list(_open):
            tape.words = NOTHING


def unguard() -> None:
    global _guards
    with _guard_lock:
        _guards -= 1


def guarded() -> bool:
    """Whether any thread asks for that."""
    return _guards > 0
