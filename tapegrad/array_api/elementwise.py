"""Functions element by element. Where the derivative is wanted tapegrad's operation is recorded; otherwise NumPy computes."""
import numpy as np

from ..tensor.core import Tensor, wrap
from ..tensor.elementwise import broadcast, describe
from ..tensor.methods import FUNCTIONS
from ..tensor.structure import recording
from .dtypes import ANY, BOOL, FLOATING, INTEGER, INTEGER_OR_BOOL, NUMERIC, check, check_dtype, common
from .inspection import check_device

# name: the dtypes that it takes, NumPy's function; ours, for the derivative, has the same name
_UNARY = {
    "abs": (NUMERIC, np.abs), "acos": (FLOATING, np.arccos), "acosh": (FLOATING, np.arccosh), "asin": (FLOATING, np.arcsin),
    "asinh": (FLOATING, np.arcsinh), "atan": (FLOATING, np.arctan), "atanh": (FLOATING, np.arctanh),
    "bitwise_invert": (INTEGER_OR_BOOL, np.invert), "ceil": (NUMERIC, np.ceil), "cos": (FLOATING, np.cos),
    "cosh": (FLOATING, np.cosh), "exp": (FLOATING, np.exp), "expm1": (FLOATING, np.expm1), "floor": (NUMERIC, np.floor),
    "isfinite": (NUMERIC, np.isfinite), "isinf": (NUMERIC, np.isinf), "isnan": (NUMERIC, np.isnan), "log": (FLOATING, np.log),
    "log10": (FLOATING, np.log10), "log1p": (FLOATING, np.log1p), "log2": (FLOATING, np.log2),
    "logical_not": (BOOL, np.logical_not), "negative": (NUMERIC, np.negative), "positive": (NUMERIC, np.positive),
    "reciprocal": (FLOATING, np.reciprocal), "round": (NUMERIC, np.rint), "sign": (NUMERIC, np.sign),
    "signbit": (FLOATING, np.signbit), "sin": (FLOATING, np.sin), "sinh": (FLOATING, np.sinh), "sqrt": (FLOATING, np.sqrt),
    "square": (NUMERIC, np.square), "tan": (FLOATING, np.tan), "tanh": (FLOATING, np.tanh), "trunc": (NUMERIC, np.trunc),
}
_BINARY = {
    "add": (NUMERIC, np.add), "atan2": (FLOATING, np.arctan2), "bitwise_and": (INTEGER_OR_BOOL, np.bitwise_and),
    "bitwise_or": (INTEGER_OR_BOOL, np.bitwise_or), "bitwise_xor": (INTEGER_OR_BOOL, np.bitwise_xor),
    "bitwise_left_shift": (INTEGER, np.left_shift), "bitwise_right_shift": (INTEGER, np.right_shift),
    "copysign": (FLOATING, np.copysign), "divide": (FLOATING, np.divide), "equal": (ANY, np.equal),
    "floor_divide": (NUMERIC, np.floor_divide), "greater": (NUMERIC, np.greater), "greater_equal": (NUMERIC, np.greater_equal),
    "hypot": (FLOATING, np.hypot), "less": (NUMERIC, np.less), "less_equal": (NUMERIC, np.less_equal),
    "logaddexp": (FLOATING, np.logaddexp), "logical_and": (BOOL, np.logical_and), "logical_or": (BOOL, np.logical_or),
    "logical_xor": (BOOL, np.logical_xor), "maximum": (NUMERIC, np.maximum), "minimum": (NUMERIC, np.minimum),
    "multiply": (NUMERIC, np.multiply), "nextafter": (FLOATING, np.nextafter), "not_equal": (ANY, np.not_equal),
    "pow": (NUMERIC, np.power), "remainder": (NUMERIC, np.remainder), "subtract": (NUMERIC, np.subtract),
}
_WITHOUT_DERIVATIVE = {"bitwise_invert", "isfinite", "isinf", "isnan", "logical_not", "signbit", "bitwise_and", "bitwise_or",
                       "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "equal", "greater", "greater_equal", "less",
                       "less_equal", "logical_and", "logical_or", "logical_xor", "not_equal"}
_ROUNDING = {"ceil", "floor", "round", "trunc"}         # of integers, themselves


