"""Special functions: rows that refuse an operand, derivatives of high order, tails, SciPy's dispatch, and `tg.special`."""

import functools
import os
import subprocess
import sys
import textwrap

import mpmath
import numpy as np
import pytest
import scipy.special

import tapegrad as tg
from tapegrad.ops import BY_NAME
from tapegrad.tensor import elementwise

from .derivatives import check, close, leaf, recorded_gradients, reverse, tangent, values_of
from .rows import REFUSING

# For each row that refuses operands: those, then points for the others, and its reference on arrays
X = np.array([0.3, 0.9, 1.7, 3.1])
U = np.array([0.1, 0.45, 0.7, 0.93])
CASES = {
    "sinc_derivative": ([1, 2, 5], (X,)),
    "erfcx_derivative": ([0, 1, 3], (X,)),
    "polygamma": ([0, 1, 4], (X,)),
    "zeta": ([2, 3.5], (X,)),
    "gammainc_derivative": ([1, 2], (X, X[::-1])),
    "gamma_density": ([0, 1, 2], (X, X[::-1])),
    "betainc_by_a": ([(2.5, 0.7)], (U,)),
    "betainc_by_b": ([(2.5, 0.7)], (U,)),
    "stdtr_by_df": ([2.5], (X,)),
    "jv": ([0, 1, 2.5], (X,)),
    "yv": ([0, 1, 2.5], (X,)),
    "iv": ([0, 1, 2.5], (X,)),
    "ive": ([0, 1, 2.5], (X,)),
}
REFUSED = [(name, fixed) for name, (values, _) in CASES.items() for fixed in values]


def bound(name, fixed):
    """The row as a function of the operands that it doesn't refuse."""
    fixed = fixed if isinstance(fixed, tuple) else (fixed,)
    return lambda *operands: elementwise.apply(BY_NAME[name], *fixed, *operands)


def many_digits(function, point, order=0, k=0):
    with mpmath.workdps(60):
        point = [mpmath.mpf(v) for v in point]
        return float(mpmath.diff(lambda v: function(*point[:k], v, *point[k + 1 :]), point[k], order))


# Rows that refuse an operand -----------------------------------------------------------------------------------------


def test_every_row_that_refuses_is_tested_here():
    assert {op.name for op in REFUSING} == set(CASES)


@pytest.mark.parametrize(("name", "fixed"), REFUSED)
def test_value_and_derivatives_by_the_other_operands(name, fixed):
    op = BY_NAME[name]
    reference = getattr(scipy.special, name, None) if op.reference else None
    points = CASES[name][1]
    expected = reference and (lambda *arrays: reference(*(fixed if isinstance(fixed, tuple) else (fixed,)), *arrays))
    check(bound(name, fixed), *points, reference=expected)
    check(bound(name, fixed), *[p.reshape(2, 2)[:, ::-1] for p in points], single=False)
    check(bound(name, fixed), *[p[:1].reshape(()) for p in points], single=False)
    check(bound(name, fixed), *[p[:0] for p in points], single=False)


@pytest.mark.parametrize("op", REFUSING, ids=lambda op: op.name)
def test_a_refused_operand_is_an_error_when_differentiated(op):
    fixed, points = CASES[op.name][0][0], CASES[op.name][1]
    operands = [leaf(v) for v in (fixed if isinstance(fixed, tuple) else (fixed,))] + [leaf(p[0]) for p in points]
    y = elementwise.apply(op, *operands)  # recorded all the same
    for k in op.refused:
        with pytest.raises(NotImplementedError, match=rf"{op.name} can't be differentiated by operand {k + 1}.*"):
            y.backward(retain_graph=True)
        with pytest.raises(NotImplementedError):
            tg.autograd.grad(y, operands[k], create_graph=True)
        with pytest.raises(NotImplementedError):
            tangent(y, operands, [np.ones(()) if q == k else None for q in range(op.arity)])
        assert all(x.grad is None for x in operands)
        operands[k] = operands[k].detach()
        y = elementwise.apply(op, *operands)
    y.backward()
    assert all(x.grad is not None for x in operands[len(op.refused) :])


def test_a_second_derivative_that_is_not_known_is_an_error():
    a = leaf(2.5)
    (g,) = recorded_gradients(tg.betainc(a, 0.7, 0.4), [a], tg.tensor(1.0))
    with pytest.raises(NotImplementedError, match="detach"):
        tg.autograd.grad(g, a)


