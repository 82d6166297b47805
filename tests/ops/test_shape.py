"""Functions that arrange, repeat, split, join, pick and put elements: values as NumPy's or written out, and derivatives."""

import numpy as np
import pytest
import scipy.linalg

import tapegrad as tg
from tapegrad.ops import ACTIVE, CODE_MASK, KINDS, PASSIVE

from .derivatives import close, leaf, recorded_gradients, reverse, tangent, values_of
from .test_structural import check_linear, distinct, numbers

A = np.array


def sum_of(parts):
    """One result of several, in which each part has a weight of its own."""
    return sum(((k + 1.0) * p).sum() for k, p in enumerate(parts))


# Written once, for arrays and tensors alike: NumPy's functions find ours.
NUMPY = {
    "reshape": ((2, 6), lambda x: np.reshape(x, (3, 4))),
    "reshape by columns": ((2, 6), lambda x: np.reshape(x, (3, -1), order="F")),
    "ravel": ((2, 3), lambda x: np.ravel(x)),
    "ravel by columns": ((2, 3), lambda x: np.ravel(x, order="F")),
    "transpose": ((2, 3, 4), lambda x: np.transpose(x, axes=(1, 2, 0))),
    "transpose of all": ((2, 3, 4), lambda x: np.transpose(x)),
    "moveaxis": ((2, 3, 4), lambda x: np.moveaxis(x, 0, -1)),
    "moveaxis of two": ((2, 3, 4), lambda x: np.moveaxis(x, [0, -1], [1, 0])),
    "rollaxis": ((2, 3, 4), lambda x: np.rollaxis(x, 2)),
    "swapaxes": ((2, 3, 4), lambda x: np.swapaxes(x, 0, -1)),
    "expand_dims": ((2, 3), lambda x: np.expand_dims(x, 1)),
    "expand_dims of two": ((2, 3), lambda x: np.expand_dims(x, (0, -1))),
    "squeeze": ((1, 3, 1), lambda x: np.squeeze(x, axis=(0, 2))),
    "broadcast_to": ((3, 1), lambda x: np.broadcast_to(x, (2, 3, 4))),
    "broadcast_arrays": ((3, 1), lambda x: sum_of(np.broadcast_arrays(x, x[0], np.ones((1, 4)))[:2])),
    "atleast_1d": ((), lambda x: np.atleast_1d(x)),
    "atleast_2d": ((3,), lambda x: np.atleast_2d(x)),
    "atleast_3d": ((2, 3), lambda x: np.atleast_3d(x)),
    "atleast_3d of a vector": ((3,), lambda x: np.atleast_3d(x)),
    "atleast_3d of a number": ((), lambda x: np.atleast_3d(x)),
    "diagonal": ((3, 4), lambda x: np.diagonal(x, 1)),
    "windows": ((5,), lambda x: np.lib.stride_tricks.sliding_window_view(x, 3)),
    "windows of two axes": ((4, 3), lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2))),
    "windows of one axis": ((4, 3), lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)),
    "flip": ((2, 3), lambda x: np.flip(x)),
    "flip of an axis": ((2, 3), lambda x: np.flip(x, 1)),
    "flip of axes": ((2, 3, 2), lambda x: np.flip(x, (0, -1))),
    "flip of a number": ((), lambda x: np.flip(x)),
    "fliplr": ((2, 3), lambda x: np.fliplr(x)),
    "flipud": ((2, 3), lambda x: np.flipud(x)),
    "roll": ((2, 3), lambda x: np.roll(x, 2)),
    "roll of an axis": ((2, 3), lambda x: np.roll(x, -1, axis=1)),
    "roll of axes": ((2, 3), lambda x: np.roll(x, shift=(1, 2), axis=(0, 1))),
    "roll of one axis twice": ((2, 3), lambda x: np.roll(x, (1, 1), (1, 1))),
    "roll of axes by one shift": ((2, 3), lambda x: np.roll(x, 1, (0, 1))),
    "rot90": ((2, 3), lambda x: np.rot90(x)),
    "rot90 backward": ((2, 3, 2), lambda x: np.rot90(x, -1, axes=(1, 2))),
    "tile": ((2, 3), lambda x: np.tile(x, 2)),
    "tile by axes": ((2, 3), lambda x: np.tile(x, (2, 1, 2))),
    "tile of a number": ((), lambda x: np.tile(x, (2, 2))),
    "repeat": ((2, 3), lambda x: np.repeat(x, 2)),
    "repeat along an axis": ((2, 3), lambda x: np.repeat(x, 2, axis=1)),
    "repeat with counts": ((2, 3), lambda x: np.repeat(x, [2, 0, 1], axis=-1)),
    "pad": ((2, 3), lambda x: np.pad(x, 1)),
    "pad with numbers": ((2, 3), lambda x: np.pad(x, ((1, 2), (0, 1)), constant_values=((1.0, 2.0), (3.0, 4.0)))),
    **({"pad by an axis": ((2, 3), lambda x: np.pad(x, {1: (2, 0)}))} if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else {}),
    "pad with edges": ((2, 3), lambda x: np.pad(x, (2, 1), mode="edge")),
    "pad reflecting": ((3, 4), lambda x: np.pad(x, 2, "reflect")),
    "pad symmetric": ((2, 3), lambda x: np.pad(x, ((0, 3), (1, 1)), "symmetric")),
    "pad wrapping": ((2, 3), lambda x: np.pad(x, 4, mode="wrap")),
    "pad by nothing": ((2, 3), lambda x: np.pad(x, 0)),
    "tril": ((3, 4), lambda x: np.tril(x)),
    "tril of a batch": ((2, 3, 3), lambda x: np.tril(x, k=-1)),
    "triu": ((3, 4), lambda x: np.triu(x, 1)),
    "tril of a vector": ((3,), lambda x: np.tril(x)),
    "diag of a vector": ((3,), lambda x: np.diag(x)),
    "diag above": ((3,), lambda x: np.diag(x, 2)),
    "diag below": ((3,), lambda x: np.diag(x, k=-1)),
    "diag of a matrix": ((3, 4), lambda x: np.diag(x, 1)),
    "diagflat": ((2, 2), lambda x: np.diagflat(x, -1)),
    "meshgrid": ((3,), lambda x: sum_of(g * g for g in np.meshgrid(x, np.arange(2.0), x[1:]))),
    "meshgrid by axes": ((3,), lambda x: sum_of(g * g for g in np.meshgrid(x, x[:2], indexing="ij"))),
    "meshgrid sparse": ((3,), lambda x: np.meshgrid(x, x[:2], sparse=True)[0] * np.meshgrid(x, x[:2], sparse=True)[1]),
    "block": ((2, 2), lambda x: np.block([[x, x * 2], [np.zeros((1, 2)), x[:1]]])),
    "block of one list": ((2,), lambda x: np.block([x, x * 2])),
    "append": ((2, 2), lambda x: np.append(x, [1.0, 2.0])),
    "append along an axis": ((2, 2), lambda x: np.append(x, x[:1], axis=0)),
    "delete": ((2, 3), lambda x: np.delete(x, 1, axis=1)),
    "delete by a slice": ((2, 3), lambda x: np.delete(x, slice(1, 4))),
    "delete by a list": ((4,), lambda x: np.delete(x, [0, -1])),
    "insert": ((4,), lambda x: np.insert(x, 1, x[3] * 2)),
    "insert several": ((4,), lambda x: np.insert(x, [1, 3], x[:2])),
    "insert rows": ((2, 3), lambda x: np.insert(x, 1, x[0], axis=0)),
    "stack": ((3,), lambda x: np.stack([x, x * x], axis=-1)),
    "stack with numbers": ((), lambda x: np.stack([x, 1.0, np.float64(2.0), x * x])),
    "concatenate": ((2, 3), lambda x: np.concatenate((x, x[:1]), axis=0)),
    "concatenate flat": ((2, 3), lambda x: np.concatenate((x, x[0]), axis=None)),
    "hstack": ((2, 3), lambda x: np.hstack([x, x[:, :1]])),
    "hstack of vectors": ((3,), lambda x: np.hstack([x, x[:1]])),
    "hstack of numbers": ((), lambda x: np.hstack([x, x])),
    "vstack": ((3,), lambda x: np.vstack([x, x * 2])),
    "vstack of matrices": ((2, 3), lambda x: np.vstack([x, x[0]])),
    "dstack": ((2, 3), lambda x: np.dstack([x, x])),
    "dstack of vectors": ((3,), lambda x: np.dstack([x, x])),
    "column_stack": ((3,), lambda x: np.column_stack([x, np.ones((3, 2)), x])),
    "split": ((4, 2), lambda x: sum_of(np.split(x * x, 2))),
    "split at places": ((5,), lambda x: sum_of(np.split(x * x, [1, 3]))),
    "split at places beyond": ((5,), lambda x: sum_of(np.split(x * x, [1, 9]))),
    "array_split": ((2, 5), lambda x: sum_of(np.array_split(x * x, 3, axis=1))),
    "hsplit": ((2, 4), lambda x: sum_of(np.hsplit(x * x, 2))),
    "vsplit": ((4, 2), lambda x: sum_of(np.vsplit(x * x, [1]))),
    "dsplit": ((1, 2, 4), lambda x: sum_of(np.dsplit(x * x, 2))),
    "unstack": ((2, 3), lambda x: sum_of(p * p for p in np.unstack(x, axis=1))),
    "take": ((2, 3), lambda x: np.take(x, [[0, 5], [-1, 0]])),
    "take along an axis": ((2, 3), lambda x: np.take(x, [2, 0, 2], axis=1)),
    "take wrapping": ((2, 3), lambda x: np.take(x, [7, -9], mode="wrap")),
    "take clipping": ((2, 3), lambda x: np.take(x, [7, -9], mode="clip")),
    "take_along_axis": ((2, 3), lambda x: np.take_along_axis(x, A([[2, 0], [1, 1]]), 1)),
    "take_along_axis that broadcasts": ((2, 3), lambda x: np.take_along_axis(x, A([[2, 0]]), axis=1)),
    "take_along_axis flat": ((2, 3), lambda x: np.take_along_axis(x, A([4, 4, 0]), None)),
    "compress": ((2, 3), lambda x: np.compress([True, False, True], x, axis=1)),
    "compress flat": ((2, 3), lambda x: np.compress([0, 1, 1], x)),
    "extract": ((2, 3), lambda x: np.extract(A([[1, 0, 1], [0, 0, 1]]), x)),
    "select": ((4,), lambda x: np.select([A([1, 0, 0, 1]) > 0, A([1, 1, 0, 0]) > 0], [x, x * x], 5.0)),
    "choose": ((2, 3), lambda x: np.choose(A([1, 0, 1]), [x[0], x[1] * 2])),
    "where": ((3,), lambda x: np.where(A([True, False, True]), x, 2.0)),
    "sort": ((2, 4), lambda x: np.sort(x)),
    "sort of an axis": ((4, 2), lambda x: np.sort(x, axis=0)),
    "sort of all": ((2, 3), lambda x: np.sort(x, axis=None)),
    "partition": ((5,), lambda x: np.partition(x, 2)[2]),
    "unique": ((5,), lambda x: np.unique(x)),
    "bincount": ((4,), lambda x: np.bincount(A([0, 2, 2, 1]), weights=x, minlength=5)),
    "interp at points": ((5,), lambda x: np.interp(x, [-1.0, 0.02, 1.0], [3.0, 1.0, 2.0])),
    "interp of values": ((3,), lambda x: np.interp([-0.5, 0.0, 0.3, 2.0], [-1.0, 0.0, 1.0], x)),
    "interp with values outside": ((5,), lambda x: np.interp(x, [-0.13, 0.13], [3.0, 1.0], left=7.0, right=8.0)),
    "interp of a period": ((5,), lambda x: np.interp(x, [0.3, 0.01, 0.73], [1.0, 2.0, 4.0], period=0.8)),
    "interp of one point": ((3,), lambda x: np.interp(x, [0.0], [2.0]) + x),
    "copy": ((2, 3), lambda x: np.copy(x)),
}


