"""Derivatives of functions that Numba compiled, in compiled code. Imported when the first one is differentiated.

The function, and the compiled functions that it calls, are compiled once more for variables in place of numbers (rebuild.py,
variables.py); drivers run it forward, or backward over a tape (drivers.py, tape.py). Where that is left open, a gradient by up to
16 numbers runs forward, by more backward. What an operation does comes from the op table (operations.py). Considered and left:
opcodes on the tape, interpreted by the reverse sweep (a dispatch and four loads for each record); a tape whose address is a
constant of the machine code (no threads, no calls within calls).

The value is that of the function, but that a division by 0 gives inf or nan, where Numba's default raises ZeroDivisionError.
What is differentiated by is copied: what the function writes into it is not seen outside. Single precision is computed in
double, and given back single. A parallel loop runs as an ordinary one. Derivative code of a function that Numba keeps on disk
(``cache=True``) is kept there, too.
"""
from .derivatives import (
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    make_jvp,
    make_vjp,
    njit_grad,
    njit_jacobian,
    njit_jvp,
    njit_value_and_grad,
    value_and_grad,
    vjp,
)
from .segments import segment
from .tensors import call

__all__ = ["call", "elementwise_grad", "grad", "hessian", "hvp", "jacobian", "jvp", "linearize", "make_jvp", "make_vjp",
           "njit_grad", "njit_jacobian", "njit_jvp", "njit_value_and_grad", "segment", "value_and_grad", "vjp"]
