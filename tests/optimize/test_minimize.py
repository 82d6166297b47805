"""minimize and minimize_scalar: SciPy's results, from exact derivatives that are computed once at each point."""

import warnings

import numpy as np
import pytest
import scipy.optimize as scipy_optimize

import tapegrad as tg

START = np.array([-1.2, 1.0, -0.7, 0.4])


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def counting(function):
    def counted(*arguments):
        counted.calls += 1
        return function(*arguments)

    counted.calls = 0
    return counted


@pytest.mark.parametrize("method", ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr", None])
def test_gradient_methods_go_the_way_of_a_gradient_written_by_hand(method):
    """The same points but for rounding, and the function is called once at each of them."""
    f = counting(rosenbrock)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # quasi-Newton updates of trust-constr
        found = tg.optimize.minimize(f, START, method=method)
        hand = scipy_optimize.minimize(
            scipy_optimize.rosen,
            START,
            method=method,
            jac=scipy_optimize.rosen_der,
            **({"hessp": scipy_optimize.rosen_hess_prod} if method == "trust-constr" else {}),
        )
    np.testing.assert_allclose(found.x, hand.x, atol=1e-4)
    assert found.fun == pytest.approx(hand.fun, abs=1e-8)
    assert found.success == hand.success and abs(found.nfev - hand.nfev) <= 0.2 * hand.nfev
    assert f.calls <= found.nfev + 1
    assert type(found) is type(hand)


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"])
def test_methods_that_take_second_derivatives_get_them(method):
    f = counting(rosenbrock)
    found = tg.optimize.minimize(f, START, method=method)
    local = [1, 1, 1, 1] if found.fun < 1 else [-0.77565923, 0.61309337, 0.38206284, 0.14597202]
    np.testing.assert_allclose(found.x, local, atol=1e-4)
    assert found.nhev > 0
    assert f.calls <= found.nfev + 1


def test_dogleg_gets_the_hessian():
    found = tg.optimize.minimize(lambda x: ((x - [1.0, 2.0]) ** 4).sum() + (x * x).sum(), [3.0, -1.0], method="dogleg")
    assert found.success and found.nhev > 0
    np.testing.assert_allclose(4 * (found.x - [1, 2]) ** 3 + 2 * found.x, 0, atol=1e-4)


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell", "COBYLA", "COBYQA"])
def test_methods_without_derivatives_take_both_styles(method):
    for f in (
        lambda x: ((x - 1.0) ** 2).sum(),
        lambda x: (x - 1.0).exp().sum() - x.sum(),
        lambda x: sum((v - 1.0) ** 2 for v in x),
    ):
        found = tg.optimize.minimize(f, [0.0, 3.0], method=method)
        np.testing.assert_allclose(found.x, 1, atol=1e-3)


def test_the_hessian_and_its_products_are_exact():
    seen = {}

    def method(fun, x0, args=(), jac=None, hessp=None, **_):
        seen.update(fun=fun(x0, *args), jac=jac(x0, *args), hessp=hessp(x0, np.ones(4), *args))
        return scipy_optimize.OptimizeResult(x=x0, fun=0.0, success=True)

    tg.optimize.minimize(lambda x, a: a * rosenbrock(x), START, args=(2.0,), method=method)
    assert seen["fun"] == pytest.approx(2 * scipy_optimize.rosen(START), rel=1e-14)
    np.testing.assert_allclose(seen["jac"], 2 * scipy_optimize.rosen_der(START), rtol=1e-13)
    np.testing.assert_allclose(seen["hessp"], 2 * scipy_optimize.rosen_hess(START).sum(0), rtol=1e-13)


def test_what_is_given_is_used():
    jac, hess = counting(scipy_optimize.rosen_der), counting(scipy_optimize.rosen_hess)
    tg.optimize.minimize(scipy_optimize.rosen, START, jac=jac, method="BFGS")
    assert jac.calls > 5
    tg.optimize.minimize(rosenbrock, START, hess=hess, method="trust-exact")
    assert hess.calls > 5
    found = tg.optimize.minimize(lambda x: (scipy_optimize.rosen(x), scipy_optimize.rosen_der(x)), START, jac=True)
    assert found.success
    pair = tg.value_and_grad(rosenbrock)
    found = tg.optimize.minimize(lambda x: tuple(map(tg.tensor, pair(x))), START, jac=True)
    assert found.success
    f = counting(lambda x: scipy_optimize.rosen(np.array(x.tolist())))
    tg.optimize.minimize(f, START, jac="2-point", method="L-BFGS-B")
    assert f.calls > 100


def test_a_gradient_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"jac gives an array of shape \(3,\), and x0 has \(4,\)"):
        tg.optimize.minimize(rosenbrock, START, jac=lambda x: x[:3])


