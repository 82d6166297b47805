"""Machine code for programs that are replayed often: what is made of a program, when, and how it is called.

    listing      the records of a program, as lists
    rolling      loops that a recording has unrolled
    fusing       elementwise records of vectors that share a loop
    pattern      which inputs the outputs depend on, and directions for sparse Jacobians
    generator    writes LLVM's text; its parts are planning, looping (over numbers), turning (loops over vectors), vectors, moving
                 (of elements, and calls of kernels) and ending; text is its pen
"""
import ctypes
import functools
import hashlib
import importlib.resources
import os
import sys
import warnings
from typing import NamedTuple

import numpy as np

from ... import kernels
from ..._jit import JIT, fingerprint, special
from ..._jit.locks import imported, lock
from ...buffers import address_of
from ...ops import CODE_MASK, OPS
from ...tensor.elementwise import size_of
from ...weak import WeakSet
from ..threads import beside

# What writes and compiles is imported when the first program needs it

POINTERS = 4                                 # of the table that code is called with; then come the arrays
ALIGNED = 64                                 # bytes
MOST_RECORDS = 20_000                        # to write out, loops counted once
STRAIGHT = 600                               # records of which more gain nothing by LLVM's passes
SECONDS_A_RECORD = 2e-4                      # that compiling takes, loops counted once, and at least
SECONDS_AT_LEAST = 0.015
READING = 1e-3                               # seconds that reading it from disk takes
LOOKING = 1e-5                               # seconds a record to see what repeats
LONG, LONGEST = 5000, 300_000                # records that are looked at beside the calls, and that are not looked at
LARGE = 4096                                 # elements of arrays that are handed out as they are
COUNTED = getattr(sys, "_is_gil_enabled", lambda: True)()        # whether references are counted one by one
SHORT = 1e-5                                 # seconds of a run that other threads may wait for
AT_ONCE = 0.05                               # seconds of compilation that a call may wait for; longer ones go on beside it


class Unsuited(Exception):
    """Says why a program stays with the interpreter."""


class Code:
    """Machine code for a program. It is called with a table, see generator; `room` are the bytes of memory that it needs."""

    def __init__(self, made, samples):
        self._made = made
        self.address = made.addresses["run"]
        self.room, self.short = made.facts["room"], made.facts["seconds"] < SHORT
        integers = [ctypes.c_int64] * 2 if samples else []
        self.run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *integers)(self.address)     # releases the GIL
        self.hold = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64, *integers)(self.address)   # keeps it


class Table:
    """What machine code is called with, and its memory. `arrays`: of inputs, outputs, and what else the code expects."""

    def __init__(self, program, code, arrays):
        self.memory = np.zeros(code.room + ALIGNED, np.uint8)
        start = address_of(self.memory)
        self.io = np.array([start + -start % ALIGNED, address_of(program.constants), address_of(program.rows),
                            address_of(kernels.ADDRESSES[program.dtype]), *map(address_of, arrays)], np.int64)
        self.address = address_of(self.io)
        self.arrays = list(arrays)

    def point(self, k, array):
        """Sets the k-th of the arrays."""
        self.io[POINTERS + k] = address_of(array)
        self.arrays[k] = array

    def slot(self, k):
        """Where the address of the k-th array is read."""
        return address_of(self.io) + 8 * (POINTERS + k)


class Bound:
    """Code with a table of its own: ``call(address)`` runs it. `found`: the outputs, `slopes`: the gradients or the Jacobian."""

    def __init__(self, program, code, inputs, slopes):
        self.code = code
        self.found = [np.zeros(shape, program.dtype) for _, shape in program.outputs]
        self.slopes = slopes
        self.table = Table(program, code, [*inputs, *self.found, *slopes])
        self.call, self.address = code.hold if code.short else code.run, self.table.address
        self._first = len(inputs) + len(self.found)      # of the table's arrays
        self._held = [sys.getrefcount(slopes[k]) for k in range(len(slopes))]
        self._spare: list = []

    def renew(self):
        """Large arrays of derivatives that somebody else holds are left to them, and others taken instead."""
        for k, held in enumerate(self._held):
            if self.slopes[k].size > LARGE and (not COUNTED or sys.getrefcount(self.slopes[k]) > held):
                self._spare = [*self._spare[-3:], self.slopes[k]]
                place = next((n for n in range(len(self._spare)) if self._spare[n].shape == self.slopes[k].shape
                              and COUNTED and sys.getrefcount(self._spare[n]) == 2), None)
                array = np.empty_like(self.slopes[k]) if place is None else self._spare.pop(place)
                self.slopes[k] = array
                self.table.point(self._first + k, array)


