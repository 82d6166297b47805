# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["check_grads"]

def check_grads(
    function: Callable[..., Any], modes: Sequence[str] = ('fwd', 'rev'), order: int = 2
) -> Callable[..., None]:
    """A function of the arguments of `function` that checks its derivatives there and gives None."""
