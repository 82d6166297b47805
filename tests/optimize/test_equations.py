"""root and root_scalar."""

import numpy as np
import pytest
import scipy.optimize as scipy_optimize

import tapegrad as tg


def equations(x):
    return [x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]]


SOLUTION = [0.8411639, 0.1588361]  # SciPy's documentation


@pytest.mark.parametrize("method", ["hybr", "lm", "broyden1", "df-sane"])
def test_root(method):
    found = tg.optimize.root(equations, [0, 0], method=method)
    np.testing.assert_allclose(found.x, SOLUTION, atol=1e-6)
    if method in ("hybr", "lm"):
        assert found.njev > 0


def test_root_takes_args_and_numbers():
    found = tg.optimize.root(lambda x, a: x * x - a, np.ones(4), args=(np.array([1.0, 4.0, 9.0, 16.0]),))
    np.testing.assert_allclose(found.x, [1, 2, 3, 4], rtol=1e-10)
    assert tg.optimize.root(lambda x: x**3 - 8.0, 1.0).x == pytest.approx(2)


def test_a_given_jacobian_is_used():
    calls = []

    def jac(x):
        calls.append(x)
        return np.diag(2 * x)

    np.testing.assert_allclose(tg.optimize.root(lambda x: x * x - 4, [1.0, 1.0], jac=jac).x, 2)
    assert calls


def test_errors():
    with pytest.raises(ValueError, match="gives 1 equations and there are 2 unknowns"):
        tg.optimize.root(lambda x: [x[0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="nan at the starting point"):
        tg.optimize.root(lambda x: tg.log(x), [-1.0])


@pytest.mark.parametrize(
    "how",
    [
        {"x0": 1.0},
        {"x0": 1.0, "method": "newton"},
        {"x0": 1.0, "method": "halley"},
        {"bracket": [0, 2]},
        {"bracket": [0, 2], "method": "brentq"},
        {"x0": 1.0, "x1": 2.0},
    ],
    ids=str,
)
def test_root_scalar(how):
    for f in (lambda x, a: x**3 - a, lambda x, a: tg.exp(3 * tg.log(x)) - a if x > 0 else -a):
        found = tg.optimize.root_scalar(f, args=(2.0,), **how)
        assert found.converged and found.root == pytest.approx(2 ** (1 / 3), rel=1e-9)


def test_newton_and_halley_get_exact_derivatives():
    def hand(**more):
        return scipy_optimize.root_scalar(lambda x: x**3 - 2, x0=1.0, fprime=lambda x: 3 * x * x, **more)

    calls = []

    def f(x):
        calls.append(1)
        return x**3 - 2

    found = tg.optimize.root_scalar(f, x0=1.0)
    assert found.iterations == hand().iterations
    assert len(calls) <= found.iterations + 1
    found = tg.optimize.root_scalar(f, x0=1.0, method="halley")
    assert found.iterations == hand(method="halley", fprime2=lambda x: 6 * x).iterations
