"""Layers and losses that are made of other functions: all derivatives, PyTorch's values and gradients, and what is refused."""

import contextlib
import math

import numpy as np
import pytest
from ops.derivatives import check, close, leaf, reverse, values_of

import tapegrad as tg
import tapegrad.nn.functional as F

RNG = np.random.default_rng(4)
X, Y, Z = RNG.normal(size=(3, 4, 6))
WEIGHT, BIAS = RNG.normal(size=(2, 6))
IMAGE = RNG.normal(size=(2, 6, 2, 3))
QUERY, KEY, VALUE = RNG.normal(size=(2, 3, 4)), RNG.normal(size=(2, 5, 4)), RNG.normal(size=(2, 5, 2))
FORMS = RNG.normal(size=(2, 6, 3))
CLASSES, SIZES = np.array([0, 5, 3, 3]), np.abs(WEIGHT)
SIGNS = np.array([1, -1, 1, -1])
SEEN = RNG.random((3, 5)) < 0.6
SEEN[1] = False
SCORES = np.where(SEEN, RNG.normal(size=(3, 5)), -math.inf)
ROWS = np.array([[0, 3], [1, 0]])
HEADS = RNG.normal(size=(1, 4, 3, 2)), RNG.normal(size=(1, 2, 5, 2)), RNG.normal(size=(1, 2, 5, 2))

# A function of a library and its functional, and operands; what is no operand goes through `m.as_tensor`
CASES = {
    "glu": (lambda m, f, x: f.glu(x), X),
    "glu along an axis": (lambda m, f, x: f.glu(x, 0), X),
    "threshold": (lambda m, f, x: f.threshold(x, 0.2, -3.0), X),
    "hardshrink": (lambda m, f, x: f.hardshrink(x), X),
    "hardshrink, wider": (lambda m, f, x: f.hardshrink(x, 1.1), X),
    "softshrink": (lambda m, f, x: f.softshrink(x), X),
    "softshrink, wider": (lambda m, f, x: f.softshrink(x, 1.1), X),
    "rms_norm": (lambda m, f, x, w: f.rms_norm(x, (6,), w), X, WEIGHT),
    "rms_norm over two axes": (lambda m, f, x: f.rms_norm(x, (4, 6), eps=0.1), X),
    "group_norm": (lambda m, f, x, w, b: f.group_norm(x, 3, w, b), IMAGE, WEIGHT, BIAS),
    "group_norm, two axes": (lambda m, f, x: f.group_norm(x, 2, eps=0.1), X),
    "group_norm of channels": (lambda m, f, x: f.group_norm(x, 6), IMAGE),
    "batch_norm in training": (lambda m, f, x, w, b: f.batch_norm(x, None, None, w, b, True), IMAGE, WEIGHT, BIAS),
    "batch_norm of rows": (lambda m, f, x: f.batch_norm(x, None, None, training=True, eps=0.1), X),
    "batch_norm": (
        lambda m, f, x, w, b: f.batch_norm(x, m.as_tensor(BIAS), m.as_tensor(WEIGHT**2), w, b), IMAGE, WEIGHT, BIAS
    ),
    "bilinear": (lambda m, f, x, y, w, b: f.bilinear(x, y, w, b), X, Y[:, :3], FORMS, BIAS[:2]),
    "bilinear of vectors": (lambda m, f, x, y, w: f.bilinear(x, y, w), X[0], Y[0, :3], FORMS),
    "embedding": (lambda m, f, w: f.embedding(m.as_tensor(ROWS), w), X),
    "embedding with a padding": (lambda m, f, w: f.embedding(m.as_tensor(ROWS), w, padding_idx=-1), X),
    "embedding of one": (lambda m, f, w: f.embedding(m.as_tensor(2), w), X),
    "pad": (lambda m, f, x: f.pad(x, (1, 2, 3, 0), value=0.5), X),
    "pad, negative": (lambda m, f, x: f.pad(x, (-1, 2)), X),
    "pad, reflect": (lambda m, f, x: f.pad(x, (1, 3), "reflect"), X),
    "pad, replicate": (lambda m, f, x: f.pad(x, (2, 1, 0, 3), "replicate"), IMAGE),
    "pad, circular": (lambda m, f, x: f.pad(x, (2, 1), mode="circular"), X),
    "attention": (lambda m, f, q, k, v: f.scaled_dot_product_attention(q, k, v), QUERY, KEY, VALUE),
    "attention with a scale": (lambda m, f, q, k, v: f.scaled_dot_product_attention(q, k, v, scale=0.3), QUERY, KEY, VALUE),
    "attention, causal": (
        lambda m, f, q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True), QUERY, KEY, VALUE
    ),
    "attention of some": (
        lambda m, f, q, k, v: f.scaled_dot_product_attention(q, k, v, m.as_tensor(SEEN)), QUERY, KEY, VALUE
    ),
    "attention with scores": (
        lambda m, f, q, k, v: f.scaled_dot_product_attention(q, k, v, m.as_tensor(SCORES)), QUERY, KEY, VALUE
    ),
    "attention of grouped heads": (
        lambda m, f, q, k, v: f.scaled_dot_product_attention(q, k, v, enable_gqa=True), *HEADS
    ),
    "margin_ranking_loss": (
        lambda m, f, x, y: f.margin_ranking_loss(x, y, m.as_tensor(SIGNS[:, None]), 0.3, reduction="none"), X, Y
    ),
    "margin_ranking_loss, mean": (lambda m, f, x, y: f.margin_ranking_loss(x, y, m.as_tensor(SIGNS[:, None])), X, Y),
    "triplet_margin_loss": (lambda m, f, x, y, z: f.triplet_margin_loss(x, y, z, 2.0), X, Y, Z),
    "triplet_margin_loss, swapped": (
        lambda m, f, x, y, z: f.triplet_margin_loss(x, y, z, 2.0, 3.0, swap=True, reduction="none"), X, Y, Z
    ),
    "triplet_margin_loss of vectors": (
        lambda m, f, x, y, z: f.triplet_margin_loss(x, y, z, 9.0, 1.0, reduction="sum"), X[0], Y[0], Z[0]
    ),
    "instance_norm": (lambda m, f, x, w, b: f.instance_norm(x, None, None, w, b), IMAGE, WEIGHT, BIAS),
    "soft_margin_loss": (lambda m, f, x: f.soft_margin_loss(x, m.as_tensor(np.sign(Y))), X),
    "soft_margin_loss of each": (lambda m, f, x: f.soft_margin_loss(x, m.as_tensor(np.sign(Y)), reduction="none"), X),
    "multi_margin_loss": (lambda m, f, x: f.multi_margin_loss(x, m.as_tensor(CLASSES), margin=0.7), X),
    "multi_margin_loss, squared": (
        lambda m, f, x: f.multi_margin_loss(x, m.as_tensor(CLASSES), 2, weight=m.as_tensor(SIZES), reduction="none"), X
    ),
    "multi_margin_loss of a vector": (lambda m, f, x: f.multi_margin_loss(x, m.as_tensor(2)), X[0]),
    "multilabel_soft_margin_loss": (
        lambda m, f, x: f.multilabel_soft_margin_loss(x, m.as_tensor((Y > 0) * 1.0), m.as_tensor(SIZES)), X
    ),
    "multilabel_soft_margin_loss of each": (
        lambda m, f, x: f.multilabel_soft_margin_loss(x, m.as_tensor((Y > 0) * 1.0), reduction="none"), X
    ),
    "cosine_embedding_loss": (
        lambda m, f, x, y: f.cosine_embedding_loss(x, y, m.as_tensor(SIGNS), 0.1, reduction="none"), X, Y
    ),
    "cosine_embedding_loss of vectors": (
        lambda m, f, x, y: f.cosine_embedding_loss(x, y, m.as_tensor(1)), X[0], Y[0]
    ),
}  # fmt: skip
cases = pytest.mark.parametrize("name", CASES)


