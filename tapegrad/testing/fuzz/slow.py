"""A slow reference for the façade: one Wengert list of NumPy values, nothing shared with the rest of tapegrad.

The module answers to the names that a program writes after ``tg.``, so the same program text runs on the oracle, on
tapegrad and on PyTorch. Three ideas carry it:

- A tensor is a base (it owns the place in the graph) or a view, a base and an integer array of positions in it. Every
  view, index, reshape, transpose and expand is one function applied to an array of positions, and its derivative is
  `put_add`; there is no stride arithmetic to get wrong.
- An in-place write appends one record to the list, from the base before to the base after. A view of an old version
  looks itself up in the base again: writes through a view reach the base, writes to the base are seen through views.
- The parameter names of a partial say what PyTorch saves for it: ``lambda g, y: g * y`` saves y and its version.

Derivatives are computed with the same recorded operations, so second order is recording once more.
"""

from __future__ import annotations

import contextlib
import inspect
from collections import namedtuple
from types import SimpleNamespace

import numpy as np

float32, float64, int64 = np.dtype("float32"), np.dtype("float64"), np.dtype("int64")
NEAR_KINK = 1e-3  # closer than this (and not exactly there), another rounding may land on the other side


class Unspecified(Exception):
    """The program asks for something that PyTorch leaves to the layout or the implementation: not a test."""


class _State:
    def __init__(self):
        self.nodes: list[Node] = []
        self.recording = True
        self.sweeping = False
        self.fragile = False  # a value came near a kink
        self.largest = 0.0  # the largest magnitude that was computed


STATE = _State()


def reset():
    """Start an empty list; tensors made before must not be used after."""
    STATE.__init__()


def watch(distance):
    """Note that a branch was taken on a value so near to its boundary that rounding may decide."""
    distance = np.abs(distance)
    STATE.fragile |= bool(np.any((distance > 0) & (distance < NEAR_KINK)))


def measure(value):
    """Note the largest magnitude; infinity once something was not finite."""
    if value.size and value.dtype.kind == "f":
        largest = np.max(np.abs(value))
        STATE.largest = max(STATE.largest, largest) if np.isfinite(largest) else np.inf


# ---------------------------------------------------------------------------------------------------------------- list


class Saved:
    """An operand or a result as a derivative will need it: value, place in the graph and version at this moment."""

    def __init__(self, x):
        self.value, self.node, self.storage, self.version = x.value, x.node, x.storage, x._version
        self.loose = False  # PyTorch may have copied it before it saved it

    @property
    def stale(self):
        return self.storage.version != self.version

    def read(self):
        x = Tensor(self.value)
        x._node = self.node
        return x


class Node:
    """One record: where the gradient goes (`parents`, None for a constant) and how (`vjp`)."""

    def __init__(self, parents, vjp, saved, holds):
        self.parents, self.vjp, self.saved = parents, vjp, saved
        self.holds = holds or bool(saved)  # a second sweep needs retain_graph: the first one lets go
        self.freed = self.loose = False
        self.secondary = STATE.sweeping  # recorded by create_graph: what such a record saves is nobody's promise
        self.hooks, self.retained, self.leaf = {}, [], None

    def open(self, partly_wanted):
        if self.freed and self.loose:
            raise Unspecified("whether a write through a view, by a mask or by indices lets go of anything")
        if self.freed and self.holds:
            raise RuntimeError("backward through freed values a second time")
        if any(saved.stale for saved in self.saved.values()):
            if self.secondary or partly_wanted or any(saved.loose for saved in self.saved.values()):
                raise Unspecified("whether this overwritten value is needed is up to the implementation")
            raise RuntimeError("a value needed for the gradient was overwritten in place")
        return {name: saved.read() for name, saved in self.saved.items()}


def append(parents, vjp, saved, holds=False):
    STATE.nodes.append(Node(parents, vjp, saved, holds))
    return len(STATE.nodes) - 1


