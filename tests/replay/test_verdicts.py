"""Which verdicts count when a run asks what has been checked. No JVM."""

import shutil
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import verdicts
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.ledger_tables import VERDICTS

DAY = date(2018, 11, 4)
TABLES = QueryTables.of(registry.query("bikes_daily"))
AUDIT, LATE = TABLES.audit, TABLES.late_audit


@pytest.fixture
def lake(config) -> Lake:
    for table in (AUDIT, LATE):
        Lake(config).ensure(table)
    return Lake(config)


def newest_passed(lake: Lake, day: date) -> verdicts.Passed | None:
    return verdicts.newest_passed(lake, TABLES, [day]).get(day)


def _check(lake: Lake, version: int, run_id="a run", *, passed=True, late=True, snapshot: str | None = "1-1") -> None:
    """What one look of the gate leaves: some verdicts on the rows, then one on the late rows."""
    found = [("first", True, AUDIT), ("second", passed, AUDIT), ("third", late, LATE)]
    rows = [Verdict(name, held, "0", "0", None, table.name, version) for name, held, table in found]
    verdicts.write(lake, Run(run_id, "bikes", "bikes_daily", DAY), {DAY: rows}, snapshot)


def test_the_newest_version_that_passed_is_the_greatest_of_the_day(lake):
    assert newest_passed(lake, DAY) is None
    _check(lake, 7, "a run")
    _check(lake, 3, "another")
    assert newest_passed(lake, DAY) == ("1-1", 7, "a run")
    assert newest_passed(lake, date(2018, 11, 5)) is None


@pytest.mark.parametrize("failed", ["passed", "late"])
def test_a_version_of_which_one_verdict_failed_has_not_passed(lake, failed):
    _check(lake, 7, **{failed: False})
    assert newest_passed(lake, DAY) is None
    _check(lake, 3)
    assert newest_passed(lake, DAY) == ("1-1", 3, "a run")


def test_a_version_that_passed_once_has_passed(lake):
    """What was published then stays newer than rows made before it, whatever a later look finds."""
    _check(lake, 7)
    _check(lake, 7, passed=False)
    assert newest_passed(lake, DAY) == ("1-1", 7, "a run")


def test_the_newest_is_of_the_newest_snapshot_whichever_version_was_made_last(lake):
    _check(lake, 3, "reads new files", snapshot="1-2")
    _check(lake, 7, "reads old files", snapshot="1-1")
    assert newest_passed(lake, DAY) == ("1-2", 3, "reads new files")


def test_a_verdict_from_before_snapshots_were_kept_is_older_than_any(lake):
    _check(lake, 9, "before", snapshot=None)
    assert newest_passed(lake, DAY) == ("", 9, "before")
    _check(lake, 3, "after")
    assert newest_passed(lake, DAY) == ("1-1", 3, "after")


def test_a_ledger_from_before_a_column_gets_it_and_keeps_its_rows(lake):
    """The ledger can't be made again from anything, so a column that may be null is added to it."""
    old = replace(VERDICTS, columns=tuple(column for column in VERDICTS.columns if column.name != "snapshot"))
    lake.ensure(old)
    kept = {"run_id": "old", "stream": "bikes", "table_name": AUDIT.name, "table_version": 4, "check_name": "first"}
    kept |= {"passed": True, "figure": "0", "allowed": "0", "at": datetime.now(UTC), "logical_date": DAY}
    lake.append(old, [kept])
    _check(lake, 3)
    assert newest_passed(lake, DAY) == ("1-1", 3, "a run")
    assert {row["run_id"] for row in lake.read(VERDICTS.name).to_pylist()} == {"old", "a run"}


def test_verdicts_on_a_table_that_was_moved_away_say_nothing_of_the_one_made_anew(lake):
    _check(lake, 40)
    shutil.rmtree(lake.folder(AUDIT.name))
    lake.ensure(AUDIT)
    assert newest_passed(lake, DAY) is None
