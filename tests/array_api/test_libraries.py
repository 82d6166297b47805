"""Libraries that take arrays of the standard take Tensors."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import array_api as xp


def test_array_api_compat():
    compat = pytest.importorskip("array_api_compat")
    x = tg.tensor([1.0, 2.0])
    assert compat.array_namespace(x, x) is xp and compat.is_array_api_obj(x)
    assert compat.device(x) == x.device and compat.size(x) == 2 and compat.to_device(x, "cpu") is x


def test_hypothesis_makes_arrays_of_all_dtypes():
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
    from hypothesis.extra.array_api import make_strategies_namespace

    xps = make_strategies_namespace(xp)
    dtypes = st.sampled_from(list(xp.__array_namespace_info__().dtypes().values()))

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(xps.arrays(dtypes, xps.array_shapes(min_dims=0, min_side=0)), st.data())
    def check(x, data):
        assert isinstance(x, tg.Tensor)
        if 0 not in x.shape:
            key = data.draw(xps.indices(x.shape, allow_newaxis=True))
            assert np.array_equal(x[key].numpy(), x.numpy()[key], equal_nan=x.dtype.kind == "f")

    check()


SCIPY = """
import numpy as np, tapegrad as tg
import tapegrad.array_api as xp
import scipy.special, scipy.stats, scipy.cluster.vq, scipy.integrate, scipy.optimize, scipy.differentiate
a = np.array([0.3, 0.8, 1.5, 2.5])
x, m = xp.asarray(a), np.random.default_rng(0).normal(size=(20, 3))
for function, arguments in (
    (scipy.special.logsumexp, (a,)), (scipy.special.softmax, (a,)), (scipy.special.erf, (a,)), (scipy.special.gammainc, (a, a)),
    (scipy.stats.skew, (a,)), (scipy.stats.zscore, (a,)), (scipy.stats.gmean, (a,)), (scipy.stats.entropy, (a,)),
    (scipy.cluster.vq.whiten, (m,)), (scipy.integrate.trapezoid, (a,)), (scipy.integrate.cumulative_simpson, (a,)),
    (scipy.optimize.rosen, (a,)), (scipy.stats.ttest_ind, (m[:, 0], m[:, 1])), (scipy.stats.pearsonr, (m[:, 0], m[:, 1])),
):
    z, w = function(*map(xp.asarray, arguments)), function(*arguments)
    z, w = (getattr(v, "statistic", v) for v in (z, w))
    assert isinstance(z, tg.Tensor), function
    assert np.allclose(z, w, rtol=1e-10), (function, z, w)
# What is computed by the namespace's functions has derivatives; what SciPy's compiled code would compute is refused
g = tg.tensor(a, requires_grad=True)
scipy.special.logsumexp(g).backward()
assert np.allclose(g.grad, scipy.special.softmax(a))
assert scipy.optimize.rosen(g).requires_grad and scipy.integrate.trapezoid(g).requires_grad
try:
    scipy.special.erf(g)
except RuntimeError as error:
    assert "requires grad" in str(error)
else:
    raise AssertionError("scipy.special.erf cut a derivative")
assert np.allclose(scipy.differentiate.derivative(xp.exp, xp.asarray(1.0)).df, np.e)
"""


def test_scipy():
    """In a process of its own: SciPy looks at the variable when it is imported."""
    pytest.importorskip("scipy", "1.15")
    pytest.importorskip("array_api_compat")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCIPY], env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


SKLEARN = """
import numpy as np, tapegrad as tg
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error, r2_score
from sklearn.preprocessing import MinMaxScaler, Normalizer
a = np.random.default_rng(0).normal(size=(20, 3))
x, b = tg.tensor(a), a @ np.array([1.0, 2.0, 3.0])
y = tg.tensor(b)
with config_context(array_api_dispatch=True):
    for make in (MinMaxScaler, Normalizer, lambda: PCA(2, svd_solver="full")):
        z = make().fit_transform(x)
        assert isinstance(z, tg.Tensor)
        assert np.allclose(abs(z), abs(make().fit_transform(a)))
    assert np.allclose(Ridge(solver="svd").fit(x, y).coef_, Ridge(solver="svd").fit(a, b).coef_)
    assert np.isclose(mean_squared_error(y, y * 1.1), mean_squared_error(b, b * 1.1))
    assert np.isclose(r2_score(y, y * 1.1), r2_score(b, b * 1.1))
"""


def test_sklearn():
    pytest.importorskip("sklearn", "1.6")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SKLEARN],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


class TestDlpack:
    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.bool_])
    def test_numpy_shares_the_memory(self, dtype):
        x = tg.ones(3, dtype=dtype)
        array = np.from_dlpack(x)
        assert array.dtype == dtype and np.shares_memory(array, x.numpy())
        assert x.__dlpack_device__() == (1, 0)

    def test_of_an_array(self):
        array = np.arange(3.0)
        x = xp.from_dlpack(array)
        array[0] = 7.0
        assert x.tolist() == [7.0, 1.0, 2.0]
        y = xp.from_dlpack(array, copy=True)
        array[0] = 8.0
        assert y.tolist() == [7.0, 1.0, 2.0]
        assert xp.from_dlpack(xp.asarray([1, 2])).dtype == xp.int64

    def test_arguments(self):
        x = tg.ones(3)
        assert x.__dlpack__(max_version=(1, 0)) is not None
        assert x.__dlpack__(dl_device=(1, 0), copy=True) is not None
        with pytest.raises(BufferError, match="CPU"):
            x.__dlpack__(dl_device=(2, 0))
        with pytest.raises(RuntimeError, match="requires grad"):
            tg.ones(3, requires_grad=True).__dlpack__()
