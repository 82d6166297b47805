"""Derivative code of functions that Numba keeps on disk is kept, too, and not found once what it was made from has changed."""

import gc
import linecache
import os
import pathlib
import subprocess
import sys
import weakref

import numba

import tapegrad as tg

HELPERS = """
import numba

@numba.njit
def helper(v):
    return {factor} * v
"""
PROGRAM = """
import numba
import numpy as np
from numba.core.event import install_recorder

import helpers
import tapegrad as tg

@numba.njit(cache=True)
def f(x):
    return helpers.helper(x[0]) * x[1]

with install_recorder("numba:compile") as recorder:
    gradient = tg.grad(f)(np.array([2.0, 3.0]))
print(gradient.tolist(), "loaded" if not recorder.buffer else "compiled")
"""


def test_code_is_found_until_what_it_was_made_from_changes(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(tg.__file__).parents[1])}

    def run(factor):
        (tmp_path / "helpers.py").write_text(HELPERS.format(factor=factor))
        (tmp_path / "program.py").write_text(PROGRAM)
        done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert run(2.0) == "[6.0, 4.0] compiled"
    assert run(2.0) == "[6.0, 4.0] loaded"
    assert run(5.0) == "[15.0, 10.0] compiled"


def test_derivative_code_goes_with_the_function():
    def differentiated(factor):
        @numba.njit
        def helper(x):
            return factor * x

        @numba.njit
        def f(x):
            return helper(x) * x

        gradient = tg.grad(f)
        assert gradient(3.0) == 6.0 * factor
        return gradient, [weakref.ref(f), weakref.ref(helper)]

    gradient, references = differentiated(2.0)
    texts = sum("ahead_of_f" in file for file in linecache.cache)
    gc.collect()
    assert all(reference() is not None for reference in references) and gradient(1.0) == 4.0
    del gradient
    gc.collect()
    assert all(reference() is None for reference in references)
    assert sum("ahead_of_f" in file for file in linecache.cache) == texts - 1
