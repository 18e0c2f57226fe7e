"""Replay: the arrivals of some days through the query's kernel, into the audit tables: the tasks of task.py, as the
engine runs them, and a commit for each table.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial, reduce
from operator import or_
from typing import NamedTuple

from kernels.spans._planner import name_in, why_by_events
from pipelines.delta.file_commits import replace_partitions
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine
from pipelines.engines.ranges import Range
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay import earlier_state
from pipelines.replay.day_state import digest_text, state_counts
from pipelines.replay.earlier_state import EarlierState
from pipelines.replay.look_back import LookBack, LookBacks, Reading
from pipelines.replay.one_pass import Work
from pipelines.replay.replay_plan import plan, work_of
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.task import COUNTS, KEYS_BY, WrittenShare, replay_rows, replay_share, rows_of
from pipelines.tables.query_tables import QueryTables
from pipelines.tables.snapshot import AuditVersions
from schemas.model import Model
from schemas.stream import Stream


@dataclass(frozen=True)
class Audited:
    """What a replay wrote and read of a day, for the ledger.

    counts: those of task.py, and keys by kernel; kernel: those that replayed any keys, with commas between; None where
    there were no events; why: a line on the kernels of events that last, None of others; farms: what a model's did.
    Kernels are those of the pass that made the day.
    """

    versions: AuditVersions
    inputs: dict
    counts: dict[str, int]
    kernel: str | None
    why: str | None
    farms: list[FarmRun]


class ReplayedShares(NamedTuple):
    """What the tasks of a run made, and how many keys each kernel replayed in the passes that made a day."""

    work: Work
    shares: Sequence[WrittenShare]
    kernels: dict[date, Counter[str]]


def audit(
    lake: Lake, engine: Engine, tables: QueryTables, served: ServedQuery, backs: LookBacks, read: Reading
) -> dict[date, Audited]:
    """Replace the days of `<query>_late_audit` and `<query>_audit` by a replay's rows, also if there are none, and
    those of the state table by what each leaves for the next one; a commit for each table.

    backs: which events the run reads; read: from what.

    Raises BadInput for events that break the contract of a replay, TooManyRows and TooManySeconds beyond the limits of
    the lake's configuration.
    """
    for table in (tables.audit, tables.late_audit, *([tables.state] if tables.state else [])):
        lake.ensure(table)
    workers = engine.executors.cores if isinstance(served.query, Model) else None
    work = work_of(lake, tables, served, backs, workers)
    written = replayed(lake, engine, tables, work, backs)
    _require_earlier_state(tables, backs, written.shares)
    versions = _commit(lake, tables, backs, read, written.shares)
    inputs = _inputs_with_state if tables.state else _inputs
    of_days = zip(backs.of_days, versions, inputs(lake, tables, backs, read, versions), strict=True)
    return {back.last: _audited(written, back, of_day, read_then) for back, of_day, read_then in of_days}


def _audited(written: ReplayedShares, back: LookBack, versions: AuditVersions, inputs: dict) -> Audited:
    counts: Counter[str] = Counter()
    for share in written.shares:
        counts.update(share.counts[back.last])
    kernels = written.kernels[back.last] if counts["events_read"] or written.work.state else Counter[str]()
    by_kernel = _keys_by_kernel(kernels)
    state = (file for share in written.shares for file in share.state)
    of_state = state_counts(state, back.last) if written.work.state else {}
    return Audited(
        versions,
        inputs,
        {**{name: counts[name] for name in COUNTS}, **by_kernel, **of_state},
        ", ".join(kernel for kernel, name in KEYS_BY.items() if by_kernel[name]) or None,
        why_by_events(kernels),
        [farm for share in written.shares for farm in share.farms[back.last]],
    )


def _inputs(lake: Lake, tables: QueryTables, backs: LookBacks, read: Reading, _: object) -> Iterator[dict]:
    stream = tables.source.stream
    return (read.days.inputs(_first_day(stream, back, read), back.last) for back in backs.of_days)


def _inputs_with_state(
    lake: Lake, tables: QueryTables, backs: LookBacks, read: Reading, versions: Sequence[AuditVersions]
) -> Iterator[dict]:
    """The days behind the first go on from those before them."""
    earlier, run_id = backs.earlier, str(lake.of_run.get("run_id"))
    for day, of_day in zip(backs.days, versions, strict=True):
        yield earlier_state.inputs(tables, read.days, day, earlier)
        assert of_day.state is not None and of_day.state_digest is not None
        earlier = EarlierState(day, run_id, of_day.state, of_day.state_digest)


def _first_day(stream: Stream, back: LookBack, read: Reading) -> date:
    """From which day on the arrival days decide what the rows are."""
    if back.bound_us is None:  # nothing had arrived before the day
        return stream.first_day
    if stream.idle_after is None:
        return back.first_day
    # There are heartbeats since something had arrived, however long before; and none before anything had.
    return read.days.newest_before(back.first_day) or stream.first_day


def _require_earlier_state(tables: QueryTables, backs: LookBacks, written: Sequence[WrittenShare]) -> None:
    """EarlierDayMissing where what was read isn't what the earlier day left: its table was made again, say."""
    if (earlier := backs.earlier) and digest_text(each.earlier_digest for each in written) != earlier.digest:
        raise earlier_state.gone(tables.query.name, backs.days[0], earlier.day)


