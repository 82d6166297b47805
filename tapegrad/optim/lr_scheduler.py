"""Schedules of the learning rate, with PyTorch's names, settings and numbers: ``scheduler.step()`` after ``optimizer.step()``.

A schedule sets each group's ``"lr"`` from what it is, so that several schedules of one optimizer multiply.
"""
import math
from bisect import bisect_right

from .optimizer import Optimizer


class LRScheduler:
    """The base of all schedules: counts epochs in ``last_epoch`` and keeps the first learning rates in ``base_lrs``.

    A schedule of your own gives the next learning rates, one for each group, in ``get_lr()``.
    """

    def __init__(self, optimizer, last_epoch=-1):
        _check_optimizer(optimizer)
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
        self._set(self.get_lr())

    def _begin(self):
        """Epoch 0, from the present learning rates."""
        self.last_epoch = -1
        self._advance()

    def _take_over(self):
        """Epoch 0, after another schedule."""
        self._set(self.base_lrs)
        self._begin()

    def _set(self, rates):
        for group, lr in zip(self.optimizer.param_groups, rates):
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


class _ByFunction(LRScheduler):
    """Factors by a function of the epoch; one function, or a list with one for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        groups = len(getattr(optimizer, "param_groups", ()))
        self._lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self._lambdas) != groups:
            raise ValueError(f"there are {groups} groups and {len(self._lambdas)} functions; give one for each")
        super().__init__(optimizer, last_epoch)

    def _times(self, rates):
        return [lr * function(self.last_epoch) for lr, function in zip(rates, self._lambdas)]

    def state_dict(self):
        """All that the schedule remembers, without the optimizer and the functions."""
        return {name: value for name, value in super().state_dict().items() if name != "_lambdas"}


class LambdaLR(_ByFunction):
    """The first learning rate times ``lr_lambda(epoch)``; one function, or a list with one for each group."""

    def get_lr(self):
        return self._times(self.base_lrs)


class MultiplicativeLR(_ByFunction):
    """Times ``lr_lambda(epoch)`` every epoch; one function, or a list with one for each group."""

    def get_lr(self):
        return self._present() if self.last_epoch == 0 else self._times(self._present())

    def _take_over(self):
        self.last_epoch = 0
        self._set(self._times(self._present()))          # as in PyTorch, from where the other one ended


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


class PolynomialLR(_Multiplied):
    """Down to zero in `total_iters` epochs, as ``(1 - epoch / total_iters) ** power``."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch > self.total_iters:
            return 1.0
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return (left / before) ** self.power


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


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the first learning rate to `eta_min` in `T_0` epochs, then anew, each time `T_mult` times as long
    (Loshchilov, Hutter, 2017). ``scheduler.step(epoch)`` goes to any epoch, also to fractions of one."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is a positive integer, and {value!r} was given")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i, self.T_cur = T_0, last_epoch           # length of the present cosine, and how much of it is done
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch=None):
        """Goes to an epoch, by default the next one, and sets its learning rates."""
        if epoch is None:
            return self._advance()
        if not epoch >= 0:
            raise ValueError(f"an epoch must not be negative, and {epoch} was given")
        self.T_cur, self.T_i = epoch, self.T_0
        while self.T_cur >= self.T_i:
            self._restart()
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())

    def _restart(self):
        self.T_cur -= self.T_i
        self.T_i *= self.T_mult

    def _advance(self):
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self._restart()
        super()._advance()

    def _begin(self):
        self.step(0)


class CyclicLR(LRScheduler):
    """To and fro between `base_lr` and `max_lr` (Smith, 2017): up in `step_size_up` steps, down in `step_size_down`, or as many;
    the momentum, or beta1, the other way round. ``scheduler.step()`` after each step of the optimizer.

    The mode scales the height: "triangular" not, "triangular2" by half after each cycle, "exp_range" by ``gamma ** step``;
    or `scale_fn` does, a function of the number of the cycle, from 1, or with ``scale_mode="iterations"`` of the step.
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
                 scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1):
        _check_optimizer(optimizer)
        scales = {"triangular": lambda cycle: 1.0, "triangular2": lambda cycle: 0.5 ** (cycle - 1),
                  "exp_range": lambda step: gamma**step}
        if scale_fn is None and mode not in scales:
            raise ValueError(f"mode is one of {', '.join(map(repr, scales))}, not {mode!r}; or give scale_fn")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(f"scale_mode is 'cycle' or 'iterations', not {scale_mode!r}")
        down = step_size_up if step_size_down is None else step_size_down
        if not (step_size_up > 0 and down > 0):
            raise ValueError(f"a cycle has steps up and down, and {step_size_up} and {down} were given")
        self._scale = scale_fn or scales[mode]
        self.by_steps = scale_mode == "iterations" if scale_fn else mode == "exp_range"
        self.total_size, self.step_ratio = float(step_size_up + down), step_size_up / (step_size_up + down)
        groups = optimizer.param_groups
        lows, self.max_lrs = _for_each("base_lr", base_lr, groups), _for_each("max_lr", max_lr, groups)
        self.momenta = None
        if cycle_momentum:
            _check_momentum(optimizer)
            self.momenta = list(zip(*(_for_each(name, value, groups) for name, value in (
                ("max_momentum", max_momentum), ("base_momentum", base_momentum)))))
        if last_epoch == -1:
            for group, lr in zip(groups, lows):
                group["lr"] = lr
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def get_lr(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self._scale(self.last_epoch if self.by_steps else cycle)
        for group, (high, low) in zip(self.optimizer.param_groups, self.momenta or ()):
            _set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale for low, high in zip(self.base_lrs, self.max_lrs)]


class OneCycleLR(LRScheduler):
    """One cycle (Smith and Topin, 2018): up from ``max_lr / div_factor`` to `max_lr` in a share `pct_start` of the steps, then
    down to the first one over `final_div_factor`; the momentum, or beta1, the other way round. ``scheduler.step()`` after each
    step of the optimizer, `total_steps` (or `epochs` times `steps_per_epoch`) times. With `three_phase`, down to the first rate,
    then on.
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        _check_optimizer(optimizer)
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
        if cycle_momentum:
            _check_momentum(optimizer)
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
                _set_momentum(group, momentum)
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
        _check_optimizer(optimizer)
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


