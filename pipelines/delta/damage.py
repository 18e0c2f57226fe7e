"""What is damaged of a table, whether that is why a step or a command failed, and which commands make lost rows again:
everything follows from the landing files, but the ledger.

No command looks for damage as long as all goes well. Libraries say much about it in many ways, and hardly ever which
table it is: so when one of them fails, the tables are looked at.
"""

import errno
import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby, product

import duckdb
import pyarrow as pa
from deltalake.exceptions import DeltaError

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import DamagedFile, damaged_log, entry, entry_versions, wrong_with
from windrow.schemas import registry
from windrow.schemas.erased import erased_name
from windrow.schemas.errors import StorageFailed, TableDamaged
from windrow.schemas.ledger_tables import FARM_RUNS, PROMISES, RUNS, VERDICTS
from windrow.schemas.registry import made_by, query_of, stream_of
from windrow.schemas.side_tables import lateness_name, panes_name

# Kinds of errors by which the libraries report what they could not read; Rust panics derive from no class of theirs.
_READING = (DeltaError, pa.ArrowException, OSError, duckdb.IOException, duckdb.InvalidInputException)
_PANIC, _SPARK = "PanicException", ("pyspark", "py4j")
_NOT_OF_A_FILE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE)
_REPAIR = '"operation":"FSCK"'
_PARQUET = re.compile(r"[\w.\-]+\.parquet")
_DAY = re.compile(r"(?:^|/)(?:emitted|arrival|logical)_date=(\d{4}-\d{2}-\d{2})/")


def damage_of(lake: Lake, name: str, read_all: bool = False) -> list[DamagedFile]:
    """A table's damaged files: of its log, or, where that is whole, of its rows. O(files of the table), `read_all`:
    O(bytes). OSError where the user has no right to look."""
    folder = lake.folder(name)
    if not lake.holds_anything(name):
        return [DamagedFile(folder, "is missing")] if lake.is_half_repaired(name) else []
    if log := damaged_log(folder):
        return log
    actions = lake.add_actions(name)
    sizes = zip(actions["path"].to_pylist(), actions["size_bytes"].to_pylist(), strict=True)
    checked = {folder / path: wrong_with(folder / path, size, read_all) for path, size in sizes}
    return [DamagedFile(path, wrong) for path, wrong in checked.items() if wrong]


def explained(lake: Lake, error: BaseException) -> TableDamaged | StorageFailed | None:
    """The damage that explains an error of a library, or that maintenance has removed what was just read; None where
    there is none, or where this process may not look. O(files of the lake); where these look right, O(bytes) of the
    tables that the error names, or else of all."""
    if not _is_of_reading(error):
        return None
    try:
        return next(_explanations(lake, str(error)), None)
    except (OSError, DeltaError):  # of rights, or of the disk: that is what it is, then
        return None


def _is_of_reading(error: BaseException) -> bool:
    if isinstance(error, ConnectionError) or getattr(error, "errno", None) in _NOT_OF_A_FILE:
        return False
    kind = type(error)
    # What Thrift says of a footer is of DuckDB's most general kind, and no error of a statement is.
    of_a_footer = kind is duckdb.Error
    return isinstance(error, _READING) or of_a_footer or kind.__name__ == _PANIC or kind.__module__.startswith(_SPARK)


def _explanations(lake: Lake, text: str) -> Iterator[TableDamaged | StorageFailed]:
    tables = lake.names()
    named = [name for name in tables if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    others = [name for name in tables if name not in named]
    for name in (*named, *others):
        yield from _error(lake, name, damage_of(lake, name))
    # A file may be gone that the newest version doesn't need: a repair took it out of the table, or another commit
    # replaced it and maintenance removed it.
    for file, name in product(dict.fromkeys(_PARQUET.findall(text)), tables):
        if found := _last_entry(lake, name, file):
            yield _gone(lake, name, *found)
    for name in named or others:
        yield from _error(lake, name, damage_of(lake, name, read_all=True))


def _error(lake: Lake, name: str, found: list[DamagedFile]) -> Iterator[TableDamaged]:
    """One for all of a table's damaged files."""
    if found:
        yield found[0].error(name, lake.config.lake, len(found) - 1)


def _gone(lake: Lake, name: str, path: str, commit: str) -> TableDamaged | StorageFailed:
    if _REPAIR in commit:
        wrong = "is missing: it was taken out of the table, and this run reads an earlier version"
        again = next(iter(made_again_by(lake, name, [path])), f"windrow repair {name}")
        return TableDamaged(name, f"{name}/{path}", wrong, again)
    return StorageFailed(
        f"{name}/{path} is gone: its version of table {name!r} was replaced, and windrow maintain removed the file "
        "while this command read it. Nothing is damaged and nothing was published: run the same command again. "
        "Maintenance with --keep-days 1 or more does not get in the way of a run"
    )


def _last_entry(lake: Lake, name: str, file: str) -> tuple[str, str] | None:
    """Path of a Parquet file, by its name, below the folder of the table whose log has it, if it is gone; and the
    newest entry of the log that has it."""
    wanted = re.compile(rf'"path":"([^"]*{re.escape(file)})"')
    folder = lake.folder(name)
    for version in reversed(entry_versions(folder)):
        commit = entry(folder, version).read_text()
        if found := wanted.search(commit):
            return None if (folder / found[1]).exists() else (found[1], commit)
    return None


def made_again_by(lake: Lake, name: str, lost: Iterable[str]) -> list[str]:
    """The commands that make the rows of a table's lost files again; `lost`: their paths below its folder."""
    if name in (VERDICTS.name, FARM_RUNS.name, PROMISES.name):
        return []  # a check whose verdict is lost is done again; how quick a farm was is no loss
    if name == RUNS.name:
        # A run finds the snapshot that it reads in the ledger: an ingest without news leaves one too.
        there = [stream.name for stream in registry.streams().values() if lake.holds_anything(f"files_{stream.name}")]
        return [*(f"windrow ingest {stream}" for stream in there), "windrow runs --stale"]
    if stream := stream_of(name):
        return [f"windrow ingest {stream.name}", "windrow runs --stale"]
    query = query_of(name)
    if (query and name == lateness_name(query)) or name in map(erased_name, registry.streams()):
        return [made_by(name)]
    if query and name == panes_name(query):
        return []  # the next run makes those that it needs
    days = {date.fromisoformat(found[1]) for path in lost if (found := _DAY.search(path))}
    # Of a table without rows no day is known, nor of one without a query.
    return replays_of(name, days) or (["windrow runs --stale"] if query else [])


def replays_of(name: str, days: set[date]) -> list[str]:
    """The commands that replay these days of the query of whose tables it is one."""
    query, commands = query_of(name), []
    # Days that follow each other are all as far from their places.
    for _, found in groupby(enumerate(sorted(days) if query else ()), lambda each: each[1].toordinal() - each[0]):
        days_of_span = [day for _, day in found]
        first, last = days_of_span[0], days_of_span[-1]
        span = f"backfill {query} --from {first} --to {last}" if first < last else f"replay {query} --day {first}"
        commands.append(f"windrow {span}")
    return commands
