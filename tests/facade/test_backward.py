import gc
import weakref

import pytest

from .subject import assert_same, leaf, tg

# PyTorch warns, once in a process, that backward(create_graph=True) makes a reference cycle.
pytestmark = pytest.mark.filterwarnings("ignore:Using backward")


def test_scalar_needs_no_gradient():
    x = leaf(3.0)
    assert (x * x).backward() is None
    assert_same(x.grad, 6.0)


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_any_one_element_tensor_counts_as_scalar(shape):
    x = leaf(3.0)
    (x * x).reshape(shape).backward()
    assert_same(x.grad, 6.0)


@pytest.mark.parametrize("call", [lambda y, g: y.backward(g), lambda y, g: y.backward(gradient=g)], ids=["pos", "kw"])
def test_gradient_weights_the_outputs(call):
    x = leaf([1.0, 2.0])
    call(x * x, tg.tensor([10.0, 100.0]))
    assert_same(x.grad, [20.0, 400.0])


def test_gradient_scales_a_scalar():
    x = leaf(3.0)
    (x * x).backward(tg.tensor(0.5))
    assert_same(x.grad, 3.0)


def test_backward_on_a_leaf_gives_its_own_gradient():
    x = leaf(3.0)
    x.backward()
    assert_same(x.grad, 1.0)


def test_gradients_accumulate_over_calls():
    x = leaf([1.0, 2.0])
    for factor in (2.0, 3.0):
        (x * factor).sum().backward()
    assert_same(x.grad, [5.0, 5.0])


def test_gradients_accumulate_into_the_same_grad_tensor():
    x = leaf([1.0])
    x.sum().backward()
    first = x.grad
    x.sum().backward()
    assert x.grad is first
    assert_same(first, [2.0])


def test_gradient_passed_in_is_not_written_to_by_later_calls():
    x = leaf([1.0, 2.0])
    g = tg.ones(2)
    x.backward(g)
    x.backward(g)
    assert_same(x.grad, [2.0, 2.0])
    assert_same(g, [1.0, 1.0])


def test_two_leaves_do_not_share_one_gradient():
    a, b = leaf([1.0]), leaf([2.0])
    (a + b).backward(tg.ones(1))
    a.grad += 5.0
    assert_same(b.grad, [1.0])


def test_uses_of_one_leaf_are_summed():
    x = leaf([1.0, 2.0])
    y = x * 3
    (y * y + x + y.sin() * 0 + x * x).sum().backward()
    assert_same(x.grad, [18.0 + 1 + 2, 36.0 + 1 + 4])


def test_broadcast_is_summed_back():
    row, column, scalar = leaf([1.0, 2.0, 3.0]), leaf([[1.0], [2.0]]), leaf(2.0)
    (row * column * scalar).sum().backward()
    assert_same(row.grad, [6.0, 6.0, 6.0])
    assert_same(column.grad, [[12.0], [12.0]])
    assert_same(scalar.grad, 18.0)


def test_constants_and_results_get_no_grad():
    x, c = leaf([1.0]), tg.ones(1)
    y = x * c
    y.sum().backward()
    assert c.grad is None
    y.retain_grad()
    assert y.grad is None


def test_leaf_outside_the_graph_keeps_grad_none():
    x, other = leaf([1.0]), leaf([1.0])
    x.sum().backward()
    assert other.grad is None


def test_inputs_restricts_where_gradients_accumulate():
    a, b = leaf([1.0]), leaf([2.0])
    (a * b).sum().backward(inputs=[a])
    assert_same(a.grad, [2.0])
    assert b.grad is None


def test_inputs_may_be_a_single_tensor():
    a, b = leaf([1.0]), leaf([2.0])
    (a * b).sum().backward(inputs=b)
    assert_same(b.grad, [1.0])
    assert a.grad is None


def test_inputs_may_be_a_result():
    x = leaf([1.0, 2.0])
    y = x * 3
    (y * y).sum().backward(inputs=[y])
    y.retain_grad()
    assert_same(y.grad, [6.0, 12.0])
    assert x.grad is None


def test_empty_inputs_is_an_error():
    with pytest.raises(RuntimeError, match="inputs"):
        leaf([1.0]).sum().backward(inputs=[])


def test_retain_graph_allows_a_second_backward():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert_same(x.grad, [4.0, 8.0])
    with pytest.raises(RuntimeError):
        loss.backward()


