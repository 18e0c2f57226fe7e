"""Lines that were erased (pipelines/erasure): no ingest takes them again, and their events still move the watermark,
since a streaming system had seen them. Where none was erased there is no table, and nothing of this costs anything."""

import hashlib
from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.schemas.erased import ERASED, erased_name, erased_table
from windrow.schemas.stream import Stream


def erased_lines(lake: Lake, stream: Stream) -> pa.Table:
    """The rows of `erased_<stream>`. O(lines that were ever erased)."""
    if lake.version(erased_name(stream.name)) is None:
        return arrow_schema(erased_table(stream)).empty_table()
    return lake.read(erased_name(stream.name))


def hashes_of(erased: pa.Table) -> frozenset[str]:
    return frozenset(erased["text_hash"].to_pylist())


def erased_ticks(lake: Lake, stream: Stream) -> pa.Table:
    """tick, newest_start, arrival_date: of each event that was erased."""
    rows = erased_lines(lake, stream)
    times = rows.select(["arrival", "start", "arrival_date"]).filter(pc.is_valid(rows["arrival"]))
    return times.rename_columns(["tick", "newest_start", "arrival_date"])


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def without_erased(lines: pa.RecordBatch, hashes: Collection[str]) -> pa.RecordBatch:
    """Rows of bronze, of which those with such a text are erased."""
    if not hashes:
        return lines
    is_erased = pa.array([hash_of(text) in hashes for text in lines["text"].to_pylist()], pa.bool_())
    text = pc.if_else(is_erased, "", lines["text"])
    damage = pc.if_else(is_erased, ERASED, lines["damage"])
    columns = {name: lines[name] for name in lines.schema.names} | {"text": text, "damage": damage}
    return pa.RecordBatch.from_pydict(columns, schema=lines.schema)
