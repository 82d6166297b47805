"""The backward pass that records itself (``create_graph=True``), so that its result can be differentiated again.

It walks the same records in Python and applies each operation's partials to Tensors: the expressions of the op table,
with ``np`` and `select` meaning the façade's functions. A record's value and adjoint are seen flat, numbers without an
axis.
"""
import heapq
import math
import types

import numpy as np

from ..ops import (
    ACTIVE,
    BY_NAME,
    CODE_MASK,
    CONSTANT,
    HOST,
    INPUT,
    KINDS,
    OPS,
    PASSIVE,
    PLANNED,
    PLANNED_EACH,
    adjoint_of,
    rebind,
)
from ..sweeps import CONSUMED, IN_PLACE, THROUGH, TOUCHED
from ..tape import USED, Link, alone, state
from ..tensor import comparison, elementwise, structure
from ..tensor.core import Mask, Tensor, constant, decided, interior, record_planned, wrap
from ..tensor.plans import Plan, places_plan
from . import lanes
from .anomaly import backward_search, operands_of, raise_anomaly
from .engine import CLEAR, flags_aside, must_verify, run_hooks, survey, verify
from .node import operands


class RecordedPass:
    """As `engine.Pass`, with Tensors for gradients."""

    def __init__(self, keep, captures=(), paths=None, floor=0):
        self.keep, self.captures, self.paths, self.floor = keep, dict.fromkeys(captures), paths or {}, floor
        self.leaves: dict = {}
        self.adjoints: dict = {}             # (serial, i) -> Tensor
        self.heap: list = []
        self.verified: set = set()
        self.inputs: dict = {}               # serial -> {record: its entry among the tape's inputs}, made once
        self.pending: dict = {}              # Host -> {number of an output: its gradient}

    def seed(self, tape, i, gradient: Tensor | None):
        """Adds to the adjoint of a record; None adds nothing, but the pass will come to the record."""
        path = self.paths.get(tape.serial)
        if path is not None and not path[i]:
            return
        key = tape.serial, i
        if key in self.adjoints:
            known = self.adjoints[key]
            self.adjoints[key] = gradient if known is None else known + gradient
        else:
            self.adjoints[key] = gradient
            heapq.heappush(self.heap, (-tape.serial, -i, tape))

    def run(self):
        while self.heap:
            _, i, tape = heapq.heappop(self.heap)
            self._record(tape, -i)

    def _record(self, tape, i):
        g = self.adjoints.pop((tape.serial, i))
        if g is not None:
            g = self._see(tape, i, g)
        word = tape.all_words[i]
        op = OPS[word & CODE_MASK]
        if op is INPUT:
            self._leave(tape, i, g)
            return
        path = self.paths.get(tape.serial)
        if path is not None and not path[i] & THROUGH:
            return
        if tape.serial not in self.verified:
            self.verified.add(tape.serial)
            self._verify(tape, i, path)
        if op is HOST:
            self._run_host(tape, i, g)
            return
        indices = operands(tape, i)
        plan = tape.plans[tape.right[i]] if op.kind >= PLANNED else None
        values = None if op.adjoint else [value(tape, j) for j in indices]
        if values and tape.all_words[i] & IN_PLACE and isinstance(values[0], Tensor):
            values[0] = elementwise.FUNCTIONS["clone"](values[0])    # its place counts as overwritten for all others
        search = backward_search()
        for k, j in enumerate(indices):
            source = tape.all_words[j] & CODE_MASK
            if KINDS[source] == PASSIVE or source == _RELATION.code or (path is not None and not path[j]):
                continue
            if op.adjoint:
                rule = _linear, tape, op, g, plan, k, j
            else:
                rule = partial, tape, op, g, values, value(tape, i), plan, k, j
            contribution = _watched(search, tape, i, g, *rule) if search else rule[0](*rule[1:])
            self.seed(tape, j, contribution)
        if not self.keep:
            tape.all_words[i] |= CONSUMED
            tape.suspect = tape.suspect or USED

    def _see(self, tape, i, g):
        """Shows a gradient that is complete to those who asked for it; gives what hooks make of it."""
        if tape.hooks and i in tape.hooks:
            shape, hooks = tape.hooks[i]
            g = flat(run_hooks(hooks, structure.reshape(g, shape)))
        holder = (tape.retained or {}).get(i)
        if holder is not None and (x := holder()) is not None:
            gradient = structure.reshape(g, x._shape)
            x._grad = gradient if x._grad is None else x._grad + gradient
        if (tape.serial, i) in self.captures:
            self.captures[tape.serial, i] = g
        return g

    def _verify(self, tape, i, path):
        """When the pass comes to a tape, at record `i`: all gradients that come from other tapes are there by now."""
        if not alone():
            tape.close()                     # where another thread would set flags of it at the same time
        tape.evaluate()
        words = tape.all_words
        arrived = [i, *(j for serial, j in self.adjoints if serial == tape.serial)]
        with flags_aside(tape):
            try:
                for j in arrived:
                    words[j] |= TOUCHED
                entries = survey(tape, i)
                if must_verify(tape, entries):
                    verify(tape, i, path, entries)
            finally:
                for j in arrived:
                    words[j] &= CLEAR

    def _run_host(self, tape, i, g):
        host, k = tape.hosts[i]
        pending = self.pending.setdefault(host, {})
        pending[k] = None if g is None else structure.reshape(g, host.shapes[k])
        first = tape.serial, host.outputs[0]
        if k:                                # all of its outputs come before the first of them
            if first not in self.adjoints:
                self.seed(tape, host.outputs[0], None)
            return
        given = [pending.get(n) for n in range(len(host.outputs))]
        for j, gradient in host.run_recorded(tape, given, self.keep):
            if search := backward_search():
                _look(search, tape, i, gradient, [g for g in given if g is not None])
            self.seed(tape, j, flat(gradient))
        if not self.keep:
            tape.suspect = tape.suspect or USED

    def _leave(self, tape, i, g):
        """Off the tape: to an older one, or to a leaf."""
        inputs = self.inputs.get(tape.serial)
        if inputs is None:
            inputs = self.inputs[tape.serial] = tape.entered_by_record()[0]
        target = inputs[i][1]
        if isinstance(target, Link):
            if target.tape.dtype != tape.dtype:
                g = g.to(target.tape.dtype)
            place = target.tape.serial, target.index
            if place[0] > self.floor:
                self.seed(target.tape, target.index, g)
            else:
                known = self.captures.get(place)
                self.captures[place] = g if known is None else known + g
        else:
            if g.dtype != target.dtype:
                g = g.to(target.dtype)
            known = self.leaves.get(id(target))
            self.leaves[id(target)] = target, (g if known is None else known[1] + g)


