"""Writes a program as machine code: the values of its records forward, their adjoints backward.

Numbers live in registers. Where they are needed in another function or in a loop backward, and vectors always, they lie in the
*memory* of a workspace; inputs, outputs and gradients are read and written where the caller has them. What is unrolled becomes
loops again (see rolling), and long straight lines are cut into functions of bounded size, so that compiling takes time linear
in the text.

The code is called with the address of a table, `io`: the addresses of MEMORY, CONSTANTS, ROWS and KERNELS, then of each input,
each output and each input's gradient; or of the Jacobian; or of the inputs' tangents and those of the outputs. It gives
FINISHED, or GUARD and the number of the guard that does not hold.

With several `lanes`, as many samples are computed side by side: numbers that depend on an input that varies over the samples, and
all adjoints, are vectors over the samples, in registers and in memory. The code then takes the first sample and the end, a
multiple of the lanes apart, and gives the end, or the sample where a guard did not hold.
"""
import numpy as np

from ..._jit import llvm
from ...kernels import arrays as plain
from ...ops.table import rebind
from ...sweeps import FINISHED
from . import POINTERS, Unsuited
from .ending import Ending
from .fusing import Group, for_elementwise, fused, readers_of
from .listing import VIEW, Listing
from .looping import Looping
from .moving import CONSTANTS, MEMORY, Moving
from .pattern import directions
from .planning import Planning
from .rolling import Roll, rolled
from .text import Module, Text
from .turning import Turning, Turns
from .vectors import Vectors


class Function(Text):
    """One function of the module, and which records it has in registers."""

    def __init__(self, module, title):
        super().__init__(module)
        self.title = title
        self.values, self.slopes = {}, {}    # by record
        self._pointers = {}

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
        head, end = f"define internal i64 @{self.title}({arguments}) {{", f"  ret i64 {FINISHED}"
        self.module.functions.append("\n".join([head, "start:", *self.lines, end, "}"]))


