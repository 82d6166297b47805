"""Functions of PyTorch's that are made of others: all derivatives, PyTorch's values, indices and gradients, what is refused."""

import math

import numpy as np
import pytest

import tapegrad as tg

from .derivatives import check, close, leaf, reverse, values_of

RNG = np.random.default_rng(6)
X = RNG.normal(size=(4, 5))
CUBE = RNG.normal(size=(3, 4, 2))
HOLED = np.where(RNG.random((4, 5)) < 0.3, math.nan, X)
COUNTS, SHARES = np.array([1, 3, 2, 1, 4]), RNG.random(5)
PLACES = np.cumsum(RNG.random(5) + 0.1), np.cumsum(RNG.random(4) + 0.1)

# A function of a library and an operand. Of nan there are no differences: where one is in the operand, `check` can't look
CASES = {
    "cov": (lambda m, x: m.cov(x), X),
    "cov of a vector": (lambda m, x: m.cov(x, correction=0), X[0]),
    "cov with counts": (lambda m, x: m.cov(x, fweights=m.as_tensor(COUNTS)), X),
    "cov with weights": (lambda m, x: m.cov(x, aweights=m.as_tensor(SHARES)), X),
    "cov with both": (
        lambda m, x: m.cov(x, correction=2, fweights=m.as_tensor(COUNTS), aweights=m.as_tensor(SHARES)), X
    ),
    "corrcoef": (lambda m, x: m.corrcoef(x).tril(-1), X),
    "gradient": (lambda m, x: m.stack(m.gradient(x)), X),
    "gradient, edges of second order": (lambda m, x: m.stack(m.gradient(x, spacing=[2.0, 3.0], edge_order=2)), X),
    "gradient along an axis": (lambda m, x: m.gradient(x, spacing=0.5, dim=-2)[0], CUBE),
    "gradient at coordinates": (
        lambda m, x: m.stack(m.gradient(x, spacing=[m.as_tensor(p) for p in PLACES], dim=(1, 0), edge_order=2)), X
    ),
    "cumulative_trapezoid": (lambda m, x: m.cumulative_trapezoid(x), X),
    "cumulative_trapezoid at places": (lambda m, x: m.cumulative_trapezoid(x, m.as_tensor(PLACES[1]), dim=0), X),
    "cumulative_trapezoid by steps": (lambda m, x: m.cumulative_trapezoid(x, dx=0.3, dim=-2), CUBE),
    "frac": (lambda m, x: m.frac(x), 3 * X),
    "sum_to_size": (lambda m, x: x.sum_to_size(4, 1), CUBE),
    "sum_to_size, nothing": (lambda m, x: x.sum_to_size((4, 5)) * 1, X),
    "sum_to_size of all": (lambda m, x: x.sum_to_size(1), CUBE),
    "vander": (lambda m, x: m.linalg.vander(x), X),
    "vander of three": (lambda m, x: m.linalg.vander(x, N=3), X[0]),
    "repeat_interleave": (lambda m, x: x.repeat_interleave(2, 1), X),
    "repeat_interleave by counts": (lambda m, x: x.repeat_interleave(m.as_tensor(COUNTS), dim=1), X),
    "aminmax": (lambda m, x: m.stack(m.aminmax(x)), X),
    "aminmax along an axis": (lambda m, x: m.stack(x.aminmax(dim=1, keepdim=True)), CUBE),
    "nanquantile": (lambda m, x: m.nanquantile(x, 0.3), HOLED),
    "nanquantile along an axis": (lambda m, x: x.nanquantile(m.as_tensor(np.array([0.2, 0.9, 1.0])), dim=1), HOLED),
    "nanquantile of midpoints": (
        lambda m, x: m.nanquantile(x, 0.4, dim=0, keepdim=True, interpolation="midpoint"), HOLED
    ),
    "mode": (lambda m, x: m.mode(x)[0], np.round(X)),
    "mode along an axis": (lambda m, x: x.mode(1, True)[0], np.round(CUBE)),
}  # fmt: skip
cases = pytest.mark.parametrize("name", CASES)


@pytest.mark.parametrize("name", [name for name in CASES if "nan" not in name and "mode" not in name])
def test_derivatives(name):
    function, x = CASES[name]
    with_doubles = {"cov with weights", "cov with both", "gradient at coordinates", "cumulative_trapezoid at places"}
    check(lambda x: function(tg, x), x, single=name not in with_doubles)


@cases
def test_pytorch_gives_the_same(name):
    torch = pytest.importorskip("torch")
    function, x = CASES[name]
    theirs, ours = torch.tensor(x, requires_grad=True), leaf(x)
    expected, found = function(torch, theirs), function(tg, ours)
    close(values_of(found), expected.detach().numpy(), 1e-12, 1.0)
    seed = np.random.default_rng(1).normal(size=found.shape)
    (g,) = torch.autograd.grad(expected, theirs, torch.as_tensor(seed))
    close(reverse(found, [ours], seed)[0], g.numpy(), 1e-10, 1.0)


