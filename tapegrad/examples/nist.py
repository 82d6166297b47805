"""Nonlinear regression on NIST's StRD problems, with exact Jacobians.

::

    python -m tapegrad.examples.nist                        # all 27 problems from both starting points
    python -m tapegrad.examples.nist MGH09 BoxBOD --start 1
    python -m tapegrad.examples.nist --list
    python -m tapegrad.examples.nist --plots fits           # a picture of each fit in the folder fits (with matplotlib)

Every fit is made in the same way; nothing is tuned for a problem, and no decision looks at the certified values:

1. ``scipy.optimize.least_squares`` runs from the starting point with ``method="lm"`` (MINPACK), and from the same
   starting point again with ``method="trf"``. Both get ``x_scale="jac"``, tolerances near the resolution of doubles, at
   most 2,000 evaluations, and the Jacobian ``tg.jacobian(residuals)``.
2. The point of smaller residual sum of squares (RSS) is kept.
3. Gauss-Newton steps refine it for as long as each is shorter than the one before. The RSS is flat at its minimum, so
   that it settles only half of the digits; the steps solve J'r = 0, which an exact Jacobian settles to nearly all.
4. ``tg.optimize.curve_fit``, started there, gives the covariance of the parameters, whose diagonal has the squares of
   the standard deviations.

The table gives, for each fit, the RSS; the digits that agree with the certified parameters, and with their certified
standard deviations, as log relative error (the least of -log10(|b - c| / |c|) over the parameters, at most the 11 that
are certified); how often residuals and Jacobian were evaluated, both methods and the refinement together; and the time
of all that. Below it stand the fits that miss 6 digits of the parameters or 5 of the deviations, and those in which one
method stopped above the RSS that the other found, each with its cause as computed from the point where it stopped.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import tapegrad as tg
from tapegrad.examples import strd
from tapegrad.examples.progress import progress

METHODS = ("lm", "trf")
TOLERANCE = 1e-15  # least_squares refuses "lm" anything below the machine epsilon, 2.2e-16
MAX_EVALUATIONS = 2000  # for each method; MINPACK's own limit, 100 n, stops some far starts short
MAX_REFINEMENTS = 50
CERTIFIED_DIGITS = 11
GOOD_DIGITS = 6
GOOD_DEVIATIONS = 5


def _exponentials(x: Any, *b: Any) -> Any:
    b1, b2, b3, b4, b5, b6 = b
    return b1 * tg.exp(-b2 * x) + b3 * tg.exp(-b4 * x) + b5 * tg.exp(-b6 * x)


def _gaussians(x: Any, *b: Any) -> Any:
    b1, b2, b3, b4, b5, b6, b7, b8 = b
    peaks = b3 * tg.exp(-((x - b4) ** 2) / b5**2) + b6 * tg.exp(-((x - b7) ** 2) / b8**2)
    return b1 * tg.exp(-b2 * x) + peaks


def _cubics(x: Any, *b: Any) -> Any:
    b1, b2, b3, b4, b5, b6, b7 = b
    return (b1 + b2 * x + b3 * x**2 + b4 * x**3) / (1 + b5 * x + b6 * x**2 + b7 * x**3)


def _cycles(x: Any, *b: Any) -> Any:
    b1, b2, b3, b4, b5, b6, b7, b8, b9 = b
    year = b2 * tg.cos(2 * np.pi * x / 12) + b3 * tg.sin(2 * np.pi * x / 12)
    slow = b5 * tg.cos(2 * np.pi * x / b4) + b6 * tg.sin(2 * np.pi * x / b4)
    fast = b8 * tg.cos(2 * np.pi * x / b7) + b9 * tg.sin(2 * np.pi * x / b7)
    return b1 + year + slow + fast


# The right-hand side of each model as its file prints it: the predictors, then the parameters. In NIST's order.
MODELS: dict[str, Callable[..., Any]] = {
    # Lower level of difficulty
    "Misra1a": lambda x, b1, b2: b1 * (1 - tg.exp(-b2 * x)),
    "Chwirut2": lambda x, b1, b2, b3: tg.exp(-b1 * x) / (b2 + b3 * x),
    "Chwirut1": lambda x, b1, b2, b3: tg.exp(-b1 * x) / (b2 + b3 * x),
    "Lanczos3": _exponentials,
    "Gauss1": _gaussians,
    "Gauss2": _gaussians,
    "DanWood": lambda x, b1, b2: b1 * x**b2,
    "Misra1b": lambda x, b1, b2: b1 * (1 - (1 + b2 * x / 2) ** (-2)),
    # Average level of difficulty
    "Kirby2": lambda x, b1, b2, b3, b4, b5: (b1 + b2 * x + b3 * x**2) / (1 + b4 * x + b5 * x**2),
    "Hahn1": _cubics,
    "Nelson": lambda x1, x2, b1, b2, b3: b1 - b2 * x1 * tg.exp(-b3 * x2),  # of log(y)
    "MGH17": lambda x, b1, b2, b3, b4, b5: b1 + b2 * tg.exp(-x * b4) + b3 * tg.exp(-x * b5),
    "Lanczos1": _exponentials,
    "Lanczos2": _exponentials,
    "Gauss3": _gaussians,
    "Misra1c": lambda x, b1, b2: b1 * (1 - (1 + 2 * b2 * x) ** (-0.5)),
    "Misra1d": lambda x, b1, b2: b1 * b2 * x * ((1 + b2 * x) ** (-1)),
    "Roszman1": lambda x, b1, b2, b3, b4: b1 - b2 * x - tg.arctan(b3 / (x - b4)) / np.pi,
    "ENSO": _cycles,
    # Higher level of difficulty
    "MGH09": lambda x, b1, b2, b3, b4: b1 * (x**2 + x * b2) / (x**2 + x * b3 + b4),
    "Thurber": _cubics,
    "BoxBOD": lambda x, b1, b2: b1 * (1 - tg.exp(-b2 * x)),
    "Rat42": lambda x, b1, b2, b3: b1 / (1 + tg.exp(b2 - b3 * x)),
    "MGH10": lambda x, b1, b2, b3: b1 * tg.exp(b2 / (x + b3)),
    "Eckerle4": lambda x, b1, b2, b3: (b1 / b2) * tg.exp(-0.5 * ((x - b3) / b2) ** 2),
    "Rat43": lambda x, b1, b2, b3, b4: b1 / ((1 + tg.exp(b2 - b3 * x)) ** (1 / b4)),
    "Bennett5": lambda x, b1, b2, b3: b1 * (b2 + x) ** (-1 / b3),
}


def residual_function(problem: strd.Problem) -> Callable[[Any], Any]:
    """Model minus response, as a function of the parameter vector that tapegrad can differentiate."""
    model, response, n = MODELS[problem.name], problem.response, len(problem.certified)

    def residuals(p: Any) -> Any:
        return model(*problem.x, *(p[i] for i in range(n))) - response

    return residuals


def agreement(found: np.ndarray, certified: np.ndarray) -> float:
    """Log relative error: the digits to which the worst parameter agrees, from 0 to 11."""
    error = np.max(np.abs(found - certified) / np.abs(certified))
    return float(np.clip(-np.log10(max(error, 1e-300)), 0, CERTIFIED_DIGITS)) if np.isfinite(error) else 0.0


class NotFiniteError(ArithmeticError):
    """The residuals at the starting point, or a Jacobian, overflowed."""


class Evaluator:
    """Residuals and exact Jacobian of a problem, NumPy in and out; counts the calls and keeps the best point."""

    def __init__(self, problem: strd.Problem) -> None:
        self._residuals = residual_function(problem)
        self._jacobian = tg.jacobian(self._residuals)
        self.counts = [0, 0]
        self.restart()

    def restart(self) -> None:
        """Forget the best point, not the counts."""
        self.best: np.ndarray | None = None
        self.rss = math.inf

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """Residuals at `p`, shape (m,)."""
        self.counts[0] += 1
        r = np.asarray(self._residuals(p))
        rss = float(r @ r)
        if self.best is None and not math.isfinite(rss):
            raise NotFiniteError("the residuals at the starting point are not finite")
        # Where it is not finite the comparison is false, and the method draws back by itself.
        if rss < self.rss or self.best is None:
            self.best, self.rss = np.array(p), rss
        return r

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """Jacobian of the residuals at `p`, shape (m, n)."""
        self.counts[1] += 1
        jac = np.asarray(self._jacobian(p))
        if not np.isfinite(jac).all():
            raise NotFiniteError("the Jacobian is not finite")
        return jac


@dataclass(frozen=True)
class Attempt:
    """Where one method stopped, and ``failure``: what kept it from converging, empty if it did."""

    method: str
    p: np.ndarray
    rss: float
    failure: str


@dataclass(frozen=True)
class Fit:
    """The outcome of one fit; ``final`` is the better of the attempts, refined, ``deviations`` of its parameters."""

    problem: strd.Problem
    start: int
    attempts: list[Attempt]
    final: Attempt
    deviations: np.ndarray
    residual_calls: int
    jacobian_calls: int
    seconds: float

    @property
    def digits(self) -> float:
        """Digits of agreement with the certified parameters."""
        return agreement(self.final.p, self.problem.certified)

    @property
    def deviation_digits(self) -> float:
        """Digits of agreement with the certified standard deviations."""
        return agreement(self.deviations, self.problem.deviations)


def fit(problem: strd.Problem, start: int) -> Fit:
    """Fit `problem` from its starting point `start` (1 or 2), as the module's docstring describes."""
    began = perf_counter()
    evaluator = Evaluator(problem)
    with np.errstate(all="ignore"):  # a trial step may overflow; the methods see the inf and shorten the step
        attempts = [attempt(evaluator, problem.starts[start - 1], method) for method in METHODS]
        final = refine(evaluator, min(attempts, key=lambda a: a.rss))
        deviations = standard_deviations(problem, final.p)
    residual_calls, jacobian_calls = evaluator.counts
    return Fit(problem, start, attempts, final, deviations, residual_calls, jacobian_calls, perf_counter() - began)


