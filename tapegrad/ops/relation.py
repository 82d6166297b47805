"""Comparisons as records: of a function that is recorded for a replay, so that ``where`` chooses anew each time."""
import numpy as np

from .._jit import at, inlined
from . import frame
from .table import operation

RELATIONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")        # NumPy's names


@inlined
def holds(relation, x, y):
    """Whether the relation of that number holds."""
    if relation == 0:
        return x < y
    if relation == 1:
        return x <= y
    if relation == 2:
        return x > y
    if relation == 3:
        return x >= y
    if relation == 4:
        return x == y
    return x != y


@inlined
def relation(address, real, item):
    """z = 1 where the relation holds, 0 elsewhere"""
    f = at(address, np.int64)
    z, x, y = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.OPERANDS + 2], real)
    x_step, y_step = np.int64(f[frame.OPERANDS + 1] != 1), np.int64(f[frame.OPERANDS + 3] != 1)
    number = at(f[frame.PLAN], np.int64)[0]
    for i in range(f[frame.SIZE]):
        z[i] = 1 if holds(number, x[i * x_step], y[i * y_step]) else 0


operation("relation", relation, (None, None), (None, None), (None, None), in_place=False,
          note="none; comparisons are recorded where a replay needs them")
