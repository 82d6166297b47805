"""Draws scalar programs for Numba: the text of ``f(x, n)`` and of helpers that it calls: loops, branches, early returns, arrays
that are made and written inside, views, tuples and lists, and the rows of the op table that compiled code has functions for."""
import math

import numpy as np

from ...ops.table import OPS

SIZE = 4                                     # of x and of the vectors that programs make
POINTS = 3
HELPERS = {
    "mix": """
@njit
def mix(p, q):
    if p > q:
        return p * q, p - 0.5
    return q, p + q""",
    "curve": """
@njit
def curve(p, k):
    s = 0.0
    for _ in range(k):
        s = s * 0.5 + math.sin(p)
    return s""",
    "scatter": """
@njit
def scatter(target, p):
    for j in range(len(target)):
        if j % 2 == 0:
            target[j] += p * j
    return target[0]""",
    "descend": """
@njit
def descend(p, k):
    if k == 0:
        return p
    return np.tanh(descend(p * 0.9, k - 1)) + 0.1 * p""",
}

def _names(text):
    return frozenset(text.split())


# What Numba has for plain numbers: of NumPy's functions and of those of math, which for it has no fmod
NUMPYS = _names("""
    abs add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil copysign cos cosh deg2rad divide exp exp2 expm1
    floor floor_divide fmax fmin fmod hypot log log10 log1p log2 logaddexp logaddexp2 maximum minimum multiply negative
    power rad2deg reciprocal remainder rint sign sin sinh sqrt square subtract tan tanh trunc
""")
MATHS = _names("""
    acos acosh asin asinh atan atan2 atanh copysign cos cosh degrees erf erfc exp expm1 gamma hypot lgamma log log10
    log1p log2 pow radians sin sinh sqrt tan tanh
""")


def spellings():
    """Row -> the ways to write it."""
    found = {}
    for op in OPS:
        if op.value is not None and op.arity <= 2 and not op.refused:
            names = [f"np.{n}" for n in (op.name, *op.names) if n in NUMPYS and hasattr(np, n)]
            names += [f"math.{n}" for n in (op.name, *op.names) if n in MATHS and hasattr(math, n)]
            if names:
                found[op] = names
    return found


ROWS = spellings()


