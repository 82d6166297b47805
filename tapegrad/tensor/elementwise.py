"""Functions, methods and operators for every elementwise row of the op table.

Each function has a fast way, for operands that are on the same open tape and have one shape, or a number that is a constant
of the tape already: it writes a record and makes a tensor. The fast way checks nothing else. Whatever it does not fit (the
index of a tape that doesn't record is out of range) goes the slow way below. A tensor's tape and index are read, and a
record is written and counted, without a call in between, and so without a change of threads; see tape.py.
"""
import functools
import numbers

import numpy as np

from ..ops import BINARY, HOST, OPS, PLANNED_MANY, UNARY
from ..sweeps import ALIASED, IN_PLACE
from ..tape import REPLACED, guarded, open_tape, state
from . import core
from .core import (
    FLOATS,
    Mask,
    Tensor,
    bool_,
    common_dtype,
    compute,
    elementwise_plan,
    finish,
    float32,
    float64,
    make,
    place,
    record_many,
    tape_for,
    tracked,
    wrap,
)

_PACKAGE = __name__.partition(".")[0] + "."
LAST_ENTRY = HOST.code                       # opcodes up to this one are what enters a tape


# Operands -------------------------------------------------------------------------------------------------------------

def operand(value, name="operation"):
    """A tensor, or a number as a float, int or bool; arrays become tensors. TypeError for anything else."""
    if isinstance(value, Tensor) or type(value) in (float, int, bool):
        return value
    if isinstance(value, np.generic):
        if isinstance(value, (np.floating, np.integer, np.bool_)):
            return value.item()
    elif isinstance(value, np.ndarray):
        if type(value) is not np.ndarray:
            refuse_masked(value)
        if value.dtype.kind in "fiub":
            x = wrap(value if value.dtype != np.float16 else value.astype(np.float32))
            x._storage = _foreign()
            return x
    elif isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    elif isinstance(value, tuple) and type(value).__module__.startswith(_PACKAGE):      # a result with names
        raise TypeError(f"{name} takes tensors, not a {type(value).__name__}, which has several: take its first, result[0] (of "
                        "max and min along an axis that is .values, and what amax and amin give)")
    elif isinstance(value, (list, tuple)):
        from .creation import tensor
        from .structure import holds_tensor, nested
        return nested(value, name) if holds_tensor(value) else tensor(value)
    raise TypeError(f"{name} takes tensors, real numbers and arrays of them, not {describe(value)}")


def refuse_masked(value):
    """TypeError for a masked array, whose mask would be lost."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("a masked array has no values where it is masked; give x.filled(value), and the mask on its own")


def _foreign():
    from .core import Storage
    return Storage(exported=True)


def single_precision(numbers):
    """Whether NumPy's numbers among these have less than double precision: what is computed of these alone is float32 then."""
    kinds = {type(x) for x in numbers}
    return not kinds.isdisjoint((np.float32, np.float16)) and np.float64 not in kinds


def describe(value):
    """A value that is no operand, as errors name it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return f"an array of dtype {value.dtype}"
    return f"{type(value).__name__} {value!r:.40}"


@functools.lru_cache(maxsize=4096)
def broadcast(a, b):
    """The shape that two shapes give together, as NumPy broadcasts them."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise ValueError(f"shapes {a} and {b} don't match: from the last axis backward, lengths must be equal or 1") from None


class Size(int):
    """The number of elements, as NumPy has it; and called, the lengths of the axes, or of one, as PyTorch has it.

    >>> import tapegrad as tg
    >>> x = tg.ones(2, 3)
    >>> x.size, x.size(), x.size(-1)
    (6, (2, 3), 3)
    """

    def __call__(self, dim=None):
        shape = self.shape
        if dim is None:
            return shape
        if not -(len(shape) or 1) <= dim < (len(shape) or 1):
            raise IndexError(f"axis {dim} is out of range for a tensor with {len(shape)} axes")
        return shape[dim]

    def __reduce__(self):
        return int, (int(self),)


def size_of(shape):
    size = 1
    for n in shape:
        size *= n
    return size


