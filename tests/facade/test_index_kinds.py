"""Indices of every kind, again and again: what is kept from the first time must not serve for something else."""

import numpy as np
import pytest

from .subject import leaf, tg

DATA = np.arange(12.0).reshape(3, 4)
A = np.array


def same(index, data=DATA, plain=None):
    """Recorded and computed, three times each; and the gradient of what was picked."""
    plain = index if plain is None else plain
    expected = data[plain]
    mask = np.zeros(data.shape)
    np.add.at(mask, plain, 1.0)
    x = leaf(data)
    for y in (leaf(data), tg.tensor(data), leaf(data) * 1, x, x, x):
        assert y[index].tolist() == expected.tolist()
    x[index].sum().backward()
    assert x.grad.tolist() == mask.tolist()


@pytest.mark.tapegrad_only("indices that PyTorch doesn't take, such as negative steps")
@pytest.mark.parametrize(
    "index",
    [
        1,
        -1,
        np.int64(1),
        np.uint8(2),
        A(1),
        slice(1, 3),
        slice(None, None, -1),
        slice(-2, None),
        slice(np.int64(1), np.int64(3)),
        (1, 2),
        (-1, -1),
        (1, slice(None)),
        (slice(None), 1),
        (None, 1),
        (..., 1),
        (1, ..., None),
        (slice(None, None, -2), slice(None, None, -1)),
        [0, 2],
        [True, False, True],
        [[0, 1], [2, 0]],
        A([0, 0, 2]),
        A([True, False, True]),
        (A([0, 1]), A([1, 1])),
        (A([0, 1]), [3, 3]),
        (slice(None), [0, 0]),
        (A([0, 2]), 1),
        (A([True, False, True]), A([0, 3])),
        DATA > 5,
        (None, A([1, 1]), ..., 0),
        A([], int),
        [],
        True,
        False,
        (True, 1),
    ],
    ids=str,
)
def test_kinds_of_indices(index):
    same(index)


def test_tensors_as_indices():
    for index in (tg.tensor([0, 2, 0]), tg.tensor([True, False, True]), tg.tensor(1), tg.tensor([[1], [0]])):
        same(index, plain=index.numpy() if index.ndim else int(index))
    same((tg.tensor([0, 1]), tg.tensor([2, 2])), plain=(A([0, 1]), A([2, 2])))


@pytest.mark.tapegrad_only("indices that PyTorch takes otherwise")
def test_what_is_equal_as_a_key_is_told_apart():
    x = leaf(DATA)
    for first, second in (
        (1, True),
        ((0, 1), (False, 1)),
        ([1, 0, 1], [True, False, True]),
        ([0], [False, False, False]),
        (A([1, 0, 1]), A([True, False, True])),
        (A([1, 0, 1], np.int8), A([True, False, True])),
        (A([[0, 1]]), A([0, 1])),
        (slice(0, 1), (0, 1)),
        ((slice(0, 1),), ((0, 1),)),
        ((slice(0, 1), 1), ((0, 1), 1)),
        ([0, 1], (0, 1)),
    ):
        for index in (first, second, first, second):
            assert x[index].tolist() == DATA[index].tolist()
    x[1:3]
    for index in (slice(1.0, 3.0), 1.0, (1.0, 2), (slice(1.0, 3), 1)):
        with pytest.raises((IndexError, TypeError)):
            x[index]


def test_an_index_that_changes_is_read_again():
    x, index, where = leaf(DATA), A([0, 1]), tg.tensor([0, 1])
    for k in (2, 1, 0):
        index[0] = k
        where[0] = k
        assert x[index].tolist() == DATA[index].tolist()
        assert x[where].tolist() == DATA[index].tolist()
        assert x.index_select(0, where).tolist() == DATA[index].tolist()
        assert x.gather(0, where.reshape(1, 2)).tolist() == [[DATA[k, 0], DATA[1, 1]]]


@pytest.mark.tapegrad_only("PyTorch shares the memory of the index")
def test_what_is_recorded_keeps_the_index_of_then():
    x, index = leaf([1.0, 2.0, 3.0]), A([0, 1])
    y = x[index] * 2
    index[:] = 2
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 0.0]