@pytest.mark.parametrize("name", [name for name in CASES if name != "embedding with a padding"])
def test_derivatives(name):
    function, *operands = CASES[name]
    with_doubles = name.startswith(("soft_", "multilabel")) or name in ("batch_norm", "attention with scores")
    check(lambda *a: function(tg, F, *a), *operands, single=not with_doubles)


@cases
def test_pytorch_gives_the_same(name):
    torch = pytest.importorskip("torch")
    function, *operands = CASES[name]
    theirs = [torch.tensor(a, requires_grad=True) for a in operands]
    ours = [leaf(a) for a in operands]
    expected, found = function(torch, torch.nn.functional, *theirs), function(tg, F, *ours)
    close(values_of(found), expected.detach().numpy(), 1e-12, 1.0)
    seed = np.random.default_rng(1).normal(size=found.shape)
    gradients = torch.autograd.grad(expected, theirs, torch.as_tensor(seed))
    for ours_of, theirs_of in zip(reverse(found, ours, seed), gradients):
        close(ours_of, theirs_of.numpy(), 1e-10, 1.0)


@cases
def test_compiled_functions_give_the_same(name, capsys):
    function, *operands = CASES[name]

    def loss(*a):
        return (function(tg, F, *a) ** 2).sum()

    gradient, compiled = tg.grad(loss, tuple(range(len(operands)))), tg.compile(loss)
    replayed = tg.grad(compiled, tuple(range(len(operands))))
    for k in range(4):
        points = [a * (1 + k / 100) for a in operands]
        for found, expected in zip(replayed(*points), gradient(*points)):
            close(found, expected, 1e-12, 1.0)
    tg.explain(compiled)
    binds = name == "embedding with a padding"           # detach() reads what it takes as constant
    assert ("replayed 0 times" in capsys.readouterr().out) == binds


