"""What the tests of both monoid trees share: aggregates, the oracle of slide policies, and their worked examples."""

from kernels.aggregators import make
from schemas.query import agg
from tests.kernels.plain import FUNCTIONS, PlainWindow

INT = {"v": "int64"}
SUM = {"sum": agg("sum", "v")}
ORDERED = {"last": agg("last", "v"), "events": agg("count"), "sum": agg("sum", "v")}
"""The last value doesn't commute."""
FUNCTIONS.setdefault("last", lambda rows: rows[-1][1] if rows else None)
KERNELS = ("monoid_tree", "amortized_monoid_tree")


class PlainPolicy(PlainWindow):
    """After each event, the longest prefix that the policy evicts goes; every prefix is asked about."""

    def __init__(self, aggregates, policy):
        super().__init__(aggregates)
        self.policy = policy

    def insert(self, t, v=None):
        super().insert(t, v)
        total, times = self.query(), sorted(self.entries)
        evicted = [place for place in range(1, len(times) + 1)
                   if self.policy(total, self._aggregated(times[:place]))]
        if evicted:
            self.bulk_evict(times[evicted[-1] - 1])


def of_sums(limit):
    """Of numbers ≥ 0: what can go while at least `limit` is left."""
    return {"sum": agg("sum", "v"), "max": agg("max", "v")}, \
        lambda total, prefix: total["sum"] - prefix["sum"] >= limit


def of_timestamps(width):
    """Updates younger than `width`, by the latest timestamp of the prefix (MTA listing 1)."""
    return {"last": agg("max", "v"), "events": agg("count")}, \
        lambda total, prefix: total["last"] - prefix["last"] >= width


def of_counts(size):
    """At least `size` events stay (MTA listing 3)."""
    return {"events": agg("count"), "last": agg("last", "v")}, \
        lambda total, prefix: total["events"] - prefix["events"] >= size


def before_the_maximum():
    """What lies before the maximum of the window goes (MTA §5.6)."""
    return {"max": agg("max", "v"), "events": agg("count")}, lambda total, prefix: prefix["max"] < total["max"]


def filled(kernel, values, aggregates=SUM, **options):
    """A window of the values at times 1, 2, …"""
    window = make(kernel, aggregates, column_types=INT, **options)
    window.bulk_insert(range(1, len(values) + 1), list(values))
    return window


def fig_2(kernel, **options):
    """Fig. 2: timestamps, of which those go that are 4 or more before the latest; → the window before 8 comes, and a
    list of the prefixes that the policy evicts."""
    aggregates, policy = of_timestamps(4)
    evicted = []

    def watched(total, prefix):
        evicts = policy(total, prefix)
        if evicts:
            evicted.append(prefix["last"])
        return evicts

    window = make(kernel, aggregates, column_types=INT, policy=watched, **options)
    for time in range(-2, 5):
        window.insert(time, time)
    evicted.clear()
    return window, evicted
