"""Products of vectors, matrices and batches of matrices."""
import math

import numpy as np

from ...ops import BY_NAME
from ..core import Tensor, common_dtype, float32, float64, record_many, wrap
from ..elementwise import apply, broadcast, size_of
from ..hosting import host
from ..plans import matmul_plan
from ..registry import public
from .arguments import as_tensor_operand, axis_argument, normalize_axis, recording
from .reductions import sum
from .views import diagonal, expand, permute, reshape, unsqueeze

_multiply, _add, _subtract = BY_NAME["multiply"], BY_NAME["add"], BY_NAME["subtract"]


@public(numpy=getattr(np.linalg, "matmul", None))
def matmul(x, y):
    """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
    if type(x) is not Tensor or type(y) is not Tensor:
        x, y = as_tensor_operand(x, "matmul"), as_tensor_operand(y, "matmul")
    a, b = x._shape, y._shape
    plan = _plans.get((a, b))
    if plan is None:
        plan = _plan(a, b)
    if not recording(x, y):
        return wrap(np.asarray(np.matmul(*_arrays(x, y))))
    batch, plan = plan
    if batch:
        x = x if len(a) < 3 or a[:-2] == batch else expand(x, *batch, *a[-2:])
        y = y if len(b) < 3 or b[:-2] == batch else expand(y, *batch, *b[-2:])
    return record_many(BY_NAME["matmul"], (x, y), plan)


def _arrays(x, y):
    """Both in the dtype of their product."""
    if x.dtype == y.dtype or not any(z.dtype in (float64, float32) for z in (x, y)):
        return x._array(), y._array()
    dtype = common_dtype([x, y])
    return x._array().astype(dtype, copy=False), y._array().astype(dtype, copy=False)


def product(x, y, batch, m, k, n, shape, label="Mm"):
    """The products of `batch` matrices (m, k) and (k, n) that the elements are read as, whatever the shapes of the tensors, as a
    tensor of `shape`."""
    if recording(x, y):
        steps = (0, 0) if batch == 1 else (m * k, k * n)
        return record_many(BY_NAME["matmul"], (x, y), matmul_plan(batch, m, k, n, *steps, shape, label))
    x, y = _arrays(x, y)
    return wrap(np.matmul(x.reshape(batch, m, k), y.reshape(batch, k, n)).reshape(shape))


_plans: dict = {}


def _plan(a, b):
    """The batch that operands of these shapes are expanded to, () for none, and the plan."""
    if not a or not b:
        raise ValueError(f"matmul takes tensors with axes, and the shapes are {a} and {b}; use * to multiply by a number")
    k = a[-1]
    if k != (b[-2] if len(b) > 1 else b[0]):
        raise ValueError(f"matmul of shapes {a} and {b}: the last axis of the first, {k}, must be as long as the "
                         f"{'second to last' if len(b) > 1 else 'only'} axis of the second, {b[-2] if len(b) > 1 else b[0]}")
    m, n = (a[-2] if len(a) > 1 else 1), (b[-1] if len(b) > 1 else 1)
    batch = broadcast(a[:-2], b[:-2])
    shape = batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ())
    # A batch of matrices by one shared matrix is one tall matrix by it
    if len(b) <= 2 and len(a) > 2:
        made = (), matmul_plan(1, math.prod(a[:-1]), k, n, 0, 0, shape, "Mm")
    else:
        label = "Bmm" if batch else {(1, 1): "Dot", (2, 1): "Mv", (1, 2): "Mv", (2, 2): "Mm"}[len(a), len(b)]
        steps = m * k if len(a) > 2 else 0, k * n if len(b) > 2 else 0
        made = batch, matmul_plan(math.prod(batch), m, k, n, *steps, shape, label)
    if len(_plans) > 4096:
        _plans.clear()
    _plans[a, b] = made
    return made


def _of_ranks(name, x, y, *ranks):
    """The product of two tensors that must have so many axes, as PyTorch's functions for each case want it."""
    x, y = as_tensor_operand(x, name), as_tensor_operand(y, name)
    if (len(x._shape), len(y._shape)) != ranks:
        raise ValueError(f"{name} takes tensors of {ranks[0]} and {ranks[1]} axes, and the shapes are {x._shape} and {y._shape}; "
                         "use matmul for others")
    if ranks == (3, 3) and x._shape[0] != y._shape[0]:
        raise ValueError(f"{name} of {x._shape[0]} and {y._shape[0]} matrices (shapes {x._shape} and {y._shape}): there must be "
                         "as many; matmul broadcasts")
    return matmul(x, y)


