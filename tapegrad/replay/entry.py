"""Calls of compiled functions without Python: a way that is taken often gets an entry. See tapegrad._jit.entry.

An entry looks at what `Compiled.enter` looks at, but for identity alone. What it does not take (other arguments, a number that is
equal and another object, a broken guard) goes the way through Python, which knows what to do.
"""
import timeit
import types
from typing import Any, NamedTuple

import numpy as np

from .. import tape
from .._jit import JIT, sweep_address
from .._jit.locks import imported
from ..buffers import address_of
from ..tensor import conversion
from ..tensor.core import Tensor
from .environment import MISSING, Slots, contents, equal
from .machine import Jacobian, Tangent
from .workspace import Workspace

OFTEN = 256                                  # runs through Python until an entry is made
MANY = 500                                   # records of a program that first waits whether it will run as instructions
RENEWALS = 16                                # how often one is made anew where what it watches is equal and not the same
WATCHED = 500                                # things that an entry looks at; more of them take longer than the way through Python
WATCHED_BYTES = 1 << 18
LONG = 2e-5                                  # seconds of a run in which other threads are let in
TOO_LONG = 2e-4                              # seconds of a run beside which the way through Python is nothing

# Parts of a result: the value of an output; the gradient by an input; that, written into the caller's array if he gave one;
# another derivative.
VALUE, SLOPE, PUT, WHOLE = range(4)


class Routine(NamedTuple):
    """A C function of up to 6 integers that runs a program in its own memory; tapegrad._jit.entry says what it gives. Inputs,
    values of outputs, and slopes (adjoints of inputs) are pairs (copied, place): an array is copied to or from that address, or
    the address of its elements is written there before the call. Numbers are always copied."""
    address: int
    arguments: tuple
    inputs: list
    values: list
    slopes: list
    kept: Any


def interpreted(workspace, output=None):
    """The routine that sweeps over the records in a workspace, which is its own from then on; with the number of an output, for
    its slopes as well."""
    sweep, call = workspace.way if output is None else workspace.ways[output]
    inputs = [(False, address_of(workspace.entries) + 16 * k) if k in workspace.large else (True, address_of(primal))
              for k, primal in enumerate(workspace.primals)]
    found, slopes = ([(True, address_of(view)) for view in views] for views in (workspace.found, workspace.slopes))
    return Routine(sweep_address(sweep), call, inputs, found, slopes, workspace)


def machined(workspace, output=None):
    """The routine that is a workspace's machine code, which reads and writes arrays where they are; None where there is none."""
    bound = workspace.coded(output)
    if bound is None:
        return None
    table = bound.table
    places = iter(range(len(table.arrays)))

    def there(arrays):
        return [(array.ndim == 0, address_of(array) if array.ndim == 0 else table.slot(k)) for array, k in zip(arrays, places)]
    inputs, found, slopes = there(workspace.primals), there(bound.found), there(bound.slopes)
    if type(output) is Tangent:              # what it is taken along is an input, too
        inputs.append(slopes.pop(0))
    return Routine(bound.code.address, (bound.address,), inputs, found, slopes, (workspace, bound))


class Unwatchable(Exception):
    """There can be no entry."""


def entry_of(site, program, workspace, arguments, parts=None, output=None):
    """After a run through Python: the entry for such arguments, or None. The result is a part (VALUE, number of output),
    (SLOPE or PUT, number of input), (WHOLE, shape) where `output` is a :class:`machine.Jacobian` or :class:`machine.Tangent`, or
    (list or tuple, part, ...); None: what the function gives."""
    program.runs += 1
    if program.runs < OFTEN or not JIT or not program.tier.settled(output):
        return None
    if program.waits and len(program) > MANY and workspace.inside:
        return None                          # until it runs as instructions
    key = parts, output, tuple(map(type, arguments))
    known, table, made = program.entries.get(key, (None, None, 0))
    entry = imported("tapegrad._jit.entry")              # compiled for the first function that earns it
    if not made or (known is not None and table[entry.CHANGED] and made < RENEWALS):
        try:
            known, table = _made(entry, site, program, workspace, arguments, parts, output)
        except Unwatchable:                  # an old one stays, since what it watches may be as it was again
            pass
        program.entries[key] = known, table, made + 1
    return known


