"""Recorded functions: how long the first gradient takes, and what a replay costs."""

import numpy as np

import tapegrad as tg
from tapegrad.kernels import numbers

RECORDS = 2_000_000                          # that run before a program of numbers runs as instructions


def rosenbrock_loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


class Loop:
    """About eleven records of numbers an element."""
    params = (10, 100, 1000)
    param_names = ("elements",)

    def setup(self, elements):
        self.x, self.out = np.linspace(-1.0, 1.0, elements), np.empty(elements)
        for loop in ("values", "adjoints"):              # compiled in this process, they would be used much later
            numbers.address(loop, np.dtype(np.float64))
        self.replayed = tg.value_and_grad(tg.compile(rosenbrock_loop, tier="interpreter"))
        for _ in range(RECORDS // (8 * elements)):
            self.replayed(self.x, out=self.out)

    def time_first_gradient(self, elements):
        tg.value_and_grad(tg.compile(rosenbrock_loop))(self.x)

    def time_gradient(self, elements):
        self.replayed(self.x, out=self.out)


class Vectors:
    """A chain of operations on a long vector, whose values share places."""
    params = (1000, 100_000)
    param_names = ("elements",)

    def setup(self, elements):
        def chain(x):
            y = x
            for k in range(50):
                y = y * 1.01 + 0.01 * k
            return y.sum()
        self.x, self.out = np.ones(elements), np.empty(elements)
        self.program = tg.record(chain, self.x)
        self.replayed = tg.value_and_grad(self.program)
        self.time_gradient(elements)

    def time_gradient(self, elements):
        self.replayed(self.x, out=self.out)

    def track_bytes(self, elements):
        return self.program.stats()["bytes"]
