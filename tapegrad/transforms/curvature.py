"""Products with the Hessian of one number: tangents forward, then adjoints and the tangents of those backward, on the tapes that
the function was recorded on. The gradient itself is not recorded.
"""
import numpy as np

from .. import kernels, sweeps
from ..autograd import recorded
from ..autograd.engine import must_verify, survey
from ..autograd.node import operands
from ..autograd.paths import tapes_of
from ..buffers import address_of, pool
from ..ops import CODE_MASK, OPS, PLANNED
from ..sweeps import AT, CODE, COLUMN, FINISHED, FIRSTS, MOVING, NEEDS_KERNEL, OPERAND, SECONDS, TOUCHED, ZERO
from ..tape import Link, state
from ..tensor.core import wrap
from .sweeping import CLEAR, pushforward, sweep_tangents

_ZERO = np.zeros(1)


def curvature(leaves, value):
    """What computes products with the Hessian of `value` by `leaves`; None where the gradient must be recorded for that."""
    if value._own is not None or state().anomaly or any(x._own is None or x._hooks or x._post_hooks for x in leaves):
        return None
    own = {id(x) for x in leaves}
    tapes = tapes_of((value,))
    for tape in tapes:
        if tape.hosts or tape.hooks or tape.retained or tape.recorder is not None or tape.buffers.passes:
            return None
        if any(not isinstance(target, Link) and id(target) not in own for _, target, _ in tape.inputs):
            return None
        if must_verify(tape, survey(tape, tape.n - 1)):
            return None
    return Products(leaves, value, tapes)


class Products:
    """The products, as often as asked for; a context manager, which gives its memory back."""

    def __init__(self, leaves, value, tapes):
        places = {id(x): k for k, x in enumerate(leaves)}
        self.leaves, self.value = leaves, value
        self.layers = {tape.serial: _Layers(tape, places) for tape in tapes}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for layers in self.layers.values():
            layers.free()

    def product(self, tangents):
        """For each leaf its part of the product with `tangents`, arrays in the leaves' shapes."""
        for layers in self.layers.values():
            layers.forward(tangents, self.layers)
        products = [np.zeros(x._shape, x.dtype) for x in self.leaves]
        self.layers[self.value._tape.serial].add(self.value._index, 1.0, 0.0)
        for layers in reversed(self.layers.values()):
            layers.backward(products, self.layers)
        return products


class _Layers:
    """One tape, and beside its values tangents, adjoints, and the adjoints' tangents."""

    def __init__(self, tape, places):
        tape.close()
        tape.evaluate()
        self.tape, self.records, self.buffers = tape, tape.buffers.words[:tape.n], tape.buffers
        # Tangents are where a pass has its adjoints. Until that is over, other passes put them aside; where an interrupt comes
        # in between, it is never over, and these buffers are not used again.
        self.buffers.users += 1
        self.buffers.passes.append(None)
        self.buffers.allow_adjoints()
        self.tangents, self.sets = self.buffers.adjoints, [self.buffers.twins() for _ in range(2)]
        (self.adjoints, firsts), (self.seconds, seconds) = self.sets
        self.places = address_of(firsts), address_of(seconds)
        self.moving = None                   # by record, whether it has a tangent: whether it depends on a leaf
        self.entries = [(i, places[id(x)], tape.twin(self.tangents, i), tape.twin(self.seconds, i))
                        for i, x, _ in tape.inputs if id(x) in places]
        self.links = [(i, link) for i, link, _ in tape.inputs if isinstance(link, Link)]
        self.seeds: dict = {}                # record -> its adjoint and the tangent of that

    def free(self):
        for arrays, _ in self.sets:
            while arrays:
                pool.give_array(arrays.pop())
        self.buffers.passes.pop()
        self.buffers.users -= 1

    def add(self, i, adjoint, second):
        """To the seeds of the backward sweep."""
        known = self.seeds.get(i)
        self.seeds[i] = (adjoint, second) if known is None else (known[0] + adjoint, known[1] + second)

    def forward(self, tangents, others):
        words = self.tape.all_words
        with self.buffers.lock:
            try:
                for i, k, tangent, _ in self.entries:
                    tangent[...] = tangents[k].reshape(-1)
                    words[i] |= TOUCHED
                for i, link in self.links:
                    below = others[link.tape.serial]
                    if below.moving[link.index]:
                        self.tape.twin(self.tangents, i)[...] = link.tape.twin(below.tangents, link.index)
                        words[i] |= TOUCHED
                sweep_tangents(self.tape, self.tape.n)
                if self.moving is None:
                    self.moving = ((self.records & np.uint16(TOUCHED)) != 0).astype(np.uint8)
            finally:
                self.records &= np.uint16(CLEAR)

    def backward(self, products, others):
        if not self.seeds:
            return
        seeds, self.seeds = self.seeds, {}
        tape, head, words = self.tape, self.tape.head, self.tape.all_words
        with self.buffers.lock:
            try:
                for i, (adjoint, second) in seeds.items():
                    tape.twin(self.adjoints, i)[...], tape.twin(self.seconds, i)[...] = adjoint, second
                    words[i] |= TOUCHED
                head[FIRSTS], head[SECONDS] = self.places
                head[MOVING], head[ZERO] = address_of(self.moving), address_of(_ZERO)
                self._sweep(max(seeds))
                for i, k, _, second in self.entries:
                    if words[i] & TOUCHED:
                        products[k] += second.reshape(products[k].shape)
                for i, link in self.links:
                    below = others[link.tape.serial]
                    if words[i] & TOUCHED and below.moving[link.index]:
                        below.add(link.index, tape.twin(self.adjoints, i).copy(), tape.twin(self.seconds, i).copy())
            finally:
                self.records &= np.uint16(CLEAR)

    def _sweep(self, start):
        """The compiled sweep, with the kernels that it asks for, and Python where an operation has none."""
        run, head, operand = sweeps.compiled(sweeps.product), self.tape.head, 0
        while (status := run(self.tape.buffers.head_address, start, 0, operand)) != FINISHED:
            start, operand = head[AT], head[OPERAND]
            if status == NEEDS_KERNEL:
                kernels.need(head[CODE], head[COLUMN], self.tape.dtype)
            else:
                self._in_python(start, operand)
                operand += 1

    def _in_python(self, i, k):
        """The adjoint of operand `k` of a record is recorded, and the tangent of that taken."""
        tape = self.tape
        op, indices = OPS[tape.all_words[i] & CODE_MASK], operands(tape, i)
        plan = tape.plans[tape.right[i]] if op.kind >= PLANNED else None
        arrays = [tape.twin(self.adjoints, i), *[tape.value(j) for j in (*indices, i)]]
        tangents = [tape.twin(self.seconds, i), *[tape.twin(self.tangents, j) if self.moving[j] else None for j in (*indices, i)]]
        leaves = [wrap(_flat(array), True) for array in arrays]
        moved = [wrap(np.zeros(x._shape, x.dtype) if t is None else _flat(t)) for x, t in zip(leaves, tangents)]
        g, *values, z = leaves
        result = recorded.partial(tape, op, g, values, z, plan, k, indices[k])
        tape.twin(self.adjoints, indices[k])[...] += result._array().reshape(-1)
        tape.twin(self.seconds, indices[k])[...] += pushforward(leaves, moved, [result])[0]._array().reshape(-1)


def _flat(array):
    return array.reshape(recorded.flat_shape(array.size)).copy()
