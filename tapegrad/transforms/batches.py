"""vmap: a function of one sample, for a batch of them."""
import functools

import numpy as np

from ..progress import bar
from ..tensor import structure
from ..tensor.core import Tensor, wrap
from ..tensor.creation import tensor
from ..tensor.elementwise import describe
from .call import check_function, picklable
from .compiled import native
from .trees import ends, filled, form


@picklable
def vmap(function, in_axes=0, out_axes=0, *, progress=None):
    """A function that calls `function` for each sample of a batch, and gives its results stacked.

    `in_axes` says along which axis of an argument the samples lie, None for an argument that all samples share: one for all
    arguments, or a tuple with an entry for each, which may be a tree of the argument's form. Keyword arguments are batches along
    axis 0. `out_axes` says along which axis of the results the samples go. Arrays give arrays, Tensors Tensors, and derivatives
    flow through them. ValueError where batches have different sizes.

    Samples are run one after the other, so that any function is right, whatever it decides on the values of a sample. For a
    compiled function (:func:`tapegrad.compile`) and its gradient or Jacobian, as many samples as registers hold are computed side
    by side in machine code, over threads where there are many, once that repays its making; samples for which a decision comes
    out otherwise are replayed for themselves. A gradient or Jacobian of a function that Numba compiled is a compiled loop over
    the samples, over threads, too. NUMBA_NUM_THREADS limits the threads.

    A call that takes longer than a second shows its progress on a terminal; `progress` says whether it may, None as
    :class:`tapegrad.set_progress` has it.

    >>> import numpy as np, tapegrad as tg
    >>> tg.vmap(tg.grad(lambda w, x: (w * x).sum() ** 2), in_axes=(None, 0))(np.ones(2), np.eye(2))
    array([[2., 0.],
           [0., 2.]])
    """
    check_function(function, "vmap")
    if not (in_axes is None or isinstance(in_axes, (int, np.integer, tuple, list))):
        raise TypeError(f"in_axes is an axis, None, or a tuple with an entry for each argument, not {describe(in_axes)}")
    compiled = getattr(function, "batched", None)        # of a derivative of what Numba compiled: its loop over samples
    batch = compiled(in_axes) if compiled is not None and out_axes == 0 else None
    arrays = getattr(function, "replays", False) or compiled is not None or native(function) is not None

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        axes = _axes_of_arguments(in_axes, arguments)
        values = ends((arguments, keywords))
        if batch is not None and not keywords and not any(isinstance(x, Tensor) for x in values):
            found = batch(*arguments) if _is_small(arguments) else _shown(batch, arguments, progress)
            if found is not NotImplemented:
                return found
        along = [axis for axis, value in zip(axes, arguments) for axis in _spread(axis, value, "in_axes")]
        along += [0] * (len(values) - len(along))
        numpy = not any(isinstance(x, Tensor) for x in values)
        values = [x if axis is None and not isinstance(x, np.ndarray) else _batch(x) for x, axis in zip(values, along)]
        size = _size(values, along)
        if numpy and not arrays:
            values = [wrap(x) if isinstance(x, np.ndarray) else x for x in values]
        places = [None if axis is None else _place(axis, len(x.shape)) for x, axis in zip(values, along)]
        results = []
        with bar("vmap", size, "samples", progress) as shown:
            for k in range(size):
                sample = [x if place is None else x[(*place, k)] for x, place in zip(values, places)]
                some, named = filled((arguments, keywords), sample)
                results.append(function(*some, **named))
                shown.done = k
        return _stacked(results, out_axes, numpy)
    return wrapper


LARGE = 1 << 16                              # elements of arguments from which on a compiled batch may be long


def _is_small(arguments):
    for x in arguments:                      # noqa: SIM110  a generator takes longer than a small batch may
        if type(x) is np.ndarray and x.size >= LARGE:
            return False
    return True


def _shown(batch, arguments, progress):
    with bar("vmap", wanted=progress, said=lambda: "a compiled batch"):
        return batch(*arguments)


def _axes_of_arguments(in_axes, arguments):
    if in_axes is None or isinstance(in_axes, (int, np.integer)):
        return [in_axes] * len(arguments)
    if len(in_axes) != len(arguments):
        raise ValueError(f"in_axes has {len(in_axes)} entries, and the function was called with {len(arguments)} positional "
                         "arguments; give one for each")
    return list(in_axes)


def _spread(axis, tree, name):
    """An axis for each end of a tree, from one axis or a tree of them."""
    if axis is None or isinstance(axis, (int, np.integer)):
        return [axis] * len(ends(tree))
    branches = (tuple, list, dict)
    if not (isinstance(tree, branches) and isinstance(axis, branches) and len(axis) == len(tree)
            and isinstance(tree, dict) == isinstance(axis, dict) and (not isinstance(tree, dict) or set(axis) == set(tree))):
        raise ValueError(f"{name} must have the form of what it belongs to, {form(tree)}, and {axis!r} was given")
    pairs = [(axis[key], tree[key]) for key in tree] if isinstance(tree, dict) else zip(axis, tree)
    return [a for one, part in pairs for a in _spread(one, part, name)]


def _batch(value):
    if isinstance(value, (Tensor, np.ndarray)):
        return value
    return np.asarray(tensor(value)._array())


def _size(values, along):
    sizes = set()
    for x, axis in zip(values, along):
        if axis is not None:
            if not -len(x.shape) <= axis < len(x.shape):
                raise ValueError(f"vmap along axis {axis} of an argument of shape {tuple(x.shape)}; pass None in in_axes "
                                 "for what all samples share")
            sizes.add(x.shape[axis])
    if len(sizes) != 1:
        what = f"of different sizes, {sorted(sizes)}" if sizes else "none"
        raise ValueError(f"vmap needs batches of one size, and there are {what}")
    (size,) = sizes
    if not size:
        raise ValueError("vmap of an empty batch: there is no sample to call the function with")
    return size


def _place(axis, ndim):
    return (slice(None),) * (axis % ndim)


def _stacked(results, out_axes, numpy):
    first = results[0]
    forms = {form(result) for result in results}
    if len(forms) > 1:
        raise ValueError(f"vmap of a function that gives different things for different samples: {sorted(forms)}")
    columns = zip(*map(ends, results))
    axes = _spread(out_axes, first, "out_axes")
    return filled(first, [_joined(column, axis, numpy) for column, axis in zip(columns, axes)])


def _joined(column, axis, numpy):
    """The results of all samples as one; where `axis` is None they are taken to be the same, and the first is given."""
    if axis is None:
        return np.array(column[0]._array())[()] if numpy and isinstance(column[0], Tensor) else column[0]
    if numpy:
        return np.stack([x._array() if isinstance(x, Tensor) else np.asarray(x) for x in column], axis)
    return structure.stack([x if isinstance(x, Tensor) else tensor(x) for x in column], axis)


__all__ = ["vmap"]
