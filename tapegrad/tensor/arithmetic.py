"""Functions of arithmetic whose arguments say more than the operands of a row, and those that are made of several rows."""
import numpy as np

from ..ops import BY_NAME
from . import inplace
from .conversion import get_default_dtype, to
from .core import FLOATS, Tensor, float64, tracked, wrap
from .elementwise import FUNCTIONS as ROWS
from .elementwise import apply, binary, describe, operand, operator_of
from .registry import public
from .structure import as_tensor_operand


def floating(x, name="operation"):
    """As a tensor of floats: integers and bools become the default dtype."""
    x = as_tensor_operand(x, name)
    return x if x.dtype in FLOATS else to(x, get_default_dtype())


# Sums and powers ------------------------------------------------------------------------------------------------------

@public()
def add(x, other, *, alpha=1):
    """x + alpha * other."""
    return ROWS["add"](x, other if alpha == 1 else ROWS["multiply"](other, alpha))


@public("sub")
def subtract(x, other, *, alpha=1):
    """x - alpha * other."""
    return ROWS["subtract"](x, other if alpha == 1 else ROWS["multiply"](other, alpha))


@public(function=False)
def add_(x, other, *, alpha=1):
    """As add, written into the tensor."""
    return inplace.method("add")(x, other if alpha == 1 else ROWS["multiply"](other, alpha))


@public("subtract_", function=False)
def sub_(x, other, *, alpha=1):
    """As subtract, written into the tensor."""
    return inplace.method("subtract")(x, other if alpha == 1 else ROWS["multiply"](other, alpha))


@public("true_divide", "div")
def divide(x, other, *, rounding_mode=None):
    """x / other; `rounding_mode` "trunc" or "floor" rounds the quotient to a whole number, and then the derivative is 0."""
    if rounding_mode is None:
        return ROWS["divide"](x, other)
    if rounding_mode == "floor":
        return ROWS["floor_divide"](x, other)
    if rounding_mode != "trunc":
        raise ValueError(f"the rounding_mode of a division is None, 'trunc' or 'floor', not {rounding_mode!r}")
    x, other = operand(x, "divide"), operand(other, "divide")
    whole = all(np.result_type(v.dtype if isinstance(v, Tensor) else type(v)).kind in "iub" for v in (x, other))
    quotient = ROWS["trunc"](ROWS["divide"](x, other))
    return wrap(quotient._array().astype(np.int64)) if whole else quotient


_power = binary(BY_NAME["power"], operator_of(BY_NAME["power"]))


@public("pow", "__pow__")
def power(x, exponent):
    """x to the power `exponent`, elementwise; x ** 2 is a square, as in NumPy. Integers to integers are integers.

    RuntimeError for integers to a negative integer power.
    """
    if isinstance(x, Tensor):
        if type(exponent) in (int, float) and exponent == 2 and x.dtype != bool:
            return ROWS["square"](x)
        if type(exponent) is int and exponent < 0 and x.dtype.kind in "iu":
            raise _negative_power(exponent)
    try:
        return _power(x, exponent)
    except ValueError as error:
        if "negative integer power" in str(error):
            raise _negative_power(exponent) from None
        raise


def _negative_power(exponent):
    return RuntimeError(f"integers to a negative integer power, here {describe(exponent)}, are not integers; convert the tensor "
                        "with .double()")


@public("power_", "__ipow__", function=False)
def pow_(x, exponent):
    """As power, written into the tensor."""
    if type(exponent) in (int, float) and exponent == 2:
        return inplace.update(BY_NAME["square"], x)
    return inplace.update(BY_NAME["power"], x, exponent)


@public()
def float_power(x, exponent):
    """x to the power `exponent` in float64, whatever the dtypes are."""
    x, exponent = (to(as_tensor_operand(v, "float_power"), float64) for v in (x, exponent))
    return power(x, exponent)


@public(method=False)
def divmod(x, other):
    """The floored quotient and the remainder, a pair; the remainder has the sign of the divisor."""
    return ROWS["floor_divide"](x, other), ROWS["remainder"](x, other)


