"""root and root_scalar, with Jacobians and derivatives from the tape."""
import numpy as np
import scipy.optimize

from .functions import Tracked, as_scipy, check_finite, check_number, parameters, plain, reachable, several, squares
from .points import Recorded

GRADIENT = {"hybr", "lm"}


@as_scipy(scipy.optimize.root)
def root(given):
    """``scipy.optimize.root`` with the Jacobian from the tape for the methods that use one, hybr and lm.

    The function gets a Tensor and gives one, or a list of them: as many equations as unknowns (for lm, at least as many). A
    `jac` that is given is used as it is. TypeError where the function can't be recorded, ValueError for nan at the starting
    point and for another number of equations. A KeyboardInterrupt carries the best point so far as its attribute ``result``.

    >>> import tapegrad as tg
    >>> result = tg.optimize.root(lambda x: [x[0] * x[1] - 2.0, x[0] - x[1] - 1.0], [1.5, 0.5])
    >>> bool(abs(result.x - [2.0, 1.0]).max() < 1e-8)
    True
    """
    given = {**given, "x0": np.asarray(plain(given["x0"]))}
    args = given.get("args", ())
    args = args if isinstance(args, tuple) else (args,)
    method = given.get("method", "hybr")
    if given.get("jac") not in (None, False) or str(method).lower() not in GRADIENT:
        if given.get("jac") is True:
            function = Tracked(several(given["fun"]), lambda pair: squares(pair[0]), "the function")
        else:
            function = Tracked(given["fun"], squares, "the function")
        return reachable("root", lambda: scipy.optimize.root(**{**given, "fun": function}), function, lambda total, x: {})
    x0 = parameters(given["x0"].reshape(-1))
    function = Recorded(given["fun"], args, what="the function", again=False)
    value = function.start(x0).value
    check_finite(value, function.what)
    if value.size != x0.size and (str(method).lower() == "hybr" or value.size < x0.size):
        raise ValueError(f"the function gives {value.size} equations and there are {x0.size} unknowns in x0; "
                         "use least_squares where they are not as many")
    check_finite(function.jacobian(x0), "the Jacobian of the function")
    given |= {"fun": lambda x, *_: function.value(x).reshape(-1), "jac": lambda x, *_: function.jacobian(x)}
    return reachable("root", lambda: scipy.optimize.root(**given), function,
                     lambda total, x: {"fun": None if x is None else function.at(x).value})


@as_scipy(scipy.optimize.root_scalar)
def root_scalar(given):
    """``scipy.optimize.root_scalar`` with `fprime` (newton) and `fprime2` (halley) from the tape.

    Where no method is named, a bracket is searched as SciPy does; from a starting value alone, Newton's method is used. Given
    ones are used as they are. A KeyboardInterrupt carries the best point so far as its attribute ``result``.

    >>> import tapegrad as tg
    >>> result = tg.optimize.root_scalar(lambda x: x * x - 2.0, x0=1.0, method="halley")
    >>> result.converged, bool(abs(result.root - 2 ** 0.5) < 1e-12)
    (True, True)
    """
    args = given.get("args", ())
    args = args if isinstance(args, tuple) else (args,)
    method, fprime, fprime2 = given.get("method"), given.get("fprime"), given.get("fprime2")
    if not method:
        bracketed = given.get("bracket") is not None
        method = None if bracketed or given.get("x0") is None else "halley" if fprime2 else "newton" if (
            given.get("x1") is None or fprime) else "secant"
    name = (method or "").lower()
    first, second = name in ("newton", "halley") and not fprime, name == "halley" and not fprime2
    if not (first or second) or given.get("x0") is None or fprime is True or fprime2 is True:
        if fprime2 is True or (fprime and not callable(fprime)):
            function = Tracked(several(given["f"]), lambda parts: _size(parts[0]))
        else:
            function = Tracked(given["f"], _size)
        return reachable("root_scalar", lambda: scipy.optimize.root_scalar(**{**given, "f": function}), function,
                         lambda size, x: {"root": x})
    x0 = float(plain(given["x0"]))
    function = Recorded(given["f"], args, what="the function", instead="fprime=", separate=True, again=second, measure=_size)
    start = function.start(np.array([x0]))
    check_finite(start.value, function.what)
    given = {**given, "x0": x0, "method": method, "f": lambda x, *_: function.value(np.reshape(x, 1)).item()}
    if first:
        given["fprime"] = lambda x, *_: function.gradient(np.reshape(x, 1)).item()
    if second:
        given["fprime2"] = lambda x, *_: function.hessian(np.reshape(x, 1)).item()
    return reachable("root_scalar", lambda: scipy.optimize.root_scalar(**given), function,
                     lambda size, x: {"root": None if x is None else x.item()})


def _size(value):
    check_number(value, "the function")
    return abs(float(np.reshape(value, ())))
