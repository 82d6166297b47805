"""Groups of elementwise records over vectors of one size, which become one loop each.

A view that walks through memory evenly is not copied: who reads it reads its source. A sum of all elements is made on the way.
"""
from dataclasses import dataclass, field

from ..._jit import libmvec, special
from ...ops import BY_NAME
from ...ops.table import loaded_functions
from .listing import VIEW, elementwise, strides_of

SUM, MEAN = BY_NAME["sum"].code, BY_NAME["mean"].code
COSTLY = frozenset(["divide", "power", "sigmoid", "silu", "softplus"])
_CALLS = frozenset((*libmvec.MATH, *special.ARITY))
MOST = 48                                    # records of a group: what still fits into registers, mostly


@dataclass
class Group:
    """`records`: elementwise ones of `size` elements, in order; `views`: of a view that they read, (source, offset, step);
    `sums`: of a sum, the record that it sums."""
    size: int
    records: list = field(default_factory=list)
    views: dict = field(default_factory=dict)
    sums: dict = field(default_factory=dict)

    def members(self):
        return [*self.views, *self.records, *self.sums]


def is_costly(op):
    """Whether computing a value again takes longer than keeping it."""
    return op.name in COSTLY or not loaded_functions(op.value).isdisjoint(_CALLS) if op.value is not None else False


def even_view(listing, i, steps):
    """(source, offset, step) of a view that walks evenly through a vector, with one of some steps (None: any), or None."""
    if listing.codes[i] != VIEW or listing.sizes[i] < 2 or listing.sizes[listing.operands[i][0]] < 2:
        return None
    shape, strides, offset = strides_of(listing.plans[i])
    if len(shape) != 1 or (steps is not None and strides[0] not in steps):
        return None
    return listing.operands[i][0], offset, strides[0]


def total(listing, i):
    """Whether a record is the sum, or mean, of all elements of its operand."""
    if listing.codes[i] not in (SUM, MEAN) or listing.sizes[i] != 1 or listing.sizes[listing.operands[i][0]] < 2:
        return False
    shape, strides, _ = strides_of(listing.plans[i])
    return len(shape) == 1 and strides == [0] and shape[0] == listing.sizes[listing.operands[i][0]]


def for_elementwise(listing, i, readers):
    """Whether a view is read by elementwise records of its size alone."""
    return all(elementwise(listing, r) and listing.sizes[r] == listing.sizes[i] for r in readers.get(i, ()))


def fused(listing, nodes, readers, ends, steps, with_sums):
    """The nodes with elementwise records of vectors put into groups. `ends`: what is read from outside; `steps`: those of views
    that may be read through; `with_sums`: whether sums are made on the way."""
    found, group, before, inside, later = [], None, [], set(), set()
    through = {}                             # views that are read through
    plain = {node for node in nodes if isinstance(node, int)}

    def transparent(i):
        """What is known of a view that only elementwise records read, which then read through it."""
        if i in ends or not plain.issuperset(readers.get(i, ())) or not for_elementwise(listing, i, readers):
            return None
        return even_view(listing, i, steps)

    def close():
        nonlocal group, before, inside, later
        found.extend(before)
        if group is not None:
            found.append(group)
        group, before, inside, later = None, [], set(), set()
    for node in nodes:
        if not isinstance(node, int):        # a loop
            close()
            found.append(node)
            continue
        operands = listing.operands[node]
        size = listing.sizes[node]
        view = transparent(node)
        if view is not None:
            if group is not None and (group.size != size or view[0] in inside or view[0] in later):
                close()
            if group is None:
                group = Group(size)
            group.views[node] = through[node] = view
            inside.add(node)
            continue
        if size > 1 and elementwise(listing, node):
            if group is not None and (group.size != size or len(group.records) >= MOST or any(j in later for j in operands)):
                close()
            if group is None:
                group = Group(size)
            for j in operands:               # a view of a group that was closed is read again
                if j in through and j not in inside:
                    group.views[j] = through[j]
                    inside.add(j)
            group.records.append(node)
            inside.add(node)
            continue
        if with_sums and group is not None and total(listing, node) and operands[0] in group.records:
            group.sums[node] = operands[0]
            later.add(node)
            continue
        if group is not None and any(j in inside or j in later for j in operands):
            close()
        if group is not None:
            before.append(node)
        else:
            found.append(node)
    close()
    return found


def readers_of(listing, computed):
    """The records that read each record."""
    readers = {}
    for i in computed:
        for j in listing.operands[i]:
            readers.setdefault(j, []).append(i)
    return readers
