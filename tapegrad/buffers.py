"""The memory of tapes: their arrays, made once and used again by the next tape."""
import ctypes
import sys
import weakref
from functools import partial

import numpy as np

from . import kernels
from ._jit import CHECKED, plain
from ._jit.locks import lock
from .ops import KINDS
from .ops.frame import FRAME_LENGTH
from .sweeps import (
    ARENAS,
    DERIVATIVES,
    DONE,
    ENTRIES,
    FRAME,
    HEAD_LENGTH,
    ITEM,
    LEFT,
    OFFSETS,
    RIGHT,
    ROWS,
    SIZE_IDS,
    SIZES,
    SLOTS,
    STARTS,
    TABLE,
    TOP,
    VALUES,
    WORDS,
)
from .sweeps import KINDS as KINDS_PLACE

_addressof, _from_buffer = ctypes.addressof, ctypes.c_char.from_buffer

# A tape's capacity in records, and the elements of its first arena, by level: many small graphs are alive at once more often
# than many large ones, and a program that fills a small tape gets a larger one next. A full large tape has 2 MB. The smallest
# level is for programs that keep so many tapes that their memory counts: an empty tape takes 15 kB there, and 44 kB at the next.
LEVELS = ((32, 1 << 7), (512, 1 << 12), (1 << 12, 1 << 16), (1 << 16, 1 << 19))
USUAL = 1                                    # the level that a program begins with
MANY = 128                                   # tapes of the usual level at a time from which on small ones are made
MAX_ARENAS = 48
MAX_ELEMENTS = 1 << 31                       # offsets have 31 bits
POOLED_BYTES = 1 << 29                       # memory that is kept for reuse when no tape holds it
POOLED = 64                                  # and at most so many arrays of a size, and sets of buffers of a level


def address_of(array: np.ndarray) -> int:
    """Where an array's elements begin."""
    if CHECKED:
        plain.known(array)
    try:
        return _addressof(_from_buffer(array))           # takes a third of the time of the other way
    except (TypeError, ValueError):          # read-only, not contiguous, or empty
        return array.__array_interface__["data"][0]


def _words():
    """Where in the object of a NumPy array the address of its elements and its flags stand, in words of 8 bytes: compiled code
    that is given the object finds them there, which is much faster than asking in Python."""
    array = np.empty(1)
    words = (ctypes.c_int64 * 9).from_address(id(array))
    data = next(k for k, word in enumerate(words) if word == address_of(array))
    return data, next(k for k, word in enumerate(words) if k > data and word & 0xFFFF_FFFF == array.flags.num)


DATA_WORD, FLAGS_WORD = _words()
C_CONTIGUOUS = 1                             # the flag of arrays that lie row by row in memory


class Pool:
    """Arrays of elements and whole sets of buffers that wait to be used again; by dtype, of a bounded size."""

    def __init__(self):
        self.arrays, self.buffers, self.bytes = {}, {}, 0
        self.taken: dict = {}                # (dtype, level) -> sets of buffers that tapes have
        self.lent: dict = {}                 # buffers -> a weak reference to their tape
        self.returned: dict = {}             # those whose tape is gone

    def lend(self, buffers, tape, levels):
        """Notes whose buffers they are, and the levels that its thread has come to. When the tape dies, no Python code runs, in
        which an interrupt would be lost: they are only put aside."""
        buffers.levels = levels
        self.lent[buffers] = weakref.ref(tape, partial(self.returned.__setitem__, buffers))

    def collect(self):
        """Takes back the buffers of tapes that are gone."""
        while self.returned:
            try:
                buffers, _ = self.returned.popitem()
            except KeyError:                 # another thread was faster
                return
            del self.lent[buffers]
            levels, level, head = buffers.levels, buffers.level, buffers.see_head
            if len(buffers.arenas) > 1:      # the next tape gets more room at once, or less
                levels[buffers.dtype] = max(USUAL, min(level + 1, len(LEVELS) - 1))
            elif level > USUAL and 32 * head[DONE] < LEVELS[level][0] and 32 * head[TOP] < LEVELS[level][1]:
                levels[buffers.dtype] = level - 1
            buffers.levels = None
            self.give_buffers(buffers)

    def take_array(self, dtype, size):
        """An array of at least `size` elements, contents undefined."""
        if self.returned:
            self.collect()
        key = dtype, 1 << (size - 1).bit_length()
        try:
            array = self.arrays[key].pop()
        except (KeyError, IndexError):
            return self._made(np.empty, key[1], dtype)
        self.bytes -= array.nbytes
        return array

    def _made(self, make, *arguments):
        """Something new; where memory is short, what waits here is let go for it."""
        try:
            return make(*arguments)
        except MemoryError:
            self.arrays, self.buffers, self.bytes = {}, {}, 0
            return make(*arguments)

    def give_array(self, array):
        waiting = self.arrays.setdefault((array.dtype, array.size), [])
        if len(waiting) < POOLED and self.bytes + array.nbytes <= POOLED_BYTES:
            self.bytes += array.nbytes
            waiting.append(array)

    def take_buffers(self, dtype, level):
        """Buffers for a tape, ready for use."""
        if self.returned:
            self.collect()
        try:
            buffers = self.buffers[dtype, level].pop()
        except (KeyError, IndexError):
            buffers = self._made(Buffers, dtype, level)
        self.taken[dtype, level] = self.taken.get((dtype, level), 0) + 1
        return buffers

    def give_buffers(self, buffers):
        """Takes back what a tape leaves. Arenas that somebody still sees are left to him, and so is what an interrupt left in
        the middle of a backward."""
        self.taken[buffers.dtype, buffers.level] -= 1
        if buffers.passes or buffers.users:
            return
        while len(buffers.arenas) > 1:
            buffers.drop_adjoints()
            arena = buffers.arenas.pop()
            if sys.getrefcount(arena) == 2:  # this name and the call's argument: nobody looks at it
                self.give_array(arena)
        if sys.getrefcount(buffers.arenas[0]) > 2:
            return
        buffers.head[ARENAS] = 1
        buffers.head[DONE] = buffers.head[TOP] = 0
        waiting = self.buffers.setdefault((buffers.dtype, buffers.level), [])
        if len(waiting) < POOLED:
            waiting.append(buffers)


