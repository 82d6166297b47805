# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable
from typing import Any

from typing_extensions import Self

class set_progress:
    """Switches progress bars on or off, for all threads, at once; as a context manager until its end."""
    def __new__(cls, mode: bool) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

def bar(
    what: str, total: float | None = None, unit: str = '', wanted: bool | None = None,
    said: Callable[[], str] | None = None, delay: float | None = None
) -> Any:
    """A bar, to be used as a context manager, with an attribute `done`."""
