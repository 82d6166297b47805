"""least_squares and curve_fit: the results of SciPy, with exact Jacobians."""

import gc

import numpy as np
import pytest
import scipy.optimize as scipy_optimize
from scipy.sparse import issparse

import tapegrad as tg
from tapegrad import Tensor

T = np.linspace(0, 1, 30)
Y = 2 * np.exp(-T) + 0.01 * np.random.default_rng(0).normal(size=30)


def model(x, a, b):
    return a * np.exp(b * x)


def residuals(p):
    return p[0] * np.exp(p[1] * T) - Y


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares(method):
    found = tg.optimize.least_squares(residuals, [1, 0], method=method)
    beside = scipy_optimize.least_squares(residuals, [1, 0], method=method)
    np.testing.assert_allclose(found.x, beside.x, rtol=1e-6)
    a, b = found.x
    np.testing.assert_allclose(found.jac, np.stack([np.exp(b * T), a * T * np.exp(b * T)], 1), rtol=1e-12)


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
def test_losses_bounds_and_arguments(loss):
    def shifted(p, y, shift=0.0):
        return p[0] * np.exp(p[1] * T) - y + shift

    settings = {"loss": loss, "f_scale": 0.1, "bounds": ([0, -3], [1.5, 3]), "args": (Y,), "kwargs": {"shift": 0.1}}
    found = tg.optimize.least_squares(shifted, [1, 0], **settings)
    np.testing.assert_allclose(found.x, scipy_optimize.least_squares(shifted, [1, 0], **settings).x, rtol=1e-5)


def test_lists_of_residuals_and_one_residual():
    found = tg.optimize.least_squares(lambda p: [10 * (p[1] - p[0] ** 2), 1 - p[0]], [-1.2, 1])
    np.testing.assert_allclose(found.x, 1)
    assert tg.optimize.least_squares(lambda p: p[0] - 3, [1.0]).x == pytest.approx(3)


def test_fewer_residuals_than_parameters():
    found = tg.optimize.least_squares(lambda p: tg.stack([p[0] * p[1] - 2, p[1] + p[2] ** 2 - 5]), [1.0, 1.0, 1.0])
    p, q, r = found.x
    np.testing.assert_allclose(found.jac, [[q, p, 0], [0, 1, 2 * r]], rtol=1e-12)
    assert found.cost < 1e-15


def test_a_residual_that_python_computes():
    """Through a solver, whose derivative is no compiled sweep."""
    a = np.array([[3.0, 1.0], [1.0, 2.0]])
    found = tg.optimize.least_squares(lambda p: tg.linalg.solve(a + p[0] * np.eye(2), np.ones(2) * p[1]) - [0.5, 0.25], [0.1, 1])
    h = 1e-6

    def f(p):
        return np.linalg.solve(a + p[0] * np.eye(2), np.ones(2) * p[1]) - [0.5, 0.25]

    expected = np.stack([(f(found.x + d) - f(found.x - d)) / (2 * h) for d in h * np.eye(2)], 1)
    np.testing.assert_allclose(found.jac, expected, rtol=1e-7, atol=1e-9)


def tridiagonal(x):
    """Broyden's tridiagonal functions."""
    before = tg.concatenate([np.zeros(1), x[:-1]])
    after = tg.concatenate([x[1:], np.zeros(1)])
    return (3 - 2 * x) * x - before - 2 * after + 1


@pytest.mark.parametrize("asked", [True, np.ones((50, 50)), None], ids=["asked", "pattern", "not asked"])
def test_sparse_jacobians(asked):
    found = tg.optimize.least_squares(tridiagonal, -np.ones(50), jac_sparsity=asked)
    assert found.success and found.cost < 1e-12
    assert issparse(found.jac) is (asked is not None)
    dense = found.jac.toarray() if issparse(found.jac) else found.jac
    np.testing.assert_allclose(dense, tg.jacobian(tridiagonal)(found.x), rtol=1e-12)


def test_large_problems_are_sparse_by_themselves():
    found = tg.optimize.least_squares(tridiagonal, -np.ones(1500))
    assert found.success and issparse(found.jac) and found.jac.nnz < 3 * 1500
    assert found.cost < 1e-12


