"""SE-Slicing: the worked examples of SPANS §3, and the paper's own algorithm against the kernel on random events."""

from datetime import timedelta
from itertools import pairwise
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, entry, replay_keys
from schemas.query import Query, agg, sliding, spanning
from tests.kernels.test_compilation import run_as_plain_python
from tests.support.kernels.plain_slices import PlainSlices
from tests.support.local import replay_table

MINUTE, MINUTE_US = timedelta(minutes=1), 60_000_000
ENDING, GOING_ON = (8, 19, 15, 18, 14, 12, 16), (25, 18, 12, 14, 11, 19, 16)
LONGEST_CALLS = (20, 63, 19, 33, 12, 47, 14)
CALL = (16, 34, 18)  # the example's 18-minute phone call at time 34
AGGREGATES = {"calls": agg("count"), "total": agg("sum", "length"), "longest": agg("max", "length")}


def calls_in_slices() -> list[tuple[int, int, int]]:
    """(start, end, length) of calls of which so many end in each slice of 5 minutes, and so many go on."""
    calls, open_starts = [], []
    for number, (ending, going_on) in enumerate(zip(ENDING, GOING_ON, strict=True)):
        low = 5 * number
        open_starts += [low] * (ending + going_on - len(open_starts))
        calls += [(start, low + 3, low + 3 - start) for start in open_starts[:ending]]
        open_starts = open_starts[ending:]
    return calls + [(start, 37, 37 - start) for start in open_starts]


def table(calls: list[tuple[int, int, int]], late_by: int = 0) -> pa.Table:
    """Calls, known when they end or up to `late_by` minutes later, in disorder."""
    chance = Random(7)
    times = pa.timestamp("us", "UTC")
    arrivals = [end + chance.randrange(late_by + 1) for _, end, _ in calls]
    columns = zip(*calls, strict=True) if calls else ((), (), ())
    starts, ends, lengths = map(list, columns)
    shown = {"start": starts, "end": ends, "arrival": arrivals}
    return pa.table(
        {
            **{name: pa.array([each * MINUTE_US for each in column], times) for name, column in shown.items()},
            "seq": range(len(calls)),
            "length": pa.array(lengths, pa.int64()),
        }
    )


def rows(calls: list[tuple[int, int, int]], window, late_by: int = 0) -> dict[int, dict]:
    """The final row of each window, by its start in minutes."""
    query = Query("calls", "calls", (), window, AGGREGATES, timedelta(0), timedelta(days=9), "final")
    found = replay_table(table(calls, late_by), query, complete=True).to_pylist()
    return {row["window_start"].timestamp() // 60: row for row in found}


def test_spans_3_1_points_in_windows_of_15_by_5_count_42_and_the_longest_is_63():
    counts = (8, 19, 15, 18, 14, 12, 17)
    points = [
        (5 * number, 5 * number, most)
        for number, (count, most) in enumerate(zip(counts, LONGEST_CALLS, strict=True))
        for _ in range(count)
    ]
    of_points = [rows(points, kind)[0] for kind in (sliding(15 * MINUTE, 5 * MINUTE), fifteen_by_five())]
    assert [(row["calls"], row["longest"]) for row in of_points] == [(42, 63)] * 2


def test_spans_3_2_1_a_selective_aggregate_takes_the_call_in_each_slice_that_it_meets():
    calls = [(5 * number, 5 * number + 1, most) for number, most in enumerate(LONGEST_CALLS)]
    slices = PlainSlices(15, 5, 35)
    for call in (*calls, CALL):
        slices.insert(*call)
    assert [max(each.ends_here + each.goes_on) for each in slices.slices] == [20, 63, 19, 33, 18, 47, 18]
    assert slices.release_selected(0, max) == rows([*calls, CALL], fifteen_by_five())[0]["longest"] == 63


def test_spans_3_2_2_a_cumulative_aggregate_counts_42_that_end_and_12_that_go_on():
    calls, slices = calls_in_slices(), PlainSlices(15, 5, 40)
    for call in calls:
        slices.insert(*call)
    assert counts_of(slices) == [*zip(ENDING, GOING_ON, strict=True)]
    slices.insert(*CALL)
    with_call = [(18, 15), (14, 12), (12, 20), (17, 16)]
    assert counts_of(slices) == [(8, 25), (19, 18), (15, 12), *with_call]
    assert len(slices.release(0)) == rows([*calls, CALL], fifteen_by_five())[0]["calls"] == 42 + 12


def fifteen_by_five():
    return spanning(15 * MINUTE, 5 * MINUTE, longest=timedelta(days=1))


def counts_of(slices: PlainSlices) -> list[tuple[int, int]]:
    """(ends here, goes on) of the first seven slices."""
    return [(len(each.ends_here), len(each.goes_on)) for each in slices.slices[:7]]


@pytest.mark.parametrize(("size", "slide"), [(15, 5), (7, 5), (5, 5), (3, 10), (60, 7), (1, 1)])
@pytest.mark.parametrize("late_by", [0, 50])
def test_the_kernel_gives_the_windows_of_the_papers_algorithm(size, slide, late_by):
    chance = Random(size)
    calls = [
        (start, start + length, length)
        for start, length in ((chance.randrange(100, 300), chance.choice((1, 2, 9, 40, 90))) for _ in range(120))
    ]
    slices = PlainSlices(size, slide, 500)
    for call in calls:
        slices.insert(*call)
    found = rows(calls, spanning(size * MINUTE, slide * MINUTE, longest=timedelta(days=1)), late_by)
    held = {start: slices.release(start) for start in range(0, 400, slide)}
    assert {start: (row["calls"], row["total"], row["longest"]) for start, row in found.items()} == {
        start: (len(lengths), sum(lengths), max(lengths)) for start, lengths in held.items() if lengths
    }
    assert all(earlier < later for earlier, later in pairwise(found))


@pytest.mark.parametrize("patience", [0, 32])
@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
def test_the_sketch_of_a_window_has_what_ends_in_it_and_what_goes_on_behind_it(monkeypatch, emit, patience):
    monkeypatch.setattr(entry, "LEAST_PATIENCE", patience)
    starts = np.arange(0, 600, 10)
    ends, values = starts + 25, np.random.default_rng(2).permutation(len(starts))
    columns = EventColumns(np.array([0, len(starts)]), starts, starts, values[None, :], np.ones((1, 60), bool), ends)
    rules = ReplayRules(0, 0, emit, complete_tick_us=10_000)
    plan = AggregatePlan((AggregateSpec("approx_quantile", 0),))
    made = replay_keys(columns, WindowSpec("spanning", 100, 10), plan, PassTicks(starts, starts), rules)
    newest = dict(zip(made.window_start.tolist(), made.outputs[0].tolist(), strict=True))
    assert len(newest) == 71
    for low, median in newest.items():
        held = sorted(values[(starts < low + 100) & (ends > low)].tolist())
        assert median == held[(len(held) + 1) // 2 - 1], low


@pytest.mark.nightly
def test_sketches_run_as_plain_python_with_every_access_checked():
    run_as_plain_python(__file__, "sketch_of_a_window")
