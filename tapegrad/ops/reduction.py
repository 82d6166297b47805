"""The largest and smallest elements along lanes. For plans see `scan`."""
import numpy as np

from .._jit import at, inlined
from . import frame
from .table import operation

BLOCK = 64                                   # lanes beside each other that go together, a number for each in the frame's scratch


@inlined
def _extreme(address, real, sign):
    """z = the largest of sign*x along each lane, nan where there is one"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            z[o] = _row_extreme(x, o * length, (o + 1) * length, sign)
        else:
            for i in range(inner):
                z[o * inner + i] = x[o * length * inner + i]
            for l in range(1, length):
                for i in range(inner):
                    v, best = x[(o * length + l) * inner + i], z[o * inner + i]
                    z[o * inner + i] = v if sign * v > sign * best or v != v else best


@inlined
def _row_extreme(x, start, stop, sign):
    """In lanes that don't wait for each other; a nan is never larger, and is looked for apart."""
    a = b = c = d = x[start]
    missing = 0
    while start + 4 <= stop:
        v, w, t, u = x[start], x[start + 1], x[start + 2], x[start + 3]
        a, b = v if sign * v > sign * a else a, w if sign * w > sign * b else b
        c, d = t if sign * t > sign * c else c, u if sign * u > sign * d else d
        missing |= (v != v) | (w != w) | (t != t) | (u != u)
        start += 4
    while start < stop:
        v = x[start]
        a = v if sign * v > sign * a else a
        missing |= v != v
        start += 1
    a, c = b if sign * b > sign * a else a, d if sign * d > sign * c else c
    return np.nan if missing else c if sign * c > sign * a else a


@inlined
def _ties(x, start, stop, step, z):
    """How many elements of a lane are equal to its result, or nan with it."""
    count = 0
    for i in range(start, stop, step):
        count += (x[i] == z) | ((x[i] != x[i]) & (z != z))
    return count


@inlined
def amax(address, real, item):
    """z = the largest element"""
    _extreme(address, real, 1)


@inlined
def amin(address, real, item):
    """z = the smallest element"""
    _extreme(address, real, -1)


@inlined
def extremum_adjoint(address, real, item):
    """gx += g / (number of ties) at the elements that are equal to z"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    part = at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            whole = g[o] / real(_ties(x, o * length, (o + 1) * length, 1, z[o]))
            for i in range(o * length, (o + 1) * length):
                if x[i] == z[o] or (x[i] != x[i] and z[o] != z[o]):
                    out[i] += whole
            continue
        for first in range(0, inner, BLOCK):
            width, r, start = min(BLOCK, inner - first), o * inner + first, o * length * inner + first
            for k in range(width):
                part[k] = 0
            for l in range(length):
                for k in range(width):
                    v = x[start + l * inner + k]
                    part[k] += (v == z[r + k]) | ((v != v) & (z[r + k] != z[r + k]))
            for k in range(width):
                part[k] = g[r + k] / part[k]
            for l in range(length):
                for k in range(width):
                    v = x[start + l * inner + k]
                    if v == z[r + k] or (v != v and z[r + k] != z[r + k]):
                        out[start + l * inner + k] += part[k]


@inlined
def extremum_tangent(address, real, item):
    """tz += the mean of the tangents of the elements that are equal to z"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for k in range(inner):
            start, r, total = o * length * inner + k, o * inner + k, 0.0
            stop = start + length * inner
            for i in range(start, stop, inner):
                if x[i] == z[r] or (x[i] != x[i] and z[r] != z[r]):
                    total += t[i]
            out[r] += total / _ties(x, start, stop, inner, z[r])


def _extremum_partial(g, x, z, plan):
    return np.shared_among_ties(g, x, z, plan)


for _name, _forward in (("amax", amax), ("amin", amin)):
    operation(_name, _forward, (extremum_adjoint,), (extremum_tangent,), (_extremum_partial,), in_place=False, linear_in="",
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


@inlined
def norm_second(address, real, item):
    """gtx += (tg - g * tz / z) * x / z + g * tx / z"""
    f = at(address, np.int64)
    out, z, x, plan = at(f[frame.OUT], real), at(f[frame.RESULT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    g, tg = at(f[frame.INCOMING], real), at(f[frame.INCOMING_TANGENT], real)
    tz, sz = at(f[frame.TANGENTS], real), 1 if f[frame.TANGENTS + 1] > 1 else 0
    tx, sx, length = at(f[frame.TANGENTS + 2], real), 1 if f[frame.TANGENTS + 3] > 1 else 0, plan[1]
    for r in range(plan[0]):
        if z[r] != 0:
            seed, whole = g[r], z[r]
            part = tg[r] - seed * (tz[r * sz] / whole)
            for i in range(r * length, (r + 1) * length):
                out[i] += part * (x[i] / whole) + seed * (tx[i * sx] / whole)


operation("norm", norm, (norm_adjoint,), (norm_tangent,), (_norm_partial,), (norm_second,),
          display="LinalgVectorNorm", in_place=False,
          note="0 where all elements are 0")
