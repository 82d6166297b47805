"""Graphs in the language of Graphviz."""
import shutil
import subprocess

from ..autograd.node import grad_fn
from ..ops import KINDS, PASSIVE
from ..tensor.core import Tensor
from .layout import operands
from .text import operation, written


def program_to_dot(program):
    """The records of a program; constants that are numbers stand in the operations that read them."""
    outputs = {i for i, _ in program.outputs}
    places = dict(program.places.tolist())
    lines, numbers = ["digraph tape {", "  rankdir=LR;"], {}
    for i in range(len(program)):
        if KINDS[program.words[i]] == PASSIVE and program.sizes[program.size_ids[i]] == 1:
            numbers[i] = written(program.constants[places[i]:places[i] + 1])
            continue
        label = operation(program, i)
        found = [numbers[j] for j in operands(program, i) if j in numbers]
        shape = "box" if i < len(program.inputs) else "doubleoctagon" if i in outputs else "ellipse"
        lines.append(f'  r{i} [label="{_quoted(" ".join([f"#{i}", label, *found]))}", shape={shape}];')
        lines += [f"  r{j} -> r{i};" for j in operands(program, i) if j not in numbers]
    return "\n".join([*lines, "}"])


def to_dot(y):
    """The graph behind a Tensor, in the language of Graphviz: its gradient functions, down to the leaves.

    >>> import tapegrad as tg
    >>> x = tg.tensor(1.0, requires_grad=True)
    >>> print(tg.to_dot(x.sin()))
    digraph graph_of_tensor {
      n0 [label="SinBackward0"];
      n1 [label="leaf ()", shape=box];
      n1 -> n0;
    }
    """
    if not isinstance(y, Tensor):
        raise TypeError(f"to_dot takes a Tensor, not {type(y).__name__}; a tape has a method of that name")
    first = grad_fn(y)
    if first is None:
        raise ValueError("there is no graph behind this tensor: it was not computed from one that requires grad")
    numbers, waiting = {first: 0}, [first]
    lines, edges = [], []
    while waiting:
        node = waiting.pop()
        leaf = getattr(node, "variable", None) if node.name() == "AccumulateGrad" else None
        lines.append(f'  n{numbers[node]} [label="leaf {leaf.shape}", shape=box];' if leaf is not None else
                     f'  n{numbers[node]} [label="{_quoted(node.name())}"];')
        for below, _ in node.next_functions:
            if below is None:
                continue
            if below not in numbers:
                numbers[below] = len(numbers)
                waiting.append(below)
            edges.append(f"  n{numbers[below]} -> n{numbers[node]};")
    return "\n".join(["digraph graph_of_tensor {", *lines, *edges, "}"])


def _quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def svg(dot):
    """A drawing by Graphviz, or None where that is not there."""
    program = shutil.which("dot")
    if program is None:
        return None
    return subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, check=True).stdout
