"""What a program holds, as text."""
import numpy as np

from ..ops import KINDS, OPS, PASSIVE, PLANNED
from ..tensor.core import Tensor
from ..tensor.elementwise import size_of
from ..transforms.trees import mapped
from .layout import operands

MOST_ROWS = 200                              # of a table; of a longer tape the first and last are printed
SHOWN = 4                                    # elements of a value


def shapes(program, sizes):
    """The shape of each record; of one whose operation does not say, from its operands."""
    found = list(program.inputs)
    outputs = dict(program.outputs)
    for i in range(len(found), len(program)):
        kind, size = KINDS[program.words[i]], sizes[i]
        if kind >= PLANNED:
            shape = program.plans[int(program.right[i])].shape
        else:
            shape = next((found[j] for j in operands(program, i) if size_of(found[j]) == size), () if size == 1 else (size,))
        found.append(tuple(shape))
    return [outputs.get(i, shape) for i, shape in enumerate(found)]


def operation(program, i):
    """The name of what a record computes, and the façade's name for it where that says more."""
    op = OPS[program.words[i]]
    if KINDS[op.code] < PLANNED:
        return op.name
    label = program.plans[int(program.right[i])].label or ""
    return op.name if not label or label.lower() == op.name.replace("_", "") else f"{op.name} ({label})"


def written(value):
    """A flat array, in short."""
    numbers = [f"{x:.6g}" for x in value[:SHOWN].tolist()]
    if value.size == 1:
        return numbers[0]
    return f"[{', '.join(numbers)}{', ...' if value.size > SHOWN else ''}]"


def aligned(rows, sides=""):
    """Rows of text with their cells in columns, each to the left or, where `sides` has "r" for it, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    right = [k < len(sides) and sides[k] == "r" for k in range(len(widths))]
    return ["  ".join([cell.rjust(width) if yes else cell.ljust(width) for cell, width, yes in zip(row, widths, right)]).rstrip()
            for row in rows]


def table(program, values):
    """A row for each record: number, operation, operands, shape, value, and whether it is an output."""
    outputs = {i for i, _ in program.outputs}
    every = range(len(program))
    if len(every) > MOST_ROWS:
        every = [*every[:MOST_ROWS // 2], *every[-MOST_ROWS // 2:]]
    of = shapes(program, [value.size for value in values])
    rows = [("#", "operation", "operands", "shape", "value", "")]
    for i in every:
        read = " ".join(f"#{j}" for j in operands(program, i))
        rows.append((str(i), operation(program, i), read, str(of[i]), written(values[i]), "output" if i in outputs else ""))
    lines = aligned(rows)
    if len(program) > MOST_ROWS:
        lines.insert(MOST_ROWS // 2 + 1, f"... {len(program) - MOST_ROWS} more ...")
    lines += [f"guard: {guard}" for guard in program.guards]
    return "\n".join(lines)


def stats(program):
    """See Tape.stats."""
    names = [OPS[word].name for word in program.words[len(program.inputs):].tolist()]
    passive = [name for name, word in zip(names, program.words[len(program.inputs):].tolist()) if KINDS[word] == PASSIVE]
    computed = [name for name, word in zip(names, program.words[len(program.inputs):].tolist()) if KINDS[word] != PASSIVE]
    item = program.dtype.itemsize
    return {"records": len(program), "recorded": program.recorded, "inputs": len(program.inputs), "outputs": len(program.outputs),
            "constants": len(passive), "operations": {name: computed.count(name) for name in sorted(set(computed))},
            "guards": len(program.guards), "dtype": str(program.dtype), "elements": program.room,
            "bytes": (program.layout.values + program.layout.adjoints) * item + program.constants.nbytes + 14 * len(program)}


def described(arguments, keywords):
    """Arguments by their shapes and dtypes."""
    def one(value):
        if isinstance(value, (Tensor, np.ndarray)):
            return f"{value.dtype}{list(value.shape)}"
        return "float" if type(value) is float else repr(value)

    def part(tree):
        return str(mapped(one, tree)).replace("'", "") if isinstance(tree, (tuple, list, dict)) else one(tree)
    return f"({', '.join([*map(part, arguments), *[f'{name}={part(value)}' for name, value in keywords.items()]])})"


def explained(compiled):
    """See explain."""
    count = len(compiled.sites)
    lines = [f"{compiled._name()}: {count} signature{'s' if count != 1 else ''}, up to {compiled.limit} paths each"]
    for site in list(compiled.sites.values()):
        lines.append(f"  {site.said}: recorded {site.recorded} times, replayed {site.replays()} times")
        if site.reason:
            lines.append(f"    runs eagerly: {site.reason}")
        known = [*[(program, "") for program in site.paths],
                 *[(program, ", recorded once and not trusted yet") for program in list(site.candidates.values())]]
        for n, (program, note) in enumerate(known, 1):
            way = ", run as instructions" if program.instructions is not None else ""
            lines.append(f"    path {n}: {len(program)} records, {program.recorded} before optimization, {len(program.guards)} "
                         f"guards{note}; {program.tier}{way}")
            lines += [f"      {guard}" for guard in program.guards[:SHOWN]]
            if len(program.guards) > SHOWN:
                lines.append(f"      ... {len(program.guards) - SHOWN} more guards")
    for argnums, inner in list(compiled.transformed.items()):
        lines.append(f"gradient by argument {argnums}, for second derivatives:")
        lines += ["  " + line for line in explained(inner).splitlines()]
    return "\n".join(lines)
