"""All rows of some keys are those of a plain replay: of windows that depend on their key's other events.

The other laws hold each row against what silver allows, which for most of these kinds is a range. Here the windows
themselves are found again, by a walk over all events of a key (recount/plain/): too slow for all keys.

    Of keys drawn by what the run reads, the interval has the rows that a plain replay of all their events gives, and no
    other: windows, revisions, panes, emitted_at, events, late_events and aggregates.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pyarrow as pa

from windrow.pipelines.gate.recount import aggregates, sql
from windrow.pipelines.gate.recount.drawn import add_drawn, rows_by_key
from windrow.pipelines.gate.recount.finding import LawFinding, found_in_rows, verdict_on_rows
from windrow.pipelines.gate.recount.plain.aggregates import aggregate, is_same
from windrow.pipelines.gate.recount.plain.replay import PlainRow
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.schemas.query import Query

NAME = "law 5, drawn keys: all rows are those of a plain replay"
CHECKS = "dependent"
COMPARED = {"emitted_at_us": "tick", "pane": "firing", "events": "events", "late_events": "late events"}
IDENTITY = ("key_number", "window_start_us", "window_end_us", "window_number", "revision")
EXPECTED = {
    "problem": pa.string(),
    "recounted_emitted_at_us": pa.int64(),
    "recounted_pane": pa.string(),
    "recounted_events": pa.int64(),
    "recounted_late_events": pa.int64(),
    "recounted_values": pa.string(),
}
OFFENDERS = pa.schema([*((name, pa.int64()) for name in IDENTITY), ("day", pa.date32()), *EXPECTED.items()])


def find(recount: Recount) -> dict[date, LawFinding]:
    """Compare the rows of drawn keys with those that a plain replay gives. Keys are drawn of one day."""
    [day] = recount.days
    add_drawn(recount)
    expected = {(key, *row.place, row.revision): row for key, rows in rows_by_key(recount) for row in rows}
    rows = _audit_rows(recount)
    broken = [{**each, "day": day} for each in _broken(recount.query, rows, expected)]
    recount.connection.register("other_rows", pa.Table.from_pylist(broken, OFFENDERS))
    found = found_in_rows(recount, "SELECT * FROM other_rows", tuple(EXPECTED))[day]
    keys, of_keys = recount.one("SELECT count(*) FILTER (is_drawn), coalesce(max(of_keys), 0) FROM askable_keys")
    counted = {"keys": keys, "of_keys": of_keys, "rows": len(rows), "of_rows": found.counted["rows"]}
    return {day: found._replace(counted=counted)}


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    drawn = "of {keys} keys, drawn of {of_keys} with {of_rows} rows, are others than a plain replay's"
    return verdict_on_rows(of, NAME, found, tuple(EXPECTED), drawn.format_map(found.counted))


def _audit_rows(recount: Recount) -> list[dict]:
    names = (*IDENTITY, *COMPARED)
    values = "".join(f", {sql.name(name)} AS found_{n}" for n, name in enumerate(aggregates.recounted(recount.query)))
    rows = recount.connection.sql(f"""
        SELECT {", ".join(names)}{values}
        FROM audit SEMI JOIN (FROM askable_keys WHERE is_drawn) USING (key_number)""")
    return rows.to_arrow_table().to_pylist()


def _broken(query: Query, rows: list[dict], expected: dict[tuple, PlainRow]) -> Iterator[dict]:
    found = []
    for row in rows:
        identity = tuple(row[name] for name in IDENTITY)
        again = expected.pop(identity, None)
        found.append((identity, again, *_difference(query, row, again)))
    found += [(identity, again, "row is missing", "") for identity, again in expected.items()]
    for identity, again, problem, values in found:
        known = {} if again is None else {f"recounted_{name}": value for name, value in _compared(again).items()}
        known |= zip(IDENTITY, identity, strict=True)
        if problem:
            yield {**known, "problem": problem, "recounted_values": values}


def _difference(query: Query, row: dict, again: PlainRow | None) -> tuple[str, str]:
    """What is wrong with a row, or nothing; and the aggregates that differ, as they should be."""
    if again is None:
        return "no such row", ""
    compared = _compared(again)
    differs = [f"other {what}" for name, what in COMPARED.items() if row[name] != compared[name]]
    if differs:
        return differs[0], ""
    exact = dict(_differing(query, row, [dict(event.row) for event in again.events]))
    return ("other values", ", ".join(f"{name} {value}" for name, value in exact.items())) if exact else ("", "")


def _compared(again: PlainRow) -> dict[str, Any]:
    values = (again.emitted_at, again.pane, len(again.events), again.late_events)
    return dict(zip(COMPARED, values, strict=True))


def _differing(query: Query, row: dict, held: list[dict]) -> Iterator[tuple[str, Any]]:
    for number, (name, each) in enumerate(aggregates.recounted(query).items()):
        try:
            exact = aggregate(each, held) if held else None
        except OverflowError:  # of infinite values, or beyond int64: left to law 5
            continue
        if not is_same(each, held, row[f"found_{number}"], exact):
            yield name, exact
