"""Running sums and products along lanes. A plan is ``[outer, length, inner]``: element l of lane (o, i) is at
``(o * length + l) * inner + i``."""
import math

import numpy as np

from .._jit import at, inlined, libmvec
from . import frame
from .table import linear, operation

exp, log1p = libmvec.MATH["exp"], libmvec.MATH["log1p"]
LOG2 = math.log(2)


@inlined
def cumsum(out, source, plan, scratch, n):
    """out[l] = source[0] + ... + source[l]"""
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        start = o * length * inner
        for i in range(start, start + min(length, 1) * inner):
            out[i] = source[i]
        for i in range(start + inner, start + length * inner):
            out[i] = out[i - inner] + source[i]


@inlined
def cumsum_adding(out, source, plan, scratch, n):
    """out[l] += source[0] + ... + source[l]"""
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            total = 0.0
            for l in range(length):
                j = (o * length + l) * inner + i
                total += source[j]
                out[j] += total


@inlined
def cumsum_back(out, source, plan, scratch, n):
    """out[l] += source[l] + ... + source[-1]"""
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            total = 0.0
            for l in range(length - 1, -1, -1):
                j = (o * length + l) * inner + i
                total += source[j]
                out[j] += total


linear("cumsum", cumsum, cumsum_adding, "cumsum_back", in_place=False)
linear("cumsum_back", None, cumsum_back, "cumsum", display="Cumsum", in_place=False)


@inlined
def cumprod(address, real, item):
    """z[l] = x[0] * ... * x[l]"""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        start = o * length * inner
        for i in range(start, start + min(length, 1) * inner):
            z[i] = x[i]
        for i in range(start + inner, start + length * inner):
            z[i] = z[i - inner] * x[i]


@inlined
def cumprod_adjoint(address, real, item):
    """gx[l] += z[l-1] * s[l], s[l] = g[l] + x[l+1] * s[l+1]: no division, so zeros are like other numbers"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            s = real(0)
            for l in range(length - 1, -1, -1):
                j = (o * length + l) * inner + i
                s = g[j] + (x[j + inner] * s if l < length - 1 else real(0))
                out[j] += z[j - inner] * s if l > 0 else s


@inlined
def cumprod_tangent(address, real, item):
    """tz[l] = tz[l-1] * x[l] + z[l-1] * tx[l]"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            s = real(0)
            for l in range(length):
                j = (o * length + l) * inner + i
                s = s * x[j] + z[j - inner] * t[j] if l > 0 else t[j]
                out[j] += s


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
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            s = real(0)
            for l in range(length - 1, -1, -1):
                j = (o * length + l) * inner + i
                s = g[j] + (_share(z[j], z[j + inner]) * s if l < length - 1 else real(0))
                out[j] += _share(x[j], z[j]) * s


@inlined
def logcumsumexp_tangent(address, real, item):
    """tz[l] = exp(x[l] - z[l]) * tx[l] + exp(z[l-1] - z[l]) * tz[l-1]"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            s = real(0)
            for l in range(length):
                j = (o * length + l) * inner + i
                s = _share(x[j], z[j]) * t[j] + (_share(z[j - inner], z[j]) * s if l > 0 else real(0))
                out[j] += s


operation("cumprod", cumprod, (cumprod_adjoint,), (cumprod_tangent,),
          (lambda g, x, z, plan: np.cumprod_back(g, x, z, plan),), in_place=False)
operation("logcumsumexp", logcumsumexp, (logcumsumexp_adjoint,), (logcumsumexp_tangent,),
          (lambda g, x, z, plan: np.logcumsumexp_back(g, x, z, plan),), in_place=False,
          note="0 at -inf, 1 at inf")
