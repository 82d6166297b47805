"""Loops: what a recording has unrolled, as a loop forward and one backward."""

import itertools

from .moving import MEMORY
from .rolling import Inside, Listed, Outside


class Looping:
    """The part of the Generator for loops over numbers."""

    @staticmethod
    def key(operand):
        """What an operand of turns before is known by."""
        return operand.slot, operand.back, operand.first

    def _is_wanted(self, roll, operand):
        if isinstance(operand, Inside):
            return self.wanted[int(roll.records[0, operand.slot])]
        return isinstance(operand, Outside) and self.wanted[operand.record]

    def _place_roll(self, roll, kept):
        """Memory for what a loop leaves behind in each turn: slots, and operands from turns before."""
        listing, wanted = self.listing, set()
        for k, column in enumerate(roll.records.T.tolist()):
            if any([i in kept for i in column]):
                wanted.add(k)
            first = column[0]
            if not self.wanted[first] or k in roll.elements:
                continue
            for q, operand in enumerate(roll.operands[k]):
                if not self._is_wanted(roll, operand):
                    continue
                for what in self.needs(listing.ops[first], q):
                    read = None if what == "z" else roll.operands[k][what]
                    key = k if what == "z" else read.slot if isinstance(read, Inside) and not read.back else self.key(read) \
                        if isinstance(read, Inside) else None
                    if key is not None and key not in roll.elements:
                        wanted.add(key)
        roll.places, roll.step = {}, 0
        for key in sorted(wanted, key=str):
            roll.places[key] = roll.step
            roll.step += self.item * self.slot_lanes(roll, key if isinstance(key, int) else key[0])
        roll.base = self.allocate(roll.step * roll.turns)
        for k, column in enumerate(roll.records.T.tolist()):
            if k in roll.places:
                for turn, i in enumerate(column):
                    if i in kept:
                        self.places[i] = roll.base + turn * roll.step + roll.places[k]

    def index_of(self, roll, k):
        """The places that an element's slot reads: in turn 0 and the step, or None where they don't move evenly."""
        places = roll.elements[k]
        step = places[1] - places[0]
        return (places[0], step) if all(b - a == step for a, b in itertools.pairwise(places)) else None

    def slot_element(self, text, roll, k, index):
        """(place, index) of the element that a slot reads."""
        even = self.index_of(roll, k)
        if even is not None:
            return even, index
        table = self.module.table("i64", [str(p) for p in roll.elements[k]])
        address = text.at(f"@{table}", 0, index, 8)
        name = text.name()
        text.line(f"{name} = load i64, ptr {address}")
        return (0, 1), name

    def listed(self, text, operand, index):
        numbers = [text.literal(self.listing.constant(i), self.real).name for i in operand.records]
        if len(set(numbers)) == 1:
            return text.literal(self.listing.constant(operand.records[0]), self.real)
        table = self.module.table(self.real, numbers)
        return text.load(text.at(f"@{table}", 0, index, self.item), self.real)

    def slot_lanes(self, roll, k):
        return self.lanes if self.varying[int(roll.records[0, k])] else 1

    def forward_roll(self, text, roll):
        listing = self.listing
        chains = {self.key(x): x for operands in roll.operands for x in operands if isinstance(x, Inside) and x.back}
        for operand in (x for operands in roll.operands for x in operands if isinstance(x, Outside)):
            if listing.sizes[operand.record] == 1:
                self.value(text, operand.record)             # before the loop
        tangents = [self.has_tangent(int(i)) for i in roll.records[0]]
        slope_starts = {key: [self.widened_slope(text, i) for i in x.first] for key, x in chains.items() if tangents[x.slot]}
        for operand in (x for operands in roll.operands for x in operands if isinstance(x, Outside)):
            if listing.sizes[operand.record] == 1 and self.has_tangent(operand.record):
                self.slope(text, operand.record)
        starts = {key: [text.widened(text.converted(self.value(text, i), self.real), self.slot_lanes(roll, x.slot))
                        for i in x.first] for key, x in chains.items()}
        with text.loop(0, roll.turns) as loop:
            carried = {key: [loop.carry(starts[key][x.back - 1 - d]) for d in range(x.back)] for key, x in chains.items()}
            sloping = {key: [loop.carry(slope_starts[key][key[1] - 1 - d]) for d in range(key[1])] for key in slope_starts}
            found, slopes = [], []

            def operand_slope(x):
                if isinstance(x, Inside):
                    if not tangents[x.slot]:
                        return None
                    return slopes[x.slot] if x.back == 0 else sloping[self.key(x)][-1]
                return self.slope(text, x.record) if isinstance(x, Outside) and self.has_tangent(x.record) else None

            def operand_value(x):
                if isinstance(x, Inside):
                    return found[x.slot] if x.back == 0 else carried[self.key(x)][-1]
                return self.value(text, x.record) if isinstance(x, Outside) else self.listed(text, x, loop.index)
            for key, values in carried.items():
                self.leave(text, roll, key, values[-1], loop.index)
            for k, operands in enumerate(roll.operands):
                first = int(roll.records[0, k])
                if k in roll.elements:
                    place, index = self.slot_element(text, roll, k, loop.index)
                    source = listing.operands[first][0]
                    value = self.element(text, source, place, index)
                    slope = self.slope_element(text, source, place, index) if self.has_tangent(source) else None
                else:
                    values = [operand_value(x) for x in operands]
                    value = self.rule_of(text, first, values)
                    slope = self.turn_tangent(text, first, operands, values, value, operand_slope) if tangents[k] else None
                value = text.widened(text.converted(value, self.real), self.slot_lanes(roll, k))
                found.append(value)
                self.leave(text, roll, k, value, loop.index)
                slope = text.widened(text.literal(0.0, self.real) if slope is None else slope, self.lanes)
                slopes.append(slope)
                if tangents[k] and k in roll.slopes:
                    place = text.at(text.pointer(MEMORY), roll.slopes[k], loop.index, self.item * self.lanes)
                    text.store(slope, place, self.real)
            for key, values in carried.items():
                for before, after in zip(values, [found[key[0]], *values]):
                    loop.next(before, after)
            for key, values in sloping.items():
                for before, after in zip(values, [slopes[key[0]], *values]):
                    loop.next(before, after)
        for k, i in enumerate(roll.records[-1].tolist()):
            text.values[i] = found[k]
            if tangents[k]:
                self.define_tangent(text, i, slopes[k])

    def widened_slope(self, text, i):
        value = self.slope(text, i) if self.active[i] else None
        return text.widened(text.literal(0.0, self.real) if value is None else value, self.lanes)

    def turn_tangent(self, text, i, operands, values, z, slope_of):
        """As `tangent`, of a slot."""
        op, total = self.listing.ops[i], None
        for k, x in enumerate(operands):
            slope = slope_of(x) if op.value is not None else None
            part = None if slope is None else self.partial(text, op, k, slope, values, z)
            if part is not None:
                total = text.converted(part if total is None else total + part, self.real)
        return total

    def leave(self, text, roll, key, value, index):
        """Keeps what is read later."""
        if key in roll.places:
            text.store(value, text.at(text.pointer(MEMORY), roll.base + roll.places[key], index, roll.step), self.real)

    def backward_roll(self, text, roll):
        listing, wanted = self.listing, [self.wanted[i] for i in roll.records[0].tolist()]
        if not any(wanted):
            return
        turns, zero = roll.turns, text.literal(0.0, self.real)

        def start_of(i):
            found = self.take_slope(text, i)
            return text.widened(zero if found is None else found, self.lanes)
        chains = {}
        for k, operands in enumerate(roll.operands):
            for x in operands:
                if wanted[k] and isinstance(x, Inside) and x.back and wanted[x.slot]:
                    chains.setdefault(self.key(x), x)
        own = {}                             # slot -> the chain that takes what comes from outside
        for key in chains:
            own.setdefault(key[0], key)
        outer = roll.slopes
        sums = {}
        for k, operands in enumerate(roll.operands):
            for x in operands:
                if wanted[k] and isinstance(x, Outside) and k not in roll.elements and self.wanted[x.record]:
                    before = None if self.early(x.record) else self.slope(text, x.record)
                    sums.setdefault(x.record, text.widened(zero if before is None else before, self.lanes))
        ends = {k: start_of(int(roll.records[-1, k])) for k in range(len(wanted))
                if (wanted[k] and int(roll.records[-1, k]) in text.slopes) or int(roll.records[-1, k]) in self.flushed}
        with text.loop(turns - 1, -1, -1) as loop:
            pending = {key: [loop.carry(ends.pop(x.slot) if d == 0 and own[x.slot] == key and x.slot in ends
                                        else text.widened(zero, self.lanes)) for d in range(x.back)]
                       for key, x in chains.items()}
            last = {k: loop.carry(value) for k, value in ends.items()}
            carried = {i: loop.carry(value) for i, value in sums.items()}
            totals, adjoints, sent = dict(carried), {}, {}
            for key, values in pending.items():
                slot = key[0]
                adjoints[slot] = values[0] if slot not in adjoints else adjoints[slot] + values[0]
            for k, value in last.items():
                adjoints[k] = value if k not in adjoints else adjoints[k] + value
            loaded = {}

            def read(what):
                """A slot's value, or that of an operand, again."""
                if isinstance(what, Outside):
                    return self.value(text, what.record)
                if isinstance(what, Listed):
                    return self.listed(text, what, loop.index)
                key = what if isinstance(what, int) else what.slot if what.back == 0 else self.key(what)
                if key not in loaded:
                    if key in roll.elements:
                        place, index = self.slot_element(text, roll, key, loop.index)
                        source = listing.operands[int(roll.records[0, key])][0]
                        loaded[key] = self.element(text, source, place, index)
                    else:
                        address = text.at(text.pointer(MEMORY), roll.base + roll.places[key], loop.index, roll.step)
                        lanes = self.slot_lanes(roll, key if isinstance(key, int) else key[0])
                        loaded[key] = text.load(address, self.real, lanes)
                return loaded[key]

            for k in range(len(wanted) - 1, -1, -1):
                g, first = adjoints.pop(k, None), int(roll.records[0, k])
                if k in outer:
                    address = text.at(text.pointer(MEMORY), outer[k], loop.index, self.item * self.lanes)
                    more = text.load(address, self.real, self.lanes)
                    g = more if g is None else g + more
                if g is None or not wanted[k]:
                    continue
                g = text.converted(g, self.real)
                if k in roll.elements:
                    source = listing.operands[first][0]
                    if self.wanted[source]:
                        place, index = self.slot_element(text, roll, k, loop.index)
                        self.add_element(text, source, place, g, index)
                    continue
                op, operands = listing.ops[first], roll.operands[k]
                for q, x in enumerate(operands):
                    if not self._is_wanted(roll, x):
                        continue
                    needed = self.needs(op, q)
                    values = [read(y) if p in needed else None for p, y in enumerate(operands)]
                    part = self.partial(text, op, q, g, values, read(k) if "z" in needed else None)
                    if part is None:
                        continue
                    if isinstance(x, Outside):
                        totals[x.record] = text.converted(totals[x.record] + part, self.real)
                    elif x.back == 0:
                        adjoints[x.slot] = part if x.slot not in adjoints else text.converted(adjoints[x.slot] + part, self.real)
                        adjoints[x.slot] = text.converted(adjoints[x.slot], self.real)
                    else:
                        key = self.key(x)
                        sent[key] = text.converted(part if key not in sent else sent[key] + part, self.real)
            final = {}
            for key, values in pending.items():
                new = [*values[1:], sent.get(key, text.widened(zero, self.lanes))]
                final[key] = [text.widened(v, self.lanes) for v in new]
                for before, after in zip(values, new):
                    loop.next(before, after)
            for value in last.values():
                loop.next(value, zero)
            for i, value in carried.items():
                loop.next(value, totals[i])
        for i in sums:
            if self.early(i):
                self.add_slope(text, i, totals[i])
            else:
                text.slopes[i] = totals[i]
        for key, values in final.items():
            first = key[2]
            for d, value in enumerate(values):
                if self.wanted[first[key[1] - 1 - d]]:
                    self.add_slope(text, first[key[1] - 1 - d], value)


