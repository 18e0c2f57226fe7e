"""A query for many days, one run each."""

import logging
from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from pipelines.config import Config
from pipelines.lake.arrival_days import ArrivalDays
from pipelines.lake.lake import Lake
from pipelines.ledger.runs import new_run_id
from pipelines.ledger.stale import stale
from pipelines.runs.arrived import nothing_arrived, with_arrivals
from pipelines.runs.definitions import tables_of
from pipelines.runs.replay_day import DayReport, replay_day
from schemas import registry
from schemas.errors import EarlierDayMissing, Superseded, WindrowError, WrongParameter

Progress = Callable[[DayReport, int], None]
_log = logging.getLogger(__name__)


def _silent(report: DayReport, days: int) -> None:
    """Progress that nobody listens to."""


def backfill(
    config: Config,
    query_name: str,
    first: date,
    last: date,
    backwards: bool = False,
    progress: Progress = _silent,
) -> list[DayReport]:
    """Run a query for each day from `first` to `last`, both included; `progress` gets the report of each that is done,
    and how many there are.

    The order changes no row; WrongParameter for `backwards` of a query whose days go on from each other. Days before
    the first arrival and after the newest are left out, with a warning, and where days go on from each other those
    between that have no arrivals, but where the stream has heartbeats only those before the first; NothingArrived if
    there are no others. The first error ends it; days done before stay published. A day that another run publishes
    meanwhile is no error: its report's `note` has which.
    """
    if backwards and not registry.query(query_name).window.context_free:
        allowed = f"of {query_name} oldest day first: each day goes on from the state that the one before it left"
        raise WrongParameter("backwards", backwards, allowed)
    if last < first:
        raise WrongParameter("to", last.isoformat(), f"a day from {first} on")
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    days = _with_arrivals(Lake(config), query_name, days)
    return _each(config, query_name, days[::-1] if backwards else days, progress)


def _with_arrivals(lake: Lake, query_name: str, days: list[date]) -> list[date]:
    """Those that can have rows, or change the state that days go on from; the others are counted, and left out."""
    tables = tables_of(query_name)
    if lake.version(tables.source.partitions.name) is None:
        return days
    arrivals = ArrivalDays.read(lake, tables.source.partitions.name)
    kept = with_arrivals(lake, tables, arrivals, days)
    if not tables.query.window.context_free:
        stream = tables.source.stream
        changing = arrivals.changing(days[0], days[-1], stream.idle_after is not None)
        kept = [day for day in kept if day in {*changing, stream.last_day}]
    if not kept:
        raise nothing_arrived(tables, arrivals, days)
    if len(kept) < len(days):
        _log.warning(
            "%s: nothing arrived on %d of the days from %s to %s; they change nothing, and are left out",
            query_name, len(days) - len(kept), days[0], days[-1],
        )  # fmt: skip
    return kept


def redo_stale(
    config: Config, query_name: str, progress: Progress = _silent, also: Collection[date] = ()
) -> list[DayReport]:
    """Run a query again for each day that `windrow runs --stale` lists, and for those of `also`, oldest first;
    otherwise as `backfill`.

    A day that a rule refuses keeps no other from being made again: the first such error is raised after the last day.
    """
    registry.query(query_name)
    found = _Redone([], [])
    # Where days go on from each other, one that is made again may make the next one stale.
    tried: set[date] = set()
    while days := sorted({*_stale_days(config, query_name), *also} - tried):
        for day in days:
            if found.redo(config, query_name, day):
                progress(found.reports[-1], len(days))
        tried |= {*days}
    if found.refused:
        raise found.refused[0]
    return found.reports


def _stale_days(config: Config, query_name: str) -> set[date]:
    return {run.day for run in stale(Lake(config)) if run.query == query_name}


class _Redone(NamedTuple):
    """Reports of days that were made again, and errors of those that a rule refused."""

    reports: list[DayReport]
    refused: list[WindrowError]

    def redo(self, config: Config, query_name: str, day: date) -> bool:
        """Whether the day was made again."""
        try:
            self.reports.append(_replay(config, query_name, day))
        except WindrowError as error:
            # Without the day no later one that goes on from it can be made.
            if not error.refused or isinstance(error, EarlierDayMissing):
                raise
            _log.warning("%s of %s was not made again: %s", query_name, day, error)
            self.refused.append(error)
            return False
        return True


def asset_events_of(reports: Sequence[DayReport]) -> dict[str, dict]:
    """By table, what is new of each of its days that was published, in their order."""
    tables = dict.fromkeys(table for report in reports for table in report.asset_events)
    return {
        table: {"days": [each.asset_events[table] for each in reports if table in each.asset_events]}
        for table in tables
    }


def _each(config: Config, query_name: str, days: Sequence[date], progress: Progress) -> list[DayReport]:
    reports = []
    for day in days:
        reports.append(_replay(config, query_name, day))
        progress(reports[-1], len(days))
    return reports


def _replay(config: Config, query_name: str, day: date) -> DayReport:
    run_id = new_run_id(query_name, day)
    try:
        return replay_day(config, query_name, day, run_id=run_id)
    except Superseded as superseded:
        return DayReport(run_id, query_name, day, {}, str(superseded), superseded=True)
