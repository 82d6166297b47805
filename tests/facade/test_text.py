"""What tensors look like printed: PyTorch's text, to the character."""

import numpy as np
import pytest

from .subject import IS_TAPEGRAD, leaf, tg

CASES = {
    "number": (2.5, "tensor(2.5000)"),
    "whole number": (3.0, "tensor(3.)"),
    "nan": (np.nan, "tensor(nan)"),
    "whole numbers": ([1.0, -2.0, 30.0], "tensor([ 1., -2., 30.])"),
    "fractions": ([1.5, 2.0, -30.25], "tensor([  1.5000,   2.0000, -30.2500])"),
    "third": ([1 / 3], "tensor([0.3333])"),
    "small": ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00])"),
    "large": ([1e9, 1.0], "tensor([1.0000e+09, 1.0000e+00])"),
    "wide": ([1000.5, 0.001], "tensor([1.0005e+03, 1.0000e-03])"),
    "up to a factor of a thousand": ([1000.0, 1.5], "tensor([1000.0000,    1.5000])"),
    "whole and large": ([100000000.0, 200000.0], "tensor([100000000.,    200000.])"),
    "negative zero": ([-0.0, 0.0], "tensor([-0., 0.])"),
    "negative zero among others": ([-0.0, 1.5], "tensor([-0.0000, 1.5000])"),
    "nan and inf": ([1.0, np.nan, np.inf, -np.inf], "tensor([1., nan, inf, -inf])"),
    "nan among fractions": ([1.5, np.nan], "tensor([1.5000,    nan])"),
    "only nan": ([np.nan, np.inf], "tensor([nan, inf])"),
    "smallest": ([5e-324], "tensor([4.9407e-324])"),
    "integers": ([1, -20, 300], "tensor([  1, -20, 300])"),
    "bools": ([True, False], "tensor([ True, False])"),
    "matrix": ([[1.0, 2.0], [3.0, 4.5]], "tensor([[1.0000, 2.0000],\n        [3.0000, 4.5000]])"),
    "three axes": (
        np.arange(8).reshape(2, 2, 2),
        "tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]])",
    ),
    "empty": (np.zeros(0), "tensor([])"),
    "empty matrix": (np.zeros((2, 0)), "tensor([], size=(2, 0))"),
    "two lines": (
        np.arange(20.0) + 0.5,
        "tensor([ 0.5000,  1.5000,  2.5000,  3.5000,  4.5000,  5.5000,  6.5000,  7.5000,\n"
        "         8.5000,  9.5000, 10.5000, 11.5000, 12.5000, 13.5000, 14.5000, 15.5000,\n"
        "        16.5000, 17.5000, 18.5000, 19.5000])",
    ),
    "summary": (np.arange(1001.0), "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"),
    "summary of integers": (np.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    "summary of a matrix": (
        np.ones((200, 7)),
        "tensor([[1., 1., 1.,  ..., 1., 1., 1.],\n        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        ...,\n        [1., 1., 1.,  ..., 1., 1., 1.],\n        [1., 1., 1.,  ..., 1., 1., 1.],\n"
        "        [1., 1., 1.,  ..., 1., 1., 1.]])",
    ),
}


@pytest.mark.parametrize(("data", "text"), CASES.values(), ids=CASES)
def test_text(data, text):
    x = tg.tensor(np.array(data))
    assert repr(x) == text
    assert str(x) == text


def test_what_is_said_after_the_values():
    name = "float32" if IS_TAPEGRAD else "torch.float32"
    assert repr(leaf([1.0])) == "tensor([1.], requires_grad=True)"
    assert repr(leaf([1.0]) * 2) == "tensor([2.], grad_fn=<MulBackward0>)"
    assert repr(tg.tensor([1.0], dtype=tg.float32)) == f"tensor([1.], dtype={name})"
    assert repr(leaf(np.arange(9.0) + 0.5)[:8].detach().requires_grad_()) == (
        "tensor([0.5000, 1.5000, 2.5000, 3.5000, 4.5000, 5.5000, 6.5000, 7.5000],\n       requires_grad=True)"
    )


def test_format():
    assert f"{tg.tensor(2.5):.3f}" == "2.500"
    assert f"{leaf(2.5):8.2e}" == "2.50e+00"
    assert f"{tg.tensor([1.0])}" == "tensor([1.])"
    with pytest.raises(TypeError):
        format(tg.tensor([1.0, 2.0]), ".2f")
