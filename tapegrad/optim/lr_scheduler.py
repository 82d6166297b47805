"""Schedules of the learning rate, with PyTorch's names, settings and numbers: ``scheduler.step()`` after ``optimizer.step()``.

A schedule sets each group's ``"lr"`` from what it is, so that several schedules of one optimizer multiply.
"""
import math

from .optimizer import Optimizer


class LRScheduler:
    """The base of all schedules: counts epochs in ``last_epoch`` and keeps the first learning rates in ``base_lrs``.

    A schedule of your own gives the next learning rates, one for each group, in ``get_lr()``.
    """

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"a schedule is of an optimizer, not of {type(optimizer).__name__}")
        self.optimizer = optimizer
        for k, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"group {k} has no 'initial_lr', which a schedule needs to go on from epoch {last_epoch}; load "
                               "the optimizer's state first")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._advance()

    def get_lr(self):
        """The learning rates of the epoch ``last_epoch``, one for each group."""
        raise NotImplementedError("a schedule needs a method get_lr() that gives a learning rate for each group")

    def get_last_lr(self):
        """The learning rates that were set last, one for each group."""
        return self._last_lr

    def step(self):
        """Goes to the next epoch and sets its learning rates."""
        self._advance()

    def _advance(self):
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr
        self._last_lr = self._present()

    def _present(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self):
        """All that the schedule remembers, without the optimizer and functions."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer" and not callable(value)}

    def load_state_dict(self, state_dict):
        """Takes what ``state_dict()`` gave."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first learning rate times ``lr_lambda(epoch)``; one function, or a list with one for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        groups = len(getattr(optimizer, "param_groups", ()))
        self._lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self._lambdas) != groups:
            raise ValueError(f"there are {groups} groups and {len(self._lambdas)} functions; give one for each")
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [lr * function(self.last_epoch) for lr, function in zip(self.base_lrs, self._lambdas)]

    def state_dict(self):
        """All that the schedule remembers, without the optimizer and the functions."""
        return {name: value for name, value in super().state_dict().items() if name != "_lambdas"}


class _Multiplied(LRScheduler):
    """The learning rate is multiplied with a factor each epoch."""

    def _factor(self):
        raise NotImplementedError

    def get_lr(self):
        factor = 1.0 if self.last_epoch == 0 else self._factor()
        return self._present() if factor == 1.0 else [lr * factor for lr in self._present()]


class StepLR(_Multiplied):
    """Times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma if self.last_epoch % self.step_size == 0 else 1.0


class MultiStepLR(_Multiplied):
    """Times `gamma` at each of the epochs `milestones`."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma ** self.milestones.count(self.last_epoch)


class ExponentialLR(_Multiplied):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma


class ConstantLR(_Multiplied):
    """Times `factor` until epoch `total_iters`, then the whole."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1:
            raise ValueError(f"factor is between 0 and 1, and {factor} was given")
        self.part, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * self.part for lr in self._present()]
        return super().get_lr()

    def _factor(self):
        return 1.0 / self.part if self.last_epoch == self.total_iters else 1.0


class LinearLR(_Multiplied):
    """A factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError(f"the factors are between 0 and 1, and {start_factor} and {end_factor} were given")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self._present()]
        return super().get_lr()

    def _factor(self):
        if self.last_epoch > self.total_iters:
            return 1.0
        change = self.end_factor - self.start_factor
        return 1.0 + change / (self.total_iters * self.start_factor + (self.last_epoch - 1) * change)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first learning rate to `eta_min` in `T_max` epochs, back, and so on (Loshchilov, Hutter, 2017)."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch, period, least = self.last_epoch, self.T_max, self.eta_min
        if epoch == 0:
            return self._present()
        if (epoch - 1 - period) % (2 * period) == 0:     # from the least one, which no factor leads away from
            up = (1 - math.cos(math.pi / period)) / 2
            return [lr + (base - least) * up for lr, base in zip(self._present(), self.base_lrs)]
        ratio = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [ratio * (lr - least) + least for lr in self._present()]


