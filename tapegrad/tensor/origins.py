"""Where in the user's code records come from: what a search for anomalies notes of each of them."""
import linecache
import os
import sys
from itertools import islice

_HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_EXAMPLES = os.path.join(_HERE, "examples", "")          # written as users write
_OTHERS = ("numpy", "scipy")
_USERS: dict = {}                            # file -> whether it is the user's


def is_users(file):
    """Whether code of a file is the user's: not this package, what it generates, or NumPy and SciPy, which call it."""
    known = _USERS.get(file)
    if known is None:
        others = [os.path.join(os.path.dirname(sys.modules[name].__file__), "") for name in _OTHERS if name in sys.modules]
        known = _USERS[file] = (file.startswith(_EXAMPLES)
                                or not file.startswith((_HERE, *others, "<tapegrad", "<__array_function__", "<frozen ")))
    return known


class Origin:
    """A place in the user's code, and the `call` of this library there that a record is part of, a number."""
    __slots__ = ("call", "code", "instruction", "number")

    def __init__(self, code, number, instruction, call):
        self.code, self.number, self.instruction, self.call = code, number, instruction, call

    def __str__(self):
        line = linecache.getline(self.code.co_filename, self.number).strip()
        place = f'File "{self.code.co_filename}", line {self.number}, in {self.code.co_name}'
        part = self._part() if line else ""
        return "".join([place, f": {line}" if line else "", f" (in {part})" if part and part != line else ""])

    def part(self):
        """The same place, of a record that is part of an operation."""
        return Origin(self.code, self.number, self.instruction, None)

    def _part(self):
        """The part of the line that was being computed, where Python keeps that (from 3.11 on)."""
        positions = getattr(self.code, "co_positions", None)
        if positions is None:
            return ""
        first, last, start, stop = next(islice(positions(), self.instruction // 2, None), (None,) * 4)
        if None in (first, last, start, stop) or not first == last == self.number:
            return ""
        line = linecache.getline(self.code.co_filename, self.number).encode()       # positions count bytes
        return line[start:stop].decode(errors="replace")


def users_frame():
    """The innermost frame of the user's code, and the frame of this library that it called; the first is None where there is
    none."""
    inner, frame = None, sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        inner, frame = frame, frame.f_back
    return frame, inner


def between(frame):
    """The files of the frames of this library, from the one that calls this up to, without, the user's."""
    files, inner = set(), sys._getframe(1)
    while inner is not None and inner is not frame:
        files.add(inner.f_code.co_filename)
        inner = inner.f_back
    return files
