"""Stale runs: published days whose inputs, definitions or code are different now (semantics §4).

A run recorded a digest of each arrival day of silver that it read and of the day's pass ticks;
`partitions_<stream>` holds what they are now. A day that had no events then and has some now differs too. It also
recorded how many rows it published and a digest of their statistics; the published tables' logs have what they are now.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from pipelines.delta.day_statistics import NO_ROWS, DayStatistics, by_day
from pipelines.delta.lake import Lake
from pipelines.ledger import run_table, running
from pipelines.ledger.code_hash import changed_definitions, code_hash, definition_hash
from pipelines.ledger.run_table import StepRow
from pipelines.tables.arrival_days import FIRST_DAY, LAST_DAY, ArrivalDays
from pipelines.tables.audit_versions import AuditVersions
from schemas import registry

DIGESTS = "digests"
ARRIVALS_BEFORE, STATE, BUCKETS, QUESTION = "arrivals_before", "state", "buckets", "question"
"""In the inputs of an audit that went on from an earlier day's state: a digest of all earlier arrival days; which
state; how many buckets its keys are in; and a hash of what was asked."""


EVENTS, CODE, DEFINITION, ROWS, STEPS = "events", "code", "definition", "rows", "steps"
"""Kinds of reasons, with STATE: what a run read, by which code and definitions it ran, what is published, how its steps
ended."""


class Reason(NamedTuple):
    """Why a run is stale. day: the arrival day of which the events, or what is known of them, are different; files:
    those of definitions that are."""

    kind: str
    text: str
    day: date | None = None
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class StaleRun:
    """A published day that a new run would perhaps make differently, and why. snapshot: the name of what it read, ""
    where nobody knows; events_read, seconds: what making the day cost then, None where the ledger doesn't have it."""

    query: str
    day: date
    run_id: str
    because: tuple[Reason, ...]
    snapshot: str = ""
    events_read: int | None = None
    seconds: float | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """For people."""
        return tuple(reason.text for reason in self.because)

    @property
    def kinds(self) -> frozenset[str]:
        """Those of its reasons."""
        return frozenset(reason.kind for reason in self.because)


def stale(lake: Lake, instead: Mapping[str, ArrivalDays] = MappingProxyType({})) -> list[StaleRun]:
    """The newest publications that are stale, and published days that no run of the ledger published, by query and day.
    `instead`: by stream, arrival days that count as those of now. O(ledger + arrival days + files of published
    tables)."""
    publications, audits = _publications(run_table.rows(lake, [("step", "=", "publish")])), _audits(lake)
    streams = {rows[-1].stream for rows in publications.values()}
    now = {name: instead.get(name) or ArrivalDays.read(lake, f"partitions_{name}") for name in streams}
    held = _Published(lake)
    newest = {each: _newest_done(rows) for each, rows in publications.items()}
    found, known = [], set()
    for (query, day), rows in publications.items():
        published, audited = newest[query, day], None
        reasons = _cut_off(rows[rows.index(published) + 1 :] if published else rows)
        if published:
            audited = audits.get(_made(query, day, published.inputs))
            lost = [Reason(STEPS, "the ledger has lost what it read")]
            reasons += _differences_now(audited, now) if audited else lost
            reasons += _other_state(audited, newest) if audited else []
            reasons += held.differences(published)
        if published or reasons:  # else nothing that the ledger has says why there are rows
            known.add((query, day))
        if reasons:
            found.append(_stale_run(published or rows[-1], audited, reasons))
    return sorted([*found, *held.by_nobody(known)], key=lambda run: (run.query, run.day))


def days_that_differ(lake: Lake, table: str) -> dict[date, str]:
    """By day, how a published table differs from what the ledger's newest publications wrote there; of another table
    nothing, nor of a day that is being published. O(ledger + files of the table)."""
    publications = run_table.rows(lake, [("step", "=", "publish")])
    writing = {row.replayed for row in publications if row.state == running.RUNNING}
    newest = {row.replayed: row for row in publications if row.state == "done" and table in row.counts}
    held = _Published(lake)
    found = {day: held.difference(row, table) for (query, day), row in newest.items() if (query, day) not in writing}
    return {day: reason for day, reason in found.items() if reason}


def _stale_run(published: StepRow, audited: StepRow | None, reasons: list[Reason]) -> StaleRun:
    found = StaleRun(*published.replayed, published.run_id, tuple(reasons))
    if audited is None:
        return found
    seconds, events = audited.seconds + published.seconds, audited.counts.get("events_read")
    return replace(found, snapshot=audited.outputs.get("snapshot", ""), events_read=events, seconds=seconds)


