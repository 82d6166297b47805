"""Threads that record, sweep and replay at once: each finds what it finds alone."""

import dis
import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import tape
from tapegrad.ops import BY_NAME
from tapegrad.tensor import core, elementwise
from tapegrad.tensor.structure import indexing, views

from .children import run

STRESS = """
import random, sys, threading
import numba
import numpy as np
import tapegrad as tg

X = [np.random.default_rng(k).uniform(0.2, 1.8, 5) for k in range(4)]
SAMPLES = np.random.default_rng(9).uniform(0.2, 1.8, (1000, 5))

def f(x):
    y = x
    for k in range(4):
        y = tg.sin(y) * x + x[k] if y[k] > 0.4 else tg.cos(y) * x
    return (y * y).sum()

def inplace(x):
    s = tg.zeros(5)
    s[1:] = x[:-1] * x[1:]
    s[0] += x[0]
    return (s * s).sum()

@numba.njit
def g(x):
    s = 0.0
    for k in range(len(x)):
        s += np.sin(x[k]) * x[k] * s + x[k]
    return s

shared = [tg.tensor(x, requires_grad=True) for x in X]
graphs = [f(x) for x in shared]
later = [tg.exp(x) * x for x in shared]          # which each thread goes on from
fast, slow = tg.compile(f, tier="machine"), tg.compile(f, tier="interpreter")
weight = tg.tensor(X[0], requires_grad=True)
counted, count = [], threading.Lock()
handed = {}

def leaf(k):
    return tg.tensor(X[k], requires_grad=True)

def eager(k):
    w = leaf(k)
    f(w).backward()
    return w.grad.tolist()

def second(k):
    w = leaf(k)
    (d,) = tg.autograd.grad(f(w), w, create_graph=True)
    (d * d).sum().backward()
    return w.grad.tolist()

def written(k):
    w = leaf(k)
    inplace(w).backward()
    with tg.no_grad():
        w += 1.0
    return w.grad.tolist() + w.tolist()

def of_a_shared_graph(k):
    return tg.autograd.grad(graphs[k], shared[k], retain_graph=True)[0].tolist()

def from_a_shared_graph(k):
    return tg.autograd.grad((later[k] * later[k]).sum(), shared[k], retain_graph=True)[0].tolist()

def handed_on(k):
    y = handed.get(k)                            # on the open tape of whichever thread came last
    handed[k] = fresh = tg.sin(shared[k]) * shared[k]
    y = fresh if y is None else y
    z = tg.cat([(y * 2.0 + y[0]) * y, y.reshape(5, 1)[1:, 0] @ y[1:] + 3.0 * y])
    return tg.autograd.grad(z.sum(), shared[k], retain_graph=True)[0].tolist()

def hooked(k):
    w, seen = leaf(k), []
    y = w * w
    y.register_hook(lambda g: seen.append(g.tolist()) or g * 2.0)
    with tg.autograd.detect_anomaly():
        (y * y).sum().backward()
    return w.grad.tolist() + seen[0]

def accumulated(k):
    for _ in range(3):
        (weight * weight).sum().backward()
    with count:
        counted.append(3)
    return [0.0]

WORK = [eager, second, written, of_a_shared_graph, from_a_shared_graph, handed_on, hooked, accumulated,
        lambda k: tg.hessian(f)(X[k]).ravel().tolist(),
        lambda k: tg.jvp(f, (X[k],), (X[k],))[1].tolist(),
        lambda k: tg.vmap(tg.grad(inplace))(np.stack(X)).ravel().tolist(),
        lambda k: tg.value_and_grad(fast)(X[k])[1].tolist(),
        lambda k: tg.grad(slow)(X[k]).tolist(),
        lambda k: tg.vmap(tg.grad(fast))(SAMPLES).ravel()[::97].tolist(),
        lambda k: tg.grad(g)(X[k]).tolist(),
        lambda k: tg.vmap(tg.grad(g))(SAMPLES).ravel()[::97].tolist(),
        lambda k: tg.grad(tg.compile(lambda x: (x * float(k + 2)).sum(), tier="machine"))(X[k]).tolist()]
for _ in range(3):
    wanted = [[work(k) for k in range(4)] for work in WORK]
weight.grad = None
counted.clear()
wrong = []

def stress(seed):
    draw = random.Random(seed)
    try:
        for _ in range(ROUNDS):
            n, k = draw.randrange(len(WORK)), draw.randrange(4)
            found = WORK[n](k)
            if not np.allclose(found, wanted[n][k], rtol=1e-9, atol=1e-12):
                wrong.append((n, k, found, wanted[n][k]))
    except BaseException as error:
        wrong.append((n, k, repr(error)))
        raise

ROUNDS = int(sys.argv[1])
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=stress, args=(seed,)) for seed in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.setswitchinterval(5e-3)
assert not wrong, wrong[:3]
# none of the gradients that were accumulated from several threads is lost
np.testing.assert_allclose(weight.grad.numpy(), 2 * X[0] * sum(counted))
"""


