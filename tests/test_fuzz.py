"""The fuzzer: it finds nothing, where there is nothing; it finds what is put there, and makes it small."""
import ast
import json

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.testing.fuzz import __main__ as program
from tapegrad.testing.fuzz import functions, fuzz, kinds, statements
from tapegrad.testing.fuzz.compare import along, differs
from tapegrad.testing.fuzz.report import Count
from tapegrad.testing.fuzz.shrink import shrunk


@pytest.mark.parametrize(("kind", "programs"), [("facade", 25), ("functions", 6), ("native", 1)])
def test_finds_nothing(kind, programs):
    faults, count = fuzz(1e9, "tests", kind, most=programs)
    assert faults == []
    assert count.programs == {kind: programs}
    assert count.unrun[kind] == 0


def test_draws_the_same_again():
    for kind in kinds.KINDS.values():
        texts = [kinds.drawn(kind, f"3/{kind.name}/{n}").text for n in (0, 0, 1)]
        assert texts[0] == texts[1] != texts[2]


def test_draws_every_row_that_has_a_name():
    public = {op.name for op in functions.Writer.rows}
    assert {"sin", "multiply", "where", "betainc", "polygamma", "hardtanh"} <= public
    missing = {op.name for op in tg.ops.OPS if op.value is not None} - public
    assert missing <= {"erfcx_derivative", "gammainc_derivative", "gamma_density", "betainc_by_a", "betainc_by_b", "stdtr_by_df",
                       "sinc_derivative"}    # only within derivatives of others


# What is put there ------------------------------------------------------------------------------------------------------

X = "np.array([[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])"
TEXT = f"""def f(x, s):
    a = tg.cos(x) * s
    b = x * 1.0
    for k in range(4):
        if tg.sum(b) < 100.0:
            c = tg.tanh(b) + s
            b = tg.sin(c) * a
    return tg.sum(b) + tg.mean(x * x)

points = [({X}, 0.5), ({X}, 1.5)]"""


def told(text=TEXT, kind="functions"):
    """The faults of a program with their smallest programs, by way, and what is printed of them."""
    kind, counted = kinds.KINDS[kind], Count().of(kind)
    drawn = functions.Function(text)
    found = {}
    for fault in kind.check(drawn, counted):
        fault, smallest = kinds.smallest(kind, drawn, fault, 1e9)
        found[fault.way] = smallest, kinds.told(kind, smallest, fault)
    return found


class WrongSin(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return tg.as_tensor(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx, g):
        return g * tg.cos(ctx.saved_tensors[0]) * 1.001


def test_nothing_is_wrong_with_the_text():
    assert told() == {}


def test_a_wrong_derivative_is_found_and_made_small(monkeypatch):
    sin = tg.sin
    monkeypatch.setattr(tg, "sin", lambda x: WrongSin.apply(x) if isinstance(x, tg.Tensor) and x.requires_grad else sin(x))
    monkeypatch.setattr(kinds.Functions, "check", staticmethod(lambda *given: wrong_alone(*given)))
    smallest, text = told()["differences"]
    assert "tg.sin" in smallest
    assert len(smallest.splitlines()) <= 4
    assert "for" not in smallest and "tanh" not in smallest
    assert "differences say" in text


def wrong_alone(drawn, counted, only=None):
    return list(functions_check(drawn, counted, only or ("differences", "")))


def functions_check(drawn, counted, only):
    from tapegrad.testing.fuzz.ways import Check
    return Check(drawn, counted, only).faults()
