"""Bronze: the lines of landed files as received, replaced per file in one commit.

Each task streams whole files into Parquet, a piece at a time. At the end of each the bytes that were read must be those
that landed: a file that changed in between fails the whole write, so that no line of it is published.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import partial
from itertools import accumulate, chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.delta.file_commits import append_files, replace_paths
from pipelines.delta.lake import Lake
from pipelines.delta.new_files import NewFile, write_batches
from pipelines.engines.engine import Engine
from pipelines.engines.rewrites import rewritten
from pipelines.engines.shares import packed
from pipelines.ingest.changes import Changes
from pipelines.ingest.files import ACCEPTED, LINES_LOST, UNFINISHED
from pipelines.ingest.lines import chunks, lines
from pipelines.ingest.lines_before import lines_before
from pipelines.ingest.packings import UNREADABLE_FILE
from pipelines.ingest.records import records
from pipelines.location import Location
from pipelines.tables.stream_tables import StreamTables
from schemas.errors import LandingFailed
from schemas.layouts import Chooser
from schemas.stream import Layout, Stream
from schemas.tables import Table

COLUMNS = ("path", "line", "text", "damage")


class LandedFile(NamedTuple):
    """A file to read, and what it must turn out to be."""

    path: str
    content_hash: str
    landed_date: date
    layout: Layout | None = None

    def batches(self, lake: Lake, _: Table) -> Iterator[pa.RecordBatch]:
        """Its lines."""
        return read_file(lake.config.landing, self)


class RestoredFile(NamedTuple):
    """A file whose lines an older version of bronze has."""

    path: str
    bronze_version: int
    landed_date: date

    def batches(self, lake: Lake, bronze: Table) -> Iterator[pa.RecordBatch]:
        """Its lines."""
        return lines_before(lake, bronze, self.bronze_version, self.path)


Delivered = LandedFile | RestoredFile


def write_bronze(lake: Lake, engine: Engine, tables: StreamTables, changes: Changes) -> None:
    """Replace what bronze holds of files that landed, came back, or deliver no more, in one commit. LandingFailed when
    one is not what landed any more."""
    bronze, wanted = tables.bronze, _wanted(tables.stream, changes)
    replaced = _held_before(changes)
    if not replaced and not wanted:
        return
    shares = packed(wanted, engine.slots, lake.config.task_bytes)
    added = [file for found in engine.each(partial(write_share, lake, bronze), shares) for file in found]
    if replaced:
        paths = sorted({*replaced, *(file.path for file in wanted)})
        replace_paths(lake, bronze, paths, added, partial(rewritten, lake, engine, bronze, paths))
    else:  # of files that nobody knew bronze holds nothing: what it holds needn't be looked at
        append_files(lake, bronze, added)


def _wanted(stream: Stream, changes: Changes) -> dict[Delivered, int]:
    """Files whose lines are to be written, by the day on which they landed, with their bytes."""
    rows = sorted((changes.rows[path] for path in changes.delivering), key=lambda row: row.landed_date)
    landed: dict[Delivered, int] = {
        LandedFile(row.path, row.content_hash, row.landed_date, stream.layout(row.layout)): row.unpacked_bytes
        for row in rows
        if row.path in changes.landed
    }
    restored: dict[Delivered, int] = {
        RestoredFile(row.path, changes.restored[row.path], row.landed_date): row.unpacked_bytes
        for row in rows
        if row.path in changes.restored
    }
    return {**landed, **restored}


def _held_before(changes: Changes) -> list[str]:
    """Known paths whose lines bronze may hold, and is to hold no longer, or others."""
    return [
        path
        for path, row in changes.rows.items()
        if path in changes.known
        and (path in changes.landed or path in changes.restored or row.state != ACCEPTED)
        and (changes.known[path].state in (ACCEPTED, UNFINISHED, LINES_LOST) or changes.known[path].is_intent)
    ]


def write_share(lake: Lake, bronze: Table, files: Sequence[Delivered]) -> list[NewFile]:
    """Write the lines of some files, into a Parquet file for each day on which they landed."""
    found = []
    for day in sorted({file.landed_date for file in files}):
        of_day = (file.batches(lake, bronze) for file in files if file.landed_date == day)
        found.append(write_batches(lake, bronze, {"landed_date": day}, chain.from_iterable(of_day)))
    return [each for each in found if each is not None]


def read_file(root: Location, wanted: LandedFile) -> Iterator[pa.RecordBatch]:
    """A landed file's rows, a piece at a time; LandingFailed at the end if its bytes are not those that landed."""
    digest, first = hashlib.sha256(), 1
    for texts, damage in _read(root, wanted, digest):
        count = len(texts)
        *numbers, first = accumulate((1 + text.count("\n") for text in texts), initial=first)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([wanted.path], pa.string()).take(pa.array([0] * count)),
                pa.array(numbers, pa.int64()),
                pa.array(texts, pa.string()),
                pa.nulls(count, pa.string()) if damage is None else pa.array(damage, pa.string()),
            ],
            names=COLUMNS,
        )
    if digest.hexdigest() != wanted.content_hash:
        raise LandingFailed(f"{wanted.path} changed since it landed")


def _read(root: Location, wanted: LandedFile, digest: "hashlib._Hash") -> Iterator[tuple]:
    try:
        yield from records(lines(chunks(root / wanted.path, digest)), wanted.layout)
    except (OSError, *UNREADABLE_FILE) as error:
        raise LandingFailed(f"{wanted.path} changed since it landed ({error})") from error


def choosers(lake: Lake, tables: StreamTables, paths: Collection[str]) -> dict[str, Chooser]:
    """What chooses the layouts of files, by their lines in bronze. O(lines of these files) where these name their
    fields, else O(files)."""
    found = {path: Chooser(tables.stream, path) for path in paths}
    if not found:
        return found
    columns, of_paths = ["path", "text", "damage"], ("path", "in", sorted(paths))
    for row in lake.read(tables.bronze.name, filters=[("line", "=", 1), of_paths], columns=columns).to_pylist():
        found[row["path"]].take([None if row["damage"] else row["text"]])
    undecided = [path for path, chooser in found.items() if not chooser.decided]
    if undecided:
        rows = lake.dataset(tables.bronze.name).to_batches(columns=columns, filter=pc.field("path").isin(undecided))
        for path, text, damage in (row for batch in rows for row in zip(*batch.to_pydict().values(), strict=True)):
            found[path].take([None if damage else text])
    return found
