"""Ways to run functions of arrays: eagerly, by the slow reference, replayed, by machine code, in batches, as a tape. Eager results are
compared with the slow reference and with differences, all others with eager ones."""
import contextlib
import functools
import random
import re
import warnings

import numpy as np

import tapegrad as tg

from ..._jit import llvm
from ...transforms.trees import ends, filled
from . import slow
from .compare import ROUNDING, SMOOTH, along, arrays, differs, directions, inner, shown
from .report import Fault

# What is asked of a function g of the arguments x: v are directions, w weights of the value, `every` the numbers of the arguments
VALUE, GRADIENT = "tg.vjp({g}, *x)[0]", "tg.value_and_grad({g}, every)(*x)"
OF_NUMBERS = [GRADIENT, GRADIENT, "tg.grad({g})(*x)", "tg.hessian_vector_product({g})(*x, v[0])", "tg.hessian({g}, every)(*x)",
              "in_graph({g}, x)", "twice({g}, x, v)"]
OF_ALL = ["tg.jvp({g}, x, v)", "tg.vjp({g}, *x)[1](w)", "tg.jacobian({g}, every)(*x)", "tg.jacfwd({g}, every)(*x)", "tg.jacrev({g})(*x)"]
MANY = 10                                    # elements of arguments from which on there is no Hessian
MADE = {
    "replayed": 'g = tg.compile(f, tier="interpreter")',
    "machine code": 'g = tg.compile(f, tier="machine")',
    "called often": 'g = tg.compile(f, tier="machine")',
    "checkpoint": "g = tg.checkpoint(f)",
    "tape": "g = tg.record(f, *points[0])",
    "saved tape": "import pickle\ng = pickle.loads(pickle.dumps(tg.record(f, *points[0])))",
    "compiled inside": "h = tg.compile(f)\ng = tg.compile(lambda *x: h(*x))",
    "batch, replayed": 'g = tg.compile(f, tier="interpreter")',
    "batch, machine code": 'g = tg.compile(f, tier="machine")',
}
# Shares of programs, by what a way costs
WAYS = {"replayed": 0.5, "machine code": 0.5, "called often": 0.1, "checkpoint": 0.2, "tape": 0.2, "saved tape": 0.1, "compiled inside": 0.2,
        "batch, replayed": 0.1, "batch, machine code": 0.25}
BATCHES = "batch, replayed", "batch, machine code"
OF_BATCHES = {"{g}": VALUE, "tg.grad({g}, every)": "tg.grad({g}, every)(*x)", "tg.value_and_grad({g}, every)": GRADIENT,
              "tg.jacobian({g})": "tg.jacobian({g})(*x)"}
VISITS = (0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 1, 0)    # points in turn: a path is trusted when it was recorded twice
OFTEN = 300                                  # calls until a function is entered without Python, and more
SAMPLES = 19                                 # of a batch: registers that are full, and some left over


def in_graph(g, x):
    """Gradients through a graph that `g` is one operation of."""
    leaves = [tg.tensor(a, requires_grad=True) for a in x]
    y = g(*[leaf * 1.0 for leaf in leaves])
    return tg.autograd.grad(y * y, leaves, tg.ones_like(y), materialize_grads=True)


def twice(g, x, v):
    """Gradients of the product of the gradient and v."""
    leaves = [tg.tensor(a, requires_grad=True) for a in x]
    first = tg.autograd.grad(g(*leaves), leaves, create_graph=True, materialize_grads=True)
    total = sum([(one * tg.tensor(some)).sum() for one, some in zip(first, v)])
    if not total.requires_grad:
        return [tg.zeros_like(leaf) for leaf in leaves]
    return tg.autograd.grad(total, leaves, materialize_grads=True)


