"""Linear algebra: solutions, determinants, factors and functions of matrices, in NumPy's and PyTorch's spellings.

Matrices are the last two axes, and all take batches of them. Symmetric matrices are symmetrised, (a + a.T) / 2, for
``cholesky``, ``eigh`` and what is made of them, so derivatives are symmetric, too.
"""
import collections
import math

import numpy as np

from ..ops import BY_NAME, lapack
from .conversion import to
from .core import FLOATS, Tensor, float64, wrap
from .elementwise import apply, broadcast
from .hosting import host
from .registry import public
from .structure import (
    as_tensor_operand,
    axis_argument,
    matmul,
    matrix_transpose,
    normalize_axis,
    permute,
    recording,
    reshape,
    sum,
    unsqueeze,
)
from .structure.views import expand

LinAlgError = np.linalg.LinAlgError
_where = BY_NAME["where"]


def _floating(x, name):
    """A tensor of floating numbers; integers become float64, as in NumPy."""
    x = as_tensor_operand(x, name)
    return x if x.dtype in FLOATS else to(x, float64)


def _matrices(x, name):
    x = _floating(x, name)
    if len(x._shape) < 2:
        raise LinAlgError(f"{name} takes matrices, and this tensor has {len(x._shape)} axes (shape {x._shape}); give two")
    return x


def _square(x, name):
    x = _matrices(x, name)
    if x._shape[-1] != x._shape[-2]:
        raise LinAlgError(f"{name} takes square matrices, and these are {x._shape[-2]} by {x._shape[-1]} (shape {x._shape})")
    return x


def _identity(a):
    """The identity, as often as there are matrices."""
    return wrap(np.broadcast_to(np.eye(a._shape[-1], dtype=a.dtype), a._shape).copy())


def _pair(a, b, name):
    """Matrices `a`, right-hand sides `b` of one batch, and whether `b` was a vector, or as in PyTorch a batch of them."""
    b = _floating(b, name)
    m = a._shape[-2]
    vector = len(b._shape) == 1 or (len(b._shape) > 1 and b._shape[-2] != m and b._shape == (*a._shape[:-2], m))
    if not b._shape or b._shape[-1 if vector else -2] != m:
        raise ValueError(f"{name} of shapes {a._shape} and {b._shape}: the right-hand side must have {m} rows")
    if len(a._shape) == 2 and len(b._shape) == 1 + (not vector):
        return a, b, vector
    if vector:
        b = unsqueeze(b, -1)
    batch = broadcast(a._shape[:-2], b._shape[:-2])
    if a._shape[:-2] != batch:
        a = expand(a, *batch, *a._shape[-2:])
    if b._shape[:-2] != batch:
        b = expand(b, *batch, *b._shape[-2:])
    return a, b, vector


# Inverses and solutions -----------------------------------------------------------------------------------------------

@public("inverse", numpy=np.linalg.inv)
def inv(a):
    """The inverses of matrices. LinAlgError for a singular one."""
    return host(BY_NAME["inv"], _square(a, "inv"))


@public(function=False, method=False, numpy=np.linalg.solve)
def solve(a, b, *, left=True):
    """x with a @ x = b, or with left=False x @ a = b. `b` is a vector if it has one axis, otherwise matrices, as in NumPy; a
    batch of vectors, as in PyTorch, where it can be nothing else. LinAlgError for a singular matrix."""
    a = _square(a, "solve")
    if not left:
        return matrix_transpose(solve(matrix_transpose(a), matrix_transpose(_matrices(b, "solve"))))
    a, b, vector = _pair(a, b, "solve")
    z = host(BY_NAME["solve"], a, b)
    return reshape(z, z._shape[:-1]) if vector and len(z._shape) > 1 else z


