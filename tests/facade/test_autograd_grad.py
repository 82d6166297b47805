import pytest

from .subject import IS_TAPEGRAD, assert_same, leaf, tg

grad = tg.autograd.grad


def test_single_input_gives_a_tuple_of_one():
    x = leaf([1.0, 2.0])
    result = grad((x * x).sum(), x)
    assert isinstance(result, tuple) and len(result) == 1
    assert_same(result[0], [2.0, 4.0])


@pytest.mark.parametrize("container", [list, tuple])
def test_several_inputs_come_back_in_order(container):
    a, b = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    by_b, by_a = grad((a * a * b).sum(), container([b, a]))
    assert_same(by_a, [6.0, 16.0])
    assert_same(by_b, [1.0, 4.0])


def test_grad_attributes_stay_untouched():
    x, other = leaf([1.0]), leaf([2.0])
    grad((x * other).sum(), x)
    assert x.grad is None and other.grad is None


def test_input_may_be_a_result():
    x = leaf([1.0, 2.0])
    y = x * 3
    loss = (y * y).sum()
    by_y, by_x = grad(loss, [y, x])
    assert_same(by_y, [6.0, 12.0])
    assert_same(by_x, [18.0, 36.0])


def test_input_may_be_the_output_itself():
    x = leaf([2.0, 3.0])
    loss = (x * x).sum()
    by_loss, by_x = grad(loss, [loss, x])
    assert_same(by_loss, 1.0)
    assert_same(by_x, [4.0, 6.0])


def test_one_input_given_twice():
    x = leaf([1.0, 2.0])
    first, second = grad((x * x).sum(), [x, x])
    assert_same(first, [2.0, 4.0])
    assert_same(second, [2.0, 4.0])


def test_several_outputs_are_summed():
    x = leaf([1.0, 2.0])
    (result,) = grad([(x * 2).sum(), (x * x).sum()], x)
    assert_same(result, [4.0, 6.0])


@pytest.mark.parametrize("wrap", [lambda g: g, lambda g: [g], lambda g: (g,)], ids=["tensor", "list", "tuple"])
def test_grad_outputs_weights_the_output(wrap):
    x = leaf([1.0, 2.0])
    (result,) = grad(x * x, x, grad_outputs=wrap(tg.tensor([10.0, 100.0])))
    assert_same(result, [20.0, 400.0])


def test_grad_outputs_none_stands_for_one_on_scalars():
    x = leaf([1.0, 2.0])
    (result,) = grad([x * x, x.sum()], x, grad_outputs=[tg.tensor([10.0, 100.0]), None])
    assert_same(result, [21.0, 401.0])


def test_differentiable_grad_outputs_carry_a_gradient():
    x, v = leaf([1.0, 2.0]), leaf([1.0, 1.0])
    (result,) = grad(x**2, x, grad_outputs=v, create_graph=True)
    (by_v,) = grad(result, v, grad_outputs=tg.tensor([3.0, 5.0]))
    assert_same(by_v, [6.0, 20.0])


def test_result_has_no_history_without_create_graph():
    x = leaf([1.0, 2.0])
    (result,) = grad((x**3).sum(), x)
    assert not result.requires_grad


