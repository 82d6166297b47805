"""Derivatives through solvers: of the solution by what the problem depends on, without recording how it was found."""
import numpy as np

from ..autograd import Function, is_grad_enabled, no_grad
from ..progress import bar
from ..tensor import structure
from ..tensor.core import FLOATS, Tensor, float64, wrap
from ..tensor.creation import tensor
from .call import Call, check_function
from .jacobians import jacobian
from .products import vjp
from .trees import ends, filled


def implicit_root(f, x0, theta, *, method="hybr", tol=None, options=None, solver=None):
    """The solution `x` of ``f(x, theta) = 0`` near `x0`, differentiable by `theta`.

    SciPy's ``root`` finds it (`method`, `tol` and `options` are its), with the Jacobian from the tape, or a `solver` of your own:
    ``solver(residual, x0)`` of a function of an array and an array, which gives an array. The derivative is that of the implicit
    function theorem, ``dx/dtheta = -(df/dx)^-1 df/dtheta``: the solver's iterations are not recorded. Derivatives of any order.

    `x0` is a number or an array, `f` gives as many numbers as it has. `theta` is a number, an array, a Tensor, or a tuple, list
    or dict of them; where a Tensor is among them, the solution is a Tensor, otherwise an array. Gradients go to `theta` alone:
    RuntimeError where `f` refers to other tensors that require grad; RuntimeError, too, where no root is found.

    >>> import tapegrad as tg
    >>> root = lambda a: tg.implicit_root(lambda x, a: x ** 3 - a, 1.0, a)
    >>> round(float(root(8.0)), 9), round(float(tg.grad(root)(8.0)), 9)
    (2.0, 0.083333333)
    """
    check_function(f, "implicit_root")

    def solve(function, start):
        if solver is not None:
            return solver(function, start)
        return _root(function, start, method, tol, options)
    return _implicit(f, f, x0, theta, solve)


def fixed_point(g, x0, theta, *, tol=1e-12, maxiter=10_000):
    """The solution `x` of ``x = g(x, theta)`` that repeated application from `x0` comes to, differentiable by `theta`.

    The iteration ends when no element changes by more than ``tol * (1 + |x|)``; RuntimeError where that takes more than `maxiter`
    steps, or `x` is not finite any more. The derivative is that of the implicit function theorem; see :func:`implicit_root`, also
    for `theta`.

    >>> import numpy as np, tapegrad as tg
    >>> x = tg.fixed_point(lambda x, a: np.cos(a * x), 0.5, 1.0)
    >>> round(float(x), 9)
    0.739085133
    """
    check_function(g, "fixed_point")

    def solve(function, start):
        x, change = start, np.zeros(())
        for k in range(maxiter):
            new = np.asarray(_values(function(wrap(x))), float).reshape(x.shape)
            if not np.all(np.isfinite(new)):
                raise RuntimeError(f"the iteration diverges: x is not finite after {k + 1} steps; start nearer, or use "
                                   "implicit_root")
            change = np.abs(new - x)
            if np.all(change <= tol * (1 + np.abs(new))):
                return new
            x = new
        raise RuntimeError(f"the iteration did not settle within {maxiter} steps; the last one changed x by "
                           f"{np.max(change, initial=0.0):.3g}: start nearer, allow more, or use implicit_root")
    return _implicit(lambda x, theta: x - joined(g(x, theta)), g, x0, theta, solve)


def joined(value):
    """A Tensor from a Tensor, a number, an array, or a list of them."""
    if isinstance(value, (list, tuple)):
        return structure.stack([joined(part) for part in value])
    return value if isinstance(value, Tensor) else tensor(value, dtype=float64)


def _values(x):
    return np.array(x._array()) if isinstance(x, Tensor) else np.asarray(x)


def _implicit(residual, function, x0, theta, solve):
    """The solution as an operation on the tensors of `theta`. `function` is what `solve` is given, of `x` alone."""
    values = ends(theta)
    tensors = [x for x in values if isinstance(x, Tensor)]
    start = np.array(_values(x0), float)

    def with_theta(function):
        def of(x, *given):
            given = iter(given)
            return joined(function(x, filled(theta, [next(given) if isinstance(v, Tensor) else v for v in values])))
        return of
    of_tensors, solved = with_theta(residual), with_theta(function)
    result = ImplicitRoot.apply(of_tensors, solved, solve, start, *tensors)
    return result if tensors else _values(result)[()]


