"""tapegrad.numpy: NumPy's names, for arrays and for Tensors."""

import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp


def leaf(value):
    return tg.tensor(value, requires_grad=True)


class TestNames:
    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [(tnp, np), (tnp.linalg, np.linalg), (tnp.fft, np.fft), (tnp.random, np.random)],
        ids=["numpy", "linalg", "fft", "random"],
    )
    def test_all_of_numpys_are_there(self, ours, theirs):
        assert [name for name in theirs.__all__ if not (hasattr(ours, name) or name.startswith("__"))] == []

    def test_constants_types_and_settings_are_numpys(self):
        for name in ("pi", "inf", "newaxis", "float64", "int32", "ndarray", "errstate", "random", "r_", "finfo", "integer"):
            if name != "random":
                assert getattr(tnp, name) is getattr(np, name)

    def test_submodules_can_be_imported(self):
        code = "import tapegrad.numpy.linalg as la, tapegrad.numpy.random as r, tapegrad.numpy.fft as f; la.inv, r.randn, f.fft"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_functions_can_be_pickled(self):
        for function in (tnp.exp, tnp.sum, tnp.linalg.inv, tnp.array):
            assert pickle.loads(pickle.dumps(function)) is function

    def test_functions_look_like_numpys(self):
        import inspect

        assert inspect.signature(tnp.sum) == inspect.signature(np.sum)
        assert tnp.sum.__doc__ == np.sum.__doc__ and tnp.exp.__name__ == "exp"
        assert tnp.add.reduce([1, 2]) == 3 and tnp.exp.nin == 1


ARRAYS_IN = [
    lambda n: n.exp(np.ones(3)),
    lambda n: n.sum(np.ones((2, 3)), axis=1),
    lambda n: n.sum([1.0, 2.0]),
    lambda n: n.array([1, 2]),
    lambda n: n.concatenate(([1.0], [2.0])),
    lambda n: n.dot([1.0, 2.0], [3.0, 4.0]),
    lambda n: n.where([True, False], 1.0, 2.0),
    lambda n: n.linalg.inv(np.eye(2)),
    lambda n: n.fft.fft([1.0, 2.0]),
    lambda n: n.arange(3),
    lambda n: n.linspace(0, 1, 5),
    lambda n: n.zeros_like(np.ones(3)),
    lambda n: n.full(2, 3.0),
    lambda n: n.asarray([1, 2], dtype=float),
    lambda n: n.einsum("i,i", [1.0], [2.0]),
    lambda n: n.meshgrid([1, 2], [3, 4]),
    lambda n: n.unique([3, 1, 3], return_counts=True),
    lambda n: n.linalg.slogdet(np.eye(2)),
    lambda n: n.stack([np.ones(2), np.zeros(2)], axis=1),
    lambda n: n.max([[1, 2], [3, 4]], axis=0, keepdims=True),
    lambda n: n.add(1, 2),
    lambda n: n.add([1, 2], 3, out=np.zeros(2)),
    lambda n: n.fromiter([1, 2], float),
    lambda n: n.ascontiguousarray([1.0]),
    lambda n: n.histogram([1.0, 2.0, 2.5], bins=2),
    lambda n: n.interp(0.5, [0, 1], [2, 3]),
    lambda n: n.array("text"),
    lambda n: n.exp(1j),
]


@pytest.mark.parametrize("call", ARRAYS_IN)
def test_arrays_in_arrays_out(call):
    ours, theirs = call(tnp), call(np)
    assert type(ours) is type(theirs)
    for a, b in zip(*(r if isinstance(r, (tuple, list)) else (r,) for r in (ours, theirs))):
        assert type(a) is type(b) and np.array_equal(a, b)


