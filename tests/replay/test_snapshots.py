"""A run replays what an ingest left, whatever lands or is ingested meanwhile; the newest snapshot wins. Of a version
that can't be read any more the message has the command that makes another. No JVM."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable

from tests.support import damages
from tests.support.lakes import DAYS, PATIENT, ingest, silent
from tests.support.replay import landing
from tests.support.replay.reading import published_rows, rows
from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import CommitNote, words
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import IngestBehind, NotSetUp, StorageFailed, Superseded

QUERY, DAY = "bikes_demand", DAYS[2]
FAR = {"bikes/generated-nyc/trips-2027-01-01.csv": f"{landing.HEADER}\n2027-01-01 12:00:00,300,1,1,1,1980\n"}
pytestmark = [PATIENT, pytest.mark.slow, pytest.mark.few_tests(1)]


def ingest_of(config: Config, run_id: str) -> None:
    """The first task of a run."""
    ingest_day(config, "bikes", DAY, run_id, silent)


@pytest.fixture
def as_first(first_published) -> list[dict]:
    """The day's rows as they are from the first files alone."""
    return [row for row in rows(first_published, QUERY, ()) if row["emitted_date"] == DAY]


@pytest.mark.parametrize("lands", [landing.late_file(), FAR], ids=["files of its days", "a file of next year"])
def test_what_lands_after_a_runs_ingest_changes_nothing_of_it(ingested, as_first, lands):
    ingest_of(ingested, "scheduled")
    landing.write(ingested.landing, lands)
    replay_day(ingested, QUERY, DAY, "audit", "scheduled")
    assert Lake(ingested).version(QUERY) is None, "an audit publishes nothing"
    replay_day(ingested, QUERY, DAY, "publish", "scheduled")
    assert rows(ingested, QUERY, ()) == as_first


def test_a_known_file_that_can_not_be_read_any_more_blocks_no_replay(ingested, as_first):
    known = ingested.landing / next(iter(landing.trips()))
    known.unlink()
    known.mkdir()
    replay_day(ingested, QUERY, DAY)
    assert rows(ingested, QUERY, ()) == as_first


def test_a_run_reads_what_its_own_ingest_left_also_after_another_one_and_is_stale_then(ingested, as_first):
    ingest_of(ingested, "first")
    landing.write(ingested.landing, landing.late_file())
    ingest_of(ingested, "second")
    replay_day(ingested, QUERY, DAY, "audit", "first")
    report = replay_day(ingested, QUERY, DAY, "publish", "first")
    assert rows(ingested, QUERY, ()) == as_first
    assert "already stale" in report.note and "arrival day" in report.note
    assert [run.run_id for run in stale(Lake(ingested))] == ["first"]


@pytest.mark.nightly
@pytest.mark.parametrize("order", [("new", "old"), ("old", "new"), ("new", "old", "new")], ids="-".join)
def test_rows_of_an_older_snapshot_never_overwrite_newer_ones_and_those_of_a_newer_one_replace_older_ones(
    ingested, order
):
    """Whichever audit is the last, and has the highest version."""
    ingest_of(ingested, "old")
    landing.write(ingested.landing, landing.late_file())
    ingest_of(ingested, "new")
    for run_id in order:
        replay_day(ingested, QUERY, DAY, "audit", run_id)
    if order[-1] == "old":
        replay_day(ingested, QUERY, DAY, "publish", "old")
        older = published_rows(ingested, QUERY)
        replay_day(ingested, QUERY, DAY, "publish", "new")
        assert published_rows(ingested, QUERY) != older and stale(Lake(ingested)) == []
    else:
        replay_day(ingested, QUERY, DAY, "publish", "new")
    before = published_rows(ingested, QUERY)
    with pytest.raises(Superseded, match="from the files of a newer ingest"):
        replay_day(ingested, QUERY, DAY, "publish", "old")
    assert published_rows(ingested, QUERY) == before


