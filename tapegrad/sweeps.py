"""The sweeps over a tape: forward (values), backward (adjoints), tangent. They name no operation.

A record is a word (its opcode and two flags), two operands, a size and an offset, in arrays of their own. The *head* of a
tape is an array of integers that says where those arrays are. A sweep runs until it is done, or until it needs what only
Python can give: a kernel that was not made yet, or memory. It then says so in the head, and goes on when called again.
"""
import numpy as np

from ._jit import at, call, helper, sweep
from .kernels import ADJOINT, BY_PARTS, COLUMNS, FORWARD, IN_PYTHON, NO_KERNEL, SECOND, TANGENT
from .ops import ACTIVE, BINARY, CODE_MASK, PASSIVE, PLANNED, PLANNED_EACH, UNARY
from .ops import frame as _frame

# Flags of a record's word, above the opcode:
TOUCHED = 1 << 12                            # an adjoint or tangent has arrived
CONSUMED = 1 << 13                           # a backward has used it up
IN_PLACE = 1 << 14                           # its result replaced its left operand, whose value counts as overwritten
ALIASED = 1 << 15                            # its value is shared with a view or a detached tensor

# The head of a tape. Addresses of arrays by record:
WORDS = 0                                    # uint16: opcode and flags
LEFT, RIGHT = 1, 2                           # int32: operands; of a planned record RIGHT is its row
SIZE_IDS = 3                                 # uint16: place in the table of sizes
OFFSETS = 4                                  # int32: place in the arenas, in elements; -1 - k: entry k, memory outside
SLOTS = 23                                   # int32: the same of adjoints and tangents; a tape has one place for both
# Addresses of tables:
ROWS = 5                                     # int64: of a planned record size id, address of the plan, operands
SIZES = 6                                    # int64: sizes by their id
ENTRIES = 7                                  # int64, two for each entry: address of the value, place of the adjoint
STARTS, VALUES, DERIVATIVES = 8, 9, 10       # int64 by arena: first offset; addresses of what would be offset 0
TABLE, KINDS, FRAME = 11, 12, 13             # addresses of kernels, kinds of opcodes, the frame
# Numbers:
ITEM = 14                                    # bytes of an element
DONE, TOP, ARENAS = 15, 16, 17               # records evaluated; next free offset; arenas
CODE, COLUMN, MEMORY = 18, 19, 20            # what is needed: a kernel (its opcode and column), elements
AT, OPERAND = 21, 22                         # where to go on
LOW = 24                                     # no record below it, but entries, is touched; 0 where nobody has looked after it
# Of a sweep for products with a Hessian, addresses: by arena, as DERIVATIVES where tangents are then, of adjoints and of their
# tangents; a byte for each record, whether it has a tangent; a 0 in place of one
FIRSTS, SECONDS, MOVING, ZERO = 25, 26, 27, 28
HEAD_LENGTH = 29

FINISHED, NEEDS_KERNEL, NEEDS_MEMORY, USED_UP, OVERWRITTEN, NEEDS_PYTHON = range(6)

# Bits of a path's bytes: a gradient is wanted here, or of something below
WANTED, THROUGH = 1, 2
LISTED = 2                                   # of a record that `reach` has listed before it came there

N, OUT, RESULT, INCOMING, PLAN, OPERANDS = (_frame.SIZE, _frame.OUT, _frame.RESULT, _frame.INCOMING, _frame.PLAN,
                                            _frame.OPERANDS)
INCOMING_TANGENT, FRAME_TANGENTS = _frame.INCOMING_TANGENT, _frame.TANGENTS


@helper
def _place(h, bases, offset):
    """The address of an offset, in the arenas of values or those of adjoints."""
    starts = at(h[STARTS], np.int64)
    arena = 0
    while arena + 1 < h[ARENAS] and offset >= starts[arena + 1]:
        arena += 1
    return at(h[bases], np.int64)[arena] + offset * h[ITEM]


@helper
def _value(h, i):
    """The address of a record's value."""
    offset = at(h[OFFSETS], np.int32)[i]
    if offset >= 0:
        return _place(h, VALUES, np.int64(offset))
    return at(h[ENTRIES], np.int64)[2 * (-1 - np.int64(offset))]


@helper
def _twin(h, bases, i):
    """The address of a record's adjoint or tangent, among those of `bases`."""
    offset = np.int64(at(h[SLOTS], np.int32)[i])
    if offset < 0:
        offset = at(h[ENTRIES], np.int64)[2 * (-1 - offset) + 1]
    return _place(h, bases, offset)


