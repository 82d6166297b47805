"""``scipy.special``, ``scipy.stats`` and ``scipy.linalg``, as far as there are derivatives, in the manner of autograd.scipy.

Given arrays and numbers, a function is SciPy's own; given Tensors it is tapegrad's, and gives Tensors.

>>> import tapegrad as tg
>>> import tapegrad.numpy as np
>>> from tapegrad.scipy.stats import norm
>>> tg.grad(lambda x: norm.logpdf(x, 0.0, 2.0))(1.0)
np.float64(-0.25)
"""
from . import linalg, special, stats

__all__ = ["linalg", "special", "stats"]
