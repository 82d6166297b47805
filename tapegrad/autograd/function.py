"""Functions whose forward and backward are Python: records that a backward runs on the host."""
import functools
import warnings
import weakref

import numpy as np

from ..ops import HOST
from ..tape import state
from ..tensor.conversion import to
from ..tensor.core import FLOATS, Tensor, bump, common_dtype, interior, place, root_of, tape_for, tracked, version, wrap
from ..tensor.elementwise import describe
from ..tensor.inplace import replace
from ..tensor.structure import reshape, sum
from .modes import enable_grad, no_grad


class OnTape:
    """A saved tensor that is on the tape, as an input or output of the function: the tape, which keeps what is saved, would live
    as long as a tensor of it does."""

    def __init__(self, x):
        self.reference, self.tape, self.index, self.shape = weakref.ref(x), weakref.ref(x._tape), x._index, x._shape
        self.edits = version(x)

    def tensor(self):
        """It, or another one of its record where it is gone; then it can't be written any more."""
        x = self.reference()
        if x is None:
            tape = self.tape()
            x = interior(tape, self.index, self.shape)
            x._edits = self.edits + bool(tape.overwritten and self.index in tape.overwritten)
        return x


class FunctionCtx:
    """What forward leaves for backward. Any attribute can be set on it."""

    def __init__(self, needs_input_grad):
        self.needs_input_grad = needs_input_grad
        self._saved: tuple = ()
        self._versions: tuple = ()
        self._constant: set = set()
        self._dirty: tuple = ()
        self._materialize, self._used = True, False

    def save_for_backward(self, *tensors):
        """Keeps tensors for backward, where ``ctx.saved_tensors`` has them; a write in between is an error there."""
        for x in tensors:
            if x is not None and not isinstance(x, Tensor):
                raise TypeError(f"save_for_backward takes tensors and None, not {type(x).__name__}; set other values "
                                "as attributes of ctx")
        self._saved = tensors

    def save_for_forward(self, *tensors):
        """As PyTorch has it; nothing here needs it."""

    @property
    def saved_tensors(self):
        """What save_for_backward was given. RuntimeError where it was used up, or written since."""
        if self._used:
            raise RuntimeError("the saved tensors were used up by a backward that ran without retain_graph=True; call "
                               "it with that, or compute the values again")
        found = tuple(x.tensor() if isinstance(x, OnTape) else x for x in self._saved)
        for x, then in zip(found, self._versions):
            if x is not None and x._version != then:
                raise RuntimeError(f"a tensor of shape {x._shape} was saved for backward at version {then}; it was "
                                   f"overwritten in place since, and is at version {x._version}: save a clone() of it, "
                                   "or write into one")
        return found

    def mark_non_differentiable(self, *tensors):
        """These outputs of forward have no gradient."""
        self._constant = {id(x) for x in tensors}
        self._constant_kept = tensors

    def mark_dirty(self, *tensors):
        """These inputs were written by forward, which returns them; of a view, its base and other views are written, too."""
        self._dirty = tensors

    def set_materialize_grads(self, value):
        """Whether backward gets zeros, rather than None, for outputs without gradient; True to begin with."""
        self._materialize = bool(value)


