"""Operations on the shape of a tensor: values as NumPy's, and derivatives of both modes and orders against each other.

Most are linear; so that their second derivatives are not 0, each is also taken inside of a curved function.
"""

import itertools
import math

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops.linalg import SMALL

from .derivatives import check, close, leaf, recorded_gradients, reverse, tangent, values_of


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def distinct(*shape, seed=1):
    """Numbers at least 0.1 apart, so that none are equal and no small step changes their order."""
    size = math.prod(shape)
    return (np.random.default_rng(seed).permutation(size) * 0.1 - 0.04 * size).reshape(shape)


def check_linear(function, *points, reference=None, **options):
    """`check`, and again with what comes out squared, so that the recorded adjoint is given something that varies."""
    check(function, *points, reference=reference, **options)
    check(lambda *tensors: (lambda y: y * y + y)(function(*tensors)), *points, **{**options, "single": False})


def axes_of(ndim):
    """None, every axis by both of its names, and every set of axes."""
    yield None
    yield from range(-ndim, ndim)
    for count in range(ndim + 1):
        yield from itertools.combinations(range(ndim), count)
    if ndim > 1:
        yield -1, 0


# Reductions ----------------------------------------------------------------------------------------------------------

SHAPES = [(), (1,), (4,), (2, 3), (2, 1, 3), (2, 3, 4)]
REDUCTIONS = [(shape, axes) for shape in SHAPES for axes in axes_of(len(shape))]
keeping = pytest.mark.parametrize("keepdims", [False, True], ids=["", "keepdims"])


@keeping
@pytest.mark.parametrize(("shape", "axes"), REDUCTIONS, ids=str)
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin"])
def test_reductions_over_all_axes(name, shape, axes, keepdims):
    function, numpy = getattr(tg, name), getattr(np, name)
    check_linear(
        lambda x: function(x, axis=axes, keepdims=keepdims),
        distinct(*shape),
        reference=lambda x: numpy(x, axis=axes, keepdims=keepdims),
    )
    x = leaf(distinct(*shape))
    for y in (function(x, dim=axes, keepdim=keepdims), getattr(x, name)(axes, keepdims)):
        close(values_of(y), numpy(values_of(x), axis=axes, keepdims=keepdims), 1e-13, 1.0)


@keeping
@pytest.mark.parametrize(("shape", "axis"), [(s, a) for s in SHAPES if s for a in range(-len(s), len(s))], ids=str)
@pytest.mark.parametrize(
    ("name", "numpy", "find"), [("max", np.max, np.argmax), ("min", np.min, np.argmin)], ids=["max", "min"]
)
def test_max_and_min_along_an_axis(name, numpy, find, shape, axis, keepdims):
    check_linear(
        lambda x: getattr(x, name)(axis, keepdims).values,
        distinct(*shape),
        reference=lambda x: numpy(x, axis, keepdims=keepdims),
    )
    x = leaf(distinct(*shape))
    indices = getattr(tg, name)(x, dim=axis, keepdim=keepdims).indices
    np.testing.assert_array_equal(values_of(indices), find(values_of(x), axis, keepdims=keepdims))


def test_max_and_min_of_two_take_arrays():
    x, y = np.array([1.0, 5.0]), np.array([3.0, 2.0])
    assert tg.max(x, y).tolist() == tg.max(tg.tensor(x), y).tolist() == [3.0, 5.0]
    assert tg.min(x, y).tolist() == [1.0, 2.0]
    assert tg.max(x, np.int64(0)).indices == 1


