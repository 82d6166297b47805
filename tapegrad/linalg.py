"""Linear algebra under the names of NumPy, SciPy and PyTorch."""
import numpy as _np

from .tensor.algebra import (
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    cond,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    expm,
    inv,
    logdet,
    logm,
    lstsq,
    matrix_power,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    solve_triangular,
    sqrtm,
    svd,
    svdvals,
    tensorinv,
    tensorsolve,
)
from .tensor.creation import linalg_vander as vander
from .tensor.norms import linalg_norm as norm
from .tensor.norms import matrix_norm, vector_norm
from .tensor.structure.products import linalg_cross as cross
from .tensor.structure.products import linalg_trace as trace
from .tensor.structure.products import matmul, multi_dot, outer, tensordot, vecdot
from .tensor.structure.views import linalg_diagonal as diagonal
from .tensor.structure.views import matrix_transpose

LinAlgError = _np.linalg.LinAlgError
matrix_exp = expm

__all__ = ["LinAlgError", "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "cross", "det", "diagonal", "eig",
           "eigh", "eigvals", "eigvalsh", "expm", "inv", "logdet", "logm", "lstsq", "matmul", "matrix_exp", "matrix_norm",
           "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve",
           "solve_triangular", "sqrtm", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vander",
           "vecdot", "vector_norm"]