# High orders and tails -----------------------------------------------------------------------------------------------


def nth(function, x, order):
    x = leaf(x)
    y = function(x)
    for _ in range(order):
        (y,) = tg.autograd.grad(y, x, create_graph=True, materialize_grads=True)
    return y.item()


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-7, -1e-3, 0.47, 0.48, 2.6])
@pytest.mark.parametrize("order", range(6))
def test_sinc_to_any_order(x, order):
    expected = many_digits(mpmath.sincpi, [x], order)
    assert nth(tg.sinc, x, order) == pytest.approx(expected, rel=1e-13, abs=1e-15 * np.pi**order)


@pytest.mark.parametrize("x", [-3.0, 0.0, 1.99, 2.01, 30.0, 1e4])
@pytest.mark.parametrize("order", range(4))
def test_erfcx_to_any_order(x, order):
    with mpmath.workdps(80):
        expected = float(mpmath.diff(lambda t: mpmath.exp(t * t) * mpmath.erfc(t), x, order))
    assert nth(tg.erfcx, x, order) == pytest.approx(expected, rel=2e-13)


@pytest.mark.parametrize("x", [-1e4, -40.0, -5.0, -1e-9, 1e-9, 3.0, 20.0])
@pytest.mark.parametrize("order", range(4))
def test_log_ndtr_to_any_order(x, order):
    with mpmath.workdps(400):
        expected = float(mpmath.diff(lambda t: mpmath.log(mpmath.erfc(-t / mpmath.sqrt(2)) / 2), x, order))
    assert nth(tg.log_ndtr, x, order) == pytest.approx(expected, rel=1e-12)


def test_log_ndtr_where_nothing_is_left():
    for x in (40.0, 1e200):
        assert [nth(tg.log_ndtr, x, order) for order in range(4)] == [0, 0, 0, 0]


@pytest.mark.parametrize("function", ["logaddexp", "logaddexp2"])
def test_second_derivative_at_equal_operands(function):
    scale = 1.0 if function == "logaddexp" else np.log(2)
    for point in (0.0, 3.0):
        x, y = leaf(point), leaf(point)
        g = recorded_gradients(getattr(tg, function)(x, y), [x, y], tg.tensor(1.0))
        assert [v.item() for v in g] == [0.5, 0.5]
        second = [h.item() for h in tg.autograd.grad(g[0], [x, y])]
        assert second == pytest.approx([0.25 * scale, -0.25 * scale])
    x = leaf(-np.inf)
    (g,) = recorded_gradients(getattr(tg, function)(x, -np.inf), [x], tg.tensor(1.0))
    assert tg.autograd.grad(g, x)[0].item() == 0


def test_logaddexp_of_what_is_empty_in_a_chain():
    a, b, c = leaf(-np.inf), leaf(-np.inf), leaf(2.0)
    y = tg.logaddexp(tg.logaddexp(a, b), c)
    assert [g.item() for g in tg.autograd.grad(y, [a, b, c])] == [0, 0, 1]


@pytest.mark.parametrize("a", [0.05, 0.9, 9.9, 10.1, 300.0])
@pytest.mark.parametrize("ratio", [0.02, 0.9, 1.0, 1.2, 4.0])
def test_gammainc_by_its_parameter(a, ratio):
    x = a * ratio
    with mpmath.workdps(250):
        first, second = (
            float(mpmath.diff(lambda v: mpmath.gammainc(v, 0, x, regularized=True), a, n, h=mpmath.mpf(10) ** -60))
            for n in (1, 2)
        )
    assert nth(lambda v: tg.gammainc(v, x), a, 1) == pytest.approx(first, rel=1e-12)
    assert nth(lambda v: tg.gammaincc(v, x), a, 1) == pytest.approx(-first, rel=1e-12)
    assert nth(lambda v: tg.gammainc(v, x), a, 2) == pytest.approx(second, rel=1e-11, abs=1e-13 * abs(first))