@pytest.mark.parametrize(("name", "numpy"), [("max", np.max), ("min", np.min)], ids=["max", "min"])
def test_max_and_min_of_everything(name, numpy):
    check_linear(lambda x: getattr(x, name)(), distinct(2, 3), reference=numpy)


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((0,), None),
        ((0,), 0),
        ((3, 0), 0),
        ((3, 0), 1),
        ((0, 3), 0),
        ((2, 0, 3), 1),
        ((2, 0, 3), (0, 2)),
        ((2, 0, 3), None),
    ],
    ids=str,
)
@keeping
def test_sum_and_mean_of_nothing(name, shape, axis, keepdims):
    """0 and nan, whatever the memory held before."""
    for _ in range(3):
        dirty = leaf(np.full(64, np.nan))
        assert np.isnan(values_of(dirty * 2)).all()
        del dirty
        x = leaf(np.zeros(shape))
        y = getattr(tg, name)(x, axis=axis, keepdims=keepdims)
        count = math.prod(y.shape)
        expected = np.zeros(shape).sum(axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(values_of(y), expected if name == "sum" else np.full(expected.shape, np.nan))
        np.testing.assert_array_equal(
            values_of(getattr(tg, name)(tg.tensor(np.zeros(shape)), axis=axis, keepdims=keepdims)), values_of(y)
        )
        assert reverse(y, [x], np.ones(y.shape))[0].shape == shape
        np.testing.assert_array_equal(tangent(y, [x], [np.zeros(shape)]).size, count)


@pytest.mark.parametrize("name", ["amax", "amin", "max", "min"])
@pytest.mark.parametrize("record", [True, False], ids=["recorded", "plain"])
def test_extremum_of_nothing_is_an_error_and_of_no_rows_is_not(name, record):
    x = tg.tensor(np.zeros((0, 3)), requires_grad=record)
    with pytest.raises(ValueError, match="no elements"):
        getattr(tg, name)(x)
    y = getattr(tg, "a" + name.removeprefix("a"))(x, axis=1)
    assert y.shape == (0,)
    assert not record or reverse(y, [x], np.zeros(0))[0].shape == (0, 3)


@pytest.mark.parametrize("axis", [0, None], ids=str)
@pytest.mark.parametrize(
    "values",
    [[np.inf, 1.0, 2.0], [-np.inf, 1.0], [np.inf, -np.inf], [np.nan, 1.0], [1e308, 1e308], [-0.0, -0.0]],
    ids=str,
)
@pytest.mark.parametrize("length", [None, 7, 8, 9, 300])
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin"])
def test_reductions_of_special_values(name, length, values, axis):
    values = values if length is None else values + [0.5] * (length - len(values))
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(values, axis=axis)
        y = getattr(tg, name)(leaf(values), axis=axis)
        np.testing.assert_array_equal(values_of(y), expected)
        np.testing.assert_array_equal(values_of(getattr(tg, name)(tg.tensor(values), axis=axis)), expected)


@pytest.mark.parametrize("seed", [np.inf, -np.inf, np.nan], ids=str)
@pytest.mark.parametrize(
    "function",
    [lambda x: x.expand(3, 4), lambda x: x.sum(0), lambda x: x.mean(0), lambda x: x[[0, 0, 1, 2]]],
    ids=["expand", "sum", "mean", "index"],
)
def test_special_values_in_gradients(function, seed):
    x = leaf(np.ones(4))
    y = function(x)
    given = np.ones(y.shape)
    given.flat[0] = seed
    (g,) = reverse(y, [x], given)
    jacobian = np.stack([tangent(y, [x], [unit]).reshape(-1) for unit in np.eye(4)], axis=1)
    expected = [sum(a * b for a, b in zip(column, given.reshape(-1)) if a != 0) for column in jacobian.T]
    np.testing.assert_array_equal(g, expected)
    again = leaf(np.ones(4))
    (recorded,) = recorded_gradients(function(again), [again], tg.tensor(given))
    np.testing.assert_array_equal(values_of(recorded), expected)


def test_a_long_sum_is_accurate():
    x = np.random.default_rng(3).uniform(0.1, 1, 100_001)
    for dtype, rtol in ((np.float64, 1e-15), (np.float32, 3e-7)):
        data = x.astype(dtype)
        exact = math.fsum(data.tolist())
        assert values_of(leaf(data, dtype).sum()) == pytest.approx(exact, rel=rtol)
        one = leaf(1.0, dtype)
        spread = one * tg.tensor(data)
        assert reverse(spread, [one], np.ones(100_001, dtype))[0] == pytest.approx(exact, rel=10 * rtol)


TIES = [
    ("amax", [1.0, 3.0, 3.0, 2.0], None, [0, 0.5, 0.5, 0]),
    ("amin", [[1.0, 1.0, 1.0], [2.0, 1.0, 5.0]], 1, [[1 / 3] * 3, [0, 1, 0]]),
    ("amax", [1.0, np.nan, 3.0, np.nan], None, [0, 0.5, 0, 0.5]),
    ("amax", [-0.0, 0.0], None, [0.5, 0.5]),
    ("amin", [np.inf, np.inf], None, [0.5, 0.5]),
]


@pytest.mark.parametrize(("name", "values", "axis", "expected"), TIES, ids=str)
def test_ties_share_the_derivative(name, values, axis, expected):
    x = leaf(values)
    y = getattr(tg, name)(x, axis=axis)
    (g,) = reverse(y, [x], np.ones(y.shape))
    close(g, expected, 1e-15)
    close(tangent(y, [x], [np.ones(x.shape)]), np.ones(y.shape), 1e-15)
    direction = np.arange(1.0, x.numel() + 1).reshape(x.shape)
    close(tangent(y, [x], [direction]), (np.array(expected) * direction).sum(axis=axis), 1e-15)
    again = leaf(values)
    (g,) = recorded_gradients(getattr(tg, name)(again, axis=axis), [again], tg.tensor(np.ones(y.shape)))
    close(values_of(g), expected, 1e-15)


@pytest.mark.parametrize(("name", "expected"), [("max", [0, 1, 0]), ("min", [1, 0, 0])])
def test_along_an_axis_the_first_of_equal_ones_has_the_derivative(name, expected):
    x = leaf([1.0, 3.0, 3.0] if name == "max" else [1.0, 1.0, 3.0])
    (g,) = reverse(getattr(x, name)(0).values, [x], np.ones(()))
    close(g, np.array(expected, float), 0.0)


# Views ---------------------------------------------------------------------------------------------------------------

VIEWS = {
    "reshape": ((2, 6), lambda x: x.reshape(3, 4), lambda x: x.reshape(3, 4)),
    "reshape with -1": ((2, 6), lambda x: x.reshape((4, -1)), lambda x: x.reshape(4, 3)),
    "reshape to one number": ((1, 1), lambda x: x.reshape(()), lambda x: x.reshape(())),
    "reshape of one number": ((), lambda x: x.reshape(1, 1), lambda x: x.reshape(1, 1)),
    "flatten": ((2, 3, 2), lambda x: x.flatten(1), lambda x: x.reshape(2, 6)),
    "ravel of a transpose": ((2, 3), lambda x: x.T.ravel(), lambda x: x.T.ravel()),
    "T": ((2, 3), lambda x: x.T, lambda x: x.T),
    "T of three axes": ((2, 3, 4), lambda x: x.T, lambda x: x.T),
    "T of a number": ((), lambda x: x.T, lambda x: x.T),
    "mT": ((2, 3, 4), lambda x: x.mT, lambda x: x.swapaxes(1, 2)),
    "transpose of two axes": ((2, 3, 4), lambda x: x.transpose(0, 2), lambda x: x.swapaxes(0, 2)),
    "transpose by order": ((2, 3, 4), lambda x: tg.transpose(x, (1, 2, 0)), lambda x: x.transpose(1, 2, 0)),
    "swapaxes": ((2, 3, 4), lambda x: x.swapaxes(-1, 0), lambda x: x.swapaxes(-1, 0)),
    "expand": ((3, 1), lambda x: x.expand(2, 3, 4), lambda x: np.broadcast_to(x, (2, 3, 4))),
    "expand with -1": ((3, 1), lambda x: x.expand(-1, 4), lambda x: np.broadcast_to(x, (3, 4))),
    "expand inside": ((2, 1, 3), lambda x: x.expand(2, 4, 3), lambda x: np.broadcast_to(x, (2, 4, 3))),
    "expand a number": ((), lambda x: x.expand(2, 2), lambda x: np.broadcast_to(x, (2, 2))),
    "expand to nothing": ((1, 2), lambda x: x.expand(0, 2), lambda x: np.broadcast_to(x, (0, 2))),
    "expand twice": ((1,), lambda x: x.expand(3).unsqueeze(0).expand(2, 3), lambda x: np.broadcast_to(x, (2, 3))),
    "broadcast_to": ((1, 4), lambda x: tg.broadcast_to(x, (3, 4)), lambda x: np.broadcast_to(x, (3, 4))),
    "squeeze": ((1, 3, 1), lambda x: x.squeeze(), lambda x: x.squeeze()),
    "squeeze an axis": ((1, 3, 1), lambda x: x.squeeze(-1), lambda x: x.squeeze(-1)),
    "squeeze an axis that is long": ((1, 3), lambda x: x.squeeze(1), lambda x: x),
    "unsqueeze": ((2, 3), lambda x: x.unsqueeze(1), lambda x: x[:, None]),
    "unsqueeze at the end": ((2, 3), lambda x: x.unsqueeze(-1), lambda x: x[..., None]),
    "diagonal": ((3, 4), lambda x: x.diagonal(), np.diagonal),
    "diagonal above": ((3, 4), lambda x: x.diagonal(2), lambda x: np.diagonal(x, 2)),
    "diagonal below": ((3, 4), lambda x: x.diagonal(-1), lambda x: np.diagonal(x, -1)),
    "diagonal outside": ((2, 2), lambda x: x.diagonal(5), lambda x: np.diagonal(x, 5)),
    "diagonal of a batch": ((2, 3, 4), lambda x: tg.diagonal(x, 1, 1, 2), lambda x: np.diagonal(x, 1, 1, 2)),
    "diagonal of axes exchanged": ((2, 3, 4), lambda x: x.diagonal(0, 2, 0), lambda x: np.diagonal(x, 0, 2, 0)),
    "views of views": (
        (4, 3, 2),
        lambda x: x.permute(2, 0, 1)[:, ::-2].transpose(0, 1)[0].T,
        lambda x: x.transpose(2, 0, 1)[:, ::-2].swapaxes(0, 1)[0].T,
    ),
    "nothing": ((2, 0, 3), lambda x: x.permute(2, 1, 0).reshape(0, 6), lambda x: np.zeros((0, 6))),
    "clone": ((2, 3), lambda x: x.clone(), np.copy),
    "clone of a view": ((2, 3), lambda x: x.T[1:].clone(), lambda x: x.T[1:]),
    "contiguous": ((2, 3), lambda x: x.T.contiguous(), lambda x: x.T),
    "unbind": ((2, 3), lambda x: x.unbind(1)[2] * x.unbind(0)[1].sum(), lambda x: x[:, 2] * x[1].sum()),
    "iteration": ((3, 2), lambda x: sum(row * k for k, row in enumerate(x)), lambda x: x[1] + 2 * x[2]),
}


@pytest.mark.parametrize(("shape", "function", "reference"), VIEWS.values(), ids=VIEWS)
def test_views(shape, function, reference):
    check_linear(function, numbers(*shape), reference=reference)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_permute(order):
    check_linear(lambda x: x.permute(*order), numbers(2, 3, 4), reference=lambda x: x.transpose(order))
    check_linear(
        lambda x: tg.permute(x, tuple(a - 3 for a in order)), numbers(2, 1, 4), reference=lambda x: x.transpose(order)
    )


@pytest.mark.parametrize(
    "layout",
    [lambda a: np.ascontiguousarray(a.T).T, lambda a: np.repeat(a, 2, 1)[:, ::2], lambda a: a[::-1]],
    ids=["transposed", "every other", "reversed"],
)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.reshape(6, 2),
        lambda x: x.T,
        lambda x: x.sum(0),
        lambda x: x.amax(1),
        lambda x: x[[0, 2]],
        lambda x: x @ x.T,
        lambda x: tg.concatenate([x, x], 1),
    ],
    ids=["reshape", "T", "sum", "amax", "index", "matmul", "concatenate"],
)
def test_leaves_that_are_not_contiguous(function, layout):
    data = distinct(3, 4)
    plain, spread = leaf(data), tg.as_tensor(layout(data if layout(data)[0, 0] == data[0, 0] else layout(data).copy()))
    spread = spread.requires_grad_()
    plain = leaf(values_of(spread))
    y, z = function(plain), function(spread)
    close(values_of(z), values_of(y), 1e-14)
    seed = numbers(*y.shape)
    close(reverse(z, [spread], seed)[0], reverse(y, [plain], seed)[0], 1e-13, 1.0)


