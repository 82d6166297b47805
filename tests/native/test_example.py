"""The compiled Levenberg-Marquardt loop reaches NIST's certified parameters, as the one in Python does."""

import numpy as np

from tapegrad.examples import compiled, strd


def test_both_loops_reach_the_certified_parameters():
    problem = strd.load("Hahn1")
    (x,) = problem.x
    for method in (compiled.fit, compiled.fit_in_python):
        for start in problem.starts:
            b, rss, steps = method(start, x, problem.y, 500)
            np.testing.assert_allclose(b, problem.certified, 1e-7)
            np.testing.assert_allclose(rss, problem.rss, 1e-8)
            assert steps < 100
