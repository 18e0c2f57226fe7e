"""What windows cost next to DuckDB, Polars and Spark at their best: `make bench-peers`.

    python -m benchmarks.peers [--trips 1000000] [--days 20] [--a-day 4000] [--home var/peers] [--into docs/benchmarks]

It writes peers.md. Every way is a fresh process (peers_by_*.py) that reads the same file of trips and writes a Parquet
file of rows; then from a landing folder's files to a Delta table of rows, which of Windrow are published rows. Costs
are processor seconds of all processes, starts included. All rows are compared with Windrow's.
"""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from benchmarks.backfill_lakes import LAST_DAY
from benchmarks.backfill_rows import RowsCompared, compared
from benchmarks.pages import FOLDER, Figure, claim
from benchmarks.pages import write as write_page
from benchmarks.peers_source import QUESTIONS, SOURCES, PeersCase, differing
from benchmarks.process_tree import watched
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY, Config
from windrow.samples import bikes

HOME, DATA = REPOSITORY / "var" / "peers", REPOSITORY.parent / "shared" / "data"
STATIONS, BUSY = 600, 20
OURS, LANDING, TABLE = "windrow", "landing", "demand"


class PeerWay(NamedTuple):
    """A peer's way to the rows of a question."""

    engine: str
    name: str
    title: str

    @property
    def question(self) -> str:
        return self.name.partition("_")[0]


WAYS = (
    PeerWay("duckdb", "sliding_copies", "DuckDB, each trip copied into its windows"),
    PeerWay("duckdb", "sliding_panes", "DuckDB, frames of panes"),
    PeerWay("polars", "sliding_dynamic", "Polars, `group_by_dynamic`, streaming"),
    PeerWay("polars", "sliding_panes", "Polars, `rolling_sum` of panes, streaming"),
    PeerWay("spark", "sliding_panes", "Spark, `window()` of panes"),
    PeerWay("duckdb", "rolling_frames", "DuckDB, `RANGE` frames"),
    PeerWay("polars", "rolling_frames", "Polars, `rolling`, streaming"),
    PeerWay("polars", "rolling_by", "Polars, `rolling_sum_by` and `rolling_max_by`, streaming"),
    PeerWay("spark", "rolling_frames", "Spark, `RANGE` frames"),
    PeerWay("spark", "rolling_trees", "Spark, `RANGE` frames by segment trees"),
)
OF_LANDING = (
    PeerWay("duckdb", LANDING, "DuckDB, CSV to Delta, last rows only"),
    PeerWay("polars", LANDING, "Polars, CSV to Delta, last rows only"),
    PeerWay("spark", LANDING, "Spark, CSV to Delta, last rows only"),
)


class PeerCost(NamedTuple):
    """Of one run. differ: rows that are other than ours."""

    title: str
    processor_s: float
    peak_mib: float
    differ: int = 0


def measured(title: str, words: Sequence[str], **variables: str) -> PeerCost:
    """Run a module."""
    seen = watched([sys.executable, "-m", *words], os.environ | variables)
    found = PeerCost(title, seen.processor_s, seen.together_mib)
    print(f"{title}: {found.processor_s:.1f} processor s", flush=True)
    return found


def of_files(home: Path, cases: Sequence[PeersCase]) -> Iterator[Figure]:
    """Rows of one file of trips: of each case, question and source."""
    for case in cases:
        folder = home / f"{case.stations}-stations"
        case.write(folder, DATA)
        for question in QUESTIONS:
            for source in SOURCES:
                yield _of_file(case, question, source, folder)


def _of_file(case: PeersCase, question: str, source: str, folder: Path) -> Figure:
    ours = folder / f"windrow_{question}_{source}.parquet"
    found = [measured("Windrow, last rows only", ["benchmarks.peers_by_windrow", question, source, str(folder)])]
    for way in (each for each in WAYS if each.question == question):
        cost = measured(way.title, [f"benchmarks.peers_by_{way.engine}", way.name, source, str(folder)])
        theirs = folder / f"{way.engine}_{way.name}_{source}.parquet"
        found.append(cost._replace(differ=differing(ours, theirs)))
    title = f"{QUESTIONS[question].capitalize()}: {case.title}, from {SOURCES[source]}"
    return Figure(title, "Count, sum and maximum of each station, to a Parquet file.", _rows(found), _verdicts(found))


