"""The backward pass: tape after tape along the links, from the newest to the leaves.

Values only (``create_graph=False``): a compiled sweep over each tape, interrupted where a record has a hook, is retained or
captured, or is computed in Python. `recorded.py` is the other pass, which records itself.
"""
import heapq
from contextlib import contextmanager

import numpy as np

from .. import kernels, sweeps
from .._jit.locks import lock
from ..buffers import address_of
from ..ops import ACTIVE, BY_NAME, CODE_MASK, INPUT, KINDS, MAX_OPS, OPS, PLANNED_EACH, VIEWS
from ..sweeps import (
    AT,
    CODE,
    COLUMN,
    CONSUMED,
    FINISHED,
    IN_PLACE,
    LOW,
    NEEDS_KERNEL,
    OPERAND,
    OVERWRITTEN,
    THROUGH,
    TOUCHED,
    USED_UP,
)
from ..tape import REPLACED, USED, Link, Tape, settle
from ..tensor.core import Tensor, bump, root_of, tracked, version, wrap
from ..tensor.elementwise import describe
from .anomaly import backward_search, origin, raise_anomaly
from .modes import no_grad, set_grad_enabled

CLEAR = 0xFFFF ^ TOUCHED


class Pass:
    """One backward pass. `captures`: what to keep of interior records, {(tape serial, index): array}. `paths`: what of each
    tape is on the way to what is wanted; see paths.py. `floor`: the pass ends at links to tapes up to this number, and captures
    what arrives there."""

    def __init__(self, keep, captures=(), paths=None, floor=0):
        self.keep, self.captures, self.paths, self.floor = keep, dict.fromkeys(captures), paths or {}, floor
        self.leaves: dict = {}               # id -> (leaf, flat gradient)
        self.frontier: list = []             # heap of (-serial, tape)
        self.starts: dict = {}               # serial -> highest touched record
        self.waiting: dict = {}              # serial -> what is to be added on a tape where another thread's pass is running

    def seed(self, tape: Tape, i: int, gradient):
        """Adds to the adjoint of a record; `gradient` is flat, or a number."""
        serial = tape.serial
        if serial not in self.starts:
            tape.close()                     # one that another thread records on
            tape.evaluate()
            if not _enter_pass(tape, wait=False):
                self.waiting[serial] = []
            heapq.heappush(self.frontier, (-serial, tape))
            self.starts[serial] = i
        elif i > self.starts[serial]:
            self.starts[serial] = i
        if serial in self.waiting:
            self.waiting[serial].append((i, np.array(gradient)))
        else:
            _add(tape, i, gradient)

    def run(self):
        """Runs all tapes that were seeded and those that they lead to; gradients end in `leaves` and `captures`.

        It waits for another thread's pass when it comes to a tape, with older ones taken alone, and so does the other one: they
        never wait for each other.
        """
        try:
            while self.frontier:
                _, tape = self.frontier[0]
                if tape.serial in self.waiting:
                    _enter_pass(tape)
                    for i, gradient in self.waiting.pop(tape.serial):
                        _add(tape, i, gradient)
                self._run_tape(tape, self.starts[tape.serial])
                heapq.heappop(self.frontier)
                if self.frontier:            # a chain of tapes needs the adjoints of two of them at a time
                    tape.buffers.drop_adjoints()
                _leave_pass(tape)
        finally:
            for _, tape in self.frontier:    # an exception came through: nothing stays touched
                if tape.serial not in self.waiting:
                    _leave_pass(tape, clean=True)

    def _run_tape(self, tape, start):
        path = self.paths.get(tape.serial)
        entries = survey(tape, start, tape.head[LOW])
        if must_verify(tape, entries):
            verify(tape, start, path, entries, tape.head[LOW])
        if path is not None:
            aside = (path & THROUGH) == 0
            consumed = tape.buffers.words[:len(path)][aside] & np.uint16(CONSUMED)
        breaks = self._breaks(tape, start)
        if backward_search():
            breaks = sorted({*breaks, *range(start + 1)}, reverse=True)
        for i in breaks:
            if i < start:
                sweep(tape, start, i + 1, self.keep)
            start = i
            self._stop_at(tape, i, path)
        sweep(tape, start, 0, self.keep)
        if not self.keep:
            tape.suspect = tape.suspect or USED
            if path is not None:             # what is off the path was swept along, and is not used up by that
                words = tape.buffers.words[:len(path)]
                words[aside] = words[aside] & np.uint16(0xFFFF ^ CONSUMED) | consumed
        words = tape.all_words
        for i, target, _ in entries[0]:
            if words[i] & TOUCHED:
                words[i] &= CLEAR
                if path is None or path[i]:
                    self.collect(target, tape.adjoint(i))

    def collect(self, target, gradient):
        if isinstance(target, Link):
            place = target.tape.serial, target.index
            if place[0] > self.floor:
                self.seed(target.tape, target.index, gradient)
            elif place in self.captures:
                self.captures[place] += gradient
            else:
                self.captures[place] = gradient.astype(target.tape.dtype)
            return
        known = self.leaves.get(id(target))
        if known is None:
            self.leaves[id(target)] = target, gradient.astype(target._own.dtype)
        else:
            np.add(known[1], gradient, out=known[1])

    def _breaks(self, tape, start):
        if not (tape.hooks or tape.hosts or tape.retained or self.captures):
            return ()
        places = {*(tape.hooks or ()), *(tape.retained or ())}
        places.update(i for serial, i in self.captures if serial == tape.serial)
        places.update(tape.hosts or ())
        return sorted((i for i in places if i <= start), reverse=True)

    def _stop_at(self, tape, i, path):
        words = tape.all_words
        host = tape.hosts and tape.hosts.get(i)
        if path is not None and not path[i]:
            if host:
                words[i] &= CLEAR
            return
        if host:
            self._stop_at_host(tape, i, host, path)
            return
        if not words[i] & TOUCHED:
            return
        self._see(tape, i)
        if search := backward_search():
            check_finite(tape, i, self.keep, search)

    def _see(self, tape, i):
        """Shows a gradient that is complete to those who asked for it: hooks, retain_grad, captures."""
        if tape.hooks and i in tape.hooks:
            gradient = tape.adjoint(i)
            shape, hooks = tape.hooks[i]
            with no_grad():
                gradient[...] = run_hooks(hooks, wrap(gradient.reshape(shape).copy()))._array().reshape(-1)
        holder = (tape.retained or {}).get(i)
        if holder is not None and (x := holder()) is not None:
            accumulate(x, tape.adjoint(i).reshape(x._shape).copy())
        if (tape.serial, i) in self.captures:
            self.captures[tape.serial, i] = tape.adjoint(i).copy()

    def _stop_at_host(self, tape, i, host, path):
        """At an output of a Function. Its backward runs at the first one, which comes when all others are complete."""
        host, k = host
        words = tape.all_words
        if words[i] & TOUCHED:
            self._see(tape, i)
        if k == 0 and (path is None or path[i] & THROUGH):
            self._run_host(tape, i, host)
        elif path is not None and not path[i] & THROUGH:
            words[i] &= CLEAR

    def _run_host(self, tape, at, host):
        words = tape.all_words
        touched = [bool(words[i] & TOUCHED) for i in host.outputs]
        if not any(touched):
            return
        given = []
        for i, there, shape in zip(host.outputs, touched, host.shapes):
            given.append(tape.adjoint(i).reshape(shape) if there else None)
            words[i] &= CLEAR
        search = backward_search()
        for j, gradient in host.run(tape, given, self.keep):
            if search and (made := search.slope_made(gradient, None, [g for g in given if g is not None], _read(tape, host))):
                raise_anomaly(tape, at, f"returned {made} as a gradient")
            _add(tape, j, gradient)


