"""Pictures, by matplotlib: :func:`spy` of a Jacobian, :func:`history` of an optimization. ``pip install 'tapegrad[plot]'``."""
from .convergence import history
from .matrices import spy

__all__ = ["history", "spy"]
