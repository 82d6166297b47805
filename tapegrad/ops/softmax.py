"""Sums of exponentials along lanes, and the parts that the terms have in them. For plans see `scan`.

Everything is measured from the lane's largest element, so nothing overflows. A lane that lies in one row (``inner == 1``) goes
alone; others go in blocks that lie beside each other, with two numbers for each lane in the frame's scratch.
"""
import numpy as np

from .._jit import at, inlined, libmvec
from . import frame
from .shape import blocked_sum
from .table import operation

exp, log = libmvec.MATH["exp"], libmvec.MATH["log"]
BLOCK = 32


@inlined
def _row_max(x, start, stop):
    """The largest element, nan where there is one; -inf of none."""
    best = -np.inf
    for j in range(start, stop):
        if x[j] > best or x[j] != x[j]:
            best = x[j]
    return best


@inlined
def _row_total(x, start, stop, best, buffer):
    """The sum of exp(x - best), of which the terms are made in the buffer."""
    total = 0.0
    while start < stop:
        count = stop - start if stop - start < BLOCK else BLOCK
        for k in range(count):
            buffer[k] = exp(x[start + k] - best)
        total += blocked_sum(buffer, 0, count)
        start += count
    return total


@inlined
def _block_max(m, x, start, length, inner, width):
    for k in range(width):
        m[k] = -np.inf
    for l in range(length):
        for k in range(width):
            v = x[start + l * inner + k]
            m[k] = v if v > m[k] or v != v else m[k]


@inlined
def _block_totals(s, m, x, start, length, inner, width):
    """s = the sum of exp(x - m)"""
    for k in range(width):
        s[k] = 0
    for l in range(length):
        for k in range(width):
            s[k] += exp(x[start + l * inner + k] - m[k])


@inlined
def logsumexp(address, real, item):
    """z = log(sum of exp(x))"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    m, s = at(address + 8 * frame.SCRATCH, real), at(address + 8 * (frame.SCRATCH + BLOCK), real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            best = real(_row_max(x, o * length, (o + 1) * length))
            total = 1.0
            if np.abs(best) != np.inf:
                total = _row_total(x, o * length, (o + 1) * length, best, s)
            z[o] = best + log(real(total))
        else:
            for i in range(0, inner, BLOCK):
                width, r, start = min(BLOCK, inner - i), o * inner + i, o * length * inner + i
                _block_max(m, x, start, length, inner, width)
                _block_totals(s, m, x, start, length, inner, width)
                for k in range(width):
                    z[r + k] = m[k] if np.abs(m[k]) == np.inf else m[k] + log(s[k])


@inlined
def _part(x, z, ties):
    """exp(x - z); of a sum that is -inf nothing, and of one that is inf an equal part for each inf."""
    if np.abs(z) == np.inf:
        return 1.0 / ties if x == np.inf else x * 0 if x != x else 0.0
    return exp(x - z)


@inlined
def _ties(x, start, stop, step, z):
    """How many elements are inf where the sum is; otherwise 1."""
    ties = 0
    if z == np.inf:
        for j in range(start, stop, step):
            ties += x[j] == z
    return ties if ties > 0 else 1


@inlined
def logsumexp_adjoint(address, real, item):
    """gx += g * exp(x - z)"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan, t = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width, r, start = min(BLOCK, inner - i), o * inner + i, o * length * inner + i
            finite = True
            for k in range(width):
                finite = finite and np.abs(z[r + k]) != np.inf
                t[k] = _ties(x, start + k, start + k + length * inner, inner, z[r + k])
            if not finite:
                for l in range(length):
                    for k in range(width):
                        out[start + l * inner + k] += g[r + k] * _part(x[start + l * inner + k], z[r + k], t[k])
            elif inner == 1:
                seed, whole = g[r], z[r]
                for j in range(start, start + length):
                    out[j] += seed * exp(x[j] - whole)
            else:
                for l in range(length):
                    for k in range(width):
                        out[start + l * inner + k] += g[r + k] * exp(x[start + l * inner + k] - z[r + k])


