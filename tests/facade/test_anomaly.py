import inspect
import math
import warnings

import pytest

from .subject import assert_same, leaf, tg

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled", "ignore:Error detected in")


def run(function):
    """Everything the user is told when `function` fails: the error, its notes and the warnings before it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError) as caught:
            function()
    notes = getattr(caught.value, "__notes__", [])
    return "\n".join([str(caught.value), *notes, *(str(w.message) for w in told)])


def nan_from_sqrt():
    x = leaf([-1.0])
    y = x.sqrt()  # the line to be named
    (y * 2).sum().backward()
    return x.grad.item()


def nan_from_division():
    x = leaf([0.0])
    y = x / x  # the line to be named
    y.sum().backward()


def overwritten():
    x = leaf([1.0])
    y = x * 1
    z = y.sin()  # the line to be named
    y.add_(1)
    z.sum().backward()


CASES = {"Sqrt": nan_from_sqrt, "Div": nan_from_division, "Sin": overwritten}


def line_to_be_named(function):
    lines, start = inspect.getsourcelines(function)
    offset = next(i for i, line in enumerate(lines) if "the line to be named" in line)
    return start + offset, lines[offset].split("#")[0].strip()


@pytest.mark.parametrize("operation", list(CASES))
def test_error_names_the_operation(operation):
    with tg.autograd.detect_anomaly():
        assert f"{operation}Backward0" in run(CASES[operation])


@pytest.mark.parametrize("operation", list(CASES))
def test_error_names_the_line_that_recorded_the_operation(operation):
    with tg.autograd.detect_anomaly():
        message = run(CASES[operation])
    number, source = line_to_be_named(CASES[operation])
    assert __file__ in message
    assert f"line {number}" in message
    assert source in message


def test_nan_is_named_in_the_error():
    with tg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="nan"):
        nan_from_sqrt()


def test_nan_passes_silently_outside():
    assert math.isnan(nan_from_sqrt())
    with tg.autograd.detect_anomaly():
        pass
    assert math.isnan(nan_from_sqrt())


def test_nan_passes_when_the_check_is_off():
    with tg.autograd.detect_anomaly(check_nan=False):
        assert math.isnan(nan_from_sqrt())


def test_sound_gradients_are_unchanged():
    x = leaf([4.0])
    with tg.autograd.detect_anomaly():
        (x.sqrt() * x).sum().backward()
    assert_same(x.grad, [3.0])


def test_nan_in_the_backward_of_a_function_names_the_function():
    class Poison(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * float("nan")

    with tg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="PoisonBackward"):
        Poison.apply(leaf([1.0])).sum().backward()


def test_nan_in_a_second_derivative_names_an_operation():
    x = leaf([0.0])
    with tg.autograd.detect_anomaly():
        y = (x**1.5).sum()
        (first,) = tg.autograd.grad(y, x, create_graph=True)
        with pytest.raises(RuntimeError, match=r"\w+Backward\d"):
            (first * first).sqrt().sum().backward()


def test_nan_in_a_gradient_that_is_itself_recorded_names_an_operation():
    x = leaf([-1.0])
    with tg.autograd.detect_anomaly():
        y = x.sqrt().sum()
        with pytest.raises(RuntimeError, match=r"Sqrt\w*Backward"):
            tg.autograd.grad(y, x, create_graph=True)


@pytest.mark.tapegrad_only("PyTorch's is a context manager only")
def test_a_decorated_function_keeps_check_nan():
    @tg.autograd.detect_anomaly(check_nan=False)
    def run_unchecked():
        return nan_from_sqrt()

    assert math.isnan(run_unchecked())
