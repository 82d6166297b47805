"""Objectives that are compiled when that repays it, and those that Numba compiled: SciPy's points and the façade's numbers."""

import functools

import numba
import numpy as np
import pytest
import scipy.optimize as scipy_optimize

import tapegrad as tg
from tapegrad.optimize import points

START, ONES = np.tile([-1.2, 1.0], 4), [1.0, 1.0, 1.0]
T = np.linspace(0, 4, 40)
Y = 2.5 * np.exp(-1.3 * T) + 0.3 + 0.01 * np.random.default_rng(0).normal(size=40)


def by_arrays(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def by_numbers(x):
    total = 0.0
    for k in range(len(x) - 1):
        total = total + 100 * (x[k + 1] - x[k] ** 2) ** 2 + (1 - x[k]) ** 2
    return total


def by_tensors(x):
    return tg.sum((x[1:] - x[:-1].square()).square().mul(100) + x[:-1].sub(1).square())


STYLES = {"arrays": by_arrays, "numbers": by_numbers, "tensors": by_tensors, "njit": numba.njit(by_numbers),
          "compiled": tg.compile(by_arrays)}


@pytest.fixture
def never_replayed(monkeypatch):
    monkeypatch.setattr(points, "REPAYS", {False: 10**9, True: 10**9})


def replayed(function, **settings):
    """Points by replays, among all points."""
    made = {points.Point: 0, points.Transformed: 0}
    with pytest.MonkeyPatch.context() as patch:
        for kind in made:
            def counted(*arguments, kind=kind):
                made[kind] += 1
                return kind(*arguments)
            patch.setattr(points, kind.__name__, counted)
        function(**settings)
    return made[points.Transformed], sum(made.values())


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "SLSQP", "trust-exact", "Newton-CG"])
@pytest.mark.parametrize("style", STYLES)
def test_minimize_goes_the_same_way(style, method):
    found = tg.optimize.minimize(STYLES[style], START, method=method)
    hand = scipy_optimize.minimize(scipy_optimize.rosen, START, method=method, jac=scipy_optimize.rosen_der,
                                   hess=scipy_optimize.rosen_hess if method[0] in "tN" else None)
    np.testing.assert_allclose(found.x, hand.x, atol=1e-4)
    assert found.success and abs(found.nfev - hand.nfev) <= 0.2 * hand.nfev


def test_replays_give_the_facades_numbers(never_replayed, monkeypatch):
    for method in ("BFGS", "trust-exact", "Newton-CG"):
        plain = tg.optimize.minimize(by_numbers, START, method=method)
        monkeypatch.setattr(points, "REPAYS", {False: 4, True: 4})
        made, among = replayed(lambda method=method: tg.optimize.minimize(by_numbers, START, method=method))
        again = tg.optimize.minimize(by_numbers, START, method=method)
        assert made == among - 4 > 10
        np.testing.assert_array_equal(again.x, plain.x)
        np.testing.assert_array_equal(again.jac, plain.jac)
        monkeypatch.setattr(points, "REPAYS", {False: 10**9, True: 10**9})


def test_constraints_are_replayed():
    def curve(x, power):
        return [x[0] ** power * x[1], x[1] ** 3 + x[2]]

    x, v = np.array([2.0, 3.0, 0.5]), np.array([10.0, 100.0])
    for compiled in (numba.njit(lambda x, power: (x[0] ** power * x[1], x[1] ** 3 + x[2])), curve, tg.compile(curve)):
        function = points.Recorded(compiled, (2,))
        function.start(x)
        for k in range(12):
            p = x + k
            np.testing.assert_allclose(function.value(p), curve(p, 2), rtol=1e-14)
            np.testing.assert_allclose(function.jacobian(p), [[2 * p[0] * p[1], p[0] ** 2, 0], [0, 3 * p[1] ** 2, 1]], rtol=1e-14)
            hessian = [[20 * p[1], 20 * p[0], 0], [20 * p[0], 600 * p[1], 0], [0, 0, 0]]
            np.testing.assert_allclose(function.weighted_hessian(p, v), hessian, rtol=1e-13)
        assert function.transforms is not None


