"""A search for nan and infinity in functions that Numba compiled: their results are looked at, and where one is found, the
function is run again as Python, which knows the line."""
import copy
import functools
import types

import numpy as np
from numba.core.registry import CPUDispatcher

from .. import transforms
from ..autograd import no_grad
from ..tensor.core import Tensor
from ..tensor.origins import Origin, is_users
from ..transforms.trees import ends


def check(search, dispatcher, arguments, numbers, found):
    """RuntimeError where `found`, the derivatives by the arguments of these numbers, has what is looked for, and the arguments
    have none of it."""
    if search.quiet or not search.backward:
        return
    _check_value(search, dispatcher, arguments)
    given = _floats(arguments)
    for x in _floats(found):
        if search.made(x, given, False).size:
            kind = _kind(x[search.made(x, given, False)[0]])
            _by_tensors(search, dispatcher, arguments, numbers)
            search.tell(f"the derivative of {_name(dispatcher)}, compiled by Numba, is {kind}; its line is not known: within "
                        "detect_anomaly(), the derivative of the same function without njit names it")


def check_value(search, dispatcher, arguments, found):
    """RuntimeError where the value of a function has what is looked for, and its arguments have none of it."""
    given = _floats(arguments)
    for x in _floats(found):
        if search.forward and search.made(x, given, False).size:
            _tell_value(search, dispatcher, arguments, _kind(x[search.made(x, given, False)[0]]))


def _tell_value(search, dispatcher, arguments, kind):
    place = _line(search, dispatcher, arguments)
    search.tell(f"{_name(dispatcher)}, compiled by Numba, made {kind} in the forward pass"
                f"{f', {place}' if place else '; its line is not known'}")


def _check_value(search, dispatcher, arguments):
    if search.forward:
        try:
            found = dispatcher(*copy.deepcopy(arguments))
        except ZeroDivisionError:            # as Python has it; derivatives go on, as NumPy does
            _tell_value(search, dispatcher, arguments, "a division by zero")
        check_value(search, dispatcher, arguments, found)


def _kind(x):
    return "nan" if np.isnan(x) else str(x)


def _name(dispatcher):
    code = dispatcher.py_func.__code__
    return f'{dispatcher.py_func.__name__} (File "{code.co_filename}", line {code.co_firstlineno})'


def _floats(tree):
    return [x.reshape(-1) for x in map(np.asarray, ends(tree)) if x.dtype.kind == "f"]


def _plain(function, known=None):
    """A compiled function as Python, with all that it calls."""
    known = {} if known is None else known
    if function not in known:
        old = function.py_func
        new = known[function] = types.FunctionType(old.__code__, {}, old.__name__, old.__defaults__, tuple(
            types.CellType(_plainly(cell.cell_contents, known)) for cell in old.__closure__ or ()))
        new.__globals__.update({name: _plainly(value, known) for name, value in old.__globals__.items()})
        new.__kwdefaults__ = old.__kwdefaults__
    return known[function]


def _plainly(value, known):
    return _plain(value, known) if isinstance(value, CPUDispatcher) else value


def _line(search, dispatcher, arguments):
    """Where Python and NumPy stop when they are told not to go on with nan or infinity; None where they don't."""
    arguments = [np.float64(x) if isinstance(x, float) else x for x in copy.deepcopy(arguments)]
    infinite = "raise" if search.infinity else "ignore"
    try:
        with no_grad(), np.errstate(divide=infinite, over=infinite, invalid="raise" if search.nan else "ignore"):
            _plain(dispatcher)(*arguments)
    except (ArithmeticError, ValueError) as error:
        trace, place = error.__traceback__.tb_next, None
        while trace is not None:
            if is_users(trace.tb_frame.f_code.co_filename):
                place = Origin(trace.tb_frame.f_code, trace.tb_lineno, trace.tb_lasti, None)
            trace = trace.tb_next
        return place
    except Exception:
        return None


def _by_tensors(search, dispatcher, arguments, numbers):
    """Lets the search find the line in a run of the same function on Tensors, where it runs on them."""
    def total(*given):
        values = [y for y in ends(_plain(dispatcher)(*given)) if isinstance(y, Tensor)]
        return functools.reduce(lambda x, y: x + y, [y.sum() for y in values])
    try:
        transforms.grad(total, tuple(numbers))(*copy.deepcopy(arguments))
    except Exception:
        if search.found:
            raise
