"""Matrix products. A plan is ``[batch, m, k, n, step of x, step of y]``: (m, k) @ (k, n) for each of the batch, the steps 0
for an operand that all of the batch share."""
import numpy as np

from .._jit import at, gemm, gemv, helper, inlined, load_blas
from . import frame
from .table import operation

# Below this many multiplications a plain loop is faster than a call to BLAS.
SMALL = 2048
SMALL_DOT = 64                               # and of one element, where each multiplication waits for the one before


@helper
def _loop(out, x, y, m, k, n, xi, xl, yl, yj):
    """out[i, j] += sum over l of x[i*xi + l*xl] * y[l*yl + j*yj]"""
    for i in range(m):
        for l in range(k):
            a = x[i * xi + l * xl]
            if yj == 1:
                for j in range(n):
                    out[i * n + j] += a * y[l * yl + j]
            else:
                for j in range(n):
                    out[i * n + j] += a * y[l * yl + j * yj]


@helper
def _product(address, real, out, x, y, m, k, n, x_transposed, y_transposed):
    """out (m, n) += x (m, k) @ y (k, n), all at addresses; a transposed operand lies in memory the other way round."""
    one = address + 8 * frame.SCRATCH
    if k == 1 and n == 1:                    # a column times a number: along the column
        _loop(at(out, real), at(y, real), at(x, real), 1, 1, m, 1, 1, 1, 1)
        return
    if k == 1 or (m * k * n < SMALL and not (m * n == 1 and k >= SMALL_DOT)):
        _loop(at(out, real), at(x, real), at(y, real), m, k, n,
              1 if x_transposed else k, m if x_transposed else 1, 1 if y_transposed else n, k if y_transposed else 1)
        return
    at(one, real)[0] = 1
    # BLAS counts by columns, where a row-major matrix is its transpose: out.T += y.T @ x.T
    if n == 1:
        gemv(real, not x_transposed, m if x_transposed else k, k if x_transposed else m, one, x, y, out)
    elif m == 1:
        gemv(real, y_transposed, k if y_transposed else n, n if y_transposed else k, one, y, x, out)
    else:
        gemm(real, y_transposed, x_transposed, n, m, k, one, y, k if y_transposed else n, x, m if x_transposed else k, out, n)


@inlined
def _add_product(address, real, item, x, y):
    f = at(address, np.int64)
    p = at(f[frame.PLAN], np.int64)
    batch, m, k, n, x_step, y_step = p[0], p[1], p[2], p[3], p[4], p[5]
    for b in range(batch):
        _product(address, real, f[frame.OUT] + b * m * n * item, x + b * x_step * item, y + b * y_step * item,
                 m, k, n, False, False)


@inlined
def matmul(address, real, item):
    """z = x @ y"""
    f = at(address, np.int64)
    z = at(f[frame.OUT], real)
    for i in range(f[frame.SIZE]):
        z[i] = 0
    _add_product(address, real, item, f[frame.OPERANDS], f[frame.OPERANDS + 2])


@inlined
def matmul_tangent_x(address, real, item):
    """tz += tx @ y"""
    f = at(address, np.int64)
    _add_product(address, real, item, f[frame.INCOMING], f[frame.OPERANDS + 2])


@inlined
def matmul_tangent_y(address, real, item):
    """tz += x @ ty"""
    f = at(address, np.int64)
    _add_product(address, real, item, f[frame.OPERANDS], f[frame.INCOMING])


@inlined
def matmul_adjoint_x(address, real, item):
    """gx += g @ y.T"""
    f = at(address, np.int64)
    p = at(f[frame.PLAN], np.int64)
    batch, m, k, n, x_step, y_step = p[0], p[1], p[2], p[3], p[4], p[5]
    for b in range(batch):
        _product(address, real, f[frame.OUT] + b * x_step * item, f[frame.INCOMING] + b * m * n * item,
                 f[frame.OPERANDS + 2] + b * y_step * item, m, n, k, False, True)


@inlined
def matmul_adjoint_y(address, real, item):
    """gy += x.T @ g"""
    f = at(address, np.int64)
    p = at(f[frame.PLAN], np.int64)
    batch, m, k, n, x_step, y_step = p[0], p[1], p[2], p[3], p[4], p[5]
    for b in range(batch):
        _product(address, real, f[frame.OUT] + b * y_step * item, f[frame.OPERANDS] + b * x_step * item,
                 f[frame.INCOMING] + b * m * n * item, k, m, n, True, False)


operation("matmul", matmul, (matmul_adjoint_x, matmul_adjoint_y), (matmul_tangent_x, matmul_tangent_y),
          (lambda g, x, y, z, plan: np.matmul_x(g, y, plan), lambda g, x, y, z, plan: np.matmul_y(g, x, plan)),
          display="Mm", in_place=False, linear_in="xy", prepare=load_blas)
