"""Feature sets: what a user writes in `features/<name>.py`, to ask streams and queries at the moments of labels.

    FeatureSet(name="bikes_station", stream="bikes", key=("start_station_id",),
               windows={"1h": timedelta(hours=1), "7d": timedelta(days=7)},
               aggregates={"trips": agg("count"), "mean_trip_s": agg("mean", "trip_duration_s")},
               latest={"demand": latest("bikes_demand", "trips", at_most=timedelta(hours=3))})

A label is a key and a time T. A feature `trips_1h` covers the events of the key that start in (T − 1 h, T]: as known,
those of them that had arrived by T; as true, all.
"""

import re
from dataclasses import dataclass, field
from datetime import timedelta

from windrow.schemas.query import Aggregate, Query, rolling
from windrow.schemas.windows import require, require_duration

KNOWN, TRUE, BOTH = "known", "true", "both"
"""What features are made of: what had arrived by a label's time, what ever arrived, or both side by side."""
SUFFIX = {KNOWN: "", TRUE: "_true"}
"""Behind a feature's name: no feature that knows the future has the name of one that doesn't."""


def knowledges(asked: str) -> tuple[str, ...]:
    """KNOWN and TRUE, or one of them. WrongParameter."""
    require(asked in (KNOWN, TRUE, BOTH), "knowledge", asked, f"{KNOWN}, {TRUE} or {BOTH}")
    return tuple(each for each in (KNOWN, TRUE) if asked in (each, BOTH))


_NAME, _WINDOW = re.compile(r"[a-z][a-z0-9_]*\Z"), re.compile(r"[a-z0-9_]+\Z")
AGE_S = "age_s"


@dataclass(frozen=True)
class Latest:
    """The newest row of a published query; made by `latest`."""

    query: str
    columns: tuple[str, ...] = ()
    at_most: timedelta | None = None

    def __post_init__(self) -> None:
        require(isinstance(self.query, str), "query", self.query, "the name of a query")
        is_list = all(isinstance(each, str) for each in self.columns) and len({*self.columns}) == len(self.columns)
        require(
            bool(self.columns) and is_list, "columns", self.columns, "names of columns of the query's table, each once"
        )
        if self.at_most is not None:
            require_duration("at_most", self.at_most)


def latest(query: str, *columns: str, at_most: timedelta | None = None) -> Latest:
    """The row of a query's newest window that was known at T, in these columns; and its age, T − window_end, 0 for a
    window that ends later. Null where the row is older than at_most."""
    return Latest(query, columns, at_most)


@dataclass(frozen=True)
class FeatureSet:
    """Features of the keys of one stream. windows: lengths by name. where: a condition on all events, as of a Query.
    latest: rows of queries whose keys are among the key's columns, by name."""

    name: str
    stream: str
    key: tuple[str, ...]
    windows: dict[str, timedelta]
    aggregates: dict[str, Aggregate]
    where: str | tuple[tuple[str, str, object], ...] = ()
    latest: dict[str, Latest] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(isinstance(self.windows, dict), "windows", self.windows, 'a dict such as {"1h": timedelta(hours=1)}')
        for name, size in self.windows.items():
            is_name = isinstance(name, str) and bool(_WINDOW.match(name))
            require(is_name, "windows", name, "a name of lower-case letters, digits and _, such as '7d'")
            longer = isinstance(size, timedelta) and size > timedelta(0)
            require(longer, f"windows[{name!r}]", size, "a timedelta above 0")
        require(isinstance(self.latest, dict), "latest", self.latest, "a dict of names and latest(…)")
        for name, each in self.latest.items():
            is_name = isinstance(name, str) and bool(_NAME.match(name))
            require(is_name, "latest", name, "a name of lower-case letters, digits and _")
            require(isinstance(each, Latest), f"latest[{name!r}]", each, 'latest("query", "column", …)')
        is_whole = bool(self.windows) == bool(self.aggregates) and bool(self.windows or self.latest)
        require(is_whole, "aggregates", self.aggregates, "aggregates and windows together, or latest alone")
        _ = self.query  # which checks the rest
        names = [*self.key, *self.columns(BOTH)]
        twice = sorted({each for each in names if names.count(each) > 1})
        require(
            not twice, "names of features", ", ".join(twice), "each only once; name windows or aggregates otherwise"
        )

    @property
    def query(self) -> Query:
        """The aggregates as a query has them; its window is the longest."""
        longest = max(self.windows.values(), default=timedelta(microseconds=1))
        nothing = timedelta(0)
        return Query(
            self.name, self.stream, self.key, rolling(longest), self.aggregates, nothing, nothing, where=self.where
        )

    @property
    def asked_queries(self) -> tuple[str, ...]:
        """Those whose rows `latest` asks, each once."""
        return tuple(sorted({each.query for each in self.latest.values()}))

    def columns(self, knowledge: str = KNOWN) -> list[str]:
        """Names of the features: of aggregates by window, then of rows of queries."""
        found = []
        for suffix in (SUFFIX[each] for each in knowledges(knowledge)):
            found += [f"{name}_{window}{suffix}" for window in self.windows for name in self.aggregates]
            for name, each in self.latest.items():
                found += [f"{name}_{column}{suffix}" for column in (*each.columns, AGE_S)]
        return found
