"""Entries: calls of compiled functions that go to machine code at once. Every result is that of the way through Python."""
import gc
import subprocess
import sys
import threading
import tracemalloc
import types

import numpy as np
import pytest

import tapegrad as tg
from tapegrad._jit import JIT, at, callback
from tapegrad._jit.layout import layout
from tapegrad.buffers import address_of
from tapegrad.replay import compiled as compiling
from tapegrad.replay import entry
from tapegrad.replay.entry import OFTEN
from tapegrad.tape import count_modes

pytestmark = pytest.mark.skipif(not JIT or layout() is None, reason="this interpreter has no entries")


@pytest.fixture(autouse=True)
def interpreter(monkeypatch):
    """Entries are made at once where no machine code is to come."""
    monkeypatch.setitem(compiling.TIERS, None, False)


def rosen(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def point(n=2, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=n).astype(dtype)


def often(function, *arguments, **keywords):
    for _ in range(OFTEN + 3):
        result = function(*arguments, **keywords)
    return result


class Python:
    """Counts how often calls of a compiled function go through Python."""

    def __init__(self, compiled):
        self.enter, self.count = compiled.enter, 0
        compiled.enter = self

    def __call__(self, arguments):
        self.count += 1
        return self.enter(arguments)


def ways(f):
    """A compiled function, its transforms and their plain ones."""
    compiled = tg.compile(f)
    return compiled, [(compiled, f), (tg.grad(compiled), tg.grad(f)), (tg.value_and_grad(compiled), tg.value_and_grad(f))]


def same(x, y):
    assert type(x) is type(y) or (np.isscalar(x) and np.isscalar(y)), (x, y)
    if isinstance(x, (tuple, list)):
        assert len(x) == len(y)
        for a, b in zip(x, y):
            same(a, b)
        return
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes(), (x, y)


def close(x, y):
    """A program adds the terms of a gradient in another order."""
    assert type(x) is type(y)
    for a, b in zip(x, y) if isinstance(x, (tuple, list)) else [(x, y)]:
        if isinstance(a, (tuple, list)):
            close(a, b)
        else:
            a, b = np.asarray(a), np.asarray(b)
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_allclose(a, b, 16 * np.finfo(a.dtype).eps)


CASES = {
    "vector": (rosen, lambda seed: (point(2, seed),)),
    "matrix": (lambda x: tg.exp(x).sum(), lambda seed: (point((2, 3), seed),)),
    "0-d array": (lambda x: x ** 3, lambda seed: (np.array(point((), seed)),)),
    "float": (lambda x: tg.sin(x) * x, lambda seed: (float(point(1, seed)[0]),)),
    "float32": (rosen, lambda seed: (point(2, seed, np.float32),)),
    "float32 and float": (lambda x, a: (a * x ** 2).sum(), lambda seed: (point(3, seed, np.float32), float(seed) / 3)),
    "several": (lambda x, a, y: a * (x * y[0]).sum(), lambda seed: (point(3, seed), float(seed), point((1, 3), seed))),
    "one element": (lambda x: x * 3, lambda seed: (point(1, seed),)),
    "empty": (lambda x, y: x.sum() + y, lambda seed: (np.zeros(0), float(seed))),
    "odd size in float32": (lambda x: (x * x).sum(), lambda seed: (point(7, seed, np.float32),)),
    "list": (lambda p: (p[0] * p[1].sum()).sum(), lambda seed: ([point(3, seed), point((2, 2), seed)],)),
    "tuple and list": (lambda p, a, q: p[0] * a[0].sum() + q[0] * p[1], lambda seed: ((1.5, float(seed)), point(2, seed), [2.0])),
    "read where it is": (lambda x, y: (x * y).sum(), lambda seed: (point(5000, seed), point(5000, seed + 1))),
    "long": (lambda x: (tg.sin(x) * x).sum(), lambda seed: (point(20_000, seed),)),
}


@pytest.mark.parametrize("machine", [False, True], ids=["interpreter", "machine"])
@pytest.mark.parametrize("case", CASES)
def test_results(case, machine, monkeypatch):
    monkeypatch.setitem(compiling.TIERS, None, machine)
    monkeypatch.setattr(entry, "TOO_LONG", 10.0)  # a machine that is busy is slow
    f, arguments = CASES[case]
    compiled, pairs = ways(f)
    for function, plain in pairs:
        often(function, *arguments(0))
        passed = Python(compiled)
        for seed in range(1, 5):
            given = arguments(seed)
            if function is compiled:
                expected = passed.enter(given)[1:]
                expected[1].run()
                same(function(*given), compiled.result(*expected, False))
            else:
                close(function(*given), plain(*given))
        assert passed.count == 0
        compiled.enter = passed.enter


@pytest.mark.parametrize("argnums", [1, -1, (0,), (2, 0)])
def test_argnums(argnums):
    f, arguments = CASES["several"]
    compiled = tg.compile(f)
    for transform in (tg.grad, tg.value_and_grad):
        function, plain = transform(compiled, argnums), transform(f, argnums)
        often(function, *arguments(0))
        passed = Python(compiled)
        same(function(*arguments(1)), plain(*arguments(1)))
        assert passed.count == 0


@pytest.mark.parametrize("f", [
    lambda x: (x * 2, x[0]),
    lambda x: (x * 2,),
    lambda x: (x[0], (x * x, (x.sum(), x))),
    lambda x: x.reshape(1, 2) * 3,
    lambda x: x,
    lambda x: [x * 2, (), [x[0]]],
])
def test_values_in_tuples(f):
    compiled, x = tg.compile(f), point()
    expected = compiled(x)
    often(compiled, x)
    passed = Python(compiled)
    same(compiled(x), expected)
    assert passed.count == 0


@pytest.mark.parametrize("f", [lambda x: {"a": x * 2}, lambda x: (x, 3), lambda x: (x, None)])
def test_other_results_stay(f):
    compiled, x = tg.compile(f), point()
    expected, got = f(x), often(compiled, x)
    assert repr(expected) == repr(got)


def test_results_are_fresh():
    both, x = tg.value_and_grad(tg.compile(rosen)), point()
    often(both, x)
    first, second = both(x)[1], both(2 * x)[1]
    kept = first.copy(), second.copy()
    first[:] = 7
    third = both(x)[1]
    assert second.tobytes() == kept[1].tobytes() and third.tobytes() == kept[0].tobytes()
    assert not np.shares_memory(first, third) and third.base is None


class TestOut:
    def prepared(self, f=rosen, n=2):
        compiled, x = tg.compile(f), point(n)
        both = tg.value_and_grad(compiled)
        often(both, x, out=np.empty(n))
        return both, x, tg.value_and_grad(f), Python(compiled)

    def test_is_filled(self):
        both, x, plain, passed = self.prepared()
        out = np.full(2, 9.0)
        value, gradient = both(x, out=out)
        assert gradient is out and passed.count == 0
        same((value, out), plain(x))
        same(both(x), plain(x))
        assert passed.count == 0

    @pytest.mark.parametrize("n", [2, 5000])
    def test_may_be_the_input(self, n):
        both, x, plain, _ = self.prepared(lambda x: (tg.exp(x) * x).sum(), n)
        expected = plain(x)
        value, gradient = both(x, out=x)
        assert gradient is x
        same((value, x), expected)

    def test_may_overlap_the_input(self):
        both, _, plain, _ = self.prepared(lambda x: (tg.exp(x) * x).sum(), 5000)
        memory = point(5001)
        expected = plain(memory[:-1].copy())
        value, gradient = both(memory[:-1], out=memory[1:])
        same((value, gradient.copy()), expected)

    def test_in_another_form(self):
        both, x, plain, _ = self.prepared()
        strided, single, swapped = np.empty(4)[::2], np.empty(2, np.float32), np.empty(2, ">f8")
        for out in (strided, single, swapped):
            assert both(x, out=out)[1] is out
            np.testing.assert_array_equal(out, plain(x)[1].astype(out.dtype))

    def test_errors(self):
        both, x, _, _ = self.prepared()
        for out in (np.empty(3), np.empty((1, 2)), [1, 2], 3.0):
            with pytest.raises(ValueError, match="out= takes an array of the gradient's shape"):
                both(x, out=out)
        fixed = np.zeros(2)
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            both(x, out=fixed)
        assert not fixed.any()

    @pytest.mark.parametrize(("argnums", "arguments"), [((0, 1), (point(), point())), ((0,), (point(), point())),
                                                        (0, ([point()], point()))])
    @pytest.mark.parametrize("transform", [tg.grad, tg.value_and_grad])
    def test_of_another_form(self, transform, argnums, arguments):
        function = transform(tg.compile(lambda x, y: (x[0] * y).sum()), argnums)
        often(function, *arguments)
        with pytest.raises(ValueError, match="out="):
            function(*arguments, out=np.empty(2))

    def test_of_grad_and_several(self):
        f = lambda x, y: (x * y).sum()
        x, y, outs = point(3), point(3, 1), (np.empty(3), np.empty(3))
        slope, slopes = tg.grad(tg.compile(f)), tg.grad(tg.compile(f), (0, 1))
        assert often(slope, x, y, out=outs[0]) is outs[0]
        assert often(slopes, x, y, out=outs) is outs
        assert (outs[0] == y).all() and (outs[1] == x).all()


class Kind(np.ndarray):
    pass


@pytest.mark.parametrize("change", [
    lambda x: x.astype(np.float32),
    lambda x: x.astype(">f8"),
    lambda x: np.repeat(x, 2)[::2],
    lambda x: x[::-1].copy()[::-1],
    lambda x: x.view(Kind),
    lambda x: list(x),
    lambda x: tuple(x.tolist()),
    lambda x: np.append(x, 1.0),
    lambda x: x.reshape(2, 1),
    lambda x: (10 * x).astype(int),
    lambda x: np.frombuffer(x.tobytes()),    # can't be written
    lambda x: np.frombuffer(b"\0" + x.tobytes(), offset=1),      # nor is it aligned
    lambda x: tg.tensor(x),
    lambda x: x.astype(object),
])
@pytest.mark.filterwarnings("ignore:compile runs rosen eagerly")     # of integers
def test_other_arguments(change):
    x = point()
    for function, plain in ways(rosen)[1][1:]:
        often(function, x)
        given = change(x)
        try:
            expected = plain(given)
        except Exception as error:
            with pytest.raises(type(error)):
                function(given)
            continue
        for _ in range(4):
            assert repr(function(given)) == repr(expected)
        same(function(x), plain(x))


@pytest.mark.filterwarnings("ignore:compile runs rosen eagerly")
def test_wrong_calls():
    slope = tg.grad(tg.compile(rosen))
    often(slope, point())
    for arguments in ((), (point(), point()), (None,)):
        with pytest.raises((TypeError, ValueError, IndexError)):
            slope(*arguments)
    same(slope(point()), tg.grad(rosen)(point()))


def test_keywords():
    slope = tg.grad(tg.compile(lambda x, n=2: (x ** n).sum()))
    x = point()
    often(slope, x)
    np.testing.assert_allclose(slope(x, n=3), 3 * x ** 2)
    np.testing.assert_allclose(slope(x), 2 * x)


def test_numbers_of_numpy():
    slope = tg.grad(tg.compile(lambda x: x ** 3))
    often(slope, 2.0)
    assert slope(np.float64(3)) == 27 and slope(3) == 27 and slope(2.0) == 12


def test_other_lists():
    f = lambda p: (p[0] * p[1]).sum()
    slope, plain = tg.grad(tg.compile(f)), tg.grad(f)
    p = [point(2), point(2, 1)]
    often(slope, p)
    same(slope(p), plain(p))
    for other in (tuple(p), [p[0], 2.0], [*p, point()], [p[0], p[1][::-1]], np.array(p), [p[0], [1.0, 2.0]]):
        for _ in range(3):
            assert repr(slope(other)) == repr(plain(other))
    outs = [np.empty(2), np.empty(2)]
    assert slope(p, out=outs) is outs
    same(outs, plain(p))


# Routines ------------------------------------------------------------------------------------------------------------

def squares(places, value):
    """Sum of the squares of two numbers, and its gradient, by the addresses at `places`."""
    slots = at(places, np.int64)
    x, slope = at(slots[0], np.float64), at(slots[1], np.float64)
    if x[0] > 100:
        return np.int64(16) if x[0] < 200 else np.int64(1)
    slope[0] = 2 * x[0]                      # where they overlap, x is damaged from here
    slope[1] = 2 * x[1]
    at(value, np.float64)[0] = x[0] * x[0] + x[1] * x[1]
    return np.int64(0)


@pytest.fixture
def routines(monkeypatch):
    """Functions of two numbers that are entered get the routine above, whatever they compute."""
    address, made = callback(squares, "squares"), []

    def routine(workspace, output=None):
        slots, value = np.zeros(2, np.int64), np.zeros(1)
        made.append(slots)
        return entry.Routine(address, (address_of(slots), address_of(value)), [(False, address_of(slots))],
                             [(True, address_of(value))], [(False, address_of(slots) + 8)], (slots, value))
    monkeypatch.setattr(entry, "interpreted", routine)
    return made


def test_routine_that_takes_addresses(routines):
    compiled, f = tg.compile(rosen), lambda x: (x * x).sum()
    both = tg.value_and_grad(compiled)
    often(both, point())
    assert len(routines) == 1
    results = [both(point(2, seed)) for seed in range(5)]
    for seed, result in enumerate(results):
        same(result, tg.value_and_grad(f)(point(2, seed)))
    out = np.empty(2)
    value, gradient = both(point(), out=out)
    assert gradient is out
    same((value, out), results[0])


def test_routine_does_not_write_into_its_input(routines):
    both, plain = tg.value_and_grad(tg.compile(rosen)), tg.value_and_grad(rosen)
    often(both, point())
    memory = point(3)
    for x, out in ((memory[:2], memory[:2]), (memory[:2], memory[1:]), (memory[1:], memory[:2])):
        expected = plain(x.copy())           # the way through Python
        same(both(x, out=out), (expected[0], out))
        same(out, expected[1])


def test_routine_that_says_no(routines):
    compiled = tg.compile(rosen)
    slope, plain = tg.grad(compiled), tg.grad(rosen)
    often(slope, point())
    passed = Python(compiled)
    other, never = np.array([150.0, 1.0]), np.array([250.0, 1.0])
    same(slope(other), plain(other))
    assert passed.count == 1
    same(slope(point()), 2 * point())
    assert passed.count == 1
    same(slope(never), plain(never))
    same(slope(point()), plain(point()))
    assert passed.count == 3


# What a function refers to -------------------------------------------------------------------------------------------

SCALE = 2.0


def scaled(x, factor=3.0, *, power=1.0):
    return (SCALE * factor * power * x).sum()


def helper(x):
    return 2 * x


def helped(x):
    return helper(x).sum()


class Model:
    bias = 1.0

    def __init__(self):
        self.weight, self.extra = 2.0, {"a": [1.0, 2.0]}

    def __call__(self, x):
        return (self.weight * self.scale() * x).sum() * self.bias * self.extra["a"][1]

    def scale(self):
        return 1.0


class Slots:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 2.0


def changes():
    """(name, function, change) where the change alters the gradient."""
    def with_cell():
        a = 2.0

        def f(x):
            return (a * x).sum()

        def change():
            nonlocal a
            a = 5.0
        return f, change
    yield "cell", *with_cell()

    def emptied():
        a = 2.0

        def f(x):
            try:
                return (a * x).sum()
            except NameError:
                return (7 * x).sum()

        def change():
            nonlocal a
            del a
        return f, change
    yield "emptied cell", *emptied()

    for name, make in {"array": np.array, "tensor": tg.tensor, "integers": lambda x: np.array(x, np.int8)}.items():
        a = make([1.0, 2.0])

        def change(a=a):
            a[1] = 5
        yield name, lambda x, a=a: (x * a).sum(), change
    weights = [1.0, 2.0]
    yield "list", lambda x: (weights[1] * x).sum(), lambda: weights.__setitem__(1, 4.0)
    longer = [1.0, 2.0]
    yield "longer list", lambda x: (sum(longer) * x).sum(), lambda: longer.append(4.0)
    options = {"a": 2.0}
    yield "dict", lambda x: (options["a"] * x).sum(), lambda: options.update(a=4.0)
    counted = {"a": 2.0}
    yield "larger dict", lambda x: (len(counted) * x).sum(), lambda: counted.update(b=4.0)
    ordered = {"a": 2.0, "b": 3.0}
    yield "order", lambda x: (next(iter(ordered.values())) * x).sum(), lambda: ordered.update(a=ordered.pop("a"))
    model = Model()
    yield "attribute", lambda x: model(x), lambda: setattr(model, "weight", 3.0)
    inner = Model()
    yield "inner list", lambda x: inner(x), lambda: inner.extra["a"].__setitem__(1, 9.0)
    shadowed = Model()
    yield "shadowed", lambda x: shadowed(x), lambda: setattr(shadowed, "bias", 9.0)
    empty = type("Empty", (), {"a": 2.0})()
    yield "shadowed without attributes", lambda x: (empty.a * x).sum(), lambda: setattr(empty, "a", 3.0)
    slots = Slots()
    yield "slot", lambda x: (slots.a * x).sum(), lambda: setattr(slots, "a", 3.0)
    unset = Slots()
    yield "unset slot", lambda x: (unset.a * x).sum() * (2 + hasattr(unset, "b")), lambda: setattr(unset, "b", 3.0)
    function = types.FunctionType(scaled.__code__, globals(), "scaled", (3.0,))
    function.__kwdefaults__ = {"power": 1.0}
    yield "defaults", function, lambda: setattr(function, "__defaults__", (4.0,))
    other = types.FunctionType(scaled.__code__, globals(), "scaled", (3.0,))
    other.__kwdefaults__ = {"power": 1.0}
    yield "named defaults", other, lambda: setattr(other, "__kwdefaults__", {"power": 2.0})
    coded = types.FunctionType(rosen.__code__, globals(), "coded")
    yield "code", coded, lambda: setattr(coded, "__code__", (lambda x: x.sum()).__code__)


@pytest.mark.parametrize(("f", "change"), [pytest.param(*case, id=name) for name, *case in changes()])
def test_changes_are_seen(f, change):
    compiled, x = tg.compile(f), point()
    slope, both = tg.grad(compiled), tg.value_and_grad(compiled)
    before = often(slope, x)
    often(both, x)
    often(compiled, x)
    passed = Python(compiled)
    same(slope(x), before)
    assert passed.count == 0, "no entry was made"
    change()
    expected = tg.grad(f)(x)
    assert expected.tobytes() != before.tobytes()
    same(slope(x), expected)
    same(both(x)[1], expected)
    assert compiled(x) == f(x)
    for _ in range(3):
        same(slope(x), expected)


def test_changed_globals_are_seen(monkeypatch):
    slope, x = tg.grad(tg.compile(scaled)), point()
    helped_slope = tg.grad(tg.compile(helped))
    assert (often(slope, x) == 6).all() and (often(helped_slope, x) == 2).all()
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 5.0)
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: 4 * x)
    assert (slope(x) == 15).all() and (helped_slope(x) == 4).all()
    monkeypatch.undo()
    assert (slope(x) == 6).all() and (helped_slope(x) == 2).all()


