"""NumPy's namespace, whose functions take Tensors and are differentiated: ``import tapegrad.numpy as np``.

In the manner of autograd.numpy and jax.numpy. Given arrays and numbers, a function gives what NumPy's gives; given Tensors,
also in lists, a Tensor. What has no derivative, and names that are no functions, are NumPy's own.

>>> import tapegrad as tg
>>> import tapegrad.numpy as np
>>> def f(x):
...     return np.sum(np.array([x[0], x[1] * x[2]]) ** 2)
>>> tg.grad(f)(np.array([1.0, 2.0, 3.0]))
array([ 2., 36., 24.])
"""
import itertools as _itertools

import numpy as _np

from ..tensor.conversion import to as _to
from ..tensor.core import Tensor as _Tensor
from ..tensor.methods import FUNCTIONS as _functions
from ..tensor.structure import holds_tensor as _holds_tensor
from ..tensor.structure import nested as _nested
from . import fft, linalg, random
from .forwarding import fill as _fill

_SUBMODULES = "fft", "linalg", "random"
__all__ = sorted({*_fill(globals(), _np, _SUBMODULES), *_np.__all__} - {"__array_namespace_info__"})  # noqa: PLE0605 - strings
__version__ = _np.__version__


def _tensor_of(value):
    """A Tensor from a Tensor, or lists that hold some; None from anything else."""
    if isinstance(value, _Tensor):
        return value
    return _nested(value, "array") if type(value) in (list, tuple) and _holds_tensor(value) else None


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, **keywords):
    """As ``np.array``; of Tensors, or lists that hold some, a Tensor, through which gradients flow."""
    x = _tensor_of(object)
    if x is None:
        return _np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, **keywords)
    x = _functions["clone"](x) if copy and x is object else x
    x = x if dtype is None else _to(x, dtype)
    return x if x.ndim >= ndmin else _functions["reshape"](x, (1,) * (ndmin - x.ndim) + x.shape)


def _as_array(theirs):
    def function(a, dtype=None, order=None, **keywords):
        x = _tensor_of(a)
        if x is None:
            return theirs(a, dtype, order, **keywords)
        return x if dtype is None else _to(x, dtype)
    function.__name__ = function.__qualname__ = theirs.__name__
    function.__doc__ = f"As ``np.{theirs.__name__}``; of Tensors, or lists that hold some, a Tensor."
    return function


asarray, asanyarray = _as_array(_np.asarray), _as_array(_np.asanyarray)


def ascontiguousarray(a, dtype=None, **keywords):
    """As ``np.ascontiguousarray``; of Tensors, or lists that hold some, a Tensor with at least one axis."""
    x = _tensor_of(a)
    return _np.ascontiguousarray(a, dtype, **keywords) if x is None else array(x, dtype, copy=False, ndmin=1).contiguous()


def fromiter(iter, dtype, count=-1, **keywords):
    """As ``np.fromiter``; of Tensors a Tensor."""
    values = list(iter) if count < 0 else list(_itertools.islice(iter, count))
    return array(values, dtype) if _holds_tensor(values) else _np.fromiter(values, dtype, count, **keywords)


def full(shape, fill_value, dtype=None, order="C", **keywords):
    """As ``np.full``; with a Tensor, a Tensor, through which gradients flow."""
    x = _tensor_of(fill_value)
    if x is None:
        return _np.full(shape, fill_value, dtype, order, **keywords)
    x = _functions["clone"](_functions["broadcast_to"](x, shape))
    return x if dtype is None else _to(x, dtype)


def __dir__():
    return __all__


def __getattr__(name):
    return getattr(_np, name)                # submodules that NumPy imports when they are first used
