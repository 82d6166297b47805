"""Distributions with a density. See `Continuous` for what each has."""
import math

from .base import LOG_2, LOG_PI, LOG_ROOT_2_PI, Continuous, fn, log1mexp

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
        return log1mexp(y)

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
        return log1mexp(fn.power(y, c))

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
        return log1mexp(fn.log(y) * b)

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


norm = _norm()
t = _t()
cauchy = _cauchy()
laplace = _laplace()
logistic = _logistic()
expon = _expon()
gamma = _gamma()
chi2 = _chi2()
invgamma = _invgamma()
lognorm = _lognorm()
halfnorm = _halfnorm()
weibull_min = _weibull_min()
pareto = _pareto()
uniform = _uniform()
beta = _beta()