def test_changed_class_is_seen(monkeypatch):
    model = Model()
    slope, x = tg.grad(tg.compile(lambda x: model(x))), point()
    assert (often(slope, x) == 4).all()
    monkeypatch.setattr(Model, "scale", lambda self: 3.0)
    assert (slope(x) == 12).all()
    monkeypatch.setattr(Model, "bias", 2.0)
    assert (slope(x) == 24).all()


def test_equal_values_in_other_objects_get_an_entry_again():
    weights = [1.5]
    compiled, x = tg.compile(lambda x: (weights[0] * x).sum()), point()
    slope = tg.grad(compiled)
    often(slope, x)
    weights[0] = float("1.5")
    slope(x)
    slope(x)
    passed = Python(compiled)
    assert (slope(x) == 1.5).all() and passed.count == 0


def test_what_is_watched_is_kept():
    def make():
        a, b = np.array([1.0, 2.0]), [["text"]]
        return tg.compile(lambda x: (x * a).sum() if b else x)
    slope, x = tg.grad(make()), point()
    often(slope, x)
    gc.collect()
    junk = [np.full(2, 9.0) for _ in range(100)]
    assert (slope(x) == [1, 2]).all() and junk


@pytest.mark.parametrize("thing", [types.SimpleNamespace(a=2.0), type("Own", (dict,), {"a": 2.0})(), {"a", "b"}])
def test_what_an_entry_cannot_watch_goes_through_python(thing):
    f = lambda x: ((len(thing) if isinstance(thing, set) else thing.a) * x).sum()
    slope = tg.grad(tg.compile(f))
    assert (often(slope, point()) == 2).all()
    thing.add("c") if isinstance(thing, set) else setattr(thing, "a", 3.0)
    assert (slope(point()) == 3).all()


