"""What came out: comparisons and refusals, counted by way, and faults."""
from collections import Counter
from typing import NamedTuple


class Fault(NamedTuple):
    """A way that gave something else than it should, or raised: what was asked of it, what it gave, and lines that show it after
    the program."""
    way: str
    what: str
    said: str
    script: str = ""

    @property
    def key(self):
        """Faults of the same key are taken for the same while a program shrinks."""
        return self.way, self.what


class Count:
    """Comparisons by (kind, way), those that an error estimate skipped, and reasons for which a way refused."""

    def __init__(self):
        self.programs, self.compared, self.skipped = Counter(), Counter(), Counter()
        self.refused, self.reasons, self.unrun = Counter(), Counter(), Counter()

    def of(self, kind):
        return Counted(self, kind)

    def as_dict(self):
        """For JSON."""
        def nested(counter):
            found = {}
            for (kind, way), n in sorted(counter.items()):
                found.setdefault(kind, {})[way] = n
            return found
        return {"programs": dict(self.programs), "compared": nested(self.compared), "skipped": nested(self.skipped),
                "refused": nested(self.refused), "unrun": dict(self.unrun),
                "reasons": {f"{way}: {why}": n for (way, why), n in self.reasons.most_common()}}

    def table(self):
        """The same as text."""
        lines = []
        for kind, programs in sorted(self.programs.items()):
            lines.append(f"{kind}: {programs} programs, {self.unrun[kind]} of them compared in no way")
            ways = [way for k, way in (*self.compared, *self.refused, *self.skipped) if k == kind]
            for way in dict.fromkeys(ways):
                key, line = (kind, way), f"  {way:<28} {self.compared[kind, way]:>8} comparisons"
                if self.skipped[key]:
                    line += f", {self.skipped[key]} skipped by error estimates"
                if self.refused[key]:
                    line += f", refused {self.refused[key]} programs ({100 * self.refused[key] / programs:.0f}%)"
                lines.append(line)
        lines += [f"refused by {way}, {n} times: {why}" for (way, why), n in self.reasons.most_common(12)]
        return "\n".join(lines)


class Counted:
    """The counts of one kind."""

    def __init__(self, count, kind):
        self._count, self._kind, self.any = count, kind, False

    def compared(self, way, n=1):
        self._count.compared[self._kind, way] += n
        self.any = True

    def skipped(self, way):
        self._count.skipped[self._kind, way] += 1

    def refused(self, way, why):
        self._count.refused[self._kind, way] += 1
        self._count.reasons[way, why.split(":")[0][:110]] += 1
