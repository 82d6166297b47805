import numpy as np
import pytest

from .subject import assert_same, leaf, tg


def test_new_leaf_state():
    x = leaf([1.0, 2.0])
    assert x.requires_grad and x.is_leaf
    assert x.grad is None and x.grad_fn is None
    assert not x.retains_grad


def test_result_of_an_operation_is_no_leaf():
    y = leaf([1.0]) * 2
    assert y.requires_grad and not y.is_leaf and y.grad_fn is not None


def test_result_of_constants_is_a_leaf_without_grad():
    y = tg.ones(2) * tg.ones(2)
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None


def test_one_input_that_requires_grad_is_enough():
    assert (tg.ones(2) * leaf([1.0, 2.0])).requires_grad


def test_requires_grad_method_works_in_place_and_returns_the_tensor():
    x = tg.ones(2)
    assert x.requires_grad_() is x and x.requires_grad
    assert x.requires_grad_(False) is x and not x.requires_grad


def test_requires_grad_attribute_can_be_set_on_a_leaf():
    x = tg.ones(2)
    x.requires_grad = True
    (x * 3).sum().backward()
    assert_same(x.grad, [3.0, 3.0])


def test_requires_grad_cannot_be_switched_off_on_a_result():
    y = leaf([1.0]) * 2
    with pytest.raises(RuntimeError, match="detach"):
        y.requires_grad = False


def test_data_shares_memory_and_has_no_history():
    y = leaf([1.0, 2.0]) * 2
    d = y.data
    assert not d.requires_grad and d.grad_fn is None and d.is_leaf
    d[0] = 7.0
    assert y.tolist() == [7.0, 4.0]


def test_update_through_data_of_a_leaf_is_allowed():
    x = leaf([1.0, 2.0])
    x.data -= 0.5
    x.data.mul_(2)
    assert x.tolist() == [1.0, 3.0]
    assert x.requires_grad and x.is_leaf


def test_data_can_be_replaced():
    x = leaf([1.0, 2.0])
    x.data = tg.tensor([3.0, 4.0])
    (x * x).sum().backward()
    assert_same(x.grad, [6.0, 8.0])


def test_grad_can_be_set_and_cleared():
    x = leaf([1.0, 2.0])
    x.grad = tg.tensor([10.0, 20.0])
    (x * 1).sum().backward()
    assert_same(x.grad, [11.0, 21.0])
    x.grad = None
    assert x.grad is None


def test_grad_of_another_shape_is_refused():
    with pytest.raises((RuntimeError, ValueError)):
        leaf([1.0, 2.0]).grad = tg.ones(3)


def test_grad_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError):
        leaf([1.0, 2.0]).grad = [1.0, 2.0]


def test_grad_zeroed_in_place_accumulates_afresh():
    x = leaf([1.0, 2.0])
    (x * 2).sum().backward()
    x.grad.zero_()
    (x * 3).sum().backward()
    assert_same(x.grad, [3.0, 3.0])


def test_grad_has_the_dtype_and_shape_of_its_leaf():
    x = leaf([[1.0], [2.0]], dtype=tg.float32)
    (x.double() * tg.ones(2, 3)).sum().backward()
    assert x.grad.dtype == tg.float32 and x.grad.shape == x.shape
    assert_same(x.grad, [[3.0], [3.0]])
    assert not x.grad.requires_grad


def test_reading_grad_of_a_result_warns_and_gives_none():
    y = leaf([1.0]) * 2
    with pytest.warns(UserWarning, match="retain_grad"):
        assert y.grad is None


def test_retain_grad_keeps_the_gradient_of_a_result():
    x = leaf([1.0, 2.0])
    y = x * 3
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward()
    assert_same(y.grad, [6.0, 12.0])
    assert_same(x.grad, [18.0, 36.0])


def test_retained_grad_sums_over_uses_and_over_backward_calls():
    x = leaf([1.0, 2.0])
    y = x * 1
    y.retain_grad()
    loss = (y * 2).sum() + (y * 5).sum()
    loss.backward(retain_graph=True)
    assert_same(y.grad, [7.0, 7.0])
    loss.backward()
    assert_same(y.grad, [14.0, 14.0])


def test_retain_grad_called_twice_counts_once():
    y = leaf([1.0]) * 1
    y.retain_grad()
    y.retain_grad()
    y.sum().backward()
    assert_same(y.grad, [1.0])


def test_retain_grad_on_a_leaf_changes_nothing():
    x = leaf([1.0])
    x.retain_grad()
    assert not x.retains_grad
    (x * 2).sum().backward()
    assert_same(x.grad, [2.0])


def test_retain_grad_without_requires_grad_is_an_error():
    with pytest.raises(RuntimeError, match="requires_grad|require"):
        tg.ones(2).retain_grad()


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 4)])
def test_shape_size_ndim_numel(shape):
    x = tg.zeros(shape)
    assert tuple(x.shape) == tuple(x.size()) == shape
    assert x.shape == shape and x.size() == shape
    assert x.ndim == x.dim() == len(shape)
    assert x.numel() == int(np.prod(shape))
    assert [x.size(i) for i in range(-len(shape), 0)] == list(shape)


@pytest.mark.parametrize(("dtype", "size"), [("float64", 8), ("float32", 4), ("int64", 8), ("int32", 4), ("bool", 1)])
def test_element_size(dtype, size):
    assert tg.zeros(2, dtype=getattr(tg, dtype)).element_size() == size


def test_device_is_the_cpu():
    x = tg.ones(2)
    assert str(x.device) == "cpu"
    assert x.to("cpu") is x and x.to(x.device) is x


@pytest.mark.parametrize(("attribute", "shape", "expected"), [("T", (2, 3), (3, 2)), ("mT", (4, 2, 3), (4, 3, 2))])
def test_transposes_are_differentiable_views(attribute, shape, expected):
    x = tg.arange(float(np.prod(shape))).reshape(shape).requires_grad_()
    y = getattr(x, attribute)
    weights = np.arange(x.numel(), dtype=float).reshape(expected) ** 2
    assert y.shape == expected
    assert_same(y, np.swapaxes(x.tolist(), -1, -2))
    (y * tg.tensor(weights)).sum().backward()
    assert_same(x.grad, np.swapaxes(weights, -1, -2))


def test_mt_of_a_vector_is_refused():
    with pytest.raises((RuntimeError, ValueError)):
        _ = tg.ones(3).mT


def test_deleting_the_gradient_sets_it_to_none():
    x = leaf([1.0])
    (x * 2).sum().backward()
    del x.grad
    assert x.grad is None