def test_too_much_to_watch_goes_through_python():
    many = [float(k) for k in range(5000)]
    large = np.ones(50_000)
    for f, expected in ((lambda x: (many[3] * x).sum(), 3), (lambda x: (large[3] * x).sum(), 1)):
        slope = tg.grad(tg.compile(f))
        assert (often(slope, point()) == expected).all()
    many[3], large[3] = 4.0, 5.0
    assert (slope(point()) == 5).all()


# Ways, modes, threads ------------------------------------------------------------------------------------------------

def branching(x):
    return (x * x).sum() if x[0] > 0 else (3 * x).sum()


def test_guards():
    compiled, pairs = ways(branching)
    for function, plain in pairs[1:]:
        often(function, np.array([1.0, 2.0]))
        for sign in (1, -1, -1, -1, 1, -1, 1, 1):
            x = sign * np.array([1.0, 2.0])
            same(function(x), plain(x))
    site, = compiled.sites.values()
    assert len(site.paths) == 2


def test_guards_that_python_checks():
    f = lambda x: x[int(np.argmax(x))] * 2
    slope = tg.grad(tg.compile(f))
    often(slope, np.array([1.0, 2.0]))
    assert slope(np.array([3.0, 2.0])).tolist() == [2, 0] and slope(np.array([1.0, 2.0])).tolist() == [0, 2]


