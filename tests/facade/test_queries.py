"""What tensors, shapes and dtypes say of themselves."""

import numpy as np
import pytest

from .subject import ShapeError, leaf, tg

DTYPES = ["bool", "uint8", "int8", "int32", "int64", "float32", "float64"]


@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 3), (2, 3, 1)])
def test_counts(shape):
    x = tg.ones(*shape) if shape else tg.tensor(1.0)
    assert tg.numel(x) == x.numel() == x.nelement() == np.prod(shape, dtype=int)
    assert x.nbytes == 8 * x.numel() and x.element_size() == 8


@pytest.mark.parametrize("dtype", DTYPES)
def test_kinds(dtype):
    x = tg.ones(2, dtype=getattr(tg, dtype))
    assert tg.is_floating_point(x) == x.is_floating_point() == dtype.startswith("float")
    assert not tg.is_complex(x) and not x.is_complex()
    assert tg.is_signed(x) == x.is_signed() == dtype.startswith(("int", "float"))


def test_sizes():
    assert tg.is_same_size(tg.ones(2, 3), tg.zeros(2, 3)) and not tg.ones(2, 3).is_same_size(tg.ones(3, 2))


def test_is_nonzero():
    assert tg.is_nonzero(tg.tensor([[0.5]])) and not tg.tensor(0).is_nonzero()
    assert tg.is_nonzero(leaf(2.0) * 1)
    for x in (tg.zeros(2), tg.zeros(0)):
        with pytest.raises((RuntimeError, ValueError)):
            tg.is_nonzero(x)


STRIDES = {
    "rows": (lambda: tg.ones(2, 3, 4), (12, 4, 1)),
    "no axes": (lambda: tg.tensor(1.0), ()),
    "empty": (lambda: tg.ones(2, 0, 3), (3, 3, 1)),
    "of length 1": (lambda: tg.ones(2, 3, 1), (3, 1, 1)),
    "transposed": (lambda: tg.ones(2, 3).T, (1, 3)),
    "expanded": (lambda: tg.ones(3)[:, None].expand(3, 4), (1, 0)),
    "a part": (lambda: tg.ones(3, 4)[:, ::2], (4, 2)),
    "a row": (lambda: tg.ones(3, 4)[1], (1,)),
    "a column of what was computed": (lambda: (leaf([[1.0, 2.0], [3.0, 4.0]]) * 2)[:, 1], (2,)),
    "an array": (lambda: tg.from_numpy(np.ones((3, 2), order="F")), (1, 3)),
}


@pytest.mark.parametrize("name", STRIDES)
def test_strides(name):
    make, expected = STRIDES[name]
    x = make()
    assert x.stride() == expected
    assert tuple(x.stride(k) for k in range(-len(expected), 0)) == expected
    with pytest.raises(IndexError):
        tg.ones(2, 2).stride(3)


@pytest.mark.parametrize(
    ("shapes", "expected"), [([(2, 1), 3, (1,)], (2, 3)), ([(4,)], (4,)), ([(), (2, 0), (1,)], (2, 0)), ([], ())]
)
def test_broadcast_shapes(shapes, expected):
    assert tuple(tg.broadcast_shapes(*shapes)) == expected


def test_shapes_that_do_not_broadcast():
    with pytest.raises(ShapeError):
        tg.broadcast_shapes((2,), (3,))


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_dtypes_together(first, second):
    first, second = getattr(tg, first), getattr(tg, second)
    x, y = tg.ones(2, dtype=first), tg.ones(2, dtype=second)
    assert tg.promote_types(first, second) == tg.result_type(x, y) == (x + y).dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 2.5])
def test_dtypes_with_numbers(dtype, number):
    x = tg.ones(2, dtype=getattr(tg, dtype))
    assert tg.result_type(x, number) == tg.result_type(number, x) == (x + number).dtype


def test_dtypes_of_numbers():
    assert tg.result_type(2, 2.5) == tg.float64 and tg.result_type(2, 3) == tg.int64
    assert tg.promote_types(tg.int64, tg.float32) == tg.float32


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        ("int64", "bool", False),
        ("int64", "uint8", True),
        ("float32", "int64", False),
        ("float64", "float32", True),
        ("bool", "int8", True),
        ("int32", "float32", True),
    ],
)
def test_can_cast(given, wanted, expected):
    assert tg.can_cast(getattr(tg, given), getattr(tg, wanted)) is expected
