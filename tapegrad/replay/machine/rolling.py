"""Finds the loops that a recording has unrolled: runs of records that repeat, with operands that move along.

A record of the body is a *slot*; turn `t` of slot `k` is one record. An operand of a slot is one of

- ``Inside(slot, 0)``: a slot before it, of the same turn;
- ``Inside(slot, d)``: a slot of `d` turns before; `first`: the records that stand for it in the first d turns;
- ``Outside(record)``: the same record in every turn;
- ``Listed(records)``: what entered, another one in every turn;
- ``Along(records)``: vectors that were computed before, another one in every turn.

A slot that reads an element of a vector has its place in each turn in `elements`. Of a loop with `vectors` not all slots are
operations on numbers; where its views begin in each turn is in `offsets`.
"""
from dataclasses import dataclass, field

import numpy as np

from .listing import VIEW, elementwise, strides_of

SHORTEST, TURNS = 24, 3                      # records, and turns, that are worth a loop
LONGEST = 4096                               # records of a body
DEEPEST = 8                                  # turns back that an operand may reach
WIDEST = 8                                   # operands of a record that may be part of one
GRAM = 6                                     # records that are compared to find where something repeats


@dataclass
class Inside:
    slot: int
    back: int
    first: tuple = ()


@dataclass
class Outside:
    record: int


@dataclass
class Listed:
    records: list


@dataclass
class Along:
    records: list


@dataclass
class Roll:
    """`records[t][k]` is turn t of slot k."""
    records: np.ndarray
    operands: list = field(default_factory=list)
    elements: dict = field(default_factory=dict)
    offsets: dict = field(default_factory=dict)
    vectors: bool = False

    @property
    def turns(self):
        return len(self.records)


def rolled(listing, computed):
    """The records to compute, in order, with runs that repeat replaced by a :class:`Roll`."""
    order = np.array(computed, np.int64)
    count = len(order)
    if count < SHORTEST:
        return list(computed)
    tokens = _tokens(listing, computed)
    following = _following(tokens)
    place = np.full(listing.count, -1, np.int64)
    place[order] = np.arange(count)
    refs = _references(listing, computed, place)
    found, at = [], 0
    same: dict = {}
    later: dict = {}                         # period -> where it is tried again
    while at < count:
        roll = _at(listing, order, tokens, following, refs, same, later, at)
        if roll is None:
            found.append(int(order[at]))
            at += 1
        else:
            found.append(roll)
            at += roll.records.size
    return found


def _tokens(listing, computed):
    """A number for each record, the same for records that may be turns of one slot."""
    known, tokens, plans = {}, [], {}
    for i in computed:
        source, code, plan = listing.operands[i], listing.codes[i], listing.plans[i]
        if len(source) > WIDEST:
            key = None, i
        elif is_number(listing, i):
            key = (VIEW, source[0]) if code == VIEW else (code, b"" if plan is None else np.asarray(plan.params).tobytes())
        else:
            if id(plan) not in plans:        # but for where a view begins
                plans[id(plan)] = None if plan is None else (np.shape(plan.params), np.asarray(plan.params).tobytes()) \
                    if code != VIEW else strides_of(plan)[:2]
            key = code, listing.sizes[i], tuple([listing.sizes[j] for j in source]), repr(plans[id(plan)])
        tokens.append(known.setdefault(key, len(known)))
    return np.array(tokens, np.int64)


def is_number(listing, i):
    """Whether a record is an operation on numbers, or reads an element of a vector."""
    if listing.sizes[i] != 1:
        return False
    numbers = all([listing.sizes[j] == 1 for j in listing.operands[i]])
    return listing.element(i) is not None or (numbers and elementwise(listing, i))


def _following(tokens):
    """How far it is from each place to the next where the same records follow; 0 where there is none."""
    count = len(tokens)
    with np.errstate(over="ignore"):
        gram, weight = np.zeros(count, np.uint64), np.uint64(1)
        for k in range(min(GRAM, count)):
            gram[:count - k] += (tokens[k:].astype(np.uint64) + np.uint64(1)) * weight
            weight *= np.uint64(0x9E3779B97F4A7C15)
    order = np.argsort(gram, kind="stable")
    ahead = np.zeros(count, np.int64)
    near = gram[order[1:]] == gram[order[:-1]]
    ahead[order[:-1][near]] = (order[1:] - order[:-1])[near]
    return ahead


