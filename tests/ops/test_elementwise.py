"""Every elementwise row, because it is in the table. What a row can't do, a field of it says, with the reason."""

import itertools

import numpy as np
import pytest

import tapegrad as tg

from .derivatives import SINGLE, close, leaf, recorded_gradients, reverse, tangent, values_of
from .rows import (
    ROWS,
    active,
    apply,
    check_against_precise,
    check_complex_step,
    check_kink,
    check_op,
    check_row,
    draw,
    kinks,
    reference,
)

rows = pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
several = pytest.mark.parametrize("op", [op for op in ROWS if op.arity > 1], ids=lambda op: op.name)
writing = pytest.mark.parametrize("op", [op for op in ROWS if op.in_place], ids=lambda op: op.name)

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 5e-324, 1.7e308, 1e-310]


# Values and derivatives ----------------------------------------------------------------------------------------------


@rows
def test_value_and_derivatives(op):
    check_row(op)


@rows
def test_tails_and_tiny_operands_against_many_digits(op):
    check_against_precise(op)


@pytest.mark.parametrize("op", [op for op in ROWS if reference(op) and not op.no_complex], ids=lambda op: op.name)
def test_partials_against_the_complex_step(op):
    check_complex_step(op)


@pytest.mark.parametrize(("op", "point"), list(itertools.chain(*map(kinks, ROWS))))
def test_derivative_at_a_kink(op, point):
    check_kink(op, point)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x**0, 0),
        (lambda x: x**0.0, 0),
        (lambda x: x**1, 0),
        (lambda x: x**2, 2),
        (lambda x: x**3, 0),
        (lambda x: x ** tg.tensor(2.0, requires_grad=True), 2),
        (lambda x: (x * 0.0) ** (x + 2.0), 0),
        (lambda x: 0.0 ** (x + 1.0), 0),
        (abs, 0),
        (lambda x: x.relu(), 0),
        (lambda x: tg.maximum(x, -x), 0),
        (lambda x: x.clip(0.0, 1.0), 0),
    ],
)
def test_second_derivative_at_zero(function, expected):
    x = leaf(0.0)
    (g,) = recorded_gradients(function(x), [x], tg.tensor(1.0))
    second = 0.0 if not g.requires_grad else tg.autograd.grad(g, x, materialize_grads=True)[0].item()
    assert second == expected


@rows
def test_a_note_is_backed_by_kinks(op):
    assert bool(op.kinks) or not op.note, f"{op.name} has a note on its derivative and no kinks that show it"


@rows
def test_value_where_numpy_has_special_ones(op):
    """inf, nan, signed zeros, the smallest and the largest: recorded as unrecorded, and as the reference."""
    grid = SPECIAL if op.arity < 3 else SPECIAL[::2]
    points = [g.reshape(-1) for g in np.meshgrid(*[np.array(grid)] * op.arity)]
    plain = values_of(apply(op, *map(tg.tensor, points)))
    recorded = values_of(apply(op, *map(leaf, points)))
    np.testing.assert_allclose(recorded, plain, rtol=1e-15, atol=1e-323)
    if reference(op) is not None:
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(plain, reference(op)(*points), rtol=1e-15, atol=1e-323)


@rows
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
def test_recorded_value_is_numpys_to_a_few_ulp(op, dtype):
    points = [p.astype(dtype) for p in draw(op, (1000,), seed=7)]
    recorded = values_of(apply(op, *[leaf(p, dtype) for p in points]))
    plain = values_of(apply(op, *map(tg.tensor, points)))
    assert recorded.dtype == plain.dtype == dtype
    np.testing.assert_array_max_ulp(recorded, plain, 4)


@rows
def test_zero_adjoint_and_tangent_at_finite_derivatives(op):
    leaves = [leaf(p) for p in draw(op, (4,))]
    y = apply(op, *leaves)
    assert all(np.all(g == 0) for g in reverse(y, leaves, np.zeros(4)))
    assert np.all(tangent(y, leaves, [np.zeros(4)] * op.arity) == 0)


# Shapes --------------------------------------------------------------------------------------------------------------


@rows
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2, 3), (0,), (3, 0, 2), (300,)], ids=str)
def test_shapes(op, shape):
    check_op(op, draw(op, shape), single=False)


