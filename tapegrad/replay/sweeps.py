"""Sweeps over a program: the tape's own, one after the other without Python in between, and the guards."""
import numpy as np

from .._jit import at, call, helper, same_bytes, sweep
from ..kernels import COLUMNS, numbers
from ..kernels import FORWARD as FORWARD_COLUMN
from ..ops import ACTIVE, CODE_MASK
from ..ops.relation import holds
from ..sweeps import (
    AT,
    CODE,
    COLUMN,
    FINISHED,
    FRAME,
    HEAD_LENGTH,
    ITEM,
    KINDS,
    NEEDS_KERNEL,
    TABLE,
    TOUCHED,
    WORDS,
    _clear,
    _compute,
    _count,
    _derivative,
    _operand,
    _size,
    _value,
    backward,
    tangent,
)

# A guard is a row of integers: its kind; how many elements, and where the expected outcome is: of a relation bytes, of EXACT the
# bits of the value; and for both operands the record (-1: memory outside), the address of that memory, and the size.
KIND, COUNT, EXPECTED, X, Y = 0, 1, 2, 3, 6
GUARD_FIELDS = 9
EXACT = 0                                    # otherwise the number of a relation, plus 1
GUARD = 16                                   # status: that plus the number of the first guard that does not hold
RIPE = 15                                    # status: finished, and it has run as often as RUNS said
RUNS = HEAD_LENGTH                           # in the head of a program: runs until then

_backward, _tangent = helper(backward), helper(tangent)


@helper
def _forward(head, start, stop):
    """Computes the values of records whose places are known."""
    h = at(head, np.int64)
    words, kinds, table = at(h[WORDS], np.uint16), at(h[KINDS], np.int8), at(h[TABLE], np.int64)
    f = at(h[FRAME], np.int64)
    for i in range(start, stop):
        code = np.int64(words[i]) & CODE_MASK
        kind = kinds[code]
        if kind > ACTIVE:
            kernel = table[code * COLUMNS + FORWARD_COLUMN]
            if kernel == 0:
                h[CODE], h[COLUMN] = code, FORWARD_COLUMN
                return NEEDS_KERNEL
            _compute(h, f, kind, i, kernel)
    return FINISHED


@helper
def _finished(h):
    h[RUNS] -= 1
    return RIPE if h[RUNS] == 0 else FINISHED


@helper
def _agrees(g, x, y):
    expected = at(g[EXPECTED], np.uint8)
    x_step, y_step = np.int64(g[X + 2] != 1), np.int64(g[Y + 2] != 1)
    relation, agrees = g[KIND] - 1, True
    for k in range(g[COUNT]):
        agrees &= holds(relation, x[k * x_step], y[k * y_step]) == (expected[k] != 0)
    return agrees


@helper
def _first_broken(head, guards, count):
    """The number of the first guard that does not hold, or -1."""
    h = at(head, np.int64)
    item = h[ITEM]
    for k in range(count):
        row = guards + 8 * GUARD_FIELDS * k
        g = at(row, np.int64)
        x = _value(h, g[X]) if g[X] >= 0 else g[X + 1]
        if g[KIND] == EXACT:
            if not same_bytes(x, g[EXPECTED], g[COUNT] * item):
                return k
            continue
        y = _value(h, g[Y]) if g[Y] >= 0 else g[Y + 1]
        if item == 8:
            if not _agrees(g, at(x, np.float64), at(y, np.float64)):
                return k
        elif not _agrees(g, at(x, np.float32), at(y, np.float32)):
            return k
    return -1


def same(x, y, size):
    """Whether so many bytes at two addresses are the same."""
    return np.int64(same_bytes(x, y, size))


def values(head, count, guards, number):
    """The values of `count` records from the beginning, and the first of `number` guards that does not hold."""
    status = _forward(head, 0, count)
    if status != FINISHED:
        return status
    broken = _first_broken(head, guards, number)
    return _finished(at(head, np.int64)) if broken < 0 else GUARD + broken


def gradient(head, count, guards, number, output, inputs):
    """`values`, and then the adjoints of everything that the record `output`, of one element, depends on; of the first `inputs`
    records those that it does not depend on are made 0."""
    h = at(head, np.int64)
    status = _forward(head, 0, count)
    if status != FINISHED:
        return status
    broken = _first_broken(head, guards, number)
    if broken >= 0:
        return GUARD + broken
    words = at(h[WORDS], np.uint16)
    place = _derivative(h, output)
    if h[ITEM] == 8:
        at(place, np.float64)[0] = 1.0
    else:
        at(place, np.float32)[0] = np.float32(1.0)
    words[output] |= np.uint16(TOUCHED)
    status = _backward(head, output, 0, 1, 0)
    if status != FINISHED:
        return status
    for i in range(inputs):
        if np.int64(words[i]) & TOUCHED:
            words[i] = np.uint16(np.int64(words[i]) & CODE_MASK)
        else:
            _clear(_derivative(h, i), _size(h, i) * h[ITEM])
    return _finished(h)


@helper
def _set_unit(place, size, item, k):
    """Element k is 1, the others 0."""
    _clear(place, size * item)
    if item == 8:
        at(place, np.float64)[k] = 1.0
    else:
        at(place, np.float32)[k] = np.float32(1.0)


