"""The plan: what has changed since the published days were made, which of them are stale by it, what makes them again;
and how that is done, in one process.

    file ─▶ events ─▶ arrival days ─▶ queries ─▶ days ─▶ commands
    definition, code, published rows ─▶ queries ─▶ days ─▶ commands
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from statistics import median

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.features.run import make_features
from windrow.pipelines.features.stale import StaleFeatures, stale_features
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.stale import CODE, DEFINITION, EVENTS, ROWS, STATE, STEPS, StaleRun, stale
from windrow.pipelines.location import Location
from windrow.pipelines.runs import definitions
from windrow.pipelines.runs.backfill import Progress, redo_stale
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.reports import DayFailure, Done
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.pipelines.upkeep import rebuild
from windrow.pipelines.upkeep.changed_files import Ingested, as_after_an_ingest, changed_files
from windrow.pipelines.upkeep.rebuild import Rebuilt
from windrow.schemas import registry
from windrow.schemas.errors import WindrowError

FILE = "file"
INGEST, BACKFILL, REBUILD, FEATURES = "ingest", "backfill", "rebuild", "features"
_OF_THE_LEDGER = {
    ROWS: ("published rows", "others than were published"),
    STATE: ("the state of an earlier day", "another than was gone on from"),
}


@dataclass(frozen=True)
class Change:
    """What is different now, and what follows from it. kind: file, definition, code, or a kind of reason of the
    ledger's; events, events_before: of a file; arrival_days: those that it changed; runs: how many are stale by it."""

    kind: str
    name: str
    why: str
    queries: tuple[str, ...]
    runs: int
    events: int | None = None
    events_before: int | None = None
    arrival_days: tuple[date, ...] = ()


@dataclass(frozen=True)
class PlannedRun:
    """A day that is to be made again, and why. perhaps: only if the day that it goes on from leaves another state;
    events, seconds: what it will read and take, as the last time."""

    query: str
    day: date
    because: tuple[str, ...]
    kinds: tuple[str, ...]
    events: int | None
    seconds: float | None
    perhaps: bool = False


@dataclass(frozen=True)
class Step:
    """A command of the plan. of: the stream or query; days: how many it makes again, `perhaps` of them not."""

    does: str
    of: str
    command: str
    days: int = 0
    perhaps: int = 0
    first: date | None = None
    last: date | None = None
    events: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class DayPlan:
    """In the order of the work. lost: queries of stale days that nothing can make again, since no definition is
    there; features: tables of features that are stale; unseen: why it can't be seen whether files of a stream wait."""

    changes: list[Change]
    runs: list[PlannedRun]
    steps: list[Step]
    lost: list[str]
    unseen: list[str]
    features: list[StaleFeatures] = field(default_factory=list)


def plan(config: Config, names: Collection[str], progress: Progress) -> DayPlan:
    """What is to be done for these queries, or for all and for tables of features. Changes nothing in the lake; waiting
    files are ingested on a trial lake. UnknownName, and what an ingest raises."""
    lake = Lake(config)
    asked = {name: registry.query(name) for name in names} or registry.queries()
    with ExitStack() as trials:
        streams = {query.stream for query in asked.values()}
        now = {
            name: trials.enter_context(as_after_an_ingest(lake, StreamTables.of(registry.stream(name)), progress))
            for name in sorted(streams)
            if lake.version(f"partitions_{name}") is not None
        }
        arrivals = {name: each.arrivals for name, each in now.items()}
        found = stale(lake, arrivals)
        chosen = [run for run in found if not names or run.query in names]
        changes = [*_files(lake, now, chosen), *_others(chosen)]
        ingests = [
            Step(INGEST, name, f"windrow ingest {name}", seconds=each.seconds)
            for name, each in now.items()
            if each.seconds is not None
        ]
        unseen = [each.unseen for each in now.values() if each.unseen]
    planned = [
        PlannedRun(run.query, run.day, run.reasons, tuple(sorted(run.kinds)), run.events_read, run.seconds)
        for run in chosen
    ]
    planned = sorted([*planned, *_perhaps(lake, chosen)], key=lambda run: (run.query, run.day))
    lost = sorted({run.query for run in chosen} - registry.queries().keys())
    again = [query for query in _queries(planned) if query not in lost]
    steps = [_step(lake, query, [run for run in planned if run.query == query]) for query in again]
    features = [] if names else stale_features(lake, arrivals, again)
    steps += [Step(FEATURES, each.table, each.command, seconds=each.seconds) for each in features]
    return DayPlan(changes, planned, [*ingests, *steps], lost, unseen, features)


