"""Machine code gives what the interpreter gives: values to the last bit, gradients and Jacobians to rounding."""

import ctypes
import itertools
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import tapegrad as tg
from tapegrad._jit import llvm
from tapegrad.ops import OPS
from tapegrad.ops.table import SCALARS, loaded_functions
from tapegrad.tensor import elementwise

ROUNDING = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-4}
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 5e-324, 1.7e308, 1e-310, 0.25, 3.0, -7.3, 40.0, -800.0]
SIZES = [*range(1, 41), 255, 256, 257, 259, 260, 511, 512, 513, 1023, 1027, 5000]


def tiers(function, **options):
    """The function in both tiers: the interpreter's, and machine code."""
    return [tg.compile(function, tier=tier, **options) for tier in ("interpreter", "machine")]


def trusted(function, *arguments):
    """What a function gives when it is replayed."""
    for _ in range(3):
        found = function(*arguments)
    return found


def made(compiled):
    """Codes that were made for a compiled function, its gradient and its Jacobian; reasons why others weren't."""
    programs = [program for site in compiled.sites.values() for program in site.paths]
    assert not [site.reason for site in compiled.sites.values() if site.reason]
    codes = [code for program in programs for code in program.tier.codes.values() if code is not None]
    return len(codes), {program.tier.reason for program in programs} - {""}


def is_compiled(compiled, codes=1):
    count, reasons = made(compiled)
    assert count >= codes, (count, reasons)
    assert not reasons


def same(x, y):
    """Equal to the last bit; all nans are equal."""
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype
    assert x.shape == y.shape
    x, y = (np.where(np.isnan(z), 0, z) for z in (np.stack([x, np.isnan(x)]), np.stack([y, np.isnan(y)])))
    differ = x.view(f"i{x.itemsize}") != y.view(f"i{y.itemsize}")
    assert not differ.any(), (x[differ][:5], y[differ][:5], np.argwhere(differ)[:5].tolist())


def close(x, y, rounding=None):
    """Equal but for rounding, relative to the largest element."""
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype
    assert x.shape == y.shape
    finite = np.isfinite(y)
    np.testing.assert_array_equal(np.where(finite, 0, x), np.where(finite, 0, y))
    if finite.any():
        largest = max(np.abs(y[finite]).max(), 1e-3)
        assert np.abs(x[finite] - y[finite]).max() <= (rounding or ROUNDING[y.dtype]) * largest, (x, y)


