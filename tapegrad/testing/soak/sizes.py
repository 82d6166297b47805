"""Graphs of sizes that programs seldom have. A case takes a number, and yields the name of each part when that is done."""
import copy
import pickle
import time

import numba
import numpy as np

import tapegrad as tg

from . import memory
from .kinds import expect

SIZES: dict = {}                             # name -> (case, number, number to warm up with)


def size(number, warm=1000):
    def add(function):
        SIZES[function.__name__.replace("_", " ")] = function, number, min(warm, number)
        return function
    return add


def measure(name, share=1.0):
    """Runs a case; a dictionary of its parts' seconds of processors, and of bytes: `peak` and `after`, above those before."""
    case, number, warm = SIZES[name]
    number = max(int(number * share), 10)
    for _ in case(min(warm, number)):        # compiles
        pass
    memory.settle()
    before, parts, begin = memory.resident(), {}, time.process_time()
    for part in case(number):
        now = time.process_time()
        parts[part], begin = now - begin, now
    highest = memory.peak()
    memory.settle()
    return {"case": name, "number": number, "parts": parts, "peak": max(highest - before, 0),
            "after": memory.resident() - before}


# Deep -----------------------------------------------------------------------------------------------------------------

@size(10_000_000)
def chain_of_records(n):
    """One number, multiplied again and again."""
    x = y = tg.tensor(1.0, requires_grad=True)
    for _ in range(n):
        y = y * 1.0000001
    yield "record"
    y.backward()
    yield "backward"
    expect(x.grad, 1.0000001 ** n, "the gradient of a chain")


@size(10_000_000)
def native_chain_of_records(n):
    """The same in compiled code, over its tape."""
    gradient = tg.grad(_product)
    slope = gradient(np.r_[1.0, np.full(19, 1.0000001)], n)
    yield "gradient"
    expect(slope[0], 1.0000001 ** n, "the gradient of a native chain", 1e-6)


@numba.njit(cache=True)
def _product(x, n):
    y = x[0]
    for k in range(n):
        y = y * x[1 + k % 19]
    return y


@size(1_000_000)
def compiled_chain_of_records(n):
    """The same replayed."""
    def product(x):
        y = x
        for _ in range(n):
            y = y * 1.0000001
        return y
    gradient = tg.grad(tg.compile(product))
    gradient(1.0), gradient(1.0)
    yield "record twice"
    for _ in range(3):
        slope = gradient(1.0)
    yield "replay thrice"
    expect(slope, 1.0000001 ** n, "the gradient of a compiled chain")


@size(100_000, 100)
def chain_of_functions(n):
    """Calls of an autograd.Function, one of the result of the other."""
    x = y = tg.tensor(1.0, requires_grad=True)
    for _ in range(n):
        y = _Half.apply(y)
    yield "record"
    y.backward()
    yield "backward"
    expect(x.grad, 0.5 ** n, "the gradient of a chain of Functions")


