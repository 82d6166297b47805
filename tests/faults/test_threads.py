"""Threads that record, sweep and replay at once: each finds what it finds alone."""

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

WORK = [eager, second, written, of_a_shared_graph, from_a_shared_graph, hooked, accumulated,
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
