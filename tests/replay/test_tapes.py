"""Recorded tapes: run, differentiated, printed, saved and loaded."""

import io
import json
import pickle
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest

import tapegrad
import tapegrad as tg

from .test_compile import same

X = np.array([1.0, 2.0, 3.0])


def f(x, n=2):
    y = x[1:] * x[:-1]
    if y[0] > 0:
        y = y + tg.concatenate([x[:1], x[:-2]])
    return (y**n).sum() * 0.5 + x[x.argmax()] * tg.where(x > 2.5, x, 2.0)[1]


def test_runs_with_other_values():
    tape = tg.record(f, X)
    y = X + 0.25
    assert len(tape) == tape.stats()["records"] > 10
    same(tape.forward(y), tape(y))
    same(tape.forward(y), tg.value_and_grad(f)(y)[0])
    for _ in range(2):
        same(tg.grad(tape)(y), tg.grad(f)(y))
        _, gradient = tg.value_and_grad(tape)(y)
        same(gradient, tg.grad(f)(y))
    _, pull = tape.vjp(y)
    same(pull(2.0)[0], tg.vjp(f, y)[1](2.0)[0])
    np.testing.assert_allclose(tape.jvp((y,), (X,))[1], tg.jvp(f, (y,), (X,))[1], rtol=1e-14)
    same(tg.jacobian(tg.record(lambda x: x[1:] * x[0], X))(y), tg.jacobian(lambda x: x[1:] * x[0])(y))
    gradient = tg.record(tg.grad(f), X)
    np.testing.assert_allclose(tg.jacobian(gradient)(y), tg.hessian(f)(y), rtol=1e-14)


def test_a_tape_is_an_operation_of_a_graph():
    tape = tg.record(lambda x: (x**3).sum(), X)
    x = tg.tensor(X, requires_grad=True)
    (tape(x * 2) * 3).backward()
    np.testing.assert_allclose(x.grad.numpy(), 72 * X**2)
    with pytest.raises(NotImplementedError, match="function"):
        tg.autograd.grad(tape(x), x, create_graph=True)


def test_refusals():
    tape = tg.record(f, X)
    with pytest.raises(RuntimeError, match="greater.*is True"):
        tape.forward(np.array([-1.0, 2.0, 3.0]))
    with pytest.raises(RuntimeError, match="another way"):
        tg.grad(tape)(X[::-1])
    assert tg.record(lambda x: x * 2, 1.0)(np.array(3.0)) == 6.0
    with pytest.raises(ValueError, match=r"float64\[3\].*float64\[2\]"):
        tape.forward(X[:2])
    with pytest.raises(ValueError, match="recorded with"):
        tape.forward(X, 3)
    with pytest.raises(RuntimeError, match="random"):
        tg.record(lambda x: x * tg.rand(), X)
    with pytest.raises(RuntimeError, match="computed in Python"):
        tg.record(lambda x: tg.linalg.inv(x), np.eye(2))
    with pytest.raises(NotImplementedError, match="gradient"):
        tg.hessian(tape)
    with pytest.raises(TypeError, match="function"):
        tg.record(X)


def test_the_table():
    text = str(tg.record(lambda x, y: tg.exp(x) * y[1] + 1, 0.0, X))
    assert text.splitlines() == [
        "#  operation      operands  shape  value",
        "0  input                    ()     0",
        "1  input                    (3,)   [1, 2, 3]",
        "2  exp            #0        ()     1",
        "3  view (Select)  #1        ()     2",
        "4  multiply       #2 #3     ()     2",
        "5  constant                 ()     1",
        "6  add            #4 #5     ()     3          output",
    ]

    def long(x):
        for _ in range(500):
            x = x * 1.5
        return x

    text = str(tg.record(long, X))
    assert "more" in text and len(text.splitlines()) < 250
    assert "guard: greater(" in str(tg.record(f, X))
    assert repr(tg.record(long, 1.0)) == "<tape of 502 records>"


def test_stats():
    stats = tg.record(lambda x: tg.sin(x) * tg.sin(x) + 2.0, X).stats()
    assert stats["operations"] == {"add": 1, "multiply": 1, "sin": 1}
    assert stats["inputs"] == stats["outputs"] == stats["constants"] == 1 and stats["guards"] == 0


def test_drawings():
    tape = tg.record(lambda x: tg.sin(x) * 2, 1.0)
    dot = tape.to_dot()
    assert dot.startswith("digraph") and '"#3 multiply 2", shape=doubleoctagon' in dot and "r0 -> r1" in dot
    svg = tape._repr_svg_()
    assert svg is None or "<svg" in svg
    assert (svg is None) == (shutil.which("dot") is None)
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    y = tg.sin(x)
    dot = tg.to_dot((y * y).sum())
    assert dot.count("SinBackward0") == 1 and dot.count("->") == 4 and "leaf (2,)" in dot
    with pytest.raises(ValueError, match="no graph"):
        tg.to_dot(tg.tensor(1.0))
    with pytest.raises(TypeError, match="Tensor"):
        tg.to_dot(1.0)


