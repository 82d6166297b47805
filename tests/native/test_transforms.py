"""The transforms of compiled functions give what they give of the same function on Tensors: values, forms and dtypes."""

import math
from collections import namedtuple

import numba
import numpy as np
import pytest

import tapegrad as tg

X, Y = np.array([0.5, 1.5]), 2.0


@numba.njit
def number(x, y=2.0):
    return x[0] * x[1] ** 2 * y + math.exp(x[0]) * y**2


def number_of_tensors(x, y=2.0):
    return x[0] * x[1] ** 2 * y + tg.exp(x[0]) * y**2


@numba.njit
def several(x, k):
    out = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            out[i, j] = x[i] * x[j] * k
    return out, x[0] ** 3, 7.0


def several_of_tensors(x, k):
    return tg.outer(x, x) * k, x[0] ** 3, 7.0


def same(a, b):
    if isinstance(a, (tuple, list)):
        assert type(a) is type(b) and len(a) == len(b)
        for one, other in zip(a, b):
            same(one, other)
        return
    assert type(a) is type(b)
    if isinstance(a, tg.Tensor):
        a, b = a.detach().numpy(), b.detach().numpy()
    assert np.shape(a) == np.shape(b) and a.dtype == b.dtype
    np.testing.assert_allclose(a, b, 1e-6 if a.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: tg.grad(f)(X, Y),
        lambda f: tg.grad(f)(X),
        lambda f: tg.grad(f)(X, y=3.0),
        lambda f: tg.grad(f, argnums=1)(X, 2),
        lambda f: tg.grad(f, argnums=-1)(X, Y),
        lambda f: tg.value_and_grad(f, (0, 1))(X, Y),
        lambda f: tg.value_and_grad(f, (1, 0))(X, Y),
        lambda f: tg.grad(f)([0.5, 1.5], Y),
        lambda f: tg.value_and_grad(f)(X.astype(np.float32)),
        lambda f: tg.grad(f, (0, 1))(X, np.array(2.0)),
        lambda f: tg.elementwise_grad(f)(X, Y),
        lambda f: tg.jacobian(f, (1, 0))(X, Y),
        lambda f: tg.hessian(f)(X, Y),
        lambda f: tg.hessian(f, (0, 1))(X, Y),
        lambda f: tg.hvp(f, X, np.array([1.0, -2.0])),
        lambda f: tg.hessian_vector_product(f)(X, Y, np.array([1.0, -2.0])),
        lambda f: tg.jvp(f, (X, Y), (np.ones(2), 3.0)),
        lambda f: tg.linearize(f, X, Y)[1](np.ones(2), 1.0),
        lambda f: tg.make_jvp(f)(X, Y)(np.ones(2)),
        lambda f: tg.vjp(f, X, Y)[1](np.float64(2.0)),
        lambda f: tg.make_vjp(f)(X, Y)[0](np.float64(2.0)),
    ],
)
def test_of_a_number(transform):
    same(transform(number), transform(number_of_tensors))


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: tg.jacrev(f)(X, Y),
        lambda f: tg.jacfwd(f)(X, Y),
        lambda f: tg.jacobian(f, (0, 1))(X, Y),
        lambda f: tg.jvp(f, (X, Y), (np.ones(2), 3.0)),
        lambda f: tg.vjp(f, X, Y)[1]((np.ones((2, 2)), np.float64(2.0), np.float64(1.0))),
        lambda f: tg.elementwise_grad(f)(X, Y),
    ],
)
def test_of_several_outputs(transform):
    same(transform(several), transform(several_of_tensors))


def test_has_aux():
    f = numba.njit(lambda x: (x[0] * x[1], x * 2))
    g = lambda x: (x[0] * x[1], x * 2)
    for transform in (tg.grad, tg.value_and_grad, tg.jacobian):
        same(transform(f, has_aux=True)(X), transform(g, has_aux=True)(X))
    same(tg.jvp(f, (X,), (X,), has_aux=True), tg.jvp(g, (X,), (X,), has_aux=True))
    same(tg.vjp(f, X, has_aux=True)[1](np.float64(1.0)), tg.vjp(g, X, has_aux=True)[1](np.float64(1.0)))


Pair = namedtuple("Pair", "loss parts")


def test_named_tuples_stay():
    f = numba.njit(lambda x: Pair(x[0] * x[1], x * 2))
    same(tg.jacobian(f)(X), tg.jacobian(lambda x: Pair(x[0] * x[1], x * 2))(X))


def test_a_function_compiled_again_has_new_derivatives():
    scope = {"factor": 2.0}
    exec("def f(x): return factor * x", scope)
    f = numba.njit(scope["f"])
    slope = tg.grad(f)
    assert slope(1.0) == 2.0
    scope["factor"] = 3.0
    f.recompile()
    assert f(1.0) == slope(1.0) == tg.grad(f)(1.0) == 3.0


