# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from collections.abc import Callable
from typing import Any

__all__ = ["curve_fit", "least_squares", "minimize", "minimize_scalar", "root", "root_scalar"]

def curve_fit(f: Callable[..., Any], xdata: Any, ydata: Any, *args: Any, **keywords: Any) -> Any:
    """``scipy.optimize.curve_fit`` with the Jacobian from the tape."""
def least_squares(fun: Callable[..., Any], x0: Any, *args: Any, **keywords: Any) -> Any:
    """``scipy.optimize.least_squares`` with the Jacobian from the tape."""
def minimize(fun: Callable[..., Any], x0: Any, *args: Any, **keywords: Any) -> Any:
    """``scipy.optimize.minimize`` with exact derivatives."""
def minimize_scalar(fun: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """``scipy.optimize.minimize_scalar``, whose methods use values alone, for functions that are written with Tensors,
    too."""
def root(fun: Callable[..., Any], x0: Any, *args: Any, **keywords: Any) -> Any:
    """``scipy.optimize.root`` with the Jacobian from the tape for the methods that use one, hybr and lm."""
def root_scalar(f: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """``scipy.optimize.root_scalar`` with `fprime` (newton) and `fprime2` (halley) from the tape."""
def __getattr__(name: str) -> Any: ...
