"""latemark's truth is its plain oracle's, its scorer counts each kind of mistake, and each way scores what is known of
it; how fast it is, no test says."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from benchmarks.latemark import oracle, page, truth
from benchmarks.latemark.arrivals import PATTERNS
from benchmarks.latemark.generator import AskedMoments, BidStream, landing_of, write
from benchmarks.latemark.measure import LandedStream
from benchmarks.latemark.questions import EVERY, QUESTIONS, LatemarkQuestion
from benchmarks.latemark.score import LatemarkScore, scored
from benchmarks.latemark.way import LatemarkWay, every_way
from windrow.pipelines.rows.arrays import times
from windrow.schemas.query import sliding

pytestmark = pytest.mark.slow
RIGHT = ("windrow_memory", "windrow_lake", "duckdb", "polars")
BY_SPARK = [
    pytest.param(name, marks=(pytest.mark.jvm, pytest.mark.takes(60)))
    for name in ("windrow_lake_spark", "spark_window")
]


def of_small(question: LatemarkQuestion) -> LatemarkQuestion:
    """An oracle's sliding windows are a few."""
    if question.query.window.kind != "sliding":
        return question
    window = sliding(timedelta(minutes=5), timedelta(seconds=20))
    return question._replace(query=replace(question.query, window=window))


def as_dict(rows: pa.Table, question: LatemarkQuestion) -> dict:
    names = (*question.identity, *question.values)
    is_time = [pa.types.is_timestamp(rows[name].type) for name in names]
    columns = [rows[name].cast("int64") if time else rows[name] for name, time in zip(names, is_time, strict=True)]
    width = len(question.identity)
    return {row[:width]: row[width:] for row in zip(*(each.to_pylist() for each in columns), strict=True)}


@pytest.mark.few(4)
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", EVERY)
def test_the_truth_is_that_of_the_oracle(name: str, pattern: str):
    question = of_small(EVERY[name])
    for seed, (count, seconds) in enumerate([(1, 60), (150, 300), (400, 7_200), (300, 86_400)]):
        columns = BidStream(count, pattern, seed, seconds).columns()
        values = zip(*(each.tolist() for each in columns.values()), strict=True)
        bids = [dict(zip(columns, each, strict=True)) for each in values]
        counted = truth.counted(columns)
        assert as_dict(truth.true_rows(counted, question), question) == oracle.true_rows(bids, question)
        moments = [int(each) for each in np.quantile(columns["arrival"], [0, 0.3, 1])]
        known = truth.known_rows(counted, question, moments)
        for moment in moments:
            chosen = known.filter(pc.equal(known["moment"].cast("int64"), moment))
            assert as_dict(chosen, question) == oracle.known_rows(bids, question, moment)


@pytest.fixture(scope="module")
def landed(tmp_path_factory) -> LandedStream:
    return LandedStream.made(tmp_path_factory.mktemp("latemark"), BidStream(20_000))


def test_files_are_in_the_order_of_arrival_and_no_tick_is_cut(landed: LandedStream):
    paths = sorted(landing_of(landed.folder).iterdir())
    arrivals = [np.asarray(pq.read_table(path)["arrival"].cast("int64")) for path in paths]
    assert all(one.max() < other.min() for one, other in zip(arrivals, arrivals[1:], strict=False))
    assert [int(each.max()) for each in arrivals] == AskedMoments.of(landed.folder).last_arrivals_us
    assert paths == sorted(paths, key=lambda path: path.stat().st_mtime)
    assert sum(map(len, arrivals)) == landed.deliveries > 20_000


def score_of(
    columns: dict, question: LatemarkQuestion, moments: list[int], rows: pa.Table, folder: Path
) -> LatemarkScore:
    pq.write_table(rows, folder / "answer.parquet")
    return scored(columns, question, moments, folder / "answer.parquet")


def test_the_scorer_counts_wrong_missing_and_extra_rows(tmp_path: Path):
    columns, question = BidStream(2_000).columns(), QUESTIONS["median"]
    right = truth.true_rows(truth.counted(columns), question)
    count = len(right)
    assert score_of(columns, question, [], right, tmp_path) == LatemarkScore(count, 0, 0, 0)
    assert score_of(columns, question, [], right.slice(3), tmp_path) == LatemarkScore(count, 0, 3, 0)
    twice = pa.concat_tables([right, right.slice(0, 2)])
    assert score_of(columns, question, [], twice, tmp_path) == LatemarkScore(count, 0, 0, 2)
    doubled = right.set_column(3, "median_price", pc.multiply(right["median_price"], 2))
    assert score_of(columns, question, [], doubled, tmp_path) == LatemarkScore(count, count, 0, 0)
    nulls = right.set_column(3, "median_price", pa.nulls(count, pa.float64()))
    assert score_of(columns, question, [], nulls, tmp_path) == LatemarkScore(count, count, 0, 0)
    moved = right.set_column(0, "source", pc.add(right["source"], 100))
    assert score_of(columns, question, [], moved, tmp_path) == LatemarkScore(count, 0, count, count)


