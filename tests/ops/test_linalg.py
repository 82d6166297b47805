"""Linear algebra: values as NumPy's and SciPy's, derivatives of both orders, degenerate matrices by the conventions."""

import numpy as np
import pytest
import scipy.linalg

import tapegrad as tg
from tapegrad import linalg
from tapegrad.ops import BY_NAME, HOSTED, OPS, lapack

from .derivatives import close, differences, leaf, recorded_gradients, reverse, values_of
from .hosted import check, joined

LinAlgError = np.linalg.LinAlgError


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def definite(*batch, n=3, seed=0):
    a = numbers(*batch, n, n, seed=seed)
    return a @ a.swapaxes(-1, -2) + n * np.eye(n)


def regular(*batch, n=3, seed=0):
    return numbers(*batch, n, n, seed=seed) + 2 * np.eye(n)


REAL = numbers(3, 3) @ np.diag([1.0, 2.0, 4.0]) @ np.linalg.inv(numbers(3, 3))
TALL, WIDE = numbers(5, 3), numbers(2, 4)

CASES = {
    "inv": (linalg.inv, np.linalg.inv, regular()),
    "inv of a batch": (linalg.inv, np.linalg.inv, regular(2, 2)),
    "solve a vector": (linalg.solve, np.linalg.solve, regular(), numbers(3)),
    "solve a matrix": (linalg.solve, np.linalg.solve, regular(), numbers(3, 2)),
    "solve a batch": (linalg.solve, np.linalg.solve, regular(2), numbers(2, 3, 2)),
    "solve a batch of one matrix": (linalg.solve, np.linalg.solve, regular(), numbers(2, 3, 2)),
    "solve a vector for a batch": (linalg.solve, np.linalg.solve, regular(2), numbers(3)),
    "solve PyTorch's batch of vectors": (
        linalg.solve,
        lambda a, b: np.linalg.solve(a, b[..., None])[..., 0],
        regular(2),
        numbers(2, 3),
    ),
    "solve from the right": (
        lambda a, b: linalg.solve(a, b, left=False),
        lambda a, b: b @ np.linalg.inv(a),
        regular(),
        numbers(2, 3),
    ),
    "pinv of full rank": (linalg.pinv, np.linalg.pinv, TALL),
    "pinv of a wide batch": (linalg.pinv, np.linalg.pinv, numbers(2, 2, 3)),
    "pinv of rank 1": (
        lambda u, v: linalg.pinv(tg.outer(u, v)),
        lambda u, v: np.linalg.pinv(np.outer(u, v)),
        numbers(3),
        numbers(2, seed=1),
    ),
    "pinv of a symmetric one": (lambda a: linalg.pinv(a + a.mT, hermitian=True), None, numbers(3, 3)),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[:2], lambda a, b: np.linalg.lstsq(a, b)[:2], TALL, numbers(5, 2)),
    "lstsq of a vector": (lambda a, b: linalg.lstsq(a, b)[:2], lambda a, b: np.linalg.lstsq(a, b)[:2], TALL, numbers(5)),
    "lstsq of too few": (lambda a, b: linalg.lstsq(a, b)[0], lambda a, b: np.linalg.lstsq(a, b)[0], WIDE, numbers(2)),
    "det": (linalg.det, np.linalg.det, regular()),
    "det of a batch": (linalg.det, np.linalg.det, regular(2, n=2)),
    "det 1 by 1": (linalg.det, np.linalg.det, numbers(1, 1)),
    "slogdet": (lambda a: linalg.slogdet(a)[1], lambda a: np.linalg.slogdet(a)[1], numbers(2, 3, 3)),
    "logdet": (linalg.logdet, lambda a: np.log(np.linalg.det(a)), definite(2)),
    "cholesky": (linalg.cholesky, np.linalg.cholesky, definite()),
    "cholesky of a batch": (linalg.cholesky, np.linalg.cholesky, definite(2)),
    "cholesky, upper": (
        lambda a: linalg.cholesky(a, upper=True),
        lambda a: np.linalg.cholesky(a).swapaxes(-1, -2),
        definite(2),
    ),
    "cholesky_solve": (
        lambda b, a: tg.cholesky_solve(b, tg.cholesky(a)),
        lambda b, a: np.linalg.solve(a, b),
        numbers(3, 2),
        definite(),
    ),
    "cholesky_solve, SciPy's": (
        lambda b, a: linalg.cholesky_solve((tg.cholesky(a), True), b),
        lambda b, a: np.linalg.solve(a, b),
        numbers(3),
        definite(),
    ),
    "cholesky_inverse": (
        lambda a: tg.cholesky_inverse(tg.cholesky(a, upper=True), upper=True),
        np.linalg.inv,
        definite(),
    ),
    "eigh": (lambda a: tuple(linalg.eigh(a)), lambda a: tuple(np.linalg.eigh(a)), definite()),
    "eigh of a batch": (lambda a: tuple(linalg.eigh(a)), lambda a: tuple(np.linalg.eigh(a)), definite(2)),
    "eigh, lower": (lambda a: linalg.eigh(a, "L")[0], lambda a: np.linalg.eigh(a, "L")[0], numbers(3, 3)),
    "eigh, upper": (lambda a: linalg.eigh(a, UPLO="U")[0], lambda a: np.linalg.eigh(a, "U")[0], numbers(3, 3)),
    "eigvalsh": (linalg.eigvalsh, np.linalg.eigvalsh, definite(2)),
    "eig": (lambda a: tuple(linalg.eig(a)), lambda a: tuple(np.linalg.eig(a)), REAL),
    "eigvals": (linalg.eigvals, np.linalg.eigvals, REAL),
    "expm": (linalg.expm, scipy.linalg.expm, numbers(3, 3)),
    "expm of a batch": (tg.matrix_exp, scipy.linalg.expm, numbers(2, 2, 2)),
    "expm of many": (tg.matrix_exp, scipy.linalg.expm, numbers(2, 4, 2, 2)),
    "cholesky of many": (linalg.cholesky, np.linalg.cholesky, definite(8, n=2)),
    "qr of many": (lambda a: tuple(linalg.qr(a)), lambda a: tuple(np.linalg.qr(a)), numbers(8, 3, 2)),
    "sqrtm": (linalg.sqrtm, scipy.linalg.sqrtm, definite()),
    "sqrtm of a batch": (linalg.sqrtm, lambda a: np.stack([*map(scipy.linalg.sqrtm, a)]), definite(2) + 0.3 * numbers(3, 3)),
    "logm": (linalg.logm, scipy.linalg.logm, definite() + 0.3 * numbers(3, 3)),
    "multi_dot": (
        lambda *a: linalg.multi_dot(a),
        lambda *a: np.linalg.multi_dot(a),
        numbers(2),
        numbers(2, 5),
        numbers(5, 1),
        numbers(1, 4),
    ),
}
for _shape in ((4, 2), (2, 3, 3)):
    CASES[f"PyTorch's svd of {_shape}"] = (
        lambda a: tuple(tg.svd(a)),
        lambda a: (lambda u, s, v: (u, s, v.swapaxes(-1, -2)))(*np.linalg.svd(a, full_matrices=False)),
        numbers(*_shape),
    )