@inlined
def logsumexp_tangent(address, real, item):
    """tz += sum of t * exp(x - z)"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start, r = o * length * inner + i, o * inner + i
            stop = start + length * inner
            ties, total = _ties(x, start, stop, inner, z[r]), 0.0
            for j in range(start, stop, inner):
                total += t[j] * _part(x[j], z[r], ties)
            out[r] += total


@inlined
def logsumexp_second(address, real, item):
    """gtx += (tg + g * (tx - tz)) * exp(x - z)"""
    f = at(address, np.int64)
    out, z = at(f[frame.OUT], real), at(f[frame.RESULT], real)
    g, tg = at(f[frame.INCOMING], real), at(f[frame.INCOMING_TANGENT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    tz, tx, length, inner = at(f[frame.TANGENTS], real), at(f[frame.TANGENTS + 2], real), plan[1], plan[2]
    sz, sx = 1 if f[frame.TANGENTS + 1] > 1 else 0, 1 if f[frame.TANGENTS + 3] > 1 else 0
    for o in range(plan[0]):
        for i in range(inner):
            start, r = o * length * inner + i, o * inner + i
            stop = start + length * inner
            ties = _ties(x, start, stop, inner, z[r])
            for j in range(start, stop, inner):
                part = _part(x[j], z[r], ties)
                out[j] += part * tg[r]
                if part != 0 and np.abs(z[r]) != np.inf:
                    out[j] += part * g[r] * (tx[j * sx] - tz[r * sz])


operation("logsumexp", logsumexp, (logsumexp_adjoint,), (logsumexp_tangent,),
          (lambda g, x, z, plan: np.logsumexp_back(g, x, z, plan),), (logsumexp_second,), in_place=False,
          note="0 where the sum is -inf; where it is inf, shared evenly among the infs")


@inlined
def softmax(address, real, item):
    """z = exp(x) / sum of exp(x)"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    m, s = at(address + 8 * frame.SCRATCH, real), at(address + 8 * (frame.SCRATCH + BLOCK), real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            start, stop = o * length, (o + 1) * length
            best = real(_row_max(x, start, stop))
            for j in range(start, stop):
                z[j] = exp(x[j] - best)
            total = real(blocked_sum(z, start, stop))
            for j in range(start, stop):
                z[j] /= total
        else:
            for i in range(0, inner, BLOCK):
                width, start = min(BLOCK, inner - i), o * length * inner + i
                _block_max(m, x, start, length, inner, width)
                for k in range(width):
                    s[k] = 0
                for l in range(length):
                    for k in range(width):
                        j = start + l * inner + k
                        z[j] = exp(x[j] - m[k])
                        s[k] += z[j]
                for l in range(length):
                    for k in range(width):
                        z[start + l * inner + k] /= s[k]