def test_create_graph_gives_a_differentiable_result():
    x = leaf([1.0, 2.0])
    (first,) = grad((x**3).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    assert_same(second, [6.0, 12.0])


def test_gradient_of_a_linear_function_has_no_history_even_with_create_graph():
    x = leaf([1.0, 2.0])
    (first,) = grad((x * 3).sum(), x, create_graph=True)
    assert_same(first, [3.0, 3.0])
    assert not first.requires_grad


def test_retain_graph_allows_a_second_call():
    x = leaf([1.0, 2.0])
    loss = (x * x).sum()
    grad(loss, x, retain_graph=True)
    (again,) = grad(loss, x)
    assert_same(again, [2.0, 4.0])
    with pytest.raises(RuntimeError, match="second time"):
        grad(loss, x)


def test_unused_input_is_an_error_that_names_the_way_out():
    x, unused = leaf([1.0]), leaf([1.0])
    with pytest.raises(RuntimeError, match="allow_unused") as caught:
        grad(x.sum(), [x, unused])
    assert "1" in str(caught.value)


def test_allow_unused_gives_none():
    x, unused = leaf([1.0]), leaf([1.0])
    by_x, by_unused = grad(x.sum(), [x, unused], allow_unused=True)
    assert_same(by_x, [1.0])
    assert by_unused is None


def test_materialize_grads_gives_zeros():
    x, unused = leaf([1.0]), leaf([[1.0, 2.0]], dtype=tg.float32)
    by_x, by_unused = grad(x.sum(), [x, unused], materialize_grads=True)
    assert_same(by_x, [1.0])
    assert_same(by_unused, [[0.0, 0.0]])
    assert by_unused.dtype == tg.float32


def test_materialize_grads_contradicts_allow_unused_false():
    x = leaf([1.0])
    with pytest.raises(ValueError, match="allow_unused"):
        grad(x.sum(), x, allow_unused=False, materialize_grads=True)


def test_input_that_does_not_require_grad_is_an_error():
    x = leaf([1.0])
    with pytest.raises(RuntimeError, match="require"):
        grad(x.sum(), tg.ones(1))


def test_output_without_history_is_an_error():
    with pytest.raises(RuntimeError, match="grad_fn"):
        grad(tg.ones(()), leaf([1.0]))


def test_missing_grad_outputs_for_a_non_scalar_is_an_error():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="scalar"):
        grad(x * 2, x)


@pytest.mark.parametrize("shape", [(3,), (), (1, 2)])
def test_grad_outputs_of_the_wrong_shape_is_an_error(shape):
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="shape"):
        grad(x * 2, x, grad_outputs=tg.ones(shape))


def test_only_the_path_to_the_inputs_is_walked():
    a, b = leaf([1.0]), leaf([1.0])
    walked = []
    left, right = a * 2, b * 2
    left.register_hook(lambda g: walked.append("left"))
    right.register_hook(lambda g: walked.append("right"))
    grad((left * right).sum(), a)
    assert walked == ["left"]


def test_what_is_off_the_path_is_not_used_up():
    a, b = leaf([3.0]), leaf([2.0])
    other = b * b
    (g,) = grad(((a * a) * other).sum(), a)
    assert_same(g, [24.0])
    other.sum().backward()
    assert_same(b.grad, [4.0])


def test_what_is_below_an_input_is_not_used_up():
    x = leaf([3.0])
    y = x * x
    (g,) = grad((y * y).sum(), y)
    assert_same(g, [18.0])
    y.sum().backward()
    assert_same(x.grad, [6.0])


