"""What becomes of a recording when it is sealed: equal records are one, and what is computed from constants alone is a constant.

Two records are equal where operation, operands and plan are. That leaves every value as it is, to the last bit; a gradient gets
the same terms in another order, and a partial sees the sum of what came to equal records.
"""
import numpy as np

from ..ops import ACTIVE, BINARY, BY_NAME, KINDS, PASSIVE, PLANNED, PLANNED_MANY

MOST = 1 << 26                               # records and plans that are told apart

# Operations whose result has a nan for each one of an operand
CARRIERS = frozenset(BY_NAME[name].code for name in (
    "add", "subtract", "multiply", "divide", "negative", "square", "reciprocal", "sqrt", "exp", "log", "sin", "cos", "tanh",
    "clone", "reshape", "sum"))


class Records:
    """The records of a recording, as arrays of a program: `entered` are (record, value) of its constants; the first `inputs`
    records are its inputs."""

    def __init__(self, words, left, right, rows, plans, entered, inputs):
        self.words, self.kinds, self.left, self.right, self.rows = words, KINDS[words], left, right, rows
        self.plans, self.entered, self.inputs = plans, entered, inputs
        self.many = np.flatnonzero(self.kinds >= PLANNED_MANY).tolist()

    def operands(self, i):
        """Of one of `many`."""
        row = int(self.right[i])
        return self.rows[row + 4:row + 4 + int(self.rows[row + 2])]

    def constant(self):
        """Which records depend on constants alone, a mask."""
        found = self.kinds == PASSIVE
        pairs, computed = self.kinds == BINARY, self.kinds > ACTIVE
        alone = computed & found[self.left] & (~pairs | found[np.where(pairs, self.right, 0)])
        alone[self.many] = [found[self.operands(i)].all() for i in self.many]
        if alone.any():                      # rare: what follows from these, one after the other
            many = set(self.many)
            for i in np.flatnonzero(computed).tolist():
                found[i] = (found[self.operands(i)].all() if i in many else
                            found[self.left[i]] and (not pairs[i] or found[self.right[i]]))
        return found

    def first_equals(self):
        """For each record the first one that is equal to it, or itself."""
        count = len(self.words)
        first = np.arange(count)
        if count + len(self.plans) >= MOST:
            return first
        for i, j in self._equal_constants():
            first[i] = j
        numbers, of_row = {}, np.zeros(len(self.rows), np.int64)
        for row, plan in self.plans.items():
            content = plan.shape, plan.label, np.asarray(plan.params).tobytes()
            of_row[row] = numbers.setdefault(content, len(numbers))
        # The second operand; where it is a plan, a number for that behind all records
        second = np.where(self.kinds == BINARY, self.right, count)
        planned = self.kinds == PLANNED
        second[planned] = count + 1 + of_row[self.right[planned]]
        computed = self.kinds > ACTIVE
        computed[self.many] = False
        found = self._pairs(first, second, np.flatnonzero(computed)) or self._tuples(first, of_row)
        return self._merged(first, second, of_row, len(numbers)) if found else first

    def _equal_constants(self):
        known = {}
        for i, array in self.entered:
            j = known.setdefault((int(self.words[i]), array.size, array.tobytes()), i)
            if j != i:
                yield i, j

    def _pairs(self, first, second, some):
        """Whether two records with one or two operands are equal, before any such are merged: if none are, none will be."""
        ends = np.append(first, np.arange(len(first), second.max(initial=len(first)) + 1)).astype(np.uint64)
        keys = (self.words[some].astype(np.uint64) << 52) + (ends[self.left[some]] << 26) + ends[second[some]]
        keys.sort()
        return bool((keys[1:] == keys[:-1]).any())

    def _tuples(self, first, of_row):
        """The same for those with many."""
        keys = [self._key(i, first, of_row) for i in self.many]
        return len(set(keys)) < len(keys)

    def _key(self, i, first, of_row):
        return np.array([self.words[i], of_row[self.right[i]], *first[self.operands(i)]]).tobytes()

    def _merged(self, first, second, of_row, plans):
        count, start, many = len(first), self.inputs, set(self.many)
        ends, known = [*first.tolist(), *range(count, count + 1 + plans)], {}
        words = np.where(self.kinds > ACTIVE, self.words.astype(np.int64) << 52, -1)
        # Numbers as keys, since a tuple for each record would keep the garbage collector busy
        parts = (array[start:].tolist() for array in (words, self.left, second))
        for i, word, x, y in zip(range(start, count), *parts):
            if word >= 0:
                key = word + (ends[x] << 26) + ends[y] if i not in many else self._key(i, first, of_row)
                j = known.setdefault(key, i)
                if i != j:
                    ends[i] = first[i] = j
        return first

    def needed(self, wanted):
        """Which records something of `wanted` depends on, a mask."""
        seen = np.zeros(len(self.words), bool)
        seen[wanted] = True
        many = set(self.many)
        for i in range(len(seen) - 1, -1, -1):
            if seen[i] and self.kinds[i] > ACTIVE:
                if i in many:
                    seen[self.operands(i)] = True
                else:
                    seen[self.left[i]] = True
                    if self.kinds[i] == BINARY:
                        seen[self.right[i]] = True
        return seen


def fewer_guards(guards, records):
    """Those that say something: not what another says, what is only about constants, or that a record has no nan where a result
    of it has none."""
    found, asked, known = [], {}, set()
    for guard in guards:
        places = [x for x in guard.operands if isinstance(x, tuple)]
        said = guard.digest()
        if said in known or all(records.kinds[i] == PASSIVE for i, _ in places):
            continue
        known.add(said)
        found.append(guard)
        if guard.function is np.not_equal and len(places) == 2 and places[0] == places[1] and not guard.outcome.any():
            asked[places[0][0]] = guard
    clean, implied = set(asked), set()
    for i in range(max(asked, default=-1), -1, -1):
        if i in clean and records.words[i] in CARRIERS:
            for j in {int(records.left[i]), int(records.right[i] if records.kinds[i] == BINARY else records.left[i])}:
                clean.add(j)
                if j in asked:
                    implied.add(id(asked[j]))
    return [guard for guard in found if id(guard) not in implied]
