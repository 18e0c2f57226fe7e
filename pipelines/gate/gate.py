"""The gate: what must be true of the files that an ingest took, of each day of silver that a run reads, and of its
audit rows before they are published.

Expectations (`schemas/expectations.py`, run by Great Expectations) describe what each row must look like; the laws of
semantics §5 (`checks/`) count the rows again from silver. Checking raises nothing.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from math import ceil

from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import files_by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine, limit_bytes, packed_within
from windrow.pipelines.gate import checks, promises
from windrow.pipelines.gate.expectations import verdicts_by_day
from windrow.pipelines.gate.recount.opening import recounts
from windrow.pipelines.gate.recount.query_days import ALL_KEYS, AuditedDays, KeyShare
from windrow.pipelines.gate.recount.silver import open_days, open_files
from windrow.pipelines.gate.recount.tables import TableVersion, bytes_by_bucket
from windrow.pipelines.gate.validation_results import index, page
from windrow.pipelines.ledger import verdicts
from windrow.pipelines.ledger.entry import LedgerEntry, Run
from windrow.pipelines.ledger.promises import Judged
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables, Touched
from windrow.schemas.errors import GateFailed
from windrow.schemas.expectations import audit_expectations, late_expectations, silver_expectations

# Of silver: fewer aren't worth a task of their own.
ENOUGH_EVENTS = 1_000_000
# A gate has two results; a line for each of hundreds of days would hide the rest of a log: the index is shown instead.
MOST_PAGES = 3


@dataclass(frozen=True)
class Gate:
    """Checks tables of a lake; what is recorded goes into its ledger. `engine`: how their rows come to the checks."""

    lake: Lake
    engine: Engine

    def check_files(
        self, tables: StreamTables, snapshot: Snapshot, paths: Collection[str] | None = None
    ) -> list[Verdict]:
        """Check some landed files, by default all. O(rows of table files that may hold some of theirs)."""
        with open_files(self.lake, self.engine, tables, snapshot, paths) as files:
            return [law.run(files) for law in checks.checks("files")]

    def check_silver(
        self, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
    ) -> dict[date, list[Verdict]]:
        """Check arrival days of silver, of which ingest noted so many events. O(events of the days)."""
        events = {day: days.events(day) for day in dates}
        parts = packed_within(events, max(ENOUGH_EVENTS, -(-sum(events.values()) // self.engine.slots)))
        found = self.engine.each(partial(laws_of_silver, self.lake, tables, snapshot), parts)
        laws = {day: of_day for part in found for day, of_day in part.items()}
        asked = {day: silver_expectations(tables.stream, day, events[day]) for day in dates}
        rows = TableVersion(self.lake, tables.silver, snapshot.version(tables.silver.name))
        expected = verdicts_by_day(self.engine, rows, asked)
        return {day: [*expected[day], *laws[day]] for day in dates}

    def check_audit(self, of: AuditedDays) -> dict[date, list[Verdict]]:
        """Check the rows of some days at exactly these versions. NotRecounted for a kind of windows that has no file in
        recount/kinds/. O(events of the look-back and the days · log events + rows)."""
        rows = TableVersion(self.lake, of.tables.audit, of.versions.audit)
        late = TableVersion(self.lake, of.tables.late_audit, of.versions.late_audit)
        found = (
            verdicts_by_day(self.engine, rows, {day: audit_expectations(of.query, day) for day in of.days}),
            verdicts_by_day(self.engine, late, {day: late_expectations(of.query, day) for day in of.days}),
            self.laws_of_rows(of),
        )
        return {day: [verdict for each in found for verdict in each[day]] for day in of.days}

    def laws_of_rows(self, of: AuditedDays) -> dict[date, list[Verdict]]:
        """What the laws say of the rows of some days, many at once."""
        parts = [(days, share) for days in of.without_gaps for share in key_shares(self.lake, self.engine, days)]
        found = self.engine.each(partial(laws_of_keys, self.lake), parts)
        return checks.verdicts_on_rows(of, [of_window for of_share in found for of_window in of_share])

    def record_files(self, run: Run, tables: StreamTables, snapshot: Snapshot, touched: Touched) -> list[Verdict]:
        """Check the files that an ingest touched; all where what it found has not passed, as after a kill."""
        laws = [law.NAME for law in checks.checks("files")]
        right = verdicts.newest_passed_all(self.lake, tables.silver.name, laws, touched.since)
        if right and touched.since == snapshot.name:
            return []
        found = self.check_files(tables, snapshot, touched.paths if right else None)
        verdicts.write(self.lake, run, {run.day: found}, snapshot.name)
        return found

    def record_silver(
        self, run: Run, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
    ) -> dict[date, list[Verdict]]:
        """Check the days of silver that have not passed since they were made. O(events of these days)."""
        found = self.check_silver(tables, snapshot, days, self.unchecked(tables, snapshot, days, dates))
        verdicts.write(self.lake, run, found, snapshot.name)
        return found

    def record_audit(self, run: Run, of: AuditedDays, judged: Judged | None = None) -> dict[date, list[Verdict]]:
        """Check a run's rows; the verdicts of all days are one commit, with those on what was judged of promises."""
        found = self.check_audit(of)
        for day, of_day in (judged or {}).items():
            found[day] += promises.verdicts(of, of_day)
        verdicts.write(self.lake, run, found, of.versions.snapshot)
        return found

    def unchecked(
        self, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
    ) -> list[date]:
        """Days of which one check, with its limit, has not passed on the rows that the snapshot has."""
        newest, laws = snapshot.version(tables.silver.name), {law.NAME for law in checks.checks("silver")}
        since = {day: days.by_date[day].silver_version if day in days.by_date else newest for day in dates}
        passed = verdicts.passed_on_days(self.lake, tables.silver.name, since, newest)
        unchecked = []
        for day in dates:
            asked = {(each.name, each.limit) for each in silver_expectations(tables.stream, day, days.events(day))}
            if not (passed[day] >= asked and {name for name, _ in passed[day]} >= laws):
                unchecked.append(day)
        return unchecked


