"""What is damaged of a table, and whether that is why a step or a command failed.

Nobody looks for damage as long as all goes well. Libraries say much about it in many ways, and hardly ever which table
it is: so when one of them fails, the tables are looked at.
"""

import errno
import re
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from deltalake.exceptions import DeltaError

from pipelines import storage
from pipelines.delta.damaged_file import DamagedFile, wrong_with
from pipelines.delta.lake import Lake
from pipelines.delta.log_damage import damaged_log
from pipelines.delta.log_files import entry, entry_versions, names
from pipelines.delta.remade import commands
from pipelines.location import below
from schemas.errors import StorageFailed, TableDamaged

# Kinds of errors by which the libraries report what they could not read; Rust panics derive from no class of theirs.
_READING = (DeltaError, pa.ArrowException, OSError, duckdb.IOException, duckdb.InvalidInputException)
_PANIC, _SPARK = "PanicException", ("pyspark", "py4j")
_NOT_OF_A_FILE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE)
_REPAIR = '"operation":"FSCK"'
_PARQUET = re.compile(r"[\w.\-]+\.parquet")


@dataclass(frozen=True)
class Damage:
    """A table's damaged files: of its log, or, where that is whole, of its rows."""

    table: str
    log: tuple[DamagedFile, ...]
    files: tuple[DamagedFile, ...] = ()

    def error(self, lake: Lake) -> TableDamaged:
        """What a user reads of it."""
        first, *others = (*self.log, *self.files)
        more = f" (and {len(others)} more of its files are damaged)" if others else ""
        file = below(first.path, lake.config.lake)
        return TableDamaged(self.table, file, f"{first.wrong}{more}", f"windrow repair {self.table}")


def damage_of(lake: Lake, name: str, read_all: bool = False) -> Damage | None:
    """What is wrong with a table; None where nothing is. O(files of the table), `read_all`: O(bytes).

    OSError where the user has no right to look.
    """
    folder = lake.folder(name)
    if not lake.holds_anything(name):
        return Damage(name, (DamagedFile(folder, "is missing"),)) if lake.is_half_repaired(name) else None
    if log := damaged_log(folder):
        return Damage(name, tuple(log))
    actions = (
        pa.table(storage.delta_table(folder).get_add_actions(flatten=True)).select(["path", "size_bytes"]).to_pylist()
    )
    checked = [(folder / each["path"], each["size_bytes"]) for each in actions]
    files = [DamagedFile(path, wrong) for path, size in checked if (wrong := wrong_with(path, size, read_all))]
    return Damage(name, (), tuple(files)) if files else None


def explained(lake: Lake, error: BaseException) -> TableDamaged | StorageFailed | None:
    """The damage that explains an error of a library, or that maintenance has removed what was just read; None where
    there is none, or where this process may not look.

    O(files of the lake); where these look right, O(bytes) of the tables that the error names, or else of all.
    """
    if not _is_of_reading(error):
        return None
    try:
        return next(_explanations(lake, str(error)), None)
    except OSError:  # of rights, or of the disk: that is what it is, then
        return None


def _is_of_reading(error: BaseException) -> bool:
    if isinstance(error, ConnectionError) or getattr(error, "errno", None) in _NOT_OF_A_FILE:
        return False
    kind = type(error)
    return isinstance(error, _READING) or kind.__name__ == _PANIC or kind.__module__.startswith(_SPARK)


def _explanations(lake: Lake, text: str) -> Iterator[TableDamaged | StorageFailed]:
    tables = lake.names()
    named = [name for name in tables if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    others = [name for name in tables if name not in named]
    for name in (*named, *others):
        if damage := damage_of(lake, name):
            yield damage.error(lake)
    yield from _older_versions(lake, tables, text)
    for name in named or others:
        if damage := damage_of(lake, name, read_all=True):
            yield damage.error(lake)


def _older_versions(lake: Lake, tables: list[str], text: str) -> Iterator[TableDamaged | StorageFailed]:
    """Of a file that is gone and that the newest version doesn't need: a repair took it out of the table, or another
    commit replaced it and maintenance removed it."""
    for file in dict.fromkeys(_PARQUET.findall(text)):
        for name in tables:
            if found := _last_entry(lake, name, file):
                yield _gone(lake, name, *found)


def _gone(lake: Lake, name: str, path: str, commit: str) -> TableDamaged | StorageFailed:
    if _REPAIR not in commit:
        return _removed(name, path)
    wrong = "is missing: it was taken out of the table, and this run reads a version from before"
    again = next(iter(commands(lake, name, [path])), f"windrow repair {name}")
    return TableDamaged(name, f"{name}/{path}", wrong, again)


def _removed(table: str, path: str) -> StorageFailed:
    return StorageFailed(
        f"{table}/{path} is gone: its version of table {table!r} was replaced, and windrow maintain removed it while "
        "this was reading. Nothing is damaged and nothing was published: run the same command again; where maintenance "
        "keeps what was replaced for a day (--keep-days 1), runs don't meet that"
    )


def _last_entry(lake: Lake, name: str, file: str) -> tuple[str, str] | None:
    """Path of a Parquet file, by its name, below the folder of the table whose log has it, if it is gone; and the
    newest entry of the log that has it."""
    wanted = re.compile(rf'"path":"([^"]*{re.escape(file)})"')
    folder = lake.folder(name)
    for version in sorted(entry_versions(names(folder)), reverse=True):
        commit = entry(folder, version).read_text()
        if found := wanted.search(commit):
            return None if (folder / found[1]).exists() else (found[1], commit)
    return None
