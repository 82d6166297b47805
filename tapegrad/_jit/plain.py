"""Memory as Python code sees it: the double of compiled code's, without the JIT.

Numbers read from memory are NumPy's, so that a division by 0 gives inf or nan, as compiled code gives it. With
``NUMBA_BOUNDSCHECK=1`` besides, every access is checked: an element must lie in the array whose address was asked for, and of
what a kernel is called with (``framed``) within its operands and its result. Numba's own checks know arrays alone, and kernels
see addresses.
"""
import bisect
import contextlib
import ctypes
import weakref

import numpy as np


def pointer(address, dtype):
    """Memory without checks, of Python's numbers."""
    return ctypes.cast(int(address), ctypes.POINTER(np.ctypeslib.as_ctypes_type(dtype)))


def with_numpys_numbers(function):
    """The same function, in whose code floating constants are NumPy's: a sum of nothing, divided by their number, is nan."""
    code = function.__code__
    constants = tuple([np.float64(value) if type(value) is float else value for value in code.co_consts])
    function.__code__ = code.replace(co_consts=constants)
    return function


class Reals:
    """Floating numbers at an address."""
    __slots__ = ("elements", "real")

    def __init__(self, address, real):
        self.elements, self.real = pointer(address, real), real

    def __getitem__(self, k):
        return self.real(self.elements[k])

    def __setitem__(self, k, value):
        self.elements[k] = float(value)


class Checked:
    """Elements at an address, none of which lies outside of its memory."""
    __slots__ = ("address", "dtype", "elements", "item", "limits")

    def __init__(self, address, dtype):
        self.address, self.dtype, self.item = int(address), dtype, np.dtype(dtype).itemsize
        self.elements, self.limits = pointer(address, dtype), None

    def _checked(self, k):
        if self.limits is None:
            self.limits = limits(self.address)
        start, end = self.limits
        if not start <= self.address + k * self.item <= end - self.item:
            raise IndexError(f"element {k} of {np.dtype(self.dtype)} is outside of the memory at its address, which holds "
                             f"elements {(start - self.address) // self.item} to {(end - self.address) // self.item - 1}")
        return k

    def __getitem__(self, k):
        found = self.elements[self._checked(k)]
        return found if issubclass(self.dtype, np.integer) else self.dtype(found)

    def __setitem__(self, k, value):
        self.elements[self._checked(k)] = value if issubclass(self.dtype, np.integer) else float(value)


_blocks: dict = {}                           # where memory begins: (its end, a weak reference to its array)
_starts: list = []                           # sorted
_exact: dict = {}                            # memory that the kernel which is running was given: its bytes, by address


def known(array):
    """Notes the memory of an array whose address is taken, until the array is gone."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    start = array.__array_interface__["data"][0]
    if start not in _blocks:
        bisect.insort(_starts, start)

    def forget(reference):
        if _blocks.get(start, (0, None))[1] is reference:
            del _blocks[start]
            _starts.remove(start)
    _blocks[start] = start + max(array.nbytes, 1), weakref.ref(array, forget)


def limits(address):
    """Where the memory around an address begins and ends."""
    for start, size in _exact.items():
        if start <= address < start + max(size, 1):
            return start, start + size
    k = bisect.bisect_right(_starts, address) - 1
    if k < 0 or _blocks[_starts[k]][0] <= address:
        raise IndexError(f"address {address:#x} is in no array that is alive")
    return _starts[k], _blocks[_starts[k]][0]


@contextlib.contextmanager
def framed(sizes):
    """While a kernel runs that is given memory of these sizes in bytes, by its addresses."""
    kept = dict(_exact)
    _exact.update(sizes)
    try:
        yield
    finally:
        _exact.clear()
        _exact.update(kept)
