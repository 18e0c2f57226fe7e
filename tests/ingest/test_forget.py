"""What a landing file delivered stays when the file goes, until it is forgotten. No JVM."""

import pytest

from tests.support import landings, trips
from tests.support.lakes import copied, ingest, pending
from tests.support.landings import BIKES, content_of, path_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.checks import law_1_files
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.runs.ingest_day import forget, ingest_day
from windrow.pipelines.upkeep.repair import repair
from windrow.schemas.errors import TableDamaged, UnknownName, WrongParameter
from windrow.schemas.ledger_tables import VERDICTS

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]

# a and b share a line, c is a copy of a.
SHARED = trips.trip("2017-06-03 08:00:00", 600)
A = content_of(BIKES, [SHARED, trips.trip("2017-06-03 09:00:00", 60), "no trip"])
B = content_of(BIKES, [SHARED, trips.trip("2017-06-05 09:00:00", 60)])
FILES = {path_of(BIKES, name, packed=True): content for name, content in {"a": A, "b": B, "c": A}.items()}
FIRST, SECOND, COPY = FILES
MOST_COMMITS = 11


def forgotten(config: Config, path: str, leave_file: bool = False):
    return forget(config, path, leave_file, None, lambda text: None)


@pytest.fixture(scope="module")
def three(tmp_path_factory) -> Config:
    """A lake of three files; never changed by a test."""
    return landings.at_once(tmp_path_factory.mktemp("three"), BIKES, FILES)


@pytest.fixture
def config(three, tmp_path) -> Config:
    return copied(three, tmp_path)


def reference(tmp_path, *paths: str) -> dict:
    """What a new lake of these files holds."""
    return landings.held(landings.at_once(tmp_path / "at once", BIKES, {path: FILES[path] for path in paths}), BIKES)


def take_away(config: Config, *paths: str) -> None:
    for path in paths:
        (config.landing / path).unlink()


def lose(config: Config, table: str, damaged: bool) -> None:
    """Move a table away, or repair it after damage to its log."""
    folder = Lake(config).folder(table)
    if not damaged:
        folder.rename(config.home / f"lost {table}")
        return
    (folder / "_delta_log" / f"{0:020d}.json").write_bytes(b"")
    repair(config, [table])


def test_what_a_vanished_file_delivered_stays(config):
    before = landings.held(config, BIKES)
    take_away(config, *FILES)
    (message,) = [message for message in ingest(config, BIKES).messages if "no longer in the landing folder" in message]
    assert f"windrow forget {min(FILES)}" in message
    assert landings.held(config, BIKES) == before


@pytest.mark.parametrize("gone", [[FIRST], [SECOND], [COPY, FIRST]], ids=len)
def test_a_forgotten_file_s_duplicates_take_its_place(config, tmp_path, gone):
    """Its copy is taken, and so is the line that another file has too: a lake of the rest at once is the same. Where it
    comes back it is new."""
    before, left = landings.held(config, BIKES), FILES.keys() - {*gone}
    take_away(config, *gone)
    reports = [forgotten(config, path) for path in gone]
    assert landings.held(config, BIKES) == reference(tmp_path, *left) != before
    assert not {*gone} & (landings.file_rows(config, BIKES).keys() | landings.lines_held(config, BIKES).keys())
    assert not pending(config, BIKES)
    if gone == [FIRST]:
        assert {row.path for row in reports[0].files} == left
    for path in gone:
        landings.put(config, path, FILES[path])
    ingest(config, BIKES)
    assert landings.held(config, BIKES) == before


def test_a_copy_that_has_vanished_too_is_named(config):
    take_away(config, FIRST, COPY)
    messages = forgotten(config, FIRST).messages
    assert not [message for message in messages if FIRST in message and "windrow forget" in message]
    assert [message for message in messages if COPY in message and "put them back" in message]


def test_new_files_wait_for_an_ingest(config):
    take_away(config, SECOND)
    new = path_of(BIKES, "new", packed=False)
    landings.put(config, new, content_of(BIKES, [trips.trip("2017-06-09 09:00:00", 60)]))
    forgotten(config, SECOND)
    assert pending(config, BIKES) == [new]


