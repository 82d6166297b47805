"""Plans that come from a file: whether the loops of an operation stay inside its operands and its result.

Kernels and machine code take a plan at its word. The values, adjoints and tangents of a record go through the same places, so one
check is for all of them. Each operation that has a plan has one here; without, it can't be loaded. For what plans mean, see where
the operations are declared.
"""
import math

import numpy as np

from ..ops import BY_NAME, OPS, PLANNED_EACH
from ..ops.frame import MAX_DIMS
from ..ops.relation import RELATIONS

MOST_STEPS = 1 << 26                         # of loops over nothing


def check_plan(code, plan, given, size):
    """ValueError where a record of that opcode, with operands of sizes `given` and a result of `size`, would leave its memory."""
    op = OPS[code]
    check = CHECKS.get(code) if op.value is None else _elementwise
    if check is None:
        raise ValueError(f"{op.name} is no operation that a file may hold")
    params = plan.params
    if params.ndim != (2 if op.kind == PLANNED_EACH else 1) or not (params.size or check is _assign):      # that of nothing
        raise ValueError(f"the plan of {op.name} has shape {params.shape}")
    if not check(params, given, size):
        raise ValueError(f"the plan of {op.name}, {np.array2string(params, threshold=12)}, does not fit operands of {given} "
                         f"elements and a result of {size}")


# Checks: ``check(params, given, size)``, by integers of Python, which don't overflow ----------------------------------------

def _numbers(params, least):
    """The integers of a plan that has at least so many, and none of the first ones below 0; or None."""
    found = params.tolist()
    return found if len(found) >= least and min(found[:least]) >= 0 else None


def _few(counts, *sizes):
    """Whether nested loops over nothing come to an end soon."""
    return 0 not in counts or math.prod([n for n in counts if n]) <= max(MOST_STEPS, *sizes)


def _strided(params, inner, outer):
    """`inner` elements that lie one behind the other have places in a memory of `outer` elements."""
    p = params.tolist()
    n = p[0]
    if not 1 <= n <= MAX_DIMS or len(p) < 2 * n + 3:
        return False
    shape, strides, low, high = p[1:1 + n], p[1 + n:1 + 2 * n], p[2 * n + 1], p[2 * n + 1]
    if min(shape) < 0 or math.prod(shape) != inner or not _few(shape, inner, outer):
        return False
    if shape[-1] == 0 and strides[-1] == 0:  # the sum of an empty row is written, too
        shape[-1] = 1
    if 0 in shape:
        return True
    for count, stride in zip(shape, strides):
        reach = (count - 1) * stride
        if reach < 0:
            low += reach
        else:
            high += reach
    return low >= 0 and high < outer


def _mean(params, small, large):
    """A strided plan, and behind it how many elements each mean is of."""
    return _strided(params, large, small) and int(params[2 * int(params[0]) + 2]) * small == large


def _concatenate(params, given, size):
    return sum(given) == size and all([_strided(row, count, size) for row, count in zip(params, given)])


def _places(params, count, size):
    """``[count, places...]`` in a memory of `size` elements."""
    return params[0] == count == len(params) - 1 and _inside(params[1:], 0, size)


def _inside(places, least, size):
    return not len(places) or bool(least <= places.min() and places.max() < size)


def _assign(params, given, size):
    return len(params) == size == given[0] and _inside(params, -1, given[1])


def _matmul(params, given, size):
    p = _numbers(params, 6)
    if p is None:
        return False
    batch, m, k, n, x_step, y_step = p[:6]
    last = max(batch - 1, 0)
    return (len(p) == 6 and batch * m * n == size and last * x_step + m * k <= given[0] and last * y_step + k * n <= given[1]
            and _few((batch, m, k, n), size, *given))


def _lanes(params, source, size, least=0):
    """``[outer, length, inner]``, along lanes of at least so many elements, each of which gives one number."""
    p = _numbers(params, 3)
    return (p is not None and math.prod(p[:3]) == source and p[0] * p[2] == size and (p[1] >= least or size == 0)
            and _few(p[:3], source, size))


def _variance(params, given, size):
    """Lanes, and what sums of squares are divided by, the bits of a float."""
    return len(params) == 4 and bool(np.isfinite(params[3:].view(np.float64)[0])) and _lanes(params, given[0], size)


def _scan(params, given, size):
    """Lanes that give one number for each element."""
    p = _numbers(params, 3)
    return p is not None and math.prod(p[:3]) == given[0] == size and _few(p[:3], size)


def _norm(params, given, size):
    p = _numbers(params, 2)
    return p is not None and p[0] == size and p[0] * p[1] == given[0]


def _elementwise(params, given, size):
    """Operands of one element each, or of as many as the result."""
    return size == next((n for n in given if n != 1), 1) and all([n in (1, size) for n in given])


def _relation(params, given, size):
    return 0 <= params[0] < len(RELATIONS) and _elementwise(params, given, size)


_BY_NAMES = {
    "reshape": lambda p, given, size: given[0] == size,
    "view": lambda p, given, size: _strided(p, size, given[0]),
    "sum": lambda p, given, size: _strided(p, given[0], size),
    "mean": lambda p, given, size: _mean(p, size, given[0]),
    "spread": lambda p, given, size: _mean(p, given[0], size),
    "concatenate": _concatenate,
    "take": lambda p, given, size: _places(p, size, given[0]),
    "add_at": lambda p, given, size: _places(p, given[0], size),
    "assign": _assign, "matmul": _matmul, "norm": _norm, "relation": _relation,
    **dict.fromkeys(("amax", "amin"), lambda p, given, size: _lanes(p, given[0], size, 1)),
    **dict.fromkeys(("prod", "logsumexp"), lambda p, given, size: _lanes(p, given[0], size)),
    **dict.fromkeys(("variance", "deviation"), _variance),
    **dict.fromkeys(("cumsum", "cumprod", "logcumsumexp", "softmax", "log_softmax"), _scan),
}
CHECKS = {BY_NAME[name].code: check for name, check in _BY_NAMES.items()}
