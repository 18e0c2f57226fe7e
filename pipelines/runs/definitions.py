"""What a replay needs of a query beyond what its file can say alone (schemas/validation.py): aggregates that there are,
for columns of these types; windows that kernels serve and the gate counts again. A run asks it of its query,
`windrow check` of all.

And of a day: that there is anything to replay. Before a stream's first arrival and after its newest no run can make a
row. A day between them that has no arrivals keeps its run: that is stale when a late file brings it some. Of a stream
with heartbeats a day after the newest arrival can have rows too, once it is over."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa

from windrow.kernels.farm import functions as heavy_functions
from windrow.kernels.monoids import functions
from windrow.kernels.runtime.cache import AGGREGATES
from windrow.kernels.trial import try_aggregate
from windrow.pipelines.delta.day_files import by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.features.feature_columns import feature_table
from windrow.pipelines.gate.recount.kinds import refuse_unrecounted
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.promises import Judgement
from windrow.pipelines.replay.heavy_function import require_served
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables, plan_aggregates
from windrow.schemas import dag_settings, registry
from windrow.schemas.errors import NothingArrived, UnknownName, WindrowError, WrongParameter
from windrow.schemas.feature_set import BOTH
from windrow.schemas.mistakes import file_of, placed
from windrow.schemas.model import Model
from windrow.schemas.project import FILE
from windrow.schemas.query import Query
from windrow.schemas.stream import Stream


def tables_of(query_name: str) -> QueryTables:
    """The query's tables. UnknownName, BrokenDefinition, or with file and line NotServed and WrongParameter for its
    aggregates."""
    query = registry.query(query_name)
    with _placed(query):
        return QueryTables.of(query)


def served(tables: QueryTables) -> list[ServedQuery]:
    """The query as kernels serve it, once for each of its windows. NotServed, NotRecounted and WrongParameter, with
    file and line."""
    query, columns = tables.query, tables.source.stream.columns
    with _placed(query):
        parts = ServedQuery.parts_of(query)
        for each in parts:
            refuse_unrecounted(each.query.window)
        plan = plan_aggregates(parts[0].query, {column.name: ARROW_TYPES[column.type] for column in columns}).plan
        _require_numbers(tables)
        if isinstance(query, Model):
            require_served(parts[0], query)
        for each in parts:
            each.choose_kernel(plan)
    return parts


def _require_numbers(tables: QueryTables) -> None:
    """Of aggregates of which a promise says how far they move."""
    types = {column.name: column.type for column in tables.results.columns}
    for each in tables.query.promises:
        if each.of is not None and types[each.of] not in ("int64", "float64"):
            raise WrongParameter("of", f"{each.of} of type {types[each.of]}", "an aggregate that gives a number")


def _feature_set_names() -> list[str]:
    return sorted([*registry.feature_sets(), *registry.broken_feature_sets()])


def _try_features(name: str) -> None:
    features = registry.feature_set(name)
    try:
        feature_table(name, pa.schema([]), "", features, BOTH)
    except WrongParameter as wrong:
        raise placed(registry.features_module(name), wrong) from None


@dataclass(frozen=True)
class Checked:
    """A definition and, where it is broken, the line at which and why."""

    kind: str
    name: str
    place: str
    problem: str | None = None


# By kind: the names that there are, the module of a name, and what tries its definition.
_KINDS: dict[str, tuple[Callable[[], Iterable[str]], Callable[[str], str], Callable[[str], object]]] = {
    "stream": (registry.stream_names, registry.module_of_stream, registry.stream),
    "query": (registry.query_names, registry.module_of, lambda name: served(tables_of(name))),
    "features": (_feature_set_names, registry.features_module, _try_features),
    "aggregate": (functions, lambda name: f"{AGGREGATES}.{name}", try_aggregate),
    "function": (heavy_functions.functions, heavy_functions.module_of, heavy_functions.try_function),
}


def check(names: Collection[str]) -> list[Checked]:
    """Check the definitions of these names, or all and the tables of windrow.toml; without data, and without a JVM.
    UnknownName. O(definitions): each file is read, each aggregate tried on a few values; a heavy function is not
    compiled."""
    every = [(kind, name) for kind, (names_of, *_) in _KINDS.items() for name in names_of()]
    known = [name for _, name in every]
    for name in names:
        if name not in known:
            raise UnknownName("definition", name, known)
    wrong = [] if names else [Checked("settings", name, FILE, str(error)) for name, error in dag_settings.wrong()]
    return [*(_checked(kind, name) for kind, name in every if not names or name in names), *wrong]


def _checked(kind: str, name: str) -> Checked:
    _, module_of, try_definition = _KINDS[kind]
    try:
        try_definition(name)
    except WindrowError as wrong:
        place, _, problem = str(wrong).partition(": ")
        return Checked(kind, name, place, problem)
    return Checked(kind, name, file_of(module_of(name)))


@contextmanager
def _placed(query: Query) -> Iterator[None]:
    try:
        yield
    except WrongParameter as wrong:
        raise placed(registry.module_of(query.name), wrong) from None


def with_arrivals(lake: Lake, tables: QueryTables, arrivals: ArrivalDays, days: Sequence[date]) -> list[date]:
    """Those of the days that can have rows: between the first and the newest arrival, with heartbeats all since the
    first that are over, the stream's last, which closes its windows, and those of which a publication began, whose rows
    may have to go. O(ledger) where a day is none of the first."""
    first, newest = arrivals.span or (date.max, date.min)
    stream = tables.source.stream
    until = _last_heartbeats(stream, newest)
    others = [day for day in days if not (first <= day <= until or day == stream.last_day)]
    if not others:
        return list(days)
    query = tables.query.name
    begun = {row.replayed[1] for row in run_table.rows(lake, [("query", "=", query), ("step", "=", "publish")])}
    # Also those that only the published tables know of.
    published = {*begun, *by_day(lake, query), *by_day(lake, f"{query}_late")}
    return sorted({*days} - ({*others} - published))


def nothing_arrived(
    tables: QueryTables, arrivals: ArrivalDays, days: Sequence[date], judged: Iterable[Judgement] = ()
) -> NothingArrived:
    """The error of days of which none can have rows; judged: what that breaks."""
    asked = str(days[0]) if len(days) == 1 else f"the days from {days[0]} to {days[-1]}"
    stream, found = tables.source.stream, "it has no arrivals yet"
    if arrivals.span:
        first, newest = arrivals.span
        until = _last_heartbeats(stream, newest)
        heartbeats = f", and heartbeats go on until {until}" if until > newest else ""
        found = f"its arrivals are from {first} to {newest}{heartbeats}. Choose from these days"
    return NothingArrived(
        f"no events of stream {stream.name!r} have arrived on {asked}, so there is nothing to replay: "
        f"{found}; if files are waiting, first: windrow ingest {stream.name}"
        + "".join(f"; promise broken: {each}" for each in judged if each.is_news)
    )


def _last_heartbeats(stream: Stream, newest: date) -> date:
    """The newest arrival's day where the stream has none. A day that isn't over may still have arrivals."""
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    return newest if stream.idle_after is None else max(newest, min(yesterday, stream.newest_day))