@helper
def _collect(h, records, count, out):
    """Copies adjoints or tangents of records, one behind the other, to an address; zeros for those that nothing came to."""
    words, listed = at(h[WORDS], np.uint16), at(records, np.int64)
    for q in range(count):
        i = listed[q]
        nbytes = _size(h, i) * h[ITEM]
        if np.int64(words[i]) & TOUCHED:
            source, target = at(_derivative(h, i), np.int32), at(out, np.int32)
            for b in range(nbytes // 4):     # no element has fewer bytes
                target[b] = source[b]
        else:
            _clear(out, nbytes)
        out += nbytes
    return out


def rows(head, output, inputs, records, count, out):
    """After `values`: for each element of a record the adjoints of other records, one behind the other, to `out`; the first
    `inputs` records are the inputs."""
    h = at(head, np.int64)
    words, size = at(h[WORDS], np.uint16), _size(h, output)
    for k in range(size):
        _set_unit(_derivative(h, output), size, h[ITEM], k)
        words[output] |= np.uint16(TOUCHED)
        status = _backward(head, output, 0, 1, 0)
        if status != FINISHED:
            return status
        out = _collect(h, records, count, out)
        for i in range(inputs):
            words[i] = np.uint16(np.int64(words[i]) & CODE_MASK)
    return FINISHED


def columns(head, stop, start, records, count, out):
    """After `values`: for each element of an input the tangents of other records, one behind the other, to `out`."""
    h = at(head, np.int64)
    words, size = at(h[WORDS], np.uint16), _size(h, start)
    for k in range(size):
        _set_unit(_derivative(h, start), size, h[ITEM], k)
        words[start] |= np.uint16(TOUCHED)
        h[AT] = 0
        status = _tangent(head, stop, 0)
        if status != FINISHED:
            return status
        out = _collect(h, records, count, out)
        for i in range(stop):
            words[i] = np.uint16(np.int64(words[i]) & CODE_MASK)
    return FINISHED


def values_again(head, i, times):
    """The value of one record, so many times: to measure how long that takes."""
    status = np.int64(FINISHED)
    for _ in range(times):
        status = _forward(head, i, i + 1)
    return status


def adjoints_again(head, i, times, before):
    """After `values`: what one record adds to the adjoints of its operands, so many times. `before`: the word of each record,
    as the sweep finds it."""
    h = at(head, np.int64)
    words, given = at(h[WORDS], np.uint16), at(before, np.uint16)
    kind, status = at(h[KINDS], np.int8)[np.int64(given[i]) & CODE_MASK], np.int64(FINISHED)
    for _ in range(times):
        for k in range(_count(h, kind, i)):
            j = _operand(h, kind, i, k)
            words[j] = given[j]
        words[i] = given[i]
        status = _backward(head, i, i, 1, 0)
    return status


# What `interpret` runs, as a row of integers: segments forward and backward (their address and number), and the addresses of
# their instructions; the loops over instructions, forward and backward, and their frame; the memory of adjoints and its bytes,
# where the output's adjoint is; how many records' words, those that are touched, and those that are not.
FORWARD, FORWARDS, VALUES_CODE, BACKWARD, BACKWARDS, ADJOINTS_CODE = range(6)
VALUES_LOOP, ADJOINTS_LOOP, LOOP_FRAME, MEMORY, BYTES, OUTPUT, COUNTED, MARKED, PLAIN = range(6, 15)
PLAN_LENGTH = 15
# A segment is what the sweeps run, the first and the last record; or -1, and from where to where a loop goes.
SEGMENT = 3


@helper
def _run_instructions(p, loop, code, segment):
    f, s = at(p[LOOP_FRAME], np.int64), at(segment, np.int64)
    f[numbers.CODE], f[numbers.STOP] = p[code] + 4 * s[1], s[2] - s[1]
    call(p[loop], p[LOOP_FRAME])


@helper
def _set_words(h, source, count):
    words, given = at(h[WORDS], np.uint16), at(source, np.uint16)
    for i in range(count):
        words[i] = given[i]


def interpret(head, plan, guards, number):
    """As `values` or, where there are segments backward, as `gradient`, by a plan."""
    h, p = at(head, np.int64), at(plan, np.int64)
    segment = p[FORWARD]
    for _ in range(p[FORWARDS]):
        s = at(segment, np.int64)
        if s[0] < 0:
            _run_instructions(p, VALUES_LOOP, VALUES_CODE, segment)
        else:
            status = _forward(head, s[0], s[1] + 1)
            if status != FINISHED:
                return status
        segment += 8 * SEGMENT
    broken = _first_broken(head, guards, number)
    if broken >= 0:
        return GUARD + broken
    if p[BACKWARDS] < 0:
        return FINISHED
    _clear(p[MEMORY], p[BYTES])
    if h[ITEM] == 8:
        at(p[OUTPUT], np.float64)[0] = 1.0
    else:
        at(p[OUTPUT], np.float32)[0] = np.float32(1.0)
    _set_words(h, p[MARKED], p[COUNTED])
    segment = p[BACKWARD]
    for _ in range(p[BACKWARDS]):
        s = at(segment, np.int64)
        if s[0] < 0:
            _run_instructions(p, ADJOINTS_LOOP, ADJOINTS_CODE, segment)
        else:
            status = _backward(head, s[0], s[1], 1, 0)
            if status != FINISHED:
                return status
        segment += 8 * SEGMENT
    _set_words(h, p[PLAIN], p[COUNTED])
    return FINISHED


_compiled = {}


def compiled(function):
    """The compiled form of one of the sweeps above, made on first use."""
    if function not in _compiled:
        _compiled[function] = sweep(function)
    return _compiled[function]
