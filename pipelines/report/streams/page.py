"""The page of one stream, and its events as its figures need them: two tables of the reader's connection, made by one
scan of silver.

lines    a row per line of a file, with its first accepted record: what `windrow profile` counts
events   the same with `folder`, `delay_s` from event time to arrival, and `lag_s` behind the newest event time of
         the folder's lines that had arrived by then
"""

from datetime import date
from typing import NamedTuple

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.report import dag_text
from windrow.pipelines.report.page import PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.reader import Reader, newest_days, reading
from windrow.pipelines.report.streams import figures
from windrow.pipelines.report.words import length, share, stream_file, without_controls
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.stream import COMMON_REFUSALS, Stream

_SAMPLES, _LONGEST_TEXT, _GAPS = 3, 240, 8
MOST_EVENTS = 5_000_000
_MOST_FOLDERS = 8
_OTHERS = "other folders"


class KeptEvents(NamedTuple):
    """first_day: None unless earlier days are left out; unit: of the figures over time: day, week or month."""

    first_day: date | None
    unit: str
    events: int


def keep_events(reader: Reader, tables: StreamTables) -> KeptEvents | None:
    """Make both tables, of the newest arrival days with at most MOST_EVENTS events; None where there are no events.
    O(n · log n) of these events, in DuckDB."""
    by_day = dict(reader.tuples(f"SELECT arrival_date, events FROM {tables.partitions.name} WHERE events > 0"))
    if not by_day:
        return None
    first, events = newest_days(by_day, MOST_EVENTS)
    lines = f"""
        SELECT path, line, arg_min(start, reading) AS start, arg_min(arrival, reading) AS arrival
        FROM {tables.silver.name} WHERE arrival_date >= {sql.literal(first)} GROUP BY path, line"""
    reader.keep("lines", lines)
    largest = reader.tuples(f"SELECT {figures.OF_FOLDER} FROM lines GROUP BY 1 ORDER BY count(*) DESC, 1")
    shown = [folder for (folder,) in largest[: _MOST_FOLDERS - (len(largest) > _MOST_FOLDERS)]]
    reader.keep("events", _events(shown))
    span = (max(by_day) - first).days
    unit = "day" if span <= 120 else "week" if span <= 1_100 else "month"
    return KeptEvents(first if first > min(by_day) else None, unit, events)


def _events(shown: list[str]) -> str:
    listed = sql.literals(shown)
    return f"""
        WITH placed AS (SELECT {figures.OF_FOLDER} AS of_file, * FROM lines)
        SELECT CASE WHEN of_file IN ({listed}) THEN of_file ELSE {sql.literal(_OTHERS)} END AS folder, start, arrival,
            (epoch_us(arrival) - epoch_us(start)) / 1e6 AS delay_s,
            (epoch_us(max(start) OVER (PARTITION BY of_file ORDER BY arrival, path, line ROWS UNBOUNDED PRECEDING))
                - epoch_us(start)) / 1e6 AS lag_s
        FROM placed"""


def stream_page(lake: Lake, stream: Stream) -> ReportPage:
    """How the stream's events arrive, what was refused, and its columns."""
    return ReportPage(stream_file(stream.name), stream.name, "Streams", stream.title, tuple(_sections(lake, stream)))


def is_ingested(lake: Lake, stream: Stream) -> bool:
    """Whether an ingest has left anything of it."""
    return all(lake.version(table.name) is not None for table in StreamTables.of(stream).all)


def _sections(lake: Lake, stream: Stream) -> list[Section]:
    if not is_ingested(lake, stream):
        missing = Remark(
            "This stream was not ingested yet. Put its files into the landing folder, then run:",
            command=f"windrow ingest {stream.name}",
        )
        return [Section("", (missing,)), _about(stream)]
    tables = StreamTables.of(stream)
    with reading(lake, tables.silver.name, tables.quarantine.name, tables.files.name, tables.partitions.name) as reader:
        kept = keep_events(reader, tables)
        arrived = _arrived(reader, kept) if kept else [Section("", (Remark("Its files hold no events."),))]
        rows = reader.tuples(f"""
        SELECT state, count(*) AS files, sum(lines)::BIGINT AS lines, sum(accepted)::BIGINT AS accepted,
            sum(quarantined)::BIGINT AS refused, sum(duplicates)::BIGINT AS duplicates
        FROM {tables.files.name} GROUP BY state ORDER BY files DESC, state""")
        columns = ("state", "files", "lines", "records accepted", "refused", "duplicates")
        return [*arrived, _dirt(reader, tables), Section("Files", (PageTable("", columns, rows),)), _about(stream)]


