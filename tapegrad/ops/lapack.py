"""Linear algebra that LAPACK computes: solutions, determinants, factors and functions of matrices.

All take batches of matrices, (..., m, n). Formulas are those of Giles, "An extended collection of matrix derivative results
for forward and reverse mode algorithmic differentiation" (2008), unless another source is named.
"""
import functools
import warnings

import numpy as np

from .._jit.locks import imported
from .expm import expm_of_many
from .table import hosted, overridable

LinAlgError = np.linalg.LinAlgError


def t(x):
    """The transposes of matrices."""
    return x.swapaxes(-1, -2)


def plain(x):
    """The values of a tensor, as an array: to decide on, not to differentiate."""
    return x if isinstance(x, np.ndarray) else x._array()


def checked(function, what, *arrays, **options):
    """A function of NumPy; where it fails, an error that says what failed."""
    try:
        return function(*arrays, **options)
    except LinAlgError as error:
        shape = " and ".join(str(x.shape) for x in arrays)
        raise LinAlgError(f"{what} (shape {shape}; LAPACK: {error})") from None


def symmetric(x):
    return 0.5 * (x + t(x))


def symmetrised(a):
    """The symmetric part of matrices, with a warning where that is another value than that of their lower triangles."""
    part = symmetric(a)
    if (np.abs(a - part) > 1e-3 * np.abs(part).max(initial=0)).any():
        warnings.warn("the matrix is not symmetric, and its symmetric part is taken, where NumPy and PyTorch read the lower "
                      "triangle alone; give a symmetric one, as a.tril() + a.tril(-1).mT, or name the triangle where there is "
                      "UPLO=", RuntimeWarning, stacklevel=2)
    return part


# Inverses and solutions -----------------------------------------------------------------------------------------------

def inv(a):
    return checked(np.linalg.inv, "the matrix to invert is singular; use pinv, or add a multiple of the identity", a)


def inv_adjoint(g, a, z):
    return -(t(z) @ g @ t(z)),


hosted("inv", inv, inv_adjoint, display="LinalgInvEx")


@functools.cache
def _functions(dtype):
    """Those of LAPACK and BLAS for a dtype, by their names."""
    from scipy.linalg import get_blas_funcs, get_lapack_funcs
    factors, triangles = ("getrf", "getrs", "potrf"), ("trsv", "trsm")
    return dict(zip(factors + triangles, get_lapack_funcs(factors, dtype=dtype) + get_blas_funcs(triangles, dtype=dtype)))


def solve(a, b):
    """The solution, and of one matrix its factors."""
    what = "the matrix of the equations is singular; use lstsq, or add a multiple of the identity"
    if a.ndim > 2 or b.ndim > 2 or not b.size:
        return checked(np.linalg.solve, what, a, b), None
    functions = _functions(b.dtype)
    factors, pivots, info = functions["getrf"](a.T)      # LAPACK counts by columns, where a row-major matrix is its transpose
    if info > 0:
        raise LinAlgError(f"{what} (shape {a.shape}; LAPACK: pivot {info - 1} is 0)")
    return functions["getrs"](factors, pivots, b, trans=1)[0], (factors, pivots)


def solve_adjoint(g, a, b, z, *, saved=None):
    """The operands have one batch; or b is one vector."""
    gb = np.linalg.solve(t(a), g) if saved is None else _functions(g.dtype)["getrs"](*saved, g)[0]
    if z.ndim == 1:
        return -(gb[:, None] * z), gb
    return -(gb @ t(z)), gb


hosted("solve", solve, solve_adjoint, arity=2, saves=True, display="LinalgSolveEx")


@overridable
def solve_triangular(a, b, *, lower, transposed=False, unit_diagonal=False):
    """z with a z = b, or a.T z = b, of matrices of one batch."""
    functions = _functions(b.dtype)
    if a.ndim == 2:
        return _solve_triangular(functions, a, b, lower, transposed, unit_diagonal)
    if b.ndim == a.ndim and b.size and b.size >= MANY * a.shape[-1] * b.shape[-1] and a.shape[-1] <= NARROW:
        return _solve_triangles(a, b, lower, transposed, unit_diagonal)
    z = np.empty(b.shape, b.dtype)
    for k in np.ndindex(a.shape[:-2]):
        z[k] = _solve_triangular(functions, a[k], b[k], lower, transposed, unit_diagonal)
    return z


