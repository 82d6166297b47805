"""Arrays of variables: Numba's own, of elements that are variables or duals; NumPy's functions that make them or reduce them.

In a function that is made anew, ``np.zeros`` and its kin give arrays that may hold variables, where they would give arrays of
floats. All that Numba does with arrays whatever their elements (indices, slices, views, assignments) is then as ever.
"""
from functools import cache

import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from .elements import made
from .linear import REPLACED
from .operations import is_number
from .variables import Active


def _is_real(dtype):
    """Whether a dtype, as the type of an argument, is one of floats."""
    if isinstance(dtype, types.Omitted):
        dtype = dtype.value
    if dtype is float or dtype is None or isinstance(dtype, types.NoneType):
        return True
    if isinstance(dtype, types.Function):
        return dtype.typing_key is float
    if isinstance(dtype, types.StringLiteral):
        return np.dtype(dtype.literal_value).kind == "f"
    return isinstance(getattr(dtype, "dtype", None), (types.Float, Active))


def _element(x):
    """The type of the elements of an array, or of nested lists and tuples."""
    while isinstance(x, (types.List, types.Array, types.UniTuple)):
        x = x.dtype
    return x


@cache
def constructors(kind):
    """By NumPy's functions: what stands for them where elements are of that kind."""
    @intrinsic
    def empty_array(typingctx, shape):
        result, codegen = made(typingctx, kind, shape)
        return result(shape), codegen

    def empty(shape, dtype=float):
        """np.empty"""

    @overload(empty)
    def _empty(shape, dtype=float):
        if _is_real(dtype):
            return lambda shape, dtype=float: empty_array(shape)
        return lambda shape, dtype=float: np.empty(shape, dtype)

    def full(shape, fill_value, dtype=None):
        """np.full"""

    @overload(full)
    def _full(shape, fill_value, dtype=None):
        if isinstance(dtype, (types.Omitted, types.NoneType)) or dtype is None:
            if not isinstance(fill_value, (types.Float, Active)):
                return lambda shape, fill_value, dtype=None: np.full(shape, fill_value)
        elif not _is_real(dtype):
            return lambda shape, fill_value, dtype=None: np.full(shape, fill_value, dtype)

        def filled(shape, fill_value, dtype=None):
            out = empty_array(shape)
            flat = out.reshape(-1)
            for i in range(len(flat)):
                flat[i] = fill_value
            return out
        return filled

    def zeros(shape, dtype=float):
        """np.zeros"""

    @overload(zeros)
    def _zeros(shape, dtype=float):
        if _is_real(dtype):
            return lambda shape, dtype=float: full(shape, 0.0)
        return lambda shape, dtype=float: np.zeros(shape, dtype)

    def ones(shape, dtype=float):
        """np.ones"""

    @overload(ones)
    def _ones(shape, dtype=float):
        if _is_real(dtype):
            return lambda shape, dtype=float: full(shape, 1.0)
        return lambda shape, dtype=float: np.ones(shape, dtype)

    def empty_like(prototype, dtype=None):
        """np.empty_like"""

    def zeros_like(a, dtype=None):
        """np.zeros_like"""

    def ones_like(a, dtype=None):
        """np.ones_like"""

    def like(x, dtype):
        """Whether an array like another one is of this kind; of numbers, NumPy's own is made."""
        if not isinstance(x, types.Array):
            return False
        given = not (isinstance(dtype, (types.Omitted, types.NoneType)) or dtype is None)
        return _is_real(dtype) if given else isinstance(x.dtype, (types.Float, Active))

    @overload(empty_like)
    def _empty_like(prototype, dtype=None):
        if like(prototype, dtype):
            return lambda prototype, dtype=None: empty_array(prototype.shape)
        return lambda prototype, dtype=None: np.empty_like(prototype, dtype)

    @overload(zeros_like)
    def _zeros_like(a, dtype=None):
        if like(a, dtype):
            return lambda a, dtype=None: full(a.shape, 0.0)
        return lambda a, dtype=None: np.zeros_like(a, dtype)

    @overload(ones_like)
    def _ones_like(a, dtype=None):
        if like(a, dtype):
            return lambda a, dtype=None: full(a.shape, 1.0)
        return lambda a, dtype=None: np.ones_like(a, dtype)

    def full_like(a, fill_value, dtype=None):
        """np.full_like"""

    @overload(full_like)
    def _full_like(a, fill_value, dtype=None):
        if like(a, dtype):
            return lambda a, fill_value, dtype=None: full(a.shape, 1.0 * fill_value)
        return lambda a, fill_value, dtype=None: np.full_like(a, fill_value, dtype)

    def array(object, dtype=None):
        """np.array"""

    @overload(array)
    def _array(object, dtype=None):
        given = not (isinstance(dtype, (types.Omitted, types.NoneType)) or dtype is None)
        if given and not _is_real(dtype):
            return lambda object, dtype=None: np.array(object, dtype)
        if isinstance(object, types.Array):
            if given or isinstance(object.dtype, (types.Float, Active)):
                return lambda object, dtype=None: copied(object)
            return lambda object, dtype=None: np.array(object)
        mixed = isinstance(object, types.Tuple) and all(isinstance(x, Active) or is_number(x) for x in object)
        if mixed:
            if not given and not any(isinstance(x, (Active, types.Float)) for x in object):
                return lambda object, dtype=None: np.array(object)
            n = len(object)
            return lambda object, dtype=None: _from_tuple(object, empty_array(n))
        if not given and not isinstance(_element(object), (types.Float, Active)):
            return lambda object, dtype=None: np.array(object)
        inside = object.dtype if isinstance(object, (types.List, types.UniTuple)) else None
        if isinstance(inside, (types.List, types.UniTuple)):
            def matrix(object, dtype=None):
                out = empty_array((len(object), len(object[0])))
                for i in range(len(object)):
                    if len(object[i]) != out.shape[1]:
                        raise ValueError("np.array: the rows differ in length")
                    for j in range(out.shape[1]):
                        out[i, j] = object[i][j]
                return out
            return matrix
        if inside is not None:
            def vector(object, dtype=None):
                out = empty_array(len(object))
                for i in range(len(object)):
                    out[i] = object[i]
                return out
            return vector
        return None

    def copied(a):
        """np.copy, and np.ascontiguousarray"""

    @overload(copied)
    def _copied(a):
        if not isinstance(a, types.Array) or not isinstance(a.dtype, (types.Float, Active)):
            return lambda a: np.copy(a)

        def copy(a):
            out = empty_array(a.shape)
            flat, i = out.reshape(-1), 0
            for x in a.flat:
                flat[i] = x
                i += 1
            return out
        return copy

    return {**REPLACED, np.empty: empty, np.zeros: zeros, np.ones: ones, np.full: full, np.empty_like: empty_like,
            np.zeros_like: zeros_like, np.ones_like: ones_like, np.full_like: full_like, np.array: array, np.asarray: array,
            np.copy: copied, np.ascontiguousarray: copied}


@intrinsic
def _stored(typingctx, values, out):
    """Puts the elements of a tuple, of any types, into an array."""
    def codegen(context, builder, signature, arguments):
        given, array = arguments
        data = make_array(out)(context, builder, array).data
        for k, kind in enumerate(values):
            element = context.cast(builder, builder.extract_value(given, k), kind, out.dtype)
            context.pack_value(builder, out.dtype, element, builder.gep(data, [context.get_constant(types.intp, k)]))
        return context.get_dummy_value()
    return types.void(values, out), codegen


def _from_tuple(values, out):
    """An array filled with a tuple's elements."""


@overload(_from_tuple)
def _ol_from_tuple(values, out):
    def filled(values, out):
        _stored(values, out)
        return out
    return filled
