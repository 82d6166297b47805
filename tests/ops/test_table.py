"""The table itself: what holds for every row, what is refused, how it is printed, and rows that a user adds."""

import inspect
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops import ACTIVE, BINARY, BY_NAME, HOSTED, KINDS, OPS, PASSIVE, PLANNED_EACH, PLANNED_MANY, UNARY, adjoint_of
from tapegrad.ops.table import MAX_OPS, Op, elementwise, register

every = pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)


def python(code, *arguments, **options):
    """What a program prints, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_names_are_unique_other_names_included():
    names = [name for op in OPS for name in (op.name, *op.names)]
    assert len(set(names)) == len(names)
    assert {op.name: op for op in OPS} == BY_NAME


@every
def test_a_row_stands_at_its_opcode_and_its_kind_in_the_array_of_kinds(op):
    assert OPS[op.code] is op
    assert KINDS[op.code] == op.kind


def test_the_array_of_kinds_is_empty_beyond_the_table():
    assert KINDS.shape == (MAX_OPS,)
    assert not KINDS[len(OPS) :].any()


@every
def test_every_row_has_its_derivative(op):
    if op.kind in (PASSIVE, ACTIVE):
        assert not op.arity and not op.partials and not op.bodies
    elif op.value is not None:
        assert len(op.partials) == op.arity == op.value.__code__.co_argcount
        assert op.kind == {1: UNARY, 2: BINARY, 3: PLANNED_MANY}[op.arity]
        operands = tuple("xyw"[: op.arity])
        assert op.value.__code__.co_varnames[: op.arity] == operands
        for partial in filter(None, op.partials):
            assert partial.__code__.co_varnames[: op.arity + 2] == ("g", *operands, "z")
    elif op.kind == HOSTED:
        value, adjoint = op.bodies["forward"], op.bodies["adjoint",]
        assert inspect.unwrap(value).__code__.co_argcount == op.arity
        assert adjoint.__code__.co_argcount == 2 * op.outputs + op.arity
        options = [inspect.getfullargspec(inspect.unwrap(f)).kwonlyargs for f in (value, adjoint)]
        assert options[0] + ["saved"] * op.saves == options[1]
        assert all(0 <= k < op.arity + op.outputs for k in op.needs)
    elif op.adjoint is not None:
        back = adjoint_of(op)
        assert back.adjoint is not None, f"{op.name} is linear, and its adjoint {back.name} has none"
        assert op.kind == PLANNED_EACH or adjoint_of(back) is op
    else:
        assert len(op.partials) == op.arity
        for k in range(op.arity):
            assert {("adjoint", k), ("tangent", k)} <= set(op.bodies)


@every
def test_needs_are_operands_or_the_result(op):
    for k in range(len(op.partials)):
        assert op.partial_needs(k) <= set("xyw"[: op.arity] + "z")


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("add", [set(), set()]),
        ("multiply", [{"y"}, {"x"}]),
        ("exp", [{"z"}]),
        ("sin", [{"x"}]),
        ("sqrt", [{"z"}]),
        ("negative", [set()]),
    ],
)
def test_needs_of_some(name, needs):
    assert [BY_NAME[name].partial_needs(k) for k in range(len(needs))] == needs


@pytest.mark.parametrize("op", [op for op in OPS if op.kind not in (PASSIVE, ACTIVE)], ids=lambda op: op.name)
def test_what_grad_fn_calls_it(op):
    assert op.display.isidentifier() and op.display[0].isupper()


# Refusals ------------------------------------------------------------------------------------------------------------


def unchanged():
    return len(OPS), len(BY_NAME), KINDS.tobytes()


def test_a_name_is_given_once():
    before = unchanged()
    with pytest.raises(ValueError, match="already.*choose another name") as error:
        elementwise("sin", lambda x: x, lambda g, x, z: g)
    assert "'sin'" in str(error.value)
    assert unchanged() == before


def test_a_row_needs_one_partial_for_each_operand():
    before = unchanged()
    with pytest.raises(TypeError, match="2 operands and 1 partials"):
        elementwise("lacking", lambda x, y: x * y, lambda g, x, y, z: g * y)
    assert unchanged() == before


def test_a_full_table_says_so(monkeypatch):
    monkeypatch.setattr("tapegrad.ops.table.MAX_OPS", len(OPS))
    before = unchanged()
    with pytest.raises(RuntimeError, match="full"):
        register(Op("one_more", UNARY, 1))
    assert unchanged() == before


# Printing ------------------------------------------------------------------------------------------------------------


def test_printed_table():
    lines = python("import runpy; runpy.run_module('tapegrad.ops', run_name='__main__')").splitlines()
    assert len(lines) == len(OPS) + 2
    header, ruler, *body = lines
    assert set(ruler) == {"-", " "}
    starts = [0, *[k + 1 for k in range(1, len(ruler) - 1) if ruler[k] == " " and ruler[k + 1] == "-"]]
    for line in [header, *body]:
        padded = line.ljust(len(ruler))
        assert all(padded[k] != " " for k in starts[:2])
        assert all(padded[k - 1] == padded[k - 2] == " " for k in starts[1:]), "a cell is wider than its column"
    cells = [[line[a:b].strip() for a, b in zip(starts, [*starts[1:], None])] for line in body]
    for op, (code, name, also, operands, what, note) in zip(OPS, cells):
        assert (int(code), name, also.split(), int(operands), note) == (
            op.code,
            op.name,
            list(op.names),
            op.arity,
            op.note,
        )
        assert what and "<lambda>" not in what


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("add", "x + y"),
        ("exp", "np.exp(x)"),
        ("where", "select(x != 0, y, w)"),
        ("sum", "adjoint: view"),
        ("matmul", "adjoint: matmul_adjoint_x, matmul_adjoint_y"),
        ("input", "enters a tape"),
    ],
)
def test_printed_row(name, what):
    from tapegrad.ops.__main__ import row

    assert row(BY_NAME[name])[4] == what


def test_an_expression_without_source_is_a_name():
    from tapegrad.ops.__main__ import expression

    assert expression(np.vectorize) == "vectorize"


# A row of a user's ---------------------------------------------------------------------------------------------------

USER = """
    import numpy as np
    from tapegrad.ops.table import elementwise, select

    C = 3.0

    def add_rows():
        one = elementwise("gaussian", lambda x: np.exp(-x * x), lambda g, x, z: -2 * g * x * z, formula="exp(-x**2)")
        two = elementwise("ratio", lambda x, y: x / (C + y * y), lambda g, x, y, z: g / (C + y * y),
                          lambda g, x, y, z: -2 * g * y * z / (C + y * y), formula="x / (3 + y**2)",
                          tails=((-1e300, 1e300), (-1e100, 1e100)))
        three = elementwise("blend", lambda x, y, w: select(w > 0, x * w, y),
                            lambda g, x, y, w, z: select(w > 0, g * w, 0.0),
                            lambda g, x, y, w, z: select(w > 0, 0.0, g),
                            lambda g, x, y, w, z: select(w > 0, g * x, 0.0),
                            domain=((-2, 2), (-2, 2), (0.5, 2)), formula="x * w if w > 0 else y")
        return one, two, three
