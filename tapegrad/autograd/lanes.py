"""Adjoints of the operations along lanes, as expressions on Tensors, for derivatives of derivatives.

What comes in is flat, as in `recorded`; here it gets its three axes, (outer, length, inner).
"""
import math

import numpy as np

from ..ops import BY_NAME
from ..tensor import elementwise, structure
from ..tensor.core import decided


def _lanes(plan, *tensors):
    """With the three axes of a plan; a result of a reduction gets a 1 in the middle."""
    outer, length, inner = plan.params[:3].tolist()
    whole = outer * length * inner
    return [structure.reshape(x, outer, length if math.prod(x._shape) == whole else 1, inner) for x in tensors]


def _where(condition, x, y):
    return elementwise.apply(BY_NAME["where"], condition, x, y)


def _flat(x):
    size = math.prod(x._shape)
    return structure.reshape(x, () if size == 1 else (size,))


def _without_each(x):
    """(outer, j, k, inner): a copy of the lane for each of its elements j, with a 1 in the place of that."""
    outer, length, inner = x._shape
    return _where(np.eye(length, dtype=bool).reshape(1, length, length, 1), 1.0,
                  structure.reshape(x, outer, 1, length, inner))


def _not_before(length):
    """(1, j, l, 1): whether l is j or comes after it."""
    return np.triu(np.ones((length, length), bool)).reshape(1, length, length, 1)


def _from_the_end(x):
    return structure.getitem(x, (slice(None), slice(None, None, -1)))


def _sums_from(x):
    """For each element the sum of it and those after it."""
    return _from_the_end(structure.cumsum(_from_the_end(x), 1))


def cumsum_back(g, plan):
    """The sum over l >= j of g[l]."""
    (g,) = _lanes(plan, g)
    return _flat(_sums_from(g))


def _finite(x):
    """Where it is neither nan nor infinite."""
    return ~(decided(np.not_equal, x, x) | decided(np.equal, x, np.inf) | decided(np.equal, x, -np.inf))


def _in_range(z):
    """Whether products lost no digits by leaving the range of floats."""
    least = 1e8 * float(np.finfo(z.dtype).tiny)
    return (decided(np.greater, z, least) | decided(np.less, z, -least)).all() and _finite(z).all()


def prod_back(g, x, z, plan):
    """g times the product of the other elements: by division, by logarithms where the product is out of range, and where an
    element is 0 by multiplication."""
    g, x, z = _lanes(plan, g, x, z)
    if not (decided(np.not_equal, x, 0).all() and _finite(x).all()):
        return _flat(g * structure.prod(_without_each(x), 2))
    if _in_range(z):
        return _flat(g * z / x)
    logs, signs = elementwise.FUNCTIONS["log"](abs(x)), decided(np.sign, x)
    others = elementwise.FUNCTIONS["exp"](structure.sum(logs, 1, True) - logs)
    return _flat(g * (others * (signs.prod(1, keepdims=True) * signs)))


def cumprod_back(g, x, z, plan):
    """The sum over l >= j of g[l] times the product of x[0] to x[l] without x[j]."""
    g, x, z = _lanes(plan, g, x, z)
    if decided(np.not_equal, x, 0).all() and _in_range(z):
        return _flat(_sums_from(g * z) / x)
    outer, length, inner = x._shape
    terms = structure.reshape(g, outer, 1, length, inner) * structure.cumprod(_without_each(x), 2)
    return _flat(structure.sum(_where(_not_before(length), terms, 0.0), 2))


def logcumsumexp_back(g, x, z, plan):
    """The sum over l >= j of g[l] * exp(x[j] - z[l])."""
    g, x, z = _lanes(plan, g, x, z)
    outer, length, inner = x._shape
    x, g, z = (structure.reshape(x, outer, length, 1, inner), structure.reshape(g, outer, 1, length, inner),
               structure.reshape(z, outer, 1, length, inner))
    return _flat(structure.sum(g * _parts(x, z, 1.0, ~_not_before(length)), 2))


def _parts(x, z, ties, without=False):
    """exp(x - z); nothing where x is -inf, and 1 / ties where both are inf. What is left out goes before the exponential, which
    may overflow there."""
    nothing, infinite = decided(np.equal, x, -np.inf), decided(np.equal, x, np.inf) & decided(np.equal, z, np.inf)
    exponents = _where(nothing | infinite | without, -np.inf, x - z)
    parts = elementwise.apply(BY_NAME["exp"], exponents)
    infinite = infinite & ~np.asarray(without)
    return _where(infinite, np.where(infinite, 1 / ties, 0.0), parts) if infinite.any() else parts


def logsumexp_back(g, x, z, plan):
    """g * exp(x - z)"""
    g, x, z = _lanes(plan, g, x, z)
    ties = np.maximum(decided(np.equal, x, np.inf).sum(1, keepdims=True), 1)
    return _flat(g * _parts(x, z, ties))


def softmax_back(g, z, plan):
    """z * (g - sum of g * z)"""
    g, z = _lanes(plan, g, z)
    return _flat(z * (g - structure.sum(g * z, 1, True)))


def log_softmax_back(g, z, plan):
    """g - exp(z) * sum of g"""
    g, z = _lanes(plan, g, z)
    return _flat(g - elementwise.apply(BY_NAME["exp"], z) * structure.sum(g, 1, True))


def shared_among_ties(g, x, z, plan):
    """g to the elements that are equal to the result, in equal parts."""
    g, x, z = _lanes(plan, g, x, z)
    ties = decided(np.equal, x, z) | (decided(np.not_equal, x, x) & decided(np.not_equal, z, z))
    return _flat(g * (ties / ties.sum(1, keepdims=True)).astype(x.dtype))


def _centred(x, plan):
    """The distances from the mean, and what a variance is divided by."""
    with np.errstate(all="ignore"):
        inverse = 1 / plan.params[3:].view(np.float64)[0]
    return x - structure.mean(x, 1, True), float(inverse)


def variance_back(g, x, plan):
    """2 * g / count * (x - mean)"""
    g, x = _lanes(plan, g, x)
    distances, inverse = _centred(x, plan)
    return _flat(2 * inverse * g * distances)


def deviation_back(g, x, z, plan):
    """g / (count * z) * (x - mean), 0 where z is"""
    g, x, z = _lanes(plan, g, x, z)
    distances, inverse = _centred(x, plan)
    flat = decided(np.equal, z, 0)
    slope = _where(flat, 0.0, inverse * g / _where(flat, 1.0, z)) if flat.any() else inverse * g / z
    return _flat(slope * distances)


PARTIALS = {function.__name__: function for function in (
    cumsum_back, prod_back, cumprod_back, logcumsumexp_back, logsumexp_back, softmax_back, log_softmax_back, variance_back,
    deviation_back, shared_among_ties)}
