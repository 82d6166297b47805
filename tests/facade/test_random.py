"""What draws by the numbers of a tensor, and what fills one in place."""

import math

import numpy as np
import pytest

from .subject import ShapeError, array, assert_same, leaf, tg

RangeError = (ValueError, RuntimeError)  # of numbers that a distribution has no place for
DtypeError = (TypeError, RuntimeError)

FILLS = {
    "normal_": lambda x: x.normal_(2.0, 3.0),
    "uniform_": lambda x: x.uniform_(-1.0, 3.0),
    "exponential_": lambda x: x.exponential_(2.0),
    "bernoulli_": lambda x: x.bernoulli_(0.25),
    "bernoulli_ of each": lambda x: x.bernoulli_(tg.tensor([0.25, 0.25])),
}
MOMENTS = {"normal_": (2, 3), "uniform_": (1, 4 / math.sqrt(12)), "exponential_": (0.5, 0.5),
           "bernoulli_": (0.25, math.sqrt(3) / 4), "bernoulli_ of each": (0.25, math.sqrt(3) / 4)}  # fmt: skip
DRAWS = {
    "bernoulli": lambda: tg.bernoulli(tg.full((2000,), 0.25)),
    "bernoulli, method": lambda: tg.ones(2000).bernoulli(0.25),
    "poisson": lambda: tg.poisson(tg.full((2000,), 4.0)),
    "multinomial": lambda: tg.multinomial(tg.tensor([1.0, 0.0, 3.0]), 2000, True),
}
DRAWN = {"bernoulli": (0.25, math.sqrt(3) / 4), "bernoulli, method": (0.25, math.sqrt(3) / 4), "poisson": (4, 2),
         "multinomial": (1.5, math.sqrt(3) / 2)}  # fmt: skip
fills = pytest.mark.parametrize("name", FILLS)


@fills
def test_a_fill_is_in_place_and_of_its_distribution(name):
    tg.manual_seed(0)
    x = tg.zeros(1000, 2)
    version = x._version
    assert FILLS[name](x) is x and x._version == version + 1
    mean, deviation = MOMENTS[name]
    assert abs(array(x).mean() - mean) < 0.1 * deviation and abs(array(x).std() / deviation - 1) < 0.1


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_is_of_its_distribution(name):
    tg.manual_seed(0)
    x = array(DRAWS[name]())
    mean, deviation = DRAWN[name]
    assert x.shape == (2000,)
    assert abs(x.mean() - mean) < 0.1 * deviation and abs(x.std() / deviation - 1) < 0.1


@pytest.mark.parametrize("draw", [*DRAWS.values(), *(lambda f=f: f(tg.zeros(50, 2)) for f in FILLS.values())])
def test_manual_seed_repeats_the_draws(draw):
    tg.manual_seed(3)
    first, second = draw().tolist(), draw().tolist()
    tg.manual_seed(3)
    assert draw().tolist() == first != second


@fills
def test_a_fill_is_seen_by_views_and_keeps_the_dtype(name):
    x = tg.zeros(3, 2, dtype=tg.float32)
    FILLS[name](x[1:])
    assert x[0].tolist() == [0, 0] and x.dtype == tg.float32
    y = tg.zeros(3, 2).T
    FILLS[name](y.T)
    assert set(y.flatten().tolist()) <= {0.0, 1.0} or bool((y != 0).all())


@fills
def test_a_leaf_that_requires_grad_is_filled_under_no_grad_alone(name):
    x = leaf([[1.0, 2.0]])
    with pytest.raises(RuntimeError, match="leaf"):
        FILLS[name](x)
    with pytest.raises(RuntimeError, match="leaf"):
        FILLS[name](x[:])
    assert x.tolist() == [[1, 2]]
    with tg.no_grad():
        FILLS[name](x)
    assert x.tolist() != [[1, 2]] and x.requires_grad and x.is_leaf


@fills
def test_what_was_filled_passes_no_gradient_on(name):
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x * 2
    FILLS[name](y[0])
    (y * 3).sum().backward()
    assert_same(x.grad, [[0, 0], [6, 6]])
    y = x * 2
    FILLS[name](y)
    assert type(y.grad_fn).__name__.startswith(name.split("_")[0].capitalize() + "Backward")
    y.sum().backward()
    assert_same(x.grad, [[0, 0], [6, 6]])


