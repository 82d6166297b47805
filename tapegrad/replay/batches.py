"""vmap over compiled functions: machine code that computes as many samples side by side as registers hold, over threads.

``vmap`` asks a compiled function, or a transform of one, for it by its attribute `batched`. What code for many samples does not
cover (the last few, and those where a guard did not hold) goes sample by sample through the function itself.
"""

import itertools

import numpy as np

from ..tape import state
from ..tensor.core import FLOATS, float64
from .machine import Table, jacobian_code, lanes_of
from .threads import most, side_by_side

MANY = 16                                    # samples that are worth more than one call each
A_THREAD = 1e-4                              # seconds of work that a thread is worth
FASTER = 32                                  # than the interpreter, about
REGISTERS = 2                                # that samples are spread over: one waits while the other computes


def batched(compiled, function, kind, argnums=((), True)):
    """The maker of a batched `function`, which is a compiled function or a transform of it: of "value", "grad",
    "value_and_grad" or "jacobian", by `argnums`, (numbers, whether one alone was given). Given `in_axes` it gives a function of
    arrays, which gives NotImplemented where samples are to go one by one; or None."""
    def make(in_axes):
        whole = in_axes is None or isinstance(in_axes, (int, np.integer))
        if not whole and not all(axis is None or isinstance(axis, (int, np.integer)) for axis in in_axes):
            return None

        def run(*arguments):
            axes = [in_axes] * len(arguments) if whole else list(in_axes)
            for x, axis in zip(arguments, axes):
                if axis is not None and type(x) is np.ndarray and -x.ndim <= axis < x.ndim and x.shape[axis] < MANY:
                    return NotImplemented
            return Batch(compiled, function, kind, argnums, axes, arguments).result()
        return run
    return make


class Batch:
    """One call of a function for a batch."""

    def __init__(self, compiled, function, kind, argnums, axes, arguments):
        self.compiled, self.function, self.kind, (self.numbers, self.single) = compiled, function, kind, argnums
        self.axes, self.arguments, self.size = axes, arguments, 0

    def _ready(self):
        """Whether the arguments are arrays and floats that machine code can read; they lie sample by sample, then."""
        arguments, axes = self.arguments, self.axes
        here = state()
        if len(axes) != len(arguments) or here.recorder is not None or here.anomaly:
            return False
        sizes, given = set(), []
        for x, axis in zip(arguments, axes):
            if type(x) is np.ndarray and x.dtype in FLOATS:
                if axis is not None:
                    if not -x.ndim <= axis < x.ndim:
                        return False
                    sizes.add(x.shape[axis])
                    x = np.ascontiguousarray(np.moveaxis(x, axis, 0))
            elif type(x) is not float or axis is not None:
                return False
            given.append(x)
        dtypes = {x.dtype for x in given if type(x) is not float}
        if len(sizes) != 1 or len(dtypes) != 1 or not all([-len(given) <= p < len(given) for p in self.numbers]):
            return False
        if float64 not in dtypes and any([type(given[p]) is float for p in self.numbers]):
            return False                     # its derivative has more digits than the program
        (self.size,), self.given = sizes, given
        return self.size >= MANY

    def sample(self, k):
        return [x if axis is None else x[k] if x.ndim > 1 else float(x[k]) if x.dtype == np.float64 else x[k:k + 1].reshape(())
                for x, axis in zip(self.given, self.axes)]

    def result(self):
        """The results of all samples, or NotImplemented."""
        if not self._ready():
            return NotImplemented
        entered = self.compiled.enter(self.sample(0))
        for k in range(2):                   # a path is trusted when it was recorded twice
            if entered is None:
                self.function(*self.sample(k))
                entered = self.compiled.enter(self.sample(0))
        if entered is None:
            return NotImplemented
        site, program, workspace = entered
        program.give(workspace)
        made = self._code(program)
        if made is None:
            return NotImplemented
        code, lanes, shapes = made
        site.replayed += self.size
        outputs = [np.empty((self.size, *shape), program.dtype) for shape in shapes]
        inputs = [np.full((), x, program.dtype) if type(x) is float else x if axis is not None else np.ascontiguousarray(x)
                  for x, axis in zip(self.given, self.axes)]
        alone = self._over_threads(program, code, lanes, [*inputs, *outputs])
        results = self._structured(program, outputs)
        for k in alone:
            put(results, k, self.function(*self.sample(k)))
        return results

    def _code(self, program):
        """(code, samples side by side, shapes of what it gives), or None."""
        if len(program.inputs) != len(self.arguments) or program.tree != 0 or program.ends[0][0] is None:
            return None
        numbers = [p % len(self.arguments) for p in self.numbers if -len(self.arguments) <= p < len(self.arguments)]
        if len(numbers) != len(self.numbers):
            return None
        self.wanted = numbers
        varying = tuple([k for k, axis in enumerate(self.axes) if axis is not None])
        values = [shape for _, shape in program.outputs]
        if self.kind == "jacobian":
            wanted = jacobian_code(program, numbers[0], varying) if len(numbers) == 1 else None
            code = None if wanted is None else wanted.find(program.tier, self.size)
            return None if code is None else (code, 1, [*values, wanted.shape])
        lanes = REGISTERS * lanes_of(program.dtype)
        k = program.scalar["value"]
        if self.kind == "value":
            code = program.tier.find(None, self.size, varying=varying, lanes=lanes)
            return None if code is None else (code, lanes, values)
        if k is None:
            return None
        code = program.tier.find(k, self.size, by=tuple(numbers), varying=varying, lanes=lanes)
        return None if code is None else (code, lanes, [*values, *self._gradients(program)])

    def _gradients(self, program):
        """Shapes of the places for all inputs' gradients; those that are not wanted are empty."""
        return [shape if i in self.wanted else (0,) for i, shape in enumerate(program.inputs)]

    def _over_threads(self, program, code, lanes, arrays):
        """Runs the samples; gives the numbers of those that are left."""
        whole = self.size // lanes * lanes
        count = min(most(), max(int(whole * program.tier.a_run / FASTER / A_THREAD), 1))
        bounds = [whole // lanes * k // count * lanes for k in range(count + 1)]

        def part(first, end):
            table, left = Table(program, code, arrays), []
            while first < end:
                first = code.run(table.address, first, end)
                if first < end:              # a guard did not hold there
                    left += range(first, first + lanes)
                    first += lanes
            return left
        left = side_by_side(part, list(itertools.pairwise(bounds)))
        return [*itertools.chain(*left), *range(whole, self.size)]

    def _structured(self, program, outputs):
        count = len(program.outputs)
        value = outputs[program.ends[0][0]]
        if self.kind == "value":
            return value
        if self.kind == "jacobian":
            return outputs[count]
        slopes = [outputs[count + p] for p in self.wanted]
        gradient = slopes[0] if self.single else tuple(slopes)
        return gradient if self.kind == "grad" else (value, gradient)


def put(results, k, found):
    """Sets what was found for a sample."""
    if isinstance(results, tuple):
        for part, x in zip(results, found):
            put(part, k, x)
    else:
        results[k] = found