@pytest.mark.parametrize(("a", "b"), [(0.2, 0.3), (3.0, 25.0), (30.0, 2.0), (400.0, 300.0)])
@pytest.mark.parametrize("x", [1e-6, 0.02, 0.5, 0.9, 0.9999])
def test_betainc_by_its_parameters(a, b, x):
    with mpmath.workdps(200):
        step = mpmath.mpf(10) ** -50

        def value(u, v):
            return mpmath.betainc(a + u, b + v, 0, x, regularized=True)

        expected = [
            float((value(step, 0) - value(-step, 0)) / (2 * step)),
            float((value(0, step) - value(0, -step)) / (2 * step)),
        ]
    leaves = [leaf(a), leaf(b)]
    found = reverse(tg.betainc(*leaves, x), leaves, np.ones(()))
    # where it hardly changes any more, the difference from 1 counts
    close(np.array(found), np.array(expected), 1e-10, 1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_bessel_functions_to_higher_orders_at_zero(n):
    for name in ("j0", "j1", "i0", "i1"):
        kind, order = getattr(mpmath, "bessel" + name[0]), int(name[1])
        expected = many_digits(functools.partial(kind, order), [1e-9], n)
        assert nth(getattr(tg, name), 1e-9, n) == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("name", ["j1", "i1", "i1e"])
@pytest.mark.parametrize("x", [-7.0, 1.99, 2.01, 50.0])
def test_bessel_functions_of_order_one_to_second_order(name, x):
    kind = getattr(mpmath, "bessel" + name[0])
    expected = many_digits(lambda v: kind(1, v) * (mpmath.exp(-abs(v)) if name[-1] == "e" else 1), [x], 2)
    assert nth(getattr(tg, name), x, 2) == pytest.approx(expected, rel=1e-11)


# SciPy ---------------------------------------------------------------------------------------------------------------

OF_SCIPY = sorted(
    {op.reference.rpartition(".")[2] for op in BY_NAME.values() if op.reference.startswith("scipy.special.")} | {"psi"}
)


@pytest.mark.parametrize("name", OF_SCIPY)
def test_scipys_functions_take_tensors(name):
    theirs = getattr(scipy.special, name)
    if not isinstance(theirs, np.ufunc):
        assert name in ("polygamma", "zeta")  # Python functions that ask for an array
        return
    operands = [np.array([0.3, 0.6])] * theirs.nin
    x = leaf(operands[-1])
    y = theirs(*operands[1:], x)
    assert isinstance(y, tg.Tensor) and y.requires_grad
    np.testing.assert_allclose(values_of(y), theirs(*operands), rtol=1e-14)
    (g,), (h,) = reverse(y, [x], np.ones(2)), reverse(getattr(tg.special, name)(*operands[1:], x), [x], np.ones(2))
    close(g, h, 0.0)


def test_a_ufunc_that_only_has_the_name_is_not_taken_for_scipys():
    def erf(x):
        return x

    theirs = np.frompyfunc(erf, 1, 1)
    with pytest.raises(TypeError, match="not there for tensors"):
        theirs(leaf(1.0))
    with pytest.raises(TypeError, match="airye"):
        scipy.special.airye(leaf(1.0))


@pytest.mark.parametrize("name", [n for n in tg.special.__all__ if hasattr(scipy.special, n)])
def test_names_of_tg_special_are_scipys(name):
    theirs = getattr(scipy.special, name)
    count = {"polygamma": 2, "zeta": 2, "multigammaln": 2}
    n = theirs.nin if isinstance(theirs, np.ufunc) else count.get(name, 1)
    arguments = [np.array([2.0, 3.0])] * n
    if name == "multigammaln":
        arguments[1] = 2
    elif n and name not in ("softmax", "log_softmax", "logsumexp"):
        arguments[-1] = np.array([0.3, 0.8]) if name not in ("zeta", "stdtr", "polygamma") else np.array([1.3, 2.8])
    np.testing.assert_allclose(values_of(getattr(tg.special, name)(*arguments)), theirs(*arguments), rtol=2e-14)


def test_functions_that_are_made_of_others():
    check(tg.special.kl_div, X, X[::-1], reference=scipy.special.kl_div)
    check(lambda a: tg.special.multigammaln(a, 3), X + 1, reference=lambda a: scipy.special.multigammaln(a, 3))
    check(tg.special.binom, X + 3, X, reference=scipy.special.binom)
    check(tg.special.factorial, X, reference=scipy.special.factorial)
    check(tg.special.poch, X, X[::-1], reference=scipy.special.poch)
    with pytest.raises(ValueError, match="dimension"):
        tg.special.multigammaln(2.0, 0)


def test_spellings():
    x = leaf([0.5, 1.5])
    for y, z in (
        (x.polygamma(1), tg.polygamma(1, x)),
        (x.lgamma(), tg.gammaln(x)),
        (x.igamma(2.0), tg.gammainc(x, 2.0)),
        (np.degrees(x), x.rad2deg()),
        (np.radians(x), x.deg2rad()),
        (tg.logit(x / 2), tg.special.logit(x / 2)),
        (tg.logit(x, eps=0.1), tg.logit(x.clamp(0.1, 0.9))),
    ):
        close(values_of(y), values_of(z), 0.0)
        close(reverse(y, [x], np.ones(2))[0], reverse(z, [x], np.ones(2))[0], 0.0)


# Processes -----------------------------------------------------------------------------------------------------------

PROGRAM = """
    import numpy as np
    import tapegrad as tg
    x = tg.tensor([0.3, 0.8, 1.7], requires_grad=True)
    for f in (tg.digamma, tg.log_ndtr, tg.erf, tg.sinc, tg.i1, lambda x: tg.gammainc(x, 1.5), lambda x: tg.betainc(x, 2.0, 0.4),
              lambda x: tg.logaddexp(x, 0.5), lambda x: tg.stdtr(x, 1.2), lambda x: tg.polygamma(2, x)):
        y = f(x)
        (g,) = tg.autograd.grad(y.sum(), x, create_graph=True)
        print(y.tolist(), g.tolist())
"""


def run(**variables):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=os.environ | variables,
    )
    assert done.returncode == 0, done.stderr
    return [eval(line.replace("] [", "], [")) for line in done.stdout.splitlines()]