def _solve_triangular(functions, a, b, lower, transposed, unit_diagonal):
    """By BLAS: LAPACK's function for it wakes OpenBLAS's threads for matrices of any size."""
    if not b.size:
        return np.zeros(b.shape, b.dtype)
    if not unit_diagonal:
        diagonal = a.diagonal()
        if not diagonal.all():
            raise LinAlgError(f"the triangular matrix of the equations is singular: its diagonal element "
                              f"{np.flatnonzero(diagonal == 0)[0]} is 0 (shape {a.shape})")
    by_rows = a.flags.c_contiguous
    a, lower, transposed = a.T if by_rows else a, lower != by_rows, transposed != by_rows
    if b.ndim == 1:
        return functions["trsv"](a, b, lower=lower, trans=transposed, diag=unit_diagonal)
    return functions["trsm"](1.0, a, b, lower=lower, trans_a=transposed, diag=unit_diagonal)


MANY, NARROW = 8, 16                         # so many matrices, of so few rows, are computed side by side


def _solve_triangles(a, b, lower, transposed, unit_diagonal):
    """Of many small matrices, row by row of all of them."""
    a, lower = (t(a), not lower) if transposed else (a, lower)
    diagonal = a.diagonal(axis1=-2, axis2=-1)
    if not unit_diagonal and not diagonal.all():
        raise LinAlgError("a triangular matrix of the equations is singular: the diagonal element "
                          f"{tuple(np.argwhere(diagonal == 0)[0].tolist())} is 0 (shape {a.shape})")
    z, n = b.copy(), a.shape[-1]
    with np.errstate(all="ignore"):
        for k in range(n) if lower else range(n)[::-1]:
            if not unit_diagonal:
                z[..., k, :] /= diagonal[..., k, None]
            rest = slice(k + 1, n) if lower else slice(0, k)
            z[..., rest, :] -= a[..., rest, k, None] * z[..., None, k, :]
    return z


def solve_triangular_adjoint(g, a, b, z, *, lower, transposed=False, unit_diagonal=False):
    gb = solve_triangular(a, g, lower=lower, transposed=not transposed, unit_diagonal=unit_diagonal)
    left, right = (z, gb) if transposed else (gb, z)
    ga = left[:, None] * right if z.ndim == 1 else left @ t(right)
    return -ga * triangle(a.shape[-1], lower, 0.0 if unit_diagonal else 1.0, g.dtype), gb


@functools.lru_cache(maxsize=64)
def triangle(n, lower, diagonal, dtype):
    """Ones in a triangle, and a value on the diagonal."""
    mask = np.tri(n, k=-1, dtype=dtype)
    return (mask if lower else mask.T) + np.asarray(diagonal, dtype) * np.eye(n, dtype=dtype)


hosted("solve_triangular", solve_triangular, solve_triangular_adjoint, arity=2, display="LinalgSolveTriangular")


def pinv(a, *, rtol=None, hermitian=False):
    rtol = max(a.shape[-2:], default=0) * np.finfo(a.dtype).eps if rtol is None else rtol
    return np.linalg.pinv(a, rcond=rtol, hermitian=hermitian)


def pinv_adjoint(g, a, z, *, rtol=None, hermitian=False):
    """Golub and Pereyra (1973), eq. 4.12: of matrices whose rank doesn't change."""
    gt = t(g)
    left = gt - a @ (z @ gt)                 # (1 - a z) g.T
    right = gt - (gt @ z) @ a                # g.T (1 - z a)
    ga = -(t(z) @ g @ t(z)) + left @ (z @ t(z)) + (t(z) @ z) @ right
    return symmetric(ga) if hermitian else ga,


hosted("pinv", pinv, pinv_adjoint, display="LinalgPinv", note="as if the rank were constant")


def lstsq(a, b, *, rtol=None):
    z = np.empty((*b.shape[:-2], a.shape[-1], b.shape[-1]), b.dtype)
    for k in np.ndindex(a.shape[:-2]):
        z[k] = checked(np.linalg.lstsq, "least squares did not converge", a[k], b[k], rcond=rtol)[0]
    return z


def lstsq_adjoint(g, a, b, z, *, rtol=None):
    """Of z = pinv(a) @ b."""
    inverse = np.linalg.pinv(a, rtol)
    gb = t(inverse) @ g
    ga = -(gb @ t(z)) + (b - a @ z) @ t(inverse @ gb) + (t(inverse) @ z) @ t(g - t(a) @ gb)
    return ga, gb


hosted("lstsq", lstsq, lstsq_adjoint, arity=2, display="LinalgLstsq", note="as if the rank were constant")


# Determinants ---------------------------------------------------------------------------------------------------------

