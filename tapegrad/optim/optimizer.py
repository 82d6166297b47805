"""What all optimizers have: groups of parameters with settings, state, and its dictionary."""
import operator
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ..autograd.modes import enable_grad
from ..buffers import address_of
from ..tape import settle
from ..tensor.core import FLOATS, Tensor, bump, root_of, wrap
from ..tensor.elementwise import describe
from .loops import GRADIENT, PARAMETER, SIZE, STATE, STEP, WIDTH, compiled


class Optimizer:
    """Updates parameters, tensors that require grad, by their ``grad``. `params`: an iterable of tensors, of pairs (name,
    tensor), or of dicts ``{"params": tensors, setting: value, ...}``, groups with settings of their own.

    ``param_groups`` holds the groups; a setting that is changed there holds from the next step.
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.param_groups: list = []
        self._known: set = set()
        self._begin()
        for group in _groups(params):
            self.add_param_group(group)

    def add_param_group(self, group):
        """Adds a group, a dict with ``"params"`` and settings; the others are the optimizer's defaults."""
        if not isinstance(group, Mapping) or "params" not in group:
            raise TypeError(f"a group is a dict with 'params' and settings, not {describe(group)}")
        group = {**self.defaults, **group}
        unknown = set(group) - set(self.defaults) - {"params", "param_names", "initial_lr"}
        if unknown:
            raise ValueError(f"{type(self).__name__} has no setting {', '.join(sorted(unknown))}; it has "
                             f"{', '.join(sorted(self.defaults))}")
        names, params = _parameters(group["params"])
        for p in params:
            if id(p) in self._known:
                raise ValueError("a parameter is given twice; each belongs to one group, once")
            self._known.add(id(p))
        group["params"] = params
        if names:
            group["param_names"] = names
        self._check(group)
        self._prepare(group)
        self.param_groups.append(group)

    def _prepare(self, group):
        """Makes what the optimizer itself keeps of a group."""

    def _check(self, group):
        """ValueError for settings outside their range."""
        for name in ("lr", "eps", "weight_decay", "momentum", "lr_decay", "momentum_decay", "initial_accumulator_value"):
            value = group.get(name, 0.0)
            if not value >= 0.0:
                raise ValueError(f"{name} must not be negative, and {value} was given")
        for k, beta in enumerate(group.get("betas", ())):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"betas[{k}] must be at least 0 and less than 1, and {beta} was given")
        if group.get("differentiable"):
            raise NotImplementedError("differentiable=True is not supported: a step writes in place, without a record")

    def zero_grad(self, set_to_none=True):
        """Removes the gradients of all parameters, or with ``set_to_none=False`` fills them with zeros in place."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p._grad = None
                elif p._grad is not None:
                    p._grad.detach_().requires_grad_(False)
                    p._grad.zero_()

    # State ---------------------------------------------------------------------------------------------------------

    @property
    def state(self):
        """A dict for each parameter that was updated: the number of steps and the method's buffers, which are no copies."""
        return {p: entries for k in range(len(self.param_groups)) for p, entries in self._group_state(k)}

    def state_dict(self):
        """The state and the settings as dicts of copies, parameters by number; what PyTorch's optimizers give and take."""
        groups, state, start = [], {}, 0
        for k, group in enumerate(self.param_groups):
            numbers = list(range(start, start + len(group["params"])))
            start += len(numbers)
            groups.append({**{name: value for name, value in group.items() if name != "params"}, "params": numbers})
            places = {id(p): number for p, number in zip(group["params"], numbers)}
            for p, entries in self._group_state(k):
                state[places[id(p)]] = {name: value.clone() if isinstance(value, Tensor) else value
                                        for name, value in entries.items()}
        return {"state": state, "param_groups": groups}

    def _group_state(self, k):
        """Pairs of a parameter of a group and its state."""
        raise NotImplementedError

    def _check_state(self, p, state):
        """ValueError where a state doesn't fit a parameter."""

    def _load_group(self, k, entries):
        """Takes pairs of a parameter and its state, or None."""
        raise NotImplementedError

    def load_state_dict(self, state_dict):
        """Takes state and settings of an optimizer with groups of the same lengths; the tensors are copied. ValueError, with
        nothing changed, where they don't fit."""
        groups = state_dict["param_groups"]
        lengths = [len(group["params"]) for group in groups]
        own = [len(group["params"]) for group in self.param_groups]
        if lengths != own:
            raise ValueError(f"the state has groups of {lengths} parameters, and this optimizer of {own}; they must be the same")
        entries = []
        for group, given in zip(self.param_groups, groups):
            entries.append([(p, state_dict["state"].get(number)) for p, number in zip(group["params"], given["params"])])
        for p, state in (pair for part in entries for pair in part):
            self._check_state(p, state)
        for k, given in enumerate(groups):
            self.param_groups[k].update({name: value for name, value in given.items() if name not in ("params", "param_names")})
            self._load_group(k, entries[k])

    def __getstate__(self):
        """For pickle and deepcopy, with the parameters: settings, and the state as tensors."""
        state = [[(k, entries) for k, p in enumerate(group["params"]) for q, entries in self._group_state(n) if q is p]
                 for n, group in enumerate(self.param_groups)]
        return {"defaults": self.defaults, "groups": self.param_groups, "state": state}

    def __setstate__(self, saved):
        self.defaults, self.param_groups, self._known = saved["defaults"], [], set()
        self._begin()
        for n, (group, entries) in enumerate(zip(saved["groups"], saved["state"])):
            self._prepare(group)
            self.param_groups.append(group)
            self._known.update(map(id, group["params"]))
            known = dict(entries)
            self._load_group(n, [(p, known.get(k)) for k, p in enumerate(group["params"])])

    def _begin(self):
        """Makes what the optimizer itself keeps, without any group."""

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for k, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {k}")
            lines += [f"    {name}: {value}" for name, value in sorted(group.items()) if name not in ("params", "param_names")]
        return "\n".join([*lines, ")"])