def _made(entry, site, program, workspace, arguments, parts, output):
    """(the entry, its table)."""
    seconds = min(timeit.repeat(lambda: _run(workspace, output), number=1, repeat=3))
    if program.others or workspace.passing or seconds > TOO_LONG:
        raise Unwatchable
    own = Workspace(program)
    own.put(workspace.primals)
    if _run(own, output) is not None:
        raise Unwatchable
    routine = machined(own, output) or interpreted(own, output)
    watched, inputs, results = _Watched(entry), _Rows(entry, program.dtype), _Rows(entry, program.dtype)
    watched.see(site.marks, 0)
    watched.environment(site.environment)
    shapes = [*program.inputs, output.along] if type(output) is Tangent else program.inputs
    places = zip(shapes, routine.inputs)
    for x in arguments:
        inputs.take(x, places)
    results.give(parts or _parts(program), program, routine)
    made = entry.make((routine.address, *routine.arguments), len(arguments), watched.rows, inputs.rows, results.rows, tape.MODES,
                      site.marks[1:], seconds > LONG, (program, routine.kept, watched.kept, inputs.kept, results.kept))
    if made is None:
        raise Unwatchable
    return made


class _Rows:
    """Rows of inputs or results; `kept` is what they have the addresses of."""

    def __init__(self, entry, dtype):
        self.codes, self.dtype, self.rows, self.kept = entry, dtype, [], [dtype]

    def _one(self, kind, shape, copied, place):
        model, dimensions = np.empty(shape, self.dtype), np.array(shape, np.int64)
        self.kept.append((model, dimensions))
        self.rows.append((kind, id(self.dtype), len(shape), address_of(dimensions), model.nbytes,
                          self.codes.COPY if copied else self.codes.ADDRESS, place, id(model)))

    def _several(self, kind, count):
        self.rows.append((self.codes.LIST if kind is list else self.codes.TUPLE, 0, 0, 0, count, self.codes.COPY, 0, 0))

    def take(self, x, places):
        """An argument; `places`: what is left of the inputs' shapes and places."""
        if type(x) in (list, tuple):
            self._several(type(x), len(x))
            for part in x:
                self.take(part, places)
        else:
            shape, where = next(places)
            self._one(self.codes.FLOAT if type(x) is float else self.codes.ARRAY, shape, *where)

    def give(self, part, program, routine):
        """A part of the result."""
        kind, *rest = part
        if kind in (list, tuple):
            for inner in rest:
                self.give(inner, program, routine)
            self._several(kind, len(rest))
        elif kind == VALUE:
            shape = program.outputs[rest[0]][1]
            self._one(self.codes.ARRAY if shape else self.codes.SCALAR, shape, *routine.values[rest[0]])
        else:
            shape, k = (rest[0], 0) if kind == WHOLE else (program.inputs[rest[0]], rest[0])
            array = self.codes.OUT if kind == PUT else self.codes.ARRAY
            self._one(array if shape else self.codes.SCALAR, shape, *routine.slopes[k])


def _run(workspace, output):
    if type(output) in (Jacobian, Tangent):
        bound = workspace.coded(output)
        return output if bound is None else workspace.run_bound(bound)
    return workspace.run_values() if output is None else workspace.run_gradient(output)


def _parts(program):
    """What the recorded function gives, as parts of a result."""
    numbers = iter([k for k, _ in program.ends])

    def part(tree):
        if type(tree) in (list, tuple):
            return type(tree), *[part(inner) for inner in tree]
        k = next(numbers) if type(tree) is int else None
        if k is None:                        # constants, and other containers
            raise Unwatchable
        return VALUE, k
    return part(program.tree)


