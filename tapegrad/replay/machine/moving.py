"""What moves, sums and multiplies elements, with lanes; and calls of kernels, which compute everything else.

Without lanes a kernel is as good as a loop that is written out, and is called. With lanes, an operation that has no form here is
computed lane by lane, by its kernel, on copies.
"""
import numpy as np

from ...kernels import ADJOINT, COLUMNS, FORWARD, TANGENT
from ...ops import BY_NAME, PLANNED, PLANNED_EACH, frame
from ...tensor.plans import contiguous_strides
from . import POINTERS
from .fusing import MEAN, SUM
from .listing import VIEW, strides_of

SPREAD, JOIN, PRODUCT = (BY_NAME[name].code for name in ("spread", "concatenate", "matmul"))
MEMORY, CONSTANTS, ROWS, KERNELS = range(POINTERS)       # of the table that the code is called with
UNROLLED = 8                                 # terms of a product that are written out
NATIVE = frozenset((VIEW, SUM, MEAN, SPREAD, JOIN, PRODUCT))


class Moving:
    """The part of the Generator for operations that are not elementwise."""

    def native(self, i):
        return self.lanes > 1 and self.listing.codes[i] in NATIVE

    # Adjoints and tangents in memory --------------------------------------------------------------------------------

    def open_slope(self, text, i):
        """The address of a record's adjoint or tangent; a number's is written there, where it is not kept there."""
        address = self.slope_address(text, i)
        if self.listing.sizes[i] == 1 and (self.tangents or not self.early(i)):
            value = self.slope(text, i)
            value = text.literal(0.0, self.real) if value is None else value
            text.store(text.widened(value, self.lanes), address, self.real)
        return address

    def close_slope(self, text, i):
        """A number's adjoint is taken from memory again."""
        if self.listing.sizes[i] == 1 and not self.early(i):
            self.set_slope(text, i, text.load(self.slope_address(text, i), self.real, self.lanes))

    # Forward: values, or tangents -----------------------------------------------------------------------------------

    def forward_other(self, text, i):
        if self.native(i) and self.value_lanes(i) > 1:
            places = [(self.address(text, j), self.value_lanes(j)) for j in self.listing.operands[i]]
            self.move_forward(text, i, places, self.address(text, i), self.value_lanes(i))
        else:
            self.call_forward(text, i)
        if self.listing.sizes[i] == 1:
            text.values.pop(i, None)         # it is in memory
        if self.tangents and self.active[i] and i not in self.through:
            self.tangent_other(text, i)

    def tangent_other(self, text, i):
        listing, operands = self.listing, self.listing.operands[i]
        out = self.slope_address(text, i)
        if listing.codes[i] == PRODUCT:
            fresh = True
            for k, j in enumerate(operands):
                if self.active[j]:
                    pair = [(self.address(text, q), self.value_lanes(q)) for q in operands]
                    pair[k] = self.open_slope(text, j), self.lanes
                    self.product(text, self.listing.plans[i], *pair, out, self.lanes, fresh)
                    fresh = False
        elif self.native(i):
            if listing.plans[i].block:       # of several operands, some may have no tangent
                text.clear(out, self.item * self.lanes * listing.sizes[i])
            places = [(self.open_slope(text, j), self.lanes) if self.active[j] else None for j in operands]
            self.move_forward(text, i, places, out, self.lanes)
        else:
            self.call_tangent(text, i)
        self.close_slope(text, i)

    def move_forward(self, text, i, places, out, lanes):
        """The result of a linear operation, or a product, at `out`."""
        code, plan, size = self.listing.codes[i], self.listing.plans[i], self.listing.sizes[i]
        if code == PRODUCT:
            self.product(text, plan, *places, out, lanes, True)
            return
        if code == JOIN:
            for k, place in enumerate(places):
                if place is not None:
                    shape, strides, offset = rows_of(plan, k)
                    source = place[0], contiguous_strides(shape), 0
                    self.move(text, shape, source, place[1], (out, strides, offset), lanes, False)
            return
        shape, strides, offset = strides_of(plan)
        whole, (source, source_lanes) = contiguous_strides(shape), places[0]
        source = self.shifted(text, i, source, source_lanes) if code == VIEW else source
        count = int(np.asarray(plan.params)[2 * len(shape) + 2])
        if code in (VIEW, SPREAD):
            self.move(text, shape, (source, strides, offset), source_lanes, (out, whole, 0), lanes, False,
                      1 / count if code == SPREAD else None)
            return
        text.clear(out, self.item * lanes * size)
        self.sum_into(text, shape, strides, offset, source, source_lanes, out, lanes)
        if code == MEAN:
            with text.loop(0, size) as loop:
                address = text.at(out, 0, loop.index, self.item * lanes)
                text.store(text.load(address, self.real, lanes) / float(count), address, self.real)

    def sum_into(self, text, shape, strides, offset, source, source_lanes, out, lanes):
        """Adds each element of a source to the one of `out` that a strided plan says, rows of one sum in blocks."""
        whole = contiguous_strides(shape)
        if strides[-1] != 0:
            self.move(text, shape, (source, whole, 0), source_lanes, (out, strides, offset), lanes, True)
            return

        def row(indices):
            value = self.total_of(text, self.offset(text, source, indices, whole, source_lanes), source_lanes, shape[-1])
            target = self.offset(text, out, indices, strides, lanes, offset)
            text.store(text.load(target, self.real, lanes) + value, target, self.real)
        self.nest(text, shape[:-1], row)

    def product(self, text, plan, x, y, out, lanes, fresh):
        """out (m, n) = x (m, k) @ y (k, n), or added to what is there, for each of a batch; x and y are (address, lanes)."""
        batch, m, k, n, x_step, y_step = np.asarray(plan.params).tolist()
        x, y, out = (x, (x_step, k, 0, 1)), (y, (y_step, 0, 1, n)), (out, (m * n, n, 1, 0))
        self.contract(text, (batch, m, n, k), x, y, out, lanes, fresh)

    def contract(self, text, shape, x, y, out, lanes, fresh=False):
        """out += x * y, summed over the last axis of a shape; each has an address (with lanes) and a stride for each axis."""
        (x, x_lanes), x_strides = x
        (y, y_lanes), y_strides = y

        def element(indices):
            target = self.offset(text, out[0], indices, out[1], lanes)
            a, b = self.offset(text, x, indices, x_strides, x_lanes), self.offset(text, y, indices, y_strides, y_lanes)
            before = text.literal(0.0, self.real) if fresh else text.load(target, self.real, lanes)

            def term(index):
                p = text.load(text.at(a, 0, index, self.item * x_lanes * x_strides[-1]), self.real, x_lanes)
                q = text.load(text.at(b, 0, index, self.item * y_lanes * y_strides[-1]), self.real, y_lanes)
                return p * q
            if shape[-1] <= UNROLLED:
                total = before
                for k in range(shape[-1]):
                    total = total + term(str(k))
            else:
                before = text.widened(before, lanes)
                with text.loop(0, shape[-1]) as loop:
                    carried = loop.carry(before)
                    total = carried + term(loop.index)
                    loop.next(carried, total)
            text.store(text.widened(total, lanes), target, self.real)
        self.nest(text, shape[:-1], element)

    # Backward -------------------------------------------------------------------------------------------------------

    def backward_other(self, text, i):
        listing = self.listing
        if listing.sizes[i] == 1 and self.slope(text, i) is None:
            return
        if not self.native(i):
            self.call_backward(text, i)
            return
        incoming = self.open_slope(text, i)
        if listing.sizes[i] == 1:
            self.take_slope(text, i)
        code, plan = listing.codes[i], listing.plans[i]
        for k, j in enumerate(listing.operands[i]):
            if not self.wanted[j]:
                continue
            out = self.open_slope(text, j)
            if code == PRODUCT:
                batch, m, inner, n, x_step, y_step = np.asarray(plan.params).tolist()
                g = (incoming, self.lanes)
                other = listing.operands[i][1 - k]
                other = self.address(text, other), self.value_lanes(other)
                if k == 0:                   # gx += g @ y.T
                    self.contract(text, (batch, m, inner, n), (g, (m * n, n, 0, 1)), (other, (y_step, 0, n, 1)),
                                  (out, (x_step, inner, 1, 0)), self.lanes)
                else:                        # gy += x.T @ g
                    self.contract(text, (batch, inner, n, m), (other, (x_step, 1, 0, inner)), (g, (m * n, 0, 1, n)),
                                  (out, (y_step, n, 1, 0)), self.lanes)
            else:
                shape, strides, offset = rows_of(plan, k)
                whole = contiguous_strides(shape)
                count = int(np.asarray(plan.params).reshape(-1)[2 * len(shape) + 2])
                if code == VIEW:
                    target = self.shifted(text, i, out, self.lanes)
                    self.move(text, shape, (incoming, whole, 0), self.lanes, (target, strides, offset), self.lanes, True)
                elif code == SPREAD:
                    self.move(text, shape, (incoming, whole, 0), self.lanes, (out, strides, offset), self.lanes, True, 1 / count)
                else:                        # a sum, a mean, a join: what it wrote to, it reads
                    self.move(text, shape, (incoming, strides, offset), self.lanes, (out, whole, 0), self.lanes, True,
                              1 / count if code == MEAN else None)
            self.close_slope(text, j)

    # Kernels --------------------------------------------------------------------------------------------------------

    def call(self, text, i, column, operands, out, size, result=None, incoming=None, block=0):
        """Calls a kernel of a record's operation. `operands`: (address, size) of each."""
        if self.frame is None:
            self.frame = self.allocate(8 * frame.FRAME_LENGTH)
        frame_address = text.at(text.pointer(MEMORY), self.frame)

        def put(place, value):
            text.line(f"store i64 {value}, ptr {text.at(frame_address, 8 * place)}")

        def integer(address):
            return text.made(f"ptrtoint ptr {address} to i64", "i64").name
        put(frame.SIZE, size)
        for place, address in ((frame.OUT, out), (frame.RESULT, result), (frame.INCOMING, incoming)):
            if address is not None:
                put(place, integer(address))
        for k, (address, count) in enumerate(operands):
            put(frame.OPERANDS + 2 * k, integer(address))
            put(frame.OPERANDS + 2 * k + 1, count)
        if self.listing.kinds[i] >= PLANNED:
            name = text.name()
            text.line(f"{name} = load i64, ptr {self.row_address(text, i)}")
            put(frame.PLAN, name if not block else text.made(f"add i64 {name}, {block}", "i64").name)
        code = self.listing.codes[i]
        self.module.kernels.add((code, column))
        kernel = text.name()
        text.line(f"{kernel} = load ptr, ptr {text.at(text.pointer(KERNELS), 8 * (code * COLUMNS + column))}")
        text.line(f"call void {kernel}(i64 {integer(frame_address)})")

    def row_address(self, text, i):
        """Where the address of a record's plan is."""
        rows = self.program.right
        if i in self.turn_of:
            loop, _, slot = self.turn_of[i]
            return text.at(text.pointer(ROWS), 8, self.moved(text, rows[loop.records[:, slot]].tolist()), 8)
        return text.at(text.pointer(ROWS), 8 * (int(rows[i]) + 1))

    def lane_copies(self, text, parts, run):
        """Calls ``run(addresses)`` for each lane. `parts` are (address, lanes, size, read, written): those with lanes are copied
        to memory of their own, and back."""
        if all(lanes == 1 for _, lanes, *_ in parts):
            run([address for address, *_ in parts])
            return
        memory = text.pointer(MEMORY)
        copies = [address if lanes == 1 else text.at(memory, self.allocate(self.item * size))
                  for address, lanes, size, *_ in parts]
        with text.loop(0, self.lanes) as lane:
            def each(k, there):
                address, lanes, size, *_ = parts[k]
                with text.loop(0, size) as loop:
                    far = text.at(text.at(address, 0, lane.index, self.item), 0, loop.index, self.item * lanes)
                    near = text.at(copies[k], 0, loop.index, self.item)
                    text.store(text.load(far if there else near, self.real), near if there else far, self.real)
            for k, (_, lanes, _, read, _) in enumerate(parts):
                if lanes > 1 and read:
                    each(k, True)
            run(copies)
            for k, (_, lanes, _, _, written) in enumerate(parts):
                if lanes > 1 and written:
                    each(k, False)

    def value_part(self, text, i):
        return self.address(text, i), self.value_lanes(i), self.listing.sizes[i], True, False

    def call_forward(self, text, i):
        listing, size, plan = self.listing, self.listing.sizes[i], self.listing.plans[i]
        out = self.address(text, i), self.value_lanes(i), size, False, True
        operands = listing.operands[i]

        def run(addresses):
            found = [(address, listing.sizes[j]) for address, j in zip(addresses[1:], operands)]
            if listing.kinds[i] == PLANNED_EACH:
                for k, operand in enumerate(found):
                    self.call(text, i, FORWARD, [operand], addresses[0], size, block=k * plan.block)
            else:
                self.call(text, i, FORWARD, found, addresses[0], size)
        self.lane_copies(text, [out, *[self.value_part(text, j) for j in operands]], run)

    def has_kernel(self, i, role):
        """Whether there is a derivative by an operand."""
        op = self.listing.ops[i]
        if op.value is not None and op.partials[role[1]] is None:
            op.refuse(role[1])
            return False
        return not (role in op.bodies and op.bodies[role] is None)

    def call_backward(self, text, i):
        listing, size, kind, plan = self.listing, self.listing.sizes[i], self.listing.kinds[i], self.listing.plans[i]
        incoming = self.open_slope(text, i), self.lanes, size, True, False
        if size == 1:
            self.take_slope(text, i)
        result = self.address(text, i), self.value_lanes(i), size, True, False
        operands = listing.operands[i]
        values = [] if kind == PLANNED_EACH else [self.value_part(text, q) for q in operands]
        for k, j in enumerate(operands):
            role = ("adjoint", 0 if kind == PLANNED_EACH else k)
            if not self.wanted[j] or not self.has_kernel(i, role):
                continue
            out = self.open_slope(text, j), self.lanes, listing.sizes[j], True, True

            def run(addresses, k=k, j=j, role=role):
                found, count, block = [(a, listing.sizes[q]) for a, q in zip(addresses[3:], operands)], size, 0
                if kind == PLANNED_EACH:
                    found, count, block = [], listing.sizes[j], k * plan.block
                elif kind == PLANNED:
                    found, count = [(found[0][0], size)], listing.sizes[j]
                self.call(text, i, ADJOINT + role[1], found, addresses[2], count, addresses[1], addresses[0], block)
            self.lane_copies(text, [incoming, result, out, *values], run)
            self.close_slope(text, j)

    def call_tangent(self, text, i):
        listing, size, kind, plan = self.listing, self.listing.sizes[i], self.listing.kinds[i], self.listing.plans[i]
        out = self.slope_address(text, i)
        text.clear(out, self.item * self.lanes * size)
        operands = listing.operands[i]
        result = self.address(text, i), self.value_lanes(i), size, True, False
        values = [] if kind == PLANNED_EACH else [self.value_part(text, q) for q in operands]
        for k, j in enumerate(operands):
            role = ("tangent", 0 if kind == PLANNED_EACH else k)
            if not self.active[j] or not self.has_kernel(i, role):
                continue
            incoming = self.open_slope(text, j), self.lanes, listing.sizes[j], True, False

            def run(addresses, k=k, j=j, role=role):
                found = [(a, listing.sizes[q]) for a, q in zip(addresses[3:], operands)]
                if kind == PLANNED_EACH:
                    found = [(addresses[0], listing.sizes[j])]
                self.call(text, i, TANGENT + role[1], found, addresses[2], size, addresses[1], addresses[0],
                          k * plan.block if kind == PLANNED_EACH else 0)
            self.lane_copies(text, [incoming, result, (out, self.lanes, size, True, True), *values], run)


def rows_of(plan, k):
    """(shape, strides, offset) of a strided plan, of operand k where each has one."""
    params = np.asarray(plan.params)
    params = (params if params.ndim == 1 else params[k]).tolist()
    n = params[0]
    return params[1:1 + n], params[1 + n:1 + 2 * n], params[1 + 2 * n]
