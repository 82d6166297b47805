"""Recording of what is no elementwise operation, and the kernels of long vectors. 1 ms of the first kind is 1 us an operation."""

import numpy as np

import tapegrad as tg

from .common import leaf

INDICES = {"integer": 3, "slice": slice(1, 5), "list": [1, 2], "array": np.array([1, 2]), "mask": np.arange(64) % 2 == 0}


class Indexing:
    params = list(INDICES)
    param_names = ["index"]

    def setup(self, index):
        self.x = leaf(64) * 1.0
        self.time_1000_records(index)

    def time_1000_records(self, index):
        x, i = self.x, INDICES[index]
        for _ in range(1000):
            x[i]


class Functions:
    """Forward and backward on 100,000 elements."""

    params = ["exp", "log", "sin", "tanh", "erf", "sigmoid", "softplus", "gelu", "gammaln"]
    param_names = ["function"]

    def setup(self, function):
        self.function = getattr(tg, function, None) or getattr(tg.nn.functional, function)
        self.x = leaf(100_000)
        self.time_forward_and_backward(function)

    def time_forward_and_backward(self, function):
        self.x.grad = None
        self.function(self.x).sum().backward()


class Reductions:
    """Of a matrix of 1,000 by 1,000, along either axis."""

    params = [["sum", "mean", "var", "amax", "logsumexp", "cumsum"], [0, 1]]
    param_names = ["reduction", "axis"]

    def setup(self, reduction, axis):
        self.x = tg.tensor(np.random.default_rng(0).normal(size=(1000, 1000)), requires_grad=True)
        self.function = getattr(tg, reduction)
        self.time_forward_and_backward(reduction, axis)

    def time_forward_and_backward(self, reduction, axis):
        self.x.grad = None
        self.function(self.x, axis).sum().backward()
