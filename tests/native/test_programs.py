"""Programs in the style of what Numba's users write: gradients against central differences, and the façade where it runs them."""

import math
from collections import namedtuple

import numba
import numpy as np
import pytest

import tapegrad as tg


def differences(f, x, h=1e-6):
    x = np.asarray(x, float)
    out = np.zeros(np.shape(f(x)) + x.shape)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        out[(..., *i)] = (f(x + step) - f(x - step)) / (2 * h)
    return out


def check(f, x, *data, rtol=1e-6):
    """Value and gradient: forward, as they are by few inputs, and backward."""
    value, gradient = tg.value_and_grad(f)(x, *data)
    assert value == pytest.approx(f(x, *data), rel=1e-14)
    expected = differences(lambda x: f(x, *data), x)
    np.testing.assert_allclose(gradient, expected, rtol, rtol * np.abs(expected).max())
    assert gradient.shape == np.shape(x)
    np.testing.assert_allclose(tg.jacrev(f)(x, *data), gradient, 1e-11, 1e-12 * np.abs(expected).max())


# Arrays ---------------------------------------------------------------------------------------------------------------

@numba.njit
def made_inside(x):
    n = len(x)
    a, b, c = np.zeros(n), np.empty((2, n)), np.ones_like(x)
    d, e, f = np.full(3, x[0]), np.full(3, 2.5), np.zeros((2, n, 2), dtype=np.float64)
    count = np.zeros(n, dtype=np.int64)
    for i in range(n):
        a[i] = x[i] * x[i - 1]
        b[0, i], b[1, i] = a[i], 2.0
        count[i] += i
        f[0, i, 1] = x[i] ** 3
    c[1:] *= x[:-1]
    c += 1.0
    b[1] = x * 3
    d[0], e[1] = 7.0, x[1]
    g, (h, _, k) = x.copy(), (x[0], 1.0, x[2])
    g[:2] = x[1:3]
    g.fill(x[3]) if n > 100 else None
    s = 0.0
    for v in b[1]:
        s += math.sin(v)
    w = np.array([x[0], 1.0, x[1]])
    m = np.array([[x[0], x[1]], [x[2], 4.0]])
    t = [x[0], x[1] * x[2]]
    t.append(x[3])
    return (s + a.sum() + c[2] + (d * e).sum() + g[0] * h * k + w[2] + m[0, 1] * m[1, 0] + t[1] * t[2] + f.sum()
            + count[2] * x[0] + x.shape[0] * x[1] + b.size + b.T[1, 0] + b.reshape(2 * n)[3] + f[0, :, 1].max())  # fmt: skip


@numba.njit
def whole_arrays(x):
    y = x.reshape(2, 2)
    z = np.exp(x[1:] - x[:-1]) * 2.0 + np.abs(x[1:]) / (1 + x[0] ** 2)
    picked = x[x > 0].sum() + x[np.array([0, 2])].mean()
    bent = np.where(x > 0.5, x * x, -x).sum() + np.maximum(x, 0.1).sum() + np.clip(x, -0.2, 1.0).sum()
    products = np.dot(x, x) + (x @ np.arange(4.0)) + (y @ y)[0, 1] + np.dot(y, x[:2])[1] + (np.ones(2) @ y)[0]
    spread = np.std(x) + x.mean() + np.prod(x) + np.cumsum(x)[2] + np.linspace(x[0], x[1], 3)[1]
    system = np.linalg.inv(y + 2 * np.eye(2))[1, 0] + np.linalg.norm(y)
    rows = np.sum(y, axis=0)[1] + (y * y[0]).sum() + (y - x[2]).T[0, 1]
    return z.sum() + picked + bent + products + spread + system + rows + np.min(x) + np.argmax(x) * x[1]


T = np.linspace(0.1, 1.0, 4)


