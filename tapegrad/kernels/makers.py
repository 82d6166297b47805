"""Kernels from rows of the op table: ``kernel(frame)`` for a role, an operation and a dtype.

A kernel of an elementwise operation sees operands of the result's size or of size 1; broadcasting beyond that is a record
of its own. An adjoint is added to what is there; an operand of size 1 gets the sum.
"""
import numpy as np

from .._jit import at, helper, inlined
from ..ops import frame
from ..ops.table import adjoint_of, rebind
from . import scalar, second

N, OUT, RESULT, INCOMING, PLAN, SCRATCH, INCOMING_TANGENT = (
    frame.SIZE, frame.OUT, frame.RESULT, frame.INCOMING, frame.PLAN, frame.SCRATCH, frame.INCOMING_TANGENT)
X, NX, Y, NY, W, NW = range(frame.OPERANDS, frame.OPERANDS + 6)
TZ, NTZ, TX, NTX, TY, NTY, TW, NTW = range(frame.TANGENTS, frame.TANGENTS + 8)


def make(op, role, real):
    """The kernel as a Python function, and the functions that its code depends on."""
    if op.value is not None:
        return _elementwise(op, role, real)
    if op.adjoint is not None:
        loop = op.bodies[role] if role[0] != "adjoint" else adjoint_of(op).bodies["tangent", 0]
        return _linear(loop, real, X if role == "forward" else INCOMING, role == "forward" and op.zero), (loop,)
    if op.prepare is not None:
        op.prepare()
    body = op.bodies[role]
    return _written_out(body, real, np.dtype(real).itemsize), (body,)


def _written_out(body, real, item):
    def kernel(address):
        body(address, real, item)
    return kernel


def _linear(loop, real, source, zero):
    def kernel(address):
        f = at(address, np.int64)
        out = at(f[OUT], real)
        if zero:
            for i in range(f[N]):
                out[i] = 0
        loop(out, at(f[source], real), at(f[PLAN], np.int64), at(address + 8 * SCRATCH, np.int64), f[N])
    return kernel


def _elementwise(op, role, real):
    if role == "forward":
        rule = op.value
        maker = (_value1, _value2, _value3)[op.arity - 1]
    elif role[0] == "second":
        rule, sources = second.rule(op, role[1])
        return _SECONDS[op.arity - 1](rule, real, role[1]), sources
    else:
        kind, k = role
        rule = op.partials[k]
        if rule is None:
            op.refuse(k)
            return _no_derivative(), ()
        maker = {1: _partial1, 2: _partial2, 3: _partial3}[op.arity]
    compiled, sources = inlined(rebind(rule, np=scalar)), scalar.requirements(rule)
    if role == "forward":
        return maker(compiled, real), sources
    if op.partial_needs(k):
        compiled = _nothing_from_nothing(compiled, op.arity)
    return maker(compiled, real, k, kind == "tangent"), sources


@inlined
def unless(nothing, part):
    return 0.0 if nothing else part


def _nothing_from_nothing(rule, arity):
    """A partial that is 0 where what comes in is 0, also where it would be multiplied with inf or nan: what ``where`` hides has
    no part in a derivative. It is a choice between values, without a branch, so that loops stay open to vectorisation."""
    if arity == 1:
        return inlined(lambda g, x, z: unless(g == 0, rule(g, x, z)))
    if arity == 2:
        return inlined(lambda g, x, y, z: unless(g == 0, rule(g, x, y, z)))
    return inlined(lambda g, x, y, w, z: unless(g == 0, rule(g, x, y, w, z)))


def _no_derivative():
    def kernel(address):
        pass
    return kernel


def _value1(rule, real):
    def kernel(address):
        f = at(address, np.int64)
        z, x = at(f[OUT], real), at(f[X], real)
        for i in range(f[N]):
            z[i] = rule(x[i])
    return kernel


