"""Every line of the real files is a trip, and their known dirt comes out in the known amounts."""

from pathlib import Path

import pytest

from windrow.schemas.parsing import identity_of, read_line
from windrow.schemas.stream import Record
from windrow.schemas.streams.bikes import STREAM
from windrow.testing.lines import choose_layout, lines_of

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


@pytest.mark.parametrize("files", FIGURES, ids=["monthly", "daily"])
def test_every_line_is_a_trip_that_lasts_as_reported_and_the_dirt_is_counted(files):
    found, identities = [], set()
    for path in sorted((DATA / "bikes").glob(files)):
        header, *texts = lines_of(path)
        layout = choose_layout(STREAM, str(path.relative_to(DATA)), header)
        readings = [(text, each) for text in texts for each in read_line(STREAM, layout, text)]
        identities |= {identity_of(STREAM, layout, *reading) for reading in readings}
        found += [each for _, each in readings]
    trips = [each for each in found if isinstance(each, Record)]
    reported_s = [trip.values[STREAM.positions["trip_duration_s"]] for trip in trips]
    notes = [trip.values[STREAM.positions["clock_note"]] for trip in trips]
    long = sum(trip.end_us - trip.start_us > DAY_US for trip in trips)
    dirt = len(found) - len(trips), len(found) - len(identities), long, max(reported_s), notes.count("repeated hour")
    assert (len(found), *dirt) == FIGURES[files]
    pairs = zip(trips, reported_s, strict=True)
    assert max(abs(trip.end_us - trip.start_us - seconds * 1_000_000) for trip, seconds in pairs) < 2_000_000