def test_the_scorer_counts_versions_that_are_known_too_early_or_too_late(tmp_path: Path):
    columns, question = BidStream(2_000).columns(), QUESTIONS["known"]
    bids, moments = truth.counted(columns), [int(each) for each in np.quantile(columns["arrival"], [0.3, 0.6, 0.9])]
    known = truth.known_rows(bids, question, moments)
    right = known.append_column("known_at", known["moment"]).drop_columns("moment")
    versions = len(right)
    assert score_of(columns, question, moments, right, tmp_path) == LatemarkScore(versions, 0, 0, 0, 0, versions)
    place = right.schema.get_field_index("known_at")
    begin = right.set_column(place, "known_at", times(np.full(versions, columns["arrival"].min() - 1)))
    early = score_of(columns, question, moments, begin, tmp_path)
    assert early.early == early.versions == versions and early.extra > 0 and not early.missing
    end = right.set_column(place, "known_at", times(np.full(versions, columns["arrival"].max())))
    late = score_of(columns, question, moments, end, tmp_path)
    assert late == LatemarkScore(versions, 0, versions, 0, 0, versions)


@pytest.mark.nightly
@pytest.mark.parametrize("question", EVERY)
@pytest.mark.parametrize("name", [*RIGHT, *BY_SPARK])
def test_ways_that_wait_for_all_bids_make_no_mistake(landed: LandedStream, name: str, question: str):
    found = landed.run(LatemarkWay.of(name), question, most_s=600)
    assert found.score and not found.score.mistakes and found.score.rows > 100


@pytest.mark.nightly
@pytest.mark.jvm
@pytest.mark.takes(120)
def test_a_stream_drops_what_its_watermark_has_passed(landed: LandedStream):
    hasty, patient = (
        landed.run(LatemarkWay.of(name), "known", most_s=600).score for name in ("spark_stream", "spark_stream_patient")
    )
    assert hasty.wrong > 0 and hasty.missing > 0 and not hasty.extra and not hasty.early
    assert not patient.mistakes


@pytest.mark.nightly
def test_rows_dated_by_event_time_are_known_too_early(landed: LandedStream):
    score = landed.run(LatemarkWay.of("duckdb_by_event_time"), "known", most_s=600).score
    assert score.early > score.versions / 3 and score.missing > 0


@pytest.mark.nightly
def test_a_way_without_an_answer_says_why_and_one_that_takes_long_is_stopped(landed: LandedStream):
    for way in every_way():
        for question in way.no_answer:
            found = landed.run(way, question, most_s=600)
            assert found.score is None and found.why == f"no answer: {way.no_answer[question]}"
    assert landed.run(LatemarkWay.of("windrow_memory"), "known", most_s=0.3).why.startswith("stopped after 0")


@pytest.mark.nightly
def test_the_page_has_every_question_every_pattern_and_nexmark(tmp_path: Path):
    ways = ("windrow_memory", "duckdb", "duckdb_by_event_time", "polars")
    sizes = ["--bids", "3000", "--few-bids", "1000", "--nexmark-bids", "5000"]
    home = str(tmp_path / "home")
    text = page.main([*sizes, "--home", home, "--into", str(tmp_path), "--ways", *ways]).read_text()
    assert text.index("Where Windrow loses") < text.index("## ")
    assert all(f"## `{question}`" in text for question in QUESTIONS) and "DOES NOT HOLD" not in text
    assert all(f"| {LatemarkWay.of(name).title} |" in text for name in ways)
    assert f"| way | {' | '.join(PATTERNS)} |" in text and "| Flink 1.13," in text
    assert {path.name for path in tmp_path.glob("*.png")} == {"latemark-throughput.png", "latemark-patterns.png"}


def test_the_same_seed_gives_the_same_files(tmp_path: Path):
    for name in ("one", "other"):
        write(tmp_path / name, BidStream(500, seed=7))
    one, other = (sorted(landing_of(tmp_path / name).iterdir()) for name in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
