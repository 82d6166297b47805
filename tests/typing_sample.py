"""A program as users write it, with types: mypy checks it against the stubs, and test_stubs.py runs it.

``assert_type`` is checked twice: by mypy, and at run time against the value.
"""

from collections.abc import Callable, Iterator
from types import UnionType
from typing import TYPE_CHECKING, Any, get_origin

import numpy as np
from numpy.typing import NDArray

import tapegrad as tg
from tapegrad import Tensor

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value, kind):
        if kind is not Any:
            assert isinstance(value, kind if isinstance(kind, UnionType) else get_origin(kind) or kind), (value, kind)
        return value


Array = NDArray[np.float64]


def root(a: Tensor) -> Tensor:
    """Newton's method for a square root."""
    x = a
    while abs(x * x - a) > 1e-12:
        x = (x + a / x) / 2
    return x


def creation() -> None:
    x = tg.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=tg.float64, requires_grad=True)
    assert_type(x, Tensor)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.size(), tuple[int, ...])
    assert_type(x.size(0), int)
    assert_type(x.dtype, np.dtype[Any])
    assert_type(x.requires_grad, bool)
    assert_type(tg.zeros(2, 3), Tensor)
    assert_type(tg.zeros((2, 3), dtype=tg.float), Tensor)
    assert_type(tg.zeros_like(x, dtype="float32"), Tensor)
    assert_type(tg.full((2,), 1.0), Tensor)
    assert_type(tg.arange(3), Tensor)
    assert_type(tg.from_numpy(np.ones(3)), Tensor)
    assert_type(tg.Tensor([1, 2]), Tensor)
    assert_type(tg.float32, np.dtype[np.float32])
    assert_type(tg.pi * tg.e, float)


def arithmetic() -> None:
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    w: Array = np.array([2.0, 3.0])
    assert_type(2 * x + x / 3 - x**2, Tensor)
    assert_type(w * x, Tensor)
    assert_type(w - x, Tensor)
    assert_type(w @ x, Tensor)
    assert_type(x @ w, Tensor)
    assert_type(2**x, Tensor)
    assert_type(-x, Tensor)
    assert_type(x == 1, Tensor)
    assert_type(w < x, Tensor)
    assert_type(tg.exp(x) + tg.atan2(x, 1.0), Tensor)
    assert_type(tg.maximum(x, 0), Tensor)
    assert_type(tg.where(x > 1, x, 0.0), Tensor)
    assert_type(tg.where(x > 1), tuple[Tensor, ...])
    assert_type(x.clamp(min=0), Tensor)
    assert_type(tg.lt(x, w), Tensor)
    assert_type(tg.allclose(x, [1.0, 2.0]), bool)
    assert_type(bool((x > 0).all()), bool)
    total: Tensor | int = sum(part for part in x)
    assert isinstance(total, Tensor)
    loss: Tensor = np.sum(x.detach().numpy()) * np.log(x).sum()
    loss.backward()


def shapes() -> None:
    x = tg.arange(6.0).reshape(2, 3)
    assert_type(x.T @ x, Tensor)
    assert_type(x[0, 1:], Tensor)
    assert_type(x[..., None], Tensor)
    assert_type(x[x > 1], Tensor)
    assert_type(x[[0, 1]], Tensor)
    assert_type(x.sum(0), Tensor)
    assert_type(x.sum(dim=(0, 1), keepdim=True), Tensor)
    assert_type(x.max(), Tensor)
    values, indices = x.max(dim=1)
    assert_type(values, Tensor)
    assert_type(tg.min(x, 1).indices, Tensor)
    assert_type(tg.max(x, x), Tensor)
    assert_type(indices.tolist(), Any)
    assert_type(tg.stack([x, x]), Tensor)
    assert_type(tg.cat((x, x), dim=1), Tensor)
    assert_type(x.unbind(), tuple[Tensor, ...])
    assert_type(x.view(-1) if x.is_contiguous() else x.permute(1, 0).contiguous(), Tensor)
    x[0] = 1
    x[1, :] += 1.0
    x.add_(1).mul_(2.0)
    x *= 2
    assert_type(x, Tensor)


def conversion() -> None:
    x = tg.tensor(2.5)
    assert_type(x.item(), int | float)
    assert_type(float(x), float)
    assert_type(int(x), int)
    array: Array = x.numpy()
    assert array.shape == ()
    assert_type(x.long(), Tensor)
    assert_type(x.to(tg.float32), Tensor)
    assert_type(x.to("cpu", copy=True), Tensor)
    assert_type(str(x.device), str)
    something: object = x
    if tg.is_tensor(something):
        assert_type(something, Tensor)


