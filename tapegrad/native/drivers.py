"""Compiled functions that differentiate a compiled function: each runs it on variables, and gives arrays of numbers.

A driver's source is made for the form of the arguments; its machine code is made, by Numba, for their types. Arguments that are
differentiated by come as their leaves: numbers and arrays.
"""
import itertools
import linecache
import weakref

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

from .._jit import patient
from .caches import kept_as
from .elements import empty_of, is_active_array
from .operations import is_number
from .rebuild import Rebuilt, cached, kept_with
from .tape import acquire, load, release, rewind, store, zero_of
from .variables import Active, Dual, Variable, _call, _parts, address_of, plain, slope_of, sweep, value_of, with_type_of

LANES = 8                                    # directions that a forward run carries at once: an AVX-512 register, or two of AVX2
ALL = 16                                     # of a run that carries all there are: it costs less than a run backward, or two of 8



def lanes_for(n):
    """How many directions to carry at once: a power of 2, so that few kinds of machine code are made."""
    return 1 << max(n - 1, 0).bit_length() if n <= ALL else LANES


# Into the function ----------------------------------------------------------------------------------------------------

@intrinsic(prefer_literal=True)
def zero_dual(typingctx, lanes):
    """A dual that is 0, with as many tangents as a literal says."""
    kind = Dual(lanes.literal_value)

    def codegen(context, builder, signature, arguments):
        return context.get_constant_null(kind)
    return kind(lanes), codegen


@intrinsic
def put_tangents(typingctx, x, row, m):
    """Writes the tangents of a dual into a row of numbers, one after the other in memory, from the m-th on, as many as there is
    room for."""
    def codegen(context, builder, signature, arguments):
        tangents = _parts(context, builder, x, arguments[0]).tangents
        array = make_array(row)(context, builder, arguments[1])
        (length,) = cgutils.unpack_tuple(builder, array.shape, 1)
        for k in range(x.lanes):
            place = builder.add(arguments[2], context.get_constant(types.intp, k))
            with builder.if_then(builder.icmp_signed("<", place, length)):
                builder.store(builder.extract_element(tangents, ir.IntType(32)(k)), builder.gep(array.data, [place]))
        return context.get_dummy_value()
    return types.void(x, row, m), codegen


@intrinsic
def raised(typingctx, x, how, m):
    """The value of leaf element `m` as `how` says: a number (None), with a tangent from a vector's data, or from (dual, k) with
    the unit tangents of the elements from `k` on."""
    if isinstance(how, types.NoneType):
        def codegen(context, builder, signature, arguments):
            return arguments[0]
        return types.float64(types.float64, how, types.int64), codegen
    kind = Dual(1) if isinstance(how, types.Array) else how[0]

    def codegen(context, builder, signature, arguments):
        made = _parts(context, builder, kind)
        made.value, given, m = arguments
        lane, vector = ir.IntType(32), ir.VectorType(ir.DoubleType(), kind.lanes)
        if isinstance(how, types.Array):
            t = builder.load(builder.gep(make_array(how)(context, builder, given).data, [m]))
            made.tangents = builder.insert_element(ir.Constant(vector, ir.Undefined), t, lane(0))
            return made._getvalue()
        here, tangents = builder.sub(m, builder.extract_value(given, 1)), ir.Constant(vector, None)
        for k in range(kind.lanes):
            unit = builder.uitofp(builder.icmp_signed("==", here, context.get_constant(types.int64, k)), ir.DoubleType())
            tangents = builder.insert_element(tangents, unit, lane(k))
        made.tangents = tangents
        return made._getvalue()
    return kind(types.float64, how, types.int64), codegen


@intrinsic
def placed(typingctx, value, adjoints, m, tape):
    """As it is in a forward run; a variable with the address of adjoint `m` in a reverse one."""
    kind = value if isinstance(adjoints, types.NoneType) else Variable(value)

    def codegen(context, builder, signature, arguments):
        if kind is value:
            return arguments[0]
        made = _parts(context, builder, kind)
        made.value, given, m, made.tape = arguments
        made.slope = context.cast(builder, context.get_constant(types.float64, 1.0), types.float64, value)
        data = make_array(adjoints)(context, builder, given).data
        made.address = builder.ptrtoint(builder.gep(data, [m]), ir.IntType(64))
        return made._getvalue()
    return kind(value, adjoints, types.int64, types.int64), codegen


