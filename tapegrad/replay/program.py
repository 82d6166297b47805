"""Sealing: the records of a recording that matter, in one pass, as a program of arrays that never change.

A program is a tape again: its first records are the inputs, no record is dead, links between tapes are gone, and everything that
entered is kept with it. Each *workspace* is what a sweep needs besides: values, adjoints, marks. Threads take one each.
"""
import hashlib
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import kernels
from ..buffers import MAX_ELEMENTS, address_of
from ..ops import ACTIVE, ARRAY, BINARY, CODE_MASK, CONSTANT, INPUT, KINDS, PASSIVE, PLANNED, PLANNED_EACH, PLANNED_MANY
from ..ops.frame import FRAME_LENGTH
from ..ops.relation import RELATIONS
from ..sweeps import (
    ARENAS,
    AT,
    CODE,
    COLUMN,
    DERIVATIVES,
    ENTRIES,
    FINISHED,
    FRAME,
    HEAD_LENGTH,
    ITEM,
    LEFT,
    NEEDS_KERNEL,
    OFFSETS,
    OPERAND,
    RIGHT,
    ROWS,
    SIZE_IDS,
    SIZES,
    SLOTS,
    TABLE,
    TOUCHED,
    VALUES,
    WORDS,
)
from ..sweeps import KINDS as KINDS_PLACE
from ..sweeps import backward as backward_sweep
from ..sweeps import compiled as compiled_sweep
from ..sweeps import tangent as tangent_sweep
from ..tape import Link
from ..tensor.elementwise import size_of
from ..transforms.trees import form
from . import interpreter, layout, passes
from .layout import ALIGNED, LINED
from .machine import Bound, Jacobian, Tangent, Tier
from .sweeps import EXACT, GUARD, GUARD_FIELDS, RIPE, RUNS, columns, compiled, gradient, rows, values


class Unsupported(Exception):
    """Says why a recording can't be replayed."""


class Guard:
    """A guard of a program: ``function(*operands, **options)`` gave `outcome`. Operands that are (record, shape) stand for the
    value of a record; without a function, `outcome` is the value of the one operand."""
    __slots__ = ("function", "operands", "options", "outcome")

    def __init__(self, function, operands, options, outcome):
        self.function, self.operands, self.options, self.outcome = function, operands, options, outcome

    def __str__(self):
        operands = [f"#{x[0]}" if isinstance(x, tuple) else _short(x) for x in self.operands]
        if self.function is None:
            return f"{operands[0]} is {_short(self.outcome)}, to the last bit"
        options = [f"{name}={value!r}" for name, value in self.options.items() if value is not None and value is not False]
        return f"{self.function.__name__.strip('_')}({', '.join([*operands, *options])}) is {_short(self.outcome)}"

    def digest(self):
        """As bytes, for comparison."""
        name = "" if self.function is None else f"{self.function.__module__}.{self.function.__name__}"
        parts = [name.encode(), repr(sorted(self.options.items())).encode()]
        for x in (*self.operands, self.outcome):
            parts.append(_bytes(x))
        return b"\0".join(parts)

    def holds(self, workspace):
        """Whether the function, computed by NumPy, has that outcome again."""
        with np.errstate(all="ignore"):
            found = self.function(*[workspace.value(*x) if isinstance(x, tuple) else x for x in self.operands], **self.options)
        return _bytes(found) == _bytes(self.outcome)


def _short(value):
    if isinstance(value, np.generic):
        return repr(value.item())
    return np.array2string(value, threshold=6, edgeitems=2, separator=", ") if isinstance(value, np.ndarray) else repr(value)


def _bytes(value):
    if isinstance(value, tuple):
        return b"(" + b",".join(map(_bytes, value)) + b")"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{np.asarray(value).dtype} {np.shape(value)} ".encode() + np.asarray(value).tobytes()
    return repr(value).encode()


