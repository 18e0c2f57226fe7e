"""A stream's events as its figures need them: two tables of the reader's connection, made by one scan of silver.

lines    a row per line of a file, with its first accepted record: what `windrow profile` counts
events   the same with `folder`, `delay_s` from event time to arrival, and `lag_s` behind the newest event time of
         the folder's lines that had arrived by then
"""

from datetime import date
from typing import NamedTuple

from pipelines.report.reader import Reader, text
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
    days = reader.rows(f"SELECT arrival_date AS day, events FROM {tables.partitions.name} WHERE events > 0 ORDER BY 1")
    if not days:
        return None
    first = _first_day(days)
    reader.keep("lines", _lines(tables.silver.name, first))
    largest = reader.rows(f"SELECT {_FOLDER} AS folder FROM lines GROUP BY 1 ORDER BY count(*) DESC, 1")
    shown = [row["folder"] for row in largest[: _MOST_FOLDERS - (len(largest) > _MOST_FOLDERS)]]
    reader.keep("events", _events(shown))
    span = (days[-1]["day"] - first).days
    unit = "day" if span <= 120 else "week" if span <= 1_100 else "month"
    left_out = first > days[0]["day"]
    return KeptEvents(first if left_out else None, unit, sum(row["events"] for row in days if row["day"] >= first))


def _first_day(days: list[dict]) -> date:
    """The oldest of the newest days, whose events together are few enough; at least the newest."""
    taken, first = 0, days[-1]["day"]
    for row in reversed(days):
        taken += row["events"]
        if taken > MOST_EVENTS:
            break
        first = row["day"]
    return first


def _lines(silver: str, first: date) -> str:
    return f"""
        SELECT path, line, arg_min(start, reading) AS start, arg_min(arrival, reading) AS arrival
        FROM {silver} WHERE arrival_date >= DATE {text(first.isoformat())} GROUP BY path, line"""


def _events(shown: list[str]) -> str:
    listed = ", ".join(map(text, shown))
    return f"""
        WITH placed AS (SELECT {_FOLDER} AS of_file, * FROM lines)
        SELECT CASE WHEN of_file IN ({listed}) THEN of_file ELSE {text(_OTHERS)} END AS folder, start, arrival,
            (epoch_us(arrival) - epoch_us(start)) / 1e6 AS delay_s,
            (epoch_us(max(start) OVER (PARTITION BY of_file ORDER BY arrival, path, line ROWS UNBOUNDED PRECEDING))
                - epoch_us(start)) / 1e6 AS lag_s
        FROM placed"""