@cases
def test_compiled_functions_give_the_same(name, capsys):
    function, x = CASES[name]

    def loss(x):
        return (function(tg, x) ** 2).sum()

    gradient, compiled = tg.grad(loss), tg.compile(loss)
    replayed = tg.grad(compiled)
    for k in range(6):
        point = np.roll(x, k // 3) * (1 + k / 100)
        close(replayed(point), gradient(point), 1e-12, 1.0)
    tg.explain(compiled)
    assert "replayed 0 times" not in capsys.readouterr().out


def test_covariances_of_too_few_and_of_integers():
    assert tg.cov(tg.tensor([1, 2, 4])).item() == pytest.approx(7 / 3)
    assert tg.cov(tg.tensor([[1.0, 2.0], [2.0, 3.0]]), correction=3).tolist() == [[math.inf] * 2] * 2
    assert math.isnan(tg.cov(3.0).item()) and math.isnan(tg.corrcoef(3.0).item())
    np.testing.assert_allclose(np.cov(leaf(X)).detach().numpy(), np.cov(X))
    np.testing.assert_allclose(np.corrcoef(leaf(X), leaf(X[0])).detach().numpy(), np.corrcoef(X, X[0]))
    np.testing.assert_allclose(np.gradient(leaf(X), axis=1).detach().numpy(), np.gradient(X, axis=1))


@pytest.mark.parametrize(
    ("x", "value", "index"),
    [
        ([1.0, 2.0, 2.0, 1.0, 3.0], 1, 3),
        ([3, 1, 3, 1, 1, 3], 1, 4),
        ([True, False], False, 1),
        ([math.nan, 1.0, math.nan, 2.0], math.nan, 0),
        ([math.nan, 1.0, math.nan, 1.0], 1, 3),
        (3.0, 3, 0),
    ],
)
def test_the_most_frequent(x, value, index):
    found = tg.mode(tg.tensor(x))
    np.testing.assert_array_equal(found.values, value)
    assert found.values.dtype == tg.tensor(x).dtype and found.indices.item() == index
    if np.ndim(x):
        assert tg.tensor([x, x]).mode(keepdim=True).indices.tolist() == [[index]] * 2


def test_most_frequent_is_pytorchs():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(2).integers(0, 4, (6, 7, 5)).astype(float)
    for dim in (0, 1, -1):
        expected, found = torch.mode(torch.tensor(x), dim), tg.mode(tg.tensor(x), dim)
        np.testing.assert_array_equal(found.values, expected.values)
        np.testing.assert_array_equal(np.take_along_axis(x, np.expand_dims(found.indices, dim), dim).squeeze(dim), found.values)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_medians_without_nan(axis, keepdims):
    expected = np.nanmedian(HOLED, axis=axis, keepdims=keepdims)
    close(values_of(tg.nanmedian(leaf(HOLED), axis, keepdims)), expected, 1e-14)
    close(values_of(np.nanmedian(leaf(HOLED), axis=axis, keepdims=keepdims)), expected, 1e-14)
    expected = np.nanpercentile(HOLED, [30, 60], axis=axis, keepdims=keepdims)
    close(values_of(np.nanpercentile(leaf(HOLED), [30, 60], axis=axis, keepdims=keepdims)), expected, 1e-14)
    close(values_of(np.nanquantile(leaf(HOLED), [0.3, 0.6], axis=axis, keepdims=keepdims)), expected, 1e-14)


def test_derivatives_of_medians_without_nan():
    x = leaf([[1.0, math.nan, 4.0, 3.0], [math.nan] * 4])
    y = x.nanmedian(dim=1)
    np.testing.assert_array_equal(values_of(y), [3, math.nan])
    assert reverse(y, [x], np.array([1.0, 0.0]))[0].tolist() == [[0, 0, 0, 1], [0] * 4]
    y = x[0].nanquantile(0.25)
    assert y.item() == 2 and reverse(y, [x], np.ones(()))[0].tolist() == [[0.5, 0, 0, 0.5], [0] * 4]


def test_extrema_share_their_derivative():
    x = leaf([[2.0, 2.0, 1.0]])
    least, most = tg.aminmax(x)
    assert reverse(least + most, [x], np.ones(()))[0].tolist() == [[0.5, 0.5, 1]]
    assert tg.aminmax(tg.tensor([3, 1])) == (tg.tensor(1), tg.tensor(3))
    assert tg.aminmax(x, dim=0).max.tolist() == [2, 2, 1]


def test_results_of_integers():
    assert tg.frac(tg.tensor([-1.5, 2.25])).tolist() == [-0.5, 0.25]
    x = tg.tensor([-1.5, 2.25])
    assert x.frac_() is x and x.tolist() == [-0.5, 0.25]
    assert tg.linalg.vander(tg.tensor([2, 3]), N=3).tolist() == [[1, 2, 4], [1, 3, 9]]
    assert tg.linalg.vander(tg.tensor([2, 3])).dtype == tg.int64
    assert tg.cumulative_trapezoid(tg.tensor([1, 2, 4]), dx=2).tolist() == [3, 9]
    assert tg.cumulative_trapezoid(tg.tensor([1.0])).shape == (0,)
    assert tg.ones(2, 3, dtype=tg.int32).sum_to_size(2, 1).dtype == tg.int64
    x = leaf([0.0, 2.0])
    assert reverse(tg.linalg.vander(x, N=3), [x], np.ones((2, 3)))[0].tolist() == [1, 5]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tg.cov(leaf(CUBE)), ValueError, "at most two axes"),
        (lambda: tg.cov(leaf(X), fweights=[1, 2]), ValueError, "a weight for each of 5 observations"),
        (lambda: tg.mode(tg.zeros(0)), IndexError, "no elements"),
        (lambda: tg.mode(leaf(X), 2), IndexError, "axis 2"),
        (lambda: tg.aminmax(tg.zeros(0)), ValueError, "no elements"),
        (lambda: tg.nanmedian(tg.zeros(0)), ValueError, "nanmedian of no elements"),
        (lambda: tg.nanquantile(leaf(X), 2), ValueError, "goes from 0 to 1"),
        (lambda: np.nanpercentile(leaf(X), 200), ValueError, "goes from 0 to 100"),
        (lambda: tg.gradient(leaf(X), spacing=[1.0]), ValueError, "a list of 2, one for each axis, not of 1"),
        (lambda: tg.gradient(leaf(X), edge_order=3), ValueError, "edge_order"),
        (lambda: tg.gradient(leaf(X), dim=5), IndexError, "axis 5"),
        (lambda: tg.gradient(tg.ones(1)), ValueError, "needs 2 elements"),
        (lambda: tg.gradient(leaf(X), spacing=[tg.ones(2)], dim=0), ValueError, "one for each of 4"),
        (lambda: tg.cumulative_trapezoid(leaf(X), leaf(X), dx=1), TypeError, "both were given"),
        (lambda: tg.cumulative_trapezoid(1.0), ValueError, "has none"),
        (lambda: leaf(X).sum_to_size(4), ValueError, "doesn't broadcast"),
        (lambda: leaf(X).sum_to_size(1, 4, 5), ValueError, "doesn't broadcast"),
        (lambda: tg.linalg.vander(tg.tensor([1.0])), ValueError, "N of at least 2"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "options", [{"bins": 2}, {"bins": [0.0, 1.0, 2.0]}, {"bins": 3, "range": (0.0, 4.0)}, {"bins": 2, "density": True}]
)
def test_histograms_are_differentiable_by_their_weights(options):
    x, w = np.array([0.0, 1.0, 2.0, 5.0, -3.0]), np.arange(1.0, 6.0)

    def loss(w):
        return (np.histogram(x, weights=w, **options)[0] ** 2).sum()

    numeric = [(loss(w + 1e-6 * e) - loss(w - 1e-6 * e)) / 2e-6 for e in np.eye(5)]
    np.testing.assert_allclose(tg.grad(loss)(w), numeric, rtol=1e-6, atol=1e-8)
    with pytest.raises(TypeError, match="no derivative by weights"):
        tg.grad(lambda w: np.histogram2d(x, x, weights=w)[0].sum())(w)