def entered(a, how, offset, adjoints, tape):
    """A leaf as the function gets it. Its elements are those from `offset` on."""


@overload(entered)
def _entered(a, how, offset, adjoints, tape):
    if isinstance(a, types.Array):
        def vector(a, how, offset, adjoints, tape):
            out = empty_of(placed(raised(0.0, how, 0), adjoints, 0, tape), len(a))
            for m in range(len(a)):
                out[m] = placed(raised(a[m], how, offset + m), adjoints, offset + m, tape)
            return out

        def array(a, how, offset, adjoints, tape):
            out = empty_of(placed(raised(0.0, how, 0), adjoints, 0, tape), a.shape)
            flat, m = out.reshape(-1), 0
            for x in a.flat:
                flat[m] = placed(raised(x, how, offset + m), adjoints, offset + m, tape)
                m += 1
            return out
        return vector if a.ndim == 1 else array
    return lambda a, how, offset, adjoints, tape: placed(raised(a, how, offset), adjoints, offset, tape)


@intrinsic
def readonly(typingctx, x):
    """The same, where it is an array as one that can't be written to."""
    kind = x.copy(readonly=True) if isinstance(x, types.Array) else x

    def codegen(context, builder, signature, arguments):
        return impl_ret_borrowed(context, builder, kind, arguments[0])
    return kind(x), codegen


def entered_to_read(a, how, offset, adjoints, tape):
    """A leaf as a segment gets it: what it wrote to a copy would be lost."""


@overload(entered_to_read)
def _entered_to_read(a, how, offset, adjoints, tape):
    return lambda a, how, offset, adjoints, tape: readonly(entered(a, how, offset, adjoints, tape))


@intrinsic
def guarded(typingctx, function, tape, arguments):
    """Calls the function. Where it raises, its tape goes back, and the exception on."""
    signature = function.get_call_type(typingctx, tuple(arguments), {})
    kinds = list(signature.args)

    def codegen(context, builder, outer, given):
        _, tape, values = given
        compiled = function.dispatcher.overloads[signature.args]
        context.add_linking_libs([compiled.library])
        values = [context.cast(builder, builder.extract_value(values, k), one, kind)
                  for k, (one, kind) in enumerate(zip(arguments, kinds))]
        target = context.declare_function(builder.module, compiled.fndesc)
        status, result = context.call_conv.call_function(builder, target, signature.return_type, signature.args, values)
        with builder.if_then(status.is_error, likely=False):
            with builder.if_then(builder.icmp_signed("!=", tape, ir.Constant(tape.type, 0))):
                _call(context, builder, release, [types.int64], [tape])
            context.call_conv.return_status_propagate(builder, status)
        return result
    return signature.return_type(function, types.int64, arguments), codegen


# Out of the function --------------------------------------------------------------------------------------------------

def numbers_of(z):
    """What the function gave, of numbers."""


def count(z):
    """How many numbers there are in what the function gave."""


def seed(z, cotangents, k, adjoints):
    """Adds cotangents, from the k-th on, to the adjoints of what the function gave."""


def one_number(z):
    """What the function gave, if it is one number."""


@overload(one_number, inline="always")
def _one_number(z):
    if isinstance(z, Active) or is_number(z):
        return lambda z: z
    raise errors.TypingError("the function gives more than one number")


def fill(z, jacobian, k, m):
    """Writes the tangents of what the function gave into rows from `k` and columns from `m` on."""


