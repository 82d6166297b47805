# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

from numpy.typing import ArrayLike
from typing_extensions import Self

from .._types import Node, Tensor, TensorLike
from . import function, functional
from .function import Function, FunctionCtx

__all__ = ["Function", "FunctionCtx", "GradcheckError", "Node", "Variable", "backward", "detect_anomaly", "enable_grad",
           "function", "functional", "grad", "gradcheck", "gradgradcheck", "inference_mode", "is_grad_enabled",
           "is_inference_mode_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled"]

_F = TypeVar("_F", bound=Callable[..., Any])

class GradcheckError(RuntimeError):
    """A derivative that does not agree with the differences of the values."""

class detect_anomaly:
    """Within it, the first operation that makes nan or infinity raises a RuntimeError, which names the operation and
    the line of your code that called it."""
    def __new__(cls, check_nan: bool = True, check_inf: bool | None = None, *, forward: bool = True) -> Self: ...
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

class enable_grad:
    """Operations are recorded, inside no_grad too."""
    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: _F) -> _F: ...  # type: ignore[misc]
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

class inference_mode:
    """As no_grad; tensors made in it can never require grad. ``inference_mode(False)`` records as usual."""
    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: _F) -> _F: ...  # type: ignore[misc]
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

class no_grad:
    """Nothing is recorded."""
    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: _F) -> _F: ...  # type: ignore[misc]
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

class set_detect_anomaly:
    """Switches the search of :class:`detect_anomaly` on or off, at once; as a context manager until its end."""
    def __new__(
        cls, mode: bool, check_nan: bool = True, check_inf: bool | None = None, *, forward: bool = True
    ) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

class set_grad_enabled:
    """As a function, sets the mode at once; as a context manager, until its end; as a decorator, within the
    function."""
    def __new__(cls, mode: bool) -> Self: ...
    def __call__(self, function: _F) -> _F: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

def Variable(data: TensorLike | ArrayLike, requires_grad: bool = False) -> Tensor:
    """Legacy: a tensor of `data`, which may be one already."""
def backward(
    tensors: Tensor | Sequence[Tensor], grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None, create_graph: bool = False, inputs: Tensor | Sequence[Tensor] | None = None
) -> None:
    """Adds the gradients of `tensors` to the ``grad`` of the leaves that they were computed from."""
@overload
def grad(
    outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: bool | None = None,
    create_graph: bool = False, allow_unused: Literal[False] | None = None, is_grads_batched: bool = False,
    materialize_grads: bool = False
) -> tuple[Tensor, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`, a tuple; nothing is added to any ``grad``."""
@overload
def grad(
    outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: bool | None = None,
    create_graph: bool = False, allow_unused: bool | None = None, is_grads_batched: bool = False, *,
    materialize_grads: Literal[True]
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: bool | None = None,
    create_graph: bool = False, allow_unused: bool | None = None, is_grads_batched: bool = False,
    materialize_grads: bool = False
) -> tuple[Tensor | None, ...]: ...
def gradcheck(
    func: Callable[..., Any], inputs: Tensor | Sequence[Any], *, eps: float = 1e-06, atol: float = 1e-05,
    rtol: float = 0.001, raise_exception: bool = True, nondet_tol: float = 0.0, check_grad_dtypes: bool = False,
    fast_mode: bool = False, check_batched_grad: bool = False, check_forward_ad: bool = False,
    check_backward_ad: bool = True, check_undefined_grad: bool = True, masked: bool = False
) -> bool:
    """True where the gradients of ``func(*inputs)`` agree with central differences of step `eps`."""
def gradgradcheck(
    func: Callable[..., Any], inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None, *, eps: float = 1e-06, atol: float = 1e-05,
    rtol: float = 0.001, raise_exception: bool = True, nondet_tol: float = 0.0,
    gen_non_contig_grad_outputs: bool = False, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True,
    fast_mode: bool = False, masked: bool = False
) -> bool:
    """As :func:`gradcheck`, for the gradients of the gradients."""
def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread."""
def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference_mode."""
