"""A step of an optimizer on ten small parameters. 1 ms here is 1 us a step."""

import numpy as np

import tapegrad as tg


class Step:
    params = ["SGD", "Adam", "RMSprop"]
    param_names = ["method"]

    def setup(self, method):
        parameters = [tg.tensor(np.full((3, 2), 0.5), requires_grad=True) for _ in range(10)]
        for p in parameters:
            p.grad = tg.ones(3, 2)
        self.optimizer = getattr(tg.optim, method)(parameters, lr=1e-3)
        self.time_1000_steps(method)

    def time_1000_steps(self, method):
        for _ in range(1000):
            self.optimizer.step()
