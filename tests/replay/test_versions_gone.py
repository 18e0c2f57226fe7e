"""A version that a run was to read, and that can't be read any more: the message has the command that makes another.
No JVM."""

import os
from pathlib import Path

import pytest
from deltalake import DeltaTable

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ledger import run_table
from pipelines.runs.ingest_day import ingest_day
from pipelines.runs.replay import replay_day
from pipelines.tables.query_tables import QueryTables
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp
from tests.support import damages
from tests.support.lakes import DAYS, PATIENT, ingest, silent
from tests.support.replay import landing

QUERY, DAY = "bikes_demand", DAYS[2]
TABLES = QueryTables.of(registry.query(QUERY))
RUNS_READ = [TABLES.source.silver.name, TABLES.source.passes.name, TABLES.source.partitions.name]
AUDITS = [TABLES.audit.name, TABLES.late_audit.name]
pytestmark = [PATIENT, pytest.mark.slow, pytest.mark.nightly]


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


@pytest.mark.parametrize("table", AUDITS)
def test_where_all_can_be_read_the_rows_are_published(ingested, table):
    replay_day(ingested, QUERY, DAY, "audit", "waits")
    replay_day(ingested, QUERY, DAYS[1], "audit", "others")
    remove_replaced(ingested, table)  # of another day
    assert replay_day(ingested, QUERY, DAY, "publish", "waits").rows
