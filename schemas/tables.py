"""What every Delta table is: columns with unit and meaning, partitioning, row order in files, and CHECK constraints.

`pipelines/delta/contract.py` makes tables from these definitions and refuses one on disk that differs; the docs page of
tables is made from them too. The aggregates' own columns come from the kernels (their types follow the column types),
so `window_table` takes them as an argument.
"""

import zlib
from dataclasses import dataclass

from windrow.schemas.query import WINDOW_NAME, Query
from windrow.schemas.stream import KEPT_CHARACTERS, KEPT_REFUSALS, Column, Stream


@dataclass(frozen=True)
class Table:
    """A Delta table. `constraints` maps a name to a SQL condition that every row fulfils. `grows`: a table on disk gets
    columns that it lacks and that may be null, instead of being refused; it can't be made again from anything."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    partition_by: tuple[str, ...] = ()
    sort_by: tuple[str, ...] = ()
    constraints: tuple[tuple[str, str], ...] = ()
    grows: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names in table order."""
        return tuple(column.name for column in self.columns)


def required(name: str, type_: str, meaning: str, unit: str | None = None) -> Column:
    return Column(name, type_, meaning, unit, nullable=False)


PATH = required("path", "string", "path of the file below the landing folder")
LINE = required("line", "int64", "number of the record's first line in the file, from 1, the header counted")
READING = required("reading", "int64", "number of the record within its line, from 0")
EVENT_TIMES = (
    required("start", "timestamp", "when the event began (event time), UTC"),
    required("end", "timestamp", "when the event ended, UTC; equal to start for a point event"),
    required("arrival", "timestamp", "when the pipeline could have known the event, UTC"),
)


def files_table(stream: Stream) -> Table:
    """One row per landed path, with what became of its records (law 1 of semantics §5)."""
    count = "int64"
    return Table(
        f"files_{stream.name}",
        f"Every file that landed for {stream.name}, and what became of its records",
        (
            PATH,
            required(
                "content_hash", "string", "SHA-256 of the unpacked content; of the file's bytes if it is unreadable"
            ),
            required("file_bytes", count, "size of the file as it landed", "bytes"),
            Column("content_bytes", count, "size of the unpacked content; null if only bronze still has it", "bytes"),
            Column(
                "modified_ns", count, "time of modification; null if a later change could have the same", "ns, epoch"
            ),
            required("landed_date", "date", "the day on which this content was first ingested, UTC"),
            required(
                "state",
                "string",
                "accepted, refused, empty, duplicate file, unreadable, no events, forgotten, lines lost, unfinished",
            ),
            Column("detail", "string", "why the file is in that state"),
            Column("layout", "string", "name of the stream's layout that reads the file"),
            required("lines", count, "rows of bronze: lines of the file, the header counted"),
            required("readings", count, "records of the file: accepted + quarantined + duplicates"),
            required("accepted", count, "records that are rows of silver"),
            required("quarantined", count, "records refused with a reason other than duplicate"),
            required("duplicates", count, "records refused because the same event came earlier"),
            required("definition", "string", "hash of the stream's definition by which the records were parsed"),
            Column("before", "string", "for an unfinished file: JSON of its earlier row, and of bronze's version then"),
        ),
        constraints=(("all_accounted", "readings = accepted + quarantined + duplicates"),),
    )


def bronze_table(stream: Stream) -> Table:
    """The lines as received."""
    return Table(
        f"bronze_{stream.name}",
        f"Lines of {stream.name} as received, one row per line, or per record whose quoted fields hold line breaks",
        (
            PATH,
            LINE,
            required("text", "string", "the line without its line end; bytes that are not UTF-8, and NUL, as \\xNN"),
            Column(
                "damage",
                "string",
                "NUL byte, not UTF-8, line too long, or erased; null if the text is the line's own bytes",
            ),
            required("landed_date", "date", "the day on which the file landed, UTC"),
        ),
        partition_by=("landed_date",),
    )


def silver_table(stream: Stream) -> Table:
    """Events: typed, deduplicated, in arrival order."""
    return Table(
        f"silver_{stream.name}",
        f"Events of {stream.name}: {stream.title}",
        (
            *stream.columns,
            *EVENT_TIMES,
            PATH,
            LINE,
            READING,
            Column(
                "identity", "string", "hash of what tells events apart; null if the stream's layout has no identity"
            ),
            required("definition", "string", "hash of the stream's definition that accepted the row"),
            required("arrival_date", "date", "day of arrival, UTC"),
            required("bucket", "int64", f"hash of ({', '.join(stream.key)}) modulo {stream.buckets}"),
        ),
        partition_by=("arrival_date", "bucket"),
        sort_by=(*stream.key, "arrival", "path", "line", "reading"),
        constraints=(("ends_after_start", "`end` >= start"),),
    )


def quarantine_table(stream: Stream) -> Table:
    """Refused records, each with its reason."""
    return Table(
        f"quarantine_{stream.name}",
        f"Records of {stream.name} that were refused, each with its reason",
        (
            PATH,
            Column(
                "line", "int64", "number of the line in the file; null for a whole file, and for the rest of a file"
            ),
            READING,
            required("reason", "string", "why, in the words of the stream's definition"),
            Column("detail", "string", "the value and the limit"),
            Column(
                "arrival", "timestamp", "when the pipeline could have known the event, UTC; null if that can't be read"
            ),
            Column("identity", "string", "for duplicates: hash of the identity of the earlier event"),
            Column("text", "string", f"the line; only its first {KEPT_CHARACTERS:,} characters if it is no duplicate"),
            required(
                "records",
                "int64",
                f"how many records the row stands for: 1, or all further records of a reason after a file's first "
                f"{KEPT_REFUSALS:,} refusals (duplicates not counted)",
            ),
            required("definition", "string", "hash of the stream's definition that refused the row"),
        ),
        sort_by=("path", "line", "reading"),
    )


