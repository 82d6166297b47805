"""The transforms of compiled functions."""
import functools

import numpy as np

from .. import transforms
from ..tape import MODES
from ..tensor.core import Tensor, tracked
from ..tensor.creation import tensor
from ..tensor.elementwise import describe
from ..transforms.call import positions
from ..transforms.trees import ends, filled, mapped, matched
from .batches import batched
from .calls import REFUSALS, Arguments, _joined, cause
from .drivers import ALL, LANES, compiled_around, driver, lanes_for
from .rebuild import cached, kept_with
from .tensors import call as call_with_tensors


def on_tensors(dispatcher):
    """The function as one that takes Tensors."""
    @functools.wraps(dispatcher.py_func)
    def function(*arguments):
        return call_with_tensors(dispatcher, *arguments)
    return function


def _any_tensor(arguments):
    for x in arguments:
        if isinstance(x, Tensor):
            return True
        if isinstance(x, (tuple, list, dict)) and _any_tensor(x.values() if isinstance(x, dict) else x):
            return True
    return False


def _number_or_array(x):
    if not isinstance(x, Tensor):
        return x
    return x._array() if x._shape else x.item()


def _or_on_tensors(general, dispatcher):
    """Hands calls with Tensors over to `general`, which makes the transform of a function of Tensors."""
    def decorate(function):
        @functools.wraps(dispatcher.py_func)
        def wrapper(*arguments, **keywords):
            if _any_tensor(arguments):
                return general(on_tensors(dispatcher))(*arguments, **keywords)
            return function(*arguments, **keywords)
        wrapper.replays = True               # it takes arrays, also from vmap
        return wrapper
    return decorate


def _scalar(call, run):
    """Runs a driver of a function that gives one number; TypeError where it gives something else."""
    try:
        return run()
    except (TypeError, ValueError):
        _check_number(call)
        raise


def _check_number(call):
    value = call.dispatcher(*call.arguments)
    if not np.isscalar(value):
        shape = f"shape {value.shape}" if isinstance(value, np.ndarray) else describe(value)
        raise TypeError(f"grad takes functions that give one number, and this one gave {shape}; use jacobian for several "
                        "outputs") from None


def _argnums(numbers):
    return numbers[0][0] if numbers[1] else tuple(numbers[0])


def value_and_grad(dispatcher, numbers, has_aux=False):
    @_or_on_tensors(lambda f: transforms.value_and_grad(f, _argnums(numbers), has_aux), dispatcher)
    def general(*arguments, **keywords):
        call = Arguments(dispatcher, numbers, arguments, keywords)
        n = call.size
        mode, lanes = ("ahead", lanes_for(n)) if n <= ALL else ("gradient", 1)
        value, parts = _scalar(call, lambda: call.run(mode, lanes=lanes, has_aux=has_aux))
        return call.real(value), call.gradients(parts)

    positions, single = numbers
    count = dispatcher.py_func.__code__.co_argcount
    if has_aux or list(positions) != sorted({p for p in positions if 0 <= p < count}):
        return general
    form = tuple("*" if p in positions else None for p in range(count))
    taken = [p in positions for p in range(count)]

    @cached
    def run_for(n):
        """By the number of inputs: one run forward for few, backward for more."""
        return driver(dispatcher, "ahead", form, lanes_for(n)) if n <= ALL else driver(dispatcher, "gradient", form)

    @functools.wraps(dispatcher.py_func)
    def both(*arguments, **keywords):
        """The short way for what most calls bring, which spends its time in compiled code."""
        if keywords or len(arguments) != count or _modes[0]:
            return general(*arguments, **keywords)
        n = 0
        for x, differentiated in zip(arguments, taken):
            kind = type(x)
            if differentiated:
                if kind is np.ndarray and x.dtype is _DOUBLE and x.shape:
                    n += x.size
                elif kind is float:
                    n += 1
                else:
                    return general(*arguments)
            elif not (kind is np.ndarray or kind is float or kind is int):
                return general(*arguments)
        run = run_for(min(n, ALL + 1))
        try:
            value, parts = run(*arguments)
        except REFUSALS:
            return general(*arguments)       # which explains
        except SystemError as error:
            raise cause(error) from None
        return np.float64(value), np.float64(parts[0]) if single and type(parts[0]) is float else parts[0] if single else tuple(
            [np.float64(part) if type(part) is float else part for part in parts])
    both.replays = True
    both.batched = batched(dispatcher, numbers, "value_and_grad")
    return both


