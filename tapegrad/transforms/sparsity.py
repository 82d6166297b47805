"""Which elements of the inputs each element of a result depends on, read from the tape.

Every element of every record has a *set*: where in a pool its numbers of inputs begin, and how many there are. A compiled
pass goes through the records and makes the sets of the results from those of the operands, by the way that each operation
moves elements. Sets that are equal share their place in the pool, so that a long elementwise expression makes no new ones.
What is not known better counts as depending on everything that the operands depend on: a pattern may have an entry too many,
never one too few.
"""
import hashlib

import numpy as np

from .._jit import at, helper, sweep
from ..autograd.paths import tapes_of
from ..buffers import address_of
from ..ops import ACTIVE, BY_NAME, CODE_MASK, KINDS, MAX_OPS, OPS, PLANNED, UNARY
from ..ops.shape import advance, rows
from ..sweeps import KINDS as KINDS_PLACE
from ..sweeps import RIGHT, ROWS, WORDS, _count, _operand, _size
from ..tape import Link

# How an operation moves elements: z[c] depends on
ALL = 0                                      # every element of every operand
EACH = 1                                     # the elements of the operands at c (or their only one)
READ = 2                                     # the element at the place that a strided plan says for c
WRITE = 3                                    # the elements that a strided plan sends to c
PLACES = 4                                   # the element at a place in a list
ADD = 5                                      # the elements that a list sends to c
SAME = 6                                     # the element at c
JOIN = 7                                     # the element of that operand which is written to c
ASSIGN = 8                                   # the old or the new element
PRODUCT = 9                                  # a row of the first, a column of the second matrix
LANE = 10                                    # a lane that is reduced to c
ROW = 11                                     # a row that is reduced to c
WITHIN = 12                                  # the lane that c is in
SO_FAR = 13                                  # the elements of its lane up to c

WAYS = {"view": READ, "spread": READ, "sum": WRITE, "mean": WRITE, "take": PLACES, "add_at": ADD, "reshape": SAME,
        "concatenate": JOIN, "assign": ASSIGN, "matmul": PRODUCT, "norm": ROW, "softmax": WITHIN, "log_softmax": WITHIN,
        "relation": EACH,
        **dict.fromkeys(("prod", "variance", "deviation", "amax", "amin", "logsumexp"), LANE),
        **dict.fromkeys(("cumsum", "cumprod", "logcumsumexp"), SO_FAR)}

# The state of a pass, an array of integers:
POOL, USED, CAPACITY = 0, 1, 2               # int32: numbers of inputs, set after set
MARKS, STAMP = 3, 4                          # int64 for each input: the number of the union that it was last put in
N = 5                                        # inputs
BASES = 6                                    # int64 for each record: its first element among those of the tape
STARTS, COUNTS = 7, 8                        # int64, int32 for each element: its set
NEEDED, WAY, MASKS = 9, 10, 11               # uint8 for each record; for each opcode; bits of operands with a derivative
CHAIN, LAST = 12, 13                         # int32, scratch: lists of elements by where they go
SCRATCH = 14                                 # int64: the odometer of strided plans
AT = 15                                      # where to go on
OPEN, LARGEST, SETS = 16, 17, 18             # of the union that is being made: its place, and its largest operand; how many
LARGEST_START = 19
SPARE = 20                                   # the first of the elements whose sets a matrix product may use meanwhile
STATE_LENGTH = 21

FINISHED, NEEDS_POOL = 0, 1


@helper
def begin(s):
    """Begins a union."""
    s[STAMP] += 1
    s[OPEN], s[LARGEST], s[LARGEST_START], s[SETS] = s[USED], 0, 0, 0


@helper
def put(s, e):
    """Adds the set of element `e`."""
    start, count = at(s[STARTS], np.int64)[e], np.int64(at(s[COUNTS], np.int32)[e])
    if count == 0 or (count == s[LARGEST] and start == s[LARGEST_START]):
        return
    pool = at(s[POOL], np.int32)
    if s[SETS] == 0:                         # the first one: nothing is copied as long as it stays alone
        s[SETS], s[LARGEST], s[LARGEST_START] = 1, count, start
        return
    marks, used, stamp = at(s[MARKS], np.int64), s[USED], s[STAMP]
    if s[SETS] == 1:
        for i in range(s[LARGEST_START], s[LARGEST_START] + s[LARGEST]):
            pool[used] = pool[i]
            marks[pool[i]] = stamp
            used += 1
        s[SETS] = 2
    for i in range(start, start + count):
        if marks[pool[i]] != stamp:
            marks[pool[i]] = stamp
            pool[used] = pool[i]
            used += 1
    s[USED] = used
    if count > s[LARGEST]:
        s[LARGEST], s[LARGEST_START] = count, start


