"""Makes kernels from rows of the op table, on first use, and keeps their addresses in tables for the sweeps."""
import numpy as np

from .._jit import CHECKED, kernel_address
from .._jit.locks import lock
from ..ops.table import MAX_OPS, OPS
from .checked import checked
from .makers import make

ROLES = ["forward", *(("adjoint", k) for k in range(3)), *(("tangent", k) for k in range(3))]
FORWARD, ADJOINT, TANGENT = 0, 1, 4          # columns of a table; operand k is at ADJOINT + k
COLUMNS = 8
NO_KERNEL = -1                               # in a table: nothing goes to this operand, or comes from it

REALS = {np.dtype(real): real for real in (np.float64, np.float32)}

# By dtype: the address of each kernel that was made, at [opcode, column]. 0: not yet. The sweeps call through it.
ADDRESSES = {dtype: np.zeros((MAX_OPS, COLUMNS), np.int64) for dtype in REALS}

_lock = lock(reentrant=True)             # a handler of a signal may come to need kernels, too


def need(code: int, column: int, dtype: np.dtype) -> None:
    """Makes sure that a kernel is there."""
    table, op, role = ADDRESSES[dtype], OPS[code], ROLES[column]
    with _lock:
        if role in op.bodies and op.bodies[role] is None:
            table[code, column] = NO_KERNEL
        elif table[code, column] == 0:
            function, sources = make(op, role, REALS[dtype])
            if CHECKED:
                function = checked(function, op, role, REALS[dtype])
            label = role if isinstance(role, str) else f"{role[0]}{role[1]}"
            table[code, column] = kernel_address(function, f"{op.name}-{label}-{dtype.name}", *sources)
