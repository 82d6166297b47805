"""How much 20,000 training steps grow the process, after 2,000 steps before. The answer should be 0 or next to it."""

import tapegrad as tg

from .common import leaf, rosenbrock
from .process import resident_kib, skip_unless_measurable


class Interruption(Exception):
    pass


def interrupt(gradient):
    raise Interruption


class Loop:
    unit, timeout = "KiB", 300

    def setup(self):
        skip_unless_measurable()
        self.x = leaf(1000)

    def growth(self, step, steps=20_000):
        for _ in range(steps // 10):
            step()
        before = resident_kib()
        for _ in range(steps):
            step()
        return resident_kib() - before

    def descend(self):
        with tg.no_grad():
            self.x -= 1e-6 * self.x.grad
        self.x.grad = None


class Growth(Loop):
    def track_plain(self):
        def step():
            rosenbrock(self.x).backward()
            self.descend()

        return self.growth(step)

    def track_retain_graph(self):
        def step():
            rosenbrock(self.x).backward(retain_graph=True)
            self.descend()

        return self.growth(step)

    def track_create_graph_2000_steps(self):
        def step():
            (gradient,) = tg.autograd.grad(rosenbrock(self.x), self.x, create_graph=True)
            (gradient * gradient).sum().backward()
            self.descend()

        return self.growth(step, 2_000)

    def track_hooks(self):
        def step():
            y = self.x * 2
            y.register_hook(lambda gradient: gradient * 0.5)
            rosenbrock(y).backward()
            self.descend()

        return self.growth(step)

    def track_exceptions_while_recording(self):
        def step():
            try:
                rosenbrock(self.x) + self.x[:2] * self.x[:3]
            except (ValueError, RuntimeError):
                return
            raise AssertionError("shapes that do not broadcast were accepted")

        return self.growth(step)

    def track_exceptions_while_running_backward(self):
        def step():
            y = self.x * 2
            y.register_hook(interrupt)
            try:
                rosenbrock(y).backward()
            except Interruption:
                return
            raise AssertionError("the hook did not run")

        return self.growth(step)


class KeptLosses(Loop):
    """With a list of all losses: what one of them holds after its backward."""

    def track_bytes_of_a_loss_that_is_kept(self):
        kept = []

        def step():
            loss = rosenbrock(self.x)
            loss.backward()
            self.descend()
            kept.append(loss)

        return 1024 * self.growth(step) / 20_000

    track_bytes_of_a_loss_that_is_kept.unit = "bytes"
