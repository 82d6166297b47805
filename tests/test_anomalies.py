"""detect_anomaly over the whole library: the first operation that made nan or infinity, with the user's line."""

import inspect
import threading

import numba
import numpy as np
import pytest

import tapegrad as tg

detect = tg.autograd.detect_anomaly
MASK = np.array([0.0, -np.inf])


def told(function, *arguments, **options):
    """The message of the search, and whether it names this line of the function."""
    with pytest.raises(RuntimeError) as caught, detect(**options):
        function(*arguments)
    return str(caught.value)


def place(function, mark="# here"):
    lines, start = inspect.getsourcelines(function)
    return f'File "{__file__}", line {start + next(k for k, line in enumerate(lines) if mark in line)}, in '


def leaf(*values):
    return tg.tensor([*values], requires_grad=True)


# Forward --------------------------------------------------------------------------------------------------------------


def first_of_several(x):
    y = x + 1.0
    z = y.log()  # here
    return (z * z).sum()


@pytest.mark.parametrize("dtype", [tg.float64, tg.float32])
@pytest.mark.parametrize("ask", [lambda y: y.backward(), lambda y: y.item(), float, repr, lambda y: None], ids=list("bifre"))
def test_infinity_is_told_when_values_are_asked_for_or_at_the_end(ask, dtype):
    message = told(lambda: ask(first_of_several(leaf(1.0, -1.0).detach().to(dtype).requires_grad_())))
    assert "LogBackward0 made -inf in the forward pass, log(0) at element 1 of 2" in message
    assert place(first_of_several) in message


def test_nan_is_told_before_what_comes_of_it():
    message = told(lambda: first_of_several(leaf(-3.0)).exp().backward())
    assert "LogBackward0 made nan in the forward pass, log(-2)" in message


def test_values_without_history_are_looked_at_too():
    def run():
        with tg.no_grad():
            return tg.log(tg.tensor([0.0]))  # here

    assert place(run) in told(run)
    assert "log(0)" in told(lambda: np.log(tg.tensor(0.0)))


def test_a_function_of_many_operations_is_one():
    for x in (0.0, leaf(0.0)):
        with detect():
            tg.grad(lambda v: tg.sinc(v).sum())(x)
            tg.sinc(tg.tensor(0.0)) * 2.0


def test_what_a_call_hands_out_is_told_where_it_is_read():
    def constant():
        return tg.special.logit(tg.tensor(1.0))  # here

    assert place(constant) in told(lambda: constant() * leaf(1.0))
    assert place(constant) in told(lambda: constant() * 2.0)


def test_infinities_and_missing_values_that_are_handed_on_are_let_pass():
    with detect():
        assert np.isfinite(tg.grad(lambda v: tg.softmax(v + MASK, 0)[0])(np.ones(2))).all()
        assert np.isfinite(tg.grad(lambda v: tg.logsumexp(v + MASK, 0))(np.ones(2))).all()
        assert np.isfinite(tg.grad(lambda v: v.masked_fill(np.array([True, False]), -np.inf).exp().sum())(np.ones(2))).all()
        assert tg.grad(lambda v: tg.nanmean(v))(np.array([1.0, np.nan])).tolist() == [1.0, 0.0]
        assert (tg.tensor([np.nan, 1.0], requires_grad=True) * 2.0)[1].item() == 2.0


def test_one_element_that_is_handed_on_does_not_hide_another():
    assert "log(0) at element 1 of 2" in told(lambda: leaf(np.inf, 0.0).log().sum().item())
    assert "made nan" in told(lambda: (leaf(np.inf) - np.inf).item())


def test_nothing_is_told_twice():
    with detect():
        y = leaf(0.0).log()
        with pytest.raises(RuntimeError, match="log"):
            y.sum().item()
        assert np.isinf(y.item())
        z = (y * 2.0).sum()
    assert np.isinf(z.item())


@pytest.mark.parametrize("options", [{"check_inf": False}, {"forward": False}, {"check_nan": False}])
def test_what_is_switched_off_passes(options):
    with detect(**options):
        assert np.isinf(leaf(0.0).log().item())


def test_nan_alone_and_infinity_alone():
    assert "made nan" in told(lambda: leaf(-1.0).sqrt().item(), check_inf=False)
    assert "made inf" in told(lambda: leaf(1000.0).exp().item(), check_nan=False, check_inf=True)
    with detect(check_nan=False, check_inf=True):
        assert np.isnan(leaf(-1.0).sqrt().item())


def test_set_detect_anomaly_has_the_same_switches():
    with tg.autograd.set_detect_anomaly(True, check_inf=False):
        assert np.isinf(leaf(0.0).log().item())
    with pytest.raises(RuntimeError, match="log"), tg.autograd.set_detect_anomaly(True):
        leaf(0.0).log()
    assert np.isinf(leaf(0.0).log().item())