def test_methods_of_arrays_of_numbers_stay_as_they_are():
    f = numba.njit(lambda a: (a.sum(axis=0, dtype=np.float64), a.view(np.int64).sum(), a.astype(np.float32).std()))
    assert [np.shape(part) for part in f(np.ones((2, 2)))] == [(2,), (), ()]


def test_nothing_to_differentiate_by():
    f = numba.njit(lambda x: x.sum() + 1.0)
    assert tg.grad(f)(np.zeros(0)).shape == (0,)
    assert tg.hessian(f)(np.zeros(0)).shape == (0, 0)
    assert tg.jacobian(f)(np.zeros(0)).shape == (0,)
    constant = tg.grad(numba.njit(lambda x: 3.0))
    for n in (2, 16, 17):
        assert constant(np.ones(n)).tolist() == [0.0] * n


# Tensors --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(
    "transform",
    [
        lambda f: tg.grad(f)(tg.tensor(X), Y),
        lambda f: tg.hessian(f)(tg.tensor(X), tg.tensor(Y)),
        lambda f: tg.jacobian(f)(tg.tensor(X), Y),
        lambda f: tg.hvp(f, tg.tensor(X), tg.tensor([1.0, 2.0])),
        lambda f: tg.grad(lambda x: (tg.grad(f)(x, tg.tensor(Y)) ** 2).sum())(X),
    ],
)
def test_on_tensors(transform):
    same(transform(number), transform(number_of_tensors))


def test_a_call_is_an_operation_of_the_graph():
    x, y = tg.tensor(X, requires_grad=True), tg.tensor(Y, requires_grad=True)
    z = tg.call(number, x * 2, y)
    z.backward()
    u, v = tg.tensor(X, requires_grad=True), tg.tensor(Y, requires_grad=True)
    w = number_of_tensors(u * 2, v)
    w.backward()
    same((z, x.grad, y.grad), (w, u.grad, v.grad))


def test_a_call_with_create_graph():
    f = lambda x, k: tg.call(several, x, k)
    found = []
    for function in (f, several_of_tensors):
        x = tg.tensor(X, requires_grad=True)
        a, b, _ = function(x, Y)
        (g,) = tg.autograd.grad((a * a).sum() + b, x, create_graph=True)
        (g * tg.tensor([1.0, -3.0])).sum().backward()
        found.append((a, b, g, x.grad))
    same(*found)
    assert tg.autograd.gradgradcheck(lambda x: f(x, Y)[0], (tg.tensor(X, requires_grad=True),))


def test_a_call_of_single_precision():
    x = tg.tensor(X, dtype=tg.float32, requires_grad=True)
    y = tg.call(number, x)
    y.backward()
    assert y.dtype == x.grad.dtype == tg.float32


def test_a_third_derivative_is_refused():
    x = tg.tensor(X, requires_grad=True)
    (g,) = tg.autograd.grad(tg.call(number, x), x, create_graph=True)
    (h,) = tg.autograd.grad(g.sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="third order"):
        h.sum().backward()


# From compiled code, threads and batches ------------------------------------------------------------------------------

def test_derivatives_are_called_from_compiled_code():
    slope, both, jacobian, push = (
        tg.njit_grad(number), tg.njit_value_and_grad(number, (0, 1)), tg.njit_jacobian(several), tg.njit_jvp(number),
    )  # fmt: skip

    @numba.njit
    def descend(x, y, steps):
        for _ in range(steps):
            x = x - 0.01 * slope(x, y)
        return x, both(x, y), jacobian(x, y)[1], push(x, y, np.ones(2))

    x = X
    for _ in range(5):
        x = x - 0.01 * tg.grad(number_of_tensors)(x, Y)
    end, (value, (by_x, by_y)), matrix, (_, tangent) = descend(X, Y, 5)
    expected = tg.grad(number_of_tensors, (0, 1))(x, Y)
    np.testing.assert_allclose(end, x, 1e-12)
    np.testing.assert_allclose(value, number(x, Y), 1e-12)
    np.testing.assert_allclose(by_x, expected[0], 1e-12)
    np.testing.assert_allclose(by_y, expected[1], 1e-12)
    np.testing.assert_allclose(matrix[:4].reshape(2, 2, 2), tg.jacobian(several)(x, Y)[0], 1e-12)
    np.testing.assert_allclose(tangent, [expected[0].sum()], 1e-12)


@numba.njit
def wave(x):
    s = 0.0
    for i in range(len(x)):
        s += np.sin(x[i]) * x[i - 1]
    return s


def test_threads_have_tapes_of_their_own():
    from concurrent.futures import ThreadPoolExecutor

    gradient, samples = tg.grad(wave), np.random.default_rng(0).normal(size=(40, 300))
    want = [gradient(x) for x in samples]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            np.testing.assert_array_equal(list(pool.map(gradient, samples)), want)


