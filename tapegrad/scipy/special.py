"""``scipy.special``, as far as there are derivatives."""
import scipy.special as _theirs

from .. import special as _ours
from .forwarding import fill as _fill

__all__ = _fill(globals(), _theirs, _ours, _ours.__all__)  # noqa: PLE0605 - a list of strings
