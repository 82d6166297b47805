import pytest

from .subject import assert_same, leaf, tg

Function = tg.autograd.Function


class Power(Function):
    @staticmethod
    def forward(ctx, x, exponent):
        ctx.exponent = exponent
        ctx.save_for_backward(x)
        return x**exponent

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.exponent * x ** (ctx.exponent - 1), None


class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a


class SumAndDifference(Function):
    received = None

    @staticmethod
    def forward(ctx, a, b):
        return a + b, a - b

    @staticmethod
    def backward(ctx, grad_sum, grad_difference):
        SumAndDifference.received = (grad_sum, grad_difference)
        return grad_sum + grad_difference, grad_sum - grad_difference


def function(backward, forward=lambda ctx, x, *rest: x * 2):
    return type("Made", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def test_forward_value_and_backward_gradient():
    x = leaf([2.0, 3.0])
    y = Power.apply(x, 3)
    assert_same(y, [8.0, 27.0])
    y.sum().backward()
    assert_same(x.grad, [12.0, 27.0])


def test_backward_is_the_one_written_and_not_derived_from_forward():
    x = leaf([2.0, 3.0])
    function(lambda ctx, g: g * 100).apply(x).sum().backward()
    assert_same(x.grad, [100.0, 100.0])


def test_node_is_named_after_the_class():
    y = Power.apply(leaf([2.0]), 2)
    assert type(y.grad_fn).__name__ == "PowerBackward"
    assert y.grad_fn.name() == "PowerBackward"


def test_composes_with_operations_on_both_sides():
    x = leaf([2.0, 3.0])
    (Power.apply(x * 2, 2) * 5).sum().backward()
    assert_same(x.grad, [80.0, 120.0])


@pytest.mark.parametrize("extra", [3, 2.5, "text", None, [1, 2], {"a": 1}, len])
def test_arguments_that_are_no_tensors_pass_through(extra):
    seen = []

    def forward(ctx, x, argument):
        seen.append(argument)
        return x * 2

    x = leaf([1.0])
    function(lambda ctx, g: (g * 2, None), forward).apply(x, extra).sum().backward()
    assert seen[0] is extra
    assert_same(x.grad, [2.0])


def test_several_tensor_arguments():
    a, b = leaf([2.0]), leaf([5.0])
    Product.apply(a, b).sum().backward()
    assert_same(a.grad, [5.0])
    assert_same(b.grad, [2.0])


def test_same_tensor_as_both_arguments():
    x = leaf([3.0])
    Product.apply(x, x).sum().backward()
    assert_same(x.grad, [6.0])


def test_result_requires_grad_only_if_an_argument_does():
    assert not Product.apply(tg.ones(1), tg.ones(1)).requires_grad
    assert Product.apply(tg.ones(1), leaf([1.0])).requires_grad


def test_no_grad_records_nothing():
    with tg.no_grad():
        y = Power.apply(leaf([2.0]), 2)
    assert not y.requires_grad and y.grad_fn is None


@pytest.mark.parametrize("flags", [(True, False), (False, True), (True, True)])
def test_needs_input_grad_follows_the_arguments(flags):
    seen = []

    def forward(ctx, a, b, scale):
        seen.append(ctx.needs_input_grad)
        return a + b

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g, g, None

    a, b = (tg.ones(1, requires_grad=flag) for flag in flags)
    function(backward, forward).apply(a, b, 2.0).sum().backward()
    assert [tuple(s) for s in seen] == [(*flags, False)] * 2


def test_gradient_for_an_argument_that_needs_none_is_ignored():
    a, b = leaf([2.0]), tg.tensor([5.0])
    Product.apply(a, b).sum().backward()
    assert_same(a.grad, [5.0])
    assert b.grad is None


def test_several_outputs():
    a, b = leaf([5.0]), leaf([3.0])
    total, difference = SumAndDifference.apply(a, b)
    assert_same(total, [8.0])
    assert_same(difference, [2.0])
    assert total.grad_fn is difference.grad_fn
    (total * 10 + difference).sum().backward()
    assert_same(a.grad, [11.0])
    assert_same(b.grad, [9.0])


@pytest.mark.parametrize(("used", "expected"), [(0, [[1.0, 1.0], [0.0, 0.0]]), (1, [[0.0, 0.0], [1.0, 1.0]])])
def test_unused_output_arrives_as_zeros(used, expected):
    SumAndDifference.apply(leaf([5.0, 1.0]), leaf([3.0, 1.0]))[used].sum().backward()
    assert [g.tolist() for g in SumAndDifference.received] == expected


def test_next_functions_give_the_output_index():
    outputs = SumAndDifference.apply(leaf([5.0]), leaf([3.0]))
    for index, output in enumerate(outputs):
        assert (output * 2).grad_fn.next_functions[0] == (output.grad_fn, index)


def test_none_gradient_leaves_the_leaf_without_grad():
    a, b = leaf([1.0]), leaf([1.0])
    f = function(lambda ctx, g: (None, g * 3), lambda ctx, a, b: a + b)
    f.apply(a, b).sum().backward()
    assert a.grad is None
    assert_same(b.grad, [3.0])


def test_none_gradient_counts_as_unused_for_autograd_grad():
    a = leaf([1.0])
    f = function(lambda ctx, g: None)
    assert tg.autograd.grad(f.apply(a).sum(), a, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="allow_unused"):
        tg.autograd.grad(f.apply(a).sum(), a)


def test_none_gradient_through_further_operations_counts_as_zero():
    x = leaf([2.0])
    y = x * 3
    (function(lambda ctx, g: None).apply(y) + y * 5).sum().backward()
    assert_same(x.grad, [15.0])


def test_mark_non_differentiable():
    class MaxWithMask(Function):
        @staticmethod
        def forward(ctx, x):
            mask = (x > 1.5).double()
            ctx.mark_non_differentiable(mask)
            ctx.save_for_backward(mask)
            return x * mask, mask

        @staticmethod
        def backward(ctx, grad, grad_mask):
            assert grad_mask is None or not grad_mask.numpy().any()
            (mask,) = ctx.saved_tensors
            return grad * mask

    x = leaf([1.0, 2.0])
    y, mask = MaxWithMask.apply(x)
    assert y.requires_grad and not mask.requires_grad
    (y * 3 + mask).sum().backward()
    assert_same(x.grad, [0.0, 3.0])


def test_integer_outputs_do_not_require_grad():
    f = function(lambda ctx, g, _: g, lambda ctx, x: (x * 1, x.to(tg.int64)))
    value, index = f.apply(leaf([1.0]))
    assert value.requires_grad and not index.requires_grad


def test_grad_mode_is_off_in_forward():
    modes = []

    def forward(ctx, x):
        modes.append(tg.is_grad_enabled())
        return x * 2

    y = function(lambda ctx, g: g * 2, forward).apply(leaf([1.0]))
    assert modes == [False]
    assert y.requires_grad and tg.is_grad_enabled()


def test_saved_result_can_be_used_in_backward():
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    x = leaf([0.0, 1.0])
    function(lambda ctx, g: g * ctx.saved_tensors[0], forward).apply(x).sum().backward()
    assert_same(x.grad, x.detach().exp().numpy())


def test_saved_tensors_are_the_ones_given():
    kept = []

    def backward(ctx, g):
        kept.extend(ctx.saved_tensors)
        return g, g

    def forward(ctx, a, b):
        ctx.save_for_backward(b, a)
        return a + b

    a, b = leaf([1.0]), leaf([2.0])
    function(backward, forward).apply(a, b).sum().backward()
    assert kept[0] is b and kept[1] is a


def test_twice_differentiable():
    x = leaf([2.0, 3.0])
    (first,) = tg.autograd.grad(Power.apply(x, 4).sum(), x, create_graph=True)
    (second,) = tg.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = tg.autograd.grad(second.sum(), x)
    assert_same(first, [32.0, 108.0])
    assert_same(second, [48.0, 108.0])
    assert_same(third, [48.0, 72.0])


def test_second_derivative_between_two_arguments():
    a, b = leaf([2.0]), leaf([5.0])
    (by_a,) = tg.autograd.grad((Product.apply(a, b) ** 2).sum(), a, create_graph=True)
    by_a_then_b = tg.autograd.grad(by_a.sum(), b)[0]
    assert_same(by_a, [100.0])
    assert_same(by_a_then_b, [40.0])


def test_function_inside_the_backward_of_a_function():
    f = function(lambda ctx, g: g * Power.apply(ctx.saved_tensors[0], 2) * 3, None)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    f.forward = staticmethod(forward)
    x = leaf([2.0])
    (first,) = tg.autograd.grad(f.apply(x).sum(), x, create_graph=True)
    (second,) = tg.autograd.grad(first.sum(), x)
    assert_same(first, [12.0])
    assert_same(second, [12.0])