@overload(numbers_of)
def _numbers_of(z):
    if isinstance(z, Active):
        return lambda z: plain(z)
    if is_active_array(z):
        def array(z):
            out = np.empty(z.shape)
            flat, m = out.reshape(-1), 0
            for x in z.flat:
                flat[m] = plain(x)
                m += 1
            return out
        return array
    if isinstance(z, types.BaseNamedTuple):
        form, n = z.instance_class, len(z)
        return lambda z: form(*numbers_of(z[0:n]))
    if isinstance(z, types.BaseTuple) and len(z):
        if len(z) == 1:
            return lambda z: (numbers_of(z[0]),)
        return lambda z: (numbers_of(z[0]),) + numbers_of(z[1:])
    if isinstance(z, types.List):
        return lambda z: [numbers_of(x) for x in z]
    return lambda z: z


def _is_result(z):
    return isinstance(z, (Active, types.Array)) or is_number(z)


@overload(count)
def _count(z):
    if isinstance(z, types.Array):
        return lambda z: z.size
    if isinstance(z, types.BaseTuple) and len(z):
        return lambda z: count(z[0]) + count(z[1:])
    if isinstance(z, types.List):
        def total(z):
            n = 0
            for x in z:
                n += count(x)
            return n
        return total
    n = 1 if _is_result(z) else 0
    return lambda z: n


@overload(seed)
def _seed(z, cotangents, k, adjoints):
    if isinstance(z, Variable):
        def number(z, cotangents, k, adjoints):
            address = address_of(z)
            if address != 0:
                like = value_of(z)
                store(address, load(address, like) + with_type_of(cotangents[k], like) * slope_of(z))
        return number
    if is_active_array(z) or isinstance(z, types.List):
        def array(z, cotangents, k, adjoints):
            for x in z.flat:
                seed(x, cotangents, k, adjoints)
                k += 1

        def of_list(z, cotangents, k, adjoints):
            for x in z:
                seed(x, cotangents, k, adjoints)
                k += count(x)
        return array if is_active_array(z) else of_list
    if isinstance(z, types.BaseTuple) and len(z):
        def each(z, cotangents, k, adjoints):
            seed(z[0], cotangents, k, adjoints)
            seed(z[1:], cotangents, k + count(z[0]), adjoints)
        return each
    return lambda z, cotangents, k, adjoints: None


@overload(fill)
def _fill(z, jacobian, k, m):
    if isinstance(z, Dual):
        return lambda z, jacobian, k, m: put_tangents(z, jacobian[k], m)
    if is_active_array(z) or isinstance(z, types.List):
        def array(z, jacobian, k, m):
            for x in z.flat:
                fill(x, jacobian, k, m)
                k += 1

        def of_list(z, jacobian, k, m):
            for x in z:
                fill(x, jacobian, k, m)
                k += count(x)
        return array if is_active_array(z) else of_list
    if isinstance(z, types.BaseTuple) and len(z):
        def each(z, jacobian, k, m):
            fill(z[0], jacobian, k, m)
            fill(z[1:], jacobian, k + count(z[0]), m)
        return each

    def nothing(z, jacobian, k, m):
        jacobian[k:k + count(z), m:] = 0
    return nothing


def part(gradient, offset, a):
    """The part of a leaf in a gradient, in its form."""


@overload(part)
def _part(gradient, offset, a):
    if isinstance(a, types.Array):
        if a.dtype == types.float32:
            return lambda gradient, offset, a: gradient[offset:offset + a.size].reshape(a.shape).astype(np.float32)
        return lambda gradient, offset, a: gradient[offset:offset + a.size].reshape(a.shape)
    if a == types.float32:
        return lambda gradient, offset, a: np.float32(gradient[offset])
    return lambda gradient, offset, a: gradient[offset]


def zero_array(like, n):
    """Adjoints, 0 to begin with."""


@overload(zero_array)
def _zero_array(like, n):
    def made(like, n):
        out = empty_of(like, n)
        for i in range(n):
            out[i] = zero_of(like)
        return out
    return made


# Drivers --------------------------------------------------------------------------------------------------------------

