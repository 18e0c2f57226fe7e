"""Which files of the landing folder are taken, which are left out with a message, which are known; what an ingest that
was killed half-way leaves, and what the next one makes of it. No JVM."""

import gzip
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from deltalake import DeltaTable

from tests.support import landings, trips
from tests.support.edited import with_layout
from tests.support.lakes import ingest
from tests.support.trips import BIKES, TABLES, find
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.ingest import changes, file_content, files, landing
from windrow.pipelines.ingest.ingest import ingest as ingest_unrecorded
from windrow.pipelines.ingest.landing import HALF_WRITTEN, HIDDEN
from windrow.pipelines.ingest.writes import write_bronze
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp

LINES = [trips.trip("2017-06-03 08:00:00", 600), trips.trip("2017-06-03 08:00:00", 700)]


def take_up(config) -> dict[str, tuple[str, str | None]]:
    """Remember everything as an ingest would; returns state and detail by path."""
    found = find(config)
    rows = [changes.replace(row, definition=registry.stream_hash("bikes")) for row in found.rows.values()]
    trips.remember(config, *rows)
    return {row.path: (row.state, row.detail) for row in rows}


def test_a_missing_landing_folder_is_reported(config):
    with pytest.raises(NotSetUp, match="does not exist; fix it with: mkdir -p .*WINDROW_LANDING"):
        find(config)


def test_files_of_other_streams_are_none_of_our_business(config):
    trips.write_bytes(config, "cdr/x.csv", b"a")
    assert landing.listing(config.landing, BIKES) == landing.Listing({}, ())
    assert "no files of bikes" in find(config).messages[-1]


def test_what_no_layout_names_and_what_holds_no_events_is_reported(config):
    trips.write_bytes(config, "bikes/notes.txt", b"a")
    part = trips.write_bytes(config, f"{trips.path_of('a')}.part", b"still arriving")
    stations = trips.write_bytes(config, f"{trips.FOLDER}/stations.csv.gz", gzip.compress(b"a"))
    found = landing.listing(config.landing, BIKES)
    for path in ("bikes/notes.txt", part):
        assert [message for message in found.messages if f"{path}: left out" in message]
    assert stations in found.paths
    assert find(config).rows[stations].state == "no events"


def test_files_that_lie_where_no_stream_looks_are_listed_a_line_for_each_folder(config):
    for path in ("bike/a.csv", "bike/b/c.csv", "a.csv", trips.path_of("a")):
        trips.write_bytes(config, path, b"a")
    found = landing.listing(config.landing, BIKES)
    assert found.paths == (trips.path_of("a"),)
    assert found.messages == (
        "a.csv: left out, since no stream reads files outside of folders",
        "bike/a.csv and 1 more: left out, since no stream reads that folder",
    )


def test_links_that_lead_out_or_in_a_circle_are_refused_with_a_message(config, tmp_path):
    inside, folder = trips.write(config, "a", LINES), config.landing / trips.FOLDER
    (tmp_path / "outside.csv.gz").write_bytes(gzip.compress(b"a\n"))
    (tmp_path / "folder").mkdir()
    out = {"trips-out.csv.gz": "outside.csv.gz", "trips-none.csv.gz": "none", "dir": "folder"}
    circles = {"trips-self.csv.gz": "trips-self.csv.gz", "x": "y", "y": "x", "deep": "x/deep"}
    for name, target in [*((name, tmp_path / target) for name, target in out.items()), *circles.items()]:
        (folder / name).symlink_to(target)
    (config.landing / "elsewhere").symlink_to("elsewhere")
    found = landing.listing(config.landing, BIKES)
    assert found.paths == (inside,)
    links = [message.split(": left out, a link")[0] for message in found.messages if ": left out, a link" in message]
    assert sorted(links) == sorted(f"{trips.FOLDER}/{name}" for name in out | circles)
    [unread] = [message for message in found.messages if ": left out, a link" not in message]
    assert unread.startswith("elsewhere: left out, since no stream reads")


def test_a_folder_with_a_file_s_name_is_reported_by_its_stream_and_what_lies_in_it_too(config):
    inside = trips.write_bytes(config, f"{trips.path_of('a')}/notes.txt", b"a")
    trips.write_bytes(config, "cdr/social-evolution/x.csv/y.csv", b"a")
    found = landing.listing(config.landing, BIKES)
    assert found.paths == ()
    folder, file = found.messages
    assert folder.startswith(f"{trips.path_of('a')}: left out, it is a folder")
    assert file.startswith(f"{inside}: left out")


def test_a_link_within_the_folder_is_a_file(config):
    trips.write(config, "a", LINES)
    (config.landing / trips.path_of("b")).symlink_to(config.landing / trips.path_of("a"))
    assert len(landing.listing(config.landing, BIKES).paths) == 2


