"""Jacobians and Hessians: the output's shape followed by the argument's."""
import functools

import numpy as np

from ..tensor import structure
from ..tensor.core import wrap
from .call import Call, check_function, positions, replayable
from .compiled import native
from .curvature import curvature
from .sweeping import Tangents, pullback, pushforward, sweepable
from .trees import filled


@replayable
def jacobian(function, argnums=0, has_aux=False, *, argnum=None):
    """A function that gives the Jacobian of `function`: the output's shape followed by the argument's.

    The function is run once; then the tape is swept forward for each input or backward for each output, whichever are fewer.
    Several outputs (a tuple, list or dict) give the same structure of Jacobians, several arguments a tuple in each. Arrays give
    arrays, Tensors Tensors.

    >>> import numpy as np, tapegrad as tg
    >>> tg.jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _jacobian(function, positions(argnums, argnum), has_aux, "jacobian", None)


@replayable
def jacrev(function, argnums=0, has_aux=False):
    """As :func:`jacobian`, always backward: a sweep for each element of the outputs."""
    return _jacobian(function, positions(argnums), has_aux, "jacrev", False)


@replayable
def jacfwd(function, argnums=0, has_aux=False):
    """As :func:`jacobian`, always forward: a sweep for each element of the inputs."""
    return _jacobian(function, positions(argnums), has_aux, "jacfwd", True)


@replayable
def hessian(function, argnums=0, *, argnum=None):
    """A function that gives the Hessian of `function`, which gives one number: the Jacobian of its gradient.

    Its shape is the argument's twice. For several arguments it is a tuple of tuples, for trees a tree of trees.

    >>> import numpy as np, tapegrad as tg
    >>> tg.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    check_function(function, "hessian")
    numbers = positions(argnums, argnum)
    if compiled := native(function):
        return compiled.hessian(function, numbers)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = Call(function, numbers, arguments, keywords)
        value = call.number("hessian")
        products = None if call.graph else curvature(call.leaves, value)
        if products is None:
            call.outputs = pullback((value,), call.leaves, (None,), graph=True)
            blocks = _rows(call)
        else:
            call.outputs = call.leaves
            with products:
                blocks = _columns(call, products.product)
        return call.structured([call.structured(call.given_back(row)) for row in blocks])
    return wrapper


def _jacobian(function, numbers, has_aux, name, forward):
    check_function(function, name)
    if compiled := native(function):
        return compiled.jacobian(function, numbers, has_aux, forward)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        call = Call(function, numbers, arguments, keywords, has_aux)
        inputs, outputs = (sum(x.numel() for x in tensors) for tensors in (call.leaves, call.outputs))
        ahead = inputs < outputs and not call.graph and sweepable(call.outputs) if forward is None else forward
        blocks = (_columns if ahead else _rows)(call)
        result = filled(call.result, [call.structured(call.given_back(row)) for row in blocks])
        return (result, call.given_back(call.aux)) if has_aux else result
    return wrapper


def _rows(call):
    """For each output and leaf the Jacobian, by a backward sweep for each element of the output."""
    blocks = []
    for y in call.outputs:
        rows = [pullback((y,), call.leaves, (seed,), call.graph, keep=True) for seed in _units(y)]
        blocks.append([_joined([row[k] for row in rows], (*y._shape, *x._shape), x.dtype, 0, call.graph)
                       for k, x in enumerate(call.leaves)])
    return blocks


def _columns(call, push=None):
    """The same by a forward sweep for each element of the leaves: `push` gives the tangents of the outputs for theirs."""
    zeros = [np.zeros(x._shape, x.dtype) for x in call.leaves]
    if push is None and not call.graph and sweepable(call.outputs):
        push = Tangents(call.leaves, call.outputs).run
    blocks: list = [[] for _ in call.outputs]
    for k, x in enumerate(call.leaves):
        columns = []
        for unit in _units(x):
            if push:
                columns.append([wrap(v) for v in push([*zeros[:k], unit._array(), *zeros[k + 1:]])])
            else:
                tangents = [unit if x is other else wrap(zero) for other, zero in zip(call.leaves, zeros)]
                columns.append(pushforward(call.leaves, tangents, call.outputs, call.graph))
        for j, y in enumerate(call.outputs):
            blocks[j].append(_joined([column[j] for column in columns], (*y._shape, *x._shape), y.dtype, 1, call.graph))
    return blocks


def _units(x):
    """The unit tensors of a shape."""
    unit = np.zeros(x.numel(), x.dtype)
    for k in range(unit.size):
        unit[k] = 1
        yield wrap(unit.reshape(x._shape).copy())
        unit[k] = 0


def _joined(parts, shape, dtype, axis, graph):
    """One tensor of rows (axis 0) or columns (axis 1)."""
    if not parts:
        return wrap(np.zeros(shape, dtype))
    if graph:
        return structure.reshape(structure.stack([structure.reshape(p, -1) for p in parts], axis), *shape)
    return wrap(np.stack([p._array().reshape(-1) for p in parts], axis).reshape(shape))


__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]
