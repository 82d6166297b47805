"""What a Tensor says of itself, and its conversions under PyTorch's and NumPy's names."""
import functools

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


@public("nelement", function=False)
def numel(x):
    """The number of elements."""
    return size_of(x._shape)


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


@method
def is_floating_point(x):
    """Whether the elements are floats."""
    return x.dtype.kind == "f"


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