class _Composed(LRScheduler):
    """A schedule of schedules."""

    def __init__(self, schedulers, optimizer):
        self._schedulers = list(schedulers)
        if not self._schedulers:
            raise ValueError(f"{type(self).__name__} is made of schedules, and there is none")
        self.optimizer = optimizer or getattr(self._schedulers[0], "optimizer", None)
        for k, schedule in enumerate(self._schedulers):
            if not isinstance(schedule, LRScheduler):
                raise TypeError(f"{type(self).__name__} is made of schedules, and number {k} is a {type(schedule).__name__}")
            if isinstance(schedule, ReduceLROnPlateau):
                raise ValueError(f"{type(self).__name__} has no measure for a ReduceLROnPlateau; step that by itself")
            if schedule.optimizer is not self.optimizer:
                raise ValueError(f"{type(self).__name__} needs schedules of one optimizer, and number {k} is of another")
        self.base_lrs, self._last_lr = self._schedulers[0].base_lrs, self._present()

    def state_dict(self):
        """All that the schedule and its parts remember, without the optimizer and functions."""
        return {**super().state_dict(), "_schedulers": [schedule.state_dict() for schedule in self._schedulers]}

    def load_state_dict(self, state_dict):
        """Takes what ``state_dict()`` gave."""
        parts = state_dict["_schedulers"]
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for schedule, part in zip(self._schedulers, parts):
            schedule.load_state_dict(part)


class SequentialLR(_Composed):
    """One schedule after another: the next one begins, at its epoch 0, at each of the epochs `milestones`."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        _check_optimizer(optimizer)
        super().__init__(schedulers, optimizer)
        self._milestones, between = list(milestones), len(self._schedulers) - 1
        if len(self._milestones) != between:
            raise ValueError(f"between {between + 1} schedules there are {between} milestones, and {len(self._milestones)} were "
                             "given")
        self._set([group["initial_lr"] for group in optimizer.param_groups])
        self._begin()
        self.last_epoch = last_epoch + 1

    def _begin(self):
        self.last_epoch = 0
        schedule = self._schedulers[bisect_right(self._milestones, 0)]
        schedule._begin()
        self._last_lr = schedule.get_last_lr()

    def _advance(self):
        self.last_epoch += 1
        k = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[k]
        if k and self._milestones[k - 1] == self.last_epoch:
            schedule._take_over()
        else:
            schedule._advance()
        self._last_lr = schedule.get_last_lr()


class ChainedScheduler(_Composed):
    """Several schedules at once, whose factors multiply."""

    def __init__(self, schedulers, optimizer=None):
        super().__init__(schedulers, optimizer)

    def _begin(self):
        for schedule in self._schedulers:
            schedule._begin()
        self._last_lr = self._present()

    def _advance(self):
        for schedule in self._schedulers:
            schedule._advance()
        self._last_lr = self._present()


def _check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"a schedule is of an optimizer, not of {type(optimizer).__name__}")


def _check_momentum(optimizer):
    if not {"momentum", "betas"} & set(optimizer.defaults):
        raise ValueError(f"{type(optimizer).__name__} has neither momentum nor betas to cycle; pass cycle_momentum=False")


def _set_momentum(group, momentum):
    group.update({"betas": (momentum, *group["betas"][1:])} if "betas" in group else {"momentum": momentum})


def _for_each(name, value, groups):
    if isinstance(value, (list, tuple)):
        if len(value) != len(groups):
            raise ValueError(f"there are {len(groups)} groups and {len(value)} values of {name}; give one for each, or a number")
        return list(value)
    return [value] * len(groups)


__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
           "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
           "ReduceLROnPlateau", "SequentialLR", "StepLR"]