@overridable
def cofactor(a):
    """The matrix of cofactors, of any rank: by the inverse where that is accurate, otherwise by singular values."""
    if a.shape[-1] < 2:
        return np.ones_like(a)
    try:
        inverse = np.linalg.inv(a)
    except LinAlgError:
        inverse = None
    if inverse is not None:
        sizes = np.abs(a).max((-2, -1), initial=0) * np.abs(inverse).max((-2, -1), initial=0)
        if np.all(sizes < 1e5):
            return np.linalg.det(a)[..., None, None] * t(inverse)
    u, s, v = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(v)
    n = a.shape[-1]
    others = np.where(np.eye(n, dtype=bool), np.ones((), a.dtype), s[..., None, :]).prod(-1)
    return (u * (sign[..., None] * others)[..., None, :]) @ v


def cofactor_adjoint(g, a, z):
    """By products of all singular values but two; for further derivatives, by the cofactors of the minors."""
    n = a.shape[-1]
    if n < 2:
        return None,
    if isinstance(a, np.ndarray):
        u, s, v = np.linalg.svd(a)
        sign = np.linalg.det(u) * np.linalg.det(v)
        others = _all_but_two(s) * sign[..., None, None]
        inner = t(u) @ g @ t(v)
        diagonal = (others @ np.diagonal(inner, 0, -2, -1)[..., None])[..., 0]
        return u @ (diagonal[..., None] * np.eye(n, dtype=a.dtype) - others * t(inner)) @ v,
    keep = np.stack([np.delete(np.eye(n, dtype=a.dtype), k, axis=1) for k in range(n)])      # (n, n, n - 1)
    rows, columns = keep[:, None], keep[None]
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n)).astype(a.dtype)
    minors = t(rows) @ a[..., None, None, :, :] @ columns
    parts = rows @ ((g * signs)[..., None, None] * cofactor(minors)) @ t(columns)
    return parts.sum((-4, -3)),


def _all_but_two(s):
    """For each pair of different singular values the product of the others, 0 on the diagonal."""
    n = s.shape[-1]
    same = np.eye(n, dtype=bool)
    if n <= 32:
        others = np.where(same[:, None] | same[None, :], np.ones((), s.dtype), s[..., None, None, :]).prod(-1)
    else:                                    # a cube would be large; with a number for 0 that makes all products tiny
        logs = np.log(np.maximum(s.astype(np.float64), 1e-300))
        others = np.exp(logs.sum(-1)[..., None, None] - logs[..., :, None] - logs[..., None, :]).astype(s.dtype)
    return np.where(same, np.zeros((), s.dtype), others)


hosted("cofactor", cofactor, cofactor_adjoint, display="LinalgCofactor")


def det(a):
    return np.linalg.det(a)


def det_adjoint(g, a, z):
    return g[..., None, None] * cofactor(a),


hosted("det", det, det_adjoint, display="LinalgDet")


def slogdet(a):
    sign, z = np.linalg.slogdet(a)
    return z, sign


def slogdet_adjoint(g, a, z):
    singular = np.isneginf(plain(z)).any()
    inverse = np.linalg.pinv(a, a.shape[-1] * np.finfo(a.dtype).eps) if singular else np.linalg.inv(a)
    return g[..., None, None] * t(inverse),


hosted("slogdet", slogdet, slogdet_adjoint, constants=1, display="LinalgSlogdet",
       note="of a singular matrix that of the logarithm of its singular values that are not 0")


# Factors --------------------------------------------------------------------------------------------------------------

def cholesky(a):
    what = "the matrix is not positive definite, so it has no Cholesky factor; add a multiple of the identity"
    a = symmetrised(a)
    if a.ndim > 2 or not a.size:
        return checked(np.linalg.cholesky, what, a)
    factor, info = _functions(a.dtype)["potrf"](a.T, lower=False, clean=True)      # by columns, the other triangle
    if info:
        raise LinAlgError(f"{what} (shape {a.shape}; LAPACK: the leading minor of order {info} is not positive)")
    return factor.T


def cholesky_adjoint(g, a, z):
    inner = (t(z) @ g) * triangle(z.shape[-1], True, 0.5, z.dtype)
    half = t(solve_triangular(z, inner, lower=True, transposed=True))        # inner.T @ inv(z)
    return symmetric(solve_triangular(z, half, lower=True, transposed=True)),


hosted("cholesky", cholesky, cholesky_adjoint, display="LinalgCholeskyEx")


def small(values, count):
    """What counts as 0 beside the largest of some values that LAPACK computed from `count` numbers."""
    return 8 * count * np.finfo(values.dtype).eps * np.abs(values).max(-1, initial=0, keepdims=True)


