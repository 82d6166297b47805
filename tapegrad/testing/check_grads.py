"""check_grads: derivatives of a function, forward and backward, against differences of its values."""
import functools

import numpy as np

from ..tensor.core import Tensor
from ..tensor.creation import tensor
from ..transforms import jvp, vjp
from ..transforms.call import check_function
from ..transforms.trees import ends, filled

STEP = 1e-6                                  # of central differences, times the size of the argument
RELATIVE = ABSOLUTE = 1e-6                   # tolerances; of a difference quotient in float64 about 1e-10 is lost to rounding


def check_grads(function, modes=("fwd", "rev"), order=2):
    """A function of the arguments of `function` that checks its derivatives there and gives None.

    Along a random direction the tangent (mode "fwd") is compared with a central difference of values, and a random product with
    the Jacobian (mode "rev") with the same difference. For ``order=2`` the derivatives are then checked as functions of
    their own, in both modes, and so on. AssertionError where something differs, with what and by how much. Arguments are numbers
    and arrays, and nested lists, tuples and dicts of them, in float64.

    >>> import numpy as np, tapegrad as tg
    >>> tg.testing.check_grads(lambda x: np.sin(x) * x, order=2)(np.array([0.5, 2.0]))
    """
    check_function(function, "check_grads")
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or set(modes) - {"fwd", "rev"}:
        raise ValueError(f"modes are 'fwd', 'rev' or both, not {modes}")
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"order is a whole number from 1, not {order!r}")

    @functools.wraps(function, updated=())
    def check(*arguments, **keywords):
        bound = functools.partial(function, **keywords) if keywords else function
        _check(bound, arguments, modes, order, getattr(function, "__name__", "the function"), np.random.default_rng(0))
    return check


def _check(function, arguments, modes, order, name, random):
    tangents = _random_like(arguments, random)
    cotangents = _random_like(_values(function, arguments), random)
    expected = _difference(function, arguments, tangents)
    for mode in modes:
        if mode == "fwd":
            _compare(ends(jvp(function, arguments, tangents)[1]), expected, f"the tangent of {name}")

            def derivative(*x):
                return jvp(function, x, tangents)[1]
        else:
            gradients = vjp(function, *arguments)[1](cotangents)
            product = _inner(ends(gradients), ends(tangents))
            _compare([product], [_inner(ends(cotangents), expected)], f"the product of a vector and the Jacobian of {name}")

            def derivative(*x):
                return vjp(function, *x)[1](cotangents)
        if order > 1:
            _check(derivative, arguments, modes, order - 1, f"the derivative ({mode}) of {name}", random)


def _values(function, arguments):
    return function(*filled(arguments, [x if isinstance(x, Tensor) else tensor(x) for x in ends(arguments)]))


def _array(value):
    return np.asarray(value.detach().numpy() if isinstance(value, Tensor) else value, np.float64)


def _random_like(tree, random):
    return filled(tree, [random.standard_normal(_array(x).shape) for x in ends(tree)])


def _difference(function, arguments, tangents):
    """The central difference of the values along a direction."""
    arrays, directions = [_array(x) for x in ends(arguments)], ends(tangents)
    step = STEP * max([1.0, *(np.abs(x).max(initial=0.0) for x in arrays)])
    sides = [[_array(y) for y in ends(_values(function, filled(arguments, [x + h * d for x, d in zip(arrays, directions)])))]
             for h in (step, -step)]
    return [(above - below) / (2 * step) for above, below in zip(*sides)]


def _inner(left, right):
    return sum(float(np.sum(_array(a) * _array(b))) for a, b in zip(left, right))


def _compare(got, expected, what):
    for k, (a, b) in enumerate(zip(got, expected)):
        a, b = _array(a), np.asarray(b)
        if not np.allclose(a, b, rtol=RELATIVE, atol=ABSOLUTE * max(1.0, np.abs(b).max(initial=0.0))):
            where = f", output {k}," if len(expected) > 1 else ""
            raise AssertionError(f"{what}{where} is {a} along a random direction, and a central difference of values gives {b}")


__all__ = ["check_grads"]
