"""The transforms: each against the others, against central differences, on trees of arguments, and nested in any order."""

import collections
import itertools

import numpy as np
import pytest

import tapegrad as tg

X = np.array([0.3, -0.7, 1.1])
V = np.array([1.0, 0.5, -2.0])
A = np.arange(9.0).reshape(3, 3) / 5


def scalar(x):
    return (np.sin(x) * tg.exp(x * 0.5)).sum() * x[0] + (x[1] * x[2]) ** 3


def vector(x):
    return tg.stack([x[0] * x[1], x[2] ** 2, np.sin(x[0]) * x[2], x[1]])


def numeric_gradient(f, x, h=1e-6):
    return np.array([(float(f(x + h * e)) - float(f(x - h * e))) / (2 * h) for e in np.eye(x.size)])


def as_float(f):
    return lambda x: f(tg.tensor(x)).item()


H = tg.jacobian(tg.grad(scalar))(X)
J = tg.jacobian(vector)(X)


def test_the_pieces_agree_with_differences():
    np.testing.assert_allclose(tg.grad(scalar)(X), numeric_gradient(as_float(scalar), X), rtol=1e-8)
    numeric = [(vector(tg.tensor(X + 1e-6 * e)) - vector(tg.tensor(X - 1e-6 * e))).numpy() / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(J, np.stack(numeric, 1), atol=1e-9)
    np.testing.assert_allclose(H, H.T, rtol=1e-13)


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product([tg.jacfwd, tg.jacrev, tg.jacobian], repeat=2)))
def test_jacobians_of_jacobians_in_any_order(outer, inner):
    np.testing.assert_allclose(outer(inner(scalar))(X), H, rtol=1e-12, atol=1e-13)
    third = outer(inner(vector))(X)
    assert third.shape == (4, 3, 3)
    np.testing.assert_allclose(third, tg.jacobian(tg.jacobian(vector))(X), atol=1e-13)


def test_hessians_and_products_with_them():
    np.testing.assert_allclose(tg.hessian(scalar)(X), H, rtol=1e-13)
    np.testing.assert_allclose(tg.hvp(scalar, X, V), H @ V, rtol=1e-13)
    np.testing.assert_allclose(tg.hessian_vector_product(scalar)(X, V), H @ V, rtol=1e-13)
    np.testing.assert_allclose(tg.jvp(tg.grad(scalar), (X,), (V,))[1], H @ V, rtol=1e-13)
    np.testing.assert_allclose(tg.vjp(tg.grad(scalar), X)[1](V)[0], H @ V, rtol=1e-13)
    np.testing.assert_allclose(tg.grad(lambda x: (tg.grad(scalar)(x) * V).sum())(X), H @ V, rtol=1e-13)
    np.testing.assert_allclose(tg.grad(lambda x: tg.jvp(scalar, (x,), (V,))[1])(X), H @ V, rtol=1e-13)
    np.testing.assert_allclose(tg.linearize(tg.grad(scalar), X)[1](V), H @ V, rtol=1e-13)


def test_a_gradient_of_an_hvp_is_a_third_derivative():
    third = tg.jacobian(tg.hessian(scalar))(X)
    got = tg.grad(lambda x: (tg.hvp(scalar, x, V) * V).sum())(X)
    np.testing.assert_allclose(got, np.einsum("ijk,i,j->k", third, V, V), rtol=1e-11)
    by_vector = tg.jacobian(lambda v: tg.hvp(scalar, X, v))(V)
    np.testing.assert_allclose(by_vector, H, rtol=1e-12, atol=1e-13)


def test_vjp_and_jvp_are_transposes_of_each_other():
    value, pull = tg.vjp(vector, X)
    np.testing.assert_allclose(value, vector(tg.tensor(X)).numpy())
    u = np.array([1.0, -1.0, 2.0, 0.5])
    for _ in range(2):
        np.testing.assert_allclose(pull(u)[0], u @ J, rtol=1e-13)
    value, tangent = tg.jvp(vector, (X,), (V,))
    np.testing.assert_allclose(tangent, J @ V, rtol=1e-13)
    value, push = tg.linearize(vector, X)
    for k in (1.0, 2.0):
        np.testing.assert_allclose(push(k * V), k * (J @ V), rtol=1e-13)


