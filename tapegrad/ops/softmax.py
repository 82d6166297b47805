"""Sums of exponentials along lanes, and the parts that the terms have in them. For plans see `scan`.

Everything is measured from the lane's largest element, so nothing overflows.
"""
import numpy as np

from .._jit import at, inlined, libmvec
from . import frame
from .shape import blocked_sum
from .table import operation

exp, log = libmvec.MATH["exp"], libmvec.MATH["log"]
CHUNK = 32                                   # exponentials that are made at once, in the frame's scratch


@inlined
def _largest(x, start, stop, step):
    """The largest element of a lane, nan where there is one; -inf of none."""
    best = -np.inf
    for j in range(start, stop, step):
        if x[j] > best or x[j] != x[j]:
            best = x[j]
    return best


@inlined
def _total(x, start, stop, step, best, buffer):
    """The sum of exp(x - best) over a lane."""
    total, count = 0.0, 0
    while start < stop:
        left = (stop - start + step - 1) // step
        count = left if left < CHUNK else CHUNK
        if step == 1:
            for k in range(count):
                buffer[k] = exp(x[start + k] - best)
        else:
            for k in range(count):
                buffer[k] = exp(x[start + k * step] - best)
        total += blocked_sum(buffer, 0, count)
        start += count * step
    return total


@inlined
def logsumexp(address, real, item):
    """z = log(sum of exp(x))"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    buffer = at(address + 8 * frame.SCRATCH, real)
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop = start + length * inner
            best = _largest(x, start, stop, inner)
            if np.abs(best) == np.inf:
                z[o * inner + i] = best
            else:
                z[o * inner + i] = best + log(real(_total(x, start, stop, inner, best, buffer)))


@inlined
def _part(part, whole, ties):
    """exp(part - whole): 0 of a sum that is -inf, and of one that is inf an equal part to each inf."""
    if np.abs(whole) == np.inf:
        return 1.0 / ties if part == whole and part > 0 else part - part if part != part else 0.0
    return exp(part - whole)


@inlined
def _infinities(x, start, stop, step, whole):
    """How many elements are inf where the sum is; otherwise 1."""
    ties = 0
    if whole == np.inf:
        for j in range(start, stop, step):
            ties += x[j] == whole
    return ties if ties > 0 else 1


@inlined
def logsumexp_adjoint(address, real, item):
    """gx += g * exp(x - z)"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start, r = o * length * inner + i, o * inner + i
            stop = start + length * inner
            whole, seed = z[r], g[r]
            if np.abs(whole) == np.inf:
                ties = _infinities(x, start, stop, inner, whole)
                for j in range(start, stop, inner):
                    out[j] += seed * _part(x[j], whole, ties)
            elif inner == 1:
                for j in range(start, stop):
                    out[j] += seed * exp(x[j] - whole)
            else:
                for j in range(start, stop, inner):
                    out[j] += seed * exp(x[j] - whole)


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
            ties, total = _infinities(x, start, stop, inner, z[r]), 0.0
            for j in range(start, stop, inner):
                total += t[j] * _part(x[j], z[r], ties)
            out[r] += total


operation("logsumexp", logsumexp, (logsumexp_adjoint,), (logsumexp_tangent,),
          (lambda g, x, z, plan: np.logsumexp_back(g, x, z, plan),), in_place=False,
          note="0 where the sum is -inf; where it is inf, shared evenly among the infs")


@inlined
def softmax(address, real, item):
    """z = exp(x) / sum of exp(x)"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop = start + length * inner
            best, total = _largest(x, start, stop, inner), 0.0
            if inner == 1:
                for j in range(start, stop):
                    z[j] = exp(x[j] - best)
                total = blocked_sum(z, start, stop)
                for j in range(start, stop):
                    z[j] /= total
            else:
                for j in range(start, stop, inner):
                    z[j] = exp(x[j] - best)
                    total += z[j]
                for j in range(start, stop, inner):
                    z[j] /= total


@inlined
def softmax_adjoint(address, real, item):
    """gx += z * (g - sum of g * z); the tangent is the same, for the matrix is symmetric"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    plan = at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop, total = start + length * inner, 0.0
            for j in range(start, stop, inner):
                total += g[j] * z[j]
            for j in range(start, stop, inner):
                out[j] += z[j] * (g[j] - total)


operation("softmax", softmax, (softmax_adjoint,), (softmax_adjoint,),
          (lambda g, x, z, plan: np.softmax_back(g, z, plan),), in_place=False)


@inlined
def log_softmax(address, real, item):
    """z = x - log(sum of exp(x))"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    buffer = at(address + 8 * frame.SCRATCH, real)
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop = start + length * inner
            best = _largest(x, start, stop, inner)
            total = log(real(_total(x, start, stop, inner, best, buffer)))
            for j in range(start, stop, inner):
                z[j] = x[j] - best - total


@inlined
def log_softmax_adjoint(address, real, item):
    """gx += g - exp(z) * sum of g"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    plan = at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start = o * length * inner + i
            stop, total = start + length * inner, 0.0
            for j in range(start, stop, inner):
                total += g[j]
            for j in range(start, stop, inner):
                out[j] += g[j] - exp(z[j]) * total


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


operation("log_softmax", log_softmax, (log_softmax_adjoint,), (log_softmax_tangent,),
          (lambda g, x, z, plan: np.log_softmax_back(g, z, plan),), in_place=False)
