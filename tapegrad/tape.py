"""The tape: a flat list of records in typed arrays, and its life.

A tape has a fixed capacity, so its arrays never move. Recording appends to it (the façade writes `words`, `left`, `right` and
`n` itself: that is the hot path); values are computed when somebody asks. A tape that is full or was run backward is closed:
nothing is appended any more, and tensors of it enter other tapes through links. It dies with the last tensor that holds it,
and its buffers serve the next one.
"""
import itertools
import sys
import threading

import numpy as np

from . import kernels, sweeps
from .ops import CONSTANT, KINDS
from .ops.frame import FRAME_LENGTH
from .sweeps import (ARENAS, CODE, COLUMN, DERIVATIVES, DONE, ENTRIES, FINISHED, FRAME, HEAD_LENGTH, ITEM, LEFT, MEMORY,
                     NEEDS_KERNEL, OFFSETS, RIGHT, ROWS, SIZE_IDS, SIZES, STARTS, TABLE, TOP, VALUES, WORDS)
from .sweeps import KINDS as KINDS_PLACE

CAPACITY = 1 << 16                           # records; with their values and adjoints 2 MB
ROW_CAPACITY = 1 << 18                       # integers in the rows of planned records
ARENA = 1 << 19                              # elements of the first arena: room for a tape of scalars, and for small vectors
MAX_ARENAS = 48
MAX_ELEMENTS = 1 << 31                       # offsets have 31 bits
POOLED_BYTES = 1 << 29                       # memory that is kept for reuse when no tape holds it

NOTHING = memoryview(np.zeros(0, np.uint16)) # what a tape that is not recording shows as its words: any index is too large

_serials = itertools.count(1)


