"""The lateness curve of a query over its stream's newest days, for the page of curves: made again only when what it is
of has changed. `lateness.json` of the report keeps it until then."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.lateness.whatif import lateness_curve
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.report.reader import newest_days
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.schemas.query import Query

MOST_DAYS, MOST_EVENTS, _MOST_PAIRS = 3, 200_000, 4_000_000
"""Pairs of an event and a window that holds it: of more, every n-th key is looked at."""
KEPT = "lateness.json"
EVERY = "every"
_DAYS = ("first_arrival_day", "last_arrival_day")


class NewestCurves:
    """Curves by query, those of an earlier report in `folder` among them."""

    def __init__(self, lake: Lake, folder: Path):
        self.lake = lake
        self._earlier = json.loads((folder / KEPT).read_text()) if (folder / KEPT).is_file() else {}
        self._now: dict[str, dict] = {}

    def rows(self, query: Query) -> list[dict[str, Any]]:
        """As table lateness_<query> has them, and `every`: of which n-th keys they are. None for a stream whose newest
        day alone has too many events. O(events · their windows), where these are others than before."""
        arrived = ArrivalDays.read(self.lake, f"partitions_{query.stream}")
        if (days := _newest(arrived)) is None:
            return []
        read = arrived.inputs(*days)
        of = [version("windrow"), definition_hash(query.stream, query.name), read]
        kept = self._earlier.get(query.name)
        if kept is None or kept["of"] != of:
            events = sum(arrived.events(date.fromisoformat(day)) for day in read["days"])
            kept = {"of": of, "rows": [*_made(self.lake, query, days, events)]}
        self._now[query.name] = kept
        return [{**row, **{day: date.fromisoformat(row[day]) for day in _DAYS}} for row in kept["rows"]]

    def keep(self, folder: Path) -> None:
        """For the next report."""
        (folder / KEPT).write_text(json.dumps(self._now))


def _newest(arrived: ArrivalDays) -> tuple[date, date] | None:
    if arrived.span is None or arrived.events(last := arrived.span[1]) > MOST_EVENTS:
        return None
    since = last - timedelta(days=MOST_DAYS - 1)
    first, _ = newest_days({day: arrived.events(day) for day in arrived.by_date if day >= since}, MOST_EVENTS)
    return first, last


def _made(lake: Lake, query: Query, days: tuple[date, date], events: int) -> Iterator[dict]:
    for name, part in query.parts.items():
        yield from _made_of_window(lake, part, name, days, events)


def _made_of_window(
    lake: Lake, query: Query, window_name: str | None, days: tuple[date, date], events: int
) -> Iterator[dict]:
    window: Any = query.window
    windows_each = -(-window.size_us // getattr(window, "slide_us", window.size_us))
    every = -(-events * windows_each // _MOST_PAIRS) if query.key else 1
    found = replace(lateness_curve(lake, query, days, every=every), window_name=window_name)
    for point in found.points:
        row = found.row(point)
        yield {**row, **{day: row[day].isoformat() for day in _DAYS}, EVERY: every}
