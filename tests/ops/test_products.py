"""Products: values as NumPy's, derivatives of both modes and orders, errors."""

import itertools

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.ops.linalg import SMALL

from . import hosted
from .derivatives import check, close, leaf, reverse, values_of


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def same(name, *arguments, **keywords):
    """A function of tapegrad, and NumPy's of that name."""
    return [
        lambda *a, module=module: getattr(module, name)(*a, *arguments, **keywords) for module in (tg, np)
    ]


PRODUCTS = {
    "dot of vectors": (*same("dot"), (3,), (3,)),
    "dot of matrices": (*same("dot"), (2, 3), (3, 4)),
    "dot of a number": (*same("dot"), (), (2, 3)),
    "dot of many axes": (*same("dot"), (2, 5, 3), (4, 3, 2)),
    "dot of many axes and a vector": (*same("dot"), (2, 5, 3), (3,)),
    "dot of a vector and many axes": (*same("dot"), (3,), (2, 3, 4)),
    "inner of vectors": (*same("inner"), (3,), (3,)),
    "inner": (*same("inner"), (2, 4, 3), (5, 3)),
    "inner of a number": (*same("inner"), (), (2, 3)),
    "outer": (*same("outer"), (3,), (2,)),
    "outer of matrices": (*same("outer"), (2, 2), (3,)),
    "vdot": (*same("vdot"), (2, 3), (2, 3)),
    "vecdot": (lambda x, y: tg.vecdot(x, y), lambda x, y: (x * y).sum(-1), (2, 1, 3), (4, 3)),
    "vecdot along an axis": (lambda x, y: tg.vecdot(x, y, dim=0), lambda x, y: (x * y).sum(0), (2, 3), (2, 3)),
    "tensordot": (*same("tensordot"), (2, 3, 4), (3, 4, 5)),
    "tensordot 1": (*same("tensordot", 1), (2, 3), (3, 4)),
    "tensordot 0": (*same("tensordot", 0), (2,), (3, 2)),
    "tensordot of named axes": (*same("tensordot", axes=([0, 2], [1, 0])), (2, 3, 4), (4, 2, 5)),
    "tensordot of one axis": (*same("tensordot", (-1, 0)), (2, 3), (3, 2)),
    "kron": (*same("kron"), (2, 3), (3, 2)),
    "kron of a vector": (*same("kron"), (3,), (2, 2)),
    "kron of many axes": (*same("kron"), (2, 1, 2), (2, 3)),
    "cross": (*same("cross"), (2, 3), (3,)),
    "cross along an axis": (*same("cross", axis=0), (3, 2), (3, 2)),
    "cross with axes": (*same("cross", axisa=0, axisb=1, axisc=0), (3, 2), (2, 3)),
    "cross of two elements": (
        lambda x, y: tg.cross(x, y),
        lambda x, y: x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0],
        (4, 2),
        (2,),
    ),
    "trace": (*same("trace"), (3, 4)),
    "trace off the diagonal": (*same("trace", 1, 0, 2), (3, 4, 2)),
    "linalg.trace": (lambda x: tg.linalg.trace(x, -1), lambda x: np.trace(x, -1, -2, -1), (2, 3, 3)),
    "linalg.diagonal": (lambda x: tg.linalg.diagonal(x, 1), lambda x: np.diagonal(x, 1, -2, -1), (2, 3, 3)),
    "linalg.cross": (lambda x, y: tg.linalg.cross(x, y), np.cross, (4, 3), (3,)),
    "matvec": (lambda x, y: tg.matvec(x, y), lambda x, y: (x @ y[..., None])[..., 0], (4, 2, 3), (4, 3)),
    "vecmat": (lambda x, y: tg.vecmat(x, y), lambda x, y: (x[..., None, :] @ y)[..., 0, :], (4, 2), (4, 2, 3)),
    "mm": (tg.mm, np.matmul, (2, 3), (3, 4)),
    "mv": (tg.mv, np.matmul, (2, 3), (3,)),
    "bmm": (tg.bmm, np.matmul, (2, 3, 4), (2, 4, 1)),
    "addmm": (
        lambda x, a, b: tg.addmm(x, a, b, beta=0.5, alpha=2),
        lambda x, a, b: 0.5 * x + 2 * a @ b,
        (4,),
        (2, 3),
        (3, 4),
    ),
    "addmv": (lambda x, a, b: x.addmv(a, b), lambda x, a, b: x + a @ b, (2,), (2, 3), (3,)),
    "addr": (lambda x, a, b: x.addr(a, b, alpha=3), lambda x, a, b: x + 3 * np.outer(a, b), (2, 3), (2,), (3,)),
    "baddbmm": (lambda x, a, b: x.baddbmm(a, b), lambda x, a, b: x + a @ b, (2, 3, 4), (2, 3, 2), (2, 2, 4)),
    "addbmm": (lambda x, a, b: x.addbmm(a, b), lambda x, a, b: x + (a @ b).sum(0), (3, 4), (2, 3, 2), (2, 2, 4)),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    function, reference, *shapes = PRODUCTS[name]
    check(function, *[numbers(*shape, seed=k) for k, shape in enumerate(shapes)], reference=reference)


