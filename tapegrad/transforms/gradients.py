"""Gradients of functions that give one number."""
import functools

import numpy as np

from ..tensor.core import tracked, wrap
from .call import Call, check_function, positions, replayable, vectors
from .compiled import native
from .curvature import curvature
from .sweeping import pullback, pushforward


@replayable
def value_and_grad(function, argnums=0, has_aux=False, *, argnum=None):
    """A function that gives the value of `function` and its gradient with respect to the arguments `argnums`.

    Arguments may be numbers, arrays, Tensors, and nested lists, tuples and dicts of them; a gradient has the form of its
    argument. Arrays and numbers give arrays back (float64 for float64), Tensors give Tensors. With ``has_aux`` the function
    gives a pair, of which the second part is handed on. TypeError where the value is not one number. Transforms nest.

    >>> import numpy as np, tapegrad as tg
    >>> value, gradient = tg.value_and_grad(lambda x: (x ** 2).sum())(np.array([1.0, 2.0]))
    >>> float(value), gradient
    (5.0, array([2., 4.]))
    """
    check_function(function, "value_and_grad")
    numbers = positions(argnums, argnum)
    if compiled := native(function):
        return compiled.value_and_grad(function, numbers, has_aux)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = Call(function, numbers, arguments, keywords, has_aux)
        value = call.number("grad")
        gradient = call.structured(call.given_back(pullback((value,), call.leaves, (None,), call.graph)))
        value = call.given_back(value)
        return ((value, call.given_back(call.aux)) if has_aux else value), gradient
    return wrapper


@replayable
def grad(function, argnums=0, has_aux=False, *, argnum=None):
    """A function that gives the gradient of `function`; see :func:`value_and_grad`.

    >>> import tapegrad as tg
    >>> tg.grad(lambda x: x ** 3)(2.0)
    np.float64(12.0)
    """
    check_function(function, "grad")
    both = value_and_grad(function, argnums, has_aux, argnum=argnum)
    if compiled := native(function):
        return compiled.grad(function, positions(argnums, argnum), has_aux, both)

    @functools.wraps(both, updated=())
    def wrapper(*arguments, **keywords):
        value, gradient = both(*arguments, **keywords)
        return (gradient, value[1]) if has_aux else gradient
    return wrapper


@replayable
def elementwise_grad(function, argnums=0, *, argnum=None):
    """A function that gives the gradient of the sum of what `function` gives: of a function that works element by element, the
    derivative at each element.

    >>> import numpy as np, tapegrad as tg
    >>> tg.elementwise_grad(np.sin)(np.zeros(3))
    array([1., 1., 1.])
    """
    check_function(function, "elementwise_grad")
    numbers = positions(argnums, argnum)
    if compiled := native(function):
        return compiled.elementwise_grad(function, numbers)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = Call(function, numbers, arguments, keywords)
        ones = [wrap(np.ones(y._shape, y.dtype)) for y in call.outputs]
        return call.structured(call.given_back(pullback(call.outputs, call.leaves, ones, call.graph)))
    return wrapper


@replayable
def hvp(function, x, v):
    """The product of the Hessian of `function` at `x` with `v`, which has the form of `x`: an array for arrays, a Tensor for
    Tensors. The function gives one number. The Hessian is never made: the tangent of the gradient is its product with `v`.

    >>> import numpy as np, tapegrad as tg
    >>> tg.hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([6., 0.])
    """
    check_function(function, "hvp")
    return _product(function, 0, (x,), {}, v)


@replayable
def hessian_vector_product(function, argnum=0):
    """HIPS autograd's form of :func:`hvp`: a function of the arguments of `function` followed by the vector."""
    check_function(function, "hessian_vector_product")
    (number,), _ = positions(argnum)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        if len(arguments) < 2:
            raise TypeError("hessian_vector_product(f) takes the arguments of f and then the vector")
        return _product(function, number, arguments[:-1], keywords, arguments[-1])
    return wrapper


def _product(function, number, arguments, keywords, v):
    if compiled := native(function):
        return compiled.hvp(function, number, arguments, keywords, v)
    call = Call(function, positions(number), arguments, keywords)
    value = call.number("hvp")
    tangents = vectors(call.leaves, call.trees[0], v, "the vector")
    call.graph = call.graph or any(tracked(t) for t in tangents)
    products = None if call.graph else curvature(call.leaves, value)
    if products is not None:
        with products:
            parts = products.product([t._array() for t in tangents])
        return call.structured(call.given_back([wrap(part) for part in parts]))
    gradients = pullback((value,), call.leaves, (None,), graph=True)
    return call.structured(call.given_back(pushforward(call.leaves, tangents, gradients, call.graph)))
