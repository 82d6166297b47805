"""What an old NumPy can't show."""

import numpy as np
import pytest

# README prints scalars as NumPy 2 does; before it, the integer that an operation gives may depend on a number's value,
# which the array API standard rules out.
NEW_NUMPY = ("README.md", "tests/array_api/")


def pytest_collection_modifyitems(items):
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        for item in items:
            if item.nodeid.startswith(NEW_NUMPY):
                item.add_marker(pytest.mark.skip(reason="for NumPy 2"))
