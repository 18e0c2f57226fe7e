"""Stale runs: published days whose inputs, definitions or code are different now (semantics §4).

A run recorded a digest of each arrival day of silver that it read and of the day's pass ticks;
`partitions_<stream>` holds what they are now. A day that had no events then and has some now differs too. It also
recorded how many rows it published and a digest of their statistics; the published tables' logs have what they are now.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from windrow.pipelines.delta.day_files import NO_ROWS, DayStatistics, by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import newest_steps, run_table, running
from windrow.pipelines.ledger.code_hash import changed_definitions, code_hash, definition_hash
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.tables.arrival_days import FIRST_DAY, LAST_DAY, ArrivalDays
from windrow.schemas import registry

Day: TypeAlias = tuple[str, date]
"""A query and a day."""
Held: TypeAlias = Callable[[str], dict[date, DayStatistics] | None]
"""What published tables hold: each table's log is read once."""
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


class Rules(NamedTuple):
    """By which rows were made. buckets: of the state that a query's day went on from, None without one."""

    stream: str
    query: str | None
    code_hash: str
    definition_hash: str
    buckets: int | None

    @classmethod
    def of(cls, row: StepRow) -> "Rules":
        """Of a run of a query or a feature set."""
        return cls(row.stream, row.query, row.code_hash, row.definition_hash, row.inputs.get(BUCKETS))


@dataclass(frozen=True)
class StaleRun:
    """A published day that a new run would perhaps make differently, and why. snapshot: the name of what it read, ""
    where it is not known; events_read, seconds: what making the day cost then, None where the ledger has none."""

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


FindStale: TypeAlias = Callable[[], list[StaleRun]]
"""What several pages ask for is found once."""


def stale(lake: Lake, instead: Mapping[str, ArrivalDays] = MappingProxyType({})) -> list[StaleRun]:
    """The newest publications that are stale, and published days that no run of the ledger published, by query and day.
    `instead`: by stream, arrival days that count as those of now. O(ledger + arrival days + files of tables)."""
    publications = newest_steps.newest(lake, "publish")
    of_these = newest_steps.of_runs({row.run_id for row in publications})
    audits = run_table.rows(lake, [("step", "=", "audit"), ("state", "=", "done"), of_these])
    # By the versions too: two writers may share a run id, and days without rows a version.
    by_versions = {(row.replayed, row.versions): row for row in audits}
    streams = set({row.replayed: row.stream for row in publications}.values())  # as the newest of each day has it
    now = {name: instead.get(name) or ArrivalDays.read(lake, f"partitions_{name}") for name in streams}
    newest, later = _newest_and_later(publications)
    held, rules, found, known = cache(partial(_held, lake)), cache(other_rules), [], set()
    for day, not_ended_well in later.items():
        published, audited, reasons = newest.get(day), None, _cut_off(not_ended_well)
        if published:
            audited = by_versions.get((day, published.versions))
            of_tables = (_difference(held, published, table) for table in published.counts)
            if audited is None:
                reasons.append(Reason(STEPS, "the ledger has lost what it read"))
            else:
                reasons += [*differences(audited.inputs, now[audited.stream]), *rules(Rules.of(audited))]
                reasons += _other_state(audited, newest)
            reasons += [Reason(ROWS, difference) for difference in of_tables if difference]
        if published or reasons:  # else nothing that the ledger has says why there are rows
            known.add(day)
        if reasons:
            found.append(_stale_run(published or not_ended_well[-1], audited, reasons))
    return sorted([*found, *_by_nobody(held, known)], key=lambda run: (run.query, run.day))


def _newest_and_later(publications: Iterable[StepRow]) -> tuple[dict[Day, StepRow], dict[Day, list[StepRow]]]:
    """The newest of each day that ended well, and those behind it, or all where none did."""
    newest: dict[Day, StepRow] = {}
    later: dict[Day, list[StepRow]] = {}
    for row in publications:
        if row.state == "done":
            newest[row.replayed], later[row.replayed] = row, []
        else:
            later.setdefault(row.replayed, []).append(row)
    return newest, later


def days_that_differ(lake: Lake, table: str) -> dict[date, str]:
    """By day, how a published table differs from what the ledger's newest publications wrote there; of another table
    nothing, nor of a day that is being published. O(ledger + files of the table)."""
    publications = newest_steps.newest(lake, "publish")
    writing = {row.replayed for row in publications if row.state == running.RUNNING}
    newest = {row.replayed: row for row in publications if row.state == "done" and table in row.counts}
    held = cache(partial(_held, lake))
    found = {day: _difference(held, row, table) for (query, day), row in newest.items() if (query, day) not in writing}
    return {day: reason for day, reason in found.items() if reason}