# Functions of lists that hold tensors, and numbers beside them
OF_LISTS = [
    lambda n, x, y: n.array([x, y * 2]),
    lambda n, x, y: n.array([[x, 1.0], [y, x * y]]),
    lambda n, x, y: n.array((x, 2, y), dtype=float),
    lambda n, x, y: n.asarray([x, y]),
    lambda n, x, y: n.sum([x, y]),
    lambda n, x, y: n.max([x, 1.0, y]),
    lambda n, x, y: n.dot([x, y], [2.0, 3.0]),
    lambda n, x, y: n.dot([2.0, 3.0], [x, y]),
    lambda n, x, y: n.exp([x, y]),
    lambda n, x, y: n.add([x, y], [1.0, 2.0]),
    lambda n, x, y: n.add([1.0, 2.0], [x, y]),
    lambda n, x, y: n.concatenate([[x], [y, 1.0]]),
    lambda n, x, y: n.hstack([x, 1.0, y]),
    lambda n, x, y: n.vstack([[x, y], [1.0, x]]),
    lambda n, x, y: n.stack([x, y, 2.0]),
    lambda n, x, y: n.linalg.norm([x, y]),
    lambda n, x, y: n.linalg.det([[x, 1.0], [0.5, y]]),
    lambda n, x, y: n.where([True, False], [x, y], 0.0),
    lambda n, x, y: n.mean([[x, y], [y, 1.0]], axis=0),
    lambda n, x, y: n.outer([x, y], [1.0, 2.0]),
    lambda n, x, y: n.einsum("i,i", [x, y], [2.0, 3.0]),
    lambda n, x, y: n.prod((x, y)),
    lambda n, x, y: n.sum(a=[x, y]),
    lambda n, x, y: n.cumsum([x, y, x]),
    lambda n, x, y: n.column_stack(([x, 1.0], [y, 2.0])),
    lambda n, x, y: n.diag([x, y]),
    lambda n, x, y: n.full(3, x) * y,
    lambda n, x, y: n.linspace(x, y, 4),
    lambda n, x, y: n.block([[x, y], [y, 1.0]]),
    lambda n, x, y: n.array(x, ndmin=2) * y,
    lambda n, x, y: n.asarray(x) * y,
    lambda n, x, y: n.ascontiguousarray(x) * y,
    lambda n, x, y: n.fromiter([x, y], float),
    lambda n, x, y: n.array([x, np.float64(2.0), np.array(3.0), y]),
    lambda n, x, y: n.polyval([x, y, 1.0], 2.0),
    lambda n, x, y: n.clip([x, 5.0], 0.0, y * 10),
    lambda n, x, y: n.append([x, y], [1.0]),
    lambda n, x, y: n.var([x, y, 1.0]),
    lambda n, x, y: n.broadcast_arrays([x, y], [[1.0], [2.0]])[0],
    lambda n, x, y: n.select([[True, False], [False, True]], [[x, y], [y, x]]),
    lambda n, x, y: n.linalg.multi_dot([[x, y], [[x, 1.0], [y, 2.0]], [1.0, 2.0]]),
    lambda n, x, y: n.gradient([x, y, x * y]),
    lambda n, x, y: n.interp(x, [0.0, 1.0, 2.0], [y, 2.0, x]),
    lambda n, x, y: n.trapezoid([x, y, 1.0]) if hasattr(n, "trapezoid") else n.trapz([x, y, 1.0]),
    lambda n, x, y: n.kron([x, y], [1.0, 2.0]),
    lambda n, x, y: n.split(n.array([x, y]), 2)[1] * x,
    lambda n, x, y: n.meshgrid([x, y], [1.0, 2.0])[0],
    lambda n, x, y: n.atleast_2d([x, y]),
    lambda n, x, y: n.convolve([x, y], [1.0, 2.0]),
    lambda n, x, y: n.linalg.solve([[x, 1.0], [0.5, y + 2]], [1.0, 2.0]),
    lambda n, x, y: n.nansum([x, y]),
    lambda n, x, y: n.ravel([[x, y]]),
]


@pytest.mark.parametrize("call", OF_LISTS)
def test_lists_that_hold_tensors_are_differentiated(call):
    x, y = leaf(1.3), leaf(0.6)
    z = call(tnp, x, y)
    assert isinstance(z, tg.Tensor) and z.requires_grad
    assert np.allclose(z.detach(), call(np, 1.3, 0.6))
    weights = np.linspace(1.0, 2.0, z.size).reshape(z.shape)
    (z * weights).sum().backward()
    scalar = lambda a, b: np.sum(call(np, a, b) * weights)
    for got, want in (
        (x, scalar(1.3 + 1e-6, 0.6) - scalar(1.3 - 1e-6, 0.6)),
        (y, scalar(1.3, 0.6 + 1e-6) - scalar(1.3, 0.6 - 1e-6)),
    ):
        assert np.isclose(0.0 if got.grad is None else got.grad.item(), want / 2e-6, rtol=1e-5, atol=1e-7)


def test_tensors_in_tensors_out():
    x = tg.tensor([1.0, 2.0])
    for z in (
        tnp.exp(x),
        tnp.array([x, x]),
        tnp.array(x),
        tnp.sum(x),
        tnp.asarray(x),
        tnp.zeros_like(x),
        tnp.concatenate([x, np.ones(1)]),
    ):
        assert isinstance(z, tg.Tensor) and not z.requires_grad
    assert tnp.array(x) is not x and tnp.asarray(x) is x
    assert tnp.array([x, x], dtype=np.float32).dtype == np.float32


@pytest.mark.parametrize("make", [tg.tensor, tg.as_tensor])
def test_a_tensor_made_of_tracked_tensors_warns_and_names_stack(make):
    x = leaf(1.0)
    with pytest.warns(UserWarning, match=r"stack\(\)") as record:
        z = make([x, 2.0])
    assert z.tolist() == [1.0, 2.0] and not z.requires_grad
    assert record[0].filename == __file__
    assert make([x.detach(), 2.0]).tolist() == [1.0, 2.0]  # no warning: warnings are errors here
    with tg.no_grad():
        make([x, 2.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: tg.sum([x, y]),
        lambda x, y: tg.exp([x, y]),
        lambda x, y: tg.tensor([1.0, 2.0]) * [x, y],
        lambda x, y: operator.add([x, y], x),
        lambda x, y: tg.stack([[x, 1.0], [2.0, y]]),
        lambda x, y: tg.where(True, [x, y], 0.0),
        lambda x, y: tg.dot([x, y], [1.0, 2.0]),
    ],
)
def test_operands_that_are_lists_of_tensors_are_stacked(call):
    x, y = leaf(0.4), leaf(0.7)
    call(x, y).sum().backward()
    assert x.grad is not None and y.grad is not None and x.grad.item() > 0 and y.grad.item() > 0
