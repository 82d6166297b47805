import math

import numpy as np
import pytest

from .subject import CastError, ShapeError, assert_same, leaf, tg

POINTS = [0.4, 0.8, 1.5]
METHODS = {
    "add_": (lambda x: x.add_(2.0), lambda x: x + 2.0),
    "add_ alpha": (lambda x: x.add_(tg.ones(3), alpha=3), lambda x: x + 3.0),
    "sub_": (lambda x: x.sub_(2.0), lambda x: x - 2.0),
    "mul_": (lambda x: x.mul_(tg.arange(3.0)), lambda x: x * tg.arange(3.0)),
    "div_": (lambda x: x.div_(4.0), lambda x: x / 4.0),
    "pow_": (lambda x: x.pow_(3), lambda x: x**3),
    "zero_": (lambda x: x.zero_(), lambda x: x * 0.0),
    "fill_": (lambda x: x.fill_(7.0), lambda x: x * 0.0 + 7.0),
    "copy_": (lambda x: x.copy_(tg.arange(3.0)), lambda x: x * 0.0 + tg.arange(3.0)),
    "clamp_": (lambda x: x.clamp_(0.5, 1.0), lambda x: x.clamp(0.5, 1.0)),
    "clamp_ min": (lambda x: x.clamp_(min=0.5), lambda x: x.clamp(min=0.5)),
    "neg_": (lambda x: x.neg_(), lambda x: -x),
    "abs_": (lambda x: x.abs_(), lambda x: x.abs()),
    "exp_": (lambda x: x.exp_(), lambda x: x.exp()),
    "log_": (lambda x: x.log_(), lambda x: x.log()),
    "sqrt_": (lambda x: x.sqrt_(), lambda x: x.sqrt()),
    "sin_": (lambda x: x.sin_(), lambda x: x.sin()),
    "cos_": (lambda x: x.cos_(), lambda x: x.cos()),
    "tanh_": (lambda x: x.tanh_(), lambda x: x.tanh()),
    "sigmoid_": (lambda x: x.sigmoid_(), lambda x: x.sigmoid()),
    "relu_": (lambda x: x.relu_(), lambda x: x.relu()),
}
methods = pytest.mark.parametrize(("change", "reference"), list(METHODS.values()), ids=list(METHODS))


def augmented(operation):
    def change(x):
        scope = {"x": x, "tg": tg}
        exec(f"x {operation}", scope)
        return scope["x"]

    return change


@methods
def test_method_writes_the_value_in_place_and_returns_the_tensor(change, reference):
    x = tg.tensor(POINTS)
    expected = reference(x).tolist()
    memory = x.numpy()
    assert change(x) is x
    assert_same(x, expected)
    assert memory.tolist() == x.tolist()
    assert x._version == 1


@methods
def test_gradient_is_that_of_the_operation_it_stands_for(change, reference):
    weights = tg.tensor([1.0, 10.0, 100.0])
    x, other = leaf(POINTS), leaf(POINTS)
    y = x * 1
    change(y)
    (y * weights).sum().backward()
    (reference(other * 1) * weights).sum().backward()
    assert_same(x.grad, other.grad.numpy())


@pytest.mark.parametrize(
    ("operation", "value", "gradient"),
    [("+= 3", 5.0, 1.0), ("-= 3", -1.0, 1.0), ("*= 3", 6.0, 3.0), ("/= 4", 0.5, 0.25), ("**= 3", 8.0, 12.0)],
)
def test_augmented_assignment_keeps_the_tensor(operation, value, gradient):
    x = leaf([2.0])
    y = x * 1
    alias = y
    y = augmented(operation)(y)
    assert y is alias
    assert y._version == 1
    assert_same(y, [value])
    y.sum().backward()
    assert_same(x.grad, [gradient])


@pytest.mark.parametrize("operation", ["+= tg.ones(2)", "-= 1", "*= 2", "/= 2", "**= 2"])
def test_augmented_assignment_to_a_leaf_that_requires_grad_is_refused(operation):
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="leaf"):
        augmented(operation)(x)
    assert x.tolist() == [1.0, 2.0]


@methods
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[:], lambda x: x.view(3)], ids=["leaf", "slice", "view"])
def test_leaf_that_requires_grad_refuses_changes_to_itself_and_its_views(change, reference, view):
    x = leaf(POINTS)
    with pytest.raises(RuntimeError, match="leaf"):
        change(view(x))
    assert x.tolist() == POINTS
    assert x._version == 0


@methods
def test_leaf_that_requires_grad_can_be_changed_inside_no_grad(change, reference):
    x = leaf(POINTS)
    with tg.no_grad():
        expected = reference(x).tolist()
        change(x)
    assert_same(x, expected)
    assert x.is_leaf and x.requires_grad and x._version == 1