class Generator(Planning, Vectors, Moving, Looping, Turning, Ending):
    """Writes one program. `gradient`: the number of the output whose gradient by the inputs of the numbers `by` is wanted, too,
    or None; `tangents`: that the Jacobian of all outputs by them is wanted instead, by tangents for `lanes` directions at a time;
    `along`: the tangents for one direction that is given, instead of that. `varying`: the numbers of inputs of which there is one
    for each sample; `lanes` samples are computed side by side, or one after the other where lanes are directions."""

    def __init__(self, program, gradient=None, by=(), varying=(), lanes=1, tangents=False, along=False):
        self.program, self.lanes, self.by = program, lanes, frozenset(by)
        self.tangents, self.along = tangents, along
        self.samples = lanes > 1 and not tangents
        self.real = "double" if program.dtype.itemsize == 8 else "float"
        self.item = program.dtype.itemsize
        self.wide = 1 if self.samples else max(llvm.register_bytes() // self.item, 4)
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
        computed = [i for i in self.listing.computed if needed[i]]
        readers = readers_of(self.listing, computed)
        steps = None if self.samples else (1,)
        self.nodes = fused(self.listing, self._turning(rolled(self.listing, computed), ends, steps), readers, ends, steps,
                           lanes == 1 and not tangents)
        self.sampled = frozenset(varying)
        self._look(() if tangents else varying)
        self._cut()
        self._place(ends)
        self.through = frozenset()           # views whose tangents are read where they come from
        if tangents and lanes > 1:
            self.through = {i for i in computed if self.listing.codes[i] == VIEW and self.listing.sizes[i] > 1
                            and i not in ends and i not in self.turn_of and for_elementwise(self.listing, i, readers)}
        if tangents and not along:
            self.directions = directions(self.listing, [self.listing.root[i] for i, _ in program.outputs], self.by, lanes)
            self.seeds = self.allocate(self.item * lanes * (self.directions.columns + lanes))
            self.found = self.allocate(self.item * lanes * self.directions.rows)

    # Values and places ----------------------------------------------------------------------------------------------

    def address(self, text, i):
        """Where the value of a record is."""
        listing = self.listing
        if self.loop is not None and i in self.loop.along:
            return self.alongside(text, i, self.place_of)
        if i in self.turn_of:
            loop = self.turn_of[i][0]
            return self.in_turns(text, i, loop.base, loop.step, loop.places)
        if i in self.places:
            return text.at(text.pointer(MEMORY), self.places[i])
        if i < listing.inputs and i in self.sampled and self.tangents:
            return text.at(text.pointer(POINTERS + i), 0, "%sample", self.item * listing.sizes[i])
        if i < listing.inputs and self.varying[i] and listing.sizes[i] == 1:
            return text.at(text.pointer(POINTERS + i), 0, "%sample", self.item)
        if i < listing.inputs:
            return text.pointer(POINTERS + i)
        if self.loop is not None and i in self.loop.listed:
            index = self.moved(text, [listing.constants[j] for j in self.loop.listed[i]])
            return text.at(text.pointer(CONSTANTS), 0, index, self.item)
        return text.at(text.pointer(CONSTANTS), listing.constants[i] * self.item)

    def value(self, text, i):
        """A number, in a register."""
        found = text.values.get(i)
        if found is None:
            if self.loop is not None and i in self.loop.listed:
                found = text.load(self.address(text, i), self.real)
            elif self.listing.is_constant(i):
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
        width = self.item * lanes
        return text.load(text.at(self.address(text, i), start * width, index, step * width), self.real, lanes)

    # Writing --------------------------------------------------------------------------------------------------------

    def write(self):
        """The module's text."""
        text, backward = None, []
        self.order = []
        for p, nodes in enumerate(self.pieces):
            text = Function(self.module, f"forward{p}")
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
                    text = Function(self.module, f"backward{p}")
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
        elif isinstance(node, Turns):
            self.run_turns(text, node, False)
        elif isinstance(node, Group):
            self.forward_group(text, node)
        elif self.by_rule(node):
            operands, (place, index) = self.listing.operands[node], self.element_of(text, node)
            if place is not None:
                self.define(text, node, self.element(text, operands[0], place, index))
                if self.has_tangent(node):
                    self.define_tangent(text, node, self.slope_element(text, operands[0], place, index))
            else:
                values = [self.value(text, j) for j in operands]
                self.define(text, node, self.rule_of(text, node, values))
                if self.has_tangent(node):
                    self.define_tangent(text, node, self.tangent(text, node, values, lambda j: self.slope(text, j)))
        else:
            self.forward_other(text, node)

    def element_of(self, text, i):
        """(the place of the element that a record reads, or None; what moves it)."""
        if i in self.turn_of and self.listing.element(i) is not None:
            loop, _, slot = self.turn_of[i]
            return self.slot_element(text, loop.roll, slot, self.turn)
        return self.listing.element(i), None

    def has_tangent(self, i):
        return self.tangents and self.active[i]

    def define_tangent(self, text, i, value):
        text.slopes[i] = text.literal(0.0, self.real) if value is None else text.converted(value, self.real)
        if i in self.kept:
            text.store(text.widened(text.slopes[i], self.lanes), self.slope_address(text, i), self.real)

    def tangent(self, text, i, values, slope_of):
        """The tangent of a number; None where nothing comes to it."""
        op, z, total = self.listing.ops[i], text.values[i], None
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
        elif isinstance(node, Turns):
            if any([self.wanted[i] for i in node.last]):
                self.run_turns(text, node, True)
        elif isinstance(node, Group):
            self.backward_group(text, node)
        elif not self.wanted[node]:
            return
        elif self.by_rule(node):
            g = self.take_slope(text, node)
            if g is None:
                return
            op, operands, (place, index) = self.listing.ops[node], self.listing.operands[node], self.element_of(text, node)
            if place is not None:
                self.add_element(text, operands[0], place, g, index)
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
            if i in self.turn_of and self.wanted[i]:
                return text.load(self.slope_address(text, i), self.real, self.lanes)
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
        if not self.tangents and i not in self.turn_of:
            text.slopes[i] = value

    def add_slope(self, text, i, part):
        if self.early(i) or i in self.turn_of:
            address = self.slope_address(text, i)
            text.store(text.load(address, self.real, self.lanes) + part, address, self.real)
            return
        before = self.slope(text, i)
        text.slopes[i] = text.converted(part if before is None else before + part, self.real)

    def slope_address(self, text, i):
        """Where the adjoint, or tangent, of a record is."""
        listing = self.listing
        after = POINTERS + listing.inputs + len(self.program.outputs)        # of the table
        if i < listing.inputs and self.along:
            return text.pointer(after + sorted(self.by).index(i))
        if i < listing.inputs and self.tangents:
            start = sum([listing.sizes[j] for j in self.by if j < i])
            return text.at(text.pointer(MEMORY), self.seeds + start * self.item * self.lanes)
        if i < listing.inputs and listing.sizes[i] > 1 and self.lanes == 1:
            return text.pointer(after + i)
        if self.loop is not None and i in self.loop.along:
            return self.alongside(text, i, self.slope_place_of)
        if i in self.turn_of:
            loop = self.turn_of[i][0]
            return self.in_turns(text, i, loop.slope_base, loop.slope_step, loop.slopes)
        if self.early(i):
            roll, turn, slot = self.roll_of[i]
            return text.at(text.pointer(MEMORY), roll.slopes[slot] + turn * self.item * self.lanes)
        return text.at(text.pointer(MEMORY), self.slope_place_of(i))

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
            inner = i in self.viewed or i in self.turn_of or (i in self.group_of and i not in self.exposed)
            if self.wanted[i] and listing.sizes[i] > 1 and not inner:
                text.clear(self.slope_address(text, i), self.item * listing.sizes[i] * self.lanes)
        for node in self.nodes:
            if isinstance(node, Turns):
                start = node.slope_base - node.front * node.slope_step
                text.clear(text.at(text.pointer(MEMORY), start), node.slope_step * (node.turns + node.front))
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


def _nothing_for_nothing(rule, operands, z):
    """Whether a partial of known numbers is 0 for an adjoint of 0 by itself."""
    known = [0.0 if x is None else x.literal for x in (*operands, z)]
    if None in known:
        return False
    with np.errstate(all="ignore"):
        return rebind(rule, np=plain, select=np.where)(np.float64(0.0), *map(np.float64, known)) == 0.0
