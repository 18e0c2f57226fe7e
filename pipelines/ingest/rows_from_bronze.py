"""Rows of `files_<stream>` made again from bronze's lines, after that table was lost."""

import hashlib
from collections.abc import Iterable, Iterator, Set
from datetime import date
from itertools import groupby
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.delta.lake import Lake
from pipelines.ingest.files import ACCEPTED, FileRow
from pipelines.ingest.lines import chunks, lines
from pipelines.ingest.packings import UNREADABLE_FILE
from pipelines.location import Location
from pipelines.rows import databases
from pipelines.tables.stream_tables import StreamTables

_LINES_PER_BATCH = 5_000


def rows_from_bronze(lake: Lake, tables: StreamTables, paths: Set[str], listed: list[str]) -> list[FileRow]:
    """Intents of files of which only bronze knows. O(their lines, and the content of the listed files).

    A content's hash can't be made from its lines, which have lost their line ends. Where a listed file has the same
    lines its hash is taken; else that of the lines with an LF each, which is the content's own for all but files with
    other line ends or damaged lines. Of those a copy that lands later, under another name, would count again.
    """
    if not paths:
        return []
    copies = _listed_by_lines(lake.config.landing, listed)
    rows = []
    for path, landed_date, of_lines, count in _read(lake, tables, paths):
        content = copies.get(of_lines, of_lines)
        rows.append(FileRow(path, content, 0, landed_date, ACCEPTED, lines=count))
    return rows


def _read(lake: Lake, tables: StreamTables, paths: Set[str]) -> Iterator[tuple[str, date, str, int]]:
    """Path, day of landing, hash and number of the lines of each file."""
    of_paths = pc.field("path").isin(pa.array(sorted(paths), pa.string()))
    with databases.open_database(lake.config.scratch, lake.config.lake) as database:
        database.register("bronze", lake.dataset(tables.bronze.name).filter(of_paths))
        reader = database.sql("SELECT path, landed_date, text FROM bronze ORDER BY path, line").to_arrow_reader(
            _LINES_PER_BATCH
        )
        rows = (row for batch in reader for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))
        for path, of_path in groupby(rows, key=itemgetter(0)):
            days: list[date] = []
            of_lines, count = _hash_of_lines(_noting(days, of_path))
            yield path, days[0], of_lines, count


def _noting(days: list[date], rows: Iterable[tuple[str, date, str]]) -> Iterator[str]:
    for _, landed_date, text in rows:
        days[:] = [landed_date]
        yield text


def _listed_by_lines(root: Location, listed: list[str]) -> dict[str, str]:
    """Hash of the content by hash of the lines, of each listed file that can be read."""
    found = {}
    for path in listed:
        digest = hashlib.sha256()
        try:
            of_lines, _ = _hash_of_lines(text for part in lines(chunks(root / path, digest)) for text in part.texts)
        except (*UNREADABLE_FILE, OSError):
            continue
        found[of_lines] = digest.hexdigest()
    return found


def _hash_of_lines(texts: Iterable[str]) -> tuple[str, int]:
    digest, count = hashlib.sha256(), 0
    for text in texts:
        digest.update(text.encode() + b"\n")
        count += 1
    return digest.hexdigest(), count
