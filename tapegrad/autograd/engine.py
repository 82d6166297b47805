"""The backward pass: tape after tape along the links, from the newest to the leaves.

Values only (``create_graph=False``): a compiled sweep over each tape, interrupted where a record has a hook, is retained or
captured, or is computed in Python. `recorded.py` is the other pass, which records itself.
"""
import heapq

import numpy as np

from .. import kernels, sweeps
from ..ops import ACTIVE, BY_NAME, CODE_MASK, KINDS, MAX_OPS, OPS, PLANNED_EACH
from ..sweeps import AT, CODE, COLUMN, CONSUMED, NEEDS_KERNEL, OPERAND, OVERWRITTEN, TOUCHED, USED_UP
from ..tape import Link, Tape, address_of, state
from ..tensor.core import Tensor, tracked, version, wrap
from .modes import no_grad, set_grad_enabled

CLEAR = 0xFFFF ^ TOUCHED


class Pass:
    """One backward pass. `captures`: what to keep of interior records, {(tape serial, index): array}."""

    def __init__(self, keep, captures=()):
        self.keep, self.captures = keep, dict.fromkeys(captures)
        self.leaves: dict = {}               # id -> (leaf, flat gradient)
        self.frontier: list = []             # heap of (-serial, tape)
        self.starts: dict = {}               # serial -> highest touched record

    def seed(self, tape: Tape, i: int, gradient):
        """Adds to the adjoint of a record; `gradient` is flat, or a number."""
        if tape.serial not in self.starts:
            tape.evaluate()
            _enter_pass(tape)
            heapq.heappush(self.frontier, (-tape.serial, tape))
            self.starts[tape.serial] = i
        elif i > self.starts[tape.serial]:
            self.starts[tape.serial] = i
        _add(tape, i, gradient)

    def run(self):
        """Runs all tapes that were seeded and those that they lead to; gradients end in `leaves` and `captures`."""
        try:
            while self.frontier:
                _, tape = self.frontier[0]
                self._run_tape(tape, self.starts[tape.serial])
                heapq.heappop(self.frontier)
                if self.frontier:            # a chain of tapes needs the adjoints of two of them at a time
                    tape.buffers.drop_adjoints()
                _leave_pass(tape)
        finally:
            for _, tape in self.frontier:    # an exception came through: nothing stays touched
                _leave_pass(tape, clean=True)

    def _run_tape(self, tape, start):
        if tape.suspect or tape.watched or _changed(tape):
            verify(tape, start)
        breaks = self._breaks(tape, start)
        if state().anomaly:
            breaks = sorted({*breaks, *range(start + 1)}, reverse=True)
        for i in breaks:
            if i < start:
                sweep(tape, start, i + 1, self.keep)
            start = i
            self._stop_at(tape, i)
        sweep(tape, start, 0, self.keep)
        if not self.keep:
            tape.suspect = True
        words = tape.all_words
        for i, target, _ in tape.inputs:
            if words[i] & TOUCHED:
                words[i] &= CLEAR
                self.collect(target, tape.adjoint(i))

    def collect(self, target, gradient):
        if isinstance(target, Link):
            self.seed(target.tape, target.index, gradient)
            return
        known = self.leaves.get(id(target))
        if known is None:
            self.leaves[id(target)] = target, gradient.astype(target._data.dtype)
        else:
            np.add(known[1], gradient, out=known[1])

    def _breaks(self, tape, start):
        if not (tape.hooks or tape.hosts or tape.retained or self.captures):
            return ()
        places = {*(tape.hooks or ()), *(tape.retained or ())}
        places.update(i for serial, i in self.captures if serial == tape.serial)
        places.update(i for i, (host, k) in (tape.hosts or {}).items() if k == 0)
        return sorted((i for i in places if i <= start), reverse=True)

    def _stop_at(self, tape, i):
        words = tape.all_words
        if tape.hosts and i in tape.hosts:
            self._run_host(tape, *tape.hosts[i])
        if not words[i] & TOUCHED:
            return
        if tape.hooks and i in tape.hooks:
            gradient = tape.adjoint(i)
            shape, hooks = tape.hooks[i]
            with no_grad():
                gradient[...] = run_hooks(hooks, wrap(gradient.reshape(shape).copy()))._array().reshape(-1)
        holder = tape.retained and tape.retained.get(i)
        if holder is not None and (x := holder()) is not None:
            accumulate(x, tape.adjoint(i).reshape(x._shape).copy())
        if (tape.serial, i) in self.captures:
            self.captures[tape.serial, i] = tape.adjoint(i).copy()
        if state().anomaly:
            check_finite(tape, i)

    def _run_host(self, tape, host, _):
        words = tape.all_words
        touched = [bool(words[i] & TOUCHED) for i in host.outputs]
        if not any(touched):
            return
        given = []
        for i, there, shape in zip(host.outputs, touched, host.shapes):
            given.append(wrap(tape.adjoint(i).reshape(shape).copy()) if there else None)
            words[i] &= CLEAR
        with no_grad():
            gradients = host.run(given)
        for j, gradient in gradients:
            _add(tape, j, gradient._array().reshape(-1))
        if not self.keep:
            host.used = True


