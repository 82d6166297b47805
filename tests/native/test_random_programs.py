"""Random programs for Numba: value and gradient, forward against reverse, against the façade and central differences.

tapegrad.testing.fuzz draws and checks them. To compile one takes seconds: a few are drawn by default, ``HYPOTHESIS_PROFILE=long``
draws many. What hypothesis prints when a test fails is the program.
"""
import os

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tapegrad.testing.fuzz import native
from tapegrad.testing.fuzz.choices import Choices
from tapegrad.testing.fuzz.report import Count

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
SETTINGS = settings(
    derandomize=not LONG,
    max_examples=int(os.environ.get("NATIVE_EXAMPLES", 150 if LONG else 3)),
    deadline=None,
    print_blob=False,
    phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if LONG else [])],
    suppress_health_check=list(HealthCheck),
)


@st.composite
def programs(draw):
    return native.draw_program(Choices(lambda low, high: draw(st.integers(low, high))))


@SETTINGS
@given(programs())
def test_random_programs(program):
    faults = native.check(program, Count().of("native"))
    assert not faults, f"{faults}\n{program.text}"
