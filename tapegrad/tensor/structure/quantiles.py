"""Medians and quantiles. The order of the elements is taken as given: a derivative goes to those that the result is made of."""
import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, Tensor, decided, tracked, wrap
from ..elementwise import apply
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, normalize_axes, reduced_shape
from .indexing import getitem, take_along
from .views import permute, reshape

METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


@public()
def median(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The middle element in order, of all or over `axis`; of an even number the mean of the two in the middle, as NumPy's.

    The derivative goes to the elements in the middle; of equal ones, to one of them.
    """
    return _quantile(x, 0.5, axis_argument(axis, dim), keepdims or keepdim, "midpoint", "median")


@public()
def quantile(x, q, axis=None, keepdims=False, *, dim=None, keepdim=False, method="linear", interpolation=None):
    """The value below which a part `q`, a number in [0, 1] or several, of the elements lies, of all or over `axis`.

    Between two elements it is interpolated by `method` (NumPy's name) or `interpolation` (PyTorch's): linear, lower, higher,
    midpoint or nearest. The axes of `q` come first in the result. The derivative goes to the elements that the value is made of.
    """
    return _quantile(x, q, axis_argument(axis, dim), keepdims or keepdim, interpolation or method, "quantile")


@public(method=False)
def percentile(x, q, axis=None, keepdims=False, *, dim=None, keepdim=False, method="linear", interpolation=None):
    """As `quantile`, with `q` in percent."""
    return _quantile(x, _parts(q, "percentile") / 100, axis_argument(axis, dim), keepdims or keepdim, interpolation or method,
                     "percentile")


@public()
def nanmedian(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """As `median`, of the elements that are not nan; nan where there are none.

    >>> import tapegrad as tg
    >>> tg.nanmedian(tg.tensor([1.0, float("nan"), 4.0]))
    tensor(2.5000)
    """
    return _quantile(x, 0.5, axis_argument(axis, dim), keepdims or keepdim, "midpoint", "nanmedian", True)


@public()
def nanquantile(x, q, axis=None, keepdims=False, *, dim=None, keepdim=False, method="linear", interpolation=None):
    """As `quantile`, of the elements that are not nan; nan where there are none."""
    return _quantile(x, q, axis_argument(axis, dim), keepdims or keepdim, interpolation or method, "nanquantile", True)


@public(method=False)
def nanpercentile(x, q, axis=None, keepdims=False, *, dim=None, keepdim=False, method="linear", interpolation=None):
    """As `nanquantile`, with `q` in percent."""
    return _quantile(x, _parts(q, "nanpercentile") / 100, axis_argument(axis, dim), keepdims or keepdim,
                     interpolation or method, "nanpercentile", True)


def _parts(q, name):
    if isinstance(q, Tensor):
        if tracked(q):
            raise RuntimeError(f"{name} has no derivative by q; give it q.detach()")
        q = q._array()
    return np.asarray(q, float)


def _quantile(x, q, axis, keep, method, name, skips=False):
    """`skips`: whether nan is passed over; otherwise it is the result."""
    x, q, keep = as_tensor_operand(x, name), _parts(q, name), bool(keep)
    if method not in METHODS:
        raise ValueError(f"the method of {name} is one of {', '.join(METHODS)}, not {method!r}")
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError(f"q of {name} goes from 0 to {100 if name.endswith('percentile') else 1}, and not all of it is in that "
                         "range")
    axes = normalize_axes(axis, len(x._shape))
    shape = reduced_shape(x._shape, axes, keep)
    if any(x._shape[a] == 0 for a in axes):
        raise ValueError(f"{name} of no elements: the shape is {x._shape} and the axes are {axes}")
    if x.dtype not in FLOATS:
        x = wrap(x._array().astype(np.float64))
    kept = tuple(a for a in range(len(x._shape)) if a not in axes)
    rows = reshape(permute(x, kept + axes), *[x._shape[a] for a in kept], -1) if x._shape else reshape(x, 1)
    last = rows._shape[-1] - 1
    if skips:
        last = np.maximum(last - decided(np.isnan, rows).sum(-1, keepdims=True), 0)
    place = q.reshape(-1) * last
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    part = {"linear": place - low, "lower": 0 * place, "higher": (place > low) * 1.0, "midpoint": (place > low) * 0.5,
            "nearest": np.rint(place) - low}[method]
    ends = take_along(rows, decided(_picks, rows, np.concatenate([low, high], -1), skips), -1)
    count = q.size
    first, second = getitem(ends, (Ellipsis, slice(0, count))), getitem(ends, (Ellipsis, slice(count, None)))
    value = first if not np.any(part) else _between(first, second, part.astype(x.dtype))
    if q.ndim:
        value = permute(value, (len(kept), *range(len(kept))))
    return reshape(value, *q.shape, *shape)


def _picks(array, places, skips):
    """The indices of what stands at places of the last axis in order, or of a nan; nan comes last in the order."""
    order, missing = np.argsort(array, axis=-1, kind="stable"), np.isnan(array)
    places = np.clip(places, 0, array.shape[-1] - 1)     # a guard from a file may ask for any
    picked = np.take_along_axis(order, np.broadcast_to(places, (*array.shape[:-1], places.shape[-1])), -1)
    none = (missing.all if skips else missing.any)(-1, keepdims=True)
    return np.where(none, order[..., -1:], picked)


def _between(low, high, part):
    """``low + part * (high - low)``, and `low` where there is nothing between them, also beside inf."""
    still = decided(_stays, low, high, part)
    value = apply(BY_NAME["lerp"], low, high, np.broadcast_to(part, low._shape))
    return apply(BY_NAME["where"], still, low, value) if still.any() else value


def _stays(low, high, part):
    return (part == 0) | ((low == high) & np.isinf(low))
