"""Loops over many records of single numbers: instructions of four integers, executed by one jitted switch of the table's rules.

An instruction is ``number, z, x, y``: which case of the switch, and the places of the result and the operands, in elements from
the beginning of the arena that values are in, and of the one of adjoints. A row of three operands takes another instruction's
room, ``w, number of the relation, -, -``. `values` has a case for each row, `adjoints` one for each set of operands that a
derivative goes to, since those that are constants get none.
"""
import linecache
from functools import cache

import numpy as np

from .._jit import at, inlined, kernel_address, kernel_on_disk
from ..ops import BY_NAME
from ..ops.relation import holds
from ..ops.table import rebind
from . import REALS, scalar
from .makers import unless

# The frame of such a loop
CODE, STOP, VALUES, ADJOINTS = range(4)      # addresses of the instructions and the arenas, and the number of integers
WIDTH = 4                                    # integers of an instruction

# Rows that programs of numbers are made of; others are called by their addresses. Each costs compile time.
NAMES = ("add", "subtract", "multiply", "divide", "negative", "reciprocal", "power", "square", "sqrt", "abs", "maximum",
         "minimum", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "sigmoid", "softplus",
         "relu", "erf", "where")
COPY, ROWS = 0, {name: k for k, name in enumerate(NAMES, 1)}     # cases of `values`: a view of one element; a row
RELATION = len(NAMES) + 1                                        # and comparisons
BY_OPERANDS = 8                                                  # cases of `adjoints`: that times the row's, plus operands


def _used(op):
    return [k for k, partial in enumerate(op.partials) if partial is not None]


def cases(op):
    """Sets of operands, as bits, that derivatives may go to: of two, each alone as well; of three those that have any."""
    every = sum(1 << k for k in _used(op))
    return [1, 2, 3] if op.arity == 2 and every == 3 else [every]


@cache
def address(name, dtype):
    """The address of the loop `values` or `adjoints` for a dtype, compiled on first use."""
    return kernel_address(*_loop(name, dtype))


def on_disk(dtype):
    """Whether both loops need not be compiled any more."""
    return all(kernel_on_disk(*_loop(name, dtype)) for name in ("values", "adjoints"))


@cache
def _loop(name, dtype):
    """A loop as a Python function, its name, and the functions that its code depends on."""
    scope = {"__name__": __name__, "at": at, "np": np, "real": REALS[dtype], "holds": holds, "unless": unless}
    sources = [holds]
    branches = (_value_branches if name == "values" else _adjoint_branches)(scope, sources)
    lines = [f"def {name}(address):",
             "    f = at(address, np.int64)",
             f"    c, stop, v, a, p = at(f[{CODE}], np.int32), f[{STOP}], at(f[{VALUES}], real), at(f[{ADJOINTS}], real), 0",
             "    while p < stop:",
             "        n, z, x, y = c[p], c[p + 1], c[p + 2], c[p + 3]"]
    for k, (number, body) in enumerate(branches):
        lines.append(f"        {'elif' if k else 'if'} n == {number}:")
        lines += ["            " + line for line in body]
    lines.append(f"        p += {WIDTH}")
    source = "\n".join(lines) + "\n"
    file = f"<tapegrad {name} of numbers, {dtype}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    exec(compile(source, file, "exec"), scope)
    return scope[name], f"numbers-{name}-{dtype}", *sources


def _rule(scope, sources, op, rule, k=None):
    """The name of a compiled rule."""
    name = f"{op.name}_value" if k is None else f"{op.name}_{k}"
    scope[name] = inlined(rebind(rule, np=scalar))
    sources += scalar.requirements(rule)
    return name


def _loads(arity):
    return ", ".join(["v[x]", "v[y]", "v[w]"][:arity])


_THIRD = "w = c[p + 4]"


def _value_branches(scope, sources):
    yield COPY, ["v[z] = v[x]"]
    for name, number in ROWS.items():
        op = BY_NAME[name]
        rule = _rule(scope, sources, op, op.value)
        body = [f"v[z] = {rule}({_loads(op.arity)})"]
        yield number, body if op.arity < 3 else [_THIRD, "p += 4", *body]
    yield RELATION, ["v[z] = 1 if holds(c[p + 5], v[x], v[y]) else 0", "p += 4"]


def _adjoint_branches(scope, sources):
    yield COPY, ["a[x] += a[z]"]
    for name, number in ROWS.items():
        op = BY_NAME[name]
        parts = {}
        for k in _used(op):
            parts[k] = f"{_rule(scope, sources, op, op.partials[k], k)}(a[z], {_loads(op.arity)}, v[z])"
            if op.partial_needs(k):
                parts[k] = f"unless(a[z] == 0, {parts[k]})"
        for bits in cases(op):
            body = [f"a[{'xyw'[k]}] += {part}" for k, part in parts.items() if bits >> k & 1]
            yield BY_OPERANDS * number + bits, body if op.arity < 3 else [_THIRD, "p += 4", *body]
