"""The replay entry: its contract at the edges. What it means is compared with the oracle in tests/semantics."""

import sys
import threading
import time

import numba
import numpy as np
import pytest

from tests.support.kernels.columns import columns_of, in_steps, ticks_of
from tests.support.kernels.marks import COMPILED
from windrow.kernels.api import (
    FIRINGS,
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    Zone,
    replay_keys,
)
from windrow.kernels.entry import choose
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.replay.kernel_selection import LeftToEvents
from windrow.kernels.runtime import operations
from windrow.kernels.runtime.operations import ask
from windrow.schemas.errors import AggregateFailed, BadInput, NotServed, WrongParameter

SUM_AND_COUNT = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("count")))
DAY = 86_400_000_000
TEN, FINAL = WindowSpec("tumbling", 10), ReplayRules(0, 0, "final")


def replayed(columns, window, rules, kernel=None) -> ResultRows:
    return replay_keys(columns, window, SUM_AND_COUNT, ticks_of(columns), rules, kernel)


def as_lists(rows: ResultRows) -> list[list]:
    """All but how they were made."""
    return [each.tolist() for each in rows[:-3]]


def test_an_empty_century_is_jumped_over():
    """A window of a microsecond: walking it would take a year."""
    century = 100 * 365 * DAY
    columns = columns_of([(0, 0, 1), (century, century, 2), (2 * century, 2 * century, 3)])
    rows = replayed(columns, WindowSpec("sliding", 2, 1), ReplayRules(0, 0, "watermark"))
    assert rows.window_start.tolist() == [-1, 0, century - 1, century]


@pytest.mark.slow
def test_many_rows_are_all_there():
    """More than any list starts with: a window each second of two hours, for each of three keys."""
    seconds = [(second * 1_000_000, second * 1_000_000, second) for second in range(0, 7_200, 7)]
    rows = replayed(
        columns_of(seconds, seconds, seconds),
        WindowSpec("sliding", 60_000_000, 1_000_000),
        ReplayRules(0, 0, "watermark", complete_tick_us=DAY),
    )
    wanted = {start + 1_000_000 * before for start, _, _ in seconds for before in range(-59, 1)}
    assert rows.window_start.tolist() == 3 * sorted(wanted)


@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
@pytest.mark.parametrize(
    "window", [WindowSpec("sliding", 60, 5), WindowSpec("sliding", 60, 7), WindowSpec("rolling", 60)]
)
def test_the_shape_of_the_tree_does_not_show(emit, window):
    random = np.random.default_rng(11)
    starts = random.integers(0, 3000, 500)
    arrivals = starts + random.integers(0, 300, 500)
    order = np.argsort(arrivals, kind="stable")
    columns = columns_of(list(zip(starts[order], arrivals[order], random.integers(-9, 9, 500), strict=True)))
    rules = ReplayRules(20, 150, emit)
    thin, wide = (
        replayed(columns, window, rules, kernel=KernelChoice("finger_tree", (("min_arity", arity),)))
        for arity in (2, 64)
    )
    assert as_lists(thin) == as_lists(wide) and len(thin.key) > 100


def test_a_sum_beyond_int64_names_the_window():
    columns = columns_of([(1, 1, (1 << 63) - 1), (2, 2, 1)])
    with pytest.raises(AggregateFailed, match=r"sum of column 0 for key 0, window \[0 µs, 10 µs\)"):
        replayed(columns, TEN, ReplayRules(0, 0, "watermark", 5))


def test_arrival_that_goes_backwards_names_the_event():
    columns = columns_of([(1, 5, 1)], [(1, 3, 1), (1, 2, 1)])
    with pytest.raises(BadInput, match="event 2"):
        replay_keys(columns, TEN, SUM_AND_COUNT, PassTicks(*np.array([[5], [1]])), FINAL)


def test_times_that_could_overflow_are_refused():
    columns = columns_of([(1 << 62, 1, 1)])
    with pytest.raises(BadInput, match="newest start of pass step 0"):
        replayed(columns, TEN, FINAL)
    with pytest.raises(BadInput, match="start of event 0"):
        replay_keys(columns, TEN, SUM_AND_COUNT, PassTicks(*np.array([[1], [1]])), FINAL)


TWO = columns_of([(1, 1, 1), (2, 2, 2)])
OF_DAYS = WindowSpec("tumbling", DAY, DAY, zone=Zone(np.arange(5) * DAY, 0))


@pytest.mark.parametrize(
    ("columns", "window", "rules", "kind", "message"),
    [
        (TWO._replace(values=np.zeros((1, 3), np.int64)), TEN, FINAL, BadInput, r"both must be \(columns, 2\)"),
        (TWO, TEN, FINAL._replace(complete_tick_us=1), BadInput, "completing tick"),
        (TWO, OF_DAYS, FINAL, BadInput, "give 1 days more before"),
        (TWO, WindowSpec("tumbling", 0), FINAL, WrongParameter, "size"),
        (TWO, WindowSpec("sliding", 10, 0), FINAL, WrongParameter, "slide"),
        (TWO, TEN, ReplayRules(-1, 0, "final"), WrongParameter, "lateness"),
        (TWO, TEN, ReplayRules(0, 0, "sometimes"), WrongParameter, "emit"),
    ],
)
def test_what_is_wrong_is_named(columns, window, rules, kind, message):
    with pytest.raises(kind, match=message):
        replayed(columns, window, rules)