def draw(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def check(f, n=7, dtype=np.float64, samples=17, rounding=None, modes="vgjb"):
    """All that can be asked of ``f(x, s)``, x of n elements and s a number, in both tiers. `modes`: values, gradients, Jacobians,
    batches."""
    plain, fast = tiers(f)
    points = [(draw(n, seed=k, dtype=dtype), draw(seed=k + 9, dtype=dtype)[()]) for k in range(3)]
    points = [(x, s if dtype == np.float32 else float(s)) for x, s in points]
    scalar = np.size(trusted(plain, *points[0])) == 1
    trusted(fast, *points[0])
    if "v" in modes:
        for x, s in points:
            same(fast(x, s), plain(x, s))
    if "g" in modes and scalar:
        for numbers in (0, (0, 1)):
            pair = [tg.value_and_grad(g, numbers) for g in (plain, fast)]
            for x, s in points:
                (value, slopes), (found, gradients) = (g(x, s) for g in pair)
                same(found, value)
                for gradient, slope in zip(np.atleast_1d(gradients) if numbers == 0 else gradients,
                                           np.atleast_1d(slopes) if numbers == 0 else slopes):
                    close(gradient, slope, rounding)
    if "j" in modes:
        for transform, number in itertools.product((tg.jacobian, tg.jacfwd), (0, 1)):
            pair = [transform(g, number) for g in (plain, fast)]
            for x, s in points:
                close(pair[1](x, s), pair[0](x, s), rounding)
    if "b" in modes:
        xs, ss = draw(samples, n, seed=5, dtype=dtype), draw(samples, seed=6, dtype=dtype)
        check_batch(plain, fast, (0, 0), (xs, ss), rounding, scalar, "j" in modes)
    return fast


def check_batch(plain, fast, axes, arguments, rounding=None, scalar=True, jacobian=True):
    """Batches against one sample after the other."""
    size = next(x.shape[axis] for x, axis in zip(arguments, axes) if axis is not None)

    def sample(k):
        given = [x if axis is None else np.moveaxis(x, axis, 0)[k] for x, axis in zip(arguments, axes)]
        return [float(x) if type(x) is np.float64 else x for x in given]

    def compare(transform, how):
        found, one = tg.vmap(transform(fast), in_axes=axes)(*arguments), transform(plain)
        wanted = [one(*sample(k)) for k in range(size)]
        parts = zip(found, zip(*wanted)) if isinstance(found, tuple) else [(found, wanted)]
        for batch, each in parts:
            how(batch, np.array(each, batch.dtype))

    compare(lambda g: g, same)
    if scalar:
        compare(lambda g: tg.grad(g, (0, 1)), lambda x, y: close(x, y, rounding))
        compare(lambda g: tg.grad(g, 1), lambda x, y: close(x, y, rounding))
    if jacobian:
        compare(tg.jacobian, lambda x, y: close(x, y, rounding))


# Elementwise rows -----------------------------------------------------------------------------------------------------

ROWS = [op for op in OPS if op.value is not None]


def operands(op, dtype):
    """Points of its domain and special ones, all with all; fewer where there are many operands, or no form in text."""
    written = all(loaded_functions(rule).isdisjoint(SCALARS) for rule in (op.value, *op.partials) if rule is not None)
    special = SPECIAL[:: 2 if op.arity == 3 else 1] if written else []
    low_high = op.domain or ((-2, 2),) * op.arity
    drawn = [np.random.default_rng(k).uniform(*low_high[k], size=8 if not written else 5) for k in range(op.arity)]
    grid = np.meshgrid(*[[*special, *some] for some in drawn])
    with np.errstate(all="ignore"):
        return [g.reshape(-1).astype(dtype) for g in grid]


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_elementwise_rows(op, dtype):
    points = operands(op, dtype)
    n = len(points[0])
    weights = np.where(np.arange(n) % 5 == 0, 0, np.linspace(-1, 2, n)).astype(dtype)
    fixed = {k: points[k] for k in op.refused}
    points = [p for k, p in enumerate(points) if k not in fixed]
    active = tuple(n for n, k in enumerate(k for k in range(op.arity) if k not in fixed) if op.partials[k] is not None)

    def f(*given):
        *given, w = given
        given = iter(given)
        x = [tg.tensor(fixed[k]) if k in fixed else next(given) for k in range(op.arity)]
        whole = elementwise.apply(op, *x)
        mixed = [elementwise.apply(op, *[y[7] if k == q else y for k, y in enumerate(x)]) for q in range(op.arity)]
        number = elementwise.apply(op, *[y[7] for y in x])
        return (whole * w).sum(), (whole, *mixed, number)

    compiled = tiers(f)
    if not active:
        (value, others), (found, parts) = (trusted(g, *points, weights) for g in compiled)
    else:
        (((value, others), slopes), ((found, parts), gradients)) = (
            trusted(tg.value_and_grad(g, active, has_aux=True), *points, weights) for g in compiled)
        for gradient, slope in zip(gradients, slopes):
            same(gradient + 0, slope + 0)    # but for the sign of 0
    same(found, value)
    for part, other in zip(parts, others):
        same(part, other)
    count, reasons = made(compiled[1])
    assert count or reasons


# Vectors --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("n", "dtype"), [*[(n, np.float64) for n in SIZES], *[(n, np.float32) for n in SIZES[::3]]], ids=str)
def test_sizes_of_vectors(n, dtype):
    def f(x, s):
        y = tg.sin(x) * s + x[::-1] * (tg.arange(n, dtype=x.dtype) / n)
        z = (y[1:] - y[:-1] ** 2).sum() if n > 1 else y.sum()
        return z + (y / (1.5 + x * x)).mean() + (y * x).sum() * s

    is_compiled(check(f, n, dtype, modes="vg" if n > 40 or dtype == np.float32 else "vgj"))


W = draw(5, 7, seed=99)
VECTORS = {
    "steps": lambda x, s: x[::2].sum() * x[1::3].mean() - (x[::-2] * s).sum(),
    "reversed": lambda x, s: tg.flip(x, (0,)) * x[::-1] + s,
    "slices that overlap": lambda x, s: x[1:-1] * x[2:] - x[:-2] * s,
    "transposed": lambda x, s: (tg.outer(x, x * s).T[1:, ::2] * 2).sum(0),
    "expanded": lambda x, s: x.reshape(7, 1).expand(7, 3) * s,
    "number expanded": lambda x, s: (x[0] * s).expand(7) * x,
    "sums over axes": lambda x, s: tg.outer(x, tg.sin(x)).sum(0) * s + tg.outer(x, x).sum(1),
    "means over axes": lambda x, s: tg.outer(x, tg.sin(x)).mean(0) * s + tg.outer(x, x).mean(1),
    "sums of all": lambda x, s: tg.outer(x, x).sum() * s + tg.outer(x, x).mean() + x.mean(),
    "three axes": lambda x, s: (x.reshape(7, 1, 1) * x.reshape(1, 7, 1) * x.reshape(1, 1, 7)).sum((0, 2)) * s,
    "concatenated": lambda x, s: tg.cat((x[2:], x * s, x[:1])),
    "stacked": lambda x, s: tg.stack((x, x * s, tg.sin(x)), dim=1),
    "stacked numbers": lambda x, s: tg.stack([s, x[0], x[3] * s, s, x[0]]) * s,
    "matrix by vector": lambda x, s: tg.tensor(W.astype(x.dtype)) @ x * s,
    "vector by matrix": lambda x, s: (x * s) @ tg.outer(x, x),
    "matrices": lambda x, s: tg.outer(x, x) @ tg.outer(tg.sin(x), x) * s,
    "batches of matrices": lambda x, s: (x.reshape(7, 1, 1) * x[:4].reshape(1, 2, 2)) @ (x[2:6].reshape(2, 2) * s),
    "dot": lambda x, s: tg.dot(x, tg.sin(x)) * s,
    "taken": lambda x, s: x[[3, 3, 0, 6]] * s,
    "taken rows": lambda x, s: tg.outer(x, x)[[1, 1, 5]].sum(0) * s,
    "running sums": lambda x, s: tg.cumsum(x, 0) * s,
    "running products": lambda x, s: tg.cumprod(x, 0) * s,
    "softmax": lambda x, s: tg.softmax(x * s, 0),
    "log_softmax": lambda x, s: tg.log_softmax(tg.outer(x, x) * s, 1).sum(0),
    "logsumexp": lambda x, s: tg.logsumexp(x * s, 0),
    "norm": lambda x, s: tg.norm(x) * s + tg.norm(tg.outer(x, x)),
    "var": lambda x, s: tg.var(x) * s + tg.std(x),
    "prod": lambda x, s: tg.prod(x) * s,
    "extremes": lambda x, s: (x * s).amax() + tg.outer(x, x).amin(0).sum(),
    "where": lambda x, s: tg.where(x > 0, x * s, tg.sin(x)),
    "rolled": lambda x, s: tg.roll(x, 2, 0) * s - x,
    "diagonal": lambda x, s: tg.outer(x, x).diagonal() * s,
    "the input": lambda x, s: x,
    "a view of the input": lambda x, s: x[1:4],
    "an element": lambda x, s: x[3],
    "the number": lambda x, s: s,
    "the number, expanded": lambda x, s: s.expand(3),
    "of one input": lambda x, s: x * 2,
    "of the other input": lambda x, s: tg.sin(s) * tg.ones(20, dtype=s.dtype),
    "a number that a sum and elements read": lambda x, s: (lambda y: (y * x).sum() + y * x[0] + y)(tg.sin(s)),
    "a sum that vectors read": lambda x, s: (x / (x * x).sum() * s - x.mean()) * x,
    "many views": lambda x, s: sum((x[k : k + 3] * x[3 - k : 6 - k] * (k + s) for k in range(4)), x[:3]),
    "many records": lambda x, s: _repeated(lambda y: tg.sin(y) * x + 0.1 * y[::-1], x * s, 60),
}


def _repeated(step, x, times):
    for _ in range(times):
        x = step(x)
    return x


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name):
    check(VECTORS[name], rounding=1e-11)
    check(lambda x, s: (VECTORS[name](x, s) * 1.5).sum(), rounding=1e-11, modes="gb")


