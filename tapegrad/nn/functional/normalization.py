"""Normalization: to mean 0 and variance 1, or to mean square 1, over some axes."""
import numpy as np

from ...autograd import no_grad
from ...tensor.arithmetic import floating
from ...tensor.core import Tensor
from ...tensor.elementwise import FUNCTIONS as ROWS
from ...tensor.elementwise import describe, size_of
from ...tensor.inplace import copy_
from ...tensor.structure import as_tensor_operand, mean, reshape
from ...tensor.structure.arguments import integer


def _last_axes(input, normalized_shape):
    """The last axes, whose shape is `normalized_shape`."""
    shape = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    if not shape or input._shape[-len(shape):] != shape:
        raise ValueError(f"the last axes of the input, of shape {input._shape}, should have the normalized_shape {shape}")
    return tuple(range(-len(shape), 0))


def _standard(x, axes, eps):
    """(x - mean) / sqrt(variance + eps) over some axes."""
    centred = x - mean(x, axes, True)
    return centred * ROWS["rsqrt"](mean(ROWS["square"](centred), axes, True) + eps)


def _scaled(x, weight, bias):
    """x * weight + bias, as far as they are there."""
    x = x if weight is None else ROWS["multiply"](x, weight)
    return x if bias is None else ROWS["add"](x, bias)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """(input - mean) / sqrt(variance + eps) over the last axes, whose shape is `normalized_shape`; then * weight + bias."""
    input = as_tensor_operand(input, "layer_norm")
    return _scaled(_standard(input, _last_axes(input, normalized_shape), eps), weight, bias)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """input / sqrt(mean of squares + eps) over the last axes, whose shape is `normalized_shape`; then * weight.

    `eps` is by default that of the dtype. ValueError where the shape of the input doesn't end so.

    >>> import tapegrad as tg
    >>> tg.nn.functional.rms_norm(tg.tensor([1.0, 7.0]), (2,))
    tensor([0.2000, 1.4000])
    """
    input = floating(input, "rms_norm")
    axes = _last_axes(input, normalized_shape)
    eps = float(np.finfo(input.dtype).eps) if eps is None else eps
    return _scaled(input * ROWS["rsqrt"](mean(ROWS["square"](input), axes, True) + eps), weight, None)


# By channels ------------------------------------------------------------------------------------------------------------

def _channels(input, name):
    """The number of channels, which are the second axis."""
    if len(input._shape) < 2:
        raise ValueError(f"{name} takes an input of shape (samples, channels, ...), and this one's shape is {input._shape}")
    return input._shape[1]


def _by_channel(value, input, name):
    """A number for each channel, in the place of that axis; None for None."""
    if value is None:
        return None
    value, count = as_tensor_operand(value, name), input._shape[1]
    if value._shape != (count,):
        raise ValueError(f"{name} has a number for each of {count} channels, the second axis of the input's shape "
                         f"{input._shape}, and this one's shape is {value._shape}")
    return reshape(value, -1, *(1,) * (len(input._shape) - 2))


