"""What ``np`` means in a rule that is compiled: NumPy's functions of scalars, some by faster or safer means."""
import numpy as np


def __getattr__(name):
    return getattr(np, name)
