"""Compiled functions: every call gives what the plain function gives, to the last bit."""

import gc
import pickle
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapegrad as tg
from tapegrad import tape
from tapegrad.transforms.trees import ends

pytestmark = pytest.mark.usefixtures("tier")


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def eager(f, *arguments):
    """The value of a recording by the façade: the kernels that a replay uses."""
    leaves = [tg.tensor(x, requires_grad=True) if not isinstance(x, (int, str)) else x for x in arguments]
    y = f(*leaves)
    return y.detach().numpy() if isinstance(y, tg.Tensor) else y


def same(x, y):
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes(), (x, y)


def near(x, y):
    """The same but for the order in which terms of a gradient were added."""
    x, y = np.asarray(x), np.asarray(y)
    assert x.dtype == y.dtype and x.shape == y.shape
    scale = np.abs(y[np.isfinite(y)]).max(initial=0)
    np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13 * scale)


def check(f, points, compiled=None):
    """Values and gradients of a compiled function at points, against the plain one."""
    compiled = compiled or tg.compile(f)
    both, plain = tg.value_and_grad(compiled), tg.value_and_grad(f)
    for x in points:
        value, gradient = both(x)
        expected, slope = plain(x)
        same(value, expected)
        near(gradient, slope)
        same(compiled(x), eager(f, x))
    return compiled


def only_site(compiled):
    (site,) = compiled.sites.values()
    return site


def points(n, count=8, seed=0):
    return np.random.default_rng(seed).normal(size=(count, n))


def test_values_and_gradients():
    compiled = check(rosenbrock, points(7))
    site = only_site(compiled)
    assert site.recorded == 2 and len(site.paths) == 1 and not site.reason


def test_a_branch_is_a_path():
    def f(x):
        if x[0] > 0:
            return (x**2).sum()
        return tg.sin(x).sum()

    site = only_site(check(f, points(3, 20)))
    assert len(site.paths) == 2 and site.recorded == 4


def test_loops_that_depend_on_values():
    def f(x):
        steps = 0
        while x.sum() < 20:
            x = x * 1.5 + 1
            steps += 1
        return (x**2).sum() * steps

    check(f, [np.array([a, 1.0]) for a in (0.5, 3.0, 0.5, 5.0, 3.0, 8.0, 0.1, 0.5, 3.0)])


def test_every_signature_has_programs_of_its_own():
    compiled = check(rosenbrock, [*points(3, 3), *points(4, 3)])
    assert len(compiled.sites) == 2
    x = points(3)[0]
    same(tg.grad(compiled)(x.astype(np.float32)), tg.grad(rosenbrock)(x.astype(np.float32)))


def test_integers_and_text_belong_to_the_signature():
    def f(x, n, kind):
        return (x**n).sum() if kind == "power" else x.sum() * n

    compiled = tg.compile(f)
    for _ in range(3):
        for n in (2, 3):
            for kind in ("power", "sum"):
                same(tg.grad(compiled)(points(3)[0], n, kind), tg.grad(f)(points(3)[0], n, kind))
    assert len(compiled.sites) == 4


def test_several_arguments_trees_and_keywords():
    def f(p, x, *, scale=1.0):
        return {"loss": ((p["w"] * x + p["b"]) ** 2).sum() * scale, "parts": (p["w"].sum(), x)}

    def loss(p, x, scale=1.0):
        return f(p, x, scale=scale)["loss"]

    compiled, single = tg.compile(f), tg.compile(loss)
    for k in range(4):
        p, x = {"w": points(3)[k], "b": 0.5 * k}, points(3)[k + 1]
        found = compiled(p, x, scale=2.0)
        same(found["loss"], ((p["w"] * x + p["b"]) ** 2).sum() * 2)
        same(found["parts"][1], x)
        for argnums in (0, 1, -1, (0, 1)):
            a = tg.grad(single, argnums)(p, x, scale=3.0)
            b = tg.grad(loss, argnums)(p, x, scale=3.0)
            assert type(a) is type(b)
            for one, other in zip(flat(a), flat(b)):
                near(one, other)


