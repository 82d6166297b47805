"""Views: tensors that show the memory of others in another shape or order, and share their versions.

A view is a step, ``step(array)``, with a key that finds its plan again; a view of a view is a chain of steps on the root.
"""
import functools
import math

import numpy as np

from ...ops import BY_NAME
from ...sweeps import ALIASED
from .. import core
from ..core import Tensor, make, note_view, record_planned, root_of, wrap, writes
from ..elementwise import broadcast, size_of
from ..plans import reshape_plan, view_plan
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, integer, normalize_axes, normalize_axis, recording, shape_argument

RESHAPE, VIEW = BY_NAME["reshape"], BY_NAME["view"]


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


def view(x: Tensor, step: Step, recorded_as=None) -> Tensor:
    """A tensor that shares the memory of `x`, and its versions; in the graph, a record. `recorded_as`: see there."""
    if recording(x):
        op, plan = recorded_as or _recorded_as(x._shape, step)
        z = record_planned(op, x, plan, ALIASED)
        base = x._base
        if base is None:
            base, z._recipe = x, (step,)
        else:
            z._recipe = (*x._recipe, step)
        if base._own is None:
            note_view(base, z)
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
    op, plan = _recorded_as(x._shape, step)
    return record_planned(op, x, plan, ALIASED)


def _recorded_as(shape, step):
    """The operation that a step is for a tensor of some shape, and its plan."""
    if step.label in _RESHAPING:
        return RESHAPE, reshape_plan(shape, step.key, step.label)
    return VIEW, _plan_of(shape, step)


# The fast way: a step with what it is recorded as for a shape, kept together -----------------------------------------------

def way_of(shape, step, plan=None):
    """What `along` takes."""
    op, plan = (VIEW, plan) if plan is not None else _recorded_as(shape, step)
    return step, plan, op.code | ALIASED, op


def along(x, way, row=None):
    """As ``view(x, step)``, where the way is one for tensors of this shape; `row`: where its plan is on the tape."""
    step, plan, word, op = way
    tape, base = x._tape, x._base
    if (not tape.words or tape.n + 8 > tape.capacity or tape.rows + 8 > tape.row_capacity
            or (base is not None and x._seen != writes(base))):
        if base is None and x._own is not None and not x._requires and not core.inference_used:
            z = wrap(step.function(x._own))
            z._base, z._recipe, z._seen = x, (step,), writes(x)
            return z
        return view(x, step, (op, plan))
    index = x._index
    if row is None:
        row = tape.planned.get(plan)
        if row is None:
            row = tape.plan_row(plan)
    try:
        i = tape.n
        tape.words[i] = word
        tape.left[i] = index
        tape.right[i] = row
        tape.n = i + 1
    except IndexError:                       # another thread closed the tape just now
        return view(x, step, (op, plan))
    z = make()
    z._tape = tape
    z._index = i
    z._shape = plan.shape
    z._own = z._storage = z._grad = None
    z._edits = 0
    z._requires = False
    if base is None:
        base, z._recipe = x, (step,)
    else:
        z._recipe = (*x._recipe, step)
    if base._own is None:
        note_view(base, z)
    z._base = base
    z._seen = writes(base)
    return z


_KEPT_WAYS = 4096


def kept(function):
    """Remembers the ways of a function that gives a view by the shape and the arguments, whatever the layout in memory."""
    ways: dict = {}

    @functools.wraps(function)
    def viewing(x, *arguments, **keywords):
        if not keywords and type(x) is Tensor:
            key = x._shape, arguments
            try:
                way = ways.get(key)
            except TypeError:                # a list among the arguments
                return function(x, *arguments)
            if way is not None:
                return along(x, way)
            z = function(x, *arguments)
            # one step more than x has, and not an error
            if z is not x and z._base is not None and len(z._recipe) == len(x._recipe) + 1 and _plain(arguments):
                if len(ways) >= _KEPT_WAYS:
                    ways.clear()
                ways[key] = way_of(x._shape, z._recipe[-1])
            return z
        return function(x, *arguments, **keywords)
    return viewing


def _plain(arguments):
    """Whether arguments are integers, None, and tuples of them, which are the same whenever they are equal."""
    return all([a is None or type(a) is int or (type(a) is tuple and _plain(a)) for a in arguments])


