"""``python -m tapegrad.ops`` prints the table of operations; ``--markdown`` writes it as a page, docs/operations.md."""
import argparse
import ast
import functools
import pathlib

from . import OPS

HEADER = ("code", "operation", "also", "operands", "value, or adjoint", "derivative, where there is none")
_SAME = "co_varnames", "co_names", "co_consts"           # tells lambdas on one line apart; bytecode depends on more


@functools.cache
def _lambdas(path):
    """All lambdas of a file, as (line, compiled, source of the body)."""
    found = []
    for node in ast.walk(ast.parse(pathlib.Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Lambda):
            code = compile(ast.Expression(node), path, "eval").co_consts[0]
            found.append((node.lineno, code, ast.unparse(node.body)))
    return found


def expression(function) -> str:
    """What a lambda computes, as it is written; a function's name."""
    if function.__name__ == "<lambda>":
        own = function.__code__
        found = [(code.co_code == own.co_code, text) for line, code, text in _lambdas(own.co_filename)
                 if line == own.co_firstlineno and all([getattr(code, a) == getattr(own, a) for a in _SAME])]
        if found:
            return max(found, key=lambda pair: pair[0])[1]
    return function.__name__


def row(op) -> tuple:
    """The cells of an operation."""
    if op.value is not None:
        what = expression(op.value)
    elif op.adjoint is not None:
        what = f"adjoint: {op.adjoint}"
    else:
        adjoints = [body.__name__ if body else "none" for role, body in op.bodies.items() if role[0] == "adjoint"]
        what = f"adjoint: {', '.join(adjoints)}" if adjoints else "enters a tape"
    return str(op.code), op.name, " ".join(op.names), str(op.arity), what, op.note


def table() -> str:
    """All operations, in columns."""
    lines = [HEADER, *map(row, OPS)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADER))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n" for line in lines)


_PAGE = """\
# Operations and their derivatives

<!-- Written by `python -m tapegrad.ops --markdown > docs/operations.md` from the table in tapegrad/ops. -->

Every operation is a row of one table, and this page is made from it. `x`, `y`, `w` are the operands, `z` is the result, `g` the
gradient of the result. A derivative is given as what it adds to the gradient of each operand; the same expression serves
backward and forward sweeps and, recorded, derivatives of higher order. Where a function has no derivative, the last column says
which value it has here: one that is finite and keeps an optimizer going, where there is one. The tests hold each row to it.
[Derivatives where there is none](conventions.md) has those of reductions and of linear algebra, with examples.
"""


_HEAD = """\
| operation | value | derivatives | where there is none |
| --- | --- | --- | --- |"""


def family(op) -> str:
    """The name of the file that a row is in."""
    functions = [op.value, *op.bodies.values(), *op.partials]
    return next((f.__module__.rpartition(".")[2] for f in functions if f is not None), "table")


def markdown() -> str:
    """The table as a page, a section for each family."""
    parts, last = [_PAGE], None
    for op in OPS:
        if family(op) == "table":
            continue
        if family(op) != last:
            last = family(op)
            parts.append(f"\n## {last.capitalize()}\n\n{_HEAD}")
        names = ", ".join(f"`{name}`" for name in (op.name, *op.names))
        value = f"`{expression(op.value)}`" if op.value is not None else ""
        if op.adjoint is not None:
            derivatives = f"linear; its adjoint is `{op.adjoint}`"
        else:
            derivatives = ", ".join("none" if f is None else f"`{expression(f)}`" for f in op.partials)
        cells = (names, value, derivatives, op.note)
        parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tapegrad.ops", description="Prints the table of operations.")
    parser.add_argument("--markdown", action="store_true", help="write it as a page of the documentation")
    print(markdown() if parser.parse_args().markdown else table(), end="")
