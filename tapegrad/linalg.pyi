# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike

from ._types import EighResult, EigResult, LstsqResult, Number, QRResult, SlogdetResult, SVDResult, Tensor, TensorLike

__all__ = ["LinAlgError", "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "cross", "det", "diagonal", "eig",
           "eigh", "eigvals", "eigvalsh", "expm", "inv", "logdet", "logm", "lstsq", "matmul", "matrix_exp",
           "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr",
           "slogdet", "solve", "solve_triangular", "sqrtm", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve",
           "trace", "vander", "vecdot", "vector_norm"]

LinAlgError = np.linalg.LinAlgError
def cholesky(a: TensorLike, upper: bool = False) -> Tensor:
    """The lower triangular L with L @ L.T = a, or the upper triangular L.T, of symmetric positive definite matrices,
    which are symmetrised. LinAlgError where one is not positive definite."""
def cholesky_inverse(factor: TensorLike, upper: bool = False) -> Tensor:
    """The inverse of the matrix that has this Cholesky factor, lower or upper."""
def cholesky_solve(b: TensorLike | tuple[TensorLike, bool], factor: TensorLike, upper: bool = False) -> Tensor:
    """x with a @ x = b from the Cholesky factor of `a`, lower or upper. Both as in PyTorch; or the factor first, as
    SciPy's pair ``(c, lower)``."""
def cond(a: TensorLike, p: float | str | None = None) -> Tensor:
    """The condition numbers of matrices: in the 2-norm the quotient of the singular values, otherwise |a| *
    |inv(a)|."""
def cross(x: TensorLike, y: TensorLike, axis: int = -1, *, dim: int | Sequence[int] | None = None) -> Tensor:
    """The vector products of vectors of three elements along an axis; the other axes broadcast."""
def det(a: TensorLike) -> Tensor:
    """The determinants of matrices. The derivative is the matrix of cofactors, of singular matrices, too, in any
    order."""
def diagonal(x: TensorLike, offset: int = 0, *, dim1: int | None = -2, dim2: int | None = -1) -> Tensor:
    """The elements on a diagonal of matrices, the last two axes. A view."""
def eig(a: TensorLike) -> EigResult:
    """Eigenvalues and eigenvectors (columns of length 1) of matrices with real eigenvalues. ValueError where they are
    not."""
def eigh(a: TensorLike, UPLO: str | None = None) -> EighResult:
    """Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices, which are symmetrised; with UPLO "L" or
    "U" only that triangle is read."""
def eigvals(a: TensorLike) -> Tensor:
    """The eigenvalues of matrices whose eigenvalues are real. ValueError where they are not."""
def eigvalsh(a: TensorLike, UPLO: str | None = None) -> Tensor:
    """The eigenvalues of symmetric matrices, ascending; see eigh."""
def expm(a: TensorLike) -> Tensor:
    """The exponentials of matrices."""
def inv(a: TensorLike) -> Tensor:
    """The inverses of matrices. LinAlgError for a singular one."""
def logdet(a: TensorLike) -> Tensor:
    """The logarithms of determinants: -inf of 0, nan of a negative one. The derivative is that of slogdet."""
def logm(a: TensorLike) -> Tensor:
    """The principal logarithms of matrices, of which `a` is the exponential. ValueError where one is not real."""
def lstsq(
    a: TensorLike, b: TensorLike, rcond: TensorLike | float | None = None, *, driver: str | None = None
) -> LstsqResult:
    """The x that makes ``|a @ x - b|`` smallest, of several the smallest one: (solution, residuals, rank, singular
    values)."""
def matmul(x: TensorLike, y: TensorLike) -> Tensor:
    """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
def matrix_norm(
    x: TensorLike, ord: float | str = 'fro', axis: int | Sequence[int] | None = (-2, -1), keepdims: bool = False, *,
    dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The norms of matrices, the last two axes or `axis`: "fro", "nuc" (the sum of the singular values), 2 and -2 (the
    largest and smallest one), 1 and -1 (the largest and smallest sum of a column's absolute values), inf and -inf (of a
    row's)."""
def matrix_power(a: TensorLike, n: int) -> Tensor:
    """Matrices to an integer power, by repeated squaring; of the inverse for a negative one."""
def matrix_rank(
    a: TensorLike, tol: TensorLike | float | None = None, hermitian: bool = False, *,
    rtol: TensorLike | float | None = None, atol: TensorLike | float | None = None
) -> Tensor:
    """How many singular values are above a tolerance, relative (`rtol`) or absolute (`tol`, `atol`); without
    derivative."""
def matrix_transpose(x: TensorLike) -> Tensor:
    """The last two axes exchanged. A view."""
