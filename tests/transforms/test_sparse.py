"""Sparse Jacobians and Hessians: against dense ones, with no entry missing and none too many where the way is known."""

import numpy as np
import pytest
from scipy.sparse import issparse

import tapegrad as tg
from tapegrad.ops import OPS
from tapegrad.transforms import coloring, sparsity

X = np.random.default_rng(0).normal(size=12) + 3
W = np.random.default_rng(1).normal(size=(3, 4))


def assigned(x):
    y = tg.zeros(12)
    y[2:5] = x[:3] * x[1:4]
    y[0] = x[11]
    return y


# (function, entries that are too many)
FUNCTIONS = {
    "itself": (lambda x: x, 0),
    "products": (lambda x: x[1:] * x[:-1], 0),
    "broadcast": (lambda x: x * x[0], 0),
    "constant": (lambda x: tg.ones(3), 0),
    "sum of columns": (lambda x: x.reshape(3, 4).sum(0), 0),
    "sum of rows": (lambda x: x.reshape(3, 4).sum(1), 0),
    "mean": (lambda x: x.reshape(3, 4).mean(1), 0),
    "concatenate": (lambda x: tg.concatenate([x[:3] ** 2, x[5:]]), 0),
    "stack": (lambda x: tg.stack([x[i] * x[i + 1] - tg.sin(x[0]) for i in range(6)]), 0),
    "index": (lambda x: x[[0, 3, 3, 5]], 0),
    "assignment": (assigned, 0),
    "transpose": (lambda x: x.reshape(3, 4).T.reshape(-1)[2:7], 0),
    "flip": (lambda x: tg.flip(x, 0)[::2] * x[::2], 0),
    "running sum": (lambda x: x.reshape(3, 4).cumsum(1), 0),
    "running product": (lambda x: x.reshape(3, 4).cumprod(0), 0),
    "matrix @": (lambda x: W @ x.reshape(4, 3), 0),
    "@ matrix": (lambda x: x.reshape(4, 3) @ W, 0),
    "x @ x": (lambda x: x.reshape(4, 3) @ x.reshape(3, 4), 0),
    "batch": (lambda x: x.reshape(2, 2, 3) @ x.reshape(2, 3, 2), 0),
    "shared factor": (lambda x: x.reshape(2, 2, 3) @ W.T[:3, :2], 0),
    "softmax": (lambda x: tg.softmax(x.reshape(3, 4), 0), 0),
    "log_softmax": (lambda x: tg.log_softmax(x.reshape(3, 4), 1), 0),
    "norm": (lambda x: tg.linalg.norm(x.reshape(3, 4), axis=0), 0),
    "variance": (lambda x: x.reshape(3, 4).var(0), 0),
    "deviation": (lambda x: x.reshape(3, 4).std(1), 0),
    "product": (lambda x: x.reshape(3, 4).prod(0), 0),
    "largest": (lambda x: x.reshape(3, 4).amax(1), 9),  # any of the row might be
    "logsumexp": (lambda x: tg.logsumexp(x.reshape(3, 4), 1), 0),
    "where": (lambda x: tg.where(x > 3, x, x[0]), None),
    "floor": (lambda x: tg.floor(x) * x, 0),
    "three operands": (lambda x: tg.lerp(x[:4], x[4:8], x[8:]), 0),
    "solve": (lambda x: tg.linalg.solve(x[:9].reshape(3, 3), x[9:]), 0),
    "float32": (lambda x: x.to(tg.float32)[:3] * 2, 0),
    "several outputs": (lambda x: (x[:2] * x[2:4], {"a": x[5]}), 0),
}


def dense(function, x):
    found = tg.jacobian(function)(x)
    parts = found if isinstance(found, tuple) else (found,)
    parts = [v for part in parts for v in (part.values() if isinstance(part, dict) else [part])]
    return np.concatenate([np.reshape(part, (-1, x.size)) for part in parts])


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobian(name, mode):
    function, extra = FUNCTIONS[name]
    jacobian = tg.sparse_jacobian(function, mode=mode)
    found, expected = jacobian(X), dense(function, X)
    assert issparse(found) and found.dtype == float
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12, atol=1e-14)
    if extra is not None:
        assert jacobian.pattern.nnz - np.count_nonzero(expected) == extra
    assert mode in (None, jacobian.mode)


