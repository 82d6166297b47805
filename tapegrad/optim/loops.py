"""The update rules: compiled loops over all parameters of a group.

A *row* of a group's table describes a parameter: the array objects that hold it and its gradient (0 where it has none, and the
row is passed over), how many elements they have, how many steps were done, and where its state lies. A rule updates one
parameter, ``rule(p, g, s, n, step, h, real)``: elements, gradient, state (`n` elements for each of its buffers, one behind the
other), length, number of the step, settings. Settings are float64; what is multiplied with elements has their dtype first, as in
PyTorch, to whose last digits the results agree.
"""
import math
from functools import cache

import numpy as np

from .._jit import at, inlined, sweep
from ..buffers import C_CONTIGUOUS, DATA_WORD, FLAGS_WORD

PARAMETER, GRADIENT, SIZE, STEP, STATE, WIDTH = range(6)


@inlined
def _with_decay(g, p, decay, sign, real):
    """The gradient, of -f where that is maximized, with the L2 term."""
    return real(sign) * g + real(decay) * p if decay != 0 else real(sign) * g


@inlined
def _lerp(start, end, weight):
    """From start to end, exact at either."""
    return start + weight * (end - start) if weight < 0.5 else end - (end - start) * (1 - weight)


@inlined
def sgd(p, g, s, n, step, h, real):
    """h: lr, momentum, dampening, weight decay, nesterov, sign"""
    lr, momentum, kept = real(h[0]), real(h[1]), real(1 - h[2])
    for i in range(n):
        d = _with_decay(g[i], p[i], h[3], h[5], real)
        if h[1] != 0:
            s[i] = d if step == 1 else s[i] * momentum + kept * d
            d = d + momentum * s[i] if h[4] != 0 else s[i]
        p[i] -= lr * d


@inlined
def adam(p, g, s, n, step, h, real):
    """h: lr, beta1, beta2, eps, weight decay, decoupled, amsgrad, sign"""
    beta1, beta2 = h[1], h[2]
    size, root = real(h[0] / (1 - beta1**step)), real(math.sqrt(1 - beta2**step))
    keep1, keep2, new2, eps, shrink = real(1 - beta1), real(beta2), real(1 - beta2), real(h[3]), real(1 - h[0] * h[4])
    for i in range(n):
        if h[5] != 0:
            p[i] *= shrink
            d = real(h[7]) * g[i]
        else:
            d = _with_decay(g[i], p[i], h[4], h[7], real)
        s[i] = _lerp(s[i], d, keep1)
        v = s[n + i] * keep2 + new2 * d * d
        s[n + i] = v
        if h[6] != 0:
            v = s[2 * n + i] if s[2 * n + i] > v else v
            s[2 * n + i] = v
        p[i] -= size * s[i] / (np.sqrt(v) / root + eps)


@inlined
def nadam(p, g, s, n, step, h, real):
    """h: lr, beta1, beta2, eps, weight decay, decoupled, momentum decay, sign; behind the state, the product of momenta"""
    beta1, beta2 = h[1], h[2]
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * h[6]))
    following = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * h[6]))
    product = mu if step == 1 else s[2 * n] * mu
    s[2 * n] = product
    by_gradient = real(h[0] * (1.0 - mu) / (1.0 - product))
    by_average = real(h[0] * following / (1.0 - product * following))
    keep1, keep2, new2, eps, shrink = real(1 - beta1), real(beta2), real(1 - beta2), real(h[3]), real(1 - h[0] * h[4])
    correction = real(1 - beta2**step)
    for i in range(n):
        if h[5] != 0:
            p[i] *= shrink
            d = real(h[7]) * g[i]
        else:
            d = _with_decay(g[i], p[i], h[4], h[7], real)
        s[i] = _lerp(s[i], d, keep1)
        s[n + i] = s[n + i] * keep2 + new2 * d * d
        root = np.sqrt(s[n + i] / correction) + eps
        p[i] = p[i] - by_gradient * d / root - by_average * s[i] / root


@inlined
def radam(p, g, s, n, step, h, real):
    """h: lr, beta1, beta2, eps, weight decay, decoupled, sign"""
    beta1, beta2 = h[1], h[2]
    correction = 1 - beta2**step
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * beta2**step / correction
    adaptive = length > 5
    ratio = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length) if adaptive else 0.0
    lr, correction1, root, factor = real(h[0]), real(1 - beta1**step), real(math.sqrt(correction)), real(math.sqrt(ratio))
    eps, shrink = real(h[3]), real(1 - h[0] * h[4])
    keep1, keep2, new2 = real(1 - beta1), real(beta2), real(1 - beta2)
    for i in range(n):
        if h[5] != 0:
            p[i] *= shrink
            d = real(h[6]) * g[i]
        else:
            d = _with_decay(g[i], p[i], h[4], h[6], real)
        s[i] = _lerp(s[i], d, keep1)
        s[n + i] = s[n + i] * keep2 + new2 * d * d
        change = s[i] / correction1 * lr
        p[i] -= change * (root / (np.sqrt(s[n + i]) + eps)) * factor if adaptive else change


