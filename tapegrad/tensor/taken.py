"""Numbers that are taken from a tensor by an index: views of it, as in PyTorch. In NumPy they are numbers of their own, and a
program that was written for arrays may mean that. Where it makes a difference to a derivative, a warning says so.
"""
import dis
import functools
import sys
import warnings

from .origins import users_frame

OLD = ("a number that was taken from a tensor by an index is used after that tensor was written, and has its new value: it is a "
       "view, as in PyTorch, where NumPy has the old one; take a copy, x[0].clone(), or swap by x[[0, 1]] = x[[1, 0]]")
ASSIGNED = ("an augmented assignment to a variable writes into the tensor that its number was taken from by an index: it is a "
            "view, as in PyTorch, where NumPy makes a new number; write a = a + b, or a.add_(b) where it is meant")


def is_taken(x):
    """Whether a tensor is a number that was taken by an index."""
    return not x._shape and x._base is not None and x._recipe[-1].label == "Select"


def value(x):
    """Its value at present, without a look at what it is a view of."""
    return (x._own if x._own is not None else x._tape.peek(x._index)).tobytes()


def warn_of_old(x, before):
    """Says that `x` was made anew, if its value was another."""
    if value(x) != before:
        _warn(OLD, users_frame()[0])


def warn_of_assignment(x):
    """Says that an operator like ``+=`` writes into what `x` was taken from, if its result is given to a variable."""
    if is_taken(x):
        frame, _ = users_frame()
        if frame is not None and _is_assigned(frame.f_code, frame.f_lasti):
            _warn(ASSIGNED, frame)


@functools.lru_cache(maxsize=1024)
def _is_assigned(code, place):
    """Whether the instruction at a place of code is such an operator, and the next one gives its result to a variable."""
    found = iter(dis.get_instructions(code))
    operator = next((i for i in found if i.offset == place), None)
    augmented = operator is not None and (operator.opname.startswith("INPLACE_")             # up to Python 3.10
                                          or (operator.opname == "BINARY_OP" and operator.argrepr.endswith("=")))
    then = next((i for i in found if not i.opname.startswith(("SWAP", "ROT_"))), None)
    return augmented and then is not None and then.opname.startswith("STORE_") and then.opname != "STORE_SUBSCR"


def _warn(text, frame):
    """Once for each place, as Python does."""
    if frame is None:
        frame = sys._getframe(1)
    warnings.warn_explicit(text, UserWarning, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"),
                           frame.f_globals.setdefault("__warningregistry__", {}))
