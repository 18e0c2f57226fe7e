"""What a replay of a day would read, do and commit: `windrow replay --explain`. It reads the log of silver and the pass
ticks, and starts nothing; how buckets that are too large for a task are cut is estimated from their sizes, as their
footers are not read.
"""

from datetime import date
from typing import NamedTuple

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.engine import Engine
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.ledger import snapshots
from windrow.pipelines.replay.replay_plan import ReplayPlan, plan
from windrow.pipelines.replay.work import Reading, Work, work_of
from windrow.pipelines.runs import definitions
from windrow.pipelines.runs.keep_panes import with_panes_that_are_there
from windrow.schemas.ledger_tables import FARM_RUNS, PROMISES, RUNS, VERDICTS
from windrow.schemas.model import Model

BYTES_PER_TICK = 16


class PlannedTasks(NamedTuple):
    """Tasks of one kind: how many, of how many files and bytes, and about how many bytes the largest reads."""

    tasks: int
    what: str
    files: int
    bytes: int
    largest_bytes: int


def explain(config: Config, query_name: str, day: date) -> tuple[dict[str, object], list[PlannedTasks]]:
    """The plan of a run of now: facts by name, and its tasks. slots: tasks at once, of which each has an executor for
    itself if it is a model's; ticks_bytes: of the watermark's staircase, which each task holds. Errors as of
    `replay_day` before it begins. O(files of silver + pass ticks)."""
    lake, tables = Lake(config), definitions.tables_of(query_name)
    source = tables.source
    source.stream.require_day(day)
    definitions.served(tables)
    read = Reading.of(lake, source, snapshots.newest(lake, source.stream.name))
    for table in tables.all:
        lake.require(table)
    if not definitions.with_arrivals(lake, tables, read.days, [day]):
        raise definitions.nothing_arrived(tables, read.days, [day])
    work, panes = with_panes_that_are_there(lake, work_of(lake, tables, [day], read))
    engine = engine_of(config)
    slots = engine.expected_executors if isinstance(tables.query, Model) else engine.expected_slots
    planned = plan(lake, slots, work)
    facts = {
        "query": query_name,
        "day": day,
        "engine": config.engine,
        "slots": slots,
        "first_arrival_day": work.backs[0].first_day,
        **({"panes": work.why_panes} if work.why_panes else {}),
        "files": len(planned.files),
        "file_bytes": planned.file_bytes,
        "ticks_bytes": BYTES_PER_TICK * len(work.ticks.tick_us),
        "commits": [*panes, *_commits(lake, engine, read, work)],
    }
    return facts, _tasks(planned)


def _tasks(planned: ReplayPlan) -> list[PlannedTasks]:
    if not planned.work.whole_buckets:
        return [_gathered(planned)]
    large, limit = planned.large, planned.limit
    sizes = [share.file_bytes for share in planned.whole]
    files = sum(len(bucket) for share in planned.whole for bucket in share.buckets)
    parts = sum(-(-size // limit) for size in large.values())
    kinds = [
        PlannedTasks(len(sizes), "of whole buckets", files, sum(sizes), max(sizes, default=0)),
        PlannedTasks(parts, "of parts of buckets", sum(map(len, large)), sum(large.values()), limit),
    ]
    return [kind for kind in kinds if kind.tasks]


def _gathered(planned: ReplayPlan) -> PlannedTasks:
    key, panes, tasks, _ = planned.gathering
    by = " and ".join([*(["key"] if key else []), *(["pane of time"] if panes.total > 1 else [])])
    size = planned.file_bytes
    return PlannedTasks(
        tasks, f"shuffled by {by}" if by else "of all rows", len(planned.files), size, -(-size // tasks)
    )


def _commits(lake: Lake, engine: Engine, read: Reading, work: Work) -> list[str]:
    """Tables, in the order of their commits: verdicts on days of silver that have none, the audit, verdicts on it, the
    publication, the ledger. Small files that are put together meanwhile are a commit more."""
    tables, dates = work.tables, work.arrival_days(read.days.by_date)
    unchecked = Gate(lake, engine).unchecked(tables.source, read.snapshot, read.days, dates)
    silver, state = [VERDICTS] if unchecked else [], [tables.state] if tables.state else []
    farms = [FARM_RUNS] if isinstance(tables.query, Model) else []  # none where there are no windows
    audits, published = (tables.late_audit, tables.audit, *state), (tables.late, tables.results)
    checked = [VERDICTS, *([PROMISES] if tables.query.promises else [])]
    nowcast = [tables.nowcast] if tables.nowcast else []
    return [table.name for table in (*silver, *audits, *farms, *checked, *published, *nowcast, RUNS)]
