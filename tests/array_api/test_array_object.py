"""The methods and attributes of Tensors that the array API standard names, beside array_api_strict's arrays."""

import copy
import itertools
import operator
import pickle

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import array_api as xp

from .oracle import DTYPES, agree, as_numpy, values

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift"]
SHAPES = [((), ()), ((3,), ()), ((), (3,)), ((2, 3), (3,)), ((2, 2), (2, 2)), ((0,), (1,)), ((4, 1), (3,))]
NUMBERS = (True, 2, 2.5)


@pytest.fixture
def strict():
    module = pytest.importorskip("array_api_strict")
    module.set_array_api_strict_flags(api_version="2024.12")
    return module


def applied(function, x, y):
    try:
        with np.errstate(all="ignore"):
            return [as_numpy(function(x, y))]
    except (TypeError, ValueError, OverflowError) as error:
        return error


def operands(a, b, shapes, seed):
    """Arrays of two dtypes; integers on the right are positive, as divisors, exponents and shifts have to be."""
    x = values(a, shapes[0], seed, special=True)
    y = b if not isinstance(b, str) else values(b, shapes[1], seed + 1, special=True)
    if isinstance(y, np.ndarray) and y.dtype.kind in "iu":
        y = np.asarray(np.where(y <= 0, 1, y), y.dtype)
    return x, y


def both(x, strict):
    if not isinstance(x, np.ndarray):
        return x, x
    return xp.asarray(x.copy()), strict.asarray(x.copy())


@pytest.mark.parametrize("name", BINARY + COMPARISONS + IN_PLACE + ["matmul", "imatmul"])
def test_binary_operators(name, strict):
    """Wherever the standard has a result, so that array_api_strict gives one, it is ours: value, dtype and shape."""
    function, checked = getattr(operator, name), 0
    for a, b in itertools.product(DTYPES, (*DTYPES, *NUMBERS)):
        for k, shapes in enumerate(SHAPES):
            x, y = operands(a, b, shapes, k)
            (ours_x, theirs_x), (ours_y, theirs_y) = both(x, strict), both(y, strict)
            theirs = applied(function, theirs_x, theirs_y)
            if isinstance(theirs, Exception):
                continue
            tolerance = 1e-6 if "matmul" in name else 0.0
            assert agree(applied(function, ours_x, ours_y), theirs, tolerance) is None, (a, b, shapes)
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", [n for n in BINARY if n not in ("floordiv", "mod", "pow", "lshift", "rshift")] + COMPARISONS)
def test_reflected_operators(name, strict):
    function, checked = getattr(operator, name), 0
    for a, b in itertools.product(DTYPES, NUMBERS):
        for k, (shape, _) in enumerate(SHAPES):
            ours, theirs = both(values(a, shape, k, special=True), strict)
            expected = applied(function, b, theirs)
            if isinstance(expected, Exception):
                continue
            assert agree(applied(function, b, ours), expected, 0.0) is None, (a, b, shape)
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("name", ["__abs__", "__neg__", "__pos__", "__invert__"])
def test_unary_operators(name, strict):
    for dtype, shape in itertools.product(DTYPES, ((), (0,), (2, 3))):
        ours, theirs = both(values(dtype, shape, special=True), strict)
        expected = applied(lambda x, _: getattr(x, name)(), theirs, None)
        if not isinstance(expected, Exception):
            assert agree(applied(lambda x, _: getattr(x, name)(), ours, None), expected, 0.0) is None, dtype


@pytest.mark.parametrize("symbol", ["and", "or", "xor", "lshift", "rshift"])
def test_bits_are_written_in_place(symbol):
    x = tg.tensor([5, 3, 1])
    y, before = x, x._version
    getattr(operator, f"i{symbol}")(y, 1)
    assert y is x and x._version == before + 1
    assert (
        x.tolist()
        == getattr(
            np,
            {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift"}[
                symbol
            ],
        )([5, 3, 1], 1).tolist()
    )
    x = tg.tensor([1], dtype=tg.int32)
    with pytest.raises(TypeError, match="int64, which can't be written into a tensor of int32"):
        getattr(operator, f"i{symbol}")(x, tg.tensor([1]))
    x = tg.tensor(1)
    with pytest.raises(ValueError, match="shape"):
        getattr(operator, f"i{symbol}")(x, tg.tensor([1, 2]))


