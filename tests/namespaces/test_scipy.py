"""tapegrad.scipy: SciPy's functions for arrays, tapegrad's for Tensors."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats

import tapegrad as tg
from tapegrad.scipy import linalg, special, stats

A = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 2.0], [0.5, 2.0, 6.0]])


def test_imports_as_autograds_users_write_them():
    code = "import tapegrad.scipy.special as sp; from tapegrad.scipy.stats import norm; norm.logpdf, sp.erf"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", special.__all__)
def test_special_functions_take_arrays_and_tensors(name):
    count = getattr(getattr(scipy.special, name), "nin", None) or 1
    arguments = [np.array([0.4, 0.7]) for _ in range(count)]
    if name in ("jv", "yv", "iv", "ive", "polygamma", "multigammaln"):
        arguments = [np.array([2.7, 3.1]), 2] if name == "multigammaln" else [2, np.array([2.7, 3.1])]
    if name in ("zeta", "binom", "stdtr"):
        arguments = [np.array([2.5, 3.5])] * 2
    expected = getattr(scipy.special, name)(*arguments)
    plain = getattr(special, name)(*arguments)
    assert type(plain) is type(expected) and np.array_equal(plain, expected)
    place = next(k for k, a in reversed(list(enumerate(arguments))) if isinstance(a, np.ndarray))
    given = [tg.tensor(a, requires_grad=True) if k == place else a for k, a in enumerate(arguments)]
    z = getattr(special, name)(*given)
    assert isinstance(z, tg.Tensor) and z.requires_grad and np.allclose(z.detach(), expected, rtol=1e-9)


def test_distributions():
    assert isinstance(stats.norm.logpdf(np.array([0.5]), 0, 1.0), np.ndarray)
    x = tg.tensor([0.3, 0.6], requires_grad=True)
    for name in ("norm", "expon", "laplace", "logistic", "cauchy"):
        ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
        for method in ("pdf", "logpdf", "cdf"):
            z = getattr(ours, method)(x, 0.1, scale=2.0)
            assert z.requires_grad and np.allclose(z.detach(), getattr(theirs, method)(x.detach().numpy(), 0.1, scale=2.0))
    assert stats.norm.logpdf(1.0, [tg.tensor(0.5, requires_grad=True)]).requires_grad
    assert np.allclose(tg.grad(lambda t: stats.norm.logpdf(t, 0.0, 2.0))(1.0), -0.25)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, a: m.cholesky(a),
        lambda m, a: m.cholesky(a, lower=True),
        lambda m, a: m.solve(a, np.arange(3.0)),
        lambda m, a: m.solve(a, np.eye(3)[:, :2], transposed=True),
        lambda m, a: m.solve_triangular(a, np.arange(3.0), lower=True),
        lambda m, a: m.solve_triangular(a, np.eye(3), trans=1),
        lambda m, a: m.expm(a / 4),
        lambda m, a: m.sqrtm(a),
        lambda m, a: m.logm(a),
        lambda m, a: m.det(a),
        lambda m, a: m.inv(a),
        lambda m, a: m.pinv(a),
        lambda m, a: m.norm(a),
        lambda m, a: m.norm(a, 1),
        lambda m, a: m.svdvals(a),
    ],
)
def test_linear_algebra(call):
    expected = call(scipy.linalg, A)
    assert type(call(linalg, A)) is type(expected)
    x = tg.tensor(A, requires_grad=True)
    z = call(linalg, x)
    assert z.requires_grad and np.allclose(z.detach(), expected, rtol=1e-10, atol=1e-12)


def test_all_functions_are_there():
    for module in (linalg, special, stats):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert all(inspect.isfunction(getattr(linalg, name)) for name in linalg.__all__)