@helper
def end(s, e):
    """Makes the union the set of element `e`; one that is equal to an operand's takes no room."""
    if s[SETS] > 1 and s[USED] - s[OPEN] > s[LARGEST]:
        at(s[STARTS], np.int64)[e], at(s[COUNTS], np.int32)[e] = s[OPEN], np.int32(s[USED] - s[OPEN])
    else:
        s[USED] = s[OPEN]
        at(s[STARTS], np.int64)[e], at(s[COUNTS], np.int32)[e] = s[LARGEST_START], np.int32(s[LARGEST])


@helper
def share(s, z, x):
    """Element z has the set of element x."""
    starts, counts = at(s[STARTS], np.int64), at(s[COUNTS], np.int32)
    starts[z], counts[z] = starts[x], counts[x]


@helper
def full(s):
    """Whether there may be no room for one more union."""
    return s[USED] + s[N] > s[CAPACITY]


@helper
def clear_lists(s, n):
    last = at(s[LAST], np.int32)
    for c in range(n):
        last[c] = -1


@helper
def enlist(s, c, place):
    chain, last = at(s[CHAIN], np.int32), at(s[LAST], np.int32)
    chain[c] = last[place]
    last[place] = np.int32(c)


@helper
def unite_lists(s, z, x, n):
    """The set of each of n elements from z on is the union over its list, of elements from x on."""
    chain, last = at(s[CHAIN], np.int32), at(s[LAST], np.int32)
    for c in range(n):
        if full(s):
            return NEEDS_POOL
        begin(s)
        k = last[c]
        while k >= 0:
            put(s, x + k)
            k = chain[k]
        end(s, z + c)
    return FINISHED


@helper
def strided_places(s, plan, z, x, way):
    """READ: z[c] from x at the place of c. JOIN: to that place. WRITE: a list for each place."""
    scratch = at(s[SCRATCH], np.int64)
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        for i in range(length):
            if way == READ:
                share(s, z + place + i, x + start + i * step)
            elif way == JOIN:
                share(s, z + start + i * step, x + place + i)
            else:
                enlist(s, place + i, start + i * step)
        place += length
        start = advance(plan, scratch, start)


@helper
def each(s, h, kind, code, i, z, n):
    bases, mask = at(s[BASES], np.int64), np.int64(at(s[MASKS], np.uint8)[code])
    for c in range(n):
        if full(s):
            return NEEDS_POOL
        begin(s)
        for k in range(_count(h, kind, i)):
            if mask & (1 << k):
                j = _operand(h, kind, i, k)
                put(s, bases[j] + (c if _size(h, j) > 1 else 0))
        end(s, z + c)
    return FINISHED


@helper
def product(s, plan, z, x, y, scratch):
    """From `scratch` on there are free elements for a set of each row of x and each column of y."""
    batch, m, k, n, x_step, y_step = plan[0], plan[1], plan[2], plan[3], plan[4], plan[5]
    for b in range(batch):
        for i in range(m):
            if full(s):
                return NEEDS_POOL
            begin(s)
            for l in range(k):
                put(s, x + b * x_step + i * k + l)
            end(s, scratch + i)
        for j in range(n):
            if full(s):
                return NEEDS_POOL
            begin(s)
            for l in range(k):
                put(s, y + b * y_step + l * n + j)
            end(s, scratch + m + j)
        for i in range(m):
            for j in range(n):
                if full(s):
                    return NEEDS_POOL
                begin(s)
                put(s, scratch + i)
                put(s, scratch + m + j)
                end(s, z + (b * m + i) * n + j)
    return FINISHED


