"""Whatever a user gives as an index, a size or an array to write into: it is checked before it reaches a tape."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.tensor.core import Tensor

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore:compile runs")

REFUSED = (IndexError, ValueError, TypeError, OverflowError, RuntimeError, MemoryError)
F = tg.nn.functional
X = np.arange(12.0).reshape(4, 3) + 1


def leaf(x=X):
    return tg.tensor(x, requires_grad=True)


def column(i):
    """Indices for functions that take one for each of some elements."""
    return np.array([[0, 0, i]]) if not isinstance(i, np.ndarray) else i.reshape(1, -1)


# What takes an index along the first axis of X, as a function of (x, index).
BY_INDEX = {
    "[i]": lambda x, i: x[i],
    "[i, 1]": lambda x, i: x[i, 1],
    "[[0, i]]": lambda x, i: x[[0, i]],
    "[i] = v": lambda x, i: written(x, i),
    "[[0, i]] = v": lambda x, i: written(x, [0, i]),
    "take": lambda x, i: tg.take(x, [0, i], axis=0),
    "tnp.take": lambda x, i: tg.numpy.take(x, [0, i], axis=0),
    "index_select": lambda x, i: tg.index_select(x, 0, tg.tensor([0, i])),
    "gather": lambda x, i: tg.gather(x, 0, tg.tensor(column(i))),
    "take_along_dim": lambda x, i: tg.take_along_dim(x, column(i), 0),
    "take_along_axis": lambda x, i: tg.take_along_axis(x, column(i), 0),
    "put_along_axis": lambda x, i: put_along(x * 1.0, column(i), x[:1] * 2),
    "index_add": lambda x, i: tg.index_add(x, 0, tg.tensor([0, i]), x[:2]),
    "index_copy": lambda x, i: tg.index_copy(x, 0, tg.tensor([0, i]), x[:2]),
    "index_fill": lambda x, i: tg.index_fill(x, 0, tg.tensor([0, i]), 2.0),
    "index_put": lambda x, i: tg.index_put(x, (tg.tensor([0, i]),), x[:2]),
    "index_put, added": lambda x, i: tg.index_put(x, (tg.tensor([0, i]),), x[:2], accumulate=True),
    "scatter": lambda x, i: tg.scatter(x, 0, tg.tensor(column(i)), x),
    "scatter_add": lambda x, i: tg.scatter_add(x, 0, tg.tensor(column(i)), x),
    "scatter_reduce": lambda x, i: tg.scatter_reduce(x, 0, tg.tensor(column(i)), x, "prod"),
    "select": lambda x, i: tg.select(x, 0, i),
    "select_scatter": lambda x, i: tg.select_scatter(x, x[0], 0, i),
    "narrow": lambda x, i: tg.narrow(x, 0, i, 1),
    "nll_loss": lambda x, i: F.nll_loss(x.T[:2], tg.tensor([0, i])),
    "cross_entropy": lambda x, i: F.cross_entropy(x.T[:2], tg.tensor([0, i])),
    "one_hot": lambda x, i: F.one_hot(tg.tensor([0, i]), 4) @ x,
    "choose": lambda x, i: tg.choose(np.array([0, 1, i]), [x[0], x[1], x[2], x[3]]),
    "compiled": lambda x, i: tg.compile(lambda x: x[i] * 2)(x),
    "compiled, an array": lambda x, i: tg.compile(lambda x, k: x[k] * 2)(x, np.array([0, i])),
    "vmap": lambda x, i: tg.vmap(lambda x: x[i], in_axes=1)(x),
    "grad": lambda x, i: tg.grad(lambda x: x[i].sum())(x),
    "record": lambda x, i: tg.record(lambda x: x[i].sum(), x.detach().numpy())(x.detach().numpy()),
}
FLAT = {
    "take": lambda x, i: tg.take(x, [0, i]),
    "put": lambda x, i: tg.put(x, tg.tensor([0, i]), x[0, :2]),
    "unravel": lambda x, i: x[np.unravel_index(i, x.shape)],
}
OUTSIDE = [4, -5, 2**31, 2**32, -(2**31) - 1, 2**62, 2**63 - 1, -(2**63)]
NO_INDICES = [2**63, 2**64, -(2**63) - 1, 1.0, np.nan, np.inf, 1j, "1", object()]


def written(x, i):
    y = x * 1.0
    y[i] = x[1] * 2.0
    return y


def put_along(x, i, source):
    tg.put_along_axis(x, i, source, 0)
    return x


def values(found):
    return found.detach().numpy() if isinstance(found, Tensor) else np.asarray(found)


def swept(f, x):
    """The value, and its gradient: an index that came through would be used."""
    y = f(x)
    if isinstance(y, Tensor) and y.requires_grad:
        y.sum().backward()
    return values(y)


@pytest.mark.parametrize("name", BY_INDEX)
def test_indices_along_an_axis(name):
    f = BY_INDEX[name]
    if "one_hot" not in name and "cross" not in name and "nll" not in name and name != "choose":
        swept(lambda x: f(x, 3), leaf())  # the last one is inside
    for i in OUTSIDE:
        if name in ("nll_loss", "cross_entropy") and i == -100:
            continue
        with pytest.raises(REFUSED):
            swept(lambda x, i=i: f(x, i), leaf())
    for i in NO_INDICES:
        with pytest.raises(REFUSED):
            swept(lambda x, i=i: f(x, i), leaf())


@pytest.mark.parametrize("name", FLAT)
def test_indices_of_elements(name):
    f = FLAT[name]
    swept(lambda x: f(x, 11), leaf())
    for i in [12, -13, *OUTSIDE[2:]]:
        with pytest.raises(REFUSED):
            swept(lambda x, i=i: f(x, i), leaf())


@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 3], ">i8"),
        np.array([0, 3], "<i2"),
        np.array([3, 0], np.uint64),
        np.array([0, 3, 9, 9])[:2],
        np.arange(4)[::-2],
        np.array([[0, 1], [2, 3]]).T,
        np.zeros((0, 2), int),
        np.array([True, False, True, True]),
        np.frombuffer(b"\0\1" * 8, np.uint8)[::7],
        slice(None, None, 2**62),
        slice(-(2**70), 2**70, 3),
        slice(3, None, -(2**63)),
        (Ellipsis, np.array([0, 2], ">i4")),
        (slice(None), None, np.array(1)),
    ],
    ids=range(14),
)
def test_odd_indices_are_numpys(index):
    x = leaf()
    found = x[index]
    np.testing.assert_array_equal(values(found), X[index])
    (found * found).sum().backward()
    slopes = np.zeros_like(X)
    np.add.at(slopes, index, 2 * X[index])
    np.testing.assert_array_equal(x.grad.numpy(), slopes)
    y = leaf() * 1.0
    y[index] = 7.0
    expected = X.copy()
    expected[index] = 7.0
    np.testing.assert_array_equal(values(y), expected)


def test_an_index_that_is_changed_afterwards_was_copied():
    index, mask, x = np.array([0, 3]), np.array([True, False, False, True]), leaf()
    y = x[index] * 2 + x[mask] + tg.take(x, index, axis=0)
    z = x * 1.0
    z[index] = x[1:3]
    w = tg.index_add(x, 0, tg.from_numpy(index), x[:2])
    index[:], mask[:] = 2**40, False
    np.testing.assert_array_equal(values(y), X[[0, 3]] * 4)
    (y.sum() + z.sum() + w.sum()).backward()
    np.testing.assert_array_equal(x.grad.numpy()[:, 0], [6.0, 4.0, 3.0, 5.0])


@pytest.mark.filterwarnings("ignore:compile runs")
def test_a_compiled_function_whose_index_changes():
    index = np.array([0, 3])
    of_argument, closed = tg.compile(lambda x, i: x[i].sum()), tg.compile(lambda x: x[index].sum())
    by_value = tg.compile(lambda x: x[int(x[0, 0])].sum())
    for _ in range(4):
        assert float(of_argument(X, index)) == float(closed(X)) == X[[0, 3]].sum()
        assert float(by_value(X)) == X[1].sum()
    index[1] = 1
    assert float(of_argument(X, index)) == float(closed(X)) == X[[0, 1]].sum()
    for wrong in (4, -5, 2**40):
        index[1] = wrong
        for f in (lambda: of_argument(X, index), lambda: closed(X), lambda: tg.grad(closed)(X)):
            with pytest.raises(IndexError):
                f()
        with pytest.raises(IndexError):
            by_value(np.where(X == 1, float(wrong), X))
    index.resize(3, refcheck=False)
    index[:] = 0, 1, 2
    assert float(closed(X)) == X[:3].sum()


SIZES = {
    "zeros": lambda n: tg.zeros(n),
    "zeros, two": lambda n: tg.zeros((n, 4)),
    "eye": lambda n: tg.eye(n),
    "expand": lambda n: leaf().sum().expand(n, n) + 1,
    "broadcast_to": lambda n: tg.broadcast_to(leaf(), (n, 4, 3)) * 2,
    "repeat": lambda n: leaf().repeat(n),
    "repeat, each": lambda n: tg.repeat(leaf(), np.array([1, 1, 1, n]), axis=0),
    "repeat_interleave": lambda n: tg.repeat_interleave(leaf(), n, 0),
    "tile": lambda n: tg.tile(leaf(), (n, 1)),
    "pad": lambda n: tg.pad(leaf(), ((n, 0), (0, 0))),
    "reshape": lambda n: leaf().reshape(n, 3),
    "unfold": lambda n: tg.unfold(leaf(), 0, n, 1),
    "sliding_window_view": lambda n: tg.sliding_window_view(leaf(), n, axis=0),
    "split": lambda n: tg.split(leaf(), [n, 4 - n]),
    "narrow": lambda n: tg.narrow(leaf(), 0, 0, n),
    "one_hot": lambda n: F.one_hot(tg.tensor([0, 5]), n),
    "linspace": lambda n: tg.linspace(0.0, 1.0, n),
    "bincount": lambda n: tg.bincount(tg.tensor([0, n])),
    "fft": lambda n: tg.fft.rfft(leaf(), n=n),
    "vander": lambda n: tg.vander(leaf()[0], n) if hasattr(tg, "vander") else tg.zeros(n),
    "matrix_power": lambda n: tg.linalg.matrix_power(leaf(X[:2]), n),
    "permute": lambda n: leaf().permute(n, 0),
    "sum": lambda n: leaf().sum(n),
    "cumsum": lambda n: tg.cumsum(leaf(), n),
    "concatenate": lambda n: tg.concatenate([leaf(), leaf()], axis=n),
    "stack": lambda n: tg.stack([leaf(), leaf()], n),
    "diagonal_scatter": lambda n: tg.diagonal_scatter(leaf(), leaf()[0], n),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_that_are_none(name):
    for n in (-7, 2**62, 2**63 - 1, 2**63, 2**64 + 2, 1.5, np.nan, "3"):
        if name in ("matrix_power",) and isinstance(n, int) and n > 0:
            continue
        with pytest.raises(REFUSED):
            print(n, swept(lambda _, n=n: SIZES[name](n), None))


def test_sizes_whose_product_overflows():
    for shape in ((2**32, 2**32), (2**32, 2**31, 2), (2**62, 4), (3, 2**62)):
        for f in (tg.zeros, tg.empty, lambda s: leaf().sum().expand(s), lambda s: tg.broadcast_to(leaf()[0, 0], s) * 2):
            with pytest.raises(REFUSED):
                f(shape).sum().item()
    empty = tg.broadcast_to(tg.tensor(2.0, requires_grad=True), (2**20, 0, 2**20))
    assert (empty * 2).sum().item() == 0.0
    with pytest.raises(MemoryError, match="has no place on a tape"):
        tg.tensor(np.ones(3), requires_grad=True).expand(2**40, 3) * 2
    assert tg.grad(lambda x: (x * x).sum())(X).sum() == 2 * X.sum()  # what can't be computed concerns nothing else


# Arrays to write into, and inputs of another form -----------------------------------------------------------------------


def wrong_outputs():
    yield np.empty((3, 4))
    yield np.empty(12)
    yield np.empty((4, 3), int)
    yield np.empty((4, 3), bool)
    yield [[0.0] * 3] * 4
    readonly = np.empty((4, 3))
    readonly.flags.writeable = False
    yield readonly


@pytest.mark.parametrize("tier", ["machine", "interpreter"])
def test_outputs_of_another_form(tier):
    """Refused, or right: also where it is not contiguous, not aligned, or shares memory with an argument."""
    both = tg.value_and_grad(tg.compile(lambda x: (x * x * x).sum(), tier=tier))
    wanted = 3 * X * X
    for _ in range(4):
        both(X, out=np.empty_like(X))
    for out in wrong_outputs():
        with pytest.raises((ValueError, TypeError)):
            both(X, out=out)
    raw = np.zeros(X.nbytes + 1, np.uint8)
    x = X.copy()
    overlapping = np.concatenate([X.ravel(), np.zeros(3)])
    for given, out in (
        (X, np.empty((8, 3))[::2]),
        (X, np.empty((4, 3), np.float32)),
        (X, np.empty((4, 3), ">f8")),
        (X, np.empty((4, 3), object)),
        (X, np.empty((3, 4)).T),
        (X, np.empty((4, 3))[::-1]),
        (X, raw[1:].view(np.float64).reshape(4, 3)),
        (x, x),
        (overlapping[:12].reshape(4, 3), overlapping[3:].reshape(4, 3)),
        (np.asfortranarray(X), np.empty((4, 3))),
        (X[::-1][::-1], np.empty((4, 3))),
    ):
        try:
            value, gradient = both(given, out=out)
        except (ValueError, TypeError):
            continue
        assert value == (X**3).sum()
        np.testing.assert_array_equal(gradient, wanted)
        np.testing.assert_array_equal(out, wanted)


def odd_inputs():
    yield X.astype(">f8")
    yield np.asfortranarray(X)
    yield np.concatenate([X, X])[::2][:0:-1][::-1]
    yield X[::-1, ::-1]
    yield np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(4, 3)
    yield np.broadcast_to(X[0], (4, 3))
    yield np.ma.masked_array(X)
    yield X.view(np.matrix) if hasattr(np, "matrix") else X


def test_inputs_of_any_layout():
    def f(x):
        return (tg.sin(x) * x).sum()

    fast = tg.compile(f, tier="machine")
    for _ in range(3):
        tg.grad(fast)(X)
    for x in odd_inputs():
        if isinstance(x, (np.ma.MaskedArray, np.matrix)):
            continue
        plain = np.array(x, np.float64)
        for g in (f, fast):
            for _ in range(3):
                value, slope = tg.value_and_grad(g)(x)
                np.testing.assert_allclose(value, (np.sin(plain) * plain).sum(), rtol=1e-14)
                np.testing.assert_allclose(slope, np.cos(plain) * plain + np.sin(plain), rtol=1e-14)
        w = tg.tensor(x.astype(np.float64) if x.dtype != np.float64 else x, requires_grad=True)
        f(w).backward()
        np.testing.assert_allclose(w.grad.numpy(), np.cos(plain) * plain + np.sin(plain), rtol=1e-14)


def test_a_tape_is_run_with_its_own_shapes_alone():
    tape = tg.record(lambda x, y: (x * y).sum(), X, X[0])
    value, pull = tape.vjp(X, X[0])
    assert value == (X * X[0]).sum()
    for wrong in ((X[:2], X[0]), (X, X), (X,), (X, X[0], X[0]), (X.astype(np.float32), X[0]), (X.T, X[0]), (X, 1.0), ("x", X[0])):
        for run in (tape.forward, tape.vjp, lambda *given: tape.jvp(given, given)):
            with pytest.raises((ValueError, TypeError, NotImplementedError)):
                run(*wrong)
    for wrong in (np.ones(3), np.ones((1, 1, 2)), None):
        with pytest.raises((ValueError, TypeError)):
            pull(wrong)
    for wrong in ((X[:2], X[0]), (X,), (X, X), (X, X[0], X[0])):
        with pytest.raises((ValueError, TypeError)):
            tape.jvp((X, X[0]), wrong)


def test_memory_that_is_written_or_moved_after_recording():
    """What was recorded is computed with what the array held, and a graph never reads memory that is gone."""
    a = X.copy()
    w = leaf()
    y = (w * a).sum()
    a[:] = np.nan
    assert y.item() == (X * X).sum()
    b = X.copy()
    z = (w * b).sum()
    b.resize((100, 100), refcheck=False)
    b.resize((1, 1), refcheck=False)
    assert z.item() == (X * X).sum()
    (y + z).backward()
    np.testing.assert_array_equal(w.grad.numpy(), 2 * X)
    shared = tg.from_numpy(c := X.copy())
    u = (w * shared).sum()
    c *= 2  # it is shared, as in PyTorch: a derivative that needs it may say so, and is never another
    assert u.item() == (X * X).sum()
