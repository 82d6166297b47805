"""Whether results are the same: to the last bit, to rounding, or as differences of values say, which know their error."""
import numpy as np

from ...tensor.core import Tensor
from ...transforms.trees import ends

ROUNDING = {"float64": 1e-9, "float32": 2e-3}    # relative to the largest element: sums in another order, whose terms may cancel
STEP = 1e-4                                  # of differences: between error of the formula, h^4, and rounding, 1/h
DIFFERENCES = 1e-6                           # of a derivative by differences, relative, besides its estimate
SMOOTH = 1e-5                                # relative error estimate from which on differences say nothing


def arrays(result):
    """All arrays and numbers of a result."""
    return [x.detach().numpy() if isinstance(x, Tensor) else np.asarray(x) for x in ends(result)]


def differs(found, wanted, exact=False, rounding=None, scale=1.0):
    """In what two results differ, "" if in nothing. `scale`: of what the digits of small elements are lost to."""
    found, wanted = arrays(found), arrays(wanted)
    if len(found) != len(wanted):
        return f"{len(found)} parts instead of {len(wanted)}"
    for k, (a, b) in enumerate(zip(found, wanted)):
        where = f"part {k}: " if len(wanted) > 1 else ""
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{where}{a.dtype} of shape {a.shape} instead of {b.dtype} of shape {b.shape}"
        if not (same_bits(a, b) if exact else close(a, b, rounding, scale)):
            return f"{where}{shown(a)} instead of {shown(b)}" + (" (to the last bit)" if exact else "")
    return ""


def shown(a):
    return np.array2string(a, precision=17, threshold=20, separator=", ").replace("\n", "")


def same_bits(a, b):
    """All nans are the same."""
    nan = np.isnan(a)
    return bool((nan == np.isnan(b)).all()) and np.where(nan, 0, a).tobytes() == np.where(nan, 0, b).tobytes()


def close(a, b, rounding=None, scale=1.0):
    if not a.size:
        return True
    finite = np.isfinite(b)
    if a.dtype.kind != "f":
        return bool((a == b).all())
    with np.errstate(all="ignore"):
        if not same_bits(np.where(finite, 0, a), np.where(finite, 0, b)):
            return False
        largest = max(np.abs(b[finite]).max(initial=0), scale)
        return bool((np.abs(np.where(finite, a - b, 0)) <= (rounding or ROUNDING[b.dtype.name]) * largest).all())


def along(function, point, direction):
    """(derivative of a function of arrays along a direction, an estimate of its error, the scale): by differences over four
    steps. Infinite error where values are not finite, or jump, or have a kink nearby."""
    def at(t):
        return np.concatenate([a.reshape(-1).astype(float)
                               for a in arrays(function([p + t * d for p, d in zip(point, direction)]))] or [np.zeros(0)])
    with np.errstate(all="ignore"):
        below2, below, here, above, above2 = (at(t * STEP) for t in (-2, -1, 0, 1, 2))
        if not below2.shape == below.shape == here.shape == above.shape == above2.shape:
            return np.zeros(0), np.inf, 1.0
        coarse = (above - below) / (2 * STEP)
        slope = (8 * (above - below) - (above2 - below2)) / (12 * STEP)
        bend = (above - 2 * here + below) / STEP     # O(h) where it is smooth, the jump of the slope at a kink
        bend2 = (above2 - 2 * here + below2) / (2 * STEP)
        error = np.abs(slope - coarse) + np.abs(2 * bend - bend2)
    scale = 1.0 + np.abs(here).max(initial=0) + np.abs(slope).max(initial=0)
    error = error.max(initial=0)
    return slope, error if np.isfinite(error) else np.inf, scale


def directions(point, k=0):
    """Directions for arguments, of their shapes and dtypes; those of another `k` are others."""
    def wave(a, n):
        return np.asarray(np.cos(np.arange(np.size(a)) * (1.0 + k) + n + 0.5 * k).reshape(np.shape(a)), np.asarray(a).dtype)[()]
    return tuple([wave(a, n) for n, a in enumerate(point)])


def inner(left, right, absolute=False):
    """The inner product of two results, or the sum of the magnitudes of its terms."""
    terms = [a.astype(float) * b.astype(float) for a, b in zip(arrays(left), arrays(right))]
    return sum([float(np.sum(np.abs(some) if absolute else some)) for some in terms])