@public(function=False, method=False)
def solve_triangular(a, b, trans=0, lower=None, unit_diagonal=False, overwrite_b=False, check_finite=True, *, upper=None,
                     left=True, unitriangular=False):
    """x with a @ x = b for triangular matrices, of which one triangle is read.

    SciPy's arguments (``trans``: 0 or "N", 1 or "T" for a.T @ x = b; ``lower``, False by default; ``unit_diagonal``) or
    PyTorch's (``upper``, ``left``, ``unitriangular``). LinAlgError for a zero on the diagonal.
    """
    if lower is not None and upper is not None and bool(lower) == bool(upper):
        raise ValueError(f"lower={lower} and upper={upper} contradict each other; give one of them")
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"trans is 0, 1, 2 or 'N', 'T', 'C', not {trans!r}")
    lower = bool(lower) if upper is None else not upper
    a = _square(a, "solve_triangular")
    transposed = trans not in (0, "N")
    if not left:
        b = matrix_transpose(_matrices(b, "solve_triangular"))
    a, b, vector = _pair(a, b, "solve_triangular")
    z = host(BY_NAME["solve_triangular"], a, b, lower=lower, transposed=not transposed if not left else transposed,
             unit_diagonal=bool(unit_diagonal or unitriangular))
    if vector:
        return reshape(z, z._shape[:-1]) if len(z._shape) > 1 else z
    return z if left else matrix_transpose(z)


@public(function=False, method=False, numpy=lapack.solve_triangular)
def _solve_triangular(a, b, *, lower, transposed=False, unit_diagonal=False):
    return host(BY_NAME["solve_triangular"], _floating(a, ""), _floating(b, ""), lower=lower, transposed=transposed,
                unit_diagonal=unit_diagonal)