def test_names_that_are_not_text_are_left_out_with_a_message(config):
    trips.write(config, "a", LINES)
    (config.landing / trips.FOLDER / "trips-\udcff.csv.gz").write_bytes(b"")
    found = landing.listing(config.landing, BIKES)
    assert len(found.paths) == 1
    assert ["rename it" in message for message in found.messages] == [True]


def test_what_a_file_is(config):
    row = file_content.inspect(config.landing, trips.BIKES, trips.TODAY, trips.write(config, "a", LINES))
    assert (row.lines, row.layout, row.state) == (3, "daily", files.ACCEPTED)
    assert row.file_bytes == (config.landing / row.path).stat().st_size


def test_equal_content_is_taken_from_the_least_path_and_its_lines_are_counted(config):
    first, second = trips.write(config, "a", LINES), trips.write(config, "b", LINES)
    rows = find(config).rows
    assert (rows[first].state, rows[second].state) == ("accepted", "duplicate file")
    assert (rows[second].lines, rows[second].readings, rows[second].duplicates) == (3, 2, 2)


@pytest.mark.parametrize("packed", [True, False])
def test_known_content_under_a_lesser_path_is_the_duplicate_packed_or_not_and_packed_anew_it_is_not_new(config, packed):
    known, content = trips.write(config, "b", LINES), landings.content_of(landings.BIKES, LINES)
    assert take_up(config) == {known: ("accepted", None)}
    later = landings.path_of(landings.BIKES, "a", packed)
    landings.put(config, later, content)
    assert take_up(config) == {later: ("duplicate file", f"the same content as {known}")}
    trips.write_bytes(config, known, gzip.compress(content, compresslevel=1, mtime=5))
    assert find(config).rows == {} and changes.pending(Lake(config), TABLES) == []


def test_files_without_lines_are_no_duplicates_of_each_other(config):
    paths = [trips.write_bytes(config, trips.path_of(name), b"") for name in "ab"]
    assert take_up(config) == dict.fromkeys(paths, ("empty", "the file holds no lines"))


@pytest.mark.parametrize("swapped", [False, True])
def test_a_duplicate_is_taken_up_when_its_first_is_replaced_and_so_are_swapped_contents(config, swapped):
    first, second = trips.write(config, "a", LINES), trips.write(config, "b", LINES[:1] if swapped else LINES)
    take_up(config)
    trips.write(config, "a", LINES[:1])
    trips.write(config, "b", LINES)
    assert take_up(config) == {first: ("accepted", None), second: ("accepted", None)}


def test_nothing_is_pending_after_an_ingest_and_new_changed_and_gone_files_are_distinguished(config):
    kept, changed = trips.write(config, "a", LINES), trips.write(config, "b", LINES[:1])
    assert changes.pending(Lake(config), TABLES) == [kept, changed]
    take_up(config)
    assert changes.pending(Lake(config), TABLES) == []
    trips.write(config, "b", LINES[1:])
    new = trips.write(config, "c", [])
    (config.landing / kept).unlink()
    assert changes.pending(Lake(config), TABLES) == [changed, new]
    assert ["no longer in the landing folder" in message for message in find(config).messages] == [True]


def test_another_definition_makes_every_known_file_pending(config):
    path = trips.write(config, "a", LINES)
    take_up(config)
    row = changes.replace(files.known_files(Lake(config), TABLES.files)[path], definition="another")
    trips.remember(config, row)
    assert changes.pending(Lake(config), TABLES) == [path]
    assert (list(find(config).rows), find(config).landed) == ([path], frozenset())


LEFT_OUT = {
    HIDDEN: [".x.csv", "._x.csv", ".x.csv.Ab3dEf", ".sync/x.csv"],
    HALF_WRITTEN: [
        "x.csv.part", "x.csv~", "~$x.csv", "x.csv.gz.PART", "x.csv.filepart", "x.csv.crdownload", "x.csv._COPYING_",
        "x.tmp/x.csv", "_temporary/0/x.csv",
    ],
}  # fmt: skip
TAKEN = ["x.csv", "x.part.csv", "_x.csv", "parts.csv", "tmp.csv", "x~1.csv", "a.b.csv", "x.csv.gz"]


@pytest.mark.parametrize("why", LEFT_OUT)
def test_a_file_that_is_hidden_or_still_written_is_left_out_and_listed(config, why):
    depths = ("*", "*/*", "*/*/*")
    everything = replace(trips.BIKES.layouts[0], paths=tuple(f"{trips.FOLDER}/{depth}" for depth in depths))
    for name in (*LEFT_OUT[why], *TAKEN):
        trips.write_bytes(config, f"{trips.FOLDER}/{name}", b"a")
    for stream in (with_layout(trips.BIKES, everything), registry.stream("bikes")):
        found = landing.listing(config.landing, stream)
        listed = [f"{trips.FOLDER}/{name}: left out, {why}" for name in LEFT_OUT[why]]
        assert sorted(message for message in found.messages if why in message) == sorted(listed)
        assert not {*found.paths} & {f"{trips.FOLDER}/{name}" for name in LEFT_OUT[why]}
        if stream.layouts == (everything,):
            assert {*found.paths} == {f"{trips.FOLDER}/{name}" for name in TAKEN}


