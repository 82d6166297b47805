# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence

from numpy.typing import DTypeLike

from ..._types import Number, Tensor, TensorLike

__all__ = ["batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu",
           "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding",
           "gaussian_nll_loss", "gelu", "glu", "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish",
           "hardtanh", "hinge_embedding_loss", "huber_loss", "instance_norm", "kl_div", "l1_loss", "layer_norm",
           "leaky_relu", "linear", "log_softmax", "logsigmoid", "margin_ranking_loss", "mish", "mse_loss",
           "multi_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize", "one_hot", "pad",
           "pairwise_distance", "pdist", "poisson_nll_loss", "prelu", "relu", "relu6", "rms_norm",
           "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss", "soft_margin_loss", "softmax",
           "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold", "triplet_margin_loss"]

def batch_norm(
    input: TensorLike, running_mean: TensorLike | None, running_var: TensorLike | None,
    weight: TensorLike | None = None, bias: TensorLike | None = None, training: _bool = False, momentum: _float = 0.1,
    eps: _float = 1e-05
) -> Tensor:
    """(input - mean) / sqrt(variance + eps) for each channel, the second axis; then * weight + bias."""
def bilinear(input1: TensorLike, input2: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """For each output o: input1 @ weight[o] @ input2 + bias[o]."""
def binary_cross_entropy(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: str = 'mean'
) -> Tensor:
    """-(target * log(input) + (1 - target) * log(1 - input)), of probabilities; logarithms count as at least -100."""
def binary_cross_entropy_with_logits(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: str = 'mean',
    pos_weight: TensorLike | None = None
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), right in both tails; `pos_weight` is the weight of targets of 1."""
def celu(input: TensorLike, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""
def cosine_embedding_loss(
    input1: TensorLike, input2: TensorLike, target: TensorLike, margin: _float = 0.0, reduction: str = 'mean'
) -> Tensor:
    """1 - cosine where the target is 1, and max(0, cosine - margin) where it is -1, of the angle between two
    vectors."""
def cosine_similarity(
    x1: TensorLike, x2: TensorLike, dim: _int | Sequence[_int] | None = 1, eps: _float = 1e-08
) -> Tensor:
    """The cosine of the angle between vectors along `dim`; lengths count as at least `eps`."""
def cross_entropy(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: _int = -100,
    reduction: str = 'mean', label_smoothing: _float = 0.0
) -> Tensor:
    """nll_loss(log_softmax(input), target) of logits, whose second axis (or only one) are the classes."""
def dropout(input: TensorLike, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, each element is set to 0 with probability `p`, and the others are divided by 1 - p."""
def elu(input: TensorLike, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """The input where it is above 0, elsewhere alpha * (exp(input) - 1)."""
def embedding(
    input: TensorLike, weight: TensorLike, padding_idx: _int | None = None, max_norm: _float | None = None,
    norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False
) -> Tensor:
    """The rows of `weight`, a matrix, at the indices of the input, whose shape (...) becomes (..., columns)."""
def gaussian_nll_loss(
    input: TensorLike, target: TensorLike, var: TensorLike, full: _bool = False, eps: _float = 1e-06,
    reduction: str = 'mean'
) -> Tensor:
    """(log(var) + (input - target)**2 / var) / 2, where `var` counts as at least `eps`; `full` adds log(2 * pi) / 2."""
def gelu(input: TensorLike, approximate: str = 'none') -> Tensor:
    """The input times the normal distribution function at it; `approximate`: "none", or "tanh" for a formula without
    erf."""
def glu(input: TensorLike, dim: _int = -1) -> Tensor:
    """The first half along an axis, times the sigmoid of the second half. ValueError for an axis of odd length."""
def group_norm(
    input: TensorLike, num_groups: _int, weight: TensorLike | None = None, bias: TensorLike | None = None,
    eps: _float = 1e-05
) -> Tensor:
    """(input - mean) / sqrt(variance + eps) over groups of channels, for each sample; then * weight + bias."""
def gumbel_softmax(
    logits: TensorLike, tau: _float = 1.0, hard: _bool = False, eps: _float = 1e-10, dim: _int = -1
) -> Tensor:
    """softmax of (logits + noise) / tau along an axis, with noise from Gumbel's distribution: nearly a random choice of
    a class."""
def hardshrink(input: TensorLike, lambd: _float = 0.5) -> Tensor:
    """The input where it is outside of [-lambd, lambd], elsewhere 0. Derivative: 0 at both bounds."""
def hardsigmoid(input: TensorLike, inplace: _bool = False) -> Tensor:
    """min(max(input + 3, 0), 6) / 6. Derivative: 0 at both bounds."""
def hardswish(input: TensorLike, inplace: _bool = False) -> Tensor:
    """input * hardsigmoid(input)."""
def hardtanh(input: TensorLike, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False) -> Tensor:
    """min(max(input, min_val), max_val). Derivative: 0 at both bounds."""
def hinge_embedding_loss(
    input: TensorLike, target: TensorLike, margin: _float = 1.0, reduction: str = 'mean'
) -> Tensor:
    """The input where the target is 1, and max(0, margin - input) where it is -1."""
def huber_loss(
    input: TensorLike, target: TensorLike, reduction: str = 'mean', delta: _float = 1.0,
    weight: TensorLike | None = None
) -> Tensor:
    """d**2 / 2 where |d| is below `delta`, elsewhere delta * (|d| - delta / 2); d = input - target."""
def instance_norm(
    input: TensorLike, running_mean: TensorLike | None = None, running_var: TensorLike | None = None,
    weight: TensorLike | None = None, bias: TensorLike | None = None, use_input_stats: _bool = True,
    momentum: _float = 0.1, eps: _float = 1e-05
) -> Tensor:
    """(input - mean) / sqrt(variance + eps) for each sample and channel, over all other axes; then * weight + bias."""
def kl_div(input: TensorLike, target: TensorLike, reduction: str = 'mean', log_target: _bool = False) -> Tensor:
    """target * (log(target) - input), of log probabilities; "batchmean" divides the sum by the length of the first
    axis."""
def l1_loss(input: TensorLike, target: TensorLike, reduction: str = 'mean', weight: TensorLike | None = None) -> Tensor:
    """abs(input - target). With weights, their mean is the weighted one, as PyTorch has it. Derivative: 0 at
    equality."""
def layer_norm(
    input: TensorLike, normalized_shape: _int | Sequence[_int], weight: TensorLike | None = None,
    bias: TensorLike | None = None, eps: _float = 1e-05
) -> Tensor:
    """(input - mean) / sqrt(variance + eps) over the last axes, whose shape is `normalized_shape`; then * weight +
    bias."""
def leaky_relu(input: TensorLike, negative_slope: _float = 0.01, inplace: _bool = False) -> Tensor:
    """The input where it is above 0, elsewhere `negative_slope` times the input. Derivative: the slope at 0."""
def linear(input: TensorLike, weight: TensorLike, bias: TensorLike | None = None) -> Tensor:
    """input @ weight.T + bias."""
def log_softmax(input: TensorLike, dim: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """log(softmax(input)) along `dim`, right where softmax is close to 0."""
def logsigmoid(input: TensorLike) -> Tensor:
    """log(sigmoid(input)), right in both tails."""
def margin_ranking_loss(
    input1: TensorLike, input2: TensorLike, target: TensorLike, margin: _float = 0.0, reduction: str = 'mean'
) -> Tensor:
    """max(0, margin - target * (input1 - input2)): where the target is 1 the first should be larger, where it is -1 the
    second."""
def mish(input: TensorLike, inplace: _bool = False) -> Tensor:
    """input * tanh(softplus(input))."""
def mse_loss(
    input: TensorLike, target: TensorLike, reduction: str = 'mean', weight: TensorLike | None = None
) -> Tensor:
    """(input - target)**2. With weights, their mean is the weighted one, as PyTorch has it."""
def multi_margin_loss(
    input: TensorLike, target: TensorLike, p: _int = 1, margin: _float = 1.0, weight: TensorLike | None = None,
    reduction: str = 'mean'
) -> Tensor:
    """sum(max(0, margin - input[target] + input[i]) ** p) / classes over all other classes i, times weight[target]."""
def multilabel_soft_margin_loss(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, reduction: str = 'mean'
) -> Tensor:
    """The mean over classes, the last axis, of binary_cross_entropy_with_logits(input, target), times a weight for each
    class."""
def nll_loss(
    input: TensorLike, target: TensorLike, weight: TensorLike | None = None, ignore_index: _int = -100,
    reduction: str = 'mean'
) -> Tensor:
    """-input[target] of log probabilities, whose second axis (or only one) are the classes."""
def normalize(input: TensorLike, p: _float = 2.0, dim: _int | Sequence[_int] | None = 1, eps: _float = 1e-12) -> Tensor:
    """The input divided by its p-norm along `dim`, or by `eps` where that is larger."""
def one_hot(tensor: TensorLike, num_classes: _int = -1) -> Tensor:
    """For each class index a vector of zeros with a 1 at its place, int64; without `num_classes`, up to the largest
    index."""
def pad(input: TensorLike, pad: _int | Sequence[_int], mode: str = 'constant', value: _float | None = None) -> Tensor:
    """With elements before and after axes: widths in pairs, those of the last axis first; negative ones take elements
    away."""
def pairwise_distance(
    x1: TensorLike, x2: TensorLike, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last axis."""
def pdist(x: TensorLike, p: _float = 2.0) -> Tensor:
    """The distances, in the p-norm, of the rows of a matrix from each other, a vector: of the first row from those
    after it, of the second, and so on. Where two are equal the derivative is 0. ValueError for other than two axes."""
def poisson_nll_loss(
    input: TensorLike, target: TensorLike, log_input: _bool = True, full: _bool = False, eps: _float = 1e-08,
    reduction: str = 'mean'
) -> Tensor:
    """exp(input) - target * input, or without `log_input` input - target * log(input + eps)."""
def prelu(input: TensorLike, weight: TensorLike) -> Tensor:
    """As leaky_relu, with a slope that is learned: one number, or one for each channel, the second axis of the
    input."""
def relu(input: TensorLike, inplace: _bool = False) -> Tensor:
    """max(input, 0). Derivative: 0 at 0."""
def relu6(input: TensorLike, inplace: _bool = False) -> Tensor:
    """min(max(input, 0), 6). Derivative: 0 at both bounds."""
def rms_norm(
    input: TensorLike, normalized_shape: _int | Sequence[_int], weight: TensorLike | None = None,
    eps: _float | None = None
) -> Tensor:
    """input / sqrt(mean of squares + eps) over the last axes, whose shape is `normalized_shape`; then * weight."""
def scaled_dot_product_attention(
    query: TensorLike, key: TensorLike, value: TensorLike, attn_mask: TensorLike | None = None, dropout_p: _float = 0.0,
    is_causal: _bool = False, scale: _float | None = None, enable_gqa: _bool = False
) -> Tensor:
    """softmax(query @ key.mT * scale) @ value: for each query the mean of the values, weighted by how the keys fit."""
def selu(input: TensorLike, inplace: _bool = False) -> Tensor:
    """1.0507... times elu(input, 1.6732...), by which layers keep mean 0 and variance 1."""
def sigmoid(input: TensorLike) -> Tensor:
    """1 / (1 + exp(-input))."""
def silu(input: TensorLike, inplace: _bool = False) -> Tensor:
    """input * sigmoid(input)."""
def smooth_l1_loss(input: TensorLike, target: TensorLike, reduction: str = 'mean', beta: _float = 1.0) -> Tensor:
    """d**2 / (2 * beta) where |d| is below `beta`, elsewhere |d| - beta / 2; d = input - target."""
def soft_margin_loss(input: TensorLike, target: TensorLike, reduction: str = 'mean') -> Tensor:
    """log(1 + exp(-target * input)), of targets of 1 and -1."""
def softmax(input: TensorLike, dim: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """exp(input) / sum(exp(input)) along `dim`."""
def softmin(input: TensorLike, dim: _int | Sequence[_int] | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """softmax(-input) along `dim`."""
def softplus(input: TensorLike, beta: _float = 1.0, threshold: _float = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta; the input itself where beta * input is above the threshold."""
def softshrink(input: TensorLike, lambd: _float = 0.5) -> Tensor:
    """The input moved toward 0 by `lambd`, which is at least 0, and 0 within [-lambd, lambd]. Derivative: 0 at both
    bounds."""
def softsign(input: TensorLike) -> Tensor:
    """input / (1 + |input|)."""
def tanh(input: TensorLike) -> Tensor:
    """The hyperbolic tangent."""
def tanhshrink(input: TensorLike) -> Tensor:
    """input - tanh(input)."""
def threshold(input: TensorLike, threshold: _float, value: Number, inplace: _bool = False) -> Tensor:
    """The input where it is above the threshold, elsewhere `value`. Derivative: 0 at the threshold."""
def triplet_margin_loss(
    anchor: TensorLike, positive: TensorLike, negative: TensorLike, margin: _float = 1.0, p: _float = 2.0,
    eps: _float = 1e-06, swap: _bool = False, reduction: str = 'mean'
) -> Tensor:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), where d is `pairwise_distance` with `p` and `eps`."""
