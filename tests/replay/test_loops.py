"""Unrolled loops of vectors, which machine code makes loops again."""
import numpy as np
import pytest

import tapegrad as tg
from tapegrad._jit import llvm
from tapegrad.replay.machine import planning
from tapegrad.replay.machine.generator import Generator
from tapegrad.replay.machine.turning import Turns


def normal(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


DATA = normal(25, 7)


def recurrent(w, u, x):
    h = tg.zeros(14, dtype=w.dtype)
    for row in x:
        h = tg.tanh(w * h + u * row)
    return (h * h).sum()


def with_matrix(w, x):
    h, sums = w[0] * 0, []
    for row in x:
        h = tg.tanh(w @ h + row)
        sums.append(h.sum())
    return sum(sums)


def descent(x, a):
    for _ in range(20):
        x = x - 0.01 * (a @ x)
    return x.sum()


def two_back(a, b):
    for _ in range(30):
        a, b = b, tg.sin(a) + b * 0.5
    return (a * b).sum()


def three_back(a, b, c):
    for k in range(20):
        a, b, c = b, c, a * 0.9 - tg.tanh(b * c) * (1.0 / (k + 1))
    return (a + b * c).sum()


def likelihood(m, s):
    total = 0.0
    for y in DATA:
        d = (y.astype(m.dtype) - m) / s[0]
        total = total + (d * d).sum() * 0.5 + tg.log(s[0])
    return total


def states(x):
    h, kept = x, []
    for _ in range(20):
        h = h * x + 0.1
        kept.append(h)
    return sum([(a * b).sum() for a, b in zip(kept, reversed(kept))]) + kept[3][1] * kept[-1][0]


def windows(x):
    total = x[0] * 0.0
    for t in range(20):
        total = total + tg.exp(x[t:t + 5]).sum() * x[3 * t]
    return total


def uneven(x):
    total = x[:3] * 0.0
    for t in (0, 5, 1, 7, 7, 2, 11, 3, 9, 4):
        total = total * 0.5 + x[t:t + 3] * x[2 * t]
    return (total ** 2).sum()


def numbers_between(x):
    scale, h = x[0], x
    for k in range(15):
        scale = scale * 0.9 + x[k % 4]
        h = h * scale - tg.sin(h)
    return h.sum() * scale


def nested(x):
    h = x
    for _ in range(6):
        for k in range(5):
            h = h + 0.1 * tg.sin(h * (k + 1.0))
        h = h / (1 + h.sum() ** 2)
    return h.sum()


def outputs(x):
    h, rows = x, []
    for _ in range(12):
        h = tg.cos(h) * x
        rows.append(h)
    return tg.stack(rows)


CASES = {
    recurrent: (normal(14), normal(14), normal(30, 14)), with_matrix: (normal(5, 5), normal(30, 5)),
    descent: (normal(8), normal(8, 8)), two_back: (normal(9), normal(9) + 1),
    three_back: (normal(3), normal(3) + 1, normal(3) - 1), likelihood: (normal(7), np.abs(normal(1)) + 1),
    states: (normal(4),), windows: (normal(80),), uneven: (normal(40),), numbers_between: (normal(6),), nested: (normal(5),),
}
cases = pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)


def loops(f, arguments):
    program = tg.record(f, *arguments).program
    return [node for node in Generator(program, 0, range(len(arguments))).nodes if isinstance(node, Turns)]


@cases
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients(f, dtype):
    arguments = [x.astype(dtype) for x in CASES[f]]
    every = tuple(range(len(arguments)))
    if f not in (nested, numbers_between):
        assert loops(f, arguments)
    value, gradients = tg.value_and_grad(f, every)(*arguments)
    fast = tg.value_and_grad(tg.compile(f, tier="machine"), every)
    for _ in range(3):
        found, slopes = fast(*arguments)
    assert found == value
    for g, expected in zip(slopes, gradients):
        assert g.dtype == dtype
        eps = np.finfo(dtype).eps
        np.testing.assert_allclose(g, expected, 1e4 * eps, np.abs(expected).max() * 1e3 * eps)


@cases
def test_batches(f):
    arguments = CASES[f]
    batch = [np.stack([x * (1 + 0.01 * k) for k in range(35)]) for x in arguments]
    fast = tg.compile(f, tier="machine")
    found = tg.vmap(fast)(*batch)
    slopes = tg.vmap(tg.grad(fast))(*batch)
    for k in (0, 20, 34):
        sample = [x[k] for x in batch]
        assert found[k] == tg.value_and_grad(f)(*sample)[0]
        expected = tg.grad(f)(*sample)
        np.testing.assert_allclose(slopes[k], expected, 1e-11, np.abs(expected).max() * 1e-13)


def test_jacobians():
    x = normal(9)
    fast = tg.jacobian(tg.compile(outputs, tier="machine"))
    for _ in range(3):
        found = fast(x)
    np.testing.assert_allclose(found, tg.jacobian(outputs)(x), 1e-12, 1e-14)
    batch = np.stack([x, x + 0.1] * 10)
    np.testing.assert_allclose(tg.vmap(fast)(batch)[1], tg.jacobian(outputs)(batch[1]), 1e-12, 1e-14)


@pytest.mark.parametrize("f", [states, descent, two_back], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    x, *rest = CASES[f]

    def of_first(x):
        return f(x, *[tg.tensor(y) for y in rest])
    fast = tg.compile(of_first, tier="machine")
    hessian, v = tg.hessian(fast), normal(len(x))
    for _ in range(3):
        found, product = hessian(x), tg.hvp(fast, x, v)
    expected = tg.hessian(of_first)(x)
    np.testing.assert_allclose(found, expected, 1e-10, np.abs(expected).max() * 1e-12)
    np.testing.assert_allclose(product, expected @ v, 1e-9, np.abs(expected).max() * 1e-11)


def test_the_code_does_not_grow_with_the_turns():
    def sizes(count):
        def f(x):
            for _ in range(count):
                x = tg.sin(x) * 0.9
            return x.sum()
        program = tg.record(f, normal(6)).program
        return len(Generator(program, 0, (0,)).write())
    assert sizes(500) < 1.2 * sizes(20)


@cases
def test_functions_of_few_records(f, monkeypatch):
    """Every loop and group in a function of its own: what they share lies in memory."""
    monkeypatch.setattr(planning, "PIECE", 3)
    monkeypatch.setattr(llvm, "_read", lambda stamp: None)
    monkeypatch.setattr(llvm, "_write", lambda *kept: None)
    arguments = CASES[f]
    every = tuple(range(len(arguments)))
    value, gradients = tg.value_and_grad(f, every)(*arguments)
    fast = tg.value_and_grad(tg.compile(f, tier="machine"), every)
    for _ in range(3):
        found, slopes = fast(*arguments)
    assert found == value
    batch = tg.vmap(fast)(*[np.stack([x] * 33) for x in arguments])
    for g, several, expected in zip(slopes, batch[1], gradients):
        for some in (g, several[0], several[20]):
            np.testing.assert_allclose(some, expected, 1e-11, np.abs(expected).max() * 1e-13)


def test_a_fault_of_the_writer_is_told_and_interpreted(monkeypatch):
    def fault(*_, **__):
        raise KeyError("a fault")
    monkeypatch.setattr(planning.Planning, "_cut", fault)
    monkeypatch.setattr(llvm, "_read", lambda stamp: None)
    slope, x = tg.grad(tg.compile(states, tier="machine")), normal(4)
    slope(x)
    with pytest.warns(RuntimeWarning, match="no machine code could be made"):
        slope(x)
    np.testing.assert_array_equal(slope(x), tg.grad(states)(x))