def _unary(name, kinds, theirs):
    def function(x, /):
        check(name, kinds, x)
        if name not in _WITHOUT_DERIVATIVE and recording(x):
            return FUNCTIONS[name](x)
        if name in _ROUNDING and x.dtype.kind != "f":
            return FUNCTIONS["clone"](x)
        with np.errstate(all="ignore"):
            return wrap(np.asarray(theirs(x._array())))
    return _named(function, name, theirs)


def _binary(name, kinds, theirs):
    def function(x1, x2, /):
        if not (type(x1) is Tensor and type(x2) is Tensor and x1.dtype is x2.dtype and x1.dtype.kind in kinds):
            x1, x2 = common(name, kinds, x1, x2)
        broadcast(x1.shape, x2.shape)
        if name not in _WITHOUT_DERIVATIVE and recording(x1, x2):
            if name not in FUNCTIONS:
                raise RuntimeError(f"{name} has no derivative, and a tensor that it is given requires grad; use x.detach()")
            return FUNCTIONS[name](x1, x2)
        with np.errstate(all="ignore"):
            return wrap(np.asarray(theirs(x1._array(), x2._array())))
    return _named(function, name, theirs)


def _named(function, name, theirs):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As ``np.{theirs.__name__}``, element by element."
    return function


FUNCTIONS_BY_NAME = {**{name: _unary(name, *row) for name, row in _UNARY.items()},
                     **{name: _binary(name, *row) for name, row in _BINARY.items()}}
globals().update(FUNCTIONS_BY_NAME)


def conj(x, /):
    """The complex conjugate: of real numbers, themselves."""
    check("conj", NUMERIC, x)
    return FUNCTIONS["clone"](x)


def real(x, /):
    """The real part: of real numbers, themselves."""
    check("real", NUMERIC, x)
    return FUNCTIONS["clone"](x)


def imag(x, /):
    """The imaginary part: of real numbers, 0."""
    check("imag", NUMERIC, x)
    return wrap(np.zeros(x.shape, x.dtype))


def clip(x, /, min=None, max=None):
    """Each element within bounds, in the dtype of `x`; a bound is a number, a tensor, or None for none."""
    check("clip", NUMERIC, x)
    low, high = _bound(x, min), _bound(x, max)
    if low is high is None:
        return FUNCTIONS["clone"](x)
    x = x if low is None else FUNCTIONS_BY_NAME["maximum"](x, low)           # the lower bound first, as in NumPy
    return x if high is None else FUNCTIONS_BY_NAME["minimum"](x, high)


def _bound(x, bound):
    """A bound of clip in the dtype of `x`. TypeError for what is no number or tensor of its kind."""
    if bound is None:
        return None
    dtype = bound.dtype if isinstance(bound, Tensor) else np.asarray(bound).dtype
    if not isinstance(bound, (Tensor, int, float)) or dtype.kind not in NUMERIC:
        raise TypeError(f"the bounds of clip are numbers, tensors or None, not {describe(bound)}")
    floats = dtype.kind == "f", x.dtype.kind == "f"
    if floats == (True, False) or (isinstance(bound, Tensor) and floats == (False, True)):
        raise TypeError(f"the bounds of a tensor of dtype {x.dtype} can't be {dtype}; convert one of them")
    if isinstance(bound, Tensor):
        return astype(bound, x.dtype, copy=False)
    if x.dtype.kind != "f":                  # a bound outside of the dtype bounds nothing
        info = np.iinfo(x.dtype)
        bound = int(np.clip(bound, info.min, info.max))
    return wrap(np.asarray(bound, x.dtype))


def where(condition, x1, x2, /):
    """`x1` where a tensor of bools is True, `x2` elsewhere."""
    check("where", BOOL, condition)
    x1, x2 = common("where", ANY, x1, x2)
    broadcast(broadcast(condition.shape, x1.shape), x2.shape)
    if recording(x1, x2):
        return FUNCTIONS["where"](condition, x1, x2)
    return wrap(np.where(condition._array(), x1._array(), x2._array()))


def astype(x, dtype, /, *, copy=True, device=None):
    """In another dtype; itself, with copy=False, where it has it already. Between floating dtypes it has a derivative."""
    check("astype", ANY, x)
    check_device(device)
    if dtype is None:
        raise TypeError("astype needs a dtype")
    with np.errstate(all="ignore"):
        return x.to(check_dtype(dtype), copy=copy)


__all__ = sorted([*_UNARY, *_BINARY, "astype", "clip", "conj", "imag", "real", "where"])  # noqa: PLE0605 - strings
