import numpy as np
import pytest

import tapegrad as tg

X = np.array([1.0, 2.0])


def test_gradient_of_a_gradient():
    assert tg.grad(tg.grad(lambda x: x**3))(2.0) == pytest.approx(12.0)


def test_jacobian_of_a_gradient_is_the_hessian():
    hessian = tg.jacobian(tg.grad(lambda x: (x**3).sum()))
    np.testing.assert_allclose(hessian(X), np.diag(6 * X))


def test_gradient_through_a_jacobian():
    gradient = tg.grad(lambda a: tg.jacobian(lambda b: b**3)(a).sum())
    np.testing.assert_allclose(gradient(X), 6 * X)


def test_third_derivative():
    assert tg.grad(tg.grad(tg.grad(lambda x: x**4)))(2.0) == pytest.approx(48.0)


def test_jacobian_of_a_number_by_a_number():
    assert tg.jacobian(lambda a: a**2)(3.0) == pytest.approx(6.0)


# Functions that write into their arguments --------------------------------------------------------------------------------

def doubled(x):
    x[0] = x[0] * 2.0
    x[1:] *= 3.0
    return (x**3).sum()


WRITTEN = {
    "grad": tg.grad,
    "jacfwd": tg.jacfwd,
    "jacobian of grad": lambda f: tg.jacobian(tg.grad(f)),
    "jacfwd of grad": lambda f: tg.jacfwd(tg.grad(f)),
    "hessian": tg.hessian,
    "jacfwd of hessian": lambda f: tg.jacfwd(tg.hessian(f)),
    "hvp": lambda f: lambda x: tg.hvp(f, x, np.ones(3)),
    "vjp": lambda f: lambda x: tg.vjp(f, x)[1](1.0)[0],
    "jvp": lambda f: lambda x: tg.jvp(f, (x,), (np.ones(3),))[1],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_derivatives_are_by_what_an_argument_was_before_it_was_written(name):
    """Where it is a node of a graph, as in an outer transform; others are not written, and the error says what to do."""
    transform, x = WRITTEN[name], np.array([1.0, 2.0, 3.0])
    expected = transform(lambda x: doubled(x * 1.0))(x)
    given = tg.tensor(x, requires_grad=True)
    np.testing.assert_allclose(transform(doubled)(given).detach().numpy(), expected, rtol=1e-14)
    assert given.tolist() == x.tolist()
    if " of " in name:
        np.testing.assert_allclose(transform(doubled)(x), expected, rtol=1e-14)
    else:
        with pytest.raises(RuntimeError, match=r"whose gradient would be lost; write into a copy: x = x.clone\(\)"):
            transform(doubled)(x)


@pytest.mark.filterwarnings("ignore:compile runs doubled eagerly")
def test_derivatives_of_a_compiled_function_that_writes_into_its_argument():
    x = np.array([1.0, 2.0, 3.0])
    expected = tg.hessian(lambda x: doubled(x * 1.0))(x)
    hessian = tg.hessian(tg.compile(doubled))
    for _ in range(3):
        np.testing.assert_allclose(hessian(x), expected, rtol=1e-14)
