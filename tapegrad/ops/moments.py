"""Products and variances along lanes. For plans see `scan`."""
import math

import numpy as np

from .._jit import at, helper, inlined
from . import frame
from .shape import blocked_sum
from .table import operation

BLOCK = 32                                   # lanes of a variance at once: two numbers for each fit into the frame's scratch


@inlined
def prod(address, real, item):
    """z = x[0] * x[1] * ..."""
    f = at(address, np.int64)
    z, x, plan = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        if inner == 1:
            total = real(1)
            for j in range(o * length, (o + 1) * length):
                total *= x[j]
            z[o] = total
        else:
            for i in range(inner):
                z[o * inner + i] = 1
            for l in range(length):
                for i in range(inner):
                    z[o * inner + i] *= x[(o * length + l) * inner + i]


@helper
def _others(x, start, stop, step, skip):
    """The product of a lane without one element, neither under- nor overflowing on the way."""
    mantissa, exponent = 1.0, 0
    for j in range(start, stop, step):
        if j != skip:
            part, power = math.frexp(x[j])
            mantissa, more = math.frexp(mantissa * part)
            exponent += power + more
    return _scaled(mantissa, exponent)


@helper
def _scaled(mantissa, exponent):
    """mantissa * 2**exponent"""
    if exponent > 2000:
        exponent = 2000
    elif exponent < -2000:
        exponent = -2000
    half = exponent // 2                     # each factor is in range, so that only the product can leave it
    return mantissa * math.ldexp(1.0, half) * math.ldexp(1.0, exponent - half)


@helper
def _split(x, start, stop, step):
    """The product of a lane, as a mantissa and an exponent, and how many elements are 0 and how many inf or nan."""
    mantissa, exponent, zeros, wild = 1.0, 0, 0, 0
    for j in range(start, stop, step):
        if x[j] == 0:
            zeros += 1
        elif x[j] - x[j] != 0:
            wild += 1
        else:
            part, power = math.frexp(x[j])
            mantissa, more = math.frexp(mantissa * part)
            exponent += power + more
    return mantissa, exponent, zeros, wild


@helper
def _partial(x, z, j, start, stop, step, mantissa, exponent, zeros, wild):
    """The product of the other elements of a lane: 0 where two are 0, whatever the rest is."""
    zero, strange = x[j] == 0, x[j] - x[j] != 0
    if zeros - zero > 0 and wild - strange == 0:
        return 0.0
    if (zero and zeros == 1) or (strange and wild == 1):
        return _others(x, start, stop, step, j)
    if wild > 0:
        return z / x[j] if not strange else z * np.copysign(1.0, x[j])
    part, power = math.frexp(x[j])
    return _scaled(mantissa / part, exponent - power)


@inlined
def prod_adjoint(address, real, item):
    """gx[j] += g * (the product of the other elements)"""
    f = at(address, np.int64)
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start, r = o * length * inner + i, o * inner + i
            stop = start + length * inner
            if np.abs(z[r]) > (1e-300 if item == 8 else 1e-36) and np.abs(z[r]) < np.inf:
                for j in range(start, stop, inner):
                    out[j] += g[r] * (z[r] / x[j])
            else:
                mantissa, exponent, zeros, wild = _split(x, start, stop, inner)
                for j in range(start, stop, inner):
                    out[j] += g[r] * _partial(x, z[r], j, start, stop, inner, mantissa, exponent, zeros, wild)


@inlined
def prod_tangent(address, real, item):
    """tz += sum of t[j] * (the product of the other elements)"""
    f = at(address, np.int64)
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    x, plan = at(f[frame.OPERANDS], real), at(f[frame.PLAN], np.int64)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(inner):
            start, r, total = o * length * inner + i, o * inner + i, 0.0
            stop = start + length * inner
            mantissa, exponent, zeros, wild = _split(x, start, stop, inner)
            for j in range(start, stop, inner):
                total += t[j] * _partial(x, z[r], j, start, stop, inner, mantissa, exponent, zeros, wild)
            out[r] += total


operation("prod", prod, (prod_adjoint,), (prod_tangent,), (lambda g, x, z, plan: np.prod_back(g, x, z, plan),),
          in_place=False)


# The plan of a variance has one number more, n minus the correction, as the bits of a float. Its loops go over lanes in blocks
# that lie beside each other in memory, the means of a block in the frame's scratch.

@inlined
def _means(m, x, start, length, inner, width):
    """The means of lanes beside each other."""
    if inner == 1:
        m[0] = blocked_sum(x, start, start + length) / length
    else:
        for k in range(width):
            m[k] = 0
        for l in range(length):
            for k in range(width):
                m[k] += x[start + l * inner + k]
        for k in range(width):
            m[k] /= length


