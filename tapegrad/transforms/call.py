"""One call of a function that is differentiated: arguments become leaves, and what comes out goes back to what the user gave."""
import functools
import sys
import types

import numpy as np

from ..autograd import modes
from ..autograd.paths import sources
from ..tape import state
from ..tensor.core import FLOATS, Tensor, float64, interior, tracked, wrap
from ..tensor.creation import tensor
from ..tensor.elementwise import describe
from .trees import ends, filled, mapped, matched


class Transformed(functools.partial):
    """The function that a transform has made of another. It can be pickled: as the transform and what that was given.

    A partial function, though there is nothing to fill in, since no other callable of a class of one's own is as fast.
    """

    def __new__(cls, made, transform, arguments, keywords):
        self = super().__new__(cls, made)
        self.__dict__.update({name: getattr(made, name) for name in functools.WRAPPER_ASSIGNMENTS}, **made.__dict__)
        self.recipe = transform, arguments, keywords
        return self

    def __get__(self, owner, kind=None):
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self):
        transform, arguments, keywords = self.recipe
        function = arguments[0] if arguments else keywords["function"]
        name = function.__qualname__ if type(function) is types.FunctionType else repr(function)
        return f"<{transform.__name__} of {name}>"

    def __reduce__(self):
        return name_of(self) or (make_again, self.recipe)


def make_again(transform, arguments, keywords):
    """For pickle."""
    return transform(*arguments, **keywords)


def name_of(function):
    """The name by which pickle finds what a decorator has put in a function's place; None where that is found by none."""
    found, name = sys.modules.get(function.__module__), getattr(function, "__qualname__", "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return name if found is function else None


def picklable(transform):
    """Decorates a transform: the function that it makes can be pickled."""
    @functools.wraps(transform)
    def wrapper(*arguments, **keywords):
        made = transform(*arguments, **keywords)
        return Transformed(made, wrapper, arguments, keywords) if type(made) is types.FunctionType else made
    return wrapper


def replayable(transform):
    """Decorates a transform: of a compiled function it replays, as far as that can, and what it makes can be pickled."""
    @picklable
    @functools.wraps(transform)
    def wrapper(function, *arguments, **keywords):
        replayed = getattr(type(function), "replayed", None)
        if replayed is None:
            return transform(function, *arguments, **keywords)
        entry = function.ready.get(transform.__name__)
        if entry is not None and not keywords:
            result = entry(arguments, None)
            if result is not None:
                return result
        return replayed(function, transform, arguments, keywords)
    return wrapper


def check_function(function, name):
    if not callable(function):
        raise TypeError(f"{name} takes a function, not {describe(function)}; write {name}(f)(x), not {name}(f(x))")


def positions(argnums, argnum=None):
    """(the numbers of the arguments, whether one alone was given); `argnum` is HIPS autograd's name for them."""
    if argnum is not None:
        argnums = argnum
    single = isinstance(argnums, (int, np.integer))
    numbers = [argnums] if single else list(argnums) if isinstance(argnums, (tuple, list)) else []
    if not numbers or not all(isinstance(p, (int, np.integer)) for p in numbers):
        raise TypeError(f"argnums is the number of an argument or a tuple of such numbers, not {argnums!r}")
    once(numbers, numbers)
    return numbers, single


def once(numbers, argnums):
    """ValueError where an argument is named twice."""
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"argnums names an argument twice, {tuple(argnums)}; name each once, and use its derivative twice")


