"""Programs that are mostly single numbers, as instructions for the loops of `kernels.numbers`.

Everything about a program is known before it runs: where its values are, which records reach the output. Runs of records of one
element become instructions; the records between them run in the sweeps. A view of one element of an array takes no instruction
where it can stand for the element itself. Results are those of the sweeps to the last bit.
"""
import numpy as np

from ..buffers import address_of
from ..kernels import numbers
from ..kernels.numbers import BY_OPERANDS, COPY, RELATION, WIDTH
from ..ops import ACTIVE, BINARY, BY_NAME, CODE_MASK, KINDS, MAX_OPS, PASSIVE, PLANNED, PLANNED_MANY
from ..sweeps import TOUCHED, reach
from ..sweeps import compiled as compiled_sweep
from . import sweeps
from .layout import SPREAD

FEWEST = 32                                  # records from which on instructions repay their making
FIRST = 3                                    # runs until then where the loops are there: a program that is not trusted has two
REPAYS = 2_000_000                           # records that run until then, if the loops were compiled in an earlier process;
COLD = 50_000_000                            # otherwise many more, about as long as compilation takes

_CASES = np.full(MAX_OPS, -1, np.int64)      # by opcode: its case in the loop over values
for _name, _case in numbers.ROWS.items():
    _CASES[BY_NAME[_name].code] = _case
for _name in ("view", "reshape", "take"):
    _CASES[BY_NAME[_name].code] = COPY
_CASES[BY_NAME["relation"].code] = RELATION

_SETS = np.zeros(RELATION + 1, np.int64)     # by case: the operands that have a derivative, as bits
_SETS[COPY] = 1
for _name, _case in numbers.ROWS.items():
    _SETS[_case] = numbers.cases(BY_NAME[_name])[-1]

_LONG = [RELATION, *[case for name, case in numbers.ROWS.items() if BY_NAME[name].arity == 3]]


def edges(program):
    """(readers, what they read): the records' numbers, an entry for each operand."""
    kinds, right = KINDS[program.words], program.right.astype(np.int64)
    single, both = np.flatnonzero((kinds > ACTIVE) & (kinds <= PLANNED)), np.flatnonzero(kinds == BINARY)
    many = np.flatnonzero(kinds >= PLANNED_MANY)
    counts = program.rows[right[many] + 2]
    inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    listed = program.rows[np.repeat(right[many] + 4, counts) + inside]
    return (np.concatenate([single, both, np.repeat(many, counts)]),
            np.concatenate([program.left[single].astype(np.int64), right[both], listed]))


