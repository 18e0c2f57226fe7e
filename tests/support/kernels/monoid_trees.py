"""What the tests of both monoid trees share: aggregates, the oracle of slide policies, and their worked examples."""

import numpy as np

from kernels.aggregators import make
from kernels.aggregators._forest.check import ForestView
from kernels.runtime.memory import address_of
from kernels.runtime.struct import words_at
from schemas.query import agg
from tests.support.kernels.plain import FUNCTIONS, PlainWindow

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
        evicted = [place for place in range(1, len(times) + 1) if self.policy(total, self._aggregated(times[:place]))]
        if evicted:
            self.bulk_evict(times[evicted[-1] - 1])


def of_sums(limit):
    """Of numbers ≥ 0: what can go while at least `limit` is left."""
    return {"sum": agg("sum", "v"), "max": agg("max", "v")}, lambda total, prefix: total["sum"] - prefix["sum"] >= limit


def of_timestamps(width):
    """Updates younger than `width`, by the latest timestamp of the prefix (MTA listing 1)."""
    return {
        "last": agg("max", "v"),
        "events": agg("count"),
    }, lambda total, prefix: total["last"] - prefix["last"] >= width


def of_counts(size):
    """At least `size` events stay (MTA listing 3)."""
    return {
        "events": agg("count"),
        "last": agg("last", "v"),
    }, lambda total, prefix: total["events"] - prefix["events"] >= size


def before_the_maximum():
    """What lies before the maximum of the window goes (MTA §5.6)."""
    return {"max": agg("max", "v"), "events": agg("count")}, lambda total, prefix: prefix["max"] < total["max"]


class Watched:
    """A policy, and what it was asked. It is compiled, so it can't append to a list: it writes to memory."""

    MOST = 4000

    def __init__(self, policy):
        self._memory = np.zeros(1 + 2 * self.MOST, np.int64)
        address = address_of(self._memory)

        def watched(total, prefix):
            evicts, log = policy(total, prefix), words_at(address)
            log[1 + 2 * log[0]] = prefix["last"]
            log[2 + 2 * log[0]] = 1 if evicts else 0
            log[0] += 1
            return evicts

        self.policy = watched

    def asked(self) -> list[tuple[int, bool]]:
        """(the last value of the prefix, whether it goes) of each question since the last call."""
        asked = self._memory[1 : 1 + 2 * self._memory[0]].reshape(-1, 2).tolist()
        self._memory[0] = 0
        return [(last, bool(evicts)) for last, evicts in asked]


def filled(kernel, values, aggregates=SUM, **options):
    """A window of the values at times 1, 2, …"""
    window = make(kernel, aggregates, column_types=INT, **options)
    window.bulk_insert(range(1, len(values) + 1), list(values))
    return window


def view(window):
    """A window's forest, and its nodes."""
    return ForestView(window._address, window._plan)


def sum_of(node) -> int:
    """Of a node of SUM: its state is two words of the sum, and a count."""
    return node.state[0] * (1 << 32) + node.state[1]


def spoil(node) -> None:
    """Raise the low word of the sum."""
    node.state[1] += 1_000_000


def fig_2(kernel, **options):
    """Fig. 2: timestamps, of which those go that are 4 or more before the latest; → the window before 8 comes, and
    what its policy is asked."""
    aggregates, policy = of_timestamps(4)
    watched = Watched(policy)
    window = make(kernel, aggregates, column_types=INT, policy=watched.policy, **options)
    for time in range(-2, 5):
        window.insert(time, time)
    watched.asked()
    return window, watched