# Indexing ------------------------------------------------------------------------------------------------------------

A = np.array
MASK = A([[True, False, True, False], [False] * 4, [True, True, False, True]])
INDICES = {
    "integer": 1,
    "negative integer": -1,
    "integers": (1, 2),
    "all integers": (1, -2, 3),
    "slice": slice(1, 3),
    "slice with a step": slice(None, None, 2),
    "backward": slice(None, None, -1),
    "backward by two": (slice(2, 0, -2), slice(None, None, -1)),
    "empty slice": slice(2, 2),
    "slice past the end": slice(1, 99),
    "new axis": (None, 1, None),
    "ellipsis": (..., 1),
    "ellipsis in the middle": (0, ..., slice(None, 2)),
    "ellipsis of nothing": (0, 1, 2, ...),
    "everything": (),
    "array": A([2, 0, 2, -1]),
    "list": [0, 2],
    "array of two axes": A([[0, 1], [2, 2]]),
    "two arrays": (A([0, 1, 2]), A([3, 3, 0])),
    "arrays that broadcast": (A([[0], [2]]), A([0, 3, 3])),
    "empty array": A([], int),
    "array and slice": (slice(1, None), A([0, 0, 3])),
    "array, slice, array": (A([0, 2]), slice(None), A([1, 1])),
    "slice, array, integer": (slice(None), A([0, 2, 2]), 1),
    "array and new axis": (A([0, 2]), None),
    "array after an ellipsis": (..., A([1, 0, 1])),
    "mask": MASK,
    "mask of one axis": A([True, False, True]),
    "mask of nothing": A([False] * 3),
    "mask and integer": (A([True, False, True]), 1),
    "mask and array": (A([True, False, True]), A([0, 3])),
    "mask on the second axis": (slice(None), A([True, False, True, True])),
    "true": True,
    "tensor": "tensor",
    "tensor mask": "tensor mask",
}