def standard_deviations(problem: strd.Problem, p: np.ndarray) -> np.ndarray:
    """From the covariance that ``curve_fit`` gives when it starts at `p`; nan where it comes to no end."""
    model = MODELS[problem.name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a covariance that could not be estimated, which is inf
        try:
            _, covariance = tg.optimize.curve_fit(lambda x, *p: model(*x, *p), np.stack(problem.x), problem.response, p)
        except (RuntimeError, ValueError):
            return np.full(len(p), np.nan)
    return np.asarray(np.sqrt(np.diag(covariance)))


def attempt(evaluator: Evaluator, p0: np.ndarray, method: str) -> Attempt:
    """Run one method of ``least_squares`` from `p0`."""
    evaluator.restart()
    try:
        result = least_squares(
            evaluator.residuals,
            p0,
            evaluator.jacobian,
            method=method,
            x_scale="jac",
            ftol=TOLERANCE,
            xtol=TOLERANCE,
            gtol=TOLERANCE,
            max_nfev=MAX_EVALUATIONS,
        )
    except NotFiniteError as error:
        p = p0 if evaluator.best is None else evaluator.best
        return Attempt(method, p, evaluator.rss, f"overflow: {error}")
    failure = "" if result.status > 0 else f"ran out of its {MAX_EVALUATIONS} evaluations"
    return Attempt(method, result.x, 2 * result.cost, failure)


def refine(evaluator: Evaluator, found: Attempt) -> Attempt:
    """Take undamped Gauss-Newton steps from `found` while each is shorter than the one before."""
    p, last = found.p, math.inf
    try:
        for _ in range(MAX_REFINEMENTS):
            step, length = gauss_newton_step(evaluator.residuals(p), evaluator.jacobian(p))
            if not length < last:
                break
            p, last = p + step, length
        rss = float(np.sum(evaluator.residuals(p) ** 2))
    except NotFiniteError:
        return found
    # A step within the noise of the sum may raise it in the last places; one that leaves the minimum raises it by more.
    return Attempt(found.method, p, rss, found.failure) if rss <= found.rss * (1 + 1e-8) else found


def gauss_newton_step(r: np.ndarray, jac: np.ndarray) -> tuple[np.ndarray, float]:
    """The Gauss-Newton step, and its length: the part of `r` within the span of `jac`, relative to `r`.

    That length is Bates and Watts' relative offset, which is 0 at a stationary point whatever the parameters' units.
    """
    scale = np.linalg.norm(jac, axis=0)
    scale[scale == 0] = 1  # a parameter that has no effect here
    scaled_step = np.linalg.lstsq(jac / scale, -r, rcond=None)[0]
    return scaled_step / scale, float(np.linalg.norm(jac / scale @ scaled_step) / np.linalg.norm(r))


def explain(problem: strd.Problem, stopped: Attempt, reference: float) -> str:
    """Say why `stopped` misses the solution, from what is seen at its point; `reference` is the RSS to be reached."""
    where = f"at RSS {stopped.rss:.6g}, where {reference:.6g} can be reached"
    overflowed = stopped.failure.startswith("overflow")
    if overflowed or (stopped.failure and not stopped.rss <= reference * (1 + 1e-6)):
        return f"{stopped.failure} {where}"
    evaluator = Evaluator(problem)
    with np.errstate(all="ignore"):
        r, jac = evaluator.residuals(stopped.p), evaluator.jacobian(stopped.p)
    if stopped.rss <= reference * (1 + rounding(problem, r)):
        return f"found the minimum, which determines the parameters poorly: condition {condition(jac):.1e}"
    influence = np.linalg.norm(jac, axis=0) * np.abs(stopped.p) / np.linalg.norm(r)
    idle = [f"b{i + 1}" for i in np.flatnonzero(influence < np.sqrt(np.finfo(float).eps))]
    if idle:
        return f"stopped on a plateau {where}: {', '.join(idle)} has no influence on the residuals there"
    offset = gauss_newton_step(r, jac)[1]
    if offset < 1e-6:
        return f"converged to a different local minimum {where}"
    return f"stopped short of a minimum {where}: relative offset {offset:.1e}, condition {condition(jac):.1e}"


def condition(jac: np.ndarray) -> float:
    """Condition number of `jac` with its columns scaled to length 1, so that the parameters' units don't count."""
    return float(np.linalg.cond(jac / np.linalg.norm(jac, axis=0)))


def rounding(problem: strd.Problem, r: np.ndarray) -> float:
    """To what relative accuracy rounding lets the RSS be known, at the least 1e-6.

    A residual, as the difference of model and response, carries a few roundings of the response; ten covers a model.
    """
    return max(1e-6, 10 * float(np.finfo(float).eps * np.linalg.norm(problem.response) / np.linalg.norm(r)))


def table(fits: Sequence[Fit]) -> str:
    """The results as text, one line a fit."""
    lines = [
        f"{'problem':<9} {'level':<8} {'start':>5} {'RSS':>17} {'digits':>6} {'deviations':>10} "
        f"{'residuals / Jacobians':>22} {'time':>9}"
    ]
    lines.append("-" * len(lines[0]))
    for f in fits:
        calls = f"{f.residual_calls} / {f.jacobian_calls}"
        lines.append(
            f"{f.problem.name:<9} {f.problem.difficulty:<8} {f.start:>5} {f.final.rss:>17.10e} {f.digits:>6.1f} "
            f"{f.deviation_digits:>10.1f} {calls:>22} {1e3 * f.seconds:>6.0f} ms"
        )
    return "\n".join(lines)


def remarks(fits: Sequence[Fit]) -> str:
    """What the table does not tell: the misses, the sums that are mostly rounding, the methods that failed alone."""
    missed = [f for f in fits if f.digits < GOOD_DIGITS]
    total = sum(f.seconds for f in fits)
    good = sum(f.deviation_digits >= GOOD_DEVIATIONS for f in fits)
    lines = [
        f"{len(fits) - len(missed)} of {len(fits)} fits agree to {GOOD_DIGITS} digits or more, in {total:.1f} s.",
        f"{good} of {len(fits)} have standard deviations that agree to {GOOD_DEVIATIONS} digits or more.",
    ]
    for f in fits:
        title = f"  {f.problem.name}, start {f.start}"
        with np.errstate(all="ignore"):
            noise = rounding(f.problem, np.asarray(residual_function(f.problem)(f.final.p)))
        if f in missed:
            lines.append(f"{title}: {explain(f.problem, f.final, f.problem.rss)}.")
        elif abs(f.final.rss / f.problem.rss - 1) > 1e-6:
            lines.append(
                f"{title}: the parameters agree, the RSS differs from the certified {f.problem.rss:.10e}: "
                f"rounding of the residuals leaves it uncertain by {100 * noise:.1g} %, and the deviations by half of that."
            )
        elif f.deviation_digits < GOOD_DEVIATIONS:
            jac = Evaluator(f.problem).jacobian(f.final.p)
            lines.append(f"{title}: the parameters agree, their deviations don't: condition {condition(jac):.1e}.")
        for one in f.attempts:
            if not one.rss <= f.final.rss * (1 + noise):
                lines.append(f"{title}, method {one.method} alone: {explain(f.problem, one, f.final.rss)}.")
    return "\n".join(lines)


def draw(fit: Fit, folder: Path) -> None:
    """Save a picture of a fit: the observations, the model's curve through them, and below what it misses them by."""
    problem, model = fit.problem, MODELS[fit.problem.name]
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(7, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    x = problem.x[0]
    above.plot(x, problem.response, "o", ms=3, mfc="none", label="observed")
    if len(problem.x) == 1:
        dense = np.linspace(x.min(), x.max(), 500)
        above.plot(dense, np.broadcast_to(np.asarray(model(dense, *fit.final.p)), dense.shape), label="fitted")
    else:
        above.plot(x, np.asarray(model(*problem.x, *fit.final.p)), "x", ms=4, label="fitted")
    above.set_title(f"{problem.name}, start {fit.start}: {fit.digits:.1f} digits, deviations {fit.deviation_digits:.1f}")
    above.set_ylabel(problem.formula.partition(" =")[0])
    above.legend()
    below.axhline(0, lw=0.5, color="k")
    below.plot(x, problem.response - np.asarray(model(*problem.x, *fit.final.p)), ".", ms=4)
    below.set_xlabel("x" if len(problem.x) == 1 else "x1")
    below.set_ylabel("residual")
    figure.savefig(folder / f"{problem.name}-{fit.start}.png", dpi=120)


def catalogue() -> str:
    """All problems: level, numbers of parameters and observations, model."""
    problems = [strd.load(name) for name in MODELS]
    return "\n".join(
        f"{p.name:<9} {p.difficulty:<8} {len(p.certified)} parameters, {len(p.y):>3} observations   {p.formula}"
        for p in problems
    )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.nist",
        description="Fit NIST's StRD nonlinear-regression problems with exact Jacobians and compare with the certified "
        "parameters.",
    )
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help="problems to fit (default: all 27)")
    parser.add_argument("--start", type=int, choices=(1, 2), help="only this starting point (default: both)")
    parser.add_argument("--list", action="store_true", help="list the problems and leave")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="save a picture of each fit there (needs matplotlib)")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    options = parser.parse_args(argv)
    if options.plots is not None:
        try:
            importlib.import_module("matplotlib.figure")
        except ImportError:
            parser.error("--plots needs matplotlib, which is not installed: pip install 'tapegrad[plot]'")
        options.plots.mkdir(parents=True, exist_ok=True)
    known = {name.lower(): name for name in MODELS}
    unknown = [name for name in options.problems if name.lower() not in known]
    if unknown:
        parser.error(f"unknown problem {', '.join(map(repr, unknown))}; there are: {', '.join(MODELS)}")
    options.problems = list(dict.fromkeys(known[name.lower()] for name in options.problems)) or list(MODELS)
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code, 0 when it ran to completion."""
    options = _arguments(argv)
    if options.list:
        print(catalogue())
        return 0
    starts = (options.start,) if options.start else (1, 2)
    tasks = [(f"{name}, start {start}", (name, start)) for name in options.problems for start in starts]
    fits = [fit(strd.load(name), start) for name, start in progress(tasks, not options.no_progress, "fit")]
    print(table(fits))
    print()
    print(remarks(fits))
    if options.plots is not None:
        for one in fits:
            draw(one, options.plots)
        print(f"{len(fits)} pictures are in {options.plots}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
