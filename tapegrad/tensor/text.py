"""How tensors are printed: as PyTorch prints them, to the character, but for the names of dtypes."""
import math

import numpy as np

PRECISION, WIDTH = 4, 80                     # digits, and characters in a line
MOST_ELEMENTS, EDGE = 1000, 3                # of tensors with more elements, the first and last of each axis are printed


def written(array, suffixes, prefix="tensor("):
    """The text of a tensor with this value; `suffixes` are what is said after it."""
    indent = len(prefix)
    text = prefix + (_nested(array, indent, array.size > MOST_ELEMENTS, _format_of(array)) if array.size else "[]")
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > WIDTH:
            text, length = f"{text},\n{' ' * indent}{suffix}", indent + len(suffix)
        else:
            text, length = f"{text}, {suffix}", length + len(suffix) + 2
    return text + ")"


def _shown(array):
    """The elements that are printed, flat."""
    if array.size > MOST_ELEMENTS:
        for axis, n in enumerate(array.shape):
            if n > 2 * EDGE:
                array = np.take(array, [*range(EDGE), *range(n - EDGE, n)], axis)
    return array.reshape(-1)


def _format_of(array):
    """The function that writes an element, so that all of those shown have one width and as many digits."""
    shown = _shown(array)
    if array.dtype.kind != "f":
        return _padded(str, shown.tolist())
    known = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
    if not known.size:
        return _whole
    sizes = np.abs(known)
    if sizes.max() / sizes.min() > 1000 or sizes.max() > 1e8 or sizes.min() < 1e-4:
        return _padded(f"{{:.{PRECISION}e}}".format, known.tolist())
    if (known == np.ceil(known)).all():
        return _padded(_whole, known.tolist())
    return _padded(f"{{:.{PRECISION}f}}".format, known.tolist())


def _padded(write, values):
    width = max(map(len, map(write, values)))
    return lambda value: write(value).rjust(width)


def _whole(value):
    return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"


def _nested(array, indent, summarized, write):
    """An array in brackets, row below row."""
    if not array.ndim:
        return write(array.item())
    cut = summarized and len(array) > 2 * EDGE
    parts = [*array[:EDGE], *array[-EDGE:]] if cut else list(array)
    if array.ndim > 1:
        texts = [_nested(part, indent + 1, summarized, write) for part in parts]
        if cut:
            texts.insert(EDGE, "...")
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(texts) + "]"
    texts = [write(part.item()) for part in parts]
    each = max(1, (WIDTH - indent) // (max(map(len, texts), default=0) + 2))
    if cut:
        texts.insert(EDGE, " ...")
    lines = [", ".join(texts[k:k + each]) for k in range(0, len(texts), each)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