def _stale_run(published: StepRow, audited: StepRow | None, reasons: list[Reason]) -> StaleRun:
    found = StaleRun(*published.replayed, published.run_id, tuple(reasons))
    if audited is None:
        return found
    seconds, events = audited.seconds + published.seconds, audited.counts.get("events_read")
    return replace(found, snapshot=audited.outputs.get("snapshot", ""), events_read=events, seconds=seconds)


def _held(lake: Lake, table: str) -> dict[date, DayStatistics] | None:
    """What a published table holds of each day now; None where it is gone."""
    return None if lake.version(table) is None else by_day(lake, table)


def _difference(held: Held, published: StepRow, table: str) -> str | None:
    """How a table differs from what the run published there; None where it doesn't."""
    (_, day), rows, of_table = published.replayed, published.counts[table], held(table)
    if of_table is None:  # also one without rows: readers would not find it
        return f"{table} is gone; {rows} rows of {day} were published there"
    now, digest = of_table.get(day, NO_ROWS), published.outputs.get(DIGESTS, {}).get(table)
    if now.rows != rows:
        return f"{table} has {now.rows} rows of {day}, but {rows} were published"
    if digest is not None and now.digest != digest:
        return f"the rows of {day} in {table} differ from those that were published"
    return None


def _by_nobody(held: Held, known: Collection[Day]) -> list[StaleRun]:
    """Days with rows that no run of the ledger published."""
    reasons = (Reason(STEPS, "no run in the ledger has published it"),)
    return [
        StaleRun(query, day, "", reasons)
        for query in registry.queries()
        for day in {*(held(query) or ()), *(held(f"{query}_late") or ())}
        if (query, day) not in known
    ]


def _other_state(audited: StepRow, newest: Mapping[Day, StepRow]) -> list[Reason]:
    """Whether the day that it went on from has left another state since."""
    if (earlier := audited.inputs.get(STATE)) is None:
        return []
    day = date.fromisoformat(earlier["day"])
    published = newest.get((audited.replayed[0], day))
    if published is not None and published.inputs["state_digest"] == earlier["digest"]:
        return []
    return [Reason(STATE, f"it started from the state of {day}, which is different now")]


def _cut_off(later: list[StepRow]) -> list[Reason]:
    # Killed or failed between its two commits, a publication leaves the late table newer than the results.
    newest = {row.run_id: row.state for row in later}
    ends = {running.RUNNING: "has not ended yet", running.CUT_OFF: "was cut off", "failed": "failed"}
    cut_off = [(run_id, ends[state]) for run_id, state in newest.items() if state in ends]
    return [Reason(STEPS, f"a later publication (run {run_id!r}) {end}") for run_id, end in cut_off]


def differences(inputs: dict, now: ArrivalDays) -> list[Reason]:
    """How the arrival days that a run read differ now. O(arrival days)."""
    first, last = (date.fromisoformat(inputs[name]) for name in (FIRST_DAY, LAST_DAY))
    then, present = inputs["days"], now.inputs(first, last)["days"]
    before = inputs.get(ARRIVALS_BEFORE)
    is_as_before = before in (None, now.digest_before(first))
    earlier = [] if is_as_before else [Reason(EVENTS, f"arrival days before {first} are different now")]
    return earlier + [
        Reason(EVENTS, f"arrival day {day}: {_other_day(then.get(day), present.get(day))}", date.fromisoformat(day))
        for day in sorted(then.keys() | present.keys())
        if then.get(day) != present.get(day)
    ]


def _other_day(then: dict[str, str] | None, present: dict[str, str] | None) -> str:
    if then is None or present is None:
        return "had no events then, and has some now" if then is None else "had events then, and has none now"
    parts = {"silver": "its events", "pass": "its pass ticks"}
    return " and ".join(parts[part] for part in parts if then[part] != present[part]) + " are different now"


def other_rules(then: Rules) -> list[Reason]:
    """How the definition or the code differ now."""
    broken = registry.broken_queries() | registry.broken_feature_sets()
    if then.query in broken:
        return [Reason(DEFINITION, "the definition of the query or of its stream is broken: windrow check")]
    if then.query not in registry.queries() and then.query not in registry.feature_sets():
        return [Reason(DEFINITION, "the query is no longer defined")]
    reasons = [Reason(CODE, "the code is different now")] if then.code_hash != code_hash() else []
    if then.definition_hash != definition_hash(then.stream, then.query):
        files = tuple(changed_definitions(then.stream, then.query, then.definition_hash))
        reasons.append(Reason(DEFINITION, f"the definition is different now: {', '.join(files)}", files=files))
    buckets = registry.stream(then.stream).buckets
    if then.buckets not in (None, buckets):
        reasons.append(Reason(DEFINITION, f"the stream has {buckets} buckets now, and its state has {then.buckets}"))
    return reasons
