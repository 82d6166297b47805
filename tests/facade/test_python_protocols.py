import copy
import operator
import pickle

import numpy as np
import pytest

from .subject import assert_same, leaf, tg


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize("make", [tg.tensor, leaf], ids=["constant", "leaf"])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_one_element_converts_to_python_numbers(make, shape):
    x = make(np.full(shape, 2.75))
    assert (type(float(x)), float(x)) == (float, 2.75)
    assert (type(int(x)), int(x)) == (int, 2)
    assert bool(x) is True
    assert bool(x * 0) is False


def test_python_code_may_branch_on_a_comparison():
    x = leaf(3.0)
    y = x * 2 if x > 2 else x * 5
    y.backward()
    assert_same(x.grad, 2.0)


def test_integer_tensor_is_an_index():
    assert ["a", "b", "c"][tg.tensor(2)] == "c"
    assert list(range(tg.tensor(3))) == [0, 1, 2]
    assert operator.index(tg.tensor([[4]])) == 4


def test_float_tensor_is_no_index():
    with pytest.raises(TypeError):
        operator.index(tg.tensor(1.0))


@pytest.mark.parametrize("shape", [(3,), (2, 5), (0, 4)])
def test_len_is_the_first_dimension(shape):
    assert len(tg.ones(shape)) == shape[0]


@pytest.mark.parametrize("function", [len, iter, list])
def test_scalar_has_no_length_and_no_elements(function):
    with pytest.raises(TypeError, match="0-d"):
        function(tg.tensor(1.0))


def test_iteration_gives_rows_that_carry_the_gradient():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    rows = list(x)
    assert all(isinstance(row, tg.Tensor) for row in rows)
    assert [row.tolist() for row in rows] == [[1.0, 2.0], [3.0, 4.0]]
    (rows[0] * 2 + rows[1] * 3).sum().backward()
    assert_same(x.grad, [[2.0, 2.0], [3.0, 3.0]])


def test_unpacking():
    a, b = x = leaf([2.0, 5.0])
    (a * b).backward()
    assert_same(x.grad, [5.0, 2.0])


@pytest.mark.parametrize("make", [tg.tensor, leaf], ids=["constant", "leaf"])
@pytest.mark.parametrize("spec", [".2f", "10.3e", "g", "+.1%", ""])
def test_format_of_a_scalar_is_that_of_its_number(make, spec):
    x = make(3.14159)
    expected = format(3.14159, spec)
    assert f"{x:{spec}}" == expected


def test_format_of_an_integer_scalar():
    assert f"{tg.tensor(42):05d}" == "00042"


def test_format_of_several_elements_takes_no_spec():
    x = tg.tensor([1.0, 2.0])
    assert f"{x}" == str(x)
    with pytest.raises(TypeError):
        f"{x:.2f}"


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: tg.tensor([1.5, 2.5]), ["tensor(", "1.5", "2.5"]),
        (lambda: leaf([1.5]), ["tensor(", "1.5", "requires_grad=True"]),
        (lambda: leaf([1.5]) * 2, ["tensor(", "3.", "grad_fn=<MulBackward0>"]),
        (lambda: tg.tensor([1.5], dtype=tg.float32), ["tensor(", "1.5", "float32"]),
        (lambda: tg.tensor([[1, 2], [3, 4]]), ["tensor([[1, 2]", "[3, 4]])"]),
    ],
    ids=["constant", "leaf", "result", "float32", "integers"],
)
def test_repr_shows_values_and_state(make, parts):
    text = repr(make())
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize("make", [lambda: tg.tensor([1.5, 2.5]), lambda: leaf(1.5).detach()])
def test_repr_of_a_constant_does_not_mention_gradients(make):
    assert "grad" not in repr(make())


def test_hash_is_by_identity():
    a, b = tg.tensor([1.0, 2.0]), tg.tensor([1.0, 2.0])
    table = {a: "a", b: "b"}
    assert (table[a], table[b]) == ("a", "b")
    assert len({a, b, a}) == 2
    a.add_(1)
    assert table[a] == "a"


@pytest.mark.parametrize(
    ("compare", "expected"),
    [
        (operator.eq, [False, True, False]),
        (operator.ne, [True, False, True]),
        (operator.lt, [True, False, False]),
        (operator.le, [True, True, False]),
        (operator.gt, [False, False, True]),
        (operator.ge, [False, True, True]),
    ],
)
@pytest.mark.parametrize("other", [2.0, tg.tensor([2.0, 2.0, 2.0])], ids=["number", "tensor"])
def test_comparison_is_elementwise_and_has_no_gradient(compare, expected, other):
    result = compare(leaf([1.0, 2.0, 3.0]), other)
    assert result.tolist() == expected
    assert result.dtype == tg.bool
    assert not result.requires_grad


def test_comparison_with_none_is_plain():
    x = tg.ones(2)
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


COPIERS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy}
copiers = pytest.mark.parametrize("duplicate", list(COPIERS.values()), ids=list(COPIERS))


@copiers
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
@pytest.mark.parametrize("data", [1, [1, 0], [[1, 0, 1]], []])
def test_copy_keeps_values_shape_and_dtype(duplicate, data, dtype):
    x = tg.tensor(data, dtype=getattr(tg, dtype))
    y = duplicate(x)
    assert y is not x
    assert (y.tolist(), y.shape, y.dtype) == (x.tolist(), x.shape, x.dtype)


@copiers
def test_copy_of_a_leaf_is_a_leaf_of_its_own(duplicate):
    x = leaf([1.0, 2.0])
    y = duplicate(x)
    assert y.requires_grad and y.is_leaf
    (y * 3).sum().backward()
    assert x.grad is None
    assert_same(y.grad, [3.0, 3.0])
    y.data[0] = 9.0
    assert x.tolist() == [1.0, 2.0]


@copiers
def test_copy_of_a_view_holds_the_values_of_the_view(duplicate):
    y = duplicate(tg.arange(6.0).reshape(2, 3).t()[1:])
    assert y.tolist() == [[1.0, 4.0], [2.0, 5.0]]


def test_deepcopy_copies_the_gradient():
    x = leaf([1.0, 2.0])
    (x * 3).sum().backward()
    y = copy.deepcopy(x)
    assert_same(y.grad, [3.0, 3.0])
    y.grad.zero_()
    assert_same(x.grad, [3.0, 3.0])


def test_deepcopy_of_a_container_keeps_shared_tensors_shared():
    x = leaf([1.0])
    a, b = copy.deepcopy([x, x])
    assert a is b and a is not x


def test_deepcopy_of_a_result_is_refused():
    with pytest.raises(RuntimeError, match="leaves|leaf"):
        copy.deepcopy(leaf([1.0]) * 2)