def record(value, parents, vjp, saved=None, holds=False):
    """A new tensor and, if someone upstream requires grad, its record. `vjp(g, env)` gives one gradient a parent."""
    value = np.asarray(value)
    z = Tensor(value)
    z.storage.plain = value.ndim <= 1 or all(p.storage.plain and p.contiguous_positions for p in parents)
    measure(value)
    if STATE.recording and any(p.requires_grad for p in parents):
        z._node = append([p.node for p in parents], vjp, {k: Saved(x) for k, x in (saved or {}).items()}, holds)
    return z


@contextlib.contextmanager
def set_grad_enabled(mode):
    before, STATE.recording = STATE.recording, mode
    try:
        yield
    finally:
        STATE.recording = before


def no_grad():
    return set_grad_enabled(False)


def enable_grad():
    return set_grad_enabled(True)


# ------------------------------------------------------------------------------------------- the two linear operations


def take(x, positions, holds=False):
    """z = x.flat[positions]: every view, index, expand and permutation."""
    return record(x.value.ravel()[positions], [x], lambda g, env: [put_add(g, positions, x.shape)], holds=holds)


def put_add(g, positions, shape):
    """The transpose of `take`: z = 0; z.flat[positions] += g."""
    total = np.zeros(int(np.prod(shape)), g.dtype)
    np.add.at(total, positions.ravel(), g.value.ravel())
    return record(total.reshape(shape), [g], lambda h, env: [take(h, positions)])


def positions_of(shape):
    return np.arange(int(np.prod(shape))).reshape(shape)


def fit(g, shape, dtype):
    """Sum a gradient over the axes that broadcasting added, and give it the operand's dtype."""
    if g.shape != shape:
        g = put_add(g, np.broadcast_to(positions_of(shape), g.shape), shape)
    return g.to(dtype)


# --------------------------------------------------------------------------------------------- elementwise derivatives

Rule = namedtuple("Rule", "names value partials")  # one letter an operand, its NumPy value, one partial an operand


def _kinked(value, distance):
    """`value`, watching how far each operand is from where the derivative jumps."""

    def watched(*operands):
        watch(distance(*operands))
        return value(*operands)

    return watched


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _const(like, value):
    return Tensor(np.asarray(value, like.dtype))


def _larger(g, x, y):
    """The share of x in maximum(x, y): one half at a tie."""
    return g * _const(g, (x.value > y.value) + 0.5 * (x.value == y.value))


def _nonzero(x, y):
    """An exponent of exactly 0 has a derivative by decree; keep away from it on both sides."""
    return np.where(y == 0, NEAR_KINK / 2, y)


