"""Comparison and logic: computed at once, without derivative."""
import numpy as np

from .core import Tensor, wrap
from .elementwise import broadcast, operand


def _value(x):
    return x._array() if isinstance(x, Tensor) else x


def _function(name, ufunc, arity=2):
    def function(*operands):
        if len(operands) != arity:
            raise TypeError(f"{name} takes {arity} operands, not {len(operands)}")
        operands = [operand(x, name) for x in operands]
        shapes = [x._shape for x in operands if isinstance(x, Tensor)]
        if len(shapes) == 2:
            broadcast(*shapes)
        with np.errstate(all="ignore"):
            return wrap(np.asarray(ufunc(*map(_value, operands))))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As ``np.{ufunc.__name__}``, element by element."
    return function


_ROWS = {"equal_to": (np.equal, "eq"), "not_equal": (np.not_equal, "ne"), "less": (np.less, "lt"),
         "less_equal": (np.less_equal, "le"), "greater": (np.greater, "gt"), "greater_equal": (np.greater_equal, "ge"),
         "logical_and": (np.logical_and, None), "logical_or": (np.logical_or, None),
         "logical_xor": (np.logical_xor, None), "bitwise_and": (np.bitwise_and, None),
         "bitwise_or": (np.bitwise_or, None), "bitwise_xor": (np.bitwise_xor, None)}

FUNCTIONS = {}
for _name, (_ufunc, _short) in _ROWS.items():
    FUNCTIONS[_name] = _function(_name, _ufunc)
    if _short:
        FUNCTIONS[_short] = FUNCTIONS[_name]
for _name in ("logical_not", "isnan", "isinf", "isfinite"):
    FUNCTIONS[_name] = _function(_name, getattr(np, _name), 1)


def operator_of(name):
    """The method for an operator; leaves types that it doesn't know to Python."""
    function = FUNCTIONS[name]

    def method(x, y):
        try:
            return function(x, y)
        except TypeError:
            if not isinstance(y, (Tensor, np.ndarray, np.generic, int, float, list, tuple)):
                return NotImplemented
            raise
    return method


def allclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are equal within ``atol + rtol * |y|``, a bool."""
    return bool(np.allclose(_value(operand(x)), _value(operand(y)), rtol, atol, equal_nan))


def isclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Which elements are equal within ``atol + rtol * |y|``."""
    return wrap(np.asarray(np.isclose(_value(operand(x)), _value(operand(y)), rtol, atol, equal_nan)))


def equal(x, y):
    """Whether two tensors have one shape and equal elements, a bool."""
    return bool(np.array_equal(_value(operand(x)), _value(operand(y))))


def _axes(axis, dim):
    axis = axis if dim is None else dim
    return tuple(axis) if isinstance(axis, list) else axis


def any(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Whether any element, of all or along an axis, is not 0."""
    return wrap(np.asarray(np.any(_value(operand(x)), axis=_axes(axis, dim), keepdims=bool(keepdims or keepdim))))


def all(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Whether all elements, of all or along an axis, are not 0."""
    return wrap(np.asarray(np.all(_value(operand(x)), axis=_axes(axis, dim), keepdims=bool(keepdims or keepdim))))