_SOURCES = {
    # value and gradient
    "gradient": """
    tape = acquire()
    g = zero_array(0.0, n)
    z = guarded(function, tape, ({arguments}))
    value, y = numbers_of(z), one_number({y})
    seed(y, (1.0,), 0, g)
    sweep(tape, 0.0)
    release(tape)
    return value, {parts}
""",
    # the value and the product of a vector with the Jacobian
    "pullback": """
    tape = acquire()
    g = zero_array(0.0, n)
    z = guarded(function, tape, ({arguments}))
    value, y = numbers_of(z), {y}
    seed(y, extra, 0, g)
    sweep(tape, 0.0)
    release(tape)
    return value, {parts}
""",
    # the value and the Jacobian, (outputs, inputs), by rows
    "rows": """
    tape = acquire()
    g = zero_array(0.0, n)
    z = guarded(function, tape, ({arguments}))
    value, y = numbers_of(z), {y}
    m = count(y)
    jacobian, unit = np.empty((m, n)), np.zeros(m)
    for k in range(m):
        unit[k] = 1.0
        seed(y, unit, 0, g)
        unit[k] = 0.0
        sweep(tape, 0.0)
        for i in range(n):
            jacobian[k, i] = g[i]
            g[i] = 0.0
    release(tape)
    return value, jacobian
""",
    # the same by columns, some at once
    "columns": """
    tape, g, like = 0, None, zero_dual({lanes})
    how = (like, 0)
    z = guarded(function, tape, ({arguments}))
    value, y = numbers_of(z), {y}
    jacobian = np.empty((count(y), n))
    fill(y, jacobian, 0, 0)
    for k in range({lanes}, n, {lanes}):
        how = (like, k)
        z = guarded(function, tape, ({arguments}))
        fill({y}, jacobian, 0, k)
    return value, jacobian
""",
    # the same into a matrix
    "into": """
    tape, g, like = 0, None, zero_dual({lanes})
    how = (like, 0)
    z = guarded(function, tape, ({arguments}))
    if count({y}) != len(extra):
        raise ValueError("the function gives more numbers for one sample than for another")
    value = numbers_of(z)
    fill({y}, extra, 0, 0)
    for k in range({lanes}, n, {lanes}):
        how = (like, k)
        z = guarded(function, tape, ({arguments}))
        fill({y}, extra, 0, k)
    return value
""",
    # value and gradient by one run forward
    "ahead": """
    tape, g, how = 0, None, (zero_dual({lanes}), 0)
    z = guarded(function, tape, ({arguments}))
    row = np.empty((1, n))
    fill(one_number({y}), row, 0, 0)
    value, g = numbers_of(z), row[0]
    return value, {parts}
""",
    # the value and the product of the Jacobian with a vector
    "pushforward": """
    tape, g, how = 0, None, extra
    z = guarded(function, tape, ({arguments}))
    value, y = numbers_of(z), {y}
    product = np.empty((count(y), 1))
    fill(y, product, 0, 0)
    return value, product
""",
    # the gradient and the Hessian, some columns at once
    "hessian": """
    tape, like = acquire(), zero_dual({lanes})
    g = zero_array(like, n)
    hessian = np.empty((n, n))
    for k in range(0, n, {lanes}):
        how = (like, k)
        z = guarded(function, tape, ({arguments}))
        seed(one_number({y}), (1.0,), 0, g)
        sweep(tape, like)
        for i in range(n):
            fill(g[i], hessian, i, k)
            g[i] = like
        rewind(tape)
    release(tape)
    return hessian
""",
    # the product of a vector with the Hessian of the outputs weighed by cotangents
    "product": """
    tape, like, how = acquire(), zero_dual(1), extra
    g = zero_array(like, n)
    z = guarded(function, tape, ({arguments}))
    if count(z) != len(cotangents):
        raise ValueError("the function gives more than one number")
    seed(z, cotangents, 0, g)
    sweep(tape, like)
    release(tape)
    product = np.empty((n, 1))
    for i in range(n):
        fill(g[i], product, i, 0)
    return product
""",
}
_SOURCES["segment"] = _SOURCES["columns"]
_TYPES = {**dict.fromkeys(("gradient", "pullback", "rows"), lambda lanes: Variable(types.float64)),
          **dict.fromkeys(("columns", "segment", "into", "ahead"), Dual), "pushforward": lambda lanes: Dual(1),
          "hessian": lambda lanes: Variable(Dual(lanes)), "product": lambda lanes: Variable(Dual(1))}


