"""Recording: runs a function on tapes of its own, and notes every value that leaves them.

What Python does with a value is not on a tape. A *guard* says that a recorded program holds as long as that comes out the same:
a decision (a comparison, an order, a mask) as its outcome, every other read as the value itself, to the last bit.
"""
import functools
import pickle
import random
from contextlib import contextmanager

import numpy as np

from ..autograd.modes import enable_grad
from ..ops import BY_NAME, CODE_MASK, INPUT, KINDS, PASSIVE
from ..ops.relation import RELATIONS
from ..tape import count_modes, open_tape, state
from ..tensor.core import Tensor, interior, make_mask, record_many, refresh, tracked, version, wrap
from ..tensor.elementwise import fit
from ..tensor.plans import Plan
from ..tensor.random import generator as tapegrads_generator

RELATION = BY_NAME["relation"]
WRITES = ("it writes into its argument, which a replay would leave as it is; write into a copy, clone() of it, and return "
          "that")
LEVEL = 3                                    # of tapes to record on: the largest, so that chains are short


class Reading:
    """A guard as it is noted: ``function(*operands, **options)`` gave `outcome`. Operands are (tape, record, shape), or what
    was given. Without a function, the value itself."""
    __slots__ = ("function", "operands", "options", "outcome")

    def __init__(self, function, operands, options, outcome):
        self.function, self.operands, self.options, self.outcome = function, operands, options, outcome


class Recorder:
    """What is noted of one run. `made`: leaves that were made meanwhile; `reason`: why it can't be replayed, or ""."""

    def __init__(self):
        self.readings: list = []
        self.made: list = []
        self.inputs: list = []
        self.tapes: list = []
        self.reason = ""
        self._read: set = set()

    def count(self):
        """How many records there are."""
        return sum(tape.n for tape in self.tapes)

    def forget(self):
        """Drops the tapes, which know of it, too: they are large, and would stay until Python looks for circles."""
        self.readings, self.made, self.inputs, self.tapes = [], [], [], []

    def refuse(self, reason):
        self.reason = self.reason or reason

    def was_read(self, tape, i):
        """The value of a record is about to be seen outside."""
        if (tape.serial, i) not in self._read and KINDS[tape.all_words[i] & CODE_MASK] != PASSIVE:
            self._read.add((tape.serial, i))
            shape = (int(tape.peek(i).size),)
            self.readings.append(Reading(None, ((tape, i, shape),), {}, tape.peek(i).copy()))

    def decide(self, function, operands, options):
        """The outcome of a function of values, noted as a guard."""
        outcome, reading = self._outcome(function, operands, options)
        if reading is not None:
            self.readings.append(reading)
        return outcome

    def _outcome(self, function, operands, options):
        """The outcome, and what is to be noted, or None."""
        places, arguments = [], []
        for x in operands:
            if isinstance(x, Tensor):
                place, value = self._place(x)
            else:
                place = value = x
            places.append(place)
            arguments.append(value)
        outcome = function(*arguments, **options)
        if not any(isinstance(place, tuple) for place in places):
            return outcome, None
        return outcome, Reading(function, tuple(places), options, _copied(outcome))

    def compare(self, ufunc, x, y):
        """The outcome of a comparison, a tensor. Where it can be a record, it is a guard only if somebody looks at it."""
        if ufunc in (np.bitwise_and, np.logical_and) and any(not isinstance(z, Tensor) and not np.any(z) for z in (x, y)):
            shapes = [z._shape if isinstance(z, Tensor) else np.shape(z) for z in (x, y)]
            return wrap(np.zeros(np.broadcast_shapes(*shapes), bool))            # whatever the other one is
        outcome, reading = self._outcome(ufunc, (x, y), {})
        outcome = np.asarray(outcome)
        record = self._relation(ufunc, x, y, outcome.shape) if reading is not None else None
        if record is None:
            if reading is not None:
                self.readings.append(reading)
            return wrap(outcome)

        def observe():
            nonlocal reading
            if reading is not None:
                self.readings.append(reading)
                reading = None
        return make_mask(outcome, observe, record)

    @staticmethod
    def _relation(ufunc, x, y, shape):
        """The record of a comparison, a tensor of ones and zeros; None where it would not compare as NumPy does."""
        if ufunc.__name__ not in RELATIONS or not state().enabled:
            return None
        dtype = next(z.dtype for z in (x, y) if isinstance(z, Tensor) and tracked(z))
        for z in (x, y):
            if isinstance(z, Tensor):
                if z.dtype != dtype:
                    return None
            elif type(z) not in (float, int) or abs(z) >= 1 << 53:
                return None
        operands = [fit(z, shape) if isinstance(z, Tensor) else z for z in (x, y)]
        return record_many(RELATION, operands, _plan(ufunc.__name__, shape), dtype)

    def _place(self, x):
        """Where a tensor is on a tape of this recording, and its value; of any other a copy, and its value."""
        refresh(x)
        if x._own is None and x._tape.recorder is self and x._storage is None:
            return (x._tape, x._index, x._shape), x._tape.peek(x._index).reshape(x._shape)
        value = x._array()
        return value.copy(), value


