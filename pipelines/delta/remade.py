"""The commands that make a table's lost rows again: everything follows from the landing files, but the ledger."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from pipelines.delta.lake import Lake
from schemas import registry
from schemas.lateness_table import lateness_name
from schemas.ledger_tables import FARM_RUNS, RUNS, VERDICTS
from schemas.table_owners import made_by, query_of, stream_of

_DAY = re.compile(r"(?:^|/)(?:emitted|arrival|logical)_date=(\d{4}-\d{2}-\d{2})/")


def commands(lake: Lake, name: str, lost: Iterable[str]) -> list[str]:
    """What makes the rows of a table's lost files again; `lost`: their paths below its folder."""
    if name in (VERDICTS.name, FARM_RUNS.name):
        return []  # a check whose verdict is lost is done again; how quick a farm was, nobody needs to know
    if name == RUNS.name:
        # A run finds the snapshot that it reads in the ledger: an ingest without news leaves one too.
        there = [stream.name for stream in registry.streams().values() if lake.holds_anything(f"files_{stream.name}")]
        return [*(f"windrow ingest {stream}" for stream in there), "windrow runs --stale"]
    if stream := stream_of(name):
        return [f"windrow ingest {stream.name}", "windrow runs --stale"]
    query = query_of(name)
    if query and name == lateness_name(query):
        return [made_by(name)]
    # Of a table without rows no day is known, nor of one without a query.
    return replays_of(name, _days(lost)) or (["windrow runs --stale"] if query else [])


def replays_of(name: str, days: set[date]) -> list[str]:
    """The commands that replay these days of the query of whose tables it is one."""
    query = query_of(name)
    return replays(query, days) if query else []


def replays(query: str, days: set[date]) -> list[str]:
    """The commands that replay these days of a query."""
    return [_replay(query, *span) for span in _spans(sorted(days))]


def _replay(query: str, first: date, last: date) -> str:
    if first == last:
        return f"windrow replay {query} --day {first}"
    return f"windrow backfill {query} --from {first} --to {last}"


def _days(paths: Iterable[str]) -> set[date]:
    return {date.fromisoformat(found[1]) for path in paths if (found := _DAY.search(path))}


def _spans(days: list[date]) -> Iterator[tuple[date, date]]:
    """First and last days of what has no gap."""
    first = 0
    for place in range(1, len(days) + 1):
        if place == len(days) or days[place] - days[place - 1] > timedelta(days=1):
            yield days[first], days[place - 1]
            first = place
