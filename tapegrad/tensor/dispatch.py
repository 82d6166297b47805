"""NumPy's functions applied to tensors: which function of ours each of them is, and what becomes of its arguments."""
import functools
import inspect
import sys

import numpy as np

from ..ops import OPS
from . import arithmetic, comparison, inplace, registry, structure
from .core import Tensor
from .elementwise import size_of, tracked


def _array_size(x, axis=None):
    return size_of(x._shape) if axis is None else x._shape[structure.normalize_axis(axis, len(x._shape))]


def fill(functions):
    """Notes what NumPy's functions are, by the names of ours."""
    BY_UFUNC.update({np.equal: comparison.FUNCTIONS["equal_to"], np.matmul: structure.matmul, np.absolute: functions["abs"],
                     np.divmod: arithmetic.divmod})
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
OF_SCIPY: dict = {}                          # scipy.special's ufuncs by name: they are there only where SciPy's are


def _of_scipy(ufunc):
    """The function for one of SciPy's ufuncs, or None."""
    special = sys.modules.get("scipy.special")
    if special is not None and getattr(special, ufunc.__name__, None) is ufunc:
        return OF_SCIPY.get(ufunc.__name__)
    return None


def _full_name(function):
    return f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)


def array_ufunc(x, ufunc, method, *inputs, out=None, where=True, **keywords):
    """What NumPy calls where a ufunc meets a tensor."""
    function = BY_UFUNC.get(ufunc) or _of_scipy(ufunc)
    if method != "__call__" or function is None:
        raise TypeError(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method} is not there for tensors; use "
                        "x.detach().numpy() where no derivative is needed")
    if where is not True or (keywords and not (ufunc.signature and set(keywords) == {"axis"})):
        raise TypeError(f"np.{ufunc.__name__} on tensors takes no where= and no {', '.join(keywords) or 'other arguments'}; use "
                        "tapegrad.where")
    result = function(*inputs, **keywords)
    if out is None:
        return result
    target = out[0]
    if isinstance(result, tuple):
        raise TypeError(f"np.{ufunc.__name__} on tensors gives several results and takes no out=")
    if isinstance(target, Tensor):
        return inplace.copy_(target, result)
    if tracked(result):
        raise TypeError(f"np.{ufunc.__name__} can't write a result that requires grad into an array, where its history would be "
                        "lost; leave out= away, or assign to a tensor")
    np.copyto(target, result._array(), casting="same_kind")
    return target


def array_function(x, function, types, arguments, keywords):
    """What NumPy calls where any other of its functions meets a tensor."""
    implementation = BY_FUNCTION.get(function)
    if implementation is None:
        raise TypeError(f"{_full_name(function)} is not there for tensors; use x.detach().numpy() where no derivative is "
                        "needed, or write it with functions that are")
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
            raise TypeError(f"{_full_name(function)} of tensors: {problem}; it takes {signature}") from None
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
            raise TypeError(f"np.{function.__name__} on tensors takes no {name}=; leave it away")
    arguments = arguments[:straight]
    return (arguments if first is None else (keywords.pop(first), *arguments)), keywords
