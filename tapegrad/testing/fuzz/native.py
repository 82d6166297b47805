"""Scalar programs compiled by Numba: derivatives forward, backward, of second order and within compiled code, against
differences of values; and the same text on tensors, eager and replayed."""
import functools
import math
import random
import re
import types
import warnings

import numba
import numpy as np

import tapegrad as tg

from .compare import DIFFERENCES, SMOOTH, along, differs, shown
from .report import Fault
from .scalars import SIZE, draw
from .ways import unkept

LARGEST = 1e6                                # of a value; beyond, the program says nothing
# Shares of programs, by what they take to compile
WAYS = {"forward": 0.5, "backward": 0.5, "second order": 0.15, "within compiled code": 0.2, "batch": 0.1, "tensors": 1.0,
        "tensors, replayed": 0.4, "tensors, machine code": 0.4}
QUESTIONS = {
    "forward": "tg.value_and_grad(f)(x, n)",
    "backward": "(f(x, n), tg.jacrev(f)(x, n))",
    "within compiled code": "njit(lambda x, n: slope(x, n))(x, n)",
    "batch": "tg.vmap(tg.value_and_grad(f), in_axes=(0, None))(np.stack([x, x * 0.9, x]), n)",
    "second order": "tg.hessian_vector_product(f)(x, n, np.cos(x))",
}


# Writes to what was read; arrays that were computed of constants, where there are others of what has derivatives
REFUSALS = "in place", "in-place", "are those of np.zeros and its kin"


class _Facade(types.SimpleNamespace):
    """What np and math mean to the text on tensors."""

    def __getattr__(self, name):
        special = {"zeros": tg.zeros, "ones": tg.ones, "array": _stacked, "arange": lambda n: tg.arange(float(n)),
                   "maximum": lambda x, y: tg.maximum(tg.as_tensor(x), y), "pow": tg.power, "fabs": tg.abs}
        return special.get(name) or getattr(tg, name)


def _stacked(values):
    return tg.stack([v if isinstance(v, tg.Tensor) else tg.tensor(float(v)) for v in values])


class Program:
    """The text of functions and of points."""

    def __init__(self, text):
        self.text = text

    def replaced(self, text):
        return Program(text)

    def scope(self, decorate, **modules):
        scope = {"njit": decorate, "tg": tg, "math": math, "np": np, **modules}
        exec(compile(self.text, "<drawn>", "exec"), scope)
        return scope

    def on_tensors(self):
        """f of the same text, of tensors; ``a += e`` on them would write, where on numbers it makes another."""
        text = re.sub(r"^( *)([abc]) ([-+*])= (.*)$", r"\1\2 = \2 \3 (\4)", self.text, flags=re.M)
        both = _Facade()
        scope = {"njit": lambda g: g, "math": both, "np": both}
        exec(compile(text.split("\npoints = ")[0], "<drawn>", "exec"), scope)
        return scope["f"]


def draw_program(choices):
    return Program(draw(choices))