def _watched(search, tape, i, g, rule, *arguments):
    """What a rule gives, in a search for anomalies: what it makes on its way, and drops, is not looked at."""
    _numbers(g)                              # what waits to be computed is looked at before
    contribution = search.quietly((tape.origins or {}).get(i), lambda: _computed(rule(*arguments)))
    _look(search, tape, i, contribution, [g])
    return contribution


def _computed(x):
    _numbers(x)
    return x


def _look(search, tape, i, gradient, incoming):
    values = [tape.peek(j) for j in (*operands_of(tape, i), i)]
    if made := search.slope_made(_numbers(gradient), None, [_numbers(g) for g in incoming], values):
        raise_anomaly(tape, i, f"returned {made} as a gradient")


def flat(x):
    """As a vector, or a number where there is one element."""
    return structure.reshape(x, flat_shape(math.prod(x._shape)))


def flat_shape(size):
    return () if size == 1 else (size,)


def value(tape, j):
    """What record `j` computed, flat: a tensor of the tape, so that derivatives go on through it, or a constant."""
    op = OPS[tape.all_words[j] & CODE_MASK]
    shape = flat_shape(int(tape.size(j)) if op.kind <= ACTIVE else _size(tape, j))
    if op is CONSTANT:
        return tape.number(j)
    if op.kind == PASSIVE:
        return constant(tape, j, shape)
    return interior(tape, j, shape)


def _size(tape, j):
    tape.evaluate()                          # sizes of results are worked out with their values
    return int(tape.size(j))


def _fitted(x, size, dtype):
    """A contribution as the adjoint of an operand of so many elements."""
    shape = flat_shape(size)
    if not isinstance(x, Tensor):
        return wrap(np.full(shape, x, dtype))
    if x.dtype != dtype:                     # numbers chosen by a comparison
        x = x.to(dtype)
    if x._shape == shape:
        return x
    return structure.sum(x) if size == 1 else structure.expand(x, *shape)


def partial(tape, op, g, values, z, plan, k, j):
    rule = _rule(op, k)
    if rule is None:
        op.refuse(k)
        return wrap(np.zeros(flat_shape(_size(tape, j)), tape.dtype))
    result = rule(g, *values, z) if op.value is not None else rule(g, *values, z, plan)
    if op.value is not None and isinstance(result, Tensor):
        result = _nothing_from_nothing(g, result)
    return _fitted(result, _size(tape, j), tape.dtype)


def _nothing_from_nothing(g, result):
    """0 for nan where the incoming gradient is 0, as in the kernels: what ``where`` hides has no part in a derivative. What is
    recorded without any nan holds where there is none, and what is recorded with some chooses anew each time."""
    recorder = state().recorder
    if not np.isnan(_numbers(result)).any():
        if recorder is not None:
            recorder.decide(np.not_equal, (result, result), {})
        return result
    if recorder is not None and isinstance(g, Tensor):
        wrong = comparison.FUNCTIONS["not_equal"](result, result)
        if type(wrong) is Mask:
            recorder.decide(np.greater, (structure.sum(wrong.on_tape((result,), inside=True)), 0), {})
            return _select(wrong, _select(comparison.FUNCTIONS["equal_to"](g, 0), 0.0, result), result)
    hidden = decided(np.not_equal, result, result) & decided(np.equal, g, 0)
    return _select(wrap(hidden), 0.0, result) if hidden.any() else result


