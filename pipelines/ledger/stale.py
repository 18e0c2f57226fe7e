"""Stale runs: published days whose inputs, definitions or code are different now (semantics §4).

A run recorded a digest of each arrival day of silver that it read and of the day's pass ticks;
`partitions_<stream>` holds what they are now. A day that had no events then and has some now differs too.
"""

from dataclasses import dataclass
from datetime import date

from pipelines.lake.arrival_days import ArrivalDays
from pipelines.lake.lake import Lake
from pipelines.ledger import runs
from pipelines.ledger.code_hash import code_hash, definition_hash
from pipelines.ledger.runs import StepRow
from schemas import registry


@dataclass(frozen=True)
class StaleRun:
    """A published day that a new run would perhaps make differently, and why."""

    query: str
    day: date
    run_id: str
    reasons: tuple[str, ...]


def stale(lake: Lake) -> list[StaleRun]:
    """The newest publications that are stale, by query and day. O(ledger + arrival days)."""
    publications, audits = _publications(runs.rows(lake, [("step", "=", "publish")])), _audits(lake)
    streams = {rows[-1].stream for rows in publications.values()}
    now = {name: ArrivalDays.read(lake, f"partitions_{name}") for name in streams}
    found = []
    for (query, day), rows in sorted(publications.items()):
        done = [place for place, row in enumerate(rows) if row.state == "done"]
        published = rows[done[-1]] if done else None
        reasons = _cut_off(rows[done[-1] + 1 :] if done else rows)
        if published:
            audited = audits[_made(query, day, published.inputs)]
            reasons += [*_differences(audited.inputs, now[audited.stream]), *_other_rules(audited)]
        if reasons:
            found.append(StaleRun(query, day, (published or rows[-1]).run_id, tuple(reasons)))
    return found


def _publications(rows: list[StepRow]) -> dict[tuple[str, date], list[StepRow]]:
    """Oldest first, by query and day."""
    by_day: dict[tuple[str, date], list[StepRow]] = {}
    for row in rows:
        by_day.setdefault(row.replayed, []).append(row)
    return by_day


def _audits(lake: Lake) -> dict[tuple, StepRow]:
    """By day and the versions that they made: two writers may share a run id, and days without rows a version."""
    rows = runs.rows(lake, [("step", "=", "audit"), ("state", "=", "done")])
    return {_made(*row.replayed, row.outputs): row for row in rows}


def _made(query: str, day: date, versions: dict[str, int]) -> tuple:
    return query, day, *sorted(versions.items())


def _cut_off(later: list[StepRow]) -> list[str]:
    # Killed or failed between its two commits, a publication leaves the late table newer than the results.
    newest = {row.run_id: row.state for row in later}
    return [
        f"a later publication (run {run_id!r}, {state}) did not end"
        for run_id, state in newest.items()
        if state in ("running", "cut off", "failed")
    ]


def other_inputs(lake: Lake, partitions: str, inputs: dict) -> list[str]:
    """How the arrival days that a run read differ now. O(arrival days)."""
    return _differences(inputs, ArrivalDays.read(lake, partitions))


def _differences(inputs: dict, now: ArrivalDays) -> list[str]:
    first, last = (date.fromisoformat(inputs[name]) for name in ("first_arrival_day", "last_arrival_day"))
    then, present = inputs["days"], now.inputs(first, last)["days"]
    return [
        f"arrival day {day}: {_difference(then.get(day), present.get(day))}"
        for day in sorted(then.keys() | present.keys())
        if then.get(day) != present.get(day)
    ]


def _difference(then: dict[str, str] | None, present: dict[str, str] | None) -> str:
    if then is None or present is None:
        return "had no events then, has some now" if then is None else "had events then, has none now"
    parts = {"silver": "its events", "pass": "its pass ticks"}
    return " and ".join(parts[part] for part in parts if then[part] != present[part]) + " are different now"


def _other_rules(audited: StepRow) -> list[str]:
    if audited.query not in registry.queries():
        return ["the query is no longer defined"]
    reasons = ["the code is different now"] if audited.code_hash != code_hash() else []
    if audited.definition_hash != definition_hash(audited.stream, audited.query):
        reasons.append("the definition of the query or of its stream is different now")
    return reasons
