"""What compiled code can do with variables, made from the rows of the op table: values, partials and conventions are the rows'.

An operator, NumPy's function, or math's, gets an overload for operands of which some carry derivatives. The row's rules
are compiled for the values of the operands, be they numbers or duals: so a rule also gives its own derivative.
"""
import math
import operator
import types as python_types
from functools import cache

import numpy as np
from numba.core import errors, types
from numba.extending import overload

from .._jit import inlined
from ..kernels import scalar
from ..ops.table import SPELLED, rebind
from .elements import IN_PLACE, each_of_one, each_of_two, is_active_array, mixes_arrays
from .variables import NUMBERS, Active, Dual, Variable, chained, combined, plain, value_of, with_type_of

# As everywhere here, a division by 0 gives inf or nan. What acts on numbers is put in place of its calls, loops are not
ARRAYS = {"error_model": "numpy"}
OPTIONS = {**ARRAYS, "forceinline": True}

_OPERATORS = {"add": (operator.add, operator.iadd), "subtract": (operator.sub, operator.isub),
              "multiply": (operator.mul, operator.imul), "divide": (operator.truediv, operator.itruediv),
              "power": (operator.pow, operator.ipow, pow), "floor_divide": (operator.floordiv, operator.ifloordiv),
              "remainder": (operator.mod, operator.imod), "negative": (operator.neg,), "abs": (abs, math.fabs, np.fabs)}


# Rules for values -----------------------------------------------------------------------------------------------------

class _Functions(python_types.ModuleType):
    """What ``np`` means in a rule here: the functions that users' own code calls, so that values are theirs to the last bit."""

    def __getattr__(self, name):
        return PLAIN[name] if name in PLAIN else own(name) if name in SPELLED else scalar.__getattr__(name)


PLAIN = {"erf": math.erf, "erfc": math.erfc, **{function.__name__: function for function in (
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan,
    np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.cbrt, np.power, np.arctan2, np.hypot, np.sqrt, np.sign,
    np.floor, np.ceil, np.trunc, np.rint, np.maximum, np.minimum, np.fmax, np.fmin, np.fmod, np.remainder, np.copysign,
    np.square)}, "abs": np.abs}
_FUNCTIONS = _Functions("functions")


@cache
def own(name):
    """What stands in rules for a row that neither NumPy nor math has a function for in compiled code."""
    def called(*operands):
        raise TypeError(f"{name} is for compiled code")
    called.__name__ = called.__qualname__ = name
    _declare(called, SPELLED[name], scalar.__getattr__(name))
    return called


def rule(expression):
    """The compiled form of a row's expression, for numbers and for duals."""
    scalar.requirements(expression)
    return inlined(rebind(expression, np=_FUNCTIONS))


def is_number(x):
    return isinstance(x, NUMBERS)


# Operations from rows -------------------------------------------------------------------------------------------------

@cache
def _unary(row):
    value, partial = rule(row.value), rule(row.partials[0])

    def operation(x):
        a = value_of(x)
        z = with_type_of(value(a), a)
        return chained(z, x, with_type_of(partial(1.0, a, z), z))
    return operation


@cache
def _binary(row, first, second):
    """By which operands carry derivatives."""
    value = rule(row.value)
    by_x, by_y = (rule(p) if there and p is not None else None for p, there in zip(row.partials, (first, second)))
    if first and second:
        def operation(x, y):
            a, b = value_of(x), value_of(y)
            z = with_type_of(value(a, b), a)
            return combined(z, x, with_type_of(by_x(1.0, a, b, z), z), y, with_type_of(by_y(1.0, a, b, z), z))
    elif first:
        def operation(x, y):
            a, b = value_of(x), 1.0 * y
            z = with_type_of(value(a, b), a)
            return chained(z, x, with_type_of(by_x(1.0, a, b, z), z))
    else:
        def operation(x, y):
            a, b = 1.0 * x, value_of(y)
            z = with_type_of(value(a, b), b)
            return chained(z, y, with_type_of(by_y(1.0, a, b, z), z))
    return operation


@cache
def _whole_power(n):
    """x^n for a constant whole number n, by multiplications, as Numba has it for numbers."""
    m = n - 1

    def operation(x, y):
        a = value_of(x)
        z = a ** n
        return chained(z, x, with_type_of(n * a ** m, z))
    return operation


def _allowed(row, operands):
    for k, x in enumerate(operands):
        if isinstance(x, Active) and (k in row.refused or row.partials[k] is None):
            raise errors.TypingError(f"{row.name} can't be differentiated by operand {k + 1}: "
                                     f"{row.refused.get(k, 'it has no derivative')}")