def test_a_given_gradient_and_a_recorded_hessian_go_together():
    jac = counting(scipy_optimize.rosen_der)
    found = tg.optimize.minimize(rosenbrock, START, jac=jac, method="Newton-CG")
    assert jac.calls > 5 and found.success


def test_args_bounds_callback_and_options_reach_scipy():
    points = []
    found = tg.optimize.minimize(
        lambda x, a, b: ((x - a) ** 2).sum() * b,
        [0.5, 0.5],
        (np.array([2.0, -3.0]), 2.0),
        bounds=[(0, 1), (-1, None)],
        callback=points.append,
        options={"maxiter": 50},
        tol=1e-10,
    )
    np.testing.assert_allclose(found.x, [1, -1])
    assert len(points) == found.nit > 0


# Scipy's tutorial problem, whose solution is (1.4, 1.7), and one of its constrained Rosenbrock problems.
LINES = [
    {"type": "ineq", "fun": lambda x: [x[0] - 2 * x[1] + 2]},
    {"type": "ineq", "fun": lambda x, a: -x[0] - 2 * x[1] + a, "args": (6,)},
    {"type": "ineq", "fun": lambda x: -x[0] + 2 * x[1] + 2},
]


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYLA", "COBYQA", None])
def test_constraints_as_dicts(method):
    found = tg.optimize.minimize(
        lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2, (2, 0), bounds=((0, None), (0, None)), constraints=LINES, method=method
    )
    np.testing.assert_allclose(found.x, [1.4, 1.7], atol=1e-3)


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "COBYQA"])
def test_constraints_as_objects(method):
    curve = tg.optimize.NonlinearConstraint(lambda x: [x[0] ** 2 + x[1], x[0] ** 2 - x[1]], -np.inf, 1)
    lines = [tg.optimize.LinearConstraint([[1, 2]], -np.inf, 1), tg.optimize.LinearConstraint([[2, 1]], 1, 1)]
    found = tg.optimize.minimize(
        rosenbrock, [0.5, 0], constraints=[*lines, curve], bounds=tg.optimize.Bounds([0, -0.5], [1, 2]), method=method
    )
    np.testing.assert_allclose(found.x, [0.41494531, 0.17010937], atol=2e-3)
    assert curve.jac == "2-point", "the user's object was changed"


def test_trust_constr_gets_exact_jacobians_and_hessians_of_constraints():
    from tapegrad.optimize.minimizing import _constraint

    def curve(x):
        return [x[0] ** 2 * x[1], x[1] ** 3]

    x, v = np.array([2.0, 3.0]), np.array([10.0, 100.0])
    for given in (
        tg.optimize.NonlinearConstraint(curve, 0, 1),
        {"type": "eq", "fun": curve},
        {"type": "ineq", "fun": lambda x, p: [x[0] ** p * x[1], x[1] ** 3], "args": (2,)},
    ):
        made = _constraint(given, x, "trust-constr")
        np.testing.assert_array_equal(made.fun(x), [12, 27])
        np.testing.assert_array_equal(made.jac(x), [[12, 4], [0, 27]])
        np.testing.assert_array_equal(made.hess(x, v), [[60, 40], [40, 1800]])
        np.testing.assert_array_equal(made.hess(x, np.array([1.0, 0.0])), [[6, 4], [4, 0]])


def test_errors_come_before_any_work():
    f = counting(rosenbrock)
    with pytest.raises(ValueError, match="unknown method 'fast'"):
        tg.optimize.minimize(f, START, method="fast")
    with pytest.raises(ValueError, match="parameter 1 are in the wrong order: the lower one is 3"):
        tg.optimize.minimize(f, [1.0, 2.0], bounds=[(0, 1), (3, 2)])
    with pytest.raises(ValueError, match="bounds must be 2 pairs"):
        tg.optimize.minimize(f, [1.0, 2.0], bounds=[(0, 1)])
    with pytest.raises(ValueError, match="lower bounds have shape"):
        tg.optimize.minimize(f, [1.0, 2.0], bounds=tg.optimize.Bounds([0, 0, 0], 1))
    with pytest.raises(ValueError, match="must be a vector"):
        tg.optimize.minimize(f, [[1.0, 2.0]])
    with pytest.raises(TypeError, match="real numbers"):
        tg.optimize.minimize(f, [1.0j, 2.0])
    with pytest.raises(ValueError, match="x0 is empty"):
        tg.optimize.minimize(f, [])
    with pytest.raises(TypeError, match="unexpected|got an"):
        tg.optimize.minimize(f, START, metod="BFGS")
    assert f.calls == 0


