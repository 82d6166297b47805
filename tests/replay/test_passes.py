"""What becomes of a recording when it is sealed: fewer records, the same values to the last bit."""
import numpy as np
import pytest

import tapegrad as tg


def operations(function, *arguments):
    """How many records of each operation a recording has, after a check of values and gradients."""
    compiled = tg.compile(function)
    for _ in range(3):
        value, gradient = tg.value_and_grad(compiled)(*arguments)
        expected, slope = tg.value_and_grad(function)(*arguments)
        assert np.array_equal(value, expected, equal_nan=True)
        np.testing.assert_allclose(gradient, slope, rtol=1e-13)
    return tg.record(function, *arguments).stats()["operations"]


X = np.array([0.3, 1.7, -0.4])


def test_equal_operations_are_done_once():
    def f(x):
        return tg.sin(x[0]) * x[1] + tg.sin(x[0]) / x[1] + x[1] / x[0] - x[1] / x[0] * tg.exp(x[1] / x[0])
    assert operations(f, X) == {"view": 2, "sin": 1, "multiply": 2, "divide": 2, "exp": 1, "add": 2, "subtract": 1}


def test_equal_functions_are_evaluated_once():
    """Also where many records depend on each other."""
    def g(x):
        for _ in range(300):
            x = tg.tanh(x * 1.1 + 0.1)
        return x

    found = operations(lambda x: g(x).sum() * 0.5 + g(x).prod() + g(x)[1], X)
    assert found["tanh"] == found["multiply"] - 1 == 300


def test_what_differs_stays():
    def f(x):
        parts = [x[0], x[1], x[:2].sum(), x[1:].sum(), tg.maximum(x[0], x[1]), tg.maximum(x[1], x[0]), x[0] + 0.0, x[0] + (-0.0),
                 x[0] - x[1], x[1] - x[0], x.reshape(1, 3).sum(), x.reshape(3, 1)[2, 0], x[0] ** 2.0, x[0] ** 2.5,
                 tg.stack([x[0], x[1]]).prod(), tg.stack([x[1], x[0], x[0]]).prod(), tg.where(x > 0, x, 2.0).sum(),
                 tg.where(x > 0, 2.0, x).sum(), tg.where(x < 0, x, 2.0).sum()]
        return sum(k * 0.3 * part for k, part in enumerate(parts, 1))
    found = operations(f, X)
    assert found["concatenate"] == 2 and found["where"] == 3 and found["relation"] == 2 and found["maximum"] == 2
    assert tg.record(lambda x: (x * 0.0, x * -0.0), X).stats()["constants"] == 2


def test_equal_constants_are_one():
    weights = np.array([1.0, 2.0, 3.0])
    tape = tg.record(lambda x: (weights * x).sum() + (weights.copy() * tg.sin(x)).sum() + (x / 3.0).sum() + 3.0 * x[0], X)
    assert tape.stats()["constants"] == 2


def test_joined_shapes_and_many_operands():
    def f(x):
        a, b = tg.stack([x[0], x[1] * 2.0]), tg.stack([x[0], x[1] * 2.0])
        return (a * b).sum() + (tg.where(x > 0, x, 1.0) * tg.where(x > 0, x, 1.0)).sum()
    found = operations(f, X)
    assert found["concatenate"] == found["where"] == found["relation"] == 1


def test_equal_outputs():
    """They are one record, and cotangents of both go there."""
    f = tg.compile(lambda x: (tg.sin(x), tg.sin(x), x * 1.0))
    for _ in range(3):
        value, pull = tg.vjp(f, X)
        assert np.allclose(value[0], np.sin(X), rtol=1e-14) and np.array_equal(value[0], value[1])
        np.testing.assert_allclose(pull((X, 2 * X, X))[0], 3 * X * np.cos(X) + X, rtol=1e-14)
        jacobian = tg.jacrev(f)(X)
        assert np.array_equal(jacobian[0], jacobian[1]) and np.allclose(jacobian[0], np.diag(np.cos(X)))


def test_what_depends_on_constants_alone_is_a_constant():
    def f(x):
        a = tg.tensor([0.5, 2.0, 4.0], requires_grad=True)
        b = tg.exp(a) * a[1] + tg.stack([a[0], a[1], a[2]])
        return (x * b).sum() + tg.where(b > 2.0, x, b).sum()
    found = operations(f, X)
    assert "exp" not in found and "concatenate" not in found and "relation" not in found
    assert tg.record(f, X).stats()["guards"] == 0


