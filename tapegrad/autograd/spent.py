"""Losses that are kept after their backward: they leave their tape, so that a list of losses doesn't hold every graph.

A tape lives as long as one tensor of it. Where that tensor is the one that a backward began from, and the backward used up all
that it was computed from, only its number can still be asked for: it moves to a tape of such numbers.
"""
import weakref

import numpy as np

from ..ops import HOST
from ..sweeps import TOUCHED
from ..tape import Tape, holders, release, state
from ..tensor.core import Tensor
from .engine import CLEAR, display, survey, verify

WAITING = 4                                  # backward passes until one is looked at: most losses are gone by then


class Spent:
    """What is left of the graph of a number: an error for whoever goes back through it."""
    __slots__ = ("name", "outputs")
    operands: list = []
    shapes = ((),)
    used = True

    def __init__(self, name, index):
        self.name, self.outputs = name, [index]

    def read(self):
        """The records whose values the backward needs: none."""
        return ()

    def run(self, tape, gradients, keep):
        raise RuntimeError(f"backward a second time through {self.name}: its records were used up by the first, which ran "
                           "without retain_graph=True; call the first one with it, or compute the values again")

    run_recorded = run


def begin(x: Tensor) -> None:
    """After a backward from `x` that keeps no graph; looks at what came a few before."""
    waiting = state().waiting
    waiting.append(weakref.ref(x))
    if len(waiting) > WAITING:
        x = waiting.popleft()()
        if x is not None:
            _move(x)


def _move(x):
    """Moves a number off its tape, if it is all that holds it and nothing can go back through it."""
    if holders([x._tape]) != 1:
        return
    tape = x._tape
    if (x._own is not None or tape.is_open or not _sees(tape) or tape.hooks or tape.retained or tape.overwritten or tape.watched
            or x._storage is not None or x._base is not None or tape.size(x._index) != 1
            or tape.buffers.passes or _usable(tape, x._index)):
        return
    value, name = tape.number(x._index), display(tape, x._index)
    home = _numbers(tape.dtype)
    i = home.enter(HOST.code, np.array(value, tape.dtype))
    home.hosts[i] = Spent(name, i), 0
    x._tape, x._index = home, i


def _sees(tape):
    """Whether the sweep that verifies sees of all that Python computed whether it is used up."""
    return not tape.hosts or all([host.read() for host, _ in tape.hosts.values()])


def _usable(tape, i):
    """Whether a backward from a record would go through."""
    words = tape.all_words
    words[i] |= TOUCHED
    try:
        verify(tape, i, None, survey(tape, i))
    except RuntimeError:
        return False
    finally:
        words[i] &= CLEAR
    return True


def _numbers(dtype):
    """The tape of this thread where such numbers are; a new one where it is full."""
    tapes = state().numbers
    tape = tapes.get(dtype)
    if tape is None or tape.n + 8 > tape.capacity:
        tape = tapes[dtype] = Tape(dtype, ({}, {}))
        release(tape)
        tape.hosts = {}
    return tape
