import numpy as np
import pytest

import tapegrad as tg
from tapegrad.testing import check_grads

X = np.array([0.4, -1.2])


@pytest.mark.parametrize(("function", "arguments"), [
    (lambda x: np.sin(x) * x, (X,)),
    (lambda x: (x**3).sum(), (X,)),
    (lambda a, b: {"m": a @ b, "s": tg.exp(a).mean()}, (np.eye(2) + 0.3, np.ones((2, 3)))),
    (lambda p: p["a"] * p["b"][0], ({"a": 2.0, "b": [X]},)),
    (lambda x: 3.0, (1.0,)),
])
def test_right_derivatives_pass(function, arguments):
    check_grads(function, order=2)(*arguments)
    check_grads(function, modes=["fwd"], order=1)(*arguments)


def wrong(factor):
    class Wrong(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * factor(x) * g

    return Wrong.apply


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_wrong_derivatives_do_not(mode):
    with pytest.raises(AssertionError, match="central difference"):
        check_grads(wrong(lambda x: x * 1.001), mode, order=1)(X)


def test_wrong_second_derivatives_do_not():
    def cut(x):
        return x.detach()

    check_grads(wrong(cut), order=1)(X)
    with pytest.raises(AssertionError, match="derivative"):
        check_grads(wrong(cut), order=2)(X)


@pytest.mark.parametrize("options", [{"modes": "forward"}, {"modes": ()}, {"order": 0}, {"order": 1.5}])
def test_errors(options):
    with pytest.raises(ValueError, match="modes|order"):
        check_grads(np.sin, **options)
    with pytest.raises(TypeError):
        check_grads(3.0)