def _arrived(reader: Reader, kept: KeptEvents) -> list[Section]:
    arrival, disorder, bursts = figures.figures(reader, kept.unit)
    newest = (
        f"The figures show the newest {kept.events:,} events, from {kept.first_day} on. The limit is {MOST_EVENTS:,}."
    )
    left_out = [] if kept.first_day is None else [Remark(newest)]
    return [
        Section("Arrival", (*left_out, *arrival, _folders(reader))),
        Section("Disorder", tuple(disorder)),
        Section("Bursts and gaps", (*bursts, _gaps(reader))),
    ]


def _folders(reader: Reader) -> PageTable:
    rows = reader.tuples("""
        SELECT folder, count(*) AS lines, strftime(min(start), '%Y-%m-%d'), strftime(max(start), '%Y-%m-%d'),
            avg((lag_s > 0)::INT), quantile_disc(lag_s, [0.5, 0.99, 1]), quantile_disc(delay_s, [0.5, 0.99, 1])
        FROM events GROUP BY folder ORDER BY lines DESC, folder""")
    shown = [
        (*facts, f"{100 * late:.1f} %", " / ".join(map(length, lags)), " / ".join(map(length, delays)))
        for *facts, late, lags, delays in rows
    ]
    spread = "median / 99 % / most"
    columns = "folder", "lines", "first event", "last event", "out of order", f"lag: {spread}", f"delay: {spread}"
    caption = (
        "out of order: behind the newest event time that had arrived from the folder; lag: how far behind; delay: from "
        "event time to arrival. A line counts once, with its first accepted record."
    )
    return PageTable("By folder of the files", columns, shown, caption)


def _gaps(reader: Reader) -> PageTable:
    rows = reader.tuples(f"""
        WITH ticks AS (SELECT DISTINCT arrival FROM events),
        gaps AS (SELECT lag(arrival) OVER (ORDER BY arrival) AS after, arrival AS before FROM ticks)
        SELECT strftime(after, '%Y-%m-%d %H:%M:%S'), strftime(before, '%Y-%m-%d %H:%M:%S'),
            (epoch_us(before) - epoch_us(after)) / 1e6 AS length_s
        FROM gaps WHERE after IS NOT NULL ORDER BY length_s DESC, after LIMIT {_GAPS}""")
    shown = [(*between, length(length_s)) for *between, length_s in rows]
    return PageTable("Longest gaps", ("nothing arrived from", "until", "for"), shown, "Of all folders together.")


def _dirt(reader: Reader, tables: StreamTables) -> Section:
    name, meanings = tables.quarantine.name, COMMON_REFUSALS | tables.stream.refusals
    counts = reader.tuples(f"SELECT reason, sum(records)::BIGINT FROM {name} GROUP BY reason ORDER BY 2 DESC, reason")
    if not counts:
        return Section("Dirt", (Remark("No record was refused.", "good"),))
    [[readings]] = reader.tuples(f"SELECT sum(readings)::BIGINT FROM {tables.files.name}")
    rows = [(reason, records, share(records, readings), meanings.get(reason, "")) for reason, records in counts]
    reasons = PageTable(
        "", ("reason", "records", "of all", "meaning"), rows, f"All files together hold {readings:,} records."
    )
    return Section("Dirt", (figures.refused(reader, name), reasons, _samples(reader, tables)))


def _samples(reader: Reader, tables: StreamTables) -> PageTable:
    # A line of persons is shown by no page: a user asks for it by a query.
    what = "NULL, NULL" if tables.stream.personal else f"detail, left(text, {_LONGEST_TEXT + 1})"
    rows = reader.tuples(f"""
        SELECT reason, path, line, {what} FROM {tables.quarantine.name}
        QUALIFY row_number() OVER (PARTITION BY reason ORDER BY path, line, reading) <= {_SAMPLES}
        ORDER BY reason, path, line""")
    shown = [(reason, _place(path, line), _cut(detail), _cut(text)) for reason, path, line, detail, text in rows]
    columns = ("reason", "file and line", "detail", "the line")
    return PageTable("Sample lines", columns, shown, f"The first {_SAMPLES} of each reason.", "samples")


def _place(path: str, line: int | None) -> str:
    return without_controls(path) + ("" if line is None else f":{line}")


def _cut(value: str | None) -> str:
    shown = without_controls(value or "").replace("\n", " ")
    return shown[:_LONGEST_TEXT] + "…" if len(shown) > _LONGEST_TEXT else shown


def _about(stream: Stream) -> Section:
    facts = [*dag_text.stream_facts(stream).items()]
    rows = [(column.name, column.type, column.unit or "", column.meaning) for column in stream.columns]
    columns = PageTable("Columns of its events", ("column", "type", "unit", "meaning"), rows)
    return Section("What it is", (PageTable("", ("what", "of this stream"), facts), columns))