def address_of(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Pool:
    """Arrays of elements and whole sets of buffers that wait to be used again; by dtype, of a bounded size."""

    def __init__(self):
        self.arrays, self.buffers, self.bytes = {}, {}, 0

    def take_array(self, dtype, size):
        """An array of at least `size` elements, contents undefined."""
        key = dtype, max(ARENA, 1 << (size - 1).bit_length())
        waiting = self.arrays.get(key)
        if waiting:
            try:
                array = waiting.pop()
            except IndexError:               # another thread was faster
                return np.empty(key[1], dtype)
            self.bytes -= array.nbytes
            return array
        return np.empty(key[1], dtype)

    def give_array(self, array):
        if self.bytes + array.nbytes <= POOLED_BYTES:
            self.bytes += array.nbytes
            self.arrays.setdefault((array.dtype, array.size), []).append(array)


_pool = Pool()


class Buffers:
    """The arrays of one tape, of one dtype.

    ``see_words`` is a memoryview of ``words``, and so on: reading or writing one number through it takes a third of the time.
    """
    _SEEN = ("words", "left", "right", "size_ids", "offsets", "rows", "sizes", "entries", "constants", "head")
    __slots__ = (*_SEEN, *("see_" + name for name in _SEEN), "starts", "values", "derivatives", "frame", "arenas", "adjoints",
                 "first_adjoints", "dtype", "head_address", "constants_address", "lock", "passes")

    def __init__(self, dtype):
        self.words = np.empty(CAPACITY, np.uint16)
        self.left, self.right = np.empty(CAPACITY, np.int32), np.empty(CAPACITY, np.int32)
        self.size_ids, self.offsets = np.empty(CAPACITY, np.uint16), np.empty(CAPACITY, np.int32)
        self.rows, self.sizes = np.empty(ROW_CAPACITY, np.int64), np.empty(1 << 16, np.int64)
        self.entries = np.empty(2 * CAPACITY, np.int64)
        self.starts, self.values, self.derivatives = (np.zeros(MAX_ARENAS + 1, np.int64) for _ in range(3))
        self.frame, self.head = np.zeros(FRAME_LENGTH, np.int64), np.zeros(HEAD_LENGTH, np.int64)
        self.constants = np.empty(CAPACITY, dtype)
        self.arenas, self.adjoints, self.dtype = [], [], dtype
        head = self.head
        for place, array in ((WORDS, self.words), (LEFT, self.left), (RIGHT, self.right), (SIZE_IDS, self.size_ids),
                             (OFFSETS, self.offsets), (ROWS, self.rows), (SIZES, self.sizes), (ENTRIES, self.entries),
                             (STARTS, self.starts), (VALUES, self.values), (DERIVATIVES, self.derivatives),
                             (TABLE, kernels.ADDRESSES[dtype]), (KINDS_PLACE, KINDS), (FRAME, self.frame)):
            head[place] = address_of(array)
        head[ITEM] = dtype.itemsize
        self.head_address, self.constants_address = address_of(head), address_of(self.constants)
        for name in self._SEEN:
            setattr(self, "see_" + name, memoryview(getattr(self, name)))
        self.see_sizes[0] = 1                # numbers have size 0's id on every tape
        self.first_adjoints = None           # of the first arena, as a memoryview
        self.lock = threading.RLock()
        self.passes = []                     # backward passes that are running on it, one inside the other
        self.grow(ARENA)

    def grow(self, size):
        """Adds an arena of at least `size` elements; each is as large as all before it."""
        count = len(self.arenas)
        start = int(self.starts[count])
        arena = _pool.take_array(self.dtype, max(size, min(start, 1 << 24)))
        if count == MAX_ARENAS or start + arena.size > MAX_ELEMENTS:
            raise MemoryError(f"a tape holds at most {MAX_ELEMENTS} elements and this one has {start}; call backward, or "
                              "use no_grad() or detach() for what needs no derivative")
        self.values[count] = address_of(arena) - start * arena.itemsize
        self.starts[count + 1] = start + arena.size
        self.arenas.append(arena)
        self.head[ARENAS] = count + 1
        self.head[TOP] = start

    def allow_adjoints(self):
        """Gives every arena a twin for adjoints or tangents."""
        if len(self.adjoints) == len(self.arenas):
            return
        for k in range(len(self.adjoints), len(self.arenas)):
            array = _pool.take_array(self.dtype, self.arenas[k].size)
            self.derivatives[k] = address_of(array) - int(self.starts[k]) * array.itemsize
            self.adjoints.append(array)
            if k == 0:
                self.first_adjoints = memoryview(array)

    def drop_adjoints(self):
        """Gives the twins back, so that a long chain of tapes needs the adjoints of one or two of them only."""
        self.first_adjoints = None
        while self.adjoints:
            _pool.give_array(self.adjoints.pop())

    def reset(self):
        """Makes ready for the next tape; arenas that somebody still sees, and all but the first, are left."""
        if len(self.arenas) > 1:
            self.drop_adjoints()
        while len(self.arenas) > 1:
            arena = self.arenas.pop()
            if sys.getrefcount(arena) == 2:  # this name and the call's argument: nobody looks at it
                _pool.give_array(arena)
        if sys.getrefcount(self.arenas[0]) > 2:
            self.arenas.clear()
            self.grow(ARENA)
            self.drop_adjoints()
        self.head[ARENAS] = 1
        self.head[DONE] = self.head[TOP] = 0


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
    __slots__ = ("words", "left", "right", "n", "constants", "all_words", "dtype", "serial", "buffers", "head", "inputs", "arrays",
                 "rows", "size_ids", "planned", "entries", "is_open", "home", "suspect", "overwritten", "watched",
                 "hooks", "hosts", "retained", "origins", "links", "passive", "plans", "entered", "__weakref__")

    def __init__(self, dtype, home):
        waiting = _pool.buffers.get(dtype)
        try:
            self.buffers = buffers = waiting.pop() if waiting else Buffers(dtype)
        except IndexError:
            self.buffers = buffers = Buffers(dtype)
        self.all_words = self.words = buffers.see_words
        self.left, self.right, self.head = buffers.see_left, buffers.see_right, buffers.see_head
        self.n = self.rows = self.entries = 0
        self.dtype, self.serial, self.home, self.is_open = dtype, next(_serials), home, True
        self.constants = constants = Constants()
        constants.tape = self                # until it is closed, or it would keep itself alive
        self.size_ids, self.planned, self.plans = {1: 0}, {}, {}
        self.links, self.passive, self.entered = {}, {}, {}
        self.inputs, self.arrays = [], []
        self.suspect = False                 # whether a backward must look for consumed or overwritten records first
        self.overwritten = self.watched = self.hooks = self.hosts = self.retained = self.origins = None

    def __del__(self):
        buffers = getattr(self, "buffers", None)
        if buffers is not None and _pool is not None:
            buffers.reset()
            waiting = _pool.buffers.setdefault(buffers.dtype, [])
            if len(waiting) < 64:
                waiting.append(buffers)

    # Recording ----------------------------------------------------------------------------------------------------

    def append(self, word, left, right):
        """Adds a record and gives its index; the caller has made sure that there is room."""
        i = self.n
        self.all_words[i] = word
        self.left[i] = left
        self.right[i] = right
        self.n = i + 1
        return i

    def size_id(self, size):
        """The number that a size goes by on this tape."""
        number = self.size_ids.get(size)
        if number is None:
            number = self.size_ids[size] = len(self.size_ids)
            self.buffers.see_sizes[number] = size
        return number

    def enter(self, word, array):
        """Adds a record whose value is given, a contiguous array of the tape's dtype; gives its index."""
        size = array.size
        if size == 1:
            return self._enter_number(word, array.item())
        buffers, k = self.buffers, self.entries
        self.entries = k + 1
        buffers.see_entries[2 * k] = address_of(array)
        i = self.append(word, 0, 0)
        buffers.see_size_ids[i] = self.size_id(size)
        buffers.see_offsets[i] = -1 - k
        self.entered[i] = array              # holds the memory
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
            i = self.constants[key] = self._enter_number(CONSTANT.code, value)
        return i

    def plan_row(self, plan, operands=None):
        """The row of a planned record: size, address of the plan, and where there are several their indices."""
        if operands is None:
            row = self.planned.get(plan)
            if row is not None:
                return row
        row = self.rows
        rows = self.buffers.see_rows
        rows[row] = self.size_id(plan.size)
        rows[row + 1] = plan.address
        if operands is None:
            self.planned[plan] = row
            self.rows = row + 2
        else:
            rows[row + 2] = len(operands)
            rows[row + 3] = plan.block
            self.rows = row + 4 + len(operands)
            for k, operand in enumerate(operands, row + 4):
                rows[k] = operand
        self.plans[row] = plan               # keeps its integers alive, too
        return row

    # Running ------------------------------------------------------------------------------------------------------

    def evaluate(self):
        """Computes the values of all records that have none yet."""
        if self.head[DONE] == self.n:
            return
        forward = sweeps.compiled(sweeps.forward)
        buffers = self.buffers
        with buffers.lock:
            while True:
                status = forward(buffers.head_address, self.n)
                if status == FINISHED:
                    return
                if status == NEEDS_KERNEL:
                    kernels.need(self.head[CODE], self.head[COLUMN], self.dtype)
                else:
                    buffers.grow(self.head[MEMORY])

    def close(self):
        """Stops recording. Its values are computed, since what they are read from may change from now on."""
        if not self.is_open:
            return
        release(self)
        for entry in self.inputs:
            leaf = entry[1]
            if not isinstance(leaf, Link) and leaf._tape is self:
                leaf._tape = NOWHERE
        self.evaluate()

    def size(self, i):
        return self.buffers.sizes[self.buffers.size_ids[i]]

    def value(self, i):
        """The value of record `i`, as a flat view of the tape's memory, or of what entered it."""
        self.evaluate()
        return self._memory(self.buffers.arenas, i)

    def number(self, i):
        """The value of a record of one element, as a float."""
        self.evaluate()
        return float(self._memory(self.buffers.arenas, i)[0])

    def adjoint(self, i):
        """The adjoint of record `i`, as a flat view."""
        offset = self.buffers.see_offsets[i]
        if offset < 0:
            offset = self.buffers.see_entries[2 * (-1 - offset) + 1]
        return self._slice(self.buffers.adjoints, offset, i)

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
    __slots__ = ("tape", "index", "shape")

    def __init__(self, tape, index, shape):
        self.tape, self.index, self.shape = tape, index, shape


class Nowhere:
    """The tape of tensors that are on none: nothing can be appended to it."""
    words, n, is_open, serial = NOTHING, 0, False, 0
    constants: dict = {}


NOWHERE = Nowhere()


# Threads --------------------------------------------------------------------------------------------------------------

class State:
    """What a thread has for itself: its mode, and its open tape for each dtype."""

    def __init__(self):
        self.enabled, self.inference, self.tapes, self.anomaly = True, False, {}, False

    def __del__(self):
        if not sys.is_finalizing():
            for tape in list(self.tapes.values()):       # its tensors may live on in other threads
                tape.close()


class _Local(threading.local):
    def __init__(self):
        self.state = State()


_open: "set[Tape]" = set()                   # the open tapes of all threads
_local = _Local()
_guards = 0                                  # how many things ask that recording goes the slow way
_guard_lock = threading.Lock()


def state() -> State:
    return _local.state


def open_tape(dtype) -> Tape:
    """This thread's open tape."""
    tapes = _local.state.tapes
    tape = tapes.get(dtype)
    if tape is None:
        tape = tapes[dtype] = Tape(dtype, tapes)
        _open.add(tape)
        if _guards:
            tape.words = NOTHING
    return tape


def release(tape) -> None:
    """Stops a tape from recording; the first half of closing it."""
    tape.is_open, tape.words = False, NOTHING
    tape.constants.tape = None
    _open.discard(tape)
    if tape.home.get(tape.dtype) is tape:
        del tape.home[tape.dtype]


def settle() -> None:
    """Closes every open tape: before memory is written that pending records may read."""
    while _open:
        tape = next(iter(_open), None)
        if tape is not None:
            tape.close()


def guard() -> None:
    """Makes every recording go the slow way, which looks at the mode of its thread. The fast way looks at nothing."""
    global _guards
    with _guard_lock:
        _guards += 1
        for tape in list(_open):
            tape.words = NOTHING


def unguard() -> None:
    global _guards
    with _guard_lock:
        _guards -= 1
        if not _guards:
            for tape in list(_open):
                tape.words = tape.all_words
