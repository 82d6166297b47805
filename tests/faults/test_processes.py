"""Processes that fork or are spawned in the middle of things, and the end of the interpreter."""

import os

import pytest

from .children import run

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

START = """
import multiprocessing, os, sys, threading, time, traceback, warnings
import numba
import numpy as np
import tapegrad as tg
warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)

x = np.array([0.3, 0.5, 0.7])
wanted = (np.cos(x) * x + np.sin(x)) * 2.0

def f(x):
    return (tg.sin(x) * x).sum() * 2.0

def forked(work):
    \"\"\"Whether a forked process that does some work ends well, and in time.\"\"\"
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    end = time.monotonic() + 40
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.002)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return False

@tg.enable_grad()
def everything():
    np.testing.assert_allclose(tg.grad(f)(x), wanted)
    w = tg.tensor(x, requires_grad=True)
    y = w * 1.0
    y[0] = y[0] * 2.0
    f(w).backward()
    np.testing.assert_allclose(w.grad.numpy(), wanted)
    made = tg.compile(f, tier="machine")
    for _ in range(3):
        np.testing.assert_allclose(tg.value_and_grad(made)(x)[1], wanted)
"""


@forks
def test_a_fork_in_the_middle_of_recording():
    """Both go on with the same graph; the tape of each is its own from then on."""
    program = START + """
fast = tg.compile(f, tier="machine")
for _ in range(3):
    tg.grad(fast)(x)
w = tg.tensor(x, requires_grad=True)
y = tg.sin(w) * w

def work():
    (y.sum() * 2.0).backward()
    np.testing.assert_allclose(w.grad.numpy(), wanted)
    np.testing.assert_allclose(tg.grad(fast)(x), wanted)
    everything()

def within_a_hook(g):
    assert forked(everything)

assert forked(work)
y.register_hook(within_a_hook)
assert forked(lambda: tg.grad(lambda x: f(x) * (1.0 if forked(everything) else np.nan))(x))
work()
"""
    assert run(program) == ""


@forks
def test_a_fork_while_other_threads_record_sweep_and_replay():
    """What they held is free in the forked process; threads that were kept are begun again."""
    program = START + """
os.environ["NUMBA_NUM_THREADS"] = "3"
fast = tg.compile(f, tier="machine")
points = np.linspace(0.1, 1.0, 60_000).reshape(20_000, 3)
batch = tg.vmap(tg.grad(fast))
for _ in range(3):
    tg.grad(fast)(x)
slopes = batch(points)
long = np.linspace(0.1, 1.0, 300_000)
ends = threading.Event()
shared = tg.tensor(x, requires_grad=True)
graph = f(shared)

def busy():
    while not ends.is_set():
        w = tg.tensor(long, requires_grad=True)
        y = f(w)
        y.backward()

def replaying():
    while not ends.is_set():
        batch(points)

def sweeping():
    while not ends.is_set():
        tg.autograd.grad(graph, shared, retain_graph=True)

threads = [threading.Thread(target=work) for work in (busy, replaying, sweeping)]
for thread in threads:
    thread.start()

def work():
    everything()
    np.testing.assert_allclose(batch(points), slopes)
    np.testing.assert_allclose(tg.autograd.grad(graph, shared, retain_graph=True)[0].numpy(), wanted)

try:
    for k in range(8):
        assert forked(work), k
        time.sleep(0.003 * k)
finally:
    ends.set()
    for thread in threads:
        thread.join()
work()
"""
    assert run(program) == ""


@forks
def test_a_fork_while_another_thread_compiles(tmp_path):
    program = START + """
ends = threading.Event()
everything()

def compiling():
    for c in range(1, 1000):
        if ends.is_set():
            return
        op = tg.primitive(lambda x: x * c, lambda g, x, z: g * c)
        tg.grad(lambda x: op(x).sum())(x)
        made = tg.compile(lambda x: (x * float(c)).sum(), tier="machine")
        for _ in range(3):
            tg.grad(made)(x)

def new_kernels():
    op = tg.primitive(lambda x: x * 0.5, lambda g, x, z: g * 0.5)
    np.testing.assert_allclose(tg.grad(lambda x: op(x).sum())(x), 0.5)
    everything()

thread = threading.Thread(target=compiling)
thread.start()
try:
    for k in range(3):
        assert forked(new_kernels), k
        time.sleep(0.02 * k)
finally:
    ends.set()
    thread.join()
"""
    assert run(program, NUMBA_CACHE_DIR=str(tmp_path)) == ""


@forks
def test_a_fork_while_another_thread_imports_what_was_not_needed_before(tmp_path):
    """It waits for the import; a forked process would wait for a thread that it does not have."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(1.0)\nready = True\n")
    program = START + f"""
