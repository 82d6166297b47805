"""SciPy's optimizers with exact derivatives: ``tg.optimize`` in the place of ``scipy.optimize``.

The functions here take SciPy's arguments and give SciPy's results; what SciPy would find by finite differences, or ask for,
comes from the tape. All other names of scipy.optimize are found here, too, as they are.
"""
from typing import Any

import scipy.optimize as _scipy_optimize

from .equations import root, root_scalar
from .fitting import curve_fit, least_squares
from .minimizing import minimize, minimize_scalar

__all__ = ["curve_fit", "least_squares", "minimize", "minimize_scalar", "root", "root_scalar"]


def __getattr__(name) -> Any:
    if name.startswith("_") or not hasattr(_scipy_optimize, name):
        raise AttributeError(f"module 'tapegrad.optimize' has no attribute {name!r}, and scipy.optimize neither")
    return getattr(_scipy_optimize, name)
