"""What goes along lanes: products, variances, running sums and products, softmax and its kin, medians and quantiles."""

import itertools
import math

import numpy as np
import pytest
import scipy.special

import tapegrad as tg

from .derivatives import check, close, leaf, recorded_gradients, reverse, tangent, values_of

inf, nan = math.inf, math.nan


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def away_from_zero(*shape, seed=1):
    x = numbers(*shape, seed=seed)
    return x + 0.3 * np.sign(x)


def curved(function):
    """So that what the recorded adjoint is given varies."""
    return lambda x: (lambda y: y * y + y)(function(x))


def both(function, *points, **options):
    check(function, *points, **options)
    check(curved(function), *points, **{**options, "single": False, "reference": None})


SHAPES = [(), (1,), (5,), (2, 3), (2, 1, 3), (2, 3, 4)]
AXES = [
    (shape, axes)
    for shape in SHAPES
    for axes in [None, *range(-len(shape), len(shape)), *itertools.combinations(range(len(shape)), 2), (0, 1, 2)]
    if axes is None or isinstance(axes, int) or max(axes) < len(shape)
]
REDUCTIONS = {
    "prod": np.prod,
    "logsumexp": lambda x, axis, keepdims: np.log(np.exp(x).sum(axis=axis, keepdims=keepdims)),
    "var": lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims, ddof=0),
    "std": lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims, ddof=0),
}


@pytest.mark.parametrize("keepdims", [False, True], ids=["", "keepdims"])
@pytest.mark.parametrize(("shape", "axes"), AXES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, shape, axes, keepdims):
    function, options = getattr(tg, name), {"correction": 0} if name in ("var", "std") else {}
    length = np.zeros(shape).size // max(np.zeros(shape).sum(axis=axes).size, 1)
    if name == "std" and length == 1:
        pytest.skip("it is 0 there, and its derivative is a convention: see below")
    both(
        lambda x: function(x, axis=axes, keepdims=keepdims, **options),
        away_from_zero(*shape),
        reference=lambda x: REDUCTIONS[name](x, axis=axes, keepdims=keepdims),
    )
    x = leaf(away_from_zero(*shape))
    named = function(x, dim=axes, keepdim=keepdims, **options)
    close(values_of(named), REDUCTIONS[name](values_of(x), axis=axes, keepdims=keepdims), 1e-12, 1.0)


ALONG = [(shape, axis) for shape in SHAPES[1:] for axis in range(-len(shape), len(shape))]
SCANS = {
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "logcumsumexp": np.logaddexp.accumulate,
    "softmax": scipy.special.softmax,
    "log_softmax": scipy.special.log_softmax,
}


@pytest.mark.parametrize(("shape", "axis"), ALONG, ids=str)
@pytest.mark.parametrize("name", SCANS)
def test_scans(name, shape, axis):
    function = getattr(tg, name)
    both(lambda x: function(x, axis), away_from_zero(*shape), reference=lambda x: SCANS[name](x, axis=axis))
    x = leaf(away_from_zero(*shape))
    for y in (function(x, dim=axis), getattr(x, name)(axis=axis)):
        close(values_of(y), SCANS[name](values_of(x), axis=axis), 1e-12, 1.0)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp"])
def test_a_scan_without_an_axis_is_over_the_flat_tensor(name):
    both(getattr(tg, name), away_from_zero(2, 3), reference=lambda x: SCANS[name](x.reshape(-1), axis=0))
    both(lambda x: getattr(tg, name)(x, 0), numbers(), reference=lambda x: x)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axes", [None, (0, 1), (0, 2), (1, 2)], ids=str)
def test_softmax_over_several_axes(name, axes):
    both(lambda x: getattr(tg, name)(x, axes), numbers(2, 3, 4), reference=lambda x: SCANS[name](x, axis=axes))


