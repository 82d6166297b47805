"""``numpy.fft``, whose functions take Tensors as those of `tapegrad.numpy` do."""
import numpy.fft as _theirs

from .forwarding import fill as _fill

__all__ = _fill(globals(), _theirs)  # noqa: PLE0605 - a list of strings
