"""ADBench's problems at sizes of its published tables: value and gradient, and the value alone by NumPy as the reference.

The numbers are random; those of ADBench's own files are taken where the environment variable ADBENCH names their folder.
"""

import os
import pathlib

import tapegrad as tg
from tapegrad.examples import gmm, lstm


def problem(module, name, *sizes):
    path = pathlib.Path(os.environ.get("ADBENCH", "")) / name
    return module.read(path) if path.is_file() else module.generate(*sizes)


class _Problem:
    def prepare(self, function, parameters):
        every = tuple(range(len(parameters)))
        self.function, self.parameters = function, parameters
        self.eager, self.compiled = (tg.value_and_grad(f, argnums=every) for f in (function, tg.compile(function)))
        for _ in range(3):                   # two recordings, and a replay
            self.compiled(*parameters)
        self.eager(*parameters)

    def time_value_by_numpy(self, *sizes):
        self.function(*self.parameters)

    def time_value_and_gradient_eager(self, *sizes):
        self.eager(*self.parameters)

    def time_value_and_gradient_compiled(self, *sizes):
        self.compiled(*self.parameters)


class GMM(_Problem):
    params = [(2, 5, 1000), (2, 5, 10_000), (10, 5, 1000), (10, 25, 1000)]
    param_names = ["dimensions, components, points"]

    def setup(self, sizes):
        d, k, n = sizes
        some = problem(gmm, f"gmm_d{d}_K{k}.txt" if n == 1000 else "", d, k, n)
        self.prepare(gmm.log_posterior(some), some.parameters)


class LSTM(_Problem):
    params = [(2, 1024), (4, 1024)]
    param_names = ["layers, characters"]

    def setup(self, sizes):
        layers, characters = sizes
        some = problem(lstm, f"lstm_l{layers}_c{characters}.txt", layers, characters)
        self.prepare(lstm.loss(some), some.parameters)