def index_of(key):
    if key == "tensor":
        return tg.tensor([2, 0, 0]), A([2, 0, 0])
    if key == "tensor mask":
        return tg.tensor(MASK), MASK
    return INDICES[key], INDICES[key]


@pytest.mark.parametrize("key", INDICES)
def test_indexing(key):
    index, plain = index_of(key)
    check_linear(lambda x: x[index], numbers(3, 4, 5), reference=lambda x: x[plain])


@pytest.mark.parametrize("key", INDICES)
def test_assignment_of_a_number_of_a_tensor_and_of_what_broadcasts(key):
    index, plain = index_of(key)
    base = numbers(3, 4, 5)
    part = base[plain]
    repeated = key in REPEATED

    def assign(x, v):
        y = x * 2.0
        y[index] = v
        return y

    def reference(x, v):
        y = x * 2.0
        y[plain] = v
        return y

    values = np.broadcast_to(numbers(), part.shape) if repeated else numbers(*part.shape)
    check_linear(assign, base, values, reference=reference)
    check_linear(assign, base, numbers(), reference=reference)
    if part.ndim and not repeated:
        check(assign, base, numbers(*(1, *part.shape[1:])), reference=reference)
        check(assign, base, numbers(*part.shape[1:]), reference=reference)
    check(lambda x: assign(x, 1.5), base, reference=lambda x: reference(x, 1.5))
    # into a tensor that has no derivative until then
    check(lambda v: assign(tg.tensor(base), v), numbers(), reference=lambda v: reference(base, v), single=False)


