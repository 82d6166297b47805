"""Memory shared with other libraries: DLPack, NumPy's and Python's protocols; and tensors made like others."""

import sys

import numpy as np
import pytest

from .subject import IS_TAPEGRAD, leaf, tg


def test_dlpack_shares_memory():
    x = tg.tensor([1.0, 2.0])
    array = np.from_dlpack(x)
    x[0] = 5.0
    assert array.tolist() == [5.0, 2.0]
    assert tuple(map(int, x.__dlpack_device__())) == (1, 0)


def test_from_dlpack_shares_memory():
    array = np.array([1.0, 2.0])
    x = tg.from_dlpack(array)
    x[0] = 5.0
    assert array.tolist() == [5.0, 2.0]
    assert tg.from_dlpack(tg.ones(2, dtype=tg.float32)).dtype == tg.float32


@pytest.mark.tapegrad_only("PyTorch refuses what is read-only")
def test_from_dlpack_copies_what_is_read_only():
    array = np.array([1.0, 2.0])
    array.flags.writeable = False
    x = tg.from_dlpack(array)
    x[0] = 5.0
    assert array.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("make", [lambda: leaf([1.0]), lambda: leaf([1.0]) * 2], ids=["leaf", "result"])
@pytest.mark.parametrize(
    "export", [np.from_dlpack, lambda x: x.__dlpack__(), np.asarray, lambda x: x.numpy(), lambda x: x.__array__()]
)
def test_what_requires_grad_is_refused_with_advice(export, make):
    with pytest.raises((RuntimeError, BufferError), match=r"detach\(\)|requires? grad"):
        export(make())


@pytest.mark.tapegrad_only("PyTorch has no buffers")
def test_dlpack_of_what_is_not_there():
    x = tg.ones(2)
    with pytest.raises(BufferError, match="CPU"):
        x.__dlpack__(dl_device=(2, 0))


