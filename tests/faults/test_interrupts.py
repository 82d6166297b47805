"""Ctrl-C at any time: it arrives, and what was under way leaves the library usable."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from .children import environment

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals are sent to another process of Unix")

START = """
import itertools, signal, sys, threading, warnings
import numba
import numpy as np
import tapegrad as tg
import tapegrad._jit.entry, tapegrad._jit.layout, tapegrad.replay.machine  # Python does not clean up an import that is cut off

raised = arrived = 0
armed = False

def interrupt(*_):
    global raised, armed
    if armed:
        armed, raised = False, raised + 1
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupt)
numbers = itertools.count(1)
x = np.array([0.3, 0.5, 0.7])
"""

# Of each: what is done again and again, and gives the same.
PROGRAMS = {
    "sweeps": """
def program(w):
    b = (w * w).sum() * w[0] + tg.exp(w * 0.1).mean()
    for k in range(20):
        b = b * 0.9 + w[k % 3]
    v = w * 2.0
    v[0] = w[1] * w[2]
    return b * (w.reshape(1, 3) @ tg.tensor(np.eye(3))).sum() + v.sum()

def work():
    w = tg.tensor(x, requires_grad=True)
    first, = tg.autograd.grad(program(w), w, create_graph=True)
    (first * first).sum().backward()
    second = w.grad.tolist()
    w.grad = None
    program(w).backward()
    return [*first.tolist(), *second, *w.grad.tolist()]
""",
    "long sweeps": """
z = np.linspace(0.1, 1.0, 60_000)
def work():
    w = tg.tensor(z, requires_grad=True)
    y = w
    for _ in range(6):
        y = tg.sin(y) * w + tg.linalg.norm(y)
    y.sum().backward()
    return w.grad[::9999].tolist()
""",
    "transforms": """
def f(x):
    y = x
    for k in range(12):
        y = tg.sin(y) * x + x[k % 3]
    return (y * y).sum()
def work():
    return [*tg.grad(f)(x), *tg.hessian(f)(x).ravel(), *tg.jvp(f, (x,), (x,)), *tg.vmap(tg.grad(f))(np.stack([x, x])).ravel()]
""",
    "replay": """
def f(x):
    y = x
    for k in range(12):
        y = tg.sin(y) * x + x[k % 3]
    return (y * y).sum()
both = tg.value_and_grad(tg.compile(f, tier="interpreter"))
def work():
    value, gradient = both(x)
    return [value, *gradient, *tg.hessian(both.__wrapped__ if hasattr(both, "__wrapped__") else f)(x).ravel()]
""",
    "machine code": """
def f(x):
    y = x
    for k in range(12):
        y = tg.sin(y) * x + x[k % 3]
    return (y * y).sum()
fast = tg.compile(f, tier="machine")
both = tg.value_and_grad(fast)
points = np.linspace(0.1, 1.0, 3000).reshape(1000, 3)
batch = tg.vmap(both)
def work():
    for _ in range(20):
        value, gradient = both(x)
    values, slopes = batch(points)
    return [value, *gradient, values.sum(), *slopes[::300].ravel()]
""",
    "compiling machine code": """
def work():
    c = next(numbers)
    f = tg.compile(lambda x: tg.sin(x * float(c)).sum() / c + (x * x).sum(), tier="machine")
    for _ in range(3):
        value, gradient = tg.value_and_grad(f)(x / c)
    return [(value * c - (x / c * x).sum() + 0.0 * c), *(gradient - 2 * x / c)]
""",
    "compiling kernels": """
def work():
    c = next(numbers) * 1.0
    op = tg.primitive(lambda x: x * c, lambda g, x, z: g * c)
    w = tg.tensor(x / c, requires_grad=True)
    y = op(w).sum()
    y.backward()
    return [y.item(), *(w.grad.numpy() / c)]
""",
    "native": """
@numba.njit
def f(x):
    s = 0.0
    for k in range(200):
        s += np.sin(x[k % 3]) * x[0]
    return s
both = tg.value_and_grad(f)
points = np.linspace(0.1, 1.0, 3000).reshape(1000, 3)
batch = tg.vmap(tg.grad(f))
def work():
    value, gradient = both(x)
    return [value, *gradient, *batch(points)[::300].ravel()]
""",
    "compiling native": """
def work():
    c = next(numbers) * 1.0
    f = numba.njit(lambda x: x * x * c)
    return [tg.grad(f)(2.0 / c)]
""",
}

END = """
print("ready", flush=True)
count = int(sys.argv[1])
np.testing.assert_allclose(work(), expected, rtol=1e-9, atol=1e-9)
def until_interrupted():
    global armed
    armed = True
    for _ in range(1000):
        work()
        if not armed:
            break
    armed = False

while arrived < count:
    try:
        until_interrupted()
    except KeyboardInterrupt:
        arrived += 1
    if arrived % 8 == 0:
        np.testing.assert_allclose(work(), expected, rtol=1e-9, atol=1e-9)
np.testing.assert_allclose(work(), expected, rtol=1e-9, atol=1e-9)
seen = []
thread = threading.Thread(target=lambda: seen.append(work()), daemon=True)
thread.start()
thread.join(60)
np.testing.assert_allclose(seen[0], expected, rtol=1e-9, atol=1e-9)
signal.signal(signal.SIGINT, signal.SIG_IGN)
assert raised == arrived, f"{raised - arrived} interrupts were lost"
"""

COUNTS = {"compiling machine code": 5, "compiling kernels": 5, "compiling native": 3}
LONGEST = {"compiling machine code": 0.1, "compiling kernels": 0.3, "compiling native": 1.5}  # seconds between signals


@pytest.mark.parametrize("name", PROGRAMS)
def test_interrupts_arrive_and_leave_the_library_usable(name, tmp_path):
    program = START + PROGRAMS[name] + "\nexpected = work()\nexpected = work()\n" + END
    arguments = [sys.executable, "-c", program, str(COUNTS.get(name, 30))]
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)} if name == "compiling machine code" else {}
    with (
        open(tmp_path / "errors", "w+") as errors,
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment(**cache)) as child,
    ):
        ready, draw, end = child.stdout.readline(), random.Random(name), time.monotonic() + 180
        while ready and child.poll() is None and time.monotonic() < end:
            time.sleep(draw.random() * LONGEST.get(name, 0.01))
            os.kill(child.pid, signal.SIGINT)
        child.kill()
        child.wait()
        errors.seek(0)
        assert (child.returncode, errors.read()[-3000:]) == (0, "")
