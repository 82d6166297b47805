import pytest

from .subject import assert_same, leaf, shape_pattern, tg

Function = tg.autograd.Function


def double(backward):
    members = {"forward": staticmethod(lambda ctx, x, *rest: x * 2), "backward": staticmethod(backward)}
    return type("Double", (Function,), members)


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad


def test_too_few_gradients():
    y = double(lambda ctx, g: g).apply(leaf([1.0]), 5)
    with pytest.raises(RuntimeError, match="(?s)Double.*gradients.*2.*1"):
        y.sum().backward()


def test_too_many_gradients():
    y = double(lambda ctx, g: (g, g)).apply(leaf([1.0]))
    with pytest.raises(RuntimeError, match="(?s)Double.*gradients.*1.*2"):
        y.sum().backward()


def test_trailing_nones_are_allowed():
    x = leaf([1.0])
    double(lambda ctx, g: (g * 2, None, None)).apply(x).sum().backward()
    assert_same(x.grad, [2.0])


def test_gradient_for_an_argument_that_is_no_tensor():
    y = double(lambda ctx, g: (g, g)).apply(leaf([1.0]), 5)
    with pytest.raises(RuntimeError, match="(?s)Double.*None"):
        y.sum().backward()


def test_gradient_that_is_no_tensor():
    y = double(lambda ctx, g: 3.0).apply(leaf([1.0]))
    with pytest.raises((RuntimeError, TypeError), match="float"):
        y.sum().backward()


def test_gradient_of_a_shape_that_does_not_fit():
    y = double(lambda ctx, g: tg.ones(3)).apply(leaf([1.0, 2.0]))
    with pytest.raises(RuntimeError, match=rf"(?s)Double.*{shape_pattern(3)}.*{shape_pattern(2)}"):
        y.sum().backward()


def test_gradient_that_broadcasting_enlarged_is_summed_back():
    x = leaf([1.0, 2.0])
    double(lambda ctx, g: tg.ones(4, 2)).apply(x).sum().backward()
    assert_same(x.grad, [4.0, 4.0])


def test_function_without_backward():
    class Forward(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = leaf([1.0])
    y = Forward.apply(x)
    assert_same(y, [2.0])
    with pytest.raises(NotImplementedError, match="backward"):
        y.sum().backward()


def test_exception_in_backward_comes_out_with_its_type():
    def fail(ctx, g):
        raise KeyError("from backward")

    x = leaf([1.0])
    with pytest.raises(KeyError, match="from backward"):
        double(fail).apply(x).sum().backward()
    assert x.grad is None
    (x * 3).sum().backward()
    assert_same(x.grad, [3.0])


def test_exception_in_forward_restores_the_grad_mode():
    class Fail(Function):
        @staticmethod
        def forward(ctx, x):
            raise KeyError("from forward")

    with pytest.raises(KeyError, match="from forward"):
        Fail.apply(leaf([1.0]))
    assert tg.is_grad_enabled()


def test_an_instance_is_not_callable_on_tensors():
    with pytest.raises((RuntimeError, TypeError)), pytest.warns():
        Square()(leaf([1.0]))


def test_second_backward_through_saved_tensors():
    x = leaf([2.0])
    y = Square.apply(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="retain_graph"):
        y.sum().backward()


def test_retain_graph_keeps_saved_tensors():
    x = leaf([2.0])
    y = Square.apply(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert_same(x.grad, [8.0])


def test_saved_tensors_read_after_release():
    y = Square.apply(leaf([2.0]))
    node = y.grad_fn
    assert_same(node.saved_tensors[0], [2.0])
    y.sum().backward()
    with pytest.raises(RuntimeError, match="retain_graph"):
        _ = node.saved_tensors


def test_saved_tensor_overwritten_in_place():
    x = leaf([2.0]) * 1
    y = Square.apply(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="version"):
        y.sum().backward()


def test_saving_something_that_is_no_tensor():
    class SaveNumber(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)
            return x * 2

    with pytest.raises(TypeError, match="int"):
        SaveNumber.apply(leaf([1.0]))
