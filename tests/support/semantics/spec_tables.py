"""Little tables for spec tests: text in, dicts out, so that a person can check a rule by eye.

    key | start | arrival | value        key | window      | pane    | at    | events | late | total
    a   | 10:05 | 10:06   | 3            a   | 10:00-10:10 | on_time | 10:11 | 1      | 0    | 3

Times are hours and minutes (seconds if given) of 2024-03-01 UTC; `+1 ` before a time is a day later. Empty cells are
null; `start` also takes `10:05-10:30` for an event that lasts. `seq` is the row's number.
"""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from tests.support.local import late_table, replay_table
from tests.support.oracle import oracle

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


def expected(text: str) -> list[dict]:
    """A result table as dicts; `window` is `from..to`, other columns are numbers."""
    return [_result(row) for row in rows_of(text)] if text.strip() else []


def _result(row: dict) -> dict:
    start, _, end = row.pop("window").partition("..")
    known = {
        "window_start": at(start),
        "window_end": at(end),
        "pane": row.pop("pane"),
        "emitted_at": at(row.pop("at")),
        "events": int(row.pop("events")),
        "late_events": int(row.pop("late")),
    }
    keyed = {"key": row.pop("key")} if "key" in row else {}
    return {**keyed, **known, **{name: _number(cell) for name, cell in row.items()}}


def _number(cell: str | None) -> int | float | None:
    return None if cell is None else float(cell) if "." in cell else int(cell)


def assert_replay(
    query, event_table: str, result_table: str, complete: bool = False, idle_after: timedelta | None = None
) -> None:
    """The oracle and `replay_table` both give exactly the rows of the result table, revisions counted from 0."""
    rows, wanted = events(event_table), expected(result_table)
    _assert_same(oracle.replay(rows, query, complete, idle_after), wanted)
    _assert_same(replay_table(table(rows), query, complete=complete, idle_after=idle_after).to_pylist(), wanted)


def _assert_same(found: list[dict], wanted: list[dict]) -> None:
    names = list(wanted[0]) if wanted else []
    assert [{name: row[name] for name in names} for row in found] == wanted
    revisions = {}
    for row in found:
        window = (row.get("key"), row["window_start"], row["window_end"], row.get("window_number"))
        assert row["revision"] == revisions.get(window, 0), f"revision of {row}"
        revisions[window] = row["revision"] + 1


def assert_late(
    query, event_table: str, late_rows: str, complete: bool = False, idle_after: timedelta | None = None
) -> None:
    """The oracle and `late_table` both give exactly these rows: event number, starts missed, how many, µs late."""
    rows, wanted = events(event_table), [_late(row) for row in rows_of(late_rows)] if late_rows.strip() else []
    theirs = oracle.late(rows, query, complete, idle_after)
    ours = late_table(table(rows), query, complete=complete, idle_after=idle_after).to_pylist()
    for found in (theirs, ours):
        assert [{name: row[name] for name in (wanted[0] if wanted else [])} for row in found] == wanted


def _late(row: dict) -> dict:
    return {
        "seq": int(row["seq"]),
        "reason": row.get("reason", "too late"),
        "first_missed": at(row["first_missed"]) if row["first_missed"] else None,
        "last_missed": at(row["last_missed"]) if row["last_missed"] else None,
        "windows_missed": int(row["windows_missed"]) if row["windows_missed"] else None,
        "late_by": int(row["late_by"]),
    }
