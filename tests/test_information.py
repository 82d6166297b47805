"""``python -m tapegrad info`` and ``cache``."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import information
from tapegrad._jit import about
from tapegrad.replay import threads


def printed(capsys, *arguments):
    assert information.main(arguments) == 0
    return capsys.readouterr().out


def test_without_a_command_help_is_printed(capsys):
    text = printed(capsys)
    assert "usage: python -m tapegrad" in text and "info" in text and "cache" in text
    assert "tapegrad.testing.fuzz" in text and "tapegrad.testing.soak" in text


def test_the_text_says_what_the_json_says(capsys):
    found = json.loads(printed(capsys, "info", "--json"))
    assert found["versions"]["tapegrad"] == tg.__version__
    assert found["versions"]["numpy"] == np.__version__
    assert found["threads"]["processors"] == os.cpu_count()
    text = printed(capsys, "info")
    for title, facts in found.items():
        assert f"{title}:" in text
        for name in facts if isinstance(facts, dict) else ():
            assert name in text
    assert found["machine"]["processor"] in text


def test_a_new_process_says_what_its_environment_says(tmp_path):
    environment = {
        **os.environ,
        "TAPEGRAD_VECTOR_LIBRARY": "none",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "NUMBA_NUM_THREADS": "1",
        "NUMBA_DISABLE_JIT": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tapegrad", "info", "--json"], env=environment, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found["compiled code"]["vector library"].startswith("none, as TAPEGRAD_VECTOR_LIBRARY says")
    assert found["compiled code"]["machine code"].startswith("off, as NUMBA_DISABLE_JIT says")
    assert found["compiled code"]["direct calls"] == "no"
    assert {entry["of"] for entry in found["caches"]} == {"kernels", "machine code"}
    assert all(entry["folder"].startswith(str(tmp_path)) and entry["writable"] for entry in found["caches"])
    assert found["threads"]["batches"] == 1
    assert found["environment"]["TAPEGRAD_VECTOR_LIBRARY"] == "none"


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe that a process inherits")
def test_a_reader_that_closes_early_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "tapegrad", "info", "--json"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_machine_code_that_cannot_be_made_is_told(monkeypatch):
    def fails(*given):
        raise RuntimeError("no target")

    monkeypatch.setattr(about, "JIT", True)
    monkeypatch.setattr(about.code, "_compiled", fails)
    assert about.machine_code().endswith("stay with the interpreter: RuntimeError: no target")


def test_a_cache_is_listed_and_cleared(monkeypatch, capsys, tmp_path):
    kernels, code = tmp_path / "kernels", tmp_path / "code"
    kernels.mkdir(), code.mkdir()
    for path in (kernels / "tapegrad-add.nbi", kernels / "tapegrad-add.1.nbc", code / "0123"):
        path.write_bytes(b"x" * 500_000)
    (kernels / "other.nbi").write_bytes(b"y")
    monkeypatch.setattr(about, "kernel_folders", lambda: [kernels])
    monkeypatch.setattr(about, "code_folder", lambda: code)
    text = printed(capsys, "cache")
    assert f"kernels: 2 files, 1.0 MB, in {kernels}" in text
    assert f"machine code: 1 files, 0.5 MB, in {code}" in text
    assert printed(capsys, "cache", "--clear") == "removed 3 files, 1.5 MB\n"
    assert [path.name for path in kernels.iterdir()] == ["other.nbi"] and not list(code.iterdir())


def test_folders_that_cannot_be_written(monkeypatch, capsys, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert information.writable(tmp_path / "a" / "b")
    assert not information.writable(tmp_path / "file" / "folder")
    monkeypatch.setattr(about, "kernel_folders", list)
    monkeypatch.setattr(about, "code_folder", lambda: tmp_path / "file" / "folder")
    text = printed(capsys, "cache")
    assert "kernels: no folder can be written" in text and "NOT WRITABLE" in text


@pytest.mark.parametrize("given", ["", "0", "-1", "many"])
def test_threads_of_a_variable_that_says_no_number_are_those_of_the_processors(monkeypatch, given):
    monkeypatch.setenv("NUMBA_NUM_THREADS", given)
    assert threads.most() == threads.processors() >= 1
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert threads.most() == 3
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert threads.processors() == os.cpu_count()
