"""Threads that are kept from call to call: for batches, and to compile beside the calls."""
import atexit
import os

_pools: dict = {}                            # by what they are for


def pool(purpose, count=1):
    """An executor with at least so many threads. What still waits when Python ends is not begun."""
    from concurrent.futures import ThreadPoolExecutor
    found = _pools.get(purpose)
    if found is None or found[0] < count:
        found = _pools[purpose] = count, ThreadPoolExecutor(count, f"tapegrad-{purpose}")
    return found[1]


@atexit.register
def _shut_down():
    for _, executor in _pools.values():
        executor.shutdown(cancel_futures=True)


def most():
    """How many threads a batch may use: NUMBA_NUM_THREADS, or as many as there are processors."""
    return int(os.environ.get("NUMBA_NUM_THREADS") or os.cpu_count() or 1)


if hasattr(os, "register_at_fork"):          # a forked process has none of them
    os.register_at_fork(after_in_child=_pools.clear)