class Program:
    """Records, constants, inputs, outputs and guards. See the module's docstring.

    ``words, left, right, size_ids`` have an entry for each record; ``rows`` and ``sizes`` are as on a tape. ``places`` has
    for each record that computes nothing (record, place of its value in ``constants``). ``outputs`` are (record, shape).
    ``layout`` says where values and adjoints are, in arenas of ``room`` elements and about as many.
    """

    def __init__(self, dtype, words, left, right, size_ids, rows, plans, sizes, constants, places, inputs, outputs, guards):
        self.dtype, self.words, self.left, self.right, self.size_ids = dtype, words, left, right, size_ids
        self.rows, self.plans, self.sizes, self.constants, self.places = rows, plans, sizes, constants, places
        self.inputs, self.outputs, self.guards = inputs, outputs, guards
        self.count, self.waiting = len(words), []
        self.runs, self.entries = 0, {}      # through Python, and what goes without; see entry.py
        self.recorded = self.count           # records before the dead ones were left out
        self.tree: Any = None                # see give_back
        self.ends: list = []
        self.scalar: dict = {}
        self.instructions: Any = None        # see interpreter
        self.output_sizes = [size_of(shape) for _, shape in outputs]
        self.whole = self.layout = layout.whole(self)    # the one has a place for every record
        if layout.to_share(self):
            self.layout = layout.shared(self)
        self.room = self.layout.values
        self.waits, self.patient = interpreter.patience(self), False             # runs until instructions are made; see there
        self._set_guards()
        self.digest = self._digest()
        self.tier = Tier(self)
        self.jacobians: dict = {}            # what machine code for them is asked for by; see derivatives

    def __len__(self):
        return self.count

    def is_constant(self, output):
        """Whether an output depends on nothing: it entered as a constant."""
        return KINDS[self.words[self.outputs[output][0]]] == PASSIVE

    def _set_guards(self):
        """Those that compiled code looks after, as a table, and the others."""
        self._kept: list = []
        table, self.looked_after, self.others = [], [], []
        for guard in self.guards:
            row = self._guard_row(guard)
            if row is None:
                self.others.append(guard)
            else:
                table.append(row)
                self.looked_after.append(guard)
        self.table = np.array(table, np.int64).reshape(-1, GUARD_FIELDS)
        self.table_address = address_of(self.table)

    def _guard_row(self, guard):
        if guard.function is None:
            record, shape = guard.operands[0]
            expected = np.array(guard.outcome, self.dtype)
            self._kept.append(expected)
            return [EXACT, size_of(shape), address_of(expected), record, 0, size_of(shape), 0, 0, 0]
        name = guard.function.__name__
        if name not in RELATIONS or not isinstance(guard.function, np.ufunc) or guard.options or len(guard.operands) != 2:
            return None
        size, fields = guard.outcome.size, []
        for x in guard.operands:
            if isinstance(x, tuple):
                record, count, address = x[0], size_of(x[1]), 0
            elif type(x) in (float, int) and (abs(x) < 1 << 53 or abs(x) == np.inf):
                record, count, memory = -1, 1, np.array([x], self.dtype)
            elif isinstance(x, np.ndarray) and x.dtype == self.dtype:
                record, count, memory = -1, x.size, np.array(x, order="C")
            else:
                return None
            if record < 0:
                self._kept.append(memory)
                address = address_of(memory)
            if count not in (1, size):
                return None
            fields += [record, address, count]
        expected = np.array(guard.outcome, np.uint8).reshape(-1)
        self._kept.append(expected)
        return [RELATIONS.index(name) + 1, size, address_of(expected), *fields]

    def _digest(self):
        digest = hashlib.sha256(str(self.dtype).encode())
        rows = np.zeros_like(self.rows)      # those in use, without addresses
        kinds = KINDS[self.words & CODE_MASK]
        many = set(self.right[(kinds == PLANNED_MANY) | (kinds == PLANNED_EACH)].tolist())
        for row, plan in sorted(self.plans.items()):
            rows[row] = self.rows[row]
            if row in many:
                stop = row + 4 + int(self.rows[row + 2])
                rows[row + 2:stop] = self.rows[row + 2:stop]
            digest.update(f"{row} {plan.shape} {plan.label}".encode() + np.asarray(plan.params).tobytes())
        for array in (self.words, self.left, self.right, self.size_ids, rows, self.sizes, self.constants, self.places):
            digest.update(array.tobytes())
        digest.update(repr((self.inputs, self.outputs)).encode())
        for guard in self.guards:
            digest.update(guard.digest())
        return digest.hexdigest()

    def give_back(self, tree, at_ends, scalar):
        """Sets what the function gives: a tree, and at its ends (number of an output, None), or (None, a constant); `scalar`: the
        output that is its value, where that is one number, or the first of a pair."""
        self.tree, self.ends, self.scalar = tree, at_ends, scalar
        self.digest += form(tree) + repr([None if k is not None else _bytes(value) for k, value in at_ends])

    # Workspaces -----------------------------------------------------------------------------------------------------

    def take(self):
        """A workspace that nobody else uses."""
        try:
            return self.waiting.pop()
        except IndexError:
            return Workspace(self)

    def give(self, workspace):
        """Takes one back."""
        self.waiting.append(workspace)