def test_an_exception_of_the_users_comes_through():
    @detect()
    def fails():
        first_of_several(leaf(-1.0))
        raise KeyError("theirs")

    with pytest.raises(KeyError, match="theirs"):
        fails()


def test_another_thread_is_not_stopped():
    x = leaf(0.0)
    found = []
    with detect(forward=True):
        y = x.log()
        thread = threading.Thread(target=lambda: found.append(y.item()))
        thread.start()
        thread.join()
        assert found == [-np.inf]
        with pytest.raises(RuntimeError, match="log"):
            y.item()


# The line -------------------------------------------------------------------------------------------------------------


def test_code_that_has_no_file():
    space = {}
    exec(compile("def f(v):\n    return 1.0 / v\n", "<cell 3>", "exec"), space)
    assert told(tg.grad(space["f"]), 0.0).endswith('it was recorded in File "<cell 3>", line 2, in f')


def test_a_lambda_and_the_part_of_the_line():
    f = lambda v: v.sqrt() + v.log() * 2.0  # here
    message = told(tg.grad(f), 0.0)
    assert place(test_a_lambda_and_the_part_of_the_line) + "<lambda>: f = lambda v: v.sqrt() + v.log() * 2.0  # here" in message
    if hasattr(f.__code__, "co_positions"):
        assert message.endswith("(in v.log())")


def test_a_function_of_numpy_names_the_users_line():
    def f(v):
        return np.linalg.norm(np.log(v))  # here

    assert place(f) in told(tg.grad(f), np.zeros(2))


# Backward -------------------------------------------------------------------------------------------------------------


def root(v):
    return v.sqrt().sum()  # here


@pytest.mark.parametrize(
    "transform",
    [tg.grad, tg.jacobian, tg.jacfwd, tg.jacrev, tg.hessian, lambda f: lambda x: tg.hvp(f, x, np.ones(1)),
     lambda f: tg.grad(tg.compile(f)), lambda f: tg.grad(tg.checkpoint(f)), lambda f: lambda x: tg.vmap(tg.grad(f))(x[None])],
    ids=["grad", "jacobian", "jacfwd", "jacrev", "hessian", "hvp", "compile", "checkpoint", "vmap"],
)  # fmt: skip
def test_infinite_derivatives_name_the_line(transform):
    message = told(transform(root), np.zeros(1))
    assert "SqrtBackward0 returned infinity as a" in message
    assert place(root) in message


def test_a_second_derivative_names_the_line_of_the_operation():
    def power(v):
        return (v**1.5).sum()  # here

    with detect():
        tg.grad(power)(np.zeros(1))
    assert place(power) in told(tg.hessian(power), np.zeros(1))
    assert place(power) in told(lambda: tg.jacfwd(tg.grad(power))(np.zeros(1)))


def test_an_infinite_gradient_that_was_given_was_not_made():
    x = leaf(1.0)
    with detect():
        (x * 2.0).backward(tg.tensor([np.inf]))
        (x * tg.tensor([np.inf])).sum().backward()
    assert np.isinf(x.grad.item())


def test_a_function_of_the_users_is_named():
    class Twice(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return tg.from_numpy(g.numpy() * np.inf)

    for graph in (False, True):
        x = leaf(1.0)
        y = Twice.apply(x).sum()
        message = told(lambda y=y, x=x, graph=graph: tg.autograd.grad(y, x, create_graph=graph))
        assert "TwiceBackward returned infinity" in message


# Tapes and compiled code ----------------------------------------------------------------------------------------------


def test_a_tape_names_the_record():
    tape = tg.record(lambda v: (v.log() * 2.0).sum(), np.ones(2))
    message = told(tape.forward, np.array([1.0, 0.0]))
    assert "record #1 of the tape, log, made -inf in the forward pass, log(0) at element 1 of 2" in message
    slope = tg.record(lambda v: v.sqrt().sum(), np.ones(1))
    assert "record #1 of the tape, sqrt, returned infinity as a gradient" in told(tg.grad(slope), np.zeros(1))
    with detect():
        assert tape.forward(np.ones(2)) == 0.0


@numba.njit
def helper(u):
    return np.sqrt(u)  # here


@numba.njit
def compiled(v):
    return 2.0 * helper(v - 1.0)


def test_a_function_of_numba_names_its_line():
    name, line = f'compiled (File "{__file__}"', place(helper.py_func)
    message = told(tg.grad(compiled), 0.5)
    assert name in message
    assert "made nan in the forward pass" in message
    assert line in message
    message = told(tg.grad(compiled), 1.0)
    assert "SqrtBackward0 returned infinity as a gradient" in message
    assert line in message
    assert line in told(lambda: tg.vmap(tg.grad(compiled))(np.array([2.0, 1.0])))
    assert line in told(lambda: tg.call(compiled, leaf(0.5)[0]).backward())
    with detect():
        assert tg.grad(compiled)(2.0) == 1.0
