"""Damaged files of a lake: a command that meets one names it and what repairs it; after that, the rows are those of
before."""

import errno
import itertools
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import duckdb
import pytest

from tests.support import damages, trips
from tests.support.chaos.commands import ENDS, Ended
from tests.support.chaos.reader import Reader
from tests.support.lakes import DAYS, PATIENT, QUERIES
from tests.support.replay import landing
from tests.support.replay.reading import published_rows
from windrow.pipelines.config import Config
from windrow.pipelines.delta.damage import explained
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import LOG
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.upkeep.repair import repair
from windrow.schemas.errors import LockHeld, TableDamaged

QUERY, DAY = "bikes_demand", DAYS[2]
REPLAY, INGEST = ["replay", QUERY, "--day", str(DAY)], ["ingest", "bikes"]
COUNTED = ["query", f"SELECT sum(events), max(longest_trip_duration_s), max(start_station_id) FROM {QUERY}"]
OF_DAY = [("arrival_date", "=", DAY)]
LEDGER = ["runs", "verdicts"]
RUNS_READ = [f"{part}_bikes" for part in ("silver", "pass", "partitions")]
STREAM = [f"{part}_bikes" for part in ("files", "bronze", "silver", "quarantine", "pass", "partitions")]
PUBLISHED = [QUERY, f"{QUERY}_late", f"{QUERY}_audit", f"{QUERY}_late_audit"]
# Of each table the command that needs it.
READERS = {"silver_bikes": REPLAY, QUERY: COUNTED, "runs": ["runs"]}
pytestmark = [PATIENT, pytest.mark.slow, pytest.mark.few_tests(4)]


class User:
    """Types commands in this process, over a lake."""

    def __init__(self, config: Config, here: Callable):
        self.config, self.here = config, here

    def type(self, words: list[str]) -> Ended:
        """Type one command, as `Terminal` does."""
        ended = self.here(*words)
        text = ended.out + ended.error
        assert "defect" not in text and "Traceback" not in text, text
        return Ended(words, ENDS, ended.code, text)


@pytest.fixture
def user(published, monkeypatch, here) -> User:
    monkeypatch.setenv("WINDROW_HOME", str(published.home))
    monkeypatch.setenv("WINDROW_LANDING", str(published.landing))
    return User(published, here)


def contents(config: Config) -> dict:
    """What must come back: all rows of the stream's tables and of the published ones, and what the ledger has of the
    days that are published, apart from days without a row: no table shows that these were published."""
    lake = Lake(config)
    done = ledger.rows(lake, [("step", "=", "publish"), ("state", "=", "done")])
    held = {query: lake.partition_dates(query) | lake.partition_dates(f"{query}_late") for query in QUERIES}
    return trips.contents(config) | {
        **{query: published_rows(config, query) for query in QUERIES},
        "published days": {row.replayed for row in done if row.replayed[1] in held[row.replayed[0]]},
    }


def assert_named(ended: Ended, table: str, damaged: Path) -> None:
    assert ended.exit_code == TableDamaged.exit_code, ended.text
    assert f"table {table!r} is damaged" in ended.text and "First run: windrow " in ended.text
    assert f"{table}/" in ended.text and (damaged.name in ended.text or damaged.name == table)


def repaired(user: User, words: list[str], before: dict) -> None:
    Reader(user).until_it_works(words)
    Reader(user).replay_what_is_stale()
    assert user.type(["runs", "--stale", "--json"]).text.startswith("[]")
    ended = user.type(["repair"])
    assert ended.exit_code == 0 and "nothing is damaged" in ended.text
    assert contents(user.config) == before


MEETINGS = {
    "replay": ([*REPLAY, "--run-id", "stopped"], "pass_bikes"),
    "tables": (["tables"], f"{QUERY}_late"),
    "profile": (["profile", "bikes"], "quarantine_bikes"),
    "ingest": (INGEST, "files_bikes"),
    "backfill": (["backfill", QUERY, "--from", str(DAY), "--to", str(DAY)], "partitions_bikes"),
    "publish": ([*REPLAY, "--stage", "publish"], f"{QUERY}_audit"),
    "stale": (["runs", "--stale"], "partitions_bikes"),
}