def _add(tape, i, gradient):
    words = tape.all_words
    adjoint = tape.adjoint(i)
    if words[i] & TOUCHED:
        adjoint += gradient
    else:
        adjoint[...] = gradient
        words[i] |= TOUCHED
        if i < tape.head[LOW]:
            tape.head[LOW] = i


# Tapes in and out of a pass -------------------------------------------------------------------------------------------

def _enter_pass(tape, wait=True):
    """Takes the tape for this thread; a pass that runs inside another one (from a hook) puts the outer one's state aside. False
    where another thread has it, and this one doesn't `wait`."""
    buffers = tape.buffers
    if tape.recorder is not None:
        tape.recorder.refuse("it runs a backward that is not recorded; write create_graph=True, or use tg.grad")
    buffers.users += 1
    if not buffers.lock.acquire(wait):
        buffers.users -= 1
        return False
    if buffers.passes:
        saved = buffers.words[:tape.n].copy(), buffers.adjoints, buffers.derivatives.copy(), tape.head[LOW]
        buffers.words[:tape.n] &= np.uint16(CLEAR)
        buffers.adjoints, buffers.first_adjoints = [], None
        buffers.passes.append(saved)
    else:
        buffers.passes.append(None)
    tape.head[LOW] = tape.n
    try:
        buffers.allow_adjoints()
    except BaseException:                    # no memory, an interrupt
        _leave_pass(tape, clean=True)
        raise
    return True


