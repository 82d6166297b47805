"""Runs kinds in turn, and measures what they take and what they leave."""
import functools
import time
import warnings
from array import array

import numpy as np

from ...progress import bar
from . import memory

SLICE = 0.25                                 # seconds that a kind runs until the next one does
WARM = 1 / 6                                 # of the time, after which caches and pools are as full as they get
MOST_BYTES = 48 << 20                        # of resident memory that may come after that: an hour does millions of rounds
MOST_BLOCKS = 20_000                         # of Python's allocator
SLOWER = 2.0                                 # times the first quarter's time for a round, which the machine's noise stays below
EXPECTED = "compile forgets what it recorded"            # more signatures than are kept are what one of the kinds is for
SAMPLED = "seconds", "resident", "blocks", "pooled_bytes", "pooled_buffers", "open_tapes"
ENOUGH = 8                                   # slices of each kind at least, and of warm ones whose quarters are compared


class Row:
    """What is known of one kind: its slices, as (rounds, seconds of processors, bytes that came, blocks that came)."""

    def __init__(self, name, once):
        self.name, self.once, self.first = name, once, 0
        self._numbers = array("d")           # one block of memory, however many slices there are

    @property
    def slices(self):
        return np.array(self._numbers).reshape(-1, 4)

    def run(self, seconds):
        """Rounds for a while, one at least."""
        count, size, blocks, begin, took = 0, memory.resident(), memory.blocks(), time.perf_counter(), time.process_time()
        while not count or time.perf_counter() - begin < seconds:
            self.once()
            count += 1
        took = time.process_time() - took    # which other programs on the machine have no part in
        self._numbers.extend((count, took, memory.resident() - size, memory.blocks() - blocks))

    def summary(self):
        """A dictionary of what the table shows."""
        rounds, seconds, *_ = self.slices.sum(0)
        warm = self.slices[min(self.first, len(self.slices) - 1):]
        growth, blocks = 1000 * warm[:, 2:].sum(0) / warm[:, 0].sum()
        quarter, speeds = len(warm) // 4, warm[:, 1] / warm[:, 0]
        early, late = [float(np.percentile(part, 25)) if len(warm) >= ENOUGH else None
                       for part in (speeds[:quarter], speeds[-quarter:])]
        return {"kind": self.name, "rounds": int(rounds), "seconds": float(seconds), "bytes_per_1000": float(growth),
                "blocks_per_1000": float(blocks), "first_quarter": early, "last_quarter": late}


def soak(kinds, seconds, seed=0, progress=None):
    """Runs `kinds`, by name, in turn for so many seconds; gives a report. The first round of each comes before: it compiles.

    The report is a dictionary: ``kinds``, a summary for each; ``warm`` and ``end``, (bytes of resident memory, blocks), the
    medians of the first and the last quarter of the time after everything had run for a while; ``samples``, the same and the
    pools' sizes by time; ``wrong``, what was wrong, in words. Warnings are errors meanwhile: a function that falls back to
    running eagerly would be no test of replay. `progress`: whether a bar shows on a terminal, None for what `set_progress` says.
    """
    rows = [Row(name, make(np.random.default_rng([seed, k]))) for k, (name, make) in enumerate(kinds.items())]
    begin, passed, samples, warm, wrong = None, 0.0, array("d"), 0, []
    with warnings.catch_warnings(), bar("soaking", seconds, "s", progress) as shown:
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", EXPECTED)
        while (passed < seconds or len(rows[-1].slices) < ENOUGH) and not wrong:
            for row in rows:
                shown.said = functools.partial(str, row.name)
                try:
                    row.run(0.0 if begin is None else min(SLICE, seconds / 8 / len(rows)))
                except Exception as error:
                    wrong.append(f"{row.name}, after {row.slices[:, 0].sum():.0f} rounds: {type(error).__name__}: {error}")
                    break
            begin = begin or time.perf_counter()
            shown.done = passed = time.perf_counter() - begin
            samples.extend((passed, memory.resident(), memory.blocks(), *memory.pooled()))
            if not warm and (passed >= WARM * seconds or wrong):
                warm = len(samples)
                for row in rows:
                    row.first = len(row.slices)
    known = np.array(samples).reshape(-1, len(SAMPLED))
    later = known[min(warm // len(SAMPLED), len(known) - 1):, 1:3]       # caches fill and empty: one look says little
    quarter = (len(later) + 3) // 4
    early, late = (np.median(part, 0).astype(int).tolist() for part in (later[:quarter], later[-quarter:]))
    return {"kinds": [row.summary() for row in rows if len(row.slices)], "warm": early, "end": late,
            "samples": [dict(zip(SAMPLED, sample)) for sample in known.tolist()], "wrong": wrong}


def faults_of(report, bounded=True):
    """What is wrong with a report, in words: answers, and where it is `bounded` memory that grew and kinds that slowed down."""
    wrong = list(report["wrong"])
    if bounded:
        # the middles of two quarters are three quarters of the time apart
        size, blocks = (4 * (end - warm) // 3 for warm, end in zip(report["warm"], report["end"]))
        if size > MOST_BYTES:
            wrong.append(f"resident memory grew by {size / 1e6:.1f} MB, of which {MOST_BYTES / 1e6:.1f} are allowed")
        if blocks > MOST_BLOCKS:
            wrong.append(f"{blocks} blocks of Python's allocator came, of which {MOST_BLOCKS} are allowed")
        for row in report["kinds"]:
            if row["first_quarter"] and row["last_quarter"] > SLOWER * row["first_quarter"]:
                wrong.append(f"{row['kind']} slowed down from {1e3 * row['first_quarter']:.3g} to "
                             f"{1e3 * row['last_quarter']:.3g} ms a round")
    return wrong
