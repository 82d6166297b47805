"""Derivatives of compiled functions as the transforms give them: NumPy in, NumPy out."""
import inspect
import linecache
import os
import re

import numpy as np
from numba.core import errors
from numba.core.ir import Loc
from numba.core.registry import CPUDispatcher

from ..tape import state
from ..tensor.elementwise import describe
from ..transforms.trees import ends, filled, matched
from . import anomalies
from .drivers import driver, rebuilt, type_of

# What Numba raises where it can't compile; the last, without a word, where it meets types that it doesn't expect
REFUSALS = (errors.NumbaError, NotImplementedError, AssertionError)


def cause(error):
    """What to raise for a SystemError. Numba makes arrays with a Python function, and goes on where a signal's handler raised in
    it, as Ctrl-C does; the interpreter then finds a result and an exception."""
    return error.__cause__ or error


class Arguments:
    """The arguments of one call, taken apart for a driver."""

    def __init__(self, dispatcher, numbers, arguments, keywords=None):
        self.dispatcher, (numbers, self.single) = dispatcher, numbers
        arguments = self._complete(arguments, keywords)
        for p in numbers:
            if not -len(arguments) <= p < len(arguments):
                raise TypeError(f"argnums asks for argument {p}, and the function was called with {len(arguments)} positional "
                                f"argument{'s' if len(arguments) != 1 else ''}")
        self.numbers = [p % len(arguments) for p in numbers]
        self.leaves = []
        self.given = []                      # as a driver takes them
        self.functions = []                  # places of compiled functions among them
        form = []
        for p, value in enumerate(arguments):
            if p in self.numbers:
                form.append(self._taken_apart(value, p))
            else:
                form.append(None)
                if isinstance(value, CPUDispatcher):
                    self.functions.append(len(self.given))
                self.given.append(value)
        self.arguments, self.form = arguments, tuple(form)

    def _complete(self, arguments, keywords):
        """Keywords and defaults in their places."""
        code = self.dispatcher.py_func.__code__
        if not keywords and len(arguments) == code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
            return arguments
        bound = inspect.signature(self.dispatcher.py_func).bind(*arguments, **(keywords or {}))
        bound.apply_defaults()
        if bound.kwargs or code.co_flags & inspect.CO_VARARGS:
            raise TypeError(f"{self.dispatcher.py_func.__name__} takes any number of arguments, or some by keyword alone, and so "
                            "can't be differentiated; give it named arguments")
        return bound.args

    def _taken_apart(self, value, p):
        if isinstance(value, (tuple, list)):
            parts = [self._taken_apart(part, p) for part in value]
            return ("list", *parts) if isinstance(value, list) else (type(value), *parts)
        kind = type(value)
        if kind is not float and not (kind is np.ndarray and value.shape and value.dtype == np.float64):
            value = _number_or_array(value, p)
        self.leaves.append(value)
        self.given.append(value)
        return "*"

    def run(self, mode, *vectors, lanes=1, has_aux=False):
        """What the driver of a mode gives."""
        given = self.given
        if self.functions:
            remade = rebuilt(type_of(mode, lanes))
            given = [remade.function(a) if k in self.functions else a for k, a in enumerate(given)]
        run = driver(self.dispatcher, mode, self.form, lanes, has_aux)
        try:
            found = run(*given, *vectors)
        except REFUSALS as error:
            raise self._explained(error) from error
        except SystemError as error:
            raise cause(error) from None
        if search := state().anomaly:
            anomalies.check(search, self.dispatcher, self.arguments, self.numbers, found)
        return found

    def _explained(self, error):
        """The error of the primal, if it has one, otherwise which construct can't be differentiated, and where it stands."""
        name = self.dispatcher.py_func.__name__
        try:
            self.dispatcher(*self.arguments)
        except Exception as own:
            return own
        reason = _stop(error) if isinstance(error, AssertionError) else _reason(str(error))
        return TypeError(f"{name} can't be differentiated as compiled code: {reason}")

    def structured(self, parts):
        """Values for the leaves in the form of the arguments."""
        parts = iter(parts)
        trees = {p: filled(self.arguments[p], parts) for p in sorted(set(self.numbers))}
        return trees[self.numbers[0]] if self.single else tuple(trees[p] for p in self.numbers)

    def gradients(self, parts):
        """Gradients from a driver: arrays as they are, numbers as NumPy's."""
        return self.structured([part if isinstance(part, np.ndarray) else np.result_type(x).type(part)
                                for x, part in zip(self.leaves, parts)])

    @property
    def size(self):
        return sum(np.size(x) for x in self.leaves)

    def split(self, vector):
        """Parts of the last axis of an array, by leaves: of their shapes and dtypes."""
        parts, at = [], 0
        for x in self.leaves:
            shape, n, dtype = np.shape(x), np.size(x), np.result_type(x)
            piece = vector[..., at:at + n].reshape((*vector.shape[:-1], *shape))
            parts.append(piece.astype(dtype, copy=False)[()])
            at += n
        return parts

    def vector(self, tree, what):
        """One vector from a tree of the form of the arguments."""
        trees = tuple(self.arguments[p] for p in self.numbers)
        given = (tree,) if self.single else tuple(tree)
        matched(trees, given, what)
        values = dict(zip(self.numbers, given))
        return _joined(self.leaves, [end for p in sorted(values) for end in ends(values[p])], what)

    def real(self, value):
        """Numbers as the function gives them: single where all that it is differentiated by is single."""
        single = all(np.result_type(x) == np.float32 for x in self.leaves)
        return filled(value, [_as_numpy(x, single) for x in ends(value)])


