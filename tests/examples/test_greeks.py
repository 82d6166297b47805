"""Monte Carlo greeks: paths against formulas, closed forms against textbooks, estimates against both; here and on a cluster."""

import functools
import importlib
import operator

import numpy as np
import pytest
from scipy.stats import norm

import tapegrad as tg
from tapegrad.examples import distributed, greeks

NAMES = list(greeks.PAYOFFS)
SPOT, STRIKE, RATE, DIVIDEND, VOLATILITY, MATURITY = greeks.MARKET


def spots(market, shocks):
    """All paths at once, by NumPy."""
    spot, _, rate, dividend, volatility, maturity = market
    dt = maturity / shocks.shape[1]
    return spot * np.exp(np.cumsum((rate - dividend - volatility**2 / 2) * dt + volatility * np.sqrt(dt) * shocks, axis=1))


def payoffs(market, shocks):
    s = spots(market, shocks)
    means = {"European": s[:, -1], "geometric Asian": np.exp(np.log(s).mean(1)), "arithmetic Asian": s.mean(1)}
    return {name: np.exp(-market[2] * market[5]) * np.maximum(mean - market[1], 0) for name, mean in means.items()}


@pytest.fixture(scope="module")
def moments():
    steps = [greeks.gradients_of_paths(average) for average in greeks.PAYOFFS.values()]
    return functools.reduce(operator.add, [greeks.simulate(steps, greeks.MARKET, *part) for part in greeks.batches(6000, 4)])


@pytest.mark.parametrize("name", NAMES)
def test_each_path_has_its_value_and_gradient(name):
    shocks = np.random.default_rng(0).normal(size=(200, greeks.DATES))
    values, gradients = greeks.gradients_of_paths(greeks.PAYOFFS[name])(greeks.MARKET, shocks)
    expected = payoffs(greeks.MARKET, shocks)[name]
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)
    assert (values > 0).any() and (values == 0).any()
    for q, parameter in enumerate(greeks.MARKET):
        step = np.zeros(6)
        step[q] = 1e-6 * parameter
        up, down = (payoffs(greeks.MARKET + s, shocks)[name] for s in (step, -step))
        smooth = (up > 0) == (down > 0)
        assert smooth.sum() > 190
        slopes = (up - down) / (2 * step[q])
        np.testing.assert_allclose(gradients[smooth, q], slopes[smooth], rtol=1e-6, atol=1e-5 * np.abs(slopes).max())


def test_black_scholes_is_the_textbooks():
    d = (np.log(SPOT / STRIKE) + (RATE - DIVIDEND + VOLATILITY**2 / 2) * MATURITY) / (VOLATILITY * MATURITY**0.5)
    e = d - VOLATILITY * MATURITY**0.5
    spot, strike = SPOT * np.exp(-DIVIDEND * MATURITY), STRIKE * np.exp(-RATE * MATURITY)
    theta = -spot * norm.pdf(d) * VOLATILITY / (2 * MATURITY**0.5) - RATE * strike * norm.cdf(e) + DIVIDEND * spot * norm.cdf(d)
    expected = [
        spot * norm.cdf(d) - strike * norm.cdf(e),
        spot * norm.cdf(d) / SPOT,
        -strike * norm.cdf(e) / STRIKE,
        MATURITY * strike * norm.cdf(e),
        -MATURITY * spot * norm.cdf(d),
        spot * norm.pdf(d) * MATURITY**0.5,
        -theta,
    ]
    np.testing.assert_allclose(greeks.closed_form("European"), expected, rtol=1e-13)


def test_kemna_vorst_of_one_date_is_black_scholes():
    one = tg.value_and_grad(lambda market: greeks.kemna_vorst(market, 1))(greeks.MARKET)
    np.testing.assert_allclose([one[0], *one[1]], greeks.closed_form("European"), rtol=1e-13)


@pytest.mark.parametrize("name", list(greeks.CLOSED_FORMS))
def test_estimates_agree_with_the_closed_form(name, moments):
    found, errors = moments.estimate(NAMES.index(name))
    assert (np.abs(found - greeks.closed_form(name)) < 4 * errors).all()
    assert (errors < 0.05 * np.abs(found)).all()


