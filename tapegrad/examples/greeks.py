"""Price and greeks of options by Monte Carlo: every simulated path is differentiated, and the gradients are averaged.

::

    python -m tapegrad.examples.greeks
    python -m tapegrad.examples.greeks --paths 100000 --seed 3

An asset follows a geometric Brownian motion and is observed at 12 dates. Three calls on it are valued on the same paths:

- European, on the last price: Black and Scholes' formula (1973) checks it;
- geometric Asian, on the geometric mean of the prices: by the closed form of Kemna and Vorst (1990), for discrete dates;
- arithmetic Asian, on the arithmetic mean, which has no closed form. The geometric one, whose mean is known, serves as control
  variate of its price and of each greek.

The function that is differentiated is that of one path, of numbers alone: ``path_value``. ``tg.compile`` records it,
``tg.value_and_grad`` differentiates it, ``tg.vmap`` runs it for all paths. The closed forms are differentiated as well.

Such pathwise derivatives are unbiased where the payoff is continuous in the parameters: the kink of a call does no harm, since a
path meets it with probability 0. Payoffs that jump (digital or barrier options) must be smoothed first. For the same reason
there is no gamma here: the delta of a path jumps at the strike.
"""

from __future__ import annotations

import argparse
import functools
import operator
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import tapegrad as tg
from tapegrad.examples.progress import progress

__all__ = ["CLOSED_FORMS", "MARKET", "PAYOFFS", "Moments", "batches", "closed_form", "gradients_of_paths", "main", "report",
           "simulate", "table"]

DATES = 12
BATCH = 8000  # paths that are simulated at a time
PARAMETERS = ("spot", "strike", "rate", "dividend", "volatility", "maturity")
MARKET = np.array([100.0, 105.0, 0.03, 0.01, 0.25, 1.0])
# What is printed: a name, the parameter, and the factor of the derivative by it
GREEKS = (
    ("delta", "spot", 1.0),
    ("by the strike", "strike", 1.0),
    ("rho", "rate", 1.0),
    ("by the dividend", "dividend", 1.0),
    ("vega", "volatility", 1.0),
    ("theta", "maturity", -1.0),
)


def european(spots: Any) -> Any:
    """The price that the call is on: the last one."""
    return spots[-1]


def geometric(spots: Any) -> Any:
    """The price that the call is on: the geometric mean."""
    return tg.exp(sum(tg.log(spot) for spot in spots) / len(spots))


def arithmetic(spots: Any) -> Any:
    """The price that the call is on: the arithmetic mean."""
    return sum(spots) / len(spots)


PAYOFFS: dict[str, Callable[[Any], Any]] = {"European": european, "geometric Asian": geometric, "arithmetic Asian": arithmetic}


def path_value(market: Any, shocks: Any, average: Callable[[Any], Any]) -> Any:
    """What a call pays along one path, discounted; `shocks` are the path's standard normal numbers, one for each date."""
    spot, strike, rate, dividend, volatility, maturity = market
    dt = maturity / len(shocks)
    spots = []
    for shock in shocks:
        spot = spot * tg.exp((rate - dividend - volatility**2 / 2) * dt + volatility * tg.sqrt(dt) * shock)
        spots.append(spot)
    return tg.exp(-rate * maturity) * tg.maximum(average(spots) - strike, 0.0)