# Arrays of 64 bits among the operands make the result one of 64 bits
if not hasattr(np, "unstack"):  # NumPy 1
    NUMPY.pop("unstack")
WIDE = {"stack with numbers", "broadcast_arrays", "meshgrid", "block", "append", "column_stack"}
WIDE |= {name for name in NUMPY if "interp" in name}


@pytest.mark.parametrize("name", NUMPY)
def test_functions_of_numpy(name):
    shape, function = NUMPY[name]
    check_linear(function, distinct(*shape), reference=function, single=name not in WIDE)


@pytest.mark.parametrize("name", [name for name, (shape, _) in NUMPY.items() if len(shape) == 2 and shape[0] == 2])
def test_functions_of_numpy_on_what_is_not_contiguous(name):
    shape, function = NUMPY[name]
    data = distinct(*shape)
    spread = tg.as_tensor(np.repeat(data.T, 2, 1)[:, ::2].T).requires_grad_()
    y = function(spread)
    close(values_of(y), function(data), 1e-12, 1.0)
    plain = leaf(data)
    seed = numbers(*y.shape)
    close(reverse(y, [spread], seed)[0], reverse(function(plain), [plain], seed)[0], 1e-12, 1.0)


# PyTorch's names: tensors on the left, NumPy on the right
I23 = A([[0, 1, 0], [1, 1, 0]])
TORCH = {
    "permute": ((2, 3, 4), lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1)),
    "movedim": ((2, 3, 4), lambda x: x.movedim(-1, 0), lambda x: np.moveaxis(x, -1, 0)),
    "swapdims": ((2, 3), lambda x: tg.swapdims(x, 0, 1), lambda x: x.T),
    "unflatten": ((2, 6), lambda x: x.unflatten(1, (2, -1)), lambda x: x.reshape(2, 2, 3)),
    "view_as": ((2, 3), lambda x: x.view_as(tg.zeros(6)), lambda x: x.reshape(6)),
    "expand_as": ((1, 3), lambda x: x.expand_as(tg.zeros(2, 3)), lambda x: np.broadcast_to(x, (2, 3))),
    "narrow": ((4, 3), lambda x: x.narrow(0, 1, 2), lambda x: x[1:3]),
    "narrow from the end": ((4, 3), lambda x: x.narrow(1, -2, 1), lambda x: x[:, 1:2]),
    "select": ((4, 3), lambda x: x.select(1, -1), lambda x: x[:, -1]),
    "unfold": ((7,), lambda x: x.unfold(0, 3, 2), lambda x: np.stack([x[k : k + 3] for k in (0, 2, 4)])),
    "unfold of an axis": ((4, 2), lambda x: x.unfold(0, 2, 1), lambda x: np.stack([x[k : k + 2].T for k in range(3)])),
    "split by size": ((5, 2), lambda x: sum_of(x.split(2)), lambda x: sum_of([x[:2], x[2:4], x[4:]])),
    "split by sizes": ((2, 5), lambda x: sum_of(x.split([1, 0, 4], dim=1)), lambda x: sum_of([x[:, :1], x[:, 1:] * 1.5])),
    "chunk": ((7,), lambda x: sum_of(x.chunk(3)), lambda x: sum_of([x[:3], x[3:6], x[6:]])),
    "tensor_split": ((7,), lambda x: sum_of(x.tensor_split(3)), lambda x: sum_of([x[:3], x[3:5], x[5:]])),
    "tensor_split at places": ((5,), lambda x: sum_of(x.tensor_split((1, 3))), lambda x: sum_of([x[:1], x[1:3], x[3:]])),
    "repeat": ((2, 3), lambda x: x.repeat(2, 1, 2), lambda x: np.tile(x, (2, 1, 2))),
    "repeat along an axis": ((2, 3), lambda x: x.repeat(2, axis=0), lambda x: np.repeat(x, 2, 0)),
    "repeat_interleave": ((2, 3), lambda x: tg.repeat_interleave(x, tg.tensor([1, 2]), dim=0), lambda x: x[[0, 1, 1]]),
    "flip": ((2, 3), lambda x: x.flip(0, 1), lambda x: x[::-1, ::-1]),
    "flip of a tuple": ((2, 3), lambda x: tg.flip(x, (1,)), lambda x: x[:, ::-1]),
    "roll": ((2, 3), lambda x: x.roll(1, 1), lambda x: np.roll(x, 1, 1)),
    "roll by dims": ((2, 3), lambda x: tg.roll(x, shifts=(1, -1), dims=(0, 1)), lambda x: np.roll(x, (1, -1), (0, 1))),
    "tril": ((3, 3), lambda x: x.tril(diagonal=1), lambda x: np.tril(x, 1)),
    "diag_embed": ((2, 3), lambda x: tg.diag_embed(x, 1), lambda x: np.stack([np.diag(r, 1) for r in x])),
    "diag_embed of axes": ((2, 3), lambda x: tg.diag_embed(x, 0, 0, 2), lambda x: np.stack([np.diag(r) for r in x], 1)),
    "meshgrid": ((3,), lambda x: sum_of(tg.meshgrid(x, x[:2])), lambda x: sum_of(np.meshgrid(x, x[:2], indexing="ij"))),
    "index_select": ((2, 3), lambda x: x.index_select(1, tg.tensor([2, 0, 2])), lambda x: x[:, [2, 0, 2]]),
    "take": ((2, 3), lambda x: tg.take(x, tg.tensor([0, 4, 4])), lambda x: x.reshape(-1)[[0, 4, 4]]),
    "take_along_dim": ((2, 3), lambda x: tg.take_along_dim(x, tg.tensor([5, 5])), lambda x: x.reshape(-1)[[5, 5]]),
    "gather": ((2, 3), lambda x: x.gather(0, tg.tensor(I23)), lambda x: np.take_along_axis(x, I23, 0)),
    "gather of less": ((3, 3), lambda x: x.gather(1, tg.tensor([[2, 2]])), lambda x: x[:1, [2, 2]]),
    "masked_select": ((2, 3), lambda x: x.masked_select(tg.tensor([True, False, True])), lambda x: x[:, [0, 2]].reshape(-1)),
    "masked_fill": ((2, 3), lambda x: x.masked_fill(tg.tensor(I23 > 0), 7.0), lambda x: np.where(I23 > 0, 7.0, x)),
    "index_fill": ((2, 3), lambda x: x.index_fill(1, tg.tensor([0, 2]), 5.0), lambda x: np.where([1, 0, 1], 5.0, x)),
    "msort": ((4, 2), lambda x: x.msort(), lambda x: np.sort(x, 0)),
    "sort": ((2, 4), lambda x: x.sort().values, lambda x: np.sort(x)),
    "sort descending": ((4, 2), lambda x: x.sort(0, descending=True)[0], lambda x: np.sort(x, 0)[::-1]),
    "topk": ((2, 4), lambda x: x.topk(2).values, lambda x: np.sort(x)[:, :1:-1]),
    "topk of the smallest": ((4, 2), lambda x: tg.topk(x, 2, dim=0, largest=False)[0], lambda x: np.sort(x, 0)[:2]),
    "kthvalue": ((2, 4), lambda x: x.kthvalue(2).values, lambda x: np.sort(x)[:, 1]),
    "kthvalue kept": ((2, 4), lambda x: x.kthvalue(1, 0, keepdim=True)[0], lambda x: np.sort(x, 0)[:1]),
    "unique_consecutive": ((4,), lambda x: tg.unique_consecutive(x), lambda x: x),
    "combinations": ((3,), lambda x: tg.combinations(x), lambda x: x[A([[0, 1], [0, 2], [1, 2]])]),
    "block_diag": (
        (2, 3),
        lambda x: tg.block_diag(x, x[0], x[1, :1]),
        lambda x: scipy.linalg.block_diag(x, x[0], x[1, :1]),
    ),
    "cartesian_prod": (
        (3,),
        lambda x: tg.cartesian_prod(x, x[:2]),
        lambda x: np.stack([np.repeat(x, 2), np.tile(x[:2], 3)], 1),
    ),
    "append": ((2, 3), lambda x: tg.append(x, x, 1), lambda x: np.append(x, x, 1)),
}


