"""The transforms, NumPy in and NumPy out, as an optimizer calls them."""

import numpy as np

import tapegrad as tg

from .common import rosenbrock


class Gradient:
    params = [10, 1000]
    param_names = ["elements"]

    def setup(self, elements):
        self.x = np.linspace(0.5, 0.9, elements)
        self.value_and_grad, self.grad = tg.value_and_grad(rosenbrock), tg.grad(rosenbrock)
        self.time_100_value_and_grads(elements)
        self.time_100_grads(elements)

    def time_100_value_and_grads(self, elements):
        for _ in range(100):
            self.value_and_grad(self.x)

    def time_100_grads(self, elements):
        for _ in range(100):
            self.grad(self.x)


class Jacobian:
    """Residuals of a sum of four exponentials: 8 parameters, 200 observations."""

    def setup(self):
        t = np.linspace(0.0, 3.0, 200)
        rates = np.array([0.3, 0.8, 1.5, 3.0])
        y = np.exp(-np.outer(t, rates)).sum(axis=1)
        self.p = np.concatenate([np.full(4, 0.9), 1.1 * rates])
        columns = t[:, np.newaxis]
        self.jacobian = tg.jacobian(lambda p: tg.exp(-columns * p[4:]) @ p[:4] - y)
        self.time_10_jacobians_of_200_residuals_by_8_parameters()

    def time_10_jacobians_of_200_residuals_by_8_parameters(self):
        for _ in range(10):
            self.jacobian(self.p)


class SecondOrder:
    params = [10, 50]
    param_names = ["elements"]

    def setup(self, elements):
        self.x, self.v = np.linspace(0.5, 0.9, elements), np.ones(elements)
        self.hessian = tg.hessian(rosenbrock)
        self.time_hessian(elements)
        self.time_10_hvps(elements)
        self.time_10_jvps(elements)

    def time_hessian(self, elements):
        self.hessian(self.x)

    def time_10_hvps(self, elements):
        for _ in range(10):
            tg.hvp(rosenbrock, self.x, self.v)

    def time_10_jvps(self, elements):
        for _ in range(10):
            tg.jvp(rosenbrock, (self.x,), (self.v,))
