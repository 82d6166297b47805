"""Compiled functions that are called on tensors that require grad: they and their derivatives are those of the plain function."""

import numpy as np
import pytest

import tapegrad as tg

pytestmark = pytest.mark.usefixtures("tier")
CALLS = 6                                    # recorded, recorded again, replayed


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def leaf(*values):
    return tg.tensor(list(values), requires_grad=True)


def warm(f, *arguments, often=CALLS):
    for _ in range(often):
        f(*arguments)
    return f


@pytest.mark.parametrize("often", [CALLS, 300])
def test_a_number_backward_gives_the_gradient(often):
    x = leaf(0.5, -1.0, 2.0)
    f = warm(tg.compile(rosenbrock), x, often=often)
    expected = tg.grad(rosenbrock)(x.detach().numpy().copy())
    for k in range(1, 4):
        y = f(x)
        assert y.grad_fn.name() == "CompiledBackward0" and y.grad_fn.next_functions[0][0].variable is x
        assert y.item() == rosenbrock(x).item()
        y.backward()
        np.testing.assert_allclose(x.grad.numpy(), k * expected, rtol=1e-13)


def test_as_a_part_of_a_graph():
    x, scale = leaf(0.5, -1.0, 2.0), tg.tensor(3.0, requires_grad=True)
    f = warm(tg.compile(rosenbrock), x)
    (f(tg.sin(x) * scale) ** 2 + f(x)).backward()
    found = x.grad.numpy().copy(), scale.grad.item()
    x.grad = scale.grad = None
    (rosenbrock(tg.sin(x) * scale) ** 2 + rosenbrock(x)).backward()
    np.testing.assert_allclose(found[0], x.grad.numpy(), rtol=1e-12)
    np.testing.assert_allclose(found[1], scale.grad.item(), rtol=1e-12)


def test_several_arguments_in_lists_and_some_constant():
    def model(parameters, t, seen, shift=1.5):
        return ((parameters[0] * tg.exp(-parameters[1] * t) + shift - seen) ** 2).sum()
    a, b, t, seen = tg.tensor(2.0, requires_grad=True), tg.tensor(0.5, requires_grad=True), np.arange(4.0), tg.ones(4)
    f = warm(tg.compile(model), [a, b], t, seen, 1.5)
    f([a, b], t, seen, 1.5).backward()
    found = a.grad.item(), b.grad.item()
    a.grad = b.grad = None
    model([a, b], t, seen).backward()
    np.testing.assert_allclose(found, (a.grad.item(), b.grad.item()), rtol=1e-12)
    assert seen.grad is None
    f([a.detach(), b], t, seen, 1.5).backward()
    np.testing.assert_allclose((found[0], 2 * found[1]), (a.grad.item(), b.grad.item()), rtol=1e-12)


def test_the_same_leaf_twice():
    x = leaf(1.0, 2.0)
    f = warm(tg.compile(lambda x, y: (x ** 2 * y).sum()), x, x)
    f(x, x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [3.0, 12.0])


def test_retained_and_used_up():
    x = leaf(1.0, 2.0)
    f = warm(tg.compile(lambda x: (x ** 3).sum()), x)
    y = f(x)
    y.backward(retain_graph=True)
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), [6.0, 24.0])
    for again in (y.backward, (y * 2).backward, lambda: tg.autograd.grad(y, x, create_graph=True)):
        with pytest.raises(RuntimeError, match="second time"):
            again()
    z = f(x) * 2
    z.backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_derivatives_of_higher_order():
    x = leaf(1.0, 2.0)
    f = warm(tg.compile(lambda x: (x ** 4).sum()), x)
    (g,) = tg.autograd.grad(f(x), x, create_graph=True)
    (h,) = tg.autograd.grad(g.sum(), x, create_graph=True)
    h.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [24.0, 48.0])
    np.testing.assert_allclose(tg.hessian(lambda x: f(x) * 2)(np.array([1.0, 2.0])), np.diag([24.0, 96.0]))


def test_hooks_and_retained_gradients():
    x, seen = leaf(1.0, 2.0), []
    f = warm(tg.compile(lambda x: (x ** 2).sum()), x)
    with x.register_hook(lambda g: seen.append(g.tolist()) or g * 10):
        y = f(x)
        y.backward()
        np.testing.assert_allclose(x.grad.numpy(), [20.0, 40.0])
        y = f(x)
        y.retain_grad()
        y.register_hook(lambda g: g * 3)
        y.backward()
    assert seen == [[2.0, 4.0], [6.0, 12.0]] and y.grad.item() == 3.0
    np.testing.assert_allclose(x.grad.numpy(), [80.0, 160.0])