@pytest.mark.parametrize("name", list(VECTORS)[::2])
def test_vectors_of_float32(name):
    check(lambda x, s: (VECTORS[name](x, s) * 1.5).sum(), dtype=np.float32, samples=33, modes="gb")


def test_written_in_place():
    def f(x, s):
        y = x * s
        y[2:5] = tg.sin(x[:3])
        y[0] = s
        y.mul_(2.0)
        return y * x

    is_compiled(check(f), 3)


# Loops ----------------------------------------------------------------------------------------------------------------

def _back(turns, back):
    """A recurrence that reaches back."""
    def f(x, s):
        states = [s * 0.1 * k for k in range(back)]
        for i in range(turns):
            states.append(tg.sin(states[-back]) * 0.5 + states[-1] * x[i % 7])
        return states[-1]
    return f


def _swap(x, s):
    a, b = s, x[0]
    for _ in range(30):
        a, b = b, tg.tanh(a + 0.5 * b)
    return a * b


def _swap_through_data(x, s):
    """What begins as a record that varies goes on as one that does not."""
    a, b = s * 1.0, x[0]
    for i in range(30):
        a, b = x[i * 3 % 7], b + a
    return b * a


def _states(x, s):
    """States of all turns are read after the loop."""
    states = [s]
    for i in range(40):
        states.append(tg.tanh(states[-1] * x[i % 7] + 0.3))
    return tg.stack(states[::5]) * states[20] + states[7] + tg.sqrt(states[33] * states[33] + 0.5)


def _constants(x, s):
    for i in range(25):
        s = s * float(np.cos(i)) + x[2] * float(np.sin(i)) + 0.5
    return s


