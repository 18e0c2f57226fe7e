"""Plain Python answers that share no code with kernels/: lists of events, aggregates from scratch.

FUNCTIONS: name of an aggregate → what it is of (time, value, …) rows that hold no null, in order of (time, insertion).
"""

import math
from fractions import Fraction

SECOND = 1_000_000  # µs


def of_values(function):
    """An aggregate of the values alone, null over none."""

    def of_rows(rows, **parameters):
        return function([row[1] for row in rows], **parameters) if rows else None

    return of_rows


def of_shares(of_values, of_parts):
    """The same with a third column, of shares: of the pairs of (value, share), exact."""

    def of_rows(rows):
        if rows and len(rows[0]) > 2:
            return of_parts([(Fraction(value), Fraction(share)) for _, value, share in rows])
        return of_values(rows)

    return of_rows


def sum_of_parts(pairs):
    return float(sum(value * share for value, share in pairs))


def mean_of_parts(pairs):
    return float(sum(value * share for value, share in pairs) / sum(share for _, share in pairs))


def mean(values):
    return float(sum(map(Fraction, values)) / len(values))


def product(values):
    exact = math.prod(map(Fraction, values))
    if isinstance(values[0], int):
        return int(exact)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def geometric_mean(values):
    if min(values) < 0:
        raise ValueError("a negative value")
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0


def variance(values, ddof=1):
    if len(values) <= ddof:
        return None
    middle = sum(map(Fraction, values)) / len(values)
    return float(sum((value - middle) ** 2 for value in map(Fraction, values)) / (len(values) - ddof))


def std(values, ddof=1):
    found = variance(values, ddof)
    return None if found is None else math.sqrt(found)


def where(best, rows):
    """Time, or second column, of the first row that has the best value."""
    if not rows:
        return None
    found = next(row for row in rows if row[1] == best(row[1] for row in rows))
    return found[2] if len(found) > 2 else found[0]


def rate(rows):
    if not rows or rows[0][0] == rows[-1][0]:
        return None
    (first_time, first), (last_time, last) = rows[0], rows[-1]
    return float((Fraction(last) - Fraction(first)) * SECOND / (last_time - first_time))


def runs(rows):
    """The runs of strictly increasing values, as lists of rows."""
    found = []
    for row in rows:
        if found and found[-1][-1][1] < row[1]:
            found[-1].append(row)
        else:
            found.append([row])
    return found


def longest_run(rows):
    return max(runs(rows), key=len, default=None)


def quantile(values, q=0.5, k=128):
    return sorted(values)[max(math.ceil(q * len(values)), 1) - 1]


FUNCTIONS = {
    "count": of_shares(len, lambda pairs: float(sum(share for _, share in pairs))),
    "sum": of_shares(of_values(sum), sum_of_parts),
    "fast_sum": of_values(sum),
    "min": of_values(min),
    "max": of_values(max),
    "mean": of_shares(of_values(mean), mean_of_parts),
    "product": of_values(product),
    "first": of_values(lambda values: values[0]),
    "last": of_values(lambda values: values[-1]),
    "any": of_values(any),
    "all": of_values(all),
    "geometric_mean": of_values(geometric_mean),
    "variance": of_values(variance),
    "std": of_values(std),
    "range": of_values(lambda values: max(values) - min(values)),
    "argmin": lambda rows: where(min, rows),
    "argmax": lambda rows: where(max, rows),
    "min_count": of_values(lambda values: values.count(min(values))),
    "max_count": of_values(lambda values: values.count(max(values))),
    "rate": rate,
    "longest_run": lambda rows: len(longest_run(rows)) if rows else None,
    "longest_run_start": lambda rows: longest_run(rows)[0][0] if rows else None,
    "longest_run_end": lambda rows: longest_run(rows)[-1][0] if rows else None,
    # What these are about; tests give them bounds.
    "bloom": lambda rows, contains=0, bits=1024, hashes=7: contains in [row[1] for row in rows],
    "approx_distinct": lambda rows, precision=10: len({row[1] for row in rows}),
    "approx_quantile": of_values(quantile),
}


class PlainWindow:
    """The contract of an aggregator: events of equal times stay in order of insertion."""

    def __init__(self, aggregates):
        self.aggregates = aggregates
        self.columns = list(dict.fromkeys(column for each in aggregates.values() for column in each.columns))
        self.entries: dict[int, list[tuple]] = {}

    def insert(self, t, v=None):
        cells = (v,) if len(self.columns) == 1 else v or ()
        self.entries.setdefault(t, []).append(dict(zip(self.columns, cells, strict=bool(self.columns))))

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
        events = [(time, event) for time in sorted(times) for event in self.entries[time]]
        return {name: self._one(each, events) for name, each in self.aggregates.items()}

    def _one(self, aggregate, events):
        rows = [(time, *(event[column] for column in aggregate.columns)) for time, event in events]
        rows = [row for row in rows if None not in row]
        return FUNCTIONS[aggregate.function](rows, **dict(aggregate.parameters))

    def oldest(self):
        return min(self.entries, default=None)

    def youngest(self):
        return max(self.entries, default=None)

    def __len__(self):
        return len(self.entries)
