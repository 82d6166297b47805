import math

import numpy as np
import pytest

from .subject import array, assert_same, leaf, tg

grad = tg.autograd.grad
X = np.array([0.3, 0.9, 1.7])


def sigmoid_derivatives(x):
    s = 1 / (1 + np.exp(-x))
    first = s * (1 - s)
    return first, first * (1 - 2 * s), first * (1 - 6 * s + 6 * s * s)


def tanh_derivatives(x):
    t = np.tanh(x)
    first = 1 - t * t
    return first, -2 * t * first, first * (6 * t * t - 2)


# Each function with its first three derivatives.
FUNCTIONS = {
    "x ** 5": (lambda x: x**5, lambda x: (5 * x**4, 20 * x**3, 60 * x**2)),
    "x ** -1.5": (lambda x: x**-1.5, lambda x: (-1.5 * x**-2.5, 3.75 * x**-3.5, -13.125 * x**-4.5)),
    "x * x * x": (lambda x: x * x * x, lambda x: (3 * x**2, 6 * x, 6 + 0 * x)),
    "x ** x": (
        lambda x: x**x,
        lambda x: (
            x**x * (np.log(x) + 1),
            x**x * ((np.log(x) + 1) ** 2 + 1 / x),
            x**x * ((np.log(x) + 1) ** 3 + 3 * (np.log(x) + 1) / x - 1 / x**2),
        ),
    ),
    "2 ** x": (lambda x: 2**x, lambda x: tuple(2**x * math.log(2) ** n for n in (1, 2, 3))),
    "1 / x": (lambda x: 1 / x, lambda x: (-(x**-2), 2 * x**-3, -6 * x**-4)),
    "x / (1 + x)": (lambda x: x / (1 + x), lambda x: ((1 + x) ** -2, -2 * (1 + x) ** -3, 6 * (1 + x) ** -4)),
    "exp": (lambda x: x.exp(), lambda x: (np.exp(x),) * 3),
    "log": (lambda x: x.log(), lambda x: (1 / x, -(x**-2), 2 * x**-3)),
    "sqrt": (lambda x: x.sqrt(), lambda x: (0.5 * x**-0.5, -0.25 * x**-1.5, 0.375 * x**-2.5)),
    "sin": (lambda x: x.sin(), lambda x: (np.cos(x), -np.sin(x), -np.cos(x))),
    "cos": (lambda x: x.cos(), lambda x: (-np.sin(x), -np.cos(x), np.sin(x))),
    "tanh": (lambda x: x.tanh(), tanh_derivatives),
    "sigmoid": (lambda x: x.sigmoid(), sigmoid_derivatives),
    "abs cubed": (lambda x: abs(x - 1) ** 3, lambda x: (3 * (x - 1) * abs(x - 1), 6 * abs(x - 1), 6 * np.sign(x - 1))),
    "relu cubed": (
        lambda x: (x - 1).relu() ** 3,
        lambda x: (3 * np.maximum(x - 1, 0) ** 2, 6 * np.maximum(x - 1, 0), 6.0 * (x > 1)),
    ),
    "maximum": (
        lambda x: tg.maximum(x, x**3),
        lambda x: (np.where(x > 1, 3 * x**2, 1), np.where(x > 1, 6 * x, 0), np.where(x > 1, 6, 0)),
    ),
    "where": (
        lambda x: tg.where(x > 1, x**3, x**2),
        lambda x: (np.where(x > 1, 3 * x**2, 2 * x), np.where(x > 1, 6 * x, 2), np.where(x > 1, 6, 0)),
    ),
    "views": (
        lambda x: (x.unsqueeze(0).expand(2, 3).reshape(6).view(2, 3).t()[:, 0].clone()) ** 4,
        lambda x: (4 * x**3, 12 * x**2, 24 * x),
    ),
    "stack and cat": (
        lambda x: tg.stack([x, x**2]).transpose(0, 1)[:, 1] * tg.cat([x[:1], x[1:]]),
        lambda x: (3 * x**2, 6 * x, 6 + 0 * x),
    ),
}


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(("function", "derivatives"), list(FUNCTIONS.values()), ids=list(FUNCTIONS))
def test_derivatives_up_to_the_third(function, derivatives, order):
    x = leaf(X)
    y = function(x)
    for _ in range(order):
        (y,) = grad(y.sum(), x, create_graph=True)
    assert_same(y, np.asarray(derivatives(X)[order - 1]), rtol=1e-10, atol=1e-12)


