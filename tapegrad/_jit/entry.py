"""The entry: a call from Python that goes to machine code at once, without any Python in between.

An entry is a built-in function ``entry(arguments, out)`` that reads a table of integers: what the arguments must be, what must be
as it was, where inputs go, which routine is called, and what the result is made of. It gives the result, or None where the
arguments, or what is watched, or the way that the routine takes are others than the table says; the caller then does in Python
whatever there is to do. It raises nothing but MemoryError.

A routine is a C function of up to 6 integers of 64 bits, whatever they are for, that gives one: FINISHED; OTHER_WAY or more,
where the table's way is not the one that is taken; or another number, after which it is never called again. An input is copied
to an address, or the address of an array's elements is written to a place where the routine finds it. In the same ways a result
is copied from an address, or written by the routine into a new array, whose address it finds.

No two threads are in an entry at once: one that comes meanwhile gets None.
"""
import ctypes
import threading
from functools import cache

import numpy as np

from . import at, callback, helper, invoke
from .layout import AXES, DATA, DESCRIPTION, FLAGS, NUMBER, SHAPE, TYPE, layout

FINISHED, OTHER_WAY = 0, 16

# The table. BUSY: somebody is inside, or it may not be called again; CALLS: the address of a counter of finished calls;
# CHANGED: how often something watched was not as it was; then numbers of rows and their addresses.
API, BUSY, CALLS, CHANGED, UNLOCKED, ROUTINE, GIVEN = range(7)       # GIVEN: the 6 integers
WATCHES, WATCHED, INPUTS, TAKEN, RESULTS, MADE, STACK = range(13, 20)
LENGTH = 20

# Rows of what is watched: a kind and three integers.
WATCH = 4
SAME, ENTRY, MEMBERS, BYTES = range(4)       # (address, word there); (dict, key, value); (dict, keys and values, count of both);
#                                              (address, of a copy, bytes)
# Rows of inputs and results. An array is of a dtype, with axes, and a shape at an address; a COPY of so many bytes goes to or
# comes from a place, else the place gets the address of the elements. FLOAT is an input, SCALAR a result, by the same fields.
ROW = 8
KIND, DTYPE, NDIM, DIMENSIONS, SIZE, HOW, PLACE, MODEL = range(ROW)  # MODEL: an array of that form, for new ones
ARRAY, FLOAT, SCALAR, OUT, TUPLE = range(5)  # OUT: an array, or what the caller gave for it; TUPLE: of the last SIZE results
COPY, ADDRESS = 0, 1

_NAMES = ("PyTuple_Size", "PyTuple_GetItem", "PyTuple_New", "PyTuple_SetItem", "PyDict_GetItemWithError", "PyDict_Next",
          "PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef", "Py_DecRef")
(TUPLE_SIZE, TUPLE_ITEM, NEW_TUPLE, SET_ITEM, DICT_ITEM, DICT_NEXT, UNLOCK, LOCK, INCREASE, DECREASE, NEW_LIKE, NEW_SCALAR, NONE,
 ARRAY_TYPE, FLOAT_TYPE) = range(15)
_NEW_LIKE, _NEW_SCALAR = 277, 60             # NumPy's functions by their number in its table
_SOUND, _WRITEABLE = 0x101, 0x400            # flags of an array: contiguous and aligned


