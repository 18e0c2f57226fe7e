"""Little tables of events: text in, dicts out, so that a person can check a rule by eye.

    key | start | arrival | value
    a   | 10:05 | 10:06   | 3

Times are hours and minutes (seconds if given) of 2024-03-01 UTC; `+1 ` before a time is a day later. Empty cells are
null; `start` also takes `10:05..10:30` for an event that lasts. `seq` is the row's number.
"""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

DAY = datetime(2024, 3, 1, tzinfo=UTC)
TIMES = pa.timestamp("us", tz="UTC")
TYPES = {"start": TIMES, "end": TIMES, "arrival": TIMES, "seq": pa.int64(), "key": pa.string(), "value": pa.int64()}


def at(text: str) -> datetime:
    """`10:05`, `10:05:30.5`, `+1 10:05`, `-1 10:05` or a whole `2024-03-10 10:05` as a UTC time."""
    if text[:1] in "+-":
        days, text = text.split(" ")
        return at(text) + timedelta(days=int(days))
    if "-" in text:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    hours, minutes, *seconds = text.split(":")
    return DAY + timedelta(hours=int(hours), minutes=int(minutes), seconds=float(seconds[0]) if seconds else 0)


def rows_of(text: str) -> list[dict[str, str | None]]:
    """The rows of a `|` table by column name; an empty cell is None."""
    header, *lines = [[cell.strip() or None for cell in line.split("|")] for line in text.strip().splitlines()]
    return [dict(zip(header, line, strict=True)) for line in lines]


def events(text: str) -> list[dict]:
    """An event table as dicts: key, start, end, arrival, seq, value."""
    return [_event(row, number) for number, row in enumerate(rows_of(text))]


def _event(row: dict, number: int) -> dict:
    start, _, end = row["start"].partition("..")
    value = row.get("value")
    return {
        "key": row.get("key"),
        "start": at(start.strip()),
        "end": at((end or start).strip()),
        "arrival": at(row["arrival"]),
        "seq": number,
        "value": None if value is None else int(value),
    }


def table(rows: list[dict]) -> pa.Table:
    """Events as the Arrow table that `replay_table` takes."""
    return pa.table({name: pa.array([row[name] for row in rows], type_) for name, type_ in TYPES.items()})
