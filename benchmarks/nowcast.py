"""How far nowcasts of held-out days of the real streams are from what became true: `make bench-nowcast`.

    python -m benchmarks.nowcast [LANDING] [--home var/nowcast] [--into docs/benchmarks]

It ingests three streams into a lake of its own, replays each query over its whole stream, makes the nowcasts of each
day by the rows of the days before it, and writes nowcast.md.
"""

import argparse
import shutil
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.pages import FOLDER, Figure, claim
from benchmarks.pages import write as write_page
from tests.support.lakes import ingest
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.local import replay_table
from windrow.pipelines.nowcast.nowcasts import AnsweredRows, nowcasts
from windrow.pipelines.rows.arrays import stored
from windrow.schemas.query import NOWCAST_BOUNDS, Query, Window, agg, spanning, tumbling
from windrow.schemas.windows import DAY, EPOCH, MICROSECOND

HOME, LANDING = REPOSITORY / "var" / "nowcast", REPOSITORY.parent / "shared" / "data"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
LEAST_INSIDE, MOST_INSIDE, FALLS_BY, MATTERS = 0.86, 0.94, 1 / 3, 0.01
SQUARES = "_squares"
"""Behind the name of a sum: that of the squares of what it adds up."""
TRIPS = {
    "trips": agg("count"),
    "members": agg("count", where="user_type = 'subscriber'"),
    "total_s": agg("sum", "trip_duration_s"),
    f"total_s{SQUARES}": agg("sum", "1.0 * trip_duration_s * trip_duration_s"),
}
SESSIONS = {
    "sessions": agg("count"),
    "bytes": agg("sum", "whole_bytes"),
    f"bytes{SQUARES}": agg("sum", "1.0 * whole_bytes * whole_bytes"),
}
READINGS = {"readings": agg("count"), "total": agg("sum", "value"), f"total{SQUARES}": agg("sum", "value * value")}


def asked(name: str, key: tuple[str, ...], window: Window, lateness: timedelta = timedelta(0), **more: Any) -> Query:
    """The stream is the first word of the name."""
    stream = name.partition(" ")[0]
    if stream == "bikes":  # of New York there are single days
        more["where"] = "start >= TIMESTAMP '2018-01-01 05:00:00Z'"
    of = {"bikes": TRIPS, "cdr": SESSIONS, "telemetry": READINGS}[stream]
    allowed = {"bikes": 2 * DAY, "cdr": DAY, "telemetry": DAY}[stream]
    return Query(name.replace(" ", "_"), stream, key, window, of, lateness, allowed, nowcast=28 * DAY, **more)


QUARTER, STATION = 15 * MINUTE, ("start_station_id",)
QUERIES = (
    asked("bikes a quarter of an hour", (), tumbling(QUARTER)),
    asked("bikes an hour", (), tumbling(HOUR)),
    asked("bikes a day", (), tumbling(DAY, zone="America/New_York")),
    asked("bikes under way", (), spanning(QUARTER, QUARTER, longest=DAY), 10 * MINUTE),
    asked("bikes a station and hour", STATION, tumbling(HOUR)),
    asked("bikes a station and day", STATION, tumbling(DAY, zone="America/New_York"), 2 * HOUR),
    asked("cdr a quarter of an hour", (), tumbling(QUARTER)),
    asked("cdr under way", (), spanning(QUARTER, QUARTER, longest=3 * DAY), 20 * MINUTE),
    asked("cdr an area and quarter", ("location_area",), tumbling(QUARTER)),
    asked("telemetry a source and quarter", ("source", "metric"), tumbling(QUARTER), where="made_arrival"),
)


