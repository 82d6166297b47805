"""NumPy's linear algebra for small matrices of variables, by elimination. Of arrays of numbers, it is NumPy's own."""
import numpy as np
from numba.extending import overload

from .._jit import inlined
from .elements import element_of, empty_of, is_active_array
from .reductions import REPLACED, _function
from .variables import plain


@_function(np.linalg.solve)
def _solve(a, b):
    if not any(map(is_active_array, (a, b))):
        return lambda a, b: np.linalg.solve(a, b)
    zero = inlined((lambda a, b: element_of(a)) if is_active_array(a) else (lambda a, b: element_of(b)))

    def solution(a, b):
        """Gauss's elimination with partial pivoting, on copies."""
        n = len(a)
        m = empty_of(zero(a, b), (n, n))
        m[:] = a
        x = empty_of(zero(a, b), b.shape)
        x[:] = b
        rows = x.reshape(n, b.size // n)
        for k in range(n):
            p = k
            for i in range(k + 1, n):
                if abs(plain(m[i, k])) > abs(plain(m[p, k])):
                    p = i
            if plain(m[p, k]) == 0.0:
                raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
            if p != k:
                for j in range(n):
                    m[k, j], m[p, j] = m[p, j], m[k, j]
                for j in range(rows.shape[1]):
                    rows[k, j], rows[p, j] = rows[p, j], rows[k, j]
            for i in range(k + 1, n):
                q = m[i, k] / m[k, k]
                for j in range(k + 1, n):
                    m[i, j] -= q * m[k, j]
                for j in range(rows.shape[1]):
                    rows[i, j] -= q * rows[k, j]
        for k in range(n - 1, -1, -1):
            for j in range(rows.shape[1]):
                for i in range(k + 1, n):
                    rows[k, j] -= m[k, i] * rows[i, j]
                rows[k, j] /= m[k, k]
        return x
    return solution


@_function(np.linalg.inv)
def _inv(a):
    if not is_active_array(a):
        return lambda a: np.linalg.inv(a)
    return lambda a: np_solve(a, np.eye(len(a)))


np_solve = REPLACED[np.linalg.solve]


def eliminated(m):
    """Brings a matrix to its upper triangle by Gauss's elimination; gives the sign of the exchanges, 0 for a singular one."""


@overload(eliminated)
def _eliminated(m):
    def eliminate(m):
        n, sign = len(m), 1.0
        for k in range(n):
            p = k
            for i in range(k + 1, n):
                if abs(plain(m[i, k])) > abs(plain(m[p, k])):
                    p = i
            if plain(m[p, k]) == 0.0:
                return 0.0
            if p != k:
                sign = -sign
                for j in range(n):
                    m[k, j], m[p, j] = m[p, j], m[k, j]
            for i in range(k + 1, n):
                q = m[i, k] / m[k, k]
                for j in range(k + 1, n):
                    m[i, j] -= q * m[k, j]
        return sign
    return eliminate


@_function(np.linalg.det)
def _det(a):
    if not is_active_array(a):
        return lambda a: np.linalg.det(a)

    def determinant(a):
        m = a.copy()
        product = eliminated(m) + element_of(a)
        if plain(product) == 0.0 and len(m) > 1:
            raise np.linalg.LinAlgError("the derivative of the determinant of a singular matrix is not known here")
        for k in range(len(m)):
            product *= m[k, k]
        return product
    return determinant


@_function(np.linalg.slogdet)
def _slogdet(a):
    if not is_active_array(a):
        return lambda a: np.linalg.slogdet(a)

    def logarithm(a):
        m = a.copy()
        sign, total = eliminated(m), element_of(a)
        if sign == 0.0:
            return 0.0, total - np.inf
        for k in range(len(m)):
            if plain(m[k, k]) < 0.0:
                sign = -sign
            total += np.log(abs(m[k, k]))
        return sign, total
    return logarithm


@_function(np.linalg.cholesky)
def _cholesky(a):
    if not is_active_array(a):
        return lambda a: np.linalg.cholesky(a)

    def factor(a):
        """Of the lower triangle, the one that NumPy reads."""
        n = len(a)
        out = empty_of(element_of(a), (n, n))
        for i in range(n):
            for j in range(n):
                out[i, j] = 0.0
        for j in range(n):
            s = a[j, j]
            for k in range(j):
                s -= out[j, k] * out[j, k]
            if not plain(s) > 0.0:
                raise np.linalg.LinAlgError("Matrix is not positive definite.")
            out[j, j] = np.sqrt(s)
            for i in range(j + 1, n):
                s = a[i, j]
                for k in range(j):
                    s -= out[i, k] * out[j, k]
                out[i, j] = s / out[j, j]
        return out
    return factor


@_function(np.trace)
def _trace(a):
    if not is_active_array(a):
        return lambda a: np.trace(a)

    def trace(a):
        s = element_of(a)
        for k in range(min(a.shape)):
            s += a[k, k]
        return s
    return trace
