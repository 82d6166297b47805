"""Functions that are made of others, most of them NumPy's: their derivatives are those of what they are made of."""
import operator

import numpy as np

from . import registry
from .core import wrap
from .structure import as_tensor_operand, concatenate, normalize_axes, normalize_axis, reshape, stack, sum, transpose

ours: dict = {}                              # the functions of tensors by name; filled when all are there


def _numpy(*theirs):
    return registry.public(function=False, method=False, numpy=tuple(f for f in theirs if f is not None))


def _part(x, axis, start, stop):
    """A slice along an axis."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


# Statistics -------------------------------------------------------------------------------------------------------------

@_numpy(np.cov)
def numpy_cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """As ``np.cov``: the covariance matrix of variables, which are rows, or columns with rowvar=False."""
    x = _variables(m, rowvar, dtype)
    if y is not None:
        x = concatenate([x, _variables(y, rowvar, dtype)])
    count, weights = x._shape[1], None
    for w, name in ((fweights, "fweights"), (aweights, "aweights")):
        if w is not None:
            w = as_tensor_operand(w, "np.cov")
            if w._shape != (count,):
                raise ValueError(f"np.cov takes a weight for each of {count} observations, and {name} has the shape {w._shape}")
            weights = w if weights is None else weights * w
    ddof = (0 if bias else 1) if ddof is None else operator.index(ddof)
    total = count if weights is None else sum(weights)
    mean = (sum(x, 1) if weights is None else sum(x * weights, 1)) / total
    centred = x - reshape(mean, -1, 1)
    if aweights is not None and ddof:
        scale = total - ddof * sum(weights * aweights) / total
    else:
        scale = total - ddof
    scale = max(scale, 0) if weights is None else ours["clamp_min"](as_tensor_operand(scale, "np.cov"), 0)
    product = centred @ transpose(centred if weights is None else centred * weights)
    z = product / scale
    return reshape(z, ()) if z._shape == (1, 1) else z


def _variables(m, rowvar, dtype):
    x = as_tensor_operand(m, "np.cov")
    x = x.to(dtype) if dtype is not None else x if x.dtype.kind == "f" else x.double()
    if len(x._shape) > 2:
        raise ValueError(f"np.cov takes at most two axes, and the shape is {x._shape}")
    x = reshape(x, 1, -1) if len(x._shape) < 2 else x
    return x if rowvar or x._shape[0] == 1 else transpose(x)


@registry.public()
def cov(x, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of variables, which are rows; of a vector its variance, as PyTorch's ``cov``. ``np.cov`` is NumPy's.

    Sums are divided by n - `correction`. `fweights` says how often each observation, a column, counts, `aweights` its weight.
    ValueError for more than two axes, or weights of another number.

    >>> import tapegrad as tg
    >>> tg.cov(tg.tensor([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]]))
    tensor([[ 1., -2.],
            [-2.,  4.]])
    """
    return numpy_cov(x, ddof=correction, fweights=fweights, aweights=aweights)


@registry.public()
def corrcoef(x):
    """The correlation coefficients of variables, which are rows, as PyTorch's ``corrcoef``. ``np.corrcoef`` is NumPy's."""
    return numpy_corrcoef(x)


@_numpy(np.corrcoef)
def numpy_corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """As ``np.corrcoef``: the correlation coefficients of variables."""
    c = numpy_cov(x, y, rowvar, dtype=dtype)
    if not c._shape:
        return c / c
    deviation = ours["diagonal"](c).sqrt()
    return (c / reshape(deviation, -1, 1) / deviation).clip(-1, 1)


@_numpy(np.nanvar)
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False, *, correction=None):
    """As ``np.nanvar``: the variance of the elements that are not nan, which have a derivative of 0."""
    x = as_tensor_operand(a, "np.nanvar")
    x, axes = x if dtype is None else x.to(dtype), normalize_axes(axis, len(x._shape))
    known = ~np.isnan(x._array())
    ddof = ddof if correction is None or correction is np._NoValue else correction
    with np.errstate(all="ignore"):
        count = wrap(np.asarray(known.sum(axis=axes, keepdims=True), x.dtype))
        squares = ours["where"](known, x - sum(ours["where"](known, x, 0.0), axes, True) / count, 0.0) ** 2
        left = count - ddof
    z = ours["where"](left > 0, sum(squares, axes, True) / ours["where"](left > 0, left, 1.0), np.nan)
    return z if keepdims is True else reshape(z, tuple(n for k, n in enumerate(x._shape) if k not in axes))


@_numpy(np.nanstd)
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False, *, correction=None):
    """As ``np.nanstd``: the root of ``np.nanvar``. Where all elements are equal, its derivative is 0."""
    z = nanvar(a, axis, dtype, ddof, keepdims, correction=correction)
    some = z._array() > 0
    return ours["where"](some, ours["where"](some, z, 1.0).sqrt(), z)