def test_what_is_overwritten_in_between_is_an_error():
    x, seen = leaf(1.0, 2.0), tg.tensor([1.0, 1.0])
    f = warm(tg.compile(lambda x, y: (x ** 2 * y).sum()), x, seen)
    y = f(x, seen)
    with tg.no_grad():
        x += 1
    with pytest.raises(RuntimeError, match="overwritten"):
        y.backward()
    y = f(x, seen)
    seen += 1
    with pytest.raises(RuntimeError, match="overwritten"):
        tg.autograd.grad(y, x, create_graph=True)


def test_arrays_that_are_written_in_between_count_as_they_were():
    x, data = leaf(1.0, 2.0), np.array([1.0, 3.0])
    f = warm(tg.compile(lambda x, a: (x ** 2 * a).sum()), x, data)
    both = warm(tg.compile(lambda x, a: ((x ** 2 * a).sum(), x.sum())), x, data)
    for y in (f(x, data), both(x, data)[0]):
        data[:] = 7
        (g,) = tg.autograd.grad(y, x, create_graph=True)
        np.testing.assert_allclose(tg.autograd.grad(g.sum(), x)[0].numpy(), [2.0, 6.0])
        data[:] = 1.0, 3.0


def test_second_derivatives_want_what_the_function_referred_to():
    x, settings = leaf(1.0, 2.0), {"power": 2}
    f = warm(tg.compile(lambda x: (x ** settings["power"]).sum()), x)
    y = f(x)
    settings["power"] = 3
    with pytest.raises(RuntimeError, match="refers to was changed"):
        tg.autograd.grad(y, x, create_graph=True)
    f(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [3.0, 12.0])


def test_nothing_comes_from_a_gradient_of_zero():
    x = leaf(0.0, 4.0)
    f = warm(tg.compile(lambda x: (x ** 0.5).sum()), x)
    (f(x) * 0).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, 0.0])


def test_another_way_another_form():
    x = leaf(1.0, 2.0)
    f = warm(tg.compile(lambda x: (x ** 2).sum() if x[0] > 0 else (x ** 3).sum()), x)
    for values, expected in (([1.0, 2.0], [2.0, 4.0]), ([-1.0, 2.0], [3.0, 12.0]), ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])):
        x = leaf(*values)
        f(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), expected)
    x = tg.tensor([1.0, 2.0], dtype=tg.float32, requires_grad=True)
    warm(f, x)(x).backward()
    assert x.grad.dtype == tg.float32
    y = f(tg.tensor([1.0, 2.0]))
    assert not y.requires_grad


def test_training_loops_keep_nothing():
    w = leaf(-1.0, 1.5, 0.3)
    f, optimizer, losses = warm(tg.compile(rosenbrock), w), tg.optim.SGD([w], lr=1e-3), []
    for _ in range(30):
        optimizer.zero_grad()
        losses.append(f(w))
        losses[-1].backward()
        optimizer.step()
    expected = np.array([-1.0, 1.5, 0.3])
    for loss in losses:
        value, gradient = tg.value_and_grad(rosenbrock)(expected)
        np.testing.assert_allclose(loss.item(), value, rtol=1e-12)
        expected = expected - 1e-3 * gradient
    assert losses[5].grad_fn.next_functions == ()        # it let go of its tape


def test_a_tensor_that_a_function_refers_to_keeps_its_gradient():
    w, x = tg.tensor([1.0, 2.0, 3.0], requires_grad=True), tg.tensor([1.0, 1.0, 1.0])

    def function(x):
        return w, (x * w).sum() ** 2, x, (x * x).sum()

    compiled = tg.compile(function)
    with pytest.warns(UserWarning, match="requires grad"):
        found = compiled(x)
    assert [y.requires_grad for y in found] == [True, True, False, False]
    found[1].backward()
    np.testing.assert_array_equal(w.grad, [12.0, 12.0, 12.0])
    w.grad = None
    tg.vmap(compiled)(tg.ones(4, 3))[1].sum().backward()
    np.testing.assert_array_equal(w.grad, [48.0, 48.0, 48.0])
    with tg.no_grad():
        assert not any(y.requires_grad for y in compiled(x))
    assert [type(y) is tg.Tensor for y in compiled(np.ones(3))] == [True, True, False, False]
