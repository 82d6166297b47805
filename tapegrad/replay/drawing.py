"""Graphs in the language of Graphviz, and as pictures."""
import html
import itertools
import shutil
import subprocess
from typing import NamedTuple

from ..autograd.node import grad_fn
from ..ops import KINDS, PASSIVE
from ..tensor.core import Tensor
from .layout import operands
from .text import operation, written

MOST_DRAWN = 60                              # nodes that are drawn without Graphviz; more of them are no picture
MOST_OF_GRAPHVIZ = 400                       # and with it


class Graph(NamedTuple):
    """What is drawn: ``nodes`` are (name, label, shape, as Graphviz has it), ``edges`` pairs of names."""
    title: str
    nodes: list
    edges: list


class Dot(str):
    """A graph in the language of Graphviz, which a notebook shows as a picture."""
    __slots__ = ("graph",)

    def __new__(cls, graph, options=()):
        lines = [f"digraph {graph.title} {{", *(f"  {option};" for option in options)]
        for name, label, shape in graph.nodes:
            lines.append(f'  {name} [label="{_quoted(label)}"{f", shape={shape}" if shape else ""}];')
        self = super().__new__(cls, "\n".join([*lines, *(f"  {a} -> {b};" for a, b in graph.edges), "}"]))
        self.graph = graph
        return self

    def __reduce__(self):
        return str, (str(self),)

    def _repr_svg_(self):
        """A drawing by Graphviz, or None where that is not there, or there is too much to see."""
        program = shutil.which("dot")
        if program is None or len(self.graph.nodes) > MOST_OF_GRAPHVIZ:
            return None
        return subprocess.run([program, "-Tsvg"], input=str(self), capture_output=True, text=True, check=True).stdout

    def _repr_html_(self):
        """A plainer drawing of a small graph, where Graphviz is not there; otherwise None."""
        if len(self.graph.nodes) > MOST_DRAWN or shutil.which("dot") is not None:
            return None
        return plain_svg(self.graph)


def program_to_dot(program):
    """The records of a program; constants that are numbers stand in the operations that read them."""
    outputs = {i for i, _ in program.outputs}
    places = dict(program.places.tolist())
    nodes, edges, numbers = [], [], {}
    for i in range(len(program)):
        if KINDS[program.words[i]] == PASSIVE and program.sizes[program.size_ids[i]] == 1 and i not in outputs:
            numbers[i] = written(program.constants[places[i]:places[i] + 1])
            continue
        read = operands(program, i)
        shape = "box" if i < len(program.inputs) else "doubleoctagon" if i in outputs else "ellipse"
        nodes.append((f"r{i}", " ".join([f"#{i}", operation(program, i), *[numbers[j] for j in read if j in numbers]]), shape))
        edges += [(f"r{j}", f"r{i}") for j in read if j not in numbers]
    return Dot(Graph("tape", nodes, edges), ("rankdir=LR",))