def test_stats_agree_with_the_printed_records():
    for function in (f, lambda x: x, lambda x: (x @ x) + tg.linalg.det(tg.diag(x)) if x[0] < 0 else tg.sort(x)[0]):
        tape = tg.record(function, X)
        stats = tape.stats()
        assert len(tape) == stats["records"] == stats["inputs"] + stats["constants"] + sum(stats["operations"].values())
        assert len(str(tape).splitlines()) == 1 + len(tape) + stats["guards"]
        assert tape.to_dot().count("[label=") <= len(tape)
    long = tg.record(lambda x: sum([x[k % 3].sin() for k in range(300)], x[0]), X)
    lines = str(long).splitlines()
    assert f"... {len(long) - 200} more ..." in lines
    assert lines[-1].startswith(f"{len(long) - 1} ")


def test_a_drawing_without_graphviz(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    tape = tg.record(lambda a, b: (tg.sin(a) * 2 + a * b, a < b), 1.0, 2.0)
    picture = ElementTree.fromstring(tape._repr_html_())
    space = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in picture.iter(f"{space}text")]
    assert sorted(texts) == sorted(label for _, label, _ in tape.to_dot().graph.nodes)
    assert len(list(picture.iter(f"{space}path"))) == len(set(tape.to_dot().graph.edges)) + 1
    boxes = [[float(box.get(name)) for name in ("x", "y", "width", "height")] for box in picture.iter(f"{space}rect")]
    for k, (x, y, width, height) in enumerate(boxes):        # none over another, all in the picture
        assert x >= 0 and y >= 0 and x + width <= float(picture.get("width")) and y + height <= float(picture.get("height"))
        assert all(x + width <= p or p + w <= x or y + height <= q or q + h <= y for p, q, w, h in boxes[:k])
    x = tg.tensor([1.0, 2.0], requires_grad=True)
    assert "SinBackward0" in tg.to_dot(tg.sin(x))._repr_html_()
    assert tg.record(lambda x: sum([x.sin() * k for k in range(60)], x), 1.0)._repr_html_() is None
    dot = pickle.loads(pickle.dumps(tape.to_dot()))
    assert type(dot) is str and dot == tape.to_dot()
    monkeypatch.undo()
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/dot")
    assert tape._repr_html_() is None


@pytest.mark.parametrize("function", [f, lambda x: tg.grad(lambda y: (y**3).sum())(x), lambda x: x], ids=["f", "grad", "none"])
def test_profile(function):
    tape = tg.record(function, X)
    profile, stats = tape.profile(repeats=1), tape.stats()
    rows = {}
    for row in profile:
        name = row.operation.split(" (")[0]
        rows[name] = rows.get(name, 0) + row.records
        assert row.bytes == 8 * row.elements
        assert row.forward >= 0 and row.backward >= 0
    assert rows == stats["operations"]
    assert profile.total.records == sum(rows.values())
    assert profile.total.forward == pytest.approx(sum(row.forward for row in profile.rows))
    assert len(str(profile).splitlines()) == len(profile) + 3
    assert all(t > 0 for t in profile.sweeps)
    times = [row.forward + row.backward for row in profile]
    assert times == sorted(times, reverse=True)


def test_profile_finds_the_operation_that_takes_the_time():
    tape = tg.record(lambda x: (tg.special.gammainc(2.5, x) + x).sum(), np.linspace(0.1, 4.0, 5000))
    assert tape.profile().rows[0].operation == "gammainc"


def test_profile_changes_nothing():
    tape = tg.record(lambda x: (x.exp() * x).sum(), X)
    before = tg.grad(tape)(X)
    tape.profile(X + 700.0)                  # inf there
    same(tg.grad(tape)(X), before)
    with pytest.raises(ValueError, match=r"float64\[3\].*float64\[2\]"):
        tape.profile(X[:2])
    with pytest.raises(ValueError, match="repeats"):
        tape.profile(repeats=0)


def test_profile_of_alike_records_of_a_long_tape(monkeypatch):
    monkeypatch.setattr(tapegrad.replay.profiling, "ENOUGH", 10)
    tape = tg.record(lambda x: sum([x.sin() for _ in range(40)], x) if x > 9 else sum([(x + k).sin() for k in range(40)], x), 1.0)
    rows = {row.operation: row for row in tape.profile(repeats=1)}
    assert rows["sin"].records == 40


def test_explain(capsys):
    g = tg.compile(lambda x: (x**2).sum() if x[0] > 0 else x.prod())
    for x in (X, X + 1, X + 2, -X):
        tg.grad(g)(x)
    tg.hessian(g)(X)
    tg.explain(g)
    text = capsys.readouterr().out
    assert (
        "float64[3]" in text
        and "greater(" in text
        and "not trusted yet" in text
        and "recorded 3 times, replayed 1 times" in text
    )
    assert "second derivatives" in text
    tg.explain(tg.record(f, X))
    assert "operands" in capsys.readouterr().out
    with pytest.raises(TypeError, match="compile"):
        tg.explain(f)