"""


def test_a_users_rows_work_everywhere(tmp_path, pytestconfig):
    (tmp_path / "user_rows.py").write_text(textwrap.dedent(USER))
    out = python(
        """
        import sys
        sys.path[:0] = sys.argv[1:]
        import numpy as np
        import tapegrad as tg
        x = tg.tensor([0.5, -1.0], requires_grad=True)
        tg.sin(x).sum().backward()
        import user_rows
        rows = user_rows.add_rows()
        from ops.rows import apply, check_against_precise, check_row
        for op in rows:
            check_row(op)
            check_against_precise(op)
        values = apply(rows[1], 1.0, x).detach().numpy()
        assert np.allclose(values, 1 / (3 + x.detach().numpy() ** 2))
        assert apply(rows[0], x).grad_fn.name() == "GaussianBackward0"
        (g,) = tg.autograd.grad(apply(rows[0], x).sum(), x, create_graph=True)
        (h,) = tg.autograd.grad(g.sum(), x, create_graph=True)
        (third,) = tg.autograd.grad(h.sum(), x)
        p = x.detach().numpy()
        assert np.allclose(third.numpy(), (12 * p - 8 * p ** 3) * np.exp(-p * p))
        single = tg.tensor(np.float32([0.5]), requires_grad=True)
        (g,) = tg.autograd.grad(apply(rows[0], single), single)
        assert g.dtype == np.float32
        print("stands")
        """,
        str(tmp_path),
        str(pytestconfig.rootpath / "tests"),
    )
    assert out == "stands\n"


def test_the_tables_of_this_process_are_as_they_were():
    assert not {"gaussian", "ratio", "blend"} & set(BY_NAME)
    assert not hasattr(tg, "gaussian")


def test_the_page_of_operations_is_up_to_date():
    page = pathlib.Path(__file__).parents[2] / "docs" / "operations.md"
    from tapegrad.ops.__main__ import markdown

    assert page.read_text(encoding="utf-8") == markdown(), "run python -m tapegrad.ops --markdown > docs/operations.md"
