"""Statistical models beside the results of scikit-learn, quadrature and a book."""

import warnings

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.examples import eight_schools, learning


def test_logistic_regression_is_scikit_learns():
    linear_model = pytest.importorskip("sklearn.linear_model")
    features, classes = learning.data("breast_cancer")
    found = learning.fit_logistic(features, classes)
    theirs = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(features, classes)
    w = np.append(theirs.coef_, theirs.intercept_)
    np.testing.assert_allclose(found.x, w, atol=1e-5)
    assert found.success and found.fun <= float(learning.logistic_loss(w, features, classes)) + 1e-9


def test_the_network_has_scikit_learns_loss_and_is_at_rest_where_that_is():
    neural = pytest.importorskip("sklearn.neural_network")
    features, classes = learning.data("iris")
    targets = learning.one_hot(classes)
    settings = {"activation": "tanh", "solver": "lbfgs", "alpha": learning.PENALTY, "max_iter": 500, "tol": 1e-9}
    model = neural.MLPClassifier((learning.HIDDEN,), random_state=0, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it stops at max_iter
        model.fit(features, classes)
    w = learning.pack(model.coefs_, model.intercepts_)
    loss, gradient = tg.value_and_grad(learning.network_loss)(w, features, targets)
    assert loss == pytest.approx(model.loss_, rel=1e-9)
    assert np.abs(gradient).max() < 1e-3
    # Their weights and ours name the same classes, and ours go further down from there
    assert np.mean(learning.network_classes(w, features, 3) == classes) == model.score(features, classes)
    found = learning.fit_network(w, features, targets)
    assert found.fun <= loss and np.abs(found.jac).max() < 1e-5


def test_a_network_that_is_trained_from_random_weights():
    pytest.importorskip("sklearn.datasets")
    features, classes = learning.data("iris")
    start = np.random.default_rng(0).normal(size=67) * 0.5
    found = learning.fit_network(start, features, learning.one_hot(classes))
    assert np.mean(learning.network_classes(found.x, features, 3) == classes) > 0.98


def test_the_program(capsys):
    pytest.importorskip("sklearn.linear_model")
    assert learning.main() == 0
    assert "scikit-learn, lbfgs               37.7589459619" in capsys.readouterr().out


def test_eight_schools(monkeypatch):
    monkeypatch.setattr(eight_schools, "WARM_UP", 400)
    found, accepted, gradients = eight_schools.sample(800, seed=1)
    errors = np.array([x.std() / np.sqrt(eight_schools.effective(x)) for x in found.T])
    assert (np.abs(found.mean(0) - eight_schools.exact_means()) < 4 * errors).all()
    assert errors.max() < 0.6
    # The book's come from 200 draws, rounded
    assert np.abs(np.median(found[:, :8], axis=0) - eight_schools.PUBLISHED_MEDIANS).max() < 2
    assert 0.8 < accepted < 1 and gradients > 5_000


# As RStan printed them in 2018 (NUTS, 4 chains, 20,000 draws after warm-up): theta, mu, tau; and their standard errors
STAN_MEANS = [11.42, 7.96, 6.16, 7.71, 5.15, 6.22, 10.72, 8.48, 8.02, 6.54]
STAN_ERRORS = [0.07, 0.04, 0.05, 0.05, 0.05, 0.05, 0.05, 0.06, 0.05, 0.07]


def test_quadrature_agrees_with_stan():
    difference = np.abs(eight_schools.exact_means() - STAN_MEANS)
    assert (difference < 3 * np.array(STAN_ERRORS) + 0.005).all()


def test_effective_draws_of_a_chain_with_a_known_correlation():
    generator = np.random.default_rng(0)
    noise = generator.normal(size=20_000)
    assert eight_schools.effective(noise) == pytest.approx(20_000, rel=0.1)
    chain = np.empty_like(noise)
    chain[0] = noise[0]
    for k in range(1, len(chain)):
        chain[k] = 0.5 * chain[k - 1] + noise[k]
    assert eight_schools.effective(chain) == pytest.approx(20_000 / 3, rel=0.15)


def test_the_gradient_of_the_posterior():
    q = np.linspace(-1, 1, 10)
    gradient = tg.grad(eight_schools.log_density)(q)
    h = 1e-6
    expected = [
        (eight_schools.log_density(q + d) - eight_schools.log_density(q - d)) / (2 * h) for d in h * np.eye(10)
    ]
    np.testing.assert_allclose(gradient, expected, rtol=1e-7)
