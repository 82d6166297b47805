"""Activations, losses and layers as functions, with the names, arguments and values of ``torch.nn.functional``.

In all losses `reduction` is "mean", "sum" or "none".
"""
import math
import warnings

import numpy as np

from ..ops import BY_NAME
from ..tensor import inplace as writing
from ..tensor.arithmetic import clamp, clamp_min, floating, power, where
from ..tensor.conversion import to
from ..tensor.core import FLOATS, Tensor, wrap
from ..tensor.creation import rand
from ..tensor.elementwise import FUNCTIONS as ROWS
from ..tensor.elementwise import apply, broadcast, describe
from ..tensor.structure import (
    amax,
    as_tensor_operand,
    broadcast_to,
    getitem,
    matmul,
    mean,
    reshape,
    squeeze,
    sum,
    swapaxes,
    take_along,
    unsqueeze,
)
from ..tensor.structure import log_softmax as _log_softmax
from ..tensor.structure import softmax as _softmax
from ..tensor.structure.arguments import check_size, integer

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "cosine_similarity", "cross_entropy", "dropout", "elu",
    "gaussian_nll_loss", "gelu", "hardsigmoid", "hardswish", "hardtanh", "hinge_embedding_loss", "huber_loss", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid", "mish", "mse_loss", "nll_loss", "normalize",
    "one_hot", "pairwise_distance", "poisson_nll_loss", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "smooth_l1_loss",
    "softmax", "softmin", "softplus", "softsign", "tanh", "tanhshrink",
]

_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def _map(function, input, inplace):
    """function(input), written into the input where that is asked for; derivatives go by a copy of what was there."""
    if not inplace:
        return function(input)
    if not isinstance(input, Tensor):
        raise TypeError(f"inplace=True writes into a tensor, and the input is {describe(input)}; leave it out")
    return writing.map_(input, lambda old: function(ROWS["clone"](old)), "inplace=True")


# Activations ----------------------------------------------------------------------------------------------------------

def relu(input, inplace=False):
    """max(input, 0). Derivative: 0 at 0."""
    return _map(ROWS["relu"], input, inplace)


def relu6(input, inplace=False):
    """min(max(input, 0), 6). Derivative: 0 at both bounds."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """min(max(input, min_val), max_val). Derivative: 0 at both bounds."""
    return _map(lambda x: ROWS["hardtanh"](x, min_val, max_val), input, inplace)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """The input where it is above 0, elsewhere `negative_slope` times the input. Derivative: the slope at 0."""
    return _map(lambda x: ROWS["leaky_relu"](x, negative_slope), input, inplace)


def prelu(input, weight):
    """As leaky_relu, with a slope that is learned: one number, or one for each channel, the second axis of the input."""
    input, weight = as_tensor_operand(input, "prelu"), as_tensor_operand(weight, "prelu")
    ndim = len(input._shape)
    if len(weight._shape) == 1 and ndim > 1 and weight._shape != (1,):
        weight = reshape(weight, *[-1 if a == 1 else 1 for a in range(ndim)])
    return ROWS["leaky_relu"](input, weight)


def elu(input, alpha=1.0, inplace=False):
    """The input where it is above 0, elsewhere alpha * (exp(input) - 1)."""
    return _map(lambda x: ROWS["elu"](x, alpha), input, inplace)


def selu(input, inplace=False):
    """1.0507... times elu(input, 1.6732...), by which layers keep mean 0 and variance 1."""
    return _map(lambda x: _SELU_SCALE * ROWS["elu"](x, _SELU_ALPHA), input, inplace)


def celu(input, alpha=1.0, inplace=False):
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""
    return _map(lambda x: ROWS["maximum"](x, 0.0) + ROWS["expm1"](ROWS["minimum"](x, 0.0) / alpha) * alpha, input, inplace)


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
    return _map(ROWS["silu"], input, inplace)


def mish(input, inplace=False):
    """input * tanh(softplus(input))."""
    return _map(lambda x: ROWS["multiply"](x, ROWS["tanh"](ROWS["softplus"](x))), input, inplace)


def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * input)) / beta; the input itself where beta * input is above the threshold."""
    return ROWS["softplus_below"](input, beta, threshold)


def softsign(input):
    """input / (1 + |input|)."""
    return ROWS["divide"](input, 1 + ROWS["abs"](input))


def hardsigmoid(input, inplace=False):
    """min(max(input + 3, 0), 6) / 6. Derivative: 0 at both bounds."""
    return _map(lambda x: ROWS["hardtanh"](ROWS["add"](x, 3.0), 0.0, 6.0) / 6, input, inplace)


