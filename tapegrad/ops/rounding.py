"""Rounding, division with remainder, and what takes a sign or a step from an operand: pieces that are flat or straight."""
import numpy as np

from .table import elementwise, scalar, select


@scalar
def floor_divide(x, y):
    """x // y as Python has it: 1 // 0.1 is 9, since 1 - 10 * 0.1 is below 0."""
    if y == 0:
        return x / y
    rest = np.fmod(x, y)
    whole = np.rint((x - rest) / y)
    return whole - 1 if rest != 0 and (rest < 0) != (y < 0) else whole


# Between two steps nothing changes: a derivative of 0 everywhere, so that the rest of a sum goes on being differentiated.
_FLAT = {"note": "0 everywhere", "domain": ((0.6, 0.9),), "tails": ((-1e7, 1e7),)}

elementwise("floor", lambda x: np.floor(x), lambda g, x, z: 0.0, **_FLAT, formula="floor(x)",
            kinks={(1,): (0,), (-1.5,): (0,)}, no_complex="np.floor is real")
elementwise("ceil", lambda x: np.ceil(x), lambda g, x, z: 0.0, **_FLAT, formula="ceil(x)",
            kinks={(1,): (0,), (-1.5,): (0,)}, no_complex="np.ceil is real")
elementwise("trunc", lambda x: np.trunc(x), lambda g, x, z: 0.0, **_FLAT, names=("fix",), formula="floor(abs(x)) * sign(x)",
            kinks={(1,): (0,), (-1.5,): (0,)}, no_complex="np.trunc is real")
elementwise("round", lambda x: np.rint(x), lambda g, x, z: 0.0, **_FLAT, names=("rint",), reference="rint", formula="nint(x)",
            kinks={(0.5,): (0,), (-1.5,): (0,)})
elementwise("floor_divide", lambda x, y: np.floor_divide(x, y), lambda g, x, y, z: 0.0, lambda g, x, y, z: 0.0,
            domain=((0.7, 0.9), (0.5, 0.6)), tails=((-1e15, 1e15), (0.1, 1e7)), note="0 everywhere", formula="floor(x / y)",
            kinks={(4, 2): (0, 0), (-3, 2): (0, 0)}, no_complex="np.floor_divide is real")
# The quotient is the one that goes with the value: 1 % 0.1 is 1 - 9 * 0.1, though 1 / 0.1 is 10
elementwise("remainder", lambda x, y: np.remainder(x, y), lambda g, x, y, z: g, lambda g, x, y, z: -g * np.floor_divide(x, y),
            names=("mod",), domain=((0.7, 0.9), (0.5, 0.6)), tails=((-1e15, 1e15), (0.1, 1e7)), note="of its piece",
            formula="x - y * floor(x / y)", no_complex="np.remainder is real",
            kinks={(4, 2): (1, -2), (-5.5, 2): (1, 3), (5.5, -2): (1, 3), (1, 0.1): (1, -9)})
elementwise("fmod", lambda x, y: np.fmod(x, y), lambda g, x, y, z: g, lambda g, x, y, z: -g * np.rint((x - z) / y),
            domain=((0.7, 0.9), (0.5, 0.6)), tails=((-1e15, 1e15), (0.1, 1e7)), note="of its piece",
            formula="x - y * floor(abs(x / y)) * sign(x / y)", no_complex="np.fmod is real",
            kinks={(4, 2): (1, -2), (-5.5, 2): (1, 2), (5.5, -2): (1, 2), (1, 0.1): (1, -9)})
elementwise("copysign", lambda x, y: np.copysign(x, y), lambda g, x, y, z: g * np.sign(x) * np.copysign(1.0, y),
            lambda g, x, y, z: 0.0, domain=((0.1, 2), (0.1, 2)), note="0 at x = 0, 0 in y",
            formula="abs(x) * sign(y)", no_complex="np.copysign is real",
            kinks={(0, 1): (0, 0), (0, -1): (0, 0), (2, -0.0): (-1, 0), (-2, -1): (1, 0), (-2, 0): (-1, 0)})
elementwise("heaviside", lambda x, y: select(x == 0, y, np.sign(x) * 0.5 + 0.5), lambda g, x, y, z: 0.0,
            lambda g, x, y, z: select(x == 0, g, 0.0), domain=((0.1, 2), (-2, 2)), note="0 in x; in y, 1 at x = 0",
            formula="sign(x) / 2 + 0.5", no_complex="np.heaviside is real",
            kinks={(0, 0.5): (0, 1), (1, 0.5): (0, 0), (-1, 0.5): (0, 0)})
# What is nan gets nothing beside a number
elementwise("fmax", lambda x, y: np.fmax(x, y),
            lambda g, x, y, z: select((x < y) | ((x != x) & (y == y)), 0.0, g * (1.0 - 0.5 * (x == y))),
            lambda g, x, y, z: select((y < x) | ((y != y) & (x == x)), 0.0, g * (1.0 - 0.5 * (x == y))), in_place=False,
            domain=((-2, 0), (0.1, 2)), note="half to each where they are equal, nothing to a nan beside a number",
            formula="max(x, y)", kinks={(1, 1): (0.5, 0.5), (np.nan, 1): (0, 1), (1, np.nan): (1, 0)})
elementwise("fmin", lambda x, y: np.fmin(x, y),
            lambda g, x, y, z: select((x > y) | ((x != x) & (y == y)), 0.0, g * (1.0 - 0.5 * (x == y))),
            lambda g, x, y, z: select((y > x) | ((y != y) & (x == x)), 0.0, g * (1.0 - 0.5 * (x == y))), in_place=False,
            domain=((-2, 0), (0.1, 2)), note="half to each where they are equal, nothing to a nan beside a number",
            formula="min(x, y)", kinks={(1, 1): (0.5, 0.5), (np.nan, 1): (0, 1), (1, np.nan): (1, 0)})
