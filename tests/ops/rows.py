"""The elementwise rows of the op table, and what a test asks of any of them."""

import functools
import importlib
import math

import mpmath
import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops import OPS
from tapegrad.tensor import elementwise

from .derivatives import check, close, leaf, recorded_gradients, reverse, tangent, values_of

# Those that refuse an operand can't be given a leaf for each: see test_special
ROWS = [op for op in OPS if op.value is not None and not op.refused]
REFUSING = [op for op in OPS if op.refused]

DIGITS = 800  # enough for 1 + exp(-700), and for differences of it
TINY = 1e-305  # what is smaller may lose digits or be 0
# Magnitudes for tails. Of several operands each has its own, so that none of them are equal.
PROBES = [1e-300, 1e-150, 1e-20, 1e-8, 0.1, 0.9999, 1.0001, 3.1, 40.1, 300.1, 1e8, 1e20, 1e150, 1e300]
WHOLE_LINES = ((-math.inf, math.inf),) * 3
FEW_PROBES = [1e-200, 1e-8, 0.7, 3.0, 40.0, 1e20, 1e200]


def apply(op, *operands):
    return elementwise.apply(op, *operands)


def active(op):
    return [k for k in range(op.arity) if op.partials[k] is not None]


def domains(op):
    assert len(op.domain) in (0, op.arity), f"{op.name}: one interval for each operand, or none"
    return op.domain or ((-2, 2),) * op.arity


def draw(op, *shapes, seed=0):
    """Operands from the row's domain, of one shape or each of its own; those without derivative are whole numbers."""
    rng = np.random.default_rng(seed)
    shapes = shapes * op.arity if len(shapes) == 1 else shapes
    drawn = [rng.uniform(*interval, size=shape) for interval, shape in zip(domains(op), shapes)]
    return [np.asarray(p if k in active(op) else np.rint(p)) for k, p in enumerate(drawn)]


def reference(op):
    """NumPy's or SciPy's function, or None."""
    if op.reference.startswith("scipy."):
        module, _, name = op.reference.rpartition(".")
        return getattr(importlib.import_module(module), name)
    return getattr(np, op.reference or op.name, None)


def precise(op):
    """The row's formula on mpmath's numbers: an mpf, or None where there is no real value."""
    assert op.formula, f"{op.name} has no formula: give its row one, in the functions of mpmath"
    code = compile(op.formula, op.name, "eval")
    names = {**vars(mpmath), "abs": abs, "max": max, "min": min}

    def function(*operands):
        try:
            value = eval(code, names, dict(zip("xyw", operands)))
        except (ZeroDivisionError, ValueError):
            return None
        if isinstance(value, mpmath.mpc):
            return value.real if value.imag == 0 else None
        return value

    return function


def precise_partial(op, k, operands):
    """A derivative to many digits, by a difference of many more."""
    function = precise(op)
    step = mpmath.mpf(10) ** -50 * min(abs(operands[k]), 1)

    def at(h):
        return function(*[v + h if q == k else v for q, v in enumerate(operands)])

    above, below = at(step), at(-step)
    return None if above is None or below is None else (above - below) / (2 * step)


def as_float(value):
    """The nearest double, infinite where it is too large."""
    if value is None or mpmath.isnan(value):
        return math.nan
    if abs(value) > mpmath.mpf(np.finfo(float).max):
        return math.copysign(math.inf, value)
    return float(value)


def probes(op):
    """Operands far out and close to 0, of both signs, within the row's tails."""
    magnitudes = PROBES if op.arity == 1 else FEW_PROBES
    grids = [[sign * m * 1.37**k for m in magnitudes for sign in (1, -1)] for k in range(op.arity)]
    grids = [grid if k in active(op) else [0.0, 1.0] for k, grid in enumerate(grids)]
    grids = [[v for v in grid if low <= v <= high] for grid, (low, high) in zip(grids, op.tails or WHOLE_LINES)]
    if op.arity > 2:
        grids = [grid[::3] if len(grid) > 2 else grid for grid in grids]
    return list(zip(*(g.reshape(-1).tolist() for g in np.meshgrid(*grids))))


