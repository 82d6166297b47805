"""Tests of the tests: a wrong derivative is refused, and machine code of an old rule never serves a new one."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

import tapegrad

PACKAGE = pathlib.Path(tapegrad.__file__).parent
IGNORED = shutil.ignore_patterns("__pycache__", "*.dat")


def python(code, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Wrong rules ---------------------------------------------------------------------------------------------------------

SABOTAGE = """
import sys
sys.path[:0] = sys.argv[1:]
import numpy as np
from ops.derivatives import check
from ops.rows import check_against_precise, check_complex_step, check_kink, check_row
from tapegrad.ops import BY_NAME
from tapegrad.autograd.recorded import namespace
from tapegrad.ops.table import rebind, select


def refused(name, check):
    try:
        check()
    except AssertionError:
        print("refused", name)
    else:
        print("ACCEPTED", name)


def spoil(name, k, partial, *checks):
    op = BY_NAME[name]
    op.partials = tuple(partial if q == k else p for q, p in enumerate(op.partials))
    for c in checks or (check_row,):
        refused(f"{name} {k} {c.__name__}", lambda: c(op))


# Signs
spoil("sin", 0, lambda g, x, z: -g * np.cos(x), check_row, check_against_precise, check_complex_step)
spoil("negative", 0, lambda g, x, z: g)
spoil("multiply", 1, lambda g, x, y, z: -g * x, check_row, check_complex_step)
spoil("subtract", 1, lambda g, x, y, z: g)
spoil("arctan2", 1, lambda g, x, y, z: g * x / (x * x + y * y))
spoil("where", 2, lambda g, x, y, w, z: select(x != 0, 0.0, -g))
# Operands exchanged, factors forgotten, a little off
spoil("add", 0, lambda g, x, y, z: 1.000001 * g)
spoil("divide", 0, lambda g, x, y, z: g / x)
spoil("square", 0, lambda g, x, z: g * x)
spoil("clip", 2, lambda g, x, y, w, z: 0.0)
# Right in one mode only: not linear in g
spoil("exp", 0, lambda g, x, z: np.abs(g) * z)
# Right but where it is hard
spoil("softplus", 0, lambda g, x, z: g * (1 - np.exp(-z)), check_against_precise)
spoil("hypot", 0, lambda g, x, y, z: g * x / np.sqrt(x * x + y * y), check_against_precise)
spoil("abs", 0, lambda g, x, z: select(x >= 0, g, -g), lambda op: check_kink(op, (0,)))
spoil("maximum", 1, lambda g, x, y, z: select(y < x, 0.0, g), lambda op: check_kink(op, (1, 1)))


# A wrong value
op = BY_NAME["cos"]
op.value = lambda x: np.cos(x) * 1.000001
refused("cos value", lambda: check_row(op))

# Structural rows: another adjoint, exchanged ones, a partial for higher derivatives that differs from the adjoint
import tapegrad as tg
x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
BY_NAME["sum"].adjoint = "spread"
refused("sum adjoint", lambda: check(lambda x: x.sum(0), x))
bodies = BY_NAME["assign"].bodies
bodies["tangent", 1] = bodies["tangent", 0]
def assign(x, v):
    z = x * 1.0
    z[0] = v
    return z