CASES["tensorsolve"] = linalg.tensorsolve, np.linalg.tensorsolve, numbers(2, 3, 6), numbers(2, 3)
CASES["tensorsolve of other axes"] = (
    lambda a, b: linalg.tensorsolve(a, b, (0,)),
    lambda a, b: np.linalg.tensorsolve(a, b, (0,)),
    numbers(6, 2, 3),
    numbers(2, 3),
)
CASES["tensorinv"] = linalg.tensorinv, np.linalg.tensorinv, numbers(2, 3, 6)
CASES["tensorinv 1"] = lambda a: linalg.tensorinv(a, 1), lambda a: np.linalg.tensorinv(a, 1), numbers(6, 2, 3)
for _shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2)):
    CASES[f"svd of {_shape}"] = (
        lambda a: tuple(linalg.svd(a, full_matrices=False)),
        lambda a: tuple(np.linalg.svd(a, full_matrices=False)),
        numbers(*_shape),
    )
    CASES[f"svdvals of {_shape}"] = linalg.svdvals, lambda a: np.linalg.svd(a, compute_uv=False), numbers(*_shape)
for _shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (2, 2, 3)):
    CASES[f"qr of {_shape}"] = lambda a: tuple(linalg.qr(a)), lambda a: tuple(np.linalg.qr(a)), numbers(*_shape)
    CASES[f"r of {_shape}"] = lambda a: linalg.qr(a, mode="r"), lambda a: np.linalg.qr(a, "r"), numbers(*_shape)
for _n in (-3, -1, 1, 2, 5):
    CASES[f"power {_n}"] = (
        lambda a, n=_n: linalg.matrix_power(a, n),
        lambda a, n=_n: np.linalg.matrix_power(a, n),
        regular(2),
    )
for _p in (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf):
    CASES[f"cond {_p}"] = (
        lambda a, p=_p: linalg.cond(a, p),
        lambda a, p=_p: np.linalg.cond(a, p),
        regular(n=2),
    )
for _trans, _lower, _unit in np.ndindex(2, 2, 2):
    for _b in (numbers(3), numbers(3, 2)):
        CASES[f"solve_triangular {_trans} {_lower} {_unit} {_b.ndim}"] = (
            lambda a, b, o=(_trans, _lower, _unit): linalg.solve_triangular(a, b, *o),
            lambda a, b, o=(_trans, _lower, _unit): scipy.linalg.solve_triangular(a, b, *o),
            regular(),
            _b,
        )
CASES["solve_triangular, PyTorch's"] = (
    lambda a, b: linalg.solve_triangular(a, b, upper=True, left=False, unitriangular=True),
    lambda a, b: b @ np.linalg.inv(np.triu(a, 1) + np.eye(3)),
    regular(),
    numbers(2, 3),
)
CASES["solve_triangular of a batch"] = (
    lambda a, b: linalg.solve_triangular(a, b, lower=True),
    lambda a, b: np.linalg.solve(np.tril(a), b),
    regular(2),
    numbers(3, 2),
)


@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives(name):
    function, reference, *points = CASES[name]
    check(function, *points, reference=reference)