@functools.cache
def precise_table(op):
    """For each probe with a real value that, and the partials there, as doubles."""
    points, rows = [], []
    with mpmath.workdps(DIGITS):
        function = precise(op)
        for point in probes(op):
            operands = [mpmath.mpf(v) for v in point]
            value = function(*operands)
            partials = [
                0 if value is None or k not in active(op) else precise_partial(op, k, operands) for k in range(op.arity)
            ]
            points.append(point)
            rows.append([as_float(value), *map(as_float, partials)])
    return np.array(points).T, np.array(rows).T


# Checks of a row -----------------------------------------------------------------------------------------------------


def check_against_precise(op):
    """Values and derivatives far out, to 13 digits, or where the row says that they cancel to eps."""
    points, rows = precise_table(op)
    real = ~np.isnan(rows[0])
    leaves = [leaf(p) for p in points]
    y = apply(op, *leaves)
    value = values_of(y)
    assert np.isnan(value[~real]).all(), f"{op.name} is not nan where it has no real value"
    with np.errstate(all="ignore"):
        close_to_tiny(value[real], rows[0][real], 1e-14, f"{op.name}: value")
        adjoints = reverse(y, leaves, np.ones(y.shape))
        for k in active(op):
            smooth = real & ~np.isnan(rows[1 + k])
            close_to_tiny(
                adjoints[k][smooth],
                rows[1 + k][smooth],
                1e-13,
                f"{op.name}: derivative by operand {k}",
                1e-15 if op.cancels else 0.0,
            )


def close_to_tiny(actual, expected, rtol, message, atol=0.0):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=max(TINY, atol), err_msg=message)


def check_complex_step(op):
    """Partials against the imaginary part of the reference a tiny step off the real axis: exact but for rounding."""
    function = reference(op)
    points = draw(op, (23,), seed=3)
    leaves = [leaf(p) for p in points]
    adjoints = reverse(apply(op, *leaves), leaves, np.ones(23))
    for k in active(op):
        shifted = [p + 1e-200j if q == k else p for q, p in enumerate(points)]
        close(adjoints[k], function(*shifted).imag * 1e200, 1e-13, 0.1, f"{op.name}: complex step in operand {k}")


def check_op(op, points, function=None, **options):
    """`check` of a row, or of a function made of it, at these points."""
    options = {"reference": reference(op), "active": active(op), "second": not op.no_second} | options
    check(function or functools.partial(apply, op), *points, **options)


def check_row(op):
    """Value, first and second derivatives in both modes, at smooth points."""
    check_op(op, draw(op, (5,)))


def kinks(op):
    return [pytest.param(op, point, id=f"{op.name}-{point}") for point in op.kinks]


def check_kink(op, point):
    """The derivatives that the row promises, by every way there is to them."""
    expected = [np.full(3, d, float) for d in op.kinks[point]]
    for size in (1, 3):
        leaves = [leaf(np.full(size, v)) for v in point]
        y = apply(op, *leaves)
        found = reverse(y, leaves, np.ones(size))
        tangents = [
            tangent(y, leaves, [np.ones(size) if q == k else None for q in range(op.arity)]) for k in active(op)
        ]
        again = [leaf(np.full(size, v)) for v in point]
        recorded = recorded_gradients(apply(op, *again), again, tg.tensor(np.ones(size)))
        for k in active(op):
            for way, got in (
                ("reverse", found[k]),
                ("tangent", tangents[active(op).index(k)]),
                ("recorded", values_of(recorded[k])),
            ):
                np.testing.assert_allclose(
                    got, expected[k][:size], rtol=1e-13, atol=0.0, err_msg=f"{op.name} at {point}, operand {k}, {way}"
                )
