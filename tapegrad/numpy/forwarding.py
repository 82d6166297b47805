"""NumPy's functions made to take Tensors, and lists that hold them.

NumPy itself finds tapegrad's function where it is given a Tensor (``__array_ufunc__``, ``__array_function__``). A function here
does no more than to look for Tensors: where tapegrad's function takes the arguments as they are it is called at once, which is
faster; a list that holds Tensors, which NumPy would take for a list of numbers, becomes a Tensor first; and everything else is
NumPy's affair.
"""
import functools

import numpy as np

from ..tensor import dispatch
from ..tensor.core import Tensor
from ..tensor.structure import holds_tensor, nested

# Functions of sequences of arrays: in their first argument a list that holds Tensors is no array
_OF_SEQUENCES = frozenset((
    "choose", "column_stack", "concat", "concatenate", "dstack", "hstack", "lexsort", "multi_dot", "row_stack", "select", "stack",
    "vstack"))
_LISTS = list, tuple


def as_array(value):
    """A list that holds Tensors as a Tensor; what else is given as it is."""
    return nested(value, "array") if type(value) in _LISTS and holds_tensor(value) else value


def _parts(value):
    """A list of arrays whose parts may be lists that hold Tensors, or numbers beside Tensors."""
    if type(value) not in _LISTS or not holds_tensor(value):
        return value
    return type(value)([part if type(part) is Tensor else as_array(part) if type(part) in _LISTS else np.asarray(part)
                        for part in value])


def _general(theirs, of_sequences, *arguments, **keywords):
    """The call with lists that hold Tensors as Tensors; those of np.block are its own affair."""
    if theirs is np.block:
        return theirs(*arguments, **keywords)
    if of_sequences:
        arguments = [_parts(value) for value in arguments]
        return theirs(*arguments, **{name: _parts(value) for name, value in keywords.items()})
    return theirs(*map(as_array, arguments), **{name: as_array(value) for name, value in keywords.items()})


def forwarded(theirs):
    """A function of NumPy's, for the namespace."""
    ours = dispatch.BY_UFUNC.get(theirs) if isinstance(theirs, np.ufunc) else dispatch.BY_FUNCTION.get(theirs)
    of_sequences = theirs.__name__ in _OF_SEQUENCES
    direct = {}                              # by number and names of the arguments: ours, where it takes them as they are

    def function(*arguments, **keywords):
        for value in arguments:
            kind = type(value)
            if kind is Tensor:
                form = (len(arguments), *keywords) if keywords else len(arguments)
                call = direct.get(form)
                if call is None:
                    straight = ours is not None and dispatch.is_straight(theirs, ours, len(arguments), tuple(keywords))
                    call = direct[form] = ours if straight else functools.partial(_general, theirs, of_sequences)
                return call(*arguments, **keywords)
            elif kind is list or kind is tuple:
                return _general(theirs, of_sequences, *arguments, **keywords)
        return _general(theirs, of_sequences, *arguments, **keywords) if keywords else theirs(*arguments)
    functools.update_wrapper(function, theirs, ("__name__", "__qualname__", "__doc__"), ())
    if isinstance(theirs, np.ufunc):
        for name in ("accumulate", "at", "identity", "nargs", "nin", "nout", "ntypes", "outer", "reduce", "reduceat", "signature",
                     "types"):
            setattr(function, name, getattr(theirs, name))
    else:
        function.__wrapped__ = theirs        # inspect.signature shows NumPy's
    return function


def fill(namespace, module, skip=()):
    """Puts NumPy's names into a namespace: its functions forwarded, everything else as it is."""
    names = [name for name in vars(module) if not name.startswith("_") and name not in skip]
    for name in names:
        value = getattr(module, name)
        if isinstance(value, np.ufunc) or (callable(value) and not isinstance(value, type) and name not in _PLAIN):
            value = forwarded(value)
            value.__module__ = namespace["__name__"]         # where pickle finds it
        namespace[name] = value
    return names


# What has nothing to do with arrays, or is given their text, files or settings
_PLAIN = frozenset((
    "get_include", "show_config", "show_runtime", "info", "test", "seterr", "geterr", "seterrcall", "geterrcall", "errstate",
    "setbufsize", "getbufsize", "set_printoptions", "get_printoptions", "printoptions", "isdtype", "issubdtype", "typename",
    "mintypecode", "load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "fromstring", "frombuffer", "fromiter", "nditer",
    "format_float_positional", "format_float_scientific", "base_repr", "binary_repr", "iterable", "r_", "c_", "s_", "index_exp",
    "mgrid", "ogrid"))
