"""The op table: every operation is one row, and everything else about it is made from the row.

A row is declared by one of four functions:

``elementwise``  its value and one partial for each operand, as scalar NumPy expressions;
``linear``       a structural operation that is linear in each operand: its loops, and the operation that is its adjoint;
``operation``    anything else: its loops for the value and for each adjoint, and its partials as expressions;
``hosted``       what NumPy or SciPy compute in Python, LAPACK's above all: a function of arrays, and its adjoint as one
                 of arrays or Tensors.

In all of them `x`, `y`, `w` are the operands, `z` the result and `g` what comes in: the adjoint of `z`, or in a forward
sweep the tangent of the operand, since a partial is linear in it. Expressions are written with ``np`` and `select`. They are
compiled for scalars; applied to Tensors, they record themselves, and so give derivatives of any order. ``np`` has NumPy's
functions, SciPy's special ones, those that are written out with `scalar`, and other rows by name.
"""
import dis
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._jit import inlined

# How the sweeps find a record's operands. The first two are entries to a tape and compute nothing.
PASSIVE, ACTIVE, UNARY, BINARY, PLANNED, PLANNED_MANY, PLANNED_EACH = range(7)
HOSTED = 7                                   # of a row that no record has: a host record names it

MAX_OPS = 4096                               # 12 bits of a record's word
CODE_MASK = MAX_OPS - 1


@inlined
def select(condition, x, y):
    """`x` where the condition holds, otherwise `y`: for scalars here, ``where`` on Tensors."""
    return x if condition else y


SCALARS: dict[str, Callable] = {}            # functions of numbers with loops or branches, which rules call as np.<name>


def scalar(function):
    """Declares a function of numbers that rules call as ``np.<its name>``. It is written with ``np``, too."""
    SCALARS[function.__name__] = function
    return function


@dataclass(eq=False)
class Op:
    """A row of the table. `bodies` are what kernels are made from, by role: "forward", ("adjoint", k), ("tangent", k)."""
    name: str
    kind: int
    arity: int
    value: Callable | None = None
    partials: tuple = ()
    names: tuple = ()                        # other names that users know it by
    display: str = ""                        # what grad_fn calls it, without "Backward0"
    adjoint: "Op | str | None" = None        # of a linear operation
    bodies: dict = field(default_factory=dict)
    zero: bool = False                       # of a linear operation: whether its loop adds to zeros
    in_place: bool = True                    # whether there is a method with an underscore
    linear_in: str | None = None             # see `operation`
    domain: tuple = ()                       # intervals that tests draw operands from, (-2, 2) by default
    outputs: int = 1                         # how many results there are that have a derivative
    constants: int = 0                       # and behind them, of a hosted row, how many that have none
    saves: bool = False                      # whether a hosted row's value gives something that its adjoint on arrays uses
    reference: str = ""                      # the function of NumPy or SciPy that has its values; "" for np's of that name
    prepare: Callable | None = None          # called before a kernel is compiled or loaded
    note: str = ""                           # its convention where there is no derivative
    refused: dict = field(default_factory=dict)  # operands that can't be differentiated by: why, and what to do
    # For tests, which are made from the table:
    formula: str = ""                        # an elementwise row's value in the functions of mpmath
    kinks: dict = field(default_factory=dict)  # point -> derivatives there, by the note
    tails: tuple = ()                        # intervals that operands far out stay in, everything by default
    no_complex: str = ""                     # why there is no complex step through the reference
    no_method: str = ""                      # why the method of its name takes other arguments
    no_second: str = ""                      # why there is no second derivative by some operands
    cancels: str = ""                        # why digits of a small derivative are lost; it is right to eps, then
    code: int = -1
    _needs: tuple | None = None

    def refuse(self, k: int) -> None:
        """NotImplementedError where there is no way to differentiate by operand `k`."""
        if k in self.refused:
            raise NotImplementedError(f"{self.name} can't be differentiated by operand {k + 1}, which requires grad: "
                                      f"{self.refused[k]}")

    def partial_needs(self, k: int) -> frozenset:
        """Which values the adjoint of operand `k` reads: a subset of x, y, w, z."""
        if self.kind == HOSTED:
            return frozenset("xyw"[q] for q in self.needs if q < self.arity)
        partial = self.partials[k] if self.partials else None
        return frozenset("xywz") & loaded_names(partial) if partial is not None else frozenset()


    @property
    def needs(self) -> tuple:
        """Which values the adjoint of a hosted row reads: the places of operands, and of results behind them."""
        if self._needs is None:
            adjoint = self.bodies["adjoint",]
            names = adjoint.__code__.co_varnames[self.outputs:2 * self.outputs + self.arity]
            self._needs = tuple(k for k, name in enumerate(names) if name in loaded_names(adjoint))
        return self._needs


OPS: list[Op] = []
BY_NAME: dict[str, Op] = {}
SPELLED: dict[str, Op] = {}                  # rows of elements by every name that they have
KINDS = np.zeros(MAX_OPS, np.int8)           # by opcode; the sweeps read it


def register(op: Op) -> Op:
    """Adds a row; its opcode is its place."""
    if len(OPS) == MAX_OPS:
        raise RuntimeError(f"the op table is full: it holds {MAX_OPS} operations")
    if op.name in BY_NAME:
        raise ValueError(f"there is an operation called {op.name!r} already; choose another name")
    op.code = len(OPS)
    op.display = op.display or "".join(word.capitalize() for word in op.name.split("_"))
    KINDS[op.code] = op.kind
    OPS.append(op)
    BY_NAME[op.name] = op
    for name in (op.name, *op.names) if op.value is not None else ():
        SPELLED.setdefault(name, op)
    return op