class Numbers:
    """The instructions of a program, for all of its workspaces. Those of `simple` records are known by arrays with an entry for
    each: the `record`, its `case`, what it reads (`given`, `second`, `third`), the number of a `relation`, and how many elements
    the places of what is given and of the result are shifted by (`shift`, `to`)."""

    def __init__(self, program):
        self.program, self.arrays, self.kinds = program, {}, KINDS[program.words]
        self.place = np.maximum(program.layout.offsets.astype(np.int64), -1)
        case = np.where(self.kinds > ACTIVE, _CASES[program.words & np.uint16(CODE_MASK)], -1)
        self.x, y, w = self._operands(case)
        x = self.x
        relation, shift = np.zeros(program.count, np.int64), self._shifts(case)
        for i in np.flatnonzero(case == RELATION).tolist():
            relation[i] = program.plans[int(program.right[i])].params.flat[0]
        number, held = program.sizes[program.size_ids] == 1, self.place >= 0
        usable = number & held
        self.simple = (case >= 0) & number & np.where(case == COPY, held[x] & (shift >= 0), usable[x] & usable[y] & usable[w])
        self.view, self.element = self.simple & (case == COPY), self.place[x] + shift    # and which element it is of
        some = np.flatnonzero(self.simple)
        joined, given, to = self._joined(usable)
        self.simple[joined] = True
        none, record = joined * 0, np.concatenate([some, joined])
        order = np.argsort(record, kind="stable")
        self.record, self.case, self.given, self.second, self.third, self.relation, self.shift, self.to = (
            np.concatenate(parts)[order] for parts in (
                (some, joined), (case[some], none + COPY), (x[some], given), (y[some], given), (w[some], given),
                (relation[some], none), (np.where(self.view, shift, 0)[some], none), (some * 0, to)))
        self.first = np.searchsorted(self.record, np.arange(program.count + 1))
        self.long = np.isin(self.case, _LONG)

    def _operands(self, case):
        """The records that each one reads, as three arrays; where there are fewer, one of them again."""
        program = self.program
        x, y, w = (program.left.astype(np.int64) for _ in range(3))
        pairs, many = self.kinds == BINARY, np.flatnonzero((self.kinds == PLANNED_MANY) & (case >= 0))
        y[pairs] = program.right[pairs]
        rows, at = program.rows, program.right[many].astype(np.int64) + 4
        x[many], y[many] = rows[at], rows[at + 1]
        w[many] = np.where(case[many] == RELATION, rows[at], rows[np.minimum(at + 2, len(rows) - 1)])
        return x, y, w

    def worth(self):
        """Whether instructions are most of the program."""
        return 2 * np.count_nonzero(self.simple) > np.count_nonzero(self.kinds > ACTIVE)

    def _joined(self, usable):
        """Records that join numbers, operand by operand: the record, the operand, and which element of the result it becomes."""
        program, found = self.program, []
        for i in np.flatnonzero(program.words == BY_NAME["concatenate"].code).tolist():
            row = int(program.right[i])
            given, plans = program.rows[row + 4:row + 4 + int(program.rows[row + 2])], program.plans[row].params
            if usable[given].all() and self.place[i] >= 0:
                found += [(i, j, plan[2 * plan[0] + 1]) for j, plan in zip(given.tolist(), plans)]
        return np.array(found, np.int64).reshape(-1, 3).T

    def _shifts(self, case):
        """For each record that is a view of one element: which one it is; -1 for others."""
        program, found = self.program, {}
        view, take = BY_NAME["view"].code, BY_NAME["take"].code
        shifts = np.full(len(case), -1, np.int64)
        for i in np.flatnonzero(case == COPY).tolist():
            row = int(program.right[i])
            if row not in found:
                plan, code = program.plans[row], program.words[i]
                given = np.asarray(plan.params).reshape(-1)
                found[row] = -1 if plan.size != 1 else given[2 * given[0] + 1] if code == view else (
                    (given[1] if given[0] == 1 else -1) if code == take else 0)
            shifts[i] = found[row]
        return shifts

    def _stand_for_elements(self):
        """Views that stand for the element itself, with its value and its adjoint: which they are, and the places of all records.
        The element's adjoint gets the same terms in the same order where nothing else reads it."""
        program, count = self.program, self.program.count
        readers, read = edges(program)
        views = self.view.copy()
        fixed = np.zeros(count, bool)
        fixed[[i for i, _ in program.outputs]] = True
        fixed[[x[0] for guard in program.guards for x in guard.operands if isinstance(x, tuple)]] = True
        fixed[read[~self.simple[readers]]] = True        # is read in the sweeps
        views &= ~fixed
        views &= ~views[self.x]
        mixed = np.zeros(count, bool)
        mixed[read[~views[readers]]] = True  # is read as a whole
        views &= ~mixed[self.x]
        found = np.flatnonzero(views)
        _, first, uses = np.unique(self.element[found], return_index=True, return_counts=True)
        found = found[first[uses == 1]]
        stands, place = np.zeros(count, bool), self.place.copy()
        stands[found] = True
        place[found] = self.element[found]
        return stands, place

    def _entries(self, records):
        """The entries of simple records, one record after the other, and how many each has."""
        counts = self.first[records + 1] - self.first[records]
        return np.repeat(self.first[records] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum()), counts

    def _instructions(self, records, cases, place):
        """The instructions of simple records, and how many integers come before each of them, and after the last. `cases`: by
        entry, -1 where there is nothing to do."""
        entries, counts = self._entries(records)
        long, idle = self.long[entries], cases[entries] < 0
        ends = np.cumsum(np.where(idle, 0, np.where(long, 2 * WIDTH, WIDTH)))
        starts = np.append(0, np.append(0, ends)[np.cumsum(counts)])
        code, at = np.zeros(starts[-1], np.int32), np.append(0, ends)[:-1]
        entries, at, long = entries[~idle], at[~idle], long[~idle]
        code[at], code[at + 1] = cases[entries], place[self.record[entries]] + self.to[entries]
        code[at + 2] = place[self.given[entries]] + self.shift[entries]
        code[at + 3] = place[self.second[entries]]
        code[at[long] + 4], code[at[long] + 5] = place[self.third[entries[long]]], self.relation[entries[long]]
        return code, starts

    def _segments(self, records, simple, starts):
        """Rows of integers: the first and the last of a run of records that run in the sweeps; or -1, and where a run of
        instructions begins and ends."""
        flags = simple[records]
        edge = np.flatnonzero(np.append(True, flags[1:] != flags[:-1])) if len(records) else np.zeros(0, np.int64)
        before = np.concatenate([[0], np.cumsum(flags)])
        rows = []
        for first, stop in zip(edge.tolist(), [*edge[1:].tolist(), len(records)]):
            if flags[first]:
                rows.append((-1, int(starts[before[first]]), int(starts[before[stop]])))
            else:
                rows.append((int(records[first]), int(records[stop - 1]), 0))
        return np.array(rows, np.int64).reshape(-1, 3)

    def values(self, stands=None, place=None):
        """(segments, instructions) of a run forward."""
        live = self.kinds > ACTIVE
        if stands is not None:
            live &= ~stands
        records = np.flatnonzero(live)
        mine = records[self.simple[records]]
        code, starts = self._instructions(mine, self.case, self.place if place is None else place)
        return self._segments(records, self.simple, starts), code

    def gradient(self, workspace, output):
        """The same with an output's adjoints: (segments, instructions, segments backward, instructions backward, words)."""
        program = self.program
        stands, place = self._stand_for_elements()
        seen, found = np.zeros(program.count, np.uint8), np.zeros(program.count, np.int32)
        seen[output], progress = 1, np.array([0, output], np.int64)
        compiled_sweep(reach)(workspace.address, output, 0, address_of(seen), address_of(found), address_of(progress))
        passive = self.kinds == PASSIVE
        wanted = _SETS[self.case] & ~(passive[self.given] * 1 | (self.kinds[self.record] == BINARY) * passive[self.second] * 2)
        cases = np.where(wanted == 0, -1, np.where(self.case == COPY, COPY, BY_OPERANDS * self.case + wanted))
        records = np.flatnonzero((seen != 0) & (self.kinds > ACTIVE) & ~stands)[::-1]
        code, starts = self._instructions(records[self.simple[records]], cases, place)
        words = program.words.copy()
        words[(seen != 0) & ~stands] |= np.uint16(TOUCHED)
        return *self.values(stands, place), self._segments(records, self.simple, starts), code, words