def in_a_loop(x, a, b, c):
    out = np.empty(len(x))
    for k in range(len(x)):
        out[k] = a * np.exp(-b * x[k]) + c
    return out


def in_one(x, a, b, c):
    return a * np.exp(-b * x) + c


MODELS = {"loop": numba.njit(in_a_loop), "arrays": numba.njit(in_one), "compiled": tg.compile(in_one)}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("settings", [{}, {"method": "trf", "p0": [1, 1, 1], "sigma": np.full(40, 0.01)}], ids=["lm", "trf"])
def test_curve_fit_takes_compiled_models(model, settings):
    found, covariance = tg.optimize.curve_fit(model, T, Y, **settings)
    exact = {"jac": lambda x, a, b, c: np.stack([np.exp(-b * x), -a * x * np.exp(-b * x), np.ones_like(x)], 1), **settings}
    parameters, beside = scipy_optimize.curve_fit(in_one, T, Y, **exact)
    np.testing.assert_allclose(found, parameters, rtol=1e-7)
    np.testing.assert_allclose(covariance, beside, rtol=1e-6)


def test_equations_and_residuals_of_numba():
    found = tg.optimize.root(numba.njit(lambda x: np.array([x[0] * x[1] - 2.0, x[0] - x[1] - 1.0])), [1.5, 0.5])
    np.testing.assert_allclose(found.x, [2, 1], rtol=1e-10)
    assert found.njev > 0
    for method in ("newton", "halley"):
        found = tg.optimize.root_scalar(numba.njit(lambda x, a: x * x - a), args=(2.0,), x0=1.0, method=method)
        assert found.root == pytest.approx(2**0.5)
    missed = numba.njit(lambda p, t, y: p[0] * np.exp(-p[1] * t) + p[2] - y)
    found = tg.optimize.least_squares(missed, [1.0, 1, 1], args=(T, Y))
    np.testing.assert_allclose(found.x, scipy_optimize.curve_fit(in_one, T, Y)[0], rtol=1e-5)
    pattern = tg.optimize.least_squares(numba.njit(lambda p: p * p - 2.0), np.ones(4), jac_sparsity=True)
    np.testing.assert_allclose(pattern.jac.toarray(), np.diag(2 * pattern.x))


def test_numba_functions_without_a_derivative():
    with pytest.raises(TypeError, match="can't be differentiated as compiled code"):
        tg.optimize.minimize(numba.njit(lambda x: np.roots(x)[0].real), [1.0, 2.0])


@pytest.mark.parametrize("style", ["counter", "attribute", "history", "print", "global"])
def test_what_a_function_does_besides_is_done_at_every_point(style, capsys, monkeypatch):
    seen = []
    monkeypatch.setitem(globals(), "calls", 0)

    def counter(x):
        nonlocal seen
        seen = [*seen, 1]
        return by_arrays(x)

    def attribute(x):
        attribute.calls += 1
        return by_arrays(x)

    def history(x):
        seen.append(x)
        return by_arrays(x)

    def spoken(x):
        print("here")
        return by_arrays(x)

    def counted(x):
        global calls
        calls += 1
        return by_arrays(x)

    attribute.calls = 0
    function = {"counter": counter, "attribute": attribute, "history": history, "print": spoken, "global": counted}[style]
    found = tg.optimize.minimize(function, START)
    times = {"counter": len(seen), "history": len(seen), "attribute": attribute.calls, "global": calls,
             "print": capsys.readouterr().out.count("here")}[style]
    assert times >= found.nfev > 30


def test_what_changes_meanwhile_is_seen():
    data = np.array([1.0, 2.0])
    run = {"weight": 1.0}

    def f(x, y):
        return (run["weight"] * (x - y) ** 4).sum() + ((x - data) ** 2).sum()

    function = points.Recorded(f, (data,), again=False)
    function.start(np.zeros(2))
    for k in range(60):
        if k == 30:
            data[0] = 5.0
        if k == 40:
            run["weight"] = 3.0
        x = np.array([k * 0.1, -1.0])
        expected = run["weight"] * 4 * (x - data) ** 3 + 2 * (x - data)
        np.testing.assert_allclose(function.gradient(x), expected, rtol=1e-13)
    assert function.transforms is not None