@public()
def mm(x, y):
    """The product of two matrices."""
    return _of_ranks("mm", x, y, 2, 2)


@public()
def mv(x, y):
    """The product of a matrix and a vector."""
    return _of_ranks("mv", x, y, 2, 1)


@public()
def bmm(x, y):
    """The products of two batches of matrices, (b, m, k) and (b, k, n)."""
    return _of_ranks("bmm", x, y, 3, 3)


def _plus_product(name, x, product, beta, alpha):
    """beta * x + alpha * product; with beta 0, x is not looked at."""
    product = product if alpha == 1 else apply(_multiply, product, alpha)
    x = as_tensor_operand(x, name)
    if broadcast(x._shape, product._shape) != product._shape:
        raise ValueError(f"{name} adds a tensor of shape {x._shape} to a product of shape {product._shape}, to which it does not "
                         "broadcast")
    if beta == 0:
        return product
    return apply(_add, x if beta == 1 else apply(_multiply, x, beta), product)


@public()
def addmm(x, mat1, mat2, *, beta=1, alpha=1):
    """beta * x + alpha * (mat1 @ mat2), of matrices."""
    return _plus_product("addmm", x, mm(mat1, mat2), beta, alpha)


@public()
def addmv(x, mat, vec, *, beta=1, alpha=1):
    """beta * x + alpha * (mat @ vec)."""
    return _plus_product("addmv", x, mv(mat, vec), beta, alpha)


@public()
def addr(x, vec1, vec2, *, beta=1, alpha=1):
    """beta * x + alpha * outer(vec1, vec2)."""
    return _plus_product("addr", x, outer(vec1, vec2), beta, alpha)


@public()
def baddbmm(x, batch1, batch2, *, beta=1, alpha=1):
    """beta * x + alpha * (batch1 @ batch2), of batches of matrices."""
    return _plus_product("baddbmm", x, bmm(batch1, batch2), beta, alpha)


@public()
def addbmm(x, batch1, batch2, *, beta=1, alpha=1):
    """beta * x + alpha * the sum of batch1 @ batch2 over the batch."""
    return _plus_product("addbmm", x, sum(bmm(batch1, batch2), 0), beta, alpha)


@public()
def matvec(x, y):
    """The products of matrices (..., m, n) and vectors (..., n), which broadcast."""
    x, y = as_tensor_operand(x, "matvec"), as_tensor_operand(y, "matvec")
    if len(x._shape) < 2 or not y._shape:
        raise ValueError(f"matvec takes matrices and vectors, and the shapes are {x._shape} and {y._shape}")
    if len(y._shape) == 1:
        return matmul(x, y)
    z = matmul(x, unsqueeze(y, -1))
    return reshape(z, z._shape[:-1])


@public()
def vecmat(x, y):
    """The products of vectors (..., m) and matrices (..., m, n), which broadcast."""
    x, y = as_tensor_operand(x, "vecmat"), as_tensor_operand(y, "vecmat")
    if len(y._shape) < 2 or not x._shape:
        raise ValueError(f"vecmat takes vectors and matrices, and the shapes are {x._shape} and {y._shape}")
    if len(x._shape) == 1:
        return matmul(x, y)
    z = matmul(unsqueeze(x, -2), y)
    return reshape(z, (*z._shape[:-2], z._shape[-1]))


