"""The types of what is differentiated in compiled code.

``Variable`` is for the reverse mode: a value, the address of an adjoint, and the derivative of the value by what that adjoint
belongs to. An operation on one variable makes another with the same address and a longer slope, and records nothing; only where
two variables meet is there a record (tape.py). A variable without address is a constant.

``Dual`` is for the forward mode: a value and its derivatives in some directions. A variable whose value is a dual is the forward
mode over the reverse one: its adjoints are gradients with their derivatives, that is products with the Hessian.

That a number can become a variable is all that Numba's type inference needs: ``s = 0.0`` before a loop that adds variables to
`s` makes it one.
"""
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_cast, models, register_model

from .._jit import at, kept
from .tape import CHUNK, CURSOR, HEADER, PREVIOUS, STOP, load, record, size_of, store, zero_of

NUMBERS = (types.Integer, types.Float, types.Boolean, types.IntegerLiteral, types.BooleanLiteral)


class Active(types.Type):
    """What carries a derivative; `inner` is the type of its value."""

    def __init__(self, name, inner):
        super().__init__(name)
        self.inner = inner

    def unify(self, typingctx, other):
        return self if isinstance(other, NUMBERS) else None

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, NUMBERS) else None

    def cast_python_value(self, value):
        return float(value)                  # how Numba's own code makes a zero of a type


class Variable(Active):
    def __init__(self, inner):
        super().__init__(f"differentiated({inner})", inner)


class Dual(Active):
    def __init__(self, lanes):
        super().__init__(f"float64 with {lanes} tangent{'s' if lanes != 1 else ''}", types.float64)
        self.lanes = lanes


@register_model(Variable)
class _VariableModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", kind.inner), ("slope", kind.inner), ("address", types.int64),
                                         ("tape", types.int64)])


@register_model(Dual)
class _DualModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", kind.inner), ("tangents", types.UniTuple(types.float64, kind.lanes))])


def _parts(context, builder, kind, value=None):
    return cgutils.create_struct_proxy(kind)(context, builder, value=value)


@lower_cast(types.Integer, Active)
@lower_cast(types.Float, Active)
@lower_cast(types.Boolean, Active)
@lower_cast(types.IntegerLiteral, Active)
@lower_cast(types.BooleanLiteral, Active)
def _from_number(context, builder, fromty, toty, value):
    made = _parts(context, builder, toty, context.get_constant_null(toty))
    made.value = context.cast(builder, value, fromty, toty.inner)
    return made._getvalue()


def _getter(name, result):
    def getter(typingctx, x):
        def codegen(context, builder, signature, arguments):
            return getattr(_parts(context, builder, x, arguments[0]), name)
        if isinstance(x, Active):
            return result(x)(x), codegen
        return None
    getter.__name__ = f"{name}_of"
    return intrinsic(getter)


value_of = _getter("value", lambda x: x.inner)
slope_of = _getter("slope", lambda x: x.inner)
address_of = _getter("address", lambda x: types.int64)
tape_of = _getter("tape", lambda x: types.int64)


@intrinsic
def plain(typingctx, x):
    """The number behind a value of any type."""
    inside = x
    while isinstance(inside, Active):
        inside = inside.inner

    def codegen(context, builder, signature, arguments):
        kind, value = x, arguments[0]
        while isinstance(kind, Active):
            kind, value = kind.inner, _parts(context, builder, kind, value).value
        return value
    return inside(x), codegen


@intrinsic
def variable(typingctx, value, slope, address, tape):
    kind = Variable(value)

    def codegen(context, builder, signature, arguments):
        made = _parts(context, builder, kind)
        made.value, made.slope, made.address, made.tape = arguments
        return made._getvalue()
    return kind(value, value, types.int64, types.int64), codegen


@intrinsic
def with_type_of(typingctx, x, like):
    """`x`, which may be a number, as the type of `like`."""
    def codegen(context, builder, signature, arguments):
        return context.cast(builder, arguments[0], x, like)
    return like(x, like), codegen


# Dependence -----------------------------------------------------------------------------------------------------------

def _times(context, builder, kind, p, t):
    """p * t, and 0 where either is 0, as kernels have it: what meets a 0 on its way has no part in a derivative."""
    if isinstance(kind, Dual):
        a, b, made = _parts(context, builder, kind, p), _parts(context, builder, kind, t), _parts(context, builder, kind)
        made.value = _times(context, builder, kind.inner, a.value, b.value)
        made.tangents = _moved(context, builder, kind.lanes, [(a.tangents, b.value), (b.tangents, a.value)])
        return made._getvalue()
    zero = ir.Constant(ir.DoubleType(), 0.0)
    nothing = builder.or_(builder.fcmp_ordered("==", p, zero), builder.fcmp_ordered("==", t, zero))
    return builder.select(nothing, zero, builder.fmul(p, t))


def _plus(context, builder, kind, x, y):
    if isinstance(kind, Dual):
        a, b, made = _parts(context, builder, kind, x), _parts(context, builder, kind, y), _parts(context, builder, kind)
        one = ir.Constant(ir.DoubleType(), 1.0)
        made.value = builder.fadd(a.value, b.value)
        made.tangents = _moved(context, builder, kind.lanes, [(a.tangents, one), (b.tangents, one)])
        return made._getvalue()
    return builder.fadd(x, y)


