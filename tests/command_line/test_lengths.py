"""Lengths of time as people read them, from both sides of each change of unit."""

import pytest

from pipelines.cli import plan, profile

COSTS = {None: "-", 0.2: "1 s", 119.4: "119 s", 120: "2 min", 7_199: "120 min", 7_200: "2.0 h"}
LAGS = {9.994: "9.99 s", 10: "10 s", 14_399: "14,399 s", 14_400: "4.0 h", 172_799: "48.0 h", 172_800: "2.0 d"}


@pytest.mark.parametrize("seconds", COSTS)
def test_what_a_plan_costs(seconds):
    assert plan._length(seconds) == COSTS[seconds]


@pytest.mark.parametrize("seconds", LAGS)
def test_how_far_events_lag_behind(seconds):
    assert profile._length(seconds) == LAGS[seconds]
