"""Segments of compiled functions, which leave their Jacobian on the tape instead of all that they compute.

Where a tape runs, a segment runs forward on numbers, with tangents, and each of its outputs is joined to the inputs by its row of
the Jacobian. Considered and left: to run it once more in the reverse sweep (a tape with calls, and with arguments of any type on
it): what a long loop carries on is few numbers, for which forward costs the same.
"""
import inspect

import numba
from numba.core import errors, types
from numba.extending import intrinsic, overload

from .drivers import LANES, count, driver, lanes_for, numbers_of
from .elements import empty_of, is_active_array
from .rebuild import SPECIAL, cached, options_of
from .variables import Variable, combined, value_of

REAL = Variable(types.float64)


def segment(dispatcher):
    """See tg.checkpoint: the same function, to be called from compiled code."""
    made = numba.njit(**options_of(dispatcher))(dispatcher.py_func)
    SPECIAL[made] = lambda rebuilt: _recorded(dispatcher) if rebuilt.kind == REAL else rebuilt.function(dispatcher)
    return made


@cached
def _recorded(dispatcher):
    """What stands for a segment where a tape runs."""
    function = dispatcher.py_func
    names, parameters, scope = [], [], {"numbers_of": numbers_of, "dependent": dependent}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            raise TypeError(f"{function.__name__} takes any number of arguments, or some by keyword alone, and so can't be a "
                            "segment; give it named arguments")
        names.append(name)
        default = parameter.default is not parameter.empty
        parameters.append(f"{name}=default_{name}" if default else name)
        scope[f"default_{name}"] = parameter.default

    def defined(body):
        exec(f"def segment({', '.join(parameters)}):\n" + body, scope)
        return scope["segment"]

    def implementation(*kinds):
        active = [name for name, kind in zip(names, kinds) if kind == REAL or is_active_array(kind)]
        for name, kind in zip(names, kinds):
            if name not in active and _holds_variables(kind):
                raise errors.TypingError(f"{function.__name__} can't be a segment: its argument {name} is {kind}, and it takes "
                                         "numbers and arrays")
        if not active:
            scope["run"] = dispatcher
            return defined(f"    return run({', '.join(names)})")
        arrays = any(isinstance(kind, types.Array) for name, kind in zip(names, kinds) if name in active)
        form = tuple("*" if name in active else None for name in names)
        scope["run"] = driver(dispatcher, "segment", form, LANES if arrays else lanes_for(len(active)))
        given = ", ".join(f"numbers_of({name})" if name in active else name for name in names)
        return defined(f"    value, jacobian = run({given})\n    return dependent(value, jacobian, 0, ({', '.join(active)},))")

    stub = defined("    raise TypeError('a segment is for compiled code')")
    scope["implementation"] = implementation
    overload(stub)(defined(f"    return implementation({', '.join(names)})"))
    return numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(_caller(stub, parameters, names, scope))


def _caller(stub, parameters, names, scope):
    inside = {**scope, "stub": stub}
    exec(f"def segment({', '.join(parameters)}):\n    return stub({', '.join(names)})", inside)
    return inside["segment"]


def _holds_variables(kind):
    if isinstance(kind, (types.BaseTuple, types.List)):
        return any(map(_holds_variables, kind if isinstance(kind, types.BaseTuple) else [kind.dtype]))
    return kind == REAL or is_active_array(kind)


@intrinsic
def constant(typingctx, value):
    """A number as a variable."""
    def codegen(context, builder, signature, arguments):
        return context.cast(builder, arguments[0], value, REAL)
    return REAL(value), codegen


def joined(z, row, m, inputs):
    """A variable that also depends on inputs, by the elements of a row of a Jacobian from the m-th on."""


@overload(joined)
def _joined(z, row, m, inputs):
    if not len(inputs):
        return lambda z, row, m, inputs: z
    if isinstance(inputs[0], types.Array):
        def array(z, row, m, inputs):
            for x in inputs[0].flat:
                if row[m] != 0.0:
                    z = combined(value_of(z), z, 1.0, x, row[m])
                m += 1
            return joined(z, row, m, inputs[1:])
        return array

    def number(z, row, m, inputs):
        if row[m] != 0.0:
            z = combined(value_of(z), z, 1.0, inputs[0], row[m])
        return joined(z, row, m + 1, inputs[1:])
    return number


def dependent(value, jacobian, k, inputs):
    """The numbers that a segment gave, which depend on inputs by the rows of a Jacobian from the k-th on."""


@overload(dependent)
def _dependent(value, jacobian, k, inputs):
    if isinstance(value, types.Float):
        return lambda value, jacobian, k, inputs: joined(constant(1.0 * value), jacobian[k], 0, inputs)
    if isinstance(value, types.Array) and isinstance(value.dtype, types.Float):
        def array(value, jacobian, k, inputs):
            out = empty_of(constant(0.0), value.shape)
            flat = out.reshape(-1)
            for y in value.flat:
                flat[0] = joined(constant(1.0 * y), jacobian[k], 0, inputs)
                flat, k = flat[1:], k + 1
            return out
        return array
    if isinstance(value, types.BaseTuple) and len(value):
        if len(value) == 1:
            return lambda value, jacobian, k, inputs: (dependent(value[0], jacobian, k, inputs),)
        return lambda value, jacobian, k, inputs: (dependent(value[0], jacobian, k, inputs),) + dependent(
            value[1:], jacobian, k + count(value[0]), inputs)
    return lambda value, jacobian, k, inputs: value