_values = _gradient = None                   # compiled on first use


def _compile():
    global _values, _gradient
    _gradient = compiled(gradient)
    _values = compiled(values)


class Workspace:
    """What one run over a program writes."""

    def __init__(self, program, places=None):
        self.program, self.layout = program, places or program.layout
        dtype, count, item = program.dtype, program.count, program.dtype.itemsize
        self.words = program.words.copy()
        records, offsets = program.places[:, 0], self.layout.offsets
        self.arena, self.adjoints = np.zeros(self.layout.values, dtype), np.zeros(self.layout.adjoints, dtype)
        self.entries = np.zeros((len(records) + 1, 2), np.int64)
        self.entries[:len(records), 0] = address_of(program.constants) + program.places[:, 1] * item
        inside = np.flatnonzero((offsets[records] >= 0) & (records >= len(program.inputs)))
        self.arena[offsets[records[inside]]] = program.constants[program.places[inside, 1]]          # of one element
        self.large = frozenset(np.flatnonzero(offsets[:len(program.inputs)] < 0).tolist())
        self.passing = any(i in self.large for i, _ in program.outputs)          # whether a view of an output is good for one run
        self.primals = [np.zeros(0, dtype) if k in self.large else self.value(k, shape) for k, shape in enumerate(program.inputs)]
        self.values, self.derivatives = (np.array([address_of(a)], np.int64) for a in (self.arena, self.adjoints))
        self.frame, self.head = np.zeros(FRAME_LENGTH, np.int64), np.zeros(HEAD_LENGTH + 1, np.int64)
        for place, array in ((WORDS, self.words), (LEFT, program.left), (RIGHT, program.right), (SIZE_IDS, program.size_ids),
                             (OFFSETS, offsets), (SLOTS, self.layout.slots), (ROWS, program.rows), (SIZES, program.sizes),
                             (ENTRIES, self.entries), (VALUES, self.values), (DERIVATIVES, self.derivatives),
                             (TABLE, kernels.ADDRESSES[dtype]), (KINDS_PLACE, KINDS), (FRAME, self.frame)):
            self.head[place] = address_of(array)
        self.head[ITEM], self.head[ARENAS], self.head[RUNS] = item, 1, interpreter.runs(program)
        self.address = address_of(self.head)
        self.others, self.records = program.others, [i for i, _ in program.outputs]
        if _values is None:
            _compile()
        call = self.address, count, program.table_address, len(program.table)
        self.way = _values, call             # a compiled sweep and its arguments; and for the gradient by each output
        self.ways = [(_gradient, (*call, i, len(self.primals))) for i in self.records]
        self.found = None                    # views of the outputs, once it has run
        self.slopes = None                   # and of the inputs' adjoints
        self.inside = True                   # whether they are in this arena, as `pull` and its kin expect it
        self.every = tuple(range(len(self.primals)))
        self.bounds: dict = {}               # machine code with a table, by what it computes
        self.settled = False                 # whether a run that is finished needs no further look
        self.kept: list = []                 # of instructions, what they are
        self.tangents: Any = None

    def put(self, arrays):
        """Sets the inputs. Small ones are copied, large ones are read where they are."""
        for k, array in enumerate(arrays):
            if k in self.large:
                array = np.ascontiguousarray(array, self.program.dtype)
                self.primals[k], self.entries[k, 0] = array, address_of(array)
            else:
                self.primals[k][...] = array
        if self.passing:
            self.found, self.settled = None, False

    def own(self):
        """Copies what is read elsewhere, since the user may write it before this workspace is used again."""
        self.put([array.copy() if k in self.large else array for k, array in enumerate(self.primals)])
        if self.found is None:
            self._look()

    def bound(self, output, slopes, runs=1, **options):
        """Machine code for the values (None), or the derivative of an output, that writes to arrays of shapes `slopes`; None
        where there is none. It stands for so many runs of the interpreter."""
        found = self.bounds.get((output, *options.values()))
        if found is None:
            code = self.program.tier.find(output, runs, **options)
            if code is None:
                return None
            slopes = [np.zeros(shape, self.program.dtype) for shape in slopes]
            found = self.bounds[(output, *options.values())] = Bound(self.program, code, self.primals, slopes)
        for k in self.large:
            found.table.point(k, self.primals[k])
        found.renew()
        return found

    def coded(self, output):
        """Machine code for the values (None), for an output's gradient by all inputs, too, or a :class:`machine.Jacobian` or
        :class:`machine.Tangent`; None where there is none."""
        if type(output) is Tangent:
            return self.bound(None, (output.along, output.shape), 2, **output.options)
        if type(output) is Jacobian:
            return self.bound(None, (output.shape,), 1 + output.columns, **dict(output.options))
        return self.bound(None, ()) if output is None else self.bound(output, self.program.inputs, by=self.every)

    def given(self, slope):
        """A derivative as the caller gets it: a copy, or where that would take long the array itself, see `Bound.renew`."""
        return slope if slope.size > LINED and not self.inside else slope.copy()

    def run_bound(self, bound):
        """Runs machine code; the guard that does not hold, or None."""
        status = bound.call(bound.address)
        self.found, self.slopes, self.inside = bound.found, bound.slopes, False
        return None if status == FINISHED else self.program.looked_after[status - GUARD]

    def run_values(self):
        """As `run`, where nothing but the outputs is looked at."""
        bound = self.coded(None)
        return self.run() if bound is None else self.run_bound(bound)

    def run(self):
        """Computes the values; the guard that does not hold, or None."""
        if not self.inside:
            self._come_back()
        run, call = self.way
        status = run(*call)
        return None if status == FINISHED and self.settled else self._checked(status, run, call)

    def run_gradient(self, output):
        """As `run`, and then the adjoints of the inputs with respect to the output of that number, of one element."""
        bound = self.coded(output)
        if bound is not None:
            return self.run_bound(bound)
        if not self.inside:
            self._come_back()
        run, call = self.ways[output]
        status = run(*call)
        return None if status == FINISHED and self.settled else self._checked(status, run, call)

    def _come_back(self):
        """The outputs are in this arena again."""
        self.found, self.inside, self.settled = None, True, False

    def _checked(self, status, run, call):
        while status == NEEDS_KERNEL:
            kernels.need(self.head[CODE], self.head[COLUMN], self.program.dtype)
            self.words[:] = self.program.words
            status = run(*call)
        if self.found is None:
            self._look()
        if status == RIPE:
            self._ripen()
        elif status >= GUARD:
            return self.program.looked_after[status - GUARD]
        return next((guard for guard in self.others if not guard.holds(self)), None)

    def _ripen(self):
        """Goes over to instructions, where they repay their making."""
        program = self.program
        if program.waits:
            self.head[RUNS] = interpreter.prepare(program)
        if program.instructions is not None and not self.kept:
            self.way, kept = interpreter.call(program.instructions, self)
            self.kept.append(kept)
            for output in {k for k in program.scalar.values() if k is not None}:
                self.ways[output], kept = interpreter.call(program.instructions, self, self.records[output])
                self.kept.append(kept)

    def _look(self):
        """Where the outputs and the adjoints of the inputs are, which is the same in every run."""
        self.settled = not self.others
        if self.program.instructions is not None:
            self._ripen()
        self.found = [self.value(i, shape) for i, shape in self.program.outputs]
        self.slopes = [self._slope(i).reshape(shape) for i, shape in enumerate(self.program.inputs)]

    def _size(self, i):
        return int(self.program.sizes[self.program.size_ids[i]])

    def _slope(self, i):
        """The adjoint of a record, as a flat view."""
        return self._at(self.adjoints, self.layout, i)

    def _at(self, array, places, i):
        place = int(places.slots[i])
        return array[place:place + self._size(i)]

    def value(self, i, shape):
        """The value of a record, as a view."""
        offset = int(self.layout.offsets[i])
        if offset >= 0:
            return self.arena[offset:offset + self._size(i)].reshape(shape)
        if i < len(self.primals):
            return self.primals[i].reshape(shape)
        program = self.program
        start = int(program.places[-1 - offset, 1])
        return program.constants[start:start + self._size(i)].reshape(shape)

    def pull(self, cotangents):
        """The inputs' adjoints for adjoints of the outputs (None where there is none); after a run. Views."""
        program, words = self.program, self.words
        start = -1
        for (i, _), cotangent in zip(program.outputs, cotangents):
            if cotangent is None or KINDS[program.words[i]] == PASSIVE:
                continue
            slope = self._slope(i)
            if words[i] & TOUCHED:
                slope += np.reshape(cotangent, -1)
            else:
                slope[...] = np.reshape(cotangent, -1)
                words[i] |= np.uint16(TOUCHED)
            start = max(start, i)
        run, operand = compiled_sweep(backward_sweep), 0
        while start >= 0 and run(self.address, start, 0, 1, operand) == NEEDS_KERNEL:
            kernels.need(self.head[CODE], self.head[COLUMN], program.dtype)
            start, operand = int(self.head[AT]), int(self.head[OPERAND])
        for i, slope in enumerate(self.slopes):
            if not words[i] & TOUCHED:
                slope[...] = 0
        words[:] = program.words
        return self.slopes

    def jacobian(self, output, records):
        """After a run: the adjoints of `records`, flat and one behind the other, a row for each element of an output."""
        return self._by_elements(rows, self.records[output], self.records[output], len(self.primals), records)

    def jacobian_columns(self, number, records):
        """After a run: the tangents of `records`, flat and one behind the other, a row for each element of an input."""
        with self._tangents():
            return self._by_elements(columns, number, self.program.count, number, records)

    @contextmanager
    def _tangents(self):
        """Sweeps forward have a place for each record's tangent, in `tangents`."""
        if self.layout is self.program.whole:
            self.tangents = self.adjoints
            yield
            return
        if self.tangents is None:
            self.tangents = np.zeros(self.program.whole.adjoints, self.program.dtype)
        before = self.head[SLOTS], self.derivatives[0]
        self.head[SLOTS], self.derivatives[0] = address_of(self.program.whole.slots), address_of(self.tangents)
        try:
            yield
        finally:
            self.head[SLOTS], self.derivatives[0] = before

    def _by_elements(self, function, i, first, second, records):
        listed = np.array(records, np.int64)
        out = np.empty((self._size(i), sum(map(self._size, records))), self.program.dtype)
        run = compiled(function)
        while run(self.address, first, second, address_of(listed), len(records), address_of(out)) == NEEDS_KERNEL:
            kernels.need(self.head[CODE], self.head[COLUMN], self.program.dtype)
            self.words[:] = self.program.words
        return out

    def push(self, tangents):
        """The tangents of the outputs for those of the inputs, after a run: flat copies."""
        with self._tangents():
            return self._push(tangents)

    def _push(self, tangents):
        program, words = self.program, self.words
        for i, tangent in enumerate(tangents):
            if tangent is not None:
                self._at(self.tangents, program.whole, i)[...] = np.reshape(tangent, -1)
                words[i] |= np.uint16(TOUCHED)
        run, operand = compiled_sweep(tangent_sweep), 0
        self.head[AT] = 0
        while run(self.address, program.count, operand) == NEEDS_KERNEL:
            kernels.need(self.head[CODE], self.head[COLUMN], program.dtype)
            operand = int(self.head[OPERAND])
        found = []
        for i, shape in program.outputs:
            if words[i] & TOUCHED:
                found.append(self._at(self.tangents, program.whole, i).reshape(shape).copy())
            else:
                found.append(np.zeros(shape, program.dtype))
        words[:] = program.words
        return found