def test_products_of_several_arguments_and_outputs():
    def f(a, b):
        return {"sum": a + b["y"], "parts": (a * b["y"], b["z"] ** 2)}

    primals = (X, {"y": V, "z": 2.0})
    value, pull = tg.vjp(f, *primals)
    assert set(value) == {"sum", "parts"} and isinstance(value["parts"], tuple)
    ga, gb = pull({"sum": np.ones(3), "parts": (np.ones(3), 1.0)})
    np.testing.assert_allclose(ga, 1 + V)
    np.testing.assert_allclose(gb["y"], 1 + X)
    assert gb["z"] == 4.0
    value, tangent = tg.jvp(f, primals, (np.ones(3), {"y": np.zeros(3), "z": 1.0}))
    np.testing.assert_allclose(tangent["parts"][0], V)
    assert tangent["parts"][1] == 4.0
    jacobians = tg.jacobian(f, (0, 1))(*primals)
    np.testing.assert_allclose(jacobians["parts"][0][1]["y"], np.diag(X))
    assert jacobians["parts"][1][1]["z"] == 4.0


def test_hessians_of_trees():
    Point = collections.namedtuple("Point", "x y")
    blocks = tg.hessian(lambda p: (p.x**2 * p.y).sum())(Point(X, 2.0))
    np.testing.assert_allclose(blocks.x.x, np.diag([4.0] * 3))
    np.testing.assert_allclose(blocks.x.y, 2 * X)
    np.testing.assert_allclose(blocks.y.x, 2 * X)
    assert blocks.y.y == 0
    both = tg.hessian(lambda a, b: (a * a * b).sum(), (0, 1))(X, V)
    np.testing.assert_allclose(both[0][1], np.diag(2 * X))
    np.testing.assert_allclose(both[1][0], np.diag(2 * X))


def test_argnums_under_both_names_and_negative():
    f = lambda a, b, c: a * b**2 * c
    for transform in (tg.grad, tg.jacobian, tg.elementwise_grad):
        assert transform(f, 1)(2.0, 3.0, 1.0) == transform(f, argnum=1)(2.0, 3.0, 1.0) == transform(f, -2)(2.0, 3.0, 1.0) == 12
        assert transform(f, (0, 1))(2.0, 3.0, 1.0) == (9, 12)


@pytest.mark.parametrize("bad", ["x", 1.5, None, ()])
def test_argnums_of_other_kinds_are_type_errors(bad):
    with pytest.raises(TypeError, match="argnums"):
        tg.grad(lambda x: x, bad)
    with pytest.raises(TypeError, match="argument 3"):
        tg.grad(lambda x: x, 3)(1.0)


# Nesting --------------------------------------------------------------------------------------------------------------


def test_inner_functions_that_refer_to_outer_variables():
    # d/dx of x * d/dy (x * y) is 2x
    assert tg.grad(lambda x: x * tg.grad(lambda y: x * y)(1.0))(2.0) == 4.0
    assert tg.grad(lambda x: x * tg.grad(lambda y: x * y * y)(x))(2.0) == 24.0  # x * 2 x y at y = x
    assert tg.jvp(lambda x: x * tg.jvp(lambda y: x + y, (1.0,), (1.0,))[1], (1.0,), (1.0,))[1] == 1.0
    assert tg.grad(lambda x: tg.jacobian(lambda y: x * y**2)(3.0) ** 2)(2.0) == 2 * 12 * 6
    assert tg.grad(lambda x: tg.hvp(lambda y: x * y**3, 1.0, 2.0))(2.0) == 12.0
    assert tg.grad(lambda x: tg.vjp(lambda y: x * y, 1.0)[1](3.0)[0])(2.0) == 3.0
    assert tg.grad(lambda x: tg.linearize(lambda y: x * y, 1.0)[1](3.0))(2.0) == 3.0
    assert tg.grad(lambda x: tg.elementwise_grad(lambda y: x * y * y)(np.ones(2)).sum())(2.0) == 4.0


def test_the_same_variable_inside_and_outside_is_two_variables():
    # d/dy of x * y at y = x is x, not 2 x
    assert tg.grad(lambda x: tg.grad(lambda y: x * y)(x))(5.0) == 1.0
    assert tg.grad(lambda x: tg.grad(lambda y: x * y)(x) * 1.0)(5.0) == 1.0


def test_an_inner_transform_that_does_not_depend_on_the_outer_one_gives_numbers():
    seen = []

    def f(x):
        seen.append(tg.grad(lambda y: y**3)(2.0))
        return x * seen[-1]

    assert tg.grad(f)(1.0) == 12.0 and not isinstance(seen[0], tg.Tensor)


def test_closures_over_parameters_in_the_facade():
    w = tg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = tg.tensor(X)
    gradient = tg.grad(lambda x: (w * x * x).sum())(x)
    assert gradient.requires_grad
    gradient.sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * X)
    assert x.grad is None
    as_arrays = tg.grad(lambda x: (w * x * x).sum())(X)
    assert isinstance(as_arrays, np.ndarray)
    np.testing.assert_allclose(as_arrays, 2 * X * [1, 2, 3])


