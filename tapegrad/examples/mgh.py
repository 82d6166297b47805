"""The test set of Moré, Garbow and Hillstrom, with exact derivatives and beside finite differences.

::

    python -m tapegrad.examples.mgh                         # all 35 problems, all methods
    python -m tapegrad.examples.mgh Beale Watson --methods lm BFGS
    python -m tapegrad.examples.mgh --list

Each problem is a vector of functions whose sum of squares is minimized from the published starting point: by
``least_squares`` (lm, trf), and as one number by ``minimize`` (BFGS, L-BFGS-B, trust-exact). Each method runs twice with
the same settings: once through ``tg.optimize``, once through ``scipy.optimize`` with finite differences (trust-exact has
no such form). A problem counts as solved when the sum of squares comes within a relative 1e-4 of a published minimum,
below 1e-10 where that is zero. One minimum is not the paper's: it has zero alone for the trigonometric functions, but all
methods come from the starting point to a local minimum of 2.79506e-5, with exact derivatives and without, which counts,
too. Nothing is tuned for a problem.

The table gives for each method how often the functions were evaluated, differences included; with exact derivatives each
Jacobian, gradient or Hessian counts as one more. A minus marks a problem that was not solved.

Source of the problems: J. J. Moré, B. S. Garbow and K. E. Hillstrom, Testing unconstrained optimization software, ACM
Trans. Math. Softw. 7 (1981), 17-41.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import scipy.optimize

import tapegrad as tg
from tapegrad.examples.progress import progress


@dataclass(frozen=True)
class Problem:
    """One problem: its functions, the published starting point and the published least sums of squares."""

    name: str
    functions: Callable[[Any], Any]
    start: np.ndarray
    minima: tuple[float, ...]

    def sum_of_squares(self, x: Any) -> Any:
        """What ``minimize`` gets."""
        return sum_squares(self.functions(x))

    def is_solved(self, value: float) -> bool:
        """Whether a sum of squares is one of the published minima."""
        return any(
            abs(value - minimum) <= 1e-4 * minimum if minimum else value <= 1e-10 for minimum in self.minima
        )


def sum_squares(functions: Any) -> Any:
    """Of a vector, or of a list of numbers."""
    if isinstance(functions, list):
        return sum(f * f for f in functions)
    return (functions * functions).sum()


# Data of the problems that have some
BARD = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])
GAUSSIAN = np.array([0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989])
MEYER = np.array(
    [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872], dtype=float
)
KOWALIK = np.array([0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
KOWALIK_U = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
OSBORNE1 = np.array(
    [0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628,
     0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.420,
     0.414, 0.411, 0.406]
)
OSBORNE2 = np.array(
    [1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655, 0.616,
     0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495,
     0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672,
     0.708, 0.633, 0.668, 0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581,
     0.428, 0.292, 0.162, 0.098, 0.054]
)


def helical_valley(x: Any) -> Any:
    angle = np.arctan(x[1] / x[0]) / (2 * np.pi) + (0.5 if x[0] < 0 else 0.0)
    return [10 * (x[2] - 10 * angle), 10 * (np.sqrt(x[0] ** 2 + x[1] ** 2) - 1), x[2]]


def bard(x: Any) -> Any:
    u = np.arange(1.0, 16)
    v = 16 - u
    return BARD - (x[0] + u / (v * x[1] + np.minimum(u, v) * x[2]))


def gaussian(x: Any) -> Any:
    t = (8 - np.arange(1.0, 16)) / 2
    y = np.concatenate([GAUSSIAN, GAUSSIAN[-2::-1]])
    return x[0] * np.exp(-x[1] * (t - x[2]) ** 2 / 2) - y


def gulf(x: Any) -> Any:
    t = np.arange(1.0, 100) / 100
    y = 25 + (-50 * np.log(t)) ** (2 / 3)
    return np.exp(-(np.abs(y - x[1]) ** x[2]) / x[0]) - t


def box(x: Any) -> Any:
    t = np.arange(1.0, 11) / 10
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10 * t))


def powell_singular(x: Any) -> Any:
    a, b, c, d = x[0::4], x[1::4], x[2::4], x[3::4]
    return np.concatenate([a + 10 * b, 5**0.5 * (c - d), (b - 2 * c) ** 2, 10**0.5 * (a - d) ** 2])


def rosenbrock(x: Any) -> Any:
    return np.concatenate([10 * (x[1::2] - x[0::2] ** 2), 1 - x[0::2]])


def wood(x: Any) -> Any:
    a, b, c, d = x[0], x[1], x[2], x[3]
    return [
        10 * (b - a**2),
        1 - a,
        90**0.5 * (d - c**2),
        1 - c,
        10**0.5 * (b + d - 2),
        (b - d) / 10**0.5,
    ]


def kowalik_osborne(x: Any) -> Any:
    u = KOWALIK_U
    return KOWALIK - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3])


def brown_dennis(x: Any) -> Any:
    t = np.arange(1.0, 21) / 5
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


def osborne1(x: Any) -> Any:
    t = 10 * np.arange(33.0)
    return OSBORNE1 - (x[0] + x[1] * np.exp(-t * x[3]) + x[2] * np.exp(-t * x[4]))


def biggs(x: Any) -> Any:
    t = np.arange(1.0, 14) / 10
    y = np.exp(-t) - 5 * np.exp(-10 * t) + 3 * np.exp(-4 * t)
    return x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - y


def osborne2(x: Any) -> Any:
    t = np.arange(65.0) / 10
    peaks = sum(x[k] * np.exp(-((t - x[k + 7]) ** 2) * x[k + 4]) for k in (1, 2, 3))
    return OSBORNE2 - (x[0] * np.exp(-t * x[4]) + peaks)


def watson(x: Any) -> Any:
    t = (np.arange(1.0, 30) / 29)[:, None]
    k = np.arange(float(len(x)))
    slopes = k[1:] * t ** (k[1:] - 1)
    head = slopes @ x[1:] - (t**k @ x) ** 2 - 1
    return np.concatenate([head, np.stack([x[0], x[1] - x[0] ** 2 - 1])])


def penalty1(x: Any) -> Any:
    return np.concatenate([1e-5**0.5 * (x - 1), np.stack([(x * x).sum() - 0.25])])


def penalty2(x: Any) -> Any:
    n, a = len(x), 1e-5**0.5
    i = np.arange(2.0, n + 1)
    y, e = np.exp(i / 10) + np.exp((i - 1) / 10), np.exp(x / 10)
    weights = n - np.arange(float(n))
    return np.concatenate(
        [
            np.stack([x[0] - 0.2]),
            a * (e[1:] + e[:-1] - y),
            a * (e[1:] - np.exp(-0.1)),
            np.stack([(weights * x * x).sum() - 1]),
        ]
    )


def variably_dimensioned(x: Any) -> Any:
    s = (np.arange(1.0, len(x) + 1) * (x - 1)).sum()
    return np.concatenate([x - 1, np.stack([s, s**2])])


def trigonometric(x: Any) -> Any:
    n = len(x)
    return n - np.cos(x).sum() + np.arange(1.0, n + 1) * (1 - np.cos(x)) - np.sin(x)


def brown_almost_linear(x: Any) -> Any:
    n = len(x)
    return np.concatenate([x[:-1] + x.sum() - (n + 1), np.stack([x.prod() - 1])])


def boundary_value(x: Any) -> Any:
    n = len(x)
    h = 1 / (n + 1)
    t, zero = h * np.arange(1.0, n + 1), np.zeros(1)
    before, after = np.concatenate([zero, x[:-1]]), np.concatenate([x[1:], zero])
    return 2 * x - before - after + h**2 * (x + t + 1) ** 3 / 2


def integral_equation(x: Any) -> Any:
    n = len(x)
    h = 1 / (n + 1)
    t = h * np.arange(1.0, n + 1)
    kernel = np.where(t[:, None] >= t, (1 - t[:, None]) * t, t[:, None] * (1 - t))
    return x + h * (kernel @ (x + t + 1) ** 3) / 2


def broyden_tridiagonal(x: Any) -> Any:
    zero = np.zeros(1)
    before, after = np.concatenate([zero, x[:-1]]), np.concatenate([x[1:], zero])
    return (3 - 2 * x) * x - before - 2 * after + 1


def broyden_banded(x: Any) -> Any:
    i = np.arange(len(x))
    band = ((i <= i[:, None] + 1) & (i >= i[:, None] - 5) & (i != i[:, None])).astype(float)
    return x * (2 + 5 * x * x) + 1 - band @ (x * (1 + x))


def linear_full_rank(x: Any, m: int = 20) -> Any:
    rest = -2 / m * x.sum() - 1
    return np.concatenate([x + rest, rest * np.ones(m - len(x))])


def linear_rank_one(x: Any, m: int = 20) -> Any:
    return np.arange(1.0, m + 1) * (np.arange(1.0, len(x) + 1) * x).sum() - 1


def linear_rank_one_zeros(x: Any, m: int = 20) -> Any:
    factors = np.arange(m, dtype=float)
    factors[-1] = 0
    return factors * (np.arange(2.0, len(x)) * x[1:-1]).sum() - 1


def chebyquad(x: Any) -> Any:
    before, polynomial, out = 1.0, 2 * x - 1, []
    for i in range(1, len(x) + 1):
        integral = 0.0 if i % 2 else -1 / (i * i - 1)
        out.append(polynomial.sum() / len(x) - integral)
        before, polynomial = polynomial, 2 * (2 * x - 1) * polynomial - before
    return np.stack(out)


def _counted(n: int) -> np.ndarray:
    return np.arange(1.0, n + 1)


def _problems() -> dict[str, Problem]:
    beale = np.array([1.5, 2.25, 2.625]), _counted(3)
    ten, meyer_t = _counted(10), 45 + 5 * _counted(16)
    t = _counted(10) / 11
    made: list[tuple[str, Callable[[Any], Any], Any, tuple[float, ...]]] = [
        ("Rosenbrock", rosenbrock, [-1.2, 1], (0,)),
        (
            "Freudenstein-Roth",
            lambda x: [
                -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1],
                -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1],
            ],
            [0.5, -2],
            (0, 48.9842),
        ),
        (
            "Powell-badly-scaled",
            lambda x: [1e4 * x[0] * x[1] - 1, np.exp(-x[0]) + np.exp(-x[1]) - 1.0001],
            [0, 1],
            (0,),
        ),
        ("Brown-badly-scaled", lambda x: [x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2], [1, 1], (0,)),
        ("Beale", lambda x: beale[0] - x[0] * (1 - x[1] ** beale[1]), [1, 1], (0,)),
        (
            "Jennrich-Sampson",
            lambda x: 2 + 2 * ten - (np.exp(ten * x[0]) + np.exp(ten * x[1])),
            [0.3, 0.4],
            (124.362,),
        ),
        ("Helical-valley", helical_valley, [-1, 0, 0], (0,)),
        ("Bard", bard, [1, 1, 1], (8.21487e-3, 17.4286)),
        ("Gaussian", gaussian, [0.4, 1, 0], (1.12793e-8,)),
        ("Meyer", lambda x: x[0] * np.exp(x[1] / (meyer_t + x[2])) - MEYER, [0.02, 4000, 250], (87.9458,)),
        ("Gulf", gulf, [5, 2.5, 0.15], (0,)),
        ("Box-3D", box, [0, 10, 20], (0,)),
        ("Powell-singular", powell_singular, [3, -1, 0, 1], (0,)),
        ("Wood", wood, [-3, -1, -3, -1], (0,)),
        ("Kowalik-Osborne", kowalik_osborne, [0.25, 0.39, 0.415, 0.39], (3.07505e-4, 1.02734e-3)),
        ("Brown-Dennis", brown_dennis, [25, 5, -5, -1], (85822.2,)),
        ("Osborne-1", osborne1, [0.5, 1.5, -1, 0.01, 0.02], (5.46489e-5,)),
        ("Biggs-EXP6", biggs, [1, 2, 1, 1, 1, 1], (0, 5.65565e-3)),
        ("Osborne-2", osborne2, [1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5], (4.01377e-2,)),
        ("Watson", watson, np.zeros(6), (2.28767e-3,)),
        ("Extended-Rosenbrock", rosenbrock, np.tile([-1.2, 1], 5), (0,)),
        ("Extended-Powell", powell_singular, np.tile([3, -1, 0, 1], 3), (0,)),
        ("Penalty-I", penalty1, _counted(4), (2.24997e-5,)),
        ("Penalty-II", penalty2, np.full(4, 0.5), (9.37629e-6,)),
        ("Variably-dimensioned", variably_dimensioned, 1 - _counted(10) / 10, (0,)),
        ("Trigonometric", trigonometric, np.full(10, 0.1), (0, 2.79506e-5)),  # the second one: see above
        ("Brown-almost-linear", brown_almost_linear, np.full(10, 0.5), (0, 1)),
        ("Boundary-value", boundary_value, t * (t - 1), (0,)),
        ("Integral-equation", integral_equation, t * (t - 1), (0,)),
        ("Broyden-tridiagonal", broyden_tridiagonal, -np.ones(10), (0,)),
        ("Broyden-banded", broyden_banded, -np.ones(10), (0,)),
        ("Linear-full-rank", linear_full_rank, np.ones(10), (20 - 10,)),
        ("Linear-rank-1", linear_rank_one, np.ones(10), (20 * 19 / (2 * 41),)),
        ("Linear-rank-1-zeros", linear_rank_one_zeros, np.ones(10), ((400 + 60 - 6) / (2 * 37),)),
        ("Chebyquad", chebyquad, _counted(8) / 9, (3.51687e-3,)),
    ]
    return {name: Problem(name, f, np.asarray(x, float), minima) for name, f, x, minima in made}


PROBLEMS = _problems()  # in the order of the paper
RESIDUAL_METHODS, NUMBER_METHODS = ("lm", "trf"), ("BFGS", "L-BFGS-B", "trust-exact")
METHODS = (*RESIDUAL_METHODS, *NUMBER_METHODS)
WITHOUT_DIFFERENCES = ("trust-exact",)  # SciPy asks the user for its Hessian
TOLERANCE = 1e-12
MAX_EVALUATIONS = 2000
OPTIONS: dict[str, dict[str, Any]] = {
    "BFGS": {"gtol": 1e-8, "maxiter": MAX_EVALUATIONS},
    "L-BFGS-B": {"gtol": 1e-8, "ftol": 1e-15, "maxiter": MAX_EVALUATIONS, "maxfun": 20 * MAX_EVALUATIONS},
    "trust-exact": {"gtol": 1e-8, "maxiter": MAX_EVALUATIONS},
}


@dataclass(frozen=True)
class Run:
    """One method on one problem: the sum of squares that it came to, and what that took."""

    problem: Problem
    method: str
    exact: bool
    value: float
    evaluations: int
    seconds: float

    @property
    def solved(self) -> bool:
        """Whether a published minimum was reached."""
        return self.problem.is_solved(self.value)


def solve(problem: Problem, method: str, exact: bool) -> Run:
    """Run `method` from the published starting point, with exact derivatives or with SciPy's finite differences."""
    calls, package = 0, tg.optimize if exact else scipy.optimize
    residual = method in RESIDUAL_METHODS

    def function(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return problem.functions(x) if residual else problem.sum_of_squares(x)

    began = perf_counter()
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # overflows of trial steps, and what line searches say of them
            if residual:
                settings = {"ftol": TOLERANCE, "xtol": TOLERANCE, "gtol": TOLERANCE, "max_nfev": MAX_EVALUATIONS}
                if method == "lm" and not exact:
                    settings["max_nfev"] *= 1 + len(problem.start)  # it counts the differences
                result = package.least_squares(function, problem.start, method=method, x_scale="jac", **settings)
            else:
                result = package.minimize(function, problem.start, method=method, options=OPTIONS[method])
    except (ValueError, FloatingPointError, np.linalg.LinAlgError):  # a trial step overflowed
        return Run(problem, method, exact, np.inf, calls, perf_counter() - began)
    value = float(sum_squares(problem.functions(result.x)))
    derivatives = sum(result.get(name) or 0 for name in ("njev", "nhev")) if exact else 0
    return Run(problem, method, exact, value, calls + derivatives, perf_counter() - began)


def table(runs: Sequence[Run], methods: Sequence[str]) -> str:
    """The results as text: a line a problem, and for each method evaluations with exact derivatives and without."""
    found = {(run.problem.name, run.method, run.exact): run for run in runs}
    lines = [
        f"{'problem':<21}{'n':>3}" + "".join(f"{method:>15}" for method in methods),
        f"{'evaluations':<24}" + "".join(f"{'exact / diff.':>15}" for _ in methods),
    ]
    lines.append("-" * len(lines[0]))
    for name in dict.fromkeys(run.problem.name for run in runs):
        cells = []
        for method in methods:
            pair = [found.get((name, method, exact)) for exact in (True, False)]
            texts = ["" if run is None else f"{run.evaluations}{'' if run.solved else '-'}" for run in pair]
            cells.append(f"{texts[0]:>7} {'/' if texts[1] else ' '} {texts[1]:>5}")
        lines.append(f"{name:<21}{len(PROBLEMS[name].start):>3}" + "".join(cells))
    return "\n".join(lines)


def summary(runs: Sequence[Run], methods: Sequence[str]) -> str:
    """For each method how many problems were solved, and in how many evaluations and seconds."""
    lines = []
    for method in methods:
        parts = []
        for exact in (True, False):
            some = [run for run in runs if run.method == method and run.exact is exact]
            if some:
                solved = sum(run.solved for run in some)
                parts.append(
                    f"{'exact' if exact else 'differences'}: {solved} of {len(some)} solved, "
                    f"{sum(run.evaluations for run in some)} evaluations, {sum(run.seconds for run in some):.2f} s"
                )
        lines.append(f"{method:<12} {'; '.join(parts)}")
    return "\n".join(lines)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.mgh",
        description="Minimize the Moré-Garbow-Hillstrom problems with exact derivatives and with finite differences.",
    )
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help="problems to solve (default: all 35)")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, help="only these methods")
    parser.add_argument("--list", action="store_true", help="list the problems and leave")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar, even on a terminal")
    options = parser.parse_args(argv)
    known = {name.lower(): name for name in PROBLEMS}
    unknown = [name for name in options.problems if name.lower() not in known]
    if unknown:
        parser.error(f"unknown problem {', '.join(map(repr, unknown))}; there are: {', '.join(PROBLEMS)}")
    options.problems = list(dict.fromkeys(known[name.lower()] for name in options.problems)) or list(PROBLEMS)
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code, 0 when it ran to completion."""
    options = _arguments(argv)
    if options.list:
        for problem in PROBLEMS.values():
            minima = " or ".join(f"{minimum:g}" for minimum in problem.minima)
            print(f"{problem.name:<21} {len(problem.start):>3} unknowns, least sum of squares {minima}")
        return 0
    tasks = [
        (f"{name}, {method}", (name, method, exact))
        for name in options.problems
        for method in options.methods
        for exact in ((True,) if method in WITHOUT_DIFFERENCES else (True, False))
    ]
    runs = [
        solve(PROBLEMS[name], method, exact)
        for name, method, exact in progress(tasks, not options.no_progress, "solving")
    ]
    print(table(runs, options.methods))
    print()
    print(summary(runs, options.methods))
    return 0


if __name__ == "__main__":
    sys.exit(main())