def _is_large(x):
    """Whether operations on a type are much code, to be called instead of put in place."""
    return isinstance(x, Variable) and isinstance(x.inner, Dual)


def _declare(key, row, plain=None):
    """Overloads `key` for the row; `plain` is what computes it on numbers, where `key` itself can't."""
    for large, options in ((False, OPTIONS), (True, ARRAYS)):
        _declare_for(key, row, None if large else plain, large, options)


def _declare_for(key, row, plain, large, options):
    if row.arity == 1:
        @overload(key, jit_options=options)
        def typed(x):
            if _is_large(x) != large:
                return None
            if isinstance(x, Active):
                _allowed(row, [x])
                return _unary(row)
            if plain is not None and is_number(x):
                return lambda x: plain(x)
            return None
    elif row.arity == 2:
        @overload(key, jit_options=options, prefer_literal=row.name == "power")
        def typed(x, y):
            if (_is_large(x) or _is_large(y)) != large:
                return None
            there = [isinstance(v, Active) for v in (x, y)]
            if any(there) and all(a or is_number(v) for a, v in zip(there, (x, y))):
                _allowed(row, [x, y])
                if row.name == "power" and isinstance(y, types.IntegerLiteral) and 1 <= abs(y.literal_value) <= 64:
                    return _whole_power(y.literal_value)
                return _binary(row, *there)
            if plain is not None and is_number(x) and is_number(y):
                return lambda x, y: plain(x, y)
            return None


def _declare_arrays(key, arity, dtype=None):
    """Overloads `key` for arrays, element by element; `dtype`: of results that carry no derivatives."""
    if arity == 1:
        @overload(key, jit_options=ARRAYS)
        def typed(x):
            return each_of_one(key, x) if is_active_array(x) else None
    else:
        @overload(key, jit_options=ARRAYS)
        def typed(x, y):
            return each_of_two(key, x, y, dtype) if mixes_arrays(x, y) and (key not in IN_PLACE or is_active_array(x)) else None


def _keys(row):
    """The functions that users call it by."""
    found = [*_OPERATORS.get(row.name, ())]
    for module in (np, math):
        for name in (row.name, *row.names):
            function = getattr(module, name, None)
            if callable(function) and function not in found:
                found.append(function)
    return found


_INTEGRAL = {math.floor, math.ceil, math.trunc}      # whole numbers, as Python has them
for _row in dict.fromkeys(SPELLED.values()):
    if _row.arity <= 2:
        for _key in _keys(_row):
            if _key not in _INTEGRAL:
                _declare(_key, _row)
                _declare_arrays(_key, _row.arity)


# What has no derivative -----------------------------------------------------------------------------------------------

def _compare(function):
    @overload(function)
    def compared(x, y):
        if any(isinstance(v, Active) for v in (x, y)) and all(isinstance(v, Active) or is_number(v) for v in (x, y)):
            return lambda x, y: function(plain(x), plain(y))
        return None


def _of_value(function):
    @overload(function)
    def computed(x):
        return (lambda x: function(plain(x))) if isinstance(x, Active) else None


for _function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
    _compare(_function)
    _declare_arrays(_function, 2, np.bool_)
for _function in (bool, int, *_INTEGRAL, math.isnan, math.isinf, math.isfinite, np.isnan, np.isinf, np.isfinite, np.signbit):
    _of_value(_function)


@overload(float)
@overload(operator.pos)
@overload(np.positive)
def _same(x):
    return (lambda x: x) if isinstance(x, Active) else None


# Python's own, which give one of their operands
def _choice(function, better):
    @overload(function)
    def chosen(x, y, w=None):
        given = [v for v in (x, y, w) if not isinstance(v, types.Omitted) and v is not None]
        if not (any(isinstance(v, Active) for v in given) and all(isinstance(v, Active) or is_number(v) for v in given)):
            return None
        if len(given) == 2:
            return lambda x, y, w=None: y if better(y, x) else x
        return lambda x, y, w=None: function(function(x, y), w)


_choice(max, operator.gt)
_choice(min, operator.lt)


@overload(round)
def _round(number, ndigits=None):
    if not isinstance(number, Active):
        return None
    if isinstance(ndigits, (types.Omitted, types.NoneType)) or ndigits is None:
        return lambda number, ndigits=None: round(plain(number))
    return lambda number, ndigits=None: round(plain(number), ndigits)


@overload(divmod)
def _divmod(x, y):
    if any(isinstance(v, Active) for v in (x, y)) and all(isinstance(v, Active) or is_number(v) for v in (x, y)):
        return lambda x, y: (x // y, x % y)
    return None
