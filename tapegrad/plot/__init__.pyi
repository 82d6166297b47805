# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from typing import Any

__all__ = ["history", "spy"]

def history(
    values: Any, *, ax: Any | None = None, title: str | None = None, label: str = 'value', x: str = 'evaluation'
) -> Any:
    """A picture of convergence: the values on the way of an optimization, and the best so far."""
def spy(matrix: Any, *arguments: Any, ax: Any | None = None, title: str | None = None) -> Any:
    """A picture of a matrix: where it is not zero, and how large it is there, by colours on a logarithmic scale."""
