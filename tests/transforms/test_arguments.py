"""What transforms take, and what they say where a derivative would be cut."""

import math
import warnings

import numpy as np
import pytest

import tapegrad as tg


def test_whole_numbers_are_starting_values():
    gradient = tg.grad(lambda x: (x**2).sum())(np.array([1, 2]))
    assert gradient.dtype == np.float64 and gradient.tolist() == [2, 4]
    assert tg.jacobian(lambda x: x**2)(np.array([1, 2], np.int32)).tolist() == [[2, 0], [0, 4]]


@pytest.mark.parametrize("data", [np.array([True]), np.array([1 + 2j]), np.array(["a"], dtype=object)])
def test_other_dtypes_are_type_errors(data):
    with pytest.raises(TypeError):
        tg.grad(lambda x: x.sum())(data)


@pytest.mark.parametrize("cut", [float, math.sin, int, lambda x: x.tolist()])
def test_a_conversion_that_cuts_the_derivative_warns_at_the_line_of_the_user(cut):
    with pytest.warns(UserWarning, match="no derivative") as caught:
        gradient = tg.grad(lambda x: cut(x) + x)(1.0)
    assert gradient == 1 and caught[0].filename == __file__


@pytest.mark.parametrize("transform", [tg.grad, tg.value_and_grad, tg.jacobian, lambda f: lambda x: tg.vjp(f, x)])
def test_a_conversion_that_cuts_the_derivative_of_a_compiled_function_warns(transform):
    with pytest.warns(UserWarning, match="no derivative") as caught:
        transform(tg.compile(lambda x: float(x) + x))(1.0)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tg.compile(lambda x: float(x) + x)(1.0) == 2  # of which no derivative is wanted


def test_conversions_that_cut_nothing_do_not_warn():
    x = tg.tensor(2.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(x * 2.0) == 4  # not in a transform: a loss that is printed
        assert tg.grad(lambda x: x * x if x.item() > 0 else x)(2.0) == 4
        assert tg.grad(lambda x: x * float(x.detach()))(2.0) == 2
        assert tg.grad(lambda x, y: x * float(y), argnums=0)(2.0, tg.tensor(3.0)) == 3


def test_the_warning_ends_with_the_function():
    with pytest.raises(ZeroDivisionError):
        tg.grad(lambda x: x / (1 // 0))(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(tg.tensor(2.0, requires_grad=True) * 2.0) == 4


@pytest.mark.parametrize("point", [3.0, np.array(3.0), tg.tensor(3.0), np.array([3.0, 1.0])])
def test_functional_takes_numbers_and_arrays(point):
    from tapegrad.autograd import functional

    size = np.size(point.detach().numpy() if isinstance(point, tg.Tensor) else point)
    hessian = functional.hessian(lambda x: (x**3).sum(), point)
    assert np.diag(np.reshape(hessian.tolist(), (size, size)))[0] == 18
    assert np.reshape(functional.jacobian(lambda x: x**2, point).tolist(), (size, size))[0, 0] == 6
    assert functional.vjp(lambda x: (x**2).sum(), point)[1].tolist() in (6, [6, 2])


@pytest.mark.parametrize("argnums", [(1, 1), (0, 1, 0), (1, -1)])
@pytest.mark.parametrize("compiled", [False, True])
def test_an_argument_is_named_once(argnums, compiled):
    def f(a, b):
        return (a * b).sum()
    x = np.arange(3.0)
    with pytest.raises(ValueError, match="names an argument twice"):
        tg.grad(tg.compile(f) if compiled else f, argnums)(x, x)
