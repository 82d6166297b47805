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
from functools import cache

import numpy as np

from . import at, callback, helper, invoke, same_bytes
from .layout import AXES, DATA, DESCRIPTION, FLAGS, NUMBER, SHAPE, TYPE, layout
from .locks import lock

FINISHED, OTHER_WAY = 0, 16

# The table. BUSY: somebody is inside, or it may not be called again; HALT: the address of an integer that is not 0 while nobody
# may enter, and CALLS that of a counter of finished calls; CHANGED: how often something watched was not as it was; UNLOCKED:
# whether other threads may run meanwhile; GIVEN: the 6 integers; then numbers of rows, their addresses, and room.
API, BUSY, HALT, CALLS, CHANGED, UNLOCKED, ROUTINE, GIVEN = range(8)
ARGUMENTS, WATCHES, WATCHED, INPUTS, TAKEN, RESULTS, MADE, STACK, GATHERED = range(14, 23)
LENGTH = 23

# Rows of what is watched: a kind and three integers.
WATCH = 4
SAME, ENTRY, MEMBERS, BYTES = range(4)       # (address, word there); (dict, key, value); (dict, keys and values, count of both);
#                                              (address, of a copy, bytes)
# Rows of inputs and results. An array is of a dtype, with axes, and a shape at an address; a COPY of so many bytes goes to or
# comes from a place, else the place gets the address of the elements. FLOAT is an input, SCALAR a result, by the same fields.
ROW = 8
KIND, DTYPE, NDIM, DIMENSIONS, SIZE, HOW, PLACE, MODEL = range(ROW)  # MODEL: an array of that form, for new ones
ARRAY, FLOAT, SCALAR, OUT, LIST, TUPLE = range(6)        # OUT: an array, or what the caller gave for it
# A LIST or TUPLE is of SIZE parts: the inputs whose rows follow, the results before it.
COPY, ADDRESS = 0, 1

# Functions of CPython, first those of lists and tuples, in the order of the kinds; then of NumPy; and objects.
_NAMES = ("PyList_Size", "PyTuple_Size", "PyList_GetItem", "PyTuple_GetItem", "PyList_New", "PyTuple_New", "PyList_SetItem",
          "PyTuple_SetItem", "PyDict_GetItemWithError", "PyDict_Next", "PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef",
          "Py_DecRef")
_COUNT, _ITEM, _NEW, _SET_ITEM = range(0, 8, 2)
(_DICT_ITEM, _DICT_NEXT, _UNLOCK, _LOCK, _INCREASE, _DECREASE, _NEW_LIKE, _NEW_SCALAR, _NONE, _ARRAY_TYPE, _FLOAT_TYPE,
 _SEQUENCE_TYPES) = range(8, 20)
_LIKE, _SCALAR = 277, 60                     # NumPy's functions by their number in its table
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
def _unchanged(api, row, count, scratch):
    """Whether everything watched is as it was."""
    for _ in range(count):
        w = at(row, np.int64)
        kind, x, y, z = w[0], w[1], w[2], w[3]
        if kind == SAME:
            if at(x, np.int64)[0] != y:
                return False
        elif kind == ENTRY:
            if invoke(api[_DICT_ITEM], (x, y)) != z:
                return False
        elif kind == BYTES:
            if not same_bytes(x, y, z):
                return False
        else:
            s, expected = at(scratch, np.int64), at(y, np.int64)
            s[0] = 0
            for k in range(0, z, 2):
                if (invoke(api[_DICT_NEXT], (x, scratch, scratch + 8, scratch + 16)) & 0xff == 0
                        or s[1] != expected[k] or s[2] != expected[k + 1]):
                    return False
            if invoke(api[_DICT_NEXT], (x, scratch, scratch + 8, scratch + 16)) & 0xff != 0:
                return False
        row += 8 * WATCH
    return True


