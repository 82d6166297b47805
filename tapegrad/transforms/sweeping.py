"""What the transforms run on recorded functions: gradients and tangents of leaves, as arrays or, within a graph, as Tensors."""
import numpy as np

from .. import kernels, sweeps
from ..autograd import Run, simple
from ..autograd.anomaly import backward_search, operands_of, raise_anomaly
from ..autograd.paths import tapes_of
from ..sweeps import AT, CODE, COLUMN, NEEDS_KERNEL, OPERAND, TOUCHED
from ..tape import Link, state
from ..tensor.core import tracked, wrap

CLEAR = 0xFFFF ^ TOUCHED


def pullback(outputs, leaves, cotangents, graph=False, keep=False):
    """For each leaf the gradient of ``sum(cotangent * output)``, a Tensor; part of a graph if `graph`."""
    if not graph and not keep and len(outputs) == 1 and cotangents[0] is None and not state().anomaly:
        gradients = _common(outputs[0], leaves)
        if gradients is not None:
            return gradients
    pairs = [(y, g) for y, g in zip(outputs, cotangents) if tracked(y)]
    if not pairs:
        return [wrap(np.zeros(x._shape, x.dtype)) for x in leaves]
    run = Run([y for y, _ in pairs], [g for _, g in pairs], keep or graph, graph, leaves)
    gradients = [run.gradient(x) for x in leaves]
    return [wrap(np.zeros(x._shape, x.dtype)) if g is None else g for x, g in zip(leaves, gradients)]


def _common(y, leaves):
    """The gradients of one number that was computed from these leaves alone, on one tape; None where there is more to it."""
    if y._own is not None:
        return None
    own = {id(x) for x in leaves}
    for _, target, _ in y._tape.inputs:
        if id(target) not in own:
            return None
    if not simple.backward(y, False):
        return None
    gradients = [wrap(np.zeros(x._shape, x.dtype)) if x._grad is None else x._grad for x in leaves]
    for x in leaves:
        x._grad = None
    return gradients


def pushforward(leaves, tangents, outputs, graph=False):
    """For each output its tangent, a Tensor, where the leaves have the `tangents` (tensors)."""
    if graph or not sweepable(outputs):
        return _by_two_pullbacks(leaves, tangents, outputs, graph)
    sweep = Tangents(leaves, outputs)
    return [wrap(value.reshape(y._shape)) for y, value in zip(outputs, sweep.run([t._array() for t in tangents]))]


def sweepable(outputs):
    """Whether compiled sweeps can carry tangents to the outputs: nothing on the way is computed in Python."""
    return not any(tape.hosts for tape in tapes_of(outputs))


def _by_two_pullbacks(leaves, tangents, outputs, graph):
    """The pullback is linear in its cotangents; the pullback of that, by them, is the pushforward."""
    active = [y for y in outputs if tracked(y)]
    cotangents = [wrap(np.zeros(y._shape, y.dtype), True) for y in active]
    gradients = pullback(active, leaves, cotangents, graph=True)
    results = iter(pullback(gradients, cotangents, tangents, graph))
    return [next(results) if tracked(y) else wrap(np.zeros(y._shape, y.dtype)) for y in outputs]


class Tangents:
    """Forward sweeps over the tapes that some outputs were recorded on, as often as asked for."""

    def __init__(self, leaves, outputs):
        self.outputs = outputs
        self.tapes = tapes_of(outputs)
        self.places = places = {id(x): k for k, x in enumerate(leaves)}
        wanted: dict = {tape.serial: set() for tape in self.tapes}
        self.entries: dict = {}              # serial -> [(record, number of a leaf)], and of links
        self.links: dict = {}
        for tape in self.tapes:
            tape.close()
            tape.evaluate()
            self.entries[tape.serial] = [(i, places[id(x)]) for i, x, _ in tape.inputs if id(x) in places]
            self.links[tape.serial] = [(i, link) for i, link, _ in tape.inputs if isinstance(link, Link)]
            for _, link in self.links[tape.serial]:
                wanted[link.tape.serial].add(link.index)
        for x in leaves:                     # one that is itself interior is a record
            if x._own is None and x._tape.serial in self.entries:
                self.entries[x._tape.serial].append((x._index, places[id(x)]))
        for y in outputs:
            if y._own is None:
                wanted[y._tape.serial].add(y._index)
        self.wanted = {serial: sorted(records) for serial, records in wanted.items()}

    def run(self, tangents):
        """The tangents of the outputs, flat arrays, for those of the leaves."""
        found: dict = {}                     # (serial, record) -> array
        for tape in self.tapes:
            self._run_tape(tape, tangents, found)
        return [self._of_output(y, tangents, found) for y in self.outputs]

    def _of_output(self, y, tangents, found):
        if id(y) in self.places:             # a leaf that was handed on
            return np.array(tangents[self.places[id(y)]], y.dtype).reshape(-1)
        tangent = found.get((y._tape.serial, y._index)) if y._own is None else None
        return np.zeros(y.numel(), y.dtype) if tangent is None else tangent

    def _run_tape(self, tape, tangents, found):
        wanted = self.wanted[tape.serial]
        if not wanted:
            return
        if tape.recorder is not None:
            tape.recorder.refuse("it runs a forward derivative of its own that is not recorded")
        buffers, stop = tape.buffers, wanted[-1] + 1
        words = buffers.words[:tape.n]
        with buffers.lock:
            touched = words & np.uint16(TOUCHED)
            buffers.allow_adjoints()
            try:
                words &= np.uint16(CLEAR)
                for i, k in self.entries[tape.serial]:
                    tape.adjoint(i)[...] = np.reshape(tangents[k], -1)
                    words[i] |= np.uint16(TOUCHED)
                for i, link in self.links[tape.serial]:
                    tangent = found.get((link.tape.serial, link.index))
                    if tangent is not None:
                        tape.adjoint(i)[...] = tangent
                        words[i] |= np.uint16(TOUCHED)
                if search := backward_search():
                    _watched_tangents(tape, stop, search)
                else:
                    sweep_tangents(tape, stop)
                for i in wanted:
                    if words[i] & TOUCHED:
                        found[tape.serial, i] = tape.adjoint(i).copy()
            finally:
                words &= np.uint16(CLEAR)
                words |= touched


def sweep_tangents(tape, stop, start=0):
    """The compiled tangent sweep from record `start` up to, without, `stop`, with the kernels that it asks for."""
    run, head, operand = sweeps.compiled(sweeps.tangent), tape.head, 0
    head[AT] = start
    while run(tape.buffers.head_address, stop, operand) == NEEDS_KERNEL:
        kernels.need(head[CODE], head[COLUMN], tape.dtype)
        operand = head[OPERAND]


def _watched_tangents(tape, stop, search):
    """As `sweep_tangents`, record by record, in a search for nan and infinity."""
    words = tape.all_words
    for i in range(stop):
        sweep_tangents(tape, i + 1, i)
        if words[i] & TOUCHED and (read := operands_of(tape, i)):
            tangents = [tape.adjoint(j) for j in read if words[j] & TOUCHED]
            if made := search.slope_made(tape.adjoint(i), None, tangents, [tape.peek(j) for j in (*read, i)]):
                raise_anomaly(tape, i, f"returned {made} as a tangent")