RULES = {
    "add": Rule("xy", np.add, (lambda g: g, lambda g: g)),
    "sub": Rule("xy", np.subtract, (lambda g: g, lambda g: -g)),
    "mul": Rule("xy", np.multiply, (lambda g, y: g * y, lambda g, x: g * x)),
    "div": Rule("xy", np.divide, (lambda g, y: g / y, lambda g, x, y: -g * ((x / y) / y))),
    "pow": Rule(
        "xy",
        _kinked(np.power, _nonzero),
        (lambda g, x, y: g * (y * x ** (y - 1.0)), lambda g, x, y, z: g * (z * x.log())),
    ),
    "arctan2": Rule(
        "xy", np.arctan2, (lambda g, x, y: g * (y / (x * x + y * y)), lambda g, x, y: -g * (x / (x * x + y * y)))
    ),
    "maximum": Rule("xy", _kinked(np.maximum, np.subtract), (_larger, lambda g, x, y: _larger(g, y, x))),
    "minimum": Rule("xy", _kinked(np.minimum, np.subtract), (lambda g, x, y: _larger(g, y, x), _larger)),
    "where": Rule("cxy", np.where, (None, lambda g, c: where(c, g, g * 0.0), lambda g, c: where(c, g * 0.0, g))),
    "copy": Rule("xy", lambda x, y: np.broadcast_to(y, x.shape).astype(x.dtype), (lambda g: g * 0.0, lambda g: g)),
    "neg": Rule("x", np.negative, (lambda g: -g,)),
    "clone": Rule("x", np.copy, (lambda g: g,)),
    "square": Rule("x", np.square, (lambda g, x: g * (x * 2.0),)),
    "sqrt": Rule("x", np.sqrt, (lambda g, z: g / (z * 2.0),)),
    "abs": Rule("x", _kinked(np.abs, lambda x: x), (lambda g, x: g * _const(g, np.sign(x.value)),)),
    "exp": Rule("x", np.exp, (lambda g, z: g * z,)),
    "log": Rule("x", np.log, (lambda g, x: g / x,)),
    "log1p": Rule("x", np.log1p, (lambda g, x: g / (x + 1.0),)),
    "expm1": Rule("x", np.expm1, (lambda g, z: g * (z + 1.0),)),
    "sin": Rule("x", np.sin, (lambda g, x: g * x.cos(),)),
    "cos": Rule("x", np.cos, (lambda g, x: -g * x.sin(),)),
    "tan": Rule("x", np.tan, (lambda g, z: g * (z * z + 1.0),)),
    "tanh": Rule("x", np.tanh, (lambda g, z: g * (1.0 - z * z),)),
    "sinh": Rule("x", np.sinh, (lambda g, x: g * x.cosh(),)),
    "cosh": Rule("x", np.cosh, (lambda g, x: g * x.sinh(),)),
    "arcsin": Rule("x", np.arcsin, (lambda g, x: g / (1.0 - x * x).sqrt(),)),
    "arccos": Rule("x", np.arccos, (lambda g, x: -g / (1.0 - x * x).sqrt(),)),
    "arctan": Rule("x", np.arctan, (lambda g, x: g / (x * x + 1.0),)),
    "sigmoid": Rule("x", _sigmoid, (lambda g, z: g * (z * (1.0 - z)),)),
    "relu": Rule("x", _kinked(lambda x: np.maximum(x, 0), lambda x: x), (lambda g, z: g * _const(g, z.value > 0),)),
    "softplus": Rule("x", lambda x: np.logaddexp(x, x * 0), (lambda g, z: -g * (-z).expm1(),)),
}


def power_rule(n):
    """x ** n for a number n, which is never saved."""
    return Rule(
        "x", lambda x: np.power(x, n), (lambda g, x: g * (x ** (n - 1) * float(n)) if n else _const(g, x.value * 0),)
    )


def clamp_rule(lo, hi):
    lo, hi = -np.inf if lo is None else lo, np.inf if hi is None else hi
    inside = _kinked(lambda x: np.clip(x, lo, hi), lambda x: np.minimum(np.abs(x - lo), np.abs(x - hi)))
    return Rule("x", inside, (lambda g, x: g * _const(g, (x.value >= lo) & (x.value <= hi)),))


def cast_rule(dtype):
    return Rule("x", lambda x: x.astype(dtype), (lambda g: g,))


def evaluate(rule, operands):
    """The value, and for the partials that someone needs: which operands ("z": the result) they save, and the vjp."""
    with np.errstate(all="ignore"):
        value = np.asarray(rule.value(*(x.value for x in operands)))
    need = {i: p for i, p in enumerate(rule.partials) if p and operands[i].requires_grad}
    names = {i: [n for n in inspect.signature(p).parameters if n != "g"] for i, p in need.items()}
    shapes = [(x.shape, x.dtype) for x in operands]

    def vjp(g, env):
        partial = {i: p(g, *(env[n] for n in names[i])) for i, p in need.items()}
        return [fit(partial[i], *shapes[i]) if i in need else None for i in range(len(operands))]

    return value, set().union(*names.values()), vjp


def elementwise(rule, *operands):
    rule = RULES[rule] if isinstance(rule, str) else rule
    operands = promote(operands)
    value, names, vjp = evaluate(rule, operands)
    saved = {n: x for n, x in zip(rule.names, operands, strict=True) if n in names}
    z = _save_result(record(value, operands, vjp, saved), names)
    if (
        z._node is not None
        and "z" not in names
        and any("z" in inspect.signature(p).parameters for p in rule.partials if p)
    ):
        _save_result(z, "z")  # PyTorch keeps a result even for a partial that nobody asked for; one need not
        STATE.nodes[z._node].saved["z"].loose = True
    return z


def _save_result(z, names):
    if "z" in names and z._node is not None:
        STATE.nodes[z._node].saved["z"] = Saved(z)
        STATE.nodes[z._node].holds = True
    return z