@numba.njit
def data_arrays(x):
    """Numbers with derivatives and arrays without; shapes that are broadcast; linear algebra."""
    fitted = (x[0] * np.exp(-x[1] * T) - T / x[3] + np.maximum(x[2], T)) ** 2
    y = x.copy().reshape(2, 2)
    a = y @ y.T + np.eye(2) * x[3]
    low = np.linalg.cholesky(a)
    spread = (y + x[:2] * y[:, :1])[1, 0] + (T.reshape(2, 2) * x[:2]).sum()
    y *= 1.0 + y[:1]
    return (fitted.sum() + low[1, 0] + np.linalg.slogdet(a)[1] + np.linalg.det(a) + np.trace(y) + spread + np.median(x)
            + np.interp(x[0], T, np.cos(T)) + np.interp(T, T + 0.01, x).sum() + x[np.searchsorted(T, x[0])])  # fmt: skip


@pytest.mark.parametrize("f", [made_inside, whole_arrays, data_arrays], ids=lambda f: f.py_func.__name__)
def test_arrays(f):
    check(f, np.array([0.3, 0.9, -0.5, 1.2]))


def test_second_derivatives_of_array_programs():
    @numba.njit
    def f(x):
        y = np.zeros((2, 2))
        y[0], y[1] = x[:2] ** 2, np.exp(x[2:])
        return np.dot(y[0], y[1]) / y.sum() + x[0] * x[3]
    x, v = np.array([0.3, 0.9, -0.5, 1.2]), np.array([1.0, -2.0, 0.5, 0.3])
    hessian = tg.hessian(f)(x)
    np.testing.assert_allclose(hessian, differences(tg.grad(f), x), 1e-6, 1e-6)
    np.testing.assert_allclose(hessian, hessian.T, 1e-12, 1e-12)
    np.testing.assert_allclose(tg.hvp(f, x, v), hessian @ v, 1e-12)


def test_memory_in_any_order():
    f = numba.njit(lambda a: (a[0] * a[1]).sum() + a[1, 2] ** 2)
    a = np.arange(6.0).reshape(2, 3) + 1
    want = tg.grad(f)(a)
    for other in (np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2], a[::-1][::-1]):
        np.testing.assert_array_equal(tg.grad(f)(other), want)


def test_what_is_differentiated_by_is_not_written_to():
    @numba.njit
    def f(x):
        x[0] = x[1] * 2
        return x[0] * x[1]
    x = np.array([5.0, 3.0])
    assert tg.grad(f)(x).tolist() == [0.0, 12.0]
    assert x.tolist() == [5.0, 3.0]


# Programs -------------------------------------------------------------------------------------------------------------

@numba.njit
def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@numba.njit
def black_scholes(p, strike, call):
    spot, rate, sigma, years = p
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * years) / (sigma * math.sqrt(years))
    d2 = d1 - sigma * math.sqrt(years)
    discount = math.exp(-rate * years)
    if call:
        return spot * normal_cdf(d1) - strike * discount * normal_cdf(d2)
    return strike * discount * normal_cdf(-d2) - spot * normal_cdf(-d1)


Planets = namedtuple("Planets", "mass position")


@numba.njit
def acceleration(state, mass, out):
    for k in range(2):
        out[k] = state[2 + k]
    r = math.sqrt(state[0] ** 2 + state[1] ** 2)
    for k in range(2):
        out[2 + k] = -mass * state[k] / r**3


@numba.njit
def orbit(start, mass, steps):
    """Runge and Kutta's fourth order, with buffers, as one writes it."""
    state, dt = start.copy(), 0.05
    k1, k2, k3, k4 = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    for _ in range(steps):
        acceleration(state, mass, k1)
        acceleration(state + 0.5 * dt * k1, mass, k2)
        acceleration(state + 0.5 * dt * k2, mass, k3)
        acceleration(state + dt * k3, mass, k4)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state[0] * state[3] + state[1]


@numba.njit
def kalman(p, y):
    """The log-likelihood of a local linear trend."""
    q, r = np.exp(p[:2]), np.exp(p[2])
    m, c = np.zeros(2), 10.0 * np.eye(2)
    c = c + np.zeros((2, 2))
    a = np.array([[1.0, 1.0], [0.0, 1.0]])
    log = 0.0
    for t in range(len(y)):
        m = a @ m
        c = a @ c @ a.T
        c[0, 0] += q[0]
        c[1, 1] += q[1]
        s = c[0, 0] + r
        e = y[t] - m[0]
        gain = c[:, 0] / s
        m = m + gain * e
        c = c - np.outer(gain, c[0])
        log -= 0.5 * (np.log(2 * np.pi * s) + e * e / s)
    return log


