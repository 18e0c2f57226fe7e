"""Panes that a run needs are made before its replay, by arrival day: the kernel's states, and the gate's plain recount
of the same events. A day whose silver is another now is made again; what was made of the old one is never taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import DayFile, files_by_day
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_no_rows, write_rows
from windrow.pipelines.engines.engine import Engine
from windrow.pipelines.engines.file_rows import RowsOfFiles, read_rows
from windrow.pipelines.gate.recount.panes import recounted_panes
from windrow.pipelines.replay import pane_plan
from windrow.pipelines.replay.kept_panes import panes_of
from windrow.pipelines.replay.pane_plan import PaneDays
from windrow.pipelines.replay.work import Reading, Work, without_panes
from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.pipelines.tables.pane_tables import pane_table
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.side_tables import NOTHING, PARTITION

TRIES = 3
"""Runs of other snapshots may make the same days meanwhile."""
UNFIT = "a sum of a pane is beyond its type"


class DayOfFile(NamedTuple):
    """A file of silver, and its arrival day."""

    day: date
    path: str


def with_panes(lake: Lake, engine: Engine, work: Work, read: Reading) -> Work:
    """The work with the files of all panes that it reads, made if they weren't there; or without panes, where they
    don't pay after all. GateFailed where states say something else than silver. O(events of the days that are made)."""
    if work.panes is None:
        return work
    _ensure(lake, work.panes)
    for _ in range(TRIES):
        version = lake.existing_version(work.panes.table.name)
        every = pane_plan.files_at(lake, work.panes, version)
        right = work.panes.right(every)
        missing = sorted({*work.panes.made_of} - {*right})
        gone = sorted(day for day in every if day >= work.panes.first_day and day not in work.panes.made_of)
        if not missing and not gone:
            return replace(work, panes=replace(work.panes, files=pane_plan.sizes_of(right), version=version))
        files = _silver(lake, work, missing)
        if not right and files:  # the largest day says whether panes pay
            files = dict([max(files.items(), key=lambda each: sum(file.file_bytes for file in each[1]))])
        why = _make(lake, engine, work, files, gone)
        if why is not None:
            return without_panes(lake, work, read, why)
    return without_panes(lake, work, read, "other runs make the same panes")


def with_panes_that_are_there(lake: Lake, work: Work) -> tuple[Work, list[str]]:
    """The work with the files of panes that are made already; and the table of panes, as often as it gets a commit."""
    if work.panes is None:
        return work, []
    present = pane_plan.present_files(lake, work.panes)
    made = replace(work, panes=replace(work.panes, files=pane_plan.sizes_of(present)))
    missing = len(work.panes.made_of) - len(present)
    commits = 0 if not missing else 1 if present or missing == 1 else 2  # the first day says whether panes pay
    return made, commits * [work.panes.table.name]


def forget(lake: Lake, tables: QueryTables) -> None:
    """Take all panes of a query away, so that the next run makes them again. What runs read meanwhile stays."""
    lake.replace(pane_table(tables), {}, [])


def _ensure(lake: Lake, panes: PaneDays) -> None:
    """The table; one of another definition goes, as runs make its rows again."""
    name = panes.table.name
    if lake.differs(panes.table):
        with lake.locked(name):
            storage.remove_folder(lake.folder(name))
    lake.ensure(panes.table)


def _silver(lake: Lake, work: Work, days: Sequence[date]) -> dict[date, list[DayFile]]:
    """The files of some days."""
    found = files_by_day(lake, work.tables.source.silver.name, work.silver_version, {*days}.__contains__)
    return {day: found.get(day, []) for day in days}


def _make(
    lake: Lake, engine: Engine, work: Work, files: Mapping[date, Sequence[DayFile]], gone: Sequence[date]
) -> str | None:
    """Make the panes of some days, in one commit; why not to use any, or None."""
    panes = work.panes
    assert panes is not None, "a run without panes makes none"
    sizes = {DayOfFile(day, file.path): file.file_bytes for day, of_day in files.items() for file in of_day}
    found = engine.share_out(partial(made_of_share, lake, work), sizes)
    made = [file for file in found if file is not None]
    if len(made) < len(found):
        return UNFIT
    left = {str(day) for day in files} - {file.partition["arrival_date"] for file in made}
    made += [_without_rows(lake, panes, date.fromisoformat(day)) for day in sorted(left)]
    replace_partitions(lake, panes.table, "arrival_date", [*files, *gone], made)
    return pane_plan.too_large(lake, sum(file.file_bytes for file in made), sum(sizes.values()))


def _without_rows(lake: Lake, panes: PaneDays, day: date) -> NewFile:
    """Says that a day has no panes: none of its events is in a window of the query."""
    return write_no_rows(lake, panes.table, {"arrival_date": day, "made_of": panes.made_of[day], "holds": NOTHING})


def made_of_share(lake: Lake, work: Work, share: Sequence[DayOfFile]) -> Sequence[NewFile | None]:
    """Write the panes of these files; None where some can't have any. O(their events, twice)."""
    panes, found = work.panes, _rows_of(lake, work, [path for _, path in share])
    assert panes is not None, "a run without panes makes none"
    if found is None:
        return [None]
    rows, held = found
    days = rows["arrival_date"].to_pylist()
    of_days = ([panes.made_of[day] for day in days], [held[day] for day in days])
    for name, values in zip(PARTITION[1:], of_days, strict=True):
        rows = rows.append_column(name, pa.array(values, pa.string()))
    return write_rows(lake, panes.table, rows)


def _rows_of(lake: Lake, work: Work, files: Sequence[str]) -> tuple[pa.Table, dict[date, str]] | None:
    columns = {column.name: column for column in work.tables.source.silver.columns}
    names = dict.fromkeys((*work.tables.query.read_columns, "start", "end", "arrival"))
    schema = pa.schema([pa.field(name, ARROW_TYPES[columns[name].type], columns[name].nullable) for name in names])
    states = panes_of(read_rows(RowsOfFiles(files, schema, {})), work.served[0])
    return None if states is None else recounted_panes(lake, work.tables, files, states)