def test_branches_and_random_numbers():
    random = np.random.default_rng(0)
    branched = points.Recorded(lambda x: (x * x).sum() if x[0] > 0 else (3 * x).sum(), again=False)
    drawn = points.Recorded(lambda x: (x * random.normal()).sum(), again=False)
    for function in (branched, drawn):
        function.start(np.ones(2))
    for k in range(50):
        x = np.array([(-1.0) ** k * (k + 1), 2.0])
        np.testing.assert_array_equal(branched.gradient(x), 2 * x if x[0] > 0 else [3, 3])
        drawn.gradient(x)
    assert branched.transforms is not None and drawn.transforms is None
    assert len({drawn.number(np.array([k, 1.0])) / (k + 1) for k in range(60, 70)}) == 10


class Model:
    def __init__(self):
        self.weight = 2.0

    def loss(self, x, power=2):
        return (self.weight * (x - 1) ** power).sum()


def gradients(function, *args, points_at=range(40)):
    """Pairs of a point and the gradient there, and whether it was replayed in the end."""
    recorded = points.Recorded(function, args, again=False)
    recorded.start(np.ones(2))
    found = [(x, recorded.gradient(x)) for x in (np.array([(-1.0) ** k * (k + 1), 2.0]) for k in points_at)]
    return found, recorded.transforms is not None


def test_kinds_of_functions():
    found, in_the_end = gradients(lambda x: x.sum() if x[0] > 0 else tg.tensor(3.0))
    assert in_the_end
    for x, gradient in found:  # in parts constant
        np.testing.assert_array_equal(gradient, [1, 1] if x[0] > 0 else [0, 0])
    weights = np.array([1.0, 2.0])
    for function, args, expected in [
        (lambda x: (x * x).sum().reshape(1), (), lambda x: 2 * x),
        (functools.partial(lambda w, x: (w * x * x).sum(), weights), (), lambda x: 2 * weights * x),
        (Model().loss, (2,), lambda x: 4 * (x - 1)),
        (lambda x: tg.grad(lambda y: (y**3).sum())(x).sum(), (), lambda x: 6 * x),
    ]:
        found, in_the_end = gradients(function, *args)
        assert in_the_end
        for x, gradient in found:
            np.testing.assert_allclose(gradient, expected(x), rtol=1e-14)


def test_errors_of_the_function_after_many_points():
    def f(x):
        if x[0] > 30:
            raise ValueError("too far")
        return (x * x).sum()

    recorded = points.Recorded(f, again=False)
    recorded.start(np.ones(2))
    for k in range(30):
        recorded.gradient(np.array([k, 2.0]))
    with pytest.raises(ValueError, match="too far"):
        recorded.gradient(np.array([31.0, 2.0]))
    np.testing.assert_array_equal(recorded.gradient(np.array([5.0, 7.0])), [10, 14])


# An interrupt ---------------------------------------------------------------------------------------------------------


def stopping(function, after):
    def stopped(*arguments):
        stopped.left -= 1
        if not stopped.left:
            raise KeyboardInterrupt
        return function(*arguments)

    stopped.left = after
    return stopped


def equations(x):
    return [x[0] * x[1] - 2.0, x[0] - x[1] - 1.0]


def pairs(x):
    return by_arrays(x), scipy_optimize.rosen_der(x)


def missed(p):
    return in_one(T, *p) - Y


def norm(x):
    return np.linalg.norm(equations(x))


