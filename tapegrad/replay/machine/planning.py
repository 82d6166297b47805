"""Looking ahead: what a program's nodes are, what has a part in a derivative, and what must be kept in memory."""
from .fusing import Group, is_costly
from .listing import elementwise
from .rolling import Along, Inside, Outside, Roll
from .turning import Turns

PIECE = 400                                  # records of a function
ALIGNED = 64                                 # bytes


class Planning:
    """The part of the Generator that plans."""

    def _turning(self, nodes, ends, steps):
        """Loops with vectors as such, or as the records that they are."""
        found, self.turn_of, self.loop, self.turn = [], {}, None, None
        for node in nodes:
            if not isinstance(node, Roll) or not node.vectors:
                found.append(node)
                continue
            loop = Turns(self.listing, node, ends, steps)
            found += [loop] if loop.suited else node.records.reshape(-1).tolist()
            if loop.suited:
                self.turn_of.update({i: (loop, turn, slot) for turn, row in enumerate(node.records.tolist())
                                     for slot, i in enumerate(row)})
        return found

    @staticmethod
    def members(node):
        """The records of a node."""
        if isinstance(node, (Roll, Turns)):
            return node.records.reshape(-1).tolist()
        return node.members() if isinstance(node, Group) else [node]

    def _look(self, varying):
        """For each record whether it varies over the samples, and whether it has a part in the derivative."""
        listing, count = self.listing, self.listing.count
        self.varying = [i in varying for i in range(count)]
        self.active = [i in self.by for i in range(count)]
        self.roll_of, self.group_of, self.viewed = {}, {}, set()
        for node in self.nodes:
            if isinstance(node, (Roll, Turns)):
                for flags in (self.varying, self.active):
                    self._spread(node, flags)
            if isinstance(node, Turns):
                for group in node.nodes:
                    self._note_group(group)
                continue
            if isinstance(node, Roll):
                node.slopes = {}
                for turn, records in enumerate(node.records.tolist()):
                    for slot, i in enumerate(records):
                        self.roll_of[i] = node, turn, slot
                continue
            self._note_group(node)
            for i in self.members(node):
                for flags in (self.varying, self.active):
                    flags[i] = any([flags[j] for j in listing.operands[i]])
        self.wanted = [False] * count
        if self.goal is not None:
            self.wanted = [a and n for a, n in zip(self.active, listing.needed([self.goal]))]
            for node in self.nodes:
                if isinstance(node, (Roll, Turns)):
                    self._spread_wanted(node)

    def _spread_wanted(self, roll):
        """A slot is wanted where any turn is, or what stands for it before the loop."""
        columns = roll.records.T.tolist()
        found = [any([self.wanted[i] for i in column]) for column in columns]
        for k, operands in enumerate(roll.operands):
            for x in operands if found[k] else ():
                if isinstance(x, Inside) and any([self.wanted[i] for i in x.first]):
                    found[x.slot] = True
        for flag, column in zip(found, columns):
            for i in column:
                self.wanted[i] = flag

    def _note_group(self, node):
        if isinstance(node, Group):
            self.group_of.update(dict.fromkeys(node.records, node))
            self.viewed.update(node.views)

    @staticmethod
    def _spread(roll, flags):
        """The flags of a loop's slots: those of any turn, and of what stands for them before the loop."""
        found = [False] * len(roll.operands)
        for operand in (x for operands in roll.operands for x in operands if isinstance(x, Inside)):
            found[operand.slot] = found[operand.slot] or any([flags[i] for i in operand.first])

        def flag(operand):
            if isinstance(operand, Inside):
                return found[operand.slot]
            if isinstance(operand, Along):
                return any([flags[i] for i in operand.records])
            return isinstance(operand, Outside) and flags[operand.record]
        before = None
        while before != found:
            before = list(found)
            for k, operands in enumerate(roll.operands):
                found[k] = found[k] or any([flag(operand) for operand in operands])
        for k, column in enumerate(roll.records.T.tolist()):
            for i in column:
                flags[i] = found[k]

    def _cut(self):
        """Pieces of bounded size: what goes into one function."""
        self.pieces, size = [[]], 0
        for node in self.nodes:
            weight = self._weight(node)
            if size and size + weight > PIECE:
                self.pieces.append([])
                size = 0
            self.pieces[-1].append(node)
            size += weight
        self.piece_of = {i: p for p, nodes in enumerate(self.pieces) for node in nodes for i in self.members(node)}
        self.apart, self.weight = len(self.pieces) > 1, sum(map(self._weight, self.nodes))

    def _weight(self, node):
        return len(node.operands) if isinstance(node, (Roll, Turns)) else len(self.members(node))

    def needs(self, op, k):
        """What the adjoint of operand k reads: places of operands, and "z"."""
        return [("xyw".index(name) if name != "z" else "z") for name in sorted(op.partial_needs(k))]

    def _place(self, ends):
        """Which values must be kept in memory. Vectors get their places, and loops those of their slots."""
        listing = self.listing
        kept = self.kept = {i for i in ends if i in self.roll_of or self.apart or listing.sizes[i] != 1}
        self.exposed = set()                 # records of groups whose adjoint comes from outside, too
        for p, nodes in enumerate(self.pieces):
            for node in nodes:
                self._keep_of(node, p)
        for node in self.nodes:
            if isinstance(node, Roll):
                self._place_roll(node, kept)
            elif isinstance(node, Turns):
                self._place_turns(node)
        for i in sorted(kept):
            if i >= listing.inputs and not listing.is_constant(i) and i not in self.roll_of and i not in self.turn_of:
                self.places[i] = self.allocate(self.width(i))
        self.turned = [i for i in sorted(kept) if i < listing.inputs and self.varying[i] and listing.sizes[i] > 1
                       and self._is_read_whole(i)]
        for i in self.turned:
            self.places[i] = self.allocate(self.width(i))

    def _keep_of(self, node, p):
        """What a node of piece p reads and leaves."""
        listing, kept = self.listing, self.kept
        if isinstance(node, Roll):
            for operands in node.operands:
                for operand in operands:
                    for i in self._outer(operand):
                        self._keep(i, p, self.apart)     # the loop backward is in another function
            for k in node.elements:
                kept.update(listing.operands[int(node.records[0, k])])
        elif isinstance(node, Turns):
            for i in (*node.before.values(), *[i for records in node.along.values() for i in records]):
                self._keep(i, p, self.apart or listing.sizes[i] != 1)
            for i in node.last if self.apart else ():
                for j in listing.operands[i]:
                    self._keep(j, p, True)
            for inner in node.nodes:
                self._keep_of(inner, p)
            for i in node.last:
                if listing.sizes[i] == 1 and i not in self.viewed:
                    kept.add(i)
            for i in node.ends:
                self._keep(i, p, True)
        elif isinstance(node, Group):
            self._keep_group(node, p)
        else:
            other = not self.by_rule(node)
            if other:
                kept.add(node)
            for j in listing.operands[node]:
                self._keep(j, p, other or listing.sizes[j] != 1)
            if not other and self.apart and self.wanted[node] and listing.element(node) is None:
                self._keep_for_adjoint(node)

    def _is_read_whole(self, i):
        """Whether an input is read by more than its elements."""
        listing = self.listing
        return any([i in listing.operands[j] and listing.element(j) is None for j in listing.computed]) or i in self.outputs

    def _keep(self, i, p, always=False):
        """A record is read in piece p."""
        if i in self.turn_of:                # the last turn stands for all
            loop, _, slot = self.turn_of[i]
            i, always = loop.last[slot], True
        if always or self.piece_of.get(i, p) != p:
            self.kept.add(i)
        if self.early(i):
            self.kept.add(i)
            roll, _, slot = self.roll_of[i]
            if (self.wanted[i] or (self.tangents and self.active[i])) and slot not in roll.slopes:
                roll.slopes[slot] = self.allocate(self.item * self.lanes * roll.turns)
        if i in self.group_of:
            self.exposed.add(i)

    def early(self, i):
        """Whether a record is of a turn of a loop that is not the last one: what it leaves behind is in memory."""
        return i in self.roll_of and self.roll_of[i][1] < self.roll_of[i][0].turns - 1

    def _keep_for_adjoint(self, i):
        op, operands = self.listing.ops[i], self.listing.operands[i]
        for k, j in enumerate(operands):
            if self.wanted[j]:
                for what in self.needs(op, k):
                    self.kept.add(i if what == "z" else operands[what])

    def _keep_group(self, group, p):
        listing, own = self.listing, {*group.records, *group.views}
        for i in group.records:
            for j in listing.operands[i]:
                if j not in own:
                    self._keep(j, p, self.apart or listing.sizes[j] != 1)
        self.kept.update(source for source, _, _ in group.views.values())
        for source, _, _ in group.views.values():
            self._keep(source, p, True)
        if self.apart:
            self.kept.update(group.sums)
        # What the adjoints read is computed again from what was kept, but for what is costly
        reading, seen = [], set()
        for i in group.records:
            op, operands = listing.ops[i], listing.operands[i]
            for k, j in enumerate(operands):
                if ((self.wanted[i] and self.wanted[j]) or (self.has_tangent(i) and self.active[j])) and op.value is not None:
                    reading += [i if what == "z" else operands[what] for what in self.needs(op, k)]
        while reading:
            i = reading.pop()
            if i in seen:
                continue
            seen.add(i)
            if i in group.records:
                if is_costly(listing.ops[i]):
                    self.kept.add(i)
                else:
                    reading += listing.operands[i]
            elif listing.sizes[i] == 1 and self.apart:
                self.kept.add(i)

    @staticmethod
    def _outer(operand):
        if isinstance(operand, Inside):
            return operand.first
        return (operand.record,) if isinstance(operand, Outside) else ()

    def by_rule(self, i):
        """Whether a record is written out: an operation on numbers."""
        listing = self.listing
        if listing.sizes[i] != 1:
            return False
        numbers = all([listing.sizes[j] == 1 for j in listing.operands[i]])
        return listing.element(i) is not None or (numbers and elementwise(listing, i))

    def width(self, i):
        """Bytes of a record's value."""
        return self.item * self.listing.sizes[i] * self.value_lanes(i)

    def allocate(self, nbytes):
        aligned = ALIGNED if nbytes >= ALIGNED else nbytes if nbytes in (1, 2, 4, 8, 16, 32) else 8
        start = -(-self.room // aligned) * aligned
        self.room = start + nbytes
        return start
