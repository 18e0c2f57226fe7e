"""A batch: queries of one stream × days, in one pass.

    audit     silver is checked once; each query is replayed once, one commit a table
    publish   the gate checks exactly these rows, and publishes the days that passed, one commit a table

A day's failure is its own, and so is a query's: the others are published. Where days go on from each other, those
behind one that failed are not. What the ledger has of each day is what a run of that day alone would leave.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import NamedTuple

from windrow.pipelines import flow
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine
from windrow.pipelines.gate import promises
from windrow.pipelines.gate.gate import Gate, failure, note
from windrow.pipelines.gate.publish import publish
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.ledger import farm_runs, run_table, snapshots
from windrow.pipelines.ledger import promises as ledger_of_promises
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.ledger.entry import LedgerEntry, Run
from windrow.pipelines.ledger.kept_definition import ASKED, text_of
from windrow.pipelines.ledger.stale import DIGESTS, differences
from windrow.pipelines.nowcast.renew import renew
from windrow.pipelines.replay import day_state
from windrow.pipelines.replay.audit import Audited, audit
from windrow.pipelines.replay.day_state import EarlierState
from windrow.pipelines.replay.work import Reading, Work, work_of
from windrow.pipelines.runs import definitions
from windrow.pipelines.runs.definitions import nothing_arrived, with_arrivals
from windrow.pipelines.runs.keep_panes import forget, with_panes
from windrow.pipelines.runs.reports import DayFailure, DayReport
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.errors import EarlierDayMissing, NothingArrived, OutsideStream, Superseded, WindrowError

Progress = Callable[[str], None]
Asked = Mapping[str, tuple[QueryTables, Sequence[date]]]
"""Days by query."""


class AuditRows(NamedTuple):
    """Rows that wait for the gate: days of a query that were committed together."""

    tables: QueryTables
    days: Mapping[date, Audited]


class StepOfDays(NamedTuple):
    """A step of all days of a batch, on its way into the ledger, by query and day; `failures`: the batch's."""

    entries: Mapping[tuple[str | None, date | None], LedgerEntry]
    progress: Progress
    failures: list[DayFailure]

    def fail(self, query: str, days: Collection[date], error: WindrowError) -> None:
        """Note why some days of a query go no further."""
        for day in sorted(days):
            self.entries[query, day].fail(error)
            self.failures.append(DayFailure(query, day, error))

    def left(self, of: QueryTables, days: Sequence[date], failed: Mapping[date, WindrowError]) -> list[date]:
        """The days that go on, of which some have failed; where they go on from each other none behind one that did."""
        query = of.query.name
        for day, error in failed.items():
            self.fail(query, [day], error)
        left = [day for day in days if day not in failed]
        missed = (each for each in self.failures if not isinstance(each.error, NothingArrived))
        gone = [each.day for each in missed if each.query == query and each.day]
        if of.state is None or not gone:
            return left
        self.fail(query, [day for day in left if day > min(gone)], day_state.not_published(query, min(gone)))
        return [day for day in left if day < min(gone)]


