"""What stands around a program: inputs and outputs of many samples, guards, Jacobians, and the function that is called."""
import numpy as np

from ...sweeps import FINISHED
from ..sweeps import GUARD
from . import POINTERS
from .moving import MEMORY
from .text import Text, vector
from .vectors import COMPARE


class Ending:
    """The part of the Generator for what comes first and last."""

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
        records = [self.listing.root[x[0]] for x in guard.operands if isinstance(x, tuple)]
        lanes = max([self.lanes for i in records if self.varying[i]], default=1)
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
        start, first = 0, POINTERS + self.listing.inputs + len(self.program.outputs) + len(self.by)
        for k, (i, _) in enumerate(self.program.outputs):
            i = self.listing.root[i]
            out = text.pointer(first + k) if self.along else text.at(text.pointer(MEMORY), self.found + start)
            nbytes = self.item * self.lanes * self.listing.sizes[i]
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
        flat = [x for entries in lists for entry in entries for x in (entry if width > 1 else (entry,))]
        begins, ends, table = (self.module.table("i64", list(map(str, x))) for x in (starts[:-1], starts[1:], flat))
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
                value = text.load(text.at(found, 0, source, self.item), self.real)
                text.store(value, text.at(out, 0, target, self.item), self.real)
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
        text.line(f"call void @llvm.memcpy.p0.p0.i64(ptr align 4 {out}, ptr align 4 {source}, i64 {nbytes}, i1 false)")

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
        if self.tangents and not self.along:
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
    return text.made(f"add {kind} {x}, 0", kind)


def _ones(lanes):
    return "true" if lanes == 1 else f"<{', '.join(['i1 true'] * lanes)}>"
