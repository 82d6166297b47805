"""Probability distributions under the names and with the parameters of scipy.stats: densities and distribution functions of
tensors, arrays and numbers, differentiable in the argument and in all parameters.

A distribution is one class: the logarithm of its density (or mass) in standard form, ``loc = 0`` and ``scale = 1``, and what
else has a closed form. Outside of the support a density is 0, its logarithm -inf, and all derivatives are 0; where a parameter
is not valid, the result is nan, as SciPy's.

>>> import tapegrad as tg
>>> scale = tg.tensor(2.0, requires_grad=True)
>>> tg.stats.norm.logpdf([1.0, 3.0], loc=1.0, scale=scale).sum().backward()
>>> scale.grad
tensor(-0.5000)
"""
import functools
import math
import operator
import types

import numpy as np

from .tensor.conversion import to
from .tensor.core import FLOATS, Tensor, float64, wrap
from .tensor.elementwise import operand
from .tensor.methods import FUNCTIONS

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


def _real(value, name):
    """A floating tensor or a float."""
    value = operand(value, name)
    if not isinstance(value, Tensor):
        return float(value)
    return value if value.dtype in FLOATS else to(value, float64)


def _all(*conditions):
    return functools.reduce(operator.and_, conditions, True)


def _log1mexp(y):
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
        """Whether the parameters are; for each element."""
        return _all(*[p > 0 for p in shapes])

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
        return [_real(given.get(name, ending.get(name)), f"{self.name}'s {name}") for name in names]

    def _within_support(self, role, y, valid, inner, formula):
        """The formula where `y` is in the support, what is known outside of it, and nan where parameters are not valid."""
        below, above = self.OUTSIDE[role]
        under = y <= self.lower if self.is_open else y < self.lower
        over = y > self.upper
        outside = under if self.upper == math.inf else under | over
        fill = below if below == above or self.upper == math.inf else fn.where(under, below, above)
        if valid is not True:
            fill, outside = fn.where(valid, fill, math.nan), outside | ~_tensor(valid)
        if isinstance(fill, Tensor):
            fill = to(fill, y.dtype)
        return fn.where(outside, fill, formula(fn.where(outside, inner, y)))


def _tensor(value):
    return value if isinstance(value, Tensor) else wrap(np.asarray(value))


def _value(x):
    """Without history."""
    return x.detach() if isinstance(x, Tensor) else x


def _given(value, default):
    """Whether a parameter has any part in a formula."""
    return isinstance(value, Tensor) or value != default


class Continuous(Distribution):
    """A distribution with a density."""

    def _evaluate(self, role, x, arguments, keywords):
        *shapes, loc, scale = self._bind(arguments, keywords, {"loc": 0.0, "scale": 1.0})
        y = _tensor(_real(x, self.name))
        if _given(loc, 0):
            y = y - loc
        if _given(scale, 1):
            y = y / scale

        def formula(y):
            z = getattr(self, "_" + role)(y, *shapes)
            return z - fn.log(scale) if role == "log_density" and _given(scale, 1) else z
        if self.lower == -math.inf and role == "log_density":
            return formula(y)                # where a parameter is not valid, its logarithm is nan
        valid = _all(self._valid(*shapes), scale > 0)
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
        k = _tensor(_real(k, self.name))
        y = k - loc if _given(loc, 0) else k
        whole = wrap(np.asarray(np.floor(y._array())))
        if role == "log_density":            # what is no whole number has no probability
            y = fn.where(whole == y, y, fn.where(y == y, -1.0, math.nan))
        else:
            y = whole
        return self._within_support(role, y, self._valid(*shapes), self._inner(*shapes),
                                    lambda y: getattr(self, "_" + role)(y, *shapes))

    def logpmf(self, k, *args, **kwds):
        """The logarithm of the probability of `k`; -inf outside of the support and where `k` is no whole number."""
        return self._evaluate("log_density", k, args, kwds)

    def pmf(self, k, *args, **kwds):
        """The probability of `k`."""
        return fn.exp(self.logpmf(k, *args, **kwds))

    cdf, sf, logcdf, logsf = Continuous.cdf, Continuous.sf, Continuous.logcdf, Continuous.logsf


# On the whole line ----------------------------------------------------------------------------------------------------

