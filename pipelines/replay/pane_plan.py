"""Whether a run reads what arrived long ago as panes that are kept (kept_panes.py), and of which arrival days.

    arrival days    ├──── panes ─────┤── events ──┤ D │
                                     C            a window that D can still change is passed behind C, not before

What arrived by the end of C came in time for each window of which D can have a row; so no row asks when. Delta's log
says what there is to read, and so whether panes pay; thresholds stand here alone. A partition of panes follows from one
day of silver and from what is asked of it; `made_of` says from which, so that another one is never taken for it.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple
from urllib.parse import unquote

from windrow.kernels.replay.pane_states import describe_panes
from windrow.pipelines.delta.day_files import files_by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.replay.watermark import PassTable
from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.pipelines.tables.arrival_days import ArrivalDays, day_start_us
from windrow.pipelines.tables.pane_tables import pane_table, why_no_panes
from windrow.pipelines.tables.query_tables import QueryTables, plan_aggregates
from windrow.schemas.query import Query
from windrow.schemas.tables import Table
from windrow.schemas.windows import MICROSECOND

LEAST_BYTES = 16 << 20
"""Of silver that panes would stand for: to read less takes no longer than to look after them."""
LEAST_DAYS = 4
"""Of a look-back: the newest of them are read as events anyway."""
LEAST_TIMES = 4
"""So many times the bytes of what is read anyway, and of the panes: else a run would hardly be cheaper."""


@dataclass(frozen=True)
class PaneDays:
    """Of a run, between the first day that counts and that from which on events are read as such: of each arrival day
    what its panes must be made of.
    files: those of all of them with their bytes, at a version of the table, once they are made."""

    table: Table
    first_day: date
    from_day: date
    made_of: Mapping[date, str]
    files: tuple[tuple[str, int], ...] = ()
    version: int | None = None

    @property
    def from_us(self) -> int:
        return day_start_us(self.from_day)

    def right(self, found: Mapping[date, list["PaneFile"]]) -> dict[date, list["PaneFile"]]:
        """Of the days whose panes are made of what they must be."""
        return {
            day: files for day, files in found.items() if {file.made_of for file in files} == {self.made_of.get(day)}
        }


class PaneFile(NamedTuple):
    """A file of panes; made_of: of its partition."""

    path: str
    file_bytes: int
    made_of: str


class PaneChoice(NamedTuple):
    """panes: None where all is read from silver; why: in words, empty where there is little to read anyway."""

    panes: PaneDays | None
    why: str = ""


def choose(
    lake: Lake, tables: QueryTables, silver_version: int, first_day: date, days: Sequence[date], staircase: PassTable
) -> PaneChoice:
    """What a run of these days reads that looks back to a first day. O(files of silver and of the panes, and log of the
    look-back times arrival days)."""
    asked = lake.config.asked_panes
    if asked is False or ((days[0] - first_day).days < LEAST_DAYS and asked is None):
        return PaneChoice(None)
    files = files_by_day(lake, tables.source.silver.name, silver_version, lambda day: first_day <= day <= days[-1])
    sizes = {day: sum(file.file_bytes for file in of_day) for day, of_day in files.items()}
    if sum(sizes.values()) < LEAST_BYTES and asked is None:
        return PaneChoice(None)
    from_day = _from_day(tables.query, first_day, days[0], staircase)
    arrived = [day for day in staircase.days.by_date if first_day <= day < from_day]
    kept = sum(size for day, size in sizes.items() if day < from_day)
    of = f"{kept >> 20} MiB of silver in {len(arrived)} days"
    pays = kept >= max(LEAST_BYTES, LEAST_TIMES * (sum(sizes.values()) - kept)) or asked
    if not arrived or not pays:
        return PaneChoice(None, f"no panes are read: they would stand for no more than {of}")
    if why := why_no_panes(tables):
        return PaneChoice(None, f"no panes are read instead of {of}: {why}")
    panes = PaneDays(pane_table(tables), first_day, from_day, _made_of(tables, staircase.days, arrived))
    present = present_files(lake, panes)
    of_panes = sum(file.file_bytes for of_day in present.values() for file in of_day)
    if why := too_large(lake, of_panes, sum(sizes.get(day, 0) for day in present)):
        return PaneChoice(None, f"no panes are read instead of {of}: {why}")
    missing = f", {len(arrived) - len(present)} of them made first" if len(present) < len(arrived) else ""
    return PaneChoice(panes, f"panes are read instead of {of}{missing}")


def _from_day(query: Query, first_day: date, day: date, staircase: PassTable) -> date:
    """The latest before which no window was passed of which the day can have rows: one that ends behind the watermark
    before the day − allowed lateness."""
    newest_us = staircase.newest_before_us(day)
    if newest_us is None:
        return first_day
    limit_us = newest_us - query.allowed_lateness // MICROSECOND

    def is_passed(days: int) -> bool:
        before_us = staircase.newest_before_us(first_day + timedelta(days=days))
        return before_us is not None and before_us > limit_us

    first_passed = bisect_left(range((day - first_day).days + 1), True, key=is_passed)
    return first_day + timedelta(days=max(0, first_passed - 1))


def _made_of(tables: QueryTables, noted: ArrivalDays, days: Iterable[date]) -> dict[date, str]:
    query, columns = tables.query, tables.source.stream.columns
    plan = plan_aggregates(query, {column.name: ARROW_TYPES[column.type] for column in columns}).plan
    asked = f"{describe_panes(query.window, plan.aggregates)} {query.key!r} {query.condition} {query.aggregates!r}"
    digests = ((day, f"{asked} {noted.by_date[day].silver_digest}") for day in days)
    return {day: hashlib.sha256(text.encode()).hexdigest()[:16] for day, text in digests}


def files_at(lake: Lake, panes: PaneDays, version: int | None) -> dict[date, list[PaneFile]]:
    """By arrival day before `from_day`. O(files of the table)."""
    if version is None:
        return {}
    actions = lake.add_actions(panes.table.name, version)
    if not len(actions):
        return {}
    found: dict[date, list[PaneFile]] = {}
    columns = ("path", "size_bytes", "partition.arrival_date", "partition.made_of")
    for path, size, day, made_of in zip(*(actions[name].to_pylist() for name in columns), strict=True):
        of_day = day if isinstance(day, date) else date.fromisoformat(day)
        if of_day < panes.from_day:
            place = f"{lake.folder(panes.table.name)}/{unquote(path)}"
            found.setdefault(of_day, []).append(PaneFile(place, size, made_of))
    return found


def present_files(lake: Lake, panes: PaneDays) -> dict[date, list[PaneFile]]:
    """Of the days whose panes are made of what they must be, at the newest version."""
    name = panes.table.name
    is_there = lake.holds_anything(name) and not lake.differs(panes.table)
    return panes.right(files_at(lake, panes, lake.version(name) if is_there else None))


def sizes_of(files: Mapping[date, Sequence[PaneFile]]) -> tuple[tuple[str, int], ...]:
    """Files with their bytes."""
    return tuple((file.path, file.file_bytes) for of_day in files.values() for file in of_day)


def too_large(lake: Lake, pane_bytes: int, silver_bytes: int) -> str | None:
    """Why panes don't pay, by those of some days; None where they do."""
    if LEAST_TIMES * pane_bytes <= silver_bytes or lake.config.asked_panes:
        return None
    return f"their panes have {pane_bytes / max(1, silver_bytes):.0%} of the bytes of silver"
