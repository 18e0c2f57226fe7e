"""Landing folders that change while an ingest is killed, and what a lake must hold in the end. No JVM."""

import gzip
import hashlib
import signal
from collections import Counter
from pathlib import Path

from tests.support import processes, trips
from tests.support.lakes import ingest, tables_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import files

BIKES, TELEMETRY = "bikes", "telemetry"
DELAYS = "telemetry/delays/made.txt"
# What a row says of its place: it depends on which of two equal files or lines was taken. A series is of the source
# after which its file is named.
PLACES = {"path", "line", "reading", "definition", "source", "service", "bucket"}
KILLED = """
import os, signal, sys
from windrow.pipelines.cli._app import run
from windrow.pipelines.delta.file_commits import FileCommit
from windrow.pipelines.delta.lake import Lake

left = [int(sys.argv[1])]
def killed_after_commits(write):
    def written(*arguments, **named):
        version = write(*arguments, **named)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return version
    return written
Lake._write, FileCommit.replace = map(killed_after_commits, (Lake._write, FileCommit.replace))
sys.exit(run(sys.argv[2:]))
"""


def path_of(stream: str, name: str, packed: bool) -> str:
    """Path of a file below the landing folder."""
    folder = {BIKES: f"{trips.FOLDER}/trips-", TELEMETRY: "telemetry/nab/made/"}[stream]
    return f"{folder}{name}.csv" + (".gz" if packed else "")


def content_of(stream: str, lines: list[str]) -> bytes:
    """A file's content: its header, then the lines."""
    header = {BIKES: trips.HEADER, TELEMETRY: "timestamp,value"}[stream]
    return "\n".join([header, *lines, ""]).encode()


def put(config: Config, path: str, content: bytes) -> None:
    """Land a file, packed where its name ends with .gz."""
    trips.write_bytes(config, path, gzip.compress(content, mtime=0) if path.endswith(".gz") else content)


def kill_after_commits(config: Config, count: int, *words: str) -> bool:
    """A command in a process that kills itself right after so many commits of any table; whether it got that far."""
    process = processes.start_program(config, "killed", KILLED, str(count), *words)
    code = process.wait(timeout=processes.PATIENCE_S)
    assert code in (0, -signal.SIGKILL), Path(config.home, "killed.log").read_text()
    return code != 0


def landed(config: Config) -> dict[str, bytes]:
    """Content of each landed file, unpacked."""
    found = [path for path in config.landing.rglob("*") if path.is_file()]
    return {path.relative_to(config.landing).as_posix(): _unpacked(path) for path in found}


def _unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def finished(config: Config, stream: str) -> dict[str, str]:
    """The content's hash of each path whose ingest has ended."""
    known = files.known_files(Lake(config), tables_of(stream).files)
    return {path: row.content_hash for path, row in known.items() if row.definition != files.INTENT}


def hash_of(content: bytes) -> str:
    """As `files_<stream>` has it."""
    return hashlib.sha256(content).hexdigest()


def at_once(place: Path, stream: str, contents: dict[str, bytes]) -> Config:
    """A new lake of these files."""
    config = Config(place / "home", place / "landing")
    for path, content in contents.items():
        put(config, path, content)
    ingest(config, stream)
    return config


def held(config: Config, stream: str) -> dict[str, Counter]:
    """What the stream's tables hold, wherever it came from: events, refused records, sums of the files' counts."""
    lake, tables = Lake(config), tables_of(stream)
    found = {table.name: _rows(lake, table.name) for table in (tables.silver, tables.quarantine, tables.passes)}
    counted = ("readings", "accepted", "quarantined", "duplicates")
    rows = lake.read(tables.files.name, columns=list(counted)).to_pylist()
    found[tables.files.name] = Counter({name: sum(row[name] for row in rows) for name in counted})
    found[tables.partitions.name] = Counter(
        (row["arrival_date"], row["events"]) for row in lake.read(tables.partitions.name).to_pylist()
    )
    return found


def _rows(lake: Lake, name: str) -> Counter:
    rows = lake.read(name).to_pylist()
    return Counter(repr(sorted((key, value) for key, value in row.items() if key not in PLACES)) for row in rows)


def lines_held(config: Config, stream: str) -> dict[str, int]:
    """Lines of bronze by path."""
    return dict(Counter(Lake(config).read(f"bronze_{stream}", columns=["path"])["path"].to_pylist()))


def file_rows(config: Config, stream: str) -> dict[str, files.FileRow]:
    """The rows of `files_<stream>` by path."""
    return files.known_files(Lake(config), tables_of(stream).files)