class HeldOut(NamedTuple):
    """One aggregate of rows on time that have a nowcast and whose windows were settled in the end.

    ended: the share of rows that are final already; missing, inside: those of the final values that rows lack, and that
    the intervals hold;
    missed, left: roots of the mean squares of the distance from the final value, of the row and of what was expected;
    least: what is left if the late events come independently of each other and their mean number and sizes are known;
    mean_missed, mean_left: mean distances
    """

    query: str
    aggregate: str
    rows: int
    ended: float
    missing: float
    inside: float
    missed: float
    left: float
    least: float
    mean_missed: float
    mean_left: float

    @property
    def matters(self) -> bool:
        """Whether lateness does."""
        return bool(self.missing >= MATTERS) and self.ended <= MOST_INSIDE

    @property
    def can_fall(self) -> bool:
        """Whether any estimate could take a third off the error."""
        return _fall(self.missed, self.least) >= FALLS_BY

    @property
    def row(self) -> dict:
        """Of the page."""
        return {
            "query": self.query.replace("_", " "), "aggregate": self.aggregate, "rows": self.rows,
            "final already, %": 100 * self.ended, "missing, %": float(100 * self.missing),
            "inside, %": float(100 * self.inside),
            "a row misses": f"{self.missed:,.2f}", "its nowcast": f"{self.left:,.2f}",
        }  # fmt: skip

    @property
    def falls(self) -> dict:
        """Of the page, where lateness matters: by how much the errors fall."""
        return {
            "error falls by, %": f"{100 * _fall(self.missed, self.left):.0f}",
            "could fall by, %": f"{100 * _fall(self.missed, self.least):.0f}",
            "mean distance, %": f"{100 * _fall(self.mean_missed, self.mean_left):.0f}",
        }

    @property
    def claims(self) -> Iterator[str]:
        """Of what is asked."""
        of, fall = f"{self.query.replace('_', ' ')}, {self.aggregate}", _fall(self.missed, self.left)
        holds = LEAST_INSIDE <= self.inside <= MOST_INSIDE
        yield claim(holds, f"{of}: {100 * self.inside:.1f} % lie inside; 86 to 94 are asked.")
        if self.can_fall:
            yield claim(fall >= FALLS_BY, f"{of}: the error falls by {100 * fall:.0f} %; a third is asked.")


def _fall(before: float, after: float) -> float:
    return 1 - after / before if before else 0.0


def held_out(query: Query, events: pa.Table) -> Iterator[HeldOut]:
    """Of each count and sum; every day is held out in its turn."""
    in_order = [(name, "ascending") for name in (*query.window_identity, "revision")]
    rows = replay_table(events, query).sort_by(in_order)
    answered = AnsweredRows.of(query, rows)
    days = [EPOCH.date() + timedelta(days=int(day)) for day in np.unique(answered.day)]
    found = nowcasts(query, rows, days).sort_by(in_order)
    ends = np.flatnonzero(np.append(answered.window[1:] != answered.window[:-1], True))
    last = ends[np.searchsorted(ends, np.arange(len(rows)))]
    settled = answered.end_us + query.allowed_lateness // MICROSECOND <= answered.reached_us.max()
    on_time = settled & np.asarray(pc.equal(rows["pane"], "on_time"))
    for name in (each for each in query.additive if not each.endswith(SQUARES)):
        value, of_squares = (_values(rows, each) for each in (name, f"{name}{SQUARES}"))
        more = value[last] - value
        squares = more if of_squares is None else of_squares[last] - of_squares
        estimated = (found[f"{name}_{bound}"].to_numpy() for bound in NOWCAST_BOUNDS)
        known = np.stack([more, squares, value[last], *estimated])
        chosen = on_time & ~np.isnan(known[3])
        if chosen.any():
            yield _measured(query.name, name, known[:, chosen])


def _values(rows: pa.Table, name: str) -> np.ndarray | None:
    return stored(rows[name].cast(pa.float64())) if name in rows.column_names else None