@helper
def _derivative(h, i):
    return _twin(h, DERIVATIVES, i)


@helper
def _size(h, i):
    return at(h[SIZES], np.int64)[at(h[SIZE_IDS], np.uint16)[i]]


@helper
def _count(h, kind, i):
    """How many operands a record has."""
    if kind == UNARY or kind == PLANNED:
        return np.int64(1)
    if kind == BINARY:
        return np.int64(2)
    return at(h[ROWS], np.int64)[at(h[RIGHT], np.int32)[i] + 2]


@helper
def _operand(h, kind, i, k):
    if kind == UNARY or kind == PLANNED or (kind == BINARY and k == 0):
        return np.int64(at(h[LEFT], np.int32)[i])
    if kind == BINARY:
        return np.int64(at(h[RIGHT], np.int32)[i])
    return at(h[ROWS], np.int64)[at(h[RIGHT], np.int32)[i] + 4 + k]


@helper
def _set_plan(h, f, kind, i, k):
    if kind >= PLANNED:
        row = at(h[RIGHT], np.int32)[i]
        rows = at(h[ROWS], np.int64)
        f[PLAN] = rows[row + 1]
        if kind == PLANNED_EACH:
            f[PLAN] += k * rows[row + 3]


@helper
def _set_operands(h, f, kind, i):
    """Values and sizes of all operands; of an operation that takes each by itself, none."""
    if kind != PLANNED_EACH:
        for k in range(_count(h, kind, i)):
            j = _operand(h, kind, i, k)
            f[OPERANDS + 2 * k] = _value(h, j)
            f[OPERANDS + 2 * k + 1] = _size(h, j)


@helper
def _compute(h, f, kind, i, kernel):
    """Calls the kernel of a record, whose place and size are known."""
    f[N], f[OUT] = _size(h, i), _value(h, i)
    if kind == PLANNED_EACH:
        for k in range(_count(h, kind, i)):
            j = _operand(h, kind, i, k)
            f[OPERANDS], f[OPERANDS + 1] = _value(h, j), _size(h, j)
            _set_plan(h, f, kind, i, k)
            call(kernel, h[FRAME])
    else:
        _set_operands(h, f, kind, i)
        _set_plan(h, f, kind, i, 0)
        call(kernel, h[FRAME])


@helper
def _reserve(h, n):
    """Takes the next n elements of the arenas; -1 if the last one is full."""
    top = h[TOP]
    if n >= 8:
        top = (top + 7) & ~7                 # vectors start at a cache line
    if top + n > at(h[STARTS], np.int64)[h[ARENAS]]:
        h[MEMORY] = n + 8
        return np.int64(-1)
    h[TOP] = top + n
    return top


@helper
def _clear(address, size):
    memory = at(address, np.uint8)
    for b in range(size):
        memory[b] = 0


def forward(head, stop):
    """Computes the values of the records from DONE up to `stop`."""
    h = at(head, np.int64)
    words, kinds, table = at(h[WORDS], np.uint16), at(h[KINDS], np.int8), at(h[TABLE], np.int64)
    size_ids, offsets, sizes = at(h[SIZE_IDS], np.uint16), at(h[OFFSETS], np.int32), at(h[SIZES], np.int64)
    f = at(h[FRAME], np.int64)
    for i in range(h[DONE], stop):
        h[DONE] = i
        code = np.int64(words[i]) & CODE_MASK
        kind = kinds[code]
        if kind == PASSIVE:
            continue
        if kind == ACTIVE:                   # its value is there; its adjoint needs a place
            offset = _reserve(h, sizes[size_ids[i]])
            if offset < 0:
                return NEEDS_MEMORY
            at(h[ENTRIES], np.int64)[2 * (-1 - np.int64(offsets[i])) + 1] = offset
            continue
        kernel = table[code * COLUMNS + FORWARD]
        if kernel == 0:
            h[CODE], h[COLUMN] = code, FORWARD
            return NEEDS_KERNEL
        if kind >= PLANNED:
            size_ids[i] = np.uint16(at(h[ROWS], np.int64)[at(h[RIGHT], np.int32)[i]])
        else:
            size_ids[i] = size_ids[at(h[LEFT], np.int32)[i]]
            if kind == BINARY and sizes[size_ids[i]] == 1:
                size_ids[i] = size_ids[at(h[RIGHT], np.int32)[i]]
        offset = _reserve(h, sizes[size_ids[i]])
        if offset < 0:
            return NEEDS_MEMORY
        offsets[i] = np.int32(offset)
        _compute(h, f, kind, i, kernel)
    h[DONE] = stop
    return FINISHED