@pytest.mark.parametrize(
    ("run", "size"),
    [
        (lambda: tg.optimize.root(stopping(equations, 4), [5.0, -3.0]), norm),
        (lambda: tg.optimize.root(stopping(equations, 4), [5.0, -3.0], method="broyden1"), norm),
        (lambda: tg.optimize.root_scalar(stopping(lambda x: x**3 - 2, 4), x0=9.0), lambda x: abs(x**3 - 2)),
        (lambda: tg.optimize.root_scalar(stopping(lambda x: x**3 - 2, 6), bracket=[0, 9]), lambda x: abs(x**3 - 2)),
        (lambda: tg.optimize.minimize_scalar(stopping(lambda x: (x - 2) ** 2, 6)), lambda x: (x - 2) ** 2),
        (lambda: tg.optimize.minimize(stopping(pairs, 9), START, jac=True), by_arrays),
        (lambda: tg.optimize.minimize(stopping(by_arrays, 30), START, jac="2-point"), by_arrays),
        (lambda: tg.optimize.least_squares(stopping(missed, 4), ONES), lambda p: np.linalg.norm(missed(p))),
        (lambda: tg.optimize.least_squares(stopping(missed, 8), ONES, "2-point"), lambda p: np.linalg.norm(missed(p))),
        (lambda: tg.optimize.curve_fit(stopping(in_one, 4), T, Y, ONES), lambda p: np.linalg.norm(missed(p))),
        (lambda: tg.optimize.curve_fit(stopping(in_one, 9), T, Y, ONES, jac="2-point", method="trf"),
         lambda p: np.linalg.norm(missed(p))),
    ],
    ids=["root", "root, no derivative", "newton", "bracket", "minimize_scalar", "pairs", "differences", "least_squares",
         "least_squares, differences", "curve_fit", "curve_fit, differences"],
)
def test_an_interrupt_leaves_the_best_point(run, size):
    starts = {2: [5.0, -3.0], 1: 9.0, 8: START, 3: ONES}
    with pytest.raises(KeyboardInterrupt) as caught:
        run()
    result = caught.value.result
    assert not result.success and result.nfev > 1 and "interrupted" in result.message
    x = result.root if "root" in result else result.x
    assert size(np.asarray(x)) < size(np.asarray(starts[np.size(x)]))


def test_the_examples_count_their_calls():
    from tapegrad.examples import mgh

    run = mgh.solve(mgh.PROBLEMS["Wood"], "trf", True)
    assert run.solved and run.evaluations > 60
    made, among = replayed(lambda: mgh.solve(mgh.PROBLEMS["Wood"], "trf", True))
    assert made == 0 and among > 30


def test_fits_of_one_function_share_what_was_compiled():
    scale = 1.0

    def model(x, a, b):
        return scale * a * np.exp(-b * x)

    x = np.linspace(0.0, 2.0, 12)
    for k in range(8):
        truth = [1.0 + k, 0.5 + 0.1 * k]
        data = x + 0.1 * k                   # other data of the same shape
        found, _ = tg.optimize.curve_fit(model, data, model(data, *truth), p0=[1.0, 1.0])
        np.testing.assert_allclose(found, truth, rtol=1e-6)
    (known,) = points._known[model].values()
    assert known.replayed
    scale = 2.0                              # what it refers to is looked at
    found, _ = tg.optimize.curve_fit(model, x, 3.0 * np.exp(-x), p0=[1.0, 0.5])
    np.testing.assert_allclose(found, [1.5, 1.0], rtol=1e-6)
    found = tg.optimize.least_squares(lambda p: model(x, *p) - 3.0 * np.exp(-x), [1.0, 0.5]).x
    np.testing.assert_allclose(found, [1.5, 1.0], rtol=1e-6)


def test_fits_to_other_shapes_and_of_methods():
    class Line:
        def __init__(self, shift):
            self.shift = shift

        def __call__(self, x, a, b):
            return a * x + b + self.shift

        method = __call__

    def line(x, a, b):
        return a * x + b

    for n in range(3, 24):
        x = np.arange(float(n))
        for f, shift in ((line, 0.0), (Line(n), n), (Line(n).method, n)):
            np.testing.assert_allclose(tg.optimize.curve_fit(f, x, 2 * x + 1)[0], [2.0, 1.0 - shift], atol=1e-8)
    assert len(points._known[line]) <= points.SHAPES


def test_a_residual_with_data_as_arguments_is_shared_too():
    def residual(p, t, y):
        return p[0] * tg.exp(p[1] * t) - y

    t = np.linspace(0.0, 1.0, 9)
    for k in range(1, 9):
        found = tg.optimize.least_squares(residual, [1.0, 0.0], args=(t, k * np.exp(-k * t)))
        np.testing.assert_allclose(found.x, [k, -k], rtol=1e-6)
    (known,) = points._known[residual].values()
    assert known.replayed
