"""Arithmetic, roots, absolute value, and what picks one of two operands."""
import numpy as np
from numpy import inf, nan

from .table import elementwise, select

elementwise("add", lambda x, y: x + y, lambda g, x, y, z: g, lambda g, x, y, z: g, formula="x + y")
elementwise("subtract", lambda x, y: x - y, lambda g, x, y, z: g, lambda g, x, y, z: -g, names=("sub",), display="Sub",
            formula="x - y")
elementwise("multiply", lambda x, y: x * y, lambda g, x, y, z: g * y, lambda g, x, y, z: g * x,
            names=("mul",), display="Mul", formula="x * y")
# By the operands: the quotient may be overwritten in place, as it may in PyTorch
elementwise("divide", lambda x, y: x / y, lambda g, x, y, z: g / y, lambda g, x, y, z: -g / y * (x / y),
            names=("div", "true_divide"), display="Div", domain=((-2, 2), (0.5, 2)), formula="x / y",
            kinks={(1e-200, 1e-200): (1e200, -1e200), (1e200, 1e200): (1e-200, -1e-200)})
elementwise("negative", lambda x: -x, lambda g, x, z: -g, names=("neg",), display="Neg", formula="-x")
elementwise("reciprocal", lambda x: 1 / x, lambda g, x, z: -g * z * z, domain=((0.5, 2),), formula="1 / x")
# At x = 0 the operand is replaced, not the result: a further derivative doesn't meet the inf that is hidden then.
# Above 2**53, y - 1 is y, and an odd power of a negative number becomes an even one
elementwise("power", lambda x, y: np.power(x, y),
            lambda g, x, y, z: g * y * np.power(select((x == 0) & (y == 0), 1.0, x), y - 1),
            lambda g, x, y, z: g * z * np.log(select((x == 0) & (y >= 0), 1.0, x)),
            names=("pow",), display="Pow", domain=((0.5, 2), (-2, 2)),
            note="0 at x = y = 0 in x, and at x = 0, y >= 0 in y", formula="x**y",
            kinks={(0, 0): (0, 0), (0, 1): (1, 0), (0, 2): (0, 0), (0, 0.5): (inf, 0), (0, -1): (-inf, -inf),
                   (-2, 2): (-4, nan), (-2, 3): (12, nan)},
            tails=((-inf, inf), (-1e15, 1e15)))
elementwise("square", lambda x: x * x, lambda g, x, z: 2.0 * g * x, display="Pow", formula="x**2")
elementwise("sqrt", lambda x: np.sqrt(x), lambda g, x, z: 0.5 * g / z, domain=((0.5, 2),), formula="sqrt(x)",
            kinks={(0,): (inf,)})
elementwise("rsqrt", lambda x: 1 / np.sqrt(x), lambda g, x, z: -0.5 * g * (z * z * z), domain=((0.5, 2),),
            formula="1 / sqrt(x)", kinks={(0,): (-inf,)})
elementwise("cbrt", lambda x: np.cbrt(x), lambda g, x, z: g / (3 * z * z), domain=((0.5, 2),),
            formula="cbrt(abs(x)) * sign(x)", kinks={(0,): (inf,), (-8,): (1 / 12,)}, no_complex="np.cbrt is real")
elementwise("abs", lambda x: np.abs(x), lambda g, x, z: g * np.sign(x), names=("absolute",), domain=((0.1, 2),),
            note="0 at 0", formula="abs(x)", kinks={(0,): (0,)}, no_complex="np.abs is the magnitude there")
elementwise("sign", lambda x: np.sign(x), lambda g, x, z: 0.0, names=("sgn",), domain=((0.1, 2),), note="0 everywhere",
            formula="sign(x)", kinks={(0,): (0,), (2,): (0,)}, no_complex="np.sign is the direction there")
elementwise("hypot", lambda x, y: np.hypot(x, y), lambda g, x, y, z: select(z == 0, 0.0, g * (x / z)),
            lambda g, x, y, z: select(z == 0, 0.0, g * (y / z)), domain=((0.5, 2), (0.5, 2)),
            note="0 at the origin", formula="hypot(x, y)", no_complex="np.hypot is real",
            kinks={(0, 0): (0, 0), (1e200, 1e200): (0.5**0.5, 0.5**0.5), (1e-200, 1e-200): (0.5**0.5, 0.5**0.5)})
