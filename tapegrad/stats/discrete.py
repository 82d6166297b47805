"""Distributions of whole numbers. See `Discrete` for what each has."""
import math

from .base import Discrete, fn, value_of


class _poisson(Discrete):
    """Poisson's distribution with mean `mu`."""
    shapes = ("mu",)

    def _valid(self, mu):
        return [mu >= 0]

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
        return n >= 0, p >= 0, p <= 1

    def _inner(self, n, p):                  # the mean: 0 or n where p is 0 or 1, and nothing else is possible
        return value_of(n) * value_of(p)

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
        return p >= 0, p <= 1

    def _inner(self, p):
        return value_of(p)

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
        return n > 0, p > 0, p <= 1

    def _log_density(self, k, n, p):
        return fn.gammaln(n + k) - fn.gammaln(k + 1) - fn.gammaln(n) + n * fn.log(p) + fn.xlog1py(k, -p)

    def _cdf(self, k, n, p):
        return fn.betainc(n, k + 1, p)

    def _sf(self, k, n, p):
        return fn.betainc(k + 1, n, 1 - p)


poisson = _poisson()
binom = _binom()
bernoulli = _bernoulli()
nbinom = _nbinom()
