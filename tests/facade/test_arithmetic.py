"""Arithmetic as a user writes it: operators, PyTorch's and NumPy's spellings, arguments, and what integers and bools become."""

import math

import numpy as np
import pytest
from ops.derivatives import check, leaf, reverse, values_of

import tapegrad as tg


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


# Division with remainder ------------------------------------------------------------------------------------------------

PAIRS = [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (-5.5, -2.0), (1.0, 0.1), (7.0, 7.0), (0.0, 3.0), (-1e-20, 3.0)]


@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_operators_have_pythons_values_on_every_side(x, y):
    expected = [x % y, x // y, math.fmod(x, y)]
    for a, b in [
        (leaf(x), leaf(y)),
        (leaf(x), y),
        (x, leaf(y)),
        (tg.tensor(x), tg.tensor(y)),
        (tg.tensor(x), y),
        (x, tg.tensor(y)),
        (leaf([x, x]), np.array([y, y])),
        (np.array([x, x]), leaf([y, y])),
        (np.float64(x), leaf(y)),
    ]:
        whole, rest = divmod(a, b)
        found = [a % b, a // b, tg.fmod(a, b), rest, whole, *np.divmod(a, b), tg.remainder(a, b), np.mod(a, b)]
        for z, value in zip(found, [*expected, *expected[:2], *expected[1::-1], expected[0], expected[0]]):
            assert isinstance(z, tg.Tensor)
            assert np.all(values_of(z) == value)


def test_derivatives_of_a_remainder():
    x, y = leaf([-5.5, 5.5]), leaf([2.0, -2.0])
    gx, gy = reverse(x % y, [x, y], np.ones(2))
    assert gx.tolist() == [1, 1] and gy.tolist() == [3, 3]
    x, y = leaf([-5.5, 5.5]), leaf([2.0, -2.0])
    gx, gy = reverse(tg.fmod(x, y), [x, y], np.ones(2))
    assert gx.tolist() == [1, 1] and gy.tolist() == [2, 2]


def test_in_place_operators():
    x = leaf([7.5, -7.5])
    y = x * 1.0
    same = y
    y %= 2
    assert y is same and y.tolist() == [1.5, 0.5] and reverse(y, [x], np.ones(2))[0].tolist() == [1, 1]
    y = tg.tensor([7, -7])
    y //= 2
    assert y.tolist() == [3, -4] and y.dtype == tg.int64
    y %= 2
    y <<= 3
    assert y.tolist() == [8, 0]


def test_rounding_modes_of_a_division():
    x, y = leaf([7.0, -7.0]), tg.tensor([2.0, 2.0])
    assert tg.div(x, y, rounding_mode="floor").tolist() == [3, -4]
    assert x.div(y, rounding_mode="trunc").tolist() == [3, -3]
    assert reverse(tg.div(x, y, rounding_mode="trunc"), [x], np.ones(2))[0].tolist() == [0, 0]
    whole = tg.div(tg.tensor([7, -7]), 2, rounding_mode="trunc")
    assert whole.tolist() == [3, -3] and whole.dtype == tg.int64
    with pytest.raises(ValueError, match="rounding_mode"):
        tg.div(x, y, rounding_mode="up")


# Powers -------------------------------------------------------------------------------------------------------------------


def test_powers_of_integers_and_by_integers():
    whole = tg.tensor([2, 3]) ** tg.tensor([3, 2])
    assert whole.tolist() == [8, 9] and whole.dtype == tg.int64
    x = leaf([2.0, -3.0])
    y = x ** tg.tensor([3, 2])
    assert y.tolist() == [8, 9] and reverse(y, [x], np.ones(2))[0].tolist() == [12, -6]
    assert (2 ** tg.tensor([1, 2])).tolist() == [2, 4]
    for base, exponent in [(tg.tensor([2]), -1), (tg.tensor([2]), tg.tensor([-1]))]:
        with pytest.raises(RuntimeError, match="negative integer power"):
            base**exponent
    single = tg.tensor([4.0], dtype=tg.float32, requires_grad=True)
    assert (single**0.5).dtype == np.float32
    assert tg.float_power(single, 2).dtype == tg.float_power(tg.tensor([2]), 3).dtype == np.float64
    check(lambda x: tg.float_power(x, 1.5), [0.5, 2.0], reference=lambda x: np.float_power(x, 1.5), single=False)
    assert isinstance(np.float_power(x, 2), tg.Tensor)


# Functions of several rows --------------------------------------------------------------------------------------------------


def test_multiply_and_add():
    x, a, b = numbers(3), numbers(3, seed=2), numbers(3, seed=3) + 3
    check(lambda x, a, b: tg.addcmul(x, a, b, value=0.5), x, a, b, reference=lambda x, a, b: x + 0.5 * a * b)
    check(lambda x, a, b: tg.addcdiv(x, a, b, value=0.5), x, a, b, reference=lambda x, a, b: x + 0.5 * a / b)
    check(lambda x, a, b: x.addcmul(a, b) + x.addcdiv(a, b), x, a, b, reference=lambda x, a, b: 2 * x + a * b + a / b)
    check(lambda x, a, b: tg.lerp(x, a, weight=b), x, a, b, reference=lambda x, a, b: x + b * (a - x))
    check(lambda x, a: x.lerp(a, 0.25), x, a, reference=lambda x, a: x + 0.25 * (a - x))

    def written(x, a, b):
        return (x * 1.0).addcmul_(a, b, value=2.0).addcdiv_(a, b).lerp_(b, 0.5).add_(a, alpha=2).sub_(b, alpha=3)

    check(written, x, a, b, reference=lambda x, a, b: 0.5 * (x + 2 * a * b + a / b) + 0.5 * b + 2 * a - 3 * b)
    check(lambda x, a: tg.add(x, a, alpha=2) - tg.sub(a, other=x, alpha=0.5), x, a, reference=lambda x, a: 1.5 * x + a)


def test_times_powers_of_two():
    check(lambda x: tg.ldexp(x, [1, 2, -3]), numbers(3), reference=lambda x: np.ldexp(x, [1, 2, -3]))
    check(tg.ldexp, numbers(3), numbers(3, seed=2), reference=lambda x, e: x * 2**e)
    assert tg.ldexp(leaf(1e-300), 2000).item() == math.ldexp(1e-300, 2000)
    assert tg.ldexp(leaf(1e300), -1100).item() == math.ldexp(1e300, -1100)
    assert np.ldexp(leaf(3.0), np.array(2)).item() == 12
    assert tg.ldexp(tg.tensor([1.0], dtype=tg.float32, requires_grad=True), 3).dtype == np.float32


def test_rounding():
    x = leaf([-1.5, 0.5, 2.5, 1234.567])
    for y in (tg.round(x), round(x), np.rint(x), x.round(), np.round(x), np.around(x)):
        assert y.tolist() == [-2, 0, 2, 1235] and y.requires_grad
    for decimals in (1, -2):
        for y in (tg.round(x, decimals=decimals), round(x, decimals), np.round(x, decimals), x.round(decimals)):
            np.testing.assert_array_equal(values_of(y), np.round(values_of(x), decimals))
            assert not reverse(y, [x], np.ones(4))[0].any()
    assert tg.round(tg.tensor([15, 25]), decimals=-1).tolist() == [20, 20]
    assert tg.fix(x).tolist() == tg.trunc(x).tolist() == [-1, 0, 2, 1234]
    assert math.floor(leaf(-1.5)) == -2 and math.ceil(leaf(-1.5)) == -1 and math.trunc(leaf(-1.5)) == -1
    assert round(leaf(2.7)).item() == 3


def test_signs():
    x = leaf([-2.0, 0.0, -0.0, 3.0])
    assert (+x).tolist() == x.tolist() and np.positive(x).requires_grad and tg.positive(x) is x
    assert reverse(tg.fabs(x), [x], np.ones(4))[0].tolist() == [-1, 0, 0, 1]
    assert tg.fabs(tg.tensor([-2, 1])).dtype == np.float64 and abs(tg.tensor([-2, 1])).dtype == np.int64
    assert tg.signbit(x).tolist() == [True, False, True, False] and np.signbit(x).dtype == bool
    assert tg.sgn(x).tolist() == [-1, 0, 0, 1]


def test_numbers_instead_of_nan_and_infinity():
    points = [math.nan, math.inf, -math.inf, 1.5]
    for x in (leaf(points), tg.tensor(points)):
        for y, expected in [
            (tg.nan_to_num(x), np.nan_to_num(points)),
            (x.nan_to_num(1.0, 2.0, -3.0), [1, 2, -3, 1.5]),
            (np.nan_to_num(x, True, 7.0), np.nan_to_num(points, nan=7.0)),
            (np.nan_to_num(x, nan=1.0, posinf=5.0), np.nan_to_num(points, nan=1.0, posinf=5.0)),
        ]:
            np.testing.assert_array_equal(values_of(y), expected)
            if x.requires_grad:
                assert reverse(y, [x], np.ones(4))[0].tolist() == [0, 0, 0, 1]
    assert tg.nan_to_num(tg.tensor([1, 2])).dtype == np.int64
    with pytest.raises(TypeError, match="copy"):
        np.nan_to_num(x, copy=False)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "remainder", "fmod", "hypot", "fmax"])
