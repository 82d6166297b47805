"""least_squares and curve_fit, with Jacobians from the tape."""
import functools

import numpy as np
import scipy.optimize

from ..transforms.sparse import sparse_jacobian
from .functions import Tracked, as_scipy, check_finite, ordered, parameters, plain, reachable, squares
from .points import Recorded

METHODS, LOSSES = ("trf", "dogbox", "lm"), ("linear", "soft_l1", "huber", "cauchy", "arctan")
LARGE = 1_000_000                            # entries of a dense Jacobian above which its pattern is looked for,
WIDE = 100                                   # if it has so many columns,
SPARSE = 0.1                                 # and the share of them that may not be zero, to use it


@as_scipy(scipy.optimize.least_squares)
def least_squares(given):
    """``scipy.optimize.least_squares`` with the Jacobian from the tape.

    Arguments and result are SciPy's, all methods and losses included. The function gets a Tensor and gives residuals: a Tensor or
    a list of them. A `jac` that is given, also ``"2-point"``, is used as it is. With ``jac_sparsity=True``, or the pattern
    that SciPy takes, the Jacobian is sparse, by :func:`tapegrad.sparse_jacobian`, which finds the pattern itself; of a
    Jacobian of more than a million entries that is looked into without being asked for (not with method="lm", which takes
    dense ones).

    TypeError where the function can't be recorded, ValueError for bounds that don't fit or are in the wrong order, and for nan at
    the starting point. A KeyboardInterrupt carries the best point so far as its attribute ``result``.

    >>> import numpy as np, tapegrad as tg
    >>> t = np.linspace(0.0, 1.0, 20)
    >>> result = tg.optimize.least_squares(lambda p: p[0] * np.exp(p[1] * t) - 2.0 * np.exp(-t), [1.0, 0.0])
    >>> np.round(result.x, 6)
    array([ 2., -1.])
    """
    x0 = parameters(given["x0"])
    given = {**given, "x0": x0}
    for name, known in (("method", METHODS), ("loss", LOSSES)):
        value = given.get(name, known[0])
        if value not in known and not (name == "loss" and callable(value)):
            raise ValueError(f"unknown {name} {value!r}; there are {', '.join(known)}")
    if given.get("bounds") is not None:
        bounds = given["bounds"]
        low, high = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else _pair(bounds)
        ordered(low, high, x0.size)
    if "jac" in given and given["jac"] is not None:
        if given.get("jac_sparsity") is True:
            raise ValueError("jac_sparsity=True asks for a Jacobian from the tape, and jac was given, too; give one of them")
        function = Tracked(given["fun"], squares, "the function")
        return reachable("least_squares", lambda: scipy.optimize.least_squares(**{**given, "fun": function}), function,
                         lambda total, x: {"cost": None if total is None else total / 2})
    function = Recorded(given["fun"], _tuple(given.get("args", ())), given.get("kwargs"), "the function", again=False,
                        shared=True)
    value = function.start(x0).value
    if value.ndim > 1:
        raise ValueError(f"the function must give a vector of residuals, and it gave shape {value.shape}; ravel() it")
    check_finite(value, function.what)
    sparsity = given.pop("jac_sparsity", None)
    jacobian = _sparse(given, function, x0, value.size, sparsity) or _dense(function, value.size)
    given |= {"fun": function.value, "jac": jacobian}
    return reachable("least_squares", lambda: scipy.optimize.least_squares(**given), function,
                     lambda total, x: {"cost": None if total is None else total / 2,
                                       "fun": None if x is None else function.at(x).value})


def _pair(bounds):
    if len(bounds) != 2:
        raise ValueError(f"bounds must be a pair, of all lower and of all upper bounds, or a Bounds object, and {len(bounds)} "
                         "entries were given")
    return bounds


def _tuple(args):
    return args if isinstance(args, tuple) else (args,)


def _dense(function, m):
    return lambda x, *_, **__: function.jacobian(x).reshape(m, -1)


def _sparse(given, function, x0, m, sparsity):
    """A function that gives sparse Jacobians; None where dense ones are to be used."""
    asked = sparsity is not None and sparsity is not False
    if not asked and (m * x0.size <= LARGE or x0.size < WIDE or sparsity is False):
        return None
    if str(given.get("method", "trf")).lower() == "lm" or given.get("tr_solver") == "exact":
        if asked:
            raise ValueError("method='lm' and tr_solver='exact' take dense Jacobians; leave out jac_sparsity, or use "
                             "method='trf' with tr_solver='lsmr'")
        return None
    recorded = getattr(function.function, "py_func", function.function)
    jacobian = sparse_jacobian(lambda x: recorded(x, *function.args, **function.kwargs))
    pattern = jacobian.prepare(x0).pattern
    if not asked and pattern.nnz > SPARSE * m * x0.size:
        return None
    return lambda x, *_, **__: jacobian(np.asarray(x))


