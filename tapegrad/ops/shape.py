"""Operations that move elements: views, expanding, sums over axes, concatenation.

Values on a tape are contiguous. A *strided plan* describes a view of contiguous memory: ``[ndim, shape..., strides...,
offset, count]``, strides and offset in elements. Reading through it is a slice, a transposition or an expansion; adding
into memory through it is a sum over the axes of stride 0, or the adjoint of the reading. So each is the other's adjoint.
"""
from .._jit import helper, inlined
from .table import BY_NAME, linear


@helper
def advance(plan, scratch, start):
    """Moves an odometer over all axes but the last to the next row; gives the row's place in the strided memory."""
    ndim = plan[0]
    axis = ndim - 2
    while axis >= 0:
        scratch[axis] += 1
        start += plan[1 + ndim + axis]
        if scratch[axis] < plan[1 + axis]:
            return start
        start -= plan[1 + ndim + axis] * plan[1 + axis]
        scratch[axis] = 0
        axis -= 1
    return start


@helper
def rows(plan, scratch):
    """The number of rows along the last axis; sets the odometer to the first."""
    count = 1
    for axis in range(plan[0] - 1):
        scratch[axis] = 0
        count *= plan[1 + axis]
    return count


@inlined
def read_strided(out, source, plan, scratch):
    """out[c] = source[strided(c)]"""
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        if step == 1:
            for i in range(length):
                out[place + i] = source[start + i]
        else:
            for i in range(length):
                out[place + i] = source[start + i * step]
        place += length
        start = advance(plan, scratch, start)


@inlined
def add_read(out, source, plan, scratch, scale):
    """out[c] += scale * source[strided(c)]"""
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        if step == 1:
            for i in range(length):
                out[place + i] += scale * source[start + i]
        else:
            for i in range(length):
                out[place + i] += scale * source[start + i * step]
        place += length
        start = advance(plan, scratch, start)


@inlined
def write_strided(out, source, plan, scratch):
    """out[strided(c)] = source[c]"""
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        for i in range(length):
            out[start + i * step] = source[place + i]
        place += length
        start = advance(plan, scratch, start)


@inlined
def add_written(out, source, plan, scratch, scale):
    """out[strided(c)] += scale * source[c]"""
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        if step == 0:
            out[start] += scale * blocked_sum(source, place, place + length)
        elif step == 1:
            for i in range(length):
                out[start + i] += scale * source[place + i]
        else:
            for i in range(length):
                out[start + i * step] += scale * source[place + i]
        place += length
        start = advance(plan, scratch, start)


@helper
def blocked_sum(source, start, end):
    """Sums in blocks of 256 and four lanes: the rounding error grows with n/1024, and the lanes don't wait for each other."""
    total = 0.0                              # not a product with an element: 0 * inf is nan
    while end - start >= 4:
        a, b, c, d = source[start], source[start + 1], source[start + 2], source[start + 3]
        stop = start + 256 if start + 256 < end - 3 else end - 3
        start += 4
        while start < stop:
            a += source[start]
            b += source[start + 1]
            c += source[start + 2]
            d += source[start + 3]
            start += 4
        total += (a + b) + (c + d)
    while start < end:
        total += source[start]
        start += 1
    return total


# The loops of the rows: ``loop(out, source, plan, scratch, n)``, n the number of elements of `out`.

@inlined
def view(out, source, plan, scratch, n):
    read_strided(out, source, plan, scratch)


@inlined
def view_adding(out, source, plan, scratch, n):
    add_read(out, source, plan, scratch, 1)


@inlined
def sum_adding(out, source, plan, scratch, n):
    add_written(out, source, plan, scratch, 1)


@inlined
def mean(out, source, plan, scratch, n):
    add_written(out, source, plan, scratch, 1)
    count = plan[2 * plan[0] + 2]
    for i in range(n):
        out[i] /= count


@inlined
def mean_adding(out, source, plan, scratch, n):
    add_written(out, source, plan, scratch, 1.0 / plan[2 * plan[0] + 2])


@inlined
def spread_adding(out, source, plan, scratch, n):
    add_read(out, source, plan, scratch, 1.0 / plan[2 * plan[0] + 2])


@inlined
def join(out, source, plan, scratch, n):
    write_strided(out, source, plan, scratch)


@inlined
def copy(out, source, plan, scratch, n):
    for i in range(n):
        out[i] = source[i]


@inlined
def copy_adding(out, source, plan, scratch, n):
    for i in range(n):
        out[i] += source[i]


linear("reshape", copy, copy_adding, "reshape", display="View", in_place=False)
linear("view", view, view_adding, "sum", display="AsStrided", in_place=False)
VIEWS = frozenset((BY_NAME["reshape"].code, BY_NAME["view"].code))       # whose results may share the memory of their operand
linear("sum", None, sum_adding, "view", in_place=False)
linear("mean", mean, mean_adding, "spread", zero=True, in_place=False)
linear("spread", None, spread_adding, "mean", display="Expand", in_place=False)
linear("concatenate", join, sum_adding, "view", each=True, display="Cat", in_place=False)