@numba.njit
def smoothing(p, y):
    """The negative log-likelihood of exponential smoothing with a damped trend."""
    alpha, beta, damping = 1 / (1 + math.exp(-p[0])), 1 / (1 + math.exp(-p[1])), 1 / (1 + math.exp(-p[2]))
    level, trend, total = y[0], 0.0, 0.0
    for t in range(1, len(y)):
        forecast = level + damping * trend
        error = y[t] - forecast
        total += error * error
        level = forecast + alpha * error
        trend = damping * trend + alpha * beta * error
    return 0.5 * len(y) * math.log(total)


@numba.njit
def newton_root(p):
    """A while loop that ends by the value, with a return in the middle."""
    z, k = 1.0, 0
    while True:
        step = (z**3 - p[0] * z - p[1]) / (3 * z * z - p[0])
        z -= step
        k += 1
        if abs(step) < 1e-14:
            return z
        if k > 50:
            break
    return -1.0


@numba.njit
def factorial_like(x, n):
    if n == 0:
        return 1.0
    return x[0] * factorial_like(x, n - 1) + x[1]


SERIES = np.cumsum(np.random.default_rng(3).normal(size=40))


@pytest.mark.parametrize(
    ("f", "x", "data"),
    [
        (black_scholes, np.array([100.0, 0.03, 0.2, 1.5]), (105.0, True)),
        (orbit, np.array([1.0, 0.1, 0.0, 0.9]), (1.1, 30)),
        (kalman, np.array([-1.0, -2.0, 0.3]), (SERIES,)),
        (smoothing, np.array([0.3, -0.5, 1.0]), (SERIES,)),
        (newton_root, np.array([2.0, 5.0]), ()),
        (factorial_like, np.array([0.7, 0.2]), (4,)),
    ],
    ids=lambda f: getattr(getattr(f, "py_func", None), "__name__", ""),
)
def test_programs(f, x, data):
    check(f, x, *data)


def test_newton_root_has_the_derivative_of_the_implicit_function():
    p = np.array([2.0, 5.0])
    z, gradient = tg.value_and_grad(newton_root)(p)
    np.testing.assert_allclose(gradient, np.array([z, 1.0]) / (3 * z * z - p[0]), 1e-12)


def test_the_facade_gives_the_same():
    """The same text on Tensors: a loop of scalars with helpers."""
    x = np.array([0.3, -0.5, 1.0])

    def facade(p):
        alpha, beta, damping = (1 / (1 + (-q).exp()) for q in p)
        level, trend, total = SERIES[0], 0.0, 0.0
        for t in range(1, len(SERIES)):
            forecast = level + damping * trend
            error = SERIES[t] - forecast
            total += error * error
            level = forecast + alpha * error
            trend = damping * trend + alpha * beta * error
        return 0.5 * len(SERIES) * total.log()

    np.testing.assert_allclose(tg.grad(smoothing)(x, SERIES), tg.grad(facade)(x), 1e-10)
    np.testing.assert_allclose(tg.hessian(smoothing)(x, SERIES), tg.hessian(facade)(x), 1e-9)


def test_trees_of_arguments():
    @numba.njit
    def f(planets, pair):
        return planets.mass * planets.position[0] ** 2 + pair[0][1] * pair[1]
    planets, pair = tg.grad(f, (0, 1))(Planets(2.0, np.array([3.0, 1.0])), (np.ones(2), 4.0))
    assert isinstance(planets, Planets) and planets.mass == 9.0 and planets.position.tolist() == [12.0, 0.0]
    assert pair[0].tolist() == [0.0, 4.0] and pair[1] == 1.0


def test_functions_among_the_arguments_and_in_closures():
    factor, table = 3.0, (1.0, 2.0)

    @numba.njit
    def cube(x):
        return factor * x**3

    @numba.njit
    def f(x, g):
        return g(x) + cube(x) * table[1]
    assert tg.grad(f)(2.0, cube) == 3 * 36.0
