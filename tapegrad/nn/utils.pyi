# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from collections.abc import Iterable

from .._types import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: _float, norm_type: _float = 2.0, error_if_nonfinite: _bool = False,
    foreach: _bool | None = None
) -> Tensor:
    """Scales the gradients of all parameters, as one vector, in place to a norm of at most `max_norm`; gives the norm
    before."""
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: _float, foreach: _bool | None = None) -> None:
    """Moves the gradients of all parameters, in place and element by element, into [-clip_value, clip_value]."""
