"""Trigonometric and hyperbolic functions and their inverses."""
import numpy as np
from numpy import inf, nan, pi

from .table import elementwise, scalar, select

elementwise("sin", lambda x: np.sin(x), lambda g, x, z: g * np.cos(x), formula="sin(x)")
elementwise("cos", lambda x: np.cos(x), lambda g, x, z: -g * np.sin(x), formula="cos(x)")
elementwise("tan", lambda x: np.tan(x), lambda g, x, z: g * (1 + z * z), domain=((-1, 1),), formula="tan(x)")
elementwise("arcsin", lambda x: np.arcsin(x), lambda g, x, z: g / np.sqrt((1 - x) * (1 + x)), names=("asin",),
            display="Asin", domain=((-0.9, 0.9),), formula="asin(x)", kinks={(1,): (inf,)})
elementwise("arccos", lambda x: np.arccos(x), lambda g, x, z: -g / np.sqrt((1 - x) * (1 + x)), names=("acos",),
            display="Acos", domain=((-0.9, 0.9),), formula="acos(x)", kinks={(1,): (-inf,)})
elementwise("arctan", lambda x: np.arctan(x), lambda g, x, z: g / (1 + x * x), names=("atan",), display="Atan",
            formula="atan(x)")
# Scaled by the larger operand, so that the squares neither overflow nor underflow
elementwise("arctan2", lambda x, y: np.arctan2(x, y),
            lambda g, x, y, z: select((x == 0) & (y == 0) | (np.maximum(np.abs(x), np.abs(y)) == inf), 0.0,
                                      g * (y / np.maximum(np.abs(x), np.abs(y))) / np.maximum(np.abs(x), np.abs(y))
                                      / (np.square(x / np.maximum(np.abs(x), np.abs(y)))
                                         + np.square(y / np.maximum(np.abs(x), np.abs(y))))),
            lambda g, x, y, z: select((x == 0) & (y == 0) | (np.maximum(np.abs(x), np.abs(y)) == inf), 0.0,
                                      -g * (x / np.maximum(np.abs(x), np.abs(y))) / np.maximum(np.abs(x), np.abs(y))
                                      / (np.square(x / np.maximum(np.abs(x), np.abs(y)))
                                         + np.square(y / np.maximum(np.abs(x), np.abs(y))))),
            names=("atan2",), display="Atan2", domain=((0.5, 2), (0.5, 2)), formula="atan2(x, y)",
            note="0 at the origin, and where an operand is infinite", no_complex="np.arctan2 is real",
            kinks={(0, 0): (0, 0), (inf, 1): (0, 0), (1, -inf): (0, 0), (inf, inf): (0, 0)})
elementwise("sinh", lambda x: np.sinh(x), lambda g, x, z: g * np.cosh(x), formula="sinh(x)")
elementwise("cosh", lambda x: np.cosh(x), lambda g, x, z: g * np.sinh(x), formula="cosh(x)")
elementwise("tanh", lambda x: np.tanh(x), lambda g, x, z: g * (1 - z * z), formula="tanh(x)",
            kinks={(20,): (0,), (-20,): (0,)}, cancels="1 - z * z, as PyTorch: where z is close to 1")
elementwise("arcsinh", lambda x: np.arcsinh(x), lambda g, x, z: g / np.hypot(1.0, x), names=("asinh",), display="Asinh",
            formula="asinh(x)")
elementwise("arccosh", lambda x: np.arccosh(x), lambda g, x, z: g / (np.sqrt(x - 1) * np.sqrt(x + 1)), names=("acosh",),
            display="Acosh", domain=((1.5, 3),), formula="acosh(x)", kinks={(1,): (inf,)})
elementwise("arctanh", lambda x: np.arctanh(x), lambda g, x, z: g / ((1 - x) * (1 + x)), names=("atanh",),
            display="Atanh", domain=((-0.9, 0.9),), formula="atanh(x)", kinks={(1,): (inf,)})
elementwise("deg2rad", lambda x: x * (pi / 180), lambda g, x, z: g * (pi / 180), names=("radians",), formula="x * mpf(pi) / 180",
            no_complex="np.deg2rad is real")
elementwise("rad2deg", lambda x: x * (180 / pi), lambda g, x, z: g * (180 / pi), names=("degrees",), formula="x * 180 / mpf(pi)",
            no_complex="np.rad2deg is real")


@scalar
def sinc_derivative(n, x):
    """Derivatives of sin(u)/u, u = pi x, from u f(n) + n f(n-1) = sin(u + n pi/2), which loses digits below n; there by the
    series, the sum over k of (-1)^k u^(2k-n) / ((2k+1) (2k-n)!)."""
    if not (n >= 0 and n == np.floor(n)):
        return nan
    u = pi * x
    if np.abs(u) < np.maximum(1.5, 0.5 * n):
        k = np.floor(0.5 * (n + 1))
        p = 2 * k - n
        power = (1.0 - 2.0 * (k % 2)) * (u if p == 1 else 1.0)       # u^p / p!, with the sign
        f = power / (2 * k + 1)
        term = f
        while np.abs(term) > 1e-18 * np.abs(f):
            power *= -u * u / ((p + 1) * (p + 2))
            k, p = k + 1, p + 2
            term = power / (2 * k + 1)
            f += term
    else:
        s, c = np.sin(u), np.cos(u)
        f = s / u
        for j in range(1, int(n) + 1):
            s, c = c, -s
            f = (s - j * f) / u
    return f * pi**n


elementwise("sinc", lambda x: np.sin(pi * select(x == 0, 1e-20, x)) / (pi * select(x == 0, 1e-20, x)),
            lambda g, x, z: g * np.sinc_derivative(1, x), formula="sin(pi * x) / (pi * x)", domain=((-0.7, 0.7),),
            tails=((-0.5, 0.5),), no_complex="np.sinc loses a complex step", kinks={(0,): (0,)})
elementwise("sinc_derivative", lambda x, y: np.sinc_derivative(x, y),
            "it is the order of the derivative, a whole number; give it as an int",
            lambda g, x, y, z: g * np.sinc_derivative(x + 1, y), in_place=False)
