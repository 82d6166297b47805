"""What ``np`` means in a rule that is compiled: functions of scalars. Those that libmvec has are open to vectorisation."""
import sys
from functools import cache

import numpy as np

from .._jit import helper, inlined, libmvec, special
from ..ops.table import BY_NAME, SCALARS, loaded_functions, rebind


def __getattr__(name):
    if name in libmvec.MATH:
        return libmvec.MATH[name]
    if name in special.ARITY:
        return special.function(name)
    return _compiled(name) if source(name) else getattr(np, name)


def source(name):
    """The Python function behind a name that is written out here, or is another row's; None for all others."""
    if name in SCALARS:
        return SCALARS[name]
    if name in libmvec.MATH or name in special.ARITY or hasattr(np, name) or name not in BY_NAME:
        return None
    return BY_NAME[name].value


@cache
def _compiled(name):
    return (helper if name in SCALARS else inlined)(rebind(source(name), np=sys.modules[__name__]))


def requirements(rule):
    """The functions that a rule depends on by their names, itself first; what they need from SciPy is there then."""
    found = [rule]
    for function in found:
        for name in loaded_functions(function):
            if name in special.ARITY:
                special.load(name)
            elif (needed := source(name)) is not None and needed not in found:
                found.append(needed)
    return tuple(found)
