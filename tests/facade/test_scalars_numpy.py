import operator

import numpy as np
import pytest

from .subject import assert_same, leaf, tg

OPERATIONS = {
    "add": (operator.add, lambda x, c: (1.0, 1.0)),
    "sub": (operator.sub, lambda x, c: (1.0, -1.0)),
    "mul": (operator.mul, lambda x, c: (c, c)),
    "truediv": (operator.truediv, lambda x, c: (1 / c, -c / x**2)),
    "pow": (operator.pow, lambda x, c: (c * x ** (c - 1), c**x * np.log(c))),
}
operations = pytest.mark.parametrize(("operation", "derivatives"), [*OPERATIONS.values()], ids=[*OPERATIONS])
VALUES = np.array([1.5, 2.0, 0.5])

PYTHON_SCALARS = [2, 2.5]
NUMPY_SCALARS = [np.float64(2.5), np.float32(2.5), np.int64(2), np.int32(2)]
scalars = pytest.mark.parametrize("scalar", PYTHON_SCALARS + NUMPY_SCALARS, ids=lambda s: f"{type(s).__name__}")
tapegrad_only_arrays = pytest.mark.tapegrad_only(
    "PyTorch refuses an array on the left, and on the right of a tensor that requires grad"
)


@operations
@scalars
def test_scalar_on_the_right(operation, derivatives, scalar):
    x = leaf(VALUES)
    y = operation(x, scalar)
    assert isinstance(y, tg.Tensor) and y.dtype == tg.float64
    assert_same(y, operation(VALUES, float(scalar)))
    y.sum().backward()
    assert_same(x.grad, np.broadcast_to(derivatives(VALUES, float(scalar))[0], 3))


@operations
@scalars
def test_scalar_on_the_left(operation, derivatives, scalar):
    x = leaf(VALUES)
    y = operation(scalar, x)
    assert isinstance(y, tg.Tensor) and y.dtype == tg.float64
    assert_same(y, operation(float(scalar), VALUES))
    y.sum().backward()
    assert_same(x.grad, np.broadcast_to(derivatives(VALUES, float(scalar))[1], 3))


@pytest.mark.parametrize("name", ["add", "mul", "truediv", "pow"])
@pytest.mark.parametrize("scalar", [True, np.bool_(True)], ids=["bool", "np.bool"])
def test_true_counts_as_one(name, scalar):
    operation, derivatives = OPERATIONS[name]
    x = leaf(VALUES)
    operation(x, scalar).sum().backward()
    assert_same(x.grad, np.broadcast_to(derivatives(VALUES, 1.0)[0], 3))


@pytest.mark.tapegrad_only("PyTorch's maximum and minimum take tensors only")
@scalars
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_scalar_operand_of_a_function(name, scalar):
    x = leaf([1.5, 3.0])
    for y in (getattr(tg, name)(x, scalar), getattr(tg, name)(scalar, x)):
        assert isinstance(y, tg.Tensor)
        assert_same(y, getattr(np, name)([1.5, 3.0], float(scalar)))
        (g,) = tg.autograd.grad(y.sum(), x)
        assert_same(g, [0.0, 1.0] if name == "maximum" else [1.0, 0.0])


@pytest.mark.parametrize("scalar", [2, 2.5, np.float64(2.5), np.int64(2)], ids=lambda s: f"{type(s).__name__}")
@pytest.mark.parametrize("compare", [operator.lt, operator.ge, operator.eq])
def test_comparison_with_a_scalar_on_either_side(compare, scalar):
    x = leaf([1.0, 2.0, 2.5])
    assert compare(x, scalar).tolist() == compare(np.array([1.0, 2.0, 2.5]), scalar).tolist()
    assert compare(scalar, x).tolist() == compare(scalar, np.array([1.0, 2.0, 2.5])).tolist()


@pytest.mark.parametrize(
    ("dtype", "scalar", "expected"),
    [
        ("float64", 2, "float64"),
        ("float32", 2, "float32"),
        ("float32", 2.5, "float32"),
        ("int64", 2, "int64"),
        ("int32", 2, "int32"),
        ("int64", 2.5, "float64"),
        ("bool", 2, "int64"),
        ("bool", 2.5, "float64"),
    ],
)
@pytest.mark.parametrize("swap", [False, True], ids=["right", "left"])
def test_python_scalar_keeps_the_type_of_the_tensor_within_its_kind(dtype, scalar, expected, swap):
    x = tg.tensor([1, 0], dtype=getattr(tg, dtype))
    y = scalar * x if swap else x * scalar
    assert y.dtype == getattr(tg, expected)
    assert y.tolist() == [scalar, 0]


def test_numpys_numbers_in_single_precision_stay_so_among_themselves():
    x, y = np.float32(0.5), np.float32(2.0)
    ours = tg.sin(x), tg.maximum(x, y), tg.multiply(x, 2.0), tg.sum(x), tg.softplus(np.float16(1))
    assert {z.dtype for z in (*ours, tg.where(tg.tensor([True]), x, y))} == {tg.float32}
    double = tg.sin(np.float64(0.5)), tg.sin(0.5), tg.maximum(x, np.float64(1)), tg.ones(2) * x, tg.maximum(x, tg.ones(2))
    assert {z.dtype for z in double} == {tg.float64}
    assert (tg.ones(2, dtype=tg.float32) * np.float64(2)).dtype == tg.float32


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("float32", "float64", "float64"),
        ("int64", "float64", "float64"),
        ("int32", "int64", "int64"),
        ("bool", "int32", "int32"),
        ("bool", "float32", "float32"),
    ],
)
def test_tensors_of_two_types_meet_in_the_wider(left, right, expected):
    a, b = tg.ones(2, dtype=getattr(tg, left)), tg.ones(2, dtype=getattr(tg, right))
    assert (a + b).dtype == (b + a).dtype == getattr(tg, expected)