def _add(tape, i, gradient):
    words = tape.all_words
    adjoint = tape.adjoint(i)
    if words[i] & TOUCHED:
        adjoint += gradient
    else:
        adjoint[...] = gradient
        words[i] |= TOUCHED


# The common case --------------------------------------------------------------------------------------------------------

def run_simply(x, keep):
    """A backward from a tensor of one element whose tape asks for nothing special; gives (leaf or link, flat gradient) for
    each input, or None where the general pass is needed."""
    tape = x._tape
    if (tape.suspect or tape.watched or tape.hooks or tape.hosts or tape.retained or tape.buffers.passes
            or x._base is not None or _changed(tape)):
        return None
    buffers, i = tape.buffers, x._index
    tape.close()
    with buffers.lock:
        buffers.passes.append(None)
        try:
            buffers.allow_adjoints()
            tape.adjoint(i)[0] = 1
            words = tape.all_words
            words[i] = words[i] | TOUCHED
            sweep(tape, i, 0, keep)
            out = []
            for i, target, _ in tape.inputs:
                if words[i] & TOUCHED:
                    words[i] &= CLEAR
                    out.append((target, tape.adjoint(i).copy()))
        finally:
            buffers.passes.pop()
    if not keep:
        tape.suspect = True
    return out


# Tapes in and out of a pass -------------------------------------------------------------------------------------------

def _enter_pass(tape):
    """Takes the tape for this thread; a pass that runs inside another one (from a hook) puts the outer one's state aside."""
    buffers = tape.buffers
    buffers.lock.acquire()
    if buffers.passes:
        saved = buffers.words[:tape.n].copy(), buffers.adjoints, buffers.derivatives.copy()
        buffers.words[:tape.n] &= np.uint16(CLEAR)
        buffers.adjoints = []
        buffers.passes.append(saved)
    else:
        buffers.passes.append(None)
    buffers.allow_adjoints()


def _leave_pass(tape, clean=False):
    buffers = tape.buffers
    if clean:
        buffers.words[:tape.n] &= np.uint16(CLEAR)
    saved = buffers.passes.pop()
    if saved is not None:
        buffers.drop_adjoints()
        words, buffers.adjoints, derivatives = saved
        buffers.words[:len(words)] = words | (buffers.words[:len(words)] & np.uint16(CONSUMED))
        buffers.derivatives[:] = derivatives
    buffers.lock.release()


def sweep(tape, start, stop, keep):
    """The compiled backward sweep, with the kernels that it asks for."""
    run = sweeps.compiled(sweeps.backward)
    operand, head = 0, tape.head
    while run(tape.buffers.head_address, start, stop, keep, operand) == NEEDS_KERNEL:
        kernels.need(head[CODE], head[COLUMN], tape.dtype)
        start, operand = head[AT], head[OPERAND]


# What can't be used any more ------------------------------------------------------------------------------------------

_needs = np.zeros(MAX_OPS * kernels.COLUMNS, np.uint8)
_views = np.zeros(MAX_OPS, np.uint8)
_described: set = set()


def _describe(codes):
    """Fills in, for the verifying sweep, whose values the adjoints of these operations read."""
    for code in codes:
        if code in _described:
            continue
        op = OPS[code]
        for k in range(op.arity if op.kind != PLANNED_EACH else 0):
            mask = 0
            for letter in op.partial_needs(k):
                mask |= 128 if letter == "z" else 1 << "xyw".index(letter)
            _needs[code * kernels.COLUMNS + kernels.ADJOINT + k] = mask
        _views[code] = op in (BY_NAME["view"], BY_NAME["reshape"])
        _described.add(code)


def _changed(tape):
    """Whether memory that entered the tape was written since."""
    for entries in (tape.inputs, tape.arrays):
        for _, target, seen in entries:
            if not isinstance(target, Link) and (target._storage is not None or target._base is not None
                                                 or target._edits != seen) and version(target) != seen:
                return True
    return False


