"""How the quick check of speed decides, without a clock: asv_benchmarks/quick_check.py."""

import importlib.util
import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "asv_benchmarks"


@pytest.fixture(scope="module")
def check():
    if not FOLDER.exists():
        pytest.skip("the benchmarks are not here")
    spec = importlib.util.spec_from_file_location("quick_check", FOLDER / "quick_check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCES = {"recording": 1.2, "native": 0.5}


def runs(check, *factors, limit=None):
    """What is decided where processes measure so many times the references, one after the other."""
    left = list(factors)

    def measure():
        return {name: ratio * factor for (name, ratio), factor in zip(REFERENCES.items(), left.pop(0))}

    lines, count = check.check(measure, REFERENCES, limit or check.LIMIT)
    return [name for name, *_, kept in lines if not kept], count


def test_one_process_is_enough_where_all_is_well(check):
    assert runs(check, (1.0, 1.1)) == ([], 1)


def test_noise_is_measured_again(check):
    assert runs(check, (1.5, 1.0), (1.0, 1.5)) == ([], 2)


def test_a_regression_is_in_all_processes(check):
    assert runs(check, *[(1.3, 1.0)] * 4) == (["recording"], 4)
    assert runs(check, (1.0, 1.4), (1.0, 1.26), (1.1, 1.33), (1.0, 1.3)) == (["native"], 4)


def test_the_limits_lie_between_noise_and_what_has_to_be_noticed(check):
    assert 1.1 < check.LIMIT < check.SLOWDOWN * 0.96 < check.WIDE


def test_references_are_of_this_machine_or_the_most_similar(check):
    known = {"icelake-server, Python 3.11": {"a": 1}, "znver4, Python 3.11": {"a": 2}}
    assert check.references(known, "znver4, Python 3.11") == ({"a": 2}, "znver4, Python 3.11", check.LIMIT)
    assert check.references(known, "znver3, Python 3.11") == ({"a": 2}, "znver4, Python 3.11", check.WIDE)


def test_references_of_other_measurements_are_refused(check):
    with pytest.raises(SystemExit, match="differ in machine, native: renew them, with --renew"):
        check.judged([{"recording": 1.0, "machine": 1.0}], REFERENCES, 1.15)


def test_the_table_says_ratio_reference_and_limit(check):
    text = check.table([("native", 0.7, 0.5, 0.575, False), ("recording", 1.2, 1.2, 1.38, True)])
    assert text.splitlines()[1].split() == ["native", "0.700", "0.500", "0.575", "1.40", "TOO", "SLOW"]
    assert text.splitlines()[2].split()[-1] == "ok"


def test_there_are_references_of_every_pair(check):
    known = json.loads(check.REFERENCES.read_text())
    assert known and len({tuple(sorted(ratios)) for ratios in known.values()}) == 1
    text = (FOLDER / "ratios.py").read_text()
    assert all(f'"{name}"' in text for ratios in known.values() for name in ratios)