@_numpy(np.nancumsum)
def nancumsum(a, axis=None, dtype=None):
    """As ``np.nancumsum``: running sums, nan counted as 0."""
    x = as_tensor_operand(a, "np.nancumsum")
    return ours["cumsum"](ours["where"](np.isnan(x._array()), 0.0, x), axis, dtype=dtype)


@_numpy(np.nancumprod)
def nancumprod(a, axis=None, dtype=None):
    """As ``np.nancumprod``: running products, nan counted as 1."""
    x = as_tensor_operand(a, "np.nancumprod")
    return ours["cumprod"](ours["where"](np.isnan(x._array()), 1.0, x), axis, dtype=dtype)


# Differences, sums, polynomials -----------------------------------------------------------------------------------------

@registry.public(method=False)
def gradient(x, *, spacing=1.0, dim=None, edge_order=1):
    """Derivatives of samples along axes, by central differences, at the ends one-sided; a tuple, as PyTorch's ``gradient``.

    `dim`: an axis or several, all by default. `spacing`: how far samples are apart, or, in a list, for each axis a distance or
    a vector of coordinates. ValueError for too few samples, `edge_order` + 1 at least, or another length of the list.

    >>> import tapegrad as tg
    >>> tg.gradient(tg.tensor([0.0, 1.0, 4.0]), spacing=[tg.tensor([0.0, 1.0, 2.0])])
    (tensor([1., 2., 3.]),)
    """
    x = as_tensor_operand(x, "gradient")
    axes = normalize_axes(dim, len(x._shape)) if dim is None or not isinstance(dim, (tuple, list)) else tuple(dim)
    places = spacing if isinstance(spacing, (tuple, list)) else (spacing,) * len(axes)
    if len(places) != len(axes):
        raise ValueError(f"gradient takes one spacing or a list of {len(axes)}, one for each axis, not of {len(places)}")
    slopes = numpy_gradient(x, *places, axis=axes, edge_order=edge_order)
    return slopes if isinstance(slopes, tuple) else (slopes,)


@_numpy(np.gradient)
def numpy_gradient(f, *varargs, axis=None, edge_order=1):
    """As ``np.gradient``: differences along axes, `varargs` apart (or at these coordinates): central, at the ends one-sided."""
    x = as_tensor_operand(f, "np.gradient")
    x = x if x.dtype.kind == "f" else x.double()
    axes = tuple(range(len(x._shape))) if axis is None else tuple(
        normalize_axis(a, len(x._shape)) for a in (axis if isinstance(axis, tuple) else (axis,)))
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError(f"np.gradient takes one distance or {len(axes)}, one for each axis, not {len(varargs)}")
    if edge_order not in (1, 2):
        raise ValueError(f"the edge_order of np.gradient is 1 or 2, not {edge_order!r}")
    places = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    slopes = tuple(_slopes(x, a, place, edge_order) for a, place in zip(axes, places))
    return slopes[0] if len(slopes) == 1 else slopes


def _slopes(x, axis, place, edge_order):
    n, place = x._shape[axis], as_tensor_operand(place, "np.gradient")
    place = place.to(x.dtype) if place._is_number else place
    if n < edge_order + 1:
        raise ValueError(f"np.gradient needs {edge_order + 1} elements along an axis, and axis {axis} has {n}")
    if place._shape and place._shape != (n,):
        raise ValueError(f"coordinates of np.gradient are one for each of {n} elements along axis {axis}, not {place._shape}")
    h = place                                # the distances: one, or in the place of the axis those between neighbours
    if place._shape:
        h = reshape(place[1:] - place[:-1], (n - 1, *(1,) * (len(x._shape) - axis - 1)))

    def distances(start, stop):
        return h[start:stop] if place._shape else h

    def at(*points):
        return [_part(x, axis, p, p + 1 or None) for p in points]
    if edge_order == 1:
        (a, b), (c, d) = at(0, 1), at(-2, -1)
        ends = (b - a) / distances(0, 1), (d - c) / distances(-1, None)
    else:
        (a, b, c), p, q = at(0, 1, 2), distances(0, 1), distances(1, 2)
        first = -(2 * p + q) / (p * (p + q)) * a + (p + q) / (p * q) * b - p / (q * (p + q)) * c
        (a, b, c), p, q = at(-3, -2, -1), distances(-2, -1), distances(-1, None)
        ends = first, q / (p * (p + q)) * a - (p + q) / (p * q) * b + (2 * q + p) / (q * (p + q)) * c
    p, q = distances(None, -1), distances(1, None)
    low, middle, high = _part(x, axis, None, -2), _part(x, axis, 1, -1), _part(x, axis, 2, None)
    inside = -q / (p * (p + q)) * low + (q - p) / (p * q) * middle + p / (q * (p + q)) * high
    return concatenate([ends[0], inside, ends[1]], axis)