# Of places given twice NumPy's own order counts: see the test below.
REPEATED = {
    "array",
    "array of two axes",
    "array and slice",
    "array, slice, array",
    "slice, array, integer",
    "array after an ellipsis",
    "tensor",
}


def test_of_repeated_places_the_last_value_counts_and_has_the_derivative():
    x, v = leaf(np.zeros(3)), leaf([1.0, 2.0, 3.0, 4.0])
    y = x * 1.0
    y[A([0, 2, 0, 2])] = v
    close(values_of(y), [3.0, 0.0, 4.0], 0.0)
    seed = A([10.0, 20.0, 30.0])
    gx, gv = reverse(y, [x, v], seed)
    close(gx, [0.0, 20.0, 0.0], 0.0)
    close(gv, [0.0, 0.0, 10.0, 30.0], 0.0)
    close(tangent(y, [x, v], [np.ones(3), A([1.0, 2.0, 3.0, 4.0])]), [3.0, 1.0, 4.0], 0.0)
    again = [leaf(np.zeros(3)), leaf([1.0, 2.0, 3.0, 4.0])]
    y = again[0] * 1.0
    y[A([0, 2, 0, 2])] = again[1]
    gx, gv = recorded_gradients(y, again, tg.tensor(seed))
    close(values_of(gx), [0.0, 20.0, 0.0], 0.0)
    close(values_of(gv), [0.0, 0.0, 10.0, 30.0], 0.0)


