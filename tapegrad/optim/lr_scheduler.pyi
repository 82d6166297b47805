# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from typing_extensions import Self

from .._types import Number, Tensor
from . import Optimizer

__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR",
           "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR",
           "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR"]

class LRScheduler:
    """The base of all schedules: counts epochs in ``last_epoch`` and keeps the first learning rates in ``base_lrs``."""
    last_epoch: int
    base_lrs: list[float | Tensor]
    optimizer: Optimizer
    def __new__(cls, optimizer: Optimizer, last_epoch: int = -1) -> Self: ...
    def get_last_lr(self) -> list[float | Tensor]:
        """The learning rates that were set last, one for each group."""
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what ``state_dict()`` gave."""
    def state_dict(self) -> dict[str, Any]:
        """All that the schedule remembers, without the optimizer and functions."""
    def step(self) -> None:
        """Goes to the next epoch and sets its learning rates."""

class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first learning rate to `eta_min` in `T_max` epochs, back, and so on (Loshchilov, Hutter,
    2017)."""
    def __new__(cls, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the first learning rate to `eta_min` in `T_0` epochs, then anew, each time `T_mult` times as
    long (Loshchilov, Hutter, 2017). ``scheduler.step(epoch)`` goes to any epoch, also to fractions of one."""
    def __new__(
        cls, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""
    def step(self, epoch: int | float | None = None) -> None:
        """Goes to an epoch, by default the next one, and sets its learning rates."""

class CyclicLR(LRScheduler):
    """To and fro between `base_lr` and `max_lr` (Smith, 2017): up in `step_size_up` steps, down in `step_size_down`, or
    as many; the momentum, or beta1, the other way round. ``scheduler.step()`` after each step of the optimizer."""
    def __new__(
        cls, optimizer: Optimizer, base_lr: Number | Sequence[Number], max_lr: Number | Sequence[Number],
        step_size_up: int = 2000, step_size_down: int | None = None,
        mode: Literal['triangular', 'triangular2', 'exp_range'] = 'triangular', gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: Literal['cycle', 'iterations'] = 'cycle',
        cycle_momentum: bool = True, base_momentum: Number | Sequence[Number] = 0.8,
        max_momentum: Number | Sequence[Number] = 0.9, last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class OneCycleLR(LRScheduler):
    """One cycle (Smith and Topin, 2018): up from ``max_lr / div_factor`` to `max_lr` in a share `pct_start` of the
    steps, then down to the first one over `final_div_factor`; the momentum, or beta1, the other way round.
    ``scheduler.step()`` after each step of the optimizer, `total_steps` (or `epochs` times `steps_per_epoch`) times.
    With `three_phase`, down to the first rate, then on."""
    def __new__(
        cls, optimizer: Optimizer, max_lr: Number | Sequence[Number], total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: Literal['cos', 'linear'] = 'cos', cycle_momentum: bool = True,
        base_momentum: Number | Sequence[Number] = 0.85, max_momentum: Number | Sequence[Number] = 0.95,
        div_factor: float = 25.0, final_div_factor: float = 10000.0, three_phase: bool = False, last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when a measure, ``scheduler.step(measure)``, has not got better for more than `patience`
    epochs."""
    def __new__(
        cls, optimizer: Optimizer, mode: Literal['min', 'max'] = 'min', factor: float = 0.1, patience: int = 10,
        threshold: float = 0.0001, threshold_mode: Literal['rel', 'abs'] = 'rel', cooldown: int = 0,
        min_lr: Number | Sequence[Number] = 0, eps: float = 1e-08
    ) -> Self: ...
    def step(self, metrics: Number | Tensor) -> None:  # type: ignore[override]
        """Takes the measure of an epoch, a number, and sets the learning rates."""

class ChainedScheduler(LRScheduler):
    """Several schedules at once, whose factors multiply."""
    def __new__(cls, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> Self: ...
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what ``state_dict()`` gave."""
    def state_dict(self) -> dict[str, Any]:
        """All that the schedule and its parts remember, without the optimizer and functions."""

class ConstantLR(LRScheduler):
    """Times `factor` until epoch `total_iters`, then the whole."""
    def __new__(
        cls, optimizer: Optimizer, factor: float = 0.3333333333333333, total_iters: int = 5, last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""
    def __new__(cls, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class LambdaLR(LRScheduler):
    """The first learning rate times ``lr_lambda(epoch)``; one function, or a list with one for each group."""
    def __new__(
        cls, optimizer: Optimizer, lr_lambda: Callable[[int], Number] | Sequence[Callable[[int], Number]],
        last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""
    def state_dict(self) -> dict[str, Any]:
        """All that the schedule remembers, without the optimizer and the functions."""

class LinearLR(LRScheduler):
    """A factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""
    def __new__(
        cls, optimizer: Optimizer, start_factor: float = 0.3333333333333333, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class MultiStepLR(LRScheduler):
    """Times `gamma` at each of the epochs `milestones`."""
    def __new__(
        cls, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class MultiplicativeLR(LRScheduler):
    """Times ``lr_lambda(epoch)`` every epoch; one function, or a list with one for each group."""
    def __new__(
        cls, optimizer: Optimizer, lr_lambda: Callable[[int], Number] | Sequence[Callable[[int], Number]],
        last_epoch: int = -1
    ) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""
    def state_dict(self) -> dict[str, Any]:
        """All that the schedule remembers, without the optimizer and the functions."""

class PolynomialLR(LRScheduler):
    """Down to zero in `total_iters` epochs, as ``(1 - epoch / total_iters) ** power``."""
    def __new__(cls, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""

class SequentialLR(LRScheduler):
    """One schedule after another: the next one begins, at its epoch 0, at each of the epochs `milestones`."""
    def __new__(
        cls, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Iterable[int], last_epoch: int = -1
    ) -> Self: ...
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what ``state_dict()`` gave."""
    def state_dict(self) -> dict[str, Any]:
        """All that the schedule and its parts remember, without the optimizer and functions."""

class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs."""
    def __new__(cls, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> Self: ...
    def get_lr(self) -> list[float | Tensor]:
        """The learning rates of the epoch ``last_epoch``, one for each group."""