def flat(tree):
    if isinstance(tree, dict):
        return [x for part in tree.values() for x in flat(part)]
    if isinstance(tree, (tuple, list)):
        return [x for part in tree for x in flat(part)]
    return [tree]


def test_lists_and_tuples_of_arrays():
    def f(layers, x, pair):
        for w in layers:
            x = tg.tanh(w @ x)
        return (x * pair[0]).sum() * pair[1]

    both = tg.value_and_grad(tg.compile(f), 0), tg.value_and_grad(tg.compile(f), 1), tg.value_and_grad(tg.compile(f), -1)
    for k in range(4):
        arguments = [points(3, 3, k), points(3, 3, k + 9)], points(3, 1, k)[0], (points(3, 1, k + 4)[0], 1.0 + k)
        for argnum, one in zip((0, 1, -1), both):
            value, gradient = one(*arguments)
            expected, slope = tg.value_and_grad(f, argnum)(*arguments)
            np.testing.assert_allclose(value, expected, rtol=1e-14)
            assert type(gradient) is type(slope)
            for a, b in zip(flat(gradient), flat(slope)):
                np.testing.assert_allclose(a, b, rtol=1e-13)
    out = [np.zeros((3, 3)), np.zeros((3, 3))]
    assert both[0](*arguments, out=out)[1] is out
    same(out[1], tg.grad(f)(*arguments)[1])
    assert tg.compile(lambda a, b: a[0] * b)((2.0,), 3.0) == 6.0


def test_numbers():
    f = tg.compile(lambda x, y: x * y + tg.sin(x))
    for k in range(4):
        assert tg.grad(f, 1)(2.0 + k, 3.0) == 2.0 + k
        assert tg.grad(f)(2, 3.0) == pytest.approx(3 + np.cos(2))


def test_aux():
    def f(x):
        return (x**2).sum(), {"norm": x.sum(), "name": "f"}

    compiled = tg.compile(f)
    for x in points(3):
        (value, aux), gradient = tg.value_and_grad(compiled, has_aux=True)(x)
        same(value, (x**2).sum())
        assert aux["norm"] == x.sum() and aux["name"] == "f"
        same(gradient, 2 * x)
        assert tg.grad(compiled, has_aux=True)(x)[1]["name"] == "f"


def test_out():
    both, x = tg.value_and_grad(tg.compile(rosenbrock)), points(5)
    out = np.zeros(5)
    for k in range(4):
        _, gradient = both(x[k], out=out)
        assert gradient is out
        same(out, tg.grad(rosenbrock)(x[k]))
    with pytest.raises(ValueError, match="shape"):
        both(x[0], out=np.zeros(4))
    w = tg.tensor(1.0, requires_grad=True)
    eagerly = tg.value_and_grad(tg.compile(lambda x: (x * w).sum()))
    with pytest.warns(UserWarning, match="requires grad"):
        assert eagerly(x[0], out=out)[1] is out
    same(out, np.ones(5))


def test_results_are_copies():
    f = tg.compile(lambda x: x * 2)
    first = [f(np.ones(3)) for _ in range(3)][-1]
    f(np.zeros(3))
    same(first, np.full(3, 2.0))
    constant = tg.compile(lambda x: (x.sum(), np.ones(2)))
    for _ in range(3):
        _, ones = constant(np.ones(3))
        ones[:] = 5
    same(constant(np.ones(3))[1], np.ones(2))


def test_tensors_give_tensors():
    f, x = tg.compile(rosenbrock), tg.tensor(points(4)[0])
    for _ in range(3):
        assert isinstance(f(x), tg.Tensor) and not f(x).requires_grad
        assert isinstance(tg.grad(f)(x), tg.Tensor)


def test_one_operation_of_a_graph():
    f = tg.compile(lambda x, y: (x * y).sum())
    for k in range(4):
        x = tg.tensor(points(3)[k], requires_grad=True)
        y = tg.tensor(points(3)[k + 1])
        loss = f(tg.sin(x), y) * 2
        loss.backward()
        expected = tg.tensor(points(3)[k], requires_grad=True)
        ((tg.sin(expected) * y).sum() * 2).backward()
        same(x.grad.numpy(), expected.grad.numpy())
        assert loss.grad_fn.next_functions


