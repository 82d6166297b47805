"""Whole gradients of vector code. SciPy's Rosenbrock function, its gradient by hand, stands beside as the reference."""

import scipy.optimize

import tapegrad as tg

from .common import chain, leaf, rosenbrock


class SmallVectors:
    params = [8, 64]
    param_names = ["elements"]

    def setup(self, elements):
        self.x = leaf(elements)
        self.values = self.x.detach().numpy()
        self.time_100_gradients_of_rosenbrock(elements)
        self.time_chain_of_1000_operations(elements)

    def time_100_gradients_of_rosenbrock(self, elements):
        for _ in range(100):
            rosenbrock(self.x).backward()

    def time_100_gradients_of_rosenbrock_by_hand(self, elements):
        for _ in range(100):
            scipy.optimize.rosen(self.values)
            scipy.optimize.rosen_der(self.values)

    def time_chain_of_1000_operations(self, elements):
        chain(self.x, 1000).sum().backward()


class LongVectors:
    params = [4096, 100_000, 1_000_000]
    param_names = ["elements"]

    def setup(self, elements):
        self.x = leaf(elements)
        self.values = self.x.detach().numpy()
        self.time_gradient_of_rosenbrock(elements)
        self.time_chain_of_20_operations(elements)
        self.time_chain_of_20_transcendentals(elements)

    def time_gradient_of_rosenbrock(self, elements):
        rosenbrock(self.x).backward()

    def time_gradient_of_rosenbrock_by_hand(self, elements):
        scipy.optimize.rosen(self.values)
        scipy.optimize.rosen_der(self.values)

    def time_chain_of_20_operations(self, elements):
        chain(self.x, 20).sum().backward()

    def time_chain_of_20_transcendentals(self, elements):
        s = self.x
        for _ in range(5):
            s = tg.tanh(tg.exp(tg.sin(tg.cos(s))))
        s.sum().backward()