class ImplicitRoot(Function):
    unrecorded = "tg.implicit_root and tg.fixed_point solve in Python"

    @staticmethod
    def forward(ctx, residual, function, solve, start, *tensors):
        given = [x.detach() for x in tensors]
        x = np.array(solve(lambda x: function(x, *given), start), float).reshape(start.shape)
        there = Call(residual, (list(range(1 + len(given))), False), (wrap(x), *given))
        if there.graph:
            raise RuntimeError("the function refers to tensors that require grad besides theta, and their gradient would be "
                               "lost; make them part of theta")
        if there.result.numel() != x.size:
            raise ValueError(f"the function gives shape {there.result._shape} for x of shape {x.shape}; it must give as many "
                             "numbers as x has")
        out = wrap(x)
        ctx.residual = residual
        ctx.save_for_backward(out, *tensors)
        return out

    @staticmethod
    def backward(ctx, g):
        x, *tensors = ctx.saved_tensors
        if not is_grad_enabled():
            x, tensors = x.detach(), [t.detach() for t in tensors]
        n = x.numel()
        slope = structure.reshape(jacobian(lambda x: ctx.residual(x, *tensors))(x), n, n)
        weights = np.linalg.solve(structure.matrix_transpose(slope), structure.reshape(g, n))
        value, pull = vjp(lambda *tensors: ctx.residual(x, *tensors), *tensors)
        return None, None, None, None, *pull(structure.reshape(-weights, *value._shape))


def _root(function, start, method, tol, options):
    """SciPy's root of a function of Tensors, with its Jacobian."""
    from scipy.optimize import root
    shape, n = start.shape, start.size

    def value(x):
        return _values(function(wrap(x.reshape(shape).copy()))).reshape(-1)

    def slope(x):
        return np.reshape(jacobian(function)(x.reshape(shape)), (-1, n))
    jac = slope if method in ("hybr", "lm") else None
    with no_grad():
        found = root(value, start.reshape(-1), method=method, jac=jac, tol=tol, options=options)
    if not found.success:
        raise RuntimeError(f"no root was found from this x0: {' '.join(str(found.message).split())} Start nearer, choose another "
                           "method, or give a solver")
    return found.x


# Differential equations -----------------------------------------------------------------------------------------------

STIFF = ("Radau", "BDF", "LSODA")            # methods that take the Jacobian


def odeint(f, y0, t, *params, method="DOP853", rtol=1e-9, atol=1e-9, **options):
    """The solution of ``dy/dt = f(y, t, *params)`` from `y0` at ``t[0]``, at the times `t`.

    It can be differentiated by `y0`, `t` and `params`. SciPy's ``solve_ivp`` integrates: `method`, `rtol`, `atol` and further
    `options` are its; the stiff methods get the Jacobian from the tape. `y0` has any shape, `t` is a vector that rises or
    falls, and the result has the shape ``(len(t), *y0.shape)``. `params` are numbers, arrays or Tensors. Where a Tensor is
    among all these, the result is one, otherwise an array.

    Gradients come from the continuous adjoint (Pontryagin 1962; Chen et al. 2018), integrated backward from one time to the one
    before, with the same method and tolerances: a gradient is as exact as these where `f` is continuous. Where `f` jumps, as by
    ``if y > 0.5``, the solution bends, and the gradient misses what comes from the bend's moving: it is wrong, without an error,
    as it is in JAX. Integrate up to the bend and on from there, with its time, of which there is a derivative, in `t`. It is an
    operation like the others, derivatives of any order included. RuntimeError where the integration fails, or `f` refers to
    other tensors that require grad.

    >>> import numpy as np, tapegrad as tg
    >>> end = lambda y0, k: tg.odeint(lambda y, t, k: -k * y, y0, [0.0, 2.0], k)[-1]
    >>> np.round(tg.grad(end, (0, 1))(1.0, 0.5), 6)
    array([ 0.367879, -0.735759])
    """
    check_function(f, "odeint")
    given = [y0, t, *params]
    some = any(isinstance(x, Tensor) for x in given)
    given = [x if isinstance(x, Tensor) and x.dtype in FLOATS else tensor(_values(x), dtype=float64) for x in given]
    times = _values(given[1])
    if times.ndim != 1 or times.size == 0:
        raise ValueError(f"t must be a vector of times, and it has shape {times.shape}")
    steps = np.diff(times)
    if not (np.all(steps > 0) or np.all(steps < 0)):
        raise ValueError("t must rise or fall from each time to the next, and it doesn't")
    result = OdeSolution.apply(f, {"method": method, "rtol": rtol, "atol": atol, **options}, *given)
    return result if some else _values(result)


