"""Where CPython keeps the parts of its objects, and NumPy those of an array, for machine code that reads them.

Nothing is taken for granted: each place is looked up in objects whose parts are known, and an interpreter in which one isn't
found (PyPy, a build for debugging or without the global lock) is one where machine code stays away from objects.
"""
import ctypes
import sys
import sysconfig
import types
from functools import cache

import numpy as np

WORD = 8
# What compiled code has as constants, in bytes, and 32 bits where it is said:
TYPE, NUMBER = 8, 16                         # the type of an object; the value of a float
DATA, AXES, SHAPE, DESCRIPTION, FLAGS = 16, 24, 32, 56, 64           # of an array; AXES (how many) and FLAGS have 32 bits


class Unknown(Exception):
    """A part of an object that isn't found."""


def word(address):
    """The integer of 8 bytes at an address."""
    return ctypes.c_int64.from_address(address).value


def place(thing, part):
    """Where in an object the address of a part of it is, in bytes; Unknown unless it is there just once."""
    found = [k for k in range(2 * WORD, type(thing).__basicsize__ - WORD + 1, WORD) if word(id(thing) + k) == id(part)]
    if len(found) != 1:
        raise Unknown
    return found[0]


class Layout:
    """The places that are looked up, in bytes from the beginning of an object."""

    def __init__(self):
        if (sys.implementation.name != "cpython" or sys.byteorder != "little" or object.__basicsize__ != 2 * WORD
                or sysconfig.get_config_var("Py_GIL_DISABLED")):
            raise Unknown
        self._check_constants()
        first, second = object(), object()

        def inner():
            return first
        self.cell = place(inner.__closure__[0], first)
        inner.__defaults__, inner.__kwdefaults__ = (first,), {"second": second}
        self.code, self.defaults, self.named = (place(inner, part) for part in (inner.__code__, inner.__defaults__,
                                                                                inner.__kwdefaults__))
        inner.__defaults__ = inner.__kwdefaults__ = None
        if word(id(inner) + self.defaults) or word(id(inner) + self.named):
            raise Unknown
        self.length, self.members = self._list(first)
        mapping = {"first": first}
        self.mapping = place(types.MappingProxyType(mapping), mapping)

    @staticmethod
    def _check_constants():
        array = np.zeros((2, 3), np.float32)
        address = id(array)
        if (word(address + TYPE) != id(np.ndarray) or word(address + DATA) != array.ctypes.data
                or ctypes.c_int32.from_address(address + AXES).value != 2
                or [word(word(address + SHAPE) + k * WORD) for k in range(2)] != [2, 3]
                or word(address + DESCRIPTION) != id(array.dtype)
                or ctypes.c_int32.from_address(address + FLAGS).value != array.flags.num
                or ctypes.c_double.from_address(id(12.5) + NUMBER).value != 12.5):
            raise Unknown

    @staticmethod
    def _list(first):
        """Where a list has its length, and the address of its members."""
        thing = [first] * 12345
        lengths = [k for k in range(2 * WORD, list.__basicsize__, WORD) if word(id(thing) + k) == len(thing)]
        at = lengths[0] + WORD if lengths else 0         # the address follows the length
        if not at or word(word(id(thing) + at)) != id(first) or word(word(id(thing) + at) + 12344 * WORD) != id(first):
            raise Unknown
        return lengths[0], at


@cache
def layout():
    """The layout of this interpreter's objects, or None where it is not known."""
    try:
        return Layout()
    except Unknown:
        return None


@cache
def slot(kind, name):
    """Where objects of a class have what is in their slot `name`, in bytes; None if that isn't found."""
    member = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if not isinstance(member, types.MemberDescriptorType) or hasattr(kind, "__del__"):
        return None
    try:
        thing, part = object.__new__(kind), object()
        member.__set__(thing, part)
        return place(thing, part)
    except (TypeError, AttributeError, Unknown):         # not a class of Python's
        return None
