"""Damaged files cost nothing but themselves: each is refused with a reason, counted, and taken up once repaired. Of a
file's refused records the first are kept with their lines, the others by reason and number: law 1 holds, and neither
memory nor disk grows with what a file holds."""

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.support import processes, trips
from tests.support.engines import ENGINES
from tests.support.lakes import PATIENT, ingest, pending
from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.stream import KEPT_CHARACTERS, KEPT_REFUSALS

pytestmark = [pytest.mark.slow, PATIENT]

GOOD = [trips.trip("2017-06-03 08:00:00", 600), trips.trip("2017-06-03 09:00:00", 700)]
LONG = [trips.HEADER, *(trips.trip("2017-06-03 10:00:00", seconds) for seconds in range(2_000))]
COUNTED = ("accepted", "quarantined", "duplicates")
PACKED = gzip.compress("\n".join(LONG).encode())


def lay_out(config) -> dict[str, str]:
    """One file of each kind of damage, and a good one; returns their paths."""

    def put(name: str, content: bytes) -> str:
        return trips.write_bytes(config, trips.path_of(name), content)

    header = trips.HEADER.encode() + b"\n"
    odd = b"2017-06-03 08:00:00,600,7\0,79,1,1980\ncaf\xe9\n" + b"x" * 1_100_000
    return {
        "good": trips.write(config, "good", GOOD),
        "truncated": put("truncated", PACKED[:-500]),
        "empty": put("empty", b""),
        "empty inside": put("empty-inside", gzip.compress(b"")),
        "header only": trips.write(config, "header-only", []),
        "columns": trips.write(config, "columns", [GOOD[0] + ",extra", "1,2", ""]),
        "bytes": put("bytes", gzip.compress(header + odd)),
        "other header": put("other-header", gzip.compress(b"when,what\n1,2\n")),
        "not gzip": put("not-gzip", header),
    }


def test_every_kind_of_damage_is_refused_with_its_reason_and_counted_until_it_is_repaired(config):
    paths = lay_out(config)
    report = ingest(config, "bikes")
    rows = {name: trips.file_row(config, path) for name, path in paths.items()}
    counted = {name: (row["state"], row["lines"], row["readings"], row["accepted"]) for name, row in rows.items()}
    assert counted == {
        "good": ("accepted", 3, 2, 2),
        "truncated": ("unreadable", 0, 1, 0),
        "empty": ("empty", 0, 0, 0),
        "empty inside": ("empty", 0, 0, 0),
        "header only": ("accepted", 1, 0, 0),
        "columns": ("refused", 4, 3, 0),
        "bytes": ("refused", 4, 3, 0),
        "other header": ("refused", 2, 2, 0),
        "not gzip": ("unreadable", 0, 1, 0),
    }
    assert all(row["readings"] == sum(row[name] for name in COUNTED) for row in rows.values())
    of_lines = dict.fromkeys(("NUL byte", "line too long", "not UTF-8"), 1) | {"wrong column count": 3}
    assert report.refused == {**of_lines, "unknown layout": 2, "unreadable file": 2}
    assert (paths["truncated"], None, "unreadable file") in trips.quarantine(config)
    assert {row["path"] for row in trips.silver(config)} == {paths["good"]}
    for name in ("truncated", "empty", "empty inside", "header only", "not gzip"):
        assert [message for message in report.messages if message.startswith(paths[name])], name
    assert not pending(config, "bikes")
    trips.write_bytes(config, paths["truncated"], PACKED)
    ingest(config, "bikes")
    row = trips.file_row(config, paths["truncated"])
    assert (row["state"], row["readings"], row["accepted"]) == ("accepted", 2_000, 2_000)
    assert [reason for path, _, reason in trips.quarantine(config) if path == paths["truncated"]] == []


def test_a_file_that_becomes_unreadable_takes_its_events_with_it(ingested):
    path = "bikes/generated-nyc/trips-2018-06-02.csv"
    assert path in {row["path"] for row in trips.silver(ingested)}
    trips.write_bytes(ingested, path, b"")
    ingest(ingested, "bikes")
    assert path not in {row["path"] for row in trips.silver(ingested)}
    assert trips.file_row(ingested, path)["state"] == "empty"


def test_a_file_that_changes_while_it_is_read_waits_for_the_next_ingest(config):
    still, moving = trips.write(config, "still", GOOD), trips.write(config, "moving", GOOD[:1])
    changed = []

    def change_before_bronze(stage: str) -> None:
        if stage.startswith("bronze") and not changed:
            changed.append(trips.write(config, "moving", [trips.trip("2017-06-03 11:00:00", 60)]))

    report = ingest(config, "bikes", change_before_bronze)
    assert {row["path"] for row in trips.silver(config)} == {still}
    assert [message for message in report.messages if "changed while it was read" in message and moving in message]
    assert pending(config, "bikes") == [moving]
    ingest(config, "bikes")
    assert trips.file_row(config, moving)["accepted"] == 1
    assert not pending(config, "bikes")


