"""Calendar windows in corners that the oracle of tests/semantics has an opinion on."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, Zone, replay_keys

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HOUR, DAY = 3_600_000_000, 86_400_000_000


def windows_of(time_us: int, spec: WindowSpec) -> list[tuple[int, int]]:
    """(start, end) of every window that a single event lies in."""
    one = np.array([time_us], np.int64)
    columns = EventColumns(np.array([0, 1]), one, one, np.zeros((0, 1), np.int64), np.zeros((0, 1), bool))
    plan = AggregatePlan((AggregateSpec("count"),))
    rows = replay_keys(columns, spec, plan, PassTicks(one, one), ReplayRules(0, 0, "arrival"))
    return list(zip(rows.window_start.tolist(), rows.window_end.tolist(), strict=True))


@pytest.mark.slow
def test_a_zone_without_clock_changes_gives_the_windows_of_no_zone():
    """Also where the slide does not divide the size: the q-th cut + the rest of the size, at most the cut after it."""
    midnights = np.arange(-10, 11) * DAY
    for size, slide in ((6 * HOUR, 4 * HOUR), (6 * HOUR, 2 * HOUR), (2 * HOUR, 3 * HOUR), (8 * HOUR, 6 * HOUR)):
        for time in range(-DAY, DAY + 1, HOUR):
            zoned = WindowSpec("sliding", size, slide, zone=Zone(midnights, -10))
            assert windows_of(time, zoned) == windows_of(time, WindowSpec("sliding", size, slide)), (size, slide, time)


def test_a_day_that_the_zone_left_out_has_length_zero_and_no_window():
    """Samoa had no 30 December 2011: two midnights are equal."""
    midnights = np.array([-5, -4, -3, -2, -1, 0, 1, 1, 2, 3, 4, 5, 6]) * DAY
    spec = WindowSpec("tumbling", DAY, DAY, zone=Zone(midnights, 0))
    assert windows_of(HOUR, spec) == [(0, DAY)]
    assert windows_of(DAY + HOUR, spec) == [(DAY, 2 * DAY)]


@pytest.mark.slow
def test_a_second_process_can_run_what_the_first_one_compiled():
    """Numba resolves recursion (set_window → _rebuild → set_window) only in the process that compiles: then
    loading crashes.
    """
    here = (
        "from tests.kernels.test_found_by_semantics import HOUR, WindowSpec, windows_of;"
        "print(windows_of(0, WindowSpec('tumbling', HOUR, HOUR)))"
    )
    assert windows_of(0, WindowSpec("tumbling", HOUR, HOUR)) == [(0, HOUR)]
    second = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, cwd=ROOT)
    assert (second.returncode, second.stdout) == (0, f"[(0, {HOUR})]\n"), second.stderr