@helper
def _is_array(api, r, x, flags):
    """Whether an object is an array as a row says, of NumPy's own class, contiguous and aligned."""
    if at(x + TYPE, np.int64)[0] != api[_ARRAY_TYPE] or at(x + DESCRIPTION, np.int64)[0] != r[DTYPE]:
        return False
    if np.int64(at(x + FLAGS, np.int32)[0]) & flags != flags or np.int64(at(x + AXES, np.int32)[0]) != r[NDIM]:
        return False
    given, expected, same = at(at(x + SHAPE, np.int64)[0], np.int64), at(r[DIMENSIONS], np.int64), True
    for k in range(r[NDIM]):
        same &= given[k] == expected[k]
    return same


@helper
def _gather(api, t, arguments):
    """Whether the arguments are as the table says; notes the addresses of the arrays and floats."""
    if invoke(api[_COUNT + 1], (arguments,)) != t[ARGUMENTS]:
        return False
    row, gathered = t[TAKEN], at(t[GATHERED], np.int64)
    taken, parts, part, holder, kind = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for k in range(t[INPUTS]):
        r = at(row, np.int64)
        if part < parts:
            x = invoke(api[_ITEM + kind], (holder, part))
            part += 1
        else:
            x = invoke(api[_ITEM + 1], (arguments, taken))
            taken += 1
        gathered[k] = x
        if r[KIND] == FLOAT:
            if at(x + TYPE, np.int64)[0] != api[_FLOAT_TYPE]:
                return False
        elif r[KIND] == ARRAY:
            if not _is_array(api, r, x, _SOUND):
                return False
        else:
            holder, kind, part, parts = x, r[KIND] - LIST, np.int64(0), r[SIZE]
            if at(x + TYPE, np.int64)[0] != api[_SEQUENCE_TYPES + kind] or invoke(api[_COUNT + kind], (x,)) != parts:
                return False
        row += 8 * ROW
    return True


@helper
def _takes(api, t, out):
    """Whether the result can be written into what the caller gave for it."""
    row = t[MADE]
    for _ in range(t[RESULTS]):
        r = at(row, np.int64)
        if r[KIND] == OUT:
            return _is_array(api, r, out, _SOUND | _WRITEABLE) and (r[HOW] == COPY or _apart(t, out, r[SIZE]))
        row += 8 * ROW
    return False


@helper
def _apart(t, out, nbytes):
    """Whether `out` shares no memory with arguments that a routine may still read when it writes there."""
    row, start, gathered = t[TAKEN], at(out + DATA, np.int64)[0], at(t[GATHERED], np.int64)
    for k in range(t[INPUTS]):
        r = at(row, np.int64)
        if r[KIND] == ARRAY and r[HOW] == ADDRESS:
            other = at(gathered[k] + DATA, np.int64)[0]
            if start < other + r[SIZE] and other < start + nbytes:
                return False
        row += 8 * ROW
    return True


@helper
def _set_inputs(t):
    row, gathered = t[TAKEN], at(t[GATHERED], np.int64)
    for k in range(t[INPUTS]):
        r = at(row, np.int64)
        if r[KIND] == FLOAT:
            number = at(gathered[k] + NUMBER, np.float64)[0]
            if r[SIZE] == 8:
                at(r[PLACE], np.float64)[0] = number
            else:
                at(r[PLACE], np.float32)[0] = np.float32(number)
        elif r[KIND] == ARRAY:
            elements = at(gathered[k] + DATA, np.int64)[0]
            if r[HOW] == COPY:
                _copy(elements, r[PLACE], r[SIZE])
            else:
                at(r[PLACE], np.int64)[0] = elements
        row += 8 * ROW


@helper
def _drop(api, t, count):
    """Gives up the first results, after a failure."""
    made = at(t[STACK], np.int64)
    for k in range(count):
        if made[k] != 0:
            invoke(api[_DECREASE], (made[k],))