refused("assign tangent", lambda: check(assign, x, x[0]))
matmul = BY_NAME["matmul"]
right = rebind(matmul.partials[0], np=namespace())
matmul.partials = (lambda g, x, y, z, plan: -right(g, x, y, z, plan), matmul.partials[1])
refused("matmul partial", lambda: check(lambda x, y: x @ y, x, y))
BY_NAME["prod"].bodies["tangent", 0] = BY_NAME["logsumexp"].bodies["tangent", 0]
refused("prod tangent", lambda: check(lambda x: tg.prod(x, 1), x))
BY_NAME["cumprod"].bodies["adjoint", 0] = BY_NAME["cumsum"].bodies["adjoint", 0]
refused("cumprod adjoint", lambda: check(lambda x: tg.cumprod(x, 1), x))
deviation = BY_NAME["deviation"]
slope = rebind(deviation.partials[0], np=namespace())
deviation.partials = (lambda g, x, z, plan: 0.5 * slope(g, x, z, plan),)
refused("std partial", lambda: check(lambda x: tg.std(x, 1), x))
"""


def test_wrong_rules_are_refused(tmp_path, pytestconfig):
    lines = python(SABOTAGE, str(pytestconfig.rootpath / "tests")).splitlines()
    assert [line for line in lines if not line.startswith("refused ")] == []
    assert len(lines) == 25


# Stale machine code --------------------------------------------------------------------------------------------------


class Copy:
    """A copy of the package whose rules are edited, and a cache that all its processes share."""

    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        self.restore()

    def restore(self):
        shutil.copytree(PACKAGE, self.folder / "tapegrad", ignore=IGNORED, dirs_exist_ok=True)

    def edit(self, file, old, new):
        path = self.folder / "tapegrad" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} is in {file} {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, code):
        setup = "import sys; sys.path.insert(0, sys.argv[1])\nimport tapegrad as tg\n"
        setup += "assert tg.__file__.startswith(sys.argv[1])\n"
        return python(
            setup + textwrap.dedent(code),
            str(self.folder),
            NUMBA_CACHE_DIR=str(self.cache),
            PYTHONDONTWRITEBYTECODE="1",
            NUMBA_DISABLE_JIT="0",
        )

    def files(self, word=""):
        return {p.name for p in self.cache.rglob("*") if p.is_file() and word in p.name}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return Copy(tmp_path_factory.mktemp("package"))


@pytest.fixture
def package(shared):
    """The copy as it was; its sweeps are compiled once for all tests."""
    yield shared
    shared.restore()


DERIVATIVES = """
x = tg.tensor(0.0, requires_grad=True)
y = x.sin()
(g,) = tg.autograd.grad(y, x)
print(y.item(), g.item(), *tg.jacobian(lambda v: tg.sin(v).expand(2))(x.detach()).tolist())
"""


def test_an_edited_rule_is_compiled_anew_and_an_unedited_one_is_not(package):
    assert package.run(DERIVATIVES).split() == ["0.0", "1.0", "1.0", "1.0"]
    first = package.files()
    assert any("sin-adjoint0" in name for name in first)
    assert package.run(DERIVATIVES).split() == ["0.0", "1.0", "1.0", "1.0"]
    assert package.files() == first, "the same rules were compiled again"

    package.edit(
        "ops/trigonometric.py",
        '"sin", lambda x: np.sin(x), lambda g, x, z: g * np.cos(x)',
        '"sin", lambda x: np.sin(x), lambda g, x, z: -3 * g * np.cos(x)',
    )
    assert package.run(DERIVATIVES).split() == ["0.0", "-3.0", "-3.0", "-3.0"]
    new = {name for name in package.files() - first if "tapegrad-sin-" in name}
    assert new and all("adjoint" in name or "tangent" in name for name in new), "only what was edited is new"

    package.edit("ops/trigonometric.py", '"sin", lambda x: np.sin(x)', '"sin", lambda x: np.sin(x) + 0.25')
    assert package.run(DERIVATIVES).split() == ["0.25", "-3.0", "-3.0", "-3.0"]


def test_an_edit_of_what_a_rule_refers_to(package):
    """`select` is called by the rule of where, and a loop by others that are rows."""
    chosen = """
        x = tg.tensor([2.0, 3.0], requires_grad=True)
        y = tg.where(tg.tensor([True, False]), x, 0.0)
        y.sum().backward()
        print(y.tolist(), x.grad.tolist())
    """
    total = "x = tg.tensor([2.0, -1.0], requires_grad=True)\nprint((x * 1.0).sum().item())"
    assert package.run(chosen) == "[2.0, 0.0] [1.0, 0.0]\n"
    assert package.run(total) == "1.0\n"
    package.edit("ops/table.py", "return x if condition else y", "return y if condition else x")
    assert package.run(chosen) == "[0.0, 3.0] [0.0, 1.0]\n"
    package.edit("ops/shape.py", "    total = 0.0 ", "    total = 10.0 ")
    assert package.run(total) == "11.0\n"


CONSTANTS = """
import sys
import numpy as np
from tapegrad.ops.table import elementwise
from tapegrad.tensor.elementwise import apply
C = {}
row = elementwise("scaled", lambda x: x * C[0], lambda g, x, z: g * C[0])
x = tg.tensor(1.0, requires_grad=True)
print(*[g.item() for g in tg.autograd.grad(apply(row, x), x)])
"""


@pytest.mark.parametrize(
    "constant",
    [
        "(3.0,)",
        "np.array([3.0])",
    ],
)
def test_another_constant_in_a_users_rule(package, constant):
    assert package.run(CONSTANTS.format(constant)) == "3.0\n"
    assert package.run(CONSTANTS.format(constant.replace("3.0", "5.0"))) == "5.0\n"


def test_an_edit_of_the_frame_reaches_rules_that_are_written_out(package):
    """Loops of several operands read their places from a module."""
    product = (
        "x = tg.tensor([[2.0, -1.0]], requires_grad=True)\ny = x @ x.T\ny.backward()\nprint(y.item(), x.grad.tolist())"
    )
    assert package.run(product) == "5.0 [[4.0, -2.0]]\n"
    path = package.folder / "tapegrad" / "ops" / "frame.py"
    text = path.read_text(encoding="utf-8")
    moved = re.sub(r"(?m)^OUT = 1\b", "OUT = 5", text)
    assert moved != text
    path.write_text(moved, encoding="utf-8")
    before = package.files("matmul")
    assert package.run(product) == "5.0 [[4.0, -2.0]]\n"
    assert package.files("matmul") - before, "matmul was not compiled anew, and reads its frame in the old places"