def used(*adjoints):
    """Which vectors, the columns, anything depends on: the others' adjoints are 0."""
    return np.any([(plain(g) != 0).any(-2) for g in adjoints if g is not None], 0)


def divided(y, x, zero, needed, where=True):
    """y / x. Where x is 0 but for rounding, and if that is needed: nan, with a warning; if not: 0, as y is, in a graph with an
    infinite derivative, since y may become another. `where`: the elements that count, others may be 0."""
    zero = np.broadcast_to(zero, y.shape)
    mask = zero.astype(y.dtype)
    quotient = y * ((1 - mask) / (x + mask))
    undetermined, idle = zero & needed & where, zero & ~needed & where
    if undetermined.any():
        warnings.warn("some eigenvalues are equal, or singular values equal or 0, and the result depends on their vectors, where "
                      "any turned ones are as right: its derivative is nan. Functions of the values alone have one (eigvalsh, "
                      "svdvals), and functions of the matrix (expm, sqrtm, matrix_power, solve, pinv)", RuntimeWarning,
                      stacklevel=2)
        quotient = quotient + np.where(undetermined, np.nan, 0.0).astype(y.dtype)
    if not isinstance(y, np.ndarray) and idle.any():
        quotient = quotient + np.where(idle, np.sqrt(y), 0.0)
    return quotient


def coupled(y, x, zero, columns):
    """What is asked of each pair of vectors, divided by what turns them into each other, numbers that may be 0."""
    return divided(y, x, zero, columns[..., None, :] | columns[..., :, None], ~np.eye(columns.shape[-1], dtype=bool))


def differences(x):
    """x[j] - x[i] for each pair i, j of values, and where they are equal but for rounding."""
    values = plain(x)
    equal = np.abs(values[..., None, :] - values[..., :, None]) <= small(values, values.shape[-1])[..., None]
    return x[..., None, :] - x[..., :, None], equal


def eigh(a):
    w, v = checked(np.linalg.eigh, "the eigenvalues did not converge", symmetrised(a))
    return w, v


def eigh_adjoint(gw, gv, a, w, v):
    if gv is None:
        return symmetric((v * gw[..., None, :]) @ t(v)),
    inner = coupled(t(v) @ gv, *differences(w), used(gv))
    if gw is not None:
        inner = inner + gw[..., None, :] * np.eye(w.shape[-1], dtype=w.dtype)
    return symmetric(v @ inner @ t(v)),


hosted("eigh", eigh, eigh_adjoint, outputs=2, display="LinalgEigh",
       note="nan where it depends on the eigenvectors of equal eigenvalues")


def eig(a):
    w, v = checked(np.linalg.eig, "the eigenvalues did not converge", a)
    if w.dtype.kind == "c" and not w.imag.any():         # NumPy from 2.5 on
        w, v = w.real.copy(), v.real.copy()
    if w.dtype.kind == "c":
        raise ValueError(f"a matrix of shape {a.shape} has complex eigenvalues, and there are no complex tensors; use eigh for "
                         "symmetric matrices, or np.linalg.eig of x.detach().numpy()")
    return w, v


def eig_adjoint(gw, gv, a, w, v):
    """As PyTorch's linalg_eig_backward, for eigenvectors of length 1 and a real spectrum."""
    eye = np.eye(w.shape[-1], dtype=w.dtype)
    inner = 0.0 if gw is None else gw[..., None, :] * eye
    if gv is not None:
        along = t(v) @ gv
        inner = inner + coupled(along - (t(v) @ v) @ (along * eye), *differences(w), used(gv))
    return np.linalg.solve(t(v), inner @ t(v)),


hosted("eig", eig, eig_adjoint, outputs=2, display="LinalgEig", note="as eigh; a real spectrum only")


def svd(a, *, full_matrices):
    return checked(np.linalg.svd, "the singular values did not converge", a, full_matrices=full_matrices)


