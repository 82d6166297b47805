"""A heat picture of a matrix, most of all of a sparse Jacobian."""
import importlib

import numpy as np

from ..tensor.core import Tensor
from ..tensor.elementwise import describe
from ..transforms.sparse import SparseJacobian, sparse_jacobian
from .figures import QUIET, axes_or_new, finish

CELLS = 800                                  # rows or columns of the picture; of a larger matrix each cell shows several entries
FEW = 40                                     # rows and columns up to which cells have edges
HEAT = ["#cfe3f5", "#6aa7d8", "#2563a8", "#123a6b", "#0b1f3f"]
DECADES = 12                                 # that the colours span at most, below the largest entry


def spy(matrix, *arguments, ax=None, title=None):
    """A picture of a matrix: where it is not zero, and how large it is there, by colours on a logarithmic scale.

    `matrix` is an array of two axes, a matrix of ``scipy.sparse``, or a function of `arguments`, whose Jacobian is drawn: by
    :func:`tapegrad.sparse_jacobian`, or what that or :func:`tapegrad.sparse_hessian` gave. Where the matrix has more than 800
    rows or columns, a cell of the picture shows the largest of several entries. Entries that are stored and are zero, or are
    not finite, have colours of their own.

    Draws on the axes `ax`, or on a new figure, and gives the axes. ImportError without matplotlib, ValueError for what is no
    matrix.

    >>> import numpy as np, tapegrad as tg
    >>> ax = tg.plot.spy(lambda x: x[1:] ** 2 - x[:-1], np.ones(6))                     # doctest: +SKIP
    """
    rows, columns, values, shape, name = _entries(matrix, arguments)
    ax = axes_or_new(ax, (5.6, 4.6))
    colors, ticker = importlib.import_module("matplotlib.colors"), importlib.import_module("matplotlib.ticker")
    steps = [max(-(-n // CELLS), 1) for n in shape]
    cells = [max(-(-n // step), 1) for n, step in zip(shape, steps)]
    sizes = np.full(cells, -1.0)             # nothing there
    sizes_at = np.where(np.isfinite(values), np.abs(values), np.inf)
    np.maximum.at(sizes, (rows // steps[0], columns // steps[1]), sizes_at)

    finite = sizes_at[np.isfinite(sizes_at) & (sizes_at > 0)]
    high = finite.max() if finite.size else 1.0
    low = max(finite.min(), high * 10.0**-DECADES) if finite.size else 0.1
    if low == high:
        low, high = low / 10**0.5, high * 10**0.5
    shown = np.ma.masked_less_equal(np.clip(sizes, None, high * 10), 0)
    shown = np.ma.where((shown < low) & ~shown.mask, low, shown) if shown.count() else shown
    extent = (-0.5, max(shape[1], 1) - 0.5, max(shape[0], 1) - 0.5, -0.5)
    heat = colors.LinearSegmentedColormap.from_list("heat", HEAT).with_extremes(over="#d64545")
    picture = ax.imshow(shown, cmap=heat, norm=colors.LogNorm(low, high), extent=extent, interpolation="nearest", aspect="auto")
    zeros = np.ma.masked_where(sizes != 0, np.ones(cells))
    if zeros.count():
        ax.imshow(zeros, cmap=colors.ListedColormap(["#e4e7eb"]), extent=extent, interpolation="nearest", aspect="auto")
    infinite = bool(np.isinf(sizes_at).any())
    if max(shape) <= FEW:
        ax.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="#ffffff", linewidth=0.8)
        ax.tick_params(which="minor", length=0)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(ticker.MaxNLocator(integer=True, nbins=7))
    ax.set_aspect("equal" if max(shape) <= 4 * min(shape) and min(shape) else "auto")
    ax.set_xlim(extent[:2])
    ax.set_ylim(extent[2:])
    bar = ax.figure.colorbar(picture, ax=ax, extend="max" if infinite else "neither", shrink=0.9)
    bar.set_label("size of the entry" + (", red: not finite" if infinite else ""))
    bar.outline.set_edgecolor(QUIET)
    share = 100 * len(values) / max(shape[0] * shape[1], 1)
    about = f"{shape[0]} x {shape[1]}, {len(values)} entries ({share:.2g} %)"
    return finish(ax, f"{name}: {about}" if title is None else title, "column (input)", "row (output)")


def _entries(matrix, arguments):
    """(rows, columns, values, shape, name) of what is drawn."""
    name = "matrix"
    if callable(matrix) and not hasattr(matrix, "tocoo") and not isinstance(matrix, Tensor):
        if not arguments:
            raise TypeError("spy of a function takes its arguments, too: spy(f, x)")
        name = {"sparse_hessian": "Hessian"}.get(getattr(matrix, "name", ""), "Jacobian")
        matrix = (matrix if isinstance(matrix, SparseJacobian) else sparse_jacobian(matrix))(*arguments)
    elif arguments:
        raise TypeError(f"spy draws a matrix, or a function and its arguments; the first is {describe(matrix)}, and further "
                        "ones were given")
    if hasattr(matrix, "tocoo"):             # of scipy.sparse
        found = matrix.tocoo()
        rows, columns, values, shape = found.row, found.col, found.data, found.shape
    else:
        array = matrix._array() if isinstance(matrix, Tensor) else np.asarray(matrix)
        if array.ndim != 2 or array.dtype.kind not in "fiub":
            raise ValueError(f"spy draws a matrix of real numbers, and this has shape {array.shape} and dtype {array.dtype}")
        rows, columns = np.nonzero(array)
        values, shape = array[rows, columns], array.shape
    return np.asarray(rows), np.asarray(columns), np.asarray(values, float), shape, name


__all__ = ["spy"]
