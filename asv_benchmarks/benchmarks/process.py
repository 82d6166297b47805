"""What the operating system says of this process."""

import gc
from pathlib import Path

_SMAPS = Path("/proc/self/smaps_rollup")


def skip_unless_measurable():
    """For `setup`: asv leaves out a benchmark whose setup raises NotImplementedError."""
    if not _SMAPS.exists():
        raise NotImplementedError("resident memory is read from /proc")


def resident_kib():
    gc.collect()
    return next(int(line.split()[1]) for line in _SMAPS.read_text().splitlines() if line.startswith("Rss:"))