@contextmanager
def flags_aside(tape):
    """For whoever marks records outside of a pass: the tape is this thread's, and what a pass around it has marked, where this is
    in a hook, is marked again afterwards."""
    buffers = tape.buffers
    with buffers.lock:
        words, saved = buffers.words[:tape.n], None
        if buffers.passes:
            saved = words & np.uint16(TOUCHED)
            words &= np.uint16(CLEAR)
        try:
            yield
        finally:
            if saved is not None:
                words &= np.uint16(CLEAR)
                words |= saved


def _leave_pass(tape, clean=False):
    buffers = tape.buffers
    if clean:
        buffers.words[:tape.n] &= np.uint16(CLEAR)
    saved = buffers.passes.pop()
    tape.head[LOW] = 0
    if saved is not None:
        buffers.drop_adjoints()
        words, buffers.adjoints, derivatives, tape.head[LOW] = saved
        buffers.first_adjoints = memoryview(buffers.adjoints[0]) if buffers.adjoints else None
        buffers.words[:len(words)] = words | (buffers.words[:len(words)] & np.uint16(CONSUMED))
        buffers.derivatives[:] = derivatives
    buffers.lock.release()
    buffers.users -= 1


def sweep(tape, start, stop, keep):
    """The compiled backward sweep, with the kernels that it asks for."""
    run = sweeps.compiled(sweeps.backward)
    operand, head = 0, tape.head
    while run(tape.buffers.head_address, start, stop, keep, operand) == NEEDS_KERNEL:
        kernels.need(head[CODE], head[COLUMN], tape.dtype)
        start, operand = head[AT], head[OPERAND]


# What can't be used any more ------------------------------------------------------------------------------------------

_needs = np.zeros(MAX_OPS * kernels.COLUMNS, np.uint8)
_views = np.zeros(MAX_OPS, np.uint8)
_views[list(VIEWS)] = 1
_described: set = set()
INDICES = 64                                 # a bit of those bytes that stands for no operand


def _describe(codes):
    """Fills in, for the verifying sweep, whose values the adjoints of these operations read."""
    for code in codes:
        if code in _described:
            continue
        op = OPS[code]
        for k in range(op.arity if op.kind != PLANNED_EACH else 0):
            mask = 0
            for letter in op.partial_needs(k):
                mask |= 128 if letter == "z" else 1 << "xyw".index(letter)
            if op is BY_NAME["take"]:        # PyTorch keeps the indices, and lets go of them after a backward
                mask = INDICES
            _needs[code * kernels.COLUMNS + kernels.ADJOINT + k] = mask
        _described.add(code)


def describe_records(tape):
    """The same for the operations on a tape."""
    count = tape.n
    if tape.described != count:
        _describe(np.unique(tape.buffers.words[:count] & np.uint16(CODE_MASK)).tolist())
        tape.described = count


FEW = 64                                     # entries of a tape that are looked at one and all


def survey(tape, start, low=0):
    """What entered a tape, as (its ``inputs``, its ``arrays``): as far as a backward from the touched records from `low` up to
    `start` may meet it, or more where there is little. Many losses may share a tape, and each has to do with its own part."""
    if len(tape.inputs) + len(tape.arrays) <= FEW:
        return tape.inputs, tape.arrays
    records = tape.reached(start, np.zeros(start + 1, np.uint8), low)
    return tuple([there[i] for i in records if i in there] for there in tape.entered_by_record())


def _changed(entries):
    """Whether memory that entered the tape was written since."""
    for some in entries:
        for _, target, seen in some:
            if type(target) is Link:
                older = target.tape
                if ((older.overwritten or older.watched or older.is_aliased(target.index)
                     or older.all_words[target.index] & CODE_MASK == INPUT.code) and _written_since(target, seen)):
                    return True
            elif ((target._storage is not None or target._base is not None or target._edits != seen)
                  and _written_since(target, seen)):
                return True
    return False


