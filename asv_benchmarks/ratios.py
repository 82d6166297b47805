"""What tapegrad does, and beside each a loop of the same nature without it: their ratio is the speed that a check can hold.

A loop that makes objects and writes three numbers of each stands beside recording, one that calls a kernel through a table of
addresses beside the sweep, a program of instructions beside the interpreter, the gradient by hand beside machine code, a list
of partials beside native code. A slower machine, a busy one or another Python slows both sides of a pair, so that their ratio
moves far less than the times do. Nothing of tapegrad is in a loop.

``python ratios.py`` prints the ratios of one process as JSON.
"""
import argparse
import array
import gc
import json
import time

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

import tapegrad as tg
from tapegrad.kernels import numbers

ROUNDS = 120                                 # of which the fastest counts; about 3 s, and more on a machine that is busy
PLAIN = {"error_model": "numpy"}             # for Numba: as tapegrad compiles


def chain(x, operations):
    s = x
    for _ in range(operations // 2):
        s = s * x
        s = s + 0.5
    return s


def rosenbrock_loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


# Recording ------------------------------------------------------------------------------------------------------------

class Columns:
    """Where `Noted` objects are noted."""
    __slots__ = ("constants", "left", "n", "right", "words")

    def __init__(self, capacity):
        self.words = memoryview(array.array("H", bytes(2 * capacity)))
        self.left = memoryview(array.array("i", bytes(4 * capacity)))
        self.right = memoryview(array.array("i", bytes(4 * capacity)))
        self.n, self.constants = 0, {0.5: 0}


class Noted:
    """An object of ten parts, each noted in three columns."""
    __slots__ = ("__weakref__", "base", "columns", "data", "edits", "grad", "index", "requires", "shape", "storage")

    def combine(self, other):
        try:
            columns = self.columns
            if type(other) is Noted:
                shape = self.shape
                if columns is not other.columns or shape is not other.shape:
                    return None
                k = other.index
            else:
                shape, k = self.shape, columns.constants[other]
            i = columns.n
            columns.words[i] = 7
            columns.left[i] = self.index
            columns.right[i] = k
            columns.n = i + 1
        except (AttributeError, IndexError):
            return None
        z = make(Noted)
        z.columns = columns
        z.index = i
        z.shape = shape
        z.data = z.storage = z.base = z.grad = None
        z.edits = 0
        z.requires = False
        return z

    __mul__ = __add__ = combine


make = Noted.__new__


def recording():
    x = tg.tensor(0.9, requires_grad=True)

    def noting():
        columns.n = 1
        chain(first, 2000)
    columns, first = Columns(4000), make(Noted)
    first.columns, first.index, first.shape = columns, 0, ()
    return lambda: chain(x, 2000), noting


# Sweeps ---------------------------------------------------------------------------------------------------------------

@intrinsic
def call(typingctx, address, frame):
    def codegen(context, builder, signature, arguments):
        kernel = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        builder.call(builder.inttoptr(arguments[0], kernel.as_pointer()), [arguments[1]])
        return context.get_dummy_value()
    return types.void(types.int64, types.int64), codegen


@intrinsic
def at(typingctx, address, dtype):
    pointer = types.CPointer(dtype.instance_type)

    def codegen(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(pointer))
    return pointer(types.int64, dtype), codegen


@numba.cfunc(types.void(types.int64), **PLAIN)
def product(frame):
    f = at(frame, np.int64)
    x, g = at(f[1], np.float64), at(f[3], np.float64)
    a, b = at(f[2], np.float64), at(f[4], np.float64)
    for k in range(f[0]):
        a[k] += g[k] * x[k]
        b[k] += g[k] * x[k]


@numba.cfunc(types.void(types.int64), **PLAIN)
def total(frame):
    f = at(frame, np.int64)
    a, g = at(f[2], np.float64), at(f[3], np.float64)
    for k in range(f[0]):
        a[k] += g[k]


@numba.njit(**PLAIN)
def called_backward(words, left, right, sizes, values, adjoints, kernels, frame):
    adjoints[:] = 0.0
    adjoints[-1] = 1.0
    value, adjoint, place = values.ctypes.data, adjoints.ctypes.data, frame.ctypes.data
    for i in range(len(words) - 1, 0, -1):
        word = words[i]
        if word & 0x1000:
            frame[0] = sizes[word >> 13]
            frame[1] = value + 8 * left[i]
            frame[2] = adjoint + 8 * left[i]
            frame[3] = adjoint + 8 * i
            frame[4] = adjoint + 8 * right[i]
            call(kernels[word & 0xfff], place)


def sweeping():
    y = chain(tg.tensor(0.9, requires_grad=True), 2000)
    n = np.arange(2001)
    arguments = (np.where(n % 2, 0x1000, 0x1001).astype(np.uint16), np.maximum(n - 1, 0).astype(np.int32),
                 np.zeros(len(n), np.int32), np.ones(2, np.int64), np.full(len(n), 0.9), np.zeros(len(n)),
                 np.array([product.address, total.address]), np.zeros(5, np.int64))

    def backward():
        for _ in range(20):
            y.backward(retain_graph=True)

    def by_calls():
        for _ in range(50):
            called_backward(*arguments)
    return backward, by_calls


# Replay ---------------------------------------------------------------------------------------------------------------

@numba.njit(**PLAIN)
def instructed(code, values):
    """Numbers by instructions: a case, the operands' places, the result's."""
    s = 0.0
    for i in range(len(code)):
        case, a, b, z = code[i, 0], code[i, 1], code[i, 2], code[i, 3]
        if case == 0:
            s = values[a] + values[b]
        elif case == 1:
            s = values[a] - values[b]
        elif case == 2:
            s = values[a] * values[b]
        elif case == 3:
            s = values[a] * values[a]
        elif case == 4:
            s = values[a] / values[b]
        elif case == 5:
            s = max(values[a], values[b])
        elif case == 6:
            s = np.sqrt(values[a])
        else:
            s = -values[a]
        values[z] = s
    return s


def replaying():
    """The interpreter: Rosenbrock's function of 200 variables, some 2,000 records."""
    x, out = np.linspace(-1.0, 1.0, 200), np.empty(200)
    for loop in ("values", "adjoints"):      # where they are compiled, the interpreter takes them early
        numbers.address(loop, np.dtype(np.float64))
    replayed = tg.value_and_grad(tg.compile(rosenbrock_loop, tier="interpreter"))
    for _ in range(1500):
        replayed(x, out=out)
    code = np.zeros((4000, 4), np.int64)
    code[:, 0] = np.resize([1, 3, 2, 3, 0], len(code))
    code[:, 1] = np.resize(np.arange(400), len(code))
    code[:, 2], code[:, 3] = np.roll(code[:, 1], 3), np.roll(code[:, 1], 7)
    values = np.linspace(0.0, 1.0, 400)

    def replay():
        for _ in range(50):
            replayed(x, out=out)

    def by_instructions():
        for _ in range(50):
            values[:] = 0.5
            instructed(code, values)
    return replay, by_instructions


@numba.njit(**PLAIN)
def by_hand(x, out):
    s = 0.0
    out[0] = 0.0
    for i in range(len(x) - 1):
        a, b = x[i + 1] - x[i] * x[i], 1 - x[i]
        s += 100 * a * a + b * b
        out[i] -= 400 * a * x[i] + 2 * b
        out[i + 1] = 200 * a
    return s


def machine(variables, calls):
    """Machine code beside the gradient by hand: of many variables its loops count, of two the call from Python."""
    x, out = np.linspace(-1.0, 1.0, variables), np.empty(variables)
    compiled = tg.value_and_grad(tg.compile(rosenbrock_loop, tier="machine"))
    for _ in range(300):
        compiled(x, out=out)

    def machine_code():
        for _ in range(calls):
            compiled(x, out=out)

    def hand():
        for _ in range(calls):
            by_hand(x, out)
    return machine_code, hand


# Native ---------------------------------------------------------------------------------------------------------------

@numba.njit(**PLAIN)
def partials(words, reals, x):
    """Writes a list of partials, and sweeps over it: two places, two partials and an adjoint each."""
    last = len(words) - 1
    for n in range(1, len(x)):
        for k in range(10):
            i = 10 * (n - 1) + k
            words[i, 0], words[i, 1] = max(i - 1, 0), max(i - 10, 0)
            reals[i, 2], reals[i, 3], reals[i, 4] = x[n - 1], 1.0 - x[n], 0.0
    reals[last, 4] = 1.0
    for i in range(last, 0, -1):
        g = reals[i, 4]
        if g != 0.0:
            a, b = words[i, 0], words[i, 1]
            reals[a, 4] += g * reals[i, 2]
            reals[b, 4] += g * reals[i, 3]
    return reals[0, 4]


def native():
    x = np.linspace(-1.0, 1.0, 200)
    gradient = tg.value_and_grad(numba.njit(rosenbrock_loop))
    reals = np.zeros((1990, 5))
    words = reals.view(np.int64)

    def recorded():
        for _ in range(100):
            gradient(x)

    def listed():
        for _ in range(100):
            partials(words, reals, x)
    return recorded, listed


# Measuring ------------------------------------------------------------------------------------------------------------

PAIRS = {
    "recording": recording,
    "sweeping": sweeping,
    "replay, interpreter": replaying,
    "replay, machine code": lambda: machine(1000, 400),
    "replay, calls": lambda: machine(2, 3000),
    "native": native,
}


def slowed(function, factor):
    """`function`, and then a loop until it has taken `factor` times as long."""
    clock = time.perf_counter

    def longer():
        begin = clock()
        function()
        end = clock()
        end += (factor - 1) * (end - begin)
        while clock() < end:
            pass
    return longer


def measure(rounds=ROUNDS, slowdown=1.0):
    """{name: (fastest time of tapegrad's side, of the loop's)} in seconds, all of them in turn, without garbage collection."""
    pairs = {name: make_pair() for name, make_pair in PAIRS.items()}
    for ours, loop in pairs.values():
        ours(), loop()
    if slowdown != 1.0:
        pairs = {name: (slowed(ours, slowdown), loop) for name, (ours, loop) in pairs.items()}
    fastest = {name: [float("inf")] * 2 for name in pairs}
    gc.collect()
    gc.disable()
    clock = time.perf_counter
    for _ in range(rounds):
        for name, pair in pairs.items():
            for side, function in enumerate(pair):
                begin = clock()
                function()
                fastest[name][side] = min(fastest[name][side], clock() - begin)
    gc.enable()
    return fastest


def main():
    parser = argparse.ArgumentParser(description="Prints, as JSON, each ratio and the two times behind it in seconds.")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--slowdown", type=float, default=1.0, help="make tapegrad's side of each pair so much slower")
    given = parser.parse_args()
    found = measure(given.rounds, given.slowdown)
    print(json.dumps({name: [ours / loop, ours, loop] for name, (ours, loop) in found.items()}))


if __name__ == "__main__":
    main()
