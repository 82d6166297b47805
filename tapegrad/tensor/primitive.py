"""primitive: an elementwise operation of the user's own."""
import inspect
import itertools

from ..ops import BINARY, BY_NAME, UNARY
from ..ops.table import elementwise
from .elementwise import binary, describe, many, unary

_numbers = itertools.count(1)


def primitive(forward, partials, name=None):
    """A new elementwise operation, as a function of tensors, arrays and numbers: compiled, differentiable, to any order.

    `forward`: its value for one, two or three scalars, written with ``np``. `partials`: for each operand a function
    ``(g, x, ..., z)`` that gives `g` times the derivative by it, where `z` is the value; None for an operand without derivative.
    One function alone stands for the partial of one operand. They are compiled for scalars, and applied to tensors for higher
    derivatives, so they may use what is there for both: ``np`` functions, operators, and no branches but ``np.where``.
    `name`: what the operation is called in graphs and errors; by default that of `forward`. The table keeps it until the process
    ends. TypeError or ValueError for functions of other forms, and for a name that is taken.

    >>> import numpy as np, tapegrad as tg
    >>> cube = tg.primitive(lambda x: x * x * x, lambda g, x, z: 3 * g * x * x, name="cube")
    >>> tg.grad(cube)(2.0), tg.grad(tg.grad(cube))(2.0)
    (np.float64(12.0), np.float64(12.0))
    """
    forward = getattr(forward, "py_func", forward)
    if not inspect.isfunction(forward):
        raise TypeError(f"primitive takes a Python function of scalars, not {describe(forward)}")
    arity = _count(forward)
    if arity not in (1, 2, 3):
        raise TypeError(f"primitive takes functions of one, two or three scalars, and this one has {arity} parameters")
    partials = [partials] if callable(partials) else list(partials)
    if len(partials) != arity:
        raise ValueError(f"{len(partials)} partials were given for {arity} operands; give one for each, None where there is none")
    partials = [getattr(partial, "py_func", partial) for partial in partials]
    for k, partial in enumerate(partials):
        if partial is not None and not (inspect.isfunction(partial) and _count(partial) == arity + 2):
            raise TypeError(f"partial {k} is a function of g, the {arity} operand{'s' if arity > 1 else ''} and the result z: of "
                            f"{arity + 2} parameters; {describe(partial)} was given")
    if name is None:
        name = forward.__name__ if forward.__name__.isidentifier() else f"primitive_{next(_numbers)}"
    if name in BY_NAME:
        raise ValueError(f"there is an operation called {name!r}; give another name=")
    op = elementwise(name, forward, *partials, in_place=False)
    function = {UNARY: unary, BINARY: binary}.get(op.kind, many)(op)
    function.__doc__ = forward.__doc__ or f"{name}, an elementwise operation."
    return function


def _count(function):
    code = function.__code__
    plain = not code.co_kwonlyargcount and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return code.co_argcount if plain else -1


__all__ = ["primitive"]
