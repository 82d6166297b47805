"""What ``np`` means in a rule that is applied to arrays: NumPy's and SciPy's functions, which need no derivative."""
import sys
import types
from functools import cache, partial

import numpy as np

from .._jit import special
from .._jit.locks import imported
from ..ops.table import BY_NAME, SCALARS, rebind


@cache
def __getattr__(name):
    if name not in special.ARITY and hasattr(np, name):
        return getattr(np, name)
    function = getattr(imported("scipy.special"), name, None)        # not before it is needed: it takes a quarter of a second
    if function is not None:                 # in double precision, as compiled code has it
        return partial(function, dtype=np.float64) if isinstance(function, np.ufunc) else function
    if name in SCALARS:
        return np.vectorize(rebind(SCALARS[name], np=_Numbers("numbers")), otypes=[float])
    if name not in BY_NAME:                  # inspect asks every object for __wrapped__, say
        raise AttributeError(f"no function of numbers is called {name!r}")
    return rebind(BY_NAME[name].value, np=sys.modules[__name__], select=np.where)


class _Numbers(types.ModuleType):
    """The same for functions of numbers, which call each other."""

    def __getattr__(self, name):
        return rebind(SCALARS[name], np=self) if name in SCALARS else __getattr__(name)
