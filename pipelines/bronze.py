"""Bronze: the lines of landed files as received, replaced per file in one commit.

Each task reads whole files, and checks at the end of each that the bytes it read are those that landed: a file that
changed in between fails the whole write, so that no line of it is published.
"""

import hashlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from pyspark.errors import PySparkException

from pipelines import lake, land
from pipelines.changes import Changes, FileRow
from pipelines.config import Config
from pipelines.lines import chunks, lines
from pipelines.spark import session
from schemas.errors import LandingFailed
from schemas.stream import Stream
from schemas.tables import bronze_table

TASKS_AT_MOST = 64


class Wanted(NamedTuple):
    """A file to read, and what it must turn out to be."""

    path: str
    content_hash: str
    landed_date: date


def write(config: Config, stream: Stream, changes: Changes) -> int:
    """Replace what bronze holds of the files that landed. LandingFailed when one is not what landed any more."""
    table, replaced = bronze_table(stream), lake.among("path", sorted(changes.landed))
    schema = lake.arrow_schema(table)
    wanted = [_wanted(changes.rows[path]) for path in changes.delivering if path in changes.landed]
    if not wanted:
        return lake.replace(config, table, replaced, schema.empty_table())
    # Rows are numbers of files, so that nothing but a plain range has to be cut into tasks.
    numbers = session(config).range(0, len(wanted), 1, min(len(wanted), TASKS_AT_MOST))
    frame = numbers.mapInArrow(_reader(config.landing, wanted, schema), _SPARK_SCHEMA)
    try:
        return lake.replace_with_spark(config, table, replaced, frame)
    except PySparkException as error:
        if not any(land.content_hash_or_none(config.landing, file.path) != file.content_hash for file in wanted):
            raise
        raise LandingFailed("a landed file changed while it was read") from error


_SPARK_SCHEMA = "path string, line long, text string, damage string, landed_date date"


def _wanted(row: FileRow) -> Wanted:
    return Wanted(row.path, row.content_hash, row.landed_date)


def _reader(root: Path, wanted: list[Wanted], schema: pa.Schema):
    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from read_file(root, wanted[number], schema)

    return read


def read_file(root: Path, wanted: Wanted, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A landed file's rows, a piece at a time; LandingFailed at the end if its bytes are not those that landed."""
    digest, first = hashlib.sha256(), 1
    for part in lines(chunks(root / wanted.path, digest)):
        count = len(part.texts)
        yield pa.RecordBatch.from_arrays(
            [pa.array([wanted.path], pa.string()).take(pa.array([0] * count)),
             pa.array(range(first, first + count), pa.int64()),
             pa.array(part.texts, pa.string()),
             pa.nulls(count, pa.string()) if part.damage is None else pa.array(part.damage, pa.string()),
             pa.array([wanted.landed_date] * count, pa.date32())], schema=schema)
        first += count
    if digest.hexdigest() != wanted.content_hash:
        raise LandingFailed(f"{wanted.path} changed since it landed")


def first_lines(config: Config, stream: Stream, paths: list[str]) -> dict[str, str]:
    """The first line of files that bronze holds, where it isn't damaged."""
    rows = lake.read(config, bronze_table(stream).name, filters=[("line", "=", 1), ("path", "in", paths)],
                     columns=["path", "text", "damage"])
    return {row["path"]: row["text"] for row in rows.to_pylist() if row["damage"] is None}
