"""What one tiny gradient costs whatever it computes, and where that goes. 1 ms here is 1 us a gradient."""

import tapegrad as tg


class TinyGradient:
    def setup(self):
        self.x = tg.tensor(0.9, requires_grad=True)
        self.y = self.x * self.x
        self.time_1000_gradients()
        self.time_1000_backwards()

    def time_1000_gradients(self):
        for _ in range(1000):
            x = tg.tensor(0.9, requires_grad=True)
            (x * x).backward()

    def time_1000_leaves(self):
        for _ in range(1000):
            tg.tensor(0.9, requires_grad=True)

    def time_1000_records(self):
        x = self.x
        for _ in range(1000):
            x * x

    def time_1000_backwards(self):
        y = self.y
        for _ in range(1000):
            y.backward(retain_graph=True)