def part_onto_itself(x):
    x[:1] *= 2.0


def part_onto_another(x):
    part = x[:1]
    part.mul_(2.0)
    x[1:2] = part


def part_copied(x):
    part = x[:1]
    part.mul_(2.0)
    x[1:2].copy_(part)


def part_filled_in(x):
    part = x[0]
    part.mul_(2.0)
    x.masked_fill_(x > 1.0, part)


@pytest.mark.parametrize("change", [part_onto_itself, part_onto_another, part_copied, part_filled_in])
@pytest.mark.parametrize("used", [False, True])
def test_leaf_that_was_written_with_a_part_of_itself_is_used_as_it_is_now(change, used):
    x = leaf(POINTS)
    before = x.sin().sum() if used else None
    with tg.no_grad():
        change(x)
    (x.sin() * x).sum().backward()
    now = x.detach()
    assert_same(x.grad, (now.sin() + now * now.cos()).tolist())
    if used:
        with pytest.raises(RuntimeError, match="overwritten"):
            before.backward()


def test_setitem_on_a_leaf_that_requires_grad():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 5.0
    with tg.no_grad():
        x[0] = 5.0
    assert x.tolist() == [5.0, 2.0]


def test_operand_of_an_in_place_method_gets_its_gradient():
    x, w = leaf([1.0, 2.0]), leaf([3.0])
    y = x * 1
    y.mul_(w)
    y += w
    y.sum().backward()
    assert_same(x.grad, [3.0, 3.0])
    assert_same(w.grad, [5.0])


def test_constant_changed_by_a_tensor_that_requires_grad_joins_the_graph():
    x = leaf([1.0, 2.0])
    total = tg.zeros(2)
    for factor in (1.0, 2.0, 3.0):
        total += x * factor
    assert total.requires_grad and not total.is_leaf
    total.sum().backward()
    assert_same(x.grad, [6.0, 6.0])


def test_copy_carries_the_gradient_to_its_source_and_cuts_the_old_value():
    x, source = leaf([1.0, 2.0]), leaf([3.0])
    y = x * 1
    y.copy_(source)
    (y * tg.tensor([1.0, 10.0])).sum().backward()
    assert_same(x.grad, [0.0, 0.0])
    assert_same(source.grad, [11.0])


def test_copy_converts_the_dtype():
    x = tg.zeros(2, dtype=tg.float32)
    x.copy_(tg.tensor([1.5, 2.5]))
    assert x.dtype == tg.float32
    assert x.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (0, (3,)),
        (-1, ()),
        (slice(None), (2, 3)),
        ((slice(None), 1), (2,)),
        ((slice(None), slice(0, 3, 2)), (2, 2)),
        ((0, 2), ()),
        (..., (2, 3)),
        ([1, 0], (2, 3)),
        (np.array([[True, False, True], [False, True, False]]), (3,)),
    ],
    ids=["row", "last row", "all", "column", "stepped", "entry", "ellipsis", "list", "mask"],
)
def test_setitem_sends_the_gradient_to_the_value_and_zero_to_what_it_replaced(index, shape):
    index = tg.tensor(index) if isinstance(index, np.ndarray) else index
    x, value = leaf(np.arange(6.0).reshape(2, 3)), leaf(np.full(shape, 9.0))
    weights = np.arange(1.0, 7.0).reshape(2, 3)
    y = x * 1
    y[index] = value
    position = array_index(index)
    expected = np.arange(6.0).reshape(2, 3)
    expected[position] = 9.0
    assert_same(y, expected)
    (y * tg.tensor(weights)).sum().backward()
    chosen = weights[position]
    assert_same(value.grad, chosen if chosen.shape == shape else chosen.sum())
    weights[position] = 0.0
    assert_same(x.grad, weights)


def array_index(index):
    return index.numpy() if isinstance(index, tg.Tensor) else index


@pytest.mark.parametrize("value", [5, 5.0, True, np.float64(5.0)])
def test_setitem_takes_numbers(value):
    x = tg.zeros(3)
    x[1] = value
    assert x.tolist() == [0.0, float(value), 0.0]


