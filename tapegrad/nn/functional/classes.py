"""Losses of classes."""
import numpy as np

from ...ops import BY_NAME
from ...tensor.conversion import to
from ...tensor.core import FLOATS, wrap
from ...tensor.elementwise import apply
from ...tensor.structure import as_tensor_operand, getitem, log_softmax, reshape, squeeze, sum, take_along
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