def test_the_other_operand_by_name(name):
    x, y = leaf([5.0, -3.0]), leaf([2.0, 7.0])
    expected = getattr(tg, name)(x, y).tolist()
    assert getattr(tg, name)(x, other=y).tolist() == getattr(x, name)(other=y).tolist() == expected
    assert (x * 1.0).pow(exponent=2).tolist() == tg.pow(x, exponent=2).tolist() == [25, 9]


def test_methods_that_write_what_several_operations_make():
    points = [-1.26, math.inf, 2.5]

    def written(x):
        return (x * 1.0).nan_to_num_(posinf=8.0).ldexp_(1).round_(decimals=1)

    x = leaf(points)
    y = written(x)
    assert y.tolist() == [-2.5, 16, 5] and reverse(y, [x], np.ones(3))[0].tolist() == [0, 0, 0]
    x = leaf(points)
    y = (x * 1.0).nan_to_num_(posinf=8.0).ldexp_(1)
    assert reverse(y, [x], np.ones(3))[0].tolist() == [2, 0, 2]
    plain = tg.tensor(points)
    memory = plain.numpy()
    assert plain.nan_to_num_(posinf=8.0).ldexp_(1).round_(1) is plain and memory.tolist() == [-2.5, 16, 5]
    with pytest.raises(RuntimeError, match="leaf"):
        leaf(points).nan_to_num_()
    bits = tg.tensor([5, 2])
    assert bits.bitwise_and_(4).bitwise_left_shift_(1).bitwise_not_().tolist() == [-9, -1]
    assert bits.logical_and_(tg.tensor([1, 0])).tolist() == [1, 0] and bits.dtype == np.int64


