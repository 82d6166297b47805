"""implicit_root, fixed_point and odeint against closed forms and central differences."""

import numpy as np
import pytest

import tapegrad as tg


def central(function, x, h=1e-6):
    x = np.asarray(x, float)
    out = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        d = np.zeros(x.shape)
        d[i] = h
        out[i] = (float(function(x + d)) - float(function(x - d))) / (2 * h)
    return out


def cube_root(a):
    return tg.implicit_root(lambda x, a: x**3 - a, 1.0, a)


def test_a_cube_root_and_its_derivatives():
    assert cube_root(8.0) == pytest.approx(2, rel=1e-12)
    assert tg.grad(cube_root)(8.0) == pytest.approx(1 / 12, rel=1e-12)
    assert tg.grad(tg.grad(cube_root))(8.0) == pytest.approx(-2 / 9 * 8 ** (-5 / 3), rel=1e-12)
    assert tg.grad(tg.grad(tg.grad(cube_root)))(8.0) == pytest.approx(10 / 27 * 8 ** (-8 / 3), rel=1e-12)
    assert tg.jvp(cube_root, (8.0,), (3.0,))[1] == pytest.approx(0.25, rel=1e-12)


def test_backward_and_create_graph():
    a = tg.tensor(8.0, requires_grad=True)
    x = cube_root(a)
    assert isinstance(x, tg.Tensor) and x.shape == ()
    (g,) = tg.autograd.grad(x, a, create_graph=True)
    g.backward()
    assert a.grad.item() == pytest.approx(-2 / 9 * 8 ** (-5 / 3), rel=1e-12)
    with tg.no_grad():
        assert not cube_root(a).requires_grad
    assert isinstance(cube_root(np.array(8.0)), float)


def system(theta):
    a, b = theta["A"], theta["b"]
    return tg.implicit_root(lambda x, th: th["A"] @ x + x**3 - th["b"], np.zeros(2), {"A": a, "b": b})


def test_a_system_with_a_tree_of_parameters():
    theta = {"A": np.array([[3.0, 1.0], [1.0, 2.0]]), "b": np.array([1.0, 2.0])}
    found = tg.grad(lambda th: (system(th) ** 2).sum())(theta)
    for name in theta:
        expected = central(lambda v, name=name: (system({**theta, name: v}) ** 2).sum(), theta[name])
        np.testing.assert_allclose(found[name], expected, rtol=1e-7, atol=1e-9)
    hessian = tg.hessian(lambda b: (system({**theta, "b": b}) ** 2).sum())(theta["b"])
    gradient = tg.grad(lambda b: (system({**theta, "b": b}) ** 2).sum())
    for k in range(2):
        np.testing.assert_allclose(hessian[k], central(lambda b, k=k: gradient(b)[k], theta["b"]), rtol=1e-6)


def test_a_solver_of_ones_own():
    seen = []

    def newton(residual, x):
        seen.append(x)
        for _ in range(50):
            x = x - np.asarray(residual(x)) / 12
        return x

    root = lambda a: tg.implicit_root(lambda x, a: x**3 - a, 2.1, a, solver=newton)
    assert tg.grad(root)(8.0) == pytest.approx(1 / 12, rel=1e-8)
    assert seen and isinstance(seen[0], np.ndarray)


def test_errors_of_implicit_root():
    b = tg.tensor(2.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="refers to tensors that require grad besides theta"):
        tg.implicit_root(lambda x, a: x * b - a, 1.0, 1.0)
    with pytest.raises(RuntimeError, match="no root was found"):
        tg.implicit_root(lambda x, a: x * x + a, 1.0, 1.0)
    with pytest.raises(ValueError, match="as many numbers as x has"):
        tg.implicit_root(lambda x, a: x[:1] * a, [1.0, 2.0], 1.0, solver=lambda f, x: x)
    with pytest.raises(TypeError, match="takes a function"):
        tg.implicit_root(1.0, 1.0, 1.0)


def test_fixed_point():
    cosine = lambda a: tg.fixed_point(lambda x, a: np.cos(a * x), 0.5, a)
    x = cosine(1.0)
    assert x == pytest.approx(np.cos(x), rel=1e-11)
    assert tg.grad(cosine)(1.0) == pytest.approx(-x * np.sin(x) / (1 + np.sin(x)), rel=1e-10)
    assert tg.grad(tg.grad(cosine))(1.0) == pytest.approx(central(tg.grad(cosine), 1.0, 1e-5), rel=1e-7)


def test_fixed_point_of_vectors_and_its_errors():
    m = np.array([[0.2, 0.3], [-0.1, 0.4]])
    found = tg.fixed_point(lambda x, b: m @ x + b, np.zeros(2), np.ones(2))
    np.testing.assert_allclose(found, np.linalg.solve(np.eye(2) - m, np.ones(2)), rtol=1e-11)
    jacobian = tg.jacobian(lambda b: tg.fixed_point(lambda x, b: m @ x + b, np.zeros(2), b))(np.ones(2))
    np.testing.assert_allclose(jacobian, np.linalg.inv(np.eye(2) - m), rtol=1e-10)
    with pytest.raises(RuntimeError, match="did not settle within 20 steps"):
        tg.fixed_point(lambda x, a: a * x + 1, 1.0, 2.0, maxiter=20)
    with pytest.raises(RuntimeError, match=r"the last one changed x by 0\.344"):
        tg.fixed_point(lambda x, a: a * x * (1 - x), 0.3, 3.3, maxiter=500)
    with pytest.raises(RuntimeError, match="not finite after 646 steps"):
        tg.fixed_point(lambda x, a: a * x + 1, 1.0, 3.0)