@public("pinverse", numpy=np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The pseudoinverses (Moore and Penrose) of matrices; singular values below `rtol` (or `rcond`), relative to the largest one,
    count as 0. The derivative is that of matrices whose rank doesn't change."""
    a = _matrices(a, "pinv")
    rtol = rcond if rtol is None else rtol
    if isinstance(rtol, Tensor):
        rtol = rtol._array()
    if hermitian:
        return host(BY_NAME["pinv"], _square(a, "pinv"), rtol=rtol, hermitian=True)
    return host(BY_NAME["pinv"], a, rtol=rtol)


LstsqResult = collections.namedtuple("LstsqResult", ["solution", "residuals", "rank", "singular_values"])


@public(function=False, method=False, numpy=np.linalg.lstsq)
def lstsq(a, b, rcond=None, *, driver=None):
    """The x that makes ``|a @ x - b|`` smallest, of several the smallest one: (solution, residuals, rank, singular values).

    The solution has a derivative, that of matrices whose rank doesn't change, and so have the residuals, the sums of squares for
    each column of `b`; these are empty where `a` has not full rank, or not more rows than columns. `driver` is PyTorch's, and
    not looked at.
    """
    a, b, vector = _pair(_matrices(a, "lstsq"), b, "lstsq")
    if len(b._shape) == 1:
        b = unsqueeze(b, -1)
    m, n = a._shape[-2:]
    rtol = np.finfo(a.dtype).eps * np.maximum(m, n) if rcond is None else rcond
    rtol = np.finfo(a.dtype).eps if rtol == -1 else rtol
    x = host(BY_NAME["lstsq"], a, b, rtol=rtol)
    values = np.linalg.svd(a._array(), compute_uv=False)
    rank = np.asarray((values > rtol * values.max(-1, initial=0, keepdims=True)).sum(-1))
    if m > n and (rank == n).all():
        rest = matmul(a, x) - b
        residuals = sum(rest * rest, -2)
    else:
        residuals = wrap(np.zeros((0,), a.dtype))
    return LstsqResult(reshape(x, x._shape[:-1]) if vector else x, residuals, wrap(rank), wrap(values))


@public(function=False, method=False, numpy=np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None, *, dims=None):
    """x with ``tensordot(a, x, x.ndim) = b``; `axes` of `a` are moved to its end first."""
    a, b = _floating(a, "tensorsolve"), _floating(b, "tensorsolve")
    axes = axis_argument(axes, dims)
    if axes is not None:
        last = [normalize_axis(k, len(a._shape)) for k in axes]
        a = permute(a, [k for k in range(len(a._shape)) if k not in last] + last)
    shape = a._shape[len(b._shape):]
    if math.prod(shape) != math.prod(b._shape):
        raise LinAlgError(f"tensorsolve of shapes {a._shape} and {b._shape}: there are {math.prod(b._shape)} equations for "
                          f"{math.prod(shape)} unknowns")
    return reshape(solve(reshape(a, -1, math.prod(shape)), reshape(b, -1)), shape)


@public(function=False, method=False, numpy=np.linalg.tensorinv)
def tensorinv(a, ind=2):
    """The inverse for tensordot over the first `ind` axes."""
    a = _floating(a, "tensorinv")
    if not 0 < ind < len(a._shape) or math.prod(a._shape[:ind]) != math.prod(a._shape[ind:]):
        raise LinAlgError(f"tensorinv of shape {a._shape} with ind={ind}: the axes before and after must have as many elements")
    size = math.prod(a._shape[:ind])
    return reshape(inv(reshape(a, size, size)), a._shape[ind:] + a._shape[:ind])


# Determinants ---------------------------------------------------------------------------------------------------------

@public(numpy=np.linalg.det)
def det(a):
    """The determinants of matrices. The derivative is the matrix of cofactors, of singular matrices, too, in any order."""
    return host(BY_NAME["det"], _square(a, "det"))


@public(function=False, method=False, numpy=lapack.cofactor)
def _cofactor(a):
    return host(BY_NAME["cofactor"], a)


SlogdetResult = collections.namedtuple("SlogdetResult", ["sign", "logabsdet"])


@public(numpy=np.linalg.slogdet)
def slogdet(a):
    """The sign of the determinant and the logarithm of its absolute value; a pair. The derivative is ``inv(a).T``, at a singular
    matrix, whose logarithm is -inf, ``pinv(a).T``."""
    value, sign = host(BY_NAME["slogdet"], _square(a, "slogdet"))
    return SlogdetResult(sign, value)


@public()
def logdet(a):
    """The logarithms of determinants: -inf of 0, nan of a negative one. The derivative is that of slogdet."""
    value, sign = host(BY_NAME["slogdet"], _square(a, "logdet"))
    negative = sign._array() < 0
    return apply(_where, wrap(np.asarray(negative)), np.nan, value) if negative.any() else value


# Factors --------------------------------------------------------------------------------------------------------------

@public(numpy=np.linalg.cholesky)
def cholesky(a, upper=False):
    """The lower triangular L with L @ L.T = a, or the upper triangular L.T, of symmetric positive definite matrices, which are
    symmetrised. LinAlgError where one is not positive definite."""
    z = host(BY_NAME["cholesky"], _square(a, "cholesky"))
    return matrix_transpose(z) if upper else z


@public(function=True)
def cholesky_solve(b, factor, upper=False):
    """x with a @ x = b from the Cholesky factor of `a`, lower or upper. Both as in PyTorch; or the factor first, as SciPy's pair
    ``(c, lower)``."""
    if isinstance(b, tuple):
        (factor, lower), b = b, factor
        upper = not lower
    transposed = 1 if upper else 0
    half = solve_triangular(factor, b, transposed, lower=not upper)
    return solve_triangular(factor, half, 1 - transposed, lower=not upper)


@public()
def cholesky_inverse(factor, upper=False):
    """The inverse of the matrix that has this Cholesky factor, lower or upper."""
    return cholesky_solve(_identity(_square(factor, "cholesky_inverse")), factor, upper)


EighResult = collections.namedtuple("EighResult", ["eigenvalues", "eigenvectors"])


def _symmetric_part(a, uplo, name):
    """The matrices as they are, which will be symmetrised; or where a triangle is named, the symmetric ones that have it."""
    a = _square(a, name)
    if uplo is None:
        return a
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"UPLO is 'L' or 'U', not {uplo!r}")
    mask = lapack.triangle(a._shape[-1], uplo in "Ll", 0.5, a.dtype)
    half = a * wrap(mask)
    return half + matrix_transpose(half)