def test_parallel_loops_over_samples():
    both = tg.njit_value_and_grad(wave)

    def many(samples):
        values, gradients = np.empty(len(samples)), np.empty_like(samples)
        for k in numba.prange(len(samples)):
            values[k], gradients[k] = both(samples[k])
        return values, gradients
    samples = np.random.default_rng(0).normal(size=(200, 30))
    for found, expected in zip(numba.njit(parallel=True)(many)(samples), many(samples)):
        np.testing.assert_array_equal(found, expected)


def test_batches_are_compiled_loops():
    @numba.njit
    def f(p, z, n):
        s = p[0]
        for k in range(n):
            s = s * p[1] + z[k]
        return s * s

    def sequential(p, z, n):
        return [tg.value_and_grad(f, (0, 1))(p, row, n) for row in z]
    p, z = np.array([0.3, 0.9]), np.random.default_rng(0).normal(size=(600, 15))
    values, (by_p, by_z) = tg.value_and_grad(f, (0, 1)).batched((None, 0, None))(p, z, 4)
    expected = sequential(p, z, 4)
    np.testing.assert_allclose(values, [value for value, _ in expected], 1e-12)
    np.testing.assert_allclose(by_p, [g for _, (g, _) in expected], 1e-12)
    np.testing.assert_allclose(by_z, [g for _, (_, g) in expected], 1e-12)
    forward = tg.grad(f).batched((None, 1, None))(p, z.T, 4)
    np.testing.assert_allclose(forward, by_p, 1e-12)


def test_batches_of_jacobians():
    @numba.njit
    def residuals(p, q, z):
        return np.array([p[0] * z[0] + q * z[1], p[1] * p[2] * q])
    p, q, z = np.arange(10.0), np.random.default_rng(0).normal(size=20), np.random.default_rng(1).normal(size=(20, 2))
    by_p, by_q = tg.jacobian(residuals, (0, 1)).batched((None, 0, 0))(p, q, z)
    assert by_p.shape == (20, 2, 10) and by_q.shape == (20, 2)
    for k in range(20):
        one, other = tg.jacobian(residuals, (0, 1))(p, q[k], z[k])
        np.testing.assert_array_equal(by_p[k], one)
        np.testing.assert_array_equal(by_q[k], other)


def test_a_long_recording_runs_over_several_chunks():
    @numba.njit
    def f(x, n):
        s = x[0]
        for _ in range(n):
            s = s * x[1] + x[0]
        return s
    n = 20_000
    value, gradient = tg.value_and_grad(f)(np.array([0.1, 0.5, *np.zeros(15)]), n)
    np.testing.assert_allclose([value, *gradient[:2]], [0.2, 2.0, 0.4], 1e-12)
    assert not gradient[2:].any()


def test_a_tape_that_does_not_fit():
    from tapegrad.native import tape

    f = numba.njit(lambda x, n: _power(x, n))
    gradient = tg.grad(f)
    assert gradient(np.ones(17), 2) == pytest.approx([1.0, 2.0] + [0.0] * 15)
    limit = tape.POOL[tape.LIMIT]
    tape.POOL[tape.LIMIT] = tape.KEPT
    try:
        with pytest.raises(MemoryError, match="doesn't fit into memory"):
            gradient(np.ones(17), 3_000_000)
        assert gradient(np.ones(17), 2) == pytest.approx([1.0, 2.0] + [0.0] * 15)
        assert gradient(np.ones(16), 1_000_000)[1] == 1e6      # forward, which needs none
    finally:
        tape.POOL[tape.LIMIT] = limit


@numba.njit
def _power(x, n):
    s = x[0]
    for _ in range(n):
        s = s * x[1]
    return s


# Errors ---------------------------------------------------------------------------------------------------------------

@numba.njit
def writes_to_numbers(x):
    buffer = np.arange(3.0)
    buffer[0] = x[0]
    return buffer[0]


@numba.njit
def calls_it(x):
    return 2 * writes_to_numbers(x)


@numba.njit
def raises(x):
    if x[0] > 0.4:
        raise ValueError("the function's own")
    return x[0]


