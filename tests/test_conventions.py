"""The table of derivatives where there is none: every line of the page, backward, forward and recorded."""

import pathlib
import re

import numpy as np
import pytest

import tapegrad as tg

PAGE = pathlib.Path(__file__).parents[1] / "docs" / "conventions.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
LINES = [[cell.strip().strip("`") for cell in row.strip("| ").split(" | ")] for row in ROWS]


def value(text):
    return eval(text, {"tg": tg, "np": np, "inf": np.inf, "nan": np.nan})


@pytest.mark.filterwarnings("ignore:some eigenvalues")
@pytest.mark.parametrize("line", LINES, ids=lambda line: line[3])
def test_line_of_the_table(line):
    assert len(line) == 5, "cells of a table may not hold a bar"
    np.testing.assert_allclose(value(line[3]), value(line[4]), rtol=1e-14)


@pytest.mark.filterwarnings("ignore:some eigenvalues")
@pytest.mark.parametrize("line", LINES, ids=lambda line: line[3])
def test_forward_and_recorded_sweeps_agree(line):
    """The example's tg.grad replaced by a forward Jacobian, and by a backward pass that records itself."""

    def recorded(function, argnums=0):
        def gradient(*points):
            leaves = [tg.tensor(p, requires_grad=True) for p in points]
            wanted = [leaves[k] for k in (argnums if isinstance(argnums, tuple) else (argnums,))]
            found = tg.autograd.grad(function(*leaves), wanted, create_graph=True, materialize_grads=True)
            arrays = [g.detach().numpy() for g in found]
            return tuple(arrays) if isinstance(argnums, tuple) else arrays[0]

        return gradient

    expected = value(line[4])
    for transform in (tg.jacfwd, recorded):
        text = re.sub(r"\btg\.grad\(", "transform(", line[3], count=1)
        got = eval(text, {"tg": tg, "np": np, "transform": transform})
        np.testing.assert_allclose(got, expected, rtol=1e-14, err_msg=transform.__name__)


def test_names_that_mean_two_things():
    import tapegrad.numpy as our_np

    a = np.array([[1.0, 3.0], [5.0, 2.0]])
    x = tg.tensor(a, requires_grad=True)
    for theirs, method, function in ((np.var, x.var, tg.var), (np.std, x.std, tg.std)):
        for axis in (None, 0):
            assert np.array_equal(method(axis).detach().numpy(), theirs(a, axis, ddof=1))
            assert np.array_equal(function(x, axis).detach().numpy(), theirs(a, axis, ddof=1))
            for np_like in (np, our_np, tg.array_api):
                found = getattr(np_like, theirs.__name__)(x, axis=axis)
                assert np.array_equal(found.detach().numpy(), theirs(a, axis))
    assert np.array_equal(our_np.var(a), np.var(a)) and np.array_equal(x.var(correction=0).item(), np.var(a))
    assert x.max(0).values.tolist() == np.max(x, 0).tolist() == [5.0, 3.0]
