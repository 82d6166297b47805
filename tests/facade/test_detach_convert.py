import numpy as np
import pytest

from .subject import ConversionError, ShapeError, assert_same, leaf, tg


def test_detach_shares_memory_and_leaves_the_graph():
    y = leaf([1.0, 2.0]) * 2
    d = y.detach()
    assert not d.requires_grad and d.grad_fn is None and d.is_leaf
    y.data[0] = 5.0
    assert d.tolist() == [5.0, 4.0]
    assert y.requires_grad


def test_detach_stops_the_gradient():
    x = leaf([2.0, 3.0])
    (x * x.detach()).sum().backward()
    assert_same(x.grad, [2.0, 3.0])


def test_detach_in_place_turns_a_result_into_a_leaf():
    x = leaf([2.0, 3.0])
    y = x * 2
    assert y.detach_() is y
    assert y.is_leaf and not y.requires_grad and y.grad_fn is None
    z = (y * x).sum()
    z.backward()
    assert_same(x.grad, [4.0, 6.0])


def test_detach_in_place_of_a_view_is_an_error():
    with pytest.raises(RuntimeError, match=r"detach\(\)"):
        (leaf([1.0, 2.0]) * 2)[0].detach_()


def test_clone_is_differentiable_and_has_its_own_memory():
    x = leaf([1.0, 2.0])
    y = x.clone()
    assert y.requires_grad and not y.is_leaf
    y.data[0] = 9.0
    assert x.tolist() == [1.0, 2.0]
    (y * 3).sum().backward()
    assert_same(x.grad, [3.0, 3.0])


def test_clone_of_a_constant_is_a_constant():
    assert not tg.ones(2).clone().requires_grad


def test_numpy_shares_memory():
    x = tg.ones(2)
    a = x.numpy()
    a[0] = 5.0
    x[1] = 6.0
    assert x.tolist() == [5.0, 6.0] and a.tolist() == [5.0, 6.0]


def test_numpy_of_a_tensor_that_requires_grad_is_refused():
    with pytest.raises(RuntimeError, match=r"detach\(\)"):
        leaf([1.0]).numpy()


@pytest.mark.parametrize(
    ("data", "kind"), [(2.5, float), ([2.5], float), ([[3]], int), (True, bool)], ids=["0d", "1d", "int", "bool"]
)
def test_item_gives_a_python_number(data, kind):
    value = tg.tensor(data).item()
    assert type(value) is kind
    assert value == np.asarray(data).item()


def test_item_works_on_a_tensor_that_requires_grad():
    assert (leaf(2.0) * 3).item() == 6.0


@pytest.mark.parametrize("size", [0, 2])
def test_item_of_other_than_one_element_is_refused(size):
    with pytest.raises(ConversionError):
        tg.ones(size).item()


@pytest.mark.parametrize("data", [2.5, [1.0, 2.0], [[1, 2], [3, 4]], [True, False], [[], []]])
def test_tolist_gives_the_nested_python_values(data):
    assert tg.tensor(data).tolist() == data


def test_tolist_works_on_a_tensor_that_requires_grad():
    values = (leaf([1.0, 2.0]) * 2).tolist()
    assert values == [2.0, 4.0] and all(type(v) is float for v in values)


def test_copy_carries_the_gradient():
    x = leaf([1.0, 2.0])
    y = x.copy()
    y[0] = 5.0
    (y * y).sum().backward()
    assert x.tolist() == [1.0, 2.0] and x.grad.tolist() == [0.0, 4.0]


@pytest.mark.parametrize("convert", [lambda x: x.to(tg.float64), lambda x: x.double(), lambda x: x.cpu()])
def test_conversion_to_what_it_already_is_returns_the_tensor(convert):
    x = leaf([1.0, 2.0])
    assert convert(x) is x


@pytest.mark.parametrize("convert", [lambda x: x.to(tg.float32), lambda x: x.float(), lambda x: x.to(dtype=tg.float32)])
def test_conversion_to_float32_and_back_carries_the_gradient(convert):
    x = leaf([0.1, 2.0])
    y = convert(x)
    assert y.dtype == tg.float32 and y.requires_grad
    assert_same(y, np.array([0.1, 2.0], dtype=np.float32), rtol=0)
    (y.double() * tg.tensor([3.0, 4.0])).sum().backward()
    assert x.grad.dtype == tg.float64
    assert_same(x.grad, [3.0, 4.0])


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
def test_conversion_to_a_discrete_type_drops_the_gradient(dtype):
    y = leaf([0.0, 2.7]).to(getattr(tg, dtype))
    assert not y.requires_grad
    assert y.tolist() == [0, 1 if dtype == "bool" else 2]


def test_to_takes_the_type_of_another_tensor():
    assert tg.ones(2).to(tg.ones(1, dtype=tg.float32)).dtype == tg.float32


def test_contiguous_returns_a_contiguous_tensor_itself():
    x = leaf([1.0, 2.0])
    assert x.contiguous() is x


def test_contiguous_of_a_transpose_keeps_values_and_gradient():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = x.t().contiguous()
    assert_same(y.view(6), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0])
    (y.view(6) * tg.arange(6.0)).sum().backward()
    assert_same(x.grad, [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]])


def test_view_needs_compatible_strides():
    with pytest.raises((ShapeError, RuntimeError), match="reshape|contiguous"):
        tg.ones(2, 3).t().view(6)


def test_view_shares_memory():
    x = tg.zeros(4)
    x.view(2, 2)[1, 0] = 5.0
    assert x.tolist() == [0.0, 0.0, 5.0, 0.0]