def test_each_commit_says_which_run_made_it_from_which_snapshot_by_which_definition(ingested):
    replay_day(ingested, QUERY, DAY, run_id="a run")
    lake = Lake(ingested)
    snapshot = snapshots.of_run(lake, "bikes", "a run").name
    for name in (QUERY, f"{QUERY}_late", f"{QUERY}_audit", f"{QUERY}_late_audit"):
        note = json.loads(words(lake.folder(name), lake.version(name)))
        assert (note["run_id"], note["snapshot"]) == ("a run", snapshot)
        assert note["definition"] == definition_hash("bikes", QUERY)
    of_silver = json.loads(words(lake.folder("silver_bikes"), lake.version("silver_bikes")))
    assert of_silver["definition"] == definition_hash("bikes", None)


def test_who_commits_learns_its_own_version_whatever_comes_after_it_or_between_the_looks_at_it(ingested, monkeypatch):
    folder, note = Lake(ingested).folder("files_bikes"), CommitNote({"run_id": "ours"})
    DeltaTable(folder).alter.set_table_description("ours", commit_properties=note.properties)
    version, opened = DeltaTable(folder).version(), storage.delta_table

    def others_follow(*asked) -> DeltaTable:
        table = opened(*asked)
        DeltaTable(folder).alter.set_table_description("theirs")
        return table

    monkeypatch.setattr(storage, "delta_table", others_follow)
    assert note.version(folder) == version and json.loads(words(folder, version))["run_id"] == "ours"
    with pytest.raises(StorageFailed, match="files_bikes"):
        CommitNote({}).version(folder)


def test_without_an_ingest_there_is_nothing_to_replay(config):
    with pytest.raises(NotSetUp, match="windrow ingest bikes"):
        replay_day(config, QUERY, DAY)


@pytest.mark.parametrize("table", ["silver_bikes", "pass_bikes", "partitions_bikes"])
def test_a_table_that_was_made_again_is_not_the_snapshots(ingested, table):
    shutil.rmtree(Lake(ingested).folder(table))
    for each in StreamTables.of(registry.stream("bikes")).all:
        Lake(ingested).ensure(each)
    with pytest.raises(IngestBehind, match=f"{table} was made again.*windrow ingest bikes"):
        replay_day(ingested, QUERY, DAY)


def test_a_stream_of_another_shape_must_be_ingested_first(ingested, monkeypatch):
    stream = registry.stream("bikes")
    monkeypatch.setitem(registry.streams(), "bikes", replace(stream, buckets=stream.buckets + 1))
    with pytest.raises(IngestBehind, match="buckets.*windrow ingest bikes"):
        replay_day(ingested, QUERY, DAY)


def test_outside_of_a_run_the_command_says_that_the_landing_folder_is_ahead(ingested, run):
    landing.write(ingested.landing, landing.late_file())
    ended = run(ingested, "replay", QUERY, "--day", str(DAY))
    assert ended.code == 0 and "1 file(s) of bikes are new" in ended.error
    ingest_of(ingested, "in-a-run")
    os.utime(ingested.landing)
    ended = run(ingested, "replay", QUERY, "--day", str(DAY), "--run-id", "in-a-run")
    assert ended.code == 0 and "file(s) of bikes" not in ended.error


def test_one_run_is_one_commit_of_the_ledger(ingested):
    version = Lake(ingested).version("runs")
    replay_day(ingested, QUERY, DAYS[0], run_id="whole")
    assert Lake(ingested).version("runs") == version + 1
    steps = ledger.rows(Lake(ingested), [("run_id", "=", "whole")])
    assert [(row.step, row.state) for row in steps] == [("audit", "done"), ("publish", "done")]


TABLES = QueryTables.of(registry.query(QUERY))
RUNS_READ = [TABLES.source.silver.name, TABLES.source.passes.name, TABLES.source.partitions.name]
AUDITS = [TABLES.audit.name, TABLES.late_audit.name]


