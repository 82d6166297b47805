"""NumPy's functions of whole arrays, for arrays of variables. Of arrays of numbers, they are NumPy's own."""
import inspect
import operator

import numpy as np
from numba.core import errors, types
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr
from numba.extending import lower_builtin, overload

from .._jit import inlined
from .elements import element_of, empty_of, is_active_array, is_operand
from .variables import Active, plain

_METHODS = {}                                # name -> the template of the method
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
            _METHODS[method] = _method(stub, method, inspect.signature(typed))
        return typed
    return declare


def _method(stub, name, form):
    """The template of a method that calls a function with an overload."""
    class Method(AbstractTemplate):
        key = f"tapegrad array.{name}"
        asked: set = set()

        def generic(self, arguments, keywords):
            question = self.this, arguments, tuple(keywords.items())
            if question in self.asked:       # a function of Numba's that is the method of the array: there is no other
                return None
            self.asked.add(question)
            try:
                found = self.context.resolve_value_type(stub).get_call_type(self.context, (self.this, *arguments), keywords)
            finally:
                self.asked.remove(question)
            return found.replace(pysig=form).as_method()

    @lower_builtin(Method.key, types.Array, types.VarArg(types.Any))
    def lowered(context, builder, signature, arguments):
        function = context.typing_context.resolve_value_type(stub)
        call = context.get_function(function, function.get_call_type(context.typing_context, signature.args, {}))
        context.add_linking_libs(getattr(call, "libs", ()))
        return call(builder, arguments)
    return Method


def _given(x):
    return not (x is None or isinstance(x, (types.Omitted, types.NoneType)))


@_function(np.sum, "sum")
def _sum(a, axis=None):
    if is_active_array(a) and a.ndim == 2 and _given(axis):
        def of_rows(a, axis=None):
            rows = a if axis == 0 or axis == -2 else a.T
            s = np.empty_like(rows[0])
            for j in range(len(s)):
                s[j] = element_of(a)
            for i in range(len(rows)):
                for j in range(len(s)):
                    s[j] += rows[i, j]
            return s
        return of_rows
    if not is_active_array(a) or (_given(axis) and a.ndim > 1):
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


@_function(np.median)
def _median(a):
    if not is_active_array(a):
        return lambda a: np.median(a)

    def median(a):
        ordered, n = np.sort(a.copy().reshape(-1)), a.size
        return 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2])
    return median


@_function(np.interp)
def _interp(x, xp, fp):
    if not any(isinstance(v, Active) or is_active_array(v) for v in (x, xp, fp)):
        return lambda x, xp, fp: np.interp(x, xp, fp)
    zero = inlined(next(f for v, f in ((x, lambda x, xp, fp: element_of(x)), (xp, lambda x, xp, fp: element_of(xp)),
                                       (fp, lambda x, xp, fp: element_of(fp))) if isinstance(v, Active) or is_active_array(v)))

    def at(x, xp, fp):
        n = len(xp)
        if len(fp) != n or n == 0:
            raise ValueError("np.interp: xp and fp differ in length, or are empty")
        if not x > xp[0]:
            return fp[0] + zero(x, xp, fp)
        if not x < xp[n - 1]:
            return fp[n - 1] + zero(x, xp, fp)
        j, end = 0, n - 1
        while end - j > 1:
            middle = (j + end) // 2
            if xp[middle] <= x:
                j = middle
            else:
                end = middle
        return (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j]) * (x - xp[j]) + fp[j]

    def each(x, xp, fp):
        out = empty_of(zero(x, xp, fp), x.shape)
        for i in np.ndindex(x.shape):
            out[i] = np_interp(x[i], xp, fp)
        return out
    return each if isinstance(x, types.Array) else at


np_interp = REPLACED[np.interp]


# What asks for numbers alone ------------------------------------------------------------------------------------------

@_function(np.searchsorted)
def _searchsorted(a, v, side="left"):
    if not any(isinstance(x, Active) or is_active_array(x) for x in (a, v)):
        return lambda a, v, side="left": np.searchsorted(a, v, side)
    return lambda a, v, side="left": np.searchsorted(plain_of(a), plain_of(v), side)


@_function(np.isclose)
def _isclose(a, b, rtol=1e-5, atol=1e-8):
    if not any(isinstance(x, Active) or is_active_array(x) for x in (a, b)):
        return lambda a, b, rtol=1e-5, atol=1e-8: np.isclose(a, b, rtol, atol)
    return lambda a, b, rtol=1e-5, atol=1e-8: np.isclose(plain_of(a), plain_of(b), rtol, atol)


def plain_of(x):
    """The numbers behind a number or an array."""


@overload(plain_of)
def _plain_of(x):
    if not is_active_array(x):
        return (lambda x: plain(x)) if isinstance(x, Active) else (lambda x: x)

    def numbers(x):
        out = np.empty(x.shape)
        for i in np.ndindex(x.shape):
            out[i] = plain(x[i])
        return out
    return numbers


# Methods --------------------------------------------------------------------------------------------------------------

@infer_getattr
class _Methods(AttributeTemplate):
    """Methods of arrays of variables; those of arrays of numbers, in whatever function, stay Numba's."""
    key = types.Array

    def generic_resolve(self, array, name):
        if not is_active_array(array):
            return None
        if name == "view":
            raise errors.TypingError("the memory of an array with derivatives can't be read as another dtype (view)")
        return types.BoundFunction(_METHODS[name], array) if name in _METHODS else None


def _methods_first():
    """Puts them before Numba's own, which it would find first."""
    context = cpu_target.typing_context
    context.refresh()
    context._attributes[types.Array].sort(key=lambda template: not isinstance(template, _Methods))


_methods_first()