class Writer:
    """Draws statements; knows the names of scalars, vectors and whole numbers that a statement may use."""

    def __init__(self, choices):
        self.choices, self.lines = choices, []
        self.scalars, self.vectors, self.indices = ["a", "b", "c"], ["x", "u", "v"], []

    def one_of(self, *choices):
        return self.choices.choose(choices)

    def scalar(self, depth=2):
        """An expression that stays small whatever its parts are."""
        if depth == 0 or self.choices.integer(0, 4) == 0:
            return self.leaf()
        e, f = (self.scalar(depth - 1) for _ in range(2))
        if self.choices.chance(3):
            return self.row(e, f)
        return self.one_of(
            f"math.sin({e})", f"np.cos({e})", f"math.tanh({e})", f"({e} + {f})", f"({e} - {f})", f"np.sin({e} * {f})",
            f"{e} / (1.0 + {f} * {f})", f"math.exp(-{e} * {e})", f"np.sqrt(1.0 + {e} * {e})", f"math.log(2.0 + {e} * {e})",
            f"math.atan2({e}, 2.0 + {f} * {f})", f"abs({e})", f"max({e}, {f})", f"min({e}, {f}, 0.7)", f"-{e}",
            f"np.tanh({e} ** 2)",
            f"math.tanh({e} ** 3)", f"({e} if {self.condition()} else {f})", f"0.3 * {e}", f"2 * {e}", f"{e} / 4",
            f"curve({e}, {self.choices.integer(0, 3)})", f"descend({e}, 2)", f"mix({e}, {f})[1] * 0.5",
        )  # fmt: skip

    def row(self, *operands):
        """A row of the table, in its domain, and so that the result is moderate."""
        op = self.one_of(*ROWS)
        inside = []
        for (low, high), e in zip(op.domain or ((-2, 2),) * op.arity, operands):
            inside.append(f"({(low + high) / 2} + {0.45 * (high - low):.4g} * math.tanh({e}))")
        return f"math.tanh({self.one_of(*ROWS[op])}({', '.join(inside)}))"

    def leaf(self):
        vector = self.one_of(*self.vectors)
        return self.one_of(
            *self.scalars, *self.scalars, f"x[{self.index()}]", f"({vector}[{self.index()}] + 0.0)", "0.25", "1", "n",
            f"np.tanh({vector}.sum())", f"np.sin(np.dot({vector}, x))", f"{vector}.mean()",
        )  # fmt: skip

    def index(self):
        fixed = [str(k) for k in range(-1, SIZE)]
        return self.one_of(*fixed, *self.indices, *(f"({i} + 1) % {SIZE}" for i in self.indices), "n % 3")

    def condition(self):
        a, b = self.one_of(*self.scalars), self.one_of(*self.scalars)
        found = [f"{a} > 0.13", f"{a} < {b}", f"x[{self.index()}] >= 0.07", f"{a} > 0.1 and {b} < 0.9",
                 f"not {a} > 0.21", "n > 1"]  # fmt: skip
        return self.one_of(*found, *(f"{i} % 2 == 0" for i in self.indices))

    def vector(self):
        u, v, e = self.one_of(*self.vectors), self.one_of(*self.vectors), self.scalar(1)
        return self.one_of(
            f"{u} + {v} * {e}", f"np.sin({u}) * {v}", f"{u} / (1.0 + {v} * {v})", f"{e} * {u}", f"np.tanh({u} - {v})",
            f"{u} * 1.0", f"np.arange({SIZE}) * {e}", f"np.maximum({e}, {u})",
            f"np.zeros({SIZE}) + {u}", f"np.array([{e}, {u}[1], 0.5, {v}[2] * {u}[0]])" if u != v else f"{u} * 0.5",
        )  # fmt: skip

    def block(self, depth, room):
        """Some statements, of which those that nest are `depth` deep."""
        for _ in range(self.choices.integer(1, room)):
            self.statement(depth)

    def statement(self, depth):
        written = [v for v in self.vectors if v != "x"]
        simple = [self.assign, self.assign, self.augment, self.element, self.part, self.rebind, self.unpack, self.call, self.view,
                  self.matrix, self.listed]  # fmt: skip
        nested = [self.loop, self.branch, self.repeat, self.each] if depth else []
        self.one_of(*simple, *nested, *nested)(depth, self.one_of(*written))

    def write(self, *lines):
        self.lines += lines

    def indented(self, head, depth, ending=(), index=None):
        self.write(head)
        outer, self.lines = self.lines, []
        before = list(self.scalars)
        if index:
            self.indices.append(index)
        self.block(depth - 1, 3)
        self.write(*ending)
        if index:
            self.indices.remove(index)
        self.scalars = before
        self.lines = outer + ["    " + line for line in self.lines or ["pass"]]

    def assign(self, depth, target):
        self.write(f"{self.one_of(*self.scalars)} = {self.scalar(3)}")

    def augment(self, depth, target):
        self.write(f"{self.one_of(*self.scalars)} {self.one_of('+=', '-=')} math.tanh({self.scalar()})")

    def element(self, depth, target):
        self.write(f"{target}[{self.index()}] {self.one_of('=', '=', '+=')} math.sin({self.scalar()})")

    def part(self, depth, target):
        u, e = self.one_of(*self.vectors), self.scalar(1)
        self.write(self.one_of(f"{target}[1:3] = {u}[:2] * 0.5" if u != target else f"{target}[1:3] = 0.5", f"{target}[1:] = {e}",
                               f"{target}[:] = np.cos({u})", f"{target} *= np.tanh({e})", f"{target}[::2] = {target}[1::2] * 0.9",
                               f"{target} += np.sin(x)"))  # fmt: skip

    def rebind(self, depth, target):
        self.write(f"{target} = np.tanh({self.vector()})" if target in ("u", "v") else f"{target}[:] = np.tanh({self.vector()})")

    def unpack(self, depth, target):
        a, b = self.one_of(*self.scalars), self.one_of(*self.scalars)
        if a != b:
            self.write(f"{a}, {b} = mix({self.scalar(1)}, np.tanh({self.scalar(1)}))",
                       self.one_of(f"{a}, {b} = {b}, {a}", f"{a} = ({a}, {b})[1] - 0.5 * ({a}, {b})[0]",
                                   f"{a} *= 0.5"))  # fmt: skip

    def call(self, depth, target):
        self.write(f"{self.one_of(*self.scalars)} = math.tanh(scatter({target}, {self.scalar(1)}))",
                   f"{target}[:] = np.sin({target})")  # fmt: skip

    def view(self, depth, target):
        self.write(f"window = {target}[1:3]", f"window[0] = {self.scalar(1)}", "window[1] += 0.1")

    def matrix(self, depth, target):
        self.write("m = np.zeros((2, 2))", f"m[0, 1] = math.tanh({self.scalar(1)})", f"m[1, :] = np.sin({target}[2:])",
                   f"{target}[:2] = m @ x[:2] * 0.3 + m[0]", f"{self.one_of(*self.scalars)} = (m * m).sum() * 0.1")  # fmt: skip

    def listed(self, depth, target):
        a = self.one_of(*self.scalars)
        self.write(f"items = [{self.scalar(1)}, {a}]", f"items.append(x[{self.index()}])", "for item in items:",
                   f"    {a} = math.sin({a} + item)")  # fmt: skip

    def loop(self, depth, target):
        i = "ij"[len(self.indices)] if len(self.indices) < 2 else None
        if i:
            ending = self.one_of((), (), (f"if {self.condition()}:", f"    {self.one_of('break', 'continue')}", "c = c * 0.5"))
            self.indented(f"for {i} in range({self.one_of(str(SIZE), 'n', 'n + 1', '1, 3')}):", depth, ending, i)

    def branch(self, depth, target):
        self.indented(f"if {self.condition()}:", depth, self.one_of((), (), (), ("return a * b + u.sum()",)))
        if self.choices.chance(2):
            self.indented("else:", depth)

    def repeat(self, depth, target):
        self.write("steps = 0")
        self.indented(f"while steps < 3 and {self.one_of(*self.scalars)} < 2.5:", depth, ("steps += 1",))

    def each(self, depth, target):
        a = self.one_of(*self.scalars)
        self.write(f"for value in {self.one_of(*self.vectors)} * 1.0:", f"    {a} = math.tanh({a} * 0.5 + value)")


def draw(choices):
    """The text of a program and of its points."""
    writer = Writer(choices)
    u = choices.choose([f"np.zeros({SIZE})", "x * 2.0", f"np.ones({SIZE})"])
    begin = ["a, b, c = x[0], 0.5, 1.5 * x[1]", f"u = {u}", "v = np.cos(x)"]
    writer.block(2, 6)
    end = "return a + b * c + np.dot(u, v) + math.sin(u[0])"
    body = "\n    ".join(["@njit\ndef f(x, n):", *begin, *writer.lines, end])
    numbers = [[v / 1000 for v in choices.integers(-1000, 1000, SIZE)] for _ in range(POINTS)]
    points = ", ".join([f"(np.array({x}), {choices.integer(0, 3)})" for x in numbers])
    helpers = [helper.strip() for name, helper in HELPERS.items() if f"{name}(" in body]
    return "\n\n\n".join([*helpers, body]) + f"\n\npoints = [{points}]"
