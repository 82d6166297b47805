import gc

import pytest

from .subject import assert_same, leaf, tg

Function = tg.autograd.Function


def test_setup_context_separates_forward_from_what_is_saved():
    class Cube(Function):
        @staticmethod
        def forward(x, scale):
            return scale * x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.scale = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * ctx.scale * x**2 * grad, None

    x = leaf([2.0])
    y = Cube.apply(x, 10.0)
    assert_same(y, [80.0])
    y.sum().backward()
    assert_same(x.grad, [120.0])


def test_mark_dirty_lets_forward_change_its_argument():
    class DoubleInPlace(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf([1.0, 2.0])
    y = x * 1
    z = DoubleInPlace.apply(y)
    assert z is y
    assert y.grad_fn.name() == "DoubleInPlaceBackward"
    (y * 3).sum().backward()
    assert_same(x.grad, [6.0, 6.0])


class TripleInPlace(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x.mul_(3))
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


@pytest.mark.parametrize(("place", "gradient"), [(slice(1, None), [2.0, 36.0, 54.0]), (slice(None, None, 2), [18.0, 4.0, 54.0])])
def test_mark_dirty_of_a_view_changes_its_base(place, gradient):
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    other, v = y[:], y[place]
    z = TripleInPlace.apply(v)
    assert z is v
    (y**2).sum().backward(retain_graph=True)
    assert_same(x.grad, gradient)
    x.grad = None
    (other**2).sum().backward(retain_graph=True)
    assert_same(x.grad, gradient)
    x.grad = None
    (z**2).sum().backward()
    assert_same(x.grad, [g if g > 4 else 0.0 for g in gradient])


def test_mark_dirty_of_a_view_of_a_constant_makes_that_part_of_the_graph():
    x, buffer = leaf([1.0, 2.0]), tg.zeros(3, dtype=tg.float64)
    buffer[:2] = x
    TripleInPlace.apply(buffer[:2])
    (buffer**2).sum().backward()
    assert_same(x.grad, [18.0, 36.0])


def test_what_is_marked_as_dirty_is_returned():
    class Lost(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x.mul_(3))
            return x.sum()

    for x in (leaf([1.0]) * 1, tg.tensor([1.0])):
        with pytest.raises(RuntimeError, match="does not return|not returned"):
            Lost.apply(x)


@pytest.mark.parametrize("kept", ["input", "output", "both", "written"])
def test_graphs_that_no_backward_goes_through_are_let_go(kept):
    class Exponential(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.mul_(2) if kept == "written" else x.exp()
            if kept == "written":
                ctx.mark_dirty(x)
            ctx.save_for_backward(*{"input": (x,), "output": (y,), "both": (x, y), "written": (x,)}[kept])
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[-1]

    def run(times):
        for _ in range(times):
            Exponential.apply(leaf([1.0]) * 2).sum()
        gc.collect()
        return sum(type(thing).__name__ == "FunctionCtx" for thing in gc.get_objects())

    assert run(3000) < 1000  # few are left until their tape begins anew
    x = leaf([1.0])
    y = Exponential.apply(x * 2)
    z = y.sum()
    value = y.tolist()
    del y
    z.backward()
    assert_same(x.grad, [4.0] if kept == "input" else [2 * v for v in value])


def test_a_saved_output_that_was_written_and_let_go_is_refused():
    class Exponential(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    y = Exponential.apply(leaf([1.0]))
    z = y.sum()
    with tg.no_grad():
        y.mul_(2)
    del y
    with pytest.raises(RuntimeError, match="overwritten in place|modified by an inplace"):
        z.backward()


def test_materialize_grads_can_be_switched_off():
    received = []

    class Pair(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            received.append((first, second))
            return second * 2

    x = leaf([1.0])
    Pair.apply(x)[1].sum().backward()
    assert received[0][0] is None
    assert_same(x.grad, [2.0])


def test_once_differentiable_refuses_a_second_derivative():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        @tg.autograd.function.once_differentiable
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    x = leaf([3.0])
    (first,) = tg.autograd.grad((Square.apply(x) ** 2).sum(), x, create_graph=True)
    assert_same(first, [108.0])
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_forward_that_returns_its_argument_still_has_its_own_backward():
    class ScaleGradient(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = leaf([1.0, 2.0])
    y = ScaleGradient.apply(x, -1.0)
    assert y is not x and x.is_leaf
    assert_same(y, [1.0, 2.0])
    (y * 3).sum().backward()
    assert_same(x.grad, [-3.0, -3.0])


def test_outputs_that_are_no_tensors_pass_through():
    class WithNote(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "note"

        @staticmethod
        def backward(ctx, grad, _):
            return grad * 2

    x = leaf([1.0])
    y, note = WithNote.apply(x)
    assert note == "note"
    y.sum().backward()
    assert_same(x.grad, [2.0])


class _Pair(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        return 2 * g + 3 * h


@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_on_both_outputs(create_graph):
    x = leaf([1.0, 2.0])
    a, b = _Pair.apply(x)
    seen = []
    a.register_hook(lambda g: seen.append("a") or g * 10)
    b.register_hook(lambda g: seen.append("b") or g * 100)
    (a + b).sum().backward(create_graph=create_graph)
    assert sorted(seen) == ["a", "b"]
    assert_same(x.grad, [320.0, 320.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_retained_gradients_of_both_outputs(create_graph):
    x = leaf([1.0, 2.0])
    a, b = _Pair.apply(x)
    a.retain_grad()
    b.retain_grad()
    (a * a + b).sum().backward(create_graph=create_graph)
    assert_same(a.grad, [4.0, 8.0])
    assert_same(b.grad, [1.0, 1.0])
    assert_same(x.grad, [11.0, 19.0])


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(("used", "expected"), [(0, [2.0, 2.0]), (1, [3.0, 3.0])])
def test_one_of_two_outputs(used, expected, create_graph):
    x = leaf([1.0, 2.0])
    _Pair.apply(x)[used].sum().backward(create_graph=create_graph)
    assert_same(x.grad, expected)


def test_writing_into_a_leaf_and_marking_it_dirty_is_an_error():
    class Doubled(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with pytest.raises(RuntimeError, match="leaf"):
        Doubled.apply(leaf([1.0]))


def test_attributes_of_ctx_are_those_of_the_node():
    class Noted(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.note = "seen"
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    node = Noted.apply(leaf([1.0])).grad_fn
    assert node.note == "seen"
    assert node.next_functions[0][0].name().endswith("AccumulateGrad")


def test_gradient_that_is_smaller_than_its_input_is_an_error():
    class Summed(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.sum()

        @staticmethod
        def backward(ctx, g):
            return g

    with pytest.raises(RuntimeError, match="Summed"):
        Summed.apply(leaf([1.0, 2.0])).backward()


def test_outputs_keep_their_own_dtypes():
    class Both(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, (x * 3).float()

        @staticmethod
        def backward(ctx, g, h):
            return 2 * g + 3 * h.double()

    x = leaf([1.0, 2.0])
    y, z = Both.apply(x)
    assert y.dtype == tg.float64 and z.dtype == tg.float32 and z.requires_grad
    (y.sum() + 10 * z.double().sum()).backward()
    assert x.grad.tolist() == [32, 32]