def _value2(rule, real):
    def kernel(address):
        f = at(address, np.int64)
        n, z, x, y = f[N], at(f[OUT], real), at(f[X], real), at(f[Y], real)
        if f[NX] == f[NY]:
            for i in range(n):
                z[i] = rule(x[i], y[i])
        elif f[NY] == 1:
            b = y[0]
            for i in range(n):
                z[i] = rule(x[i], b)
        else:
            a = x[0]
            for i in range(n):
                z[i] = rule(a, y[i])
    return kernel


def _value3(rule, real):
    def kernel(address):
        f = at(address, np.int64)
        n, z, x, y, w = f[N], at(f[OUT], real), at(f[X], real), at(f[Y], real), at(f[W], real)
        sx, sy, sw = 1 if f[NX] == n else 0, 1 if f[NY] == n else 0, 1 if f[NW] == n else 0
        if sx == 1 and sy == 1 and sw == 1:
            for i in range(n):
                z[i] = rule(x[i], y[i], w[i])
        else:
            for i in range(n):
                z[i] = rule(x[i * sx], y[i * sy], w[i * sw])
    return kernel


def _partial1(rule, real, k, tangent):
    def kernel(address):
        f = at(address, np.int64)
        out, g, x, z = at(f[OUT], real), at(f[INCOMING], real), at(f[X], real), at(f[RESULT], real)
        for i in range(f[N]):
            out[i] += rule(g[i], x[i], z[i])
    return kernel


BLOCK = 256                                  # sums for an operand of size 1 are made in blocks, for accuracy


def _partial2(rule, real, k, tangent):
    """Called `x` is the operand whose adjoint or tangent it is, `y` the other one."""
    if k == 1:
        given = rule
        rule = inlined(lambda g, x, y, z: given(g, y, x, z))
    here, size, there = (X, NX, Y) if k == 0 else (Y, NY, X)
    return (_tangent2 if tangent else _adjoint2)(rule, real, here, size, there)


def _adjoint2(rule, real, here, size, there):
    def kernel(address):
        f = at(address, np.int64)
        n, out, g, z = f[N], at(f[OUT], real), at(f[INCOMING], real), at(f[RESULT], real)
        x, y = at(f[here], real), at(f[there], real)
        if f[NX] == f[NY]:
            for i in range(n):
                out[i] += rule(g[i], x[i], y[i], z[i])
        elif f[size] != 1:
            b = y[0]
            for i in range(n):
                out[i] += rule(g[i], x[i], b, z[i])
        else:
            a, start = x[0], 0
            while start < n:
                total, stop = real(0), start + BLOCK if start + BLOCK < n else n
                for i in range(start, stop):
                    total += rule(g[i], a, y[i], z[i])
                out[0] += total
                start += BLOCK
    return kernel


def _tangent2(rule, real, here, size, there):
    def kernel(address):
        f = at(address, np.int64)
        n, out, t, z = f[N], at(f[OUT], real), at(f[INCOMING], real), at(f[RESULT], real)
        x, y = at(f[here], real), at(f[there], real)
        if f[NX] == f[NY]:
            for i in range(n):
                out[i] += rule(t[i], x[i], y[i], z[i])
        elif f[size] != 1:
            b = y[0]
            for i in range(n):
                out[i] += rule(t[i], x[i], b, z[i])
        else:
            a, s = x[0], t[0]
            for i in range(n):
                out[i] += rule(s, a, y[i], z[i])
    return kernel


