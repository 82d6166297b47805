"""Colours for the columns of a sparse matrix: those of one colour have no row in common, so that one sweep gives them all."""
import numpy as np

from .._jit import at, sweep
from ..buffers import address_of

COSTLY = 300_000_000                         # pairs of entries that share a row, above which a colouring isn't tried


def greedy(order, indptr, indices, turned_indptr, turned_indices, colors, taken, n):
    """Gives each column, in an `order`, the first colour that no column has with which it shares a row; gives their number.

    A matrix by rows (`indptr`, `indices`) and by columns (`turned`). `colors`: -1 for each column. `taken`: scratch, -1 for each.
    """
    sequence, ip, ix = at(order, np.int32), at(indptr, np.int32), at(indices, np.int32)
    tp, tx = at(turned_indptr, np.int32), at(turned_indices, np.int32)
    color, used = at(colors, np.int32), at(taken, np.int32)
    highest = -1
    for k in range(n):
        j = sequence[k]
        for p in range(tp[j], tp[j + 1]):
            r = tx[p]
            for q in range(ip[r], ip[r + 1]):
                c = color[ix[q]]
                if c >= 0:
                    used[c] = j
        c = 0
        while used[c] == j:
            c += 1
        color[j] = np.int32(c)
        if c > highest:
            highest = c
    return highest + 1


_compiled = None


def color_columns(rows, columns, order=None):
    """A colour for each column, counted from 0. `rows`, `columns`: the matrix as CSR and as CSC."""
    global _compiled
    if _compiled is None:
        _compiled = sweep(greedy)
    n = columns.shape[1]
    order = np.arange(n, dtype=np.int32) if order is None else order.astype(np.int32)
    colors, taken = np.full(n, -1, np.int32), np.full(n + 1, -1, np.int32)
    arrays = [np.ascontiguousarray(a, np.int32) for a in (rows.indptr, rows.indices, columns.indptr, columns.indices)]
    _compiled(*map(address_of, (order, *arrays, colors, taken)), n)
    return colors


def colored(rows, columns):
    """The better of two colourings, in the order of the columns and with the fullest columns first; None where that would take
    far longer than the sweeps that it saves."""
    counts = np.diff(rows.indptr).astype(np.int64)
    if (counts * counts).sum() > COSTLY:
        return None
    first = color_columns(rows, columns)
    fewest = int(counts.max(initial=0))
    if first.size == 0 or first.max() + 1 <= fewest:
        return first
    second = color_columns(rows, columns, np.argsort(-np.diff(columns.indptr), kind="stable"))
    return second if second.max() < first.max() else first


def choose(rows, columns, forward=True, reverse=True):
    """(the mode, colours of columns for "forward" or of rows for "reverse"), whichever needs fewer sweeps of those allowed."""
    widest, tallest = (int(np.diff(a.indptr).max(initial=0)) for a in (rows, columns))
    options = [("forward", widest, rows, columns)] * forward + [("reverse", tallest, columns.T, rows.T)] * reverse
    options.sort(key=lambda option: option[1])
    best = None
    for mode, least, along, across in options:
        if best is not None and best[1].max(initial=-1) + 1 <= least:
            continue
        colors = colored(along, across)
        if colors is not None and (best is None or colors.max(initial=-1) < best[1].max(initial=-1)):
            best = mode, colors
    if best is None:                         # nearly dense: a sweep for each
        mode, _, _, across = options[0] if len(options) == 1 or rows.shape[1] <= rows.shape[0] else options[-1]
        best = mode, np.arange(across.shape[1], dtype=np.int32)
    return best
