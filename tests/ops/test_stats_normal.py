"""The multivariate normal distribution against scipy.stats."""

import numpy as np
import pytest
import scipy.stats

import tapegrad as tg

from .derivatives import leaf, values_of

multivariate_normal = tg.stats.multivariate_normal
MEAN = np.array([0.3, -0.2, 1.0])
COV = np.array([[2.0, 0.3, -0.4], [0.3, 1.0, 0.2], [-0.4, 0.2, 1.5]])
POINT = np.array([0.5, 0.1, -0.7])
CASES = {
    "a point": (POINT, MEAN, COV),
    "points": (np.stack([POINT, POINT + 1, -POINT]), MEAN, COV),
    "a batch of points": (np.stack([[POINT, POINT + 1], [MEAN, -POINT]]), MEAN, COV),
    "variances": (POINT, MEAN, COV.diagonal()),
    "one variance": (POINT, MEAN, 1.7),
    "one dimension": (POINT, 0.2, 1.7),
    "a number": (0.4, 0.2, 1.7),
}
cases = pytest.mark.parametrize("arguments", CASES.values(), ids=CASES)


@cases
@pytest.mark.parametrize("function", ["logpdf", "pdf"])
def test_values(arguments, function):
    expected = getattr(scipy.stats.multivariate_normal, function)(*arguments)
    np.testing.assert_allclose(values_of(getattr(multivariate_normal, function)(*arguments)), expected, rtol=1e-13)
    x = arguments[0]
    standard = scipy.stats.norm.logpdf(x)
    np.testing.assert_allclose(values_of(multivariate_normal.logpdf(np.reshape(x, (-1, 1)))), np.reshape(standard, -1))


@cases
def test_derivatives(arguments):
    def symmetric(x, mean, cov):
        cov = cov if len(cov.shape) < 2 else (cov + cov.T) * 0.5
        return multivariate_normal.logpdf(x, mean, cov)

    leaves = [leaf(v) for v in arguments]
    assert tg.autograd.gradcheck(symmetric, leaves)
    assert tg.autograd.gradgradcheck(symmetric, leaves)


def test_what_does_not_fit():
    for message, arguments in (
        ("3 components", (POINT[:2], MEAN, COV)),
        ("a mean of n numbers", (POINT, MEAN[:2], COV)),
        ("a mean of n numbers", (POINT, MEAN, COV[:2])),
    ):
        with pytest.raises(ValueError, match=message):
            multivariate_normal.logpdf(*arguments)
    with pytest.raises(np.linalg.LinAlgError):
        multivariate_normal.logpdf(POINT, MEAN, -COV)
    with pytest.raises(NotImplementedError, match="positive definite"):
        multivariate_normal.logpdf(POINT, MEAN, COV, allow_singular=True)
