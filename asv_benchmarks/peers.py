"""Times tapegrad beside the libraries that do the like, as far as they are installed, and writes docs/benchmarks.md.

    pip install torch jax casadi xad autograd           # those that you want beside it
    python asv_benchmarks/peers.py                      # prints the page: some ten minutes
    python asv_benchmarks/peers.py --write              # writes it to docs/benchmarks.md
    python asv_benchmarks/peers.py --only 'rosen_*' --libraries tapegrad,casadi --repeat 3

All libraries compute in float64 on one thread of one core, in this process, in turns: a round of the first, of the second, ...,
and again. A figure is the median of its rounds. Each call takes NumPy arrays and gives NumPy arrays. Before anything is timed,
results are compared, and a library that disagrees is left out with a remark.
"""

import argparse
import fnmatch
import functools
import importlib
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "benchmarks.md"
ROUND = 0.02  # seconds that a round takes at least: above the clock's jitter, below a scheduler's patience
COLUMNS = {  # the keys of implementations, and what they are called; the library is what stands before the dot
    "tapegrad": "tapegrad", "tapegrad.compile": "`tg.compile`", "tapegrad.njit": "`numba.njit`", "torch": "PyTorch",
    "jax": "JAX, jit", "casadi": "CasADi", "xad": "XAD", "autograd": "autograd",
}
SCALE = {"ns": 1e9, "µs": 1e6, "ms": 1e3, "s": 1.0}


# How each library gives a value and a gradient --------------------------------------------------------------------------

def eager(library):
    """Of tapegrad and PyTorch, whose programs are the same."""
    def make(model, p, *data):
        xp = importlib.import_module(library)
        f, data = model(xp), [xp.tensor(a) for a in data]

        def call():
            x = [xp.tensor(a, requires_grad=True) for a in p]
            y = f(*x, *data)
            y.backward()
            return [y.item(), *(a.grad.numpy() for a in x)]
        return call
    return make


def compiled(model, p, *data):
    import tapegrad as tg

    f, data = model(tg), [tg.tensor(a) for a in data]
    step = tg.value_and_grad(tg.compile(lambda *x: f(*x, *data), tier="machine"), tuple(range(len(p))))

    def call():
        value, gradients = step(*p)
        return [value, *gradients]
    call()  # a path is trusted when two recordings of it were the same, and is machine code from then on
    call()
    return call


def njit(model, p, *data):
    import numba

    import tapegrad as tg

    step = tg.value_and_grad(numba.njit(model(np)), tuple(range(len(p))))

    def call():
        value, gradients = step(*p, *data)
        return [value, *gradients]
    return call


def jax(model, p, *data):
    import jax
    import jax.numpy as jnp

    f, data = model(jnp), [jnp.asarray(a) for a in data]
    step = jax.jit(jax.value_and_grad(lambda *x: f(*x, *data), tuple(range(len(p)))))

    def call():
        value, gradients = step(*p)
        return [np.asarray(value), *map(np.asarray, gradients)]
    return call


def autograd(model, p, *data):
    import autograd
    import autograd.numpy as anp

    f = model(anp)
    step = autograd.value_and_grad(lambda x: f(*x, *data))

    def call():
        value, gradients = step(tuple(p))
        return [value, *gradients]
    return call


def xad(model, p, *data):
    import xad.adj_1st as adj
    import xad.math

    f, tape, (p,) = model(xad.math), adj.Tape(), p

    def call():
        with tape:
            tape.clearAll()
            x = [adj.Real(a) for a in np.atleast_1d(p).tolist()]
            tape.registerInputs(x)
            tape.newRecording()
            y = f(x if p.ndim else x[0], *data)
            tape.registerOutput(y)
            y.derivative = 1.0
            tape.computeAdjoints()
            return [y.value, np.array([a.derivative for a in x]).reshape(p.shape)]
    return call


def casadi(model, p, *data):
    import casadi as ca

    x = ca.SX.sym("x", p[0].size)
    y = model(ca)(ca.vertsplit(x), *data)
    return through_buffers(ca.Function("f", [x], [y, ca.densify(ca.gradient(y, x))]), *p)