OUTSIDE = [
    (3, "axis 0 with size 3"),
    (-4, "axis 0 with size 3"),
    ((0, 4), "axis 1 with size 4"),
    ((0, -5), "axis 1 with size 4"),
    (A([0, 3]), "axis 0 with size 3"),
    ([0, -4], "axis 0 with size 3"),
    ((slice(None), A([4])), "axis 1 with size 4"),
    ((0, 0, 0), "too many indices"),
    (A([True, False]), "size of axis is 3|axis 0"),
]


@pytest.mark.tapegrad_only("PyTorch words them otherwise")
@pytest.mark.parametrize("make", [tg.tensor, leaf, lambda d: leaf(d) * 1], ids=["plain", "leaf", "result"])
@pytest.mark.parametrize(("index", "match"), OUTSIDE, ids=str)
def test_indices_outside(index, match, make):
    x = make(DATA)
    for _ in range(2):
        with pytest.raises(IndexError, match=match):
            x[index]
    if not (x.is_leaf and x.requires_grad):
        with pytest.raises(IndexError, match=match):
            x[index] = 0.0


def test_rows_of_many_shapes_and_views_of_them():
    for shape in ((5,), (2, 3), (4, 1, 2), (3, 0)):
        data = np.arange(float(np.prod(shape))).reshape(shape)
        x = leaf(data)
        rows = list(x)
        assert [r.tolist() for r in rows] == data.tolist()
        sum(((k + 1) * r).sum() for k, r in enumerate(rows)).backward()
        weights = np.arange(1.0, shape[0] + 1).reshape(-1, *[1] * (len(shape) - 1))
        assert x.grad.tolist() == np.broadcast_to(weights, shape).tolist()


@pytest.mark.tapegrad_only("PyTorch refuses to write into one of several views")
def test_rows_see_what_is_written():
    x = leaf(np.zeros((3, 2))) * 1
    rows = list(x)
    x[1] = 5.0
    rows[2].fill_(7.0)
    assert rows[1].tolist() == [5.0, 5.0]
    assert x.tolist() == [[0.0, 0.0], [5.0, 5.0], [7.0, 7.0]]


def test_rows_of_a_long_vector_go_over_many_tapes():
    x = leaf(np.arange(3000.0))
    total = 0.0
    for v in x:
        total = total + v * v
    total.backward()
    assert x.grad.tolist() == (2 * np.arange(3000.0)).tolist()
    assert sum(x.detach()).item() == 2999 * 1500


@pytest.mark.filterwarnings("ignore:The use of")
def test_views_that_are_remembered_follow_shape_and_arguments():
    for shape in ((2, 3), (3, 2), (6,)):
        x = leaf(np.arange(6.0).reshape(shape))
        for _ in range(2):
            assert x.reshape(3, 2).shape == (3, 2)
            assert x.reshape(-1).shape == (6,)
            assert x.unsqueeze(0).shape == (1, *shape)
            assert x.unsqueeze(-1).shape == (*shape, 1)
            assert x.flatten().shape == (6,)
            assert x.transpose(0, -1).shape == shape[::-1]
            assert x.T.tolist() == np.arange(6.0).reshape(shape).T.tolist()
            assert x.T.reshape(-1).tolist() == np.arange(6.0).reshape(shape).T.reshape(-1).tolist()


@pytest.mark.parametrize("write", [
    lambda m: m.fill_(False),
    lambda m: m.__setitem__(0, False),
    lambda m: m[:1].fill_(False),
    lambda m: m.detach().zero_(),
    lambda m: m.numpy().fill(False),
    lambda m: m.data.fill_(False),
])  # fmt: skip
def test_a_mask_that_is_written_between_two_uses(write):
    """It enters a tape converted, once, until somebody writes it."""
    x, mask = leaf([1.0, 2.0]), tg.tensor([True, False])
    first = tg.where(mask, x, 0.0)
    again = tg.where(mask, x, 0.0)
    write(mask)
    second = tg.where(mask, x, 0.0)
    assert first.tolist() == again.tolist() == [1.0, 0.0]
    assert second.tolist() == [0.0, 0.0]
    second.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
