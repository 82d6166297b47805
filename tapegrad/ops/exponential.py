"""Exponentials, logarithms and the sigmoid family."""
import numpy as np
from numpy import inf

from .table import elementwise, select

elementwise("exp", lambda x: np.exp(x), lambda g, x, z: g * z, formula="exp(x)", kinks={(710,): (inf,)})
elementwise("expm1", lambda x: np.expm1(x), lambda g, x, z: g * (z + 1), formula="expm1(x)", kinks={(-40,): (0,)},
            cancels="z + 1, as PyTorch: where z is close to -1")
elementwise("log", lambda x: np.log(x), lambda g, x, z: g / x, domain=((0.5, 2),), formula="log(x)",
            kinks={(0,): (inf,)})
elementwise("log1p", lambda x: np.log1p(x), lambda g, x, z: g / (1 + x), domain=((-0.5, 2),), formula="log1p(x)")
# exp(-|x|) never overflows. The derivative is made from the result, as in PyTorch, so the operand may be overwritten.
elementwise("sigmoid", lambda x: select(x >= 0, 1.0, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x))),
            lambda g, x, z: g * (z * (1 - z)), reference="scipy.special.expit", names=("expit",), formula="1 / (1 + exp(-x))",
            no_complex="SciPy's expit is real", kinks={(-800,): (0,), (-40,): (4.248354255291589e-18,), (800,): (0,)},
            cancels="1 - z, as PyTorch: where z is close to 1")
# Its derivative is the sigmoid of x, 1 - exp(-z): written out with |x|, the second derivative would be 0 at 0.
elementwise("softplus", lambda x: np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))), lambda g, x, z: -g * np.expm1(-z),
            in_place=False, formula="log1p(exp(x))", kinks={(800,): (1,), (-800,): (0,), (0,): (0.5,)})