@helper
def lanes(s, plan, z, x, way):
    outer, length = plan[0], plan[1]
    inner = 1 if way == ROW else plan[2]
    for o in range(outer):
        for k in range(inner):
            start = x + o * length * inner + k
            if way == SO_FAR:
                for l in range(length):
                    if full(s):
                        return NEEDS_POOL
                    e = z + (o * length + l) * inner + k
                    begin(s)
                    if l > 0:
                        put(s, e - inner)
                    put(s, start + l * inner)
                    end(s, e)
                continue
            if full(s):
                return NEEDS_POOL
            begin(s)
            for l in range(length):
                put(s, start + l * inner)
            if way == WITHIN:
                first = z + o * length * inner + k
                if length > 0:
                    end(s, first)
                for l in range(1, length):
                    share(s, first + l * inner, first)
            else:
                end(s, z + o * inner + k)
    return FINISHED


@helper
def everything(s, h, kind, i, z, n):
    bases = at(s[BASES], np.int64)
    if full(s):
        return NEEDS_POOL
    begin(s)
    for k in range(_count(h, kind, i)):
        j = _operand(h, kind, i, k)
        for c in range(_size(h, j)):
            put(s, bases[j] + c)
    if n > 0:
        end(s, z)
    for c in range(1, n):
        share(s, z + c, z)
    return FINISHED


def spread(head, state, stop):
    """Makes the sets of the needed records from AT up to `stop`."""
    h, s = at(head, np.int64), at(state, np.int64)
    words, kinds, needed = at(h[WORDS], np.uint16), at(h[KINDS_PLACE], np.int8), at(s[NEEDED], np.uint8)
    ways, bases = at(s[WAY], np.uint8), at(s[BASES], np.int64)
    for i in range(s[AT], stop):
        s[AT] = i
        code = np.int64(words[i]) & CODE_MASK
        kind = kinds[code]
        if needed[i] == 0 or kind <= ACTIVE:
            continue
        used, way = s[USED], ways[code]
        z, n, x = bases[i], bases[i + 1] - bases[i], bases[_operand(h, kind, i, 0)]
        address = at(h[ROWS], np.int64)[at(h[RIGHT], np.int32)[i] + 1] if kind >= PLANNED else state
        plan, status = at(address, np.int64), FINISHED
        if way == EACH:
            status = each(s, h, kind, code, i, z, n)
        elif way == READ:
            strided_places(s, plan, z, x, READ)
        elif way == WRITE:
            clear_lists(s, n)
            strided_places(s, plan, z, x, WRITE)
            status = unite_lists(s, z, x, n)
        elif way == PLACES:
            for c in range(n):
                share(s, z + c, x + plan[1 + c])
        elif way == ADD:
            clear_lists(s, n)
            for c in range(plan[0]):
                enlist(s, c, plan[1 + c])
            status = unite_lists(s, z, x, n)
        elif way == SAME:
            for c in range(n):
                share(s, z + c, x + c)
        elif way == JOIN:
            for k in range(_count(h, kind, i)):
                block = at(h[ROWS], np.int64)[at(h[RIGHT], np.int32)[i] + 3]
                strided_places(s, at(address + k * block, np.int64), z, bases[_operand(h, kind, i, k)], JOIN)
        elif way == ASSIGN:
            y = bases[_operand(h, kind, i, 1)]
            for c in range(n):
                share(s, z + c, x + c if plan[c] < 0 else y + plan[c])
        elif way == PRODUCT:
            status = product(s, plan, z, x, bases[_operand(h, kind, i, 1)], s[SPARE])
        elif way >= LANE:
            status = lanes(s, plan, z, x, way)
        else:
            status = everything(s, h, kind, i, z, n)
        if status == NEEDS_POOL:
            s[USED] = used                   # the record is done again, with more room
            return NEEDS_POOL
    s[AT] = stop
    return FINISHED


def collect(state, first, stop, out):
    """Writes the sets of the elements from `first` up to `stop` one after another; gives how many numbers there are."""
    s = at(state, np.int64)
    starts, counts, pool, numbers = at(s[STARTS], np.int64), at(s[COUNTS], np.int32), at(s[POOL], np.int32), at(out, np.int32)
    total = 0
    for e in range(first, stop):
        for i in range(starts[e], starts[e] + counts[e]):
            numbers[total] = pool[i]
            total += 1
    return total


_SWEEPS: dict = {}


def compiled(function):
    """The compiled form of one of the functions above, made on first use."""
    if function not in _SWEEPS:
        _SWEEPS[function] = sweep(function)
    return _SWEEPS[function]