@pytest.mark.parametrize(
    ("function", "value", "derivative"),
    [
        (lambda x: F.threshold(x, 0.5, -3.0), [-3, -3, -3, -3, 1, math.nan], [0, 0, 0, 0, 1, 1]),
        (F.softshrink, [-0.5, 0, 0, 0, 0.5, math.nan], [1, 0, 0, 0, 1, 1]),
        (F.hardshrink, [-1, 0, 0, 0, 1, math.nan], [1, 0, 0, 0, 1, 1]),
        (lambda x: F.softshrink(x, 0), [-1, -0.5, 0, 0.5, 1, math.nan], [1, 1, 0, 1, 1, 1]),
        (lambda x: F.hardshrink(x, 0), [-1, -0.5, 0, 0.5, 1, math.nan], [1, 1, 0, 1, 1, 1]),
    ],
)
def test_kinks_are_as_in_pytorch(function, value, derivative):
    x = leaf([-1.0, -0.5, 0.0, 0.5, 1.0, math.nan])
    np.testing.assert_array_equal(values_of(function(x)), value)
    np.testing.assert_array_equal(reverse(function(x), [x], np.ones(6))[0], derivative)


def test_threshold_in_place():
    x = tg.tensor([0.0, 1.0, 2.0])
    assert F.threshold(x, 1.0, -5.0, inplace=True) is x and x.tolist() == [-5, -5, 2]
    assert F.threshold(tg.tensor([1, 2, 3]), 2, 0.5).tolist() == [0, 0, 3]


def test_running_statistics():
    x, mean, var = tg.tensor(np.arange(12.0).reshape(4, 3) ** 2), tg.zeros(3), tg.ones(3)
    F.batch_norm(x, mean, var, training=True, momentum=0.2)
    close(values_of(mean), 0.2 * values_of(x).mean(0), 1e-14)
    close(values_of(var), 0.8 + 0.2 * values_of(x).var(0, ddof=1), 1e-14)
    before = mean.tolist(), var.tolist()
    F.batch_norm(x, mean, var)
    assert (mean.tolist(), var.tolist()) == before


def test_running_statistics_of_samples():
    x, mean, var = tg.tensor(np.arange(24.0).reshape(2, 3, 4) ** 2), tg.zeros(3), tg.ones(3)
    F.instance_norm(x, mean, var, momentum=0.2)
    close(values_of(mean), 0.2 * values_of(x).mean((0, 2)), 1e-14)
    close(values_of(var), 0.8 + 0.2 * values_of(x).var(2, ddof=1).mean(0), 1e-14)
    close(values_of(F.instance_norm(x, mean, var, use_input_stats=False)), values_of(F.batch_norm(x, mean, var)), 0)


def test_gumbel_softmax_draws_classes_by_their_probabilities():
    tg.manual_seed(0)
    logits = leaf(np.log([0.1, 0.6, 0.3]))
    y = F.gumbel_softmax(logits.expand(4000, 3), hard=True)
    assert abs(values_of(y).mean(0) - [0.1, 0.6, 0.3]).max() < 0.03
    close(np.sort(values_of(y), 1), np.eye(3)[[2] * 4000], 0, 1e-15)
    tg.manual_seed(0)
    soft = F.gumbel_softmax(logits.expand(4000, 3), dim=1)
    close(values_of(soft).sum(1), np.ones(4000), 1e-14)
    assert (values_of(soft).argmax(1) == values_of(y).argmax(1)).all()
    seed = np.random.default_rng(1).normal(size=y.shape)
    close(reverse(y, [logits], seed)[0], reverse(soft, [logits], seed)[0], 1e-12)


def test_running_statistics_keep_a_compiled_function_from_being_replayed():
    mean = tg.zeros(2)
    compiled = tg.compile(lambda x: F.batch_norm(x, mean, None, training=True, momentum=1.0).sum())
    for k in range(3):
        with pytest.warns(UserWarning, match="changes what it refers to") if k == 0 else contextlib.nullcontext():
            compiled(np.eye(2) + k)
        assert mean.tolist() == [k + 0.5] * 2


