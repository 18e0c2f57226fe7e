"""Maintenance keeps tables small and readable, and takes away nothing that a reader or a run needs. No JVM."""

import os
import time
from datetime import timedelta

import pytest
from deltalake import DeltaTable

from tests.support import landings
from tests.support.damages import make_older
from tests.support.lakes import DAYS, PATIENT, QUERIES, ingest, silent
from tests.support.replay import landing
from tests.support.replay.reading import published_rows, rows
from windrow.pipelines.delta.damage import explained
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.gate.validation_results import kept
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay, replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.upkeep.maintain import maintain, maintain_table
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, IngestBehind, NotSetUp, StorageFailed, Superseded
from windrow.schemas.ledger_tables import RUNS

QUERY, DAY = "bikes_demand", DAYS[2]
NOW, WEEK = timedelta(0), timedelta(days=7)
pytestmark = [PATIENT, pytest.mark.few_tests(2)]


def files_on_disk(lake: Lake, name: str) -> int:
    return sum("_delta_log" not in path.parts for path in lake.folder(name).rglob("*.parquet"))


def of_table(config, name: str, keep: timedelta):
    return next(each for each in maintain(config, keep, False, silent) if each.table == name)


def scatter(published) -> None:
    """Publish a day in three commits of its table, as other tools' writes may leave it."""
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).results
    rows = [row for row in lake.read(QUERY).to_pylist() if row["emitted_date"] == DAY]
    lake.replace(table, {"emitted_date": [DAY]}, rows[::3])
    for part in (1, 2):
        lake.append(table, rows[part::3])


def test_what_read_a_version_beside_maintenance_is_run_again_and_nothing_is_called_damaged(published):
    scatter(published)
    read = Lake(published).dataset(QUERY)
    of_table(published, QUERY, NOW)
    with pytest.raises(OSError) as failed:
        read.to_table()
    gone = explained(Lake(published), failed.value)
    assert isinstance(gone, StorageFailed) and gone.retry_helps and f"of table '{QUERY}' was replaced" in str(gone)


def test_small_files_are_put_together_what_no_kept_version_holds_goes_and_every_table_holds_what_it_held(published):
    lake, before = Lake(published), {name: published_rows(published, name) for name in QUERIES}
    scatter(published)
    assert published_rows(published, QUERY) == before[QUERY]
    files = files_on_disk(lake, QUERY)
    kept = of_table(published, QUERY, WEEK)
    assert (kept.files_before - kept.files_after, kept.removed_files) == (2, 0) and files_on_disk(lake, QUERY) > files
    removed = of_table(published, QUERY, NOW)
    assert removed.removed_files > 0 and removed.freed_bytes > 0
    assert files_on_disk(lake, QUERY) == removed.files_after
    assert {name: published_rows(published, name) for name in QUERIES} == before and stale(lake) == []


def test_files_of_a_run_that_has_not_committed_them_yet_stay_for_a_day(published):
    """However little is kept of what was replaced."""
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).audit
    [file] = write_rows(lake, table, lake.read(table.name, filters=[("emitted_date", "=", DAY)]))
    place = lake.folder(table.name) / file.path
    maintain_table(lake, table.name, NOW, (), False)
    assert place.exists()
    os.utime(place, (0, time.time() - timedelta(days=2).total_seconds()))
    assert maintain_table(lake, table.name, NOW, (), False).removed_files == 1 and not place.exists()


def test_a_dry_run_says_what_would_go_and_changes_nothing(published):
    scatter(published)
    lake = Lake(published)
    versions = {name: lake.version(name) for name in lake.names()}
    would = {each.table: each.removed_files for each in maintain(published, NOW, True, silent)}
    assert {name: lake.version(name) for name in lake.names()} == versions and would[QUERY] > 0


def test_audit_rows_go_so_many_days_after_their_publication(published):
    lake = Lake(published)
    run_id = ledger.latest(lake, QUERY, DAY, "publish").run_id
    maintain(published, WEEK, False, silent)
    assert lake.partition_dates(f"{QUERY}_audit") >= {DAY}
    maintain(published, NOW, False, silent)
    assert lake.read(f"{QUERY}_audit").num_rows == 0
    with pytest.raises(NotSetUp, match="is gone .older than what windrow maintain keeps.*--stage audit"):
        replay_day(published, QUERY, DAY, "publish", run_id)


@pytest.mark.nightly
def test_audit_rows_that_wait_for_their_publication_stay_and_can_be_published(published):
    """Also where rows of the day were published before: these are others."""
    before = published_rows(published, QUERY)
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    replay_day(published, QUERY, DAY, "audit", "waits")
    maintain(published, NOW, False, silent)
    assert Lake(published).partition_dates(f"{QUERY}_audit") == {DAY}
    make_older(Lake(published).folder(f"{QUERY}_audit"), timedelta(days=100))
    maintain(published, NOW, False, silent)
    replay_day(published, QUERY, DAY, "publish", "waits")
    assert published_rows(published, QUERY) != before
    maintain(published, NOW, False, silent)
    assert Lake(published).partition_dates(f"{QUERY}_audit") == set()


def test_audit_rows_whose_gate_failed_stay(published):
    replay_day(published, QUERY, DAY, "audit", "fails")
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).audit
    rows = lake.read(table.name, filters=[("emitted_date", "=", DAY)]).to_pylist()
    wrong = [{**row, "events": row["events"] + 1} for row in rows]
    audited = ledger.latest(lake, QUERY, DAY, "audit", "fails")
    versions = audited.outputs | {"audit": lake.replace(table, {"emitted_date": [DAY]}, wrong)}
    with ledger.step(lake, Run("fails", "bikes", QUERY, DAY), "audit") as entry:
        entry.inputs, entry.outputs = audited.inputs, versions
    with pytest.raises(GateFailed):
        replay_day(published, QUERY, DAY, "publish", "fails")
    maintain(published, NOW, False, silent)
    assert lake.read(table.name).to_pylist() == wrong


