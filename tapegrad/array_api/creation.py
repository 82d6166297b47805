"""Functions that make tensors."""
import numpy as np

from ..tensor import creation
from ..tensor.conversion import get_default_dtype, to
from ..tensor.core import Tensor, wrap
from ..tensor.elementwise import describe
from ..tensor.methods import FUNCTIONS
from ..tensor.structure import holds_tensor, nested, recording
from .dtypes import ANY, bool, check, check_dtype, int64
from .inspection import check_device


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """A tensor from a tensor, a number, nested sequences of numbers and tensors, or what has a buffer or DLPack.

    It shares memory where it can, unless `copy` is True; ValueError where it can't and `copy` is False. A complex number is
    taken only if it has no imaginary part.
    """
    check_device(device)
    check_dtype(dtype)
    if isinstance(obj, Tensor):
        if copy is False and dtype not in (None, obj.dtype):
            raise ValueError(f"a tensor of dtype {obj.dtype} can't become {dtype} without a copy")
        return to(obj, obj.dtype if dtype is None else dtype, copy=copy is True)
    if isinstance(obj, (list, tuple)) and holds_tensor(obj):
        return asarray(nested(obj, "asarray"), dtype=dtype)
    if isinstance(obj, complex) and obj.imag == 0:
        obj = obj.real
    if copy is False and isinstance(obj, (int, float, list, tuple)):
        raise ValueError(f"a tensor is made from {describe(obj)} by a copy, and copy=False forbids it")
    if dtype is not None and isinstance(obj, (int, float, list, tuple)):
        return wrap(np.array(obj, dtype))    # at once: without a dtype, large integers would become floats first
    if not isinstance(obj, (np.ndarray, int, float, list, tuple)):
        if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
            return asarray(from_dlpack(obj, copy=copy), dtype=dtype)
        obj = np.asarray(obj)
    if copy is False and dtype not in (None, obj.dtype):
        raise ValueError(f"an array of dtype {obj.dtype} can't become {dtype} without a copy")
    return (creation.tensor if copy else creation.as_tensor)(obj, dtype=dtype)


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor from an array of another library that has ``__dlpack__``, in its memory unless `copy` is True."""
    check_device(device)
    if isinstance(x, Tensor):
        return asarray(x, copy=copy)
    array = x if isinstance(x, np.ndarray) else np.from_dlpack(x)
    if copy is not True and array.flags.writeable:
        return creation.as_tensor(array)
    if copy is False:
        raise ValueError("this memory may not be written, and a tensor in it could be; take a copy")
    return creation.tensor(array)


def _check_shape(shape, name):
    if not isinstance(shape, (int, tuple, list)):
        raise TypeError(f"the shape of {name} is an integer or a tuple of them, not {describe(shape)}")


def _filled(make, shape, dtype, device):
    check_device(device)
    check_dtype(dtype)
    _check_shape(shape, make.__name__)
    return wrap(make(shape, dtype=get_default_dtype() if dtype is None else dtype))


def zeros(shape, *, dtype=None, device=None):
    """Zeros."""
    return _filled(np.zeros, shape, dtype, device)


def ones(shape, *, dtype=None, device=None):
    """Ones."""
    return _filled(np.ones, shape, dtype, device)


def empty(shape, *, dtype=None, device=None):
    """A tensor with undefined contents."""
    return _filled(np.empty, shape, dtype, device)


def full(shape, fill_value, *, dtype=None, device=None):
    """One number everywhere; its dtype is the default one of its kind. A tensor without axes is taken for a number, too."""
    if isinstance(fill_value, Tensor) and not fill_value.shape:
        check_device(device)
        _check_shape(shape, "full")
        return creation.full(shape, fill_value, dtype=check_dtype(dtype))
    if not isinstance(fill_value, (int, float)):
        raise TypeError(f"full takes a Python number, not {describe(fill_value)}")
    if dtype is None:
        dtype = bool if fill_value is True or fill_value is False else int64 if isinstance(fill_value, int) else None
    return _filled(lambda shape, dtype: np.full(shape, fill_value, dtype), shape, dtype, device)


def _like(make, x, *values, dtype, device):
    check(make.__name__ + "_like", ANY, x)
    return make(x.shape, *values, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """Zeros in the shape of a tensor."""
    return _like(zeros, x, dtype=dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """Ones in the shape of a tensor."""
    return _like(ones, x, dtype=dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """A tensor with undefined contents in the shape of another."""
    return _like(empty, x, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """One number everywhere, in the shape and dtype of a tensor."""
    return _like(full, x, fill_value, dtype=dtype, device=device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on a diagonal of a matrix, zeros elsewhere."""
    return _filled(lambda shape, dtype: np.eye(*shape, k=k, dtype=dtype), (n_rows, n_rows if n_cols is None else n_cols), dtype,
                   device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Numbers from start (0 if only one bound is given) up to, without, stop."""
    check_device(device)
    check_dtype(dtype)
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = get_default_dtype() if any([isinstance(v, float) for v in (start, stop, step)]) else int64
    return wrap(np.arange(start, stop, step, dtype=dtype))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """`num` numbers, evenly spaced from start to stop, with or without it."""
    check_device(device)
    check_dtype(dtype)
    return wrap(np.linspace(start, stop, num, dtype=get_default_dtype() if dtype is None else dtype, endpoint=endpoint))


def meshgrid(*arrays, indexing="xy"):
    """Coordinates of a grid from vectors of one dtype."""
    check("meshgrid", ANY, *arrays)
    if len({x.dtype for x in arrays}) > 1:
        raise ValueError(f"meshgrid takes tensors of one dtype, not of {', '.join(sorted({str(x.dtype) for x in arrays}))}")
    if any([x.ndim != 1 for x in arrays]):
        raise ValueError("meshgrid takes vectors, and the shapes are " + ", ".join([str(x.shape) for x in arrays]))
    return tuple(FUNCTIONS["meshgrid"](*arrays, indexing=indexing)) if arrays else ()


def _triangle(name, x, k):
    check(name, ANY, x)
    if x.ndim < 2:
        raise ValueError(f"{name} takes matrices, and the shape is {x.shape}")
    return FUNCTIONS[name](x, k) if recording(x) else wrap(getattr(np, name)(x._array(), k))


def tril(x, /, *, k=0):
    """The lower triangles of matrices, up to the k-th diagonal, with zeros above."""
    return _triangle("tril", x, k)


def triu(x, /, *, k=0):
    """The upper triangles of matrices, from the k-th diagonal on, with zeros below."""
    return _triangle("triu", x, k)


__all__ = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid", "ones",
           "ones_like", "tril", "triu", "zeros", "zeros_like"]
