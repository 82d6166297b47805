"""The records of a program as lists, for the one pass that writes machine code."""
import numpy as np

from ...ops import BINARY, BY_NAME, CODE_MASK, KINDS, OPS, PASSIVE, PLANNED, PLANNED_EACH, PLANNED_MANY
from ...tensor.elementwise import size_of

VIEW, RELATION, *SAME = (BY_NAME[name].code for name in ("view", "relation", "reshape", "clone"))


class Listing:
    """For each record its row of the op table, operands, size and plan; `constants`: where the value of those that entered is,
    in elements of the program's constants. `computed`: the others but the inputs, in order. `root`: for each record the one that
    it has the elements of; operands are named by it."""

    def __init__(self, program):
        self.program = program
        words = program.words & CODE_MASK
        kinds = KINDS[words]
        self.count, self.inputs = program.count, len(program.inputs)
        self.codes, self.kinds = words.tolist(), kinds.tolist()
        self.ops = [OPS[code] for code in self.codes]
        self.constants = {int(i): int(start) for i, start in program.places[self.inputs:]}
        self.operands, self.plans, self.sizes = [], [None] * self.count, [size_of(shape) for shape in program.inputs]
        self.root = root = list(range(self.count))
        left, right, rows = program.left.tolist(), program.right.tolist(), program.rows.tolist()
        ids, sizes = program.size_ids.tolist(), program.sizes.tolist()
        equal: dict = {}                     # what entered twice is one
        for i, kind in enumerate(self.kinds):
            if kind <= 1:
                self.operands.append(())
                if i >= self.inputs:
                    size, start = sizes[ids[i]], self.constants[i]
                    self.sizes.append(size)
                    root[i] = equal.setdefault(program.constants[start:start + size].tobytes(), i)
                continue
            if kind < PLANNED:
                found = (left[i], right[i]) if kind == BINARY else (left[i],)
                self.sizes.append(max(self.sizes[j] for j in found) if all(self.sizes[j] for j in found) else 0)
            else:
                row = right[i]
                found = tuple(rows[row + 4:row + 4 + rows[row + 2]]) if kind in (PLANNED_MANY, PLANNED_EACH) else (left[i],)
                self.sizes.append(sizes[rows[row]])
                self.plans[i] = program.plans[row]
            self.operands.append(tuple([root[j] for j in found]))
            if self.codes[i] in SAME:
                root[i] = root[found[0]]
        self.computed = [i for i in range(self.inputs, self.count) if self.kinds[i] > 1 and root[i] == i]

    def is_constant(self, i):
        return self.kinds[i] == PASSIVE

    def constant(self, i):
        """The value of a number that entered."""
        return self.program.constants[self.constants[i]]

    def needed(self, ends):
        """A flag for each record: whether any of `ends` depends on it."""
        needed = [False] * self.count
        for i in ends:
            needed[i] = True
        for i in range(self.count - 1, self.inputs - 1, -1):
            if needed[i]:
                for j in self.operands[i]:
                    needed[j] = True
        return needed

    def element(self, i):
        """The place of the one element that a view of size 1 reads, or None."""
        if self.codes[i] != VIEW or self.sizes[i] != 1 or self.sizes[self.operands[i][0]] == 1:
            return None
        params = self.plans[i].params
        return int(params[2 * params[0] + 1])


def elementwise(listing, i):
    return listing.ops[i].value is not None or listing.codes[i] == RELATION


def strides_of(plan):
    """(shape, strides, offset) of a strided plan."""
    params = np.asarray(plan.params).tolist()
    n = params[0]
    return params[1:1 + n], params[1 + n:1 + 2 * n], params[1 + 2 * n]
