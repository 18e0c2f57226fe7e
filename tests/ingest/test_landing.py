"""Which files of the landing folder are taken, which are left out with a message, which are known. No JVM."""

import gzip
from dataclasses import replace

import pytest

from pipelines.delta.lake import Lake
from pipelines.ingest import changes, file_content, files, landing
from pipelines.ingest.landing import HALF_WRITTEN, HIDDEN
from schemas import registry
from schemas.errors import NotSetUp
from tests.support import trips
from tests.support.edited import with_layout
from tests.support.trips import BIKES, TABLES, find

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
    assert landing.listing(config.landing, BIKES) == landing.Listing((), {}, (), {})


def test_what_no_layout_names_and_what_holds_no_events_is_reported(config):
    trips.write_bytes(config, "bikes/notes.txt", b"a")
    part = trips.write_bytes(config, f"{trips.path_of('a')}.part", b"still arriving")
    stations = trips.write_bytes(config, f"{trips.FOLDER}/stations.csv.gz", gzip.compress(b"a"))
    found = landing.listing(config.landing, BIKES)
    for path in ("bikes/notes.txt", part):
        assert [message for message in found.messages if f"{path}: left out" in message]
    assert stations in found.no_events
    assert find(config).rows[stations].state == "no events"


def test_files_that_lie_where_no_stream_looks_are_listed_a_line_for_each_folder(config):
    for path in ("bike/a.csv", "bike/b/c.csv", "a.csv", trips.path_of("a")):
        trips.write_bytes(config, path, b"a")
    found = landing.listing(config.landing, BIKES)
    assert found.events == (trips.path_of("a"),)
    assert found.messages == (
        "a.csv: left out, no stream reads what lies in no folder",
        "bike/a.csv and 1 more: left out, no stream reads what lies in that folder",
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
    assert found.events == (inside,)
    links = [message.split(": left out, a link")[0] for message in found.messages if ": left out, a link" in message]
    assert sorted(links) == sorted(f"{trips.FOLDER}/{name}" for name in out | circles)
    [unread] = [message for message in found.messages if ": left out, a link" not in message]
    assert unread.startswith("elsewhere: left out, no stream reads")


def test_a_folder_with_a_file_s_name_is_reported_by_its_stream_and_what_lies_in_it_too(config):
    inside = trips.write_bytes(config, f"{trips.path_of('a')}/notes.txt", b"a")
    trips.write_bytes(config, "cdr/social-evolution/x.csv/y.csv", b"a")
    found = landing.listing(config.landing, BIKES)
    assert found.events == ()
    folder, file = found.messages
    assert folder.startswith(f"{trips.path_of('a')}: left out, it is a folder")
    assert file.startswith(f"{inside}: left out")


def test_a_link_within_the_folder_is_a_file(config):
    trips.write(config, "a", LINES)
    (config.landing / trips.path_of("b")).symlink_to(config.landing / trips.path_of("a"))
    assert len(landing.listing(config.landing, BIKES).events) == 2


def test_names_that_are_not_text_are_left_out_with_a_message(config):
    trips.write(config, "a", LINES)
    (config.landing / trips.FOLDER / "trips-\udcff.csv.gz").write_bytes(b"")
    found = landing.listing(config.landing, BIKES)
    assert len(found.events) == 1
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


def test_known_content_under_a_lesser_path_is_the_duplicate(config):
    known = trips.write(config, "b", LINES)
    assert take_up(config) == {known: ("accepted", None)}
    later = trips.write(config, "a", LINES)
    assert take_up(config) == {later: ("duplicate file", f"the same content as {known}")}
    assert find(config).rows == {}


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
            assert {*found.events} == {f"{trips.FOLDER}/{name}" for name in TAKEN}
