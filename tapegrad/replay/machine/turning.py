"""Loops over vectors: what a recording has unrolled, one turn of it written as straight code within a loop.

All values of a turn that are read later lie in memory, a turn behind the other, and so do adjoints. What the first turns read of
turns before them is copied to places before the first turn.
"""

import itertools

from .fusing import fused, readers_of
from .moving import MEMORY
from .rolling import Along, Inside, Listed, Outside


class Turns:
    """A :class:`rolling.Roll` with vectors. The last turn stands for all of them: its records are the `nodes` of the loop."""

    def __init__(self, listing, roll, ends, steps):
        self.roll, self.records, self.operands = roll, roll.records, roll.operands
        self.turns, self.last = roll.turns, roll.records[-1].tolist()
        self.front = max([x.back for operands in roll.operands for x in operands if isinstance(x, Inside)], default=0)
        self.before = {}                     # (slot, turn before the first) -> the record that stands for it
        self.listed, self.along = {}, {}     # record that the last turn reads -> what stands there in each turn
        self.suited = self._see()
        readers = readers_of(listing, self.last)
        own = set(roll.records.reshape(-1).tolist())
        read = {x.slot for operands in roll.operands for x in operands if isinstance(x, Inside) and x.back}
        for i in listing.computed:
            if i not in own:
                read.update(self.slot_of(j) for j in listing.operands[i] if j in own)
        read.update(self.slot_of(i) for i in ends if i in own)
        self.ends = {self.last[k] for k in read}             # slots that others read, as records of the last turn
        self.nodes = fused(listing, self.last, readers, self.ends, steps, False) if self.suited else []

    def slot_of(self, i):
        if not hasattr(self, "_slots"):
            self._slots = {i: k for row in self.records.tolist() for k, i in enumerate(row)}
        return self._slots[i]

    def _see(self):
        """Whether one memory can hold what all operands read."""
        outside = set()
        for operands in self.operands:
            for x in operands:
                if isinstance(x, Outside):
                    outside.add(x.record)
                elif isinstance(x, (Listed, Along)):
                    known = self.listed if isinstance(x, Listed) else self.along
                    if known.setdefault(x.records[-1], x.records) != x.records:
                        return False
                else:
                    for turn, i in enumerate(x.first):
                        if self.before.setdefault((x.slot, turn - x.back), i) != i:
                            return False
        return outside.isdisjoint({**self.listed, **self.along})


