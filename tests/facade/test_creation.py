import functools

import numpy as np
import pytest

from .subject import ShapeError, assert_same, leaf, tg


def test_default_dtype_is_float64():
    assert tg.get_default_dtype() == tg.float64


@pytest.mark.parametrize(
    ("alias", "name"), [("double", "float64"), ("float", "float32"), ("long", "int64"), ("int", "int32")]
)
def test_dtype_aliases_are_the_dtype_itself(alias, name):
    assert getattr(tg, alias) is getattr(tg, name)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1.0, "float64"),
        (1, "int64"),
        (True, "bool"),
        ([1, 2], "int64"),
        ([1.0, 2.0], "float64"),
        ([1, 2.5], "float64"),
        ([True, False], "bool"),
        ([True, 2], "int64"),
        ([], "float64"),
        (((1, 2), (3, 4)), "int64"),
        (np.array([1, 2], dtype=np.int32), "int32"),
        (np.array([1.5], dtype=np.float32), "float32"),
        (np.array([True]), "bool"),
        (np.float32(1.5), "float32"),
        (np.float64(1.5), "float64"),
        (np.int64(3), "int64"),
        ([np.float64(1.0), 2], "float64"),
    ],
)
def test_tensor_infers_dtype_and_shape_from_data(data, dtype):
    x = tg.tensor(data)
    assert x.dtype == getattr(tg, dtype)
    assert tuple(x.shape) == np.shape(data)
    np.testing.assert_array_equal(x.numpy(), np.asarray(data))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "bool"])
def test_tensor_takes_dtype(dtype):
    x = tg.tensor([0, 1], dtype=getattr(tg, dtype))
    assert x.dtype == getattr(tg, dtype)
    assert x.numpy().dtype == np.dtype(dtype)
    assert x.tolist() == [0, 1]


def test_tensor_takes_requires_grad():
    assert tg.tensor([1.0], requires_grad=True).requires_grad
    assert not tg.tensor([1.0]).requires_grad


def test_tensor_copies_an_array():
    a = np.array([1.0, 2.0])
    x = tg.tensor(a)
    a[0] = 9.0
    assert x.tolist() == [1.0, 2.0]


def test_tensor_of_scalar_tensors_holds_their_values():
    c = tg.tensor([1.5, 2.5])
    x = tg.tensor([c[0], c[1]])
    assert x.tolist() == [1.5, 2.5]
    assert x.dtype == tg.float64


def test_ragged_data_is_a_value_error():
    with pytest.raises(ValueError, match=r"ragged|length"):
        tg.tensor([[1.0, 2.0], [3.0]])


def test_text_data_is_a_type_error():
    with pytest.raises(TypeError):
        tg.tensor("abc")


def test_as_tensor_returns_a_tensor_unchanged():
    x = leaf([1.0, 2.0])
    assert tg.as_tensor(x) is x


def test_as_tensor_shares_an_array():
    a = np.array([1.0, 2.0])
    x = tg.as_tensor(a)
    a[0] = 9.0
    assert x.tolist() == [9.0, 2.0]


def test_as_tensor_converts_dtype_and_lists():
    assert tg.as_tensor(tg.tensor([1.0]), dtype=tg.float32).dtype == tg.float32
    assert tg.as_tensor([1, 2]).tolist() == [1, 2]


def test_from_numpy_shares_memory_both_ways():
    a = np.array([1.0, 2.0])
    x = tg.from_numpy(a)
    a[0] = 9.0
    x[1] = 7.0
    assert x.tolist() == [9.0, 7.0]
    assert a.tolist() == [9.0, 7.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.bool_])
def test_from_numpy_keeps_dtype(dtype):
    assert tg.from_numpy(np.ones(2, dtype=dtype)).numpy().dtype == dtype


def test_from_numpy_refuses_a_list():
    with pytest.raises(TypeError):
        tg.from_numpy([1.0, 2.0])