# What compiled code can't be differentiated through: named, with the line
@pytest.mark.parametrize(
    ("name", "line"),
    [
        (r"svd\(", "return np.linalg.svd(x.reshape(1, 2))[1][0]"),
        (r"eigvalsh\(", "return np.linalg.eigvalsh(np.eye(2) * x[0])[0]"),
        (r"lstsq\(", "return np.linalg.lstsq(np.eye(2), x)[0][0]"),
        (r"pinv\(", "return np.linalg.pinv(np.eye(2) * x[0])[0, 0]"),
        (r"normal\(", "return np.random.normal(x[0], x[1])"),
        (r"complex\(", "return complex(x[0], x[1]).real"),
        (r"astype\(float32", "return x.astype(np.float32)[0]"),
        (r"\(view\)", "return x.view(np.int64)[0] * 1.0"),
        ("no such operation", "return float(len({x[0], x[1]}))"),
        (r"setitem\(array\(int64", "k = np.zeros(2, np.int64); k[0] = x[0]; return x[0] * k[0]"),
        (r"setitem\(array\(float64.*np.array", "k = np.arange(3.0); k[0] = x[0]; return k[0]"),
        (r"unify.*np.array", "k = x * 2.0 if x[0] > 0.0 else np.arange(2.0); return k[0]"),
        (r"add\(", "return np.add(x, x, np.zeros(2))[0]"),
    ],
)
def test_what_does_not_work_says_so(name, line, tmp_path):
    (tmp_path / "program.py").write_text(f"import numba\nimport numpy as np\n\n@numba.njit\ndef f(x):\n    {line}\n")
    scope = {}
    exec(compile((tmp_path / "program.py").read_text(), tmp_path / "program.py", "exec"), scope)
    assert np.isfinite(scope["f"](X))
    words = f"(?s)f can't be differentiated as compiled code: .*{name}.*program.py, line 6: "
    with pytest.raises(TypeError, match=words) as error:
        tg.grad(scope["f"])(X)
    assert line[:20] in str(error.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tg.grad(several)(X, Y), "one number.*use jacobian"),
        (lambda: tg.hessian(numba.njit(lambda x: x))(X), "one number"),
        (lambda: tg.hvp(numba.njit(lambda x: x), X, X), "one number"),
        (lambda: tg.grad(calls_it)(X), r"setitem\(array\(float64.*buffer\[0\] = x\[0\]"),
        (lambda: tg.grad(numba.njit(lambda x: np.linalg.svd(x)[1].sum()))(np.eye(2)), r"there is no svd\("),
        (lambda: tg.grad(number)("text"), "text"),
        (lambda: tg.grad(number)(X > 0), "dtype bool"),
        (lambda: tg.grad(number, 2)(X, Y), "argnums asks for argument 2"),
        (lambda: tg.call(abs, X), "numba.njit"),
        (lambda: tg.njit_grad(abs), "numba.njit"),
        (lambda: tg.jvp(number, (), ()), "nothing to differentiate by"),
    ],
)
def test_type_errors(make, words):
    with pytest.raises(TypeError, match=f"(?s){words}"):
        make()


def test_shapes_of_vectors_are_checked():
    with pytest.raises(ValueError, match="shape"):
        tg.hvp(number, X, np.ones(3))
    with pytest.raises(ValueError, match="cotangent"):
        tg.vjp(number, X)[1](np.ones(2))


def test_errors_of_the_function_itself():
    for _ in range(3):
        with pytest.raises(ValueError, match="the function's own"):
            tg.grad(raises)(X)
    with pytest.raises(numba.core.errors.TypingError, match="nothing"):
        tg.grad(numba.njit(lambda x: x.nothing))(X)


def test_vmap_of_compiled_functions_and_their_derivatives():
    @numba.njit
    def f(w, x):
        total = 0.0
        for k in range(len(w)):
            total += w[k] * x[k] ** 2
        return total

    w, x = np.array([1.0, 2.0]), np.arange(10.0).reshape(5, 2)
    np.testing.assert_allclose(tg.vmap(tg.grad(f), in_axes=(None, 0))(w, x), x**2)
    values, gradients = tg.vmap(tg.value_and_grad(f, 1), in_axes=(None, 0))(w, x)
    np.testing.assert_allclose(values, x**2 @ w)
    np.testing.assert_allclose(gradients, 2 * w * x)
    np.testing.assert_allclose(tg.vmap(tg.grad(f), in_axes=(None, 1), out_axes=1)(w, x.T), (x**2).T)
    np.testing.assert_allclose(tg.vmap(f, in_axes=(None, 0))(w, x), x**2 @ w)


def test_compiled_functions_called_with_tensors_point_to_call():
    square = numba.njit(lambda x: x * x)
    first = numba.njit(lambda x: x[0])
    x = tg.tensor(3.0, requires_grad=True)
    for attempt in (lambda: square(x), lambda: tg.grad(lambda x: square(x) + 1.0)(3.0), lambda: first([x])):
        with pytest.raises((numba.TypingError, RuntimeError), match=r"tapegrad\.call\(function, x"):
            attempt()
    assert tg.grad(lambda x: tg.call(square, x) + 1.0)(3.0) == 6.0
    # What runs as Python takes them
    assert numba.jit(lambda x: x * x, forceobj=True)(x).item() == 9.0