def test_gradients_return_in_the_type_of_each_operand():
    a, b = leaf([1.5], dtype=tg.float32), leaf([2.5])
    (a * b).sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (tg.float32, tg.float64)
    assert_same(a.grad, [2.5])
    assert_same(b.grad, [1.5])


def test_division_of_integers_gives_floats():
    y = tg.tensor([1, 2]) / tg.tensor([2, 2])
    assert y.dtype == tg.float64
    assert y.tolist() == [0.5, 1.0]


@pytest.mark.filterwarnings("ignore:__array_wrap__")
@operations
def test_array_on_the_right_of_a_constant(operation, derivatives):
    array = np.array([3.0, 0.5, 2.0])
    y = operation(tg.tensor(VALUES), array)
    assert isinstance(y, tg.Tensor)
    assert_same(y, operation(VALUES, array))


@tapegrad_only_arrays
@operations
def test_array_on_the_right(operation, derivatives):
    array = np.array([3.0, 0.5, 2.0])
    x = leaf(VALUES)
    y = operation(x, array)
    assert isinstance(y, tg.Tensor)
    assert_same(y, operation(VALUES, array))
    y.sum().backward()
    assert_same(x.grad, np.broadcast_to(derivatives(VALUES, array)[0], 3))


@tapegrad_only_arrays
@operations
def test_array_on_the_left(operation, derivatives):
    array = np.array([3.0, 0.5, 2.0])
    x = leaf(VALUES)
    y = operation(array, x)
    assert isinstance(y, tg.Tensor)
    assert_same(y, operation(array, VALUES))
    y.sum().backward()
    assert_same(x.grad, np.broadcast_to(derivatives(VALUES, array)[1], 3))


@tapegrad_only_arrays
def test_array_on_the_left_broadcasts_like_a_tensor():
    x = leaf([1.0, 2.0])
    y = np.array([[1.0], [10.0]]) * x
    assert_same(y, [[1.0, 2.0], [10.0, 20.0]])
    y.sum().backward()
    assert_same(x.grad, [11.0, 11.0])


@tapegrad_only_arrays
def test_matrix_product_with_an_array_on_either_side():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    x = leaf([5.0, 6.0])
    (a @ x).sum().backward()
    assert_same(x.grad, a.sum(0))
    x.grad = None
    (x @ a).sum().backward()
    assert_same(x.grad, a.sum(1))


@tapegrad_only_arrays
@pytest.mark.parametrize("compare", [operator.lt, operator.ge, operator.eq, operator.ne])
def test_comparison_with_an_array_on_either_side(compare):
    a, b = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0])
    for result in (compare(leaf(a), b), compare(a, leaf(b))):
        assert isinstance(result, tg.Tensor)
        assert result.tolist() == compare(a, b).tolist()


@tapegrad_only_arrays
def test_in_place_change_by_an_array():
    x = leaf([1.0, 2.0])
    y = x * 1
    y *= np.array([3.0, 4.0])
    y[0] = np.float64(7.0)
    y.sum().backward()
    assert_same(x.grad, [0.0, 4.0])


@pytest.mark.tapegrad_only("PyTorch turns a tensor that requires grad into an array only after detach()")
@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tanh", "sqrt", "negative", "abs"])
def test_numpy_function_of_a_tensor_is_the_tensors_own(name):
    x = leaf(VALUES)
    y = getattr(np, name)(x)
    assert isinstance(y, tg.Tensor) and y.requires_grad
    assert_same(y, getattr(np, name)(VALUES))
    y.sum().backward()
    step = 1e-6
    slope = (getattr(np, name)(VALUES + step) - getattr(np, name)(VALUES - step)) / (2 * step)
    assert_same(x.grad, slope, rtol=1e-7)


@pytest.mark.parametrize("index", [np.int64(1), np.array([2, 0]), np.array([True, False, True])])
def test_numpy_integers_and_arrays_are_indices(index):
    x = leaf(VALUES)
    y = x[index]
    assert_same(y, VALUES[index])
    y.sum().backward()
    counts = np.zeros(3)
    np.add.at(counts, index, 1.0)
    assert_same(x.grad, counts)


def test_numpy_integers_are_sizes():
    n = np.int64(2)
    assert tg.zeros(n, n).shape == (2, 2)
    assert tg.arange(6.0).reshape(n, 3).shape == (2, 3)


@pytest.mark.filterwarnings("ignore:__array__ implementation")
@pytest.mark.parametrize("dtype", [None, np.float32])
def test_asarray_of_a_constant(dtype):
    a = np.asarray(tg.tensor([1.5, 2.5]), dtype=dtype)
    assert type(a) is np.ndarray
    assert a.dtype == (dtype or np.float64)
    assert a.tolist() == [1.5, 2.5]


@pytest.mark.filterwarnings("ignore:__array__ implementation")
def test_array_of_a_constant_is_a_copy():
    x = tg.tensor([1.5, 2.5])
    a = np.array(x)
    a[0] = 9.0
    assert x.tolist() == [1.5, 2.5]