# Sealing --------------------------------------------------------------------------------------------------------------

def seal(recorder, outputs, dtype):
    """The program of a recording. `outputs`: interior tensors. Raises Unsupported."""
    sealing = Sealing(recorder, dtype)
    return sealing.program([(x._tape, x._index, x._shape) for x in outputs])


class Sealing:
    """One pass over the tapes of a recording: which records are needed, and where they go."""

    def __init__(self, recorder, dtype):
        self.recorder, self.dtype = recorder, dtype
        self.maps: dict = {}                 # serial -> the new number of each record
        self.made = {id(leaf) for leaf in recorder.made}

    def program(self, outputs):
        recorder = self.recorder
        guarded = [x for reading in recorder.readings for x in reading.operands if isinstance(x, tuple)]
        tapes = self._needed([*outputs, *guarded])
        self._lay_out(tapes)
        self._simplify([self._moved(x)[0] for x in (*outputs, *guarded)])
        self._set_constants()
        self._set_sizes()
        guards = [Guard(r.function, tuple(self._moved(x) if isinstance(x, tuple) else x for x in r.operands), r.options,
                        r.outcome) for r in recorder.readings]
        guards = passes.fewer_guards(guards, self._records())
        program = Program(self.dtype, self.words, self.left, self.right, self.size_ids, self.rows, self.plans, self.sizes,
                       self.constants, self.places, [tuple(shape) for _, _, shape in recorder.inputs],
                       [self._moved(x) for x in outputs], guards)
        program.recorded = recorder.count()
        return program

    def _moved(self, place):
        tape, i, shape = place
        return int(self.maps[tape.serial][i]), tuple(shape)

    def _needed(self, places):
        """(tape, a byte for each of its records: whether anything depends on it), from the oldest tape."""
        waiting: dict = {}
        for tape, i, _ in (*places, *self.recorder.inputs):
            self._mark(waiting, tape, i)
        found = []
        while waiting:
            tape, seen = waiting.pop(max(waiting))
            if tape.recorder is not self.recorder:
                raise Unsupported("it uses a tensor that is part of a graph outside; pass it as an argument, or detach() it")
            if tape.dtype != self.dtype:
                raise Unsupported(f"it computes in {tape.dtype} as well as in {self.dtype}; use one of them")
            tape.evaluate()
            _check(tape)
            tape.reached(len(seen) - 1, seen)
            for i, target, _ in tape.inputs:
                if seen[i] and type(target) is Link:
                    self._mark(waiting, target.tape, target.index)
            found.append((tape, seen))
        return found[::-1]

    @staticmethod
    def _mark(waiting, tape, i):
        if tape.serial not in waiting:
            waiting[tape.serial] = tape, np.zeros(tape.n, np.uint8)
        waiting[tape.serial][1][i] = 1

    def _lay_out(self, tapes):
        own = {(tape.serial, i): k for k, (tape, i, _) in enumerate(self.recorder.inputs)}
        count, parts = len(own), []
        self.size_numbers: dict = {1: 0}
        self.plans, self.entered = {}, []
        rows_before, rows = 0, []
        self.sources: list = []
        for tape, seen in tapes:
            links = {i: target for i, target, _ in tape.inputs if seen[i] and type(target) is Link}
            mine = [i for serial, i in own if serial == tape.serial]
            new = np.full(tape.n, -1, np.int64)
            for i, target in links.items():
                new[i] = self.maps[target.tape.serial][target.index]
            for i in mine:
                new[i] = own[tape.serial, i]
            seen[list(links)] = 0
            seen[mine] = 0
            live = np.flatnonzero(seen)
            new[live] = count + np.arange(len(live))
            self.maps[tape.serial] = new
            count += len(live)
            buffers = tape.buffers
            words = buffers.words[live] & np.uint16(CODE_MASK)
            kinds = KINDS[words]
            sizes = buffers.sizes[buffers.size_ids[live]]
            self.sources.append((count - len(live), tape, live))
            left = np.where(kinds > 1, new[np.where(kinds > 1, buffers.left[live], 0)], 0)
            right = np.zeros(len(live), np.int64)
            pairs, planned = kinds == BINARY, kinds >= PLANNED
            right[pairs] = new[buffers.right[live[pairs]]]
            right[planned] = buffers.right[live[planned]] + rows_before
            rows.append(self._rows(tape, new, live[planned], kinds[planned], rows_before))
            rows_before += tape.rows
            words, size_ids = self._entries(tape, live, kinds, words, sizes, count - len(live))
            parts.append((words, left, right, size_ids, sizes))
        self._set_inputs(parts)
        words, left, right, size_ids, self.record_sizes = (np.concatenate(part) for part in zip(*parts))
        self.words, self.size_ids = words.astype(np.uint16), size_ids.astype(np.uint16)
        self.left, self.right = left.astype(np.int32), right.astype(np.int32)
        self.rows = np.concatenate([*rows, np.zeros(1, np.int64)])
        if len(self.size_numbers) > 1 << 16:
            raise Unsupported("its arrays have too many different sizes")
        self.sizes = np.array(list(self.size_numbers), np.int64)

    def _records(self):
        return passes.Records(self.words, self.left, self.right, self.rows, self.plans, self.entered, len(self.recorder.inputs))

    def _simplify(self, wanted):
        """Makes equal records one, and constants of what depends on nothing else; `wanted`: numbers of outputs and in guards."""
        records = self._records()
        needed = np.ones(len(self.words), bool)
        folded = records.constant() & (records.kinds > PASSIVE)
        if folded.any():
            self.words[folded] = np.where(self.record_sizes[folded] == 1, CONSTANT.code, ARRAY.code)
            needed = self._records().needed([*wanted, *range(len(self.recorder.inputs))])
            self.entered += [(i, self._value(i)) for i in np.flatnonzero(folded & needed).tolist()]
            self.entered.sort(key=lambda entry: entry[0])
            records = self._records()
        first = records.first_equals()
        kept = np.zeros(len(first), bool)
        kept[first[needed]] = True
        if not kept.all():
            self._renumber(records, kept, (np.cumsum(kept) - 1)[first])

    def _value(self, i):
        """What a record was when it was recorded."""
        start, tape, live = next(source for source in reversed(self.sources) if source[0] <= i)
        return tape.peek(int(live[i - start])).copy()

    def _renumber(self, records, kept, number):
        """Leaves out the records that are not kept; `number`: the new one of each record, or of that which stands for it."""
        kinds = records.kinds[kept]
        for i in records.many:
            if kept[i]:
                records.operands(i)[...] = number[records.operands(i)]
        self.words, self.size_ids, self.record_sizes = self.words[kept], self.size_ids[kept], self.record_sizes[kept]
        self.left = np.where(kinds > ACTIVE, number[self.left[kept]], 0).astype(np.int32)
        right = self.right[kept]
        self.right = np.where(kinds == BINARY, number[np.where(kinds == BINARY, right, 0)], right).astype(np.int32)
        used = set(self.right[kinds >= PLANNED].tolist())
        self.plans = {row: plan for row, plan in self.plans.items() if row in used}
        self.entered = [(int(number[i]), array) for i, array in self.entered if kept[i]]
        self.maps = {serial: np.where(new >= 0, number[new], -1) for serial, new in self.maps.items()}

    def _set_sizes(self):
        """Numbers for the sizes of all records."""
        if int(np.sum(self.record_sizes + ALIGNED)) > MAX_ELEMENTS:
            raise Unsupported("it holds more elements than a tape can")
        order = np.argsort(self.sizes)
        self.size_ids = order[np.searchsorted(self.sizes, self.record_sizes, sorter=order)].astype(np.uint16)

    def _number(self, size):
        return self.size_numbers.setdefault(size, len(self.size_numbers))

    def _set_inputs(self, parts):
        sizes = [size_of(shape) for _, _, shape in self.recorder.inputs]
        none = np.zeros(len(sizes), np.int64)
        parts.insert(0, (np.full(len(sizes), INPUT.code), none, none, np.array([self._number(n) for n in sizes], np.int64),
                         np.array(sizes, np.int64)))

    def _rows(self, tape, new, records, kinds, before):
        """The rows of planned records, with sizes and operands by their new numbers."""
        known, rows = tape.buffers.rows, np.zeros(tape.rows, np.int64)           # those of dead records stay empty
        places, first = np.unique(tape.buffers.right[records], return_index=True)
        for row, kind in zip(places.tolist(), kinds[first].tolist()):
            plan = tape.plans[row]
            self.plans[row + before] = plan
            rows[row], rows[row + 1] = self._number(int(tape.buffers.sizes[known[row]])), known[row + 1]
            if kind in (PLANNED_MANY, PLANNED_EACH):
                stop = row + 4 + int(known[row + 2])
                rows[row + 2:row + 4] = known[row + 2:row + 4]
                rows[row + 4:stop] = new[known[row + 4:stop]]
        return rows

    def _entries(self, tape, live, kinds, words, sizes, before):
        """Notes the values that entered; gives words and numbers of sizes, which are known of those records alone."""
        size_ids = np.zeros(len(live), np.int64)
        leaves = {i: target for i, target, _ in tape.inputs}
        for k in np.flatnonzero(kinds <= 1).tolist():
            i = int(live[k])
            if i in leaves:
                if id(leaves[i]) not in self.made:
                    raise Unsupported("it uses a tensor that requires grad without getting it as an argument; pass it as one, or "
                                      "use x.detach()")
                words[k] = ARRAY.code
            size_ids[k] = self._number(int(sizes[k]))
            self.entered.append((before + k, tape.peek(i)))
        return words, size_ids

    def _set_constants(self):
        count = len(self.recorder.inputs)
        places, start = [(k, 0) for k in range(count)], 0
        for i, array in self.entered:
            if array.size >= ALIGNED:
                start = -(-start // ALIGNED) * ALIGNED
            places.append((i, start))
            start += array.size
        self.constants = np.zeros(max(start, 1), self.dtype)
        for (_, array), (_, at) in zip(self.entered, places[count:]):
            self.constants[at:at + array.size] = array
        self.places = np.array(places, np.int64).reshape(-1, 2)


def _check(tape):
    """Unsupported where a tape has what compiled sweeps alone can't do, or memory was written behind its back."""
    if tape.hosts:
        name = next(iter(tape.hosts.values()))[0].name.removesuffix("0").removesuffix("Backward")
        raise Unsupported(f"{name} is computed in Python")
    if tape.hooks or tape.retained:
        raise Unsupported("it registers hooks, or retain_grad(), on tensors that it computes")
    if any(storage.version != seen or storage.silent for _, storage, seen in tape.watched or ()):
        raise Unsupported("it writes in place into memory that it shares with a detached tensor or a view")
