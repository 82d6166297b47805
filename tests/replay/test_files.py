"""Files of tapes that somebody changed: they are refused, or what they hold stays inside its memory.

Memory is given margins. What writes there is found afterwards; what reads there gives other results for other contents.
"""

import copy
import ctypes
import functools
import io
import json
import zipfile

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import _jit, kernels
from tapegrad.buffers import address_of
from tapegrad.ops import BY_NAME, HOSTED, KINDS, OPS, PLANNED, PLANNED_EACH, frame
from tapegrad.replay import checks, machine
from tapegrad.replay import workspace as workspaces
from tapegrad.replay.tapes import _restored as restored
from tapegrad.tensor.plans import Plan

from .test_tapes import joined, parts

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # values overflow, where Python computes them

MARGIN = 64  # elements
FILLS = (3, -1000)
MUTATIONS = 120  # of each file
X = np.random.default_rng(1).uniform(0.2, 1.8, (4, 6))


def views(x):
    y = x[1:, ::-2].T * tg.broadcast_to(x[2, 1:4], (2, 3, 3)).sum(0)
    return y.sum() + x[2, 3] * x.reshape(24)[5:9].mean()


def sums(x):
    return (x.sum(0) * x.mean(0)).sum() + x.mean() + (x[:, :0].sum(1) + x.mean(1)).sum()


def joins(x):
    return (tg.concatenate([x, x[1:] * 2, x[:0]]) * tg.stack([x[0]] * 7)).sum() + tg.stack([x[0, 0], x[1, 1] * 2]).sum()


def places(x):
    y = x * 1.5
    y[1:3, 1] = x[0, :2] * 2
    y[[0, 0, 2]] = x[[1, 2, 3]]
    return (y * x[[0, 3, 3, 1]]).sum() + tg.take_along_dim(x, np.array([[1, 2, 3, 0, 1, 2]]), 0).sum()


def products(x):
    batch = x.reshape(2, 2, 6)
    return (x @ x.T @ x[:, 0]).sum() + (batch @ x.T).sum() + (batch @ batch.transpose((0, 2, 1))).sum() + x[0] @ x[1]


def lanes(x):
    z = 0.0
    for axis in (0, 1):
        z = z + (x.prod(axis).sum() + tg.amax(x, axis).sum() + tg.amin(x, axis).sum() + x.var(axis).sum() + x.std(axis).sum()
                 + tg.logsumexp(x, axis).sum() + tg.linalg.vector_norm(x, axis=axis).sum())
    return z


def scans(x):
    z = 0.0
    for axis in (0, 1):
        z = z + (x.cumsum(axis) * x.cumprod(axis) * tg.logcumsumexp(x, axis)).sum()
        z = z + (tg.softmax(x, axis) * tg.log_softmax(x, axis)).sum()
    return z


def choices(x):
    y = tg.where(x > 1.0, x, x * x) + tg.clip(x, 0.5, x[0, 0]) + tg.lerp(x, x[0], 0.3)
    return (y * tg.where(tg.sum(x) > 0, 2.0, x)).sum()


def decisions(x):
    if x[0, 0] > 0 and (x < 2).all():
        x = x * float(x[0, 1])
    return x[1].sum() * 2 + x[:, x[0].argmax()].sum() + tg.sort(x[2])[0].sum()


def picked(x):
    return tg.median(x) + tg.nanquantile(x, [0.3, 0.6], dim=1).sum() + tg.round(x).detach().mode()[0] @ x[:, 0]


def numbers(x):
    y = x[0, 0]
    for k in range(40):
        y = tg.sin(y) * x[1, k % 6] + 0.5
    return y


def pair(x):
    return {"a": tg.exp(x), "b": [x.sum(), 2.0, (x[0], 1)]}