def _moved(context, builder, lanes, terms):
    """The tangents of what depends on things with some tangents by some partials."""
    total = None
    for tangents, p in terms:
        parts = [_times(context, builder, types.float64, p, builder.extract_value(tangents, k)) for k in range(lanes)]
        total = parts if total is None else [builder.fadd(x, y) for x, y in zip(total, parts)]
    made = ir.Constant(ir.ArrayType(ir.DoubleType(), lanes), ir.Undefined)
    for k, part in enumerate(total):
        made = builder.insert_value(made, part, k)
    return made


@intrinsic
def chained(typingctx, z, x, p):
    """A value `z` that depends on `x` with the partial `p`."""
    def codegen(context, builder, signature, arguments):
        value, operand, p = arguments
        operand, made = _parts(context, builder, x, operand), _parts(context, builder, x)
        made.value = value
        if isinstance(x, Dual):
            made.tangents = _moved(context, builder, x.lanes, [(operand.tangents, p)])
        else:
            made.slope = _times(context, builder, x.inner, operand.slope, p)
            made.address, made.tape = operand.address, operand.tape
        return made._getvalue()
    return x(x.inner, x, x.inner), codegen


@intrinsic
def combined(typingctx, z, x, p, y, q):
    """A value that depends on `x` and `y`: a record, if they depend on different things."""
    inner = x.inner

    def of_duals(context, builder, signature, arguments):
        value, a, p, b, q = arguments
        made = _parts(context, builder, x)
        made.value = value
        made.tangents = _moved(context, builder, x.lanes, [(_parts(context, builder, x, a).tangents, p),
                                                           (_parts(context, builder, x, b).tangents, q)])
        return made._getvalue()

    def of_variables(context, builder, signature, arguments):
        value, a, p, b, q = arguments
        a, b, made = _parts(context, builder, x, a), _parts(context, builder, x, b), _parts(context, builder, x)
        none = ir.Constant(ir.IntType(64), 0)
        slope_x, slope_y = _times(context, builder, inner, a.slope, p), _times(context, builder, inner, b.slope, q)
        by_x, by_y = builder.icmp_signed("!=", a.address, none), builder.icmp_signed("!=", b.address, none)
        apart = builder.and_(builder.and_(by_x, by_y), builder.icmp_signed("!=", a.address, b.address))
        made.value = value
        with builder.if_else(apart, likely=True) as (then, otherwise):
            with then:
                made.tape = a.tape
                made.address = _call(context, builder, record, [types.int64, types.int64, inner, types.int64, inner],
                                     [a.tape, a.address, slope_x, b.address, slope_y])
                made.slope = context.cast(builder, context.get_constant(types.float64, 1.0), types.float64, inner)
            with otherwise:
                zero = context.get_constant_null(inner)
                made.slope = _plus(context, builder, inner, builder.select(by_x, slope_x, zero),
                                   builder.select(by_y, slope_y, zero))
                made.address = builder.select(by_x, a.address, b.address)
                made.tape = builder.select(by_x, a.tape, b.tape)
        return made._getvalue()
    return x(inner, x, inner, x, inner), of_duals if isinstance(x, Dual) else of_variables


def _call(context, builder, dispatcher, kinds, arguments):
    """A call of a compiled function from code that is being made."""
    function = types.Dispatcher(dispatcher)
    signature = function.get_call_type(context.typing_context, kinds, {})
    implementation = context.get_function(function, signature)
    return implementation(builder, arguments)


# The reverse sweep ----------------------------------------------------------------------------------------------------

@intrinsic
def _is_something(typingctx, g):
    """Whether an adjoint is not 0."""
    def codegen(context, builder, signature, arguments):
        if not isinstance(g, Dual):
            return builder.fcmp_unordered("!=", arguments[0], ir.Constant(ir.DoubleType(), 0.0))
        parts = _parts(context, builder, g, arguments[0])
        found = builder.fcmp_unordered("!=", parts.value, ir.Constant(ir.DoubleType(), 0.0))
        for k in range(g.lanes):
            t = builder.extract_value(parts.tangents, k)
            found = builder.or_(found, builder.fcmp_unordered("!=", t, ir.Constant(ir.DoubleType(), 0.0)))
        return found
    return types.boolean(g), codegen


@intrinsic
def _add_product(typingctx, address, g, p):
    """Adds p * g to the adjoint at an address."""
    def codegen(context, builder, signature, arguments):
        address, incoming, partial = arguments
        pointer = builder.inttoptr(address, context.get_data_type(g).as_pointer())
        there = context.unpack_value(builder, g, pointer)
        total = _plus(context, builder, g, there, _times(context, builder, g, partial, incoming))
        context.pack_value(builder, g, total, pointer)
        return context.get_dummy_value()
    return types.void(types.int64, g, g), codegen


@kept()
def sweep(tape, like):
    """The reverse sweep. Adjoints of records are 0 behind it, so that another may follow."""
    t, width = at(tape, np.int64), size_of(like)
    size, chunk, here = 16 + 3 * width, t[CHUNK], t[CURSOR]
    while chunk != 0:
        while here > chunk + HEADER:
            here -= size
            adjoint = here + 16 + 2 * width
            g = load(adjoint, like)
            if _is_something(g):
                store(adjoint, zero_of(like))
                _add_product(at(here, np.int64)[0], g, load(here + 16, like))
                _add_product(at(here, np.int64)[1], g, load(here + 16 + width, like))
        chunk = at(chunk, np.int64)[PREVIOUS]
        if chunk != 0:
            here = at(chunk, np.int64)[STOP]