def hardswish(input, inplace=False):
    """input * hardsigmoid(input)."""
    return _map(lambda x: ROWS["multiply"](x, hardsigmoid(x)), input, inplace)


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


# Layers ---------------------------------------------------------------------------------------------------------------

def linear(input, weight, bias=None):
    """input @ weight.T + bias."""
    weight = as_tensor_operand(weight, "linear")
    out = matmul(input, swapaxes(weight, -1, -2) if len(weight._shape) > 1 else weight)
    return out if bias is None else ROWS["add"](out, bias)


def dropout(input, p=0.5, training=True, inplace=False):
    """In training, each element is set to 0 with probability `p`, and the others are divided by 1 - p."""
    if not 0 <= p <= 1:
        raise ValueError(f"the probability of dropout is between 0 and 1, not {p}")
    input = floating(input, "dropout")
    if not training or p == 0:
        return input
    kept = rand(input._shape)._array() >= p
    factor = np.zeros(input._shape, input.dtype) if p == 1 else kept.astype(input.dtype) / input.dtype.type(1 - p)
    return _map(lambda x: ROWS["multiply"](x, factor), input, inplace)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """(input - mean) / sqrt(variance + eps) over the last axes, whose shape is `normalized_shape`; then * weight + bias."""
    input = as_tensor_operand(input, "layer_norm")
    shape = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    if not shape or input._shape[-len(shape):] != shape:
        raise ValueError(f"the last axes of the input, of shape {input._shape}, should have the normalized_shape {shape}")
    axes = tuple(range(-len(shape), 0))
    centred = input - mean(input, axes, True)
    out = centred * ROWS["rsqrt"](mean(ROWS["square"](centred), axes, True) + eps)
    out = out if weight is None else ROWS["multiply"](out, weight)
    return out if bias is None else ROWS["add"](out, bias)


def one_hot(tensor, num_classes=-1):
    """For each class index a vector of zeros with a 1 at its place, int64; without `num_classes`, up to the largest index."""
    index = as_tensor_operand(tensor, "one_hot")
    if index.dtype.kind not in "iu":
        raise TypeError(f"one_hot takes integers, and this tensor is {index.dtype}")
    array, num_classes = index._array(), integer(num_classes, "one_hot")
    least, most = (int(array.min()), int(array.max())) if array.size else (0, -1)
    if num_classes == -1:
        if not array.size:
            raise ValueError("one_hot of no elements needs num_classes")
        num_classes = most + 1
    if least < 0 or most >= num_classes:
        raise ValueError(f"class indices go from 0 to num_classes - 1 = {num_classes - 1}, and these from {least} to {most}")
    check_size(num_classes, "one_hot")
    return wrap((array[..., None] == np.arange(num_classes)).astype(np.int64))


def _norm(x, p, dim, keepdim, least):
    """The p-norm along an axis, at least `least`; its derivative is 0 where it is smaller."""
    if p == 2:
        return ROWS["sqrt"](clamp_min(sum(ROWS["square"](x), dim, keepdim), least * least))
    if p == 1:
        return clamp_min(sum(ROWS["abs"](x), dim, keepdim), least)
    if p == math.inf:
        return clamp_min(amax(ROWS["abs"](x), dim, keepdim), least)
    total = clamp_min(sum(power(ROWS["abs"](x), p), dim, keepdim), float(np.finfo(x.dtype).tiny))
    return clamp_min(power(total, 1 / p), least)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    """The input divided by its p-norm along `dim`, or by `eps` where that is larger."""
    input = floating(input, "normalize")
    return input / _norm(input, p, dim, True, eps)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along `dim`; lengths count as at least `eps`."""
    x1, x2 = floating(x1, "cosine_similarity"), floating(x2, "cosine_similarity")
    return sum((x1 / _norm(x1, 2, dim, True, eps)) * (x2 / _norm(x2, 2, dim, True, eps)), dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of x1 - x2 + eps along the last axis."""
    difference = ROWS["add"](ROWS["subtract"](floating(x1, "pairwise_distance"), x2), eps)
    return _norm(difference, p, -1, keepdim, math.sqrt(np.finfo(difference.dtype).tiny))


# Losses ---------------------------------------------------------------------------------------------------------------

def _reduced(loss, reduction):
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")


def _pair(input, target, name):
    """Two operands; where they are broadcast, a warning, since that is seldom what a loss is meant to do."""
    input, target = as_tensor_operand(input, name), as_tensor_operand(target, name)
    if input._shape != target._shape:
        broadcast(input._shape, target._shape)
        warnings.warn(f"{name} of shapes {input._shape} and {target._shape}, which are broadcast; give both one shape",
                      UserWarning, stacklevel=3)
    return input, target


