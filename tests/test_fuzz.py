"""The fuzzer: it finds nothing where there is nothing; it finds what is put there, and makes it small."""
import json
import pathlib

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops import BY_NAME, OPS
from tapegrad.testing.fuzz import __main__ as program
from tapegrad.testing.fuzz import functions, fuzz, kinds, native, ways
from tapegrad.testing.fuzz.compare import along
from tapegrad.testing.fuzz.report import Count
from tapegrad.testing.fuzz.shrink import shrunk

FOREVER = 1e9


@pytest.mark.parametrize(("kind", "programs"), [("facade", 15), ("functions", 3), ("native", 1)])
def test_finds_nothing(kind, programs):
    faults, count = fuzz(FOREVER, "tests", kind, most=programs)
    assert faults == []
    assert count.programs == {kind: programs}
    assert count.unrun[kind] == 0


def test_draws_the_same_again():
    for kind in kinds.KINDS.values():
        texts = [kinds.drawn(kind, f"3/{kind.name}/{n}").text for n in (0, 0, 1)]
        assert texts[0] == texts[1] != texts[2]


def test_draws_every_row_that_has_a_name():
    public = {op.name for op in functions.Writer.rows}
    own = {op.name for op in OPS if op.value is not None and "ops" in pathlib.Path(op.value.__code__.co_filename).parts}
    missing = own - public
    assert missing == {"erfcx_derivative", "gammainc_derivative", "gamma_density", "betainc_by_a", "betainc_by_b", "stdtr_by_df",
                       "sinc_derivative"}    # only within derivatives of others


def test_differences_know_their_error():
    points, v = [np.array([0.5, -1.0])], [np.array([1.0, 2.0])]
    slope, error, _ = along(lambda x: np.sin(x[0]).sum(), points, v)
    assert abs(slope[0] - (np.cos(points[0]) @ v[0])) < error + 1e-10
    assert error < 1e-6
    for bad in (np.abs, np.floor, np.sqrt, lambda a: np.maximum(a, 0.0)):
        assert along(lambda x, bad=bad: bad(x[0]), [np.zeros(1)], [np.ones(1)])[1] > 1e-3


def test_the_smallest_program():
    text = """
a = 3.14159
b = [1, 2, 3]
for k in range(5):
    if k > 2:
        c = a + f(b[k - 3], b)
    d = c
"""
    assert shrunk(text, lambda text: "f(" in text, FOREVER) == "d = f()"
    assert shrunk("x = 1", lambda text: False, FOREVER) == "x = 1"


def test_smaller_programs_end():
    text = "k = 0\nwhile k < 3 and g():\n    f()\n    k += 1"
    seen = []
    smallest = shrunk(text, lambda text: seen.append(text) or "while" in text, FOREVER)
    assert all("k < " in text and "k += 1" in text for text in seen if "while" in text)
    assert smallest == "while k < 0:\n    k += 1"
    recursive = "def f(x, k):\n    if k == 0:\n        return x\n    return f(x, k - 1)"
    assert shrunk(f"{recursive}\ny = f(1.0, 2) + 1", lambda text: "return f(" in text, FOREVER) == recursive


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


def told(way, what):
    """The smallest program for a fault of the text above, and what is printed of it."""
    kind, key, counted = kinds.Functions, (way, what), Count().of("functions")
    (fault,) = [f for f in kind.check(functions.Function(TEXT), counted, key) if f.way == way]
    fault, smallest = kinds.smallest(kind, functions.Function(TEXT), fault, FOREVER)
    return smallest, kinds.told(kind, smallest, fault)


class WrongSin(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return tg.as_tensor(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx, g):
        return g * tg.cos(ctx.saved_tensors[0]) * 1.001


def test_nothing_is_wrong_with_the_text():
    assert ways.check(functions.Function(TEXT), Count().of("functions")) == []


def test_a_wrong_derivative_is_found_and_made_small(monkeypatch):
    right = tg.sin
    monkeypatch.setattr(tg, "sin", lambda x: WrongSin.apply(x) if isinstance(x, tg.Tensor) and x.requires_grad else right(x))
    smallest, text = told("differences", "first derivative")
    assert "sin(" in smallest
    assert len(smallest.splitlines()) == 3
    assert "differences say" in text


def test_a_wrong_tier_is_found_and_made_small(monkeypatch):
    monkeypatch.setattr(BY_NAME["tanh"], "value", lambda x: np.tanh(x) * 1.000001)   # eager kernels are compiled already
    tg.tanh(tg.tensor([0.5], requires_grad=True)).sum().backward()
    smallest, text = told("machine code", ways.VALUE)
    assert "tanh(" in smallest
    assert len(smallest.splitlines()) == 3
    assert 'tg.compile(f, tier="machine")' in text
    assert "to the last bit" in text
    scope = {}
    exec(text, scope)                        # it can be pasted


def test_wrong_native_code_is_found(monkeypatch):
    kind, points = kinds.Native, "points = [(np.array([0.5, 1.0, 0.2, 0.1]), 2)]"
    text = f"@njit\ndef f(x, n):\n    return x[0] * math.sin(x[1])\n{points}"
    monkeypatch.setitem(native.QUESTIONS, "forward", "(f(x, n), tg.grad(f)(x, n) * 1.001)")
    (fault,) = kind.check(native.Program(text), Count().of("native"), ("forward", "derivative"))
    assert "the gradient is" in fault.said and "tg.grad(f)(x, n)" in fault.script


def test_refusals_are_counted():
    count = Count()
    hooked = functions.Function("def f(x):\n    y = x * x\n    y.register_hook(lambda g: g)\n    return tg.sum(y)\n"
                                "points = [(np.array([0.5]),), (np.array([0.25]),)]")
    faults = ways.check(hooked, count.of("functions"), ("replayed", ways.VALUE))
    assert faults == []
    assert count.refused["functions", "replayed"] == 1
    assert "eagerly" not in str(count.reasons) and "hook" in str(count.reasons)


def test_the_command(capsys):
    assert program.main(["--seconds", "1e-9", "--seed", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["seed"] == "1" and found["faults"] == []
    with pytest.raises(SystemExit):
        program.main(["--only", "functoins"])
    assert "functions, native, and not 'functoins'" in capsys.readouterr().err
