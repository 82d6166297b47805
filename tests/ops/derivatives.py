"""Derivatives of a function of tensors, each by a way of its own, and `check`, which holds them against each other."""

import numpy as np

import tapegrad as tg
from tapegrad.sweeps import TOUCHED
from tapegrad.tape import Link
from tapegrad.transforms.sweeping import sweep_tangents

STEP = 2e-4  # of differences of fourth order: their truncation is about 1e-15, their rounding 1e-12
EXACT = 1e-12
DIFFERENCES = 1e-7
SINGLE = 2e-5


def leaf(values, dtype=np.float64):
    """A leaf of its own memory, laid out as it comes."""
    return tg.tensor(np.asarray(values, dtype), requires_grad=True)


def values_of(x):
    return np.array(x.detach().numpy())


def close(actual, expected, rtol, scale=0.0, message=""):
    """Within rtol of `expected`, or of `scale`, the size of what cancelled on the way there."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"{message}: shape {actual.shape}, not {expected.shape}"
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale, equal_nan=True, err_msg=message)


def reverse(y, leaves, seed):
    """The adjoints of the leaves, by a backward sweep."""
    gradients = tg.autograd.grad(y, leaves, tg.tensor(seed), retain_graph=True, materialize_grads=True)
    return [values_of(g) for g in gradients]


def tangent(y, leaves, directions):
    """The tangent of `y` along directions of the leaves, by sweeps over its tape and those that it has links to."""
    given = {id(x): d for x, d in zip(leaves, directions) if d is not None}
    return _push(y._tape, y._index, given, {}).reshape(y.shape)


def _push(tape, end, given, known):
    """The tangent of a record, flat."""
    key = tape.serial, end
    if key in known:
        return known[key]
    tape.evaluate()
    tape.close()
    assert not tape.hosts
    seeds = []
    for i, target, _ in tape.inputs:
        if i > end:
            continue
        if isinstance(target, Link):
            seeds.append((i, _push(target.tape, target.index, given, known)))
        elif id(target) in given:
            seeds.append((i, np.reshape(given[id(target)], -1)))
    words = tape.buffers.words[: end + 1]
    with tape.buffers.lock:
        tape.buffers.allow_adjoints()
        for i, direction in seeds:
            tape.adjoint(i)[...] = direction
            words[i] |= np.uint16(TOUCHED)
        sweep_tangents(tape, end + 1)
        known[key] = tape.adjoint(end).copy() if words[end] & TOUCHED else np.zeros(int(tape.size(end)), tape.dtype)
        words &= np.uint16(0xFFFF ^ TOUCHED)
        tape.buffers.drop_adjoints()
    return known[key]


def differences(function, points, directions, step=STEP):
    """The derivative of a function of arrays along directions, from values at four points."""

    def at(h):
        moved = [p if d is None else p + h * d for p, d in zip(points, directions)]
        return np.asarray(function(*moved))

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def recorded_gradients(y, leaves, seed):
    """As `reverse`, recorded: tensors that can be differentiated again; `seed` is a tensor."""
    return tg.autograd.grad(y, leaves, seed, create_graph=True, materialize_grads=True)


def inner(left, right):
    """The inner product of two lists of arrays, and the sum of the magnitudes of its terms."""
    terms = np.concatenate([(np.asarray(a, float) * np.asarray(b, float)).reshape(-1) for a, b in zip(left, right)])
    return terms.sum(), np.abs(terms).sum()


def check_first(function, points, active, rng, y_and_leaves=None):
    """Reverse against tangent against differences, for each active operand and for all together."""
    leaves = [leaf(p) for p in points]
    y = function(*leaves)
    seed = rng.normal(size=y.shape)
    adjoints = reverse(y, leaves, seed)
    for x, g in zip(leaves, adjoints):
        assert g.shape == x.shape and g.dtype == x.dtype

    def plain(*arrays):
        return values_of(function(*map(tg.tensor, arrays)))

    groups = [[k] for k in active] + ([active] if len(active) > 1 else [])
    for group in groups:
        directions = [rng.normal(size=p.shape) if k in group else None for k, p in enumerate(points)]
        t = tangent(y, leaves, directions)
        numeric = differences(plain, points, directions)
        close(t, numeric, DIFFERENCES, 1e-2 + np.abs(numeric).max(initial=0), f"tangent along operands {group}")
        left, size_left = inner([seed], [t])
        right, size_right = inner([adjoints[k] for k in group], [directions[k] for k in group])
        close(left, right, EXACT, size_left + size_right, f"<seed, J t> is not <J^T seed, t> in operands {group}")


def check_second(function, points, active, rng):
    """The recorded gradient against the swept one, its derivatives against differences of that and a tangent."""
    leaves = [leaf(p) for p in points]
    y = function(*leaves)
    seed = leaf(rng.normal(size=y.shape))
    swept = reverse(y, leaves, values_of(seed))
    weights = [rng.normal(size=p.shape) for p in points]

    y = function(*leaves)
    gradients = recorded_gradients(y, leaves, seed)
    for k in active:
        close(values_of(gradients[k]), swept[k], EXACT, 1e-2, f"recorded gradient of operand {k}")
    total = None
    for k in active:
        part = (gradients[k] * weights[k]).sum()
        total = part if total is None else total + part
    if total.requires_grad:
        again = tg.autograd.grad(total, [*leaves, seed], materialize_grads=True)
        again = [values_of(g) for g in again]
    else:
        again = [np.zeros(x.shape) for x in [*leaves, seed]]

    # total = <seed, J weights>, so its derivative by the seed is a tangent
    fresh = [leaf(p) for p in points]
    pushed = tangent(function(*fresh), fresh, [weights[k] if k in active else None for k in range(len(points))])
    close(
        again[-1],
        pushed,
        1e-11,
        1e-1 + np.abs(pushed).max(initial=0),
        "derivative of the recorded gradient by its seed",
    )

    def first(*arrays):
        moved = [leaf(a) for a in arrays]
        result = reverse(function(*moved), moved, values_of(seed))
        return inner([result[k] for k in active], [weights[k] for k in active])[0]

    for k in active:
        directions = [rng.normal(size=p.shape) if q == k else None for q, p in enumerate(points)]
        numeric = differences(first, points, directions)
        found, size = inner([again[k]], [directions[k]])
        scale = 1e-1 + size + np.abs(first(*points))
        close(found, numeric, DIFFERENCES, scale, f"second derivative, the last by operand {k}")


def check_single(function, points, active, rng):
    """In float32: dtypes, and values and derivatives close to those in float64."""
    seed = None
    results = []
    for dtype in (np.float32, np.float64):
        leaves = [leaf(np.asarray(p, np.float32), dtype) for p in points]
        y = function(*leaves)
        assert y.dtype == dtype
        seed = rng.normal(size=y.shape).astype(np.float32) if seed is None else seed.astype(dtype)
        adjoints = reverse(y, leaves, seed)
        assert all(g.dtype == dtype for g in adjoints)
        directions = [np.ones(p.shape) if k in active else None for k, p in enumerate(points)]
        t = tangent(y, leaves, directions)
        y = function(*leaves)
        recorded = recorded_gradients(y, leaves, tg.tensor(seed))
        assert all(recorded[k].dtype == dtype for k in active)
        results.append([values_of(y), t, *(adjoints[k] for k in active), *(values_of(recorded[k]) for k in active)])
    for single, double in zip(*results):
        close(single, double, SINGLE, 1 + np.abs(double).max(initial=0), "float32")


def check(function, *points, reference=None, active=None, second=True, single=True):
    """Everything about a function of tensors at smooth points, with NumPy's values where a reference is given.

    `active`: the operands to differentiate by, all by default.
    """
    rng = np.random.default_rng(20)
    points = [np.asarray(p, float) for p in points]
    active = list(range(len(points))) if active is None else list(active)
    recorded = values_of(function(*map(leaf, points)))
    plain = values_of(function(*map(tg.tensor, points)))
    close(recorded, plain, EXACT, 1e-2, "recorded value against the unrecorded one")
    if reference is not None:
        close(recorded, reference(*points), EXACT, 1e-2, "value")
    check_first(function, points, active, rng)
    if second:
        check_second(function, points, active, rng)
    if single:
        check_single(function, points, active, rng)
