"""NumPy's functions of whole arrays, for arrays of variables. Of arrays of numbers, they are NumPy's own."""
import operator

import numpy as np
from numba.core import types
from numba.core.registry import cpu_target
from numba.extending import overload, overload_method

from .._jit import inlined
from .elements import element_of, empty_of, is_active_array, is_operand
from .variables import Active, plain

REPLACED = {}                                # NumPy's function -> the one that stands for it in a function that is made anew
OPTIONS = {"error_model": "numpy"}


def _function(original, method=None):
    """Declares what stands for a function of NumPy's, and for a method of arrays; the declared gives None for numbers alone."""
    def declare(typed):
        def stub(*operands):
            raise TypeError(f"{original.__name__} is for compiled code")
        stub.__name__ = stub.__qualname__ = original.__name__
        REPLACED[original] = stub
        overload(stub, jit_options=OPTIONS)(typed)
        if method:
            overload_method(types.Array, method, jit_options=OPTIONS)(typed)
        return typed
    return declare


def _given(x):
    return not (x is None or isinstance(x, (types.Omitted, types.NoneType)))


@_function(np.sum, "sum")
def _sum(a, axis=None):
    if not is_active_array(a) or _given(axis):
        return (lambda a, axis=None: np.sum(a, axis)) if _given(axis) else (lambda a, axis=None: np.sum(a))

    def total(a, axis=None):
        s = element_of(a)
        for x in a.flat:
            s += x
        return s

    def of_vector(a, axis=None):
        s = element_of(a)
        for i in range(len(a)):
            s += a[i]
        return s
    return of_vector if a.ndim == 1 else total


@_function(np.mean, "mean")
def _mean(a):
    return (lambda a: a.sum() / a.size) if is_active_array(a) else (lambda a: np.mean(a))


@_function(np.prod, "prod")
def _prod(a):
    if not is_active_array(a):
        return lambda a: np.prod(a)

    def product(a):
        p = element_of(a) + 1.0
        for x in a.flat:
            p *= x
        return p
    return product


@_function(np.var, "var")
def _var(a):
    if not is_active_array(a):
        return lambda a: np.var(a)

    def variance(a):
        middle, s = a.mean(), element_of(a)
        for x in a.flat:
            s += (x - middle) ** 2
        return s / a.size
    return variance


@_function(np.std, "std")
def _std(a):
    return (lambda a: np.sqrt(a.var())) if is_active_array(a) else (lambda a: np.std(a))


@_function(np.cumsum, "cumsum")
def _cumsum(a):
    return _running(a, lambda s, x: s + x, 0.0) if is_active_array(a) else (lambda a: np.cumsum(a))


@_function(np.cumprod, "cumprod")
def _cumprod(a):
    return _running(a, lambda s, x: s * x, 1.0) if is_active_array(a) else (lambda a: np.cumprod(a))


def _running(a, step, start):
    step = inlined(step)

    def running(a):
        out, s, i = empty_of(element_of(a), a.size), element_of(a) + start, 0
        for x in a.flat:
            s = step(s, x)
            out[i] = s
            i += 1
        return out
    return running


@_function(np.dot, "dot")
def _dot(a, b):
    return _product(a, b) or (lambda a, b: np.dot(a, b))


@overload(operator.matmul, jit_options=OPTIONS)
def _matmul(a, b):
    return _product(a, b)


def _product(a, b):
    """The loops of a product of which one side carries derivatives; None for others."""
    if not (any(map(is_active_array, (a, b))) and all(isinstance(v, types.Array) and is_operand(v) for v in (a, b))):
        return None
    zero = inlined((lambda a, b: element_of(a)) if is_active_array(a) else (lambda a, b: element_of(b)))

    def vectors(a, b):
        if len(a) != len(b):
            raise ValueError("incompatible array sizes for a product")
        s = zero(a, b)
        for i in range(len(a)):
            s += a[i] * b[i]
        return s

    def matrix_vector(a, b):
        out = empty_of(zero(a, b), a.shape[0])
        for i in range(len(out)):
            out[i] = np_dot(a[i], b)
        return out

    def vector_matrix(a, b):
        out = empty_of(zero(a, b), b.shape[1])
        for j in range(len(out)):
            out[j] = np_dot(a, b[:, j])
        return out

    def matrices(a, b):
        out = empty_of(zero(a, b), (a.shape[0], b.shape[1]))
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                out[i, j] = np_dot(a[i], b[:, j])
        return out
    return {(1, 1): vectors, (2, 1): matrix_vector, (1, 2): vector_matrix, (2, 2): matrices}.get((a.ndim, b.ndim))


