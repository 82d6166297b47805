"""Programs: the records of a recording that matter, as arrays that never change.

A program is a tape again: its first records are the inputs, no record is dead, links between tapes are gone, and everything that
entered is kept with it. Each *workspace* is what a run needs besides: values, adjoints, marks. Threads take one each.
"""
import hashlib
from typing import Any

import numpy as np

from ..buffers import address_of
from ..ops import CODE_MASK, KINDS, PASSIVE, PLANNED_EACH, PLANNED_MANY
from ..ops.relation import RELATIONS
from ..tensor.elementwise import size_of
from ..transforms.trees import form
from . import interpreter, layout
from .machine import Tier
from .sweeps import EXACT, GUARD_FIELDS
from .workspace import Workspace


class Unsupported(Exception):
    """Says why a recording can't be replayed."""


class Guard:
    """A guard of a program: ``function(*operands, **options)`` gave `outcome`. Operands that are (record, shape) stand for the
    value of a record; without a function, `outcome` is the value of the one operand."""
    __slots__ = ("function", "operands", "options", "outcome")

    def __init__(self, function, operands, options, outcome):
        self.function, self.operands, self.options, self.outcome = function, operands, options, outcome

    def __str__(self):
        operands = [f"#{x[0]}" if isinstance(x, tuple) else _short(x) for x in self.operands]
        if self.function is None:
            return f"{operands[0]} is {_short(self.outcome)}, to the last bit"
        options = [f"{name}={value!r}" for name, value in self.options.items() if value is not None and value is not False]
        return f"{self.function.__name__.strip('_')}({', '.join([*operands, *options])}) is {_short(self.outcome)}"

    def digest(self):
        """As bytes, for comparison."""
        function = self.function             # NumPy 1.26 gives its ufuncs no __module__
        name = "" if function is None else f"{getattr(function, '__module__', 'numpy')}.{function.__name__}"
        parts = [name.encode(), repr(sorted(self.options.items())).encode()]
        for x in (*self.operands, self.outcome):
            parts.append(_bytes(x))
        return b"\0".join(parts)

    def holds(self, workspace):
        """Whether the function, computed by NumPy, has that outcome again."""
        with np.errstate(all="ignore"):
            found = self.function(*[workspace.value(*x) if isinstance(x, tuple) else x for x in self.operands], **self.options)
        return _bytes(found) == _bytes(self.outcome)


def _short(value):
    if isinstance(value, np.generic):
        return repr(value.item())
    return np.array2string(value, threshold=6, edgeitems=2, separator=", ") if isinstance(value, np.ndarray) else repr(value)


def _bytes(value):
    if isinstance(value, tuple):
        return b"(" + b",".join(map(_bytes, value)) + b")"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{np.asarray(value).dtype} {np.shape(value)} ".encode() + np.asarray(value).tobytes()
    return repr(value).encode()


