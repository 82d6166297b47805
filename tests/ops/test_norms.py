"""Norms: values as NumPy's, no overflow, derivatives at zero."""

import itertools

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import linalg

from . import hosted
from .derivatives import check, close, leaf, recorded_gradients, reverse, tangent, values_of

ORDERS = [2, 1, 0, 3, 2.5, 1.5, 0.5, -1, -2, np.inf, -np.inf]
SHAPES = [(), (1,), (4,), (2, 3), (2, 1, 3)]


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def reference(x, ord, axis, keepdims):
    """``np.linalg.vector_norm``, which NumPy has since version 2."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % x.ndim for a in axes) if x.ndim else ()
    kept = [a for a in range(x.ndim) if a not in axes]
    rows = x.transpose(*kept, *axes).reshape([x.shape[a] for a in kept] + [-1])
    z = np.linalg.norm(rows, ord, axis=-1)
    return z.reshape([1 if a in axes else n for a, n in enumerate(x.shape)]) if keepdims else z


@pytest.mark.parametrize("keepdims", [False, True], ids=["", "keepdims"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("ord", ORDERS)
def test_vector_norms(ord, shape, keepdims):
    axes = [None, *range(-len(shape), len(shape)), *itertools.combinations(range(len(shape)), 2)]
    for axis in axes:
        if not shape and axis is not None:
            continue
        hosted.check(
            lambda x, axis=axis: linalg.vector_norm(x, ord, axis, keepdims),
            numbers(*shape),
            reference=lambda x, axis=axis: reference(x, ord, axis, keepdims),
            second=axis is None,
        )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_euclidean_norm_has_a_row_of_its_own(shape):
    """With tangents, too."""
    check(lambda x: x.norm(), numbers(*shape), reference=lambda x: np.sqrt((x * x).sum()))
    for axis in range(len(shape)):
        check(
            lambda x, axis=axis: tg.norm(x, dim=axis, keepdim=True),
            numbers(*shape),
            reference=lambda x, axis=axis: np.sqrt((x * x).sum(axis, keepdims=True)),
        )
    assert leaf(numbers(3)).norm().grad_fn.name() == "LinalgVectorNormBackward0"


@pytest.mark.parametrize("length", [1, 3, 4, 5, 257])
def test_lengths_that_lanes_do_not_divide(length):
    x = numbers(3, length)
    np.testing.assert_allclose(values_of(leaf(x).norm(dim=1)), np.sqrt((x * x).sum(1)), rtol=1e-14)


@pytest.mark.parametrize("keepdims", [False, True], ids=["", "keepdims"])
@pytest.mark.parametrize("axis", [(-2, -1), (0, 1), (2, 0), (-1, -2)], ids=str)
@pytest.mark.parametrize("ord", [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_matrix_norms(ord, axis, keepdims):
    hosted.check(
        lambda x: linalg.norm(x, ord, axis, keepdims),
        numbers(2, 3, 4),
        reference=lambda x: np.linalg.norm(x, ord, axis, keepdims),
        second=not keepdims,
    )
    a = numbers(3, 2)
    y = linalg.matrix_norm(leaf(a), "fro" if ord is None else ord)
    close(values_of(y), np.linalg.norm(a, ord), 1e-12)
    close(values_of(linalg.norm(tg.tensor(a), ord)), np.linalg.norm(a, ord), 1e-12)


SPELLINGS = [
    (lambda x: x.norm(), lambda x: np.sqrt((x * x).sum())),
    (lambda x: tg.norm(x, 1), lambda x: np.abs(x).sum()),
    (lambda x: tg.norm(x, p=np.inf), lambda x: np.abs(x).max()),
    (lambda x: x.norm(2, 0), lambda x: np.linalg.norm(x, axis=0)),
    (lambda x: x.norm(p="fro", dim=(0, 1)), lambda x: np.linalg.norm(x)),
    (lambda x: x.norm(dim=1, keepdim=True), lambda x: np.linalg.norm(x, axis=1, keepdims=True)),
    (lambda x: tg.norm(x, axis=-1), lambda x: np.linalg.norm(x, axis=-1)),
    (lambda x: x.norm(3, dim=(0, 1)), lambda x: (np.abs(x) ** 3).sum() ** (1 / 3)),
    (lambda x: tg.norm(x, "nuc"), lambda x: np.linalg.norm(x, "nuc")),
    (lambda x: linalg.norm(x), np.linalg.norm),
    (lambda x: linalg.norm(x, 1), lambda x: np.linalg.norm(x, 1)),
    (lambda x: np.linalg.norm(x, axis=0), lambda x: np.linalg.norm(x, axis=0)),
    (lambda x: linalg.norm(x, dim=0, keepdim=True), lambda x: np.linalg.norm(x, axis=0, keepdims=True)),
]


@pytest.mark.parametrize("which", range(len(SPELLINGS)))
def test_spellings(which):
    ours, theirs = SPELLINGS[which]
    hosted.check(ours, numbers(2, 3), reference=theirs, second=False)


@pytest.mark.parametrize("ord", [2, 3, 1.5, -1])
@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e-300, 1e300])
def test_norms_do_not_overflow(ord, scale):
    a = np.array([[3.0, 4.0], [-1.0, 2.0]])
    x, y = leaf(a * scale), leaf(a)
    large, normal = linalg.vector_norm(x, ord, 1), linalg.vector_norm(y, ord, 1)
    np.testing.assert_allclose(values_of(large), values_of(normal) * scale, rtol=1e-13)
    np.testing.assert_allclose(values_of(linalg.vector_norm(tg.tensor(a * scale), ord, 1)), values_of(large), rtol=1e-14)
    np.testing.assert_allclose(reverse(large, [x], np.ones(2))[0], reverse(normal, [y], np.ones(2))[0], rtol=1e-13)
    if ord == 2:
        np.testing.assert_allclose(tangent(large, [x], [a]), values_of(normal), rtol=1e-13)


def test_float32_does_not_overflow():
    x = leaf([3e30, 4e30], np.float32)
    y = x.norm()
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.item(), 5e30, rtol=1e-6)
    np.testing.assert_allclose(reverse(y, [x], np.float32(1))[0], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(values_of(tg.norm(x.detach())), 5e30, rtol=1e-6)


@pytest.mark.parametrize(
    ("values", "norm", "gradient"),
    [
        ([0.0, 0.0], 0.0, [0, 0]),
        ([5e-324, 0.0], 5e-324, [1, 0]),
        ([np.inf, 1.0], np.inf, [np.nan, 0]),
        ([np.nan, 1.0], np.nan, [np.nan, np.nan]),
        ([-np.inf, np.nan], np.nan, [np.nan, np.nan]),
    ],
    ids=str,
)
def test_special_values(values, norm, gradient):
    x = leaf(values)
    np.testing.assert_array_equal(x.norm().item(), norm)
    np.testing.assert_array_equal(tg.tensor(values).norm().item(), norm)
    np.testing.assert_array_equal(reverse(x.norm(), [x], np.ones(()))[0], gradient)


@pytest.mark.parametrize("ord", ORDERS)
def test_the_derivative_at_zero_is_zero(ord):
    """In all orders; and a row of zeros leaves the others alone."""
    x = leaf([[0.0, 0.0], [3.0, 4.0]])
    y = linalg.vector_norm(x, ord, 1)
    (g,) = reverse(y, [x], np.ones(2))
    alone = leaf([3.0, 4.0])
    np.testing.assert_array_equal(g[0], [0, 0])
    np.testing.assert_allclose(g[1], reverse(linalg.vector_norm(alone, ord), [alone], np.ones(()))[0], rtol=1e-13)
    (recorded,) = recorded_gradients(linalg.vector_norm(x, ord, 1), [x], tg.tensor([1.0, 1.0]))
    np.testing.assert_allclose(values_of(recorded), g, rtol=1e-13)
    if recorded.requires_grad:
        again = values_of(tg.autograd.grad(recorded.sum(), x, materialize_grads=True)[0])
        np.testing.assert_array_equal(again[0], [0, 0])
        assert np.isfinite(again).all()


@pytest.mark.parametrize("ord", [3, 1.5, 0.5, 1, np.inf])
def test_the_derivative_by_an_element_that_is_zero_is_zero(ord):
    x = leaf([0.0, 2.0, 0.0])
    (g,) = reverse(linalg.vector_norm(x, ord), [x], np.ones(()))
    np.testing.assert_allclose(g, [0, 1, 0], rtol=1e-14)


@pytest.mark.filterwarnings("ignore:some eigenvalues")
@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
def test_the_derivative_at_the_zero_matrix_is_zero(ord):
    x = leaf(np.zeros((2, 3)))
    np.testing.assert_array_equal(reverse(linalg.norm(x, ord), [x], np.ones(()))[0], np.zeros((2, 3)))


@pytest.mark.parametrize("p", [2, 1, np.inf, 3])
def test_distances(p):
    x, y = numbers(4, 3), numbers(2, 3, seed=2)
    hosted.check(
        lambda x, y: tg.cdist(x, y, p),
        x,
        y,
        reference=lambda x, y: np.linalg.norm(x[:, None] - y, p, axis=-1),
    )
    hosted.check(
        lambda x, y: tg.dist(x, y, p), x[:2], y, reference=lambda x, y: np.linalg.norm((x - y).reshape(-1), p)
    )
    points = leaf(x)
    (g,) = reverse(tg.cdist(points, points, p).sum(), [points], np.ones(()))
    assert np.isfinite(g).all()
    with pytest.raises(ValueError, match="equally long"):
        tg.cdist(points, points[:, :2])


def test_nothing():
    for shape, axis in (((0,), None), ((2, 0), 1), ((0, 2), 1)):
        x = leaf(np.zeros(shape))
        y = x.norm(dim=axis)
        np.testing.assert_array_equal(values_of(y), np.linalg.norm(np.zeros(shape), axis=axis))
        assert reverse(y, [x], np.ones(y.shape))[0].shape == shape
        np.testing.assert_array_equal(values_of(linalg.vector_norm(x, np.inf, axis)), np.zeros(y.shape))


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda x: linalg.vector_norm(x, "fro"), "number"),
        (lambda x: linalg.matrix_norm(x, 3), "order of a matrix norm"),
        (lambda x: linalg.norm(x, 2, (0, 1, 2)), "one or two axes"),
        (lambda x: linalg.norm(x.reshape(1, 2, 3), 2), "vector or a matrix"),
        (lambda x: linalg.matrix_norm(x, 2, (0, 0)), "two different"),
        (lambda x: linalg.matrix_norm(x, 2, 0), "over two axes"),
    ],
)
def test_errors(function, match):
    with pytest.raises(ValueError, match=match):
        function(leaf(numbers(2, 3)))


# Slices of bounded norm ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
@pytest.mark.parametrize("dim", [0, -1])
def test_renorm(p, dim):
    x = np.random.default_rng(3).normal(size=(3, 4, 2))

    def reference(x):
        slices = np.moveaxis(x, dim, 0).reshape(x.shape[dim], -1)
        lengths = np.linalg.norm(slices, p, 1)
        scale = np.where(lengths > 2, 2 / (lengths + 1e-7), 1)
        return x * scale.reshape([-1 if a == dim % 3 else 1 for a in range(3)])

    check(lambda x: tg.renorm(x, p, dim, 2), x, reference=reference)
    y = tg.tensor(x)
    assert y.renorm_(p, dim, 2) is y
    close(values_of(y), reference(x), 1e-14)


def test_renorm_is_pytorchs():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(3).normal(size=(3, 4))
    x[1] = 0
    ours, theirs = leaf(x), torch.tensor(x, requires_grad=True)
    found, expected = tg.renorm(ours, 2, 0, 1.5), torch.renorm(theirs, 2, 0, 1.5)
    close(values_of(found), expected.detach().numpy(), 1e-12)
    (g,) = torch.autograd.grad(expected, theirs, torch.tensor(x + 1))
    close(reverse(found, [ours], x + 1)[0], g.numpy(), 1e-12)


@pytest.mark.parametrize(("shape", "p", "most"), [((3,), 2, 1), ((3, 2), 0, 1), ((3, 2), 2, -1)])
def test_renorm_refuses(shape, p, most):
    with pytest.raises(ValueError, match="renorm takes at least two axes"):
        tg.renorm(tg.ones(shape), p, 0, most)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, np.inf])
def test_distances_of_rows(p):
    x = np.random.default_rng(3).normal(size=(4, 3))
    check(
        lambda x: tg.pdist(x, p), x,
        reference=lambda x: np.array([np.linalg.norm(a - b, p) for a, b in itertools.combinations(x, 2)]),
    )  # fmt: skip
    equal = leaf(np.ones((3, 2)))
    assert not reverse(tg.pdist(equal, p), [equal], np.ones(3))[0].any()
    assert tg.pdist(x[:1], p).shape == (0,)
    with pytest.raises(ValueError, match="pdist takes a matrix"):
        tg.pdist(leaf(x[0]))
