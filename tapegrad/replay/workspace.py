"""Workspaces: what one run over a program writes, and the ways to run it: sweeps, instructions, machine code."""
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import kernels
from ..buffers import address_of
from ..ops import KINDS, PASSIVE
from ..ops.frame import FRAME_LENGTH
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
from . import interpreter
from .layout import LINED
from .machine import Bound, Jacobian, Tangent
from .sweeps import GUARD, RIPE, RUNS, columns, compiled, gradient, rows, values

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
