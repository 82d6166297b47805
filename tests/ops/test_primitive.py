"""Operations of the user's own. Each test is a process: the table keeps what is added to it."""

import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tg

START = """
import numpy as np
import tapegrad as tg
from tapegrad.testing import check_grads
square_plus = tg.primitive(lambda x: x * x + 1, lambda g, x, z: 2 * g * x)
ratio = tg.primitive(
    lambda x, y: x / (1 + y * y),
    (lambda g, x, y, z: g / (1 + y * y), lambda g, x, y, z: -2 * g * y * z / (1 + y * y)),
    name="ratio",
)
blend = tg.primitive(lambda x, y, w: x * y + np.sin(w), (lambda g, x, y, w, z: g * y, None, lambda g, x, y, w, z: g * np.cos(w)))
X = np.array([0.5, -1.0, 2.0])
"""
PROGRAMS = {
    "values": """
np.testing.assert_allclose(square_plus(X).numpy(), X * X + 1)
np.testing.assert_allclose(ratio(1.0, tg.tensor(X, requires_grad=True)).detach().numpy(), 1 / (1 + X * X))
assert blend(X[:, None], X, 0.0).shape == (3, 3)
""",
    "derivatives": """
check_grads(square_plus, order=2)(X)
check_grads(ratio, order=2)(X, X + 3)
check_grads(lambda x, w: blend(x, X, w), order=2)(X, X)
assert tg.grad(lambda y: blend(2.0, y, 1.0) + y)(3.0) == 1.0
assert tg.hessian(square_plus)(3.0) == 2.0
""",
    "dtypes, graphs and replays": """
x = tg.tensor(X.astype(np.float32), requires_grad=True)
y = square_plus(x)
assert y.dtype == tg.float32 and ratio(x, x).grad_fn.name() == "RatioBackward0"
y.sum().backward()
np.testing.assert_allclose(x.grad.numpy(), 2 * X)
f = tg.compile(lambda x: (square_plus(x) * ratio(x, 2.0)).sum())
for k in range(4):
    np.testing.assert_allclose(tg.grad(f)(X + k), tg.grad(lambda x: (square_plus(x) * ratio(x, 2.0)).sum())(X + k), rtol=1e-14)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_primitive_works_everywhere(name):
    done = subprocess.run([sys.executable, "-W", "error", "-c", START + PROGRAMS[name]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    ("forward", "partials", "error", "match"),
    [
        (np.sin, lambda g, x, z: g, TypeError, "Python function"),
        (lambda *x: x, lambda g, x, z: g, TypeError, "one, two or three"),
        (lambda a, b, c, d: a, (None,) * 4, TypeError, "4 parameters"),
        (lambda x: x, (None, None), ValueError, "2 partials were given for 1"),
        (lambda x: x, lambda g, x: g, TypeError, "of 3 parameters"),
        (lambda x: x, [3.0], TypeError, "float 3.0"),
    ],
)
def test_errors(forward, partials, error, match):
    with pytest.raises(error, match=match):
        tg.primitive(forward, partials)


def test_a_name_that_is_taken():
    with pytest.raises(ValueError, match="'sin'"):
        tg.primitive(lambda x: x, lambda g, x, z: g, name="sin")