class _norm(Continuous):
    """The normal distribution: mean `loc`, standard deviation `scale`."""
    def _log_density(self, y):
        return fn.square(y) * -0.5 - LOG_ROOT_2_PI

    def _cdf(self, y):
        return fn.ndtr(y)

    def _sf(self, y):
        return fn.ndtr(-y)

    def _logcdf(self, y):
        return fn.log_ndtr(y)

    def _logsf(self, y):
        return fn.log_ndtr(-y)


class _t(Continuous):
    """Student's distribution with `df` degrees of freedom."""
    shapes = ("df",)

    def _log_density(self, y, df):
        return fn.log1p(fn.square(y) / df) * (df + 1) * -0.5 - (fn.log(df) * 0.5 + fn.betaln(df * 0.5, 0.5))

    def _cdf(self, y, df):
        return fn.stdtr(df, y)

    def _sf(self, y, df):
        return fn.stdtr(df, -y)


class _cauchy(Continuous):
    """Cauchy's distribution: median `loc`, half width at half maximum `scale`."""
    def _log_density(self, y):
        return -fn.log1p(fn.square(y)) - LOG_PI

    def _cdf(self, y):
        return fn.arctan2(1.0, -y) / math.pi

    def _sf(self, y):
        return fn.arctan2(1.0, y) / math.pi


class _laplace(Continuous):
    """Laplace's distribution: a density of exp(-|y|) / 2."""
    def _log_density(self, y):
        return -fn.abs(y) - LOG_2

    def _cdf(self, y):
        right = y > 0
        return fn.where(right, 1 - 0.5 * fn.exp(-fn.where(right, y, 0.0)), 0.5 * fn.exp(fn.where(right, 0.0, y)))

    def _sf(self, y):
        return self._cdf(-y)

    def _logcdf(self, y):
        right = y > 0
        return fn.where(right, fn.log1p(-0.5 * fn.exp(-fn.where(right, y, 0.0))), y - LOG_2)

    def _logsf(self, y):
        return self._logcdf(-y)


class _logistic(Continuous):
    """The logistic distribution, whose cdf is the sigmoid."""
    def _log_density(self, y):
        return fn.log_sigmoid(y) + fn.log_sigmoid(-y)

    def _cdf(self, y):
        return fn.sigmoid(y)

    def _sf(self, y):
        return fn.sigmoid(-y)

    def _logcdf(self, y):
        return fn.log_sigmoid(y)

    def _logsf(self, y):
        return fn.log_sigmoid(-y)


# On a half line -------------------------------------------------------------------------------------------------------

class _expon(Continuous):
    """The exponential distribution: mean `scale`, from `loc` on."""
    lower = 0

    def _log_density(self, y):
        return -y

    def _cdf(self, y):
        return -fn.expm1(-y)

    def _sf(self, y):
        return fn.exp(-y)

    def _logcdf(self, y):
        return _log1mexp(y)

    def _logsf(self, y):
        return -y


class _gamma(Continuous):
    """The gamma distribution: a density of y^(a-1) exp(-y) / gamma(a)."""
    shapes, lower = ("a",), 0

    def _log_density(self, y, a):
        return fn.xlogy(a - 1, y) - y - fn.gammaln(a)

    def _cdf(self, y, a):
        return fn.gammainc(a, y)

    def _sf(self, y, a):
        return fn.gammaincc(a, y)


class _chi2(Continuous):
    """The chi-squared distribution with `df` degrees of freedom."""
    shapes, lower = ("df",), 0

    def _log_density(self, y, df):
        a = df * 0.5
        return fn.xlogy(a - 1, y) - y * 0.5 - (fn.gammaln(a) + a * LOG_2)

    def _cdf(self, y, df):
        return fn.gammainc(df * 0.5, y * 0.5)

    def _sf(self, y, df):
        return fn.gammaincc(df * 0.5, y * 0.5)


class _invgamma(Continuous):
    """The inverse of a gamma distributed number: a density of y^(-a-1) exp(-1/y) / gamma(a)."""
    shapes, lower, is_open = ("a",), 0, True

    def _log_density(self, y, a):
        return fn.log(y) * (-1 - a) - 1 / y - fn.gammaln(a)

    def _cdf(self, y, a):
        return fn.gammaincc(a, 1 / y)

    def _sf(self, y, a):
        return fn.gammainc(a, 1 / y)


