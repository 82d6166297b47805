"""NumPy's functions applied to tensors: which function of ours each of them is, and what becomes of its arguments."""
import functools
import inspect
import sys

import numpy as np

from ..ops import OPS
from . import arithmetic, comparison, inplace, registry, structure
from .core import Tensor, wrap
from .elementwise import size_of, tracked


def _array_size(x, axis=None):
    return size_of(x._shape) if axis is None else x._shape[structure.normalize_axis(axis, len(x._shape))]


def fill(functions):
    """Notes what NumPy's functions are, by the names of ours."""
    _functions.update(functions)
    BY_UFUNC.update({np.equal: comparison.FUNCTIONS["equal_to"], np.matmul: structure.matmul, np.absolute: functions["abs"],
                     np.divmod: arithmetic.divmod, np.conjugate: functions["clone"]})
    for name, function in functions.items():
        theirs = getattr(np, name, None)
        if isinstance(theirs, np.ufunc):
            BY_UFUNC.setdefault(theirs, function)
        elif callable(theirs) and not isinstance(theirs, type):
            BY_FUNCTION[theirs] = function
    # Along an axis NumPy's max and min give the values alone
    BY_FUNCTION.update({np.max: structure.amax, np.min: structure.amin, np.shape: lambda a: a._shape,
                        np.ndim: lambda a: len(a._shape), np.size: _array_size,
                        np.copy: lambda a, order="K", subok=False: functions["clone"](a),
                        np.put: inplace.numpy_put, np.fill_diagonal: inplace.fill_diagonal, np.place: inplace.place,
                        np.putmask: inplace.putmask, np.copyto: inplace.copyto})
    BY_FUNCTION.update(registry.BY_NUMPY)
    OF_SCIPY.update({name: functions[op.name] for op in OPS if op.reference.startswith("scipy.special.")
                     for name in (op.reference.rpartition(".")[2], *op.names)})


BY_UFUNC: dict = {}
BY_FUNCTION: dict = {}
_functions: dict = {}
OF_SCIPY: dict = {}                          # scipy.special's ufuncs by name: they are there only where SciPy's are


def _of_scipy(ufunc):
    """The function for one of SciPy's ufuncs, or None."""
    special = sys.modules.get("scipy.special")
    if special is not None and getattr(special, ufunc.__name__, None) is ufunc:
        return OF_SCIPY.get(ufunc.__name__)
    return None


def array_ufunc(x, ufunc, method, *inputs, out=None, where=True, **keywords):
    """What NumPy calls where a ufunc, or one of its methods, meets a tensor."""
    function = BY_UFUNC.get(ufunc) or _of_scipy(ufunc)
    if method == "__call__" and where is True and function is not None and (
            not keywords or (ufunc.signature and keywords.keys() == {"axis"})):
        result = function(*inputs, **keywords)
        return result if out is None else _written(full_name(ufunc), result, out[0])
    name = full_name(ufunc) if method == "__call__" else f"{full_name(ufunc)}.{method}"
    if where is not True:
        raise TypeError(f"{name} on tensors takes no where=; tapegrad.where chooses between values")
    if method != "__call__":
        result = _ufunc_method(name, ufunc, method, inputs, keywords)
    elif ufunc in PLAIN:
        result = _plainly(ufunc, inputs, keywords)
    elif function is None:
        raise missing(name)
    else:
        raise TypeError(f"{name} on tensors takes no {'=, '.join(keywords)}=; leave it away, and convert the result with .to()")
    return result if out is None else _written(name, result, out[0])


def _written(name, result, target):
    """What ``out=`` asks for, where that loses nothing."""
    if isinstance(result, tuple):
        raise TypeError(f"{name} on tensors gives several results and takes no out=")
    if isinstance(target, Tensor):
        inplace.check_cast(result.dtype, target.dtype, name)
        return inplace.copy_(target, result)
    if tracked(result):
        raise TypeError(f"{name} can't write a result that requires grad into an array, where its history would be lost; leave "
                        "out= away, or assign to a tensor")
    np.copyto(target, result._array(), casting="same_kind")
    return target


def missing(name):
    """The error for a function that there is none for."""
    return TypeError(f"{name} is not there for tensors; {name}(x.detach().numpy(), ...) computes without derivative")


def full_name(function):
    """The name of a function with that of its module, as users write it."""
    name, modules = function.__name__, [getattr(function, "__module__", None), "numpy", "scipy.special"]
    for module in filter(None, modules):
        if getattr(sys.modules.get(module), name, None) is function:
            return f"{module}.{name}".replace("numpy.", "np.", 1)
    return name


# Methods of ufuncs ------------------------------------------------------------------------------------------------------

_REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "amax", np.minimum: "amin", np.logaddexp: "logsumexp",
               np.logical_and: "all", np.logical_or: "any"}
_RUNNING = {np.add: "cumsum", np.multiply: "cumprod", np.maximum: "cummax", np.minimum: "cummin", np.logaddexp: "logcumsumexp"}


