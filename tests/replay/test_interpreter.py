"""Programs of numbers run as instructions: values and gradients are those of the sweeps to the last bit."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.kernels import numbers
from tapegrad.ops import BY_NAME
from tapegrad.replay import interpreter

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, 1e300]


@pytest.fixture
def both(monkeypatch):
    """Runs a function as a sweep and as instructions; asserts that value and gradient are the same; gives the program."""
    def run(function, *inputs, instructed=True):
        found = []
        for fewest in (1 << 60, 1):
            monkeypatch.setattr(interpreter, "FEWEST", fewest)
            monkeypatch.setattr(interpreter, "REPAYS", 1)
            monkeypatch.setattr(interpreter, "COLD", 1)
            compiled = tg.compile(function)
            derivative, results = tg.value_and_grad(compiled), []
            for x in (*inputs[:1] * 3, *inputs, *inputs, *inputs):
                results.append((*derivative(x), compiled(x)))     # in this order: one leaves nothing that serves the other
            programs = [p for site in compiled.sites.values() for p in site.paths]
            assert all((p.instructions is not None) == (fewest == 1 and instructed) for p in programs), "as instructions or not"
            found.append(results)
        for one, other in zip(*found):
            for a, b in zip(one, other):
                assert a.dtype == b.dtype and np.shape(a) == np.shape(b)
                assert np.array_equal(a, b, equal_nan=True)
                assert np.array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)])
        return programs[0]
    return run


def special(values, dtype):
    with np.errstate(over="ignore", under="ignore"):
        return np.array(values).astype(dtype)


def random_program(seed, length):
    """A function of a vector: `length` operations of numbers, picked at random."""
    rng = np.random.default_rng(seed)
    names = [name for name in numbers.NAMES if name != "where"]
    steps = [(names[k], *rng.integers(1 << 30, size=3).tolist()) for k in rng.integers(len(names), size=length)]

    def function(x):
        pool = [x[0], x[1], x[2], x[0], 0.5, -1.5, x.reshape(3, 1)[1, 0]]
        for name, i, j, k in steps:
            a, b = pool[i % len(pool)], pool[j % len(pool)]
            if not isinstance(a, tg.Tensor):
                a, b = x[k % 3], a
            if BY_NAME[name].arity == 1:
                pool.append(getattr(tg, name)(a))
            elif k % 5 == 0:
                pool.append(tg.where(a > b, b, a * 2.0))
            else:
                pool.append(getattr(tg, name)(*((a, b) if k % 2 else (b, a))))
        return sum(0.25 * y for y in pool[7:])
    return function


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(8))
def test_random_programs(both, seed, dtype):
    rng = np.random.default_rng(seed)
    inputs = [rng.uniform(0.2, 1.5, 3).astype(dtype) for _ in range(3)]
    inputs += [special(rng.choice(SPECIAL, 3), dtype) for _ in range(6)]
    both(random_program(seed, 60), *inputs)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", numbers.NAMES)
def test_every_row(both, name, dtype):
    """Each row, of two operands also with a constant on either side, where partials are inf or nan, or nothing comes in."""
    op, function = BY_NAME[name], getattr(tg, name, None)

    def program(x):
        if op.arity == 1:
            return function(x[0]) + 0.0 * function(x[1]) + tg.maximum(x[2], function(x[2]))
        if op.arity == 3:
            return tg.where(x[0] > x[1], x[1] * x[2], x[0] / x[2]) + tg.where(x[1] >= 0.5, x[1], 2.0)
        return function(x[0], x[1]) + function(x[0], 0.5) * 0.0 + function(2.0, x[1]) + function(x[2], x[2])
    points = [special([a, b, c], dtype) for a in SPECIAL for b in SPECIAL for c in (0.0, 0.5)]
    both(program, np.array([0.3, 0.4, 0.2], dtype), *points)


POINTS = [np.array(x) for x in ([0.1, 0.7, 0.3], [1e3, 3.3, 0.2], [-1 / 3, 1e-9, 7.0], [0.0, np.inf, 1.0],
                                 *np.random.default_rng(0).normal(size=(12, 3)))]


def test_views_of_one_element(both):
    """Where a view can't stand for the element, as others read it, too, and its adjoint would get its terms in another order."""
    def program(x):
        y, z, first = tg.sin(x), tg.cos(x), x[0]
        a, b = y[0], y[::2][0]
        s = b * 0.1 + a * 0.2 + first * 0.7
        for _ in range(20):
            s = s * a * 0.3 + z[1] * b
        return s * a + y[1] * z[0] + (x * z[0]).sum() + (x * 3e-7).sum() + first / 3.0 + first * s + z[2]
    both(program, *POINTS)


def test_several_views_of_one_element(both):
    def program(x):
        y = tg.sin(x)
        a, b, c = y[0], y[np.array([0])].reshape(()), y[np.array([[0]])].reshape(())
        s = b * 0.1 + a * 0.2 + c * 0.3
        for _ in range(20):
            s = s * a * 0.3 + y[1] * b - c / 3.0
        return s * a / 3.0
    both(program, *POINTS)


@pytest.mark.parametrize("decided", ["by the sum", "by the view"])
def test_views_that_others_look_at(both, decided):
    """As a result, or for a decision."""
    def program(x):
        y = tg.sin(x * 2.0)
        s = y[1]
        for _ in range(20):
            s = s * y[1] + y[0]
        if decided == "by the sum":
            return y[1] if s < 1e9 else y[2]
        return s if y[0] > 0.1 else s * y[2]
    both(program, *[np.array(x) for x in ([0.1, 0.7, 0.3], [0.2, 0.3, 5.0], [0.3, 0.2, 0.1], [-0.2, 0.2, 0.1], [0.4, -0.2, 0.1])])


