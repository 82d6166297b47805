"""Functions that Numba compiled: the room that differentiates them, tapegrad.native, is entered when there is one.

It stands on this one, and on Numba's compiler, which a program that compiles nothing needn't wait for.
"""
import importlib


def native(function):
    """The module tapegrad.native where `function` is one of Numba's dispatchers, None for all others."""
    if hasattr(function, "py_func") and type(function).__module__.partition(".")[0] == "numba":
        return importlib.import_module("tapegrad.native")
    return None


def _needed(function, name):
    module = native(function)
    if module is None:
        raise TypeError(f"{name} takes a function that numba.njit compiled, not {type(function).__name__}; "
                        "decorate it with @numba.njit")
    return module


def call(function, *arguments):
    """Calls a function that ``numba.njit`` compiled with Tensors, as one operation of their graph.

    Its result is a Tensor, or a tuple of them. Gradients, and gradients of gradients (``create_graph=True``), are computed in
    compiled code. Every argument that is a Tensor is differentiated by where it requires grad; others are handed on as they are.

    >>> import numba, tapegrad as tg
    >>> square = numba.njit(lambda x: x * x)
    >>> x = tg.tensor(3.0, requires_grad=True)
    >>> tg.call(square, x).backward()
    >>> x.grad
    tensor(6.)
    """
    return _needed(function, "call").call(function, *arguments)


def njit_grad(function, argnums=0):
    """The gradient of a function that ``numba.njit`` compiled, as such a function: it can be called from compiled code.

    It takes what `function` takes and gives the gradient with respect to the argument `argnums`, or a tuple of gradients for a
    tuple of numbers. The function gives one number.

    >>> import numba, tapegrad as tg
    >>> slope = tg.njit_grad(numba.njit(lambda x: x ** 3))
    >>> numba.njit(lambda x: slope(x) + 1.0)(2.0)
    13.0
    """
    return _needed(function, "njit_grad").njit_grad(function, argnums)


def njit_value_and_grad(function, argnums=0):
    """As :func:`njit_grad`, of a pair: the value and the gradient.

    >>> import numba, tapegrad as tg
    >>> tg.njit_value_and_grad(numba.njit(lambda x: x ** 3))(2.0)
    (8.0, 12.0)
    """
    return _needed(function, "njit_value_and_grad").njit_value_and_grad(function, argnums)


def njit_jacobian(function, argnums=0):
    """As :func:`njit_grad`, of a function that gives a vector or a number: a pair, the value and the Jacobian by one argument, a
    matrix with a row for each element of the value. Forward, so for functions of few inputs.

    >>> import numba, numpy as np, tapegrad as tg
    >>> tg.njit_jacobian(numba.njit(lambda x: x * x[0]))(np.array([1.0, 2.0]))
    (array([1., 2.]), array([[2., 0.],
           [2., 1.]]))
    """
    return _needed(function, "njit_jacobian").njit_jacobian(function, argnums)


def njit_jvp(function, argnums=0):
    """The derivative of a function that ``numba.njit`` compiled in a direction, as such a function.

    It takes what `function` takes and then a vector, as long as the argument `argnums` has elements, and gives the value and its
    derivative in that direction, a vector with an element for each of the value.

    >>> import numba, numpy as np, tapegrad as tg
    >>> tg.njit_jvp(numba.njit(lambda x: x[0] * x[1]))(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    (2.0, array([2.]))
    """
    return _needed(function, "njit_jvp").njit_jvp(function, argnums)


__all__ = ["call", "njit_grad", "njit_jacobian", "njit_jvp", "njit_value_and_grad"]
