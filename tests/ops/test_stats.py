"""Distributions against scipy.stats: values over a grid, derivatives by every argument, what is outside, errors."""

import mpmath
import numpy as np
import pytest
import scipy.special
import scipy.stats

import tapegrad as tg

from .derivatives import check, leaf, recorded_gradients, reverse, values_of

CONTINUOUS = {
    "norm": [()],
    "t": [(2.5,), (30.0,)],
    "cauchy": [()],
    "laplace": [()],
    "logistic": [()],
    "expon": [()],
    "gamma": [(0.5,), (1.0,), (3.2,)],
    "chi2": [(2.0,), (3.0,)],
    "invgamma": [(2.3,)],
    "lognorm": [(0.7,)],
    "halfnorm": [()],
    "weibull_min": [(0.6,), (1.0,), (2.5,)],
    "pareto": [(2.1,)],
    "uniform": [()],
    "beta": [(0.5, 0.7), (2.0, 3.0), (1.0, 1.0)],
}
DISCRETE = {
    "poisson": [(3.2,), (0.0,)],
    "binom": [(7.0, 0.3), (7.0, 0.0), (7.0, 1.0)],
    "nbinom": [(3.5, 0.4), (2.0, 1.0)],
    "bernoulli": [(0.3,), (0.0,), (1.0,)],
}
INVALID = {
    "t": (-1.0,),
    "gamma": (-0.5,),
    "chi2": (0.0,),
    "invgamma": (-2.0,),
    "lognorm": (-1.0,),
    "weibull_min": (-1.0,),
    "pareto": (0.0,),
    "beta": (2.0, -1.0),
    "poisson": (-1.0,),
    "binom": (5.0, 1.5),
    "nbinom": (-1.0, 0.3),
    "bernoulli": (-0.1,),
}
OF_DENSITIES = ["logpdf", "pdf", "cdf", "sf", "logcdf", "logsf"]
OF_MASSES = ["logpmf", "pmf", "cdf", "sf", "logcdf", "logsf"]
GRID = np.r_[np.linspace(-4, 6, 41), -50, 50, -0.3, 0.2, 0.7, 0, 1, np.nan]
COUNTS = np.r_[np.arange(-2.0, 12), 0.5, 3.5, np.nan, 60]
# SciPy takes the logarithm of 0, or of 1, where ours goes on
BETTER = {("halfnorm", "logsf"): 50.0, ("poisson", "logcdf"): 60.0}

continuous = pytest.mark.parametrize(("name", "shapes"), [(n, s) for n, all_of in CONTINUOUS.items() for s in all_of])
discrete = pytest.mark.parametrize(("name", "shapes"), [(n, s) for n, all_of in DISCRETE.items() for s in all_of])


def ours(name, function):
    return getattr(getattr(tg.stats, name), function)


def theirs(name, function):
    def silent(*arguments, **keywords):
        with np.errstate(all="ignore"):
            return getattr(getattr(scipy.stats, name), function)(*arguments, **keywords)

    return silent


def same(name, function, x, arguments, **keywords):
    """Values as SciPy's, of numbers and of tensors that require grad."""
    expected = theirs(name, function)(x, *arguments, **keywords)
    keep = x != BETTER.get((name, function))
    if not np.isnan(scipy.special.gammaincc(np.nan, 0.0)):  # SciPy 1.15, of which both are made
        keep &= ~np.isnan(x)
    for make in (lambda v: v, leaf):
        found = values_of(
            ours(name, function)(make(x), *map(make, arguments), **{k: make(v) for k, v in keywords.items()})
        )
        np.testing.assert_allclose(found[keep], expected[keep], rtol=1e-12, atol=1e-300, err_msg=f"{name}.{function}")


# Values --------------------------------------------------------------------------------------------------------------


@continuous
@pytest.mark.parametrize("function", OF_DENSITIES)
def test_values_of_densities(name, shapes, function):
    for loc, scale in ((0.0, 1.0), (0.3, 1.7), (0.0, -1.0), (0.0, 0.0)):
        same(name, function, GRID, shapes, loc=loc, scale=scale)