def test_kernels_from_the_cache_and_no_kernels_at_all(tmp_path):
    first = run(NUMBA_CACHE_DIR=str(tmp_path))
    written = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    assert any("digamma" in p.name for p in written)
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == first
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == written
    np.testing.assert_allclose(run(NUMBA_DISABLE_JIT="1"), first, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("binom", [[5.5], [2.5]]),
        ("poch", [[1.5], [2.5]]),
        ("kl_div", [[0.5], [0.25]]),
        ("factorial", [[3.0, 4.0]]),
        ("multigammaln", [[3.0], 2]),
    ],
)
@pytest.mark.parametrize("number", [False, True], ids=["lists", "numbers"])
def test_functions_made_of_others_take_lists_and_numbers(name, operands, number):
    given = [a[0] if number and isinstance(a, list) else a for a in operands]
    expected = getattr(scipy.special, name)(*[np.asarray(a) if isinstance(a, list) else a for a in given])
    found = getattr(tg.special, name)(*given)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "precise", "points"),
    [
        (
            "binom",
            mpmath.binomial,
            [(2.0, 3.0), (5.0, 7.0), (1.5, 2.5), (1.5, 2.7), (5.0, 2.0), (90.0, 20.0), (3.0, -1.0), (3.0, -2.5), (2.0, 0.0)],
        ),
        (
            "poch",
            lambda z, m: mpmath.gamma(z + m) * mpmath.rgamma(z),
            [(-1.0, 2.0), (-2.0, 3.0), (2.0, 3.0), (-1.5, 0.25), (0.0, 2.0)],
        ),
    ],
)
def test_ratios_of_gammas_also_where_they_are_0(name, precise, points):
    function = getattr(tg.special, name)
    for point in points:
        value, gradient = tg.value_and_grad(function, (0, 1))(*point)
        hessian = tg.hessian(lambda p: function(p[0], p[1]))(np.array(point))
        with mpmath.workdps(60):
            expected = [float(mpmath.diff(precise, point, order)) for order in ((0, 0), (1, 0), (0, 1), (1, 1))]
        np.testing.assert_allclose([value, *gradient, hessian[0, 1]], expected, rtol=1e-11, atol=1e-13 * max(map(abs, expected)))


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_an_incomplete_gamma_function_of_order_0_is_constant(name):
    function = getattr(tg.special, name)
    assert tg.value_and_grad(lambda x: function(0.0, x))(1.5) == (getattr(scipy.special, name)(0.0, 1.5), 0.0)
    assert tg.jvp(lambda x: function(0.0, x), (1.5,), (1.0,))[1] == 0.0