def test_tensors_give_tensors_and_their_grad_is_left_alone():
    x = tg.tensor(X, requires_grad=True)
    gradient = tg.grad(scalar)(x)
    assert isinstance(gradient, tg.Tensor) and gradient.requires_grad and x.grad is None
    np.testing.assert_allclose(tg.autograd.grad(gradient.sum(), x)[0].numpy(), H.sum(0), rtol=1e-12)
    plain = tg.grad(scalar)(tg.tensor(X))
    assert not plain.requires_grad
    np.testing.assert_allclose(plain.numpy(), tg.grad(scalar)(X))
    _value, tangent = tg.jvp(vector, (tg.tensor(X),), (tg.tensor(V),))
    np.testing.assert_allclose(tangent.numpy(), J @ V)


def test_transforms_work_under_no_grad():
    with tg.no_grad():
        np.testing.assert_allclose(tg.grad(scalar)(X), tg.jacrev(scalar)(X))
        np.testing.assert_allclose(tg.jvp(vector, (X,), (V,))[1], J @ V)
        np.testing.assert_allclose(tg.hvp(scalar, X, V), H @ V)


def test_long_loops_and_python_functions_on_the_way():
    class Double(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    def through_python(x):
        return Double.apply(x * x)

    assert tg.jvp(through_python, (3.0,), (1.0,)) == (18.0, 12.0)
    assert tg.jacfwd(through_python)(3.0) == 12.0
    np.testing.assert_allclose(tg.jacobian(lambda x: tg.stack([through_python(x)] * 3))(3.0), [12.0] * 3)

    def long(x):
        z = x
        for _ in range(2000):
            z = z * 0.999 + x * 0.001
        return z

    _value, tangent = tg.jvp(long, (2.0,), (1.0,))
    assert tangent == pytest.approx(tg.grad(long)(2.0), rel=1e-12)
    np.testing.assert_allclose(tg.jacfwd(long)(X), tg.jacrev(long)(X), rtol=1e-12)


# Values and errors ----------------------------------------------------------------------------------------------------


def test_float32_stays():
    x = X.astype(np.float32)
    tangent = tg.jvp(vector, (x,), (x,))[1]
    for result in (tg.grad(scalar)(x), tg.hvp(scalar, x, x), tg.jacobian(vector)(x), tangent, tg.hessian(scalar)(x)):
        assert result.dtype == np.float32


def test_aux_is_handed_on():
    f = lambda x: ((x**2).sum(), {"norm": x.sum(), "name": "a"})
    _gradient, aux = tg.grad(f, has_aux=True)(X)
    assert aux["name"] == "a" and isinstance(aux["norm"], float)
    _value, pull, aux = tg.vjp(f, X, has_aux=True)
    np.testing.assert_allclose(pull(1.0)[0], 2 * X)
    _value, tangent, aux = tg.jvp(f, (X,), (V,), has_aux=True)
    assert tangent == pytest.approx((2 * X * V).sum())
    jacobian, aux = tg.jacobian(f, has_aux=True)(X)
    np.testing.assert_allclose(jacobian, 2 * X)
    with pytest.raises(TypeError, match="pair"):
        tg.grad(lambda x: x, has_aux=True)(1.0)


def test_what_does_not_depend_has_zeros():
    assert tg.grad(lambda x: 3.0)(1.0) == 0
    assert tg.jvp(lambda x: 3.0, (1.0,), (1.0,)) == (3.0, 0.0)
    assert tg.vjp(lambda x, y: x * 2.0, 1.0, np.ones(2))[1](1.0)[1].tolist() == [0, 0]
    assert tg.hessian(lambda x: x.sum())(X).tolist() == np.zeros((3, 3)).tolist()
    assert tg.hvp(lambda x: x.sum(), X, V).tolist() == [0, 0, 0]
    assert tg.jacobian(lambda x: np.ones(2))(X).shape == (2, 3)


def test_empty_arrays():
    assert tg.grad(lambda x: x.sum())(np.zeros(0)).shape == (0,)
    assert tg.jacobian(lambda x: x * 2)(np.zeros((0, 2))).shape == (0, 2, 0, 2)
    assert tg.jacfwd(lambda x: x * 2)(np.zeros((0,))).shape == (0, 0)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tg.jvp(vector, X, V), TypeError, "tuple"),
        (lambda: tg.jvp(vector, (X,), (V[:2],)), ValueError, r"\(3,\)"),
        (lambda: tg.jvp(vector, (X,), (V, V)), ValueError, "form"),
        (lambda: tg.vjp(vector, X)[1](np.ones(3)), ValueError, r"\(4,\)"),
        (lambda: tg.vjp(vector), TypeError, "arguments"),
        (lambda: tg.hvp(scalar, X, V[:1]), ValueError, "shape"),
        (lambda: tg.hvp(vector, X, V), TypeError, "one number"),
        (lambda: tg.grad(vector)(X), TypeError, "one number"),
        (lambda: tg.grad(lambda x: (x, x))(1.0), TypeError, "one number"),
        (lambda: tg.hessian(3.0), TypeError, "function"),
        (lambda: tg.checkpoint(3.0), TypeError, "function"),
        (lambda: tg.grad(scalar)("abc"), TypeError, "str"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call()


# HIPS autograd's names ------------------------------------------------------------------------------------------------


def test_hips_products():
    pull, _value = tg.make_vjp(vector)(X)
    np.testing.assert_allclose(pull(np.ones(4)), np.ones(4) @ J)
    _value, tangent = tg.make_jvp(vector)(X)(V)
    np.testing.assert_allclose(tangent, J @ V)
    np.testing.assert_allclose(tg.make_jvp(lambda a, b: a * b, argnum=1)(X, V)(V)[1], X * V)


def test_elementwise_derivatives_of_any_order():
    sixth = np.tanh
    for _ in range(3):
        sixth = tg.elementwise_grad(sixth)
    t = np.tanh(X)
    np.testing.assert_allclose(sixth(X), (1 - t**2) * (6 * t**2 - 2), rtol=1e-12)


# checkpoint -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", [tg.grad, tg.hessian, tg.jacfwd, tg.jacrev, lambda f: lambda x: tg.hvp(f, x, V)])
def test_checkpoint_changes_no_derivative(transform):
    part = tg.checkpoint(lambda x: np.sin(x) * x)
    np.testing.assert_allclose(transform(lambda x: scalar(part(x) + x))(X),
                               transform(lambda x: scalar(np.sin(x) * x + x))(X), rtol=1e-11, atol=1e-12)


def test_checkpoint_reaches_what_the_function_refers_to():
    w = tg.tensor(V, requires_grad=True)
    inner = w * 2.0
    x = tg.tensor(X, requires_grad=True)
    y = tg.checkpoint(lambda x, k: ((x * inner * w).sum() * k, "aux", x * 3.0))(x, 2.0)
    assert y[1] == "aux"
    (y[0] + y[2].sum()).backward()
    np.testing.assert_allclose(w.grad.numpy(), 8 * X * V)
    np.testing.assert_allclose(x.grad.numpy(), 4 * V * V + 3)


def test_checkpoint_runs_the_function_again_only_in_a_backward_and_keeps_no_records():
    calls = []

    def body(x):
        calls.append(1)
        for _ in range(100):
            x = x * 1.01
        return x

    x = tg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5):
        y = tg.checkpoint(body)(y)
    assert len(calls) == 5 and y._tape.n < 50
    y.backward()
    assert len(calls) == 10
    assert x.grad.item() == pytest.approx(1.01**500)
    with tg.no_grad():
        assert not tg.checkpoint(body)(x).requires_grad


