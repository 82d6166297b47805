"""Soak: the library at work for an hour, and at sizes that it meets seldom.

    python -m tapegrad.testing.soak --minutes 60
    python -m tapegrad.testing.soak --sizes

The first does rounds of some twenty kinds in turn: training, hooks, faults, replay, machine code, batches, native gradients,
sparse derivatives, fits, threads, files. Each round looks at its answers; a table says what a round takes in the first and the
last quarter of the time, and what memory grew. Two kinds that compile ever new functions by Numba, which keeps what it has
compiled, run in processes of their own. The exit code is 1 where an answer is wrong, memory grows or a kind slows down.
The second shows time and memory of graphs of millions of records, inputs and outputs, each in a process of its own.
"""
from .kinds import APART, KINDS
from .running import faults_of, soak
from .sizes import SIZES

__all__ = ["APART", "KINDS", "SIZES", "faults_of", "soak"]
