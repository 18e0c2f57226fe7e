"""Of a file's refused records the first are kept with their lines, the others by reason and number: law 1 holds, and
neither memory nor disk grows with what a file holds."""

import random
from collections import Counter
from pathlib import Path

import pytest

from pipelines import storage
from pipelines.config import Config
from pipelines.delta.lake import Lake
from schemas.stream import KEPT_CHARACTERS, KEPT_REFUSALS
from tests.support import processes, trips
from tests.support.engines import ENGINES
from tests.support.lakes import PATIENT, ingest, pending

pytestmark = [pytest.mark.slow, PATIENT]
MOST_BYTES = 1 << 30
GIB_OF_A_SESSION = 1 << 30  # what Spark's JVM takes however little it does
PROGRAM = "from pipelines import config; from tests.support.lakes import ingest; ingest(config.load(), 'bikes')"
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
    process, most = processes.start_program(config, "large", PROGRAM), Counter()
    try:
        while process.poll() is None:
            for member, command in processes.members(process.pid).items():
                most[command] = max(most[command], _most_bytes(member))
            processes.pause()
    finally:
        processes.kill_all(process.pid)
    assert process.returncode == 0, Path(config.home, "large.log").read_text()
    allowed = {command: MOST_BYTES + (command == "java") * GIB_OF_A_SESSION for command in most}
    assert all(most[command] < allowed[command] for command in most), most


def _most_bytes(member: int) -> int:
    """Of memory, ever; 0 of a process that is over."""
    try:
        lines = Path(f"/proc/{member}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), 0)