def _permuted(x, s):
    for i in (3, 1, 4, 1, 5, 6, 2, 6, 5, 3, 5, 0, 6, 3, 2, 3):
        s = tg.sin(s) * x[i] + x[6 - i]
    return s


def _nested(x, s):
    for i in range(7):
        for j in range(7):
            s = s + tg.sin(x[i] * x[j]) * 0.1
        s = s * x[i] * 0.5
    return s


def _branching(x, s):
    for i in range(21):
        s = tg.sin(s) * 2 if s > x[i % 7] else s * 0.5 + x[0]
    return s


def _long(records):
    """Numbers that don't repeat."""
    rng = np.random.default_rng(1)
    functions = [tg.sin, tg.cos, tg.tanh, tg.arctan, tg.sigmoid, tg.relu, tg.square]
    chosen = [(rng.integers(len(functions)), rng.integers(1, 60), rng.integers(7), rng.normal()) for _ in range(records)]

    def f(x, s):
        values = [s, x[1]]
        for function, back, place, weight in chosen:
            other = values[-min(back, len(values))]
            values.append(functions[function](values[-1] + other * weight) + (x[place] if place % 3 == 0 else 0.25))
        return values[-1] + values[len(values) // 2] + values[3]
    return f


def _into_vectors(x, s):
    """A loop reads elements of what vectors gave, and gives vectors."""
    y = tg.sin(x) * s
    total, states = s, []
    for i in range(21):
        total = total * y[i % 7] + y[(i * 2 + 1) % 7]
        states.append(total)
    z = tg.stack(states[-7:]) * y + tg.stack(states[:7])
    for i in range(14):
        total = tg.tanh(total + z[i % 7] * states[i])
    return z * total


def _two_loops(x, s):
    first, second = [s], [x[0]]
    for i in range(15):
        first.append(tg.sin(first[-1]) * x[i % 7])
    for i in range(15):
        second.append(second[-1] * first[i] + first[15 - i])
    return second[-1] + second[3] * first[4]


def _not_all_are_needed(x, s):
    """A part of what a loop computes goes into the value, and the number before it."""
    a, b = s * 1.0, x[0]
    for i in range(20):
        a, b = tg.sin(b), tg.cos(a) * x[i % 7]
    return a


def _reads_before(x, s):
    states = [x[0], x[1] * s, s]
    for i in range(24):
        states.append(states[i] * 0.5 + tg.sin(states[i + 2]) - states[i + 1] * x[i % 7])
    return states[-1] * states[1] + states[5]


LOOPS = {
    **{f"reaching {back} turns back": _back(24, back) for back in (1, 2, 3, 8, 9)},
    "a swap": _swap, "a swap through data": _swap_through_data, "states that are read": _states,
    "other constants in each turn": _constants, "places in any order": _permuted, "nested": _nested, "branching": _branching,
    "500 records": _long(250), "1300 records": _long(650), "into vectors": _into_vectors, "two loops": _two_loops,
    "not all are needed": _not_all_are_needed, "reads what is before": _reads_before,
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name):
    check(LOOPS[name], rounding=1e-10, modes="vg" if "1300" in name else "vgjb")


@pytest.mark.parametrize("n", [3, 5, 7, 33, 300])
@pytest.mark.parametrize("then", [lambda m: m, lambda m: m * 1.7 + 0.3, lambda m: tg.sqrt(m) - m], ids=["mean", "line", "root"])
def test_means_in_float32_are_rounded_as_kernels_do(n, then):
    """To the last bit, one at a time and in batches."""

    def f(x):
        return then(tg.mean(tg.sqrt(x)))

    points = np.random.default_rng(n).uniform(0, 1.2, (40, n)).astype(np.float32)
    compiled = tg.compile(f, tier="machine")
    expected = np.array([tg.vjp(f, x)[0] for x in points])
    for _ in range(3):
        np.testing.assert_array_equal([compiled(x) for x in points], expected)
        np.testing.assert_array_equal(tg.vmap(compiled)(points), expected)



@pytest.mark.parametrize("name", ["a swap", "states that are read", "nested", "into vectors"])
def test_sums_of_what_loops_give_in_float32(name):
    check(lambda x, s: LOOPS[name](x, s).sum(), dtype=np.float32, samples=33, modes="vgb")


def test_gradients_of_numbers_are_the_same_to_the_last_bit():
    def f(a, b):
        c = tg.sin(a) * b
        return tg.exp(c / (1.5 + a * a)) + tg.maximum(c, b) * tg.tanh(a)

    plain, fast = (tg.value_and_grad(g, (0, 1)) for g in tiers(f))
    for point in draw(8, 2).tolist():
        for x, y in zip(plain(*point)[1], fast(*point)[1]):
            same(x, y)


def test_loops_over_parameters():
    """Many numbers as arguments."""
    def f(*numbers):
        total = 0.0
        for k, x in enumerate(numbers):
            total = tg.sin(total + x) * (k + 1) + x * x
        return total

    plain, fast = (tg.value_and_grad(g, tuple(range(12))) for g in tiers(f))
    point = draw(12).tolist()
    trusted(plain, *point), trusted(fast, *point)
    for x, y in zip(plain(*point)[1], fast(*point)[1]):
        close(x, y)


# Batches --------------------------------------------------------------------------------------------------------------

def _of_three(x, s, w):
    y = tg.sin(x * s) + w @ x
    for i in range(12):
        s = tg.tanh(s) * x[i % 3] + w[i % 3, 1]
    return (y * w[0]).sum() * s + (w[1] * y).sum()


@pytest.mark.parametrize("samples", [15, 16, 17, 33, 40])
@pytest.mark.parametrize("axes", [(0, 0, 0), (1, 0, None), (None, 0, 1), (0, None, 2), (None, None, -1), (-1, None, None)],
                         ids=str)
def test_batches(axes, samples):
    plain, fast = tiers(_of_three)
    shapes = (3,), (), (3, 3)
    arguments = []
    for k, (shape, axis) in enumerate(zip(shapes, axes)):
        one = draw(samples, *shape, seed=k) if axis is not None else draw(*shape, seed=k)
        arguments.append(float(one) if one.ndim == 0 else np.moveaxis(one, 0, axis) if axis is not None else one)
    check_batch(plain, fast, axes, arguments, rounding=1e-11)


def test_guards_in_batches():
    """Samples that take another way are computed for themselves."""
    def f(x):
        if x[0] > 1.2:
            return (x * x).sum()
        return tg.sin(x).sum() * x[1]

    plain, fast = tiers(f)
    x = draw(70, 3, seed=4)
    value, gradient = tg.vmap(tg.value_and_grad(fast))(x)
    for k in range(len(x)):
        expected, slope = tg.value_and_grad(plain)(x[k])
        same(value[k], expected)
        close(gradient[k], slope)


# Ends -----------------------------------------------------------------------------------------------------------------

OUTPUTS = {
    "a tuple": lambda x, s: (x * s, s, x, x[1:3], x.sum()),
    "a dict": lambda x, s: {"a": x * s, "b": [s * 2, x[0]], "c": x.reshape(7, 1)},
    "constants": lambda x, s: (x * s, tg.tensor([1.0, 2.0]), 3.0, "text"),
    "one thing twice": lambda x, s: (lambda y: (y, y, y.reshape(1, 7)))(x * s),
    "an element of an input": lambda x, s: (x[3], x[3] * s),
    "what a loop leaves": lambda x, s: tuple(_states(x, s + k) for k in range(2)),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name):
    plain, fast = tiers(OUTPUTS[name])
    for k in range(4):
        x, s = draw(7, seed=k), float(k) + 0.5
        expected, found = trusted(plain, x, s), trusted(fast, x, s)
        assert str(type(found)) == str(type(expected))
        pairs = list(zip(_ends(found), _ends(expected)))
        for one, other in pairs:
            same(one, other) if not isinstance(other, str) else None
    is_compiled(fast)


def _ends(tree):
    if isinstance(tree, dict):
        return [end for key in sorted(tree) for end in _ends(tree[key])]
    return [end for part in tree for end in _ends(part)] if isinstance(tree, (tuple, list)) else [tree]


def test_what_is_given_back_stays():
    """Results of one call are not written by the next."""
    fast = tiers(lambda x, s: (x * s, x))[1]
    gradient = tg.grad(tg.compile(lambda x: (x * x).sum(), tier="machine"))
    x = draw(7)
    trusted(fast, x, 2.0), trusted(gradient, x)
    first, slope = fast(x, 2.0), gradient(x)
    fast(x, 3.0), gradient(x + 1)
    same(first[0], x * 2)
    same(first[1], x)
    same(slope, x * 2)


def test_aux_and_several_arguments():
    def f(x, pair, s):
        y = x * pair[0] + tg.sin(pair[1])
        return (y * y).sum() * s, {"y": y, "s": s}

    arguments = draw(7), (draw(7, seed=1), draw(7, seed=2)), 0.7
    plain, fast = (tg.value_and_grad(g, (0, 1, 2), has_aux=True) for g in tiers(f))
    (expected, aux), slopes = trusted(plain, *arguments)
    (value, found), gradients = trusted(fast, *arguments)
    same(value, expected)
    for key in aux:
        same(found[key], aux[key])
    for one, other in zip(_ends(gradients), _ends(slopes)):
        close(one, other)


def test_gradients_into_arrays():
    fast = tg.value_and_grad(tg.compile(lambda x: (tg.sin(x) * x).sum(), tier="machine"))
    x = draw(20)
    trusted(fast, x)
    out = np.full(20, np.nan)
    assert fast(x, out=out)[1] is out
    close(out, np.cos(x) * x + np.sin(x))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2, 3)], ids=str)
