"""Operations that move or combine elements: each recorded and run backward by itself, a hundred times over.

Every gradient brings its fixed cost along, which tiny.py measures.
"""

import numpy as np

import tapegrad as tg

from .common import leaf

ROWS = np.array([3, 1, 7, 3])


# Every operation takes a matrix.
OPERATIONS = {
    "x[3, 5]": lambda x: x[3, 5],
    "x[1:]": lambda x: x[1:],
    "x[rows]": lambda x: x[ROWS],
    "sum()": lambda x: x.sum(),
    "sum(0)": lambda x: x.sum(0),
    "x @ x": lambda x: x @ x,
    "x @ x[0]": lambda x: x @ x[0],
    "x.T @ x": lambda x: x.T @ x,
    "concatenate": lambda x: tg.concatenate([x, x, x]),
    "stack": lambda x: tg.stack([x, x, x]),
    "reshape": lambda x: x.reshape(-1),
    "broadcast": lambda x: x + x[0],
    "where": lambda x: tg.where(x > 0.7, x, -x),
}


class Structure:
    params = [list(OPERATIONS), [8, 64]]
    param_names = ["operation", "rows and columns"]

    def setup(self, operation, side):
        self.x = leaf(side * side).detach().reshape(side, side).requires_grad_()
        self.seed = tg.ones_like(OPERATIONS[operation](self.x))
        self.time_100_gradients(operation, side)

    def time_100_gradients(self, operation, side):
        f = OPERATIONS[operation]
        for _ in range(100):
            f(self.x).backward(self.seed)
