"""What a test asks of functions that Python computes: no tangents, several results, and errors of values."""

import numpy as np

import tapegrad as tg

from .derivatives import DIFFERENCES, close, differences, inner, leaf, recorded_gradients, reverse, values_of


def joined(results):
    """Several results as one vector."""
    if isinstance(results, tuple):
        return tg.concatenate([z.reshape(-1) for z in results])
    return results


def check(function, *points, reference=None, second=True, single=True):
    """Values as NumPy's; reverse against differences; recorded against reverse, and its derivatives against differences."""
    rng = np.random.default_rng(21)
    points = [np.asarray(p, float) for p in points]
    if reference is not None:
        check_values(function, points, reference)

    def whole(*tensors):
        return joined(function(*tensors))

    leaves = [leaf(p) for p in points]
    y = whole(*leaves)
    seed = rng.normal(size=y.shape)
    swept = reverse(y, leaves, seed)
    for x, g in zip(leaves, swept):
        assert g.shape == x.shape and g.dtype == x.dtype

    def plain(*arrays):
        return values_of(whole(*map(tg.tensor, arrays)))

    for k in range(len(points)):
        directions = [rng.normal(size=p.shape) if q == k else None for q, p in enumerate(points)]
        left, size = inner([seed], [differences(plain, points, directions)])
        right, _ = inner([swept[k]], [directions[k]])
        close(right, left, DIFFERENCES, 1e-2 + size, f"derivative by operand {k}")
    if second:
        check_second(whole, points, values_of(tg.tensor(seed)), swept, rng)
    if single:
        check_single(whole, points, seed, swept)


def check_values(function, points, reference):
    expected = reference(*points)
    for make in (leaf, tg.tensor):
        found = function(*map(make, points))
        assert isinstance(found, tuple) == isinstance(expected, tuple)
        pairs = zip(found, expected) if isinstance(found, tuple) else [(found, expected)]
        for z, e in pairs:
            close(values_of(z), e, 1e-11, 1e-1, "value")


def check_second(whole, points, seed, swept, rng):
    weights = [rng.normal(size=p.shape) for p in points]
    leaves, start = [leaf(p) for p in points], leaf(seed)
    gradients = recorded_gradients(whole(*leaves), leaves, start)
    for k, g in enumerate(gradients):
        close(values_of(g), swept[k], 1e-10, 1e-1 + np.abs(swept[k]).max(initial=0), f"recorded gradient of operand {k}")
    total = sum((g * w).sum() for g, w in zip(gradients, weights))
    again = tg.autograd.grad(total, [*leaves, start], materialize_grads=True)

    def first(*arrays):
        moved = [leaf(a) for a in arrays[:-1]]
        return inner(reverse(whole(*moved), moved, arrays[-1]), weights)[0]

    everything = [*points, seed]
    for k, g in enumerate(again):
        directions = [rng.normal(size=p.shape) if q == k else None for q, p in enumerate(everything)]
        numeric = differences(first, everything, directions)
        found, size = inner([values_of(g)], [directions[k]])
        close(found, numeric, 10 * DIFFERENCES, 1e-1 + size + abs(first(*everything)), f"second derivative by operand {k}")


def check_single(whole, points, seed, swept):
    leaves = [leaf(p.astype(np.float32), np.float32) for p in points]
    y = whole(*leaves)
    assert y.dtype == np.float32
    for g, expected in zip(reverse(y, leaves, seed.astype(np.float32)), swept):
        assert g.dtype == np.float32
        close(g, expected, 2e-3, 1 + np.abs(expected).max(initial=0), "float32")
