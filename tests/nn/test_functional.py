"""``nn.functional``: values written out in NumPy, derivatives against differences, conventions, errors."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from ops.derivatives import check, close, leaf, recorded_gradients, reverse, values_of

import tapegrad as tg
import tapegrad.nn.functional as F


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def softplus(x):
    return np.logaddexp(x, 0)


def sigmoid(x):
    return scipy.special.expit(x)


# Activations ----------------------------------------------------------------------------------------------------------

SMOOTH = {
    "sigmoid": sigmoid,
    "logsigmoid": lambda x: -softplus(-x),
    "tanh": np.tanh,
    "tanhshrink": lambda x: x - np.tanh(x),
    "silu": lambda x: x * sigmoid(x),
    "mish": lambda x: x * np.tanh(softplus(x)),
    "softplus": softplus,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "gelu": lambda x: x * scipy.stats.norm.cdf(x),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "celu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
}
POINTS = np.array([[-7.3, -2.2, -0.4], [0.3, 1.7, 6.9]])


@pytest.mark.parametrize("name", SMOOTH)
def test_activations(name):
    check(getattr(F, name), POINTS, reference=SMOOTH[name])
    check(getattr(F, name), numbers(), reference=SMOOTH[name], single=False)


@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (
            lambda x: F.gelu(x, "tanh"),
            lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        ),
        (lambda x: F.leaky_relu(x, -0.5), lambda x: np.where(x > 0, x, -0.5 * x)),
        (lambda x: F.elu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
        (lambda x: F.celu(x, alpha=0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7))),
        (lambda x: F.softplus(x, 2, 5), lambda x: np.where(2 * x > 5, x, softplus(2 * x) / 2)),
        (lambda x: F.hardtanh(x, -2.0, 0.5), lambda x: np.clip(x, -2, 0.5)),
        (lambda x: F.prelu(x, 0.2), lambda x: np.where(x > 0, x, 0.2 * x)),
    ],
)
def test_parameters_of_activations(function, reference):
    check(function, POINTS, reference=reference)


def test_a_slope_that_is_learned():
    w = np.array([0.1, 0.2, 0.3])
    check(F.prelu, POINTS, w, reference=lambda x, w: np.where(x > 0, x, w * x))
    check(F.prelu, numbers(2, 3, 2), w, reference=lambda x, w: np.where(x > 0, x, w[:, None] * x))


@pytest.mark.parametrize(
    ("name", "points", "derivatives"),
    [
        ("relu", [0.0], [0]),
        ("relu6", [0.0, 6.0], [0, 0]),
        ("hardtanh", [-1.0, 1.0], [0, 0]),
        ("hardsigmoid", [-3.0, 3.0], [0, 0]),
        ("leaky_relu", [0.0], [0.01]),
        ("elu", [0.0], [1]),
        ("celu", [0.0], [1]),
        ("softplus", [800.0, -800.0, 0.0], [1, 0, 0.5]),
        ("logsigmoid", [-310.0, 800.0, 0.0], [1, 0, 0.5]),
        ("silu", [0.0, 800.0, -800.0], [0.5, 1, 0]),
        ("gelu", [0.0, 800.0, -800.0], [0.5, 1, 0]),
        ("mish", [800.0, -800.0], [1, 0]),
        ("celu", [800.0, -800.0], [1, 0]),
        ("softsign", [0.0], [1]),
    ],
)
def test_derivatives_at_kinks_and_far_out(name, points, derivatives):
    x = leaf(points)
    (g,) = reverse(getattr(F, name)(x), [x], np.ones(len(points)))
    (again,) = recorded_gradients(getattr(F, name)(x), [x], tg.tensor(np.ones(len(points))))
    close(g, derivatives, 1e-13)
    close(values_of(again), derivatives, 1e-13)


@pytest.mark.parametrize(
    "name", ["relu", "relu6", "hardtanh", "leaky_relu", "elu", "celu", "selu", "silu", "mish", "hardswish"]
)
def test_in_place(name):
    x = leaf(POINTS)
    y = x * 1.0
    assert getattr(F, name)(y, inplace=True) is y
    close(values_of(y), SMOOTH[name](POINTS), 1e-13)
    expected = leaf(POINTS)
    close(reverse(y, [x], POINTS)[0], reverse(getattr(F, name)(expected), [expected], POINTS)[0], 1e-13)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_and_its_kin(dim):
    x = numbers(3, 4)
    check(lambda x: F.softmax(x, dim), x, reference=lambda x: scipy.special.softmax(x, dim))
    check(lambda x: F.softmin(x, dim), x, reference=lambda x: scipy.special.softmax(-x, dim))
    check(lambda x: F.log_softmax(x, dim=dim), x, reference=lambda x: scipy.special.log_softmax(x, dim))
    assert F.softmax(tg.tensor(x), dim, dtype=tg.float32).dtype == np.float32
    close(values_of(F.softmax(leaf(x))), scipy.special.softmax(x, 1), 1e-14)
    close(values_of(F.softmax(leaf(x[0]))), scipy.special.softmax(x[0]), 1e-14)


# Layers ---------------------------------------------------------------------------------------------------------------


def test_linear():
    x, w, b = numbers(5, 3), numbers(2, 3, seed=2), numbers(2, seed=3)
    check(F.linear, x, w, b, reference=lambda x, w, b: x @ w.T + b)
    check(F.linear, x[0], w, reference=lambda x, w: x @ w.T)
    check(F.linear, x, w[0], reference=lambda x, w: x @ w)


def test_dropout():
    x = leaf(np.ones((100, 100)))
    tg.manual_seed(3)
    y = F.dropout(x, 0.25)
    values = values_of(y)
    assert set(np.unique(values)) == {0, 1 / 0.75} and abs(values.mean() - 1) < 0.05
    np.testing.assert_array_equal(reverse(y, [x], np.ones(x.shape))[0], values)
    tg.manual_seed(3)
    np.testing.assert_array_equal(values_of(F.dropout(x, 0.25)), values)
    assert F.dropout(x, 0.5, training=False) is x and F.dropout(x, 0) is x
    assert not values_of(F.dropout(x, 1.0)).any()
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.dropout(x, 1.5)


@pytest.mark.parametrize("shape", [(4,), (3, 4), 4], ids=str)
def test_layer_norm(shape):
    x = numbers(2, 3, 4)
    axes = tuple(range(-len(shape), 0)) if isinstance(shape, tuple) else (-1,)
    w, b = numbers(*np.atleast_1d(shape), seed=2), numbers(*np.atleast_1d(shape), seed=3)

    def reference(x, w=1.0, b=0.0):
        return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5) * w + b

    check(lambda x, w, b: F.layer_norm(x, shape, w, b), x, w, b, reference=reference, single=False)
    check(lambda x: F.layer_norm(x, shape), x, reference=reference, single=False)
    with pytest.raises(ValueError, match="normalized_shape"):
        F.layer_norm(leaf(x), (3,))


def test_one_hot():
    y = F.one_hot(tg.tensor([[0, 2], [1, 0]]))
    assert y.tolist() == [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [1, 0, 0]]] and y.dtype == tg.int64
    assert F.one_hot([1], num_classes=3).tolist() == [[0, 1, 0]]
    with pytest.raises(ValueError, match="from 0 to"):
        F.one_hot([3], 3)
    with pytest.raises(TypeError, match="integers"):
        F.one_hot([1.0])
    with pytest.raises(ValueError, match="num_classes"):
        F.one_hot(tg.zeros(0, dtype=tg.int64))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, math.inf])
def test_norms(p):
    x, y = numbers(3, 4), numbers(3, 4, seed=2)
    check(lambda x: F.normalize(x, p), x, reference=lambda x: x / np.linalg.norm(x, p, 1, True))
    check(
        lambda x, y: F.pairwise_distance(x, y, p, keepdim=True), x, y,
        reference=lambda x, y: np.linalg.norm(x - y + 1e-6, p, 1, True),
    )  # fmt: skip
    zero = leaf(np.zeros((2, 3)))
    (g,) = reverse(F.normalize(zero, p), [zero], np.ones((2, 3)))
    close(g, np.full((2, 3), 1e12), 1e-13)
    (g,) = reverse(F.pairwise_distance(zero, zero, p, eps=0.0), [zero], np.ones(2))
    assert not g.any()


def test_cosine_similarity():
    x, y = numbers(3, 4), numbers(3, 4, seed=2)

    def reference(x, y):
        return (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)

    check(F.cosine_similarity, x, y, reference=reference)
    assert F.cosine_similarity(leaf(np.zeros((1, 2))), tg.ones(1, 2)).tolist() == [0]


# Losses ---------------------------------------------------------------------------------------------------------------

REDUCTIONS = {"mean": np.mean, "sum": np.sum, "none": lambda x: x}


def huber(d, delta):
    return np.where(np.abs(d) < delta, 0.5 * d * d, delta * (np.abs(d) - 0.5 * delta))


def entropy(p, t):
    return -(t * np.log(p) + (1 - t) * np.log1p(-p))


X, T = numbers(5, 4), numbers(5, 4, seed=2)
P, Q = sigmoid(X), sigmoid(T)
PAIRS = {
    "mse": (F.mse_loss, X, T, lambda x, t: (x - t) ** 2),
    "l1": (F.l1_loss, X, T, lambda x, t: np.abs(x - t)),
    "huber": (F.huber_loss, X, T, lambda x, t: huber(x - t, 1)),
    "huber 0.3": (lambda x, t, **r: F.huber_loss(x, t, delta=0.3, **r), X, T, lambda x, t: huber(x - t, 0.3)),
    "smooth_l1": (F.smooth_l1_loss, X, T, lambda x, t: huber(x - t, 1)),
    "smooth_l1 0.3": (lambda x, t, **r: F.smooth_l1_loss(x, t, beta=0.3, **r), X, T, lambda x, t: huber(x - t, 0.3) / 0.3),
    "smooth_l1 0": (lambda x, t, **r: F.smooth_l1_loss(x, t, beta=0, **r), X, T, lambda x, t: np.abs(x - t)),
    "bce": (F.binary_cross_entropy, P, Q, entropy),
    "bce with logits": (F.binary_cross_entropy_with_logits, X, Q, lambda x, t: entropy(sigmoid(x), t)),
    "kl": (F.kl_div, np.log(P), Q, lambda x, t: t * (np.log(t) - x)),
    "kl of logs": (lambda x, t, **r: F.kl_div(x, t, log_target=True, **r), X, T, lambda x, t: np.exp(t) * (t - x)),
    "poisson": (F.poisson_nll_loss, X, 3 * Q, lambda x, t: np.exp(x) - t * x),
    "poisson, not log": (
        lambda x, t, **r: F.poisson_nll_loss(x, t, log_input=False, **r), P, Q, lambda x, t: x - t * np.log(x + 1e-8)
    ),
}  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", PAIRS)
def test_losses_of_pairs(name, reduction):
    function, x, t, reference = PAIRS[name]
    check(
        lambda x, t: function(x, t, reduction=reduction),
        x,
        t,
        reference=lambda x, t: REDUCTIONS[reduction](reference(x, t)),
    )


@pytest.mark.parametrize(
    "name", ["mse_loss", "l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"]
)
def test_weights_of_pairs(name):
    w, function = np.abs(numbers(5, 4, seed=3)), getattr(F, name)
    plain = values_of(function(leaf(P), tg.tensor(Q), reduction="none"))
    check(lambda x, t: function(x, t, weight=w), P, Q)
    close(values_of(function(leaf(P), tg.tensor(Q), weight=w, reduction="none")), plain * w, 1e-14)
    mean = (plain * w).sum() / w.sum() if name in ("mse_loss", "l1_loss") else (plain * w).mean()  # as in PyTorch
    close(values_of(function(leaf(P), tg.tensor(Q), weight=w)), mean, 1e-13)


def test_huber_is_curved_at_0_and_straight_beyond():
    for function in (F.huber_loss, F.smooth_l1_loss):
        x = leaf([0.0, 0.5, 2.0])
        (g,) = recorded_gradients(function(x, tg.zeros(3), reduction="sum"), [x], tg.tensor(1.0))
        (h,) = tg.autograd.grad(g.sum(), x)
        assert g.tolist() == [0, 0.5, 1] and h.tolist() == [1, 1, 0]


def test_cross_entropy_of_certain_probabilities():
    x = leaf([0.0, 1.0, 0.0, 1.0])
    y = F.binary_cross_entropy(x, tg.tensor([1.0, 0.0, 0.0, 1.0]), reduction="none")
    assert y.tolist() == [100, 100, 0, 0]
    assert reverse(y, [x], np.ones(4))[0].tolist() == [-1e12, 1e12, 0, 0]
    x = leaf([-800.0, 800.0, 800.0])
    y = F.binary_cross_entropy_with_logits(x, tg.tensor([1.0, 0.0, 1.0]), reduction="none")
    assert y.tolist() == [800, 800, 0] and reverse(y, [x], np.ones(3))[0].tolist() == [-1, 1, 0]


def test_weight_of_positives():
    w = np.abs(numbers(4, seed=3))
    check(
        lambda x, t, w: F.binary_cross_entropy_with_logits(x, t, pos_weight=w, reduction="none"), X, Q, w,
        reference=lambda x, t, w: -(w * t * np.log(sigmoid(x)) + (1 - t) * np.log(sigmoid(-x))),
    )  # fmt: skip


def test_divergence_at_0_and_its_mean_over_a_batch():
    y = F.kl_div(tg.tensor([[-1.0, -2.0]]), tg.tensor([[0.0, 1.0]]), reduction="none")
    assert y.tolist() == [[0, 2]]
    close(values_of(F.kl_div(leaf(X), tg.tensor(Q), reduction="batchmean")), (Q * (np.log(Q) - X)).sum() / 5, 1e-13)


def test_stirling():
    t = np.array([0.5, 1.0, 3.0])
    y = F.poisson_nll_loss(leaf(np.zeros(3)), tg.tensor(t), full=True, reduction="none")
    close(values_of(y), 1 + np.where(t > 1, t * np.log(t) - t + 0.5 * np.log(2 * np.pi * t), 0), 1e-14)


def test_gaussian_likelihood():
    v = np.abs(numbers(5, 4, seed=3)) + 0.1
    for shaped in (v, v[:, :1], v[:, 0]):
        check(
            lambda x, t, v: F.gaussian_nll_loss(x, t, v, full=True), X, T, shaped,
            reference=lambda x, t, v: -scipy.stats.norm.logpdf(x, t, np.sqrt(v.reshape(5, -1))).mean(), single=False,
        )  # fmt: skip
    x, v = leaf([1.0]), leaf([0.0])
    y = F.gaussian_nll_loss(x, tg.tensor([0.0]), v, eps=0.01)
    close(values_of(y), 0.5 * (math.log(0.01) + 100), 1e-13)
    close(reverse(y, [v], np.ones(()))[0], [0.5 * (100 - 1e4)], 1e-13)
    with pytest.raises(ValueError, match="below 0"):
        F.gaussian_nll_loss(x, x, tg.tensor([-1.0]))
    with pytest.raises(ValueError, match="fit"):
        F.gaussian_nll_loss(leaf(X), tg.tensor(T), tg.ones(3, 4))


@pytest.mark.parametrize("margin", [1.0, 0.3])
def test_hinge_embedding(margin):
    t = np.sign(T)
    check(
        lambda x: F.hinge_embedding_loss(x, tg.tensor(t), margin, "none"),
        X,
        reference=lambda x: np.where(t == 1, x, np.maximum(margin - x, 0)),
    )


# Classes ----------------------------------------------------------------------------------------------------------------


def classes_by_hand(x, target, weight, ignored, reduction, smoothing):
    """Of (N, C) logits, in plain loops."""
    logs, count = scipy.special.log_softmax(x, 1), x.shape[1]
    weight = np.ones(count) if weight is None else weight
    loss, total = np.zeros(len(x)), 0.0
    for k, c in enumerate(target):
        if c != ignored:
            even = -(logs[k] * weight).sum() / count
            loss[k] = -(1 - smoothing) * weight[c] * logs[k, c] + smoothing * even
            total += weight[c]
    return loss.sum() / total if reduction == "mean" else REDUCTIONS[reduction](loss)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weight", [None, np.array([0.5, 1.0, 2.0, 0.1])], ids=["", "weight"])
@pytest.mark.parametrize(
    ("target", "ignored"), [([0, 3, 2, 1, 1], -100), ([0, -100, 2, 1, -100], -100), ([0, 3, 2, 1, 1], 1)]
)
def test_classes(target, ignored, weight, smoothing, reduction):
    options = {"weight": weight, "ignore_index": ignored, "reduction": reduction}
    arguments = (weight, ignored, reduction)
    check(
        lambda x: F.cross_entropy(x, target, label_smoothing=smoothing, **options), X,
        reference=lambda x: classes_by_hand(x, target, *arguments, smoothing),
    )  # fmt: skip
    if not smoothing:
        check(
            lambda x: F.nll_loss(F.log_softmax(x, 1), np.array(target), **options), X,
            reference=lambda x: classes_by_hand(x, target, *arguments, 0.0),
        )  # fmt: skip


def test_classes_of_other_shapes():
    x = numbers(2, 4, 3)
    target = np.array([[0, 1, 3], [2, 2, 0]])
    rows = np.moveaxis(x, 1, 2).reshape(-1, 4)
    w = np.array([0.5, 1.0, 2.0, 0.1])
    expected = classes_by_hand(rows, target.reshape(-1), w, -100, "none", 0.2).reshape(2, 3)
    y = F.cross_entropy(leaf(x), target, w, reduction="none", label_smoothing=0.2)
    close(values_of(y), expected, 1e-13)
    check(lambda x: F.cross_entropy(x, target, w, label_smoothing=0.2), x)
    check(lambda x: F.cross_entropy(x, 2), X[0], reference=lambda x: -scipy.special.log_softmax(x)[2])
    assert math.isnan(F.cross_entropy(leaf(X), np.full(5, -100)).item())


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_classes_by_probabilities(reduction):
    target = scipy.special.softmax(T, 1)
    w = np.array([0.5, 1.0, 2.0, 0.1])

    def reference(x, t):
        t = 0.8 * t + 0.05
        return REDUCTIONS[reduction](-(scipy.special.log_softmax(x, 1) * w * t).sum(1))

    check(
        lambda x, t: F.cross_entropy(x, t, w, reduction=reduction, label_smoothing=0.2), X, target, reference=reference
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.cross_entropy(leaf(X), [0, 1, 2, 3, 4]), IndexError, "out of range for 4"),
        (lambda: F.cross_entropy(leaf(X), [0, 1]), ValueError, "goes with a target"),
        (lambda: F.nll_loss(leaf(X), tg.tensor(T)), TypeError, "class indices"),
        (lambda: F.cross_entropy(leaf(X), tg.tensor(T[:, :2])), ValueError, "one shape"),
        (lambda: F.cross_entropy(leaf(X), [0] * 5, [1.0, 2.0]), ValueError, "each of the 4 classes"),
        (lambda: F.cross_entropy(leaf(X), [0] * 5, label_smoothing=2), ValueError, "label_smoothing"),
        (lambda: F.cross_entropy(leaf(1.0), 0), ValueError, "no axes"),
        (lambda: F.mse_loss(leaf(X), tg.tensor(T), reduction="max"), ValueError, "reduction"),
        (lambda: F.binary_cross_entropy(leaf(P), tg.tensor(Q[0])), ValueError, "one shape"),
        (lambda: F.huber_loss(leaf(X), tg.tensor(T), delta=0), ValueError, "delta"),
        (lambda: F.smooth_l1_loss(leaf(X), tg.tensor(T), beta=-1), ValueError, "beta"),
        (lambda: F.gelu(leaf(X), "erf"), ValueError, "approximate"),
        (lambda: F.mse_loss(leaf(X), tg.ones(3)), ValueError, "don't match"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_loss_that_is_broadcast_warns():
    with pytest.warns(UserWarning, match="broadcast"):
        F.mse_loss(leaf(X), tg.tensor(T[:, :1]))


def test_names_in_the_package_itself():
    for name in (
        "selu",
        "celu",
        "prelu",
        "layer_norm",
        "cosine_similarity",
        "kl_div",
        "binary_cross_entropy_with_logits",
    ):
        assert getattr(tg, name) is getattr(F, name)
    assert tg.nn.functional is F


def test_weighted_means_are_by_the_weights():
    a, w = tg.tensor([1.0, 2.0, 3.0], requires_grad=True), tg.tensor([1.0, 2.0, 4.0])
    loss = F.mse_loss(a, tg.zeros(3), weight=w)
    assert loss.item() == pytest.approx(45 / 7)
    loss.backward()
    np.testing.assert_allclose(a.grad.numpy(), [2 / 7, 8 / 7, 24 / 7])
    assert F.l1_loss(a, tg.zeros(3), weight=w).item() == pytest.approx(17 / 7)
    assert F.mse_loss(a, tg.zeros(3), weight=w, reduction="sum").item() == 45


# Arrays and lists -----------------------------------------------------------------------------------------------------

SOME = np.array([[0.5, -1.0, 2.0], [0.3, 0.25, -0.7]])
SHARES = np.array([[0.5, 0.2, 0.3], [0.3, 0.25, 0.45]])
WEIGHTS = np.array([1.0, 2.0, 3.0])
PLACES = np.array([0, 2])
OPERANDS = {
    **dict.fromkeys(F.__all__, (SOME,)),
    **dict.fromkeys([name for name in F.__all__ if name.endswith("_loss") or name == "kl_div"], (SOME, SHARES)),
    "batch_norm": [SOME, WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS],
    "bilinear": [SOME, SHARES, np.ones((2, 3, 3)), WEIGHTS[:2]],
    "binary_cross_entropy": [SHARES, SHARES, WEIGHTS],
    "binary_cross_entropy_with_logits": [SOME, SHARES, WEIGHTS],
    "cosine_embedding_loss": (SOME, SHARES, np.array([1, -1])),
    "cosine_similarity": (SOME, SHARES),
    "cross_entropy": [SOME, PLACES, WEIGHTS],
    "embedding": (PLACES, np.ones((3, 2))),
    "gaussian_nll_loss": [SOME, SHARES, SHARES],
    "glu": (SOME.T,),
    "group_norm": (SOME, 1, WEIGHTS, WEIGHTS),
    "instance_norm": (SOME[..., None] * WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, WEIGHTS, False),
    "layer_norm": [SOME, 3, WEIGHTS, WEIGHTS],
    "linear": [SOME, SOME, WEIGHTS[:2]],
    "margin_ranking_loss": (SOME, SHARES, np.sign(SOME)),
    "multi_margin_loss": (SOME, PLACES),
    "nll_loss": [SOME, PLACES, WEIGHTS],
    "one_hot": (PLACES,),
    "pad": (SOME, (1, 2)),
    "pairwise_distance": (SOME, SHARES),
    "pdist": (SOME,),
    "prelu": [SOME, WEIGHTS],
    "rms_norm": (SOME, 3, WEIGHTS),
    "scaled_dot_product_attention": (SOME, SHARES, SHARES),
    "threshold": (SOME, 0.25, -1.0),
    "triplet_margin_loss": (SOME, SHARES, SHARES[::-1].copy()),
}


@pytest.mark.parametrize("name", F.__all__)
@pytest.mark.parametrize("given", [np.asarray, np.ndarray.tolist], ids=["arrays", "lists"])
def test_arrays_and_lists_are_operands_as_tensors_are(name, given):
    def called(make):
        tg.manual_seed(0)
        return getattr(F, name)(*[make(a) if isinstance(a, np.ndarray) else a for a in OPERANDS[name]])

    found, expected = called(given), called(tg.tensor)
    assert type(found) is tg.Tensor
    np.testing.assert_array_equal(values_of(found), values_of(expected))


def test_only_tensors_are_written_into():
    for function in (F.relu, F.selu, F.mish):
        with pytest.raises(TypeError, match="inplace=True writes into a tensor, and the input is an array of dtype float64"):
            function(SOME.copy(), inplace=True)