@pytest.mark.nightly
def test_audit_rows_that_another_run_replaced_on_readers_side_go(published):
    """Superseded: no run publishes them."""
    replay_day(published, QUERY, DAY, "audit", "older")
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    replay_day(published, QUERY, DAY, run_id="newer")
    lake = Lake(published)
    audited = ledger.latest(lake, QUERY, DAY, "audit", "older")
    with ledger.step(lake, Run("older", "bikes", QUERY, DAY), "audit") as entry:  # it ends last
        entry.inputs, entry.outputs = audited.inputs, audited.outputs
    maintain(published, NOW, False, silent)
    assert lake.partition_dates(f"{QUERY}_audit") == {DAY}
    with pytest.raises(Superseded):
        replay_day(published, QUERY, DAY, "publish", "older")
    maintain(published, NOW, False, silent)
    assert lake.partition_dates(f"{QUERY}_audit") == set()


def test_an_audit_that_runs_keeps_the_rows_of_its_day(published):
    lake = Lake(published)
    with ledger.step(lake, Run("runs", "bikes", QUERY, DAY), "audit"):
        maintain(published, NOW, False, silent)
        assert lake.partition_dates(f"{QUERY}_audit") == {DAY}


def test_what_an_unfinished_ingest_may_have_to_go_back_to_stays(published, tmp_path):
    """Killed after its commit to bronze, and the new content is gone before the next ingest looks."""
    before = rows(published, "silver_bikes", without=("definition",))
    path = next(iter(landing.trips()))
    landing.write(published.landing, landing.moved_away({path: ""}))
    assert landings.kill_after_commits(published, 2, "ingest", "bikes")
    maintain(published, NOW, False, silent)
    (published.landing / path).unlink()
    ingest(published, "bikes")
    assert rows(published, "silver_bikes", without=("definition",)) == before


@pytest.mark.parametrize("checkpoint", [False, True], ids=["no checkpoint", "after a checkpoint"])
def test_versions_that_were_replaced_can_be_read_for_as_many_days_as_asked_for(published, checkpoint):
    """Also where the table's files are older than that, and a checkpoint has left out what was removed a week ago."""
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).results
    folder, version, held = lake.folder(QUERY), lake.version(QUERY), lake.read(QUERY).num_rows
    make_older(folder, timedelta(days=100))
    lake.replace(table, {"emitted_date": [DAY]}, [])
    make_older(folder, timedelta(days=40))
    lake.append(table, [])
    if checkpoint:
        DeltaTable(folder).create_checkpoint()
    for _ in range(2):
        assert of_table(published, QUERY, timedelta(days=50)).removed_files == 0
        assert lake.read(QUERY, version).num_rows == held
    assert of_table(published, QUERY, timedelta(days=30)).removed_files > 0
    with pytest.raises(FileNotFoundError):
        lake.read(QUERY, version)


@pytest.mark.nightly
def test_a_snapshot_that_is_older_than_a_table_s_log_can_be_replayed(published):
    """Of a stream that ended: maintenance commits to its tables, and no ingest does."""
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    replay_day(published, QUERY, DAY)
    maintain(published, NOW, False, silent)
    for name in ("silver_bikes", "pass_bikes", "partitions_bikes"):
        make_older(Lake(published).folder(name), timedelta(days=400))
    maintain(published, NOW, False, silent)
    before = published_rows(published, QUERY)
    replay_day(published, QUERY, DAY)
    assert published_rows(published, QUERY) == before


def test_a_log_gets_short_again(published):
    """Commits that no run needs go; others' checkpoints take none away, since they don't know which ones are needed."""
    lake, table = Lake(published), QueryTables.of(registry.query(QUERY)).results
    folder = lake.folder(QUERY)
    make_older(folder, timedelta(days=400))
    maintain(published, WEEK, False, silent)
    first = lake.version(QUERY)
    make_older(folder, timedelta(days=100))
    lake.append(table, [])
    DeltaTable(folder).create_checkpoint()
    assert len(list(folder.glob("_delta_log/*.json"))) > 1
    make_older(folder, timedelta(days=20))
    maintain(published, WEEK, False, silent)
    assert not list(folder.glob(f"_delta_log/{first:020d}.json"))


def test_a_run_whose_snapshot_is_older_than_what_is_kept_must_ingest_again(published):
    ingest_day(published, "bikes", DAY, "old", silent)
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    maintain(published, NOW, False, silent)
    with pytest.raises(
        IngestBehind, match="older than what windrow maintain or Delta's log keeps.*windrow ingest bikes --run-id old"
    ):
        replay_day(published, QUERY, DAY, run_id="old")


def test_the_command_lists_what_it_did_and_in_a_maintained_lake_there_is_nothing_to_do(published, run):
    ended = run(published, "maintain", "--keep-days", "0")
    assert ended.code == 0 and all(name in ended.out for name in (QUERY, "silver_bikes", RUNS.name))
    again = maintain(published, NOW, False, silent)
    assert [each for each in again if each.files_before != each.files_after or each.removed_files] == []


@pytest.mark.nightly
def test_the_command_says_how_many_validation_results_go(published, run):
    replay(published, {QUERY: DAYS})
    before, replaced = len(list(kept(published))), "replaced validation results"
    for words, shown in (("7", ""), ("0 --dry-run", "2 would be removed"), ("0", "2 removed"), ("0", "")):
        ended = run(published, "maintain", "--keep-days", *words.split())
        assert ended.code == 0 and shown in ended.error and (replaced in ended.error) == bool(shown)
    assert len(list(kept(published))) == before - 2