class ByRule(Optimizer):
    """An optimizer that updates each element by a rule, in one compiled loop over all parameters of a group."""
    _rule: Callable                          # see loops.py
    _settings: tuple = ()                    # the group's settings in the order of the rule; "maximize" comes last
    _buffers: tuple = ()                     # names of the state's buffers, and of single numbers behind them
    _numbers_kept: tuple = ()
    _counts_steps = True                      # whether the state shows the number of steps

    def _begin(self):
        self._flat: list = []

    def _used(self, group):
        """The buffers that the settings make use of."""
        return self._buffers

    def _filling(self, group):
        """What the buffers are at the beginning."""
        return 0.0

    def step(self, closure=None):
        """One update of all parameters that have a gradient; gives what ``closure()`` gave, which computes the loss and the
        gradients anew, or None. An exception leaves all parameters as they were, or a whole step on."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        settle()                             # records that read the parameters run first
        for flat in self._flat:
            flat.step()
        return loss

    def _prepare(self, group):
        self._flat.append(_Flat(self, group))

    def _group_state(self, k):
        return self._flat[k].state()

    def _check_state(self, p, state):
        for name in self._buffers if state else ():
            value = state.get(name)
            if value is not None and _array(value).shape != p._shape:
                raise ValueError(f"{name} of shape {_array(value).shape} doesn't fit a parameter of shape {p._shape}")

    def _load_group(self, k, entries):
        self._flat[k].load(entries)


class _Flat:
    """A group as the compiled loop sees it: a table with a row for each parameter, and one array for all state."""

    def __init__(self, optimizer, group):
        self.optimizer, self.group, self.params = optimizer, group, group["params"]
        dtypes = {p.dtype for p in self.params}
        if len(dtypes) > 1 or dtypes - set(FLOATS):
            raise TypeError(f"the parameters of a group have one floating dtype, and these have "
                            f"{', '.join(sorted(map(str, dtypes)))}; make a group for each")
        self.dtype = dtypes.pop()
        self.table = np.zeros((len(self.params), WIDTH), np.int64)
        self.cells = memoryview(self.table.reshape(-1))
        self.values = None
        self.read = operator.itemgetter(*optimizer._settings, "maximize")
        self.loop = compiled(optimizer._rule, self.dtype)
        self.memory = None

    def step(self):
        values = self.read(self.group)
        if values != self.values:
            self._take_settings(values)
        if self.memory is None:
            self._allocate()
        cells, k, held = self.cells, 0, []
        for p in self.params:
            g = p._grad
            if g is None:
                cells[k + GRADIENT] = 0
            else:
                if p._storage is None and p._base is None:
                    p._edits += 1
                else:
                    bump(root_of(p))
                array = g._own
                if array is None:
                    array = g._array()
                    held.append(array)   # alive until the loop is done
                cells[k + PARAMETER] = id(p._own)
                cells[k + GRADIENT] = id(array)
            k += WIDTH
        if not self.loop(self.table_address, len(self.params), self.numbers_address):
            copies = [self._in_rows(p, row) for p, row in zip(self.params, self.table) if row[GRADIENT]]
            self.loop(self.table_address, len(self.params), self.numbers_address)
            for p, data, _ in copies:
                if data is not p._own:
                    p._own[...] = data

    def _in_rows(self, p, row):
        """Has a parameter and its gradient lie row by row in memory: the parameter, and the arrays that stand for them."""
        data, array = (np.asarray(a, order="C") for a in (p._own, p._grad._array()))
        row[PARAMETER], row[GRADIENT] = id(data), id(array)
        return p, data, array

    def _take_settings(self, values):
        *values, maximize = values
        numbers = [float(x) for value in values for x in (value if isinstance(value, (tuple, list)) else (value,))]
        self.numbers = np.array([*numbers, -1.0 if maximize else 1.0])
        self.values = (*values, maximize)
        self.numbers_address = address_of(self.numbers)

    def _allocate(self):
        sizes, width, extra = [p.numel() for p in self.params], len(self.optimizer._buffers), len(self.optimizer._numbers_kept)
        self.memory = np.full(sum(width * n + extra for n in sizes), self.optimizer._filling(self.group), self.dtype)
        start = 0
        for row, n in zip(self.table, sizes):
            row[SIZE] = n
            row[STATE] = address_of(self.memory) + start * self.memory.itemsize if self.memory.size else 0
            start += width * n + extra
        self.table_address = address_of(self.table)

    def _rows(self):
        """For each parameter its row and its part of the memory."""
        start, width = 0, len(self.optimizer._buffers)
        for p, row in zip(self.params, self.table):
            length = width * p.numel() + len(self.optimizer._numbers_kept)
            yield p, row, self.memory[start:start + length]
            start += length

    def _parts(self, p, memory):
        """(name, the part of the memory) for each buffer and number of a parameter."""
        n, names = p.numel(), self.optimizer._buffers
        yield from ((name, memory[k * n:(k + 1) * n].reshape(p._shape)) for k, name in enumerate(names))
        yield from ((name, memory[len(names) * n + k:][:1].reshape(())) for k, name in enumerate(self.optimizer._numbers_kept))

    def state(self):
        if self.memory is None:
            return
        used = {*self.optimizer._used(self.group), *self.optimizer._numbers_kept}
        for p, row, memory in self._rows():
            if row[STEP]:
                step = {"step": wrap(np.asarray(float(row[STEP])))} if self.optimizer._counts_steps else {}
                yield p, {**step, **{name: wrap(part) for name, part in self._parts(p, memory) if name in used}}

    def load(self, entries):
        if self.memory is None:
            self._allocate()
        self.memory[:] = self.optimizer._filling(self.group)
        for (p, row, memory), (_, state) in zip(self._rows(), entries):
            row[STEP] = int(_array(state.get("step", 1))) if state else 0
            for name, part in self._parts(p, memory):
                if state and state.get(name) is not None:
                    part[...] = _array(state[name])


def _array(value):
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


def _groups(params):
    if isinstance(params, Tensor):
        raise TypeError("params is an iterable of tensors or of dicts, and one tensor was given; write [tensor]")
    if not isinstance(params, Iterable):
        raise TypeError(f"params is an iterable of tensors or of dicts, not {describe(params)}")
    _check_order(params)
    params = list(params)
    if not params:
        raise ValueError("there are no parameters to optimize: params is empty")
    return params if isinstance(params[0], Mapping) else [{"params": params}]


def _check_order(given):
    if isinstance(given, (set, frozenset)):
        raise TypeError("parameters come in an order, and a set has none; give a list")


def _parameters(given):
    """(names or None, tensors) of a group."""
    _check_order(given)
    given, names = [given] if isinstance(given, Tensor) else list(given), None
    if given and all(isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) for item in given):
        names, given = [name for name, _ in given], [p for _, p in given]
    for p in given:
        if not isinstance(p, Tensor):
            raise TypeError(f"parameters are tensors, not {describe(p)}")
        if not p.is_leaf:
            raise ValueError("a tensor that was computed from others can't be optimized; give the leaves that it comes from, or "
                             "a detach() of it")
    return names, given
