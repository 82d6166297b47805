"""Functions of arrays, run eagerly: answers agree among each other, with the slow reference, and with differences."""
import functools
import random
import re
import warnings

import numpy as np

import tapegrad as tg

from ...transforms.trees import ends, filled
from . import slow
from .compare import DIFFERENCES, ROUNDING, SMOOTH, along, arrays, close, differs, directions, inner, shown
from .report import Fault

# What is asked of a function g of the arguments x: v are directions, w weights of the value, `every` the numbers of the arguments
VALUE, GRADIENT = "{g}(*x)", "tg.value_and_grad({g}, every)(*x)"
RECORDED = "tg.vjp({g}, *x)[0]"              # the value as kernels compute it, whose bits the others have to give
OF_NUMBERS = [GRADIENT, GRADIENT, "tg.grad({g})(*x)", "tg.hessian_vector_product({g})(*x, v[0])", "tg.hessian({g}, every)(*x)",
              "in_graph({g}, x)", "twice({g}, x, v)"]
OF_ALL = ["tg.jvp({g}, x, v)", "tg.vjp({g}, *x)[1](w)", "tg.jacobian({g}, every)(*x)", "tg.jacfwd({g}, every)(*x)",
          "tg.jacrev({g})(*x)"]
TINY = 1e-7                                  # steps off a point where operands are equal
_NUMBERS = re.compile(r"-?\d[\d.e+-]*|\n")      # in what errors say
MANY = 10                                    # elements of arguments from which on there is no Hessian


def in_graph(g, x):
    """Gradients through a graph that `g` is one operation of."""
    leaves = [tg.tensor(a, requires_grad=True) for a in x]
    y = g(*[leaf * 1.0 for leaf in leaves])
    if not y.requires_grad:
        return [tg.zeros_like(leaf) for leaf in leaves]
    return tg.autograd.grad(y * y, leaves, tg.ones_like(y), materialize_grads=True)


def twice(g, x, v):
    """Gradients of the product of the gradient and v."""
    leaves = [tg.tensor(a, requires_grad=True) for a in x]
    y, total = g(*leaves), None
    if y.requires_grad:
        first = tg.autograd.grad(y, leaves, create_graph=True, materialize_grads=True)
        total = sum([(one * tg.tensor(some)).sum() for one, some in zip(first, v)])
    if total is None or not total.requires_grad:
        return [tg.zeros_like(leaf) for leaf in leaves]
    return tg.autograd.grad(total, leaves, materialize_grads=True)


def scope_of(text):
    """The names that a program defines, and those that questions use."""
    scope = {"tg": tg, "np": np, "in_graph": in_graph, "twice": twice}
    exec(compile(text, "<drawn>", "exec"), scope)
    return scope


def weights(value):
    """What the value is multiplied by, in its form."""
    return filled(value, directions([np.asarray(a) for a in ends(value)], 2))


def products(matrices, values, v):
    """Blocks of derivatives of values by arguments, times directions of the arguments."""
    blocks = iter(arrays(matrices))
    def total(value):
        terms = [next(blocks).reshape((*value.shape, np.size(one))) @ np.reshape(one, -1) for one in v]
        return np.asarray(sum(terms), value.dtype)
    return [total(value) for value in values]