BROADCAST = [
    ((3, 1), (1, 4)),
    ((), (3,)),
    ((3,), ()),
    ((1,), (2, 3)),
    ((2, 3), (1, 1)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((0,), (1,)),
    ((), (0,)),
    ((2, 1), (0,)),
    ((1, 3, 1), (2, 1, 2)),
    ((600,), ()),
    ((), (600,)),
]


@several
@pytest.mark.parametrize("shapes", BROADCAST, ids=str)
def test_broadcasting(op, shapes):
    shapes = list(shapes) + [(1,)] * (op.arity - 2)
    check_op(op, draw(op, *shapes))


@pytest.mark.parametrize("op", [op for op in ROWS if op.arity == 3], ids=lambda op: op.name)
@pytest.mark.parametrize("shapes", [*itertools.product([(4,), (1,), ()], repeat=3), ((3, 1), (4,), (2, 1, 1))], ids=str)
def test_broadcasting_of_three(op, shapes):
    check_op(op, draw(op, *shapes))


@pytest.mark.parametrize("op", [op for op in ROWS if op.arity > 1 and not op.no_second], ids=lambda op: op.name)
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_derivatives_beside_plain_numbers(op, shape):
    """First and second ones, by each operand and by several: as beside tensors without grad that hold the numbers."""
    points = [p.item() for p in draw(op, (), seed=3)]
    for count in range(1, op.arity):
        for chosen in itertools.combinations(active(op), count):
            numbers, tensors = (_both_derivatives(op, points, chosen, shape, constant) for constant in (float, tg.tensor))
            for found, expected in zip(numbers, tensors, strict=True):
                close(found, expected, 1e-13, 1.0, f"by {chosen}")


def _both_derivatives(op, points, chosen, shape, constant):
    operands = [leaf(np.full(shape, p)) if k in chosen else constant(p) for k, p in enumerate(points)]
    leaves = [operands[k] for k in chosen]
    first = recorded_gradients(apply(op, *operands), leaves, tg.ones(shape))
    total = sum([g.sum() for g in first])
    second = tg.autograd.grad(total, leaves, materialize_grads=True) if total.requires_grad else []
    return [values_of(g) for g in (*first, *second)]


@several
def test_operands_that_are_the_same_tensor(op):
    low, high = max(d[0] for d in op.domain or [(-2, 2)]), min(d[1] for d in op.domain or [(-2, 2)])
    if low >= high:
        low, high = op.domain[-1]
    x = np.linspace(low, high, 7)[1:-1]

    def twice(v):
        return apply(op, *[v if k == 0 else v + k for k in range(op.arity)])

    together = leaf(x)
    (g,) = reverse(twice(together), [together], np.ones(5))
    apart = [leaf(x + k) for k in range(op.arity)]
    close(g, sum(reverse(apply(op, *apart), apart, np.ones(5))), 1e-13, 1.0)
    same = leaf(x)
    (g,) = reverse(apply(op, *[same] * op.arity), [same], np.ones(5))
    apart = [leaf(x) for _ in range(op.arity)]
    close(g, sum(reverse(apply(op, *apart), apart, np.ones(5))), 1e-13, 1.0)


@several
def test_shapes_that_do_not_match_are_a_value_error(op):
    operands = [leaf(np.ones(2)), leaf(np.ones(3)), leaf(np.ones(2))][: op.arity]
    with pytest.raises(ValueError, match="don't match"):
        apply(op, *operands)


LAYOUTS = {
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "every other": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "reversed": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "columns first": np.asfortranarray,
}


@rows
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_memory_that_is_not_contiguous(op, layout):
    points = draw(op, (3, 4))
    expected_leaves = [leaf(p) for p in points]
    expected = apply(op, *expected_leaves)
    spread = [tg.as_tensor(layout(p)).requires_grad_() for p in points]
    assert not any(x.detach().numpy().flags.c_contiguous for x in spread)
    y = apply(op, *spread)
    close(values_of(y), values_of(expected), 1e-15)
    seed = np.arange(12.0).reshape(3, 4)
    for g, h in zip(reverse(y, spread, seed), reverse(expected, expected_leaves, seed)):
        close(g, h, 1e-14)
    close(values_of(apply(op, *[tg.as_tensor(layout(p)) for p in points])), values_of(expected), 1e-15)


@rows
def test_operands_that_are_views(op):
    points = draw(op, (4, 3))

    def of_views(*leaves):
        return apply(op, *[x.T[::-1, 1:3] for x in leaves])

    def expected(*arrays):
        return reference(op)(*[a.T[::-1, 1:3] for a in arrays])

    check_op(op, points, of_views, reference=reference(op) and expected, single=False)


# Kinds of operands ---------------------------------------------------------------------------------------------------

NUMBERS = {
    "float": float,
    "numpy scalar": np.float64,
    "0-d array": np.array,
    "array": lambda v: np.full(3, v),
    "list": lambda v: [v, v, v],
    "0-d tensor": lambda v: tg.tensor(float(v)),
    "passive tensor": lambda v: tg.tensor([v, v, v]),
}


@several
@pytest.mark.parametrize("kind", NUMBERS.values(), ids=NUMBERS)
def test_numbers_and_arrays_on_every_side(op, kind):
    """Each set of operands that are not tensors with a derivative; a number is recorded once and twice."""
    points = draw(op, (3,), *[()] * (op.arity - 1))
    for tracked in itertools.product([True, False], repeat=op.arity):
        kept = [k for k in range(op.arity) if tracked[k]]
        if not kept:
            continue
        numbers = [draw(op, ())[k].item() for k in range(op.arity)]
        leaves = {k: leaf(points[0] if k == 0 else np.full(3, points[k])) for k in kept}
        full = [leaf(values_of(leaves[k]) if k in kept else np.full(3, numbers[k])) for k in range(op.arity)]
        expected = apply(op, *full)
        gradients = reverse(expected, full, np.ones(3))
        for name in (op.name, *op.names):
            function = getattr(tg, name)
            for _ in range(2):
                y = function(*[leaves[k] if k in kept else kind(numbers[k]) for k in range(op.arity)])
                close(values_of(y), values_of(expected), 1e-15)
                found = reverse(y, list(leaves.values()), np.ones(3)) if y.requires_grad else [np.zeros(3)] * len(kept)
                for k, g in zip(kept, found):
                    close(g, gradients[k], 1e-13)


@rows
def test_numbers_alone(op):
    numbers = [p.item() for p in draw(op, ())]
    y = apply(op, *numbers)
    assert isinstance(y, tg.Tensor) and y.shape == () and y.dtype == tg.float64 and not y.requires_grad
    close(values_of(y), values_of(apply(op, *map(leaf, numbers))), 1e-15)


@rows
def test_float32_with_python_numbers_stays_float32(op):
    points = draw(op, (3,))
    for k in active(op):
        operands = [leaf(p, np.float32) if q == k else p[0].item() for q, p in enumerate(points)]
        y = apply(op, *operands)
        assert y.dtype == np.float32
        wide = [leaf(values_of(x), np.float64) if q == k else x for q, x in enumerate(operands)]
        (g,), (h,) = reverse(y, [operands[k]], np.ones(3)), reverse(apply(op, *wide), [wide[k]], np.ones(3))
        assert g.dtype == np.float32
        close(g, h, SINGLE, 1.0)


@several
def test_float32_beside_float64_gives_float64_and_each_its_own_gradient(op):
    points = draw(op, (3,))
    leaves = [leaf(p, np.float32 if k % 2 == 0 else np.float64) for k, p in enumerate(points)]
    y = apply(op, *leaves)
    assert y.dtype == np.float64
    wide = [leaf(values_of(x)) for x in leaves]
    close(values_of(y), values_of(apply(op, *wide)), 1e-15)
    for x, g, h in zip(leaves, reverse(y, leaves, np.ones(3)), reverse(apply(op, *wide), wide, np.ones(3))):
        assert g.dtype == x.dtype
        close(g, h, SINGLE, 1.0)


# Names and spellings -------------------------------------------------------------------------------------------------


@rows
def test_functions_methods_and_numpys_dispatch_are_one_operation(op):
    points = draw(op, (4,))
    plain_leaves = [leaf(p) for p in points]
    expected = apply(op, *plain_leaves)
    gradients = reverse(expected, plain_leaves, np.ones(4))
    for name in (op.name, *op.names):
        spellings = [getattr(tg, name)]
        if not op.no_method:
            spellings.append(getattr(tg.Tensor, name))
        if isinstance(getattr(np, name, None), np.ufunc):
            spellings.append(getattr(np, name))
        for function in spellings:
            leaves = [leaf(p) for p in points]
            y = function(*leaves)
            close(values_of(y), values_of(expected), 0.0)
            assert y.grad_fn.name() == op.display + "Backward0"
            for g, h in zip(reverse(y, leaves, np.ones(4)), gradients):
                close(g, h, 0.0)


@rows
@pytest.mark.parametrize("nothing", [None, "1", 1j, object()], ids=["None", "str", "complex", "object"])
def test_what_is_no_number_is_a_type_error(op, nothing):
    operands = [leaf(np.ones(2)) for _ in range(op.arity)]
    for k in range(op.arity):
        with pytest.raises(TypeError):
            apply(op, *[nothing if q == k else x for q, x in enumerate(operands)])


# In place ------------------------------------------------------------------------------------------------------------


def in_place_names(op):
    return [name + "_" for name in (op.name, *op.names)]


@writing
def test_in_place_is_the_function_on_what_was_there(op):
    points = draw(op, (2, 3))
    expected_leaves = [leaf(p) for p in points]
    expected = apply(op, *expected_leaves)
    gradients = reverse(expected, expected_leaves, np.ones((2, 3)))
    for name in in_place_names(op):
        leaves = [leaf(p) for p in points]
        x = leaves[0] * 1.0
        before = x._version
        result = getattr(x, name)(*leaves[1:])
        assert result is x and x._version > before
        close(values_of(x), values_of(expected), 1e-15)
        for g, h in zip(reverse(x, leaves, np.ones((2, 3))), gradients):
            close(g, h, 1e-14)


@writing
def test_in_place_into_a_view_and_without_recording(op):
    points = draw(op, (2, 3))
    expected = values_of(apply(op, *map(leaf, points)))
    for name in in_place_names(op):
        first = leaf(points[0])
        base = first * 1.0
        getattr(base[:, 1:], name)(*[leaf(p[:, 1:]) for p in points[1:]])
        close(values_of(base), np.hstack([points[0][:, :1], expected[:, 1:]]), 1e-15)
        (g,) = reverse(base, [first], np.ones((2, 3)))
        whole = [leaf(p) for p in points]
        h = reverse(apply(op, *whole), whole, np.ones((2, 3)))[0]
        close(g, np.hstack([np.ones((2, 1)), h[:, 1:]]), 1e-14)

        plain = tg.tensor(points[0])
        memory = plain.numpy()
        assert getattr(plain, name)(*map(tg.tensor, points[1:])) is plain
        close(memory, expected, 1e-15)
        learned = leaf(points[0])
        with tg.no_grad():
            getattr(learned, name)(*map(tg.tensor, points[1:]))
        close(values_of(learned), expected, 1e-15)


@writing
def test_in_place_into_a_leaf_is_refused_and_into_float32_keeps_it(op):
    points = draw(op, (3,))
    for name in in_place_names(op):
        with pytest.raises(RuntimeError, match="leaf"):
            getattr(leaf(points[0]), name)(*map(tg.tensor, points[1:]))
        x = leaf(points[0], np.float32)
        y = x * 1.0
        getattr(y, name)(*[p[0].item() for p in points[1:]])
        assert y.dtype == np.float32
        (g,) = reverse(y, [x], np.ones(3, np.float32))
        assert g.dtype == np.float32


# Integers ------------------------------------------------------------------------------------------------------------


@rows
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.int32])
def test_small_integers_are_computed_in_double_precision(op, dtype):
    """As integers of 64 bits are, which NumPy computes so, unless integers come out."""
    given = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], dtype)[: op.arity]
    wide = values_of(apply(op, *map(tg.tensor, given.astype(np.int64))))
    if wide.dtype != np.float64:
        pytest.skip("it gives integers")
    found = values_of(apply(op, *map(tg.tensor, given)))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, wide)