def _references(listing, computed, place):
    """Two arrays, by record and operand: the place in the order of what is computed, otherwise -2 - the record's number; and -1
    where there is no operand."""
    refs = np.full((len(computed), WIDEST), -1, np.int64)
    for n, i in enumerate(computed):
        for q, j in enumerate(listing.operands[i][:WIDEST]):
            refs[n, q] = place[j] if place[j] >= 0 else -2 - j
    return refs


def _at(listing, order, tokens, following, refs, same, later, at):
    """The loop that begins at a place, or None: the one with most records, of those about equal the one with most turns."""
    found, period, seen = [], 0, at
    for _ in range(6):                       # the next places where it begins again
        step = int(following[seen])
        if step == 0 or period + step > LONGEST:
            break
        period, seen = period + step, seen + step
        turns = _turns(tokens, same, at, period)
        if turns >= TURNS and turns * period >= SHORTEST:
            found.append((turns, period))
    most = max([turns * period for turns, period in found], default=0)
    for turns, period in sorted(found, key=lambda pair: (1.5 * pair[0] * pair[1] <= most, pair[1])):
        if at >= later.get(period, 0):
            roll = _roll(listing, order, refs, at, turns, period)
            if roll is not None:
                return roll
            later[period] = at + max(period // 4, 1)
    return None


def _turns(tokens, same, at, period):
    """How often the records from a place on are repeated."""
    if period not in same:
        differ = np.flatnonzero(tokens[period:] != tokens[:-period])
        same[period] = differ
    differ = same[period]
    k = np.searchsorted(differ, at)
    end = int(differ[k]) if k < len(differ) else len(tokens) - period
    return (end - at) // period + 1


def _roll(listing, order, refs, at, turns, period):
    """The loop, over as many turns as its operands move along; None where these are too few."""
    while turns >= TURNS and turns * period >= SHORTEST:
        block = refs[at:at + turns * period].reshape(turns, period, -1)
        records = order[at:at + turns * period].reshape(turns, period)
        roll, most = Roll(records), turns
        for k in range(period):
            slot = []
            for q in range(block.shape[2]):
                if block[0, k, q] == -1:
                    continue
                operand, held = _operand(order, listing, block[:, k, q], at, period)
                most = min(most, held)
                if most < TURNS or most * period < SHORTEST:
                    return None
                slot.append(operand)
            roll.operands.append(slot)
            column = records[:, k].tolist()
            roll.vectors = roll.vectors or not is_number(listing, column[0])
            if listing.element(column[0]) is not None:
                roll.elements[k] = [listing.element(i) for i in column]
            elif listing.codes[column[0]] == VIEW:
                roll.offsets[k] = [strides_of(listing.plans[i])[2] for i in column]
        if most == turns:
            return roll
        turns = most
    return None


def _operand(order, listing, found, at, period):
    """What an operand is, and for how many turns that holds."""
    turns = len(found)

    def record(ref):
        return int(order[ref]) if ref >= 0 else -2 - int(ref)
    if found[0] < at and (found == found[0]).all():
        return Outside(record(found[0])), turns
    if (found <= -2).all():
        records = [record(ref) for ref in found]
        good = [listing.is_constant(i) and listing.sizes[i] == listing.sizes[records[0]] for i in records]
        if all(good):
            return Listed(records), turns
    moving = found - period * np.arange(turns)
    for back in range(min(DEEPEST, turns - 1) + 1):
        slot = int(moving[back]) - at + back * period
        if 0 <= slot < period and (found[:back] < at).all():
            other = np.flatnonzero(moving[back:] != moving[back])
            return (Inside(slot, back, tuple([record(ref) for ref in found[:back]])),
                    back + int(other[0]) if len(other) else turns)
    if ((found >= 0) & (found < at)).all():
        records = [record(ref) for ref in found]
        size = listing.sizes[records[0]]
        if size > 1 and all([listing.sizes[i] == size for i in records]):
            return Along(records), turns
    other = np.flatnonzero(found != found[0])
    return Outside(record(found[0])), int(other[0]) if len(other) else turns