def to_dot(y):
    """The graph behind a Tensor, in the language of Graphviz: its gradient functions, down to the leaves. A notebook shows it as
    a picture; it is text, a str, all the same.

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
    nodes, edges = [], []
    while waiting:
        node = waiting.pop()
        leaf = getattr(node, "variable", None) if node.name() == "AccumulateGrad" else None
        name = f"n{numbers[node]}"
        nodes.append((name, node.name(), "") if leaf is None else (name, f"leaf {leaf.shape}", "box"))
        for below, _ in node.next_functions:
            if below is None:
                continue
            if below not in numbers:
                numbers[below] = len(numbers)
                waiting.append(below)
            edges.append((f"n{numbers[below]}", name))
    return Dot(Graph("graph_of_tensor", nodes, edges))


def _quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


# A drawing of our own ---------------------------------------------------------------------------------------------------

HEIGHT, LETTER, GAP, ROW = 26, 6.7, 34, 40   # of a box, of a letter, between layers, and between rows, in pixels
SWEEPS = 8                                   # over the layers, to put nodes near those that they are joined to
INK, LINE, FILLS = "#1f2933", "#7b8794", {"box": "#dbeafe", "doubleoctagon": "#dcf3e4"}


def layers(graph):
    """The nodes in layers, by the longest way from what they are computed from; the edges, from one layer to the next: where one
    goes past a layer, a pair (name, layer) stands in it; and the place of each in its layer, for few crossings."""
    level = {name: 0 for name, _, _ in graph.nodes}
    for _ in graph.nodes:                    # of a tape one turn is enough; nodes of a Tensor's graph stand in no order
        before = dict(level)
        for a, b in graph.edges:
            level[b] = max(level[b], level[a] + 1)
        if level == before:
            break
    rows: list = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for name, _, _ in graph.nodes:
        rows[level[name]].append(name)
    steps = []
    for a, b in dict.fromkeys(graph.edges):
        passing = [(a, k) for k in range(level[a] + 1, level[b])]        # all edges of a node go past a layer together
        for x in passing:
            if x not in rows[x[1]]:
                rows[x[1]].append(x)
        steps.append([a, *passing, b])
    joined: dict = {}
    for way in steps:
        for a, b in itertools.pairwise(way):
            joined.setdefault(a, []).append(b)
            joined.setdefault(b, []).append(a)
    place = {x: k - (len(row) - 1) / 2 for row in rows for k, x in enumerate(row)}
    for turn in range(SWEEPS):
        for k in range(len(rows)) if turn % 2 == 0 else reversed(range(len(rows))):
            near = set(rows[k - 1] if turn % 2 == 0 and k else rows[k + 1] if turn % 2 and k + 1 < len(rows) else ())
            wanted = {}
            for x in rows[k]:
                there = [place[y] for y in joined.get(x, ()) if y in near]
                wanted[x] = sum(there) / len(there) if there else place[x]
            rows[k].sort(key=wanted.__getitem__)
            middle = sum(wanted.values()) / len(wanted)
            for n, x in enumerate(rows[k]):
                place[x] = middle + n - (len(rows[k]) - 1) / 2
    return rows, steps, place


def plain_svg(graph):
    """The graph as text in SVG, from the left to the right."""
    rows, steps, place = layers(graph)
    label = {name: (text, shape) for name, text, shape in graph.nodes}
    width = {name: LETTER * len(text) + 18 for name, (text, _) in label.items()}
    left, top, at = 8.0, min(place.values(), default=0), {}
    for row in rows:
        widest = max(width.get(x, 0) for x in row)
        for x in row:
            at[x] = left + (widest - width.get(x, widest)) / 2, left + (widest + width.get(x, widest)) / 2
        left += widest + GAP
    y = {x: 8 + HEIGHT / 2 + ROW * (place[x] - top) for x in place}
    total = left - GAP + 8, max(y.values(), default=0) + HEIGHT / 2 + 8
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]:.0f}" height="{total[1]:.0f}" '
             f'viewBox="0 0 {total[0]:.0f} {total[1]:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12">',
             f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
             f'<path d="M0 0 L8 4 L0 8 z" fill="{LINE}"/></marker></defs>']
    for way in steps:
        path = f"M{at[way[0]][1]:.1f} {y[way[0]]:.1f}"
        for a, b in itertools.pairwise(way):
            start, end = at[a][1], at[b][0] - (1 if b == way[-1] else 0)
            middle = (start + end) / 2
            path += f" C{middle:.1f} {y[a]:.1f} {middle:.1f} {y[b]:.1f} {end:.1f} {y[b]:.1f}"
            if b != way[-1]:
                path += f" L{at[b][1]:.1f} {y[b]:.1f}"
        parts.append(f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="1.2" marker-end="url(#tip)"/>')
    for name, (text, shape) in label.items():
        round_by = 3 if shape == "box" else HEIGHT / 2
        parts.append(f'<rect x="{at[name][0]:.1f}" y="{y[name] - HEIGHT / 2:.1f}" width="{width[name]:.1f}" height="{HEIGHT}" '
                     f'rx="{round_by:g}" fill="{FILLS.get(shape, "#f5f7fa")}" stroke="{LINE}"/>')
        parts.append(f'<text x="{(at[name][0] + at[name][1]) / 2:.1f}" y="{y[name] + 4:.1f}" text-anchor="middle" '
                     f'fill="{INK}">{html.escape(text)}</text>')
    return "\n".join([*parts, "</svg>"])
