"""Compiled functions in a graph: a call on tensors that require grad is one record, which a backward runs on the host.

A function that gives one number computes the slopes of its inputs along with it, as ``value_and_grad`` does: its backward is a
multiplication. Others sweep backward over the program. With create_graph the façade records the function anew.
"""
import numpy as np

from ..autograd import Function, is_grad_enabled
from ..autograd import grad as gradients_of
from ..ops import HOST
from ..tape import state
from ..tensor.core import FLOATS, Tensor, interior, place, tape_for, tracked, version, wrap
from ..transforms.trees import ends, filled, mapped
from .entry import SLOPE, VALUE, entry_of


def is_input(value):
    """Whether an argument is an input of programs, and not a part of the signature."""
    return type(value) is float or (isinstance(value, (Tensor, np.ndarray, np.floating)) and value.dtype in FLOATS)


class Again:
    """The function, recorded by the façade for derivatives of derivatives: ``again(tensors)`` with those among its arguments. The
    arrays among them are as they were."""
    __slots__ = ("function", "environment", "given", "wanted")

    def __init__(self, function, environment, arguments, keywords, wanted):
        self.function, self.environment, self.wanted = function, environment, wanted
        self.given = arguments, keywords
        if keywords or any([type(x) is not Tensor for x in arguments]):
            self.given = mapped(lambda x: x.copy() if isinstance(x, np.ndarray) else x, self.given)

    def __call__(self, tensors):
        if self.environment is not None and not self.environment.same():         # a tape has none
            raise RuntimeError(f"what {getattr(self.function, '__qualname__', self.function)} refers to was changed since it was "
                               "called, and a derivative that is recorded needs it as it was: call backward before, or pass that "
                               "as an argument")
        tensors = iter(tensors)
        arguments, keywords = mapped(lambda x: next(tensors) if isinstance(x, Tensor) and is_input(x) else x, self.given)
        result = ends(self.function(*arguments, **keywords))
        return [result[n] for n in self.wanted]


def _recorded_gradients(again, inputs, gradients):
    outputs = again(inputs)
    pairs = [(y, g) for y, g in zip(outputs, gradients) if g is not None and isinstance(y, Tensor) and tracked(y)]
    wanted = [x for x in inputs if tracked(x)]
    if not pairs:
        return [None] * len(inputs)
    found = iter(gradients_of([y for y, _ in pairs], wanted, [g for _, g in pairs], create_graph=True, allow_unused=True))
    return [next(found) if tracked(x) else None for x in inputs]


# One number -----------------------------------------------------------------------------------------------------------

class Number:
    """The record of a call that gave one number. `slopes`: of the tensors that require grad, and `numbers`: their places among
    the `tensors`, of which `versions` says when they were read."""
    __slots__ = ("again", "tensors", "versions", "numbers", "slopes", "operands", "outputs", "shapes", "used")
    name = "CompiledBackward0"

    def __init__(self, again, tensors, numbers, slopes):
        self.again, self.tensors, self.numbers, self.slopes = again, tensors, numbers, slopes
        self.versions, self.used = [version(x) for x in tensors], False

    def record(self, value):
        """The number on a tape."""
        given = [self.tensors[k] for k in self.numbers]
        tape = tape_for(value.dtype, given)
        self.operands = [place(tape, x) for x in given]
        i = tape.enter(HOST.code, value)
        if tape.hosts is None:
            tape.hosts = {}
        tape.hosts[i] = self, 0
        self.outputs, self.shapes = [i], [value.shape]
        if search := state().anomaly:
            search.note(tape, i)
        z = interior(tape, i, value.shape)
        tape.was_given()
        return z

    def read(self):
        """The records whose values the adjoint reads."""
        return self.operands

    def _use(self, keep):
        self.used = not keep
        if not keep:
            self.again = self.tensors = self.slopes = None

    def run(self, tape, gradients, keep):
        """(record of an operand, flat array) of the slopes, times the gradient; where that is 0, so are they."""
        g, slopes = gradients[0].reshape(-1)[0], self.slopes
        self._use(keep)
        return [(i, np.reshape(slope * g if g else np.zeros_like(slope), -1)) for i, slope in zip(self.operands, slopes)]

    def run_recorded(self, tape, gradients, keep):
        """As `run`, of Tensors that are recorded."""
        again, tensors = self.again, self.tensors
        for x, seen in zip(tensors, self.versions):
            if version(x) != seen:
                raise RuntimeError(f"a tensor of shape {x._shape}, an argument of a compiled function, was overwritten in place "
                                   "since that was called, and a derivative that is recorded needs it as it was: give it a "
                                   "clone(), or write into one")
        self._use(keep)
        found = _recorded_gradients(again, tensors, gradients)
        return [(i, found[k]) for i, k in zip(self.operands, self.numbers) if found[k] is not None]

    def at_leaves(self, keep):
        """(leaf, its gradient) of all operands, where a backward begins here; None where there is more to it."""
        if self.used:
            return None
        leaves = [self.tensors[k] for k in self.numbers]
        for k, leaf in zip(self.numbers, leaves):
            if leaf._own is None or leaf._base is not None or version(leaf) != self.versions[k]:
                return None
        found = [(leaf, np.array(slope, leaf._own.dtype) if keep or type(slope) is not np.ndarray else slope)
                 for leaf, slope in zip(leaves, self.slopes)]
        self._use(keep)
        return found


