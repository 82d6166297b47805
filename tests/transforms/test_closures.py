"""What a function refers to without getting it: derivatives flow to it through every transform, or an error says otherwise."""

import numpy as np
import pytest

import tapegrad as tg

A = np.arange(9.0).reshape(3, 3) / 9
MANY = np.tile(A, (20, 1))
C, EXPECTED = 1.3, (np.cos(A * 1.3) * A).sum()


def sine(c):
    return lambda r: np.sin(r * c).sum()


def cosine(c):
    """Whose gradient is the sine."""
    return lambda r: -np.cos(r * c).sum() / c


INNER = {
    "vmap": lambda c: tg.vmap(sine(c))(A).sum(),
    "vmap by keyword": lambda c: tg.vmap(sine(c))(r=A).sum(),
    "vmap of vmap": lambda c: tg.vmap(tg.vmap(sine(c)))(A).sum(),
    "vmap of many": lambda c: tg.vmap(sine(c))(MANY).sum() / 20,
    "vmap of what is shared": lambda c: tg.vmap(lambda r, k: sine(c)(A), (0, None), None)(A, 1.0),
    "vmap of a compiled function": lambda c: tg.vmap(tg.compile(sine(c)))(A).sum(),
    "vmap of a compiled function, many": lambda c: tg.vmap(tg.compile(sine(c)))(MANY).sum() / 20,
    "vmap of grad": lambda c: tg.vmap(tg.grad(cosine(c)))(A).sum(),
    "vmap of grad of a compiled function": lambda c: tg.vmap(tg.grad(tg.compile(cosine(c))))(A).sum(),
    "vmap of vjp": lambda c: tg.vmap(lambda v: tg.vjp(lambda r: sine(c)(r), A)[0] * v)(np.ones(3)).sum() / 3,
    "compile": lambda c: tg.compile(sine(c))(A),
    "checkpoint": lambda c: tg.checkpoint(sine(c))(A),
    "checkpoint of grad": lambda c: tg.checkpoint(tg.grad(cosine(c)))(A).sum(),
    "checkpoint of grad of an argument": lambda c: tg.checkpoint(tg.grad(lambda r, k: cosine(k)(r)))(A, c).sum(),
    "checkpoint of vmap": lambda c: tg.checkpoint(tg.vmap(sine(c)))(A).sum(),
    "grad": lambda c: tg.grad(cosine(c))(A).sum(),
    "elementwise_grad": lambda c: tg.elementwise_grad(lambda r: -np.cos(r * c) / c)(A).sum(),
    "linearize": lambda c: tg.linearize(sine(c), A)[0],
    "something else that it gives": lambda c: tg.grad(lambda r: ((r * r).sum(), sine(c)(A)), has_aux=True)(A)[1],
}
OUTER = {
    "grad": tg.grad,
    "jvp": lambda f: lambda c: tg.jvp(f, (c,), (1.0,))[1],
    "jacobian": tg.jacobian,
    "jacfwd": tg.jacfwd,
    "grad of a compiled function": lambda f: tg.grad(tg.compile(f)),
}


@pytest.mark.filterwarnings("ignore:compile runs")
@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_derivatives_flow_to_what_a_function_refers_to(inner, outer):
    np.testing.assert_allclose(OUTER[outer](INNER[inner])(C), EXPECTED, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:compile runs")
@pytest.mark.parametrize("made", [lambda f: tg.vmap(f)(A).sum(), lambda f: tg.compile(f)(A), lambda f: f(A)])
def test_arrays_give_tensors_where_a_tensor_that_requires_grad_is_referred_to(made):
    w = tg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    made(lambda r: (r * w).sum()).backward()
    np.testing.assert_allclose(w.grad, A.sum(0))
    with tg.no_grad():
        assert not isinstance(tg.vmap(lambda r: (r * w).sum())(A), tg.Tensor)


def cubic(c):
    return lambda x: x**3 - c


def square(c):
    return lambda x: ((x - c) ** 2).sum()


optimize, ZERO, T = tg.optimize, np.zeros(1), np.arange(3.0)
LOST = {
    "root": lambda c: optimize.root(cubic(c), np.ones(1)).x[0],
    "root_scalar": lambda c: optimize.root_scalar(cubic(c), x0=1.0).root,
    "root_scalar in a bracket": lambda c: optimize.root_scalar(cubic(c), bracket=(0.0, 5.0)).root,
    "root_scalar by arguments": lambda c: optimize.root_scalar(lambda x, c: x**3 - c, (c,), x0=1.0).root,
    "minimize": lambda c: optimize.minimize(square(c), ZERO).fun,
    "minimize by arguments": lambda c: optimize.minimize(lambda x, c: ((x - c) ** 2).sum(), ZERO, (c,)).x[0],
    "minimize from": lambda c: optimize.minimize(square(1.0), tg.stack([c])).x[0],
    "minimize without derivatives": lambda c: optimize.minimize(square(c), ZERO, method="Nelder-Mead").x[0],
    "minimize a compiled function": lambda c: optimize.minimize(tg.compile(square(c)), ZERO).x[0],
    "minimize_scalar": lambda c: optimize.minimize_scalar(square(c)).x,
    "least_squares": lambda c: optimize.least_squares(lambda x: x - c, ZERO).x[0],
    "curve_fit": lambda c: optimize.curve_fit(lambda x, a: a * x * c, T, T)[0][0],
    "curve_fit of data": lambda c: optimize.curve_fit(lambda x, a: a * x, T, T * c)[0][0],
    "sparse_jacobian": lambda c: tg.sparse_jacobian(lambda r: np.sin(r * c))(A[0]).sum(),
    "sparse_hessian": lambda c: tg.sparse_hessian(lambda r: np.sin(r * c).sum())(A[0]).sum(),
}


@pytest.mark.parametrize("name", LOST)
def test_where_they_cannot_flow_an_error_says_so(name):
    with pytest.raises(RuntimeError, match="would have no derivative by (it|that)"):
        tg.grad(lambda c: LOST[name](c) * 1.0)(8.0)


def test_solutions_that_depend_on_nothing_outside_are_numbers():
    assert tg.grad(lambda c: c * optimize.minimize(square(2.0), ZERO).x[0])(3.0) == pytest.approx(2.0)
    c = tg.tensor(8.0, requires_grad=True)
    assert optimize.root_scalar(cubic(c), x0=1.0).root == pytest.approx(2.0)
