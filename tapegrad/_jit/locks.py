"""Locks that outlive a fork, and compilation that signals wait for.

A forked process has one thread. What another one had locked is free there again, and compilers, whose state no other process
could go on from, are not forked in the middle: a fork waits for the compilation that is going on.
"""
import importlib
import os
import signal
import threading
from contextlib import contextmanager

from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from ..weak import WeakSet

_locks = WeakSet()
_imported: dict = {}


def lock(reentrant=False):
    """A lock that is free in a forked process, unless it is a reentrant one that the thread which forked holds."""
    made = threading.RLock() if reentrant else threading.Lock()
    _locks.add(made)
    return made


def imported(name):
    """A module that is imported when it is first needed. A fork waits for that, as a forked process would for ever for a module
    that another thread was importing."""
    module = _imported.get(name)
    if module is None:
        with global_compiler_lock:           # which a fork takes
            module = _imported[name] = importlib.import_module(name)
    return module


def _before_fork():
    global_compiler_lock.acquire()
    ffi.lib._lock.__enter__()                # LLVM's, which its binding takes for each call


def _after_fork():
    ffi.lib._lock.__exit__(None, None, None)
    global_compiler_lock.release()


def _in_child():
    for one in _locks:
        if one.acquire(blocking=False):
            one.release()
        else:
            one._at_fork_reinit()
    _after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)


@contextmanager
def uninterrupted():
    """What Python's handlers of signals would do, which may be to raise, they do afterwards. LLVM calls Python, and an exception
    there would be printed and lost."""
    if threading.current_thread() is not threading.main_thread():        # which alone handles signals
        yield
        return
    handlers = {number: handler for number in signal.valid_signals() if callable(handler := signal.getsignal(number))}
    came: list = []
    try:
        for number in handlers:
            signal.signal(number, lambda *given: came.append(given))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in came:
            handlers[number](number, frame)
