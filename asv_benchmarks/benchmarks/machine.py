"""Machine code of recorded functions: what making it takes, and what calls cost."""

import numpy as np

import tapegrad as tg
from tapegrad._jit import llvm
from tapegrad.replay.machine.generator import Generator

from .replay import rosenbrock_loop


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def recurrent(x):
    h = x
    for k in range(100):
        h = tg.tanh(h * x + 0.01 * k)
    return (h * h).sum()


def irregular(x):
    """Some thousand records in which nothing repeats."""
    order = np.random.default_rng(0)
    values = [x[i] for i in range(len(x))]
    for _ in range(2000):
        a, b, k = order.integers(0, len(values), 3)
        values[k] = values[a] * 0.5 + (values[b] if k % 2 else tg.sin(values[b]))
    return sum(values)


class Calls:
    """The value and the gradient, into an array that the caller has."""
    params = (["loop", "slices"], [2, 10, 100, 1000, 100_000, 1_000_000])
    param_names = ("form", "elements")

    def setup(self, form, elements):
        if form == "loop" and elements > 1000:
            raise NotImplementedError
        self.x, self.out = np.linspace(-1.0, 1.0, elements), np.empty(elements)
        self.step = tg.value_and_grad(tg.compile(rosenbrock_loop if form == "loop" else rosenbrock, tier="machine"))
        for _ in range(300):
            self.step(self.x, out=self.out)

    def time_gradient(self, form, elements):
        self.step(self.x, out=self.out)


class Derivatives:
    """The Hessian of Rosenbrock's function of 50 variables, and its product with a vector."""

    def setup(self):
        self.x, self.f = np.linspace(-1.0, 1.0, 50), tg.compile(rosenbrock, tier="machine")
        self.hessian = tg.hessian(self.f)
        for _ in range(300):
            self.hessian(self.x)
            tg.hvp(self.f, self.x, self.x)

    def time_hessian(self):
        self.hessian(self.x)

    def time_product(self):
        tg.hvp(self.f, self.x, self.x)


class Batches:
    """Gradients of many samples."""
    params = [16, 1000, 20_000]
    param_names = ("samples",)

    def setup(self, samples):
        self.x = np.random.default_rng(0).normal(size=(samples, 20))
        self.gradients = tg.vmap(tg.grad(tg.compile(rosenbrock_loop, tier="machine")))
        self.gradients(self.x)

    def time_gradients(self, samples):
        self.gradients(self.x)


class Making:
    """Writing and compiling, without the cache on disk."""
    params = ["loop", "recurrent", "irregular"]
    param_names = ("program",)

    def setup(self, program):
        function, size = {"loop": (rosenbrock_loop, 1000), "recurrent": (recurrent, 14), "irregular": (irregular, 20)}[program]
        self.program = tg.record(function, np.linspace(-1.0, 1.0, size)).program
        tg.grad(tg.compile(function))(np.linspace(-1.0, 1.0, size))

    def time_make(self, program):
        generator = Generator(self.program, 0, (0,))
        llvm._compiled(generator.write(), generator.weight <= 600)
