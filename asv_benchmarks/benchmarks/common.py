"""The programs that several files measure."""

import numpy as np

import tapegrad as tg


def leaf(elements=None):
    """A tensor to differentiate by: a scalar, or a vector of `elements`."""
    return tg.tensor(0.9 if elements is None else np.linspace(0.5, 0.9, elements), requires_grad=True)


def chain(x, operations):
    """`operations` operations, half multiplications and half additions, each on the result of the one before."""
    s = x
    for _ in range(operations // 2):
        s = s * x
        s = s + 0.5
    return s


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
