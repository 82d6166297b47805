"""Sparse Jacobians and Hessians: the pattern from the tape, coloured, and a sweep for each colour."""
import numpy as np

from ..progress import bar
from ..tape import begin_tapes
from ..tensor.core import Tensor, tracked, wrap
from ..tensor.elementwise import describe
from .call import Call, check_function, replayable
from .coloring import choose
from .sparsity import fingerprint, pattern
from .sweeping import Tangents, pullback, pushforward, sweepable

MODES = (None, "forward", "reverse")


@replayable
def sparse_jacobian(function, argnum=0, mode=None):
    """A function that gives the Jacobian of `function` as a ``scipy.sparse.csr_array``, in time that is linear in its entries.

    Rows are the elements of the result, columns those of the argument `argnum`, both counted through. Which elements of the
    argument an element of the result depends on is read from the tape; columns that have no row in common get one colour, and
    share a forward sweep; or rows a reverse one, if those are fewer. `mode` ("forward", "reverse") decides it otherwise.

    The pattern and the colours are found at the first call, or by ``prepare(*arguments)``, and are the attributes ``pattern``, a
    sparse array of bools, ``colors`` and ``mode``. They are used again as long as the function does the same operations; where it
    takes another way, they are found anew. Entries of the pattern may be zero.

    >>> import numpy as np, tapegrad as tg
    >>> jacobian = tg.sparse_jacobian(lambda x: x[1:] * x[:-1])
    >>> jacobian(np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    >>> jacobian.colors
    array([0, 1, 0], dtype=int32)
    """
    check_function(function, "sparse_jacobian")
    return SparseJacobian(function, argnum, mode)


@replayable
def sparse_hessian(function, argnum=0):
    """A function that gives the Hessian of `function`, which gives one number, as a ``scipy.sparse.csr_array``.

    As :func:`sparse_jacobian` of the gradient: forward sweeps over the recorded gradient, one for each colour.

    >>> import numpy as np, tapegrad as tg
    >>> hessian = tg.sparse_hessian(lambda x: (x ** 3).sum() + x[0] * x[2])
    >>> hessian(np.array([1.0, 2.0, 3.0])).toarray()
    array([[ 6.,  0.,  1.],
           [ 0., 12.,  0.],
           [ 1.,  0., 18.]])
    """
    check_function(function, "sparse_hessian")
    return SparseHessian(function, argnum)


