"""An ingest that is killed between any two of its commits, and then repeated, ends as one that was left alone."""

from collections import Counter

import pytest

from pipelines.config import Config
from tests.support import landings, trips
from tests.support.lakes import copied, ingest, pending

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.few_tests(1)]

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
    assert landings.kill_after_commits(config, landings.BIKES, count)
    assert commits(config) - had == Counter(COMMITS[:count])
    if count < len(COMMITS):
        assert pending(config, "bikes")
        ingest(config, "bikes")
    assert trips.contents(config) == left_alone and not pending(config, "bikes")
