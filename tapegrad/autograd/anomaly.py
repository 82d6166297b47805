"""Looking for the operation that made nan of a gradient."""
import functools

from ..tape import guard, state, unguard


class set_detect_anomaly:
    """Switches the search on or off, at once; as a context manager until its end."""

    def __init__(self, mode, check_nan=True):
        self._before = state().anomaly
        _set(bool(mode))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _set(self._before)


class detect_anomaly:
    """Within it, operations note the line that records them, and a backward that meets nan raises a RuntimeError which names
    the operation and that line. Recording and backward are much slower."""

    def __init__(self, check_nan=True):
        self._before = []

    def __enter__(self):
        self._before.append(state().anomaly)
        _set(True)
        return self

    def __exit__(self, *_):
        _set(self._before.pop())

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*arguments, **keywords):
            with detect_anomaly():
                return function(*arguments, **keywords)
        return wrapper


def _set(mode):
    current = state()
    if mode != current.anomaly:
        current.anomaly = mode
        (guard if mode else unguard)()
