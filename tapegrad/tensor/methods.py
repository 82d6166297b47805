"""Puts functions on the Tensor: operators, methods, and Python's protocols. Importing this completes the class."""
import functools

from ..ops import BY_NAME, OPS
from . import arithmetic, comparison, conversion, dispatch, elementwise, inplace, properties, protocols, registry, structure
from .core import Tensor
from .elementwise import binary, describe, in_place, reflected

DECLARING = arithmetic, comparison, properties, protocols, structure     # what is imported for what it declares


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

def clone(x, **_):
    """A copy, through which gradients flow."""
    return elementwise.FUNCTIONS["clone"](x)


registry.public()(clone)
registry.public()(conversion.detach)
for _method in (conversion.detach_, conversion.to, conversion.numpy, conversion.item, conversion.tolist, inplace.copy_,
                inplace.fill_, inplace.zero_, structure.is_contiguous):
    registry.public(function=False)(_method)

Tensor.__matmul__ = structure.matmul


@registry.public()
def ravel(x):
    """The elements in one row, a view where they lie so in memory."""
    return structure.reshape(x, -1)


@registry.public(method=False)
def expand_dims(x, axis=0):
    """With a new axis of length 1 at `axis`. A view."""
    return structure.unsqueeze(x, axis)


@registry.public(function=False)
def unflatten(x, dim, sizes):
    """One axis taken apart into several."""
    axis = structure.normalize_axis(dim, len(x._shape))
    return structure.reshape(x, *x._shape[:axis], *sizes, *x._shape[axis + 1:])


FUNCTIONS.update(registry.FUNCTIONS)
for _name, _function in registry.METHODS.items():
    _attach(_name, _function)
Tensor.view = structure.view_as_shape


# NumPy's functions applied to tensors ---------------------------------------------------------------------------------

dispatch.fill(FUNCTIONS)
Tensor.__array_ufunc__, Tensor.__array_function__ = dispatch.array_ufunc, dispatch.array_function

__all__ = ["FUNCTIONS", "describe"]