def fit(x, shape):
    """`x` as an operand of an elementwise record with a result of `shape`: unless it has one element, expanded."""
    if x._shape == shape or size_of(x._shape) == 1:
        return x
    from .structure import expand
    return expand(x, shape)


# The slow way ---------------------------------------------------------------------------------------------------------

def apply(op, *operands):
    """Records, or computes, an elementwise operation of any tensors and numbers."""
    if len(operands) == 2 and op.kind == BINARY:
        z = _apply_here(op, *operands)
        if z is not None:
            return z
    elif op.kind == UNARY and len(operands) == 1:
        z = _plain(op, *operands)
        if z is not None:
            return z
    elif op.kind == PLANNED_MANY:
        z = _many_here(op, operands)
        if z is None:
            z = _plain(op, *operands)
        if z is not None:
            return z
    if core.inference_used:
        core.refuse_inference(op, operands)
    given, operands = operands, [operand(x, op.name) for x in operands]
    if type(operands[0]) is Mask and len(operands) == 3:
        operands[0] = operands[0].on_tape(operands[1:])
    tensors = [x for x in operands if isinstance(x, Tensor)]
    active = state().enabled and any([tracked(x) for x in tensors])
    if not active:
        value = compute(op, *_arrays(op, operands, tensors))
        if value.dtype == float64 and (common_dtype(tensors) == float32 if float32 in [x.dtype for x in tensors] else
                                       single_precision(given) and all([x.dtype == bool for x in tensors])):
            value = value.astype(float32)    # NumPy takes the numbers of a rule for float64 where no array meets them
        z = wrap(value)
        if tensors and tensors[0]._is_number and all([x._is_number for x in tensors]):
            z._is_number = True
        if guarded() and (search := state().anomaly):
            search.look(op, operands, z)
        return z
    shape = tensors[0]._shape
    for x in tensors[1:]:
        if x._shape == shape:
            x._shape = shape                 # one object: what the fast way compares
        else:
            shape = broadcast(shape, x._shape)
    operands = [fit(x, shape) if isinstance(x, Tensor) else x for x in operands]
    dtype = common_dtype(tensors)
    if op.kind == PLANNED_MANY:
        return record_many(op, operands, elementwise_plan(op, shape), dtype)
    tape = tape_for(dtype, operands)
    indices = [place(tape, x) if isinstance(x, Tensor) else tape.constant(x) for x in operands]
    return finish(tape, op, op.code, indices[0], indices[-1], shape)


def _enters(x, tape):
    """Whether a tensor that isn't on an open tape may enter it as it is: memory, or a record of an older tape that is closed."""
    if x._own is not None:
        return x._own.dtype == tape.dtype
    source = x._tape
    return (not source.is_open and source.serial < tape.serial and source.dtype == tape.dtype
            and (x._base is None or x._seen == core.writes(x._base)))


def _apply_here(op, x, y):
    """`apply` for two operands of which one is on an open tape that records, or a leaf that may open one; None where there is
    more to it."""
    if core.inference_used:
        core.refuse_inference(op, (x, y))
    if type(x) is Tensor and x._tape.words:
        tape = x._tape
    elif type(y) is Tensor and y._tape.words:
        tape = y._tape
    else:
        leaf = x if type(x) is Tensor else y
        if type(leaf) is not Tensor or leaf._own is None or not leaf._requires:
            return _plain(op, x, y)
        tape = open_tape(leaf._own.dtype)
        if not tape.words:
            return _plain(op, x, y)
    if tape.n + 8 > tape.capacity:
        return None
    shape = (x if type(x) is Tensor else y)._shape
    if type(x) is Tensor and type(y) is Tensor and y._shape != shape:
        shape = broadcast(shape, y._shape)
        x, y = fit(x, shape), fit(y, shape)
    for z in (x, y):
        if type(z) is Tensor:
            if z._tape is not tape and not _enters(z, tape):
                return None
            if z._shape == shape:
                z._shape = shape             # one object: what the fast way compares
        elif type(z) is not float and type(z) is not int and type(z) is not Size:
            return None
    if not tape.words:                       # what was expanded filled it
        return None
    left = place(tape, x) if type(x) is Tensor else tape.constant(x)
    right = place(tape, y) if type(y) is Tensor else tape.constant(y)
    return finish(tape, op, op.code, left, right, shape)


