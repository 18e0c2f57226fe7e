"""The structures of a replay hold what they promise after every step."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.kernels.columns import columns_of, in_steps, ticks_of
from tests.support.kernels.replay_invariants import check_late_times, check_open_windows, check_walk
from tests.support.kernels.stepped_replay import replay_in_steps
from windrow.kernels import entry
from windrow.kernels.api import AggregatePlan, KernelChoice, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.states.state_plan import make_plan

COMMUTATIVE = (AggregateSpec("sum", 0), AggregateSpec("max", 0))
ORDERED = (AggregateSpec("last", 0), AggregateSpec("sum", 0))
WINDOWS = {
    "tumbling": WindowSpec("tumbling", 10),
    "sliding": WindowSpec("sliding", 30, 7),
    "rolling": WindowSpec("rolling", 20),
    "long": WindowSpec("rolling", 400),
}
TREE = KernelChoice("finger_tree")
EVENT = st.tuples(st.integers(0, 4), st.integers(0, 9) | st.integers(0, 60), st.integers(-9, 9))  # step, late by, value
KEYS = st.lists(st.lists(EVENT, max_size=200), min_size=1, max_size=3)


def checks(aggregates):
    """All that can be looked at after a step."""
    plan = make_plan(aggregates)

    def look(r):
        check_open_windows(r)
        check_late_times(r.numbered.late_times)
        for walk in (r.numbered.passing, r.numbered.finishing, r.numbered.changing):
            check_walk(r, walk, plan)

    return look


@pytest.mark.slow
@pytest.mark.few(3)
@pytest.mark.parametrize("aggregates", [COMMUTATIVE, ORDERED], ids=["commutative", "ordered"])
@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
@pytest.mark.parametrize("window", WINDOWS)
def test_all_invariants_hold_after_every_step_of_a_replay(monkeypatch, window, emit, aggregates):
    look = checks(aggregates)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(KEYS, st.tuples(st.integers(0, 14), st.sampled_from([0, 5, 500])), st.sampled_from([0, 32]))
    def holds(keys, waits, patience):
        monkeypatch.setattr(entry, "LEAST_PATIENCE", patience)
        columns = columns_of(*map(in_steps, keys))
        rules = ReplayRules(*waits, emit, int(columns.arrival_us.max(initial=0)) + 1)
        asked = (columns, WINDOWS[window], AggregatePlan(aggregates), ticks_of(columns), rules, TREE)
        found, wanted = replay_in_steps(monkeypatch, look, *asked), replay_keys(*asked)
        assert [each.tolist() for each in found[:-3]] == [each.tolist() for each in wanted[:-3]]

    holds()


@pytest.mark.slow
def test_all_invariants_hold_in_a_table_that_is_made_anew(monkeypatch):
    """More windows than there is room for at first, some of an earlier key."""
    random = np.random.default_rng(3)
    keys = [[(int(step), int(late), 1) for step, late in random.integers(1, (3, 900), (1500, 2))] for _ in range(2)]
    columns, rules = columns_of(*map(in_steps, keys)), ReplayRules(0, 2_000, "watermark", 10_000)
    rooms = set()

    def look(r):
        rooms.add(r.numbered.open.room)
        if r.numbered.open.used % 50 == 0:
            checks(COMMUTATIVE)(r)

    asked = (columns, WindowSpec("rolling", 50), AggregatePlan(COMMUTATIVE), ticks_of(columns), rules, TREE)
    replay_in_steps(monkeypatch, look, *asked)
    assert len(rooms) > 1


def field(struct, name):
    """Address of a field."""
    return struct.address + struct.offsets[name]


PLAN = make_plan(COMMUTATIVE)
WRONG = {  # what a check says: the check, when there is something to check, and the word that is made less by one
    "pairs: whole": (
        lambda r: check_late_times(r.numbered.late_times),
        lambda r: r.numbered.late_times.used > 100,
        lambda r: field(r.numbered.late_times, "used"),
    ),
    "used: ": (check_open_windows, lambda r: r.numbered.open.used > 10, lambda r: field(r.numbered.open, "used")),
    "first: it is an entry": (
        lambda r: check_walk(r, r.numbered.passing, PLAN),
        lambda r: r.numbered.passing.is_valid and r.numbered.passing.front.used > 1,
        lambda r: field(r.numbered.passing, "first"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("sentence", WRONG)
def test_a_check_finds_a_wrong_word(monkeypatch, sentence):
    check, is_ready, place = WRONG[sentence]
    keys = [[(2, late, late + 1) for late in np.random.default_rng(5).integers(0, 60, 600).tolist()]]
    columns, seen = columns_of(*map(in_steps, keys)), []

    def look(r):
        if seen or not is_ready(r):
            return
        check(r)
        words = words_at(place(r))
        words[0] -= 1
        with pytest.raises(AssertionError) as raised:
            check(r)
        words[0] += 1
        seen.append(str(raised.value))

    asked = (AggregatePlan(COMMUTATIVE), ticks_of(columns), ReplayRules(0, 500, "watermark"), TREE)
    replay_in_steps(monkeypatch, look, columns, WINDOWS["long"], *asked)
    assert seen and seen[0].startswith(sentence), seen
