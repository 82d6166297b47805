"""Draws programs for the façade: statements that make tensors, write into them, hang hooks on them and go backward.

A program is Python text over `tg`, drawn one statement at a time while the slow reference runs it, so that a draw knows shapes
and values: it stays in domains, away from kinks, and knows which statements raise.
"""
import numpy as np

from . import slow

LARGEST = {False: 1e6, True: 1e3}            # by "has float32": beyond, rounding decides too much
MOST_ELEMENTS = 64


class Program:
    """Statements, the tensors to compare at the end, and whether the last statement raises RuntimeError.

    Of second order: gradients went into the graph, and which constants are in there is not compared.
    """

    def __init__(self, statements, names, fails=False, second_order=False):
        self.statements, self.names, self.fails, self.second_order = statements, names, fails, second_order

    def __repr__(self):
        last = "  # RuntimeError" if self.fails else ""
        return "\n" + "\n".join(self.statements) + last + "\n"

    @property
    def text(self):
        return "\n".join(self.statements)

    def replaced(self, statements):
        """The same with other statements, for shrinking."""
        return Program(statements, self.names, self.fails, self.second_order)


def start(module):
    """The names that a program starts with."""
    softplus = getattr(module, "softplus", None) or module.nn.functional.softplus
    return {"tg": module, "softplus": softplus, "seen": []}


# Where an argument may lie, and the expression that brings any other argument there.
UNARY = {
    **dict.fromkeys(["sin", "cos", "tanh", "sigmoid", "arctan", "relu", "abs", "square"], (-50, 50, "{}.tanh()")),
    **dict.fromkeys(["exp", "expm1", "sinh", "cosh"], (-4, 4, "({}.tanh() * 2.0)")),
    **dict.fromkeys(["log", "sqrt"], (0.2, 1e4, "({}.square() + 0.5)")),
    **dict.fromkeys(["arcsin", "arccos"], (-0.9, 0.9, "({}.tanh() * 0.75)")),
    "log1p": (-0.8, 1e4, "{}.square()"),
    "tan": (-1.2, 1.2, "{}.sin()"),
    "softplus": (-15, 15, "{}.sin()"),
}
NONZERO, POSITIVE = "({}.square() + 0.5)", (0.2, 20, "({}.square() + 0.5)")
SCALARS = ["0.5", "-1.5", "2.0", "3.0", "-0.25"]


