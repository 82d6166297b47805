import math

import pytest

from .subject import assert_same, leaf, tg


def test_hook_sees_the_gradient_and_changes_nothing_by_returning_none():
    x = leaf([1.0, 2.0])
    seen = []
    x.register_hook(lambda g: seen.append(g.clone()))
    (x * x).sum().backward()
    assert len(seen) == 1
    assert_same(seen[0], [2.0, 4.0])
    assert_same(x.grad, [2.0, 4.0])


def test_hook_on_a_leaf_replaces_what_is_accumulated():
    x = leaf([1.0, 2.0])
    x.register_hook(lambda g: g * 10)
    for _ in range(2):
        (x * x).sum().backward()
    assert_same(x.grad, [40.0, 80.0])


def test_hook_on_a_result_changes_everything_behind_it():
    x = leaf([1.0, 2.0])
    y = x * 3
    y.register_hook(lambda g: g.clamp(max=7.0))
    (y * y).sum().backward()
    assert_same(x.grad, [18.0, 21.0])


def test_hook_runs_once_with_the_sum_over_all_uses():
    x = leaf([1.0])
    y = x * 1
    seen = []
    for tensor in (x, y):
        tensor.register_hook(lambda g: seen.append(g.item()))
    (y * 2 + y * 3 + y * 4).sum().backward()
    assert seen == [9.0, 9.0]


def test_hooks_run_in_order_of_registration_each_on_the_last_ones_result():
    x = leaf([1.0])
    x.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: None)
    x.register_hook(lambda g: g * 10)
    x.sum().backward()
    assert_same(x.grad, [20.0])


def test_removed_hook_no_longer_runs():
    x = leaf([1.0])
    first = x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g + 1)
    first.remove()
    first.remove()
    x.sum().backward()
    assert_same(x.grad, [2.0])


def test_handle_is_a_context_manager():
    x = leaf([1.0])
    with x.register_hook(lambda g: g * 2):
        x.sum().backward()
    x.sum().backward()
    assert_same(x.grad, [3.0])


def test_handle_removes_its_hook_when_the_block_raises():
    x = leaf([1.0])
    with pytest.raises(KeyError), x.register_hook(lambda g: g * 2):
        raise KeyError
    x.sum().backward()
    assert_same(x.grad, [1.0])


def test_hook_may_remove_itself():
    x = leaf([1.0])

    def once(g):
        handle.remove()
        return g * 5

    handle = x.register_hook(once)
    x.sum().backward()
    x.sum().backward()
    assert_same(x.grad, [6.0])


def test_hook_on_an_input_changes_what_autograd_grad_returns():
    x = leaf([1.0, 2.0])
    y = x * 3
    x.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    loss = (y * y).sum()
    (by_y,) = tg.autograd.grad(loss, y, retain_graph=True)
    (by_x,) = tg.autograd.grad(loss, x)
    assert_same(by_y, [7.0, 13.0])
    assert_same(by_x, [210.0, 390.0])


def test_retained_grad_is_what_the_hooks_left_whichever_came_first():
    x = leaf([1.0])
    y = x * 1
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert_same(y.grad, [10.0])


def test_hook_may_use_the_graph_under_create_graph():
    x = leaf([2.0])
    y = x * 1
    y.register_hook(lambda g: g * x)
    (first,) = tg.autograd.grad((y * y).sum(), x, create_graph=True)
    (second,) = tg.autograd.grad(first.sum(), x)
    assert_same(first, [8.0])
    assert_same(second, [12.0])


def test_hook_may_record_a_derivative_of_the_graph_that_is_run_backward():
    x, seen = leaf(2.0), []
    y = x * x * x
    z, w = y * y, y * 3.0                            # the pass has come to w, and through it to y, when it comes to z

    def hook(g):
        (d,) = tg.autograd.grad(y, x, create_graph=True, retain_graph=True)
        seen.append(d.item())

    z.register_hook(hook)
    (z + w).backward(retain_graph=True)
    assert (x.grad.item(), seen) == (228.0, [12.0])


def test_hook_registered_before_an_in_place_change_sees_the_gradient_of_the_old_value():
    x = leaf([1.0])
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append(("before", g.item())))
    y.mul_(5)
    y.register_hook(lambda g: seen.append(("after", g.item())))
    y.sum().backward()
    assert seen == [("after", 1.0), ("before", 5.0)]


@pytest.mark.parametrize("write", [lambda v: v.mul_(3.0), lambda v: v.__setitem__(..., 1.0), lambda v: v.__iadd__(1.0)])
def test_hook_on_a_view_is_not_part_of_a_write_through_it(write):
    """As in PyTorch: the gradient of the write goes on to the base."""
    x, seen = leaf([0.5, 2.0]), []
    y = x * 2.0
    v = y.reshape(2, 1)
    v.register_hook(lambda g: seen.append(g))
    write(v)
    (y.sum() + v.sum()).backward()
    assert seen == []