@pytest.mark.parametrize("method", ["BFGS", "trust-exact", "Nelder-Mead"])
def test_a_vector_is_refused(method):
    with pytest.raises(TypeError, match=r"must give one number, and it gave shape \(4,\)"):
        tg.optimize.minimize(lambda x: x * 2, START, method=method)


@pytest.mark.parametrize("method", ["BFGS", "Nelder-Mead"])
def test_a_function_without_return(method):
    with pytest.raises(TypeError, match="gave None"):
        tg.optimize.minimize(lambda x: None, START, method=method)


def test_nan_at_the_start_is_refused():
    with pytest.raises(ValueError, match="objective is nan at the starting point"):
        tg.optimize.minimize(lambda x: tg.log(x).sum(), [-1.0, 1.0])
    with pytest.raises(ValueError, match="gradient of the objective is nan at the starting point, in element 1"):
        tg.optimize.minimize(lambda x: x[0] ** 2 + (tg.sqrt(x[1]) - tg.sqrt(x[1])), [1.0, 0.0])
    with pytest.raises(ValueError, match="objective is nan at the starting point"):
        tg.optimize.minimize(lambda x: tg.log(x).sum(), [-1.0, 1.0], method="Nelder-Mead")
    # SciPy begins inside of the bounds
    assert tg.optimize.minimize(lambda x: (x - tg.log(x)).sum(), [-1.0], bounds=[(0.1, None)], method="L-BFGS-B").success


def test_a_lost_derivative_is_an_error():
    def written(x):
        y = np.zeros(2)
        y[0], y[1] = x[0] ** 2, x[1]
        return y.sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError, match="its derivative is lost.*or give jac="):
            tg.optimize.minimize(written, [1.0, 2.0])
    assert tg.optimize.minimize(lambda x: 3.0, [1.0, 2.0]).fun == 3.0, "a constant has the derivative zero"


def test_functions_that_do_not_run_on_tensors():
    with pytest.raises(TypeError, match="runs on arrays, but not on the Tensors.*np.roots"):
        tg.optimize.minimize(lambda x: np.roots(x)[0].real, [1.0, 2.0])
    with pytest.raises(TypeError, match="np.array.. of Tensors .tg.stack joins them"):
        tg.optimize.minimize(lambda x: np.array([x[0], x[1] ** 2]).sum(), [1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        tg.optimize.minimize(lambda x: 1 / 0, [1.0, 2.0])


@pytest.mark.parametrize("method", ["BFGS", "Nelder-Mead"])
def test_an_interrupt_carries_the_best_point(method):
    def interrupted(x):
        f.left -= 1
        if not f.left:
            raise KeyboardInterrupt
        return rosenbrock(x)

    f = interrupted
    f.left = 20
    with pytest.raises(KeyboardInterrupt) as caught:
        tg.optimize.minimize(f, START, method=method)
    result = caught.value.result
    assert result.fun == pytest.approx(scipy_optimize.rosen(result.x)) and result.fun < scipy_optimize.rosen(START)
    assert not result.success and result.nfev == 19


def test_minimize_scalar():
    for f in (lambda x: (x - 2) ** 2, lambda x: (x - 2).exp() - x if isinstance(x, tg.Tensor) else tg.exp(x - 2) - x):
        assert tg.optimize.minimize_scalar(f).x == pytest.approx(2, abs=1e-6)
    assert tg.optimize.minimize_scalar(lambda x, a: (x - a) ** 2, args=(2.0,), bounds=(0, 1)).x == pytest.approx(1, abs=1e-4)
    with pytest.raises(ValueError, match="wrong order"):
        tg.optimize.minimize_scalar(lambda x: x * x, bounds=(2, 1))


def test_other_names_are_scipys():
    assert tg.optimize.differential_evolution is scipy_optimize.differential_evolution
    with pytest.raises(AttributeError, match="nonsense"):
        tg.optimize.nonsense  # noqa: B018