@pytest.mark.parametrize(("shape", "function", "reference"), TORCH.values(), ids=TORCH)
def test_functions_of_pytorch(shape, function, reference):
    check_linear(function, distinct(*shape), reference=reference)


def put_at(x, places, values, add=False, dim=None):
    z = x.copy()
    (np.add.at if add else z.__class__.__setitem__)(z, places, values)
    return z


# Of a tensor and a source
TWO = {
    "masked_fill": ((2, 3), (), lambda x, v: x.masked_fill(tg.tensor(I23 > 0), v), lambda x, v: np.where(I23 > 0, v, x)),
    "masked_scatter": (
        (2, 3),
        (2, 2),
        lambda x, v: x.masked_scatter(tg.tensor(I23 > 0), v),
        lambda x, v: put_at(x, I23 > 0, v.reshape(-1)[:3]),
    ),
    "index_fill": ((2, 3), (), lambda x, v: x.index_fill(0, tg.tensor([1]), v), lambda x, v: put_at(x, 1, v)),
    "index_copy": ((3, 2), (2, 2), lambda x, v: x.index_copy(0, tg.tensor([2, 0]), v), lambda x, v: put_at(x, [2, 0], v)),
    "index_add": (
        (2, 3),
        (2, 4),
        lambda x, v: x.index_add(1, tg.tensor([2, 0, 2, 2]), v, alpha=2),
        lambda x, v: put_at(x.T, [2, 0, 2, 2], 2 * v.T, add=True).T,
    ),
    "index_put": (
        (2, 3),
        (2,),
        lambda x, v: x.index_put((tg.tensor([0, 1]), tg.tensor([2, 0])), v),
        lambda x, v: put_at(x, ([0, 1], [2, 0]), v),
    ),
    "index_put that adds": (
        (2, 3),
        (3,),
        lambda x, v: x.index_put((tg.tensor([0, 0]),), v, accumulate=True),
        lambda x, v: put_at(x, [0, 0], v, add=True),
    ),
    "put": ((2, 3), (2,), lambda x, v: x.put(tg.tensor([4, -6]), v), lambda x, v: put_at(x.reshape(-1), [4, 0], v).reshape(2, 3)),
    "put that adds": (
        (2, 3),
        (2, 2),
        lambda x, v: x.put(tg.tensor([[4, 4], [0, 4]]), v, accumulate=True),
        lambda x, v: put_at(x.reshape(-1), [4, 4, 0, 4], v.reshape(-1), add=True).reshape(2, 3),
    ),
    "scatter": (
        (3, 3),
        (2, 3),
        lambda x, v: x.scatter(0, tg.tensor([[0, 1, 2]]), v),
        lambda x, v: put_at(x, ([0, 1, 2], [0, 1, 2]), v[0]),
    ),
    "scatter of a number": (
        (3, 2),
        (),
        lambda x, v: x.scatter(1, tg.tensor([[1], [0]]), v),
        lambda x, v: put_at(x, ([0, 1], [1, 0]), v),
    ),
    "scatter_add": (
        (2, 3),
        (2, 3),
        lambda x, v: x.scatter_add(0, tg.tensor(I23), v),
        lambda x, v: put_at(x, (I23, A([[0, 1, 2]] * 2)), v, add=True),
    ),
    "scatter that adds": (
        (2, 3),
        (2, 3),
        lambda x, v: x.scatter(0, tg.tensor(I23), v, reduce="add"),
        lambda x, v: put_at(x, (I23, A([[0, 1, 2]] * 2)), v, add=True),
    ),
    "scatter that multiplies": (
        (2,),
        (3,),
        lambda x, v: x.scatter(0, tg.tensor([1, 1, 0]), v, reduce="multiply"),
        lambda x, v: A([x[0] * v[2], x[1] * v[0] * v[1]]),
    ),
    "scatter_reduce of products": (
        (2,),
        (3,),
        lambda x, v: x.scatter_reduce(0, tg.tensor([1, 1, 0]), v, "prod", include_self=False),
        lambda x, v: A([v[2], v[0] * v[1]]),
    ),
    "scatter_reduce of maxima": (
        (2,),
        (3,),
        lambda x, v: x.scatter_reduce(0, tg.tensor([1, 1, 0]), v, "amax"),
        lambda x, v: A([max(x[0], v[2]), max(x[1], v[0], v[1])]),
    ),
    "scatter_reduce of minima": (
        (2,),
        (3,),
        lambda x, v: x.scatter_reduce(0, tg.tensor([1, 1, 0]), v, "amin", include_self=False),
        lambda x, v: A([v[2], min(v[0], v[1])]),
    ),
    "scatter_reduce of means": (
        (2,),
        (3,),
        lambda x, v: x.scatter_reduce(0, tg.tensor([1, 1, 0]), v, "mean"),
        lambda x, v: A([(x[0] + v[2]) / 2, (x[1] + v[0] + v[1]) / 3]),
    ),
    "slice_scatter": ((4, 2), (2, 2), lambda x, v: tg.slice_scatter(x, v, 0, 0, 4, 2), lambda x, v: put_at(x, slice(0, 4, 2), v)),
    "select_scatter": ((2, 3), (3,), lambda x, v: tg.select_scatter(x, v, 0, 1), lambda x, v: put_at(x, 1, v)),
    "diagonal_scatter": ((3, 3), (2,), lambda x, v: tg.diagonal_scatter(x, v, 1), lambda x, v: put_at(x, ([0, 1], [1, 2]), v)),
    "insert": ((4,), (2,), lambda x, v: tg.insert(x, [0, 4], v), lambda x, v: np.insert(x, [0, 4], v)),
    "interp": (
        (3,),
        (4,),
        lambda xp, x: tg.interp(x, xp.sort()[0], xp * xp),
        lambda xp, x: np.interp(x, np.sort(xp), xp * xp),
    ),
}


