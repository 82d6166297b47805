"""Draws functions of arrays and numbers: rows of the op table, structure, writes into new arrays, branches, loops, parts without
derivative; and some points to call them at, at which branches go different ways.

A function is drawn a statement at a time, and each statement is run at all points, so that shapes and domains are known and
values stay of moderate size. Every elementwise row of the table that has a public name is drawn, with operands that its `domain`
allows. What is written is style that holds for Tensors, arrays and floats alike, as arguments are any of them.
"""
import math
import re

import numpy as np

import tapegrad as tg

from ...ops.table import OPS
from . import slow
from .forms import ANYTHING, AXIS, CONDITIONS, HOSTED, MATRIX, VECTOR

LARGEST = {"float64": 1e3, "float32": 30.0}  # beyond, rounding decides too much
MOST_ELEMENTS = 400
POINTS = 3
REFUSALS = (ValueError, TypeError, IndexError, ArithmeticError, NotImplementedError, RuntimeError)
SIZES = [3, 2, 4, 1, 5, 7, 3, 8, 2, 9, 16, 17, 33, 40, 0]

NUMBERS = ["0.5", "-1.5", "2.0", "0.3", "-0.25", "1.1", "0.0", "1.0"]


def public_names():
    """Row -> the ways to write it."""
    found = {}
    for op in OPS:
        if op.value is None or (op.refused and not any([hasattr(tg.special, name) for name in (op.name, *op.names)])):
            continue
        spelled = []
        for name in (op.name, *op.names):
            for place, module in (("tg", tg), ("tg.special", tg.special), ("tg.nn.functional", tg.nn.functional)):
                if callable(getattr(module, name, None)) and getattr(module, name).__module__ != "builtins":
                    spelled.append(f"{place}.{name}")
        numpys = getattr(np, op.name, None)
        if isinstance(numpys, np.ufunc):
            spelled.append(f"np.{op.name}")
        if spelled:
            found[op] = spelled
    return found


class Function:
    """A program of this kind: ``def f`` and ``points``, a list of tuples of arguments, as text."""
    kind = "functions"

    def __init__(self, text):
        self.text = text

    def replaced(self, text):
        return Function(text)

    @property
    def single(self):
        return "float32" in self.text

    @property
    def detached(self):
        """Whether some parts count as constants: differences of values can't tell then."""
        return re.search(r"detach|no_grad|\.item\(|enabled", self.text) is not None

    @property
    def plain(self):
        """Whether the slow reference has all that it calls."""
        return knows(self.text)


# What the slow reference spells otherwise, or has not
_FOREIGN = re.compile(r"\bnp\.(?!array|float32|cos\(np|arange)|sort|argm|tg\.\w+\.\w|keepdims|axis=|, dtype=\{|\.shape")


def knows(text):
    """Whether the slow reference can run a text."""
    return all([hasattr(slow, name) for name in re.findall(r"\btg\.(\w+)", text)]) and not _FOREIGN.search(text)