ONE_LINE = [trips.trip("2017-06-03 08:00:00", 600)]


def test_a_file_that_was_being_emptied_is_taken_out_of_silver_by_the_next_ingest(config):
    path = trips.write_bytes(config, trips.path_of("a"), b"")
    trips.remember(config, changes.replace(find(config).rows[path], definition=files.INTENT))
    again = find(config)
    assert again.rows[path].state == files.EMPTY and again.touch_tables


def test_a_file_that_never_reached_bronze_is_new_when_it_comes_back(config):
    path = trips.write(config, "a", ONE_LINE)
    trips.remember(config, find(config).intents[path])
    hidden = (config.landing / path).rename(config.landing / "hidden")
    made_final = changes.replace(find(config).rows[path], definition=registry.stream_hash("bikes"))
    trips.remember(config, made_final)
    hidden.rename(config.landing / path)
    assert find(config).landed == {path} and changes.pending(Lake(config), TABLES) == [path]


@pytest.mark.slow
def test_files_cut_off_and_gone_have_never_come(config):
    paths = [
        trips.write(config, name, [*ONE_LINE, trips.trip("2017-06-03 09:00:00", n)]) for n, name in enumerate("ab")
    ]
    found = find(config)
    for path in paths:
        trips.remember(config, found.intents[path])
        (config.landing / path).unlink()
    assert {row.state for row in find(config).rows.values()} == {files.REMOVED}
    assert [message for message in find(config).messages if "counts as never landed" in message]
    assert changes.pending(Lake(config), TABLES) == paths
    ingest(config, "bikes")
    assert files.known_files(Lake(config), TABLES.files) == {}
    assert changes.pending(Lake(config), TABLES) == []


def test_a_file_that_a_fixed_definition_calls_events_is_taken_up(config):
    path = trips.write(config, "a", ONE_LINE)
    row = find(config).rows[path]
    trips.remember(config, changes.replace(row, state=files.NO_EVENTS, definition=registry.stream_hash("bikes")))
    assert find(config).landed == {path}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("in_bronze", [False, True])
def test_a_file_cut_off_and_gone_then_keeps_what_it_delivered_before(config, in_bronze):
    """Whether bronze has the new content already or not: an older version of it has the lines from before."""
    path = trips.write(config, "a", ONE_LINE)
    ingest(config, "bikes")
    before, bronze = trips.contents(config), Lake(config).read("bronze_bikes")
    trips.write(config, "a", [*ONE_LINE, trips.trip("2017-06-03 09:00:00", 600)])
    found = changes.find(Lake(config), engine_of(config), TABLES, datetime.now(UTC).date() + timedelta(days=1))
    trips.remember(config, found.intents[path])
    if in_bronze:
        write_bronze(Lake(config), engine_of(config), TABLES, found)
        assert Lake(config).read("bronze_bikes").num_rows == bronze.num_rows + 1
    (config.landing / path).unlink()
    ingest(config, "bikes")
    assert Lake(config).read("bronze_bikes") == bronze
    assert trips.contents(config) == before
    assert changes.pending(Lake(config), TABLES) == []


@pytest.mark.slow
def test_a_file_cut_off_and_gone_whose_lines_from_before_are_vacuumed_is_reported(config):
    path = trips.write(config, "a", ONE_LINE)
    ingest(config, "bikes")
    trips.write(config, "a", [*ONE_LINE, trips.trip("2017-06-03 09:00:00", 600)])
    found = find(config)
    trips.remember(config, found.intents[path])
    write_bronze(Lake(config), engine_of(config), TABLES, found)
    DeltaTable(config.lake / "bronze_bikes").vacuum(0, dry_run=False, enforce_retention_duration=False)
    (config.landing / path).unlink()
    messages = ingest(config, "bikes").messages
    assert [message for message in messages if path in message and "what it delivered before is lost" in message]
    assert trips.silver(config) == []
    assert files.known_files(Lake(config), TABLES.files) == {}


@pytest.mark.slow
def test_days_that_an_ingest_made_which_the_ledger_does_not_have_are_touched_by_the_next(config):
    """As after a kill between its last table and the ledger: no event was reported yet for silver's new rows."""
    first = trips.write(config, "a", ONE_LINE)
    made = ingest_unrecorded(Lake(config), engine_of(config), TABLES).touched_days
    assert made and ingest(config, "bikes").touched_days == made
    assert ingest(config, "bikes").touched_days == ()
    trips.write(config, "b", [trips.trip("2017-06-07 08:00:00", 600)])
    ingest_unrecorded(Lake(config), engine_of(config), TABLES)
    (config.landing / first).write_bytes(b"")
    report = ingest(config, "bikes")
    assert [str(day) for day in report.touched_days] == ["2017-06-03", "2017-06-07"]
    assert ingest(config, "bikes").touched_days == ()
