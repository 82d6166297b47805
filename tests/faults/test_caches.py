"""Machine code on disk that is damaged, stale, cannot be written, or is filled by several processes at once."""

import contextlib
import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import warnings

import numba
import numpy as np
import pytest
from numba.core.event import install_recorder

import tapegrad as tg
from tapegrad import _jit
from tapegrad._jit import disk

from .children import environment, run

pytestmark = pytest.mark.skipif(not _jit.JIT, reason="nothing is compiled without the JIT")

ALL = """
import numba
import numpy as np
import tapegrad as tg
from numba.core.event import install_recorder
from tapegrad._jit import llvm

made, compiled = [], llvm._compiled
llvm._compiled = lambda *given: made.append(1) or compiled(*given)

@numba.njit
def g(x):
    return np.sin(x[0]) * x[1]

def f(x):
    return (tg.sin(x) * x).sum()

x = np.array([0.3, 0.5])
with install_recorder("numba:run_pass") as recorder:
    w = tg.tensor(x, requires_grad=True)
    f(w).backward()
    fast = tg.value_and_grad(tg.compile(f, tier="machine"))
    for _ in range(3):
        replayed = fast(x)[1]
    native = tg.grad(g)(x)
print([w.grad.tolist(), replayed.tolist(), native.tolist()])
"""
X = np.array([0.3, 0.5])
SLOPES = np.cos(X) * X + np.sin(X)
NATIVE = np.array([np.cos(0.3) * 0.5, np.sin(0.3)])


def right(said, slopes=SLOPES, native=NATIVE):
    """Whether eager, replayed and native gradients are as they should be."""
    np.testing.assert_allclose(json.loads(said), [slopes, slopes, native], rtol=1e-14)


def damaged(content):
    """A file's content, damaged in every way."""
    middle = len(content) // 2
    yield b""
    yield content[:middle]
    yield content[:-1]
    yield content + b"more"
    yield content[:middle] + bytes([content[middle] ^ 16]) + content[middle + 1 :]
    yield content[:3] + bytes([content[3] ^ 1]) + content[4:]
    yield disk.sealed(b"of another time")
    yield disk.sealed(content)
    yield b"\x80\x05garbage" * 100


@contextlib.contextmanager
def one_warning_at_most():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    assert len(said) <= 1


def compiled_how_often(action):
    with install_recorder("numba:run_pass") as recorder:
        action()
    return len(recorder.buffer)


def test_damaged_kernels_are_compiled_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def seven(x):
        return x + 7

    found = []

    def call():
        address = _jit.callback(seven, "seven")
        found.append(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(1))

    assert compiled_how_often(call) > 0
    assert compiled_how_often(call) == 0
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    whole = file.read_bytes()
    for content in damaged(whole):
        file.write_bytes(content)
        with one_warning_at_most():
            assert compiled_how_often(call) > 0
        assert compiled_how_often(call) == 0, "it was not mended"
    file.unlink()
    file.mkdir()  # what can be neither read nor replaced
    assert compiled_how_often(call) > 0
    assert set(found) == {8}
    assert list(tmp_path.rglob("*.tmp")) == []


