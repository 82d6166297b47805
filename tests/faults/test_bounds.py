"""Checks of memory: with NUMBA_BOUNDSCHECK=1, a kernel that leaves its memory is found.

Numba's own checks are of arrays, as compiled functions of users and their derivatives have them; kernels see addresses, and are
checked as Python code, NUMBA_DISABLE_JIT=1 besides. CI runs a part of the tests in both ways; see .ci/run.
"""

import textwrap

import numpy as np

from .children import run

CHECKED = {"NUMBA_DISABLE_JIT": "1", "NUMBA_BOUNDSCHECK": "1"}

SOUND = """
import numpy as np
import tapegrad as tg

x = np.linspace(0.2, 1.8, 6)

def f(x):
    y = x.reshape(2, 3)
    y = tg.concatenate([y @ y.T, y[:, ::-1][:, :2]]) * x[[0, 5, 5, 1]].reshape(4, 1)
    return (tg.softmax(y, 1).cumsum(0) + tg.where(y > 1.0, y, x[0])).sum() + y.std() + y[1:, 0].prod()

compiled = tg.compile(f)
for _ in range(3):
    value, gradient = tg.value_and_grad(compiled)(x)
steps = [tg.grad(f)(x) @ v - (f(tg.tensor(x + 1e-6 * v)) - f(tg.tensor(x - 1e-6 * v))).item() / 2e-6 for v in np.eye(6)]
assert np.abs(steps).max() < 1e-7 and np.array_equal(gradient, tg.grad(f)(x))
np.testing.assert_allclose(tg.hessian(f)(x) @ x, tg.hvp(f, x, x))
tg.grad(f)(x.astype(np.float32))
assert tg.grad(lambda x: (x[:0].sum() + x).sum())(x).tolist() == [1.0] * 6
"""


def test_kernels_stay_inside():
    assert run(SOUND, **CHECKED) == ""


# A kernel that is wrong by one, in the rows and makers that kernels come from, and what meets it.
BAD = {
    "an elementwise value reads and writes one more": (
        """
def bad(rule, real):
    def kernel(address):
        f = at(address, np.int64)
        z, x = at(f[makers.OUT], real), at(f[makers.X], real)
        for i in range(f[makers.N] + 1):
            z[i] = rule(x[i])
    return kernel
makers._value1 = bad
""",
        "tg.sin(w)",
    ),
    "an elementwise adjoint writes one before": (
        """
def bad(rule, real, k, tangent):
    def kernel(address):
        f = at(address, np.int64)
        out, g, x, z = (at(f[p], real) for p in (makers.OUT, makers.INCOMING, makers.X, makers.RESULT))
        for i in range(-1, f[makers.N]):
            out[i] += rule(g[i], x[i], z[i])
    return kernel
makers._partial1 = bad
""",
        "tg.sin(w)",
    ),
    "a structural loop reads past its operand": (
        """
def bad(out, source, plan, scratch, n):
    for i in range(n):
        out[i] = source[plan[1 + i] + 1]
BY_NAME["take"].bodies["forward"] = bad
""",
        "w[[0, 5]]",
    ),
    "a structural loop reads past its plan": (
        """
def bad(out, source, plan, scratch, n):
    for i in range(n):
        out[i] = source[0] + 0 * plan[2 + i]
BY_NAME["take"].bodies["forward"] = bad
""",
        "w[[0, 5]]",
    ),
    "a structural adjoint writes past its operand": (
        """
def bad(out, source, plan, scratch, n):
    for i in range(plan[0]):
        out[plan[1 + i] + 1] += source[i]
BY_NAME["add_at"].bodies["tangent", 0] = bad
""",
        "w[[0, 5]]",
    ),
    "a loop of several operands reads past the second": (
        """
def bad(address, real, item):
    f = at(address, np.int64)
    z, y = at(f[makers.OUT], real), at(f[makers.Y], real)
    for i in range(f[makers.N]):
        z[i] = y[i + 6]
BY_NAME["matmul"].bodies["forward"] = bad
""",
        "w.reshape(2, 3) @ w.reshape(3, 2)",
    ),
}