def _plain(op, *operands):
    """`apply` where nothing is recorded, for float64 tensors of one shape and numbers; None where there is more to it."""
    arrays = plain_arrays(op, operands)
    if arrays is None:
        return None
    z = wrap(compute(op, *arrays))
    if guarded() and (search := state().anomaly):
        search.look(op, operands, z)
    return z


def plain_arrays(op, operands):
    """The arrays of float64 tensors of one shape that are no views, and numbers; None where there is something else, or something
    to record."""
    shape, arrays = None, []
    for k, x in enumerate(operands):
        if type(x) is Tensor:
            data = x._own
            if (data is None or x._base is not None or (x._requires and state().enabled) or x._is_number
                    or (data.dtype is not float64 and (data.dtype is not bool_ or k or op.arity < 3))
                    or (shape is not None and x._shape != shape)):
                return None
            shape = x._shape
            arrays.append(data)
        elif type(x) is float or type(x) is int:
            arrays.append(x)
        else:
            return None
    return arrays if shape is not None and not core.inference_used else None


def _many_here(op, operands):
    """`apply` for three operands, numbers or tensors of one shape, of which one is on an open tape that records, and others that
    are not have no derivative; None where there is more to it."""
    tape = next((x._tape for x in operands if type(x) is Tensor and x._tape.words), None)
    if tape is None or core.inference_used or tape.n + 8 > tape.capacity or tape.rows + 16 > tape.row_capacity:
        return None
    shape = None
    for x in operands:
        if type(x) is Tensor:
            if shape is None:
                shape = x._shape
            elif x._shape != shape:
                return None
            data = x._own
            if x._tape is not tape and (data is None or x._requires or x._base is not None
                                        or (data.dtype != tape.dtype and data.dtype in FLOATS)):
                return None
        elif type(x) is not float and type(x) is not int:
            return None
    indices = [place(tape, x) if type(x) is Tensor else tape.constant(x) for x in operands]
    return finish(tape, op, op.code, indices[0], tape.plan_row(elementwise_plan(op, shape), indices), shape)


def _arrays(op, operands, tensors):
    """Arrays for NumPy, whose rules for mixed dtypes differ from PyTorch's where a tensor has no axes, or integers."""
    floats = [x for x in tensors if x.dtype in FLOATS]
    if floats and len(tensors) > 1:
        dtype = common_dtype(floats)
        return [x._array().astype(dtype, copy=False) if isinstance(x, Tensor) and x.dtype != bool else
                x._array() if isinstance(x, Tensor) else x for x in operands]
    arrays = [x._array() if isinstance(x, Tensor) else x for x in operands]
    if not floats and tensors and gives_floats(op):      # NumPy would compute small integers in float16, or among themselves
        return [x.astype(float64) if isinstance(x, np.ndarray) and x.dtype.kind in "biu" else x for x in arrays]
    return arrays if tensors else [np.asarray(x) for x in arrays]


@functools.cache
def gives_floats(op):
    """Whether an operation of integers gives floating numbers."""
    return compute(op, *[np.ones(1, np.int64)] * op.arity).dtype.kind == "f"


# The fast way ---------------------------------------------------------------------------------------------------------

def unary(op):
    code = op.code

    def function(x):
        try:
            tape = x._tape
            i = tape.n
            tape.words[i] = code
            tape.left[i] = x._index
            tape.n = i + 1
        except (AttributeError, IndexError):
            return apply(op, x)
        z = make()
        z._tape = tape
        z._index = i
        z._shape = x._shape
        z._own = z._storage = z._base = z._grad = None
        z._edits = 0
        z._requires = False
        return z
    return _named(function, op)