@helper
def _new_arrays(api, t, out):
    """The arrays that will be the result, 0 for what is made later; whether there was memory for them."""
    row, made = t[MADE], at(t[STACK], np.int64)
    for k in range(t[RESULTS]):
        r = at(row, np.int64)
        made[k] = 0
        if r[KIND] == OUT and out != api[_NONE]:
            invoke(api[_INCREASE], (out,))
            made[k] = out
        elif r[KIND] == ARRAY or r[KIND] == OUT:
            invoke(api[_INCREASE], (r[DTYPE],))           # NumPy takes over a reference to it
            made[k] = invoke(api[_NEW_LIKE], (r[MODEL], np.int64(0), r[DTYPE], np.int64(0)))
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
            thing = invoke(api[_NEW_SCALAR], (r[PLACE], r[DTYPE], np.int64(0)))
        elif r[KIND] >= LIST:
            kind = r[KIND] - LIST
            thing = invoke(api[_NEW + kind], (r[SIZE],))
            if thing != 0:
                top -= r[SIZE]
                for j in range(r[SIZE]):
                    invoke(api[_SET_ITEM + kind], (thing, np.int64(j), made[top + j]))
        if thing == 0:
            _drop(api, t, top)
            for j in range(k + 1, count):
                if made[j] != 0:
                    invoke(api[_DECREASE], (made[j],))
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
    if t[BUSY] != 0 or at(t[HALT], np.int64)[0] != 0 or count != 2:
        return _none(api)
    t[BUSY] = 1
    if not _unchanged(api, t[WATCHED], t[WATCHES], t[STACK]):
        t[CHANGED] += 1
    elif _gather(api, t, given[0]) and (given[1] == api[_NONE] or _takes(api, t, given[1])):
        if not _new_arrays(api, t, given[1]):
            t[BUSY] = 0
            return np.int64(0)
        _set_inputs(t)                       # from here nothing that Python does comes between, until the result is copied
        thread = invoke(api[_UNLOCK], ()) if t[UNLOCKED] else np.int64(0)
        status = invoke(t[ROUTINE], (t[GIVEN], t[GIVEN + 1], t[GIVEN + 2], t[GIVEN + 3], t[GIVEN + 4], t[GIVEN + 5]))
        if t[UNLOCKED]:
            invoke(api[_LOCK], (thread,))
        if status == FINISHED:
            at(t[CALLS], np.int64)[0] += 1
            result = _result(api, t)
            t[BUSY] = 0
            return result
        _drop(api, t, t[RESULTS])
        if status < OTHER_WAY:
            return _none(api)
    t[BUSY] = 0
    return _none(api)


@helper
def _none(api):
    invoke(api[_INCREASE], (api[_NONE],))
    return api[_NONE]


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_FASTCALL = 0x80
_once = lock()                     # there is one method, which lives for ever


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
    table = (ctypes.c_void_p * (_LIKE + 1)).from_address(pointer(core._multiarray_umath._ARRAY_API, None))
    addresses = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in _NAMES]
    addresses += [table[_LIKE], table[_SCALAR], *map(id, (None, np.ndarray, float, list, tuple))]
    return _Method(b"entry", callback(_entry, "entry"), _FASTCALL, None), np.array(addresses, np.int64)


class Table(np.ndarray):
    """The table of an entry, and what it has the addresses of: `kept`."""
    kept = ()


def make(routine, count, watched, inputs, results, halt, calls, unlocked, kept):
    """(an entry, its table), or None where there can be none. `routine`: its address and the integers that it gets; `count`: how
    many arguments the entry takes; `watched`, `inputs` and `results`: lists of rows; `halt` and `calls`: arrays of an integer;
    `kept`: what must live as long."""
    with _once:
        prepared = _prepared()
    if prepared is None:
        return None
    method, api = prepared
    rows = [np.array(some, np.int64).reshape(-1, width) for some, width in ((watched, WATCH), (inputs, ROW), (results, ROW))]
    stack, gathered = np.zeros(max(len(results), 3), np.int64), np.zeros(max(len(inputs), 1), np.int64)
    table = np.zeros(LENGTH, np.int64).view(Table)
    table.kept = api, rows, stack, gathered, halt, calls, kept
    table[[UNLOCKED, ARGUMENTS]] = unlocked, count
    table[ROUTINE:ROUTINE + len(routine)] = routine
    for place, array in ((API, api), (HALT, halt), (CALLS, calls), (STACK, stack), (GATHERED, gathered)):
        table[place] = array.ctypes.data
    for place, some in zip((WATCHES, INPUTS, RESULTS), rows):
        table[[place, place + 1]] = len(some), some.ctypes.data
    new = _python("PyCFunction_NewEx", ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return new(ctypes.addressof(method), table, None), table
