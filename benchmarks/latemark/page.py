"""latemark, a benchmark that counts mistakes: `make bench-latemark`. It writes docs/benchmarks/latemark.md.

    python -m benchmarks.latemark.page [--bids 1000000] [--few-bids 20000] [--nexmark-bids 1000000] [--most-s 300]
                                       [--ways …] [--spark-questions …] [--patterns …] [--pattern-ways …]
                                       [--nexmark-ways …] [--home var/latemark] [--into docs/benchmarks]

Every way answers every question over `--bids` bids with all patterns of arrivals mixed; `known` over `--few-bids` bids
of each pattern; and Nexmark's q7 and q11 over `--nexmark-bids` in order. Costs are processor seconds of all processes
of a way, its start included; a way is ended after `--most-s` of them.
"""

import argparse
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.latemark import drawn, nexmark
from benchmarks.latemark.arrivals import PATTERNS
from benchmarks.latemark.generator import FILES, BidStream
from benchmarks.latemark.measure import HOME, NOT_ASKED, LandedStream, LatemarkRun, asked
from benchmarks.latemark.questions import QUESTIONS
from benchmarks.latemark.way import LatemarkWay, every_way
from benchmarks.pages import FOLDER, Figure, claim, write
from windrow.pipelines import compiled

Runs = Mapping[str, Sequence[LatemarkRun]]
Ways = Sequence[LatemarkWay]
OURS = "windrow"
MIXED = "mixed"


def question_figures(runs: Runs) -> Iterator[Figure]:
    """One a question."""
    for question, found in runs.items():
        rows = [dict(each.row) for each in found]
        truth = next((each.score.rows for each in found if each.score), 0)
        why = [f"{each.way.title}: {_said(each)}." for each in found if _said(each)]
        yield Figure(f"`{question}`", f"{QUESTIONS[question].words} {truth:,} rows.", rows, why)


def _said(run: LatemarkRun) -> str:
    if run.score and run.score.early:
        return f"{run.score.early:,} of {run.score.versions:,} row versions are known too early"
    return run.why


def losses(runs: Runs) -> Iterator[str]:
    """What Windrow takes where a peer gives the right rows for less than its quickest way."""
    for question, found in runs.items():
        right = [each for each in found if each.score and not each.score.mistakes]
        ours = [each for each in right if each.way.name.startswith(OURS)]
        least_s = min((each.processor_s for each in ours), default=0)
        cheaper = [each for each in right if each.processor_s < least_s]
        if cheaper:
            yield f"`{question}`: {_listed(ours)}; right too, for less: {_listed(cheaper)}."


def _listed(runs: Sequence[LatemarkRun]) -> str:
    return ", ".join(f"{each.way.title} {each.processor_s:.1f} s" for each in runs)


def glance_figure(runs: Runs, into: Path) -> Figure:
    """Of all ways and questions."""
    ways = [each.way for each in next(iter(runs.values()))]
    rows = [
        {"way": way.title} | {question: _glance(found[number]) for question, found in runs.items()}
        for number, way in enumerate(ways)
    ]
    measured = "Deliveries a processor second, and how many mistakes an answer has."
    verdicts = [claim(*_right(runs))]
    return Figure("At a glance", measured, rows, verdicts, drawn.throughput(into / "latemark-throughput.png", runs))


def _glance(run: LatemarkRun) -> str:
    if run.score is None:
        return run.why.partition(":")[0]
    mistakes = f", **{run.score.mistakes:,} mistakes**" if run.score.mistakes else ""
    return f"{run.a_second:,.0f}{mistakes}"


def _right(runs: Runs) -> tuple[bool, str]:
    all_ours = [each for found in runs.values() for each in found if each.way.name.startswith(OURS)]
    ours = [each for each in all_ours if each.why != NOT_ASKED]
    wrong = [f"{each.question} ({each.way.title})" for each in ours if not each.score or each.score.mistakes]
    return not wrong, f"Windrow has no mistake in {len(ours)} answers" + (
        f", but in {', '.join(wrong)}." if wrong else "."
    )


def patterns_figure(ways: Ways, home: Path, chosen: argparse.Namespace) -> Figure:
    """Mistakes in `known` by pattern."""
    runs = {}
    for pattern in chosen.patterns:
        landed = LandedStream.made(home, BidStream(chosen.few_bids, pattern))
        runs[pattern] = asked(landed, ways, "known", chosen.most_s)
    rows = [
        {"way": way.title} | {pattern: _mistakes(found[number]) for pattern, found in runs.items()}
        for number, way in enumerate(ways)
    ]
    named = {name: step.__doc__ or "" for name, step in PATTERNS.items() if name in runs}
    patterns = "\n".join(f"- {name}: {text.strip()}" for name, text in named.items())
    said = (
        "Wrong, missing and extra rows at 12 moments, and row versions known too early, of `known` over "
        f"{chosen.few_bids:,} bids with each pattern of arrivals:\n\n{patterns}"
    )
    picture = drawn.mistakes(chosen.into / "latemark-patterns.png", runs)
    return Figure("Mistakes by pattern of arrivals", said, rows, [claim(*_right(runs))], picture)


