"""What a function refers to besides its arguments: where a replay looks whether it is still what it was when recorded.

Cells of closures, globals and defaults that its code names, attributes of objects and entries of containers behind them, and
functions that it calls, of the user's own modules. Of all of them the identity is compared, of numbers and text the value, of
arrays and tensors the elements.
"""
import builtins
import datetime
import decimal
import dis
import enum
import fractions
import functools
import logging
import operator
import os
import pathlib
import random
import re
import sys
import threading
import types
import typing

import numpy as np

from ..buffers import address_of
from ..tensor.conversion import get_default_dtype
from ..tensor.core import Tensor, tracked
from ..transforms.call import Transformed
from .sweeps import compiled, same

MOST = 20_000                                # slots that are watched; more of them would cost more than running the function
_LIBRARIES = ("tapegrad", "numpy", "scipy", "numba", "torch", "jax")
MISSING = object()
# What never changes, or whose changes are nobody's business
_STEADY = (types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType, np.ufunc,
           np.dtype, np.generic, range, slice, type(...), type(NotImplemented), re.Pattern, fractions.Fraction, decimal.Decimal,
           datetime.date, datetime.time, datetime.timedelta, enum.Enum, pathlib.PurePath, types.GenericAlias, typing.TypeVar,
           logging.Logger, type(threading.Lock()), type(threading.RLock()), operator.itemgetter, operator.attrgetter)
_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_CONTAINERS = (list, tuple, dict, set, frozenset, types.MappingProxyType)
# What is watched also where a library's object or a function has it
_CHANGING = (np.ndarray, Tensor, list, dict, set, types.MappingProxyType, types.FunctionType, functools.partial,
             np.random.Generator, np.random.RandomState)
_BY_TEXT = {"getattr", "hasattr"}            # which ask for what may not be there
_ANYTHING = {"eval", "exec", "globals"}      # what these read can't be seen
_builtins = vars(builtins)


def package_of(module):
    """The package of a module, by its name; None for a library, which is taken to stay as it is. The examples are programs."""
    if (module or "").startswith("tapegrad.examples"):
        return "tapegrad.examples"
    top = (module or "").partition(".")[0]
    return None if top in _LIBRARIES else top


class Memory:
    """An array as it was: `holder` is it, or the tensor that has it."""
    __slots__ = ("holder", "array", "copy", "address", "copy_address", "nbytes")

    def __init__(self, holder):
        self.holder = holder
        self.array = array = holder._data if isinstance(holder, Tensor) else holder
        self.copy = np.array(array, order="C")
        self.nbytes = self.copy.nbytes if array.flags.c_contiguous and array.dtype != object else -1
        self.address, self.copy_address = address_of(array), address_of(self.copy)

    def same(self):
        array = self.array
        if array is not self.holder and (self.holder._data is not array or self.holder._requires):
            return False
        if self.nbytes >= 0 and array.shape == self.copy.shape and address_of(array) == self.address:    # resize moves it
            return compiled(same)(self.address, self.copy_address, self.nbytes)
        return array.shape == self.copy.shape and array.tobytes() == self.copy.tobytes()


