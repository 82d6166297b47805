"""``grad_fn``: nodes of the graph, made from the tape when somebody asks."""
import functools

from ..ops import ACTIVE, BINARY, CODE_MASK, KINDS, OPS, PASSIVE, PLANNED, UNARY
from ..tape import Link
from .engine import display


def operands(tape, i):
    """The indices of a record's operands."""
    kind = KINDS[tape.all_words[i] & CODE_MASK]
    if kind <= ACTIVE:
        return list(tape.hosts[i][0].operands) if tape.hosts and i in tape.hosts else []
    if kind in (UNARY, PLANNED):
        return [tape.left[i]]
    if kind == BINARY:
        return [tape.left[i], tape.right[i]]
    row, rows = tape.right[i], tape.buffers.views["rows"]
    return list(rows[row + 4:row + 4 + rows[row + 2]])


class Node:
    """A record as part of the graph. Its class is called after the operation, as in PyTorch: ``MulBackward0``."""
    __slots__ = ("_tape", "_index")

    def __init__(self, tape, index):
        self._tape, self._index = tape, index

    def name(self):
        """The name of the operation, as of the class."""
        return type(self).__name__

    @property
    def next_functions(self):
        """The nodes that the gradient goes to, each with a number as in PyTorch; (None, 0) for a constant."""
        tape = self._tape
        return tuple((_node(tape, j), 0) if KINDS[tape.all_words[j] & CODE_MASK] != PASSIVE else (None, 0)
                     for j in operands(tape, self._index))

    def __eq__(self, other):
        return isinstance(other, Node) and (self._tape, self._index) == (other._tape, other._index)

    def __hash__(self):
        return hash((self._tape, self._index))

    def __repr__(self):
        return f"<{self.name()} record {self._index} of tape {self._tape.serial}>"


class AccumulateGrad(Node):
    """Where the gradient of a leaf arrives."""
    __slots__ = ("variable",)

    def __init__(self, leaf):
        self.variable = leaf

    next_functions = ()

    def __eq__(self, other):
        return isinstance(other, AccumulateGrad) and self.variable is other.variable

    def __hash__(self):
        return id(self.variable)

    def __repr__(self):
        return "<AccumulateGrad>"


@functools.lru_cache(maxsize=None)
def _class(name):
    return type(name, (Node,), {"__slots__": ()})


def _node(tape, i):
    op = OPS[tape.all_words[i] & CODE_MASK]
    if op.name == "input":
        target = next(target for j, target, _ in tape.inputs if j == i)
        return _node(target.tape, target.index) if isinstance(target, Link) else AccumulateGrad(target)
    if op.name == "host":
        return _class(tape.hosts[i][0].name)(tape, i)
    return _class(display(tape, i))(tape, i)


def grad_fn(x):
    """The node that computed `x`, or None for a leaf."""
    if x.is_leaf:
        return None
    return _node(x._tape, x._index)