class OneCycleLR(LRScheduler):
    """One cycle (Smith and Topin, 2018): up from ``max_lr / div_factor`` to `max_lr` in a share `pct_start` of the steps, then
    down to the first one over `final_div_factor`; the momentum, or beta1, the other way round. ``scheduler.step()`` after each
    step of the optimizer, `total_steps` (or `epochs` times `steps_per_epoch`) times. With `three_phase`, down to the first rate,
    then on.
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"a schedule is of an optimizer, not of {type(optimizer).__name__}")
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("give total_steps, or epochs and steps_per_epoch")
        total = total_steps if total_steps is not None else epochs * steps_per_epoch
        if not isinstance(total, int) or total <= 0:
            raise ValueError(f"the number of steps is a positive integer, and {total!r} was given")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"pct_start is between 0 and 1, and {pct_start} was given")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps, self.anneal_strategy, self.cycle_momentum = total, anneal_strategy, cycle_momentum
        up = float(pct_start * total) - 1
        last = ("max_lr", "min_lr", "base_momentum", "max_momentum")
        if three_phase:
            self.phases = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum"),
                           (2 * up, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                           (total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        else:
            self.phases = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum"), (total - 1, *last)]
        groups = optimizer.param_groups
        if cycle_momentum and not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError(f"{type(optimizer).__name__} has neither momentum nor betas to cycle; pass cycle_momentum=False")
        if last_epoch == -1:
            given = zip(groups, *(_for_each(name, value, groups) for name, value in (
                ("max_lr", max_lr), ("base_momentum", base_momentum), ("max_momentum", max_momentum))))
            for group, largest, low, high in given:
                first = largest / div_factor
                group.update(initial_lr=first, max_lr=largest, min_lr=first / final_div_factor)
                if cycle_momentum:
                    group.update(base_momentum=low, max_momentum=high)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        epoch = self.last_epoch
        if epoch > self.total_steps:
            raise ValueError(f"a cycle of {self.total_steps} steps is over, and step {epoch} was asked for")
        k = next((k for k, phase in enumerate(self.phases) if epoch <= phase[0]), len(self.phases) - 1)
        end, *names = self.phases[k]
        begin = self.phases[k - 1][0] if k else 0.0
        share = (epoch - begin) / (end - begin) if end != begin else 1.0
        lrs = []
        for group in self.optimizer.param_groups:
            lr, momentum = (self._between(group[a], group[b], share) if a in group else None for a, b in (names[:2], names[2:]))
            lrs.append(lr)
            if self.cycle_momentum:
                group.update({"betas": (momentum, *group["betas"][1:])} if "betas" in group else {"momentum": momentum})
        return lrs

    def _between(self, start, end, share):
        if self.anneal_strategy == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when a measure, ``scheduler.step(measure)``, has not got better for more than `patience` epochs.

    Better is lower (mode "min") or higher ("max") than the best so far by `threshold`, relative to it ("rel") or not ("abs").
    After a reduction, `cooldown` epochs don't count. The rate stays above `min_lr`, and changes less than `eps` are left out.
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0, min_lr=0,
                 eps=1e-8):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"a schedule is of an optimizer, not of {type(optimizer).__name__}")
        if factor >= 1.0:
            raise ValueError(f"factor is less than 1, and {factor} was given")
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError(f"mode is 'min' or 'max' and threshold_mode 'rel' or 'abs', not {mode!r} and {threshold_mode!r}")
        self.optimizer, self.mode, self.threshold_mode, self.threshold = optimizer, mode, threshold_mode, threshold
        self.factor, self.patience, self.cooldown, self.eps = factor, patience, cooldown, eps
        self.min_lrs = _for_each("min_lr", min_lr, optimizer.param_groups)
        self.best = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = self.last_epoch = 0
        self._last_lr = self._present()

    def step(self, metrics):
        """Takes the measure of an epoch, a number, and sets the learning rates."""
        current = float(metrics)
        self.last_epoch += 1
        if self._is_better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                old = float(group["lr"])
                new = max(old * self.factor, least)
                if old - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._present()

    def _is_better(self, value):
        if self.mode == "min":
            return value < (self.best * (1.0 - self.threshold) if self.threshold_mode == "rel" else self.best - self.threshold)
        return value > (self.best * (self.threshold + 1.0) if self.threshold_mode == "rel" else self.best + self.threshold)


def _for_each(name, value, groups):
    if isinstance(value, (list, tuple)):
        if len(value) != len(groups):
            raise ValueError(f"there are {len(groups)} groups and {len(value)} values of {name}; give one for each, or a number")
        return list(value)
    return [value] * len(groups)


__all__ = ["ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "OneCycleLR",
           "ReduceLROnPlateau", "StepLR"]
