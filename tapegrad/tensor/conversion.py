"""Between tensors and the rest of Python: dtypes, numbers, NumPy arrays, text, copies."""
import warnings

import numpy as np

from ..ops import BY_NAME
from ..tape import state
from .core import (
    FLOATS,
    Storage,
    Tensor,
    bool_,
    decided,
    float32,
    float64,
    int32,
    int64,
    interior,
    root_of,
    storage_of,
    tracked,
    wrap,
)
from .elementwise import apply, size_of
from .text import written

_default_dtype = float64
_NAMES = {"float": float32, "double": float64, "long": int64, "int": int32}
KINDS = {float: None, int: int64, bool: bool_}


def get_default_dtype():
    """The dtype of tensors made from Python floats: float64, unless it was set otherwise."""
    return _default_dtype


def set_default_dtype(dtype):
    """Sets the dtype of tensors made from Python floats; it has to be float64 or float32."""
    global _default_dtype
    dtype = as_dtype(dtype)
    if dtype not in FLOATS:
        raise TypeError(f"the default dtype is float64 or float32, not {dtype}")
    _default_dtype = dtype


def as_dtype(dtype):
    """A NumPy dtype that tensors can have. TypeError for others, complex and object among them."""
    if dtype is None:
        return None
    if dtype in KINDS:
        return KINDS[dtype] or _default_dtype
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"a dtype is one of float64, float32, int64, int32, bool, not {dtype!r}") from None
    if dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise TypeError(f"tensors of dtype {dtype} are not supported; use float64, float32, an integer dtype or bool")
    return dtype


def promote_types(type1, type2):
    """The dtype that an operation of tensors of two dtypes gives: a floating one wins over integers, the wider over the other.

    >>> import tapegrad as tg
    >>> tg.promote_types(tg.int64, tg.float32)
    dtype('float32')
    """
    return _dtype_together(*(wrap(np.zeros(0, as_dtype(dtype))) for dtype in (type1, type2)))


def result_type(x, y):
    """The dtype that arithmetic of two operands, tensors or numbers, gives.

    >>> import tapegrad as tg
    >>> tg.result_type(tg.ones(2, dtype=tg.float32), 2.5), tg.result_type(tg.tensor([1, 2]), 2.5)
    (dtype('float32'), dtype('float64'))
    """
    return _dtype_together(*(wrap(np.zeros(0, v.dtype)) if isinstance(v, Tensor) and not v._is_number else v for v in (x, y)))


def _dtype_together(x, y):
    return apply(BY_NAME["add"], x, y).dtype


def can_cast(from_, to):
    """Whether tensors of a dtype can be written into those of another: not floats into integers, nor numbers into bools.

    >>> import tapegrad as tg
    >>> tg.can_cast(tg.float64, tg.float32), tg.can_cast(tg.float64, tg.int64)
    (True, False)
    """
    from_, to = (("b", "iu", "f").index("iu" if d.kind in "iu" else d.kind) for d in (as_dtype(from_), as_dtype(to)))
    return from_ <= to


def to(x, *arguments, dtype=None, device=None, copy=False, non_blocking=False):
    """The tensor in another dtype, itself if it has it already. ``to("cpu")`` and ``to(other)`` work as in PyTorch.

    Between floating dtypes it is differentiable; what becomes integer has no gradient.
    """
    for argument in arguments:
        if isinstance(argument, Tensor):
            dtype = argument.dtype
        elif isinstance(argument, str) and argument.split(":")[0] in ("cpu", "cuda", "mps"):
            device = argument
        elif isinstance(argument, Device):
            device = argument
        elif isinstance(argument, bool):
            copy = argument
        else:
            dtype = as_dtype(argument)
    check_device(device)
    dtype = x.dtype if dtype is None else as_dtype(dtype)
    if dtype == x.dtype:
        return apply(BY_NAME["clone"], x) if copy else x
    if state().enabled and dtype in FLOATS and tracked(x):
        return _cast(x, dtype)
    z = wrap(x._array().astype(dtype))
    if x._is_number:
        z._is_number = True
    return z


