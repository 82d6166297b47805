"""Long vectors of a program share places, and nobody can tell but by the memory."""
import numpy as np
import pytest

import tapegrad as tg
from tapegrad.replay import layout

N = 11


def random_program(seed):
    rng = np.random.default_rng(seed)
    steps = rng.integers(1 << 20, size=(14, 4)).tolist()
    unary = [tg.sin, tg.tanh, tg.exp, abs, tg.relu, lambda x: -x, lambda x: x**2, lambda x: 0.5 * x + 1.0, tg.sqrt, tg.sigmoid,
             lambda x: x[::-1], lambda x: x.cumsum(0), lambda x: tg.softmax(x, 0), lambda x: tg.stack([x, x * 2.0]).sum(0),
             lambda x: x * np.arange(N), lambda x: tg.concatenate([x[1:], x[:1]])]
    binary = [lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, tg.maximum, lambda x, y: x / (y * y + 1.0),
              lambda x, y: tg.where(x > y, x, y * 0.5), lambda x, y: x * y.sum(),
              lambda x, y: x.reshape(1, N) @ y.reshape(N, 1) * y, tg.arctan2, lambda x, y: (x[:, None] * y[None, :]).sum(1)]

    def function(x):
        pool = [x, 0.5 * x]
        for kind, i, j, k in steps:
            u, v = pool[i % len(pool)], pool[j % len(pool)]
            z = unary[k % len(unary)](u) if kind % 2 else binary[k % len(binary)](u, v)
            pool.append(tg.tanh(tg.reshape(z, (N,))))
        return pool[-1], tg.sin(pool[-3]) * pool[-2], pool[len(pool) // 2].sum()
    return function


def derivatives(function, x):
    """Values and everything that sweeps give, of one compiled function, twice."""
    f, loss = tg.compile(function), tg.compile(lambda x: (function(x)[1] ** 2).sum() + function(x)[2])
    found = []
    for _ in range(4):
        value, pull = tg.vjp(f, x)
        found += [*value, *tg.jvp(f, (x,), (np.cos(x),))[1], pull((x, 2 * x, 1.0))[0], pull((x, 0 * x, 0.5))[0]]
        found += [*tg.jacrev(f)(x), *tg.jacfwd(f)(x), *tg.value_and_grad(loss)(x), tg.hvp(loss, x, x)]
    assert all(site.paths or site.reason for g in (f, loss) for site in g.sites.values())
    return found, [site.paths[0] for g in (f, loss) for site in g.sites.values() if site.paths]


@pytest.mark.parametrize("seed", range(25))
def test_results_are_the_same(seed, monkeypatch):
    x = np.random.default_rng(seed).normal(size=N)
    function = random_program(seed)
    apart, programs = derivatives(function, x)
    assert all(p.layout is p.whole for p in programs)
    monkeypatch.setattr(layout, "SHARED", 0)
    monkeypatch.setattr(layout, "SPREAD", 0)
    together, programs = derivatives(function, x)
    assert programs and all(p.layout is not p.whole for p in programs)
    for a, b in zip(apart, together, strict=True):
        assert np.array_equal(a, b, equal_nan=True)


def test_the_cotangent_of_an_early_output_waits(monkeypatch):
    """While the sweep is busy with what was recorded later."""
    monkeypatch.setattr(layout, "SHARED", 0)
    monkeypatch.setattr(layout, "SPREAD", 0)

    def f(x):
        early, y = tg.sin(x) * 2.0, x
        for _ in range(5):
            y = tg.tanh(y * 1.5)
        return early, y
    x, compiled = np.linspace(-1, 1, N), tg.compile(f)
    for _ in range(3):
        found, expected = tg.vjp(compiled, x)[1]((x, x * x))[0], tg.vjp(f, x)[1]((x, x * x))[0]
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_a_long_chain_needs_a_few_vectors():
    """Values that no derivative reads make room for the next ones, and adjoints that have been passed on."""
    def f(x):
        y = x
        for k in range(100):
            y = y * 1.01 + 0.01 * k
        return y.sum()
    n = 5000
    program = tg.record(f, np.ones(n)).program
    assert program.recorded > 200 and program.layout.values < 4 * n and program.layout.adjoints < 5 * n
    compiled = tg.compile(f)
    for x in (np.ones(n), np.linspace(0, 1, n), np.linspace(1, 0, n)):
        value, gradient = tg.value_and_grad(compiled)(x)
        expected, slope = tg.value_and_grad(f)(x)
        assert value == expected and np.array_equal(gradient, slope)


def test_values_that_derivatives_read_stay():
    def f(x):
        y = x
        for _ in range(20):
            y = tg.sin(y) * x
        return y.sum()
    n = 6000
    program = tg.record(f, np.ones(n)).program
    assert program.layout.values > 39 * n and program.layout.adjoints < 5 * n


def test_a_table_shows_every_value():
    n = 40_000
    tape = tg.record(lambda x: ((x + 1.0) * 2.0 - 3.0).sum(), np.arange(n, dtype=float))
    assert tape.program.layout is not tape.program.whole
    assert [v[1] for v in tape.values() if v.size == n] == [1.0, 2.0, 4.0, 1.0]
