"""Losses of an input and a target of one shape."""
import math

import numpy as np

from ...tensor.arithmetic import clamp, where
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.structure import as_tensor_operand, sum, unsqueeze
from .reduction import pair, reduced, same_shape, weighted, weighted_mean


def mse_loss(input, target, reduction="mean", weight=None):
    """(input - target)**2. With weights, their mean is the weighted one, as PyTorch has it."""
    input, target = pair(input, target, "mse_loss")
    return weighted_mean(ROWS["square"](input - target), weight, reduction)


def l1_loss(input, target, reduction="mean", weight=None):
    """abs(input - target). With weights, their mean is the weighted one, as PyTorch has it. Derivative: 0 at equality."""
    input, target = pair(input, target, "l1_loss")
    return weighted_mean(ROWS["abs"](input - target), weight, reduction)


def _rounded(difference, width):
    """width * |d| - width**2 / 2, and d**2 / 2 where |d| is below the width."""
    near = clamp(difference, -width, width)
    return near * (difference - 0.5 * near)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """d**2 / 2 where |d| is below `delta`, elsewhere delta * (|d| - delta / 2); d = input - target."""
    if delta <= 0:
        raise ValueError(f"delta of huber_loss is above 0, not {delta}")
    input, target = pair(input, target, "huber_loss")
    return reduced(weighted(_rounded(input - target, delta), weight), reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """d**2 / (2 * beta) where |d| is below `beta`, elsewhere |d| - beta / 2; d = input - target."""
    if beta < 0:
        raise ValueError(f"beta of smooth_l1_loss is not below 0, and this is {beta}")
    input, target = pair(input, target, "smooth_l1_loss")
    return reduced(_rounded(input - target, beta) / beta if beta else ROWS["abs"](input - target), reduction)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """-(target * log(input) + (1 - target) * log(1 - input)), of probabilities; logarithms count as at least -100."""
    input, target = same_shape(input, target, "binary_cross_entropy")
    return reduced(weighted(ROWS["bernoulli_loss"](input, target), weight), reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """binary_cross_entropy(sigmoid(input), target), right in both tails; `pos_weight` is the weight of targets of 1."""
    input, target = same_shape(input, target, "binary_cross_entropy_with_logits")
    below = ROWS["softplus"](-input)
    if pos_weight is not None:
        below = below * ((as_tensor_operand(pos_weight, "pos_weight") - 1) * target + 1)
    return reduced(weighted((1 - target) * input + below, weight), reduction)


def kl_div(input, target, reduction="mean", log_target=False):
    """target * (log(target) - input), of log probabilities; "batchmean" divides the sum by the length of the first axis.

    With `log_target` the target is given as log probabilities, too.
    """
    input, target = pair(input, target, "kl_div")
    if log_target:
        loss = ROWS["exp"](target) * (target - input)
    else:
        loss = ROWS["xlogy"](target, target) - target * input
    if reduction == "batchmean":
        return sum(loss) / (loss._shape[0] if loss._shape else 1)
    return reduced(loss, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
    """exp(input) - target * input, or without `log_input` input - target * log(input + eps).

    `full` adds Stirling's approximation of log(target!) where the target is above 1.
    """
    input, target = pair(input, target, "poisson_nll_loss")
    if log_input:
        loss = ROWS["exp"](input) - target * input
    else:
        loss = input - target * ROWS["log"](input + eps)
    if full:
        large = target._array() > 1
        safe = where(large, target, 1.0)
        stirling = safe * ROWS["log"](safe) - safe + 0.5 * ROWS["log"](2 * math.pi * safe)
        loss = loss + where(large, stirling, 0.0)
    return reduced(loss, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log(var) + (input - target)**2 / var) / 2, where `var` counts as at least `eps`; `full` adds log(2 * pi) / 2.

    `var` has the shape of the input, or 1 or nothing in the place of the last axis.
    """
    input, target = pair(input, target, "gaussian_nll_loss")
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
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def soft_margin_loss(input, target, reduction="mean"):
    """log(1 + exp(-target * input)), of targets of 1 and -1."""
    input, target = same_shape(input, target, "soft_margin_loss")
    return reduced(ROWS["softplus"](-target * input), reduction)
