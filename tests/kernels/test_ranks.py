"""Ranks: the sort before the first event, and a replay's events held by them, beside plain Python."""

import bisect

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kernels.aggregators import _doors
from kernels.aggregators._window import ask
from kernels.disorder import FAR
from kernels.memory import lend
from kernels.monoids import AggregateSpec
from kernels.ranks.door import door
from kernels.ranks.sort import rank_keys
from kernels.replay import (
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    WindowSpec,
    replay_keys,
)
from schemas.errors import NotServed
from tests.kernels.test_compilation import run_as_plain_python
from tests.kernels.test_doors import LOW_WORD, PLAN, STATE_WORDS, gather_row, one_column, word_at
from tests.kernels.test_replay import ticks_of

PLAIN = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("count"), AggregateSpec("max", 0)))
TIMES = st.lists(st.integers(-20, 20) | st.integers(-(1 << 61), 1 << 61), max_size=40)


@given(TIMES, TIMES, st.booleans())
@example([9, 2, 1, 2, 1 << 61, 2, -(1 << 61), 2, 1, -(1 << 61)], [3, 1, 2, 1, 1], True)
def test_an_events_rank_is_the_first_place_of_its_time(first, second, both):
    times, offsets = np.array(first + second, np.int64), np.array([0, len(first), len(first) + len(second)])
    ranks, ascending, order = rank_keys(times, offsets, np.array([0, 1] if both else [1]))
    for key in ((0, 1) if both else (1,)):
        rows = slice(offsets[key], offsets[key + 1])
        assert ascending[rows].tolist() == sorted(times[rows].tolist())
        assert order[rows].tolist() == np.argsort(times[rows], kind="stable").tolist()
        assert ranks[rows].tolist() == [bisect.bisect_left(sorted(times[rows].tolist()), time) for time in times[rows]]


@pytest.mark.parametrize("apart", [1, 1 << 54])
def test_events_of_one_time_are_ranked_by_arrival(apart):
    """Whatever the processor: many of a time, and so far apart that a word doesn't hold time and row."""
    times = np.random.default_rng(1).integers(0, 60, 1000) * apart
    ranked = rank_keys(times, np.array([0, 1000]), np.array([0]))
    assert ranked.rows.tolist() == np.argsort(times, kind="stable").tolist()


def test_no_key_needs_ranks():
    assert [len(each) for each in rank_keys(np.arange(5), np.array([0, 5]), np.array([], np.int64))] == [1, 1, 1]


class Held(RuleBasedStateMachine):
    """Events that come in any order to the places that wait for them. Enough of them for three levels."""

    @initialize(times=st.lists(st.integers(0, 300), min_size=1, max_size=400), spread=st.sampled_from((1, 40, 1 << 50)),
                repeated=st.sampled_from((1, 12)))
    def expect(self, times, spread, repeated):
        times = [time * spread + copy for time in times for copy in range(repeated)]
        self.times, self.values = np.array(times, np.int64), np.arange(1, len(times) + 1)
        self.source = one_column(self.values, self.times)
        self.state = np.zeros(STATE_WORDS, np.int64)
        self.address = ask(door(), 0, _doors.CREATE, lend(PLAN.block), 0, 0)
        self.come_again()

    @rule()
    def come_again(self):
        """As for the next key."""
        self("RESET")
        self.ranks, self.ascending, _ = rank_keys(self.times, np.array([0, len(self.times)]), np.array([0]))
        self("EXPECT", lend(self.ascending), len(self.times), lend(self.ranks))
        self.waiting, self.there, self.evicted = list(range(len(self.times))), {}, None

    def __call__(self, operation, *arguments):
        return ask(door(), self.address, getattr(_doors, operation), *arguments, *[0] * (3 - len(arguments)))

    @rule(data=st.data(), count=st.integers(1, 60))
    def insert(self, data, count):
        for _ in range(min(count, len(self.waiting))):
            row = self.waiting.pop(data.draw(st.integers(0, len(self.waiting) - 1)))
            time = int(self.times[row])
            gather_row(lend(PLAN.block), lend(self.state), self.source.address, row)
            status = self("INSERT", time, lend(self.state), row)
            if self.evicted is not None and time <= self.evicted:
                assert status == _doors.OUT_OF_ORDER
            else:
                assert status == _doors.DONE
                self.there[time] = self.there.get(time, 0) + int(self.values[row])

    @rule(share=st.floats(0, 1), off=st.integers(-1, 1))
    def evict(self, share, off):
        time = int(self.ascending[int(share * (len(self.ascending) - 1))]) + off
        self("BULK_EVICT", time)
        self.evicted = time if self.evicted is None else max(time, self.evicted)
        self.there = {each: total for each, total in self.there.items() if each > time}

    @rule(first=st.floats(0, 1), second=st.floats(0, 1), off=st.integers(-1, 1))
    def read_a_range(self, first, second, off):
        low, high = sorted(int(self.ascending[int(share * (len(self.ascending) - 1))]) for share in (first, second))
        high += off
        wanted = sorted((time, total) for time, total in self.there.items() if low <= time < high)
        total = sum(total for _, total in wanted)
        assert word_at(self("RANGE_QUERY", low, high), LOW_WORD) == total
        self.state[:] = 0
        self("APPEND_RANGE", low, high, lend(self.state))
        assert self.state[LOW_WORD] == total
        copied = np.zeros((self("COUNT_BETWEEN", low, high), 1 + STATE_WORDS), np.int64)
        if len(copied):
            self("COPY_ENTRIES", low, high, lend(copied))
        assert [(int(row[0]), int(row[1 + LOW_WORD])) for row in copied] == wanted
        assert self("FIRST_FROM", low) == min((time for time in self.there if time >= low), default=_doors.FOREVER)

    @invariant()
    def ends_are_told(self):
        if hasattr(self, "address"):
            assert self("IS_EMPTY") == (not self.there)
            assert self("OLDEST") == min(self.there, default=_doors.FOREVER)
            assert self("YOUNGEST") == max(self.there, default=-_doors.FOREVER)

    def teardown(self):
        if hasattr(self, "address"):
            self("DESTROY")