def verify(tape, start):
    """RuntimeError where a backward would go through records that are used up, or read values that were overwritten."""
    words = tape.buffers.words[:tape.n]
    touched = (words & np.uint16(TOUCHED)).copy()
    over = np.zeros(tape.n, np.uint8)
    if tape.overwritten:
        over[list(tape.overwritten)] = 1
    for i, target, seen in (*tape.inputs, *tape.arrays):
        if not isinstance(target, Link) and version(target) != seen:
            over[i] = 1
    for i, storage, seen in tape.watched or ():
        if storage.version != seen:
            over[i] = 1
    _describe(np.unique(words & np.uint16(CODE_MASK)).tolist())
    run = sweeps.compiled(sweeps.verify)
    status = run(tape.buffers.head_address, start, address_of(over), address_of(_needs), address_of(_views))
    at, culprit = tape.head[AT], tape.head[OPERAND]
    words &= np.uint16(CLEAR)
    words |= touched
    if status == USED_UP:
        raise RuntimeError(f"backward a second time through {display(tape, at)}: its records were used up by the first, which "
                           "ran without retain_graph=True; call the first one with it, or compute the values again")
    if status == OVERWRITTEN:
        raise RuntimeError(f"{display(tape, at)} needs for its derivative the value of {display(tape, culprit)}, of shape "
                           f"({int(tape.size(culprit))},) when flat, which was overwritten in place after it was used; write "
                           "into a clone() instead, or compute a new tensor")


def display(tape, i):
    """The name of a record as grad_fn has it."""
    op = OPS[tape.all_words[i] & CODE_MASK]
    if KINDS[op.code] <= ACTIVE:
        if tape.hosts and i in tape.hosts:
            return tape.hosts[i][0].name
        return "an input" if op.name == "input" else "a constant"
    plan = tape.plans.get(tape.right[i]) if KINDS[op.code] > 3 else None
    return f"{plan.label if plan else op.display}Backward0"


def check_finite(tape, i):
    """For detect_anomaly: RuntimeError where record `i` makes nan of an adjoint without nan."""
    words = tape.all_words
    if not words[i] & TOUCHED or KINDS[words[i] & CODE_MASK] <= ACTIVE:
        return
    if np.isnan(tape.adjoint(i)).any():
        raise_anomaly(tape, i, "was given nan as the gradient of its result")
    from .node import operands
    before = words[i]
    sweep(tape, i, i, True)
    for j in operands(tape, i):
        if words[j] & TOUCHED and np.isnan(tape.adjoint(j)).any():
            raise_anomaly(tape, i, "returned nan as a gradient")
    words[i] = before & CLEAR


def raise_anomaly(tape, i, what):
    origin = (tape.origins or {}).get(i)
    where = (f"; it was recorded at {origin.filename}:{origin.lineno}, in {origin.name}: {origin.line}" if origin else
             "; it was recorded outside of detect_anomaly(), so its line is not known")
    raise RuntimeError(f"{display(tape, i)} {what}{where}")


# Leaves ---------------------------------------------------------------------------------------------------------------

def run_hooks(hooks, gradient):
    """Each hook sees the gradient and may give another one; of its shape, or RuntimeError."""
    for hook in list(hooks.values()):
        result = hook(gradient)
        if result is not None:
            if not isinstance(result, Tensor) or result._shape != gradient._shape:
                given = result._shape if isinstance(result, Tensor) else type(result).__name__
                raise RuntimeError(f"a hook gave {given} for a gradient of shape {gradient._shape}; it must give a tensor of that "
                                   "shape, or None to leave it as it is")
            gradient = result
    return gradient


def accumulate(x, array):
    """Adds an array, which the caller gives away, to ``x.grad``."""
    known = x._grad
    if known is None:
        x._grad = wrap(array)
    elif tracked(known):
        x._grad = wrap(known._array() + array)
    else:
        np.add(known._data, array, out=known._data)
        known._edits = known._edits + 1


def deliver(leaf, gradient: Tensor, into_grad=True, recorded=False):
    """Runs the hooks of a leaf and adds to its grad; gives the gradient."""
    if leaf._hooks:
        with set_grad_enabled(recorded):
            gradient = run_hooks(leaf._hooks, gradient)
    if into_grad:
        if tracked(gradient):
            leaf._grad = gradient if leaf._grad is None else leaf._grad + gradient
        else:
            accumulate(leaf, gradient._array() if gradient._data is not None else gradient._array().copy())
        for hook in list((leaf._post_hooks or {}).values()):
            with set_grad_enabled(recorded):
                hook(leaf)
    return gradient
