"""NumPy's functions applied to tensors: which function of ours each of them is, and what becomes of its arguments."""
import functools
import inspect

import numpy as np

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
                        np.ndim: lambda a: len(a._shape), np.size: _array_size, np.copy: functions["clone"]})
    BY_FUNCTION.update(registry.BY_NUMPY)


BY_UFUNC: dict = {}
BY_FUNCTION: dict = {}


def array_ufunc(x, ufunc, method, *inputs, out=None, where=True, **keywords):
    """What NumPy calls where a ufunc meets a tensor."""
    function = BY_UFUNC.get(ufunc)
    if method != "__call__" or function is None:
        raise TypeError(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method} is not there for tensors; use "
                        "x.detach().numpy() where no derivative is needed")
    if where is not True or keywords:
        raise TypeError(f"np.{ufunc.__name__} on tensors takes no where= and no {', '.join(keywords) or 'other arguments'}; use "
                        "tapegrad.where")
    result = function(*inputs)
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
        raise TypeError(f"np.{function.__name__} is not there for tensors; use a function of tapegrad, or x.detach().numpy() "
                        "where no derivative is needed")
    if len(arguments) > 1 or keywords:
        arguments, keywords = _translated(function, implementation, arguments, keywords)
    return implementation(*arguments, **keywords)


@functools.cache
def _names(function):
    """The parameters that can be given by position and the names of all; None where Python doesn't know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)], {p.name for p in parameters}


_FORBIDDEN = {"out": None, "where": True, "initial": None}             # with what says nothing
_IGNORED = ("overwrite_input",)              # a permission, which nobody has to use


def _translated(function, implementation, arguments, keywords):
    """NumPy's arguments, of which some stand in another order than ours, as ours: by name where both know it.

    What tensors can't honour (``out=``, ``where=``, ``initial=``) is refused, unless it says nothing.
    """
    theirs, ours = _names(function), _names(implementation)
    if theirs is None or ours is None:
        return arguments, keywords
    by_position, keywords = [], dict(keywords)
    for place, (name, value) in enumerate(zip(theirs[0], arguments)):
        if name in _FORBIDDEN and name not in ours[1]:
            keywords[name] = value
        elif place and name in ours[1] and (place >= len(ours[0]) or ours[0][place] != name):
            keywords[name] = value
        elif len(by_position) == place:
            by_position.append(value)
        else:                                # an earlier one is given by name, so this one has to be
            keywords[name] = value
    for name, nothing in _FORBIDDEN.items():
        if name in keywords and name not in ours[1]:
            value = keywords.pop(name)
            if value is not nothing and value is not np._NoValue:
                raise TypeError(f"np.{function.__name__} on tensors takes no {name}=; leave it away")
    keywords = {name: value for name, value in keywords.items()
                if value is not np._NoValue and (name not in _IGNORED or name in ours[1])}
    first = theirs[0][0] if theirs[0] else None
    if first in keywords and first not in ours[1] and not by_position:       # np.sum(a=x)
        by_position.append(keywords.pop(first))
    return (*by_position, *arguments[len(theirs[0]):]), keywords