# Bounds -----------------------------------------------------------------------------------------------------------------------


def test_spellings_of_clip():
    x = leaf([-2.0, 0.0, 0.5, 1.0, 3.0])
    for y in [
        tg.clamp(x, 0, 1),
        tg.clip(x, min=0, max=1),
        x.clamp(0, 1),
        x.clip(a_min=0, a_max=1),
        np.clip(x, 0, 1),
        np.clip(x, a_min=0, a_max=1),
        np.clip(x, min=0, max=1),
        tg.clamp_max(tg.clamp_min(x, 0), 1),
        x.clamp_min(0).clamp_max(1),
        (x * 1.0).clamp_(0, 1),
        (x * 1.0).clamp_min_(0).clamp_max_(1),
        tg.clamp(x, tg.zeros(5), tg.ones(1)),
    ]:
        assert y.tolist() == [0, 0, 0.5, 1, 1]
        assert reverse(y, [x], np.ones(5))[0].tolist() == [0, 1, 1, 1, 0]
    assert np.clip(x, None, 1).tolist() == [-2, 0, 0.5, 1, 1] and np.clip(x, 0, None).tolist() == [0, 0, 0.5, 1, 3]
    whole = tg.clamp(tg.tensor([-2, 5]), tg.tensor(0), 3)
    assert whole.tolist() == [0, 3] and whole.dtype == np.int64
    with pytest.raises(ValueError, match="min, max or both"):
        tg.clamp(x)


# Dtypes -----------------------------------------------------------------------------------------------------------------------

