"""A lake that one engine began and the other continues is, row for row, the one that the local engine makes alone: over
the first lines of the files of all five real streams, and the busiest day of a query of each kind of window, which
Spark replays there; of those whose days go on from each other the first two."""

import gzip
import os
import shutil
from dataclasses import replace
from datetime import date
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.digests import digests
from tests.support.lakes import ingest, tables_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import landing
from windrow.pipelines.ingest.files import ACCEPTED, DUPLICATE, REFUSED
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas import registry
from windrow.schemas.parsing import belongs, no_events
from windrow.schemas.query import Query
from windrow.schemas.side_tables import state_name

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
STREAMS = registry.stream_names()
ALONE, SPARK_FIRST, LOCAL_FIRST = ("local", "local"), ("spark", "local"), ("local", "spark")
# Of a file the first lines: all of telemetry's took a worker seven minutes.
MOST_LINES = {"bikes": 10_000, "cdr": 2_000, "phone_calls": 8_000, "telemetry": 1_000}
# By kind of window the first query, and the first model.
OF_EACH_KIND = {(type(query), query.window.kind): query for query in reversed(registry.queries().values())}
LINES_GONE, NS_PER_S = 5, 1_000_000_000
pytestmark = [
    pytest.mark.jvm,
    pytest.mark.nightly,
    pytest.mark.takes(45),
    pytest.mark.skipif(not (REAL / "bikes").is_dir(), reason="the real data are not in ../shared/data"),
    pytest.mark.timeout(1_200),
]


def land(config: Config, paths: list[str], most_lines: int | None) -> None:
    """Copy real files, with their times, into the landing folder."""
    for path in paths:
        place = config.landing / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REAL / path, place)
        if most_lines:
            rewrite(place, lines_of(place)[:most_lines], (REAL / path).stat().st_mtime_ns)


class TouchedFiles(NamedTuple):
    """What happens to landed files before the second ingest: one comes under another name too, one has its last lines
    no more, one is moved. Where a stream has a single file, that is copied, and changed then."""

    copied: str
    changed: str
    moved: str | None

    @classmethod
    def of(cls, paths: list[str]) -> "TouchedFiles":
        return cls(paths[0], paths[-1], paths[len(paths) // 2] if len(paths) > 2 else None)

    def touch(self, folder: Path) -> None:
        """The times of files stay old: the time of one that is too young would not be noted."""
        shutil.copy2(folder / self.copied, folder / named(self.copied, "again"))
        if self.moved:
            (folder / self.moved).rename(folder / named(self.moved, "moved"))
        place = folder / self.changed
        changed_ns = place.stat().st_mtime_ns + NS_PER_S
        rewrite(place, lines_of(place)[:-LINES_GONE], changed_ns)


def lines_of(place: Path) -> list[bytes]:
    return gzip.decompress(place.read_bytes()).splitlines(keepends=True)


def rewrite(place: Path, lines: list[bytes], modified_ns: int) -> None:
    place.write_bytes(gzip.compress(b"".join(lines)))
    os.utime(place, ns=(modified_ns, modified_ns))


def named(path: str, word: str) -> str:
    """A path with a word in its name, before the endings: `trips.csv.gz` is `trips-again.csv.gz`."""
    stem, kind, packed = path.rsplit(".", 2)
    return f"{stem}-{word}.{kind}.{packed}"


class Lakes(NamedTuple):
    """Of one stream that of the local engine, and that of both in turn."""

    stream: str
    touched: TouchedFiles
    alone: Config
    both: Config


@pytest.fixture(scope="module", params=zip(STREAMS, cycle([SPARK_FIRST, LOCAL_FIRST])), ids=lambda param: param[0])
def lakes(request, tmp_path_factory) -> Lakes:
    """A second ingest finds the other half of the files, whose records compete with those of the first, and what became
    of some that were there."""
    name, in_turn = request.param
    stream, home = registry.stream(name), tmp_path_factory.mktemp(name)
    listed = landing.listing(REAL, stream)
    events = [path for path in listed.paths if not no_events(stream, path)]
    touched = TouchedFiles.of(events[::2])
    shared = Config(home, home / "landing")
    alone, both = ([Config(home / lake, shared.landing, asked_engine=each) for each in engines]
                   for lake, engines in (("alone", ALONE), ("both", in_turn)))  # fmt: skip
    others = [path for path in listed.paths if path not in events]
    for step, paths in enumerate((events[::2] + others, events[1::2])):
        land(shared, paths, MOST_LINES.get(name))
        if step:
            touched.touch(shared.landing)
        for engines in (alone, both):
            ingest(engines[step], stream.name)
    return Lakes(stream.name, touched, alone[-1], both[-1])


def busiest_day(config: Config, stream: str) -> date:
    rows = Lake(config).read(f"partitions_{stream}").to_pylist()
    return max(rows, key=lambda row: (row["events"], row["arrival_date"]))["arrival_date"]


def test_the_second_ingest_found_what_was_touched(lakes):
    touched, folder = lakes.touched, lakes.alone.landing
    files = {row["path"]: row for row in Lake(lakes.alone).read(f"files_{lakes.stream}").to_pylist()}
    copies = [touched.copied, named(touched.copied, "again")]
    assert all(belongs(registry.stream(lakes.stream), path) for path in copies)
    one_content = touched.copied != touched.changed
    states = [files[path]["state"] for path in copies]
    assert states.count(DUPLICATE) == one_content
    # Of a real file of telemetry no record is an event: each has a wrong time.
    assert set(states) <= {ACCEPTED, REFUSED, DUPLICATE}
    assert files[touched.changed]["lines"] == len(lines_of(folder / touched.changed))
    if touched.moved:  # the path that vanished keeps what it delivered
        states = [files[path]["state"] for path in (touched.moved, named(touched.moved, "moved"))]
        assert states == [ACCEPTED, DUPLICATE]


def test_ingests_of_both_engines_leave_the_same_rows(lakes):
    tables = [table.name for table in tables_of(lakes.stream).all]
    alone = digests(lakes.alone, tables)
    assert alone[f"silver_{lakes.stream}"]
    assert digests(lakes.both, tables) == alone


def days_of(query: Query, config: Config) -> list[date]:
    """Those to replay."""
    if query.context_free:
        return [busiest_day(config, query.stream)]
    return sorted(row["arrival_date"] for row in Lake(config).read(f"partitions_{query.stream}").to_pylist())[:2]


def test_replays_of_both_engines_publish_the_same_rows(lakes):
    for query in (query for query in OF_EACH_KIND.values() if query.stream == lakes.stream):
        days = days_of(query, lakes.alone)
        alone, both = ([replay_day(config, query.name, day).rows for day in days]
                       for config in (lakes.alone, replace(lakes.both, asked_engine="spark")))  # fmt: skip
        assert both == alone
        tables = [*alone[0], *([] if query.context_free else [state_name(query.name)])]
        assert digests(lakes.both, tables) == digests(lakes.alone, tables), query.name
