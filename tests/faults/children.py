"""Programs in processes of their own."""

import os
import pathlib
import subprocess
import sys
import textwrap

import tapegrad as tg

ROOT = str(pathlib.Path(tg.__file__).parents[1])


def environment(**variables):
    return {**os.environ, "PYTHONPATH": ROOT, "PYTHONWARNINGS": "error", **variables}


def run(program, *arguments, **variables):
    """What a program prints; it must end well, and without a word on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,  # on a machine that is busy, with nothing compiled before
        env=environment(**variables),
    )
    assert (done.returncode, done.stderr) == (0, ""), f"{done.returncode}: {done.stdout}\n{done.stderr[-3000:]}"
    return done.stdout
