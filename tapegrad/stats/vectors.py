"""Distributions of vectors."""
import numpy as np

from ..tensor.methods import FUNCTIONS
from .base import fn, real, tensor_of


class _dirichlet:
    """Dirichlet's distribution of vectors whose components are positive and have the sum 1."""
    name = "dirichlet"

    def logpdf(self, x, alpha):
        """The logarithm of the density at `x`, whose first axis has the components, or all but the last; `alpha` is a vector.

        ValueError for other shapes, parameters that are not positive, and points that are not of the simplex.
        """
        x, alpha = tensor_of(real(x, "dirichlet")), tensor_of(real(alpha, "dirichlet's alpha"))
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


dirichlet = _dirichlet()