def test_every_hosted_row_is_used_by_a_case():
    """The rows of Fourier transforms and convolution are tested beside."""
    names = {op.display for op in OPS if op.kind == HOSTED and not op.display.startswith("Fft")} - {"Convolve"}
    seen = {"LinalgCofactor"}
    for function, _, *points in CASES.values():
        waiting = [z.grad_fn for z in (lambda r: r if isinstance(r, tuple) else (r,))(function(*map(leaf, points)))]
        while waiting:
            node = waiting.pop()
            seen.add(node.name().removesuffix("Backward0"))
            waiting += [n for n, _ in node.next_functions if n is not None]
    assert names <= seen


@pytest.mark.parametrize(
    "name",
    ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "eig", "eigvals", "svd", "svdvals", "qr", "pinv", "cond"],
)
def test_numpy_dispatches(name):
    theirs, ours = getattr(np.linalg, name, None), getattr(linalg, name)
    if theirs is None:
        pytest.skip("not in this NumPy")
    a = leaf(np.diag([1.0, 2.0, 4.0]) + 0.1)
    results = ([z] if isinstance(z, tg.Tensor) else z for z in (theirs(a), ours(a)))
    for found, expected in zip(*results):
        assert isinstance(found, tg.Tensor) and found.requires_grad == expected.requires_grad
        np.testing.assert_array_equal(values_of(found), values_of(expected))


def test_numpy_dispatches_what_takes_more():
    a, b = leaf(regular()), leaf(numbers(3))
    for found, expected in [
        (np.linalg.solve(a, b), linalg.solve(a, b)),
        (np.linalg.lstsq(a, b)[0], linalg.lstsq(a, b)[0]),
        (np.linalg.matrix_power(a, 3), linalg.matrix_power(a, 3)),
        (np.linalg.multi_dot([a, a, b]), linalg.multi_dot([a, a, b])),
        (np.linalg.norm(a, "nuc"), linalg.norm(a, "nuc")),
        (np.linalg.solve(values_of(a), b), linalg.solve(a.detach(), b)),
    ]:
        np.testing.assert_array_equal(values_of(found), values_of(expected))
        assert found.requires_grad
    assert np.linalg.matrix_rank(a).item() == 3


# Determinants ---------------------------------------------------------------------------------------------------------


def of_rank(rank, n, seed=0):
    return numbers(n, rank, seed=seed) @ numbers(rank, n, seed=seed + 1)


SINGULAR = [
    np.zeros((1, 1)),
    np.zeros((3, 3)),
    of_rank(1, 2),
    of_rank(2, 3),
    of_rank(1, 3),
    of_rank(3, 4),
    of_rank(2, 4),
    np.stack([of_rank(2, 3), regular()]),
]


@pytest.mark.parametrize("a", SINGULAR, ids=lambda a: f"{a.shape}, rank {np.linalg.matrix_rank(a)}")
def test_determinants_of_singular_matrices_have_all_derivatives(a):
    check(linalg.det, a, reference=np.linalg.det)


@pytest.mark.parametrize("rank", [40, 39, 38, 37])
def test_determinants_of_larger_matrices(rank):
    """The second derivative is sum of (cofactors of second order) times two directions; of rank 37 it is 0."""
    n = 40
    u, v = (np.linalg.qr(numbers(n, n, seed=seed))[0] for seed in (1, 2))
    s = np.where(np.arange(n) < rank, np.linspace(1.5, 0.8, n), 0.0)
    x, p, q = leaf((u * s) @ v), numbers(n, n, seed=3), numbers(n, n, seed=4)
    (g,) = recorded_gradients(linalg.det(x), [x], tg.tensor(1.0))
    (again,) = tg.autograd.grad((g * p).sum(), x)
    inner_p, inner_q = u.T @ p @ v.T, u.T @ q @ v.T
    expected = 0.0
    for i, j in np.ndindex(n, n):
        if i != j:
            others = np.prod(np.delete(s, [i, j]))
            expected += others * (inner_p[i, i] * inner_q[j, j] - inner_p[i, j] * inner_q[j, i])
    expected *= np.linalg.det(u) * np.linalg.det(v)
    found = (values_of(again) * q).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert (expected == 0) == (rank == 37)


def third(a):
    """The matrix of cofactors, by the derivative."""
    x = a if a.requires_grad else a.detach().clone().requires_grad_()
    with tg.enable_grad():
        return recorded_gradients(linalg.det(x), [x], tg.tensor(1.0))[0]


@pytest.mark.parametrize("a", [of_rank(1, 3), of_rank(3, 4), regular()], ids=["rank 1", "rank 3", "regular"])
def test_the_third_derivative_of_a_determinant(a):
    assert tg.autograd.gradgradcheck(third, [leaf(a)])


def test_slogdet_of_a_singular_matrix_keeps_a_finite_derivative():
    a = np.outer([1.0, 2.0], [3.0, 4.0])
    x = leaf(a)
    sign, value = linalg.slogdet(x)
    assert (sign.item(), value.item()) == (0.0, -np.inf)
    assert not sign.requires_grad
    close(reverse(value, [x], np.ones(()))[0], np.linalg.pinv(a).T, 1e-12)


def test_logdet_of_a_negative_determinant_is_nan_and_leaves_the_others_alone():
    x = leaf([np.diag([1.0, -1.0]), np.diag([2.0, 4.0])])
    y = tg.logdet(x)
    np.testing.assert_allclose(values_of(y), [np.nan, np.log(8)])
    np.testing.assert_array_equal(reverse(y, [x], np.ones(2))[0], [np.zeros((2, 2)), np.diag([0.5, 0.25])])


