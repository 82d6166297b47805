"""What users give to SciPy's functions, and what these get: arguments, bounds, functions without derivatives, and what is left
of a run that was interrupted."""
import functools
import inspect
from contextlib import nullcontext

import numpy as np
from scipy.optimize import OptimizeResult

from ..autograd import no_grad
from ..progress import bar
from ..tape import state
from ..tensor import structure
from ..tensor.core import Tensor, tracked, wrap
from ..transforms.trees import ends

LOST = ("what SciPy's function is given, or what that gives, depends on what is being differentiated, and the solution would "
        "have no derivative by it; use tg.implicit_root or tg.fixed_point, of the gradient where it is a minimum, or detach() it")


def as_scipy(original):
    """Makes a function of a dict of arguments one that is called as `original` is, of SciPy."""
    signature = inspect.signature(original)

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments, **named):
            given = signature.bind(*arguments, **named).arguments
            if state().tracing:
                plain(ends(tuple(given.values())))       # of these, too, the result would have no derivative
            for name, parameter in signature.parameters.items():
                if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                    given.update(given.pop(name, {}))
            return function(given)
        wrapper.__signature__ = signature
        return wrapper
    return decorate


def plain(value):
    """A Tensor as an array; lists and tuples with Tensors in them, too. Other things stay. RuntimeError for one that depends on
    what is being differentiated outside."""
    if isinstance(value, Tensor):
        if state().tracing and tracked(value):
            raise RuntimeError(LOST)
        return np.array(value._array())[()]
    if isinstance(value, (list, tuple)) and any(isinstance(part, Tensor) for part in ends(value)):
        return np.array([plain(part) for part in value])
    return value


def several(function):
    """A function that gives a value and derivatives with it, as arrays."""
    @functools.wraps(function)
    def wrapper(*args):
        return tuple([plain(part) for part in function(*args)])
    return wrapper


def joined(value):
    """What a function gave as one Tensor: lists and tuples are stacked."""
    if isinstance(value, (list, tuple)) and any(isinstance(part, Tensor) for part in ends(value)):
        return structure.stack([joined(part) for part in value])
    if value is None:
        raise TypeError("a function gave None; does it return its result?")
    return value if isinstance(value, Tensor) else wrap(np.array(value, float))


class Values:
    """A function of which no derivative is wanted. It gets arrays, or Tensors where it was written for these."""

    def __init__(self, function):
        self.function, self.tensors = function, False
        functools.update_wrapper(self, function, updated=())

    def __call__(self, x, *args, **kwargs):
        with nullcontext() if state().tracing else no_grad():            # while a derivative is taken, to see what depends on it
            if not self.tensors:
                try:
                    return plain(self.function(x, *args, **kwargs))
                except (AttributeError, TypeError):
                    try:
                        value = self._of_tensor(x, args, kwargs)
                    except (AttributeError, TypeError):
                        value = None
                    if value is None:
                        raise
                    self.tensors = True
                    return value
            return self._of_tensor(x, args, kwargs)

    def _of_tensor(self, x, args, kwargs):
        return plain(self.function(wrap(np.array(x, float)), *args, **kwargs))


def check_number(value, what):
    if value is None:
        raise TypeError(f"{what} gave None; does it return its result?")
    if np.size(value) != 1:
        raise TypeError(f"{what} must give one number, and it gave shape {np.shape(value)}; sum() it, or use least_squares for "
                        "residuals and root for equations")


def check_finite(values, what):
    """ValueError where there is nan."""
    wrong = np.flatnonzero(np.isnan(np.reshape(values, -1)))
    if wrong.size:
        where = "" if np.size(values) == 1 else f", in element {wrong[0]}" + (f" and {wrong.size - 1} more" * (wrong.size > 1))
        raise ValueError(f"{what} is nan at the starting point{where}; start elsewhere, or give bounds that keep it away")


