"""What ``np`` means in a rule that is compiled: NumPy's functions of scalars, those that libmvec has open to vectorisation."""
import numpy as np

from .._jit import libmvec


def __getattr__(name):
    return libmvec.MATH.get(name) or getattr(np, name)