@pytest.mark.parametrize(("name", "value"), [("zeros", 0.0), ("ones", 1.0)])
@pytest.mark.parametrize("size", [(2, 3), ((2, 3),), ([2, 3],)], ids=["varargs", "tuple", "list"])
def test_zeros_and_ones(name, value, size):
    x = getattr(tg, name)(*size)
    assert_same(x, np.full((2, 3), value))
    assert x.dtype == tg.float64


def test_zeros_of_an_empty_shape_is_a_scalar():
    assert_same(tg.zeros(()), 0.0)


def test_empty_has_the_shape_and_the_default_dtype():
    x = tg.empty(2, 3)
    assert tuple(x.shape) == (2, 3)
    assert x.dtype == tg.float64


@pytest.mark.parametrize(("value", "dtype"), [(2.5, "float64"), (3, "int64"), (True, "bool")])
def test_full_takes_its_dtype_from_the_value(value, dtype):
    x = tg.full((2, 2), value)
    assert x.tolist() == [[value, value], [value, value]]
    assert x.dtype == getattr(tg, dtype)


@pytest.mark.parametrize("args", [(3,), (2, 3), (3, 2)])
def test_eye(args):
    assert_same(tg.eye(*args), np.eye(*args))


@pytest.mark.parametrize(
    ("args", "expected", "dtype"),
    [
        ((4,), [0, 1, 2, 3], "int64"),
        ((1, 4), [1, 2, 3], "int64"),
        ((5, 0, -2), [5, 3, 1], "int64"),
        ((3.0,), [0.0, 1.0, 2.0], "float64"),
        ((0, 1, 0.25), [0.0, 0.25, 0.5, 0.75], "float64"),
    ],
)
def test_arange(args, expected, dtype):
    x = tg.arange(*args)
    assert_same(x, expected)
    assert x.dtype == getattr(tg, dtype)


@pytest.mark.parametrize("steps", [1, 2, 5, 11])
def test_linspace_reaches_both_ends(steps):
    x = tg.linspace(-1, 3, steps=steps)
    assert_same(x, np.linspace(-1.0, 3.0, steps))
    assert x.dtype == tg.float64


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("zeros", (2,)),
        ("ones", (2,)),
        ("empty", (2,)),
        ("full", ((2,), 1.0)),
        ("eye", (2,)),
        ("arange", (2.0,)),
        ("linspace", (0, 1, 2)),
        ("rand", (2,)),
        ("randn", (2,)),
        ("zeros_like", (tg.ones(2),)),
        ("ones_like", (tg.ones(2),)),
        ("empty_like", (tg.ones(2),)),
        ("full_like", (tg.ones(2), 1.0)),
    ],
)
def test_makers_take_dtype_and_requires_grad(name, args):
    make = functools.partial(getattr(tg, name), *args)
    x = make(dtype=tg.float32, requires_grad=True)
    assert x.dtype == tg.float32
    assert x.requires_grad and x.is_leaf
    assert not make().requires_grad