@pytest.mark.parametrize("name", ["dot", "inner", "outer", "vdot", "kron", "cross", "tensordot", "convolve", "correlate"])
def test_numpy_dispatches(name):
    x, y = leaf(numbers(3)), leaf(numbers(3, seed=1))
    extra = (1,) if name == "tensordot" else ()
    found = getattr(np, name)(x, y, *extra)
    assert found.requires_grad
    np.testing.assert_array_equal(values_of(found), values_of(getattr(tg, name)(x, y, *extra)))
    mixed = getattr(np, name)(values_of(x), y, *extra)
    np.testing.assert_allclose(values_of(mixed), values_of(found), rtol=1e-15)


def test_beta_zero_does_not_look_at_what_is_there():
    x = tg.tensor([[np.nan]])
    assert tg.addmm(x, leaf([[2.0]]), leaf([[3.0]]), beta=0).item() == 6


@pytest.mark.parametrize("chain", [(2, 3, 1, 4), (5, 1, 5, 1, 5), (1, 2), (3, 3, 3)], ids=str)
@pytest.mark.parametrize("ends", [(False, False), (True, False), (False, True), (True, True)], ids=str)
def test_multi_dot(chain, ends):
    points = [numbers(m, n, seed=k) for k, (m, n) in enumerate(itertools.pairwise(chain))]
    if len(points) == 1:
        points = [points[0], points[0].T]
    points[0] = points[0][0] if ends[0] else points[0]
    points[-1] = points[-1][:, 0] if ends[1] else points[-1]
    check(lambda *a: tg.linalg.multi_dot(a), *points, reference=lambda *a: np.linalg.multi_dot(a))
    close(values_of(tg.chain_matmul(*map(tg.tensor, points))), np.linalg.multi_dot(points), 1e-13, 1.0)


IN_PLACE = ["addmm", "addmv", "addr", "baddbmm", "addbmm"]


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name):
    _, _, *shapes = PRODUCTS[name]
    shapes[0] = (2, 4) if name == "addmm" else shapes[0]
    x, *others = [leaf(numbers(*shape, seed=k)) for k, shape in enumerate(shapes)]
    expected = getattr(x, name)(*others, alpha=2)
    y = x * 1
    before = y._version
    assert getattr(y, name + "_")(*others, alpha=2) is y
    assert y._version == before + 1
    np.testing.assert_array_equal(values_of(y), values_of(expected))
    seed = numbers(*y.shape, seed=9)
    for found, right in zip(reverse(y, [x, *others], seed), reverse(expected, [x, *others], seed)):
        np.testing.assert_array_equal(found, right)
    plain = x.detach().clone()
    view = plain[:1]
    getattr(plain, name + "_")(*[z.detach() for z in others], alpha=2)
    close(values_of(plain), values_of(expected), 1e-14, 1.0)
    np.testing.assert_array_equal(values_of(view), values_of(plain)[:1])
    with pytest.raises(RuntimeError, match="leaf that requires grad"):
        getattr(x, name + "_")(*others)


