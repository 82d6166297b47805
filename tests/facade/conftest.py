"""The façade's tests run on tapegrad, or, with TAPEGRAD_TEST_MODULE=torch, on the library whose meanings it follows."""

import pytest

from .subject import IS_TAPEGRAD, tg


def pytest_configure(config):
    config.addinivalue_line("markers", "tapegrad_only(reason): holds for tapegrad alone; skipped on any other module")


def pytest_collection_modifyitems(items):
    if IS_TAPEGRAD:
        return
    for item in items:
        marker = item.get_closest_marker("tapegrad_only")
        if marker is not None:
            item.add_marker(pytest.mark.skip(reason=f"tapegrad only: {marker.args[0]}"))


@pytest.fixture(autouse=True)
def restored_global_state():
    yield
    tg.set_grad_enabled(True)
    tg.set_default_dtype(tg.float64)