@public()
def dot(x, y):
    """As ``np.dot``: the product of two vectors or matrices; of more axes, over the last axis of `x` and the second to last
    of `y`."""
    x, y = as_tensor_operand(x, "dot"), as_tensor_operand(y, "dot")
    if not x._shape or not y._shape:
        return apply(_multiply, x, y)
    if len(y._shape) <= 2 and x._shape[-1] == y._shape[0]:
        return matmul(x, y)
    last = -1 if len(y._shape) == 1 else -2
    if x._shape[-1] != y._shape[last]:
        raise ValueError(f"dot of shapes {x._shape} and {y._shape}: the last axis of the first, {x._shape[-1]}, must be as long "
                         f"as the {'only' if last == -1 else 'second to last'} axis of the second, {y._shape[last]}")
    return tensordot(x, y, ((-1,), (last,)))


@public()
def inner(x, y):
    """As ``np.inner``: over the last axes of both; of a number, the multiple."""
    x, y = as_tensor_operand(x, "inner"), as_tensor_operand(y, "inner")
    if not x._shape or not y._shape:
        return apply(_multiply, x, y)
    if x._shape[-1] != y._shape[-1]:
        raise ValueError(f"inner of shapes {x._shape} and {y._shape}: the last axes must be equally long")
    return matmul(x, y) if len(y._shape) == 1 else tensordot(x, y, ((-1,), (-1,)))


@public("ger", numpy=getattr(np.linalg, "outer", None))
def outer(x, y):
    """The products of each element of `x` with each of `y`, (len(x), len(y)); tensors with more axes are taken flat."""
    x, y = as_tensor_operand(x, "outer"), as_tensor_operand(y, "outer")
    m, n = size_of(x._shape), size_of(y._shape)
    return product(x, y, 1, m, 1, n, (m, n))


@public()
def vdot(x, y):
    """The sum of the products of all elements, both tensors taken flat."""
    x, y = as_tensor_operand(x, "vdot"), as_tensor_operand(y, "vdot")
    n, m = size_of(x._shape), size_of(y._shape)
    if n != m:
        raise ValueError(f"vdot of {n} and {m} elements: there must be as many")
    return product(x, y, 1, 1, n, 1, (), "Dot")


@public(numpy=getattr(np.linalg, "vecdot", None))
def vecdot(x, y, axis=-1, *, dim=None):
    """The products of vectors along an axis; the other axes broadcast."""
    x, y = as_tensor_operand(x, "vecdot"), as_tensor_operand(y, "vecdot")
    axis = axis if dim is None else dim
    if not x._shape or not y._shape:
        raise ValueError(f"vecdot takes vectors, and the shapes are {x._shape} and {y._shape}")
    if x._shape[axis] != y._shape[axis]:
        raise ValueError(f"vecdot of shapes {x._shape} and {y._shape}: axis {axis} must be equally long in both")
    if len(x._shape) == len(y._shape) == 1:
        return matmul(x, y)
    if axis >= 0 and len(x._shape) != len(y._shape):
        raise ValueError(f"vecdot along axis {axis} of tensors with {len(x._shape)} and {len(y._shape)} axes: "
                         "count it from the end")
    return sum(apply(_multiply, x, y), axis)


