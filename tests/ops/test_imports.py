"""The import contract: a room imports from those below it, two alone know Numba, and the core names no operation."""

import ast
import pathlib
import subprocess
import sys

import pytest

import tapegrad
from tapegrad.ops import ACTIVE, OPS, PASSIVE

PACKAGE = pathlib.Path(tapegrad.__file__).parent
ROOMS = [
    "weak",
    "progress",
    "_jit",
    "ops",
    "kernels",
    "sweeps",
    "buffers",
    "tape",
    "tensor",
    "autograd",
    "transforms",
    "replay",
    "native",
    "special",
    "linalg",
    "fft",
    "stats",
    "nn",
    "numpy",
    "scipy",
    "array_api",
    "optim",
    "optimize",
    "plot",
    "testing",
    "examples",
    "_stubs",
    "information",
    "__main__",
]  # from the ground up
USERS = {"testing", "examples", "_stubs", "information", "__main__"}  # what takes the package as a whole
FILES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")
files = pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    """For each import in a file: the full name of what it imports from, the names, and the line."""
    package = ("tapegrad", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, [], node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            yield ".".join([*base, *filter(None, [node.module])]), [alias.name for alias in node.names], node.lineno


def rooms_used(path):
    for module, names, line in imported(path):
        parts = module.split(".")
        if parts[0] != "tapegrad":
            continue
        for room in [parts[1]] if len(parts) > 1 else names:
            yield room, line


@files
def test_a_file_belongs_to_a_room(path):
    assert room_of(path) in ROOMS


@files
def test_a_room_imports_only_from_rooms_below_it(path):
    """Inside of functions, too: a lazy import of a room above is the same knot, tied later."""
    own = ROOMS.index(room_of(path))
    for room, line in rooms_used(path):
        if room in ROOMS:
            assert ROOMS.index(room) <= own, f"{path.name}:{line}: {ROOMS[own]} imports from {room}, which stands on it"
        else:
            assert room_of(path) in USERS, f"{path.name}:{line}: imports {room} from the package as a whole"


@files
def test_numba_is_imported_by_two_rooms(path):
    """One for all that is compiled here, one for functions that users compile; users import it as they like."""
    for module, _, line in imported(path):
        if module.split(".")[0] in ("numba", "llvmlite"):
            assert room_of(path) in ("_jit", "native", *USERS), f"{path.name}:{line}: imports {module}"


@pytest.mark.parametrize("name", ["sweeps.py", "buffers.py", "tape.py"])
def test_the_core_names_no_operation(name):
    """Neither as a string nor by an import; entries to a tape are its own affair."""
    entries = {op.name.upper() for op in OPS if op.kind in (PASSIVE, ACTIVE)}
    operations = {op.name for op in OPS} - {entry.lower() for entry in entries}
    kinds = {
        "ACTIVE",
        "BINARY",
        "CODE_MASK",
        "KINDS",
        "MAX_OPS",
        "OPS",
        "PASSIVE",
        "PLANNED",
        "PLANNED_EACH",
        "PLANNED_MANY",
        "VIEWS",
        "UNARY",
        "frame",
    }
    tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value not in operations, f"{name}:{node.lineno}: names {node.value!r}"
    for module, names, line in imported(PACKAGE / name):
        if module == "tapegrad.ops":
            assert set(names) <= entries | kinds, f"{name}:{line}: imports {names}"
        else:
            assert not module.startswith("tapegrad.ops.") or module == "tapegrad.ops.frame", (
                f"{name}:{line}: imports {module}"
            )


def test_the_native_room_is_entered_when_it_is_needed():
    """It stands on Numba's whole compiler."""
    code = """
import sys, numba, tapegrad as tg
assert "tapegrad.native" not in sys.modules
tg.grad(lambda x: x * x)(1.0), tg.jvp(lambda x: x * x, (1.0,), (1.0,))
assert "tapegrad.native" not in sys.modules
tg.grad(numba.njit(lambda x: x * x))
assert "tapegrad.native" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
