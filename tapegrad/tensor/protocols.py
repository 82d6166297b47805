"""Python's protocols on the Tensor: numbers, sequences, text, copies, exchange of memory."""
import operator

import numpy as np

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


@method
def __dlpack_device__(x):
    """The CPU, in DLPack's numbers."""
    return 1, 0


for _name, _function in (("__getitem__", structure.getitem), ("__setitem__", inplace.setitem),
                         ("__float__", conversion.as_number(float, "__float__")),
                         ("__int__", conversion.as_number(int, "__int__")), ("__array__", conversion.array_protocol),
                         ("__repr__", conversion.text), ("__deepcopy__", conversion.deepcopy),
                         ("__reduce_ex__", conversion.reduce), ("__dlpack__", conversion.dlpack),
                         ("__buffer__", conversion.buffer)):
    setattr(Tensor, _name, _function)
