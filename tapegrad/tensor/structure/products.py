"""Products of vectors, matrices and batches of matrices."""
import math

import numpy as np

from ...ops import BY_NAME
from ..core import common_dtype, float32, float64, record_many, wrap
from ..elementwise import broadcast
from ..plans import matmul_plan
from ..registry import public
from .arguments import as_tensor_operand, recording
from .views import expand


@public("mm", "mv", "bmm")
def matmul(x, y):
    """The matrix product, as ``np.matmul``: of vectors, matrices, and batches of matrices that broadcast."""
    x, y = as_tensor_operand(x, "matmul"), as_tensor_operand(y, "matmul")
    a, b = x._shape, y._shape
    if not a or not b:
        raise ValueError(f"matmul takes tensors with axes, and the shapes are {a} and {b}; use * to multiply by a number")
    k = a[-1]
    if k != (b[-2] if len(b) > 1 else b[0]):
        raise ValueError(f"matmul of shapes {a} and {b}: the last axis of the first, {k}, must be as long as the "
                         f"{'second to last' if len(b) > 1 else 'only'} axis of the second, {b[-2] if len(b) > 1 else b[0]}")
    if not recording(x, y):
        dtype = common_dtype([x, y]) if any(z.dtype in (float64, float32) for z in (x, y)) else None
        arrays = [z._array() if dtype is None else z._array().astype(dtype, copy=False) for z in (x, y)]
        return wrap(np.asarray(np.matmul(*arrays)))
    m, n = (a[-2] if len(a) > 1 else 1), (b[-1] if len(b) > 1 else 1)
    batch = broadcast(a[:-2], b[:-2])
    shape = batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ())
    # A batch of matrices by one shared matrix is one tall matrix by it
    if len(b) <= 2 and len(a) > 2:
        plan = matmul_plan(1, math.prod(a[:-1]), k, n, 0, 0, shape, "Mm")
        return record_many(BY_NAME["matmul"], (x, y), plan)
    operands, steps = [], []
    for z, own, size in ((x, a[:-2], m * k), (y, b[:-2], k * n)):
        if own and own != batch:
            z = expand(z, *batch, *z._shape[-2:])
            own = batch
        operands.append(z)
        steps.append(size if own else 0)
    label = "Bmm" if batch else {(1, 1): "Dot", (2, 1): "Mv", (1, 2): "Mv", (2, 2): "Mm"}[len(a), len(b)]
    return record_many(BY_NAME["matmul"], operands, matmul_plan(math.prod(batch), m, k, n, *steps, shape, label))


@public()
def dot(x, y):
    """The product of two vectors, or as ``np.dot``."""
    x, y = as_tensor_operand(x, "dot"), as_tensor_operand(y, "dot")
    if not x._shape or not y._shape:
        from ..elementwise import apply
        return apply(BY_NAME["multiply"], x, y)
    if len(x._shape) <= 2 and len(y._shape) <= 2:
        return matmul(x, y)
    raise ValueError(f"dot takes vectors and matrices, and the shapes are {x._shape} and {y._shape}; use matmul")
