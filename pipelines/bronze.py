"""Bronze: the lines of landed files as received, replaced per file in one commit. No JVM.

Whole files stream into the commit, a piece at a time. At the end of each the bytes that were read must be those that
landed: a file that changed in between fails the whole write, so that no line of it is published.

Spark tasks that read files (`mapInArrow`) and Spark's Delta writer were tried: for the 495,192 real lines they took
26 s of CPU, the JVM's start among them, on a busy two-core machine; this takes 0.7 s, since text goes through no row
format on its way from Arrow to Parquet.
"""

import hashlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from deltalake.exceptions import DeltaError

from pipelines import lake, land
from pipelines.arrow_schemas import arrow_schema
from pipelines.changes import Changes, FileRow
from pipelines.config import Config
from pipelines.lines import chunks, lines
from schemas.errors import LandingFailed
from schemas.stream import Stream
from schemas.tables import bronze_table


class Wanted(NamedTuple):
    """A file to read, and what it must turn out to be."""

    path: str
    content_hash: str
    landed_date: date


def write(config: Config, stream: Stream, changes: Changes) -> int:
    """Replace what bronze holds of the files that landed. LandingFailed when one is not what landed any more."""
    table, replaced = bronze_table(stream), lake.among("path", sorted(changes.landed))
    schema = arrow_schema(table)
    wanted = [_wanted(changes.rows[path]) for path in changes.delivering if path in changes.landed]
    rows = (batch for file in wanted for batch in read_file(config.landing, file, schema))
    try:
        return lake.replace(config, table, replaced, pa.RecordBatchReader.from_batches(schema, rows))
    except DeltaError as error:
        # delta-rs turns every error of a reader into its own; what happened shows in the files.
        if not any(land.content_hash_or_none(config.landing, file.path) != file.content_hash for file in wanted):
            raise
        raise LandingFailed("a landed file changed while it was read") from error


def _wanted(row: FileRow) -> Wanted:
    return Wanted(row.path, row.content_hash, row.landed_date)


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
