"""Which inputs each element of the outputs depends on, and directions that give all columns of a Jacobian by few sweeps."""
import numpy as np

from ...ops import BY_NAME
from .fusing import MEAN, SUM
from .listing import VIEW, elementwise
from .moving import JOIN, SPREAD, rows_of

MOST = 50_000                                # elements of all records, to look at each of them
TAKE = BY_NAME["take"].code


class Directions:
    """Columns that go into one direction, `lanes` directions a sweep. `seeds`: for each sweep the places, column * lanes + lane,
    that are 1. `entries`: for each sweep (row * lanes + lane, row * columns + column) of what it gives; None where the lanes of a
    sweep are neighbouring columns, which fill whole rows."""

    def __init__(self, rows, columns, lanes, colors=None, entries=None):
        self.rows, self.columns, self.lanes = rows, columns, lanes
        count = columns if colors is None else int(max(colors)) + 1
        self.sweeps = -(-count // lanes)
        self.seeds, self.entries = None, None
        if colors is not None:
            self.seeds = [[] for _ in range(self.sweeps)]
            for column, color in enumerate(colors):
                self.seeds[color // lanes].append(column * lanes + color % lanes)
            self.entries = [[] for _ in range(self.sweeps)]
            for row, column in entries:
                color = colors[column]
                self.entries[color // lanes].append((row * lanes + color % lanes, row * columns + column))


def directions(listing, outputs, by, lanes):
    """The :class:`Directions` for the Jacobian of some outputs by some inputs."""
    columns = sum([listing.sizes[i] for i in by])
    rows = sum([listing.sizes[i] for i in outputs])
    if columns <= lanes or sum(listing.sizes) > MOST:
        return Directions(rows, columns, lanes)
    sets = _sets(listing, outputs, by)
    entries = [(row, column) for row, found in enumerate(element for i in outputs for element in sets[i])
               for column in _bits(found)]
    if not entries or len(entries) > rows * columns // 4:
        return Directions(rows, columns, lanes)
    colors = _colors(entries, columns)
    if (max(colors, default=0) // lanes + 1) * 2 > -(-columns // lanes):
        return Directions(rows, columns, lanes)
    return Directions(rows, columns, lanes, colors, entries)


def _bits(x):
    while x:
        lowest = x & -x
        yield lowest.bit_length() - 1
        x ^= lowest


def _colors(entries, columns):
    """A colour for each column, so that no two of one colour share a row."""
    rows, own = {}, [[] for _ in range(columns)]
    for row, column in entries:
        rows.setdefault(row, []).append(column)
        own[column].append(row)
    colors, used = [], {}                    # row -> the colours that its columns have, as bits
    for column in range(columns):
        taken = 0
        for row in own[column]:
            taken |= used.get(row, 0)
        free = ~taken & (taken + 1)
        for row in own[column]:
            used[row] = used.get(row, 0) | free
        colors.append(free.bit_length() - 1)
    return colors


def _sets(listing, outputs, by):
    """For each needed record the inputs' elements that each of its elements depends on, as bits."""
    sets, start = {}, 0
    for i in range(listing.inputs):
        sets[i] = [0] * listing.sizes[i]
        if i in by:
            sets[i] = [1 << (start + k) for k in range(listing.sizes[i])]
            start += listing.sizes[i]
    needed = listing.needed(outputs)
    for i in range(listing.inputs, listing.count):
        if not needed[i]:
            continue
        size, operands = listing.sizes[i], listing.operands[i]
        if listing.is_constant(i):
            sets[i] = [0] * size
            continue
        found = [sets[j] for j in operands]
        code = listing.codes[i]
        if elementwise(listing, i):
            found = [x * size if len(x) == 1 else x for x in found]
            sets[i] = [_union(x) for x in zip(*found)]
        elif code in (VIEW, SPREAD):
            sets[i] = [found[0][p] for p in _places(listing.plans[i], 0).tolist()]
        elif code == TAKE:
            sets[i] = [found[0][p] for p in np.asarray(listing.plans[i].params)[1:].tolist()]
        elif code in (SUM, MEAN, JOIN):
            sets[i] = [0] * size
            for k, source in enumerate(found):
                for p, x in zip(_places(listing.plans[i], k).tolist(), source):
                    sets[i][p] |= x
        else:
            sets[i] = [_union([x for operand in found for x in operand])] * size
    return sets


def _union(sets):
    found = 0
    for x in sets:
        found |= x
    return found


def _places(plan, k):
    """The places in memory that a strided plan walks through."""
    shape, strides, offset = rows_of(plan, k)
    places = np.full(shape, offset)
    for axis, (n, stride) in enumerate(zip(shape, strides)):
        places += (np.arange(n) * stride).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return places.reshape(-1)