@pytest.mark.parametrize(("shape", "source", "function", "reference"), TWO.values(), ids=TWO)
def test_putting_elements_into_a_tensor(shape, source, function, reference):
    check_linear(function, distinct(*shape), distinct(*source, seed=7) + 0.037, reference=reference)


def test_the_operands_are_left_alone():
    for shape, source, function, _ in TWO.values():
        for record in (False, True):
            x, v = distinct(*shape), distinct(*source)
            a, b = tg.tensor(x, requires_grad=record), tg.tensor(v, requires_grad=record)
            z = function(a, b)
            with tg.no_grad():
                z += 1
            close(values_of(a), x, 0.0)
            close(values_of(b), v, 0.0)


# In place --------------------------------------------------------------------------------------------------------------

IN_PLACE = {
    "masked_fill_": (lambda x, v: x.masked_fill_(tg.tensor(I23 > 0), v.sum()), "masked_fill"),
    "index_fill_": (lambda x, v: x.index_fill_(1, tg.tensor([0, 2]), v.sum()), "index_fill"),
    "index_copy_": (lambda x, v: x.index_copy_(1, tg.tensor([2, 0, 1]), v), "index_copy"),
    "index_add_": (lambda x, v: x.index_add_(1, tg.tensor([2, 0, 2]), v), "index_add"),
    "scatter_": (lambda x, v: x.scatter_(1, tg.tensor([[2, 0, 1], [0, 1, 2]]), v), "scatter"),
    "scatter_add_": (lambda x, v: x.scatter_add_(0, tg.tensor(I23), v), "scatter_add"),
    "put_": (lambda x, v: x.put_(tg.tensor([[1, 5, 0]]), v[:1]), "put"),
    "tril_": (lambda x, v: x.tril_() * v, "tril"),
    "masked_scatter_": (lambda x, v: x.masked_scatter_(tg.tensor(I23 > 0), v), "masked_scatter"),
    "fill_diagonal_": (lambda x, v: x.fill_diagonal_(v.sum()), None),
    "np.put": (lambda x, v: np.put(x, [0, -1, 3], v) or x, None),
    "np.fill_diagonal": (lambda x, v: np.fill_diagonal(x, v.sum()) or x, None),
    "np.put_along_axis": (lambda x, v: np.put_along_axis(x, A([[0], [2]]), v[:, :1], 1) or x, None),
    "np.place": (lambda x, v: np.place(x, I23 > 0, v) or x, None),
    "np.putmask": (lambda x, v: np.putmask(x, I23 > 0, v) or x, None),
    "np.copyto": (lambda x, v: np.copyto(x, v, where=I23 > 0) or x, None),
}


