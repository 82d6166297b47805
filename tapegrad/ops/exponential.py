"""Exponentials, logarithms and the sigmoid family."""
import numpy as np

from .table import elementwise, select

elementwise("exp", lambda x: np.exp(x), lambda g, x, z: g * z)
elementwise("expm1", lambda x: np.expm1(x), lambda g, x, z: g * (z + 1))
elementwise("log", lambda x: np.log(x), lambda g, x, z: g / x, domain=((0.5, 2),))
elementwise("log1p", lambda x: np.log1p(x), lambda g, x, z: g / (1 + x), domain=((-0.5, 2),))
# exp(-|x|) never overflows, and written with it the derivative keeps its digits in both tails
elementwise("sigmoid", lambda x: select(x >= 0, 1.0, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x))),
            lambda g, x, z: g * np.exp(-np.abs(x)) / ((1 + np.exp(-np.abs(x))) * (1 + np.exp(-np.abs(x)))),
            reference="scipy.special.expit", names=("expit",))
elementwise("softplus", lambda x: np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))),
            lambda g, x, z: g * (select(x >= 0, 1.0, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x)))), in_place=False)
