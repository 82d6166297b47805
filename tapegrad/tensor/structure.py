"""Operations on the shape of a tensor: reductions, views, indexing, joining, matrix products.

Each computes with NumPy what needs no derivative, and otherwise records with a plan. Axes are called `dim` as in PyTorch
or `axis` as in NumPy; both work everywhere.
"""
import functools
import math
import operator

import numpy as np

from ..ops import BY_NAME
from ..sweeps import ALIASED
from ..tape import state
from . import core
from .core import (Tensor, common_dtype, float32, float64, mark_aliased, record_many, record_planned, root_of, tracked,
                   wrap, writes)
from .elementwise import broadcast, describe, operand, size_of
from .plans import (assignment_plan, concatenate_plan, matmul_plan, phantom, places_plan,
                    reduction_plan, reshape_plan, rows_plan, view_plan)

RESHAPE, VIEW = BY_NAME["reshape"], BY_NAME["view"]


# Arguments ------------------------------------------------------------------------------------------------------------

def as_tensor_operand(x, name):
    """A tensor; numbers become tensors without axes."""
    x = operand(x, name)
    return x if isinstance(x, Tensor) else wrap(np.asarray(x))


def recording(*tensors):
    return state().enabled and any([tracked(x) for x in tensors])


def axis_argument(axis, dim):
    """`axis` and `dim` mean the same; None where neither is given."""
    if dim is not None:
        if axis is not None:
            raise TypeError(f"axis={axis} and dim={dim} are two names of one argument; give one of them")
        return dim
    return axis


def normalize_axis(axis, ndim):
    try:
        axis = operator.index(axis)
    except TypeError:
        raise TypeError(f"an axis is an integer, not {describe(axis)}") from None
    if not -(ndim or 1) <= axis < (ndim or 1):
        raise IndexError(f"axis {axis} is out of range for a tensor with {ndim} axes")
    return axis % (ndim or 1)


def normalize_axes(axes, ndim):
    """All axes for None, otherwise a sorted tuple without repeats."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    axes = tuple(normalize_axis(a, ndim) for a in axes)
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is given twice in {axes}")
    return tuple(sorted(axes)) if ndim else ()


def shape_argument(shape, name):
    """(2, 3) from f(2, 3), f((2, 3)) and f([2, 3])."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    try:
        return tuple(operator.index(n) for n in shape)
    except TypeError:
        raise TypeError(f"{name} takes integers, not {shape!r:.60}") from None


# Reductions -----------------------------------------------------------------------------------------------------------

def _floating(x, dtype):
    if dtype is not None:
        from .conversion import to
        x = to(x, dtype)
    return x


def sum(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):  # noqa: A001
    """The sum of all elements, or over `axis` (an axis, or several). Integers and bools give int64."""
    x = _floating(as_tensor_operand(x, "sum"), dtype)
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        return wrap(np.asarray(x._array().sum(axis=axes, keepdims=keep)))
    return record_planned(BY_NAME["sum"], x, reduction_plan(x._shape, axes, keep, "Sum"))