@pytest.mark.parametrize("make", [lambda x: tg.stack([x, x])[0], lambda x: x.clone()[0:2], lambda x: (x * 1).view(2)])
def test_hook_on_a_view_is_part_of_what_else_a_write_reads(make):
    """As in PyTorch: the view itself, as the other operand, is used as it was before."""
    x, seen = leaf([1.0, 2.0]), []
    v = make(x)
    v.register_hook(lambda g: seen.append(g.tolist()))
    v += v
    v.sum().backward()
    assert seen == [[1.0, 1.0]]
    assert_same(x.grad, [2.0, 2.0])


def test_exception_in_a_hook_comes_out_of_backward_and_leaves_the_library_usable():
    x = leaf([1.0, 2.0])

    def fail(g):
        raise KeyError("from the hook")

    with x.register_hook(fail), pytest.raises(KeyError, match="from the hook"):
        (x * x).sum().backward()
    assert tg.is_grad_enabled()
    x.grad = None
    (x * x).sum().backward()
    assert_same(x.grad, [2.0, 4.0])


def test_hook_on_a_tensor_that_does_not_require_grad_is_an_error():
    with pytest.raises(RuntimeError, match="require"):
        tg.ones(2).register_hook(lambda g: g)


def test_hook_that_returns_no_tensor_is_an_error():
    x = leaf([1.0])
    x.register_hook(lambda g: 3)
    with pytest.raises(TypeError, match="int"):
        x.sum().backward()


def test_hook_that_returns_another_shape_is_an_error():
    x = leaf([1.0, 2.0])
    x.register_hook(lambda g: tg.ones(3))
    with pytest.raises(RuntimeError):
        x.sum().backward()


def test_post_accumulate_hook_gets_the_leaf_with_its_grad_filled():
    x = leaf([1.0, 2.0])
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.tolist())))
    for _ in range(2):
        (x * 2 + x * 1).sum().backward()
    assert seen == [(True, [3.0, 3.0]), (True, [6.0, 6.0])]


def test_post_accumulate_hook_runs_after_the_other_hooks():
    x = leaf([1.0])
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.item()))
    x.register_hook(lambda g: g * 10)
    x.sum().backward()
    assert seen == [10.0]


def test_optimizer_step_in_a_post_accumulate_hook():
    x = leaf([1.0, 2.0])

    def step(p):
        with tg.no_grad():
            p.sub_(0.1 * p.grad)
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * tg.tensor([1.0, 2.0])).sum().backward()
    assert x.grad is None
    assert_same(x, [0.9, 1.8])


@pytest.mark.parametrize(("result", "error"), [(lambda p: p.grad * 2, RuntimeError), (lambda p: tg.zeros(1), RuntimeError),
                                               (lambda p: 1.0, TypeError), (lambda p: True, TypeError)])
def test_post_accumulate_hook_gives_none(result, error):
    x = leaf([1.0])
    handle = x.register_post_accumulate_grad_hook(result)
    with pytest.raises(error, match="should return None|hook returned|hook gives None"):
        x.sum().backward()
    assert_same(x.grad, [1.0])
    handle.remove()
    x.register_post_accumulate_grad_hook(lambda p: p)
    x.sum().backward()
    assert_same(x.grad, [2.0])


def test_post_accumulate_hook_is_removed_by_its_handle():
    x = leaf([1.0])
    seen = []
    handle = x.register_post_accumulate_grad_hook(lambda p: seen.append("removed"))
    with x.register_post_accumulate_grad_hook(lambda p: seen.append("block")):
        x.sum().backward()
    handle.remove()
    x.sum().backward()
    assert seen == ["removed", "block"]


def test_post_accumulate_hook_does_not_run_for_autograd_grad():
    x = leaf([1.0])
    seen = []
    x.register_post_accumulate_grad_hook(seen.append)
    tg.autograd.grad(x.sum(), x)
    assert seen == []
    x.sum().backward()
    assert len(seen) == 1


@pytest.mark.parametrize("make", [lambda: leaf([1.0]) * 2, lambda: tg.ones(2)], ids=["result", "constant"])
def test_post_accumulate_hook_is_for_leaves_that_require_grad(make):
    with pytest.raises(RuntimeError, match="leaf|require"):
        make().register_post_accumulate_grad_hook(lambda p: None)


def test_a_kept_gradient_that_moved_to_another_tape_leaves_the_old_one_usable():
    x = leaf(0.5)
    y = x.sin()
    z = x * 2.0
    z.register_hook(lambda g: g * 2)
    z.backward(retain_graph=True)
    y.retain_grad()
    y.mul_(3.0)
    (y + z).backward()
    assert_same(y.grad, 1.0)
    assert_same(x.grad, 4.0 + 3.0 * math.cos(0.5) + 4.0)
