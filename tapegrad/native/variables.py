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
from numba.core import cgutils, types, typing
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

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


class Tangents(types.Type):
    """Derivatives in some directions: in registers a vector, in memory so many numbers."""

    def __init__(self, lanes):
        super().__init__(f"{lanes} tangents")
        self.lanes = lanes


@register_model(Tangents)
class _TangentsModel(models.DataModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind)
        self.vector, self.numbers = ir.VectorType(ir.DoubleType(), kind.lanes), ir.ArrayType(ir.DoubleType(), kind.lanes)

    def get_value_type(self):
        return self.vector

    def get_data_type(self):
        return self.numbers

    def as_data(self, builder, value):
        made = ir.Constant(self.numbers, ir.Undefined)
        for k in range(self.numbers.count):
            made = builder.insert_value(made, builder.extract_element(value, ir.IntType(32)(k)), k)
        return made

    def from_data(self, builder, value):
        made = ir.Constant(self.vector, ir.Undefined)
        for k in range(self.numbers.count):
            made = builder.insert_element(made, builder.extract_value(value, k), ir.IntType(32)(k))
        return made

    def load_from_data_pointer(self, builder, ptr, align=None):
        return builder.load(builder.bitcast(ptr, self.vector.as_pointer()), align=8)

    get_argument_type, as_argument, from_argument = get_data_type, as_data, from_data
    get_return_type, as_return, from_return = get_data_type, as_data, from_data


@register_model(Variable)
class _VariableModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", kind.inner), ("slope", kind.inner), ("address", types.int64),
                                         ("tape", types.int64)])


@register_model(Dual)
class _DualModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", kind.inner), ("tangents", Tangents(kind.lanes))])


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


@lower_builtin("print_item", Active)
def _print(context, builder, signature, arguments):
    (kind,), (value,) = signature.args, arguments
    while isinstance(kind, Active):
        kind, value = kind.inner, _parts(context, builder, kind, value).value
    return context.get_function("print_item", typing.signature(types.none, kind))(builder, (value,))


# Dependence -----------------------------------------------------------------------------------------------------------

def _times(context, builder, kind, p, t):
    """p * t, and 0 where either is 0, as kernels have it: what meets a 0 on its way has no part in a derivative."""
    if isinstance(kind, Dual):
        a, b, made = _parts(context, builder, kind, p), _parts(context, builder, kind, t), _parts(context, builder, kind)
        made.value = _product(builder, a.value, b.value)
        made.tangents = _moved(builder, [(a.tangents, b.value), (b.tangents, a.value)])
        return made._getvalue()
    return _product(builder, p, t)


def _product(builder, p, t):
    """Of numbers or vectors of them. That the sign of a 0 is nobody's concern lets LLVM drop it where a partial is 1."""
    zero = ir.Constant(p.type, None)
    something = builder.and_(builder.fcmp_unordered("!=", p, zero), builder.fcmp_unordered("!=", t, zero))
    return builder.select(something, builder.fmul(p, t), zero, flags=("nsz",))


def _plus(context, builder, kind, x, y):
    if isinstance(kind, Dual):
        a, b, made = _parts(context, builder, kind, x), _parts(context, builder, kind, y), _parts(context, builder, kind)
        made.value = builder.fadd(a.value, b.value)
        made.tangents = builder.fadd(a.tangents, b.tangents)
        return made._getvalue()
    return builder.fadd(x, y)


def _moved(builder, terms):
    """The tangents of what depends on things with some tangents by some partials."""
    first, *others = [_product(builder, _repeated(builder, p, tangents.type), tangents) for tangents, p in terms]
    for other in others:
        first = builder.fadd(first, other)
    return first


def _repeated(builder, number, vector):
    """A number in all lanes of a vector."""
    lane, undefined = ir.IntType(32), ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, number, lane(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(lane, vector.count), [0] * vector.count))


@intrinsic
def chained(typingctx, z, x, p):
    """A value `z` that depends on `x` with the partial `p`."""
    def codegen(context, builder, signature, arguments):
        value, operand, p = arguments
        operand, made = _parts(context, builder, x, operand), _parts(context, builder, x)
        made.value = value
        if isinstance(x, Dual):
            made.tangents = _moved(builder, [(operand.tangents, p)])
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
        made.tangents = _moved(builder, [(_parts(context, builder, x, a).tangents, p),
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
        value, zero = arguments[0], ir.Constant(ir.DoubleType(), 0.0)
        if not isinstance(g, Dual):
            return builder.fcmp_unordered("!=", value, zero)
        parts = _parts(context, builder, g, value)
        lanes = builder.fcmp_unordered("!=", parts.tangents, ir.Constant(parts.tangents.type, None))
        bits = builder.bitcast(lanes, ir.IntType(g.lanes))
        return builder.or_(builder.fcmp_unordered("!=", parts.value, zero), builder.icmp_unsigned("!=", bits, bits.type(0)))
    return types.boolean(g), codegen


@intrinsic
def _product_of(typingctx, p, g):
    def codegen(context, builder, signature, arguments):
        return _times(context, builder, g, *arguments)
    return g(g, g), codegen


@intrinsic
def _sum_of(typingctx, x, y):
    def codegen(context, builder, signature, arguments):
        return _plus(context, builder, x, *arguments)
    return x(x, x), codegen


@kept()
def sweep(tape, like):
    """The reverse sweep. Adjoints of records are 0 behind it, so that another may follow.

    What goes to the record that comes next is carried in a register: by way of memory, a chain of records waits for each."""
    t, width = at(tape, np.int64), size_of(like)
    size, chunk, here, carried = 16 + 3 * width, t[CHUNK], t[CURSOR], zero_of(like)
    while chunk != 0:
        while here > chunk + HEADER:
            here -= size
            adjoint = here + size - width
            g, carried = _sum_of(load(adjoint, like), carried), zero_of(like)
            if _is_something(g):
                store(adjoint, zero_of(like))
                i, j, following = at(here, np.int64)[0], at(here, np.int64)[1], here - width
                by_i, by_j = _product_of(load(here + 16, like), g), _product_of(load(here + 16 + width, like), g)
                if i == following:
                    carried = by_i
                else:
                    store(i, _sum_of(load(i, like), by_i))
                if j == following:
                    carried = by_j
                else:
                    store(j, _sum_of(load(j, like), by_j))
        chunk = at(chunk, np.int64)[PREVIOUS]
        if chunk != 0:
            here = at(chunk, np.int64)[STOP]
