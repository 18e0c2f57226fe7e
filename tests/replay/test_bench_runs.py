"""The end-to-end benchmark compares like with like: its two ways give the same rows, and it would notice if not."""

from pathlib import Path

import pytest
from deltalake import DeltaTable

from benchmarks import first_light_end_to_end as bench

pytestmark = pytest.mark.jvm

# No measured round: the warm-up has made all rows, and Spark needs most of a minute to plan a window of 288 slides.
SIZES = bench.Sizes(trips=400, stations=3, days=2, rounds=0)
NO_REAL_FILES = Path("absent")
EVERY_REVISION, FINAL_ROWS = bench.EVERY_REVISION.name, bench.FINAL_ROWS.name


@pytest.mark.nightly
def test_last_revisions_are_the_rows_of_sparks_window_and_a_row_less_is_noticed(config):
    """Every revision is more rows than Spark's, emit final the very same; and the comparison can fail."""
    trips, source = bench.make_trips(SIZES, NO_REAL_FILES)
    bench.build(config, trips)
    found = bench.measure(config, SIZES.rounds)
    assert "log-normal" in source
    assert found.differing == {EVERY_REVISION: 0, FINAL_ROWS: 0}
    assert found.rows[FINAL_ROWS] == found.rows[bench.BY_SPARK] > SIZES.trips
    assert found.rows[EVERY_REVISION] > found.rows[FINAL_ROWS]
    DeltaTable(config.lake / bench.BY_SPARK).delete("start_station_id = 1")
    assert bench.differing(config, EVERY_REVISION) > 0


def test_ratios_pair_the_runs_of_one_round():
    """Work of others on the machine then weighs on both runs that are compared."""
    found = bench.Measured(
        {EVERY_REVISION: [2.0, 1.0], bench.BY_SPARK: [8.0, 10.0]},
        {EVERY_REVISION: 7, bench.BY_SPARK: 5},
        {EVERY_REVISION: 3},
    )
    assert found.ratios(EVERY_REVISION) == [4.0, 10.0]
    line = bench.report(found, trips=100)[-1]
    assert "4.00 / 7.00 / 10.00" in line and "3 last rows differ" in line
