"""Sets that don't keep alive what is in them."""
from weakref import ref


class WeakSet:
    """As that of `weakref`, for what is compared by identity. What dies leaves it without a step of Python code, in which an
    interrupt that comes just then would be printed and lost."""
    __slots__ = ("_known",)

    def __init__(self):
        self._known = set()

    def add(self, thing):
        known = self._known
        known.add(ref(thing, known.discard))

    def __iter__(self):
        return iter([thing for one in list(self._known) if (thing := one()) is not None])

    def __len__(self):
        return sum(1 for _ in self)