@pytest.mark.parametrize(("function", "name"), IN_PLACE.values(), ids=IN_PLACE)
@pytest.mark.parametrize("view", [False, True], ids=["", "view"])
def test_in_place(function, name, view):
    """Into an interior tensor, or a view of one; plainly the same values; and as the function without an underscore."""

    def run(x, v):
        y = x * 2.0
        written = function(y.T if view else y, v)
        assert written.shape == v.shape
        return written * 1.0 + y.sum()

    shape = (3, 2) if view else (2, 3)
    check_linear(run, distinct(*shape), distinct(2, 3, seed=5))
    if name:
        x, v = tg.tensor(distinct(2, 3)), tg.tensor(distinct(2, 3, seed=5))
        version = x._version
        other = x.clone()
        assert function(x, v) is x or name == "tril"
        assert x._version > version
        close(values_of(x), values_of(IN_PLACE_PLAIN[name](other, v)), 0.0)


IN_PLACE_PLAIN = {
    "masked_fill": lambda x, v: x.masked_fill(tg.tensor(I23 > 0), v.sum()),
    "index_fill": lambda x, v: x.index_fill(1, tg.tensor([0, 2]), v.sum()),
    "index_copy": lambda x, v: x.index_copy(1, tg.tensor([2, 0, 1]), v),
    "index_add": lambda x, v: x.index_add(1, tg.tensor([2, 0, 2]), v),
    "scatter": lambda x, v: x.scatter(1, tg.tensor([[2, 0, 1], [0, 1, 2]]), v),
    "scatter_add": lambda x, v: x.scatter_add(0, tg.tensor(I23), v),
    "put": lambda x, v: x.put(tg.tensor([[1, 5, 0]]), v[:1]),
    "tril": lambda x, v: x.tril(),
    "masked_scatter": lambda x, v: x.masked_scatter(tg.tensor(I23 > 0), v),
}


def test_in_place_of_a_leaf_that_requires_grad_is_refused():
    for function, _ in IN_PLACE.values():
        with pytest.raises(RuntimeError, match="leaf"):
            function(leaf(np.zeros((2, 3))), tg.ones(2, 3))


# Results without derivative ------------------------------------------------------------------------------------------------

DATA = A([[3.0, 0.0, 2.0, 2.0], [0.0, -1.0, 2.0, np.nan]])
PLAIN = {
    "argsort": lambda x: np.argsort(x, axis=1, kind="stable"),
    "argsort of all": lambda x: np.argsort(x, axis=None, kind="stable"),
    "nonzero": lambda x: np.nonzero(x),
    "argwhere": lambda x: np.argwhere(x),
    "flatnonzero": lambda x: np.flatnonzero(x),
    "count_nonzero": lambda x: np.count_nonzero(x, axis=0),
    "isin": lambda x: np.isin(x, [2.0, 3.0]),
    "isin inverted": lambda x: np.isin(x, [2.0, 3.0], invert=True),
    "searchsorted": lambda x: np.searchsorted([0.0, 1.0, 2.0], x),
    "searchsorted to the right": lambda x: np.searchsorted([0.0, 1.0, 2.0], x, side="right"),
    "digitize": lambda x: np.digitize(x, [0.0, 2.0]),
    "digitize to the right": lambda x: np.digitize(x, [0.0, 2.0], right=True),
    "unique": lambda x: np.unique(x, return_index=True, return_inverse=True, return_counts=True),
    "unique rows": lambda x: np.unique(x[:, :2], axis=0),
    "unique_all": lambda x: tuple(np.unique_all(x)),
    "unique_counts": lambda x: tuple(np.unique_counts(x)),
    "unique_inverse": lambda x: tuple(np.unique_inverse(x)),
    "unique_values": lambda x: np.sort(np.unique_values(x)),
    "histogram": lambda x: np.histogram(x[0], bins=3),
    "histogram of edges": lambda x: np.histogram(x[0], [0.0, 1.0, 5.0]),
    "unravel_index": lambda x: np.unravel_index(np.asarray([5, 0]) if isinstance(x, np.ndarray) else tg.tensor([5, 0]), (2, 3)),
    "argpartition": lambda x: np.sort(np.argpartition(x[0], 1)[:1]),
}


if not hasattr(np, "unique_all"):  # NumPy 1
    PLAIN = {key: function for key, function in PLAIN.items() if not key.startswith("unique_")}


