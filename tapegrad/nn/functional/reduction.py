"""What losses share: their reduction, weights, and checks of shapes."""
import warnings

from ...tensor.conversion import to
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.elementwise import broadcast
from ...tensor.structure import as_tensor_operand, broadcast_to, mean, sum


def reduced(loss, reduction):
    """The loss of each element, or of all together."""
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")


def pair(input, target, name):
    """Two operands; where they are broadcast, a warning, since that is seldom what a loss is meant to do."""
    input, target = as_tensor_operand(input, name), as_tensor_operand(target, name)
    if input._shape != target._shape:
        broadcast(input._shape, target._shape)
        warnings.warn(f"{name} of shapes {input._shape} and {target._shape}, which are broadcast; give both one shape",
                      UserWarning, stacklevel=3)
    return input, target


def same_shape(input, target, name):
    """Two operands of one shape. ValueError for others."""
    input, target = as_tensor_operand(input, name), as_tensor_operand(target, name)
    if input._shape != target._shape:
        raise ValueError(f"{name} takes an input and a target of one shape, and these have {input._shape} and {target._shape}")
    return input, target


def weighted(loss, weight):
    """Times a weight, where there is one."""
    return loss if weight is None else ROWS["multiply"](loss, to(as_tensor_operand(weight, "weight"), loss.dtype))


def weighted_mean(loss, weight, reduction):
    """Weighted and reduced; a mean is divided by the sum of the weights."""
    if weight is None or reduction != "mean":
        return reduced(weighted(loss, weight), reduction)
    weight = broadcast_to(to(as_tensor_operand(weight, "weight"), loss.dtype), loss._shape)
    return sum(loss * weight) / sum(weight)