@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
@pytest.mark.parametrize("shape", [(70, 3), (3, 70), (2, 40, 35), (1000,)], ids=str)
def test_lanes_longer_and_more_than_a_block(name, shape):
    """Along each axis; the blocks of the loops have 32 elements."""
    for axis in range(len(shape)):
        options = {"correction": 0} if name in ("var", "std") else {}
        x = leaf(1 + 0.1 * numbers(*shape))
        y = getattr(tg, name)(x, axis=axis, **options)
        plain = values_of(getattr(tg, name)(tg.tensor(values_of(x)), axis=axis, **options))
        close(values_of(y), plain, 1e-11, 1e-2)
        seed, direction = numbers(*y.shape, seed=2), numbers(*shape, seed=3)
        (g,) = reverse(y, [x], seed)
        (again,) = recorded_gradients(y, [x], tg.tensor(seed))
        close(g, values_of(again), 1e-11, 1.0)
        t = tangent(getattr(tg, name)(x, axis=axis, **options), [x], [direction])
        close((seed * t).sum(), (g * direction).sum(), 1e-10, np.abs(seed * t).sum())


@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
@pytest.mark.parametrize(("shape", "axis"), [((0,), 0), ((2, 0), 1), ((0, 2), 1), ((2, 0), 0), ((2, 0, 3), 1)], ids=str)
def test_of_no_elements(name, shape, axis):
    with np.errstate(all="ignore"):
        options = {"correction": 0} if name in ("var", "std") else {}
        x = leaf(np.zeros(shape))
        y = getattr(tg, name)(x, axis=axis, **options)
        np.testing.assert_array_equal(
            values_of(y), values_of(getattr(tg, name)(tg.zeros(*shape), axis=axis, **options))
        )
        assert y.shape == (x.shape if name in SCANS else np.zeros(shape).sum(axis=axis).shape)
        if name in ("prod", "logsumexp"):
            assert np.all(values_of(y) == {"prod": 1, "logsumexp": -inf}[name])
        assert reverse(y, [x], np.zeros(y.shape))[0].shape == shape


@pytest.mark.parametrize("name", [*REDUCTIONS, *SCANS])
def test_memory_that_is_not_contiguous_and_views(name):
    options = {"correction": 0} if name in ("var", "std") else {}
    points = away_from_zero(3, 4)
    strided = tg.as_tensor(np.ascontiguousarray(points.T).T).requires_grad_()
    y = getattr(tg, name)(strided, axis=0, **options)
    close(values_of(y), values_of(getattr(tg, name)(leaf(points), axis=0, **options)), 1e-14)
    both(lambda x: getattr(tg, name)(x.T[1:], axis=1, **options), points)


# Products with zeros ---------------------------------------------------------------------------------------------------

ZEROS = [[0.0, 4.0, 5.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0, 3.0, 0.0], [0.0], [2.0, -0.0, 3.0, 4.0]]


@pytest.mark.parametrize("values", ZEROS, ids=str)
@pytest.mark.parametrize(
    "function", [tg.prod, tg.cumprod, lambda x: tg.prod(x * x + x), lambda x: tg.cumprod(x, 0) ** 2]
)
def test_products_with_zeros(function, values):
    """Polynomials, smooth at 0: all orders are as elsewhere."""
    check(function, values)
    matrix = np.array([values, np.arange(1.0, len(values) + 1)])
    check(lambda x: tg.prod(x, 0), matrix)
    check(lambda x: tg.cumprod(x, 1), matrix)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1e-200, 1e-200, 1e100], [1e-100, 1e-100, 0.0]),
        ([1e200, 1e200, 1e-100], [1e100, 1e100, inf]),
        ([1e200, 1e200, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
        ([0.0, 1e200, 1e200, 1e-200, 1e-200], [1.0, 0.0, 0.0, 0.0, 0.0]),
        ([1e-300, 2.0], [2.0, 1e-300]),
        ([5e-324, 2.0], [2.0, 5e-324]),
        ([inf, 2.0], [2.0, inf]),
        ([inf, 0.0], [0.0, inf]),
        ([nan, 2.0], [2.0, nan]),
        ([inf, inf, 2.0], [inf, inf, inf]),
    ],
    ids=str,
)
def test_products_that_leave_the_range(values, expected):
    x = leaf(values)
    y = tg.prod(x)
    np.testing.assert_allclose(reverse(y, [x], np.ones(()))[0], expected, rtol=1e-14, atol=0)
    if np.isfinite(values).all() and np.all(np.array(values) != 0):
        (again,) = recorded_gradients(tg.prod(x), [x], tg.tensor(1.0))
        np.testing.assert_allclose(values_of(again), expected, rtol=1e-12, atol=0)
    directions = np.eye(len(values))
    with np.errstate(all="ignore"):
        for direction, slope in zip(directions, expected):
            only = np.where(direction == 1, slope, 0.0)
            if np.isfinite(expected).all():
                close(tangent(tg.prod(x), [x], [direction]), only.sum(), 1e-14)