def backward(head, start, stop, keep, operand):
    """Runs the adjoints of the touched records from `start` down to `stop`, inclusive; `operand` is where to go on.

    The adjoint of a record is complete when the sweep comes to it, since all records that use it come later. Untouched
    records are passed over, and below the lowest touched one nothing is looked at: many graphs may share a tape. A record that
    is not kept is marked as consumed.
    """
    h = at(head, np.int64)
    words, kinds, table = at(h[WORDS], np.uint16), at(h[KINDS], np.int8), at(h[TABLE], np.int64)
    f = at(h[FRAME], np.int64)
    low = h[LOW]
    for i in range(start, stop - 1, -1):
        if i < low:
            break
        word = np.int64(words[i])
        if word & TOUCHED == 0:
            continue
        code = word & CODE_MASK
        kind = kinds[code]
        if kind <= ACTIVE:                   # Python collects it
            continue
        f[N], f[RESULT], f[INCOMING] = _size(h, i), _value(h, i), _derivative(h, i)
        _set_operands(h, f, kind, i)
        for k in range(operand, _count(h, kind, i)):
            j = _operand(h, kind, i, k)
            source = kinds[np.int64(words[j]) & CODE_MASK]
            if source == PASSIVE:
                continue
            column = ADJOINT if kind == PLANNED_EACH else ADJOINT + k
            kernel = table[code * COLUMNS + column]
            if kernel == 0:
                h[CODE], h[COLUMN], h[AT], h[OPERAND], h[LOW] = code, column, i, k, low
                return NEEDS_KERNEL
            if kernel == NO_KERNEL:
                continue
            f[OUT] = _derivative(h, j)
            if np.int64(words[j]) & TOUCHED == 0:
                words[j] |= np.uint16(TOUCHED)
                _clear(f[OUT], _size(h, j) * h[ITEM])
                if source > ACTIVE and j < low:
                    low = j
            if kind == PLANNED_EACH:
                f[N] = _size(h, j)           # the loop's result is this operand's adjoint
            elif kind == PLANNED:
                f[N], f[OPERANDS + 1] = _size(h, j), _size(h, i)
            _set_plan(h, f, kind, i, k)
            call(kernel, h[FRAME])
        operand = 0
        words[i] = np.uint16((word & ~TOUCHED) if keep else (word & ~TOUCHED) | CONSUMED)
    h[LOW] = low
    return FINISHED


def overwritten(head, n, marks, views):
    """Completes the marks, an int32 for each of n records: up to which record its value is not the one that was recorded, 0
    where it is. With what records in place replaced (later records can only come from a backward that records itself, and
    mean the old value) and with the views of that. `views`: a byte for each opcode; those that are copies have no flag."""
    h = at(head, np.int64)
    words, left = at(h[WORDS], np.uint16), at(h[LEFT], np.int32)
    over, view = at(marks, np.int32), at(views, np.uint8)
    for i in range(n):
        if words[i] & IN_PLACE and over[left[i]] <= i:
            over[left[i]] = i + 1
    for i in range(n):
        if view[words[i] & CODE_MASK] and words[i] & ALIASED and over[left[i]] > i and over[i] < over[left[i]]:
            over[i] = over[left[i]]
    return FINISHED


def reach(head, start, stop, seen, found, progress):
    """Lists the entries that a backward from the touched records in `start` down to `stop` will reach or read: adds them to
    `found`, an int32 for each. `seen`: a byte for each record, set for those that are reached. `progress`: two int64, how many
    were found, and below which record none is touched or seen but entries."""
    h = at(head, np.int64)
    words, kinds = at(h[WORDS], np.uint16), at(h[KINDS], np.int8)
    reached, out = at(seen, np.uint8), at(found, np.int32)
    state = at(progress, np.int64)
    count, low = state[0], state[1]
    for i in range(start, stop - 1, -1):
        if i < low:
            break
        word = np.int64(words[i])
        if reached[i] == LISTED or (reached[i] == 0 and word & TOUCHED == 0):
            continue
        kind = kinds[word & CODE_MASK]
        if kind <= ACTIVE:
            out[count] = np.int32(i)
            count += 1
            continue
        for k in range(_count(h, kind, i)):
            j = _operand(h, kind, i, k)
            if reached[j]:
                continue
            if kinds[np.int64(words[j]) & CODE_MASK] > ACTIVE:
                reached[j] = np.uint8(1)
                low = min(low, j)
            else:                            # the walk may end above it
                reached[j] = np.uint8(LISTED)
                out[count] = np.int32(j)
                count += 1
    state[0], state[1] = count, low
    return FINISHED