class SparseJacobian:
    """What :func:`sparse_jacobian` gives."""
    name = "sparse_jacobian"

    def __init__(self, function, argnum=0, mode=None):
        if not isinstance(argnum, (int, np.integer)):
            raise TypeError(f"argnum is the number of an argument, not {argnum!r}")
        if mode not in MODES:
            raise ValueError(f"mode is None, 'forward' or 'reverse', not {mode!r}")
        self.function, self.argnum, self._asked = function, argnum, mode
        self.pattern = self.colors = self.mode = None
        self._stamp = self._allowed = self._rows = None
        self._entries: list = []             # those of each colour

    def __repr__(self):
        if self.pattern is None:
            return f"<{self.name} of {self.function!r}, without a pattern yet>"
        m, n = self.pattern.shape
        return f"<{self.name}, {m} x {n}, {self.pattern.nnz} entries, {self._count()} {self.mode} sweeps>"

    def _count(self):
        return int(self.colors.max(initial=-1)) + 1

    def prepare(self, *arguments, **keywords):
        """Finds the pattern and the colours at these arguments; gives the object itself."""
        self._find(*self._record(arguments, keywords))
        return self

    def __call__(self, *arguments, **keywords):
        from scipy.sparse import csr_array
        leaf, outputs = self._record(arguments, keywords)
        self._find(leaf, outputs)
        data = (self._by_columns if self.mode == "forward" else self._by_rows)(leaf, outputs)
        return csr_array((data, self.pattern.indices.copy(), self.pattern.indptr.copy()), self.pattern.shape)

    def _record(self, arguments, keywords):
        arguments = [x.detach().numpy() if isinstance(x, Tensor) and k == self.argnum % max(len(arguments), 1) else x
                     for k, x in enumerate(arguments)]
        begin_tapes()                        # so that the same operations are recorded in the same places
        call = Call(self.function, ([self.argnum], True), arguments, keywords)
        if call.graph:
            raise RuntimeError(f"{self.name} is made of a function that refers to what is being differentiated, and its entries "
                               "would have no derivative by that; use jacobian or hessian, or detach() it")
        if len(call.leaves) != 1:
            raise TypeError(f"{self.name} differentiates by one array, and argument {self.argnum} is "
                            f"{describe(arguments[self.argnum])}")
        return call.leaves[0], self._outputs(call)

    def _outputs(self, call):
        return call.outputs

    def _find(self, leaf, outputs):
        from scipy.sparse import csr_array
        stamp = leaf._shape, fingerprint((leaf,), outputs)
        if stamp == self._stamp:
            return
        indices, indptr = pattern((leaf,), outputs)
        shape = len(indptr) - 1, leaf.numel()
        found = csr_array((np.ones(len(indices), bool), indices, indptr.astype(np.int32 if len(indices) < 2**31 else np.int64)),
                          shape)
        found.sort_indices()
        old = self.pattern
        if (old is None or old.shape != shape or not np.array_equal(old.indptr, found.indptr)
                or not np.array_equal(old.indices, found.indices) or self._ways(outputs) != self._allowed):
            self._allowed = self._ways(outputs)
            self.mode, self.colors = choose(found, found.tocsc(), *self._allowed)
            self.pattern = found
            self._rows = np.repeat(np.arange(shape[0]), np.diff(found.indptr))
            own = self.colors[found.indices if self.mode == "forward" else self._rows]
            order, starts = np.argsort(own, kind="stable"), np.cumsum(np.bincount(own, minlength=self._count()))
            self._entries = np.split(order, starts[:-1])
        self._stamp = stamp

    def _ways(self, outputs):
        """Whether forward and whether reverse sweeps may be used."""
        if self._asked is not None:
            return self._asked == "forward", self._asked == "reverse"
        return sweepable(outputs), True

    def _by_columns(self, leaf, outputs):
        """The entries, from the tangents of a direction for each colour of columns."""
        sweep = Tangents((leaf,), outputs) if sweepable(outputs) else None
        data = np.empty(self.pattern.nnz)
        with bar(self.name, len(self._entries), "sweeps") as shown:
            for color, chosen in enumerate(self._entries):
                direction = (self.colors == color).astype(leaf.dtype).reshape(leaf._shape)
                if sweep is not None:
                    found = sweep.run([direction])
                else:
                    found = [z._array().reshape(-1) for z in pushforward((leaf,), [wrap(direction)], outputs)]
                column = found[0] if len(found) == 1 else np.concatenate(found)
                data[chosen] = column[self._rows[chosen]]
                shown.done = color
        return data

    def _by_rows(self, leaf, outputs):
        """The entries, from the gradient for each colour of rows."""
        data = np.empty(self.pattern.nnz)
        with bar(self.name, len(self._entries), "sweeps") as shown:
            for color, chosen in enumerate(self._entries):
                weights, first, seeds = (self.colors == color), 0, []
                for y in outputs:
                    seeds.append(wrap(weights[first:first + y.numel()].astype(y.dtype).reshape(y._shape)))
                    first += y.numel()
                row = pullback(outputs, (leaf,), seeds, keep=True)[0]._array().reshape(-1)
                data[chosen] = row[self.pattern.indices[chosen]]
                shown.done = color
        return data


class SparseHessian(SparseJacobian):
    """What :func:`sparse_hessian` gives."""
    name = "sparse_hessian"

    def __init__(self, function, argnum=0):
        super().__init__(function, argnum)

    def _outputs(self, call):
        value = call.number(self.name)
        if not tracked(value):
            return [wrap(np.zeros(call.leaves[0]._shape))]
        return pullback((value,), call.leaves, (None,), graph=True)

    def _ways(self, outputs):
        return True, False


__all__ = ["SparseHessian", "SparseJacobian", "sparse_hessian", "sparse_jacobian"]
