"""An ingest that is killed between any two of its commits, and then repeated, ends as one that was left alone; where
the landing folder changes meanwhile, as if what is gone had never come."""

import gzip
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.support import landings, trips
from tests.support.chaos.landing_folder import LandingFolder
from tests.support.chaos.real_files import Pieces, RealFiles
from tests.support.lakes import copied, ingest, pending
from tests.support.landings import BIKES, DELAYS, TELEMETRY, content_of, path_of
from windrow.pipelines.config import Config

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.few_tests(2)]

# The shared line is the event of file a first, then of file b: a file that does not change is touched too.
SHARED = trips.trip("2017-06-03 08:00:00", 600)
BEFORE = {"a": [SHARED, trips.trip("2017-06-07 08:10:00", 60)], "b": [trips.trip("2017-06-04 10:00:00", 300), SHARED]}
AFTER = {"a": [trips.trip("2017-06-05 10:00:00", 300), "not a trip"]}
COMMITS = ("files", "bronze", "files", "partitions", "silver", "quarantine", "pass", "partitions", "files")


def land(config: Config, files: dict[str, list[str]]) -> None:
    for name, lines in files.items():
        trips.write(config, name, lines)


@pytest.fixture(scope="module")
def before(tmp_path_factory) -> Config:
    """A lake of the first files, in whose landing folder one of them is replaced then."""
    place = tmp_path_factory.mktemp("before")
    config = Config(place / "home", place / "landing")
    land(config, BEFORE)
    ingest(config, "bikes")
    land(config, AFTER)
    return config


@pytest.fixture(scope="module")
def left_alone(before, tmp_path_factory) -> dict[str, list[str]]:
    """What a new lake holds of the files as they are in the end."""
    fresh = Config(tmp_path_factory.mktemp("fresh"), before.landing)
    ingest(fresh, "bikes")
    return trips.contents(fresh)


def commits(config: Config) -> Counter:
    """How many versions each table has."""
    return Counter({name: len([*(config.lake / f"{name}_bikes/_delta_log").glob("*.json")]) for name in {*COMMITS}})


@pytest.mark.parametrize("count", range(1, len(COMMITS) + 1))
def test_an_ingest_killed_after_a_commit_is_repaired_by_the_next_or_was_the_last_one_done(
    before, left_alone, tmp_path, count
):
    config = copied(before, tmp_path)
    had = commits(config)
    assert landings.kill_after_commits(config, count, "ingest", "bikes")
    assert commits(config) - had == Counter(COMMITS[:count])
    if count < len(COMMITS):
        assert pending(config, "bikes")
        ingest(config, "bikes")
    assert trips.contents(config) == left_alone and not pending(config, "bikes")


FILES = {
    BIKES: RealFiles(BIKES, trips.FOLDER, "trips-", True, ()),
    TELEMETRY: RealFiles(TELEMETRY, "telemetry/nab/made", "", True, (), DELAYS),
}
TRIPS = [trips.trip(f"2017-06-0{3 + n % 4} 09:{n:02}:00", 60 * n, station=n) for n in range(8)]
LINES = {BIKES: [SHARED, *TRIPS, "no trip"],
         TELEMETRY: [*(f"2015-09-0{1 + n % 4} 11:{n:02}:00,{n}" for n in range(9)), "no reading"]}  # fmt: skip
DELAYED = b"60000\n90500\n"
MOST_COMMITS = 12


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """Files of both streams, of which pieces land."""
    place = tmp_path_factory.mktemp("sources")
    contents = {
        path_of(stream, name, packed=True): content_of(stream, LINES[stream]) for stream in FILES for name in "bd"
    }
    for path, content in (contents | {f"{DELAYS}.gz": DELAYED}).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(gzip.compress(content))
    return place


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
@pytest.mark.parametrize("stream", FILES)
def test_a_file_that_is_renamed_after_bronze_s_commit_counts_once(config, tmp_path, stream, packed):
    before, after = (path_of(stream, name, packed) for name in "cz")
    landings.put(config, DELAYS, DELAYED)
    ingest(config, stream)
    landings.put(config, before, content_of(stream, LINES[stream]))
    assert landings.kill_after_commits(config, 2, "ingest", stream)
    assert before in landings.lines_held(config, stream)
    (config.landing / before).rename(config.landing / after)
    ingest(config, stream)
    assert before not in landings.finished(config, stream).keys() | landings.lines_held(config, stream).keys()
    reference = landings.at_once(tmp_path / "at once", stream, landings.landed(config))
    assert landings.held(config, stream) == landings.held(reference, stream)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_to_files_of_a_killed_ingest_the_next_one_ends_as_a_new_lake(config, tmp_path, sources, seed):
    chance = Random(seed)
    stream = (BIKES, TELEMETRY)[seed % 2]
    config.home.mkdir()
    folder = LandingFolder(config, Pieces(sources, FILES[stream], chance), chance)
    story = [folder.change() for _ in range(2)]
    ingest(config, stream)  # what a file delivered before is what stays if its newer content never comes
    for _ in range(3):
        before = landings.landed(config)
        story += [folder.change() for _ in range(chance.randint(1, 3))]
        commits = 1 + (seed // 2 + chance.randrange(2)) % MOST_COMMITS
        story += [(commits, landings.kill_after_commits(config, commits, "ingest", stream))]
        story += [folder.change() for _ in range(chance.randint(1, 3))]
        if chance.random() < 0.5:
            for path in before.keys() & landings.landed(config).keys():
                story += [("put back", folder.put(path, before[path]))]
    ingest(config, stream)
    folder.note()
    counting = folder.counting({*landings.file_rows(config, stream)})
    reference = landings.held(landings.at_once(tmp_path / "at once", stream, counting), stream)
    assert landings.held(config, stream) == reference, story
    ingest(config, stream)
    assert landings.held(config, stream) == reference and not pending(config, stream), story