@inlined
def _squares(z, m, x, start, length, inner, width):
    """z = sum of (x - m)**2 of lanes beside each other"""
    if inner == 1:
        j, stop, mean = start, start + length, m[0]
        a = b = c = d = mean - mean
        while j + 4 <= stop:
            a += (x[j] - mean) * (x[j] - mean)
            b += (x[j + 1] - mean) * (x[j + 1] - mean)
            c += (x[j + 2] - mean) * (x[j + 2] - mean)
            d += (x[j + 3] - mean) * (x[j + 3] - mean)
            j += 4
        while j < stop:
            a += (x[j] - mean) * (x[j] - mean)
            j += 1
        z[0] = (a + b) + (c + d)
    else:
        for k in range(width):
            z[k] = 0
        for l in range(length):
            for k in range(width):
                d = x[start + l * inner + k] - m[k]
                z[k] += d * d


@inlined
def _variance(address, real, item, root):
    f = at(address, np.int64)
    plan, m = at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    x, count = at(f[frame.OPERANDS], real), real(at(f[frame.PLAN] + 24, np.float64)[0])
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width, r = min(BLOCK, inner - i), o * inner + i
            z = at(f[frame.OUT] + r * item, real)
            _means(m, x, o * length * inner + i, length, inner, width)
            _squares(z, m, x, o * length * inner + i, length, inner, width)
            for k in range(width):
                z[k] = np.sqrt(z[k] / count) if root else z[k] / count


@inlined
def _variance_adjoint(address, real, item, root):
    f = at(address, np.int64)
    plan, m = at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    x, count = at(f[frame.OPERANDS], real), real(at(f[frame.PLAN] + 24, np.float64)[0])
    out, g, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width, r = min(BLOCK, inner - i), o * inner + i
            _means(m, x, o * length * inner + i, length, inner, width)
            s = at(address + 8 * (frame.SCRATCH + BLOCK), real)
            for k in range(width):
                s[k] = _slope(g[r + k], z[r + k], count, root)
            for l in range(length):
                start = (o * length + l) * inner + i
                for k in range(width):
                    out[start + k] += s[k] * (x[start + k] - m[k])


@inlined
def _slope(g, z, count, root):
    """What x - mean is multiplied with."""
    if root:
        return g / count / z if z != 0 else z
    return (g + g) / count


@inlined
def _variance_tangent(address, real, item, root):
    f = at(address, np.int64)
    plan, m = at(f[frame.PLAN], np.int64), at(address + 8 * frame.SCRATCH, real)
    x, count = at(f[frame.OPERANDS], real), real(at(f[frame.PLAN] + 24, np.float64)[0])
    out, t, z = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.RESULT], real)
    length, inner = plan[1], plan[2]
    for o in range(plan[0]):
        for i in range(0, inner, BLOCK):
            width, r = min(BLOCK, inner - i), o * inner + i
            _means(m, x, o * length * inner + i, length, inner, width)
            for k in range(width):
                total = 0.0
                for j in range(o * length * inner + i + k, (o + 1) * length * inner + i + k, inner):
                    total += (x[j] - m[k]) * t[j]
                out[r + k] += _slope(real(total), z[r + k], count, root)


@inlined
def variance(address, real, item):
    """z = sum of (x - mean)**2 / count"""
    _variance(address, real, item, False)


@inlined
def variance_adjoint(address, real, item):
    """gx += 2 * g / count * (x - mean)"""
    _variance_adjoint(address, real, item, False)


@inlined
def variance_tangent(address, real, item):
    """tz += 2 / count * sum of (x - mean) * t"""
    _variance_tangent(address, real, item, False)


@inlined
def deviation(address, real, item):
    """z = sqrt(sum of (x - mean)**2 / count)"""
    _variance(address, real, item, True)


@inlined
def deviation_adjoint(address, real, item):
    """gx += g / (count * z) * (x - mean), 0 where z is"""
    _variance_adjoint(address, real, item, True)


@inlined
def deviation_tangent(address, real, item):
    """tz += sum of (x - mean) * t / (count * z), 0 where z is"""
    _variance_tangent(address, real, item, True)


operation("variance", variance, (variance_adjoint,), (variance_tangent,),
          (lambda g, x, z, plan: np.variance_back(g, x, plan),), display="Var", in_place=False, linear_in="x")
operation("deviation", deviation, (deviation_adjoint,), (deviation_tangent,),
          (lambda g, x, z, plan: np.deviation_back(g, x, z, plan),), display="Std", in_place=False,
          note="0 where all elements of a lane are equal")
