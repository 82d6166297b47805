"""Activations: functions between the layers of a network, element by element or along an axis."""
import math

import numpy as np

from ...tensor import inplace as writing
from ...tensor.arithmetic import clamp, floating, where
from ...tensor.core import FLOATS, Tensor, wrap
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.elementwise import describe
from ...tensor.structure import as_tensor_operand, normalize_axis, reshape
from ...tensor.structure import log_softmax as _log_softmax
from ...tensor.structure import softmax as _softmax
from ...tensor.structure.splitting import split

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def mapped(function, input, inplace):
    """function(input), written into the input where that is asked for; derivatives go by a copy of what was there."""
    if not inplace:
        return function(input)
    if not isinstance(input, Tensor):
        raise TypeError(f"inplace=True writes into a tensor, and the input is {describe(input)}; leave it out")
    return writing.map_(input, lambda old: function(ROWS["clone"](old)), "inplace=True")


def relu(input, inplace=False):
    """max(input, 0). Derivative: 0 at 0."""
    return mapped(ROWS["relu"], input, inplace)


def relu6(input, inplace=False):
    """min(max(input, 0), 6). Derivative: 0 at both bounds."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """min(max(input, min_val), max_val). Derivative: 0 at both bounds."""
    return mapped(lambda x: ROWS["hardtanh"](x, min_val, max_val), input, inplace)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """The input where it is above 0, elsewhere `negative_slope` times the input. Derivative: the slope at 0."""
    return mapped(lambda x: ROWS["leaky_relu"](x, negative_slope), input, inplace)


def prelu(input, weight):
    """As leaky_relu, with a slope that is learned: one number, or one for each channel, the second axis of the input."""
    input, weight = as_tensor_operand(input, "prelu"), as_tensor_operand(weight, "prelu")
    ndim = len(input._shape)
    if len(weight._shape) == 1 and ndim > 1 and weight._shape != (1,):
        weight = reshape(weight, *[-1 if a == 1 else 1 for a in range(ndim)])
    return ROWS["leaky_relu"](input, weight)


def elu(input, alpha=1.0, inplace=False):
    """The input where it is above 0, elsewhere alpha * (exp(input) - 1)."""
    return mapped(lambda x: ROWS["elu"](x, alpha), input, inplace)


def selu(input, inplace=False):
    """1.0507... times elu(input, 1.6732...), by which layers keep mean 0 and variance 1."""
    return mapped(lambda x: _SELU_SCALE * ROWS["elu"](x, _SELU_ALPHA), input, inplace)


def celu(input, alpha=1.0, inplace=False):
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""
    return mapped(lambda x: ROWS["maximum"](x, 0.0) + ROWS["expm1"](ROWS["minimum"](x, 0.0) / alpha) * alpha, input, inplace)


def gelu(input, approximate="none"):
    """The input times the normal distribution function at it; `approximate`: "none", or "tanh" for a formula without erf."""
    if approximate == "none":
        return ROWS["gelu"](input)
    if approximate != "tanh":
        raise ValueError(f"approximate of gelu is 'none' or 'tanh', not {approximate!r}")
    x = as_tensor_operand(input, "gelu")
    return 0.5 * x * (1 + ROWS["tanh"](math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def silu(input, inplace=False):
    """input * sigmoid(input)."""
    return mapped(ROWS["silu"], input, inplace)


def mish(input, inplace=False):
    """input * tanh(softplus(input))."""
    return mapped(lambda x: ROWS["multiply"](x, ROWS["tanh"](ROWS["softplus"](x))), input, inplace)


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * input)) / beta; the input itself where beta * input is above the threshold."""
    return ROWS["softplus_below"](input, beta, threshold)


def softsign(input):
    """input / (1 + |input|)."""
    return ROWS["divide"](input, 1 + ROWS["abs"](input))


def hardsigmoid(input, inplace=False):
    """min(max(input + 3, 0), 6) / 6. Derivative: 0 at both bounds."""
    return mapped(lambda x: ROWS["hardtanh"](ROWS["add"](x, 3.0), 0.0, 6.0) / 6, input, inplace)


def hardswish(input, inplace=False):
    """input * hardsigmoid(input)."""
    return mapped(lambda x: ROWS["multiply"](x, hardsigmoid(x)), input, inplace)


def threshold(input, threshold, value, inplace=False):
    """The input where it is above the threshold, elsewhere `value`. Derivative: 0 at the threshold.

    >>> import tapegrad as tg
    >>> tg.nn.functional.threshold(tg.tensor([0.0, 1.0, 2.0]), 1.0, -5.0)
    tensor([-5., -5.,  2.])
    """
    def above(x):
        x = as_tensor_operand(x, "threshold")
        return where(x <= threshold, value if x.dtype in FLOATS else wrap(np.asarray(value, x.dtype)), x)
    return mapped(above, input, inplace)


def hardshrink(input, lambd=0.5):
    """The input where it is outside of [-lambd, lambd], elsewhere 0. Derivative: 0 at both bounds."""
    input = floating(input, "hardshrink")
    return where(ROWS["abs"](input) <= lambd, 0.0, input)


def softshrink(input, lambd=0.5):
    """The input moved toward 0 by `lambd`, which is at least 0, and 0 within [-lambd, lambd]. Derivative: 0 at both bounds."""
    if lambd < 0:
        raise ValueError(f"lambd of softshrink is not below 0, and this is {lambd}")
    input = floating(input, "softshrink")
    return ROWS["subtract"](input, clamp(input, -lambd, lambd))


def sigmoid(input):
    """1 / (1 + exp(-input))."""
    return ROWS["sigmoid"](input)


def logsigmoid(input):
    """log(sigmoid(input)), right in both tails."""
    return ROWS["log_sigmoid"](input)


def tanh(input):
    """The hyperbolic tangent."""
    return ROWS["tanh"](input)


def tanhshrink(input):
    """input - tanh(input)."""
    return ROWS["subtract"](input, ROWS["tanh"](input))


def glu(input, dim=-1):
    """The first half along an axis, times the sigmoid of the second half. ValueError for an axis of odd length.

    >>> import tapegrad as tg
    >>> tg.nn.functional.glu(tg.tensor([2.0, 4.0, 0.0, 0.0]))
    tensor([1., 2.])
    """
    input = floating(input, "glu")
    axis = normalize_axis(dim, len(input._shape))
    if not input._shape or input._shape[axis] % 2:
        raise ValueError(f"glu takes an axis of even length, and axis {dim} of shape {input._shape} is none")
    first, second = split(input, input._shape[axis] // 2, axis)
    return ROWS["multiply"](first, ROWS["sigmoid"](second))


def _axis(x, dim):
    """PyTorch's choice where no axis is given: the first of 0, 1 or 3 axes, otherwise the second."""
    return dim if dim is not None else 0 if len(x._shape) in (0, 1, 3) else 1


def softmax(input, dim=None, dtype=None):
    """exp(input) / sum(exp(input)) along `dim`."""
    input = as_tensor_operand(input, "softmax")
    return _softmax(input, _axis(input, dim), dtype=dtype)


def softmin(input, dim=None, dtype=None):
    """softmax(-input) along `dim`."""
    input = as_tensor_operand(input, "softmin")
    return _softmax(-input, _axis(input, dim), dtype=dtype)


def log_softmax(input, dim=None, dtype=None):
    """log(softmax(input)) along `dim`, right where softmax is close to 0."""
    input = as_tensor_operand(input, "log_softmax")
    return _log_softmax(input, _axis(input, dim), dtype=dtype)
