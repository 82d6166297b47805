"""Exceptions of the user's code, wherever the library calls it: they come out as they are, and nothing stays behind."""

import numba
import numpy as np
import pytest

import tapegrad as tg
from tapegrad import tape

X = np.array([0.3, 0.5, 0.7])


class Boom(Exception):
    pass


class Stop(BaseException):
    pass


def leaf():
    return tg.tensor(X, requires_grad=True)


def after(fail, x):
    """A value of `x`, with an exception in the middle of recording it."""
    y = tg.sin(x) * x
    fail()
    return (y * y).sum()


def backward_of(y, x):
    y.backward()
    return x.grad.numpy()


def hook_of_a_tensor(fail):
    x = leaf()
    y = x * x
    y.register_hook(lambda g: fail())
    return backward_of((y * y).sum(), x)


def hook_of_a_leaf(fail):
    x = leaf()
    x.register_hook(lambda g: fail())
    return backward_of((x * x).sum(), x)


def hook_after_accumulation(fail):
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda p: fail())
    return backward_of((x * x).sum(), x)


def hook_in_a_backward_that_records(fail):
    x = leaf()
    y = x * x
    y.register_hook(lambda g: fail())
    (g,) = tg.autograd.grad((y * y).sum(), x, create_graph=True)
    return backward_of((g * g).sum(), x)


