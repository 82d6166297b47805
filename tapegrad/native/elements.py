"""What acts on arrays of variables element by element, with NumPy's rules for shapes."""
import operator

import numpy as np
from numba.core import types
from numba.core.typing.npydecl import NumpyRulesInplaceArrayOperator
from numba.extending import intrinsic
from numba.np.arrayobj import _empty_nd_impl
from numba.np.ufunc.array_exprs import RewriteArrayExprs

from .variables import NUMBERS, Active

IN_PLACE = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
            operator.itruediv: operator.truediv, operator.ipow: operator.pow, operator.ifloordiv: operator.floordiv,
            operator.imod: operator.mod}


def is_active_array(x):
    """Whether a type is that of an array whose elements carry derivatives."""
    return isinstance(x, types.Array) and isinstance(x.dtype, Active)


def is_operand(x):
    """Whether it is one that may be mixed with those."""
    return isinstance(x, (Active, *NUMBERS)) or (isinstance(x, types.Array) and isinstance(x.dtype, (Active, *NUMBERS)))


def mixes_arrays(x, y):
    """Whether there is an array among two operands, and something that carries derivatives."""
    return (is_operand(x) and is_operand(y) and any(isinstance(v, types.Array) for v in (x, y))
            and any(isinstance(v, Active) or is_active_array(v) for v in (x, y)))


def made(typingctx, kind, shape):
    """The type of an array of elements of a kind, and the code that allocates it; its last argument is the shape."""
    dimensions = len(shape) if isinstance(shape, types.BaseTuple) else 1
    result = types.Array(kind, dimensions, "C")

    def codegen(context, builder, signature, arguments):
        given = arguments[-1]
        lengths, kinds = ([builder.extract_value(given, k) for k in range(dimensions)], list(shape)) if isinstance(
            shape, types.BaseTuple) else ([given], [shape])
        lengths = [context.cast(builder, length, one, types.intp) for length, one in zip(lengths, kinds)]
        return _empty_nd_impl(context, builder, result, lengths)._getvalue()
    return result, codegen


@intrinsic
def empty_of(typingctx, like, shape):
    """An array of elements of the type of `like`, not filled."""
    result, codegen = made(typingctx, like, shape)
    return result(like, shape), codegen


@intrinsic
def element_of(typingctx, x):
    """The zero of the type of an array's elements, or of a number's own."""
    kind = x.dtype if isinstance(x, types.Array) else x

    def codegen(context, builder, signature, arguments):
        return context.get_constant_null(kind)
    return kind(x), codegen


_generic = NumpyRulesInplaceArrayOperator.generic


def _generic_of_numbers(self, args, kws):
    """Numba's rule for ``x += y`` of arrays takes for granted that NumPy knows their dtypes; of others, it has nothing to say."""
    return None if any(is_active_array(x) or isinstance(x, Active) for x in args) else _generic(self, args, kws)


NumpyRulesInplaceArrayOperator.generic = _generic_of_numbers


_match = RewriteArrayExprs._match_array_expr


def _match_of_numbers(self, instruction, expression, target):
    """Numba makes one loop of an expression of arrays. With variables it would be compiled besides the loops here, which their
    types are found by, and a variable could be no operand."""
    if not any(isinstance(x, Active) or is_active_array(x) for x in (self.typemap[v.name] for v in expression.list_vars())):
        _match(self, instruction, expression, target)


RewriteArrayExprs._match_array_expr = _match_of_numbers


def each_of_one(function, dimensions):
    if dimensions == 1:
        def vector(x):
            out = empty_of(element_of(x), len(x))
            for i in range(len(x)):
                out[i] = function(x[i])
            return out
        return vector

    def array(x):
        out = empty_of(element_of(x), x.shape)
        for i in np.ndindex(x.shape):
            out[i] = function(x[i])
        return out
    return array


def each_of_two(function, x, y, dtype=None):
    """`dtype`: of the results, where they carry no derivatives."""
    if function in IN_PLACE:
        return _in_place(IN_PLACE[function], x, y)
    arrays = [v for v in (x, y) if isinstance(v, types.Array)]
    like_first = is_active_array(x) or isinstance(x, Active)
    result = _results(dtype, like_first)
    if len(arrays) == 2:
        if x.ndim == y.ndim == 1:
            def vectors(x, y):
                n = len(y) if len(x) == 1 else len(x)
                if len(y) != n and len(y) != 1:
                    raise ValueError("operands could not be broadcast together: vectors differ in length")
                out = result(x, y, n)
                step, other = 0 if len(x) == 1 else 1, 0 if len(y) == 1 else 1
                for i in range(n):
                    out[i] = function(x[i * step], y[i * other])
                return out
            return vectors

        def both(x, y):
            shape = np.broadcast_shapes(x.shape, y.shape)
            out, a, b = result(x, y, shape), np.broadcast_to(x, shape), np.broadcast_to(y, shape)
            for i in np.ndindex(shape):
                out[i] = function(a[i], b[i])
            return out
        return both
    if isinstance(x, types.Array):
        def first(x, y):
            out = result(x, y, x.shape)
            for i in np.ndindex(x.shape):
                out[i] = function(x[i], y)
            return out
        return first

    def second(x, y):
        out = result(x, y, y.shape)
        for i in np.ndindex(y.shape):
            out[i] = function(x, y[i])
        return out
    return second


def _results(dtype, like_first):
    from .._jit import inlined
    if dtype is not None:
        return inlined(lambda x, y, shape: np.empty(shape, dtype))
    if like_first:
        return inlined(lambda x, y, shape: empty_of(element_of(x), shape))
    return inlined(lambda x, y, shape: empty_of(element_of(y), shape))


def _in_place(function, x, y):
    if not isinstance(y, types.Array):
        def by_number(x, y):
            for i in np.ndindex(x.shape):
                x[i] = function(x[i], y)
            return x
        return by_number

    def by_array(x, y):
        other = np.broadcast_to(y, x.shape)
        for i in np.ndindex(x.shape):
            x[i] = function(x[i], other[i])
        return x
    return by_array
