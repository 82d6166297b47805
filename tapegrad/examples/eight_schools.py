"""Hamiltonian Monte Carlo on the eight schools, with exact gradients.

::

    python -m tapegrad.examples.eight_schools
    python -m tapegrad.examples.eight_schools --draws 10000 --seed 3

Eight schools measured the effect of coaching on test scores (D. B. Rubin, 1981); the hierarchical model is that of A. Gelman
et al., Bayesian Data Analysis, third edition, section 5.5: ``y[j] ~ N(theta[j], sigma[j])``, ``theta[j] ~ N(mu, tau)``, with a
uniform density for `mu` and for ``tau > 0``. The sampler works on `mu`, ``log(tau)`` and ``(theta - mu) / tau``. Its leapfrog
steps take gradients from tapegrad; the warm-up finds their length by dual averaging (Hoffman and Gelman, 2014) and the scale
of each variable by its deviation.

The table gives mean and deviation of the draws, the mean by quadrature (given `tau` all other integrals are those of normal
distributions), and the median that the book's table 5.3 (page 123) has, which comes from 200 draws.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tapegrad as tg
from tapegrad.examples.progress import progress

EFFECTS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
PUBLISHED_MEDIANS = (10, 8, 7, 8, 5, 6, 10, 8)
NAMES = (*(f"theta[{j}]" for j in range(1, 9)), "mu", "tau")

WARM_UP = 1000
STEPS = 12  # of a trajectory, on the average
ACCEPTED = 0.9  # share of trajectories that the step length is tuned to


def log_density(q: Any) -> Any:
    """Logarithm of the posterior density, but for a constant, of ``(mu, log(tau), eta[8])``."""
    mu, log_tau, eta = q[0], q[1], q[2:]
    residuals = (EFFECTS - mu - np.exp(log_tau) * eta) / ERRORS
    return log_tau - 0.5 * (eta**2).sum() - 0.5 * (residuals**2).sum()  # log_tau: of the change of variables


def quantities(q: np.ndarray) -> np.ndarray:
    """For each draw of the sampler's variables, the ten that are asked for: theta, mu and tau."""
    mu, tau = q[:, :1], np.exp(q[:, 1:2])
    return np.hstack([mu + tau * q[:, 2:], mu, tau])


def exact_means() -> np.ndarray:
    """The ten means, by quadrature over tau; given tau, everything is normal."""
    tau = np.concatenate([np.linspace(1e-6, 100, 200_001), np.geomspace(100.01, 1e6, 200_000)])[:, None]
    precision = 1 / (ERRORS**2 + tau**2)
    total = precision.sum(1, keepdims=True)
    mu = (precision * EFFECTS).sum(1, keepdims=True) / total
    logs = 0.5 * (np.log(precision).sum(1) - np.log(total[:, 0]) - (precision * (EFFECTS - mu) ** 2).sum(1))
    shrunk = (EFFECTS / ERRORS**2 + mu / tau**2) / (1 / ERRORS**2 + 1 / tau**2)
    values = np.hstack([shrunk, mu, tau])
    widths = np.diff(tau[:, 0])[:, None]
    density = np.exp(logs - logs.max())[:, None]

    def integral(f: np.ndarray) -> np.ndarray:
        return np.asarray(((f[1:] + f[:-1]) / 2 * widths).sum(0))

    return integral(density * values) / integral(density)


