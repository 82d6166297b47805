"""Sums of products in Einstein's notation, made of views, sums and matrix products."""
import functools
import itertools
import math
import string

import numpy as np

from ...ops import BY_NAME
from ..core import wrap
from ..elementwise import apply
from ..registry import public
from .arguments import as_tensor_operand, recording
from .products import product
from .reductions import sum
from .views import Step, permute, reshape, view

_multiply = BY_NAME["multiply"]


@public(method=False)
def einsum(subscripts, *arrays, out=None, optimize=True, dtype=None, order="K", casting="safe"):
    """Sums of products, as ``np.einsum``: ``einsum("ij,jk->ik", x, y)``. Letters may repeat within an operand (diagonals),
    ``...`` stands for axes that broadcast, and without ``->`` the letters that occur once are kept, in alphabetical
    order. Operands may be a list, as in PyTorch, or each followed by a list of numbers for its axes, as in NumPy."""
    if out is not None or dtype is not None:
        raise TypeError("einsum of tensors takes no out= and no dtype=; assign the result, or convert it with .to()")
    if not isinstance(subscripts, str):
        subscripts, arrays = _from_lists((subscripts, *arrays))
    elif len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        arrays = arrays[0]
    tensors = [as_tensor_operand(x, "einsum") for x in arrays]
    plan = _plan(subscripts, tuple([x._shape for x in tensors]))
    if not recording(*tensors):
        return wrap(np.array(np.einsum(subscripts, *[x._array() for x in tensors], optimize=len(tensors) > 2)))
    prepare, contractions, last = plan
    tensors = [step(x) if step else x for step, x in zip(prepare, tensors)]
    for i, j, contract in contractions:
        y, x = tensors.pop(j), tensors.pop(i)
        tensors.append(contract(x, y))
    return last(tensors[0])


def _from_lists(arguments):
    """Letters for the numbers in ``einsum(x, [0, 1], y, [1, 2], [0, 2])``."""
    pairs, output = divmod(len(arguments), 2)
    terms = [_letters(arguments[2 * k + 1]) for k in range(pairs)]
    text = ",".join(terms) + ("->" + _letters(arguments[-1]) if output else "")
    return text, tuple(arguments[2 * k] for k in range(pairs))


def _letters(numbers):
    try:
        return "".join("..." if n is Ellipsis else string.ascii_letters[n] for n in numbers)
    except (TypeError, IndexError):
        raise ValueError("einsum takes subscripts as text, or a list of numbers below 52 after each operand, not "
                         f"{numbers!r:.60}") from None


# Reading subscripts ---------------------------------------------------------------------------------------------------