class Call:
    """Runs a function with leaves in place of some of its arguments.

    `leaves`: what is differentiated by. `numpy`: whether arrays and numbers were given, so that arrays are given back.
    `graph`: whether the result is part of a graph outside, because what came in is, or what the function refers to.
    """

    def __init__(self, function, argnums, arguments, keywords=None, has_aux=False):
        numbers, self.single = argnums
        arguments = list(arguments)
        for p in numbers:
            if not -len(arguments) <= p < len(arguments):
                raise TypeError(f"argnums asks for argument {p}, and the function was called with {len(arguments)} positional "
                                f"argument{'s' if len(arguments) != 1 else ''}")
        once([p % len(arguments) for p in numbers], numbers)
        given = [arguments[p] for p in numbers]
        self.numpy = not any(isinstance(value, Tensor) for value in ends(given))
        self.graph = False
        self.leaves: list = []
        self.entered: dict = {}              # by number, the tape and the record of those that are nodes
        self.trees = []
        for p, value in zip(numbers, given):
            tree = mapped(lambda end, p=p: self._enter(end, p), value)
            self.trees.append(tree)
            arguments[p] = tree
        current = state()
        self.nested = current.tracing > 0
        current.tracing += 1
        try:
            with modes.enable_grad():
                result = function(*arguments, **(keywords or {}))
        finally:
            current.tracing -= 1
        for k, (tape, i) in self.entered.items():        # what the function wrote into has moved on to another record
            leaf = self.leaves[k]
            if leaf._tape is not tape or leaf._index != i:
                self.leaves[k] = interior(tape, i, leaf._shape)
        self.aux = None
        if has_aux:
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise TypeError(f"with has_aux the function gives a pair, (value, something else), not {describe(result)}")
            result, self.aux = result
        self.result = mapped(_as_tensor, result)
        self.outputs = ends(self.result)
        if (self.nested or not self.numpy) and not self.graph:
            given = [y for y in (*self.outputs, *ends(self.aux)) if isinstance(y, Tensor) and tracked(y)]
            self.graph = any(reaches_others(y, self.leaves) for y in given)

    def _enter(self, value, position):
        """A leaf for an array or a number, or for a Tensor a node of its own, through which it is seen only here."""
        if isinstance(value, Tensor):
            if value.dtype not in FLOATS:
                raise TypeError(f"argument {position} has dtype {value.dtype}, and only float64 and float32 can be "
                                "differentiated by; convert it with .double()")
            if tracked(value):
                self.graph = True
                with modes.enable_grad():
                    leaf = value.clone()
                self.entered[len(self.leaves)] = leaf._tape, leaf._index
            else:
                leaf = wrap(np.array(value._array()), True)
        else:
            leaf = tensor(value)
            if leaf.dtype not in FLOATS:
                if leaf.dtype.kind not in "iu":
                    raise TypeError(f"argument {position} has dtype {leaf.dtype}, and only float64 and float32 can be "
                                    "differentiated by; convert it with .astype(float)")
                leaf = tensor(value, dtype=float64)      # whole numbers, as users write starting values
            leaf = leaf.requires_grad_() if leaf._inference else wrap(leaf._own, True)      # a new one is on no tape yet
        self.leaves.append(leaf)
        return leaf

    def number(self, name):
        """The result as a tensor of one element; TypeError where it is something else."""
        if not isinstance(self.result, Tensor):
            raise TypeError(f"{name} takes functions that give one number, and this one gave {describe(self.result)}; use "
                            "jacobian for several outputs, and has_aux=True for a pair of a value and something else")
        if self.result.numel() != 1:
            raise TypeError(f"{name} takes functions that give one number, and this one gave shape {self.result.shape}; "
                            "sum() it, or use jacobian")
        return self.result

    def structured(self, values):
        """Values for the leaves in the form of the arguments."""
        values = iter(values)
        parts = [filled(tree, values) for tree in self.trees]
        return parts[0] if self.single else tuple(parts)

    def given_back(self, tree):
        """What the function gave, as the user gets it: arrays for arrays, Tensors for Tensors."""
        return mapped(self._given_back, tree)

    def _given_back(self, value):
        if not isinstance(value, Tensor):
            return value
        if self.graph:
            return value
        return to_numpy(value) if self.numpy else value.detach()


def vectors(tensors, tree, given, what):
    """A tensor for each of `tensors`, which are the ends of `tree`, from a tree of that form. ValueError for other shapes."""
    out = []
    for x, value in zip(tensors, matched(tree, given, what)):
        t = value if isinstance(value, Tensor) else tensor(value, dtype=x.dtype)
        if t._shape != x._shape:
            raise ValueError(f"{what} must have the shape {x._shape} here, and {t._shape} was given")
        out.append(t if t.dtype == x.dtype else t.to(x.dtype))
    return out


def to_numpy(x):
    """An array of its own; a NumPy number for one without axes."""
    return np.array(x._array())[()]


def _as_tensor(value):
    return value if isinstance(value, Tensor) else tensor(value)


def reaches_others(y, leaves):
    """Whether a tensor is, or was computed from, something that requires grad besides `leaves`."""
    own = {id(x) for x in leaves}
    return any(id(leaf) not in own for leaf in (sources((y,)) if y._own is None else (y,)))
