"""Products with a Hessian by tangents forward and adjoints with their tangents backward, beside those that record a gradient."""

import numpy as np
import pytest
from ops.rows import active, apply, draw

import tapegrad as tg
from tapegrad import kernels
from tapegrad.autograd import recorded
from tapegrad.kernels import second
from tapegrad.ops import OPS
from tapegrad.sweeps import TOUCHED
from tapegrad.transforms import curvature

ROWS = [op for op in OPS if op.value is not None and active(op) and not op.no_second]


def by_recording(f, x, v):
    return tg.jvp(tg.grad(f), (x,), (v,))[1]


@pytest.fixture
def nothing_recorded(monkeypatch):
    """Fails where a gradient is recorded."""

    def refuse(*_):
        raise AssertionError("a gradient was recorded")

    monkeypatch.setattr(recorded.RecordedPass, "run", refuse)


def check(f, x, seed=0, rtol=1e-13):
    """The product of the sweep and that of a recorded gradient, of a function of an array or of a list of arrays."""
    rng = np.random.default_rng(seed)
    single = not isinstance(x, list)
    v = rng.normal(size=np.shape(x)) if single else [rng.normal(size=np.shape(part)) for part in x]
    expected, got = by_recording(f, x, v), tg.hvp(f, x, v)
    for a, b in [(got, expected)] if single else zip(got, expected):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.abs(b).max()))


# Rows ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_row(op):
    operands = draw(op, (3,))
    chosen = [k for k in active(op) if k not in op.refused]

    def function(by, shapes=None):
        def f(leaves):
            leaves = iter(leaves)
            given = [next(leaves) if k in by else operands[k] for k in range(op.arity)]
            return (apply(op, *given) ** 2 * np.array([1.0, -2.0, 3.0])).sum()

        return f

    check(function(chosen), [operands[k] for k in chosen])
    for k in chosen if op.arity > 1 else ():
        check(function([k]), [operands[k]], seed=k)
        check(function([k]), [operands[k][0]], seed=k)  # a number beside vectors


@pytest.mark.parametrize("op", [op for op in ROWS if None in op.partials and not op.refused], ids=lambda op: op.name)
def test_an_operand_without_derivative_may_move(op):
    points = draw(op, (5,), seed=1)
    check(lambda parts: (apply(op, *parts) * parts[1]).sum(), points)


def test_every_partial_that_reads_values_has_a_rule_for_its_tangent():
    rules = [second.rule(op, k) for op in ROWS for k in active(op) if k not in op.refused and op.partial_needs(k)]
    assert len(rules) > 100 and all(callable(rule) for rule, _ in rules)


ALONG = {
    "logsumexp": lambda x, axis: tg.logsumexp(x, axis) ** 2,
    "softmax": lambda x, axis: tg.softmax(x, axis) ** 3,
    "log_softmax": lambda x, axis: tg.nn.functional.log_softmax(x, axis) ** 2,
    "norm": lambda x, axis: np.linalg.norm(x, axis=axis) ** 3,
    "var": lambda x, axis: x.var(axis, correction=0) ** 2,
    "std": lambda x, axis: x.std(axis, correction=0) ** 3,
    "prod": lambda x, axis: x.prod(axis) ** 2,
    "cumsum": lambda x, axis: x.cumsum(axis) ** 2,
    "cumprod": lambda x, axis: x.cumprod(axis) ** 2,
    "logcumsumexp": lambda x, axis: x.logcumsumexp(axis) ** 2,
    "max": lambda x, axis: np.max(x, axis) ** 2,
    "min": lambda x, axis: np.min(x, axis) ** 3,
    "mean": lambda x, axis: x.mean(axis) ** 2,
    "sort": lambda x, axis: np.sort(x, axis)[..., 0] ** 2,
}


@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize(("shape", "axis"), [((3, 4), 0), ((3, 4), 1), ((1, 4), 1), ((4, 1), 1), ((2, 3, 4), 1), ((5,), 0)])
def test_along_an_axis(name, shape, axis):
    x = np.random.default_rng(1).normal(size=shape)
    check(lambda x: (ALONG[name](x, axis) * 1.5).sum(), x)
    check(lambda x: (ALONG[name](x.exp(), axis) * x.sum()).sum(), x)


@pytest.mark.parametrize("name", [op.name for op in OPS if op.value is None and 4 <= op.kind <= 5])
def test_every_written_operation_says_how_its_adjoint_moves(name):
    op = next(op for op in OPS if op.name == name)
    for k in range(op.arity):
        known = kernels._without_kernel(op, k)
        assert known is not None or ("second", k) in op.bodies


# Programs ------------------------------------------------------------------------------------------------------------

A = np.random.default_rng(7).normal(size=(6, 5))


def loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return s