def test_all_at_once():
    assert run(STRESS, 60, NUMBA_NUM_THREADS="3") == ""


# What is done without a change of threads in between -----------------------------------------------------------------

ADD = BY_NAME["add"]
APPENDS = {
    "unary": elementwise.unary(BY_NAME["sin"]),
    "binary": elementwise.binary(ADD),
    "reflected": elementwise.reflected(ADD),
    "in_place": elementwise.in_place(ADD, None),
    "along": views.along,
    "finish": core.finish,
    "enter": tape.Tape.enter,
    "enter_number": tape.Tape._enter_number,
}
CHANGES = ("CALL", "JUMP_BACKWARD", "JUMP_ABSOLUTE", "FOR_ITER", "SEND", "RESUME", "YIELD", "LIST_APPEND")


def pieces(function, name, back):
    """The instructions from each place where an attribute is read to the next one where it is set, of the function alone."""
    code, found = list(dis.get_instructions(function)), []
    for stop, instruction in enumerate(code):
        if instruction.opname == "STORE_ATTR" and instruction.argval == name:
            start = max(k for k in range(stop) if code[k].opname.startswith("LOAD_ATTR") and code[k].argval == back)
            found.append(code[start : stop + 1])
    return found


@pytest.mark.parametrize("name", APPENDS)
def test_a_record_is_counted_when_it_is_complete_and_before_threads_change(name):
    found = pieces(APPENDS[name], "n", "n")
    assert found
    for piece in found:
        assert any(one.opname == "STORE_SUBSCR" for one in piece)
        assert not [one for one in piece if one.opname.startswith(CHANGES)]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (tape.Tape.plan_row, "rows"),
        (tape.Tape.size_id, "sizes"),
        (tape.Tape.enter, "entries"),
        (tape.Tape._enter_number, "entries"),
        (indexing._Rows.each, "rows"),
    ],
)
def test_places_are_taken_before_threads_change(function, name):
    found = pieces(function, name, name)
    assert found
    for piece in found:
        assert not [one for one in piece if one.opname.startswith(CHANGES)]


# Threads beside each other --------------------------------------------------------------------------------------------