def _ufunc_method(name, ufunc, method, inputs, keywords):
    """``np.add.reduce``, ``np.multiply.accumulate``, ``np.subtract.outer`` and the like, where there is a function for them."""
    if method == "outer" and ufunc in BY_UFUNC and ufunc.nin == 2 and not ufunc.signature and not keywords:
        x, y = (structure.as_tensor_operand(v, name) for v in inputs)
        return BY_UFUNC[ufunc](structure.reshape(x, x._shape + (1,) * len(y._shape)) if x._shape and y._shape else x, y)
    function = {"reduce": _REDUCTIONS, "accumulate": _RUNNING}.get(method, {}).get(ufunc)
    if function is None or len(inputs) > 2:
        raise missing(name)
    keywords = {key: value for key, value in keywords.items() if key == "axis" or value not in (None, np._NoValue)}
    axis = inputs[1] if len(inputs) == 2 else keywords.pop("axis", 0)
    allowed = {"keepdims"} if method == "reduce" else set()
    if not keywords.keys() <= allowed:
        raise TypeError(f"{name} on tensors takes no {'=, '.join(sorted(keywords.keys() - allowed))}=; leave it away")
    result = _functions[function](structure.as_tensor_operand(inputs[0], name), axis, **keywords)
    return result[0] if function in ("cummax", "cummin") else result


# Functions without derivative ------------------------------------------------------------------------------------------

# What they give are integers, bools, text, dtypes, or angles of real numbers: NumPy computes them from the values.
PLAIN = {getattr(np, name) for name in (
    "angle", "array2string", "array_repr", "array_str", "bitwise_count", "can_cast", "common_type", "gcd", "histogram2d",
    "histogramdd", "iscomplex", "iscomplexobj", "isrealobj", "ix_", "lcm", "lexsort", "may_share_memory", "min_scalar_type",
    "nanargmax", "nanargmin", "packbits", "ravel_multi_index", "result_type", "shares_memory", "tril_indices_from",
    "triu_indices_from", "unpackbits", "unravel_index") if hasattr(np, name)}


def _plainly(function, arguments, keywords):
    """What NumPy's function gives for the values; arrays become tensors. TypeError where weights are to have a derivative."""
    weights = keywords.get("weights")
    if isinstance(weights, Tensor) and structure.recording(weights):
        raise TypeError(f"{full_name(function)} has no derivative by weights here; use np.bincount of the numbers of the bins "
                        "with these weights, or detach() them")
    result = function(*map(_value, arguments), **{name: _value(value) for name, value in keywords.items()})
    return _tensors(result)


def _value(argument):
    if isinstance(argument, Tensor):
        return argument._array()
    return type(argument)(map(_value, argument)) if type(argument) in (list, tuple) else argument


def _tensors(result):
    if isinstance(result, np.ndarray) and result.dtype.kind in "fiub":
        return wrap(result)
    return type(result)(map(_tensors, result)) if type(result) in (list, tuple) else result


def array_function(x, function, types, arguments, keywords):
    """What NumPy calls where any other of its functions meets a tensor."""
    implementation = BY_FUNCTION.get(function)
    if implementation is None:
        if function in PLAIN:
            return _plainly(function, arguments, keywords)
        raise missing(full_name(function))
    if len(arguments) > 1 or keywords:
        recipe = _recipe(function, implementation, len(arguments), tuple(keywords))
        if recipe is not None:
            arguments, keywords = _translated(function, recipe, arguments, keywords)
    try:
        return implementation(*arguments, **keywords)
    except TypeError:
        signature = inspect.signature(implementation)
        try:
            signature.bind(*arguments, **keywords)
        except TypeError as problem:
            raise TypeError(f"{full_name(function)} of tensors: {problem}; it takes {signature}") from None
        raise


@functools.cache
def _names(function):
    """The parameters that can be given by position, the names of all, and whether any number can be given; None where Python
    doesn't know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return ([p.name for p in named if p.kind is not p.KEYWORD_ONLY], {p.name for p in named},
            any(p.kind is p.VAR_POSITIONAL for p in parameters))


# What tensors can't honour, with the value that says nothing; and a permission that nobody has to use
_REFUSED = {"out": None, "where": True, "initial": None, "overwrite_input": ...}


@functools.lru_cache(maxsize=1024)
def _recipe(function, implementation, count, keywords):
    """How a call with so many positional arguments and these keywords of NumPy's becomes one of ours: how many stay in their
    places, which get names, and which are refused. None where nothing changes, or where Python doesn't know the parameters."""
    theirs, ours = _names(function), _names(implementation)
    if theirs is None or theirs[2] or ours is None:
        return None
    names, refused = theirs[0][:count], [name for name in keywords if name in _REFUSED and name not in ours[1]]
    straight = 0
    for place, name in enumerate(names):
        known = name in ours[1]
        if (name in _REFUSED or (known and place)) and not (known and ours[0][place:place + 1] == [name]):
            break
        straight = place + 1
    moved = tuple(enumerate(names))[straight:]
    first = theirs[0][0] if theirs[0] and theirs[0][0] in keywords and theirs[0][0] not in ours[1] else None     # np.sum(a=x)
    refused += [name for _, name in moved if name in _REFUSED and name not in ours[1]]
    return (straight, moved, refused, first) if moved or refused or first else None


def _translated(function, recipe, arguments, keywords):
    straight, moved, refused, first = recipe
    keywords = {**keywords, **{name: arguments[place] for place, name in moved}}
    for name in refused:
        value = keywords.pop(name)
        if value is not _REFUSED[name] and value is not np._NoValue and _REFUSED[name] is not ...:
            raise TypeError(f"{full_name(function)} on tensors takes no {name}=; leave it away")
    arguments = arguments[:straight]
    return (arguments if first is None else (keywords.pop(first), *arguments)), keywords


def is_straight(theirs, ours, count, keywords):
    """Whether a call with so many positional arguments and these keywords means the same for NumPy's function and for ours."""
    if isinstance(theirs, np.ufunc):
        return count == theirs.nin and not keywords
    return None not in (_names(theirs), _names(ours)) and _recipe(theirs, ours, count, keywords) is None