@pytest.mark.parametrize("function", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("record", [True, False], ids=["recorded", "plain"])
def test_results_without_derivative(function, record):
    got, expected = function(tg.tensor(DATA, requires_grad=record)), function(DATA)
    if not isinstance(expected, tuple):
        got, expected = (got,), (expected,)
    assert isinstance(got, tuple) and len(got) == len(expected)
    for y, plain in zip(got, expected):
        assert isinstance(y, tg.Tensor)
        np.testing.assert_array_equal(values_of(y), plain)
        assert y.dtype.kind == np.asarray(plain).dtype.kind


def test_nonzero_is_a_matrix_or_a_tuple():
    x = tg.tensor(DATA)
    np.testing.assert_array_equal(values_of(tg.nonzero(x)), np.argwhere(DATA))
    for y, plain in zip(x.nonzero(as_tuple=True), np.nonzero(DATA)):
        np.testing.assert_array_equal(values_of(y), plain)
    assert tg.nonzero(tg.tensor(3.0)).shape == (1, 0)


def test_sort_gives_values_and_indices_and_is_stable():
    x = tg.tensor([2.0, 1.0, 2.0, np.nan, 1.0])
    indices = tg.sort(x)[1]
    assert indices.tolist() == [1, 4, 0, 2, 3]
    assert tg.argsort(x, descending=True).tolist() == [3, 0, 2, 1, 4]
    pair = x.sort(dim=0, descending=True)
    np.testing.assert_array_equal(pair.values.tolist(), [np.nan, 2, 2, 1, 1])
    assert pair.indices.tolist() == [3, 0, 2, 1, 4]
    assert isinstance(np.sort(x), tg.Tensor)
    assert x.topk(2).indices.tolist() == [3, 0]
    assert x.kthvalue(2).indices.item() == 4


@pytest.mark.parametrize("how", ["amax", "amin"])
@pytest.mark.parametrize("compiled", [False, True])
def test_scattered_ties_share_the_derivative_evenly(how, compiled):
    """As those of amax do, however many there are; also in second derivatives."""
    sign = 1.0 if how == "amax" else -1.0
    x, v = sign * A([1.0, 2.0, 5.0]), sign * A([2.0, 2.0, 0.0, 1.0, 1.0, 1.0])
    index = A([1, 1, 1, 0, 0, 0])

    def f(x, v, include_self):
        z = tg.scatter_reduce(x, 0, index, v, how, include_self=include_self)
        return (z[:2] ** 2 / 2).sum() + 0 * z.sum()
    if compiled:
        f = tg.compile(f)
    shares = {True: ([1 / 4, 1 / 3, 0], [1 / 3, 1 / 3, 0, 1 / 4, 1 / 4, 1 / 4]),
              False: ([0, 0, 0], [1 / 2, 1 / 2, 0, 1 / 3, 1 / 3, 1 / 3])}
    for include_self, (of_x, of_v) in shares.items():
        gx, gv = tg.grad(f, (0, 1))(x, v, include_self)
        np.testing.assert_allclose(gx, sign * A(of_x) * A([1, 2, 0]), rtol=1e-15)
        np.testing.assert_allclose(gv, sign * A(of_v) * A([2, 2, 2, 1, 1, 1]), rtol=1e-15)
        second = tg.hessian(f, 1)(x, v, include_self)
        np.testing.assert_allclose(second, np.outer(of_v, of_v) * (index[:, None] == index), rtol=1e-15)


def test_of_ties_the_derivative_goes_to_the_place_that_was_taken():
    for function, expected in (
        (lambda x: x.sort()[0] * tg.tensor([1.0, 10.0, 100.0]), [10.0, 100.0, 1.0]),
        (lambda x: tg.unique(x) * tg.tensor([1.0, 10.0]), [10.0, 0.0, 1.0]),
        (lambda x: x.topk(1)[0], [1.0, 0.0, 0.0]),
    ):
        x = leaf([2.0, 2.0, 1.0])
        function(x).sum().backward()
        assert x.grad.tolist() == expected


def test_unique_in_pytorchs_way():
    values, inverse, counts = tg.unique(tg.tensor([3, 1, 3]), return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 3], [1, 0, 1], [1, 2])
    values, inverse, counts = tg.unique_consecutive(tg.tensor([1, 1, 2, 1]), return_inverse=True, return_counts=True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 1], [0, 0, 1, 2], [2, 1, 1])
    assert tg.unique(tg.tensor([[1, 2], [1, 2], [0, 1]]), dim=0).tolist() == [[0, 1], [1, 2]]


def test_searchsorted_in_rows():
    rows, values = tg.tensor([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]), tg.tensor([[3.0, 6.0], [3.0, 6.0]])
    assert tg.searchsorted(rows, values).tolist() == [[1, 3], [1, 2]]
    assert tg.searchsorted(rows, values, right=True).tolist() == [[2, 3], [1, 3]]
    assert tg.bucketize(values, rows[0]).tolist() == [[1, 3], [1, 3]]
    with pytest.raises(ValueError, match="rows"):
        tg.searchsorted(rows, values[:1])


def test_indices_of_a_tensor_serve_it():
    x = leaf(distinct(3, 3))
    for index in (np.tril_indices_from(x), np.triu_indices_from(x, k=1), np.diag_indices_from(x)):
        close(values_of(x[index]), values_of(x)[index], 0.0)
    close(values_of(x[np.ix_(tg.tensor([0, 2]), [1])]), values_of(x)[np.ix_([0, 2], [1])], 0.0)
    with pytest.raises(IndexError, match="6"):
        tg.unravel_index([6], (2, 3))


def test_tri_indices():
    np.testing.assert_array_equal(values_of(tg.tril_indices(3, 3)), np.tril_indices(3))
    np.testing.assert_array_equal(values_of(tg.triu_indices(2, 4, offset=1)), np.triu_indices(2, 1, 4))


def test_interp_at_points_and_outside():
    x = leaf([-2.0, 0.0, 1.0, 2.0, 3.0, np.nan, np.inf])
    y = tg.interp(x, [0.0, 1.0, 2.0], leaf([0.0, 10.0, 40.0]))
    np.testing.assert_array_equal(values_of(y), [0.0, 0.0, 10.0, 40.0, 40.0, np.nan, 40.0])
    (g,) = reverse(y, [x], np.ones(7))
    np.testing.assert_array_equal(g, [0.0, 10.0, 30.0, 30.0, 0.0, 30.0, 0.0])


# Views and copies ------------------------------------------------------------------------------------------------------------

VIEWS = {
    "narrow": lambda x: x.narrow(0, 0, 1),
    "select": lambda x: x.select(0, 0),
    "unfold": lambda x: x.unfold(1, 2, 1),
    "split": lambda x: x.split(1)[0],
    "np.split": lambda x: np.split(x, 2)[0],
    "chunk": lambda x: x.chunk(2)[0],
    "unstack": lambda x: tg.unstack(x)[0],
    "moveaxis": lambda x: x.moveaxis(0, 1),
    "expand_dims": lambda x: tg.expand_dims(x, (0, 1)),
    "unflatten": lambda x: x.unflatten(0, (2, 1)),
    "ravel": lambda x: x.ravel(),
    "atleast_3d": lambda x: tg.atleast_3d(x),
    "broadcast_tensors": lambda x: tg.broadcast_tensors(x, tg.zeros(2, 3))[0],
}
COPIES = {
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(2, 0),
    "rot90": lambda x: x.rot90(4),
    "tile": lambda x: x.tile(1),
    "pad": lambda x: tg.pad(x, 0),
    "tril": lambda x: x.tril(5),
    "diag": lambda x: tg.diag(x),
    "index_select": lambda x: x.index_select(0, tg.tensor([0, 1])),
    "gather": lambda x: x.gather(0, tg.tensor([[0, 0, 0]])),
    "take": lambda x: tg.take(x, [0], 0),
    "sort": lambda x: x.sort()[0],
    "masked_select": lambda x: x.masked_select(tg.tensor(True)),
    "meshgrid": lambda x: tg.meshgrid(x[0], x[1])[0],
}


