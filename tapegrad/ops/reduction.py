"""Reductions along rows: the reduced axes come last, a plan is ``[number of rows, length of a row]``."""
import numpy as np

from .._jit import at, inlined
from . import frame
from .table import operation


@inlined
def _largest(f, real, sign):
    """z[r] = the largest of sign*x in row r, nan where there is one"""
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length = plan[1]
    for r in range(plan[0]):
        best = x[r * length]
        for i in range(r * length + 1, (r + 1) * length):
            if sign * x[i] > sign * best or x[i] != x[i]:
                best = x[i]
        z[r] = best


@inlined
def _ties(f, r, real):
    """How many elements of row r are equal to its result, or nan with it."""
    z, x, length = at(f[frame.RESULT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)[1]
    count = 0
    for i in range(r * length, (r + 1) * length):
        if x[i] == z[r] or (x[i] != x[i] and z[r] != z[r]):
            count += 1
    return count


@inlined
def amax(address, real, item):
    f = at(address, np.int64)
    _largest(f, real, 1)


@inlined
def amin(address, real, item):
    f = at(address, np.int64)
    _largest(f, real, -1)


@inlined
def extremum_adjoint(address, real, item):
    """gx += g / (number of ties) at the elements that are equal to z"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length = plan[1]
    for r in range(plan[0]):
        part = g[r] / _ties(f, r, real)
        for i in range(r * length, (r + 1) * length):
            if x[i] == z[r] or (x[i] != x[i] and z[r] != z[r]):
                out[i] += part


@inlined
def extremum_tangent(address, real, item):
    """tz += the mean of the tangents of the elements that are equal to z"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length = plan[1]
    for r in range(plan[0]):
        total = 0.0
        for i in range(r * length, (r + 1) * length):
            if x[i] == z[r] or (x[i] != x[i] and z[r] != z[r]):
                total += t[i]
        out[r] += total / _ties(f, r, real)


def _extremum_partial(g, x, z, plan):
    return np.shared_among_ties(g, x, z, plan)


for _name, _forward in (("amax", amax), ("amin", amin)):
    operation(_name, _forward, (extremum_adjoint,), (extremum_tangent,), (_extremum_partial,), in_place=False,
              note="shared evenly among equal elements")


# The Euclidean norm. Squares are summed as doubles; where they overflow or lose digits, of the elements over the largest one.

SMALLEST_SQUARES = 1e-280                    # a sum below may have lost digits of its terms


@inlined
def _euclidean(x, start, end):
    a, b, c, d = 0.0, 0.0, 0.0, 0.0          # lanes that don't wait for each other
    i = start
    while i + 3 < end:
        a += np.float64(x[i]) * x[i]
        b += np.float64(x[i + 1]) * x[i + 1]
        c += np.float64(x[i + 2]) * x[i + 2]
        d += np.float64(x[i + 3]) * x[i + 3]
        i += 4
    while i < end:
        a += np.float64(x[i]) * x[i]
        i += 1
    total = (a + b) + (c + d)
    if SMALLEST_SQUARES < total < np.inf or total != total:
        return np.sqrt(total)
    largest = 0.0
    for i in range(start, end):
        largest = max(largest, np.abs(np.float64(x[i])))
    if largest == 0.0 or largest == np.inf:
        return largest
    total = 0.0
    for i in range(start, end):
        total += (x[i] / largest) * (x[i] / largest)
    return largest * np.sqrt(total)


@inlined
def norm(address, real, item):
    """z[r] = the length of row r"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length = plan[1]
    for r in range(plan[0]):
        z[r] = _euclidean(x, r * length, (r + 1) * length)


@inlined
def norm_adjoint(address, real, item):
    """gx += g * x / z"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length = plan[1]
    for r in range(plan[0]):
        if z[r] != 0:
            part, whole = g[r], z[r]
            for i in range(r * length, (r + 1) * length):
                out[i] += part * (x[i] / whole)


@inlined
def norm_tangent(address, real, item):
    """tz += the sum of t * x / z"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length = plan[1]
    for r in range(plan[0]):
        if z[r] != 0:
            total, whole = 0.0, z[r]
            for i in range(r * length, (r + 1) * length):
                total += t[i] * (x[i] / whole)
            out[r] += total


def _norm_partial(g, x, z, plan):
    return np.along(g, x, z, plan)


operation("norm", norm, (norm_adjoint,), (norm_tangent,), (_norm_partial,), display="LinalgVectorNorm", in_place=False,
          note="0 where all elements are 0")