TestHeld = Held.TestCase


def columns_at(times, arrivals):
    times = np.asarray(times, np.int64)
    values = np.arange(len(times))[None, :]
    return EventColumns(np.array([0, len(times)]), times, np.asarray(arrivals, np.int64), values,
                        np.ones(values.shape, np.bool_))


def rows_by(columns, rules, kernel=None, size=10):
    rows = replay_keys(columns, WindowSpec("rolling", size), PLAIN, ticks_of(columns), rules,
                       None if kernel is None else KernelChoice(kernel))
    return [each.tolist() for each in rows[:-2]], rows.kernels


@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
@given(times=st.lists(st.integers(0, 30), max_size=60), arrivals=st.lists(st.integers(0, 40), min_size=60, max_size=60),
       waits=st.tuples(st.integers(0, 6), st.sampled_from((0, 0, 4, 20))))
def test_rolling_windows_by_ranks_are_those_by_a_sorted_array(emit, times, arrivals, waits):
    columns, rules = columns_at(times, sorted(arrivals[:len(times)])), ReplayRules(*waits, emit)
    assert rows_by(columns, rules, "rank_tree")[0] == rows_by(columns, rules, "recompute")[0]


def test_ranks_run_as_plain_python_with_every_access_checked():
    assert "7 passed" in run_as_plain_python(__file__, "time or sorted_array or Held")


def test_extreme_disorder_is_replayed_by_ranks_and_only_that():
    times = np.arange(12 * FAR)
    far, near = times.copy(), times.copy()
    far[1::2] -= 6 * FAR
    near[1::2] -= 8
    rules = ReplayRules(7 * FAR, 0, "final")
    columns = columns_at(np.concatenate([times, far, near]), np.tile(times, 3))
    columns = columns._replace(key_offsets=np.arange(4) * len(times))
    ticks = PassTicks(times, times)

    def replayed(window, plan=PLAIN, choice=None):
        return replay_keys(columns, window, plan, ticks, rules, choice)

    rows = replayed(WindowSpec("rolling", 100))
    assert rows.kernels == {"finger_tree": 2, "rank_tree": 1}
    by_tree = replayed(WindowSpec("rolling", 100), choice=KernelChoice("finger_tree"))
    assert by_tree.kernels == {"finger_tree": 3}
    assert len(rows.key) == len(by_tree.key) > 3 * FAR
    assert all((one == other).all() for one, other in zip(rows[:-2], by_tree[:-2], strict=True))
    assert "rank_tree" not in replayed(WindowSpec("tumbling", 100)).kernels
    last, sketch = (AggregatePlan((AggregateSpec(name, 0),)) for name in ("last", "approx_quantile"))
    assert "rank_tree" not in replayed(WindowSpec("rolling", 100), last).kernels
    assert "rank_tree" not in replay_keys(columns, WindowSpec("rolling", 2), sketch, ticks, rules).kernels
    for window, plan in ((WindowSpec("tumbling", 100), PLAIN), (WindowSpec("rolling", 100), last)):
        with pytest.raises(NotServed, match="kernel is 'rank_tree'"):
            replayed(window, plan, KernelChoice("rank_tree"))