@public(function=False)
def __divmod__(x, other):
    """divmod(x, other)."""
    return divmod(x, other)


@public(function=False)
def __rdivmod__(x, other):
    """divmod(other, x)."""
    return divmod(other, x)


@public()
def ldexp(x, exponent):
    """x * 2**exponent, exactly for whole exponents, also where 2**exponent alone would overflow."""
    x, exponent = as_tensor_operand(x, "ldexp"), as_tensor_operand(exponent, "ldexp")
    if exponent.dtype in FLOATS:
        return ROWS["multiply"](x, ROWS["power"](2.0, exponent))
    half = exponent._array().astype(np.int64) // 2
    with np.errstate(all="ignore"):
        factors = [np.ldexp(1.0, n).astype(x.dtype if x.dtype in FLOATS else float64)
                   for n in (half, exponent._array() - half)]
    return ROWS["multiply"](ROWS["multiply"](x, factors[0]), factors[1])


@public()
def lerp(x, end, weight):
    """x + weight * (end - x): `x` at weight 0, `end` at weight 1."""
    return ROWS["lerp"](x, end, weight)


@public(function=False)
def ldexp_(x, exponent):
    """As ldexp, written into the tensor."""
    return inplace.map_(x, lambda old: ldexp(old, exponent), "ldexp_", exponent)


@public()
def addcmul(x, tensor1, tensor2, *, value=1):
    """x + value * tensor1 * tensor2."""
    return ROWS["fma"](tensor1 if value == 1 else ROWS["multiply"](tensor1, value), tensor2, x)


@public()
def addcdiv(x, tensor1, tensor2, *, value=1):
    """x + value * tensor1 / tensor2."""
    quotient = ROWS["divide"](tensor1, tensor2)
    return ROWS["add"](x, quotient if value == 1 else ROWS["multiply"](quotient, value))


@public(function=False)
def addcmul_(x, tensor1, tensor2, *, value=1):
    """As addcmul, written into the tensor."""
    return inplace.method("add")(x, ROWS["multiply"](tensor1 if value == 1 else ROWS["multiply"](tensor1, value), tensor2))


@public(function=False)
def addcdiv_(x, tensor1, tensor2, *, value=1):
    """As addcdiv, written into the tensor."""
    quotient = ROWS["divide"](tensor1, tensor2)
    return inplace.method("add")(x, quotient if value == 1 else ROWS["multiply"](quotient, value))


# Signs and rounding ---------------------------------------------------------------------------------------------------

@public("__pos__")
def positive(x):
    """The tensor itself."""
    return as_tensor_operand(x, "positive")


@public(method=False)
def fabs(x):
    """The absolute value, as a float. Derivative: 0 at 0."""
    return ROWS["abs"](floating(x, "fabs"))


@public("around")
def round(x, decimals=0):
    """To the nearest number with so many decimals, a half to the even one, as NumPy. Derivative: 0 everywhere."""
    x = as_tensor_operand(x, "round")
    if x.dtype not in FLOATS:
        return wrap(np.asarray(np.round(x._array(), decimals)))
    if decimals == 0:
        return ROWS["round"](x)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return ROWS["divide"](ROWS["round"](ROWS["multiply"](x, scale)), scale)
    return ROWS["multiply"](ROWS["round"](ROWS["divide"](x, scale)), scale)


@public()
def frac(x):
    """x - trunc(x): what is behind the point, with the sign of x. Derivative: 1 everywhere."""
    x = floating(x, "frac")
    return ROWS["subtract"](x, ROWS["trunc"](x))


@public(function=False)
def frac_(x):
    """As frac, written into the tensor."""
    return inplace.map_(x, frac, "frac_")


@public(function=False)
def round_(x, decimals=0):
    """As round, written into the tensor."""
    return inplace.map_(x, lambda old: round(old, decimals), "round_")


@public(function=False)
def __round__(x, ndigits=None):
    """round(x, ndigits), a tensor."""
    return round(x, ndigits or 0)


