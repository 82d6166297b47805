"""Tensors that share memory: views of views, detached tensors, ``.data``; who sees a write, and what backward then
refuses."""

import pytest

from .subject import assert_same, leaf, tg


def test_clone_of_a_constant_is_a_copy():
    x = tg.zeros(2)
    y, z = x.clone(), x.to(tg.float64, copy=True)
    y.add_(1)
    x.add_(5)
    assert (x.tolist(), y.tolist(), z.tolist()) == ([5.0, 5.0], [1.0, 1.0], [0.0, 0.0])


def test_contiguous_of_a_transposed_constant_is_a_copy_in_order():
    x = tg.arange(4.0).view(2, 2).t()
    y = x.contiguous()
    y.add_(1)
    assert y.is_contiguous() and not x.is_contiguous()
    assert (x.tolist(), y.view(4).tolist()) == ([[0.0, 2.0], [1.0, 3.0]], [1.0, 3.0, 2.0, 4.0])


@pytest.mark.parametrize("write", [lambda v: v.mul_(2), lambda v: v.__setitem__(0, 7.0)])
@pytest.mark.parametrize("inside_no_grad", [False, True])
def test_reshape_of_a_transpose_is_a_copy(write, inside_no_grad):
    y = leaf([[1.0, 2.0], [3.0, 4.0]]) * 1
    v = y.t().reshape(4)
    before = v.tolist()
    with tg.set_grad_enabled(not inside_no_grad):
        write(v)
    assert v.tolist() != before
    assert y.tolist() == [[1.0, 2.0], [3.0, 4.0]] and y._version == 0


def test_reshape_of_rows_with_gaps_is_a_view_where_it_can_be():
    x = tg.zeros(3, 4)
    x[:, :2].reshape(3, 2, 1).add_(1)
    assert x.tolist() == [[1.0, 1.0, 0.0, 0.0]] * 3
    assert x._version == 1


def test_view_of_a_tracked_transpose_is_an_error():
    with pytest.raises((ValueError, RuntimeError), match="reshape|contiguous"):
        leaf([[1.0, 2.0], [3.0, 4.0]]).t().view(4)


def test_chain_of_views_written_at_both_ends():
    x = leaf([1.0, 2.0, 3.0, 4.0])
    y = x * 1
    v = y.view(2, 2)
    w = v[0]
    w.mul_(10)
    y[1] = 5.0
    assert (y.tolist(), v.tolist(), w.tolist()) == ([10.0, 5.0, 3.0, 4.0], [[10.0, 5.0], [3.0, 4.0]], [10.0, 5.0])
    assert y._version == v._version == w._version == 2
    (y * y).sum().backward()
    assert_same(x.grad, [200.0, 0.0, 6.0, 8.0])


def test_write_to_a_row_of_an_expanded_tensor_fills_all_rows():
    x = tg.zeros(1, 2)
    y = x.expand(2, 2)
    y[0] = 2.0
    assert (x.tolist(), y.tolist()) == ([[2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0]])


@pytest.mark.parametrize("make", [lambda x: x.expand(3), lambda x: x.expand(3).detach()], ids=["view", "detached"])
@pytest.mark.parametrize("base", [lambda: tg.zeros(1), lambda: leaf([1.0]) * 1], ids=["constant", "result"])
def test_arithmetic_in_place_on_an_expanded_tensor_is_an_error(make, base):
    with pytest.raises(RuntimeError, match="clone"):
        make(base()).add_(1)


def test_zero_on_an_expanded_tensor():
    x = tg.ones(1)
    x.expand(3).zero_()
    assert x.tolist() == [0.0]


def test_retained_gradient_of_a_view_survives_a_write_to_its_base():
    x = leaf([1.0, 2.0])
    y = x * 2
    v = y[:1]
    v.retain_grad()
    y.mul_(3)
    (v * 2).sum().backward()
    assert_same(v.grad, [2.0])
    assert_same(x.grad, [12.0, 0.0])