FUNCTIONS = [views, sums, joins, places, products, lanes, scans, choices, decisions, picked, numbers]
RECORDED = {
    **{f.__name__: f for f in FUNCTIONS},
    "pair": pair,
    **{f"gradient of {f.__name__}": tg.grad(f) for f in (views, sums, joins, places, products, lanes, scans)},
}


@functools.cache
def tape_of(name, dtype=np.float64):
    return tg.record(RECORDED[name], X.astype(dtype))


# Plans, by the kernels themselves -------------------------------------------------------------------------------------


class Margins:
    """Arrays between margins of a fill."""

    def __init__(self, fill):
        self.fill, self.all = fill, []

    def put(self, array):
        array = np.asarray(array)
        whole = np.full(array.size + 2 * MARGIN, self.fill, array.dtype)
        whole[MARGIN : MARGIN + array.size] = array.reshape(-1)
        self.all.append(whole)
        return whole[MARGIN : MARGIN + array.size]

    def zeros(self, shape, dtype=np.float64):
        return self.put(np.zeros(shape, dtype)).reshape(shape)

    def intact(self):
        return all((part == self.fill).all() for whole in self.all for part in (whole[:MARGIN], whole[len(whole) - MARGIN :]))

    def __getattr__(self, name):  # it stands for NumPy where arenas are made
        return getattr(np, name)


def run_kernels(op, params, given, size, fill):
    """The value, the adjoints and the tangents of one operation, with a margin around every array."""
    memory, found, dtype = Margins(fill), [], np.dtype(np.float64)
    f = memory.zeros(frame.FRAME_LENGTH, np.int64)
    each = op.kind == PLANNED_EACH
    plan = memory.put(params)
    operands = [memory.put(np.linspace(0.5, 1.5, n).astype(dtype)) for n in given]
    tangents = [memory.put(np.linspace(-1, 1, n).astype(dtype)) for n in given]
    result, incoming = memory.zeros(size, dtype), memory.put(np.linspace(1, 2, size).astype(dtype))

    def call(column, k, out, n, incoming=None, other=None):
        kernels.need(op.code, column, dtype)
        address = int(kernels.ADDRESSES[dtype][op.code, column])
        if address == kernels.NO_KERNEL:
            return
        f[frame.SIZE], f[frame.OUT], f[frame.RESULT] = n, address_of(out), address_of(result)
        f[frame.INCOMING] = 0 if incoming is None else address_of(incoming)
        f[frame.PLAN] = address_of(plan) + (8 * k * params.shape[1] if each else 0)
        for q, x in enumerate([operands[k]] if each else operands):
            f[frame.OPERANDS + 2 * q], f[frame.OPERANDS + 2 * q + 1] = address_of(x), x.size if other is None else other
        if _jit.JIT:
            ctypes.CFUNCTYPE(None, ctypes.c_int64)(address)(address_of(f))
        else:
            _jit.call(address, address_of(f))
        found.append(out.copy())

    for k in range(len(given) if each else 1):
        call(kernels.FORWARD, k, result, size)
    for k in range(len(given)):
        slope, tangent = memory.zeros(given[k], dtype), memory.zeros(size, dtype)
        column = 0 if each else k
        linear = op.kind in (PLANNED, PLANNED_EACH)
        call(kernels.ADJOINT + column, k, slope, given[k] if linear else size, incoming, size if op.kind == PLANNED else None)
        call(kernels.TANGENT + column, k, tangent, size, tangents[k])
    assert memory.intact(), (op.name, params.tolist(), given, size)
    return found


def planned():
    """(row of the table, integers, sizes of operands, size of the result) of all records that have a plan."""
    found = {}
    for name in RECORDED:
        program = tape_of(name).program
        for i in np.flatnonzero(KINDS[program.words] >= PLANNED).tolist():
            row, op = int(program.right[i]), OPS[program.words[i]]
            given = [int(program.left[i])]
            if op.kind != PLANNED:
                given = program.rows[row + 4 : row + 4 + program.rows[row + 2]].tolist()
            plan = program.plans[row]
            params = np.asarray(plan.params)
            sizes = [int(program.sizes[program.size_ids[j]]) for j in given]
            found[op.name, params.tobytes(), str(sizes)] = op, params, sizes, plan.size
    return list(found.values())