def test_repeated_places_add_up_in_the_gradient_of_reading():
    x = leaf(np.ones(3))
    (g,) = reverse(x[A([0, 2, 0, 0])], [x], A([1.0, 2.0, 4.0, 8.0]))
    close(g, [13.0, 0.0, 2.0], 0.0)


def test_assignment_into_a_view_reaches_the_base():
    def assign(x, v):
        y = x * 1.0
        y.T[1:, ::2][..., 0] = v
        return y

    def reference(x, v):
        y = x.copy()
        y.T[1:, ::2][..., 0] = v
        return y

    check_linear(assign, numbers(3, 4), numbers(3), reference=reference)


# Joining -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", range(-3, 3))
@pytest.mark.parametrize("lengths", [(1,), (2, 1), (1, 3, 2), (0, 2), (2, 0, 1), (0, 0)], ids=str)
def test_concatenate(lengths, axis):
    shapes = [tuple(n if a == axis % 3 else 2 for a in range(3)) for n in lengths]
    check_linear(
        lambda *xs: tg.concatenate(xs, axis),
        *[numbers(*s, seed=k) for k, s in enumerate(shapes)],
        reference=lambda *xs: np.concatenate(xs, axis),
    )


@pytest.mark.parametrize("axis", range(-3, 3))
@pytest.mark.parametrize("shape", [(2, 3), (0, 2)], ids=str)
@pytest.mark.parametrize("count", [1, 3])
def test_stack(count, shape, axis):
    check_linear(
        lambda *xs: tg.stack(xs, axis),
        *[numbers(*shape, seed=k) for k in range(count)],
        reference=lambda *xs: np.stack(xs, axis),
    )


def test_joining_numbers_arrays_and_one_tensor_several_times():
    check_linear(
        lambda x: tg.stack([x, tg.tensor(2.0), x * x]),
        numbers(),
        reference=lambda x: np.stack([x, 2.0, x * x]),
        single=False,
    )
    check_linear(
        lambda x: tg.cat([x, x[1:], tg.tensor([1.0])]),
        numbers(3),
        reference=lambda x: np.concatenate([x, x[1:], [1.0]]),
        single=False,
    )
    check_linear(
        lambda x: tg.cat([x.T, np.ones((2, 2))], dim=1),
        numbers(3, 2),
        reference=lambda x: np.concatenate([x.T, np.ones((2, 2))], 1),
        single=False,
    )


def test_joining_more_than_one_record_holds():
    x = leaf(np.arange(3.0))
    y = tg.stack([x] * 10_000)
    assert y.shape == (10_000, 3)
    close(reverse(y, [x], np.ones((10_000, 3)))[0], np.full(3, 10_000.0), 0.0)


# Matrix products -----------------------------------------------------------------------------------------------------

