"""Tapes as bytes: arrays and text, never code. What is read is checked, record by record, before anything runs."""
import hashlib
import io
import json

import numpy as np

from ..buffers import MAX_ELEMENTS
from ..ops import BINARY, BY_NAME, HOSTED, INPUT, KINDS, OPS, PASSIVE, PLANNED, PLANNED_EACH, PLANNED_MANY, UNARY
from ..ops.frame import MAX_DIMS
from ..tensor.core import FLOATS, Tensor, wrap
from ..tensor.elementwise import size_of
from ..tensor.plans import Plan
from ..tensor.structure.quantiles import _picks, _stays
from ..tensor.structure.sorting import _last_of_most, _order
from ..transforms.trees import ends
from .checks import check_plan
from .layout import ALIGNED
from .program import Guard, Program

VERSION = 1
DAMAGED = "the file is damaged, or no tape"

# Functions that guards may name, and what else they may be told
DECISIONS = {function.__name__: function for function in (
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_xor,
    np.logical_not, np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.any, np.all, np.argmax, np.argmin,
    np.count_nonzero, np.array_equal, np.allclose, np.isclose, np.sign, _order, _last_of_most,
    _picks, _stays)}
OPTIONS = frozenset(("axis", "keepdims", "descending", "rtol", "atol", "equal_nan"))

# What a file has besides plans and other arrays
ARRAYS = frozenset(("left", "right", "size_ids", "sizes", "constants", "places", "rows", "words", "said"))
TEXTS = frozenset(("version", "dtype", "operations", "recorded", "plans", "inputs", "outputs", "guards", "arguments", "keywords",
                   "tree", "scalar", "ends"))


class _Store:
    """Arrays that the text of a file refers to by number."""

    def __init__(self, arrays=()):
        self.arrays = list(arrays)

    def put(self, array):
        self.arrays.append(np.asarray(array))
        return len(self.arrays) - 1


# Writing --------------------------------------------------------------------------------------------------------------

def written(tape):
    """A tape as bytes."""
    program, store = tape.program, _Store()
    records = {"left": program.left, "right": program.right, "size_ids": program.size_ids, "sizes": program.sizes,
               "constants": program.constants, "places": program.places}
    rows = program.rows.copy()
    for row, plan in program.plans.items():
        rows[row + 1] = 0                    # an address
        records[f"plan{row}"] = np.asarray(plan.params)
    records["rows"] = rows
    names = sorted({OPS[word].name for word in program.words.tolist()})
    numbers = {name: k for k, name in enumerate(names)}
    records["words"] = np.array([numbers[OPS[word].name] for word in program.words.tolist()], np.int32)
    said = {
        "version": VERSION, "dtype": str(program.dtype), "operations": names, "recorded": program.recorded,
        "plans": {str(row): [list(plan.shape), plan.label, None if plan.source is None else list(plan.source)]
                  for row, plan in program.plans.items()},
        "inputs": [list(shape) for shape in program.inputs],
        "outputs": [[i, list(shape)] for i, shape in program.outputs],
        "guards": [_guard(guard, store) for guard in program.guards],
        "arguments": _tree(tape.arguments, store), "keywords": _tree(tape.keywords, store),
        "tree": _tree(program.tree, store), "scalar": program.scalar,
        "ends": [[k, None] if k is not None else [None, _value(value, store)] for k, value in program.ends],
    }
    for k, array in enumerate(store.arrays):
        records[f"array{k}"] = array
    records["said"] = np.frombuffer(json.dumps(said).encode(), np.uint8)
    records["digest"] = _digest(records)
    file = io.BytesIO()
    np.savez(file, **records)
    return file.getvalue()


