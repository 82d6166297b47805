"""Bounds for gradients, between backward and a step."""
import math

import numpy as np

from ..autograd.modes import no_grad
from ..tensor.core import Tensor, wrap
from ..tensor.elementwise import describe


def _gradients(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for p in parameters:
        if not isinstance(p, Tensor):
            raise TypeError(f"parameters are tensors, not {describe(p)}")
    return [p._grad for p in parameters if p._grad is not None]


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales the gradients of all parameters, as one vector, in place to a norm of at most `max_norm`; gives the norm before.

    `norm_type`: the p of the p-norm, or ``inf``. RuntimeError with `error_if_nonfinite` where the norm is nan or infinite.
    """
    gradients = _gradients(parameters)
    parts = [np.linalg.norm(g._array().reshape(-1), norm_type) for g in gradients if g.numel()]
    total = float(np.linalg.norm(parts, norm_type)) if parts else 0.0
    if error_if_nonfinite and not math.isfinite(total):
        raise RuntimeError(f"the norm of the gradients is {total}, so they can't be clipped; leave error_if_nonfinite away to "
                           "scale by it nevertheless")
    factor = float(max_norm) / (total + 1e-6)
    if not factor >= 1.0:
        with no_grad():
            for g in gradients:
                g.mul_(factor)
    return wrap(np.asarray(total))


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Moves the gradients of all parameters, in place and element by element, into [-clip_value, clip_value]."""
    with no_grad():
        for g in _gradients(parameters):
            g.clamp_(-float(clip_value), float(clip_value))


__all__ = ["clip_grad_norm_", "clip_grad_value_"]