def test_replays_are_counted(capsys):
    compiled = tg.compile(rosen)
    slope = tg.grad(compiled)
    for _ in range(500):
        slope(point())
    tg.explain(compiled)
    assert "recorded 2 times, replayed 498 times" in capsys.readouterr().out


def test_a_function_that_is_given_up_is_entered_no_more():
    calls = []

    def f(x):
        calls.append(1)
        return (x * x).sum()
    compiled = tg.compile(f)
    slope, x = tg.grad(compiled), point()
    with pytest.warns(UserWarning, match="eagerly"):
        often(slope, x)
    count = len(calls)
    slope(x)
    assert len(calls) > count

    compiled = tg.compile(rosen)
    slope = tg.grad(compiled)
    often(slope, x)
    site, = compiled.sites.values()
    with pytest.warns(UserWarning, match="reason"):
        compiled._give_up(site, "a reason")
    passed = Python(compiled)
    slope(x)
    assert passed.count


def test_anomalies_are_looked_for():
    compiled = tg.compile(lambda x: tg.sqrt(x).sum())
    both, x = tg.value_and_grad(compiled), point() ** 2
    often(both, x)
    with tg.autograd.detect_anomaly():
        passed = Python(compiled)
        both(x)
        assert passed.count
    passed.count = 0
    both(x)
    assert passed.count == 0


