"""Layers without parameters of their own: linear ones, embeddings, dropout, padding, attention."""
import math

import numpy as np

from ...autograd import no_grad
from ...tensor import inplace as writing
from ...tensor.arithmetic import floating, where
from ...tensor.core import FLOATS, wrap
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.norms import renorm
from ...tensor.random import exponential_, rand
from ...tensor.structure import amax, argmax, as_tensor_operand, einsum, matmul, pad_last_axes, scatter, softmax, swapaxes
from ...tensor.structure.arguments import check_size, index_array, integer
from ...tensor.structure.arranging import repeat_interleave
from ...tensor.structure.selection import picked
from .activations import mapped


def linear(input, weight, bias=None):
    """input @ weight.T + bias."""
    weight = as_tensor_operand(weight, "linear")
    out = matmul(input, swapaxes(weight, -1, -2) if len(weight._shape) > 1 else weight)
    return out if bias is None else ROWS["add"](out, bias)


def bilinear(input1, input2, weight, bias=None):
    """For each output o: input1 @ weight[o] @ input2 + bias[o].

    Shapes: (..., n) and (..., m), a weight of (outputs, n, m), and a result of (..., outputs). ValueError for others.

    >>> import tapegrad as tg
    >>> tg.nn.functional.bilinear([1.0, 2.0], [3.0, 4.0], [[[1.0, 0.0], [0.0, 1.0]]])
    tensor([11.])
    """
    input1, input2, weight = (floating(x, "bilinear") for x in (input1, input2, weight))
    if (len(weight._shape) != 3 or not input1._shape or input1._shape[:-1] != input2._shape[:-1]
            or (input1._shape[-1], input2._shape[-1]) != weight._shape[1:]):
        raise ValueError("bilinear takes inputs of shapes (..., n) and (..., m) and a weight of shape (outputs, n, m), not "
                         f"{input1._shape}, {input2._shape} and {weight._shape}")
    out = einsum("...n,onm,...m->...o", input1, weight, input2)
    return out if bias is None else ROWS["add"](out, bias)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """The rows of `weight`, a matrix, at the indices of the input, whose shape (...) becomes (..., columns).

    The row `padding_idx` gets no gradient. With `max_norm`, rows that are picked and longer are first shortened to it, in place.
    IndexError for indices outside of the rows. There is no sparse gradient, and none that is scaled by frequency.

    >>> import tapegrad as tg
    >>> tg.nn.functional.embedding(tg.tensor([2, 0]), tg.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    tensor([[4., 5.],
            [0., 1.]])
    """
    if scale_grad_by_freq or sparse:
        raise NotImplementedError("embedding has no sparse gradients, and none that are scaled by frequency; leave sparse= and "
                                  "scale_grad_by_freq= out")
    index, weight = index_array(input, "embedding"), as_tensor_operand(weight, "embedding")
    if len(weight._shape) != 2:
        raise ValueError(f"embedding takes a matrix, a row for each index, and the weight's shape is {weight._shape}")
    rows, columns = weight._shape
    outside = index[(index < 0) | (index >= rows)]
    if outside.size:
        raise IndexError(f"embedding: index {outside[0]} is out of range for a weight of {rows} rows")
    if padding_idx is not None:
        padding_idx = integer(padding_idx, "embedding")
        if not -rows <= padding_idx < rows:
            raise IndexError(f"padding_idx of embedding is a row of {rows}, not {padding_idx}")
    if max_norm is not None and index.size:
        used = np.unique(index)
        with no_grad():
            writing.setitem(weight, used, renorm(weight[used], norm_type, 0, max_norm))
    out = picked(weight, index[..., None] * columns + np.arange(columns), "Embedding")
    if padding_idx is None:
        return out
    padding = np.broadcast_to((index == padding_idx % rows)[..., None], out._shape)
    return where(padding, out.detach(), out) if padding.any() else out


def dropout(input, p=0.5, training=True, inplace=False):
    """In training, each element is set to 0 with probability `p`, and the others are divided by 1 - p."""
    if not 0 <= p <= 1:
        raise ValueError(f"the probability of dropout is between 0 and 1, not {p}")
    input = floating(input, "dropout")
    if not training or p == 0:
        return input
    kept = rand(input._shape)._array() >= p
    factor = np.zeros(input._shape, input.dtype) if p == 1 else kept.astype(input.dtype) / input.dtype.type(1 - p)
    return mapped(lambda x: ROWS["multiply"](x, factor), input, inplace)