def _partial3(rule, real, k, tangent):
    size = (NX, NY, NW)[k]

    def kernel(address):
        f = at(address, np.int64)
        n, out, g, z = f[N], at(f[OUT], real), at(f[INCOMING], real), at(f[RESULT], real)
        x, y, w = at(f[X], real), at(f[Y], real), at(f[W], real)
        sx, sy, sw = 1 if f[NX] == n else 0, 1 if f[NY] == n else 0, 1 if f[NW] == n else 0
        if f[size] == n:
            for i in range(n):
                out[i] += rule(g[i], x[i * sx], y[i * sy], w[i * sw], z[i])
        elif tangent:
            t = g[0]
            for i in range(n):
                out[i] += rule(t, x[i * sx], y[i * sy], w[i * sw], z[i])
        else:
            start = 0
            while start < n:
                total, stop = real(0), start + BLOCK if start + BLOCK < n else n
                for i in range(start, stop):
                    total += rule(g[i], x[i * sx], y[i * sy], w[i * sw], z[i])
                out[0] += total
                start += BLOCK
    return kernel


# Tangents of adjoints: each argument of a rule is followed by its tangent, of which a number 0 may stand in the place

@helper
def _step(size, n):
    """From one element to the next: 0 of a number."""
    return 1 if size == n else 0


def _second1(rule, real, k):
    def kernel(address):
        f = at(address, np.int64)
        n, out, g, gt = f[N], at(f[OUT], real), at(f[INCOMING], real), at(f[INCOMING_TANGENT], real)
        x, xt, z, zt = at(f[X], real), at(f[TX], real), at(f[RESULT], real), at(f[TZ], real)
        for i in range(n):                   # what has no tangent is not differentiated by, so here both are there
            out[i] += rule(g[i], gt[i], x[i], xt[i], z[i], zt[i])
    return kernel


def _second2(rule, real, k):
    size = (NX, NY)[k]

    def kernel(address):
        f = at(address, np.int64)
        n, out, g, gt = f[N], at(f[OUT], real), at(f[INCOMING], real), at(f[INCOMING_TANGENT], real)
        x, xt, sx, sxt = at(f[X], real), at(f[TX], real), _step(f[NX], n), _step(f[NTX], n)
        y, yt, sy, syt = at(f[Y], real), at(f[TY], real), _step(f[NY], n), _step(f[NTY], n)
        z, zt, szt = at(f[RESULT], real), at(f[TZ], real), _step(f[NTZ], n)
        if sx + sy + sxt + syt + szt == 5:
            for i in range(n):
                out[i] += rule(g[i], gt[i], x[i], xt[i], y[i], yt[i], z[i], zt[i])
        else:
            step, start = _step(f[size], n), 0
            while start < n:
                total, stop = real(0), start + BLOCK if start + BLOCK < n else n
                for i in range(start, stop):
                    part = rule(g[i], gt[i], x[i * sx], xt[i * sxt], y[i * sy], yt[i * syt], z[i], zt[i * szt])
                    total += part
                    if step == 1:
                        out[i] += part
                if step == 0:
                    out[0] += total
                start += BLOCK
    return kernel


def _second3(rule, real, k):
    size = (NX, NY, NW)[k]

    def kernel(address):
        f = at(address, np.int64)
        n, out, g, gt = f[N], at(f[OUT], real), at(f[INCOMING], real), at(f[INCOMING_TANGENT], real)
        x, xt, sx, sxt = at(f[X], real), at(f[TX], real), _step(f[NX], n), _step(f[NTX], n)
        y, yt, sy, syt = at(f[Y], real), at(f[TY], real), _step(f[NY], n), _step(f[NTY], n)
        w, wt, sw, swt = at(f[W], real), at(f[TW], real), _step(f[NW], n), _step(f[NTW], n)
        z, zt, szt = at(f[RESULT], real), at(f[TZ], real), _step(f[NTZ], n)
        step, start = _step(f[size], n), 0
        while start < n:
            total, stop = real(0), start + BLOCK if start + BLOCK < n else n
            for i in range(start, stop):
                part = rule(g[i], gt[i], x[i * sx], xt[i * sxt], y[i * sy], yt[i * syt], w[i * sw], wt[i * swt],
                            z[i], zt[i * szt])
                total += part
                if step == 1:
                    out[i] += part
            if step == 0:
                out[0] += total
            start += BLOCK
    return kernel


_SECONDS = _second1, _second2, _second3
