"""What a function refers to besides its arguments: where a replay looks whether it is still what it was when recorded.

Cells of closures, globals and defaults that its code names, attributes of objects and entries of containers behind them, and
functions that it calls, of the user's own modules. Of all of them the identity is compared, of numbers and text the value, of
arrays and tensors the elements.
"""
import argparse
import builtins
import datetime
import decimal
import dis
import enum
import fractions
import functools
import importlib
import inspect
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
_STEADY = (types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
           np.dtype, np.generic, range, slice, type(...), type(NotImplemented), re.Pattern, fractions.Fraction, decimal.Decimal,
           datetime.date, datetime.time, datetime.timedelta, pathlib.PurePath, types.GenericAlias, typing.TypeVar,
           logging.Logger, type(threading.Lock()), type(threading.RLock()), operator.itemgetter)
_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_CONTAINERS = (list, tuple, dict, set, frozenset, types.MappingProxyType)
_SPACES = (types.SimpleNamespace, argparse.Namespace)
# What is watched also where a library's object, a class or a function has it, and so is everything of the user's
_CHANGING = (np.ndarray, Tensor, list, dict, set, types.MappingProxyType, types.FunctionType, *_SPACES, type,
             types.ModuleType, functools.partial, np.random.Generator, np.random.RandomState)
_COMPUTED = {"getattr", "hasattr", "vars", "__dict__", "attrgetter"}         # what may ask for other names than code has
_ANYTHING = {"eval", "exec", "globals", "open", "input", "__import__"}       # what these read can't be seen
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
        self.array = array = holder._own if isinstance(holder, Tensor) else holder
        self.copy = np.array(array, order="C")
        self.nbytes = self.copy.nbytes if array.flags.c_contiguous and array.dtype != object else -1
        self.address, self.copy_address = address_of(array), address_of(self.copy)

    def same(self):
        array = self.array
        if array is not self.holder and (self.holder._own is not array or self.holder._requires):
            return False
        if self.nbytes >= 0 and array.shape == self.copy.shape and address_of(array) == self.address:    # resize moves it
            return compiled(same)(self.address, self.copy_address, self.nbytes)
        return array.shape == self.copy.shape and array.tobytes() == self.copy.tobytes()