# Files ----------------------------------------------------------------------------------------------------------------


def structured(p, x, *, power=2, name="f"):
    return {"a": (p["w"] * x).sum() ** power, "b": [x, np.arange(3.0)], "name": name}


def test_saved_and_loaded(tmp_path):
    path = tmp_path / "f.tape"
    tape = tg.record(f, X)
    tape.save(path)
    for again in (tg.Tape.load(path), pickle.loads(pickle.dumps(tape))):
        y = X + 0.125
        assert str(again) == str(tape) and again.stats() == tape.stats()
        assert again.program.digest == tape.program.digest
        same(again(y), tape(y))
        same(tg.grad(again)(y), tg.grad(f)(y))
        with pytest.raises(RuntimeError, match="another way"):
            again(-y)


def test_trees_and_dtypes_are_saved():
    p = {"w": X.astype(np.float32), "s": (1, None, True)}
    tape = tg.record(structured, p, X.astype(np.float32), power=3, name="ä")
    again = pickle.loads(pickle.dumps(tape))
    q = {"w": (X + 1).astype(np.float32), "s": (1, None, True)}
    found = again(q, X.astype(np.float32), power=3, name="ä")
    assert found["name"] == "ä" and found["a"].dtype == np.float32
    same(found["a"], tape(q, X.astype(np.float32), power=3, name="ä")["a"])
    same(found["b"][1], np.arange(3.0))
    big = tg.record(lambda x: (x @ x.T).sum() + tg.special.erf(x).mean(), np.ones((20, 20)))
    same(pickle.loads(pickle.dumps(big))(np.full((20, 20), 0.3)), big(np.full((20, 20), 0.3)))
    exact = tg.record(lambda x: x * x[0].item(), X)
    same(pickle.loads(pickle.dumps(exact))(X), X)


def test_what_a_file_does_not_hold():
    with pytest.raises(ValueError, match="object"):
        pickle.dumps(tg.record(lambda x, o: x, X, object()))
    with pytest.raises(ValueError, match="complex"):
        pickle.dumps(tg.record(lambda x, k: x, X, 1 + 2j))


def parts(data):
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def joined(records):
    from tapegrad.replay.files import _digest

    records.pop("digest", None)
    records["digest"] = _digest(records)
    out = io.BytesIO()
    np.savez(out, **records)
    return out.getvalue()


def loaded(data, tmp_path):
    path = tmp_path / "damaged.tape"
    path.write_bytes(data)
    return tg.Tape.load(path)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "f.tape"
    tg.record(f, X).save(path)
    data = path.read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        wrong = bytearray(data)
        wrong[random.integers(len(data))] ^= 1 << random.integers(8)
        try:
            again = loaded(bytes(wrong), tmp_path)
        except ValueError as error:
            refused += "damaged" in str(error)
        else:  # a bit of the archive that means nothing
            assert again.program.digest == tg.Tape.load(path).program.digest
    assert refused > 75
    for wrong in (b"", b"no tape", data[: len(data) // 2], pickle.dumps({"a": 1})):
        with pytest.raises(ValueError, match="damaged"):
            loaded(wrong, tmp_path)
    with pytest.raises(FileNotFoundError):
        tg.Tape.load(tmp_path / "nothing")


def test_wrong_records_are_refused_with_a_right_checksum(tmp_path):
    tape = tg.record(f, X)
    tape.save(tmp_path / "f.tape")
    data = (tmp_path / "f.tape").read_bytes()
    assert len(loaded(joined(parts(data)), tmp_path)) == len(tape)

    def changed(name, place, value):
        records = parts(data)
        records[name] = records[name].copy()
        records[name][place] = value
        return joined(records)

    last = len(tape) - 1
    for wrong in (
        changed("left", last, last),
        changed("left", 1, -1),
        changed("right", last, 1 << 20),
        changed("words", last, 99),
        changed("sizes", 1, 5),
        changed("places", (1, 1), 100),
        changed("places", (0, 0), 3),
        changed("size_ids", 0, 60000),
        changed("rows", 0, 60000),
    ):
        with pytest.raises(ValueError, match="damaged"):
            loaded(wrong, tmp_path)

    def said(change):
        records = parts(data)
        content = json.loads(records["said"].tobytes())
        change(content)
        records["said"] = np.frombuffer(json.dumps(content).encode(), np.uint8)
        return joined(records)

    for change in (
        lambda s: s.update(version=99),
        lambda s: s["operations"].append("no such"),
        lambda s: s.update(dtype="int64"),
        lambda s: s["outputs"].append([99, []]),
        lambda s: s["inputs"].append([3]),
        lambda s: s["guards"][0].__setitem__(0, "system"),
        lambda s: s.pop("tree"),
        lambda s: s["ends"].append([7, None]),
        lambda s: s.update(operations=s["operations"][:1]),
    ):
        with pytest.raises(ValueError, match="damaged"):
            loaded(said(change), tmp_path)
