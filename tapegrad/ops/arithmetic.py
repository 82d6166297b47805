"""Arithmetic, roots, absolute value, and what picks one of two operands."""
import numpy as np

from .table import elementwise, select

elementwise("add", lambda x, y: x + y, lambda g, x, y, z: g, lambda g, x, y, z: g)
elementwise("subtract", lambda x, y: x - y, lambda g, x, y, z: g, lambda g, x, y, z: -g, names=("sub",), display="Sub")
elementwise("multiply", lambda x, y: x * y, lambda g, x, y, z: g * y, lambda g, x, y, z: g * x, names=("mul",), display="Mul")
elementwise("divide", lambda x, y: x / y, lambda g, x, y, z: g / y, lambda g, x, y, z: -g / y * z,
            names=("div", "true_divide"), display="Div", domain=((-2, 2), (0.5, 2)))
elementwise("negative", lambda x: -x, lambda g, x, z: -g, names=("neg",), display="Neg")
elementwise("reciprocal", lambda x: 1 / x, lambda g, x, z: -g * z * z, domain=((0.5, 2),))
elementwise("power", lambda x, y: np.power(x, y),
            lambda g, x, y, z: select((x == 0) & (y == 0), 0.0, g * y * np.power(x, y - 1)),
            lambda g, x, y, z: select((x == 0) & (y >= 0), 0.0, g * z * np.log(x)),
            names=("pow",), display="Pow", domain=((0.5, 2), (-2, 2)),
            note="0 at x = y = 0 in x, and at x = 0, y >= 0 in y")
elementwise("square", lambda x: x * x, lambda g, x, z: 2.0 * g * x, display="Pow")
elementwise("sqrt", lambda x: np.sqrt(x), lambda g, x, z: 0.5 * g / z, domain=((0.5, 2),))
elementwise("abs", lambda x: np.abs(x), lambda g, x, z: g * np.sign(x), names=("absolute",), domain=((0.1, 2),),
            note="0 at 0")
elementwise("sign", lambda x: np.sign(x), lambda g, x, z: 0.0, domain=((0.1, 2),), note="0 everywhere")
elementwise("hypot", lambda x, y: np.hypot(x, y), lambda g, x, y, z: select(z == 0, 0.0, g * (x / z)),
            lambda g, x, y, z: select(z == 0, 0.0, g * (y / z)), in_place=False, domain=((0.5, 2), (0.5, 2)),
            note="0 at the origin")
elementwise("maximum", lambda x, y: np.maximum(x, y),
            lambda g, x, y, z: select(x < y, 0.0, select(x == y, 0.5 * g, g)),
            lambda g, x, y, z: select(y < x, 0.0, select(x == y, 0.5 * g, g)), in_place=False,
            domain=((-2, 0), (0.1, 2)), note="half to each where they are equal")
elementwise("minimum", lambda x, y: np.minimum(x, y),
            lambda g, x, y, z: select(x > y, 0.0, select(x == y, 0.5 * g, g)),
            lambda g, x, y, z: select(y > x, 0.0, select(x == y, 0.5 * g, g)), in_place=False,
            domain=((-2, 0), (0.1, 2)), note="half to each where they are equal")
elementwise("clip", lambda x, y, w: np.minimum(np.maximum(x, y), w),
            lambda g, x, y, w, z: select((x >= y) & (x <= w), g, 0.0),
            lambda g, x, y, w, z: select((x < y) & (y < w), g, 0.0),
            lambda g, x, y, w, z: select((x > w) | (w < y), g, 0.0),
            display="Clamp", in_place=False, domain=((-2, 2), (-1.5, -0.5), (0.5, 1.5)),
            note="1 in x at both bounds; where the lower bound is above the upper one, the upper one")
elementwise("where", lambda x, y, w: select(x != 0, y, w), None, lambda g, x, y, w, z: select(x != 0, g, 0.0),
            lambda g, x, y, w, z: select(x != 0, 0.0, g), in_place=False, domain=((0, 1), (-2, 2), (-2, 2)))
elementwise("clone", lambda x: x, lambda g, x, z: g, in_place=False, reference="copy")
elementwise("relu", lambda x: select(x <= 0, 0.0, x), lambda g, x, z: select(x <= 0, 0.0, g), domain=((0.1, 2),),
            reference="", note="0 at 0")