def test_kernels_that_leave_their_memory_are_found():
    """One after the other in one process, in which every kernel is made anew."""
    program = """
        import sys
        import numpy as np
        import tapegrad as tg
        from tapegrad._jit import at
        from tapegrad.kernels import ADDRESSES, makers
        from tapegrad.ops import BY_NAME

        kept, bodies = dict(vars(makers)), {op: dict(op.bodies) for op in BY_NAME.values()}
        for code, use in BAD:
            exec(code)
            for table in ADDRESSES.values():
                table[:] = 0
            w = tg.tensor(np.linspace(0.2, 1.8, 6), requires_grad=True)
            try:
                eval(use).sum().backward()
            except IndexError as error:
                assert "outside of the memory" in str(error)
                print("found")
            vars(makers).update(kept)
            for op, its in bodies.items():
                op.bodies.update(its)
            for table in ADDRESSES.values():
                table[:] = 0
            tg.grad(lambda x: (tg.sin(x[[0, 5]]) * x[1]).sum())(np.linspace(0.2, 1.8, 6))
    """
    assert run(f"BAD = {list(BAD.values())!r}\n" + textwrap.dedent(program), **CHECKED) == "found\n" * len(BAD)


def test_native_code_is_checked_by_numba():
    program = """
import numba
import numpy as np
import tapegrad as tg

@numba.njit
def beyond(x):
    return x[0] * x[len(x)]

try:
    tg.grad(beyond)(np.ones(3))
except IndexError:
    print("found")
"""
    assert run(program, NUMBA_BOUNDSCHECK="1", NUMBA_DISABLE_JIT="0") == "found\n"


# Without the JIT ------------------------------------------------------------------------------------------------------

AT_THE_EDGES = """
import sys
import numpy as np
import tapegrad as tg

POINTS = [0.0, -0.0, 1.0, -1.0, 2.0, 1e-320, 1e300, np.inf, -np.inf, np.nan]
found = []
for dtype in (np.float64, np.float32):
    with np.errstate(over="ignore"):
        pairs = np.array([(a, b) for a in POINTS for b in POINTS]).astype(dtype)
    for op in (tg.divide, tg.power, lambda x, y: tg.reciprocal(x) + y, lambda x, y: tg.log(x) * tg.sqrt(y),
               lambda x, y: tg.exp(x) / (y - y)):
        x, y = (tg.tensor(column, requires_grad=True) for column in pairs.T)
        z = op(x, y)
        z.sum().backward()
        found += [z.detach().numpy(), x.grad.numpy(), y.grad.numpy()]
    w = tg.tensor(np.array([0.0, 0.0], dtype), requires_grad=True)
    for z in (w.std() + tg.linalg.norm(w), (w / w.sum()).sum(), tg.tensor(1.0, dtype=w.dtype) / w[0], 1 / w[0] ** 2):
        w.grad = None
        z.backward()
        found += [z.detach().numpy(), w.grad.numpy()]
    nothing = tg.tensor(np.zeros((0, 3), dtype), requires_grad=True)
    for z in (nothing.mean(0), nothing.var(0), nothing.std(), nothing.mean(), nothing.mean(1)):
        z.sum().backward()
        found.append(z.detach().numpy())
fast = tg.compile(lambda x: 1.0 / x[0] + (x / x[1]).sum())
for _ in range(3):
    value, gradient = tg.value_and_grad(fast)(np.zeros(2))
found += [value, gradient]
np.savez(sys.argv[1], *found)
"""


def test_without_the_jit_a_division_by_zero_is_what_compiled_code_makes_of_it(tmp_path):
    for jit in ("0", "1"):
        assert run(AT_THE_EDGES, tmp_path / f"{jit}.npz", NUMBA_DISABLE_JIT=jit) == ""
    with np.load(tmp_path / "0.npz") as compiled, np.load(tmp_path / "1.npz") as plain:
        assert len(compiled.files) == len(plain.files) > 40
        for name in compiled.files:
            np.testing.assert_allclose(plain[name], compiled[name], rtol=1e-6, err_msg=name)