def type_of(mode, lanes):
    """What a mode differentiates with."""
    return _TYPES[mode](lanes)


@cached
def rebuilt(kind):
    """The functions that were made anew for a kind of variables."""
    return Rebuilt(kind)


# What drivers call
_SCOPE = {"__name__": __name__, "np": np, "acquire": acquire, "count": count, "entered": entered, "fill": fill,
          "guarded": guarded, "numbers_of": numbers_of, "one_number": one_number, "part": part, "release": release,
          "rewind": rewind, "seed": seed, "sweep": sweep, "zero_array": zero_array, "zero_dual": zero_dual}


_numbers = itertools.count()


@kept_with
def driver(dispatcher, mode, form, lanes=1, has_aux=False):
    """The compiled function for a mode; `form` has for each argument its tree of leaves, or None where it isn't differentiated.

    It takes the leaves and the other arguments as they come, and then the vectors that its mode asks for. With `has_aux` it is
    the first of what the function gives that is differentiated."""
    kind = type_of(mode, lanes)
    how = "None" if kind == Variable(types.float64) else "how"
    given, arguments, leaves = [], [], []
    scope = {**_SCOPE, "function": rebuilt(kind).function(dispatcher)}
    if mode == "segment":
        scope["entered"] = entered_to_read
    for p, tree in enumerate(form):
        if tree is None:
            given.append(f"p{p}")
            arguments.append(f"p{p}")
        else:
            arguments.append(_written(tree, scope, leaves, given, how))
    name = f"{mode}_of_{dispatcher.py_func.__name__}".replace("<lambda>", "lambda")
    lines = [f"def {name}({', '.join([*given, *(v for v in ('extra', 'cotangents') if v in _SOURCES[mode])])}):"]
    offset = "0"
    for k, leaf in enumerate(leaves):
        lines.append(f"    o{k} = {offset}")
        offset = f"o{k} + count({leaf})"
    lines.append(f"    n = {offset}")
    parts = ", ".join(f"part(g, o{k}, {leaf})" for k, leaf in enumerate(leaves))
    source = "\n".join(lines) + _SOURCES[mode].format(arguments="".join(f"{a}, " for a in arguments), parts=f"({parts},)",
                                                      lanes=lanes, y="z[0]" if has_aux else "z")
    file = f"<tapegrad {name} {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)
    made = patient(numba.njit(nogil=True, error_model="numpy")(scope[name]))
    weakref.finalize(made, linecache.cache.pop, file, None)
    return kept_as(dispatcher, made, source, str(kind))


def _written(tree, scope, leaves, given, how):
    """The expression for an argument: its leaves, entered. A tree is "*", or its type followed by its parts."""
    if tree == "*":
        name, k = f"l{len(leaves)}", len(leaves)
        leaves.append(name)
        given.append(name)
        return f"entered({name}, {how}, o{k}, g, tape)"
    kind, *parts = tree
    inside = "".join(_written(part, scope, leaves, given, how) + ", " for part in parts)
    if kind == "list":
        return f"[{inside}]"
    if kind is tuple:
        return f"({inside})"
    scope[kind.__name__] = kind              # a named tuple
    return f"{kind.__name__}({inside})"


def compiled_around(run, parameters, arguments, result):
    """A compiled function that calls a driver and gives an expression of what was ``found``."""
    source = f"def derivative({', '.join(parameters)}):\n    found = run({', '.join(arguments)})\n    return {result}\n"
    scope = {"run": run}
    exec(compile(source, "<tapegrad derivative>", "exec"), scope)
    return patient(numba.njit(nogil=True, error_model="numpy")(scope["derivative"]))