def test_mixed_third_derivatives_do_not_depend_on_the_order():
    def third(order):
        variables = {"a": leaf(0.7), "b": leaf(1.3), "c": leaf(0.4)}
        a, b, c = variables.values()
        y = (a * b).exp() * c.sin() + (a * c) ** 2 / b
        for name in order:
            (y,) = grad(y, variables[name], create_graph=True)
        return y.item()

    a, b, c = 0.7, 1.3, 0.4
    expected = (1 + a * b) * math.exp(a * b) * math.cos(c) - 4 * a * c / b**2
    for order in ("abc", "acb", "bac", "bca", "cab", "cba"):
        assert third(order) == pytest.approx(expected, rel=1e-12)


def test_hessian_row_by_row():
    x = leaf([0.5, 2.0])
    (g,) = grad(x[0] ** 3 * x[1] ** 2, x, create_graph=True)
    rows = [grad(g[i], x, retain_graph=True)[0].tolist() for i in range(2)]
    np.testing.assert_allclose(rows, [[12.0, 3.0], [3.0, 0.25]], rtol=1e-12)


def test_hessian_vector_product_by_grad_outputs():
    x, v = leaf([0.5, 2.0]), tg.tensor([1.0, -2.0])
    (g,) = grad(x[0] ** 3 * x[1] ** 2, x, create_graph=True)
    (product,) = grad(g, x, grad_outputs=v)
    assert_same(product, [6.0, 2.5])


def test_jacobian_vector_product_by_two_reverse_passes():
    x, v = leaf([0.5, 2.0]), tg.tensor([3.0, 4.0])
    y = tg.stack([x[0] * x[1], x[0] ** 2, x[1].exp()])
    u = leaf([0.0, 0.0, 0.0])
    (pulled,) = grad(y, x, grad_outputs=u, create_graph=True)
    (pushed,) = grad(pulled, u, grad_outputs=v)
    assert_same(pushed, [8.0, 3.0, 4 * math.exp(2.0)])


def test_gradient_penalty_trains_through_the_gradient():
    w, x = leaf([0.5, -1.0]), leaf([2.0, 3.0])
    (g,) = grad((w * x * x).sum(), x, create_graph=True)
    penalty = (g * g).sum()
    penalty.backward()
    assert_same(w.grad, [16.0, -72.0])
    assert_same(x.grad, [4.0, 24.0])


def test_second_derivatives_through_matmul():
    a, b = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[0.5], [-1.0]])
    (g,) = grad(((a @ b) ** 2).sum(), a, create_graph=True)
    by_a, by_b = grad((g * tg.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum(), [a, b])
    weights = np.array([[1.0, 10.0], [100.0, 1000.0]])
    a_, b_ = a.detach().numpy(), b.detach().numpy()
    assert_same(by_a, 2 * (weights @ b_) @ b_.T)
    assert_same(by_b, 2 * (a_.T @ (weights @ b_) + weights.T @ (a_ @ b_)))


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [
        (lambda x: (x.sum(0) ** 3).sum(), lambda a: 6 * np.broadcast_to(a.sum(0) * 2, a.shape)),
        (lambda x: (x.mean(1) ** 3).sum(), lambda a: np.broadcast_to(2 * a.mean(1, keepdims=True) / 3 * 3, a.shape)),
        (lambda x: x.max() ** 3, lambda a: 6 * a * (a == a.max())),
        (lambda x: (x.min(1).values ** 3).sum(), lambda a: 6 * a * (a == a.min(1, keepdims=True))),
    ],
    ids=["sum", "mean", "max", "min"],
)
def test_second_derivatives_through_reductions(reduce, expected):
    a = np.array([[1.0, 2.0, 4.0], [3.0, 7.0, 5.0]])
    x = leaf(a)
    (g,) = grad(reduce(x), x, create_graph=True)
    (second,) = grad(g.sum(), x)
    assert_same(second, expected(a))


def test_repeated_index_in_a_second_derivative():
    x = leaf([2.0, 3.0])
    (g,) = grad((x[[0, 0, 1]] ** 3).sum(), x, create_graph=True)
    (second,) = grad(g.sum(), x)
    assert_same(g, [24.0, 27.0])
    assert_same(second, [24.0, 18.0])


def test_newton_step_on_a_quadratic_lands_on_its_minimum():
    x = leaf([5.0, -3.0])
    loss = 2 * (x[0] - 1) ** 2 + (x[1] + 4) ** 2 / 2
    (g,) = grad(loss, x, create_graph=True)
    curvature = tg.stack([grad(g[i], x, retain_graph=True)[0][i] for i in range(2)])
    assert_same(x.detach() - g.detach() / curvature, [1.0, -4.0])


@pytest.mark.filterwarnings("ignore:Using backward")
def test_backward_with_create_graph_accumulates_a_differentiable_grad():
    x = leaf([2.0])
    for _ in range(2):
        (x**3).sum().backward(create_graph=True)
    assert_same(x.grad, [24.0])
    (second,) = grad(x.grad.sum(), x)
    assert_same(second, [24.0])
    x.grad = None