class Environment:
    """What a function refers to, and how it was. `reason`: why that can't be watched, or ""."""

    def __init__(self, function):
        self.codes: list = []                # (function, its code, its defaults)
        self.cells: list = []                # (cell, what was in it)
        self.entries: list = []              # (mapping, key, what was there)
        self.containers: list = []           # (list, set, dict or namespace of a class, its members)
        self.memories: list = []
        self.generators: list = []           # of random numbers
        self.reason = ""
        self.dtype = get_default_dtype()
        self._seen: dict = {}
        self._names = _names(function)
        self._own = package_of(getattr(function, "__module__", None)) or ""
        self._visit(function, ())

    def _of_user(self, thing):
        """Whether a function, class or module is none of a library, which is taken to stay as it is: its package is the
        function's own, or is not installed."""
        name = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", None) or ""
        top = package_of(name)
        if top == self._own:
            return True
        if top is None or (top in sys.stdlib_module_names and top != "__main__"):
            return False
        file = getattr(sys.modules.get(top), "__file__", None) or ""
        return "site-packages" not in file and "dist-packages" not in file

    def add(self, things):
        """Watches objects that the function is given, too."""
        for thing in things:
            self._visit(thing, self._names)

    def names(self):
        """What the code of the functions names: globals, attributes and builtins."""
        return {name for _, code, *_ in self.codes for name in _all_names(code)}

    def same(self):
        """Whether everything is as it was."""
        if get_default_dtype() is not self.dtype:
            return False
        for cell, value in self.cells:
            now = contents(cell)
            if now is not value and not equal(now, value):
                return False
        for function, code, defaults, named in self.codes:
            if (function.__code__ is not code or function.__defaults__ is not defaults
                    or function.__kwdefaults__ is not named):
                return False
        for mapping, key, value in self.entries:
            now = mapping.get(key, MISSING)
            if now is not value and not equal(now, value):
                return False
        for container, members in self.containers:
            now = list(container.values() if hasattr(container, "values") else container)
            if len(now) != len(members) or not all(map(_same, now, members)):
                return False
        return not self.memories or all([memory.same() for memory in self.memories])

    def _visit(self, value, names):
        """`names`: what the code that refers to it names, of which attributes and globals are looked up."""
        if isinstance(value, _PLAIN) or value is MISSING or self.reason:
            return
        if isinstance(value, types.ModuleType):
            if self._of_user(value):
                self._members(vars(value), names, names, value)
            elif value is os and not {"environ", "getenv"}.isdisjoint(names):
                self._visit(os.environ, ())
            return
        if isinstance(value, type):
            for kind in filter(self._of_user, (*value.__mro__, type(value))):
                self._members(vars(kind), names, names, kind)
            return
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if len(self._seen) > MOST:
            self.reason = "it refers to more objects than can be watched; pass what changes as an argument"
        elif isinstance(value, np.ndarray):
            if type(value) is not np.ndarray and hasattr(value, "__dict__"):     # as a masked array, which has its mask there
                self._visit(vars(value), names)
            value = np.asarray(value)
            self.memories.append(Memory(value))
            for member in value.flat if value.dtype == object else ():
                self._visit(member, names)
        elif isinstance(value, Tensor):
            if tracked(value):
                self.reason = ("it refers to a tensor that requires grad without getting it as an argument; pass it as one, or "
                               "use x.detach()")
            else:
                self.memories.append(Memory(value))
        elif isinstance(value, Transformed):
            _, arguments, keywords = value.recipe
            for part in (*arguments, *keywords.values()):
                self._visit(part, names)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._visit(part, names)
        elif isinstance(value, types.MethodType):
            self._visit(value.__func__, names)
            self._visit(value.__self__, _names(value.__func__))
        elif isinstance(value, types.FunctionType):
            self._visit_function(value)
        elif isinstance(value, _CONTAINERS):
            members = list(value.values() if hasattr(value, "values") else value)
            if not isinstance(value, (tuple, frozenset)):
                self.containers.append((value, members))
            for member in members:
                self._visit(member, names)
            if getattr(value, "__dict__", None) or self._of_user(type(value)):       # a class of the user's
                self._visit_object(value, names)
        elif isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
            self.generators.append(value)
        else:
            self._visit_object(value, names)

    def _visit_function(self, function):
        if function is os.getenv:
            self._visit(os.environ, ())
        if not self._of_user(function):
            inner = getattr(function, "__wrapped__", None)
            if inner is not None:
                self._visit(inner, ())
            for cell in function.__closure__ or () if inner is not None else ():
                self._visit_cell(cell, ())
            return
        names = _names(function)
        for cell in function.__closure__ or ():
            self._visit_cell(cell, names)
        named = _globals(function.__code__)
        unseen = sorted(_ANYTHING.intersection(named).difference(function.__globals__))
        if unseen:
            self.reason = f"it calls {unseen[0]}, and what that reads can't be seen; write the names themselves"
        self._members(function.__globals__, named, names)
        for module in _imports(function.__code__):
            self._visit_import(module, names)
        self._visit(function.__defaults__, names)
        self._visit(function.__kwdefaults__, names)
        if function.__dict__:
            parts = list(function.__dict__.values())
            self.containers.append((function.__dict__, parts))
            for part in parts:
                if isinstance(part, _CHANGING):
                    self._visit(part, names)
        self.codes.append((function, function.__code__, function.__defaults__, function.__kwdefaults__))

    def _visit_cell(self, cell, names):
        value = contents(cell)
        self.cells.append((cell, value))
        self._visit(value, names)

    def _visit_import(self, name, names):
        """A module that code imports when it runs, and the package that it is in."""
        for part in dict.fromkeys((name, name.partition(".")[0])):
            module = sys.modules.get(part)
            if isinstance(module, types.ModuleType) and self._of_user(module):
                self.entries.append((sys.modules, part, module))
                self._visit(module, names)

    def _members(self, mapping, wanted, names, owner=None):
        """The entries of a namespace that code wants, the globals of functions or those of a module or class, its `owner`, and
        what the code that has all these `names` finds behind them. A global that is missing may come."""
        if (id(owner or mapping), wanted, names) in self._seen:
            return
        self._seen[id(owner or mapping), wanted, names] = owner or mapping
        by_text = not _BY_TEXT.isdisjoint(names)
        for name in wanted:
            value = mapping.get(name, MISSING)
            if value is MISSING and (not by_text if owner is not None else name in _builtins):
                continue
            self.entries.append((mapping, name, value))
            function = getattr(value, "__func__", value) if isinstance(value, (classmethod, staticmethod)) else (
                value.fget if isinstance(value, property) else value)
            self._visit(function, names)
            if isinstance(value, (classmethod, property)):       # it gets the class, or an object of it
                self._visit(owner, _names(function))

    def _visit_object(self, value, names):
        """An object of a class: its attributes, and what the class has. Of a library's object what is behind its attributes is
        taken to stay as it is, unless they are arrays, containers and functions."""
        kind, user = type(value), self._of_user(type(value))
        inner = getattr(value, "function" if kind.__module__.startswith("tapegrad.") else "__wrapped__", None)
        if isinstance(inner, (types.FunctionType, types.MethodType)):    # a compiled function, or a cached one
            self._visit(inner, ())
            return
        optimizer = kind.__module__.startswith("tapegrad.optim.")
        if isinstance(value, _STEADY) or (kind.__module__.partition(".")[0] in ("tapegrad", "numba") and not optimizer):
            return
        found = [attributes for attributes in (getattr(value, "__dict__", None), Slots(value)) if attributes is not None]
        if not any(found) and not user and kind is not types.SimpleNamespace:
            self.reason = (f"it refers to a {kind.__name__} without getting it as an argument, and whether that changes can't be "
                           "seen; pass what it is used for as an argument")
        for attributes in found:
            parts = list(attributes.values())
            self.containers.append((attributes, parts))
            for part in parts:
                if user or kind is types.SimpleNamespace or isinstance(part, _CHANGING):
                    self._visit(part, names)
        for base in filter(self._of_user, kind.__mro__):
            if id(base) not in self._seen:
                self._seen[id(base)] = base
                members = vars(base)
                self.containers.append((members, list(members.values())))
                for name, member in list(members.items()):
                    if name == "__annotate_func__":      # Python 3.14 evaluates annotations when they are asked for
                        continue
                    member = getattr(member, "__func__", getattr(member, "fget", member))
                    if isinstance(member, types.FunctionType) or (
                            not name.startswith("__") and isinstance(member, (np.ndarray, Tensor, list, dict, set))):
                        self._visit(member, names)