OPERATIONS = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(
    "left", [np.array([True, True]), np.array([3, 4]), np.array([1.5, 2.5])], ids=["bool", "int", "float"]
)
@pytest.mark.parametrize(
    "right", [True, 2, 2.5, np.array([True, True]), np.array([2, 3])], ids=["True", "2", "2.5", "bools", "ints"]
)
def test_integers_and_bools_as_in_numpy(name, left, right):
    operation = OPERATIONS[name]
    expected = operation(left, right)
    if name == "**" and left.dtype == bool and isinstance(right, int) and right == 2:
        expected = np.power(left, right)  # the operator makes int8 of it, the function int64
    wrapped = tg.tensor(right) if isinstance(right, np.ndarray) else right
    for y in (operation(tg.tensor(left), wrapped), operation(tg.tensor(left), right)):
        np.testing.assert_array_equal(values_of(y), expected)
        assert y.dtype == expected.dtype


@pytest.mark.parametrize(
    "name", ["sqrt", "exp", "sin", "reciprocal", "rsqrt", "sigmoid", "floor", "sign", "abs", "square", "cbrt"]
)
def test_functions_of_integers(name):
    y = getattr(tg, name)(tg.tensor([1, 4]))
    expected = getattr(np, name, None)
    if expected is not None and name not in ("reciprocal",):
        np.testing.assert_allclose(values_of(y), expected(np.array([1, 4])), rtol=1e-15)
        assert y.dtype == expected(np.array([1, 4])).dtype
    else:
        assert y.dtype == np.float64


# NumPy's arguments --------------------------------------------------------------------------------------------------------------


def test_numpys_order_of_arguments():
    a = numbers(2, 3)
    x = leaf(a)
    for y, expected in [
        (np.sum(x, 0, None), np.sum(a, 0)),
        (np.sum(x, 0, None, None, True), np.sum(a, 0, keepdims=True)),
        (np.sum(x, axis=(0, 1)), np.sum(a)),
        (np.sum(a=x), np.sum(a)),
        (np.mean(x, 1, None, None, keepdims=True), np.mean(a, 1, keepdims=True)),
        (np.mean(tg.tensor([1, 2])), 1.5),
        (np.prod(x, 1), np.prod(a, 1)),
        (np.prod(x, axis=0, keepdims=True), np.prod(a, axis=0, keepdims=True)),
        (np.cumsum(x, 1), np.cumsum(a, 1)),
        (np.cumprod(x, axis=0, dtype=None), np.cumprod(a, axis=0)),
        (np.amax(x, 0, None, True), np.amax(a, 0, None, True)),
        (np.max(x, axis=1), np.max(a, axis=1)),
        (np.min(x, 1), np.min(a, 1)),
        (np.any(x > 0, 1, None, True), np.any(a > 0, 1, None, True)),
        (np.median(x, 0, None, True, True), np.median(a, 0, keepdims=True)),
        (np.size(x), 6),
        (np.size(x, 1), 3),
    ]:
        np.testing.assert_allclose(values_of(y) if isinstance(y, tg.Tensor) else y, expected, rtol=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sum(x, out=np.zeros(())),
        lambda x: np.sum(x, 0, None, np.zeros(3)),
        lambda x: np.sum(x, where=np.array([True, False, True])),
        lambda x: np.prod(x, initial=2.0),
        lambda x: np.clip(x, 0, 1, out=np.zeros((2, 3))),
        lambda x: np.median(x, out=np.zeros(())),
        lambda x: np.divmod(x, 2, out=(np.zeros((2, 3)), np.zeros((2, 3)))),
    ],
)
def test_what_can_not_be_honoured_is_refused(call):
    with pytest.raises(TypeError, match=r"out=|where=|initial="):
        call(leaf(numbers(2, 3)))


@pytest.mark.parametrize(
    "name", ["float", "int", "bool", "double", "long", "numel", "dim", "clamp", "pow", "__round__", "isnan", "ne"]
)
def test_methods_have_names_and_descriptions(name):
    method = getattr(tg.Tensor, name)
    assert method.__name__ != "<lambda>" and method.__doc__


def test_no_public_function_is_without_a_name_or_a_description():
    for owner in (tg, tg.Tensor, tg.nn.functional):
        for name in dir(owner):
            value = getattr(owner, name)
            if not name.startswith("_") and callable(value) and not isinstance(value, type):
                assert value.__name__ != "<lambda>" and value.__doc__, name
