"""Lengths of vectors, and distances and angles between them."""
import math

import numpy as np

from ...tensor.arithmetic import clamp_min, floating, power
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.structure import amax, sum


def _norm(x, p, dim, keepdim, least):
    """The p-norm along an axis, at least `least`; its derivative is 0 where it is smaller."""
    if p == 2:
        return ROWS["sqrt"](clamp_min(sum(ROWS["square"](x), dim, keepdim), least * least))
    if p == 1:
        return clamp_min(sum(ROWS["abs"](x), dim, keepdim), least)
    if p == math.inf:
        return clamp_min(amax(ROWS["abs"](x), dim, keepdim), least)
    total = clamp_min(sum(power(ROWS["abs"](x), p), dim, keepdim), float(np.finfo(x.dtype).tiny))
    return clamp_min(power(total, 1 / p), least)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """The input divided by its p-norm along `dim`, or by `eps` where that is larger."""
    input = floating(input, "normalize")
    return input / _norm(input, p, dim, True, eps)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along `dim`; lengths count as at least `eps`."""
    x1, x2 = floating(x1, "cosine_similarity"), floating(x2, "cosine_similarity")
    return sum((x1 / _norm(x1, 2, dim, True, eps)) * (x2 / _norm(x2, 2, dim, True, eps)), dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + eps along the last axis."""
    difference = ROWS["add"](ROWS["subtract"](floating(x1, "pairwise_distance"), x2), eps)
    return _norm(difference, p, -1, keepdim, math.sqrt(np.finfo(difference.dtype).tiny))