class Turning:
    """The part of the Generator for loops with vectors."""

    def _place_turns(self, loop):
        """Memory for the values and adjoints of each turn."""
        listing = self.listing

        def laid_out(records, lanes_of):
            places, step = {}, 0
            for i in records:
                aligned = min(64, self.item * lanes_of(i))
                step = -(-step // aligned) * aligned
                places[i] = step
                step += self.item * listing.sizes[i] * lanes_of(i)
            return places, -(-step // 64) * 64
        kept = [i for i in loop.last if i in self.kept]
        loop.places, loop.step = laid_out(kept, self.value_lanes)
        loop.base = self.allocate(loop.step * (loop.turns + loop.front)) + loop.step * loop.front
        sloped = [i for i in loop.last if (self.wanted[i] or self.has_tangent(i)) and i not in self.viewed
                  and (i not in self.group_of or i in self.exposed or (self.tangents and i in self.kept))]
        loop.slopes, loop.slope_step = laid_out(sloped, lambda i: self.lanes)
        loop.slope_base = self.allocate(loop.slope_step * (loop.turns + loop.front)) + loop.slope_step * loop.front

    def in_turns(self, text, i, base, step, places):
        """The address of a record of a loop with vectors: in this turn, or in those before it; seen from outside, in its own."""
        loop, turn, slot = self.turn_of[i]
        place = places[loop.last[slot]]
        if self.loop is not loop:
            return text.at(text.pointer(MEMORY), base + turn * step + place)
        back = turn - (loop.turns - 1)
        return text.at(text.pointer(MEMORY), base + back * step + place, self.turn, step)

    def moved(self, text, numbers):
        """A number that is another one in each turn, in this turn: a name."""
        step = numbers[1] - numbers[0]
        if all(b - a == step for a, b in itertools.pairwise(numbers)):
            if not step:
                return str(numbers[0])
            index = text.made(f"mul nsw i64 {self.turn}, {step}", "i64").name
            return text.made(f"add nsw i64 {index}, {numbers[0]}", "i64").name
        table, name = self.module.table("i64", [str(x) for x in numbers]), text.name()
        text.line(f"{name} = load i64, ptr {text.at(f'@{table}', 0, self.turn, 8)}")
        return name

    def alongside(self, text, i, place_of):
        """The address in this turn of what was computed before the loop, another record in each turn."""
        return text.at(text.pointer(MEMORY), 0, self.moved(text, [place_of(j) for j in self.loop.along[i]]), 1)

    def place_of(self, i):
        """Where the value of a vector is, in bytes of the memory."""
        if i in self.turn_of:
            loop, turn, slot = self.turn_of[i]
            return loop.base + turn * loop.step + loop.places[loop.last[slot]]
        return self.places[i]

    def slope_place_of(self, i):
        """Where its adjoint or tangent is."""
        if i in self.turn_of:
            loop, turn, slot = self.turn_of[i]
            return loop.slope_base + turn * loop.slope_step + loop.slopes[loop.last[slot]]
        if i not in self.slope_places:
            self.slope_places[i] = self.allocate(self.item * self.listing.sizes[i] * self.lanes)
        return self.slope_places[i]

    def shifted(self, text, i, address, lanes):
        """Where a view's source begins in this turn, from where it begins in the last."""
        if self.loop is None or i not in self.turn_of or self.turn_of[i][0] is not self.loop:
            return address
        offsets = self.loop.roll.offsets[self.turn_of[i][2]]
        if len(set(offsets)) == 1:
            return address
        index = self.moved(text, [x - offsets[-1] for x in offsets])
        return text.at(address, 0, index, self.item * lanes)

    def run_turns(self, text, loop, backward):
        """The loop over turns, forward or backward."""
        if not backward:
            self._enter_front(text, loop)
        for j in {j for i in loop.last for j in self.listing.operands[i] if self.listing.sizes[j] == 1}:
            if j not in self.turn_of and j not in loop.listed:
                self.value(text, j)          # before the loop
                if self.tangents and self.active[j]:
                    self.slope(text, j)
        self._forget(text, loop)
        outer, sums = dict(text.slopes), {}
        start, stop, step = (loop.turns - 1, -1, -1) if backward else (0, loop.turns, 1)
        numbers = sorted({j for i in loop.last if self.wanted[i] for j in self.listing.operands[i]
                          if self.listing.sizes[j] == 1 and self.wanted[j] and j not in self.turn_of}) if backward else []
        for j in numbers:
            before = self.slope(text, j)
            sums[j] = text.widened(text.literal(0.0, self.real) if before is None else before, self.lanes)
        with text.loop(start, stop, step) as turn:
            self.loop, self.turn = loop, turn.index
            carried = {j: turn.carry(value) for j, value in sums.items()}
            text.slopes.update(carried)
            for node in reversed(loop.nodes) if backward else loop.nodes:
                (self.backward if backward else self.forward)(text, node)
            after = {j: text.widened(text.slopes[j], self.lanes) for j in carried}
            for j, value in carried.items():
                turn.next(value, after[j])
            self.loop = self.turn = None
        self._forget(text, loop)
        text.slopes.clear()
        text.slopes.update({**outer, **after} if backward else outer)
        if backward:
            self._leave_front(text, loop)

    def _forget(self, text, loop):
        """What registers have of a loop's records is of another turn."""
        for known in (text.values, text.slopes):
            for i in list(known):
                if i in loop.listed or (i in self.turn_of and self.turn_of[i][0] is loop):
                    del known[i]

    def _front(self, loop, slot, turn, base, step, places):
        return base + turn * step + places[loop.last[slot]]

    def _enter_front(self, text, loop):
        """Copies what the first turns read of turns before them."""
        for (slot, turn), i in loop.before.items():
            size, own = self.listing.sizes[i], loop.last[slot]
            if own in loop.places:
                target = text.at(text.pointer(MEMORY), self._front(loop, slot, turn, loop.base, loop.step, loop.places))
                self._copy_to(text, i, target, self.value_lanes(own), size, self.address, self.value, self.value_lanes(i))
            if self.has_tangent(own) and own in loop.slopes:
                target = self._front(loop, slot, turn, loop.slope_base, loop.slope_step, loop.slopes)
                target = text.at(text.pointer(MEMORY), target)
                if self.active[i]:
                    self._copy_to(text, i, target, self.lanes, size, self.slope_address, self.slope, self.lanes)
                else:
                    text.clear(target, self.item * self.lanes * size)

    def _copy_to(self, text, i, target, lanes, size, address, value, source_lanes):
        if size == 1:
            text.store(text.widened(value(text, i), lanes), target, self.real)
        else:
            self.move(text, (size,), (address(text, i), (1,), 0), source_lanes, (target, (1,), 0), lanes, False)

    def _leave_front(self, text, loop):
        """Adds the adjoints of what the first turns have read to those of the records that stood for it."""
        for (slot, turn), i in loop.before.items():
            if not self.wanted[i] or loop.last[slot] not in loop.slopes:
                continue
            source = text.at(text.pointer(MEMORY), self._front(loop, slot, turn, loop.slope_base, loop.slope_step, loop.slopes))
            size = self.listing.sizes[i]
            if size == 1:
                self.add_slope(text, i, text.load(source, self.real, self.lanes))
            else:
                self.move(text, (size,), (source, (1,), 0), self.lanes, (self.slope_address(text, i), (1,), 0), self.lanes, True)
