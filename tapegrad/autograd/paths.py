"""Which records are on the way from the inputs that a gradient is wanted of: only these run hooks and Functions, and
only these are used up, where ``inputs`` are given.

A *path* is a byte for each record of a tape: WANTED, THROUGH where a gradient goes on to what is wanted, or 0. A tape
all of whose inputs are wanted has none, since everything on it is on the way.
"""
import numpy as np

from .. import sweeps
from ..buffers import address_of
from ..sweeps import THROUGH, WANTED
from ..tape import Link


def paths_to(inputs, outputs):
    """The paths from `inputs` on the tapes that `outputs` were computed on, by the serial of the tape."""
    leaves = {id(x) for x in inputs if x._own is not None}
    captured: dict = {}
    for x in inputs:
        if x._own is None:
            captured.setdefault(x._tape.serial, []).append(x._index)
    paths: dict = {}
    for tape in tapes_of(outputs):
        wanted, complete = captured.get(tape.serial, []).copy(), not captured.get(tape.serial)
        for i, target, _ in tape.inputs:
            if isinstance(target, Link):
                path = paths.get(target.tape.serial)
                there = path is None or path[target.index]
            else:
                there = id(target) in leaves
            if there:
                wanted.append(i)
            else:
                complete = False
        if not complete:
            paths[tape.serial] = _path(tape, wanted)
    return paths


def sources(outputs, since=0):
    """What some tensors were computed from: leaves that require grad, and links to records of tapes older than number `since`."""
    waiting: dict = {}                       # serial -> (tape, records)
    for x in outputs:
        if x._own is None:
            waiting.setdefault(x._tape.serial, (x._tape, set()))[1].add(x._index)
    found: dict = {}
    while waiting:
        tape, records = waiting.pop(max(waiting))
        tape.evaluate()
        seen = np.zeros(tape.n, np.uint8)
        seen[list(records)] = 1
        reached = set(tape.reached(max(records), seen))
        for i, target, _ in tape.inputs:
            if i not in reached:
                continue
            if not isinstance(target, Link):
                found[id(target)] = target
            elif target.tape.serial < since:
                found[target.tape.serial, target.index] = target
            else:
                waiting.setdefault(target.tape.serial, (target.tape, set()))[1].add(target.index)
    return list(found.values())


def tapes_of(outputs):
    """The tapes of some tensors and all that they lead to, from the oldest."""
    waiting = [x._tape for x in outputs if x._own is None]
    found = {}
    while waiting:
        tape = waiting.pop()
        if tape.serial not in found:
            found[tape.serial] = tape
            waiting.extend(target.tape for _, target, _ in tape.inputs if isinstance(target, Link))
    return [found[serial] for serial in sorted(found)]


def _path(tape, wanted):
    path = np.zeros(tape.n, np.uint8)
    path[wanted] = WANTED
    run = sweeps.compiled(sweeps.paths)
    start = 0
    for i, (host, _) in sorted((tape.hosts or {}).items()):
        run(tape.buffers.head_address, start, i, address_of(path))
        if path[host.operands].any():
            path[i] |= THROUGH
        start = i
    run(tape.buffers.head_address, start, tape.n, address_of(path))
    return path
