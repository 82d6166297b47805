"""Linear algebra and products: the value and the gradient, ten times over."""

import numpy as np

import tapegrad as tg

# Every operation takes a symmetric positive definite matrix.
OPERATIONS = {
    "x @ x": lambda x: x @ x,
    "x @ x[0]": lambda x: x @ x[0],
    "einsum": lambda x: tg.einsum("ij,kj->ki", x, x),
    "norm": lambda x: x.norm(),
    "inv": tg.linalg.inv,
    "solve": lambda x: tg.linalg.solve(x, x[0]),
    "logdet": tg.logdet,
    "cholesky": tg.linalg.cholesky,
    "eigvalsh": tg.linalg.eigvalsh,
    "rfft": lambda x: tg.fft.rfft(x).abs(),
}


class LinearAlgebra:
    params = [list(OPERATIONS), [4, 50]]
    param_names = ["operation", "rows and columns"]

    def setup(self, operation, side):
        a = np.random.default_rng(0).normal(size=(side, side))
        self.x = tg.tensor(a @ a.T + side * np.eye(side), requires_grad=True)
        self.seed = tg.ones_like(OPERATIONS[operation](self.x))
        self.time_10_gradients(operation, side)

    def time_10_gradients(self, operation, side):
        f = OPERATIONS[operation]
        for _ in range(10):
            f(self.x).backward(self.seed)
