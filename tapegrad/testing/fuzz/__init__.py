"""Differential fuzzing: programs are drawn, run in every way that the library has, and compared.

    python -m tapegrad.testing.fuzz --seconds 60

Three kinds of programs take turns; ``--only`` picks one:

    facade      statements on tensors: operations, views, writes in place, detach, no_grad, hooks, sweeps backward, gradients of
                gradients, and errors; against a slow reference that shares nothing with the library
    functions   functions of arrays and numbers, made of the rows of the op table, with loops, branches on values and writes into
                new arrays; eager results against the slow reference, where it has all that is called, and against differences of
                values and of gradients; replayed, in machine code, called often, checkpointed, as a tape, as a saved tape,
                compiled functions within compiled ones, and in batches, all against eager ones: values to the last bit,
                derivatives to rounding
    native      scalar code with loops, branches, arrays and helpers: compiled by Numba, its derivatives forward, backward, of
                second order and within compiled code, and the same text on tensors, eager and replayed; against differences

A failure prints the smallest program found that has the same fault, to be pasted, and how to draw it again; then it goes on, and
ends with status 1. Each program has a seed of its own, made of ``--seed``, its kind and its number. A way may refuse a program,
as compile() does one that draws random numbers, but must say so: refusals are counted. Where an error estimate says that
differences tell nothing (a kink, a jump, cancellation), they are skipped, and that is counted as well.

A crash of the process leaves the program that ran in a file, which is named at the start. Memory stays flat: nothing of a program
is kept, and its machine code is not written to the disk.

    choices     what is drawn with                          compare     to the last bit, to rounding, by differences
    statements  draws programs for the façade               facade      runs and compares them
    functions   draws functions; forms are its words        eager, ways run and compare them
    scalars     draws programs for Numba                    native      runs and compares them
    slow        the slow reference                          shrink, report, kinds, run
"""
from .run import Found, fuzz

__all__ = ["Found", "fuzz"]
