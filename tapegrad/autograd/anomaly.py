"""Looking for the operation that made nan or infinity.

Forward: values are looked at when they are computed, which is when somebody asks. What one call of this library records counts
as one operation: `tg.sinc(0.0)` divides 0 by 0 within, and drops the outcome. An operation *made* nan if none of its operands has
it there, and infinity if all operands are finite there; what handed on a constant -inf or a missing observation made nothing.
"""
import functools
import itertools
import os

import numpy as np

from ..ops import ACTIVE, BINARY, CODE_MASK, HOST, KINDS, OPS, PLANNED_MANY, UNARY
from ..tape import count_modes, guard, state, unguard
from ..tensor.core import Tensor
from ..tensor.origins import Origin, between, users_frame
from ..weak import WeakSet
from .modes import switch

_ROOM = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Files that stand between the user and one operation, and compute nothing themselves
_ONE = {os.path.join(_ROOM, *parts) for parts in (
    ("tensor", "core.py"), ("tensor", "elementwise.py"), ("tensor", "dispatch.py"), ("tensor", "protocols.py"),
    ("tensor", "methods.py"), ("tensor", "hosting.py"), ("numpy", "forwarding.py"), ("autograd", "anomaly.py"))}


_calls = itertools.count(1)


class Origins(dict):
    """Of a tape: record -> Origin. Records before `checked` were looked at; `held` is the first that must wait."""

    def __init__(self, first):
        super().__init__()
        self.checked = first

    def check(self, tape):
        """Looks at the values of new records, where this thread searches."""
        search = state().anomaly
        if search and search.forward and not search.quiet:
            search.check_values(tape, self)