def test_vectors_between(both):
    def program(x):
        s = x[0] * 0.0
        for i in range(12):
            s = s + tg.sin(x[i % 4]) * s + 1.0
            if i % 4 == 3:
                s = s + (x * s).sum() + tg.stack([s, x[1], s * 2.0]).prod()
        return s
    both(program, np.array([0.1, -0.2, 0.3, 0.5]), np.array([np.inf, 0.0, 1.0, 2.0]), np.zeros(4))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_joined_numbers(both, dtype):
    """They go to their elements one by one, and adjoints back; a number that is joined twice gets both in their order."""
    def program(x):
        s, parts = x[0], []
        for i in range(12):
            s = tg.sin(s) + x[i % 3] * 0.3
            parts += [s, s * s, tg.tensor(2.0, dtype=dtype)] if i % 2 else [s, x[1]]
        y, z = tg.stack(parts), tg.stack([s, s, parts[0], s * 0.1])
        return y[3] * y[4] + y[3] + (z * z).sum() + z[0] * z[1] / 3.0 + tg.stack([x[0], x[1]])[0]
    both(program, *[np.array(p, dtype) for p in ([0.1, 0.7, -0.3], [1e7, -1 / 3, 0.1], [0.0, -0.0, np.inf], [np.nan, 1.0, 2.0])])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arguments_that_are_numbers(both, dtype):
    """Without any views."""
    def program(x):
        s = x
        for _ in range(20):
            s = tg.sin(s) * x + 0.5
        return s
    both(program, *[np.array(x, dtype) for x in (0.3, -2.0, np.inf, 0.0)])


def test_guards(both):
    def program(x):
        s = 0.0
        for i in range(10):
            s = s + x[i % 2] * 0.5 if s < 2.0 else s - x[0]
        return s
    both(program, *[np.array([a, b]) for a in (0.1, 1.0, 5.0, np.nan) for b in (0.0, 3.0)])


def test_derivatives_besides_the_gradient(both):
    """Jacobians, vjp and jvp of a program that has become instructions."""
    def program(x):
        s = x[0] * x[1]
        for _ in range(20):
            s = tg.tanh(s + x[2]) * x[0]
        return s
    x = np.array([0.4, -0.3, 0.7])
    both(program, x)
    compiled = tg.compile(program)
    for _ in range(4):
        value, gradient = tg.value_and_grad(compiled)(x)
        assert np.array_equal(tg.jacrev(compiled)(x), gradient)
        assert np.allclose(tg.jacfwd(compiled)(x), gradient, rtol=1e-14)
        assert np.array_equal(tg.vjp(compiled, x)[1](1.0)[0], gradient)
        assert np.isclose(tg.jvp(compiled, (x,), (x,))[1], gradient @ x, rtol=1e-14)
    eager = tg.value_and_grad(program)(x)
    assert value == eager[0] and np.array_equal(gradient, eager[1])


def test_parts_that_do_not_matter_to_the_gradient(both):
    def program(x):
        dead = tg.exp(x[0]) * 3.0
        return x[1] * x[1] + 1.0 if dead > 0 else x[0]
    both(program, np.array([0.1, 0.2]), np.array([-3.0, 2.0]))


def test_vector_programs_stay_with_the_sweeps(both):
    both(lambda x: ((x[1:] - x[:-1] ** 2) ** 2).sum(), np.linspace(0.0, 1.0, 50), instructed=False)


def test_elements_of_a_long_input(both):
    """Also of one that a program of vectors would read where it is."""
    def program(x):
        s = 0.0
        for i in range(0, 4200, 7):
            s = s + tg.sin(x[i]) * x[i + 1]
        return s
    both(program, np.linspace(0.0, 1.0, 4200), np.linspace(1.0, -1.0, 4200))


def test_threads(both):
    """Each has a workspace, and goes over to instructions by itself."""
    def program(x):
        s = x[0]
        for i in range(40):
            s = tg.tanh(s * x[i % 3]) + x[1]
        return s
    both(program, np.array([0.3, 0.2, 0.5]))
    compiled = tg.compile(program)
    derivative = tg.value_and_grad(compiled)
    points = np.random.default_rng(0).normal(size=(64, 3))
    expected = [tg.value_and_grad(program)(x) for x in points]
    derivative(points[0]), derivative(points[0])
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            for (value, gradient), (a, b) in zip(pool.map(derivative, points), expected):
                assert value == a
                np.testing.assert_allclose(gradient, b, rtol=1e-12)


def test_instructions_wait_until_they_repay_their_making(monkeypatch):
    """A little where the loops were compiled in an earlier process, and longer where that is to be done."""
    def program(x):
        for _ in range(40):
            x = tg.tanh(x * 1.1)
        return x

    def runs(on_disk):
        monkeypatch.setattr(interpreter, "_ready", set())
        monkeypatch.setattr(numbers, "on_disk", lambda dtype: on_disk)
        compiled, count = tg.compile(program), 0
        derivative = tg.value_and_grad(compiled)
        while True:
            derivative(0.5)
            (site,) = compiled.sites.values()
            if site.paths and site.paths[0].instructions is not None:
                return count
            count += bool(site.paths)
    monkeypatch.setattr(interpreter, "REPAYS", 1000)
    monkeypatch.setattr(interpreter, "COLD", 4000)
    early, late = runs(True), runs(False)
    assert 5 < early < 20 and 40 < late < 80
    monkeypatch.undo()
    numbers.address("values", np.dtype(np.float64)), numbers.address("adjoints", np.dtype(np.float64))
    assert numbers.on_disk(np.dtype(np.float64))