class Program:
    """Records, constants, inputs, outputs and guards. See the module's docstring.

    ``words, left, right, size_ids`` have an entry for each record; ``rows`` and ``sizes`` are as on a tape. ``places`` has
    for each record that computes nothing (record, place of its value in ``constants``). ``outputs`` are (record, shape).
    ``layout`` says where values and adjoints are, in arenas of ``room`` elements and about as many.
    """

    def __init__(self, dtype, words, left, right, size_ids, rows, plans, sizes, constants, places, inputs, outputs, guards):
        self.dtype, self.words, self.left, self.right, self.size_ids = dtype, words, left, right, size_ids
        self.rows, self.plans, self.sizes, self.constants, self.places = rows, plans, sizes, constants, places
        self.inputs, self.outputs, self.guards = inputs, outputs, guards
        self.count, self.waiting = len(words), []
        self.runs, self.entries = 0, {}      # through Python, and what goes without; see entry.py
        self.recorded = self.count           # records before the dead ones were left out
        self.tree: Any = None                # see give_back
        self.ends: list = []
        self.scalar: dict = {}
        self.instructions: Any = None        # see interpreter
        self.output_sizes = [size_of(shape) for _, shape in outputs]
        self.whole = self.layout = layout.whole(self)    # the one has a place for every record
        if layout.to_share(self):
            self.layout = layout.shared(self)
        self.room = self.layout.values
        self.waits, self.patient = interpreter.patience(self), False             # runs until instructions are made; see there
        self._set_guards()
        self.digest = self._digest()
        self.tier = Tier(self)
        self.jacobians: dict = {}            # what machine code for them is asked for by; see derivatives

    def __len__(self):
        return self.count

    def is_constant(self, output):
        """Whether an output depends on nothing: it entered as a constant."""
        return KINDS[self.words[self.outputs[output][0]]] == PASSIVE

    def _set_guards(self):
        """Those that compiled code looks after, as a table, and the others."""
        self._kept: list = []
        table, self.looked_after, self.others = [], [], []
        for guard in self.guards:
            row = self._guard_row(guard)
            if row is None:
                self.others.append(guard)
            else:
                table.append(row)
                self.looked_after.append(guard)
        self.table = np.array(table, np.int64).reshape(-1, GUARD_FIELDS)
        self.table_address = address_of(self.table)

    def _guard_row(self, guard):
        if guard.function is None:
            record, shape = guard.operands[0]
            expected = np.array(guard.outcome, self.dtype)
            self._kept.append(expected)
            return [EXACT, size_of(shape), address_of(expected), record, 0, size_of(shape), 0, 0, 0]
        name = guard.function.__name__
        if name not in RELATIONS or not isinstance(guard.function, np.ufunc) or guard.options or len(guard.operands) != 2:
            return None
        size, fields = guard.outcome.size, []
        for x in guard.operands:
            if isinstance(x, tuple):
                record, count, address = x[0], size_of(x[1]), 0
            elif type(x) in (float, int) and (abs(x) < 1 << 53 or abs(x) == np.inf):
                record, count, memory = -1, 1, np.array([x], self.dtype)
            elif isinstance(x, np.ndarray) and x.dtype == self.dtype:
                record, count, memory = -1, x.size, np.array(x, order="C")
            else:
                return None
            if record < 0:
                self._kept.append(memory)
                address = address_of(memory)
            if count not in (1, size):
                return None
            fields += [record, address, count]
        expected = np.array(guard.outcome, np.uint8).reshape(-1)
        self._kept.append(expected)
        return [RELATIONS.index(name) + 1, size, address_of(expected), *fields]

    def _digest(self):
        digest = hashlib.sha256(str(self.dtype).encode())
        rows = np.zeros_like(self.rows)      # those in use, without addresses
        kinds = KINDS[self.words & CODE_MASK]
        many = set(self.right[(kinds == PLANNED_MANY) | (kinds == PLANNED_EACH)].tolist())
        for row, plan in sorted(self.plans.items()):
            rows[row] = self.rows[row]
            if row in many:
                stop = row + 4 + int(self.rows[row + 2])
                rows[row + 2:stop] = self.rows[row + 2:stop]
            digest.update(f"{row} {plan.shape} {plan.label}".encode() + np.asarray(plan.params).tobytes())
        for array in (self.words, self.left, self.right, self.size_ids, rows, self.sizes, self.constants, self.places):
            digest.update(array.tobytes())
        digest.update(repr((self.inputs, self.outputs)).encode())
        for guard in self.guards:
            digest.update(guard.digest())
        return digest.hexdigest()

    def give_back(self, tree, at_ends, scalar):
        """Sets what the function gives: a tree, and at its ends (number of an output, None), or (None, a constant); `scalar`: the
        output that is its value, where that is one number, or the first of a pair."""
        self.tree, self.ends, self.scalar = tree, at_ends, scalar
        self.digest += form(tree) + repr([None if k is not None else _bytes(value) for k, value in at_ends])

    # Workspaces -----------------------------------------------------------------------------------------------------

    def take(self):
        """A workspace that nobody else uses."""
        try:
            return self.waiting.pop()
        except IndexError:
            return Workspace(self)

    def give(self, workspace):
        """Takes one back."""
        self.waiting.append(workspace)