def promote(operands):
    """Numbers take the dtype of the tensors. Tensors of two dtypes agree by PyTorch's rule where it is NumPy's too."""
    tensors = [x for x in operands if isinstance(x, Tensor) and x.dtype.kind == "f"]
    if len({x.dtype for x in tensors}) > 1 and len({x.ndim == 0 for x in tensors}) > 1:
        raise Unspecified("a 0-d and an n-d tensor of different dtypes")
    dtype = np.result_type(*(x.dtype for x in tensors)) if tensors else float64
    return [x if isinstance(x, Tensor) else Tensor(np.asarray(x, dtype)) for x in operands]


# -------------------------------------------------------------------------------------------------------------- tensor


class Storage:
    def __init__(self, data):
        self.data, self.version = data, 0
        self.plain = True  # laid out row by row, so that every implementation agrees which reshape copies
        self.frozen = False  # a gradient: may share memory with another one, so nothing writes to it
        self.hooked = False  # a view has a hook


def _plain_index(index):
    """Lists and Tensors in an index as integer or boolean arrays."""
    if isinstance(index, tuple):
        return tuple(map(_plain_index, index))
    if isinstance(index, Tensor):
        return index.value
    return np.asarray(index) if isinstance(index, list) else index


def _is_basic(index):
    return not any(isinstance(i, np.ndarray) for i in (index if isinstance(index, tuple) else (index,)))