def svd_adjoint(gu, gs, gv, a, u, s, v, *, full_matrices):
    """As PyTorch's svd_backward; what is beyond the singular values turns with the rest."""
    m, n = u.shape[-2], v.shape[-1]
    k = min(m, n)
    gu, u = _of_reduced(gu, u, k)
    if gv is not None:
        gv = t(gv)
    gv, v = _of_reduced(gv, t(v), k)
    if gu is None and gv is None:
        return (u * gs[..., None, :]) @ t(v),
    zero = plain(s) <= small(plain(s), max(m, n))
    turn_u, turn_v = 0.0, 0.0
    inner = 0.0 if gs is None else gs[..., None, :] * np.eye(k, dtype=s.dtype)
    if gu is not None:
        turned_u = t(u) @ gu
        turn_u = turned_u - t(turned_u)
    if gv is not None:
        turned_v = t(v) @ gv
        turn_v = turned_v - t(turned_v)
    # What turns u and v by one rotation, and what turns them by opposite ones: only the first has a pole at equal values
    none, sums = zero[..., None, :] & zero[..., :, None], s[..., None, :] + s[..., :, None]
    inner = inner + 0.5 * (coupled(turn_u + turn_v, *differences(s), used(gu, gv))
                           + coupled(turn_u - turn_v, sums, none, used(gu, gv)))
    ga = u @ inner @ t(v)
    if gu is not None and m > k:
        beyond = gu - u @ turned_u
        ga = ga + divided(beyond, s[..., None, :], zero[..., None, :], used(gu)[..., None, :]) @ t(v)
    if gv is not None and n > k:
        beyond = gv - v @ turned_v
        ga = ga + u @ t(divided(beyond, s[..., None, :], zero[..., None, :], used(gv)[..., None, :]))
    return ga,


def _of_reduced(g, q, k):
    """The adjoint of the first k columns of an orthogonal matrix; the others are any basis of what is left."""
    if q.shape[-1] == k:
        return g, q
    q1, q2 = q[..., :k], q[..., k:]
    return (None if g is None else g[..., :k] - q2 @ (t(g[..., k:]) @ q1)), q1


hosted("svd", svd, svd_adjoint, outputs=3, display="LinalgSvd",
       note="nan where it depends on the vectors of singular values that are equal, or 0")


def qr(a, *, mode):
    return np.linalg.qr(a, mode)


def qr_adjoint(gq, gr, a, q, r, *, mode):
    """Walter and Lehmann (2010), of (m, n) with m >= n and full rank."""
    n = r.shape[-1]
    gq, q = _of_reduced(gq, q, n)
    r = r[..., :n, :]
    inner = 0.0
    if gr is not None:
        inner = r @ t(gr[..., :n, :])
    if gq is not None:
        inner = inner - t(gq) @ q
    dtype = r.dtype
    lower = inner * triangle(n, True, 1.0, dtype)
    right = q @ (lower + t(inner * triangle(n, True, 0.0, dtype)))
    if gq is not None:
        right = gq + right
    return t(solve_triangular(r, t(right), lower=False)),


hosted("qr", qr, qr_adjoint, outputs=2, display="LinalgQr")


# Functions of matrices ------------------------------------------------------------------------------------------------

def _corner(function, g, a):
    """The adjoint of a function of matrices: a corner of that of a block matrix; Higham, "Functions of Matrices" (2008), 3.6."""
    n, at = a.shape[-1], t(a)
    upper = np.concatenate([at, g], -1)
    lower = np.concatenate([np.zeros(a.shape, a.dtype), at], -1)
    return function(np.concatenate([upper, lower], -2))[..., :n, n:],


def _real(name, a):
    """SciPy's function of each matrix; ValueError where it is complex."""
    function = getattr(imported("scipy.linalg"), name)
    z = np.empty(a.shape, a.dtype)
    for k in np.ndindex(a.shape[:-2]):
        value = function(a[k].astype(np.float64, copy=False)) if a.size else a[k]
        if value.dtype.kind == "c":
            if np.abs(value.imag).max(initial=0) > 1e3 * np.finfo(a.dtype).eps * np.abs(value).max(initial=0):
                raise ValueError(f"{name} of a matrix with eigenvalues that are negative, or 0, is not real (shape {a.shape}), "
                                 "and there are no complex tensors")
            value = value.real
        z[k] = value
    return z


@overridable
def expm(a):
    n, count = a.shape[-1], a.size // max(a.shape[-1] ** 2, 1)
    if 1 < n <= 2 * NARROW and count >= MANY:            # twice, for the adjoint
        many = a.reshape(-1, n, n).astype(np.float64, copy=False)
        return expm_of_many(many).reshape(a.shape).astype(a.dtype, copy=False)
    from scipy.linalg import expm as function
    return function(a)


@overridable
def sqrtm(a):
    return _real("sqrtm", a)


@overridable
def logm(a):
    return _real("logm", a)


def expm_adjoint(g, a, z):
    return _corner(expm, g, a)


def sqrtm_adjoint(g, a, z):
    return _corner(sqrtm, g, a)


def logm_adjoint(g, a, z):
    return _corner(logm, g, a)


hosted("expm", expm, expm_adjoint, display="LinalgMatrixExp")
hosted("sqrtm", sqrtm, sqrtm_adjoint, display="LinalgMatrixSqrt")
hosted("logm", logm, logm_adjoint, display="LinalgMatrixLog")