def test_hooks_and_second_derivatives_in_a_graph():
    f = tg.compile(lambda x: (x**3).sum())
    seen = []
    for _ in range(4):
        x = tg.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1.0
        y.register_hook(lambda g: seen.append(g.tolist()))
        (g,) = tg.autograd.grad(f(y), x, create_graph=True)
        g.sum().backward()
        same(x.grad.numpy(), np.array([6.0, 12.0]))
        same(tg.grad(lambda a: f(a) * 2.0)(np.array([1.0, 2.0])), np.array([6.0, 24.0]))
    assert seen[0] == [3.0, 12.0]


def test_transforms_agree_with_those_of_the_plain_function():
    def f(x):
        return tg.stack([x[0] * x[1], tg.sin(x[1]), x.prod(), x[2] ** 2])

    def g(x):
        return tg.exp(x[0] * x[1]) + (x**3).sum() * x[2]

    compiled, single = tg.compile(f), tg.compile(g)
    for x in points(3, 4):
        for transform in (tg.jacobian, tg.jacrev, tg.jacfwd, tg.elementwise_grad):
            near(transform(compiled)(x), transform(f)(x))
        np.testing.assert_allclose(tg.hessian(single)(x), tg.hessian(g)(x), rtol=1e-13)
        v = np.cos(x)
        np.testing.assert_allclose(tg.hvp(single, x, v), tg.hvp(g, x, v), rtol=1e-13)
        np.testing.assert_allclose(tg.hessian_vector_product(single)(x, v), tg.hvp(g, x, v), rtol=1e-13)
        value, pull = tg.vjp(compiled, x)
        expected, reference = tg.vjp(f, x)
        same(value, expected)
        near(pull(np.arange(4.0))[0], reference(np.arange(4.0))[0])
        near(pull(np.ones(4))[0], reference(np.ones(4))[0])
        for one, other in zip(tg.jvp(compiled, (x,), (v,)), tg.jvp(f, (x,), (v,))):
            same(one, other)
        _, push = tg.linearize(compiled, x)
        same(push(v), tg.jvp(f, (x,), (v,))[1])
        assert tg.make_vjp(compiled)(x)[1].shape == (4,)
    assert only_site(compiled).recorded == 2
    assert only_site(single.transformed[0]).recorded == 2 and only_site(single.transformed[0]).paths


def test_transforms_of_several_arguments_and_outputs():
    def f(x, y):
        return {"a": x * y.sum(), "b": (x.sum(), y)}

    compiled = tg.compile(f)
    x, y = points(2)[0], points(3)[0]
    for _ in range(3):
        a, b = tg.jacobian(compiled, (0, 1))(x, y), tg.jacobian(f, (0, 1))(x, y)
        for one, other in zip(flat(a), flat(b)):
            np.testing.assert_array_equal(one, other)
        g = tg.compile(lambda x, y: (x.sum() * y**2).sum())
        for one, other in zip(flat(tg.hessian(g, (0, 1))(x, y)), flat(tg.hessian(g.function, (0, 1))(x, y))):
            np.testing.assert_allclose(one, other)


def test_transforms_nest_around_a_compiled_function():
    f = tg.compile(lambda x: (x**4).sum())
    x = np.array([1.0, 2.0])
    for _ in range(3):
        np.testing.assert_allclose(tg.hessian(lambda a: f(a) * 1.0)(x), np.diag(12 * x**2))
        np.testing.assert_allclose(tg.grad(lambda a: tg.grad(f)(a).sum())(x), 12 * x**2)
        np.testing.assert_allclose(tg.grad(tg.compile(lambda a: tg.grad(f)(a).sum()))(x), 12 * x**2)


def test_compiled_within_compiled():
    inner = tg.compile(lambda x: tg.exp(x).sum())
    check(lambda x: inner(x) + inner(2 * x), points(3))


def test_methods_and_decorator():
    class Model:
        def __init__(self):
            self.scale = 2.0

        @tg.compile
        def loss(self, x):
            return (self.scale * x**2).sum()

    model, x = Model(), points(3)[0]
    for _ in range(4):
        same(tg.grad(lambda a: model.loss(a))(x), 4 * x)
        same(model.loss(x), 2 * eager(lambda a: (a**2).sum(), x))
    model.scale = 3.0
    np.testing.assert_allclose(model.loss(x), 3 * (x**2).sum())

    @tg.compile(paths=1)
    def f(x):
        return x.sum()

    assert f.limit == 1 and f.__name__ == "f"
    assert tg.compile(f) is f


