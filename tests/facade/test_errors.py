import pytest

from .subject import ConversionError, ShapeError, assert_same, leaf, shape_pattern, tg

MAKERS = {
    "tensor": lambda dtype: tg.tensor([1, 0], dtype=dtype, requires_grad=True),
    "zeros": lambda dtype: tg.zeros(2, dtype=dtype, requires_grad=True),
    "requires_grad_": lambda dtype: tg.zeros(2, dtype=dtype).requires_grad_(),
    "attribute": lambda dtype: setattr(tg.zeros(2, dtype=dtype), "requires_grad", True),
    "Variable": lambda dtype: tg.autograd.Variable(tg.zeros(2, dtype=dtype), requires_grad=True),
}


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
@pytest.mark.parametrize("make", list(MAKERS.values()), ids=list(MAKERS))
def test_only_floats_can_require_grad(make, dtype):
    with pytest.raises(RuntimeError, match="(?i)float"):
        make(getattr(tg, dtype))


@pytest.mark.tapegrad_only("the message names the type that was given; PyTorch's does not")
@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_message_on_a_type_that_cannot_require_grad_names_it(dtype):
    with pytest.raises(RuntimeError, match=dtype):
        tg.zeros(2, dtype=getattr(tg, dtype), requires_grad=True)


@pytest.mark.parametrize("make", [lambda: tg.ones(()), lambda: leaf(1.0).detach()], ids=["constant", "detached"])
def test_backward_without_history(make):
    with pytest.raises(RuntimeError, match="(?s)require.*grad_fn"):
        make().backward()


def test_backward_on_what_no_grad_computed():
    x = leaf([1.0, 2.0])
    with tg.no_grad():
        loss = (x * x).sum()
    with pytest.raises(RuntimeError, match="grad_fn"):
        loss.backward()


@pytest.mark.tapegrad_only("the message says what to do; PyTorch's does not")
def test_message_on_backward_without_history_names_the_remedy():
    with pytest.raises(RuntimeError, match="requires_grad=True|requires_grad_"):
        tg.ones(()).backward()


@pytest.mark.parametrize("shape", [(2,), (2, 3), (0,)])
def test_backward_of_a_non_scalar_without_gradient(shape):
    x = tg.ones(shape, requires_grad=True)
    with pytest.raises(RuntimeError, match="scalar"):
        (x * 2).backward()


@pytest.mark.tapegrad_only("the message gives the shape and the argument to pass; PyTorch's does not")
def test_message_on_a_missing_gradient_gives_the_shape_and_the_remedy():
    with pytest.raises(RuntimeError) as caught:
        (leaf([[1.0, 2.0, 3.0]]) * 2).backward()
    caught.match(shape_pattern(1, 3))
    caught.match("gradient")


@pytest.mark.parametrize("shape", [(3,), (1,), (), (2, 1), (1, 2)])
def test_gradient_of_the_wrong_shape_gives_both_shapes(shape):
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError) as caught:
        (x * 2).backward(tg.ones(shape))
    caught.match(shape_pattern(*shape))
    caught.match(shape_pattern(2))
    assert x.grad is None


@pytest.mark.parametrize("gradient", [[1.0, 1.0], "text"])
def test_gradient_that_is_no_tensor(gradient):
    with pytest.raises(TypeError, match="(?i)tensor"):
        (leaf([1.0, 2.0]) * 2).backward(gradient)


OPERATIONS_THAT_SAVE = {
    "mul": lambda x: x * x,
    "div": lambda x: 1 / x,
    "pow": lambda x: x**3,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: x.sigmoid(),
    "relu": lambda x: x.relu(),
    "abs": lambda x: x.abs(),
    "max": lambda x: x.max(),
    "maximum": lambda x: tg.maximum(x, 2 * x),
    "matmul": lambda x: x @ x,
    "index": lambda x: x[[0, 1]],
    "where": lambda x: tg.where(x > 1, x, -x),
}


@pytest.mark.parametrize("operation", list(OPERATIONS_THAT_SAVE.values()), ids=list(OPERATIONS_THAT_SAVE))
def test_second_backward_names_retain_graph(operation):
    x = leaf([1.0, 2.0])
    loss = operation(x).sum()
    loss.backward()
    first = x.grad.clone()
    with pytest.raises(RuntimeError, match="retain_graph"):
        loss.backward()
    assert_same(x.grad, first.tolist())


def test_second_backward_through_a_shared_part():
    x = leaf([1.0, 2.0])
    shared = x.exp()
    shared.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        (shared * 2).sum().backward()


def test_backward_that_fails_leaves_the_library_usable():
    x = leaf([1.0, 2.0])
    y = x * 1
    loss = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError):
        loss.backward()
    assert tg.is_grad_enabled()
    other = leaf([1.0, 2.0])
    (other * other).sum().backward()
    assert_same(other.grad, [2.0, 4.0])


