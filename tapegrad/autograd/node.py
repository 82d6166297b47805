"""``grad_fn``: nodes of the graph, made from the tape when somebody asks."""
import functools
import weakref

from ..ops import ACTIVE, BINARY, CODE_MASK, HOST, INPUT, KINDS, OPS, PASSIVE, PLANNED, UNARY
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
    row, rows = tape.right[i], tape.buffers.see_rows
    return list(rows[row + 4:row + 4 + rows[row + 2]])


class Node:
    """A record as part of the graph. Its class is called after the operation, as in PyTorch: ``MulBackward0``.

    Nodes are made when somebody asks, and kept as long as somebody holds them, so that a record has one at a time.
    """
    __slots__ = ("_tape", "_index", "__weakref__")

    def __init__(self, tape, index):
        self._tape, self._index = tape, index

    def name(self):
        """The name of the operation, as of the class."""
        return type(self).__name__

    @property
    def next_functions(self):
        """The nodes that the gradient goes to, each with the number of its output that was used; (None, 0) for a
        constant."""
        tape = self._tape
        return tuple(_edge(tape, j) if KINDS[tape.all_words[j] & CODE_MASK] != PASSIVE else (None, 0)
                     for j in operands(tape, self._index))

    def __repr__(self):
        return f"<{self.name()} record {self._index} of tape {self._tape.serial}>"


class FunctionNode(Node):
    """The call of a Function: the one node of all its outputs. What its forward set on ctx can be read here."""
    __slots__ = ()

    def __getattr__(self, name):
        host, _ = self._tape.hosts[self._index]
        return getattr(host.ctx, name)


class AccumulateGrad(Node):
    """Where the gradient of a leaf arrives."""
    __slots__ = ("variable",)

    def __init__(self, leaf):
        self.variable = leaf

    next_functions = ()

    def __repr__(self):
        return "<AccumulateGrad>"


_nodes: "weakref.WeakValueDictionary[tuple, Node]" = weakref.WeakValueDictionary()


@functools.cache
def _class(name, kind=Node):
    return type(name, (kind,), {"__slots__": ()})


def _kept(key, make, *arguments):
    node = _nodes.get(key)
    if node is None:
        node = _nodes[key] = make(*arguments)
    return node


def _edge(tape, i):
    """The node of a record, and which of its outputs the record is."""
    op = OPS[tape.all_words[i] & CODE_MASK]
    if op is INPUT:
        target = tape.entered_by_record()[0][i][1]
        if isinstance(target, Link):
            return _edge(target.tape, target.index)
        return _kept(("leaf", id(target)), AccumulateGrad, target), 0
    if op is HOST:
        host, k = tape.hosts[i]
        i = host.outputs[0]
        return _kept((tape.serial, i), _class(host.name, FunctionNode if hasattr(host, "ctx") else Node), tape, i), k
    return _kept((tape.serial, i), _class(display(tape, i)), tape, i), 0


def grad_fn(x):
    """The node that computed `x`, or None for a leaf."""
    if x.is_leaf:
        return None
    return _edge(x._tape, x._index)[0]
