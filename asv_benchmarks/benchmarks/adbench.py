"""ADBench's problems at sizes of its published tables: value and gradient, and the value alone by NumPy as the reference.

The numbers are random; those of ADBench's own files are taken where the environment variable ADBENCH names their folder.
"""

import os
import pathlib

import tapegrad as tg
from tapegrad.examples import gmm, lstm

# Name -> the file, and the sizes: dimensions, components, points; layers, characters.
PROBLEMS = {
    "gmm d2 K5 n1000": ("gmm_d2_K5.txt", (2, 5, 1000)),
    "gmm d2 K5 n10000": ("", (2, 5, 10_000)),
    "gmm d10 K5 n1000": ("gmm_d10_K5.txt", (10, 5, 1000)),
    "gmm d10 K25 n1000": ("gmm_d10_K25.txt", (10, 25, 1000)),
    "lstm l2 c1024": ("lstm_l2_c1024.txt", (2, 1024)),
    "lstm l4 c1024": ("lstm_l4_c1024.txt", (4, 1024)),
}


class Problem:
    params = list(PROBLEMS)
    param_names = ["problem"]

    def setup(self, name):
        file, sizes = PROBLEMS[name]
        module, function = (gmm, gmm.log_posterior) if name.startswith("gmm") else (lstm, lstm.loss)
        path = pathlib.Path(os.environ.get("ADBENCH", "")) / file
        problem = module.read(path) if path.is_file() else module.generate(*sizes)
        self.function, self.parameters = function(problem), problem.parameters
        every = tuple(range(len(self.parameters)))
        self.eager, self.compiled = (tg.value_and_grad(f, argnums=every) for f in (self.function, tg.compile(self.function)))
        self.time_value_and_gradient_eager(name)
        for _ in range(3):                   # two recordings, and a replay
            self.time_value_and_gradient_compiled(name)

    def time_value_by_numpy(self, name):
        self.function(*self.parameters)

    def time_value_and_gradient_eager(self, name):
        self.eager(*self.parameters)

    def time_value_and_gradient_compiled(self, name):
        self.compiled(*self.parameters)
