"""The public names: what a star-import brings, and what it leaves alone."""

import builtins
import types

import pytest

import tapegrad as tg

# PyTorch's functions and dtypes that are called as Python's builtins
HIDDEN = {"abs", "all", "any", "bool", "compile", "divmod", "float", "int", "max", "min", "pow", "round", "sum"}


@pytest.mark.parametrize(
    "module", [tg, tg.autograd, tg.special, tg.stats, tg.nn, tg.nn.functional], ids=lambda module: module.__name__
)
class TestNames:
    def test_are_sorted_and_different(self, module):
        assert module.__all__ == sorted(set(module.__all__))

    def test_exist(self, module):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []

    def test_are_not_private(self, module):
        assert [name for name in module.__all__ if name.startswith("_")] == []

    def test_are_of_this_library(self, module):
        """No module that is only imported, and nothing of NumPy's or Python's but constants and dtypes."""
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, types.ModuleType):
                assert name in (*tg._NAMESPACES, "autograd", "function", "functional", "utils")
            elif callable(value):
                assert value.__module__.startswith("tapegrad.")


def test_what_is_not_exported_are_modules_and_names_of_builtins():
    others = {name for name in vars(tg) if not name.startswith("_")} - set(tg.__all__)
    assert {name for name in others if not isinstance(getattr(tg, name), types.ModuleType)} == HIDDEN


def test_a_star_import_leaves_builtins_alone():
    names: dict = {}
    exec("from tapegrad import *", names)
    assert [name for name in names if hasattr(builtins, name)] == []
    assert "tensor" in names and "zeros" in names
    assert eval("isinstance(sum([1, 2]), int) and max(1, abs(-2)) == 2", names)