@pytest.mark.parametrize("record", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize("function", VIEWS.values(), ids=VIEWS)
def test_writing_into_a_view_is_seen(function, record):
    x = tg.zeros(2, 3, requires_grad=record) * 1
    y = function(x)
    y.fill_(1.0)
    assert x.sum().item() == y.numel() if y.numel() <= 6 else x.sum().item() == 6


@pytest.mark.parametrize("record", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize("function", COPIES.values(), ids=COPIES)
def test_writing_into_a_copy_is_not_seen(function, record):
    x = tg.zeros(2, 3, requires_grad=record) * 1
    y = function(x)
    y.fill_(1.0)
    assert x.sum().item() == 0


@pytest.mark.parametrize("record", [False, True], ids=["plain", "recorded"])
def test_windows_that_overlap_are_not_updated_in_place(record):
    x = tg.zeros(4, requires_grad=record) * 1
    for view in (x.unfold(0, 2, 1), x.unfold(0, 2, 1).T):
        with pytest.raises(RuntimeError, match="overlap"):
            view.add_(1.0)
    x.unfold(0, 2, 2).add_(1.0)
    assert x.tolist() == [1.0] * 4


# Errors --------------------------------------------------------------------------------------------------------------------

ERRORS = [
    (lambda x: x.index_select(0, [2]), IndexError, "index 2 .*axis 0 with size 2"),
    (lambda x: x.gather(1, tg.tensor([[3]])), IndexError, "index 3 .*axis 1 with size 3"),
    (lambda x: x.gather(1, tg.tensor([3])), ValueError, "as many axes"),
    (lambda x: x.gather(1, tg.tensor([[0.5]])), TypeError, "integers"),
    (lambda x: x.take([6]), IndexError, "6"),
    (lambda x: tg.take(x, [9], axis=1), IndexError, "9"),
    (lambda x: x.scatter(0, tg.tensor([[2]]), 1.0), IndexError, "index 2 .*axis 0 with size 2"),
    (lambda x: x.scatter_add(0, tg.tensor([[0, 0]]), tg.ones(1, 1)), ValueError, "source"),
    (lambda x: x.scatter(0, tg.tensor([[0]])), TypeError, "src"),
    (lambda x: x.scatter(0, tg.tensor([[0]]), 1.0, reduce="max"), ValueError, "'max'"),
    (lambda x: x.index_add(0, [0, 5], tg.ones(2, 3)), IndexError, "5"),
    (lambda x: x.index_add(0, [0], tg.ones(2, 3)), ValueError, "shape"),
    (lambda x: x.put([6], [1.0]), IndexError, "6"),
    (lambda x: x.put([0], [1.0, 2.0]), ValueError, "as many"),
    (lambda x: x.masked_fill(tg.tensor([1, 0, 1]), 0.0), TypeError, "bools"),
    (lambda x: x.masked_fill(x > 0, tg.ones(3)), ValueError, "one value"),
    (lambda x: x.masked_scatter(x == x, tg.ones(2)), ValueError, "6 elements"),
    (lambda x: tg.ones(3, dtype=tg.int64).masked_fill(tg.tensor(True), 0.5), TypeError, "convert"),
    (lambda x: x.narrow(0, 1, 2), IndexError, "axis 0 with size 2"),
    (lambda x: x.select(1, 3), IndexError, "3"),
    (lambda x: x.unfold(0, 3, 1), ValueError, "windows"),
    (lambda x: x.split([1, 2]), ValueError, "add up to 2"),
    (lambda x: x.split(0), ValueError, "at least 1"),
    (lambda x: np.split(x, 4), ValueError, "array_split"),
    (lambda x: x.chunk(0), ValueError, "at least one"),
    (lambda x: x.repeat(2), ValueError, "for each"),
    (lambda x: tg.repeat(x, [1, 2], 1), ValueError, "3 elements"),
    (lambda x: tg.repeat(x, -1), ValueError, "negative"),
    (lambda x: tg.tile(x, (-1,)), ValueError, "at least 0"),
    (lambda x: tg.pad(x, -1), ValueError, "at least 0"),
    (lambda x: tg.pad(x, 1, "mirror"), ValueError, "'mirror'"),
    (lambda x: tg.pad(x, ((1, 1), (1, 1), (1, 1))), ValueError, "2 axes"),
    (lambda x: x.moveaxis((0, 1), 0), ValueError, "as many"),
    (lambda x: tg.moveaxis(x, 2, 0), IndexError, "axis 2"),
    (lambda x: x.rot90(1, (0, 0)), ValueError, "different"),
    (lambda x: x.roll(0.5), TypeError, "integers"),
    (lambda x: x.roll((1, 2), (0, 1, 0)), ValueError, "one shift for each"),
    (lambda x: x.topk(4), ValueError, "0 to 3"),
    (lambda x: x.topk(1.5), TypeError, "topk takes an integer here, not float 1.5"),
    (lambda x: x.split(0.5), TypeError, "split takes an integer"),
    (lambda x: tg.concatenate([x], 0.5), TypeError, "concatenate takes an integer"),
    (lambda x: x.kthvalue(0), ValueError, "1 to 3"),
    (lambda x: x.diagonal(0, 1, 1), ValueError, "different"),
    (lambda x: tg.zeros(1, 2, 3).fill_diagonal_(1), ValueError, "one length"),
    (lambda x: np.squeeze(x, 0), ValueError, "length 2"),
    (lambda x: np.take(x, [0], out=np.zeros(1)), TypeError, "out="),
    (lambda x: tg.meshgrid(x[0], x[1], indexing="yx"), ValueError, "'yx'"),
    (lambda x: tg.interp(x, [0.0, 1.0], [1.0]), ValueError, "one length"),
    (lambda x: tg.block([x, []]), ValueError, "empty"),
    (lambda x: tg.bincount(x), ValueError, "integers"),
    (lambda x: tg.hstack([]), ValueError, "empty"),
    (lambda x: tg.diag(tg.zeros(1, 1, 1)), ValueError, "diagonal"),
    (lambda x: tg.flip(x, 2), IndexError, "axis 2"),
    (lambda x: tg.select([x > 0], [x, x]), ValueError, "as many"),
]


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "plain"])
@pytest.mark.parametrize(("function", "kind", "match"), ERRORS)
def test_errors(function, kind, match, record):
    with pytest.raises(kind, match=match):
        function(tg.tensor(distinct(2, 3), requires_grad=record))


