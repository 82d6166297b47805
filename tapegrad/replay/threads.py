"""Threads that are kept from call to call: for batches, and to compile beside the calls."""
import atexit
import contextlib
import os
from collections import deque

_pools: dict = {}                            # by what they are for


def _pool(purpose, count=1):
    """An executor with at least so many threads. What still waits when Python ends is not begun."""
    from concurrent.futures import ThreadPoolExecutor
    found = _pools.get(purpose)
    if found is None or found[0] < count:
        found = _pools[purpose] = count, ThreadPoolExecutor(count, f"tapegrad-{purpose}")
    return found[1]


def beside(function, *arguments):
    """Calls a function in another thread; where none can be started, for want of memory, once one is."""
    with contextlib.suppress(RuntimeError):
        _pool("compile").submit(function, *arguments)


def side_by_side(function, parts):
    """What a function gives for each of several tuples of arguments, a list; each in a thread of its own, as far as there are
    any: the others are done by those."""
    waiting, results = deque(enumerate(parts)), [None] * len(parts)

    def work():
        while waiting:
            try:
                k, arguments = waiting.popleft()
            except IndexError:               # another thread was faster
                return
            results[k] = function(*arguments)
    futures = []
    try:
        with contextlib.suppress(RuntimeError):          # no memory for a thread
            for _ in range(len(parts) - 1):
                futures.append(_pool("batch", len(parts)).submit(work))
        work()
    finally:
        waiting.clear()                      # after an interrupt: nothing more is begun
    for future in futures:
        if not future.cancel():              # it has begun
            future.result()
    return results


@atexit.register
def _shut_down():
    for _, executor in _pools.values():
        executor.shutdown(cancel_futures=True)
def processors():
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):     # Linux; not macOS, nor Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def most():
    """How many threads a batch may use: NUMBA_NUM_THREADS, or as many as there are processors for this process."""
    given = os.environ.get("NUMBA_NUM_THREADS", "")
    return int(given) if given.strip().isdigit() and int(given) > 0 else processors()


if hasattr(os, "register_at_fork"):          # a forked process has none of them
    os.register_at_fork(after_in_child=_pools.clear)
