"""Python's protocols on the Tensor: numbers, sequences, text, copies, exchange of memory."""
import importlib
import operator

import numpy as np

from .._jit import refuse_argument
from . import conversion, inplace, structure
from .core import Tensor
from .elementwise import size_of
from .registry import public

method = public(function=False)


@method
def __bool__(x):
    """The truth of a tensor with one element. RuntimeError where there are more."""
    if size_of(x._shape) != 1:
        raise RuntimeError(f"the truth of a tensor with {size_of(x._shape)} elements is ambiguous; use any() or all()")
    return bool(conversion.item(x))


@method
def __index__(x):
    """A tensor of one integer as an index."""
    if x.dtype.kind not in "iub" or size_of(x._shape) != 1:
        raise TypeError(f"only a tensor of one integer can be an index, and this one has dtype {x.dtype} and shape {x._shape}")
    return operator.index(int(conversion.item(x)))


@method
def __complex__(x):
    """A tensor of one number as a complex one."""
    return complex(conversion.item(x))


@method
def __len__(x):
    """The length of the first axis."""
    if not x._shape:
        raise TypeError("a 0-d tensor, without axes, has no length")
    return x._shape[0]


@method
def __iter__(x):
    """Over the slices along the first axis."""
    return iter(structure.unbind(x))


@method
def __contains__(x, value):
    """Whether an element is equal to `value`."""
    return bool(np.any(x._array() == (value._array() if isinstance(value, Tensor) else value)))


@method
def __format__(x, spec):
    """The format of a number, for a tensor without axes."""
    if not x._shape:
        return format(conversion.item(x), spec)
    if spec:
        raise TypeError(f"a tensor of shape {x._shape} can't be formatted as {spec!r}; only one without axes can")
    return repr(x)


STANDARD = ("2021.12", "2022.12", "2023.12", "2024.12")


@method
def __array_namespace__(x, /, *, api_version=None):
    """The functions of the array API standard, `tapegrad.array_api`. ValueError for a version that it doesn't follow."""
    if api_version is not None and api_version not in STANDARD:
        raise ValueError(f"the array API standard is followed in its versions {', '.join(STANDARD)}, not {api_version!r}")
    return importlib.import_module("tapegrad.array_api")          # it is made of what is here, and loaded for those who ask


@method
def __dlpack_device__(x):
    """The CPU, in DLPack's numbers."""
    return 1, 0


def _in_place(symbol):
    """``x &= y`` and the like: writes into the tensor what the operator gives, which has to have its shape and dtype."""
    def method(x, y):
        z = getattr(x, f"__{symbol}__")(y)
        if z is NotImplemented:
            return z
        if z.dtype != x.dtype:
            raise TypeError(f"__i{symbol}__ gives {z.dtype}, which can't be written into a tensor of {x.dtype}; convert the "
                            "tensor first, with .to()")
        if z._shape != x._shape:
            raise ValueError(f"__i{symbol}__ gives the shape {z._shape}, which can't be written into a tensor of shape "
                             f"{x._shape}")
        return inplace.copy_(x, z)
    method.__name__ = method.__qualname__ = f"__i{symbol}__"
    method.__doc__ = f"As __{symbol}__, written into the tensor."
    return method


for _symbol in ("and", "or", "xor", "lshift", "rshift"):
    method(_in_place(_symbol))

for _name, _function in (("__getitem__", structure.getitem), ("__setitem__", inplace.setitem),
                         ("__float__", conversion.as_number(float, "__float__")),
                         ("__int__", conversion.as_number(int, "__int__")), ("__array__", conversion.array_protocol),
                         ("__repr__", conversion.text), ("__deepcopy__", conversion.deepcopy),
                         ("__reduce_ex__", conversion.reduce), ("__dlpack__", conversion.dlpack),
                         ("__buffer__", conversion.buffer)):
    setattr(Tensor, _name, _function)

refuse_argument(Tensor, "compiled functions take no Tensor. tapegrad.call(function, x, ...) calls one with Tensors, and "
                        "derivatives go through it; function(x.detach().numpy()) computes without them")