@_numpy(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """As ``np.ediff1d``: differences of neighbours in the flat tensor, with what stands before and behind them."""
    x = reshape(as_tensor_operand(ary, "np.ediff1d"), -1)
    around = [v if v is None else reshape(as_tensor_operand(v, "np.ediff1d"), -1) for v in (to_begin, to_end)]
    return concatenate([v for v in (around[0], x[1:] - x[:-1], around[1]) if v is not None])


def _cumulative(name, first):
    def function(x, /, *, axis=None, dtype=None, include_initial=False):
        x = as_tensor_operand(x, name)
        if axis is None and len(x._shape) != 1:
            raise ValueError(f"{name} needs an axis, unless the tensor is a vector; the shape is {x._shape}")
        axis = normalize_axis(0 if axis is None else axis, len(x._shape))
        z = ours["cumsum" if first == 0 else "cumprod"](x, axis, dtype=dtype)
        if not include_initial:
            return z
        return concatenate([wrap(np.full((*x._shape[:axis], 1, *x._shape[axis + 1:]), first, z.dtype)), z], axis)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As ``np.{name}``."
    return function


for _name, _first in (("cumulative_sum", 0), ("cumulative_prod", 1)):
    _numpy(getattr(np, _name, None))(_cumulative(_name, _first))


@_numpy(np.polyval)
def polyval(p, x):
    """As ``np.polyval``: the value of a polynomial at `x`, the coefficient of its highest power first."""
    p, x = as_tensor_operand(p, "np.polyval"), as_tensor_operand(x, "np.polyval")
    value = x * 0
    for k in range(p._shape[0]):
        value = value * x + p[k]
    return value


@_numpy(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    """As ``np.unwrap``: multiples of the period added, so that neighbours differ by less than half of it."""
    x = as_tensor_operand(p, "np.unwrap")
    value = x._array()
    return x + wrap(np.asarray(np.unwrap(value, discont, axis, period=period) - value))


@_numpy(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """As ``np.logspace``, along the first axis: powers of the base, with exponents evenly spaced."""
    if axis:
        raise TypeError("np.logspace of tensors takes no axis=: it is along the first one; use moveaxis")
    z = as_tensor_operand(base, "np.logspace") ** as_tensor_operand(np.linspace(start, stop, num, endpoint), "np.logspace")
    return z if dtype is None else z.to(dtype)


@_numpy(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """As ``np.geomspace``, along the first axis, of positive numbers: each a multiple of the one before it."""
    if axis:
        raise TypeError("np.geomspace of tensors takes no axis=: it is along the first one; use moveaxis")
    z = as_tensor_operand(np.linspace(np.log(start), np.log(stop), num, endpoint), "np.geomspace").exp()
    return z if dtype is None else z.to(dtype)


# Complex names of real numbers -----------------------------------------------------------------------------------------

@_numpy(np.real)
def real(val):
    """As ``np.real``: of real numbers, themselves."""
    return as_tensor_operand(val, "np.real")


@_numpy(np.real_if_close)
def real_if_close(a, tol=100):
    """As ``np.real_if_close``: of real numbers, themselves."""
    return as_tensor_operand(a, "np.real_if_close")


@_numpy(np.imag)
def imag(val):
    """As ``np.imag``: of real numbers, 0."""
    return wrap(np.zeros(val._shape, val.dtype))


# Functions by parts -----------------------------------------------------------------------------------------------------

@_numpy(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """As ``np.apply_along_axis``: a function of vectors, applied to those along an axis."""
    x = as_tensor_operand(arr, "np.apply_along_axis")
    axis = normalize_axis(axis, len(x._shape))
    x = ours["moveaxis"](x, axis, -1)
    outer = x._shape[:-1]
    rows = reshape(x, -1, x._shape[-1])
    parts = [func1d(rows[k], *args, **kwargs) for k in range(rows._shape[0])]
    if not parts:
        raise ValueError(f"np.apply_along_axis of no vectors: the shape is {x._shape}")
    z = stack([as_tensor_operand(part, "np.apply_along_axis") for part in parts])
    inner = z._shape[1:]
    z = reshape(z, outer + inner)
    for k in range(len(inner)):              # the function's own axes go where the vectors' was
        z = ours["moveaxis"](z, len(outer) + k, axis + k)
    return z


@_numpy(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    """As ``np.piecewise``: for each element the function, or number, whose condition holds, or a last one, or 0."""
    x = as_tensor_operand(x, "np.piecewise")
    if len(x._shape) == np.ndim(condlist):   # one condition
        condlist = [condlist]
    conditions = [as_tensor_operand(c, "np.piecewise")._array().astype(bool) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~np.any(conditions, axis=0))
    if len(funclist) != len(conditions):
        raise ValueError(f"np.piecewise takes a function for each of {len(conditions)} conditions, or one more, not "
                         f"{len(funclist)}")
    z = x * 0
    for condition, function in zip(conditions, funclist):
        part = x[condition]
        if part._shape == (0,):
            continue
        value = function(part, *args, **kw) if callable(function) else function
        z = ours["masked_scatter"](z, condition, ours["broadcast_to"](as_tensor_operand(value, "np.piecewise"), part._shape))
    return z
