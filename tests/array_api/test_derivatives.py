"""Functions of the namespace are recorded where a tensor requires grad, with the value that they have where none does."""

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import array_api as xp

RANDOM = np.random.default_rng(5)
X = RANDOM.uniform(0.2, 0.8, (2, 3))
Y = RANDOM.uniform(1.1, 1.9, (3,))
S = RANDOM.normal(size=(2, 3, 3)) + 4 * np.eye(3)
P = np.einsum("bij,bkj->bik", S, S)

UNARY = [
    "abs",
    "acos",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "conj",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "log",
    "log10",
    "log1p",
    "log2",
    "negative",
    "positive",
    "real",
    "reciprocal",
    "round",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
BINARY = [
    "add",
    "atan2",
    "copysign",
    "divide",
    "floor_divide",
    "hypot",
    "logaddexp",
    "maximum",
    "minimum",
    "multiply",
    "pow",
    "remainder",
    "subtract",
]
CALLS = {
    **{name: (lambda x, name=name: getattr(xp, name)(x), (X,)) for name in UNARY},
    "acosh": (xp.acosh, (Y,)),
    **{name: (lambda x, y, name=name: getattr(xp, name)(x, y), (X, Y)) for name in BINARY},
    **{name + " number": (lambda x, name=name: getattr(xp, name)(x, 0.5), (X,)) for name in BINARY},
    "clip": (lambda x: xp.clip(x, 0.4, 0.6), (X,)),
    "clip by tensors": (lambda x, y: xp.clip(x, 0.1, y), (X, Y / 3)),
    "where": (lambda x, y: xp.where(xp.asarray(X > 0.5), x, y), (X, Y)),
    "astype": (lambda x: xp.astype(x, xp.float64), (X,)),
    "sum": (lambda x: xp.sum(x, axis=0), (X,)),
    "prod": (lambda x: xp.prod(x, axis=-1), (X,)),
    "mean": (lambda x: xp.mean(x), (X,)),
    "max": (lambda x: xp.max(x, axis=1), (X,)),
    "min": (xp.min, (X,)),
    "var": (lambda x: xp.var(x, axis=0, correction=1), (X,)),
    "std": (lambda x: xp.std(x, keepdims=True), (X,)),
    "cumulative_sum": (lambda x: xp.cumulative_sum(x, axis=1, include_initial=True), (X,)),
    "cumulative_prod": (lambda x: xp.cumulative_prod(x, axis=0), (X,)),
    "diff": (lambda x: xp.diff(x, n=2), (X,)),
    "diff between": (lambda x, y: xp.diff(x, prepend=y, append=y), (X[0], Y)),
    "sort": (lambda x: xp.sort(x, descending=True), (X,)),
    "unique_values": (xp.unique_values, (X,)),
    "broadcast_to": (lambda x: xp.broadcast_to(x, (2, 2, 3)), (X,)),
    "broadcast_arrays": (lambda x, y: xp.broadcast_arrays(x, y)[1], (X, Y)),
    "concat": (lambda x, y: xp.concat([x[0], y]), (X, Y)),
    "concat flat": (lambda x, y: xp.concat([x, y], axis=None), (X, Y)),
    "stack": (lambda x, y: xp.stack([x[0], y], axis=1), (X, Y)),
    "unstack": (lambda x: xp.unstack(x)[1], (X,)),
    "expand_dims": (lambda x: xp.expand_dims(x, -1), (X,)),
    "squeeze": (lambda x: xp.squeeze(x[None], 0), (X,)),
    "flip": (lambda x: xp.flip(x, axis=1), (X,)),
    "roll": (lambda x: xp.roll(x, 1), (X,)),
    "moveaxis": (lambda x: xp.moveaxis(x, 0, 1), (X,)),
    "permute_dims": (lambda x: xp.permute_dims(x, (1, 0)), (X,)),
    "matrix_transpose": (xp.matrix_transpose, (X,)),
    "reshape": (lambda x: xp.reshape(x, (3, 2)), (X,)),
    "tile": (lambda x: xp.tile(x, (2, 1)), (X,)),
    "repeat": (lambda x: xp.repeat(x, 2, axis=0), (X,)),
    "take": (lambda x: xp.take(x, xp.asarray([2, 0, 2]), axis=1), (X,)),
    "take_along_axis": (lambda x: xp.take_along_axis(x, xp.asarray([[2], [0]]), axis=1), (X,)),
    "tril": (xp.tril, (X,)),
    "triu": (lambda x: xp.triu(x, k=1), (X,)),
    "meshgrid": (lambda x, y: xp.meshgrid(x, y)[0], (Y, Y)),
    "matmul": (xp.matmul, (X, Y)),
    "tensordot": (lambda x, y: xp.tensordot(x, y, axes=1), (X, Y)),
    "vecdot": (xp.vecdot, (X, Y)),
    "full": (lambda x: xp.full((2,), x), (np.array(0.5),)),
    "asarray": (lambda x: xp.asarray(x, copy=True), (X,)),
    "linalg.cholesky": (xp.linalg.cholesky, (P,)),
    "linalg.cross": (xp.linalg.cross, (X, Y)),
    "linalg.det": (xp.linalg.det, (S,)),
    "linalg.diagonal": (xp.linalg.diagonal, (S,)),
    "linalg.eigvalsh": (xp.linalg.eigvalsh, (P,)),
    "linalg.inv": (xp.linalg.inv, (S,)),
    "linalg.matrix_norm": (lambda x: xp.linalg.matrix_norm(x), (S,)),
    "linalg.matrix_power": (lambda x: xp.linalg.matrix_power(x, 3), (S,)),
    "linalg.outer": (xp.linalg.outer, (Y, Y)),
    "linalg.pinv": (xp.linalg.pinv, (S,)),
    "linalg.slogdet": (lambda x: xp.linalg.slogdet(x).logabsdet, (P,)),
    "linalg.solve": (xp.linalg.solve, (S, X[..., None])),
    "linalg.svdvals": (xp.linalg.svdvals, (S,)),
    "linalg.trace": (xp.linalg.trace, (S,)),
    "linalg.qr": (lambda x: xp.linalg.qr(x).R, (S,)),
    "linalg.vector_norm": (lambda x: xp.linalg.vector_norm(x, axis=-1, ord=3), (X,)),
    "fft.fftshift": (xp.fft.fftshift, (X,)),
    "fft.ifftshift": (lambda x: xp.fft.ifftshift(x, axes=1), (X,)),
}


@pytest.mark.parametrize("name", CALLS)
def test_is_recorded(name):
    call, arguments = CALLS[name]
    if name == "linalg.solve":
        arguments = (S, RANDOM.normal(size=(2, 3, 1)))
    inputs = [tg.tensor(a, requires_grad=True) for a in arguments]
    z, plain = call(*inputs), call(*[xp.asarray(a) for a in arguments])
    assert z.requires_grad and not plain.requires_grad
    assert z.dtype == plain.dtype and z.shape == plain.shape
    assert np.allclose(z.detach(), plain, rtol=1e-12, atol=1e-14)
    assert tg.autograd.gradcheck(call, inputs)


@pytest.mark.parametrize("name", CALLS)
def test_float32_stays(name):
    call, arguments = CALLS[name]
    if name in ("astype", "linalg.solve"):
        return
    z = call(*[tg.tensor(a, dtype=tg.float32, requires_grad=True) for a in arguments])
    assert z.dtype == tg.float32 and z.requires_grad


def test_every_function_of_floats_is_here():
    """But those whose results are integers, bools or new arrays."""
    others = {
        "arange",
        "argmax",
        "argmin",
        "argsort",
        "count_nonzero",
        "empty",
        "empty_like",
        "equal",
        "eye",
        "finfo",
        "from_dlpack",
        "full_like",
        "greater",
        "greater_equal",
        "iinfo",
        "imag",
        "isdtype",
        "isfinite",
        "isinf",
        "isnan",
        "less",
        "less_equal",
        "linspace",
        "logical_and",
        "logical_not",
        "logical_or",
        "logical_xor",
        "nextafter",
        "nonzero",
        "not_equal",
        "ones",
        "ones_like",
        "result_type",
        "can_cast",
        "searchsorted",
        "signbit",
        "zeros",
        "zeros_like",
        "all",
        "any",
        "bitwise_and",
        "bitwise_invert",
        "bitwise_left_shift",
        "bitwise_or",
        "bitwise_right_shift",
        "bitwise_xor",
        "unique_all",
        "unique_counts",
        "unique_inverse",
        "linalg.matrix_rank",
        "linalg.eigh",
        "linalg.svd",
        "fft.fftfreq",
        "fft.rfftfreq",
        "linalg.matmul",
        "linalg.tensordot",
        "linalg.vecdot",
        "linalg.matrix_transpose",
    }
    names = {n for n in xp.__all__ if callable(getattr(xp, n))}
    names |= {f"linalg.{n}" for n in xp.linalg.__all__} | {f"fft.{n}" for n in xp.fft.__all__}
    assert names - others == {n.split(" ")[0] for n in CALLS}


def test_sequences_of_tensors_are_stacked():
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    z = xp.asarray([[x[0], 3.0], [x[1], x[0] * x[1]]], dtype=xp.float32)
    assert z.dtype == xp.float32 and z.tolist() == [[1.0, 3.0], [2.0, 2.0]]
    xp.sum(z).backward()
    assert x.grad.tolist() == [3.0, 2.0]
    assert xp.asarray(xp.unstack(xp.asarray([[1, 2], [3, 4]]), axis=1)).tolist() == [[1, 3], [2, 4]]


def test_what_has_no_derivative_is_refused():
    with pytest.raises(RuntimeError, match="nextafter has no derivative"):
        xp.nextafter(tg.tensor(1.0, requires_grad=True), 2.0)
