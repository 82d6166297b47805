"""Puts functions on the Tensor: operators, methods, and Python's protocols. Importing this completes the class."""
import functools
import operator
import sys

import numpy as np

from ..ops import BY_NAME, OPS
from . import comparison, conversion, elementwise, inplace, registry, structure
from .core import Tensor, float32, float64, int32, int64
from .elementwise import apply, binary, describe, in_place, reflected


def _attach(name, function):
    setattr(Tensor, name, function)


# Elementwise operations ------------------------------------------------------------------------------------------------

FUNCTIONS = elementwise.functions()
_reflections = {}

for _op in OPS:
    if _op.value is None:
        continue
    for _name in (_op.name, *_op.names):
        _attach(_name, FUNCTIONS[_op.name])
        if _op.in_place:
            _update = functools.partial(inplace.update, _op)
            if _op.arity == 2:
                _method = in_place(_op, _update)
            else:
                def _method(x, _update=_update):
                    return _update(x)
            _method.__doc__ = f"As {_op.name}, written into the tensor."
            _attach(_name + "_", _method)

for _symbol, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide")):
    _op = BY_NAME[_name]
    _attach(f"__{_symbol}__", binary(_op, elementwise._operator(_op)))
    _attach(f"__r{_symbol}__", reflected(_op))
    _attach(f"__i{_symbol}__", in_place(_op, functools.partial(inplace.update, _op)))