class Environment:
    """What a function refers to, and how it was. `reason`: why that can't be watched, or "".

    Objects are watched whole. Of modules and classes, which hold more than a function asks for, what any code that it reaches
    has a name for is watched.
    """

    def __init__(self, function):
        self.codes: list = []                # (function, its code, its defaults)
        self.cells: list = []                # (cell, what was in it)
        self.entries: list = []              # (mapping, key, what was there)
        self.containers: list = []           # (list, set, dict or namespace of a class, its parts)
        self.memories: list = []
        self.objects: list = []              # (object, its class)
        self.generators: list = []           # of random numbers
        self.reason = ""
        self.dtype = get_default_dtype()
        self._seen: dict = {}
        self._names: set = set()             # those that code has, of attributes too
        self._owners: list = []              # (module or class, the names that were looked up in it)
        self._own = package_of(getattr(function, "__module__", None)) or ""
        self.add([function])

    def _of_user(self, thing):
        """Whether a function, class or module is none of a library, which is taken to stay as it is: its package is the
        function's own, or is not installed."""
        name = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", None) or ""
        top = package_of(name) if isinstance(name, str) else None
        if top == self._own:
            return True
        if top is None or (top in sys.stdlib_module_names and top != "__main__"):
            return False
        file = getattr(sys.modules.get(top), "__file__", None) or ""
        return "site-packages" not in file and "dist-packages" not in file

    def add(self, things):
        """Watches objects that the function is given, too."""
        for thing in things:
            self._visit(thing)
        self._look_up()

    def names(self):
        """What the code of the functions names: globals, attributes and builtins."""
        return self._names

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
        for container, parts in self.containers:
            now = parts_of(container)
            if len(now) != len(parts) or not all(map(_same, now, parts)):
                return False
        for thing, kind in self.objects:
            if type(thing) is not kind:
                return False
        return not self.memories or all([memory.same() for memory in self.memories])

    # Modules and classes ------------------------------------------------------------------------------------------------

    def _look_up(self):
        """Looks all names up in all modules and classes, and in those that come up by that."""
        while not self.reason:
            names, before = set(self._names), len(self._owners)
            for owner, seen in list(self._owners):
                wanted = names - seen
                seen |= wanted
                if wanted:
                    self._members(owner, wanted, not _COMPUTED.isdisjoint(names))
            if self._names == names and len(self._owners) == before:
                return

    def _members(self, owner, wanted, computed):
        """What a module or class has of these names; all that it has where names are computed."""
        if not self._of_user(owner):
            self._of_library(owner, wanted)
            return
        namespace, is_class = vars(owner), isinstance(owner, type)
        if computed:
            wanted = wanted.union([name for name in namespace if not name.startswith("__")])
        if is_class:                         # what operators and calls ask for
            wanted = wanted.union([name for name, value in namespace.items() if name.startswith("__")
                                   and isinstance(_function_in(value), types.FunctionType) and name != "__annotate_func__"])
        for name in sorted(wanted):
            value = namespace.get(name, MISSING)
            if value is MISSING and not computed:
                continue
            self.entries.append((namespace, name, value))
            self._visit(_function_in(value))

    def _of_library(self, module, wanted):
        if module is os and not wanted.isdisjoint({"environ", "getenv"}):
            self._visit(os.environ)
        elif module is sys and "argv" in wanted:
            self._visit(sys.argv)
        elif (module is sys and "modules" in wanted) or (module is importlib and "import_module" in wanted):
            self.reason = "it looks modules up when it runs, and which can't be seen; import them by their names"

    def _visit_import(self, name):
        """A module that code imports when it runs, and the package that it is in."""
        for part in dict.fromkeys((name, name.partition(".")[0])):
            module = sys.modules.get(part)
            if isinstance(module, types.ModuleType) and self._of_user(module):
                self.entries.append((sys.modules, part, module))
                self._visit(module)

    # Objects ------------------------------------------------------------------------------------------------------------

    def _visit(self, value):
        if type(value) in _PLAIN or value is MISSING or self.reason or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if len(self._seen) > MOST:
            self.reason = "it refers to more objects than can be watched; pass what changes as an argument"
        elif isinstance(value, types.ModuleType):
            self._owners.append((value, set()))
        elif isinstance(value, type):
            for kind in filter(self._of_user, (*value.__mro__, type(value))):
                if kind is value or id(kind) not in self._seen:
                    self._seen[id(kind)] = kind
                    self._owners.append((kind, set()))
        elif isinstance(value, np.ndarray):
            if type(value) is not np.ndarray and hasattr(value, "__dict__"):     # as a masked array, which has its mask there
                self._visit(vars(value))
            value = np.asarray(value)
            self.memories.append(Memory(value))
            for member in value.flat if value.dtype == object else ():
                self._visit(member)
        elif isinstance(value, Tensor):
            if tracked(value):
                self.reason = ("it refers to a tensor that requires grad without getting it as an argument; pass it as one, or "
                               "use x.detach()")
            else:
                self.memories.append(Memory(value))
        elif isinstance(value, Transformed):
            _, arguments, keywords = value.recipe
            for part in (*arguments, *keywords.values()):
                self._visit(part)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._visit(part)
        elif isinstance(value, types.MethodType):
            self._visit(value.__func__)
            self._visit(value.__self__)
        elif isinstance(value, (types.BuiltinFunctionType, types.MethodWrapperType)):
            if not isinstance(value.__self__, types.ModuleType):         # the method of an object
                self._visit(value.__self__)
        elif isinstance(value, types.FunctionType):
            self._visit_function(value)
        elif isinstance(value, _CONTAINERS):
            parts = parts_of(value)
            if not isinstance(value, (tuple, frozenset)):
                self.containers.append((value, parts))
            for part in parts:
                self._visit(part)
            if getattr(value, "__dict__", None) or self._of_user(type(value)):       # a class of the user's
                self._visit_object(value)
        elif isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
            self.generators.append(value)
        elif isinstance(value, np.ufunc):
            if all([form.partition("->")[0].strip("O") == "" for form in value.types]):
                self.reason = "it refers to a ufunc of a Python function, np.frompyfunc's, which can't be seen"
        elif isinstance(value, (operator.attrgetter, operator.methodcaller)):
            self._names.update(part for name in value.__reduce__()[1] if isinstance(name, str) for part in name.split("."))
        else:
            self._visit_object(value)

    def _visit_function(self, function):
        if function is os.getenv:
            self._visit(os.environ)
        if function is importlib.import_module:
            self._of_library(importlib, {"import_module"})
        if not self._of_user(function):
            inner = getattr(function, "__wrapped__", None)
            if inner is not None:
                self._visit(inner)
            for cell in function.__closure__ or () if inner is not None else ():
                self._visit_cell(cell)
            return
        self._names.update(_names(function.__code__))
        for cell in function.__closure__ or ():
            self._visit_cell(cell)
        named = _globals(function.__code__)
        unseen = sorted(_ANYTHING.intersection(named).difference(function.__globals__))
        if unseen:
            self.reason = f"it calls {unseen[0]}, and what that reads can't be seen; write the names themselves"
        for name in named:                   # one that is missing may come
            value = function.__globals__.get(name, MISSING)
            if value is not MISSING or name not in _builtins:
                self.entries.append((function.__globals__, name, value))
                self._visit(value)
        for module in _imports(function.__code__):
            self._visit_import(module)
        self._visit(function.__defaults__)
        self._visit(function.__kwdefaults__)
        if function.__dict__:
            self._visit_attributes(function.__dict__, False)
        self.codes.append((function, function.__code__, function.__defaults__, function.__kwdefaults__))

    def _visit_cell(self, cell):
        value = contents(cell)
        self.cells.append((cell, value))
        self._visit(value)

    def _visit_attributes(self, attributes, every):
        """Those of an object: of a library's object what is behind them is taken to stay as it is, but for what may change."""
        parts = parts_of(attributes)
        self.containers.append((attributes, parts))
        for part in parts:
            if every or isinstance(part, _CHANGING) or self._of_user(type(part)):
                self._visit(part)

    def _visit_object(self, value):
        """An object of a class: its attributes, and what the class has."""
        kind, user = type(value), self._of_user(type(value))
        ours = kind.__module__.partition(".")[0] in ("tapegrad", "numba") and not kind.__module__.startswith("tapegrad.optim.")
        inner = _attribute(value, "function" if ours else "__wrapped__")
        if isinstance(inner, (types.FunctionType, types.MethodType)):    # a compiled function, or a cached one
            self._visit(inner)
            if hasattr(value, "cache_info") and not inspect.signature(inner).parameters and value.cache_info().currsize:
                self._visit(value())         # the one result that it has
            return
        if isinstance(value, _STEADY) or ours:
            return
        if isinstance(value, enum.Enum):
            self._visit_attributes(vars(value), False)
            return
        found = [attributes for attributes in (_attribute(value, "__dict__"), Slots(value)) if attributes is not None]
        if not any(found) and not user and not isinstance(value, _SPACES):
            self.reason = (f"it refers to a {kind.__name__} without getting it as an argument, and whether that changes can't be "
                           "seen; pass what it is used for as an argument")
        for attributes in found:
            self._visit_attributes(attributes, user or isinstance(value, _SPACES))
        if user:
            self.objects.append((value, kind))
        for base in filter(self._of_user, kind.__mro__):
            if (base, "as of an object") not in self._seen:
                self._seen[base, "as of an object"] = base
                members = vars(base)
                self.containers.append((members, parts_of(members)))
                for name, member in list(members.items()):
                    if name == "__annotate_func__":      # Python 3.14 evaluates annotations when they are asked for
                        continue
                    member = _function_in(member)
                    if isinstance(member, types.FunctionType) or (
                            not name.startswith("__") and (isinstance(member, _CHANGING) or self._of_user(type(member)))):
                        self._visit(member)


def _function_in(member):
    """The function that a class has as a method or property, or what else it has."""
    return getattr(member, "__func__", member.fget if isinstance(member, property) else member)


def _attribute(value, name):
    """An attribute of an object, or None; also of one whose class answers for others and fails."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def parts_of(container):
    """The keys and values of a dict, the attributes of an object, or the members of another container."""
    if isinstance(container, (dict, types.MappingProxyType)):
        return [*container.keys(), *container.values()]
    return list(container.values() if isinstance(container, Slots) else container)


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
def _names(code):
    """All that code has a name for."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
        elif isinstance(constant, str) and len(constant) < 100:          # for getattr, and attrgetter
            names.update(filter(str.isidentifier, constant.split(".")))
    return names


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
