"""A logistic regression and a small neural network on data that scikit-learn ships, beside scikit-learn's own results.

::

    python -m tapegrad.examples.learning        # needs scikit-learn, for the data and for the comparison

Both minimize the objectives that scikit-learn documents, written as plain functions of one vector of parameters:

- logistic regression of breast cancer (569 cases, 30 features), ``LogisticRegression(C=1)``: a convex problem with one
  solution, which ``tg.optimize.minimize(method="trust-exact")`` finds with exact gradients and Hessians;
- a network with one hidden layer of 8 tanh units on the iris data (150 cases, 4 features, 3 classes), ``MLPClassifier(
  solver="lbfgs")``, by ``method="trust-ncg"`` with exact products of the Hessian with vectors. The problem has many minima,
  and each program begins at random weights of its own: compare the losses.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

import tapegrad as tg

HIDDEN = 8
PENALTY = 0.01  # of the network's weights, scikit-learn's alpha


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features, each with mean 0 and deviation 1, and classes, of one of scikit-learn's datasets."""
    features, classes = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(return_X_y=True)
    return (features - features.mean(0)) / features.std(0), classes


def logistic_loss(w: Any, features: np.ndarray, classes: np.ndarray) -> Any:
    """Half the squares of the weights, without the intercept, which is last, and minus the logarithm of the likelihood."""
    signs = 2.0 * classes - 1
    margins = signs * (features @ w[:-1] + w[-1])
    return 0.5 * (w[:-1] ** 2).sum() + np.logaddexp(0.0, -margins).sum()


def fit_logistic(features: np.ndarray, classes: np.ndarray) -> Any:
    """SciPy's result; ``x`` holds the weights and the intercept."""
    start = np.zeros(features.shape[1] + 1)
    return tg.optimize.minimize(
        logistic_loss, start, (features, classes), method="trust-exact", options={"gtol": 1e-8}
    )


def unpack(w: Any, inputs: int, outputs: int) -> tuple[Any, Any, Any, Any]:
    """The weights and biases of both layers from one vector."""
    a, b = inputs * HIDDEN, HIDDEN * outputs
    return (
        w[:a].reshape(inputs, HIDDEN),
        w[a : a + HIDDEN],
        w[a + HIDDEN : a + HIDDEN + b].reshape(HIDDEN, outputs),
        w[a + HIDDEN + b :],
    )


def network_loss(w: Any, features: np.ndarray, targets: np.ndarray) -> Any:
    """Mean cross-entropy of the softmax outputs and the penalty of the weights, as scikit-learn has it."""
    first, bias1, second, bias2 = unpack(w, features.shape[1], targets.shape[1])
    scores = np.tanh(features @ first + bias1) @ second + bias2
    entropy = -(targets * tg.log_softmax(scores, 1)).sum()
    return (entropy + 0.5 * PENALTY * ((first**2).sum() + (second**2).sum())) / len(features)


def one_hot(classes: np.ndarray) -> np.ndarray:
    """A row for each case, with a 1 at its class."""
    return np.asarray(np.eye(classes.max() + 1)[classes])


def pack(layers: Sequence[Any], biases: Sequence[Any]) -> np.ndarray:
    """The weights of scikit-learn's network as one vector."""
    return np.concatenate([np.ravel(part) for pair in zip(layers, biases) for part in pair])


def fit_network(start: np.ndarray, features: np.ndarray, targets: np.ndarray) -> Any:
    """SciPy's result from these weights."""
    return tg.optimize.minimize(network_loss, start, (features, targets), method="trust-ncg", options={"gtol": 1e-7})


def network_classes(w: np.ndarray, features: np.ndarray, outputs: int) -> np.ndarray:
    """The most likely class of each case."""
    first, bias1, second, bias2 = unpack(w, features.shape[1], outputs)
    return np.asarray((np.tanh(features @ first + bias1) @ second + bias2).argmax(1))


def main() -> int:
    """Run the program; returns the exit code, 2 where scikit-learn is missing."""
    try:
        linear_model, neural = (importlib.import_module(f"sklearn.{m}") for m in ("linear_model", "neural_network"))
    except ImportError:
        print("this example needs scikit-learn: pip install scikit-learn", file=sys.stderr)
        return 2
    features, classes = data("breast_cancer")
    began = perf_counter()
    found = fit_logistic(features, classes)
    between = perf_counter()
    theirs = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(features, classes)
    ended = perf_counter()
    w = np.append(theirs.coef_, theirs.intercept_)
    print("logistic regression, breast cancer      objective      seconds   largest difference of a coefficient")
    print(f"  tapegrad, trust-exact             {found.fun:.10f}   {between - began:8.3f}   {np.abs(found.x - w).max():.1e}")
    print(f"  scikit-learn, lbfgs               {float(logistic_loss(w, features, classes)):.10f}   {ended - between:8.3f}")

    features, classes = data("iris")
    targets = one_hot(classes)
    settings = {"activation": "tanh", "solver": "lbfgs", "alpha": PENALTY, "max_iter": 5000, "tol": 1e-9}
    model = neural.MLPClassifier((HIDDEN,), random_state=0, **settings)
    start = np.random.default_rng(0).normal(size=4 * HIDDEN + HIDDEN + 3 * HIDDEN + 3) * 0.5
    began = perf_counter()
    net = fit_network(start, features, targets)
    between = perf_counter()
    model.fit(features, classes)
    ended = perf_counter()
    right = np.mean(network_classes(net.x, features, 3) == classes)
    print("neural network, iris                      loss         seconds   right")
    print(f"  tapegrad, trust-ncg               {net.fun:.10f}   {between - began:8.3f}   {100 * right:.1f} %")
    print(f"  scikit-learn, lbfgs               {model.loss_:.10f}   {ended - between:8.3f}   "
          f"{100 * model.score(features, classes):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