def test_a_given_jacobian_is_used():
    calls = []

    def jac(p):
        calls.append(1)
        return np.stack([np.exp(p[1] * T), p[0] * T * np.exp(p[1] * T)], 1)

    tg.optimize.least_squares(residuals, [1, 0], jac)
    assert calls
    f = tg.optimize.least_squares(residuals, [1, 0], jac="3-point")
    assert f.success


def test_errors():
    with pytest.raises(ValueError, match="parameter 1 are in the wrong order"):
        tg.optimize.least_squares(residuals, [1, 0], bounds=([0, 1], [2, 0]))
    with pytest.raises(ValueError, match="must be a pair"):
        tg.optimize.least_squares(residuals, [1, 0], bounds=[(0, 1), (0, 1), (0, 1)])
    with pytest.raises(ValueError, match="nan at the starting point, in element 0"):
        tg.optimize.least_squares(lambda p: tg.log(p), [-1.0, 1.0])
    with pytest.raises(ValueError, match="vector of residuals"):
        tg.optimize.least_squares(lambda p: p.reshape(2, 1), [1.0, 1.0])
    with pytest.raises(ValueError, match="dense Jacobians"):
        tg.optimize.least_squares(tridiagonal, -np.ones(5), method="lm", jac_sparsity=True)
    with pytest.raises(ValueError, match="unknown method 'fast'; there are trf, dogbox, lm"):
        tg.optimize.least_squares(lambda p: 1 / 0, [1.0], method="fast")
    with pytest.raises(ValueError, match="unknown loss 'square'"):
        tg.optimize.least_squares(lambda p: 1 / 0, [1.0], loss="square")
    with pytest.raises(TypeError, match="^a function gave None"):
        tg.optimize.least_squares(lambda p: None, [1.0])
    with pytest.raises(ValueError, match="nan at the starting point"):
        tg.optimize.least_squares(lambda p: tg.log(p), [-1.0, 1.0], "2-point")
    with pytest.raises(ValueError, match="give one of them"):
        tg.optimize.least_squares(tridiagonal, -np.ones(5), "2-point", jac_sparsity=True)


def test_an_interrupt_carries_the_best_point():
    def interrupted(p):
        if abs(p[0] - 1.99) < 0.05:
            raise KeyboardInterrupt
        return residuals(p)

    with pytest.raises(KeyboardInterrupt) as caught:
        tg.optimize.least_squares(interrupted, [1, 0])
    result = caught.value.result
    assert result.cost == pytest.approx(np.sum(residuals(result.x) ** 2) / 2)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"sigma": np.linspace(0.1, 0.2, 30)},
        {"sigma": np.linspace(0.1, 0.2, 30), "absolute_sigma": True},
        {"sigma": 0.01 * np.eye(30) + 0.001, "absolute_sigma": True},
        {"bounds": ([0, -5], [5, 5])},
        {"p0": [1, 1], "method": "dogbox"},
        {"p0": (1.5, 0.5), "method": "trf", "loss": "huber", "f_scale": 0.1},
    ],
    ids=lambda s: ", ".join(s) or "none",
)
def test_curve_fit(settings):
    found, covariance = tg.optimize.curve_fit(model, T, Y, **settings)
    exact = {"jac": lambda x, a, b: np.stack([np.exp(b * x), a * x * np.exp(b * x)], 1), **settings}
    parameters, beside = scipy_optimize.curve_fit(model, T, Y, **exact)
    np.testing.assert_allclose(found, parameters, rtol=1e-10)
    np.testing.assert_allclose(covariance, beside, rtol=1e-8)


def test_curve_fit_full_output_missing_data_and_tensors():
    y = Y.copy()
    y[3] = np.nan
    found = tg.optimize.curve_fit(model, T, y, nan_policy="omit", check_finite=False)[0]
    np.testing.assert_allclose(found, tg.optimize.curve_fit(model, np.delete(T, 3), np.delete(Y, 3))[0], rtol=1e-10)
    parameters, _, info, message, status = tg.optimize.curve_fit(model, tg.tensor(T), tg.tensor(Y), full_output=True)
    assert info["nfev"] > 0 and info["fvec"].shape == (30,) and message and status in (1, 2, 3, 4)
    np.testing.assert_allclose(parameters, tg.optimize.curve_fit(model, T, Y)[0], rtol=1e-12)


