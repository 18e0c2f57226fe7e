"""The structures of a replay hold what they promise after every step, and the checks find each thing that is wrong."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, KernelChoice, ReplayRules, WindowSpec, entry, replay_keys
from kernels.replay.numbered.late_times import RUN
from kernels.replay.numbered.open_windows import WindowEntry
from kernels.runtime.struct import words_at
from kernels.states.state_plan import make_plan
from tests.support.kernels.columns import columns_of, in_steps, ticks_of
from tests.support.kernels.replay_invariants import check_late_times, check_open_windows, check_walk
from tests.support.kernels.stepped_replay import replay_in_steps

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
THREE_RUNS = 3 * RUN


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


def broken(monkeypatch, is_ready, places, check, sentence):
    """A check fails with a sentence once something is made wrong: words at some addresses, by so much. They are put
    right again, for the replay to end."""
    keys = [[(2, late, late + 1) for late in np.random.default_rng(5).integers(0, 60, 600).tolist()]]
    columns = columns_of(*map(in_steps, keys))
    rules, seen = ReplayRules(0, 500, "watermark"), []

    def look(r):
        if seen or not is_ready(r):
            return
        check(r)
        changed = [(words_at(address), by) for address, by in places(r)]
        for words, by in changed:
            words[0] += by
        with pytest.raises(AssertionError) as raised:
            check(r)
        for words, by in changed:
            words[0] -= by
        seen.append(str(raised.value).splitlines()[0])

    asked = (columns, WINDOWS["long"], AggregatePlan(COMMUTATIVE), ticks_of(columns), rules, TREE)
    replay_in_steps(monkeypatch, look, *asked)
    assert seen and seen[0].startswith(sentence), seen


def field(struct, name):
    """Address of a field."""
    return struct.address + struct.offsets[name]


LATE = {
    "pairs: whole": lambda late: [(field(late, "used"), 1)],
    "watermarks: they never": lambda late: [(field(late.first[0], "watermark"), 1 << 40)],
    "late: each time": lambda late: [(field(late.first[late.used // 2 - 1], "time"), 1 << 40)],
    "runs: level 0 has": lambda late: [(field(late.runs[0], "used"), RUN)],
    "runs: level 1 has": lambda late: [(field(late.runs[1], "used"), 1)],
    "runs: those of level 1": lambda late: [(late.runs[1].first, 1)],
}


@pytest.mark.slow
@pytest.mark.few(9)
@pytest.mark.parametrize("sentence", LATE)
def test_the_check_of_late_times_finds_what_is_wrong(monkeypatch, sentence):
    def is_ready(r):
        return r.numbered.late_times.used > 2 * THREE_RUNS

    def check(r):
        check_late_times(r.numbered.late_times)

    broken(monkeypatch, is_ready, lambda r: LATE[sentence](r.numbered.late_times), check, sentence)


def entries_of(r):
    """Those of the key at hand."""
    entries = (
        WindowEntry(r.numbered.open.entries + r.numbered.open.entry_bytes * place)
        for place in range(r.numbered.open.room)
    )
    return [entry for entry in entries if entry.owner == r.key]


OPEN = {
    "room: ": lambda r, entry: [(field(r.numbered.open, "room"), -1)],
    "used: ": lambda r, entry: [(field(r.numbered.open, "used"), -1)],
    "owner: ": lambda r, entry: [(field(entry, "owner"), 1)],
    "found: ": lambda r, entry: [(field(entry, "number"), 12_345)],
    "revision: ": lambda r, entry: [(field(entry, "revision"), -1000)],
    "late: ": lambda r, entry: [(field(entry, "late"), 1000)],
    "state: ": lambda r, entry: [(entry.state.address, 1)],
}


@pytest.mark.slow
@pytest.mark.few(9)
@pytest.mark.parametrize("sentence", OPEN)
def test_the_check_of_open_windows_finds_what_is_wrong(monkeypatch, sentence):
    def is_ready(r):
        return len(entries_of(r)) > 10

    broken(monkeypatch, is_ready, lambda r: OPEN[sentence](r, entries_of(r)[5]), check_open_windows, sentence)


def stride_of(walk):
    """Bytes from one entry of a front to the next: a time and a state, of which a walk has two that stand together."""
    return 8 + walk.result - walk.back


WALK = {
    "patience: ": lambda walk: [(field(walk, "asked"), 1 << 40)],
    "window: ": lambda walk: [(field(walk, "middle"), 1 << 40)],
    "first: it is an entry": lambda walk: [(field(walk, "first"), 8)],
    "first: what stands": lambda walk: [(field(walk, "low"), -(1 << 40))],
    "first: it begins": lambda walk: [(field(walk, "first"), -stride_of(walk))],
    "front: times": lambda walk: [(walk.first, 1 << 40)],
    "front: it has": lambda walk: [(walk.first, 1)],
    "front: entry 0": lambda walk: [(walk.first + 8, 1)],
    "back: word 0": lambda walk: [(walk.back, 1)],
}


@pytest.mark.slow
@pytest.mark.few(9)
@pytest.mark.parametrize("sentence", WALK)
def test_the_check_of_a_walk_finds_what_is_wrong(monkeypatch, sentence):
    plan = make_plan(COMMUTATIVE)

    def is_ready(r):
        walk = r.numbered.passing
        return walk.is_valid and walk.front.first < walk.first < walk.front.first + 8 * walk.front.used

    def check(r):
        check_walk(r, r.numbered.passing, plan)

    broken(monkeypatch, is_ready, lambda r: WALK[sentence](r.numbered.passing), check, sentence)