class Tensor:
    __array_priority__ = 1000

    def __init__(self, value, storage=None, where=None):
        """A base: `where` are the storage positions of its elements (detach() shares them)."""
        value = np.asarray(value)
        self.storage = storage or Storage(value.ravel().copy())
        self.base, self.local = self, positions_of(value.shape)
        self.where = self.local.ravel() if where is None else where
        self.grad, self._node, self._node_version, self._retains = None, None, self._version, False

    # ---- state
    _version = property(lambda x: x.storage.version)
    positions = property(lambda x: x.base.where[x.local])
    value = property(lambda x: np.asarray(x.storage.data[x.positions]))
    shape = property(lambda x: x.local.shape)
    ndim = property(lambda x: x.local.ndim)
    dtype = property(lambda x: x.storage.data.dtype)
    requires_grad = property(lambda x: x.node is not None)
    is_leaf = property(lambda x: x.node is None or STATE.nodes[x.node].leaf is x)
    retains_grad = property(lambda x: x._retains)

    @property
    def contiguous_positions(self):
        flat = self.positions.ravel()
        return flat.size == 0 or np.array_equal(flat, flat[0] + np.arange(flat.size))

    @property
    def node(self):
        """The place in the list; a view of a base that was written to since looks itself up in the base again."""
        if self.base is not self and self._node_version != self._version and self.base.node is not None:
            local, shape = self.local, self.base.shape
            self._move(append([self.base.node], lambda g, env: [put_add(g, local, shape)], {}))
            self._node_version = self._version
        return self._node

    def _move(self, node):
        """A new record for this tensor: retain_grad follows, hooks stay with the value they were put on."""
        if self._retains:
            STATE.nodes[self._node].retained.remove(self)
            STATE.nodes[node].retained.append(self)
        self._node = node

    def requires_grad_(self):
        if self.base is not self or not self.is_leaf:
            raise Unspecified("requires_grad_ on a view or on a result")
        if not self.requires_grad:
            self._node = append([], None, {})
            STATE.nodes[self._node].leaf = self
        return self

    def retain_grad(self):
        if not self.requires_grad:
            raise RuntimeError("retain_grad on a tensor that does not require grad")
        if not self.is_leaf and not self._retains:
            self._retains = True
            STATE.nodes[self.node].retained.append(self)

    def register_hook(self, hook):
        if not self.requires_grad:
            raise RuntimeError("hook on a tensor that does not require grad")
        hooks, key = STATE.nodes[self.node].hooks, object()
        hooks[key] = hook
        self.storage.hooked |= self.base is not self
        return SimpleNamespace(remove=lambda: hooks.pop(key, None))

    def backward(self, gradient=None, retain_graph=None, create_graph=False):
        backward([self], [gradient], retain_graph, create_graph)

    def detach(self):
        return Tensor(self.value, self.storage, self.positions.ravel())

    def item(self):
        return self.value.item()

    def tolist(self):
        return self.value.tolist()

    def numpy(self):
        if self.requires_grad:
            raise RuntimeError("numpy() on a tensor that requires grad")
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __float__(self):
        return float(self.value)

    def any(self):
        return Tensor(np.any(self.value))

    # ---- views: one function of positions each
    def _view(self, f):
        positions = f(positions_of(self.shape))
        x = Tensor(np.empty(positions.shape), self.storage)
        x.base, x.local = self.base, self.local.ravel()[positions]
        if STATE.recording and self.requires_grad:
            x._node = append([self.node], lambda g, env: [put_add(g, positions, self.shape)], {})
        return x

    def transpose(self, d0, d1):
        return self._view(lambda p: np.swapaxes(p, d0, d1))

    T = property(lambda x: x._view(np.transpose))

    def permute(self, *dims):
        return self._view(lambda p: np.transpose(p, dims))

    def unsqueeze(self, d):
        return self._view(lambda p: np.expand_dims(p, d))

    def squeeze(self, d=None):
        return self._view(lambda p: np.squeeze(p, d) if d is None or p.shape[d] == 1 else p)

    def broadcast_to(self, shape):
        return self._view(lambda p: np.broadcast_to(p, shape))

    def expand(self, *shape):
        return self.broadcast_to(shape)

    def reshape(self, *shape):
        if not self.storage.plain:
            raise Unspecified("view or copy depends on the layout of a result")
        if not self.positions.size:
            return self._view(lambda p: p.reshape(shape))
        p = self.positions
        strides = [int(p.take(1, k).flat[0] - p.flat[0]) if n > 1 else 1 for k, n in enumerate(p.shape)]
        layout = np.lib.stride_tricks.as_strided(np.empty(self.storage.data.size, "i1"), p.shape, strides)
        try:
            layout.reshape(shape, copy=False)
        except ValueError:
            return take(self, positions_of(self.shape).reshape(shape))
        return self._view(lambda p: p.reshape(shape))

    def __getitem__(self, index):
        index = _plain_index(index)
        if _is_basic(index):
            return self._view(lambda p: np.asarray(p[index]))
        z = take(self, positions_of(self.shape)[index], holds=True)
        z.storage.plain = z.ndim <= 1
        return z

    # ---- in place
    def _write(self, rule, *others, holds=False):
        """self[...] = rule(self, *others): a new record for the base, whose other elements pass through."""
        base, (_, *others) = self.base, promote([self, *others])
        if STATE.recording and base.requires_grad and base.is_leaf:
            raise RuntimeError("in-place operation on a leaf (or a view of a leaf) that requires grad")
        if self.base is not self and self.storage.hooked:
            raise Unspecified("PyTorch leaves out the hook of a view that was overwritten through a view")
        self._check_overlap(others)
        before = Saved(self)  # PyTorch clones it, so it is never stale
        before.storage = Storage(before.value)
        before.version = 0
        operands = [self, *others]
        value, names, vjp = evaluate(rule, operands)
        if value.shape != self.shape:
            raise ValueError("an in-place operation cannot change the shape")
        saved = {"x": before} if "x" in names else {}
        saved |= {n: Saved(y) for n, y in zip(rule.names[1:], others, strict=True) if n in names}
        parents = [base.node, *(y.node for y in others)]
        recorded = STATE.recording and any(p is not None for p in parents)
        local, shape = self.local, base.shape
        whole = base is self

        def write_vjp(g, env):
            mine, *theirs = vjp(g if whole else take(g, local), env)
            if whole or parents[0] is None:
                return [mine, *theirs]
            outside = np.ones(shape, g.dtype)
            outside.ravel()[local] = 0
            return [g * Tensor(outside) + put_add(mine, local, shape), *theirs]

        measure(value)
        self.storage.data[self.positions] = value
        self.storage.version += 1
        if recorded:
            base._move(append(parents, write_vjp, saved, holds))
            STATE.nodes[base._node].loose = not whole
            if "z" in names:
                STATE.nodes[base._node].saved["z"] = saved = Saved(self)
                saved.loose = not whole      # what was written through a view may be kept apart from the memory that it went to
                STATE.nodes[base._node].holds = True
        return self

    def _check_overlap(self, others):
        mine = self.positions
        if self.storage.frozen or np.unique(mine).size != mine.size:
            raise Unspecified("write to a gradient, or to an expanded tensor")
        for y in others:
            if y is not self and y.storage is self.storage and np.intersect1d(y.positions, mine).size:
                raise Unspecified("operand overlaps the written tensor")

    def __setitem__(self, index, value):
        index = _plain_index(index)
        if not _is_basic(index) and np.unique(self.positions).size != self.positions.size:
            raise Unspecified("write by a mask or by indices into an expanded tensor")
        target = self if index is Ellipsis else self._view(lambda p: np.asarray(p[index]))
        if isinstance(value, Tensor) and value.ndim > target.ndim:
            raise Unspecified("leading axes of length one")
        scattered = isinstance(value, Tensor) and not _is_basic(index)
        if scattered and (value.storage is self.storage or value.dtype != self.dtype):
            raise Unspecified("scatter of the tensor's own elements, or of another dtype")
        target._write(RULES["copy"], value, holds=not _is_basic(index))

    def zero_(self):
        return self._write(RULES["copy"], 0.0)

    def fill_(self, value):
        return self._write(RULES["copy"], value)

    def copy_(self, y):
        return self._write(RULES["copy"], y)

    def pow_(self, n):
        return self._write(power_rule(n))

    def clamp_(self, min=None, max=None):
        return self._write(clamp_rule(min, max))

    # ---- the rest
    def to(self, dtype):
        return self if self.dtype == dtype else elementwise(cast_rule(dtype), self)

    def float(self):
        return self.to(float32)

    def double(self):
        return self.to(float64)

    def clamp(self, min=None, max=None):
        return elementwise(clamp_rule(min, max), self)

    def __pow__(self, y):
        return elementwise("pow", self, y) if isinstance(y, Tensor) else elementwise(power_rule(y), self)

    pow = __pow__

    def sum(self, dim=None, keepdim=False):
        return _reduce(self, dim, keepdim, np.sum, lambda g: g)

    def mean(self, dim=None, keepdim=False):
        count = float(np.prod([self.shape[d] for d in _axes(dim, self.ndim)]))
        return _reduce(self, dim, keepdim, np.mean, lambda g: g * (1 / count))

    def amax(self, dim=None, keepdim=False):
        return _reduce(self, dim, keepdim, np.max, _even_share(_axes(dim, self.ndim)))

    def amin(self, dim=None, keepdim=False):
        return _reduce(self, dim, keepdim, np.min, _even_share(_axes(dim, self.ndim)))

    def max(self, dim=None, keepdim=False):
        return self.amax() if dim is None else _pick(self, dim, keepdim, np.argmax)

    def min(self, dim=None, keepdim=False):
        return self.amin() if dim is None else _pick(self, dim, keepdim, np.argmin)


