"""Derivatives for each sample of a batch: a compiled loop over samples, over threads where there are many of them.

``tg.vmap`` asks a transform of a compiled function for it, by its attribute `batched`.
"""
from itertools import pairwise

import numba
import numpy as np

from .._jit import patient
from ..replay.threads import most, side_by_side
from ..tape import state
from .drivers import ALL, driver, lanes_for
from .rebuild import kept_with

MANY = 512                                   # samples from which on threads are worth their start


def batched(dispatcher, numbers, kind):
    """The maker of batched derivatives, of "value_and_grad", "grad" or "jacobian": given `in_axes` it gives a function of arrays,
    and None where it knows no loop."""
    positions, single = numbers

    def make(in_axes):
        count = dispatcher.py_func.__code__.co_argcount
        axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * count
        plain = len(axes) == count and all(axis is None or isinstance(axis, (int, np.integer)) for axis in axes)
        if not plain or list(positions) != sorted({p for p in positions if 0 <= p < count}) or all(a is None for a in axes):
            return None

        def derivatives(*arguments):
            if state().anomaly:
                return NotImplemented        # each sample is looked at
            given = [_front(x, axis, p in positions) for p, (x, axis) in enumerate(zip(arguments, axes))]
            sizes = {len(x) for x, axis in zip(given, axes) if axis is not None}
            if sizes == {0}:
                return NotImplemented
            if len(sizes) != 1 or len(arguments) != count:
                raise ValueError(f"vmap needs batches of one size for {count} arguments, and there are {sorted(sizes)}")
            (size,) = sizes
            shapes = [x.shape[axis is not None:] if isinstance(x, np.ndarray) else () for x, axis in zip(given, axes)]
            lengths = [int(np.prod(shapes[p])) for p in positions]
            n = sum(lengths)
            outputs = ()
            if kind == "jacobian":
                first = dispatcher(*(x if axis is None else x[0] for x, axis in zip(given, axes)))
                if isinstance(first, (tuple, list)):
                    raise TypeError("a batch of Jacobians is of functions that give a number or an array, not several")
                outputs = np.shape(first)
            loop = _loop(dispatcher, tuple(positions), tuple(axis is not None for axis in axes), min(n, ALL + 1), kind)
            values, matrix = np.empty(size), np.empty((size, int(np.prod(outputs)), n))
            _over_threads(loop, size, values, matrix, given)
            low = [getattr(arguments[p], "dtype", None) == np.float32 for p in positions]
            ends = np.cumsum(lengths)
            parts = [matrix[..., end - length:end].reshape((size, *outputs, *shapes[p])).astype(
                np.float32 if single_precision else np.float64, copy=False)
                for p, end, length, single_precision in zip(positions, ends, lengths, low)]
            found = parts[0] if single else tuple(parts)
            return (values.astype(np.float32) if all(low) else values, found) if kind == "value_and_grad" else found
        return derivatives
    return make


def _front(x, axis, differentiated):
    """An argument with its samples along the first axis, one after the other in memory."""
    if differentiated:
        x = np.asarray(x, np.float64) if np.ndim(x) else float(x)
    return x if axis is None else np.ascontiguousarray(np.moveaxis(np.asarray(x), axis, 0))


def _over_threads(loop, size, values, matrix, given):
    threads = most() if size >= MANY else 1
    if threads == 1:
        loop(0, size, values, matrix, *given)
        return
    bounds = np.linspace(0, size, threads + 1).astype(int)
    loop(0, 0, values, matrix, *given)       # compiled before they begin
    side_by_side(loop, [(first, end, values, matrix, *given) for first, end in pairwise(bounds)])


@kept_with
def _loop(dispatcher, positions, batches, inputs, kind):
    """The compiled loop: forward where all inputs fit into the directions of one run, and for Jacobians, otherwise backward."""
    form = tuple("*" if p in positions else None for p in range(len(batches)))
    names = [f"a{p}" for p in range(len(batches))]
    sample = ", ".join(f"{name}[k]" if batch else name for name, batch in zip(names, batches))
    lines = [f"def loop(start, stop, values, matrix, {', '.join(names)}):", "    for k in range(start, stop):"]
    kept = "" if kind == "jacobian" else "values[k] = "
    if inputs <= ALL or kind == "jacobian":
        run = driver(dispatcher, "into", form, lanes_for(inputs))
        lines.append(f"        {kept}run({sample}, matrix[k])")
    else:
        run = driver(dispatcher, "gradient", form)
        lines += [f"        value, parts = run({sample})", f"        {kept}value", "        i = 0"]
        lines += [f"        i = put(matrix[k, 0], i, parts[{j}])" for j in range(len(positions))]
    scope = {"run": run, "put": _put}
    exec("\n".join(lines), scope)
    return patient(numba.njit(nogil=True, error_model="numpy")(scope["loop"]))


def _put(row, i, part):
    """Writes a number or an array into a row."""


@numba.extending.overload(_put)
def _ol_put(row, i, part):
    if not isinstance(part, numba.types.Array):
        def number(row, i, part):
            row[i] = part
            return i + 1
        return number

    def array(row, i, part):
        for x in part.flat:
            row[i] = x
            i += 1
        return i
    return array