class _Watched:
    """Rows for what has to be as it is now; `kept` are objects whose addresses they have."""

    def __init__(self, entry):
        layout = imported("tapegrad._jit.layout")
        self.layout, self.place, self.word = layout.layout(), layout.slot, layout.word
        if self.layout is None:
            raise Unwatchable
        self.codes, self.rows, self.kept, self.bytes = entry, [], [], 0

    def _add(self, *row):
        self.rows.append(row)
        if len(self.rows) > WATCHED:
            raise Unwatchable

    def see(self, array, k):
        """An integer of an array."""
        self.kept.append(array)
        self._add(self.codes.SAME, address_of(array) + 8 * k, int(array[k]), 0)

    def environment(self, environment):
        """Everything that `Environment.same` looks at."""
        self.kept.append(environment)
        self._entry(vars(conversion), "_default_dtype", environment.dtype)
        for cell, value in environment.cells:
            self._part(cell, self.layout.cell, self._present(contents(cell), value), MISSING)
        for function, code, defaults, named in environment.codes:
            self._part(function, self.layout.code, code)
            self._part(function, self.layout.defaults, defaults, None)
            self._part(function, self.layout.named, named, None)
        for some in environment.entries:
            self._entry(*some)
        for some in environment.containers:
            self._members(*some)
        for thing, kind in environment.objects:
            self._part(thing, self.codes.TYPE, kind)
        for memory in environment.memories:
            self._memory(memory)

    def _present(self, now, value):
        """What stands for a recorded value at present: it, or a number or text that is equal."""
        if now is not value:
            if not equal(now, value):
                raise Unwatchable
            self.kept.append(now)
        return now

    def _part(self, thing, place, value, *nothing):
        """What a part of an object is; `nothing` is kept as 0."""
        self._add(self.codes.SAME, id(thing) + place, 0 if nothing and value is nothing[0] else id(value), 0)

    def _entry(self, mapping, key, value):
        if type(key) is not str or value is MISSING:
            raise Unwatchable
        self._add(self.codes.ENTRY, self._dict(mapping), id(key), id(self._present(mapping.get(key), value)))

    def _slot(self, kind, name):
        place = self.place(kind, name)
        if place is None:
            raise Unwatchable
        return place

    def _dict(self, mapping):
        """The address of a dict, also of one that can only be read through a proxy."""
        if type(mapping) is types.MappingProxyType:
            address = self.word(id(mapping) + self.layout.mapping)
            if self.word(address + self.codes.TYPE) == id(dict):
                return address
        if type(mapping) is not dict:
            raise Unwatchable
        return id(mapping)

    def _members(self, container, values):
        """Those of a container, `values` being what they were; of a dict, its keys come before its values."""
        if type(container) is list:
            items = self.word(id(container) + self.layout.members)
            self._add(self.codes.SAME, id(container) + self.layout.length, len(values), 0)
            self._add(self.codes.SAME, id(container) + self.layout.members, items, 0)
            for k, (now, value) in enumerate(zip(list(container), values)):
                self._part(container, items - id(container) + 8 * k, self._present(now, value))
            return
        if isinstance(container, Slots):
            for name, now, value in zip(container.names, container.values(), values):
                self._part(container.thing, self._slot(type(container.thing), name), self._present(now, value), MISSING)
            return
        address = self._dict(container)
        pairs = [part for pair in list(container.items()) for part in pair]
        if len(pairs) > WATCHED or len(pairs) != len(values):
            raise Unwatchable
        for now, value in zip((*pairs[::2], *pairs[1::2]), values):
            self._present(now, value)
        expected = np.array([id(part) for part in pairs], np.int64)
        self.kept.append((pairs, expected))
        self._add(self.codes.MEMBERS, address, address_of(expected), len(expected))

    def _memory(self, memory):
        """The elements of an array, and that a tensor has that array."""
        holder, array = memory.holder, memory.array
        if type(holder) is Tensor:
            self._part(holder, self._slot(Tensor, "_own"), array)
            self._part(holder, self._slot(Tensor, "_requires"), False)
        self.bytes += memory.nbytes
        if (type(holder) not in (Tensor, np.ndarray) or type(array) is not np.ndarray or array.shape != memory.copy.shape
                or memory.nbytes < 0 or self.bytes > WATCHED_BYTES):
            raise Unwatchable
        for place in (self.codes.DATA, self.codes.AXES, self.codes.SHAPE):
            self._add(self.codes.SAME, id(array) + place, self.word(id(array) + place), 0)
        shape = self.word(id(array) + self.codes.SHAPE)
        for k, n in enumerate(array.shape):
            self._add(self.codes.SAME, shape + 8 * k, n, 0)
        self._add(self.codes.BYTES, memory.address, memory.copy_address, memory.nbytes)