def grad(dispatcher, numbers, has_aux, both):
    """A function that gives the gradient alone, of one that gives it with the value."""
    @functools.wraps(dispatcher.py_func)
    def gradient(*arguments, **keywords):
        value, found = both(*arguments, **keywords)
        return (found, value[1]) if has_aux else found
    gradient.replays = True
    if hasattr(both, "batched"):
        gradient.batched = batched(dispatcher, numbers, "grad")
    return gradient


_DOUBLE = np.dtype(np.float64)
_modes = memoryview(MODES)                   # not 0: some thread may look at every operation


def elementwise_grad(dispatcher, numbers):
    @_or_on_tensors(lambda f: transforms.elementwise_grad(f, _argnums(numbers)), dispatcher)
    def gradient(*arguments, **keywords):
        call = Arguments(dispatcher, numbers, arguments, keywords)
        value = dispatcher(*call.arguments)
        return call.gradients(call.run("pullback", np.ones(sum(np.size(y) for y in ends(value))))[1])
    return gradient


def jacobian(dispatcher, numbers, has_aux=False, forward=None):
    general = {None: transforms.jacobian, True: transforms.jacfwd, False: transforms.jacrev}[forward]

    @_or_on_tensors(lambda f: general(f, _argnums(numbers), has_aux), dispatcher)
    def jacobians(*arguments, **keywords):
        call = Arguments(dispatcher, numbers, arguments, keywords)
        n = call.size
        ahead = forward if forward is not None else n <= 4 * LANES or n < _outputs(call)
        value, matrix = _matrix(call, ahead, has_aux)
        value = call.real(value)
        result, aux = value if has_aux else (value, None)
        blocks, at = [], 0
        for y in ends(result):
            rows = matrix[at:at + np.size(y)].reshape((*np.shape(y), n))
            blocks.append(call.structured(call.split(rows)))
            at += np.size(y)
        result = filled(result, blocks)
        return (result, aux) if has_aux else result
    if not has_aux and forward is not False:
        jacobians.batched = batched(dispatcher, numbers, "jacobian")
    return jacobians


def _matrix(call, ahead, has_aux=False):
    """The value and the Jacobian as one matrix."""
    if ahead and call.size:
        return call.run("columns", lanes=lanes_for(call.size), has_aux=has_aux)
    return call.run("rows", has_aux=has_aux)


def _outputs(call):
    return sum(np.size(y) for y in ends(call.dispatcher(*call.arguments)))


def hessian(dispatcher, numbers):
    @_or_on_tensors(lambda f: transforms.hessian(f, _argnums(numbers)), dispatcher)
    def matrices(*arguments, **keywords):
        call = Arguments(dispatcher, numbers, arguments, keywords)
        n = call.size
        matrix = _scalar(call, lambda: call.run("hessian", lanes=min(lanes_for(n), LANES))) if n else np.zeros((0, 0))
        rows, at = [], 0
        for x in call.leaves:
            block = matrix[at:at + np.size(x)].reshape((*np.shape(x), n))
            rows.append(call.structured(call.split(block)))
            at += np.size(x)
        return call.structured(rows)
    return matrices


def hvp(dispatcher, number, arguments, keywords, v):
    if _any_tensor((*arguments, v)):
        if not any(tracked(x) for x in ends((*arguments, v)) if isinstance(x, Tensor)):
            *arguments, v = (mapped(_number_or_array, x) for x in (*arguments, v))
            return mapped(tensor, hvp(dispatcher, number, arguments, keywords, v))
        return transforms.hessian_vector_product(on_tensors(dispatcher), number)(*arguments, v, **keywords)
    call = Arguments(dispatcher, ([number], True), arguments, keywords)
    v = call.vector(v, "the vector")
    product = _scalar(call, lambda: call.run("product", v, np.ones(1)))
    return call.structured(call.split(product[:, 0]))


