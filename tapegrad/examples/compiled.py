"""Levenberg and Marquardt's method as one compiled function, derivatives and all, on NIST's data.

    python -m tapegrad.examples.compiled

The model, its Jacobian (``tg.njit_jacobian``) and the loop that uses it are machine code; Python is entered once a fit. Beside it
the same method in Python, over ``tg.jacobian`` of the same compiled model. Both print the digits of NIST's certified
parameters that they reach, and what a fit takes.
"""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np

import tapegrad as tg

from . import strd

__all__ = ["fit", "fit_in_python", "main", "residuals"]


@numba.njit
def residuals(b: Any, x: Any, y: Any) -> Any:
    """Of Hahn1, the thermal expansion of copper: a quotient of cubic polynomials."""
    out = np.empty(len(x))
    for i in range(len(x)):
        t = x[i]
        out[i] = (b[0] + t * (b[1] + t * (b[2] + t * b[3]))) / (1 + t * (b[4] + t * (b[5] + t * b[6]))) - y[i]
    return out


jacobian = tg.njit_jacobian(residuals)


@numba.njit
def fit(b: Any, x: Any, y: Any, most_steps: int) -> Any:
    """The parameters, their residual sum of squares, and the number of steps."""
    damping = 1e-3
    r, j = jacobian(b, x, y)
    for k in range(most_steps):
        normal, slope = j.T @ j, j.T @ r
        damped = normal.copy()
        for i in range(len(b)):
            damped[i, i] *= 1 + damping
        step = np.linalg.solve(damped, -slope)
        tried, tried_j = jacobian(b + step, x, y)
        if np.dot(tried, tried) < np.dot(r, r):
            small = np.all(np.abs(step) <= 1e-12 * np.abs(b))
            b, r, j, damping = b + step, tried, tried_j, damping / 10
            if small:
                return b, np.dot(r, r), k + 1
        else:
            damping *= 10
            if damping > 1e12:
                return b, np.dot(r, r), k + 1
    return b, np.dot(r, r), most_steps


def fit_in_python(b: Any, x: Any, y: Any, most_steps: int) -> Any:
    """The same, a call of Python for each value and Jacobian."""
    derivative = tg.jacobian(residuals)
    damping = 1e-3
    r, j = residuals(b, x, y), derivative(b, x, y)
    for k in range(most_steps):
        normal, slope = j.T @ j, j.T @ r
        step = np.linalg.solve(normal + damping * np.diag(np.diagonal(normal)), -slope)
        tried = residuals(b + step, x, y)
        if tried @ tried < r @ r:
            small = np.all(np.abs(step) <= 1e-12 * np.abs(b))
            b, r, damping = b + step, tried, damping / 10
            j = derivative(b, x, y)
            if small:
                return b, r @ r, k + 1
        else:
            damping *= 10
            if damping > 1e12:
                return b, r @ r, k + 1
    return b, r @ r, most_steps


def digits(b: Any, certified: Any) -> float:
    """Of the parameter that has fewest."""
    return float(np.min(-np.log10(np.maximum(np.abs(b / certified - 1), 1e-11))))


def main() -> None:
    problem = strd.load("Hahn1")
    (x,) = problem.x
    for name, method in (("compiled", fit), ("in Python", fit_in_python)):
        for start in problem.starts:
            method(start, x, problem.y, 1)       # compiles
            begin = time.perf_counter()
            b, rss, steps = method(start, x, problem.y, 500)
            took = time.perf_counter() - begin
            print(f"{name:10} {steps:4} steps, {took * 1e3:7.2f} ms, {digits(b, problem.certified):4.1f} digits, "
                  f"residual sum of squares {rss:.6f} (certified {problem.rss:.6f})")


if __name__ == "__main__":
    main()