def branches(x):
    y = x.exp()
    if y.sum() > 1:
        y = y * x
    return (np.where(x > 0.3, y, 1.0 / (1 + x * x)) * np.maximum(x, 0.5)).sum() + (x > 0).sum() * x[0] ** 2


def flow(x):
    h = np.tanh(A @ x)
    return np.logaddexp(0, h).sum() + tg.stack([h[0] * h[1], h[2] ** 3]).prod() + np.concatenate([h, x])[2:8].var()


def written(x):
    y = tg.zeros(5)
    y[1:4] = x[:3] ** 2
    return (y * x).sum() ** 2


PROGRAMS = {
    "loop": loop,
    "branches": branches,
    "flow": flow,
    "detach": lambda x: (x.detach() * x**2).sum(),
    "constant": lambda x: tg.tensor(3.0),
    "linear": lambda x: x.sum(),
    "one element": lambda x: x[2],
    "leaf twice": lambda x: (x * x).sum() * x.prod(),
    "written": written,
    "matmul": lambda x: ((A[:5].T * x) @ (A[:5] * x) ** 2).sum(),
    "int power": lambda x: (x**3 + 2.0**x + x ** (-1)).sum(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check(PROGRAMS[name], np.array([0.4, -1.2, 0.9, 2.0, 0.7]) if name != "int power" else np.arange(1.0, 5.0))


@pytest.mark.parametrize("name", ["loop", "branches", "flow", "detach", "linear", "leaf twice", "matmul"])
def test_no_gradient_is_recorded(name, nothing_recorded):
    x = np.array([0.4, -1.2, 0.9, 2.0, 0.7])
    assert tg.hvp(PROGRAMS[name], x, np.ones(5)).shape == (5,)
    assert tg.hessian(PROGRAMS[name])(x).shape == (5, 5)


@pytest.mark.parametrize("n", [300, 3000])
def test_many_tapes(n, nothing_recorded):
    """The loop fills tapes of each size; the Hessian is known."""
    x = np.random.default_rng(3).uniform(-1, 1, n)
    v = np.random.default_rng(4).normal(size=n)
    expected = np.zeros(n)
    a, b = x[:-1], x[1:]
    expected[:-1] += (1200 * a**2 - 400 * b + 2) * v[:-1] - 400 * a * v[1:]
    expected[1:] += 200 * v[1:] - 400 * a * v[:-1]
    np.testing.assert_allclose(tg.hvp(loop, x, v), expected, rtol=1e-12, atol=1e-9)


def test_float32():
    x = np.linspace(0.5, 1.5, 5, dtype=np.float32)
    product = tg.hvp(lambda x: (np.exp(x) * np.sin(x) / x).sum(), x, np.ones(5, np.float32))
    expected = tg.hvp(lambda x: (np.exp(x) * np.sin(x) / x).sum(), x.astype(float), np.ones(5))
    assert product.dtype == np.float32
    np.testing.assert_allclose(product, expected, rtol=1e-5, atol=1e-6)


def test_mixed_dtypes():
    check(lambda x: (x.float().exp().double() * x).sum(), np.linspace(0, 1, 4), rtol=1e-6)


def test_trees():
    x = {"a": np.array([1.0, 2.0]), "b": (0.5, np.array([[3.0]]))}
    v = {"a": np.array([1.0, -1.0]), "b": (2.0, np.array([[0.5]]))}

    def f(x):
        return (x["a"] ** 2).sum() * x["b"][0] + np.exp(x["b"][1]).sum() * x["a"][0]

    got, expected = tg.hvp(f, x, v), by_recording(f, x, v)
    np.testing.assert_allclose(got["a"], expected["a"], rtol=1e-14)
    np.testing.assert_allclose(got["b"][1], expected["b"][1], rtol=1e-14)
    assert got["b"][0] == pytest.approx(expected["b"][0], rel=1e-14)
    matrix = tg.hessian(f)(x)
    np.testing.assert_allclose(matrix["a"]["a"], np.diag([1.0, 1.0]), rtol=1e-14)
    assert matrix["b"][0]["b"][1].shape == (1, 1)


def test_what_is_hidden_has_no_part_in_it():
    """As in gradients: a nan that where hides, in values and in derivatives of any order."""
    x = np.array([-1.0, 0.0, 2.0])

    def f(x):
        return np.where(x > 0, x * np.log(np.where(x > 0, x, 1.0)), 0.0).sum() + np.where(x > 0, np.sqrt(x), 0.0).sum()

    np.testing.assert_allclose(tg.hvp(f, x, np.ones(3)), [0, 0, 0.5 - 0.25 * 2**-1.5], rtol=1e-15)


# Where the gradient is recorded after all ----------------------------------------------------------------------------


class Cube(tg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x**2


def hooked(x):
    y = x * x
    y.register_hook(lambda g: 2 * g)
    return (y * x).sum()


def overwritten(x):
    y = x.exp()
    z = y * x
    y += 1
    return (z * x).sum()


@pytest.mark.parametrize("f", [lambda x: Cube.apply(x).sum(), hooked, lambda x: tg.linalg.inv(x.reshape(2, 2)).sum()])
def test_python_on_the_way(f):
    x = np.array([1.0, 2.0, -1.0, 0.5])
    check(f, x)


def test_a_value_that_was_overwritten_is_refused():
    with pytest.raises(RuntimeError, match="in place"):
        tg.hvp(overwritten, np.ones(3), np.ones(3))


def test_what_the_function_refers_to_keeps_its_graph():
    scale = tg.tensor(2.0, requires_grad=True)
    x = tg.tensor([1.0, 2.0])
    product = tg.hvp(lambda x: (scale * x**3).sum(), x, tg.tensor([1.0, 1.0]))
    product.sum().backward()
    assert scale.grad.item() == 18.0


def test_nested_in_other_transforms():
    def f(x):
        return (x**4).sum()

    x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    np.testing.assert_allclose(tg.grad(lambda x: (tg.hvp(f, x, v) * v).sum())(x), 24 * x * v * v)
    np.testing.assert_allclose(tg.jacobian(lambda x: tg.hvp(f, x, v))(x), np.diag(24 * x * v))
    np.testing.assert_allclose(tg.vmap(lambda x: tg.hvp(f, x, v))(np.stack([x, 2 * x])), [12 * x**2 * v, 48 * x**2 * v])


def test_an_exception_on_the_way_leaves_the_tape_usable(monkeypatch):
    x = tg.tensor([0.5, 2.0], requires_grad=True)
    y = x.prod().exp()

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(recorded, "partial", interrupt)
        with pytest.raises(KeyboardInterrupt):
            tg.hvp(lambda x: x.prod().exp(), np.array([0.5, 2.0]), np.ones(2))
    np.testing.assert_allclose(tg.hvp(lambda x: x.prod(), np.array([0.5, 2.0]), np.ones(2)), [1.0, 1.0])
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), np.e * np.array([2.0, 0.5]))


def test_a_hook_on_the_argument_is_called():
    def f(x):
        x.register_hook(lambda g: 10 * g)
        return (x**3).sum()

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(tg.hvp(f, x, np.ones(2)), by_recording(f, x, np.ones(2)))
    assert tg.hvp(f, x, np.ones(2)).tolist() == [60.0, 120.0]


@pytest.mark.parametrize("at", ["forward", "backward", "free", "add", "_sweep"])
@pytest.mark.parametrize("transform", [lambda f, x: tg.hessian(f)(x), lambda f, x: tg.hvp(f, x, np.ones(3))])
def test_an_interrupt_anywhere_leaves_later_derivatives_right(monkeypatch, at, transform):
    """What is left behind, marks on records above all, is never met again."""

    def f(x):
        return (x**3).sum() * x[0]

    x = np.array([1.0, -2.0, 3.0])
    w = tg.tensor(x, requires_grad=True)
    loss = f(w)  # on the tape that the transform goes on with
    expected = tg.grad(f)(x).tolist()
    real = getattr(curvature._Layers, at)

    def interrupted(self, *given):
        if at != "free":
            real(self, *given)
        self.records |= np.uint16(TOUCHED)  # as in the middle of a sweep
        raise KeyboardInterrupt

    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(curvature._Layers, at, interrupted)
            patch.setattr(curvature._Layers, "free", interrupted if at == "free" else lambda self: None)
            with pytest.raises(KeyboardInterrupt):
                transform(f, x)
        assert tg.grad(f)(x).tolist() == expected
        np.testing.assert_allclose(tg.jacobian(f)(x), expected)
        assert tg.jvp(f, (x,), (np.ones(3),))[1] == sum(expected)
        np.testing.assert_allclose(tg.hvp(f, x, np.ones(3)), by_recording(f, x, np.ones(3)))
    loss.backward()
    assert w.grad.tolist() == expected


def test_a_partial_that_branches_is_not_traced():
    """A branch is decided on the value, as where the gradient is recorded; never silently the first way."""
    bent = tg.primitive(
        lambda x: x if x > 0 else -x, lambda g, x, z: g * 2.0 * x if x > 0 else g * 5.0 * x * x, name="bent"
    )
    for x, expected in ((1.5, 2.0), (-2.0, -20.0)):
        assert tg.hvp(bent, x, 1.0) == expected
    with pytest.raises(RuntimeError, match="ambiguous"):
        tg.hvp(lambda x: bent(x).sum(), np.array([1.5, -2.0]), np.ones(2))