def _pushed(call, v, has_aux=False):
    """The value, its tangent, and what else the function gave."""
    value, product = call.run("pushforward", v, has_aux=has_aux)
    value = call.real(value)
    result, aux = value if has_aux else (value, None)
    parts, at = [], 0
    for y in ends(result):
        dtype = np.result_type(np.asarray(y), np.float32)
        parts.append(product[at:at + np.size(y), 0].reshape(np.shape(y)).astype(dtype, copy=False)[()])
        at += np.size(y)
    return result, filled(result, parts), aux


def _pulled(call, value, cotangent, has_aux=False):
    given = _joined(ends(value), matched(value, cotangent, "the cotangent"), "the cotangent")
    return call.gradients(call.run("pullback", given, has_aux=has_aux)[1])


def _all(primals):
    if not primals:
        raise TypeError("there is nothing to differentiate by: give the arguments of the function")
    return list(range(len(primals))), False


def jvp(dispatcher, primals, tangents, has_aux=False):
    if _any_tensor((*primals, *tangents)):
        return transforms.jvp(on_tensors(dispatcher), primals, tangents, has_aux)
    call = Arguments(dispatcher, _all(primals), primals)
    value, tangent, aux = _pushed(call, call.vector(tuple(tangents), "the tangents"), has_aux)
    return (value, tangent, aux) if has_aux else (value, tangent)


def linearize(dispatcher, primals):
    if _any_tensor(primals):
        return transforms.linearize(on_tensors(dispatcher), *primals)
    call = Arguments(dispatcher, _all(primals), primals)

    def push(*tangents):
        return _pushed(call, call.vector(tangents, "the tangents"))[1]
    return call.real(dispatcher(*call.arguments)), push


def make_jvp(dispatcher, numbers):
    @_or_on_tensors(lambda f: transforms.make_jvp(f, _argnums(numbers)), dispatcher)
    def wrapper(*arguments, **keywords):
        call = Arguments(dispatcher, numbers, arguments, keywords)
        return lambda tangent: _pushed(call, call.vector(tangent, "the tangents"))[:2]
    return wrapper


def vjp(dispatcher, primals, has_aux=False):
    if _any_tensor(primals):
        return transforms.vjp(on_tensors(dispatcher), *primals, has_aux=has_aux)
    call = Arguments(dispatcher, _all(primals), primals)
    value = call.real(dispatcher(*call.arguments))
    result, aux = value if has_aux else (value, None)

    def pull(cotangent):
        return _pulled(call, result, cotangent, has_aux)
    return (result, pull, aux) if has_aux else (result, pull)


def make_vjp(dispatcher, numbers):
    @_or_on_tensors(lambda f: transforms.make_vjp(f, _argnums(numbers)), dispatcher)
    def wrapper(*arguments, **keywords):
        call = Arguments(dispatcher, numbers, arguments, keywords)
        value = call.real(dispatcher(*call.arguments))
        return (lambda cotangent: _pulled(call, value, cotangent)), value
    return wrapper


# For compiled code ----------------------------------------------------------------------------------------------------

@kept_with
def _made(dispatcher, mode, argnums, result, vector=False, lanes=1):
    """A compiled function of the arguments of another that runs a driver and gives a part of what that gives."""
    numbers, single = positions(argnums)
    code = dispatcher.py_func.__code__
    count = code.co_argcount
    numbers = [p % count for p in numbers]
    form = tuple("*" if p in numbers else None for p in range(count))
    names = [f"a{p}" for p in range(count)]
    return compiled_around(driver(dispatcher, mode, form, lanes), [*names, *["v"] * vector],
                           [*names, *["v"] * vector], result[0] if single else result[1])


def njit_grad(dispatcher, argnums=0):
    return _made(dispatcher, "gradient", _key(argnums), ("found[1][0]", "found[1]"))


def njit_value_and_grad(dispatcher, argnums=0):
    return _made(dispatcher, "gradient", _key(argnums), ("(found[0], found[1][0])", "found"))


def njit_jacobian(dispatcher, argnums=0):
    return _made(dispatcher, "columns", _key(argnums), ("found", "found"), lanes=LANES)


def njit_jvp(dispatcher, argnums=0):
    return _made(dispatcher, "pushforward", _key(argnums), ("(found[0], found[1][:, 0])",) * 2, vector=True)


def _key(argnums):
    return tuple(argnums) if isinstance(argnums, list) else argnums
