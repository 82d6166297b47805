"""Progress bars of long calls: on a terminal, after a second, and never in the way of the work.

A call that may be long opens a bar and writes into its attribute `done` how far it is; nothing else happens on its way. A thread
looks at that a few times in a second, once the call has lasted for one, and draws: with tqdm if that is installed, otherwise a
line of its own. Where standard error is no terminal there is no bar and no thread. Of calls within calls the outermost shows.
"""
import atexit
import importlib
import os
import shutil
import sys
import threading
import time

DELAY = 1.0                                  # seconds until a call counts as long
INTERVAL = 0.15                              # seconds between two looks
WIDTH = 20                                   # characters of a bar that is a line of text
IDLE = 5.0                                   # seconds without a bar after which the thread ends


def is_on(environment):
    """What the environment says of progress bars."""
    return environment.get("TAPEGRAD_PROGRESS", "1").strip().lower() not in ("0", "off", "no", "false")


_wanted = is_on(os.environ)
_local = threading.local()
_bars: list = []                             # that are open, the oldest first: that one shows
_change = threading.Condition()
_thread: "threading.Thread | None" = None


class set_progress:
    """Switches progress bars on or off, for all threads, at once; as a context manager until its end.

    On, a call that takes longer than a second shows how far it is, where standard error is a terminal: the functions of
    ``tg.optimize``, ``vmap``, ``odeint``, sparse Jacobians and Hessians, and the programs among the examples. They are on unless
    the environment variable ``TAPEGRAD_PROGRESS`` is 0. Bars are drawn by tqdm if that is installed.

    >>> import tapegrad as tg
    >>> with tg.set_progress(False):
    ...     result = tg.optimize.minimize(lambda x: (x ** 2).sum(), [1.0, 2.0])
    """

    def __init__(self, mode):
        global _wanted
        if mode not in (True, False):
            raise TypeError(f"set_progress takes True or False, not {mode!r}")
        self._before, _wanted = _wanted, bool(mode)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        global _wanted
        _wanted = self._before


def bar(what, total=None, unit="", wanted=None, said=None, delay=None):
    """A bar, to be used as a context manager, with an attribute `done`.

    `what` is done, up to `total` in so many `unit`; without a total only what was done is told, and the time. `said`: a function
    without arguments that gives a text to stand beside it, and may set nothing. `wanted`: what the call was told, None for what
    :class:`set_progress` says. `delay`: seconds until it shows.
    """
    if not (_wanted if wanted is None else wanted) or getattr(_local, "inside", 0) or not _is_terminal():
        return _HIDDEN
    return Bar(what, total, unit, said, DELAY if delay is None else delay)


def _is_terminal():
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):     # there is none, or it is closed
        return False


class _Hidden:
    """A bar that nobody sees."""
    __slots__ = ()
    done = property(lambda self: 0, lambda self, value: None)
    said = property(lambda self: None, lambda self, value: None)

    def draw(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


_HIDDEN = _Hidden()


class Bar:
    """See bar."""
    __slots__ = ("begun", "delay", "done", "drawn", "said", "stream", "total", "tqdm", "unit", "what", "width")

    def __init__(self, what, total, unit, said, delay):
        self.what, self.total, self.unit, self.said, self.delay = what, total, unit, said, delay
        self.done, self.drawn, self.width, self.tqdm, self.stream = 0, False, 0, None, sys.stderr
        self.begun = 0.0

    def __enter__(self):
        self.begun = time.perf_counter()
        try:
            _local.inside = 1
            with _change:
                _bars.append(self)
                _ensure_thread()
                _change.notify()
        except BaseException:                # an interrupt
            self.__exit__(None)
            raise
        return self

    def __exit__(self, *_):
        _local.inside = 0
        with _change:
            if self in _bars:                # not in a child process
                _bars.remove(self)
            self._clear()

    def draw(self):
        """Draws it as it is now; the thread does so by itself."""
        with _change:
            self._draw()

    def _draw(self):
        if self.tqdm is None and not self.drawn:
            self.tqdm = _of_tqdm(self)
        self.drawn = True
        said = self.said() if self.said is not None else ""
        if self.tqdm is not None:
            self.tqdm.n = self.done
            self.tqdm.set_postfix_str(said, refresh=False)
            self.tqdm.refresh()
            return
        text = self.line(time.perf_counter() - self.begun, said)
        text = text[:shutil.get_terminal_size().columns - 1]
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def line(self, seconds, said=""):
        """The line of text, after so many seconds."""
        if not self.total:
            done = f"{self.done:.6g} {self.unit}".strip() if self.done else ""
            return f"{self.what}: {', '.join(filter(None, [done, said, _clock(seconds)]))}"
        share = min(max(self.done / self.total, 0.0), 1.0)
        drawn = f"[{'#' * round(WIDTH * share)}{'.' * (WIDTH - round(WIDTH * share))}] {100 * share:3.0f} %"
        left = f", {_clock(seconds / share - seconds)} left" if 0 < share < 1 else ""
        done = f"{self.done:.6g} of {self.total:.6g} {self.unit}".strip()
        return f"{self.what} {done}{f': {said}' if said else ''} {drawn}, {_clock(seconds)}{left}"

    def _clear(self):
        if not self.drawn:
            return
        try:
            if self.tqdm is not None:
                self.tqdm.close()
            else:
                self.stream.write("\r" + " " * self.width + "\r")
                self.stream.flush()
        except (OSError, ValueError):        # the terminal is gone
            pass


def _clock(seconds):
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d} h"


def _of_tqdm(bar):
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ImportError:
        return None
    form = "{desc}: {percentage:3.0f}%|{bar}| {n:.6g}/{total:.6g} {unit} [{elapsed}<{remaining}]{postfix}"
    if bar.total is None:
        form = "{desc}: [{elapsed}]{postfix}"
    made = tqdm(total=bar.total, desc=bar.what, unit=bar.unit, leave=False, file=bar.stream, bar_format=form)
    made.start_t -= time.perf_counter() - bar.begun
    return made


# The thread that looks ------------------------------------------------------------------------------------------------------

def _ensure_thread():
    global _thread
    if _thread is None:
        _thread = threading.Thread(target=_look, name="tapegrad progress", daemon=True)
        _thread.start()


def _look():
    global _thread
    while True:
        with _change:
            if not _bars and not _change.wait_for(lambda: _bars, IDLE):
                _thread = None
                return
            bar = _bars[0]
            due = bar.begun + bar.delay - time.perf_counter()
            if due <= 0:
                try:
                    bar._draw()
                except Exception:            # a terminal that is gone, a text that can't be made: it is only a bar
                    _bars.remove(bar)
        time.sleep(INTERVAL if due <= 0 else min(max(due, 0.01), INTERVAL))


def _forget():
    """In a child process: the thread and what it waits on are the parent's."""
    global _thread, _change
    _thread, _change = None, threading.Condition()
    _bars.clear()
    _local.inside = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(_bars.clear)


__all__ = ["bar", "set_progress"]