def test_rows_of_an_embedding_that_are_too_long_are_shortened():
    weight = tg.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], requires_grad=True)
    picked = F.embedding(tg.tensor([0, 1, 0]), weight, max_norm=1.0)
    close(values_of(picked), [[0.6, 0.8], [0.3, 0.4], [0.6, 0.8]], 1e-6)
    close(values_of(weight), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], 1e-6)
    picked.sum().backward()
    assert weight.grad.tolist() == [[2, 2], [1, 1], [0, 0]]


def test_attention_drops_weights_out():
    tg.manual_seed(0)
    y = F.scaled_dot_product_attention(tg.zeros(1, 2), tg.zeros(4, 2), tg.eye(4), dropout_p=0.5)
    assert set(y.flatten().tolist()) == {0.0, 0.5}
    assert not F.scaled_dot_product_attention(tg.tensor(QUERY), tg.zeros(2, 0, 4), tg.zeros(2, 0, 3)).any()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.glu(tg.ones(3)), ValueError, "even length"),
        (lambda: F.glu(1.0), ValueError, "even length"),
        (lambda: F.softshrink(leaf(X), -1), ValueError, "lambd of softshrink"),
        (lambda: F.rms_norm(leaf(X), (5,)), ValueError, "normalized_shape"),
        (lambda: F.group_norm(leaf(X), 4), ValueError, "can't make 4 groups of 6"),
        (lambda: F.group_norm(leaf(X[0]), 2), ValueError, "samples, channels"),
        (lambda: F.group_norm(leaf(X[:1]), 6), ValueError, "more than one number"),
        (lambda: F.group_norm(leaf(X), 3, tg.ones(4)), ValueError, "weight has a number for each of 6 channels"),
        (lambda: F.batch_norm(leaf(X), None, None), ValueError, "needs running_mean"),
        (lambda: F.batch_norm(leaf(X[:1]), None, None, training=True), ValueError, "more than one number"),
        (lambda: F.batch_norm(leaf(X), tg.ones(3), tg.ones(6)), ValueError, "running_mean has a number"),
        (lambda: F.batch_norm(leaf(X), WEIGHT, None, training=True), TypeError, "running_mean of batch_norm in training"),
        (lambda: F.instance_norm(leaf(X)), ValueError, "more than one number"),
        (lambda: F.instance_norm(leaf(IMAGE), WEIGHT), TypeError, "running_mean of instance_norm"),
        (lambda: F.multi_margin_loss(leaf(X), CLASSES + 1), IndexError, "out of range for 6 classes"),
        (lambda: F.multi_margin_loss(leaf(X), CLASSES, 3), ValueError, "p of 1 or 2"),
        (lambda: F.soft_margin_loss(leaf(X), SIGNS), ValueError, "one shape"),
        (lambda: F.bilinear(leaf(X), leaf(Y), tg.ones(2, 6, 5)), ValueError, "bilinear takes"),
        (lambda: F.embedding([4], leaf(X)), IndexError, "index 4 is out of range for a weight of 4 rows"),
        (lambda: F.embedding([-1], leaf(X)), IndexError, "out of range"),
        (lambda: F.embedding([1.0], leaf(X)), TypeError, "integers"),
        (lambda: F.embedding([1], leaf(WEIGHT)), ValueError, "takes a matrix"),
        (lambda: F.embedding([1], leaf(X), padding_idx=4), IndexError, "padding_idx"),
        (lambda: F.embedding([1], leaf(X), sparse=True), NotImplementedError, "sparse"),
        (lambda: F.pad(leaf(X), (6, 0), "reflect"), ValueError, "longer than 6"),
        (lambda: F.scaled_dot_product_attention(QUERY, VALUE, VALUE), ValueError, "takes tensors of shapes"),
        (lambda: F.scaled_dot_product_attention(QUERY, KEY, VALUE, SEEN, is_causal=True), ValueError, "both were given"),
        (lambda: F.scaled_dot_product_attention(QUERY, KEY, VALUE, SEEN * 1), TypeError, "bools or floats"),
        (
            lambda: F.scaled_dot_product_attention(HEADS[0][:, :3], *HEADS[1:], enable_gqa=True),
            ValueError,
            "no multiple",
        ),
        (lambda: F.margin_ranking_loss(leaf(X), leaf(Y), SIGNS), ValueError, "same number of axes"),
        (lambda: F.triplet_margin_loss(leaf(X), leaf(Y), leaf(Z[0])), ValueError, "same number of axes"),
        (lambda: F.triplet_margin_loss(leaf(X), leaf(Y), leaf(Z), margin=0), ValueError, "above 0, not 0"),
        (lambda: F.cosine_embedding_loss(leaf(X), leaf(Y), 1), ValueError, "cosine_embedding_loss takes"),
        (lambda: F.cosine_embedding_loss(leaf(X), leaf(Y[0]), SIGNS), ValueError, "one shape"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