def test_setitem_broadcasts_the_value():
    value = leaf([1.0, 2.0])
    y = tg.zeros(3, 2)
    y[1:] = value
    assert y.tolist() == [[0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]
    y.sum().backward()
    assert_same(value.grad, [2.0, 2.0])


def test_setitem_into_a_constant_makes_it_a_result():
    x = leaf([2.0, 3.0])
    y = tg.zeros(3)
    y[1] = x[0] * x[1]
    assert y.requires_grad and not y.is_leaf
    (y * y).sum().backward()
    assert_same(x.grad, [36.0, 24.0])


def test_augmented_assignment_to_an_entry():
    x = leaf([2.0, 3.0])
    y = x * 1
    y[0] *= 5
    y[1] += x[0]
    (y * tg.tensor([1.0, 10.0])).sum().backward()
    assert_same(y, [10.0, 5.0])
    assert_same(x.grad, [15.0, 10.0])


def test_dynamic_programme_written_into_one_tensor():
    a = leaf([0.5, 2.0])
    table = tg.ones(5)
    for i in range(2, 5):
        table[i] = a[0] * table[i - 1].clone() + a[1] * table[i - 2].clone()
    (result,) = tg.autograd.grad(table[4], a)
    assert_same(table, [1.0, 1.0, 2.5, 3.25, 6.625])
    assert_same(result, [6.75, 5.25])


def test_second_derivative_through_in_place_changes():
    x = leaf([0.5, 1.5])
    y = x**2
    y.mul_(x)
    y[0] = x[1] ** 3
    (first,) = tg.autograd.grad((y * y).sum(), x, create_graph=True)
    (second,) = tg.autograd.grad(first.sum(), x)
    assert_same(first, [0.0, 12 * 1.5**5])
    assert_same(second, [0.0, 60 * 1.5**4])


def test_broadcasting_cannot_enlarge_the_changed_tensor():
    with pytest.raises(ShapeError):
        tg.ones(2).add_(tg.ones(3, 2))


@pytest.mark.parametrize("change", [lambda x: x.add_(1.5), lambda x: x.div_(2), lambda x: x.mul_(tg.ones(2))])
def test_floats_cannot_be_written_into_integers(change):
    x = tg.tensor([2, 4])
    with pytest.raises(CastError):
        change(x)
    assert x.tolist() == [2, 4]


def test_expanded_tensor_refuses_changes_because_its_entries_share_memory():
    with pytest.raises((RuntimeError, ValueError), match="clone"):
        tg.ones(2).expand(3, 2).add_(1)


def test_in_place_change_keeps_the_dtype():
    x = tg.ones(2, dtype=tg.float32)
    x.mul_(math.pi)
    x += tg.ones(2)
    assert x.dtype == tg.float32


def test_mixed_dtypes_in_place_read_the_old_value():
    v = tg.tensor([1.0, 2.0], dtype=tg.float32, requires_grad=True)
    a = leaf([2.0, 4.0])
    x = v * 1.0
    x.div_(a)
    x.fill_(3.0)
    x.sum().backward()
    assert_same(a.grad, [0.0, 0.0])
    y = v * 1.0
    y.mul_(a)
    y.sum().backward()
    assert y.dtype == tg.float32
    assert_same(a.grad, [1.0, 2.0])


@pytest.mark.parametrize(
    ("write", "afresh"),
    [
        (lambda x: x.pow_(3), lambda x: x**3),
        (lambda x: x.pow_(2), lambda x: x**2),
        (lambda x: x[:].pow_(2), lambda x: x**2),
        (lambda x: x.sin_(), lambda x: x.sin()),
    ],
    ids=["cube", "square", "square of a view", "sine"],
)
@pytest.mark.parametrize("later", [True, False])
def test_the_derivative_of_a_write_can_be_differentiated(write, afresh, later):
    """Also where a backward came between the value and the write to it."""
    x, z = leaf([1.5, -0.5]), leaf([1.5, -0.5])
    y = x * 1.0
    if later:
        (x * 2.0).sum().backward()
    write(y)
    given = []
    for leaf_, result in ((x, y), (z, afresh(z * 1.0))):
        (first,) = tg.autograd.grad(result.sum(), leaf_, create_graph=True)
        (second,) = tg.autograd.grad((first + leaf_).sum(), leaf_)
        given.append((first, second))
    for one, other in zip(*given, strict=True):
        assert_same(one.detach(), other.detach().tolist())


FRACTIONS = {
    **{name: lambda x, name=name: getattr(tg.nn.functional, name)(x, inplace=True) for name in ("elu", "selu", "celu", "silu")},
    "hardsigmoid": lambda x: tg.nn.functional.hardsigmoid(x, inplace=True),
    "clamp_": lambda x: x.clamp_(0.5, 1.5),
    "sin_": lambda x: x.sin_(),
    "add_": lambda x: x.add_(0.5),
}


@pytest.mark.parametrize("write", FRACTIONS.values(), ids=FRACTIONS)
def test_fractions_are_not_written_into_integers(write):
    x = tg.tensor([1, 2])
    with pytest.raises((TypeError, RuntimeError)):
        write(x)
    assert x.tolist() == [1, 2]