def _parse(subscripts, shapes):
    """For each operand its labels, and those of the result: letters, and numbers for the axes that an ellipsis stands for."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f"einsum {subscripts!r} names {len(terms)} operands, and {len(shapes)} were given")
    labels = [_labels(subscripts, term, len(shape)) for term, shape in zip(terms, shapes)]
    hidden = sorted({a for own in labels for a in own if isinstance(a, int)})
    letters = [a for own in labels for a in own if not isinstance(a, int)]
    if arrow:
        if hidden and "..." not in right:
            raise ValueError(f"einsum {subscripts!r}: the result needs ... for the {len(hidden)} axes that stand behind it")
        output = _labels(subscripts, right, len(right.replace("...", "")) + len(hidden), len(hidden))
        if len(set(output)) != len(output):
            raise ValueError(f"einsum {subscripts!r}: a letter occurs twice in the result")
        unknown = [a for a in output if not isinstance(a, int) and a not in letters]
        if unknown:
            raise ValueError(f"einsum {subscripts!r}: the letter {unknown[0]!r} of the result is in no operand")
    else:
        output = (*hidden, *sorted(a for a in set(letters) if letters.count(a) == 1))
    return labels, output


def _labels(subscripts, term, count, hidden=None):
    """The labels of a term that stands for `count` axes."""
    before, dots, after = term.partition("...")
    letters = before + after
    if not all(c.isascii() and c.isalpha() for c in letters):
        raise ValueError(f"einsum {subscripts!r}: subscripts are letters, commas, one ... for an operand, and ->")
    if hidden is None:
        hidden = count - len(letters)
        if hidden < 0 or (hidden and not dots):
            raise ValueError(f"einsum {subscripts!r}: {term!r} names {len(letters)} axes of an operand that has {count}")
    return (*before, *range(-hidden, 0), *after) if dots else tuple(letters)


def _sizes(subscripts, labels, shapes):
    sizes: dict = {}
    for own, shape in zip(labels, shapes):
        for a, n in zip(own, shape):
            if sizes.setdefault(a, n) == 1:
                sizes[a] = n
            elif n not in (1, sizes[a]):
                what = f"the letter {a!r}" if isinstance(a, str) else "an axis of ..."
                raise ValueError(f"einsum {subscripts!r} of shapes {', '.join(map(str, shapes))}: {what} stands for lengths "
                                 f"{sizes[a]} and {n}")
    return sizes


# Plans ----------------------------------------------------------------------------------------------------------------

@functools.lru_cache(maxsize=2048)
def _plan(subscripts, shapes):
    """What to do with each operand first, pairs of operands to contract, and what to do with the last one."""
    labels, output = _parse(subscripts, shapes)
    sizes = _sizes(subscripts, labels, shapes)
    prepare = []
    wide = [{a for a, n in zip(own, shape) if n == sizes[a]} for own, shape in zip(labels, shapes)]
    for k, (own, shape) in enumerate(zip(labels, shapes)):
        others = set().union(*wide[:k], *wide[k + 1:])
        labels[k], step = _alone(own, shape, sizes, others | set(output))
        prepare.append(step)
    contractions = []
    for i, j in _path(labels, output, sizes):
        right, left = labels.pop(j), labels.pop(i)
        kept = {*output, *itertools.chain(*labels)}
        result, contract = _contraction(left, right, kept, sizes)
        labels.append(result)
        contractions.append((i, j, contract))
    return prepare, contractions, _last(labels[0], output, sizes)


def _alone(own, shape, sizes, kept):
    """The labels that an operand keeps, and the step to it: diagonals of repeated letters, no axes of length 1 that stand for
    longer ones, sums over what nothing else has."""
    different = tuple(dict.fromkeys(own))
    step = None
    if len(different) != len(own):
        step = _diagonals(own, different, shape)
        shape = tuple(max(n for a, n in zip(own, shape) if a == b) for b in different)
    narrow = [k for k, a in enumerate(different) if shape[k] == 1 and sizes[a] != 1]
    summed = tuple(k for k, a in enumerate(different) if a not in kept and k not in narrow)
    left = tuple(a for k, a in enumerate(different) if k not in narrow and k not in summed)
    if not (narrow or summed):
        return different, step
    short = tuple(n for k, n in enumerate(shape) if k not in narrow and k not in summed)

    def smaller(x):
        x = step(x) if step else x
        return reshape(sum(x, summed) if summed else x, short)
    return left, smaller


def _diagonals(own, different, shape):
    for a in different:
        lengths = {n for b, n in zip(own, shape) if b == a}
        if len(lengths) > 1:
            raise ValueError(f"einsum: the letter {a!r} stands for axes of lengths {sorted(lengths)} of one operand")
    lengths = tuple(next(n for b, n in zip(own, shape) if b == a) for a in different)

    def diagonals(array):
        strides = [0] * len(different)
        for a, stride in zip(own, array.strides):
            strides[different.index(a)] += stride
        return np.lib.stride_tricks.as_strided(array, lengths, strides)
    step = Step(diagonals, own, "Diagonal")
    return lambda x: view(x, step)


def _path(labels, output, sizes):
    """Pairs of operands, as places in a list to whose end each result goes."""
    if len(labels) < 3:
        return [(0, 1)] if len(labels) == 2 else []
    names = dict(zip({a: None for own in labels for a in own}, string.ascii_letters))
    text = ",".join("".join(names[a] for a in own) for own in labels) + "->" + "".join(names[a] for a in output if a in names)
    one = np.zeros(())
    stand_ins = [np.broadcast_to(one, [sizes[a] for a in own]) for own in labels]
    path, _ = np.einsum_path(text, *stand_ins, optimize="greedy")
    pairs, count = [], len(labels)
    for places in path[1:]:
        places = sorted(places)
        while len(places) > 1:               # more than two at once: one after the other
            i, j = places[0], places[1]
            pairs.append((i, j))
            count -= 1
            places = [p - 2 for p in places[2:]] + [count - 1]
    return pairs


def _contraction(left, right, kept, sizes):
    """The labels of a product of two operands, and the function that makes it."""
    both = [a for a in left if a in right]
    batch, inner = tuple(a for a in both if a in kept), tuple(a for a in both if a not in kept)
    rows, columns = tuple(a for a in left if a not in both), tuple(a for a in right if a not in both)
    result = batch + rows + columns

    def of(labels):
        return tuple(sizes[a] for a in labels)
    if not inner:                            # nothing is summed: products of elements
        x_shape, y_shape = of(batch + rows) + (1,) * len(columns), of(batch) + (1,) * len(rows) + of(columns)
        x_order, y_order = _order(left, batch + rows), _order(right, batch + columns)
        return result, lambda x, y: apply(_multiply, _arranged(x, x_order, x_shape), _arranged(y, y_order, y_shape))
    count, m, k, n = (math.prod(of(part)) for part in (batch, rows, inner, columns))
    x_order, y_order, shape = _order(left, batch + rows + inner), _order(right, batch + inner + columns), of(result)
    label = "Bmm" if batch else "Mm"
    return result, lambda x, y: product(_arranged(x, x_order), _arranged(y, y_order), count, m, k, n, shape, label)


def _order(labels, wanted):
    """The permutation to other order of labels; None where there is nothing to do."""
    return None if labels == wanted else tuple(labels.index(a) for a in wanted)


def _arranged(x, order, shape=None):
    if order is not None:
        x = permute(x, order)
    return x if shape is None or x._shape == shape else reshape(x, shape)


def _last(labels, output, sizes):
    """From the labels of the only operand that is left to those of the result, with those that were of length 1 everywhere."""
    order, shape = _order(labels, tuple(a for a in output if a in labels)), tuple(sizes[a] for a in output)
    return lambda x: _arranged(x, order, shape) if order is not None or x._shape != shape else view(x, _same)


_same = Step(lambda array: array[...], (), "Alias")
