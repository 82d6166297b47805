"""Derivatives by running the function on Tensors each time (define by run)."""
import functools

import numpy as np

from .. import kernels, sweeps
from ..autograd import _Run, modes
from ..sweeps import AT, CODE, COLUMN, NEEDS_KERNEL, OPERAND, TOUCHED
from ..tape import Link, state
from ..tensor.core import FLOATS, Tensor, float64, tracked, wrap
from ..tensor.creation import tensor


class _Call:
    """The arguments of one call, those that are differentiated replaced by leaves."""

    def __init__(self, function, argnums, arguments, keywords):
        self.single = isinstance(argnums, int)
        self.positions = [argnums] if self.single else list(argnums)
        self.arguments = list(arguments)
        # Tensors in, Tensors out
        self.numpy = not any(isinstance(self._argument(p), (Tensor, list, tuple, dict)) and _has_tensors(self._argument(p))
                             for p in self.positions)
        self.leaves: list = []
        self.graph = False                   # whether what comes in is part of a graph: then the result is, too
        self.trees = {}
        for p in self.positions:
            self.trees[p] = self._enter(self._argument(p), p)
            self.arguments[p] = self.trees[p]
        current = state()
        current.tracing += 1
        try:
            with modes.enable_grad():
                self.result = function(*self.arguments, **keywords)
        finally:
            current.tracing -= 1

    def _argument(self, p):
        if not -len(self.arguments) <= p < len(self.arguments):
            raise TypeError(f"argnums asks for argument {p}, and the function was called with {len(self.arguments)} positional "
                            "arguments")
        return self.arguments[p]

    def _enter(self, value, position):
        """The same structure with leaves for numbers and arrays."""
        if isinstance(value, dict):
            return {key: self._enter(part, position) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            parts = [self._enter(part, position) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, Tensor):
            leaf = value
            self.graph = self.graph or tracked(value)
            if not tracked(value):
                leaf = wrap(np.array(value._array()))
        else:
            leaf = tensor(value)
        if leaf.dtype not in FLOATS:
            if leaf.dtype.kind not in "iu" or isinstance(value, Tensor):
                raise TypeError(f"argument {position} has dtype {leaf.dtype}, and only floating numbers can be differentiated "
                                "by; convert it with .astype(float)")
            leaf = tensor(value, dtype=float64)          # whole numbers, as users write starting values
        if not tracked(leaf):
            leaf.requires_grad_()
        self.leaves.append(leaf)
        return leaf

    def structured(self, values):
        """Values for the leaves, in the form of the arguments."""
        values = iter(values)

        def build(tree):
            if isinstance(tree, dict):
                return {key: build(part) for key, part in tree.items()}
            if isinstance(tree, (list, tuple)):
                parts = [build(part) for part in tree]
                return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
            return next(values)
        out = [build(self.trees[p]) for p in self.positions]
        return out[0] if self.single else tuple(out)


def _has_tensors(value):
    if isinstance(value, dict):
        return any(_has_tensors(part) for part in value.values())
    if isinstance(value, (list, tuple)):
        return any(_has_tensors(part) for part in value)
    return isinstance(value, Tensor)


def _number(result, name):
    """The value to differentiate, which must be one number."""
    if not isinstance(result, Tensor):
        if isinstance(result, (int, float, np.floating)) or getattr(result, "shape", None) == ():
            return tensor(float(result))
        raise TypeError(f"{name} takes functions that give a number, and this one gave {type(result).__name__}; use jacobian for "
                        "several outputs, and has_aux=True for a pair of a value and something else")
    if result.numel() != 1:
        raise TypeError(f"{name} takes functions that give a number, and this one gave shape {result.shape}; sum() it, or use "
                        "jacobian")
    return result


def value_and_grad(function, argnums=0, has_aux=False):
    """A function that gives the value of `function` and its gradient with respect to the arguments `argnums`.

    Arguments may be numbers, arrays, Tensors, and nested lists, tuples and dicts of them; a gradient has the form of its
    argument. Arrays and numbers give arrays back (float64 for float64), Tensors give Tensors. With ``has_aux`` the function
    gives a pair, of which the second part is handed on. TypeError where the value is not one number.

    >>> import numpy as np, tapegrad as tg
    >>> value, gradient = tg.value_and_grad(lambda x: (x ** 2).sum())(np.array([1.0, 2.0]))
    >>> float(value), gradient
    (5.0, array([2., 4.]))
    """
    _check_function(function)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = _Call(function, argnums, arguments, keywords)
        result, aux = call.result if has_aux else (call.result, None)
        value = _number(result, "grad")
        gradients = _gradients(call, value)
        if call.numpy:
            value = value._array().reshape(value._shape)[()] if value._shape == () else np.array(value._array())
            aux = _as_numpy(aux)
        else:
            value = value if call.graph else value.detach()
        return ((value, aux) if has_aux else value), call.structured(gradients)
    return wrapper


def grad(function, argnums=0, has_aux=False):
    """A function that gives the gradient of `function`; see :func:`value_and_grad`.

    >>> import tapegrad as tg
    >>> tg.grad(lambda x: x ** 3)(2.0)
    np.float64(12.0)
    """
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        value, gradient = both(*arguments, **keywords)
        return (gradient, value[1]) if has_aux else gradient
    return wrapper


def _check_function(function):
    if not callable(function):
        raise TypeError(f"a function is differentiated, not {type(function).__name__}; write grad(f)(x), not grad(f(x))")


def _gradients(call, value, seed=None):
    """The gradients for the leaves, arrays or Tensors."""
    if not tracked(value):
        return [np.zeros(x._shape, x.dtype)[()] if call.numpy else wrap(np.zeros(x._shape, x.dtype)) for x in call.leaves]
    # Where Tensors that are part of a graph came in, the gradient is part of it, too
    create = call.graph
    run = _Run((value,), [seed], None, create, call.leaves)
    out = []
    for x in call.leaves:
        g = run.gradient(x)
        if g is None:
            g = wrap(np.zeros(x._shape, x.dtype))
        out.append(g._array()[()] if call.numpy else g)
    return out


def _as_numpy(value):
    if isinstance(value, Tensor):
        return np.array(value._array())[()] if value._shape == () else np.array(value._array())
    if isinstance(value, dict):
        return {key: _as_numpy(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_as_numpy(part) for part in value)
    return value


def jacobian(function, argnums=0):
    """A function that gives the Jacobian of `function`: the output's shape followed by the argument's.

    The function is run once; then the tape is swept forward for each input or backward for each output, whichever are fewer.
    Several outputs (a tuple, list or dict) give the same structure of Jacobians. Arrays give arrays, Tensors Tensors.

    >>> import numpy as np, tapegrad as tg
    >>> tg.jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    _check_function(function)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = _Call(function, argnums, arguments, keywords)
        return _jacobians(call, call.result)
    return wrapper


def _jacobians(call, result):
    if isinstance(result, dict):
        return {key: _jacobians(call, part) for key, part in result.items()}
    if isinstance(result, (list, tuple)):
        parts = [_jacobians(call, part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if not isinstance(result, Tensor):
        result = tensor(result)
    if call.graph:
        blocks = _recorded_jacobian(call, result)
        return call.structured(blocks)
    if not tracked(result):
        blocks = [np.zeros((*result._shape, *x._shape)) for x in call.leaves]
    else:
        inputs = sum(x.numel() for x in call.leaves)
        forward = inputs < result.numel() and _is_alone(result._tape)
        blocks = (_forward_jacobian if forward else _backward_jacobian)(call.leaves, result)
    return call.structured(blocks if call.numpy else [wrap(block) for block in blocks])


def _backward_jacobian(leaves, y):
    """A backward sweep for each output."""
    blocks = [np.zeros((y.numel(), x.numel()), x.dtype) for x in leaves]
    seed = np.zeros(y.numel(), y.dtype)
    for k in range(y.numel()):
        seed[k] = 1
        run = _Run((y,), [wrap(seed.reshape(y._shape))], True, False)
        seed[k] = 0
        for x, block in zip(leaves, blocks):
            known = run.run.leaves.get(id(x))
            if known is not None:
                block[k] = known[1]
    return [block.reshape((*y._shape, *x._shape)) for x, block in zip(leaves, blocks)]


def _recorded_jacobian(call, y):
    from ..tensor import structure
    rows = []
    for k in range(y.numel()):
        seed = np.zeros(y._shape, y.dtype)
        seed.reshape(-1)[k] = 1
        rows.append(_gradients(call, y, wrap(seed)))
    return [structure.reshape(structure.stack([row[i] for row in rows]), *y._shape, *x._shape)
            for i, x in enumerate(call.leaves)]


def _is_alone(tape):
    """Whether nothing on the tape comes from another one, or from Python."""
    return not tape.hosts and not any(isinstance(target, Link) for _, target, _ in tape.inputs)


def _forward_jacobian(leaves, y):
    """A tangent sweep for each input."""
    tape, end = y._tape, y._index
    tape.evaluate()
    tape.close()
    entries = [[i for i, target, _ in tape.inputs if target is x] for x in leaves]
    blocks = [np.zeros((y.numel(), x.numel()), x.dtype) for x in leaves]
    words = tape.buffers.words[:end + 1]
    with tape.buffers.lock:
        tape.buffers.allow_adjoints()
        for places, block in zip(entries, blocks):
            for k in range(block.shape[1]):
                for i in places:
                    tangent = tape.adjoint(i)
                    tangent[...] = 0
                    tangent[k] = 1
                    words[i] |= np.uint16(TOUCHED)
                _sweep_tangents(tape, end + 1)
                if words[end] & TOUCHED:
                    block[:, k] = tape.adjoint(end)
                words &= np.uint16(0xFFFF ^ TOUCHED)
        tape.buffers.drop_adjoints()
    return [block.reshape((*y._shape, *x._shape)) for x, block in zip(leaves, blocks)]


def _sweep_tangents(tape, stop):
    run, head, operand = sweeps.compiled(sweeps.tangent), tape.head, 0
    head[AT] = 0
    while run(tape.buffers.head_address, stop, operand) == NEEDS_KERNEL:
        kernels.need(head[CODE], head[COLUMN], tape.dtype)
        operand = head[OPERAND]