def accepted(op, params, given, size):
    try:
        checks.check_plan(op.code, Plan(params, (size,), ""), given, size)
    except ValueError:
        return False
    return True


def changed(random, array):
    """The same integers, one or two of them changed."""
    array = np.array(array)
    flat = array.reshape(-1)
    limits = np.iinfo(array.dtype)
    for _ in range(random.integers(1, 3)):
        place = random.integers(flat.size)
        value = [int(flat[place]) + int(random.integers(-2, 3)), int(random.integers(-2, 30)), 0, -1, 1 << 31, 1 << 40, 1 << 62,
                 -(1 << 63)][random.integers(8)]
        flat[place] = min(max(value, limits.min), limits.max)
    return array


def test_every_plan_has_a_check():
    structural = {op.code for op in OPS if PLANNED <= op.kind < HOSTED and op.value is None}
    assert set(checks.CHECKS) == structural
    covered = {op.name for op, *_ in planned()}
    assert covered >= {OPS[code].name for code in structural} | {"where", "clip", "lerp"}
    with pytest.raises(ValueError, match="inv is no operation that a file may hold"):
        checks.check_plan(BY_NAME["inv"].code, Plan([0], (1,), ""), [1], 1)


def test_plans_as_they_are_recorded_pass_and_others_stay_inside():
    random = np.random.default_rng(2)
    plans = planned()
    passed = dict.fromkeys({op.name for op, *_ in plans}, 0)
    refused = dict(passed)
    for op, params, given, size in plans:
        assert accepted(op, params, given, size), (op.name, params, given, size)
        for k in range(30):
            wrong, sizes, result = changed(random, params) if k else params, list(given), size
            if k % 3 == 2:  # plans that fit other operands, too
                sizes[random.integers(len(sizes))] += random.integers(-1, 3)
                result = max(size + int(random.integers(-1, 2)) * int(random.integers(2)), 0)
            sizes = [max(int(n), 0) for n in sizes]
            if not accepted(op, wrong, sizes, result):
                refused[op.name] += 1
                continue
            passed[op.name] += 1
            first, second = (run_kernels(op, wrong, sizes, result, fill) for fill in FILLS)
            for a, b in zip(first, second):
                np.testing.assert_array_equal(a, b, err_msg=f"{op.name} {wrong.tolist()} {sizes} {result}")
    assert all(passed.values())
    assert all(refused.values())