def _mistakes(run: LatemarkRun) -> int | str:
    return run.score.mistakes if run.score else run.why.partition(":")[0]


def head(runs: Runs, bids: int, deliveries: int, made_by: str) -> str:
    """The page's title, where Windrow loses, and what holds for all figures."""
    lost = list(losses(runs))
    versions = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "polars", "pyspark"))
    return "\n\n".join([
        "# latemark: late bids, and how many rows are wrong",
        "Where Windrow loses:", "\n".join(f"- {each}" for each in lost) or "- Nowhere in this run.",
        f"{_right(runs)[1]} Batch ways count every bid, however late, and are right where copies and wrong clocks are "
        "taken out first; of what was known they answer the moments that they are asked of.",
        f"{bids:,} bids of Nexmark in one day, delivered {deliveries:,} times in {FILES} Parquet files, in the order "
        "of their arrival: with measured delays, outages that deliver all at their end, copies and wrong clocks. A bid "
        "counts once, from its first arrival on; one whose time is more than a minute after its arrival counts "
        "nowhere; all others count, however late. `wrong` are rows with another value than the truth, `missing` those "
        "that an answer lacks, `extra` those that it has besides. `known` is asked at 12 moments; a row version is "
        "`too early` if it counts bids, or has a price, that had not arrived when it is said to be known. Every way is "
        "a fresh process on two cores over the same files, in its best setting; costs are processor seconds of all of "
        "its processes, with their starts, of one run each, and wall time is left out: on average "
        f"{os.getloadavg()[2]:.1f} processes ran or waited in the last quarter of an hour. Windrow's lake also keeps "
        "bronze, quarantine and every row version, behind a gate that counts them again. "
        f"`benchmarks/latemark/README.md` says how to run it and to add a way. {versions}. Made by `{made_by}`.",
    ])  # fmt: skip


def main(arguments: list[str] | None = None) -> Path:
    """Measure, print and write the page, whose path it returns."""
    known = {each.name: each for each in every_way()}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bids", type=int, default=1_000_000)
    parser.add_argument("--few-bids", type=int, default=20_000)
    parser.add_argument("--nexmark-bids", type=int, default=1_000_000)
    parser.add_argument("--most-s", type=float, default=300, help="processor seconds of one answer")
    parser.add_argument("--ways", nargs="*", choices=known, default=list(known))
    parser.add_argument("--patterns", nargs="*", choices=PATTERNS, default=list(PATTERNS))
    for part in ("pattern", "nexmark"):
        parser.add_argument(
            f"--{part}-ways", nargs="*", choices=known, help="of that part; unless given, all of --ways"
        )
    parser.add_argument(
        "--spark-questions", nargs="*", choices=QUESTIONS, default=list(QUESTIONS), help="that ways by Spark are asked"
    )
    parser.add_argument("--home", type=Path, default=HOME, help="a folder that is emptied")
    parser.add_argument("--into", type=Path, default=FOLDER, help="the page's folder")
    chosen = parser.parse_args(arguments)
    compiled.ensure()
    shutil.rmtree(chosen.home, ignore_errors=True)
    given = (chosen.ways, chosen.pattern_ways, chosen.nexmark_ways)
    page = _measured(chosen, *([known[name] for name in names or chosen.ways] for names in given))
    print(page.read_text())
    shutil.rmtree(chosen.home)
    return page


def _measured(chosen: argparse.Namespace, ways: Ways, of_patterns: Ways, of_nexmark: Ways) -> Path:
    home, most_s = chosen.home.resolve(), chosen.most_s
    landed = LandedStream.made(home, BidStream(chosen.bids, MIXED))
    left_out = {question: "" if question in chosen.spark_questions else "spark" for question in QUESTIONS}
    runs = {question: asked(landed, ways, question, most_s, out) for question, out in left_out.items()}
    sizes = f"--bids {chosen.bids} --few-bids {chosen.few_bids} --nexmark-bids {chosen.nexmark_bids}"
    made_by = f"python -m benchmarks.latemark.page {sizes} --most-s {most_s:.0f}"
    if any(left_out.values()):
        made_by += f" --spark-questions {' '.join(chosen.spark_questions)}"
    if list(chosen.patterns) != list(PATTERNS):
        made_by += f" --patterns {' '.join(chosen.patterns)}"
    for option, asked_ in (("pattern", of_patterns), ("nexmark", of_nexmark)):
        if asked_ != ways:
            made_by += f" --{option}-ways {' '.join(each.name for each in asked_)}"
    top = head(runs, chosen.bids, landed.deliveries, made_by)
    figures = [glance_figure(runs, chosen.into), *question_figures(runs)]
    write(chosen.into, "latemark", top, figures)
    figures.append(patterns_figure(of_patterns, home, chosen))
    write(chosen.into, "latemark", top, figures)
    figures.append(nexmark.figure(of_nexmark, home, chosen.nexmark_bids, most_s))
    return write(chosen.into, "latemark", top, figures)


if __name__ == "__main__":
    main()