@pytest.mark.parametrize("sigma", [None, 0.1, 2, np.linspace(0.1, 0.2, 30), np.diag(np.linspace(0.1, 0.2, 30)) + 0.05])
@pytest.mark.parametrize("jac", [None, "given"])
@pytest.mark.parametrize("predictors", [1, 2])
def test_curve_fit_leaves_out_data_as_scipy_does(sigma, jac, predictors):
    """Where either the predictors or the values are missing."""
    x, y = np.stack([T, T**2])[:predictors], Y.copy()
    x[-1, 3] = y[7] = np.nan
    x = x[0] if predictors == 1 else tuple(x)

    def f(x, a, b):
        return a * np.exp(b * (x if predictors == 1 else x[0] + x[1]))

    def jacobian(x, a, b):
        x = x if predictors == 1 else x[0] + x[1]
        return np.stack([np.exp(b * x), a * x * np.exp(b * x)], 1)
    settings = {"p0": [1.0, -1.0], "sigma": sigma, "nan_policy": "omit", "absolute_sigma": True}
    found = tg.optimize.curve_fit(f, x, y, jac=None if jac is None else jacobian, **settings)
    expected = scipy_optimize.curve_fit(f, x, y, **settings)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-4)


@pytest.mark.parametrize("settings", [{}, {"absolute_sigma": True}, {"bounds": ([-3, -3], 3)}, {"method": "dogbox"}])
def test_curve_fit_takes_one_sigma_for_all_data(settings):
    """A number, an array without axes, a Tensor."""
    expected = scipy_optimize.curve_fit(model, T, Y, sigma=0.1, **settings)
    for sigma in (0.1, np.array(0.1), tg.tensor(0.1)):
        found = tg.optimize.curve_fit(model, T, Y, sigma=sigma, **settings)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-3)


def test_curve_fit_of_a_constant_and_of_two_predictors():
    np.testing.assert_allclose(tg.optimize.curve_fit(lambda x, a: a, T, Y)[0], Y.mean(), rtol=1e-10)
    x = np.stack([T, T**2])
    found = tg.optimize.curve_fit(lambda x, a, b: a * x[0] + b * x[1], x, 3 * T - 2 * T**2)[0]
    np.testing.assert_allclose(found, [3, -2], rtol=1e-10)


def test_curve_fit_errors():
    with pytest.raises(ValueError, match="wrong order"):
        tg.optimize.curve_fit(model, T, Y, bounds=([0, 1], [2, 0]))
    with pytest.raises(ValueError, match="3 parameters in p0, and bounds for 2"):
        tg.optimize.curve_fit(lambda x, a, b, c: a, T, Y, p0=[1, 2, 3], bounds=([0, 0], [2, 2]))
    for jac in (None, "2-point"):
        with pytest.raises(ValueError, match="the model is nan at the starting point"), np.errstate(invalid="ignore"):
            tg.optimize.curve_fit(lambda x, a, b: np.log(a) + b * x, T, Y, p0=[-1.0, 1.0], jac=jac)
    with pytest.raises(ValueError, match="the model gives 30 values, and there are 5 data"):
        tg.optimize.curve_fit(model, T, Y[:5])
    with pytest.raises(TypeError, match="the model runs on arrays, but not on the Tensors"):
        tg.optimize.curve_fit(lambda x, a: np.roots(np.stack([a, a])).real[0] * x, T, Y)


def test_no_tape_outlives_a_fit():
    """Whatever circles SciPy makes of the functions that it gets."""

    def kept():
        return sum(type(thing) is Tensor for thing in gc.get_objects())

    def fit():
        tg.optimize.curve_fit(model, x, 2.5 * np.exp(-1.3 * x), [1.0, -1.0])
        tg.optimize.root(lambda p: p**2 - 2.0, [0.3, 0.4])

    x = np.linspace(0.0, 4.0, 30)
    gc.collect()
    gc.disable()
    try:
        fit()
        before = kept()
        for _ in range(3):
            fit()
        assert kept() == before
    finally:
        gc.enable()