def function_with(forward=lambda: None, backward=lambda: None):
    class Square(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            forward()
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            backward()
            return 2 * g * x

    return Square.apply


def forward_of_a_function(fail):
    x = leaf()
    return backward_of(function_with(forward=fail)(x * 2).sum(), x)


def backward_of_a_function(fail):
    x = leaf()
    return backward_of((function_with(backward=fail)(x * 2) * x).sum(), x)


def backward_inside_of_a_backward(fail):
    def inner():
        with tg.enable_grad():
            after(fail, leaf()).backward()

    x = leaf()
    return backward_of((function_with(backward=inner)(x) * x).sum(), x)


def within_a_mode(mode):
    def run(fail):
        with mode():
            after(fail, leaf())
        x = leaf()
        return backward_of(after(lambda: None, x), x)

    return run


def generator_in_a_mode(fail):
    @tg.no_grad()
    def steps():
        yield 1
        fail()
        yield 2

    list(steps())
    x = leaf()
    return backward_of(after(lambda: None, x), x)


def compiled(tier=None, transform=tg.value_and_grad):
    def run(fail):
        f = transform(tg.compile(lambda x: after(fail, x), tier=tier))
        return [f(X) for _ in range(3)][-1]

    return run


def checkpoint(fail):
    return tg.grad(lambda x: tg.checkpoint(lambda y: after(fail, y))(x) * x[0])(X)


def odeint(fail):
    def slope(y, t, k):
        fail()
        return -k * y

    return tg.grad(lambda k: tg.odeint(slope, 1.0, [0.0, 1.0], k)[-1])(0.5)


def implicit_root(fail):
    def residual(x, a):
        fail()
        return x**3 - a

    return tg.grad(lambda a: tg.implicit_root(residual, 1.0, a))(8.0)


def closure_of(optimizer):
    def run(fail):
        x = leaf()
        method = optimizer([x], lr=0.1)

        def closure():
            method.zero_grad()
            loss = after(fail, x)
            loss.backward()
            return loss

        method.step(closure)
        return x.detach().numpy()

    return run


def minimize(fail):
    return tg.optimize.minimize(lambda x: after(fail, x), X, method="BFGS", options={"maxiter": 3}).x


def callback(fail):
    return tg.optimize.minimize(
        lambda x: after(lambda: None, x), X, method="BFGS", options={"maxiter": 3}, callback=lambda x: fail()
    ).x


def least_squares(fail):
    def residuals(p):
        fail()
        return p * p - np.arange(3.0)

    return tg.optimize.least_squares(residuals, X + 1).x


def primitive_on_tensors(fail):
    """A partial runs as Python code where it is recorded."""

    def partial(g, x, z):
        return 2 * g * x

    square = tg.primitive(lambda x: x * x, partial)

    def f(x):
        (g,) = tg.autograd.grad(square(x).sum(), x, create_graph=True)
        fail()
        return (g * g).sum()

    x = leaf()
    return backward_of(f(x), x)


def called_back_by_the_collector_of_garbage(fail):
    return tg.grad(lambda x: after(fail, x))(X)


def sparse_jacobian(fail):
    def f(x):
        fail()
        return x[1:] * x[:-1]

    return tg.sparse_jacobian(f)(X).toarray()


def transform(make):
    return lambda fail: make(lambda x: after(fail, x))


PLACES = {
    f.__name__: f
    for f in (
        hook_of_a_tensor,
        hook_of_a_leaf,
        hook_after_accumulation,
        hook_in_a_backward_that_records,
        forward_of_a_function,
        backward_of_a_function,
        backward_inside_of_a_backward,
        generator_in_a_mode,
        checkpoint,
        odeint,
        implicit_root,
        minimize,
        callback,
        least_squares,
        primitive_on_tensors,
        sparse_jacobian,
    )
} | {
    "no_grad": within_a_mode(tg.no_grad),
    "inference_mode": within_a_mode(tg.inference_mode),
    "anomaly": within_a_mode(tg.autograd.detect_anomaly),
    "enable_grad": within_a_mode(tg.enable_grad),
    "eager": lambda fail: backward_of(after(fail, x := leaf()), x),
    "compile": compiled(),
    "compile, machine": compiled("machine"),
    "compile, interpreter": compiled("interpreter", tg.hessian),
    "SGD": closure_of(tg.optim.SGD),
    "LBFGS": closure_of(tg.optim.LBFGS),
    "grad": transform(lambda f: tg.grad(f)(X)),
    "value_and_grad": transform(lambda f: tg.value_and_grad(f)(X)),
    "vjp": transform(lambda f: tg.vjp(f, X)[1](1.0)),
    "jvp": transform(lambda f: tg.jvp(f, (X,), (X,))),
    "linearize": transform(lambda f: tg.linearize(f, X)[1](X)),
    "jacobian": transform(lambda f: tg.jacobian(f)(X)),
    "jacrev": transform(lambda f: tg.jacrev(f)(X)),
    "jacfwd": transform(lambda f: tg.jacfwd(f)(X)),
    "hessian": transform(lambda f: tg.hessian(f)(X)),
    "hvp": transform(lambda f: tg.hvp(f, X, X)),
    "vmap": transform(lambda f: tg.vmap(f)(np.stack([X, X]))),
    "vmap of grad": transform(lambda f: tg.vmap(tg.grad(f))(np.stack([X, X]))),
    "grad of grad": transform(lambda f: tg.grad(lambda x: tg.grad(f)(x).sum())(X)),
}


def assert_nothing_is_left():
    here = tape.state()
    assert (here.enabled, here.inference, here.tracing, here.recorder) == (True, False, 0, None)
    assert not here.anomaly
    assert (int(tape.MODES[0]), tape._guards) == (0, 0)


def flat(values):
    if isinstance(values, (tuple, list)):
        return [x for value in values for x in flat(value)]
    return np.ravel(values).tolist()


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.filterwarnings("ignore:compile runs")
def test_an_exception_comes_out_and_leaves_nothing_behind(name):
    place = PLACES[name]
    expected = flat(place(lambda: None))
    for error in (Boom, Stop):
        for time in (1, 3):  # it may be a later call that fails
            calls = []

            def fail(calls=calls, time=time, error=error):
                calls.append(1)
                if len(calls) == time:
                    raise error("on purpose")

            found = caught = None
            try:
                found = flat(place(fail))
            except (error, TypeError) as raised:  # or an explanation of it
                caught = raised if isinstance(raised, error) else raised.__cause__
            assert calls
            if len(calls) < time:
                np.testing.assert_allclose(found, expected, rtol=1e-12)
            else:
                assert str(caught) == "on purpose"
            assert_nothing_is_left()
        np.testing.assert_allclose(flat(place(lambda: None)), expected, rtol=1e-12)


def test_an_exception_while_a_tape_is_recorded():
    def fails(x):
        y = x * x
        raise Boom(y)

    for _ in range(3):
        with pytest.raises(Boom):
            tg.record(fails, X)
        assert_nothing_is_left()
    assert tg.record(lambda x: (x * x).sum(), X)(X) == (X * X).sum()


def test_an_exception_of_compiled_code_gives_the_tape_back():
    @numba.njit
    def f(x):
        s = 0.0
        for k in range(len(x)):
            if x[k] < 0:
                raise ValueError("negative")
            s += x[k] * x[k]
        return s

    from tapegrad.native.tape import POOL

    for _ in range(100):  # more than there are places for tapes
        with pytest.raises(ValueError, match="negative"):
            tg.vjp(f, np.array([1.0, -1.0]))[1](1.0)
    value, pull = tg.vjp(f, X)
    assert value == (X * X).sum()
    np.testing.assert_array_equal(pull(1.0)[0], 2 * X)
    assert np.count_nonzero(POOL[1:]) == 1


def test_a_graph_whose_hook_failed_can_be_run_again():
    x = leaf()
    y = x * x
    failing = [True]

    def hook(g):
        if failing[0]:
            raise Boom

    y.register_hook(hook)
    z = (y * y).sum()
    with pytest.raises(Boom):
        z.backward(retain_graph=True)
    assert x.grad is None
    failing[0] = False
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * X**3)
