"""Whether there is anything to replay on a day: before a stream's first arrival and after its newest no run can make a
row. A day between them that has no arrivals keeps its run: that is stale when a late file brings it some. Of a stream
with heartbeats a day after the newest arrival can have rows too, once it is over."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from pipelines.delta.day_files import by_day
from pipelines.delta.lake import Lake
from pipelines.ledger import run_table
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.query_tables import QueryTables
from schemas.errors import NothingArrived
from schemas.stream import Stream


def with_arrivals(lake: Lake, tables: QueryTables, arrivals: ArrivalDays, days: Sequence[date]) -> list[date]:
    """Those of the days that can have rows: between the first and the newest arrival, with heartbeats all since the
    first that are over, the stream's last, which closes its windows, and those that were published, whose rows may have
    to go. O(ledger) where a day is none of the first."""
    first, newest = arrivals.span or (date.max, date.min)
    stream = tables.source.stream
    until = _last_heartbeats(stream, newest)
    others = [day for day in days if not (first <= day <= until or day == stream.last_day)]
    if not others:
        return list(days)
    query = tables.query.name
    # Also those that only the published tables know of.
    published = {*run_table.published(lake, query), *by_day(lake, query), *by_day(lake, f"{query}_late")}
    return sorted({*days} - ({*others} - published))


def nothing_arrived(tables: QueryTables, arrivals: ArrivalDays, days: Sequence[date]) -> NothingArrived:
    """The error of days of which none can have rows."""
    asked = str(days[0]) if len(days) == 1 else f"the days from {days[0]} to {days[-1]}"
    stream, found = tables.source.stream, "none yet"
    if arrivals.span:
        first, newest = arrivals.span
        until = _last_heartbeats(stream, newest)
        found = f"from {first} to {newest}" + (f", and heartbeats go on until {until}" if until > newest else "")
    return NothingArrived(
        f"nothing of stream {stream.name!r} has arrived on {asked}, so there is nothing to replay: its arrivals are "
        f"{found}. Choose days of these; where files are waiting, first: windrow ingest {stream.name}"
    )


def _last_heartbeats(stream: Stream, newest: date) -> date:
    """The newest arrival's day where the stream has none. A day that isn't over may still have arrivals."""
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    return newest if stream.idle_after is None else max(newest, min(yesterday, stream.newest_day))