def contents(cell):
    """What is in a cell, or MISSING."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


class Slots:
    """The attributes that an object has in slots."""

    def __init__(self, thing):
        self.thing = thing
        self.names = [name for base in type(thing).__mro__ if "__slots__" in vars(base)  # an object of C's has members, and more
                      for name, member in vars(base).items() if isinstance(member, types.MemberDescriptorType)]

    def __bool__(self):
        return bool(self.names)

    def values(self):
        return [getattr(self.thing, name, MISSING) for name in self.names]


def _same(x, y):
    return x is y or equal(x, y)


def equal(x, y):
    """Numbers and text may be made anew; 0.0 and -0.0 are two, and so are 1 and True."""
    return type(x) is type(y) and isinstance(x, _PLAIN) and x == y and repr(x) == repr(y)


@functools.lru_cache(maxsize=4096)
def _all_names(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= set(_all_names(constant))
        elif isinstance(constant, str) and constant.isidentifier():      # for getattr
            names.add(constant)
    return tuple(sorted(names))


@functools.lru_cache(maxsize=4096)
def _imports(code):
    """The modules that code imports."""
    return _operands(code, ("IMPORT_NAME",))


@functools.lru_cache(maxsize=4096)
def _globals(code):
    """Those of a code's names that are globals, and no attributes: a script may well have a global T, and x.T in a function."""
    return _operands(code, ("LOAD_GLOBAL", "LOAD_NAME"))


def _operands(code, operations):
    """What such instructions of code name, and of the functions within."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in operations}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_operands(constant, operations))
    return tuple(sorted(names))


def _names(function):
    code = getattr(function, "__code__", None)
    return _all_names(code) if code is not None else ()
