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
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from deltalake.exceptions import DeltaError

from pipelines.ingest import landing
from pipelines.ingest.changes import Changes
from pipelines.ingest.files import ACCEPTED, LINES_LOST, UNFINISHED
from pipelines.ingest.lines import chunks, lines
from pipelines.ingest.lines_before import lines_before
from pipelines.lake.lake import Lake
from schemas.errors import LandingFailed
from schemas.tables import Table

COLUMNS = ("path", "line", "text", "damage", "landed_date")


class LandedFile(NamedTuple):
    """A file to read, and what it must turn out to be."""

    path: str
    content_hash: str
    landed_date: date


def write_bronze(lake: Lake, bronze: Table, changes: Changes) -> None:
    """Replace what bronze holds of files that landed, came back, or deliver no more, in one commit. LandingFailed when
    one is not what landed any more."""
    root, delivering = lake.config.landing, set(changes.delivering)
    rows = [changes.rows[path] for path in changes.rows if path in delivering & changes.landed]
    wanted = [LandedFile(row.path, row.content_hash, row.landed_date) for row in rows]
    restored = [lines_before(lake, bronze, changes.restored[path], path) for path in delivering & {*changes.restored}]
    batches = chain.from_iterable(chain((read_file(root, file) for file in wanted), restored))
    replaced = _held_before(changes)
    if not replaced and not wanted:
        return
    try:
        if replaced:
            lake.replace(bronze, {"path": sorted({*replaced, *(file.path for file in wanted)})}, batches)
        else:  # of files that nobody knew bronze holds nothing: what it holds needn't be looked at
            lake.append(bronze, batches)
    except DeltaError as error:
        # delta-rs turns every error of a reader into its own; what happened shows in the files.
        if not landing.changed_since(root, {file.path: file.content_hash for file in wanted}):
            raise
        raise LandingFailed("a landed file changed while it was read") from error


def _held_before(changes: Changes) -> list[str]:
    """Known paths whose lines bronze may hold, and is to hold no longer, or others."""
    return [
        path
        for path, row in changes.rows.items()
        if path in changes.known
        and (path in changes.landed or path in changes.restored or row.state != ACCEPTED)
        and (changes.known[path].state in (ACCEPTED, UNFINISHED, LINES_LOST) or changes.known[path].is_intent)
    ]


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