class Host:
    """The record of one call: which records its inputs and outputs are, and how its backward is run."""
    used = False                             # that, and what was overwritten, ctx knows

    def __init__(self, function, ctx, inputs, name):
        self.function, self.ctx, self.inputs, self.name = function, ctx, inputs, name
        self.operands: list = []             # records of the inputs that are differentiated
        self.positions: list = []            # and their places among the arguments
        self.outputs: list = []
        self.shapes: list = []
        self.dtype = None

    def read(self):
        """The records whose values the adjoint reads, as far as the tape is to look after them."""
        return ()

    def run(self, tape, gradients, keep):
        """Calls backward with arrays, or None; gives (record of an input, flat array) for each that has a gradient."""
        with no_grad():
            found = self.run_recorded(tape, [None if g is None else wrap(g.copy()) for g in gradients], keep)
        return [(j, g._array().reshape(-1)) for j, g in found]

    def run_recorded(self, tape, gradients, keep):
        """As `run`, of tensors, and without a word on the mode."""
        ctx = self.ctx
        if ctx._used:
            raise RuntimeError(f"backward a second time through {self.name}: it was used up by the first, which ran "
                               "without retain_graph=True; call the first one with it, or compute the values again")
        if ctx._materialize:
            gradients = [wrap(np.zeros(shape, self.dtype)) if g is None else g
                         for g, shape in zip(gradients, self.shapes)]
        complete = iter(gradients)
        arguments = [next(complete) if there else self._absent(shape) for there, shape in self.layout]
        # Under create_graph the gradients are part of a graph, and so is what backward makes of them
        result = self.function.backward(ctx, *arguments)
        ctx._used = not keep
        results = result if isinstance(result, tuple) else (result,)
        count, name = len(self.inputs), self.function.__name__
        if len(results) < count or any(g is not None for g in results[count:]):
            raise RuntimeError(f"{name}.backward gave the wrong number of gradients: forward had {count} inputs, and "
                               f"it gave {len(results)}; give one for each, None where there is none")
        for k, (shape, g) in enumerate(zip(self.inputs, results)):
            if shape is None and g is not None:
                raise RuntimeError(f"{name}.backward gave {describe(g)} as gradient {k}, for an input of forward that "
                                   "is no tensor; give None for it")
        out = []
        for j, position in zip(self.operands, self.positions):
            g = results[position]
            if g is None:
                continue
            x = self.inputs[position]
            if not isinstance(g, Tensor):
                raise TypeError(f"{name}.backward gave {describe(g)} as gradient {position}; it must give tensors or "
                                "None")
            if g._shape != x:
                g = _summed_to(g, x, name, position)
            out.append((j, g))
        return out

    def _absent(self, shape):
        return wrap(np.zeros(shape, self.dtype)) if self.ctx._materialize else None


def _summed_to(g, shape, name, position):
    """A gradient that broadcasting enlarged, summed over what it was repeated along."""
    extra = len(g._shape) - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, g._shape[extra:])):
        raise RuntimeError(f"{name}.backward gave a gradient of shape {g._shape} for input {position} of shape "
                           f"{shape}; it must have that shape, or one that broadcasting makes of it")
    axes = [a for a, n in enumerate(g._shape) if a < extra or (shape[a - extra] == 1 and n != 1)]
    return reshape(sum(g, axes), *shape)


