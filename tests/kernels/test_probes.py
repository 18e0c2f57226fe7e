"""Probes: what a call refuses, and which row is the newest. That their aggregates are right is known by
tests/features/test_features_against_oracle.py."""

from random import Random

import numpy as np
import pytest

from windrow.kernels.api import AggregatePlan, CallLimits, EventColumns
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.probes.entry import EnteringEvents, Probes, probe_keys
from windrow.kernels.probes.newest import NONE, newest_rows
from windrow.kernels.replay.stop import OVER_TIME
from windrow.schemas.errors import AggregateFailed, BadInput, TooManySeconds, WrongParameter

COUNT, SUM = AggregateSpec("count"), AggregateSpec("sum", 0, "int64")
LARGEST = (1 << 63) - 1


def events(*starts: int, values: tuple[int, ...] = ()) -> EnteringEvents:
    """Of one key, each known as it starts."""
    times, words = np.array(starts, np.int64), np.array([values or starts], np.int64)
    columns = EventColumns(np.array([0, len(starts)]), times, times, words, np.ones(words.shape, np.bool_))
    return EnteringEvents.of(columns, as_known=True)


def at(*times: int) -> Probes:
    return Probes(np.array([0, len(times)]), np.array(times, np.int64))


@pytest.mark.parametrize(
    ("asked", "size_us", "specs", "error", "says"),
    [
        (at(5, 4), 1, (COUNT,), BadInput, "backwards within a key at probe 1"),
        (Probes(np.array([0, 1, 1]), np.array([5])), 1, (COUNT,), BadInput, "probes of 2 keys, but events of 1"),
        (at(5), 0, (COUNT,), WrongParameter, "size_us is 0"),
        (at(5), 1, (), WrongParameter, "at least one aggregate"),
        (at(5), 1, (AggregateSpec("sum", 1, "int64"),), WrongParameter, "1"),
    ],
)
def test_what_is_no_question_is_refused(asked, size_us, specs, error, says):
    with pytest.raises(error, match=says):
        probe_keys(events(1, 2), asked, size_us, AggregatePlan(specs))


def test_a_sum_beyond_int64_names_the_window_and_the_largest_is_answered():
    of = events(1, 2, 3, values=(LARGEST, 1, -1))
    assert probe_keys(of, at(1, 3), 2, AggregatePlan((SUM,))).outputs[0].tolist() == [LARGEST, 0]
    with pytest.raises(AggregateFailed, match=r"sum of column 0 for key 0, window \[1 µs, 3 µs\) is beyond int64"):
        probe_keys(of, at(2), 2, AggregatePlan((SUM,)))


def test_probes_between_which_nothing_comes_or_goes_share_an_answer():
    found = probe_keys(events(1, 4), at(0, 1, 2, 3, 4, 4, 7, 8), 3, AggregatePlan((COUNT,)))
    assert found.answer_of.tolist() == [0, 1, 1, 1, 2, 2, 3, 3]
    assert found.outputs.tolist() == [[0, 1, 1, 0]]


def test_a_call_that_is_told_to_stop_does():
    with pytest.raises(TooManySeconds):
        probe_keys(events(1), at(1), 1, AggregatePlan((COUNT,)), CallLimits(stop=np.array([OVER_TIME], np.int64)))


def test_the_newest_row_of_each_probe_is_found_as_one_after_the_other_would_be():
    for seed in range(200):
        random = Random(seed)
        rows, probes = random.randrange(20), random.randrange(30)
        firsts, ends = ([random.randrange(probes + 1) for _ in range(rows)] for _ in range(2))
        found = newest_rows(np.array(firsts, np.int64), np.array(ends, np.int64), probes)
        held = [[row for row in range(rows) if firsts[row] <= probe < ends[row]] for probe in range(probes)]
        assert found.tolist() == [row[0] if row else NONE for row in held]