@dataclass(frozen=True)
class RunBatch:
    """Makes and publishes days under one run id. `progress` gets each stage of flow.py as it begins."""

    lake: Lake
    engine: Engine
    source: StreamTables
    run_id: str
    recording: run_table.Recording
    progress: Progress
    failures: list[DayFailure] = field(default_factory=list)

    def audited(self, asked: Asked) -> list[AuditRows]:
        """The rows of the days, in the audit tables."""
        with self._step("audit", [(query, day) for query, (_, days) in asked.items() for day in days]) as step:
            step.progress(flow.CHECK_SILVER.name)
            served = [each for of_query in asked.values() if (each := self._of_stream(step, *of_query))]
            if not served:
                return []
            snapshot = snapshots.of_run(self.lake, self.source.stream.name, self.run_id)
            read = Reading.of(self.lake, self.source, snapshot)
            found = (self._looked_back(step, *each, read) for each in served)
            checked = [*self._checked(step, [each for each in found if each], read)]  # before the stage that follows
            step.progress(flow.REPLAY.name)
            return [rows for each in checked for rows in self._replayed(step, each, read)]

    def published(self, made: Sequence[AuditRows]) -> list[DayReport]:
        """What became of the days whose rows these are."""
        if not made:
            return []
        with self._step("publish", [(rows.tables.query.name, day) for rows in made for day in rows.days]) as step:
            return [report for rows in made for report in self._published(step, rows)]

    def _run(self, query: str | None = None, day: date | None = None) -> Run:
        return Run(self.run_id, self.source.stream.name, query, day)

    @contextmanager
    def _step(self, name: str, days: Sequence[tuple[str, date]]) -> Iterator[StepOfDays]:
        with self.recording.steps([self._run(*each) for each in days], name) as entries:
            stages = next(iter(entries.values())).stages
            with stages.working(self.engine, self.progress):
                of_days = {(run.query, run.day): entry for run, entry in entries.items()}
                yield StepOfDays(of_days, stages.following(self.progress), self.failures)

    def _lake_of(self, tables: QueryTables, snapshot: str) -> Lake:
        definition = definition_hash(self.source.stream.name, tables.query.name)
        return self.lake.committing(definition=definition, snapshot=snapshot)

    def _of_stream(
        self, step: StepOfDays, tables: QueryTables, days: Sequence[date]
    ) -> tuple[QueryTables, list[date]] | None:
        """A query and its days that the stream has; None where a rule refuses all of them."""
        stream, query, left = tables.source.stream, tables.query.name, []
        for day in days:
            try:
                stream.require_day(day)
                left.append(day)
            except OutsideStream as error:
                step.fail(query, [day], error)
        try:
            definitions.served(tables)
        except WindrowError as error:
            require_of_some(error)
            step.fail(query, left, error)
            return None
        return (tables, left) if left else None

    def _looked_back(self, step: StepOfDays, tables: QueryTables, days: Sequence[date], read: Reading) -> Work | None:
        """None where no day can be replayed."""
        query, arrived = tables.query.name, sorted(with_arrivals(self.lake, tables, read.days, days))
        silent = sorted({*days} - {*arrived})
        judged = promises.judge_silent(self.lake, tables, silent)
        ledger_of_promises.write(self.lake, self._run(query), judged)
        for day in silent:
            failed = promises.failure(tables.query, judged[day])
            step.fail(query, [day], failed or nothing_arrived(tables, read.days, [day], judged[day]))
        try:
            return work_of(self.lake, tables, arrived, read) if arrived else None
        except EarlierDayMissing as error:
            step.fail(query, arrived, error)
            return None

    def _checked(self, step: StepOfDays, asked: Sequence[Work], read: Reading) -> Iterator[Work]:
        dates = sorted({day for each in asked for day in each.arrival_days(read.days.by_date)})
        queries = {each.tables.query.name for each in asked}
        run = self._run(*(queries if len(queries) == 1 else ()))
        found = Gate(self.lake, self.engine).record_silver(run, self.source, read.snapshot, read.days, dates)
        every = [verdict for of_day in found.values() for verdict in of_day]
        note(self.lake.config, [(entry, every) for entry in step.entries.values()], step.progress)
        wrong = {day: error for day, verdicts in found.items() if (error := failure(verdicts))}
        for work in asked:
            failed = {back.last: wrong[day] for back in work.backs for day in wrong if back.reads(day)}
            if left := step.left(work.tables, work.days, failed):
                yield replace(work, backs=tuple(back for back in work.backs if back.last in left))

    def _replayed(self, step: StepOfDays, work: Work, read: Reading) -> list[AuditRows]:
        lake, query = self._lake_of(work.tables, read.snapshot.name), work.tables.query.name
        try:
            work = with_panes(lake, self.engine, work, read)
            audited = audit(lake, self.engine, work, read)
        except WindrowError as error:
            require_of_some(error)
            if len(work.backs) == 1:
                step.fail(query, work.days, error)
                return []
            return self._by_halves(step, work, read)
        for day, each in audited.items():
            entry = step.entries[query, day]
            entry.inputs = {**each.inputs, ASKED: text_of(work.tables.query)}
            entry.counts, entry.kernel = each.counts, each.kernel
            entry.outputs, entry.message, entry.ended = asdict(each.versions), each.why, True
        farm_runs.record(lake, {self._run(query, day): each.farms for day, each in audited.items() if each.farms})
        for why in dict.fromkeys([work.why_panes, *(each.why for each in audited.values())]):
            if why:
                step.progress(f"{flow.REPLAY.name}: {why}")
        return [AuditRows(work.tables, audited)]

    def _by_halves(self, step: StepOfDays, work: Work, read: Reading) -> list[AuditRows]:
        """Until the days that fail do so alone."""
        half = len(work.backs) // 2
        first, second = work.backs[:half], work.backs[half:]
        made, rest = self._replayed(step, replace(work, backs=first), read), replace(work, backs=second)
        if not step.left(rest.tables, rest.days, {}):
            return made
        if rest.goes_on:
            day = first[-1].last
            rest = replace(rest, earlier=EarlierState.left_by(day, self.run_id, made[-1].days[day].versions))
        return [*made, *self._replayed(step, rest, read)]

    def _published(self, step: StepOfDays, rows: AuditRows) -> Iterator[DayReport]:
        tables, query, days = rows.tables, rows.tables.query.name, tuple(rows.days)
        entries = {day: step.entries[query, day] for day in days}
        for day, entry in entries.items():
            entry.inputs = asdict(rows.days[day].versions)
        versions = rows.days[days[0]].versions
        lake = self._lake_of(tables, versions.snapshot)
        step.progress(flow.GATE.name)
        audited = AuditedDays(tables, days, versions)
        judged = promises.judge(lake, audited)
        found = Gate(lake, self.engine).record_audit(self._run(query), audited, judged)
        ledger_of_promises.write(lake, self._run(query), judged)
        note(lake.config, [(entries[day], each) for day, each in found.items()], step.progress)
        failed = {day: error for day, each in found.items() if (error := failure(each))}
        if failed and versions.panes is not None:  # perhaps they are damaged
            forget(lake, tables)
        wanted = step.left(tables, days, failed)
        step.progress(flow.PUBLISH.name)
        published = publish(lake, self.engine, tables, wanted, versions)
        renew(lake, tables, [day for day, each in published.items() if not isinstance(each, Superseded)])
        step.left(tables, wanted, {day: each for day, each in published.items() if isinstance(each, Superseded)})
        now = ArrivalDays.read(lake, self.source.partitions.name)
        for day, each in published.items():
            if isinstance(each, Superseded):
                yield DayReport(self.run_id, query, day, {}, str(each), superseded=True)
            else:
                # Why a day is stale as soon as it is published: files were ingested since its run read silver
                reasons = "; ".join(reason.text for reason in differences(rows.days[day].inputs, now))
                stale = f"already stale, since its events have changed: {reasons}" if reasons else None
                entry = entries[day]
                entry.message, entry.counts, entry.ended = stale, each.rows, True
                entry.outputs = {**each.versions, DIGESTS: each.digests}
                report = DayReport(self.run_id, query, day, each.rows, stale, checks=len(found[day]))
                report = replace(report, versions=each.versions, revisions=each.revisions, had_rows=each.had_rows)
                yield replace(report, promises=judged[day])


def require_of_some(error: WindrowError) -> None:
    """What a rule refuses is of some days; a full disk, say, of all."""
    if not (error.refused or error.skipped):
        raise error