def test_shapes_of_arguments_and_results(shape):
    plain, fast = tiers(lambda x: tg.sin(x) * x)
    x = draw(*shape)
    same(trusted(fast, x), trusted(plain, x))
    same(np.shape(fast(x)), np.shape(x))
    close(trusted(tg.jacobian(fast), x), tg.jacobian(plain)(x))
    batch = draw(17, *shape)
    same(tg.vmap(fast)(batch), np.stack([plain(y) for y in batch]))


EMPTY = {
    "sums": lambda x, y: (x * y).sum() + y.sum(), "a join": lambda x, y: tg.cat((x, x[:0], y)) * 2,
    "a view": lambda x, y: x[::-1] + y, "products": lambda x, y: tg.outer(x, y) @ y, "running sums": lambda x, y: tg.cumsum(x, 0),
    "the input": lambda x, y: x,
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("n", [0, 1])
def test_empty_arrays(name, n):
    plain, fast = tiers(EMPTY[name])
    x, y = draw(n), draw(n, seed=1)
    expected = trusted(plain, x, y)
    same(trusted(fast, x, y), expected)
    if np.size(expected) == 1:
        for one, other in zip(trusted(tg.grad(fast, (0, 1)), x, y), trusted(tg.grad(plain, (0, 1)), x, y)):
            close(one, other)
    close(trusted(tg.jacobian(fast), x, y), trusted(tg.jacobian(plain), x, y))
    xs, ys = draw(33, n), draw(33, n, seed=1)
    same(tg.vmap(fast)(xs, ys), np.stack([plain(*pair) for pair in zip(xs, ys)]))
    close(tg.vmap(tg.jacobian(fast))(xs, ys), np.stack([tg.jacobian(plain)(*pair) for pair in zip(xs, ys)]))


def test_large_inputs_are_read_where_they_are():
    fast, gradient = (made(tg.compile(lambda x, y: (x * tg.sin(y)).sum(), tier="machine")) for made in (lambda g: g, tg.grad))
    plain = tg.compile(lambda x, y: (x * tg.sin(y)).sum(), tier="interpreter")
    for k in range(4):
        x = draw(20_000, seed=k)
        for pair in ((x, draw(20_000, seed=k + 9)), (x, x), (x[::-1], x), (x, x)):
            same(fast(*pair), trusted(plain, *pair))
            close(gradient(*pair), np.sin(pair[1]))


# Guards ---------------------------------------------------------------------------------------------------------------

def _ways(x):
    if x[0] > 0:
        x = x * 2
    while x.sum() < 4:
        x = x * 1.5 + 1
    if (x > 2).any():
        x = tg.sin(x)
    return x.sum() if x[1] != x[2] else x[0]


def test_another_way_is_recorded():
    plain, fast = (tg.value_and_grad(g) for g in tiers(_ways))
    points = [*draw(30, 3, seed=3), np.ones(3), np.array([np.nan, 1.0, 2.0]), np.array([1.0, np.inf, 2.0])]
    for x in [*points, *points[::-1]]:
        for one, other in zip(fast(x), plain(x)):
            close(one, other)


def test_a_value_that_is_read_is_a_guard_to_the_last_bit():
    f = lambda x: x.sum() * float(x[0]) if x[1].item() == 2 else x[1]
    plain, fast = tiers(f)
    for x in [np.array([a, b]) for a in (0.0, -0.0, 1.0, np.nan) for b in (2.0, 3.0)] * 3:
        same(fast(x), plain(x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0, 1e300, 1e-310])
def test_special_values_go_through(special, dtype):
    def f(x):
        y = tg.where(x > 0, x, tg.exp(x)) * x
        for i in range(9):
            y = tg.maximum(y, x[i % 5] * 0.5) + 0.1 * x[::-1]
        return y.sum() + y[0]

    plain, fast = (tg.value_and_grad(g) for g in tiers(f))
    with np.errstate(over="ignore"):
        points = [np.where(np.arange(5) == k, special, draw(5)).astype(dtype) for k in range(5)]
    for x in [points[0], *points]:
        (value, gradient), (expected, slope) = fast(x), plain(x)
        same(value, expected)
        close(gradient, slope)


# Sparse Jacobians -----------------------------------------------------------------------------------------------------

def _tridiagonal(x):
    return tg.cat((x[:1], x[1:-1] * x[:-2] - x[2:] ** 2, x[-1:] * x[-2]))


def _arrow(x):
    return tg.cat((x.sum().reshape(1), x[1:] * x[0] + tg.sin(x[1:])))


JACOBIANS = {
    "tridiagonal": _tridiagonal, "arrow": _arrow,
    "blocks": lambda x: tg.cat([tg.outer(x[k : k + 3], tg.sin(x[k : k + 3])).reshape(-1) for k in range(0, len(x) - 2, 3)]),
    "diagonal": lambda x: tg.sin(x) * 2, "permuted": lambda x: x[[*range(1, len(x)), 0]] ** 2,
    "every second": lambda x: tg.sin(x[::2]), "dense": lambda x: tg.cumsum(tg.sin(x), 0),
    "few rows": lambda x: tg.stack((x.sum(), x[0], (x * x).mean())),
    "one element": lambda x: x[2:3] ** 2 * tg.ones(len(x), dtype=x.dtype),
    "zeros": lambda x: tg.ones(len(x), dtype=x.dtype) * x[0] * 0,
    "a loop": lambda x: tg.stack([x[i] * x[i - 1] + tg.sin(x[i - 2]) for i in range(len(x))]),
}


@pytest.mark.parametrize("n", [5, 8, 9, 30, 64])
@pytest.mark.parametrize("name", JACOBIANS)
def test_sparse_jacobians(name, n):
    plain, fast = tiers(JACOBIANS[name])
    for transform in (tg.jacobian, tg.jacfwd):
        for k in range(3):
            close(transform(fast)(draw(n, seed=k)), transform(plain)(draw(n, seed=k)))
    if n == 30:
        x = draw(17, n)
        close(tg.vmap(tg.jacobian(fast))(x), np.stack([tg.jacobian(plain)(y) for y in x]))


def test_a_jacobian_by_what_the_result_does_not_depend_on():
    fast = tg.jacobian(tg.compile(lambda x, y: y * 2, tier="machine"))
    same(trusted(fast, draw(30), draw(30)), np.zeros((30, 30)))


HESSIANS = {
    "chain": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "arrow": lambda x: (x[1:] ** 2 * x[0]).sum() + tg.sin(x).sum(),
    "dense": lambda x: tg.exp((x * x).mean()) * x.sum(),
    "a loop": lambda x: sum((tg.sin(x[i] * x[i - 1]) for i in range(len(x))), x[0]),
}


@pytest.mark.parametrize("n", [3, 8, 20, 33])
@pytest.mark.parametrize("name", HESSIANS)
def test_hessians(name, n):
    plain, fast = (tg.hessian(g) for g in tiers(HESSIANS[name]))
    for k in range(3):
        close(fast(draw(n, seed=k)), plain(draw(n, seed=k)), 1e-10)


# Random programs ------------------------------------------------------------------------------------------------------

FUNCTIONS = "tg.sin({})", "tg.tanh({})", "tg.sqrt(tg.square({}) + 0.5)", "tg.relu({})", "{} * 0.5", "tg.exp(tg.tanh({}))"
PAIRS = "{} + {}", "{} - {}", "{} * {}", "{} / (1.5 + {} ** 2)", "tg.maximum({}, {})", "tg.where({} > 0.2, {}, 0.5)"
WHOLE = (*PAIRS, "{}[::-1] * {}", "tg.cat(({}[1:], {}[:1]))", "tg.outer({}, {}).mean(0)", "tg.roll({}, 1, 0) - {}",
         "tg.softmax({} * {}, 0)")
NUMBERS = "tg.dot({}, {})", "({}[1:] * {}[:-1]).sum()", "({} - {} ** 2).mean()", "tg.norm({} + {})"


def program(rng):
    """The text of a random function of x, five elements, and s, a number, with loops that carry numbers along."""
    lines, numbers, vectors = ["def f(x, s):"], ["s", "x[0]", "x[-2]"], ["x"]
    pick = lambda names: names[rng.integers(len(names))]
    for k in range(rng.integers(3, 9)):
        kind = rng.integers(4)
        if kind == 0:
            lines.append(f"    v{k} = {pick(WHOLE).format(pick(vectors), pick(vectors))} * {pick(numbers)}")
            vectors.append(f"v{k}")
        elif kind == 1:
            lines.append(f"    a{k} = {pick(NUMBERS).format(pick(vectors), pick(vectors))}")
            numbers.append(f"a{k}")
        else:
            lines += [f"    p{k}, q{k}, r{k} = {pick(numbers)}, {pick(numbers)}, [{pick(numbers)}]",
                      f"    for i in range({rng.integers(5, 40)}):"]
            known = [f"p{k}", f"q{k}", pick(numbers), f"{pick(vectors)}[i * {rng.integers(1, 4)} % 5]", f"r{k}[-1]",
                     f"r{k}[max(i - {rng.integers(1, 4)}, 0)]"]
            for n in range(rng.integers(1, 5)):
                lines.append(f"        t{n} = {pick(PAIRS).format(pick(known), pick(FUNCTIONS).format(pick(known)))}")
                known.append(f"t{n}")
            lines += [f"        p{k}, q{k} = {pick(known)} * 0.5, {pick(known)}", f"        r{k}.append(tg.tanh({pick(known)}))"]
            lines.append(f"    w{k} = tg.stack(r{k}[-5:]) + x * r{k}[2]")
            numbers += [f"p{k}", f"q{k}", f"r{k}[{rng.integers(5)}]"]
            vectors.append(f"w{k}")
    lines.append(f"    return ({' + '.join(vectors[-3:])}).sum() * 0.1 + {numbers[-1]} + {pick(numbers)}")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    text = program(np.random.default_rng(seed))
    names = {"tg": tg}
    exec(text, names)
    with np.errstate(all="ignore"):
        check(names["f"], 5, rounding=1e-9)


# Threads, pickles, the cache ------------------------------------------------------------------------------------------

def test_many_threads():
    plain, fast = (tg.value_and_grad(g) for g in tiers(lambda x: _states(x, x[0]).sum() + (x * tg.sin(x)).sum()))
    points = draw(64, 7)
    wanted = [trusted(plain, x) for x in points]
    trusted(fast, points[0])
    failures = []

    def work(start):
        for _ in range(20):
            for k in range(start, len(points), 4):
                value, gradient = fast(points[k])
                if value != wanted[k][0] or not np.allclose(gradient, wanted[k][1], rtol=1e-11, atol=0):
                    failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def module_level(x):
    return (tg.sin(x) * x).sum()


def test_pickled():
    fast = pickle.loads(pickle.dumps(tg.compile(module_level, tier="machine")))
    same(trusted(fast, draw(5)), trusted(tg.compile(module_level, tier="interpreter"), draw(5)))
    is_compiled(fast)


PROGRAM = """
import numpy as np, tapegrad as tg
from tapegrad._jit import llvm
compiled = []
kept = llvm._compiled
llvm._compiled = lambda *given: compiled.append(1) or kept(*given)
{0}
f = tg.value_and_grad(tg.compile(lambda x: (tg.sin(x) * x).sum() + tg.exp(x[0]), tier="machine"))
for _ in range(3):
    value, gradient = f(np.linspace(0.0, 1.0, 5))
print(len(compiled), value.hex(), gradient.tobytes().hex())
"""
ANOTHER_RULE = "from tapegrad.ops import BY_NAME; op = BY_NAME['sin']; op.partials = (lambda g, x, z: g * 2.0,)"


def run(tmp_path, change=""):
    """(number of compilations, value, gradient) of a new process that shares its folder of machine code with others."""
    move = f"import pathlib; llvm._folder = lambda: pathlib.Path({str(tmp_path)!r})"
    text = PROGRAM.format(f"{move}\n{change}")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, env=dict(os.environ))
    count, value, gradient = done.stdout.split()
    return int(count), value, gradient


