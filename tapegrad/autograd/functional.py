"""``autograd.functional``: derivatives of functions of Tensors, Tensors in and out.

With ``strict=True``, zeros that stand for no dependence are a RuntimeError: where an output is not computed from an input; where
a second derivative is wanted, or the graph of a first one, and the first is not; and so on.
"""
import numpy as np

from ..tensor import structure
from ..tensor.core import Tensor, float64, interior, tracked, wrap
from ..tensor.creation import tensor
from . import modes

STRATEGIES = ("reverse-mode", "forward-mode")


def _arguments(inputs, create_graph):
    """The inputs as fresh leaves, or as they are where the result must be part of their graph. One that is no tuple or list
    stands for a tuple of one; numbers and arrays become tensors."""
    single = not isinstance(inputs, (tuple, list))
    given = [x if isinstance(x, Tensor) else tensor(x, dtype=float64) for x in ((inputs,) if single else inputs)]
    fresh = [x.clone() if create_graph and tracked(x) else x.detach().clone().requires_grad_() for x in given]
    return single, fresh


def _called(func, inputs):
    """What the function gives, and the inputs as they were before it: one that it writes into moves on to another record."""
    places = [(x._tape, x._index) if x._own is None else None for x in inputs]
    outputs = func(*inputs)
    return outputs, [x if place is None or place == (x._tape, x._index) else interior(*place, x._shape)
                     for x, place in zip(inputs, places)]


def _outputs(outputs, strict):
    """What a function gave, as a tuple, and whether it was a single tensor."""
    one = isinstance(outputs, Tensor)
    several = (outputs,) if one else tuple(outputs)
    for i, y in enumerate(several):
        if strict and not tracked(y):
            raise RuntimeError(f"output {i} of the function is independent of all its inputs, which strict=True forbids; compute "
                               "it from them by operations on tensors")
    return one, several


def _vectors(v, others, what):
    """A list of a vector, or None, for each tensor; RuntimeError where they don't fit."""
    given = [None] * len(others) if v is None else [v] if not isinstance(v, (tuple, list)) else list(v)
    if len(given) != len(others):
        raise RuntimeError(f"v has {len(given)} entries, and there are {len(others)} {what}; give one for each")
    given = [s if s is None or isinstance(s, Tensor) else tensor(s, dtype=float64) for s in given]
    for i, (s, x) in enumerate(zip(given, others)):
        if s is not None and s._shape != x._shape:
            raise RuntimeError(f"entry {i} of v has shape {s._shape}, and that of the {what} shape {x._shape}; give one of that "
                               "shape")
        if s is None and x.numel() != 1:
            raise RuntimeError(f"v is needed where {what} have more than one element, as this one of shape {x._shape}")
    return given


def _pull(outputs, inputs, seeds, create_graph, keep=None):
    """The gradients of the outputs that have any, by the inputs; None where there is none."""
    from . import grad
    pairs = [(y, s) for y, s in zip(outputs, seeds) if tracked(y)]
    if not pairs:
        return [None] * len(inputs)
    return grad([y for y, _ in pairs], inputs, [s for _, s in pairs], keep, create_graph, True)


def _zeros(x):
    return wrap(np.zeros(x._shape, x.dtype))


def _filled(gradients, inputs, strict, create_graph, what, by="input"):
    """With zeros for None; with `strict`, RuntimeError for it, and for what is no part of a graph that is wanted."""
    for i, g in enumerate(gradients if strict else ()):
        if g is None:
            raise RuntimeError(f"{what} of the function is independent of {by} {i}, which strict=True forbids; leave it out, or "
                               "take the zeros with strict=False")
        if create_graph and not tracked(g):
            raise RuntimeError(f"the derivative of {what} of the function by {by} {i} is independent of the inputs, which "
                               "strict=True forbids with create_graph=True; take it as a constant with strict=False")
    return tuple([_zeros(x) if g is None else g for x, g in zip(inputs, gradients)])


def _gradients(y, inputs, strict):
    """The gradients of a number for second derivatives; None where there is none."""
    if not isinstance(y, Tensor):
        raise RuntimeError(f"second derivatives are of functions that give one tensor, and this one gave {type(y).__name__}")
    if y.numel() != 1:
        raise RuntimeError(f"second derivatives are of functions that give one number, and this one gave shape {y.shape}")
    _outputs(y, strict)
    gradients = _filled(_pull((y,), inputs, (None,), True), inputs, strict, False, "the output")
    for i, g in enumerate(gradients if strict else ()):
        if not tracked(g):
            raise RuntimeError(f"the gradient of the function by input {i} is independent of the inputs, as that of a linear "
                               "function is, and strict=True forbids zeros for the second derivative")
    return gradients