@functools.lru_cache(maxsize=1024)
def _plan(name, shape):
    return Plan([RELATIONS.index(name)], shape, name)


def _copied(outcome):
    if isinstance(outcome, tuple):
        return tuple(_copied(part) for part in outcome)
    return outcome.copy() if isinstance(outcome, np.ndarray) else outcome


@contextmanager
def recording(recorder, dtype, arrays, streams):
    """Within it this thread records on tapes of its own. Gives tensors for the arrays. `streams`: the random numbers that are
    not to be drawn."""
    here = state()
    aside = here.tapes, here.levels, here.recorder, here.anomaly, here.inference
    here.tapes, here.levels, here.recorder = {}, {dtype: LEVEL}, recorder
    here.anomaly, here.inference = False, False
    tapes = here.tapes
    count_modes(1)
    try:
        with enable_grad():
            given = [_enter(recorder, dtype, array) for array in arrays]
            versions = [version(x) for x in given]
            yield given
        if [version(x) for x in given] != versions:
            recorder.refuse(WRITES)
        if streams.were_drawn():
            recorder.refuse("it draws random numbers, which a replay would repeat; draw them outside and pass them as an "
                            "argument")
    finally:
        here.tapes, here.levels, here.recorder, here.anomaly, here.inference = aside
        count_modes(-1)
        for tape in list(tapes.values()):
            tape.close()


def _enter(recorder, dtype, array):
    """A tensor on the tape, whose every read is seen: no leaf."""
    tape = open_tape(dtype)
    if tape.n + 8 > tape.capacity:
        raise OverflowError(f"a recording takes up to {tape.capacity - 8} arguments; pass arrays instead of many numbers")
    array = np.array(array, dtype, order="C")
    i = tape.enter(INPUT.code, array)
    leaf = wrap(array)
    leaf._requires = True
    tape.inputs.append((i, leaf, 0))
    recorder.inputs.append((tape, i, array.shape))
    return interior(tape, i, array.shape)


class Streams:
    """The states of everything that draws random numbers, as they are when this is made: NumPy's and Python's own generators,
    tapegrad's, and those that a function refers to."""

    def __init__(self, generators=()):
        self._generators = [np.random, random, tapegrads_generator(), *generators]
        self._states = self._now()

    def _now(self):
        return [pickle.dumps(_state_of(generator)) for generator in self._generators]

    def were_drawn(self):
        """Whether one of them gave numbers since."""
        return self._now() != self._states

    def put_back(self):
        """Lets them give the same numbers again."""
        for generator, kept in zip(self._generators, self._states):
            state = pickle.loads(kept)
            if isinstance(generator, np.random.Generator):
                generator.bit_generator.state = state
            elif hasattr(generator, "set_state"):
                generator.set_state(state)
            else:
                generator.setstate(state)


def _state_of(generator):
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state() if hasattr(generator, "get_state") else generator.getstate()
