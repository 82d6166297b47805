"""``scipy.linalg``, as far as there are derivatives."""
import scipy.linalg as _theirs

from .. import linalg as _ours
from .forwarding import forwarded as _forwarded

det, expm, inv, logm, norm, pinv, solve_triangular, sqrtm, svdvals = (
    _forwarded(getattr(_theirs, name), getattr(_ours, name)) for name in (
        "det", "expm", "inv", "logm", "norm", "pinv", "solve_triangular", "sqrtm", "svdvals"))


def _cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """As ``scipy.linalg.cholesky``: the upper triangle by default."""
    return _ours.cholesky(a, upper=not lower)


def _solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    """As ``scipy.linalg.solve``, of matrices of which nothing is assumed."""
    return _ours.solve(_ours.matrix_transpose(a) if transposed else a, b)


cholesky, solve = _forwarded(_theirs.cholesky, _cholesky), _forwarded(_theirs.solve, _solve)

__all__ = ["cholesky", "det", "expm", "inv", "logm", "norm", "pinv", "solve", "solve_triangular", "sqrtm", "svdvals"]