def test_long_chains_of_constants():
    def f(x):
        a = tg.tensor(0.5, requires_grad=True)
        for _ in range(3000):
            a = tg.cos(a) * 0.9
        return x * a
    tape = tg.record(f, X)
    assert tape.stats()["recorded"] > 6000 and len(tape) == 3
    np.testing.assert_allclose(tape(X), X * f(np.ones(1)).item(), rtol=1e-14)


def test_decisions_about_constants_are_no_guards():
    def f(x):
        a = tg.tensor(2.0, requires_grad=True)
        return x * a if a * 3.0 > 5.0 else x
    assert not tg.record(f, X).program.guards
    assert len(tg.record(lambda x: x * 2.0 if x[0] > 0.0 else x, X).program.guards) == 1


def test_nothing_comes_from_nothing():
    """Where what comes in is 0, a partial is 0, also where it would be inf or nan, and its record stands for two."""
    f = tg.compile(lambda x: (tg.where(x > 0, tg.sqrt(x), 0.0) + tg.where(x > 0, tg.sqrt(x) * 2.0, 1.0)).sum())
    for _ in range(3):
        value, gradient = tg.value_and_grad(f)(np.array([0.0, 4.0]))
        assert value == 7.0 and np.array_equal(gradient, [0.0, 0.75])


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan, 0.0, -0.0])
def test_special_values(x):
    def f(x):
        return 1.0 / x + 1.0 / x + tg.exp(x) * tg.exp(x) + (x - 1.0) * (x - 1.0)
    with np.errstate(all="ignore"):
        operations(f, np.float64(x))


def test_explained(capsys):
    f = tg.compile(lambda x: tg.sin(x) + tg.sin(x) * 1.0)
    f(X)
    tg.explain(f)
    assert "5 records, 6 before optimization" in capsys.readouterr().out


# Guards of recorded gradients -----------------------------------------------------------------------------------------

def guards(function, x):
    return len(tg.record(tg.grad(function), x).program.guards)


def test_a_gradient_asks_once_whether_there_is_nan():
    assert guards(lambda x: (x * x * x).sum(), X) == 2
    assert guards(lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), X) == 2
    assert guards(lambda x: (x**3).sum(), X) == 1          # nothing is asked about x == 0 where the exponent is not 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_gradient_with_hidden_nan_chooses_anew(dtype):
    """One path serves every pattern of what is hidden, and one where nothing is."""
    def f(x):
        return tg.where(x > 0, tg.sqrt(x), 0.0).sum() + (x**3).sum() * tg.tanh(x).sum()

    compiled, rng = tg.compile(f), np.random.default_rng(0)
    for _ in range(60):
        x = np.abs(rng.normal(size=5)).astype(dtype) * (rng.random(5) < 0.7)
        np.testing.assert_allclose(tg.hessian(compiled)(x), tg.hessian(f)(x), rtol=1e-5 if dtype == np.float32 else 1e-12)
    (site,) = compiled.transformed[0].sites.values()
    assert not site.reason and len(site.paths) == 2 and site.recorded == 4


def test_nan_that_comes_and_goes():
    """A path without nan does not serve points with some."""
    f = tg.compile(lambda x: (x * tg.log(x)).sum())
    for x in ([1.0, 2.0], [-1.0, 2.0], [0.0, 1.0], [np.inf, 1.0], [np.nan, 0.5], [3.0, 0.5]) * 3:
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(tg.hessian(f)(np.array(x)), tg.hessian(f.function)(np.array(x)), rtol=1e-14)


@pytest.mark.parametrize("function", [
    lambda x: x.prod(), lambda x: tg.logsumexp(x, 0) ** 2, lambda x: x.std() ** 3, lambda x: (x.max() * x).sum(),
    lambda x: x.amin(), lambda x: (tg.softmax(x, 0) ** 2).sum(), lambda x: (x.cumprod(0) ** 2).sum(), lambda x: x.var() * x[0],
    lambda x: tg.log_softmax(x, 0)[1] ** 2, lambda x: tg.logcumsumexp(x, 0).sum() ** 2, lambda x: tg.linalg.norm(x) ** 3])
def test_gradients_along_lanes_replay(function):
    """They are held to decisions, where values are equal, 0 or infinite, and not to the values themselves."""
    compiled, x = tg.compile(function), np.array([0.5, 1.5, 2.5, 3.0])
    for shift in (0.0, 0.01, 0.02, 0.03, 0.04):
        np.testing.assert_allclose(tg.hessian(compiled)(x + shift), tg.hessian(function)(x + shift), rtol=1e-12, atol=1e-14)
    (site,) = compiled.transformed[0].sites.values()
    assert not site.reason and site.recorded == 2 and site.replayed == 3