@inlined
def softmax_adjoint(address, real, item):
    """gx += z * (g - sum of g * z); the tangent is the same, for the matrix is symmetric"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    plan, s = at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            start, stop, total = o * length, (o + 1) * length, 0.0
            for j in range(start, stop):
                total += g[j] * z[j]
            whole = real(total)
            for j in range(start, stop):
                out[j] += z[j] * (g[j] - whole)
        else:
            for i in range(0, inner, BLOCK):
                width, start = min(BLOCK, inner - i), o * length * inner + i
                for k in range(width):
                    s[k] = 0
                for l in range(length):
                    for k in range(width):
                        s[k] += g[start + l * inner + k] * z[start + l * inner + k]
                for l in range(length):
                    for k in range(width):
                        j = start + l * inner + k
                        out[j] += z[j] * (g[j] - s[k])


@inlined
def softmax_second(address, real, item):
    """gtx += tz * (g - sum of g * z) + z * (tg - sum of tg * z + g * tz)"""
    f = at(address, np.int64)
    out, z = at(f[frame.OUT], real), at(f[frame.RESULT], real)
    g, tg = at(f[frame.INCOMING], real), at(f[frame.INCOMING_TANGENT], real)
    plan, tz, step = at(f[frame.PLAN], np.int64), at(f[frame.TANGENTS], real), 1 if f[frame.TANGENTS + 1] > 1 else 0
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop, total, change = start + length * inner, 0.0, 0.0
            for j in range(start, stop, inner):
                total += g[j] * z[j]
                change += tg[j] * z[j] + g[j] * tz[j * step]
            for j in range(start, stop, inner):
                out[j] += tz[j * step] * (g[j] - total) + z[j] * (tg[j] - change)


operation("softmax", softmax, (softmax_adjoint,), (softmax_adjoint,),
          (lambda g, x, z, plan: np.softmax_back(g, z, plan),), (softmax_second,), in_place=False)


@inlined
def log_softmax(address, real, item):
    """z = x - log(sum of exp(x))"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    m, s = at(address + 8 * frame.SCRATCH, real), at(address + 8 * (frame.SCRATCH + BLOCK), real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            start, stop = o * length, (o + 1) * length
            best = real(_row_max(x, start, stop))
            total = log(real(_row_total(x, start, stop, best, s)))
            for j in range(start, stop):
                z[j] = x[j] - best - total
        else:
            for i in range(0, inner, BLOCK):
                width, start = min(BLOCK, inner - i), o * length * inner + i
                _block_max(m, x, start, length, inner, width)
                _block_totals(s, m, x, start, length, inner, width)
                for k in range(width):
                    s[k] = log(s[k])
                for l in range(length):
                    for k in range(width):
                        z[start + l * inner + k] = x[start + l * inner + k] - m[k] - s[k]


@inlined
def log_softmax_adjoint(address, real, item):
    """gx += g - exp(z) * sum of g"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    plan, s = at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            start, stop = o * length, (o + 1) * length
            total = real(blocked_sum(g, start, stop))
            for j in range(start, stop):
                out[j] += g[j] - exp(z[j]) * total
        else:
            for i in range(0, inner, BLOCK):
                width, start = min(BLOCK, inner - i), o * length * inner + i
                for k in range(width):
                    s[k] = 0
                for l in range(length):
                    for k in range(width):
                        s[k] += g[start + l * inner + k]
                for l in range(length):
                    for k in range(width):
                        j = start + l * inner + k
                        out[j] += g[j] - exp(z[j]) * s[k]


@inlined
def log_softmax_tangent(address, real, item):
    """tz += t - sum of exp(z) * t"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    plan = at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop, total = start + length * inner, 0.0
            for j in range(start, stop, inner):
                total += exp(z[j]) * t[j]
            for j in range(start, stop, inner):
                out[j] += t[j] - total


@inlined
def log_softmax_second(address, real, item):
    """gtx += tg - exp(z) * (tz * sum of g + sum of tg)"""
    f = at(address, np.int64)
    out, z = at(f[frame.OUT], real), at(f[frame.RESULT], real)
    g, tg = at(f[frame.INCOMING], real), at(f[frame.INCOMING_TANGENT], real)
    plan, tz, step = at(f[frame.PLAN], np.int64), at(f[frame.TANGENTS], real), 1 if f[frame.TANGENTS + 1] > 1 else 0
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop, total, change = start + length * inner, 0.0, 0.0
            for j in range(start, stop, inner):
                total += g[j]
                change += tg[j]
            for j in range(start, stop, inner):
                out[j] += tg[j] - exp(z[j]) * (tz[j * step] * total + change)


operation("log_softmax", log_softmax, (log_softmax_adjoint,), (log_softmax_tangent,),
          (lambda g, x, z, plan: np.log_softmax_back(g, z, plan),), (log_softmax_second,), in_place=False)