@fills
def test_a_value_that_a_derivative_needs_is_not_filled_unnoticed(name):
    x = leaf([[1.0, 2.0]])
    y = x.exp()
    FILLS[name](y)
    z = x.sin() * tg.ones(1, 2)
    y = x.exp()
    w = y * y
    FILLS[name](y)
    with pytest.raises(RuntimeError, match="modified|overwritten|written"):
        w.sum().backward()
    z.sum().backward()
    assert_same(x.grad, np.cos([[1.0, 2.0]]))


def test_distributions_of_one_value():
    assert_same(tg.zeros(2).normal_(3.0, 0.0), [3, 3])
    assert_same(tg.zeros(2).uniform_(3.0, 3.0), [3, 3])
    assert_same(tg.zeros(2).bernoulli_(1.0), [1, 1])
    assert_same(tg.zeros(2, 2).bernoulli_(tg.tensor([0.0, 1.0])), [[0, 1], [0, 1]])
    assert_same(tg.bernoulli(tg.tensor([0.0, 1.0])), [0, 1])
    assert_same(tg.zeros(2).bernoulli_(1), [1, 1])
    assert_same(tg.tensor([2, 3]).bernoulli(1), [1, 1])
    assert_same(tg.poisson(tg.zeros(2)), [0, 0])


def test_bernoulli_fills_any_dtype():
    for dtype in (tg.int64, tg.int32, tg.bool, tg.float32):
        x = tg.zeros(3, dtype=dtype)
        assert x.bernoulli_(1.0).tolist() == [1, 1, 1] and x.dtype == dtype


def test_dtypes_of_draws():
    assert tg.bernoulli(tg.ones(2, dtype=tg.float32)).dtype == tg.float32
    assert tg.poisson(tg.ones(2, dtype=tg.float32)).dtype == tg.float32
    assert tg.multinomial(tg.ones(2, dtype=tg.float32), 1).dtype == tg.int64


def test_rows_of_multinomial_are_drawn_by_their_own_weights():
    x = tg.tensor([[1.0, 0.0], [0.0, 2.0]]).multinomial(3, True)
    assert x.tolist() == [[0, 0, 0], [1, 1, 1]]
    x = tg.multinomial(tg.ones(4, 5), 5)
    assert np.sort(array(x), 1).tolist() == [[0, 1, 2, 3, 4]] * 4


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tg.zeros(2).normal_(0.0, -1.0), RangeError),
        (lambda: tg.zeros(2).uniform_(2.0, 1.0), RangeError),
        (lambda: tg.zeros(2).exponential_(0.0), RangeError),
        (lambda: tg.zeros(2).bernoulli_(1.5), RangeError),
        (lambda: tg.zeros(2).bernoulli_(tg.ones(3)), ShapeError),
        (lambda: tg.zeros(2, dtype=tg.int64).normal_(), DtypeError),
        (lambda: tg.zeros(2, dtype=tg.int64).uniform_(), DtypeError),
        (lambda: tg.zeros(2, dtype=tg.int64).exponential_(), DtypeError),
        (lambda: tg.ones(2).expand(3, 2).normal_(), RuntimeError),
        (lambda: tg.bernoulli(tg.tensor([2.0])), RangeError),
        (lambda: tg.bernoulli(tg.tensor([1])), DtypeError),
        (lambda: tg.poisson(tg.tensor([-1.0])), RangeError),
        (lambda: tg.poisson(tg.tensor([1])), DtypeError),
        (lambda: tg.multinomial(tg.tensor([0.0, 0.0]), 1), RangeError),
        (lambda: tg.multinomial(tg.tensor([-1.0, 2.0]), 1), RangeError),
        (lambda: tg.multinomial(tg.tensor([1.0, math.inf]), 1), RangeError),
        (lambda: tg.multinomial(tg.tensor([1.0, 1.0]), 3), RangeError),
        (lambda: tg.multinomial(tg.tensor([1.0, 1.0]), 0), RangeError),
        (lambda: tg.multinomial(tg.ones(1, 2, 3), 1), RangeError),
        (lambda: tg.multinomial(tg.tensor([1, 1]), 1), DtypeError),
    ],
)
def test_what_there_is_no_distribution_for(call, error):
    with pytest.raises(error):
        call()
