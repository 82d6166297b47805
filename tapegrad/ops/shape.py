"""Operations that move elements: views, expanding, sums over axes, concatenation.

Values on a tape are contiguous. A *strided plan* describes a view of contiguous memory: ``[ndim, shape..., strides...,
offset, count]``, strides and offset in elements. Reading through it is a slice, a transposition or an expansion; adding
into memory through it is a sum over the axes of stride 0, or the adjoint of the reading. So each is the other's adjoint.
"""
from .._jit import helper
from .table import linear


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


@helper
def read_strided(out, source, plan, n, m, scale, scratch, add):
    """out[c] (+)= scale * source[strided(c)]"""
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        if add:
            if step == 1:
                for i in range(length):
                    out[place + i] += scale * source[start + i]
            else:
                for i in range(length):
                    out[place + i] += scale * source[start + i * step]
        elif step == 1:
            for i in range(length):
                out[place + i] = scale * source[start + i]
        else:
            for i in range(length):
                out[place + i] = scale * source[start + i * step]
        place += length
        start = advance(plan, scratch, start)


@helper
def write_strided(out, source, plan, n, m, scale, scratch, add):
    """out[strided(c)] (+)= scale * source[c]"""
    ndim = plan[0]
    length, step, start = plan[ndim], plan[2 * ndim], plan[2 * ndim + 1]
    place = 0
    for _ in range(rows(plan, scratch)):
        if add:
            if step == 0:
                out[start] += scale * blocked_sum(source, place, length)
            elif step == 1:
                for i in range(length):
                    out[start + i] += scale * source[place + i]
            else:
                for i in range(length):
                    out[start + i * step] += scale * source[place + i]
        else:
            for i in range(length):
                out[start + i * step] = scale * source[place + i]
        place += length
        start = advance(plan, scratch, start)


@helper
def add_strided(out, source, plan, n, m, scale, scratch, add):
    """out[strided(c)] += scale * source[c], from zeros"""
    write_strided(out, source, plan, n, m, scale, scratch, True)


@helper
def blocked_sum(source, start, length):
    """Sums in blocks of 256 and eight lanes: the rounding error grows with n/2048, and the lanes fill a vector register."""
    total = 0.0                              # never a product of an element: 0 * inf is nan
    i, end = start, start + length
    while i + 8 <= end:
        stop = min(i + 256, end - 7)
        a, b, c, d = source[i], source[i + 1], source[i + 2], source[i + 3]
        e, f, g, h = source[i + 4], source[i + 5], source[i + 6], source[i + 7]
        i += 8
        while i < stop:
            a += source[i]
            b += source[i + 1]
            c += source[i + 2]
            d += source[i + 3]
            e += source[i + 4]
            f += source[i + 5]
            g += source[i + 6]
            h += source[i + 7]
            i += 8
        total += ((a + b) + (c + d)) + ((e + f) + (g + h))
    while i < end:
        total += source[i]
        i += 1
    return total


@helper
def average_strided(out, source, plan, n, m, scale, scratch, add):
    """The sum through a strided plan, divided by the number of elements that meet in each."""
    count = plan[2 * plan[0] + 2]
    if add:
        write_strided(out, source, plan, n, m, scale / count, scratch, True)
    else:
        write_strided(out, source, plan, n, m, scale, scratch, True)
        for i in range(n):
            out[i] /= count


@helper
def read_averaged(out, source, plan, n, m, scale, scratch, add):
    """The adjoint of a mean: each element gets an equal part."""
    read_strided(out, source, plan, n, m, scale / plan[2 * plan[0] + 2], scratch, add)


@helper
def copy(out, source, plan, n, m, scale, scratch, add):
    """out[i] (+)= source[i]: a new shape for the same elements."""
    if add:
        for i in range(n):
            out[i] += source[i]
    else:
        for i in range(n):
            out[i] = source[i]


linear("reshape", copy, "reshape", display="View", in_place=False)
linear("view", read_strided, "sum", display="AsStrided", in_place=False)
linear("sum", add_strided, "view", zero=True, in_place=False)
linear("mean", average_strided, "spread", zero=True, in_place=False)
linear("spread", read_averaged, "mean", display="Expand", in_place=False)
linear("concatenate", write_strided, "view", each=True, display="Cat", in_place=False)
