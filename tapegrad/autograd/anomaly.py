"""Looking for the operation that made nan of a gradient."""
import functools

from ..tape import count_modes, guard, state, unguard

# What a thread's state says: nothing; note the lines that record; and look for nan, too.
OFF, LINES, NAN = range(3)


class set_detect_anomaly:
    """Switches the search on or off, at once; as a context manager until its end."""

    def __init__(self, mode, check_nan=True):
        self._before = state().anomaly
        _set(_level(mode, check_nan))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _set(self._before)


class detect_anomaly:
    """Within it, operations note the line that records them, and a backward that meets nan raises a RuntimeError which
    names the operation and that line. With ``check_nan=False`` nan passes, and only other errors name the line.
    Recording and backward are much slower."""

    def __init__(self, check_nan=True):
        self._level = _level(True, check_nan)
        self._before = []

    def __enter__(self):
        self._before.append(state().anomaly)
        _set(self._level)
        return self

    def __exit__(self, *_):
        _set(self._before.pop())

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*arguments, **keywords):
            with self:
                return function(*arguments, **keywords)
        return wrapper


def _level(mode, check_nan):
    return OFF if not mode else NAN if check_nan else LINES


def _set(level):
    current = state()
    before, current.anomaly = current.anomaly, level
    if bool(before) != bool(level):
        count_modes(1 if level else -1)
        (guard if level else unguard)()


def origin(tape, i):
    """Where record `i` was recorded, as part of a sentence; empty where anomalies were not looked for."""
    if tape.origins is None and not state().anomaly:
        return ""
    line = (tape.origins or {}).get(i)
    if line is None:
        return "; it was recorded outside of detect_anomaly(), so its line is not known"
    return f'; it was recorded in File "{line.filename}", line {line.lineno}, in {line.name}: {line.line}'
