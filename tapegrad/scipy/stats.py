"""``scipy.stats``: densities and distribution functions."""
from types import SimpleNamespace as _SimpleNamespace

import scipy.stats as _theirs

from .. import stats as _ours
from .forwarding import fill as _fill


def _distribution(theirs, ours):
    """A distribution's functions."""
    functions = {}
    _fill(functions, theirs, ours, [name for name in dir(ours) if not name.startswith("_") and callable(getattr(ours, name))])
    return _SimpleNamespace(**functions)


__all__ = [name for name in _ours.__all__ if hasattr(_theirs, name)]
globals().update({name: _distribution(getattr(_theirs, name), getattr(_ours, name)) for name in __all__})
