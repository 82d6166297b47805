"""Comparison and logic: values as NumPy's, under every spelling, at once and without derivative."""

import numpy as np
import pytest

import tapegrad as tg

nan, inf = np.nan, np.inf

PAIRWISE = {
    "eq": np.equal, "ne": np.not_equal, "not_equal": np.not_equal, "lt": np.less, "less": np.less, "le": np.less_equal,
    "less_equal": np.less_equal, "gt": np.greater, "greater": np.greater, "ge": np.greater_equal,
    "greater_equal": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}  # fmt: skip
BITWISE = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift,
}  # fmt: skip
SINGLE = ["isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "logical_not"]


def same(y, expected):
    assert isinstance(y, tg.Tensor) and not y.requires_grad
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(y.numpy(), expected)


@pytest.mark.parametrize("name", PAIRWISE)
def test_pairs(name):
    ufunc, function = PAIRWISE[name], getattr(tg, name)
    a, b = np.array([[1.0, nan, 0.0], [-1.0, inf, 2.0]]), np.array([1.0, nan, 2.0])
    for x in (tg.tensor(a), tg.tensor(a, requires_grad=True), tg.tensor(a, requires_grad=True) * 1.0):
        for y in (tg.tensor(b), b):
            same(function(x, y), ufunc(a, b))
            same(getattr(x, name)(y), ufunc(a, b))
            same(ufunc(x, y), ufunc(a, b))
        same(function(x, other=1.0), ufunc(a, 1.0))
        same(getattr(x, name)(other=1), ufunc(a, 1))
    same(function(a, b), ufunc(a, b))
    with pytest.raises(ValueError, match="don't match"):
        function(tg.tensor(a), tg.tensor([1.0, 2.0]))


@pytest.mark.parametrize("name", BITWISE)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, bool])
def test_bits(name, dtype):
    if dtype is bool and "shift" in name:
        pytest.skip("NumPy makes int8 of it")
    a, b = np.array([5, 2, 0]).astype(dtype), np.array([1, 3, 2]).astype(dtype)
    x, y, ufunc = tg.tensor(a), tg.tensor(b), BITWISE[name]
    symbol = {"bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "bitwise_left_shift": "lshift",
              "bitwise_right_shift": "rshift"}[name]  # fmt: skip
    for z in (getattr(tg, name)(x, y), getattr(tg, name)(x, other=b), getattr(x, f"__{symbol}__")(y), ufunc(x, y)):
        same(z, ufunc(a, b))
    same(getattr(x, f"__r{symbol}__")(1), ufunc(1, a))


def test_inversion():
    same(~tg.tensor([1, -2]), np.array([-2, 1]))
    same(~tg.tensor([True, False]), np.array([False, True]))
    for function in (tg.bitwise_not, tg.bitwise_invert, tg.invert, np.invert, np.bitwise_not):
        same(function(tg.tensor([1, -2])), np.array([-2, 1]))
    with pytest.raises(TypeError, match="integers or bools"):
        ~tg.tensor([1.0])


@pytest.mark.parametrize("name", SINGLE)
def test_kinds_of_numbers(name):
    a = np.array([1.0, nan, inf, -inf, 0.0])
    for x in (tg.tensor(a), tg.tensor(a, requires_grad=True)):
        for y in (getattr(tg, name)(x), getattr(x, name)(), getattr(np, name)(x)):
            same(y, getattr(np, name)(a))


def test_integers_beside_floats_are_compared_as_in_numpy():
    same(tg.tensor([1, 2]) < 1.5, np.array([True, False]))
    same(tg.tensor([1, 2]) == tg.tensor([1.0, 2.5]), np.array([True, False]))
    same(tg.tensor([0.1], dtype=tg.float32) == 0.1, np.array([0.1], np.float32) == 0.1)
    same(1 == tg.tensor([1, 0]), np.array([True, False]))  # noqa: SIM300 the number on the left


def test_closeness():
    x, y = tg.tensor([1.0, nan]), tg.tensor([1.0 + 1e-7, nan])
    assert tg.allclose(x, y) is False and tg.allclose(x, other=y, equal_nan=True) is True
    assert x.allclose(y, rtol=1e-9, equal_nan=True) is False and np.allclose(x, y, equal_nan=True) is True
    same(tg.isclose(x, other=y, rtol=0.0, atol=1e-6), np.array([True, False]))
    same(np.isclose(x, y, equal_nan=True), np.array([True, True]))
    assert tg.equal(x[:1], tg.tensor([1.0])) is True and tg.equal(x, other=x) is False
    assert tg.array_equal(x, x, equal_nan=True) is True and np.array_equal(x, x) is False
    assert tg.array_equal(tg.tensor([1.0]), tg.tensor([[1.0]])) is False


@pytest.mark.parametrize("name", ["any", "all"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), [0, 1], ()], ids=str)
def test_any_and_all(name, axis):
    a = np.random.default_rng(0).integers(0, 2, size=(2, 3, 4)).astype(float)
    numpy_axis = tuple(axis) if isinstance(axis, list) else axis
    for x in (tg.tensor(a), tg.tensor(a, requires_grad=True), tg.tensor(a.astype(bool))):
        for keep in (False, True):
            expected = np.asarray(getattr(np, name)(a, axis=numpy_axis, keepdims=keep))
            for y in (getattr(tg, name)(x, axis, keep), getattr(x, name)(dim=axis, keepdim=keep)):
                same(y, expected)
            same(getattr(np, name)(x, axis=numpy_axis, keepdims=keep), expected)
    with pytest.raises(IndexError, match="out of range"):
        getattr(tg, name)(x, 3)


def test_unknown_types_are_left_to_python():
    assert (tg.tensor([1.0]) == "1") is False and (tg.tensor([1.0]) != "1") is True
    with pytest.raises(TypeError):
        _ = tg.tensor([1.0]) < object()
    with pytest.raises(TypeError, match="takes tensors"):
        tg.lt(tg.tensor([1.0]), "1")


def test_where_as_a_method_keeps_the_tensors_elements():
    x = tg.tensor([5.0, 6.0, 7.0], requires_grad=True)
    y = x.where(x > 5.5, tg.tensor(0.0))
    assert y.tolist() == [0.0, 6.0, 7.0]
    (y * y).sum().backward()
    assert x.grad.tolist() == [0.0, 12.0, 14.0]
    assert x.detach().where(x > 5.5, tg.tensor(1.0)).tolist() == [1.0, 6.0, 7.0]
