"""minimize and minimize_scalar, with gradients and Hessians from the tape."""
import copy
import functools

import numpy as np
import scipy.optimize
from scipy.optimize import BFGS, NonlinearConstraint

from .functions import (
    Tracked,
    Values,
    as_scipy,
    check_finite,
    check_number,
    limits,
    ordered,
    parameters,
    plain,
    reachable,
    several,
)
from .points import Recorded

GRADIENT = {"cg", "bfgs", "newton-cg", "l-bfgs-b", "tnc", "slsqp", "dogleg", "trust-ncg", "trust-krylov", "trust-exact",
            "trust-constr"}
PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}      # take the Hessian's products with vectors
MATRICES = {"dogleg", "trust-exact"}         # take the Hessian itself
CONSTRAINED = {"slsqp", "trust-constr"}      # take derivatives of constraints
VALUES = {"nelder-mead", "powell", "cobyla", "cobyqa"}


@as_scipy(scipy.optimize.minimize)
def minimize(given):
    """``scipy.optimize.minimize`` with exact derivatives.

    Arguments and result are SciPy's. The gradient comes from the tape for every method that uses one, and the Hessian, or its
    products with vectors, for those that take it (Newton-CG, dogleg, the trust-region methods); so do the Jacobians of
    constraints and, for trust-constr, their Hessians. A `jac`, `hess` or `hessp` that is given is used as it is;
    ``jac="2-point"`` asks for SciPy's finite differences. The function gets a Tensor in place of the array `x`, and `args` as
    they are; it gives one number. Value and derivatives at a point are computed from one recording. After some points the
    function is compiled, as by :func:`tapegrad.compile`, if nothing has changed of what it refers to, and it doesn't print; one
    that `numba.njit` compiled is differentiated in compiled code. This holds for all functions of tg.optimize.

    ``result.history`` is the value of the function at each point where it was asked for, an array, as
    :func:`tapegrad.plot.history` draws it (of least_squares and root the sum of the squares, of root_scalar the distance from 0).

    A NonlinearConstraint whose `jac` and `hess` are SciPy's defaults (``"2-point"`` and BFGS) gets exact ones.

    TypeError where the function can't be recorded or gives several numbers, ValueError where the shapes of `x0` and `bounds`
    don't match, where bounds are in the wrong order, and for nan at the starting point. A KeyboardInterrupt carries the best
    point so far as its attribute ``result``, an OptimizeResult.

    >>> import tapegrad as tg
    >>> result = tg.optimize.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] - 3) ** 4, [0.0, 0.0], method="trust-exact")
    >>> result.success, result.nhev > 0
    (True, True)
    """
    fun, x0, args = given["fun"], parameters(given["x0"]), given.get("args", ())
    args = args if isinstance(args, tuple) else (args,)
    constraints, bounds = given.get("constraints", ()), given.get("bounds")
    method = given.get("method") or ("SLSQP" if _some(constraints) else "L-BFGS-B" if bounds is not None else "BFGS")
    name = method.lower() if isinstance(method, str) else "_custom"
    if name not in GRADIENT | VALUES | {"_custom"}:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(sorted(GRADIENT | VALUES))}")
    low, high = limits(bounds, x0.size)
    inside = np.clip(x0, low, high)          # where SciPy begins
    given = {**given, "x0": x0, "args": args, "method": method}

    jac, hess, hessp = given.get("jac"), given.get("hess"), given.get("hessp")
    if callable(jac):
        given["jac"] = _of_shape(jac, x0.shape)
    wanted = name not in VALUES and (jac is None or jac is False)
    second = name in PRODUCTS | MATRICES | {"_custom"} and hess is None and hessp is None and jac is not True
    if wanted or (second and callable(jac)):
        objective = Recorded(fun, args, again=second)
        start = objective.start(inside)
        check_number(start.value, objective.what)
        check_finite(start.value, objective.what)
        given["fun"] = objective.number
        if wanted:
            check_finite(objective.gradient(inside), "the gradient of the objective")
            given["jac"] = objective.gradient
        if second:
            given |= {"hess": objective.hessian} if name in MATRICES else {"hessp": objective.hessian_times}
    else:
        given["fun"] = objective = (Tracked(several(fun), _first, "the objective") if jac is True
                                    else Tracked(fun, _number, "the objective"))
    if _some(constraints) and name in CONSTRAINED | VALUES:
        single = isinstance(constraints, dict) or not isinstance(constraints, (list, tuple))
        given["constraints"] = [_constraint(c, inside, name) for c in ([constraints] if single else constraints)]
    return reachable("minimize", lambda: scipy.optimize.minimize(**given), objective,
                     lambda value, x: {"fun": value, "jac": None})


def _number(value):
    check_number(value, "the objective")
    return float(np.reshape(value, ()))


def _first(pair):
    """The number of a pair, the objective and its gradient."""
    return _number(pair[0])


def _of_shape(jac, shape):
    """A gradient that is given, of which the shape is looked at."""
    @functools.wraps(jac)
    def checked(x, *args):
        found = jac(x, *args)
        if np.shape(found) not in (shape, ()):
            raise ValueError(f"jac gives an array of shape {np.shape(found)}, and x0 has {shape}; a gradient has the shape of x0")
        return found
    return checked


def _some(constraints):
    return not isinstance(constraints, (list, tuple)) or len(constraints) > 0


def _constraint(constraint, x, method):
    """The same constraint with derivatives."""
    what, instead = "a constraint's fun", "its jac (and hess)"
    if isinstance(constraint, dict):
        if not callable(constraint.get("fun")):
            return constraint                # SciPy says what is missing
        if method not in CONSTRAINED or constraint.get("jac") is not None:
            return {**constraint, "fun": Values(constraint["fun"])} if constraint.get("jac") is None else constraint
        function = Recorded(constraint["fun"], tuple(constraint.get("args", ())), what=what, instead=instead)
        value = function.start(x).value
        check_finite(value, what)
        kind = str(constraint.get("type")).lower()
        if method == "trust-constr" and kind in ("eq", "ineq"):
            return NonlinearConstraint(function.value, 0, 0 if kind == "eq" else np.inf, function.jacobian,
                                       function.weighted_hessian)
        return {**constraint, "fun": function.value, "jac": function.jacobian}
    if not isinstance(constraint, NonlinearConstraint):
        return constraint
    made = copy.copy(constraint)
    if method not in CONSTRAINED or constraint.jac != "2-point":
        if not callable(constraint.jac):
            made.fun = Values(constraint.fun)
        return made
    function = Recorded(constraint.fun, what=what, instead=instead)
    value = function.start(x).value
    check_finite(value, what)
    ordered(constraint.lb, constraint.ub, value.size)
    made.fun, made.jac = function.value, function.jacobian
    if method == "trust-constr" and isinstance(constraint.hess, BFGS):
        made.hess = function.weighted_hessian
    return made


@as_scipy(scipy.optimize.minimize_scalar)
def minimize_scalar(given):
    """``scipy.optimize.minimize_scalar``, whose methods use values alone, for functions that are written with Tensors, too.

    >>> import tapegrad as tg
    >>> round(float(tg.optimize.minimize_scalar(lambda x: (x - 2.0) ** 2).x), 6)
    2.0
    """
    bounds = given.get("bounds")
    if bounds is not None and len(bounds) == 2:
        ordered(*[np.reshape(plain(b), -1) for b in bounds], 1)
    objective = Tracked(given["fun"], _number)
    return reachable("minimize_scalar", lambda: scipy.optimize.minimize_scalar(**{**given, "fun": objective}), objective,
                     lambda value, x: {"fun": value})
