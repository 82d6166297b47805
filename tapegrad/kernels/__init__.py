"""Makes kernels from rows of the op table, on first use, and keeps their addresses in tables for the sweeps."""
import numpy as np

from .._jit import CHECKED, kernel_address
from .._jit.locks import lock
from ..ops.table import MAX_OPS, OPS
from . import second
from .checked import checked
from .makers import make

ROLES = ["forward", *(("adjoint", k) for k in range(3)), *(("tangent", k) for k in range(3)), *(("second", k) for k in range(3))]
FORWARD, ADJOINT, TANGENT, SECOND = 0, 1, 4, 7           # columns of a table; operand k is at ADJOINT + k
COLUMNS = 10
NO_KERNEL = -1                               # in a table: nothing goes to this operand, or comes from it
# In place of a kernel for the tangent of an adjoint: it is recorded in Python; or it is what the adjoint's own kernel gives for
# the tangent of g, and for each operand that it reads with the tangent in its place. Their bits are below BY_PARTS
IN_PYTHON, BY_PARTS = -2, -16

REALS = {np.dtype(real): real for real in (np.float64, np.float32)}

# By dtype: the address of each kernel that was made, at [opcode, column]. 0: not yet. The sweeps call through it.
ADDRESSES = {dtype: np.zeros((MAX_OPS, COLUMNS), np.int64) for dtype in REALS}

_lock = lock(reentrant=True)             # a handler of a signal may come to need kernels, too


def need(code: int, column: int, dtype: np.dtype) -> None:
    """Makes sure that a kernel is there."""
    table, op, role = ADDRESSES[dtype], OPS[code], ROLES[column]
    with _lock:
        if role[0] == "second" and (known := _without_kernel(op, role[1])) is not None:
            table[code, column] = known
        elif role in op.bodies and op.bodies[role] is None:
            table[code, column] = NO_KERNEL
        elif table[code, column] == 0:
            function, sources = make(op, role, REALS[dtype])
            if CHECKED:
                function = checked(function, op, role, REALS[dtype])
            label = role if isinstance(role, str) else f"{role[0]}{role[1]}"
            table[code, column] = kernel_address(function, f"{op.name}-{label}-{dtype.name}", *sources)


def _without_kernel(op, k):
    """What stands in the table for the tangent of an adjoint that has no kernel; None if it has one."""
    if op.bodies.get(("adjoint", k), op) is None or (op.value is not None and op.partials[k] is None):
        return NO_KERNEL
    read = op.partial_needs(k)
    if op.adjoint is not None or op.linear_in is not None or not read:
        return BY_PARTS - sum(1 << "xyw".index(name) for name in read & set(op.linear_in or ""))
    if op.value is None:
        return None if ("second", k) in op.bodies else IN_PYTHON
    try:
        second.rule(op, k)
    except Exception:                        # a user's partial does what only Tensors can, or nothing can
        return IN_PYTHON
    return None