def decay(y0, k, t1=2.0, **how):
    times = tg.stack([tg.tensor(0.0), t1]) if isinstance(t1, tg.Tensor) else [0.0, t1]
    return tg.odeint(lambda y, t, k: -k * y, y0, times, k, **how)[-1]


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "BDF", "LSODA"])
def test_exponential_decay(method):
    rtol = 1e-4 if method == "BDF" else 1e-6
    assert decay(3.0, 0.5, method=method) == pytest.approx(3 * np.exp(-1), rel=rtol)
    found = tg.grad(lambda y, k, t: decay(y, k, t, method=method), (0, 1, 2))(3.0, 0.5, 2.0)
    np.testing.assert_allclose(found, [np.exp(-1), -6 * np.exp(-1), -1.5 * np.exp(-1)], rtol=rtol)


def test_second_derivatives_of_a_solution():
    e = np.exp(-1)
    found = tg.hessian(decay, (0, 1))(3.0, 0.5)
    np.testing.assert_allclose(np.array(found, float), [[0, -2 * e], [-2 * e, 12 * e]], rtol=1e-6, atol=1e-8)


def lotka_volterra(y, t, p):
    return [p[0] * y[0] - p[1] * y[0] * y[1] + 0.1 * np.sin(t), -p[2] * y[1] + p[3] * y[0] * y[1]]


def test_a_system_that_depends_on_time():
    y0, times, p = np.array([1.0, 0.5]), np.array([0.3, 1.0, 2.0, 2.5]), np.array([1.5, 1.0, 3.0, 1.0])
    weights = np.array([[5.0, 7.0], [1.0, 2.0], [-1.0, 3.0], [0.5, 1.0]])

    def loss(y0, times, p):
        return (tg.odeint(lotka_volterra, y0, times, p) ** 2 * weights).sum()

    found = tg.grad(loss, (0, 1, 2))(y0, times, p)
    for k, g in enumerate(found):
        arguments = [y0, times, p]
        expected = central(lambda v, k=k, a=arguments: loss(*a[:k], v, *a[k + 1 :]), arguments[k], 1e-5)
        np.testing.assert_allclose(g, expected, rtol=1e-6, atol=1e-5)


def test_shapes_of_solutions():
    y = tg.odeint(lambda y, t: -y, np.ones((2, 3)), [1.0, 0.5, 0.0])
    assert isinstance(y, np.ndarray) and y.shape == (3, 2, 3)
    np.testing.assert_allclose(y[-1], np.e, rtol=1e-7)
    assert tg.odeint(lambda y, t: -y, 2.0, [1.0]).tolist() == [2.0]
    y0 = tg.ones(2, 3, requires_grad=True)
    tg.odeint(lambda y, t: -y, y0, [0.0, 1.0]).sum().backward()
    np.testing.assert_allclose(y0.grad.numpy(), 1 + np.exp(-1), rtol=1e-6)
    assert tg.grad(lambda y: tg.odeint(lambda y, t: -y, y, [1.0])[0])(2.0) == 1.0


def test_errors_of_odeint():
    with pytest.raises(ValueError, match="rise or fall"):
        tg.odeint(lambda y, t: y, 1.0, [0.0, 1.0, 0.5])
    with pytest.raises(ValueError, match="vector of times"):
        tg.odeint(lambda y, t: y, 1.0, 2.0)
    with pytest.raises(ValueError, match="derivative of each element"):
        tg.odeint(lambda y, t: y[:1], [1.0, 2.0], [0.0, 1.0])
    with np.errstate(all="ignore"), pytest.raises(RuntimeError, match="integration failed"):
        tg.odeint(lambda y, t: y * y, 1.0, [0.0, 2.0])
    b = tg.tensor(2.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="hand them on as params"):
        tg.odeint(lambda y, t: b * y, 1.0, [0.0, 1.0])


def test_the_checkers_agree():
    """gradcheck, gradgradcheck and check_grads, in both modes and to the second order."""
    a = tg.tensor([1.0, 2.0], requires_grad=True)
    b = tg.tensor([3.0, 1.0], requires_grad=True)

    def roots(a, b):
        return tg.implicit_root(lambda x, th: th[0] * x**3 + x - th[1], np.ones(2), (a, b))

    assert tg.autograd.gradcheck(roots, (a, b)) and tg.autograd.gradgradcheck(roots, (a, b))
    assert roots(a, b).grad_fn.name() == "ImplicitRootBackward"

    def solution(k, y):
        return tg.odeint(lambda y, t, k: tg.sin(t) * y - k * y**2, y, [0.0, 0.5, 1.0], k, rtol=1e-11, atol=1e-11)

    tg.testing.check_grads(solution, modes=("fwd", "rev"), order=2)(0.7, np.array([1.0, 2.0]))


def test_tensors_of_float32():
    a = tg.tensor(8.0, dtype=tg.float32, requires_grad=True)
    cube_root(a).backward()
    assert a.grad.dtype == tg.float32 and a.grad.item() == pytest.approx(1 / 12)


def test_the_starting_point_has_no_influence():
    assert tg.grad(lambda x0: tg.implicit_root(lambda x, a: x**3 - a, x0, 8.0))(1.0) == 0
