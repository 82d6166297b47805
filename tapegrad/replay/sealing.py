"""Sealing: from a recording to a program, in one pass over its tapes."""

import numpy as np

from ..buffers import MAX_ELEMENTS
from ..ops import ACTIVE, ARRAY, BINARY, CODE_MASK, CONSTANT, INPUT, KINDS, PASSIVE, PLANNED, PLANNED_EACH, PLANNED_MANY
from ..tape import Link
from ..tensor.elementwise import size_of
from . import passes
from .layout import ALIGNED
from .program import Guard, Program, Unsupported


def seal(recorder, outputs, dtype):
    """The program of a recording. `outputs`: interior tensors. Raises Unsupported."""
    sealing = Sealing(recorder, dtype)
    return sealing.program([(x._tape, x._index, x._shape) for x in outputs])


class Sealing:
    """One pass over the tapes of a recording: which records are needed, and where they go."""

    def __init__(self, recorder, dtype):
        self.recorder, self.dtype = recorder, dtype
        self.maps: dict = {}                 # serial -> the new number of each record
        self.made = {id(leaf) for leaf in recorder.made}

    def program(self, outputs):
        recorder = self.recorder
        guarded = [x for reading in recorder.readings for x in reading.operands if isinstance(x, tuple)]
        tapes = self._needed([*outputs, *guarded])
        self._lay_out(tapes)
        self._simplify([self._moved(x)[0] for x in (*outputs, *guarded)])
        self._set_constants()
        self._set_sizes()
        guards = [Guard(r.function, tuple(self._moved(x) if isinstance(x, tuple) else x for x in r.operands), r.options,
                        r.outcome) for r in recorder.readings]
        guards = passes.fewer_guards(guards, self._records())
        program = Program(self.dtype, self.words, self.left, self.right, self.size_ids, self.rows, self.plans, self.sizes,
                       self.constants, self.places, [tuple(shape) for _, _, shape in recorder.inputs],
                       [self._moved(x) for x in outputs], guards)
        program.recorded = recorder.count()
        return program

    def _moved(self, place):
        tape, i, shape = place
        return int(self.maps[tape.serial][i]), tuple(shape)

    def _needed(self, places):
        """(tape, a byte for each of its records: whether anything depends on it), from the oldest tape."""
        waiting: dict = {}
        for tape, i, _ in (*places, *self.recorder.inputs):
            self._mark(waiting, tape, i)
        found = []
        while waiting:
            tape, seen = waiting.pop(max(waiting))
            if tape.recorder is not self.recorder:
                raise Unsupported("it uses a tensor that is part of a graph outside; pass it as an argument, or detach() it")
            if tape.dtype != self.dtype:
                raise Unsupported(f"it computes in {tape.dtype} as well as in {self.dtype}; use one of them")
            tape.evaluate()
            _check(tape)
            tape.reached(len(seen) - 1, seen)
            for i, target, _ in tape.inputs:
                if seen[i] and type(target) is Link:
                    self._mark(waiting, target.tape, target.index)
            found.append((tape, seen))
        return found[::-1]

    @staticmethod
    def _mark(waiting, tape, i):
        if tape.serial not in waiting:
            waiting[tape.serial] = tape, np.zeros(tape.n, np.uint8)
        waiting[tape.serial][1][i] = 1

    def _lay_out(self, tapes):
        own = {(tape.serial, i): k for k, (tape, i, _) in enumerate(self.recorder.inputs)}
        count, parts = len(own), []
        self.size_numbers: dict = {1: 0}
        self.plans, self.entered = {}, []
        rows_before, rows = 0, []
        self.sources: list = []
        for tape, seen in tapes:
            links = {i: target for i, target, _ in tape.inputs if seen[i] and type(target) is Link}
            mine = [i for serial, i in own if serial == tape.serial]
            new = np.full(tape.n, -1, np.int64)
            for i, target in links.items():
                new[i] = self.maps[target.tape.serial][target.index]
            for i in mine:
                new[i] = own[tape.serial, i]
            seen[list(links)] = 0
            seen[mine] = 0
            live = np.flatnonzero(seen)
            new[live] = count + np.arange(len(live))
            self.maps[tape.serial] = new
            count += len(live)
            buffers = tape.buffers
            words = buffers.words[live] & np.uint16(CODE_MASK)
            kinds = KINDS[words]
            sizes = buffers.sizes[buffers.size_ids[live]]
            self.sources.append((count - len(live), tape, live))
            left = np.where(kinds > 1, new[np.where(kinds > 1, buffers.left[live], 0)], 0)
            right = np.zeros(len(live), np.int64)
            pairs, planned = kinds == BINARY, kinds >= PLANNED
            right[pairs] = new[buffers.right[live[pairs]]]
            right[planned] = buffers.right[live[planned]] + rows_before
            rows.append(self._rows(tape, new, live[planned], kinds[planned], rows_before))
            rows_before += tape.rows
            words, size_ids = self._entries(tape, live, kinds, words, sizes, count - len(live))
            parts.append((words, left, right, size_ids, sizes))
        self._set_inputs(parts)
        words, left, right, size_ids, self.record_sizes = (np.concatenate(part) for part in zip(*parts))
        self.words, self.size_ids = words.astype(np.uint16), size_ids.astype(np.uint16)
        self.left, self.right = left.astype(np.int32), right.astype(np.int32)
        self.rows = np.concatenate([*rows, np.zeros(1, np.int64)])
        if len(self.size_numbers) > 1 << 16:
            raise Unsupported("its arrays have too many different sizes")
        self.sizes = np.array(list(self.size_numbers), np.int64)

    def _records(self):
        return passes.Records(self.words, self.left, self.right, self.rows, self.plans, self.entered, len(self.recorder.inputs))

    def _simplify(self, wanted):
        """Makes equal records one, and constants of what depends on nothing else; `wanted`: numbers of outputs and in guards."""
        records = self._records()
        needed = np.ones(len(self.words), bool)
        folded = records.constant() & (records.kinds > PASSIVE)
        if folded.any():
            self.words[folded] = np.where(self.record_sizes[folded] == 1, CONSTANT.code, ARRAY.code)
            needed = self._records().needed([*wanted, *range(len(self.recorder.inputs))])
            self.entered += [(i, self._value(i)) for i in np.flatnonzero(folded & needed).tolist()]
            self.entered.sort(key=lambda entry: entry[0])
            records = self._records()
        first = records.first_equals()
        kept = np.zeros(len(first), bool)
        kept[first[needed]] = True
        if not kept.all():
            self._renumber(records, kept, (np.cumsum(kept) - 1)[first])

    def _value(self, i):
        """What a record was when it was recorded."""
        start, tape, live = next(source for source in reversed(self.sources) if source[0] <= i)
        return tape.peek(int(live[i - start])).copy()

    def _renumber(self, records, kept, number):
        """Leaves out the records that are not kept; `number`: the new one of each record, or of that which stands for it."""
        kinds = records.kinds[kept]
        for i in records.many:
            if kept[i]:
                records.operands(i)[...] = number[records.operands(i)]
        self.words, self.size_ids, self.record_sizes = self.words[kept], self.size_ids[kept], self.record_sizes[kept]
        self.left = np.where(kinds > ACTIVE, number[self.left[kept]], 0).astype(np.int32)
        right = self.right[kept]
        self.right = np.where(kinds == BINARY, number[np.where(kinds == BINARY, right, 0)], right).astype(np.int32)
        used = set(self.right[kinds >= PLANNED].tolist())
        self.plans = {row: plan for row, plan in self.plans.items() if row in used}
        self.entered = [(int(number[i]), array) for i, array in self.entered if kept[i]]
        self.maps = {serial: np.where(new >= 0, number[new], -1) for serial, new in self.maps.items()}

    def _set_sizes(self):
        """Numbers for the sizes of all records."""
        if int(np.sum(self.record_sizes + ALIGNED)) > MAX_ELEMENTS:
            raise Unsupported("it holds more elements than a tape can")
        order = np.argsort(self.sizes)
        self.size_ids = order[np.searchsorted(self.sizes, self.record_sizes, sorter=order)].astype(np.uint16)

    def _number(self, size):
        return self.size_numbers.setdefault(size, len(self.size_numbers))

    def _set_inputs(self, parts):
        sizes = [size_of(shape) for _, _, shape in self.recorder.inputs]
        none = np.zeros(len(sizes), np.int64)
        parts.insert(0, (np.full(len(sizes), INPUT.code), none, none, np.array([self._number(n) for n in sizes], np.int64),
                         np.array(sizes, np.int64)))

    def _rows(self, tape, new, records, kinds, before):
        """The rows of planned records, with sizes and operands by their new numbers."""
        known, rows = tape.buffers.rows, np.zeros(tape.rows, np.int64)           # those of dead records stay empty
        places, first = np.unique(tape.buffers.right[records], return_index=True)
        for row, kind in zip(places.tolist(), kinds[first].tolist()):
            plan = tape.plans[row]
            self.plans[row + before] = plan
            rows[row], rows[row + 1] = self._number(int(tape.buffers.sizes[known[row]])), known[row + 1]
            if kind in (PLANNED_MANY, PLANNED_EACH):
                stop = row + 4 + int(known[row + 2])
                rows[row + 2:row + 4] = known[row + 2:row + 4]
                rows[row + 4:stop] = new[known[row + 4:stop]]
        return rows

    def _entries(self, tape, live, kinds, words, sizes, before):
        """Notes the values that entered; gives words and numbers of sizes, which are known of those records alone."""
        size_ids = np.zeros(len(live), np.int64)
        leaves = {i: target for i, target, _ in tape.inputs}
        for k in np.flatnonzero(kinds <= 1).tolist():
            i = int(live[k])
            if i in leaves:
                if id(leaves[i]) not in self.made:
                    raise Unsupported("it uses a tensor that requires grad without getting it as an argument; pass it as one, or "
                                      "use x.detach()")
                words[k] = ARRAY.code
            size_ids[k] = self._number(int(sizes[k]))
            self.entered.append((before + k, tape.peek(i)))
        return words, size_ids

    def _set_constants(self):
        count = len(self.recorder.inputs)
        places, start = [(k, 0) for k in range(count)], 0
        for i, array in self.entered:
            if array.size >= ALIGNED:
                start = -(-start // ALIGNED) * ALIGNED
            places.append((i, start))
            start += array.size
        self.constants = np.zeros(max(start, 1), self.dtype)
        for (_, array), (_, at) in zip(self.entered, places[count:]):
            self.constants[at:at + array.size] = array
        self.places = np.array(places, np.int64).reshape(-1, 2)


def _check(tape):
    """Unsupported where a tape has what compiled sweeps alone can't do, or memory was written behind its back."""
    if tape.hosts:
        name = next(iter(tape.hosts.values()))[0].name.removesuffix("0").removesuffix("Backward")
        raise Unsupported(f"{name} is computed in Python")
    if tape.hooks or tape.retained:
        raise Unsupported("it registers hooks, or retain_grad(), on tensors that it computes")
    if any(storage.version != seen or storage.silent for _, storage, seen in tape.watched or ()):
        raise Unsupported("it writes in place into memory that it shares with a detached tensor or a view")