def test_damaged_derivatives_of_compiled_functions_are_compiled_anew(tmp_path, monkeypatch):
    (tmp_path / "functions.py").write_text("import numba\n@numba.njit(cache=True)\ndef f(x):\n    return x * x * 3.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def call():
        sys.modules.pop("functions", None)
        import functions

        assert tg.grad(functions.f)(2.0) == 12.0

    call()
    assert compiled_how_often(call) == 0
    files = [path for path in (tmp_path / "cache").rglob("tapegrad-*.nbc") if path.is_file()]
    assert files
    for file in files:
        whole = file.read_bytes()
        for content in list(damaged(whole))[1:6:2]:
            file.write_bytes(content)
            with one_warning_at_most():
                call()
            assert compiled_how_often(call) == 0, "it was not mended"


# A write that fails for real: files may have no more than so many bytes.
FULL = """
import pathlib, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_a_full_disk(tmp_path):
    """Everything is computed, and no half file stays; what the user saves is an error, and what was there is kept."""
    save = """
tape = tg.record(f, x)
before = pathlib.Path(sys.argv[1]).read_bytes()
try:
    tape.save(sys.argv[1])
except OSError:
    pass
else:
    raise AssertionError("it can't have been saved")
assert pathlib.Path(sys.argv[1]).read_bytes() == before
"""
    saved, cache = tmp_path / "saved.tape", tmp_path / "cache"
    saved.write_bytes(b"what was there")
    right(run("import sys" + FULL + ALL + save, saved, NUMBA_CACHE_DIR=str(cache)))
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path != saved] == []


def test_a_cache_that_cannot_be_written(tmp_path):
    place = tmp_path / "a file and no folder"
    place.write_text("")
    code = "import numba; numba.config.CACHE_DIR = {!r}\n"
    right(run(code.format(str(place)) + ALL, XDG_CACHE_HOME=str(place)))


def test_a_disk_that_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    constant = 28

    def number(x):
        return x + constant

    def fails(*_):
        raise OSError(constant, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(disk.os, "replace", fails)
        address = _jit.callback(number, "number")
        fast = tg.compile(lambda x: (x * 28.0).sum(), tier="machine")
        for _ in range(3):
            slope = tg.grad(fast)(np.ones(2))
        tape = tg.record(lambda x: x * 2.0, np.ones(2))
        with pytest.raises(OSError, match="No space"):
            tape.save(tmp_path / "tape")
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(1) == 29
    assert slope.tolist() == [28.0, 28.0]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    tape.save(tmp_path / "tape")
    assert tg.Tape.load(tmp_path / "tape")(np.ones(2)).tolist() == [2.0, 2.0]


# Nothing is compiled yet, and many threads need the same.
FIRST = """
import sys, threading
import numpy as np
import tapegrad as tg

barrier, found = threading.Barrier(6), []

def first():
    barrier.wait()
    found.append(tg.grad(lambda x: (tg.sin(x) * x).sum())(np.array([0.3, 0.5])))

threads = [threading.Thread(target=first) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 6 and all((g == found[0]).all() for g in found)
"""


def test_two_processes_fill_an_empty_cache_at_once_and_edited_rules_are_compiled_anew(tmp_path):
    """All that is compiled, in a copy of the package: a third process finds it whole, and one whose rule was edited does not."""
    package = pathlib.Path(tg.__file__).parent
    shutil.copytree(package, tmp_path / "tapegrad", ignore=shutil.ignore_patterns("__pycache__", "examples"))
    (tmp_path / "program.py").write_text(
        FIRST + ALL.replace("@numba.njit", "@numba.njit(cache=True)")
        + "print(len(made), len(recorder.buffer), tg.__file__, file=sys.stderr)\n"
    )
    several = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONDONTWRITEBYTECODE="1") | {"PYTHONPATH": str(tmp_path)}

    def start():
        return subprocess.Popen(
            [sys.executable, "program.py"], cwd=tmp_path, env=several, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def ended(child):
        with child:
            said, errors = child.communicate(timeout=200)
        assert child.returncode == 0, errors
        machine, kernels, where = errors.split()
        assert where.startswith(str(tmp_path))
        return said, int(machine), int(kernels)

    for child in [start(), start()]:
        right(ended(child)[0])
    said, *again = ended(start())
    right(said)
    assert again == [0, 0], "it was compiled again"
    assert list((tmp_path / "cache").rglob("*.tmp")) == []

    path = tmp_path / "tapegrad" / "ops" / "trigonometric.py"
    rule = '"sin", lambda x: np.sin(x), lambda g, x, z: g * np.cos(x)'
    text = path.read_text(encoding="utf-8")
    assert text.count(rule) == 1
    path.write_text(text.replace(rule, rule.replace("g * np.cos(x)", "0.0 * g")), encoding="utf-8")
    said, machine, kernels = ended(start())
    right(said, np.sin(X), NATIVE * [0, 1])  # no stale code was met
    assert machine and kernels
