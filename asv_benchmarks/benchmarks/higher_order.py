"""Derivatives of derivatives, recorded with create_graph."""

import numpy as np

import tapegrad as tg

from .common import chain, leaf, rosenbrock

grad = tg.autograd.grad


class Scalar:
    def setup(self):
        self.x = leaf()
        self.time_100_second_derivatives()
        self.time_100_third_derivatives()
        self.time_second_derivative_of_chain_of_1000_operations()

    def time_100_second_derivatives(self):
        for _ in range(100):
            (first,) = grad(tg.sin(self.x) * self.x, self.x, create_graph=True)
            grad(first, self.x)

    def time_100_third_derivatives(self):
        for _ in range(100):
            (first,) = grad(tg.sin(self.x) * self.x, self.x, create_graph=True)
            (second,) = grad(first, self.x, create_graph=True)
            grad(second, self.x)

    def time_second_derivative_of_chain_of_1000_operations(self):
        (first,) = grad(chain(self.x, 1000), self.x, create_graph=True)
        grad(first, self.x)


class HessianVectorProduct:
    params = [10, 1000, 100_000]
    param_names = ["elements"]

    def setup(self, elements):
        self.x = leaf(elements)
        self.v = tg.tensor(np.linspace(-1.0, 1.0, elements))
        self.time_rosenbrock(elements)

    def time_rosenbrock(self, elements):
        (gradient,) = grad(rosenbrock(self.x), self.x, create_graph=True)
        grad(gradient, self.x, self.v)