def test_in_place_keeps_the_shape():
    with pytest.raises(ValueError, match="would give shape"):
        tg.ones(1, 1).addbmm_(tg.ones(1, 2, 2), tg.ones(1, 2, 2), beta=0)


# Matrices times vectors, small and large -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "k", "n"),
    [(1, 70, 1), (1, SMALL + 5, 1), (SMALL, 1, 1), (1, 1, SMALL), (60, 1, 50), (64, 40, 1), (1, 40, 64), (7, SMALL, 1)],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
def test_thin_products(m, k, n, dtype):
    a, b, seed = (numbers(*shape, seed=s).astype(dtype) for s, shape in enumerate([(m, k), (k, n), (m, n)]))
    x, y = leaf(a, dtype), leaf(b, dtype)
    z = x @ y
    rtol = 1e-12 if dtype == np.float64 else 1e-4
    close(values_of(z), a @ b, rtol, k**0.5)
    for found, expected in zip(reverse(z, [x, y], seed), (seed @ b.T, a.T @ seed)):
        close(found, expected, rtol, k**0.5)
    close(values_of(tg.mv(x, y[:, 0])), (a @ b)[:, 0], rtol, k**0.5)


def test_a_matrix_times_a_vector_has_tangents():
    check(lambda x, y: x @ y, numbers(64, 40), numbers(40), reference=np.matmul, single=False)
    check(lambda x, y: y @ x, numbers(40, 64), numbers(40), reference=lambda x, y: y @ x, single=False)


# Einstein's notation --------------------------------------------------------------------------------------------------