def _written_since(target, seen):
    """Whether the memory of a leaf, a constant or a record of an older tape was written since it was at this version."""
    if not isinstance(target, Link):
        return version(target) != seen
    tape, i = target.tape, target.index
    while True:                              # what it is a view of; views have the versions of that
        if _latest_version(tape, i) > seen:
            return True
        if tape.is_view(i):
            i = tape.left[i]
            continue
        entry = tape.entered_by_record()[0].get(i)
        if entry is None:
            return False
        if type(entry[1]) is not Link:
            return version(entry[1]) != seen
        tape, i = entry[1].tape, entry[1].index


def _latest_version(tape, i):
    """Of the memory of a record, as far as it was written; 0 where it was not."""
    known = [storage.version for j, storage, seen in tape.watched or () if j == i and storage.version != seen]
    return max([*known, (tape.overwritten or {}).get(i, 0)])


def must_verify(tape, entries):
    """Whether there may be something on a tape that a backward can't use. `entries`: from `survey`."""
    return tape.suspect or _may_differ(tape, entries)


def _may_differ(tape, entries):
    """Whether there may be values on a tape that were overwritten."""
    return tape.suspect == REPLACED or tape.watched or tape.overwritten or _changed(entries)


def verify(tape, start, path, entries, low=0):
    """RuntimeError where a backward would go through records that are used up, or read values that were overwritten. `low`: below
    that record none is touched."""
    words = tape.all_words
    describe_records(tape)
    over = _overwritten(tape, entries) if _may_differ(tape, entries) else None
    touched, progress = np.empty(start + 1, np.int32), np.array([0, low], np.int64)
    addresses = [0 if array is None else address_of(array) for array in (over, _needs, path, touched, progress)]
    run, by_hosts = sweeps.compiled(sweeps.verify), []
    breaks = sorted((i for i in tape.hosts or () if i <= start), reverse=True)
    try:
        for i in (*breaks, -1):
            status = run(tape.buffers.head_address, start, i + 1, *addresses)
            if status != FINISHED:
                _refuse(tape, status, tape.head[AT], tape.head[OPERAND])
            if i >= 0 and words[i] & TOUCHED and (path is None or path[i] & THROUGH):
                _verify_host(tape, i, tape.hosts[i][0], over)
                for j in tape.hosts[i][0].operands:
                    if not words[j] & TOUCHED:
                        words[j] |= TOUCHED
                        by_hosts.append(j)
                    progress[1] = min(progress[1], j)
            start = i - 1
    finally:
        for j in (*by_hosts, *touched[:progress[0]].tolist()):
            words[j] &= CLEAR


def _verify_host(tape, i, host, over):
    records = host.read()
    if records and host.used:
        _refuse(tape, USED_UP, i, i)
    for j in records:
        if over is not None and over[j] > max(i, j):
            _refuse(tape, OVERWRITTEN, i, j)


def _overwritten(tape, entries):
    """For each record up to which record its value counts as overwritten, 0 where it doesn't."""
    over, ever = np.zeros(tape.n, np.int32), np.iinfo(np.int32).max
    if tape.overwritten:
        over[list(tape.overwritten)] = ever
    for i, target, seen in (*entries[0], *entries[1]):
        if _written_since(target, seen):
            over[i] = ever
    for i, storage, seen in tape.watched or ():
        if storage.version != seen:
            over[i] = ever
    sweeps.compiled(sweeps.overwritten)(tape.buffers.head_address, tape.n, address_of(over), address_of(_views))
    return over


def _refuse(tape, status, at, culprit):
    if status == USED_UP:
        raise RuntimeError(f"backward a second time through {display(tape, at)}: its records were used up by the first, which "
                           "ran without retain_graph=True; call the first one with it, or compute the values again")
    recorded, now = _versions(tape, culprit)
    advice = "write into a clone() instead, or compute a new tensor"
    if _views[tape.all_words[culprit] & CODE_MASK]:      # y[i] = f(y[i - 1])
        advice = "in a loop, collect the values in a list and join them by tapegrad.stack(), or read them through clone()"
    raise RuntimeError(f"{display(tape, at)} needs for its derivative the value of {display(tape, culprit)}, of "
                       f"{int(tape.size(culprit))} elements, as it was at version {recorded}; it was overwritten in place since, "
                       f"and is at version {now}: {advice}{origin(tape, at)}")