@as_scipy(scipy.optimize.curve_fit)
def curve_fit(given):
    """``scipy.optimize.curve_fit`` with the Jacobian from the tape.

    Arguments and results are SciPy's: the parameters, counted by the signature of the model where `p0` is left out, and their
    covariance. The model gets Tensors for its parameters, each without axes, and `xdata` as it is. A `jac` that is given is used
    as it is. A KeyboardInterrupt carries the best parameters so far as ``result.x``.

    >>> import numpy as np, tapegrad as tg
    >>> x = np.linspace(0.0, 4.0, 30)
    >>> def model(x, a, b):
    ...     return a * np.exp(-b * x)
    >>> parameters, covariance = tg.optimize.curve_fit(model, x, 2.5 * np.exp(-1.3 * x))
    >>> np.round(parameters, 6)
    array([2.5, 1.3])
    """
    f, method = given["f"], given.get("method")
    given = {**given, **{name: plain(given[name]) for name in ("xdata", "ydata", "p0", "sigma") if name in given}}
    if given.get("bounds") is not None:
        bounds = given["bounds"]
        low, high = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else _pair(bounds)
        ordered(low, high, max(np.size(low), np.size(high)))
        p0 = given.get("p0")
        if p0 is not None and max(np.size(low), np.size(high)) not in (1, np.size(p0)):
            raise ValueError(f"there are {np.size(p0)} parameters in p0, and bounds for {max(np.size(low), np.size(high))}")
    if "method" in given and method is None:
        del given["method"]
    given |= _complete(given)
    misfit = _misfit(given["ydata"], given.get("sigma"))

    if given.get("jac") is not None:
        function = Tracked(lambda parameters, x: f(x, *parameters), misfit, "the model")

        def value(x, *parameters):
            return function(np.array(parameters, float), x)
    else:
        function = Recorded(f, what="the model", separate=True, again=False, measure=misfit, shared=True)

        def started(x, parameters):
            if not function.leading:         # the data that SciPy calls with: it may have made an array of them
                function.leading = (x,)
                value = function.start(np.array(parameters, float)).value
                check_finite(value, function.what)
                size = np.size(given["ydata"])
                if value.size not in (1, size):
                    raise ValueError(f"the model gives {value.size} values, and there are {size} data in ydata")

        def value(x, *parameters):
            started(x, parameters)
            return function.value(parameters)

        def jacobian(x, *parameters):
            started(x, parameters)
            found = function.jacobian(parameters)
            return found if len(found) > 1 else np.broadcast_to(found, (np.size(given["ydata"]), len(parameters)))
        given["jac"] = jacobian
    return reachable("curve_fit", lambda: scipy.optimize.curve_fit(**{**given, "f": functools.wraps(f)(value)}), function,
                     lambda total, x: {"cost": None if total is None else total / 2})


def _complete(given):
    """The data and their `sigma`, without the points that ``nan_policy="omit"`` leaves out, as SciPy finds them, and one `sigma`
    repeated for each: of a Jacobian that is given, SciPy takes no number for it."""
    data = {"ydata": given["ydata"]}
    x, sigma = given["xdata"], given.get("sigma")
    if given.get("nan_policy") == "omit" and not given.get("check_finite") and isinstance(x, (list, tuple, np.ndarray)):
        x, y = np.asarray(x, float), np.asarray(given["ydata"], float)
        missing = np.isnan(x).any(axis=tuple(range(x.ndim - 1))) | np.isnan(y)
        if missing.any():
            data = {"xdata": x[..., ~missing], "ydata": y[~missing]}
            if sigma is not None:
                sigma = np.asarray(sigma)
                data["sigma"] = sigma[np.ix_(*(~missing,) * sigma.ndim)] if sigma.ndim else sigma
    if sigma is not None and np.ndim(sigma) == 0:
        data["sigma"] = np.full(np.size(data["ydata"]), sigma)
    return data


def _misfit(y, sigma):
    """The sum of the squares of what a model's values miss the data by, as SciPy weighs it."""
    y = np.ravel(np.asarray(y, float))
    sigma = None if sigma is None else np.asarray(sigma, float)

    def misfit(values):
        missed = np.ravel(values) - y
        if sigma is not None and missed.size == len(np.atleast_1d(sigma)):
            missed = missed / sigma if sigma.ndim < 2 else np.linalg.solve(np.linalg.cholesky(sigma), missed)
        return squares(missed)
    return misfit