def gradients() -> None:
    a = tg.tensor(4.0, requires_grad=True)
    root(a).backward()
    assert_type(a.grad, Tensor | None)
    assert a.grad is not None
    assert round(a.grad.item(), 6) == 0.25
    a.grad = None
    assert_type(tg.autograd.grad(a * a, a), tuple[Tensor, ...])
    (first,) = tg.autograd.grad(tg.sin(a), [a], create_graph=True)
    (second,) = tg.autograd.grad(first, a)
    assert_type(second, Tensor)
    unused = tg.tensor(1.0, requires_grad=True)
    assert_type(tg.autograd.grad(a * 1, [a, unused], allow_unused=True), tuple[Tensor | None, ...])
    assert_type(tg.autograd.grad(a * 1, [a, unused], materialize_grads=True), tuple[Tensor, ...])
    node = (a * 2).grad_fn
    assert node is not None
    assert_type(node.name(), str)
    assert_type(tg.autograd.gradcheck(root, a), bool)
    assert_type(tg.autograd.functional.hessian(lambda x: (x**3).sum(), tg.ones(2)), Tensor)
    assert_type(tg.autograd.functional.vjp(root, a, tg.tensor(1.0)), tuple[Tensor, Tensor])


def hooks() -> None:
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    seen: list[Tensor] = []
    with x.register_hook(lambda g: g * 2):
        handle = x.register_hook(seen.append)
        x.sum().backward()
    handle.remove()
    assert len(seen) == 1


@tg.no_grad()
def step(parameters: list[Tensor], rate: float) -> None:
    for p in parameters:
        if p.grad is not None:
            p -= rate * p.grad
            p.grad = None


@tg.no_grad
def norm(x: Tensor) -> Tensor:
    return tg.sqrt((x * x).sum())


@tg.inference_mode()
def halves(x: Tensor) -> Iterator[Tensor]:
    yield from (x / 2, x / 4)


def modes() -> None:
    x = tg.ones(2, requires_grad=True)
    (x * x).sum().backward()
    step([x], rate=0.1)
    assert_type(norm(x), Tensor)
    assert_type(next(halves(x)), Tensor)
    with tg.set_grad_enabled(False), tg.autograd.detect_anomaly():
        assert_type(tg.is_grad_enabled(), bool)
    tg.set_grad_enabled(True)


class LogOnePlusExp(tg.autograd.Function):
    @staticmethod
    def forward(ctx: tg.autograd.FunctionCtx, x: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * (x.clamp(min=0) + tg.log1p(tg.exp(-abs(x))))

    @staticmethod
    def backward(ctx: tg.autograd.FunctionCtx, g: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return g * ctx.scale * tg.sigmoid(x), None


def own_function() -> None:
    x = tg.tensor([-1.0, 2.0], requires_grad=True)
    y: Tensor = LogOnePlusExp.apply(x, 2.0)
    y.sum().backward()
    assert tg.autograd.gradcheck(lambda x: LogOnePlusExp.apply(x, 2.0), x)


def rosenbrock(x: Tensor) -> Tensor:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def optimizers() -> None:
    """Functions of Tensors become functions of arrays."""
    start: Array = np.array([1.0, 2.0, 3.0])
    value, gradient = tg.value_and_grad(rosenbrock)(start)
    assert float(value) == 201.0
    slope: Callable[..., Any] = tg.grad(rosenbrock)
    hessian: Array = tg.jacobian(slope)(start)
    assert gradient.shape == (3,) and hessian.shape == (3, 3)
    both = tg.value_and_grad(lambda x, y: ((x * y).sum(), {"y": y}), (0, 1), has_aux=True)
    (value, extra), gradient = both(start, 2.0)
    assert float(value) == 12.0 and len(gradient) == 2 and "y" in extra


def statistics() -> None:
    scale = tg.tensor(2.0, requires_grad=True)
    assert_type(tg.stats.norm.logpdf(np.ones(3), 1.0, scale=scale), Tensor)
    assert_type(tg.stats.poisson.pmf(2, 3.0), Tensor)
    assert_type(tg.stats.multivariate_normal.logpdf([1.0, 2.0], cov=2.0), Tensor)
    found = tg.optimize.minimize(lambda x: (x * x).sum(), np.ones(2), method="BFGS")
    assert_type(bool(found.success), bool)
    tg.optimize.brentq(lambda x: x - 0.5, 0.0, 1.0)


def main() -> None:
    for part in (creation, arithmetic, shapes, conversion, gradients, hooks, modes, own_function, optimizers, statistics):
        part()


if __name__ == "__main__":
    main()
