"""What features of labels cost next to DuckDB, Polars and Spark: `make bench-features`.

    python -m benchmarks.features [--trips 1000000] [--most-labels 10000000] [--most-pairs 400000000]
                                  [--engines duckdb polars spark] [--home var/features] [--into docs/benchmarks]

It writes features.md. Every way is a fresh process that reads the same Parquet files of trips and of labels and writes
one of features (features_by_*.py); `windrow features` reads its lake and leaves a table, a law's verdict and a row of
the ledger. Costs are processor seconds of all processes of a way. The features of all labels are compared with those
of `windrow.features_batches`.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from benchmarks.features_compared import differing
from benchmarks.features_lake import TripsLake
from benchmarks.features_source import COLUMNS, TripsCase, write
from benchmarks.pages import FOLDER, Figure, claim
from benchmarks.pages import write as write_page
from benchmarks.process_tree import watched
from windrow.pipelines import compiled
from windrow.pipelines.config import REPOSITORY, SPARK_CONF
from windrow.schemas.feature_set import KNOWN, SUFFIX, TRUE

HOME = REPOSITORY / "var" / "features"
ENGINES = ("duckdb", "polars", "spark")
SPARKS_QUICKEST = {"known_join", "true_frames_segment_tree"}
TIMES_SPARK, TIMES_OTHERS = 10, 2
OF_SPARK = {SPARK_CONF: json.dumps({"spark.driver.memory": "12g"})}
MEMORY, LAKE = "Windrow, in memory, `features_batches`", "Windrow, `windrow features` over a lake"


class FeatureWay(NamedTuple):
    """A peer's way: its engine and name there. pairs: whether it makes each pair of a label and a trip in its longest
    window; frames: the same of trips and trips."""

    engine: str
    name: str
    title: str
    pairs: bool = False
    frames: bool = False

    @property
    def knowledge(self) -> str:
        return KNOWN if self.name.startswith(KNOWN) else TRUE

    def work(self, case: TripsCase, labels: int) -> int:
        """How many pairs."""
        each = case.trips // (3 * case.stations)
        return each * (labels * self.pairs + (labels + case.trips) * self.frames)


WAYS = (
    FeatureWay("duckdb", "known_join", "DuckDB, range join, parts by window", pairs=True),
    FeatureWay("duckdb", "known_patched", "DuckDB, as true; labels during a trip by range join"),
    FeatureWay("polars", "known_join", "Polars, join by chunks of keys", pairs=True),
    FeatureWay("polars", "known_join_streaming", "Polars, the same on the streaming engine", pairs=True),
    FeatureWay("polars", "known_patched", "Polars, as true; labels during a trip by join, streaming"),
    FeatureWay("spark", "known_join", "Spark, range join, parts by window", pairs=True),
    FeatureWay("duckdb", "true_join", "DuckDB, range join, parts by window", pairs=True),
    FeatureWay("duckdb", "true_windows", "DuckDB, `RANGE` frames"),
    FeatureWay("duckdb", "true_sums", "DuckDB, ASOF joins of running sums, frames for min and max"),
    FeatureWay("polars", "true_join", "Polars, join by chunks of keys, streaming", pairs=True),
    FeatureWay("polars", "true_rolling", "Polars, ASOF joins of running sums, `rolling_min_by` and `rolling_max_by`"),
    FeatureWay("spark", "true_join", "Spark, range join, parts by window", pairs=True),
    FeatureWay("spark", "true_frames", "Spark, `RANGE` frames", frames=True),
    FeatureWay("spark", "true_frames_segment_tree", "Spark, `RANGE` frames by segment trees"),
)


class AskedCases(NamedTuple):
    """What is measured: trips of a case, and of each case the numbers of labels."""

    trips: int = 1_000_000
    most_labels: int = 10_000_000
    most_pairs: int = 400_000_000
    engines: Sequence[str] = ENGINES

    def cases(self) -> dict[TripsCase, list[int]]:
        """The numbers of labels ascend."""
        most = self.most_labels
        sizes = {1_000: [most // 100, most // 10, most], 10: [most // 10], 100_000: [max(1, most // 1_000)]}
        return {TripsCase(self.trips, max(1, self.trips // each)): labels for each, labels in sizes.items()}

    def runs(self, way: FeatureWay, case: TripsCase, labels: int) -> bool:
        """Whether a way is measured at a size: of Spark's at the most labels only the quickest, however many pairs they
        make, and none at the least, where its frames of 100,000 trips take hours."""
        if way.engine not in self.engines:
            return False
        if way.engine == "spark" and labels == self.most_labels:
            return way.name in SPARKS_QUICKEST
        fits = way.engine != "spark" or self.most_labels // 100 <= labels
        return fits and way.work(case, labels) <= self.most_pairs

    def options(self) -> str:
        """As the command line has them."""
        given = self._asdict() | {"engines": " ".join(self.engines)}
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())


TARGETED = AskedCases()


class FeatureCost(NamedTuple):
    """Of one run. compared: how many features of it are other than ours, none where there is nothing to compare."""

    engine: str
    title: str
    processor_s: float
    peak_mib: float
    others: Sequence[str] = ()


def measured(engine: str, title: str, words: Sequence[str], environment: Mapping[str, str]) -> FeatureCost:
    """Run a command."""
    seen = watched(words, environment)
    found = FeatureCost(engine, title, seen.processor_s, seen.together_mib)
    print(f"{title}: {found.processor_s:.1f} processor s, {found.peak_mib:,.0f} MiB", flush=True)
    return found


def figures(asked: AskedCases, home: Path) -> Iterator[Figure]:
    """One for each case, number of labels and kind of knowledge."""
    for number, (case, sizes) in enumerate(asked.cases().items()):
        folder = home / f"{case.stations}-stations"
        lake = TripsLake(home / "project") if number == 0 else None
        for labels in sizes:
            write(folder, case, labels)
            if lake and labels == sizes[0]:
                lake.make(folder / "events.parquet")
            for knowledge in (KNOWN, TRUE):
                print(f"{case.title}, {labels:,} labels, {knowledge}", flush=True)
                yield _figure(asked, case, labels, knowledge, _costs(asked, case, labels, knowledge, folder, lake))


def _costs(
    asked: AskedCases, case: TripsCase, labels: int, knowledge: str, folder: Path, lake: TripsLake | None
) -> list[FeatureCost]:
    ours = folder / f"windrow_{knowledge}.parquet"
    found = [measured("windrow", MEMORY, words_of("windrow", knowledge, folder), os.environ)]
    if lake:
        cost = measured("lake", LAKE, lake.words(folder / "labels.parquet", knowledge), lake.environment)
        lake.keep(folder / "lake.parquet")
        others = differing(ours, folder / "lake.parquet", SUFFIX[knowledge], SUFFIX[knowledge])
        found.append(cost._replace(others=others))
    for way in WAYS:
        if way.knowledge == knowledge and asked.runs(way, case, labels):
            environment = os.environ | (OF_SPARK if way.engine == "spark" else {})
            cost = measured(way.engine, way.title, words_of(way.engine, way.name, folder), environment)
            theirs = folder / f"{way.engine}_{way.name}.parquet"
            found.append(cost._replace(others=differing(ours, theirs, SUFFIX[knowledge])))
    return found


def words_of(engine: str, way: str, folder: Path) -> list[str]:
    """The command of a way."""
    return [sys.executable, "-m", f"benchmarks.features_by_{engine}", way, str(folder)]


def _figure(asked: AskedCases, case: TripsCase, labels: int, knowledge: str, costs: list[FeatureCost]) -> Figure:
    ours = costs[0].processor_s
    rows = [
        {"way": each.title, "processor, s": each.processor_s, "times ours": f"{each.processor_s / ours:.2f}",
         "peak, MiB": round(each.peak_mib)}
        for each in costs
    ]  # fmt: skip
    other = sorted({name for each in costs for name in each.others})
    compared = f"All {len(COLUMNS)} features of all {labels:,} labels are those of every other way"
    says = f"{compared}." if not other else f"features that another way has otherwise: {', '.join(other)}."
    verdicts = [*_ratios(costs), claim(not other, says) if len(costs) > 1 else "No other way is measured here."]
    left = [way.title for way in WAYS if way.knowledge == knowledge and not asked.runs(way, case, labels)]
    verdicts += [f"Not measured at this size: {'; '.join(left)}."] if left else []
    what = "events that had arrived by a label's time" if knowledge == KNOWN else "all events"
    measured_ = f"{case.trips:,} trips of {case.stations:,} stations in 90 days; of {what}."
    return Figure(f"{labels:,} labels, {case.title}, as {knowledge}", measured_, rows, verdicts)


def _ratios(costs: list[FeatureCost]) -> Iterator[str]:
    ours, lake = costs[0].processor_s, [each for each in costs if each.engine == "lake"]
    for engines, least in ((("spark",), TIMES_SPARK), (("duckdb", "polars"), TIMES_OTHERS)):
        theirs = [each for each in costs if each.engine in engines]
        if theirs:
            best = min(theirs, key=lambda each: each.processor_s)
            over = f"; {best.processor_s / lake[0].processor_s:.2f} times those over a lake" if lake else ""
            says = f"{best.title} takes {best.processor_s / ours:.2f} times our processor seconds in memory{over}; "
            yield claim(best.processor_s >= least * ours, f"{says}at least {least} are asked.")


def missed(found: Sequence[Figure]) -> str:
    """What the page says first."""
    lines = [
        f"{each.title}: {verdict}" for each in found for verdict in each.verdicts if verdict.startswith("DOES NOT")
    ]
    return "\n".join(["Where Windrow misses what is asked:", "", *(f"- {line}" for line in lines)]) if lines else (
        "Windrow misses nothing that is asked."
    )  # fmt: skip


def head(asked: AskedCases, found: Sequence[Figure]) -> str:
    """The page's title, and what holds for all figures."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "polars", "pyspark"))
    targeted = "" if asked == TARGETED else f"; the page is meant for `{TARGETED.options()}`"
    return (
        f"# What features at the moments of labels cost\n{missed(found)}\n\n"
        "Each label gets 50 features: ten aggregates over the last hour, 6 hours, day, 7 and 30 days. Trips last ten "
        "minutes on average; one in 200 up to a day, three in 10,000 up to 20 days; a trip is known when it ends. "
        "Labels ask at any time of the last 60 days. Every way is a fresh process of two threads that reads Parquet "
        "files of trips and labels and writes one of features without compression, which is every writer's quickest; "
        "rows come in the order that suits each way; `windrow features` reads a lake and leaves a table, the "
        "law's verdict and its row of the ledger. Spark has 12 GB, and joins a million labels at once. Starts are "
        "included. Counts, whole numbers, minima and maxima have to be equal, sums and means of floats within 1e-9 of "
        "each other. Processor seconds are user and system of all "
        "processes, of one run each; peaks are of all processes at one moment, looked at ten times a second. On "
        f"average {os.getloadavg()[2]:.1f} processes ran or waited in the last quarter of an hour; wall time is left "
        f"out. {versions}. Made by `python -m benchmarks.features {asked.options()}`{targeted}."
    )


def main(arguments: list[str] | None = None) -> Path:
    """Measure, print and write the page, whose path it returns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trips", type=int, default=TARGETED.trips)
    parser.add_argument("--most-labels", type=int, default=TARGETED.most_labels)
    parser.add_argument("--most-pairs", type=int, default=TARGETED.most_pairs, help="of labels and trips, of a peer")
    parser.add_argument("--engines", nargs="*", choices=ENGINES, default=ENGINES)
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that is emptied")
    parser.add_argument("--into", type=Path, default=FOLDER, help="the page's folder")
    chosen = parser.parse_args(arguments)
    asked = AskedCases(chosen.trips, chosen.most_labels, chosen.most_pairs, tuple(chosen.engines))
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    found: list[Figure] = []
    for figure in figures(asked, chosen.home.resolve()):
        found.append(figure)
        page = write_page(chosen.into, "features", head(asked, found), found)
    print(page.read_text())
    shutil.rmtree(chosen.home)
    return page


if __name__ == "__main__":
    main()
