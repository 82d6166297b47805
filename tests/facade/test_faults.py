import signal
import subprocess
import sys

import pytest

from .subject import assert_same, leaf, tg


@pytest.mark.tapegrad_only("asks the library's memory to run out")
def test_memory_that_runs_out_in_a_backward_leaves_the_library_usable(monkeypatch):
    from tapegrad import buffers

    def no_memory(*_):
        raise MemoryError("no memory")

    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.item()
    y._tape.buffers.drop_adjoints()
    for ask in (lambda: tg.autograd.grad(y, x), y.backward):
        with monkeypatch.context() as patch:
            patch.setattr(buffers.pool, "take_array", no_memory)
            with pytest.raises(MemoryError):
                ask()
    del ask
    y.backward()
    assert_same(x.grad, [2.0, 4.0])
    for _ in range(5):
        assert_same(tg.autograd.grad((x * x).sum(), x)[0], [2.0, 4.0])


@pytest.mark.tapegrad_only("values are computed when somebody asks")
def test_a_value_that_needs_too_much_memory_concerns_nothing_else():
    y = tg.ones(3, requires_grad=True).expand(10**9, 3) * 2
    with pytest.raises(MemoryError):
        y.sum().item()
    x = leaf(3.0)
    (x * x).backward()
    assert_same(x.grad, 6.0)


INTERRUPTED = """
import random, signal, sys, threading, time
import numpy as np
import tapegrad as tg

def interrupt(*_):
    raise KeyboardInterrupt

def program(w):
    b = (w * w).sum() * w[0] + tg.exp(w * 0.1).mean()
    for k in range(20):
        b = b * 0.9 + w[k % 3]
    v = w * 2.0
    v[0] = w[1] * w[2]
    return b * (w.reshape(1, 3) @ tg.tensor(np.eye(3))).sum() + v.sum()

def gradients():
    w = tg.tensor([0.3, 0.5, 0.7], requires_grad=True)
    first, = tg.autograd.grad(program(w), w, create_graph=True)
    (first * first).sum().backward()
    second = w.grad.tolist()
    w.grad = None
    program(w).backward()
    return [*first.tolist(), *second, *w.grad.tolist()]

random.seed(1)
expected, count, end = gradients(), 0, time.monotonic() + 3
signal.signal(signal.SIGALRM, interrupt)
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.random() * 2e-3)
        for _ in range(20):
            gradients()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        count += 1
    np.testing.assert_allclose(gradients(), expected, rtol=1e-13)
seen = []
thread = threading.Thread(target=lambda: seen.append(gradients()), daemon=True)
thread.start()
thread.join(20)
np.testing.assert_allclose(seen[0], expected, rtol=1e-13)
print(count)
"""


@pytest.mark.tapegrad_only("what an interrupt leaves behind")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts come from a timer of Unix")
def test_interrupts_at_any_place_leave_the_library_usable():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 20