# Where a nan is hidden -------------------------------------------------------------------------------------------------------

HIDING = {
    "where": lambda x: tg.where(tg.tensor([True, False]), x, 0.0),
    "masked_fill": lambda x: x.masked_fill(tg.tensor([False, True]), 0.0),
    "tril": lambda x: tg.tril(x.reshape(1, 2)),
    "index_fill": lambda x: x.index_fill(0, [1], 0.0),
    "np.select": lambda x: np.select([A([True, False])], [x], 0.0),
}


HIDDEN = {
    "sqrt": (lambda x: tg.where(x > 0, x.sqrt(), 0.0), -1.0),
    "sqrt at 0": (lambda x: tg.where(x > 0, x.sqrt(), 0.0), 0.0),
    "log": (lambda x: tg.where(x > 0, x.log(), x * 0.0), 0.0),
    "exp": (lambda x: tg.where(x < 5, (x * x).exp(), 0.0), 1e3),
    "division": (lambda x: tg.where(x != 0, x.sin() / x, 0.0), 0.0),
    "power": (lambda x: tg.where(x > 0, x**1.5 * x.log(), 0.0), -1.0),
    "cos of inf": (lambda x: tg.where(x < 5, x.cos(), 0.0), np.inf),
    "masked_fill": (lambda x: x.sqrt().masked_fill(x <= 0, 0.0), -1.0),
    "scalar operand": (lambda x: tg.where(x > 0, x.sqrt() * x[1], 0.0), -1.0),
}


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize(("function", "value"), HIDDEN.values(), ids=HIDDEN)
def test_a_nan_behind_where_has_no_part_in_derivatives(function, value, size):
    """In reverse, forward and recorded: those of the other elements as ever, 0 here, and so the second derivatives."""
    points = np.full(1 + size, value)
    points[1:] = np.linspace(0.5, 2.0, size)
    others, x = leaf(points), leaf(points)
    with np.errstate(all="ignore"):
        expected = reverse(function(others)[1:], [others], np.ones(size))[0]
        y = function(x)
        assert expected[0] == 0
        close(reverse(y, [x], np.ones(1 + size))[0], expected, 1e-14)
        t = tangent(y, [x], [np.ones(1 + size)])
        assert t[0] == 0 and np.isfinite(t).all()
        again = leaf(points)
        (g,) = recorded_gradients(function(again), [again], tg.tensor(np.ones(1 + size)))
        close(values_of(g), expected, 1e-14)
        (second,) = reverse(g, [again], np.ones(1 + size))
        assert second[0] == 0 and np.isfinite(second).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("function", HIDING.values(), ids=HIDING)
def test_what_is_hidden_has_derivative_0(function, value):
    x = leaf([2.0, value])
    y = function(x)
    assert reverse(y, [x], np.ones(y.shape))[0].tolist() == [1.0, 0.0]
    again = leaf([2.0, value])
    (g,) = recorded_gradients(function(again), [again], tg.tensor(np.ones(y.shape)))
    assert values_of(g).tolist() == [1.0, 0.0]


# NumPy's arguments -------------------------------------------------------------------------------------------------------------


def test_numpys_names_of_arguments():
    x = leaf(distinct(2, 3))
    for got, expected in (
        (np.tile(A=x, reps=2), np.tile(values_of(x), 2)),
        (np.flip(m=x, axis=0), np.flip(values_of(x), 0)),
        (np.sort(a=x, axis=0, kind="stable"), np.sort(values_of(x), 0)),
        (np.take(a=x, indices=[0], axis=1, out=None), np.take(values_of(x), [0], 1)),
    ):
        assert isinstance(got, tg.Tensor)
        close(values_of(got), expected, 0.0)


@pytest.mark.parametrize(
    "function",
    [lambda x: np.concatenate([x, x], casting="no"), lambda x: np.roll(x, 1, order=2), lambda x: np.sort(x, order="f")],
)
def test_arguments_that_cannot_be_honoured(function):
    with pytest.raises(TypeError, match="np.*tensor|unexpected"):
        function(leaf(distinct(2, 3)))


# How much is recorded -------------------------------------------------------------------------------------------------------

ONE_RECORD = {
    "integer": lambda x: x[1],
    "slice": lambda x: x[1:],
    "integers": lambda x: x[1, 2],
    "array": lambda x: x[[0, 1, 1]],
    "mask": lambda x: x[A([True, False, True])],
    "reshape": lambda x: x.reshape(2, 6),
    "transpose": lambda x: x.T,
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(1, 0),
    "tile": lambda x: x.tile(2),
    "repeat": lambda x: tg.repeat(x, 2, 0),
    "pad": lambda x: tg.pad(x, 1),
    "pad with edges": lambda x: tg.pad(x, 1, "edge"),
    "diag_embed": lambda x: tg.diag_embed(x),
    "gather": lambda x: x.gather(0, tg.tensor([[0, 1, 2, 2]])),
    "take": lambda x: tg.take(x, [0, 5]),
    "sort": lambda x: x.sort()[0],
    "topk": lambda x: x.topk(2)[0],
    "stack": lambda x: tg.stack([x, x, x]),
    "concatenate": lambda x: tg.concatenate([x, x, x]),
    "hstack": lambda x: tg.hstack([x, x]),
    "tril": lambda x: x.tril(),
    "masked_fill": lambda x: x.masked_fill(tg.tensor([True, False, False, True]), 0.0),
}


@pytest.mark.parametrize("function", ONE_RECORD.values(), ids=ONE_RECORD)
def test_one_record(function):
    """And a mask where there is one, which enters the tape."""
    x = leaf(distinct(3, 4)) * 1.0
    x = x * 1.0
    function(x)
    n = x._tape.n
    y = function(x)
    assert y._tape is x._tape
    entries = [i for i in range(n, y._tape.n) if KINDS[y._tape.all_words[i] & CODE_MASK] in (PASSIVE, ACTIVE)]
    assert y._tape.n - n - len(entries) == 1
    assert len(entries) <= 1


def test_rows_are_a_record_each_and_their_plans_are_kept():
    x = leaf(distinct(5, 2)) * 1.0
    n = x._tape.n
    rows = list(x)
    assert x._tape.n - n == 5
    again = list(leaf(distinct(5, 2)))
    first, second = [[row._tape.plans[row._tape.right[row._index]] for row in rs] for rs in (rows, again)]
    assert all(a is b for a, b in zip(first, second))