def test_what_is_off_the_path_may_be_used_up_already():
    a, b = leaf([3.0]), leaf([2.0])
    other = b * b
    product = (a * other).sum()
    other.sum().backward()
    (g,) = grad(product, a)
    assert_same(g, [4.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_functions_off_the_path_do_not_run(create_graph):
    ran = []

    class Noted(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x, name):
            ctx.name = name
            return x * 1

        @staticmethod
        def backward(ctx, g):
            ran.append(ctx.name)
            return g, None

    a, b = leaf([3.0]), leaf([2.0])
    inner = Noted.apply(a, "below the input")
    left, right = Noted.apply(inner * 2, "on the path"), Noted.apply(b, "aside")
    (g,) = grad((left * right).sum(), inner, create_graph=create_graph)
    assert_same(g, [4.0])
    assert ran == ["on the path"]


def test_paths_lead_through_graphs_that_were_walked_before():
    a, b = leaf([3.0]), leaf([2.0])
    walked = []
    left, right = a * a, b * b
    left.register_hook(lambda g: walked.append("left"))
    right.register_hook(lambda g: walked.append("right"))
    (left + right).sum().backward(retain_graph=True)
    walked.clear()
    (g,) = grad((left * right * 2).sum(), a)
    assert_same(g, [48.0])
    assert walked == ["left"]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_create_graph_inside_no_grad_records_all_the_same():
    x = leaf([1.0, 2.0])
    y = (x**3).sum()
    with tg.no_grad():
        (g,) = grad(y, x, create_graph=True)
        y.backward(create_graph=True)
        y.backward(create_graph=True)
    assert g.requires_grad and x.grad.requires_grad
    assert_same(grad(g.sum(), x)[0], [6.0, 12.0])


def test_second_derivatives_across_dtypes():
    a, b = leaf([1.0, 2.0], dtype=tg.float32), leaf([3.0, 4.0])
    first = grad((a * b * a).sum(), [a, b], create_graph=True)
    assert [g.dtype for g in first] == [tg.float32, tg.float64]
    second = grad(first[0].double().sum() + first[1].sum(), [a, b])
    assert [g.tolist() for g in second] == [[8.0, 12.0], [2.0, 4.0]]


# Several passes at once ------------------------------------------------------------------------------------------------------

def batched(*arguments, **options):
    return grad(*arguments, is_grads_batched=True, **options)


def test_batched_rows_are_the_rows_of_a_jacobian():
    x, u = leaf([1.0, 2.0]), leaf(3.0)
    y = x * x * u
    by_x, by_u = batched(y, (x, u), tg.eye(2))
    assert_same(by_x, [[6.0, 0.0], [0.0, 12.0]])
    assert_same(by_u, [1.0, 4.0])
    assert not by_x.requires_grad and x.grad is None
    with pytest.raises(RuntimeError, match="second time|twice"):
        grad(y.sum(), x)


def test_batched_of_several_outputs_which_interior_ones_may_be():
    x = leaf([1.0, 2.0])
    y = x * x
    z = y.sum()
    for k in range(2):
        by_x, by_y = batched((y, z), (x, y), (tg.eye(2), tg.tensor([1.0, 10.0])), retain_graph=k == 0)
        assert_same(by_x, [[4.0, 4.0], [20.0, 44.0]])
        assert_same(by_y, [[2.0, 1.0], [10.0, 11.0]])


def test_batched_with_create_graph_is_differentiable_by_inputs_and_rows():
    x = leaf([1.0, 2.0])
    rows = tg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    (g,) = batched(x**3, x, rows, create_graph=True)
    assert_same(g, [[3.0, 24.0], [9.0, 48.0], [15.0, 72.0]])
    by_x, by_rows = grad(g.sum(), (x, rows))
    assert_same(by_x, [54.0, 144.0])
    assert_same(by_rows, [[3.0, 12.0]] * 3)


def test_batched_unused_inputs():
    x, unused = leaf([1.0, 2.0]), leaf([1.0, 2.0, 3.0])
    y = x * x
    with pytest.raises(RuntimeError, match="used"):
        batched(y, (x, unused), tg.eye(2), retain_graph=True)
    by_x, nothing = batched(y, (x, unused), tg.zeros(2, 2), retain_graph=True, allow_unused=True)
    assert_same(by_x, [[0.0, 0.0], [0.0, 0.0]])
    assert nothing is None
    _, zeros = batched(y, (x, unused), tg.eye(2), materialize_grads=True)
    assert not zeros.any()
    if IS_TAPEGRAD:  # PyTorch leaves out the axis of the batch
        assert zeros.shape == (2, 3)


@pytest.mark.parametrize("given", [tg.ones(2), tg.ones(2, 3), tg.tensor(1.0), None])
def test_batched_gradients_of_other_shapes(given):
    x = leaf([1.0, 2.0])
    with pytest.raises((RuntimeError, TypeError, IndexError)):
        batched(x * x, x, given)


def test_batched_gradients_of_different_lengths():
    x = leaf([1.0, 2.0])
    with pytest.raises(ValueError, match="2, 3"):
        batched((x * x, x.sum()), x, (tg.eye(2), tg.ones(3)))


@pytest.mark.tapegrad_only("PyTorch raises IndexError")
def test_batched_gradients_of_no_rows():
    x, unused = leaf([1.0, 2.0]), leaf(1.0)
    by_x, nothing = batched(x * x, (x, unused), tg.zeros(0, 2), allow_unused=True)
    assert by_x.shape == (0, 2) and nothing is None