class _lognorm(Continuous):
    """The exponential of a normally distributed number with standard deviation `s`; its median is `scale`."""
    shapes, lower, is_open = ("s",), 0, True

    def _log_density(self, y, s):
        log = fn.log(y)
        return fn.square(log / s) * -0.5 - log - (fn.log(s) + LOG_ROOT_2_PI)

    def _cdf(self, y, s):
        return fn.ndtr(fn.log(y) / s)

    def _sf(self, y, s):
        return fn.ndtr(-fn.log(y) / s)

    def _logcdf(self, y, s):
        return fn.log_ndtr(fn.log(y) / s)

    def _logsf(self, y, s):
        return fn.log_ndtr(-fn.log(y) / s)


class _halfnorm(Continuous):
    """The absolute value of a normally distributed number."""
    lower = 0

    def _log_density(self, y):
        return fn.square(y) * -0.5 - (LOG_ROOT_2_PI - LOG_2)

    def _cdf(self, y):
        return fn.erf(y * math.sqrt(0.5))

    def _sf(self, y):
        return fn.erfc(y * math.sqrt(0.5))

    def _logsf(self, y):
        return fn.log_ndtr(-y) + LOG_2


class _weibull_min(Continuous):
    """Weibull's distribution: the probability of more than y is exp(-y^c)."""
    shapes, lower = ("c",), 0

    def _log_density(self, y, c):
        return fn.xlogy(c - 1, y) - fn.power(y, c) + fn.log(c)

    def _cdf(self, y, c):
        return -fn.expm1(-fn.power(y, c))

    def _sf(self, y, c):
        return fn.exp(-fn.power(y, c))

    def _logcdf(self, y, c):
        return _log1mexp(fn.power(y, c))

    def _logsf(self, y, c):
        return -fn.power(y, c)


class _pareto(Continuous):
    """Pareto's distribution: the probability of more than y >= 1 is y^-b."""
    shapes, lower, inner = ("b",), 1, 2.0

    def _log_density(self, y, b):
        return fn.log(y) * (-1 - b) + fn.log(b)

    def _cdf(self, y, b):
        return -fn.expm1(fn.log(y) * -b)

    def _sf(self, y, b):
        return fn.exp(fn.log(y) * -b)

    def _logcdf(self, y, b):
        return _log1mexp(fn.log(y) * b)

    def _logsf(self, y, b):
        return fn.log(y) * -b


# On an interval -------------------------------------------------------------------------------------------------------

class _uniform(Continuous):
    """The uniform distribution on [loc, loc + scale]."""
    lower, upper = 0, 1

    def _log_density(self, y):
        return y * 0.0

    def _cdf(self, y):
        return y * 1.0

    def _sf(self, y):
        return 1 - y


class _beta(Continuous):
    """The beta distribution: a density of y^(a-1) (1-y)^(b-1) / beta(a, b)."""
    shapes, lower, upper = ("a", "b"), 0, 1

    def _log_density(self, y, a, b):
        return fn.xlog1py(b - 1, -y) + fn.xlogy(a - 1, y) - fn.betaln(a, b)

    def _cdf(self, y, a, b):
        return fn.betainc(a, b, y)

    def _sf(self, y, a, b):
        return fn.betainc(b, a, 1 - y)


# Of whole numbers -----------------------------------------------------------------------------------------------------

def _is_probability(p):
    return _all(p >= 0, p <= 1)


class _poisson(Discrete):
    """Poisson's distribution with mean `mu`."""
    shapes = ("mu",)

    def _valid(self, mu):
        return mu >= 0

    def _log_density(self, k, mu):
        return fn.xlogy(k, mu) - fn.gammaln(k + 1) - mu

    def _cdf(self, k, mu):
        return fn.gammaincc(k + 1, mu)

    def _sf(self, k, mu):
        return fn.gammainc(k + 1, mu)


class _binom(Discrete):
    """The number of successes in `n` trials of probability `p` each."""
    shapes = ("n", "p")

    def _valid(self, n, p):
        return _all(n >= 0, _is_probability(p))

    def _inner(self, n, p):                  # the mean: 0 or n where p is 0 or 1, and nothing else is possible
        return _value(n) * _value(p)

    def _log_density(self, k, n, p):
        beyond = k > n
        k = fn.where(beyond, self._inner(n, p), k)
        coefficient = fn.gammaln(n + 1) - fn.gammaln(k + 1) - fn.gammaln(n - k + 1)
        return fn.where(beyond, -math.inf, coefficient + fn.xlogy(k, p) + fn.xlog1py(n - k, -p))

    def _cdf(self, k, n, p):
        all_of_them = k >= n
        k = fn.where(all_of_them, n - 1, k)
        return fn.where(all_of_them, 1.0, fn.betainc(n - k, k + 1, 1 - p))

    def _sf(self, k, n, p):
        all_of_them = k >= n
        k = fn.where(all_of_them, n - 1, k)
        return fn.where(all_of_them, 0.0, fn.betainc(k + 1, n - k, p))


