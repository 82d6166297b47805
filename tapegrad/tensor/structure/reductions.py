"""Sums, means and extrema, of all elements or over axes."""
import builtins
import collections
import functools
import math

import numpy as np

from ...ops import BY_NAME
from ..core import FLOATS, Tensor, decided, float32, float64, record_planned, wrap
from ..elementwise import apply
from ..plans import lanes_plan, reduction_plan
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, normalize_axes, normalize_axis, recording, reduced_shape, shape_argument
from .indexing import take_along
from .views import permute, reshape


def _floating(x, dtype):
    if dtype is not None:
        from ..conversion import to
        x = to(x, dtype)
    return x


@public()
def sum(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The sum of all elements, or over `axis` (an axis, or several). Integers and bools give int64."""
    x = _floating(as_tensor_operand(x, "sum"), dtype)
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        return wrap(np.asarray(x._array().sum(axis=axes, keepdims=keep)))
    return record_planned(BY_NAME["sum"], x, reduction_plan(x._shape, axes, keep, "Sum"))


@public()
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


@public(function=False, method=False, numpy=np.mean)
def numpy_mean(x, axis=None, dtype=None, keepdims=False):
    """`mean` as NumPy has it: of integers and bools, a float."""
    x = _floating(as_tensor_operand(x, "mean"), dtype)
    return mean(x if x.dtype in FLOATS else _floating(x, float64), axis, keepdims)


@public()
def amax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    return _extremum("amax", x, axis_argument(axis, dim), keepdims or keepdim, "Amax")


@public()
def amin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The smallest element, of all or over `axis`; its derivative is shared evenly among equal ones."""
    return _extremum("amin", x, axis_argument(axis, dim), keepdims or keepdim, "Amin")


AminmaxResult = collections.namedtuple("AminmaxResult", ["min", "max"])


@public()
def aminmax(x, *, dim=None, keepdim=False):
    """The smallest and the largest element, of all or over `dim`, a pair (min, max); as `amin` and `amax` give them.

    >>> import tapegrad as tg
    >>> tg.aminmax(tg.tensor([2.0, 5.0, 3.0]))
    AminmaxResult(min=tensor(2.), max=tensor(5.))
    """
    return AminmaxResult(amin(x, dim, keepdim), amax(x, dim, keepdim))


def _extremum(name, x, axis, keep, label):
    x = as_tensor_operand(x, name)
    axes = normalize_axes(axis, len(x._shape))
    if math.prod(x._shape[a] for a in axes) == 0:
        raise ValueError(f"{name} of no elements: the shape is {x._shape} and the axes are {axes}")
    if not recording(x):
        return wrap(np.asarray(getattr(np, name)(x._array(), axis=axes, keepdims=bool(keep))))
    return _along(name, x, axes, bool(keep), label)


class ValuesIndices(tuple):
    """A pair with names, as PyTorch gives it."""
    __slots__ = ()
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    def __repr__(self):
        return f"(values={self[0]!r}, indices={self[1]!r})"


@public()
def max(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest element; ``max(x, dim)`` its values and indices along an axis, ``max(x, y)`` elementwise."""
    return _max_or_min("amax", "maximum", x, axis, dim, keepdims or keepdim)


@public()
def min(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The smallest element; ``min(x, dim)`` its values and indices along an axis, ``min(x, y)`` elementwise."""
    return _max_or_min("amin", "minimum", x, axis, dim, keepdims or keepdim)


def _max_or_min(name, pairwise, x, axis, dim, keep):
    if isinstance(axis, Tensor) or (isinstance(axis, np.ndarray) and axis.ndim):
        return apply(BY_NAME[pairwise], x, axis)
    x = as_tensor_operand(x, name)
    axis = axis_argument(axis, dim)
    if axis is None or isinstance(axis, (tuple, list)):
        return _extremum(name, x, axis, keep, "Max" if name == "amax" else "Min")
    axis = normalize_axis(axis, len(x._shape))
    if not x._shape:
        return ValuesIndices((take_along(x, None, axis), wrap(np.zeros((), np.int64))))
    if x._shape[axis] == 0:
        raise IndexError(f"{name} along axis {axis}, which has no elements: the shape is {x._shape}")
    find = np.argmax if name == "amax" else np.argmin
    indices = np.asarray(decided(find, x, axis=axis, keepdims=True))
    return ValuesIndices((take_along(x, indices, axis, keep=keep), wrap(indices if keep else indices.squeeze(axis))))


@public()
def argmax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The index of the first largest element, in the flat tensor or along `axis`."""
    x, keep = as_tensor_operand(x, "argmax"), bool(keepdims or keepdim)
    return wrap(np.asarray(decided(np.argmax, x, axis=axis_argument(axis, dim), keepdims=keep)))


@public()
def argmin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The index of the first smallest element, in the flat tensor or along `axis`."""
    x, keep = as_tensor_operand(x, "argmin"), bool(keepdims or keepdim)
    return wrap(np.asarray(decided(np.argmin, x, axis=axis_argument(axis, dim), keepdims=keep)))


@public()
def count_nonzero(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """How many elements, of all or along `axis`, are not 0; int64."""
    x, axis = as_tensor_operand(x, "count_nonzero"), axis_argument(axis, dim)
    axes = normalize_axes(axis, len(x._shape))
    return wrap(np.asarray(decided(np.count_nonzero, x, axis=axes, keepdims=bool(keepdims or keepdim))))


# Along lanes ----------------------------------------------------------------------------------------------------------

def _along(name, x, axes, keep, label, count=None):
    """Records a reduction whose loops go along lanes."""
    order, plan = _lanes(x._shape, axes, keep, label, count)
    return record_planned(BY_NAME[name], x if order is None else permute(x, order), plan)


@functools.lru_cache(maxsize=4096)
def _lanes(shape, axes, keep, label, count):
    """The plan, and the order that brings axes together, behind the others, where they are no neighbours."""
    reduced, order = reduced_shape(shape, axes, keep), None
    if axes and axes[-1] - axes[0] + 1 != len(axes):
        order = tuple(a for a in range(len(shape)) if a not in axes) + axes
        shape = tuple(shape[a] for a in order)
        axes = tuple(range(len(order) - len(axes), len(order)))
    return order, lanes_plan(shape, axes, reduced, label, count)


@public()
def prod(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The product of all elements, or over `axis`; 1 of no elements. Integers and bools give int64.

    The derivative by an element is the product of the others: right where elements are 0, and where the product over- or
    underflows.
    """
    x = _floating(as_tensor_operand(x, "prod"), dtype)
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        with np.errstate(all="ignore"):
            return wrap(np.asarray(x._array().prod(axis=axes, keepdims=keep)))
    return _along("prod", x, axes, keep, "Prod")


@public()
def var(x, axis=None, unbiased=None, keepdims=False, *, dim=None, keepdim=False, ddof=None, correction=None, dtype=None):
    """The variance of all elements, or over `axis`: the sum of squared distances from the mean, by n - `correction`.

    `ddof` is another name for `correction`; ``unbiased=False`` means 0. The default depends on whose name is written:
    ``x.var()`` and ``tg.var(x)`` divide by n - 1, as in PyTorch; ``np.var(x)``, of NumPy or of tapegrad.numpy, and
    ``tg.array_api.var(x)`` by n, as these say. nan where n - `correction` is not above 0. Integers give the default float.

    >>> import numpy as np, tapegrad as tg
    >>> x = tg.tensor([1.0, 3.0])
    >>> x.var().item(), np.var(x).item(), x.var(ddof=0).item()
    (2.0, 1.0, 1.0)
    """
    return _spread("variance", x, axis, unbiased, keepdims or keepdim, dim, ddof, correction, dtype, 1, "Var")


@public()
def std(x, axis=None, unbiased=None, keepdims=False, *, dim=None, keepdim=False, ddof=None, correction=None, dtype=None):
    """The standard deviation of all elements, or over `axis`: the root of `var`, with its arguments and its defaults:
    `correction` is 1 in ``x.std()`` and ``tg.std(x)``, and 0 in ``np.std(x)``.

    Where all elements are equal, its derivative is 0.
    """
    return _spread("deviation", x, axis, unbiased, keepdims or keepdim, dim, ddof, correction, dtype, 1, "Std")


@public(function=False, method=False, numpy=np.var)
def numpy_var(x, axis=None, dtype=None, keepdims=False, ddof=0, correction=None):
    """`var` as NumPy has it: divided by n - `ddof`, and that is 0 by default."""
    return _spread("variance", x, axis, None, keepdims, None, ddof, correction, dtype, 0, "Var")


@public(function=False, method=False, numpy=np.std)
def numpy_std(x, axis=None, dtype=None, keepdims=False, ddof=0, correction=None):
    """`std` as NumPy has it: divided by n - `ddof`, and that is 0 by default."""
    return _spread("deviation", x, axis, None, keepdims, None, ddof, correction, dtype, 0, "Std")


def _spread(name, x, axis, unbiased, keep, dim, ddof, correction, dtype, default, label):
    x = _floating(as_tensor_operand(x, label.lower()), dtype)
    if isinstance(axis, bool):               # x.var(False), in PyTorch's old code
        axis, unbiased = None, axis
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keep)
    if correction is None:
        correction = ddof if ddof is not None else default if unbiased is None else int(unbiased)
    elif ddof:
        raise TypeError(f"ddof={ddof} and correction={correction} are two names of one argument; give one of them")
    count = math.prod(x._shape[a] for a in axes) - correction
    if not recording(x):
        with np.errstate(all="ignore"):
            centred = x._array() if x.dtype in FLOATS else x._array().astype(float64)
            size = centred.dtype.type(math.prod(x._shape[a] for a in axes))
            centred = np.asarray(centred - centred.sum(axis=axes, keepdims=True) / size)
            np.multiply(centred, centred, out=centred)
            value = centred.sum(axis=axes, keepdims=keep) / centred.dtype.type(builtins.max(count, 0))
            return wrap(np.asarray(value if name == "variance" else np.sqrt(value)))
    return _along(name, x, axes, keep, label, builtins.max(count, 0))


@public()
def var_mean(x, axis=None, unbiased=None, keepdims=False, *, dim=None, keepdim=False, correction=None):
    """The variance and the mean, a pair."""
    return (var(x, axis, unbiased, keepdims, dim=dim, keepdim=keepdim, correction=correction),
            mean(x, None if isinstance(axis, bool) else axis, keepdims, dim=dim, keepdim=keepdim))


@public()
def std_mean(x, axis=None, unbiased=None, keepdims=False, *, dim=None, keepdim=False, correction=None):
    """The standard deviation and the mean, a pair."""
    return (std(x, axis, unbiased, keepdims, dim=dim, keepdim=keepdim, correction=correction),
            mean(x, None if isinstance(axis, bool) else axis, keepdims, dim=dim, keepdim=keepdim))


@public()
def logsumexp(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """log(sum(exp(x))) of all elements, or over `axis`, without overflow; -inf of no elements.

    Where all elements are -inf it is -inf, and its derivative 0; where some are inf it is inf, and they share the derivative.
    """
    x = as_tensor_operand(x, "logsumexp")
    axes, keep = normalize_axes(axis_argument(axis, dim), len(x._shape)), bool(keepdims or keepdim)
    if not recording(x):
        a = x._array() if x.dtype in FLOATS else x._array().astype(float64)
        with np.errstate(all="ignore"):
            best = a.max(axis=axes, keepdims=True, initial=-np.inf)
            best = np.where(np.isinf(best), 0, best)
            value = np.log(np.exp(a - best).sum(axis=axes, keepdims=True)) + best
        return wrap(np.asarray(value.reshape(reduced_shape(x._shape, axes, keep))))
    return _along("logsumexp", x, axes, keep, "Logsumexp")


# Compositions ---------------------------------------------------------------------------------------------------------

@public(numpy=np.ptp)
def ptp(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest element minus the smallest one, of all or over `axis`; either's derivative is shared among equal ones."""
    axis, keep = axis_argument(axis, dim), keepdims or keepdim
    return amax(x, axis, keep) - amin(x, axis, keep)


def _without_nan(x, name, value):
    """Where elements are nan, and the tensor with `value` in their place."""
    x = as_tensor_operand(x, name)
    missing = decided(np.isnan, x)
    return missing, (apply(BY_NAME["where"], missing, value, x) if missing.any() else x)


@public()
def nansum(x, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """The sum of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
    return sum(_without_nan(_floating(as_tensor_operand(x, "nansum"), dtype), "nansum", 0.0)[1], axis_argument(axis, dim),
               keepdims or keepdim)


@public()
def nanprod(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The product of the elements that are not nan, of all or over `axis`; the others have a derivative of 0."""
    return prod(_without_nan(x, "nanprod", 1.0)[1], axis_argument(axis, dim), keepdims or keepdim)


@public()
def nanmean(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The mean of the elements that are not nan, of all or over `axis`; the others have a derivative of 0. nan of none."""
    axis, keep = axis_argument(axis, dim), bool(keepdims or keepdim)
    missing, known = _without_nan(x, "nanmean", 0.0)
    axes = normalize_axes(axis, len(known._shape))
    count = wrap(np.asarray(np.sum(~missing, axis=axes, keepdims=keep)))
    return apply(BY_NAME["divide"], sum(known, axes, keep), count)


@public()
def nanmax(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The largest of the elements that are not nan, of all or over `axis`; nan of none."""
    return _nan_extremum(amax, x, axis_argument(axis, dim), keepdims or keepdim, -np.inf)


@public()
def nanmin(x, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """The smallest of the elements that are not nan, of all or over `axis`; nan of none."""
    return _nan_extremum(amin, x, axis_argument(axis, dim), keepdims or keepdim, np.inf)


def _nan_extremum(function, x, axis, keep, least):
    missing, known = _without_nan(x, "nanmax" if function is amax else "nanmin", least)
    value = function(known, axis, keep)
    empty = missing.all(axis=normalize_axes(axis, missing.ndim), keepdims=bool(keep))
    return apply(BY_NAME["where"], empty, np.nan, value) if np.any(empty) else value


@public(function=False)
def sum_to_size(x, *size):
    """Summed over axes, so that the shape is `size`, which broadcasts to the tensor's own. ValueError where it doesn't.

    >>> import tapegrad as tg
    >>> tg.ones(2, 3).sum_to_size(2, 1)
    tensor([[3.],
            [3.]])
    """
    size = shape_argument(size, "sum_to_size")
    extra = len(x._shape) - len(size)
    if extra < 0 or any(n not in (1, there) for n, there in zip(size, x._shape[extra:])):
        raise ValueError(f"sum_to_size from shape {x._shape} to {size}: the second doesn't broadcast to the first")
    axes = [a for a in range(len(x._shape)) if a < extra or size[a - extra] != x._shape[a]]
    return reshape(sum(x, axes), size) if axes else x


@public(method=False)
def average(x, axis=None, weights=None, returned=False, keepdims=False, *, dim=None):
    """The mean of all elements, or over `axis`, each with its weight; with ``returned=True`` also the sum of the weights.

    `weights` has the shape of `x`, or is a vector along one axis. As in NumPy, weights that sum to 0 are a ZeroDivisionError.

    >>> import tapegrad as tg
    >>> tg.average(tg.tensor([1.0, 4.0]), weights=[3.0, 1.0])
    tensor(1.7500)
    """
    x, axis = as_tensor_operand(x, "average"), axis_argument(axis, dim)
    axes = normalize_axes(axis, len(x._shape))
    if x.dtype not in FLOATS:
        x = _floating(x, float64)
    if weights is None:
        value = mean(x, axes, keepdims)
        count = math.prod(x._shape[a] for a in axes)
        return (value, wrap(np.full(value._shape, float(count)))) if returned else value
    weights = as_tensor_operand(weights, "average")
    if weights._shape != x._shape:
        if len(axes) != 1 or weights._shape != (x._shape[axes[0]],) or axis is None:
            raise ValueError(f"weights of shape {weights._shape} fit neither the tensor, of shape {x._shape}, nor one of its "
                             f"axes, {axis}; a vector of weights needs an axis of its length")
        weights = reshape(weights, *[-1 if a == axes[0] else 1 for a in range(len(x._shape))])
        spread = apply(BY_NAME["multiply"], weights, np.ones(x._shape)) if returned else weights
    else:
        spread = weights
    total = sum(spread, axes, keepdims)
    if np.any(decided(np.equal, total, 0)):
        raise ZeroDivisionError("the weights sum to 0, so there is no average")
    value = apply(BY_NAME["divide"], sum(apply(BY_NAME["multiply"], x, weights), axes, keepdims), total)
    return (value, total) if returned else value
