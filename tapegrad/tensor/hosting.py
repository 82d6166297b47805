"""Records of operations that Python computes: the hosted rows of the op table.

Such a record is evaluated at once, since its value may fail. Its operands are on the tape, its results enter it. A backward
comes back to Python at the record, and runs the row's adjoint: on arrays, or where the backward records itself, on Tensors.
"""
import numpy as np

from ..ops import CODE_MASK, HOST, KINDS, PASSIVE
from ..tape import state
from . import core
from .core import FLOATS, common_dtype, constant, float64, interior, place, tape_for, tracked, wrap


def host(op, *operands, **options):
    """Records, or computes, a hosted operation of tensors: a tensor, or a tuple of them."""
    if core.inference_used:
        core.refuse_inference(op, operands)
    dtype = float64
    for x in operands:
        if x.dtype not in FLOATS or x.dtype is not float64:
            dtype = common_dtype(operands)
            break
    if not (state().enabled and any([tracked(x) for x in operands])):
        results = op.bodies["forward"](*[x._array().astype(dtype, copy=False) for x in operands], **options)
        if op.saves:
            results = results[0]
        if op.outputs + op.constants == 1:
            return wrap(np.asarray(results, dtype))
        return tuple([wrap(np.asarray(z, dtype)) for z in results])
    tape = tape_for(dtype, operands, op.outputs)
    indices = [place(tape, x) for x in operands]
    shapes = [x._shape for x in operands]
    arrays = [tape.value(i).reshape(shape) for i, shape in zip(indices, shapes)]
    results = op.bodies["forward"](*arrays, **options)
    record = HostedRecord(op, indices, shapes, options)
    if op.saves:
        results, record.saved = results
    if tape.hosts is None:
        tape.hosts = {}
    if op.outputs + op.constants == 1:
        return record.add_output(tape, results, arrays)
    made = [record.add_output(tape, z, arrays) for z in results[:op.outputs]]
    return (*made, *[wrap(np.asarray(z, dtype)) for z in results[op.outputs:]])


class HostedRecord:
    """One call of a hosted row: which records its operands and results are, their shapes, and the options of the call."""
    __slots__ = ("op", "options", "operands", "outputs", "operand_shapes", "shapes", "used", "saved")

    def __init__(self, op, operands, shapes, options):
        self.op, self.operands, self.operand_shapes, self.options = op, operands, shapes, options
        self.outputs, self.shapes, self.used, self.saved = [], [], False, None

    @property
    def name(self):
        """What grad_fn calls it."""
        return f"{self.op.display}Backward0"

    def add_output(self, tape, z, arrays):
        array = np.asarray(z, tape.dtype, order="C")
        if any([array is x or array.base is x for x in arrays]):
            array = array.copy()
        i = tape.enter(HOST.code, array)
        tape.hosts[i] = self, len(self.outputs)
        self.outputs.append(i)
        self.shapes.append(array.shape)
        if search := state().anomaly:
            search.note(tape, i)
        return interior(tape, i, array.shape)

    def read(self):
        """The records whose values the adjoint reads."""
        records = self.operands + self.outputs
        return [records[k] for k in self.op.needs]

    def run(self, tape, gradients, keep):
        """The adjoints of the operands from those of the results, arrays or None; (record, flat array) for each that has
        one."""
        operands = [tape.value(i).reshape(shape) for i, shape in zip(self.operands, self.operand_shapes)]
        results = [tape.value(i).reshape(shape) for i, shape in zip(self.outputs, self.shapes)]
        options = {**self.options, "saved": self.saved} if self.op.saves else self.options
        found = self.op.bodies["adjoint",](*gradients, *operands, *results, **options)
        self.used = not keep
        words = tape.all_words
        return [(i, np.asarray(g).reshape(-1)) for i, g in zip(self.operands, found)
                if g is not None and KINDS[words[i] & CODE_MASK] != PASSIVE]

    def run_recorded(self, tape, gradients, keep):
        """As `run`, of Tensors that are recorded."""
        operands = [_tensor(tape, i, shape) for i, shape in zip(self.operands, self.operand_shapes)]
        results = [interior(tape, i, shape) for i, shape in zip(self.outputs, self.shapes)]
        found = self.op.bodies["adjoint",](*gradients, *operands, *results, **self.options)
        self.used = not keep
        words = tape.all_words
        return [(i, g) for i, g in zip(self.operands, found)
                if g is not None and KINDS[words[i] & CODE_MASK] != PASSIVE]


def _tensor(tape, i, shape):
    if KINDS[tape.all_words[i] & CODE_MASK] == PASSIVE:
        return constant(tape, i, shape)
    return interior(tape, i, shape)
