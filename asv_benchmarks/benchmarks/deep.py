"""A chain of a million operations: its time, and what a record takes in memory."""

from .common import chain, leaf
from .process import resident_kib, skip_unless_measurable

OPERATIONS = 1_000_000


class Deep:
    number, rounds, repeat, warmup_time, timeout = 1, 1, (1, 3, 30.0), 0, 300

    def setup(self):
        chain(leaf(), 1000).backward()

    def time_record_1000000_operations(self):
        self.y = chain(leaf(), OPERATIONS)

    def time_record_and_backward_1000000_operations(self):
        chain(leaf(), OPERATIONS).backward()

    def peakmem_record_and_backward_1000000_operations(self):
        chain(leaf(), OPERATIONS).backward()

    def teardown(self):
        self.y = None


class BytesARecord:
    """Resident memory that a chain takes while it is held, divided by its operations."""

    unit, timeout = "bytes", 300

    def setup(self):
        skip_unless_measurable()
        chain(leaf(), 1000).backward()

    def track_recorded(self):
        before = resident_kib()
        y = chain(leaf(), OPERATIONS)
        grown = resident_kib() - before
        del y
        return grown * 1024 / OPERATIONS

    def track_after_backward_with_retain_graph(self):
        before = resident_kib()
        y = chain(leaf(), OPERATIONS)
        y.backward(retain_graph=True)
        grown = resident_kib() - before
        del y
        return grown * 1024 / OPERATIONS