def through_buffers(function, *arguments):
    """CasADi's fast way to call a function: its plain call spends ten microseconds on conversions."""
    buffer, trigger = function.buffer()
    inputs = [np.zeros(a.shape, order="F") for a in arguments]
    outputs = [np.zeros(function.size_out(k), order="F") for k in range(function.n_out())]
    for k, array in enumerate(inputs):
        buffer.set_arg(k, memoryview(array.T))
    for k, array in enumerate(outputs):
        buffer.set_res(k, memoryview(array.T))

    def call(kept=(function, buffer)):  # trigger does not hold them
        for array, a in zip(inputs, arguments):
            array[...] = a
        trigger()
        return [array.squeeze().copy() for array in outputs]
    return call


ADAPTERS = {"tapegrad": eager("tapegrad"), "tapegrad.compile": compiled, "tapegrad.njit": njit, "torch": eager("torch"),
            "jax": jax, "casadi": casadi, "xad": xad, "autograd": autograd}


# What is measured -----------------------------------------------------------------------------------------------------

def chain(xp):
    def f(x):
        s = x
        for _ in range(1000):
            s = s * x
            s = s + 0.5
        return s if isinstance(s, float) or getattr(s, "ndim", 0) == 0 else s.sum()
    return f


def rosen(xp):
    return lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosen_loop(xp):
    def f(x):
        s = 0.0
        for k in range(len(x) - 1):
            s += 100 * (x[k + 1] - x[k] ** 2) ** 2 + (1 - x[k]) ** 2
        return s
    return f


def logistic(xp):
    return lambda w, x, y: xp.log1p(xp.exp(-y * (x @ w))).mean() + 0.005 * (w @ w)


def network(xp):
    def f(a, b, c, d, e, g, x, y):
        return ((xp.tanh(xp.tanh(x @ a + b) @ c + d) @ e + g - y) ** 2).mean()
    return f


STEPS, PATHS = 50, 20_000


def path(xp):
    """The payoff on an Euler path with local volatility: of one path, or of all, `z` a row of normals for each step."""
    def f(p, z):
        s, rate, sigma, skew = p[0], p[1], p[2], p[3]
        for k in range(STEPS):
            volatility = sigma * xp.exp(skew * xp.log(s * 0.01))
            s = s + s * (rate / STEPS + volatility * (z[k] * STEPS ** -0.5))
        return xp.exp(-rate) * 5 * xp.log1p(xp.exp((s - 105) * 0.2))
    return f


def exponentials(xp):
    return lambda p, t, y: xp.exp(-t * p[4:]) @ p[:4] - y


