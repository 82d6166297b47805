"""``python -m tapegrad.ops`` prints the table of operations."""
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
        for line, code, text in _lambdas(own.co_filename):
            if line == own.co_firstlineno and all([getattr(code, a) == getattr(own, a) for a in _SAME]):
                return text
    return function.__name__


def row(op) -> tuple:
    """The cells of an operation."""
    if op.value is not None:
        what = expression(op.value)
    elif op.adjoint is not None:
        what = f"adjoint: {op.adjoint}"
    else:
        adjoints = [body.__name__ for role, body in op.bodies.items() if role[0] == "adjoint"]
        what = f"adjoint: {', '.join(adjoints)}" if adjoints else "enters a tape"
    return str(op.code), op.name, " ".join(op.names), str(op.arity), what, op.note


def table() -> str:
    """All operations, in columns."""
    lines = [HEADER, *map(row, OPS)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADER))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


if __name__ == "__main__":
    print(table())