def _digest(records):
    digest = hashlib.sha256()
    for name in sorted(records):
        array = np.ascontiguousarray(records[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode() + array.tobytes())
    return np.frombuffer(digest.digest(), np.uint8)


def _guard(guard, store):
    name = None if guard.function is None else guard.function.__name__
    if name is not None and DECISIONS.get(name) is not guard.function:
        raise ValueError(f"a tape with a guard that asks {name} can't be saved")
    places = [["record", x[0], list(x[1])] if isinstance(x, tuple) else _value(x, store) for x in guard.operands]
    options = {key: _value(value, store) for key, value in guard.options.items()}
    return [name, places, options, _value(guard.outcome, store)]


def _value(value, store):
    if isinstance(value, Tensor):
        return ["tensor", store.put(value._array())]
    if isinstance(value, (np.ndarray, np.generic)) and np.asarray(value).dtype != object:
        return ["array" if isinstance(value, np.ndarray) else "number", store.put(value)]
    if isinstance(value, tuple):
        return ["tuple", [_value(part, store) for part in value]]
    if value is None or isinstance(value, (bool, int, str)):
        return ["plain", value]
    if type(value) is float:
        return ["float", value.hex()]
    raise ValueError(f"a tape can't be saved with {type(value).__name__} {value!r:.60}: a file holds numbers, text, arrays, and "
                     "tuples, lists and dicts of them")


def _tree(tree, store):
    if type(tree) in (tuple, list):
        return [type(tree).__name__, [_tree(part, store) for part in tree]]
    if type(tree) is dict:
        return ["dict", [[_value(key, store), _tree(part, store)] for key, part in tree.items()]]
    return ["end", _value(tree, store)]


# Reading --------------------------------------------------------------------------------------------------------------

def read(data):
    """(program, arguments, keywords) of bytes; ValueError where they are no tape."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            records = {name: file[name] for name in file.files}
        given = records.pop("digest")
        if given.tobytes() != _digest(records).tobytes():
            raise ValueError("its checksum is another")
        said = json.loads(records["said"].tobytes())
        if said["version"] != VERSION:
            raise ValueError(f"it has version {said['version']}, and this is {VERSION}")
        _same_names(TEXTS, said)
        store = _Store(_plain(records[f"array{k}"]) for k in range(sum(name.startswith("array") for name in records)))
        numbered = [*[f"plan{row}" for row in said["plans"]], *[f"array{k}" for k in range(len(store.arrays))]]
        _same_names(ARRAYS.union(numbered), records)
        program = _program(records, said, store)
        arguments, keywords = _planted(said["arguments"], store), _planted(said["keywords"], store)
        if type(arguments) is not tuple or type(keywords) is not dict or not all(type(name) is str for name in keywords):
            raise ValueError("its arguments are none")
    except Exception as error:               # of many kinds, from the readers of archives, arrays and text, too
        raise damaged(error) from None
    return program, arguments, keywords


def damaged(what):
    """The error of a file that is no tape, or none that can be trusted."""
    return ValueError(f"{DAMAGED}: {what}; record and save the tape again")


def _same_names(expected, found):
    if set(found) != set(expected):
        missing, more = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
        raise ValueError(f"it lacks {missing}" if missing else f"it has {more} besides")


def _plain(array):
    """An array as others than this module expect it: of numbers or text, in this machine's order of bytes, row by row."""
    if array.dtype.kind not in "biufcUSmM" or not array.dtype.isnative:
        raise ValueError(f"an array of {array.dtype}")
    return np.array(array, order="C")


def _planted(node, store):
    kind, parts = node
    if kind == "end":
        return _found(parts, store)
    if kind == "dict":
        return {_found(key, store): _planted(part, store) for key, part in parts}
    return {"tuple": tuple, "list": list}[kind](_planted(part, store) for part in parts)


def _found(node, store):
    kind, value = node
    if kind == "plain":
        if value is not None and type(value) not in (bool, int, str):
            raise ValueError(f"{type(value).__name__} {value!r:.60} among its values")
        return value
    if kind == "float":
        return float.fromhex(value)
    if kind == "tuple":
        return tuple(_found(part, store) for part in value)
    if type(value) is not int or not 0 <= value < len(store.arrays):
        raise ValueError(f"it refers to array {value!r:.60}, which is not there")
    array = store.arrays[value]
    return {"array": lambda: array, "tensor": lambda: wrap(array), "number": lambda: array[()]}[kind]()


def _integers(array, dtype, what):
    if array.dtype.kind not in "iu":
        raise ValueError(f"{what} are {array.dtype}")
    out = array.astype(dtype)
    if not np.array_equal(out, array):
        raise ValueError(f"{what} are out of range")
    return np.ascontiguousarray(out)


def _program(records, said, store):
    dtype = np.dtype(said["dtype"])
    if dtype not in FLOATS:
        raise ValueError(f"records of {dtype}")
    unknown = [name for name in said["operations"] if name not in BY_NAME]
    if unknown:
        raise ValueError(f"there is no operation called {unknown[0]!r:.60}")
    codes, numbers = np.array([BY_NAME[name].code for name in said["operations"]], np.int64), records["words"]
    if numbers.size and (numbers.min() < 0 or numbers.max() >= len(codes)):
        raise ValueError("an operation out of range")
    words = codes[_integers(numbers, np.int64, "operations")].astype(np.uint16)
    left, right = (_integers(records[name], np.int32, "operands") for name in ("left", "right"))
    size_ids, sizes = _integers(records["size_ids"], np.uint16, "sizes"), _integers(records["sizes"], np.int64, "sizes")
    rows, places = _integers(records["rows"], np.int64, "rows"), _integers(records["places"], np.int64, "constants")
    constants = np.ascontiguousarray(records["constants"])
    if constants.dtype != dtype or any(array.ndim != 1 for array in (words, left, right, size_ids, sizes, rows, constants)):
        raise ValueError("arrays of another form")
    if not len(words) == len(left) == len(right) == len(size_ids) or places.ndim != 2 or places.shape[1] != 2:
        raise ValueError("arrays of other lengths")
    plans = {}
    for row, (shape, label, source) in said["plans"].items():
        plan = Plan(_integers(records[f"plan{row}"], np.int64, "plans"), _shape(shape), str(label),
                    None if source is None else _shape(source))
        if not 0 <= int(row) < len(rows) - 1:
            raise ValueError("a plan out of range")
        rows[int(row) + 1] = plan.address
        plans[int(row)] = plan
    inputs = [_shape(shape) for shape in said["inputs"]]
    outputs = [(int(i), _shape(shape)) for i, shape in said["outputs"]]
    guards = [_read_guard(guard, store) for guard in said["guards"]]
    found = _check(words, left, right, size_ids, sizes, rows, plans, places, constants, inputs, outputs, guards)
    numbers = {int(size): k for k, size in enumerate(sizes)}
    size_ids = np.array([numbers[size] for size in found], np.uint16)
    program = Program(dtype, words, left, right, size_ids, rows, plans, sizes, constants, places, inputs, outputs, guards)
    program.recorded = int(said["recorded"])
    program.give_back(_planted(said["tree"], store),
                      [(int(k), None) if k is not None else (None, _found(value, store)) for k, value in said["ends"]],
                      {key: None if said["scalar"][key] is None else int(said["scalar"][key]) for key in ("value", "aux")})
    for k in (*[k for k, _ in program.ends], *program.scalar.values()):
        if k is not None and not 0 <= k < len(outputs):
            raise ValueError("an output out of range")
    if any(k is not None and program.output_sizes[k] != 1 for k in program.scalar.values()):
        raise ValueError("a value that is no number")
    if len(ends(program.tree)) != len(program.ends):
        raise ValueError("a result of another form than its parts")
    return program


def _shape(shape):
    if len(shape) > MAX_DIMS or not all(type(n) is int and n >= 0 for n in shape) or size_of(shape) > MAX_ELEMENTS:
        raise ValueError(f"a shape {shape}")
    return tuple(shape)


def _read_guard(guard, store):
    name, operands, options, outcome = guard
    if name is not None and name not in DECISIONS:
        raise ValueError(f"a guard asks {name!r:.60}")
    if not OPTIONS.issuperset(options):
        raise ValueError(f"a guard is told {sorted(set(options) - OPTIONS)}")
    operands = tuple((int(x[1]), _shape(x[2])) if x[0] == "record" else _found(x, store) for x in operands)
    read = Guard(None if name is None else DECISIONS[name], operands,
                 {key: _found(value, store) for key, value in options.items()}, _found(outcome, store))
    if any(isinstance(x, tuple) and given[0] != "record" for x, given in zip(operands, guard[1])):
        raise ValueError("a guard of a tuple")
    if name is None and (len(operands) != 1 or guard[1][0][0] != "record"
                         or np.size(read.outcome) != size_of(operands[0][1])):
        raise ValueError("a guard of another size than its record")
    return read


def _check(words, left, right, size_ids, sizes, rows, plans, places, constants, inputs, outputs, guards):
    """ValueError where a record is not what a sweep takes for granted; gives the sizes of all."""
    found, room = [], 0
    entered = dict(places.tolist())
    if len(entered) != len(places) or list(entered) != sorted(entered) or not inputs or len(words) < len(inputs):
        raise ValueError("constants or inputs in disorder")
    if places.min() < 0 or places[:, 0].max() >= len(words) or places[:, 1].max() > len(constants) or (sizes < 0).any():
        raise ValueError("constants or sizes out of range")
    for i, word in enumerate(words.tolist()):
        kind, row = KINDS[word], int(right[i])
        if i < len(inputs):
            if word != INPUT.code or i not in entered:
                raise ValueError(f"record {i} is no input")
            size = size_of(inputs[i])
        elif kind == PASSIVE:
            size = int(sizes[size_ids[i]])
            if i not in entered or not 0 <= entered[i] <= len(constants) - size:
                raise ValueError(f"record {i} is a constant that is not there")
        elif kind in (UNARY, BINARY):
            given = [int(left[i]), row][:1 if kind == UNARY else 2]
            size = _elementwise(i, given, found)
        elif PLANNED <= kind < HOSTED:
            plan = plans.get(row)
            if plan is None:
                raise ValueError(f"record {i} has no plan")
            size = plan.size
            if not 0 <= rows[row] < len(sizes) or sizes[rows[row]] != size:
                raise ValueError(f"record {i} has another size than its plan")
            if kind == PLANNED:
                given = [int(left[i])]
            else:
                count = int(rows[row + 2])
                given = rows[row + 4:row + 4 + count].tolist()
                if count < 1 or len(given) != count or (kind == PLANNED_MANY and count != OPS[word].arity) or (
                        kind == PLANNED_EACH and (plan.params.ndim != 2 or len(plan.params) != count
                                                  or rows[row + 3] != plan.block)):
                    raise ValueError(f"record {i} has other operands than its plan")
            if not all(0 <= j < i for j in given):
                raise ValueError(f"record {i} reads records that come later")
            counts = [found[j] for j in given]
            check_plan(word, plan, counts, size)
            if plan.source is not None and size_of(plan.source) not in counts:
                raise ValueError(f"record {i} has another operand than its plan")
        else:
            raise ValueError(f"record {i} has no operation")
        if i in entered and ((kind > PASSIVE and i >= len(inputs)) or sizes[size_ids[i]] != size):
            raise ValueError(f"record {i} has another size than its value")
        found.append(size)
        room += size + ALIGNED
    if room > MAX_ELEMENTS:
        raise ValueError("it is too large")
    for i, shape in (*outputs, *[x for guard in guards for x in guard.operands if isinstance(x, tuple)]):
        if not 0 <= i < len(found) or size_of(shape) != found[i]:
            raise ValueError("an output or guard of a record that is not there")
    return found


def _elementwise(i, given, found):
    if not all(0 <= j < i for j in given):
        raise ValueError(f"record {i} reads records that come later")
    counts = [found[j] for j in given]
    size = next((n for n in counts if n != 1), 1)
    if any(n not in (1, size) for n in counts):
        raise ValueError(f"record {i} has operands of sizes {counts}")
    return size

