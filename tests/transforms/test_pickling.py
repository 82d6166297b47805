"""What transforms make of functions is pickled, and does the same in another process."""

import copy
import functools
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.examples.eight_schools import log_density

Q = np.linspace(-1.0, 1.0, 10)
POINTS = np.stack([Q, Q[::-1], Q**2])
TARGET = "import pickle, sys; f, x = pickle.load(sys.stdin.buffer); pickle.dump([f(x) for _ in range(3)], sys.stdout.buffer)"


def scaled(x, factor):
    return log_density(x) * factor


@tg.value_and_grad
@tg.compile
def decorated(x):
    return (x**3).sum()


class Model:
    @tg.grad
    def slope(self, x):
        return x * x


MADE = {
    "compile": (lambda: tg.compile(log_density), Q),
    "grad": (lambda: tg.grad(log_density), Q),
    "value_and_grad of compile": (lambda: tg.value_and_grad(tg.compile(log_density)), Q),
    "vmap": (lambda: tg.vmap(tg.value_and_grad(tg.compile(log_density)), in_axes=0), POINTS),
    "vmap of vmap": (lambda: tg.vmap(tg.vmap(tg.grad(log_density))), POINTS[np.newaxis]),
    "hessian": (lambda: tg.hessian(tg.compile(log_density)), Q),
    "jacfwd of jacrev": (lambda: tg.jacfwd(tg.jacrev(log_density)), Q),
    "checkpoint": (lambda: tg.grad(tg.checkpoint(log_density)), Q),
    "partial": (lambda: tg.grad(tg.compile(functools.partial(scaled, factor=2.0))), Q),
    "tape": (lambda: tg.record(log_density, Q), Q),
    "grad of tape": (lambda: tg.vmap(tg.grad(tg.record(log_density, Q))), POINTS),
}


def same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for x, y in zip(found, expected):
            same(x, y)
    else:
        np.testing.assert_array_equal(found, expected)


def in_another_process(data):
    done = subprocess.run([sys.executable, "-c", TARGET], input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


@pytest.mark.parametrize("name", [name for name in MADE if name != "partial"])
def test_another_process_computes_the_same(name):
    make, x = MADE[name]
    f = make()
    expected = [f(x) for _ in range(3)]
    same(in_another_process(pickle.dumps((f, x))), expected)


@pytest.mark.parametrize("name", MADE)
def test_here(name):
    make, x = MADE[name]
    f = make()
    for again in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        same(again(x), f(x))


def test_keywords_are_kept():
    f = pickle.loads(pickle.dumps(tg.value_and_grad(log_density, argnums=(0,), has_aux=False)))
    same(f(Q), tg.value_and_grad(log_density, argnums=(0,))(Q))


def test_functions_without_a_name_go_by_cloudpickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    factor = 3.0
    f = tg.vmap(tg.value_and_grad(tg.compile(lambda x: (factor * x**2).sum())))
    same(in_another_process(cloudpickle.dumps((f, POINTS))), [f(POINTS)] * 3)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(f)


def test_what_was_decorated_is_found_by_its_name():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert pickle.loads(pickle.dumps(Model.slope)) is Model.slope


def test_what_is_made_is_like_a_function():
    f = tg.grad(log_density)
    assert f.__name__ == "log_density" and f.__doc__ == log_density.__doc__ and f.__wrapped__ is not None
    assert repr(f) == repr(tg.grad(function=log_density)) == "<grad of log_density>"
    assert repr(decorated) == "<value_and_grad of <compiled decorated>>"


def test_a_method_gets_its_object():
    x = tg.tensor(3.0)

    class Weighted(Model):
        @functools.partial(tg.grad, argnums=1)
        def weighted(self, x):
            return self.weight * x * x

    model = Weighted()
    model.weight = 2.0
    assert model.weighted(x).item() == 12.0
