"""Comparison and logic: computed at once, without derivative."""
import numpy as np

from ..tape import state
from . import inplace
from .core import Tensor, decided, wrap
from .elementwise import broadcast, operand
from .registry import public
from .structure import axis_argument, normalize_axes


def _value(x, name="comparison"):
    x = operand(x, name)
    return x._array() if isinstance(x, Tensor) else x


def _compute(name, ufunc, x, other):
    x, other = operand(x, name), operand(other, name)
    if isinstance(x, Tensor) and isinstance(other, Tensor):
        broadcast(x._shape, other._shape)
    recorder = state().recorder
    with np.errstate(all="ignore"):
        if recorder is not None:
            return recorder.compare(ufunc, x, other)
        return wrap(np.asarray(ufunc(_value(x), _value(other))))


def _pairwise(name, ufunc, *aliases):
    """Declares a function of two operands."""
    def function(x, other):
        return _compute(name, ufunc, x, other)
    function.__doc__ = f"As ``np.{ufunc.__name__}``, element by element, shapes broadcast; without derivative."
    _declare(function, name, aliases)


def _single(name, ufunc, *aliases):
    """Declares a function of one operand."""
    def function(x):
        with np.errstate(all="ignore"):
            return wrap(np.asarray(decided(ufunc, operand(x, name))))
    function.__doc__ = f"As ``np.{ufunc.__name__}``, element by element; without derivative."
    _declare(function, name, aliases)


def _declare(function, name, aliases):
    function.__name__ = function.__qualname__ = name
    public(*aliases)(function)
    FUNCTIONS[name] = function


def _in_place(name, *, other=False):
    """Declares the method that writes the result, in the tensor's dtype, into the tensor."""
    function = FUNCTIONS[name]
    if other:
        def method(x, other):
            return inplace.copy_(x, function(x, other))
    else:
        def method(x):
            return inplace.copy_(x, function(x))
    method.__name__ = method.__qualname__ = name + "_"
    method.__doc__ = f"As {name}, written into the tensor."
    public(function=False)(method)


FUNCTIONS: dict = {}

_pairwise("equal_to", np.equal, "eq")
_pairwise("not_equal", np.not_equal, "ne")
_pairwise("less", np.less, "lt")
_pairwise("less_equal", np.less_equal, "le")
_pairwise("greater", np.greater, "gt")
_pairwise("greater_equal", np.greater_equal, "ge")
_pairwise("logical_and", np.logical_and)
_pairwise("logical_or", np.logical_or)
_pairwise("logical_xor", np.logical_xor)
_pairwise("bitwise_and", np.bitwise_and)
_pairwise("bitwise_or", np.bitwise_or)
_pairwise("bitwise_xor", np.bitwise_xor)
_pairwise("bitwise_left_shift", np.left_shift, "left_shift")
_pairwise("bitwise_right_shift", np.right_shift, "right_shift")
_single("logical_not", np.logical_not)
_single("bitwise_not", np.invert, "bitwise_invert", "invert")
_single("isnan", np.isnan)
_single("isinf", np.isinf)
_single("isfinite", np.isfinite)
_single("isposinf", np.isposinf)
_single("isneginf", np.isneginf)
_single("isreal", np.isreal)

for _name in ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
              "bitwise_right_shift"):
    _in_place(_name, other=True)
for _name in ("logical_not", "bitwise_not"):
    _in_place(_name)

_OPERATORS = {"eq": "equal_to", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
              "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
              "rshift": "bitwise_right_shift"}
_REFLECTED = ("and", "or", "xor", "lshift", "rshift")


def operators():
    """Name -> method, for Python's operators."""
    made = {}
    for symbol, name in _OPERATORS.items():
        made[f"__{symbol}__"] = _operator(name)
        if symbol in _REFLECTED:
            made[f"__r{symbol}__"] = _operator(name, reflected=True)
    return made


def _operator(name, reflected=False):
    """The method for an operator; leaves types that it doesn't know to Python."""
    function = FUNCTIONS[name]

    def method(x, y):
        try:
            return function(y, x) if reflected else function(x, y)
        except TypeError:
            if not isinstance(y, (Tensor, np.ndarray, np.generic, int, float, list, tuple)):
                return NotImplemented
            raise
    method.__name__ = method.__qualname__ = name
    return method


@public(function=False)
def __invert__(x):
    """~x, of integers or bools."""
    if x.dtype.kind not in "iub":
        raise TypeError(f"~ takes tensors of integers or bools, and this one is {x.dtype}")
    return FUNCTIONS["bitwise_not"](x)


@public()
def allclose(x, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements are equal within ``atol + rtol * |other|``, a bool."""
    return bool(decided(np.allclose, operand(x), operand(other), rtol=rtol, atol=atol, equal_nan=equal_nan))


@public()
def isclose(x, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Which elements are equal within ``atol + rtol * |other|``."""
    return wrap(np.asarray(decided(np.isclose, operand(x), operand(other), rtol=rtol, atol=atol, equal_nan=equal_nan)))


@public()
def equal(x, other):
    """Whether two tensors have one shape and equal elements, a bool."""
    return bool(decided(np.array_equal, operand(x), operand(other)))


@public(method=False)
def array_equal(x, other, equal_nan=False):
    """Whether two tensors have one shape and equal elements, a bool; with `equal_nan`, nan is equal to nan."""
    return bool(decided(np.array_equal, operand(x), operand(other), equal_nan=bool(equal_nan)))


@public()
def any(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Whether any element, of all or over `axis` (an axis, or several), is not 0."""
    return _over(np.any, x, axis_argument(axis, dim), keepdims or keepdim)


@public()
def all(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Whether all elements, of all or over `axis` (an axis, or several), are not 0."""
    return _over(np.all, x, axis_argument(axis, dim), keepdims or keepdim)


def _over(function, x, axis, keep):
    x = operand(x, function.__name__)
    axes = normalize_axes(axis, len(x._shape) if isinstance(x, Tensor) else 0)
    return wrap(np.asarray(decided(function, x, axis=axes, keepdims=bool(keep))))