def test_recordings_in_other_threads_are_no_change():
    compiled, x = tg.compile(rosen), point()
    slope = tg.grad(compiled)
    often(slope, x)
    passed = Python(compiled)
    count_modes(1)
    for _ in range(50):
        slope(x)
    count_modes(-1)
    assert passed.count == 50
    slope(x)
    assert passed.count == 50


def test_inside_of_a_recording():
    inner = tg.compile(rosen)
    constant = point()
    often(inner, constant)
    outer = tg.compile(lambda x: (inner(x) + inner(constant)) * x[0])
    slope, expected = tg.grad(outer), tg.grad(lambda x: (rosen(x) + rosen(constant)) * x[0])
    for _ in range(4):
        np.testing.assert_array_equal(slope(point(2, 3)), expected(point(2, 3)))


def test_default_dtype():
    compiled = tg.compile(lambda x: x * tg.tensor(0.1))
    often(compiled, 0.3)
    passed = Python(compiled)
    tg.set_default_dtype(tg.float32)
    try:
        compiled(0.3)
        assert passed.count
    finally:
        tg.set_default_dtype(tg.float64)


@pytest.mark.parametrize("n", [2, 30_000])
def test_threads(n):
    f = lambda x: (tg.sin(x) * x).sum()
    both, slope, plain, wrong = tg.value_and_grad(tg.compile(f)), tg.grad(tg.compile(f)), tg.value_and_grad(f), []
    sets = [[point(n, 10 * k + i) for i in range(5)] for k in range(4)]
    expected = [[plain(x) for x in some] for some in sets]
    often(both, sets[0][0])
    often(slope, sets[0][0])

    def work(k):
        try:
            out = np.empty(n)
            for _ in range(400 if n == 2 else 20):
                for x, (value, gradient) in zip(sets[k], expected[k]):
                    a, b = both(x, out=out)
                    if a != value or b.tobytes() != gradient.tobytes() or slope(x).tobytes() != gradient.tobytes():
                        wrong.append(x)
        except BaseException as error:
            wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_called_by_what_it_calls():
    """The collector of garbage may run Python code whenever something is made."""
    both, x = tg.value_and_grad(tg.compile(rosen)), point()
    expected = tg.value_and_grad(rosen)(x), tg.value_and_grad(rosen)(3 * x)
    often(both, x)
    found = []

    def collected(phase, _):
        found.append(both(3 * x))
    threshold = gc.get_threshold()
    gc.callbacks.append(collected)
    gc.set_threshold(1)
    try:
        results = [both(x) for _ in range(5000)]         # more pairs than Python keeps for reuse
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(collected)
    assert found
    for result in results:
        same(result, expected[0])
    for result in found:
        same(result, expected[1])