@pytest.mark.parametrize("values", [[1e-200, 1e-200, 1e100], [1e-160, 1e-160, -1e-160], [2.0, 1e-310, 3.0]], ids=str)
def test_running_products_that_leave_the_range(values):
    x = leaf(values)
    (g,) = reverse(tg.cumprod(x, 0), [x], np.ones(3))
    a, b, c = values
    np.testing.assert_allclose(g, [1 + b + b * c, a + a * c, a * b], rtol=1e-12, atol=0)
    (again,) = recorded_gradients(tg.cumprod(x, 0), [x], tg.tensor([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(values_of(again), g, rtol=1e-12, atol=0)


def test_second_derivative_of_a_product_with_two_zeros():
    x = leaf([3.0, 5.0, 0.0, 0.0])
    (g,) = recorded_gradients(tg.prod(x), [x], tg.tensor(1.0))
    (h,) = tg.autograd.grad(g[2], x)
    assert g.tolist() == [0, 0, 0, 0] and h.tolist() == [0, 0, 0, 15]


# Variances ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["var", "std"])
def test_corrections_and_their_names(name):
    x, function, numpy = numbers(3, 4), getattr(tg, name), getattr(np, name)
    for t in (tg.tensor(x), leaf(x)):
        for call, ddof in [
            (lambda t: function(t), 1),
            (lambda t: function(t, unbiased=False), 0),
            (lambda t: function(t, False), 0),
            (lambda t: function(t, True), 1),
            (lambda t: function(t, ddof=0), 0),
            (lambda t: function(t, correction=2), 2),
            (lambda t: function(t, correction=0.5), 0.5),
            (lambda t: getattr(t, name)(), 1),
            (lambda t: numpy(t), 0),
            (lambda t: numpy(t, ddof=1), 1),
            (lambda t: numpy(t, None, None, None, 2), 2),
        ]:
            close(values_of(call(t)), numpy(x, ddof=ddof), 1e-13, message=f"{name} with ddof {ddof}")
        close(values_of(function(t, 1, False)), numpy(x, axis=1), 1e-13)
        close(values_of(numpy(t, axis=0, keepdims=True)), numpy(x, axis=0, keepdims=True), 1e-13)
    with pytest.raises(TypeError, match="two names"):
        function(tg.tensor(x), ddof=1, correction=0)
    check(lambda t: function(t, correction=0.5), x)


def test_pairs_with_the_mean():
    x = leaf(numbers(3, 4))
    for function, numpy in ((tg.var_mean, np.var), (tg.std_mean, np.std)):
        spread, middle = function(x, 1)
        close(values_of(spread), numpy(values_of(x), axis=1, ddof=1), 1e-13)
        close(values_of(middle), values_of(x).mean(1), 1e-13)
    check(lambda x: tg.add(*tg.std_mean(x, 0)), numbers(3, 4))


@pytest.mark.parametrize("values", [[2.0, 2.0, 2.0], [0.1, 0.1], [0.0]], ids=str)
def test_std_of_equal_values_has_derivatives_of_0(values):
    x = leaf(values)
    function = (lambda x: tg.std(x, correction=0)) if len(values) == 1 else tg.std
    y = function(x)
    assert y.item() == 0
    assert not reverse(y, [x], np.ones(()))[0].any()
    assert tangent(function(x), [x], [np.arange(1.0, len(values) + 1)]) == 0
    (g,) = recorded_gradients(function(x), [x], tg.tensor(1.0))
    (h,) = tg.autograd.grad(g.sum(), x, materialize_grads=True)
    assert not values_of(g).any() and not values_of(h).any()


def test_variance_of_too_few_is_nan():
    for name in ("var", "std"):
        for x in (leaf([1.0]), tg.tensor([1.0])):
            assert math.isnan(getattr(tg, name)(x).item())
            assert math.isnan(getattr(tg, name)(x, correction=3).item())


def test_variance_far_from_0_and_of_large_numbers():
    x = leaf([1e9, 1e9 + 1.0, 1e9 + 2.0])
    assert x.var().item() == 1
    np.testing.assert_array_equal(reverse(x.std(), [x], np.ones(()))[0], [-0.5, 0, 0.5])
    check(lambda x: tg.std(x * 1e-3), np.array([1e3, 1e3 + 1, 1e3 + 5]), single=False)


# Infinities --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "value", "derivatives"),
    [
        ([-inf, -inf], -inf, [0, 0]),
        ([-inf, 1.0, 2.0], 2.313261687518223, [0, 0.2689414213699951, 0.7310585786300049]),
        ([inf, 1.0], inf, [1, 0]),
        ([inf, 1.0, inf, -inf], inf, [0.5, 0, 0.5, 0]),
        ([1000.0, 1000.0], 1000.6931471805599453, [0.5, 0.5]),
        ([-1000.0, -1000.0], -999.3068528194400547, [0.5, 0.5]),
    ],
    ids=str,
)
def test_logsumexp_of_infinities_and_far_out(values, value, derivatives):
    for scale in (1, 40):
        x = leaf(np.tile(values, (scale, 1)).T.copy())
        for y in (tg.logsumexp(x, 0), tg.logsumexp(x.T, 1)):
            np.testing.assert_allclose(values_of(y), np.full(scale, value), rtol=1e-15)
            expected = np.tile(np.array(derivatives, float), (scale, 1)).T
            # x - z is right to the last digit of z
            close(reverse(y, [x], np.ones(scale))[0], expected, 1e-13)
            close(tangent(y, [x], [np.ones(x.shape)]), expected.sum(0), 1e-13)
    x = leaf(values)
    assert tg.logsumexp(tg.tensor(values)).item() == tg.logsumexp(x).item()
    (g,) = recorded_gradients(tg.logsumexp(x), [x], tg.tensor(1.0))
    close(values_of(g), np.array(derivatives, float), 1e-13)
    if np.isfinite(value):
        (h,) = tg.autograd.grad(g[-1], x)
        d = np.array(derivatives, float)
        close(values_of(h), d[-1] * ((np.arange(len(d)) == len(d) - 1) - d), 1e-12)


def test_softmax_of_infinities_and_far_out():
    x = leaf([1e4, 0.0, -1e4])
    assert tg.softmax(x, 0).tolist() == [1, 0, 0] and tg.log_softmax(x, 0).tolist() == [0, -1e4, -2e4]
    (g,) = reverse(tg.log_softmax(x, 0), [x], np.array([0.0, 0.0, 1.0]))
    assert g.tolist() == [-1, 0, 1]
    x = leaf([-inf, 1.0, 1.0])
    assert tg.softmax(x, 0).tolist() == [0, 0.5, 0.5]
    for function in (tg.softmax, tg.log_softmax):
        (g,) = reverse(function(x, 0), [x], np.array([0.0, 1.0, 0.0]))
        assert np.isfinite(g).all()
        (again,) = recorded_gradients(function(x, 0), [x], tg.tensor([0.0, 1.0, 0.0]))
        close(values_of(again), g, 1e-15)


@pytest.mark.parametrize(
    "values",
    [[-inf, 1.0, 2.0], [-inf, -inf, 1.0], [1.0, inf, 2.0], [-1000.0, 0.0, 1000.0], [1000.0, 0.0, -1000.0]],
    ids=str,
)
def test_logcumsumexp_of_infinities_and_far_out(values):
    x = leaf(values)
    y = tg.logcumsumexp(x, 0)
    np.testing.assert_allclose(values_of(y), np.logaddexp.accumulate(values), rtol=1e-15)
    (g,) = reverse(y, [x], np.array([1.0, 2.0, 3.0]))
    assert np.isfinite(g).all()
    (again,) = recorded_gradients(tg.logcumsumexp(x, 0), [x], tg.tensor([1.0, 2.0, 3.0]))
    close(values_of(again), g, 1e-15, 1.0)
    (second,) = tg.autograd.grad((again * tg.tensor([1.0, 3.0, 2.0])).sum(), x)
    assert np.isfinite(values_of(second)).all()


@pytest.mark.parametrize(
    "name", ["prod", "logsumexp", "var", "std", "cumsum", "cumprod", "logcumsumexp", "softmax", "log_softmax"]
)
def test_nan_stays_nan(name):
    for x in (leaf([1.0, nan, 2.0]), tg.tensor([1.0, nan, 2.0])):
        y = values_of(getattr(tg, name)(x, 0))
        assert np.isnan(y.reshape(-1)[-1])


# Medians and quantiles ----------------------------------------------------------------------------------------------------


def distinct(*shape, seed=1):
    size = math.prod(shape)
    return (np.random.default_rng(seed).permutation(size) * 0.1 - 0.04 * size).reshape(shape)


@pytest.mark.parametrize("keepdims", [False, True], ids=["", "keepdims"])
@pytest.mark.parametrize(("shape", "axes"), AXES, ids=str)
def test_medians(shape, axes, keepdims):
    both(
        lambda x: tg.median(x, axes, keepdims),
        distinct(*shape),
        reference=lambda x: np.median(x, axis=axes, keepdims=keepdims),
    )
    x = leaf(distinct(*shape))
    close(
        values_of(np.median(x, axis=axes, keepdims=keepdims)),
        np.median(values_of(x), axis=axes, keepdims=keepdims),
        1e-14,
        1.0,
    )


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("q", [0.3, 0, 1, [0.1, 0.5, 0.9], np.array([[0.25], [0.6]])], ids=str)
def test_quantiles(method, q):
    for axes in (None, 0, (0, 2)):
        for keepdims in (False, True):
            check(
                lambda x, a=axes, k=keepdims: tg.quantile(x, q, a, k, method=method),
                distinct(2, 3, 4),
                reference=lambda x, a=axes, k=keepdims: np.quantile(x, q, axis=a, keepdims=k, method=method),
                single=False,
            )
    x = leaf(distinct(5, 2))
    for y in (
        tg.quantile(x, q, dim=0, interpolation=method),
        tg.percentile(x, 100 * np.asarray(q), 0, method=method),
        np.quantile(x, q, 0, method=method),
        x.quantile(q, dim=0, interpolation=method),
        np.percentile(x, 100 * np.asarray(q), axis=0, method=method),
    ):
        close(values_of(y), np.quantile(values_of(x), q, axis=0, method=method), 1e-14)


def test_quantiles_of_nan_inf_and_integers():
    x = leaf([[1.0, nan, 2.0], [3.0, inf, 4.0]])
    y = tg.median(x, 1)
    assert math.isnan(y[0].item()) and y[1].item() == 4
    assert tg.quantile(x, 1.0, 1).tolist()[1] == inf and tg.quantile(x, 0.5, 1).tolist()[1] == 4
    assert tg.median(tg.tensor([1, 2, 4, 8])).item() == 3
    (g,) = reverse(tg.quantile(x[1], [0.0, 0.5]), [x], np.ones(2))
    assert g.tolist() == [[0, 0, 0], [1, 0, 1]]


def test_what_quantiles_refuse():
    x = leaf([1.0, 2.0])
    with pytest.raises(ValueError, match="0 to 1"):
        tg.quantile(x, 1.5)
    with pytest.raises(ValueError, match="0 to 100"):
        tg.percentile(x, 101)
    with pytest.raises(ValueError, match="linear"):
        tg.quantile(x, 0.5, method="hazen")
    with pytest.raises(ValueError, match="no elements"):
        tg.median(leaf(np.zeros((0,))))
    with pytest.raises(RuntimeError, match="by q"):
        tg.quantile(x, leaf(0.5))


# Running extrema, differences, areas, averages, nan -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ufunc"), [("cummax", np.maximum), ("cummin", np.minimum)])
def test_running_extrema(name, ufunc):
    for axis in (0, 1, -1):
        check(
            lambda x, a=axis: getattr(tg, name)(x, a).values,
            distinct(3, 4),
            reference=lambda x, a=axis: ufunc.accumulate(x, a),
        )
    values, indices = getattr(tg.tensor([1.0, 3.0, 3.0, 2.0]), name)(dim=0)
    assert indices.tolist() == ([0, 1, 2, 2] if name == "cummax" else [0, 0, 0, 0])
    assert values.tolist() == ([1, 3, 3, 3] if name == "cummax" else [1, 1, 1, 1])
    assert math.isnan(getattr(tg, name)(leaf([1.0, nan, 2.0]), 0)[0][2].item())


@pytest.mark.parametrize("n", [1, 2, 3])
def test_differences(n):
    for axis in (0, 1, -1):
        check(lambda x, a=axis: tg.diff(x, n, a), numbers(4, 5), reference=lambda x, a=axis: np.diff(x, n, a))
    y = np.diff(leaf(numbers(4, 5)), n, 0)
    close(values_of(y), np.diff(numbers(4, 5), n, 0), 1e-15)


def test_differences_with_more_at_the_ends():
    def function(library):
        return lambda x, p: library.diff(x, axis=1, prepend=p, append=0.0)

    check(function(tg), numbers(2, 3), numbers(2, 2, seed=2), reference=function(np))
    check(lambda x: tg.diff(x, prepend=1.0), numbers(3), reference=lambda x: np.diff(x, prepend=1.0))
    assert tg.diff(tg.tensor([True, False, False])).tolist() == [True, False]
    x = leaf([1.0, 3.0])
    assert tg.diff(x, 0) is x
    with pytest.raises(ValueError, match="axis"):
        tg.diff(leaf(1.0))
    with pytest.raises(ValueError, match="-1"):
        tg.diff(x, -1)


def test_areas():
    x = np.cumsum(np.abs(numbers(4)))
    for axis in (0, 1):
        check(
            lambda y, a=axis: tg.trapezoid(y, dx=0.5, axis=a),
            numbers(3, 4),
            reference=lambda y, a=axis: np.trapezoid(y, dx=0.5, axis=a),
        )
    check(tg.trapezoid, numbers(3, 4), x, reference=np.trapezoid)
    check(
        lambda y, x: tg.trapezoid(y, x, dim=0),
        numbers(4, 3),
        numbers(4, 3, seed=3),
        reference=lambda y, x: np.trapezoid(y, x, axis=0),
    )
    close(values_of(np.trapezoid(leaf(x), x=x)), np.trapezoid(x, x=x), 1e-15)


def test_averages():
    for weights, axis in [(np.array([1.0, 2.0, 3.0]), 0), (np.array([1.0, 2.0]), 1), (np.abs(numbers(3, 2)), None)]:
        check(
            lambda x, w, a=axis: tg.average(x, a, w),
            numbers(3, 2),
            weights,
            reference=lambda x, w, a=axis: np.average(x, axis=a, weights=w),
        )
        for library in (tg, np):
            value, total = library.average(leaf(numbers(3, 2)), axis, weights, True)
            expected = np.average(numbers(3, 2), axis, weights, True)
            close(values_of(value), expected[0], 1e-13)
            close(values_of(total), expected[1], 1e-13)
    check(lambda x: tg.average(x, 1), numbers(3, 2), reference=lambda x: np.average(x, axis=1))
    with pytest.raises(ZeroDivisionError, match="sum to 0"):
        tg.average(leaf([1.0, 2.0]), weights=[1.0, -1.0])
    with pytest.raises(ValueError, match="weights of shape"):
        tg.average(leaf(numbers(3, 2)), weights=[1.0, 2.0])


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)], ids=str)
@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanprod", "nanmax", "nanmin"])
def test_reductions_that_leave_nan_out(name, axis):
    points = distinct(3, 4)
    points[0, 1] = points[2, 2] = nan
    expected = getattr(np, name)(points, axis=axis)
    x = leaf(points)
    for y in (getattr(tg, name)(x, axis), getattr(tg, name)(tg.tensor(points), axis), getattr(np, name)(x, axis=axis)):
        close(values_of(y), expected, 1e-13)
    y = getattr(tg, name)(x, axis)
    seed = numbers(*y.shape)
    (g,) = reverse(y, [x], seed)
    assert g[0, 1] == g[2, 2] == 0
    (again,) = recorded_gradients(getattr(tg, name)(x, axis), [x], tg.tensor(seed))
    close(values_of(again), g, 1e-13)
    step, direction = 1e-6, numbers(3, 4, seed=5)
    numeric = (
        getattr(np, name)(points + step * direction, axis=axis)
        - getattr(np, name)(points - step * direction, axis=axis)
    ) / (2 * step)
    close((seed * numeric).sum(), (g * direction).sum(), 1e-7, 1.0)