def in_order(x):
    """Whether a tensor is no view and lies in memory in its order."""
    return x._base is None and (x._own is None or x._own.flags.c_contiguous)


def tracked_view(x, function, key, label):
    """A record of a view that shares no memory: a copy of what ``function(array)`` shows."""
    return record_planned(VIEW, x, _plan_of(x._shape, Step(function, key, label)))


def view_steps(root, steps):
    """Records a chain of views of a root, whatever the mode."""
    x = root
    for step in steps:
        x = _record_step(x, step)
    return x


_reshapes: dict = {}


@public()
def reshape(x, *shape):
    """The same elements in another shape; one length may be -1. A view, or a copy where the elements don't lie so in memory."""
    x = as_tensor_operand(x, "reshape")
    if in_order(x):
        try:
            way = _reshapes.get((x._shape, shape))
        except TypeError:                    # a list
            way = None
        if way is not None:
            return along(x, way)
        key = (x._shape, shape) if _plain(shape) else None
        shape = complete_shape(x._shape, shape_argument(shape, "reshape"))
        step = Step(lambda a: a.reshape(shape), shape, "View")
        if key is not None:
            if len(_reshapes) >= _KEPT_WAYS:
                _reshapes.clear()
            _reshapes[key] = way_of(x._shape, step)
        return view(x, step)
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
        raise ValueError(f"view from shape {x._shape} to {shape} would have to jump in memory, where this tensor has its "
                         "elements in another order; use reshape(), which copies if it must, or contiguous() first")
    return reshape(x, *shape)


def laid_out(x):
    """An array whose elements lie in memory as those of a tensor do; their values are not to be read."""
    if x._own is not None:
        return x._own
    root = root_of(x)
    memory = np.empty(root._shape, np.uint8) if root._own is None else root._own
    for step in x._recipe:
        memory = step.function(memory)
    return memory


def is_contiguous(x):
    """Whether the elements lie in memory in their order, without gaps."""
    if x._own is None and (x._base is None or all(step.label in _RESHAPING for step in x._recipe)):
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


@public("permute_dims")
@kept
def permute(x, *axes, dims=None):
    """The axes in another order. A view."""
    x = as_tensor_operand(x, "permute")
    axes = shape_argument(axes if dims is None else (dims,), "permute")
    order = tuple(normalize_axis(a, len(x._shape)) for a in axes)
    if sorted(order) != list(range(len(x._shape))):
        raise ValueError(f"axes {axes} are no permutation of the {len(x._shape)} axes of shape {x._shape}")
    return view(x, Step(lambda a: a.transpose(order), order, "Permute"))


@public()
@kept
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


@public("swapdims")
@kept
def swapaxes(x, axis1, axis2):
    """Two axes exchanged. A view."""
    x = as_tensor_operand(x, "swapaxes")
    a, b = normalize_axis(axis1, len(x._shape)), normalize_axis(axis2, len(x._shape))
    if not x._shape:
        return view(x, Step(lambda array: array[...], (), "Transpose"))
    return view(x, Step(lambda array: array.swapaxes(a, b), (a, b), "Transpose"))


@public(method=False, numpy=getattr(np.linalg, "matrix_transpose", None))
@kept
def matrix_transpose(x):
    """The last two axes exchanged. A view."""
    x = as_tensor_operand(x, "matrix_transpose")
    if len(x._shape) < 2:
        raise ValueError(f"the transpose of matrices needs two axes, and this tensor's shape is {x._shape}")
    return swapaxes(x, -2, -1)


@public()
@kept
def t(x):
    """The transpose of a matrix; a vector or number as it is. A view."""
    x = as_tensor_operand(x, "t")
    if len(x._shape) > 2:
        raise RuntimeError(f"t() takes tensors of at most 2 axes, and this one's shape is {x._shape}; use .mT or permute()")
    order = tuple(reversed(range(len(x._shape))))
    return view(x, Step(lambda a: a.transpose(order), order, "T"))


@public(method=False)
def broadcast_shapes(*shapes):
    """The shape that shapes, tuples or single lengths, give together. ValueError where they don't match.

    >>> import tapegrad as tg
    >>> tg.broadcast_shapes((2, 1), 3)
    (2, 3)
    """
    return functools.reduce(broadcast, [shape_argument((shape,), "broadcast_shapes") for shape in shapes], ())


