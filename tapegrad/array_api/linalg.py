"""The extension linalg: matrices are the last two axes, and what is more than sums of products takes floating dtypes only."""
import numpy as _np

from .. import linalg as _linalg
from ..tensor.core import Tensor as _Tensor
from ..tensor.core import wrap as _wrap
from ..tensor.structure import recording as _recording
from . import dtypes as _dtypes
from .dtypes import check as _check
from .manipulation import matrix_transpose
from .manipulation import ours as _ours
from .products import _pair, matmul, tensordot, vecdot
from .products import negative_axis as _negative_axis
from .reductions import sum as _sum


def _matrices(name, x, kinds=_dtypes.FLOATING):
    _check(name, kinds, x)
    if x.ndim < 2:
        raise ValueError(f"{name} takes matrices, and the shape is {x.shape}")
    return x


def cholesky(x, /, *, upper=False):
    """The triangular L with L @ L.mT = x, lower or upper, of symmetric positive definite matrices."""
    return _linalg.cholesky(_matrices("cholesky", x), upper=upper)


def cross(x1, x2, /, *, axis=-1):
    """The vector products of vectors of three elements along an axis, counted from the end; the other axes broadcast."""
    x1, x2 = _pair("cross", x1, x2)
    _negative_axis("cross", axis, x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross takes vectors of 3 elements, and along axis {axis} they have {x1.shape[axis]} and "
                         f"{x2.shape[axis]}")
    return _ours.cross(x1, x2, axis=axis) if _recording(x1, x2) else _wrap(_np.cross(x1._array(), x2._array(), axis=axis))


def det(x, /):
    """The determinants of matrices."""
    return _linalg.det(_matrices("det", x))


def diagonal(x, /, *, offset=0):
    """The elements on a diagonal of matrices. A view."""
    return _ours.diagonal(_matrices("diagonal", x, _dtypes.ANY), offset, -2, -1)


def eigh(x, /):
    """Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices."""
    return _linalg.eigh(_matrices("eigh", x))


def eigvalsh(x, /):
    """The eigenvalues of symmetric matrices, ascending."""
    return _linalg.eigvalsh(_matrices("eigvalsh", x))


def inv(x, /):
    """The inverses of matrices."""
    return _linalg.inv(_matrices("inv", x))


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    return _linalg.matrix_norm(_matrices("matrix_norm", x), ord, keepdims=keepdims)


def matrix_power(x, n, /):
    """Matrices to an integer power."""
    return _linalg.matrix_power(_matrices("matrix_power", x), n)


def _tolerance(rtol):
    """A relative tolerance as a number or an array."""
    return rtol._array() if isinstance(rtol, _Tensor) else rtol


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are above `rtol` times the largest."""
    values = _np.linalg.svd(_matrices("matrix_rank", x)._array(), compute_uv=False)
    if rtol is None:
        rtol = max(x.shape[-2:]) * _np.finfo(x.dtype).eps
    bound = values.max(-1, keepdims=True, initial=0) * _np.asarray(_tolerance(rtol))[..., None]
    return _wrap(_np.asarray((values > bound).sum(-1, dtype=_np.int64)))


def outer(x1, x2, /):
    """The products of each element of one vector with each of another."""
    x1, x2 = _pair("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer takes vectors, and the shapes are {x1.shape} and {x2.shape}")
    return x1[:, None] * x2


def pinv(x, /, *, rtol=None):
    """The pseudoinverses of matrices; singular values up to `rtol` times the largest count as 0."""
    _matrices("pinv", x)
    rtol = max(x.shape[-2:]) * float(_np.finfo(x.dtype).eps) if rtol is None else _tolerance(rtol)
    return _linalg.pinv(x, rtol=rtol)


def qr(x, /, *, mode="reduced"):
    """Q with orthonormal columns and the upper triangular R with Q @ R = x, "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"the mode of qr is 'reduced' or 'complete', not {mode!r}")
    return _linalg.qr(_matrices("qr", x), mode)


def slogdet(x, /):
    """The sign of the determinants, and the logarithm of their absolute values."""
    return _linalg.slogdet(_matrices("slogdet", x))


def solve(x1, x2, /):
    """The solution of x1 @ z = x2; `x2` is a vector where it has one axis, otherwise matrices."""
    _check("solve", _dtypes.FLOATING, x1, x2)
    x1, x2 = _pair("solve", _matrices("solve", x1), x2)
    if x2.ndim != 1 and x2.shape[-2:-1] != x1.shape[-1:]:
        raise ValueError(f"solve of shapes {x1.shape} and {x2.shape}: the right-hand side must have {x1.shape[-1]} rows")
    return _linalg.solve(x1, x2)


def svd(x, /, *, full_matrices=True):
    """U, S, Vh with x = (U * S) @ Vh, singular values descending."""
    return _linalg.svd(_matrices("svd", x), full_matrices=full_matrices)


def svdvals(x, /):
    """The singular values of matrices, descending."""
    return _linalg.svdvals(_matrices("svdvals", x))


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the elements on a diagonal of matrices."""
    return _sum(diagonal(_matrices("trace", x, _dtypes.NUMERIC), offset=offset), axis=-1, dtype=dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The p-norms of vectors along axes, or of all elements."""
    _check("vector_norm", _dtypes.FLOATING, x)
    return _linalg.vector_norm(x, ord, axis if axis is None else _dtypes.normal_axes(axis, x.ndim), keepdims)


__all__ = ["cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace",
           "vecdot", "vector_norm"]
