"""``autograd.functional``: derivatives of functions of Tensors, Tensors in and out."""
import numpy as np

from ..tensor import structure
from ..tensor.core import Tensor, float64, tracked, wrap
from ..tensor.creation import tensor
from . import modes


def _arguments(inputs, create_graph):
    """The inputs as fresh leaves, or as they are where the result must be part of their graph. One that is no tuple or list
    stands for a tuple of one; numbers and arrays become tensors."""
    single = not isinstance(inputs, (tuple, list))
    given = [x if isinstance(x, Tensor) else tensor(x, dtype=float64) for x in ((inputs,) if single else inputs)]
    fresh = [x.clone() if create_graph and tracked(x) else x.detach().clone().requires_grad_() for x in given]
    return single, fresh


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """The Jacobian of ``func(*inputs)``: for each output and input a tensor of the output's shape followed by the
    input's.

    A single tensor stands for a tuple of one, on both sides. The inputs' own ``grad`` is left alone.
    """
    from . import grad
    single, fresh = _arguments(inputs, create_graph)
    with modes.enable_grad():
        outputs = func(*fresh)
        one = isinstance(outputs, Tensor)
        result = []
        for y in (outputs,) if one else outputs:
            rows = []
            for k in range(y.numel()):
                seed = np.zeros(y.shape, y.dtype)
                seed.reshape(-1)[k] = 1
                rows.append(grad(y, fresh, wrap(seed), True, create_graph, True, materialize_grads=True)
                            if tracked(y) else tuple(wrap(np.zeros(x.shape, x.dtype)) for x in fresh))
            blocks = tuple(structure.reshape(structure.stack([row[i] for row in rows]), *y.shape, *x.shape) if rows else
                           wrap(np.zeros((*y.shape, *x.shape))) for i, x in enumerate(fresh))
            result.append(blocks[0] if single else blocks)
    return result[0] if one else tuple(result)


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """The Hessian of ``func(*inputs)``, which gives a number: for each pair of inputs a tensor of both shapes."""
    from . import grad
    single = not isinstance(inputs, (tuple, list))

    def gradient(*arguments):
        y = func(*arguments)
        if y.numel() != 1:
            raise RuntimeError(f"the Hessian is of functions that give one number, and this one gave shape {y.shape}")
        gradients = grad(y, arguments, create_graph=True, allow_unused=True, materialize_grads=True)
        return gradients[0] if single else gradients
    return jacobian(gradient, inputs, create_graph)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """``func(*inputs)`` and the product of `v` with its Jacobian."""
    from . import grad
    single, fresh = _arguments(inputs, create_graph)
    with modes.enable_grad():
        outputs = func(*fresh)
        gradients = grad(outputs, fresh, v, create_graph=create_graph, allow_unused=True, materialize_grads=True)
    return outputs if create_graph else _detached(outputs), gradients[0] if single else gradients


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """``func(*inputs)`` and the product of its Jacobian with `v`, by differentiating twice backward."""
    from . import grad
    _, fresh = _arguments(inputs, create_graph)
    with modes.enable_grad():
        outputs = func(*fresh)
        one = isinstance(outputs, Tensor)
        seeds = [wrap(np.zeros(y.shape, y.dtype), True) for y in ((outputs,) if one else outputs)]
        gradients = grad(outputs, fresh, seeds, create_graph=True, allow_unused=True, materialize_grads=True)
        given = [None] * len(fresh) if v is None else [v] if isinstance(v, Tensor) else list(v)
        pairs = [(g, s) for g, s in zip(gradients, given) if tracked(g)]
        if pairs:
            products = grad([g for g, _ in pairs], seeds, [s for _, s in pairs], create_graph=create_graph,
                            allow_unused=True, materialize_grads=True)
        else:
            products = tuple(wrap(np.zeros(s.shape, s.dtype)) for s in seeds)
    return outputs if create_graph else _detached(outputs), products[0] if one else products


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """``func(*inputs)``, a number, and the product of its Hessian with `v`."""
    from . import grad
    single, fresh = _arguments(inputs, True) if create_graph else _arguments(inputs, False)
    with modes.enable_grad():
        y = func(*fresh)
        gradients = grad(y, fresh, create_graph=True, allow_unused=True, materialize_grads=True)
        given = [None] * len(fresh) if v is None else [v] if isinstance(v, Tensor) else list(v)
        pairs = [(g, s) for g, s in zip(gradients, given) if tracked(g)]
        if pairs:
            products = grad([g for g, _ in pairs], fresh, [s for _, s in pairs], create_graph=create_graph,
                            allow_unused=True, materialize_grads=True)
        else:
            products = tuple(wrap(np.zeros(x.shape, x.dtype)) for x in fresh)
    return y if create_graph else _detached(y), products[0] if single else products


vhp = hvp


def _detached(outputs):
    return outputs.detach() if isinstance(outputs, Tensor) else tuple(y.detach() for y in outputs)