class OdeSolution(Function):
    unrecorded = "tg.odeint integrates in Python"

    @staticmethod
    def forward(ctx, f, settings, y0, t, *params):
        given = [x.detach() for x in params]
        y, times = _values(y0).astype(float), _values(t).astype(float)
        there = Call(lambda y, *p: joined(f(y, wrap(times[0].reshape(())), *p)), (list(range(1 + len(given))), False),
                     (wrap(y), *given))
        if there.graph:
            raise RuntimeError("the function refers to tensors that require grad besides y, t and params, and their gradient "
                               "would be lost; hand them on as params")
        if there.result.numel() != y.size:
            raise ValueError(f"the function gives shape {there.result._shape} for y of shape {y.shape}; it must give the "
                             "derivative of each element")
        out = wrap(_integrate(f, y, times, given, settings))
        ctx.f, ctx.settings = f, settings
        ctx.save_for_backward(out, t, *params)
        return out

    @staticmethod
    def backward(ctx, g):
        ys, t, *params = ctx.saved_tensors
        if not is_grad_enabled():
            ys, t, params = ys.detach(), t.detach(), [p.detach() for p in params]
        f, count, shape = ctx.f, len(t), ys._shape[1:]
        n, sizes = int(np.prod(shape, dtype=int)), [p.numel() for p in params]
        ys, g = structure.reshape(ys, count, n), structure.reshape(g, count, n)

        def slope(k):
            return structure.reshape(joined(f(structure.reshape(ys[k], *shape), t[k], *params)), n)

        def augmented(z, time, *params):
            """Of the state, its adjoint, and the integrals that are the params' gradients."""
            y, a = structure.reshape(z[:n], *shape), z[n:2 * n]
            value, pull = vjp(lambda y, *p: joined(f(y, time, *p)), y, *params)
            parts = pull(structure.reshape(-a, *value._shape))
            return structure.concatenate([structure.reshape(v, v.numel()) for v in (value, *parts)])
        a, rest, by_time = g[count - 1], wrap(np.zeros(sum(sizes))), []
        for k in range(count - 1, 0, -1):
            by_time.append(np.dot(g[k], slope(k)))
            back = odeint(augmented, structure.concatenate([ys[k], a, rest]), structure.stack([t[k], t[k - 1]]), *params,
                          **ctx.settings)[1]
            a, rest = back[n:2 * n], back[2 * n:]
            if k > 1:
                a = a + g[k - 1]
        if count == 1:                       # the first state doesn't depend on when it is
            by_time.append(wrap(np.zeros(())))
            first = a
        else:
            by_time.append(-np.dot(a, slope(0)))
            first = a + g[0]
        starts = np.cumsum([0, *sizes])
        found = [structure.reshape(rest[starts[k]:starts[k + 1]], *p._shape) for k, p in enumerate(params)]
        return None, None, structure.reshape(first, *shape), structure.stack(by_time[::-1]), *found


def _integrate(f, y0, times, params, settings):
    from scipy.integrate import solve_ivp
    shape = y0.shape

    def at(t, y):
        return joined(f(wrap(y.reshape(shape).copy()), wrap(np.array(t, float)), *params))

    def jac(t, y):
        return np.reshape(jacobian(lambda y: joined(f(y, wrap(np.array(t, float)), *params)))(y.reshape(shape)), (y.size, y.size))
    if len(times) == 1:
        return y0[None]
    if settings["method"] in STIFF:
        settings = {"jac": jac, **settings}
    def slope(t, y):
        shown.done = abs(t - times[0])
        return _values(at(t, y)).reshape(-1)
    with no_grad(), bar("odeint", abs(times[-1] - times[0])) as shown:
        found = solve_ivp(slope, (times[0], times[-1]), y0.reshape(-1), t_eval=times, **settings)
    if not found.success or found.y.shape[1] != len(times):
        raise RuntimeError(f"the integration failed: {found.message} Choose another method, or other tolerances")
    return found.y.T.reshape(len(times), *shape)


__all__ = ["fixed_point", "implicit_root", "odeint"]