# Symmetric matrices ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:the matrix is not symmetric")
@pytest.mark.parametrize("function", [linalg.cholesky, linalg.eigvalsh, lambda a: linalg.eigh(a)[1]])
def test_symmetric_matrices_are_symmetrised_and_have_symmetric_derivatives(function):
    a = definite() + np.triu(numbers(3, 3), 1) * 0.1
    x, y = leaf(a), leaf((a + a.T) / 2)
    np.testing.assert_array_equal(values_of(function(x)), values_of(function(y)))
    np.testing.assert_array_equal(values_of(function(tg.tensor(a))), values_of(function(y)))
    (g,) = reverse(function(x), [x], numbers(*function(x).shape, seed=3))
    close(g, g.T, 1e-13, 1.0)


DEGENERATE = [np.eye(3), np.diag([1.0, 1.0, 2.0]), np.zeros((2, 2)), np.full((3, 3), 1.0)]


@pytest.mark.parametrize("a", DEGENERATE, ids=str)
def test_functions_of_equal_eigenvalues_have_their_derivative(a):
    x = leaf(a)
    (g,) = reverse((linalg.eigvalsh(x) ** 3).sum(), [x], np.ones(()))
    close(g, 3 * a @ a, 1e-12, 1.0)
    (g,) = reverse(linalg.eigvalsh(x).exp().sum(), [x], np.ones(()))
    close(g, scipy.linalg.expm(a), 1e-12, 1.0)


@pytest.mark.parametrize("a", DEGENERATE, ids=str)
@pytest.mark.parametrize("result", [lambda w, v: joined((w, v)), lambda w, v: (v * w.exp()) @ v.mT, lambda w, v: v @ v.mT])
def test_what_depends_on_eigenvectors_of_equal_eigenvalues_has_no_derivative(a, result):
    """As in PyTorch and JAX: there is none, or it can't be told from that of another function, as of the second one."""
    y = result(*linalg.eigh(x := leaf(a)))
    with pytest.warns(RuntimeWarning, match="equal"):
        (g,) = reverse(y, [x], numbers(*y.shape))
    assert np.isnan(g).all()


def test_a_batch_has_nan_where_eigenvalues_are_equal():
    x = leaf(np.stack([definite(), np.eye(3)]))
    with pytest.warns(RuntimeWarning, match="equal"):
        (g,) = reverse(linalg.eigh(x)[1], [x], numbers(2, 3, 3))
    (alone,) = reverse(linalg.eigh(y := leaf(definite()))[1], [y], numbers(2, 3, 3)[0])
    np.testing.assert_array_equal(g[0], alone)
    assert np.isnan(g[1]).all()


@pytest.mark.filterwarnings("error")
def test_eigenvectors_of_other_eigenvalues_have_their_derivative():
    """Of matrices of less than full rank, as those of few samples, many eigenvalues are 0."""
    for function, a in (
        (lambda x: linalg.eigh(x.mT @ x)[1][:, -1] ** 4, numbers(2, 5)),
        (lambda x: linalg.svd(x.mT @ x)[0][:, 0] ** 4, numbers(2, 5)),
        (lambda x: linalg.svd(x)[0][:, 0] ** 4, numbers(4, 1) @ numbers(1, 2, seed=1)),
    ):
        y = function(x := leaf(a))
        seed, direction = numbers(*y.shape), numbers(*a.shape, seed=2)
        (g,) = reverse(y, [x], seed)
        numeric = differences(lambda a, f=function: values_of(f(tg.tensor(a))), [a], [direction])
        close((g * direction).sum(), (seed * numeric).sum(), 1e-7, 1.0)


def test_second_derivatives_through_equal_eigenvalues_are_nan():
    x = leaf(np.eye(2))
    for y in ((linalg.eigvalsh(x) ** 3).sum(), linalg.svdvals(x).sum()):
        (g,) = recorded_gradients(y, [x], tg.tensor(1.0))
        assert np.isfinite(values_of(g)).all()
        with pytest.warns(RuntimeWarning, match="equal"):
            (second,) = reverse(g, [x], numbers(2, 2))
        assert np.isnan(second).all()


@pytest.mark.filterwarnings("ignore:some eigenvalues")
def test_eigenvectors_that_nothing_depends_on_yet_are_not_determined_further_on():
    """Where the gradient by vectors of equal eigenvalues is 0, but not that of the gradient."""
    a, wanted = np.eye(2), linalg.eigh(tg.tensor(np.eye(2)))[1]

    def loss(a):
        return ((linalg.eigh(a)[1] - wanted) ** 2).sum()

    x, ones = leaf(a), np.ones((2, 2))
    (g,) = recorded_gradients(loss(x), [x], tg.tensor(1.0))
    np.testing.assert_array_equal(values_of(g), np.zeros((2, 2)))
    assert not np.isfinite(reverse(g, [x], ones)[0]).all()
    for found in (tg.hessian(loss)(a), tg.hvp(loss, a, ones), tg.jvp(tg.grad(loss), (a,), (ones,))[1]):
        assert not np.isfinite(found).all()
    tangent = tg.jvp(lambda a: linalg.eigh(a)[1], (a,), (ones,))[1]
    assert not np.isfinite(tangent).any()
    tangent = tg.jvp(lambda a: linalg.eigh(a)[1][:, 2], (np.diag([1.0, 1.0, 2.0]),), (np.ones((3, 3)),))[1]
    np.testing.assert_allclose(tangent, [1.0, 1.0, 0.0])


