# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable, Sequence
from typing import TypeVar, overload

from .._types import Tensor

_Y = TypeVar("_Y", Tensor, tuple[Tensor, ...])

@overload
def hessian(
    func: Callable[..., Tensor], inputs: Tensor, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = 'reverse-mode'
) -> Tensor:
    """The Hessian of ``func(*inputs)``, which gives a number: for each pair of inputs a tensor of both shapes."""
@overload
def hessian(
    func: Callable[..., Tensor], inputs: Sequence[Tensor], create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = 'reverse-mode'
) -> tuple[tuple[Tensor, ...], ...]: ...
@overload
def hvp(
    func: Callable[..., Tensor], inputs: Tensor, v: Tensor | Sequence[Tensor] | None = None, create_graph: bool = False,
    strict: bool = False
) -> tuple[Tensor, Tensor]:
    """``func(*inputs)``, a number, and the product of its Hessian with `v`. With `strict`, an input on which the
    gradient doesn't depend is a RuntimeError."""
@overload
def hvp(
    func: Callable[..., Tensor], inputs: Sequence[Tensor], v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, tuple[Tensor, ...]]: ...
@overload
def jacobian(
    func: Callable[..., Tensor], inputs: Tensor, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = 'reverse-mode'
) -> Tensor:
    """The Jacobian of ``func(*inputs)``: for each output and input a tensor of the output's shape followed by the
    input's."""
@overload
def jacobian(
    func: Callable[..., Tensor], inputs: Sequence[Tensor], create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = 'reverse-mode'
) -> tuple[Tensor, ...]: ...
@overload
def jacobian(
    func: Callable[..., Sequence[Tensor]], inputs: Tensor, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = 'reverse-mode'
) -> tuple[Tensor, ...]: ...
@overload
def jacobian(
    func: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor], create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = 'reverse-mode'
) -> tuple[tuple[Tensor, ...], ...]: ...
def jvp(
    func: Callable[..., _Y], inputs: Tensor | Sequence[Tensor], v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False, strict: bool = False
) -> tuple[_Y, _Y]:
    """``func(*inputs)`` and the product of its Jacobian with `v`, by differentiating twice backward. With `strict`,
    independence of an input is a RuntimeError."""
@overload
def vjp(
    func: Callable[..., _Y], inputs: Tensor, v: Tensor | Sequence[Tensor] | None = None, create_graph: bool = False,
    strict: bool = False
) -> tuple[_Y, Tensor]:
    """``func(*inputs)`` and the product of `v` with its Jacobian. With `strict`, independence of an input is a
    RuntimeError."""
@overload
def vjp(
    func: Callable[..., _Y], inputs: Sequence[Tensor], v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False, strict: bool = False
) -> tuple[_Y, tuple[Tensor, ...]]: ...
vhp = hvp
