"""A user's function as SciPy calls it: value and derivatives at one point come from one recording of it, or one replay.

A function of Tensors or of NumPy's functions is recorded anew at each of the first points; from then on it is compiled, as
:func:`tapegrad.compile` does it, where it can be replayed. One that Numba compiled is differentiated in compiled code. Fits of
the same function to data of the same shapes count their points together, and share what was compiled.
"""
import functools
import types
import weakref
from collections import OrderedDict

import numpy as np

from ..autograd import no_grad
from ..replay.compiled import Compiled
from ..replay.environment import Environment, package_of
from ..tensor.core import tracked, wrap
from ..transforms import hessian, hessian_vector_product, jacobian, value_and_grad
from ..transforms.call import Call
from ..transforms.compiled import call, native
from ..transforms.sweeping import Tangents, pullback, pushforward, sweepable
from .functions import LOST, check_number, joined, plain, squares

POINTS = 2                                   # that are kept: a trust region comes back to its centre after a trial
# Points after which compiling begins, which takes as long as about 20 recordings; with second derivatives, which take ten times
# as long as the first
REPAYS = {False: 16, True: 4}
PATHS = 4                                    # ways through a function that are kept; four recordings for each, until it is left
# A function that names one of these says something while it runs, which a replay would leave out
SPEAKS = {"print", "input", "display", "stdout", "stderr", "write", "sleep", "debug", "info", "warning", "warn", "error"}
ADVICE = ("write it with operators and functions of numpy, tapegrad or scipy.special that work on Tensors, avoid float(), the "
          "math module, np.array() of Tensors (tg.stack joins them) and writing into arrays that numpy made")


class Point:
    """A function at one point, recorded there."""

    def __init__(self, recorded, x):
        parts = recorded.parts(x)
        self.call = Call(lambda *parts: joined(recorded.call(parts)), (list(range(len(parts))), False), parts)
        if self.call.graph:
            raise RuntimeError(LOST)
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


class Transforms:
    """Derivatives by transforms of a function, ``function(*arguments(x), **keywords)``, whose argument `number` is `x`, or with
    `separate` the first element of it.

    `weighted`: the products of its values with weights, summed, as a function of the point and the weights. `more`: what
    that is given besides. `made`: the transforms, which others that have the same function share.
    """

    def __init__(self, function, weighted, arguments=lambda x: [x], number=0, separate=False, keywords=None, more=(), made=None):
        self.function, self.weighted, self.arguments, self.keywords = function, weighted, arguments, keywords or {}
        self.number, self.separate, self.more = number, separate, more
        self._made: dict = {} if made is None else made

    def _of(self, transform, x, *more):
        if transform not in self._made:
            several = self.separate and x.size > 1
            self._made[transform] = transform(self.function, tuple(range(self.number, self.number + x.size)) if several
                                              else self.number)
        return self._made[transform](*self.arguments(x), *more, **self.keywords)

    def value(self, x):
        return np.array(self.function(*self.arguments(x), **self.keywords), float)

    def value_and_gradient(self, x):
        value, parts = self._of(value_and_grad, x)
        return np.array(value, float), np.reshape(parts, -1)

    def jacobian(self, x, m):
        found = self._of(jacobian, x)
        return np.reshape(found, (m, -1)) if x.size == 1 or not self.separate else np.stack([np.ravel(c) for c in found], axis=1)

    def hessian_times(self, x, p):
        return np.reshape(self._of(hessian_vector_product, x, np.reshape(p, np.shape(x))), -1)

    def hessian(self, x, weights=None):
        found = self._of(hessian, x) if weights is None else hessian(self.weighted)(x, weights, *self.more)
        return np.reshape(found, (x.size, x.size))


class Transformed:
    """A function at one point, by transforms; with `both`, the gradient is computed with the value."""
    depends = True

    def __init__(self, transforms, x, both):
        self.transforms, self.x = transforms, x
        self._gradient = self._jacobian = None
        if both:
            self.value, self._gradient = transforms.value_and_gradient(x)
        else:
            self.value = transforms.value(x)

    def gradient(self, keep):
        if self._gradient is None:
            self._gradient = self.transforms.value_and_gradient(self.x)[1]
        return self._gradient

    def jacobian(self):
        if self._jacobian is None:
            self._jacobian = self.transforms.jacobian(self.x, self.value.size)
        return self._jacobian

    def hessian_times(self, p):
        return self.transforms.hessian_times(self.x, np.asarray(p, float))

    def hessian(self, weights=None):
        found = self.transforms.hessian(self.x, None if weights is None else np.asarray(weights, float))
        return (found + found.T) / 2


