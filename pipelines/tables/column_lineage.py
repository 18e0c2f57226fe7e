"""Which columns each column of the lake is made from, by the definitions alone.

bronze_bikes.text ─▶ silver_bikes.trip_duration_s ─▶ bikes_daily.mean_trip_duration_s
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from windrow.schemas import registry
from windrow.schemas.feature_set import AGE_S, SUFFIX, FeatureSet
from windrow.schemas.model import Model
from windrow.schemas.query import NOWCAST_FACTS, Query
from windrow.schemas.side_tables import lateness_name, nowcast_name, panes_name, state_name
from windrow.schemas.stream import Stream
from windrow.schemas.tables import EVENT_TIMES, READING

_EVENTS_OWN = (*(column.name for column in EVENT_TIMES), "path", "line", READING.name)
_OF_THE_FILE = {"path", "line"}
_WHERE_WINDOWS_ARE = {"window_start", "window_end", "window_number"}


class ColumnPlace(NamedTuple):
    """A column of a table."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


Sources = Mapping[ColumnPlace, Sequence[ColumnPlace]]


def sources(columns_of: Mapping[str, Iterable[str]]) -> Sources:
    """Of each column of these tables that is made from others, these. O(columns · queries)."""
    found: dict[ColumnPlace, list[ColumnPlace]] = {}
    for table, columns in columns_of.items():
        stream, query = registry.stream_of(table), registry.query_of(table)
        for column in columns:
            made_from = (
                _of_stream(stream, table, column)
                if stream
                else _of_query(registry.query(query), table, column)
                if query
                else []
            )
            found[ColumnPlace(table, column)] = made_from
    return {place: made_from for place, made_from in found.items() if made_from}


def features_sources(features: FeatureSet, table: str, columns: Iterable[str]) -> Sources:
    """Of the features among a table's columns; its labels come from elsewhere."""
    silver, found = f"silver_{features.stream}", dict[str, list[ColumnPlace]]()
    for suffix in SUFFIX.values():
        for name, aggregate in features.aggregates.items():
            read = [ColumnPlace(silver, each) for each in aggregate.read_columns or ("start",)]
            found |= {f"{name}_{window}{suffix}": read for window in features.windows}
        for name, asked in features.latest.items():
            read_of = {each: each for each in asked.columns} | {AGE_S: "window_end"}
            found |= {f"{name}_{each}{suffix}": [ColumnPlace(asked.query, of)] for each, of in read_of.items()}
    return {ColumnPlace(table, column): found[column] for column in columns if column in found}


def users(made_from: Sources) -> Sources:
    """The other way round: what is made from each column."""
    found = defaultdict(list)
    for place, of_place in made_from.items():
        for source in of_place:
            found[source].append(place)
    return found


def _of_stream(stream: Stream, table: str, column: str) -> list[ColumnPlace]:
    kind = table.removesuffix(f"_{stream.name}")
    silver = f"silver_{stream.name}"
    text = ColumnPlace(f"bronze_{stream.name}", "text")
    if kind in ("silver", "quarantine") and column in _OF_THE_FILE:
        return [text._replace(column=column)]
    if kind == "silver" and column == "bucket":
        return [ColumnPlace(table, name) for name in stream.key]
    if kind in ("silver", "pass", "partitions") and column in ("arrival_date", "tick"):
        return [ColumnPlace(silver, "arrival")]
    if column == "newest_start":
        return [ColumnPlace(silver, "start")]
    return [text] if kind in ("silver", "quarantine") and column not in ("definition", "records") else []


def _of_query(query: Query, table: str, column: str) -> list[ColumnPlace]:
    if table in (state_name(query.name), panes_name(query.name), lateness_name(query.name)):
        return []
    if column == "emitted_date":
        return [ColumnPlace(table, "emitted_at")]
    if table == nowcast_name(query.name):
        return [ColumnPlace(query.name, each) for each in _estimated_from(query, column)]
    silver = f"silver_{query.stream}"
    return [ColumnPlace(silver, each) for each in dict.fromkeys(_read(query, table, column))]


def _estimated_from(query: Query, column: str) -> Sequence[str]:
    """The columns of the query's table."""
    if column in NOWCAST_FACTS:
        return ("window_end", "emitted_at")
    return (column,) if column in (*query.key, *query.window_columns) else (column.rpartition("_")[0],)


def _read(query: Query, table: str, column: str) -> Sequence[str]:
    """The columns of silver."""
    lasting = any(window.longest_event_us is not None for window in query.every_window)
    times = ("start", "end") if lasting else ("start",)
    cutting = (*times, *(each for window in query.every_window for each in window.cutting_columns))
    is_late = table.removesuffix("_audit").endswith("_late")
    if column in query.key or (is_late and column in _EVENTS_OWN):
        return (column,)
    if column in query.aggregates:
        return query.aggregates[column].read_columns or times
    if column in query.name_column:
        return ()
    if column in _WHERE_WINDOWS_ARE:
        return cutting
    if column == "arrival_date":
        return ("arrival",)
    if column == "events":
        return (*cutting, *query.condition.columns)
    if is_late or column in query.window_columns:
        return (*cutting, "arrival")
    return query.function.columns if isinstance(query, Model) else ()
