"""Progress bars: on a terminal, of long calls, one at a time, and gone when the call is over."""

import importlib
import io
import os
import sys
import threading
import time
import types

import numpy as np
import pytest

import tapegrad as tg
from tapegrad import progress


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Standard error as a terminal, without tqdm, where every call is long."""

    def missing(name, *rest):
        if name == "tqdm":
            raise ImportError(name)
        return load(name, *rest)

    load = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", missing)
    on(stream := Terminal(), monkeypatch)
    monkeypatch.setattr(progress, "INTERVAL", 0.001)
    return stream


def on(stream, monkeypatch):
    """Lets bars be drawn there at once. pytest sets sys.stderr anew for each phase of a test, so that module's is set."""
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=stream))
    monkeypatch.setattr(progress, "DELAY", 0.0)


def wait_for(stream, text):
    """Waits until the bar has drawn it, at most some while."""
    for _ in range(20_000):
        if text in stream.getvalue():
            return True
        time.sleep(0.001)
    return False


def test_a_bar_is_drawn_and_taken_away(terminal):
    with progress.bar("fit", 4, "points", said=lambda: "best 0.5") as shown:
        shown.done = 1
        assert wait_for(terminal, "fit 1 of 4 points: best 0.5 [#####...............]  25 %, ")
        assert " left" in terminal.getvalue()
    last = terminal.getvalue()
    assert last.endswith("\r") and set(last.split("\r")[-2]) == {" "}
    time.sleep(0.02)
    assert terminal.getvalue() == last


def test_what_has_no_total(terminal):
    with progress.bar("search", said=lambda: "12 evaluations"):
        assert wait_for(terminal, "search: 12 evaluations, 0.")


def test_the_line_says_how_long(monkeypatch):
    shown = progress.Bar("fit", 8, "", None, 1.0)
    shown.done = 2
    assert shown.line(150.0) == "fit 2 of 8 [#####...............]  25 %, 2:30 min, 7:30 min left"
    shown.done = 9
    assert shown.line(7322.0).endswith("100 %, 2:02:02 h")


def test_a_short_call_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 60.0)
    with progress.bar("short", 2) as shown:
        shown.done = 1
        time.sleep(0.02)
    assert terminal.getvalue() == ""


def test_no_terminal_no_bar_no_thread(monkeypatch):
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=stream))
        assert progress.bar("fit", 3, wanted=True) is progress._HIDDEN
    with progress.bar("fit") as shown:
        shown.done = 3


def test_bars_can_be_switched_off(terminal):
    with tg.set_progress(False):
        assert progress.bar("fit") is progress._HIDDEN
        assert progress.bar("fit", wanted=True) is not progress._HIDDEN
    assert progress.bar("fit", wanted=False) is progress._HIDDEN
    assert progress.bar("fit") is not progress._HIDDEN
    switch = tg.set_progress(False)
    try:
        assert progress.bar("fit") is progress._HIDDEN
    finally:
        switch.__exit__()
    assert [progress.is_on({"TAPEGRAD_PROGRESS": value}) for value in ("0", " Off", "1", "")] == [False, False, True, True]
    assert progress.is_on({})


def test_the_outermost_shows(terminal):
    with progress.bar("outer") as outer:
        assert progress.bar("inner") is progress._HIDDEN
        assert wait_for(terminal, "outer")
    assert outer is not progress._HIDDEN
    assert progress.bar("next") is not progress._HIDDEN


def test_of_two_threads_the_older_shows(terminal):
    inside, done = threading.Event(), threading.Event()

    def other():
        with progress.bar("younger"):
            inside.set()
            done.wait(60)

    thread = threading.Thread(target=other)
    with progress.bar("older"):
        thread.start()
        assert inside.wait(60)
        assert wait_for(terminal, "older")
        assert "younger" not in terminal.getvalue()
    assert wait_for(terminal, "younger")
    done.set()
    thread.join(60)
    assert not progress._bars


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_exception_takes_the_bar_away(terminal, kind):
    def fails():
        with progress.bar("fit"):
            assert wait_for(terminal, "fit")
            raise kind

    with pytest.raises(kind):
        fails()
    assert terminal.getvalue().endswith("\r")
    assert not progress._bars
    assert progress.bar("fit") is not progress._HIDDEN


def test_a_bar_that_can_not_be_drawn_is_let_go(terminal):
    def said():
        raise ZeroDivisionError

    with progress.bar("fit", said=said):
        for _ in range(20_000):
            if not progress._bars:
                break
            time.sleep(0.001)
        assert not progress._bars


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-?threaded.*")        # other libraries, where they are imported
def test_a_child_process_has_no_bars(terminal):
    with progress.bar("parent"):
        child = os.fork() if sys.version_info < (3, 12) else None
        if child == 0:
            os._exit(0 if not progress._bars and progress._thread is None else 1)
        if child is not None:
            assert os.waitpid(child, 0)[1] == 0


def test_tqdm_draws_where_it_is_installed(monkeypatch):
    pytest.importorskip("tqdm")
    on(stream := Terminal(), monkeypatch)
    with progress.bar("fit", 4, "points", said=lambda: "best 0.5") as shown:
        shown.done = 2
        assert wait_for(stream, "fit:  50%")
        assert "2/4 points" in stream.getvalue() and "best 0.5" in stream.getvalue()


# The calls that have one ------------------------------------------------------------------------------------------------


def slow(x):
    """The square, which takes until a bar has shown."""
    if progress._bars:
        wait_for(progress.sys.stderr, "\r")
    return (x**2).sum()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tg.optimize.minimize(slow, np.ones(2)), "minimize: "),
        (lambda: tg.optimize.minimize_scalar(slow), "minimize_scalar: "),
        (lambda: tg.optimize.least_squares(lambda x: slow(x) * x, np.ones(2)), "least_squares: "),
        (lambda: tg.optimize.curve_fit(lambda t, a: a * t + 0.0 * slow(a), np.arange(3.0), np.arange(3.0)), "curve_fit: "),
        (lambda: tg.optimize.root(lambda x: x * slow(x) - 8.0, np.ones(1)), "root: "),
        (lambda: tg.optimize.root_scalar(lambda x: slow(x) - 1.0, x0=2.0), "root_scalar: "),
        (lambda: tg.vmap(slow)(np.ones((3, 2))), "vmap 0 of 3 samples [....................]   0 %, 0.0 s"),
        (lambda: tg.odeint(lambda y, t: -y * slow(y), np.ones(1), [0.0, 1.0]), "odeint "),
    ],
    ids=["minimize", "minimize_scalar", "least_squares", "curve_fit", "root", "root_scalar", "vmap", "odeint"],
)
def test_long_calls_have_bars(terminal, call, text):
    call()
    assert text in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")


def test_vmap_is_told_not_to(terminal):
    tg.vmap(lambda x: x * 2, progress=False)(np.ones(3))
    assert terminal.getvalue() == ""


def test_the_switch_takes_true_or_false():
    with pytest.raises(TypeError, match="True or False, not 'off'"):
        tg.set_progress("off")
