"""What was known on time and what turned out to be true, of a query of each stream: one picture, of the demo's tables.

Run by `.venv`'s Python, which has the library: it is never imported.
"""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

from stack.places import WINDROW


class QueryOverTime(NamedTuple):
    """A query's column over time, added up over all of its keys."""

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
    """By end of a window what the rows on time had, and what the newest have."""
    return f"""SELECT window_end, coalesce(sum(known.{panel.column}), 0) AS known, sum(final.{panel.column}) AS final
FROM {panel.query}_final final LEFT JOIN (FROM {panel.query} WHERE pane = 'on_time') known
    USING ({panel.key}, window_start, window_end)
GROUP BY window_end ORDER BY window_end"""


def rows_of(panel: QueryOverTime) -> list[dict]:
    """By the command that a user would type; none where the table isn't there."""
    asked = [WINDROW, "query", "--json", statement(panel)]
    answered = subprocess.run(asked, capture_output=True, text=True, check=False)
    return json.loads(answered.stdout) if answered.returncode == 0 else []


def draw(path: Path) -> int:
    """The number of panels that have rows; without any there is no picture."""
    found = [(panel, rows) for panel in QUERIES_OVER_TIME if (rows := rows_of(panel))]
    if not found:
        return 0
    picture, axes = pyplot.subplots(len(found), 1, figsize=(10, 3.2 * len(found)), squeeze=False)
    for (panel, rows), on in zip(found, axes[:, 0], strict=True):
        draw_panel(on, panel, rows)
    axes[0, 0].legend(fontsize=9)
    axes[-1, 0].set_xlabel("end of the window, UTC", fontsize=9)
    picture.tight_layout()
    picture.savefig(path, dpi=120)
    return len(found)


def draw_panel(on: pyplot.Axes, panel: QueryOverTime, rows: list[dict]) -> None:
    ends = [datetime.fromisoformat(row["window_end"]) for row in rows]
    final, known = ([row[name] for row in rows] for name in ("final", "known"))
    on.fill_between(ends, known, final, step="post", color="tab:blue", alpha=0.2, linewidth=0, label="what came late")
    on.step(ends, final, where="post", color="tab:blue", label="what turned out to be true")
    on.step(ends, known, where="post", color="tab:orange", linestyle="--", label="what was known on time")
    on.set_title(f"{panel.query}: {panel.column}, all of ({panel.key}) together", loc="left", fontsize=10)
    on.set_ylabel(panel.unit, fontsize=9)
    on.set_ylim(bottom=0)
    on.tick_params(labelsize=8)


if __name__ == "__main__":
    sys.exit(0 if draw(Path(sys.argv[1])) else 1)
