"""The soak finds what it is for: wrong answers, memory that grows, kinds that slow down; and its kinds and cases run."""

import json

import numpy as np
import pytest

import tapegrad as tg
from tapegrad.testing.soak import KINDS, SIZES, faults_of, running, soak
from tapegrad.testing.soak.__main__ import main
from tapegrad.testing.soak.kinds import expect
from tapegrad.testing.soak.sizes import measure

COMPILES = {"native"}  # for half a minute, what tests/native has compiled
QUICK = {name: KINDS[name] for name in ("adam", "graphs", "kept graphs", "readings", "compiled in graphs", "threads")}


@pytest.mark.parametrize("name", [name for name in KINDS if name not in COMPILES])
def test_a_round_of_each_kind(name):
    KINDS[name](np.random.default_rng(1))()


@pytest.mark.parametrize("name", SIZES)
def test_each_case_at_a_small_size(name):
    row = measure(name, 1e-5)
    assert row["number"] >= 10 and row["parts"] and all(seconds >= 0 for seconds in row["parts"].values())


def test_a_quick_soak_passes():
    report = soak(QUICK, 2.0)
    assert report["wrong"] == []
    assert [row["kind"] for row in report["kinds"]] == list(QUICK)
    assert all(row["rounds"] >= 2 for row in report["kinds"])
    size, blocks = (end - warm for warm, end in zip(report["warm"], report["end"]))
    assert size < running.MOST_BYTES and blocks < running.MOST_BLOCKS


def leak_of(thing):
    """A kind that keeps what it makes."""

    def kind(random):
        held = []
        return lambda: held.append(thing())

    return kind


def test_a_leak_of_objects_is_found():
    report = soak({"leak": leak_of(lambda: [tg.tensor(1.0) for _ in range(1000)])}, 1.0)
    assert any("blocks" in line for line in faults_of(report))


def test_a_leak_of_memory_is_found():
    report = soak({"leak": leak_of(lambda: np.ones(1 << 21))}, 0.5)
    assert any("resident memory grew" in line for line in faults_of(report))


def test_what_runs_apart_has_no_bound_on_memory():
    report = soak({"leak": leak_of(lambda: np.ones(1 << 20))}, 0.3)
    assert faults_of(report, bounded=False) == []


def test_a_kind_that_slows_down_is_found():
    row = {"kind": "slow", "first_quarter": 0.01, "last_quarter": 0.03}
    report = {"wrong": [], "warm": (0, 0), "end": (0, 0), "kinds": [row]}
    assert faults_of(report) == ["slow slowed down from 10 to 30 ms a round"]
    row["last_quarter"] = 0.015
    assert faults_of(report) == []


def wrong(random):
    def once():
        x = tg.tensor(3.0, requires_grad=True)
        (x * x).backward()
        expect(x.grad, 7.0, "the gradient")

    return once


def warns(random):
    return lambda: tg.compile(lambda x: x * random.standard_normal())(1.0)


@pytest.mark.parametrize(("kind", "message"), [(wrong, "the gradient is 6.0, and should be 7.0"), (warns, "Warning")])
def test_a_wrong_answer_and_a_warning_are_found(kind, message, monkeypatch, capsys):
    monkeypatch.setitem(KINDS, "broken", kind)
    assert main(["--minutes", "0.01", "--only", "broken"]) == 1
    assert message in capsys.readouterr().out


def test_the_command_prints_a_table_and_writes_a_report(capsys, tmp_path):
    path = tmp_path / "report"
    assert main(["--minutes", "0.01", "--only", "readings", "--json", str(path)]) == 0
    assert "readings" in capsys.readouterr().out
    assert json.loads(path.read_text())["mixed"]["kinds"][0]["kind"] == "readings"


def test_a_case_that_fails_gives_the_exit_code_and_a_name_that_is_none_is_refused(monkeypatch, capsys):
    def broken(n):
        expect(1.0, 2.0, "the number")
        yield "part"

    monkeypatch.setitem(SIZES, "broken", (broken, 10, 10))
    with pytest.raises(AssertionError, match="the number"):
        measure("broken")
    with pytest.raises(SystemExit):
        main(["--only", "brokken"])
    assert "there is no 'brokken'" in capsys.readouterr().err