def clean_log(config: Config, table: str) -> None:
    """As Delta's clean-up of a log leaves it after 30 days: a checkpoint, and no entry from before."""
    folder = config.lake / table
    DeltaTable(folder).create_checkpoint()
    for entry in sorted((folder / "_delta_log").glob("*.json"))[:-1]:
        entry.unlink()


def remove_replaced(config: Config, table: str) -> None:
    """As maintenance leaves a table: without the files that its newest version doesn't have."""
    needed = {Path(path) for path in Lake(config).files(table)}
    for file in {*(config.lake / table).rglob("*.parquet")} - needed:
        os.unlink(file)


GONE = pytest.mark.parametrize("take", [clean_log, remove_replaced], ids=["its log is gone", "its files are gone"])


def do_what_it_says(error: Exception, config: Config, run) -> None:
    (words,) = damages.asked_for(str(error))
    assert run(config, *words).code == 0


@pytest.mark.nightly
@GONE
@pytest.mark.parametrize("table", RUNS_READ)
def test_a_run_whose_snapshot_is_gone_must_ingest_again(ingested, run, table, take):
    ingest_day(ingested, "bikes", DAY, "an-old-run", silent)
    landing.write(ingested.landing, landing.late_file())
    ingest(ingested, "bikes")
    take(ingested, table)
    with pytest.raises(IngestBehind, match=f"of {table}.* is gone") as raised:
        replay_day(ingested, QUERY, DAY, run_id="an-old-run")
    do_what_it_says(raised.value, ingested, run)
    replay_day(ingested, QUERY, DAY, run_id="an-old-run")


@pytest.mark.nightly
@GONE
@pytest.mark.parametrize("table", [*AUDITS, *RUNS_READ[:2]])
def test_rows_that_wait_for_their_gate_are_made_again_where_what_it_reads_is_gone(ingested, run, table, take):
    replay_day(ingested, QUERY, DAY, "audit", "waits")
    landing.write(ingested.landing, landing.late_file())
    ingest(ingested, "bikes")
    replay_day(ingested, QUERY, DAY, "audit", "others")
    take(ingested, table)
    with pytest.raises(NotSetUp, match=f"of {table} is gone") as raised:
        replay_day(ingested, QUERY, DAY, "publish", "waits")
    do_what_it_says(raised.value, ingested, run)
    replay_day(ingested, QUERY, DAY, "publish", "waits")


@pytest.mark.nightly
@pytest.mark.parametrize("table", AUDITS)
def test_an_audit_table_that_lost_its_newest_entry_or_was_made_again_has_not_the_rows(ingested, table):
    replay_day(ingested, QUERY, DAY, "audit", "waits")
    newest = damages.do(ingested, table, damages.NEWEST_ENTRY)
    with pytest.raises(NotSetUp, match=f"of {table} is gone.*--stage audit --run-id waits"):
        replay_day(ingested, QUERY, DAY, "publish", "waits")
    newest.parent.parent.rename(ingested.home / "moved away")
    replay_day(ingested, QUERY, DAYS[1], "audit")
    replay_day(ingested, QUERY, DAYS[0], "audit")
    versions = run_table.latest(Lake(ingested), QUERY, DAY, "audit", "waits").outputs
    assert Lake(ingested).version(table) >= versions["audit" if table == AUDITS[0] else "late_audit"]
    with pytest.raises(NotSetUp, match=f"of {table} is gone"):
        replay_day(ingested, QUERY, DAY, "publish", "waits")


@pytest.mark.nightly
@pytest.mark.parametrize("table", AUDITS)
def test_where_all_can_be_read_the_rows_are_published(ingested, table):
    replay_day(ingested, QUERY, DAY, "audit", "waits")
    replay_day(ingested, QUERY, DAYS[1], "audit", "others")
    remove_replaced(ingested, table)  # of another day
    assert replay_day(ingested, QUERY, DAY, "publish", "waits").rows
