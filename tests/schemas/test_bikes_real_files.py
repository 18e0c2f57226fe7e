"""Every line of the real files is a trip, and their known dirt comes out in the known amounts."""

import gzip
from pathlib import Path

import pytest

from schemas.reading import choose_layout, identity_of, read_line
from schemas.stream import Reading
from schemas.streams.bikes import STREAM

DATA = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real files are not at {DATA}")
DAY_US = 86_400_000_000


@pytest.fixture(
    scope="module", params=["citibike-jc/JC-*", "citibike-nyc-2017/trips-*"], ids=["monthly", "daily"]
)
def judged(request) -> dict:
    """(line, judgement) of every line of a layout, by layout name."""
    pairs = [pair for path in sorted((DATA / "bikes").glob(request.param)) for pair in judge(path)]
    return {"layout": request.param, "pairs": pairs}


def judge(path: Path) -> list:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        layout = choose_layout(STREAM, str(path.relative_to(DATA)), next(lines).rstrip("\n"))
        texts = [line.rstrip("\n") for line in lines]
    return [
        (identity_of(STREAM, layout, text, each), each)
        for text in texts
        for each in read_line(STREAM, layout, text)
    ]


def test_every_line_is_a_trip_and_the_dirt_is_counted(judged):
    trips = [each for _, each in judged["pairs"] if isinstance(each, Reading)]
    figures = {
        "lines": len(judged["pairs"]),
        "refused": len(judged["pairs"]) - len(trips),
        "duplicates": len(judged["pairs"]) - len({identity for identity, _ in judged["pairs"]}),
        "longer than a day": sum(trip.end_us - trip.start_us > DAY_US for trip in trips),
        "longest, s": max(trip.values[STREAM.positions["trip_duration_s"]] for trip in trips),
        "repeated hour": sum(trip.values[STREAM.positions["clock_note"]] == "repeated hour" for trip in trips),
    }
    assert (
        figures
        == {
            "citibike-jc/JC-*": {
                "lines": 167_707,
                "refused": 0,
                "duplicates": 0,
                "longer than a day": 58,
                "longest, s": 2_061_932,
                "repeated hour": 5,
            },
            "citibike-nyc-2017/trips-*": {
                "lines": 327_474,
                "refused": 0,
                "duplicates": 72,
                "longer than a day": 81,
                "longest, s": 4_603_308,
                "repeated hour": 0,
            },
        }[judged["layout"]]
    )


def test_no_trip_lasts_otherwise_than_reported_once_the_clock_rule_has_chosen(judged):
    duration = STREAM.positions["trip_duration_s"]
    off_us = [
        abs(trip.end_us - trip.start_us - trip.values[duration] * 1_000_000) for _, trip in judged["pairs"]
    ]
    assert max(off_us) < 2_000_000