def _number_or_array(value, p):
    if isinstance(value, (bool, np.bool_, complex, str, bytes)) or value is None:
        raise TypeError(f"argument {p} is {describe(value)}, and only floating numbers can be differentiated by")
    if isinstance(value, (int, float, np.integer)):
        return float(value)
    value = value[()] if isinstance(value, (np.ndarray, np.floating)) else np.asarray(value)
    if value.dtype in (np.float64, np.float32):
        return value
    if value.dtype.kind in "iu":
        return value.astype(np.float64)      # whole numbers, as users write starting values
    raise TypeError(f"argument {p} has dtype {value.dtype}, and only float64 and float32 can be differentiated by; convert it "
                    "with .astype(float)")


def _as_numpy(x, single):
    if single and np.result_type(x) == np.float64:
        return x.astype(np.float32) if isinstance(x, np.ndarray) else np.float32(x)
    return np.float64(x) if type(x) is float else x


def _joined(places, values, what):
    parts = []
    for x, value in zip(places, values):
        if np.shape(value) != np.shape(x):
            raise ValueError(f"{what} must have the shape of what it belongs to, {np.shape(x)}, and {np.shape(value)} was given")
        parts.append(np.asarray(value, np.float64).reshape(-1))
    return np.concatenate(parts) if parts else np.zeros(0)


_PLACE = re.compile(r'File "(.+)", line (\d+)')


def _reason(text):
    """The innermost complaint in a message of Numba's, and the line of the user's code that it is about.

    Numba reports from the outside in, and then the places from the inside out."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "guarded" not in line]
    places = [k for k, line in enumerate(lines) if (found := _PLACE.match(line)) and _is_users(found[1])]
    until = places[0] if places else len(lines)
    reasons = [line for line in lines[:until] if _COMPLAINT.match(line)]
    reason = reasons[-1] if reasons else lines[0] if lines else "Numba gives no reason"
    call = [line for line in lines[:until] if line.startswith(">>> ")]
    ours = [line for line in reasons if "can't be" in line]
    if ours:
        reason = ours[-1].removeprefix("TypingError: ")
    elif call:
        reason = f"there is no {call[-1].removeprefix('>>> ')}"
    if re.search(r"(setitem\(|unify .*)array\(float\d+,", reason):
        reason += ": arrays for numbers with derivatives are those of np.zeros and its kin, and copies by np.array(...)"
    if not places:
        return reason
    file, number = _PLACE.match(lines[until]).groups()
    marked = next((lines[j - 1] for j in range(until, len(lines)) if lines[j] == "^"), "")
    return f"{reason}\n  {file}, line {number}: {marked}"


def _stop(error):
    """Where in the user's code Numba was when it stopped without a message."""
    trace, place = error.__traceback__, None
    while trace:
        here = getattr(trace.tb_frame.f_locals.get("self"), "loc", None)
        place = here if isinstance(here, Loc) and _is_users(here.filename) else place
        trace = trace.tb_next
    reason = "Numba has no such operation on numbers with derivatives"
    if place is None:
        return reason
    return f"{reason}\n  {place.filename}, line {place.line}: {linecache.getline(place.filename, place.line).strip()}"


_COMPLAINT = re.compile(r"No |Cannot|cannot|Unknown|Use of|Untyped|Invalid|Unsupported|.*(can't be|not support|not defined|"
                        r"must be|cannot be)")


def _is_users(file):
    return not file.startswith("<tapegrad") and f"{os.sep}numba{os.sep}" not in file and f"tapegrad{os.sep}native" not in file
