"""Writing into tensors: into results on the way to a gradient, and into parameters between the steps of a training."""

import tapegrad as tg

from .common import leaf


class InPlace:
    params = [8, 4096]
    param_names = ["elements"]

    def setup(self, elements):
        self.x = leaf(elements)
        self.time_gradient_through_100_methods(elements)
        self.time_gradient_through_100_assignments(elements)
        self.parameter = leaf(elements)
        self.step = tg.ones(elements)
        self.time_100_updates_under_no_grad(elements)

    def time_gradient_through_100_methods(self, elements):
        s = self.x.clone()
        for _ in range(50):
            s.mul_(self.x)
            s.add_(0.5)
        s.sum().backward()

    def time_gradient_through_100_assignments(self, elements):
        s = tg.zeros(elements)
        for i in range(100):
            s[i % elements] = self.x[0]
        s.sum().backward()

    def time_100_updates_under_no_grad(self, elements):
        with tg.no_grad():
            for _ in range(100):
                self.parameter -= 1e-6 * self.step
