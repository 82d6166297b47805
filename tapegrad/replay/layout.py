"""Where the values and adjoints of a program lie in a workspace's arenas.

Records of a few elements have a place of their own, the same in both. Long vectors of a program that would not stay in cache
share places: a value is kept while a later record reads it, for good if a derivative, a guard or the user does; an adjoint from
the last record that adds to it down to the record itself.
"""
from collections import defaultdict

import numpy as np

from ..ops import ACTIVE, BINARY, KINDS, OPS, PASSIVE, PLANNED_MANY

ALIGNED = 8                                  # elements: vectors start at a cache line
LINED = 4096                                 # elements up to which an input is always copied, not read where it is
SPREAD = 8                                   # elements a record up to which a program counts as one of numbers
SHARED = 1 << 18                             # bytes of values from which on vectors share places


class Layout:
    """``offsets`` of values: -1 - k of entry k, which lies outside; ``slots`` of adjoints; the elements of both arenas."""

    def __init__(self, offsets, slots, values, adjoints):
        self.offsets, self.slots = offsets.astype(np.int32), np.maximum(slots, 0).astype(np.int32)
        self.values, self.adjoints = values, adjoints


def _entered(program):
    """For each record: -1 - k if it is entry k and lies outside, large inputs and constant arrays; otherwise 0."""
    outside, records = np.zeros(program.count, np.int64), program.places[:, 0]
    sizes = program.sizes[program.size_ids[records]]
    far = np.where(records < len(program.inputs), sizes > max(LINED, SPREAD * program.count), sizes != 1)
    outside[records[far]] = -1 - np.flatnonzero(far)
    return outside


def _first(sizes, some):
    """Places for records of some sizes, those of few elements first; and how many elements that are."""
    small, padded = some & (sizes < ALIGNED), -(-sizes // ALIGNED) * ALIGNED
    lengths = np.where(small, sizes, 0)
    start = -(-int(lengths.sum()) // ALIGNED) * ALIGNED
    vectors = np.where(some & ~small, padded, 0)
    places = np.where(small, np.cumsum(lengths) - lengths, start + np.cumsum(vectors) - vectors)
    return places, start + int(vectors.sum())


def to_share(program):
    """Whether it is worth while: most elements are in vectors, and they are many."""
    room = program.whole.values
    return room * program.dtype.itemsize >= SHARED and room > SPREAD * program.count


def whole(program):
    """Where every record has a place of its own."""
    sizes, outside = program.sizes[program.size_ids], _entered(program)
    places, room = _first(sizes, (outside == 0) | (np.arange(program.count) < len(program.inputs)))
    return Layout(np.where(outside, outside, places), places, room, room)


def shared(program):
    """Where long vectors share places."""
    sizes, outside = program.sizes[program.size_ids], _entered(program)
    kinds, count = KINDS[program.words], program.count
    long = (sizes >= ALIGNED) & (kinds > PASSIVE)
    places, room = _first(sizes, ~long & (outside == 0))
    given = [operands(program, i) for i in range(count)]
    kept = {i for i, _ in program.outputs} | set(range(len(program.inputs)))
    fixed = kept | {x[0] for guard in program.guards for x in guard.operands if isinstance(x, tuple)}
    last = list(range(count))
    for i, some in enumerate(given):
        fixed |= _read_by_derivatives(program, i, some, kinds)
        for j in some:
            last[j] = i
    dying = defaultdict(list)
    for j in np.flatnonzero(long & (outside == 0)).tolist():
        if j not in fixed:
            dying[last[j]].append(j)
    arena, offsets = Arena(room), np.where(outside, outside, places)
    for i in range(count):
        if long[i] and not outside[i]:
            offsets[i] = arena.take(sizes[i])
        for j in dying[i]:
            arena.give(offsets[j], sizes[j])
    adjoints, slots, placed = Arena(room), places.copy(), ~long
    for i, touched in ((count, kept), *((i, (i, *given[i])) for i in range(count - 1, -1, -1))):
        for j in touched:                    # the user's at once, others with the last record that adds to them
            if not placed[j]:
                slots[j], placed[j] = adjoints.take(sizes[j]), True
        if i not in kept and i < count and long[i]:
            adjoints.give(slots[i], sizes[i])
    return Layout(offsets, slots, arena.top, adjoints.top)


class Arena:
    """Places for vectors, used again by vectors of the same size."""

    def __init__(self, start):
        self.top, self.free = -(-start // ALIGNED) * ALIGNED, defaultdict(list)

    def take(self, size):
        size = -(-int(size) // ALIGNED) * ALIGNED
        if self.free[size]:
            return self.free[size].pop()
        self.top += size
        return self.top - size

    def give(self, place, size):
        self.free[-(-int(size) // ALIGNED) * ALIGNED].append(int(place))


def _read_by_derivatives(program, i, given, kinds):
    """The records whose values an adjoint or a tangent of record `i` reads."""
    op = OPS[program.words[i]]
    if op.adjoint is not None or all(op.bodies.get(("adjoint", k), op) is None for k in range(op.arity)):
        return set()
    if op.value is None:                     # loops that are written out may read anything
        return {i, *given}
    names = {name for k, j in enumerate(given) if kinds[j] != PASSIVE for name in op.partial_needs(k)}
    return {j for name, j in zip("xyw", given) if name in names} | ({i} if "z" in names else set())


def operands(program, i):
    """The records that a record reads."""
    kind = KINDS[program.words[i]]
    if kind <= ACTIVE:
        return []
    if kind == BINARY:
        return [int(program.left[i]), int(program.right[i])]
    if kind >= PLANNED_MANY:
        row = int(program.right[i])
        return program.rows[row + 4:row + 4 + int(program.rows[row + 2])].tolist()
    return [int(program.left[i])]
