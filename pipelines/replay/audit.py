"""The arrivals of some days, through the tasks of task.py, into the audit tables, with a commit for each table."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial, reduce
from operator import or_

from windrow.kernels.spans._planner import name_in, why_by_events
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine
from windrow.pipelines.engines.file_rows import Range
from windrow.pipelines.ledger.farm_runs import FarmRun
from windrow.pipelines.replay import day_state
from windrow.pipelines.replay.day_state import EarlierState, digest_text
from windrow.pipelines.replay.replay_plan import plan
from windrow.pipelines.replay.task import COUNTS, KEYS_BY, WrittenShare, replay_rows, replay_share, rows_of
from windrow.pipelines.replay.work import LookBack, Reading, Work
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.schemas.model import Model
from windrow.schemas.stream import Stream
from windrow.schemas.tables import Table


@dataclass(frozen=True)
class Audited:
    """What a replay wrote and read of a day, for the ledger. counts: those of task.py, and keys by kernel; kernel:
    those that replayed any keys in the pass that made the day, with commas between, None where there were no events;
    why: a line on the kernels of events that last, None of others; farms: what a model's did."""

    versions: AuditVersions
    inputs: dict
    counts: dict[str, int]
    kernel: str | None
    why: str | None
    farms: list[FarmRun]


def audit(lake: Lake, engine: Engine, work: Work, read: Reading) -> dict[date, Audited]:
    """Replace the days of `<query>_late_audit` and `<query>_audit` by a replay's rows, also if there are none, and
    those of the state table by what each leaves for the next one; a commit for each table. read: from what.

    Raises BadInput for events that break the contract of a replay, TooManyRows and TooManySeconds beyond the limits of
    the lake's configuration, EarlierDayMissing where the state from which they go on is gone.
    """
    tables = work.tables
    for table in (tables.audit, tables.late_audit, *([tables.state] if tables.state else [])):
        lake.ensure(table)
    written = replayed(lake, engine, work)
    if work.earlier and digest_text(each.earlier_digest for each in written) != work.earlier.digest:
        # What was read isn't what the earlier day left: its table was made again, say.
        raise day_state.gone(tables.query.name, work.days[0], work.earlier.day)
    versions = _commit(lake, work, read, written)
    inputs = _inputs(work, read, versions, str(lake.of_run.get("run_id")))
    of_days = zip(work.days, versions, inputs, strict=True)
    return {day: _audited(work, written, day, of_day, read_then) for day, of_day, read_then in of_days}


def replayed(lake: Lake, engine: Engine, work: Work) -> Sequence[WrittenShare]:
    """What the tasks of a run write; those of a model each have an executor for themselves."""
    slots = engine.slots
    if isinstance(work.tables.query, Model):
        slots, cores = engine.executors
        work = replace(work, workers=cores)
    planned = plan(lake, slots, work)
    if work.whole_buckets:
        return engine.each(partial(replay_share, lake, work), planned.shares, work.workers)
    rows = rows_of(work, planned.files)
    return engine.each_group(partial(replay_rows, lake, work), rows, planned.gathering)


def _audited(work: Work, written: Sequence[WrittenShare], day: date, versions: AuditVersions, inputs: dict) -> Audited:
    counts = sum((share.counts[day] for share in written), Counter[str]())
    kernels = keys_by_kernel(written, day) if counts["events_read"] or work.goes_on or work.panes else Counter[str]()
    keys = Counter(dict.fromkeys(KEYS_BY.values(), 0))
    for label, of_kernel in kernels.items():  # of a kernel, whatever its height
        keys[KEYS_BY[name_in(label)]] += of_kernel
    states = [file for share in written for file in share.state if file.partition["logical_date"] == str(day)]
    of_state = {"state_keys": sum(file.rows for file in states), "state_bytes": sum(file.file_bytes for file in states)}
    return Audited(
        versions,
        inputs,
        {**{name: counts[name] for name in COUNTS}, **keys, **(of_state if work.goes_on else {})},
        ", ".join(kernel for kernel, name in KEYS_BY.items() if keys[name]) or None,
        why_by_events(kernels),
        [farm for share in written for farm in share.farms[day]],
    )


def keys_by_kernel(written: Sequence[WrittenShare], day: date) -> Counter[str]:
    """Of the pass that made a day: the panes of the same keys have them as often as the pane with most."""
    of_panes: defaultdict[Hashable, defaultdict[Range, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for each in written:
        of_panes[each.keys][each.pane].update(each.kernels[day])
    return sum((reduce(or_, panes.values()) for panes in of_panes.values()), Counter[str]())


def _inputs(work: Work, read: Reading, versions: Sequence[AuditVersions], run_id: str) -> Iterator[dict]:
    """Where days go on from each other, those behind the first do from the days before them."""
    earlier = work.earlier
    for back, of_day in zip(work.backs, versions, strict=True):
        if work.goes_on:
            yield day_state.inputs(work.tables, read.days, back.last, earlier)
            earlier = EarlierState.left_by(back.last, run_id, of_day)
        else:
            yield read.days.inputs(_first_day(work.tables.source.stream, back, read), back.last)


def _first_day(stream: Stream, back: LookBack, read: Reading) -> date:
    """From which day on the arrival days decide what the rows are."""
    if back.bounds_us is None:  # nothing had arrived before the day
        return stream.first_day
    if stream.idle_after is None:
        return back.first_day
    # There are heartbeats since something had arrived, however long before; and none before anything had.
    return read.days.newest_before(back.first_day) or stream.first_day


def _commit(lake: Lake, work: Work, read: Reading, written: Sequence[WrittenShare]) -> list[AuditVersions]:
    """The versions of each day; the late table first."""
    tables, days, earlier = work.tables, work.days, work.earlier

    def replaced(table: Table, column: str, name: str) -> int:
        return replace_partitions(lake, table, column, days, [file for each in written for file in getattr(each, name)])

    late_version = replaced(tables.late_audit, "arrival_date", "late")
    version = replaced(tables.audit, "emitted_date", "result")
    passes = read.snapshot.version(tables.source.passes.name)
    of_run = AuditVersions(version, late_version, work.silver_version, passes, read.snapshot.name)
    if work.panes is not None:
        of_run = replace(of_run, panes=work.panes.version, panes_before=work.panes.from_day.isoformat())
    if tables.state is None:
        return [of_run] * len(days)
    state = replaced(tables.state, "logical_date", "state")
    digests = (digest_text(each.state_digests[day] for each in written) for day in days)
    versions = [replace(of_run, state=state, state_digest=digest) for digest in digests]
    return [replace(versions[0], published=earlier.published if earlier else None), *versions[1:]]
