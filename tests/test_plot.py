"""Pictures of matrices and of convergence."""

import importlib
import warnings

import numpy as np
import pytest
import scipy.sparse

import tapegrad as tg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")          # of matplotlib's own imports
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def drawn(ax):
    """The picture of a matrix: what its cells hold, nan where nothing is."""
    ax.figure.canvas.draw()
    return np.ma.filled(ax.images[0].get_array(), np.nan)


def test_spy_of_a_function_shows_its_jacobian():
    x = np.array([1.0, 10.0, 100.0])
    ax = tg.plot.spy(lambda x: x[1:] ** 2 - x[:-1], x)
    np.testing.assert_array_equal(drawn(ax), [[1.0, 20.0, np.nan], [np.nan, 1.0, 200.0]])
    assert ax.get_title(loc="left") == "Jacobian: 2 x 3, 4 entries (67 %)"
    assert isinstance(ax.images[0].norm, matplotlib.colors.LogNorm)
    assert (ax.images[0].norm.vmin, ax.images[0].norm.vmax) == (1.0, 200.0)


@pytest.mark.parametrize("make", [np.array, scipy.sparse.csr_array, scipy.sparse.coo_matrix, tg.tensor])
def test_spy_of_matrices(make):
    ax = tg.plot.spy(make([[0.0, -2.0], [4.0, 0.0]]), title="mine")
    np.testing.assert_array_equal(drawn(ax), [[np.nan, 2.0], [4.0, np.nan]])
    assert ax.get_title(loc="left") == "mine"
    assert ax.get_xlabel() == "column (input)"


def test_spy_of_a_hessian_and_of_what_was_prepared():
    hessian = tg.sparse_hessian(lambda x: (x**3).sum())
    ax = tg.plot.spy(hessian, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(drawn(ax), [[6.0, np.nan], [np.nan, 12.0]])
    assert ax.get_title(loc="left").startswith("Hessian: 2 x 2, 2 entries")


def test_spy_of_a_large_matrix_shows_the_largest_of_a_cell():
    n = 3000
    ax = tg.plot.spy(scipy.sparse.dia_array((np.arange(1.0, n + 1)[None], [0]), shape=(n, n)))
    found = drawn(ax)
    assert max(found.shape) <= 800
    assert np.nanmax(found) == n
    assert found[0, 0] == 4.0


def test_spy_of_zeros_that_are_stored_and_of_infinity():
    ax = tg.plot.spy(scipy.sparse.coo_array(([1.0, 0.0, np.inf], ([0, 1, 2], [0, 1, 2])), shape=(3, 3)))
    assert len(ax.images) == 2
    assert drawn(ax)[2, 2] > ax.images[0].norm.vmax
    assert "not finite" in ax.figure.axes[1].get_ylabel()
    for empty in (np.zeros((2, 2)), np.ones((2, 2)), np.zeros((0, 3))):
        tg.plot.spy(empty).figure.canvas.draw()


def test_spy_refuses_what_is_no_matrix():
    with pytest.raises(ValueError, match=r"matrix of real numbers, and this has shape \(3,\)"):
        tg.plot.spy(np.ones(3))
    with pytest.raises(TypeError, match="takes its arguments"):
        tg.plot.spy(lambda x: x)
    with pytest.raises(TypeError, match="further"):
        tg.plot.spy(np.eye(2), np.ones(2))


# Convergence ----------------------------------------------------------------------------------------------------------


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def test_results_have_a_history():
    result = tg.optimize.minimize(rosenbrock, np.zeros(3))
    assert result.history[0] == 2.0
    assert result.history.min() == result.fun
    assert len(result.history) == result.nfev
    assert "history" not in result and "history" not in repr(result)
    squares = tg.optimize.least_squares(lambda p: p - np.arange(2.0), np.ones(2))
    assert squares.history[0] == 1.0
    assert tg.optimize.minimize(lambda x: (x**2).sum(), np.ones(2), method="nelder-mead").history[0] == 2.0
    assert tg.optimize.root(lambda x: x - 1.0, np.zeros(1)).history[0] == 1.0
    assert tg.optimize.root_scalar(lambda x: x * x - 4.0, x0=3.0).history[0] == 5.0


def test_history_of_a_result():
    result = tg.optimize.minimize(rosenbrock, np.zeros(3))
    ax = tg.plot.history(result, title="BFGS", label="objective")
    each, best = ax.get_lines()
    np.testing.assert_array_equal(each.get_ydata(), result.history)
    np.testing.assert_array_equal(best.get_ydata(), np.minimum.accumulate(result.history))
    assert (ax.get_yscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "evaluation", "objective")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["each evaluation", f"best so far: {result.fun:.6g}"]


def test_history_of_a_loop_and_of_several():
    losses = [tg.tensor(4.0), 2.0, np.float64(3.0)]
    ax = tg.plot.history({"first": losses, "second": [5.0, 1.0]}, x="step")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["first: 2", "second: 1"]
    assert ax.get_yscale() == "linear"
    assert list(ax.get_lines()[0].get_xdata()) == [1, 2, 3]


def test_history_that_comes_down_to_something_below_zero():
    ax = tg.plot.history(-3 + 5 * np.exp(-np.arange(60.0)))
    assert ax.get_yscale() == "log"
    assert ax.get_ylabel() == "value - (-3)"
    assert tg.plot.history([1.0, -1.0, -2.0]).get_yscale() == "linear"


def test_history_with_nan_and_on_given_axes():
    _, ax = pyplot.subplots()
    assert tg.plot.history([np.nan, 2.0, np.inf], ax=ax) is ax
    assert list(ax.get_lines()[2].get_xdata()) == [1, 3]
    ax.figure.canvas.draw()
    tg.plot.history([np.nan]).figure.canvas.draw()


def test_history_refuses_what_has_none():
    with pytest.raises(TypeError, match="no history in this OptimizeResult"):
        tg.plot.history(scipy.optimize.OptimizeResult(x=1.0, success=True))
    with pytest.raises(TypeError, match="no history in this float"):
        tg.plot.history(1.0)
    with pytest.raises(ValueError, match="no values"):
        tg.plot.history([])
    result = tg.optimize.minimize(lambda x: (x**2).sum(), [1.0])
    with pytest.raises(TypeError, match="a dict of name to result"):
        tg.plot.history([result, result])


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    for call in (lambda: tg.plot.spy(np.eye(2)), lambda: tg.plot.history([1.0])):
        with pytest.raises(ImportError, match=r"pip install 'tapegrad\[plot\]'"):
            call()
