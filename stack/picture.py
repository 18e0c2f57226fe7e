"""What was known on time and what came late, of a query of each stream: one picture, of the demo's tables.

Over all keys hardly anything is late, and nothing would show: so it is drawn for the key that lateness changed most,
from shortly before its first window that differs to shortly after the last. What came late is what the newest row says
of it (late_events): a window of which only a late row is published, since the day before isn't, was known nevertheless.

Run by `.venv`'s Python, which has the library: it is never imported.
"""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

from stack.places import WINDROW

LEAST_AROUND = 20
"""Windows that are shown before and after those that differ."""
MOST_APART = timedelta(days=1)


class QueryOverTime(NamedTuple):
    """A query's count over time, of one key."""

    query: str
    key: str
    column: str
    unit: str


QUERIES_OVER_TIME = (
    QueryOverTime("bikes_demand", "start_station_id", "trips", "trips in a day"),
    QueryOverTime("cdr_active", "location_area, cell", "sessions", "sessions under way in 15 minutes"),
    QueryOverTime("telemetry_load", "source, metric", "readings", "readings in 5 minutes"),
)


def statement(panel: QueryOverTime) -> str:
    """By end of a window what was known on time and what came late, of the key with most of that."""
    return f"""WITH changed_most AS (
    SELECT {panel.key} FROM {panel.query}_final GROUP BY ALL ORDER BY sum(late_events) DESC, {panel.key} LIMIT 1
)
SELECT {panel.key}, window_end, {panel.column} - late_events AS known, late_events AS late
FROM {panel.query}_final SEMI JOIN changed_most USING ({panel.key}) ORDER BY window_end"""


def rows_of(panel: QueryOverTime) -> list[dict]:
    """By the command that a user would type; none where the table isn't there."""
    asked = [WINDROW, "query", "--json", statement(panel)]
    answered = subprocess.run(asked, capture_output=True, text=True, check=False)
    return json.loads(answered.stdout) if answered.returncode == 0 else []


def stretches(rows: list[dict]) -> list[list[dict]]:
    """Rows without gaps: days that are published may lie years apart."""
    found = [[rows[0]]]
    for before, row in zip(rows, rows[1:], strict=False):
        if _end(row) - _end(before) > MOST_APART:
            found.append([])
        found[-1].append(row)
    return found


def around_what_came_late(rows: list[dict]) -> list[dict]:
    """Of the stretch with most of that, the rows from shortly before the first to shortly after the last; all if there
    is none."""
    rows = max(stretches(rows), key=lambda stretch: sum(row["late"] for row in stretch))
    differ = [place for place, row in enumerate(rows) if row["late"]] or [0, len(rows) - 1]
    around = max(LEAST_AROUND, (differ[-1] - differ[0]) // 4)
    return rows[max(0, differ[0] - around) : differ[-1] + around + 1]


def _end(row: dict) -> datetime:
    return datetime.fromisoformat(row["window_end"])


def draw(path: Path) -> int:
    """The number of panels that have rows; without any there is no picture."""
    found = [(panel, around_what_came_late(rows)) for panel in QUERIES_OVER_TIME if (rows := rows_of(panel))]
    if not found:
        return 0
    picture, axes = pyplot.subplots(len(found), 1, figsize=(10, 3.2 * len(found)), squeeze=False)
    for (panel, rows), on in zip(found, axes[:, 0], strict=True):
        draw_panel(on, panel, rows)
    axes[0, 0].legend(fontsize=9, ncols=2, loc="upper right")
    axes[-1, 0].set_xlabel("end of the window, UTC", fontsize=9)
    picture.tight_layout()
    picture.savefig(path, dpi=120)
    return len(found)


def draw_panel(on: pyplot.Axes, panel: QueryOverTime, rows: list[dict]) -> None:
    """A bar for each window."""
    ends = [_end(row) for row in rows]
    known, late = [row["known"] for row in rows], [row["late"] for row in rows]
    width = min((after - before for before, after in zip(ends, ends[1:], strict=False)), default=0.01)
    on.bar(ends, known, width, align="edge", color="tab:blue", label="known on time")
    on.bar(ends, late, width, align="edge", bottom=known, color="tab:orange", label="came late")
    on.set_title(title(panel, rows), loc="left", fontsize=10)
    on.set_ylabel(panel.unit, fontsize=9)
    on.yaxis.set_major_locator(MaxNLocator(integer=True))
    on.set_ylim(0, 1.25 * max(map(sum, zip(known, late, strict=True))))
    on.tick_params(labelsize=8)


def title(panel: QueryOverTime, rows: list[dict]) -> str:
    """The key, and how many windows lateness changed."""
    key = ", ".join(f"{name} {rows[0][name]}" for name in panel.key.split(", "))
    changed = sum(row["late"] > 0 for row in rows)
    return f"{panel.query}, {key}: {changed:,} of these {len(rows):,} windows were not known in full on time"


if __name__ == "__main__":
    sys.exit(0 if draw(Path(sys.argv[1])) else 1)
