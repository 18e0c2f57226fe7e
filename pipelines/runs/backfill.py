"""Queries for many days: a range, or those that are stale."""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import snapshots
from windrow.pipelines.ledger.run_table import published
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.logged import silent
from windrow.pipelines.runs.batch import Progress, require_of_some
from windrow.pipelines.runs.definitions import nothing_arrived, tables_of, with_arrivals
from windrow.pipelines.runs.replay import replay
from windrow.pipelines.runs.reports import DayFailure, Done
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.schemas import registry
from windrow.schemas.errors import WindrowError, WrongParameter

_log = logging.getLogger(__name__)


def backfill(
    config: Config,
    queries: Sequence[str],
    span: tuple[date, date],
    backwards: bool = False,
    again: bool = False,
    progress: Progress = silent,
) -> Done:
    """Run queries for each day of a span, both ends included; `progress` gets each stage as it begins.

    backwards: newest days first, which changes no row; WrongParameter for a query whose days go on from each other.
    again: also days that are published as a run of now would make them; else these are left out, so that a backfill
    that was cut off goes on.
    Days before the first arrival and after the newest are left out, with a warning, and where days go on from each
    other those between that have no arrivals, but where the stream has heartbeats only those before the first;
    NothingArrived of a query if there are no others. A query or a day that fails keeps no other from being published,
    unless that goes on from it. A day that another run publishes meanwhile has a report, whose `note` has which.
    """
    for query in queries if backwards else ():
        if query in registry.queries() and not registry.query(query).context_free:
            allowed = f"False for {query}: each of its days starts from the state of the day before"
            raise WrongParameter("backwards", backwards, allowed)
    first, last = span
    if last < first:
        raise WrongParameter("to", last.isoformat(), f"a day from {first} on")
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    lake = Lake(config)
    asked, failures = {}, []
    for query in queries:
        try:
            asked[query] = _with_arrivals(lake, query, days)
        except WindrowError as error:
            require_of_some(error)
            failures.append(DayFailure(query, None, error))
    if not again:
        asked = _left(lake, asked)
    done = replay(config, asked, progress=progress, backwards=backwards)
    return Done(done.reports, [*failures, *done.failures])


def _left(lake: Lake, asked: Mapping[str, list[date]]) -> dict[str, list[date]]:
    """Days that are not published, or stale. O(ledger)."""
    stale_days = {(run.query, run.day) for run in stale(lake)}
    left = {}
    for query, days in asked.items():
        done = {day for day in published(lake, query) if (query, day) not in stale_days}
        left[query] = [day for day in days if day not in done]
        if len(left[query]) < len(days):
            _log.warning(
                "%s: the published rows of %d of %d days are up to date, and these days are left out; --again replays "
                "them too", query, len(days) - len(left[query]), len(days),
            )  # fmt: skip
    return left


def _with_arrivals(lake: Lake, query_name: str, days: list[date]) -> list[date]:
    """Those that can have rows, or change the state that days go on from; the others are counted, and left out."""
    tables = tables_of(query_name)
    if lake.version(tables.source.partitions.name) is None:
        return days
    arrivals = ArrivalDays.read(lake, tables.source.partitions.name)
    if not arrivals.span:
        snapshots.newest(lake, tables.source.stream.name)  # NotSetUp where no ingest has ended
    kept = with_arrivals(lake, tables, arrivals, days)
    if not tables.query.context_free:
        stream = tables.source.stream
        changing = arrivals.changing(days[0], days[-1], stream.idle_after is not None)
        kept = [day for day in kept if day in {*changing, stream.last_day}]
    if not kept:
        raise nothing_arrived(tables, arrivals, days)
    if len(kept) < len(days):
        _log.warning(
            "%s: no events arrived on %d of the days from %s to %s; these days change nothing, and are left out",
            query_name, len(days) - len(kept), days[0], days[-1],
        )  # fmt: skip
    return kept


def redo_stale(
    config: Config, queries: Collection[str], progress: Progress = silent, also: Collection[date] = ()
) -> Done:
    """Run queries again for each day that `windrow runs --stale` lists, and for those of `also`; otherwise as
    `backfill`."""
    broken = registry.broken_queries()
    done = Done([], [DayFailure(query, None, broken[query]) for query in queries if query in broken])
    queries = [registry.query(query).name for query in queries if query not in broken]
    # Where days go on from each other, one that is made again may make the next one stale.
    tried: dict[str, set[date]] = {query: set() for query in queries}
    wanted = {query: {*also} for query in queries}
    while True:
        for run in stale(Lake(config)):
            if run.query in wanted:
                wanted[run.query].add(run.day)
        days = {query: sorted(of_query - tried[query]) for query, of_query in wanted.items()}
        if not any(days.values()):
            return done
        found = replay(config, days, progress=progress)
        done = Done([*done.reports, *found.reports], [*done.failures, *found.failures])
        for query, of_query in days.items():
            tried[query].update(of_query)
