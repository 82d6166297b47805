"""Products with the Jacobian of a function: from the left backward (vjp), from the right forward (jvp, linearize)."""
import functools

from ..tensor.core import tracked, wrap
from ..tensor.elementwise import describe
from .call import Call, check_function, positions, replayable, vectors
from .compiled import native
from .sweeping import Tangents, pullback, pushforward, sweepable
from .trees import filled


@replayable
def vjp(function, *primals, has_aux=False):
    """The value of ``function(*primals)``, and a function that gives products of a vector with its Jacobian.

    The second takes a cotangent of the form of the value and gives a tuple: for each primal the sum, over all elements of the
    value, of cotangent times derivative, in the primal's form. It may be called any number of times. With ``has_aux`` the
    function gives a pair, and its second part is handed on as a third result.

    >>> import numpy as np, tapegrad as tg
    >>> value, pull = tg.vjp(lambda x, y: x * y, np.array([1.0, 2.0]), 3.0)
    >>> pull(np.array([1.0, 1.0]))
    (array([3., 3.]), np.float64(3.0))
    """
    check_function(function, "vjp")
    if compiled := native(function):
        return compiled.vjp(function, primals, has_aux)
    call = _call(function, primals, has_aux)
    value, pull = call.given_back(call.result), _pull(call)
    return (value, pull, call.given_back(call.aux)) if has_aux else (value, pull)


@replayable
def jvp(function, primals, tangents, has_aux=False):
    """The value of ``function(*primals)`` and its derivative in the direction of `tangents`, which has the form of `primals`.

    `primals` and `tangents` are tuples or lists, one entry for each argument. A forward sweep: it costs about as much as the
    function, whatever the number of inputs. With ``has_aux`` the function gives a pair, whose second part is a third result.

    >>> import numpy as np, tapegrad as tg
    >>> tg.jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    check_function(function, "jvp")
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"{name} is a tuple with an entry for each argument, not {describe(given)}; write jvp(f, (x,), (v,))")
    if compiled := native(function):
        return compiled.jvp(function, primals, tangents, has_aux)
    call = _call(function, primals, has_aux)
    value = call.given_back(call.result)
    tangent = _push(call, tuple(tangents))
    return (value, tangent, call.given_back(call.aux)) if has_aux else (value, tangent)


@replayable
def linearize(function, *primals):
    """The value of ``function(*primals)``, and the function that takes tangents of the primals to that of the value.

    The function is run once; each call of the second is a forward sweep over what was recorded.

    >>> import tapegrad as tg
    >>> value, push = tg.linearize(lambda x: x ** 2, 3.0)
    >>> push(1.0), push(2.0)
    (np.float64(6.0), np.float64(12.0))
    """
    check_function(function, "linearize")
    if compiled := native(function):
        return compiled.linearize(function, primals)
    call = _call(function, primals)
    sweep = None

    def push(*tangents):
        nonlocal sweep
        if call.graph or not sweepable(call.outputs):
            return _push(call, tangents)
        given = vectors(call.leaves, tuple(call.trees), tangents, "the tangents")
        if any(tracked(t) for t in given):
            return _push(call, tangents)
        sweep = sweep or Tangents(call.leaves, call.outputs)
        found = sweep.run([t._array() for t in given])
        return call.given_back(filled(call.result, [wrap(v.reshape(y._shape)) for y, v in zip(call.outputs, found)]))
    return call.given_back(call.result), push


@replayable
def make_vjp(function, argnum=0):
    """HIPS autograd's form of :func:`vjp`: a function of the arguments of `function` that gives (the product, the value)."""
    check_function(function, "make_vjp")
    numbers = positions(argnum)
    if compiled := native(function):
        return compiled.make_vjp(function, numbers)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = Call(function, numbers, arguments, keywords)
        return _pull(call), call.given_back(call.result)
    return wrapper


@replayable
def make_jvp(function, argnum=0):
    """HIPS autograd's form of :func:`jvp`: a function of the arguments of `function`, which gives a function of a tangent of one
    of them that gives (the value, its tangent)."""
    check_function(function, "make_jvp")
    numbers = positions(argnum)
    if compiled := native(function):
        return compiled.make_jvp(function, numbers)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        def push(tangent):
            call = Call(function, numbers, arguments, keywords)
            return call.given_back(call.result), _push(call, (tangent,) if call.single else tuple(tangent))
        return push
    return wrapper


def _call(function, primals, has_aux=False):
    if not primals:
        raise TypeError("there is nothing to differentiate by: give the arguments of the function")
    return Call(function, (list(range(len(primals))), False), primals, has_aux=has_aux)


def _pull(call):
    """The function that takes a cotangent of what was computed to the gradients of the leaves."""
    def pull(cotangent):
        given = vectors(call.outputs, call.result, cotangent, "the cotangent")
        graph = call.graph or any(tracked(g) for g in given)
        return call.structured(_given_back(call, pullback(call.outputs, call.leaves, given, graph, keep=True), graph))
    return pull


def _push(call, tangents):
    given = vectors(call.leaves, tuple(call.trees), tangents, "the tangents")
    graph = call.graph or any(tracked(t) for t in given)
    results = pushforward(call.leaves, given, call.outputs, graph)
    return filled(call.result, _given_back(call, results, graph))


def _given_back(call, values, graph):
    """Arrays for arrays, and Tensors of the graph where a vector was part of one."""
    return list(values) if graph else call.given_back(list(values))


__all__ = ["jvp", "linearize", "make_jvp", "make_vjp", "vjp"]
