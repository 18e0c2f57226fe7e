"""Plain Python answers that share no code with kernels/: a sorted list of events, aggregates from scratch."""

from fractions import Fraction

FUNCTIONS = {
    "count": len,
    "sum": lambda values: sum(values) if values else None,
    "min": lambda values: min(values, default=None),
    "max": lambda values: max(values, default=None),
    "mean": lambda values: float(sum(map(Fraction, values)) / len(values)) if values else None,
}


class PlainWindow:
    """The contract of an aggregator over one column, with values of equal times kept in order of insertion."""

    def __init__(self, functions: list[str]):
        self.functions = functions
        self.entries: dict[int, list] = {}

    def insert(self, t: int, v) -> None:
        self.entries.setdefault(t, []).append(v)

    def bulk_insert(self, ts, vs) -> None:
        for t, v in zip(ts, vs, strict=True):
            self.insert(t, v)

    def evict(self, t: int) -> bool:
        return self.entries.pop(t, None) is not None

    def bulk_evict(self, t: int) -> None:
        self.entries = {time: values for time, values in self.entries.items() if time > t}

    def query(self) -> tuple:
        return self.aggregates(list(self.entries))

    def range_query(self, lo: int, hi: int) -> tuple:
        return self.aggregates([time for time in self.entries if lo <= time < hi])

    def aggregates(self, times: list[int]) -> tuple:
        events = [value for time in sorted(times) for value in self.entries[time]]
        values = [value for value in events if value is not None]
        return tuple(len(events) if name == "count" else FUNCTIONS[name](values) for name in self.functions)

    def oldest(self) -> int | None:
        return min(self.entries, default=None)

    def youngest(self) -> int | None:
        return max(self.entries, default=None)

    def __len__(self) -> int:
        return len(self.entries)