def gradients_of_paths(average: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """A function of the market and of many paths' shocks that gives each path's value and its gradient by the market; it can be
    pickled."""
    value = functools.partial(path_value, average=average)
    return tg.vmap(tg.value_and_grad(tg.compile(value)), in_axes=(None, 0))


def call_on_lognormal(mean: Any, deviation: Any, strike: Any, rate: Any, maturity: Any) -> Any:
    """A call on a price whose logarithm is normal."""
    d = (mean - tg.log(strike)) / deviation
    cdf = tg.stats.norm.cdf
    forward = tg.exp(mean + deviation**2 / 2)
    return tg.exp(-rate * maturity) * (forward * cdf(d + deviation) - strike * cdf(d))


def black_scholes(market: Any) -> Any:
    """The European call."""
    spot, strike, rate, dividend, volatility, maturity = market
    mean = tg.log(spot) + (rate - dividend - volatility**2 / 2) * maturity
    return call_on_lognormal(mean, volatility * tg.sqrt(maturity), strike, rate, maturity)


def kemna_vorst(market: Any, n: int = DATES) -> Any:
    """The geometric Asian call: the mean of the logarithms at `n` dates is normal."""
    spot, strike, rate, dividend, volatility, maturity = market
    mean = tg.log(spot) + (rate - dividend - volatility**2 / 2) * maturity * (n + 1) / (2 * n)
    variance = volatility**2 * maturity * (n + 1) * (2 * n + 1) / (6 * n**2)
    return call_on_lognormal(mean, tg.sqrt(variance), strike, rate, maturity)


CLOSED_FORMS: dict[str, Callable[[Any], Any]] = {"European": black_scholes, "geometric Asian": kemna_vorst}


def closed_form(name: str, market: np.ndarray = MARKET) -> np.ndarray:
    """Value and gradient of a call that has a formula, one behind the other."""
    value, gradient = tg.value_and_grad(CLOSED_FORMS[name])(market)
    return np.array([value, *gradient])


@dataclass
class Moments:
    """Sums over paths, from which means and their errors follow; those of parts of the paths add up to those of all.

    Attributes
    ----------
    count : int
        Paths.
    sums : ndarray, shape (payoffs, 1 + parameters)
        Of the values and derivatives.
    products : ndarray, shape (payoffs, payoffs, 1 + parameters)
        Of the products of those of two payoffs.
    """

    count: int
    sums: np.ndarray
    products: np.ndarray

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.count + other.count, self.sums + other.sums, self.products + other.products)

    def mean(self, k: int) -> np.ndarray:
        """Of payoff `k`."""
        return np.asarray(self.sums[k] / self.count)

    def covariance(self, j: int, k: int) -> np.ndarray:
        """Of two payoffs, for one path."""
        return np.asarray(self.products[j, k] / self.count - self.mean(j) * self.mean(k))

    def estimate(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Means of payoff `k` and their standard errors."""
        return self.mean(k), np.sqrt(self.covariance(k, k) / self.count)

    def controlled(self, k: int, control: int, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same, with the payoff `control` as control variate, whose means are `known`."""
        slope = self.covariance(k, control) / self.covariance(control, control)
        variance = self.covariance(k, k) - slope * self.covariance(k, control)
        return self.mean(k) - slope * (self.mean(control) - known), np.sqrt(variance / self.count)


def simulate(steps: Sequence[Callable[[Any, Any], Any]], market: np.ndarray, paths: int, seed: np.random.SeedSequence) -> Moments:
    """The moments of so many paths; `steps`: for each payoff what :func:`gradients_of_paths` gives."""
    shocks = np.random.default_rng(seed).normal(size=(paths, DATES))
    found = []
    for step in steps:
        values, gradients = step(market, shocks)
        found.append(np.column_stack([values, gradients]))
    samples = np.stack(found)
    return Moments(paths, samples.sum(1), np.einsum("jpq,kpq->jkq", samples, samples))


def batches(paths: int, seed: int) -> list[tuple[int, np.random.SeedSequence]]:
    """The paths in parts, each with random numbers of its own: how many, and the seed."""
    sizes = [min(BATCH, paths - start) for start in range(0, paths, BATCH)]
    return list(zip(sizes, np.random.SeedSequence(seed).spawn(len(sizes))))


def table(moments: Moments, market: np.ndarray = MARKET) -> str:
    """The estimates beside the closed forms, one line a number."""
    known = {name: closed_form(name, market) for name in CLOSED_FORMS}
    names = list(PAYOFFS)
    lines = []
    for k, name in enumerate(names):
        if name in known:
            found, errors = moments.estimate(k)
            title = f"{name} call"
        else:
            control = names.index("geometric Asian")
            plain = moments.estimate(k)[1]
            found, errors = moments.controlled(k, control, known["geometric Asian"])
            title = f"{name} call, with the geometric one as control"
        lines += [title, f"  {'':<16} {'value':>12} {'standard error':>15} "
                  + (f"{'closed form':>12} {'difference / error':>19}" if name in known else f"{'without control':>16}")]
        for row, parameter, factor in (("price", None, 1.0), *GREEKS):
            q = 0 if parameter is None else 1 + PARAMETERS.index(parameter)
            line = f"  {row:<16} {factor * found[q]:>12.5f} {errors[q]:>15.5f} "
            if name in known:
                line += f"{factor * known[name][q]:>12.5f} {factor * (found[q] - known[name][q]) / errors[q]:>19.2f}"
            else:
                line += f"{plain[q]:>16.5f}"
            lines.append(line)
        lines.append("")
    return "\n".join(lines)


def report(moments: Moments, seconds: float) -> str:
    """The table, and how fast it was made."""
    return (f"{table(moments)}\n{moments.count} paths of {DATES} dates, {len(PAYOFFS)} payoffs with {len(PARAMETERS)} "
            f"derivatives each, in {seconds:.2f} s: {moments.count / seconds:,.0f} paths per second.")


def arguments(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> argparse.Namespace:
    """Adds what programs of this kind have in common, and parses."""
    parser.add_argument("--paths", type=int, default=200_000, help="to simulate (default: 200000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, even on a terminal")
    options = parser.parse_args(argv)
    if options.paths < 2:
        parser.error(f"--paths must be at least 2, not {options.paths}")
    if options.seed < 0:
        parser.error(f"--seed must not be negative, and {options.seed} is")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code, 0 when it ran to completion."""
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.greeks",
        description="Value three calls and their greeks by Monte Carlo, beside closed forms.",
    )
    options = arguments(parser, argv)
    steps = [gradients_of_paths(average) for average in PAYOFFS.values()]
    simulate(steps, MARKET, 2, np.random.SeedSequence(0))  # records and compiles
    parts = batches(options.paths, options.seed)
    tasks = [(f"batch {k}", part) for k, part in enumerate(parts, 1)]
    began = perf_counter()
    found = [simulate(steps, MARKET, *part) for part in progress(tasks, not options.quiet, "simulating")]
    seconds = perf_counter() - began
    print(report(functools.reduce(operator.add, found), seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
