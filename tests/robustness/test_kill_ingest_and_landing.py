"""An ingest is killed, the landing folder changes, and the next ingest ends as if the rest had never come."""

import random
import shutil

import pytest

from pipelines.config import Config
from tests.support import landings, trips
from tests.support.lakes import copied, ingest, pending
from tests.support.landings import BIKES, DELAYS, TELEMETRY, content_of, path_of

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.few_tests(1)]

TRIPS = [trips.trip(f"2017-06-0{3 + n % 4} 09:{n:02}:00", 60 * n, station=n) for n in range(8)]
LINES = {
    BIKES: [trips.trip("2017-06-03 08:00:00", 600), *TRIPS, "no trip"],
    TELEMETRY: [*(f"2015-09-0{1 + n % 4} 11:{n:02}:00,{n}" for n in range(9)), "no reading"],
}
ACTIONS = ("left", "moved", "deleted", "replaced", "copied", "copied unpacked", "put back")
MOST_COMMITS = 12


def lines_of(stream: str, chance: random.Random) -> bytes:
    return content_of(stream, [LINES[stream][0], *chance.sample(LINES[stream], chance.randint(1, 6))])


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> dict[str, Config]:
    """By stream a lake of two files."""
    made = {}
    for stream in (BIKES, TELEMETRY):
        place, chance = tmp_path_factory.mktemp(stream), random.Random(stream)
        contents = {path_of(stream, name, packed=True): lines_of(stream, chance) for name in "bd"}
        if stream == TELEMETRY:
            contents[DELAYS] = b"60000\n90500\n"
        made[stream] = landings.at_once(place, stream, contents)
    return made


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
@pytest.mark.parametrize("stream", [BIKES, TELEMETRY])
def test_a_file_that_is_renamed_after_bronze_s_commit_counts_once(begun, tmp_path, stream, packed):
    config, (before, after) = copied(begun[stream], tmp_path), (path_of(stream, name, packed) for name in "cz")
    landings.put(config, before, lines_of(stream, random.Random(3)))
    assert landings.kill_after_commits(config, stream, 2)
    assert before in landings.lines_held(config, stream)
    (config.landing / before).rename(config.landing / after)
    ingest(config, stream)
    assert before not in landings.finished(config, stream)
    assert before not in landings.lines_held(config, stream)
    reference = landings.at_once(tmp_path / "at once", stream, landings.landed(config))
    assert landings.held(config, stream) == landings.held(reference, stream)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_to_files_of_a_killed_ingest_the_next_one_ends_as_a_new_lake(begun, tmp_path, seed):
    chance = random.Random(seed)
    stream = (BIKES, TELEMETRY)[seed % 2]
    config = copied(begun[stream], tmp_path)
    world = World(config, stream, chance)
    for _ in range(chance.randint(1, 2)):
        world.land()
        world.kill(1 + (seed // 2 + chance.randrange(2)) % MOST_COMMITS)
        world.move_on()
    ingest(config, stream)
    assert not pending(config, stream)
    reference = landings.at_once(tmp_path / "at once", stream, world.counting())
    assert landings.held(config, stream) == landings.held(reference, stream), world.story
    ingest(config, stream)
    assert landings.held(config, stream) == landings.held(reference, stream), world.story


class World:
    """A landing folder, and what of it must count."""

    def __init__(self, config: Config, stream: str, chance: random.Random) -> None:
        self.config, self.stream, self.chance, self.story = config, stream, chance, []
        self.contents: dict[str, bytes] = {}  # every content that ever landed, by hash
        self.finished: dict[str, str] = {}
        self.touched: dict[str, bytes | None] = {}  # path: what lay there before
        self.note()

    def note(self) -> None:
        self.contents |= {landings.hash_of(content): content for content in landings.landed(self.config).values()}
        self.finished |= landings.finished(self.config, self.stream)

    def land(self) -> None:
        before = landings.landed(self.config)
        for name in self.chance.sample("abcde", self.chance.randint(1, 3)):
            path = path_of(self.stream, name, packed=self.chance.random() < 0.7)
            self.put(path, lines_of(self.stream, self.chance))
            self.touched[path] = before.get(path)

    def put(self, path: str, content: bytes) -> None:
        self.story.append(f"put {path}")
        landings.put(self.config, path, content)

    def kill(self, commits: int) -> None:
        self.contents |= {landings.hash_of(content): content for content in landings.landed(self.config).values()}
        was_killed = landings.kill_after_commits(self.config, self.stream, commits)
        self.story.append(f"{'killed' if was_killed else 'ended'} after {commits}")
        self.note()

    def move_on(self) -> None:
        for path, before in self.touched.items():
            action = self.chance.choice(ACTIONS)
            self.story.append(f"{action} {path}")
            place = self.config.landing / path
            if not place.exists():
                continue
            other = self.config.landing / path_of(self.stream, self.chance.choice("afg"), path.endswith(".gz"))
            if action == "moved":
                place.rename(other)
            elif action == "deleted":
                place.unlink()
            elif action == "replaced":
                self.put(path, lines_of(self.stream, self.chance))
            elif action == "copied" and other != place:
                shutil.copy(place, other)
            elif action == "copied unpacked":
                self.put(path.removesuffix(".gz"), landings.landed(self.config)[path])
            elif action == "put back" and before is not None:
                self.put(path, before)
        self.touched = {}

    def counting(self) -> dict[str, bytes]:
        """What lies in the landing folder, and what vanished from it after an ingest had taken it."""
        vanished = {path: self.contents[content_hash] for path, content_hash in self.finished.items()}
        return vanished | landings.landed(self.config)