pool = Pool()


class Buffers:
    """The arrays of one tape, of one dtype.

    ``see_words`` is a memoryview of ``words``, and so on: reading or writing one number through it takes a third of the time.
    """
    _SEEN = ("words", "left", "right", "size_ids", "offsets", "rows", "sizes", "entries", "constants", "head")
    __slots__ = (*_SEEN, *("see_" + name for name in _SEEN), "starts", "values", "derivatives", "frame", "arenas", "adjoints",
                 "first_adjoints", "dtype", "level", "head_address", "constants_address", "lock", "users",
                 "passes", "levels")

    def __init__(self, dtype, level):
        capacity, first_arena = LEVELS[level]
        self.words = np.empty(capacity, np.uint16)
        self.left, self.right = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
        self.size_ids, self.offsets = np.empty(capacity, np.uint16), np.empty(capacity, np.int32)
        self.rows, self.sizes = np.empty(4 * capacity, np.int64), np.empty(capacity, np.int64)
        self.entries = np.empty(2 * capacity, np.int64)
        self.starts, self.values, self.derivatives = (np.zeros(MAX_ARENAS + 1, np.int64) for _ in range(3))
        self.frame, self.head = np.zeros(FRAME_LENGTH, np.int64), np.zeros(HEAD_LENGTH, np.int64)
        self.constants = np.empty(capacity, dtype)
        self.arenas, self.adjoints, self.dtype, self.level = [], [], dtype, level
        head = self.head
        for place, array in ((WORDS, self.words), (LEFT, self.left), (RIGHT, self.right), (SIZE_IDS, self.size_ids),
                             (OFFSETS, self.offsets), (SLOTS, self.offsets), (ROWS, self.rows), (SIZES, self.sizes),
                             (ENTRIES, self.entries), (STARTS, self.starts), (VALUES, self.values),
                             (DERIVATIVES, self.derivatives), (TABLE, kernels.ADDRESSES[dtype]), (KINDS_PLACE, KINDS),
                             (FRAME, self.frame)):
            head[place] = address_of(array)
        head[ITEM] = dtype.itemsize
        self.head_address, self.constants_address = address_of(head), address_of(self.constants)
        for name in self._SEEN:
            setattr(self, "see_" + name, memoryview(getattr(self, name)))
        self.see_sizes[0] = 1                # numbers have size 0's id on every tape
        self.first_adjoints = None           # of the first arena, as a memoryview
        self.lock = lock(reentrant=True)
        self.users = 0                       # passes that have the lock or are about to take it: counted first, and let go last
        self.passes = []                     # backward passes that are running on it, one inside the other
        self.levels = None                   # see Pool.lend
        self.grow(first_arena)

    def grow(self, size):
        """Adds an arena of at least `size` elements; each is as large as all before it."""
        count = len(self.arenas)
        start = int(self.starts[count])
        arena = pool.take_array(self.dtype, max(size, min(start, 1 << 24)))
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
            array = pool.take_array(self.dtype, self.arenas[k].size)
            self.derivatives[k] = address_of(array) - int(self.starts[k]) * array.itemsize
            self.adjoints.append(array)
            if k == 0:
                self.first_adjoints = memoryview(array)

    def twins(self):
        """Arrays as large as the arenas, and a table of where they begin, as `derivatives`; they are the caller's."""
        table, arrays = np.zeros_like(self.derivatives), []
        for k, arena in enumerate(self.arenas):
            arrays.append(pool.take_array(self.dtype, arena.size))
            table[k] = address_of(arrays[k]) - int(self.starts[k]) * arena.itemsize
        return arrays, table

    def drop_adjoints(self):
        """Gives the twins back, so that a long chain of tapes needs the adjoints of one or two of them only."""
        self.first_adjoints = None
        while self.adjoints:
            pool.give_array(self.adjoints.pop())
