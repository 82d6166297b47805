"""What runs along an axis and keeps it: cumulative sums and products, softmax, differences."""
import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, float64, record_planned, tracked, wrap
from ..elementwise import apply
from ..plans import lanes_plan
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, normalize_axes, normalize_axis, recording
from .indexing import getitem, take_along
from .joining import concatenate
from .reductions import ValuesIndices, _floating
from .views import broadcast_to, permute, reshape


def _scan(name, x, axis, compute, label):
    """Along one axis; of a tensor without axes, that of its one element."""
    if not recording(x):
        with np.errstate(all="ignore"):
            a = x._array()
            return wrap(np.asarray(compute(a.reshape(1), 0).reshape(()) if not a.ndim else compute(a, axis)))
    return record_planned(BY_NAME[name], x, lanes_plan(x._shape, (axis,) if x._shape else (), x._shape, label))


def _flattened(x, axis, dim, dtype, name):
    """NumPy's scans go over the flat tensor where no axis is given."""
    x, axis = _floating(as_tensor_operand(x, name), dtype), axis_argument(axis, dim)
    return (reshape(x, -1), 0) if axis is None else (x, normalize_axis(axis, len(x._shape)))


@public()
def cumsum(x, axis=None, *, dim=None, dtype=None):
    """The sums of the elements up to each, along `axis`, or of the flat tensor. Integers and bools give int64."""
    x, axis = _flattened(x, axis, dim, dtype, "cumsum")
    return _scan("cumsum", x, axis, np.cumsum, "Cumsum")


@public()
def cumprod(x, axis=None, *, dim=None, dtype=None):
    """The products of the elements up to each, along `axis`, or of the flat tensor; the derivative is right at zeros, too.

    A second derivative takes memory for the square of the length where a product is 0, or not in the range of floats.
    """
    x, axis = _flattened(x, axis, dim, dtype, "cumprod")
    return _scan("cumprod", x, axis, np.cumprod, "Cumprod")


@public()
def logcumsumexp(x, axis=None, *, dim=None):
    """log(cumsum(exp(x))) along `axis`, or of the flat tensor, without overflow.

    A second derivative takes memory for the square of the length.
    """
    x, axis = _flattened(x, axis, dim, None, "logcumsumexp")
    return _scan("logcumsumexp", _real(x), axis, np.logaddexp.accumulate, "Logcumsumexp")


def _real(x):
    return x if x.dtype in FLOATS else _floating(x, float64)


@public()
def cummax(x, axis=None, *, dim=None):
    """The largest elements up to each, along `axis`, or of the flat tensor, and where they are: the last of equal ones.

    A pair, also as ``.values`` and ``.indices``.
    """
    return _running("cummax", np.maximum, x, axis, dim)


@public()
def cummin(x, axis=None, *, dim=None):
    """The smallest elements up to each, along `axis`, or of the flat tensor, and where they are: the last of equal ones.

    A pair, also as ``.values`` and ``.indices``.
    """
    return _running("cummin", np.minimum, x, axis, dim)


def _running(name, ufunc, x, axis, dim):
    x, axis = _flattened(x, axis, dim, None, name)
    if not x._shape:
        return ValuesIndices((take_along(x, None, axis), wrap(np.zeros((), np.int64))))
    a = x._array()
    best = ufunc.accumulate(a, axis)
    places = np.arange(a.shape[axis]).reshape([-1 if k == axis else 1 for k in range(a.ndim)])
    here = (a == best) | np.isnan(a)
    indices = np.maximum.accumulate(np.where(here, places, 0), axis)
    return ValuesIndices((take_along(x, indices, axis), wrap(indices)))


# Softmax ---------------------------------------------------------------------------------------------------------------

def _softmax(name, x, axis, dtype, compute, label):
    x = _real(_floating(as_tensor_operand(x, name), dtype))
    axes = normalize_axes(axis, len(x._shape))
    if not recording(x):
        with np.errstate(all="ignore"):
            a = x._array()
            return wrap(np.asarray(compute(a - a.max(axis=axes, keepdims=True, initial=-np.inf), axes)))
    if axes and axes[-1] - axes[0] + 1 != len(axes):
        order = tuple(a for a in range(len(x._shape)) if a not in axes) + axes
        x = permute(x, order)
        last = tuple(range(len(order) - len(axes), len(order)))
        return permute(_softmax(name, x, last, None, compute, label), tuple(np.argsort(order).tolist()))
    return record_planned(BY_NAME[name], x, lanes_plan(x._shape, axes, x._shape, label))