def _same_shape(input, target, name):
    input, target = as_tensor_operand(input, name), as_tensor_operand(target, name)
    if input._shape != target._shape:
        raise ValueError(f"{name} takes an input and a target of one shape, and these have {input._shape} and {target._shape}")
    return input, target


def _weighted(loss, weight):
    return loss if weight is None else ROWS["multiply"](loss, to(as_tensor_operand(weight, "weight"), loss.dtype))


def _weighted_mean(loss, weight, reduction):
    if weight is None or reduction != "mean":
        return _reduced(_weighted(loss, weight), reduction)
    weight = broadcast_to(to(as_tensor_operand(weight, "weight"), loss.dtype), loss._shape)
    return sum(loss * weight) / sum(weight)


def mse_loss(input, target, reduction="mean", weight=None):
    """(input - target)**2. With weights, their mean is the weighted one, as PyTorch has it."""
    input, target = _pair(input, target, "mse_loss")
    return _weighted_mean(ROWS["square"](input - target), weight, reduction)


def l1_loss(input, target, reduction="mean", weight=None):
    """abs(input - target). With weights, their mean is the weighted one, as PyTorch has it. Derivative: 0 at equality."""
    input, target = _pair(input, target, "l1_loss")
    return _weighted_mean(ROWS["abs"](input - target), weight, reduction)


