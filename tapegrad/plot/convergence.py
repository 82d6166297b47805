"""How an optimization went."""
import importlib

import numpy as np

from ..tensor.core import Tensor
from .figures import CURVES, INK, QUIET, axes_or_new, finish

MARKED = 30                                  # values up to which each is a dot


def history(values, *, ax=None, title=None, label="value", x="evaluation"):
    """A picture of convergence: the values on the way of an optimization, and the best so far.

    `values` is a result of :mod:`tapegrad.optimize` (its attribute ``history``), a list of numbers or Tensors, as a loop over
    ``optimizer.step()`` gathers them, or a dict of such, name to values, of which each is a curve. The scale is logarithmic
    where all values are positive, and where some are not but come down to a minimum by orders of magnitude, it is that of
    the distance from the least value. `label` is what the values are, `x` what they are counted in.

    Draws on the axes `ax`, or on a new figure, and gives the axes. ImportError without matplotlib, TypeError for what has no
    history, ValueError where there are no values.

    >>> import tapegrad as tg
    >>> result = tg.optimize.minimize(lambda x: ((x - 3.0) ** 4).sum(), [0.0, 1.0])
    >>> ax = tg.plot.history(result)                                                     # doctest: +SKIP
    """
    curves = {name: _numbers(part) for name, part in values.items()} if _is_named(values) else {"": _numbers(values)}
    ax = axes_or_new(ax, (6.4, 4.0))
    ticker = importlib.import_module("matplotlib.ticker")
    finite = np.concatenate([y[np.isfinite(y)] for y in curves.values()])
    least, log = 0.0, False
    if finite.size:
        positive, spread = finite.min() > 0, np.ptp(finite)
        log = bool(positive and finite.max() > 20 * finite.min())
        tail = min(np.median(np.abs(y[np.isfinite(y)] - finite.min())) for y in curves.values() if np.isfinite(y).any())
        if not log and not positive and spread > 0 and tail < spread / 100:
            least, log = finite.min(), True
    several = len(curves) > 1
    for k, (name, y) in enumerate(curves.items()):
        color = CURVES[k % len(CURVES)]
        steps = np.arange(1, len(y) + 1)
        best = np.fmin.accumulate(y)
        shown = [np.where(z - least > 0, z - least, np.nan) if log else z for z in (y, best)]
        marker = "o" if len(y) <= MARKED else None
        ax.plot(steps, shown[0], color=color, alpha=0.45, linewidth=1.0, marker=marker, markersize=3.5,
                label=None if several else f"each {x}")
        ax.plot(steps, shown[1], color=color, linewidth=2.0, drawstyle="steps-post",
                label=f"{name or 'best so far'}: {best[-1]:.6g}")
        wrong = np.flatnonzero(~np.isfinite(y))
        if wrong.size:
            ax.plot(steps[wrong], np.zeros(wrong.size), "x", color="#d64545", markersize=5, clip_on=False,
                    transform=ax.get_xaxis_transform(), label="not finite" if k == 0 else None)
    if log:
        ax.set_yscale("log")
    ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    ax.grid(color=QUIET, alpha=0.3, linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(frameon=False, labelcolor=INK, fontsize=9)
    return finish(ax, title, x, f"{label} - ({least:.6g})" if least else label)


def _is_named(values):
    return isinstance(values, dict) and not hasattr(values, "history") and not hasattr(values, "success")


def _numbers(values):
    """A vector of the values."""
    found = getattr(values, "history", values)
    if isinstance(found, dict) or not hasattr(found, "__len__"):
        raise TypeError(f"there is no history in this {type(values).__name__}; give a result of tapegrad.optimize, or a list of "
                        "values, as [loss.item(), ...]")
    if any([hasattr(v, "history") for v in found]):
        raise TypeError("history takes one result, or a dict of name to result, of which each is a curve; not a list of results")
    found = [float(v.item() if isinstance(v, Tensor) else v) for v in found]
    if not found:
        raise ValueError("history of no values: there is nothing to draw")
    return np.array(found)


__all__ = ["history"]