def _normalized(a, axes):
    a = np.exp(a)
    return a / a.sum(axis=axes, keepdims=True)


@public()
def softmax(x, axis=None, *, dim=None, dtype=None):
    """exp(x) / sum(exp(x)), along `axis` (an axis, or several; all by default), without overflow."""
    return _softmax("softmax", x, axis_argument(axis, dim), dtype, _normalized, "Softmax")


@public()
def log_softmax(x, axis=None, *, dim=None, dtype=None):
    """log(softmax(x)), along `axis` (an axis, or several; all by default), right where softmax is close to 0."""
    return _softmax("log_softmax", x, axis_argument(axis, dim), dtype,
                    lambda a, axes: a - np.log(np.exp(a).sum(axis=axes, keepdims=True)), "LogSoftmax")


# Differences and areas -------------------------------------------------------------------------------------------------

def along(axis, part):
    """The index of a part of an axis."""
    return (slice(None),) * axis + (part,)


@public()
def diff(x, n=1, axis=-1, prepend=None, append=None, *, dim=None):
    """Differences of neighbours along an axis, `n` times; what is prepended or appended first is a number, or fits beside `x`."""
    x = as_tensor_operand(x, "diff")
    if not x._shape:
        raise ValueError("diff takes a tensor with at least one axis, and this one has none")
    if n < 0:
        raise ValueError(f"diff is taken a number of times, not {n}")
    axis = normalize_axis(axis if dim is None else dim, len(x._shape))
    parts = [x]
    for place, value in ((0, prepend), (2, append)):
        if value is not None and value is not np._NoValue:
            value = as_tensor_operand(value, "diff")
            if not value._shape:
                value = value if tracked(value) else wrap(value._array().astype(np.result_type(x.dtype, value._array().item())))
                value = broadcast_to(value, tuple([1 if a == axis else n for a, n in enumerate(x._shape)]))
            parts = [value, *parts] if place == 0 else [*parts, value]
    x = concatenate(parts, axis) if len(parts) > 1 else x
    for _ in range(n):
        high, low = getitem(x, along(axis, slice(1, None))), getitem(x, along(axis, slice(0, -1)))
        x = high - low if x.dtype != bool else apply_not_equal(high, low)
    return x


def apply_not_equal(x, y):
    return wrap(np.not_equal(x._array(), y._array()))


@public("trapz", method=False)
def trapezoid(y, x=None, dx=1.0, axis=-1, *, dim=None):
    """The area under samples `y`, by the trapezoidal rule, at places `x` (a vector, or of the shape of `y`) or `dx` apart.

    >>> import tapegrad as tg
    >>> tg.trapezoid(tg.tensor([0.0, 1.0, 4.0]), x=[0.0, 1.0, 2.0])
    tensor(3.)
    """
    areas, axis = _trapezoids(y, x, dx, axis if dim is None else dim, "trapezoid")
    return areas.sum(axis)


@public(method=False)
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The areas under samples `y` from the first to each of the others, by the trapezoidal rule: one less than there are samples.

    `x` are the places of the samples, a vector or of the shape of `y`, and otherwise `dx`, 1 by default, how far they are apart.
    TypeError where both are given.

    >>> import tapegrad as tg
    >>> tg.cumulative_trapezoid(tg.tensor([0.0, 1.0, 4.0]), x=[0.0, 1.0, 2.0])
    tensor([0.5000, 3.0000])
    """
    if x is not None and dx is not None:
        raise TypeError("cumulative_trapezoid takes places x= or a distance dx=, and both were given")
    areas, axis = _trapezoids(y, x, 1.0 if dx is None else dx, dim, "cumulative_trapezoid")
    return cumsum(areas, axis)


def _trapezoids(y, x, dx, axis, name):
    """The areas between neighbours along an axis, and the axis."""
    y = _real(as_tensor_operand(y, name))
    axis = normalize_axis(axis, len(y._shape))
    if not y._shape:
        raise ValueError(f"{name} takes samples along an axis, and this tensor has none")
    if x is not None:
        x = as_tensor_operand(x, name)
        if len(x._shape) == 1:
            dx = reshape(diff(x), *[-1 if a == axis else 1 for a in range(len(y._shape))])
        else:
            dx = diff(x, axis=axis)
    low, high = getitem(y, along(axis, slice(0, -1))), getitem(y, along(axis, slice(1, None)))
    return apply(BY_NAME["multiply"], low + high, dx) * 0.5, axis