class Writer:
    """Draws one function; `lines` are those of its body, `names` what a next statement may use."""
    rows = public_names()

    def __init__(self, choices):
        self.choose, self.chance, self.integer, self.integers = choices.choose, choices.chance, choices.integer, choices.integers
        self.dtype = "float32" if self.chance(6) else "float64"
        self.plain = self.chance(4)          # what the slow reference runs, too
        self.hosted = not self.plain and self.chance(12)
        self.detaching = self.chance(10)
        self.count, self.depth, self.lines = 0, 0, []
        self.points_text, self.arguments = self.arguments_of()
        scope = {"np": np}
        exec(self.points_text, scope)
        self.points = scope["points"]
        self.names = list(self.arguments)
        self.replay()

    # ---- arguments
    def arguments_of(self):
        n = self.choose(SIZES)
        shapes = [(n,), (n,), (), (n,), (1,)]
        if n < 8:
            shapes += [(self.choose([2, 3, 1]), n), (2, n), (n, n), (2, 1, n)] if n else []
        drawn = [self.choose(shapes) for _ in range(self.integer(1, 3))]
        if all([shape == () for shape in drawn]) and self.chance(2):
            drawn[0] = (n,)
        coarse = self.chance(5)              # few different values: ties and zeros
        points = ["(" + ", ".join([self.argument(shape, k, coarse) for shape in drawn]) + ",)" for k in range(POINTS)]
        return "points = [" + ",\n          ".join(points) + "]", ["x", "y", "w"][:len(drawn)]

    def argument(self, shape, k, coarse):
        kind = ", np.float32" if self.dtype == "float32" else ""
        count = math.prod(shape)
        if count > 12:
            wave = f"np.cos(np.arange({count}.0) * {self.integer(5, 25) / 10} + {self.integer(0, 60) / 10})"
            wave += f".reshape({shape})" if len(shape) > 1 else ""
            return f"np.array({wave}{kind})" if kind else wave
        values = [v / 4 for v in self.integers(-8, 8, count)] if coarse else [v / 1000 for v in self.integers(-1500, 1500, count)]
        if not shape:
            return f"np.float32({values[0]})" if kind else str(values[0])
        data = np.reshape(values, shape).tolist()
        return f"np.array({data}{kind})" if 0 not in shape or len(shape) == 1 else f"np.zeros({shape}{kind})"

    # ---- running what was written
    def fresh_scopes(self):
        made = []
        for point in self.points:
            tensors = [tg.tensor(a) for a in point]
            made.append({"tg": tg, "np": np, **dict(zip(self.arguments, tensors))})
        return made

    def replay(self):
        self.scopes = self.fresh_scopes()
        text = "\n".join(self.lines)
        for scope in self.scopes:
            exec(text, scope)

    def value(self, text, k=0):
        return self.array(eval(text, self.scopes[k]))

    @staticmethod
    def array(value):
        return value.detach().numpy() if isinstance(value, tg.Tensor) else np.asarray(value)

    def values(self, text):
        return [self.value(text, k) for k in range(POINTS)]

    def shape(self, name):
        return np.shape(self.array(self.scopes[0][name]))

    def good(self, names):
        """Whether values are floating, finite, moderate, and of one shape at all points."""
        for name in names:
            arrays = [self.array(scope[name]) for scope in self.scopes if name in scope]
            if len(arrays) < POINTS or len({a.shape for a in arrays}) > 1 or arrays[0].size > MOST_ELEMENTS or arrays[0].ndim > 4:
                return False
            if any([a.dtype.name != self.dtype or not np.all(np.abs(a) < LARGEST[self.dtype]) for a in arrays]):
                return False
        return True

    def attempt(self, text, *names):
        """Keeps a statement if it runs and gives good values of these names."""
        if self.plain and not knows(text):
            return False
        try:
            for scope in self.scopes:
                exec(text, scope)
            kept = self.good(names)
        except REFUSALS:
            kept = False
        if kept:
            self.lines += text.split("\n")
            self.names += [name for name in names if name not in self.names]
        else:
            self.replay()
        return kept

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    # ---- operands
    def pick(self, condition=lambda shape: True):
        """A name, more often a late one; None if none has such a shape."""
        names = [name for name in self.names if condition(self.shape(name))]
        return names[-1 - self.integer(0, 3 if self.chance(2) else 9) % len(names)] if names else None

    def beside(self, name):
        """A name that broadcasts with another, which may be it."""
        def fits(shape):
            try:
                return math.prod(np.broadcast_shapes(shape, self.shape(name))) <= MOST_ELEMENTS
            except ValueError:
                return False
        return self.pick(fits)

    def alike(self, name):
        shape = self.shape(name)
        return self.pick(lambda other: other == shape)

    def guest(self, shape):
        """What broadcasts into a shape: a name or a number."""
        def fits(other):
            try:
                return np.broadcast_shapes(shape, other) == shape
            except ValueError:
                return False
        return self.number() if self.chance(4) else self.pick(fits) or self.number()

    def number(self):
        return self.choose(NUMBERS)

    def inside(self, text, interval):
        """The text, or what brings its values into an interval."""
        low, high = interval
        arrays = self.values(text)
        if self.chance(3) or all([np.all((a > low) & (a < high)) for a in arrays]):
            return text
        return f"({(low + high) / 2} + {0.45 * (high - low):.4g} * tg.tanh({text}))"

    # ---- expressions
    def row(self, x=None):
        """A row of the table; of a given name, in whose shape the result is."""
        op = self.choose(self.rows)
        first = x or self.pick()
        operands = [first]
        for _ in range(op.arity - 1):
            operands.append(self.guest(self.shape(first)) if x or self.chance(2) else self.beside(first))
        if not x and op.arity == 2 and self.chance(3):
            operands.reverse()
        domain = op.domain or ((-2, 2),) * op.arity
        if op.refused:
            domain = ((0.4, 3.0),) * op.arity
        operands = [str(self.choose([1, 2, 3])) if k in op.refused else
                    e if e in NUMBERS and self.chance(2) else self.inside(e, domain[k]) for k, e in enumerate(operands)]
        spelling = self.choose([s for s in self.rows[op] if not self.plain or knows(s)] or [None])
        if spelling is None:
            return None
        if spelling == "tg.where":
            operands[0] = f"{operands[0]} > {self.number()}"
        return f"{spelling}({', '.join(operands)})"

    def arithmetic(self):
        x, f = self.pick(), self.choose(["+", "-", "*", "*", "/", "**"])
        y = self.number() if self.chance(4) else self.beside(x)
        if f == "/":
            return f"{x} / (1.5 + {y} * {y})"
        if f == "**":
            return self.choose([f"{x} ** {self.choose([2, 3, 2, 0, 1])}", f"(1.5 + {x} * {x}) ** {self.choose(['0.5', '-1', y])}",
                                f"2.0 ** {self.inside(x, (-3, 3))}"])
        return f"{y} {f} {x}" if self.chance(3) else f"{x} {f} {y}"

    def structure(self):
        x = self.pick()
        shape = self.shape(x)
        forms = [ANYTHING, *[AXIS] * 3 * (len(shape) > 0), *[VECTOR] * (len(shape) == 1), *[MATRIX] * 2 * (len(shape) == 2)]
        if self.hosted and len(shape) == 2 and shape[0] < 6:
            forms += [HOSTED] * 5
        form = self.choose(self.choose(forms)).strip()
        n = shape[0] if shape else 1
        axis = self.integer(-len(shape), len(shape) - 1) if shape else 0
        return form.format(x=x, y=self.alike(x), d=axis, n=n, c=self.number(), i=self.integer(-n, n - 1) if n else 0)

    def expression(self):
        return self.choose([self.row, self.row, self.arithmetic, self.structure, self.structure])()

    def update(self, v):
        """An expression of the shape of `v`."""
        guest = self.guest(self.shape(v))
        return self.choose([f"tg.sin({v}) + {guest}", f"{v} * 0.5 + {guest}", f"tg.tanh({v} * {guest})",
                            f"{v} - 0.1 * {v} * {guest}", f"tg.where({v} > {self.number()}, {v}, {guest})",
                            f"tg.maximum({v}, {guest})", f"tg.cos({guest}) * {v}", self.row(v) or f"tg.exp(-{v} * {v})"])

    def condition(self):
        """Something that holds at some points and not at others, if that can be."""
        x = self.pick(lambda shape: 0 not in shape) or self.number()
        shape = () if x in NUMBERS else self.shape(x)
        what = x if not shape else self.choose(CONDITIONS).format(x=x)
        values = sorted([float(v) for v in self.values(what)])
        low, high = self.choose([(0, 1), (1, 2), (0, 2)])
        border = float(np.nan_to_num(round((values[low] + values[high]) / 2, 3)))      # the mean of nothing is nan
        if shape and self.chance(4):
            return f"tg.any({x} > {border})"
        return f"{what} {self.choose('<>')} {border}"

    # ---- statements
    def make(self):
        name, text = self.fresh(), self.expression()
        return text is not None and self.attempt(f"{name} = {text}", name)

    def body(self, prelude, steps):
        """Statements drawn after others that are not kept; lines."""
        outer, names = self.lines, list(self.names)
        self.lines = [*outer, *prelude]
        self.depth += 1
        try:
            self.replay()
            for _ in range(steps):
                self.statement()
            return self.lines[len(outer) + len(prelude):]
        except REFUSALS:
            return []
        finally:
            self.depth -= 1
            self.lines, self.names = outer, names
            self.replay()

    def block(self, head, v, prelude=(), ending=None):
        """A block, at the end of which `v` is changed."""
        inside = self.body(prelude, self.integer(0, 3))
        before, self.names = self.names, [*self.names]
        kept, self.lines = self.lines, [*self.lines, *prelude, *inside]
        try:
            self.replay()
            self.names += [name for name in re.findall(r"^(v\d+) =", "\n".join(inside), re.M) if self.good([name])]
            last = f"{v} = {ending or self.update(v)}"
        except REFUSALS:
            last = f"{v} = {v} * 0.5"
        finally:
            self.lines, self.names = kept, before
            self.replay()
        return [head, *["    " + line for line in (*inside, last)]]

    def start(self):
        v, x = self.fresh(), self.pick()
        return (v, x) if self.attempt(f"{v} = {x} * 1.0", v) else (None, None)

    def branch(self):
        v, _ = self.start()
        if v is None:
            return False
        lines = self.block(f"if {self.condition()}:", v)
        if self.chance(2):
            lines += self.block("else:", v)
        return self.attempt("\n".join(lines), v)

    def loop(self):
        v, _ = self.start()
        if v is None:
            return False
        k = "kij"[self.depth]
        kind = self.choose(["for", "for", "while", "rows", "kept", "break"])
        turns = self.choose([2, 3, 6, 12, 25]) if not self.depth else 3
        if kind == "for":
            lines = self.block(f"for {k} in range({turns}):", v, [f"{k} = 1"])
        elif kind == "while":
            lines = [f"{k} = 0", *self.block(f"while {k} < {turns} and {self.condition()}:", v), f"    {k} += 1"]
        elif kind == "break":
            lines = [*self.block(f"for {k} in range({turns}):", v, [f"{k} = 1"]), f"    if {self.condition()}:", "        break"]
        elif kind == "rows":
            x = self.pick(lambda shape: len(shape) > 0 and shape[0] > 0)
            if x is None:
                return False
            row = self.fresh()
            guest = f"tg.sum({row} * {self.number()})"
            ending = self.choose([f"tg.tanh({v} * 0.5 + {guest})", f"{v} * 0.9 + {guest}"])
            lines = self.block(f"for {row} in {x}:", v, [f"{row} = {x}[0]"], ending)
        else:
            r = self.fresh()
            lines = self.block(f"for {k} in range({turns}):", v, [f"{k} = 1", f"{r} = [{v}]"])
            lines, name = [f"{r} = []", *lines, f"    {r}.append({v})"], self.fresh()
            join = self.choose([f"{name} = tg.stack({r}[-3:])", f"{name} = sum({r})", f"{name} = {r}[{turns // 2}] * {r}[0]"])
            return self.attempt("\n".join([*lines, join]), v, name)
        return self.attempt("\n".join(lines), v)

    def written(self):
        """A new array, and writes into it and its views."""
        v, x = self.fresh(), self.pick(lambda shape: len(shape) > 0)
        if x is None:
            return False
        shape = self.shape(x)
        kind = f", dtype=tg.{self.dtype}" if self.dtype == "float32" else ""
        made = self.choose([f"tg.zeros({shape}{kind})", f"{x} * tg.ones({shape}{kind})", f"tg.clone({x})"])
        if self.plain:
            made = f"tg.clone({x})"
        if not self.attempt(f"{v} = {made}", v):
            return False
        for _ in range(self.integer(1, 4)):
            self.write(v, shape)
        return True

    def place(self, shape):
        n = shape[0]
        found = [str(self.integer(-n, n - 1)) if n else "0:", "1:", ":-1", "::2", "::-1", "...", "[0, -1]"]
        if len(shape) > 1:
            found += [":, 0", "0, 1:", ":, ::2"]
        return self.choose(found)

    def write(self, v, shape):
        kind = self.choose(["set", "set", "add", "whole", "view", "mask", "method"])
        if kind in ("set", "add"):
            place = self.place(shape)
            try:
                there = self.shape_of(f"{v}[{place}]")
            except REFUSALS:
                return
            guest = self.guest(there)
            guest = self.choose([guest, f"tg.sin({guest})" if guest not in NUMBERS else guest])
            self.attempt(f"{v}[{place}] {'=' if kind == 'set' else self.choose(['+=', '*=', '-='])} {guest}", v)
        elif kind == "whole":
            self.attempt(f"{v} {self.choose(['+=', '*=', '-='])} {self.guest(shape)}", v)
        elif kind == "method":
            guest = self.guest(shape)
            copy = f"fill_({guest})" if guest in NUMBERS else f"copy_({guest})"
            change = self.choose([f"mul_({guest})", f"add_({guest})", f"sub_({guest})", "clamp_(-0.7, 0.9)", "exp_().add_(0.3)",
                                  "zero_()", "pow_(2)", copy])
            self.attempt(f"{v}.{change}", v)
        elif kind == "mask":
            self.attempt(f"{v}[{v} > {self.number()}] = {self.number()}", v)
        else:
            view, place = self.fresh(), self.place(shape)
            made = self.choose([f"{v}[{place}]", f"{v}.reshape(-1)", f"{v}.T", f"{v}[None]"])
            if self.attempt(f"{view} = {made}", view):
                for target in (view, v, view)[:self.integer(1, 3)]:
                    guest = self.guest(self.shape(target))
                    change = self.choose(["+=", "*=", "[...] ="])
                    self.attempt(f"{target}{' ' * (change[0] != '[')}{change} {guest}", v, view)

    def shape_of(self, text):
        return np.shape(self.value(text))

    def called(self):
        """A function inside, which may call itself."""
        g, v, x = self.fresh().replace("v", "g"), self.fresh(), self.pick()
        if self.chance(2):
            lines = [f"def {g}(a, k):", f"    return a if k == 0 else tg.sin({g}(a * {self.number()}, k - 1)) + 0.1 * a",
                     f"{v} = {g}({x}, 3)"]
        else:
            lines = [f"{g} = lambda a, b: tg.tanh(a * {self.number()} + b) * a",
                     f"{v} = {g}({x}, {self.beside(x)}) - {g}({x}, {self.number()})"]
        return self.attempt("\n".join(lines), v)

    def constant(self):
        """Part of it without derivative."""
        v, x = self.fresh(), self.pick()
        return self.attempt(self.choose([
            f"with tg.no_grad():\n    {v} = tg.sin({x}) * 2.0", f"{v} = tg.multiply({x}, 1.0).detach() * {x}",
            f"{v} = {x} * tg.sum({x}).item()", f"with tg.set_grad_enabled(False):\n    {v} = {x} * {x}"]), v)

    def statement(self):
        kinds = [*[self.make] * 8, self.written, self.called]
        if self.depth < 2:
            kinds += [self.branch, self.loop, self.loop]
        if self.detaching:
            kinds += [self.constant] * 3
        return self.choose(kinds)()

    def write_function(self, steps):
        for _ in range(steps):
            self.statement()
        body = "\n    ".join([f"def f({', '.join(self.arguments)}):", *self.lines, self.result()])
        return Function(f"{body}\n\n{self.points_text}")

    def result(self):
        late = self.names[-3:]
        some = list(dict.fromkeys([*late, self.pick(), self.pick()]))
        if self.chance(5) and not self.plain:
            return "return " + self.choose([late[-1] + " * 1.0", f"({', '.join([name + ' * 1.0' for name in some])},)",
                                            "{" + ", ".join([f"'{name}': {name} * 1.0" for name in late]) + "}",
                                            f"tg.reshape({late[-1]}, (-1,)) * 2.0"])
        terms = [self.choose([f"tg.sum(tg.sin({name}))", f"tg.sum({name})", f"tg.sum({name} * {name})", f"tg.mean({name} * 0.5)"])
                 if math.prod(self.shape(name)) else f"tg.sum({name})" for name in some]
        return f"return {' + '.join(terms)}"


def draw(choices):
    with np.errstate(all="ignore"):
        return Writer(choices).write_function(choices.integer(1, 9))
