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
from .continuous import (
    beta,
    cauchy,
    chi2,
    expon,
    gamma,
    halfnorm,
    invgamma,
    laplace,
    logistic,
    lognorm,
    norm,
    pareto,
    t,
    uniform,
    weibull_min,
)
from .discrete import bernoulli, binom, nbinom, poisson
from .normal import multivariate_normal
from .vectors import dirichlet

__all__ = ["bernoulli", "beta", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "halfnorm", "invgamma", "laplace",
           "logistic", "lognorm", "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "t", "uniform", "weibull_min"]