@pytest.mark.parametrize(
    ("name", "params", "given", "size"),
    [
        ("view", [1, 4, 1, 1, 1], [4], 4),  # one too far
        ("view", [1, 4, -1, 2, 1], [4], 4),  # below the first
        ("view", [2, 1 << 32, 1 << 32, 0, 0, 0, 1], [1], 0),  # 2**64 elements
        ("view", [1, 1 << 62, 4, 0, 1], [4], 0),
        ("view", [0, 4, 1, 0, 1], [4], 4),
        ("view", [65, *[1] * 65, *[1] * 65, 0, 1], [1], 1),  # an odometer has 64 axes
        ("view", [1, -4, 1, 0, 1], [4], 4),
        ("view", [1, 4, 1], [4], 4),
        ("view", [2, 1 << 40, 0, 1, 1, 0, 1], [0], 0),  # hours of nothing
        ("sum", [2, 5, 0, 1, 0, 0, 1], [0], 4),  # a sum of nothing is written, too
        ("mean", [1, 4, 0, 0, -4], [4], 1),
        ("mean", [1, 4, 0, 0, 3], [4], 1),
        ("concatenate", [[1, 2, 1, 0, 1], [1, 2, 1, 3, 1]], [2, 2], 4),
        ("concatenate", [[1, 2, 1, 0, 1]], [2], 3),
        ("take", [2, 0, 4], [4], 2),
        ("take", [2, 0, -1], [4], 2),
        ("take", [2, 0], [4], 2),
        ("add_at", [3, 0, 1, 1], [2], 2),
        ("assign", [-1, 2], [2, 2], 2),
        ("assign", [-1, 1], [1, 2], 2),
        ("matmul", [1, 2, 3, 2, 0, 0], [6, 5], 4),
        ("matmul", [2, 1, 1, 1, 5, 0], [5, 1], 2),
        ("matmul", [1, 1 << 32, 1 << 32, 0, 0, 0], [0, 0], 0),
        ("matmul", [-1, -2, 2, 2, 0, 0], [4, 4], 4),
        ("softmax", [-1, -4, 1], [4], 4),
        ("softmax", [1 << 32, 1 << 32, 1], [0], 0),
        ("amax", [2, 0, 2], [0], 4),  # there is no largest of none
        ("prod", [2, 2, 1], [4], 4),
        ("variance", [2, 2, 1, int(np.float64(np.nan).view(np.int64))], [4], 2),
        ("variance", [2, 2, 1], [4], 2),
        ("norm", [2, 3], [4], 2),
        ("relation", [6], [1, 1], 1),
        ("relation", [-1], [1, 1], 1),
        ("where", [0], [2, 3, 1], 3),
        ("where", [0], [1, 1, 1], 3),
        ("reshape", [0], [3], 4),
    ],
)
def test_plans_that_leave_their_memory_are_refused(name, params, given, size):
    assert not accepted(BY_NAME[name], np.array(params, np.int64), given, size)


# Whole files ----------------------------------------------------------------------------------------------------------


def bytes_of(tape):
    """What is saved, and pickled."""
    return tape.__reduce__()[1][0]


def results(tape, x):
    """All that a tape computes, in this order; the errors of guards instead of values."""
    found = []
    for run in (lambda: tape(x), lambda: tape.vjp(x), lambda: tape.jvp((x,), (x,))[1], lambda: tg.jacobian(tape)(x)):
        try:
            value = run()
            if type(value) is tuple and callable(value[1]):
                value = [value[0], value[1](_ones(value[0]))]
            found.append(value)
        except (RuntimeError, ValueError, NotImplementedError, TypeError, StopIteration) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def _ones(value):
    if isinstance(value, dict):
        return {key: _ones(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_ones, value))
    return np.ones_like(value) if isinstance(value, (np.ndarray, np.generic)) else value


def inside(data, x, monkeypatch, wanted=False):
    """What a file computes, by either tier; None where it is refused."""
    found = []
    for fill in FILLS:
        memory = Margins(fill)
        try:
            tape = restored(data)
        except ValueError:
            return None
        with monkeypatch.context() as patch:
            patch.setattr(workspaces, "np", memory)
            patch.setattr(machine, "np", memory)
            tape.program.tier.wanted = wanted
            found.append(results(tape, x))
        assert memory.intact()
    assert repr(found[0]) == repr(found[1])
    return found[0]


def changed_text(random, said):
    """The text of a file with one number, or list, changed."""
    said = copy.deepcopy(said)
    places = []

    def walk(node):
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(part, (dict, list)):
                walk(part)
            if type(part) is int or (isinstance(part, list) and part):
                places.append((node, key))

    walk({key: part for key, part in said.items() if key not in ("arguments", "recorded")})
    node, key = places[random.integers(len(places))]
    if isinstance(node[key], list):
        node[key] = node[key][: random.integers(len(node[key]))]
    else:
        near, small = node[key] + int(random.integers(-2, 3)), int(random.integers(-2, 30))
        node[key] = [near, small, 1 << 31, 1 << 62, -1][random.integers(5)]
    return said


