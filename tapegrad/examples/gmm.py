"""The log posterior density of a mixture of Gaussians, and its gradient: ADBench's problem GMM.

::

    python -m tapegrad.examples.gmm                     # 10,000 points of 2 dimensions, 5 components: 30 parameters
    python -m tapegrad.examples.gmm --dimensions 10 --components 25 --points 1000
    python -m tapegrad.examples.gmm gmm_d2_K5.txt       # a file of ADBench's

The problem, and the form of its files, are those of ADBench (https://github.com/microsoft/ADBench), whose tables say what other
tools for automatic differentiation need for it. A component k has a weight, the softmax of ``alphas``, a mean, and the factor Q
of its precision, ``Q' Q``: a lower triangular matrix, of which the file has the logarithms of the diagonal and then what is below
it, column by column. The density of the factors a priori is Wishart's, with the sign that ADBench gives it: its published
values add minus its logarithm.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from scipy.special import multigammaln

import tapegrad.numpy as np
from tapegrad.examples.checked import study
from tapegrad.scipy.special import logsumexp

__all__ = ["Problem", "generate", "log_posterior", "main", "read"]


@dataclass(frozen=True)
class Problem:
    """Data and a place to differentiate at.

    Attributes
    ----------
    alphas : ndarray, shape (k,)
        Logarithms of the weights, but for a constant.
    means : ndarray, shape (k, d)
    factors : ndarray, shape (k, d (d + 1) / 2)
        Of each component the logarithms of the factor's diagonal, then its lower triangle by columns.
    x : ndarray, shape (n, d)
        The points.
    gamma, m : float, int
        Parameters of the Wishart density.
    """

    alphas: Any
    means: Any
    factors: Any
    x: Any
    gamma: float
    m: int

    @property
    def parameters(self) -> tuple[Any, Any, Any]:
        """What the density is differentiated by."""
        return self.alphas, self.means, self.factors


def log_posterior(problem: Problem) -> Callable[[Any, Any, Any], Any]:
    """The logarithm of the density, as a function of `alphas`, `means` and `factors`: arrays or Tensors."""
    x, gamma, m = problem.x, problem.gamma, problem.m
    (n, d), k = x.shape, len(problem.alphas)
    place = places(d)
    zeros = np.zeros((k, 1))
    freedom = d + m + 1
    wishart = freedom * d * math.log(gamma / math.sqrt(2)) - float(multigammaln(freedom / 2, d))
    constant = -n * d / 2 * math.log(2 * math.pi) - k * wishart

    def function(alphas: Any, means: Any, factors: Any) -> Any:
        logs, below = factors[:, :d], factors[:, d:]
        diagonals = np.exp(logs)
        q = np.concatenate([diagonals, below, zeros], axis=1)[:, place]
        whitened = (q.reshape(k * d, d) @ x.T).reshape(k, d, n) - q @ means[:, :, np.newaxis]
        determinants = logs.sum(axis=1)
        exponents = (alphas + determinants)[:, np.newaxis] - 0.5 * (whitened**2).sum(axis=1)
        likelihood = logsumexp(exponents, axis=0).sum() - n * logsumexp(alphas)
        prior = 0.5 * gamma**2 * ((diagonals**2).sum() + (below**2).sum()) - m * determinants.sum()
        return likelihood + prior + constant

    return function


def places(d: int) -> numpy.ndarray:
    """Where the elements of a factor are in its row of a file with a 0 at its end."""
    place = numpy.full((d, d), d * (d + 1) // 2)
    place[numpy.diag_indices(d)] = numpy.arange(d)
    columns, rows = numpy.triu_indices(d, 1)
    place[rows, columns] = d + numpy.arange(len(rows))
    return place


def read(path: str | Path) -> Problem:
    """The problem in a file of ADBench's; ValueError where it isn't one."""
    words = Path(path).read_text(encoding="ascii").split()
    try:
        d, k, n = map(int, words[:3])
        numbers = numpy.array(words[3:], dtype=float)
    except ValueError as error:
        raise ValueError(f"{path}: a GMM file holds numbers, first dimensions, components and points: {error}") from None
    sizes = [k, k * d, k * d * (d + 1) // 2, n * d, 2]
    if len(numbers) != sum(sizes):
        raise ValueError(f"{path}: {sum(sizes)} numbers should follow {d} dimensions, {k} components and {n} points, and there "
                         f"are {len(numbers)}")
    alphas, means, factors, x, (gamma, m) = numpy.split(numbers, numpy.cumsum(sizes)[:-1])
    return Problem(alphas, means.reshape(k, d), factors.reshape(k, -1), x.reshape(n, d), float(gamma), int(m))


def generate(d: int = 2, k: int = 5, n: int = 10_000, seed: int = 0) -> Problem:
    """A problem of `n` points of `d` dimensions and `k` components, of random numbers."""
    normal = numpy.random.default_rng(seed).normal
    return Problem(normal(size=k), normal(size=(k, d)), normal(size=(k, d * (d + 1) // 2)), normal(size=(n, d)), 1.0, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.gmm",
        description="Differentiate the log posterior of a mixture of Gaussians, check the gradient and time it.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of ADBench's (default: random numbers)")
    parser.add_argument("--dimensions", type=int, default=2, help="of the random points (default: 2)")
    parser.add_argument("--components", type=int, default=5, help="of their mixture (default: 5)")
    parser.add_argument("--points", type=int, default=10_000, help="random points (default: 10000)")
    options = parser.parse_args(argv)
    sizes = options.dimensions, options.components, options.points
    if min(sizes) < 1:
        parser.error(f"dimensions, components and points must be at least 1, not {sizes}")
    try:
        problems = [(Path(name).name, read(name)) for name in options.files] or [("random numbers", generate(*sizes))]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    for name, problem in problems:
        n, d = problem.x.shape
        print(f"{name}: {len(problem.alphas)} components in {d} dimensions, {n} points")
        print(study(log_posterior(problem), problem.parameters))
    return 0


if __name__ == "__main__":
    sys.exit(main())