EINSUMS = [
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("ij,kj", (2, 3), (4, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iii", (2, 2, 2)),
    ("iji->j", (2, 3, 2)),
    ("ij->", (2, 3)),
    ("ij->ji", (2, 3)),
    ("ba", (2, 3)),
    ("ijk->j", (2, 3, 4)),
    ("i->i", (3,)),
    ("->", ()),
    (",", (), ()),
    (",i->i", (), (3,)),
    ("i,i->", (3,), (3,)),
    ("i,j->ij", (3,), (2,)),
    ("i,i->i", (3,), (3,)),
    ("i,i", (2,), (1,)),
    ("ij,ij->ij", (1, 3), (2, 3)),
    ("ij,ij->", (1, 3), (2, 1)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bi,bi->b", (3, 4), (3, 4)),
    ("ab,cd", (2, 3), (3, 2)),
    ("ij,j->i", (2, 3), (3,)),
    ("iij,jkk->ik", (3, 3, 2), (2, 4, 4)),
    ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("...ij,...jk->...ik", (2, 3, 3), (3, 4)),
    ("...ij,...jk", (2, 1, 3, 3), (4, 3, 4)),
    ("...ii->...i", (2, 3, 3)),
    ("...", (2, 3)),
    ("i...->...", (2, 3)),
    ("a...b,b...->a...", (2, 3, 4), (4, 3)),
    ("...,...->...", (2, 3), (3,)),
    ("i,ij,j->", (3,), (3, 4), (4,)),
    ("a,b,c->abc", (2,), (3,), (2,)),
    ("ij,jk,kl,lm->im", (2, 3), (3, 4), (4, 5), (5, 2)),
    ("ab,ab,c->", (2, 3), (2, 3), (4,)),
    ("ij,kj,lj->ikl", (2, 3), (2, 3), (2, 3)),
    ("i,i,i->i", (3,), (3,), (3,)),
    (" i j , j k -> i k ", (2, 3), (3, 4)),
    ("Ab,bA", (2, 3), (3, 2)),
]


@pytest.mark.parametrize(("subscripts", "shapes"), [(s, shapes) for s, *shapes in EINSUMS], ids=str)
def test_einsum(subscripts, shapes):
    points = [numbers(*shape, seed=k) for k, shape in enumerate(shapes)]
    check(lambda *a: tg.einsum(subscripts, *a), *points, reference=lambda *a: np.einsum(subscripts, *a))
    np.testing.assert_allclose(values_of(np.einsum(subscripts, *map(leaf, points))), np.einsum(subscripts, *points), rtol=1e-12)


def test_other_forms_of_einsum():
    a, b = numbers(2, 3), numbers(3, 4)
    x, y = leaf(a), leaf(b)
    for z in (
        tg.einsum("ij,jk", [x, y]),
        tg.einsum(x, [0, 1], y, [1, 2]),
        np.einsum(x, [5, 1], y, [1, 7], [5, 7]),
        tg.einsum(x, [..., 1], y, [1, 2], [..., 2]),
    ):
        assert z.requires_grad
        np.testing.assert_allclose(values_of(z), a @ b, rtol=1e-14)


def test_einsum_of_no_derivative_is_a_copy():
    x = tg.tensor(numbers(2, 3))
    y = tg.einsum("ij->ji", x)
    y.zero_()
    assert (values_of(x) != 0).all()


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "plain"])
@pytest.mark.parametrize(
    ("subscripts", "shapes", "match"),
    [
        ("ij,jk", [(2, 2)], "names 2 operands, and 1"),
        ("ij,jk", [(2, 3), (2, 4)], "'j' stands for lengths 3 and 2"),
        ("ij->k", [(2, 3)], "'k' of the result is in no operand"),
        ("ij->ii", [(2, 3)], "twice"),
        ("ijk->k", [(2, 3)], "names 3 axes of an operand that has 2"),
        ("i", [(2, 3)], "names 1 axes of an operand that has 2"),
        ("i1->i", [(2, 3)], "subscripts are letters"),
        ("...i->i", [(2, 3)], "needs ..."),
        ("ii", [(2, 3)], "stands for lengths 2 and 3"),
    ],
)
def test_errors_of_einsum(subscripts, shapes, match, record):
    with pytest.raises(ValueError, match=match):
        tg.einsum(subscripts, *[tg.tensor(np.ones(s), requires_grad=record) for s in shapes])


# Convolution ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("lengths", [(5, 3), (3, 5), (4, 4), (4, 2), (2, 5), (1, 3), (6, 1)], ids=str)
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_convolution(name, lengths, mode):
    points = [numbers(n, seed=n) for n in lengths]
    hosted.check(
        lambda x, y: getattr(tg, name)(x, y, mode), *points, reference=lambda x, y: getattr(np, name)(x, y, mode)
    )


def test_default_modes_of_convolution():
    x, y = leaf(numbers(5)), leaf(numbers(3))
    assert tg.convolve(x, y).shape == (7,)
    assert tg.correlate(x, y).shape == (3,)


# Errors -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "shapes", "match"),
    [
        (tg.dot, [(2, 3), (2, 3)], "second to last"),
        (tg.inner, [(2, 3), (2,)], "equally long"),
        (tg.vdot, [(2, 3), (2,)], "6 and 2"),
        (tg.vecdot, [(2, 3), (2,)], "equally long"),
        (tg.tensordot, [(2, 3), (2, 4)], "equally long"),
        (lambda x, y: tg.tensordot(x, y, 3), [(2, 3), (2, 4)], "3 axes"),
        (tg.cross, [(4,), (4,)], "3 elements"),
        (tg.mm, [(2, 3), (3,)], "2 and 2 axes"),
        (tg.mv, [(2, 3), (3, 1)], "2 and 1 axes"),
        (tg.bmm, [(2, 3, 4), (3, 4, 5)], "2 and 3 matrices"),
        (tg.addmm, [(5, 5), (2, 3), (3, 4)], "don't match"),
        (tg.trace, [(3,)], "two axes"),
        (tg.matvec, [(3,), (3,)], "matrices and vectors"),
        (tg.convolve, [(2, 2), (2,)], "vectors"),
        (tg.convolve, [(0,), (2,)], "without elements"),
        (lambda x, y: tg.convolve(x, y, "wide"), [(2,), (2,)], "mode"),
        (lambda x, y: tg.linalg.multi_dot([x, y, x]), [(2, 2), (2,)], "operand 1"),
    ],
)
def test_errors(function, shapes, match):
    with pytest.raises(ValueError, match=match):
        function(*map(leaf, map(np.ones, shapes)))