def polar(a):
    """The orthogonal factor of a regular matrix, by Newton's iteration."""
    for _ in range(12):
        a = (a + np.linalg.inv(a).T) / 2
    return a


@pytest.mark.parametrize("a", [np.eye(3), 2 * polar(regular()), np.diag([3.0, 1.0, 1.0])], ids=["1", "rotation", "two"])
def test_the_polar_factor_of_equal_singular_values(a):
    """It is smooth, which its making from singular vectors does not show, and that from the square root does."""
    x, seed, direction = leaf(a), numbers(3, 3, seed=1), numbers(3, 3, seed=2)
    u, _, v = linalg.svd(x)
    close(values_of(u @ v), polar(a), 1e-12, 1.0)
    with pytest.warns(RuntimeWarning, match="equal"):
        (g,) = reverse(u @ v, [x], seed)
    assert np.isnan(g).all()
    (g,) = reverse(x @ linalg.inv(linalg.sqrtm(x.mT @ x)), [x], seed)
    numeric = differences(polar, [a], [direction])
    close((g * direction).sum(), (seed * numeric).sum(), 1e-7, 1.0)


@pytest.mark.parametrize("a", [np.diag([2.0, 2.0, 1.0])[:, :2], np.zeros((2, 3)), np.outer([1.0, 2.0, 3.0], [1.0, 1.0])], ids=str)
@pytest.mark.parametrize("full", [True, False])
def test_singular_vectors_of_equal_or_no_values_have_no_derivative(a, full):
    x = leaf(a)
    z = linalg.svd(x, full_matrices=full)
    with pytest.warns(RuntimeWarning, match="equal or 0"):
        (g,) = reverse(joined(z), [x], numbers(sum(part.numel() for part in z)))
    assert np.isnan(g).all()


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 3, 2)], ids=str)
def test_full_svd_has_the_projection_on_what_is_left(shape):
    def function(a):
        u, s, v = linalg.svd(a)
        k = s.shape[-1]
        return u[..., :k], s, u[..., k:] @ u[..., k:].mT, v[..., k:, :].mT @ v[..., k:, :]

    check(function, numbers(*shape))
    for found, expected in zip(linalg.svd(leaf(numbers(*shape))), np.linalg.svd(numbers(*shape))):
        np.testing.assert_allclose(values_of(found), expected, atol=1e-12)


def test_pytorchs_svd_without_vectors_and_with_all():
    a = numbers(2, 4, 3)
    u, s, v = leaf(a).svd(compute_uv=False)
    np.testing.assert_allclose(values_of(s), np.linalg.svd(a, compute_uv=False))
    assert u.shape == (2, 4, 3) and v.shape == (2, 3, 3) and not values_of(u).any()
    assert tg.svd(tg.tensor(a), some=False).U.shape == (2, 4, 4)
    assert tg.svd(tg.tensor(a.swapaxes(1, 2)), compute_uv=False).V.shape == (2, 4, 3)


@pytest.mark.parametrize("shape", [(4, 2), (3, 3), (2, 4)], ids=str)
def test_complete_qr_has_the_projection_on_what_is_left(shape):
    def function(a):
        q, r = linalg.qr(a, mode="complete")
        k = min(shape)
        return q[:, :k], r, q[:, k:] @ q[:, k:].mT

    check(function, numbers(*shape))
    for found, expected in zip(linalg.qr(leaf(numbers(*shape)), "complete"), np.linalg.qr(numbers(*shape), "complete")):
        np.testing.assert_allclose(values_of(found), expected, atol=1e-12)


# Results and errors ---------------------------------------------------------------------------------------------------


def test_results_have_names():
    a = leaf(definite())
    assert linalg.eigh(a).eigenvalues.shape == linalg.svd(a).S.shape == (3,)
    assert linalg.slogdet(a).logabsdet.shape == ()
    assert linalg.qr(a).Q.shape == linalg.svd(a).Vh.shape == (3, 3)
    fit = linalg.lstsq(leaf(TALL), leaf(numbers(5)))
    assert fit.rank.item() == 3 and fit.singular_values.shape == (3,) and fit.solution.shape == (3,)
    assert linalg.lstsq(leaf(of_rank(1, 3)), leaf(numbers(3))).residuals.shape == (0,)


def test_what_grad_fn_is_called():
    a = leaf(definite())
    names = [y.grad_fn.name() for y in (a.inverse(), a.det(), tg.linalg.solve(a, a), a.cholesky(), linalg.eigvalsh(a))]
    assert names == [
        f"Linalg{name}Backward0" for name in ("InvEx", "Det", "SolveEx", "CholeskyEx", "Eigh")
    ]
    y = linalg.solve(a * 1, tg.tensor(numbers(3)))
    assert [n and n.name() for n, _ in y.grad_fn.next_functions] == ["MulBackward0", None]


@pytest.mark.parametrize("shape", [(0, 0), (0, 2, 2), (2, 0, 0)], ids=str)
@pytest.mark.parametrize("name", ["inv", "det", "logdet", "cholesky", "expm", "eigvalsh", "svdvals", "pinv"])
def test_nothing(name, shape):
    x = leaf(np.zeros(shape))
    y = getattr(linalg, name)(x)
    assert y.shape == values_of(getattr(linalg, name)(tg.tensor(np.zeros(shape)))).shape
    assert reverse(y, [x], np.ones(y.shape))[0].shape == shape