def test_nothing_but_nan():
    x = leaf([nan, nan])
    assert tg.nansum(x).item() == 0 and tg.nanprod(x).item() == 1
    for name in ("nanmean", "nanmax", "nanmin"):
        assert math.isnan(getattr(tg, name)(x).item())
    assert reverse(tg.nansum(x), [x], np.ones(()))[0].tolist() == [0, 0]


def test_peak_to_peak_and_counts():
    check(lambda x: tg.ptp(x, 1), distinct(3, 4), reference=lambda x: np.ptp(x, axis=1))
    close(values_of(np.ptp(leaf(distinct(3, 4)), axis=0)), np.ptp(distinct(3, 4), axis=0), 1e-15)
    x = tg.tensor([[0.0, 2.0, nan], [0.0, 0.0, -1.0]])
    assert tg.count_nonzero(x).item() == 3 and x.count_nonzero(dim=0).tolist() == [0, 1, 2]
    assert np.count_nonzero(x, axis=1, keepdims=True).tolist() == [[2], [1]]
    assert tg.count_nonzero(x).dtype == tg.int64


@pytest.mark.parametrize("dtype", [np.int64, np.int32, bool])
def test_integers_are_reduced_as_numpy_does(dtype):
    a = np.array([[1, 0, 1], [1, 1, 1]]).astype(dtype)
    for name in ("prod", "cumsum", "cumprod", "ptp"):
        if name == "ptp" and dtype is bool:
            continue
        y, expected = getattr(tg, name)(tg.tensor(a), axis=0), getattr(np, name)(a, axis=0)
        np.testing.assert_array_equal(values_of(y), expected)
        assert y.dtype == expected.dtype
    for name in ("var", "std"):
        close(values_of(getattr(tg, name)(tg.tensor(a), correction=0)), getattr(np, name)(a), 1e-14)
    assert tg.prod(tg.tensor(a), dtype=tg.float32).dtype == np.float32
    assert tg.softmax(tg.tensor(a), 0).dtype == np.float64
