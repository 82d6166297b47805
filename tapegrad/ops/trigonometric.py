"""Trigonometric and hyperbolic functions and their inverses."""
import numpy as np
from numpy import inf

from .table import elementwise, select

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
            lambda g, x, y, z: select((x == 0) & (y == 0), 0.0,
                                      g * (y / np.maximum(np.abs(x), np.abs(y))) / np.maximum(np.abs(x), np.abs(y))
                                      / (np.square(x / np.maximum(np.abs(x), np.abs(y)))
                                         + np.square(y / np.maximum(np.abs(x), np.abs(y))))),
            lambda g, x, y, z: select((x == 0) & (y == 0), 0.0,
                                      -g * (x / np.maximum(np.abs(x), np.abs(y))) / np.maximum(np.abs(x), np.abs(y))
                                      / (np.square(x / np.maximum(np.abs(x), np.abs(y)))
                                         + np.square(y / np.maximum(np.abs(x), np.abs(y))))),
            names=("atan2",), display="Atan2", domain=((0.5, 2), (0.5, 2)), note="0 at the origin",
            formula="atan2(x, y)", kinks={(0, 0): (0, 0)}, no_complex="np.arctan2 is real")
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