def test_integers_become_floats():
    a = np.array([[2, 1], [1, 3]])
    for name in ("inv", "det", "cholesky", "eigvalsh", "norm", "expm"):
        y = getattr(linalg, name)(tg.tensor(a))
        assert y.dtype == np.float64
        close(values_of(y), values_of(getattr(linalg, name)(a.astype(float))), 1e-14)
    assert linalg.matrix_power(tg.tensor(a), 3).dtype == np.int64


def test_mixed_dtypes_give_each_operand_its_own():
    a, b = leaf(regular().astype(np.float32), np.float32), leaf(numbers(3))
    y = linalg.solve(a, b)
    assert y.dtype == np.float64
    y.sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (np.float32, np.float64)


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "plain"])
@pytest.mark.parametrize(
    ("function", "error", "match"),
    [
        (lambda t: linalg.inv(t(np.ones((2, 2)))), LinAlgError, "singular.*pinv"),
        (lambda t: linalg.solve(t(np.ones((2, 2))), t(np.ones(2))), LinAlgError, "singular.*lstsq"),
        (lambda t: linalg.cholesky(t(-np.eye(2))), LinAlgError, "not positive definite.*identity"),
        (lambda t: linalg.solve_triangular(t(np.diag([1.0, 0.0])), t(np.ones(2))), LinAlgError, "element 1 is 0"),
        (
            lambda t: linalg.solve_triangular(t(np.tile(np.diag([1.0, 0.0]), (9, 1, 1))), t(np.ones((9, 2, 1)))),
            LinAlgError,
            r"element \(0, 1\) is 0",
        ),
        (lambda t: linalg.eig(t([[0.0, 1.0], [-1.0, 0.0]])), ValueError, "complex eigenvalues"),
        (lambda t: linalg.svd(t(np.full((2, 2), np.nan))), LinAlgError, "did not converge"),
        (lambda t: linalg.det(t(np.ones((2, 3)))), LinAlgError, "square.*2 by 3"),
        (lambda t: linalg.inv(t(np.ones(3))), LinAlgError, "1 axes"),
        (lambda t: linalg.solve(t(np.eye(3)), t(np.ones(2))), ValueError, "3 rows"),
        (lambda t: linalg.solve(t(np.ones((2, 3, 3))), t(np.ones((4, 3, 3)))), ValueError, "don't match"),
        (lambda t: linalg.qr(t(np.eye(2)), "full"), ValueError, "mode of qr"),
        (lambda t: linalg.eigh(t(np.eye(2)), "X"), ValueError, "UPLO"),
        (lambda t: linalg.matrix_power(t(np.eye(2)), 0.5), TypeError, "integer"),
        (lambda t: linalg.solve_triangular(t(np.eye(2)), t(np.ones(2)), lower=True, upper=True), ValueError, "contradict"),
        (lambda t: linalg.multi_dot([t(np.eye(2))]), ValueError, "at least two"),
        (lambda t: linalg.sqrtm(t(np.diag([1.0, -1.0]))), ValueError, "not real"),
        (lambda t: linalg.logm(t(np.diag([1.0, -1.0]))), ValueError, "not real"),
        (lambda t: linalg.tensorinv(t(np.eye(2)), 2), LinAlgError, "ind=2"),
        (lambda t: linalg.tensorsolve(t(np.ones((2, 3))), t(np.ones(2))), LinAlgError, "2 equations for 3"),
    ],
    ids=range(20),
)
def test_errors(function, error, match, record):
    with pytest.raises(error, match=match):
        function(lambda a: tg.tensor(a, dtype=tg.float64, requires_grad=record))


def test_a_failed_call_leaves_the_tape_usable():
    x = leaf(np.ones((2, 2)))
    y = x * 2
    with pytest.raises(LinAlgError):
        linalg.inv(y)
    y.sum().backward()
    np.testing.assert_array_equal(values_of(x.grad), np.full((2, 2), 2.0))


# Overwritten values, and a second backward ----------------------------------------------------------------------------


def passes(y, x):
    return [lambda: y.sum().backward(), lambda: tg.autograd.grad(y.sum(), x, create_graph=True)]


@pytest.mark.parametrize("way", [0, 1], ids=["swept", "recorded"])
def test_a_value_that_the_adjoint_reads_may_not_be_overwritten(way):
    x = leaf(regular())
    for write in (lambda a, y: a.add_(1), lambda a, y: y.mul_(2), lambda a, y: a.detach().fill_(1.0)):
        a = x * 1
        y = linalg.solve(a, a[0])
        z = y * 1
        write(a, y)
        with pytest.raises(RuntimeError, match=r"LinalgSolveExBackward0 needs .* overwritten"):
            passes(z, x)[way]()
    y = linalg.det(x)
    with tg.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="overwritten"):
        passes(y, x)[way]()


