"""vmap: a function of one sample, for a batch of them."""
import functools
import itertools

import numpy as np

from ..autograd import no_grad
from ..progress import bar
from ..tape import state
from ..tensor import structure
from ..tensor.core import FLOATS, Tensor, float32, tracked, wrap
from ..tensor.creation import tensor
from ..tensor.elementwise import describe, refuse_masked
from .call import check_function, picklable
from .compiled import native
from .trees import ends, filled, form


@picklable
def vmap(function, in_axes=0, out_axes=0, *, progress=None):
    """A function that calls `function` for each sample of a batch, and gives its results stacked.

    `in_axes` says along which axis of an argument the samples lie, None for an argument that all samples share: one for all
    arguments, or a tuple with an entry for each, which may be a tree of the argument's form. Keyword arguments are batches along
    axis 0. `out_axes` says along which axis of the results the samples go, None for a result that is the same for all of them.
    Arrays give arrays, Tensors Tensors, and derivatives flow through them; they flow to what the function refers to, too, and
    then arrays give Tensors. ValueError where batches have different sizes, where
    an axis is not there, and where results that are to be the same are not. Of an empty batch the results are empty, too: what
    they are is seen on a sample of ones.

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
    for axis in ends(out_axes):
        if not _is_axis(axis):
            raise TypeError(f"out_axes is an axis, None, or a tree of them of the result's form, not {describe(axis)}")
    compiled = getattr(function, "batched", None)        # of a derivative of what Numba compiled: its loop over samples
    batch = compiled(in_axes) if compiled is not None and out_axes == 0 else None
    arrays = getattr(function, "replays", False) or compiled is not None or native(function) is not None
    flat = in_axes is None or _is_axis(in_axes) or all([axis is None or _is_axis(axis) for axis in in_axes])
    lean, replays = arrays and flat and out_axes == 0, getattr(function, "replays", False)

    @functools.wraps(function, updated=())
    def wrapper(*arguments, **keywords):
        axes = _axes_of_arguments(in_axes, arguments)
        if batch is not None and not keywords and not any(isinstance(x, Tensor) for x in ends(arguments)):
            found = batch(*arguments) if _is_small(arguments) else _shown(batch, arguments, progress)
            if found is not NotImplemented:
                return found
        samples = _samples(axes, arguments, replays) if lean and not keywords else None
        if samples is not None:
            return _side_by_side([function(*sample) for sample in samples])
        values = ends((arguments, keywords))
        along = [axis for axis, value in zip(axes, arguments) for axis in _spread(axis, value, "in_axes")]
        along += [0] * (len(values) - len(along))
        numpy = not any(isinstance(x, Tensor) for x in values)
        values = [x if axis is None and not isinstance(x, np.ndarray) else _batch(x) for x, axis in zip(values, along)]
        size = _size(values, along)
        if numpy and not arrays:
            narrow = any([isinstance(x, np.ndarray) and x.dtype == float32 for x in values])
            values = [wrap(np.asarray(x)) if isinstance(x, np.ndarray) or (narrow and isinstance(x, np.float64)) else x
                      for x in values]     # beside float32, a number of NumPy's is of float64, and one of Python's is not
        places = [None if axis is None else _place(axis, len(x.shape)) for x, axis in zip(values, along)]
        if not size:
            return _empty(function, (arguments, keywords), values, places, out_axes, numpy)
        results = []
        with bar("vmap", size, "samples", progress) as shown:
            for k in range(size):
                sample = [x if place is None else x[(*place, k)] for x, place in zip(values, places)]
                some, named = filled((arguments, keywords), sample)
                results.append(function(*some, **named))
                shown.done = k
        return _stacked(results, out_axes, numpy)
    return wrapper


def _is_axis(axis):
    return isinstance(axis, (int, np.integer)) and not isinstance(axis, bool)


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
        refuse_masked(value)
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
    return sizes.pop()


# Few samples of arrays, whose calls may take less than a look at trees --------------------------------------------------

def _samples(axes, arguments, replays):
    """The arguments for each sample, where they are arrays and numbers; None where there is more to it."""
    columns, size = [], 0
    # A number of a batch may be a float, which takes the dtype of the arrays that it meets, only where that is its own
    replays = replays and not any([type(x) is np.ndarray and x.dtype == float32 for x in arguments])
    for x, axis in zip(arguments, axes):
        if axis is None:
            if type(x) not in (np.ndarray, float, int):
                return None
            columns.append(itertools.repeat(x))
            continue
        if type(x) is not np.ndarray or not -x.ndim <= axis < x.ndim or not x.size or size not in (0, x.shape[axis]):
            return None
        size = x.shape[axis]
        x = np.moveaxis(x, axis, 0) if axis else x
        columns.append(x.tolist() if replays and x.ndim == 1 and x.dtype == np.float64 else x)
    return zip(*columns) if size else None


def _side_by_side(results):
    """Arrays, numbers, or tuples of them, stacked along a new first axis."""
    first = results[0]
    if type(first) is np.float64 or type(first) is np.ndarray:
        found = _column(results)
    elif type(first) is tuple and all([type(result) is tuple and len(result) == len(first) for result in results]):
        found = [_column(column) for column in zip(*results)]
        found = None if any([part is None for part in found]) else tuple(found)
    else:
        found = None
    return _stacked(results, 0, True) if found is None else found


def _column(values):
    """As one array; None where they are not all alike."""
    first, kind = values[0], type(values[0])
    if kind is np.float64:
        return np.array(values) if all([type(x) is kind for x in values]) else None
    if kind is not np.ndarray or any([type(x) is not kind or x.shape != first.shape or x.dtype != first.dtype for x in values]):
        return None
    out = np.empty((len(values), *first.shape), first.dtype)
    for k, x in enumerate(values):
        out[k] = x
    return out


def _empty(function, given, values, places, out_axes, numpy):
    """The results of no samples."""
    def ones(x, place):
        shape = (*x.shape[:len(place)], *x.shape[len(place) + 1:])
        return wrap(np.ones(shape, x.dtype)) if isinstance(x, Tensor) else np.ones(shape, x.dtype)[()]
    sample = [x if place is None else ones(x, place) for x, place in zip(values, places)]
    some, named = filled(given, sample)
    try:
        with np.errstate(all="ignore"), no_grad():
            result = function(*some, **named)
    except Exception as error:
        raise ValueError("vmap of an empty batch sees on a sample of ones what the function gives, and that raised "
                         f"{type(error).__name__}: {error}; leave the call away where there is no sample") from error
    axes = _spread(out_axes, result, "out_axes")
    zeros = [x.sum() * 0 for x in values if isinstance(x, Tensor) and tracked(x)]

    def none_of(x, axis):
        if axis is None:
            return _joined([x], axis, numpy)
        x = x._array() if isinstance(x, Tensor) else np.asarray(x)
        z = np.zeros((0, *x.shape), x.dtype)
        z = np.moveaxis(z, 0, _checked(axis, z.ndim)) if axis else z
        if numpy:
            return z
        z = wrap(np.ascontiguousarray(z))
        return z + sum(zeros) if zeros and z.dtype in FLOATS else z          # what came in takes part
    return filled(result, [none_of(x, axis) for x, axis in zip(ends(result), axes)])


def _checked(axis, ndim):
    """ValueError for an axis of the results that is not there."""
    if not -ndim <= axis < ndim:
        raise ValueError(f"out_axes has the axis {axis}, and the samples' results, stacked, have {ndim} axes: give one from "
                         f"{-ndim} to {ndim - 1}")
    return axis


# Any samples ------------------------------------------------------------------------------------------------------------

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
    """The results of all samples as one; where `axis` is None they are the same, and the first is given."""
    numpy = numpy and not any([isinstance(x, Tensor) and tracked(x) for x in column])        # by what the function refers to
    if axis is None:
        if state().recorder is None:
            first, *others = [x._array() if isinstance(x, Tensor) else x for x in column]
            if any([not np.array_equal(first, x, equal_nan=np.asarray(first).dtype.kind in "fc") for x in others]):
                raise ValueError("out_axes is None for a result that is not the same for all samples; give the axis along which "
                                 "they go, 0 say")
        return np.array(column[0]._array())[()] if numpy and isinstance(column[0], Tensor) else column[0]
    _checked(axis, 1 + len(np.shape(column[0])))
    if numpy:
        return np.stack([x._array() if isinstance(x, Tensor) else np.asarray(x) for x in column], axis)
    return structure.stack([x if isinstance(x, Tensor) else tensor(x) for x in column], axis)


__all__ = ["vmap"]
