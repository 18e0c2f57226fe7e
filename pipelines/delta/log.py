"""A table's Delta log: its files, what its commits did and say of themselves, and which versions it still has.

By what a commit says its writer finds the version that it made. The newest version is not always one's own: the lock of
a table keeps out Windrow's writers, not those of other tools.

And which files are damaged, of the log and of rows, and what is wrong with them: delta-rs finds most damage of a log as
it opens the table, and names no file. An empty entry it takes for a commit of nothing: rows would lack, or come back,
without a word.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote
from uuid import uuid4

import pyarrow as pa
from deltalake import CommitProperties
from deltalake.exceptions import DeltaError

from windrow.pipelines import storage
from windrow.pipelines.location import Location, below
from windrow.schemas.errors import StorageFailed, TableDamaged
from windrow.schemas.tables import Table

LOG, LAST_CHECKPOINT = "_delta_log", "_last_checkpoint"
_ENTRY = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint.*\.parquet")
# How many commits of others may come between a commit and the look for it.
LOOKED_THROUGH = 100
# Opening one more costs a reader 1.3 ms: with 64 the ledger took 80 ms, not 8.
MOST_SMALL_FILES, SMALL_BYTES = 16, 4 << 20
# Under this name Spark and delta-rs write a commit's own words into the log alike.
KEY = "userMetadata"
_INFO = "commitInfo"


def entry(folder: Location, version: int) -> Location:
    """The file that makes a version of the table in that folder."""
    return folder / LOG / f"{version:020d}.json"


def entry_versions(folder: Location) -> list[int]:
    """Versions whose entries the log has, oldest first; none where there is no log. O(files of the log)."""
    return [int(found[1]) for name in _names(folder) if (found := _ENTRY.fullmatch(name))]


def checkpoint_versions(folder: Location) -> dict[Location, int]:
    """The checkpoints that the log has, and the version that each is of. O(files of the log)."""
    found = (_CHECKPOINT.fullmatch(name) for name in _names(folder))
    return {folder / LOG / each[0]: int(each[1]) for each in found if each}


def _names(folder: Location) -> list[str]:
    try:
        return storage.names(folder / LOG)
    except FileNotFoundError:
        return []


def actions(folder: Location, version: int, kind: str = "") -> list[dict] | None:
    """Of the commit that made a version, of one kind if it is given; None where it can't be read."""
    try:
        return [json.loads(line) for line in entry(folder, version).read_text().split("\n") if line and kind in line]
    except (OSError, ValueError):
        return None


def commit_times(folder: Location) -> dict[int, float]:
    """By version of which the log has the commit, oldest first, when it was written, in s since the epoch: by the clock
    by which Delta shortens logs. O(commits kept)."""
    return {version: entry(folder, version).stat().st_mtime for version in entry_versions(folder)}


def current_since(times: Mapping[int, float], moment: float) -> list[int]:
    """The version that was the newest at a moment, and all that came later; all where the log begins later."""
    before = [version for version, time in times.items() if time <= moment]
    return [version for version in times if not before or version >= before[-1]]


def rows_version(folder: Location, version: int) -> int:
    """The version that brought the rows of another: what came in between was maintenance. O(commits in between)."""
    while version > 0 and (found := actions(folder, version)) is not None:  # else what it did isn't known
        if any(action.get(kind, {}).get("dataChange") for action in found for kind in ("add", "remove")):
            break
        version -= 1
    return version


def readable_count(folder: Location) -> int:
    """How many versions can be read, counted back from the newest to the first of which the log or a file is gone.
    O(commits kept)."""
    versions = entry_versions(folder)
    # The log can be read from its beginning, or from its oldest checkpoint.
    first = 0 if 0 in versions else min(checkpoint_versions(folder).values(), default=0)
    for version in reversed(versions):
        if version <= first or not _holds_what_it_removed(folder, version):
            return versions[-1] - version + 1
    return 0


def _holds_what_it_removed(folder: Location, version: int) -> bool:
    """Whether the files are there that the version before had, and this one has not."""
    found = actions(folder, version)
    if found is None:  # a damaged commit that a checkpoint covers; nothing before it is read through it
        return False
    return all((folder / unquote(action["remove"]["path"])).exists() for action in found if "remove" in action)


@dataclass(frozen=True)
class CommitNote:
    """The words of one commit: those of its run, and a name that no other commit has."""

    of_run: Mapping[str, str | None]
    name: str = field(default_factory=lambda: uuid4().hex)

    @property
    def text(self) -> str:
        """As it stands in the log: a JSON object."""
        return json.dumps({**self.of_run, "commit": self.name}, sort_keys=True)

    @property
    def properties(self) -> CommitProperties:
        """For delta-rs."""
        return CommitProperties(custom_metadata={KEY: self.text})

    def version(self, folder: Location) -> int:
        """The version that the commit made. O(1) where no other came after it."""
        newest = storage.delta_table(folder).version()
        for version in range(newest, max(newest - LOOKED_THROUGH, -1), -1):
            if words(folder, version) == self.text:
                return version
        raise StorageFailed(
            f"the commit to {folder.name!r} is not among the newest {LOOKED_THROUGH} of its log: another program "
            "writes to the table all the time, or removed the log. Stop that program, and run the same command again"
        )