def _check_strategy(strategy):
    if strategy not in STRATEGIES:
        raise ValueError(f"unknown strategy {strategy!r}; there are {', '.join(STRATEGIES)}")


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of ``func(*inputs)``: for each output and input a tensor of the output's shape followed by the
    input's.

    A single tensor stands for a tuple of one, on both sides. The inputs' own ``grad`` is left alone. With `strict`, an output
    that is independent of an input is a RuntimeError. `vectorize` and `strategy` say how PyTorch computes the same numbers, and
    change nothing here; :func:`tapegrad.jacobian` picks the cheaper mode.
    """
    _check_strategy(strategy)
    single, fresh = _arguments(inputs, create_graph)
    with modes.enable_grad():
        outputs, fresh = _called(func, fresh)
        one, outputs = _outputs(outputs, strict)
        result = []
        for i, y in enumerate(outputs):
            rows = []
            for k in range(y.numel()):
                seed = np.zeros(y.shape, y.dtype)
                seed.reshape(-1)[k] = 1
                rows.append(_filled(_pull((y,), fresh, (wrap(seed),), create_graph, True), fresh, strict, create_graph,
                                    f"output {i}"))
            blocks = tuple(structure.reshape(structure.stack([row[i] for row in rows]), *y.shape, *x.shape) if rows else
                           wrap(np.zeros((*y.shape, *x.shape))) for i, x in enumerate(fresh))
            result.append(blocks[0] if single else blocks)
    return result[0] if one else tuple(result)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of ``func(*inputs)``, which gives a number: for each pair of inputs a tensor of both shapes.

    With `strict`, a block of zeros that stands for no dependence is a RuntimeError. `vectorize` and `outer_jacobian_strategy`
    say how PyTorch computes the same numbers, and change nothing here.
    """
    _check_strategy(outer_jacobian_strategy)
    single = not isinstance(inputs, (tuple, list))

    def gradient(*arguments):
        gradients = _gradients(*_called(func, arguments), strict)
        return gradients[0] if single else gradients
    return jacobian(gradient, inputs, create_graph, strict)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """``func(*inputs)`` and the product of `v` with its Jacobian. With `strict`, independence of an input is a RuntimeError."""
    single, fresh = _arguments(inputs, create_graph)
    with modes.enable_grad():
        outputs, fresh = _called(func, fresh)
        one, outputs = _outputs(outputs, strict)
        seeds = _vectors(v, outputs, "outputs")
        gradients = _filled(_pull(outputs, fresh, seeds, create_graph), fresh, strict, create_graph, "the output")
    return _given(outputs, one, create_graph), gradients[0] if single else gradients


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """``func(*inputs)`` and the product of its Jacobian with `v`, by differentiating twice backward. With `strict`, independence
    of an input is a RuntimeError."""
    _, fresh = _arguments(inputs, create_graph)
    tangents = _vectors(v, fresh, "inputs")
    with modes.enable_grad():
        outputs, fresh = _called(func, fresh)
        one, outputs = _outputs(outputs, strict)
        seeds = [wrap(np.zeros(y.shape, y.dtype), True) for y in outputs]
        gradients = _filled(_pull(outputs, fresh, seeds, True), fresh, strict, False, "the output")
        products = _filled(_pull(gradients, seeds, tangents, create_graph), seeds, strict, create_graph, "the gradient", "output")
    return _given(outputs, one, create_graph), products[0] if one else products


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """``func(*inputs)``, a number, and the product of its Hessian with `v`. With `strict`, an input on which the gradient doesn't
    depend is a RuntimeError."""
    single, fresh = _arguments(inputs, create_graph)
    tangents = _vectors(v, fresh, "inputs")
    with modes.enable_grad():
        y, fresh = _called(func, fresh)
        gradients = _gradients(y, fresh, strict)
        products = _filled(_pull(gradients, fresh, tangents, create_graph), fresh, strict, create_graph, "the gradient")
    return _given((y,), True, create_graph), products[0] if single else products


vhp = hvp


def _given(outputs, one, create_graph):
    outputs = outputs if create_graph else tuple([y.detach() for y in outputs])
    return outputs[0] if one else outputs
