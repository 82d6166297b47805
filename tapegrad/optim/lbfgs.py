"""L-BFGS with PyTorch's settings: limited-memory BFGS (Nocedal and Wright, Numerical Optimization, 2006, algorithms 7.4 and 7.5),
optionally with a line search for the strong Wolfe conditions (algorithms 3.5 and 3.6, cubic interpolation 3.59)."""
import math

import numpy as np

from ..autograd.modes import enable_grad
from ..tape import settle
from ..tensor.core import Tensor, bump, root_of, wrap
from .optimizer import Optimizer

ARMIJO, CURVATURE = 1e-4, 0.9                # constants of the Wolfe conditions
SMALLEST_CURVATURE = 1e-10                   # of a pair that is kept


class LBFGS(Optimizer):
    """Limited-memory BFGS. A step runs up to `max_iter` iterations, for which it calls a closure that computes the loss and its
    gradients anew: ``optimizer.step(closure)``.

    It ends when the largest gradient is at most `tolerance_grad`, or when the loss or the parameters change by less than
    `tolerance_change`, or after `max_eval` evaluations (5/4 of `max_iter` by default). `history_size`: how many pairs of
    changes approximate the Hessian. ``line_search_fn="strong_wolfe"``: search along each direction; otherwise the step is `lr`
    times the direction. There is one group of parameters.
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
                 line_search_fn=None):
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(f"line_search_fn is None or 'strong_wolfe', not {line_search_fn!r}")
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn})

    def _begin(self):
        self._history = _History()

    def _prepare(self, group):
        if self.param_groups:
            raise ValueError("LBFGS has one group of parameters, with the same settings for all")

    # Parameters as one vector ------------------------------------------------------------------------------------------

    def _gradient(self):
        return np.concatenate([np.zeros(p.numel(), p.dtype) if p._grad is None else p._grad._array().reshape(-1)
                               for p in self.param_groups[0]["params"]])

    def _point(self):
        return [p._array().copy() for p in self.param_groups[0]["params"]]

    def _write(self, point, step=0.0, direction=None):
        """Sets the parameters to ``point + step * direction``."""
        settle()
        start = 0
        for p, values in zip(self.param_groups[0]["params"], point):
            bump(root_of(p))
            target = p._array()
            target[...] = values
            if direction is not None:
                target += step * direction[start:start + values.size].reshape(values.shape)
            start += values.size

    def step(self, closure):
        """Up to `max_iter` iterations; gives the loss at the beginning. An exception leaves the parameters at the last point that
        was accepted."""
        if not callable(closure):
            raise TypeError("LBFGS needs a closure that computes the loss and its gradients: optimizer.step(closure)")
        group, h = self.param_groups[0], self._history
        lr, change = float(group["lr"]), group["tolerance_change"]

        def evaluate():
            with enable_grad():
                loss = closure()
            return loss, float(loss), self._gradient()

        first, loss, g = evaluate()
        evaluations = 1
        h.func_evals += 1
        if np.abs(g).max(initial=0.0) <= group["tolerance_grad"]:
            return first
        for iteration in range(1, group["max_iter"] + 1):
            h.n_iter += 1
            d = h.direction(g, group["history_size"])
            h.prev_flat_grad, h.prev_loss, h.d = g, loss, d
            before = loss
            h.t = t = min(1.0, 1.0 / np.abs(g).sum()) * lr if h.n_iter == 1 else lr
            slope = g @ d
            if slope > -change:
                break
            point = self._point()
            used = 0
            if group["line_search_fn"] is not None:
                def at(t, point=point, d=d):
                    try:
                        self._write(point, t, d)
                        return evaluate()[1:]
                    finally:
                        self._write(point)
                loss, g, t, used = _strong_wolfe(at, t, d, loss, g, slope, change, group["max_eval"] - evaluations)
                h.t = t
                self._write(point, t, d)
            else:
                self._write(point, t, d)
                if iteration < group["max_iter"]:
                    try:
                        _, loss, g = evaluate()
                    except BaseException:
                        self._write(point)
                        raise
                    used = 1
            evaluations += used
            h.func_evals += used
            if (iteration == group["max_iter"] or evaluations >= group["max_eval"]
                    or np.abs(g).max() <= group["tolerance_grad"] or np.abs(d * t).max() <= change
                    or abs(loss - before) < change):
                break
        return first

    # State -------------------------------------------------------------------------------------------------------------

    def _group_state(self, k):
        if self._history.func_evals:
            yield self.param_groups[0]["params"][0], self._history.as_dict()

    def _load_group(self, k, entries):
        self._history = _History.of(entries[0][1] or {})


class _History:
    """Changes of the parameters and the gradients, and where the last step ended."""

    def __init__(self):
        self.func_evals = self.n_iter = 0
        self.changes: list = []              # of the gradient,
        self.steps: list = []                # of the parameters,
        self.inverses: list = []             # and 1 / their product
        self.scale = 1.0                     # of the approximation that the pairs are added to
        self.d = self.t = self.prev_flat_grad = self.prev_loss = None

    def direction(self, g, size):
        """Minus the approximate inverse Hessian times the gradient; first takes in the change since the last time."""
        if self.n_iter == 1 or self.d is None:
            self.changes, self.steps, self.inverses, self.scale = [], [], [], 1.0
            return -g
        change, step = g - self.prev_flat_grad, self.d * self.t
        curvature = change @ step
        if curvature > SMALLEST_CURVATURE:
            if len(self.changes) == size:
                for memory in (self.changes, self.steps, self.inverses):
                    memory.pop(0)
            self.changes.append(change)
            self.steps.append(step)
            self.inverses.append(1.0 / curvature)
            self.scale = curvature / (change @ change)
        q, shares = -g, []
        for y, s, inverse in zip(reversed(self.changes), reversed(self.steps), reversed(self.inverses)):
            shares.append((s @ q) * inverse)
            q = q - shares[-1] * y
        r = q * self.scale
        for y, s, inverse, share in zip(self.changes, self.steps, self.inverses, reversed(shares)):
            r = r + (share - (y @ r) * inverse) * s
        return r

    _VECTORS = ("d", "prev_flat_grad")
    _LISTS = (("old_dirs", "changes"), ("old_stps", "steps"), ("ro", "inverses"))

    def as_dict(self):
        """With the names that PyTorch has for them."""
        vectors = {name: None if getattr(self, name) is None else wrap(getattr(self, name).copy()) for name in self._VECTORS}
        lists = {name: [wrap(np.array(value)) for value in getattr(self, own)] for name, own in self._LISTS}
        return {"func_evals": self.func_evals, "n_iter": self.n_iter, **vectors, **lists, "t": self.t, "H_diag": self.scale,
                "prev_loss": self.prev_loss}

    @classmethod
    def of(cls, given):
        made = cls()
        made.func_evals, made.n_iter = given.get("func_evals", 0), given.get("n_iter", 0)
        made.t, made.prev_loss = _number(given.get("t")), given.get("prev_loss")
        made.scale = _number(given.get("H_diag")) or 1.0
        for name in cls._VECTORS:
            setattr(made, name, None if given.get(name) is None else _vector(given[name]))
        for name, own in cls._LISTS:
            setattr(made, own, [_vector(value) if np.ndim(_vector(value)) else float(_vector(value))
                                for value in given.get(name) or []])
        return made


def _vector(value):
    return np.array(value._array() if isinstance(value, Tensor) else value)


def _number(value):
    return None if value is None else float(value)


# Line search --------------------------------------------------------------------------------------------------------------

def _cubic_minimum(x1, f1, g1, x2, f2, g2, low=None, high=None):
    """Where the cubic through two values and slopes is least, within [low, high]; its middle where there is no minimum."""
    if low is None:
        low, high = min(x1, x2), max(x1, x2)
    a = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = a * a - g1 * g2
    if not square >= 0:
        return (low + high) / 2
    root = math.sqrt(square)
    if x1 <= x2:
        best = x2 - (x2 - x1) * ((g2 + root - a) / (g2 - g1 + 2 * root))
    else:
        best = x1 - (x1 - x2) * ((g1 + root - a) / (g1 - g2 + 2 * root))
    return min(max(best, low), high)


class _Trial:
    """A step length, and value, gradient and slope there."""
    __slots__ = ("f", "g", "slope", "t")

    def __init__(self, t, f, g, slope):
        self.t, self.f, self.g, self.slope = t, f, g, slope


def _strong_wolfe(evaluate, t, d, f, g, slope, change, most):
    """A step along `d` that satisfies the strong Wolfe conditions, or the best one of `most` evaluations: (value, gradient, step,
    evaluations). It first looks for an interval that holds one, then narrows it."""
    def trial(t):
        value, gradient = evaluate(t)
        return _Trial(t, value, gradient, float(gradient @ d))

    def too_high(new):
        return new.f > f + ARMIJO * new.t * slope

    def flat_enough(new):
        return abs(new.slope) <= -CURVATURE * slope

    start = last = _Trial(0.0, f, g, float(slope))
    new, rounds, bracket = trial(t), 0, None
    while rounds < most:
        if too_high(new) or (rounds > 1 and new.f >= last.f):
            bracket = [last, new]
            break
        if flat_enough(new):
            return new.f, new.g, new.t, rounds + 1
        if new.slope >= 0:
            bracket = [last, new]
            break
        t = _cubic_minimum(last.t, last.f, last.slope, new.t, new.f, new.slope, new.t + 0.01 * (new.t - last.t), new.t * 10)
        last, new = new, trial(t)
        rounds += 1
    bracket = bracket or [start, new]

    # The first of the two is always the lower one
    largest, stalled = np.abs(d).max(), False
    bracket.sort(key=lambda side: side.f)
    low, high = bracket
    done = False
    while not done and rounds < most and abs(high.t - low.t) * largest >= change:
        left, right = min(low.t, high.t), max(low.t, high.t)
        ends = (low, high) if low.t <= high.t else (high, low)
        t = _cubic_minimum(ends[0].t, ends[0].f, ends[0].slope, ends[1].t, ends[1].f, ends[1].slope)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:            # near an end once is all right; twice makes no progress
            if stalled or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        new = trial(t)
        rounds += 1
        if too_high(new) or new.f >= low.f:
            high = new
            if high.f < low.f:
                low, high = high, low
        else:
            if flat_enough(new):
                done = True
            elif new.slope * (high.t - low.t) >= 0:
                high = low
            low = new
    return low.f, low.g, low.t, rounds + 1


__all__ = ["LBFGS"]
