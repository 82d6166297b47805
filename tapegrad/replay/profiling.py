"""Where the time and the memory of a tape go, by operation."""
import time
from typing import NamedTuple

import numpy as np

from ..buffers import address_of
from ..ops import ACTIVE, KINDS, PASSIVE
from ..sweeps import TOUCHED
from . import sweeps
from .layout import operands
from .text import aligned, operation
from .workspace import Workspace

SHORT = 4e-6                                 # seconds: what takes less is measured many times in one go,
TIMES = 64                                   # so many
ENOUGH = 3000                                # records that are measured each for itself; of more, those alike share a measurement


class ProfileRow(NamedTuple):
    """Of all records of one operation: how many, the elements of their results, seconds forward and backward, and the bytes of
    their results, which the adjoints take once more."""
    operation: str
    records: int
    elements: int
    forward: float
    backward: float
    bytes: int


class Profile:
    """What :meth:`Tape.profile` gives: prints as a table. ``rows`` are :class:`ProfileRow`, that of the longest time first;
    ``total`` is their sum, a row, too; ``sweeps`` the seconds of whole sweeps, forward and backward."""

    def __init__(self, rows, whole):
        self.rows, self.sweeps = sorted(rows, key=lambda row: -row.forward - row.backward), whole
        self.total = ProfileRow("total", *[sum([row[k] for row in rows]) for k in range(1, 6)])

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __str__(self):
        head = ("operation", "records", "elements", "forward", "backward", "share", "bytes")
        both = max(self.total.forward + self.total.backward, 1e-300)
        lines = [(row.operation, str(row.records), str(row.elements), _seconds(row.forward), _seconds(row.backward),
                  f"{100 * (row.forward + row.backward) / both:.0f} %", str(row.bytes)) for row in (*self.rows, self.total)]
        return "\n".join([*aligned([head, *lines], "lrrrrrr"),
                          f"whole sweeps: forward {_seconds(self.sweeps[0])}, backward {_seconds(self.sweeps[1])}"])

    __repr__ = __str__


def profile(program, inputs, repeats):
    """See Tape.profile."""
    workspace = Workspace(program, program.whole)
    workspace.put(inputs)
    workspace.run()                          # with the kernels that it asks for
    ones = [np.ones(shape, program.dtype) for _, shape in program.outputs]
    workspace.pull(ones)
    whole = _least(workspace.run, repeats), _least(lambda: workspace.pull(ones), repeats)
    words = program.words.copy()             # as the sweep backward finds them
    words[[i for i, _ in program.outputs if KINDS[program.words[i]] != PASSIVE]] |= np.uint16(TOUCHED)
    found, known = {}, {}
    for i in range(len(program) - 1, len(program.inputs) - 1, -1):
        if KINDS[program.words[i]] <= ACTIVE:
            continue
        name, size, there, read = operation(program, i), _size(program, i), words[i] & TOUCHED, operands(program, i)
        alike = name, size, bool(there), *[(_size(program, j), KINDS[program.words[j]] == PASSIVE) for j in read]
        measured = len(program) <= ENOUGH or alike not in known
        forward = _record(sweeps.values_again, (workspace.address, i), repeats) if measured else known[alike][0]
        backward = 0.0
        if there:
            workspace._slope(i)[...] = 1     # whatever was measured before, no overflow
            backward = _record(sweeps.adjoints_again, (workspace.address, i, address_of(words)),
                               repeats) if measured else known[alike][1]
            for j in read:
                if KINDS[program.words[j]] != PASSIVE:
                    words[j] |= np.uint16(TOUCHED)
            words[i] = program.words[i]
        known[alike] = forward, backward
        row = found.setdefault(name, [0, 0, 0.0, 0.0, 0])
        for k, more in enumerate((1, size, forward, backward, size * program.dtype.itemsize)):
            row[k] += more
    return Profile([ProfileRow(name, *row) for name, row in found.items()], whole)


def _size(program, i):
    return int(program.sizes[program.size_ids[i]])


def _least(run, repeats):
    """The least of several times, seconds."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def _record(function, arguments, repeats):
    """The least of several times that one record takes, seconds, without the call from Python."""
    run = sweeps.compiled(function)
    address, i, *more = arguments
    empty = _least(lambda: run(address, i, 0, *more), repeats)
    once = _least(lambda: run(address, i, 1, *more), repeats) - empty
    if once > SHORT:
        return once
    return max(_least(lambda: run(address, i, TIMES, *more), repeats) - empty, 0.0) / TIMES


def _seconds(t):
    """A time with a unit in which it is no small number."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if t >= scale:
            return f"{t / scale:.3g} {unit}"
    return f"{t * 1e9:.3g} ns"
