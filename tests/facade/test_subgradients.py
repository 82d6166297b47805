import math

import pytest

from .subject import IS_TAPEGRAD, leaf, tg

INF, NAN = math.inf, math.nan

# A function, the points it is taken at, and the gradient there: kinks, ties and tails.
CASES = {
    "abs at 0": (lambda x: x.abs(), [[0.0, -0.0]], [[0.0, 0.0]]),
    "relu at 0": (lambda x: x.relu(), [[0.0]], [[0.0]]),
    "relu of nan": (lambda x: x.relu(), [[NAN]], [[1.0]]),
    "sqrt at 0": (lambda x: x.sqrt(), [[0.0]], [[INF]]),
    "sqrt of a zero sum of squares": (lambda x: (x * x).sum().sqrt(), [[0.0, 0.0]], [[NAN, NAN]]),
    "max with ties": (lambda x: x.max(), [[1.0, 2.0, 2.0]], [[0.0, 0.5, 0.5]]),
    "min with ties": (lambda x: x.min(), [[1.0, 1.0, 2.0]], [[0.5, 0.5, 0.0]]),
    "max along a dimension with ties": (lambda x: x.max(0).values, [[1.0, 2.0, 2.0]], [[0.0, 1.0, 0.0]]),
    "maximum tie": (lambda x, y: tg.maximum(x, y), [[1.0], [1.0]], [[0.5], [0.5]]),
    "minimum tie": (lambda x, y: tg.minimum(x, y), [[1.0], [1.0]], [[0.5], [0.5]]),
    "maximum with nan": (lambda x, y: tg.maximum(x, y), [[NAN, 1.0], [1.0, NAN]], [[1.0, 1.0], [1.0, 1.0]]),
    "clamp at its bounds": (lambda x: x.clamp(0.0, 1.0), [[0.0, 0.5, 1.0, 2.0]], [[1.0, 1.0, 1.0, 0.0]]),
    "x ** 0 at 0": (lambda x: x**0, [[0.0, 2.0]], [[0.0, 0.0]]),
    "x ** 0.0 at 0": (lambda x: x**0.0, [[0.0, 2.0]], [[0.0, 0.0]]),
    "x ** -1": (lambda x: x**-1, [[-2.0]], [[-0.25]]),
    "0 ** 0": (lambda x, y: x**y, [[0.0], [0.0]], [[0.0], [0.0]]),
    "0 ** 1": (lambda x, y: x**y, [[0.0], [1.0]], [[1.0], [0.0]]),
    "0 ** 2": (lambda x, y: x**y, [[0.0], [2.0]], [[0.0], [0.0]]),
    "0 ** 0.5": (lambda x, y: x**y, [[0.0], [0.5]], [[INF], [0.0]]),
    "0 ** -1": (lambda x, y: x**y, [[0.0], [-1.0]], [[-INF], [-INF]]),
    "(-2) ** 2": (lambda x, y: x**y, [[-2.0], [2.0]], [[-4.0], [NAN]]),
    "(-2) ** 3": (lambda x, y: x**y, [[-2.0], [3.0]], [[12.0], [NAN]]),
    "constant 0 ** y": (lambda y: 0.0**y, [[0.0, 2.0]], [[0.0, 0.0]]),
    "quotient of tiny numbers": (lambda x, y: x / y, [[1e-200], [1e-200]], [[1e200], [-1e200]]),
    "quotient of huge numbers": (lambda x, y: x / y, [[1e200], [1e200]], [[1e-200], [-1e-200]]),
    "sigmoid far out": (lambda x: x.sigmoid(), [[-800.0, 800.0, 0.0]], [[0.0, 0.0, 0.25]]),
    "sigmoid in its left tail": (lambda x: x.sigmoid(), [[-40.0]], [[4.248354255291589e-18]]),
    "tanh far out": (lambda x: x.tanh(), [[20.0, -20.0]], [[0.0, 0.0]]),
    "exp that overflows": (lambda x: x.exp(), [[710.0]], [[INF]]),
    "log at 0": (lambda x: x.log(), [[0.0]], [[INF]]),
    # Here the peers give nan
    "where that hides a nan": (lambda x: tg.where(x > 0, x.sqrt(), x * 0), [[0.0, 4.0]], [[0.0 if IS_TAPEGRAD else NAN, 0.25]]),
}


@pytest.mark.parametrize(("function", "points", "expected"), list(CASES.values()), ids=list(CASES))
def test_gradient(function, points, expected):
    inputs = [leaf(p) for p in points]
    function(*inputs).sum().backward()
    for x, gradient in zip(inputs, expected, strict=True):
        assert x.grad.tolist() == pytest.approx(gradient, rel=1e-12, abs=0.0, nan_ok=True)


def test_max_along_a_dimension_reports_the_first_of_equal_entries():
    values, indices = tg.tensor([[1.0, 5.0, 5.0], [7.0, 7.0, 2.0]]).max(1)
    assert values.tolist() == [5.0, 7.0]
    assert indices.tolist() == [1, 0]
    assert indices.dtype == tg.int64


@pytest.mark.tapegrad_only("what comes from an adjoint of 0 is 0, in every kind of pass")
@pytest.mark.parametrize("create_graph", [False, True])
def test_nothing_comes_from_an_adjoint_of_0(create_graph):
    x = leaf([0.0, 2.0])
    (g,) = tg.autograd.grad((x * 0.0 * (1 / x)).sum() + (x * x).sum(), x, create_graph=create_graph)
    assert g[1].item() == 4.0 and math.isnan(g[0].item())  # 0 * inf is a value that is nan: that is not hidden
    (g,) = tg.autograd.grad((tg.sqrt(x) * 0.0).sum(), x, create_graph=create_graph)
    assert g.tolist() == [0.0, 0.0]
    if create_graph:
        (second,) = tg.autograd.grad(tg.autograd.grad((tg.sqrt(x) * x**2).sum(), x, create_graph=True)[0].sum(), x)
        assert second[1].item() == pytest.approx(3.75 * 2**0.5)