def words(folder: Location, version: int) -> str | None:
    """The words of the commit that made a version; None where it has none, or can't be read. Not by delta-rs's history:
    that lists commits since the table was opened too, and counts down from the version that was opened."""
    found = (action[_INFO] for action in actions(folder, version, _INFO) or () if _INFO in action)
    return next((info.get(KEY) for info in found), None)


def version_made(folder: Location, note: CommitNote, table: Table) -> int:
    """The version that a commit made, behind which small files are put together once there are too many, in a commit
    that changes no row. The caller holds the table's lock."""
    version = note.version(folder)
    if table.partition_by:
        return version
    # Tables that get a small file with each commit stay cheap to read. Measured: 10 to 30 ms.
    opened = storage.delta_table(folder)
    sizes = pa.table(opened.get_add_actions(flatten=True)).column("size_bytes").to_pylist()
    if sum(size < SMALL_BYTES for size in sizes) > MOST_SMALL_FILES:
        opened.optimize.compact(commit_properties=CommitNote(note.of_run).properties)
    return version


@dataclass(frozen=True)
class DamagedFile:
    """A file of a table, or of its log, and what is wrong with it, such as `is missing`."""

    path: Location
    wrong: str

    @property
    def is_of_log(self) -> bool:
        """Or the log itself."""
        return LOG in (self.path.name, self.path.parent.name)

    def error(self, table: str, lake: Location, others: int = 0) -> TableDamaged:
        """What a user reads of it, and of so many others of the table."""
        more = f" (and {others} more of its files are damaged)" if others else ""
        return TableDamaged(table, below(self.path, lake), f"{self.wrong}{more}", f"windrow repair {table}")


def wrong_with(path: Location, size_bytes: int | None, read_all: bool = False) -> str | None:
    """What is wrong with a Parquet file of so many bytes (None: of any number); None where nothing is. By default O(1),
    by its footer; `read_all`: O(bytes). OSError for a file that the user has no right to read."""
    try:
        found_bytes = storage.state(path).file_bytes  # what a store refuses has no number, and is no damage
    except FileNotFoundError:
        return "is missing"
    if found_bytes == 0:
        return "is empty"
    if size_bytes not in (None, found_bytes):
        return f"has {found_bytes:,} bytes and should have {size_bytes:,}"
    try:
        with storage.parquet(path) as file:
            for _ in storage.batches(file) if read_all else ():
                pass
        return None
    except FileNotFoundError:
        return "is missing"
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # An error of the operating system has a number; of what Arrow found in the file, none.
        if getattr(error, "errno", None) is not None:
            raise
        return f"can't be read as Parquet: {first_line(error)}"


def damaged_log(folder: Location) -> list[DamagedFile]:
    """Files of the log that are damaged, first those without which it may still be whole (`damaged_checkpoints`).
    O(log since the newest checkpoint)."""
    if found := [*damaged_checkpoints(folder), *_damaged_entries(folder)]:
        return found
    try:
        storage.delta_table(folder)
    except DeltaError as error:
        return [DamagedFile(folder / LOG, f"can't be read: {first_line(error)}")]
    return []


def damaged_checkpoints(folder: Location) -> list[DamagedFile]:
    """Checkpoints, and the note of the newest: they only spare reading entries."""
    found = {path: wrong_with(path, None) for path in checkpoint_versions(folder)}
    note = folder / LOG / LAST_CHECKPOINT
    if note.exists():
        found[note] = _wrong_with_note(note)
    return [DamagedFile(path, wrong) for path, wrong in found.items() if wrong]


def has_empty_entry(folder: Location) -> bool:
    """Whether an entry has no bytes. O(files of the log)."""
    try:
        return any(name.endswith(".json") and not size for name, size in storage.sizes(folder / LOG).items())
    except FileNotFoundError:
        return False


def _wrong_with_note(note: Location) -> str | None:
    try:
        version = json.loads(note.read_bytes())["version"]
    except (ValueError, KeyError, TypeError):
        return "is no JSON of a checkpoint"
    there = any(each.startswith(f"{version:020d}.checkpoint") for each in storage.names(note.parent))
    return None if there else f"names {version:020d}.checkpoint.parquet, which is missing"


def _damaged_entries(folder: Location) -> list[DamagedFile]:
    log, entries = folder / LOG, entry_versions(folder)
    whole = [version for path, version in checkpoint_versions(folder).items() if not wrong_with(path, None)]
    if not entries and not whole:
        return [DamagedFile(log, "has no entries" if log.exists() else "is missing")]
    needed = range(max(whole, default=-1) + 1, max(entries, default=-1) + 1)
    checked = {entry(folder, version): _wrong_with_entry(entry(folder, version)) for version in needed}
    return [DamagedFile(path, wrong) for path, wrong in checked.items() if wrong]


def _wrong_with_entry(path: Location) -> str | None:
    try:
        actions = [json.loads(line) for line in path.read_bytes().splitlines()]
    except FileNotFoundError:
        return "is missing"
    except ValueError:
        return "is no JSON"
    return None if actions and all(isinstance(action, dict) for action in actions) else "is empty"


def first_line(error: BaseException) -> str:
    """Of an error's text: the rest of a library's is its own inside."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