def of_landing(home: Path, days: int, a_day: int) -> Figure:
    """From landing files to published rows."""
    first = LAST_DAY - timedelta(days=days - 1)
    config = Config(home / OURS, home / "landing", asked_engine="local")
    bikes.write(config.landing, days, LAST_DAY, trips_per_day=a_day)
    places = {"WINDROW_HOME": str(config.home), "WINDROW_LANDING": str(config.landing)}
    words = ["benchmarks.peers_by_windrow", LANDING, str(first), str(LAST_DAY)]
    found, says = [measured("Windrow, ingest and backfill, every revision", words, **places)], []
    for way in OF_LANDING:
        theirs = Config(home / way.engine, config.landing, asked_engine="local")
        words = [f"benchmarks.peers_by_{way.engine}", LANDING, str(config.landing), str(theirs.lake / TABLE)]
        theirs.lake.mkdir(parents=True)
        cost = measured(way.title, words)
        rows = compared(config, theirs, TABLE)
        found.append(cost._replace(differ=rows.differing))
        says.append(_said(way, rows))
    measured_ = (
        f"{days} days of {a_day:,} generated trips of two layouts, with damaged and repeated lines: those of the "
        "last day, every 5 minutes, as a Delta table. Windrow also keeps the files' lines, says why it refused which, "
        "writes every revision and what came too late, and publishes each day behind the gate."
    )
    return Figure("From landing files to published rows", measured_, _rows(found), [*_verdicts(found), *says])


def _said(way: PeerWay, rows: RowsCompared) -> str:
    return (
        f"{rows.compared:,} last rows are those of {way.engine}; it has {rows.still_open:,} windows more, which the "
        f"watermark has not passed, and {rows.missed:,} of which Windrow's late table says that a trip came too late."
    )


def _rows(found: Sequence[PeerCost]) -> list[dict]:
    return [
        {"way": each.title, "processor, s": each.processor_s,
         "times ours": f"{each.processor_s / found[0].processor_s:.2f}", "peak, MiB": round(each.peak_mib)}
        for each in found
    ]  # fmt: skip


def _verdicts(found: Sequence[PeerCost]) -> list[str]:
    ours, *theirs = found
    best = min(theirs, key=lambda each: each.processor_s)
    ratio = best.processor_s / ours.processor_s
    says = f"the best other way, {best.title}, takes {ratio:.2f} times our processor seconds."
    other = [each.title for each in theirs if each.differ]
    return [
        claim(best.processor_s >= ours.processor_s, says),
        claim(not other, f"All rows are the same{' but those of ' + ', '.join(other) if other else ''}."),
    ]


def head(found: Sequence[Figure], options: str) -> str:
    """The page's title, what is lost first, and what holds for all figures."""
    lost = [f"- {each.title}: {line}" for each in found for line in each.verdicts if line.startswith("DOES NOT")]
    first = (
        "\n".join(["Where Windrow is not the cheapest:", "", *lost]) if lost else "Windrow is the cheapest everywhere."
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "polars", "pyspark", "deltalake"))
    return (
        f"# Windows next to DuckDB, Polars and Spark\n{first}\n\n"
        "Every way is a fresh process of two threads. Processor seconds are user and system of all its processes, of "
        "one run each, starts included: Python and its libraries take Windrow about 1.5 s. Peaks are of all processes "
        "at one moment, looked at ten times a second. Trips have the durations of real ones. Spark runs in the session "
        f"of Windrow's tasks. {versions}. Made by `python -m benchmarks.peers {options}`."
    )


def main(arguments: list[str] | None = None) -> Path:
    """Measure, print and write the page, whose path it returns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trips", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=20, help="of landing files")
    parser.add_argument("--a-day", type=int, default=4_000)
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that is emptied")
    parser.add_argument("--into", type=Path, default=FOLDER, help="the page's folder")
    chosen = parser.parse_args(arguments)
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    home, cases = chosen.home.resolve(), (PeersCase(chosen.trips, STATIONS), PeersCase(chosen.trips, BUSY))
    found = [*of_files(home, cases), of_landing(home, chosen.days, chosen.a_day)]
    options = f"--trips {chosen.trips} --days {chosen.days} --a-day {chosen.a_day}"
    page = write_page(chosen.into, "peers", head(found, options), found)
    print(page.read_text())
    shutil.rmtree(chosen.home)
    return page


if __name__ == "__main__":
    main()
