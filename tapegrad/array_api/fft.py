"""The extension fft, as far as it is real: frequencies and shifts.

The transforms themselves take or give complex tensors, and there are none; `tapegrad.fft` has them with complex results as a pair
of tensors.
"""
import numpy as _np

from ..tensor.conversion import get_default_dtype as _get_default_dtype
from ..tensor.core import wrap as _wrap
from . import dtypes as _dtypes
from .inspection import check_device as _check_device
from .manipulation import ours as _ours


def _frequencies(function, n, d, dtype, device):
    _check_device(device)
    if dtype is not None and _dtypes.check_dtype(dtype).kind != "f":
        raise ValueError(f"frequencies are of a floating dtype, not {dtype}")
    return _wrap(function(n, d).astype(_get_default_dtype() if dtype is None else dtype))


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the transform of `n` samples, `d` apart."""
    return _frequencies(_np.fft.fftfreq, n, d, dtype, device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the transform of `n` real samples, `d` apart: those from 0 on."""
    return _frequencies(_np.fft.rfftfreq, n, d, dtype, device)


def _shift(name, x, axes, places):
    _dtypes.check(name, _dtypes.FLOATING, x)
    axes = _dtypes.normal_axes(axes, x.ndim)
    return _ours.roll(x, tuple(places(x.shape[a]) for a in axes), axes) if axes else _ours.clone(x)


def fftshift(x, /, *, axes=None):
    """The frequency 0 moved to the middle of axes."""
    return _shift("fftshift", x, axes, lambda n: n // 2)


def ifftshift(x, /, *, axes=None):
    """The frequency 0 moved from the middle of axes to their start."""
    return _shift("ifftshift", x, axes, lambda n: -(n // 2))


__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]

_COMPLEX = {"fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft"}


def __getattr__(name):
    if name in _COMPLEX:
        instead = "" if name in ("hfft", "ihfft") else f"; tapegrad.fft.{name} has pairs of tensors for them"
        raise AttributeError(f"the array API's {name} takes or gives complex tensors, and there are none{instead}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