class Search:
    """What a thread looks for, in its state."""

    def __init__(self, nan, infinity, forward):
        self.nan, self.infinity, self.backward = nan, infinity, nan or infinity
        self.forward = forward and self.backward
        self.quiet, self.source = 0, None    # within a backward that records itself: see quietly
        self.found = False
        self.first = self.call = next(_calls)            # of this library: before all, and the last one that recorded
        self.frame = None                    # that one's
        self.tapes = WeakSet()

    # Where records come from ----------------------------------------------------------------------------------------------

    def note(self, tape, i):
        """Notes the line of the user's that records `i`."""
        frame, inner = users_frame()
        if tape.origins is None:
            tape.origins = Origins(i)
        self.tapes.add(tape)
        if inner is not self.frame:
            self.call, self.frame = next(_calls), inner
        if self.quiet:
            tape.origins[i] = self.source
        else:
            tape.origins[i] = None if frame is None else Origin(frame.f_code, frame.f_lineno, frame.f_lasti, self.call)

    def quietly(self, source, function, *arguments):
        """Calls a function whose operations are part of another one, a record from `source`: their line is that, and what they
        make on their way is not looked at."""
        before, self.source = self.source, None if source is None else source.part()
        self.quiet += 1
        try:
            return function(*arguments)
        finally:
            self.quiet -= 1
            self.source = before

    def flush(self):
        """At the end: looks at what was not computed yet."""
        self.frame = None
        for tape in list(self.tapes):
            if not self.found:
                tape.evaluate()

    # Values ---------------------------------------------------------------------------------------------------------------

    def bad(self, array):
        """Where there is what is looked for."""
        if self.nan and self.infinity:
            return ~np.isfinite(array)
        return np.isnan(array) if self.nan else np.isinf(array)

    def made(self, result, operands, each):
        """The places, flat, of what an operation made of operands that had none of it. `each`: whether it works element by
        element; otherwise one bad operand is excuse for all of the result."""
        found = np.zeros(result.size, bool)
        for wanted, test, excuse in ((self.nan, np.isnan, np.isnan), (self.infinity, np.isinf, _not_finite)):
            if wanted:
                there = test(result).reshape(-1)
                for x in operands if there.any() else ():
                    excused = excuse(x)
                    there = there & ~(excused if each and excused.size == there.size else excused.any())
                found |= there
        return np.flatnonzero(found)

    def check_values(self, tape, origins):
        """Looks at the records of a tape that were computed since the last time; RuntimeError for the first that made what is
        looked for."""
        first, stop = origins.checked, tape.n
        if self.frame is not None and users_frame()[1] is self.frame:    # the call that recorded last is not over
            while stop > first and (origin := origins.get(stop - 1)) is not None and origin.call == self.call:
                stop -= 1
        origins.checked = stop
        for i, x, _ in tape.arrays:
            if first <= i < stop and "_made" in x.__dict__:
                call, text = x.__dict__["_made"]
                reader = next((origins[k] for k in range(i, stop) if origins.get(k)), None)
                if reader is not None and self.first < call and reader.call not in (call, None):
                    self.tell(text)
        suspects = [i for i in range(first, stop) if self._suspect(tape, i, origins)]
        if not suspects:
            return
        reads = {}                           # record -> those of the same call that read it
        for i in range(first, stop):
            for j in operands_of(tape, i):
                if j >= first and origins.get(j) and origins.get(i) and origins[i].call == origins[j].call:
                    reads.setdefault(j, []).append(i)
        for i in suspects:
            if self._leaves(tape, i, reads):
                self._raise_value(tape, i)

    def _suspect(self, tape, i, origins):
        """Whether a record made what is looked for."""
        origin, word = origins.get(i), tape.all_words[i] & CODE_MASK
        if origin is None or origin.call is None or origin.call <= self.first:
            return False
        if KINDS[word] <= ACTIVE and OPS[word] is not HOST:
            return False
        result = tape.peek(i)
        return bool(self.bad(result).any()) and bool(self._places(tape, i, result).size)

    def _places(self, tape, i, result):
        kind = OPS[tape.all_words[i] & CODE_MASK].kind
        return self.made(result, [tape.peek(j) for j in operands_of(tape, i)], kind in (UNARY, BINARY, PLANNED_MANY))

    def _leaves(self, tape, i, reads):
        """Whether what a record made is seen in a result of the call that it is part of."""
        readers = [j for j in reads.get(i, ()) if j != i]
        if not readers:
            return bool(self.bad(tape.peek(i)).any())
        return bool(self.bad(tape.peek(i)).any()) and any([self._leaves(tape, j, reads) for j in readers])

    def _raise_value(self, tape, i):
        from .engine import display
        result, op = tape.peek(i), OPS[tape.all_words[i] & CODE_MASK]
        name = display(tape, i)
        self.tell(f"{name} {self.said(op, result, [tape.peek(j) for j in operands_of(tape, i)])}{origin(tape, i)}")

    def said(self, op, result, operands):
        """What an operation made of which operands, as part of a sentence."""
        result, each = result.reshape(-1), op.kind in (UNARY, BINARY, PLANNED_MANY)
        place = int(self.made(result, operands, each)[0])
        text = f"made {result[place]} in the forward pass, "
        if not each:
            return f"{text}of operands without it"
        given = ", ".join([f"{float(x.reshape(-1)[place if x.size > 1 else 0]):.9g}" for x in operands])
        return f"{text}{op.name}({given}){f' at element {place} of {result.size}' if result.size > 1 else ''}"

    def tell(self, text):
        """Raises the error, and remembers that."""
        self.found = True
        raise RuntimeError(text)

    # Values without a record ------------------------------------------------------------------------------------------------

    def look(self, op, operands, z):
        """At the result of an operation that is not recorded, a tensor. What a call computes on its way is kept in mind, and
        told when something outside of that call reads it."""
        if self.quiet or not self.forward or z._own.dtype.kind != "f":
            return
        frame, inner = users_frame()
        if inner is not self.frame:
            self.call, self.frame = next(_calls), inner
        told = [x.__dict__["_made"] for x in operands if isinstance(x, Tensor) and "_made" in x.__dict__]
        for call, text in told:
            if self.first < call != self.call:
                self.tell(text)
        bad = self.bad(z._own)
        if not bad.any():
            return
        arrays = [np.asarray(x._array() if isinstance(x, Tensor) else x) for x in operands]
        each = op.kind in (UNARY, BINARY, PLANNED_MANY)
        if each:
            arrays = [np.broadcast_to(x, z._shape) if x.size > 1 else x for x in arrays]
        if told and not self.made(z._own, arrays, each).size:
            z.__dict__["_made"] = told[0]
        elif self.made(z._own, arrays, each).size:
            place = "" if frame is None else f"; it was computed in {Origin(frame.f_code, frame.f_lineno, frame.f_lasti, 0)}"
            text = f"{op.display}Backward0 {self.said(op, z._own, arrays)}{place}"
            if between(frame) <= _ONE:
                self.tell(text)
            z.__dict__["_made"] = self.call, text

    # Gradients --------------------------------------------------------------------------------------------------------------

    def slope_made(self, after, before, incoming, values):
        """What a rule made of a gradient: "nan", "infinity", or None. `after`, `before`: the gradient of an operand with and
        without it, `incoming`: those of the result; `values`: what else it read."""
        if self.nan and np.isnan(after).any():
            return "nan"
        if not self.infinity or not np.isinf(after).any() or (before is not None and np.isinf(before).any()):
            return None
        return None if any([_not_finite(x).any() for x in (*incoming, *values)]) else "infinity"


