"""Plans of structural records: what a loop has to know besides its operands, worked out once for a shape and kept."""
import math
from functools import lru_cache

import numpy as np

from ..buffers import address_of


class Plan:
    """Integers for a kernel, the shape of the result, and what its gradient function is called.

    `params` has one row for each operand where an operation takes each by itself; `block` is the bytes of a row. Where the
    `address` of an int64 array is known already, it is given.
    """
    __slots__ = ("params", "shape", "size", "address", "block", "label", "source", "_adjoint")

    def __init__(self, params, shape, label, source=None, address=None):
        self.params = params if address else np.ascontiguousarray(params, np.int64)
        self.shape, self.size, self.label, self.source = shape, math.prod(shape), label, source
        self.address = address or address_of(self.params)
        self.block = self.params.strides[0] if self.params.ndim == 2 else 0
        self._adjoint = None

    def adjoint(self):
        """The plan of the adjoint operation: the same integers, from the result's shape back to the operand's."""
        if self._adjoint is None:
            self._adjoint = Plan(self.params, self.source, self.label, self.shape)
        return self._adjoint


def strided(shape, strides, offset, count=1):
    """``[ndim, shape..., strides..., offset, count]``, with axes that lie behind each other in memory joined."""
    dims = []
    for n, s in zip(shape, strides):
        if n == 1:
            continue
        if dims and dims[-1][1] == n * s:
            dims[-1] = (dims[-1][0] * n, s)
        else:
            dims.append((n, s))
    if not dims:
        dims = [(math.prod(shape), 1)]
    return [len(dims), *(n for n, _ in dims), *(s for _, s in dims), offset, count]


def contiguous_strides(shape):
    """In elements."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def phantom(shape):
    """An array of bytes of this shape without memory behind it, to see what NumPy's views do to its strides."""
    strides = contiguous_strides(tuple(max(n, 1) for n in shape))
    return np.lib.stride_tricks.as_strided(_byte, shape, strides)


_byte = np.zeros(1, np.uint8)


def view_plan(shape, view, label):
    """The plan of a NumPy view of contiguous memory: ``view(array)`` says which."""
    whole = phantom(shape)
    part = view(whole)
    offset = address_of(part) - address_of(whole) if part.size else 0
    return Plan(strided(part.shape, part.strides, offset), part.shape, label, shape)


@lru_cache(maxsize=4096)
def reduction_plan(shape, axes, keepdims, label):
    """A sum, or mean, over `axes`."""
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape))
    strides = tuple(0 if a in axes else s for a, s in enumerate(contiguous_strides(kept)))
    out = kept if keepdims else tuple(n for a, n in enumerate(shape) if a not in axes)
    count = math.prod(shape[a] for a in axes)
    return Plan(strided(shape, strides, 0, count), out, label, shape)


@lru_cache(maxsize=4096)
def rows_plan(rows, length, shape, label):
    return Plan([rows, length], shape, label)


def lanes_of(shape, axes):
    """Neighbouring axes as ``(outer, length, inner)``: what comes before them, they, and what comes after."""
    first, last = (axes[0], axes[-1] + 1) if axes else (len(shape), len(shape))
    return math.prod(shape[:first]), math.prod(shape[first:last]), math.prod(shape[last:])


@lru_cache(maxsize=4096)
def lanes_plan(source, axes, shape, label, count=None):
    """For loops along neighbouring axes; `count`: a float that the loop is told, too."""
    more = () if count is None else (np.float64(count).view(np.int64),)
    return Plan([*lanes_of(source, axes), *more], shape, label, source)


@lru_cache(maxsize=4096)
def reshape_plan(source, shape, label):
    return Plan([0], shape, label, source)


@lru_cache(maxsize=1024)
def concatenate_plan(shapes, axis, label):
    """Where the elements of each operand go in the result."""
    first = shapes[0]
    shape = (*first[:axis], sum([part[axis] for part in shapes]), *first[axis + 1:])
    strides, params, start = contiguous_strides(shape), [], 0
    for part in shapes:
        params.append(strided(part, strides, start * strides[axis]))
        start += part[axis]
    width = max(map(len, params))
    return Plan([p + [0] * (width - len(p)) for p in params], shape, label)


@lru_cache(maxsize=1024)
def stack_plan(shape, count, axis, label):
    """As concatenate_plan, for operands of one shape that get a new axis."""
    part, total = (*shape[:axis], 1, *shape[axis:]), (*shape[:axis], count, *shape[axis:])
    strides = contiguous_strides(total)
    params = np.tile(strided(part, strides, 0), (count, 1))
    params[:, -2] += strides[axis] * np.arange(count)
    return Plan(params, total, label)


@lru_cache(maxsize=4096)
def matmul_plan(batch, m, k, n, x_step, y_step, shape, label):
    return Plan([batch, m, k, n, x_step, y_step], shape, label)


@lru_cache(maxsize=4096)
def plain_plan(shape, label):
    """For elementwise operations of three operands: nothing but the shape."""
    return Plan([0], shape, label)


def places_plan(places, source, label):
    """``[count, places...]``: read these places, an array, of a flat operand of shape `source`."""
    return Plan(np.concatenate(([places.size], places.reshape(-1))), places.shape, label, source)


_kept_places: dict = {}
KEPT_ELEMENTS = 1024                         # a longer list of places takes more memory than time


def kept_places_plan(shape, function, key, label):
    """``function`` of the places of a tensor of `shape`, as a plan; short ones are kept by `key`."""
    full = shape, label, key
    plan = _kept_places.get(full)
    if plan is None:
        plan = places_plan(function(np.arange(math.prod(shape)).reshape(shape)), shape, label)
        if plan.size <= KEPT_ELEMENTS:
            if len(_kept_places) > 1024:
                _kept_places.clear()
            _kept_places[full] = plan
    return plan


def assignment_plan(source_places, shape, label, source):
    """For each element of the result: -1 to keep the operand's, or the place in the new values, of shape `source`."""
    return Plan(source_places, shape, label, source)