@public(function=False)
def __trunc__(x):
    """math.trunc of a tensor with one element, an int."""
    return int(x)


@public()
def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    """With `nan` for nan, and for inf and -inf what is given, or else the largest and smallest finite numbers.

    The derivative is 0 where an element was replaced.
    """
    x = as_tensor_operand(x, "nan_to_num")
    nan = 0.0 if nan is None else nan
    if x.dtype not in FLOATS:
        return ROWS["clone"](x)
    replaced = np.nan_to_num(x._array(), nan=nan, posinf=posinf, neginf=neginf)
    if not tracked(x):
        return wrap(np.asarray(replaced))
    return apply(BY_NAME["where"], np.isfinite(x._array()), x, replaced)


@public(function=False)
def nan_to_num_(x, nan=0.0, posinf=None, neginf=None):
    """As nan_to_num, written into the tensor."""
    return inplace.map_(x, lambda old: nan_to_num(old, nan, posinf, neginf), "nan_to_num_")


@public(function=False, method=False, numpy=np.nan_to_num)
def numpy_nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """`nan_to_num` with NumPy's arguments."""
    if not copy:
        raise TypeError("np.nan_to_num of tensors makes a copy; leave copy=False away")
    return nan_to_num(x, nan, posinf, neginf)


@public()
def signbit(x):
    """Whether the sign is negative, that of -0.0 too; bools."""
    return wrap(np.asarray(np.signbit(as_tensor_operand(x, "signbit")._array())))


# Bounds and choice ----------------------------------------------------------------------------------------------------

@public("clip")
def clamp(x, min=None, max=None, *, a_min=None, a_max=None):
    """Each element within [min, max]: numbers, tensors or None. Where min is above max, max.

    The derivative is 1 within, and at both bounds. `a_min` and `a_max` are NumPy's names.
    """
    min, max = _bounds("clamp", min, max, a_min, a_max)
    x = as_tensor_operand(x, "clamp")
    if x.dtype.kind in "iu" and all(v is None or isinstance(v, int) or (isinstance(v, Tensor) and v.dtype.kind in "iu")
                                    for v in (min, max)):
        lower, upper = (v._array() if isinstance(v, Tensor) else v for v in (min, max))
        return wrap(np.asarray(np.clip(x._array(), lower, upper)))
    return apply(BY_NAME["clip"], x, -np.inf if min is None else min, np.inf if max is None else max)


@public("clip_", function=False)
def clamp_(x, min=None, max=None):
    """As clamp, written into the tensor."""
    min, max = _bounds("clamp_", min, max)
    if x.dtype.kind in "iu":
        return inplace.map_(x, lambda old: clamp(old, min, max), "clamp_", min, max)
    return inplace.update(BY_NAME["clip"], x, -np.inf if min is None else min, np.inf if max is None else max)


def _bounds(name, min, max, a_min=None, a_max=None):
    min, max = (None if v is np._NoValue else v for v in (a_min if min is None else min, a_max if max is None else max))
    if min is None and max is None:
        raise ValueError(f"{name} needs min, max or both")
    return min, max


@public()
def clamp_min(x, min):
    """Each element, or `min` where that is larger."""
    return clamp(x, min)


@public()
def clamp_max(x, max):
    """Each element, or `max` where that is smaller."""
    return clamp(x, None, max)


@public(function=False)
def clamp_min_(x, min):
    """As clamp_min, written into the tensor."""
    return clamp_(x, min)


@public(function=False)
def clamp_max_(x, max):
    """As clamp_max, written into the tensor."""
    return clamp_(x, None, max)


@public(method=False)
def where(condition, x=None, y=None):
    """`x` where the condition holds, `y` elsewhere, shapes broadcast. With a condition alone, the indices where it holds."""
    if x is None and y is None:
        condition = as_tensor_operand(condition, "where")
        return tuple(wrap(i) for i in np.nonzero(np.atleast_1d(condition._array())))
    return apply(BY_NAME["where"], condition, x, y)