@pytest.mark.parametrize(
    ("name", "args", "value"), [("zeros_like", (), 0), ("ones_like", (), 1), ("full_like", (7,), 7)]
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_like_makers_take_shape_and_dtype_from_the_model(name, args, value, dtype):
    model = tg.tensor([[1, 2, 3]], dtype=getattr(tg, dtype))
    x = getattr(tg, name)(model, *args)
    assert x.tolist() == [[value] * 3]
    assert x.dtype == model.dtype


def test_empty_like_takes_shape_and_dtype_from_the_model():
    x = tg.empty_like(tg.ones(2, 3, dtype=tg.float32))
    assert tuple(x.shape) == (2, 3) and x.dtype == tg.float32


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"])
def test_like_makers_do_not_inherit_requires_grad(name):
    assert not getattr(tg, name)(leaf([1.0, 2.0])).requires_grad


@pytest.mark.parametrize(
    "draw",
    [lambda: tg.rand(50), lambda: tg.randn(50), lambda: tg.randint(1000, (50,)), lambda: tg.randn_like(tg.ones(50))],
    ids=["rand", "randn", "randint", "randn_like"],
)
def test_manual_seed_repeats_the_draws(draw):
    tg.manual_seed(3)
    first, second = draw(), draw()
    tg.manual_seed(3)
    again = draw()
    tg.manual_seed(4)
    other = draw()
    assert first.tolist() == again.tolist()
    assert first.tolist() != second.tolist()
    assert first.tolist() != other.tolist()


@pytest.mark.parametrize("size", [(200, 5), ((200, 5),)], ids=["varargs", "tuple"])
def test_rand_is_uniform_on_the_unit_interval(size):
    tg.manual_seed(0)
    x = tg.rand(*size).numpy()
    assert x.shape == (200, 5) and x.dtype == np.float64
    assert x.min() >= 0.0 and x.max() < 1.0
    assert abs(x.mean() - 0.5) < 0.05
    assert abs(x.var() - 1 / 12) < 0.02


def test_randn_is_standard_normal():
    tg.manual_seed(0)
    x = tg.randn(50, 40).numpy()
    assert x.shape == (50, 40) and x.dtype == np.float64
    assert abs(x.mean()) < 0.1 and abs(x.std() - 1.0) < 0.1
    assert x.min() < -2.0 and x.max() > 2.0


@pytest.mark.parametrize(("args", "low"), [((4, (300,)), 0), ((2, 6, (300,)), 2)])
def test_randint_draws_every_integer_below_high(args, low):
    tg.manual_seed(0)
    x = tg.randint(*args)
    assert x.dtype == tg.int64 and tuple(x.shape) == (300,)
    assert set(x.tolist()) == set(range(low, low + 4))


def test_set_default_dtype_changes_what_floats_become():
    tg.set_default_dtype(tg.float32)
    assert tg.get_default_dtype() == tg.float32
    assert tg.tensor([1.0]).dtype == tg.zeros(1).dtype == tg.rand(1).dtype == tg.float32
    assert tg.tensor([1]).dtype == tg.int64


def test_set_default_dtype_refuses_an_integer_type():
    with pytest.raises(TypeError):
        tg.set_default_dtype(tg.int64)


def test_negative_size_is_an_error():
    with pytest.raises(ShapeError):
        tg.zeros(-1)


@pytest.mark.parametrize("make", [
    lambda **on: tg.tensor([1.0], **on), lambda **on: tg.as_tensor([1.0], **on), lambda **on: tg.as_tensor(tg.ones(2), **on),
    lambda **on: tg.Tensor([1.0], **on), lambda **on: tg.zeros(2, 3, **on), lambda **on: tg.ones(2, **on),
    lambda **on: tg.empty(2, **on), lambda **on: tg.full((2,), 1.0, **on), lambda **on: tg.full((2,), tg.ones(()), **on),
    lambda **on: tg.eye(2, **on), lambda **on: tg.arange(3, **on), lambda **on: tg.linspace(0, 1, 3, **on),
    lambda **on: tg.linspace(0, tg.ones((), requires_grad=True), 3, **on), lambda **on: tg.logspace(0, 1, 3, **on),
    lambda **on: tg.geomspace(1, 2, 3, **on), lambda **on: tg.rand(2, **on), lambda **on: tg.randn(2, **on),
    lambda **on: tg.randint(0, 3, (2,), **on), lambda **on: tg.normal(0.0, 1.0, (2,), **on), lambda **on: tg.randperm(3, **on),
    lambda **on: tg.zeros_like(tg.ones(2), **on), lambda **on: tg.full_like(tg.ones(2), 1.0, **on),
    lambda **on: tg.randn_like(tg.ones(2), **on), lambda **on: tg.ones(2).new_zeros(2, **on),
    lambda **on: np.zeros_like(tg.ones(2), **on), lambda **on: np.linspace(0.0, tg.ones(()), 3, **on),
])  # fmt: skip
def test_devices_other_than_the_cpu_are_refused(make):
    for device in ("cpu", tg.device("cpu"), None):
        assert make(device=device).device == "cpu"
    for device in ("cuda", "cuda:0", tg.device("cuda")):
        with pytest.raises(RuntimeError, match="CPU only; device 'cuda"):
            make(device=device)