class _Published:
    """What published tables hold of each day now; each table's log is read once."""

    def __init__(self, lake: Lake):
        self.lake = lake
        self.by_table: dict[str, dict[date, DayStatistics]] = {}
        self.gone: set[str] = set()

    def of(self, table: str) -> dict[date, DayStatistics]:
        """By day."""
        if table not in self.by_table:
            self.by_table[table] = by_day(self.lake, table)
            if self.lake.version(table) is None:
                self.gone.add(table)
        return self.by_table[table]

    def differences(self, published: StepRow) -> list[Reason]:
        """How the tables differ from what the run published there."""
        found = (self.difference(published, table) for table in published.counts)
        return [Reason(ROWS, difference) for difference in found if difference]

    def difference(self, published: StepRow, table: str) -> str | None:
        """How one of them differs; None where it doesn't."""
        _, day = published.replayed
        now, rows = self.of(table).get(day, NO_ROWS), published.counts[table]
        digest = published.outputs.get(DIGESTS, {}).get(table)
        if table in self.gone:  # also one without rows: readers would not find it
            return f"{table} is gone, of which {rows} rows of {day} were published"
        if now.rows != rows:
            return f"{table} has {now.rows} rows of {day}, {rows} were published"
        if digest is not None and now.digest != digest:
            return f"{table} has other rows of {day} than were published"
        return None

    def by_nobody(self, known: Collection[tuple[str, date]]) -> list[StaleRun]:
        """Days with rows that no run of the ledger published."""
        reasons = (Reason(STEPS, "no run that the ledger has published it"),)
        return [
            StaleRun(query, day, "", reasons)
            for query in registry.queries()
            for day in {*self.of(query), *self.of(f"{query}_late")}
            if (query, day) not in known
        ]


def _differences_now(audited: StepRow, now: dict[str, ArrivalDays]) -> list[Reason]:
    return [*_differences(audited.inputs, now[audited.stream]), *_other_rules(audited)]


def _newest_done(rows: list[StepRow]) -> StepRow | None:
    return next((row for row in reversed(rows) if row.state == "done"), None)


def _other_state(audited: StepRow, newest: Mapping[tuple[str, date], StepRow | None]) -> list[Reason]:
    """Whether the day that it went on from has left another state since."""
    earlier = audited.inputs.get(STATE)
    if earlier is None:
        return []
    day = date.fromisoformat(earlier["day"])
    published = newest.get((audited.replayed[0], day))
    if published is not None and published.inputs["state_digest"] == earlier["digest"]:
        return []
    return [Reason(STATE, f"the run of {day}, from whose state it went on, has left another one since")]


def _publications(rows: list[StepRow]) -> dict[tuple[str, date], list[StepRow]]:
    """Oldest first, by query and day."""
    by_day: dict[tuple[str, date], list[StepRow]] = {}
    for row in rows:
        by_day.setdefault(row.replayed, []).append(row)
    return by_day


def _audits(lake: Lake) -> dict[tuple, StepRow]:
    """By day and the versions that they made: two writers may share a run id, and days without rows a version."""
    rows = run_table.rows(lake, [("step", "=", "audit"), ("state", "=", "done")])
    return {_made(*row.replayed, row.outputs): row for row in rows}


def _made(query: str, day: date, versions: dict) -> tuple:
    # Also of rows from before snapshots had names.
    return query, day, AuditVersions(**versions)


def _cut_off(later: list[StepRow]) -> list[Reason]:
    # Killed or failed between its two commits, a publication leaves the late table newer than the results.
    newest = {row.run_id: row.state for row in later}
    ends = {running.RUNNING: "has not ended yet", running.CUT_OFF: "did not end: cut off", "failed": "failed"}
    cut_off = [(run_id, ends[state]) for run_id, state in newest.items() if state in ends]
    return [Reason(STEPS, f"a later publication (run {run_id!r}) {end}") for run_id, end in cut_off]


def other_inputs(now: ArrivalDays, inputs: dict) -> list[str]:
    """How the arrival days that a run read differ now. O(arrival days)."""
    return [reason.text for reason in _differences(inputs, now)]


def _differences(inputs: dict, now: ArrivalDays) -> list[Reason]:
    first, last = (date.fromisoformat(inputs[name]) for name in (FIRST_DAY, LAST_DAY))
    then, present = inputs["days"], now.inputs(first, last)["days"]
    before = inputs.get(ARRIVALS_BEFORE)
    is_as_before = before in (None, now.digest_before(first))
    earlier = [] if is_as_before else [Reason(EVENTS, f"arrival days before {first} are different now")]
    return earlier + [
        Reason(
            EVENTS,
            f"arrival day {day}: {_difference(then.get(day), present.get(day))}",
            date.fromisoformat(day),
        )
        for day in sorted(then.keys() | present.keys())
        if then.get(day) != present.get(day)
    ]


def _difference(then: dict[str, str] | None, present: dict[str, str] | None) -> str:
    if then is None or present is None:
        return "had no events then, has some now" if then is None else "had events then, has none now"
    parts = {"silver": "its events", "pass": "its pass ticks"}
    return " and ".join(parts[part] for part in parts if then[part] != present[part]) + " are different now"


def _other_rules(audited: StepRow) -> list[Reason]:
    if audited.query in registry.broken_queries():
        return [Reason(DEFINITION, "the definition of the query or of its stream is broken: windrow check")]
    if audited.query not in registry.queries():
        return [Reason(DEFINITION, "the query is no longer defined")]
    reasons = [Reason(CODE, "the code is different now")] if audited.code_hash != code_hash() else []
    if audited.definition_hash != definition_hash(audited.stream, audited.query):
        files = tuple(changed_definitions(audited.stream, audited.query, audited.definition_hash))
        reasons.append(Reason(DEFINITION, f"the definition is different now: {', '.join(files)}", files=files))
    buckets = registry.stream(audited.stream).buckets
    if audited.inputs.get(BUCKETS, buckets) != buckets:
        then = audited.inputs[BUCKETS]
        reasons.append(Reason(DEFINITION, f"the stream has {buckets} buckets now, and its state {then}"))
    return reasons
