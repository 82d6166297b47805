"""What the namespace says of itself."""
import numpy as np

from ..tensor.conversion import CPU, get_default_dtype
from ..tensor.elementwise import describe
from .dtypes import DTYPES, KINDS, int64


def check_device(device):
    """ValueError for another device than the CPU."""
    if device is not None and str(device).split(":")[0] != "cpu":
        raise ValueError(f"tapegrad computes on the CPU only; device {device!r} is not there")


class Info:
    """The answers of ``__array_namespace_info__()``."""

    def capabilities(self):
        """What the standard leaves to a library, and is there."""
        axes = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": axes}

    def default_device(self):
        """The CPU."""
        return CPU

    def devices(self):
        """The CPU alone."""
        return [CPU]

    def default_dtypes(self, *, device=None):
        """The dtypes of tensors made from Python's numbers, and of indices."""
        check_device(device)
        return {"real floating": get_default_dtype(), "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        """Name -> dtype: all, or those of a kind, or of several in a tuple."""
        check_device(device)
        if kind is None:
            return dict(DTYPES)
        if isinstance(kind, tuple):
            return {name: dtype for k in kind for name, dtype in self.dtypes(kind=k).items()}
        if kind not in KINDS:
            raise ValueError(f"a kind of dtypes is one of {', '.join(map(repr, KINDS))}, not {describe(kind)}")
        return {name: dtype for name, dtype in DTYPES.items() if dtype.kind in KINDS[kind]}


def __array_namespace_info__():
    """An object that tells the dtypes, devices and capabilities."""
    return Info()