def test_checkpoint_sees_that_an_input_was_overwritten():
    x = tg.tensor(X, requires_grad=True)
    a = x * 1.0
    y = tg.checkpoint(lambda a: (a * a).sum())(a)
    a.mul_(2.0)
    with pytest.raises(RuntimeError, match="other values"):
        y.backward()


def test_an_argument_that_is_handed_on_keeps_its_tangent():
    x = np.arange(3.0)
    np.testing.assert_array_equal(tg.jacfwd(lambda x: x)(x), np.eye(3))
    np.testing.assert_array_equal(tg.jacrev(lambda x: x)(x), np.eye(3))
    np.testing.assert_array_equal(tg.jvp(lambda x: (x, 2 * x), (x,), (x + 1,))[1], [x + 1, 2 * x + 2])
    np.testing.assert_array_equal(tg.linearize(lambda x, y: y, x, x)[1](x, x + 1), x + 1)
    np.testing.assert_array_equal(tg.jacobian(lambda x: [x, 2 * x])(x)[0], np.eye(3))


def test_a_function_that_gives_an_argument_back():
    """Forward, too, where the output is the leaf itself."""
    x = np.array([1.0, 2.0])
    for transform in (tg.jacobian, tg.jacfwd, tg.jacrev):
        a, b = transform(lambda x: (x, x * 2))(x)
        np.testing.assert_array_equal(a, np.eye(2))
        np.testing.assert_array_equal(b, 2 * np.eye(2))
    np.testing.assert_array_equal(tg.jvp(lambda x: x, (x,), (3 * x,))[1], 3 * x)


def test_anomalies_are_found():
    with tg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="nan"):
        tg.grad(lambda x: (x / x).sum())(np.zeros(2))