@discrete
@pytest.mark.parametrize("function", OF_MASSES)
def test_values_of_masses(name, shapes, function):
    for loc in (0.0, 2.0):
        same(name, function, COUNTS, shapes, loc=loc)


@pytest.mark.parametrize("name", INVALID)
def test_parameters_that_are_not_valid_give_nan(name):
    functions = OF_DENSITIES if name in CONTINUOUS else OF_MASSES
    for function in functions:
        for make in (float, leaf):
            y = ours(name, function)(np.array([-1.0, 0.3, 2.0, 9.0]), *map(make, INVALID[name]))
            assert np.isnan(values_of(y)).all()
    mixed = [np.array([p, q]) for p, q in zip(INVALID[name], (CONTINUOUS | DISCRETE)[name][0])]
    same(name, functions[0], np.array([1.0, 1.0]), mixed)


def test_arguments_by_place_and_by_name_broadcast():
    x = np.array([[0.5], [1.5]])
    a = np.array([1.0, 2.0, 3.0])
    expected = scipy.stats.gamma.logpdf(x, a, 0.1, 2.0)
    for y in (
        tg.stats.gamma.logpdf(x, a, 0.1, 2.0),
        tg.stats.gamma.logpdf(x, a=a, scale=2.0, loc=0.1),
        tg.stats.gamma.logpdf(leaf(x), leaf(a), leaf(0.1), scale=leaf(2.0)),
    ):
        np.testing.assert_allclose(values_of(y), expected, rtol=1e-13)
    assert tg.stats.norm.logpdf(leaf([1.0, 2.0], np.float32), 0.5, 2).dtype == np.float32
    assert tg.stats.poisson.logpmf([1, 2], 3).dtype == np.float64
    assert tg.stats.norm.pdf(0).item() == pytest.approx(1 / np.sqrt(2 * np.pi))


def test_arguments_that_do_not_fit():
    for message, call in (
        ("needs a value for a; its parameters are a, loc, scale", lambda: tg.stats.gamma.logpdf(1.0)),
        ("no parameter 'sigma'; its parameters are loc, scale", lambda: tg.stats.norm.pdf(1.0, sigma=2.0)),
        ("two values for loc", lambda: tg.stats.norm.pdf(1.0, 0.0, loc=2.0)),
        ("takes the parameters mu, loc", lambda: tg.stats.poisson.pmf(1, 2.0, 0, 1.0)),
        ("norm's scale takes", lambda: tg.stats.norm.pdf(1.0, 0.0, "1")),
    ):
        with pytest.raises(TypeError, match=message):
            call()


# Derivatives ---------------------------------------------------------------------------------------------------------


@continuous
@pytest.mark.parametrize("function", OF_DENSITIES)
def test_derivatives_by_the_argument_and_all_parameters(name, shapes, function):
    loc, scale = 0.2, 1.3
    inside = getattr(scipy.stats, name)(*shapes, loc, scale).ppf([0.35, 0.55, 0.7, 0.9])
    second = function in ("logpdf", "pdf") or name not in ("t", "beta")
    points = [inside, *shapes, loc, scale]
    check(ours(name, function), *points, reference=theirs(name, function), second=second)


@pytest.mark.parametrize(
    ("name", "shapes"), [("poisson", (3.2,)), ("binom", (7.0, 0.3)), ("nbinom", (3.5, 0.4)), ("bernoulli", (0.3,))]
)
@pytest.mark.parametrize("function", OF_MASSES)
def test_derivatives_of_masses_by_their_parameters(name, shapes, function):
    counts = np.array([0.0] if name == "bernoulli" else [0.0, 1.0, 4.0, 6.0])
    second = function in ("logpmf", "pmf") or name in ("poisson", "bernoulli")
    if function not in ("logpmf", "pmf") and name == "binom":
        # a distribution function of n trials has no derivative by n at its last step
        check(lambda p: ours(name, function)(counts, 7.0, p), 0.3, single=False)
    else:
        check(lambda *p: ours(name, function)(counts, *p), *shapes, second=second, single=False)


