"""What acts on arrays of variables element by element, with NumPy's rules for shapes."""
import operator

import numpy as np
from numba.core import types
from numba.core.typing.npydecl import NumpyRulesInplaceArrayOperator
from numba.extending import intrinsic
from numba.np.arrayobj import _empty_nd_impl
from numba.np.ufunc.array_exprs import RewriteArrayExprs

from .._jit import kept
from .variables import NUMBERS, Active

IN_PLACE = {operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
            operator.itruediv: operator.truediv, operator.ipow: operator.pow, operator.ifloordiv: operator.floordiv,
            operator.imod: operator.mod}


def is_active_array(x):
    """Whether a type is that of an array whose elements carry derivatives."""
    return isinstance(x, types.Array) and isinstance(x.dtype, Active)


def is_operand(x):
    """Whether it is one that may be mixed with those."""
    return isinstance(x, (Active, *NUMBERS)) or (isinstance(x, types.Array) and isinstance(x.dtype, (Active, *NUMBERS)))


def mixes_arrays(x, y):
    """Whether there is an array among two operands, and something that carries derivatives."""
    return (is_operand(x) and is_operand(y) and any(isinstance(v, types.Array) for v in (x, y))
            and any(isinstance(v, Active) or is_active_array(v) for v in (x, y)))


def made(typingctx, kind, shape):
    """The type of an array of elements of a kind, and the code that allocates it; its last argument is the shape."""
    dimensions = len(shape) if isinstance(shape, types.BaseTuple) else 1
    result = types.Array(kind, dimensions, "C")

    def codegen(context, builder, signature, arguments):
        given = arguments[-1]
        lengths, kinds = ([builder.extract_value(given, k) for k in range(dimensions)], list(shape)) if isinstance(
            shape, types.BaseTuple) else ([given], [shape])
        lengths = [context.cast(builder, length, one, types.intp) for length, one in zip(lengths, kinds)]
        return _empty_nd_impl(context, builder, result, lengths)._getvalue()
    return result, codegen


@intrinsic
def empty_of(typingctx, like, shape):
    """An array of elements of the type of `like`, not filled."""
    result, codegen = made(typingctx, like, shape)
    return result(like, shape), codegen


@intrinsic
def element_of(typingctx, x):
    """The zero of the type of an array's elements, or of a number's own."""
    kind = x.dtype if isinstance(x, types.Array) else x

    def codegen(context, builder, signature, arguments):
        return context.get_constant_null(kind)
    return kind(x), codegen


_generic = NumpyRulesInplaceArrayOperator.generic


def _generic_of_numbers(self, args, kws):
    """Numba's rule for ``x += y`` of arrays takes for granted that NumPy knows their dtypes; of others, it has nothing to say."""
    return None if any(is_active_array(x) or isinstance(x, Active) for x in args) else _generic(self, args, kws)


NumpyRulesInplaceArrayOperator.generic = _generic_of_numbers


_match = RewriteArrayExprs._match_array_expr


def _match_of_numbers(self, instruction, expression, target):
    """Numba makes one loop of an expression of arrays. With variables it would be compiled besides the loops here, which their
    types are found by, and a variable could be no operand."""
    if not any(isinstance(x, Active) or is_active_array(x) for x in (self.typemap[v.name] for v in expression.list_vars())):
        _match(self, instruction, expression, target)


RewriteArrayExprs._match_array_expr = _match_of_numbers


def each_of_one(function, x):
    return _loop(function, x)


def each_of_two(function, x, y, dtype=None):
    """`dtype`: of the results, where they carry no derivatives."""
    if function in IN_PLACE:
        return _loop(IN_PLACE[function], x, y, in_place=True)
    return _loop(function, x, y, dtype=dtype)


def _loop(function, *operands, dtype=None, in_place=False):
    """A function that applies another to the elements of arrays, which are broadcast, and to numbers: nested loops, written for
    the numbers of axes. Numba has iterators for that, of much machine code."""
    names = "xy"[:len(operands)]
    arrays = {name: kind.ndim for name, kind in zip(names, operands) if isinstance(kind, types.Array)}
    axes = max(arrays.values())
    like = next(name for name, kind in zip(names, operands) if isinstance(kind, Active) or is_active_array(kind))
    lines, indices, pad = [f"def loop({', '.join(names)}):"], {name: [] for name in arrays}, "    "
    for k in range(axes):
        lengths = []
        for name, own in arrays.items():
            if k >= axes - own:
                length = f"{name}.shape[{k - axes + own}]"
                lengths.append(length)
                lines.append(f"    {name}{k} = 0 if {length} == 1 else 1")
                indices[name].append(f"i{k} * {name}{k}")
        lines.append(f"    n{k} = {lengths[0]}" if len(lengths) == 1 else f"    n{k} = joint({', '.join(lengths)})")
    shape = "".join(f"n{k}, " for k in range(axes))
    if in_place:
        lines += ["    out = x", f"    if ({shape}) != x.shape:",
                  "        raise ValueError('the second operand is larger than the first')"]
    else:
        lines.append(f"    out = np.empty(({shape}), dtype)" if dtype else f"    out = empty_of(element_of({like}), ({shape}))")
    for k in range(axes):
        lines.append(f"{pad}for i{k} in range(n{k}):")
        pad += "    "
    elements = [f"{name}[{', '.join(indices[name])}]" if name in arrays else name for name in names]
    lines += [f"{pad}out[{', '.join(f'i{k}' for k in range(axes))}] = function({', '.join(elements)})", "    return out"]
    scope = {"np": np, "dtype": dtype, "function": function, "joint": joint, "empty_of": empty_of, "element_of": element_of}
    exec("\n".join(lines), scope)
    return scope["loop"]


@kept()
def joint(m, n):
    """The length of two axes together, of which one may be 1."""
    if m != n and m != 1 and n != 1:
        raise ValueError("operands could not be broadcast together: their lengths differ")
    return n if m == 1 else m