@pytest.mark.parametrize("name", RECORDED)
def test_changed_files_are_refused_or_stay_inside(name, monkeypatch):
    dtype = np.float32 if name == "choices" else np.float64
    random = np.random.default_rng(sum(name.encode()))
    tape, x = tape_of(name, dtype), X.astype(dtype) * dtype(1.0)
    data = bytes_of(tape)
    records = parts(data)
    honest = inside(data, x, monkeypatch)
    assert repr(honest) == repr(results(tape, x))
    said = json.loads(records["said"].tobytes())
    names = [key for key, array in records.items() if array.dtype.kind in "iu" and array.size and key not in ("said", "digest")]
    refused = machines = 0
    for k in range(MUTATIONS):
        wrong = dict(records)
        if k % 4 == 3:
            wrong["said"] = np.frombuffer(json.dumps(changed_text(random, said)).encode(), np.uint8)
        else:
            key = names[random.integers(len(names))]
            wrong[key] = changed(random, records[key])
            if wrong[key].ndim and random.random() < 0.1:
                wrong[key] = wrong[key][: random.integers(len(wrong[key]))]
        content = joined(wrong)
        found = inside(content, x, monkeypatch)
        if found is None:
            refused += 1
        elif repr(found) != repr(honest) and machines < 2:
            machines += 1
            again = inside(content, x, monkeypatch, wanted=True)
            for a, b in zip(found[:3], again[:3]):
                _near(a, b)
    assert refused > 10


def _near(a, b):
    if isinstance(a, dict):
        a, b = list(a.values()), list(b.values())
    if isinstance(a, (list, tuple)):
        for p, q in zip(a, b):
            _near(p, q)
    elif isinstance(a, str) or isinstance(b, str):
        assert a == b
    else:
        np.testing.assert_allclose(a, b, rtol=1e-5 if np.asarray(a).dtype == np.float32 else 1e-9, atol=1e-6)


def refuse(data, match):
    with pytest.raises(ValueError, match=match) as error:
        restored(data)
    assert "damaged" in str(error.value)
    assert "save the tape again" in str(error.value)