def test_in_place_operations_and_views_inside():
    def f(x):
        y = x * 2
        y[0] = x[1] * x[2]
        y += 1.0
        z = y[1:].reshape(-1)
        z *= x[0]
        return (y * z.sum()).sum()

    check(f, points(3))


def test_long_loops():
    def f(x):
        y = x
        for _ in range(20_000):
            y = y * 0.9999 + 0.0001
        return y.sum()

    compiled = check(f, [np.ones(2), np.full(2, 0.5), np.array([2.0, 3.0])])
    assert len(only_site(compiled).paths[0]) > 40_000


def test_dead_records_and_constants_are_left_out():
    def f(x):
        (x**3 + tg.exp(x)).sum()
        return x.sum()

    compiled = check(f, points(3))
    assert len(only_site(compiled).paths[0]) == 2


def test_large_arguments_are_read_where_they_are():
    a = np.random.default_rng(0).normal(size=(3, 20_000))
    compiled = check(lambda x: (tg.sin(x) * x).sum(), [a[0], a[1], a[2], a[0], a.T[:, 1], a[:, ::2].reshape(-1)[:20_000]])
    before = a.copy()
    kept = [compiled(x) for x in a]
    same(a, before)
    both = tg.compile(lambda x: (x, x * 2))
    for x in (*a, *a):
        for one, other in zip(both(x), (x, x * 2)):
            same(one, other)
    same(kept[0], compiled(a[0]))
    x = a[0].copy()
    _, pull = tg.vjp(compiled, x)
    _, push = tg.linearize(compiled, x)
    expected = tg.grad(compiled.function)(x)
    x[:] = 0
    same(pull(1.0)[0], expected)
    np.testing.assert_allclose(push(np.ones(20_000)), expected.sum())
    given = tg.tensor(a[1], requires_grad=True)
    y = compiled(given)
    y.backward()
    same(given.grad.numpy(), tg.grad(compiled.function)(a[1]))


def test_empty_and_single_elements():
    check(lambda x: (x * 3).sum(), [np.zeros(0)] * 3)
    for transform in (tg.jacobian, tg.jacrev, tg.jacfwd):
        assert transform(tg.compile(lambda x: x * 2))(np.zeros(0)).shape == (0, 0)
        assert transform(tg.compile(lambda x: x[:0]))(np.zeros(2)).shape == (0, 2)
        np.testing.assert_array_equal(transform(tg.compile(lambda x: (x, x[1] * np.ones(1))))(np.ones(2))[0], np.eye(2))
    check(lambda x: (x * 3).sum(), [np.full((1, 1), k) for k in (1.0, 2.0, 3.0)])


def test_non_contiguous_arguments():
    a = np.arange(24.0).reshape(4, 6)
    check(lambda x: (tg.sin(x) * x[0]).sum(), [a[:, ::2], a[:, 1::2], a[:, ::2]])


def test_errors_come_through():
    f = tg.compile(lambda x: x.sum() + x[5])
    for _ in range(3):
        with pytest.raises(IndexError):
            f(np.ones(3))
    with pytest.raises(TypeError, match="number"):
        tg.grad(tg.compile(lambda x: x * 2))(np.ones(3))
    with pytest.raises(TypeError, match="function"):
        tg.compile(3)
    with pytest.raises(ValueError, match="path"):
        tg.compile(lambda x: x, paths=0)
    with pytest.raises(TypeError, match="argnums"):
        tg.grad(tg.compile(lambda x: x), 1)(1.0)


