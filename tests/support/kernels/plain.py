"""Plain Python answers that share no code with kernels/: lists of events, aggregates from scratch, the gate's where it
knows them.

FUNCTIONS: name of an aggregate → what it is of (time, value, …) rows that hold no null, in order of (time, insertion).
"""

import math
from fractions import Fraction
from functools import partial

from tests.support.oracle.shares import aggregate_shares
from windrow.pipelines.gate.recount.plain.aggregates import AGGREGATES, OF_ROWS, aggregate
from windrow.schemas.query import agg

SECOND = 1_000_000  # µs
BY_EVENTS = {"median", "quantile", "mode", "top_k"}
"""Those that have no states."""


def by_the_gate(function, rows, **parameters):
    """A third column is, of what takes shares, that."""
    events = [dict(zip(("start", "value", "other"), row, strict=False)) for row in rows]
    columns = ("value", "other")[: len(rows[0]) - 1] if rows else ("value",)
    if function in ("count", "sum", "mean") and len(columns) == 2:
        return aggregate_shares(agg(function, "value"), events, [Fraction(event["other"]) for event in events])
    return aggregate(agg(function, *columns, **parameters), events)


def of_values(function):
    """An aggregate of the values alone, null over none."""

    def of_rows(rows, **parameters):
        return function([row[1] for row in rows], **parameters) if rows else None

    return of_rows


def product(values):
    exact = math.prod(map(Fraction, values))
    return int(exact) if isinstance(values[0], int) else nearest(exact)


def nearest(exact: Fraction) -> float:
    """Infinite where it is beyond float64."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def geometric_mean(values):
    if min(values) < 0:
        raise ValueError("a negative value")
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0


def rate(rows):
    if not rows or rows[0][0] == rows[-1][0]:
        return None
    (first_time, first), (last_time, last) = rows[0], rows[-1]
    return float((Fraction(last) - Fraction(first)) * SECOND / (last_time - first_time))


def quantile(values, q=0.5, k=128):
    return sorted(values)[max(math.ceil(q * len(values)), 1) - 1]


FUNCTIONS = {name: partial(by_the_gate, name) for name in {"count", *OF_ROWS, *AGGREGATES} - BY_EVENTS} | {
    "product": of_values(product),
    "geometric_mean": of_values(geometric_mean),
    "min_count": of_values(lambda values: values.count(min(values))),
    "max_count": of_values(lambda values: values.count(max(values))),
    "rate": rate,
    # What these are about; tests give them bounds.
    "bloom": lambda rows, contains=0, bits=1024, hashes=7: contains in [row[1] for row in rows],
    "approx_distinct": lambda rows, precision=10: len({row[1] for row in rows}),
    "approx_quantile": of_values(quantile),
}


def same(got: object, wanted: object) -> bool:
    """Whether two answers are equal, their floats but for rounding."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and got.keys() == wanted.keys() and all(same(got[at], wanted[at]) for at in wanted)
    if isinstance(wanted, list | tuple):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(wanted, float) and isinstance(got, float) and got != wanted:
        return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(got) and math.isnan(wanted))
    return bool(got == wanted)


def values_within(events: list[tuple], low: int, high: int) -> list:
    """Of events that last, (start, end, value), those that share a time with [low, high); a point lasts 1 µs."""
    return [value for start, end, value in events if start < high and max(end, start + 1) > low]


class PlainWindow:
    """The contract of an aggregator: events of equal times stay in order of insertion."""

    def __init__(self, aggregates):
        self.aggregates = aggregates
        self.columns = list(dict.fromkeys(column for each in aggregates.values() for column in each.columns))
        self.entries: dict[int, list[tuple]] = {}

    def insert(self, t, v=None):
        cells = (v,) if len(self.columns) == 1 else v or ()
        event = {"start": t, **dict(zip(self.columns, cells, strict=bool(self.columns)))}
        self.entries.setdefault(t, []).append(event)

    def bulk_insert(self, ts, vs):
        for t, v in zip(ts, vs, strict=True):
            self.insert(t, v)

    def evict(self, t):
        del self.entries[t]

    def bulk_evict(self, t):
        self.entries = {time: events for time, events in self.entries.items() if time > t}

    def query(self):
        return self._aggregated(self.entries)

    def range_query(self, lo, hi):
        return self._aggregated(time for time in self.entries if lo <= time < hi)

    def _aggregated(self, times):
        events = [event for time in sorted(times) for event in self.entries[time]]
        return {name: aggregate(each, events) for name, each in self.aggregates.items()}

    def oldest(self):
        return min(self.entries, default=None)

    def youngest(self):
        return max(self.entries, default=None)

    def __len__(self):
        return len(self.entries)
