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

from pipelines.ingest import landing
from pipelines.ingest.changes import Changes
from pipelines.ingest.lines import chunks, lines
from pipelines.lake.lake import Lake
from schemas.errors import LandingFailed
from schemas.tables import Table

COLUMNS = ("path", "line", "text", "damage", "landed_date")


class LandedFile(NamedTuple):
    """A file to read, and what it must turn out to be."""

    path: str
    content_hash: str
    landed_date: date


def write_bronze(lake: Lake, bronze: Table, changes: Changes) -> int:
    """Replace what bronze holds of the files that landed. LandingFailed when one is not what landed any more."""
    root = lake.config.landing
    rows = [changes.rows[path] for path in changes.delivering if path in changes.landed]
    wanted = [LandedFile(row.path, row.content_hash, row.landed_date) for row in rows]
    batches = (batch for file in wanted for batch in read_file(root, file))
    try:
        return lake.replace(bronze, {"path": sorted(changes.landed)}, batches)
    except DeltaError as error:
        # delta-rs turns every error of a reader into its own; what happened shows in the files.
        if not landing.changed_since(root, {file.path: file.content_hash for file in wanted}):
            raise
        raise LandingFailed("a landed file changed while it was read") from error


def read_file(root: Path, wanted: LandedFile) -> Iterator[pa.RecordBatch]:
    """A landed file's rows, a piece at a time; LandingFailed at the end if its bytes are not those that landed."""
    digest, first = hashlib.sha256(), 1
    for part in lines(chunks(root / wanted.path, digest)):
        count = len(part.texts)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([wanted.path], pa.string()).take(pa.array([0] * count)),
                pa.array(range(first, first + count), pa.int64()),
                pa.array(part.texts, pa.string()),
                pa.nulls(count, pa.string()) if part.damage is None else pa.array(part.damage, pa.string()),
                pa.array([wanted.landed_date] * count, pa.date32()),
            ],
            names=COLUMNS,
        )
        first += count
    if digest.hexdigest() != wanted.content_hash:
        raise LandingFailed(f"{wanted.path} changed since it landed")


def first_lines(lake: Lake, bronze: Table, paths: list[str]) -> dict[str, str]:
    """The first line of files that bronze holds, where it isn't damaged."""
    first = [("line", "=", 1), ("path", "in", paths)]
    rows = lake.read(bronze.name, filters=first, columns=["path", "text", "damage"])
    return {row["path"]: row["text"] for row in rows.to_pylist() if row["damage"] is None}