MOST_BYTES = 1 << 30
GIB_OF_A_SESSION = 1 << 30  # what Spark's JVM takes however little it does
PROGRAM = "from windrow.pipelines import config; from tests.support.lakes import ingest; ingest(config.load(), 'bikes')"
# Each with its reason; None: an event.
LINES = {
    "": "wrong column count",
    "not a trip": "wrong column count",
    "x" * 3_000: "wrong column count",
    "2017-06-03 08:00:00,much,72,79,1,1980": "unreadable",
    "2017-06-03 08:00:00,-5,72,79,1,1980": "out of range",
    "a\0b": "NUL byte",
    trips.trip("2017-06-03 08:00:00", 600): None,
}


def expected(path: str, lines: list[str]) -> Counter:
    """What quarantine is to hold of a file, duplicates apart: (path, line, reason, text, records)."""
    refused = [(number, LINES[text], text) for number, text in enumerate(lines, 2) if LINES[text]]
    kept, rest = refused[:KEPT_REFUSALS], refused[KEPT_REFUSALS:]
    rows = [(path, number, reason, text.replace("\0", "\\x00")[:KEPT_CHARACTERS], 1) for number, reason, text in kept]
    counted = Counter(reason for _, reason, _ in rest).items()
    return Counter(rows + [(path, None, reason, None, count) for reason, count in counted])


def held(config: Config) -> Counter:
    rows = Lake(config).read("quarantine_bikes").to_pylist()
    columns = ("path", "line", "reason", "text", "records")
    return Counter(tuple(row[name] for name in columns) for row in rows if row["reason"] != "duplicate")


@ENGINES
def test_the_first_are_kept_and_the_others_counted_by_reason_however_many_parse_them(config, engine, monkeypatch):
    chance = random.Random(1)
    files = {name: chance.choices(list(LINES), k=count) for name, count in (("a", 12_000), ("b", 900), ("c", 6_000))}
    paths = {trips.write(config, name, lines): lines for name, lines in files.items()}
    monkeypatch.setenv("WINDROW_LINES_PER_WORKER", "1")
    monkeypatch.setattr(Config, "cores", 2)
    report = ingest(config, "bikes")  # law 1 is checked
    wanted = sum((expected(path, lines) for path, lines in paths.items()), Counter())
    assert held(config) == wanted
    for path, lines in paths.items():
        refused = sum(LINES[text] is not None for text in lines)
        assert trips.file_row(config, path)["quarantined"] == refused
        assert any(path in message and f"{refused:,}" in message for message in report.messages) == (
            refused > KEPT_REFUSALS
        )
    before = Lake(config).version("files_bikes")
    ingest(config, "bikes")
    assert not pending(config, "bikes") and Lake(config).version("files_bikes") == before
    storage.remove_folder(config.lake / "quarantine_bikes")
    ingest(config, "bikes")
    assert held(config) == wanted


# Of one file what it is made of, and how often; or many files.
TINY_FILES = "tiny files"
LARGE = {
    "empty lines": (b"\n" * 1_000_000, 5),
    "one long line": (b"x" * (1 << 20), 1 << 10),
    "lines just short enough": (b"x" * ((1 << 20) - 1) + b"\n", 1 << 10),
    "pairs of characters": (b"a,\n\0\n" * 200_000, 3),
    TINY_FILES: (b"", 0),
}


def fill(place: Path, kind: str) -> None:
    part, times = LARGE[kind]
    with place.open("wb") as file:
        file.write(trips.HEADER.encode() + b"\n")
        for _ in range(times):
            file.write(part)
    for number in range(10_000 if kind == TINY_FILES else 0):
        text = trips.trip(f"2017-06-03 08:{number // 60 % 60:02}:{number % 60:02}", number)
        (place.parent / f"trips-{number}.csv").write_text(f"{trips.HEADER}\n{text}\n")


@pytest.mark.nightly
@pytest.mark.takes(600)
@pytest.mark.parametrize("kind", LARGE)
@ENGINES
def test_no_process_takes_a_gigabyte_whatever_a_file_holds(config, engine, kind):
    place = config.landing / trips.path_of("large").removesuffix(".gz")
    place.parent.mkdir(parents=True)
    config.home.mkdir()
    fill(place, kind)
    process = processes.start_program(config, "large", PROGRAM)
    most = processes.most_bytes(process)
    assert process.returncode == 0, Path(config.home, "large.log").read_text()
    allowed = {command: MOST_BYTES + (command == "java") * GIB_OF_A_SESSION for command in most}
    assert all(most[command] < allowed[command] for command in most), most
