"""Drawing and checking for so many seconds."""
import gc
import itertools
import sys
import time
import traceback
from collections import Counter
from typing import NamedTuple

from .kinds import KINDS, drawn, smallest, told
from .report import Count, Fault

SHRINKING = 60.0                             # seconds for a fault
ALIKE = 2                                    # faults of one key that are shrunk and told
COLLECT = 20                                 # programs after which what hangs together in circles is dropped


class Found(NamedTuple):
    """A fault, as text with the smallest program found, and the seed of the drawn one."""
    kind: str
    seed: str
    way: str
    what: str
    text: str


def fuzz(seconds=60.0, seed=0, only=(), *, shrinking=SHRINKING, most=None, found=None, current=None, tick=None):
    """Draws programs and checks them for so many seconds; (the faults, the counts).

    `only`: names of kinds, all by default; a name with a number, as "functions/17", is that program alone. `most`: programs at
    most. ``found(fault)`` is called for each fault, ``current(text)`` before each program, ``tick(seconds)`` after it. Of faults
    that look the same, the first two are shrunk and told. ValueError for a kind that there is not.

    >>> from tapegrad.testing.fuzz import fuzz
    >>> faults, count = fuzz(60.0, only=("facade",), most=2)
    >>> len(faults), count.programs["facade"]
    (0, 2)
    """
    kinds, single = picked(only)
    start, count, faults, known = time.monotonic(), Count(), [], Counter()
    spent = dict.fromkeys(kinds, 0.0)
    numbers = {name: itertools.count() for name in kinds}
    for done in itertools.count():
        if time.monotonic() - start > seconds or (most is not None and done >= most) or (single is not None and done):
            break
        name = min(kinds, key=lambda name: spent[name] / KINDS[name].share)
        kind, own = KINDS[name], f"{seed}/{name}/{next(numbers[name]) if single is None else single}"
        before = time.monotonic()
        for fault in _checked(kind, own, count, current, known, shrinking):
            faults.append(fault)
            if found is not None:
                found(fault)
        spent[name] += time.monotonic() - before
        if done % COLLECT == COLLECT - 1:
            gc.collect()
        if tick is not None:
            tick(time.monotonic() - before)
    return faults, count


def picked(only):
    """(names of kinds, the number of a program or None)."""
    only, single = [only] if isinstance(only, str) else list(only) or list(KINDS), None
    if len(only) == 1 and "/" in only[0]:
        only[0], single = only[0].split("/", 1)
    for name in only:
        if name not in KINDS:
            raise ValueError(f"there are programs of the kinds {', '.join(KINDS)}, and not {name!r}")
    return only, single


def _checked(kind, seed, count, current, known, shrinking):
    """The faults of the program of a seed."""
    counted = count.of(kind.name)
    count.programs[kind.name] += 1
    doing = "drawing"
    try:
        program = drawn(kind, seed)
        if current is not None:
            current(f"# {seed}\n{program.text}\n")
        doing = "checking"
        faults = kind.check(program, counted)
    except Exception as error:               # what no statement should raise, and what checks don't expect
        trace = traceback.extract_tb(sys.exc_info()[2])[-1]
        fault = Fault(doing, type(error).__name__, f"{error} ({trace.filename}:{trace.lineno})")
        if _new(kind, fault, known):
            text = "" if doing == "drawing" else f"\n{program.text}"
            yield Found(kind.name, seed, *fault.key, traceback.format_exc() + text)
        return
    for fault in faults:
        if _new(kind, fault, known):
            fault, text = smallest(kind, program, fault, shrinking)
            yield Found(kind.name, seed, *fault.key, told(kind, text, fault))
    count.unrun[kind.name] += not counted.any


def _new(kind, fault, known):
    key = (kind.name, *fault.key)
    known[key] += 1
    return known[key] <= ALIKE
