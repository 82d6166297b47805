"""Running sums and products along lanes. A plan is ``[outer, length, inner]``: element l of lane (o, i) is at
``(o * length + l) * inner + i``.

Adjoints and tangents are recurrences, too: each carries a number along each lane.
"""
import math

import numpy as np

from .._jit import at, inlined, libmvec
from . import frame
from .table import operation

exp, log1p = libmvec.MATH["exp"], libmvec.MATH["log1p"]
LOG2 = math.log(2)
BLOCK = 64                                   # lanes beside each other that go together, a number for each in the frame's scratch


@inlined
def _running(address, real, product):
    """The sums, or products, of the elements of a lane up to each."""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        start = o * length * inner
        if inner == 1:
            total = real(1) if product else real(0)
            for i in range(start, start + length):
                total = total * x[i] if product else total + x[i]
                z[i] = total
        else:
            for i in range(start, start + min(length, 1) * inner):
                z[i] = x[i]
            for i in range(start + inner, start + length * inner):
                z[i] = z[i - inner] * x[i] if product else z[i - inner] + x[i]


@inlined
def cumsum(address, real, item):
    """z[l] = x[0] + ... + x[l]"""
    _running(address, real, False)


@inlined
def _add_running(address, real, first, step):
    """Adds running sums of what comes in, from the first element on or from the last one back."""
    f = at(address, np.int64)
    out, g, plan = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.PLAN], np.int64)
    s = at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            total, j = real(0), o * length + first * (length - 1)
            for _ in range(length):
                total += g[j]
                out[j] += total
                j += step
        else:
            for i in range(0, inner, BLOCK):
                width = min(BLOCK, inner - i)
                for k in range(width):
                    s[k] = 0
                j = (o * length + first * (length - 1)) * inner + i
                for _ in range(length):
                    for k in range(width):
                        s[k] += g[j + k]
                        out[j + k] += s[k]
                    j += step * inner


@inlined
def cumsum_adjoint(address, real, item):
    """gx[l] += g[l] + ... + g[-1]"""
    _add_running(address, real, 1, -1)


@inlined
def cumsum_tangent(address, real, item):
    """tz[l] += t[0] + ... + t[l]"""
    _add_running(address, real, 0, 1)


operation("cumsum", cumsum, (cumsum_adjoint,), (cumsum_tangent,), (lambda g, x, z, plan: np.cumsum_back(g, plan),),
          in_place=False)


@inlined
def cumprod(address, real, item):
    """z[l] = x[0] * ... * x[l]"""
    _running(address, real, True)


@inlined
def cumprod_adjoint(address, real, item):
    """gx[l] += z[l-1] * s[l], s[l] = g[l] + x[l+1] * s[l+1]: no division, so zeros are like other numbers"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan, s = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width = min(BLOCK, inner - i)
            for k in range(width):
                s[k] = 0
            for l in range(length - 1, 0, -1):
                j = (o * length + l) * inner + i
                for k in range(width):
                    s[k] += g[j + k]
                    out[j + k] += z[j - inner + k] * s[k]
                    s[k] *= x[j + k]
            if length > 0:
                j = o * length * inner + i
                for k in range(width):
                    out[j + k] += g[j + k] + s[k]


@inlined
def cumprod_tangent(address, real, item):
    """tz[l] = tz[l-1] * x[l] + z[l-1] * tx[l]"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan, s = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width = min(BLOCK, inner - i)
            for l in range(length):
                j = (o * length + l) * inner + i
                for k in range(width):
                    s[k] = s[k] * x[j + k] + z[j - inner + k] * t[j + k] if l > 0 else t[j + k]
                    out[j + k] += s[k]


@inlined
def logcumsumexp(address, real, item):
    """z[l] = log(exp(x[0]) + ... + exp(x[l]))"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        start = o * length * inner
        for i in range(start, start + min(length, 1) * inner):
            z[i] = x[i]
        for i in range(start + inner, start + length * inner):
            a, b = z[i - inner], x[i]
            high, low = (a, b) if a > b else (b, a)
            z[i] = high + (LOG2 if high == low else log1p(exp(low - high)))


@inlined
def _share(part, whole):
    """exp(part - whole), what a term has in a sum of exponentials."""
    return 0.0 if part == -np.inf else 1.0 if part == whole else exp(part - whole)


@inlined
def logcumsumexp_adjoint(address, real, item):
    """gx[l] += exp(x[l] - z[l]) * s[l], s[l] = g[l] + exp(z[l] - z[l+1]) * s[l+1]: no exponent is above 0"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan, s = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width = min(BLOCK, inner - i)
            for k in range(width):
                s[k] = 0
            for l in range(length - 1, -1, -1):
                j = (o * length + l) * inner + i
                for k in range(width):
                    s[k] += g[j + k]
                    out[j + k] += _share(x[j + k], z[j + k]) * s[k]
                    if l > 0:
                        s[k] *= _share(z[j - inner + k], z[j + k])


@inlined
def logcumsumexp_tangent(address, real, item):
    """tz[l] = exp(x[l] - z[l]) * tx[l] + exp(z[l-1] - z[l]) * tz[l-1]"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan, s = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width = min(BLOCK, inner - i)
            for l in range(length):
                j = (o * length + l) * inner + i
                for k in range(width):
                    part = _share(x[j + k], z[j + k]) * t[j + k]
                    s[k] = part + _share(z[j - inner + k], z[j + k]) * s[k] if l > 0 else part
                    out[j + k] += s[k]


operation("cumprod", cumprod, (cumprod_adjoint,), (cumprod_tangent,),
          (lambda g, x, z, plan: np.cumprod_back(g, x, z, plan),), in_place=False)
operation("logcumsumexp", logcumsumexp, (logcumsumexp_adjoint,), (logcumsumexp_tangent,),
          (lambda g, x, z, plan: np.logcumsumexp_back(g, x, z, plan),), in_place=False,
          note="0 at -inf, 1 at inf")