@continuous
@pytest.mark.parametrize("function", OF_DENSITIES)
def test_nothing_is_nan_outside_of_the_support(name, shapes, function):
    """There every derivative is 0, the second ones too."""
    lower, upper = getattr(scipy.stats, name)(*shapes).support()
    outside = [v for v in (lower - 1, upper + 1) if np.isfinite(v)]
    if not outside:
        return
    leaves = [leaf(np.array(outside)), *map(leaf, shapes), leaf(0.0), leaf(1.0)]
    y = ours(name, function)(*leaves)
    for g in reverse(y, leaves, np.ones(len(outside))):
        assert (g == 0).all()
    gradients = recorded_gradients(ours(name, function)(*leaves), leaves, tg.tensor(np.ones(len(outside))))
    assert all((values_of(g) == 0).all() for g in gradients)


@discrete
def test_no_mass_has_no_derivative(name, shapes):
    leaves = [leaf(p) for p in shapes]
    y = ours(name, "logpmf")([-1.0, 0.5, -3.0], *leaves)
    assert (values_of(y) == -np.inf).all()
    assert all((g == 0).all() for g in reverse(y, leaves, np.ones(3)))


def test_far_out():
    with mpmath.workdps(60):
        hazard = float(mpmath.npdf(30) / mpmath.ncdf(-30))
    x = leaf([30.0])
    assert reverse(tg.stats.norm.logsf(x), [x], np.ones(1))[0] == pytest.approx(-hazard, rel=1e-14)
    x = leaf([800.0, -800.0, 0.0])
    (g,) = reverse(tg.stats.logistic.logpdf(x), [x], np.ones(3))
    assert g.tolist() == [-1, 1, 0]
    x = leaf([0.0])
    (g,) = recorded_gradients(tg.stats.logistic.logpdf(x), [x], tg.tensor([1.0]))
    assert tg.autograd.grad(g.sum(), x)[0].item() == -0.5
    for name, derivative in (("laplace", 0.5), ("cauchy", 1 / np.pi), ("t", 8**-0.5)):
        x = leaf(0.0)
        shapes = (2.0,) if name == "t" else ()
        assert reverse(ours(name, "cdf")(x, *shapes), [x], np.ones(()))[0] == pytest.approx(derivative)


def test_one_distribution_of_three_parameters_fits_its_data():
    """The gradient of a likelihood is 0 at SciPy's own fit."""
    data = scipy.stats.gamma.rvs(2.0, scale=3.0, size=200, random_state=1)
    a, _, scale = scipy.stats.gamma.fit(data, floc=0)
    leaves = [leaf(a), leaf(scale)]
    total = tg.stats.gamma.logpdf(data, leaves[0], 0, leaves[1]).sum()
    np.testing.assert_allclose(reverse(total, leaves, np.ones(())), 0, atol=1e-3)


# Dirichlet -----------------------------------------------------------------------------------------------------------

ALPHA = np.array([0.7, 2.0, 3.5])
POINT = np.array([0.2, 0.5, 0.3])


@pytest.mark.parametrize("function", ["logpdf", "pdf"])
@pytest.mark.parametrize("x", [POINT, POINT[:2], np.stack([POINT, POINT[::-1]], 1)], ids=["all", "but one", "two points"])
def test_dirichlet(function, x):
    f = ours("dirichlet", function)
    np.testing.assert_allclose(values_of(f(x, ALPHA)), theirs("dirichlet", function)(x, ALPHA), rtol=1e-13)
    check(lambda alpha: f(x, alpha), ALPHA, single=False)
    if len(x) == 2:
        check(f, x, ALPHA)


def test_dirichlet_refuses_what_scipy_refuses():
    for message, x, alpha in (
        ("positive numbers for alpha", POINT, [1.0, 0.0, 2.0]),
        ("a vector of positive numbers", POINT, 2.0),
        ("3 components", [0.5, 0.2, 0.1, 0.2], ALPHA),
        ("simplex", [0.5, 0.5, 0.5], ALPHA),
        ("simplex", [-0.5, 1.0, 0.5], ALPHA),
        ("no density", [0.0, 0.5, 0.5], ALPHA),
    ):
        with pytest.raises(ValueError, match=message):
            tg.stats.dirichlet.logpdf(x, alpha)
        with pytest.raises(ValueError, match="."):
            scipy.stats.dirichlet.logpdf(x, alpha)
