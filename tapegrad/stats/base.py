"""What distributions share: arguments, standard form, the support; and functions that give numbers for numbers."""
import functools
import math
import operator
import types

import numpy as np

from ..tensor.conversion import to
from ..tensor.core import FLOATS, Tensor, float64, wrap
from ..tensor.elementwise import operand
from ..tensor.methods import FUNCTIONS

LOG_2, LOG_PI, LOG_ROOT_2_PI = math.log(2), math.log(math.pi), 0.5 * math.log(2 * math.pi)


def _of_numbers(function):
    """The same function, which gives a number where it gets only numbers."""
    def wrapped(*operands):
        result = function(*operands)
        return result if Tensor in map(type, operands) else result.item()
    return wrapped


_NAMES = """
    abs arctan2 betainc betaln erf erfc exp expm1 gammainc gammaincc gammaln log log1p log_ndtr log_sigmoid ndtr power sigmoid
    sqrt square stdtr sum where xlog1py xlogy"""
fn = types.SimpleNamespace(**{name: _of_numbers(FUNCTIONS[name]) for name in _NAMES.split()})


def real(value, name):
    """A floating tensor or a float."""
    value = operand(value, name)
    if not isinstance(value, Tensor):
        return float(value)
    return value if value.dtype in FLOATS else to(value, float64)


def all_of(*conditions):
    """Where all conditions hold; True where they do for all elements, which is what most calls have."""
    together = functools.reduce(operator.and_, conditions, True)
    return True if isinstance(together, Tensor) and bool(together.all()) else together


def log1mexp(y):
    """log(1 - exp(-y)) for y > 0."""
    large = y > LOG_2
    return fn.where(large, fn.log1p(-fn.exp(-fn.where(large, y, 1.0))), fn.log(-fn.expm1(-fn.where(large, 1.0, y))))


def _log_of(part, rest):
    """The logarithm of a probability, by its complement where that has the digits."""
    large = part > 0.5
    return fn.where(large, fn.log1p(-fn.where(large, rest, 0.0)), fn.log(fn.where(large, 1.0, part)))


class Distribution:
    """Binds arguments, brings them to standard form, and keeps formulas to the support."""
    shapes: tuple = ()                       # names of the parameters before loc and scale
    lower, upper = -math.inf, math.inf       # the support in standard form
    inner = 0.5                              # a point where all formulas and their derivatives are finite
    is_open = False                          # whether `lower` lies outside

    # What the functions are where x is below and above the support
    OUTSIDE = {"log_density": (-math.inf, -math.inf), "cdf": (0.0, 1.0), "sf": (1.0, 0.0), "logcdf": (-math.inf, 0.0),
               "logsf": (0.0, -math.inf)}

    @property
    def name(self):
        return type(self).__name__.strip("_")

    def _valid(self, *shapes):
        """Conditions on the parameters."""
        return [p > 0 for p in shapes]

    def _inner(self, *shapes):
        return self.inner

    def _logcdf(self, y, *shapes):
        return _log_of(self._cdf(y, *shapes), self._sf(y, *shapes))

    def _logsf(self, y, *shapes):
        return _log_of(self._sf(y, *shapes), self._cdf(y, *shapes))

    def _bind(self, arguments, keywords, ending):
        """The values of the parameters: shapes, then what `ending` has, with defaults."""
        names = (*self.shapes, *ending)
        if len(arguments) > len(names):
            raise TypeError(f"{self.name} takes the parameters {', '.join(names)}, and got {len(arguments)} values for them")
        given = dict(zip(names, arguments))
        for name, value in keywords.items():
            if name not in names:
                raise TypeError(f"{self.name} has no parameter {name!r}; its parameters are {', '.join(names)}")
            if name in given:
                raise TypeError(f"{self.name} got two values for {name}; give it by place or by name")
            given[name] = value
        missing = [name for name in self.shapes if name not in given]
        if missing:
            raise TypeError(f"{self.name} needs a value for {' and '.join(missing)}; its parameters are {', '.join(names)}")
        return [real(given.get(name, ending.get(name)), f"{self.name}'s {name}") for name in names]

    def _within_support(self, role, y, valid, inner, formula):
        """The formula where `y` is in the support, what is known outside of it, and nan where parameters are not valid."""
        below, above = self.OUTSIDE[role]
        outside = under = y <= self.lower if self.is_open else y < self.lower
        fill = below
        if self.upper != math.inf:
            outside = under | (y > self.upper)
            fill = below if below == above else fn.where(under, below, above)
        if valid is not True:
            fill, outside = fn.where(valid, fill, math.nan), outside | ~tensor_of(valid)
        if isinstance(fill, Tensor):
            fill = to(fill, y.dtype)
        return fn.where(outside, fill, formula(fn.where(outside, inner, y)))


