"""Segments (tg.checkpoint of compiled functions) give what the function gives without them, and record less."""

import math

import numba
import numpy as np
import pytest

import tapegrad as tg
from tapegrad.native import tape

SERIES = np.cumsum(np.random.default_rng(3).normal(size=4000))


@numba.njit
def steps(level, p, y, total=0.0):
    """Numbers and an array that are differentiated by, one that isn't, a default; a number, an array and a count."""
    last = np.zeros(2)
    for t in range(len(y)):
        error = y[t] - level
        total += error * error
        level += p[0] * error
        last[0], last[1] = level, p[1]
    return total, last, len(y)


segment = tg.checkpoint(steps)


@numba.njit
def whole(p, y):
    total, last, n = steps(p[2], p, y)
    return n * math.log(total) + last[0] * last[1]


@numba.njit
def parts(p, y):
    total, last, n = segment(p[2], p, y[:500])
    for k in range(500, len(y), 500):
        total, last, m = segment(last[0], p, y[k:k + 500], total)
        n += m
    return n * math.log(total) + last[0] * last[1]


P = np.concatenate([[0.3, 0.7, 1.0], np.zeros(14)])


def test_a_program_of_segments_has_the_derivatives_of_the_whole():
    value, gradient = tg.value_and_grad(parts)(P, SERIES)
    assert value == pytest.approx(whole(P, SERIES), rel=1e-14)
    np.testing.assert_allclose(gradient, tg.grad(whole)(P, SERIES), 1e-11, 1e-11)
    assert segment(1.0, P, SERIES)[0] == steps(1.0, P, SERIES)[0]


def test_it_fits_where_the_whole_does_not():
    limit, long = tape.POOL[tape.LIMIT], np.tile(SERIES, 200)
    tape.POOL[tape.LIMIT] = tape.KEPT        # bytes; a tape of the pool may have as many already
    try:
        with pytest.raises(MemoryError, match="tg.checkpoint"):
            tg.jacrev(whole)(P, long)
        assert tg.jacrev(parts)(P, long).shape == P.shape
    finally:
        tape.POOL[tape.LIMIT] = limit


def test_second_derivatives_go_through():
    x = P[:3]
    np.testing.assert_allclose(tg.hessian(parts)(x, SERIES[:1000]), tg.hessian(whole)(x, SERIES[:1000]), 1e-9, 1e-9)


def test_what_a_segment_may_not_do():
    @numba.njit
    def writes(x):
        x[0] = 2.0
        return x.sum()
    block = tg.checkpoint(writes)
    with pytest.raises(TypeError, match=r"(?s)readonly array.*x\[0\] = 2.0"):
        tg.jacrev(numba.njit(lambda x: block(x * 1.0)))(P)
    pair = tg.checkpoint(numba.njit(lambda p: p[0] * p[1]))
    with pytest.raises(TypeError, match="numbers and arrays"):
        tg.jacrev(numba.njit(lambda x: pair((x[0], x[1]))))(P)
    several = numba.njit(lambda *x: x[0])
    with pytest.raises(TypeError, match="named arguments"):
        tg.jacrev(tg.checkpoint(several))(P)