_ways, _masks = np.zeros(MAX_OPS, np.uint8), np.zeros(MAX_OPS, np.uint8)
_known: set = set()


def _describe(codes):
    for code in codes:
        if code not in _known:
            op = OPS[code]
            if op.value is not None:
                _ways[code] = EACH
                _masks[code] = sum(1 << k for k in range(op.arity) if op.partials[k] is not None or k in op.refused)
            else:
                _ways[code] = WAYS.get(op.name, ALL)
            _known.add(code)


class Sets:
    """The sets of the elements of one tape."""

    def __init__(self, tape, needed):
        self.needed = needed
        self.bases = np.zeros(tape.n + 1, np.int64)
        sizes = tape.buffers.sizes[tape.buffers.size_ids[:tape.n]]
        np.cumsum(np.where(needed, sizes, 0), out=self.bases[1:])         # only what is needed has sets
        self.total = int(self.bases[-1])
        self.widest = int(sizes[needed.astype(bool)].max(initial=1))
        self.starts, self.counts = np.zeros(self.total, np.int64), np.zeros(self.total, np.int32)

    def reserve(self, extra):
        """Adds elements behind those of the records."""
        self.starts, self.counts = (np.concatenate([a, np.zeros(extra, a.dtype)]) for a in (self.starts, self.counts))


def pattern(leaves, outputs):
    """Which of the elements of the `leaves`, counted through, the elements of the `outputs` depend on: a pair of arrays, the
    numbers of the inputs row after row, and where each row begins."""
    tapes = tapes_of(outputs)
    offsets = np.cumsum([0, *(x.numel() for x in leaves)])
    n = int(offsets[-1])
    places = {id(x): k for k, x in enumerate(leaves)}
    needed = _needed(tapes, outputs)
    state, pool, marks = np.zeros(STATE_LENGTH, np.int64), np.arange(max(16 * n, 1 << 16), dtype=np.int32), np.zeros(n, np.int64)
    state[[USED, N]] = n, n                  # the sets of the inputs themselves come first
    state[MARKS], state[WAY], state[MASKS] = address_of(marks), address_of(_ways), address_of(_masks)
    scratch = np.zeros(128, np.int64)
    state[SCRATCH] = address_of(scratch)
    known: dict = {}
    for tape in tapes:
        tape.evaluate()
        sets = known[tape.serial] = Sets(tape, needed[tape.serial])
        pool = _spread_tape(tape, sets, state, pool, known, places, offsets)
    indices, indptr = [], [0]
    for y in outputs:
        if y._own is not None:              # an input that was handed on, or a constant
            k = places.get(id(y))
            own = np.zeros(0, np.int64) if k is None else np.arange(offsets[k], offsets[k + 1])
            indices.append(own.astype(np.int32))
            indptr.extend((indptr[-1] + np.arange(1, y.numel() + 1) * (k is not None)).tolist())
            continue
        sets = known[y._tape.serial]
        first = sets.bases[y._index]
        indices.append(_collect(state, sets, pool, first, first + y.numel()))
        indptr.extend((indptr[-1] + np.cumsum(sets.counts[first:first + y.numel()], dtype=np.int64)).tolist())
    return np.concatenate([np.zeros(0, np.int32), *indices]), np.array(indptr)


def _needed(tapes, outputs):
    """For each tape a byte for each record: whether an output was computed from it."""
    wanted: dict = {tape.serial: set() for tape in tapes}
    for y in outputs:
        if y._own is None:
            wanted[y._tape.serial].add(y._index)
    needed = {}
    for tape in reversed(tapes):
        tape.evaluate()
        seen = needed[tape.serial] = np.zeros(tape.n, np.uint8)
        records = wanted[tape.serial]
        if not records:
            continue
        seen[list(records)] = 1
        tape.reached(max(records), seen)
        for i, target, _ in tape.inputs:
            if seen[i] and isinstance(target, Link):
                wanted[target.tape.serial].add(target.index)
    return needed