AT_ZERO = {"sigmoid": 0.0, "softplus": 0.25, "tanh": 0.0, "exp": 1.0, "expm1": 1.0, "sin": 0.0, "cos": -1.0, "tan": 0.0,
           "arctan": 0.0, "arcsin": 0.0, "arccos": 0.0, "arcsinh": 0.0, "arctanh": 0.0, "sinh": 0.0, "cosh": 1.0,
           "log1p": -1.0, "square": 2.0}


@pytest.mark.tapegrad_only("PyTorch keeps softplus elsewhere")
@pytest.mark.parametrize("name", AT_ZERO)
def test_smooth_functions_have_no_kink_at_zero(name):
    for value in (0.0, -0.0):
        x = leaf(value)
        (first,) = tg.autograd.grad(getattr(tg, name)(x), x, create_graph=True)
        assert_same(tg.autograd.grad(first, x)[0], AT_ZERO[name])


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_a_recorded_gradient_has_the_dtype_of_what_it_belongs_to(name, shape):
    x = tg.ones(shape, dtype=tg.float32, requires_grad=True)
    y = x * 1.0
    (g,) = tg.autograd.grad(getattr(tg, name)(y, y).sum(), [y], create_graph=True)
    assert g.dtype == tg.float32
    assert_same(g.detach(), [1.0] * 3 if shape else 1.0)


# Writes between a graph and its second derivative -----------------------------------------------------------------------


def another_backward():
    z = leaf(2.0)
    (z * z).backward()


# What may happen after a graph was computed. Some of it ends the tape that the graph is on.
BETWEEN = {
    "nothing": lambda x, y: None,
    "a read": lambda x, y: y.detach().numpy(),
    "a read of the leaf": lambda x, y: x.detach().numpy(),
    "another backward": lambda x, y: another_backward(),
    "a first derivative": lambda x, y: grad(y.sum(), x, retain_graph=True),
}
between = pytest.mark.parametrize("between", BETWEEN)


def shrink(x):
    with tg.no_grad():
        x.mul_(0.5)


@between
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("seen_as", ["itself", "a view", "a product"])
def test_second_derivatives_by_a_leaf_that_is_written(seen_as, after, before, between):
    x = leaf(np.arange(1.0, 5.0).reshape(2, 2).tolist())
    if before:
        shrink(x)
    at = array(x).copy()
    v = {"itself": lambda: x, "a view": lambda: x.T, "a product": lambda: x * 1.0}[seen_as]()
    if before and seen_as == "a product":
        v.mul_(1.0)
    y = tg.sin(v)
    BETWEEN[between](x, y)
    (g,) = grad(y.sum(), x, create_graph=True)
    assert_same(g, np.cos(at))
    if after:
        shrink(x)
        if seen_as != "a product":                       # which alone has kept what it needs
            with pytest.raises(RuntimeError):
                grad(g.sum(), x)
            return
    assert_same(grad(g.sum(), x)[0], -np.sin(at))


@between
@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("factor", ["elementwise", "a matrix", "solved"])
def test_second_derivatives_by_what_meets_a_factor_that_is_written(factor, after, tracked, between):
    x, v = leaf([1.0, 2.0]), leaf([0.3, 0.5])
    c = tg.tensor([2.0, 3.0] if factor == "elementwise" else [[2.0, 1.0], [1.0, 3.0]], requires_grad=tracked)
    made = {"elementwise": lambda: x * c, "a matrix": lambda: c @ x, "solved": lambda: tg.linalg.solve(c, x)}[factor]()
    y = made * tg.sin(v)
    BETWEEN[between](x, y)
    (g,) = grad(y.sum(), x, create_graph=True)
    if after:
        shrink(c)
        with pytest.raises(RuntimeError):
            grad(g.sum(), v)
        return
    weights = {"elementwise": [2.0, 3.0], "a matrix": [3.0, 4.0], "solved": [0.4, 0.2]}[factor]
    assert_same(grad(g.sum(), v)[0], np.cos([0.3, 0.5]) * weights)


def test_a_penalty_on_a_gradient_in_a_loop_that_looks_at_what_it_computes():
    x, w = leaf([[0.5, -0.2], [0.1, 0.9]]), leaf([[0.3, 0.2], [0.7, -0.4]])
    seen = []
    for look in (False, True):
        with tg.no_grad():
            w.copy_(tg.tensor([[0.3, 0.2], [0.7, -0.4]]))
        for _ in range(3):
            w.grad = None
            y = tg.tanh(x @ w)
            if look:
                y.detach().numpy()
            (g,) = grad(y.sum(), x, create_graph=True)
            ((g - 1) ** 2).sum().backward()
            with tg.no_grad():
                w -= 0.1 * w.grad
        seen.append(array(w).copy())
    np.testing.assert_array_equal(*seen)
