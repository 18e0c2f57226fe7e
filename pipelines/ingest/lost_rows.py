"""Rows that a table should hold and lacks, as after its folder was moved away: marked, so that they are made again.

How many rows there should be `files_<stream>` and `partitions_<stream>` say, how many there are the tables' logs; no
data is read while the two agree. Else the rows of each path are counted. Whatever is to be made again gets an intent:
from the landing folder where the file lies there, else from bronze. What neither has is reported by name. Pass ticks
and partitions need no marks: they are made wherever silver has a day and they have none (partitions.py).
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import NO_ROWS, add_view, by_day, files_of
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import landing, partitions
from windrow.pipelines.ingest.files import (
    ACCEPTED,
    DUPLICATE,
    INTENT,
    LINES_LOST,
    REMOVED,
    UNFINISHED,
    FileRow,
    known_files,
    write_files,
)
from windrow.pipelines.ingest.lines import lines
from windrow.pipelines.ingest.packings import UnpackedFile, Unreadable
from windrow.pipelines.location import Location
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.stream import KEPT_REFUSALS

_LINES_PER_BATCH = 5_000
_HELD = """
    SELECT path, sum(line)::BIGINT, sum(event)::BIGINT, sum(refused)::BIGINT,
           coalesce(sum(refused) FILTER (reason = 'duplicate'), 0)::BIGINT
    FROM (SELECT path, 1 AS line, 0 AS event, 0 AS refused, NULL AS reason FROM bronze
          UNION ALL SELECT path, 0, 1, 0, NULL FROM silver
          UNION ALL SELECT path, 0, 0, records, reason FROM quarantine)
    GROUP BY path"""


class _Held(NamedTuple):
    """What bronze, silver and quarantine hold of a path; `refused`: records, duplicates included."""

    lines: int = 0
    accepted: int = 0
    refused: int = 0
    duplicates: int = 0

    def has_records_of(self, row: FileRow) -> bool:
        refused = 0 if row.state == DUPLICATE else row.quarantined + row.duplicates
        return (self.accepted, self.refused) == (row.accepted, refused)

    def has_lines_of(self, row: FileRow) -> bool:
        return row.state != ACCEPTED or self.lines == row.lines


def mark_lost(lake: Lake, tables: StreamTables) -> list[str]:
    """Give intents to all files of which some table lacks rows; returns what can't be made again, by name.

    O(Parquet files of the tables) while nothing is lost, else O(rows).
    """
    known = known_files(lake, tables.files)
    noted = lake.read(tables.partitions.name, columns=["arrival_date", "events"]).to_pylist()
    there = by_day(lake, tables.silver.name)
    days = sorted(row["arrival_date"] for row in noted if there.get(row["arrival_date"], NO_ROWS).rows != row["events"])
    if not days and not _may_be_lost(lake, tables, known):
        return []
    partitions.forget(lake, tables.partitions, days)
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        for view, table in (("bronze", tables.bronze), ("silver", tables.silver), ("quarantine", tables.quarantine)):
            add_view(database, lake, table, view, files_of(lake, table))
        found = {path: _Held(*counts) for path, *counts in database.sql(_HELD).fetchall()}
    held = defaultdict(_Held, found)
    listed = {*landing.listing(lake.config.landing, tables.stream).paths}
    rows = [_checked(row, held[row.path], row.path in listed) for row in known.values()]
    unknown = {path for path in held if path not in known}
    rows += _rows_from_bronze(lake, tables, {path for path in unknown if held[path].lines}, listed)
    without_lines = sorted(path for path in unknown - listed if not held[path].lines)
    rows += [_kept_without_lines(FileRow(path, "", 0, date.min, ACCEPTED), held[path]) for path in without_lines]
    marked = [row for row in rows if row != known.get(row.path)]
    write_files(lake, tables.files, marked)
    return [f"{row.path}: {row.detail}" for row in marked if row.state in (LINES_LOST, REMOVED)]


def _may_be_lost(lake: Lake, tables: StreamTables, known: Mapping[str, FileRow]) -> bool:
    """Whether the tables hold other numbers of rows than the files' rows say, or these don't say it: of intents."""
    rows = known.values()
    if any(row.is_intent for row in rows):
        return True
    refused = sum(row.quarantined + row.duplicates for row in rows if row.state != DUPLICATE)
    lines = sum(row.lines for row in rows if row.state == ACCEPTED)
    held = lake.row_count(tables.quarantine.name)
    if any(row.quarantined > KEPT_REFUSALS for row in rows):  # some rows stand for many records, which no log says
        held = pc.sum(lake.read(tables.quarantine.name, columns=["records"])["records"]).as_py() or 0
    expected = lines, sum(row.accepted for row in rows), refused
    return (lake.row_count(tables.bronze.name), lake.row_count(tables.silver.name), held) != expected


def _checked(row: FileRow, held: _Held, is_listed: bool) -> FileRow:
    """The row, or what it becomes where its lines or records are not all there."""
    if row.state == UNFINISHED:
        return row
    if row.state == LINES_LOST or not (is_listed or held.has_lines_of(row)):
        same = row.state == LINES_LOST and not row.is_intent and held.has_records_of(row)
        return row if same else _kept_without_lines(row, held)
    complete = held.has_lines_of(row) and held.has_records_of(row)
    return row if row.is_intent or complete else replace(row, definition=INTENT)


def _kept_without_lines(row: FileRow, held: _Held) -> FileRow:
    why = "neither the landing folder nor bronze has its lines"
    if not held.accepted + held.refused:
        return row.without_records(REMOVED, f"{why}, and its events are lost; put the file back")
    return replace(
        row,
        state=LINES_LOST,
        detail=f"{why}; its rows of silver and quarantine stay. Put the file back, or remove them: windrow forget",
        readings=held.accepted + held.refused,
        accepted=held.accepted,
        quarantined=held.refused - held.duplicates,
        duplicates=held.duplicates,
        definition=row.definition or LINES_LOST,
    )


def _rows_from_bronze(lake: Lake, tables: StreamTables, paths: set[str], listed: set[str]) -> list[FileRow]:
    """Intents of files of which only bronze knows. O(their lines, and the content of the listed files).

    A content's hash can't be made from its lines, which have lost their line ends. Where a listed file has the same
    lines its hash is taken; else that of the lines with an LF each, which is the content's own for all but files with
    other line ends or damaged lines. Of those a copy that lands later, under another name, would count again.
    """
    if not paths:
        return []
    copies = _listed_by_lines(lake.config.landing, sorted(listed))
    found = []
    for (path, landed_date), rows in groupby(_bronze_of(lake, tables, paths), itemgetter(0, 1)):
        of_lines, count = _hash_of_lines(text for _, _, text in rows)
        found.append(FileRow(path, copies.get(of_lines, of_lines), 0, landed_date, ACCEPTED, lines=count))
    return found


def _bronze_of(lake: Lake, tables: StreamTables, paths: Collection[str]) -> Iterator[tuple[str, date, str]]:
    """Path, day of landing and text of the lines, in order."""
    of_paths = pc.field("path").isin(pa.array(sorted(paths), pa.string()))
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        database.register("bronze", lake.dataset(tables.bronze.name).filter(of_paths))
        ordered = database.sql("SELECT path, landed_date, text FROM bronze ORDER BY path, line")
        for batch in ordered.to_arrow_reader(_LINES_PER_BATCH):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _listed_by_lines(root: Location, listed: Iterable[str]) -> dict[str, str]:
    """Hash of the content by hash of the lines, of each listed file that can be read."""
    found = {}
    for path in listed:
        content = UnpackedFile(root / path)
        try:
            of_lines, _ = _hash_of_lines(text for part in lines(content) for text in part.texts)
        except (Unreadable, OSError):
            continue
        found[of_lines] = content.sha256.hexdigest()
    return found


def _hash_of_lines(texts: Iterable[str]) -> tuple[str, int]:
    digest, count = hashlib.sha256(), 0
    for text in texts:
        digest.update(text.encode() + b"\n")
        count += 1
    return digest.hexdigest(), count