class NotReplayed(Exception):
    """Raised by a `Replayed` function, with the reason, where a compiled one would run eagerly."""


class Replayed(Compiled):
    """A compiled function that is left where it can't be replayed."""

    def _give_up(self, site, reason):
        raise NotReplayed(reason)

    def _warn(self, text):
        pass


class Known:
    """What is known of a function: at how many `points` it was recorded; halfway to compiling, what it refers to and the function
    to compile; and then, whether it is replayed, and the transforms `made` of it."""

    def __init__(self):
        self.points, self.halfway, self.replayed, self.made = 0, None, False, {}


SHAPES = 16                                  # of data, that a function is known for
_known: "weakref.WeakKeyDictionary[types.FunctionType, dict]" = weakref.WeakKeyDictionary()


def _known_of(recorded, n):
    """What is known of a function of `n` numbers from earlier runs with data of the same shapes; something new where that is
    nothing to go by."""
    data = (*recorded.leading, *recorded.args)
    if type(recorded.function) is not types.FunctionType or recorded.kwargs or not recorded.shared or not all(
            [type(x) is float or (type(x) is np.ndarray and x.dtype == np.float64) for x in data]):
        return Known()
    known, key = _known.setdefault(recorded.function, {}), (n, len(recorded.leading), *map(np.shape, data))
    if key not in known and len(known) >= SHAPES:
        known.clear()
    return known.setdefault(key, Known())