def test_create_graph_makes_grad_differentiable():
    x = leaf([1.0, 2.0])
    (x**3).sum().backward(create_graph=True)
    first = x.grad
    assert first.requires_grad and first.grad_fn is not None
    x.grad = None
    first.sum().backward()
    assert_same(first, [3.0, 12.0])
    assert_same(x.grad, [6.0, 12.0])


def test_create_graph_implies_retain_graph_unless_told_otherwise():
    x = leaf([1.0, 2.0])
    loss = (x**3).sum()
    tg.autograd.grad(loss, x, create_graph=True)
    tg.autograd.grad(loss, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError):
        tg.autograd.grad(loss, x)


def test_backward_works_inside_no_grad_on_a_graph_recorded_outside():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    with tg.no_grad():
        loss.backward()
    assert_same(x.grad, [2.0, 4.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_grad_mode_during_backward_is_create_graph(create_graph):
    x = leaf([1.0])
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append((tg.is_grad_enabled(), g.requires_grad)))
    tg.autograd.grad((y * y).sum(), x, create_graph=create_graph)
    assert seen == [(create_graph, create_graph)]


def test_deep_graph_needs_no_recursion():
    x = leaf(1.0)
    y = x
    for _ in range(20_000):
        y = y * 1.0
    y.backward()
    assert_same(x.grad, 1.0)
    del y


def test_wide_diamonds_visit_each_node_once():
    x = leaf(1.0)
    y = x
    visits = []
    for _ in range(60):
        y = y + y
        y.register_hook(visits.append)
    y.backward()
    assert_same(x.grad, 2.0**60)
    assert len(visits) == 60


def test_dropping_the_result_frees_the_graph():
    x = leaf([1.0, 2.0])
    intermediate = x * 2
    loss = (intermediate * intermediate).sum()
    alive = weakref.ref(intermediate)
    del intermediate, loss
    gc.collect()
    assert alive() is None
    assert x.grad is None


def test_autograd_backward_takes_several_tensors():
    x = leaf([1.0, 2.0])
    tg.autograd.backward([(x * 2).sum(), (x * x).sum()])
    assert_same(x.grad, [4.0, 6.0])


def test_autograd_backward_takes_one_tensor():
    x = leaf([1.0, 2.0])
    tg.autograd.backward((x * 2).sum())
    assert_same(x.grad, [2.0, 2.0])


def test_autograd_backward_weights_each_tensor_and_takes_none_for_scalars():
    x = leaf([1.0, 2.0])
    tg.autograd.backward([x * 2, (x * x).sum()], grad_tensors=[tg.tensor([10.0, 100.0]), None])
    assert_same(x.grad, [22.0, 204.0])


def test_autograd_backward_over_a_shared_subgraph():
    x = leaf([1.0, 2.0])
    y = x.exp()
    tg.autograd.backward([y.sum(), (y * 2).sum()])
    assert_same(x.grad, 3 * y.detach().numpy())


def test_autograd_backward_takes_inputs_retain_graph_and_create_graph():
    a, b = leaf([1.0]), leaf([2.0])
    loss = (a * a * b).sum()
    tg.autograd.backward(loss, retain_graph=True, inputs=[b])
    assert a.grad is None
    assert_same(b.grad, [1.0])
    tg.autograd.backward(loss, create_graph=True, inputs=[a])
    assert_same(a.grad, [4.0])
    (second,) = tg.autograd.grad(a.grad.sum(), b)
    assert_same(second, [2.0])


def test_autograd_backward_wants_gradients_for_every_non_scalar():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="scalar"):
        tg.autograd.backward([x.sum(), x * 2], [None, None])


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("data", [3.0, [3.0]])
def test_gradients_without_a_graph_add_to_one_with_a_graph(data):
    x = leaf(data)
    (x * x).sum().backward(create_graph=True)
    for _ in range(2):
        (x * 2).sum().backward()
    assert x.grad.tolist() == (leaf(data) * 2 + 4).tolist()


LINEAR = {
    "add": lambda x: x + x,
    "view": lambda x: x.view(2, 1),
    "sum": lambda x: x.sum(0),
    "stack": lambda x: tg.stack([x, x]),
    "copy_": lambda x: tg.zeros(2).copy_(x),
    "fill_": lambda x: x.clone().fill_(1.0),
}


@pytest.mark.parametrize("operation", list(LINEAR.values()), ids=list(LINEAR))
def test_operations_that_keep_nothing_can_be_walked_again(operation):
    x = leaf([1.0, 2.0])
    z = operation(x).sum()
    z.backward()
    first = x.grad.clone()
    z.backward()
    assert_same(x.grad, (2 * first).tolist())