def test_write_through_data_is_seen_by_views_and_not_by_backward():
    w = leaf([[1.0, 2.0], [3.0, 4.0]])
    v = w.view(4)
    loss = (w * w).sum()
    w.data.add_(1)
    assert v.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert w._version == 0
    (v * v).sum().backward()
    assert_same(w.grad, [[4.0, 6.0], [8.0, 10.0]])
    loss.backward()


def test_part_that_was_detached_and_joins_a_graph_is_seen_by_its_origin():
    x, w = leaf([1.0, 2.0, 3.0]), leaf([5.0])
    y = x * 1
    d = y[1:].detach()
    d.mul_(w)
    assert (y.tolist(), d.tolist()) == ([1.0, 10.0, 15.0], [10.0, 15.0])
    d.sum().backward()
    assert_same(w.grad, [5.0])
    assert x.grad is None


def test_two_aliases_of_a_constant_that_join_a_graph():
    c, w = tg.ones(4), leaf(3.0)
    d = c[1:].detach()
    d.mul_(w)
    c.mul_(w)
    assert c.tolist() == [3.0, 9.0, 9.0, 9.0]
    d.sum().backward(retain_graph=True)
    assert_same(w.grad, 3.0)
    w.grad = None
    c.sum().backward()
    assert_same(w.grad, 10.0)


def test_constant_multiplied_in_place_keeps_the_value_that_backward_needs():
    w, c = leaf([5.0, 6.0]), tg.tensor([2.0, 3.0])
    c.mul_(w)
    c.sum().backward()
    assert_same(w.grad, [2.0, 3.0])


REUSED = {
    "in no_grad": lambda y: y.add_(1),
    "through detach": lambda y: y.detach().add_(1),
    "through a view": lambda y: y[:1].add_(1),
}


@pytest.mark.parametrize("write", list(REUSED.values()), ids=list(REUSED))
@pytest.mark.parametrize("before", ["nothing", "backward", "write"])
def test_overwritten_after_it_went_into_a_later_graph(write, before):
    y = leaf([1.0, 2.0]) * 1
    if before == "backward":
        y.sum().backward()
    if before == "write":
        with tg.no_grad():
            y.mul_(2)
    z = (y * y).sum()
    with tg.no_grad():
        write(y)
    with pytest.raises(RuntimeError, match="version"):
        z.backward()


def test_overwritten_on_record_after_it_went_into_a_later_graph():
    y = leaf([1.0, 2.0]) * 1
    y.sum().backward(retain_graph=True)
    z = (y * y).sum()
    z.detach()
    y.add_(1)
    with pytest.raises(RuntimeError, match="version"):
        z.backward()


@pytest.mark.parametrize("times", [1, 2])
def test_value_that_was_written_before_it_is_used(times):
    x = leaf([1.0, 2.0])
    y = x * 1
    with tg.no_grad():
        for _ in range(times):
            y.add_(1)
    (y * y).sum().backward()
    assert_same(x.grad, [2.0 * (1 + times), 2.0 * (2 + times)])


def test_product_with_itself_in_place_needs_what_it_overwrites():
    y = leaf([1.0, 2.0]) * 2
    y.mul_(y)
    with pytest.raises(RuntimeError, match="version"):
        y.sum().backward()


def test_overwritten_value_is_found_behind_a_function():
    class Double(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = leaf([1.0, 2.0]) * 1
    z = Double.apply(y * y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="version"):
        z.sum().backward()


@pytest.mark.parametrize("inside_no_grad", [False, True])
def test_overwritten_value_is_found_with_create_graph(inside_no_grad):
    x = leaf([1.0, 2.0])
    y = x * 1
    z = (y * y).sum()
    with tg.set_grad_enabled(not inside_no_grad):
        y.add_(1)
    with pytest.raises(RuntimeError, match="version"):
        tg.autograd.grad(z, x, create_graph=True)
    w = leaf([1.0, 2.0])
    z = (w * w).sum()
    with tg.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="version"):
        tg.autograd.grad(z, w, create_graph=True)