class _bernoulli(Discrete):
    """1 with probability `p`, otherwise 0."""
    shapes, upper = ("p",), 1

    def _valid(self, p):
        return _is_probability(p)

    def _inner(self, p):
        return _value(p)

    def _log_density(self, k, p):
        return fn.xlogy(k, p) + fn.xlog1py(1 - k, -p)

    def _cdf(self, k, p):
        return fn.where(k >= 1, 1.0, k * 0.0 + (1 - p))

    def _sf(self, k, p):
        return fn.where(k >= 1, 0.0, k * 0.0 + p)


class _nbinom(Discrete):
    """The number of failures before the n-th success, each of probability `p`; `n` may be any positive number."""
    shapes = ("n", "p")

    def _valid(self, n, p):
        return _all(n > 0, p > 0, p <= 1)

    def _log_density(self, k, n, p):
        return fn.gammaln(n + k) - fn.gammaln(k + 1) - fn.gammaln(n) + n * fn.log(p) + fn.xlog1py(k, -p)

    def _cdf(self, k, n, p):
        return fn.betainc(n, k + 1, p)

    def _sf(self, k, n, p):
        return fn.betainc(k + 1, n, 1 - p)


# Of vectors -----------------------------------------------------------------------------------------------------------

class _dirichlet:
    """Dirichlet's distribution of vectors whose components are positive and have the sum 1."""
    name = "dirichlet"

    def logpdf(self, x, alpha):
        """The logarithm of the density at `x`, whose first axis has the components, or all but the last; `alpha` is a vector.

        ValueError for other shapes, parameters that are not positive, and points that are not of the simplex.
        """
        x, alpha = _tensor(_real(x, "dirichlet")), _tensor(_real(alpha, "dirichlet's alpha"))
        n = alpha.shape[0] if len(alpha.shape) == 1 else 0
        if not n or not bool((alpha > 0).all()):
            raise ValueError(f"dirichlet takes a vector of positive numbers for alpha, and this has shape {alpha.shape}" if not n
                             else "dirichlet takes positive numbers for alpha, and not all of these are")
        if not x.shape or x.shape[0] not in (n, n - 1):
            raise ValueError(f"dirichlet takes points with {n} components, as alpha has, or all but the last, along the first "
                             f"axis; this has shape {x.shape}")
        if x.shape[0] == n - 1:
            x = FUNCTIONS["concatenate"]((x, 1 - fn.sum(x, 0, True)))
        array = x._array()
        if not ((array >= 0).all() and (np.abs(array.sum(0) - 1) <= 1e-9).all()):
            raise ValueError("dirichlet takes points of the simplex: no component below 0, and a sum of 1")
        if ((array == 0) & (alpha._array() < 1).reshape(-1, *[1] * (array.ndim - 1))).any():
            raise ValueError("dirichlet has no density where a component is 0 whose alpha is below 1")
        column = alpha.reshape(n, *[1] * (len(x.shape) - 1))
        normalizer = fn.gammaln(fn.sum(alpha)) - fn.sum(fn.gammaln(alpha))
        return fn.sum(fn.xlogy(column - 1, x), 0) + normalizer

    def pdf(self, x, alpha):
        """The density at `x`."""
        return fn.exp(self.logpdf(x, alpha))


norm, t, cauchy, laplace, logistic = _norm(), _t(), _cauchy(), _laplace(), _logistic()
expon, gamma, chi2, invgamma, lognorm = _expon(), _gamma(), _chi2(), _invgamma(), _lognorm()
halfnorm, weibull_min, pareto, uniform, beta = _halfnorm(), _weibull_min(), _pareto(), _uniform(), _beta()
poisson, binom, bernoulli, nbinom, dirichlet = _poisson(), _binom(), _bernoulli(), _nbinom(), _dirichlet()

__all__ = [
    "bernoulli",
    "beta",
    "binom",
    "cauchy",
    "chi2",
    "dirichlet",
    "expon",
    "gamma",
    "halfnorm",
    "invgamma",
    "laplace",
    "logistic",
    "lognorm",
    "nbinom",
    "norm",
    "pareto",
    "poisson",
    "t",
    "uniform",
    "weibull_min",
]