def _check_several(count, input, name):
    if count == 1:
        raise ValueError(f"{name} needs more than one number to take a variance of, and the shape is {input._shape}")


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """(input - mean) / sqrt(variance + eps) over groups of channels, for each sample; then * weight + bias.

    The shape of the input is (samples, channels, ...), `weight` and `bias` have a number for each channel. ValueError where
    the channels don't go into `num_groups` groups of one size.

    >>> import tapegrad as tg
    >>> tg.nn.functional.group_norm(tg.tensor([[1.0, 3.0, 0.0, 40.0]]), 2, eps=0.0)
    tensor([[-1.,  1., -1.,  1.]])
    """
    input, num_groups = floating(input, "group_norm"), integer(num_groups, "group_norm")
    count = _channels(input, "group_norm")
    if num_groups < 1 or count % num_groups:
        raise ValueError(f"group_norm can't make {num_groups} groups of {count} channels, the second axis of shape "
                         f"{input._shape}")
    _check_several(size_of(input._shape) // num_groups, input, "group_norm")
    weight, bias = _by_channel(weight, input, "weight"), _by_channel(bias, input, "bias")
    groups = reshape(input, input._shape[0], num_groups, size_of(input._shape[1:]) // num_groups)
    return _scaled(reshape(_standard(groups, (-1,), eps), input._shape), weight, bias)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """(input - mean) / sqrt(variance + eps) for each channel, the second axis; then * weight + bias.

    In training, mean and variance are those of the batch: over all axes but the second. `running_mean` and `running_var`,
    tensors with a number for each channel or None, then move toward them by the part `momentum`, the variance with n - 1.
    Otherwise they are the mean and the variance, as constants.

    >>> import tapegrad as tg
    >>> x, mean, var = tg.tensor([[1.0], [3.0]]), tg.zeros(1), tg.ones(1)
    >>> tg.nn.functional.batch_norm(x, mean, var, training=True, momentum=0.5, eps=0.0)
    tensor([[-1.],
            [ 1.]])
    >>> mean, var
    (tensor([1.]), tensor([1.5000]))
    """
    input = floating(input, "batch_norm")
    count = size_of(input._shape) // max(_channels(input, "batch_norm"), 1)
    for running, name in ((running_mean, "running_mean"), (running_var, "running_var")):
        if running is None and not training:
            raise ValueError(f"batch_norm needs {name} unless it is in training; give it, or training=True")
        if training:
            _check_running(running, name, "batch_norm")
    weight, bias = _by_channel(weight, input, "weight"), _by_channel(bias, input, "bias")
    shaped = [_by_channel(v, input, name) for v, name in ((running_mean, "running_mean"), (running_var, "running_var"))]
    if not training:
        centre, variance = (v.detach() for v in shaped)
        return _scaled((input - centre) * ROWS["rsqrt"](variance + eps), weight, bias)
    _check_several(count, input, "batch_norm")
    axes = (0, *range(2, len(input._shape)))
    _move(running_mean, lambda: mean(input, axes), momentum)
    _move(running_var, lambda: input.var(axes), momentum)
    return _scaled(_standard(input, axes, eps), weight, bias)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
                  eps=1e-5):
    """(input - mean) / sqrt(variance + eps) for each sample and channel, over all other axes; then * weight + bias.

    The shape of the input is (samples, channels, ...). Running statistics move as those of `batch_norm`, toward the mean over the
    samples; without `use_input_stats` they are the mean and the variance.

    >>> import tapegrad as tg
    >>> tg.nn.functional.instance_norm(tg.tensor([[[1.0, 3.0]]]), eps=0.0)
    tensor([[[-1.,  1.]]])
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, eps=eps)
    input = floating(input, "instance_norm")
    samples, channels = input._shape[0] if input._shape else 0, _channels(input, "instance_norm")
    _check_several(size_of(input._shape[2:]), input, "instance_norm")
    weight, bias = _by_channel(weight, input, "weight"), _by_channel(bias, input, "bias")
    for running, name in ((running_mean, "running_mean"), (running_var, "running_var")):
        _check_running(running, name, "instance_norm")
        _by_channel(running, input, name)
    numbers = reshape(input, samples, channels, size_of(input._shape[2:]))
    _move(running_mean, lambda: mean(numbers, (0, 2)), momentum)
    _move(running_var, lambda: mean(numbers.var(2), 0), momentum)
    return _scaled(reshape(_standard(numbers, (-1,), eps), input._shape), weight, bias)


def _check_running(running, name, function):
    """TypeError for a running statistic that can't be written into."""
    if running is not None and not isinstance(running, Tensor):
        raise TypeError(f"{name} of {function} in training is a tensor, which is written into, not {describe(running)}")


def _move(running, statistic, momentum):
    """A running statistic, where there is one, by the part `momentum` toward what it is now."""
    if running is not None:
        with no_grad():
            copy_(running, (1 - momentum) * running + momentum * statistic())
