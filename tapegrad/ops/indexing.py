"""Indexing by arrays, and assignment.

A *gather plan* is ``[count, places...]``: the places in the operand's flat memory that the result is read from. An *assignment
plan* says for each element of the result where it comes from: -1, the operand's own element; otherwise the place in the new
values.
"""
import numpy as np

from .._jit import at, inlined
from . import frame
from .table import linear, operation


@inlined
def take(out, source, plan, scratch, n):
    """out[c] = source[place of c]"""
    for i in range(n):
        out[i] = source[plan[1 + i]]


@inlined
def take_adding(out, source, plan, scratch, n):
    """out[c] += source[place of c]"""
    for i in range(n):
        out[i] += source[plan[1 + i]]


@inlined
def add_at(out, source, plan, scratch, n):
    """out[place of c] += source[c], repeated places included"""
    for i in range(plan[0]):
        out[plan[1 + i]] += source[i]


linear("take", take, take_adding, "add_at", display="Index", in_place=False)
linear("add_at", None, add_at, "take", display="IndexAdd", in_place=False)


@inlined
def assign(address, real, item):
    """z = x with some elements from y"""
    f = at(address, np.int64)
    z, x, y = at(f[frame.OUT], real), at(f[frame.OPERANDS], real), at(f[frame.OPERANDS + 2], real)
    plan = at(f[frame.PLAN], np.int64)
    for i in range(f[frame.SIZE]):
        z[i] = x[i] if plan[i] < 0 else y[plan[i]]


@inlined
def assign_keep(address, real, item):
    """gx += g where x was kept; as tangent the same"""
    f = at(address, np.int64)
    out, g, plan = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.PLAN], np.int64)
    for i in range(f[frame.SIZE]):
        if plan[i] < 0:
            out[i] += g[i]


@inlined
def assign_take(address, real, item):
    """gy += g where y was taken"""
    f = at(address, np.int64)
    out, g, plan = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.PLAN], np.int64)
    for i in range(f[frame.SIZE]):
        if plan[i] >= 0:
            out[plan[i]] += g[i]


@inlined
def assign_put(address, real, item):
    """The tangent of y goes where y goes."""
    f = at(address, np.int64)
    out, g, plan = at(f[frame.OUT], real), at(f[frame.INCOMING], real), at(f[frame.PLAN], np.int64)
    for i in range(f[frame.SIZE]):
        if plan[i] >= 0:
            out[i] += g[plan[i]]


operation("assign", assign, (assign_keep, assign_take), (assign_keep, assign_put),
          (lambda g, x, y, z, plan: np.kept(g, plan), lambda g, x, y, z, plan: np.taken(g, plan)),
          display="CopySlices", in_place=False)