np_dot = REPLACED[np.dot]


@_function(np.linalg.norm)
def _norm(x):
    if not is_active_array(x):
        return lambda x: np.linalg.norm(x)

    def norm(x):
        scale, s = 0.0, element_of(x)
        for v in x.flat:
            scale = max(scale, abs(plain(v)))
        if scale == 0.0:                     # where the norm has no derivative it is 0, as in the table
            return s
        for v in x.flat:
            s += (v / scale) ** 2
        return scale * np.sqrt(s)
    return norm


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


@_function(np.where)
def _where(condition, x=None, y=None):
    if not _given(x):
        return lambda condition, x=None, y=None: np.where(condition)
    if not any(isinstance(v, Active) or is_active_array(v) for v in (x, y)):
        return lambda condition, x=None, y=None: np.where(condition, x, y)
    if not isinstance(condition, types.Array) and not any(isinstance(v, types.Array) for v in (x, y)):
        return lambda condition, x=None, y=None: x if condition else y
    zero = inlined((lambda x, y: element_of(x)) if is_active_array(x) or isinstance(x, Active) else (
        lambda x, y: element_of(y)))

    def chosen(condition, x=None, y=None):
        shape = np.broadcast_shapes(shape_of(condition), shape_of(x), shape_of(y))
        out, c, a, b = empty_of(zero(x, y), shape), spread(condition, shape), spread(x, shape), spread(y, shape)
        for i in np.ndindex(shape):
            out[i] = element(a, i) if element(c, i) else element(b, i)
        return out
    return chosen


def shape_of(x):
    """() for a number"""


def spread(x, shape):
    """A number as it is, an array broadcast"""


def element(x, i):
    """A number itself, or an array's element"""


@overload(shape_of)
def _shape_of(x):
    return (lambda x: x.shape) if isinstance(x, types.Array) else (lambda x: ())


@overload(spread)
def _spread(x, shape):
    return (lambda x, shape: np.broadcast_to(x, shape)) if isinstance(x, types.Array) else (lambda x, shape: x)


@overload(element)
def _element(x, i):
    return (lambda x, i: x[i]) if isinstance(x, types.Array) else (lambda x, i: x)


@_function(np.clip)
def _clip(a, a_min, a_max):
    if not any(isinstance(v, Active) or is_active_array(v) for v in (a, a_min, a_max)):
        return lambda a, a_min, a_max: np.clip(a, a_min, a_max)
    if isinstance(a, types.Array) or isinstance(a_min, types.Array) or isinstance(a_max, types.Array):
        return lambda a, a_min, a_max: np_where((a > a_max) | (a_max < a_min), a_max, np_where(a < a_min, a_min, a))
    # One of the operands, as the table's row has it at and beyond the bounds
    return lambda a, a_min, a_max: a_max if a > a_max or a_max < a_min else a_min if a < a_min else a


np_where = REPLACED[np.where]


@_function(np.linspace)
def _linspace(start, stop, num=50):
    if not any(isinstance(v, Active) for v in (start, stop)):
        return lambda start, stop, num=50: np.linspace(start, stop, num)
    zero = inlined((lambda x, y: element_of(x)) if isinstance(start, Active) else (lambda x, y: element_of(y)))

    def points(start, stop, num=50):
        out = empty_of(zero(start, stop), num)
        for i in range(num):
            out[i] = start + (stop - start) * (i / max(num - 1, 1))
        return out
    return points


def _methods_first():
    """Puts the methods declared here before Numba's own of these names, which it would find first."""
    context = cpu_target.typing_context
    context.refresh()
    own = [t for t in context._attributes[types.Array] if t.__module__ == __name__ or getattr(
        getattr(t, "_overload_func", None), "__module__", "") == __name__]
    context._attributes[types.Array].sort(key=lambda t: t not in own)


_methods_first()