def _cast(x, dtype):
    """A copy on a tape of the other dtype: entering it converts, and so does the link on the way back."""
    from .core import finish, place, tape_for
    op = BY_NAME["clone"]
    tape = tape_for(dtype, (x,))
    z = finish(tape, op, op.code, place(tape, x), 0, x._shape)
    return interior(tape, z._index, x._shape)


def check_device(device):
    """RuntimeError for another device than the CPU."""
    if device is not None and str(device).split(":")[0] != "cpu":
        raise RuntimeError(f"tapegrad computes on the CPU only; device {str(device)!r} is not there: leave device= away, or give "
                           "'cpu'")


class Device(str):
    """Where a tensor is: always the CPU."""
    __slots__ = ()
    type = property(lambda self: self.split(":")[0])
    index = None

    def __repr__(self):
        return f"device(type='{self}')"


CPU = Device("cpu")


def detach(x):
    """The same memory without history: a leaf that requires no grad. Writing into either is seen by both."""
    if not isinstance(x, Tensor):
        from .structure import as_tensor_operand
        return as_tensor_operand(x, "detach")
    root = root_of(x)
    if not tracked(x) and root._storage is None and root is x:
        storage = storage_of(x)
        z = wrap(x._own)
    else:
        storage = storage_of(root)
        memory = root._array()
        for step in x._recipe:
            memory = step.function(memory)
        z = wrap(memory if x._base is not None or x._own is None else x._own)
    z._storage = storage
    return z


def detach_(x):
    """Takes the tensor out of the graph, in place."""
    if x._base is not None and tracked(x):
        raise RuntimeError("detach_() of a view would leave its base in the graph; use detach()")
    if x._own is None:
        storage = x._storage
        from ..tape import NOWHERE
        x._own = x._array() if storage is not None else x._array().copy()
        x._tape = NOWHERE
    x._requires = False
    return x


def get_data(x):
    """The same memory without history, and with a version of its own: writing through it is not noticed by a
    backward."""
    z = detach(x)
    shared = z._storage
    z._storage = Storage(0, None, shared.exported, parent=shared)
    if x._own is not None and x._base is None:
        z._own = x._own
    return z


def set_data(x, value):
    """Gives the tensor other memory, of the same shape or not; its place in a graph that was recorded stays."""
    if not isinstance(value, Tensor):
        raise TypeError(f"data must be a tensor, not {type(value).__name__}; use torch-style x.data = tensor(...)")
    if x._own is None:
        raise RuntimeError("data can be set on leaves only, and this tensor was computed from others; use copy_()")
    from ..tape import settle
    settle()
    if x._requires and value.dtype not in FLOATS:
        raise RuntimeError(f"this tensor requires grad, so its data must be floating, not {value.dtype}")
    x._own = value._array()
    x._shape = x._own.shape
    if root_of(value)._storage is None and not tracked(value):
        storage_of(root_of(value))
    x._base, x._recipe = None, ()


def numpy(x, *, force=False):
    """The value as a NumPy array that shares the tensor's memory. RuntimeError where it requires grad, unless forced or under
    no_grad."""
    if tracked(x):
        if not force and state().enabled:
            raise RuntimeError("numpy() on a tensor that requires grad would lose its history; use x.detach().numpy()")
        x = detach(x)
    from ..tape import settle
    settle()
    array = x._array()
    storage_of(root_of(x)).exported = True
    return array


def item(x):
    """The value of a tensor with one element, as a Python number. RuntimeError where there are more."""
    size = 1
    for n in x._shape:
        size *= n
    if size != 1:
        raise RuntimeError(f"a tensor with {size} elements can't become one number; item() is for tensors with one "
                           "element, tolist() gives all")
    if x._own is None and x._base is None and x._storage is None:
        tape = x._tape
        value = tape.number(x._index)
        if tape.is_open:
            tape.was_read()
        return value
    return x._array().item()


