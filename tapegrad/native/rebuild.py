"""Users' functions made anew for variables: the same code, in which ``np`` is a module whose arrays hold variables."""
import functools
import types as python_types
import weakref

import numba
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher

from .._jit.locks import lock
from . import arrays

# Options of a dispatcher that don't go with its code. A parallel loop would have its iterations record on one tape
_NOT_KEPT = {"nopython", "parallel", "cache"}


SPECIAL = {}                                 # dispatcher -> what makes the one that stands for it, given a Rebuilt


def options_of(dispatcher):
    return {name: value for name, value in dispatcher.targetoptions.items() if name not in _NOT_KEPT}


_CACHED = weakref.WeakSet()                  # what is forgotten when a function is compiled again


def cached(function):
    """functools.cache, until a function is compiled again (its method ``recompile``): globals have changed."""
    kept = functools.cache(function)
    _CACHED.add(kept)
    return kept


def kept_with(function):
    """As `cached`, of a dispatcher and more: what was made is let go with the dispatcher."""
    kept = weakref.WeakKeyDictionary()

    @functools.wraps(function)
    def find(dispatcher, *arguments, **keywords):
        made, key = kept.setdefault(dispatcher, {}), (arguments, *keywords.items())
        if key not in made:
            made[key] = function(dispatcher, *arguments, **keywords)
        return made[key]
    find.cache_clear = kept.clear
    _CACHED.add(find)
    return find


_recompile = Dispatcher.recompile


@functools.wraps(_recompile)
def _recompile_and_forget(self):
    _recompile(self)
    for kept in list(_CACHED):
        kept.cache_clear()


Dispatcher.recompile = _recompile_and_forget


class _Proxy(python_types.ModuleType):
    """A module whose functions are replaced where there is something to replace them by."""

    def __init__(self, module, replaced):
        super().__init__(module.__name__)
        self._module, self._replaced = module, replaced

    def __getattr__(self, name):
        return self._replaced(getattr(self._module, name))


class Rebuilt:
    """Functions made anew for a kind of variables, each once: those that call each other, or themselves, find each other."""

    def __init__(self, kind):
        self.kind = kind
        self.replaced = arrays.constructors(kind)
        self.functions = weakref.WeakKeyDictionary()     # dispatcher -> dispatcher
        self.lock = lock(reentrant=True)     # a function is in there before what it refers to is
        self.modules = {}

    def __call__(self, value):
        """What stands in the place of a value that a function refers to."""
        if isinstance(value, CPUDispatcher):
            return self.function(value)
        if isinstance(value, python_types.ModuleType):
            if value not in self.modules:
                self.modules[value] = _Proxy(value, self)
            return self.modules[value]
        try:
            return self.replaced.get(value, value)
        except TypeError:                    # not hashable
            return value

    def function(self, dispatcher):
        with self.lock:
            return self.functions[dispatcher] if dispatcher in self.functions else self._made(dispatcher)

    def _made(self, dispatcher):
        if dispatcher in SPECIAL:
            self.functions[dispatcher] = SPECIAL[dispatcher](self)
            return self.functions[dispatcher]
        given = dispatcher.py_func
        scope = {"__builtins__": given.__globals__["__builtins__"], "__name__": given.__globals__.get("__name__")}
        cells = tuple(python_types.CellType() for _ in given.__closure__ or ())
        made = python_types.FunctionType(given.__code__, scope, given.__name__, given.__defaults__, cells)
        made.__kwdefaults__ = given.__kwdefaults__
        options = {**options_of(dispatcher), "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self.functions[dispatcher] = numba.njit(**options)(made)
        for name in _names(given.__code__):
            if name in given.__globals__:
                scope[name] = self(given.__globals__[name])
        for cell, old in zip(cells, given.__closure__ or ()):
            cell.cell_contents = self(old.cell_contents)
        return self.functions[dispatcher]


def _names(code):
    """The global names that a code object refers to, and those of functions inside of it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            names |= _names(constant)
    return names
