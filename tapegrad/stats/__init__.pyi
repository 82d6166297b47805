# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from .._types import Tensor, TensorLike

__all__ = ["bernoulli", "beta", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "halfnorm", "invgamma",
           "laplace", "logistic", "lognorm", "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "t",
           "uniform", "weibull_min"]

class Discrete:
    """A distribution of whole numbers."""
    @property
    def name(self) -> str: ...
    def cdf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The probability of values up to `x`."""
    def logcdf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The logarithm of :meth:`cdf`."""
    def logpmf(self, k: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The logarithm of the probability of `k`; -inf outside of the support and where `k` is no whole number."""
    def logsf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The logarithm of :meth:`sf`."""
    def pmf(self, k: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The probability of `k`."""
    def sf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The probability of values above `x`, with the digits that 1 - cdf loses."""

class Continuous:
    """A distribution with a density."""
    @property
    def name(self) -> str: ...
    def cdf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The probability of values up to `x`."""
    def logcdf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The logarithm of :meth:`cdf`."""
    def logpdf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The logarithm of the density at `x`; -inf outside of the support."""
    def logsf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The logarithm of :meth:`sf`."""
    def pdf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The density at `x`."""
    def sf(self, x: TensorLike, *args: TensorLike, **kwds: TensorLike) -> Tensor:
        """The probability of values above `x`, with the digits that 1 - cdf loses."""

class _dirichlet:
    """Dirichlet's distribution of vectors whose components are positive and have the sum 1."""
    def logpdf(self, x: TensorLike, alpha: TensorLike) -> Tensor:
        """The logarithm of the density at `x`, whose first axis has the components, or all but the last; `alpha` is a
        vector."""
    def pdf(self, x: TensorLike, alpha: TensorLike) -> Tensor:
        """The density at `x`."""

class _multivariate_normal:
    """The normal distribution of vectors: `mean`, 0 by default, and `cov`, a matrix, a vector for its diagonal, or a
    number."""
    def logpdf(
        self, x: TensorLike, mean: TensorLike | None = None, cov: TensorLike = 1, allow_singular: bool = False
    ) -> Tensor:
        """The logarithm of the density at `x`, whose last axis has the components; in one dimension it needs none for
        them."""
    def pdf(
        self, x: TensorLike, mean: TensorLike | None = None, cov: TensorLike = 1, allow_singular: bool = False
    ) -> Tensor:
        """The density at `x`."""

bernoulli: Discrete
"""1 with probability `p`, otherwise 0."""
beta: Continuous
"""The beta distribution: a density of y^(a-1) (1-y)^(b-1) / beta(a, b)."""
binom: Discrete
"""The number of successes in `n` trials of probability `p` each."""
cauchy: Continuous
"""Cauchy's distribution: median `loc`, half width at half maximum `scale`."""
chi2: Continuous
"""The chi-squared distribution with `df` degrees of freedom."""
dirichlet: _dirichlet
"""Dirichlet's distribution of vectors whose components are positive and have the sum 1."""
expon: Continuous
"""The exponential distribution: mean `scale`, from `loc` on."""
gamma: Continuous
"""The gamma distribution: a density of y^(a-1) exp(-y) / gamma(a)."""
halfnorm: Continuous
"""The absolute value of a normally distributed number."""
invgamma: Continuous
"""The inverse of a gamma distributed number: a density of y^(-a-1) exp(-1/y) / gamma(a)."""
laplace: Continuous
"""Laplace's distribution: a density of exp(-|y|) / 2."""
logistic: Continuous
"""The logistic distribution, whose cdf is the sigmoid."""
lognorm: Continuous
"""The exponential of a normally distributed number with standard deviation `s`; its median is `scale`."""
multivariate_normal: _multivariate_normal
"""The normal distribution of vectors: `mean`, 0 by default, and `cov`, a matrix, a vector for its diagonal, or a number."""
nbinom: Discrete
"""The number of failures before the n-th success, each of probability `p`; `n` may be any positive number."""
norm: Continuous
"""The normal distribution: mean `loc`, standard deviation `scale`."""
pareto: Continuous
"""Pareto's distribution: the probability of more than y >= 1 is y^-b."""
poisson: Discrete
"""Poisson's distribution with mean `mu`."""
t: Continuous
"""Student's distribution with `df` degrees of freedom."""
uniform: Continuous
"""The uniform distribution on [loc, loc + scale]."""
weibull_min: Continuous
"""Weibull's distribution: the probability of more than y is exp(-y^c)."""
