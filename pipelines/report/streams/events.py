"""A stream's events as its figures need them: two tables of the reader's connection, made by one scan of silver.

lines    a row per line of a file, with its first accepted record: what `windrow profile` counts
events   the same with `folder`, `delay_s` from event time to arrival, and `lag_s` behind the newest event time of
         the folder's lines that had arrived by then
"""

from datetime import date
from typing import NamedTuple

from pipelines.report.reader import Reader, newest_days, text
from pipelines.tables.stream_tables import StreamTables

MOST_EVENTS = 5_000_000
_MOST_FOLDERS = 8
_OTHERS = "other folders"
_FOLDER = "regexp_replace(regexp_replace(path, '/[^/]*$', ''), '^[^/]+/', '')"


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
        FROM {tables.silver.name} WHERE arrival_date >= DATE {text(first.isoformat())} GROUP BY path, line"""
    reader.keep("lines", lines)
    largest = reader.tuples(f"SELECT {_FOLDER} FROM lines GROUP BY 1 ORDER BY count(*) DESC, 1")
    shown = [folder for (folder,) in largest[: _MOST_FOLDERS - (len(largest) > _MOST_FOLDERS)]]
    reader.keep("events", _events(shown))
    span = (max(by_day) - first).days
    unit = "day" if span <= 120 else "week" if span <= 1_100 else "month"
    return KeptEvents(first if first > min(by_day) else None, unit, events)


def _events(shown: list[str]) -> str:
    listed = ", ".join(map(text, shown))
    return f"""
        WITH placed AS (SELECT {_FOLDER} AS of_file, * FROM lines)
        SELECT CASE WHEN of_file IN ({listed}) THEN of_file ELSE {text(_OTHERS)} END AS folder, start, arrival,
            (epoch_us(arrival) - epoch_us(start)) / 1e6 AS delay_s,
            (epoch_us(max(start) OVER (PARTITION BY of_file ORDER BY arrival, path, line ROWS UNBOUNDED PRECEDING))
                - epoch_us(start)) / 1e6 AS lag_s
        FROM placed"""
