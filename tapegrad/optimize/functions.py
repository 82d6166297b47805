"""A user's function as SciPy calls it: recorded once at each point, value and derivatives from that recording."""
import functools
import inspect
from collections import OrderedDict

import numpy as np
from scipy.optimize import OptimizeResult

from ..autograd import no_grad
from ..tensor import structure
from ..tensor.core import Tensor, tracked, wrap
from ..transforms.call import Call
from ..transforms.sweeping import Tangents, pullback, pushforward, sweepable
from ..transforms.trees import ends

POINTS = 2                                   # that are kept: a trust region comes back to its centre after a trial
ADVICE = ("write it with operators and functions of numpy, tapegrad or scipy.special that work on Tensors, avoid float(), the "
          "math module, np.array() of Tensors (tg.stack joins them) and writing into arrays that numpy made")


def as_scipy(original):
    """Makes a function of a dict of arguments one that is called as `original` is, of SciPy."""
    signature = inspect.signature(original)

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments, **named):
            given = signature.bind(*arguments, **named).arguments
            for name, parameter in signature.parameters.items():
                if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                    given.update(given.pop(name, {}))
            return function(given)
        wrapper.__signature__ = signature
        return wrapper
    return decorate


def plain(value):
    """A Tensor as an array; lists and tuples with Tensors in them, too. Other things stay."""
    if isinstance(value, Tensor):
        return np.array(value._array())[()]
    if isinstance(value, (list, tuple)) and any(isinstance(part, Tensor) for part in ends(value)):
        return np.array([plain(part) for part in value])
    return value


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
        with no_grad():
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


class Point:
    """A function at one point. `separate`: it takes the elements of `x` as arguments of their own."""

    def __init__(self, function, x, args, kwargs, separate):
        arguments = x.tolist() if separate else [x]
        count = len(arguments)
        self.call = Call(lambda *given: joined(function(*given[:count], *args, **kwargs)), (list(range(count)), False),
                         arguments)
        self.x, self.result, self.leaves = x, self.call.result, self.call.leaves
        self.value = np.array(self.result._array())
        self._gradient = self._graph = self._sweep = self._jacobian = self._hessian = None

    @property
    def depends(self):
        return tracked(self.result)

    def pull(self, cotangent=None, keep=True, graph=False):
        """The gradient of the value, or of its product with `cotangent`, as a flat array, or a tensor of the graph."""
        cotangent = None if cotangent is None else wrap(np.array(cotangent, self.result.dtype).reshape(self.result._shape))
        found = pullback((self.result,), self.leaves, (cotangent,), graph, keep)
        if graph:
            return found
        return np.concatenate([g._array().reshape(-1) for g in found]).astype(float, copy=False)

    def gradient(self, keep):
        if self._gradient is None:
            self._gradient = self.pull(keep=keep)
        return self._gradient

    def jacobian(self):
        """An array with a row for each element of the value."""
        if self._jacobian is None:
            m, n = self.value.size, self.x.size
            self._jacobian = jac = np.zeros((m, n))
            if self.depends and n <= m and sweepable((self.result,)):
                sweep = Tangents(self.leaves, (self.result,))
                for k, tangents in enumerate(self._units()):
                    jac[:, k] = sweep.run(tangents)[0]
            elif self.depends:
                for k, unit in enumerate(np.eye(m)):
                    jac[k] = self.pull(unit)
        return self._jacobian

    def _units(self):
        for unit in np.eye(self.x.size):
            yield [unit] if len(self.leaves) == 1 else list(unit)

    def hessian_times(self, p, weights=None):
        """The Hessian of the value, or of its product with `weights`, times a vector: a tangent of the gradient."""
        if not self.depends:
            return np.zeros(self.x.size)
        key = None if weights is None else np.asarray(weights).tobytes()
        if self._graph is None or self._graph[0] != key:
            self._graph, self._sweep = (key, self.pull(weights, graph=True)), None
        gradients = self._graph[1]
        if not sweepable(gradients):
            return pushforward(self.leaves, [wrap(np.array(p, float))], gradients)[0]._array().reshape(-1)
        if self._sweep is None:
            self._sweep = Tangents(self.leaves, gradients)
        return self._sweep.run([p])[0]

    def hessian(self, weights=None):
        key = None if weights is None else np.asarray(weights).tobytes()
        if self._hessian is None or self._hessian[0] != key:
            columns = np.array([self.hessian_times(unit, weights) for unit in np.eye(self.x.size)])
            self._hessian = key, (columns + columns.T) / 2
        return self._hessian[1]


