"""Functions between the layers of a network, and a loss that needs a row of its own. Their names are PyTorch's.

Hendrycks and Gimpel, *Gaussian error linear units* (2016); Clevert, Unterthiner and Hochreiter, *Exponential linear
units* (2016).
"""
import math

import numpy as np
from numpy import inf, nan

from .table import elementwise, select

_ROOT = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)

# x times the normal distribution function, by erfc: 1 + erf would cancel on the left
elementwise("gelu", lambda x: 0.5 * x * np.erfc(-_ROOT * x),
            lambda g, x, z: g * (0.5 * np.erfc(-_ROOT * x) + _DENSITY * x * np.exp(-0.5 * x * x)),
            in_place=False, domain=((-1, 2),), formula="x * ncdf(x)", tails=((-30, 30),),
            kinks={(-800,): (0,), (800,): (1,), (0,): (0.5,)})
elementwise("silu", lambda x: x * np.sigmoid(x), lambda g, x, z: g * np.sigmoid(x) * (1 + x * np.sigmoid(-x)),
            formula="x / (1 + exp(-x))", kinks={(-800,): (0,), (800,): (1,), (0,): (0.5,)})
# As PyTorch has it: x itself where x * y, y a sharpness, is above the threshold w
elementwise("softplus_below", lambda x, y, w: select(x * y > w, x, np.softplus(x * y) / y),
            lambda g, x, y, w, z: select(x * y > w, g, g * np.sigmoid(x * y)),
            lambda g, x, y, w, z: select(x * y > w, 0.0, g * (x * np.sigmoid(x * y) - z) / y), None, in_place=False,
            domain=((-2, 2), (0.5, 2), (20, 20)), formula="x if x * y > w else log1p(exp(x * y)) / y",
            tails=((-5, 3), (0.1, 4), (0, inf)),
            note="1 above the threshold", kinks={(30, 1, 20): (1, 0, 0), (0, 1, 20): (0.5, -0.6931471805599453, 0)})
# x <= 0 is not asked of z: with a negative slope z is above 0 there
elementwise("leaky_relu", lambda x, y: select(x > 0, x, x * y), lambda g, x, y, z: select(x > 0, g, g * y),
            lambda g, x, y, z: select(x > 0, 0.0, g * x), domain=((0.1, 2), (0.1, 0.9)), note="the slope y at 0",
            formula="x if x > 0 else x * y", kinks={(0, 0.25): (0.25, 0), (-3, -0.5): (-0.5, -3), (nan, 1): (1, nan)})
elementwise("elu", lambda x, y: select(x > 0, x, y * np.expm1(np.minimum(x, 0.0))),
            lambda g, x, y, z: select(x > 0, g, g * y * np.exp(np.minimum(x, 0.0))),
            lambda g, x, y, z: select(x > 0, 0.0, g * np.expm1(np.minimum(x, 0.0))),
            domain=((0.1, 2), (0.1, 0.9)), note="y at 0", formula="x if x > 0 else y * expm1(x)",
            kinks={(0, 0.5): (0.5, 0), (-800, 2): (0, -1), (800, 2): (1, 0)})
elementwise("hardtanh", lambda x, y, w: np.minimum(np.maximum(x, y), w),
            lambda g, x, y, w, z: select((x > y) & (x < w), g, 0.0),
            lambda g, x, y, w, z: select((x <= y) & (y < w), g, 0.0),
            lambda g, x, y, w, z: select((x >= w) | (w <= y), g, 0.0),
            in_place=False, domain=((-2, 2), (-1.5, -0.5), (0.5, 1.5)), note="0 in x at both bounds, as PyTorch",
            formula="min(max(x, y), w)", reference="clip",
            no_complex="np.clip orders complex numbers by their real parts first",
            kinks={(0, 0, 1): (0, 1, 0), (0.5, 0, 1): (1, 0, 0), (1, 0, 1): (0, 0, 1), (2, 0, 1): (0, 0, 1)})
# The logarithms end at -100, and the derivative at 1e12, as in PyTorch
elementwise("bernoulli_loss",
            lambda x, y: -(y * np.maximum(np.log(x), -100.0) + (1 - y) * np.maximum(np.log1p(-x), -100.0)),
            lambda g, x, y, z: g * ((x - y) / np.maximum(x * (1 - x), 1e-12)),
            lambda g, x, y, z: g * (np.maximum(np.log1p(-x), -100.0) - np.maximum(np.log(x), -100.0)),
            in_place=False, domain=((0.1, 0.9), (0.1, 0.9)), tails=((0.01, 0.9999), (-inf, inf)),
            note="at most 1e12 in size for y in [0, 1]", formula="-(y * log(x) + (1 - y) * log(1 - x))",
            kinks={(0, 1): (-1e12, 100), (1, 0): (1e12, -100), (0, 0): (0, 100), (0.5, 1): (-2, 0)})