class TestSize:
    def test_is_a_number(self):
        x = tg.ones(2, 3)
        assert x.size == 6 and isinstance(x.size, int) and list(range(x.size)) == [0, 1, 2, 3, 4, 5]
        assert tg.ones(()).size == 1 and tg.ones(0, 3).size == 0
        assert np.size(x) == 6

    def test_is_a_method(self):
        x = tg.ones(2, 3)
        assert x.size() == (2, 3) and x.size(0) == 2 and x.size(-1) == 3 and x.size(dim=1) == 3
        with pytest.raises(IndexError, match="axis 2"):
            x.size(2)

    def test_is_copied_as_a_number(self):
        size = tg.ones(2, 3).size
        for same in (copy.copy(size), copy.deepcopy(size), pickle.loads(pickle.dumps(size)), size + 0):
            assert same == 6 and type(same) is int

    @pytest.mark.parametrize("dtype", [tg.int64, tg.int32, tg.float32, tg.float64])
    def test_keeps_dtypes_in_arithmetic(self, dtype):
        x = tg.ones(2, 3, dtype=dtype)
        assert (x * x.size).dtype == dtype and (x.size * x).dtype == dtype

    def test_in_recorded_arithmetic(self):
        x = tg.ones(2, 3, requires_grad=True)
        (x.sum() / x.size).backward()
        assert np.allclose(x.grad, 1 / 6)


def test_conversions():
    assert complex(tg.tensor(2.5)) == 2.5 + 0j and complex(tg.tensor(2)) == 2 + 0j
    assert operator.index(tg.tensor(3)) == 3 and [10, 20][tg.tensor(1)] == 20
    with pytest.raises(TypeError, match="integer"):
        operator.index(tg.tensor(3.0))
    for convert in (float, int, complex, bool):
        with pytest.raises((RuntimeError, TypeError), match="2 elements"):
            convert(tg.tensor([1, 2]))


def test_device():
    x = tg.tensor([1.0])
    assert x.to_device(x.device) is x and x.to_device("cpu") is x
    assert x.device in xp.__array_namespace_info__().devices()
    for arguments, keywords in ((("cuda",), {}), ((x.device,), {"stream": 1})):
        with pytest.raises(ValueError, match="CPU"):
            x.to_device(*arguments, **keywords)
    for make in (xp.zeros, xp.ones, xp.empty):
        assert make(2, device=x.device).shape == (2,)
        with pytest.raises(ValueError, match="CPU"):
            make(2, device="cuda")


@pytest.mark.parametrize("shape", [(), (4,), (3, 4), (2, 3, 4), (0, 2)])
def test_indexing(shape, strict):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    one = [0, -1, 3, slice(None), slice(1, 3), slice(None, None, -1), slice(3, 0, -2), None, ...]
    for n in range(len(shape) + 1):
        for key in itertools.product(one, repeat=n):
            if key.count(...) > 1:
                continue
            theirs = applied_index(strict.asarray(x), key)
            if not isinstance(theirs, Exception):
                ours = applied_index(xp.asarray(x), key)
                assert agree([ours], [theirs], 0.0) is None if isinstance(ours, np.ndarray) else False, key
            elif any(type(k) is int and not -m <= k < m for k, m in zip(key, shape)) and not {None, ...} & {
                k for k in key if not isinstance(k, slice)
            }:
                assert isinstance(applied_index(xp.asarray(x), key), IndexError)


def applied_index(x, key):
    try:
        return as_numpy(x[key])
    except (IndexError, TypeError) as error:
        return error


def test_indexing_by_masks_and_arrays():
    x = np.arange(12.0).reshape(3, 4)
    t = xp.asarray(x)
    mask = x > 5
    assert np.array_equal(t[xp.asarray(mask)], x[mask])
    assert np.array_equal(t[xp.asarray(np.array([True, False, True]))], x[[0, 2]])
    i, j = np.array([0, 2, 1]), np.array([-1, 0, 3])
    assert np.array_equal(t[xp.asarray(i), xp.asarray(j)], x[i, j])
    assert np.array_equal(t[xp.asarray(i), 1:3], x[i, 1:3])
    assert t[xp.asarray(True)].shape == (1, 3, 4) and t[xp.asarray(False)].shape == (0, 3, 4)
    for shape in ((2,), (3, 3), (3, 4, 1)):
        with pytest.raises(IndexError):
            t[xp.ones(shape, dtype=xp.bool)]
    t[xp.asarray(mask)] = 0
    assert t.tolist() == np.where(mask, 0, x).tolist()
    with pytest.raises(IndexError):
        t[3, 0] = 1.0
