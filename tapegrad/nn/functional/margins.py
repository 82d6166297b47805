"""Losses that are 0 beyond a margin: of similar and other pairs, of ranks, of triplets."""
from ...tensor.arithmetic import clamp_min, where
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.structure import as_tensor_operand, sum
from .distances import pairwise_distance
from .reduction import pair, reduced, same_shape


def hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
    """The input where the target is 1, and max(0, margin - input) where it is -1."""
    input, target = pair(input, target, "hinge_embedding_loss")
    sign = target._array()
    loss = where(sign != 1, clamp_min(margin - input, 0.0), 0.0) + where(sign != -1, input, 0.0)
    return reduced(loss, reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """max(0, margin - target * (input1 - input2)): where the target is 1 the first should be larger, where it is -1 the second.

    ValueError where the three don't have the same number of axes.

    >>> import tapegrad as tg
    >>> tg.nn.functional.margin_ranking_loss([3.0, 1.0], [1.0, 2.0], [1, 1], reduction="none")
    tensor([0., 1.])
    """
    input1, input2, target = _of_same_ndim("margin_ranking_loss", input1, input2, target)
    return reduced(clamp_min(-target * (input1 - input2) + margin, 0.0), reduction)


def _of_same_ndim(name, *tensors):
    tensors = [as_tensor_operand(x, name) for x in tensors]
    if len({len(x._shape) for x in tensors}) > 1:
        shapes = ", ".join([str(x._shape) for x in tensors])
        raise ValueError(f"{name} takes tensors of the same number of axes, and these have the shapes {shapes}")
    return tensors


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction="mean"):
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), where d is `pairwise_distance` with `p` and `eps`.

    With `swap` the distance between the positive and the negative counts, where it is smaller. ValueError for a margin that is
    not above 0, or where the three don't have the same number of axes.

    >>> import tapegrad as tg
    >>> tg.nn.functional.triplet_margin_loss([[0.0, 0.0]], [[3.0, 4.0]], [[0.0, 2.0]], eps=0.0)
    tensor(4.)
    """
    if margin <= 0:
        raise ValueError(f"the margin of triplet_margin_loss is above 0, not {margin}")
    anchor, positive, negative = _of_same_ndim("triplet_margin_loss", anchor, positive, negative)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ROWS["minimum"](far, pairwise_distance(positive, negative, p, eps))
    return reduced(clamp_min(margin + near - far, 0.0), reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """1 - cosine where the target is 1, and max(0, cosine - margin) where it is -1, of the angle between two vectors.

    Shapes: (samples, n) twice and (samples,), or of one pair (n,) twice and (). ValueError for others.

    >>> import tapegrad as tg
    >>> tg.nn.functional.cosine_embedding_loss([[1.0, 0.0]] * 2, [[0.0, 2.0], [2.0, 0.0]], [1, -1], 0.25, "none")
    tensor([1.0000, 0.7500])
    """
    input1, input2 = same_shape(input1, input2, "cosine_embedding_loss")
    target = as_tensor_operand(target, "cosine_embedding_loss")
    if target._shape != input1._shape[:-1] or len(input1._shape) not in (1, 2):
        raise ValueError("cosine_embedding_loss takes inputs of shape (samples, n) and a target of (samples,), or (n,) and (), "
                         f"not {input1._shape} and {target._shape}")
    squares = [sum(ROWS["square"](x), -1) + 1e-12 for x in (input1, input2)]
    cosine = sum(input1 * input2, -1) / ROWS["sqrt"](squares[0] * squares[1])
    sign = target._array()
    loss = where(sign == 1, 1 - cosine, 0.0) + where(sign == -1, clamp_min(cosine - margin, 0.0), 0.0)
    return reduced(loss, reduction)
