"""Features in plain Python: each label looks at every event, and at every row of a query."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from windrow.pipelines.gate.recount.plain.aggregates import aggregate
from windrow.pipelines.gate.recount.plain.expressions import evaluate
from windrow.schemas.feature_set import FeatureSet, Latest
from windrow.schemas.query import Query

Row = dict
SUFFIXES = {"known": ("",), "true": ("_true",), "both": ("", "_true")}


def features(label: Row, at: datetime, events: list[Row], asked: FeatureSet, knowledge: str) -> Row:
    """Of one label; events: of all keys, each with `order`, by which those of one start and arrival are ordered."""
    found: Row = {}
    of_key = [
        event
        for event in events
        if all(event[name] == label[name] for name in asked.key) and evaluate(asked.query.condition, event) is True
    ]
    for suffix in SUFFIXES[knowledge]:
        for window, size in asked.windows.items():
            held = [
                event for event in of_key if at - size < event["start"] <= at and (suffix or event["arrival"] <= at)
            ]
            held.sort(key=lambda event: (event["start"], event["arrival"], event["order"]))
            found |= {f"{name}_{window}{suffix}": _aggregate(each, held) for name, each in asked.aggregates.items()}
    return found


def _aggregate(each, held: list[Row]):
    empty = 0 if each.function in ("count", "count_distinct") else None
    return aggregate(each, held) if held else empty


def newest(
    label: Row, at: datetime, rows: Iterable[Row], of: Query, asked: Latest, as_true: bool
) -> tuple[Row, float] | None:
    """The row of the newest window, and its age in seconds; None where there is none, or it is too old."""
    last: dict[tuple, Row] = {}
    for row in sorted(rows, key=lambda row: row["revision"]):
        if all(row[name] == label[name] for name in of.key) and (as_true or row["emitted_at"] <= at):
            last[tuple(row[name] for name in of.window_identity)] = row
    is_over = timedelta(microseconds=1)
    there = [row for row in last.values() if row["events"] and (not as_true or row["window_end"] - is_over <= at)]
    if not there:
        return None
    row = max(there, key=lambda row: (row["window_end"], row["window_start"], row.get("window_number", 0)))
    age = max(at - row["window_end"], timedelta(0))
    return None if asked.at_most is not None and age > asked.at_most else (row, age / timedelta(seconds=1))