@helper
def _copy(source, target, nbytes):
    a, b = at(source, np.int64), at(target, np.int64)
    for k in range(nbytes // 8):
        b[k] = a[k]
    c, d = at(source, np.int32), at(target, np.int32)
    for k in range(nbytes // 8 * 2, nbytes // 4):        # no element has fewer bytes
        d[k] = c[k]


@helper
def _same_bytes(x, y, nbytes):
    a, b, differs = at(x, np.int64), at(y, np.int64), np.int64(0)
    for k in range(nbytes // 8):
        differs |= a[k] ^ b[k]
    c, d = at(x, np.uint8), at(y, np.uint8)
    for k in range(nbytes // 8 * 8, nbytes):
        differs |= np.int64(c[k] != d[k])
    return differs == 0


@helper
def _unchanged(api, row, count, scratch):
    """Whether everything watched is as it was."""
    for _ in range(count):
        w = at(row, np.int64)
        kind, x, y, z = w[0], w[1], w[2], w[3]
        if kind == SAME:
            if at(x, np.int64)[0] != y:
                return False
        elif kind == ENTRY:
            if invoke(api[DICT_ITEM], (x, y)) != z:
                return False
        elif kind == BYTES:
            if not _same_bytes(x, y, z):
                return False
        else:
            s, expected = at(scratch, np.int64), at(y, np.int64)
            s[0] = 0
            for k in range(0, z, 2):
                if (invoke(api[DICT_NEXT], (x, scratch, scratch + 8, scratch + 16)) & 0xff == 0
                        or s[1] != expected[k] or s[2] != expected[k + 1]):
                    return False
            if invoke(api[DICT_NEXT], (x, scratch, scratch + 8, scratch + 16)) & 0xff != 0:
                return False
        row += 8 * WATCH
    return True


@helper
def _is_array(api, r, x, flags):
    """Whether an object is an array as a row says, of NumPy's own class, contiguous and aligned."""
    if at(x + TYPE, np.int64)[0] != api[ARRAY_TYPE] or at(x + DESCRIPTION, np.int64)[0] != r[DTYPE]:
        return False
    if np.int64(at(x + FLAGS, np.int32)[0]) & flags != flags or np.int64(at(x + AXES, np.int32)[0]) != r[NDIM]:
        return False
    given, expected, same = at(at(x + SHAPE, np.int64)[0], np.int64), at(r[DIMENSIONS], np.int64), True
    for k in range(r[NDIM]):
        same &= given[k] == expected[k]
    return same


@helper
def _fits(api, t, arguments, out):
    """Whether the arguments are as the table says."""
    if invoke(api[TUPLE_SIZE], (arguments,)) != t[INPUTS]:
        return False
    row = t[TAKEN]
    for k in range(t[INPUTS]):
        r, x = at(row, np.int64), invoke(api[TUPLE_ITEM], (arguments, np.int64(k)))
        if r[KIND] == FLOAT:
            if at(x + TYPE, np.int64)[0] != api[FLOAT_TYPE]:
                return False
        elif not _is_array(api, r, x, _SOUND):
            return False
        row += 8 * ROW
    if out == api[NONE]:
        return True
    row = t[MADE]
    for _ in range(t[RESULTS]):
        r = at(row, np.int64)
        if r[KIND] == OUT:
            return _is_array(api, r, out, _SOUND | _WRITEABLE) and (r[HOW] == COPY or _apart(api, t, arguments, out, r[SIZE]))
        row += 8 * ROW
    return False


@helper
def _apart(api, t, arguments, out, nbytes):
    """Whether `out` shares no memory with the arguments, which a routine may still read when it writes there."""
    row, start = t[TAKEN], at(out + DATA, np.int64)[0]
    for k in range(t[INPUTS]):
        r, x = at(row, np.int64), invoke(api[TUPLE_ITEM], (arguments, np.int64(k)))
        if r[HOW] == ADDRESS:
            other = at(x + DATA, np.int64)[0]
            if start < other + r[SIZE] and other < start + nbytes:
                return False
        row += 8 * ROW
    return True


@helper
def _set_inputs(api, t, arguments):
    row = t[TAKEN]
    for k in range(t[INPUTS]):
        r, x = at(row, np.int64), invoke(api[TUPLE_ITEM], (arguments, np.int64(k)))
        if r[KIND] == FLOAT:
            number = at(x + NUMBER, np.float64)[0]
            if r[SIZE] == 8:
                at(r[PLACE], np.float64)[0] = number
            else:
                at(r[PLACE], np.float32)[0] = np.float32(number)
        elif r[HOW] == COPY:
            _copy(at(x + DATA, np.int64)[0], r[PLACE], r[SIZE])
        else:
            at(r[PLACE], np.int64)[0] = at(x + DATA, np.int64)[0]
        row += 8 * ROW


@helper
def _drop(api, t, count):
    """Gives up the first results, after a failure."""
    made = at(t[STACK], np.int64)
    for k in range(count):
        if made[k] != 0:
            invoke(api[DECREASE], (made[k],))


@helper
def _new_arrays(api, t, out):
    """The arrays that will be the result, 0 for what is made later; whether there was memory for them."""
    row, made = t[MADE], at(t[STACK], np.int64)
    for k in range(t[RESULTS]):
        r = at(row, np.int64)
        made[k] = 0
        if r[KIND] == OUT and out != api[NONE]:
            invoke(api[INCREASE], (out,))
            made[k] = out
        elif r[KIND] == ARRAY or r[KIND] == OUT:
            invoke(api[INCREASE], (r[DTYPE],))           # NumPy takes over a reference to it
            made[k] = invoke(api[NEW_LIKE], (r[MODEL], np.int64(0), r[DTYPE], np.int64(0)))
            if made[k] == 0:
                _drop(api, t, k)
                return False
        if made[k] != 0 and r[HOW] == ADDRESS:
            at(r[PLACE], np.int64)[0] = at(made[k] + DATA, np.int64)[0]
        row += 8 * ROW
    return True


@helper
def _result(api, t):
    """The object that a call gives, once the routine has run; 0 where memory is short."""
    row, made = t[MADE], at(t[STACK], np.int64)
    for k in range(t[RESULTS]):                          # nothing that Python does comes between the routine and these
        r = at(row, np.int64)
        if made[k] != 0 and r[HOW] == COPY:
            _copy(r[PLACE], at(made[k] + DATA, np.int64)[0], r[SIZE])
        row += 8 * ROW
    row, top = t[MADE], np.int64(0)
    count = t[RESULTS]
    for k in range(count):
        r, thing = at(row, np.int64), made[k]
        if r[KIND] == SCALAR:
            thing = invoke(api[NEW_SCALAR], (r[PLACE], r[DTYPE], np.int64(0)))
        elif r[KIND] == TUPLE:
            thing = invoke(api[NEW_TUPLE], (r[SIZE],))
            if thing != 0:
                top -= r[SIZE]
                for j in range(r[SIZE]):
                    invoke(api[SET_ITEM], (thing, np.int64(j), made[top + j]))
        if thing == 0:
            _drop(api, t, top)
            for j in range(k + 1, count):
                if made[j] != 0:
                    invoke(api[DECREASE], (made[j],))
            return np.int64(0)
        made[k] = 0
        made[top] = thing
        top += 1
        row += 8 * ROW
    return made[0]


def _entry(table, given, count):
    """The machine code of all entries: `table` is the address of the array object, `given` that of the two arguments."""
    t, given = at(at(table + DATA, np.int64)[0], np.int64), at(given, np.int64)
    api = at(t[API], np.int64)
    if t[BUSY] == 0 and count == 2 and _fits(api, t, given[0], given[1]):
        t[BUSY] = 1
        if not _unchanged(api, t[WATCHED], t[WATCHES], t[STACK]):
            t[CHANGED] += 1
        elif not _new_arrays(api, t, given[1]):
            t[BUSY] = 0
            return np.int64(0)
        else:
            _set_inputs(api, t, given[0])
            thread = invoke(api[UNLOCK], ()) if t[UNLOCKED] else np.int64(0)
            status = invoke(t[ROUTINE], (t[GIVEN], t[GIVEN + 1], t[GIVEN + 2], t[GIVEN + 3], t[GIVEN + 4], t[GIVEN + 5]))
            if t[UNLOCKED]:
                invoke(api[LOCK], (thread,))
            if status == FINISHED:
                result = _result(api, t)
                at(t[CALLS], np.int64)[0] += 1
                t[BUSY] = 0
                return result
            _drop(api, t, t[RESULTS])
            if status < OTHER_WAY:
                return _none(api)
        t[BUSY] = 0
    return _none(api)


@helper
def _none(api):
    invoke(api[INCREASE], (api[NONE],))
    return api[NONE]


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_FASTCALL = 0x80
_once = threading.Lock()                     # there is one method, which lives for ever


def _python(name, *kinds):
    """A function of CPython's C interface: the type of its result, and those of its arguments."""
    return ctypes.PYFUNCTYPE(*kinds)((name, ctypes.pythonapi))


@cache
def _prepared():
    """(the method that all entries are made of, addresses of functions and objects), or None where there can be no entries."""
    if layout() is None:
        return None
    core = np._core if hasattr(np, "bitwise_count") else np.core          # the name since NumPy 2, and before
    pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = (ctypes.c_void_p * (_NEW_LIKE + 1)).from_address(pointer(core._multiarray_umath._ARRAY_API, None))
    addresses = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _NAMES]
    addresses += [table[_NEW_LIKE], table[_NEW_SCALAR], *map(id, (None, np.ndarray, float))]
    return _Method(b"entry", callback(_entry, "entry"), _FASTCALL, None), np.array(addresses, np.int64)


class Table(np.ndarray):
    """The table of an entry, and what it has the addresses of: `kept`."""
    kept = ()


def make(routine, given, watched, inputs, results, calls, unlocked, kept):
    """(an entry, its table), or None where there can be none. `watched`, `inputs` and `results` are lists of rows; `calls`
    is an array in which the first number counts; `unlocked`: whether other threads may run meanwhile; `kept`: what must live
    as long."""
    with _once:
        prepared = _prepared()
    if prepared is None:
        return None
    method, api = prepared
    rows = [np.array(some, np.int64).reshape(-1, width) for some, width in ((watched, WATCH), (inputs, ROW), (results, ROW))]
    stack = np.zeros(max(len(results), 3), np.int64)
    table = np.zeros(LENGTH, np.int64).view(Table)
    table.kept = api, rows, stack, calls, kept
    table[[API, CALLS, UNLOCKED, ROUTINE, STACK]] = api.ctypes.data, calls.ctypes.data, unlocked, routine, stack.ctypes.data
    table[GIVEN:GIVEN + len(given)] = given
    for place, some in zip((WATCHES, INPUTS, RESULTS), rows):
        table[[place, place + 1]] = len(some), some.ctypes.data
    new = _python("PyCFunction_NewEx", ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return new(ctypes.addressof(method), table, None), table