def elementwise(name, value, *partials, **fields) -> Op:
    """A row for ``z = value(x, ...)``, element by element.

    A partial of None is of an operand that has no derivative. One that is a string is of an operand that has one, but not here:
    to differentiate by it is NotImplementedError, with the string as advice.
    """
    arity = value.__code__.co_argcount
    if len(partials) != arity:
        raise TypeError(f"{name} has {arity} operands and {len(partials)} partials; give one partial for each operand")
    kind = {1: UNARY, 2: BINARY}.get(arity, PLANNED_MANY)
    refused = {k: partial for k, partial in enumerate(partials) if isinstance(partial, str)}
    partials = tuple(None if k in refused else partial for k, partial in enumerate(partials))
    return register(Op(name, kind, arity, value, partials, refused=refused, **fields))


def linear(name, loop, adding, adjoint, *, each=False, zero=False, **fields) -> Op:
    """A row for a structural operation that moves or sums elements.

    ``loop(out, source, plan, scratch, n)`` writes the result, ``adding`` of the same form adds it to what is there; where
    the first is None, it is the second after zeros. `adjoint` names the operation whose ``adding``, from the result back
    to the operand, is this one's adjoint. `each`: any number of operands, each with a plan of its own. `zero`: `loop`
    starts from zeros, too.
    """
    op = register(Op(name, PLANNED_EACH if each else PLANNED, 1, adjoint=adjoint, **fields))
    op.bodies["forward"] = loop or adding
    op.bodies["tangent", 0] = adding
    op.zero = zero or loop is None
    return op


def operation(name, forward, adjoints, tangents, partials, seconds=(), **fields) -> Op:
    """A row whose loops are written out: ``forward(frame)``, ``adjoints[k](frame)``, ``tangents[k](frame)``.

    `partials[k]` is the same adjoint as an expression on Tensors, ``(g, x, ..., z, plan)``, for higher derivatives, and
    ``seconds[k](frame)`` adds the adjoint's tangent, where it is worth a loop of its own. It needs none if `linear_in`
    names the operands that each adjoint is linear in, and with others of what it reads it doesn't change.
    """
    arity = len(adjoints)
    op = register(Op(name, PLANNED if arity == 1 else PLANNED_MANY, arity, partials=partials, **fields))
    op.bodies["forward"] = forward
    for k in range(arity):
        op.bodies["adjoint", k], op.bodies["tangent", k] = adjoints[k], tangents[k]
    for k, body in enumerate(seconds):
        op.bodies["second", k] = body
    return op


def hosted(name, value, adjoint, *, arity=1, outputs=1, **fields) -> Op:
    """A row that is computed in Python: ``value(x, ..., **options)`` of arrays gives an array, or a tuple of `outputs`, and of
    results without derivative, which the adjoint isn't given.

    ``adjoint(g, ..., x, ..., z, ..., **options)``, of the results' adjoints (of several, those that nothing depends on are
    None), the operands and the results, gives the operands' adjoints, a tuple. It is written with NumPy's functions, and
    those that are `overridable`: of arrays it computes, of Tensors it records, and so gives derivatives of any order. An
    operand or result that it doesn't read may be overwritten. Of a row that `saves`, the value gives a pair, of which the
    second is the adjoint's option ``saved``, None on Tensors: a factor of a matrix, say.
    """
    op = register(Op(name, HOSTED, arity, outputs=outputs, in_place=False, **fields))
    op.bodies["forward"], op.bodies["adjoint",] = value, adjoint
    return op


def overridable(function: Callable) -> Callable:
    """A function of arrays that Tensors take over, by NumPy's protocol for that."""
    @functools.wraps(function)
    def wrapper(*operands, **options):
        for x in operands:
            if not isinstance(x, np.ndarray) and hasattr(x, "__array_function__"):
                return x.__array_function__(wrapper, (type(x),), operands, options)
        return function(*operands, **options)
    return wrapper


def adjoint_of(op: Op) -> Op:
    """The operation that a linear one names as its adjoint."""
    return BY_NAME[op.adjoint]


def rebind(function: Callable, **replaced: Any) -> Callable:
    """The same function with other globals: how one expression serves scalars, arrays and Tensors."""
    clone = types.FunctionType(function.__code__, {**function.__globals__, **replaced}, function.__name__,
                               function.__defaults__, function.__closure__)
    return clone


@functools.cache
def loaded_functions(function: Callable) -> frozenset:
    """The names that a function looks up in modules."""
    return frozenset(function.__code__.co_names)


@functools.cache
def loaded_names(function: Callable) -> frozenset:
    """The local names that a function reads."""
    names: set[str] = set()
    for instruction in dis.get_instructions(function):
        if instruction.opname.startswith("LOAD_FAST") and instruction.argval is not None:
            value = instruction.argval
            names.update(value if isinstance(value, tuple) else (value,))
    return frozenset(names)


# What enters a tape. Their values are given, so there is nothing to run.
CONSTANT = register(Op("constant", PASSIVE, 0, in_place=False))          # a number, kept on the tape
ARRAY = register(Op("array", PASSIVE, 0, in_place=False))                # memory outside, without derivative
INPUT = register(Op("input", ACTIVE, 0, in_place=False))                 # memory outside, with derivative
HOST = register(Op("host", ACTIVE, 0, in_place=False))                   # computed in Python, which also runs its adjoint
