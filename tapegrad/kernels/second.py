"""Derivatives of partials: what a sweep for products with a Hessian adds to the adjoint of the tangent.

A row's partial is applied to terms, which note the rows that it is made of; each of those has partials of its own. So the rule
is written from the table, and is what the tangent of the partial would be that is recorded on Tensors.
"""
from functools import cache

import numpy as np

from .._jit import chosen, inlined
from ..ops.table import SPELLED, loaded_functions, rebind
from . import scalar


class Term:
    """Something that a partial computes, or one of its arguments. `value` and `slope` are names in the rule that is written; a
    slope of None is 0. Nothing can be decided on it: a partial that branches has no rule."""
    __bool__ = __array_ufunc__ = None

    def __init__(self, trace, value, slope):
        self.trace, self.value, self.slope = trace, value, slope

    def __add__(self, other):
        return self.trace.apply("add", self, other)

    def __radd__(self, other):
        return self.trace.apply("add", other, self)

    def __sub__(self, other):
        return self.trace.apply("subtract", self, other)

    def __rsub__(self, other):
        return self.trace.apply("subtract", other, self)

    def __mul__(self, other):
        return self.trace.apply("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.trace.apply("divide", self, other)

    def __rtruediv__(self, other):
        return self.trace.apply("divide", other, self)

    def __mod__(self, other):
        return self.trace.apply("remainder", self, other)

    def __pow__(self, other):
        return self.trace.apply("power", self, other)

    def __neg__(self):
        return self.trace.apply("negative", self)

    def __abs__(self):
        return self.trace.apply("abs", self)

    def _compared(self, sign, other):
        return Condition(self.trace, f"({self.value} {sign} {_value(other)})")

    def __lt__(self, other):
        return self._compared("<", other)

    def __le__(self, other):
        return self._compared("<=", other)

    def __gt__(self, other):
        return self._compared(">", other)

    def __ge__(self, other):
        return self._compared(">=", other)

    def __eq__(self, other):
        return self._compared("==", other)

    def __ne__(self, other):
        return self._compared("!=", other)

    __hash__ = None


class Condition(Term):
    """A comparison: 1 or 0 where it is multiplied, and without derivative."""

    def __init__(self, trace, text):
        super().__init__(trace, text, None)

    def __and__(self, other):
        return Condition(self.trace, f"({self.value} & {other.value})")

    def __or__(self, other):
        return Condition(self.trace, f"({self.value} | {other.value})")


class _Text:
    """An expression, to which operators of arithmetic are applied."""
    __eq__ = __ne__ = __hash__ = __bool__ = __array_ufunc__ = None

    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return _Text(f"({self.text} + {_text(other)})")

    def __radd__(self, other):
        return _Text(f"({other} + {self.text})")

    def __sub__(self, other):
        return _Text(f"({self.text} - {_text(other)})")

    def __rsub__(self, other):
        return _Text(f"({other} - {self.text})")

    def __mul__(self, other):
        return _Text(f"({self.text} * {_text(other)})")

    def __rmul__(self, other):
        return _Text(f"({other} * {self.text})")

    def __truediv__(self, other):
        return _Text(f"({self.text} / {_text(other)})")

    def __rtruediv__(self, other):
        return _Text(f"({other} / {self.text})")

    def __neg__(self):
        return _Text(f"(-{self.text})")


def _text(x):
    return x.text if isinstance(x, _Text) else repr(float(x))


def _value(x):
    return x.value if isinstance(x, Term) else f"({float(x)!r})" if np.isfinite(x) else f"float('{float(x)}')"


class Trace:
    """The lines of a rule, and what they call. It is the ``np`` of the partial that is traced."""

    def __init__(self):
        self.lines, self.called, self.sources = [], {"chosen": chosen}, []

    def __getattr__(self, name):
        if name in SPELLED:
            return lambda *operands: self.apply(name, *operands)
        constant = getattr(np, name)
        if not isinstance(constant, float):
            raise AttributeError(f"np.{name} is no row of the table, so a partial that calls it has no derivative")
        return constant

    def named(self, expression):
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def function(self, name, rule):
        if name not in self.called:
            self.called[name] = inlined(rebind(rule, np=scalar))
            self.sources += scalar.requirements(rule)
        return name

    def apply(self, name, *operands):
        op = SPELLED[name]
        given = [_value(x) for x in operands]
        value = self.named(self.written(f"value_{op.name}", op.value, given))
        slopes = []
        for k, x in enumerate(operands):
            if isinstance(x, Term) and x.slope is not None and op.partials[k] is not None:
                op.refuse(k)
                part = self.written(f"partial{k}_{op.name}", op.partials[k], [x.slope, *given, value])
                slopes.append(f"chosen({x.slope} == 0, 0.0, {part})" if op.partial_needs(k) else part)
        return Term(self, value, self.named(" + ".join(slopes)) if slopes else None)

    def written(self, name, rule, given):
        """A rule, applied to expressions: as an expression itself where it consists of operators alone, which takes less time
        to compile than a call."""
        if not loaded_functions(rule):
            try:
                return _text(rule(*map(_Text, given)))
            except TypeError:                # it branches
                pass
        return f"{self.function(name, rule)}({', '.join(given)})"

    def select(self, condition, x, y):
        value = self.named(f"chosen({condition.value}, {_value(x)}, {_value(y)})")
        slopes = [term.slope if isinstance(term, Term) else None for term in (x, y)]
        if slopes == [None, None]:
            return Term(self, value, None)
        return Term(self, value, self.named(f"chosen({condition.value}, {slopes[0] or 0.0}, {slopes[1] or 0.0})"))


@cache
def rule(op, k):
    """The tangent of the partial by operand `k`, a function of each of the partial's arguments followed by its tangent, and the
    functions that it depends on; None where there is nothing to add."""
    partial = op.partials[k]
    trace = Trace()
    names = [*"gxyw"[:1 + op.arity], "z"]
    result = rebind(partial, np=trace, select=trace.select)(*[Term(trace, name, f"{name}_") for name in names])
    if not isinstance(result, Term) or result.slope is None:
        return None
    arguments = ", ".join(f"{name}, {name}_" for name in names)
    # A partial is 0 instead of nan where what comes in is 0
    hidden = f"(g == 0) & ({result.value} != {result.value})"
    lines = [*trace.lines, f"return chosen({hidden}, 0.0, {result.slope})"]
    source = f"def second({arguments}):\n" + "".join(f"    {line}\n" for line in lines)
    namespace = dict(trace.called)
    exec(compile(source, f"<second derivative of {op.name}>", "exec"), namespace)
    return inlined(namespace["second"]), (partial, *trace.sources)
