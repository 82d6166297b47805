"""Activations, losses and layers as functions, with the names, arguments and values of ``torch.nn.functional``.

In all losses `reduction` is "mean", "sum" or "none".
"""
from ...tensor.norms import pdist
from .activations import (
    celu,
    elu,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from .classes import cross_entropy, multi_margin_loss, multilabel_soft_margin_loss, nll_loss
from .distances import cosine_similarity, normalize, pairwise_distance
from .layers import bilinear, dropout, embedding, gumbel_softmax, linear, one_hot, pad, scaled_dot_product_attention
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
)
from .margins import cosine_embedding_loss, hinge_embedding_loss, margin_ranking_loss, triplet_margin_loss
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm

__all__ = [
    "batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "cosine_embedding_loss",
    "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gaussian_nll_loss", "gelu", "glu", "group_norm",
    "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hinge_embedding_loss", "huber_loss",
    "instance_norm", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid",
    "margin_ranking_loss", "mish", "mse_loss", "multi_margin_loss", "multilabel_soft_margin_loss", "nll_loss",
    "normalize", "one_hot", "pad", "pairwise_distance", "pdist", "poisson_nll_loss", "prelu", "relu", "relu6", "rms_norm",
    "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin",
    "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold", "triplet_margin_loss",
]
