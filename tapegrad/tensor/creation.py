"""Making tensors, under PyTorch's names."""
import operator
import sys
import warnings

import numpy as np

from ..ops import BY_NAME
from .conversion import as_dtype, check_device, get_default_dtype, to
from .core import FLOATS, Storage, Tensor, check_floating, common_dtype, float32, note_leaf, wrap
from .elementwise import apply, describe, refuse_masked
from .registry import public
from .structure import as_tensor_operand, broadcast_to, recording, reshape, shape_argument
from .structure.arguments import check_size


def _to_array(data, dtype, copy):
    """An array of a supported dtype, or a clear TypeError or ValueError."""
    if isinstance(data, Tensor):
        array = data._array()
    elif isinstance(data, np.ndarray):
        refuse_masked(data)
        array = np.asarray(data)             # without what subclasses, as np.matrix, do otherwise
    elif type(data) is float or type(data) is int or type(data) is bool:
        array = np.array(data)
        if array.dtype.kind == "O":
            if dtype is None or as_dtype(dtype) not in FLOATS:
                raise _too_large(data)
            array = np.array(float(data))
        copy = False
        if type(data) is float:
            array = array.astype(get_default_dtype(), copy=False)
    else:
        if isinstance(data, (list, tuple)):
            data = _without_tensors(data)
        try:
            array = np.array(data)
        except ValueError:
            raise ValueError("the lists are ragged: all lists on a level must have one length, and here they differ: "
                             f"{data!r:.60}") from None
        except OverflowError:
            raise _too_large(data) from None
        except TypeError as error:
            raise TypeError(f"a tensor is made from numbers and lists of them, not {describe(data)}") from error
        copy = False
        if array.dtype == np.float64 and not hasattr(data, "dtype"):
            array = array.astype(get_default_dtype(), copy=False)
        if array.size == 0 and array.dtype == np.float64:
            array = array.astype(get_default_dtype(), copy=False)
    if array.dtype.kind == "c":
        raise TypeError("complex numbers are not supported; keep real and imaginary parts in two tensors")
    if array.dtype.kind == "O" and array.size and all([type(v) in (int, float, bool) for v in array.flat]):
        if float not in {*map(type, array.flat)} and (dtype is None or as_dtype(dtype) not in FLOATS):
            raise _too_large(data)
        array = array.astype(get_default_dtype())
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(f"a tensor is made from numbers and lists of them, not {describe(data)}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    dtype = as_dtype(dtype)
    if dtype is not None and dtype != array.dtype:
        return array.astype(dtype)
    return array.copy(order="C") if copy else array


def _too_large(data):
    return OverflowError(f"integers of a tensor have 64 bits, from -2**63 to 2**63 - 1, and {data!r:.60} holds a larger one; "
                         "give it as a float, or with dtype=float64")


def _without_tensors(data):
    return [_without_tensors(part) if isinstance(part, (list, tuple)) else _plain(part) for part in data]


def _plain(value):
    if not isinstance(value, Tensor):
        return value
    if recording(value):
        warnings.warn("a tensor that requires grad was taken apart to its numbers here, through which no gradient flows; stack() "
                      "joins tensors with their history, and x.detach() says that none is wanted", UserWarning,
                      stacklevel=_outside())
    return value._array().tolist()


def _outside():
    """How many frames up the code is that called the library."""
    depth, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tapegrad."):
        depth, frame = depth + 1, frame.f_back
    return depth


def tensor(data, *, dtype=None, requires_grad=False, device=None):
    """A tensor with a copy of `data`: a number, nested lists of numbers, a NumPy array, or a tensor.

    Python floats become the default dtype (float64), integers int64, arrays keep theirs.

    >>> import tapegrad as tg
    >>> tg.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    if device is not None:
        check_device(device)
    x = wrap(_to_array(data, dtype, copy=True))
    if requires_grad:
        check_floating(x._own.dtype)
        x._requires = True
        note_leaf(x)
    return x


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor; a tensor as it is, and an array without a copy: it shares its memory."""
    check_device(device)
    if isinstance(data, Tensor):
        from .conversion import to
        return data if dtype is None else to(data, dtype)
    x = wrap(_to_array(data, dtype, copy=False))
    if isinstance(data, np.ndarray) and np.shares_memory(data, x._own):
        x._storage = Storage(exported=True)
    return x


def from_numpy(array):
    """A tensor that shares the memory of a NumPy array."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy takes a NumPy array, not {describe(array)}")
    return as_tensor(array)


def legacy_tensor(cls, *arguments, dtype=None, requires_grad=False, device=None):
    """``Tensor([1, 2])`` from data, in the default dtype; ``Tensor(2, 3)`` of a shape, without contents."""
    check_device(device)
    if cls is not Tensor:
        x = object.__new__(cls)
        source = tensor(*arguments, dtype=dtype)
        for slot in ("_tape", "_own", "_shape", "_requires", "_edits", "_storage", "_base", "_grad", "_hooks"):
            setattr(x, slot, getattr(source, slot))
        return x
    dtype = as_dtype(dtype) or get_default_dtype()
    if len(arguments) == 1 and not isinstance(arguments[0], int):
        return tensor(arguments[0], dtype=dtype, requires_grad=requires_grad)
    return empty(*arguments, dtype=dtype, requires_grad=requires_grad)


class FloatTensor:
    """Legacy: ``FloatTensor(data)`` is a float32 tensor."""
    def __new__(cls, *arguments):
        return legacy_tensor(Tensor, *arguments, dtype=float32)


class DoubleTensor:
    """Legacy: ``DoubleTensor(data)`` is a float64 tensor."""
    def __new__(cls, *arguments):
        return legacy_tensor(Tensor, *arguments, dtype=np.float64)


class LongTensor:
    """Legacy: ``LongTensor(data)`` is an int64 tensor."""
    def __new__(cls, *arguments):
        return legacy_tensor(Tensor, *arguments, dtype=np.int64)


def _filled(array, requires_grad, device):
    if device is not None:
        check_device(device)
    x = wrap(array)
    if requires_grad:
        check_floating(array.dtype)
        x._requires = True
        note_leaf(x)
    return x


def _shape(shape, size, name):
    if size is not None:
        shape = (size,) if not isinstance(size, int) else size
    shape = shape_argument(shape if isinstance(shape, tuple) else (shape,), name)
    if any(n < 0 for n in shape):
        raise ValueError(f"{name}: lengths of axes can't be negative, and the shape is {shape}")
    return shape


def zeros(*shape, size=None, dtype=None, requires_grad=False, device=None):
    """Zeros of a shape."""
    return _filled(np.zeros(_shape(shape, size, "zeros"), as_dtype(dtype) or get_default_dtype()), requires_grad, device)


def ones(*shape, size=None, dtype=None, requires_grad=False, device=None):
    """Ones of a shape."""
    return _filled(np.ones(_shape(shape, size, "ones"), as_dtype(dtype) or get_default_dtype()), requires_grad, device)


def empty(*shape, size=None, dtype=None, requires_grad=False, device=None):
    """A tensor of a shape with undefined contents."""
    return _filled(np.empty(_shape(shape, size, "empty"), as_dtype(dtype) or get_default_dtype()), requires_grad, device)


def full(size, fill_value, *, dtype=None, requires_grad=False, device=None):
    """A tensor of a shape with one number everywhere; with the number's dtype. It may be a tensor that requires grad."""
    check_device(device)
    if isinstance(fill_value, Tensor) and recording(fill_value):
        shape = _shape((), (size,) if isinstance(size, int) else size, "full")
        x = apply(BY_NAME["clone"], broadcast_to(fill_value, shape))
        return x if dtype is None else to(x, dtype)
    dtype = as_dtype(dtype) or _to_array(fill_value, None, False).dtype
    shape = _shape((), (size,) if isinstance(size, int) else size, "full")
    return _filled(np.full(shape, _plain(fill_value), dtype), requires_grad, device)


def eye(n, m=None, *, dtype=None, requires_grad=False, device=None):
    """The identity matrix, n by n or n by m."""
    return _filled(np.eye(n, m, dtype=as_dtype(dtype) or get_default_dtype()), requires_grad, device)


def arange(start, end=None, step=1, *, dtype=None, requires_grad=False, device=None):
    """Numbers from start (0 if only an end is given) up to, without, end; int64 where all are integers."""
    if end is None:
        start, end = 0, start
    start, end, step = (_plain(v) for v in (start, end, step))
    if step == 0:
        raise ValueError("arange with step 0 never ends; give another step")
    array = np.arange(start, end, step)
    dtype = as_dtype(dtype) or (get_default_dtype() if array.dtype.kind == "f" else array.dtype)
    return _filled(array.astype(dtype), requires_grad, device)


def linspace(start, end, steps=50, *, dtype=None, requires_grad=False, device=None):
    """`steps` numbers from start to end, both included. Of tensors that require grad, it is part of their graph."""
    return _spaced(lambda a, b: _between(a, b, _count(steps)), lambda a, b: np.linspace(a, b, _count(steps)), start, end, dtype,
                   requires_grad, device)


def _spaced(recorded, computed, start, end, dtype, requires_grad, device):
    check_device(device)
    if recording(*[v for v in (start, end) if isinstance(v, Tensor)]):
        x = recorded(start, end)
        return x if dtype is None else to(x, dtype)
    array = computed(_plain(start), _plain(end))
    return _filled(array.astype(as_dtype(dtype) or get_default_dtype()), requires_grad, device)


def _between(start, end, steps, endpoint=True):
    """Evenly spaced along a new first axis."""
    start, end = (as_tensor_operand(v, "linspace") for v in (start, end))
    part = np.linspace(0.0, 1.0, steps, endpoint=endpoint)
    part = wrap(part.reshape(-1, *[1] * max(len(start._shape), len(end._shape))).astype(common_dtype((start, end)), copy=False))
    return start * (1.0 - part) + end * part


def logspace(start, end, steps=50, base=10.0, *, dtype=None, requires_grad=False, device=None):
    """`steps` numbers from base**start to base**end, both included, whose logarithms are evenly spaced."""
    return _spaced(lambda a, b: apply(BY_NAME["power"], base, _between(a, b, _count(steps))),
                   lambda a, b: np.logspace(a, b, _count(steps), base=base), start, end, dtype, requires_grad, device)


def geomspace(start, end, steps=50, *, dtype=None, requires_grad=False, device=None):
    """`steps` numbers from start to end, both included, each the same multiple of the one before."""
    def recorded(a, b):
        a, b = (as_tensor_operand(v, "geomspace") for v in (a, b))
        sign = wrap(np.sign(a._array()))
        return sign * _between((sign * a).log(), (sign * b).log(), _count(steps)).exp()
    return _spaced(recorded, lambda a, b: np.geomspace(a, b, _count(steps)), start, end, dtype, requires_grad, device)


def _count(steps):
    count = operator.index(_plain(steps))
    if count < 0:
        raise ValueError(f"a tensor of {count} numbers is not there; steps must be at least 0")
    return count


def identity(n, *, dtype=None, requires_grad=False, device=None):
    """The identity matrix, n by n."""
    return eye(n, dtype=dtype, requires_grad=requires_grad, device=device)


def tri(n, m=None, k=0, *, dtype=None, requires_grad=False, device=None):
    """A matrix, n by n or n by m, of ones up to the k-th diagonal and zeros above it."""
    return _filled(np.tri(n, m, k, dtype=as_dtype(dtype) or get_default_dtype()), requires_grad, device)


def vander(x, n=None, increasing=False):
    """The powers of the elements of a vector as columns: from n - 1 down to 0, or increasing; n is its length by default."""
    x = as_tensor(x)
    if len(x._shape) != 1:
        raise ValueError(f"vander takes a vector, and the shape is {x._shape}")
    n = x._shape[0] if n is None else operator.index(n)
    if n < 0:
        raise ValueError(f"vander takes a number of columns, and {n} was given")
    check_size(n, "vander")
    powers = np.arange(n) if increasing else np.arange(n)[::-1]
    exponents = wrap(powers.astype(x.dtype) if x.dtype in FLOATS else powers)
    return apply(BY_NAME["power"], reshape(x, -1, 1), exponents)


def linalg_vander(x, *, N=None):
    """The powers from 0 to N - 1 of the elements, along a new last axis; N is by default the length of the last axis, as PyTorch.

    ValueError for N below 2.

    >>> import tapegrad as tg
    >>> tg.linalg.vander(tg.tensor([2.0, 3.0]), N=3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    x = as_tensor(x)
    count = (x._shape or (1,))[-1] if N is None else operator.index(N)
    if count < 2:
        raise ValueError(f"linalg.vander takes N of at least 2, and it is {count}, for the shape {x._shape}")
    check_size(count, "linalg.vander")
    powers = np.arange(count)
    return apply(BY_NAME["power"], reshape(x, *x._shape, 1), wrap(powers.astype(x.dtype) if x.dtype in FLOATS else powers))


def _like(make):
    def function(x, *, dtype=None, requires_grad=False, device=None):
        x = x if isinstance(x, Tensor) else as_tensor(x)
        return make(x._shape, dtype=dtype or x.dtype, requires_grad=requires_grad, device=device)
    function.__name__ = function.__qualname__ = make.__name__ + "_like"
    function.__doc__ = f"As ``{make.__name__}``, with the shape and dtype of a tensor."
    return function


def full_like(x, fill_value, *, dtype=None, requires_grad=False, device=None):
    """As ``full``, with the shape and dtype of a tensor."""
    x = x if isinstance(x, Tensor) else as_tensor(x)
    return full(x._shape, fill_value, dtype=dtype or x.dtype, requires_grad=requires_grad, device=device)


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)


def from_dlpack(x):
    """A tensor that shares the memory of an array of another library, by the DLPack protocol; of read-only memory a copy."""
    if isinstance(x, Tensor):
        return x.detach()
    array = x if isinstance(x, np.ndarray) else np.from_dlpack(x)
    return from_numpy(array if array.flags.writeable else array.copy())


def _new(make, name, *first):
    def method(x, *arguments, dtype=None, requires_grad=False, device=None, **keywords):
        return make(*arguments, dtype=dtype or x.dtype, requires_grad=requires_grad, device=device, **keywords)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As ``tapegrad.{make.__name__}``, with the dtype of this tensor."
    return method


NEW = {f"new_{make.__name__}": _new(make, f"new_{make.__name__}") for make in (zeros, ones, empty, full, tensor)}


# NumPy's signatures ------------------------------------------------------------------------------------------------------

def _numpy_like(theirs, make):
    def function(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        return make(_shape_like(a, shape), dtype=dtype or a.dtype, device=device)
    function.__name__ = function.__qualname__ = f"numpy_{theirs.__name__}"
    function.__doc__ = f"As ``np.{theirs.__name__}``."
    return public(function=False, method=False, numpy=theirs)(function)


def _shape_like(a, shape):
    return a._shape if shape is None else shape_argument((shape,) if isinstance(shape, (tuple, list)) else ((shape,),), "shape")


for _theirs, _make in ((np.zeros_like, zeros), (np.ones_like, ones), (np.empty_like, empty)):
    _numpy_like(_theirs, _make)


@public(function=False, method=False, numpy=np.full_like)
def numpy_full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """As ``np.full_like``."""
    a = as_tensor_operand(a, "np.full_like")
    return full(_shape_like(a, shape), fill_value, dtype=dtype or a.dtype, device=device)


@public(function=False, method=False, numpy=np.linspace)
def numpy_linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """As ``np.linspace``, along the first axis."""
    check_device(device)
    if retstep or axis != 0:
        raise TypeError("np.linspace of tensors takes no retstep= and no axis=; the step is (stop - start) / (num - 1)")
    x = _between(start, stop, _count(num), endpoint)
    return x if dtype is None else to(x, dtype)


@public(function=False, method=False, numpy=np.vander)
def numpy_vander(x, N=None, increasing=False):
    """As ``np.vander``."""
    return vander(x, N, increasing)


def is_tensor(x):
    """Whether `x` is a Tensor."""
    return isinstance(x, Tensor)