def verify(head, start, stop, overwritten, needs, path, touched, progress):
    """Touches what a backward from the touched records in `start` down to `stop` will reach, and stops at what it can't use.

    `overwritten`: see there; 0 where nothing is. `needs`: a byte for each kernel, of the operands (bits 0 to 2) and the result
    (bit 7) whose values it reads; one that reads nothing is never used up. `path`: see `paths`; the rest is not looked at, nor
    whether what only slopes of operands off the path read was overwritten; 0 where there is none. `touched`: an int32 for each
    record, where those are listed that this touched. `progress`: as of `reach`.
    """
    h = at(head, np.int64)
    words, kinds = at(h[WORDS], np.uint16), at(h[KINDS], np.int8)
    need, listed, state = at(needs, np.uint8), at(touched, np.int32), at(progress, np.int64)
    for i in range(start, stop - 1, -1):
        if i < state[1]:
            break
        word = np.int64(words[i])
        code = word & CODE_MASK
        kind = kinds[code]
        if word & TOUCHED == 0 or kind <= ACTIVE:
            continue
        if path != 0 and at(path, np.uint8)[i] & THROUGH == 0:
            continue
        h[AT] = i
        for k in range(_count(h, kind, i)):
            j = _operand(h, kind, i, k)
            source = kinds[np.int64(words[j]) & CODE_MASK]
            if source == PASSIVE:
                continue
            if np.int64(words[j]) & TOUCHED == 0:
                words[j] |= np.uint16(TOUCHED)
                listed[state[0]] = np.int32(j)
                state[0] += 1
                if source > ACTIVE and j < state[1]:
                    state[1] = j
            mask = need[code * COLUMNS + (ADJOINT if kind == PLANNED_EACH else ADJOINT + k)]
            if word & CONSUMED and mask:
                return USED_UP
            if overwritten == 0 or (path != 0 and at(path, np.uint8)[j] == 0):
                continue
            over = at(overwritten, np.int32)
            if mask & 128 and over[i] > i:
                h[OPERAND] = i
                return OVERWRITTEN
            for q in range(min(_count(h, kind, i), 3)):
                o = _operand(h, kind, i, q)
                if mask & (1 << q) and over[o] > i and not (word & IN_PLACE and q == 0):
                    h[OPERAND] = o
                    return OVERWRITTEN
    return FINISHED


def paths(head, start, stop, path):
    """Marks from `start` up to, without, `stop` the records that have an operand on a path, by THROUGH."""
    h = at(head, np.int64)
    words, kinds, way = at(h[WORDS], np.uint16), at(h[KINDS], np.int8), at(path, np.uint8)
    for i in range(start, stop):
        kind = kinds[np.int64(words[i]) & CODE_MASK]
        if kind > ACTIVE:
            for k in range(_count(h, kind, i)):
                if way[_operand(h, kind, i, k)]:
                    way[i] |= np.uint8(THROUGH)
    return FINISHED


def tangent(head, stop, operand):
    """Runs the tangents of the records from AT up to `stop`: entries with a tangent are touched, what depends on them gets so."""
    h = at(head, np.int64)
    words, kinds, table = at(h[WORDS], np.uint16), at(h[KINDS], np.int8), at(h[TABLE], np.int64)
    f = at(h[FRAME], np.int64)
    for i in range(h[AT], stop):
        code = np.int64(words[i]) & CODE_MASK
        kind = kinds[code]
        if kind <= ACTIVE:
            continue
        f[N], f[RESULT], f[OUT] = _size(h, i), _value(h, i), _derivative(h, i)
        _set_operands(h, f, kind, i)
        for k in range(operand, _count(h, kind, i)):
            j = _operand(h, kind, i, k)
            if np.int64(words[j]) & TOUCHED == 0:
                continue
            column = TANGENT if kind == PLANNED_EACH else TANGENT + k
            kernel = table[code * COLUMNS + column]
            if kernel == 0:
                h[CODE], h[COLUMN], h[AT], h[OPERAND] = code, column, i, k
                return NEEDS_KERNEL
            if kernel == NO_KERNEL:
                continue
            f[INCOMING] = _derivative(h, j)
            if np.int64(words[i]) & TOUCHED == 0:
                words[i] |= np.uint16(TOUCHED)
                _clear(f[OUT], _size(h, i) * h[ITEM])
            if kind == PLANNED_EACH:
                f[OPERANDS + 1] = _size(h, j)
            _set_plan(h, f, kind, i, k)
            call(kernel, h[FRAME])
        operand = 0
    return FINISHED


