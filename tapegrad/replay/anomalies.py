"""A search for nan and infinity in a run of a tape, record by record."""
import numpy as np

from .. import kernels
from ..ops import ACTIVE, BINARY, KINDS, OPS, PASSIVE, PLANNED_MANY, UNARY
from ..sweeps import CODE, COLUMN, NEEDS_KERNEL, OPERAND, TOUCHED
from ..sweeps import backward as backward_sweep
from ..sweeps import compiled as compiled_sweep
from .layout import operands
from .text import operation
from .workspace import Workspace


def check(search, program, arrays, output=None):
    """RuntimeError for the first record that makes what is looked for of these inputs: in its value or, with the number of an
    output of one element, in the gradient of that."""
    workspace = Workspace(program, program.whole)
    workspace.put(arrays)
    workspace.run()
    if search.forward:
        for i in range(len(program.inputs), len(program)):
            _check_value(search, program, workspace, i)
    if search.backward and output is not None and KINDS[program.words[program.outputs[output][0]]] != PASSIVE:
        _check_slopes(search, program, workspace, program.outputs[output][0])


def _check_value(search, program, workspace, i):
    op = OPS[program.words[i]]
    if op.kind <= ACTIVE:
        return
    each, result = op.kind in (UNARY, BINARY, PLANNED_MANY), workspace.value(i, (-1,))
    given = [workspace.value(j, (-1,)) for j in operands(program, i)]
    if search.bad(result).any() and search.made(result, given, each).size:
        _tell(search, program, i, search.said(op, result, given))


def _check_slopes(search, program, workspace, start):
    words, slope = workspace.words, workspace._slope
    slope(start)[...] = 1
    words[start] |= np.uint16(TOUCHED)
    run = compiled_sweep(backward_sweep)
    for i in range(start, -1, -1):
        if not words[i] & TOUCHED or KINDS[program.words[i]] <= ACTIVE:
            continue
        read = operands(program, i)
        before = {j: slope(j).copy() for j in read if words[j] & TOUCHED}
        incoming, operand = slope(i).copy(), 0
        while run(workspace.address, i, i, 1, operand) == NEEDS_KERNEL:
            kernels.need(workspace.head[CODE], workspace.head[COLUMN], program.dtype)
            operand = int(workspace.head[OPERAND])
        for j in read:
            if words[j] & TOUCHED and (made := search.slope_made(slope(j), before.get(j), [incoming], [
                    workspace.value(k, (-1,)) for k in (*read, i)])):
                _tell(search, program, i, f"returned {made} as a gradient")


def _tell(search, program, i, what):
    search.tell(f"record #{i} of the tape, {operation(program, i)}, {what}; print(tape) shows what it is computed from, and a "
                "search in the function that was recorded names the line")