@public(numpy=getattr(np.linalg, "tensordot", None))
def tensordot(x, y, axes=2, *, dims=None):
    """Sums of products over axes of both: the last `axes` of `x` with the first of `y`, or those in a pair of lists."""
    x, y = as_tensor_operand(x, "tensordot"), as_tensor_operand(y, "tensordot")
    axes = axes if dims is None else dims
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(len(x._shape), len(y._shape)):
            raise ValueError(f"tensordot over {axes} axes of tensors of shapes {x._shape} and {y._shape}, which don't have "
                             "so many")
        left, right = tuple(range(len(x._shape) - axes, len(x._shape))), tuple(range(axes))
    else:
        left, right = ((part,) if isinstance(part, (int, np.integer)) else tuple(part) for part in axes)
        left = tuple(normalize_axis(a, len(x._shape)) for a in left)
        right = tuple(normalize_axis(a, len(y._shape)) for a in right)
    if (len(left) != len(right) or any(x._shape[a] != y._shape[b] for a, b in zip(left, right))
            or len(set(left)) != len(left) or len(set(right)) != len(right)):
        raise ValueError(f"tensordot of shapes {x._shape} and {y._shape} over axes {left} and {right}: they must be different "
                         "axes, and equally long in both")
    rest = tuple(a for a in range(len(x._shape)) if a not in left)
    others = tuple(b for b in range(len(y._shape)) if b not in right)
    shape = tuple(x._shape[a] for a in rest) + tuple(y._shape[b] for b in others)
    size = math.prod(x._shape[a] for a in left)
    x, y = _arranged(x, rest + left), _arranged(y, right + others)
    return product(x, y, 1, math.prod(shape[:len(rest)]), size, math.prod(shape[len(rest):]), shape)


def _arranged(x, order):
    return x if order == tuple(range(len(order))) else permute(x, order)


@public()
def kron(x, y):
    """The Kronecker product, as ``np.kron``: blocks of `y`, each multiplied by an element of `x`."""
    x, y = as_tensor_operand(x, "kron"), as_tensor_operand(y, "kron")
    count = max(len(x._shape), len(y._shape))
    a = (1,) * (count - len(x._shape)) + x._shape
    b = (1,) * (count - len(y._shape)) + y._shape
    blocks = apply(_multiply, reshape(x, tuple(n for pair in zip(a, (1,) * count) for n in pair)),
                   reshape(y, tuple(n for pair in zip((1,) * count, b) for n in pair)))
    return reshape(blocks, tuple(n * m for n, m in zip(a, b)))


@public()
def cross(x, y, axisa=-1, axisb=-1, axisc=-1, axis=None, *, dim=None):
    """The vector products of vectors of three elements along an axis, or of two, whose product is a number; the other axes
    broadcast."""
    x, y = as_tensor_operand(x, "cross"), as_tensor_operand(y, "cross")
    axis = axis_argument(axis, dim)
    if axis is not None:
        axisa = axisb = axisc = axis
    x = _moved(x, normalize_axis(axisa, len(x._shape)), len(x._shape) - 1)
    y = _moved(y, normalize_axis(axisb, len(y._shape)), len(y._shape) - 1)
    lengths = x._shape[-1:], y._shape[-1:]
    if lengths not in (((3,), (3,)), ((2,), (2,))):
        raise ValueError(f"cross takes vectors of 3 elements, or two of 2, and their lengths are {lengths[0]} and {lengths[1]}")
    if lengths[0] == (2,):
        return apply(_subtract, apply(_multiply, x[..., 0], y[..., 1]), apply(_multiply, x[..., 1], y[..., 0]))
    after, before = (..., [1, 2, 0]), (..., [2, 0, 1])
    z = apply(_subtract, apply(_multiply, x[after], y[before]), apply(_multiply, x[before], y[after]))
    return _moved(z, len(z._shape) - 1, normalize_axis(axisc, len(z._shape)))


def _moved(x, source, target):
    """With one axis elsewhere."""
    if source == target or not x._shape:
        return x
    order = [a for a in range(len(x._shape)) if a != source]
    order.insert(target, source)
    return permute(x, order)


@public()
def trace(x, offset=0, axis1=0, axis2=1):
    """The sum of the elements on a diagonal of two axes, the first two as in NumPy; ``linalg.trace`` takes the last two."""
    x = as_tensor_operand(x, "trace")
    if len(x._shape) < 2:
        raise ValueError(f"the trace needs two axes, and this tensor's shape is {x._shape}")
    return sum(diagonal(x, offset, axis1, axis2), -1)


def linalg_trace(x, offset=0):
    """The sums of the elements on a diagonal of matrices, the last two axes."""
    return trace(x, offset, -2, -1)


def linalg_cross(x, y, axis=-1, *, dim=None):
    """The vector products of vectors of three elements along an axis; the other axes broadcast."""
    return cross(x, y, axis=axis if dim is None else dim)


