"""Elements in another order, several times, or between others: flip, roll, repeat, pad, triangles, diagonals, grids.

What these give are copies. A recorded one is a single record: a strided plan where one describes it, otherwise the places
that elements are read from, worked out by NumPy's own function on an array of places.
"""
import math

import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, Tensor, record_planned, wrap
from ..elementwise import apply, describe, size_of
from ..plans import kept_places_plan, view_plan
from ..registry import public
from .arguments import (
    as_tensor_operand,
    check_size,
    index_array,
    integer,
    normalize_axes,
    normalize_axis,
    one_name,
    recording,
    shape_argument,
)
from .joining import concatenate, stack
from .views import atleast_2d, broadcast_to, moveaxis, reshape, tracked_view
from .views import diagonal as diagonal_of


def rearranged(x, function, key, label):
    """``function(x)``, which moves or repeats elements as NumPy does, whatever they are; `key` tells functions of one label
    apart."""
    if not recording(x):
        return wrap(np.ascontiguousarray(function(x._array())))
    return record_planned(BY_NAME["take"], x, kept_places_plan(x._shape, function, key, label))


def embedded(x, shape, part, label):
    """Zeros of a shape with `x` in the part that a view shows of it; the adjoint of that view."""
    if not recording(x):
        out = np.zeros(shape, x.dtype)
        part(out)[...] = x._array()
        return wrap(out)
    return record_planned(BY_NAME["sum"], x, view_plan(shape, part, label).adjoint())


# Order ----------------------------------------------------------------------------------------------------------------

@public()
def flip(x, *axes, dims=None, axis=None):
    """Axes backward: those given, or all. A copy, as in PyTorch, and not a view as in NumPy."""
    x = as_tensor_operand(x, "flip")
    named = one_name(dims, axis, ("dims", "axis"))
    axes = axes if named is None else (named,)
    axes = normalize_axes(None if not axes or axes == (None,) else shape_argument(axes, "flip"), len(x._shape))
    index = (*(slice(None, None, -1) if a in axes else slice(None) for a in range(len(x._shape))), ...)
    return _copied(x, lambda a: a[index], axes, "Flip")


def _copied(x, view, key, label):
    """A copy of a view of `x`."""
    return tracked_view(x, view, key, label) if recording(x) else wrap(view(x._array()).copy())


@public()
def fliplr(x):
    """The second axis backward."""
    return flip(_of_axes(x, 2, "fliplr"), 1)


@public()
def flipud(x):
    """The first axis backward."""
    return flip(_of_axes(x, 1, "flipud"), 0)


def _of_axes(x, least, name):
    x = as_tensor_operand(x, name)
    if len(x._shape) < least:
        raise ValueError(f"{name} takes tensors of at least {least} axes, and this one's shape is {x._shape}")
    return x


@public()
def roll(x, shifts, dims=None, *, axis=None):
    """Elements moved along axes, those that leave at the end entering at the start; without an axis, along the flat tensor."""
    x = as_tensor_operand(x, "roll")
    shifts, axes = shape_argument((shifts,), "roll"), one_name(dims, axis, ("dims", "axis"))
    if axes is not None and axes != ():
        axes = tuple(normalize_axis(a, len(x._shape)) for a in (axes if isinstance(axes, (tuple, list)) else (axes,)))
        if len(axes) > 1 and len(shifts) == 1:
            shifts *= len(axes)
        if len(shifts) not in (len(axes), 1 if len(axes) == 1 else len(axes)) and len(axes) != 1:
            raise ValueError(f"roll by {shifts} along {axes}: give one shift for each axis")
        if len(axes) == 1 and len(shifts) > 1:
            axes *= len(shifts)
    else:
        axes, shifts = None, (sum(shifts),)
    key = shifts, axes
    return rearranged(x, lambda a: np.roll(a, shifts[0] if axes is None else shifts, axes), key, "Roll")