def _llvm():
    return imported("tapegrad._jit.llvm")


def _generator():
    return imported(f"{__name__}.generator")


def lanes_of(dtype):
    """How many numbers a register holds."""
    return max(_llvm().register_bytes() // dtype.itemsize, 4)


def generate(program, gradient=None, by=(), varying=(), lanes=1, tangents=False, along=False):
    """Code for a program, from disk or made. Raises Unsuited. See Generator for the arguments."""
    if not JIT:
        raise Unsuited("the JIT is off")
    def make():
        generator = _generator().Generator(program, gradient, by, varying, lanes, tangents, along)
        if generator.weight > MOST_RECORDS:
            raise Unsuited(f"it has more than {MOST_RECORDS} records that do not repeat")
        text = generator.write()
        _prepare(generator.module.kernels, generator.module.needed, program.dtype)
        facts = {"room": generator.room, "seconds": 1e-9 * (generator.listing.count + generator.room / 8),
                 "kernels": sorted(map(list, generator.module.kernels)), "special": sorted(generator.module.needed)}
        return text, ["run"], facts, generator.weight <= STRAIGHT

    def ready(facts):
        _prepare(facts["kernels"], facts["special"], program.dtype)
    try:
        made = _llvm().machine_code(_key(program, gradient, by, varying, lanes, tangents, along), make, ready)
    except imported(f"{__name__}.text").Unwritten as error:
        raise Unsuited(f"it uses {error}") from None
    return Code(made, lanes > 1 and (not tangents or bool(varying)))


def is_kept(program, gradient=None, by=(), varying=(), lanes=1, tangents=False, along=False):
    """Whether that code is on disk."""
    return JIT and _llvm().is_kept(_key(program, gradient, by, varying, lanes, tangents, along))


def _key(program, gradient, by, varying, lanes, tangents, along):
    """What code is found by: the program, what is computed, and the sources of that."""
    return (program.digest, gradient, tuple(sorted(by)), tuple(sorted(varying)), lanes, tangents, along, _sources(),
            [_row(int(code)) for code in np.unique(program.words & CODE_MASK)])


def _prepare(needed, functions, dtype):
    """What the code will call is there."""
    for name in functions:
        special.load(name)
    for code, column in needed:
        kernels.need(code, column, dtype)


@functools.cache
def _sources():
    """A hash of everything that text is made by."""
    digest, here = hashlib.sha256(), importlib.resources.files(__package__)
    package = importlib.resources.files(__package__.partition(".")[0])
    for file in (*sorted(here.iterdir(), key=lambda file: file.name), package / "ops" / "relation.py",
                 package / "replay" / "sweeps.py"):          # what else there is, `_row` has seen
        if file.name.endswith(".py"):
            digest.update(file.read_bytes())
    return digest.hexdigest()


@functools.cache
def _row(code):
    op = OPS[code]
    return op.name, code, fingerprint(*filter(None, (op.value, *op.partials)))


class Jacobian(NamedTuple):
    """What code for a Jacobian is asked for by."""
    shape: tuple
    columns: int
    options: tuple

    def find(self, tier, samples=1):
        """The code, or None. It stands for a run of the interpreter for each column, and one for the value."""
        return tier.find(None, samples * (1 + self.columns), **dict(self.options))


class Tangent(NamedTuple):
    """What code for the tangent of the one output along one of an input is asked for by: the shapes of both, and the input."""
    along: tuple
    shape: tuple
    number: int

    @property
    def options(self):
        return {"by": (self.number,), "tangents": True, "along": True}


def jacobian_code(program, number, batch=()):
    """The :class:`Jacobian` of a program with one output by one input; None where sweeps backward may be better, or there is more
    to it."""
    if program.tree != 0 or program.ends[0][0] is None or program.is_constant(0):
        return None
    if not 0 < size_of(program.inputs[number]) <= 2 * size_of(program.outputs[0][1]):
        return None
    options = ("by", (number,)), ("lanes", lanes_of(program.dtype)), ("tangents", True), ("varying", tuple(batch))
    shape = program.inputs[number]
    return Jacobian((*program.outputs[0][1], *shape), size_of(shape), options)


_beside = WeakSet()                          # tiers that compile beside the calls


def _in_child():
    """In a forked process nobody goes on with it."""
    for tier in _beside:
        tier.codes = {key: code for key, code in tier.codes.items() if code is not None}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


# When ---------------------------------------------------------------------------------------------------------------------

class Tier:
    """The machine code of a program, by what it computes. `wanted`: True, made when first asked for; False, never; None, when the
    time that the interpreter has taken repays it."""

    def __init__(self, program, wanted=None):
        self.program, self.wanted = program, wanted
        self.codes: dict = {}                # None: it can't be made, or is being made
        self.reason = ""
        elements = int(program.sizes[program.size_ids].sum())
        self.a_run = 3e-6 + 2e-8 * len(program) + 7e-10 * elements           # seconds of the interpreter, about
        self._lock = lock()
        self._spent: dict = {}

    def find(self, gradient=None, runs=1, **options):
        """The code, or None: not yet, or never. `runs`: how often the interpreter would run instead."""
        key = gradient, *options.items()
        if key in self.codes:
            return self.codes[key]
        if self.wanted is False:
            return None
        if not self.wanted and not self._repaid(key, runs, gradient, options):
            return None
        try:
            with self._lock:
                if key in self.codes:
                    return self.codes[key]
                self.codes[key] = None
            if self.wanted or (len(self.program) <= LONG and self._price <= AT_ONCE):
                self._make(key, gradient, options)
            else:
                _beside.add(self)
                beside(self._make, key, gradient, options)
        except BaseException:                # an interrupt: the next call begins again
            self.codes.pop(key, None)
            raise
        return self.codes.get(key)

    def __str__(self):
        """For explain."""
        made = [_said(key) for key, code in list(self.codes.items()) if code is not None]
        if made:
            return f"machine code for {', '.join(made)}"
        if self.reason:
            return f"interpreted: {self.reason}"
        return "interpreted" if self.wanted is False else "interpreted until machine code repays its making"

    def _repaid(self, key, runs, gradient, options):
        """Whether the interpreter has taken as long as making the code takes, or reading it from disk where it is."""
        before = self._spent.get(key, 0.0)
        spent = self._spent[key] = before + runs * self.a_run
        if before < READING <= spent and is_kept(self.program, gradient, **options):
            return True
        if len(self.program) > LONGEST:
            self.reason = f"it has more than {LONGEST} records"
        if self.reason or spent < SECONDS_AT_LEAST + LOOKING * len(self.program):
            return False
        return len(self.program) > LONG or spent >= self._price

    def settled(self, gradient=None):
        """Whether it is known what the values (None), a gradient by all inputs or another derivative are computed by."""
        if type(gradient) in (Jacobian, Tangent):
            return True                      # asked for by those alone who have code
        key = (None,) if gradient is None else (gradient, ("by", tuple(range(len(self.program.inputs)))))
        return self.wanted is False or bool(self.reason) or self.codes.get(key) is not None

    @functools.cached_property
    def _price(self):
        """Seconds that compiling takes, about."""
        try:
            return SECONDS_AT_LEAST + SECONDS_A_RECORD * _generator().Generator(self.program).weight
        except Unsuited as unsuited:
            self.reason = str(unsuited)
            return float("inf")

    def _make(self, key, gradient, options):
        try:
            self.codes[key] = generate(self.program, gradient, **options)
        except Unsuited as unsuited:
            self.reason = str(unsuited)
        except Exception as error:           # a fault of ours, which those who asked for machine code hear of
            self.reason = f"{type(error).__name__}: {error}"
            if self.wanted:
                warnings.warn(f"no machine code could be made, so that a program stays with the interpreter: {self.reason}; "
                              "please report it", RuntimeWarning, stacklevel=2)


def _said(key):
    """What code computes, in words."""
    gradient, options = key[0], dict(key[1:])
    what = "the values" if gradient is None else "the gradient"
    if options.get("tangents"):
        what = "tangents" if options.get("along") else "the Jacobian"
    return f"{what} of {options['lanes']} samples at a time" if options.get("varying") and not options.get("tangents") else what
