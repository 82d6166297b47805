"""Derivative code of functions that Numba keeps on disk is kept, too, and not found once what it was made from has changed."""

import os
import pathlib
import subprocess
import sys

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
