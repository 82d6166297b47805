"""What a soak does over and over. A kind makes a function that does a round, and looks at what came out."""
import copy
import os
import pickle
import tempfile
import threading
import weakref

import numba
import numpy as np
import scipy.sparse

import tapegrad as tg
from tapegrad.tape import state

KINDS: dict = {}                             # those that run in turn, in one process, at constant memory
APART: dict = {}                             # those that compile ever new functions by Numba, which keeps them: each alone


def kind(function, kinds=KINDS):
    kinds[function.__name__.replace("_", " ")] = function
    return function


def apart(function):
    return kind(function, APART)


class Thrown(Exception):
    """What a soak throws into the library's work."""


def expect(got, wanted, what, tolerance=1e-9):
    """AssertionError where that is not what should have come out."""
    got = np.asarray(got.detach().numpy() if isinstance(got, tg.Tensor) else got)
    if got.shape != np.shape(wanted) or not np.allclose(got, wanted, rtol=tolerance, atol=tolerance):
        raise AssertionError(f"{what} is {got}, and should be {np.asarray(wanted)}")


def expect_error(error, function, *arguments):
    try:
        function(*arguments)
    except error:
        return
    raise AssertionError(f"{function} raised no {error.__name__}")


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosenbrock_slope(x):
    g = np.zeros_like(x)
    g[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g


def rosenbrock_hessian(x):
    diagonal = np.r_[1200 * x[:-1] ** 2 - 400 * x[1:] + 2, 0.0]
    diagonal[1:] += 200
    return np.diag(diagonal) + np.diag(-400 * x[:-1], 1) + np.diag(-400 * x[:-1], -1)


# Graphs ---------------------------------------------------------------------------------------------------------------

@kind
def adam(random):
    """A small network, steps of Adam; each gradient beside the one by hand. The last losses are kept, as programs do."""
    x = random.standard_normal((32, 3))
    y = np.sin(x.sum(1, keepdims=True))
    inputs, targets = tg.tensor(x), tg.tensor(y)
    parameters = w, b, v, c = [tg.tensor(0.5 * random.standard_normal(shape), requires_grad=True)
                               for shape in ((3, 8), (8,), (8, 1), (1,))]
    method, losses = tg.optim.Adam(parameters, lr=0.01), []
    def once():
        for _ in range(10):
            method.zero_grad()
            loss = (((inputs @ w + b).tanh() @ v + c - targets) ** 2).mean()
            loss.backward()
            hidden = np.tanh(x @ w.detach().numpy() + b.detach().numpy())
            error = 2 * (hidden @ v.detach().numpy() + c.detach().numpy() - y) / len(x)
            inner = error @ v.detach().numpy().T * (1 - hidden ** 2)
            for parameter, slope in zip(parameters, (x.T @ inner, inner.sum(0), hidden.T @ error, error.sum(0))):
                expect(parameter.grad, slope, "a gradient of the network")
            method.step()
            losses.append(loss)
        del losses[:-100]
    return once


@kind
def lbfgs(random):
    """The minimum of Rosenbrock's function."""
    def once():
        x = tg.tensor(random.uniform(0, 1, 4), requires_grad=True)
        method = tg.optim.LBFGS([x], max_iter=100, line_search_fn="strong_wolfe", tolerance_grad=1e-9)

        def closure():
            method.zero_grad()
            value = rosenbrock(x)
            value.backward()
            return value
        method.step(closure)
        expect(x, np.ones(4), "the minimum that LBFGS found", 1e-3)
    return once


@kind
def graphs(random):
    """Hooks, retain_grad, retain_graph, writes in place, views, create_graph, no_grad."""
    def once():
        given = random.uniform(0.5, 2, random.integers(2, 50))
        x, seen = tg.tensor(given, requires_grad=True), []
        y = x.sin()
        y.retain_grad()
        with y.register_hook(seen.append):
            z = (y * y).sum()
            z.backward(retain_graph=True)
            z.backward()
        expect(x.grad, 4 * np.sin(given) * np.cos(given), "a gradient that was added up")
        expect(seen[0], 2 * np.sin(given), "what a hook saw")
        expect(y.grad, 4 * np.sin(given), "a gradient that was retained")
        expect_error(RuntimeError, z.backward)
        with tg.no_grad():
            x -= 0.5 * given
        x.grad.zero_()
        y = x * 2
        y.add_(1)
        y *= x
        y[0] = 3.0
        y[1:].mul_(2)
        y.sum().backward()
        expect(x.grad, np.r_[0.0, 4 * given[1:] + 2], "a gradient through writes in place")
        first, = tg.autograd.grad((x ** 3).sum(), x, create_graph=True)
        second, = tg.autograd.grad((first * first).sum(), x)
        expect(second, 36 * (given / 2) ** 3, "a second derivative")
    return once


@kind
def kept_graphs(random):
    """Some hundred small graphs are alive at once; half of them are never run backward."""
    w, kept = tg.tensor(1.0, requires_grad=True), []
    def once():
        for k in range(100):
            kept.append((k + 1.0, (w * (k + 1.0)).exp()))
        random.shuffle(kept)
        for k, loss in kept[:50]:
            w.grad = None
            loss.backward()
            expect(w.grad, k * np.exp(k), "the gradient of a graph that was kept")
        del kept[:100], kept[300:]
    return once


@kind
def readings(random):
    """Values are read in a loop, and nothing is run backward; a state that is detached now and then."""
    rate = tg.tensor(0.5, requires_grad=True)
    x = tg.tensor(1.0)
    def once():
        nonlocal x
        for k in range(300):
            x = x * rate + 1.0
            if k % 20 == 19:
                x = x.detach()
        expect(x, 2.0, "a state")
    return once


@kind
def long_vectors(random):
    """Vectors of thousands of elements, of another length each time."""
    def once():
        given = random.uniform(0.5, 2, random.integers(1000, 200_000))
        x = tg.tensor(given, requires_grad=True)
        y = x
        for _ in range(8):
            y = (y * x).sqrt()
        y.sum().backward()
        expect(x.grad, np.ones_like(given), "the gradient by a long vector")
    return once


@kind
def shapes(random):
    """Structural operations on matrices of hundreds of shapes, and index arrays that never come again."""
    def once():
        m, n = (int(k) for k in random.integers(2, 16, 2))
        rows, columns, lines = random.integers(0, m, 50), random.integers(0, n, 50), random.permutation(m)
        x, v = random.standard_normal((2, m, n))
        for linear in (lambda x: x.T.reshape(-1)[::2], lambda x: x[rows, columns], lambda x: np.concatenate([x[lines], x[1:]]),
                       lambda x: np.stack([x.sum(1), x[:, 0]]) * 2, lambda x: np.cumsum(x, 0)[::-1, 1:],
                       lambda x: np.einsum("ij->ji", x) + x.mean(1)):
            leaf, image = tg.tensor(x, requires_grad=True), linear(v)
            weights = random.standard_normal(image.shape)
            (linear(leaf) * weights).sum().backward()
            expect((leaf.grad.numpy() * v).sum(), (image * weights).sum(), "a product with a linear function's gradient", 1e-6)
    return once


class Cube(tg.autograd.Function):
    """x ** 3, or what a soak throws."""

    @staticmethod
    def forward(ctx, x, throws=""):
        if throws == "forward":
            raise Thrown
        ctx.throws = throws
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        if ctx.throws == "backward":
            raise Thrown
        x, = ctx.saved_tensors
        return 3 * g * x ** 2, None


def throw(*_):
    raise Thrown


@kind
def faults(random):
    """Exceptions from hooks, Functions, functions that are recorded, and misuse; a correct gradient after each."""
    w = tg.tensor(2.0, requires_grad=True)

    def interrupted():
        z = w * 2 + random.standard_normal()
        throw(z)

    def in_a_hook():
        y = w * 3
        y.register_hook(throw)
        (y * y).backward()

    def overwritten():
        y = w.exp()
        z = y * y
        y.add_(1)
        z.backward()

    def twice():
        z = w.exp()
        z.backward()
        z.backward()

    kinds = [(Thrown, interrupted), (Thrown, in_a_hook), (Thrown, lambda: Cube.apply(w, "forward")),
             (Thrown, lambda: (Cube.apply(w, "backward") + w).backward()), (Thrown, lambda: tg.grad(throw)(1.0)),
             (Thrown, lambda: tg.compile(throw)(np.ones(3))), (Thrown, lambda: tg.vmap(throw)(np.ones(3))),
             (RuntimeError, overwritten), (RuntimeError, twice), (ValueError, lambda: w * np.ones(2) + np.ones(3)),
             (RuntimeError, lambda: tg.autograd.grad(w * 1, tg.tensor(1.0, requires_grad=True)))]
    def once():
        for error, fault in kinds:
            expect_error(error, fault)
            w.grad = None
            (Cube.apply(w) * w).backward()
            expect(w.grad, 32.0, f"a gradient after {error.__name__}")
    return once


# Replay ---------------------------------------------------------------------------------------------------------------

@kind
def signatures(random):
    """One compiled function, more signatures than it keeps."""
    gradient = tg.value_and_grad(tg.compile(lambda x, n: (x ** n).sum(), tier="interpreter"))
    def once():
        x, n = random.uniform(0.5, 2, random.integers(1, 200)), int(random.integers(1, 4))
        for _ in range(3):
            value, slope = gradient(x, n)
        expect(value, (x ** n).sum(), "the value of a compiled function")
        expect(slope, n * x ** (n - 1), "its gradient")
    return once


@kind
def paths(random):
    """One compiled function, more ways through it than it keeps."""
    def grown(x):
        while x < 100:
            x = x * 2
        return x
    gradient = tg.grad(tg.compile(grown, paths=4, tier="interpreter"))
    def once():
        k = int(random.integers(1, 9))
        for x in 100 / 2 ** (k - random.uniform(0.1, 0.9, 100)):
            expect(gradient(float(x)), 2.0 ** k, "the gradient along a path")
    return once


@kind
def machine(random):
    """Machine code is made, run and dropped."""
    steps = (np.sin, np.cos, np.tanh, np.exp, lambda y: y * y, lambda y: y / (1 + y * y))
    def once():
        chosen = np.random.default_rng(random.integers(1024)).integers(0, len(steps), 12)

        def chain(x):
            y = x * 0.5
            for k in chosen:
                y = steps[k](y) + x
                y = y / (1 + y * y)
            return y.sum()
        x = random.uniform(-1, 1, 6)
        gradient, wanted = tg.grad(tg.compile(chain, tier="machine")), tg.grad(chain)(x)
        for _ in range(4):
            expect(gradient(x), wanted, "a gradient in machine code", 1e-7)
    return once


@kind
def batches(random):
    """Thousands of samples over threads, and a few."""
    def model(p, t):
        return (p[0] * np.exp(-p[1] * t) - 0.5) ** 2
    gradient = tg.vmap(tg.value_and_grad(tg.compile(model)), in_axes=(None, 0))
    def once():
        p, t = random.uniform(0.5, 2, 2), random.uniform(0, 2, int(random.choice([1, 3, 100, 20_000])))
        value, slope = gradient(p, t)
        e = np.exp(-p[1] * t)
        error = p[0] * e - 0.5
        expect(value, error ** 2, "values of a batch")
        expect(slope, np.stack([2 * error * e, -2 * error * p[0] * t * e], 1), "gradients of a batch")
    return once


@kind
def compiled_in_graphs(random):
    """A compiled function as one operation of a graph."""
    compiled = tg.compile(rosenbrock)
    def once():
        given = random.uniform(-1, 1, 5)
        x = tg.tensor(given, requires_grad=True)
        for _ in range(5):
            x.grad = None
            (compiled(x * 2) * 3).backward()
            expect(x.grad, 6 * rosenbrock_slope(2 * given), "a gradient through a compiled function")
    return once


# Native ---------------------------------------------------------------------------------------------------------------

@numba.njit(cache=True)
def smoothing(alpha, y):
    """Exponential smoothing: the sum of squared errors."""
    level, loss = y[0], 0.0
    for t in range(1, len(y)):
        error = y[t] - level
        loss += error ** 2
        level += alpha * error
    return loss


def smoothing_slope(alpha, y):
    level, slope, derivative = y[0], 0.0, 0.0
    for t in range(1, len(y)):
        error = y[t] - level
        derivative -= 2 * error * slope
        slope += error - alpha * slope
        level += alpha * error
    return derivative


@numba.njit(cache=True)
def valley(x):
    """Rosenbrock's function as a loop."""
    s = 0.0
    for i in range(len(x) - 1):
        s += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


@kind
def native(random):
    """Gradients, products and batches of functions that Numba compiled."""
    forward, backward, batch = tg.value_and_grad(smoothing), tg.grad(valley), tg.vmap(tg.grad(smoothing), in_axes=(0, None))
    inside = tg.njit_grad(smoothing)

    @numba.njit
    def step(alpha, y):
        return alpha - 0.01 * inside(alpha, y)
    def once():
        y, x = random.standard_normal(random.integers(3, 200)), random.uniform(-1, 1, random.integers(20, 300))
        expect(forward(0.3, y)[1], smoothing_slope(0.3, y), "a native gradient")
        expect(backward(x), rosenbrock_slope(x), "a native gradient over a tape")
        expect(batch(np.array([0.1, 0.2]), y), [smoothing_slope(0.1, y), smoothing_slope(0.2, y)], "a native batch")
        expect(tg.hvp(valley, x[:20], x[-20:]), rosenbrock_hessian(x[:20]) @ x[-20:], "a native product")
        expect(step(0.3, y), 0.3 - 0.01 * smoothing_slope(0.3, y), "a step with a native gradient, compiled")
    return once


def fresh(random):
    """A function that Numba has not seen, and its derivative."""
    a, n = float(random.uniform(0.5, 2)), int(random.integers(2, 6))

    @numba.njit
    def polynomial(x):
        s = 0.0
        for k in range(n):
            s += a * x[k % len(x)] ** k
        return s
    return polynomial, lambda x: np.bincount(np.arange(n) % len(x), [a * k * x[k % len(x)] ** (k - 1) for k in range(n)], len(x))


@apart
def new_functions(random):
    """Ever new functions for Numba, compiled, run and dropped: what stays of each is Numba's."""
    def once():
        function, _ = fresh(random)
        x = random.uniform(0.5, 2, 3)
        expect(function(x), function.py_func(x), "what Numba computed")
    return once


@apart
def new_native_gradients(random):
    """Gradients of ever new functions: of what stays, the part above that of the functions alone is the derivative code's."""
    def once():
        function, slope = fresh(random)
        x = random.uniform(0.5, 2, 3)
        expect(tg.grad(function)(x), slope(x), "the gradient of a new native function")
    return once


# Transforms, and what is built on them ------------------------------------------------------------------------------

@kind
def transforms(random):
    """jvp, vjp, Hessians and products with them, nested, checkpoint, vmap."""
    def once():
        x, v = random.uniform(-1, 1, (2, random.integers(2, 12)))
        slope, hessian = rosenbrock_slope(x), rosenbrock_hessian(x)
        expect(tg.jvp(rosenbrock, (x,), (v,))[1], slope @ v, "a tangent")
        expect(tg.vjp(rosenbrock, x)[1](1.0)[0], slope, "a pullback")
        expect(tg.hessian(rosenbrock)(x), hessian, "a Hessian")
        expect(tg.hvp(rosenbrock, x, v), hessian @ v, "a product with the Hessian")
        expect(tg.grad(lambda x: (tg.grad(rosenbrock)(x) * v).sum())(x), hessian @ v, "a gradient of a gradient")
        expect(tg.grad(tg.checkpoint(rosenbrock))(x), slope, "a gradient of what is computed twice")
        expect(tg.vmap(tg.grad(rosenbrock))(np.stack([x, v])), [slope, rosenbrock_slope(v)], "a batch")
    return once


@kind
def sparse(random):
    """Patterns that are found, kept and found anew."""
    kept = tg.sparse_hessian(rosenbrock)
    def once():
        x = random.uniform(-1, 1, random.integers(3, 100))
        expect(kept(x).toarray(), rosenbrock_hessian(x), "a sparse Hessian")
        made = tg.sparse_jacobian(lambda x: x[1:] * x[:-1])(x)
        expect(made.toarray(), scipy.sparse.diags_array([x[1:], x[:-1]], offsets=[0, 1], shape=(len(x) - 1, len(x))).toarray(),
               "a sparse Jacobian")
    return once


@kind
def fits(random):
    """Minimizers, curve fits and roots of tg.optimize."""
    t = np.linspace(0, 3, 40)

    def model(t, a, b, c):
        return a * np.exp(-b * t) + c
    def once():
        p = random.uniform(0.5, 2, 3)
        expect(tg.optimize.curve_fit(model, t, model(t, *p), np.ones(3))[0], p, "what a curve fit found", 1e-5)
        expect(tg.optimize.least_squares(lambda x: x ** 3 - p, np.ones(3)).x, np.cbrt(p), "a least squares solution", 1e-5)
        expect(tg.optimize.minimize(rosenbrock, 0.5 * p, method="trust-exact").x, np.ones(3), "a minimum", 1e-4)
        x = tg.optimize.root(lambda x: x * np.exp(x) - p, np.ones(3)).x
        expect(x * np.exp(x), p, "a root", 1e-6)
    return once


# Threads and files ----------------------------------------------------------------------------------------------------

@kind
def threads(random):
    """Threads come, record, run backward and replay, and go; nothing of them stays."""
    compiled, shared = tg.grad(tg.compile(rosenbrock)), tg.tensor(2.0, requires_grad=True)
    def once():
        given, found, states = random.uniform(-1, 1, (3, 5)), [None] * 3, []

        def work(k):
            states.append(weakref.ref(state()))
            x = tg.tensor(given[k], requires_grad=True)
            (rosenbrock(x) * shared.detach()).backward()
            found[k] = x.grad.numpy(), compiled(given[k]), (x * 3).sum()         # the last is never run backward there
        workers = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        del worker, workers
        for x, (eager, replayed, left) in zip(given, found):
            expect(eager, 2 * rosenbrock_slope(x), "a gradient of a thread")
            expect(replayed, rosenbrock_slope(x), "a replay of a thread")
            left.backward()                  # a graph outlives the thread that recorded it
        if any(reference() is not None for reference in states):
            raise AssertionError("the state of a thread that ended is still there")
        del left
    return once


@kind
def files(random):
    """Copies, pickles and saved tapes."""
    compiled = tg.compile(rosenbrock)
    def once():
        x = random.uniform(-1, 1, 5)
        leaf = tg.tensor(x, requires_grad=True)
        expect(pickle.loads(pickle.dumps(leaf)), x, "a tensor from a pickle")
        expect(copy.deepcopy(leaf), x, "a copy")
        expect(tg.grad(pickle.loads(pickle.dumps(compiled)))(x), rosenbrock_slope(x), "the gradient of a function from a pickle")
        tape = tg.record(rosenbrock, x)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tape")
            tape.save(path)
            for again in (tg.Tape.load(path), pickle.loads(pickle.dumps(tape))):
                expect(tg.grad(again)(x), rosenbrock_slope(x), "the gradient of a tape that was saved")
    return once
