"""Nexmark's q7 and q11 in the order of their event times, beside what others publish of them per core."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.latemark.generator import BIDS, EVENTS, BidStream
from benchmarks.latemark.measure import DASH, LandedStream, LatemarkRun, asked
from benchmarks.latemark.questions import NEXMARK
from benchmarks.latemark.way import LatemarkWay
from benchmarks.pages import Figure, claim

EVENTS_A_SECOND = 10_000
"""Nexmark's rate of event times."""
SMALL = 1_000
README = "https://github.com/nexmark/nexmark"


class PublicFigure(NamedTuple):
    """Events a second and core, of all three kinds."""

    title: str
    q7: float
    q11: float

    def row(self, question: str) -> dict:
        """Bids, which are 92 % of the events."""
        published = getattr(self, question)
        return {"way": self.title, "question": question, "bids a core and s": round(published * BIDS / EVENTS),
                "without the start": DASH, "mistakes": DASH}  # fmt: skip


PUBLISHED = (PublicFigure(f"Flink 1.13, as [Nexmark's README]({README}) publishes", 12_330, 39_700),)
DIFFERS = (
    "What differs: the public figures are of 100 million events from a generator within Flink, on a cluster of 3 "
    "workers with 8 cores each, with checkpoints and RocksDB, and rows go to a sink that drops them as soon as a "
    "window ends; 92 % of the events are bids, and the table has the bids alone. Here bids come from Parquet files on "
    "one machine, have neither `url` nor `extra`, a start is included or taken off, rows are final and are written to "
    "a file. Flink's q7 gives all bids with the highest price by a join of bids and windows; here it is the first of "
    "them. Batch ways sort or hash all bids at once, which a stream can't. So the two sides say the order of "
    "magnitude, not who is quicker. Alibaba's [white paper](https://www.alibabacloud.com/help/en/flink/realtime-flink/"
    "support/nexmark-performance-testing) has 150,000 to 630,000 events a second on 8 compute units for its "
    "aggregations and windows (q4, q5, q16). RisingWave's [report](https://risingwave.com/blog/the-preview-of-stream-"
    "processing-performance-report-apache-flink-and-risingwave-comparison) compares itself with Flink; no figure per "
    "core of q7 or q11 was found in its text."
)


def figure(ways: Sequence[LatemarkWay], home: Path, bids: int, most_s: float) -> Figure:
    """Each way asked of few bids and of many: the difference is without its start."""
    few, many = (LandedStream.made(home, _in_order(count)) for count in (SMALL, bids))
    rows, wrong = [], []
    for question in NEXMARK:
        small, large = (asked(landed, ways, question, most_s) for landed in (few, many))
        rows += [each.row(question) for each in PUBLISHED]
        rows += [_row(*pair) for pair in zip(small, large, strict=True)]
        wrong += [each for each in large if each.score and each.score.mistakes]
    said = " ".join(asked_.words for asked_ in NEXMARK.values())
    right = claim(not wrong, "all answers are right." if not wrong else f"{_named(wrong)} have mistakes.")
    measured = f"{said} {bids:,} bids, {EVENTS_A_SECOND:,} events a second, in the order of their times."
    return Figure("Nexmark's q7 and q11", measured, rows, [right, DIFFERS])


def _in_order(bids: int) -> BidStream:
    return BidStream(bids, "none", seconds=bids / (EVENTS_A_SECOND * BIDS / EVENTS))


def _row(small: LatemarkRun, large: LatemarkRun) -> dict:
    row = {"way": large.way.title, "question": large.question}
    if small.score is None or large.score is None:
        return row | {"bids a core and s": large.why.partition(":")[0], "without the start": DASH, "mistakes": DASH}
    more_s = large.processor_s - small.processor_s
    alone = round((large.bids - small.bids) / more_s) if more_s > 0 else DASH
    return row | {"bids a core and s": round(large.a_second), "without the start": alone,
                  "mistakes": large.score.mistakes}  # fmt: skip


def _named(runs: Sequence[LatemarkRun]) -> str:
    return "; ".join(f"{each.way.title} of {each.question}" for each in runs)