@helper
def _set_tangent(h, f, place, i):
    """Address and size of a record's tangent; where it has none, of a 0."""
    if at(h[MOVING], np.uint8)[i]:
        f[place], f[place + 1] = _derivative(h, i), _size(h, i)
    else:
        f[place], f[place + 1] = h[ZERO], 1


@helper
def _add_by_parts(h, f, kind, i, kernel, read):
    """The tangent of an adjoint that is linear in g and in the operands `read`, by the kernel of the adjoint."""
    g = f[INCOMING]
    f[INCOMING] = f[INCOMING_TANGENT]
    call(kernel, h[FRAME])
    f[INCOMING] = g
    for q in range(3):
        if read & (1 << q) and at(h[MOVING], np.uint8)[_operand(h, kind, i, q)]:
            given = f[OPERANDS + 2 * q]
            f[OPERANDS + 2 * q] = _derivative(h, _operand(h, kind, i, q))
            call(kernel, h[FRAME])
            f[OPERANDS + 2 * q] = given


def product(head, start, stop, operand):
    """As `backward`, for adjoints and their tangents, after a sweep for tangents. Nothing is marked as consumed."""
    h = at(head, np.int64)
    words, kinds, table = at(h[WORDS], np.uint16), at(h[KINDS], np.int8), at(h[TABLE], np.int64)
    f, moving = at(h[FRAME], np.int64), at(h[MOVING], np.uint8)
    for i in range(start, stop - 1, -1):
        word = np.int64(words[i])
        if word & TOUCHED == 0:
            continue
        code = word & CODE_MASK
        kind = kinds[code]
        if kind <= ACTIVE:
            continue
        f[N], f[RESULT], g = _size(h, i), _value(h, i), _twin(h, FIRSTS, i)
        f[INCOMING_TANGENT] = _twin(h, SECONDS, i)
        _set_operands(h, f, kind, i)
        for k in range(operand, _count(h, kind, i)):
            j = _operand(h, kind, i, k)
            if moving[j] == 0:               # nothing that is differentiated by leads to it
                continue
            which = 0 if kind == PLANNED_EACH else k
            kernel, second = table[code * COLUMNS + ADJOINT + which], table[code * COLUMNS + SECOND + which]
            if kernel == 0 or second == 0:
                h[CODE], h[COLUMN], h[AT], h[OPERAND] = code, (ADJOINT if kernel == 0 else SECOND) + which, i, k
                return NEEDS_KERNEL
            if kernel == NO_KERNEL or second == NO_KERNEL:
                continue
            if np.int64(words[j]) & TOUCHED == 0:
                words[j] |= np.uint16(TOUCHED)
                _clear(_twin(h, FIRSTS, j), _size(h, j) * h[ITEM])
                _clear(_twin(h, SECONDS, j), _size(h, j) * h[ITEM])
            if second == IN_PYTHON:
                h[AT], h[OPERAND] = i, k
                return NEEDS_PYTHON
            if kind == PLANNED_EACH:
                f[N] = _size(h, j)
            elif kind == PLANNED:
                f[N], f[OPERANDS + 1] = _size(h, j), _size(h, i)
            _set_plan(h, f, kind, i, k)
            f[INCOMING], f[OUT] = g, _twin(h, FIRSTS, j)
            call(kernel, h[FRAME])
            f[OUT] = _twin(h, SECONDS, j)
            if second <= BY_PARTS:
                _add_by_parts(h, f, kind, i, kernel, BY_PARTS - second)
            else:
                _set_tangent(h, f, FRAME_TANGENTS, i)
                for q in range(_count(h, kind, i)):
                    _set_tangent(h, f, FRAME_TANGENTS + 2 + 2 * q, _operand(h, kind, i, q))
                call(second, h[FRAME])
        operand = 0
    return FINISHED


_SWEEPS = {}


def compiled(function):
    """The compiled form of one of the sweeps above, made on first use."""
    if function not in _SWEEPS:
        _SWEEPS[function] = sweep(function)
    return _SWEEPS[function]
