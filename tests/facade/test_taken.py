"""Numbers taken from a tensor by an index are views, which a program written for arrays is told where that matters."""

import types
import warnings

import numpy as np
import pytest

import tapegrad as tg

X = np.array([1.0, 2.0, 3.0])


def swap(y):
    y[0], y[1] = y[1], y[0]
    return 10 * y[0] + y[1]


def old_value(y):
    old = y[0]
    y[0] = 5 * y[1]
    return old + y[0]


def unpacked(y):
    a, _, c = y
    y *= 2.0
    return a + c


def total(y):
    a = y[0]
    for k in (1, 2):
        a += y[k]
    return a + y[0]


def total_of_an_object(y):
    thing = types.SimpleNamespace(total=y[0])
    thing.total += y[1]
    return thing.total + y[0]


def recurrence(y):
    first = y[0]
    y[1] = first * 2
    y[2] = first * 3
    return y.sum() + first


def augmented(y):
    y[0] += 1.0
    y[1] *= 2.0
    return y.sum()


def meant(y):
    a = y[0]
    a.add_(y[1])
    return y.sum() + a


def copied(y):
    y[0], y[1] = y[1].clone(), y[0].clone()
    return 10 * y[0] + y[1]


def by_arrays(y):
    y[[0, 1]] = y[[1, 0]]
    return 10 * y[0] + y[1]


def rows(y):
    m = tg.outer(y, y)
    row = m[0]
    m[0, 1] = 0.0
    return row.sum()


@pytest.mark.parametrize("function", [swap, old_value, unpacked, total, total_of_an_object])
@pytest.mark.parametrize("run", [lambda f: f, tg.compile], ids=["eager", "compiled"])
def test_what_numpy_would_do_otherwise_is_told(function, run):
    with pytest.warns(UserWarning, match="NumPy") as seen:
        tg.grad(run(lambda x: function(x * 1.0)))(X)
    assert {warning.filename for warning in seen} == {__file__}
    lines = [function.__code__.co_firstlineno + k for k in range(1, 8)]
    assert {warning.lineno for warning in seen} <= set(lines)


@pytest.mark.parametrize("function", [recurrence, augmented, meant, copied, by_arrays, rows])
def test_what_is_the_same_or_meant_is_not(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tg.grad(lambda x: function(x * 1.0))(X)


@pytest.mark.parametrize("function", [copied, by_arrays])
def test_ways_to_swap(function):
    value, gradient = tg.value_and_grad(lambda x: function(x * 1.0))(X)
    assert value == 21.0
    assert gradient.tolist() == [1.0, 10.0, 0.0]


def test_a_place_is_told_once():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            tg.grad(lambda x: old_value(x * 1.0))(X)
    assert len(seen) == 1
