"""A run: queries × days, in batches (batch.py). One query and one day is a run too.

Days are taken together as far as their events are no more than the engine's tasks take at once; where days go on from
each other, those that follow each other.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import zip_longest

from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import files_by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.engine import Engine, packed_within
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.logged import silent
from windrow.pipelines.replay.audit import Audited
from windrow.pipelines.runs import definitions
from windrow.pipelines.runs.batch import Asked, AuditRows, Progress, RunBatch
from windrow.pipelines.runs.reports import DayFailure, DayReport, Done
from windrow.pipelines.tables.arrival_days import FIRST_DAY, ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.schemas.errors import IngestBehind, NotSetUp, TableMismatch, WindrowError, WrongParameter
from windrow.schemas.windows import DAY

STAGES = ("all", "audit", "publish")


def replay_day(
    config: Config,
    query_name: str,
    day: date,
    stage: str = "all",
    run_id: str | None = None,
    progress: Progress = silent,
) -> DayReport:
    """Run a query for a day, or one of the two steps of that. Raises what is a failure of the day in `replay`."""
    done = replay(config, {query_name: [day]}, stage, run_id, progress)
    if done.failures:
        raise done.failures[0].error
    return done.reports[0]


def replay(
    config: Config,
    days: Mapping[str, Sequence[date]],
    stage: str = "all",
    run_id: str | None = None,
    progress: Progress = silent,
    backwards: bool = False,
) -> Done:
    """Run queries for days, or one of the two steps of that. `progress` gets each stage of flow.py as it begins.

    It reads what the run's own ingest left, or else the stream's newest: what landed since makes it stale, not wrong.
    backwards: newest days first, where days are not taken together.

    Raises WrongParameter, StorageFailed. What is wrong with a day, a query or a stream is a failure of it: NotSetUp (no
    ingest yet, or publish without an audit of the day by that run), IngestBehind, UnknownName, OutsideStream,
    NotServed, NotRecounted, GateFailed, TooManyRows, EarlierDayMissing, NothingArrived (before the first arrival, or
    after the newest), Superseded. Repeating a run leaves the tables' rows as they were.
    """
    if stage not in STAGES:
        raise WrongParameter("stage", stage, ", ".join(STAGES))
    lake, engine = Lake(config), engine_of(config)
    asked, failures = _defined(days)
    reports: list[DayReport] = []
    for source in {tables.source.stream.name: tables.source for tables, _ in asked.values()}.values():
        of_stream = {query: each for query, each in asked.items() if each[0].source == source}
        try:
            for named, batch in _runs(lake, engine, of_stream, stage, run_id, backwards):
                only = next(iter(batch)) if len(batch) == 1 else None
                of_run = lake.committing(run_id=named, definition=definition_hash(source.stream.name, only))
                with run_table.recording(of_run) as recording:
                    done = _done(RunBatch(of_run, engine, source, named, recording, progress), batch, stage)
                reports, failures = [*reports, *done.reports], [*failures, *done.failures]
        except (NotSetUp, IngestBehind) as error:  # of the stream
            failures += [DayFailure(query, None, error) for query in of_stream]
    return Done(reports, failures)


def _defined(days: Mapping[str, Sequence[date]]) -> tuple[Asked, list[DayFailure]]:
    """Those queries whose definitions are right, and why the others fail."""
    asked, failures = {}, []
    for query, of_query in days.items():
        try:
            if of_query:
                asked[query] = (definitions.tables_of(query), sorted(of_query))
        except WindrowError as error:
            failures += [DayFailure(query, day, error) for day in of_query]
    return asked, failures


def batches(lake: Lake, engine: Engine, asked: Asked, backwards: bool = False) -> Iterator[Asked]:
    """The days of some queries of a stream, in the order in which they are run."""
    sizes = _bytes_by_day(lake, asked)
    most = lake.config.task_bytes * engine.expected_slots
    cut = {query: _cut(lake, tables, days, sizes, most) for query, (tables, days) in asked.items()}
    if backwards:
        cut = {query: parts[::-1] for query, parts in cut.items()}
    for together in zip_longest(*cut.values(), fillvalue=()):
        yield {query: (asked[query][0], days) for query, days in zip(cut, together, strict=True) if days}


def _bytes_by_day(lake: Lake, asked: Asked) -> dict[date, int]:
    """Of silver, of the days of queries that have several."""
    tables, _ = next(iter(asked.values()))
    silver, several = tables.source.silver.name, {day for _, days in asked.values() if len(days) > 1 for day in days}
    version = lake.version(silver) if several else None
    if version is None:
        return dict.fromkeys(several, 0)
    files = files_by_day(lake, silver, version, several.__contains__)
    return {day: sum(file.file_bytes for file in files.get(day, ())) for day in several}


def _cut(
    lake: Lake, tables: QueryTables, days: Sequence[date], sizes: Mapping[date, int], most: int
) -> list[Sequence[date]]:
    if len(days) == 1:
        return [days]
    together = [days] if tables.state is None else chains(lake, tables, days)
    return [part for chain in together for part in packed_within({day: sizes[day] for day in chain}, most)]


def chains(lake: Lake, tables: QueryTables, days: Sequence[date]) -> list[list[date]]:
    """Days of which each goes on from the one before it."""
    arrivals = ArrivalDays.read(lake, tables.source.partitions.name)
    has_heartbeats = tables.source.stream.idle_after is not None
    found: list[list[date]] = []
    for day in days:
        before = arrivals.changing(date.min, day - DAY, has_heartbeats)
        if found and before and before[-1] == found[-1][-1]:
            found[-1].append(day)
        else:
            found.append([day])
    return found


def _done(batch: RunBatch, asked: Asked, stage: str) -> Done:
    if stage == "publish":
        every = [(tables, day) for tables, of_query in asked.values() for day in of_query]
        made = [left for each in every if (left := _recorded(batch, *each))]
    else:
        made = batch.audited(asked)
    if stage == "audit":
        reports = []
        for tables, days in made:
            for day, audited in days.items():
                counts = audited.counts
                rows = {tables.audit.name: counts["rows"], tables.late_audit.name: counts["late_rows"]}
                reports.append(DayReport(batch.run_id, tables.query.name, day, rows))
        return Done(reports, batch.failures)
    return Done(batch.published(made), batch.failures)


def _recorded(batch: RunBatch, tables: QueryTables, day: date) -> AuditRows | None:
    """What the run's own audit step left in the ledger; a failure of the day where that is nothing, or is gone, or has
    other columns than the query now."""
    lake, run_id, query, problem = batch.lake, batch.run_id, tables.query.name, "there are no audit rows"
    try:
        if audited := run_table.latest(lake, query, day, "audit", run_id):
            for table in (tables.audit, tables.late_audit):
                lake.require(table)
            versions = AuditVersions(**audited.outputs)
            if (gone := _gone(lake, tables, versions, audited)) is None:
                left = Audited(versions, audited.inputs, audited.counts, audited.kernel, audited.message, [])
                return AuditRows(tables, {day: left})
            problem = f"{gone} is gone (older than what windrow maintain keeps, or lost): no audit rows"
        raise NotSetUp(
            f"{problem} of {query} for {day} by run {run_id!r}",
            f"windrow replay {query} --day {day} --stage audit --run-id {shlex.quote(run_id)}",
        )
    except (NotSetUp, TableMismatch) as error:
        batch.failures.append(DayFailure(query, day, error))
        return None


def _gone(lake: Lake, tables: QueryTables, versions: AuditVersions, audited: run_table.StepRow) -> str | None:
    """What of the versions that the gate and the publication read can't be read any more."""
    day = str(audited.logical_date)
    until = [("arrival_date", "<=", day)]
    asked = (
        (tables.audit.name, versions.audit, [("emitted_date", "=", day)]),
        (tables.late_audit.name, versions.late_audit, [("arrival_date", "=", day)]),
        (tables.source.silver.name, versions.silver, [("arrival_date", ">=", audited.inputs[FIRST_DAY]), *until]),
        (tables.source.passes.name, versions.passes, until),
    )
    for name, version, days in asked:
        # A table that was made again counts its versions anew.
        if lake.lacks_files(name, version, days) or lake.state(name).made_ms > audited.at.timestamp() * 1000:
            return f"version {version} of {name}"
    return None


def _runs(
    lake: Lake, engine: Engine, asked: Asked, stage: str, run_id: str | None, backwards: bool
) -> Iterator[tuple[str, Asked]]:
    """What is run under one id. A publication without an id goes on with the run that audited each day last."""
    for batch in batches(lake, engine, asked, backwards):
        new = run_id or _new_run_id(batch)
        by_run: dict[str, dict[str, tuple[QueryTables, list[date]]]] = {}
        for query, (tables, days) in batch.items():
            for day in days:
                audited = run_table.latest(lake, query, day, "audit") if stage == "publish" and not run_id else None
                of_run = by_run.setdefault(audited.run_id if audited else new, {})
                of_run.setdefault(query, (tables, []))[1].append(day)
        yield from by_run.items()


def _new_run_id(asked: Asked) -> str:
    (tables, _), *others = asked.values()
    of = tables.source.stream.name if others else tables.query.name
    every = [day for _, days in asked.values() for day in days]
    first, last = min(every), max(every)
    return run_table.new_run_id(of if first == last else f"{of}-{first}", last)
