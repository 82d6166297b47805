import numpy as np
import pytest

from .subject import assert_same, tg


def test_variable_returns_a_tensor():
    v = tg.autograd.Variable(tg.tensor([1.0, 2.0]), requires_grad=True)
    assert isinstance(v, tg.Tensor)
    assert v.requires_grad and v.is_leaf


def test_variable_does_not_require_grad_by_default():
    assert not tg.autograd.Variable(tg.ones(2)).requires_grad


def test_variable_leaves_its_argument_as_it_was():
    x = tg.ones(2)
    tg.autograd.Variable(x, requires_grad=True)
    assert not x.requires_grad


def test_variable_shares_memory_with_its_argument():
    x = tg.zeros(2)
    v = tg.autograd.Variable(x)
    x[0] = 5.0
    assert v.tolist() == [5.0, 0.0]


def test_variable_in_the_old_tutorial_loop():
    x = tg.autograd.Variable(tg.FloatTensor([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)
    (3 * (x + 2) * (x + 2)).mean().backward()
    assert_same(x.grad, [[4.5, 6.0], [7.5, 9.0]], rtol=1e-6)


@pytest.mark.parametrize(("name", "dtype"), [("FloatTensor", "float32"), ("DoubleTensor", "float64")])
@pytest.mark.parametrize("data", [[1.5, 2.5], [1, 2], [[1.0], [2.0]]], ids=["floats", "ints", "nested"])
def test_typed_constructors(name, dtype, data):
    x = getattr(tg, name)(data)
    assert isinstance(x, tg.Tensor)
    assert x.dtype == getattr(tg, dtype)
    assert x.tolist() == data


def test_tensor_class_makes_floats_of_the_default_dtype_from_integers():
    x = tg.Tensor([1, 2, 3])
    assert x.dtype == tg.float64
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert not x.requires_grad


def test_tensor_class_takes_an_array():
    assert tg.Tensor(np.array([1.5, 2.5])).tolist() == [1.5, 2.5]


@pytest.mark.parametrize("name", ["Tensor", "FloatTensor", "DoubleTensor"])
def test_class_called_with_sizes_makes_that_shape(name):
    assert tuple(getattr(tg, name)(2, 3).shape) == (2, 3)


def test_tensor_class_follows_the_default_dtype():
    tg.set_default_dtype(tg.float32)
    assert tg.Tensor([1]).dtype == tg.float32


def test_every_maker_gives_an_instance_of_the_tensor_class():
    assert all(isinstance(x, tg.Tensor) for x in (tg.tensor(1.0), tg.zeros(2), tg.ones(2) * 2, tg.arange(3)))
