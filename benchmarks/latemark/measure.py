"""What a way costs, and what it scored: a fresh process for each answer."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.latemark.arrivals import Columns
from benchmarks.latemark.generator import AskedMoments, BidStream, write
from benchmarks.latemark.questions import EVERY
from benchmarks.latemark.score import LatemarkScore, scored
from benchmarks.latemark.way import LatemarkWay, words_of
from benchmarks.process_tree import watched
from windrow.pipelines.config import REPOSITORY

DASH, NOT_ASKED = "–", "not asked: left out of this run"


class LatemarkRun(NamedTuple):
    """One way and question. processor_s: of all its processes; score: none of a way that gave no answer, why says
    the reason."""

    way: LatemarkWay
    question: str
    bids: int
    processor_s: float = 0
    peak_mib: float = 0
    score: LatemarkScore | None = None
    why: str = ""

    @property
    def a_second(self) -> float:
        """Deliveries a processor second."""
        return self.bids / self.processor_s

    @property
    def row(self) -> Mapping[str, str | int | float]:
        """Of a table."""
        score = self.score
        if score is None:
            counts = dict.fromkeys(
                ("bids a processor s", "processor, s", "peak, MiB", "wrong", "missing", "extra"), DASH
            )
            return {"way": self.way.title, **counts, "too early": DASH, "answer": self.why.partition(":")[0]}
        return {
            "way": self.way.title, "bids a processor s": round(self.a_second), "processor, s": self.processor_s,
            "peak, MiB": round(self.peak_mib), "wrong": score.wrong, "missing": score.missing, "extra": score.extra,
            "too early": DASH if score.early is None else score.early,
            "answer": "right" if not score.mistakes else f"{score.mistakes:,} mistakes",
        }  # fmt: skip


class LandedStream(NamedTuple):
    """Files of a stream in a folder, and what is in them."""

    folder: Path
    columns: Columns

    @classmethod
    def made(cls, home: Path, stream: BidStream) -> "LandedStream":
        """In a folder of its own."""
        folder = home / f"{stream.pattern}-{stream.bids}-in-{stream.seconds:.0f}-s"
        shutil.rmtree(folder, ignore_errors=True)
        return cls(folder, write(folder, stream))

    @property
    def deliveries(self) -> int:
        """How many rows the files have, copies among them."""
        return len(self.columns["id"])

    def run(self, way: LatemarkWay, question: str, most_s: float) -> LatemarkRun:
        """Ask one way one question; it is ended where it takes more processor seconds."""
        none = LatemarkRun(way, question, self.deliveries)
        if question in way.no_answer:
            return none._replace(why=f"no answer: {way.no_answer[question]}")
        into = self.folder / "answers" / f"{way.name}.parquet"
        shutil.rmtree(into.parent, ignore_errors=True)
        into.parent.mkdir()
        seen = watched(words_of(way.name, question, self.folder, into), os.environ, most_s=most_s)
        if seen.stopped:
            return _printed(none._replace(why=f"stopped after {most_s:.0f} processor s: a limit of this run"))
        score = scored(self.columns, EVERY[question], AskedMoments.of(self.folder).moments_us, into)
        return _printed(none._replace(processor_s=seen.processor_s, peak_mib=seen.together_mib, score=score))


def _printed(found: LatemarkRun) -> LatemarkRun:
    said = found.why or f"{found.processor_s:.1f} processor s, {found.score}"
    print(f"{found.question}, {found.bids:,} deliveries, {found.way.title}: {said}", flush=True)
    return found


def asked(
    landed: LandedStream, ways: Sequence[LatemarkWay], question: str, most_s: float, left_out: str = ""
) -> list[LatemarkRun]:
    """One question, all ways but those whose names have a word that is left out."""
    return [
        LatemarkRun(way, question, landed.deliveries, why=NOT_ASKED)
        if left_out and left_out in way.name
        else landed.run(way, question, most_s)
        for way in ways
    ]


HOME = REPOSITORY / "var" / "latemark"