@public()
@kept
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


@public()
@kept
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


@public()
@kept
def squeeze(x, axis=None, *, dim=None):
    """Without axes of length 1: all of them, or those in `axis` that are; in PyTorch's way, others stay. A view."""
    x = as_tensor_operand(x, "squeeze")
    axes = normalize_axes(axis_argument(axis, dim), len(x._shape))
    shape = tuple(n for a, n in enumerate(x._shape) if n != 1 or a not in axes)
    return view(x, Step(lambda a: a.reshape(shape), shape, "Squeeze"))


@public()
@kept
def unsqueeze(x, dim):
    """With a new axis of length 1 at `dim`. A view."""
    x = as_tensor_operand(x, "unsqueeze")
    axis = normalize_axis(dim, len(x._shape) + 1)
    shape = (*x._shape[:axis], 1, *x._shape[axis:])
    return view(x, Step(lambda a: a.reshape(shape), shape, "Unsqueeze"))


@public(method=False)
def expand_dims(x, axis=0):
    """With new axes of length 1 at `axis`, one place or several in the result. A view."""
    x = as_tensor_operand(x, "expand_dims")
    if not isinstance(axis, (tuple, list)):
        return unsqueeze(x, axis)
    axes = normalize_axes(axis, len(x._shape) + len(axis))
    for a in axes:
        x = unsqueeze(x, a)
    return x


@public()
def unflatten(x, dim, sizes):
    """An axis as several, of lengths `sizes`, of which one may be -1. A view."""
    x = as_tensor_operand(x, "unflatten")
    axis = normalize_axis(dim, len(x._shape))
    sizes = complete_shape(x._shape[axis:axis + 1], shape_argument((sizes,), "unflatten"))
    return reshape(x, *x._shape[:axis], *sizes, *x._shape[axis + 1:])


@public()
def ravel(x, order="C"):
    """All elements along one axis. A view, or a copy where they don't lie so in memory."""
    x = as_tensor_operand(x, "ravel")
    if order not in ("C", "F"):
        raise ValueError(f"ravel takes the elements in order 'C' or 'F', not {order!r}")
    return reshape(x if order == "C" else permute(x, *reversed(range(len(x._shape)))), -1)


@public("movedim")
@kept
def moveaxis(x, source, destination):
    """Axes moved to other places, the others in their order. A view."""
    x = as_tensor_operand(x, "moveaxis")
    ndim = len(x._shape)
    old, new = [[normalize_axis(a, ndim) for a in (axes if isinstance(axes, (tuple, list)) else (axes,))]
                for axes in (source, destination)]
    if len(old) != len(new) or len({*old}) != len(old) or len({*new}) != len(new):
        raise ValueError(f"moveaxis from {source} to {destination}: give as many places as axes, and none twice")
    order = [a for a in range(ndim) if a not in old]
    for place, a in sorted(zip(new, old)):
        order.insert(place, a)
    return permute(x, *order[:ndim])         # a number has no axis, but as in PyTorch it has axis 0


@public()
@kept
def narrow(x, dim, start, length):
    """`length` elements along an axis, from `start`. A view."""
    x = as_tensor_operand(x, "narrow")
    axis = normalize_axis(dim, len(x._shape))
    size, first, length = x._shape[axis], integer(start, "narrow"), integer(length, "narrow")
    first = first + size if first < 0 else first
    if not 0 <= first <= first + length <= size:
        raise IndexError(f"narrow: {length} elements from {start} are out of bounds for axis {axis} with size {size}")
    return sliced(x, axis, first, first + length)


def sliced(x, axis, start, stop):
    """``x[start:stop]`` along an axis, within its bounds. A view."""
    index = (slice(None),) * axis + (slice(start, stop),)
    return view(x, Step(lambda a: a[index], (axis, start, stop), "Narrow"))


@public()
@kept
def unfold(x, dimension, size, step=1):
    """Windows of `size` elements along an axis, every `step` elements one, in a new last axis. A view."""
    x = as_tensor_operand(x, "unfold")
    axis = normalize_axis(dimension, len(x._shape))
    size, step = integer(size, "unfold"), integer(step, "unfold")
    if not x._shape or not 0 <= size <= x._shape[axis] or step < 1:
        raise ValueError(f"unfold takes windows of 0 to {x._shape[axis] if x._shape else 0} elements, the length of axis {axis} "
                         f"of shape {x._shape}, at least one apart, not size={size} and step={step}")
    key = axis, size, step
    return view(x, Step(lambda a: _windows(a, *key), key, "Unfold"))


