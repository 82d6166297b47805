"""Value and gradient of a function of several arrays: checked against central differences, and timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

import tapegrad as tg

__all__ = ["central_differences", "slopes", "study", "timed"]


def central_differences(f: Callable[..., Any], arrays: Sequence[np.ndarray], directions: Sequence[Any]) -> np.ndarray:
    """The derivatives of `f` along `directions`, each a sequence of arrays of the arguments' shapes.

    Of fourth order: where all is of order 1, the rest of the series is 1e-16 of the derivative, and rounding 1e-12.
    """
    step = 1e-4

    def moved(direction: Sequence[np.ndarray], steps: int) -> float:
        return float(f(*[x + steps * step * v for x, v in zip(arrays, direction)]))

    return np.array([(8 * (moved(v, 1) - moved(v, -1)) - (moved(v, 2) - moved(v, -2))) / (12 * step) for v in directions])


def slopes(gradients: Sequence[np.ndarray], directions: Sequence[Any]) -> np.ndarray:
    """The same from gradients."""
    return np.array([sum(np.vdot(g, v) for g, v in zip(gradients, direction)) for direction in directions])


def timed(f: Callable[[], Any], seconds: float = 0.3) -> float:
    """Median time of a call, in seconds, after two calls that aren't counted: the first one compiles."""
    f(), f()
    times: list[float] = []
    while len(times) < 5 or sum(times) < seconds:
        began = perf_counter()
        f()
        times.append(perf_counter() - began)
    return median(times)


def study(f: Callable[..., Any], arrays: Sequence[np.ndarray]) -> str:
    """What there is to say of `f` at `arrays`, as text; `f` must take NumPy arrays as well."""
    every = tuple(range(len(arrays)))
    compiled = tg.compile(f)
    eager_step, step = (tg.value_and_grad(function, argnums=every) for function in (f, compiled))
    value, gradients = eager_step(*arrays)
    for _ in range(3):  # two recordings, and a replay
        again, replayed = step(*arrays)
    apart = max(abs(value - again) / abs(value), *[np.abs(g - h).max() / np.abs(g).max() for g, h in zip(gradients, replayed)])
    generator = np.random.default_rng(0)
    directions = [[generator.normal(size=x.shape) for x in arrays] for _ in range(5)]
    along = slopes(gradients, directions)
    error = np.abs(central_differences(compiled, arrays, directions) - along).max() / np.abs(along).max()
    count = sum(x.size for x in arrays)
    length = np.sqrt(sum(np.vdot(g, g) for g in gradients))
    plain, eager, replay = (timed(lambda g=g: g(*arrays)) for g in (f, eager_step, step))  # type: ignore[misc]
    return "\n".join([
        f"  value            {float(value)!r}",
        f"  gradient         {count} parameters, length {length:.10g}; central differences differ by {error:.1e} of it",
        f"  compiled         {f'differs by {apart:.1e}' if apart else 'the same to the last bit'}",
        f"  time             {1e3 * plain:.3f} ms for the value by NumPy; value and gradient {1e3 * eager:.3f} ms,",
        f"                   compiled {1e3 * replay:.3f} ms, {replay / plain:.1f} times NumPy's value",
    ])