def test_what_a_product_or_an_assignment_does_not_need_may_be_overwritten():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y, z = x * 1, x * 1
    product = tg.tensor([[1.0, 2.0]]) @ y
    z[0] = y[0]
    y.add_(1)
    (product.sum() + z.sum()).backward()
    assert_same(x.grad, [[2.0, 2.0], [3.0, 3.0]])


FREE = {
    "quotient": (lambda y, w: y / w, lambda y, z: z.add_(1)),
    "operand of relu": (lambda y, w: y.relu(), lambda y, z: y.add_(1)),
    "sum": (lambda y, w: y + w, lambda y, z: z.mul_(2)),
}


@pytest.mark.parametrize(("operation", "write"), list(FREE.values()), ids=list(FREE))
def test_value_that_backward_does_not_need_may_be_overwritten(operation, write):
    x, w = leaf([1.0, -2.0]), leaf([4.0, 5.0])
    expected = tg.autograd.grad(operation(x * 1, w).sum(), [x, w], allow_unused=True)
    expected = [g.tolist() for g in expected if g is not None]
    y = x * 1
    z = operation(y, w)
    out = z * 1
    write(y, z)
    out.sum().backward()
    assert [p.grad.tolist() for p in (x, w) if p.grad is not None] == expected


def test_copy_of_integers_into_a_result_cuts_its_gradient():
    x = leaf([1.0, 2.0])
    y = x * 2
    y.copy_(tg.tensor([3, 4]))
    y.sum().backward()
    assert y.tolist() == [3.0, 4.0]
    assert_same(x.grad, [0.0, 0.0])


def test_integers_take_values_without_joining_a_graph():
    x = tg.tensor([1, 2])
    x.copy_(leaf([5.7, 6.2]))
    x[0] = leaf(3.9)
    assert x.tolist() == [3, 6] and not x.requires_grad


# Programs in which tapes close between the records of a result, since memory that is shared is written
UNRELATED = {
    "a write to a detached tensor": (
        "s = x * 0.5; seen = s.detach(); s *= 2.0; y = (x * x).sum(); s *= 3.0; s = s * 2",
        [2.0, 4.0, 6.0],
    ),
    "another leaf": ("b = z * 1; b *= b.detach(); y = x.sum(); b *= 2.0; b = b * 2", [1.0, 1.0, 1.0]),
    "a part that was summed before": (
        "b = x * 0.5; c = x * 1; y = x[0] * 0.7; d = b.detach(); b *= 2.0; y = y + c[2]; b[0] = c[2]; b = b * 2",
        [0.7, 0.0, 1.0],
    ),
    "views": (
        "a = x * 1.5; c = x * 1; y = x[0] * 0.7; v = c[2:]; v += 1.0; y = y + x[0]; a[0] = a[0]; a = a * 2",
        [1.7, 0.0, 0.0],
    ),
    "views and another leaf": (
        "a = x * 1.5; b = z * 0.5; c = x + z; y = x[0] * 0.7; v = c[1:]; v += 1.0; b -= a[0]; y = y + a.sum(); a *= 2.0; "
        "a = a - a; b *= 2.0",
        [2.2, 1.5, 1.5],
    ),
    "a view that is let go": (
        "a = x * 3; c = x * 2; v = c[1]; c.mul_(2.0); y = a.sum(); v.mul_(2.0); c = c * 2; v = a[0]; a[0] = 1.0",
        [3.0, 3.0, 3.0],
    ),
}


@pytest.mark.parametrize("mode", ["backward", "grad", "create_graph"])
@pytest.mark.parametrize("name", UNRELATED)
def test_writes_to_other_tensors_lose_no_gradient(name, mode):
    program, expected = UNRELATED[name]
    x, z = leaf([1.0, 2.0, 3.0]), leaf([3.0, 2.0, 1.0])
    names = {"x": x, "z": z}
    exec(program, names)
    if mode == "backward":
        names["y"].backward()
        assert_same(x.grad, expected)
    else:
        assert_same(tg.autograd.grad(names["y"], x, create_graph=mode == "create_graph")[0], expected)