def _measured(query: str, aggregate: str, known: np.ndarray) -> HeldOut:
    more, squares, final, expected, low, high = known
    rounding, left = 1e-9 * np.abs(final), final - expected
    inside = (low - rounding <= final) & (final <= high + rounding)
    missed, of_left = (float(np.sqrt((each**2).mean())) for each in (more, left))
    missing, least = np.abs(more).sum() / np.abs(final).sum(), float(np.sqrt(np.maximum(squares, 0).mean()))
    means = float(np.abs(more).mean()), float(np.abs(left).mean())
    ended = float((np.abs(more) <= rounding).mean())
    return HeldOut(query, aggregate, len(more), ended, missing, inside.mean(), missed, of_left, least, *means)


def events_of(lake: Lake, query: Query) -> pa.Table:
    """The stream's events as `replay_table` takes them."""
    columns, place = [*dict.fromkeys((*query.read_columns, "start", "end", "arrival"))], ["path", "line", "reading"]
    rows = lake.read(f"silver_{query.stream}", columns=columns + place)
    rows = rows.sort_by([(name, "ascending") for name in ("arrival", *place)]).select(columns)
    return rows.append_column("seq", pa.array(np.arange(len(rows))))


def figures(found: Sequence[HeldOut]) -> Iterator[Figure]:
    """Where lateness matters, and elsewhere."""
    matters, others = ([each for each in found if each.matters == wanted] for wanted in (True, False))
    if matters:
        verdicts = [verdict for each in matters for verdict in each.claims]
        measured = (
            "Rows on time that lack 1 % or more of what became true, all rows of an aggregate taken together, and of "
            "which at most 94 % are final already."
        )
        yield Figure("Where lateness matters", measured, [each.row | each.falls for each in matters], verdicts)
    if others:
        measured = "The others. Most are final already, and an interval around them holds more."
        yield Figure("Where it does not", measured, [each.row for each in others])


def head(found: Sequence[HeldOut]) -> str:
    """The page's title, and what holds for all figures."""
    matter = [each for each in found if each.matters]
    can_fall = [each for each in matter if each.can_fall]
    held = sum(LEAST_INSIDE <= each.inside <= MOST_INSIDE for each in matter)
    fell = sum(_fall(each.missed, each.left) >= FALLS_BY for each in can_fall)
    return (
        "# How near nowcasts come\n"
        f"Of {len(matter)} aggregates for which lateness matters, 86 to 94 % of the final values lie inside the "
        f"interval for {held}. For {len(can_fall)} of them some estimate could take a third off the error; this one "
        f"does for {fell}.\n\n"
        "Every day of the real streams is held out in turn, of bikes those of Jersey City: its rows on time get "
        "[nowcasts](../nowcast.md) by the rows of at most 28 days before it. The watermark of queries by quarter, "
        "hour and day has no lateness; under way it has 10 and 20 minutes, by station and day 2 hours. `a row misses` "
        "is how far rows on time are from their final values, `its nowcast` how far the expected values are, both as "
        "roots of mean squares, which an expected value has the least of (Gneiting 2011: Making and evaluating point "
        "forecasts). `could fall by` is for an estimate that knows of every row how many late events of which sizes "
        "are to be expected. Where these come independently of each other the mean square that is left is that of the "
        "sum of their squared sizes: of a count, the mean number of late events. `mean distance` is by how much that "
        "one falls; a median would have the least of it, but medians of rows can't be added. Telemetry with histories "
        "of days has made arrivals, from measured delays; its requests are of single days."
    )


def main(arguments: list[str] | None = None, queries: Sequence[Query] = QUERIES) -> Path:
    """Measure, print and write the page, whose path it returns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landing", nargs="?", type=Path, default=LANDING)
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--into", type=Path, default=FOLDER)
    chosen = parser.parse_args(arguments)
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    config = Config(chosen.home.resolve(), chosen.landing.resolve(), asked_engine="local")
    for stream in dict.fromkeys(query.stream for query in queries):
        ingest(config, stream)
    found = [each for query in queries for each in held_out(query, events_of(Lake(config), query))]
    page = write_page(chosen.into, "nowcast", head(found), [*figures(found)])
    print(page.read_text())
    shutil.rmtree(chosen.home)
    return page


if __name__ == "__main__":
    main()
