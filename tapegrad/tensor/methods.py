"""Puts functions on the Tensor: operators, methods, and Python's protocols. Importing this completes the class."""
import functools

from ..ops import BY_NAME, OPS
from . import (
    algebra,
    arithmetic,
    comparison,
    composed,
    conversion,
    creation,
    dispatch,
    elementwise,
    fourier,
    inplace,
    norms,
    properties,
    protocols,
    random,
    registry,
    structure,
)
from .core import Tensor
from .elementwise import binary, describe, in_place, reflected

# What is imported for what it declares
DECLARING = algebra, arithmetic, comparison, composed, fourier, norms, properties, protocols, random, structure


def _attach(name, function):
    setattr(Tensor, name, function)


# Rows of the table, and their operators ---------------------------------------------------------------------------------

FUNCTIONS = dict(elementwise.FUNCTIONS)

for _op in OPS:
    if _op.value is not None:
        for _name in (_op.name, *_op.names):
            _attach(_name, FUNCTIONS[_op.name])
            if _op.in_place:
                _attach(_name + "_", inplace.method(_op.name))

for _symbol, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("mod", "remainder"),
                       ("floordiv", "floor_divide")):
    _op = BY_NAME[_name]
    _attach(f"__{_symbol}__", binary(_op, elementwise.operator_of(_op)))
    _attach(f"__r{_symbol}__", reflected(_op))
    _attach(f"__i{_symbol}__", in_place(_op, functools.partial(inplace.update, _op)))

Tensor.__rpow__ = reflected(BY_NAME["power"])
Tensor.__neg__ = FUNCTIONS["negative"]
Tensor.__abs__ = FUNCTIONS["abs"]
for _name, _method in comparison.operators().items():
    _attach(_name, _method)


# What is declared where it is written -----------------------------------------------------------------------------------

@registry.public()
def clone(x, *, memory_format=None):
    """A copy, through which gradients flow. `memory_format` is PyTorch's; it may be given, and changes nothing."""
    return elementwise.FUNCTIONS["clone"](x)


@registry.public(function=False)
def copy(x, order="C"):
    """A copy, through which gradients flow: NumPy's spelling of `clone`. `order` may be given, and changes nothing."""
    return elementwise.FUNCTIONS["clone"](x)


@registry.public()
def logit(x, eps=None):
    """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
    return elementwise.FUNCTIONS["logit"](x if eps is None else arithmetic.clamp(x, eps, 1 - eps))


@registry.public(function=False)
def polygamma(x, n):
    """The n-th derivative of digamma."""
    return elementwise.FUNCTIONS["polygamma"](n, x)


@registry.public(function=False)
def compress(x, condition, axis=None):
    """The slices along an axis, or the elements, for which a condition holds."""
    return FUNCTIONS["compress"](condition, x, axis)


@registry.public(function=False)
def where(x, condition, y):
    """The tensor's elements where the condition holds, those of `y` elsewhere."""
    return FUNCTIONS["where"](condition, x, y)


registry.public()(conversion.detach)
registry.public(method=False)(inplace.put_along_axis)
for _method in (conversion.detach_, conversion.to, conversion.numpy, conversion.item, conversion.tolist, inplace.copy_,
                inplace.fill_, inplace.zero_, inplace.fill_diagonal_, structure.is_contiguous):
    registry.public(function=False)(_method)

Tensor.__matmul__ = structure.matmul

FUNCTIONS.update(registry.FUNCTIONS)
for _name, _function in registry.METHODS.items():
    _attach(_name, _function)
for _name in ("addmm", "addmv", "addr", "addbmm", "baddbmm", "renorm"):
    _attach(_name + "_", inplace.writing(registry.METHODS[_name]))
for _name, _function in (*creation.NEW.items(), *inplace.TWINS.items(), ("view", structure.view_as_shape),
                         ("repeat", structure.repeat_method)):
    _attach(_name, _function)


# NumPy's functions applied to tensors ---------------------------------------------------------------------------------

composed.ours.update(FUNCTIONS)
dispatch.fill(FUNCTIONS)
Tensor.__array_ufunc__, Tensor.__array_function__ = dispatch.array_ufunc, dispatch.array_function

__all__ = ["FUNCTIONS", "describe"]
