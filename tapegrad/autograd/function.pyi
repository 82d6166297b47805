# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable
from typing import Any, TypeVar

from .._types import Tensor

_F = TypeVar("_F", bound=Callable[..., Any])

class FunctionCtx:
    """What forward leaves for backward. Any attribute can be set on it."""
    needs_input_grad: tuple[bool, ...]
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...
    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """What save_for_backward was given. RuntimeError where it was used up, or written since."""
    def mark_dirty(self, *tensors: Tensor) -> None:
        """These inputs were written by forward, which returns them; of a view, its base and other views are written,
        too."""
    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """These outputs of forward have no gradient."""
    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for backward, where ``ctx.saved_tensors`` has them; a write in between is an error there."""
    def save_for_forward(self, *tensors: Tensor) -> None:
        """As PyTorch has it; nothing here needs it."""
    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros, rather than None, for outputs without gradient; True to begin with."""

class Function:
    """A differentiable operation of your own: static ``forward(ctx, ...)`` and ``backward(ctx, *gradients)``."""
    @classmethod
    def apply(cls, *arguments: Any) -> Any:
        """Calls forward and records the call."""
    @staticmethod
    def backward(*arguments: Any, **keywords: Any) -> Any:
        """Gives one gradient for each argument of forward, None where there is none."""
    @staticmethod
    def forward(*arguments: Any, **keywords: Any) -> Any:
        """Computes the outputs, without recording."""
    @staticmethod
    def setup_context(*arguments: Any, **keywords: Any) -> Any:
        """Where forward takes no ctx: fills it in after forward."""

def once_differentiable(function: _F) -> _F:
    """A backward whose result is not differentiated again: with create_graph that is an error instead of a wrong
    result."""
