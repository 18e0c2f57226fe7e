"""Every line of the real files is a trip, and their known dirt comes out in the known amounts."""

import gzip
from pathlib import Path

import pytest

from schemas.parsing import identity_of, read_line
from schemas.stream import Record
from schemas.streams.bikes import STREAM
from tests.support.lines import choose_layout

DATA = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the real files are not at {DATA}"),
]
DAY_US = 86_400_000_000
# Of each layout: lines, refused, duplicates, longer than a day, the longest in seconds, in the repeated hour.
FIGURES = {
    "citibike-jc/JC-*": (167_707, 0, 0, 58, 2_061_932, 5),
    "citibike-nyc-2017/trips-*": (327_474, 0, 72, 81, 4_603_308, 0),
}


@pytest.fixture(scope="module", params=["citibike-jc/JC-*", "citibike-nyc-2017/trips-*"], ids=["monthly", "daily"])
def parsed(request) -> dict:
    """(line, what was parsed) of every line of a layout, by layout name."""
    pairs = [pair for path in sorted((DATA / "bikes").glob(request.param)) for pair in parse(path)]
    return {"layout": request.param, "pairs": pairs}


def parse(path: Path) -> list:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        layout = choose_layout(STREAM, str(path.relative_to(DATA)), next(lines).rstrip("\n"))
        texts = [line.rstrip("\n") for line in lines]
    return [
        (identity_of(STREAM, layout, text, each), each) for text in texts for each in read_line(STREAM, layout, text)
    ]


def test_every_line_is_a_trip_and_the_dirt_is_counted(parsed):
    trips = [each for _, each in parsed["pairs"] if isinstance(each, Record)]
    longest_s = max(trip.values[STREAM.positions["trip_duration_s"]] for trip in trips)
    figures = (
        len(parsed["pairs"]),
        len(parsed["pairs"]) - len(trips),
        len(parsed["pairs"]) - len({identity for identity, _ in parsed["pairs"]}),
        sum(trip.end_us - trip.start_us > DAY_US for trip in trips),
        longest_s,
        sum(trip.values[STREAM.positions["clock_note"]] == "repeated hour" for trip in trips),
    )
    assert figures == FIGURES[parsed["layout"]]


def test_no_trip_lasts_otherwise_than_reported_once_the_clock_rule_has_chosen(parsed):
    duration = STREAM.positions["trip_duration_s"]
    off_us = [abs(trip.end_us - trip.start_us - trip.values[duration] * 1_000_000) for _, trip in parsed["pairs"]]
    assert max(off_us) < 2_000_000
