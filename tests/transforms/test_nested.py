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
