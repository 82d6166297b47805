"""The oracle checked against central differences and against answers that were worked out by hand."""

import numpy as np
import pytest

from tapegrad.testing.fuzz import slow as tg

POINTS = np.array([[0.3, -0.7, 0.45], [0.6, 0.2, -0.35]])
OTHERS = np.array([0.8, -0.4, 0.55])

FUNCTIONS = {
    **{
        f: (lambda x, y, f=f: getattr(x, f)())
        for f in tg.RULES
        if tg.RULES[f].names == "x" and f not in ("neg", "clone")
    },
    **{f: (lambda x, y, f=f: getattr(x.square() + 0.5, f)()) for f in ("sqrt", "log")},
    "arithmetic": lambda x, y: -(x + y) * x - 2.0 / (y * y + x) + (1.0 - x) / y,
    "pow": lambda x, y: (x.square() + 0.5) ** y + x**3 + x**1 + x**0 + 2.0**x,
    "arctan2": lambda x, y: tg.arctan2(x, y),
    "maximum": lambda x, y: tg.maximum(x, y) + 2.0 * tg.minimum(y, x),
    "where": lambda x, y: tg.where(x > 0.1, x * y, y),
    "clamp": lambda x, y: x.clamp(-0.5, 0.5) + x.clamp(min=0.1) * y.clamp(max=0.2),
    "sum": lambda x, y: x.sum(1) * y.sum() + x.sum((0, 1), keepdim=True),
    "mean": lambda x, y: x.mean(0) * y.mean() - x.mean(-1, keepdim=True),
    "max": lambda x, y: x.max() * x.max(1).values.sum() + x.amax(0) * y.min(),
    "min": lambda x, y: x.min() * x.min(0, keepdim=True).values + x.amin(1, keepdim=True) * y,
    "views": lambda x, y: (x.unsqueeze(1) * y).transpose(0, 2).reshape(3, 2).T[1:, ::2].squeeze() * x[0, 1],
    "expand": lambda x, y: y.expand(2, 3) * tg.broadcast_to(x[:, :1], (2, 3)),
    "index": lambda x, y: x[[0, 1, 0]] * y + x[:, [2, 0, 2]].sum(0) + x[x > 0.1].sum(),
    "join": lambda x, y: (
        tg.concatenate([x, y.unsqueeze(0), x]).sum(1, keepdim=True) * tg.stack([y, y * y], 1).sum(0)[0]
    ),
    "vectors": lambda x, y: (y @ y) * (x @ y),
    "matrices": lambda x, y: x @ x.T + (x.T @ x @ y)[0],
    "batches": lambda x, y: (x.unsqueeze(1) @ tg.stack([x.T, x.T * x.T])) + tg.stack([x, x]) @ y,
    "detach": lambda x, y: x.detach() * 0.0 + x.clone() * y,
}


def in_place(x, y):
    """Writes to a base and through its views, each with a derivative."""
    z = x * 1.0
    rows = z[1:]
    z.mul_(y)
    rows += y
    rows[0, 1:].copy_(y[:2] * x[0, 0])
    z[[0], 2] = y.sum() * 1.0
    z.T[2].pow_(3)
    z[0].div_(y * y + 1.0)
    z.clamp_(-5.0, 5.0)
    z[:1].sub_(y).zero_()
    z[:, 0].exp_()
    return z * rows


FUNCTIONS["in place"] = in_place


@pytest.fixture(autouse=True)
def empty_list():
    tg.reset()


def weights(shape):
    return tg.tensor(np.cos(np.arange(np.prod(shape), dtype=float)).reshape(shape))


def loss(f, x, y):
    z = f(x, y)
    return (z * weights(z.shape)).sum()


def differences(value, points, step=1e-5):
    """Central differences of a function of one array."""
    gradient = np.zeros_like(points)
    for i in np.ndindex(points.shape):
        at = np.zeros_like(points)
        at[i] = step
        gradient[i] = (value(points + at) - value(points - at)) / (2 * step)
    return gradient


def leaves(a, b):
    return tg.tensor(a, requires_grad=True), tg.tensor(b, requires_grad=True)


def grads(f, a, b, create_graph=False):
    x, y = leaves(a, b)
    return tg.autograd.grad(loss(f, x, y), [x, y], create_graph=create_graph, allow_unused=True), (x, y)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_central_differences(name):
    f = FUNCTIONS[name]
    (gx, gy), _ = grads(f, POINTS, OTHERS)
    np.testing.assert_allclose(
        gx.value, differences(lambda a: loss(f, *leaves(a, OTHERS)).item(), POINTS), rtol=1e-6, atol=1e-8
    )
    if gy is not None:
        np.testing.assert_allclose(
            gy.value, differences(lambda b: loss(f, *leaves(POINTS, b)).item(), OTHERS), rtol=1e-6, atol=1e-8
        )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_order_is_central_differences_of_the_first(name):
    f = FUNCTIONS[name]

    def slope(a):
        (gx, _), _ = grads(f, a, OTHERS)
        return (gx.value * weights(POINTS.shape).value).sum()

    (gx, _), (x, _) = grads(f, POINTS, OTHERS, create_graph=True)
    directional = (gx * weights(POINTS.shape)).sum()
    found = tg.autograd.grad(directional, [x], allow_unused=True)[0] if directional.requires_grad else None
    expected = differences(slope, POINTS)
    np.testing.assert_allclose(np.zeros_like(POINTS) if found is None else found.value, expected, rtol=1e-6, atol=1e-7)


