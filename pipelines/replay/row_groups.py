"""What Parquet's footers say of files sorted by key: how much there is of which keys, and of when. No row is read."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

import pyarrow.parquet as pq

from pipelines import storage
from schemas.windows import EPOCH, MICROSECOND


class RowGroup(NamedTuple):
    """Some rows of a file: the least value of its first key column, None where that isn't known; its earliest event
    start, in µs since the epoch; and its part of the file's bytes."""

    least: object
    earliest_us: int
    file_bytes: int


def row_groups(column: str, files: Sequence[str]) -> list[RowGroup]:
    """Those of some files. O(row groups)."""
    found = []
    for group in _column_chunks(files):
        file_bytes = sum(each.total_compressed_size for each in group.values())
        found.append(RowGroup(_least(group[column]), _us(_least(group.get("start"))), file_bytes))
    return found


def bounds_us(column: str, files: Sequence[str]) -> tuple[int, int] | None:
    """The least and the greatest time of a column that has no nulls; None of no rows. O(row groups)."""
    found = [group[column].statistics for group in _column_chunks(files)]
    return (_us(min(each.min for each in found)), _us(max(each.max for each in found))) if found else None


def _column_chunks(files: Sequence[str]) -> Iterator[dict[str, pq.ColumnChunkMetaData]]:
    with ThreadPoolExecutor() as pool:
        for metadata in pool.map(_metadata, files):
            for number in range(metadata.num_row_groups):
                group = metadata.row_group(number)
                chunks = [group.column(each) for each in range(group.num_columns)]
                yield {each.path_in_schema: each for each in chunks}


def _metadata(file: str) -> pq.FileMetaData:
    with storage.parquet(file) as opened:
        return opened.metadata


def _least(column: pq.ColumnChunkMetaData | None) -> object:
    statistics = column.statistics if column is not None else None
    return statistics.min if statistics is not None and statistics.has_min_max else None


def _us(time: object) -> int:
    return (time - EPOCH) // MICROSECOND if isinstance(time, datetime) else -(1 << 62)