from tapegrad._jit.locks import imported
sys.path.insert(0, {str(tmp_path)!r})
thread = threading.Thread(target=imported, args=("slow",))
thread.start()
while "slow" not in sys.modules:
    time.sleep(0.001)

def work():
    assert imported("slow").ready

try:
    assert forked(work)
finally:
    thread.join()
"""
    assert run(program) == ""


@pytest.mark.parametrize("method", [pytest.param("fork", marks=forks), "spawn"])
def test_multiprocessing(method, tmp_path):
    """Workers get what is pickled, or forked, while the parent goes on recording."""
    (tmp_path / "model.py").write_text("import tapegrad as tg\ndef f(x):\n    return (tg.sin(x) * x).sum() * 2.0\n")
    (tmp_path / "main.py").write_text(
        """
import multiprocessing, sys, warnings
import numpy as np
import tapegrad as tg
import model

warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)

def work(given):
    gradient, w, x = given
    model.f(w).backward()
    return gradient(x), w.grad.numpy(), tg.grad(model.f)(x)

if __name__ == "__main__":
    x = np.array([0.3, 0.5, 0.7])
    gradient = tg.grad(tg.compile(model.f))
    for _ in range(3):
        gradient(x)
    w = tg.tensor(x, requires_grad=True)
    half = tg.sin(w)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        found = pool.map(work, [(gradient, w, x * k) for k in range(1, 5)])
    for k, (a, b, c) in enumerate(found, 1):
        np.testing.assert_allclose(a, tg.grad(model.f)(x * k))
        np.testing.assert_allclose(b, tg.grad(model.f)(x))
        np.testing.assert_array_equal(a, c)
    ((half * w).sum() * 2.0).backward()
    np.testing.assert_allclose(w.grad.numpy(), tg.grad(model.f)(x))
"""
    )
    runner = """
        import runpy, sys
        sys.path.insert(0, sys.argv[1])
        sys.argv = ["main.py", sys.argv[2]]
        runpy.run_path(sys.path[0] + "/main.py", run_name="__main__")
    """
    if method == "spawn":  # it imports the file anew
        import subprocess
        import sys

        from .children import environment

        done = subprocess.run(
            [sys.executable, "main.py", "spawn"], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120
        )
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert run(runner, tmp_path, method) == ""


# The end --------------------------------------------------------------------------------------------------------------

ENDS = {
    "tensors and graphs": """
w = tg.tensor(x, requires_grad=True)
y = f(w)
y.register_hook(lambda g: g)
z = tg.sin(y)
circle = [z]
circle.append(circle)
""",
    "compiled functions": """
fast, slow = tg.compile(f, tier="machine"), tg.compile(f, tier="interpreter")
gradient = tg.grad(fast)
for _ in range(30):
    gradient(x), tg.hessian(slow)(x)
pull = tg.vjp(slow, x)[1]
tape = tg.record(f, x)
native = tg.grad(numba.njit(lambda x: x * x))
""",
    "compilation beside the calls": """
def many(x):
    y = x
    for k in range(2500):
        y = tg.sin(y) * x[k % 3] if k % 7 else tg.cos(y) + x * float(k)
    return y.sum()
gradient = tg.grad(tg.compile(many))
for _ in range(100):
    gradient(x)
""",
    "threads of batches": """
os.environ["NUMBA_NUM_THREADS"] = "3"
points = np.linspace(0.1, 1.0, 120_000).reshape(40_000, 3)
batch = tg.vmap(tg.grad(tg.compile(f)))
for _ in range(3):
    batch(points)
""",
    "a daemon in the middle of recording": """
def forever():
    while True:
        w = tg.tensor(x, requires_grad=True)
        f(w).backward()
        tg.vmap(tg.grad(f))(np.stack([x, x]))
fast = tg.compile(f)
def replaying():
    while True:
        tg.value_and_grad(fast)(x)
for work in (forever, replaying, forever):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""",
    "derivatives at exit": """
import atexit
fast = tg.grad(tg.compile(f, tier="machine"))
for _ in range(3):
    fast(x)
def last():
    everything()
    np.testing.assert_allclose(fast(x), wanted)
    print("at exit")
atexit.register(last)
w = tg.tensor(x, requires_grad=True)
f(w).backward()
expected = w.grad.tolist()
class Late:
    def __del__(self):
        w = tg.tensor(x, requires_grad=True)
        f(w).backward()
        assert w.grad.tolist() == expected
        print("in a destructor")
late = Late()
""",
    "an error": """
w = tg.tensor(x, requires_grad=True)
y = f(w)
tg.no_grad().__enter__()
tg.autograd.detect_anomaly().__enter__()
sys.exit(0)
""",
}


@pytest.mark.parametrize("name", ENDS)
def test_the_interpreter_ends_without_a_word(name):
    said = run(START + ENDS[name])
    assert said == ("at exit\nin a destructor\n" if name == "derivatives at exit" else "")