def test_the_control_agrees_and_helps(moments):
    k, control = NAMES.index("arithmetic Asian"), NAMES.index("geometric Asian")
    found, errors = moments.controlled(k, control, greeks.closed_form("geometric Asian"))
    assert (errors < 0.3 * moments.estimate(k)[1]).all()
    values = payoffs(greeks.MARKET, np.random.default_rng(1).normal(size=(400_000, greeks.DATES)))
    known = values["arithmetic Asian"] - values["geometric Asian"] + greeks.closed_form("geometric Asian")[0]
    assert abs(found[0] - known.mean()) < 4 * np.hypot(errors[0], known.std() / 400_000**0.5)


def test_prices_scale_with_the_unit_of_money(moments):
    for k in range(len(NAMES)):
        mean = moments.mean(k)
        assert mean[1] * SPOT + mean[2] * STRIKE == pytest.approx(mean[0], rel=1e-12)


def test_moments_are_those_of_the_samples():
    samples = np.random.default_rng(0).normal(1.0, 2.0, size=(3, 50, 7))
    parts = samples[:, :20], samples[:, 20:]
    both = operator.add(*[greeks.Moments(x.shape[1], x.sum(1), np.einsum("jpq,kpq->jkq", x, x)) for x in parts])
    for k in range(3):
        mean, error = both.estimate(k)
        np.testing.assert_allclose(mean, samples[k].mean(0), rtol=1e-12)
        np.testing.assert_allclose(error, samples[k].std(0) / 50**0.5, rtol=1e-12)
    slope = [np.cov(samples[0, :, q], samples[1, :, q], bias=True)[0, 1] / samples[1, :, q].var() for q in range(7)]
    left = samples[0] - slope * (samples[1] - 1.0)
    mean, error = both.controlled(0, 1, np.ones(7))
    np.testing.assert_allclose(mean, left.mean(0), rtol=1e-12)
    np.testing.assert_allclose(error, left.std(0) / 50**0.5, rtol=1e-10)


def test_paths_are_parted():
    parts = greeks.batches(2 * greeks.BATCH + 7, 3)
    assert [n for n, _ in parts] == [greeks.BATCH, greeks.BATCH, 7]
    assert len({np.random.default_rng(seed).normal() for _, seed in parts}) == 3
    assert [np.random.default_rng(seed).normal() for _, seed in greeks.batches(10, 3)] == [
        np.random.default_rng(parts[0][1]).normal()
    ]


def test_the_program(capsys):
    assert greeks.main(["--paths", "300", "--seed", "2", "--quiet"]) == 0
    first = capsys.readouterr()
    assert "difference / error" in first.out and "vega" in first.out and "paths per second" in first.out and not first.err
    assert greeks.main(["--paths", "300", "--seed", "2"]) == 0
    again = capsys.readouterr()
    assert again.out.splitlines()[:-1] == first.out.splitlines()[:-1]
    for wrong in (["--paths", "1"], ["--seed", "-1"], ["--paths", "many"]):
        with pytest.raises(SystemExit):
            greeks.main(wrong)
    assert "at least 2, not 1" in capsys.readouterr().err


def test_a_cluster_computes_the_same():
    dask = pytest.importorskip("distributed")
    steps = [greeks.gradients_of_paths(average) for average in greeks.PAYOFFS.values()]
    paths = greeks.BATCH + 100
    expected = functools.reduce(operator.add, [greeks.simulate(steps, greeks.MARKET, *p) for p in greeks.batches(paths, 1)])
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        dask.Client(cluster) as client,
    ):
        found = distributed.simulate(client, distributed.spread(client), paths, 1)
    assert found.count == paths
    np.testing.assert_allclose(found.sums, expected.sums, 1e-13)
    np.testing.assert_allclose(found.products, expected.products, 1e-13)


def test_without_dask_there_is_a_message(capsys, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    assert distributed.main([]) == 2
    assert "pip install" in capsys.readouterr().err
