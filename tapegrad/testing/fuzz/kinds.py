"""The kinds of programs: how each is drawn, checked and made smaller."""
import ast
import random

import tapegrad as tg

from . import facade, functions, native, slow, statements, ways
from .choices import Choices
from .report import Fault
from .shrink import shrunk


class Facade:
    """Statements on tensors that require grad, against the slow reference."""
    name, share = "facade", 1.0
    imports = "import tapegrad as tg\nfrom tapegrad import softplus\n\nseen = []"

    @staticmethod
    def draw(choices):
        return statements.Writer(choices).write(choices.integer(1, 20))

    @staticmethod
    def check(program, counted, only=None):
        try:
            found = list(facade.differences(program, tg))
        except slow.Unspecified:
            return []
        if only is not None and slow.STATE.fragile:
            return []
        counted.compared("slow reference")
        return [Fault("eager", facade.kind_of(line), line) for line in found]

    @staticmethod
    def replaced(program, text):
        return program.replaced([ast.unparse(statement) for statement in ast.parse(text).body])


class Functions:
    """Functions of arrays and numbers, in every way that they can run."""
    name, share = "functions", 2.0
    imports = "import numpy as np\nimport tapegrad as tg\n"
    draw, check = staticmethod(functions.draw), staticmethod(ways.check)

    @staticmethod
    def replaced(program, text):
        return program.replaced(text)


class Native:
    """Scalar programs, compiled by Numba, and the same text on tensors."""
    name, share = "native", 1.0
    imports = "import math\nimport numba\nimport numpy as np\nimport tapegrad as tg\n\nnjit = numba.njit"
    draw, check = staticmethod(native.draw_program), staticmethod(native.check)

    @staticmethod
    def replaced(program, text):
        return program.replaced(text)


KINDS = {kind.name: kind for kind in (Facade, Functions, Native)}


class Silent:
    """Counts nothing, while a program shrinks."""
    any = False

    def compared(self, *what):
        pass

    skipped = refused = compared


def drawn(kind, seed):
    """The program of a seed, which may be text."""
    return kind.draw(Choices(random.Random(seed).randint))


def smallest(kind, program, fault, seconds):
    """The fault again, and the smallest program found that has it."""
    def faults(text):
        try:
            return [f for f in kind.check(kind.replaced(program, text), Silent(), fault.key) if f.key == fault.key]
        except Exception:                    # no program
            return []
    text = shrunk(program.text, faults, seconds)
    return (faults(text) or [fault])[0], text


def told(kind, text, fault):
    """A fault as text, with the program, to be pasted."""
    said = [f"{fault.way}: {fault.what}", fault.said]
    return "\n".join(["# " + line for part in said for line in part.splitlines()]) + f"\n{kind.imports}\n\n{text}\n" + (
        f"\n{fault.script}\n" if fault.script else "")
