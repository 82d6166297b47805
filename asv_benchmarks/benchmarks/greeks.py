"""Monte Carlo greeks: values and gradients of 1,000 paths of 12 dates, compiled and mapped over the paths."""

import numpy as np

from tapegrad.examples import greeks


class Greeks:
    params = list(greeks.PAYOFFS)
    param_names = ["payoff"]

    def setup(self, payoff):
        self.step = greeks.gradients_of_paths(greeks.PAYOFFS[payoff])
        self.shocks = np.random.default_rng(0).normal(size=(1000, greeks.DATES))
        self.time_1000_paths(payoff)

    def time_1000_paths(self, payoff):
        self.step(greeks.MARKET, self.shocks)