class Function:
    """A differentiable operation of your own: static ``forward(ctx, ...)`` and ``backward(ctx, *gradients)``.

    >>> import tapegrad as tg
    >>> class Cube(tg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         x, = ctx.saved_tensors
    ...         return 3 * g * x ** 2
    >>> x = tg.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """
    unrecorded = ""                          # why nothing of it is recorded for a replay, where there is more to say

    def __init__(self, *_, **__):
        warnings.warn(f"an instance of {type(self).__name__} does nothing: its methods are static, call "
                      f"{type(self).__name__}.apply(...)", DeprecationWarning, stacklevel=2)

    def __call__(self, *_, **__):
        raise RuntimeError(f"{type(self).__name__} is used through its static methods: call "
                           f"{type(self).__name__}.apply(...)")

    @staticmethod
    def forward(ctx, *arguments):
        """Computes the outputs, without recording."""
        raise NotImplementedError("a Function needs a static method forward(ctx, ...)")

    @staticmethod
    def backward(ctx, *gradients):
        """Gives one gradient for each argument of forward, None where there is none."""
        raise NotImplementedError("a Function needs a static method backward(ctx, *gradients) to be differentiated")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Where forward takes no ctx: fills it in after forward."""
        raise NotImplementedError

    @classmethod
    def apply(cls, *arguments):
        """Calls forward and records the call."""
        differentiated = [isinstance(x, Tensor) and tracked(x) for x in arguments]
        recording = state().enabled and any(differentiated)
        if recording and state().recorder is not None:
            state().recorder.refuse(cls.unrecorded or f"{cls.__name__} is computed in Python")
        ctx = FunctionCtx(tuple(differentiated))
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*arguments)
                cls.setup_context(ctx, arguments, output)
            else:
                output = cls.forward(ctx, *arguments)
        outputs = output if isinstance(output, tuple) else (output,)
        for x in ctx._dirty:
            if not any(x is z for z in outputs):
                raise RuntimeError(f"{cls.__name__}.forward marks a tensor as dirty that it does not return: what it wrote there "
                                   "would be in no graph; return that tensor, as an output")
            root = root_of(x)
            bump(root)
            if recording and root._own is not None and root._requires:
                raise RuntimeError(f"{cls.__name__}.forward writes into a leaf that requires grad, or a view of one, "
                                   "whose gradient would be lost; apply it to a clone()")
        if recording:
            outputs = _record(cls, ctx, arguments, differentiated, outputs)
        ctx._versions = tuple(None if x is None else x._version for x in ctx._saved)
        if recording:
            own = {id(x) for x in (*arguments, *outputs) if isinstance(x, Tensor) and x._own is None}
            ctx._saved, ctx._dirty = tuple(OnTape(x) if id(x) in own else x for x in ctx._saved), ()
        return outputs if isinstance(output, tuple) else outputs[0]


def _record(cls, ctx, arguments, differentiated, outputs):
    shapes = [x._shape if isinstance(x, Tensor) else None for x in arguments]
    host = Host(cls, ctx, shapes, cls.__name__ + "Backward")
    active = [x for x, yes in zip(arguments, differentiated) if yes]
    counted = [isinstance(x, Tensor) and id(x) not in ctx._constant and x.dtype in FLOATS for x in outputs]
    floats = [x for x, yes in zip(outputs, counted) if yes]
    if not floats:
        return outputs
    host.dtype = dtype = common_dtype(floats)
    tape = tape_for(dtype, active + floats)
    host.positions = [k for k, yes in enumerate(differentiated) if yes]
    host.operands = [place(tape, x) for x in active]
    host.layout = [(yes, x._shape if isinstance(x, Tensor) else ()) for x, yes in zip(outputs, counted)]
    if tape.hosts is None:
        tape.hosts = {}
    arrays = [np.array(x._array(), dtype, order="C") for x in floats]
    made = []
    for k, array in enumerate(arrays):
        i = tape.enter(HOST.code, array)
        tape.hosts[i] = host, k
        host.outputs.append(i)
        host.shapes.append(array.shape)
        made.append(interior(tape, i, array.shape))
    if search := state().anomaly:
        for i in host.outputs:
            search.note(tape, i)
    results, made = [], iter(made)
    for x, yes in zip(outputs, counted):
        z = next(made) if yes else x
        if yes and x.dtype != dtype:         # one record has one dtype; an output of another one is made from it
            z = to(z, x.dtype)
        if yes and any(x is dirty for dirty in ctx._dirty):
            z = replace(x, lambda old, z=z: z, cls.__name__)
        results.append(z)
    # What forward saved of its outputs is, for backward, the recorded output
    ctx._saved = tuple(next((z for x, z in zip(outputs, results) if x is s and z is not s), s) for s in ctx._saved)
    tape.was_given()
    return tuple(results)


def once_differentiable(function):
    """A backward whose result is not differentiated again: with create_graph that is an error instead of a wrong
    result."""
    @functools.wraps(function)
    def wrapper(ctx, *gradients):
        again = any(isinstance(g, Tensor) and tracked(g) for g in gradients)
        with no_grad():
            result = function(ctx, *gradients)
        if not (again and state().enabled):
            return result
        results = result if isinstance(result, tuple) else (result,)
        with enable_grad():
            errors = tuple(None if g is None else _Refuse.apply(g.detach().requires_grad_(), function.__qualname__)
                           for g in results)
        return errors if isinstance(result, tuple) else errors[0]
    return wrapper


class _Refuse(Function):
    @staticmethod
    def forward(ctx, x, name):
        ctx.name = name
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        raise RuntimeError(f"{ctx.name} is marked once_differentiable, so its result can't be differentiated again")
