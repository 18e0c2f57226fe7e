"""A run: one query, one logical date, in reading order.

    audit     the day is one of the stream's, ingest is up to date, its silver is judged, the kernels make rows
    publish   the gate judges exactly these rows, and publishes them or says why not

`stage="all"` does both in one process; a DAG gives each its own task.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from pipelines import flow, gate, ingest, ingest_lock, ledger, replay
from pipelines.audit_versions import AuditVersions
from pipelines.config import Config
from pipelines.publish import publish
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp, OutsideStream, WrongParameter
from schemas.query import Query
from schemas.stream import Stream

STAGES = ("all", "audit", "publish")
Progress = Callable[[str], None]


def _silent(stage: str) -> None:
    """Progress that nobody listens to."""


@dataclass(frozen=True)
class DayReport:
    """What became of a run. `rows` by table; `note` says why nothing was published where that is so."""

    run_id: str
    query: str
    day: date
    rows: dict[str, int]
    note: str | None = None


def replay_day(
    config: Config,
    query_name: str,
    day: date,
    stage: str = "all",
    run_id: str | None = None,
    progress: Progress = _silent,
) -> DayReport:
    """Run a query for a day, or one of the two stages of that. `progress` hears each stage of flow.py begin.

    Raises UnknownName, WrongParameter, OutsideStream, IngestBehind, GateFailed (nothing was published),
    NotSetUp (publish without an audit of the day by that run), StorageFailed. Repeating a run leaves the
    tables' rows as they were.
    """
    if stage not in STAGES:
        raise WrongParameter("stage", stage, ", ".join(STAGES))
    query = registry.query(query_name)
    run = ledger.Run(run_id or ledger.new_run_id(query.name, day), query.stream, query.name, day)
    if stage == "all":
        _audit(config, query, run, progress)
        return _publish(config, query, run, progress)
    if stage == "audit":
        return _audit(config, query, run, progress)
    return _publish(config, query, run if run_id else _newest_audited(config, run), progress)


def backfill(
    config: Config,
    query_name: str,
    first: date,
    last: date,
    backwards: bool = False,
    progress: Callable[[DayReport], None] | None = None,
) -> list[DayReport]:
    """Run a query for each day from `first` to `last`, both included; `progress` hears of each that is done.

    Days don't depend on each other: the order changes no row. The first error ends it; days done before stay
    published.
    """
    if last < first:
        raise WrongParameter("to", last, f"a day from {first} on")
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    reports = []
    for day in reversed(days) if backwards else days:
        reports.append(replay_day(config, query_name, day))
        if progress:
            progress(reports[-1])
    return reports


def _audit(config: Config, query: Query, run: ledger.Run, progress: Progress) -> DayReport:
    stream = registry.stream(run.stream)
    with ledger.step(config, run.run_id, "audit", *run[1:]) as entry:
        say = entry.following(progress)
        require_day(stream, run.day)
        say(flow.JUDGE_SILVER.name)
        with ingest_lock.held(config, stream.name):
            _require_ingested(config, stream)
            require_judged(config, run, gate.judge_silver(config, stream, run.day))
        say(flow.REPLAY.name)
        audited = replay.audit(config, query, run.day)
        entry.inputs, entry.counts, entry.kernel = audited.inputs, audited.counts, audited.kernel
        entry.outputs = audited.versions.as_json()
    rows = {
        f"{query.name}_audit": audited.counts["rows"],
        f"{query.name}_late_audit": audited.counts["late_rows"],
    }
    return DayReport(run.run_id, query.name, run.day, rows)


def _publish(config: Config, query: Query, run: ledger.Run, progress: Progress) -> DayReport:
    audited = ledger.latest(config, query.name, run.day, "audit", run.run_id)
    if audited is None:
        raise _never_audited(query, run)
    versions = AuditVersions(**audited.outputs)
    with ledger.step(config, run.run_id, "publish", *run[1:]) as entry:
        say, entry.inputs = entry.following(progress), audited.outputs
        say(flow.GATE.name)
        require_judged(config, run, gate.judge_audit(config, query, run.day, versions))
        say(flow.PUBLISH.name)
        publication = publish(config, query, run.day, versions)
        entry.outputs, entry.counts = publication.versions, publication.rows
        if publication.superseded:
            entry.refuse(publication.superseded)
    return DayReport(run.run_id, query.name, run.day, publication.rows, publication.superseded)


def require_judged(config: Config, run: ledger.Run, verdicts: list) -> None:
    """Write what the gate said into the ledger; GateFailed for the first check that failed."""
    ledger.write_verdicts(config, run, verdicts)
    gate.require(verdicts)


def require_day(stream: Stream, day: date) -> None:
    """OutsideStream unless the day is one of the stream's."""
    if day < stream.first_day or (stream.last_day is not None and day > stream.last_day):
        raise OutsideStream(stream.name, day, stream.first_day, stream.last_day)


def _require_ingested(config: Config, stream: Stream) -> None:
    pending = ingest.pending(config, stream.name)
    if not pending:
        return
    shown = ", ".join(pending[:3]) + (f" and {len(pending) - 3} more" if len(pending) > 3 else "")
    raise IngestBehind(
        f"silver_{stream.name} is not made from all that lies in {config.landing}: {len(pending)} file(s) "
        f"are new, changed or gone ({shown}); first run: windrow ingest {stream.name}"
    )


def _newest_audited(config: Config, run: ledger.Run) -> ledger.Run:
    """The run that audited the day last, where the caller names none."""
    audited = ledger.latest(config, run.query, run.day, "audit")
    return run if audited is None else run._replace(run_id=audited.run_id)


def _never_audited(query: Query, run: ledger.Run) -> NotSetUp:
    return NotSetUp(
        f"there are no audit rows of {query.name} for {run.day} by run {run.run_id!r}",
        f"windrow replay {query.name} --day {run.day} --stage audit",
    )
