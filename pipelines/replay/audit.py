"""Replay: a day's arrivals through the query's kernel, into the audit tables: the tasks of task.py, as the engine runs
them, and a commit for each table.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial, reduce
from operator import or_

from kernels.spans._planner import name_in, why_by_events
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.engine import Engine
from pipelines.lake.file_commits import replace_partitions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.ranges import Range
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay import earlier_state
from pipelines.replay.day_state import digest_text, state_counts
from pipelines.replay.look_back import LookBack, Reading
from pipelines.replay.plan import plan, work_of
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.task import COUNTS, KEYS_BY, Work, WrittenShare, replay_rows, replay_share, rows_of
from schemas.model import Model
from schemas.stream import Stream
from schemas.tables import Table


@dataclass(frozen=True)
class Audited:
    """What a replay wrote and read, for the ledger.

    counts: those of task.COUNTS and KEYS_BY; kernel: those that replayed any keys, with commas between; None where
    there were no events; why: a line on the kernels of events that last, None of others; farms: what a model's did.
    """

    versions: AuditVersions
    inputs: dict
    counts: dict[str, int]
    kernel: str | None
    why: str | None
    farms: list[FarmRun]


def audit(
    lake: Lake, engine: Engine, tables: QueryTables, served: ServedQuery, back: LookBack, read: Reading
) -> Audited:
    """Replace the day of `<query>_late_audit` and `<query>_audit` by a replay's rows, also if there are none, and that
    of the state table by what it leaves for the next day.

    back: which events the run reads; read: from what.

    Raises BadInput for events that break the contract of a replay, TooManyRows and TooManySeconds beyond the limits of
    the lake's configuration.
    """
    for table in (tables.audit, tables.late_audit, *([tables.state] if tables.state else [])):
        lake.ensure(table)
    workers = engine.executors.cores if isinstance(served.query, Model) else None
    written = replayed(lake, engine, tables, work_of(lake, tables, served, back, workers))
    _require_earlier_state(tables, back, written)
    late_version, version = _commit(lake, tables, back, written)
    counts = {name: sum(each.counts[name] for each in written) for name in (*COUNTS.names, *KEYS_BY.values())}
    passes = read.snapshot.version(tables.source.passes.name)
    versions = AuditVersions(version, late_version, back.silver_version, passes, read.snapshot.name)
    if tables.state is not None:
        versions = _leave_state(lake, tables.state, back, written, versions)
        counts |= state_counts(each.state for each in written)
    return Audited(
        versions,
        _inputs(tables, back, read),
        counts,
        ", ".join(kernel for kernel, name in KEYS_BY.items() if counts[name]) or None,
        why_by_events(sum((each.kernels for each in written), Counter())),
        [farm for each in written for farm in each.farms],
    )


def _inputs(tables: QueryTables, back: LookBack, read: Reading) -> dict:
    if tables.state is not None:
        return earlier_state.inputs(tables, read.days, back.day, back.earlier)
    return read.days.inputs(_first_day(tables.source.stream, back, read), back.day)


def _first_day(stream: Stream, back: LookBack, read: Reading) -> date:
    """From which day on the arrival days decide what the rows are."""
    if back.bound_us is None:  # nothing had arrived before the day
        return stream.first_day
    if stream.idle_after is None:
        return back.first_day
    # There are heartbeats since something had arrived, however long before; and none before anything had.
    return read.days.newest_before(back.first_day) or stream.first_day


def _require_earlier_state(tables: QueryTables, back: LookBack, written: Sequence[WrittenShare]) -> None:
    """EarlierDayMissing where what was read isn't what the earlier day left: its table was made again, say."""
    if (earlier := back.earlier) and digest_text(each.earlier_digest for each in written) != earlier.digest:
        raise earlier_state.gone(tables.query.name, back.day, earlier.day)


def _leave_state(
    lake: Lake, table: Table, back: LookBack, written: Sequence[WrittenShare], versions: AuditVersions
) -> AuditVersions:
    """Commit it; with its version and digest."""
    files = [file for each in written for file in each.state]
    version = replace_partitions(lake, table, "logical_date", [back.day], files)
    digest = digest_text(each.state_digest for each in written)
    published = back.earlier.published if back.earlier else None
    return replace(versions, state=version, state_digest=digest, published=published)


def replayed(lake: Lake, engine: Engine, tables: QueryTables, work: Work) -> list[WrittenShare]:
    """What the tasks of a day write; those of a model each have an executor for themselves."""
    slots = engine.slots if work.workers is None else engine.executors.processes
    planned = plan(lake, slots, tables, work)
    if not work.whole_buckets:
        rows = rows_of(work, planned.files)
        found = engine.each_group(partial(replay_rows, lake, work), rows, planned.gathering, work.workers)
        return _keys_counted_once([None] * len(found), found)
    shares = planned.shares
    found = engine.each(partial(replay_share, lake, work), shares, work.workers)
    return _keys_counted_once([share[:2] for share in shares], found)


def _keys_counted_once(keys: Sequence[Hashable], written: Sequence[WrittenShare]) -> list[WrittenShare]:
    """The panes of the same keys have them as often as the pane with most. keys: which ones each has been given."""
    of_panes: defaultdict[Hashable, defaultdict[Range, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for of_keys, each in zip(keys, written, strict=True):
        of_panes[of_keys][each.pane].update(each.kernels)
    most = {of_keys: reduce(or_, panes.values()) for of_keys, panes in of_panes.items()}
    of_first = (most.pop(of_keys, Counter()) for of_keys in keys)
    return [
        each._replace(counts=each.counts | _keys_by_kernel(counted), kernels=counted)
        for each, counted in zip(written, of_first, strict=True)
    ]


def _keys_by_kernel(kernels: Counter[str]) -> dict[str, int]:
    """The counts of KEYS_BY: keys of a kernel, whatever its height."""
    counts = dict.fromkeys(KEYS_BY.values(), 0)
    for label, keys in kernels.items():
        counts[KEYS_BY[name_in(label)]] += keys
    return counts


def _commit(lake: Lake, tables: QueryTables, back: LookBack, written: Sequence[WrittenShare]) -> tuple[int, int]:
    """The versions, late table first."""
    late = [file for each in written for file in each.late]
    result = [file for each in written for file in each.result]
    return (
        replace_partitions(lake, tables.late_audit, "arrival_date", [back.day], late),
        replace_partitions(lake, tables.audit, "emitted_date", [back.day], result),
    )