def _method(rule, swapped=False):
    return (lambda x, y: elementwise(rule, y, x)) if swapped else (lambda x, *others: elementwise(rule, x, *others))


def _compare(ufunc):
    def compare(x, y):
        y = y.value if isinstance(y, Tensor) else y
        watch(x.value - y)
        return Tensor(ufunc(x.value, y))

    return compare


for _name in RULES:
    if _name not in ("where", "copy", "pow", "neg"):
        setattr(Tensor, _name, _method(_name))
for _name in ("add", "sub", "mul", "div", "exp"):
    setattr(Tensor, _name + "_", lambda x, *others, rule=RULES[_name]: x._write(rule, *others))
for _name, _operator in {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv"}.items():
    setattr(Tensor, f"__{_operator}__", _method(_name))
    setattr(Tensor, f"__r{_operator}__", _method(_name, swapped=True))
    setattr(Tensor, f"__i{_operator}__", getattr(Tensor, _name + "_"))
for _name, _ufunc in {"gt": np.greater, "lt": np.less, "ge": np.greater_equal, "le": np.less_equal}.items():
    setattr(Tensor, f"__{_name}__", _compare(_ufunc))
Tensor.__neg__ = _method("neg")
Tensor.__rpow__ = _method("pow", swapped=True)
Tensor.__matmul__ = lambda x, y: matmul(x, y)

# ---------------------------------------------------------------------------------- reductions, joins, matrix products

Extremum = namedtuple("Extremum", "values indices")


def _axes(dim, ndim):
    dim = range(ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    return tuple(d % ndim for d in dim)


def _reduce(x, dim, keepdim, ufunc, partial):
    axes = _axes(dim, x.ndim)
    kept = np.asarray(ufunc(x.value, axis=axes, keepdims=True))
    if ufunc in (np.max, np.min):
        watch(kept - x.value)
    spread = np.broadcast_to(positions_of(kept.shape), x.shape)
    names = [n for n in inspect.signature(partial).parameters if n != "g"]

    def vjp(g, env):
        env = {n: take(y, spread) if n == "z" else y for n, y in env.items()}
        return [partial(take(g, spread), **env)]

    value = kept if keepdim else kept.squeeze(axes)
    return _save_result(record(value, [x], vjp, {"x": x} if "x" in names else {}), names)


def _even_share(axes):
    def partial(g, x, z):
        best = x.value == z.value
        return g * _const(g, best / best.sum(axes, keepdims=True))

    return partial


def _pick(x, dim, keepdim, arg):
    """max and min along one axis: the first of equals gets the gradient."""
    best = np.expand_dims(arg(x.value, axis=dim), dim)
    positions = np.take_along_axis(positions_of(x.shape), best, dim)
    watch(x.value.ravel()[positions] - x.value)
    shape = positions.shape if keepdim else positions.squeeze(dim).shape
    return Extremum(take(x, positions.reshape(shape), holds=True), Tensor(best.reshape(shape)))


def _join(xs, value, parts):
    return record(value, xs, lambda g, env: [take(g, p).to(x.dtype) for p, x in zip(parts, xs, strict=True)])


def concatenate(xs, dim=0):
    value = np.concatenate([x.value for x in xs], dim)
    ends = np.cumsum([x.shape[dim] for x in xs])[:-1]
    return _join(xs, value, np.split(positions_of(value.shape), ends, dim))


def stack(xs, dim=0):
    value = np.stack([x.value for x in xs], dim)
    return _join(xs, value, list(np.moveaxis(positions_of(value.shape), dim, 0)))


def _reshaped(x, shape):
    return take(x, positions_of(x.shape).reshape(shape))


def matmul(x, y):
    """numpy.matmul; each gradient is the product of g and the other operand transposed, all three as matrices."""
    if x.dtype != y.dtype:
        raise Unspecified("matmul of two dtypes")
    value = np.asarray(x.value @ y.value)
    rows, columns = (x.shape if x.ndim > 1 else (1, *x.shape)), (y.shape if y.ndim > 1 else (*y.shape, 1))
    product = (*np.broadcast_shapes(rows[:-2], columns[:-2]), rows[-2], columns[-1])
    needs = x.requires_grad, y.requires_grad

    def vjp(g, env):
        g, gx, gy = _reshaped(g, product), None, None
        if needs[0]:
            gx = _reshaped(fit(g @ _reshaped(env["y"], columns).transpose(-1, -2), rows, x.dtype), x.shape)
        if needs[1]:
            gy = _reshaped(fit(_reshaped(env["x"], rows).transpose(-1, -2) @ g, columns, y.dtype), y.shape)
        return [gx, gy]

    saved = ({"y": y} if needs[0] else {}) | ({"x": x} if needs[1] else {})
    z = record(value, [x, y], vjp, saved)
    if max(x.ndim, y.ndim) > 2:  # folded into one product, sometimes over copies
        z.storage.plain = False
        for saved in STATE.nodes[z._node].saved.values() if z.requires_grad else ():
            saved.loose = True
    return z


# ------------------------------------------------------------------------------------------------------- reverse sweep


def _sweep(outputs, seeds, retain_graph, create_graph, inputs=None):
    """Walk the list backward once. With `inputs`, only what lies up to them; return their gradients."""
    retain_graph = create_graph if retain_graph is None else retain_graph
    adjoints, found = {}, {}
    for y, g in zip(outputs, seeds, strict=True):
        if not y.requires_grad:
            raise RuntimeError("the tensor does not require grad, so there is nothing to go back through")
        if g is None and y.local.size != 1:
            raise RuntimeError("a gradient is needed for an output that is not a scalar")
        g = Tensor(np.ones(y.shape, y.dtype)) if g is None else g
        if g.shape != y.shape:
            raise RuntimeError("the gradient does not have the shape of the output")
        _accumulate(adjoints, y.node, g)
    targets = None if inputs is None else {x.node for x in inputs}
    wanted = _upstream(targets)
    before, STATE.sweeping = STATE.sweeping, True
    try:
        with set_grad_enabled(create_graph):
            for i in range(max(adjoints), -1, -1):
                if i not in adjoints or i not in wanted:
                    continue
                node, g = STATE.nodes[i], adjoints.pop(i)
                live = [p for p in node.parents if p is not None]
                further = any(p in wanted for p in live)
                for hook in list(node.hooks.values()):
                    replaced = hook(g)
                    if replaced is not None and targets is not None and i in targets and further:
                        raise Unspecified("PyTorch returns the gradient before the hook here, after it elsewhere")
                    g = g if replaced is None else replaced
                for x in node.retained:
                    _add_grad(x, g, create_graph)
                if targets is not None and i in targets:
                    found[i] = g
                if node.leaf is not None and targets is None:
                    _add_grad(node.leaf, g, create_graph)
                if not further:
                    continue
                env = node.open(partly_wanted=not all(p in wanted for p in live))
                for parent, share in zip(node.parents, node.vjp(g, env), strict=True):
                    if parent is not None:
                        _accumulate(adjoints, parent, share)
                node.freed |= not retain_graph
    finally:
        STATE.sweeping = before
    return found


def _upstream(targets):
    """Records that lead to one of the targets (all, if there are none)."""
    if targets is None:
        return range(len(STATE.nodes))
    wanted = set(targets)
    for i, node in enumerate(STATE.nodes):
        if any(p in wanted for p in node.parents):
            wanted.add(i)
    return wanted


def _accumulate(adjoints, i, g):
    adjoints[i] = adjoints[i] + g if i in adjoints else g


def _add_grad(x, g, create_graph):
    total = g if x.grad is None else x.grad + g
    x.grad = total.clone() if create_graph else Tensor(total.value)
    x.grad.storage.frozen = True


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    _sweep(tensors, grad_tensors or [None] * len(tensors), retain_graph, create_graph)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs
    if not all(x.requires_grad for x in inputs):
        raise RuntimeError("one of the inputs does not require grad")
    found = _sweep(outputs, grad_outputs or [None] * len(outputs), retain_graph, create_graph, inputs)
    if not allow_unused and not all(x.node in found for x in inputs):
        raise RuntimeError("one of the inputs was not used in the outputs; allow_unused=True gives None for it")
    grads = tuple(found.get(x.node) for x in inputs)
    for g in grads:
        if g is not None:
            g.storage.frozen, g.storage.plain = True, False
    return grads


autograd = SimpleNamespace(backward=backward, grad=grad)

# ------------------------------------------------------------------------------------------------------------ creation


def tensor(data, dtype=None, requires_grad=False):
    value = np.asarray(data)
    x = Tensor(value.astype(dtype or (float64 if value.dtype.kind == "f" or not value.size else value.dtype)))
    return x.requires_grad_() if requires_grad else x


def zeros_like(x):
    return Tensor(np.zeros(x.shape, x.dtype))


def ones_like(x):
    return Tensor(np.ones(x.shape, x.dtype))


def full_like(x, value):
    return Tensor(np.full(x.shape, value, x.dtype))


def where(condition, x, y):
    return elementwise("where", condition, x, y)


globals().update({_name: _method(_name) for _name in RULES if _name not in ("where", "copy")})
for _name in ("sum", "mean", "amax", "amin", "reshape", "transpose", "squeeze", "unsqueeze", "broadcast_to", "clamp"):
    globals()[_name] = getattr(Tensor, _name)