@pytest.mark.parametrize("command", MEETINGS)
def test_every_command_that_meets_damage_says_so_and_the_ledger_which_table_stopped_a_step(user, command):
    words, table = MEETINGS[command]
    damaged = damages.do(user.config, table, "a garbage entry")
    assert_named(user.type(words), table, damaged)
    ended = user.type([*words, "--json"])
    assert ended.exit_code == TableDamaged.exit_code
    assert json.loads(ended.text.splitlines()[-1])["kind"] == "TableDamaged"
    stopped = ledger.rows(Lake(user.config), [("run_id", "=", "stopped")])
    assert [(row.state, f"TableDamaged: table '{table}' is damaged" in row.message) for row in stopped] == (
        [("refused", True)] * 2 if "stopped" in words else []
    )


@pytest.mark.usefixtures("through_spark")
@pytest.mark.parametrize("table, kind", [
    ("silver_bikes", "missing"), ("silver_bikes", "garbage before the footer"), ("silver_bikes", "truncated"),
    (f"{QUERY}_audit", "a gap"),
])  # fmt: skip
def test_damage_that_spark_meets_is_named(user, table, kind):
    damaged = damages.do(user.config, table, kind, OF_DAY if table == "silver_bikes" else None)
    assert_named(user.type(REPLAY), table, damaged)


@pytest.mark.parametrize("table_kind", [*zip(itertools.cycle(READERS), damages.KINDS)], ids=" ".join)
def test_damage_is_named_and_what_the_messages_say_repairs_it(user, table_kind):
    table, kind = table_kind
    before = contents(user.config)
    damaged = damages.do(user.config, table, kind, OF_DAY if table == "silver_bikes" else None)
    ended = user.type(READERS[table])
    assert_named(ended, table, damaged)
    assert f"First run: windrow repair {table}" in ended.text
    repaired(user, READERS[table], before)


@pytest.mark.nightly
@pytest.mark.parametrize("table", STREAM)
@pytest.mark.parametrize("words", [REPLAY, INGEST], ids=["replay", "ingest"])
def test_a_streams_log_that_lost_its_newest_entry_is_named_and_repaired(user, table, words):
    """What is left is a log that is whole, and an older table: the ledger knows that there was more."""
    before = contents(user.config)
    damages.do(user.config, table, damages.NEWEST_ENTRY)
    ended = user.type(words)
    if words == REPLAY and table not in RUNS_READ:  # and the run's rows are right
        assert ended.exit_code == 0
    else:
        assert_named(ended, table, user.config.lake / table / LOG)
    repaired(user, INGEST, before)


@pytest.mark.parametrize("table", [QUERY, f"{QUERY}_late", "runs"])
def test_days_that_differ_from_what_the_ledger_has_are_listed_and_published_again(user, table):
    """Of a log that lost its newest entry. Readers of the table can't see it."""
    before = contents(user.config)
    damages.do(user.config, table, damages.NEWEST_ENTRY)
    assert user.type(["runs", "--stale", "--json"]).text.startswith("[{")
    ended = user.type(["repair"])
    # The days that one commit published, which were lost with it.
    again = re.search(rf"then run: windrow backfill {QUERY} --from \S+ --to {DAYS[-1]}$", ended.text, re.MULTILINE)
    assert ended.exit_code == 0 and (table == "runs" or again)
    repaired(user, COUNTED, before)


@pytest.mark.nightly
def test_an_ingest_that_the_ledger_has_lost_is_asked_for(user):
    landing.write(user.config.landing, landing.late_file())
    assert user.type(INGEST).exit_code == 0
    damages.do(user.config, "runs", damages.NEWEST_ENTRY)
    ended = user.type(REPLAY)
    assert ended.exit_code == 0 and "its ledger row is lost; " in ended.text
    assert ended.text.rstrip().endswith("windrow ingest bikes")
    assert user.type(INGEST).exit_code == 0
    assert "its ledger row is lost" not in user.type(REPLAY).text