@contextlib.contextmanager
def unkept():
    """Machine code is compiled anew, and not written to the disk: what is drawn never comes again."""
    read, write = llvm._read, llvm._write
    llvm._read, llvm._write = lambda stamp: None, lambda *kept: None
    try:
        yield
    finally:
        llvm._read, llvm._write = read, write


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
    return [np.asarray(sum([next(blocks).reshape((*value.shape, -1)) @ np.reshape(one, -1) for one in v]), value.dtype) for value in values]


class Check:
    """One program, compared in every way. `only`: the key of the fault that is looked for, while the program shrinks."""

    def __init__(self, program, counted, only=None):
        self.program, self.counted, self.only = program, counted, only
        self.scope = scope_of(program.text)
        self.points = self.scope["points"]
        self.asked = {}                      # (question, point) -> what eager execution gives
        self.drawn = random.Random(program.text)

    def faults(self):
        with warnings.catch_warnings(), np.errstate(all="ignore"), unkept():
            warnings.simplefilter("ignore")
            kept = tg.get_default_dtype()
            try:
                for name, part in self.parts():
                    if self.only is None or self.only[0] == name:
                        fault = self.guarded(name, part)
                        if fault is not None:
                            yield fault
            finally:
                tg.set_default_dtype(kept)

    def parts(self):
        """(name, what looks for a fault): those that are drawn for this program, or the one that is asked for."""
        yield "eager", self.eager
        yield "differences", self.differences
        if self.program.single:
            yield "float32", self.single
        if self.program.plain:
            yield "slow reference", self.reference
        for way, share in WAYS.items():
            if self.only is not None or self.drawn.random() < share:
                yield way, functools.partial(self.batch if way in BATCHES else self.replays, way)

    def guarded(self, name, part):
        """A fault, where something raises that should not."""
        self.question = ""
        try:
            return part()
        except Exception as error:
            if isinstance(error, NotImplementedError) or "overwritten in place since" in str(error):
                self.counted.refused(name, str(error))
                return None
            what = f"{type(error).__name__} from {self.question or name}"
            return Fault(name, what, str(error)[:300], self.script(name, self.question, 0) if name in WAYS else "")

    # ---- eager results
    @property
    def number(self):
        """Whether the value is one number."""
        value = arrays(self.ask(VALUE, 0))
        return len(value) == 1 and value[0].size == 1 and value[0].ndim == 0

    @functools.cached_property
    def questions(self):
        """The value, and some others: different ones for different programs. While it shrinks, that which the fault was seen by."""
        size = sum([np.size(a) for a in self.points[0]])
        found = list(dict.fromkeys((VALUE, *(OF_NUMBERS if self.number else ()), *OF_ALL)))
        found = [q for q in found if "hessian(" not in q or size <= MANY]
        if not np.size(self.points[0][0]):
            found = [q for q in found if "hessian" not in q]
        if self.only is not None:
            return [q for q in found if q in self.only[1]] or found
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
            self.asked[key] = self.evaluate(question, self.scope["f"], self.points[k] if point is None else point)
        return self.asked[key]

    def rounding(self, question):
        """Relative to the largest of the answer; second derivatives lose more."""
        again = any([word in question for word in ("hess", "twice")])
        return ROUNDING["float32" if self.program.single else "float64"] * (100 if again else 1)

    def scale(self, k):
        """What digits of small results are lost to: the size of the value and of first derivatives."""
        known = [np.abs(a).max(initial=0) for a in arrays(self.ask(VALUE, k))]
        return max([1.0, *[float(a) for a in known if np.isfinite(a)]])

    def eager(self):
        """Answers agree among each other: products with derivatives, forward and backward."""
        f = self.scope["f"]
        for k, x in enumerate(self.points):
            plain = f(*[tg.tensor(a) for a in x])
            said = differs([np.asarray(a) for a in arrays(plain)], arrays(self.ask(VALUE, k)), rounding=self.rounding(""), scale=self.scale(k))
            if said and not self.program.detached:
                return self.fault("eager", "unrecorded value", f"f of tensors without grad gives {said}", k)
            self.counted.compared("eager")
            tangent, v = self.ask(OF_ALL[0], k)[1], directions(x)
            pulled = self.ask(OF_ALL[1], k)
            left, right = inner(weights(self.ask(VALUE, k)), tangent), inner(pulled, v)
            size = 1 + sum([float(np.abs(a * b).sum()) for a, b in zip(arrays(pulled), arrays(v))])
            if np.isfinite(left) and np.isfinite(right) and np.isfinite(size) and abs(left - right) > self.rounding("") * 10 * size:
                return self.fault("eager", "tangent", f"<w, J v> is {left} by the tangent and {right} by the gradient", k)
            if np.isfinite(left) != np.isfinite(right):
                return self.fault("eager", "finite", f"<w, J v> is {left} by the tangent and {right} by the gradient", k)
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
            return differs([np.asarray(a * w, a.dtype) for a in arrays(answer[1])], arrays(pulled), rounding=rounding, scale=scale)
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
        f = self.scope["f"]
        for k, x in enumerate(self.points):
            point = [np.asarray(a, float) for a in x]
            for n in range(2):
                v = [np.asarray(a, float) for a in directions(x, n)]
                slope, error, scale = along(lambda moved: f(*[tg.tensor(a) for a in moved]), point, v)
                if not error < SMOOTH * scale:
                    self.counted.skipped("differences")
                    continue
                tangent = tg.jvp(f, tuple(x), tuple([a[()] for a in v]))[1]
                tangent = np.concatenate([np.asarray(a).reshape(-1) for a in arrays(tangent)] or [np.zeros(0)])
                if not np.all(np.abs(tangent - slope) <= 10 * error + 1e-6 * scale):
                    return self.fault("differences", "first derivative", f"along {shown(np.concatenate([a.reshape(-1) for a in v]))} the "
                                      f"derivative is {shown(tangent)}, and differences say {shown(slope)} with an error of {error:.1g}", k)
                self.counted.compared("differences")
            if self.number:
                fault = self.second_differences(f, k, x, point)
                if fault is not None:
                    return fault
        return None

    def second_differences(self, f, k, x, point):
        every, v = tuple(range(len(x))), [np.asarray(a, float) for a in directions(x)]
        slope, error, scale = along(lambda moved: tg.grad(f, every)(*[a[()] for a in moved]), point, v)
        if not error < SMOOTH * scale:
            self.counted.skipped("differences")
            return None
        product = self.ask("twice({g}, x, v)", k)
        product = np.concatenate([np.asarray(a).reshape(-1) for a in arrays(product)] or [np.zeros(0)])
        if not np.all(np.abs(product - slope) <= 10 * error + 1e-5 * scale):
            return self.fault("differences", "second derivative", f"the Hessian times v is {shown(product)}, and differences of gradients "
                              f"say {shown(slope)} with an error of {error:.1g}", k)
        self.counted.compared("differences")
        return None

    def single(self):
        """Results in single precision against those in double; skipped where these change much when arguments change a little."""
        double = scope_of(self.program.text.replace("float32", "float64"))
        for k, x in enumerate(self.points):
            wanted = [tg.vjp(double["f"], *y) for y in (double["points"][k],)][0]
            answers = [wanted[0], wanted[1](weights(wanted[0]))]
            found = [self.ask(VALUE, k), self.ask(OF_ALL[1], k)]
            moved = [np.asarray(a * (1 + 1e-5 * np.cos(np.arange(np.size(a)) * 7.0 + 1).reshape(np.shape(a))) + 1e-6)[()]
                     for a in double["points"][k]]
            again = tg.vjp(double["f"], *moved)
            changed = [again[0], again[1](weights(wanted[0]))]
            if differs(changed, answers, rounding=1e-3):
                self.counted.skipped("float32")
                continue
            said = differs([a.astype(float) for a in arrays(found)], answers, rounding=5e-3, scale=self.scale(k))
            if said:
                return self.fault("float32", "value or derivative", said, k)
            self.counted.compared("float32")
        return None

    # ---- the slow reference
    def reference(self):
        """Value and derivatives by the slow reference, the second as well."""
        scope = {**self.scope, "tg": slow}
        exec(re.split(r"^points = ", self.program.text, flags=re.M)[0], scope)
        for k, x in enumerate(self.points):
            slow.reset()
            try:
                leaves = [slow.tensor(a, dtype=np.asarray(a).dtype, requires_grad=True) for a in x]
                y = scope["f"](*leaves)
                if not (isinstance(y, slow.Tensor) and y.ndim == 0):
                    return None
                first = [g for g in slow.grad(y, leaves, create_graph=True, allow_unused=True)] if y.requires_grad else [None] * len(x)
                total = sum([(g * slow.tensor(some, dtype=g.dtype)).sum() for g, some in zip(first, directions(x)) if g is not None])
                second = [None] * len(x)
                if isinstance(total, slow.Tensor) and total.requires_grad:
                    second = slow.grad(total, leaves, allow_unused=True)
            except (slow.Unspecified, AttributeError, TypeError) as error:
                self.counted.refused("slow reference", f"{type(error).__name__} {error}")
                return None
            if slow.STATE.fragile:
                self.counted.skipped("slow reference")
                continue
            wanted = [y.value, *[np.zeros(np.shape(a), np.asarray(a).dtype) if g is None else g.value for a, g in zip(x, first)]]
            value, gradients = self.ask(GRADIENT, k)
            said = differs([np.asarray(value), *arrays(gradients)], wanted, rounding=self.rounding(""), scale=slow.STATE.largest * 10)
            if said:
                return self.fault("slow reference", "first derivative", said, k)
            wanted = [np.zeros(np.shape(a), np.asarray(a).dtype) if g is None else g.value for a, g in zip(x, second)]
            said = differs(self.ask("twice({g}, x, v)", k), wanted, rounding=self.rounding("twice"), scale=slow.STATE.largest * 10)
            if said and not self.program.detached:
                return self.fault("slow reference", "second derivative", said, k)
            self.counted.compared("slow reference")
        return None

    # ---- replays
    def script(self, way, question, k, visits=()):
        """Lines that show it."""
        lines = [MADE[way]]
        used = [name for name in ("in_graph", "twice") if name in question]
        if used:
            lines.insert(0, f"from tapegrad.testing.fuzz.ways import {', '.join(used)}")
        if "v" in question or "(w)" in question:
            lines.insert(0, "from tapegrad.testing.fuzz.compare import directions")
        setting = ["every = tuple(range(len(points[0])))", f"for k in {list(visits) or [k]}:", "    x = points[k]"]
        if re.search(r"\bv\b", question):
            setting.append("    v = directions(x)")
        if "(w)" in question:
            lines.insert(0, "from tapegrad.testing.fuzz.ways import weights")
            setting.append("    w = weights(tg.vjp(f, *x)[0])")
        return "\n".join([*lines, *setting, f"    found = {question.format(g='g')}", f"print(found, {question.format(g='f')})"])

    def replays(self, way):
        for question in self.questions:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                fault = self.replay(way, question)
            if fault is not None:
                return fault
            refusal = next((str(w.message) for w in said if " eagerly: " in str(w.message)), None)
            if refusal is not None:
                self.counted.refused(way, refusal.split(" eagerly: ")[1])
                return None
            broken = next((str(w.message) for w in said if "no machine code could be made" in str(w.message)), None)
            if broken is not None:
                return Fault(way, f"machine code of {question}", broken, self.script(way, question, 0, VISITS))
        return None

    def made(self, way):
        names = dict(self.scope)
        try:
            exec(MADE[way], names)
        except RuntimeError as error:
            if "tape" in way and "can't be replayed" in str(error):
                raise NotImplementedError(str(error).split("replayed:")[1]) from None
            raise
        return names["g"]

    def replay(self, way, question):
        g = self.made(way)
        visits = VISITS if way in ("replayed", "machine code", "compiled inside") else (0, 1, 2)
        if way == "called often":
            visits = (*[0] * OFTEN, 1, 0, 1, 2, *[1] * 3, 0)
        for n, k in enumerate(visits):
            k = min(k, len(self.points) - 1)
            if not (way == "called often" and 3 < n < OFTEN - 3):
                wanted = self.ask(question, k)
            try:
                found = self.evaluate(question, g, self.points[k])
            except RuntimeError as error:
                if "tape" in way and "takes another way" in str(error) and k:
                    continue
                raise
            if way == "called often" and 3 < n < OFTEN - 3:
                continue
            said = differs(found, wanted, question == VALUE, self.rounding(question), self.scale(k) + self.slopes(k))
            if not said and question == GRADIENT:
                said = differs(found[0], wanted[0], True)
            if said:
                return Fault(way, question, f"at points[{k}], visit {n}: {said}", self.script(way, question, k, visits[:n + 1]))
            self.counted.compared(way)
        return None

    def slopes(self, k):
        """The size of first derivatives."""
        sizes = [float(np.abs(a).max(initial=0)) for a in arrays(self.ask(OF_ALL[1], k))]
        return sum([size for size in sizes if np.isfinite(size)])

    # ---- batches
    def batch(self, way):
        """Samples near the points, one after the other, against all at once."""
        if self.program.detached:
            return None
        samples = [tuple([np.asarray(a * (1 + 0.01 * j), np.asarray(a).dtype)[()] for a in self.points[j % len(self.points)]])
                   for j in range(SAMPLES)]
        stacked = [np.stack([np.asarray(s[n]) for s in samples]) for n in range(len(samples[0]))]
        questions = [q for q in OF_BATCHES if self.number or "grad" not in q]
        for batched in questions if self.only is None else [q for q in questions if q in self.only[1] or "from" in self.only[1]]:
            g = self.made(way)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                self.question = batched
                names = {"tg": tg, "g": g, "every": tuple(range(len(stacked)))}
                for _ in range(2):
                    found = tg.vmap(eval(batched.format(g="g"), names))(*stacked)
            refusal = next((str(w.message) for w in said if " eagerly: " in str(w.message)), None)
            if refusal is not None:
                self.counted.refused(way, refusal.split(" eagerly: ")[1])
                return None
            question = OF_BATCHES[batched]
            for j in (0, 1, 2, 7, SAMPLES - 1):
                sample = [float(a) if np.ndim(a) == 0 and not self.program.single else a for a in samples[j]]
                wanted = self.evaluate(question, self.scope["f"], sample)
                one = [a[j] for a in arrays(found)]
                difference = differs(one, wanted, question == VALUE, self.rounding(question), 1 + sum(
                    [float(np.nan_to_num(np.abs(a)).max(initial=0)) for a in arrays(wanted)]))
                if difference:
                    return Fault(way, batched, f"sample {j}: {difference}", self.batch_script(way, batched, question, j))
                self.counted.compared(way)
        return None

    def batch_script(self, way, batched, question, j):
        lines = [MADE[way], "every = tuple(range(len(points[0])))",
                 f"samples = [tuple([np.asarray(a * (1 + 0.01 * j), np.asarray(a).dtype)[()] for a in points[j % len(points)]]) for j in range({SAMPLES})]",
                 "stacked = [np.stack(arrays) for arrays in zip(*samples)]",
                 f"found = tg.vmap({batched.format(g='g')})(*stacked)", f"x = samples[{j}]",
                 f"print([a[{j}] for a in (found if isinstance(found, tuple) else [found])], {question.format(g='f')})"]
        return "\n".join(lines)


def check(program, counted, only=None):
    """The faults of a program, one for each way."""
    return list(Check(program, counted, only).faults())