LARGE = math.isqrt(SMALL)  # (3, LARGE) @ (LARGE, LARGE) is above the threshold
PRODUCTS = [
    ((3,), (3,)),
    ((1,), (1,)),
    ((0,), (0,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 3), (3, 1)),
    ((3, 1), (1, 2)),
    ((2, 0), (0, 3)),
    ((0, 2), (2, 3)),
    ((2, 3), (3, 0)),
    ((2, 0), (0,)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (1, 3, 4)),
    ((2, 1, 2, 3), (1, 3, 3, 2)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((2, 5, 2, 3), (3,)),
    ((3,), (2, 5, 3, 4)),
    ((0, 2, 3), (3, 4)),
    ((2, 3), (0, 3, 4)),
    ((1, 2, 3), (1, 3, 4)),
    ((5, 1, 3), (5, 3, 1)),
    ((5, 2, 0), (0, 3)),
]
LARGE_PRODUCTS = [
    ((3, LARGE), (LARGE, LARGE)),
    ((LARGE, 3), (3, LARGE)),
    ((LARGE, LARGE), (LARGE, 3)),
    ((SMALL,), (SMALL,)),
    ((2, SMALL), (SMALL,)),
    ((SMALL,), (SMALL, 2)),
    ((2, 3, LARGE), (2, LARGE, LARGE)),
    ((3, LARGE), (2, LARGE, LARGE)),
    ((2, 3, LARGE), (LARGE, LARGE)),
    ((2, 1, 3, LARGE), (1, 2, LARGE, LARGE)),
    ((SMALL, 1), (1, 2)),
    ((2, 1), (1, SMALL)),
]


def product(x, y):
    return x @ y


@pytest.mark.parametrize(("left", "right"), PRODUCTS, ids=str)
def test_matmul(left, right):
    check_linear(product, numbers(*left), numbers(*right, seed=2), reference=np.matmul)


@pytest.mark.parametrize(("left", "right"), LARGE_PRODUCTS, ids=str)
def test_matmul_by_blas(left, right):
    check(product, numbers(*left), numbers(*right, seed=2), reference=np.matmul)


@pytest.mark.parametrize(
    ("m", "k", "n"), [(7, 17, 17), (8, 16, 16), (17, 8, 16), (16, 16, 8), (2047, 1, 1), (1, 2048, 1), (1, 1, 2049)]
)
def test_matmul_at_the_threshold(m, k, n):
    """A product in one way and its adjoints in the other, whatever their sizes."""
    x, y = leaf(numbers(m, k)), leaf(numbers(k, n, seed=2))
    z = x @ y
    close(values_of(z), values_of(x) @ values_of(y), 1e-12, 1.0)
    seed = numbers(m, n, seed=3)
    gx, gy = reverse(z, [x, y], seed)
    close(gx, seed @ values_of(y).T, 1e-12, 1.0)
    close(gy, values_of(x).T @ seed, 1e-12, 1.0)
    t = tangent(z, [x, y], [np.ones((m, k)), np.ones((k, n))])
    close(t, np.ones((m, k)) @ values_of(y) + values_of(x) @ np.ones((k, n)), 1e-12, 1.0)


def test_matmul_of_views_of_itself_and_of_one_passive_operand():
    check(lambda x: x @ x.T, numbers(3, 4), reference=lambda x: x @ x.T)
    check(lambda x: x.T @ x, numbers(3, 4), reference=lambda x: x.T @ x)
    check(lambda x: x[0] @ x[:, 1:], numbers(3, 3), reference=lambda x: x[0] @ x[:, 1:])
    fixed = numbers(4, 3, seed=5)
    check(lambda x: fixed @ x, numbers(3, 2), reference=lambda x: fixed @ x, single=False)
    check(lambda x: x @ fixed, numbers(2, 4), reference=lambda x: x @ fixed, single=False)
    check(lambda x: x @ tg.tensor(fixed) @ x[:3], numbers(4), reference=lambda x: x @ fixed @ x[:3], single=False)


@pytest.mark.parametrize("name", ["matmul", "mm"])
def test_matmul_of_inf_and_nan(name):
    with np.errstate(invalid="ignore"):
        for size in (2, 20):
            x = np.ones((size, size))
            x[0, 0], x[1, 1] = np.inf, np.nan
            y = np.eye(size)
            np.testing.assert_array_equal(values_of(getattr(tg, name)(leaf(x), leaf(y))), x @ y)


@pytest.mark.parametrize(
    ("left", "right"), [((2, 3), (4, 3)), ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((), (3,)), ((2, 3), ())], ids=str
)
@pytest.mark.parametrize("record", [True, False], ids=["recorded", "plain"])
def test_shapes_that_have_no_product(left, right, record):
    with pytest.raises(ValueError, match="shape"):
        tg.tensor(np.ones(left), requires_grad=record) @ tg.tensor(np.ones(right))


@pytest.mark.parametrize("others", [[tg.zeros(0)], [tg.ones(1)], [tg.ones(2, 3)], [tg.zeros(0, 3)]], ids=str)
@pytest.mark.parametrize("first", [True, False])
def test_an_empty_vector_that_requires_grad_keeps_its_graph(others, first):
    x = leaf([1.0, 2.0])
    empty = x[x > 5]
    joined = tg.concatenate([empty, *others] if first else [*others, empty])
    assert joined.requires_grad
    np.testing.assert_array_equal(values_of(joined), values_of(others[0]))
    joined.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
