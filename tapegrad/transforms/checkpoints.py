"""checkpoint: a part of a program whose values are computed again in a backward, instead of kept."""
import functools

import numpy as np

from ..autograd import Function, Run, enable_grad, is_grad_enabled
from ..autograd.paths import sources
from ..tape import Link, begin_tapes, state
from ..tensor.core import Tensor, interior, tracked, wrap
from .call import check_function, picklable
from .compiled import native
from .trees import ends, filled

MOST_RECORDED = 1_000_000                    # operations that are recorded for a replay as if nothing were said


@picklable
def checkpoint(function, *arguments):
    """The same function with less memory: what it computes inside is not kept for a backward, which runs it once more.

    The function must do the same each time that it is called with the same arguments; random numbers drawn inside would be
    drawn anew. Derivatives also flow to tensors that it refers to without getting them as arguments. Of use for a loop that
    records much and whose state is small. What tg.compile records, and replays in compiled code, it records as if this were not
    there.

    >>> import tapegrad as tg
    >>> f = tg.checkpoint(lambda x: (x.sin() * x).exp())
    >>> tg.grad(lambda x: f(x) * 2.0)(1.0) == tg.grad(lambda x: (x.sin() * x).exp() * 2.0)(1.0)
    np.True_

    Of a function that ``numba.njit`` compiled it gives one to be called from such functions. Where those are differentiated
    backward, it runs forward, and the tape keeps its Jacobian alone: so it should have few inputs, numbers and arrays, and write
    to none of them.

    >>> import numba
    >>> @numba.njit
    ... def steps(x, n):
    ...     for _ in range(n):
    ...         x = 0.5 * x * (1.0 + x)
    ...     return x
    >>> block = tg.checkpoint(steps)
    >>> tg.jacrev(numba.njit(lambda x: block(block(x, 10), 10)))(1.0) == 1.5 ** 20
    np.True_
    """
    check_function(function, "checkpoint")
    if arguments:
        raise TypeError("checkpoint takes the function alone and gives a function: write checkpoint(f)(x), not checkpoint(f, x)")

    if compiled := native(function):
        return compiled.segment(function)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        if not is_grad_enabled():
            return function(*arguments, **keywords)
        recorder = state().recorder
        if recorder is not None and not recorder.reason and recorder.count() < MOST_RECORDED:
            return function(*arguments, **keywords)      # a program keeps little of each operation
        start = begin_tapes()                # what is recorded from here on is on tapes of its own, which die with this call
        result = function(*arguments, **keywords)
        values = ends(result)
        recorded = [k for k, y in enumerate(values) if isinstance(y, Tensor) and y._own is None and y._tape.serial > start]
        if not recorded:
            return result

        nested = state().tracing
        inputs = [interior(source.tape, source.index, source.shape) if isinstance(source, Link) else source
                  for source in sources([values[k] for k in recorded], start)]
        kept = [np.array(values[k]._array()) for k in recorded]
        begin_tapes()

        def again():
            """What was recorded, recorded anew, and the number that its tapes are above."""
            start, here = begin_tapes(), state()
            here.tracing += nested           # transforms in there give tensors, as they did
            try:
                with enable_grad():
                    values = ends(function(*arguments, **keywords))
            finally:
                here.tracing -= nested
            outputs = [values[k] for k in recorded]
            if not all(np.array_equal(y._array(), array, equal_nan=True) for y, array in zip(outputs, kept)):
                raise RuntimeError("a function under checkpoint gave other values in the backward than before: something that it "
                                   "reads was overwritten in place since, or it draws random numbers; call it without checkpoint")
            return outputs, start
        for k, y in zip(recorded, _Recomputed.apply(again, kept, *inputs)):
            values[k] = y
        return filled(result, values)
    return wrapper


class _Recomputed(Function):
    unrecorded = f"it records more than {MOST_RECORDED} operations under tg.checkpoint"

    @staticmethod
    def forward(ctx, again, values, *inputs):
        ctx.again = again
        ctx.save_for_backward(*inputs)
        return tuple(wrap(value) for value in values)

    @staticmethod
    def backward(ctx, *gradients):
        outputs, start = ctx.again()
        active = [(y, g) for y, g in zip(outputs, gradients) if tracked(y)]
        run = Run([y for y, _ in active], [g for _, g in active], None, is_grad_enabled(), floor=start)
        return (None, None, *(run.gradient(x) for x in ctx.saved_tensors))


__all__ = ["checkpoint"]