@pytest.mark.nightly
def test_a_file_that_lies_in_the_landing_folder_is_refused_unless_it_may_stay(config, tmp_path):
    before = landings.held(config, BIKES)
    with pytest.raises(WrongParameter, match="--leave-file"):
        forgotten(config, SECOND)
    assert landings.held(config, BIKES) == before
    forgotten(config, SECOND, leave_file=True)
    assert landings.held(config, BIKES) == reference(tmp_path, FIRST, COPY)
    assert not pending(config, BIKES)
    assert ingest(config, BIKES).files == ()
    landings.put(config, SECOND, content_of(BIKES, [trips.trip("2017-06-05 10:00:00", 60)]))
    assert pending(config, BIKES) == [SECOND]
    assert ingest(config, BIKES).accepted == 1


@pytest.mark.parametrize("damaged", [False, True])
def test_a_file_that_may_stay_is_left_out_also_where_nothing_but_the_ledger_knows_it(config, damaged):
    forgotten(config, SECOND, leave_file=True)
    before = landings.held(config, BIKES)
    lose(config, "files_bikes", damaged)
    report = ingest(config, BIKES)
    assert [message for message in report.messages if SECOND in message and "until it changes" in message]
    assert landings.held(config, BIKES) == before
    assert not pending(config, BIKES)


def test_a_forgotten_file_whose_content_changed_is_taken_also_where_only_the_ledger_knows_it(config):
    forgotten(config, SECOND, leave_file=True)
    changed = content_of(BIKES, [trips.trip("2017-06-05 10:00:00", 60)])
    landings.put(config, SECOND, changed)
    ingest(config, BIKES)
    landings.put(config, SECOND, B)
    ingest(config, BIKES)
    before = landings.held(config, BIKES)
    for table in ("files_bikes", "bronze_bikes"):
        lose(config, table, False)
    ingest(config, BIKES)
    assert landings.held(config, BIKES) == before
    assert SECOND in {row["path"] for row in trips.silver(config)}


@pytest.mark.parametrize("path", ["bikes/nowhere.csv", "", "../x", f"{trips.FOLDER}/trips-z.csv.gz"])
def test_a_path_that_nobody_knows_is_refused(config, path):
    with pytest.raises(UnknownName, match="[Kk]nown: .*trips-a.csv.gz"):
        forgotten(config, path)
    take_away(config, SECOND)
    forgotten(config, SECOND)
    with pytest.raises(UnknownName):
        forgotten(config, SECOND)


def test_a_forget_that_failed_after_the_file_was_taken_out_ends_well_when_it_is_repeated(config, tmp_path):
    ingest(config, BIKES)
    take_away(config, SECOND)
    log = Lake(config).folder(VERDICTS.name) / "_delta_log"
    log.rename(tmp_path / "log")
    with pytest.raises(TableDamaged):
        forgotten(config, SECOND)
    (tmp_path / "log").rename(log)
    assert [message for message in forgotten(config, SECOND).messages if "the lake holds no events of it" in message]
    assert landings.held(config, BIKES) == reference(tmp_path, FIRST, COPY)
    with pytest.raises(UnknownName):
        forgotten(config, SECOND)


def test_it_is_a_step_of_the_ledger_and_touched_days_differ(config):
    ingest_day(config, BIKES, None, None, lambda text: None)
    days = {row["arrival_date"]: row["silver_digest"] for row in Lake(config).read("partitions_bikes").to_pylist()}
    take_away(config, SECOND)
    report = forgotten(config, SECOND)
    (row,) = [row for row in run_table.rows(Lake(config)) if row.step == "forget" and row.state == "done"]
    assert row.inputs["forgotten"] == SECOND
    assert row.outputs == snapshots.outputs(report.snapshot)
    (law,) = [each for each in Lake(config).read(VERDICTS.name).to_pylist() if each["run_id"] == row.run_id]
    assert law["passed"] and (law["check_name"], law["snapshot"]) == (law_1_files.NAME, report.snapshot.name)
    now = {row["arrival_date"]: row["silver_digest"] for row in Lake(config).read("partitions_bikes").to_pylist()}
    assert {day for day in days if days[day] != now.get(day)} == set(report.touched_days) != set()


@pytest.mark.nightly
@pytest.mark.parametrize("commits", range(1, MOST_COMMITS))
def test_killed_after_any_commit_it_is_ended_by_the_next_ingest_or_never_began(config, tmp_path, commits):
    """One commit is the intent's: from then on the file is forgotten."""
    leave_file = commits % 2 == 0
    if not leave_file:
        take_away(config, FIRST)
    landings.kill_after_commits(config, commits, "forget", FIRST, *["--leave-file"] * leave_file)
    assert commits > 8 or pending(config, BIKES)
    ingest(config, BIKES)
    assert landings.held(config, BIKES) == reference(tmp_path, SECOND, COPY)
    assert not pending(config, BIKES)