elementwise("maximum", lambda x, y: np.maximum(x, y),
            lambda g, x, y, z: select(x < y, 0.0, g * (1.0 - 0.5 * (x == y))),
            lambda g, x, y, z: select(y < x, 0.0, g * (1.0 - 0.5 * (x == y))), in_place=False,
            domain=((-2, 0), (0.1, 2)), note="half to each where they are equal, all to each where one is nan",
            formula="max(x, y)", kinks={(1, 1): (0.5, 0.5), (nan, 1): (1, 1), (1, nan): (1, 1)})
elementwise("minimum", lambda x, y: np.minimum(x, y),
            lambda g, x, y, z: select(x > y, 0.0, g * (1.0 - 0.5 * (x == y))),
            lambda g, x, y, z: select(y > x, 0.0, g * (1.0 - 0.5 * (x == y))), in_place=False,
            domain=((-2, 0), (0.1, 2)), note="half to each where they are equal, all to each where one is nan",
            formula="min(x, y)", kinks={(1, 1): (0.5, 0.5), (nan, 1): (1, 1), (1, nan): (1, 1)})
elementwise("clip", lambda x, y, w: np.minimum(np.maximum(x, y), w),
            lambda g, x, y, w, z: select((x >= y) & (x <= w), g, 0.0),
            lambda g, x, y, w, z: select((x < y) & (y <= w), g, 0.0),
            lambda g, x, y, w, z: select((x > w) | (w < y), g, 0.0),
            display="Clamp", in_place=False, domain=((-2, 2), (-1.5, -0.5), (0.5, 1.5)),
            note="1 in x at both bounds; where the lower bound is above the upper one, the upper one",
            formula="min(max(x, y), w)", no_complex="np.clip orders complex numbers by their real parts first",
            kinks={(0, 0, 1): (1, 0, 0), (0.5, 0, 1): (1, 0, 0), (1, 0, 1): (1, 0, 0), (2, 0, 1): (0, 0, 1),
                   (-1, 0, 1): (0, 1, 0), (0.5, 1, 0): (0, 0, 1), (-1, 0, 0): (0, 1, 0), (1, 0, 0): (0, 0, 1),
                   (0, 0, 0): (1, 0, 0)})
elementwise("where", lambda x, y, w: select(x != 0, y, w), None, lambda g, x, y, w, z: select(x != 0, g, 0.0),
            lambda g, x, y, w, z: select(x != 0, 0.0, g), in_place=False, domain=((0, 1), (-2, 2), (-2, 2)),
            formula="y if x else w", no_method="x.where(condition, y), as PyTorch",
            kinks={(0, 2, 3): (0, 0, 1), (1, 2, 3): (0, 1, 0)})
# As PyTorch computes it: exactly x at w = 0 and y at w = 1
elementwise("lerp", lambda x, y, w: select(np.abs(w) < 0.5, x + w * (y - x), y - (y - x) * (1 - w)),
            lambda g, x, y, w, z: g * (1 - w), lambda g, x, y, w, z: g * w, lambda g, x, y, w, z: g * (y - x),
            domain=((0.5, 2), (0.5, 2), (0.1, 0.9)), formula="x + w * (y - x)")
elementwise("fma", lambda x, y, w: x * y + w, lambda g, x, y, w, z: g * y, lambda g, x, y, w, z: g * x,
            lambda g, x, y, w, z: g, in_place=False, formula="x * y + w")
elementwise("clone", lambda x: x, lambda g, x, z: g, in_place=False, reference="copy", formula="x")
# By the result, which is 0 where x <= 0: x may be overwritten in place, as it may in PyTorch
elementwise("relu", lambda x: select(x <= 0, 0.0, x), lambda g, x, z: select(z <= 0, 0.0, g), domain=((0.1, 2),),
            note="0 at 0", formula="max(x, 0)", kinks={(0,): (0,), (nan,): (1,)})
