"""What a stream is like: how much, how disordered, how bursty, how dirty; by folder of its files. Without a JVM.

The figures and their words are those with which the real files are described:

    late in file order   share of lines whose event time is earlier than the newest of the lines before
    descents             share of lines whose event time is earlier than that of the line just before
    d                    how many lines that arrived earlier have a later event time; lines of a tick in file order
    lag                  how far a line's event time is behind the newest so far, in the same order: what a watermark's
                         lateness has to cover

Of these a line counts once, with its first accepted record: 19 records of one moment are one place in the order.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest.files import DUPLICATE, NO_EVENTS, FileRow, known_files
from windrow.pipelines.rows.arrays import stored
from windrow.pipelines.tables.arrival_days import DAY_US
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.parsing import has_header
from windrow.schemas.stream import Stream

SECOND_US = 1_000_000
PLACE = ("path", "line", "reading")


@dataclass(frozen=True)
class Spread:
    """Median, 99th percentile and maximum."""

    median: float
    p99: float
    maximum: float

    @classmethod
    def of(cls, values: np.ndarray, unit: int = 1) -> "Spread":
        """Of some values, at least one, in a unit of that many."""
        found = np.percentile(values, (50, 99, 100), method="inverted_cdf") / unit
        return cls(*(float(each) for each in found))


@dataclass(frozen=True)
class Profile:
    """A folder's figures; shares from 0 to 1, lengths in seconds. `dirt`: refused records by reason.

    lines: of its files, headers left out; readings = accepted + those of `dirt`.
    """

    folder: str
    files: int
    lines: int
    readings: int
    accepted: int
    keys: int = 0
    first_event: str | None = None
    last_event: str | None = None
    days_with_events: int = 0
    longest_gap_s: float | None = None
    late_in_file_order: float | None = None
    descents: float | None = None
    late_in_arrival_order: float | None = None
    d: Spread | None = None
    lag_s: Spread | None = None
    share_of_lines_in_bursts: float | None = None
    largest_burst: int | None = None
    duration_s: Spread | None = None
    zero_durations: float | None = None
    dirt: dict[str, int] | None = None


def profile(lake: Lake, tables: StreamTables) -> list[Profile]:
    """The profile of each folder of a stream's files, by name. O(n · log n) time, all of its silver in memory.

    Raises NotSetUp where nothing was ingested yet.
    """
    stream = tables.stream
    columns = [*PLACE, *stream.key, "start", "end", "arrival"]
    silver = lake.read(tables.silver.name, columns=list(dict.fromkeys(columns)))
    refused = lake.read(tables.quarantine.name, columns=["path", "reason", "records"])
    files: dict[str, list[FileRow]] = {}
    for path, row in known_files(lake, tables.files).items():
        if row.state != NO_EVENTS:
            files.setdefault(str(PurePosixPath(path).parent), []).append(row)
    events, dirt = _by_folder(silver), _by_folder(refused)
    return [_of_folder(folder, stream, files[folder], events.get(folder), dirt.get(folder)) for folder in sorted(files)]


def _by_folder(rows: pa.Table) -> dict[str, pa.Table]:
    coded = rows["path"].combine_chunks().dictionary_encode()
    folders = [str(PurePosixPath(path).parent) for path in coded.dictionary.to_pylist()]
    of_row = pa.array(folders, pa.string()).take(coded.indices)
    return {folder: rows.filter(pc.equal(of_row, folder)) for folder in set(folders)}


def _of_folder(
    folder: str, stream: Stream, files: list[FileRow], events: pa.Table | None, refused: pa.Table | None
) -> Profile:
    counted = [] if refused is None else refused.group_by("reason").aggregate([("records", "sum")]).to_pylist()
    dirt = Counter({row["reason"]: row["records_sum"] for row in counted})
    dirt["duplicate file"] = sum(row.duplicates for row in files if row.state == DUPLICATE)
    headed = {layout.name for layout in stream.layouts if has_header(layout)}
    lines = sum(row.lines - (row.layout in headed) for row in files)
    readings, accepted = sum(row.readings for row in files), sum(row.accepted for row in files)
    shown = {reason: count for reason, count in sorted(dirt.items()) if count}
    figures = {} if events is None else _of_events(stream, events)
    return Profile(folder, len(files), lines, readings, accepted, **figures, dirt=shown)


def _of_events(stream: Stream, events: pa.Table) -> dict:
    paths = events["path"].combine_chunks().dictionary_encode()
    rank = np.argsort(np.argsort([path.encode() for path in paths.dictionary.to_pylist()]))[np.asarray(paths.indices)]
    line, reading = (stored(events[name]) for name in ("line", "reading"))
    order = np.lexsort((reading, line, rank))
    is_first = np.append(True, (np.diff(rank[order]) != 0) | (np.diff(line[order]) != 0))
    lines = order[is_first]
    start, end, arrival = (stored(events[name])[lines] for name in ("start", "end", "arrival"))
    keys = events.select(stream.key).group_by(list(stream.key)).aggregate([]).num_rows
    ordered, (_, of_tick) = np.sort(start), np.unique(arrival, return_counts=True)
    first, last = (str(each.astype("datetime64[s]")) + "Z" for each in ordered[[0, -1]].astype("datetime64[us]"))
    return {
        "keys": keys,
        "first_event": first,
        "last_event": last,
        "days_with_events": len(np.unique(ordered // DAY_US)),
        "longest_gap_s": int(np.diff(ordered).max(initial=0)) / SECOND_US,
        **_disorder(start, arrival),
        "share_of_lines_in_bursts": float(of_tick[of_tick > 1].sum() / len(arrival)),
        "largest_burst": int(of_tick.max()),
        "duration_s": Spread.of(end - start, SECOND_US),
        "zero_durations": _share(end == start),
    }


def _disorder(start: np.ndarray, arrival: np.ndarray) -> dict:
    """`start`, `arrival`: in file order."""
    arrived = start[np.argsort(arrival, kind="stable")]
    lag_us = np.maximum.accumulate(arrived) - arrived
    return {"late_in_file_order": _share(np.maximum.accumulate(start) > start),
            "descents": _share(start[1:] < start[:-1], len(start)),
            "late_in_arrival_order": _share(lag_us > 0), "d": Spread.of(overtaken_by(arrived)),
            "lag_s": Spread.of(lag_us, SECOND_US)}  # fmt: skip


def _share(marked: np.ndarray, of: int | None = None) -> float:
    return float(marked.sum() / (of or len(marked)))


def overtaken_by(times: np.ndarray) -> np.ndarray:
    """Disorder: for each place, how many places before it hold a later time. O(n · log² n), whole arrays.

    Bit by bit of the times' ranks, from the highest: among those that share all higher bits, a later time has the bit
    and an earlier one hasn't.

        times  5 9 7 5    ranks 0 2 1 0    bit 1: the last two 0s come after one 1 each: d 0 0 1 1
                                           bit 0: in the group of 0 and 1, the last 0 comes after one 1: d 0 0 1 2
    """
    _, rank = np.unique(times, return_inverse=True)
    found = np.zeros(len(times), dtype=np.int64)
    for bit in reversed(range(int(rank.max(initial=0)).bit_length())):
        group = rank >> (bit + 1)
        order = np.argsort(group, kind="stable")
        has_bit = (rank[order] >> bit & 1).astype(bool)
        ones = np.cumsum(has_bit)
        begins = np.append(True, np.diff(group[order]) != 0)
        before_group = np.maximum.accumulate(np.where(begins, ones - has_bit, 0))
        found[order] += np.where(has_bit, 0, ones - before_group)
    return found