def _numbers(x):
    """The values of a tensor as a flat array; not as a read by the user, after which a tape may close."""
    return x._array().reshape(-1) if x._own is not None or x._base is not None else x._tape.peek(x._index)


_RELATION = BY_NAME["relation"]              # through a comparison nothing goes


def _linear(tape, op, g, plan, k, j):
    adjoint, size = adjoint_of(op), _size(tape, j)
    if op.kind == PLANNED_EACH:
        back = Plan(plan.params[k], (size,), plan.label, (plan.size,))
    else:
        back = plan.adjoint()
    if not isinstance(g, Tensor) or (g._own is not None and not g._requires):
        return _fixed(adjoint, g, back, size)
    z = record_planned(adjoint, g, back)
    z._shape = flat_shape(size)
    return z


def _fixed(adjoint, g, back, size):
    """The adjoint of a constant gradient: recorded all the same, with the gradient as a constant, and then let go."""
    g = g if isinstance(g, Tensor) else wrap(np.asarray(g))
    z = record_planned(adjoint, g, back)
    return wrap(z._tape.peek(z._index).reshape(flat_shape(size)).copy())


# The namespace of partials --------------------------------------------------------------------------------------------

_rules: dict = {}


def _rule(op, k):
    key = op.code, k
    if key not in _rules:
        partial = op.partials[k]
        _rules[key] = None if partial is None else rebind(partial, np=namespace(), select=_select)
    return _rules[key]


def _select(condition, x, y):
    if type(condition) is Mask:
        condition = condition.on_tape((x, y), inside=True)
    elif not isinstance(condition, Tensor):  # on numbers that are constants
        return x if condition else y
    elif isinstance(y, Tensor) and not isinstance(x, Tensor) and condition._shape == y._shape and not condition._array().any():
        return y
    return elementwise.apply(BY_NAME["where"], condition, x, y)


_namespace: types.SimpleNamespace | None = None


def namespace():
    """``np`` in a partial that is applied to Tensors."""
    global _namespace
    if _namespace is None:
        _namespace = types.SimpleNamespace(**elementwise.FUNCTIONS, **lanes.PARTIALS, matmul_x=matmul_x, matmul_y=matmul_y,
                                           kept=kept, taken=taken, along=along)
    return _namespace


def _matrices(plan):
    batch, m, k, n, x_step, y_step = plan.params.tolist()
    return batch, m, k, n, (batch,) if x_step else (), (batch,) if y_step else ()


def matmul_x(g, y, plan):
    """g @ y.T, summed over the batch where x is shared."""
    batch, m, k, n, xs, ys = _matrices(plan)
    y = structure.matrix_transpose(structure.reshape(y, *ys, k, n))
    out = structure.matmul(structure.reshape(g, batch, m, n), y)
    return flat(out if xs or batch == 1 else structure.sum(out, 0))


def matmul_y(g, x, plan):
    """x.T @ g, summed over the batch where y is shared."""
    batch, m, k, n, xs, ys = _matrices(plan)
    x = structure.matrix_transpose(structure.reshape(x, *xs, m, k))
    out = structure.matmul(x, structure.reshape(g, batch, m, n))
    return flat(out if ys or batch == 1 else structure.sum(out, 0))


def kept(g, plan):
    """g where an assignment kept the operand's elements."""
    return _select(wrap((plan.params < 0).reshape(flat_shape(plan.size))), g, 0.0)


def taken(g, plan):
    """g where an assignment took new values, added up by their place."""
    there = np.flatnonzero(plan.params >= 0)
    size = math.prod(plan.source)
    picked = record_or_fix("take", g, places_plan(there, g._shape, "Index"))
    return record_or_fix("add_at", picked, places_plan(plan.params[there], flat_shape(size), "IndexAdd").adjoint())


def record_or_fix(name, g, plan):
    if g._own is not None and not g._requires:
        return _fixed(BY_NAME[name], g, plan, plan.size)
    return record_planned(BY_NAME[name], g, plan)
def along(g, x, z, plan):
    """g times the direction of each row, 0 of a row of zeros."""
    rows, length = plan.params.tolist()
    zero = decided(np.equal, z, 0).reshape(rows, 1)
    x, z, g = structure.reshape(x, rows, length), structure.reshape(z, rows, 1), structure.reshape(g, rows, 1)
    if zero.any():                           # divided by 1, and then multiplied by 0
        zero = wrap(zero.astype(z.dtype))
        z, g = z + zero, g * (1 - zero)
    return flat(g * (x / z))