class Eager:
    """One program, and what eager execution gives. `only`: the key of the fault that is looked for, while the program shrinks."""

    def __init__(self, program, counted, only=None):
        self.program, self.counted, self.only = program, counted, only
        self.scope = scope_of(program.text)
        self.points = self.scope["points"]
        self.asked = {}                      # (question, point) -> what eager execution gives
        self.drawn = random.Random(program.text)

    def faults(self):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for name, part in self.parts():
                if self.only is None or self.only[0] == name:
                    fault = self.guarded(name, part)
                    if fault is not None:
                        yield fault

    def parts(self):
        """(name, what looks for a fault): those that are drawn for this program, or the one that is asked for."""
        yield "eager", self.eager
        yield "differences", self.differences
        if self.program.single:
            yield "float32", self.single
        if self.program.plain:
            yield "slow reference", self.reference

    def guarded(self, name, part):
        """A fault, where something raises that should not."""
        self.question = ""
        try:
            return part()
        except Exception as error:
            said = str(error)
            if isinstance(error, NotImplementedError) or "overwritten in place" in said:
                self.counted.refused(name, said)
                return None
            what = f"{type(error).__name__} from {self.question or name}: {_NUMBERS.sub('*', said)[:60]}"
            return Fault(name, what, said[:300], self.script(name, self.question, 0))

    # ---- eager results
    @property
    def number(self):
        """Whether the value is one number."""
        value = arrays(self.ask(VALUE, 0))
        return len(value) == 1 and value[0].size == 1 and value[0].ndim == 0

    @functools.cached_property
    def questions(self):
        """The value and some others, different ones for each program; while it shrinks, that by which the fault was seen."""
        size = sum([np.size(a) for a in self.points[0]])
        found = list(dict.fromkeys((VALUE, *(OF_NUMBERS if self.number else ()), *OF_ALL)))
        found = [q for q in found if "hessian(" not in q or size <= MANY]
        if not np.size(self.points[0][0]):
            found = [q for q in found if "hessian" not in q]
        if self.only is not None:
            return [q for q in found if q == self.only[1] or f"from {q}" in self.only[1]] or found
        return found[:2] + self.drawn.sample(found[2:], 2)

    def evaluate(self, question, g, point):
        """An answer, with the names that it uses."""
        x = tuple(point)
        names = {**self.scope, "g": g, "x": x, "every": tuple(range(len(x))), "v": directions(x)}
        if "(w)" in question:
            names["w"] = weights(self.ask(VALUE, None, x))
        self.question = question
        return eval(question.format(g="g"), names)

    def ask(self, question, k, point=None):
        """What eager execution gives at a point."""
        key = question, k if point is None else repr(point)
        if key not in self.asked:
            asked = RECORDED if question == VALUE else question
            self.asked[key] = self.evaluate(asked, self.scope["f"], self.points[k] if point is None else point)
        return self.asked[key]

    def rounding(self, question=""):
        """Relative to the largest of the answer; second derivatives lose more."""
        again = any([word in question for word in ("hess", "twice")])
        return ROUNDING["float32" if self.program.single else "float64"] * (100 if again else 1)

    def scale(self, k):
        """What digits of small results are lost to: the size of the value and of first derivatives."""
        known = [np.abs(a).max(initial=0) for a in arrays(self.ask(VALUE, k))]
        return max([1.0, *[float(a) for a in known if np.isfinite(a)]])

    def eager(self):
        """Answers agree among each other: products with derivatives, forward and backward."""
        for k, x in enumerate(self.points):
            plain = [np.asarray(a) for a in arrays(self.scope["f"](*[tg.tensor(a) for a in x]))]
            said = differs(plain, arrays(self.ask(VALUE, k)), rounding=self.rounding(), scale=self.scale(k))
            if said and not self.program.detached:
                return self.fault("eager", "unrecorded value", f"f of tensors without grad gives {said}", k)
            tangent, pulled, v = self.ask(OF_ALL[0], k)[1], self.ask(OF_ALL[1], k), directions(x)
            left, right, size = inner(weights(self.ask(VALUE, k)), tangent), inner(pulled, v), 1 + inner(pulled, v, absolute=True)
            if np.isnan(left) and np.isfinite(right):
                self.counted.skipped("eager")        # an infinite tangent times 0, which no gradient comes through
            elif not close(np.asarray(left), np.asarray(right), 10 * self.rounding(), size):
                return self.fault("eager", "tangent", f"<w, J v> is {left} by the tangent and {right} by the gradient", k)
            for question in self.questions:
                said = self.agrees(question, k, tangent, pulled, v)
                if said:
                    return self.fault("eager", question, said, k)
                self.counted.compared("eager")
        return None

    def agrees(self, question, k, tangent, pulled, v):
        """In what an answer differs from what the tangent and the pulled weights say."""
        answer, rounding = self.ask(question, k), 10 * self.rounding(question)
        scale = self.scale(k) + self.slopes(k)
        if question == GRADIENT:
            w = weights(self.ask(VALUE, k))
            found = [np.asarray(a * w, a.dtype) for a in arrays(answer[1])]
            return differs(found, arrays(pulled), rounding=rounding, scale=scale)
        if question.startswith("tg.jac") and "every" in question:
            return differs(products(answer, arrays(self.ask(VALUE, k)), v), arrays(tangent), rounding=rounding, scale=scale)
        if question.startswith("tg.hessian("):
            rows = products(answer, [np.asarray(a) for a in self.points[k]], v)
            scale += sum([float(np.nan_to_num(np.abs(a)).sum()) for a in rows])
            return differs(rows, self.ask("twice({g}, x, v)", k), rounding=rounding, scale=scale)
        return ""

    def fault(self, way, what, said, k):
        return Fault(way, what, f"at points[{k}]: {said}", "")

    # ---- differences
    def differences(self):
        """First derivatives against differences of values, second ones against differences of first ones."""
        if self.program.detached or self.program.single:
            return None
        f, every = self.scope["f"], tuple(range(len(self.points[0])))

        def values(moved):
            return f(*map(tg.tensor, moved))

        def gradients(moved):
            return tg.grad(f, every)(*[a[()] for a in moved])
        for k, x in enumerate(self.points):
            point = [np.asarray(a, float) for a in x]
            for n in range(2):
                v = directions(point, n)
                said = self.by_differences(values, point, v, lambda moved, v=v: tg.jvp(f, moved, v)[1])
                if said:
                    return self.fault("differences", "first derivative", f"along {v} the derivative is {said}", k)
            if self.number:
                said = self.by_differences(gradients, point, directions(point), lambda moved: twice(f, moved, directions(moved)))
                if said:
                    return self.fault("differences", "second derivative", f"the Hessian times {directions(point)} is {said}", k)
        return None

    def by_differences(self, function, point, v, derivative):
        """In what a derivative along v differs from one by differences."""
        slope, error, scale = along(function, point, v)
        if not error < SMOOTH * scale:
            self.counted.skipped("differences")
            return ""
        def at(t):
            moved = tuple([(p + t * d)[()] for p, d in zip(point, directions(point, 3))])
            return np.concatenate([np.asarray(a).reshape(-1) for a in arrays(derivative(moved))] or [np.zeros(0)])

        def agrees(found, rounding=DIFFERENCES):
            return bool(np.all(np.abs(found - slope) <= 10 * error + rounding * scale))
        found = at(0.0)
        self.counted.compared("differences")
        if agrees(found):
            return ""
        if agrees(at(TINY), 10 * DIFFERENCES) and agrees(at(-TINY), 10 * DIFFERENCES):
            self.counted.skipped("differences")      # a tie at this very point, where conventions hold
            return ""
        return f"{shown(found)}, and differences say {shown(slope)} with an error of {error:.1g}"

    def single(self):
        """Results in single precision against those in double; skipped where these change much when arguments change a little."""
        double = scope_of(self.program.text.replace("float32", "float64"))
        f = double["f"]
        for k, x in enumerate(double["points"]):
            wave = [np.cos(np.arange(np.size(a)) * 7.0 + 1).reshape(np.shape(a)) for a in x]
            wanted, moved = (self.value_and_pull(f, y) for y in (x, [(a * (1 + 1e-5 * c) + 1e-6)[()] for a, c in zip(x, wave)]))
            if differs(moved, wanted, rounding=1e-3):
                self.counted.skipped("float32")
                continue
            found = [a.astype(float) for a in arrays([self.ask(VALUE, k), self.ask(OF_ALL[1], k)])]
            said = differs(found, wanted, rounding=5e-3, scale=self.scale(k))
            if said:
                return self.fault("float32", "value or derivative", said, k)
            self.counted.compared("float32")
        return None

    @staticmethod
    def value_and_pull(f, x):
        value, pull = tg.vjp(f, *x)
        return [value, pull(weights(value))]

    # ---- the slow reference
    def reference(self):
        """Value and derivatives by the slow reference, the second as well."""
        scope = {**self.scope, "tg": slow}
        exec(self.program.text.split("\npoints = ")[0], scope)
        for k, x in enumerate(self.points):
            try:
                answers = self.by_reference(scope["f"], x)
            except (slow.Unspecified, AttributeError, TypeError) as error:
                self.counted.refused("slow reference", f"{type(error).__name__} {error}")
                return None
            except RuntimeError as error:    # of a value that was overwritten: then eager execution refuses, too
                if "overwritten in place" not in str(error):
                    raise
                self.ask(GRADIENT, k)
                return self.fault("slow reference", "overwritten value", f"{error}, which eager execution does not say", k)
            if answers is None:
                return None
            if slow.STATE.fragile or not np.isfinite(slow.STATE.largest):    # there 0 times infinity is a convention, too
                self.counted.skipped("slow reference")
                continue
            first, second = answers
            value, gradients = self.ask(GRADIENT, k)
            found, scale = [np.asarray(value), *arrays(gradients)], slow.STATE.largest * 10
            said = differs(found, first, rounding=self.rounding(), scale=scale)
            if said:
                return self.fault("slow reference", "first derivative", said, k)
            said = differs(self.ask("twice({g}, x, v)", k), second, rounding=self.rounding("twice"), scale=scale)
            if said:
                return self.fault("slow reference", "second derivative", said, k)
            self.counted.compared("slow reference")
        return None

    @staticmethod
    def by_reference(f, x):
        """(value and gradients, Hessian times v), None for what is not a number."""
        def values(gradients):
            return [np.zeros(np.shape(a), np.asarray(a).dtype) if g is None else g.value for a, g in zip(x, gradients)]
        slow.reset()
        leaves = [slow.tensor(a, dtype=np.asarray(a).dtype, requires_grad=True) for a in x]
        y, first, second = f(*leaves), [None] * len(x), [None] * len(x)
        if not (isinstance(y, slow.Tensor) and y.ndim == 0):
            return None
        if y.requires_grad:
            first = slow.grad(y, leaves, create_graph=True, allow_unused=True)
        total = sum([(g * slow.tensor(v, dtype=g.dtype)).sum() for g, v in zip(first, directions(x)) if g is not None])
        if isinstance(total, slow.Tensor) and total.requires_grad:
            second = slow.grad(total, leaves, allow_unused=True)
        return [y.value, *values(first)], values(second)

    def script(self, way, question, k):
        """Lines that show a fault, where there is more to say than the question."""
        return ""