# Nothing, and layouts -------------------------------------------------------------------------------------------------

EMPTY = [
    ("outer", (0,), (3,)),
    ("outer", (3,), (0,)),
    ("tensordot", (2, 0, 3), (0, 3, 4)),
    ("inner", (2, 0), (3, 0)),
    ("dot", (0,), (0,)),
    ("kron", (0, 2), (2, 2)),
    ("vdot", (0,), (0,)),
]


@pytest.mark.parametrize(("name", "left", "right"), EMPTY)
def test_nothing(name, left, right):
    x, y = leaf(np.zeros(left)), leaf(np.zeros(right))
    z = getattr(tg, name)(x, y)
    np.testing.assert_array_equal(values_of(z), getattr(np, name)(np.zeros(left), np.zeros(right)))
    gx, gy = reverse(z, [x, y], np.ones(z.shape))
    np.testing.assert_array_equal(gx, np.zeros(left))
    np.testing.assert_array_equal(gy, np.zeros(right))


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [("ij,jk", [(2, 0), (0, 3)]), ("bij,bjk->bik", [(0, 2, 3), (0, 3, 2)]), ("ij->", [(0, 3)]), ("i,j", [(0,), (2,)])],
)
def test_einsum_of_nothing(subscripts, shapes):
    leaves = [leaf(np.ones(s)) for s in shapes]
    z = tg.einsum(subscripts, *leaves)
    np.testing.assert_array_equal(values_of(z), np.einsum(subscripts, *map(np.ones, shapes)))
    for x, g in zip(leaves, reverse(z, leaves, np.ones(z.shape))):
        np.testing.assert_array_equal(g, np.zeros(x.shape))


LAYOUTS = {
    "transposed": lambda a: a.T.copy().T,
    "every other": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "read-only": lambda a: np.broadcast_to(a, a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_operands_in_any_layout(layout):
    """Of leaves, and of arrays that have no derivative."""
    a, b = numbers(3, 3) + 2 * np.eye(3), numbers(3, 3, seed=1)
    strange = LAYOUTS[layout](a)
    for function in (
        tg.outer,
        tg.inner,
        tg.kron,
        tg.linalg.solve,
        lambda x, y: tg.einsum("ij,kj", x, y),
        lambda x, y: tg.tensordot(x, y, ([0], [0])),
        lambda x, y: tg.linalg.solve_triangular(x, y, lower=True),
        lambda x, y: tg.linalg.norm(x, "nuc") * y,
    ):
        expected = function(leaf(a), leaf(b))
        x, y = leaf(strange), leaf(b)
        close(values_of(function(x, y)), values_of(expected), 1e-13, 1.0)
        close(values_of(function(x.T.T, y)), values_of(expected), 1e-13, 1.0)
        close(values_of(function(strange, y)), values_of(expected), 1e-13, 1.0)
        close(values_of(function(strange, b)), values_of(expected), 1e-13, 1.0)
        fresh = leaf(a)
        close(reverse(function(x, y), [x], np.ones(expected.shape))[0],
              reverse(function(fresh, y), [fresh], np.ones(expected.shape))[0], 1e-12, 1.0)
