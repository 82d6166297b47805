"""Gradients: backward and grad, modes, hooks, functions of your own, and checks. PyTorch's names and meanings."""
import contextlib
import warnings
from collections.abc import Iterable

import numpy as np

from ..tape import begin_tapes, state
from ..tensor.core import FLOATS, Tensor, tracked, wrap
from ..tensor.creation import tensor
from ..tensor.elementwise import describe
from ..tensor.structure import reshape, stack
from . import function, simple, spent
from .anomaly import detect_anomaly, set_detect_anomaly
from .check import GradcheckError, gradcheck, gradgradcheck
from .engine import Pass, accumulate, deliver
from .function import Function, FunctionCtx
from .hooks import register_hook, register_post_accumulate_grad_hook, retain_grad, retains_grad
from .modes import (
    _set,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .node import Node, grad_fn
from .paths import paths_to
from .recorded import RecordedPass, flat

__all__ = ["Function", "FunctionCtx", "GradcheckError", "Node", "Variable", "backward", "detect_anomaly", "enable_grad",
           "function", "functional", "grad", "gradcheck", "gradgradcheck", "inference_mode", "is_grad_enabled",
           "is_inference_mode_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled"]


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds the gradients of `tensors` to the ``grad`` of the leaves that they were computed from.

    ``grad_tensors``: what the gradient starts with, one for each tensor, of its shape; for a tensor of one element it
    may be left out. ``retain_graph``: keep the records for another backward. ``create_graph``: record the gradients,
    too, so that they can be differentiated. ``inputs``: add to these tensors only. RuntimeError where a tensor has no
    graph, a gradient is missing or of another shape, or a value that is needed was overwritten.
    """
    tensors = _several(tensors)
    gradients = _gradients(tensors, grad_tensors, "grad_tensors")
    if inputs is not None:
        inputs = _several(inputs)
        if not inputs:
            raise RuntimeError("inputs is empty: give the tensors whose gradients are wanted, or leave it out for all "
                               "leaves")
        for x in inputs:
            if not tracked(x):
                raise RuntimeError("a tensor in inputs does not require grad, so there is no gradient for it")
    Run(tensors, gradients, retain_graph, create_graph, inputs).deliver(inputs)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of the sum of `outputs` with respect to `inputs`, a tuple; nothing is added to any ``grad``.

    An input that the outputs don't depend on is a RuntimeError, or gives None with ``allow_unused``, or zeros with
    ``materialize_grads``. With ``is_grads_batched`` each of `grad_outputs` has one more axis, its first: a row for each pass
    backward. So have the results, unused ones but for None, too; hooks run in each pass. The other arguments are those of
    :func:`backward`.

    >>> import tapegrad as tg
    >>> x = tg.tensor([3.0, 4.0], requires_grad=True)
    >>> tg.autograd.grad((x * x).sum(), x)
    (tensor([6., 8.]),)
    >>> tg.autograd.grad(x * x, x, tg.eye(2), is_grads_batched=True)
    (tensor([[6., 0.],
            [0., 8.]]),)
    """
    outputs = _several(outputs)
    inputs = _several(inputs)
    if materialize_grads and allow_unused is False:
        raise ValueError("materialize_grads=True gives zeros for unused inputs, which allow_unused=False forbids")
    for x in inputs:
        if not isinstance(x, Tensor):
            raise TypeError(f"inputs must be tensors, not {type(x).__name__}")
        if not tracked(x):
            raise RuntimeError("one of the inputs does not require grad, so there is no gradient for it; call "
                               "requires_grad_() on it before it is used")
    batch = ()
    if is_grads_batched:
        batch = _batch(outputs, grad_outputs)
        found = _by_rows(outputs, inputs, grad_outputs, batch[0], retain_graph, create_graph)
    else:
        run = Run(outputs, _gradients(outputs, grad_outputs, "grad_outputs"), retain_graph, create_graph, inputs)
        found = [run.gradient(x) for x in inputs]
    results = []
    for k, (x, g) in enumerate(zip(inputs, found)):
        if g is None:
            if materialize_grads:
                g = wrap(np.zeros((*batch, *x._shape), x.dtype))
            elif not allow_unused:
                raise RuntimeError(f"input {k} was not used to compute the outputs, so it has no gradient; pass "
                                   "allow_unused=True to get None for it, or materialize_grads=True for zeros")
        results.append(g)
    return tuple(results)


def _batch(outputs, given):
    """The first axis of `given`, gradients for several passes; RuntimeError where they have none, ValueError for others."""
    given = _several(given)
    if len(given) != len(outputs):
        raise RuntimeError(f"grad_outputs has {len(given)} entries for {len(outputs)} tensors; give one for each")
    for y, g in zip(outputs, given):
        if not isinstance(g, Tensor):
            raise TypeError("with is_grads_batched, what each output starts with is a tensor with one row for each pass, not "
                            f"{describe(g)}")
        if isinstance(y, Tensor) and (not g._shape or g._shape[1:] != y._shape):
            raise RuntimeError(f"with is_grads_batched, grad_outputs for a tensor of shape {y._shape} have one axis more, the "
                               f"first, and a gradient of shape {g._shape} was given; index it with None for a single pass")
    sizes = {g._shape[0] for g in given}
    if len(sizes) > 1:
        raise ValueError(f"with is_grads_batched, all grad_outputs have as many rows, and these have {sorted(sizes)}")
    return tuple(sizes)


def _by_rows(outputs, inputs, grad_outputs, n, retain_graph, create_graph):
    """The gradients of `inputs` in `n` passes, stacked; None for those that no pass comes to. Of none, a pass of zeros says
    which these are."""
    rows = []
    for k in range(max(n, 1)):
        with set_grad_enabled(create_graph):
            seeds = [g[k] if n else wrap(np.zeros(g._shape[1:], g.dtype)) for g in _several(grad_outputs)]
        run = Run(outputs, _gradients(outputs, seeds, "grad_outputs"), True if k < n - 1 else retain_graph, create_graph, inputs)
        rows.append([run.gradient(x) for x in inputs])
    results = []
    with set_grad_enabled(create_graph):
        for x, column in zip(inputs, zip(*rows)):
            nothing = wrap(np.zeros(x._shape, x.dtype))
            unused = all([g is None for g in column])
            results.append(None if unused else stack([nothing if g is None else g for g in column])[:n])
    return results


def _several(given):
    """A tuple of what was given; of anything that is no collection, itself, for whoever looks at the types."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, Tensor) else (given,)


def _gradients(tensors, given, argument):
    """For each tensor the tensor that its gradient starts with, or None for ones."""
    if not tensors:
        raise RuntimeError("there is nothing to differentiate: give at least one tensor")
    for x in tensors:
        if not isinstance(x, Tensor):
            raise TypeError(f"only tensors can be differentiated, not {type(x).__name__}")
    if given is None:
        given = (None,) * len(tensors)
    elif isinstance(given, Tensor) or not isinstance(given, (tuple, list)):
        given = (given,)
    if len(given) != len(tensors):
        raise RuntimeError(f"{argument} has {len(given)} entries for {len(tensors)} tensors; give one for each")
    for x, g in zip(tensors, given):
        if not tracked(x):
            raise RuntimeError("this tensor does not require grad and has no grad_fn: it was not computed from a "
                               "tensor that requires grad, or under no_grad(); set requires_grad=True on what to "
                               "differentiate by")
        if g is None:
            if _size(x._shape) != 1:
                raise RuntimeError("only a scalar has a gradient without more being said, and this tensor's shape is "
                                   f"{x._shape}: pass gradient=, a tensor of that shape to multiply with, or sum() the "
                                   "tensor first")
        elif not isinstance(g, Tensor):
            raise TypeError(f"a gradient to start with is a tensor or None, not {describe(g)}; give tensor(...) of "
                            f"shape {x._shape}")
        elif g._shape != x._shape:
            raise RuntimeError(f"a gradient of shape {g._shape} was given for a tensor of shape {x._shape}; the shapes "
                               "must be the same")
        elif g.dtype not in FLOATS:
            raise RuntimeError(f"a gradient must be floating, and this one is {g.dtype}; convert it with .double()")
    return list(given)


def _size(shape):
    size = 1
    for n in shape:
        size *= n
    return size


class Run:
    """A backward pass from some tensors, and what came of it."""

    def __init__(self, tensors, gradients, retain_graph, create_graph, inputs=None, floor=0):
        keep = bool(create_graph if retain_graph is None else retain_graph)
        captures = [(x._tape.serial, x._index) for x in inputs or () if x._own is None]
        self.create_graph = create_graph
        paths = None if inputs is None else paths_to(inputs, tensors)
        self.run = (RecordedPass if create_graph else Pass)(keep, captures, paths, floor)
        self.direct: dict = {}               # leaves that are themselves differentiated
        self.delivered: dict = {}
        if create_graph:
            before = _set(True)
            try:
                self._seed(tensors, gradients)
                self.run.run()
            finally:
                _set(before)
        else:
            # What is recorded from here on goes to another tape, so that a sweep is never longer than what it is for
            begin_tapes()
            self._seed(tensors, gradients)
            self.run.run()
        if not keep:
            for x in tensors:
                if x._own is None and not x._shape:
                    spent.begin(x)

    def _seed(self, tensors, gradients):
        for x, g in zip(tensors, gradients):
            if self.create_graph:
                g = wrap(np.ones((), x.dtype)) if g is None else flat(g if g.dtype == x.dtype else g.to(x.dtype))
                if x._own is not None:
                    known = self.run.leaves.get(id(x))
                    self.run.leaves[id(x)] = x, (g if known is None else known[1] + g)
                else:
                    self.run.seed(x._tape, x._index, g)
            else:
                array = 1.0 if g is None else g._array().reshape(-1)
                if x._own is not None:
                    array = np.broadcast_to(np.asarray(array, x.dtype), (_size(x._shape),))
                    self.run.collect(x, array)
                else:
                    self.run.seed(x._tape, x._index, array)

    def _mode(self):
        return enable_grad() if self.create_graph else contextlib.nullcontext()

    def _shaped(self, x, g):
        if self.create_graph:
            return reshape(g, x._shape)
        return wrap(g.reshape(x._shape))

    def deliver(self, inputs):
        """Adds to ``grad``: of all leaves, or of `inputs`."""
        with self._mode():
            if inputs is None:
                for leaf, g in self.run.leaves.values():
                    deliver(leaf, self._shaped(leaf, g), recorded=self.create_graph)
                return
            for x in inputs:
                self._gradient(x, into_grad=True)

    def gradient(self, x):
        """The gradient of one input, or None where the outputs don't depend on it."""
        with self._mode():
            return self._gradient(x)

    def _gradient(self, x, into_grad=False):
        if x._own is None:
            g = self.run.captures.get((x._tape.serial, x._index))
            if g is None:
                return None
            g = self._shaped(x, g)
            if into_grad:
                if self.create_graph:
                    x._grad = g if x._grad is None else x._grad + g
                else:
                    accumulate(x, g._array())
            return g
        if id(x) not in self.delivered:
            known = self.run.leaves.get(id(x))
            self.delivered[id(x)] = None if known is None else deliver(x, self._shaped(x, known[1]), into_grad,
                                                                          self.create_graph)
        return self.delivered[id(x)]


def Variable(data, requires_grad=False):
    """Legacy: a tensor of `data`, which may be one already."""
    x = data.detach() if isinstance(data, Tensor) else tensor(data)
    return x.requires_grad_() if requires_grad else x


def _get_grad(x):
    if x._grad is None and x._own is None and not retains_grad(x):
        warnings.warn("grad of a tensor that is not a leaf is None: its gradient was not kept; call retain_grad() on "
                      "it before backward", UserWarning, stacklevel=2)
    return x._grad


def _set_grad(x, value):
    if value is not None:
        if not isinstance(value, Tensor):
            raise TypeError(f"grad must be a tensor or None, not {type(value).__name__}")
        if value is x:
            raise RuntimeError("a tensor can't be its own gradient")
        if value._shape != x._shape or value.dtype != x.dtype:
            raise RuntimeError(f"a gradient of shape {value._shape} and dtype {value.dtype} doesn't fit a tensor of "
                               f"shape {x._shape} and dtype {x.dtype}")
    x._grad = value


def _delete_grad(x):
    x._grad = None


def _backward_method(x, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    if (gradient is None and inputs is None and not create_graph and x._own is None and not state().anomaly
            and (not x._shape or _size(x._shape) == 1) and simple.backward(x, bool(retain_graph))):
        return
    backward((x,), None if gradient is None else (gradient,), retain_graph, create_graph, inputs)


_backward_method.__doc__ = backward.__doc__
_backward_method.__name__ = "backward"
Tensor.backward = _backward_method
Tensor.grad = property(_get_grad, _set_grad, _delete_grad, "The gradient that was added up here, or None.")
Tensor.grad_fn = property(grad_fn, doc="The node of the graph that computed this tensor, or None for a leaf.")
Tensor.register_hook = register_hook
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook
Tensor.retain_grad = retain_grad
Tensor.retains_grad = property(retains_grad)


def is_inference(x):
    """Whether the tensor was made in inference_mode."""
    return bool(x._inference)


Tensor.is_inference = is_inference

from . import functional  # noqa: E402
