"""Derivatives beside central differences."""
import warnings

import numpy as np

from ..tensor.core import FLOATS, Tensor, float64, tracked, wrap
from . import modes


class GradcheckError(RuntimeError):
    """A derivative that does not agree with the differences of the values."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_grad_dtypes=False, fast_mode=False, check_batched_grad=False, check_forward_ad=False,
              check_backward_ad=True, check_undefined_grad=True, masked=False):
    """True where the gradients of ``func(*inputs)`` agree with central differences of step `eps`.

    Inputs that require grad should be float64: with float32 the differences themselves are off. Raises GradcheckError,
    or gives False with ``raise_exception=False``, where an entry is off by more than ``atol + rtol * |difference|``.
    """
    from . import grad
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [x for x in inputs if isinstance(x, Tensor) and tracked(x)]
    if not checked:
        raise ValueError("gradcheck needs at least one input that requires grad")
    for k, x in enumerate(inputs):
        if isinstance(x, Tensor) and tracked(x) and x.dtype != float64:
            warnings.warn(f"input {k} requires grad and is {x.dtype}; gradcheck needs double precision to be "
                          "reliable", UserWarning,
                          stacklevel=2)

    def outputs():
        result = func(*inputs)
        result = result if isinstance(result, (tuple, list)) else (result,)
        return [y for y in result if isinstance(y, Tensor) and y.dtype in FLOATS]

    try:
        results = [y for y in outputs() if tracked(y)]
        for number, y in enumerate(results):
            numeric = [_differences(outputs, x, eps, len(outputs()), y) for x in checked]
            _compare(grad, y, number, checked, numeric, _position(outputs(), y, results, number), atol, rtol)
        if not results:
            for x in checked:
                for column in _columns(outputs, x, eps):
                    if any(np.abs(c).max(initial=0) > atol for c in column):
                        raise GradcheckError("no output requires grad, but the values change with the inputs")
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _position(everything, y, results, number):
    tracked_places = [k for k, out in enumerate(everything) if tracked(out)]
    return tracked_places[number]


def _columns(outputs, x, eps):
    """For each entry of x the central differences of all outputs, flat."""
    memory = x._array()
    flat = memory.reshape(-1) if memory.flags.c_contiguous else None
    for k in range(memory.size):
        place = np.unravel_index(k, memory.shape)
        kept = memory[place] if memory.shape else memory[()]
        values = []
        for step in (eps, -eps):
            _poke(x, flat, place, kept + step)
            with modes.no_grad():
                values.append([np.array(y._array(), dtype=np.float64).reshape(-1) for y in outputs()])
        _poke(x, flat, place, kept)
        yield [(a - b) / (2 * eps) for a, b in zip(*values)]


def _poke(x, flat, place, value):
    from ..tape import settle
    settle()
    x._array()[place] = value


def _differences(outputs, x, eps, count, y):
    columns = list(_columns(outputs, x, eps))
    return [np.stack([column[k] for column in columns], -1) if columns else None for k in range(count)]


def _compare(grad, y, number, checked, numeric, position, atol, rtol):
    for row in range(y.numel()):
        seed = np.zeros(y._shape, y.dtype)
        seed.reshape(-1)[row] = 1
        gradients = grad(y, checked, wrap(seed), retain_graph=True, allow_unused=True)
        for k, (x, g) in enumerate(zip(checked, gradients)):
            if g is not None and g._shape != x._shape:
                raise GradcheckError(f"the gradient with respect to input {k} has shape {g._shape}, the input "
                                     f"{x._shape}")
            analytic = np.zeros(x.numel()) if g is None else g._array().reshape(-1)
            if not x.numel():
                continue
            expected = numeric[k][position][row]
            if not np.allclose(analytic, expected, rtol, atol, equal_nan=True):
                raise GradcheckError(f"the Jacobian of output {number} by input {k} is wrong in row {row}: the "
                                     f"gradient is {analytic}, and differences of the values give {expected} "
                                     f"(atol={atol}, rtol={rtol})")


def _tracked_outputs(func, inputs):
    outputs = func(*inputs)
    return [y for y in (outputs if isinstance(outputs, (tuple, list)) else (outputs,))
            if isinstance(y, Tensor) and tracked(y)]


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True,
                  nondet_tol=0.0, gen_non_contig_grad_outputs=False, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False,
                  masked=False):
    """As :func:`gradcheck`, for the gradients of the gradients."""
    from . import grad
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    results = _tracked_outputs(func, inputs)
    if grad_outputs is None:
        random = np.random.default_rng(0)
        grad_outputs = [wrap(random.uniform(0.5, 1.5, y._shape).astype(y.dtype), True) for y in results]
    elif isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs]
    count = len(inputs)

    def first(*arguments):
        now, seeds = arguments[:count], arguments[count:]
        outputs = _tracked_outputs(func, now)
        if not outputs:                      # under no_grad, for the differences
            with modes.enable_grad():
                return first(*arguments)
        wanted = [x for x in now if isinstance(x, Tensor) and tracked(x)]
        with modes.enable_grad():
            return tuple(g for g in grad(outputs, wanted, seeds, create_graph=True, allow_unused=True) if g is not None)

    return gradcheck(first, (*inputs, *grad_outputs), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
