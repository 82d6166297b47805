"""The module under test as `tg`, and the few helpers that every file here uses."""

import importlib
import os

import numpy as np

MODULE_NAME = os.environ.get("TAPEGRAD_TEST_MODULE", "tapegrad")
IS_TAPEGRAD = MODULE_NAME == "tapegrad"

tg = importlib.import_module(MODULE_NAME)
if not IS_TAPEGRAD:
    tg.set_default_dtype(tg.float64)

# Shapes and casts fail as NumPy fails in tapegrad; PyTorch raises RuntimeError there.
ShapeError = ValueError if IS_TAPEGRAD else RuntimeError
CastError = TypeError if IS_TAPEGRAD else RuntimeError
# PyTorch and NumPy disagree on the type here (and among their own cases), so either will do.
ConversionError = (RuntimeError, ValueError, TypeError)


def leaf(data, **options):
    return tg.tensor(data, requires_grad=True, **options)


def array(tensor):
    return tensor.detach().numpy()


def assert_same(tensor, expected, rtol=1e-12, atol=1e-15):
    actual = array(tensor)
    expected = np.asarray(expected)
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


def shape_pattern(*sizes):
    """A shape in an error message, however its brackets and commas are written."""
    inner = r"\s*,\s*".join(str(size) for size in sizes)
    return rf"[\[(]\s*{inner}\s*,?\s*[\])]"