def test_nanstd_of_equal_elements():
    np.testing.assert_array_equal(tg.grad(np.nanstd)(np.array([2.0, 2.0])), [0.0, 0.0])
    np.testing.assert_allclose(tg.grad(np.nanstd)(np.array([2.0, 3.0, np.nan])), [-0.5, 0.5, 0.0])


MASKED = np.ma.array([1.0, 200.0, 3.0], mask=[False, True, False])


@pytest.mark.parametrize("use", [
    lambda: tg.tensor([1.0, 2.0, 3.0]) - MASKED,
    lambda: tg.grad(lambda p, m: ((p - m) ** 2).sum())(np.ones(3), MASKED),
    lambda: tg.compile(lambda x: x.sum())(MASKED),
    lambda: tg.vmap(lambda x: x * 2)(MASKED),
])
def test_masks_are_not_lost(use):
    with pytest.raises(TypeError, match="a masked array has no values where it is masked"):
        use()


def test_a_masked_array_on_the_left_does_not_lose_a_derivative():
    x = tg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for operand in (x, x * 2):
        with pytest.raises(RuntimeError, match="without losing its history"):
            MASKED * operand


def test_what_is_not_symmetric_is_told():
    lower = np.array([[2.0, 0.0], [0.5, 3.0]])
    for function in (np.linalg.cholesky, np.linalg.eigvalsh, np.linalg.eigh):
        with pytest.warns(RuntimeWarning, match="not symmetric"):
            function(tg.tensor(lower))
    np.testing.assert_allclose(np.linalg.eigvalsh(tg.tensor(lower), "L"), np.linalg.eigvalsh(lower, "L"))
