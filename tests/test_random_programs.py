"""Random programs, run on the module under test and on the oracle: same values, gradients, versions and errors.

tapegrad.testing.fuzz draws them. What hypothesis prints when a test fails is the program, ready to be pasted below
``import tapegrad as tg``.
"""

import os
import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from subject import tg

from tapegrad.testing.fuzz import slow
from tapegrad.testing.fuzz.choices import Choices
from tapegrad.testing.fuzz.facade import differences
from tapegrad.testing.fuzz.statements import UNARY, Program, Writer

settings.register_profile(
    "ci",
    derandomize=True,
    max_examples=500,
    deadline=None,
    print_blob=False,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],  # explaining a program costs minutes
    suppress_health_check=list(HealthCheck),  # a program of 20 statements is a large draw, and meant to be
)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

@st.composite
def programs(draw, most_steps=20):
    choices = Choices(lambda low, high: draw(st.integers(low, high)))
    return Writer(choices).write(choices.integer(1, most_steps))


def check(program):
    found = list(differences(program, tg))
    assert not found, "\n".join(["", *found, "", "in the program", repr(program)])


@pytest.mark.filterwarnings("ignore:Using backward")  # PyTorch advises against backward(create_graph=True)
@given(program=programs())
def test_a_random_program_agrees_with_the_oracle(program):
    check(program)


# -------------------------------------------------------------------------------------------- what an operation saves

# Random programs seldom meet a certain operation and a write to what it saved, so here are all of them.
ON_TWO_TENSORS = """
    x + y; x - y; x * y; x / y; x @ y; x ** y; x ** 2; x ** 0.5; x ** 0; 2.0 ** x; -x; x * 2.0; x / 2.0; 2.0 - x;
    tg.maximum(x, y); tg.minimum(x, y); tg.arctan2(x, y); tg.where(x > 0.4, x, y); x.clamp(0.3, 0.6); x.clamp(min=0.3);
    x.sum(); x.mean(0); x.max(); x.min(0).values; x.amax(0); x[[0, 2, 0]]; x[x > 0.4]; x[1:]; x[...]; x.reshape(3, 1);
    x.expand(2, 3); x.unsqueeze(0); x.clone(); x.float(); tg.stack([x, y]); tg.concatenate([x, y]);
    x.reshape(3, 1) * y; x.clone().mul_(y); x.clone().div_(y); x.clone().add_(y); x.clone().pow_(2); x.clone().exp_();
    x.clone().copy_(y); x.clone().clamp_(0.3, 0.6); x.clone()[1:].mul_(2.0); x.clone()[:1].copy_(y[:1]);
    x.clone().fill_(2.0); x.detach() * y; x * y.detach(); x.detach() / y; x / y.detach(); x.detach() @ y;
    x @ y.detach(); x.detach() ** y
"""
OPERATIONS = ["softplus(x)" if f == "softplus" else f"x.{f}()" for f in UNARY]
OPERATIONS += re.split(r";\s+", ON_TWO_TENSORS.strip())


def check_specified(program):
    """Skip what implementations may decide. Not for drawn programs: one skip would end the whole random test."""
    try:
        check(program)
    except slow.Unspecified as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("written", ["x", "y", "z", "x.detach()", "y[:1]"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_write_after_an_operation_agrees_with_the_oracle(operation, written):
    statements = [
        "w = tg.tensor([0.25, 0.5, 0.75], requires_grad=True)",
        "x, y = w * 1.0, w + 0.125",
        f"z = {operation}",
        f"{written}.mul_(0.5)",
        "z.sum().backward()",
        "(x.sum() + y.sum()).backward()",
    ]
    check_specified(Program(statements, ["w", "x", "y", "z"]))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_second_sweep_agrees_with_the_oracle(operation):
    statements = [
        "x = tg.tensor([0.25, 0.5, 0.75], requires_grad=True)",
        "y = x + 0.125",
        f"z = {operation}",
        "z.sum().backward()",
        "z.sum().backward()",
    ]
    check_specified(Program(statements, ["x", "y", "z"]))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_second_derivative_agrees_with_the_oracle(operation):
    statements = [
        "x = tg.tensor([0.25, 0.5, 0.75], requires_grad=True)",
        "y = x * x + 0.125",
        f"z = {operation}",
        "(g,) = tg.autograd.grad((z * z).sum(), [x], create_graph=True)",
        "((g * g).sum() + x.sum()).backward()",
    ]
    check(Program(statements, ["x", "y", "z", "g"], second_order=True))


KINKS = ["x.max()", "x.min()", "x.max(0).values", "x.min(1).values", "x.amax(0)", "x.amin(1)", "x.abs()", "x.relu()"]
KINKS += [
    "x.clamp(-0.5, 0.75)",
    "x.clamp(min=0.0)",
    "tg.maximum(x, y)",
    "tg.minimum(y, x)",
    "x ** 0",
    "x ** 1",
    "x ** 2",
]


@pytest.mark.parametrize("operation", KINKS)
def test_a_kink_agrees_with_the_oracle(operation):
    statements = [
        "x = tg.tensor([[-0.5, 0.75, 0.0], [0.75, -0.5, 0.0]], requires_grad=True)",
        "y = tg.tensor([0.0, 0.75, 0.0], requires_grad=True)",
        f"z = {operation}",
        "(z * 3.0).sum().backward()",
    ]
    check(Program(statements, ["x", "y", "z"]))