@public()
def rot90(x, k=1, dims=(0, 1), *, axes=None):
    """Rotated by 90 degrees, k times, in the plane of two axes, from the first toward the second. A copy."""
    x = as_tensor_operand(x, "rot90")
    plane = tuple(normalize_axis(a, len(x._shape)) for a in (dims if axes is None else axes))
    if len(plane) != 2 or plane[0] == plane[1] or len(x._shape) < 2:
        raise ValueError(f"rot90 takes two different axes, not {dims if axes is None else axes}, of shape {x._shape}")
    key = integer(k, "rot90") % 4, plane
    return _copied(x, lambda a: np.rot90(a, *key), key, "Rot90")


# Repeats --------------------------------------------------------------------------------------------------------------

@public()
def tile(x, *reps, dims=None):
    """The whole tensor several times along each axis, as ``np.tile``."""
    x = as_tensor_operand(x, "tile")
    reps = shape_argument(reps if dims is None else (dims,), "tile")
    if any(n < 0 for n in reps):
        raise ValueError(f"tile repeats an axis at least 0 times, not {reps}")
    check_size(size_of(x._shape) * size_of(reps), "tile")
    return rearranged(x, lambda a: np.tile(a, reps), reps, "Repeat")


@public()
def repeat_interleave(x, repeats, dim=None, *, axis=None, output_size=None):
    """Each element several times, `repeats` the count or one for each, in the flat tensor or along an axis; as ``np.repeat``."""
    x = as_tensor_operand(x, "repeat")
    axis = one_name(dim, axis, ("dim", "axis"))
    axis = None if axis is None else normalize_axis(axis, len(x._shape))
    counts = index_array(repeats, "repeat")
    size = size_of(x._shape) if axis is None else (x._shape or (1,))[axis]
    if counts.ndim > 1 or counts.size not in (1, size):
        raise ValueError(f"repeat takes one count, or one for each of {size} elements, not counts of shape {counts.shape}")
    if (counts < 0).any():
        raise ValueError("repeat: an element can't be there a negative number of times")
    there = sum(counts.ravel().tolist()) * (size if counts.size == 1 else 1)
    check_size(there * (1 if axis is None else size_of(x._shape) // max(size, 1)), "repeat")
    return rearranged(x, lambda a: np.repeat(a, counts.reshape(-1), axis), (counts.shape, counts.tobytes(), axis),
                      "RepeatInterleave")


@public(method=False)
def repeat(x, repeats, axis=None):
    """Each element several times, as ``np.repeat``; the method ``x.repeat(2, 3)`` is PyTorch's, which is tile."""
    return repeat_interleave(x, repeats, axis=axis)


def repeat_method(x, *repeats, axis=None):
    """The whole tensor several times along each axis, as PyTorch: ``x.repeat(2, 3)`` is ``tile(x, (2, 3))``. With ``axis=``,
    each element several times along it, as NumPy."""
    if axis is not None:
        return repeat_interleave(x, *repeats, axis=axis)
    counts = shape_argument(repeats, "repeat")
    if len(counts) < len(x._shape):
        raise ValueError(f"x.repeat{counts} gives a count for {len(counts)} axes of a tensor of shape {x._shape}; give one for "
                         "each, or axis= for NumPy's repeat")
    return tile(x, counts)


# Padding --------------------------------------------------------------------------------------------------------------

_MODES = {"constant", "edge", "reflect", "symmetric", "wrap"}


@public(method=False)
def pad(array, pad_width, mode="constant", *, constant_values=0, reflect_type="even"):
    """Elements before and after each axis, as ``np.pad``: constants, or those of the tensor by mode 'edge', 'reflect',
    'symmetric' or 'wrap'."""
    x = as_tensor_operand(array, "pad")
    if mode not in _MODES or reflect_type != "even":
        raise ValueError(f"pad has the modes {', '.join(sorted(_MODES))}, with reflect_type='even', not {mode!r} with "
                         f"{reflect_type!r}")
    widths = _widths(pad_width, x._shape)
    return _pad_constant(x, widths, constant_values) if mode == "constant" else _pad_again(x, widths, mode)


def _pad_again(x, widths, mode):
    """With elements of the tensor, by one of NumPy's modes."""
    return rearranged(x, lambda a: np.pad(a, widths, mode), (widths, mode), "Pad")


def _widths(pad_width, shape):
    if isinstance(pad_width, dict):
        by_axis = {normalize_axis(a, len(shape)): w for a, w in pad_width.items()}
        pad_width = [by_axis.get(a, 0) for a in range(len(shape))]
        pad_width = [(w, w) if isinstance(w, int) else tuple(w) for w in pad_width]
    array = index_array(pad_width, "pad")
    try:
        widths = np.broadcast_to(array, (len(shape), 2)).tolist()
    except ValueError:
        raise ValueError(f"pad takes a width, a pair, or a pair for each of {len(shape)} axes, not {pad_width}") from None
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError(f"pad takes widths of at least 0, not {pad_width}")
    return tuple(map(tuple, widths))


def _pad_constant(x, widths, values):
    shape = tuple(n + before + after for n, (before, after) in zip(x._shape, widths))
    if isinstance(values, Tensor):
        if recording(values):
            if values._shape:
                raise NotImplementedError("pad has derivatives by one constant value, a tensor without axes, and this one has "
                                          f"shape {values._shape}; detach() it, or concatenate")
            frame = np.pad(np.zeros(x._shape), widths, constant_values=1.0)
            return _pad_constant(x, widths, 0) + values * wrap(frame)
        values = values._array()
    values = np.broadcast_to(np.asarray(values), (len(shape), 2))
    part = tuple(slice(before, before + n) for n, (before, _) in zip(x._shape, widths))
    if not widths or not any(map(any, widths)):
        return apply(BY_NAME["clone"], x)
    z = embedded(x, shape, lambda a: a[part], "ConstantPad")
    if not values.any():
        return z
    frame = np.pad(np.zeros(x._shape, x.dtype), widths, constant_values=values.tolist())
    return apply(BY_NAME["add"], z, wrap(frame)) if recording(x) else wrap(_filled(frame, part, x))


def _filled(frame, part, x):
    frame[part] = x._array()
    return frame


_TORCH_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad_last_axes(x, pad, mode="constant", value=None):
    """As PyTorch's ``nn.functional.pad``: widths before and after, the last axis first; negative ones take elements away.
    Modes: 'constant', 'reflect', 'replicate', 'circular'."""
    x = as_tensor_operand(x, "pad")
    widths = shape_argument((pad,), "pad")
    if len(widths) % 2 or len(widths) > 2 * len(x._shape):
        raise ValueError(f"pad takes pairs of widths for at most {len(x._shape)} axes, the last axis first, not {widths}")
    if mode not in _TORCH_MODES:
        raise ValueError(f"pad has the modes {', '.join(_TORCH_MODES)}, not {mode!r}")
    pairs = [(0, 0)] * (len(x._shape) - len(widths) // 2) + list(zip(widths[::2], widths[1::2]))[::-1]
    kept = []
    for n, (before, after) in zip(x._shape, pairs):
        start, stop = max(0, -before), n - max(0, -after)
        if stop < start:
            raise ValueError(f"pad by {widths} takes away more than there is of shape {x._shape}")
        kept.append(slice(start, stop))
    if any(n < 0 for n in widths):
        x = x[tuple(kept)]
    pairs = tuple((max(0, before), max(0, after)) for before, after in pairs)
    if mode == "constant":
        return _pad_constant(x, pairs, 0 if value is None else value)
    for n, pair in zip(x._shape, pairs):
        if max(pair) > {"reflect": n - 1, "circular": n}.get(mode, math.inf) or (any(pair) and not n):
            raise ValueError(f"pad in mode {mode!r} by {pair} needs an axis that is longer than {n}")
    return _pad_again(x, pairs, _TORCH_MODES[mode])


# Triangles and diagonals ----------------------------------------------------------------------------------------------

def _triangle(name, keep):
    def function(x, diagonal=0, *, k=None):
        x = as_tensor_operand(x, name)
        if len(x._shape) < 2:
            if name in ("tril", "triu") and len(x._shape) == 1:      # as NumPy: a row, several times
                x = x * wrap(np.ones((x._shape[0], 1), x.dtype))
            else:
                raise ValueError(f"{name} takes a matrix, or a batch of them, and the shape is {x._shape}")
        offset = integer(diagonal if k is None else k, function.__name__)
        mask = keep(x._shape[-2:], offset)
        zero = 0.0 if x.dtype in FLOATS else wrap(np.zeros((), x.dtype))
        return apply(BY_NAME["where"], wrap(np.broadcast_to(mask, x._shape)), x, zero)
    function.__name__ = function.__qualname__ = name
    return function


tril = public()(_triangle("tril", lambda shape, k: np.tri(*shape, k=k, dtype=bool)))
tril.__doc__ = "The lower triangle of matrices, up to a diagonal, zeros above it."
triu = public()(_triangle("triu", lambda shape, k: ~np.tri(*shape, k=k - 1, dtype=bool)))
triu.__doc__ = "The upper triangle of matrices, from a diagonal, zeros below it."


def _diagonal_part(offset):
    def part(a):
        n = a.shape[0] - abs(offset)
        start = (offset if offset >= 0 else 0, -offset if offset < 0 else 0)
        rows = a[start[1]:, start[0]:]
        return np.lib.stride_tricks.as_strided(rows, (n,), (a.strides[0] + a.strides[1],))
    return part


@public()
def diag(x, diagonal=0, *, k=None):
    """Of a vector, the matrix that has it on a diagonal; of a matrix, a copy of its diagonal."""
    x = as_tensor_operand(x, "diag")
    offset = integer(diagonal if k is None else k, "diag")
    if len(x._shape) == 1:
        n = x._shape[0] + abs(offset)
        return embedded(x, (n, n), _diagonal_part(offset), "Diag")
    if len(x._shape) != 2:
        raise ValueError(f"diag takes a vector or a matrix, and the shape is {x._shape}; use diagonal")
    return apply(BY_NAME["clone"], diagonal_of(x, offset))


@public()
def diagflat(x, offset=0, *, k=None):
    """The matrix that has all elements on a diagonal."""
    return diag(reshape(as_tensor_operand(x, "diagflat"), -1), offset if k is None else k)


@public()
def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    """Matrices in two new axes of the result that have the last axis on a diagonal."""
    x = as_tensor_operand(x, "diag_embed")
    if not x._shape:
        raise ValueError("diag_embed takes a tensor with axes, and this one has none")
    n, ndim = x._shape[-1] + abs(offset), len(x._shape) + 1
    first, second = normalize_axis(dim1, ndim), normalize_axis(dim2, ndim)
    if first == second:
        raise ValueError(f"diag_embed takes two different axes, not {dim1} and {dim2}")
    z = embedded(x, (*x._shape[:-1], n, n), lambda a: _writable_diagonals(a, offset), "DiagEmbed")
    return z if (first, second) == (ndim - 2, ndim - 1) else moveaxis(z, (-2, -1), (first, second))


def _writable_diagonals(array, offset):
    out = np.diagonal(array, offset, -2, -1)
    out.flags.writeable = array.flags.writeable
    return out


# Several tensors --------------------------------------------------------------------------------------------------------

@public(method=False)
def meshgrid(*tensors, indexing=None, sparse=False, copy=True):
    """Coordinates of a grid from vectors, a tuple. ``indexing='ij'``, the default as in PyTorch: an axis for each in order;
    'xy': the first two exchanged, which is what ``np.meshgrid`` does by default."""
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    if indexing not in (None, "ij", "xy"):
        raise ValueError(f"meshgrid has indexing 'ij' or 'xy', not {indexing!r}")
    vectors = [reshape(as_tensor_operand(x, "meshgrid"), -1) for x in tensors]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = 1, 0
    shape = [1] * len(vectors)
    for x, a in zip(vectors, places):
        shape[a] = x._shape[0]
    grids = [reshape(x, *(n if q == a else 1 for q, n in enumerate(shape))) for x, a in zip(vectors, places)]
    if sparse:
        return tuple(grids)
    grids = [broadcast_to(x, tuple(shape)) for x in grids]
    return tuple(apply(BY_NAME["clone"], x) if copy else x for x in grids)


@public(function=False, method=False, numpy=np.meshgrid)
def numpy_meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """As ``np.meshgrid``, whose default is indexing 'xy'."""
    return meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)


@public(method=False)
def block(arrays):
    """A tensor from nested lists of blocks: the innermost joined along the last axis, the next along the one before it."""
    def depth(part):
        if not isinstance(part, list):
            return 0
        if not part:
            raise ValueError("block of an empty list; give at least one tensor in each")
        depths = {depth(p) for p in part}
        if len(depths) > 1:
            raise ValueError("block takes lists of one depth, and these differ")
        return 1 + depths.pop()

    def axes(part):
        return max(map(axes, part)) if isinstance(part, list) else len(as_tensor_operand(part, "block")._shape)

    levels = depth(arrays)
    ndim = max(levels, axes(arrays))

    def joined(part, level):
        if isinstance(part, list):
            return concatenate([joined(p, level + 1) for p in part], axis=level - levels)
        part = as_tensor_operand(part, "block")
        return reshape(part, *(1,) * (ndim - len(part._shape)), *part._shape)

    z = joined(arrays, 0)
    return apply(BY_NAME["clone"], z) if not isinstance(arrays, list) else z


@public(method=False)
def append(x, values, axis=None):
    """`values` behind a tensor, both flat, or along an axis."""
    x, values = as_tensor_operand(x, "append"), as_tensor_operand(values, "append")
    if axis is None:
        x, values, axis = reshape(x, -1), reshape(values, -1), 0
    return concatenate([x, values], axis)


@public(method=False)
def delete(x, obj, axis=None):
    """Without the elements, or slices along an axis, at indices, a slice, or where a mask is true."""
    x = as_tensor_operand(x, "delete")
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis = normalize_axis(axis, len(x._shape))
    obj = _plain_index(obj)
    kept = np.delete(np.arange(x._shape[axis]), obj)
    return x[(slice(None),) * axis + (kept,)]


def _plain_index(obj):
    if isinstance(obj, Tensor):
        obj = obj._array()
    if isinstance(obj, slice):
        return obj
    array = np.asarray(obj)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iub":
        raise TypeError(f"indices are integers, a slice or a mask, not {describe(obj)}")
    return obj if array.ndim == 0 else array


@public(method=False)
def insert(x, obj, values, axis=None):
    """`values` before the elements, or slices along an axis, at indices; as ``np.insert``."""
    x, values = as_tensor_operand(x, "insert"), as_tensor_operand(values, "insert")
    if axis is None:
        x, axis = reshape(x, -1), 0
    axis, obj = normalize_axis(axis, len(x._shape)), _plain_index(obj)
    size = size_of(x._shape)
    # NumPy inserts the places of the values, which lie behind those of x, among the places of x
    inserted = size + np.arange(size_of(values._shape)).reshape(values._shape)
    places = np.insert(np.arange(size).reshape(x._shape), obj, inserted, axis)
    both = concatenate([reshape(x, -1), reshape(values, -1).to(x.dtype)])
    return both[places]


@public(method=False)
def block_diag(*tensors):
    """Matrices along a diagonal, zeros elsewhere; vectors and numbers count as rows."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    matrices = [atleast_2d(as_tensor_operand(x, "block_diag")) for x in tensors] or [wrap(np.zeros((1, 0)))]
    if any(len(x._shape) > 2 for x in matrices):
        raise ValueError(f"block_diag takes matrices, and the shapes are {[x._shape for x in matrices]}")
    width, left, rows = sum(x._shape[1] for x in matrices), 0, []
    for x in matrices:
        rows.append(pad(x, ((0, 0), (left, width - left - x._shape[1]))))
        left += x._shape[1]
    return concatenate(rows)


@public(method=False)
def cartesian_prod(*tensors):
    """All combinations of an element of each vector, one in each row, the last vector's changing fastest."""
    if len(tensors) == 1:
        return reshape(as_tensor_operand(tensors[0], "cartesian_prod"), -1)
    return stack([reshape(x, -1) for x in meshgrid(*tensors)], -1)