class Recorded:
    """A user's function whose derivatives are wanted. `what` it is called in errors, and `instead`: how the user gives the
    derivative himself.

    SciPy asks for values and derivatives in calls of their own, which name the point: the last ones are kept, by its bytes.
    """

    def __init__(self, function, args=(), kwargs=None, what="the objective", instead="jac=", separate=False, again=True):
        if not callable(function):
            raise TypeError(f"{what} must be a function, not {type(function).__name__}")
        self.function, self.args, self.kwargs = function, args, kwargs or {}
        self.what, self.instead, self.separate = what, instead, separate
        self.again = again                   # whether second derivatives may be asked for
        self.points = OrderedDict()
        self.best = None                     # (value, point), of what gives one number
        self.values = self.derivatives = 0   # points that were recorded, and those whose derivative was asked for

    def at(self, x):
        key = (x := np.asarray(x, float)).tobytes()
        point = self.points.get(key)
        if point is None:
            point = self.points[key] = Point(self.function, x.copy(), self.args, self.kwargs, self.separate)
            self.values += 1
            if len(self.points) > POINTS:
                self.points.popitem(last=False)
        else:
            self.points.move_to_end(key)
        return point

    def start(self, x):
        """The first point. TypeError where the function doesn't run on Tensors, or the derivative is lost on the way."""
        try:
            point = self.at(x)
        except Exception as error:
            if self._fails_on_arrays(x):
                raise
            raise TypeError(f"{self.what} runs on arrays, but not on the Tensors that record its derivative: "
                            f"{type(error).__name__}: {error}. Either {ADVICE}; or give {self.instead}") from error
        if not point.depends and not self._is_constant(point):
            raise TypeError(f"{self.what} changes with its argument, but its result was not computed from it by operations that "
                            f"are recorded, so that its derivative is lost. Either {ADVICE}; or give {self.instead}")
        return point

    def _plainly(self, x):
        with no_grad():
            arguments = x.tolist() if self.separate else [x]
            return np.asarray(plain(self.function(*arguments, *self.args, **self.kwargs)), float)

    def _fails_on_arrays(self, x):
        try:
            self._plainly(np.array(x, float))
        except Exception:
            return True
        return False

    def _is_constant(self, point):
        """Whether the value is the same at points nearby."""
        for scale in (1e-4, 1e-2, 1.0):
            try:
                there = self._plainly(point.x + scale * np.maximum(np.abs(point.x), 1) * np.linspace(0.5, 1, point.x.size))
            except (ArithmeticError, ValueError):
                continue
            except (AttributeError, TypeError):
                return True                  # it wants Tensors, and gives a number that is none
            if there.shape != point.value.shape or not np.array_equal(there, point.value, equal_nan=True):
                return False
        return True

    # One number

    def number(self, x, *_):
        point = self.at(x)
        check_number(point.value, self.what)
        value = point.value.item()
        if self.best is None or value < self.best[0]:
            self.best = value, point.x
        return value

    def gradient(self, x, *_):
        point = self.at(x)
        self.derivatives += point._gradient is None
        return point.gradient(self.again).copy()

    def hessian(self, x, *_):
        return self.at(x).hessian().copy()

    def hessian_times(self, x, p, *_):
        return self.at(x).hessian_times(p).copy()

    # Several

    def value(self, x, *_, **__):
        point = self.at(x)
        total = float(np.sum(np.square(point.value)))
        if self.best is None or total < self.best[0]:
            self.best = total, point.x
        return point.value.copy()

    def jacobian(self, x, *_, **__):
        point = self.at(x)
        self.derivatives += point._jacobian is None
        return point.jacobian().copy()

    def weighted_hessian(self, x, weights):
        return self.at(x).hessian(weights).copy()


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


def reachable(run, recorded, describe):
    """Runs a method of SciPy. After a KeyboardInterrupt the best point so far is the exception's ``result``."""
    try:
        return run()
    except KeyboardInterrupt as interrupt:
        value, x = recorded.best or (None, None)
        interrupt.result = OptimizeResult(x=x, success=False, status=99, message="interrupted by the user",
                                          nfev=recorded.values, njev=recorded.derivatives, **describe(value, x))
        raise


class Tracked:
    """A function without recorded derivatives whose best value is kept for `reachable`."""

    def __init__(self, function, what="the objective"):
        self.function, self.what = function if isinstance(function, Values) else Values(function), what
        self.best, self.values, self.derivatives = None, 0, 0

    def __call__(self, x, *args):
        value = self.function(x, *args)
        check_number(value, self.what)
        number = np.asarray(value).item()
        self.values += 1
        if self.best is None or number < self.best[0]:
            self.best = number, np.array(x, float)
        return number
