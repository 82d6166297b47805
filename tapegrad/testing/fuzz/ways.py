"""Ways to run functions of arrays other than eagerly: replayed, in machine code, in batches, as a tape. What they give is
compared with what eager execution gives."""
import contextlib
import functools
import re
import warnings

import numpy as np

import tapegrad as tg

from ..._jit import llvm
from .compare import arrays, differs
from .eager import GRADIENT, OF_ALL, RECORDED, VALUE, Eager
from .report import Fault

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
WAYS = {"replayed": 0.5, "machine code": 0.5, "called often": 0.1, "checkpoint": 0.2, "tape": 0.2, "saved tape": 0.1,
        "compiled inside": 0.2, "batch, replayed": 0.1, "batch, machine code": 0.25}
BATCHES = "batch, replayed", "batch, machine code"
OF_BATCHES = {"{g}": VALUE, "tg.grad({g}, every)": "tg.grad({g}, every)(*x)", "tg.value_and_grad({g}, every)": GRADIENT,
              "tg.jacobian({g})": "tg.jacobian({g})(*x)"}
VISITS = (0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 1, 0)    # points in turn: a path is trusted when it was recorded twice
OFTEN = 300                                  # calls until a function is entered without Python, and more
SAMPLES = 19                                 # of a batch: registers that are full, and some left over



@contextlib.contextmanager
def unkept():
    """Machine code is compiled anew, and not written to the disk: what is drawn never comes again."""
    read, write = llvm._read, llvm._write
    llvm._read, llvm._write = lambda stamp: None, lambda *kept: None
    try:
        yield
    finally:
        llvm._read, llvm._write = read, write


def samples_of(points, count):
    """Arguments near the points, which take turns."""
    def near(j):
        return tuple([np.asarray(a * (1 + 0.01 * j), np.asarray(a).dtype)[()] for a in points[j % len(points)]])
    return [near(j) for j in range(count)]


class Check(Eager):
    """One program in every way."""

    def faults(self):
        with unkept():
            yield from super().faults()

    def parts(self):
        yield from super().parts()
        for way, share in WAYS.items():
            if self.only is not None or self.drawn.random() < share:
                yield way, functools.partial(self.batch if way in BATCHES else self.replays, way)

    # ---- replays
    def script(self, way, question, k, visits=()):
        if way not in MADE or not question:      # without a question it could not even be made
            return MADE.get(way, "")
        lines = [MADE[way]]
        used = [name for name in ("in_graph", "twice") if name in question]
        if used:
            lines.insert(0, f"from tapegrad.testing.fuzz.eager import {', '.join(used)}")
        if "v" in question or "(w)" in question:
            lines.insert(0, "from tapegrad.testing.fuzz.compare import directions")
        setting = ["every = tuple(range(len(points[0])))", f"for k in {list(visits) or [k]}:", "    x = points[k]"]
        if re.search(r"\bv\b", question):
            setting.append("    v = directions(x)")
        if "(w)" in question:
            lines.insert(0, "from tapegrad.testing.fuzz.eager import weights")
            setting.append("    w = weights(tg.vjp(f, *x)[0])")
        return "\n".join([*lines, *setting, f"    found = {question.format(g='g')}",
                          f"print(found, {RECORDED.format(g='f') if question == VALUE else question.format(g='f')})"])

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
            exact = question == VALUE and way != "checkpoint"    # which calls the function, and NumPy computes of arrays
            said = differs(found, wanted, exact, self.rounding(question), self.scale(k) + self.slopes(k))
            if not said and question == GRADIENT and way != "checkpoint":
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
        samples = samples_of(self.points, SAMPLES)
        stacked = [np.stack([np.asarray(s[n]) for s in samples]) for n in range(len(samples[0]))]
        questions = [q for q in OF_BATCHES if self.number or "grad" not in q]
        if self.only is not None:
            questions = [q for q in questions if q == self.only[1] or f"from {q}" in self.only[1]]
        for batched in questions:
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
                wanted = self.evaluate(RECORDED if question == VALUE else question, self.scope["f"], sample)
                one = [a[j] for a in arrays(found)]
                difference = differs(one, wanted, question == VALUE, self.rounding(question), 1 + sum(
                    [float(np.nan_to_num(np.abs(a)).max(initial=0)) for a in arrays(wanted)]))
                if difference:
                    return Fault(way, batched, f"sample {j}: {difference}", self.batch_script(way, batched, question, j))
                self.counted.compared(way)
        return None

    def batch_script(self, way, batched, question, j):
        lines = ["from tapegrad.testing.fuzz.ways import samples_of", MADE[way], "every = tuple(range(len(points[0])))",
                 f"samples = samples_of(points, {SAMPLES})", "stacked = [np.stack(arrays) for arrays in zip(*samples)]",
                 f"found = tg.vmap({batched.format(g='g')})(*stacked)", f"x = samples[{j}]",
                 f"print([a[{j}] for a in (found if isinstance(found, tuple) else [found])], {question.format(g='f')})"]
        return "\n".join(lines)


def check(program, counted, only=None):
    """The faults of a program, one for each way."""
    return list(Check(program, counted, only).faults())
