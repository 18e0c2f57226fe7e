"""The gate: what must be true of the files that an ingest took, of each day of silver that a run reads, and of its
audit rows before they are published.

Expectations (`schemas/expectations.py`, run by Great Expectations) describe what each row must look like; the laws of
semantics §5 (`checks/`) count the rows again from silver. Checking raises nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine
from pipelines.engines.shares import packed_within
from pipelines.gate import checks
from pipelines.gate.expectations import TableRows, verdicts_by_day
from pipelines.gate.key_shares import recounts
from pipelines.gate.recount.kinds import refuse_unrecounted
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.recount.query_days import AuditedDays, KeyShare
from pipelines.gate.recount.silver import open_days, open_files
from pipelines.ledger import verdicts
from pipelines.ledger.entry import Run
from pipelines.ledger.verdicts import Verdict
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.snapshot import Snapshot, Touched
from pipelines.tables.stream_tables import StreamTables
from schemas.errors import GateFailed
from schemas.expectations import Expectation, audit_expectations, late_expectations, silver_expectations
from schemas.tables import Table

# Who validates where a check is asked for outside of a run.
NO_RUN = "no-run"
# Of silver: fewer aren't worth a task of their own.
ENOUGH_EVENTS = 1_000_000


@dataclass(frozen=True)
class Gate:
    """Checks tables of a lake, and notes the verdicts in its ledger. `engine`: how their rows come to the checks."""

    lake: Lake
    engine: Engine

    def check_files(
        self, tables: StreamTables, snapshot: Snapshot, paths: Collection[str] | None = None
    ) -> list[Verdict]:
        """Check some landed files, by default all. O(rows of table files that may hold some of theirs)."""
        with open_files(self.lake, self.engine, tables, snapshot, paths) as files:
            return checks.verdicts_on_files(files)

    def check_silver(
        self, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
    ) -> dict[date, list[Verdict]]:
        """Check arrival days of silver, of which ingest noted so many events. O(events of the days)."""
        events = {day: days.events(day) for day in dates}
        parts = packed_within(events, max(ENOUGH_EVENTS, -(-sum(events.values()) // self.engine.slots)))
        found = self.engine.each(partial(laws_of_silver, self.lake, tables, snapshot), parts)
        laws = {day: of_day for part in found for day, of_day in part.items()}
        asked = {day: silver_expectations(tables.stream, day, events[day]) for day in dates}
        expected = self._expected(tables.silver, snapshot.version(tables.silver.name), asked)
        return {day: [*expected[day], *laws[day]] for day in dates}

    def check_audit(self, of: AuditedDays) -> dict[date, list[Verdict]]:
        """Check the rows of some days at exactly these versions. O(events of the look-back and the days · log events +
        rows).

        Raises NotRecounted for a kind of windows that has no file in recount/kinds/.
        """
        refuse_unrecounted(of.query.window)
        tables, versions, query = of.tables, of.versions, of.query
        rows = {day: audit_expectations(query, day) for day in of.days}
        late = {day: late_expectations(query, day) for day in of.days}
        found = (
            self._expected(tables.audit, versions.audit, rows),
            self._expected(tables.late_audit, versions.late_audit, late),
            self.laws_of_rows(of),
        )
        return {day: [verdict for each in found for verdict in each[day]] for day in of.days}

    def laws_of_rows(self, of: AuditedDays) -> dict[date, list[Verdict]]:
        """What the laws say of the rows of some days, many at once."""
        parts = recounts(self.lake, self.engine, of)
        return checks.verdicts_on_rows(of, self.engine.each(partial(laws_of_keys, self.lake), parts))

    def record_files(self, run: Run, tables: StreamTables, snapshot: Snapshot, touched: Touched) -> list[Verdict]:
        """Check the files that an ingest touched, and all where the snapshot that it found has not passed, as after a
        kill; write the verdicts into the ledger."""
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
        """Check the days of silver that have not passed since they were made, and write the verdicts into the ledger.
        O(events of these days)."""
        unchecked = self.unchecked(tables, snapshot, days, dates)
        found = self.check_silver(tables, snapshot, days, unchecked)
        verdicts.write(self.lake, run, found, snapshot.name)
        return found

    def record_audit(self, run: Run, of: AuditedDays) -> dict[date, list[Verdict]]:
        """Check a run's rows, and write the verdicts of all days into the ledger, in one commit."""
        found = self.check_audit(of)
        verdicts.write(self.lake, run, found, of.versions.snapshot)
        return found

    def _expected(
        self, table: Table, version: int, of_days: Mapping[date, tuple[Expectation, ...]]
    ) -> dict[date, list[Verdict]]:
        """Verdicts on some days of a version, which are validated together."""
        if not of_days:
            return {}
        run_id = self.lake.of_run.get("run_id") or NO_RUN
        partition = next(column for column in table.partition_by if column.endswith("_date"))
        return verdicts_by_day(self.engine, TableRows(self.lake, run_id, table, version, partition), of_days)

    def unchecked(
        self, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
    ) -> list[date]:
        """Days of which one check, with its limit, has not passed on the rows that the snapshot has."""
        passed = verdicts.passed_on_days(self.lake, tables.silver.name, dates)
        newest, laws = snapshot.version(tables.silver.name), {law.NAME for law in checks.checks("silver")}
        unchecked = []
        for day in dates:
            since = days.silver_version(day, newest)
            known = {each.check for each in passed.get(day, ()) if since <= each.version <= newest}
            asked = {(each.name, each.limit) for each in silver_expectations(tables.stream, day, days.events(day))}
            if not (known >= asked and {name for name, _ in known} >= laws):
                unchecked.append(day)
        return unchecked


def laws_of_silver(
    lake: Lake, tables: StreamTables, snapshot: Snapshot, days: Sequence[date]
) -> dict[date, list[Verdict]]:
    """What the laws of silver say of some days."""
    silver = open_days(lake, tables, snapshot, days)
    with silver.connection:
        return checks.verdicts_on_silver(silver)


def laws_of_keys(lake: Lake, asked: tuple[AuditedDays, KeyShare]) -> checks.FoundByLaw:
    """What the laws of audit rows find on some keys, of days without a gap."""
    recount = open_recount(lake, *asked)
    with recount.connection:
        return checks.find_in_rows(recount)


def failure(found: list[Verdict]) -> GateFailed | None:
    """Of the first check that failed: its figure, limit and the SQL that shows the rows."""
    failed = next((verdict for verdict in found if not verdict.passed), None)
    if failed is None:
        return None
    return GateFailed(failed.check_name, failed.figure, failed.allowed, failed.offending or "")
