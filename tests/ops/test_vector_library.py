"""Systems without vector functions, of which a switch makes one: values and derivatives come from libm, in every tier."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from tapegrad._jit import libmvec

PROGRAM = """
import json, warnings
import numpy as np
import tapegrad as tg
from tapegrad._jit import libmvec, llvm
warnings.simplefilter("error")
FUNCTIONS = [tg.exp, tg.sin, tg.log1p, tg.tanh, tg.cbrt, tg.erf]
def f(x):
    return sum([(g(x) * x).sum() for g in FUNCTIONS])
found = {"symbols": len(libmvec.SYMBOLS), "fingerprint": libmvec.FINGERPRINT, "register": llvm.register_bytes()}
for dtype in ("float64", "float32"):
    x = np.linspace(0.1, 1.5, 37, dtype=dtype)
    eager = tg.grad(f)
    fast = {tier: tg.grad(tg.compile(f, tier=tier)) for tier in ("interpreter", "machine")}
    for _ in range(3):
        found[dtype] = {"eager": eager(x).tobytes().hex(), **{tier: g(x).tobytes().hex() for tier, g in fast.items()}}
print(json.dumps(found))
"""


def run(**environment):
    done = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_switch_leaves_the_vector_library_aside():
    found = run(TAPEGRAD_VECTOR_LIBRARY="none")
    assert found["symbols"] == 0 and found["fingerprint"].startswith("scalar")
    assert found["register"] in (16, 32)
    for dtype, ulps in (("float64", 32), ("float32", 32)):
        eager, *others = found[dtype].values()
        assert others == [eager, eager]
        x = np.linspace(0.1, 1.5, 37, dtype=dtype).astype(float)
        slope = np.exp(x) * (1 + x) + np.sin(x) + x * np.cos(x) + np.log1p(x) + x / (1 + x) + np.tanh(x) + x / np.cosh(x) ** 2
        slope += 4 / 3 * np.cbrt(x) + [math.erf(t) + t * 2 / np.sqrt(np.pi) * np.exp(-t * t) for t in x]
        np.testing.assert_allclose(np.frombuffer(bytes.fromhex(eager), dtype), slope, rtol=ulps * np.finfo(dtype).eps)


def test_another_value_of_the_switch_is_refused():
    environment = {**os.environ, "TAPEGRAD_VECTOR_LIBRARY": "svml"}
    done = subprocess.run([sys.executable, "-c", "import tapegrad"], env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    assert "TAPEGRAD_VECTOR_LIBRARY is 'none', 'libmvec' or not set, not 'svml'" in done.stderr


@pytest.mark.parametrize("bits", [32, 64])
def test_functions_that_a_library_lacks_are_found_one_by_one(monkeypatch, bits):
    """Without libmvec, without one of its functions, and on an architecture that it is not made for."""
    target = "x86_64-unknown-linux-gnu", "haswell", "+avx,+avx2"
    monkeypatch.setattr(libmvec, "ISAS", {"b": 16, "d": 32, "e": 64})
    symbol, lanes = libmvec.symbol_of("d", "exp", bits)
    assert lanes == 256 // bits
    monkeypatch.setattr(libmvec, "SYMBOLS", {symbol: "exp"})
    assert libmvec.found(target, "exp", bits) == (symbol, lanes)
    assert libmvec.found(target, "sin", bits) == (None, 1)
    monkeypatch.setattr(libmvec, "SYMBOLS", {})
    assert libmvec.found(target, "exp", bits) == (None, 1)
    monkeypatch.setattr(libmvec, "ISAS", {})
    assert libmvec.found(("arm64-apple-darwin", "apple-m1", ""), "exp", bits) == (None, 1)