def parameters(x0):
    """The starting point as SciPy takes it: a vector of floats."""
    x = np.atleast_1d(np.asarray(plain(x0)))
    if x.ndim != 1:
        raise ValueError(f"x0 must be a vector, and it has shape {x.shape}; give x0.ravel(), and reshape inside of the function")
    if not x.size:
        raise ValueError("x0 is empty: there is nothing to look for")
    if x.dtype.kind not in "biuf":
        raise TypeError(f"x0 must hold real numbers, and its dtype is {x.dtype}")
    return x.astype(float)


def limits(bounds, n):
    """Arrays of the lower and upper bounds on n parameters, from what SciPy takes for them. ValueError where they don't fit."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    else:
        pairs = list(bounds)
        if len(pairs) != n or any(np.size(pair) != 2 for pair in pairs):
            raise ValueError(f"bounds must be {n} pairs (low, high), one for each parameter, and {len(pairs)} entries were given")
        low = [-np.inf if a is None else a for a, _ in pairs]
        high = [np.inf if b is None else b for _, b in pairs]
    return ordered(low, high, n)


def ordered(low, high, n):
    """As arrays of n elements. ValueError where they have other shapes or the lower ones are above the upper ones."""
    low, high = np.asarray(plain(low), float), np.asarray(plain(high), float)
    for side, bound in (("lower", low), ("upper", high)):
        if bound.shape not in ((), (1,), (n,)):
            raise ValueError(f"the {side} bounds have shape {bound.shape}, and there are {n} parameters; give one number or {n}")
    low, high = np.broadcast_to(low, n), np.broadcast_to(high, n)
    wrong = np.flatnonzero(low > high)
    if wrong.size:
        k = wrong[0]
        raise ValueError(f"the bounds of parameter {k} are in the wrong order: the lower one is {low[k]}, the upper one "
                         f"{high[k]}")
    return low, high


def reachable(name, run, recorded, describe):
    """Runs a method of SciPy, with a progress bar, and gives its result with the values on the way as its attribute ``history``.
    After a KeyboardInterrupt the best point so far is the exception's ``result``."""
    try:
        with bar(name, said=lambda: _so_far(recorded)):
            result = run()
    except KeyboardInterrupt as interrupt:
        value, x = recorded.best or (None, None)
        interrupt.result = OptimizeResult(x=x, success=False, status=99, message="interrupted by the user",
                                          nfev=recorded.values, njev=recorded.derivatives, **describe(value, x))
        _remember(interrupt.result, recorded)
        raise
    finally:
        recorded.forget()
    if isinstance(result, OptimizeResult):
        _remember(result, recorded)
    return result


def _remember(result, recorded):
    """Beside the entries that are SciPy's, and stand in its printed form."""
    result.__dict__["history"] = np.array(recorded.history)


def _so_far(recorded):
    best = recorded.best
    return f"{recorded.values} evaluations" + (f", best value {best[0]:.6g}" if best else "")


def squares(value):
    """The sum of the squares of a function's values."""
    value = np.ravel(value)
    return float(value @ value)


class Tracked:
    """A function without recorded derivatives whose best value, that of the least `measure`, is kept for `reachable`. `what` it
    is called where its first value is nan, which is an error where there is a starting point."""

    def __init__(self, function, measure, what=""):
        self.function, self.measure, self.what = function if isinstance(function, Values) else Values(function), measure, what
        functools.update_wrapper(self, function, updated=())
        self.best, self.values, self.derivatives = None, 0, 0
        self.history: list = []              # of the measure, at each point

    def __call__(self, x, *args, **kwargs):
        value = self.function(x, *args, **kwargs)
        if value is None:
            raise TypeError("a function gave None; does it return its result?")
        number = self.measure(value)
        if self.what and not self.values:
            check_finite(number, self.what)
        self.values += 1
        self.history.append(number)
        if self.best is None or number < self.best[0]:
            self.best = number, np.array(x, float)
        return value

    def forget(self):
        """As of those that are recorded; there is nothing to let go of."""