def test_the_cache_on_disk(tmp_path):
    count, *found = run(tmp_path)
    assert count == 1
    assert run(tmp_path) == (0, *found)
    count, value, gradient = run(tmp_path, ANOTHER_RULE)
    assert (count, value) == (1, found[0])
    assert gradient != found[1]


def test_damaged_files_are_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(llvm, "_folder", lambda: tmp_path)
    seven = "define i64 @seven() {\n  ret i64 7\n}\n"
    asked = []

    def make():
        asked.append(1)
        return seven, ["seven"], {"known": 1}, True

    def call():
        code = llvm.machine_code("a test", make, lambda facts: facts["known"])
        return ctypes.CFUNCTYPE(ctypes.c_int64)(code.addresses["seven"])()

    assert (call(), call(), len(asked)) == (7, 7, 1)
    (file,) = tmp_path.iterdir()
    content, middle = file.read_bytes(), file.stat().st_size // 2
    changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    others = content.replace(b"known", b"knows"), b"", b"{}\n", b"\n\n", b"\xff\n", b"[]\n1"
    for n, damaged in enumerate((content[:-9], changed, *others)):
        file.write_bytes(damaged)
        assert (call(), len(asked)) == (7, n + 2)
        assert file.read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_compiles_leaves_a_child_that_can():
    begun, go_on = threading.Event(), threading.Event()

    def compiling():
        with llvm._lock:
            begun.set()
            go_on.wait(60)

    thread = threading.Thread(target=compiling)
    thread.start()
    begun.wait(60)
    child = os.fork()
    if not child:
        os._exit(0 if llvm._lock.acquire(timeout=1) else 1)
    assert os.waitpid(child, 0)[1] == 0
    go_on.set()
    thread.join()
    assert llvm._lock.acquire(timeout=1)
    llvm._lock.release()


def test_tiers():
    with pytest.raises(ValueError, match="tier is 'machine', 'interpreter' or None"):
        tg.compile(lambda x: x, tier="fast")
    plain, fast = tiers(lambda x: x.sum())
    trusted(plain, draw(3)), trusted(fast, draw(3))
    assert made(plain) == (0, set())
    is_compiled(fast)