def test_what_is_not_served_is_refused_by_name():
    plan = AggregatePlan((AggregateSpec("count"),))
    with pytest.raises(NotServed, match="kernel for session windows 'finger_tree'.*multi_buffer, single_buffer"):
        choose(WindowSpec("session", 10), plan, "finger_tree")
    with pytest.raises(WrongParameter, match="options of single_buffer in a replay: sorting, capacity"):
        choose(WindowSpec("session", 10), plan, "single_buffer", {"evict_after": 1})
    with pytest.raises(NotServed, match="daba"):
        choose(TEN, plan, "daba")
    with pytest.raises(WrongParameter, match="min_arity"):
        choose(TEN, plan, "finger_tree", {"min_arity": 1})
    assert choose(TEN, plan).name is None
    assert isinstance(choose(WindowSpec("spanning", 10, 10), plan), LeftToEvents)


def test_a_window_that_passed_while_nothing_was_held_is_not_passed_again():
    """The key's first events are long final when a late event comes to a window that passed in between."""
    columns = columns_of([(1, 1, 1), (11, 11, 1), (1000, 1000, 1), (975, 1001, 1), (1020, 1020, 1), (1060, 1060, 1)])
    rows = replayed(columns, TEN, ReplayRules(0, 30, "watermark"))
    [revision], [firing] = (each[rows.window_start == 970].tolist() for each in (rows.revision, rows.firing))
    assert (revision, FIRINGS[firing]) == (0, "late")


@COMPILED
def test_other_threads_go_on_during_a_replay(monkeypatch):
    """No other thread may take the GIL here, so another one moves only where the compiled call gives it up."""
    counted, moved, ended = 0, [], threading.Event()

    def count() -> None:
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0.000_1)

    def watched(function, *arguments):
        before = counted
        used = ask(function, *arguments)
        moved.append(counted - before)
        return used

    times = np.arange(300_000) * 1_000_000
    columns = EventColumns(np.array([0, len(times)]), times, times, times[None, :], np.ones((1, len(times)), np.bool_))
    window, rules = WindowSpec("sliding", DAY, 10_000_000), ReplayRules(0, 0, "watermark")
    replay_keys(columns_of([(1, 1, 1)]), window, SUM_AND_COUNT, PassTicks(times[:1], times[:1]), rules)  # compiles
    monkeypatch.setattr(operations, "ask", watched)
    thread, interval_s = threading.Thread(target=count), sys.getswitchinterval()
    sys.setswitchinterval(1_000)
    try:
        thread.start()
        rows = replay_keys(columns, window, SUM_AND_COUNT, PassTicks(times, times), rules)
    finally:
        sys.setswitchinterval(interval_s)
        ended.set()
        thread.join()
    assert len(rows.key) > 20_000
    assert max(moved) > 0


@pytest.mark.parametrize("window", [TEN, WindowSpec("sliding", 30, 10)], ids=["one", "three"])
def test_late_events_are_counted_although_many_windows_become_final_at_once(window):
    """More open windows than the table of them holds at first: it is made anew while they pass."""
    starts = [10 * number for number in range(700)]
    columns = columns_of([(start, start + 1, 1) for start in (*starts, 20_000, 40_000)])
    rows = replayed(columns, window, ReplayRules(1_000, 4_800, "final"))
    assert len(rows.key) > 600 and not rows.late_events.any()


@pytest.mark.parametrize(
    "window", [WindowSpec("sliding", 60, 7), WindowSpec("rolling", 60)], ids=["sliding", "rolling"]
)
def test_a_burst_equals_its_events_one_by_one(window):
    """Some hundred events, so that the tree over their stretches has several levels: what the newest row of a window
    holds is the same whether the events came at one tick or each at its own."""
    random = np.random.default_rng(7)
    times = np.concatenate(([0, 10**6], random.integers(0, 3000, 400)))
    newest = []
    for late in (np.full(400, 3), 3 + np.arange(400)):
        arrivals = np.concatenate(([1, 2], late))
        values = np.arange(402)[None, :]
        columns = EventColumns(np.array([0, 402]), times, arrivals, values, np.ones((1, 402), np.bool_))
        plan = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count")))
        rules = ReplayRules(0, 1 << 40, "watermark")
        rows = replay_keys(columns, window, plan, PassTicks(arrivals[:2], times[:2]), rules)
        by_window = zip(rows.window_start.tolist(), rows.events, *rows.outputs, strict=True)
        newest.append({start: tuple(map(int, values)) for start, *values in by_window})
    assert newest[0] == newest[1] and len(newest[0]) > 300


@pytest.mark.parametrize(("lateness", "kernel"), [(6, "sorted_stacks"), (2, "finger_tree")])
def test_rolling_windows_of_keys_in_time_and_only_those_are_made_at_once(lateness, kernel):
    """Long enough for several batches and fronts, with ties."""
    random = np.random.default_rng(3)
    events = 2000 if not numba.config.DISABLE_JIT else 500
    columns = columns_of(in_steps([(*each, 1) for each in random.integers(0, (3, 7), (events, 2)).tolist()]))
    plan = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count", 0)))
    chosen, by_tree = (
        replay_keys(
            columns, WindowSpec("rolling", 300), plan, ticks_of(columns), ReplayRules(lateness, 0, "watermark"), choice
        )
        for choice in (None, KernelChoice("finger_tree"))
    )
    assert (chosen.kernels, len(chosen.key) > 100) == ({kernel: 1}, True)
    assert as_lists(chosen) == as_lists(by_tree)