def _rounded(difference, width):
    """width * |d| - width**2 / 2, and d**2 / 2 where |d| is below the width."""
    near = clamp(difference, -width, width)
    return near * (difference - 0.5 * near)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d**2 / 2 where |d| is below `delta`, elsewhere delta * (|d| - delta / 2); d = input - target."""
    if delta <= 0:
        raise ValueError(f"delta of huber_loss is above 0, not {delta}")
    input, target = _pair(input, target, "huber_loss")
    return _reduced(_weighted(_rounded(input - target, delta), weight), reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """d**2 / (2 * beta) where |d| is below `beta`, elsewhere |d| - beta / 2; d = input - target."""
    if beta < 0:
        raise ValueError(f"beta of smooth_l1_loss is not below 0, and this is {beta}")
    input, target = _pair(input, target, "smooth_l1_loss")
    return _reduced(_rounded(input - target, beta) / beta if beta else ROWS["abs"](input - target), reduction)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """-(target * log(input) + (1 - target) * log(1 - input)), of probabilities; logarithms count as at least -100."""
    input, target = _same_shape(input, target, "binary_cross_entropy")
    return _reduced(_weighted(ROWS["bernoulli_loss"](input, target), weight), reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """binary_cross_entropy(sigmoid(input), target), right in both tails; `pos_weight` is the weight of targets of 1."""
    input, target = _same_shape(input, target, "binary_cross_entropy_with_logits")
    below = ROWS["softplus"](-input)
    if pos_weight is not None:
        below = below * ((as_tensor_operand(pos_weight, "pos_weight") - 1) * target + 1)
    return _reduced(_weighted((1 - target) * input + below, weight), reduction)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """-input[target] of log probabilities, whose second axis (or only one) are the classes.

    `weight` has a number for each class; the mean is weighted, too. Where the target is `ignore_index`, there is no loss.
    """
    input = as_tensor_operand(input, "nll_loss")
    return _nll(input, _classes(input, target, "nll_loss"), weight, ignore_index, reduction, 0.0)


def _class_axis(input, name):
    if not input._shape:
        raise ValueError(f"{name} takes an input with an axis of classes, and this one has no axes")
    return 0 if len(input._shape) == 1 else 1


def _classes(input, target, name):
    target = as_tensor_operand(target, name)
    axis = _class_axis(input, name)
    expected = input._shape[:axis] + input._shape[axis + 1:]
    if target.dtype.kind not in "iu":
        raise TypeError(f"{name} takes a target of class indices, integers, and this one is {target.dtype}")
    if target._shape != expected:
        raise ValueError(f"an input to {name} of shape {input._shape} goes with a target of {expected}, not {target._shape}")
    return target._array()


def _nll(logs, target, weight, ignore_index, reduction, smoothing):
    """The loss of log probabilities at classes, mixed by `smoothing` with their mean over all classes."""
    axis, count = _class_axis(logs, "nll_loss"), logs._shape[_class_axis(logs, "nll_loss")]
    ignored = target == ignore_index
    some = bool(ignored.any())
    index = np.where(ignored, 0, target) if some else target
    if index.size and not 0 <= index.min() <= index.max() < count:
        wrong = index[(index < 0) | (index >= count)].reshape(-1)[0]
        raise IndexError(f"target {wrong} is out of range for {count} classes")
    loss = -squeeze(take_along(logs, np.expand_dims(index, axis), axis), axis)
    weights = None
    if weight is not None:
        weight = to(as_tensor_operand(weight, "weight"), logs.dtype)
        if weight._shape != (count,):
            raise ValueError(f"weight has a number for each of the {count} classes, and this one has shape {weight._shape}")
        weights = getitem(weight, index)
    if some:
        kept = (~ignored).astype(logs.dtype)
        weights = wrap(kept) if weights is None else weights * kept
        loss = apply(BY_NAME["where"], ignored, 0.0, loss)
    loss = _weighted(loss, weights)
    if smoothing:
        every = logs if weight is None else logs * reshape(weight, *[-1 if a == axis else 1 for a in range(len(logs._shape))])
        even = -sum(every, axis)
        if some:
            even = apply(BY_NAME["where"], ignored, 0.0, even)
        loss = (1 - smoothing) * loss + smoothing / count * even
    if reduction == "mean" and weights is not None:
        return sum(loss) / sum(weights)
    return _reduced(loss, reduction)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """nll_loss(log_softmax(input), target) of logits, whose second axis (or only one) are the classes.

    `target` has class indices, or, in the shape of the input, probabilities. `label_smoothing` mixes it with the uniform
    distribution.
    """
    input, target = as_tensor_operand(input, "cross_entropy"), as_tensor_operand(target, "cross_entropy")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing is between 0 and 1, not {label_smoothing}")
    axis = _class_axis(input, "cross_entropy")
    logs = _log_softmax(input, axis)
    if target.dtype not in FLOATS:
        return _nll(logs, _classes(input, target, "cross_entropy"), weight, ignore_index, reduction, label_smoothing)
    input, target = _same_shape(input, target, "cross_entropy of probabilities")
    count = input._shape[axis]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / count
    if weight is not None:
        weight = to(as_tensor_operand(weight, "weight"), logs.dtype)
        logs = logs * reshape(weight, *[-1 if a == axis else 1 for a in range(len(input._shape))])
    loss = -sum(logs * target, axis)
    return _reduced(loss, reduction)


def kl_div(input, target, reduction="mean", log_target=False):
    """target * (log(target) - input), of log probabilities; "batchmean" divides the sum by the length of the first axis.

    With `log_target` the target is given as log probabilities, too.
    """
    input, target = _pair(input, target, "kl_div")
    if log_target:
        loss = ROWS["exp"](target) * (target - input)
    else:
        loss = ROWS["xlogy"](target, target) - target * input
    if reduction == "batchmean":
        return sum(loss) / (loss._shape[0] if loss._shape else 1)
    return _reduced(loss, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
    """exp(input) - target * input, or without `log_input` input - target * log(input + eps).

    `full` adds Stirling's approximation of log(target!) where the target is above 1.
    """
    input, target = _pair(input, target, "poisson_nll_loss")
    if log_input:
        loss = ROWS["exp"](input) - target * input
    else:
        loss = input - target * ROWS["log"](input + eps)
    if full:
        large = target._array() > 1
        safe = where(large, target, 1.0)
        stirling = safe * ROWS["log"](safe) - safe + 0.5 * ROWS["log"](2 * math.pi * safe)
        loss = loss + where(large, stirling, 0.0)
    return _reduced(loss, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log(var) + (input - target)**2 / var) / 2, where `var` counts as at least `eps`; `full` adds log(2 * pi) / 2.

    `var` has the shape of the input, or 1 or nothing in the place of the last axis.
    """
    input, target = _pair(input, target, "gaussian_nll_loss")
    var = as_tensor_operand(var, "gaussian_nll_loss")
    if var._shape != input._shape:
        if input._shape[:-1] == var._shape:
            var = unsqueeze(var, -1)
        elif var._shape and (input._shape[:-1] != var._shape[:-1] or var._shape[-1] != 1):
            raise ValueError(f"var of shape {var._shape} doesn't fit the input's shape {input._shape}")
    values = var._array()
    if np.any(values < 0):
        raise ValueError("var has elements below 0, and a variance can't be")
    if np.any(values < eps):                 # raised without the gradient's notice, as in PyTorch
        var = var + np.maximum(eps - values, 0)
    loss = 0.5 * (ROWS["log"](var) + ROWS["square"](input - target) / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
    """The input where the target is 1, and max(0, margin - input) where it is -1."""
    input, target = _pair(input, target, "hinge_embedding_loss")
    sign = target._array()
    loss = where(sign != 1, clamp_min(margin - input, 0.0), 0.0) + where(sign != -1, input, 0.0)
    return _reduced(loss, reduction)
