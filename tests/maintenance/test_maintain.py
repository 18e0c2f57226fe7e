"""Maintenance keeps tables small and readable, and takes away nothing that a reader or a run needs. No JVM."""

from datetime import timedelta

import pytest

from pipelines.cli import _app as command_line
from pipelines.gate.validation_results import kept
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger.stale import stale
from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.maintain import maintain
from pipelines.runs.replay_day import replay_day
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp
from schemas.ledger_tables import RUNS
from tests.support.lakes import DAYS, PATIENT, QUERIES, ingest
from tests.support.replay import landing
from tests.support.replay.reading import published_rows

QUERY, DAY = "bikes_demand", DAYS[2]
NOW, WEEK = timedelta(0), timedelta(days=7)
pytestmark = PATIENT


def silent(text: str) -> None:
    """Progress that nobody listens to."""


def files_on_disk(lake: Lake, name: str) -> int:
    return len(list(lake.folder(name).rglob("*.parquet")))


def of_table(config, name: str, keep: timedelta):
    return next(each for each in maintain(config, keep, False, silent) if each.table == name)


def scatter(published) -> None:
    """Publish a day in three commits of its table, as other tools' writes may leave it."""
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).results
    rows = [row for row in lake.read(QUERY).to_pylist() if row["emitted_date"] == DAY]
    lake.replace(table, {"emitted_date": [DAY]}, rows[::3])
    for part in (1, 2):
        lake.append(table, rows[part::3])


def test_small_files_are_put_together_and_every_table_holds_what_it_held(published):
    before = {name: published_rows(published, name) for name in QUERIES}
    scatter(published)
    assert published_rows(published, QUERY) == before[QUERY]
    done = of_table(published, QUERY, WEEK)
    assert (done.files_before - done.files_after, done.removed_files) == (2, 0)
    assert {name: published_rows(published, name) for name in QUERIES} == before
    assert stale(Lake(published)) == []


def test_what_no_version_holds_that_is_kept_goes_and_the_rest_stays(published):
    scatter(published)
    lake, files = Lake(published), files_on_disk(Lake(published), QUERY)
    kept = of_table(published, QUERY, WEEK)
    assert kept.removed_files == 0 and files_on_disk(lake, QUERY) > files
    removed = of_table(published, QUERY, NOW)
    assert removed.removed_files > 0 and removed.freed_bytes > 0
    assert files_on_disk(lake, QUERY) - removed.files_after <= 2  # a checkpoint is Parquet too
    assert stale(lake) == []


def test_a_dry_run_says_what_would_go_and_changes_nothing(published):
    scatter(published)
    lake = Lake(published)
    versions = {name: lake.version(name) for name in lake.names()}
    would = {each.table: each.removed_files for each in maintain(published, NOW, True, silent)}
    assert {name: lake.version(name) for name in lake.names()} == versions and would[QUERY] > 0


def test_audit_rows_of_published_days_go_and_those_that_wait_stay(published):
    lake = Lake(published)
    replay_day(published, QUERY, DAY, "audit", "waits")
    maintain(published, WEEK, False, silent)
    assert lake.partition_dates(f"{QUERY}_audit") >= {DAY}
    waiting = lake.read(f"{QUERY}_audit").num_rows
    assert waiting > 0
    maintain(published, NOW, False, silent)
    assert lake.read(f"{QUERY}_audit").num_rows == 0
    with pytest.raises(NotSetUp, match="windrow maintain removed the audit rows.*--stage audit"):
        replay_day(published, QUERY, DAY, "publish", "waits")


def test_the_newest_snapshot_can_always_be_replayed(published):
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    maintain(published, NOW, False, silent)
    before = published_rows(published, QUERY)
    for day in DAYS:
        replay_day(published, QUERY, day)
    assert published_rows(published, QUERY) != before


def test_a_run_whose_snapshot_is_older_than_what_is_kept_must_ingest_again(published):
    ingest_day(published, "bikes", DAY, "old", silent)
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    maintain(published, NOW, False, silent)
    with pytest.raises(IngestBehind, match="older than what that keeps.*windrow ingest bikes"):
        replay_day(published, QUERY, DAY, run_id="old")


def test_maintenance_of_a_maintained_lake_finds_nothing_to_do(published):
    maintain(published, NOW, False, silent)
    again = maintain(published, NOW, False, silent)
    assert [each for each in again if each.files_before != each.files_after or each.removed_files] == []


def test_the_command_lists_what_it_did(published, monkeypatch, capsys):
    monkeypatch.setenv("WINDROW_HOME", str(published.home))
    assert command_line.run(["maintain", "--keep-days", "0"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in (QUERY, "silver_bikes", RUNS.name))


def test_the_command_says_how_many_validation_results_go(published, monkeypatch, capsys):
    monkeypatch.setenv("WINDROW_HOME", str(published.home))
    replay_day(published, QUERY, DAY)
    before = len(list(kept(published)))
    for words, shown in (
        (["--keep-days", "7"], ""),
        (["--keep-days", "0", "--dry-run"], "2 would go"),
        (["--keep-days", "0"], "2 removed"),
        (["--keep-days", "0"], ""),
    ):
        assert command_line.run(["maintain", *words]) == 0
        message = capsys.readouterr().err
        assert shown in message and ("validation results that newer ones replaced" in message) == bool(shown)
    assert len(list(kept(published))) == before - 2