@pytest.mark.tapegrad_only("the message says what to do; PyTorch's does not")
@pytest.mark.parametrize(
    ("misuse", "remedy"),
    [
        (lambda x: x.add_(1), "no_grad"),
        (lambda x: x.__setitem__(0, 1.0), "no_grad"),
        (lambda x: x.detach().register_hook(print), "requires_grad"),
        (lambda x: (x * 2).register_post_accumulate_grad_hook(print), "register_hook"),
        (lambda x: tg.autograd.grad(x.sum(), tg.ones(2)), "requires_grad"),
    ],
    ids=["leaf in place", "leaf entry", "hook on a constant", "post hook on a result", "input"],
)
def test_message_names_the_remedy(misuse, remedy):
    with pytest.raises(RuntimeError, match=remedy):
        misuse(leaf([1.0, 2.0]))


@pytest.mark.tapegrad_only("the message says what to do; PyTorch's points to anomaly detection")
def test_message_on_an_overwritten_value_names_the_remedy():
    y = leaf([1.0, 2.0]) * 1
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="clone"):
        z.sum().backward()


SHAPES = {
    "add": (lambda: tg.ones(2) + tg.ones(3), [(2,), (3,)]),
    "mul": (lambda: tg.ones(2, 3) * tg.ones(2), [(2, 3), (2,)]),
    "matmul": (lambda: tg.ones(2, 3) @ tg.ones(2, 4), [(2, 3), (2, 4)]),
    "reshape": (lambda: tg.ones(2, 3).reshape(4, 2), [(2, 3), (4, 2)]),
    "view": (lambda: tg.ones(2, 3).view(7), [(2, 3), (7,)]),
    "expand": (lambda: tg.ones(2).expand(3), [(2,), (3,)]),
    "cat": (lambda: tg.cat([tg.ones(2, 2), tg.ones(2, 3)]), [(2, 2), (2, 3)]),
    "stack": (lambda: tg.stack([tg.ones(2), tg.ones(3)]), [(2,), (3,)]),
    "add_": (lambda: tg.ones(2).add_(tg.ones(3)), [(2,), (3,)]),
    "copy_": (lambda: tg.ones(2).copy_(tg.ones(3)), [(2,), (3,)]),
    "setitem": (lambda: tg.ones(4).__setitem__(slice(0, 2), tg.ones(3)), [(2,), (3,)]),
    "where": (lambda: tg.where(tg.ones(2) > 0, tg.ones(3), tg.ones(3)), [(2,), (3,)]),
}


@pytest.mark.parametrize("operation", [case[0] for case in SHAPES.values()], ids=list(SHAPES))
def test_shapes_that_do_not_fit(operation):
    with pytest.raises(ShapeError):
        operation()


@pytest.mark.tapegrad_only("the message gives both shapes; PyTorch's gives sizes of single dimensions")
@pytest.mark.parametrize(("operation", "shapes"), list(SHAPES.values()), ids=list(SHAPES))
def test_message_on_shapes_that_do_not_fit_gives_both(operation, shapes):
    with pytest.raises(ValueError, match=shape_pattern(*shapes[0])) as caught:
        operation()
    caught.match(shape_pattern(*shapes[1]))


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: x[5],
        lambda x: x[-3],
        lambda x: x[0, 0],
        lambda x: x[1.5],
        lambda x: x[[0, 5]],
        lambda x: x.__setitem__(5, 1.0),
        lambda x: x.sum(3),
        lambda x: x.transpose(0, 3),
        lambda x: x.unsqueeze(5),
        lambda x: x.size(3),
        lambda x: tg.stack([x, x], 4),
        lambda x: tg.cat([x, x], 2),
    ],
    ids=["5", "-3", "0,0", "1.5", "list", "setitem", "sum", "transpose", "unsqueeze", "size", "stack", "cat"],
)
def test_indices_and_dimensions_out_of_range(operation):
    with pytest.raises(IndexError):
        operation(tg.ones(2))


@pytest.mark.parametrize("index", [7, -9])
def test_message_on_an_index_gives_it_and_the_size(index):
    with pytest.raises(IndexError, match=rf"(?s){index}\b.*\b4\b"):
        tg.ones(4)[index]


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: x + "text",
        lambda x: "text" * x,
        lambda x: x * object(),
        lambda x: tg.exp("text"),
        lambda x: x @ None,
        lambda x: tg.cat([x, 3]),
        lambda x: tg.zeros(2.5),
        lambda x: x.no_such_method_,
    ],
    ids=["add", "rmul", "object", "exp", "matmul", "cat", "size", "attribute"],
)
def test_operands_of_the_wrong_type(operation):
    with pytest.raises((TypeError, AttributeError)):
        operation(tg.ones(2))


@pytest.mark.parametrize("convert", [float, int])
def test_conversion_of_several_elements_to_one_number(convert):
    with pytest.raises(ConversionError):
        convert(tg.ones(2))


def test_truth_of_several_elements_is_ambiguous():
    with pytest.raises(ConversionError, match="ambiguous"):
        bool(tg.ones(2))


@pytest.mark.parametrize("tracked", [False, True])
def test_a_pair_of_values_and_indices_is_no_operand(tracked):
    x = tg.tensor([[1.0, 5.0], [4.0, 2.0]], requires_grad=tracked)
    for call in (lambda: x - x.max(0), lambda: x.max(0) - x, lambda: tg.exp(x.sort(0)), lambda: x > x.max(1),
                 lambda: tg.where(x > 0, x, x.min(0))):
        with pytest.raises(TypeError):
            call()
    assert (x - x.max(0).values).tolist() == [[-3.0, 0.0], [0.0, -3.0]]