def tensor_of(value):
    return value if isinstance(value, Tensor) else wrap(np.asarray(value))


def value_of(x):
    """Without history."""
    return x.detach() if isinstance(x, Tensor) else x


def _given(value, default):
    """Whether a parameter has any part in a formula."""
    return isinstance(value, Tensor) or value != default


class Continuous(Distribution):
    """A distribution with a density."""

    def _evaluate(self, role, x, arguments, keywords):
        *shapes, loc, scale = self._bind(arguments, keywords, {"loc": 0.0, "scale": 1.0})
        y = tensor_of(real(x, self.name))
        if _given(loc, 0):
            y = y - loc
        if _given(scale, 1):
            y = y / scale

        def formula(y):
            z = getattr(self, "_" + role)(y, *shapes)
            return z - fn.log(scale) if role == "log_density" and _given(scale, 1) else z
        if self.lower == -math.inf and role == "log_density":
            return formula(y)                # where a parameter is not valid, its logarithm is nan
        valid = all_of(*self._valid(*shapes), scale > 0)
        if self.lower == -math.inf:
            return formula(y if valid is True else fn.where(valid, y, math.nan))
        return self._within_support(role, y, valid, self._inner(*shapes), formula)

    def logpdf(self, x, *args, **kwds):
        """The logarithm of the density at `x`; -inf outside of the support."""
        return self._evaluate("log_density", x, args, kwds)

    def pdf(self, x, *args, **kwds):
        """The density at `x`."""
        return fn.exp(self.logpdf(x, *args, **kwds))

    def cdf(self, x, *args, **kwds):
        """The probability of values up to `x`."""
        return self._evaluate("cdf", x, args, kwds)

    def sf(self, x, *args, **kwds):
        """The probability of values above `x`, with the digits that 1 - cdf loses."""
        return self._evaluate("sf", x, args, kwds)

    def logcdf(self, x, *args, **kwds):
        """The logarithm of :meth:`cdf`."""
        return self._evaluate("logcdf", x, args, kwds)

    def logsf(self, x, *args, **kwds):
        """The logarithm of :meth:`sf`."""
        return self._evaluate("logsf", x, args, kwds)


class Discrete(Distribution):
    """A distribution of whole numbers."""
    lower, inner = 0, 0.0

    def _evaluate(self, role, k, arguments, keywords):
        *shapes, loc = self._bind(arguments, keywords, {"loc": 0.0})
        k = tensor_of(real(k, self.name))
        y = k - loc if _given(loc, 0) else k
        whole = wrap(np.asarray(np.floor(y._array())))
        if role == "log_density":            # what is no whole number has no probability
            y = fn.where(whole == y, y, fn.where(y == y, -1.0, math.nan))
        else:
            y = whole
        return self._within_support(role, y, all_of(*self._valid(*shapes)), self._inner(*shapes),
                                    lambda y: getattr(self, "_" + role)(y, *shapes))

    def logpmf(self, k, *args, **kwds):
        """The logarithm of the probability of `k`; -inf outside of the support and where `k` is no whole number."""
        return self._evaluate("log_density", k, args, kwds)

    def pmf(self, k, *args, **kwds):
        """The probability of `k`."""
        return fn.exp(self.logpmf(k, *args, **kwds))

    cdf, sf, logcdf, logsf = Continuous.cdf, Continuous.sf, Continuous.logcdf, Continuous.logsf