@dataclass
class Sampler:
    """Hamiltonian Monte Carlo for a density that tapegrad can differentiate; `scale` is the length of each variable."""

    density: Callable[[Any], Any]
    generator: np.random.Generator
    scale: np.ndarray
    step: float = 0.1

    def __post_init__(self) -> None:
        self._both = tg.value_and_grad(self.density)
        self.gradients = 0

    def value_and_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Of the logarithm of the density."""
        self.gradients += 1
        value, gradient = self._both(q)
        return float(value), np.asarray(gradient)

    def move(self, q: np.ndarray, value: float, gradient: np.ndarray) -> tuple[np.ndarray, float, np.ndarray, float]:
        """One trajectory: where it leads, value and gradient there, and the probability that it was accepted with."""
        p = self.generator.normal(size=len(q))
        before = value - 0.5 * p @ p
        x, v, g = q, value, gradient
        length = self.step * self.generator.uniform(0.8, 1.2)
        for _ in range(self.generator.integers(1, 2 * STEPS)):
            p = p + 0.5 * length * self.scale * g
            x = x + length * self.scale * p
            v, g = self.value_and_gradient(x)
            p = p + 0.5 * length * self.scale * g
        change = v - 0.5 * p @ p - before
        chance = float(np.exp(np.minimum(change, 0.0))) if np.isfinite(change) else 0.0
        if self.generator.uniform() < chance:
            return x, v, g, chance
        return q, value, gradient, chance

    def run(self, q: np.ndarray, draws: int, show: bool = False) -> tuple[np.ndarray, float]:
        """Warm up from `q`; the draws that follow, and the share of accepted trajectories."""
        value, gradient = self.value_and_gradient(q)
        kept, chances = np.empty((WARM_UP + draws, len(q))), np.empty(WARM_UP + draws)
        tuner = _StepLength(self.step)
        tasks = [(f"draw {k - WARM_UP + 1}" if k >= WARM_UP else "warm-up", k) for k in range(WARM_UP + draws)]
        with np.errstate(over="ignore"):
            for k in progress(tasks, show, "sampling"):
                q, value, gradient, chances[k] = self.move(q, value, gradient)
                kept[k] = q
                if k < WARM_UP:
                    self.step = tuner.update(chances[k])
                    if k == WARM_UP // 2:
                        self.scale = kept[WARM_UP // 5 : k + 1].std(0)
                        tuner = _StepLength(0.3)
                elif k == WARM_UP:
                    self.step = tuner.settled
        return kept[WARM_UP:], float(chances[WARM_UP:].mean())


class _StepLength:
    """Dual averaging of the logarithm of a step length, with the constants of Hoffman and Gelman."""

    def __init__(self, step: float) -> None:
        self._centre, self._error, self._mean, self._count = np.log(10 * step), 0.0, 0.0, 0

    def update(self, chance: float) -> float:
        """The next step length, after a trajectory that was accepted with this probability."""
        self._count += 1
        k = self._count
        self._error += (ACCEPTED - chance - self._error) / (k + 10)
        log_step = self._centre - np.sqrt(k) / 0.05 * self._error
        self._mean += k**-0.75 * (log_step - self._mean)
        return float(np.exp(log_step))

    @property
    def settled(self) -> float:
        """The mean that later steps have."""
        return float(np.exp(self._mean))


def sample(draws: int, seed: int, show: bool = False) -> tuple[np.ndarray, float, int]:
    """Draws of the ten quantities, the share of accepted trajectories, and how many gradients that took."""
    sampler = Sampler(log_density, np.random.default_rng(seed), np.ones(10))
    kept, accepted = sampler.run(np.zeros(10), draws, show)
    return quantities(kept), accepted, sampler.gradients


def effective(x: np.ndarray) -> float:
    """How many independent draws a chain is worth: its length over the sum of its autocorrelations (Geyer, 1992)."""
    n = len(x)
    power = np.abs(np.fft.rfft(x - x.mean(), 2 * n)) ** 2
    correlations = np.fft.irfft(power)[:n]
    if not correlations[0] > 0:
        return float(n)
    pairs = (correlations / correlations[0])[: n // 2 * 2].reshape(-1, 2).sum(1)
    end = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    return float(n / max(2 * pairs[:end].sum() - 1, 1 / n))


def table(found: np.ndarray) -> str:
    """The draws beside quadrature and the book."""
    lines = [f"{'':<9} {'mean':>7} {'deviation':>9} {'effective draws':>15} {'quadrature':>10} {'book, median':>12}"]
    lines.append("-" * len(lines[0]))
    for k, (name, mean) in enumerate(zip(NAMES, exact_means())):
        x = found[:, k]
        book = str(PUBLISHED_MEDIANS[k]) if k < 8 else ""
        lines.append(f"{name:<9} {x.mean():>7.2f} {x.std():>9.2f} {effective(x):>15.0f} {mean:>10.2f} {book:>12}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code, 0 when it ran to completion."""
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.eight_schools",
        description="Sample the posterior of the eight schools with exact gradients.",
    )
    parser.add_argument("--draws", type=int, default=4000, help="draws after the warm-up (default: 4000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    options = parser.parse_args(argv)
    if options.draws < 1:
        parser.error(f"--draws must be at least 1, not {options.draws}")
    found, accepted, gradients = sample(options.draws, options.seed, not options.no_progress)
    print(table(found))
    print(f"\n{options.draws} draws, {100 * accepted:.0f} % accepted, {gradients} gradients.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
