"""The multivariate normal distribution."""
import numpy as np

from .. import linalg
from .base import LOG_ROOT_2_PI, fn, real, tensor_of


class _multivariate_normal:
    """The normal distribution of vectors: `mean`, 0 by default, and `cov`, a matrix, a vector for its diagonal, or a number."""
    name = "multivariate_normal"

    def logpdf(self, x, mean=None, cov=1, allow_singular=False):
        """The logarithm of the density at `x`, whose last axis has the components; in one dimension it needs none for them.

        The derivative by `cov` is symmetric. ValueError for shapes that don't fit, LinAlgError for a `cov` that is not positive
        definite, NotImplementedError for `allow_singular`.
        """
        if allow_singular:
            raise NotImplementedError("multivariate_normal needs a positive definite cov, and takes no allow_singular=True; add "
                                      "a small multiple of the identity to cov")
        x, cov = [tensor_of(real(v, self.name)) for v in (x, cov)]
        mean = None if mean is None else tensor_of(real(mean, self.name))
        n = cov.shape[0] if cov.shape else mean.shape[0] if mean is not None and mean.shape else 1
        if len(cov.shape) < 2:
            cov = tensor_of(np.eye(n).astype(cov.dtype)) * cov
        if cov.shape != (n, n) or (mean is not None and mean.shape not in ((), (n,))):
            raise ValueError(f"multivariate_normal takes a mean of n numbers and a cov of shape (n, n), and these have shapes "
                             f"{'()' if mean is None else mean.shape} and {cov.shape}")
        if n == 1 and len(x.shape) < 2:
            x = x.reshape(*x.shape, 1)
        if not x.shape or x.shape[-1] != n:
            raise ValueError(f"multivariate_normal takes points with {n} components along the last axis, and this has shape "
                             f"{x.shape}")
        factor = linalg.cholesky(cov)
        deviations = (x if mean is None else x - mean).reshape(-1, n).T
        distances = fn.sum(fn.square(linalg.solve_triangular(factor, deviations, lower=True)), 0)
        return distances.reshape(x.shape[:-1]) * -0.5 - (fn.sum(fn.log(factor.diagonal())) + n * LOG_ROOT_2_PI)

    def pdf(self, x, mean=None, cov=1, allow_singular=False):
        """The density at `x`."""
        return fn.exp(self.logpdf(x, mean, cov, allow_singular))


multivariate_normal = _multivariate_normal()
