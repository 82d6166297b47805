"""vmap: the same as a loop over samples."""

import numba
import numpy as np
import pytest

import tapegrad as tg

X = np.random.default_rng(0).normal(size=(4, 3))
W = np.array([1.0, -2.0, 0.5])


def f(w, x):
    return tg.exp(-((w * x) ** 2).sum()) * x


@pytest.mark.parametrize("compiled", [False, True])
def test_samples_along_an_axis(compiled):
    g = tg.compile(f) if compiled else f
    expected = np.stack([np.asarray(tg.compile(f)(W, x)) for x in X])
    for _ in range(2):
        np.testing.assert_allclose(tg.vmap(g, (None, 0))(W, X), expected, rtol=1e-14)
        np.testing.assert_allclose(tg.vmap(g, (None, 1))(W, X.T), expected, rtol=1e-14)
        np.testing.assert_allclose(tg.vmap(g, (None, -2))(W, X), expected, rtol=1e-14)
        np.testing.assert_allclose(tg.vmap(g, (None, 0), out_axes=1)(W, X), expected.T, rtol=1e-14)
        np.testing.assert_allclose(tg.vmap(g, (None, 0), out_axes=-1)(W, X), expected.T, rtol=1e-14)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("transform", [tg.grad, tg.hessian, tg.value_and_grad])
def test_derivatives_of_each_sample(transform, compiled):
    def loss(w, x):
        return tg.sin(w * x).sum() if x[0] > 0 else (w * x).prod()

    g = tg.compile(loss) if compiled else loss
    for _ in range(3):
        found = tg.vmap(transform(g), (None, 0))(W, X)
        expected = [transform(loss)(W, x) for x in X]
        if transform is tg.value_and_grad:
            expected = [np.stack([e[k] for e in expected]) for k in (0, 1)]
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one, other, rtol=1e-13)


def test_trees_keywords_and_shared_values():
    def g(p, x, scale=1.0):
        return {"y": p["a"] * x * scale, "z": (p["b"], x.sum())}

    p = {"a": np.arange(4.0), "b": np.array([7.0, 8.0])}
    found = tg.vmap(g, ({"a": 0, "b": None}, 0), out_axes={"y": 1, "z": (None, 0)})(p, X, scale=np.ones(4))
    np.testing.assert_array_equal(found["y"], (p["a"][:, None] * X).T)
    np.testing.assert_array_equal(found["z"][0], p["b"])
    np.testing.assert_array_equal(found["z"][1], X.sum(1))
    np.testing.assert_array_equal(tg.vmap(lambda x, n: x * n, (0, None))(X, 3), 3 * X)


def test_derivatives_through_vmap():
    x = tg.tensor(X, requires_grad=True)
    y = tg.vmap(lambda row: (row**2).sum())(x)
    assert isinstance(y, tg.Tensor)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * X)
    np.testing.assert_allclose(
        tg.hessian(lambda w: tg.vmap(lambda row: (w * row).sum() ** 2)(tg.tensor(X)).sum())(W), 2 * X.T @ X
    )
    np.testing.assert_allclose(tg.vmap(tg.vmap(lambda a: a**2))(X), X**2)


def test_integers_stay_integers():
    assert tg.vmap(lambda i: i + 1)(np.arange(3)).dtype == np.int64


def test_errors():
    with pytest.raises(ValueError, match="different sizes"):
        tg.vmap(f)(W, X)
    with pytest.raises(ValueError, match="entries"):
        tg.vmap(f, (0,))(W, X)
    with pytest.raises(ValueError, match="axis 2"):
        tg.vmap(f, (None, 2))(W, X)
    with pytest.raises(ValueError, match="none"):
        tg.vmap(f, (None, None))(W, X)
    with pytest.raises(ValueError, match="sample of ones.* raised LinAlgError"):
        tg.vmap(tg.linalg.inv)(np.zeros((0, 2, 2)))
    for axis in (2, -3):
        with pytest.raises(ValueError, match=f"axis {axis}.* 2 axes"):
            tg.vmap(lambda x: x, out_axes=axis)(X)
        with pytest.raises(ValueError, match=f"axis {axis}.* 2 axes"):
            tg.vmap(lambda x: x, out_axes=axis)(tg.tensor(X))
        with pytest.raises(ValueError, match=f"axis {axis}.* 2 axes"):
            tg.vmap(lambda x: x, out_axes=axis)(X[:0])
    for axis in ("a", 1.0, True, (0, "a")):
        with pytest.raises(TypeError, match="out_axes"):
            tg.vmap(f, out_axes=axis)
    for batch in (X, tg.tensor(X)):
        with pytest.raises(ValueError, match="not the same for all samples"):
            tg.vmap(lambda x: x * 2, out_axes=None)(batch)
    with pytest.raises(ValueError, match="form"):
        tg.vmap(lambda p: p["a"], ({"b": 0},))({"a": X})
    with pytest.raises(TypeError, match="in_axes"):
        tg.vmap(f, "0")
    with pytest.raises(ValueError, match="different things"):
        tg.vmap(lambda x: (x, x) if x[0] > 0 else x)(X)


@pytest.mark.parametrize("made", [lambda g: g, tg.compile, tg.grad, lambda g: tg.value_and_grad(tg.compile(g))])
def test_an_empty_batch_gives_empty_results(made):
    g = made(lambda x: (x**2).sum())
    full, empty = tg.vmap(g)(X), tg.vmap(g)(X[:0])
    for one, none in zip(*[y if isinstance(y, tuple) else (y,) for y in (full, empty)]):
        assert none.shape == (0, *one.shape[1:]) and none.dtype == one.dtype


def test_empty_batches_of_any_form():
    g = tg.vmap(lambda p, w: {"y": p["a"] * w, "z": (p["n"] > 0, w)}, ({"a": 1, "n": 0}, None), {"y": 1, "z": (0, None)})
    found = g({"a": np.ones((3, 0)), "n": np.arange(0)}, W)
    assert found["y"].shape == (3, 0) and found["z"][0].shape == (0,) and found["z"][0].dtype == bool
    np.testing.assert_array_equal(found["z"][1], W)
    x = tg.zeros(0, 3, requires_grad=True)
    y = tg.vmap(lambda row: row * 2, out_axes=1)(x)
    assert y.shape == (3, 0)
    y.sum().backward()
    assert x.grad.shape == (0, 3)
    assert tg.vmap(tg.grad(numba.njit(lambda x: (x * x).sum())))(X[:0]).shape == (0, 3)


@pytest.mark.parametrize("often", [1, 300])
def test_few_samples_of_compiled_functions(often):
    def g(w, x, k):
        return (w * x).sum() * k

    w = np.arange(4.0)
    for made in (lambda g: g, tg.value_and_grad, lambda g: tg.grad(g, (0, 1)), tg.jacobian):
        batched, expected = tg.vmap(made(tg.compile(g)), (0, 1, None)), tg.vmap(made(g), (0, 1, None))(w, X.T, 2.0)
        for _ in range(often):
            found = batched(w, X.T, 2.0)
        for one, other in zip(*[y if isinstance(y, tuple) else (y,) for y in (found, expected)]):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-14)
    odd = tg.vmap(tg.compile(lambda x: x[: 1 + int(x[0] > 0)]))
    with pytest.raises(ValueError, match="same shape"):
        odd(X)
