"""Writes a program as machine code: the values of its records forward, their adjoints backward.

Numbers live in registers. Where they are needed in another function or in a loop backward, and vectors always, they lie in the
*memory* of a workspace; inputs, outputs and gradients are read and written where the caller has them. What is unrolled becomes
loops again (see rolling), and long straight lines are cut into functions of bounded size, so that compiling takes time linear
in the text.

The code is called with the address of a table, `io`: the addresses of MEMORY, CONSTANTS, ROWS and KERNELS, then of each input,
each output and each input's gradient, or of the Jacobian. It gives FINISHED, or GUARD and the number of the guard that does not hold.

With several `lanes`, as many samples are computed side by side: numbers that depend on an input that varies over the samples, and
all adjoints, are vectors over the samples, in registers and in memory. The code then takes the first sample and the end, a
multiple of the lanes apart, and gives the end, or the sample where a guard did not hold.
"""
import numpy as np

from ..._jit import llvm
from ...kernels import arrays as plain
from ...ops.table import rebind
from ...sweeps import FINISHED
from ..sweeps import GUARD
from .fusing import Group, elementwise, fused, is_costly
from .listing import Listing
from .looping import Looping
from .moving import CONSTANTS, MEMORY, Moving
from .pattern import directions
from .rolling import Inside, Outside, Roll, rolled
from .text import Module, Text, Value, vector
from .vectors import COMPARE, Vectors

POINTERS = 4                                 # of the table; then come the inputs, the outputs and the gradients
PIECE = 400                                  # records of a function
ALIGNED = 64                                 # bytes


class Unsuited(Exception):
    """Says why a program stays with the interpreter."""


class Function(Text):
    """One function of the module, and which records it has in registers."""

    def __init__(self, generator, name):
        super().__init__(generator.module)
        self.generator, self.title = generator, name
        self.values, self.slopes = {}, {}    # by record
        self._pointers = {}
        self._first = None

    def pointer(self, k):
        """The k-th address of the table."""
        if k not in self._pointers:
            self._pointers[k] = f"%p{k}"
        return self._pointers[k]

    def finish(self):
        """Its whole text."""
        used = sorted(self._pointers)
        self.signature = used
        arguments = ", ".join(["i64 %sample", *[f"ptr noalias %p{k}" for k in used]])
        body = "\n".join([f"define internal i64 @{self.title}({arguments}) {{", "start:", *self.lines, f"  ret i64 {FINISHED}", "}"])
        self.module.functions.append(body)