def mean(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The mean of all elements, or over `axis`; nan of no elements. RuntimeError for integers."""
    x = _floating(as_tensor_operand(x, "mean"), dtype)
    if x.dtype not in (float64, float32):
        raise RuntimeError(f"mean takes floating point numbers, and this tensor is {x.dtype}; convert it with .double()")
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        total = x._array().sum(axis=axes, keepdims=keep)
        with np.errstate(all="ignore"):
            return wrap(np.asarray(total / x.dtype.type(math.prod(x._shape[a] for a in axes))))
    return record_planned(BY_NAME["mean"], x, reduction_plan(x._shape, axes, keep, "Mean"))


def amax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    return _extremum("amax", x, axis_argument(axis, dim), keepdims or keepdim, "Amax")


def amin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The smallest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    return _extremum("amin", x, axis_argument(axis, dim), keepdims or keepdim, "Amin")


def _extremum(name, x, axis, keep, label):
    x = as_tensor_operand(x, name)
    axes = normalize_axes(axis, len(x._shape))
    if math.prod(x._shape[a] for a in axes) == 0:
        raise ValueError(f"{name} of no elements: the shape is {x._shape} and the axes are {axes}")
    if not recording(x):
        return wrap(np.asarray(getattr(np, name)(x._array(), axis=axes, keepdims=bool(keep))))
    kept = tuple(a for a in range(len(x._shape)) if a not in axes)
    order = kept + axes
    rows = x if order == tuple(range(len(order))) else permute(x, order)
    if keep:
        shape = tuple(1 if a in axes else n for a, n in enumerate(x._shape))
    else:
        shape = tuple(x._shape[a] for a in kept)
    length = math.prod(x._shape[a] for a in axes)
    plan = rows_plan(math.prod(shape), length, shape, label)
    return record_planned(BY_NAME[name], rows, plan)


class _ValuesIndices(tuple):
    """A pair with names, as PyTorch gives it."""
    __slots__ = ()
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    def __repr__(self):
        return f"(values={self[0]!r}, indices={self[1]!r})"


def max(x, axis=None, keepdims=False, *, dim=None, keepdim=False):  # noqa: A001
    """The largest element; ``max(x, dim)`` its values and indices along an axis, ``max(x, y)`` elementwise."""
    return _max_or_min("amax", "maximum", x, axis, dim, keepdims or keepdim)


def min(x, axis=None, keepdims=False, *, dim=None, keepdim=False):  # noqa: A001
    """The smallest element; ``min(x, dim)`` its values and indices along an axis, ``min(x, y)`` elementwise."""
    return _max_or_min("amin", "minimum", x, axis, dim, keepdims or keepdim)


def _max_or_min(name, pairwise, x, axis, dim, keep):
    if isinstance(axis, Tensor):
        from .elementwise import apply
        return apply(BY_NAME[pairwise], x, axis)
    x = as_tensor_operand(x, name)
    axis = axis_argument(axis, dim)
    if axis is None or isinstance(axis, (tuple, list)):
        return _extremum(name, x, axis, keep, "Max" if name == "amax" else "Min")
    axis = normalize_axis(axis, len(x._shape))
    if not x._shape:
        return _ValuesIndices((clone_view(x), wrap(np.zeros((), np.int64))))
    if x._shape[axis] == 0:
        raise IndexError(f"{name} along axis {axis}, which has no elements: the shape is {x._shape}")
    array = x._array()
    find = np.argmax if name == "amax" else np.argmin
    indices = np.asarray(find(array, axis=axis, keepdims=True))
    values = take_along(x, indices, axis)
    if not keep:
        values, indices = squeeze(values, axis), np.squeeze(indices, axis)
    return _ValuesIndices((values, wrap(indices)))


def clone_view(x):
    return reshape(x, x._shape)


def argmax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The index of the first largest element, in the flat tensor or along `axis`."""
    x, keep = as_tensor_operand(x, "argmax"), bool(keepdims or keepdim)
    return wrap(np.asarray(np.argmax(x._array(), axis=axis_argument(axis, dim), keepdims=keep)))


def argmin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The index of the first smallest element, in the flat tensor or along `axis`."""
    x, keep = as_tensor_operand(x, "argmin"), bool(keepdims or keepdim)
    return wrap(np.asarray(np.argmin(x._array(), axis=axis_argument(axis, dim), keepdims=keep)))


# Views ----------------------------------------------------------------------------------------------------------------
# A view is a step, ``step(array)``, with a key that finds its plan again; a view of a view is a chain of steps on the root.

class Step:
    """A NumPy view, as a function of any array of one shape."""
    __slots__ = ("function", "key", "label")

    def __init__(self, function, key, label):
        self.function, self.key, self.label = function, key, label


_view_plans: dict = {}
_RESHAPING = frozenset(("View", "Squeeze", "Unsqueeze"))  # steps that keep the order of the elements; their key is the new shape


def _plan_of(shape, step):
    key = shape, step.label, step.key
    plan = _view_plans.get(key)
    if plan is None:
        if len(_view_plans) > 8192:
            _view_plans.clear()
        plan = _view_plans[key] = view_plan(shape, step.function, step.label)
    return plan


def view(x: Tensor, step: Step) -> Tensor:
    """A tensor that shares the memory of `x`, and its versions; in the graph, a record."""
    if recording(x):
        z = _record_step(x, step)
        base = x._base
        if base is None:
            base, z._recipe = x, (step,)
        else:
            z._recipe = (*x._recipe, step)
        if base._data is None:
            mark_aliased(base)
        z._base = base
        z._seen = writes(base)
        return z
    else:
        z = wrap(step.function(x._array()))
        if core.inference_used:              # in inference_mode a view of another tensor is as that tensor
            z._inference = x._inference
    z._base = root_of(x)
    z._recipe = (*x._recipe, step)
    z._seen = writes(z._base)
    return z


def _record_step(x, step):
    if step.label in _RESHAPING:
        return record_planned(RESHAPE, x, reshape_plan(x._shape, step.key, step.label), ALIASED)
    return record_planned(VIEW, x, _plan_of(x._shape, step), ALIASED)


def view_steps(root, steps):
    """Records a chain of views of a root, whatever the mode."""
    x = root
    for step in steps:
        x = _record_step(x, step)
    return x


def reshape(x, *shape):
    """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so in memory."""
    x = as_tensor_operand(x, "reshape")
    shape = complete_shape(x._shape, shape_argument(shape, "reshape"))
    if _can_view(x, shape):
        return view(x, Step(lambda a: a.reshape(shape), shape, "View"))
    if recording(x):
        return record_planned(RESHAPE, x, reshape_plan(x._shape, shape, "UnsafeView"))
    return wrap(x._array().reshape(shape))


def view_as_shape(x, *shape):
    """As reshape, and always a view: ValueError where the elements don't lie so in memory."""
    shape = complete_shape(x._shape, shape_argument(shape, "view"))
    if not _can_view(x, shape):
        raise ValueError(f"view from shape {x._shape} to {shape} would have to jump in memory, where this tensor has its elements in "
                         "another order; use reshape(), which copies if it must, or contiguous() first")
    return reshape(x, *shape)


def laid_out(x):
    """An array whose elements lie in memory as those of a tensor do; their values are not to be read."""
    if x._data is not None:
        return x._data
    root = root_of(x)
    memory = np.empty(root._shape, np.uint8) if root._data is None else root._data
    for step in x._recipe:
        memory = step.function(memory)
    return memory


def is_contiguous(x):
    """Whether the elements lie in memory in their order, without gaps."""
    if x._data is None and (x._base is None or all(step.label in _RESHAPING for step in x._recipe)):
        return True
    return laid_out(x).flags.c_contiguous


def _can_view(x, shape):
    if is_contiguous(x):
        return True
    memory = laid_out(x)
    return np.may_share_memory(memory.reshape(shape), memory)


def complete_shape(old, shape):
    size = size_of(old)
    if shape.count(-1) == 1:
        rest = math.prod(n for n in shape if n != -1)
        if rest and size % rest == 0:
            shape = tuple(size // rest if n == -1 else n for n in shape)
    if any(n < 0 for n in shape) or math.prod(shape) != size:
        raise ValueError(f"shape {old} with {size} elements can't become {shape}; the lengths must multiply to {size}, "
                         "and at most one may be -1")
    return shape


def permute(x, *axes, dims=None):
    """The axes in another order. A view."""
    x = as_tensor_operand(x, "permute")
    axes = shape_argument(axes if dims is None else (dims,), "permute")
    order = tuple(normalize_axis(a, len(x._shape)) for a in axes)
    if sorted(order) != list(range(len(x._shape))):
        raise ValueError(f"axes {axes} are no permutation of the {len(x._shape)} axes of shape {x._shape}")
    return view(x, Step(lambda a: a.transpose(order), order, "Permute"))


def transpose(x, *axes, dim0=None, dim1=None):
    """Two axes exchanged, ``transpose(x, 0, 1)``, or as in NumPy all reversed or in the order given. A view."""
    x = as_tensor_operand(x, "transpose")
    if dim0 is not None:
        axes = (dim0, dim1)
    if not axes or axes == (None,):
        return permute(x, *reversed(range(len(x._shape))))
    if len(axes) == 2 and not isinstance(axes[0], (tuple, list)):
        return swapaxes(x, *axes)
    return permute(x, *axes)


def swapaxes(x, axis1, axis2):
    """Two axes exchanged. A view."""
    x = as_tensor_operand(x, "swapaxes")
    a, b = normalize_axis(axis1, len(x._shape)), normalize_axis(axis2, len(x._shape))
    if not x._shape:
        return view(x, Step(lambda array: array[...], (), "Transpose"))
    return view(x, Step(lambda array: array.swapaxes(a, b), (a, b), "Transpose"))


def matrix_transpose(x):
    """The last two axes exchanged. A view."""
    x = as_tensor_operand(x, "matrix_transpose")
    if len(x._shape) < 2:
        raise ValueError(f"the transpose of matrices needs two axes, and this tensor's shape is {x._shape}")
    return swapaxes(x, -2, -1)


def t(x):
    """The transpose of a matrix; a vector or number as it is. A view."""
    x = as_tensor_operand(x, "t")
    if len(x._shape) > 2:
        raise RuntimeError(f"t() takes tensors of at most 2 axes, and this one's shape is {x._shape}; use .mT or permute()")
    order = tuple(reversed(range(len(x._shape))))
    return view(x, Step(lambda a: a.transpose(order), order, "T"))


def broadcast_to(x, *shape):
    """Repeated along new axes and those of length 1, as NumPy broadcasts. A view."""
    x = as_tensor_operand(x, "broadcast_to")
    shape = shape_argument(shape, "broadcast_to")
    if broadcast(x._shape, shape) != shape:
        raise ValueError(f"shape {x._shape} can't be broadcast to {shape}")
    return view(x, Step(lambda a: _expanded(a, shape), shape, "Expand"))


def _expanded(array, shape):
    """As np.broadcast_to, but writable: what is written is checked in `inplace`."""
    new = len(shape) - array.ndim
    strides = [0] * new + [s if n == m else 0 for n, m, s in zip(array.shape, shape[new:], array.strides)]
    return np.lib.stride_tricks.as_strided(array, shape, strides)


def expand(x, *shape):
    """As broadcast_to; -1 keeps a length."""
    x = as_tensor_operand(x, "expand")
    shape = shape_argument(shape, "expand")
    missing = len(shape) - len(x._shape)
    if missing < 0:
        raise ValueError(f"expand to {shape} has fewer axes than the tensor's shape {x._shape}")
    full = tuple((x._shape[a - missing] if a >= missing else -1) if n == -1 else n for a, n in enumerate(shape))
    if -1 in full:
        raise ValueError(f"expand to {shape}: -1 can't stand for a new axis of a tensor of shape {x._shape}")
    for n, m in zip(reversed(x._shape), reversed(full)):
        if n != m and n != 1:
            raise ValueError(f"expand from {x._shape} to {full}: only axes of length 1 can be repeated")
    return view(x, Step(lambda a: _expanded(a, full), full, "Expand"))


def squeeze(x, axis=None, *, dim=None):
    """Without axes of length 1: all of them, or those in `axis` that are. A view."""
    x = as_tensor_operand(x, "squeeze")
    axes = normalize_axes(axis_argument(axis, dim), len(x._shape))
    shape = tuple(n for a, n in enumerate(x._shape) if n != 1 or a not in axes)
    return view(x, Step(lambda a: a.reshape(shape), shape, "Squeeze"))


def unsqueeze(x, dim):
    """With a new axis of length 1 at `dim`. A view."""
    x = as_tensor_operand(x, "unsqueeze")
    axis = normalize_axis(dim, len(x._shape) + 1)
    shape = (*x._shape[:axis], 1, *x._shape[axis:])
    return view(x, Step(lambda a: a.reshape(shape), shape, "Unsqueeze"))


def flatten(x, start_dim=0, end_dim=-1):
    """Axes from `start_dim` to `end_dim` as one. A view."""
    x = as_tensor_operand(x, "flatten")
    if not x._shape:
        return reshape(x, 1)
    start, end = normalize_axis(start_dim, len(x._shape)), normalize_axis(end_dim, len(x._shape))
    return reshape(x, *x._shape[:start], math.prod(x._shape[start:end + 1]), *x._shape[end + 1:])


def diagonal(x, offset=0, axis1=0, axis2=1):
    """The elements on a diagonal of two axes. A view."""
    x = as_tensor_operand(x, "diagonal")
    key = offset, axis1, axis2
    return view(x, Step(lambda a: _writable_diagonal(a, *key), key, "Diagonal"))


def _writable_diagonal(array, *key):
    out = np.diagonal(array, *key)
    out.flags.writeable = array.flags.writeable
    return out


def unbind(x, dim=0):
    """The slices along an axis, a tuple of views."""
    x = as_tensor_operand(x, "unbind")
    if not x._shape:
        raise TypeError("a 0-d tensor has no axis to iterate over or take apart; use item()")
    axis = normalize_axis(dim, len(x._shape))
    return tuple(getitem(x, (slice(None),) * axis + (i,)) for i in range(x._shape[axis]))


# Indexing -------------------------------------------------------------------------------------------------------------

def _normal_index(index):
    """The index with tensors as arrays and lists as arrays, and whether it is basic: integers, slices, None, Ellipsis."""
    parts = index if type(index) is tuple else (index,)
    out, basic = [], True
    for part in parts:
        if type(part) is int or part is None or part is Ellipsis:
            pass
        elif type(part) is slice:
            if not all(v is None or type(v) is int for v in (part.start, part.stop, part.step)):
                part = slice(*(None if v is None else operator.index(v) for v in (part.start, part.stop, part.step)))
        elif isinstance(part, Tensor):
            if part.dtype.kind not in "iub":
                raise IndexError(f"tensors used as indices must be of integers or bools, not {part.dtype}")
            if part._shape or part.dtype == bool:
                part, basic = part._array(), False
            else:
                part = int(part._array())
        elif isinstance(part, (list, np.ndarray, bool, np.bool_)):
            part, basic = np.asarray(part), False
            if part.size == 0 and part.dtype == np.float64:
                part = part.astype(np.int64)
            if part.dtype.kind not in "iub":
                raise IndexError(f"arrays used as indices must be of integers or bools, not {part.dtype}")
        else:
            try:
                part = operator.index(part)
            except TypeError:
                raise IndexError(f"an index is made of integers, slices, None, ..., and arrays of integers or bools, not "
                                 f"{describe(part)}") from None
        out.append(part)
    return tuple(out), basic


def _key(index):
    """A slice is not hashable everywhere."""
    return tuple([(part.start, part.stop, part.step) if type(part) is slice else part for part in index])


def _index_step(index):
    key = _key(index)
    # Ellipsis keeps a single integer from giving a number instead of an array
    full = index if Ellipsis in key else (*index, Ellipsis)
    label = "Select" if any(type(part) is int for part in index) else "Slice"
    return Step(lambda a: a[full], key, label)


_steps: dict = {}                            # for single integers and slices


def getitem(x, index):
    """``x[index]``: a view for integers, slices, None and ...; for arrays of integers or bools a copy."""
    kind = type(index)
    if kind is int or kind is slice:
        key = index if kind is int else (index.start, index.stop, index.step)
        step = _steps.get((kind, key) if kind is slice else key)
        if step is None:
            parts, basic = _normal_index(index)
            step = _index_step(parts)
            if len(_steps) < 4096:
                _steps[(kind, key) if kind is slice else key] = step
        return view(x, step)
    index, basic = _normal_index(index)
    if basic:
        return view(x, _index_step(index))
    if not recording(x):
        return wrap(np.asarray(x._array()[index]))
    places = np.arange(size_of(x._shape)).reshape(x._shape)[index]
    return record_planned(BY_NAME["take"], x, places_plan(places, x._shape, "Index"))


def take_along(x, indices, axis):
    """The elements that an array of indices picks along an axis; as ``np.take_along_axis``."""
    if not recording(x):
        return wrap(np.take_along_axis(x._array(), indices, axis))
    places = np.take_along_axis(np.arange(size_of(x._shape)).reshape(x._shape), indices, axis)
    return record_planned(BY_NAME["take"], x, places_plan(places, x._shape, "Gather"))


def assignment(x, places, values, flags=0, label="CopySlices"):
    """Records `x` with its flat `places` (an array) taken from `values`; repeated places get the last one."""
    values = as_tensor_operand(values, "assignment")
    if values._shape != places.shape:
        shape = values._shape
        while len(shape) > places.ndim and shape[0] == 1:
            shape = shape[1:]
        if broadcast(shape, places.shape) != places.shape:
            raise ValueError(f"values of shape {values._shape} don't fit into a place of shape {places.shape}")
    source = np.full(size_of(x._shape), -1, np.int64)
    taken = np.arange(size_of(values._shape)).reshape(values._shape)
    if values._shape != places.shape:
        taken = np.broadcast_to(taken.reshape(shape), places.shape)
    source[places.reshape(-1)] = taken.reshape(-1)
    return record_many(BY_NAME["assign"], (x, values), assignment_plan(source, x._shape, label, values._shape),
                       x.dtype, flags)


# Joining --------------------------------------------------------------------------------------------------------------

MOST_OPERANDS = 8192                         # of one record; more are joined in groups


def concatenate(tensors, axis=0, *, dim=None):
    """Tensors joined along an axis."""
    tensors = _sequence(tensors, "concatenate")
    axis = axis if dim is None else dim
    # PyTorch lets an empty vector stand beside anything
    shaped = [x for x in tensors if x._shape != (0,)] or tensors[:1]
    shape = shaped[0]._shape
    if not shape:
        raise ValueError("tensors without axes can't be concatenated; use stack()")
    axis = normalize_axis(axis, len(shape))
    for x in shaped:
        if len(x._shape) != len(shape) or any(n != m for a, (n, m) in enumerate(zip(x._shape, shape)) if a != axis):
            raise ValueError(f"tensors to concatenate along axis {axis} must agree in all other axes, and the shapes are "
                             f"{shape} and {x._shape}")
    return _join(shaped, axis, "Cat")


def stack(tensors, axis=0, *, dim=None):
    """Tensors of one shape joined along a new axis."""
    tensors = _sequence(tensors, "stack")
    axis = normalize_axis(axis if dim is None else dim, len(tensors[0]._shape) + 1)
    shape = tensors[0]._shape
    for x in tensors:
        if x._shape != shape:
            raise ValueError(f"tensors to stack must have one shape, and these have {shape} and {x._shape}")
    return _join(tensors, axis, "Stack", shape)


def _sequence(tensors, name):
    if isinstance(tensors, Tensor):
        tensors = unbind(tensors)
    elif not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name} takes a list or tuple of tensors, not {describe(tensors)}")
    if not tensors:
        raise ValueError(f"{name} of an empty list; give at least one tensor")
    tensors = [operand(x, name) for x in tensors]
    number = next((x for x in tensors if not isinstance(x, Tensor)), None)
    if number is not None:
        raise TypeError(f"{name} takes tensors, not {describe(number)}; make one of it with tensor(...)")
    return tensors


def _join(tensors, axis, label, stacked=None):
    """Along `axis`, which each tensor has, or where `stacked` is their shape, doesn't have yet."""
    if not recording(*tensors):
        dtype = common_dtype(tensors) if any(x.dtype in (float64, float32) for x in tensors) else None
        arrays = [x._array() if dtype is None else x._array().astype(dtype, copy=False) for x in tensors]
        return wrap((np.concatenate if stacked is None else np.stack)(arrays, axis))
    dtype = common_dtype(tensors)
    if len(tensors) > MOST_OPERANDS:
        groups = [_join(tensors[k:k + MOST_OPERANDS], axis, label, stacked) for k in range(0, len(tensors), MOST_OPERANDS)]
        return _join(groups, axis, label)
    if stacked is None:
        parts = tuple(x._shape for x in tensors)
    else:
        parts = ((*stacked[:axis], 1, *stacked[axis:]),) * len(tensors)
    total = (*parts[0][:axis], math.fsum(p[axis] for p in parts).__int__(), *parts[0][axis + 1:])
    return record_many(BY_NAME["concatenate"], tensors, concatenate_plan(parts, axis, total, label), dtype)


# Products -------------------------------------------------------------------------------------------------------------

def matmul(x, y):
    """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
    x, y = as_tensor_operand(x, "matmul"), as_tensor_operand(y, "matmul")
    a, b = x._shape, y._shape
    if not a or not b:
        raise ValueError(f"matmul takes tensors with axes, and the shapes are {a} and {b}; use * to multiply by a number")
    k = a[-1]
    if k != (b[-2] if len(b) > 1 else b[0]):
        raise ValueError(f"matmul of shapes {a} and {b}: the last axis of the first, {k}, must be as long as the "
                         f"{'second to last' if len(b) > 1 else 'only'} axis of the second, {b[-2] if len(b) > 1 else b[0]}")
    if not recording(x, y):
        dtype = common_dtype([x, y]) if any(z.dtype in (float64, float32) for z in (x, y)) else None
        arrays = [z._array() if dtype is None else z._array().astype(dtype, copy=False) for z in (x, y)]
        return wrap(np.asarray(np.matmul(*arrays)))
    m, n = (a[-2] if len(a) > 1 else 1), (b[-1] if len(b) > 1 else 1)
    batch = broadcast(a[:-2], b[:-2])
    shape = batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ())
    # A batch of matrices by one shared matrix is one tall matrix by it
    if len(b) <= 2 and len(a) > 2:
        plan = matmul_plan(1, math.prod(a[:-1]), k, n, 0, 0, shape, "Mm")
        return record_many(BY_NAME["matmul"], (x, y), plan)
    operands, steps = [], []
    for z, own, size in ((x, a[:-2], m * k), (y, b[:-2], k * n)):
        if own and own != batch:
            z = expand(z, *batch, *z._shape[-2:])
            own = batch
        operands.append(z)
        steps.append(size if own else 0)
    label = "Bmm" if batch else {(1, 1): "Dot", (2, 1): "Mv", (1, 2): "Mv", (2, 2): "Mm"}[len(a), len(b)]
    return record_many(BY_NAME["matmul"], operands, matmul_plan(math.prod(batch), m, k, n, *steps, shape, label))


def dot(x, y):
    """The product of two vectors, or as ``np.dot``."""
    x, y = as_tensor_operand(x, "dot"), as_tensor_operand(y, "dot")
    if not x._shape or not y._shape:
        from .elementwise import apply
        return apply(BY_NAME["multiply"], x, y)
    if len(x._shape) <= 2 and len(y._shape) <= 2:
        return matmul(x, y)
    raise ValueError(f"dot takes vectors and matrices, and the shapes are {x._shape} and {y._shape}; use matmul")


