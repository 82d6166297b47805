"""Kernels that may touch their operands and their result alone: with the JIT off and ``NUMBA_BOUNDSCHECK=1``."""
import numpy as np

from .._jit import at, plain
from ..ops import PLANNED, PLANNED_EACH, frame


def checked(kernel, op, role, real):
    """The same kernel, whose operands, result, adjoints and tangents have the sizes that its frame says."""
    role, k = (role, 0) if role == "forward" else role
    item = np.dtype(real).itemsize

    def run(address):
        f = at(address, np.int64)
        n, places = f[frame.SIZE], range(frame.OPERANDS, frame.OPERANDS + 2 * op.arity, 2)
        operands = [(f[p], f[p + 1]) for p in places]
        given = operands[k][1]
        if role != "adjoint":
            sizes = [*operands, (f[frame.OUT], n)]
            if role == "tangent":
                sizes += [(f[frame.RESULT], n), (f[frame.INCOMING], given)]
        elif op.kind == PLANNED_EACH:        # of which the result's size isn't said
            sizes = [(f[frame.OUT], n)]
        elif op.kind == PLANNED:             # its frame says the result's size for the operand's, and the other way round
            sizes = [(f[frame.OUT], n), (operands[0][0], n), (f[frame.RESULT], given), (f[frame.INCOMING], given)]
        else:
            sizes = [*operands, (f[frame.OUT], given), (f[frame.RESULT], n), (f[frame.INCOMING], n)]
        bounds: dict = {}
        for start, size in sizes:
            bounds[start] = max(bounds.get(start, 0), size * item)
        with plain.framed(bounds):
            kernel(address)
    return run
