"""What a replay may cost: rows, known before it starts or found on the way, and how long a stop takes."""

import os
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.kernels.test_replay import DAY, SUM_AND_COUNT
from tests.support.kernels.columns import columns_of, ticks_of
from tests.support.kernels.marks import COMPILED
from windrow.kernels.api import CallLimits, EventColumns, PassTicks, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.bounds import Extent
from windrow.kernels.kinds import window_kind
from windrow.kernels.replay.expected_rows import expected_rows
from windrow.kernels.replay.stop import OVER_TIME
from windrow.kernels.replay.types import EMITS
from windrow.kernels.runtime import operations
from windrow.kernels.runtime.operations import ask
from windrow.schemas.errors import TooManyRows, TooManySeconds, WrongParameter

ROOT = Path(__file__).parents[2]
ONE_LATE = columns_of([(1, 1, 1), (12, 12, 1), (23, 23, 1), (2, 24, 1), (60, 60, 1)])
APART = columns_of([(0, 0, 1), (DAY // 2, DAY // 2, 1)])
MICROSECOND_SLIDE = WindowSpec("sliding", DAY, 1)


def rows_made(columns, window, rules, **limits):
    limited = rules._replace(limits=CallLimits(**limits))
    return len(replay_keys(columns, window, SUM_AND_COUNT, ticks_of(columns), limited).key)


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("window", [WindowSpec("tumbling", 10), WindowSpec("sliding", 30, 7), WindowSpec("rolling", 9)])
def test_the_most_rows_are_made_and_one_more_is_refused(window, emit):
    rules = ReplayRules(0, 40, emit, complete_tick_us=99)
    rows = rows_made(ONE_LATE, window, rules)
    assert rows_made(ONE_LATE, window, rules, most_rows=rows) == rows > 3
    with pytest.raises(TooManyRows, match=f"most_rows is {rows - 1}"):
        rows_made(ONE_LATE, window, rules, most_rows=rows - 1)


def test_bytes_are_limited_where_rows_are_not():
    rules = ReplayRules(0, 40, "watermark", complete_tick_us=99)
    rows = rows_made(ONE_LATE, WindowSpec("tumbling", 10), rules)
    row_bytes = 8 * (10 + 2)
    assert rows_made(ONE_LATE, WindowSpec("tumbling", 10), rules, most_bytes=rows * row_bytes) == rows
    with pytest.raises(TooManyRows, match=f"of {row_bytes} bytes each"):
        rows_made(ONE_LATE, WindowSpec("tumbling", 10), rules, most_bytes=rows * row_bytes - 1)


@pytest.mark.parametrize("emit", EMITS)
def test_two_events_in_windows_of_a_day_by_a_microsecond_are_refused_with_the_figure(emit):
    at_least = {"final": DAY * 3 // 2, "watermark": DAY * 3 // 2, "arrival": 2 * DAY}[emit]
    began = time.process_time()
    with pytest.raises(TooManyRows, match=f"makes {at_least:,} rows or more"):
        rows_made(APART, MICROSECOND_SLIDE, ReplayRules(0, 0, emit, complete_tick_us=DAY))
    assert time.process_time() - began < 20  # it may compile


def test_what_the_watermark_does_not_reach_is_no_row():
    assert rows_made(APART, MICROSECOND_SLIDE, ReplayRules(DAY, 0, "watermark")) == 0


def test_a_spanning_event_is_refused_by_the_windows_that_it_meets():
    columns = columns_of([(0, DAY, 1)])
    columns = columns._replace(end_us=columns.start_us + DAY)
    window = WindowSpec("spanning", 1, 1)
    with pytest.raises(TooManyRows, match=f"makes {DAY:,} rows or more"):
        rows_made(columns, window, ReplayRules(0, 0, "watermark"))


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("window", [WindowSpec("tumbling", 25), WindowSpec("sliding", 60, 7)])
def test_never_more_rows_are_expected_than_are_made(window, emit):
    random = np.random.default_rng(3)
    for days in range(12):
        starts = random.integers(0, 600, 40)
        arrivals = starts + random.integers(0, 10 * days + 1, 40)
        order = np.argsort(arrivals, kind="stable")
        columns = columns_of(list(zip(starts[order], arrivals[order], starts[order], strict=True)), [(5, 700, 1)])
        ticks = ticks_of(columns)
        made, rules = window_kind(window.kind).make(window, Extent(0, 700)), ReplayRules(20, 50, emit)
        expected = expected_rows(made, columns, (ticks.tick_us, ticks.newest_start_us - 20), rules, 0)
        rows = rows_made(columns, window, rules)
        assert rows * 0.5 <= expected <= rows


def late_rolling(events: int):
    """Half of the events in time, the other half of the same times late, each at a tick of its own."""
    in_time = [(at, at, 1) for at in range(events)]
    return columns_of([*in_time, *((at, 2 * events + at, 1) for at in range(events))], [(2 * events, events, 1)])


def test_late_events_of_rolling_windows_are_refused_with_the_figure():
    columns, size = late_rolling(400), 100
    window, rules = WindowSpec("rolling", size), ReplayRules(0, 1 << 40, "watermark")
    late = sum(min(size, 400 - at) for at in range(400))
    assert rows_made(columns, window, rules, most_rows=late + 400) == late + 400
    with pytest.raises(TooManyRows, match=f"makes {late + 400:,} rows or more"):
        rows_made(columns, window, rules, most_rows=late + 399)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        *(({"most_rows": rows}, "most_rows") for rows in (0, -1, 2.5, True)),
        *(({"stop": stop}, "stop") for stop in (np.zeros(1, np.int32), np.zeros(2, np.int64), [0], 0)),
        ({"stop": np.array([9])}, "stop is 9"),  # which means nothing: no part of the rows is left
    ],
    ids=str,
)
def test_a_limit_that_is_none_is_refused(limits, message):
    with pytest.raises(WrongParameter, match=message):
        rows_made(ONE_LATE, WindowSpec("tumbling", 10), ReplayRules(0, 0, "final"), **limits)


def five_rows() -> int:
    return rows_made(ONE_LATE, WindowSpec("tumbling", 10), ReplayRules(0, 40, "watermark", complete_tick_us=99))


def endless(stop=None) -> None:
    """A replay that would make more rows than any memory holds, let loose."""
    limits = CallLimits(most_rows=1 << 60, stop=stop)
    rules = ReplayRules(0, 0, "watermark", DAY, limits)
    replay_keys(APART, MICROSECOND_SLIDE, SUM_AND_COUNT, ticks_of(APART), rules)


@contextmanager
def handled(number: int):
    """Python's own handler of a signal, which a shell's background jobs ignore."""
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.fixture
def begun(monkeypatch) -> threading.Event:
    """Set once a replay runs: what it takes to get there, compiling maybe, is over."""
    event = threading.Event()

    def watched(function, *arguments):
        event.set()
        return ask(function, *arguments)

    monkeypatch.setattr(operations, "ask", watched)
    return event


def after_a_moment(begun, action, *arguments) -> list[float]:
    """Do it once a replay has begun and worked a moment, in another thread; the list then holds when."""
    moments = []

    def act():
        begun.wait()
        worked_s = time.process_time() + 0.1
        while time.process_time() < worked_s:
            time.sleep(0.01)
        moments.append(time.monotonic())
        action(*arguments)

    threading.Thread(target=act, daemon=True).start()
    return moments


@COMPILED
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_replay_of_the_main_thread(number, begun):
    with handled(number):
        moments = after_a_moment(begun, os.kill, os.getpid(), number)
        with pytest.raises(KeyboardInterrupt):
            endless()
    assert time.monotonic() - moments[0] < 3  # 0.5 s on a machine of one's own


@COMPILED
def test_a_signal_ends_a_replay_of_another_thread(begun):
    ended = []

    def replay_in_thread():
        try:
            endless()
        except KeyboardInterrupt:
            ended.append(time.monotonic())

    worker = threading.Thread(target=replay_in_thread)
    with handled(signal.SIGINT):
        worker.start()
        moments = after_a_moment(begun, os.kill, os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            while worker.is_alive():
                time.sleep(0.01)
        worker.join()
    assert ended[0] - moments[0] < 3


@COMPILED
def test_a_word_written_by_another_thread_ends_a_replay(begun):
    stop = np.zeros(1, np.int64)
    moments = after_a_moment(begun, stop.__setitem__, 0, OVER_TIME)
    with pytest.raises(TooManySeconds, match="most_seconds"):
        endless(stop)
    assert time.monotonic() - moments[0] < 3


@COMPILED
def test_a_replay_ends_within_one_burst(begun):
    events = 6_000_000  # of one tick: several seconds of insertions
    times = np.random.default_rng(1).permutation(events)
    values = np.ones((1, events), np.int64)
    columns = EventColumns(np.array([0, events]), times, np.zeros(events, np.int64), values, values == 1)
    stop = np.zeros(1, np.int64)
    rules = ReplayRules(0, 0, "arrival", limits=CallLimits(stop=stop))
    moments = after_a_moment(begun, stop.__setitem__, 0, OVER_TIME)
    with pytest.raises(TooManySeconds):
        replay_keys(columns, WindowSpec("rolling", 9), SUM_AND_COUNT, PassTicks(*np.array([[0], [events]])), rules)
    assert time.monotonic() - moments[0] < 3