def normals(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


DECAYS = np.array([1.0, -0.5, 2.0, 0.3, 0.2, 1.0, 3.0, 7.0]), np.linspace(0, 2, 200)[:, None], normals(200)


class Workload:
    """A row: implementations by key, each a function without arguments that makes a call without arguments."""

    def __init__(self, name, title, unit, implementations, operations=1):
        self.name, self.title, self.unit, self.implementations, self.operations = name, title, unit, implementations, operations


def gradient(name, title, unit, keys, model, p, *data, operations=1):
    made = {key: (lambda adapter=ADAPTERS[key]: adapter(model, p, *data)) for key in keys.split()}
    return Workload(name, title, unit, made, operations)


def transformed(name, title, kind, model, p, *data, **others):
    """A row of Jacobians or Hessians: `kind` is what the transform is called. Others have ways of their own to make one."""
    def of(library, transform, xp, wrap=lambda f: f, own=np.asarray, back=np.asarray):
        def make():
            modules = [importlib.import_module(part) for part in (library, xp)]
            f, ours = model(modules[1]), [own(a) for a in data]
            step = wrap(functools.reduce(getattr, transform.split("."), modules[0])(lambda p: f(p, *ours)))
            return lambda: [back(step(own(p)))]
        return make

    def tapegrad_compile():
        import tapegrad as tg

        f, ours = model(tg), [tg.tensor(a) for a in data]
        step = getattr(tg, kind)(tg.compile(lambda p: f(p, *ours), tier="machine"))
        return twice(lambda: [step(p)])

    forward = {"hessian": "hessian", "jacobian": "jacfwd"}[kind]
    return Workload(name, title, "µs", {
        "tapegrad": of("tapegrad", kind, "tapegrad"), "tapegrad.compile": tapegrad_compile,
        "torch": of("torch", f"func.{forward}", "torch", own=lambda a: importlib.import_module("torch").tensor(a)),
        "jax": of("jax", forward, "jax.numpy", wrap=lambda f: importlib.import_module("jax").jit(f)),
        "autograd": of("autograd", kind, "autograd.numpy"), **others})


def casadi_hessian():
    import casadi as ca

    x = ca.SX.sym("x", 50)
    return through_buffers(ca.Function("h", [x], [ca.densify(ca.hessian(rosen_loop(ca)(ca.vertsplit(x)), x)[0])]), normals(50))


def casadi_jacobian():
    import casadi as ca

    p, (t, y) = ca.SX.sym("p", 8), DECAYS[1:]
    rows = ca.mtimes(ca.exp(ca.mtimes(-t, p[4:].T)), p[:4]) - y
    return through_buffers(ca.Function("j", [p], [ca.densify(ca.jacobian(rows, p))]), DECAYS[0])


def greeks():
    """Vectorised over the paths where that is fastest (JAX's vmap of one path takes three times as long)."""
    p, z = np.array([100.0, 0.03, 0.2, -0.3]), normals(PATHS, STEPS)
    whole = gradient("", "", "", "tapegrad torch jax autograd", lambda xp: lambda p, z: path(xp)(p, z).mean(), [p],
                     np.ascontiguousarray(z.T))

    def batch(step):
        def call():
            values, gradients = step(p, z)
            return [values.mean(), gradients.mean(0)]
        return call

    def tapegrad_compile():
        import tapegrad as tg

        return twice(batch(tg.vmap(tg.value_and_grad(tg.compile(path(tg), tier="machine")), in_axes=(None, 0))))

    def tapegrad_njit():
        import numba

        import tapegrad as tg

        return batch(tg.vmap(tg.value_and_grad(numba.njit(path(np))), in_axes=(None, 0)))

    ways = {**whole.implementations, "tapegrad.compile": tapegrad_compile, "tapegrad.njit": tapegrad_njit}
    return Workload("greeks", f"Monte Carlo: {PATHS:,} paths of {STEPS} steps, each with its gradient", "ms", ways)


def twice(call):
    call()
    call()
    return call


def workloads():
    x, all_of = normals(1000, 20), "tapegrad tapegrad.compile torch jax autograd"
    labels = np.sign(x @ normals(20, seed=2) + normals(1000, seed=3))
    inputs = normals(64, 2)
    weights = [normals(2, 16), normals(16), normals(16, 16) / 4, normals(16), normals(16, 1) / 4, normals(1)]
    operations = [
        gradient("chain_scalar", "on numbers", "µs", "tapegrad torch xad autograd", chain, [np.array(0.9)], operations=2000),
        *(gradient(f"chain_{n}", f"on vectors of {n:,}", "µs", "tapegrad torch autograd", chain, [np.linspace(0.5, 0.9, n)],
                   operations=2000) for n in (8, 64, 4096)),
    ]
    derivatives = [
        *(gradient(f"rosen_{n}", f"Rosenbrock's function with slices, n = {n:,}", unit, all_of, rosen, [normals(n)])
          for n, unit in ((10, "µs"), (1000, "µs"), (1_000_000, "ms"))),
        *(gradient(f"rosen_loop_{n}", f"the same, a Python loop over {n:,} numbers", "µs", keys, rosen_loop, [normals(n)])
          for n, keys in ((100, "tapegrad tapegrad.compile tapegrad.njit jax casadi xad"),
                          (1000, "tapegrad tapegrad.compile tapegrad.njit casadi xad"))),  # JAX compiles this one for minutes
        gradient("logistic", "logistic regression, 1,000 rows of 20", "µs", all_of, logistic, [normals(20, seed=1)], x, labels),
        gradient("network", "a 2-16-16-1 network on 64 rows", "µs", all_of, network, weights, inputs,
                 np.sin(inputs[:, :1] * inputs[:, 1:])),
        transformed("hessian", "dense Hessian of Rosenbrock's function, n = 50", "hessian", rosen, normals(50),
                    casadi=casadi_hessian),
        transformed("jacobian", "Jacobian of 200 residuals by 8 parameters", "jacobian", exponentials, *DECAYS,
                    casadi=casadi_jacobian),
        greeks(),
    ]
    return operations, derivatives


# Measuring ------------------------------------------------------------------------------------------------------------

def installed(key):
    return importlib.util.find_spec(key.partition(".")[0]) is not None


def clock(call, count, now):
    began = now()
    for _ in range(count):
        call()
    return now() - began


def measure(workload, wanted, repeat, now=time.perf_counter):
    """For each key: the median of the rounds, in seconds, and the seconds until the first result; and remarks."""
    calls, first, remarks, answer = {}, {}, [], None
    for key in [key for key in COLUMNS if key in workload.implementations and key in wanted]:
        began = now()
        call = workload.implementations[key]()
        result = [np.asarray(part) for part in call()]
        first[key] = now() - began
        if answer is None:
            answer = result
        if not all(np.allclose(a, b, rtol=1e-8, atol=1e-10 * np.abs(b).max()) for a, b in zip(result, answer, strict=True)):
            remarks.append(f"{COLUMNS[key]} was left out of {workload.name}: its result is another one")
            continue
        once = min(clock(call, 1, now) for _ in range(3))
        calls[key] = call, max(1, round(ROUND / once))
    rounds = {key: [] for key in calls}
    for _ in range(repeat):
        for key, (call, count) in calls.items():
            rounds[key].append(clock(call, count, now) / count / workload.operations)
    return {key: statistics.median(times) for key, times in rounds.items() if times}, first, remarks


# What needs a process of its own --------------------------------------------------------------------------------------

PROCESSES = {
    "first gradient": """
import time; began = time.{now}()
{imports}
x = {tensor}
y = (x * x + x).sin(); y.backward()
print(time.{now}() - began)""",
    "memory": """
import pathlib, resource, sys
{imports}
def run(n):
    x = s = {tensor}
    for _ in range(n // 2):
        s = s * x
        s = s + 0.5
    s.backward()
run(1000)
def peak():
    status = pathlib.Path("/proc/self/status")  # on Linux, ru_maxrss begins with what the parent process had
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
before = peak()
run(1_000_000)
print((peak() - before) / 1_000_000)""",
}
TENSORS = {"tapegrad": ("import tapegrad as tg", "tg.tensor(0.9, requires_grad=True)"),
           "torch": ("import torch", "torch.tensor(0.9, dtype=torch.float64, requires_grad=True)")}


def in_processes(wanted, repeat, now="perf_counter"):
    """The table of what needs fresh processes: (title, {key: text})."""
    rows = []
    for title, name, unit in (("import, and the first gradient of three operations (kernels on disk)", "first gradient", "s"),
                              ("peak memory of a chain of 1,000,000 operations, each", "memory", "bytes")):
        cells, found = {}, {key: [] for key in TENSORS if key in wanted}
        for _ in range(repeat):
            for key, figures in found.items():
                imports, tensor = TENSORS[key]
                program = PROCESSES[name].format(imports=imports, tensor=tensor, now=now)
                done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
                figures.append(float(done.stdout))
        for key, figures in found.items():
            cells[key] = f"{number(statistics.median(figures))} {unit}"
        rows.append((title, cells))
    return rows


# The page -------------------------------------------------------------------------------------------------------------

def number(x):
    """Two or three digits, as far as such figures are worth."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.2g}" if x < 10 else f"{x:.0f}"


def seconds(x):
    return next(f"{number(x * scale)} {unit}" for unit, scale in reversed(SCALE.items()) if x * scale >= 1 or unit == "ns")


def table(first, rows):
    """Rows (title, {key: text}) under a head; only columns that hold something."""
    if not rows:
        return "(left out)"
    keys = [key for key in COLUMNS if any(key in cells for _, cells in rows)]
    lines = [f"| {first} | {' | '.join(COLUMNS[key] for key in keys)} |", f"| --- |{' --- |' * len(keys)}"]
    lines += [f"| {title} | {' | '.join(cells.get(key, '') for key in keys)} |" for title, cells in rows]
    return "\n".join(lines)


def machine():
    """The processor, the system, and the versions of what is measured."""
    cpu = platform.processor() or platform.machine()
    if pathlib.Path("/proc/cpuinfo").exists():
        names = [line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")]
        cpu = names[0] if names else cpu
    return f"{cpu}, {platform.system()}, Python {platform.python_version()}"


def versions(wanted):
    names = ["numpy", "numba", *dict.fromkeys(key.partition(".")[0] for key in COLUMNS if key in wanted)]
    return ", ".join(f"{name} {importlib.metadata.version(name)}" if name != "tapegrad" else
                     f"tapegrad {importlib.import_module(name).__version__}" for name in names)


TEXT = """\
# Benchmarks

<!-- Written by `python asv_benchmarks/peers.py --write`. -->

tapegrad beside the libraries that do the like, measured by one command on one machine, in one process and in turns:

```sh
pip install . torch jax casadi xad autograd
python asv_benchmarks/peers.py --write
```

It measures what is installed, and writes this page. All compute in float64, on one thread of one core; every call takes
NumPy arrays and gives NumPy arrays. A figure is the median of {repeat} rounds of at least 20 ms, the libraries taking turns;
results are compared before anything is timed.{busy} Machines are noisy and differ: ratios within a row mean something, small ones
little.

Measured on: {machine}; {versions}.

## An operation

The time of one operation, recorded, computed and swept back, in a chain of 2,000 multiplications and additions:

{operations}

## Values and derivatives

{derivatives}

`tg.compile` is machine code here (`tier="machine"`); `numba.njit` is tapegrad's derivative of the function compiled by Numba;
each other column is the library's own. PyTorch runs eagerly (`torch.compile` needs a C++ compiler), JAX under `jit`, CasADi
through its buffers (called plainly it takes ten microseconds more). The paths of the Monte Carlo are one vector operation a
step for PyTorch, JAX, autograd and the first column; for `tg.compile` and `numba.njit` they are a `tg.vmap` of one path.

## Until the first result

What compiles takes time to do so. From the plain function to its first result, imports done, machine code of earlier runs
not used:

{first}

tapegrad keeps machine code on disk, and a later process reads it. Unless told `tier="machine"`, it interprets at first and makes
machine code of what runs often.
{processes}
## Over time

How tapegrad's own speed is followed from commit to commit is on the page about [speed over time](performance.md).
{remarks}"""


BUSY = """ The machine was busy: times are the processor's for this process (`--cpu`), which
others lengthen by what they take of its caches."""


def page(options, wanted):
    operations, derivatives = workloads()
    names = (options.only or "*").split(",")
    chosen = [[w for w in part if any(fnmatch.fnmatch(w.name, name) for name in names)] for part in (operations, derivatives)]
    if not any(chosen):
        everything = ", ".join(w.name for w in operations + derivatives)
        raise SystemExit(f"no workload is called {options.only}; there are {everything}")
    for small in (gradient("", "", "", " ".join(ADAPTERS), rosen_loop, [np.ones(3)]),
                  transformed("", "", "hessian", rosen, np.ones(3)), transformed("", "", "jacobian", rosen, np.ones(3))):
        measure(small, wanted, 0)  # imports
    now = "process_time" if options.cpu else "perf_counter"
    tables, starts, remarks = [], [], []
    for part in chosen:
        rows = []
        for workload in part:
            times, first, remarked = measure(workload, wanted, options.repeat, getattr(time, now))
            cells = {key: f"{number(t * SCALE[workload.unit])} {workload.unit}" for key, t in times.items()}
            print(f"{workload.name:16}", cells, file=sys.stderr, flush=True)
            rows.append((workload.title, cells))
            starts += [(workload.title, {key: seconds(t) for key, t in first.items()})] if part is chosen[1] else []
            remarks += remarked
        tables.append(table("value and derivative of" if part is chosen[1] else "an operation", rows))
    processes = "" if options.only else f"""
## Processes and memory

{table("a fresh process", in_processes(wanted, min(options.repeat, 3), now))}
"""
    return TEXT.format(repeat=options.repeat, busy=BUSY if options.cpu else "", machine=machine(), versions=versions(wanted),
                       operations=tables[0], derivatives=tables[1], first=table("time until the first result", starts),
                       processes=processes, remarks="".join(f"\n{remark}.\n" for remark in remarks))


def single_threaded():
    """Begins this program again with one thread for everybody, and with machine code kept in a folder that goes at its end."""
    with tempfile.TemporaryDirectory() as folder:
        names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PJRT_NPROC"]
        settings = {**dict.fromkeys(names, "1"), "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu", "XDG_CACHE_HOME": folder,
                    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "TAPEGRAD_PEERS": "1"}
        raise SystemExit(subprocess.run([sys.executable, *sys.argv], env={**os.environ, **settings}, check=False).returncode)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} in place of printing it")
    parser.add_argument("--only", help="names of workloads, or patterns of them as rosen_*, separated by commas")
    parser.add_argument("--libraries", help="libraries, separated by commas (default: all that are installed)")
    parser.add_argument("--repeat", type=int, default=9, help="rounds (9)")
    parser.add_argument("--cpu", action="store_true", help="count the processor's time, not the clock's: on a busy machine")
    options = parser.parse_args(argv)
    chosen = options.libraries.split(",") if options.libraries else [key.partition(".")[0] for key in COLUMNS]
    wanted = [key for key in COLUMNS if key.partition(".")[0] in chosen and installed(key)]
    text = page(options, wanted)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    if "TAPEGRAD_PEERS" not in os.environ:
        single_threaded()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    main()