def test_what_else_is_refused():
    data = bytes_of(tape_of("decisions"))
    records = parts(data)
    said = json.loads(records["said"].tobytes())

    def with_text(change):
        content = copy.deepcopy(said)
        change(content)
        return joined({**records, "said": np.frombuffer(json.dumps(content).encode(), np.uint8)})

    refuse(joined({**records, "more": np.zeros(3)}), "more")
    refuse(joined({name: array for name, array in records.items() if name != "left"}), "lacks.*left")
    refuse(with_text(lambda s: s.update(more=1)), "more")
    refuse(with_text(lambda s: s.pop("guards")), "lacks.*guards")
    refuse(with_text(lambda s: s.update(version=2)), "version 2, and this is 1")
    refuse(with_text(lambda s: s["operations"].__setitem__(0, "system")), "no operation called 'system'")
    refuse(with_text(lambda s: s.update(dtype="float16")), "float16")
    refuse(with_text(lambda s: s["guards"][0].__setitem__(0, "system")), "asks 'system'")
    refuse(with_text(lambda s: s["guards"][0][2].update(out=["plain", None])), "told.*out")
    refuse(with_text(lambda s: s["guards"][0].__setitem__(3, ["plain", [1, 2]])), "list")
    refuse(with_text(lambda s: s["tree"].__setitem__(0, "list")), "damaged")
    refuse(with_text(lambda s: s["operations"].__setitem__(s["operations"].index("sum"), "inv")), "no operation")
    refuse(with_text(lambda s: s["operations"].__setitem__(s["operations"].index("sum"), "host")), "no operation")
    refuse(joined({**records, "constants": records["constants"].astype(">f8")}), "another form")
    refuse(joined({**records, "constants": records["constants"][:1]}), "constant")
    refuse(joined({**records, "words": records["words"].astype(float)}), "float64")
    for length in (0, 10, len(data) // 3, len(data) - 1):
        refuse(data[:length], "damaged")


@pytest.mark.parametrize(
    "header",
    [
        "",
        "'''",
        "(" * 5000,
        "{'descr': '<f8', 'shape': (3,",
        "{'descr': exit(), 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 1048576)}",
    ],
    ids=range(7),
)
def test_headers_of_arrays_that_are_none_are_refused(header):
    source, out = io.BytesIO(bytes_of(tape_of("numbers"))), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "left.npy":
                content = content[:8] + len(header).to_bytes(2, "little") + header.encode()
            new.writestr(name, content)
    refuse(out.getvalue(), "damaged")
    broken = bytearray(out.getvalue())
    broken[300:600] = bytes(300)
    refuse(bytes(broken), "damaged")


def test_texts_that_are_none_are_refused():
    records = parts(bytes_of(tape_of("numbers")))
    for text in (b"", b"null", b"[1, 2]", b"{}", b"\xff", b"[" * 100_000, b'{"version": 1}', b'{"version": NaN}'):
        refuse(joined({**records, "said": np.frombuffer(text, np.uint8)}), "damaged")


def test_guards_and_arguments_of_other_sizes_are_refused():
    tape = tape_of("decisions")
    records = parts(bytes_of(tape))
    said = json.loads(records["said"].tobytes())
    exact = next(guard for guard in said["guards"] if guard[0] is None)
    number = exact[3][1]
    for wrong in (np.zeros(0), np.zeros(2)):
        refuse(joined({**records, f"array{number}": wrong}), "guard of another size")
    argument = said["arguments"][1][0][1][1]
    for wrong in (X[:2], X.reshape(6, 4), X.astype(np.float32), X.astype(">f8"), np.zeros((4, 6), int)):
        refuse(joined({**records, f"array{argument}": wrong}), "arguments|array of")


def test_large_inputs_that_are_read_where_they_are():
    tape = tg.record(lambda x: x.sum(), np.ones(200_000))
    records = parts(bytes_of(tape))
    argument = json.loads(records["said"].tobytes())["arguments"][1][0][1][1]
    refuse(joined({**records, f"array{argument}": np.ones(10)}), "arguments")


def test_empty_and_odd_plans_are_loaded():
    for f, x in (
        (lambda x: x.sum(0), np.zeros((0, 3))),
        (lambda x: x.sum(1), np.zeros((3, 0))),
        (lambda x: x.mean(), np.zeros((3, 2))),
        (lambda x: tg.broadcast_to(x, (2, 0, 3)), np.zeros((1, 3))),
        (lambda x: x @ tg.ones((0, 4)), np.zeros((3, 0))),
        (lambda x: x[[]], np.zeros(3)),
        (lambda x: tg.concatenate([x, x[:0]]), np.zeros((0, 2))),
        (lambda x: x.var(ddof=5), np.ones(3)),
        (lambda x: tg.softmax(x, 0), np.zeros((0, 2))),
        (lambda x: tg.cumsum(x, 0), np.array(2.0)),
        (lambda x: tg.broadcast_to(x, (300, 300)).T[5].sum(), np.array(2.0)),
    ):
        tape = tg.record(f, x)
        np.testing.assert_array_equal(restored(bytes_of(tape))(x), tape(x))


def test_a_write_of_nothing_can_be_saved(tmp_path):
    def f(x):
        y = tg.zeros(x.shape)
        y[...] = x
        return tg.sum(y * 2.0)

    path = tmp_path / "nothing"
    tg.record(f, np.zeros(0)).save(path)
    tape = tg.Tape.load(path)
    assert tape(np.zeros(0)) == 0.0
    assert tg.grad(tape)(np.zeros(0)).shape == (0,)


def test_where_a_tape_cannot_be_written_the_error_names_its_file(tmp_path):
    path = tmp_path / "missing" / "tape"
    with pytest.raises(FileNotFoundError) as error:
        tg.record(lambda x: x * 2.0, 1.0).save(path)
    assert error.value.filename == str(path)
