"""The dtypes of the namespace, how they are promoted, and what functions take: tensors of some kinds, and Python's numbers."""
import builtins
import operator
from dataclasses import dataclass

import numpy as np

from ..tensor.conversion import to
from ..tensor.core import Tensor, wrap
from ..tensor.elementwise import describe

bool = np.dtype(np.bool_)
int8, int16, int32, int64 = map(np.dtype, (np.int8, np.int16, np.int32, np.int64))
uint8, uint16, uint32, uint64 = map(np.dtype, (np.uint8, np.uint16, np.uint32, np.uint64))
float32, float64 = map(np.dtype, (np.float32, np.float64))

DTYPES = {str(dtype): dtype for dtype in (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64)}
KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
         "complex floating": "c", "numeric": "iuf"}

# What functions take, by the letters that NumPy has for kinds of dtypes
ANY, NUMERIC, INTEGER, INTEGER_OR_BOOL, BOOL, FLOATING = "biuf", "iuf", "iu", "biu", "b", "f"
_WORDS = {ANY: "any dtype", NUMERIC: "numeric dtypes", INTEGER: "integer dtypes", INTEGER_OR_BOOL: "integer dtypes and bool",
          BOOL: "bool", FLOATING: "floating-point dtypes"}
_NUMBERS = {"b": 1, "i": 2, "u": 2, "f": 3}             # the last of bool, int and float that a dtype takes


def is_dtype(value):
    return isinstance(value, np.dtype) and value in DTYPES.values()


def check_dtype(dtype):
    """The dtype, or None. ValueError for what is not a dtype of the namespace."""
    if dtype is not None and not is_dtype(dtype):
        raise ValueError(f"a dtype is one of {', '.join(DTYPES)}, not {dtype!r}")
    return dtype


def check(name, kinds, *tensors):
    """TypeError for what is no tensor, and for dtypes that a function does not take."""
    for x in tensors:
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} takes tensors, not {describe(x)}; make one of it with asarray")
        if x.dtype.kind not in kinds:
            raise TypeError(f"{name} takes {_WORDS[kinds]}, and this tensor is {x.dtype}; convert it with astype")


def promote(first, second):
    """The dtype of both; TypeError across kinds, for which the standard has none."""
    if first == second:
        return first
    result = np.promote_types(first, second)
    same_kind = "f" if result.kind == "f" else "iu"
    if first.kind not in same_kind or second.kind not in same_kind:
        raise TypeError(f"{first} and {second} have no common dtype in the array API standard; convert one of them with astype")
    return result


def _check_number(value, dtype):
    """TypeError for a Python number of a kind that a dtype doesn't take."""
    kind = 1 if isinstance(value, (np.bool_, builtins.bool)) else 2 if isinstance(value, (int, np.integer)) else 3
    if kind > _NUMBERS[dtype.kind] or (kind == 1) != (dtype.kind == "b"):
        raise TypeError(f"the number {value!r} does not go with a tensor of dtype {dtype}; convert one of them")


_numbers = int, float, np.bool_, np.integer, np.floating     # bools are ints, in Python


def result_type(*arrays_and_dtypes):
    """The dtype that tensors, dtypes and Python's numbers have together. TypeError where there is none."""
    dtypes = [v.dtype if isinstance(v, Tensor) else v for v in arrays_and_dtypes]
    numbers = [v for v in dtypes if isinstance(v, _numbers)]
    dtypes = [v for v in dtypes if not isinstance(v, _numbers)]
    for dtype in dtypes:
        if not is_dtype(dtype):
            raise TypeError(f"result_type takes tensors, dtypes and numbers, not {dtype!r}")
    if not dtypes:
        raise ValueError("result_type needs at least one tensor or dtype")
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = promote(result, dtype)
    for value in numbers:
        _check_number(value, result)
    return result


def common(name, kinds, *values):
    """Tensors and Python's numbers, of which at least one is a tensor, as tensors of their common dtype."""
    tensors = [v for v in values if isinstance(v, Tensor)]
    for value in values:
        if not isinstance(value, (Tensor, *_numbers)):
            raise TypeError(f"{name} takes tensors and numbers, not {describe(value)}; make a tensor of it with asarray")
    if not tensors:
        raise TypeError(f"{name} takes at least one tensor, and these are numbers: {', '.join(map(repr, values))}")
    check(name, kinds, *tensors)
    dtype = result_type(*values)
    return [to(v, dtype) if isinstance(v, Tensor) else wrap(np.asarray(v, dtype)) for v in values]


def normal_axis(axis, ndim):
    """An axis counted from 0. AxisError, which is an IndexError and a ValueError, for one that is not there."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def normal_axes(axis, ndim):
    """Axes counted from 0, a sorted tuple, of one axis, several, or None for all. ValueError for repeats."""
    if axis is None:
        return tuple(range(ndim))
    axes = [normal_axis(a, ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(axes)) < len(axes):
        raise ValueError(f"an axis is given twice in {axis}")
    return tuple(sorted(axes))


def can_cast(from_, to, /):
    """Whether a dtype, or that of a tensor, can be promoted to another one."""
    from_ = from_.dtype if isinstance(from_, Tensor) else from_
    if not is_dtype(from_) or not is_dtype(to):
        raise TypeError(f"can_cast takes a tensor or dtype, and a dtype, not {from_!r} and {to!r}")
    try:
        return promote(from_, to) == to
    except TypeError:
        return False


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: another dtype, a name ("bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating", "numeric"), or one of a tuple of these."""
    if not is_dtype(dtype):
        raise TypeError(f"isdtype takes a dtype, not {dtype!r}")
    if isinstance(kind, tuple):
        if any([isinstance(k, tuple) for k in kind]):
            raise TypeError("the kinds in a tuple are dtypes and names, not tuples")
        return any([isdtype(dtype, k) for k in kind])
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"a kind of dtypes is one of {', '.join(map(repr, KINDS))}, not {kind!r}")
        return dtype.kind in KINDS[kind]
    if not is_dtype(kind):
        raise TypeError(f"a kind is a dtype, a name, or a tuple of them, not {kind!r}")
    return dtype == kind


@dataclass(frozen=True, eq=False)
class FloatInfo:
    """What finfo says of a floating dtype."""
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class IntInfo:
    """What iinfo says of an integer dtype."""
    bits: int
    max: int
    min: int
    dtype: np.dtype


def finfo(type, /):
    """The limits of a floating dtype, or of that of a tensor."""
    dtype = type.dtype if isinstance(type, Tensor) else type
    if not is_dtype(dtype) or dtype.kind != "f":
        raise TypeError(f"finfo takes a floating dtype, or a tensor of one, not {type!r}")
    info = np.finfo(dtype)
    return FloatInfo(int(info.bits), *map(float, (info.eps, info.max, info.min, info.smallest_normal)), dtype)


def iinfo(type, /):
    """The limits of an integer dtype, or of that of a tensor."""
    dtype = type.dtype if isinstance(type, Tensor) else type
    if not is_dtype(dtype) or dtype.kind not in "iu":
        raise TypeError(f"iinfo takes an integer dtype, or a tensor of one, not {type!r}")
    info = np.iinfo(dtype)
    return IntInfo(info.bits, info.max, info.min, dtype)


__all__ = [
    "bool",
    "can_cast",
    "finfo",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