def _spread_tape(tape, sets, state, pool, known, places, offsets):
    words = tape.buffers.words[:tape.n] & np.uint16(CODE_MASK)
    _describe(np.unique(words).tolist())
    products = np.unique(tape.buffers.right[:tape.n][words == BY_NAME["matmul"].code]).tolist()
    if products:
        sets.reserve(max(int(tape.plans[row].params[[1, 3]].sum()) for row in products))
    state[SPARE] = sets.total
    chain, last = np.empty(sets.widest, np.int32), np.empty(sets.widest, np.int32)
    for i, target, _ in tape.inputs:
        if not sets.needed[i]:
            continue
        here = slice(sets.bases[i], sets.bases[i + 1])
        if isinstance(target, Link):
            source = known[target.tape.serial]
            first = source.bases[target.index]
            there = slice(first, first + here.stop - here.start)
            sets.starts[here], sets.counts[here] = source.starts[there], source.counts[there]
        elif id(target) in places:
            k = places[id(target)]
            sets.starts[here], sets.counts[here] = np.arange(offsets[k], offsets[k + 1]), 1
    state[AT] = 0
    for place, array in ((BASES, sets.bases), (STARTS, sets.starts), (COUNTS, sets.counts), (NEEDED, sets.needed),
                         (CHAIN, chain), (LAST, last)):
        state[place] = address_of(array)
    run = compiled(spread)
    hosts = {}
    for i, (host, _) in sorted((tape.hosts or {}).items()):
        if sets.needed[i]:
            hosts[i] = host
    done: dict = {}                          # host -> its set
    for stop in (*hosts, tape.n):
        state[POOL], state[CAPACITY] = address_of(pool), pool.size
        while run(tape.buffers.head_address, address_of(state), stop) == NEEDS_POOL:
            pool = np.concatenate([pool, np.empty(pool.size, np.int32)])
            state[POOL], state[CAPACITY] = address_of(pool), pool.size
        if stop < tape.n:
            if hosts[stop] not in done:
                pool, done[hosts[stop]] = _host_set(hosts[stop], sets, state, pool)
            here = slice(sets.bases[stop], sets.bases[stop + 1])
            sets.starts[here], sets.counts[here] = done[hosts[stop]]
            state[AT] = stop + 1
    return pool


def _host_set(host, sets, state, pool):
    """What Python computes depends on all of its operands."""
    parts = [_collect(state, sets, pool, sets.bases[j], sets.bases[j + 1]) for j in host.operands]
    numbers = np.unique(np.concatenate(parts))
    start = int(state[USED])
    if start + numbers.size > pool.size:
        pool = np.concatenate([pool, np.empty(pool.size + numbers.size, np.int32)])
    pool[start:start + numbers.size] = numbers
    state[USED] = start + numbers.size
    return pool, (start, numbers.size)


def _collect(state, sets, pool, first, stop):
    state[STARTS], state[COUNTS], state[POOL] = address_of(sets.starts), address_of(sets.counts), address_of(pool)
    out = np.empty(int(sets.counts[first:stop].sum()), np.int32)
    compiled(collect)(address_of(state), int(first), int(stop), address_of(out))
    return out


def fingerprint(leaves, outputs):
    """A hash of what was recorded, without the values: equal ones have equal patterns."""
    digest, tapes = hashlib.blake2b(digest_size=16), tapes_of(outputs)
    order = {tape.serial: k for k, tape in enumerate(tapes)}
    places = {id(x): k for k, x in enumerate(leaves)}
    for tape in tapes:
        tape.evaluate()
        n, buffers = tape.n, tape.buffers
        codes = buffers.words[:n] & np.uint16(CODE_MASK)
        kinds = KINDS[codes]
        rows = buffers.rows[:tape.rows].copy()
        rows[np.fromiter(tape.plans, np.int64, len(tape.plans)) + 1] = 0     # where plans are in memory
        for array in (codes, np.where(kinds > ACTIVE, buffers.left[:n], 0),
                      np.where((kinds > ACTIVE) & (kinds != UNARY), buffers.right[:n], 0),
                      buffers.sizes[buffers.size_ids[:n]], rows):
            digest.update(np.ascontiguousarray(array))
        for plan in tape.plans.values():
            digest.update(plan.params)
        entered = [(i, (order[x.tape.serial], x.index) if isinstance(x, Link) else places.get(id(x), -1))
                   for i, x, _ in tape.inputs]
        hosts = [(i, k, host.operands) for i, (host, k) in sorted((tape.hosts or {}).items())]
        digest.update(repr((entered, hosts)).encode())
    digest.update(repr([(order[y._tape.serial], y._index) if y._own is None else (places.get(id(y)), y._shape)
                        for y in outputs]).encode())
    return digest.digest()