def _not_finite(x):
    return ~np.isfinite(x).reshape(-1)


def operands_of(tape, i):
    """The records that a record was computed from."""
    if OPS[tape.all_words[i] & CODE_MASK] is HOST:
        return tape.hosts[i][0].operands
    from .node import operands
    return operands(tape, i)


def backward_search():
    """This thread's search, if it looks at gradients; None otherwise."""
    search = state().anomaly
    return search if search and search.backward else None


# The user's switches ------------------------------------------------------------------------------------------------------

class set_detect_anomaly:
    """Switches the search of :class:`detect_anomaly` on or off, at once; as a context manager until its end."""

    def __init__(self, mode, check_nan=True, check_inf=None, *, forward=True):
        self._before = state().anomaly
        _switch(_search(switch("set_detect_anomaly", mode), check_nan, check_inf, forward))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _switch(self._before, _[0] is None)


class detect_anomaly:
    """Within it, the first operation that makes nan or infinity raises a RuntimeError, which names the operation and the line
    of your code that called it.

    In the forward pass it is told when values are computed: by backward, item, print and the like, and at the latest at the
    end of the block. An operation made nan where no operand has it, and infinity where all operands are finite: what hands on
    a constant ``-inf`` of a mask, or a missing observation, is let pass. In the backward pass nan is told wherever it arrives,
    as in PyTorch, and infinity where it was made. Compiled functions run eagerly, each operation for itself.

    With ``check_nan=False`` nan passes, and only other errors name the line, as in PyTorch. ``check_inf=False`` lets infinity
    pass, for functions that want ``log(0)``; if it is not given it is as `check_nan`. With ``forward=False`` gradients alone
    are looked at. Recording and backward are much slower in all of these.

    >>> import tapegrad as tg
    >>> x = tg.tensor([1.0, 0.0], requires_grad=True)
    >>> with tg.autograd.detect_anomaly():                       # doctest: +ELLIPSIS
    ...     x.log().sum().backward()
    Traceback (most recent call last):
        ...
    RuntimeError: LogBackward0 made -inf in the forward pass, log(0) at element 1 of 2; it was recorded in File ...
    """

    def __init__(self, check_nan=True, check_inf=None, *, forward=True):
        self._asked = check_nan, check_inf, forward
        self._before = []

    def __enter__(self):
        self._before.append(state().anomaly)
        _switch(_search(True, *self._asked), False)
        return self

    def __exit__(self, *_):
        _switch(self._before.pop(), _[0] is None)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*arguments, **keywords):
            with self:
                return function(*arguments, **keywords)
        return wrapper


def _search(mode, check_nan, check_inf, forward):
    return Search(bool(check_nan), bool(check_nan if check_inf is None else check_inf), bool(forward)) if mode else None


def _switch(search, flush=True):
    current = state()
    before = current.anomaly
    try:
        if before and flush and not before.found:
            before.flush()
    finally:
        if before:
            before.frame = None
        current.anomaly = search
        if bool(before) != bool(search):
            count_modes(1 if search else -1)
            (guard if search else unguard)()


def origin(tape, i):
    """Where record `i` was recorded, as part of a sentence; empty where anomalies were not looked for."""
    if tape.origins is None and not state().anomaly:
        return ""
    place = (tape.origins or {}).get(i)
    if place is None:
        return "; it was recorded outside of detect_anomaly(), so its line is not known"
    return f"; it was recorded in {place}"


def raise_anomaly(tape, i, what):
    """RuntimeError for what a record did to a gradient."""
    from .engine import display
    search = state().anomaly
    if search:
        search.found = True
    raise RuntimeError(f"{display(tape, i)} {what}{origin(tape, i)}")


__all__ = ["backward_search", "detect_anomaly", "origin", "raise_anomaly", "set_detect_anomaly"]