@pytest.mark.nightly
@pytest.mark.parametrize("table", [*PUBLISHED, *LEDGER, *STREAM])
def test_damage_of_any_table_is_found_and_repaired(user, table):
    before = contents(user.config)
    kind = Random(table).choice(damages.KINDS if Lake(user.config).files(table) else damages.OF_A_LOG)
    damaged = damages.do(user.config, table, kind)
    ended = user.type(["repair", "--json"])
    (done,) = json.loads(ended.text.splitlines()[0])
    assert ended.exit_code == 0 and done["table"] == table and damaged.name in done["wrong"]
    for command in done["commands"]:
        Reader(user).until_it_works(command.split()[1:])
    repaired(user, REPLAY, before)


def test_a_ledger_that_lost_nothing_but_its_log_has_every_row_again(user):
    before = [vars(row) for row in ledger.rows(Lake(user.config), stages=True)]
    shutil.rmtree(user.config.lake / "runs" / LOG)
    (done,), _ = repair(user.config, ["runs"])
    after = [vars(row) for row in ledger.rows(Lake(user.config), stages=True)]
    assert sorted(map(repr, after)) == sorted(map(repr, before))
    assert Path(done.moved_to, "runs").is_dir()


def test_rows_of_the_ledger_that_are_lost_are_counted_and_their_days_replayed(user):
    lake = Lake(user.config)
    lost = Path(lake.files("runs")[0])
    rows = lake.dataset("runs").count_rows()
    lost.unlink()
    (done,), _ = repair(user.config, [])
    assert (done.table, done.rows_lost) == ("runs", rows - lake.dataset("runs").count_rows()) and done.rows_lost > 0


@pytest.mark.parametrize("kind", [damages.HINT, "a garbage checkpoint"])
def test_a_damaged_checkpoint_is_taken_out_and_no_row_is_lost(user, kind):
    before = contents(user.config)
    damages.do(user.config, QUERY, kind)
    (done,), _ = repair(user.config, [QUERY])
    assert (done.rows_lost, done.commands, contents(user.config)) == (0, (), before)


def test_a_repair_that_ends_early_has_printed_what_to_run_for_what_it_took_out(user, monkeypatch):
    monkeypatch.setenv("WINDROW_MOST_WAIT_SECONDS", "1")
    damages.do(user.config, "bronze_bikes", damages.LOG_IS_GONE)
    with Lake(user.config).locked("silver_bikes"):
        ended = user.type(["repair"])
    assert ended.exit_code == LockHeld.exit_code and "then run: windrow ingest bikes\n" in ended.text


OF_NO_FILE = [
    OSError(errno.ENOSPC, "full"), BrokenPipeError(errno.EPIPE, "no reader"), duckdb.BinderException("no column x"),
]  # fmt: skip


@pytest.mark.parametrize("error", OF_NO_FILE)
def test_an_error_that_is_of_no_file_is_explained_by_no_damage(user, error):
    damages.do(user.config, "bronze_bikes", damages.LOG_IS_GONE)
    lake = Lake(user.config)
    assert explained(lake, error) is None
    for of_a_file in (OSError(errno.EIO, "can't be read"), duckdb.Error("don't know what type: \x0e")):
        assert explained(lake, of_a_file).table == "bronze_bikes"


def test_nothing_is_taken_out_of_a_lake_that_is_whole(user):
    lake = Lake(user.config)
    versions = {name: lake.version(name) for name in lake.names()}
    assert repair(user.config, []) == ([], len(versions))
    assert {name: lake.version(name) for name in lake.names()} == versions
    assert not user.config.damaged.exists()


def test_a_repair_of_the_ledger_that_was_killed_before_its_last_step_is_ended_by_the_next(user):
    lake = Lake(user.config)
    rows = lake.dataset("runs").count_rows()
    lake.folder("runs").rename(lake.repaired_folder("runs"))
    ended = user.type(["runs"])
    assert ended.exit_code == TableDamaged.exit_code and "windrow repair runs" in ended.text
    assert user.type(["repair", "runs"]).exit_code == 0
    assert lake.dataset("runs").count_rows() == rows


def test_a_wrong_statement_is_no_damage(user):
    damages.do(user.config, f"{QUERY}_late", "missing")
    ended = user.type(["query", f"SELECT nothing FROM {QUERY}"])
    assert ended.exit_code == 12 and "damaged" not in ended.text
