"""Random programs for Numba: value and gradient, forward against reverse, against the façade and central differences.

A program is the text of ``f(x, n)`` and of helpers that it calls: loops, branches, early returns, arrays that are made and
written inside, views, tuples and lists. To compile one takes seconds: a few are drawn by default, ``HYPOTHESIS_PROFILE=long``
draws many. What hypothesis prints when a test fails is the program, below ``import math, numba, numpy as np``.
"""

import math
import os
import re
import types

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

import tapegrad as tg

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
SETTINGS = settings(
    derandomize=not LONG,
    max_examples=int(os.environ.get("NATIVE_EXAMPLES", 150 if LONG else 3)),
    deadline=None,
    print_blob=False,
    phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if LONG else [])],
    suppress_health_check=list(HealthCheck),
)
SIZE = 4  # of x and of the vectors that programs make
HELPERS = """
@njit
def mix(p, q):
    if p > q:
        return p * q, p - 0.5
    return q, p + q

@njit
def curve(p, k):
    s = 0.0
    for _ in range(k):
        s = s * 0.5 + math.sin(p)
    return s

@njit
def scatter(target, p):
    for j in range(len(target)):
        if j % 2 == 0:
            target[j] += p * j
    return target[0]

@njit
def descend(p, k):
    if k == 0:
        return p
    return np.tanh(descend(p * 0.9, k - 1)) + 0.1 * p
"""


class Writer:
    """Draws statements; knows the names of scalars, vectors and whole numbers that a statement may use."""

    def __init__(self, draw):
        self.draw, self.lines = draw, []
        self.scalars, self.vectors, self.indices = ["a", "b", "c"], ["x", "u", "v"], []

    def one_of(self, *choices):
        return self.draw(st.sampled_from(choices))

    def scalar(self, depth=2):
        """An expression that stays small whatever its parts are."""
        if depth == 0 or self.draw(st.integers(0, 4)) == 0:
            return self.leaf()
        e, f = (self.scalar(depth - 1) for _ in range(2))
        return self.one_of(
            f"math.sin({e})", f"np.cos({e})", f"math.tanh({e})", f"({e} + {f})", f"({e} - {f})", f"np.sin({e} * {f})",
            f"{e} / (1.0 + {f} * {f})", f"math.exp(-{e} * {e})", f"np.sqrt(1.0 + {e} * {e})", f"math.log(2.0 + {e} * {e})",
            f"math.atan2({e}, 2.0 + {f} * {f})", f"abs({e})", f"max({e}, {f})", f"min({e}, {f}, 0.7)", f"-{e}",
            f"np.tanh({e} ** 2)",
            f"math.tanh({e} ** 3)", f"({e} if {self.condition()} else {f})", f"0.3 * {e}", f"2 * {e}", f"{e} / 4",
            f"curve({e}, {self.draw(st.integers(0, 3))})", f"descend({e}, 2)", f"mix({e}, {f})[1] * 0.5",
        )  # fmt: skip

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
        for _ in range(self.draw(st.integers(1, room))):
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
        self.lines = outer + ["    " + line for line in self.lines]

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
        if self.draw(st.booleans()):
            self.indented("else:", depth)

    def repeat(self, depth, target):
        self.write("steps = 0")
        self.indented(f"while steps < 3 and {self.one_of(*self.scalars)} < 2.5:", depth, ("steps += 1",))

    def each(self, depth, target):
        a = self.one_of(*self.scalars)
        self.write(f"for value in {self.one_of(*self.vectors)} * 1.0:", f"    {a} = math.tanh({a} * 0.5 + value)")


@st.composite
def programs(draw):
    writer = Writer(draw)
    u = draw(st.sampled_from([f"np.zeros({SIZE})", "x * 2.0", f"np.ones({SIZE})"]))
    begin = ["a, b, c = x[0], 0.5, 1.5 * x[1]", f"u = {u}", "v = np.cos(x)"]
    writer.block(2, 6)
    end = "return a + b * c + np.dot(u, v) + math.sin(u[0])"
    return "\n    ".join([HELPERS + "\n@njit\ndef f(x, n):", *begin, *writer.lines, end]) + "\n"


class Program(str):
    __repr__ = str.__str__


def compiled(program, decorate, **modules):
    scope = {"njit": decorate, **modules}
    exec(program, scope)
    return scope["f"]


# In the façade's reading both modules are tapegrad's
SAME = types.SimpleNamespace(sin=tg.sin, cos=tg.cos, tanh=tg.tanh, exp=tg.exp, sqrt=tg.sqrt, log=tg.log, atan2=tg.atan2)


class Facade(types.SimpleNamespace):
    def __getattr__(self, name):
        return {"zeros": lambda n: tg.zeros(n), "ones": lambda n: tg.ones(n), "dot": tg.dot, "array": stacked,
                "arange": lambda n: tg.arange(float(n)),
                "maximum": lambda x, y: tg.maximum(tg.as_tensor(x), y)}[name]  # fmt: skip


def stacked(values):
    return tg.stack([v if isinstance(v, tg.Tensor) else tg.tensor(float(v)) for v in values])


def differences(f, x, n, h):
    return np.array([(f(x + e, n) - f(x - e, n)) / (2 * h) for e in np.eye(SIZE) * h])


@SETTINGS
@given(programs().map(Program), st.integers(0, 3), st.integers(0, 1000))
def test_random_programs(program, n, seed):
    x = np.random.default_rng(seed).uniform(-1, 1, SIZE).round(3)
    f = compiled(program, numba.njit, math=math, np=np)
    value = f(x, n)
    if not np.isfinite(value) or abs(value) > 1e6:
        return event("too large")
    found, forward = tg.value_and_grad(f)(x, n)
    reverse = tg.jacrev(f)(x, n)
    assert found == pytest.approx(value, rel=1e-13)
    scale = max(1.0, np.abs(forward).max())
    np.testing.assert_allclose(forward, reverse, 1e-9, 1e-11 * scale)
    one, other = differences(f, x, n, 1e-5), differences(f, x, n, 2e-5)
    smooth = np.abs(one - other) < 1e-5 * (1 + np.abs(one))
    np.testing.assert_allclose(forward[smooth], one[smooth], 1e-4, 1e-4 * scale)
    try:
        of_facade, slope = in_the_facade(program, x, n)
    except RuntimeError as error:
        if not re.search("in.?place", str(error)):             # a view is read before it is written to
            raise
        return event("the façade refuses")
    event("the façade agrees")
    assert of_facade == pytest.approx(value, rel=1e-10, abs=1e-12)
    np.testing.assert_allclose(forward, slope, 1e-8, 1e-10 * scale)


def in_the_facade(program, x, n):
    """Value and gradient of the same text on Tensors."""
    apart = re.sub(r"^( *)([abc]) ([-+*])= (.*)$", r"\1\2 = \2 \3 (\4)", program, flags=re.M)     # a Tensor is written into
    leaf = tg.tensor(x, requires_grad=True)
    result = compiled(apart, lambda g: g, math=SAME, np=Facade(**vars(SAME)))(leaf, n)
    if result.requires_grad:
        result.backward()
    return result.item(), np.zeros(SIZE) if leaf.grad is None else leaf.grad.numpy()
