"""Stale runs: published days whose inputs, definitions or code are different now (semantics §4).

A run recorded a digest of each arrival day of silver that it read and of the day's pass ticks;
`partitions_<stream>` holds what they are now. A day that had no events then and has some now differs too. It also
recorded how many rows it published and a digest of their statistics; the published tables' logs have what they are now.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from pipelines.lake.arrival_days import FIRST_DAY, LAST_DAY, ArrivalDays
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.day_statistics import NO_ROWS, DayStatistics, by_day
from pipelines.lake.lake import Lake
from pipelines.ledger import running, runs
from pipelines.ledger.code_hash import code_hash, definition_hash
from pipelines.ledger.runs import StepRow
from schemas import registry

DIGESTS = "digests"
ARRIVALS_BEFORE, STATE, BUCKETS, QUESTION = "arrivals_before", "state", "buckets", "question"
"""In the inputs of an audit that went on from an earlier day's state: a digest of all earlier arrival days; which
state; how many buckets its keys are in; and a hash of what was asked."""


@dataclass(frozen=True)
class StaleRun:
    """A published day that a new run would perhaps make differently, and why."""

    query: str
    day: date
    run_id: str
    reasons: tuple[str, ...]


def stale(lake: Lake) -> list[StaleRun]:
    """The newest publications that are stale, and published days that no run of the ledger published, by query and day.
    O(ledger + arrival days + files of published tables)."""
    publications, audits = _publications(runs.rows(lake, [("step", "=", "publish")])), _audits(lake)
    streams = {rows[-1].stream for rows in publications.values()}
    now = {name: ArrivalDays.read(lake, f"partitions_{name}") for name in streams}
    held = _Published(lake)
    newest = {each: _newest_done(rows) for each, rows in publications.items()}
    found, known = [], set()
    for (query, day), rows in publications.items():
        published = newest[query, day]
        reasons = _cut_off(rows[rows.index(published) + 1 :] if published else rows)
        if published:
            audited = audits.get(_made(query, day, published.inputs))
            reasons += _differences_now(audited, now) if audited else ["the ledger has lost what it read"]
            reasons += _other_state(audited, newest) if audited else []
            reasons += held.differences(published)
        if published or reasons:  # else nothing that the ledger has says why there are rows
            known.add((query, day))
        if reasons:
            found.append(StaleRun(query, day, (published or rows[-1]).run_id, tuple(reasons)))
    return sorted([*found, *held.by_nobody(known)], key=lambda run: (run.query, run.day))


def days_that_differ(lake: Lake, table: str) -> dict[date, str]:
    """By day, how a published table differs from what the ledger's newest publications wrote there; of another table
    nothing, nor of a day that is being published. O(ledger + files of the table)."""
    publications = runs.rows(lake, [("step", "=", "publish")])
    writing = {row.replayed for row in publications if row.state == running.RUNNING}
    newest = {row.replayed: row for row in publications if row.state == "done" and table in row.counts}
    held = _Published(lake)
    found = {day: held.difference(row, table) for (query, day), row in newest.items() if (query, day) not in writing}
    return {day: reason for day, reason in found.items() if reason}


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

    def differences(self, published: StepRow) -> list[str]:
        """How the tables differ from what the run published there."""
        return [reason for table in published.counts if (reason := self.difference(published, table))]

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
        reasons = ("no run that the ledger has published it",)
        return [
            StaleRun(query, day, "", reasons)
            for query in registry.queries()
            for day in {*self.of(query), *self.of(f"{query}_late")}
            if (query, day) not in known
        ]


def _differences_now(audited: StepRow, now: dict[str, ArrivalDays]) -> list[str]:
    return [*_differences(audited.inputs, now[audited.stream]), *_other_rules(audited)]


def _newest_done(rows: list[StepRow]) -> StepRow | None:
    return next((row for row in reversed(rows) if row.state == "done"), None)


def _other_state(audited: StepRow, newest: Mapping[tuple[str, date], StepRow | None]) -> list[str]:
    """Whether the day that it went on from has left another state since."""
    earlier = audited.inputs.get(STATE)
    if earlier is None:
        return []
    day = date.fromisoformat(earlier["day"])
    published = newest.get((audited.replayed[0], day))
    if published is not None and published.inputs["state_digest"] == earlier["digest"]:
        return []
    return [f"the run of {day}, from whose state it went on, has left another one since"]


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


def _made(query: str, day: date, versions: dict) -> tuple:
    # Also of rows from before snapshots had names.
    return query, day, AuditVersions(**versions)


def _cut_off(later: list[StepRow]) -> list[str]:
    # Killed or failed between its two commits, a publication leaves the late table newer than the results.
    newest = {row.run_id: row.state for row in later}
    ends = {running.RUNNING: "has not ended yet", running.CUT_OFF: "did not end: cut off", "failed": "failed"}
    return [f"a later publication (run {run_id!r}) {ends[state]}" for run_id, state in newest.items() if state in ends]


def other_inputs(lake: Lake, partitions: str, inputs: dict) -> list[str]:
    """How the arrival days that a run read differ now. O(arrival days)."""
    return _differences(inputs, ArrivalDays.read(lake, partitions))


def _differences(inputs: dict, now: ArrivalDays) -> list[str]:
    first, last = (date.fromisoformat(inputs[name]) for name in (FIRST_DAY, LAST_DAY))
    then, present = inputs["days"], now.inputs(first, last)["days"]
    before = inputs.get(ARRIVALS_BEFORE)
    earlier = [] if before in (None, now.digest_before(first)) else [f"arrival days before {first} are different now"]
    return earlier + [
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
    if audited.query in registry.broken_queries():
        return ["the definition of the query or of its stream is broken: windrow check"]
    if audited.query not in registry.queries():
        return ["the query is no longer defined"]
    reasons = ["the code is different now"] if audited.code_hash != code_hash() else []
    if audited.definition_hash != definition_hash(audited.stream, audited.query):
        reasons.append("the definition of the query or of its stream is different now")
    buckets = registry.stream(audited.stream).buckets
    if audited.inputs.get(BUCKETS, buckets) != buckets:
        reasons.append(f"the stream has {buckets} buckets now, and its state {audited.inputs[BUCKETS]}")
    return reasons
