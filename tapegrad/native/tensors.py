"""Compiled functions on Tensors: one operation of the graph, whose adjoint is one, too."""
import numpy as np

from ..autograd import Function
from ..tape import state
from ..tensor.core import Tensor, wrap
from ..transforms.trees import ends, filled
from . import anomalies
from .calls import Arguments


def call(dispatcher, *arguments):
    """See tg.call."""
    places = [p for p, x in enumerate(arguments) if isinstance(x, Tensor)]
    plain = [x._array() if isinstance(x, Tensor) else x for x in arguments]
    if not places:
        return dispatcher(*arguments)
    form: list = []
    found = _Call.apply(_Frame(dispatcher, places, plain, form), *(arguments[p] for p in places))
    found = found if isinstance(found, tuple) else (found,)
    return filled(form[0], found)


class _Frame:
    """A call with some of its arguments left open: those that were Tensors."""

    def __init__(self, dispatcher, places, plain, form):
        self.dispatcher, self.places, self.plain, self.form = dispatcher, places, plain, form

    def arguments(self, tensors):
        """Taken apart for a driver, with the values of these tensors."""
        plain = list(self.plain)
        for p, x in zip(self.places, tensors):
            array = x._array()
            plain[p] = array if array.ndim else array.item()
        numbers = [p for p in self.places if plain_real(plain[p])]
        return Arguments(self.dispatcher, (numbers, False), plain)

    def complete(self, call, parts):
        """Gradients for all tensors: None for those that are no floats."""
        parts = iter(parts)
        return [next(parts) if p in call.numbers else None for p in self.places]


def plain_real(x):
    return isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def _flat(gradients):
    return np.concatenate([np.asarray(g._array(), np.float64).reshape(-1) for g in gradients])


def _tensor(part, like):
    return wrap(np.ascontiguousarray(np.asarray(part, like.dtype).reshape(like.shape)))


class _Call(Function):
    unrecorded = "tg.call runs compiled code, of which nothing is recorded; transforms take the compiled function itself"

    @staticmethod
    def forward(ctx, frame, *tensors):
        call = frame.arguments(tensors)
        value = dispatcher_value(call)
        if search := state().anomaly:
            anomalies.check_value(search, call.dispatcher, call.arguments, value)
        frame.form.append(value)
        ctx.frame = frame
        ctx.save_for_backward(*tensors)
        single = all(x.dtype == np.float32 for x in tensors if x.dtype.kind == "f")
        outputs = tuple(wrap(np.array(y, np.float32 if single and np.result_type(y) == np.float64 else None))
                        for y in ends(value))
        return outputs if len(outputs) != 1 else outputs[0]

    @staticmethod
    def backward(ctx, *gradients):
        found = _Pullback.apply(ctx.frame, len(gradients), *gradients, *ctx.saved_tensors)
        return (None, *(found if isinstance(found, tuple) else (found,)))


class _Pullback(Function):
    """The product of cotangents with the Jacobian, as a function of both."""

    @staticmethod
    def forward(ctx, frame, count, *given):
        gradients, tensors = given[:count], given[count:]
        ctx.frame, ctx.count = frame, count
        ctx.save_for_backward(*given)
        call = frame.arguments(tensors)
        parts = frame.complete(call, call.run("pullback", _flat(gradients))[1])
        return tuple(wrap(np.zeros(x.shape, x.dtype)) if part is None else _tensor(part, x) for x, part in zip(tensors, parts))

    @staticmethod
    def backward(ctx, *directions):
        gradients, tensors = ctx.saved_tensors[:ctx.count], ctx.saved_tensors[ctx.count:]
        found = _Second.apply(ctx.frame, ctx.count, *gradients, *tensors, *directions)
        return (None, None, *found)


class _Second(Function):
    """The adjoint of the pullback. Derivatives of a third order are not there."""

    @staticmethod
    def forward(ctx, frame, count, *given):
        n = (len(given) - count) // 2
        gradients, tensors, directions = given[:count], given[count:count + n], given[count + n:]
        call = frame.arguments(tensors)
        v = _flat([d for p, d in zip(frame.places, directions) if p in call.numbers])
        tangents, at, by_cotangents = call.run("pushforward", v)[1][:, 0], 0, []
        for g in gradients:
            size = g.numel()
            by_cotangents.append(_tensor(tangents[at:at + size], g))
            at += size
        product = call.run("product", v, _flat(gradients))[:, 0]
        parts = frame.complete(call, call.split(product))
        return (*by_cotangents, *(wrap(np.zeros(x.shape, x.dtype)) if part is None else _tensor(part, x)
                                  for x, part in zip(tensors, parts)))

    @staticmethod
    def backward(ctx, *directions):
        raise NotImplementedError("derivatives of a third order of a compiled function are not known here; write it for Tensors")


def dispatcher_value(call):
    return call.dispatcher(*call.arguments)