@inlined
def adamax(p, g, s, n, step, h, real):
    """h: lr, beta1, beta2, eps, weight decay, sign"""
    rate, keep, decay, eps = real(h[0] / (1 - h[1] ** step)), real(1 - h[1]), real(h[2]), real(h[3])
    for i in range(n):
        d = _with_decay(g[i], p[i], h[4], h[5], real)
        s[i] = _lerp(s[i], d, keep)
        s[n + i] = np.maximum(s[n + i] * decay, abs(d) + eps)
        p[i] -= rate * s[i] / s[n + i]


@inlined
def adadelta(p, g, s, n, step, h, real):
    """h: lr, rho, eps, weight decay, sign; state: the running mean of squared gradients, that of squared changes"""
    lr, rho, new, eps = real(h[0]), real(h[1]), real(1 - h[1]), real(h[2])
    for i in range(n):
        d = _with_decay(g[i], p[i], h[3], h[4], real)
        s[i] = s[i] * rho + new * d * d
        change = np.sqrt(s[n + i] + eps) / np.sqrt(s[i] + eps) * d
        s[n + i] = s[n + i] * rho + new * change * change
        p[i] -= lr * change


@inlined
def adagrad(p, g, s, n, step, h, real):
    """h: lr, lr decay, weight decay, eps, sign"""
    rate, eps = real(h[0] / (1 + (step - 1) * h[1])), real(h[3])
    for i in range(n):
        d = _with_decay(g[i], p[i], h[2], h[4], real)
        s[i] += d * d
        p[i] -= rate * d / (np.sqrt(s[i]) + eps)


@inlined
def rmsprop(p, g, s, n, step, h, real):
    """h: lr, alpha, eps, weight decay, momentum, centered, sign"""
    lr, alpha, new, eps, momentum = real(h[0]), real(h[1]), real(1 - h[1]), real(h[2]), real(h[4])
    for i in range(n):
        d = _with_decay(g[i], p[i], h[3], h[6], real)
        s[i] = s[i] * alpha + new * d * d
        v = s[i]
        if h[5] != 0:
            s[2 * n + i] = _lerp(s[2 * n + i], d, new)
            v = v - s[2 * n + i] * s[2 * n + i]
        root = np.sqrt(v) + eps
        if h[4] > 0:
            s[n + i] = s[n + i] * momentum + d / root
            p[i] -= lr * s[n + i]
        else:
            p[i] -= lr * d / root


@inlined
def asgd(p, g, s, n, step, h, real):
    """h: lr, lambd, alpha, t0, weight decay, sign; state: the mean; behind it, the present step length and the mean's share"""
    eta, share = (h[0], 1.0) if step == 1 else (s[n], s[n + 1])
    rate, shrink, part = real(eta), real(1 - h[1] * eta), real(share)
    for i in range(n):
        d = _with_decay(g[i], p[i], h[4], h[5], real)
        p[i] = p[i] * shrink - rate * d
        s[i] = p[i] if share == 1 else s[i] + part * (p[i] - s[i])
    s[n], s[n + 1] = h[0] / (1 + h[1] * h[0] * step) ** h[2], 1 / max(1.0, step - h[3])


@inlined
def rprop(p, g, s, n, step, h, real):
    """h: lr, eta minus, eta plus, smallest step, largest step, sign; state: the last gradient, the size of the step"""
    for i in range(n):
        d = real(h[5]) * g[i]
        size = real(h[0]) if step == 1 else s[n + i]
        change = d * s[i] if step > 1 else real(0)
        if change > 0:
            size *= real(h[2])
        elif change < 0:
            size *= real(h[1])
            d = real(0)                      # after a change of sign the parameter waits
        size = min(max(size, real(h[3])), real(h[4]))
        s[i], s[n + i] = d, size
        if d > 0:
            p[i] -= size
        elif d < 0:
            p[i] += size
        elif d != d:
            p[i] = d


@inlined
def _in_rows(t, rows):
    """Whether all parameters and gradients lie row by row in memory."""
    flags = C_CONTIGUOUS
    for row in range(rows):
        start = row * WIDTH
        if t[start + GRADIENT] != 0:
            flags &= at(t[start + PARAMETER], np.int64)[FLAGS_WORD] & at(t[start + GRADIENT], np.int64)[FLAGS_WORD]
    return flags != 0


def _loop(rule, real):
    def loop(table, rows, settings):
        t, h = at(table, np.int64), at(settings, np.float64)
        if not _in_rows(t, rows):
            return 0
        for row in range(rows):
            start = row * WIDTH
            if t[start + GRADIENT] != 0:
                t[start + STEP] += 1
                p = at(at(t[start + PARAMETER], np.int64)[DATA_WORD], real)
                g = at(at(t[start + GRADIENT], np.int64)[DATA_WORD], real)
                rule(p, g, at(t[start + STATE], real), t[start + SIZE], t[start + STEP], h, real)
        return 1
    loop.__name__ = rule.__name__
    return loop


@cache
def compiled(rule, dtype):
    """``loop(address of the table, rows, address of the settings)`` for parameters of a dtype. It gives 0, with nothing done,
    where an array does not lie row by row in memory."""
    return sweep(_loop(rule, dtype.type))