class Generator(Vectors, Moving, Looping):
    """Writes one program. `gradient`: the number of the output whose gradient by the inputs of the numbers `by` is wanted, too, or
    None; `tangents`: that the Jacobian of all outputs by them is wanted instead, by tangents for `lanes` directions at a time.
    `varying`: the numbers of inputs of which there is one for each sample; `lanes` samples are computed side by side, or one after
    the other where lanes are directions."""

    def __init__(self, program, gradient=None, by=(), varying=(), lanes=1, tangents=False):
        self.program, self.lanes, self.by, self.tangents = program, lanes, frozenset(by), tangents
        self.samples = lanes > 1 and not tangents
        self.real = "double" if program.dtype.itemsize == 8 else "float"
        self.item = program.dtype.itemsize
        self.wide = 1 if lanes > 1 else max(llvm.register_bytes() // self.item, 4)
        self.module, self.listing = Module(), Listing(program)
        self.room, self.frame = 0, None
        self.places, self.slope_places, self.flushed = {}, {}, set()
        self.outputs = {}                    # record -> numbers of outputs
        for k, (i, _) in enumerate(program.outputs):
            self.outputs.setdefault(self.listing.root[i], []).append(k)
        if program.others:
            raise Unsuited("it has guards that NumPy looks after")
        if lanes > 1 and 0 in self.listing.sizes:
            raise Unsuited("it has empty arrays")                # loops run at least once
        self.goal = None if gradient is None else self.listing.root[program.outputs[gradient][0]]
        guarded = [self.listing.root[x[0]] for guard in program.guards for x in guard.operands if isinstance(x, tuple)]
        ends = {*self.outputs, *guarded}
        needed = self.listing.needed(ends)
        nodes = rolled(self.listing, [i for i in self.listing.computed if needed[i]])
        self.nodes = fused(self.listing, nodes, ends, (1,) if lanes == 1 else None, lanes == 1)
        self.sampled = frozenset(varying)
        self._look(() if tangents else varying)
        self._cut()
        self._place(ends)
        if tangents:
            self.directions = directions(self.listing, [self.listing.root[i] for i, _ in program.outputs], self.by, lanes)
            self.seeds = self.allocate(self.item * lanes * (self.directions.columns + lanes))
            self.found = self.allocate(self.item * lanes * self.directions.rows)

    # Looking ahead --------------------------------------------------------------------------------------------------

    @staticmethod
    def members(node):
        """The records of a node."""
        if isinstance(node, Roll):
            return node.records.reshape(-1).tolist()
        return node.members() if isinstance(node, Group) else [node]

    def _look(self, varying):
        """For each record whether it varies over the samples, and whether it has a part in the derivative."""
        listing, count = self.listing, self.listing.count
        self.varying = [i in varying for i in range(count)]
        self.active = [i in self.by for i in range(count)]
        self.roll_of, self.group_of, self.viewed = {}, {}, set()
        for node in self.nodes:
            if isinstance(node, Roll):
                for flags in (self.varying, self.active):
                    self._spread(node, flags)
                node.slopes = {}
                for turn, records in enumerate(node.records.tolist()):
                    for slot, i in enumerate(records):
                        self.roll_of[i] = node, turn, slot
                continue
            if isinstance(node, Group):
                self.group_of.update(dict.fromkeys(node.records, node))
                self.viewed.update(node.views)
            for i in self.members(node):
                for flags in (self.varying, self.active):
                    flags[i] = any([flags[j] for j in listing.operands[i]])
        self.wanted = [False] * count
        if self.goal is not None:
            self.wanted = [a and n for a, n in zip(self.active, listing.needed([self.goal]))]
            for node in self.nodes:
                if isinstance(node, Roll):
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

    @staticmethod
    def _spread(roll, flags):
        """The flags of a loop's slots: those of any turn, and of what stands for them before the loop."""
        found = [False] * len(roll.operands)
        for operand in (x for operands in roll.operands for x in operands if isinstance(x, Inside)):
            found[operand.slot] = found[operand.slot] or any([flags[i] for i in operand.first])

        def flag(operand):
            if isinstance(operand, Inside):
                return found[operand.slot]
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
        return len(node.operands) if isinstance(node, Roll) else len(self.members(node))

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
                if isinstance(node, Roll):
                    for operands in node.operands:
                        for operand in operands:
                            for i in self._outer(operand):
                                self._keep(i, p)
                    for k in node.elements:
                        kept.update(listing.operands[int(node.records[0, k])])
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
        for node in self.nodes:
            if isinstance(node, Roll):
                self._place_roll(node, kept)
        for i in sorted(kept):
            if i >= listing.inputs and not listing.is_constant(i) and i not in self.roll_of:
                self.places[i] = self.allocate(self.width(i))
        self.turned = [i for i in sorted(kept) if i < listing.inputs and self.varying[i] and listing.sizes[i] > 1
                       and self._is_read_whole(i)]
        for i in self.turned:
            self.places[i] = self.allocate(self.width(i))

    def _is_read_whole(self, i):
        """Whether an input is read by more than its elements."""
        listing = self.listing
        return any([i in listing.operands[j] and listing.element(j) is None for j in listing.computed]) or i in self.outputs

    def _keep(self, i, p, always=False):
        """A record is read in piece p."""
        if always or self.piece_of.get(i, p) != p:
            self.kept.add(i)
        if self.early(i):
            self.kept.add(i)
            roll, _, slot = self.roll_of[i]
            if (self.wanted[i] or self.tangents and self.active[i]) and slot not in roll.slopes:
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
                    self._keep(j, p, listing.sizes[j] != 1)
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
                if self.wanted[i] and self.wanted[j] and op.value is not None:
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
        return listing.element(i) is not None or (elementwise(listing, i) and all([listing.sizes[j] == 1 for j in listing.operands[i]]))

    def width(self, i):
        """Bytes of a record's value."""
        return self.item * self.listing.sizes[i] * self.value_lanes(i)

    def allocate(self, nbytes):
        aligned = ALIGNED if nbytes >= ALIGNED else nbytes if nbytes in (1, 2, 4, 8, 16, 32) else 8
        start = -(-self.room // aligned) * aligned
        self.room = start + nbytes
        return start

    # Values and places ----------------------------------------------------------------------------------------------

    def address(self, text, i):
        """Where the value of a record is."""
        listing = self.listing
        if i in self.places:
            return text.at(text.pointer(MEMORY), self.places[i])
        if i < listing.inputs and i in self.sampled and self.tangents:
            return text.at(text.pointer(POINTERS + i), 0, "%sample", self.item * listing.sizes[i])
        if i < listing.inputs and self.varying[i] and listing.sizes[i] == 1:
            return text.at(text.pointer(POINTERS + i), 0, "%sample", self.item)
        if i < listing.inputs:
            return text.pointer(POINTERS + i)
        return text.at(text.pointer(CONSTANTS), listing.constants[i] * self.item)

    def value(self, text, i):
        """A number, in a register."""
        found = text.values.get(i)
        if found is None:
            if self.listing.is_constant(i):
                found = text.literal(self.listing.constant(i), self.real)
            else:
                found = text.load(self.address(text, i), self.real, self.value_lanes(i))
            text.values[i] = found
        return found

    def define(self, text, i, value):
        """A number was computed."""
        value = text.converted(value, self.real)
        text.values[i] = value
        if i in self.kept:
            text.store(self.widened(text, i, value), self.address(text, i), self.real)

    def widened(self, text, i, value):
        return text.widened(value, self.lanes) if self.varying[i] else value

    def element(self, text, i, place, index=None):
        """An element of a vector, at a place, or `place` a pair: where in turn 0, and the step."""
        start, step = place if isinstance(place, tuple) else (place, 0)
        if i < self.listing.inputs and self.varying[i] and i not in self.places:
            size = self.listing.sizes[i]
            base = text.at(self.address(text, i), 0, "%sample", self.item * size)
            base = text.at(base, start * self.item, index, step * self.item)
            return text.joined([text.load(text.at(base, lane * size * self.item), self.real) for lane in range(self.lanes)])
        lanes = self.lanes if self.varying[i] else 1
        return text.load(text.at(self.address(text, i), start * self.item * lanes, index, step * self.item * lanes), self.real, lanes)

    # Writing --------------------------------------------------------------------------------------------------------

    def write(self):
        """The module's text."""
        text, backward = None, []
        self.order = []
        for p, nodes in enumerate(self.pieces):
            text = Function(self, f"forward{p}")
            self.order.append(text)
            if p == 0:
                self.turn_inputs(text)
            for node in nodes:
                self.forward(text, node)
            backward.append((p, nodes))
            if p == len(self.pieces) - 1:
                self.write_guards(text)
                self.write_outputs(text)
                if self.tangents:
                    self.write_tangents(text)
            if self.apart or self.goal is None:
                text.finish()
        if self.goal is not None:
            for n, (p, nodes) in enumerate(reversed(backward)):
                if self.apart:
                    text = Function(self, f"backward{p}")
                    self.order.append(text)
                if n == 0:
                    self.begin_backward(text)
                for node in reversed(nodes):
                    self.backward(text, node)
                if p == 0:
                    self.write_gradients(text)
                else:
                    self.flush(text)
                text.finish()
        self.write_entry()
        return str(self.module)

    def forward(self, text, node):
        if isinstance(node, Roll):
            self.forward_roll(text, node)
        elif isinstance(node, Group):
            self.forward_group(text, node)
        elif self.by_rule(node):
            operands, place = self.listing.operands[node], self.listing.element(node)
            if place is not None:
                self.define(text, node, self.element(text, operands[0], place))
                slope = self.slope_element(text, operands[0], place) if self.has_tangent(operands[0]) else None
            else:
                values = [self.value(text, j) for j in operands]
                self.define(text, node, self.rule_of(text, node, values))
                slope = self.tangent(text, node, values, text.values[node], lambda j: self.slope(text, j)) if self.has_tangent(node) else None
            if self.has_tangent(node):
                self.define_tangent(text, node, slope)
        else:
            self.forward_other(text, node)

    def has_tangent(self, i):
        return self.tangents and self.active[i]

    def define_tangent(self, text, i, value):
        text.slopes[i] = text.literal(0.0, self.real) if value is None else text.converted(value, self.real)
        if i in self.kept:
            text.store(text.widened(text.slopes[i], self.lanes), self.slope_address(text, i), self.real)

    def tangent(self, text, i, values, z, slope_of):
        """The tangent of an elementwise record; None where nothing comes to it."""
        op, total = self.listing.ops[i], None
        for k, j in enumerate(self.listing.operands[i]):
            if op.value is not None and self.active[j]:
                slope = slope_of(j)
                part = None if slope is None else self.partial(text, op, k, slope, values, z)
                if part is not None:
                    total = text.converted(part if total is None else total + part, self.real)
        return total

    def backward(self, text, node):
        if isinstance(node, Roll):
            self.backward_roll(text, node)
        elif isinstance(node, Group):
            self.backward_group(text, node)
        elif not self.wanted[node]:
            return
        elif self.by_rule(node):
            g = self.take_slope(text, node)
            if g is None:
                return
            op, operands, place = self.listing.ops[node], self.listing.operands[node], self.listing.element(node)
            if place is not None:
                self.add_element(text, operands[0], place, g)
                return
            for k, j in enumerate(operands):
                if self.wanted[j] and op.value is not None:
                    needed = self.needs(op, k)
                    values = [self.value(text, q) if n in needed else None for n, q in enumerate(operands)]
                    part = self.partial(text, op, k, g, values, self.value(text, node) if "z" in needed else None)
                    if part is not None:
                        self.add_slope(text, j, part)
        else:
            self.backward_other(text, node)

    def partial(self, text, op, k, g, operands, z):
        """What comes to operand k for `g` at the result; None for nothing."""
        rule = op.partials[k]
        if rule is None:
            op.refuse(k)
            return None
        part = text.apply(rule, [g, *operands, z])
        if not op.partial_needs(k) or _nothing_for_nothing(rule, operands, z):
            return part
        return text.select(g == 0.0, text.literal(0.0), part)

    # Adjoints and tangents ------------------------------------------------------------------------------------------

    def slope(self, text, i):
        """The adjoint of a number so far, or its tangent; or None."""
        if i not in text.slopes:
            if self.early(i) and not self.tangents:
                return None                  # it stays in memory
            if i in self.flushed or self.has_tangent(i):
                text.slopes[i] = text.load(self.slope_address(text, i), self.real, self.lanes)
        return text.slopes.get(i)

    def take_slope(self, text, i):
        """The whole adjoint of a number."""
        found = self.slope(text, i)
        text.slopes.pop(i, None)
        self.flushed.discard(i)
        return found

    def set_slope(self, text, i, value):
        if not self.tangents:
            text.slopes[i] = value

    def add_slope(self, text, i, part):
        if self.early(i):
            address = self.slope_address(text, i)
            text.store(text.load(address, self.real, self.lanes) + part, address, self.real)
            return
        before = self.slope(text, i)
        text.slopes[i] = text.converted(part if before is None else before + part, self.real)

    def slope_address(self, text, i):
        """Where the adjoint, or tangent, of a record is."""
        listing = self.listing
        if i < listing.inputs and self.tangents:
            start = sum([listing.sizes[j] for j in self.by if j < i])
            return text.at(text.pointer(MEMORY), self.seeds + start * self.item * self.lanes)
        if i < listing.inputs and listing.sizes[i] > 1 and self.lanes == 1:
            return text.pointer(POINTERS + listing.inputs + len(self.program.outputs) + i)
        if self.early(i):
            roll, turn, slot = self.roll_of[i]
            return text.at(text.pointer(MEMORY), roll.slopes[slot] + turn * self.item * self.lanes)
        if i not in self.slope_places:
            self.slope_places[i] = self.allocate(self.item * listing.sizes[i] * self.lanes)
        return text.at(text.pointer(MEMORY), self.slope_places[i])

    def flush(self, text):
        """Adjoints that later functions go on with."""
        for i, value in text.slopes.items():
            text.store(text.widened(value, self.lanes), self.slope_address(text, i), self.real)
            self.flushed.add(i)
        text.slopes.clear()

    def slope_element(self, text, i, place, index=None):
        """An element of a vector's adjoint or tangent."""
        return text.load(self.element_address(text, i, place, index), self.real, self.lanes)

    def element_address(self, text, i, place, index):
        start, step = place if isinstance(place, tuple) else (place, 0)
        width = self.item * self.lanes
        return text.at(self.slope_address(text, i), start * width, index, step * width)

    def add_element(self, text, i, place, g, index=None):
        """Adds to an element of a vector's adjoint."""
        address = self.element_address(text, i, place, index)
        text.store(text.load(address, self.real, self.lanes) + g, address, self.real)

    def begin_backward(self, text):
        listing = self.listing
        for i in range(listing.count):       # adjoints of vectors begin with zeros
            inner = i in self.viewed or i in self.group_of and i not in self.exposed
            if self.wanted[i] and listing.sizes[i] > 1 and not inner:
                text.clear(self.slope_address(text, i), self.item * listing.sizes[i] * self.lanes)
        for node in self.nodes:
            if isinstance(node, Roll):
                for start in node.slopes.values():
                    text.clear(text.at(text.pointer(MEMORY), start), self.item * self.lanes * node.turns)
        if self.wanted[self.goal]:
            self.add_slope(text, self.goal, text.literal(1.0, self.real))

    def write_gradients(self, text):
        """Of inputs that are numbers, and zeros for those that the value does not depend on."""
        listing = self.listing
        for i in sorted(self.by):
            pointer, size = text.pointer(POINTERS + listing.inputs + len(self.program.outputs) + i), listing.sizes[i]
            if size == 1:
                slope = self.slope(text, i)
                slope = slope if slope is not None else text.literal(0.0, self.real)
                text.store(text.widened(slope, self.lanes), text.at(pointer, 0, "%sample", self.item), self.real)
            elif self.lanes == 1:
                if not self.wanted[i]:
                    text.clear(pointer, self.item * size)
            elif size:
                if not self.wanted[i]:
                    text.clear(self.slope_address(text, i), self.item * size * self.lanes)
                self.scatter(text, self.slope_address(text, i), size, pointer)

    # Ends -----------------------------------------------------------------------------------------------------------

    def write_guards(self, text):
        """Leaves the function where a guard does not hold."""
        numbers = [n for n, guard in enumerate(self.program.guards) if guard not in self.program.others]
        for position, n in enumerate(numbers):
            guard = self.program.guards[n]
            good, on = self.holds(text, guard), text.new_label("on")
            leave = text.new_label("broken")
            if good.lanes > 1:
                self.module.declare(f"llvm.vector.reduce.and.v{good.lanes}i1", "i1", [good.type], "")
                good = text.made(f"call i1 @llvm.vector.reduce.and.v{good.lanes}i1({good.type} {good.name})", "i1")
            text.line(f"br i1 {good.name}, label %{on}, label %{leave}")
            text.label(leave)
            text.line(f"ret i64 {GUARD + position}")
            text.label(on)

    def holds(self, text, guard):
        """Whether a guard holds, a value of true and false."""
        outcome = np.asarray(guard.outcome)
        count = outcome.size

        def operand(x, index):
            if not isinstance(x, tuple):
                if np.size(x) == 1:
                    return text.literal(np.reshape(x, -1)[0], self.real)
                table = self.module.table(self.real, [text.literal(v, self.real).name for v in np.reshape(x, -1).tolist()])
                return text.load(text.at(f"@{table}", 0, index, self.item), self.real)
            i = self.listing.root[x[0]]
            if self.listing.sizes[i] == 1:
                return self.value(text, i)
            return self.element(text, i, (0, 1), index)

        def agrees(index):
            if guard.function is None:
                kind = "i64" if self.item == 8 else "i32"
                bits = outcome.reshape(-1).astype(self.program.dtype).view(np.int64 if self.item == 8 else np.int32)
                x = operand(guard.operands[0], index)
                found = text.made(f"bitcast {x.type} {x.name} to {vector(kind, x.lanes)}", kind, x.lanes)
                if count == 1:
                    expected = text.widened(_integer(text, kind, int(bits[0])), x.lanes)
                else:
                    table = self.module.table(kind, [str(b) for b in bits.tolist()])
                    name = text.name()
                    text.line(f"{name} = load {kind}, ptr {text.at(f'@{table}', 0, index, self.item)}")
                    expected = text.widened(type(x)(text, name, kind, 1), x.lanes)
                return text.made(f"icmp eq {found.type} {found.name}, {expected.name}", "i1", x.lanes)
            x, y = (operand(x, index) for x in guard.operands)
            found = text.compare(COMPARE[guard.function.__name__], x, y)
            flat = outcome.reshape(-1)
            if (flat == flat[0]).all():
                return found if flat[0] else text.made(f"xor {found.type} {found.name}, {_ones(found.lanes)}", "i1", found.lanes)
            table = self.module.table("i8", [str(int(v)) for v in flat.tolist()])
            name = text.name()
            text.line(f"{name} = load i8, ptr {text.at(f'@{table}', 0, index, 1)}")
            expected = text.widened(text.made(f"trunc i8 {name} to i1", "i1"), found.lanes)
            differs = text.made(f"xor {found.type} {found.name}, {expected.name}", "i1", found.lanes)
            return text.made(f"xor {found.type} {differs.name}, {_ones(found.lanes)}", "i1", found.lanes)
        if count == 0:
            return text.true()
        if count == 1:
            return agrees("0")
        for x in guard.operands:             # before the loop
            if isinstance(x, tuple) and self.listing.sizes[x[0]] == 1:
                self.value(text, self.listing.root[x[0]])
        lanes = max([self.lanes for x in guard.operands if isinstance(x, tuple) and self.varying[self.listing.root[x[0]]]], default=1)
        with text.loop(0, count) as loop:
            so_far = loop.carry(text.widened(text.true(), lanes))
            both = text.logic("and", so_far, agrees(loop.index))
            loop.next(so_far, both)
        return both

    def write_outputs(self, text):
        listing = self.listing
        for i, numbers in self.outputs.items():
            for k in numbers:
                pointer, size = text.pointer(POINTERS + listing.inputs + k), listing.sizes[i]
                if size == 1:
                    value = text.widened(self.value(text, i), 1 if self.tangents else self.lanes)
                    text.store(value, text.at(pointer, 0, "%sample", self.item), self.real)
                elif self.varying[i]:
                    self.scatter(text, self.address(text, i), size, pointer)
                elif size and self.lanes > 1 and not self.tangents:
                    for lane in range(self.lanes):
                        out = text.at(text.at(pointer, lane * size * self.item), 0, "%sample", self.item * size)
                        self.copy(text, out, self.address(text, i), size * self.item)
                elif size:
                    self.copy(text, text.at(pointer, 0, "%sample", self.item * size), self.address(text, i), size * self.item)

    def write_tangents(self, text):
        """The outputs' tangents, one behind the other, each with all its directions."""
        start = 0
        for i, _ in self.program.outputs:
            i = self.listing.root[i]
            out, nbytes = text.at(text.pointer(MEMORY), self.found + start), self.item * self.lanes * self.listing.sizes[i]
            if not self.active[i]:
                text.clear(out, nbytes)
            elif self.listing.sizes[i] == 1:
                text.store(text.widened(self.slope(text, i), self.lanes), out, self.real)
            else:
                self.copy(text, out, self.slope_address(text, i), nbytes)
            start += nbytes

    def set_seeds(self, text, memory, sweep, x):
        """The directions of a sweep, or zeros again."""
        places, x = self.directions.seeds, text.literal(x, self.real)
        seeds = text.at(memory, self.seeds)
        if places is None:                   # lane l is column sweep * lanes + l
            first = text.at(seeds, 0, sweep, self.item * self.lanes * self.lanes)
            for lane in range(self.lanes):
                text.store(x, text.at(first, lane * (self.lanes + 1) * self.item), self.real)
            return
        for place in self._listed(text, places, sweep, 1):
            text.store(x, text.at(seeds, 0, place[0], self.item), self.real)

    def _listed(self, text, lists, sweep, width):
        """Runs over the list of a sweep, in a loop: names of the numbers of an entry. Made to be run through once."""
        starts = np.cumsum([0, *map(len, lists)]).tolist()
        flat = [str(x) for entries in lists for entry in entries for x in (entry if width > 1 else (entry,))]
        begins, ends, table = (self.module.table("i64", numbers) for numbers in ([str(x) for x in starts[:-1]], [str(x) for x in starts[1:]], flat))
        first, end = text.name(), text.name()
        text.line(f"{first} = load i64, ptr {text.at(f'@{begins}', 0, sweep, 8)}")
        text.line(f"{end} = load i64, ptr {text.at(f'@{ends}', 0, sweep, 8)}")
        with text.loop(first, end) as loop:
            address, names = text.at(f"@{table}", 0, loop.index, 8 * width), []
            for k in range(width):
                names.append(text.name())
                text.line(f"{names[-1]} = load i64, ptr {text.at(address, 8 * k)}")
            yield names

    def write_columns(self, text, memory, out, sweep):
        """What a sweep has found, to its places in the Jacobian."""
        where, width = self.directions, self.item * self.lanes
        found = text.at(memory, self.found)
        if where.entries is not None:
            for source, target in self._listed(text, where.entries, sweep, 2):
                text.store(text.load(text.at(found, 0, source, self.item), self.real), text.at(out, 0, target, self.item), self.real)
            return
        with text.loop(0, where.rows) as loop:
            value = text.load(text.at(found, 0, loop.index, width), self.real, self.lanes)
            target = text.at(text.at(out, 0, loop.index, self.item * where.columns), 0, sweep, width)
            if where.columns % self.lanes == 0:
                text.store(value, target, self.real)
            elif where.sweeps == 1:
                text.store_some(value, target, self.real, where.columns)
            else:
                text.store_while(value, target, self.real, sweep, where.columns)

    def copy(self, text, out, source, nbytes):
        self.module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"], "")
        text.line(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {out}, ptr align 8 {source}, i64 {nbytes}, i1 false)")

    def turn_inputs(self, text):
        """Vectors of the samples side by side, from arrays with one sample behind the other."""
        for i in self.turned:
            size, width = self.listing.sizes[i], self.item * self.lanes
            source = text.at(text.pointer(POINTERS + i), 0, "%sample", self.item * size)
            with text.loop(0, size) as loop:
                near = text.at(source, 0, loop.index, self.item)
                value = text.joined([text.load(text.at(near, lane * size * self.item), self.real) for lane in range(self.lanes)])
                text.store(value, text.at(self.address(text, i), 0, loop.index, width), self.real)

    def scatter(self, text, source, size, out):
        """From memory with the samples side by side to an array with one behind the other."""
        width = self.item * self.lanes
        with text.loop(0, size) as loop:
            value = text.load(text.at(source, 0, loop.index, width), self.real, self.lanes)
            out = text.at(text.at(out, 0, "%sample", self.item * size), 0, loop.index, self.item)
            for lane in range(self.lanes):
                text.store(text.parts(value, lane, 1), text.at(out, lane * size * self.item), self.real)

    def write_entry(self):
        """The function that is called: it finds the addresses, and runs the pieces."""
        text = Text(self.module)
        loaded = {k: text.name() for k in sorted({k for piece in self.order for k in piece.signature})}
        for k, name in loaded.items():
            text.line(f"{name} = load ptr, ptr {text.at('%io', 8 * k)}")

        def run(sample, result):
            for piece in self.order:
                given = ", ".join([f"i64 {sample}", *[f"ptr {loaded[k]}" for k in piece.signature]])
                status, broken, on, leave = text.name(), text.name(), text.new_label("on"), text.new_label("leave")
                text.line(f"{status} = call i64 @{piece.title}({given})")
                text.line(f"{broken} = icmp ne i64 {status}, {FINISHED}")
                text.line(f"br i1 {broken}, label %{leave}, label %{on}")
                text.label(leave)
                text.line(f"ret i64 {result or status}")
                text.label(on)
        if self.tangents:
            memory, out = text.name(), text.name()
            text.line(f"{memory} = load ptr, ptr %io")
            text.line(f"{out} = load ptr, ptr {text.at('%io', 8 * (POINTERS + self.listing.inputs + len(self.program.outputs)))}")
            nbytes = self.item * self.directions.rows * self.directions.columns

            def jacobian(sample, result):
                place = text.at(out, 0, sample, nbytes)
                if self.directions.entries is not None:
                    text.clear(place, nbytes)
                with text.loop(0, self.directions.sweeps) as loop:
                    self.set_seeds(text, memory, loop.index, 1.0)
                    run(sample, result)
                    self.set_seeds(text, memory, loop.index, 0.0)
                    self.write_columns(text, memory, place, loop.index)
            if self.sampled:
                with text.loop("%first", "%end") as loop:
                    jacobian(loop.index, loop.index)
                head, end = "define i64 @run(ptr %io, i64 %first, i64 %end) {", "%end"
            else:
                jacobian("0", None)
                head, end = "define i64 @run(ptr %io) {", FINISHED
        elif self.lanes == 1:
            run("0", None)
            head, end = "define i64 @run(ptr %io) {", FINISHED
        else:
            with text.loop("%first", "%end", self.lanes) as loop:
                run(loop.index, loop.index)
            head, end = "define i64 @run(ptr %io, i64 %first, i64 %end) {", "%end"
        self.module.functions.append("\n".join([head, "start:", *text.lines, f"  ret i64 {end}", "}"]))


def _integer(text, kind, x):
    name = text.name()
    text.line(f"{name} = add {kind} {x}, 0")
    return Text.made(text, f"add {kind} {name}, 0", kind)


def _ones(lanes):
    return "true" if lanes == 1 else f"<{', '.join(['i1 true'] * lanes)}>"


def _nothing_for_nothing(rule, operands, z):
    """Whether a partial of known numbers is 0 for an adjoint of 0 by itself."""
    known = [0.0 if x is None else x.literal for x in (*operands, z)]
    if None in known:
        return False
    with np.errstate(all="ignore"):
        return rebind(rule, np=plain, select=np.where)(np.float64(0.0), *map(np.float64, known)) == 0.0