@pytest.mark.parametrize("way", [0, 1], ids=["swept", "recorded"])
def test_a_value_that_the_adjoint_does_not_read_may_be_overwritten(way):
    x, b = leaf(regular()), leaf(numbers(3))
    c = b * 1
    y = linalg.solve(x, c)
    c.add_(1)
    passes(y, [x, b])[way]()
    y = tg.linalg.inv(x * 1)
    w = y * 1
    w.add_(1)
    passes(w, x)[way]()


def test_a_second_backward_is_refused_and_a_linear_one_is_not():
    x = leaf(regular())
    y = linalg.det(x)
    y.backward()
    with pytest.raises(RuntimeError, match="second time through LinalgDetBackward0"):
        y.backward()
    y = linalg.det(x)
    tg.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="second time"):
        tg.autograd.grad(y, x, create_graph=True)
    y = linalg.det(x)
    y.backward(retain_graph=True)
    y.backward()
    y = tg.fft.rfft(x).real.sum()
    y.backward()
    y.backward()


def test_results_that_nothing_depends_on_are_not_computed_for():
    """eigh's eigenvectors, of equal eigenvalues: with an adjoint of zeros, a recorded pass would be the same."""
    x = leaf(definite())
    w, v = linalg.eigh(x)
    (g,) = reverse(w.sum(), [x], np.ones(()))
    close(g, np.eye(3), 1e-12, 1.0)
    (g,) = reverse((v * v).sum(), [x], np.ones(()))
    close(g, np.zeros((3, 3)), 1e-12, 1.0)


def test_hooks_and_retained_gradients():
    x = leaf(regular())
    y = linalg.inv(x)
    y.retain_grad()
    y.register_hook(lambda g: 2 * g)
    y.sum().backward()
    np.testing.assert_array_equal(values_of(y.grad), np.full((3, 3), 2.0))
    z = np.linalg.inv(regular())
    close(values_of(x.grad), -2 * z.T @ np.ones((3, 3)) @ z.T, 1e-12)


PARTS = {
    "U": (lambda a: linalg.svd(a, False)[0], (4, 2)),
    "Vh": (lambda a: linalg.svd(a, False)[2], (4, 2)),
    "Vh, wide": (lambda a: linalg.svd(a, False)[2], (2, 3)),
    "U and S": (lambda a: tuple(linalg.svd(a, False))[:2], (2, 3)),
    "what U leaves": (lambda a: (lambda u: u[:, 2:] @ u[:, 2:].mT)(linalg.svd(a)[0]), (4, 2)),
    "eigenvectors": (lambda a: linalg.eigh(a + a.mT)[1], (3, 3)),
    "Q": (lambda a: linalg.qr(a)[0], (4, 2)),
    "Q, wide": (lambda a: linalg.qr(a)[0], (2, 3)),
    "R": (lambda a: linalg.qr(a)[1], (4, 2)),
}


@pytest.mark.parametrize("part", PARTS)
def test_some_of_several_results(part):
    function, shape = PARTS[part]
    check(function, numbers(*shape, seed=4))


SQUARE, THIRD = regular(seed=3), {
    "inv": linalg.inv,
    "logdet": lambda a: tg.logdet(a @ a.mT),
    "cholesky": lambda a: linalg.cholesky(a @ a.mT),
    "eigvalsh": lambda a: linalg.eigvalsh(a + a.mT),
    "expm": linalg.expm,
    "sqrtm": lambda a: linalg.sqrtm(a @ a.mT),
    "pinv": lambda a: linalg.pinv(a[:, :2]),
    "qr": lambda a: linalg.qr(a)[1],
    "svdvals": linalg.svdvals,
    "norm": lambda a: a.norm(),
    "solve": lambda a: linalg.solve(a, a[0]),
    "lstsq": lambda a: linalg.lstsq(a[:, :2], a[:, 2])[0],
}


@pytest.mark.parametrize("name", THIRD)
def test_third_derivatives(name):
    def gradient(a):
        x = a if a.requires_grad else a.detach().clone().requires_grad_()
        with tg.enable_grad():
            return recorded_gradients((THIRD[name](x) ** 2).sum(), [x], tg.tensor(1.0))[0]

    assert tg.autograd.gradgradcheck(gradient, [leaf(SQUARE)])


def test_hessian_of_logdet():
    a = definite()
    x = leaf(a)
    (g,) = recorded_gradients(tg.logdet(x), [x], tg.tensor(1.0))
    inverse = np.linalg.inv(a)
    for i, j in np.ndindex(3, 3):
        close(
            values_of(tg.autograd.grad(g[i, j], x, retain_graph=True)[0]),
            -np.outer(inverse[j], inverse[:, i]),
            1e-11,
            0.1,
        )


@pytest.mark.parametrize("n", [0, 1])
def test_power_zero_is_the_identity(n):
    y = linalg.matrix_power(leaf(regular(2)), n)
    np.testing.assert_array_equal(values_of(y), np.linalg.matrix_power(regular(2), n))


# The check itself ------------------------------------------------------------------------------------------------------

SPOILED = [
    ("inv", "inv", 0),
    ("solve", "solve a vector", 0),
    ("solve", "solve a matrix", 1),
    ("det", "det", 0),
    ("cholesky", "cholesky", 0),
    ("eigh", "eigh", 0),
    ("svd", "svd of (4, 2)", 0),
    ("qr", "qr of (3, 3)", 0),
    ("solve_triangular", "solve_triangular of a batch", 1),
    ("expm", "expm", 0),
]