class Writer:
    """Draws statements and runs each on the oracle; `names` are the tensors that a next statement may use."""

    def __init__(self, choices):
        self.choose, self.chance, self.integer, self.integers = choices.choose, choices.chance, choices.integer, choices.integers
        self.statements, self.names, self.handles = [], [], []
        self.count, self.fails, self.second_order = 0, False, False
        self.shape = tuple([self.choose([2, 3, 3, 4, 1, 0]) for _ in range(self.integer(0, 3))])
        self.single = self.chance(6)  # some programs have float32 too
        self.replay()

    # ---- the oracle at our side
    def replay(self):
        """Run what was kept, from the start: a statement that is dropped may have written in place."""
        slow.reset()
        self.namespace = start(slow)
        for statement in self.statements:
            exec(statement, self.namespace)

    def attempt(self, statement, *names, may_fail=True):
        """Keep the statement if its result is well conditioned; keep a RuntimeError sometimes, as the end."""
        if statement is None or self.fails:
            return
        try:
            exec(statement, self.namespace)
            keep = not slow.STATE.fragile and slow.STATE.largest < LARGEST[self.single]
        except slow.Unspecified:
            keep = False
        except RuntimeError:
            keep = self.fails = may_fail and not self.second_order and self.chance(2)
        if keep:
            self.statements.append(statement)
            self.names += [n for n in names if n in self.namespace]
        else:
            self.replay()

    def __getitem__(self, name):
        return self.namespace[name]

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    # ---- choices
    def pick(self, condition=lambda x: True):
        """A name, more often a late one; None if no tensor has the property."""
        names = [n for n in self.names if condition(self[n])]
        return names[-1 - self.integer(0, 3 if self.chance(2) else 9) % len(names)] if names else None

    def partner(self, name):
        """A tensor that broadcasts with the named one; itself, if need be."""
        shape = self[name].shape

        def fits(y):
            try:
                return np.prod(np.broadcast_shapes(shape, y.shape)) <= MOST_ELEMENTS
            except ValueError:
                return False

        return self.pick(fits) or name

    def guest(self, shape):
        """A tensor that broadcasts into the shape, or None."""

        def fits(y):
            tail = shape[len(shape) - y.ndim :] if y.ndim <= len(shape) else None
            return tail is not None and all(n in (1, m) for n, m in zip(y.shape, tail, strict=True))

        return self.pick(fits)

    def inside(self, name, lo, hi, otherwise):
        value = self[name].value
        return name if np.all((value >= lo) & (value <= hi)) else otherwise.format(name)

    def operand(self, name):
        return self.choose(SCALARS) if self.chance(4) else self.partner(name) or self.choose(SCALARS)

    def divisor(self, operand):
        return operand if operand in SCALARS or np.all(np.abs(self[operand].value) > 0.2) else NONZERO.format(operand)

    def index(self, name, basic=False):
        """The text between the brackets; with an array in it the result is a copy."""
        parts, arrays = [], 0
        for n in self[name].shape[: self.integer(1, 3)]:
            kind = self.choose(["number", "slice", "all", "none", "list", "step"])
            if kind == "number" and n:
                parts.append(str(self.integer(-n, n - 1)))
            elif kind == "list" and n and not basic and not arrays:
                arrays = 1
                parts.append(str(self.integers(-n, n - 1, self.integer(1, 3))))
            elif kind == "step":
                parts.append("::2")
            elif kind == "slice":
                parts.append(f"{self.integer(0, n)}:")
            else:
                parts.append("None, :" if kind == "none" and len(self[name].shape) < 3 else ":")
        if arrays:  # NumPy and PyTorch disagree where a number and an array index together
            parts = [p if p[0] == "[" or (p.endswith(":") and p[0] != "N") else ":" for p in parts]
        return ", ".join(parts) or "..."

    # ---- statements that make a tensor
    def leaf(self):
        shape = self.shape[self.integer(0, len(self.shape)) :]
        shape = tuple(1 if self.chance(5) else n for n in shape)
        count = int(np.prod(shape))
        most = self.choose([8, 8, 4, 1])  # few different values: ties and zeros
        values = self.integers(-most, most, count)
        data = (np.asarray(values, float) / 4).reshape(shape).tolist()
        options = (", dtype=tg.float32" if self.single and self.chance(2) else "") + (
            ", requires_grad=True" if not self.chance(4) else ""
        )
        if 0 in shape:  # a list cannot tell (0, 3) from (0,)
            return f"tg.tensor([]{options.replace(', requires_grad=True', '')}).reshape{shape}"
        return f"tg.tensor({data}{options})"

    def unary(self):
        x, f = self.pick(), self.choose(UNARY)
        x = self.inside(x, *UNARY[f])
        return f"softplus({x})" if f == "softplus" else f"{x}.{f}()" if self.chance(2) else f"tg.{f}({x})"

    def binary(self):
        x, f = self.pick(), self.choose("+-*/")
        y = self.operand(x)
        if self.chance(8):
            return f"{self.choose(SCALARS)} {self.choose('+-*')} {x}"
        return f"{x} {f} {self.divisor(y) if f == '/' else y}"

    def power(self):
        x = self.pick()
        kind = self.choose(["number", "tensor", "base", "fraction"])
        if kind == "number":
            return f"{x} ** {self.choose([0, 1, 2, 3])}"
        if kind == "base":
            return f"2.0 ** {self.inside(x, -4, 4, '{}.tanh()')}"
        if kind == "fraction":
            return f"{self.inside(x, *POSITIVE)} ** {self.choose([0.5, -1, -2.0, 1.5])}"
        return f"{self.inside(x, *POSITIVE)} ** {self.inside(self.partner(x), -4, 4, '{}.tanh()')}"

    def two_argument(self):
        x = self.pick()
        y, f = self.partner(x), self.choose(["maximum", "minimum", "arctan2", "where"])
        if f == "arctan2":
            return f"tg.arctan2({x}, {NONZERO.format(y)})"
        if f == "where":
            return f"tg.where({x} > {self.choose(SCALARS)}, {x}, {y})"
        return f"tg.{f}({x}, {y})"

    def clamp(self):
        return f"{self.pick()}.clamp({self.choose(['-0.5, 0.75', 'min=-0.5', 'max=1.0'])})"

    def reduction(self):
        f = self.choose(["sum", "mean", "max", "min", "amax", "amin", "sum"])
        x = self.pick(lambda x: x.value.size or f == "sum")
        if x is None:
            return None
        d = None if not self[x].ndim or self.chance(3) else self.choose(range(-self[x].ndim, self[x].ndim))
        keep = ", keepdim=True" if d is not None and self.chance(3) else ""
        if d is None:
            return f"{x}.{f}()"
        return f"{x}.{f}({d}{keep})" + (".values" if f in ("max", "min") else "")

    def view(self):
        x = self.pick()
        shape, d = self[x].shape, len(self[x].shape)
        kind = self.choose(["T", "transpose", "reshape", "unsqueeze", "squeeze", "expand", "index", "index", "index"])
        if kind == "T" and d == 2:
            return f"{x}.T"
        if kind == "transpose" and d > 1:
            return f"{x}.transpose({self.choose(range(d))}, -1)"
        if kind == "reshape":
            n = int(np.prod(shape))
            pairs = [(a, n // a) for a in (1, 2, 3, 4) if n and n % a == 0]
            return f"{x}.reshape({', '.join(map(str, self.choose([(n,), *pairs, shape or (1,)])))})"
        if kind == "unsqueeze" and d < 3:
            return f"{x}.unsqueeze({self.integer(-1, d)})"
        if kind == "squeeze":
            return f"{x}.squeeze({self.choose(['', *range(d)])})"
        if kind == "expand" and np.prod(shape) * 3 <= MOST_ELEMENTS:
            larger = [3 if n == 1 and self.chance(2) else n for n in shape]
            larger = [2, *larger] if d < 3 and self.chance(2) else larger
            return (
                f"tg.broadcast_to({x}, {tuple(larger)})" if self.chance(2) or not larger else f"{x}.expand({str(larger)[1:-1]})"
            )
        return f"{x}[{self.index(x)}]" if d else f"{x}.reshape(1)"

    def mask(self):
        x = self.pick(lambda x: x.ndim)
        return x and f"{x}[{x} > {self.choose(SCALARS)}]"

    def join(self):
        x = self.pick()
        shape = self[x].shape
        xs = ", ".join([x, self.pick(lambda y: y.shape == shape), x][: self.integer(1, 3)])
        if shape and self.chance(2):
            return f"tg.concatenate([{xs}], {self.choose(range(-len(shape), len(shape)))})"
        return f"tg.stack([{xs}], {self.choose(range(len(shape) + 1))})" if len(shape) < 3 else None

    def product(self):
        x = self.pick(lambda x: x.ndim)
        if x is None:
            return None
        shape = self[x].shape

        def fits(y):
            if not y.ndim or shape[-1] != y.shape[max(y.ndim - 2, 0)] or y.dtype != self[x].dtype:
                return False
            same = shape[:-2] == y.shape[:-2] or 1 in shape[:-2] + y.shape[:-2] or min(len(shape), y.ndim) < 3
            return same and (len(shape), y.ndim) != (1, 2)  # PyTorch's result has version 1 there

        y = self.pick(fits)
        if y is not None:
            return f"{x} @ {y}"
        return f"{x} @ {x}.transpose(-1, -2)" if len(shape) > 1 else None

    def copy(self):
        x = self.pick()
        f = self.choose(["clone()", "detach()", "double()", "float()" if self.single else "clone()"])
        again = self.choose(["", ".clone().requires_grad_()", ".requires_grad_()"]) if f == "detach()" else ""
        return f"{x}.{f}{again}"

    def branch(self):
        x, lo = self.pick(), self.choose(SCALARS)
        test = self.choose([f"{x}.sum().item() > {lo}", f"({x} > {lo}).any()"])
        return f"{x} * 2.0 if {test} else {x}.sin()" if self.chance(2) else f"{x} * {x}.sum().item()"

    # ---- statements that change something
    def in_place(self):
        fixed = not self.chance(8)  # mostly no leaves that require grad: those refuse
        x = self.pick(lambda x: not x.storage.frozen and not (fixed and x.requires_grad and x.base.is_leaf))
        if x is None or self.second_order:
            return None
        whole = not self[x].ndim or self.chance(2)
        target = x if whole else f"{x}[{self.index(x, basic=True)}]"
        kinds = ["add", "sub", "mul", "div", "+=", "*=", "zero", "fill", "copy", "pow", "exp", "clamp"]
        kind = self.choose([*kinds, *["set"] * 4])
        value = self[x].value if whole else eval(target, {x: self[x].value})
        if kind == "set" and self[x].ndim:
            return self.assignment(x)
        if kind == "exp":
            return f"{target}.exp_()" if np.all(np.abs(value) < 4) else None
        y = self.guest(value.shape)
        if y is None or self.chance(4):
            y = self.choose(SCALARS)
        if kind in ("+=", "*=") and (whole or self[x].base is self[x]):  # two writes; see `run` on views that must look
            return f"{target} {kind} {y}"
        if kind == "copy":
            return f"{target}.{'fill_' if y in SCALARS else 'copy_'}({y})"
        if kind in ("set", "div", "+=", "*="):
            return f"{target}.div_({self.divisor(y)})"
        argument = {"zero": "", "fill": self.choose(SCALARS), "pow": "2", "clamp": "-0.5, 0.75"}
        return f"{target}.{kind}_({argument.get(kind, y)})"

    def assignment(self, x):
        if self.chance(4):
            return f"{x}[{x} > {self.choose(SCALARS)}] = {self.choose(SCALARS)}"
        place = self.index(x)
        y = self.guest(eval(f"x[{place}]", {"x": self[x].value}).shape)
        return f"{x}[{place}] = {self.choose(SCALARS) if y is None or self.chance(4) else y}"

    def write_in_place(self):
        self.attempt(self.in_place())

    def without_grad(self):
        """A block under no_grad; a view made there has rules of its own when it is written to later: forget it."""
        lines, names = [], []
        for _ in range(self.integer(1, 3)):
            trained = self.pick(lambda x: x.grad is not None and x.is_leaf)
            if trained and self.chance(2) and not self.second_order:
                lines.append(f"{trained}.sub_({trained}.grad * 0.125)")
            elif self.chance(2):
                lines.append(self.in_place())
            else:
                names.append(self.fresh())
                expression = self.choose([self.unary, self.binary, self.copy, self.reduction])()
                lines.append(expression and f"{names[-1]} = {expression}")
        lines = [line for line in lines if line]
        if lines:
            self.attempt("\n    ".join([self.choose(["with tg.no_grad():", "with tg.set_grad_enabled(False):"]), *lines]))
            self.names += [n for n in names if n in self.namespace and self[n].base is self[n] and n not in self.names]

    def hook(self):
        twice = self.differentiate_twice
        x = self.pick(lambda x: (x.requires_grad and (x.is_leaf or not twice)) or self.chance(20))
        if x is None:
            return
        # Through which intermediate values a second derivative comes, and whether as zero, is up to the formulas.
        kind = "replace" if twice else self.choose(["replace", "see", "see", "retain", "remove"])
        if self[x].base is not self[x]:
            # PyTorch notices a write to the base when it next looks at the view, and moves retain_grad only then.
            kind = "see" if kind == "retain" else kind
        if kind == "remove" and self.handles:
            self.attempt(f"{self.choose(self.handles)}.remove()")
        elif kind == "retain":
            self.attempt(f"{x}.retain_grad()")
        else:
            handle = f"h{len(self.handles) + 1}"
            action = self.choose(["g * 2.0", "-g"]) if kind == "replace" else f'seen.append(("{handle}", g.tolist()))'
            self.attempt(f"{handle} = {x}.register_hook(lambda g: {action})")
            self.handles += [handle] if handle in self.namespace else []

    def read(self):
        x = self.pick()
        what = [f"{x}.tolist()", f"{x}.detach().numpy().tolist()", f"{x}._version", f"{x}.is_leaf", f"{x}.sum().item()"]
        if self.second_order:  # whether a gradient without use for x is a constant is not a promise
            what.remove(f"{x}.is_leaf")
        self.attempt(f'seen.append(("read", {self.choose(what)}))')

    # ---- statements that go backward
    def scalar(self):
        x = self.pick(lambda x: x.requires_grad or self.chance(30))
        if x is None:
            return None
        y = self.partner(x)
        losses = [f"{x}.sum()", f"({x} * {y}).sum()", f"{x}.square().mean()", f"({x}.sin() + {y}).sum()"]
        loss = self.choose(losses if self[x].value.size else losses[:1])
        leaf = self.pick(lambda x: x.requires_grad and x.is_leaf)
        if self.second_order and leaf:  # whether a constant gradient requires grad is no promise: then the loss does
            return f"({loss} + {leaf}.sum())"
        return loss

    def keep(self):
        if self.second_order or not self.chance(3):
            return "retain_graph=True"
        return ""

    def backward(self):
        loss = self.scalar()
        if loss is None:
            return
        kinds = ["scalar", "scalar", "scalar", "two", "grad", "graph"]
        kind = self.choose(kinds if self.second_order else [*kinds, "seed"])
        if kind == "seed":
            x = self.pick(lambda x: x.requires_grad)
            self.attempt(x and f"{x}.backward(tg.ones_like({x}), {self.keep()})".replace(", )", ")"))
        elif kind == "two":
            other = self.scalar()
            self.attempt(other and f"tg.autograd.backward([{loss}, {other}], {self.keep()})".replace(", )", ")"))
        elif kind == "grad":
            self.gradient()
        elif kind == "graph" and self.differentiate_twice:
            self.attempt(f"{loss}.backward(create_graph=True)", may_fail=False)
            self.second_order |= self.statements[-1].endswith("create_graph=True)")
        else:
            self.attempt(f"{loss}.backward({self.keep()})")

    def sources(self, loss):
        """The names of the tensors that the result of an expression depends on, itself included."""
        try:
            upstream, nodes = {eval(loss, self.namespace).node} - {None}, slow.STATE.nodes
        except slow.Unspecified:
            return []
        for i in range(max(upstream, default=0), -1, -1):
            upstream |= set(nodes[i].parents) if i in upstream else set()
        return [n for n in self.names if self[n].node in upstream - {None}]

    def gradient(self):
        loss = self.scalar()
        sources = [n for n in self.sources(loss) if self[n].is_leaf or not self.second_order] if loss else []
        if not sources:
            return
        x = self.choose(sources)
        if self.differentiate_twice:
            g = self.fresh()
            loss = f"({loss} + {x}.sum())" if self.second_order else loss
            self.attempt(f"({g},) = tg.autograd.grad({loss}, [{x}], create_graph=True)", g, may_fail=False)
            self.second_order |= g in self.names
            return
        y = self.pick(lambda y: y.requires_grad and y.node != self[x].node) or x
        call = f"tg.autograd.grad({loss}, [{x}, {y}], allow_unused=True, retain_graph=True)"
        self.attempt(f'seen.append(("grad", [None if g is None else g.tolist() for g in {call}]))')

    def between(self):
        """What may come between a graph and its derivative that is recorded: reads, other sweeps, and a write before."""
        x = self.pick(lambda x: x.requires_grad and x.is_leaf)
        if x is None or self.second_order:
            return
        if self.chance(2):
            self.attempt(f"with tg.no_grad():\n    {x}.mul_(0.5)")
        y, g = self.fresh(), self.fresh()
        self.attempt(f"{y} = {self.choose([f'{x}.sin()', f'{x}.reshape(-1).sin()', f'{x}.cos() * {self.partner(x)}'])}", y)
        if y not in self.names:
            return
        for _ in range(self.integer(0, 2)):
            read = self.choose([x, y])
            self.attempt(self.choose([f'seen.append(("read", {read}.detach().numpy().tolist()))',
                                      f"({x} * 0.5).sum().backward(retain_graph=True)", f"{read}.detach().numpy()"]))
        self.attempt(f"({g},) = tg.autograd.grad({y}.sin().sum(), [{x}], create_graph=True)", g, may_fail=False)
        if g in self.names:
            self.second_order = True
            call = f"tg.autograd.grad(({g} * {g}).sum() + {x}.sum(), [{x}], retain_graph=True)"
            self.attempt(f'seen.append(("grad", {call}[0].tolist()))', may_fail=False)

    def clear(self):
        x = self.pick(lambda x: x.grad is not None and x.is_leaf)
        if x is not None and not self.second_order:
            self.attempt(self.choose([f"{x}.grad = None", f"{x}.grad.zero_()"]))

    # ---- the program
    def make(self, expression):
        name = self.fresh()
        self.attempt(expression and f"{name} = {expression}", name)

    def overwrite(self):
        """Something that was saved, or was not: the sweep has to know."""
        x = self.pick(lambda x: x.requires_grad and not x.is_leaf and not x.storage.frozen)
        if x is None or self.second_order:
            return
        maker = self.choose([self.unary, self.unary, self.binary, self.reduction, self.copy, self.product, self.power])
        names, self.names = self.names, [x]
        expression = maker()
        self.names, z = names, f"v{self.count + 1}"
        self.make(expression)
        if z in self.names:
            target = self.choose([x, x, z, f"{x}.detach()"])
            self.attempt(f"{target}.{self.choose(['add_(1.0)', 'mul_(0.5)', 'zero_()', 'clamp_(-0.5, 0.75)'])}")
            self.attempt(f"{z}.sum().backward(retain_graph=True)" if self[z].requires_grad else None)

    def finish(self):
        """A loss of several tensors, so that much of what was drawn counts."""
        for most in (4, 2, 1):
            chosen = [n for n in self.names if self[n].requires_grad]
            chosen = chosen[-most:] + [n for n in chosen[:-most] if self.second_order and self[n].is_leaf]
            before = len(self.statements)
            if chosen and not self.fails:
                self.attempt(f"({' + '.join(f'{n}.sin().sum()' for n in chosen)}).backward()")
            if len(self.statements) > before:
                break

    def write(self, steps):
        """Every kind of statement in every program would leave few of each: a program draws its favourites."""
        makers = [self.leaf, self.unary, self.unary, self.binary, self.binary, self.binary, self.power, self.clamp]
        makers += [self.two_argument, self.reduction, self.view, self.view, self.mask, self.join, self.product]
        makers += [self.copy, self.branch]
        acts = [self.write_in_place, self.write_in_place, self.hook, self.read, self.backward, self.without_grad]
        favourites = {
            "values": makers,
            "views": [self.view, *[self.write_in_place] * 2],
            "sweeps": [self.backward, self.backward, self.gradient, self.clear, self.without_grad, self.read],
            "hooks": [self.hook, self.hook, self.backward],
            "overwrites": [self.overwrite],
            "second order": [self.gradient, self.backward, self.unary, self.binary, self.between],
        }
        favourite = self.choose(favourites)
        self.differentiate_twice = favourite == "second order"
        for _ in range(self.integer(1, 3)):
            self.make(self.leaf())
        for _ in range(steps):
            action = self.choose(self.choose([makers, acts, favourites[favourite], favourites[favourite]]))
            if self.fails:
                break
            self.make(action()) if action in makers else action()
        self.finish()
        return Program(self.statements, self.names, self.fails, self.second_order)