@public(function=False, method=False, numpy=np.linalg.eigh)
def eigh(a, UPLO=None):
    """Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices, which are symmetrised; with UPLO "L" or "U" only
    that triangle is read.

    Eigenvalues that are equal have no eigenvectors of their own: where a result depends on these, its derivative is nan, and a
    RuntimeWarning says so. The first derivative of functions of eigenvalues is right. Of functions of the matrix that are made of
    the eigenvectors, such as ``(v * w.exp()) @ v.mT``, there is a derivative that can't be had in this way: use expm,
    matrix_power, sqrtm, solve and the like where eigenvalues may be equal.
    """
    return EighResult(*host(BY_NAME["eigh"], _symmetric_part(a, UPLO, "eigh")))


@public(function=False, method=False, numpy=np.linalg.eigvalsh)
def eigvalsh(a, UPLO=None):
    """The eigenvalues of symmetric matrices, ascending; see eigh."""
    return host(BY_NAME["eigh"], _symmetric_part(a, UPLO, "eigvalsh"))[0]


EigResult = collections.namedtuple("EigResult", ["eigenvalues", "eigenvectors"])


@public(function=False, method=False, numpy=np.linalg.eig)
def eig(a):
    """Eigenvalues and eigenvectors (columns of length 1) of matrices with real eigenvalues. ValueError where they are not."""
    return EigResult(*host(BY_NAME["eig"], _square(a, "eig")))


@public(function=False, method=False, numpy=np.linalg.eigvals)
def eigvals(a):
    """The eigenvalues of matrices whose eigenvalues are real. ValueError where they are not."""
    return eig(a)[0]


SVDResult = collections.namedtuple("SVDResult", ["U", "S", "Vh"])


@public(function=False, method=False, numpy=np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """U, S, Vh with a = (U * S) @ Vh, singular values descending; with compute_uv=False, S.

    Where a result depends on vectors of singular values that are equal (or that are 0, of matrices that are not square), its
    derivative is nan, and a RuntimeWarning says so; that of functions of ``S`` is right. See eigh; the orthogonal factor
    ``U @ Vh`` of a regular matrix is ``a @ inv(sqrtm(a.mT @ a))`` also there.
    """
    a = _matrices(a, "svd")
    if hermitian:
        a = 0.5 * (_square(a, "svd") + matrix_transpose(a))
    if not compute_uv:
        return svdvals(a)
    return SVDResult(*host(BY_NAME["svd"], a, full_matrices=bool(full_matrices)))


SVDFactors = collections.namedtuple("SVDFactors", ["U", "S", "V"])


def plain_svd(a, some=True, compute_uv=True):
    """U, S, V with a = (U * S) @ V.mT, PyTorch's older function: V, not its transpose, and thin factors unless some=False. See
    linalg.svd, which is NumPy's."""
    u, s, v = svd(a, full_matrices=not some)
    if not compute_uv:                       # zeros in the place of the vectors
        return SVDFactors(wrap(np.zeros(u._shape, u.dtype)), s, wrap(np.zeros(v._shape[:-2] + v._shape[:-3:-1], v.dtype)))
    return SVDFactors(u, s, matrix_transpose(v))


plain_svd.__name__ = plain_svd.__qualname__ = "svd"
public()(plain_svd)


@public(function=False, method=False, numpy=getattr(np.linalg, "svdvals", None))
def svdvals(a):
    """The singular values of matrices, descending."""
    a = _matrices(a, "svdvals")
    if not recording(a):
        return wrap(lapack.checked(np.linalg.svd, "the singular values did not converge", a._array(), compute_uv=False))
    return host(BY_NAME["svd"], a, full_matrices=False)[1]


QRResult = collections.namedtuple("QRResult", ["Q", "R"])


@public(function=False, method=False, numpy=np.linalg.qr)
def qr(a, mode="reduced"):
    """Q with orthonormal columns and the upper triangular R with Q @ R = a: "reduced", "complete", or R alone for "r". The
    derivative needs the first columns to be independent."""
    a = _matrices(a, "qr")
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"the mode of qr is 'reduced', 'complete' or 'r', not {mode!r}")
    m, n = a._shape[-2:]
    full = "complete" if mode == "complete" else "reduced"
    if m >= n or not recording(a):
        q, r = host(BY_NAME["qr"], a, mode=full)
    else:                                    # the columns beyond the square are combinations of the first
        q, square = host(BY_NAME["qr"], a[..., :m], mode=full)
        from .structure.joining import concatenate
        r = concatenate([square, matmul(matrix_transpose(q), a[..., m:])], -1)
    return r if mode == "r" else QRResult(q, r)


