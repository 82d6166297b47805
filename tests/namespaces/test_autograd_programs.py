"""Programs of HIPS autograd's users run with the import changed."""

import types

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.scipy.stats import norm

from .autograd_programs import PROGRAMS

NAMES = [
    "grad",
    "jacobian",
    "hessian",
    "value_and_grad",
    "elementwise_grad",
    "make_vjp",
    "make_jvp",
    "hessian_vector_product",
    "checkpoint",
]

# The sum of all that a program gives, by HIPS autograd
SUMS = {
    "tanh_derivatives": 3.289053507494844,
    "logistic_regression": 4.258629176727558,
    "neural_network": 6.594254304460124,
    "recurrent_network": 4.259729672147874,
    "differential_equation": 5.972366147048281,
    "gaussian_process": -10.404706882045913,
    "variational_objective": -0.7034475147852253,
    "rosenbrock": 10836.02,
    "data_structures": 19.64212198800577,
    "several_products": 6.859056112026394,
    "arrangements": 297.3160814058103,
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program):
    results = program(tnp, tg, norm)
    assert [r for r in results if not isinstance(r, (np.ndarray, np.floating, float))] == []
    assert np.isclose(sum(np.sum(r) for r in results), SUMS[program.__name__], rtol=1e-8)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program_beside_autograd(program):
    autograd = pytest.importorskip("autograd")
    import autograd.numpy as anp
    from autograd.scipy.stats import norm as their_norm

    expected = program(anp, types.SimpleNamespace(**{name: getattr(autograd, name) for name in NAMES}), their_norm)
    results = program(tnp, tg, norm)
    assert len(results) == len(expected)
    for ours, theirs in zip(results, expected):
        assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-11)