def test_the_recording_thread_is_left_as_it_was():
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    f = tg.compile(lambda a: (a**2).sum())
    f(np.ones(2))
    with pytest.raises(ZeroDivisionError):
        tg.compile(lambda a: 1 // 0)(np.ones(2))
    (y * x).sum().backward()
    same(x.grad.numpy(), np.array([4.0, 8.0]))


def test_under_no_grad():
    f = tg.compile(lambda a: (a**2).sum())
    with tg.no_grad():
        for _ in range(3):
            same(f(np.ones(2)), np.float64(2))
            same(tg.grad(f)(np.ones(2)), np.full(2, 2.0))


def pickled(x):
    return (x**2).sum()


decorated = tg.compile(pickled)


def test_pickle():
    f = pickle.loads(pickle.dumps(decorated))
    same(f(np.ones(3)), np.float64(3))


def test_threads():
    def f(x):
        if x[0] > 0:
            return (tg.exp(-x) * x**2).sum()
        return (x**4).sum()

    both, plain, wrong = tg.value_and_grad(tg.compile(f)), tg.value_and_grad(f), []
    sets = [points(6, 40, seed) for seed in range(4)]
    expected = [[plain(x) for x in some] for some in sets]

    def work(k):
        try:
            for _ in range(20):
                for x, (value, gradient) in zip(sets[k], expected[k]):
                    a, b = both(x)
                    if a != value or b.tobytes() != gradient.tobytes():
                        wrong.append(x)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_stays_flat():
    both, x = tg.value_and_grad(tg.compile(rosenbrock)), points(10)[0]
    loss = tg.compile(rosenbrock)

    def run(count):
        for _ in range(count):
            both(x)
        for _ in range(count // 20):
            w = tg.tensor(x, requires_grad=True)
            loss(w).backward()

    run(20_000)                              # machine code is there by then
    tracemalloc.start()
    try:
        run(200)
        before = tracemalloc.get_traced_memory()[0]
        run(20_000)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 50_000
    finally:
        tracemalloc.stop()


# Random programs ------------------------------------------------------------------------------------------------------

UNARY = (tg.sin, tg.tanh, tg.exp, abs, tg.relu, lambda x: -x, lambda x: x**2, lambda x: x * 0.5 + 1)
BINARY = (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, tg.maximum)
step = st.tuples(st.sampled_from(("unary", "binary", "branch", "where", "index", "loop")), *[st.integers(0, 1000)] * 4)


def program(steps):
    def f(x):
        values = [x, x * 0.5]
        for kind, a, b, c, d in steps:
            u, v = values[a % len(values)], values[b % len(values)]
            if kind == "unary":
                z = UNARY[c % len(UNARY)](u)
            elif kind == "binary":
                z = BINARY[c % len(BINARY)](u, v)
            elif kind == "branch":
                z = u * 2 if u[c % 3] > v[d % 3] else v + 1
            elif kind == "where":
                z = tg.where(u > v, u, v * 0.5)
            elif kind == "index":
                z = u * v[int(u.argmax())]
            else:
                z, n = u, 0
                while n < 3 and z[0] < c / 500:
                    z, n = z + 0.7, n + 1
            values.append(tg.tanh(z) if len(values) % 4 == 0 else z)
        return values[-1].sum() + values[-2][0]

    return f


@settings(max_examples=40, deadline=None)
@given(st.lists(step, min_size=1, max_size=8), st.integers(0, 2**31))
def test_random_programs(steps, seed):
    xs = np.random.default_rng(seed).normal(size=(3, 3))
    with np.errstate(all="ignore"):
        check(program(steps), [*xs, *xs, *xs])


def test_a_recording_leaves_nothing_for_the_collector_of_circles():
    """Its tapes are large and few, so Python would not look for them for long."""
    def f(x):
        y = x * 1.0
        for _ in range(5):
            y[:1] *= x[1]
        return y.sum() + x.sum().item()      # held to the value: recorded anew in each call
    fast = tg.compile(f)

    def tapes():
        return sum(type(thing) is tape.Tape for thing in gc.get_objects())
    fast(np.array([1.0, 2.0]))
    gc.collect()
    before = tapes()
    gc.disable()
    try:
        for k in range(5):
            fast(np.array([1.0, 3.0 + k]))
        assert tapes() <= before + 1         # the open one
    finally:
        gc.enable()


@pytest.mark.parametrize("tier", ["interpreter", "machine"])
def test_what_depends_on_nothing_has_zeros_of_its_own_dtype(tier):
    x, y = np.arange(4, dtype=np.float32), np.ones(1, np.float32)
    parts = 5.0, np.ones(2), np.ones(2, np.float32), tg.ones(3), x

    def f(x, y):
        return (tg.sum(y * y), *parts)

    g = tg.compile(f, tier=tier)
    single = tg.compile(lambda x, y: tg.sum(y * y), tier=tier)
    for _ in range(4):
        for found, wanted in zip(tg.jvp(g, (x, y), (x, y))[1], tg.jvp(f, (x, y), (x, y))[1], strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype
        product = tg.hessian_vector_product(single)(x, y, x)
        assert product.dtype == np.float32
        assert not product.any()


# Arguments of several dtypes --------------------------------------------------------------------------------------------------

@pytest.mark.filterwarnings("ignore:compile runs .* of float64 and float32")
@pytest.mark.parametrize("transform", [
    lambda f: f, lambda f: tg.grad(f, 0), lambda f: tg.grad(f, 1), lambda f: tg.value_and_grad(f, (0, 1)),
    lambda f: tg.jacobian(f, 0), lambda f: tg.jacobian(f, 1), lambda f: tg.jacfwd(f, (0, 1)), lambda f: tg.hessian(f, 1),
], ids=["value", "grad 0", "grad 1", "value_and_grad", "jacobian 0", "jacobian 1", "jacfwd", "hessian"])
@pytest.mark.parametrize("used", [True, False])
def test_batches_of_several_dtypes_are_of_the_dtypes_that_eager_ones_are(transform, used):
    """Numbers of a batch of float64 among them, which are no floats that take the dtype of what they meet, and floats."""
    def f(x, c):
        return tg.sum(x * x * c * c) if used else tg.sum(x * x) * 1.0

    few, many = np.linspace(1, 2, 3, dtype=np.float32), np.linspace(1, 2, 40)
    cases = [(few, many, (None, 0)), (few, many[:4], (None, 0)), (few, np.outer(many, [1.0, 2.0, 3.0]), (None, 0)),
             (many, few, (0, None)), (many.astype(np.float32), np.float64(2.0), (0, None)),
             (np.outer(many, few).astype(np.float32), 2.0, (0, None))]
    if used:
        cases.append((1.5, np.outer(many, few).astype(np.float32), (None, 0)))
    for x, c, axes in cases:
        wanted = ends(tg.vmap(transform(f), axes)(x, c))
        g = tg.vmap(transform(tg.compile(f)), axes)
        for _ in range(3):
            for a, b in zip(ends(g(x, c)), wanted, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(a, b, rtol=1e-5)


def test_the_derivative_by_a_float_is_a_double_beside_arrays_of_floats():
    x = np.ones(3, np.float32)
    f = tg.compile(lambda x, c: (x * c * c).sum())
    for transform in (tg.grad, tg.jacobian, tg.jacfwd, tg.hessian):
        g, eager = transform(f, 1), transform(f.function, 1)
        for c in (1.1, 1.2, 1.3):
            f(x, c)
            assert g(x, c).dtype == np.float64
            np.testing.assert_array_equal(g(x, c), eager(x, c))
        assert transform(f, 0)(x, 2.0).dtype == np.float32


# Derivatives by some of the arguments, where those by others would need what was overwritten --------------------------------

def test_hessians_where_what_was_overwritten_is_needed_for_other_derivatives():
    """In a recording all arguments are differentiated by; what is asked for decides what is needed."""
    def f(x, c):
        v = tg.as_tensor(x * 1.0)
        v[0] = c * v[0]
        return (v * v).sum()

    x, c = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    g, batch = tg.hessian(tg.compile(f)), tg.vmap(tg.hessian(tg.compile(f)), (None, 0))
    for k in range(4):
        np.testing.assert_array_equal(g(x + k, 2.0 + k), np.diag([2 * (2.0 + k) ** 2, 2.0, 2.0]))
        np.testing.assert_array_equal(batch(x + k, c), [np.diag([2 * value**2, 2.0, 2.0]) for value in c])
    with pytest.raises(RuntimeError, match="overwritten in place"):
        tg.hessian(tg.compile(f), 1)(x, 2.0)
