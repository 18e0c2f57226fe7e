"""A table that was moved away, or has lost rows, is made again by the next ingest; what can't be is named. No JVM."""

import hashlib
import itertools
import shutil
from dataclasses import replace
from datetime import date, timedelta

import pytest

from tests.support import landings, trips
from tests.support.lakes import copied, ingest, pending
from tests.support.landings import BIKES, content_of, path_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import files, parse
from windrow.pipelines.ledger import snapshots
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas import registry
from windrow.schemas.errors import TableMismatch

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(3)]

TABLES = [table.name for table in trips.TABLES.all]
FILES, BRONZE, SILVER, QUARANTINE, PASSES, PARTITIONS = TABLES
SHARED = trips.trip("2017-06-03 08:00:00", 600)
A = content_of(BIKES, [SHARED, trips.trip("2017-06-03 09:00:00", 60), "no trip", trips.trip("2017-06-07 09:00:00", 60)])
B = content_of(BIKES, [SHARED, trips.trip("2017-06-05 09:00:00", 60)])
CRLF = content_of(BIKES, [trips.trip("2017-06-06 09:00:00", 60), "no trip either"]).replace(b"\n", b"\r\n")
# The copy has the lesser path, and came later.
LANDED = {path_of(BIKES, name, packed=True): text for name, text in {"b": A, "c": B, "d": CRLF}.items()}
DELIVERING = [*LANDED]
COPY, BROKEN = path_of(BIKES, "a", packed=True), path_of(BIKES, "broken", packed=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Config:
    """A lake of three files, a copy and an unreadable one; never changed by a test."""
    config = landings.at_once(tmp_path_factory.mktemp("whole"), BIKES, LANDED)
    landings.put(config, COPY, A)
    trips.write_bytes(config, BROKEN, b"no gzip")
    ingest(config, BIKES)
    return config


@pytest.fixture
def config(whole, tmp_path) -> Config:
    return copied(whole, tmp_path)


def move_away(config: Config, *tables: str) -> None:
    for table in tables:
        (config.lake / table).rename(config.home / f"moved-{table}")


def contents(config: Config) -> dict:
    """Rows by table, but when files were read; the days on which they landed too."""
    found = trips.contents(config)
    rows = landings.file_rows(config, BIKES).values()
    found[FILES] = sorted(repr(files.replace(row, modified_ns=None)) for row in rows)
    return found


several = [pair for count in (1, 2, 6) for pair in itertools.combinations(TABLES, count)]


@pytest.mark.parametrize("tables", several, ids="-".join)
def test_tables_that_were_moved_away_are_made_again(config, tables):
    before = contents(config)
    move_away(config, *tables)
    ingest(config, BIKES)
    if not {BRONZE, FILES} <= {*tables}:
        assert contents(config) == before
    else:  # no table knows which of two equal files came first
        assert landings.held(config, BIKES)[SILVER].total() == len(before[SILVER])
    assert not pending(config, BIKES)
    ingest(config, BIKES)
    assert not [row for row in landings.file_rows(config, BIKES).values() if row.is_intent]


@pytest.mark.parametrize("tables", [each for each in several if BRONZE not in each], ids="-".join)
def test_of_files_that_have_vanished_bronze_has_the_lines(config, tables):
    before = landings.held(config, BIKES)
    shutil.rmtree(config.landing / "bikes")
    move_away(config, *tables)
    ingest(config, BIKES)
    after = landings.held(config, BIKES)
    for table in (SILVER, PASSES, PARTITIONS):
        assert after[table] == before[table], table
    assert {*DELIVERING} <= landings.file_rows(config, BIKES).keys()
    assert not pending(config, BIKES)


@pytest.mark.parametrize(
    ("gone", "tables", "kept", "state"),
    [
        (DELIVERING[0], [FILES], COPY, files.DUPLICATE),
        (DELIVERING[1], [BRONZE], DELIVERING[1], files.LINES_LOST),
        (DELIVERING[1], [FILES, BRONZE], DELIVERING[1], files.LINES_LOST),
    ],
    ids=["its copy is refused", "not in bronze", "only in silver"],
)
def test_of_a_file_that_has_vanished_the_events_stay_while_a_table_has_them(config, gone, tables, kept, state):
    before = landings.held(config, BIKES)[SILVER]
    (config.landing / gone).unlink()
    move_away(config, *tables)
    told = [text for text in ingest(config, BIKES).messages if f"{gone}: neither the landing folder nor bronze" in text]
    assert bool(told) == (BRONZE in tables)
    assert landings.held(config, BIKES)[SILVER] == before
    assert landings.file_rows(config, BIKES)[kept].state == state
    assert not pending(config, BIKES) and ingest(config, BIKES).files == ()


def test_what_nobody_has_any_more_is_named(config):
    (config.landing / DELIVERING[1]).unlink()
    move_away(config, BRONZE, SILVER, QUARANTINE)
    messages = ingest(config, BIKES).messages
    assert [text for text in messages if text.startswith(DELIVERING[1]) and "its events are lost" in text]
    assert DELIVERING[1] not in landings.file_rows(config, BIKES)
    assert not pending(config, BIKES)


@pytest.mark.parametrize("text", [B, A + b"\n"], ids=["as it was", "with other lines"])
@pytest.mark.parametrize("bronze", ["lost", "half lost"])
def test_a_file_that_is_put_back_after_its_lines_were_lost_is_taken_again(config, tmp_path, bronze, text):
    path = DELIVERING[1]
    (config.landing / path).unlink()
    if bronze == "lost":
        move_away(config, BRONZE)
    else:
        Lake(config).replace(trips.TABLES.bronze, {"path": [path], "line": [1]}, [])
    ingest(config, BIKES)
    assert landings.file_rows(config, BIKES)[path].state == files.LINES_LOST
    landings.put(config, path, text)
    assert pending(config, BIKES) == [path]
    ingest(config, BIKES)
    anew = Config(tmp_path / "anew", config.landing)
    ingest(anew, BIKES)
    assert landings.held(config, BIKES) == landings.held(anew, BIKES)
    assert landings.lines_held(config, BIKES)[path] == text.count(b"\n")


@pytest.mark.parametrize("gone", [DELIVERING[1:2], DELIVERING], ids=["of one file", "of all"])
def test_events_without_lines_stay_as_an_older_definition_made_them_and_the_ingest_says_so(config, monkeypatch, gone):
    for path in gone:
        (config.landing / path).unlink()
    move_away(config, BRONZE)
    ingest(config, BIKES)
    ticks = [("arrival_date", "=", date(2017, 6, 5))]
    assert Lake(config).read(PASSES, filters=ticks).num_rows == 1
    monkeypatch.setitem(registry.streams(), BIKES, replace(registry.stream(BIKES), idle_after=timedelta(hours=1)))
    monkeypatch.setattr(parse, "stream_hash", lambda stream: "another")
    [message, *_] = [text for text in ingest(config, BIKES).messages if "older definition" in text]
    assert message.startswith(gone[0]) and "put the file back" in message
    assert Lake(config).read(PASSES, filters=ticks).num_rows > 1, "silence moves the watermark on all days"


@pytest.mark.parametrize("table", [PASSES, PARTITIONS])
def test_a_lost_table_makes_the_newest_snapshot_no_older(config, table):
    before = ingest(config, BIKES).snapshot
    move_away(config, table)
    report = ingest(config, BIKES)
    assert report.snapshot.name >= before.name
    assert snapshots.newest(Lake(config), BIKES) == report.snapshot


def test_a_lost_table_that_was_made_again_without_its_days_is_behind_the_ledger(config):
    """As an ingest leaves it that is cut off before its last stage: what the one before left can't be read any more."""
    ingest(config, BIKES)
    assert not snapshots.is_behind(Lake(config), BIKES)
    move_away(config, PARTITIONS)
    Lake(config).ensure(trips.TABLES.partitions)
    assert snapshots.is_behind(Lake(config), BIKES)
    ingest(config, BIKES)
    assert not snapshots.is_behind(Lake(config), BIKES)


def test_what_needs_a_lost_table_names_the_ingest_that_makes_it(config, run):
    replay_day(config, "bikes_demand", date(2017, 6, 7))
    move_away(config, PARTITIONS)
    ended = run(config, "runs", "--stale")
    assert ended.code != 0 and "fix it with: windrow ingest bikes\n" in ended.error


@pytest.mark.parametrize("table", TABLES)
def test_a_day_or_a_file_s_rows_that_were_deleted_are_made_again(config, table):
    before, of_table = contents(config), trips.TABLES.all[TABLES.index(table)]
    for gone in ({"arrival_date": [date(2017, 6, 3)]}, {"path": DELIVERING[:1]}):
        if gone.keys() <= {*of_table.column_names}:
            Lake(config).replace(of_table, gone, [])
            assert contents(config) != before
            ingest(config, BIKES)
            assert contents(config) == before


@pytest.mark.nightly
@pytest.mark.parametrize("commits", range(1, 9))
def test_killed_while_tables_are_made_again_the_next_ingest_ends_it(config, commits):
    before = contents(config)
    move_away(config, SILVER, PARTITIONS, QUARANTINE)
    assert landings.kill_after_commits(config, commits, "ingest", BIKES)
    ingest(config, BIKES)
    assert contents(config) == before


NEW_COLUMNS = ("content_bytes", "modified_ns", "before")


def make_older(config: Config) -> None:
    """The table of files as it was: without the new columns, with hashes of the files' bytes on disk."""
    lake, table = Lake(config), trips.TABLES.files
    rows = lake.read(table.name).drop_columns(list(NEW_COLUMNS)).to_pylist()
    move_away(config, FILES)
    older = replace(table, columns=tuple(column for column in table.columns if column.name not in NEW_COLUMNS))
    lake.ensure(older)
    hashes = {row["path"]: hashlib.sha256((config.landing / row["path"]).read_bytes()).hexdigest() for row in rows}
    lake.append(older, [{**row, "content_hash": hashes[row["path"]]} for row in rows])


@pytest.mark.parametrize("renamed", [None, 1, 2], ids=["left", "renamed and unpacked", "and its lines end in CRLF"])
def test_a_table_of_files_of_an_earlier_version_is_refused_and_made_again_without_counting_twice(config, renamed):
    before, path = landings.held(config, BIKES), DELIVERING[renamed or 1]
    make_older(config)
    with pytest.raises(TableMismatch, match="move its folder away"):
        ingest(config, BIKES)
    if renamed:
        landings.put(config, path_of(BIKES, "moved", packed=False), LANDED[path])
        (config.landing / path).unlink()
    (config.lake / FILES).rename(config.home / "older")
    ingest(config, BIKES)
    after = landings.held(config, BIKES)
    assert (after[SILVER], after[QUARANTINE]) == (before[SILVER], before[QUARANTINE])
    assert landings.file_rows(config, BIKES)[path].state == files.ACCEPTED
