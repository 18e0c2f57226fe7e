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
from windrow.schemas.query import Query, Window, agg, spanning, tumbling
from windrow.schemas.windows import DAY, EPOCH, MICROSECOND

HOME, LANDING = REPOSITORY / "var" / "nowcast", REPOSITORY.parent / "shared" / "data"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
LEAST_INSIDE, MOST_INSIDE, FALLS_BY, MATTERS = 0.86, 0.94, 1 / 3, 0.01
TRIPS = {
    "trips": agg("count"),
    "members": agg("count", where="user_type = 'subscriber'"),
    "total_s": agg("sum", "trip_duration_s"),
}
SESSIONS = {"sessions": agg("count"), "bytes": agg("sum", "whole_bytes")}
COUNTS, LEAST_MISSED = ("trips", "members", "sessions", "readings"), 1.4
READINGS = {"readings": agg("count"), "total": agg("sum", "value")}


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

    missing: the share of the final values that rows lack; missed, left: mean distance from the final value, of the row
    and of what was expected; missed_squared, left_squared: the roots of their mean squares; of_all, left_of_all: mean
    distances of the sums of all keys of a window; inside: the share of the final values that the intervals hold
    """

    query: str
    aggregate: str
    rows: int
    missing: float
    missed: float
    left: float
    missed_squared: float
    left_squared: float
    of_all: float
    left_of_all: float
    inside: float

    @property
    def matters(self) -> bool:
        """Whether lateness does."""
        return bool(self.missing >= MATTERS)

    @property
    def is_of_events(self) -> bool:
        """Whether it counts events, and misses enough of them to lose a third of the error."""
        return self.aggregate in COUNTS and bool(self.missed >= LEAST_MISSED)

    @property
    def row(self) -> dict:
        """Of the page."""
        return {
            "query": self.query.replace("_", " "), "aggregate": self.aggregate, "rows": self.rows,
            "missing, %": float(100 * self.missing), "inside, %": float(100 * self.inside),
            "a row misses": f"{self.missed:,.2f}", "its nowcast": f"{self.left:,.2f}",
        }  # fmt: skip

    @property
    def falls(self) -> dict:
        """Of the page, where lateness matters: by how much the errors fall."""
        return {
            "error falls by, %": f"{100 * _fall(self.missed, self.left):.0f}",
            "root of mean square, %": f"{100 * _fall(self.missed_squared, self.left_squared):.0f}",
            "sum of all keys, %": f"{100 * _fall(self.of_all, self.left_of_all):.0f}",
        }

    @property
    def claims(self) -> Iterator[str]:
        """Of both that are asked."""
        of, fall = f"{self.query.replace('_', ' ')}, {self.aggregate}", _fall(self.missed, self.left)
        holds = LEAST_INSIDE <= self.inside <= MOST_INSIDE
        yield claim(holds, f"{of}: {100 * self.inside:.1f} % lie inside; 86 to 94 are asked.")
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
    for name in query.additive:
        value, bounds = (
            stored(rows[name].cast(pa.float64())),
            (f"{name}_{each}" for each in ("expected", "low", "high")),
        )
        known = np.stack([value, value[last], *(found[each].to_numpy() for each in bounds)])
        chosen = on_time & ~np.isnan(known[2])
        if chosen.any():
            yield _measured(query.name, name, known[:, chosen], answered.end_us[chosen])


def _measured(query: str, aggregate: str, known: np.ndarray, end_us: np.ndarray) -> HeldOut:
    value, final, expected, low, high = known
    rounding = 1e-9 * np.abs(final)
    inside = (low - rounding <= final) & (final <= high + rounding)
    missed, left, window = final - value, final - expected, np.unique(end_us, return_inverse=True)[1]
    return HeldOut(
        query, aggregate, len(value), np.abs(missed).sum() / np.abs(final).sum(),
        np.abs(missed).mean(), np.abs(left).mean(), np.sqrt((missed**2).mean()), np.sqrt((left**2).mean()),
        np.abs(np.bincount(window, missed)).mean(), np.abs(np.bincount(window, left)).mean(), inside.mean(),
    )  # fmt: skip


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
        measured = "Rows on time that lack 1 % or more of what became true, all rows of an aggregate taken together."
        yield Figure("Where lateness matters", measured, [each.row | each.falls for each in matters], verdicts)
    if others:
        measured = "Rows on time that lack less. Most are final already, and an interval around them holds more."
        yield Figure("Where it does not", measured, [each.row for each in others])


def head(found: Sequence[HeldOut]) -> str:
    """The page's title, and what holds for all figures."""
    claims = [verdict for each in found if each.matters for verdict in each.claims]
    inside, errors = claims[::2], claims[1::2]
    counted = [each for each in found if each.matters and each.is_of_events]
    of_counted = sum(_fall(each.missed, each.left) >= FALLS_BY for each in counted)
    held, fell = (sum(each.startswith("Holds") for each in verdicts) for verdicts in (inside, errors))
    return (
        "# How near nowcasts come\n"
        f"Of {len(inside)} aggregates for which lateness matters, 86 to 94 % of the final values lie inside the "
        f"interval for {held}, and the error falls by a third for {fell}. Of the {len(counted)} among them that count "
        f"events and miss {LEAST_MISSED} or more a row, it falls by a third for {of_counted}.\n\n"
        "Every day of the real streams is held out in turn, of bikes those of Jersey City: its rows on time get "
        "[nowcasts](../nowcast.md) by the rows of at most 28 days before it. The watermark of queries by quarter, "
        "hour and day has no lateness; under way it has 10 and 20 minutes, by station and day 2 hours. `a row "
        "misses` is the mean distance of rows on time from their final values, `its nowcast` that of the expected "
        "values, and `error falls by` compares the two. The next columns compare the roots of the mean squares, of "
        "which expected values have the least, and the mean distances of the sums of all keys of a window. A row "
        "that misses fewer than 1.4 events cannot lose a third of its error where events arrive by chance: the mean "
        "distance of a Poisson number from its mean m is about √(2m/π). Sums of seconds and bytes hang on a few "
        "long trips and sessions that nothing foretells. Telemetry with histories of days has made arrivals, from "
        "measured delays; its requests are of single days."
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