def _windows(array, axis, size, step):
    count = (array.shape[axis] - size) // step + 1
    shape = (*array.shape[:axis], count, *array.shape[axis + 1:], size)
    strides = (*array.strides[:axis], step * array.strides[axis], *array.strides[axis + 1:], array.strides[axis])
    return np.lib.stride_tricks.as_strided(array, shape, strides)


@public(numpy=np.lib.stride_tricks.sliding_window_view, method=False)
def sliding_window_view(x, window_shape, axis=None):
    """All windows of a shape, in new last axes, as NumPy's. A view."""
    x = as_tensor_operand(x, "sliding_window_view")
    lengths = shape_argument((window_shape,) if isinstance(window_shape, (tuple, list)) else ((window_shape,),),
                             "sliding_window_view")
    axes = range(len(x._shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) != len(lengths):
        raise ValueError(f"sliding_window_view takes a length for each of {len(axes)} axes, not {lengths}")
    for a, length in zip([normalize_axis(a, len(x._shape)) for a in axes], lengths):
        x = unfold(x, a, length)
    return x


def _at_least(ndim, extended):
    def function(*tensors):
        tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
        made = []
        for x in tensors:
            x = as_tensor_operand(x, function.__name__)
            made.append(x if len(x._shape) >= ndim else reshape(x, extended(x._shape)))
        return made[0] if len(made) == 1 else tuple(made)
    function.__name__ = function.__qualname__ = f"atleast_{ndim}d"
    function.__doc__ = (f"Each tensor with at least {ndim} {'axis' if ndim == 1 else 'axes'}, new ones as NumPy places them; of "
                        "several a tuple. Views.")
    return public(method=False)(function)


atleast_1d = _at_least(1, lambda shape: (1,))
atleast_2d = _at_least(2, lambda shape: (1, *(shape or (1,))))
atleast_3d = _at_least(3, lambda shape: {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}[len(shape)])


@public("broadcast_arrays", method=False)
def broadcast_tensors(*tensors):
    """Tensors broadcast to one shape, a tuple of views."""
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    tensors = [as_tensor_operand(x, "broadcast_tensors") for x in tensors]
    shape = ()
    for x in tensors:
        shape = broadcast(shape, x._shape)
    return tuple(x if x._shape == shape else broadcast_to(x, shape) for x in tensors)


@public()
def flatten(x, start_dim=0, end_dim=-1):
    """Axes from `start_dim` to `end_dim` as one. A view."""
    x = as_tensor_operand(x, "flatten")
    if not x._shape:
        return reshape(x, 1)
    start, end = normalize_axis(start_dim, len(x._shape)), normalize_axis(end_dim, len(x._shape))
    return reshape(x, *x._shape[:start], math.prod(x._shape[start:end + 1]), *x._shape[end + 1:])


@public()
@kept
def diagonal(x, offset=0, axis1=0, axis2=1, *, dim1=None, dim2=None):
    """The elements on a diagonal of two axes. A view."""
    x = as_tensor_operand(x, "diagonal")
    axis1, axis2 = axis1 if dim1 is None else dim1, axis2 if dim2 is None else dim2
    key = integer(offset, "diagonal"), *(normalize_axis(a, len(x._shape)) for a in (axis1, axis2))
    if len(x._shape) < 2 or key[1] == key[2]:
        raise ValueError(f"diagonal takes two different axes, and these are {axis1} and {axis2} of shape {x._shape}")
    return view(x, Step(lambda a: _writable_diagonal(a, *key), key, "Diagonal"))


def linalg_diagonal(x, offset=0, *, dim1=-2, dim2=-1):
    """The elements on a diagonal of matrices, the last two axes. A view."""
    return diagonal(x, offset, dim1, dim2)


linalg_diagonal.__name__ = linalg_diagonal.__qualname__ = "diagonal"
public(function=False, method=False, numpy=getattr(np.linalg, "diagonal", None))(linalg_diagonal)


def _writable_diagonal(array, *key):
    out = np.diagonal(array, *key)
    out.flags.writeable = array.flags.writeable
    return out