class _Half(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 0.5

    @staticmethod
    def backward(ctx, g):
        return g * 0.5


@size(100_000, 100)
def chain_of_tapes(n):
    """Every record on a tape of its own, since the one before was closed by a backward."""
    x = y = tg.tensor(1.0, requires_grad=True)
    other = tg.tensor(1.0, requires_grad=True)
    for _ in range(n):
        y = y * 0.5
        (other * 2).backward()
    yield "record"
    y.backward()
    yield "backward"
    expect(x.grad, 0.5 ** n, "the gradient of a chain of tapes")
    del y
    yield "free"


@size(100_000, 100)
def chain_of_second_order(n):
    """A gradient that is recorded, and differentiated."""
    x = tg.tensor(1.0, requires_grad=True)
    y = x * x
    for _ in range(n):
        y = y * 1.00001
    yield "record"
    slope, = tg.autograd.grad(y, x, create_graph=True)
    yield "gradient"
    slope.backward()
    yield "backward"
    expect(x.grad, 2 * 1.00001 ** n, "the second derivative of a chain")


@size(100_000, 100)
def tools_on_a_deep_graph(n):
    """Text, copies and nodes of a chain."""
    y = tg.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(n):
        y = y * 1.00001
    yield "record"
    lines = tg.to_dot(y).count("\n")
    yield "to_dot"
    node, count = y.grad_fn, 0
    while node is not None:
        node, count = node.next_functions[0][0] if node.next_functions else None, count + 1
    yield "nodes"
    copies = [copy.deepcopy(y.detach()), pickle.loads(pickle.dumps(y.detach()))]
    yield "copies"
    tape = tg.record(lambda x: _grown(x, n), 1.0)
    again = pickle.loads(pickle.dumps(tape))
    yield "record, pickle"
    printed = str(again).count("\n")
    yield "print"
    if lines < n or count < n or printed < 10 or any(z.shape != (2,) for z in copies):
        raise AssertionError(f"a chain of {n} records was shown with {lines} lines and {count} nodes")


def _grown(x, n):
    for _ in range(n):
        x = x * 1.00001 + x
        x = x / 2
    return x


# Many -----------------------------------------------------------------------------------------------------------------

@size(100_000)
def small_tapes_alive(n):
    """Each graph has its tape, since a backward came between."""
    w, kept = tg.tensor(2.0, requires_grad=True), []
    for k in range(n):
        kept.append((w * float(k)).sin() * w)
        kept[-1].backward(retain_graph=True)
    yield "record"
    w.grad = None
    for loss in kept:
        loss.backward()
    yield "backward"
    k = np.arange(n)
    expect(w.grad, (2 * k * np.cos(2.0 * k) + np.sin(2.0 * k)).sum(), "the gradient of many graphs", 1e-6)
    del kept, loss
    yield "free"


@size(100_000)
def graphs_on_one_tape(n):
    """Graphs that are recorded one after the other, and then run backward each."""
    w = tg.tensor(2.0, requires_grad=True)
    kept = [(w * float(k)).sin() * w for k in range(n)]
    yield "record"
    for loss in kept:
        loss.backward()
    yield "backward"
    k = np.arange(n)
    expect(w.grad, (2 * k * np.cos(2.0 * k) + np.sin(2.0 * k)).sum(), "the gradient of many graphs", 1e-6)
    del kept, loss
    yield "free"


@size(100_000)
def losses_that_are_kept(n):
    """A loop of training that appends its losses to a list."""
    w, kept = tg.tensor(2.0, requires_grad=True), []
    for _ in range(n):
        loss = (w * 3.0).sin() * w
        loss.backward()
        kept.append(loss)
    yield "train"
    expect(sum(loss.item() for loss in kept), 2 * np.sin(6.0) * n, "the sum of losses", 1e-6)


@size(100_000)
def hooks(n):
    """A hook on every record."""
    x = y = tg.tensor(1.0, requires_grad=True)
    seen = []
    for _ in range(n):
        y = y * 0.99999
        y.register_hook(seen.append)
    yield "record"
    y.backward()
    yield "backward"
    if len(seen) != n:
        raise AssertionError(f"{len(seen)} of {n} hooks ran")
    expect(x.grad, 0.99999 ** n, "the gradient of a chain with hooks")


@size(1_000_000)
def inputs(n):
    """As many leaves that are numbers, and the sum of their squares."""
    x = [tg.tensor(k / n, requires_grad=True) for k in range(n)]
    yield "make"
    y = x[0] * x[0]
    for k in range(1, n):
        y = y + x[k] * x[k]
    yield "record"
    y.backward()
    yield "backward"
    expect([float(x[k].grad) for k in range(0, n, n // 10)], [2 * k / n for k in range(0, n, n // 10)], "gradients of leaves")


@size(1_000_000)
def inputs_stacked(n):
    """The same leaves, stacked to one vector."""
    x = [tg.tensor(k / n, requires_grad=True) for k in range(n)]
    yield "make"
    y = (tg.stack(x) ** 2).sum()
    yield "record"
    y.backward()
    yield "backward"
    expect([float(x[k].grad) for k in range(0, n, n // 10)], [2 * k / n for k in range(0, n, n // 10)], "gradients of leaves")


@size(1_000_000)
def list_of_floats(n):
    """tg.grad of a function of a list."""
    given = [k / n for k in range(n)]
    yield "make"
    found = tg.grad(lambda x: sum(v * v for v in x))(given)
    yield "gradient"
    expect(found[n // 2], 2 * given[n // 2], "the gradient by a list")


@size(1_000_000)
def elements_of_an_array(n):
    """A function that takes its argument apart."""
    given = np.arange(n) / n
    found = tg.grad(lambda x: sum(v * v for v in x))(given)
    yield "gradient"
    expect(found, 2 * given, "the gradient by an array that was unpacked")


@size(1_000_000)
def outputs(n):
    """autograd.grad of as many outputs."""
    w = tg.tensor(2.0, requires_grad=True)
    y = [w * float(k) for k in range(n)]
    yield "record"
    slope, = tg.autograd.grad(y, w)
    yield "gradient"
    expect(slope, n * (n - 1) / 2, "the gradient of many outputs")


@size(1_000_000, 20_000)
def wide_layers(n):
    """A hundred operations on a long vector."""
    x = tg.tensor(np.linspace(0.5, 1.5, n), requires_grad=True)
    y = x
    for _ in range(50):
        y = (y * x).sqrt()
    yield "record"
    y.sum().backward()
    yield "backward"
    expect(x.grad, np.ones(n), "the gradient by a long vector")


@size(400_000)
def deep_and_wide(n):
    """Vectors of a hundred elements, and numbers between them."""
    x = y = tg.tensor(np.linspace(0.5, 1.5, 100), requires_grad=True)
    for _ in range(n // 4):
        y = y * 0.99999 + 0.00001 * y.mean()           # has the same sum
    yield "record"
    y.sum().backward()
    yield "backward"
    expect(x.grad, np.ones(100), "the gradient of a sum that stays", 1e-6)