# Functions of matrices ------------------------------------------------------------------------------------------------

@public("matrix_exp", numpy=lapack.expm)
def expm(a):
    """The exponentials of matrices."""
    return host(BY_NAME["expm"], _square(a, "expm"))


@public(function=False, method=False, numpy=lapack.sqrtm)
def sqrtm(a):
    """The principal square roots of matrices, z @ z = a. ValueError where one is not real: for negative eigenvalues."""
    return host(BY_NAME["sqrtm"], _square(a, "sqrtm"))


@public(function=False, method=False, numpy=lapack.logm)
def logm(a):
    """The principal logarithms of matrices, of which `a` is the exponential. ValueError where one is not real."""
    return host(BY_NAME["logm"], _square(a, "logm"))


@public(numpy=np.linalg.matrix_power)
def matrix_power(a, n):
    """Matrices to an integer power, by repeated squaring; of the inverse for a negative one."""
    a = as_tensor_operand(a, "matrix_power")
    if a.dtype in FLOATS or n < 0 or len(a._shape) < 2:
        a = _square(a, "matrix_power")
    if type(n) is not int and not isinstance(n, np.integer):
        raise TypeError(f"the exponent of matrix_power is an integer, not {n!r}")
    if n == 0:
        return _identity(a)
    if n < 0:
        a, n = inv(a), -n
    result = None
    while n:
        if n & 1:
            result = a if result is None else matmul(result, a)
        n >>= 1
        a = matmul(a, a) if n else a
    return a.clone() if result is a else result


@public(function=False, method=False, numpy=np.linalg.matrix_rank)
def matrix_rank(a, tol=None, hermitian=False, *, rtol=None, atol=None):
    """How many singular values are above a tolerance, relative (`rtol`) or absolute (`tol`, `atol`); without derivative."""
    array = _floating(a, "matrix_rank")._array()
    if atol is not None and rtol is not None:
        values = np.linalg.svd(array, compute_uv=False)
        tol = np.maximum(atol, rtol * values.max(-1, initial=0))
        rtol = None
    elif atol is not None:
        tol = atol
    if tol is None and rtol is not None and array.ndim > 1:
        tol = rtol * np.linalg.svd(array, compute_uv=False).max(-1, initial=0)
    return wrap(np.asarray(np.linalg.matrix_rank(array, tol, hermitian)))


@public(function=False, method=False, numpy=np.linalg.cond)
def cond(a, p=None):
    """The condition numbers of matrices: in the 2-norm the quotient of the singular values, otherwise |a| * |inv(a)|."""
    a = _matrices(a, "cond")
    if p in (None, 2, -2):
        s = svdvals(a)
        largest, smallest = (s[..., 0], s[..., -1]) if p != -2 else (s[..., -1], s[..., 0])
        return largest / smallest
    from .norms import matrix_norm
    return matrix_norm(a, p) * matrix_norm(inv(_square(a, "cond")), p)