HESSIANS = {
    "rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "linear": lambda x: x[0] + 2 * x[1],
    "constant": lambda x: 3.0,
    "square": lambda x: 0.5 * (x @ x),
    "arrow": lambda x: (x**3).sum() * x[0],
    "norm": lambda x: tg.linalg.norm(x[:3]) + x[4] * x[5],
    "matrix": lambda x: (W @ x.reshape(4, 3)).sum() ** 2,
    "logsumexp": lambda x: tg.logsumexp(x[:5], 0),
    "product": lambda x: x[:6].prod(),
    "softmax": lambda x: (tg.softmax(x.reshape(3, 4), 1) ** 2).sum(),
    "det": lambda x: tg.linalg.det(x[:9].reshape(3, 3)),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_hessian(name):
    found = tg.sparse_hessian(HESSIANS[name])(X)
    np.testing.assert_allclose(found.toarray(), tg.hessian(HESSIANS[name])(X), rtol=1e-10, atol=1e-12)


def test_the_hessian_of_a_chain_takes_three_sweeps():
    hessian = tg.sparse_hessian(HESSIANS["rosenbrock"]).prepare(X)
    assert hessian.pattern.nnz == 3 * 12 - 2 and hessian.colors.max() == 2
    assert "34 entries, 3 forward sweeps" in repr(hessian)


def test_pattern_and_colors_are_kept_and_found_anew_where_the_function_takes_another_way():
    def f(x):
        return x[1:] * x[:-1] if x[0] > 0 else x[2:] + x[:-2] ** 2 * x[5]

    jacobian = tg.sparse_jacobian(f)
    for x in (X, 2 * X, -X, X):
        np.testing.assert_allclose(jacobian(x).toarray(), tg.jacobian(f)(x), rtol=1e-12)
    jacobian(X)
    pattern, colors = jacobian.pattern, jacobian.colors
    jacobian(X + 1)
    assert jacobian.pattern is pattern and jacobian.colors is colors


def test_a_changed_index_is_another_way():
    """The same operations in the same places, with other integers in a plan."""
    jacobian = tg.sparse_jacobian(lambda x: x[np.argsort(x.detach().numpy())] * x)
    for x in (X, X[::-1].copy(), np.roll(X, 5)):
        order = np.argsort(x)
        expected = np.diag(x[order])
        np.add.at(expected, (np.arange(12), order), x)
        np.testing.assert_allclose(jacobian(x).toarray(), expected)


def test_other_arguments_and_shapes():
    jacobian = tg.sparse_jacobian(lambda a, x, b=1.0: a * x.reshape(-1)[1:] * b, argnum=1)
    found = jacobian(2.0, X.reshape(3, 4), b=3.0)
    np.testing.assert_array_equal(found.toarray(), 6 * np.eye(12)[1:])
    np.testing.assert_array_equal(jacobian(2.0, tg.tensor(X[:4])).toarray(), 2 * np.eye(4)[1:])
    assert tg.sparse_jacobian(lambda x: x * 2)(np.zeros(0)).shape == (0, 0)
    assert tg.sparse_jacobian(lambda x: x * 2)(3.0).toarray() == [[2]]


def test_errors():
    with pytest.raises(TypeError, match="takes a function"):
        tg.sparse_jacobian(X)
    with pytest.raises(ValueError, match="mode is None"):
        tg.sparse_jacobian(np.sin, mode="both")
    with pytest.raises(TypeError, match="number of an argument"):
        tg.sparse_jacobian(np.sin, argnum=(0, 1))
    with pytest.raises(TypeError, match="one array"):
        tg.sparse_jacobian(lambda p: p[0])([X, X])
    with pytest.raises(TypeError, match="give one number"):
        tg.sparse_hessian(lambda x: x)(X)


def test_a_long_function_on_many_tapes():
    def f(x):
        y = x
        for k in range(1500):
            y = y + 0.01 * tg.sin(x * (k % 7))
        return y[1:] * y[:-1]

    jacobian = tg.sparse_jacobian(f)
    np.testing.assert_allclose(jacobian(X).toarray(), tg.jacobian(f)(X), rtol=1e-10)
    assert jacobian.colors.max() == 1


def wide(n):
    """n - 15 residuals of 15 or 16 entries each."""

    def residuals(x):
        total = 0.0
        for k in range(15):
            total = total + tg.sin(x[k : n - 15 + k]) * x[: n - 15]
        return total

    return residuals


def test_the_work_is_linear_in_the_residuals():
    """Sweeps, entries, and the memory of all sets: counted, for two sizes."""
    counted = []
    for n in (2000, 20_000):
        jacobian = tg.sparse_jacobian(wide(n)).prepare(np.linspace(0, 1, n))
        assert jacobian.colors.max() + 1 == 15
        counted.append(jacobian.pattern.nnz)
    assert counted == [1985 * 15, 19_985 * 15]


def test_colours_of_a_dense_column_and_a_dense_row():
    column = tg.sparse_jacobian(lambda x: x * x[0]).prepare(X)
    assert (column.mode, column.colors.max()) == ("forward", 1)
    row = tg.sparse_jacobian(lambda x: tg.concatenate([x[1:] * 2, x.sum().reshape(1)])).prepare(X)
    assert (row.mode, row.colors.max()) == ("reverse", 1)


def test_a_costly_colouring_is_left_out(monkeypatch):
    monkeypatch.setattr(coloring, "COSTLY", 10)
    found = tg.sparse_jacobian(lambda x: x.cumsum(0))
    np.testing.assert_array_equal(found(X).toarray(), np.tril(np.ones((12, 12))))


def test_ways_are_of_operations_that_there_are():
    assert set(sparsity.WAYS) <= {op.name for op in OPS}
    unknown = [op.name for op in OPS if op.value is None and 3 < op.kind < 7 and op.name not in sparsity.WAYS]
    assert not unknown, "these operations count as depending on everything; give them a way if they move elements"


def chained(names):
    def f(x):
        for name in names:
            y = FUNCTIONS[name][0](x).to(tg.float64).reshape(-1)
            x = 0.3 * y[np.arange(12) % y.numel()] + 2.5
        return x

    return f


@pytest.mark.parametrize("seed", range(20))
def test_operations_one_after_the_other(seed):
    """Two to four at random, so that sets are made from sets."""
    generator = np.random.default_rng(seed)
    among = [n for n in FUNCTIONS if n not in ("constant", "several outputs", "solve", "product", "running product")]
    f = chained(generator.choice(among, generator.integers(2, 5)))
    expected = tg.jacobian(f)(X)
    for mode in ("forward", "reverse"):
        found = tg.sparse_jacobian(f, mode=mode)(X).toarray()
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * max(1, np.abs(expected).max()))
    hessian = tg.hessian(lambda x: (f(x) ** 2).sum())(X)
    found = tg.sparse_hessian(lambda x: (f(x) ** 2).sum())(X).toarray()
    np.testing.assert_allclose(found, hessian, rtol=1e-6, atol=1e-8 * max(1, np.abs(hessian).max()))
