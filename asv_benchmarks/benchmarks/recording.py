"""Recording alone: operations whose values nobody asks for, and no backward."""

from .common import chain, leaf


class Recording:
    params = [None, 8]
    param_names = ["elements (None: a scalar)"]

    def setup(self, elements):
        self.x = leaf(elements)
        self.time_1000_operations(elements)

    def time_1000_operations(self, elements):
        chain(self.x, 1000)