def binary(op, slow=None):
    code, slow = op.code, slow or functools.partial(apply, op)

    def function(x, other):
        try:
            kind = type(other)
            if kind is Tensor:
                tape, shape = x._tape, x._shape
                if tape is other._tape and shape is other._shape:
                    i = tape.n
                    tape.words[i] = code
                    tape.left[i] = x._index
                    tape.right[i] = other._index
                    tape.n = i + 1
                    z = make()
                    z._tape = tape
                    z._index = i
                    z._shape = shape
                    z._own = z._storage = z._base = z._grad = None
                    z._edits = 0
                    z._requires = False
                    return z
            elif kind is float or kind is int:
                tape, left = x._tape, x._index
                right = tape.constants[other]
                i = tape.n
                tape.words[i] = code
                tape.left[i] = left
                tape.right[i] = right
                tape.n = i + 1
                z = make()
                z._tape = tape
                z._index = i
                z._shape = x._shape
                z._own = z._storage = z._base = z._grad = None
                z._edits = 0
                z._requires = False
                return z
        except (AttributeError, IndexError, KeyError):
            pass
        return slow(x, other)
    return _named(function, op)


def reflected(op):
    """``y op x`` where the tensor is `x`, on the right of a number or an array."""
    code = op.code

    def function(x, y):
        try:
            kind = type(y)
            if kind is float or kind is int:
                tape, right = x._tape, x._index
                left = tape.constants[y]
                i = tape.n
                tape.words[i] = code
                tape.left[i] = left
                tape.right[i] = right
                tape.n = i + 1
                z = make()
                z._tape = tape
                z._index = i
                z._shape = x._shape
                z._own = z._storage = z._base = z._grad = None
                z._edits = 0
                z._requires = False
                return z
        except (AttributeError, IndexError, KeyError):
            pass
        return operator_of(op)(y, x)
    return _named(function, op)


def in_place(op, slow):
    """``x op= y`` where `x` is interior and no view or detached tensor shares its memory: it moves to a new record."""
    word = op.code | IN_PLACE

    def function(x, y):
        try:
            kind, tape, old = type(y), x._tape, x._index
            if LAST_ENTRY < tape.words[old] < ALIASED:
                if kind is Tensor:
                    k = y._index if tape is y._tape and x._shape is y._shape else -1
                else:
                    k = tape.constants[y] if kind is float or kind is int else -1
                if k >= 0:
                    i = tape.n
                    tape.words[i] = word
                    tape.left[i] = old
                    tape.right[i] = k
                    tape.n = i + 1
                    tape.suspect = REPLACED
                    x._index = i
                    x._edits = x._edits + 1
                    return x
        except (AttributeError, IndexError, KeyError):
            pass
        return slow(x, y)
    return _named(function, op, "_")


def operator_of(op):
    """Like `apply`, but leaves types that the library doesn't know to Python, which asks the other operand."""
    def slow(x, y):
        z = _apply_here(op, x, y)
        if z is not None:
            return z
        for value in (x, y):
            if not isinstance(value, (Tensor, numbers.Number, np.generic, np.ndarray, list, tuple)):
                return NotImplemented
        return apply(op, x, y)
    return slow


def _named(function, op, suffix=""):
    function.__name__ = function.__qualname__ = op.name + suffix
    return function


def functions():
    """Name -> function, for every elementwise row and all of its names."""
    made = {}
    for op in OPS:
        if op.value is not None:
            function = {UNARY: unary, BINARY: binary}.get(op.kind, many)(op)
            function.__doc__ = _docstring(op)
            for name in (op.name, *op.names):
                made[name] = function
    return made


def many(op):
    arity = op.arity

    def function(*operands):
        if len(operands) != arity:
            raise TypeError(f"{op.name} takes {arity} operands, not {len(operands)}")
        return apply(op, *operands)
    return _named(function, op)


def _docstring(op):
    operands = ", ".join("xyw"[:op.arity])
    note = f" Derivative: {op.note}." if op.note else ""
    return f"{op.name}({operands}), element by element, shapes broadcast as NumPy's.{note}"


FUNCTIONS = functions()