for _function, _name in ((linalg_trace, "trace"), (linalg_cross, "cross")):
    _function.__name__ = _function.__qualname__ = _name
    public(function=False, method=False, numpy=getattr(np.linalg, _name, None))(_function)


@public("chain_matmul", method=False, numpy=np.linalg.multi_dot)
def multi_dot(arrays, *more):
    """The product of two or more matrices (the first and last may be vectors), in the order that takes the fewest operations."""
    arrays = [as_tensor_operand(x, "multi_dot") for x in ((arrays, *more) if more or isinstance(arrays, Tensor) else arrays)]
    if len(arrays) < 2:
        raise ValueError(f"multi_dot takes at least two matrices, not {len(arrays)}")
    for k, x in enumerate(arrays):
        if len(x._shape) != 2 and not (len(x._shape) == 1 and k in (0, len(arrays) - 1)):
            raise np.linalg.LinAlgError(f"multi_dot takes matrices, and a vector at either end; operand {k} has shape {x._shape}")
    rows, columns = len(arrays[0]._shape) > 1, len(arrays[-1]._shape) > 1
    if not rows:
        arrays[0] = unsqueeze(arrays[0], 0)
    if not columns:
        arrays[-1] = unsqueeze(arrays[-1], 1)
    sizes = [x._shape[0] for x in arrays] + [arrays[-1]._shape[1]]
    z = _chain(arrays, _best_splits(tuple(sizes)), 0, len(arrays) - 1)
    return reshape(z, z._shape[:1] * rows + z._shape[1:] * columns)


def _best_splits(sizes):
    """Where to cut the product of matrices i to j (sizes[i] by sizes[i + 1]); Cormen, "Introduction to Algorithms", 15.2."""
    count = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j], split[i, j] = min((cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                                          for k in range(i, j))
    return split


def _chain(arrays, split, i, j):
    if i == j:
        return arrays[i]
    k = split[i, j]
    return matmul(_chain(arrays, split, i, k), _chain(arrays, split, k + 1, j))


# Convolution ----------------------------------------------------------------------------------------------------------

@public(method=False)
def convolve(x, y, mode="full"):
    """The convolution of two vectors, as ``np.convolve``: "full", "same" (of the longer one's length) or "valid"."""
    x, y = as_tensor_operand(x, "convolve"), as_tensor_operand(y, "convolve")
    shorter = min(x._shape + y._shape, default=1)
    return _convolved(x, y, mode, (shorter - 1) // 2, "convolve")


@public(method=False)
def correlate(x, y, mode="valid"):
    """The correlation of two vectors, as ``np.correlate``: the convolution with the second one reversed."""
    x, y = as_tensor_operand(x, "correlate"), as_tensor_operand(y, "correlate")
    swapped = len(x._shape) == len(y._shape) == 1 and y._shape > x._shape     # NumPy counts from the other end then
    shorter = min(x._shape + y._shape, default=1)
    return _convolved(x, y[::-1] if y._shape else y, mode, (shorter - 1 + swapped) // 2, "correlate")


def _convolved(x, y, mode, same, name):
    if len(x._shape) > 1 or len(y._shape) > 1:
        raise ValueError(f"{name} takes vectors, and the shapes are {x._shape} and {y._shape}")
    x, y = (reshape(z, 1) if not z._shape else z for z in (x, y))
    if not x._shape[0] or not y._shape[0]:
        raise ValueError(f"{name} of a vector without elements: the shapes are {x._shape} and {y._shape}")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"the mode of {name} is 'full', 'same' or 'valid', not {mode!r}")
    shorter, longer = sorted((x._shape[0], y._shape[0]))
    if recording(x, y):
        full = host(BY_NAME["convolve"], x, y)
    else:
        full = wrap(np.convolve(x._array(), y._array()))
    if mode == "full":
        return full
    start, length = (same, longer) if mode == "same" else (shorter - 1, longer - shorter + 1)
    return full[start:start + length]