class Copied:
    """What asks for a copy."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **keywords):
        return self.x.__dlpack__(copy=True)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@pytest.mark.tapegrad_only("a version of DLPack that this NumPy doesn't take from PyTorch")
def test_dlpack_of_a_copy():
    x = tg.ones(2)
    array = np.from_dlpack(Copied(x))
    x[0] = 7.0
    assert array.tolist() == [1.0, 1.0]


def test_numpy_under_no_grad():
    x = leaf([1.0, 2.0])
    with tg.no_grad():
        assert x.numpy().tolist() == [1.0, 2.0]
        assert np.asarray(x).tolist() == [1.0, 2.0]


@pytest.mark.tapegrad_only("PyTorch has no buffers")
@pytest.mark.skipif(sys.version_info < (3, 12), reason="a class gives buffers from Python 3.12 on")
def test_memoryview():
    x = tg.tensor([[1.0, 2.0]])
    view = memoryview(x)
    assert view.shape == (1, 2)
    view[0, 0] = 5.0
    assert x.tolist() == [[5.0, 2.0]]


@pytest.mark.tapegrad_only("PyTorch has no buffers")
def test_a_buffer_is_memory():
    x = tg.tensor([[1.0, 2.0]])
    x.__buffer__(0)[0, 1] = 5.0
    assert x.tolist() == [[1.0, 5.0]]
    with pytest.raises(RuntimeError, match="detach"):
        leaf([1.0]).__buffer__(0)


# Made like others -------------------------------------------------------------------------------------------------------

NEW = {
    "new_zeros": (lambda x: x.new_zeros(2, 3), [[0.0] * 3] * 2),
    "new_zeros of a tuple": (lambda x: x.new_zeros((2,)), [0.0, 0.0]),
    "new_ones": (lambda x: x.new_ones(2), [1.0, 1.0]),
    "new_full": (lambda x: x.new_full((2,), 4), [4.0, 4.0]),
    "new_tensor": (lambda x: x.new_tensor([1, 2]), [1.0, 2.0]),
}


@pytest.mark.parametrize(("function", "expected"), NEW.values(), ids=NEW)
def test_new_tensors_have_the_dtype(function, expected):
    for dtype in (tg.float32, tg.float64):
        y = function(leaf([0.5], dtype=dtype))
        assert y.tolist() == expected
        assert y.dtype == dtype and y.is_leaf and not y.requires_grad


def test_new_tensors_take_options():
    x = tg.ones(2)
    assert x.new_zeros(2, dtype=tg.int64).dtype == tg.int64
    assert x.new_ones(2, requires_grad=True).requires_grad
    assert x.new_empty(3, 2).shape == (3, 2)


MADE = {
    "logspace": (lambda: tg.logspace(0, 2, 3), [1.0, 10.0, 100.0]),
    "logspace of another base": (lambda: tg.logspace(0, 3, 4, base=2), [1.0, 2.0, 4.0, 8.0]),
    "vander": (lambda: tg.vander(tg.tensor([2.0, 3.0])), [[2.0, 1.0], [3.0, 1.0]]),
}
MADE_HERE = {
    "geomspace": (lambda: tg.geomspace(1, 8, 4), [1.0, 2.0, 4.0, 8.0]),
    "identity": (lambda: tg.identity(2), [[1.0, 0.0], [0.0, 1.0]]),
    "tri": (lambda: tg.tri(2, 3, -1), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
    "vander increasing": (lambda: tg.vander(tg.tensor([2.0]), 3, increasing=True), [[1.0, 2.0, 4.0]]),
}


@pytest.mark.parametrize(("function", "expected"), (MADE | (MADE_HERE if IS_TAPEGRAD else {})).values())
def test_made(function, expected):
    np.testing.assert_allclose(function().tolist(), expected, rtol=1e-14)


@pytest.mark.tapegrad_only("PyTorch can't differentiate vander")
def test_vander_has_derivatives():
    x = leaf([2.0, 3.0])
    tg.vander(x, 3).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_random_ones():
    tg.manual_seed(3)
    assert sorted(tg.randperm(5).tolist()) == [0, 1, 2, 3, 4]
    assert tg.normal(0.0, 1.0, size=(2, 3)).shape == (2, 3)
    x = tg.normal(tg.tensor([100.0, -100.0]), tg.tensor([1.0, 0.0]))
    assert abs(x[0].item() - 100) < 10 and x[1].item() == -100
    y = tg.randint_like(tg.ones(100), 2, 5)
    assert y.dtype == tg.float64 and set(y.tolist()) == {2.0, 3.0, 4.0}
    tg.manual_seed(3)
    first = tg.randperm(5).tolist()
    tg.manual_seed(3)
    assert tg.randperm(5).tolist() == first


# Errors --------------------------------------------------------------------------------------------------------------------


@pytest.mark.tapegrad_only("PyTorch raises several kinds of errors")
@pytest.mark.parametrize("data", [2**70, [2**70], [[1], [-(2**63) - 1]]])
def test_integers_that_are_too_large(data):
    with pytest.raises(OverflowError, match="64 bits"):
        tg.tensor(data)


@pytest.mark.parametrize("make", [tg.tensor, leaf], ids=["plain", "recorded"])
@pytest.mark.tapegrad_only("PyTorch words it otherwise")
def test_an_operand_that_is_too_large(make):
    with pytest.raises((OverflowError, RuntimeError), match="too large|verflow"):
        make([1.0]) * 10**400


@pytest.mark.tapegrad_only("PyTorch refuses them")
def test_large_integers_as_floats():
    assert tg.tensor([2**70, 0.5]).tolist() == [2.0**70, 0.5]
    assert tg.tensor(2**70, dtype=tg.float64).item() == 2.0**70


@pytest.mark.tapegrad_only("PyTorch's clone is a method of a C type")
def test_clone_takes_no_unknown_arguments():
    x = tg.ones(2)
    assert x.clone(memory_format=None).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="dtype"):
        x.clone(dtype=tg.float32)


@pytest.mark.tapegrad_only("PyTorch's detach takes tensors alone")
def test_detach_of_what_is_no_tensor():
    assert tg.detach(1.5).tolist() == 1.5
    assert tg.detach([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="detach"):
        tg.detach("text")


def test_grad_of_what_is_no_tensor():
    x = leaf(1.0)
    with pytest.raises(TypeError, match="float"):
        tg.autograd.grad(3.0, x)
    with pytest.raises(TypeError, match="float"):
        tg.autograd.grad(x * 2, 3.0)


# Tensors that are made of tensors ------------------------------------------------------------------------------------------


@pytest.mark.tapegrad_only("PyTorch loses the derivatives")
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda a, b: tg.linspace(a, b, 3), [1.5, 1.5]),
        (lambda a, b: np.linspace(a, b, 3), [1.5, 1.5]),
        (lambda a, b: np.linspace(a, b, 2, endpoint=False), [1.5, 0.5]),
        (lambda a, b: tg.full((2, 3), a), [6.0, None]),
        (lambda a, b: np.full_like(b, a), [1.0, None]),
        (lambda a, b: tg.logspace(a, 2, 2), [10 * np.log(10), None]),
        (lambda a, b: tg.geomspace(a, b, 3), [2.0, 1.25]),
        (lambda a, b: tg.geomspace(-a, -b, 3), [-2.0, -1.25]),
    ],
)
def test_made_of_tensors_that_require_grad(function, expected):
    a, b = leaf(1.0), leaf(4.0)
    function(a, b).sum().backward()
    for x, g in zip((a, b), expected):
        assert x.grad is None if g is None else x.grad.item() == pytest.approx(g)


@pytest.mark.tapegrad_only("PyTorch's functions take no NumPy names")
def test_numpys_functions_that_make_like():
    x = leaf([[1.0, 2.0]], dtype=tg.float32)
    for function, value in ((np.zeros_like, 0.0), (np.ones_like, 1.0)):
        y = function(x)
        assert isinstance(y, tg.Tensor) and not y.requires_grad and y.dtype == tg.float32
        assert y.tolist() == [[value, value]]
        assert function(x, dtype=tg.int64, shape=(3,)).tolist() == [value] * 3
    assert np.empty_like(x).shape == (1, 2)
    assert np.full_like(x, 2.5).tolist() == [[2.5, 2.5]]
    assert np.vander(leaf([2.0, 3.0]), N=2).tolist() == [[2.0, 1.0], [3.0, 1.0]]