def _commit(
    lake: Lake, tables: QueryTables, backs: LookBacks, read: Reading, written: Sequence[WrittenShare]
) -> list[AuditVersions]:
    """The versions of each day; the late table first."""
    late_version, version = (
        replace_partitions(lake, table, column, backs.days, [file for each in written for file in getattr(each, name)])
        for table, column, name in (
            (tables.late_audit, "arrival_date", "late"),
            (tables.audit, "emitted_date", "result"),
        )
    )
    passes = read.snapshot.version(tables.source.passes.name)
    of_run = AuditVersions(version, late_version, backs.silver_version, passes, read.snapshot.name)
    if tables.state is None:
        return [of_run] * len(backs.days)
    files = [file for each in written for file in each.state]
    state = replace_partitions(lake, tables.state, "logical_date", backs.days, files)
    digests = [digest_text(each.state_digests[day] for each in written) for day in backs.days]
    published = [backs.earlier.published if backs.earlier else None, *[None] * (len(backs.days) - 1)]
    return [
        replace(of_run, state=state, state_digest=digest, published=of_day)
        for digest, of_day in zip(digests, published, strict=True)
    ]


def replayed(lake: Lake, engine: Engine, tables: QueryTables, work: Work, backs: LookBacks) -> ReplayedShares:
    """What the tasks of a run write; those of a model each have an executor for themselves."""
    slots = engine.slots if work.workers is None else engine.executors.processes
    planned = plan(lake, slots, tables, work, backs)
    keys: Sequence[Hashable]
    if work.whole_buckets:
        written = engine.each(partial(replay_share, lake, work), planned.shares, work.workers)
        keys = [share[:2] for share in planned.shares]
    else:
        rows = rows_of(work, planned.files)
        written = engine.each_group(partial(replay_rows, lake, work), rows, planned.gathering)
        keys = [None] * len(written)
    return ReplayedShares(work, written, {day: _keys_counted_once(keys, written, day) for day in backs.days})


def _keys_counted_once(keys: Sequence[Hashable], written: Sequence[WrittenShare], day: date) -> Counter[str]:
    """Of a day: the panes of the same keys have them as often as the pane with most. keys: which ones each has been
    given."""
    of_panes: defaultdict[Hashable, defaultdict[Range, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for of_keys, each in zip(keys, written, strict=True):
        of_panes[of_keys][each.pane].update(each.kernels[day])
    return sum((reduce(or_, panes.values()) for panes in of_panes.values()), Counter[str]())


def _keys_by_kernel(kernels: Counter[str]) -> dict[str, int]:
    """The counts of KEYS_BY: keys of a kernel, whatever its height."""
    counts = dict.fromkeys(KEYS_BY.values(), 0)
    for label, keys in kernels.items():
        counts[KEYS_BY[name_in(label)]] += keys
    return counts
