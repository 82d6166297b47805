"""SciPy's optimizers with exact derivatives, and sparse derivatives."""

import numpy as np

import tapegrad as tg

from .common import rosenbrock


class Minimize:
    """Rosenbrock's function of 100 variables from the usual start."""

    params = ["BFGS", "L-BFGS-B", "trust-ncg"]
    param_names = ["method"]

    def setup(self, method):
        self.x0 = np.tile([-1.2, 1.0], 50)
        self.time_rosenbrock_100(method)

    def time_rosenbrock_100(self, method):
        tg.optimize.minimize(rosenbrock, self.x0, method=method, options={"maxiter": 100})


class CurveFit:
    def setup(self):
        self.x = np.linspace(0, 4, 50)
        self.y = 2.5 * np.exp(-1.3 * self.x)
        self.compiled = tg.compile(lambda x, a, b: a * np.exp(-b * x))
        self.time_10_fits()
        self.time_10_fits_of_a_compiled_model()

    def time_10_fits(self):
        for _ in range(10):
            tg.optimize.curve_fit(lambda x, a, b: a * np.exp(-b * x), self.x, self.y)

    def time_10_fits_of_a_compiled_model(self):
        for _ in range(10):
            tg.optimize.curve_fit(self.compiled, self.x, self.y)


class Sparse:
    """Residuals with 15 entries each, and the Hessian of a chain."""

    params = [10_000, 100_000]
    param_names = ["residuals"]

    def setup(self, residuals):
        def function(x):
            total = 0.0
            for k in range(15):
                total = total + tg.sin(x[k : residuals + k]) * x[:residuals]
            return total

        self.x, self.function = np.linspace(0, 1, residuals + 15), function
        self.jacobian = tg.sparse_jacobian(function).prepare(self.x)
        self.hessian = tg.sparse_hessian(rosenbrock).prepare(self.x)
        self.time_jacobian(residuals)
        self.time_hessian(residuals)

    def time_pattern_and_colors(self, residuals):
        tg.sparse_jacobian(self.function).prepare(self.x)

    def time_jacobian(self, residuals):
        self.jacobian(self.x)

    def time_hessian(self, residuals):
        self.hessian(self.x)
