"""LLVM's text, written instruction by instruction, and rules of the op table that write themselves.

A :class:`Value` is a number, or `lanes` of them, in a register. Arithmetic on values writes instructions, so a rule that is
called with values is written out: what it means is said once, in its row. Literals are float64, as they are to Numba, and what
they meet is computed in float64.
"""
import struct

import numpy as np

from ..._jit import libmvec, llvm, special
from ...ops.table import BY_NAME, SCALARS, loaded_functions, rebind

_BITS = {"double": 64, "float": 32}
_PURE = "nounwind willreturn memory(none)"
_LIBM = {"power": "pow", "arctan2": "atan2", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh",
         "arccosh": "acosh", "arctanh": "atanh"}
# NumPy's functions that are instructions
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint"}


class Unwritten(Exception):
    """Says what has no form in text; a kernel computes it, then."""


class Value:
    """What an instruction gave: `real` is "double" or "float", or "i1" of a comparison; `literal`: the number that it is, or
    None."""
    __slots__ = ("text", "name", "real", "lanes", "literal")
    __hash__ = None

    def __init__(self, text, name, real, lanes, literal=None):
        self.text, self.name, self.real, self.lanes, self.literal = text, name, real, lanes, literal

    @property
    def type(self):
        return vector(self.real, self.lanes)

    def __add__(self, other):
        return self.text.arithmetic("fadd", self, other)

    def __radd__(self, other):
        return self.text.arithmetic("fadd", other, self)

    def __sub__(self, other):
        return self.text.arithmetic("fsub", self, other)

    def __rsub__(self, other):
        return self.text.arithmetic("fsub", other, self)

    def __mul__(self, other):
        return self.text.arithmetic("fmul", self, other)

    def __rmul__(self, other):
        return self.text.arithmetic("fmul", other, self)

    def __truediv__(self, other):
        return self.text.arithmetic("fdiv", self, other)

    def __rtruediv__(self, other):
        return self.text.arithmetic("fdiv", other, self)

    def __neg__(self):
        return self.text.made(f"fneg {self.type} {self.name}", self.real, self.lanes)

    def __lt__(self, other):
        return self.text.compare("olt", self, other)

    def __le__(self, other):
        return self.text.compare("ole", self, other)

    def __gt__(self, other):
        return self.text.compare("ogt", self, other)

    def __ge__(self, other):
        return self.text.compare("oge", self, other)

    def __eq__(self, other):
        return self.text.compare("oeq", self, other)

    def __ne__(self, other):
        return self.text.compare("une", self, other)

    def __and__(self, other):
        return self.text.logic("and", self, other)

    def __or__(self, other):
        return self.text.logic("or", self, other)

    def __bool__(self):
        raise Unwritten("a branch")


def vector(real, lanes):
    return real if lanes == 1 else f"<{lanes} x {real}>"


