"""Derivative code on disk: that of a function under ``numba.njit(cache=True)`` is kept beside the function's own.

It is found by a stamp, a hash of all that it was made from: the function, what it refers to, and this package. A function that
refers to something whose content can't be told (an overload of the user's, an object) gets none, and compiles in each process.
"""
import hashlib
import importlib.resources
import sys
import types as python_types
from functools import cache

import numba
import numpy as np
from numba.core import types
from numba.core.caching import NullCache
from numba.core.registry import CPUDispatcher

from .._jit import keep
from .rebuild import SPECIAL, _names

_TRUSTED = {"builtins", "math", "numba", "numpy", "operator"}     # packages whose version says what is in them


class _Unknown(Exception):
    pass


@cache
def _package():
    """A hash of what this package makes code from."""
    package = importlib.resources.files(__package__.rpartition(".")[0])
    digest = hashlib.sha256(f"{sys.version} {numba.__version__} {np.__version__}".encode())
    for folder in ("_jit", "kernels", "native", "ops"):
        for file in sorted((package / folder).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    return digest.digest()


def _origin(thing):
    return (getattr(thing, "__module__", None) or "").partition(".")[0]


def stamp(dispatcher, *more):
    """The hash for a function and some strings, None where there is none."""
    digest, seen = hashlib.sha256(_package()), set()

    def say(*words):
        digest.update(repr(words).encode())

    def visit(thing, names=()):
        if isinstance(thing, CPUDispatcher):
            if thing not in seen:
                seen.add(thing)
                say("function", thing in SPECIAL, sorted(thing.targetoptions.items()))
                function = thing.py_func
                visit(function.__code__)
                visit(function.__defaults__)
                for cell in function.__closure__ or ():
                    visit(cell.cell_contents)
                names = sorted(_names(function.__code__))
                for name in names:
                    if name in function.__globals__:
                        say(name)
                        visit(function.__globals__[name], names)
        elif isinstance(thing, python_types.CodeType):
            say(thing.co_code, thing.co_names, thing.co_varnames, thing.co_freevars, thing.co_flags)
            for constant in thing.co_consts:
                visit(constant)
        elif isinstance(thing, tuple):
            say(type(thing).__name__, len(thing))
            for item in thing:
                visit(item)
        elif isinstance(thing, (np.ndarray, np.generic)) and not thing.dtype.hasobject:
            say(str(thing.dtype), np.shape(thing), np.ascontiguousarray(thing).tobytes())
        elif isinstance(thing, (int, float, complex, str, bytes, type(None), type(Ellipsis), types.Type, np.dtype)):
            say(repr(thing))
        elif isinstance(thing, python_types.ModuleType):
            say(thing.__name__)
            if thing.__name__.partition(".")[0] not in _TRUSTED:
                for name in names:
                    if hasattr(thing, name):
                        visit(getattr(thing, name), names)
        elif isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
            say(thing.__qualname__, thing._fields)
        elif isinstance(thing, np.ufunc) or (_origin(thing) in _TRUSTED and hasattr(thing, "__name__")):
            say(_origin(thing), thing.__name__)
        else:
            raise _Unknown
    try:
        visit(dispatcher)
    except _Unknown:
        return None
    say(more)
    return digest.hexdigest()


def kept_as(dispatcher, made, *more):
    """Keeps on disk what is compiled for `made`, a driver of a function that Numba keeps; `more` tells its drivers apart."""
    if not isinstance(dispatcher._cache, NullCache) and (found := stamp(dispatcher, *more)):
        keep(made, dispatcher.py_func, made.py_func.__name__, found)
    return made