def spoiled(adjoint, k, only):
    """An adjoint whose k-th gradient is too large by a millionth, of arrays or of tensors."""

    def wrong(*operands, **options):
        found = list(adjoint(*operands, **options))
        if isinstance(found[k], only):
            found[k] = found[k] * (1 + 1e-6)
        return tuple(found)

    return wrong


@pytest.mark.parametrize("only", [np.ndarray, tg.Tensor], ids=["swept", "recorded"])
@pytest.mark.parametrize(("row", "case", "k"), SPOILED)
def test_a_wrong_adjoint_is_refused(row, case, k, only, monkeypatch):
    op = BY_NAME[row]
    assert op.needs  # found out of the right one
    monkeypatch.setitem(op.bodies, ("adjoint",), spoiled(op.bodies["adjoint",], k, only))
    function, reference, *points = CASES[case]
    with pytest.raises(AssertionError, match=r"derivative|gradient"):
        check(function, *points, reference=reference)


NEWER = {  # functions of np.linalg since NumPy 2, which the array API standard has
    "matmul": (2, ()),
    "outer": (2, ()),
    "vecdot": (2, ()),
    "tensordot": (2, ()),
    "cross": (2, ()),
    "matrix_transpose": (1, ()),
    "diagonal": (1, ()),
    "trace": (1, ()),
    "svdvals": (1, ()),
    "matrix_norm": (1, ()),
    "vector_norm": (1, ()),
}


@pytest.mark.parametrize("name", NEWER)
def test_newer_functions_of_numpy_dispatch(name):
    theirs = getattr(np.linalg, name, None)
    if theirs is None:
        pytest.skip("not in this NumPy")
    count, more = NEWER[name]
    points = [numbers(3, 3, seed=k) if name != "outer" else numbers(3, seed=k) for k in range(count)]
    tensors = [leaf(p) for p in points]
    found = theirs(*tensors, *more)
    assert found.requires_grad
    close(values_of(found), theirs(*points, *more), 1e-12, 1.0)
    np.testing.assert_array_equal(values_of(found), values_of(getattr(linalg, name)(*tensors, *more)))


# Many small matrices ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3, 16])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_many_triangular_systems_are_solved_as_one(n, lower, transposed, unit):
    a, b = regular(3, 5, n=n) + n * np.eye(n), numbers(3, 5, n, 2)   # what is in the other triangle is not looked at
    found = lapack.solve_triangular(a, b, lower=lower, transposed=transposed, unit_diagonal=unit)
    for k in np.ndindex(3, 5):
        one = lapack.solve_triangular(a[k], b[k], lower=lower, transposed=transposed, unit_diagonal=unit)
        np.testing.assert_allclose(found[k], one, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("scale", [0.0, 1e-9, 0.3, 3.0, 40.0])
def test_exponentials_of_many_are_those_of_each(scale):
    a = scale * numbers(12, 3, 3)
    found = tg.matrix_exp(a).numpy()
    for one, z in zip(a, found):
        expected = scipy.linalg.expm(one)
        np.testing.assert_allclose(z, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())
        np.testing.assert_allclose(z - np.eye(3), expected - np.eye(3), rtol=1e-6, atol=1e-12 * np.abs(expected).max())
    assert tg.matrix_exp(tg.tensor(a, dtype=tg.float32)).dtype == tg.float32


def test_exponentials_that_are_known():
    angles = np.linspace(-60, 60, 13)
    turns = angles[:, None, None] * np.array([[0.0, -1.0], [1.0, 0.0]])
    cos, sin = np.cos(angles), np.sin(angles)
    np.testing.assert_allclose(tg.matrix_exp(turns).numpy(), np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1), atol=1e-13)
    # Scaled by what the norm says, the diagonal would be lost
    shears = np.array([[[-1.0, s], [0.0, 1.0]] for s in np.logspace(0, 12, 13)])
    found = tg.matrix_exp(shears).numpy()
    np.testing.assert_allclose(found[:, 0, 1], shears[:, 0, 1] * np.sinh(1.0), rtol=1e-13)
    np.testing.assert_allclose(found[:, [0, 1], [0, 1]], np.broadcast_to(np.exp([-1.0, 1.0]), (13, 2)), rtol=1e-13)
    odd = np.array([np.full((2, 2), np.nan), np.diag([-np.inf, 0.0]), *np.zeros((6, 2, 2)), np.diag([800.0, -800.0])])
    found = tg.matrix_exp(odd).numpy()
    assert np.isnan(found[0]).all() and np.isnan(found[1]).any() and np.array_equal(found[2:8], np.tile(np.eye(2), (6, 1, 1)))
    assert found[8, 0, 0] == np.inf and found[8, 1, 1] == 0


def test_derivatives_of_many_are_those_of_each():
    a, g = numbers(9, 3, 3), numbers(9, 3, 3, seed=1) * np.logspace(-9, 9, 9)[:, None, None]
    for function in (tg.matrix_exp, lambda x: linalg.cholesky(x @ x.mT + 3 * np.eye(3)), lambda x: linalg.qr(x)[1]):
        found = tg.grad(lambda x, f=function: (f(x) * g).sum())(a)
        for one, weight, slope in zip(a, g, found):
            expected = tg.grad(lambda x, f=function, w=weight: (f(x) * w).sum())(one)
            np.testing.assert_allclose(slope, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())