def _files(lake: Lake, now: dict[str, Ingested], found: list[StaleRun]) -> Iterator[Change]:
    stream_of = {query.name: query.stream for query in registry.queries().values()}
    for name, each in now.items():
        runs_of = [run for run in found if EVENTS in run.kinds and stream_of.get(run.query) == name]
        since = min((run.snapshot for run in runs_of), default=None)
        for path, events, before, days in [] if since is None else changed_files(lake, each, since):
            by_it = [run for run in runs_of if _reads(run, days)]
            why = "delivers other events" if events else "delivers nothing any more"
            why = "new" if before == 0 else why
            yield Change(FILE, path, why, _queries(by_it), len(by_it), events, before, days)


def _reads(run: StaleRun, days: tuple[date, ...]) -> bool:
    """Whether one of these days is a reason of the run: by name, or as one of all those before the run's."""
    named = {reason.day for reason in run.because if reason.kind == EVENTS}
    return bool(named.intersection(days)) or (None in named and days[0] < run.day)


def _others(found: list[StaleRun]) -> list[Change]:
    """Definitions, code, and what else the ledger has."""
    by_change: defaultdict[tuple[str, str, str], list[StaleRun]] = defaultdict(list)
    for run in found:
        for reason in run.because:
            for change in _named(reason.kind, reason.text, reason.files):
                by_change[change].append(run)
    return [Change(*change, _queries(of), len({*of})) for change, of in sorted(by_change.items())]


def _named(kind: str, text: str, files: tuple[str, ...]) -> list[tuple[str, str, str]]:
    if kind == DEFINITION:
        return [(kind, file, "different") for file in files] or [(kind, "-", text)]
    if kind == CODE:
        return [(kind, "kernels/, pipelines/, schemas/", "different")]
    if kind in _OF_THE_LEDGER:
        return [(kind, *_OF_THE_LEDGER[kind])]
    return [(kind, "a step", text)] if kind == STEPS else []


def _perhaps(lake: Lake, found: list[StaleRun]) -> Iterator[PlannedRun]:
    """Published days that go on from one that is made again, and are not stale yet."""
    for query in _queries(found):
        if query not in registry.queries() or registry.queries()[query].context_free:
            continue
        days = {run.day for run in found if run.query == query}
        first = min(days)
        because = (f"starts from the state that the run of {first} leaves, if that changes",)
        for day in sorted(run_table.published(lake, query).keys() - days):
            if day > first:
                yield PlannedRun(query, day, because, (STATE,), None, None, perhaps=True)


def _queries(found: Iterable[StaleRun | PlannedRun]) -> tuple[str, ...]:
    return tuple(sorted({run.query for run in found}))


def _step(lake: Lake, query: str, found: list[PlannedRun]) -> Step:
    does = REBUILD if _is_rebuild_due(lake, query) else BACKFILL
    command = f"windrow rebuild {query}" if does == REBUILD else f"windrow backfill {query} --stale"
    perhaps, known = sum(run.perhaps for run in found), [run.seconds for run in found if run.seconds is not None]
    events = [run.events for run in found if run.events is not None]
    # A day of which the ledger has no seconds takes about as long as the others.
    seconds = sum(known) + median(known) * (len(found) - len(known) - perhaps) if known else None
    span = found[0].day, found[-1].day
    return Step(does, query, command, len(found), perhaps, *span, sum(events) if events else None, seconds)


def _is_rebuild_due(lake: Lake, query: str) -> bool:
    try:
        return rebuild.is_due(lake, definitions.tables_of(query))
    except WindrowError:  # the command itself says what is wrong
        return False


def carry_out(config: Config, planned: DayPlan, progress: Progress) -> Rebuilt:
    """Do what the plan says, and no more; stale days of all queries in one pass. A query that a rule refuses keeps no
    other from being made again; any other error ends it at once, and so does one of an ingest."""
    moved: dict[str, Location] = {}
    done = []
    for step in planned.steps:
        if step.does == INGEST:
            ingest_day(config, step.of, None, None, progress)
        elif step.does == REBUILD:
            rebuilt = _rebuilt(config, step, progress)
            moved |= rebuilt.moved
            done.append(rebuilt.days)
    if again := [step.of for step in planned.steps if step.does == BACKFILL]:
        done.append(redo_stale(config, again, progress))
    for each in planned.features:
        make_features(config, each.request, progress)
    days = Done([each for of in done for each in of.reports], [each for of in done for each in of.failures])
    return Rebuilt(moved, days)


def _rebuilt(config: Config, step: Step, progress: Progress) -> Rebuilt:
    try:
        return rebuild.rebuild(config, step.of, progress)
    except WindrowError as error:
        if not error.refused or step.first is None:
            raise
        return Rebuilt({}, Done([], [DayFailure(step.of, step.first, error)]))