def patience(program):
    """After how many runs instructions repay their making; 0 where they never do."""
    count = program.count
    return max(REPAYS // count, 1) if count >= FEWEST and program.room <= SPREAD * count else 0


_ready: set = set()                          # dtypes whose loops are there


def runs(program):
    """After how many runs of a workspace to look whether instructions repay their making; 0 where they never do."""
    return min(program.waits, FIRST) if program.dtype in _ready else program.waits


def prepare(program):
    """Makes the instructions of a program; or gives the number of runs after which that will repay compiling the loops."""
    if program.dtype not in _ready and not program.patient and not numbers.on_disk(program.dtype):
        program.patient = True
        return max(COLD // program.count, 1)
    found, program.waits = Numbers(program), 0
    program.instructions = found if found.worth() else None
    return 0


def call(made, workspace, output=None):
    """((a compiled sweep, its arguments), what must be kept): a run of a workspace, with the adjoints of an output, a record."""
    program = made.program
    if output not in made.arrays:
        made.arrays[output] = made.values() if output is None else made.gradient(workspace, output)
    arrays = made.arrays[output]
    plan, frame = np.zeros(sweeps.PLAN_LENGTH, np.int64), np.zeros(4, np.int64)
    frame[numbers.VALUES], frame[numbers.ADJOINTS] = address_of(workspace.arena), address_of(workspace.adjoints)
    plan[sweeps.FORWARD], plan[sweeps.FORWARDS] = address_of(arrays[0]), len(arrays[0])
    plan[sweeps.VALUES_CODE], plan[sweeps.BACKWARDS] = address_of(arrays[1]), -1
    plan[sweeps.VALUES_LOOP], plan[sweeps.LOOP_FRAME] = numbers.address("values", program.dtype), address_of(frame)
    if output is not None:
        plan[sweeps.BACKWARD], plan[sweeps.BACKWARDS] = address_of(arrays[2]), len(arrays[2])
        plan[sweeps.ADJOINTS_CODE] = address_of(arrays[3])
        plan[sweeps.ADJOINTS_LOOP] = numbers.address("adjoints", program.dtype)
        plan[sweeps.MEMORY], plan[sweeps.BYTES] = address_of(workspace.adjoints), workspace.adjoints.nbytes
        plan[sweeps.OUTPUT] = address_of(workspace.adjoints) + made.place[output] * program.dtype.itemsize
        plan[sweeps.MARKED], plan[sweeps.PLAIN] = address_of(arrays[4]), address_of(program.words)
        plan[sweeps.COUNTED] = program.count if (arrays[2][:, 0] >= 0).any() else 0
    _ready.add(program.dtype)
    arguments = workspace.address, address_of(plan), program.table_address, len(program.table)
    return (sweeps.compiled(sweeps.interpret), arguments), (plan, frame, arrays)