@pytest.fixture
def other():
    """Another thread that has recorded; what is submitted runs there."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: (tg.tensor(1.0, requires_grad=True) * 2.0).backward()).result(60)
        yield lambda function, *arguments: pool.submit(function, *arguments)


def test_each_thread_records_on_tapes_of_its_own_where_they_share_leaves(other):
    w, c = tg.tensor([1.0, 2.0], requires_grad=True), tg.tensor([3.0, 4.0])

    def work():
        return [w * w, tg.sin(w), 2.0 - w, w * c, w[0], w @ w, tg.where(w > 0.0, w, c), tg.cat([w, c])]

    for _ in range(3):
        here, there = work(), other(work).result(60)
        assert {y._tape for y in here}.isdisjoint({y._tape for y in there})
        for y, z in zip(here, there):
            np.testing.assert_array_equal(tg.autograd.grad(y.sum(), w)[0], tg.autograd.grad(z.sum(), w)[0])


def test_a_leaf_that_is_shared_enters_a_tape_once(other):
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    y = w * w + tg.sin(w) * w
    assert [leaf is w for _, leaf, _ in y._tape.inputs] == [True]
    with tg.no_grad():
        w += 1.0
    y = w * w
    y.sum().backward()
    np.testing.assert_array_equal(w.grad, [4.0, 6.0])


def test_a_thread_alone_finds_leaves_the_fast_way_again():
    gc.collect()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: (tg.tensor(1.0, requires_grad=True) * 2.0).backward()).result(60)
        assert not tape.alone()
    assert tape.alone()
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    y = w * w
    assert w._tape is y._tape


@pytest.mark.skipif(not hasattr(os, "fork"), reason="where processes fork")
@pytest.mark.filterwarnings("ignore:.*multi-?threaded.*")        # Python from 3.12 on, and other libraries
def test_a_forked_process_has_one_thread(other):
    assert not tape.alone()
    if not (child := os.fork()):
        os._exit(0 if tape.alone() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_what_a_thread_has_just_computed_goes_on_in_another(other):
    w = tg.tensor([0.5, 1.5], requires_grad=True)
    for _ in range(3):
        y = tg.exp(w)                                # on this thread's tape, which is open
        z = other(lambda y=y: (y * y + 2.0 * y[0]) * w).result(60)
        q = y * 3.0                                  # and goes on
        x = w.detach().numpy()
        np.testing.assert_allclose(tg.autograd.grad(q.sum(), w, retain_graph=True)[0], 3.0 * np.exp(x))
        (g,) = other(lambda z=z: tg.autograd.grad(z.sum(), w)).result(60)
        wanted = np.exp(2 * x) * (1 + 2 * x) + 2 * np.exp(x[0])
        wanted[0] += 2 * np.exp(x[0]) * x.sum()
        np.testing.assert_allclose(g, wanted)


def test_a_record_that_comes_after_another_thread_closed_the_tape_is_computed_before_memory_changes(other, monkeypatch):
    w = tg.tensor([0.5, 1.5], requires_grad=True)
    y = w * w
    enter = tape.Tape._enter_number

    def interrupted(self, word, value):
        i = enter(self, word, value)
        other(tape.settle).result(60)                # in the middle of an operation
        return i

    monkeypatch.setattr(tape.Tape, "_enter_number", interrupted)
    z = w * 7.25
    monkeypatch.undo()
    assert not z._tape.is_open
    with tg.no_grad():
        w += 100.0
    np.testing.assert_array_equal(z.detach(), [3.625, 10.875])
    np.testing.assert_array_equal(y.detach(), [0.25, 2.25])


def test_backward_passes_that_meet_on_tapes_of_one_graph_do_not_wait_for_each_other(other):
    w = tg.tensor([0.5, 1.5], requires_grad=True)
    first = tg.exp(w)
    tape.settle()
    second = first * w
    tape.settle()
    here, there = threading.Event(), threading.Event()

    def hook(g):                                     # while this thread has the newer tape, and not yet the older one
        if not there.is_set():
            there.set()
            here.wait(60)

    handle = second.register_hook(hook)

    def backward():                                  # takes the older one, then comes to the newer one
        there.wait(60)
        threading.Timer(0.2, here.set).start()
        return tg.autograd.grad([first.sum(), second.sum()], w, retain_graph=True)

    waiting = other(backward)
    (g,) = tg.autograd.grad(second.sum(), w, retain_graph=True)
    (both,) = waiting.result(60)
    handle.remove()
    e = np.exp(w.detach().numpy())
    np.testing.assert_allclose(g, e * (1 + w.detach().numpy()))
    np.testing.assert_allclose(both, e * (2 + w.detach().numpy()))


def test_gradients_of_a_large_leaf_that_threads_add_at_once_are_all_there():
    n, rounds = 20_000, 50                           # large enough that NumPy lets other threads run while it adds
    w = tg.tensor(np.ones(n), requires_grad=True)

    def work():
        for _ in range(rounds):
            (w * 1.0).sum().backward()

    with ThreadPoolExecutor(4) as pool:
        for one in [pool.submit(work) for _ in range(4)]:
            one.result(60)
    np.testing.assert_array_equal(w.grad, np.full(n, 4.0 * rounds))


def test_views_of_a_closed_graph_that_are_made_while_it_is_swept(other):
    w = tg.tensor(np.linspace(0.5, 1.5, 2000), requires_grad=True)
    y = w
    for _ in range(20):
        y = tg.sin(y) * w
    z = y.sum()
    (wanted,) = tg.autograd.grad(z, w, retain_graph=True)
    stop = time.monotonic() + 1.0

    def look():
        while time.monotonic() < stop:
            assert y[3:].shape == (1997,)

    looking = other(look)
    while time.monotonic() < stop:
        (g,) = tg.autograd.grad(z, w, retain_graph=True)
        np.testing.assert_array_equal(g, wanted)
    looking.result(60)


def test_an_interpreter_without_its_lock_is_refused():
    program = """
        import sys
        sys._is_gil_enabled = lambda: False
        try:
            import tapegrad
        except ImportError as error:
            print("PYTHON_GIL=1" in str(error))
    """
    assert run(program) == "True\n"