for _symbol, _name in (("eq", "equal_to"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                       ("ge", "greater_equal"), ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor")):
    _attach(f"__{_symbol}__", comparison.operator_of(_name))
for _symbol, _name in (("rand", "bitwise_and"), ("ror", "bitwise_or"), ("rxor", "bitwise_xor")):
    _attach(f"__{_symbol}__", comparison.operator_of(_name))

Tensor.__neg__ = FUNCTIONS["negative"]
Tensor.__abs__ = FUNCTIONS["abs"]
Tensor.__pos__ = lambda x: x


def _invert(x):
    if x.dtype.kind not in "iub":
        raise TypeError(f"~ takes tensors of integers or bools, and this one is {x.dtype}")
    return elementwise.wrap(np.asarray(~x._array()))


Tensor.__invert__ = _invert


# Powers ---------------------------------------------------------------------------------------------------------------

_power = binary(BY_NAME["power"], elementwise._operator(BY_NAME["power"]))


def power(x, y):
    """x to the power y, elementwise; x ** 2 is a square, as in NumPy."""
    if type(y) in (int, float) and y == 2 and isinstance(x, Tensor):
        return FUNCTIONS["square"](x)
    if type(y) is int and y < 0 and isinstance(x, Tensor) and x.dtype.kind in "iu":
        raise RuntimeError(f"integers to a negative integer power, here {y}, are not integers; convert the tensor with .double()")
    return _power(x, y)


def power_(x, y):
    """As power, written into the tensor."""
    if type(y) in (int, float) and y == 2:
        return inplace.update(BY_NAME["square"], x)
    return inplace.update(BY_NAME["power"], x, y)


FUNCTIONS["power"] = FUNCTIONS["pow"] = Tensor.pow = Tensor.power = Tensor.__pow__ = power
Tensor.__ipow__ = Tensor.pow_ = Tensor.power_ = power_
Tensor.__rpow__ = reflected(BY_NAME["power"])


# PyTorch's arguments of some functions -----------------------------------------------------------------------------------

def clamp(x, min=None, max=None):
    """Each element within [min, max]: numbers, tensors or None. Where min is above max, max."""
    if min is None and max is None:
        raise ValueError("clamp needs min, max or both")
    lower = -np.inf if min is None else min
    upper = np.inf if max is None else max
    x = structure.as_tensor_operand(x, "clamp")
    if x.dtype.kind in "iu" and all(isinstance(v, (int, type(None))) for v in (min, max)):
        return elementwise.wrap(np.asarray(np.clip(x._array(), min, max)))
    return apply(BY_NAME["clip"], x, lower, upper)


def clamp_(x, min=None, max=None):
    """As clamp, written into the tensor."""
    if min is None and max is None:
        raise ValueError("clamp_ needs min, max or both")
    return inplace.update(BY_NAME["clip"], x, -np.inf if min is None else min, np.inf if max is None else max)


def where(condition, x=None, y=None):
    """`x` where the condition holds, `y` elsewhere, shapes broadcast. With a condition alone, the indices where it holds."""
    if x is None and y is None:
        condition = structure.as_tensor_operand(condition, "where")
        return tuple(elementwise.wrap(i) for i in np.nonzero(condition._array()))
    return apply(BY_NAME["where"], condition, x, y)


_logit = FUNCTIONS["logit"]


def logit(x, eps=None):
    """log(x / (1 - x)); with `eps`, of x within [eps, 1 - eps]."""
    return _logit(x if eps is None else clamp(x, eps, 1 - eps))


def _polygamma(x, n):
    """The n-th derivative of digamma."""
    return FUNCTIONS["polygamma"](n, x)


FUNCTIONS["logit"] = Tensor.logit = logit
Tensor.polygamma = _polygamma


def add(x, y, *, alpha=1):
    """x + alpha * y."""
    return FUNCTIONS["_add"](x, y if alpha == 1 else alpha * y)


def subtract(x, y, *, alpha=1):
    """x - alpha * y."""
    return FUNCTIONS["_subtract"](x, y if alpha == 1 else alpha * y)


FUNCTIONS["_add"], FUNCTIONS["_subtract"] = FUNCTIONS["add"], FUNCTIONS["subtract"]
_add_, _sub_ = Tensor.add_, Tensor.sub_
Tensor.add = FUNCTIONS["add"] = add
Tensor.sub = Tensor.subtract = FUNCTIONS["sub"] = FUNCTIONS["subtract"] = subtract
Tensor.add_ = lambda x, y, *, alpha=1: _add_(x, y if alpha == 1 else alpha * y)
Tensor.sub_ = Tensor.subtract_ = lambda x, y, *, alpha=1: _sub_(x, y if alpha == 1 else alpha * y)
FUNCTIONS["clamp"] = FUNCTIONS["clip"] = Tensor.clamp = Tensor.clip = clamp
Tensor.clamp_ = Tensor.clip_ = clamp_
FUNCTIONS["where"] = where
Tensor.where = lambda x, condition, y: where(condition, x, y)


# Structure -------------------------------------------------------------------------------------------------------------

FUNCTIONS.update(registry.FUNCTIONS)
for _name, _function in registry.METHODS.items():
    _attach(_name, _function)
Tensor.view = structure.view_as_shape
Tensor.view_as = lambda x, other: structure.view_as_shape(x, other._shape)
Tensor.reshape_as = lambda x, other: structure.reshape(x, other._shape)
Tensor.expand_as = lambda x, other: structure.expand(x, other._shape)
Tensor.ravel = lambda x: structure.reshape(x, -1)
Tensor.T = property(structure.transpose, doc="All axes reversed.")
Tensor.mT = property(structure.matrix_transpose, doc="The last two axes exchanged.")
Tensor.__matmul__ = structure.matmul
Tensor.__rmatmul__ = lambda x, y: structure.matmul(y, x)
FUNCTIONS["ravel"] = Tensor.ravel


def expand_dims(x, axis=0):
    """With a new axis of length 1 at `axis`. A view."""
    return structure.unsqueeze(x, axis)


FUNCTIONS["expand_dims"] = expand_dims

FUNCTIONS.update(comparison.FUNCTIONS)
for _name, _function in comparison.FUNCTIONS.items():
    _attach(_name, _function)
for _name in ("allclose", "isclose", "equal", "any", "all"):
    FUNCTIONS[_name] = getattr(comparison, _name)
    _attach(_name, FUNCTIONS[_name])


# State and conversion -----------------------------------------------------------------------------------------------------

for _name in ("detach", "detach_", "to", "numpy", "item", "tolist"):
    _attach(_name, getattr(conversion, _name))
for _name in ("copy_", "fill_", "zero_"):
    _attach(_name, getattr(inplace, _name))
FUNCTIONS["detach"] = conversion.detach

Tensor.data = property(conversion.get_data, conversion.set_data, doc="The same memory without history.")
Tensor.device = property(lambda x: conversion.CPU, doc="Where the tensor is: cpu.")
Tensor.ndim = property(lambda x: len(x._shape), doc="The number of axes.")
Tensor.dim = Tensor.ndimension = lambda x: len(x._shape)
Tensor.numel = Tensor.nelement = lambda x: elementwise.size_of(x._shape)
Tensor.element_size = lambda x: x.dtype.itemsize
Tensor.itemsize = property(lambda x: x.dtype.itemsize)
Tensor.nbytes = property(lambda x: x.dtype.itemsize * elementwise.size_of(x._shape))
Tensor.size = lambda x, dim=None: x._shape if dim is None else x._shape[structure.normalize_axis(dim, len(x._shape))]
Tensor.double = lambda x: conversion.to(x, float64)
Tensor.float = lambda x: conversion.to(x, float32)
Tensor.long = lambda x: conversion.to(x, int64)
Tensor.int = lambda x: conversion.to(x, int32)
Tensor.bool = lambda x: conversion.to(x, np.bool_)
Tensor.type_as = lambda x, other: conversion.to(x, other.dtype)
Tensor.astype = lambda x, dtype: conversion.to(x, dtype)
Tensor.cpu = lambda x: x
Tensor.is_floating_point = lambda x: x.dtype.kind == "f"
Tensor.is_contiguous = structure.is_contiguous


def contiguous(x):
    """The tensor itself where its memory is contiguous, otherwise a copy that is."""
    return x if structure.is_contiguous(x) else FUNCTIONS["clone"](x)


def clone(x, **_):
    """A copy, through which gradients flow."""
    return _clone(x)


_clone = FUNCTIONS["clone"]
FUNCTIONS["clone"] = Tensor.clone = clone
Tensor.contiguous = contiguous
Tensor.unflatten = lambda x, dim, sizes: structure.reshape(
    x, *x._shape[:structure.normalize_axis(dim, len(x._shape))], *sizes,
    *x._shape[structure.normalize_axis(dim, len(x._shape)) + 1:])


# Python's protocols ---------------------------------------------------------------------------------------------------------

Tensor.__getitem__ = structure.getitem
Tensor.__setitem__ = inplace.setitem
Tensor.__float__ = conversion.as_number(float, "__float__")
Tensor.__int__ = conversion.as_number(int, "__int__")
Tensor.__array__ = conversion.array_protocol
Tensor.__repr__ = conversion.text
Tensor.__deepcopy__ = conversion.deepcopy
Tensor.__reduce_ex__ = conversion.reduce


def _bool(x):
    if elementwise.size_of(x._shape) != 1:
        raise RuntimeError(f"the truth of a tensor with {elementwise.size_of(x._shape)} elements is ambiguous; use any() or "
                           "all()")
    return bool(conversion.item(x))


def _index(x):
    if x.dtype.kind not in "iub" or elementwise.size_of(x._shape) != 1:
        raise TypeError(f"only a tensor of one integer can be an index, and this one has dtype {x.dtype} and shape {x._shape}")
    return operator.index(int(conversion.item(x)))


def _len(x):
    if not x._shape:
        raise TypeError("a 0-d tensor, without axes, has no length")
    return x._shape[0]


def _format(x, spec):
    if not x._shape:
        return format(conversion.item(x), spec)
    if spec:
        raise TypeError(f"a tensor of shape {x._shape} can't be formatted as {spec!r}; only one without axes can")
    return repr(x)


def _contains(x, value):
    return bool(np.any(x._array() == (value._array() if isinstance(value, Tensor) else value)))


Tensor.__bool__, Tensor.__index__, Tensor.__len__, Tensor.__format__ = _bool, _index, _len, _format
Tensor.__iter__ = lambda x: iter(structure.unbind(x))
Tensor.__contains__ = _contains
Tensor.__dlpack__ = lambda x, **keywords: conversion.numpy(x).__dlpack__(**keywords)
Tensor.__dlpack_device__ = lambda x: (1, 0)


# NumPy's functions applied to tensors ------------------------------------------------------------------------------------------

_BY_UFUNC = {np.equal: comparison.FUNCTIONS["equal_to"], np.matmul: structure.matmul, np.absolute: FUNCTIONS["abs"]}
for _name, _function in FUNCTIONS.items():
    _ufunc = getattr(np, _name, None)
    if isinstance(_ufunc, np.ufunc):
        _BY_UFUNC.setdefault(_ufunc, _function)
_BY_FUNCTION = {getattr(np, _name): _function for _name, _function in FUNCTIONS.items()
                if callable(getattr(np, _name, None)) and not isinstance(getattr(np, _name), (np.ufunc, type))}
for _name, _function in (("shape", lambda x: x._shape), ("ndim", lambda x: len(x._shape)),
                         ("size", lambda x: elementwise.size_of(x._shape)), ("copy", clone)):
    _BY_FUNCTION[getattr(np, _name)] = _function
_BY_FUNCTION.update(registry.BY_NUMPY)


# SciPy's by name: they are looked at only where one is called, and so is there
_OF_SCIPY = {_name: FUNCTIONS[_op.name] for _op in OPS if _op.reference.startswith("scipy.special.")
             for _name in (_op.reference.rpartition(".")[2], *_op.names)}


def _of_scipy(ufunc):
    """The function for one of SciPy's ufuncs, or None."""
    special = sys.modules.get("scipy.special")
    if special is not None and getattr(special, ufunc.__name__, None) is ufunc:
        return _OF_SCIPY.get(ufunc.__name__)
    return None


def _array_ufunc(x, ufunc, method, *inputs, out=None, where=True, **keywords):
    function = _BY_UFUNC.get(ufunc) or _of_scipy(ufunc)
    if method != "__call__" or function is None:
        raise TypeError(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method} is not there for tensors; use "
                        "x.detach().numpy() where no derivative is needed")
    if where is not True or keywords:
        raise TypeError(f"np.{ufunc.__name__} on tensors takes no where= and no {', '.join(keywords) or 'other arguments'}; use "
                        "tapegrad.where")
    result = function(*inputs)
    if out is None:
        return result
    target = out[0]
    if isinstance(target, Tensor):
        return inplace.copy_(target, result)
    if elementwise.tracked(result):
        raise TypeError(f"np.{ufunc.__name__} can't write a result that requires grad into an array, where its history would be "
                        "lost; leave out= away, or assign to a tensor")
    np.copyto(target, result._array(), casting="same_kind")
    return target


def _array_function(x, function, types, arguments, keywords):
    implementation = _BY_FUNCTION.get(function)
    if implementation is None:
        raise TypeError(f"np.{function.__name__} is not there for tensors; use a function of tapegrad, or x.detach().numpy() "
                        "where no derivative is needed")
    return implementation(*arguments, **keywords)


Tensor.__array_ufunc__ = _array_ufunc
Tensor.__array_function__ = _array_function

__all__ = ["FUNCTIONS", "describe"]