def tolist(x):
    """The values as nested lists of Python numbers, a number for a tensor without axes. In a function that is being
    differentiated it warns: no derivative goes through them."""
    if state().tracing and tracked(x):
        warnings.warn("tolist() makes plain numbers of a tensor in a function that is being differentiated: no derivative goes "
                      "through them. Iterate over the tensor, or use its functions, as x.sum() for sum(x.tolist()); "
                      "x.detach().tolist() says that the values alone are meant", UserWarning, stacklevel=2)
    return x._array().tolist()


def as_number(kind, name):
    """The method for Python's conversion to a number. In a function that is being differentiated it is likely a mistake."""
    def convert(x):
        value = decided(np.not_equal, x, 0) if kind is bool and size_of(x._shape) == 1 else item(x)
        if state().tracing and tracked(x):
            warnings.warn(f"{kind.__name__}() makes a plain number of a tensor in a function that is being differentiated (so do "
                          "functions of math): no derivative goes through it. Use tapegrad's or NumPy's functions, as np.sin "
                          "for math.sin, or x.item() where the value alone is meant", UserWarning, stacklevel=2)
        return kind(value)
    convert.__name__ = name
    return convert


def _without_grad(x, name):
    """RuntimeError for a tensor that requires grad: who reads its memory computes on without derivatives."""
    if tracked(x) and state().enabled:
        raise RuntimeError(f"{name} of a tensor that requires grad would lose its history; call x.detach() first, or use the "
                           "function of tapegrad; one that Numba compiled is called by tapegrad.call(function, x)")
    return numpy(x)


def dlpack(x, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The DLPack protocol: other libraries share the memory. RuntimeError for a tensor that requires grad, BufferError where the
    memory can't be had as asked."""
    array = _without_grad(x, "__dlpack__")
    if stream is not None or (dl_device is not None and tuple(dl_device) != (1, 0)):
        raise BufferError("tapegrad computes on the CPU only: dl_device is (1, 0), and there are no streams")
    array = array.copy() if copy else array
    return array.__dlpack__() if max_version is None else array.__dlpack__(max_version=max_version)


def buffer(x, flags):
    """Python's buffer protocol, ``memoryview(x)``, from Python 3.12. RuntimeError for a tensor that requires grad."""
    return memoryview(_without_grad(x, "the buffer"))


def array_protocol(x, dtype=None, copy=None):
    """NumPy's conversion. A tensor that requires grad refuses it: NumPy would compute on without derivatives."""
    if tracked(x) and state().enabled:
        raise RuntimeError("NumPy can't convert a tensor that requires grad without losing its history; call "
                           "x.detach().numpy(), or use the function of the same name from tapegrad")
    array = numpy(x) if copy is not True else x._array().copy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"converting {array.dtype} to {np.dtype(dtype)} needs a copy, and copy=False forbids it")
        array = array.astype(dtype)
    return array


def text(x):
    """As PyTorch prints it."""
    array, said = x._array(), []
    if not array.size and array.ndim != 1:
        said.append(f"size={array.shape}")
    if array.dtype != _default_dtype and (not array.size or array.dtype not in (int64, bool_)):
        said.append(f"dtype={array.dtype}")
    if x._own is None:
        said.append(f"grad_fn=<{x.grad_fn.name()}>")
    elif x._requires:
        said.append("requires_grad=True")
    return written(array, said)


def deepcopy(x, memo):
    """A copy of a leaf with its gradient; views copy what they show. RuntimeError for an interior tensor."""
    import copy
    if x._own is None:
        raise RuntimeError("only leaves can be deep-copied, and this tensor was computed from others that require "
                           "grad; use x.detach().clone()")
    if id(x) in memo:
        return memo[id(x)]
    z = memo[id(x)] = wrap(x._array().copy(), x._requires)
    if x._grad is not None:
        z._grad = copy.deepcopy(x._grad, memo)
    return z


def reduce(x, protocol):
    """Pickles the value and whether it requires grad; an interior tensor comes back as a leaf."""
    return _restore, (np.array(x._array()), bool(tracked(x)))


def _restore(array, requires_grad):
    return wrap(array, requires_grad)


