"""What a new process waits for: the import, and the first gradient with Numba's cache on disk filled or empty.

The start of the interpreter is not in the times. Numba, which tapegrad imports, is the reference.
"""

import os
import shutil
import subprocess
import sys
import tempfile

# 20 operations on two scalars, a dozen different ones.
FIRST_GRADIENT = """
import tapegrad as tg
x = tg.tensor(0.5, requires_grad=True)
y = tg.tensor(1.5, requires_grad=True)
a = tg.sin(x) * y + tg.exp(-y)
b = tg.cos(a) / (1 + x * x)
c = tg.log(b * b + 2) * tg.tanh(a - y)
z = tg.sqrt(c * c + 1) - a * b
z.backward()
"""

EMPTY_CACHE = """
import atexit, os, shutil, tempfile
folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["NUMBA_CACHE_DIR"] = folder
"""


class Import:
    repeat, rounds = 5, 1

    def timeraw_numba(self):
        return "import numba"

    def timeraw_tapegrad(self):
        return "import tapegrad"


class _FilledCache:
    repeat, rounds = 5, 1

    def setup(self):
        self.folder = tempfile.mkdtemp()
        self.before = os.environ.get("NUMBA_CACHE_DIR")
        os.environ["NUMBA_CACHE_DIR"] = self.folder
        subprocess.run([sys.executable, "-c", FIRST_GRADIENT], check=True)

    def teardown(self):
        if self.before is None:
            del os.environ["NUMBA_CACHE_DIR"]
        else:
            os.environ["NUMBA_CACHE_DIR"] = self.before
        shutil.rmtree(self.folder, ignore_errors=True)


class FirstGradientWarm(_FilledCache):
    def timeraw_import_and_first_gradient(self):
        return FIRST_GRADIENT


class FirstGradientCold:
    repeat, rounds, timeout = 3, 1, 300

    def timeraw_import_and_first_gradient(self):
        return FIRST_GRADIENT, EMPTY_CACHE
