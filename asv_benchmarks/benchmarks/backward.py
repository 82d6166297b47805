"""Backward alone, through a chain that is recorded and evaluated already."""

from .common import chain, leaf


class Backward:
    params = [None, 8]
    param_names = ["elements (None: a scalar)"]

    def setup(self, elements):
        self.y = chain(leaf(elements), 1000)
        if elements is not None:
            self.y = self.y.sum()
        self.time_chain_of_1000_operations(elements)

    def time_chain_of_1000_operations(self, elements):
        self.y.backward(retain_graph=True)
