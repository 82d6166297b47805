"""What a Tensor says of itself, and its conversions under PyTorch's and NumPy's names."""
import functools
import math

import numpy as np

from ..ops import BY_NAME
from . import conversion, structure
from .core import Tensor, float32, float64, int32, int64
from .elementwise import Size, apply, size_of
from .registry import public

method = public(function=False)


_make_size = functools.partial(Size.__new__, Size)


def _size(x):
    size = _make_size(size_of(x._shape))
    size.shape = x._shape
    return size


@public("ndimension", function=False)
def dim(x):
    """The number of axes."""
    return len(x._shape)


@public()
@public("nelement", function=False)
def numel(x):
    """The number of elements."""
    return size_of(structure.as_tensor_operand(x, "numel")._shape)


@method
def stride(x, dim=None):
    """How many elements lie in memory between neighbours along each axis, a tuple, or along one axis.

    >>> import tapegrad as tg
    >>> tg.ones(2, 3).stride(), tg.ones(2, 3).T.stride(-1)
    ((3, 1), 3)
    """
    if structure.is_contiguous(x):           # as if no axis were empty, whatever NumPy has where it doesn't matter
        strides = tuple(math.prod(max(n, 1) for n in x._shape[a + 1:]) for a in range(len(x._shape)))
    else:
        memory = structure.laid_out(x)
        strides = tuple(n // memory.itemsize for n in memory.strides)
    return strides if dim is None else strides[structure.arguments.normalize_axis(dim, len(strides))]


@method
def element_size(x):
    """The bytes of an element."""
    return x.dtype.itemsize


@method
def double(x):
    """In float64."""
    return conversion.to(x, float64)


@method
def float(x):
    """In float32."""
    return conversion.to(x, float32)


@method
def long(x):
    """In int64."""
    return conversion.to(x, int64)


@method
def int(x):
    """In int32."""
    return conversion.to(x, int32)


@method
def bool(x):
    """As bools: whether each element is not 0."""
    return conversion.to(x, np.bool_)



@method
def type_as(x, other):
    """In the dtype of another tensor."""
    return conversion.to(x, other.dtype)


@method
def astype(x, dtype, copy=True):
    """In another dtype, as NumPy names it."""
    return conversion.to(x, dtype)


@method
def cpu(x):
    """The tensor itself: tensors are nowhere else."""
    return x


@method
def to_device(x, device, /, *, stream=None):
    """The tensor itself, for the CPU; ValueError for another device, or a stream, which the CPU hasn't."""
    if str(device).split(":")[0] != "cpu" or stream is not None:
        raise ValueError(f"tapegrad computes on the CPU only, without streams; device {str(device)!r} with stream {stream!r} is "
                         "not there")
    return x


@public()
def is_floating_point(x):
    """Whether the elements are floats."""
    return structure.as_tensor_operand(x, "is_floating_point").dtype.kind == "f"


@public()
def is_complex(x):
    """Whether the elements are complex numbers: never, tensors are of real ones."""
    structure.as_tensor_operand(x, "is_complex")
    return False


@public()
def is_signed(x):
    """Whether the dtype has negative numbers."""
    return structure.as_tensor_operand(x, "is_signed").dtype.kind in "if"


@public()
def is_nonzero(x):
    """Whether a tensor with one element is not 0. An error for several, as of ``bool(x)``, and for none."""
    x = structure.as_tensor_operand(x, "is_nonzero")
    if not size_of(x._shape):
        raise ValueError(f"is_nonzero takes a tensor with one element, and the shape is {x._shape}")
    return Tensor.__bool__(x)


@public()
def is_same_size(x, other):
    """Whether the shapes are equal."""
    return structure.as_tensor_operand(x, "is_same_size")._shape == structure.as_tensor_operand(other, "is_same_size")._shape


@method
def view_as(x, other):
    """A view in the shape of another tensor."""
    return structure.view_as_shape(x, other._shape)


@method
def reshape_as(x, other):
    """The same elements in the shape of another tensor."""
    return structure.reshape(x, other._shape)


@method
def expand_as(x, other):
    """Expanded to the shape of another tensor."""
    return structure.expand(x, other._shape)


@method
def contiguous(x):
    """The tensor itself where its memory is contiguous, otherwise a copy that is."""
    return x if structure.is_contiguous(x) else apply(BY_NAME["clone"], x)


@method
def __rmatmul__(x, y):
    """y @ x."""
    return structure.matmul(y, x)


def _property(name, get, doc, put=None):
    setattr(Tensor, name, property(get, put, doc=doc))


_property("T", structure.transpose, "All axes reversed.")
_property("mT", structure.matrix_transpose, "The last two axes exchanged.")
_property("data", conversion.get_data, "The same memory without history.", conversion.set_data)
_property("device", lambda x: conversion.CPU, "Where the tensor is: cpu.")
_property("size", _size, "The number of elements; ``x.size()`` and ``x.size(dim)`` are the lengths of the axes, or of one.")
_property("ndim", lambda x: len(x._shape), "The number of axes.")
_property("itemsize", lambda x: x.dtype.itemsize, "The bytes of an element.")
_property("nbytes", lambda x: x.dtype.itemsize * size_of(x._shape), "The bytes of all elements.")
