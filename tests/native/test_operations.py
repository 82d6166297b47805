"""Operations of compiled functions, made from the rows of the op table: the façade's derivatives, at kinks, too."""

import math

import numba
import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops import BY_NAME
from tapegrad.ops.table import UNARY

# By row: how users write it; the last of its names is tested, math's if it has one. What neither NumPy nor math has, nobody calls
WAYS = {}
for _row in dict.fromkeys(BY_NAME.values()):
    if _row.value is None or _row.arity > 2 or _row.refused:
        continue
    _names = [
        f"{module.__name__.replace('numpy', 'np')}.{name}"
        for module in (np, math)
        for name in (_row.name, *_row.names)
        if hasattr(module, name) and f"math.{name}" not in ("math.floor", "math.ceil", "math.trunc")
    ]
    if _names:
        WAYS[_row] = _names
OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "power": "**", "floor_divide": "//", "remainder": "%",
}  # fmt: skip
UNARIES = [row for row in WAYS if row.kind == UNARY]
BINARIES = [row for row in WAYS if row.kind != UNARY]


def points(row):
    """Operands inside of the domain, and the row's kinks."""
    domain = row.domain or ((-2, 2),) * row.arity
    inside = [tuple(lo + (hi - lo) * part for lo, hi in domain) for part in (0.3, 0.8)]
    return [*inside, *row.kinks]


def compiled(expressions, operands):
    lines = [f"    out[{k}] = {expression}" for k, expression in enumerate(expressions)]
    text = "\n".join([f"def f({operands}):", f"    out = np.empty({len(lines)})", *lines, "    return out"])
    scope = {"np": np, "math": math}
    exec(text, scope)
    return numba.njit(error_model="numpy")(scope["f"])


def facade(row, operands):
    leaves = [tg.tensor(float(x), requires_grad=True) for x in operands]
    y = getattr(tg, row.name)(*leaves)
    if y.requires_grad:
        y.backward()
    return [0.0 if x.grad is None else x.grad.item() for x in leaves]


def check(rows, expressions, operands):
    """The diagonals of the Jacobians, at one point after another."""
    f = tg.jacrev(compiled(expressions, operands), argnums=tuple(range(len(operands.split(",")))))
    cases = [points(row) for row in rows]
    for turn in range(max(map(len, cases))):
        given = [c[turn % len(c)] for c in cases]
        columns = [np.array(column, float) for column in zip(*given)]
        found = f(*columns)
        for k, row in enumerate(rows):
            derivatives = [matrix[k, k] for matrix in found]
            np.testing.assert_allclose(
                derivatives, facade(row, given[k]), 1e-12, 1e-14, err_msg=f"{expressions[k]} at {given[k]}"
            )


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_functions_of_one_operand():
    pairs = [(row, WAYS[row][-1]) for row in UNARIES]
    check([row for row, _ in pairs], [f"{way}(x[{k}])" for k, (_, way) in enumerate(pairs)], "x")


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_functions_of_two_operands():
    pairs = [(row, WAYS[row][-1]) for row in BINARIES]
    check([row for row, _ in pairs], [f"{way}(x[{k}], y[{k}])" for k, (_, way) in enumerate(pairs)], "x, y")


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_operators():
    rows = [BY_NAME[name] for name in OPERATORS]
    check(rows, [f"x[{k}] {symbol} y[{k}]" for k, symbol in enumerate(OPERATORS.values())], "x, y")


def test_the_whole_list_is_long():
    """So that a change of names doesn't empty the tests above."""
    assert len(UNARIES) > 30 and len(BINARIES) > 12


@numba.njit
def mixed(x):
    return np.array([
        x[0] + 2, 2 + x[0], x[0] - 2, 2 - x[0], 2.5 * x[0], x[0] * 3, x[0] / 4, 4 / x[0], 7 % x[0], x[0] % 7, x[0] // 0.4,
        x[0] ** 3, x[0] ** -2, x[0] ** 0, x[0] ** 1, x[0] ** 0.5, 2 ** x[0], 2.5 ** x[0], -x[0], +x[0], abs(-x[0]),
        True * x[0], x[0] + False, max(x[0], 1), max(1.0, x[0], x[1]), min(x[0], x[1]), divmod(x[0], 0.7)[1],
        math.floor(x[0]) * x[1], round(x[0]) * x[1], int(x[0]) * x[1], float(x[0]) * 2.0,
        x[1] if x[0] > 1 else x[0], x[1] if x[0] == x[0] and not x[0] < 0 else 0.0, x[0] if x[0] else 1.0,
        math.pow(x[0], 2), pow(x[0], 2), pow(x[0], x[1]), math.fabs(-x[0]), np.fabs(-x[1]), np.positive(x[0]),
        x[0] * x[0] * x[0], (x[0] + x[1]) * (x[0] + x[1]), np.sqrt(x[0]) * np.exp(x[1]) / x[0],
        1.0 if math.isnan(x[0]) else x[0], np.sign(x[0]) * x[1],
    ])  # fmt: skip


def mixed_in_python(x):
    """The same in Python, for values."""
    return mixed.py_func(x)


@pytest.mark.parametrize("mode", [tg.jacrev, tg.jacfwd])
def test_numbers_and_variables_mix(mode):
    x = np.array([1.3, 0.8])
    h = 1e-6
    steps = np.array([(mixed_in_python(x + e) - mixed_in_python(x - e)) / (2 * h) for e in np.eye(2) * h]).T
    np.testing.assert_allclose(mode(mixed)(x), steps, 1e-7, 1e-8)


def test_division_by_zero_follows_numpy():
    assert tg.value_and_grad(numba.njit(lambda x: 1.0 / x))(0.0) == (np.inf, -np.inf)


def test_what_meets_a_zero_has_no_part_in_the_derivative():
    """The infinite slope of the root at 0, hidden behind a factor of 0."""
    assert tg.grad(numba.njit(lambda x: 0.0 * np.sqrt(x) + x))(0.0) == 1.0
    assert tg.grad(numba.njit(lambda x: np.sqrt(x[0] * x[0] + x[1] * x[1]) + x[0]))(np.zeros(2)).tolist() == [1.0, 0.0]
    assert tg.grad(numba.njit(lambda x: np.linalg.norm(x)))(np.zeros(2)).tolist() == [0.0, 0.0]
