"""Losses of classes."""
import numpy as np

from ...ops import BY_NAME
from ...tensor.arithmetic import clamp_min
from ...tensor.conversion import to
from ...tensor.core import FLOATS, wrap
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.elementwise import apply
from ...tensor.structure import as_tensor_operand, getitem, log_softmax, mean, reshape, squeeze, sum, take_along
from .losses import binary_cross_entropy_with_logits
from .reduction import reduced, same_shape, weighted


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


def _checked(target, count):
    """Class indices, all of them there. IndexError for others."""
    wrong = target[(target < 0) | (target >= count)]
    if wrong.size:
        raise IndexError(f"target {wrong[0]} is out of range for {count} classes")
    return target


def _class_weights(weight, count, dtype):
    """A number for each class."""
    weight = to(as_tensor_operand(weight, "weight"), dtype)
    if weight._shape != (count,):
        raise ValueError(f"weight has a number for each of the {count} classes, and this one has shape {weight._shape}")
    return weight


def _nll(logs, target, weight, ignore_index, reduction, smoothing):
    """The loss of log probabilities at classes, mixed by `smoothing` with their mean over all classes."""
    axis, count = _class_axis(logs, "nll_loss"), logs._shape[_class_axis(logs, "nll_loss")]
    ignored = target == ignore_index
    some = bool(ignored.any())
    index = _checked(np.where(ignored, 0, target) if some else target, count)
    loss = -squeeze(take_along(logs, np.expand_dims(index, axis), axis), axis)
    weights = None
    if weight is not None:
        weight = _class_weights(weight, count, logs.dtype)
        weights = getitem(weight, index)
    if some:
        kept = (~ignored).astype(logs.dtype)
        weights = wrap(kept) if weights is None else weights * kept
        loss = apply(BY_NAME["where"], ignored, 0.0, loss)
    loss = weighted(loss, weights)
    if smoothing:
        every = logs if weight is None else logs * reshape(weight, *[-1 if a == axis else 1 for a in range(len(logs._shape))])
        even = -sum(every, axis)
        if some:
            even = apply(BY_NAME["where"], ignored, 0.0, even)
        loss = (1 - smoothing) * loss + smoothing / count * even
    if reduction == "mean" and weights is not None:
        return sum(loss) / sum(weights)
    return reduced(loss, reduction)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """nll_loss(log_softmax(input), target) of logits, whose second axis (or only one) are the classes.

    `target` has class indices, or, in the shape of the input, probabilities. `label_smoothing` mixes it with the uniform
    distribution.
    """
    input, target = as_tensor_operand(input, "cross_entropy"), as_tensor_operand(target, "cross_entropy")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing is between 0 and 1, not {label_smoothing}")
    axis = _class_axis(input, "cross_entropy")
    logs = log_softmax(input, axis)
    if target.dtype not in FLOATS:
        return _nll(logs, _classes(input, target, "cross_entropy"), weight, ignore_index, reduction, label_smoothing)
    input, target = same_shape(input, target, "cross_entropy of probabilities")
    count = input._shape[axis]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / count
    if weight is not None:
        weight = to(as_tensor_operand(weight, "weight"), logs.dtype)
        logs = logs * reshape(weight, *[-1 if a == axis else 1 for a in range(len(input._shape))])
    loss = -sum(logs * target, axis)
    return reduced(loss, reduction)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction="mean"):
    """sum(max(0, margin - input[target] + input[i]) ** p) / classes over all other classes i, times weight[target].

    Shapes: (samples, classes) and (samples,), or (classes,) and (). ValueError for p other than 1 and 2.

    >>> import tapegrad as tg
    >>> tg.nn.functional.multi_margin_loss([0.5, 1.0, 0.0, 0.0], 1)
    tensor(0.1250)
    """
    input = as_tensor_operand(input, "multi_margin_loss")
    if p not in (1, 2) or len(input._shape) not in (1, 2):
        raise ValueError(f"multi_margin_loss takes p of 1 or 2, and shape (samples, classes) or (classes,), not {p} and "
                         f"{input._shape}")
    target = _checked(_classes(input, target, "multi_margin_loss"), input._shape[-1])
    index, count = np.expand_dims(target, -1), input._shape[-1]
    gaps = clamp_min(margin - take_along(input, index, -1) + input, 0.0)
    others = (np.arange(count) != index).astype(gaps.dtype)              # the class itself would add the margin
    loss = sum((gaps if p == 1 else ROWS["square"](gaps)) * others, -1) / count
    return reduced(weighted(loss, None if weight is None else getitem(_class_weights(weight, count, loss.dtype), target)),
                   reduction)


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean"):
    """The mean over classes, the last axis, of binary_cross_entropy_with_logits(input, target), times a weight for each class."""
    loss = binary_cross_entropy_with_logits(input, target, weight, "none")
    return reduced(mean(loss, -1), reduction)