def test_a_false_derivative_is_noticed():
    true = tg.RULES["sin"]
    tg.RULES["sin"] = true._replace(partials=(lambda g, x: g * x.cos() * 1.001,))
    try:
        with pytest.raises(AssertionError):
            test_gradients_are_central_differences("sin")
    finally:
        tg.RULES["sin"] = true


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: x.max(), [1.0, 2.0, 2.0], [0, 0.5, 0.5]),
        (lambda x: x.max(0).values, [1.0, 2.0, 2.0], [0, 1, 0]),
        (lambda x: x.amax(0), [1.0, 2.0, 2.0], [0, 0.5, 0.5]),
        (lambda x: x.abs(), [0.0, -1.0, 2.0], [0, -1, 1]),
        (lambda x: x.relu(), [0.0, -1.0, 2.0], [0, 0, 1]),
        (lambda x: tg.maximum(x, tg.tensor(1.0)), [0.0, 1.0, 2.0], [0, 0.5, 1]),
        (lambda x: tg.minimum(x, tg.tensor(1.0)), [0.0, 1.0, 2.0], [1, 0.5, 0]),
        (lambda x: x.clamp(0.0, 1.0), [0.0, 1.0, 2.0], [1, 1, 0]),
        (lambda x: x**0, [0.0, 1.0, 2.0], [0, 0, 0]),
    ],
)
def test_conventions_at_kinks(f, at, expected):
    x = tg.tensor(at, requires_grad=True)
    f(x).sum().backward()
    assert x.grad.tolist() == expected


def test_versions_are_shared_by_storage_and_not_by_copies():
    x = tg.tensor([[1.0, 2.0], [3.0, 4.0]])
    family, copies = [x[0], x.T, x.detach(), x.reshape(4)], [x.clone(), x[[0, 1]], x.T.reshape(4)]
    x[0, 0] = 5.0
    family[1].mul_(2.0)
    assert [y._version for y in family] == [2, 2, 2, 2]
    assert [y._version for y in copies] == [0, 0, 0]
    assert family[2].tolist() == [[10.0, 4.0], [6.0, 8.0]]
    assert copies[2].tolist() == [1.0, 3.0, 2.0, 4.0]


OVERWRITTEN = {  # what was saved for the derivative, and is it touched?
    "an operand": (lambda y: (y.sin(), y.zero_())[0], True),
    "no operand of exp": (lambda y: (y.exp(), y.zero_())[0], False),
    "the result of exp": (lambda y: y.exp().mul_(2.0), True),
    "not the result of sin": (lambda y: y.sin().mul_(2.0), False),
    "another element": (lambda y: (y[0] * y[0], y[1:].zero_())[0], True),
    "through detach": (lambda y: (y * y, y.detach().zero_())[0], True),
    "only a constant": (lambda y: (y * 3.0, y.zero_())[0], False),
    "the other factor, itself": (lambda y: y.clone().mul_(y), False),
    "its own factor": (lambda y: y.mul_(y), True),
}


@pytest.mark.parametrize("case", OVERWRITTEN)
def test_overwritten_values(case):
    f, raises = OVERWRITTEN[case]
    x = tg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = f(x * 2.0).sum()
    if raises:
        with pytest.raises(RuntimeError, match="overwritten"):
            z.backward()
    else:
        z.backward()


def test_refusals():
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    for write in (lambda: x.zero_(), lambda: x[0].zero_(), lambda: x.__setitem__(0, 1.0)):
        with pytest.raises(RuntimeError, match="leaf"):
            write()
    with tg.no_grad():
        x.mul_(2.0)
    assert x.tolist() == [2.0, 4.0] and x._version == 1
    with pytest.raises(RuntimeError, match="scalar"):
        (x * 2.0).backward()
    with pytest.raises(RuntimeError, match="require grad"):
        x.detach().sum().backward()
    z = (x * x).sum()
    z.backward(retain_graph=True)
    z.backward()
    assert x.grad.tolist() == [8.0, 16.0]
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_hooks_stay_with_the_value_and_retain_grad_with_the_tensor():
    x, seen = tg.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 2.0
    y.retain_grad()
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10.0)
    removed = y.register_hook(lambda g: g * 0.0)
    removed.remove()
    y.mul_(3.0)
    y.sum().backward()
    assert seen == [[3.0, 3.0]]
    assert y.grad.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [60.0, 60.0]


def test_a_write_through_a_view_changes_the_graph_of_the_base():
    a, w = tg.tensor(3.0, requires_grad=True), tg.zeros_like(tg.tensor([0.0, 0.0, 0.0]))
    first, second = w[0], w[1:]
    first.copy_(a)
    assert w.requires_grad and second.requires_grad and not second.is_leaf
    (w * w).sum().backward()
    assert a.grad.item() == 6.0


def test_near_a_kink_is_noted():
    x = tg.tensor([1e-5, 1.0])
    x.square()
    assert not tg.STATE.fragile
    x.abs()
    assert tg.STATE.fragile