def number(compiled, arguments):
    """A call with tensors, arrays, floats, and lists and tuples of them, some of which require grad, that gives one number by the
    way that was taken last; None where there is more to it."""
    arrays, flat = [], []
    for x in arguments:
        kind = type(x)
        if kind is list or kind is tuple:
            flat += x
            arrays.append(kind([y._array() if type(y) is Tensor else y for y in x]))
        else:
            flat.append(x)
            arrays.append(x._array() if kind is Tensor else x)
    places = tuple([k for k, x in enumerate(flat) if type(x) is Tensor and tracked(x)])
    if not places:
        return None
    arrays = tuple(arrays)
    entry, environment = compiled.in_graph.get(places, (None, None))
    result = None if entry is None else entry(arrays, None)
    if result is None:
        entered = compiled.enter(arrays)
        if entered is None:
            return None
        site, program, workspace = entered
        k = program.ends[0][0] if program.tree == 0 else None
        if k is None or k != program.scalar["value"] or workspace.run_gradient(k) is not None:
            program.give(workspace)
            return None
        site.replayed += 1
        result = (workspace.found[k].copy(),
                  tuple([workspace.given(workspace.slopes[n]) for n in places]))
        parts = tuple, (VALUE, k), (tuple, *[(SLOPE, n) for n in places])
        environment = site.environment
        compiled.in_graph[places] = entry_of(site, program, workspace, arrays, parts, k), environment
        program.waiting.append(workspace)
    value, slopes = result
    tensors = [x for x in flat if type(x) is Tensor]
    if len(tensors) < len(flat):
        order = [k for k, x in enumerate(flat) if type(x) is Tensor]
        places = [order.index(k) for k in places]
    return Number(Again(compiled.function, environment, arguments, {}, (0,)), tensors, places, slopes).record(value)


# Anything -------------------------------------------------------------------------------------------------------------

def anything(compiled, signature, arguments, keywords):
    """A call that gives whatever it gives."""
    run = compiled.run(signature, arguments, keywords)
    if run is None:
        return compiled.function(*arguments, **keywords)
    program, workspace = run
    inputs = [x for x in ends((arguments, keywords)) if is_input(x)]
    given = [x for x in inputs if isinstance(x, Tensor)]
    values = [workspace.found[k].copy() for k in range(len(program.outputs))]
    program.give(workspace)
    if not values:
        return compiled.function(*arguments, **keywords)
    arrays = [np.array(array) for array in signature.arrays]
    again = Again(compiled.function, compiled.environment, arguments, keywords,
                  [n for n, (k, _) in enumerate(program.ends) if k is not None])
    places = [k for k, x in enumerate(inputs) if isinstance(x, Tensor)]
    made = Compiled.apply(program, again, arrays, places, values, *given)
    return filled(program.tree, [made[k] if k is not None else wrap(np.copy(value)) if isinstance(value, np.ndarray) else value
                                 for k, value in program.ends])


class Compiled(Function):
    """Such a call as one operation of a graph; the name is what grad_fn says."""

    @staticmethod
    def forward(ctx, program, again, arrays, places, values, *inputs):
        ctx.program, ctx.again, ctx.arrays, ctx.places = program, again, arrays, places
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)
        return tuple(wrap(value) for value in values)

    @staticmethod
    def backward(ctx, *gradients):
        inputs = ctx.saved_tensors
        if is_grad_enabled():
            return None, None, None, None, None, *_recorded_gradients(ctx.again, inputs, gradients)
        program = ctx.program
        workspace = program.take()
        workspace.put(ctx.arrays)
        workspace.run()
        slopes = workspace.pull([None if g is None else g._array() for g in gradients])
        found = [wrap(slopes[k].copy()) for k in ctx.places]
        program.give(workspace)
        return None, None, None, None, None, *found
