# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable, Iterable
from typing import Any, Literal

from typing_extensions import Self

from .._types import Tensor
from . import lr_scheduler

__all__ = ["ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam",
           "RMSprop", "Rprop", "clip_grad_norm_", "clip_grad_value_", "lr_scheduler"]

class Optimizer:
    """Updates parameters, tensors that require grad, by their ``grad``. `params`: an iterable of tensors, of pairs
    (name, tensor), or of dicts ``{"params": tensors, setting: value, ...}``, groups with settings of their own."""
    param_groups: list[dict[str, Any]]
    defaults: dict[str, Any]
    def __new__(cls, params: Any, defaults: dict[str, Any]) -> Self: ...
    @property
    def state(self) -> dict[Tensor, dict[str, Any]]:
        """A dict for each parameter that was updated: the number of steps and the method's buffers, which are no
        copies."""
    def add_param_group(self, group: dict[str, Any]) -> None:
        """Adds a group, a dict with ``"params"`` and settings; the others are the optimizer's defaults."""
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes state and settings of an optimizer with groups of the same lengths; the tensors are copied. ValueError,
        with nothing changed, where they don't fit."""
    def state_dict(self) -> dict[str, Any]:
        """The state and the settings as dicts of copies, parameters by number; what PyTorch's optimizers give and
        take."""
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Removes the gradients of all parameters, or with ``set_to_none=False`` fills them with zeros in place."""

class LBFGS(Optimizer):
    """Limited-memory BFGS. A step runs up to `max_iter` iterations, for which it calls a closure that computes the loss
    and its gradients anew: ``optimizer.step(closure)``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-07, tolerance_change: float = 1e-09, history_size: int = 100,
        line_search_fn: Literal['strong_wolfe'] | None = None
    ) -> Self: ...
    def step(self, closure: Callable[[], Any]) -> Any:
        """Up to `max_iter` iterations; gives the loss at the beginning. An exception leaves the parameters at the last
        point that was accepted."""

class ASGD(Optimizer):
    """Averaged gradient descent (Polyak and Juditsky, 1992) with steps ``lr / (1 + lambd lr t)^alpha``; the mean of the
    parameters since step `t0` is ``state[p]["ax"]``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.01, lambd: float = 0.0001, alpha: float = 0.75, t0: float = 1000000.0,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class SGD(Optimizer):
    """Gradient descent, with momentum (also Nesterov's), dampening and weight decay (an L2 term)."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.001, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        differentiable: bool = False, fused: bool | None = None
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012): the gradient over the root of a running mean of its square, times that of the changes:
    ``d = sqrt(u + eps) / sqrt(v + eps) g``, ``p = p - lr d``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-06, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class Adagrad(Optimizer):
    """Adagrad (Duchi, Hazan and Singer, 2011): ``s = s + g^2``, ``p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) +
    eps)``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.01, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): steps by running means of the gradient and of its square, ``amsgrad`` by the largest
    of these."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.001, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class Adamax(Optimizer):
    """Adam with the largest gradient in the place of the mean of squares (Kingma and Ba, 2015): ``u = max(beta2 u, |g|
    + eps)``, ``p = p - lr m / (1 - beta1^t) / u``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.002, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016), whose share grows by ``1 - 0.96^(t momentum_decay) / 2``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.002, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08,
        weight_decay: float = 0, momentum_decay: float = 0.004, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class RAdam(Optimizer):
    """Rectified Adam (Liu et al., 2020): momentum alone for the first steps, until the mean of squares is long enough
    to be told; from then on Adam's step times a factor that grows to 1."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.001, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class RMSprop(Optimizer):
    """RMSprop (Hinton, 2012): steps by the gradient over the root of a running mean of its square, which ``centered``
    takes about the running mean of the gradient."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.01, alpha: float = 0.99, eps: float = 1e-08, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class Rprop(Optimizer):
    """Resilient propagation (Riedmiller and Braun, 1993): each element has a step of its own, which grows by
    ``etas[1]`` while its gradient keeps its sign and shrinks by ``etas[0]`` where it changes; within ``step_sizes``."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.01, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-06, 50), *, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False
    ) -> Self: ...
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and
        the gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""

class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019): ``p = p (1 - lr weight_decay)`` before the
    step."""
    def __new__(
        cls, params: Any, lr: float | Tensor = 0.001, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08,
        weight_decay: float = 0.01, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None
    ) -> Self: ...

def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None
) -> Tensor:
    """Scales the gradients of all parameters, as one vector, in place to a norm of at most `max_norm`; gives the norm
    before."""
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Moves the gradients of all parameters, in place and element by element, into [-clip_value, clip_value]."""