def pass_table(stream: Stream) -> Table:
    """The watermark's history: a staircase per arrival day."""
    return Table(
        f"pass_{stream.name}",
        f"Arrival ticks of {stream.name}, and later heartbeats, that raised the day's newest event start",
        (
            required("tick", "timestamp", "an arrival tick or a heartbeat, UTC"),
            required(
                "newest_start",
                "timestamp",
                "newest event start that had arrived on that day by the tick, or that the heartbeat stands for, UTC",
            ),
            required("arrival_date", "date", "day of arrival, UTC"),
        ),
        partition_by=("arrival_date",),
        sort_by=("tick",),
    )


def partitions_table(stream: Stream) -> Table:
    """A digest per arrival day of silver, by which a run knows later whether what it read has changed."""
    return Table(
        f"partitions_{stream.name}",
        f"Content of each arrival day of silver_{stream.name}, as a digest",
        (
            required("arrival_date", "date", "day of arrival, UTC"),
            required("events", "int64", "rows of the day"),
            required("newest_start", "timestamp", "newest event start at the day's last pass tick, UTC"),
            required("silver_digest", "string", "hash of the day's rows, independent of their order"),
            required("pass_digest", "string", "hash of the day's pass ticks"),
            required("silver_version", "int64", f"version of silver_{stream.name} that has had these rows since"),
        ),
    )


WINDOW_NAMED = required(WINDOW_NAME, "string", "which of the query's windows the row is of")
WINDOW_COLUMNS = (
    WINDOW_NAMED,
    required("window_start", "timestamp", "start of the window, included, UTC"),
    required("window_end", "timestamp", "end of the window, excluded, UTC"),
    required("window_number", "int64", "0, 1, … for windows of a key that have the same start and end"),
    required("revision", "int64", "0, 1, 2, … per key and window; each replaces the one before"),
    required("pane", "string", "why the row was emitted: early, on_time, late or final"),
    required("emitted_at", "timestamp", "arrival tick at which a streaming system would have emitted the row, UTC"),
    required("events", "int64", "events that the row covers"),
    required(
        "late_events", "int64", "how many of these events arrived after the watermark had passed the window's end"
    ),
)
EMITTED_DATE = required("emitted_date", "date", "day of emitted_at, UTC: the run that wrote the row")


def key_columns(query: Query, stream: Stream) -> tuple[Column, ...]:
    return tuple(stream.column(name) for name in query.key)


def window_table(query: Query, stream: Stream, aggregates: tuple[Column, ...], suffix: str = "") -> Table:
    """A query's table: every revision of every window. `suffix="_audit"`: the rows that wait for the gate."""
    before = ", before the gate" if suffix else ""
    of_windows = (column for column in WINDOW_COLUMNS if column.name in query.window_columns)
    return Table(
        query.name + suffix,
        f"Every revision of every window of {query.name}{before}",
        (*key_columns(query, stream), *of_windows, *aggregates, EMITTED_DATE),
        partition_by=("emitted_date",),
        sort_by=(*query.window_identity, "revision"),
        constraints=(
            ("late_within_events", "late_events >= 0 AND late_events <= events"),
            ("window_has_length", "window_end > window_start"),
        ),
    )


def late_table(query: Query, stream: Stream, suffix: str = "") -> Table:
    """Events that were too late for at least one of their windows, or too long for all."""
    context_free, named = query.context_free, (WINDOW_NAMED,) if query.windows else ()
    how_many = "how many windows it missed" + ("" if context_free else "; null, since windows depend on their events")
    return Table(
        f"{query.name}_late{suffix}",
        f"Events that {query.name} could not count in at least one window" + (", before the gate" if suffix else ""),
        (
            *key_columns(query, stream),
            *named,
            *EVENT_TIMES,
            PATH,
            LINE,
            READING,
            required("reason", "string", "too late, or too long"),
            Column(
                "first_missed", "timestamp", "start of the first window that it missed, UTC; null if it met no window"
            ),
            Column(
                "last_missed", "timestamp", "start of the last window that it missed, UTC; null if it met no window"
            ),
            Column("windows_missed", "int64", how_many, nullable=not context_free),
            Column(
                "late_by",
                "int64",
                "the watermark before the event's tick minus the end of the first missed window; below zero for a too "
                "long event that came in time, null if the event met no window or came before any watermark",
                "microseconds",
            ),
            required("arrival_date", "date", "day of arrival, UTC: the run that wrote the row"),
        ),
        partition_by=("arrival_date",),
        sort_by=(*query.key, *query.name_column, "arrival", "path", "line", "reading"),
    )


def ingest_tables(stream: Stream) -> tuple[Table, Table, Table, Table, Table, Table]:
    """The tables that ingest keeps for a stream, in the order in which it writes them."""
    return (
        files_table(stream),
        bronze_table(stream),
        silver_table(stream),
        quarantine_table(stream),
        pass_table(stream),
        partitions_table(stream),
    )


def query_tables(query: Query, stream: Stream, aggregates: tuple[Column, ...]) -> tuple[Table, Table, Table, Table]:
    """The tables of a query: results and late events as readers read them, then the same before the gate."""
    return (
        window_table(query, stream, aggregates),
        late_table(query, stream),
        window_table(query, stream, aggregates, "_audit"),
        late_table(query, stream, "_audit"),
    )


def bucket_of(key: tuple, buckets: int) -> int:
    """Which bucket of silver holds a key: CRC-32 of its values' texts, joined by U+001F, modulo the buckets."""
    return zlib.crc32("\x1f".join(["" if value is None else str(value) for value in key]).encode()) % buckets
