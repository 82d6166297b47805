"""The problems of Moré, Garbow and Hillstrom: published minima, by every method that the example has."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.examples import mgh

EXCEPT = {  # where L-BFGS-B, with SciPy's settings, comes to rest elsewhere, with exact derivatives as without
    ("Powell-badly-scaled", "L-BFGS-B"),
    ("Jennrich-Sampson", "L-BFGS-B"),
    ("Meyer", "L-BFGS-B"),
    # Its Jacobian at the start has two equal columns. Which of them MINPACK takes first, and so where it goes, depends on how
    # its own memory is aligned, with residuals and Jacobians that are the same to the last bit
    ("Biggs-EXP6", "lm"),
}


def test_there_are_all_of_them():
    assert len(mgh.PROBLEMS) == 35


@pytest.mark.parametrize("name", mgh.PROBLEMS)
def test_published_minima_are_reached(name):
    for method in ("lm", "trf", "trust-exact"):
        if (name, method) in EXCEPT:
            continue
        run = mgh.solve(mgh.PROBLEMS[name], method, True)
        assert run.solved, f"{method} came to {run.value}"


@pytest.mark.parametrize("name", mgh.PROBLEMS)
def test_quasi_newton_methods(name):
    for method in ("BFGS", "L-BFGS-B"):
        if (name, method) not in EXCEPT:
            run = mgh.solve(mgh.PROBLEMS[name], method, True)
            assert run.solved, f"{method} came to {run.value}"


@pytest.mark.parametrize("name", mgh.PROBLEMS)
def test_derivatives_at_the_start(name):
    problem = mgh.PROBLEMS[name]
    x = problem.start
    jac = tg.optimize.points.Recorded(problem.functions).jacobian(x)
    h = 1e-6 * np.maximum(np.abs(x), 1e-2)
    for k, step in enumerate(np.diag(h)):
        ahead, behind = (np.asarray(tg.optimize.functions.plain(problem.functions(x + s))) for s in (step, -step))
        np.testing.assert_allclose(jac[:, k], (ahead - behind) / (2 * h[k]), rtol=1e-4, atol=1e-5 * np.abs(jac).max())


@pytest.mark.parametrize(("n", "least"), [(9, 1.39976e-6), (12, 4.72238e-10)])
def test_larger_forms_of_watson(n, least):
    found = tg.optimize.least_squares(mgh.watson, np.zeros(n), method="lm", ftol=1e-15, xtol=1e-15, gtol=1e-15)
    assert 2 * found.cost == pytest.approx(least, rel=1e-5)


def test_the_program(capsys):
    assert mgh.main(["beale", "Box-3D", "--methods", "lm", "trust-exact", "--no-progress"]) == 0
    text = capsys.readouterr().out
    assert "lm           exact: 2 of 2 solved" in text and "trust-exact  exact: 2 of 2 solved" in text
    assert "differences: 2 of 2 solved" in text
    assert mgh.main(["--list"]) == 0
    assert "Meyer                   3 unknowns, least sum of squares 87.9458" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        mgh.main(["nonsense"])
    assert "unknown problem 'nonsense'" in capsys.readouterr().err
