"""Memory that runs out, wherever it is asked for."""

import sys

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import buffers
from tapegrad.tape import state

from .children import run


def leaf(x):
    return tg.tensor(x, requires_grad=True)


def slope(n=3):
    w = leaf(np.arange(1.0, n + 1))
    (w * w).sum().backward()
    return w.grad.tolist()


def no_memory(*_):
    raise MemoryError("no memory")


def test_in_a_backward(monkeypatch):
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
    assert x.grad.tolist() == [2.0, 4.0]
    for _ in range(5):
        assert tg.autograd.grad((x * x).sum(), x)[0].tolist() == [2.0, 4.0]


@pytest.mark.parametrize("what", ["take_array", "take_buffers"])
@pytest.mark.parametrize("size", [1, 300_000])
def test_while_a_tape_grows(monkeypatch, what, size):
    """The n-th time that memory is asked for: values that were there stay, and so does the graph up to them."""
    ok, ran_out = getattr(buffers.pool, what), []
    state().levels.clear()  # of tapes that earlier programs led to, and what they left to be used again
    for kept in ("arrays", "buffers"):
        monkeypatch.setattr(buffers.pool, kept, {})
    for n in range(5):
        left = [n]

        def asked(*given, left=left):
            left[0] -= 1
            return ok(*given) if left[0] >= 0 else no_memory()

        w = leaf(np.full(size, 0.5))
        y = w * 2.0
        y.sum().item()
        with monkeypatch.context() as patch:
            patch.setattr(buffers.pool, what, asked)
            z = y
            try:
                for _ in range(1200 if size == 1 else 12):
                    z = z * 1.5 - z * 0.5
                z.sum().backward(retain_graph=True)
            except MemoryError:
                ran_out.append(n)
        w.grad = None
        (y * y).sum().backward()
        assert w.grad.numpy()[0] == w.grad.numpy()[-1] == 4.0
        assert slope() == [2.0, 4.0, 6.0]
    assert ran_out or (size > 1 and what == "take_buffers")  # then there is room on one tape


def test_a_value_that_needs_too_much_concerns_nothing_else(monkeypatch):
    with pytest.raises(MemoryError):
        tg.ones(3, requires_grad=True).expand(10**9, 3) * 2
    x = leaf(np.ones(3))
    with monkeypatch.context() as patch:
        patch.setattr(buffers.pool, "take_array", no_memory)
        y = x.expand(100_000, 3) * 2  # there is no memory for it when somebody else closes its tape
        tg.tensor(0.0).add_(1.0)
    assert slope() == [2.0, 4.0, 6.0]
    with pytest.raises(MemoryError, match="there was no memory"):
        y.sum().item()
    assert slope() == [2.0, 4.0, 6.0]


LIMITED = """
import resource
import numba
import numpy as np
import tapegrad as tg

small = np.array([0.3, 0.5, 0.7])

def f(x):
    return (tg.sin(x) * x).sum()

def longer(x):
    y = x
    for _ in range(40):
        y = tg.sin(y) * x + y
    return y.sum()

@numba.njit
def g(x):
    s = 0.0
    for k in range(len(x)):
        s = np.sin(s + x[k]) * x[k]
    return s

def chain(n):
    w = tg.tensor(np.full(n, 0.5), requires_grad=True)
    y = w
    for _ in range(40):
        y = tg.sin(y) * w + y
    y.sum().backward()

fast, slow = tg.compile(longer, tier="machine"), tg.compile(longer, tier="interpreter")
batch = tg.vmap(tg.grad(tg.compile(f)))
ASK = {
    "eager": chain,
    "one record after the other": lambda n: records(n),
    "gradient": lambda n: tg.grad(longer)(np.full(n, 0.5)),
    "hessian": lambda n: tg.hessian(f)(np.full(n // 100, 0.5)),
    "compiled": lambda n: [tg.grad(slow)(np.full(n, 0.5)) for _ in range(4)],
    "batch": lambda n: batch(np.full((n, 40), 0.5)),
    "native": lambda n: tg.vjp(g, np.full(n * 4, 0.5))[1](1.0),
    "tape": lambda n: tg.record(longer, np.full(n, 0.5)).vjp(np.full(n, 0.5)),
}

def records(n):
    y = tg.tensor(0.5, requires_grad=True)
    for _ in range(n):
        y = y * 1.0 + 0.1
    y.backward()

def all_right():
    wanted = np.cos(small) * small + np.sin(small)
    w = tg.tensor(small, requires_grad=True)
    f(w).backward()
    np.testing.assert_allclose(w.grad.numpy(), wanted)
    np.testing.assert_allclose(tg.grad(f)(small), wanted)
    np.testing.assert_allclose(tg.grad(slow)(small), tg.grad(longer)(small))
    np.testing.assert_allclose(tg.grad(fast)(small), tg.grad(longer)(small))
    np.testing.assert_allclose(batch(np.tile(small, (20, 1))), np.tile(wanted, (20, 1)))
    tg.vjp(g, small)[1](1.0), tg.hessian(f)(small)

for _ in range(3):
    all_right()
for ask in ASK.values():
    ask(200)
with open("/proc/self/statm") as file:
    bytes_now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (bytes_now + (200 << 20), resource.RLIM_INFINITY))
for name, ask in ASK.items():
    ran_out = False
    for n in (1 << 14, 1 << 18, 1 << 21, 1 << 24) if name != "one record after the other" else (1 << 14, 1 << 20, 1 << 23):
        try:
            ask(n)
        except MemoryError:
            ran_out = True
            break
    assert ran_out, name
    all_right()
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_process_whose_memory_is_limited():
    assert run(LIMITED) == "done\n"


def test_batches_where_no_thread_can_be_started():
    program = """
        import sys, threading
        import numba
        import numpy as np
        import tapegrad as tg

        def f(x):
            return (tg.sin(x) * x).sum()

        @numba.njit
        def g(x):
            return np.sum(np.sin(x) * x)

        X = np.linspace(0.1, 2.0, 200_000).reshape(-1, 4)
        wanted = np.cos(X) * X + np.sin(X)
        batches = [tg.vmap(tg.grad(tg.compile(f, tier="machine"))), tg.vmap(tg.grad(g))]

        def refused(thread):
            raise RuntimeError("can't start new thread")

        start, threading.Thread.start = threading.Thread.start, refused
        for batch in batches:
            np.testing.assert_allclose(batch(X), wanted)
        later = tg.compile(f)                    # its machine code would be made in another thread
        for _ in range(2000):
            np.testing.assert_allclose(tg.grad(later)(X[0]), wanted[0])
        threading.Thread.start = start
        for batch in batches:
            before = [batch(X + k) for k in range(3)]
            np.testing.assert_allclose(before[0], wanted)
        for _ in range(2000):
            np.testing.assert_allclose(tg.grad(later)(X[0]), wanted[0])
    """
    assert run(program, NUMBA_NUM_THREADS="3") == ""