def laws_of_silver(
    lake: Lake, tables: StreamTables, snapshot: Snapshot, days: Sequence[date]
) -> dict[date, list[Verdict]]:
    """What the laws of silver say of some days."""
    silver = open_days(lake, tables, snapshot, days)
    with silver.connection:
        return checks.verdicts_on_silver(silver)


def laws_of_keys(lake: Lake, asked: tuple[AuditedDays, KeyShare]) -> list[checks.FoundByLaw]:
    """What the laws of audit rows find on some keys, of days without a gap, by window."""
    return [checks.find_in_rows(recount) for recount in recounts(lake, *asked)]


def key_shares(lake: Lake, engine: Engine, of: AuditedDays) -> list[KeyShare]:
    """By the bytes of all days' rows: groups of buckets, where a key is in one bucket only; else parts of all keys, one
    a slot at most, since each reads all rows. Rows of no key can't be cut. A large bucket isn't cut: DuckDB spills, and
    final_values.py takes a million events at a time. Four buckets of 12.5 million events each took 33 processor s and
    2.6 GB whole, 39 and 1.8 in halves, 46 and 1.6 in quarters. O(files of silver and of the audit table)."""
    if not of.query.key:
        return [ALL_KEYS]
    first, last = of.days[0], of.days[-1]
    audit = files_by_day(lake, of.tables.audit.name, of.versions.audit, lambda day: first <= day <= last)
    # A bucket has as large a part of the audit rows as it is of the buckets.
    of_audit = sum(file.file_bytes for files in audit.values() for file in files) // of.stream.buckets
    sizes = {bucket: size + of_audit for bucket, size in bytes_by_bucket(lake, of, first).items()}
    every, limit = sum(sizes.values()), limit_bytes(sizes.values(), engine.slots, lake.config.task_bytes)
    if every <= limit:
        return [ALL_KEYS]
    if set(of.stream.key) <= set(of.query.key):
        return [KeyShare(buckets) for buckets in packed_within(sizes, limit)]
    parts = min(engine.slots, ceil(every / limit))
    return [KeyShare(part=part, parts=parts) for part in range(parts)]


def failure(found: list[Verdict]) -> GateFailed | None:
    """Of the first check that failed: its figure, limit and the SQL that shows the rows."""
    failed = next((verdict for verdict in found if not verdict.passed), None)
    if failed is None:
        return None
    return GateFailed(failed.check_name, failed.figure, failed.allowed, failed.offending or "")


def note(config: Config, found: Sequence[tuple[LedgerEntry, list[Verdict]]], progress: Callable[[str], None]) -> None:
    """Note what was found on steps, their validation results also in the ledger and, by their pages, in the log, with
    how many checks passed."""
    results, stage = dict[str, None](), found[0][0].stages.name
    assert stage is not None, "a stage of the flow map validates"
    for entry, of_step in found:
        entry.verdicts += of_step
        of_entry = dict.fromkeys(verdict.validation for verdict in of_step if verdict.validation)
        if of_entry:
            entry.validations.setdefault(stage, []).extend(of_entry)
        results |= of_entry
    pages = [page(config, result) for result in results] if len(results) <= MOST_PAGES else [index(config)]
    for shown in pages:
        progress(f"{stage}: validation results: {shown}, which `windrow report` makes")
    every = {id(verdict): verdict for _, of_step in found for verdict in of_step}.values()
    if every:
        progress(f"{stage}: {sum(verdict.passed for verdict in every)} of {len(every)} checks passed")
