"""The common backward: one number, one tape that asks for nothing special. Its fixed cost is what small problems pay, so it
is written out in one piece; whatever it does not fit goes through `engine.Pass`. A number that knows its gradients by leaves
needs no sweep; see replay/graph.py.
"""
import numpy as np

from .. import kernels, sweeps
from ..sweeps import AT, CODE, COLUMN, DONE, FINISHED, LOW, OPERAND, TOUCHED
from ..tape import NOWHERE, REPLACED, USED, Link, alone, release, settle
from ..tensor.core import version, wrap
from .engine import FEW, accumulate, deliver, verify
from .spent import begin

CLEAR = 0xFFFF ^ TOUCHED
FEW_USED = 8                                 # records that know their gradients, and lie used up on an open tape
_forward = _sweep = None                     # compiled on first use


def _compile():
    global _forward, _sweep
    _forward, _sweep = sweeps.compiled(sweeps.forward), sweeps.compiled(sweeps.backward)


def backward(x, keep):
    """Adds the gradients of `x`, an interior tensor of one element, to its leaves; False, with nothing done, where the general
    pass is needed."""
    if _sweep is None:
        _compile()
    tape = x._tape
    buffers = tape.buffers
    if tape.watched or tape.hooks or tape.retained or buffers.passes or x._base is not None or tape.recorder is not None:
        return False
    if tape.hosts:
        gradients = _known(tape, x._index, keep)
        if gradients is None:
            return False
        _deliver(gradients)
        if not keep:
            begin(x)
        return True
    if tape.suspect == REPLACED:
        return False
    inputs = tape.inputs
    if len(inputs) + len(tape.arrays) > FEW:
        return False
    for _, leaf, seen in inputs:
        if type(leaf) is Link or leaf._edits != seen or leaf._storage is not None or leaf._base is not None:
            return False
    for _, array, seen in tape.arrays:
        if (array._edits != seen or array._storage is not None or array._base is not None) and version(array) != seen:
            return False

    if tape.is_open:
        release(tape)
        for _, leaf, _ in inputs:
            leaf._tape = NOWHERE
    with buffers.lock:
        try:
            if tape.head[DONE] != tape.n and _forward(buffers.head_address, tape.n) != FINISHED:
                tape.evaluate()
            if not buffers.adjoints or len(buffers.adjoints) < len(buffers.arenas):
                buffers.allow_adjoints()
            words, first, offsets, i = tape.all_words, buffers.first_adjoints, buffers.see_offsets, x._index
            limit, offset = len(first), offsets[i]
            if offset < limit:
                first[offset] = 1.0
            else:
                tape.adjoint(i)[0] = 1.0
            words[i] = words[i] | TOUCHED
            if tape.suspect:                 # another loss on the tape was run backward before
                verify(tape, i, None, ((), ()), i)
            tape.head[LOW] = i
            start, operand = i, 0
            while _sweep(buffers.head_address, start, 0, keep, operand) != FINISHED:
                head = tape.head
                kernels.need(head[CODE], head[COLUMN], tape.dtype)
                start, operand = head[AT], head[OPERAND]
            tape.head[LOW] = 0
            gradients = []
            entries = buffers.see_entries
            for i, leaf, _ in inputs:
                word = words[i]
                if word & TOUCHED:
                    words[i] = word & CLEAR
                    offset, shape = entries[-1 - 2 * offsets[i]], leaf._shape
                    if offset < limit and not shape:
                        gradients.append((leaf, np.array(first[offset], leaf._own.dtype)))
                    else:
                        gradients.append((leaf, tape.adjoint(i).astype(leaf._own.dtype).reshape(shape)))
        except BaseException:                # no memory, an interrupt: nothing stays touched
            buffers.words[:tape.n] &= CLEAR
            tape.head[LOW] = 0
            tape.suspect = tape.suspect or USED
            raise
    if not keep:
        tape.suspect = tape.suspect or USED
    _deliver(gradients)
    if not keep:
        begin(x)
    return True


def _known(tape, i, keep):
    """The gradients by leaves that a record knows, or None."""
    at_leaves = getattr(tape.hosts.get(i, (None,))[0], "at_leaves", None)
    gradients = at_leaves and at_leaves(keep)
    if gradients is not None and not keep:
        tape.suspect = tape.suspect or USED
        if len(tape.hosts) > FEW_USED:
            tape.close()
    return gradients


def _deliver(gradients):
    """Adds fresh arrays to the ``grad`` of leaves."""
    if len(gradients) > 1 and len({id(leaf) for leaf, _ in gradients}) < len(gradients):
        gradients = _added_up(gradients)
    for leaf, g in gradients:
        known = leaf._grad
        if leaf._hooks or leaf._post_hooks:
            deliver(leaf, wrap(g))
        elif known is None and alone():
            leaf._grad = wrap(g)
        elif (known is None or known._own is None or known._requires or known._storage is not None or known._base is not None
              or not alone()):
            accumulate(leaf, g)
        else:
            settle()                         # records that read the old gradient run first
            data = known._own
            data += g
            known._edits += 1


def _added_up(gradients):
    """A leaf that entered the tape more than once gets one gradient."""
    total = {}
    for leaf, g in gradients:
        known = total.get(id(leaf))
        if known is None:
            total[id(leaf)] = leaf, g
        else:
            known[1][...] += g
    return list(total.values())