# Memory --------------------------------------------------------------------------------------------------------------

def test_references():
    both, compiled = tg.value_and_grad(tg.compile(rosen)), tg.compile(lambda x, a: (x * a, (a,)))
    x, out, wrong, number = point(), np.empty(2), point(3), 2.5
    often(both, x)
    often(compiled, x, number)
    branch = tg.grad(tg.compile(branching))
    often(branch, np.array([1.0, 2.0]))
    enter, = (cell.cell_contents for cell in branch.func.__closure__ if isinstance(cell.cell_contents, types.BuiltinFunctionType))
    broken = (np.array([-1.0, 2.0]),)
    things = [x, out, wrong, number, None, x.dtype, np.float64, np.ndarray, broken, broken[0]]

    def counts():
        return np.array([sys.getrefcount(thing) for thing in things])
    before = counts()
    for _ in range(2000):
        both(x)
        both(x, out=out)
        compiled(x, number)
        assert enter(broken, None) is None
        assert enter((wrong,), None) is None
        assert enter((number,), out) is None
        assert enter((x,), number) is None
        assert enter((), None) is None
    assert abs(counts() - before).max() < 20


def test_memory_stays_flat():
    both, x, out = tg.value_and_grad(tg.compile(rosen)), point(), np.empty(2)
    often(both, x)

    def run():
        for _ in range(30_000):
            both(x)
            both(x, out=out)
        gc.collect()
    tracemalloc.start()
    try:
        run()
        before = tracemalloc.get_traced_memory()[0]
        run()
        assert tracemalloc.get_traced_memory()[0] - before < 4000
    finally:
        tracemalloc.stop()


def test_entries_die_with_their_functions():
    import weakref
    a = np.zeros(2)
    def make():
        b = np.ones(2) + a
        compiled = tg.compile(lambda x: (x * b).sum())
        often(tg.grad(compiled), point())
        return weakref.ref(b)
    reference = make()
    gc.collect()
    assert reference() is None


def test_nothing_of_it_is_imported_before():
    script = "import sys, tapegrad; assert 'tapegrad._jit.entry' not in sys.modules and 'tapegrad._jit.layout' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_where_objects_are_unknown(monkeypatch):
    from tapegrad._jit import layout as module
    monkeypatch.setattr(module, "layout", lambda: None)
    both, x = tg.value_and_grad(tg.compile(rosen)), point()
    often(both, x)
    same(both(x), tg.value_and_grad(rosen)(x))
