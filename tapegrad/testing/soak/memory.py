"""What a process holds: resident memory, blocks of Python's allocator, and the library's own pools."""
import ctypes
import gc
import os
import sys

from ...buffers import pool
from ...tape import _open

try:
    import resource
except ImportError:                          # Windows
    resource = None

_UNIT = 1 if sys.platform == "darwin" else 1024          # of ru_maxrss


def resident():
    """Bytes of resident memory; where the system does not say, the most that it was; 0 where it says nothing."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak()


def peak():
    """The most bytes of resident memory that this process had; 0 where the system does not say."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT if resource else 0


def settle():
    """Frees what is in no use, so that what stays is in use."""
    gc.collect()
    pool.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)     # glibc keeps what was freed
    except (AttributeError, OSError, TypeError):
        pass


def blocks():
    """Blocks of Python's allocator, about one for each object."""
    return sys.getallocatedblocks()


def pooled():
    """The library's pools: bytes of arrays, sets of buffers, and tapes that are open."""
    return pool.bytes, sum(map(len, pool.buffers.values())), len(_open)