def number(x):
    """A literal; LLVM writes floats by the bits of the double."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(x)))[0]:016X}"


class Text:
    """The text of one function, block by block. Equal expressions are written once.

    Every block is on the only way to the end, so what was computed earlier may be used later, in and after loops, too.
    """

    def __init__(self, module):
        self.module, self.lines = module, []
        self._count = 0
        self._known = {}
        self._rules = {}
        self._names = _Functions(self)

    def name(self, prefix="v"):
        self._count += 1
        return f"%{prefix}{self._count}"

    def line(self, text):
        self.lines.append("  " + text)

    def label(self, name):
        self.lines.append(f"{name}:")

    def new_label(self, prefix):
        self._count += 1
        return f"{prefix}{self._count}"

    def made(self, expression, real, lanes=1):
        """The value of an expression without side effects."""
        name = self._known.get(expression)
        if name is None:
            name = self._known[expression] = self.name()
            self.lines.append(f"  {name} = {expression}")
        return Value(self, name, real, lanes)

    # Values ---------------------------------------------------------------------------------------------------------

    def literal(self, x, real="double"):
        x = float(np.float32(x)) if real == "float" else float(x)
        return Value(self, number(x), real, 1, x)

    def true(self):
        return Value(self, "true", "i1", 1, 1.0)

    def value(self, x):
        """A value from a value or a number."""
        return x if type(x) is Value else self.literal(x)

    def widened(self, x, lanes):
        """The same in every lane."""
        if x.lanes == lanes:
            return x
        if x.literal is not None:
            return Value(self, f"<{', '.join([f'{x.real} {x.name}'] * lanes)}>", x.real, lanes)
        kind = vector(x.real, lanes)
        one = self.made(f"insertelement {kind} poison, {x.real} {x.name}, i32 0", x.real, lanes)
        return self.made(f"shufflevector {kind} {one.name}, {kind} poison, <{lanes} x i32> zeroinitializer", x.real, lanes)

    def converted(self, x, real):
        """As another type of number."""
        if x.real == real:
            return x
        if x.literal is not None:
            return self.literal(x.literal, real)
        how = "uitofp" if x.real == "i1" else "fpext" if real == "double" else "fptrunc"
        return self.made(f"{how} {x.type} {x.name} to {vector(real, x.lanes)}", real, x.lanes)

    def alike(self, *values):
        """Values of one type."""
        values = [self.value(x) for x in values]
        real = "double" if any(x.real != "float" for x in values) else "float"
        lanes = max(x.lanes for x in values)
        return [self.widened(self.converted(x, real), lanes) for x in values]

    def arithmetic(self, how, x, y):
        x, y = self.alike(x, y)
        return self.made(f"{how} {x.type} {x.name}, {y.name}", x.real, x.lanes)

    def compare(self, how, x, y):
        x, y = self.alike(x, y)
        return self.made(f"fcmp {how} {x.type} {x.name}, {y.name}", "i1", x.lanes)

    def logic(self, how, x, y):
        lanes = max(x.lanes, y.lanes)
        x, y = self.widened(x, lanes), self.widened(y, lanes)
        return self.made(f"{how} {x.type} {x.name}, {y.name}", "i1", lanes)

    def select(self, condition, x, y):
        x, y = self.alike(x, y)
        lanes = max(condition.lanes, x.lanes)
        condition, x, y = (self.widened(v, lanes) for v in (condition, x, y))
        return self.made(f"select {condition.type} {condition.name}, {x.type} {x.name}, {y.type} {y.name}", x.real, lanes)

    def call(self, symbol, values, real, lanes):
        """A function without side effects of values of one type each."""
        kinds = [v.type for v in values]
        self.module.declare(symbol, vector(real, lanes), kinds, _PURE)
        given = ", ".join(f"{kind} {v.name}" for kind, v in zip(kinds, values))
        return self.made(f"call {vector(real, lanes)} @{symbol}({given})", real, lanes)

    def parts(self, x, start, lanes):
        """Some lanes of a value; those that are missing repeat the others."""
        if x.lanes == 1:
            return self.widened(x, lanes)
        mask = ", ".join(f"i32 {(start + i) % x.lanes}" for i in range(lanes))
        if lanes == 1:
            return self.made(f"extractelement {x.type} {x.name}, i32 {start}", x.real)
        return self.made(f"shufflevector {x.type} {x.name}, {x.type} poison, <{lanes} x i32> <{mask}>", x.real, lanes)

    def joined(self, values):
        """Values one behind the other, of equal numbers of lanes, a power of two of them."""
        while len(values) > 1:
            values = [self._joined(x, y) for x, y in zip(values[::2], values[1::2])]
        return values[0]

    def _joined(self, x, y):
        lanes = 2 * x.lanes
        if x.lanes == 1:
            kind = vector(x.real, 2)
            first = self.made(f"insertelement {kind} poison, {x.real} {x.name}, i32 0", x.real, 2)
            return self.made(f"insertelement {kind} {first.name}, {y.real} {y.name}, i32 1", x.real, 2)
        mask = ", ".join(f"i32 {i}" for i in range(lanes))
        return self.made(f"shufflevector {x.type} {x.name}, {y.type} {y.name}, <{lanes} x i32> <{mask}>", x.real, lanes)

    def by_lanes(self, function, values, width):
        """``function`` of vectors of `width` lanes, for values of any number of lanes."""
        lanes = max(v.lanes for v in values)
        values = [self.widened(v, lanes) for v in values]
        if lanes == width:
            return function(values)
        if lanes < width:
            return self.parts(function([self.parts(v, 0, width) for v in values]), 0, lanes)
        return self.joined([function([self.parts(v, start, width) for v in values]) for start in range(0, lanes, width)])

    # Rules ----------------------------------------------------------------------------------------------------------

    def apply(self, rule, values):
        """A rule of the op table, of values."""
        bound = self._rules.get(rule)
        if bound is None:
            bound = self._rules[rule] = rebind(rule, np=self._names, select=self.select)
        try:
            return self.value(bound(*values))
        except (TypeError, ZeroDivisionError) as error:
            raise Unwritten(str(error)) from None

    # Memory ---------------------------------------------------------------------------------------------------------

    def at(self, base, offset, index=None, step=0):
        """An address: bytes from a base, and `step` bytes for each of `index`, a name."""
        if index is not None:
            if step != 1:
                index = self.made(f"mul nsw i64 {index}, {step}", "i64").name
            base = self.made(f"getelementptr i8, ptr {base}, i64 {index}", "ptr").name
        if offset:
            base = self.made(f"getelementptr i8, ptr {base}, i64 {offset}", "ptr").name
        return base

    def load(self, address, real, lanes=1):
        name = self.name()
        self.line(f"{name} = load {vector(real, lanes)}, ptr {address}, align {_BITS[real] // 8}")
        return Value(self, name, real, lanes)

    def store(self, x, address, real):
        x = self.converted(x, real)
        self.line(f"store {x.type} {x.name}, ptr {address}, align {_BITS[real] // 8}")

    def load_some(self, address, real, lanes, count):
        """The first `count` lanes from memory, 1 in the others. LLVM 20 takes an alignment as an argument, and 22 does still."""
        kind = vector(real, lanes)
        intrinsic, ones = f"llvm.masked.load.v{lanes}f{_BITS[real]}.p0", self.widened(self.literal(1.0, real), lanes)
        self.module.declare(intrinsic, kind, ["ptr", "i32", vector("i1", lanes), kind], "")
        name, where = self.name(), f"ptr {address}, i32 {_BITS[real] // 8}"
        self.line(f"{name} = call {kind} @{intrinsic}({where}, {_mask(lanes, count)}, {kind} {ones.name})")
        return Value(self, name, real, lanes)

    def store_some(self, x, address, real, count):
        x = self.converted(x, real)
        intrinsic = f"llvm.masked.store.v{x.lanes}f{_BITS[real]}.p0"
        self.module.declare(intrinsic, "void", [x.type, "ptr", "i32", vector("i1", x.lanes)], "")
        self.line(f"call void @{intrinsic}({x.type} {x.name}, ptr {address}, i32 {_BITS[real] // 8}, {_mask(x.lanes, count)})")

    def store_while(self, x, address, real, block, count):
        """Stores the lanes whose number, counted on from block to block, is below `count`."""
        kind, intrinsic = vector("i64", x.lanes), f"llvm.masked.store.v{x.lanes}f{_BITS[real]}.p0"
        self.module.declare(intrinsic, "void", [x.type, "ptr", "i32", vector("i1", x.lanes)], "")
        start = self.widened(self.made(f"mul i64 {block}, {x.lanes}", "i64"), x.lanes)
        numbers = ", ".join(f"i64 {i}" for i in range(x.lanes))
        own = self.made(f"add {kind} {start.name}, <{numbers}>", "i64", x.lanes)
        limit = ", ".join([f"i64 {count}"] * x.lanes)
        mask = self.made(f"icmp slt {kind} {own.name}, <{limit}>", "i1", x.lanes)
        self.line(f"call void @{intrinsic}({x.type} {x.name}, ptr {address}, i32 {_BITS[real] // 8}, {mask.type} {mask.name})")

    def first(self, x, count):
        """The first `count` lanes, and zeros in the others."""
        zeros = self.widened(self.literal(0.0, x.real), x.lanes)
        return self.made(f"select {_mask(x.lanes, count)}, {x.type} {x.name}, {x.type} {zeros.name}", x.real, x.lanes)

    def clear(self, address, nbytes):
        self.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"], "")
        self.line(f"call void @llvm.memset.p0.i64(ptr align 4 {address}, i8 0, i64 {nbytes}, i1 false)")

    # Loops ----------------------------------------------------------------------------------------------------------

    def loop(self, start, stop, step=1):
        return Loop(self, start, stop, step)


def _mask(lanes, count):
    return f"<{lanes} x i1> <{', '.join(f'i1 {int(i < count)}' for i in range(lanes))}>"


class Loop:
    """A loop from `start` up to `stop`, or down by a negative step, which runs at least once. Within ``with``, `index` is the
    counter; :meth:`carry` gives a value that is replaced in each turn."""

    def __init__(self, text, start, stop, step):
        self.text, self.start, self.stop, self.step = text, start, stop, step
        self._carried = []

    def __enter__(self):
        text = self.text
        self.head, before = text.new_label("loop"), text.new_label("before")
        text.line(f"br label %{before}")
        text.label(before)
        text.line(f"br label %{self.head}")
        text.label(self.head)
        self._before, self.index = before, text.name("i")
        self._place = len(text.lines)
        text.lines.append("")                # the phis, which are known at the end
        return self

    def carry(self, first):
        """A value that is `first` in the first turn; set its ``next`` before the loop ends."""
        value = Value(self.text, self.text.name("c"), first.real, first.lanes)
        self._carried.append([value, first, value])
        return value

    def next(self, carried, value):
        entry = next(entry for entry in self._carried if entry[0] is carried)
        entry[2] = self.text.widened(self.text.converted(value, carried.real), carried.lanes)

    def __exit__(self, kind, error, trace):
        if kind is not None:
            return
        text = self.text
        last, more, after = text.new_label("last"), text.name("more"), text.new_label("after")
        text.line(f"br label %{last}")
        text.label(last)
        following = text.name("i")
        text.line(f"{following} = add nsw i64 {self.index}, {self.step}")
        text.line(f"{more} = icmp {'slt' if self.step > 0 else 'sgt'} i64 {following}, {self.stop}")
        text.line(f"br i1 {more}, label %{self.head}, label %{after}")
        text.label(after)
        phis = [f"  {self.index} = phi i64 [ {self.start}, %{self._before} ], [ {following}, %{last} ]"]
        phis += [f"  {value.name} = phi {value.type} [ {first.name}, %{self._before} ], [ {new.name}, %{last} ]"
                 for value, first, new in self._carried]
        text.lines[self._place] = "\n".join(phis)


class Module:
    """A module: what it declares, and its functions."""

    def __init__(self):
        self._declared, self.functions, self.needed, self.kernels, self._tables = {}, [], set(), set(), {}

    def table(self, kind, numbers):
        """The name of a constant array."""
        text = f"constant [{len(numbers)} x {kind}] [{', '.join([f'{kind} {x}' for x in numbers])}]"
        return self._tables.setdefault(text, f"table{len(self._tables)}")

    def declare(self, symbol, result, operands, attributes):
        self._declared[symbol] = f"declare {result} @{symbol}({', '.join(operands)}) {attributes}"

    def __str__(self):
        return "\n".join([*[f"@{name} = private {text}" for text, name in self._tables.items()], *self._declared.values(),
                          *self.functions, ""])


# What ``np`` is in a rule -----------------------------------------------------------------------------------------------

class _Functions:
    """NumPy's functions and SciPy's, of values."""

    def __init__(self, text):
        self._text = text
        self._made = {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        made = self._make(name)
        setattr(self, name, made)
        return made

    def _make(self, name):
        text = self._text
        if name in libmvec.MATH:
            return lambda *x: self._math(name, x)
        if name in special.ARITY:
            return lambda *x: self._special(name, x)
        if name in _INTRINSICS:
            return lambda x: self._intrinsic(_INTRINSICS[name], [text.value(x)])
        if name in SCALARS:
            raise Unwritten(name)
        if name in _WRITTEN:
            return lambda *x: _WRITTEN[name](text, *x)
        rule = BY_NAME[name].value if name in BY_NAME else None
        if rule is not None and name not in loaded_functions(rule):          # otherwise NumPy's function is the rule
            return rebind(rule, np=self, select=text.select)
        constant = getattr(np, name, None)
        if isinstance(constant, float):
            return constant
        raise Unwritten(name)

    def _intrinsic(self, name, values):
        values = self._text.alike(*values)
        kind, lanes = values[0].real, values[0].lanes
        suffix = f"f{_BITS[kind]}" if lanes == 1 else f"v{lanes}f{_BITS[kind]}"
        return self._text.call(f"llvm.{name}.{suffix}", values, kind, lanes)

    def copysign(self, x, y):
        return self._intrinsic("copysign", [x, y])

    def _math(self, name, values):
        text = self._text
        values = text.alike(*values)
        real = values[0].real
        symbol, width = libmvec.found(llvm.target(), name, _BITS[real])
        if symbol is not None:
            return text.by_lanes(lambda x: text.call(symbol, x, real, width), values, width)
        symbol = _LIBM.get(name, name) + ("f" if real == "float" else "")
        return text.by_lanes(lambda x: text.call(symbol, x, real, 1), values, 1)

    def _special(self, name, values):
        text = self._text
        special.load(name)
        text.module.needed.add(name)
        values = text.alike(*[text.converted(text.value(x), "double") for x in values])
        flag = Value(text, "0", "i32", 1)
        return text.by_lanes(lambda x: text.call(special.symbol(name), [*x, flag], "double", 1), values, 1)


def _sign(text, x):
    negative = text.select(x < 0.0, text.literal(-1.0, x.real), x)           # nan and zeros as they are
    return text.select(x > 0.0, text.literal(1.0, x.real), negative)


def _larger(how, prefer_nan):
    def function(text, x, y):
        x, y = text.alike(x, y)
        x_nan, y_nan = x != x, y != y
        either = text.select(x_nan, x, y) if prefer_nan else text.select(x_nan, y, x)
        return text.select(text.logic("or", x_nan, y_nan), either, text.select(text.compare(how, x, y), x, y))
    return function


_WRITTEN = {"sign": _sign, "maximum": _larger("oge", True), "minimum": _larger("ole", True), "fmax": _larger("oge", False),
            "fmin": _larger("ole", False)}