class Recorded:
    """A user's function whose derivatives are wanted, ``function(*leading, x, *args, **kwargs)``, or with `separate` the elements
    of `x` in the place of `x`. `what` it is called in errors, and `instead`: how the user gives the derivative himself.

    SciPy asks for values and derivatives in calls of their own, which name the point: the last ones are kept, by its bytes.
    """

    def __init__(self, function, args=(), kwargs=None, what="the objective", instead="jac=", separate=False, again=True,
                 leading=(), measure=squares, shared=False):
        if not callable(function):
            raise TypeError(f"{what} must be a function, not {type(function).__name__}")
        self.compiled = function if isinstance(function, Compiled) else None
        self.function = function if self.compiled is None else function.function
        self.args, self.kwargs, self.leading = args, kwargs or {}, leading
        self.what, self.instead, self.separate = what, instead, separate
        self.again = again                   # whether second derivatives may be asked for
        self.shared = shared                 # whether other runs of the same function go on where this one ends
        self.points = OrderedDict()
        self.measure, self.best = measure, None          # (the least measure of a value so far, its point)
        self.history: list = []              # of that measure, at each point whose value was asked for
        self.values = self.derivatives = 0   # points that were recorded, and those whose derivative was asked for
        self.repays, self.known = REPAYS[again], None
        self.transforms = None
        self.both = False                    # whether the gradient is computed together with the value

    def parts(self, x):
        """The arguments that stand for `x`."""
        return x.tolist() if self.separate else [x]

    def call(self, parts):
        return self.function(*self.leading, *parts, *self.args, **self.kwargs)

    def at(self, x):
        key = (x := np.asarray(x, float)).tobytes()
        point = self.points.get(key)
        if point is None:
            point = self.points[key] = self._new(x.copy())
            self.values += 1
            if len(self.points) > POINTS:
                self.points.popitem(last=False)
        else:
            self.points.move_to_end(key)
        return point

    def _new(self, x):
        if self.transforms is None:
            self._prepare(x.size)
        if self.transforms is not None:
            try:
                return Transformed(self.transforms, x, self.both)
            except NotReplayed:
                self._leave()
        return Point(self, x)

    def _prepare(self, n):
        """Halfway, what the function refers to is noted; if nothing of it has changed at last, the function is replayed."""
        known = self.known = self.known or _known_of(self, n)
        if known.points == self.repays // 2:
            known.halfway = _replayable(self)
        elif known.points == self.repays and known.halfway is not None:
            known.replayed = known.halfway[0].same()
        known.points += 1
        if known.replayed:
            data = *self.leading, *self.args
            self.transforms = Transforms(*known.halfway[1:], lambda x: [x, *data], more=data, made=known.made)

    def _leave(self):
        """No more replays."""
        self.transforms = None
        if self.known is not None:
            self.known.replayed = False

    def _ask(self, x, method, *arguments):
        try:
            return getattr(self.at(x), method)(*arguments)
        except NotReplayed:
            self._leave()
            self.points.clear()
            return getattr(self.at(x), method)(*arguments)

    def forget(self):
        """Lets go of the points and their tapes: SciPy ties functions into circles, which stay for a while."""
        self.points.clear()

    def start(self, x):
        """The first point. TypeError where the function doesn't run on Tensors, or the derivative is lost on the way."""
        if native(self.function) is not None:
            found = self._start_native(x)
            if found is not None:
                return found
        try:
            point = self.at(x)
        except Exception as error:
            if str(error) == LOST or self._fails_on_arrays(x):
                raise
            raise TypeError(f"{self.what} runs on arrays, but not on the Tensors that record its derivative: "
                            f"{type(error).__name__}: {error}. Either {ADVICE}; or give {self.instead}") from error
        if not point.depends and not self._is_constant(point):
            raise TypeError(f"{self.what} changes with its argument, but its result was not computed from it by operations that "
                            f"are recorded, so that its derivative is lost. Either {ADVICE}; or give {self.instead}")
        if self.compiled is not None:
            self.transforms = self._transforms(self.compiled, self.function)
        return point

    def _start_native(self, x):
        """The first point of a function that Numba compiled; None where its Python function is to be recorded instead, since it
        uses what has no derivative in compiled code, as operations of whole arrays."""
        function = self.function
        self.transforms = self._transforms(function, functools.partial(call, function))
        point = self.at(x)
        try:
            if point.value.size == 1:
                point.gradient(True)
            else:
                point.jacobian()
        except TypeError as error:
            self.function, self.transforms = function.py_func, None
            self.points.clear()
            try:
                self.at(x)
            except Exception:
                raise error from None
            return None
        return point

    def _transforms(self, function, with_tensors):
        """The transforms of a function that has its own."""
        leading, args = self.leading, self.args
        return Transforms(function, lambda x, weights: (joined(with_tensors(x, *args)) * weights).sum(),
                          lambda x: [*leading, *self.parts(x), *args], len(leading), self.separate, self.kwargs)

    def _plainly(self, x):
        with no_grad():
            value = plain(self.call(self.parts(x)))
        if value is None:
            raise TypeError("a function gave None; does it return its result?")
        return np.asarray(value, float)

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
        self._keep(value, point)
        return value

    def gradient(self, x, *_):
        self.both = True
        self.derivatives += self.at(x)._gradient is None
        return self._ask(x, "gradient", self.again).copy()

    def hessian(self, x, *_):
        return self._ask(x, "hessian").copy()

    def hessian_times(self, x, p, *_):
        return self._ask(x, "hessian_times", p).copy()

    # Several

    def value(self, x, *_, **__):
        point = self.at(x)
        self._keep(self.measure(point.value), point)
        return point.value.copy()

    def jacobian(self, x, *_, **__):
        self.derivatives += self.at(x)._jacobian is None
        return self._ask(x, "jacobian").copy()

    def weighted_hessian(self, x, weights):
        return self._ask(x, "hessian", weights).copy()

    def _keep(self, number, point):
        self.history.append(number)
        if self.best is None or number < self.best[0]:
            self.best = number, point.x


def _replayable(recorded):
    """(what a function refers to, it as a function of `x` and the data that replays, its products with weights); None where these
    would leave something out."""
    function, separate, first, kwargs = recorded.function, recorded.separate, len(recorded.leading), recorded.kwargs

    def vector(x, *data):
        parts = [x[k] for k in range(len(x))] if separate else [x]
        return joined(function(*data[:first], *parts, *data[first:], **kwargs))

    def weighted(x, weights, *data):
        return (vector(x, *data) * weights).sum()
    module = getattr(function, "__module__", None)
    for made in (vector, weighted):          # what is watched depends on the package
        made.__module__ = module if package_of(module) else "__main__"
    environment = Environment(vector)
    if environment.reason or environment.names() & SPEAKS:
        return None
    return environment, Replayed(vector, PATHS), Replayed(weighted, PATHS)
