"""What ``np`` means in a rule that is compiled: NumPy's functions of scalars, those that libmvec has open to vectorisation; and
the rows of the table that are not NumPy's, by any of their names."""
import sys
from functools import cache

import numpy as np

from .._jit import inlined, libmvec
from ..ops.table import OPS, rebind


def row(name):
    """The value rule of a row that NumPy and libmvec don't know; None if there is no such row."""
    if name in libmvec.MATH or hasattr(np, name):
        return None
    return next((op.value for op in OPS if op.value is not None and name in (op.name, *op.names)), None)


def sources(rule):
    """The rules that are compiled into `rule`, itself included."""
    used = [row(name) for name in rule.__code__.co_names]
    return [rule, *(source for inner in used if inner is not None for source in sources(inner))]


@cache
def _compiled(rule):
    return inlined(rebind(rule, np=sys.modules[__name__]))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    rule = row(name)
    return _compiled(rule) if rule is not None else libmvec.MATH.get(name) or getattr(np, name)
