"""Vectors: groups of elementwise records as one loop each, and what moves, sums and multiplies elements.

Without lanes, a loop takes as many elements at a time as a register holds; with lanes, one element of all of them.
"""
import numpy as np

from ...ops.relation import RELATIONS
from .fusing import MEAN
from .listing import RELATION, strides_of
from .moving import MEMORY

CHUNK = 512                                  # elements of views that overlap, whose adjoints are added together
BLOCK = 256                                  # a sum is made in blocks of so many elements, and in four parts, as in ops.shape
COMPARE = {"less": "olt", "less_equal": "ole", "greater": "ogt", "greater_equal": "oge", "equal": "oeq", "not_equal": "une"}


class Spot:
    """A place in a loop over elements: the name of its number, or a number; how many elements are taken, and how many of them
    count."""

    def __init__(self, index, width=1, count=None):
        self.index, self.width, self.count = index, width, count


class Vectors:
    """The part of the Generator that writes vectors."""

    # Elements in memory ---------------------------------------------------------------------------------------------

    def load_at(self, text, address, spot, lanes, step=1):
        """The element at a spot, from memory that begins at an address."""
        width = self.item * lanes
        address = text.at(address, 0, spot.index, width * step)
        if spot.width == 1:
            return text.load(address, self.real, lanes)
        if spot.count is None:
            return text.load(address, self.real, spot.width)
        return text.load_some(address, self.real, spot.width, spot.count)

    def store_at(self, text, value, address, spot, lanes, step=1):
        address = text.at(address, 0, spot.index, self.item * lanes * step)
        value = text.widened(text.converted(value, self.real), lanes if spot.width == 1 else spot.width)
        if spot.width == 1 or spot.count is None:
            text.store(value, address, self.real)
        else:
            text.store_some(value, address, self.real, spot.count)

    def add_at(self, text, address, spot, value, step=1):
        before = self.load_at(text, address, spot, self.lanes, step)
        self.store_at(text, before + value, address, spot, self.lanes, step)

    def value_lanes(self, i):
        return self.lanes if self.varying[i] else 1

    def vector_value(self, text, i, spot):
        """An element of a record: of a vector from memory, a number from its register."""
        if self.listing.sizes[i] == 1:
            return self.value(text, i)
        return self.load_at(text, self.address(text, i), spot, self.value_lanes(i))

    def each_spot(self, text, size, body, wide):
        """``body(spot)`` for all elements, so many at a time."""
        if wide == 1:
            with text.loop(0, size) as loop:
                body(Spot(loop.index))
            return
        whole = size // wide * wide
        if whole:
            with text.loop(0, whole, wide) as loop:
                body(Spot(loop.index, wide))
        if size > whole:
            body(Spot(str(whole), wide, size - whole))

    # Groups ---------------------------------------------------------------------------------------------------------

    def rule_of(self, text, i, operands):
        """The value of an elementwise record."""
        listing = self.listing
        if listing.codes[i] == RELATION:
            name = RELATIONS[int(np.asarray(listing.plans[i].params).reshape(-1)[0])]
            return text.converted(text.compare(COMPARE[name], *operands), self.real)
        return text.converted(text.apply(listing.ops[i].value, operands), self.real)

    def group_value(self, text, group, i, spot, known, first=False):
        """The value of a record in a loop: what is known, kept, read or computed; the `first` time, nothing was kept yet."""
        if i in known:
            return known[i]
        if i in group.views:
            source, offset, step = group.views[i]
            lanes = self.value_lanes(source)
            address = self.shifted(text, i, text.at(self.address(text, source), offset * self.item * lanes), lanes)
            value = self.load_at(text, address, spot, lanes, step)
        elif i in group.records and (first or i not in self.kept):
            operands = [self.group_value(text, group, j, spot, known, first) for j in self.listing.operands[i]]
            value = self.rule_of(text, i, operands)
        else:
            value = self.vector_value(text, i, spot)
        known[i] = value
        return value

    def numbers_before(self, text, group):
        """Numbers that a loop reads are in registers before it."""
        for i in group.records:
            for j in self.listing.operands[i]:
                if self.listing.sizes[j] == 1:
                    self.value(text, j)
                    if self.tangents and self.active[j]:
                        self.slope(text, j)

    def forward_group(self, text, group):
        listing = self.listing
        self.numbers_before(text, group)

        def body(spot):
            known = {}
            for i in group.records:
                value = self.group_value(text, group, i, spot, known, True)
                if i in self.kept:
                    self.store_at(text, value, self.address(text, i), spot, self.value_lanes(i))
            return [known[j] for j in group.sums.values()]
        if group.sums:
            sums = self.summed(text, group.size, len(group.sums), body)
            for i, value in zip(group.sums, sums):
                value = text.converted(text.literal(0.0, self.real) + value, self.real)      # as the kernel stores it
                self.define(text, i, value / float(group.size) if listing.codes[i] == MEAN else value)
        else:
            self.each_spot(text, group.size, body, self.wide)
        if any(map(self.has_tangent, group.records)):
            self.each_spot(text, group.size, lambda spot: self.tangents_at(text, group, spot),
                           self.wide if self.lanes == 1 else 1)

    def tangents_at(self, text, group, spot):
        """The tangents of a group's records for one element."""
        known, slopes = {}, {}
        for i in filter(self.has_tangent, group.records):
            op, slope = self.listing.ops[i], None
            for k, j in enumerate(self.listing.operands[i]):
                if op.value is None or not self.active[j]:
                    continue
                needed = self.needs(op, k)
                values = [self.group_value(text, group, q, spot, known) if n in needed else None
                          for n, q in enumerate(self.listing.operands[i])]
                z = self.group_value(text, group, i, spot, known) if "z" in needed else None
                part = self.partial(text, op, k, self.group_tangent(text, group, j, spot, slopes), values, z)
                if part is not None:
                    slope = text.converted(part if slope is None else slope + part, self.real)
            slopes[i] = text.literal(0.0, self.real) if slope is None else slope
            if i in self.kept:
                self.store_at(text, slopes[i], self.slope_address(text, i), spot, self.lanes)

    def group_tangent(self, text, group, i, spot, known):
        if i in known:
            return known[i]
        if i in group.views:
            source, offset, step = group.views[i]
            address = text.at(self.slope_address(text, source), offset * self.item * self.lanes)
            value = self.load_at(text, self.shifted(text, i, address, self.lanes), spot, self.lanes, step)
        elif self.listing.sizes[i] == 1:
            return self.slope(text, i)
        elif i in self.through:
            source = self.listing.operands[i][0]
            place = self.walked(text, self.listing.plans[i], spot.index)
            value = self.load_at(text, self.slope_address(text, source), Spot(place), self.lanes)
        else:
            value = self.load_at(text, self.slope_address(text, i), spot, self.lanes)
        known[i] = value
        return value

    def walked(self, text, plan, index):
        """The place in memory that a strided plan comes to in step `index`."""
        shape, strides, offset = strides_of(plan)
        place, behind = str(offset), 1
        for n, stride in reversed(list(zip(shape, strides))):
            if stride and n > 1:
                step = index if behind == 1 else text.made(f"udiv i64 {index}, {behind}", "i64").name
                step = text.made(f"urem i64 {step}, {n}", "i64").name
                step = text.made(f"mul nsw i64 {step}, {stride}", "i64").name
                place = text.made(f"add nsw i64 {place}, {step}", "i64").name
            behind *= n
        return place

    def summed(self, text, size, count, body):
        """The sums of `count` values that ``body(spot)`` gives, in the order of ops.shape.blocked_sum; without lanes."""
        wide, totals = self.wide, [text.literal(0.0)] * count
        nothing = text.widened(text.literal(-0.0, self.real), 4)

        def add(sums, values, groups):
            for g in range(groups):
                sums = [s + text.parts(v, 4 * g, 4) for s, v in zip(sums, values)]
            return sums

        def whole(sums):
            a, b, c, d = zip(*[[text.parts(s, k, 1) for k in range(4)] for s in sums])
            return [(p + q) + (r + s) for p, q, r, s in zip(a, b, c, d)]
        blocks = max((size - 4) // BLOCK, 0)

        def block(start, totals):
            with text.loop(0, BLOCK, wide) as loop:
                carried = [loop.carry(nothing) for _ in range(count)]
                index = text.made(f"add i64 {start}, {loop.index}", "i64").name
                sums = add(carried, body(Spot(index, wide)), wide // 4)
                for before, after in zip(carried, sums):
                    loop.next(before, after)
            return [total + text.converted(part, "double") for total, part in zip(totals, whole(sums))]
        if blocks > 1:
            with text.loop(0, blocks * BLOCK, BLOCK) as loop:
                carried = [loop.carry(total) for total in totals]
                after = block(loop.index, carried)
                for before, value in zip(carried, after):
                    loop.next(before, value)
            totals = after
        elif blocks:
            totals = block("0", totals)
        start, rest = blocks * BLOCK, size - blocks * BLOCK
        fours, sums = rest // 4 * 4, [nothing] * count
        steps = fours // wide * wide
        if steps:
            with text.loop(start, start + steps, wide) as loop:
                carried = [loop.carry(nothing) for _ in range(count)]
                sums = add(carried, body(Spot(loop.index, wide)), wide // 4)
                for before, after in zip(carried, sums):
                    loop.next(before, after)
        values = body(Spot(str(start + steps), wide, rest - steps)) if rest > steps else None
        if fours:
            if values:
                sums = add(sums, values, (fours - steps) // 4)
            totals = [total + text.converted(part, "double") for total, part in zip(totals, whole(sums))]
        for k in range(fours - steps, rest - steps):
            totals = [total + text.converted(text.parts(v, k, 1), "double") for total, v in zip(totals, values)]
        return totals

    def backward_group(self, text, group):
        listing = self.listing
        own = sorted({*group.records, *group.views})
        wanted = [i for i in own if self.wanted[i]]
        if not wanted:
            return
        self.numbers_before(text, group)
        given = {}                           # record -> what a sum sends to each element
        for i, j in group.sums.items():
            g = self.take_slope(text, i) if self.wanted[i] else None
            if g is not None and self.wanted[j]:
                g = g * (1 / group.size) if listing.codes[i] == MEAN else g
                given[j] = text.converted(g if j not in given else given[j] + g, self.real)
        numbers = []                         # that get a part from each element
        for i in group.records:
            for j in listing.operands[i] if self.wanted[i] else ():
                if listing.sizes[j] == 1 and self.wanted[j] and j not in numbers:
                    numbers.append(j)
        width = max(self.lanes, self.wide)
        sums = {j: text.widened(text.literal(0.0, self.real), width) for j in numbers}

        aside = self._aside(group, wanted)

        def body(spot, sums, local=None):
            known, slopes, sums = {}, {}, dict(sums)
            for i in reversed(wanted):
                g = slopes.pop(i, None)
                if i in self.exposed:
                    more = self.load_at(text, self.slope_address(text, i), spot, self.lanes)
                    g = more if g is None else more + g
                if i in given:
                    g = given[i] if g is None else g + given[i]
                if g is None:
                    continue
                g = text.converted(g, self.real)
                if i in group.views and local is not None and i in aside:
                    self.store_at(text, g, text.at(text.pointer(MEMORY), aside[i]), local, 1)
                    continue
                if i in group.views:
                    source, offset, step = group.views[i]
                    address = text.at(self.slope_address(text, source), offset * self.item * self.lanes)
                    self.add_at(text, self.shifted(text, i, address, self.lanes), spot, g, step)
                    continue
                op, operands = listing.ops[i], listing.operands[i]
                if op.value is None:         # a comparison
                    continue
                for k, j in enumerate(operands):
                    if not self.wanted[j]:
                        continue
                    needed = self.needs(op, k)
                    values = [self.group_value(text, group, q, spot, known) if n in needed else None
                              for n, q in enumerate(operands)]
                    z = self.group_value(text, group, i, spot, known) if "z" in needed else None
                    part = self.partial(text, op, k, g, values, z)
                    if part is None:
                        continue
                    if listing.sizes[j] == 1:
                        if spot.count is not None:
                            part = text.first(text.widened(part, spot.width), spot.count)
                        sums[j] = text.converted(sums[j] + part, self.real)
                    elif j in own:
                        slopes[j] = text.converted(part if j not in slopes else slopes[j] + part, self.real)
                    else:
                        self.add_at(text, self.slope_address(text, j), spot, part)
            return sums

        def carried(loop, spot, sums, local=None):
            values = {j: loop.carry(value) for j, value in sums.items()}
            after = body(spot, values, local)
            for j, value in values.items():
                loop.next(value, after[j])
            return {j: text.widened(value, width) for j, value in after.items()}
        size, wide = group.size, self.wide
        start = size // CHUNK * CHUNK if aside else 0
        if start:
            with text.loop(0, start, CHUNK) as chunk:
                outer = {j: chunk.carry(value) for j, value in sums.items()}
                with text.loop(0, CHUNK, wide) as loop:
                    index = text.made(f"add nsw i64 {chunk.index}, {loop.index}", "i64").name
                    sums = carried(loop, Spot(index, wide), outer, Spot(loop.index, wide))
                for j, value in outer.items():
                    chunk.next(value, sums[j])
                for i in sorted(aside, reverse=True):
                    self._add_aside(text, group, i, aside[i], chunk.index)
        whole = size // wide * wide
        if whole > start:
            with text.loop(start, whole, wide) as loop:
                sums = carried(loop, Spot(loop.index, wide), sums)
        if size > whole:
            sums = body(Spot(str(whole), wide, size - whole), sums)
        for j, value in sums.items():
            if wide > 1:
                value = self.across(text, value)
            self.add_slope(text, j, value)

    def _aside(self, group, wanted):
        """Memory for the adjoints of a chunk of views that overlap, by view: added one after the other, they would wait for each
        other's stores."""
        if self.wide == 1 or group.size < 2 * CHUNK:
            return {}
        offsets = {}
        for i in wanted:
            if i in group.views:
                offsets.setdefault(group.views[i][0], set()).add(group.views[i][1])
        return {i: self.allocate(CHUNK * self.item) for i in wanted
                if i in group.views and len(offsets[group.views[i][0]]) > 1}

    def _add_aside(self, text, group, i, place, chunk):
        source, offset, _ = group.views[i]
        with text.loop(0, CHUNK, self.wide) as loop:
            value = self.load_at(text, text.at(text.pointer(MEMORY), place), Spot(loop.index, self.wide), 1)
            address = self.shifted(text, i, text.at(self.slope_address(text, source), offset * self.item), 1)
            address = text.at(address, 0, chunk, self.item)
            self.add_at(text, address, Spot(loop.index, self.wide), value)

    def across(self, text, value):
        """The sum of a register's lanes."""
        while value.lanes > 1:
            half = value.lanes // 2
            value = text.parts(value, 0, half) + text.parts(value, half, half)
        return value

    # Moving elements ------------------------------------------------------------------------------------------------

    def nest(self, text, shape, body):
        """``body(indices)`` for all places of a shape."""
        def inner(k, indices):
            if k == len(shape):
                body(indices)
            elif shape[k] == 1:
                inner(k + 1, [*indices, "0"])
            else:
                with text.loop(0, shape[k]) as loop:
                    inner(k + 1, [*indices, loop.index])
        inner(0, [])

    def offset(self, text, address, indices, strides, lanes, start=0):
        width = self.item * lanes
        address = text.at(address, start * width)
        for index, stride in zip(indices, strides):
            if stride and index != "0":
                address = text.at(address, 0, index, stride * width)
        return address

    def move(self, text, shape, source, source_lanes, out, lanes, adding, scale=None):
        """Copies, or adds, elements. `source` and `out` are (address, strides, offset)."""
        def body(indices):
            value = text.load(self.offset(text, source[0], indices, source[1], source_lanes, source[2]), self.real, source_lanes)
            target = self.offset(text, out[0], indices, out[1], lanes, out[2])
            if scale is not None:
                value = value * scale
            if adding:
                value = text.load(target, self.real, lanes) + value
            text.store(text.widened(text.converted(value, self.real), lanes), target, self.real)
        self.nest(text, shape, body)

    def total_of(self, text, source, source_lanes, size, scale=None):
        """The sum of `size` elements one behind the other, with lanes, in the order of ops.shape.blocked_sum."""
        width = self.item * source_lanes

        def element(index):
            return text.load(text.at(source, 0, index, width), self.real, source_lanes)
        total, start = text.widened(text.literal(0.0), source_lanes), 0
        nothing = text.widened(text.literal(-0.0, self.real), source_lanes)

        def block(begin, length):
            with text.loop(0, length, 4) as loop:
                parts = [loop.carry(nothing) for _ in range(4)]
                index = text.made(f"add i64 {begin}, {loop.index}", "i64").name
                sums = []
                for k, part in enumerate(parts):
                    sums.append(part + element(text.made(f"add i64 {index}, {k}", "i64").name))
                for part, new in zip(parts, sums):
                    loop.next(part, new)
            return text.converted((sums[0] + sums[1]) + (sums[2] + sums[3]), "double")
        blocks = max((size - 4) // BLOCK, 0)
        if blocks > 0:
            with text.loop(0, blocks * BLOCK, BLOCK) as loop:
                carried = loop.carry(total)
                new = carried + block(loop.index, BLOCK)
                loop.next(carried, new)
            total, start = new, blocks * BLOCK
        fours = (size - start) // 4 * 4
        if fours:
            total = total + block(str(start), fours)
        for k in range(start + fours, size):
            total = total + text.converted(element(str(k)), "double")
        return total if scale is None else total * scale