def pad(input, pad, mode="constant", value=None):
    """With elements before and after axes: widths in pairs, those of the last axis first; negative ones take elements away.

    Modes: 'constant', with `value` or 0; 'reflect'; 'replicate', the elements at the ends; 'circular'. ValueError for widths
    that there aren't elements enough for.

    >>> import tapegrad as tg
    >>> tg.nn.functional.pad(tg.tensor([[1.0, 2.0, 3.0]]), (2, 1), "reflect")
    tensor([[3., 2., 1., 2., 3., 2.]])
    """
    return pad_last_axes(input, pad, mode, value)


def gumbel_softmax(logits, tau=1.0, hard=False, eps=1e-10, dim=-1):
    """softmax of (logits + noise) / tau along an axis, with noise from Gumbel's distribution: nearly a random choice of a class.

    With `hard` the value is that choice, 1 and zeros, with the derivative of the softmax. `eps` may be given, and changes
    nothing.

    >>> import tapegrad as tg
    >>> tg.nn.functional.gumbel_softmax(tg.tensor([0.0, 100.0]), hard=True)
    tensor([0., 1.])
    """
    logits = floating(logits, "gumbel_softmax")
    noise = -ROWS["log"](exponential_(wrap(np.empty(logits._shape, logits.dtype))))
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    chosen = scatter(wrap(np.zeros(soft._shape, soft.dtype)), dim, argmax(soft, dim, True), 1.0)
    return chosen - soft.detach() + soft


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


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """softmax(query @ key.mT * scale) @ value: for each query the mean of the values, weighted by how the keys fit.

    Shapes: (..., L, E), (..., S, E) and (..., S, V) give (..., L, V). `scale` is by default 1 / sqrt(E). `attn_mask`, broadcast
    to (..., L, S), is added to the scores, or, of bools, says which keys count; a query for which none does gets 0. With
    `is_causal` query i sees the keys up to i. With `enable_gqa` a head of keys and values, the third last axis, serves several
    heads of queries. ValueError for shapes that don't fit.

    >>> import tapegrad as tg
    >>> values = tg.tensor([[1.0], [2.0], [6.0]])
    >>> tg.nn.functional.scaled_dot_product_attention(tg.zeros(3, 2), tg.zeros(3, 2), values, is_causal=True)
    tensor([[1.0000],
            [1.5000],
            [3.0000]])
    """
    query, key, value = (floating(x, "scaled_dot_product_attention") for x in (query, key, value))
    shapes = query._shape, key._shape, value._shape
    if min(map(len, shapes)) < 2 or shapes[0][-1] != shapes[1][-1] or shapes[1][-2] != shapes[2][-2]:
        raise ValueError("scaled_dot_product_attention takes tensors of shapes (..., L, E), (..., S, E) and (..., S, V), not of "
                         f"{shapes[0]}, {shapes[1]} and {shapes[2]}")
    if enable_gqa:
        key, value = _as_many_heads(key, query), _as_many_heads(value, query)
    scale = 1 / math.sqrt(max(shapes[0][-1], 1)) if scale is None else scale
    scores = matmul(query * scale, swapaxes(key, -1, -2))
    if is_causal:
        if attn_mask is not None:
            raise ValueError("scaled_dot_product_attention takes an attn_mask or is_causal=True, and both were given")
        scores = where(np.tri(*scores._shape[-2:], dtype=bool), scores, -math.inf)
    weights = softmax(scores, -1) if attn_mask is None else _masked_softmax(scores, as_tensor_operand(attn_mask, "attn_mask"))
    return matmul(dropout(weights, dropout_p), value)


def _as_many_heads(x, query):
    """`x` with each of its heads several times, so that there are as many as the query has."""
    if min(len(x._shape), len(query._shape)) < 3 or query._shape[-3] % max(x._shape[-3], 1):
        raise ValueError(f"the heads of queries of shape {query._shape}, the third last axis, are no multiple of those of shape "
                         f"{x._shape}")
    return repeat_interleave(x, query._shape[-3] // max(x._shape[-3], 1), -3)


def _masked_softmax(scores, mask):
    """softmax of scores with a mask, and 0 where that leaves nothing."""
    if mask.dtype == bool:
        scores = where(mask, scores, -math.inf)
    elif mask.dtype in FLOATS:
        scores = ROWS["add"](scores, mask)
    else:
        raise TypeError(f"an attn_mask is of bools or floats, and this one is {mask.dtype}")
    if not scores._shape[-1]:
        return scores
    nothing = amax(scores, -1, True) == -math.inf
    return where(nothing, 0.0, softmax(where(nothing, 0.0, scores), -1))