def multi_dot(arrays: Sequence[Any] | Tensor, *more: TensorLike) -> Tensor:
    """The product of two or more matrices (the first and last may be vectors), in the order that takes the fewest
    operations."""
def norm(
    x: TensorLike, ord: float | str | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
    dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The norm of a vector, or of matrices, as ``np.linalg.norm``: over one axis the vectors' norm of that order, over
    two the matrices'; without an axis that of the whole tensor, with `ord` a vector or a matrix. See vector_norm and
    matrix_norm."""
def outer(x: TensorLike, y: TensorLike) -> Tensor:
    """The products of each element of `x` with each of `y`, (len(x), len(y)); tensors with more axes are taken flat."""
def pinv(
    a: TensorLike, rcond: TensorLike | float | None = None, hermitian: bool = False, *,
    rtol: TensorLike | float | None = None
) -> Tensor:
    """The pseudoinverses (Moore and Penrose) of matrices; singular values below `rtol` (or `rcond`), relative to the
    largest one, count as 0. The derivative is that of matrices whose rank doesn't change."""
@overload
def qr(a: TensorLike, mode: Literal['reduced', 'complete'] = 'reduced') -> QRResult:
    """Q with orthonormal columns and the upper triangular R with Q @ R = a: "reduced", "complete", or R alone for "r".
    The derivative needs the first columns to be independent."""
@overload
def qr(a: TensorLike, mode: Literal['r']) -> Tensor: ...
def slogdet(a: TensorLike) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its absolute value; a pair. The derivative is ``inv(a).T``, at a
    singular matrix, whose logarithm is -inf, ``pinv(a).T``."""
def solve(a: TensorLike, b: TensorLike, *, left: Number | Tensor | None = True) -> Tensor:
    """x with a @ x = b, or with left=False x @ a = b. `b` is a vector if it has one axis, otherwise matrices, as in
    NumPy; a batch of vectors, as in PyTorch, where it can be nothing else. LinAlgError for a singular matrix."""
def solve_triangular(
    a: TensorLike, b: TensorLike, trans: int | str = 0, lower: bool | None = None, unit_diagonal: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, *, upper: bool | None = None,
    left: Number | Tensor | None = True, unitriangular: bool = False
) -> Tensor:
    """x with a @ x = b for triangular matrices, of which one triangle is read."""
def sqrtm(a: TensorLike) -> Tensor:
    """The principal square roots of matrices, z @ z = a. ValueError where one is not real: for negative eigenvalues."""
@overload
def svd(
    a: TensorLike, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False
) -> SVDResult:
    """U, S, Vh with a = (U * S) @ Vh, singular values descending; with compute_uv=False, S."""
@overload
def svd(
    a: TensorLike, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> Tensor: ...
def svdvals(a: TensorLike) -> Tensor:
    """The singular values of matrices, descending."""
def tensordot(
    x: TensorLike, y: TensorLike, axes: int | Sequence[int] | Sequence[Sequence[int]] = 2, *,
    dims: int | Sequence[int] | Sequence[Sequence[int]] | None = None
) -> Tensor:
    """Sums of products over axes of both: the last `axes` of `x` with the first of `y`, or those in a pair of lists."""
def tensorinv(a: TensorLike, ind: int = 2) -> Tensor:
    """The inverse for tensordot over the first `ind` axes."""
def tensorsolve(
    a: TensorLike, b: TensorLike, axes: int | Sequence[int] | None = None, *, dims: int | Sequence[int] | None = None
) -> Tensor:
    """x with ``tensordot(a, x, x.ndim) = b``; `axes` of `a` are moved to its end first."""
def trace(x: TensorLike, offset: int = 0) -> Tensor:
    """The sums of the elements on a diagonal of matrices, the last two axes."""
def vander(x: TensorLike, *, N: int | None = None) -> Tensor:
    """The powers from 0 to N - 1 of the elements, along a new last axis; N is by default the length of the last axis,
    as PyTorch."""
def vecdot(x: TensorLike, y: TensorLike, axis: int = -1, *, dim: int | Sequence[int] | None = None) -> Tensor:
    """The products of vectors along an axis; the other axes broadcast."""
def vector_norm(
    x: TensorLike, ord: float | str = 2, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
    dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: DTypeLike | None = None
) -> Tensor:
    """The p-norms of vectors, ``sum(|x| ** ord) ** (1 / ord)``; for inf and -inf the largest and smallest absolute
    value, for 0 how many elements are not 0. Over one axis, several, or all. No intermediate result overflows; at the
    zero vector the derivative is 0, and so it is for elements that are 0."""
matrix_exp = expm