def _versions(tape, i):
    """The version of its memory that a record read or made, and the present one."""
    while _views[tape.all_words[i] & CODE_MASK]:
        i = tape.left[i]
    for j, target, seen in (*tape.inputs, *tape.arrays):
        if i == j and not isinstance(target, Link):
            return seen, version(target)
    # Within a tape each version is a record; of the one before, which it replaced, it is the left operand
    words, first = tape.all_words, i
    recorded = 0
    while words[first] & IN_PLACE:
        recorded, first = recorded + 1, tape.left[first]
    recorded += next((seen for j, _, seen in tape.inputs if j == first), 0)
    link = next((target for j, target, _ in tape.inputs if j == i), None)
    now = max(_latest_version(tape, i), _latest_version(link.tape, link.index) if link else 0)
    return recorded, max(now, recorded + 1)


def display(tape, i):
    """The name of a record as grad_fn has it."""
    op = OPS[tape.all_words[i] & CODE_MASK]
    if KINDS[op.code] <= ACTIVE:
        if tape.hosts and i in tape.hosts:
            return tape.hosts[i][0].name
        return "an input" if op.name == "input" else "a constant"
    plan = tape.plans.get(tape.right[i]) if KINDS[op.code] > 3 else None
    return f"{plan.label if plan else op.display}Backward0"


def check_finite(tape, i, keep, search):
    """For detect_anomaly: runs the record `i`; RuntimeError where there is nan in the gradients, or infinity was made."""
    words = tape.all_words
    if not words[i] & TOUCHED or KINDS[words[i] & CODE_MASK] <= ACTIVE:
        return
    incoming = tape.adjoint(i)
    if search.nan and np.isnan(incoming).any():
        raise_anomaly(tape, i, "was given nan as the gradient of its result")
    from .node import operands
    indices = operands(tape, i)
    before = {j: tape.adjoint(j).copy() for j in indices if words[j] & TOUCHED}
    sweep(tape, i, i, keep)
    for j in indices:
        if words[j] & TOUCHED and (made := search.slope_made(tape.adjoint(j), before.get(j), [incoming],
                                                             [tape.peek(k) for k in (*indices, i)])):
            raise_anomaly(tape, i, f"returned {made} as a gradient")


def _read(tape, host):
    return [tape.peek(j) for j in (*host.operands, *host.outputs)]


# Leaves ---------------------------------------------------------------------------------------------------------------

def run_hooks(hooks, gradient):
    """Each hook sees the gradient and may give another one; of its shape, or RuntimeError."""
    for hook in list(hooks.values()):
        result = hook(gradient)
        if result is not None:
            if not isinstance(result, Tensor):
                raise TypeError(f"a hook gave {describe(result)}; it must give a tensor, or None to leave the gradient as it is")
            if result._shape != gradient._shape:
                raise RuntimeError(f"a hook gave shape {result._shape} for a gradient of shape {gradient._shape}; it must give a "
                                   "tensor of that shape, or None to leave it as it is")
            gradient = result
    return gradient


_sums_lock = lock(reentrant=True)            # gradients that several threads add to one leaf are all there in the end


def accumulate(x, array):
    """Adds an array, which the caller gives away, to ``x.grad``."""
    if x._grad is not None:
        settle()                             # records that read the old gradient run first
    with _sums_lock:
        known = x._grad
        if known is None:
            x._grad = wrap(array)
        elif tracked(known):
            x._grad = wrap(np.asarray(known._array() + array))   # without axes, the sum is a number
        else:
            data = known._own
            data += array
            bump(root_of(known))


def deliver(leaf, gradient: Tensor, into_grad=True, recorded=False):
    """Runs the hooks of a leaf and adds to its grad; gives the gradient. What those after that give would be lost: it is an
    error."""
    if leaf._hooks:
        with set_grad_enabled(recorded):
            gradient = run_hooks(leaf._hooks, gradient)
    if into_grad:
        if tracked(gradient):
            with _sums_lock:
                leaf._grad = gradient if leaf._grad is None else leaf._grad + gradient
        else:
            accumulate(leaf, gradient._array() if gradient._own is not None else gradient._array().copy())
        for hook in list((leaf._post_hooks or {}).values()):
            with set_grad_enabled(recorded):
                result = hook(leaf)
            if result is not None and result is not leaf:
                raise (RuntimeError if isinstance(result, Tensor) else TypeError)(
                    f"a post-accumulate-grad hook gives None, and this one gave {describe(result)}; to change the gradient, "
                    "write to x.grad, or use register_hook")
    return gradient