class Check:
    """One program in every way. `only`: the key of the fault that is looked for, while the program shrinks."""

    def __init__(self, program, counted, only=None):
        self.program, self.counted, self.only = program, counted, only
        self.drawn = random.Random(program.text)
        self.scope = program.scope(numba.njit)
        self.f, self.points = self.scope["f"], self.scope["points"]
        self.known = {}

    def faults(self):
        with warnings.catch_warnings(), np.errstate(all="ignore"), unkept():
            warnings.simplefilter("ignore")
            try:
                moderate = all([self.moderate(self.f(x, n)) for x, n in self.points])
            except numba.core.errors.NumbaError as error:    # of the function by itself, not of its derivative
                self.counted.refused("numba.njit", str(error))
                return
            if not moderate:
                return
            for way, share in WAYS.items():
                if (self.drawn.random() < share if self.only is None else self.only[0] == way):
                    fault = self.guarded(way)
                    if fault is not None:
                        yield fault

    @staticmethod
    def moderate(value):
        return np.isfinite(value) and abs(value) < LARGEST

    def guarded(self, way):
        part = {"tensors": self.tensors, "tensors, replayed": functools.partial(self.replayed, "interpreter"),
                "tensors, machine code": functools.partial(self.replayed, "machine")}.get(way, self.compiled)
        try:
            return part(way)
        except Exception as error:
            if isinstance(error, NotImplementedError) or any(words in str(error) for words in REFUSALS):
                self.counted.refused(way, str(error))
                return None
            return Fault(way, type(error).__name__, str(error)[:500], self.script(way, *self.points[0]))

    def script(self, way, x, n):
        if way not in QUESTIONS:
            return ""
        lines = ["slope = tg.njit_grad(f)"] if "slope" in QUESTIONS[way] else []
        return "\n".join([*lines, f"x, n = np.array({x.tolist()}), {n}", f"print({QUESTIONS[way]})"])

    # ---- the gradient that the others are compared with
    def gradient(self, k):
        """(value, gradient by differences of values, an estimate of its error)."""
        if k not in self.known:
            x, n = self.points[k]
            slopes = [along(lambda moved: np.asarray(self.f(moved[0], n)), [x], [e]) for e in np.eye(SIZE)]
            smooth = all([error < SMOOTH * scale for _, error, scale in slopes])
            self.known[k] = self.f(x, n), np.concatenate([slope for slope, _, _ in slopes]), (
                max([10 * error + DIFFERENCES * scale for _, error, scale in slopes]) if smooth else np.inf)
        return self.known[k]

    @functools.cached_property
    def eager(self):
        return self.program.on_tensors()

    @functools.cached_property
    def of_tensors(self):
        """Value and gradient of the same text on tensors at the points, None where they refuse."""
        found = []
        for x, n in self.points:
            try:
                found.append(tg.value_and_grad(self.eager)(x, n))
            except (RuntimeError, TypeError) as error:
                if "place" not in str(error) and isinstance(error, RuntimeError):
                    raise
                found.append(None)
        return found

    def against(self, way, k, value, gradient):
        """In what value and gradient differ from those of tensors, and from differences."""
        wanted, slope, error = self.gradient(k)
        said = differs(np.asarray(value), np.asarray(wanted), rounding=1e-10)
        if said:
            return f"the value is {said}"
        if np.isfinite(error):
            if not np.all(np.abs(gradient - slope) <= error):
                return f"the gradient is {shown(gradient)}, and differences say {shown(slope)} with an error of {error:.1g}"
            self.counted.compared(way)
        else:
            self.counted.skipped("differences")
        return ""

    def compiled(self, way):
        answers = []
        for k, (x, n) in enumerate(self.points):
            names = {**self.scope, "x": x, "n": n}
            if "slope" in QUESTIONS[way]:
                names["slope"] = tg.njit_grad(self.f)
            found = eval(QUESTIONS[way], names)
            answers.append(found)
            if way == "second order":
                said = self.second(k, found)
            elif way == "within compiled code":
                said = self.against(way, k, self.gradient(k)[0], np.asarray(found)) or self.beside(way, k, found)
            elif way == "batch":
                first, last = ([part[j] for part in found] for j in (0, 2))
                said = self.against(way, k, *first) or differs(last, first, True)
            else:
                said = self.against(way, k, *found) or self.beside(way, k, found[1])
            if said:
                return Fault(way, "derivative", f"at points[{k}]: {said}", self.script(way, x, n))
        return None

    def beside(self, way, k, gradient):
        """In what it differs from the gradient of tensors."""
        facade = self.of_tensors[k]
        if facade is None:
            return ""
        self.counted.compared(way)
        return differs(np.asarray(gradient), facade[1], rounding=1e-8)

    def second(self, k, product):
        x, n = self.points[k]
        slope, error, scale = along(lambda moved: tg.grad(self.f)(moved[0], n), [x], [np.cos(x)])
        if not error < SMOOTH * scale:
            self.counted.skipped("second order")
            return ""
        self.counted.compared("second order")
        if np.all(np.abs(product - slope) <= 10 * error + DIFFERENCES * scale):
            return ""
        return f"the Hessian times cos(x) is {shown(product)}, and differences of gradients say {shown(slope)}"

    def tensors(self, way):
        if all([found is None for found in self.of_tensors]):
            self.counted.refused(way, "a write in place, or a type")
            return None
        for k, found in enumerate(self.of_tensors):
            said = found is not None and self.against(way, k, *found)
            if said:
                return Fault(way, "derivative", f"at points[{k}]: {said}")
        return None

    def replayed(self, tier, way):
        if any([found is None for found in self.of_tensors]):
            return None
        fast = tg.value_and_grad(tg.compile(self.eager, tier=tier))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for k in (0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 1):
                k = min(k, len(self.points) - 1)
                found, wanted = fast(*self.points[k]), self.of_tensors[k]
                difference = differs(found[0], wanted[0], True) or differs(found[1], wanted[1])
                if difference:
                    return Fault(way, "value or gradient", f"at points[{k}]: {difference}")
        refusal = next((str(w.message) for w in said if " eagerly: " in str(w.message)), None)
        if refusal is not None:
            self.counted.refused(way, refusal.split(" eagerly: ")[1])
        else:
            self.counted.compared(way)
        return None


def check(program, counted, only=None):
    """The faults of a program, one for each way."""
    return list(Check(program, counted, only).faults())
